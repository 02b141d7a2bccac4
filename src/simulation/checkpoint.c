/// Checkpoints: the file, the facts that must agree, and the parts of the simulation.
///
///     "foliot-run-2" | "defn", "fact" (count, then name and value of each; the library's and the
///     caller's) | parts (checkpoint_parts.c)
#include <foliot/checkpoint.h>
#include <foliot/version.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/hash.h"
#include "simulation/checkpoint.h"

static const char name_of_file[] = "foliot-run-2";

struct fo_checkpoint {
    const fo_allocator *allocator;
    char *path; ///< for messages
    unsigned char *bytes;
    size_t count;
};

// ----------------------------------------------------------------------------------------- facts

enum { OWN_FACTS = 22, VALUE = 40 };

/// What the library itself wants to be the same.
typedef struct own_facts {
    fo_fact list[OWN_FACTS];
    char values[OWN_FACTS][VALUE];
    size_t count;
} own_facts;

static char *add(own_facts *f, const char *name)
{
    f->list[f->count] = (fo_fact){name, f->values[f->count]};
    return f->values[f->count++];
}

static void add_number(own_facts *f, const char *name, double value)
{
    foi_number_text(value, add(f, name));
}

static void add_count(own_facts *f, const char *name, uint64_t value)
{
    snprintf(add(f, name), VALUE, "%" PRIu64, value);
}

static void hash_names(foi_hash *h, const fo_variables *v)
{
    foi_hash_add(h, &v->count, sizeof v->count);
    for (uint32_t i = 0; i < v->count; i++)
        if (v->list[i].name) foi_hash_add(h, v->list[i].name, strlen(v->list[i].name) + 1);
}

static uint64_t names_hash(const fo_description *about)
{
    foi_hash h;
    foi_hash_begin(&h, 0);
    hash_names(&h, &about->states);
    hash_names(&h, &about->discretes);
    hash_names(&h, &about->inputs);
    hash_names(&h, &about->outputs);
    hash_names(&h, &about->parameters);
    for (uint32_t i = 0; i < about->guards.count; i++)
        if (about->guards.list[i].name)
            foi_hash_add(&h, about->guards.list[i].name, strlen(about->guards.list[i].name) + 1);
    return foi_hash_end(&h);
}

static uint64_t hash_values(uint64_t seed, const double *list, uint32_t count)
{
    return foi_hash_of(list, count * sizeof *list, seed);
}

foi_begun foi_begun_of(const fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    uint64_t values = hash_values(1, s->x, s->shape.states);
    values = hash_values(values, s->d, s->shape.discretes);
    return (foi_begun){hash_values(1, s->p, s->shape.parameters),
                       hash_values(values, s->u, s->shape.inputs)};
}

// The stop is one of them: a solver never looks beyond it, so that its last steps depend on it.
static void collect(own_facts *f, const fo_simulation *sim)
{
    const fo_run_def *d = &sim->def;
    f->count = 0;
    snprintf(add(f, "foliot"), VALUE, "%s", FO_VERSION);
    snprintf(add(f, "numbers"), VALUE, "%zu bytes of an address", sizeof(void *));
    snprintf(add(f, "hash of the names"), VALUE, "%016" PRIx64, names_hash(sim->system.about));
    add_number(f, "start", d->start);
    add_number(f, "stop", d->stop);
    add_number(f, "scale", d->scale);
    add_number(f, "step", d->step);
    add_number(f, "rtol", d->rtol);
    add_number(f, "atol", d->atol);
    add_number(f, "first step", d->first_step);
    add_number(f, "max step", d->max_step);
    add_number(f, "min step", d->min_step);
    add_count(f, "substeps", d->substeps);
    add_number(f, "epsilon", d->epsilon);
    add_count(f, "max jumps", d->max_jumps);
    add_number(f, "zeno", d->zeno);
    add_count(f, "no rest", d->no_rest);
    add_count(f, "seed", d->seed);
    foi_begun begun = sim->phase == FOI_NEW ? foi_begun_of(sim) : sim->begun;
    snprintf(add(f, "parameters with the hash"), VALUE, "%016" PRIx64, begun.parameters);
    snprintf(add(f, "start values with the hash"), VALUE, "%016" PRIx64, begun.values);
}

