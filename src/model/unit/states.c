/// States of the unit: kept in memory, gone back to, and as bytes.
///
/// As bytes a state is a file in blocks (base/bytes.h), each with its checksum:
///
///     "foliot-unit-1" | "card": version, type and token of the unit
///     | Model Exchange: "stat", what is kept in memory
///     | Co-Simulation: "unit", its experiment and where it was; the parts of a checkpoint
///       (simulation/checkpoint.h)
///
/// They fit any instance of the same unit, in this process or another. Bytes that are not such a
/// state, or that of another unit, are refused; what they say is checked as that of a checkpoint
/// is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model/unit/unit.h"
#include "simulation/checkpoint.h"

static const char name_of_state[] = "foliot-unit-1";

// ------------------------------------------------------------------------------------ in memory

/// A state of Model Exchange: all that is not in it is the same in every instance of the unit.
///
///     kept | the block of the state | rest | signs | was
typedef struct kept {
    uint64_t size;
    double start, stop, t;
    uint32_t k, guards, conditions;
    bool terminated, begun;
    int mode;
} kept;

/// A state of Co-Simulation.
typedef struct kept_run {
    uint64_t zero; ///< where a state of Model Exchange has its size: tells the two apart
    fo_snapshot *snapshot;
    const unit *of;   ///< the instance: what is kept in memory is of its model
    uint64_t changes; ///< of that unit, when it was kept
    double start, stop, reached;
    bool terminated, pending;
    unit_mode mode;
    void *before; ///< of a pending event: the block of the state, or NULL
    foi_bytes bytes;
} kept_run;

static size_t kept_size(const unit *u)
{
    return sizeof(kept) + u->store.size + u->shape.guards * (1 + sizeof(double)) +
           u->shape.conditions;
}

// An importer may ask one instance for a state of another, or of one of the other type.
static bool is_run(const void *state)
{
    uint64_t size;
    memcpy(&size, state, sizeof size);
    return size == 0;
}

static bool can_take(unit *u, const void *state)
{
    u->why = (fo_message){0};
    if (!state)
        unit_complain(u, FMI_ERROR, "there is no state");
    else if (is_run(state) != u->cosimulation)
        unit_complain(u, FMI_ERROR,
                      u->cosimulation ? "the state is one of Model Exchange"
                                      : "the state is one of Co-Simulation");
    else if (u->cosimulation && ((const kept_run *)state)->of != u)
        unit_complain(u, FMI_ERROR, "the state is of another instance: only as bytes it goes over");
    else if (!u->cosimulation && ((const kept *)state)->size != kept_size(u))
        unit_complain(u, FMI_ERROR, "the state is of another unit");
    else
        return true;
    return false;
}

static void drop_run(kept_run *k)
{
    if (!k) return;
    fo_snapshot_destroy(k->snapshot);
    foi_bytes_free(&k->bytes);
    free(k->before);
    free(k);
}

static kept_run *keep_sim(unit *u, fo_simulation *sim)
{
    kept_run *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    k->snapshot = fo_simulation_snapshot(sim);
    if (!k->snapshot) u->why = *fo_simulation_message(sim);
    if (k->snapshot) return k;
    free(k);
    return NULL;
}

static int keep_run(unit *u, void **state)
{
    kept_run *k = u->sim ? keep_sim(u, u->sim) : NULL;
    if (k && u->pending) {
        k->before = malloc(u->store.size);
        if (k->before) memcpy(k->before, u->store.s.memory, u->store.size);
    }
    if (!k || (u->pending && !k->before)) {
        drop_run(k);
        return unit_complain(u, FMI_ERROR, "the state cannot be kept");
    }
    k->start = u->start, k->stop = u->stop;
    k->of = u, k->changes = u->changes, k->reached = u->reached, k->terminated = u->terminated;
    k->pending = u->pending, k->mode = u->mode;
    *state = k;
    return FMI_OK;
}

