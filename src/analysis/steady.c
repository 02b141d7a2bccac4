// Equilibria of a model, from many starts, and along a parameter.
#include <math.h>
#include <string.h>

#include "analysis/branch.h"
#include "analysis/dense.h"
#include "analysis/design.h"
#include "base/memory.h"
#include "math/math.h"

/// Sees whether memory was lacking: a start that fails for that reason leads nowhere, and its
/// equilibrium would be missing.
typedef struct witness {
    fo_allocator allocator;
    const fo_allocator *from;
    bool lacked;
} witness;

struct fo_steady {
    witness memory;
    foi_trial experiment;
    foi_branches all;
    foi_range range;
    bool exact, interrupted;
};

static void *see(void *self, void *block, size_t old_size, size_t new_size)
{
    witness *w = self;
    void *fresh = w->from->resize(w->from->self, block, old_size, new_size);
    if (new_size && !fresh) w->lacked = true;
    return fresh;
}

fo_steady_def fo_default_steady_def(void)
{
    return (fo_steady_def){.experiment = fo_default_experiment_def(), .starts = 64};
}

// ----------------------------------------------------------------------------------------- starts

enum { SAMPLES = 40, MOST_STEPS = 1000000 };

/// The box that a run stays in, and points of it.
typedef struct starts {
    size_t n, count; ///< states; points of the run
    double *low, *high, *scale, *points;
    double begin, end; ///< of the run
    size_t steps;      ///< of the run
    bool failed;       ///< it has not come to its end
    const fo_allocator *allocator;
} starts;

static fo_status take_row(void *self, const fo_row *row, fo_message *why)
{
    starts *s = self;
    (void)why;
    if (row->count != s->n) return FO_OK; // the model has changed its size
    if (row->kind == FO_ROW_SAMPLE && s->count < SAMPLES + 1)
        memcpy(s->points + s->n * s->count++, row->values, s->n * sizeof(double));
    return FO_OK;
}

// Every step counts for the box: what is fast is over before the first of the points. A run of very
// many steps, of something fast over a long time, is left where it is then.
static fo_status take_step(void *self, const fo_row *row, fo_message *why)
{
    starts *s = self;
    for (size_t i = 0; i < s->n && row->count == s->n; i++) {
        if (row->values[i] < s->low[i]) s->low[i] = row->values[i];
        if (row->values[i] > s->high[i]) s->high[i] = row->values[i];
    }
    if (s->steps++ < MOST_STEPS) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "a long run");
}

// A run shows where the states usually are; one that fails shows how far it came.
static fo_status look_around(foi_branches *b, starts *s, const double *values, fo_message *why)
{
    fo_reference *signals = foi_new(s->allocator, s->n + 1, sizeof *signals);
    if (!signals) return fo_fail(why, FO_ERROR_MEMORY, "no memory for starts");
    for (uint32_t i = 0; i < s->n; i++) signals[i] = (fo_reference){FO_STATE, i};
    fo_observer observers[] = {
        {.self = s, .row = take_row, .signals = signals, .signal_count = s->n},
        {.self = s, .row = take_step, .signals = signals, .signal_count = s->n}};
    fo_run_def run = fo_model_run_def(b->experiment->model);
    double stop = foi_trial_stop(b->experiment, &run);
    observers[0].interval = (stop - run.start) / SAMPLES;
    fo_model *again;
    fo_simulation *sim =
        foi_trial_simulation(b->experiment, values, 0, observers, 2, &run, &again, why);
    fo_status status = sim ? FO_OK : why->status;
    s->begin = run.start, s->end = run.start;
    if (sim) foi_trial_advance(b->experiment, sim, run.stop);
    if (sim) s->end = fo_simulation_time(sim);
    s->failed = s->end < run.stop && s->steps < MOST_STEPS;
    fo_simulation_destroy(sim);
    fo_model_close(again);
    foi_free(s->allocator, signals);
    return status;
}

