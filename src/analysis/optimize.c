// Optima: numbers with which a measure is as small as can be, under conditions.
#include <foliot/threads.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/optimize.h"
#include "analysis/slopes.h"
#include "base/memory.h"
#include "math/math.h"

fo_optimize_def fo_default_optimize_def(void)
{
    return (fo_optimize_def){
        .experiment = fo_default_experiment_def(), .seed = 1, .threads = fo_cores()};
}

// ----------------------------------------------------------------------------------------- reading

/// The texts that measures are read from.
typedef struct texts {
    char *letters; ///< of the conditions, cut in two
    const char **list;
} texts;

/// Cuts "a <= b" in two. `swapped`: b <= a was meant.
static fo_status cut(char *text, const char **left, const char **right, bool *equal, bool *swapped,
                     fo_message *why)
{
    int depth = 0;
    char quote = 0;
    for (char *at = text; *at; at++) {
        if (quote || *at == '"' || *at == '\'') {
            quote = !quote ? *at : *at == quote ? 0 : quote;
            continue;
        }
        depth += (*at == '(') - (*at == ')');
        if (depth || !strchr("<>=", *at)) continue;
        *equal = *at == '=', *swapped = *at == '>';
        char *after = at + 1;
        if (*after == '=') after++;
        *at = 0;
        *left = *swapped ? after : text, *right = *swapped ? text : after;
        return FO_OK;
    }
    return fo_fail(why, FO_ERROR_ARGUMENT,
                   "a constraint compares two measures: 'max(T) <= 90', not '%s'", text);
}

static fo_status read_conditions(foi_search *s, texts *t, fo_message *why)
{
    size_t length = 1;
    for (size_t i = 0; i < s->m; i++) length += strlen(s->def->subject[i]) + 1;
    t->letters = foi_new(s->allocator, length, 1);
    t->list = foi_new(s->allocator, 1 + 2 * s->m, sizeof *t->list);
    if (!t->letters || !t->list) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a search");
    t->list[0] = s->def->objective;
    char *at = t->letters;
    for (size_t i = 0; i < s->m; i++) {
        strcpy(at, s->def->subject[i]);
        size_t all = strlen(at) + 1;
        fo_status status =
            cut(at, &t->list[1 + 2 * i], &t->list[2 + 2 * i], &s->equal[i], &s->swapped[i], why);
        if (status != FO_OK) return status;
        at += all;
    }
    return FO_OK;
}

static fo_status read_number(foi_search *s, size_t i, char name[256], fo_message *why)
{
    const char *text = s->def->adjust[i];
    foi_range range = {0};
    s->low[i] = -INFINITY, s->high[i] = INFINITY, s->size[i] = 1;
    if (!strchr(text, '=')) {
        if (strlen(text) >= 256) return fo_fail(why, FO_ERROR_ARGUMENT, "a name is too long");
        strcpy(name, text);
        return FO_OK;
    }
    fo_status status = foi_range_read(&range, text, s->allocator, why);
    if (status != FO_OK) return status;
    bool uniform = range.kind == FOI_RANGE_UNIFORM, lists = range.count != 0;
    s->logarithmic[i] = range.kind == FOI_RANGE_LOGARITHMIC;
    if (lists || (!uniform && !s->logarithmic[i]) || !(range.b > range.a))
        status = fo_fail(why, FO_ERROR_ARGUMENT, "bounds are written as %s=LOW..HIGH", range.name);
    s->origin[i] = range.a, s->low[i] = 0, s->high[i] = 1, s->bounded[i] = true;
    s->size[i] = s->logarithmic[i] ? range.b / range.a : range.b - range.a;
    if (status == FO_OK && (!isfinite(s->size[i]) || s->size[i] == 0))
        status = fo_fail(why, FO_ERROR_ARGUMENT, "the bounds of %s are too far apart", range.name);
    memcpy(name, range.name, sizeof range.name);
    foi_range_destroy(&range);
    return status;
}

static fo_status open_model(foi_search *s, fo_message *why)
{
    const fo_allocator *a = s->allocator;
    char(*names)[256] = foi_new(a, s->n, sizeof *names);
    const char **list = foi_new(a, s->n, sizeof *list);
    fo_status status =
        names && list ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a search");
    for (size_t i = 0; i < s->n && status == FO_OK; i++) {
        list[i] = names[i];
        status = read_number(s, i, names[i], why);
    }
    fo_experiment_def e = s->def->experiment;
    if (e.rtol == 0) e.rtol = 1e-10;
    if (e.atol == 0) e.atol = 1e-12;
    if (status == FO_OK) status = foi_trial_open(&s->experiment, &e, list, s->n, why);
    s->experiment.cancelled = s->def->cancelled, s->experiment.self = s->def->self;
    foi_free(a, names);
    foi_free(a, list);
    return status;
}