static const char *find_fact(const fo_checkpoint *c, const char tag[4], const char *name)
{
    foi_slice in = foi_blocks_find(c->bytes, c->count, tag);
    uint32_t count = foi_take_u32(&in);
    for (uint32_t i = 0; i < count && !in.failed; i++) {
        const char *its = foi_take_text(&in), *value = foi_take_text(&in);
        if (!in.failed && strcmp(its, name) == 0) return value;
    }
    return NULL;
}

static fo_status compare(const fo_checkpoint *c, const char tag[4], const fo_fact *f,
                         fo_message *why)
{
    const char *saved = find_fact(c, tag, f->name), *here = f->value ? f->value : "";
    if (saved && strcmp(saved, here) == 0) return FO_OK;
    if (!saved)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' was saved without %s, this run has %s = %s",
                       c->path, f->name, f->name, here);
    return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' was saved with %s = %s, this run has %s = %s",
                   c->path, f->name, saved, f->name, here);
}

static fo_status compare_all(const fo_checkpoint *c, const fo_simulation *sim, const fo_fact *facts,
                             size_t count, fo_message *why)
{
    own_facts own;
    fo_status status = compare(c, "defn", &(fo_fact){"model", sim->system.about->name}, why);
    const char *solver = sim->def.solver ? sim->def.solver : "chosen";
    for (size_t i = 0; i < count && status == FO_OK; i++)
        status = compare(c, "fact", &facts[i], why);
    if (status == FO_OK) status = compare(c, "defn", &(fo_fact){"solver", solver}, why);
    collect(&own, sim);
    for (size_t i = 0; i < own.count && status == FO_OK; i++)
        status = compare(c, "defn", &own.list[i], why);
    return status;
}

// ----------------------------------------------------------------------------------------- saving

static void put_fact(foi_bytes *b, const char *name, const char *value)
{
    foi_put_text(b, name);
    foi_put_text(b, value);
}

static void put_facts(foi_bytes *b, const fo_simulation *sim, const fo_fact *facts, size_t count)
{
    own_facts own;
    collect(&own, sim);
    foi_bytes_block(b, "defn");
    foi_put_u32(b, (uint32_t)own.count + 2);
    put_fact(b, "model", sim->system.about->name);
    put_fact(b, "solver", sim->def.solver ? sim->def.solver : "chosen");
    for (size_t i = 0; i < own.count; i++) put_fact(b, own.list[i].name, own.list[i].value);
    foi_bytes_block_end(b);
    foi_bytes_block(b, "fact");
    foi_put_u32(b, (uint32_t)count);
    for (size_t i = 0; i < count; i++) put_fact(b, facts[i].name, facts[i].value);
    foi_bytes_block_end(b);
}

static fo_status check_saving(const fo_simulation *sim, fo_message *why)
{
    const char *reason = sim->system.type->no_snapshot;
    fo_shape shape = fo_system_shape(sim->system);
    if (!reason && !foi_shape_equal(&shape, &sim->state.s.shape))
        reason = "it has another number of states or guards than at its start";
    if (reason)
        return fo_fail(why, FO_ERROR_UNFIT, "'%s' has no checkpoints: %s", sim->system.about->name,
                       reason);
    if (sim->phase == FOI_RUNNING || sim->phase == FOI_STOPPED) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "a run that %s has no checkpoint",
                   sim->phase == FOI_NEW ? "was not started" : "has failed");
}