// How large a state is at half of the times of the run.
static double usual_size(const starts *s, size_t i)
{
    double sorted[SAMPLES + 1];
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++) {
        double size = fabs(s->points[k * s->n + i]);
        size_t at = count++;
        for (; at > 0 && sorted[at - 1] > size; at--) sorted[at] = sorted[at - 1];
        sorted[at] = size;
    }
    return count ? sorted[count / 2] : 0;
}

// A run that grows without bound says nothing about how large an equilibrium is. Where a state is a
// thousand times larger than it usually is its range counts up to a thousand times its start value
// or Newton's step from there, ten times where the run has failed: that is in its own units.
static void find_scales(starts *s, const double *start, const double *step)
{
    double largest = 0, most = 0, wide = s->failed ? 10 : 1e3;
    for (size_t i = 0; i < s->n; i++) {
        most = foi_fmax(most, wide * foi_fmax(fabs(start[i]), fabs(step[i])));
        largest = foi_fmax(largest, foi_fmax(fabs(s->low[i]), fabs(s->high[i])));
    }
    for (size_t i = 0; i < s->n; i++) {
        double size = foi_fmax(fabs(s->low[i]), fabs(s->high[i]));
        double own = foi_fmax(fabs(start[i]), fabs(step[i])), limit = own > 0 ? wide * own : most;
        bool grows = size > 1e3 * usual_size(s, i);
        s->scale[i] = size > 0 ? size : largest > 0 ? largest : 1;
        if (grows && limit > 0) s->scale[i] = foi_fmin(s->scale[i], limit);
        s->low[i] = foi_fmax(s->low[i], -s->scale[i]);
        s->high[i] = foi_fmin(s->high[i], s->scale[i]);
    }
}

// The model's own start, zero, points of the run and their mirror images, then points of boxes
// twice and sixteen times as large as that of the run.
static void choose_start(const starts *s, const foi_point *p, size_t k, double *x)
{
    size_t n = s->n, run = s->count;
    if (k == 0) memcpy(x, p->x, n * sizeof *x);
    if (k == 1) memset(x, 0, n * sizeof *x);
    if (k < 2) return;
    k -= 2;
    if (k < 2 * run) {
        size_t which = run - 1 - k / 2; // the end of a run is often near an equilibrium
        for (size_t i = 0; i < n; i++)
            x[i] = k % 2 ? -s->points[which * n + i] : s->points[which * n + i];
        return;
    }
    k -= 2 * run;
    // both boxes have the same points: of Sobol's, every other one lies in one half of each box
    for (size_t i = 0; i < n; i++) {
        fo_design design = i < FOI_SOBOL_DIMENSIONS ? FO_DESIGN_SOBOL : FO_DESIGN_RANDOM;
        double u = foi_design_unit(design, 1, k / 2, 1, (uint32_t)i);
        double middle = (s->low[i] + s->high[i]) / 2;
        double half = foi_fmax(s->high[i] - s->low[i], s->scale[i] / 2) * (k % 2 ? 8 : 1);
        x[i] = middle + (2 * u - 1) * half;
    }
}

// Where the model was in its run. What its states stand for there is its choice; numbers of another
// place are those of other states.
static bool open_in_run(const starts *s, const foi_point *start, const double *values, size_t k,
                        foi_point *p, double *x)
{
    fo_message ignored;
    double at = s->begin + (s->end - s->begin) * (double)k / SAMPLES;
    if (k > SAMPLES || foi_point_open(p, start->trial, values, at, &ignored) != FO_OK) return false;
    if (p->n == s->n) memcpy(x, p->x, s->n * sizeof *x);
    if (p->n == s->n) return true;
    foi_point_close(p);
    return false;
}

static double distance(const starts *s, const double *a, const double *b)
{
    double far = 0;
    for (size_t i = 0; i < s->n; i++) far = foi_fmax(far, fabs(a[i] - b[i]) / s->scale[i]);
    return far;
}

static const char on_a_line[] = "on a line", degenerate[] = "degenerate";

