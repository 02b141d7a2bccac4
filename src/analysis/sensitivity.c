// What measures depend on: derivatives from the equations, or by runs with changed numbers.
#include <foliot/ensemble.h>
#include <foliot/threads.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/differences.h"
#include "analysis/sensitivity.h"
#include "analysis/slopes.h"
#include "base/memory.h"
#include "math/math.h"

fo_sensitivity_def fo_default_sensitivity_def(void)
{
    return (fo_sensitivity_def){
        .experiment = fo_default_experiment_def(), .seed = 1, .threads = fo_cores()};
}

static fo_status open_all(foi_sensitivity *s, fo_message *why)
{
    const fo_sensitivity_def *def = s->def;
    const char **names = foi_new(s->allocator, s->n + 1, sizeof *names);
    s->ranges = foi_new(s->allocator, s->n + 1, sizeof *s->ranges);
    fo_status status =
        names && s->ranges ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    for (size_t i = 0; i < s->n && status == FO_OK; i++) {
        names[i] = def->to[i];
        if (!def->samples && !def->trajectories) continue;
        status = foi_range_read(&s->ranges[i], def->to[i], s->allocator, why);
        if (status == FO_OK) s->range_count++, names[i] = s->ranges[i].name;
    }
    fo_experiment_def e = def->experiment;
    if (e.rtol == 0) e.rtol = 1e-10;
    if (e.atol == 0) e.atol = 1e-12;
    if (status == FO_OK) status = foi_trial_open(&s->experiment, &e, names, s->n, why);
    s->experiment.cancelled = def->cancelled, s->experiment.self = def->self;
    if (status == FO_OK)
        status = foi_measures_read(&s->measures, fo_model_system(s->experiment.model),
                                   def->measures, s->m, s->allocator, why);
    foi_free(s->allocator, names);
    return status;
}

// ------------------------------------------------------------------------------------- derivatives

enum { LEVELS = FOI_LEVELS_OF_STEPS };

// Run number 0 is the point itself; then for every number and level one above and one below.
static fo_status run_changed(void *context, const fo_replication *replication, void *result,
                             fo_message *why)
{
    const foi_sensitivity *s = context;
    double *p = foi_new(NULL, s->n, sizeof *p);
    if (!p) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a run");
    for (size_t i = 0; i < s->n; i++) p[i] = foi_trial_default(&s->experiment, i);
    if (replication->number > 0) {
        uint64_t k = replication->number - 1;
        size_t which = k / (2 * LEVELS);
        double size = p[which] != 0 ? fabs(p[which]) : 1;
        double h = ldexp(0.02 * size, -(int)(k / 2 % LEVELS));
        p[which] += k % 2 ? -h : h;
    }
    fo_status status = foi_trial_measure(&s->experiment, &s->measures, p, 0, result, why);
    foi_free(NULL, p);
    return status;
}

static fo_status keep_result(void *context, const fo_replication *replication, void *result,
                             fo_message *why)
{
    foi_sensitivity *s = context;
    (void)why;
    memcpy(s->work + replication->number * s->m, result, s->m * sizeof(double));
    return FO_OK;
}

// How well a measure of a run is known: as its states are, or as the samples between steps show it.
static double noise_of(const foi_sensitivity *s, double size)
{
    double part = 1e2 * s->experiment.def.rtol;
    for (size_t i = 0; i < s->measures.reducer_count; i++)
        if (s->measures.reducers[i].kind < FOI_REDUCE_INITIAL)
            part =
                foi_fmax(part, s->experiment.def.accuracy > 0 ? s->experiment.def.accuracy : 1e-5);
    return part * size;
}

static void tell_unsettled(foi_sensitivity *s, size_t measure, size_t number, foi_sides sides,
                           double gap, fo_message *why)
{
    const char *what = s->def->measures[measure], *by = s->experiment.names[number];
    double p = foi_trial_default(&s->experiment, number);
    size_t at = s->m + measure * s->n + number;
    if (sides == FOI_SIDES_KINK)
        fo_fail(why, FO_ERROR_CONVERGE,
                "'%s' has a kink at %s = %.6g: its slopes on the two sides differ by %.4g", what,
                by, p, gap);
    else if (sides == FOI_SIDES_JUMP)
        fo_fail(why, FO_ERROR_CONVERGE,
                "'%s' jumps at %s = %.6g, by %.4g: events may meet there whose order it decides",
                what, by, p, gap);
    else
        fo_fail(why, FO_ERROR_CONVERGE,
                "the derivative of '%s' by %s does not converge (%.4g, changing by %.1g): an event "
                "may come or go with it, or the measure may not exist",
                what, by, s->numbers[at], s->numbers[at + s->m * s->n]);
}