// A simulation has one experiment: a state of another one is that of another simulation.
static int go_back_in_run(unit *u, const kept_run *k)
{
    u->changes++;
    if (u->start != k->start || u->stop != k->stop) {
        fo_simulation_destroy(u->sim);
        u->sim = NULL;
        u->start = k->start, u->stop = k->stop;
    }
    if ((!u->sim && !(u->sim = unit_make_simulation(u))) ||
        fo_failed(fo_simulation_restore(u->sim, k->snapshot)))
        return unit_complain(u, FMI_ERROR, "the state cannot be restored");
    u->reached = k->reached, u->terminated = k->terminated;
    u->pending = k->pending, u->mode = k->mode;
    if (k->before) memcpy(u->store.s.memory, k->before, u->store.size);
    u->store.s.t = k->reached;
    return FMI_OK;
}

int unit_keep(unit *u, void **state)
{
    if (u->cosimulation) return keep_run(u, state);
    kept *k = malloc(kept_size(u));
    if (!k) return unit_complain(u, FMI_ERROR, "out of memory");
    const fo_state *s = &u->store.s;
    memset(k, 0, sizeof *k);
    k->size = kept_size(u), k->guards = u->shape.guards, k->conditions = u->shape.conditions;
    k->start = u->start, k->stop = u->stop, k->t = s->t, k->k = s->k;
    k->terminated = u->terminated, k->begun = u->begun, k->mode = (int)u->mode;
    char *to = (char *)(k + 1);
    memcpy(to, s->memory, u->store.size);
    to += u->store.size;
    memcpy(to, u->rest, u->shape.guards * sizeof(double));
    to += u->shape.guards * sizeof(double);
    memcpy(to, u->signs, u->shape.guards);
    memcpy(to + u->shape.guards, u->was, u->shape.conditions);
    *state = k;
    return FMI_OK;
}

int unit_go_back(unit *u, void *state)
{
    if (!can_take(u, state)) return FMI_ERROR;
    if (u->cosimulation) return go_back_in_run(u, state);
    const kept *k = state;
    const char *from = (const char *)(k + 1);
    memcpy(u->store.s.memory, from, u->store.size);
    from += u->store.size;
    memcpy(u->rest, from, u->shape.guards * sizeof(double));
    from += u->shape.guards * sizeof(double);
    memcpy(u->signs, from, u->shape.guards);
    memcpy(u->was, from + u->shape.guards, u->shape.conditions);
    u->start = k->start, u->stop = k->stop;
    u->store.s.stop = isfinite(u->stop) ? u->stop : INFINITY;
    u->store.s.t = k->t, u->store.s.k = k->k;
    u->foreseen = false;
    u->terminated = k->terminated, u->begun = k->begun, u->mode = (unit_mode)k->mode;
    return FMI_OK;
}

void unit_drop(unit *u, void *state)
{
    (void)u; // it may be a state of the other type
    if (state && is_run(state))
        drop_run(state);
    else
        free(state);
}

// -------------------------------------------------------------------------------------- as bytes

static void put_card(unit *u, foi_bytes *b)
{
    foi_bytes_begin(b, name_of_state);
    foi_bytes_block(b, "card");
    foi_put_u32(b, (uint32_t)u->version);
    foi_put_u8(b, u->cosimulation);
    foi_put_text(b, u->token);
    foi_bytes_block_end(b);
}

static void put_run(unit *u, fo_simulation *sim, const kept_run *k, foi_bytes *b)
{
    foi_mover out = {.out = b};
    foi_bytes_block(b, "unit");
    foi_put_u8(b, k->terminated);
    foi_put_u8(b, k->pending);
    foi_put_u32(b, (uint32_t)k->mode);
    foi_put_f64(b, k->reached);
    foi_put_f64(b, k->start);
    foi_put_f64(b, k->stop);
    if (k->before) foi_bytes_put(b, k->before, u->store.size);
    foi_bytes_block_end(b);
    for (const foi_part *p = foi_parts; p->tag; p++) {
        foi_bytes_block(b, p->tag);
        p->move(&out, sim);
        foi_bytes_block_end(b);
    }
}