static fo_status read_all(foi_search *s, fo_message *why)
{
    texts t = {0};
    fo_status status = open_model(s, why);
    if (status == FO_OK) status = read_conditions(s, &t, why);
    if (status == FO_OK)
        status = foi_measures_read(&s->measures, fo_model_system(s->experiment.model), t.list,
                                   1 + 2 * s->m, s->allocator, why);
    foi_free(s->allocator, t.letters);
    foi_free(s->allocator, t.list);
    if (status == FO_OK)
        s->unfit = s->def->differences ? "finite differences were asked for"
                                       : foi_slopes_unfit(&s->experiment);
    return status;
}

// Bounds that are there only to have some, as 0..1e9 around 1, say nothing of the size of a number:
// then that of its start does.
static void loosen(foi_search *s, size_t i, double p)
{
    const double wide = 1e6;
    double range = s->size[i], low = s->origin[i];
    p = foi_fmin(foi_fmax(p, low), low + range);
    double size = p != 0 ? fabs(p) : 1;
    if (!(range > wide * size)) return;
    s->origin[i] = p, s->size[i] = size;
    s->low[i] = (low - p) / size, s->high[i] = (low + range - p) / size;
}

// Where the model stands, or as near as the bounds allow.
static fo_status find_start(foi_search *s, double *z, fo_message *why)
{
    for (size_t i = 0; i < s->n; i++) {
        double p = foi_trial_default(&s->experiment, i);
        if (!isfinite(p))
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' has no value to start from",
                           s->experiment.names[i]);
        if (!s->bounded[i]) {
            s->origin[i] = p, s->size[i] = p != 0 ? fabs(p) : 1, z[i] = 0;
            continue;
        }
        if (!s->logarithmic[i]) loosen(s, i, p);
        z[i] = s->logarithmic[i] ? (p > 0 ? foi_log(p / s->origin[i]) / foi_log(s->size[i]) : 0)
                                 : (p - s->origin[i]) / s->size[i];
        z[i] = foi_fmin(foi_fmax(z[i], s->low[i]), s->high[i]);
    }
    return FO_OK;
}

// Where the model cannot be run as it stands it may be in the middle of the bounds.
static bool try_middle(foi_search *s, double *z)
{
    fo_message first = s->why;
    for (size_t i = 0; i < s->n; i++) z[i] = s->bounded[i] ? 0.5 * (s->low[i] + s->high[i]) : 0;
    if (foi_search_look(s, z) && !isnan(s->f)) return true;
    if (s->ended == FO_OK) s->why = first;
    return false;
}

// The scales of the conditions are those of their sides at the start.
static fo_status begin(foi_search *s, double *z, fo_message *why)
{
    fo_status status = find_start(s, z, why);
    if (status != FO_OK) return status;
    for (size_t i = 0; i < s->m; i++) s->scale[i] = 1;
    if (!foi_search_look(s, z)) return *why = s->why, s->ended;
    const double *sides = s->numbers + s->n + 1;
    for (size_t i = 0; i < s->m && !isnan(s->f); i++) {
        double size = foi_fmax(fabs(sides[2 * i]), fabs(sides[2 * i + 1]));
        if (size > 0) s->scale[i] = size;
    }
    s->known = false, s->best = s->best_violation = INFINITY, s->is.runs = 0;
    if (!foi_search_look(s, z)) return *why = s->why, s->ended;
    if (!isnan(s->f) || s->def->starts) return FO_OK;
    if (try_middle(s, z)) return FO_OK;
    *why = s->why;
    if (!why->text[0])
        fo_fail(why, FO_ERROR_NUMBER,
                "a measure has no value in this run: first() and last() of an event that does not "
                "happen have none");
    fo_message_prefix(why, "at the start: ");
    return why->status ? why->status : FO_ERROR_NUMBER;
}

// ----------------------------------------------------------------------------------------- methods

static const double SMOOTH = 0.05;

static fo_status run_method(foi_search *s, const char *name, double tolerance, fo_message *why)
{
    s->is.method = name;
    if (strcmp(name, "descent") == 0) return foi_descent(s, tolerance);
    if (strcmp(name, "line") != 0) return foi_nlopt(s, name, tolerance, why);
    fo_status status = foi_line_search(s, tolerance);
    if (status == FO_ERROR_UNFIT)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the method line adjusts one parameter between bounds");
    return status;
}

static const char *without_slopes(const foi_search *s)
{
    if (s->n == 1 && s->bounded[0]) return "line";
    return s->m || s->n == 1 ? "cobyla" : "bobyqa";
}