static void settle(foi_sensitivity *s, size_t measure, size_t number, fo_message *why)
{
    double difference[LEVELS], above[LEVELS], below[LEVELS], value = NAN, error = NAN, gap;
    double p = foi_trial_default(&s->experiment, number), size = p != 0 ? fabs(p) : 1;
    double whole = s->work[measure], most = fabs(whole);
    for (int k = 0; k < LEVELS; k++) {
        const double *up = s->work + (1 + (number * LEVELS + (size_t)k) * 2) * s->m,
                     *down = up + s->m;
        above[k] = up[measure] - whole, below[k] = whole - down[measure];
        difference[k] = (up[measure] - down[measure]) / (2 * ldexp(0.02 * size, -k));
        most = foi_fmax(most, foi_fmax(fabs(up[measure]), fabs(down[measure])));
    }
    foi_extrapolate(difference, &value, &error);
    double noise = noise_of(s, most);
    foi_sides sides = foi_compare_sides(above, below, 0.02 * size, noise, &gap);
    // the shortest steps may see what longer ones have left behind on both sides
    double strays = fabs(difference[LEVELS - 1] - value);
    bool worse = strays > fabs(difference[0] - value);
    if (worse && strays > 4 * noise / ldexp(0.02 * size, 1 - LEVELS)) error = strays;
    if (sides == FOI_SIDES_AGREE) error = foi_fmax(error, 0.5 * gap);
    double *to = &s->numbers[s->m + measure * s->n + number], *to_error = to + s->m * s->n;
    *to = value, *to_error = error;
    // either the derivative is known, or it is small against what the measure is, or against what
    // the runs themselves leave open
    bool known = error <= 1e-2 * fabs(value) || error * size <= 1e-4 * fabs(whole) ||
                 error * size <= 10 * s->experiment.def.atol;
    if (known && sides == FOI_SIDES_AGREE) return;
    if (!known && sides == FOI_SIDES_JUMP) sides = FOI_SIDES_AGREE; // differences tell, too
    if (!s->is.unsettled++) tell_unsettled(s, measure, number, sides, gap, why);
    *to = NAN, *to_error = INFINITY;
}

// --------------------------------------------------------------------------------- from equations

// Two runs, one with a hundred times the tolerance: what their derivatives differ by is an
// estimate, on the safe side, of the error.
static void compare(foi_sensitivity *s, const foi_slopes *fine, const foi_slopes *coarse)
{
    size_t count = s->m * s->n;
    for (size_t i = 0; i < count; i++) {
        double value = fine->slopes[i], error = fabs(value - coarse->slopes[i]);
        double p = foi_trial_default(&s->experiment, i % s->n), size = p != 0 ? fabs(p) : 1;
        double whole = fabs(fine->values[i / s->n]);
        s->exact[i] =
            isfinite(value) && (error <= 1e-3 * fabs(value) || error * size <= 1e-6 * whole ||
                                error * size <= 10 * s->experiment.def.atol);
        if (!s->exact[i]) continue;
        s->numbers[s->m + i] = value, s->numbers[s->m + count + i] = error;
    }
}

static fo_status run_twice(foi_sensitivity *s, foi_slopes *fine, foi_slopes *coarse,
                           fo_message *why)
{
    foi_trial loose = s->experiment;
    double *p = foi_new(s->allocator, s->n + 1, sizeof *p);
    if (!p) return fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    for (size_t i = 0; i < s->n; i++) p[i] = foi_trial_default(&s->experiment, i);
    loose.def.rtol *= 100, loose.def.atol *= 100, loose.def.step *= 2;
    foi_slopes_way way = s->def->method == FO_SENSITIVITY_ADJOINT ? FOI_SLOPES_ADJOINT
                         : s->def->method == FO_SENSITIVITY_FORWARD
                             ? FOI_SLOPES_FORWARD
                             : foi_slopes_choose(&loose, &s->measures);
    s->is.adjoint = way == FOI_SLOPES_ADJOINT;
    fo_status status = foi_slopes_run(&s->experiment, &s->measures, p, way, fine, why);
    if (status == FO_OK) status = foi_slopes_run(&loose, &s->measures, p, way, coarse, why);
    foi_free(s->allocator, p);
    return status;
}

// What the equations do not give is left to differences, whatever the reason; `reason` has it.
static fo_status differentiate_equations(foi_sensitivity *s, fo_message *why)
{
    size_t all = s->m + s->m * s->n;
    const char *unfit = s->def->differences || s->def->method == FO_SENSITIVITY_DIFFERENCES
                            ? "finite differences were asked for"
                            : foi_slopes_unfit(&s->experiment);
    snprintf(s->reason, sizeof s->reason, "%s", unfit ? unfit : "");
    if (unfit) return FO_OK;
    double *room = foi_new(s->allocator, 2 * all, sizeof *room);
    if (!room) return fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    foi_slopes fine = {room, room + s->m, NULL, ""},
               coarse = {room + all, room + all + s->m, NULL, ""};
    fo_message failed = {0};
    fo_status status = run_twice(s, &fine, &coarse, &failed);
    s->varied = 2;
    if (status == FO_OK) compare(s, &fine, &coarse);
    const char *reason = status != FO_OK ? failed.text : fine.reason ? fine.reason : coarse.reason;
    snprintf(s->reason, sizeof s->reason, "%.250s",
             reason ? reason : "the measure has no rule for its derivative");
    foi_free(s->allocator, room);
    if (status != FO_ERROR_MEMORY && status != FO_ERROR_CANCELLED) return FO_OK;
    *why = failed;
    return status;
}