// A simulation of the state's experiment that stands where the state was kept.
static fo_simulation *simulation_of(unit *u, const kept_run *k)
{
    double start = u->start, stop = u->stop;
    u->start = k->start, u->stop = k->stop;
    fo_simulation *sim = unit_make_simulation(u);
    u->start = start, u->stop = stop;
    if (!sim || !fo_failed(fo_simulation_restore(sim, k->snapshot))) return sim;
    u->why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    return NULL;
}

// The parts are those of a simulation that stands there: often the unit's own does. Otherwise, and
// where the unit has none or one of another experiment, one is made for it.
static int write_run(unit *u, kept_run *k)
{
    bool here = u->sim && k->changes == u->changes;
    fo_simulation *own = here ? NULL : simulation_of(u, k), *sim = here ? u->sim : own;
    if (!sim) return unit_complain(u, FMI_ERROR, "the state cannot be written");
    bool fits = foi_shape_equal(&u->shape, &fo_simulation_state(sim)->shape);
    put_card(u, &k->bytes);
    if (fits) put_run(u, sim, k, &k->bytes);
    foi_bytes_end(&k->bytes);
    fo_simulation_destroy(own);
    if (!fits)
        fo_fail(&u->why, FO_ERROR_UNFIT, "it has another number of states than at its start");
    if (fits && !k->bytes.failed) return FMI_OK;
    foi_bytes_free(&k->bytes);
    k->bytes = (foi_bytes){0};
    return unit_complain(u, FMI_ERROR, "the state cannot be written");
}

static int write_state(unit *u, const kept *k, foi_bytes *b)
{
    put_card(u, b);
    foi_bytes_block(b, "stat");
    foi_bytes_put(b, k, kept_size(u));
    foi_bytes_block_end(b);
    foi_bytes_end(b);
    return b->failed ? unit_complain(u, FMI_ERROR, "out of memory") : FMI_OK;
}

int unit_state_size(unit *u, void *state, size_t *size)
{
    foi_bytes b = {0};
    int status = FMI_OK;
    *size = 0;
    if (!can_take(u, state)) return FMI_ERROR;
    if (u->cosimulation) {
        kept_run *k = state;
        if (!k->bytes.count) status = write_run(u, k);
        *size = k->bytes.count;
        return status;
    }
    status = write_state(u, state, &b);
    *size = b.count;
    foi_bytes_free(&b);
    return status;
}

int unit_write_state(unit *u, void *state, void *bytes, size_t size)
{
    foi_bytes own = {0}, *b = &own;
    int status = FMI_OK;
    if (!can_take(u, state)) return FMI_ERROR;
    if (u->cosimulation) {
        kept_run *k = state;
        if (!k->bytes.count) status = write_run(u, k);
        b = &k->bytes;
    } else
        status = write_state(u, state, b);
    if (status == FMI_OK && size < b->count)
        status = unit_complain(u, FMI_ERROR, "there is no room for the state");
    if (status == FMI_OK) memcpy(bytes, b->list, b->count);
    foi_bytes_free(&own);
    return status;
}

// ----------------------------------------------------------------------------------- from bytes

// The importer may have given more room than the state has: the state ends with its last block.
static size_t length_of(const unsigned char *bytes, size_t size)
{
    for (size_t at = 16; at + 24 <= size;) {
        foi_slice length = {bytes + at + 8, bytes + at + 16, false, NULL};
        uint64_t count = foi_take_u64(&length);
        if (count > size - at - 24) return size;
        at += 24 + count;
        if (memcmp(bytes + at - 24 - count, "end ", 4) == 0) return at;
    }
    return size;
}

static bool sound_experiment(double start, double stop)
{
    return isfinite(start) && stop > start;
}

// Whose state it is.
static bool is_own(unit *u, const void *bytes, size_t size)
{
    foi_slice in = foi_blocks_find(bytes, size, "card");
    uint32_t version = foi_take_u32(&in);
    bool cosimulation = foi_take_u8(&in) != 0;
    const char *token = foi_take_text(&in);
    if (!in.failed && !foi_slice_left(&in) && version == (uint32_t)u->version &&
        cosimulation == u->cosimulation && strcmp(token, u->token) == 0)
        return true;
    fo_fail(&u->why, FO_ERROR_FORMAT, "it is of another unit, version or type");
    return false;
}