fo_status fo_simulation_save(fo_simulation *sim, const char *path, const fo_fact *facts,
                             size_t count, fo_message *why)
{
    fo_status status = check_saving(sim, why);
    // a run that goes on shows what comes after it: what was before must be kept
    if (status == FO_OK) status = foi_rows_keep(sim, why);
    if (status != FO_OK) return status;
    foi_bytes b = {.allocator = sim->allocator};
    foi_mover out = {.out = &b};
    foi_bytes_begin(&b, name_of_file);
    put_facts(&b, sim, facts, count);
    for (const foi_part *p = foi_parts; p->tag; p++) {
        foi_bytes_block(&b, p->tag);
        p->move(&out, sim);
        foi_bytes_block_end(&b);
    }
    foi_bytes_end(&b);
    status = b.failed ? fo_fail(why, FO_ERROR_MEMORY, "no memory for the checkpoint '%s'", path)
                      : foi_file_save(path, b.list, b.count, sim->allocator, why);
    foi_bytes_free(&b);
    return status;
}

// ---------------------------------------------------------------------------------------- loading

fo_checkpoint *fo_checkpoint_open(const char *path, const fo_allocator *allocator, fo_message *why)
{
    fo_checkpoint *c = foi_new(allocator, 1, sizeof *c);
    char *own = foi_copy_text(allocator, path);
    fo_status status = FO_OK;
    if (!c || !own)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the checkpoint '%s'", path);
    if (status == FO_OK) {
        *c = (fo_checkpoint){.allocator = allocator, .path = own};
        status = foi_file_load(path, allocator, &c->bytes, &c->count, why);
        if (status == FO_OK) status = foi_blocks_check(c->bytes, c->count, name_of_file, path, why);
        if (status == FO_OK) return c;
        fo_checkpoint_close(c);
        return NULL;
    }
    foi_free(allocator, own);
    foi_free(allocator, c);
    return NULL;
}

void fo_checkpoint_close(fo_checkpoint *c)
{
    if (!c) return;
    foi_free(c->allocator, c->bytes);
    foi_free(c->allocator, c->path);
    foi_free(c->allocator, c);
}

const char *fo_checkpoint_fact(const fo_checkpoint *c, const char *name)
{
    return find_fact(c, "fact", name);
}

static fo_status load_part(fo_simulation *sim, const fo_checkpoint *c, const foi_part *p,
                           fo_message *why)
{
    foi_slice in = foi_blocks_find(c->bytes, c->count, p->tag);
    foi_mover m = {.in = &in};
    if (!in.failed) p->move(&m, sim);
    if (!in.failed && foi_slice_left(&in)) foi_slice_fail(&in, "it is too long");
    if (!in.failed) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "cannot restart from '%s': block '%s': %s", c->path,
                   p->tag, in.wrong);
}

fo_status fo_simulation_load(fo_simulation *sim, const fo_checkpoint *c, const fo_fact *facts,
                             size_t count, fo_message *why)
{
    if (sim->phase != FOI_NEW)
        return fo_fail(why, FO_ERROR_ARGUMENT, "only a run that was not started can go on");
    if (sim->system.type->no_snapshot)
        return fo_fail(why, FO_ERROR_UNFIT, "'%s' has no checkpoints: %s", sim->system.about->name,
                       sim->system.type->no_snapshot);
    fo_status status = compare_all(c, sim, facts, count, why);
    if (status != FO_OK) return status;
    sim->begun = foi_begun_of(sim);
    for (const foi_part *p = foi_parts; p->tag && status == FO_OK; p++)
        status = load_part(sim, c, p, why);
    if (status == FO_OK) status = foi_parts_settle(sim, c->path, why);
    if (status == FO_OK) return FO_OK;
    sim->phase = FOI_FAILED;
    return fo_fail(&sim->message, status, "cannot restart from '%s'", c->path);
}

fo_status fo_fact_of_file(const char *path, char value[FO_FACT_OF_FILE], fo_message *why)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    fo_status status = foi_file_load(path, NULL, &bytes, &count, why);
    if (status != FO_OK) return status;
    snprintf(value, FO_FACT_OF_FILE, "%016" PRIx64 " (%zu bytes)", foi_hash_of(bytes, count, 0),
             count);
    foi_free(NULL, bytes);
    return FO_OK;
}