// The first that is found of a line stands for all of it. Two are on one line where others lie
// between them, or where the line goes from one to the other.
static bool is_between(const starts *s, foi_point *p, foi_newton *w, const double *x,
                       const double *other, double *between)
{
    static const double parts[] = {0.5, 0.29};
    fo_message ignored;
    double apart = distance(s, x, other);
    for (size_t j = 0; j < sizeof parts / sizeof parts[0]; j++) {
        for (size_t i = 0; i < s->n; i++) between[i] = x[i] + parts[j] * (other[i] - x[i]);
        if (foi_equilibrium_find(p, w, between, s->scale, &ignored) != FO_OK ||
            !(distance(s, between, x) > 0.05 * apart) ||
            !(distance(s, between, other) > 0.05 * apart) ||
            !foi_equilibrium_is_on_line(p, w, between, s->scale))
            return false;
    }
    return true;
}

// Where something is conserved there are whole lines of equilibria, of which the start decides.
static bool is_on_known_line(foi_branches *b, const starts *s, foi_point *p, foi_newton *w,
                             const double *x)
{
    bool is = false, any = false;
    for (size_t k = 0; k < b->count; k++) any |= strcmp(b->list[k].mark, on_a_line) == 0;
    if (!any || !foi_equilibrium_is_on_line(p, w, x, s->scale)) return false;
    double *between = foi_new(b->allocator, s->n + 1, sizeof *between);
    for (size_t k = 0; k < b->count && between && !is; k++)
        is = strcmp(b->list[k].mark, on_a_line) == 0 &&
             (is_between(s, p, w, x, b->list[k].x, between) ||
              foi_equilibrium_are_on_line(p, w, b->list[k].x, x, s->scale));
    foi_free(b->allocator, between);
    return is;
}

// One start, in the mode that the model has there.
static fo_status try_start(foi_branches *b, const starts *s, foi_point *start, const double *values,
                           foi_newton *w, size_t k, double *x, fo_message *why)
{
    foi_point p = *start;
    fo_message ignored;
    const char *doubt;
    bool own = foi_point_switches(start) || start->chooses;
    if (start->chooses) {
        if (!open_in_run(s, start, values, k, &p, x)) return FO_OK;
    } else if (own && foi_point_open_from(&p, start->trial, values, x, s->n, &ignored) != FO_OK &&
               foi_point_open(&p, start->trial, values, NAN, &ignored) != FO_OK)
        return FO_OK;
    fo_status status = foi_equilibrium_settle(&p, values, w, x, s->scale, &doubt, &ignored);
    bool found = status == FO_OK;
    if (status != FO_ERROR_MEMORY && status != FO_ERROR_CANCELLED) status = FO_OK;
    if (status != FO_OK) *why = ignored;
    if (found && foi_point_moves(&p, x)) {
        status = fo_fail(why, FO_ERROR_UNFIT,
                         "there is no equilibrium: the derivatives depend on time itself");
    } else if (found && !foi_branches_know(b, x) && (own || !is_on_known_line(b, s, &p, w, x))) {
        foi_stability is = {0};
        status = foi_branches_add(b, &p, x, NAN, (uint32_t)b->count, doubt, &is, why);
        fo_equilibrium *e = status == FO_OK ? &b->list[b->count - 1] : NULL;
        if (e && *doubt) e->stability = 0;
        if (e && is.singular && !own) {
            bool on = foi_equilibrium_is_on_line(&p, w, x, s->scale);
            e->mark = on ? on_a_line : foi_point_cancelled(&p) ? "" : degenerate;
        }
    }
    if (own) foi_point_close(&p);
    return status;
}

enum { MOST_DEFLATED_STATES = 20, MOST_EQUILIBRIA = 100 };

// All that are known stand alone.
static bool are_isolated(const foi_branches *b)
{
    for (size_t k = 0; k < b->count; k++)
        if (strcmp(b->list[k].mark, on_a_line) == 0) return false;
    return b->count > 0;
}

// In the boxes that starts are taken from.
static bool is_around(const starts *s, const double *x)
{
    for (size_t i = 0; i < s->n; i++) {
        double half = 8 * foi_fmax(s->high[i] - s->low[i], s->scale[i] / 2);
        if (!(fabs(x[i] - (s->low[i] + s->high[i]) / 2) <= half)) return false;
    }
    return true;
}