// With slopes where those of two lengths of steps agree at the start.
static const char *choose(foi_search *s, const double *z)
{
    bool world = fo_model_world(s->experiment.model, NULL, NULL) != NULL;
    if (s->n == 1 && s->bounded[0] && !s->m) return "line";
    if (world || isnan(s->f) || !foi_search_slopes(s, z)) return without_slopes(s);
    if (!(s->roughness < SMOOTH)) return without_slopes(s);
    return fo_nlopt_version() ? "slsqp" : "descent";
}

// --------------------------------------------------------------------------------------- searching

static fo_status search_from(foi_search *s, const double *z, const char *name, double tolerance,
                             fo_message *why)
{
    if (!foi_search_look(s, z)) return s->ended;
    fo_status status = run_method(s, name, tolerance, why);
    // what a method believes is tested later; only what ends everything ends it here
    return s->ended != FO_OK ? s->ended : status == FO_ERROR_CONVERGE ? FO_OK : status;
}

static fo_status search_starts(foi_search *s, const char *name, double *z, double tolerance,
                               fo_message *why)
{
    for (uint32_t k = 0; k < s->def->starts; k++) {
        for (size_t i = 0; i < s->n; i++) {
            fo_design design = i < FOI_SOBOL_DIMENSIONS ? FO_DESIGN_SOBOL : FO_DESIGN_RANDOM;
            if (!s->bounded[i])
                return fo_fail(why, FO_ERROR_ARGUMENT, "several starts need bounds: %s=LOW..HIGH",
                               s->experiment.names[i]);
            double u = foi_design_unit(design, s->def->seed, k, s->def->starts, (uint32_t)i);
            z[i] = s->low[i] + (s->high[i] - s->low[i]) * u;
        }
        fo_status status = search_from(s, z, name, tolerance, why);
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

// After a method that was not good enough: one with slopes where there are some, and the other way
// round.
static const char *next_method(const foi_search *s, int round)
{
    bool smooth = s->slopes_known && s->roughness < 1, there = fo_nlopt_version() != 0;
    if (round % 2 == 0 && smooth && strcmp(s->is.method, "descent") != 0) return "descent";
    return there || without_slopes(s)[0] == 'l' ? without_slopes(s) : "descent";
}

// What was found lies so far out that it may be no more than where the search has given up.
static fo_status is_endless(foi_search *s, fo_message *why)
{
    const double far = 1e6, huge = 1e100;
    size_t most = 0;
    double *z = foi_new(s->allocator, s->n, sizeof *z), before = s->best;
    if (!z) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a search");
    for (size_t i = 0; i < s->n; i++) {
        z[i] = foi_fmin(foi_fmax(2 * s->best_z[i], s->low[i]), s->high[i]);
        if (!s->bounded[i] && !(fabs(s->best_z[i]) <= fabs(s->best_z[most]))) most = i;
    }
    bool away = !s->bounded[most] && fabs(s->best_z[most]) > far, looked = true;
    double found = s->origin[most] + s->size[most] * s->best_z[most];
    if (away) looked = foi_search_look(s, z);
    foi_free(s->allocator, z);
    if (!looked) return s->ended;
    if (!away || !(s->best < before || fabs(before) > huge)) return FO_OK;
    return fo_fail(
        why, FO_ERROR_CONVERGE,
        "no optimum was found: the measure is %.6g at %s = %.6g, and goes on from there; "
        "give bounds",
        s->sign * before, s->experiment.names[most], found);
}

// Searches, tests, and where the test finds something better goes on from there with another
// method.
static fo_status search(foi_search *s, double *z, fo_message *why)
{
    enum { ROUNDS = 6 };
    double tolerance = s->def->tolerance > 0 ? s->def->tolerance : 1e-6;
    const char *name = s->def->method ? s->def->method : choose(s, z);
    if (s->ended != FO_OK) return s->ended;
    fo_status status = search_from(s, z, name, tolerance, why);
    if (status == FO_OK) status = search_starts(s, name, z, tolerance, why);
    for (int round = 0; round < ROUNDS && status == FO_OK; round++) {
        bool stands;
        if (!foi_search_test(s, tolerance, &stands)) return s->ended;
        if (stands) return is_endless(s, why);
        memcpy(z, s->best_z, s->n * sizeof *z);
        name = next_method(s, round);
        if (!isfinite(s->best_violation)) break;
        status = search_from(s, z, name, tolerance, why);
    }
    if (status != FO_OK) return status;
    if (!(s->best_violation <= FOI_VIOLATION))
        return fo_fail(why, FO_ERROR_CONVERGE,
                       "no point that meets the constraints was found; the smallest violation is "
                       "%.3g of their scale",
                       s->best_violation);
    return fo_fail(why, FO_ERROR_CONVERGE,
                   "no optimum was found: beside the best point, %.10g, there are better ones; the "
                   "measure may be discontinuous in what is adjusted",
                   s->sign * s->best);
}

// -------------------------------------------------------------------------------------- the result

static fo_status make_room(foi_search *s, fo_message *why)
{
    size_t n = s->n, m = s->m;
    size_t all = n + 1 + 2 * m + 8 * n + 3 * m + n * (m + 1) + 2 * m + 2 * n;
    s->numbers = foi_new(s->allocator, all, sizeof *s->numbers);
    s->flags = foi_new(s->allocator, 3 * n + 2 * m, sizeof *s->flags);
    if (!s->numbers || !s->flags) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a search");
    double *at = s->numbers + n + 1 + 2 * m; // a point and its measures
    double **parts[] = {&s->origin, &s->size,    &s->low, &s->high,
                        &s->z,      &s->slope_z, &s->df,  &s->best_z};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) *parts[i] = at, at += n;
    s->scale = at, s->c = s->scale + m, s->dc = s->c + m, s->best_sides = s->dc + n * m;
    s->lambda = s->best_sides + 2 * m + n;
    s->logarithmic = s->flags, s->bounded = s->flags + n, s->equal = s->flags + 3 * n;
    s->swapped = s->equal + s->m;
    s->best = s->best_violation = INFINITY, s->worst = -INFINITY;
    s->sign = s->def->maximize ? -1 : 1;
    s->most = s->def->max_runs ? s->def->max_runs : 10000;
    return FO_OK;
}

// The numbers of the best point; those of the run stand at the beginning of s->numbers.
static void report(foi_search *s)
{
    fo_optimum *is = &s->is;
    size_t n = s->n;
    double *sides = s->best_sides + 2 * s->m, *values = sides, *left = s->c;
    bool *bound = s->flags + 2 * n;
    for (size_t i = 0; i < n; i++) {
        double z = s->best_z[i];
        bound[i] = z <= s->low[i] + 1e-9 || z >= s->high[i] - 1e-9;
        values[i] = s->logarithmic[i] ? s->origin[i] * foi_pow(s->size[i], z)
                                      : s->origin[i] + s->size[i] * z;
    }
    bool slopes = s->slopes_known && memcmp(s->slope_z, s->best_z, n * sizeof *s->z) == 0;
    for (size_t i = 0; i < n && slopes; i++) {
        double by = s->logarithmic[i] ? foi_log(s->size[i]) * values[i] : s->size[i];
        s->df[i] = s->sign * s->df[i] / by;
    }
    for (size_t i = 0; i < s->m;
         i++) // left and right one after the other: c and scale are free now
        left[i] = s->best_sides[2 * i + s->swapped[i]],
        s->scale[i] = s->best_sides[2 * i + !s->swapped[i]];
    is->count = n, is->names = (const char *const *)s->experiment.names;
    is->values = values, is->at_bound = bound, is->objective = s->sign * s->best;
    is->conditions = s->m, is->left = left, is->right = s->scale;
    is->violation = s->best_violation, is->slopes = slopes ? s->df : NULL;
}

static fo_status optimise(foi_search *s, fo_message *why)
{
    if (!s->n || !s->def->objective)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "there is nothing to adjust, or nothing to optimise");
    fo_status status = make_room(s, why);
    if (status == FO_OK) status = read_all(s, why);
    double *z = foi_new(s->allocator, s->n, sizeof *z);
    if (!z) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for a search");
    if (status == FO_OK) status = begin(s, z, why);
    if (status == FO_OK) status = search(s, z, why);
    foi_free(s->allocator, z);
    s->is.reached = status == FO_OK;
    if (!s->is.method) s->is.method = "no method yet";
    bool some = s->best_violation <= FOI_VIOLATION;
    if (status == FO_ERROR_CANCELLED && some) status = FO_OK;
    if (status == s->ended && status != FO_OK) *why = s->why;
    if (status == FO_OK) report(s);
    s->def = NULL;
    return status;
}

fo_optimum *fo_optimum_create(const fo_optimize_def *def, fo_message *why)
{
    const fo_allocator *a = def->experiment.model.allocator;
    fo_message local = {0};
    if (!why) why = &local;
    foi_search *s = foi_new(a, 1, sizeof *s);
    if (!s) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a search");
        return NULL;
    }
    s->def = def, s->allocator = a, s->n = def->adjust_count, s->m = def->subject_count;
    fo_status status = optimise(s, why);
    if (status == FO_OK) return &s->is;
    fo_optimum_destroy(&s->is);
    why->status = status;
    return NULL;
}

void fo_optimum_destroy(fo_optimum *is)
{
    foi_search *s = (foi_search *)is;
    if (!s) return;
    const fo_allocator *a = s->allocator;
    foi_measures_destroy(&s->measures);
    foi_free(a, s->numbers);
    foi_free(a, s->flags);
    if (s->experiment.model) foi_trial_close(&s->experiment);
    foi_free(a, s);
}
