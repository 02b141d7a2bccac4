// Sweeps: one model with many numbers.
#include <foliot/ensemble.h>
#include <foliot/threads.h>
#include <math.h>
#include <string.h>

#include "analysis/design.h"
#include "analysis/reuse.h"
#include "analysis/trial.h"
#include "base/memory.h"

struct fo_parameter_sweep {
    fo_parameter_sweep_def def;
    foi_trial experiment;
    foi_measures measures;
    foi_range *ranges;
    size_t range_count;
    uint64_t count;
    foi_lanes *lanes;
    uint64_t from; ///< with lanes: the first run of fo_parameter_sweep_run
    bool *sampled; ///< per measure: in some run it was seen by samples only
    const fo_allocator *allocator;
};

fo_parameter_sweep_def fo_default_parameter_sweep_def(void)
{
    return (fo_parameter_sweep_def){
        .experiment = fo_default_experiment_def(), .seed = 1, .threads = fo_cores()};
}

// --------------------------------------------------------------------------------------- creating

static fo_status read_ranges(fo_parameter_sweep *s, fo_message *why)
{
    s->ranges = foi_new(s->allocator, s->def.vary_count, sizeof *s->ranges);
    if (!s->ranges) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep");
    for (size_t i = 0; i < s->def.vary_count; i++) {
        fo_status status = foi_range_read(&s->ranges[i], s->def.vary[i], s->allocator, why);
        if (status != FO_OK) return status;
        s->range_count++;
    }
    return FO_OK;
}

static fo_status count_grid(fo_parameter_sweep *s, fo_message *why)
{
    s->count = 1;
    for (size_t i = 0; i < s->range_count; i++) {
        const foi_range *r = &s->ranges[i];
        if (!r->count)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "a grid needs values: %s=FIRST:LAST:COUNT or a list; ranges and "
                           "distributions are for samples",
                           r->name);
        if (__builtin_mul_overflow(s->count, r->count, &s->count) || s->count >> 48)
            return fo_fail(why, FO_ERROR_ARGUMENT, "the grid has too many points");
    }
    return FO_OK;
}

static fo_status count_samples(fo_parameter_sweep *s, fo_message *why)
{
    s->count = s->def.samples;
    if (s->count == 0 || s->count >> 32)
        return fo_fail(why, FO_ERROR_ARGUMENT, "expected from 1 to 4294967295 samples, found %llu",
                       (unsigned long long)s->count);
    if (s->def.design == FO_DESIGN_SOBOL && s->range_count > FOI_SOBOL_DIMENSIONS)
        return fo_fail(why, FO_ERROR_ARGUMENT, "Sobol's sequence supports up to %d ranges, not %zu",
                       (int)FOI_SOBOL_DIMENSIONS, s->range_count);
    return FO_OK;
}

static fo_status open_experiment(fo_parameter_sweep *s, fo_message *why)
{
    const char **names = foi_new(s->allocator, s->range_count, sizeof *names);
    if (!names) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep");
    for (size_t i = 0; i < s->range_count; i++) names[i] = s->ranges[i].name;
    fo_status status =
        foi_trial_open(&s->experiment, &s->def.experiment, names, s->range_count, why);
    foi_free(s->allocator, names);
    s->experiment.cancelled = s->def.cancelled, s->experiment.self = s->def.self;
    return status;
}

static fo_status make_lanes(fo_parameter_sweep *s, fo_message *why)
{
    if (s->experiment.reopen)
        return fo_fail(
            why, FO_ERROR_UNFIT,
            "SIMD lanes cannot vary structural parameters: the model would be opened anew "
            "for every run");
    s->lanes = foi_lanes_create(fo_model_system(s->experiment.model), s->def.lanes, NULL,
                                s->allocator, why);
    s->experiment.lanes = s->lanes;
    return s->lanes ? FO_OK : why->status;
}

static fo_status prepare(fo_parameter_sweep *s, fo_message *why)
{
    fo_status status = read_ranges(s, why);
    if (status == FO_OK)
        status = s->def.design == FO_DESIGN_GRID ? count_grid(s, why) : count_samples(s, why);
    if (status == FO_OK) status = open_experiment(s, why);
    if (status == FO_OK)
        status = foi_measures_read(&s->measures, fo_model_system(s->experiment.model),
                                   s->def.measures, s->def.measure_count, s->allocator, why);
    if (status == FO_OK) {
        s->sampled = foi_new(s->allocator, s->measures.count, sizeof *s->sampled);
        if (!s->sampled) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep");
    }
    if (status == FO_OK && s->def.lanes > 1) status = make_lanes(s, why);
    if (status == FO_OK) s->experiment.reuse = foi_reuse_create(&s->experiment, &s->measures);
    return status;
}