// Equilibria say how large others may be: a run may begin and end far below them.
static void widen(starts *s, const foi_branches *b)
{
    for (size_t k = 0; k < b->count; k++)
        for (size_t i = 0; i < s->n; i++) {
            s->low[i] = foi_fmin(s->low[i], b->list[k].x[i]);
            s->high[i] = foi_fmax(s->high[i], b->list[k].x[i]);
        }
}

/// One round through the starts.
typedef struct turn {
    size_t number, count; ///< of starts
    double done;          ///< what part of the search was done before
} turn;

// The starts once more, with what is known taken out: equilibria that attract no ordinary
// iteration. Points of the boxes are others in each round.
static fo_status deflate(foi_branches *b, const starts *s, foi_point *p, const double *values,
                         foi_newton *w, const turn *r, double *x, fo_message *why)
{
    const double *known[MOST_EQUILIBRIA];
    size_t boxes = 2 + 2 * s->count;
    fo_status status = FO_OK;
    for (size_t k = 0; k < r->count && status == FO_OK; k++) {
        if (b->count >= MOST_EQUILIBRIA || !are_isolated(b)) return FO_OK;
        for (size_t i = 0; i < b->count; i++) known[i] = b->list[i].x;
        choose_start(s, p, k < boxes ? k : k + r->number * (r->count - boxes), x);
        bool near = foi_equilibrium_deflate(p, w, x, s->scale, known, b->count);
        if (near && is_around(s, x)) status = try_start(b, s, p, values, w, k, x, why);
        double part = r->done + 0.5 * (1 - r->done) * (double)(k + 1) / (double)r->count;
        foi_trial_rest(p->trial);
        bool goes_on = foi_trial_tell(p->trial, b->begun + part * b->share);
        if (!goes_on || foi_point_cancelled(p))
            status = fo_fail(why, FO_ERROR_CANCELLED, "interrupted");
    }
    return status;
}

// As long as that finds any: each that is known may be the one that hides another.
static fo_status try_deflated(foi_branches *b, starts *s, foi_point *p, const double *values,
                              foi_newton *w, size_t starts_count, double *x, fo_message *why)
{
    enum { MOST_ROUNDS = 8 };
    fo_status status = FO_OK;
    turn r = {.count = starts_count, .done = 0.5};
    if (s->n > MOST_DEFLATED_STATES || foi_point_switches(p) || p->chooses) return FO_OK;
    for (; r.number < MOST_ROUNDS && status == FO_OK; r.number++) {
        size_t known = b->count;
        widen(s, b);
        status = deflate(b, s, p, values, w, &r, x, why);
        r.done = 0.5 + 0.5 * r.done;
        if (b->count == known) break;
    }
    return status;
}

static fo_status try_starts(foi_branches *b, starts *s, foi_point *p, const double *values,
                            uint32_t wanted, fo_message *why)
{
    foi_newton w;
    fo_status status = foi_newton_create(&w, s->n, b->allocator, why);
    if (status != FO_OK) return status;
    double *x = foi_new(b->allocator, s->n + 1, sizeof *x);
    if (!x) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for starts");
    size_t count = 2 + 2 * s->count + wanted;
    for (size_t k = 0; k < count && status == FO_OK; k++) {
        choose_start(s, p, k, x);
        status = try_start(b, s, p, values, &w, k, x, why);
        double part = 0.5 * (double)(k + 1) / (double)count;
        foi_trial_rest(p->trial);
        bool goes_on = foi_trial_tell(p->trial, b->begun + part * b->share);
        if (!goes_on || foi_point_cancelled(p))
            status = fo_fail(why, FO_ERROR_CANCELLED, "interrupted");
    }
    if (status == FO_OK) status = try_deflated(b, s, p, values, &w, count, x, why);
    foi_free(b->allocator, x);
    foi_newton_destroy(&w);
    return status;
}

static fo_status make_starts(starts *s, size_t n, const fo_allocator *allocator, fo_message *why)
{
    *s = (starts){.n = n, .allocator = allocator};
    s->low = foi_new(allocator, 3 * n + (SAMPLES + 1) * n + 1, sizeof *s->low);
    if (!s->low) return fo_fail(why, FO_ERROR_MEMORY, "no memory for starts");
    s->high = s->low + n, s->scale = s->high + n, s->points = s->scale + n;
    for (size_t i = 0; i < n; i++) s->low[i] = INFINITY, s->high[i] = -INFINITY;
    return FO_OK;
}

