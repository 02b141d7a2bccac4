/// The state of a group: of its master and, where all units give theirs as bytes, of its units (and
/// of the simulations that carry those in Model Exchange), so
/// that a simulation of it can be copied, rewound, cut inside of a step, and written to a file.
///
/// Like that of one unit (fmu.h) the memory of a state has a generation: whatever moves the units
/// makes a new one, and whoever comes with another puts them back first.
///
///     foi_group_memory | y now | y before the last step
///     | image now | image before the last step | inputs of that step
///     image: foi_group_still | y | the master's other numbers | what the units know | their bytes
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "fmi/group.h"

/// The master's numbers that are no vectors.
typedef struct foi_group_still {
    double t, h_before, h_wish;
    uint64_t steps, rejected;
    bool first, stopped;
} foi_group_still;

typedef struct foi_group_memory {
    uint64_t generation;
    bool whole, whole_before; ///< there are these images
    bool stopped;
    double before, reached; ///< where the last step began, and where it has ended
} foi_group_memory;

static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

// ----------------------------------------------------------------------------------------- images

/// What a number of the group and its copy in an image are moved by, each way.
typedef struct mover {
    uint8_t *at;
    bool out;
} mover;

static void move(mover *m, void *what, size_t size)
{
    if (!size) return;
    if (m->out)
        memcpy(m->at, what, size);
    else
        memcpy(what, m->at, size);
    m->at += rounded(size);
}

static void move_numbers(mover *m, double *list, uint32_t count)
{
    move(m, list, count * sizeof *list);
}

static void move_master(fo_fmu_group *g, mover *m)
{
    foi_group_still s;
    memset(&s, 0, sizeof s); // between its members, too: images are compared
    s.t = g->t, s.h_before = g->h_before, s.h_wish = g->h_wish;
    s.steps = g->steps, s.rejected = g->rejected, s.first = g->first, s.stopped = g->stopped;
    move(m, &s, sizeof s);
    if (!m->out) {
        g->t = s.t, g->h_before = s.h_before, g->h_wish = s.h_wish;
        g->steps = s.steps, g->rejected = s.rejected, g->first = s.first, g->stopped = s.stopped;
    }
    move_numbers(m, g->y, g->y_count);
    move_numbers(m, g->y_before, g->y_count);
    move_numbers(m, g->scale, g->y_count);
    move_numbers(m, g->scale_u, g->link_count);
    move_numbers(m, g->bond_energy, g->bond_count);
    move_numbers(m, g->bond_scale, g->bond_count);
}

static size_t numbers(size_t count)
{
    return rounded(count * sizeof(double));
}

static size_t image_size(const fo_fmu_group *g)
{
    size_t size = rounded(sizeof(foi_group_still)) + 3 * numbers(g->y_count) +
                  numbers(g->link_count) + 2 * numbers(g->bond_count);
    for (uint32_t k = 0; k < g->count; k++)
        size += numbers(g->units[k]->unit.u.values) + numbers(g->units[k]->unit.p.values) +
                rounded(sizeof(size_t)) + rounded(g->rooms[k]);
    return size;
}

static double *outputs_of(const fo_fmu_group *g, const fo_state *s, bool before)
{
    return (double *)(void *)((uint8_t *)s->memory + rounded(sizeof(foi_group_memory)) +
                              before * numbers(g->y_count));
}

static uint8_t *image_of(const fo_fmu_group *g, const fo_state *s, bool before)
{
    return (uint8_t *)s->memory + rounded(sizeof(foi_group_memory)) + 2 * numbers(g->y_count) +
           before * image_size(g);
}

static double *inputs_of_step(const fo_fmu_group *g, const fo_state *s)
{
    return (double *)(void *)(image_of(g, s, true) + image_size(g));
}

size_t foi_group_memory_size(const fo_fmu_group *g)
{
    size_t inputs = g->free_count + g->outside_count;
    return rounded(sizeof(foi_group_memory)) + 2 * numbers(g->y_count) +
           (g->lasting ? 2 * image_size(g) + numbers(inputs) : 0);
}