static bool all_exact(const foi_sensitivity *s)
{
    for (size_t i = 0; i < s->m * s->n; i++)
        if (!s->exact[i]) return false;
    return true;
}

static fo_status differentiate(foi_sensitivity *s, fo_replicate_def *runs, fo_message *why)
{
    size_t n = s->n, m = s->m;
    s->numbers = foi_new(s->allocator, m + 2 * m * n + n, sizeof *s->numbers);
    s->exact = foi_new(s->allocator, m * n, sizeof *s->exact);
    if (!s->numbers || !s->exact)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    fo_status status = differentiate_equations(s, why);
    if (status != FO_OK) return status;
    bool exact = all_exact(s);
    runs->count = exact ? 1 : 1 + 2 * LEVELS * n;
    s->work = foi_new(s->allocator, runs->count * m, sizeof *s->work);
    if (!s->work) return fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    runs->run = run_changed, runs->merge = keep_result, runs->result_size = m * sizeof(double);
    status = fo_replicate(runs, why);
    for (size_t i = 0; i < m && status == FO_OK; i++) {
        s->numbers[i] = s->work[i];
        for (size_t k = 0; k < n; k++)
            if (!s->exact[i * n + k]) settle(s, i, k, why);
    }
    s->is.values = s->numbers, s->is.derivatives = s->numbers + m;
    s->is.errors = s->is.derivatives + m * n;
    double *points = s->numbers + m + 2 * m * n;
    for (size_t k = 0; k < n; k++) points[k] = foi_trial_default(&s->experiment, k);
    s->is.points = points;
    s->is.exact = s->exact, s->is.reason = exact ? NULL : s->reason;
    return status;
}

// ----------------------------------------------------------------------------------- the interface

static bool pass_progress(void *context, uint64_t done, uint64_t count)
{
    const foi_sensitivity *s = context;
    return s->def->progress ? s->def->progress(s->def->self, done, count) : true;
}

static fo_status compute(foi_sensitivity *s, fo_message *why)
{
    if (!s->n || !s->m)
        return fo_fail(why, FO_ERROR_ARGUMENT, "there is nothing to measure, or nothing to change");
    if (s->def->samples >> 32 || s->def->trajectories >> 32)
        return fo_fail(why, FO_ERROR_ARGUMENT, "at most 4294967295 samples");
    if (s->def->samples && s->def->trajectories)
        return fo_fail(why, FO_ERROR_ARGUMENT, "either samples or trajectories, not both");
    fo_status status = open_all(s, why);
    if (status != FO_OK) return status;
    fo_replicate_def runs = fo_default_replicate_def();
    runs.threads = s->def->threads, runs.progress = pass_progress;
    runs.context = s, runs.allocator = s->allocator, runs.ranks = s->def->ranks;
    status = s->def->trajectories ? foi_morris_effects(s, &runs, why)
             : s->def->samples    ? foi_sobol_indices(s, &runs, why)
                                  : differentiate(s, &runs, why);
    s->is.measures = s->m, s->is.numbers = s->n;
    s->is.names = (const char *const *)s->experiment.names;
    s->is.runs = s->def->trajectories ? s->done * (s->n + 1)
                 : s->def->samples    ? s->done * (s->n + 2)
                                      : runs.count + s->varied;
    s->def = NULL; // it need not live longer
    return status;
}

fo_sensitivity *fo_sensitivity_create(const fo_sensitivity_def *def, fo_message *why)
{
    const fo_allocator *a = def->experiment.model.allocator;
    fo_message local = {0};
    if (!why) why = &local;
    foi_sensitivity *s = foi_new(a, 1, sizeof *s);
    if (!s) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
        return NULL;
    }
    s->def = def, s->allocator = a, s->n = def->to_count, s->m = def->measure_count;
    fo_status status = compute(s, why);
    if (status == FO_OK) return &s->is;
    fo_sensitivity_destroy(&s->is);
    why->status = status;
    return NULL;
}

void fo_sensitivity_destroy(fo_sensitivity *is)
{
    foi_sensitivity *s = (foi_sensitivity *)is;
    if (!s) return;
    const fo_allocator *a = s->allocator;
    foi_measures_destroy(&s->measures);
    for (size_t i = 0; i < s->range_count; i++) foi_range_destroy(&s->ranges[i]);
    foi_free(a, s->ranges);
    foi_free(a, s->numbers);
    foi_free(a, s->exact);
    foi_free(a, s->sums);
    foi_free(a, s->work);
    if (s->experiment.model) foi_trial_close(&s->experiment);
    foi_free(a, s);
}