static fo_status look_at_start(starts *s, foi_point *p, fo_message *why)
{
    foi_newton w;
    fo_status status = foi_newton_create(&w, s->n, s->allocator, why);
    if (status != FO_OK) return status;
    double *start = foi_new(s->allocator, 2 * s->n + 1, sizeof *start);
    if (!start) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for starts");
    if (start) {
        memcpy(start, p->x, s->n * sizeof *start);
        foi_equilibrium_step(p, &w, start, start + s->n);
        find_scales(s, start, start + s->n);
        memcpy(p->x, start, s->n * sizeof *start);
    }
    foi_free(s->allocator, start);
    foi_newton_destroy(&w);
    return status;
}

static fo_status find_all(fo_steady *steady, foi_branches *b, const fo_steady_def *def,
                          const double *values, fo_message *why)
{
    foi_point p;
    starts s;
    fo_status status = foi_point_open(&p, &steady->experiment, values, NAN, why);
    if (status != FO_OK) return status;
    b->n = p.n, b->switches = foi_point_switches(&p),
    steady->exact = p.system.type->jacobian != NULL;
    if (!p.n) status = fo_fail(why, FO_ERROR_UNFIT, "%s has no states", p.system.about->name);
    if (status == FO_OK) {
        status = make_starts(&s, p.n, b->allocator, why);
        if (status == FO_OK) status = look_around(b, &s, values, why);
        if (status == FO_OK) {
            for (size_t i = 0; i < p.n; i++)
                s.low[i] = foi_fmin(s.low[i], p.x[i]), s.high[i] = foi_fmax(s.high[i], p.x[i]);
            status = look_at_start(&s, &p, why);
        }
        if (status == FO_OK) {
            status = foi_branches_scale(b, s.scale, why);
        }
        if (status == FO_OK)
            status = try_starts(b, &s, &p, values, def->starts ? def->starts : 64, why);
        foi_free(b->allocator, s.low);
    }
    foi_point_close(&p);
    if (status == FO_OK && b->count == 0)
        status = fo_fail(why, FO_ERROR_CONVERGE, "no equilibrium was found from %u starts%s",
                         2 + 2 * (SAMPLES + 1) + (unsigned)(def->starts ? def->starts : 64),
                         b->switches ? "; discrete variables keep their initial values, and a "
                                       "state that rests or slides at a guard's zero is not counted"
                                     : "");
    return status;
}

// ----------------------------------------------------------------------------------- the interface

// Branches are followed in steps of about what their equilibria are large by, which may be less
// than what the states of a run are.
static void narrow_scale(const foi_branches *from, size_t places, double *scale)
{
    const double LEAST = 1e-2;
    for (size_t i = 0; i < from[0].n; i++) {
        double largest = 0;
        for (size_t k = 0; k < places; k++)
            for (size_t j = 0; j < from[k].count && from[k].n == from[0].n; j++)
                largest = foi_fmax(largest, fabs(from[k].list[j].x[i]));
        if (largest > 0) scale[i] = foi_fmin(scale[i], foi_fmax(largest, LEAST * scale[i]));
    }
}