const char *foi_group_no_snapshot(fo_fmu_group *g)
{
    g->lasting = true;
    for (uint32_t k = 0; k < g->count; k++) {
        const fo_fmu *f = g->units[k];
        g->rooms[k] = f->unit.cosimulation ? f->room : foi_group_carried_room(g, k);
        if (g->rooms[k]) continue;
        const char *why =
            foi_arena_print(&g->plan.arena, "the FMU '%s' cannot serialize its state%s",
                            g->plan.parts[k].name, f->unit.state ? " in the room there is" : "");
        g->lasting = false;
        return why ? why : "an FMU of the group cannot serialize its state";
    }
    return NULL;
}

// -------------------------------------------------------------------------------- out and in again

static fo_status write_unit(fo_fmu_group *g, fo_state *s, uint32_t k, mover *m, bool *whole)
{
    foi_unit *u = &g->units[k]->unit;
    fo_status status = foi_unit_ask(u, FOI_UNIT_SAVE, s->message);
    if (status == FO_RETRY)
        status = fo_refuse(s, "%s: the FMU %s discarded the call for its state (fmiDiscard)",
                           g->plan.file, g->plan.parts[k].name);
    if (status != FO_OK) return status;
    size_t size = *(volatile size_t *)&u->block->state_size; // read once: what is checked is taken
    *whole = size <= g->rooms[k] && size <= FOI_UNIT_STATE_ROOM;
    if (!*whole) return FO_OK;
    move(m, &size, sizeof size);
    memcpy(m->at, u->state, size);
    return FO_OK;
}

static fo_status write_carried(fo_fmu_group *g, fo_state *s, uint32_t k, mover *m, bool *whole)
{
    foi_bytes b = {.allocator = g->allocator};
    fo_status status = foi_group_write_carried(g, k, &b, s->message);
    *whole = b.count <= g->rooms[k];
    if (status == FO_OK && *whole) {
        move(m, &b.count, sizeof b.count);
        memcpy(m->at, b.list, b.count);
    }
    foi_bytes_free(&b);
    return status;
}

// *whole: every unit's state had room.
static fo_status write_image(fo_fmu_group *g, fo_state *s, uint8_t *to, bool *whole)
{
    mover m = {to, true};
    *whole = true;
    move_master(g, &m);
    for (uint32_t k = 0; k < g->count; k++) {
        foi_unit *u = &g->units[k]->unit;
        move_numbers(&m, u->known_u, u->u.values);
        move_numbers(&m, u->known_p, u->p.values);
        fo_status status =
            u->cosimulation ? write_unit(g, s, k, &m, whole) : write_carried(g, s, k, &m, whole);
        if (status != FO_OK || !*whole) return status;
        m.at += rounded(g->rooms[k]);
    }
    return FO_OK;
}

static fo_status read_unit(fo_fmu_group *g, fo_state *s, uint32_t k, uint8_t *known,
                           const uint8_t *bytes, size_t size)
{
    foi_unit *u = &g->units[k]->unit;
    if (!u->cosimulation) {
        fo_message why = {0};
        if (foi_group_read_carried(g, k, bytes, size, &why) == FO_OK) return FO_OK;
        return fo_refuse(s, "%s: the FMU %s cannot be put back: %.300s", g->plan.file,
                         g->plan.parts[k].name, why.text);
    }
    u->block->state_size = size;
    memcpy(u->state, bytes, size);
    fo_status status = foi_unit_ask(u, FOI_UNIT_RESTORE, s->message);
    mover back = {known, false}; // what it has now is what it had then
    move_numbers(&back, u->known_u, u->u.values);
    move_numbers(&back, u->known_p, u->p.values);
    return status;
}