fo_parameter_sweep *fo_parameter_sweep_create(const fo_parameter_sweep_def *def, fo_message *why)
{
    const fo_allocator *a = def->experiment.model.allocator;
    fo_parameter_sweep *s = foi_new(a, 1, sizeof *s);
    if (!s) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a sweep");
        return NULL;
    }
    s->def = *def, s->allocator = a;
    if (prepare(s, why) == FO_OK) return s;
    fo_parameter_sweep_destroy(s);
    return NULL;
}

void fo_parameter_sweep_destroy(fo_parameter_sweep *s)
{
    if (!s) return;
    foi_reuse_destroy(s->experiment.reuse);
    foi_measures_destroy(&s->measures);
    foi_lanes_destroy(s->lanes);
    foi_trial_close(&s->experiment);
    for (size_t i = 0; i < s->range_count; i++) foi_range_destroy(&s->ranges[i]);
    foi_free(s->allocator, s->ranges);
    foi_free(s->allocator, s->sampled);
    foi_free(s->allocator, s);
}

uint64_t fo_parameter_sweep_count(const fo_parameter_sweep *sweep)
{
    return sweep->count;
}

const char *fo_parameter_sweep_name(const fo_parameter_sweep *sweep, size_t index)
{
    return index < sweep->range_count ? sweep->experiment.names[index] : NULL;
}

bool fo_parameter_sweep_is_sampled(const fo_parameter_sweep *sweep, size_t measure)
{
    return measure < sweep->measures.count && sweep->sampled[measure];
}

void fo_parameter_sweep_point(const fo_parameter_sweep *s, uint64_t number, double *values)
{
    uint64_t rest = number;
    for (size_t i = s->range_count; i-- > 0;) {
        const foi_range *r = &s->ranges[i];
        if (s->def.design == FO_DESIGN_GRID) {
            values[i] = foi_range_line(r, rest % r->count);
            rest /= r->count;
        } else {
            values[i] = foi_range_quantile(
                r, foi_design_unit(s->def.design, s->def.seed, number, s->count, (uint32_t)i));
        }
    }
}

// ---------------------------------------------------------------------------------------- running

/// What one run leaves: the point, the measures, and why it failed or some of these are not known.
typedef struct outcome {
    fo_status status;
    char reason[FO_MESSAGE_SIZE];
    double numbers[]; ///< of the point, then the measures; then which of these rest on samples
} outcome;

static bool *sampled_in(const fo_parameter_sweep *s, outcome *o)
{
    return (bool *)(void *)(o->numbers + s->range_count + s->measures.count);
}

// What went wrong with a trace beyond the run itself, whose reason is in its row.
static bool ends_the_sweep(fo_status status)
{
    return status == FO_ERROR_CANCELLED || status == FO_ERROR_INPUT || status == FO_ERROR_MEMORY;
}

// Once more, with somebody who watches. A run that fails is seen as far as it came; the reason is
// in its row.
static fo_status trace(const fo_parameter_sweep *s, const double *numbers, uint64_t number,
                       fo_message *why)
{
    foi_trial alone = s->experiment;
    fo_observer observer = {0};
    fo_message ignored = {0};
    fo_run_def run;
    fo_model *again;
    alone.lanes = NULL, alone.reuse = NULL;
    fo_status status =
        s->def.trace(s->def.self, number, fo_model_system(alone.model), &observer, why);
    if (status != FO_OK) return status;
    run = fo_model_run_def(alone.model);
    double stop = foi_trial_stop(&alone, &run);
    if (isnan(observer.interval)) observer.interval = (stop - run.start) / 500;
    fo_simulation *sim =
        foi_trial_simulation(&alone, numbers, number, &observer, 1, &run, &again, &ignored);
    if (sim) {
        const fo_shape here = fo_simulation_state(sim)->shape;
        const fo_shape usual = fo_system_shape(fo_model_system(alone.model));
        if (here.states != usual.states || here.outputs != usual.outputs)
            status = fo_fail(why, FO_ERROR_UNFIT,
                             "traces need runs with the same signals, and their number varies");
        else
            foi_trial_advance(&alone, sim, run.stop);
        const fo_message *said = fo_simulation_message(sim);
        if (status == FO_OK && ends_the_sweep(said->status)) status = said->status, *why = *said;
        fo_simulation_destroy(sim);
        fo_model_close(again);
    } else if (ends_the_sweep(ignored.status)) {
        status = ignored.status, *why = ignored;
    }
    fo_status closed =
        s->def.traced(s->def.self, number, &observer, status == FO_OK ? why : &ignored);
    return status == FO_OK ? closed : status;
}