// A branch need not reach the range's beginning: its end and its middle are looked at, too, in
// the units of the first of them.
static fo_status find_branches(fo_steady *s, const fo_steady_def *def, fo_message *why)
{
    enum { PLACES = 3 };
    const double a = s->range.a, b = s->range.b, at[PLACES] = {a, b, a + (b - a) / 2};
    foi_branches from[PLACES] = {{0}};
    fo_status status = FO_OK;
    fo_message first = {0};
    bool some = false;
    for (int i = 0; i < PLACES && status == FO_OK; i++) {
        from[i].experiment = &s->experiment, from[i].allocator = s->all.allocator;
        from[i].begun = 0.5 * i / PLACES, from[i].share = 0.5 / PLACES;
        status = find_all(s, &from[i], def, &at[i], why);
        if (status != FO_OK && !*first.text) first = *why;
        some |= from[i].count > 0;
        bool ends = status == FO_ERROR_MEMORY || status == FO_ERROR_CANCELLED;
        if (status == FO_ERROR_CONVERGE || (i > 0 && !ends)) status = FO_OK;
    }
    if (status == FO_OK && !some) *why = first, status = first.status;
    if (status == FO_OK) {
        s->all.n = from[0].n, s->all.switches = from[0].switches;
        s->all.begun = s->all.share = 0.5;
        status = foi_branches_scale(&s->all, from[0].scale, why);
        if (status == FO_OK) narrow_scale(from, PLACES, s->all.scale);
    }
    if (status == FO_OK) status = foi_branches_follow(&s->all, from, PLACES, &s->range, def, why);
    for (int i = 0; i < PLACES; i++) foi_branches_destroy(&from[i]);
    return status;
}

static fo_status prepare(fo_steady *s, const fo_steady_def *def, fo_message *why)
{
    const fo_allocator *a = def->experiment.model.allocator;
    const char *name = s->range.name;
    fo_status status = FO_OK;
    s->all.allocator = a;
    if (def->vary) {
        status = foi_range_read(&s->range, def->vary, a, why);
        if (status == FO_OK && (s->range.kind != FOI_RANGE_UNIFORM || s->range.a == s->range.b)) {
            foi_range_destroy(&s->range);
            status = fo_fail(why, FO_ERROR_ARGUMENT,
                             "what is varied goes from one number to another: %s=LOW..HIGH",
                             s->range.name);
        }
    }
    if (status == FO_OK)
        status = foi_trial_open(&s->experiment, &def->experiment, &name, def->vary ? 1 : 0, why);
    s->all.experiment = &s->experiment;
    s->experiment.cancelled = def->cancelled, s->experiment.self = def->self;
    s->experiment.progress = def->progress, s->all.share = 1;
    if (status == FO_OK)
        status = def->vary ? find_branches(s, def, why) : find_all(s, &s->all, def, NULL, why);
    s->interrupted = status == FO_ERROR_CANCELLED && s->all.count > 0;
    return s->interrupted ? FO_OK : status;
}

fo_steady *fo_steady_create(const fo_steady_def *def, fo_message *why)
{
    fo_message local = {0};
    if (!why) why = &local;
    const fo_allocator *from = def->experiment.model.allocator;
    if (!from) from = fo_heap();
    fo_steady *s = foi_new(from, 1, sizeof *s);
    if (!s) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for equilibria");
        return NULL;
    }
    s->memory = (witness){{see, &s->memory}, from, false};
    fo_steady_def seen = *def;
    seen.experiment.model.allocator = s->all.allocator = &s->memory.allocator;
    fo_status status = prepare(s, &seen, why);
    if (status == FO_OK && s->memory.lacked)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for all equilibria");
    if (status == FO_OK) return s;
    status = why->status;
    fo_steady_destroy(s);
    why->status = status;
    return NULL;
}

void fo_steady_destroy(fo_steady *s)
{
    if (!s) return;
    foi_branches_destroy(&s->all);
    if (s->experiment.model) foi_trial_close(&s->experiment);
    foi_range_destroy(&s->range);
    foi_free(s->memory.from, s);
}

size_t fo_steady_count(const fo_steady *s)
{
    return s->all.count;
}

const fo_equilibrium *fo_steady_get(const fo_steady *s, size_t index)
{
    return index < s->all.count ? &s->all.list[index] : NULL;
}

size_t fo_steady_states(const fo_steady *s)
{
    return s->all.n;
}

const char *fo_steady_name(const fo_steady *s, size_t state, char *text, size_t size)
{
    return fo_system_name(fo_model_system(s->experiment.model),
                          (fo_reference){FO_STATE, (uint32_t)state}, text, size);
}

bool fo_steady_is_whole(const fo_steady *s)
{
    return !s->interrupted;
}

bool fo_steady_is_exact(const fo_steady *s)
{
    return s->exact;
}