static fo_status read_image(fo_fmu_group *g, fo_state *s, uint8_t *from)
{
    mover m = {from, false};
    fo_status status = FO_OK;
    g->generation = 0;
    move_master(g, &m);
    for (uint32_t k = 0; k < g->count && status == FO_OK; k++) {
        const foi_unit *u = &g->units[k]->unit;
        uint8_t *known = m.at;
        size_t size = 0;
        m.at += numbers(u->u.values) + numbers(u->p.values);
        move(&m, &size, sizeof size);
        if (size > g->rooms[k])
            return fo_refuse(s, "%s: what was saved of the FMU %s is not a state of it",
                             g->plan.file, g->plan.parts[k].name);
        status = read_unit(g, s, k, known, m.at, size);
        m.at += rounded(g->rooms[k]);
    }
    return status;
}

// --------------------------------------------------------------------------------- generations

fo_status foi_group_renew(fo_fmu_group *g, fo_state *s)
{
    foi_group_memory *m = s->memory;
    m->generation = g->generation = ++g->latest & ~FOI_FMU_OF_BYTES;
    m->stopped = g->stopped, m->reached = g->t;
    m->whole = false;
    if (g->y_count) memcpy(outputs_of(g, s, false), g->y, g->y_count * sizeof *g->y);
    if (!g->lasting || g->stopped) return FO_OK;
    uint8_t *image = image_of(g, s, false);
    memset(image, 0, image_size(g));
    fo_status status = write_image(g, s, image, &m->whole);
    if (status == FO_OK && m->whole)
        m->generation = g->generation = foi_hash_of(image, image_size(g), 0) | FOI_FMU_OF_BYTES;
    return status;
}

fo_status foi_group_begin(fo_fmu_group *g, fo_state *s)
{
    memset(s->memory, 0, sizeof(foi_group_memory));
    return foi_group_renew(g, s);
}

fo_status foi_group_take(fo_fmu_group *g, fo_state *s)
{
    const foi_group_memory *m = s->memory;
    if (m->generation == g->generation && g->generation) return FO_OK;
    if (!m->whole)
        return fo_refuse(
            s, "%s: the FMUs were advanced by another simulation and cannot be restored: %s",
            g->plan.file,
            g->lasting ? "the state of one of them has grown too large to be kept"
                       : g->type.no_snapshot);
    fo_status status = read_image(g, s, image_of(g, s, false));
    if (status != FO_OK) return status;
    g->generation = m->generation;
    return FO_OK;
}

void foi_group_keep_before(fo_fmu_group *g, fo_state *s, double t)
{
    foi_group_memory *m = s->memory;
    m->before = t, m->whole_before = m->whole;
    memcpy(outputs_of(g, s, true), outputs_of(g, s, false), numbers(g->y_count));
    if (!m->whole) return;
    memcpy(image_of(g, s, true), image_of(g, s, false), image_size(g));
    size_t inputs = g->free_count + g->outside_count;
    if (inputs) memcpy(inputs_of_step(g, s), s->u, inputs * sizeof(double));
}

// Something from outside has cut the last step: the units go back to where that began, and come up
// to t with the inputs that they had.
fo_status foi_group_step_back(fo_fmu_group *g, fo_state *s, double t)
{
    foi_group_memory *m = s->memory;
    if (!m->whole_before || t < m->before)
        return fo_refuse(s,
                         "%s: t = %.17g is not a communication point, and the FMUs' states at "
                         "%.17g cannot be restored",
                         g->plan.file, t, g->t);
    fo_status status = read_image(g, s, image_of(g, s, true));
    if (status != FO_OK || t == m->before) return status;
    // the state is lent the inputs of the step
    double *now = s->u;
    s->u = inputs_of_step(g, s);
    status = foi_group_advance(g, s, m->before, t - m->before);
    s->u = now;
    return status;
}

double foi_group_end_of(const fo_state *s)
{
    const foi_group_memory *m = s->memory;
    return m->stopped ? m->reached : INFINITY;
}

const double *foi_group_outputs(const fo_fmu_group *g, const fo_state *s, double t)
{
    const foi_group_memory *m = s->memory;
    return outputs_of(g, s, t < m->reached - 8 * (nextafter(fabs(t), INFINITY) - fabs(t)));
}