static bool read_unit(const unit *u, const void *bytes, size_t size, kept_run *k, fo_message *why)
{
    foi_slice in = foi_blocks_find(bytes, size, "unit");
    k->terminated = foi_take_bool(&in, "whether it has ended");
    k->pending = foi_take_bool(&in, "whether an event is pending");
    k->mode = (unit_mode)foi_take_upto(&in, UNIT_ENDED, "its mode");
    k->reached = foi_take_finite(&in, "its time");
    k->start = foi_take_finite(&in, "its start"), k->stop = foi_take_f64(&in);
    if (!sound_experiment(k->start, k->stop)) foi_slice_fail(&in, "its stop");
    if (k->pending && !in.failed) {
        k->before = calloc(1, u->store.size + 1);
        if (k->before) foi_take(&in, k->before, u->store.size);
    }
    if (!in.failed && foi_slice_left(&in)) foi_slice_fail(&in, "it is too long");
    if (!in.failed && k->mode < UNIT_EVENT) foi_slice_fail(&in, "its mode");
    if (!in.failed && (!k->pending || k->before)) return true;
    fo_fail(why, FO_ERROR_FORMAT, "%s", in.failed ? in.wrong : "out of memory");
    return false;
}

static bool read_parts(fo_simulation *sim, const void *bytes, size_t size, fo_message *why)
{
    for (const foi_part *p = foi_parts; p->tag; p++) {
        foi_slice in = foi_blocks_find(bytes, size, p->tag);
        foi_mover m = {.in = &in};
        if (!in.failed) p->move(&m, sim);
        if (!in.failed && foi_slice_left(&in)) foi_slice_fail(&in, "it is too long");
        if (!in.failed) continue;
        fo_fail(why, FO_ERROR_FORMAT, "block '%s': %s", p->tag, in.wrong);
        return false;
    }
    return foi_parts_settle(sim, "bytes", why) == FO_OK;
}

static kept_run *read_run(unit *u, const void *bytes, size_t size)
{
    kept_run head = {0}, *k = NULL;
    if (!read_unit(u, bytes, size, &head, &u->why)) {
        free(head.before);
        return NULL;
    }
    double start = u->start, stop = u->stop;
    u->start = head.start, u->stop = head.stop;
    fo_simulation *sim = unit_make_simulation(u);
    u->start = start, u->stop = stop;
    if (sim && read_parts(sim, bytes, size, &u->why)) k = keep_sim(u, sim);
    fo_simulation_destroy(sim);
    if (!k) {
        free(head.before);
        return NULL;
    }
    head.snapshot = k->snapshot;
    head.of = u, head.changes = UINT64_MAX; // it is not where the simulation is
    *k = head;
    return k;
}

static kept *read_kept(unit *u, const void *bytes, size_t size)
{
    foi_slice in = foi_blocks_find(bytes, size, "stat");
    kept *k = malloc(kept_size(u));
    if (!k) return NULL;
    foi_take(&in, k, kept_size(u));
    bool fits = !in.failed && !foi_slice_left(&in) && k->size == kept_size(u) &&
                k->guards == u->shape.guards && k->conditions == u->shape.conditions &&
                k->mode >= UNIT_INSTANTIATED && k->mode <= UNIT_ENDED && isfinite(k->t) &&
                sound_experiment(k->start, k->stop);
    if (fits) return k;
    fo_fail(&u->why, FO_ERROR_FORMAT, "it does not fit the unit");
    free(k);
    return NULL;
}

int unit_read_state(unit *u, const void *bytes, size_t size, void **state)
{
    *state = NULL;
    size = length_of(bytes, size);
    if (foi_blocks_check(bytes, size, name_of_state, "the state", &u->why) == FO_OK &&
        is_own(u, bytes, size))
        *state = u->cosimulation ? (void *)read_run(u, bytes, size) : read_kept(u, bytes, size);
    return *state ? FMI_OK : unit_complain(u, FMI_ERROR, "the bytes are no state of this unit");
}