// Only what concerns all runs ends the sweep.
static fo_status run_one(void *context, const fo_replication *replication, void *result,
                         fo_message *why)
{
    const fo_parameter_sweep *s = context;
    outcome *o = result;
    double *measures = o->numbers + s->range_count;
    fo_message reason = {0};
    fo_parameter_sweep_point(s, replication->number, o->numbers);
    memset(sampled_in(s, o), 0, s->measures.count * sizeof(bool));
    o->status = foi_trial_measure_noting(&s->experiment, &s->measures, o->numbers,
                                         replication->number, measures, sampled_in(s, o), &reason);
    if (o->status == FO_ERROR_MEMORY || o->status == FO_ERROR_CANCELLED) {
        *why = reason;
        return o->status;
    }
    for (size_t i = 0; i < s->measures.count && o->status != FO_OK; i++) measures[i] = NAN;
    memcpy(o->reason, reason.text, sizeof o->reason);
    return s->def.trace ? trace(s, o->numbers, replication->number, why) : FO_OK;
}

static fo_status tell(void *context, const fo_replication *replication, void *result,
                      fo_message *why)
{
    const fo_parameter_sweep *s = context;
    outcome *o = result;
    for (size_t i = 0; i < s->measures.count; i++) s->sampled[i] |= sampled_in(s, o)[i];
    fo_parameter_sweep_row row = {replication->number, o->numbers, o->numbers + s->range_count,
                                  o->status, o->reason};
    return s->def.row ? s->def.row(s->def.self, &row, why) : FO_OK;
}

// With lanes a replication is a block of runs, which one thread does together. At the end of a
// block lanes stand still, one after the other: where there are many runs blocks are longer.
enum { SHORTEST_BLOCK = 64, LONGEST_BLOCK = 256, BLOCKS = 256 };

static uint64_t block_of(const fo_parameter_sweep *s)
{
    uint64_t block = s->count / BLOCKS;
    if (block < SHORTEST_BLOCK) block = SHORTEST_BLOCK;
    return block < LONGEST_BLOCK ? block : LONGEST_BLOCK;
}

static size_t outcome_size(const fo_parameter_sweep *s)
{
    size_t size = sizeof(outcome) + (s->range_count + s->measures.count) * sizeof(double);
    size += s->measures.count * sizeof(bool);
    return (size + 15) / 16 * 16;
}

typedef struct block {
    const fo_parameter_sweep *s;
    uint64_t first; ///< number of its first run
    char *results;
    fo_status status;
    fo_message why;
} block;

static void run_in_block(void *context, uint64_t i)
{
    block *b = context;
    const fo_replication replication = {.number = b->first + i};
    if (b->status != FO_OK) return;
    b->status = run_one((void *)(uintptr_t)b->s, &replication, b->results + i * outcome_size(b->s),
                        &b->why);
}

static uint64_t block_count(const fo_parameter_sweep *s, uint64_t first)
{
    uint64_t most = block_of(s);
    return s->count - first < most ? s->count - first : most;
}

static fo_status run_block(void *context, const fo_replication *replication, void *result,
                           fo_message *why)
{
    const fo_parameter_sweep *s = context;
    block b = {s, s->from + replication->number * block_of(s), result, FO_OK, {0}};
    fo_status status = foi_lanes_run(s->lanes, block_count(s, b.first), run_in_block, &b, why);
    if (status == FO_OK && b.status != FO_OK) *why = b.why;
    return status == FO_OK ? b.status : status;
}

static fo_status tell_block(void *context, const fo_replication *replication, void *result,
                            fo_message *why)
{
    const fo_parameter_sweep *s = context;
    uint64_t first = s->from + replication->number * block_of(s);
    for (uint64_t i = 0; i < block_count(s, first); i++) {
        const fo_replication one = {.number = first + i};
        fo_status status = tell(context, &one, (char *)result + i * outcome_size(s), why);
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

static bool progress_of_blocks(void *context, uint64_t done, uint64_t count)
{
    const fo_parameter_sweep *s = context;
    uint64_t runs = s->from + done * block_of(s);
    (void)count;
    if (runs > s->count) runs = s->count;
    return s->def.progress ? s->def.progress(s->def.self, runs, s->count) : true;
}

static bool progress(void *context, uint64_t done, uint64_t count)
{
    const fo_parameter_sweep *s = context;
    return s->def.progress ? s->def.progress(s->def.self, s->count - count + done, s->count) : true;
}

fo_status fo_parameter_sweep_run(fo_parameter_sweep *s, uint64_t first, fo_message *why)
{
    if (first > s->count)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the sweep has %llu runs, and it cannot begin after %llu",
                       (unsigned long long)s->count, (unsigned long long)first);
    fo_replicate_def def = fo_default_replicate_def();
    def.count = s->count - first, def.first = first;
    def.threads = s->def.threads, def.ranks = s->def.ranks;
    def.run = run_one, def.merge = tell, def.progress = progress;
    def.result_size = outcome_size(s);
    if (s->lanes) {
        s->from = first;
        uint64_t runs = block_of(s);
        def.first = 0, def.count = (s->count - first + runs - 1) / runs;
        def.run = run_block, def.merge = tell_block, def.progress = progress_of_blocks;
        def.result_size *= runs;
    }
    def.context = s;
    def.allocator = s->allocator;
    return fo_replicate(&def, why);
}
