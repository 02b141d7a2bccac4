// Analysis: questions that are answered within a limit of work, and sweeps, run by run; both
// between other messages.
#include <foliot/analysis.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "desk/desk.h"
#include "desk/slices.h"
#include "desk/task.h"
#include "math/math.h"

enum {
    MOST_STEPS = 200000,  ///< of a run that an answer waits for
    MOST_ASKED = 1000000, ///< how often such an answer may ask whether it is to go on
    MOST_TURNS = 60000,   ///< and how often it may be left since it takes long: some minutes
    MOST_TEXTS = 64,      ///< in a list of a request
};

struct foi_desk_sweep {
    uint64_t handle;
    fo_desk *desk;
    foi_arena arena; ///< what the definition points to
    fo_parameter_sweep *sweep;
    size_t varied, measured;
    uint64_t next; ///< the number of the run that comes
    bool busy;     ///< with that run
    bool ended;    ///< cancelled meanwhile
};

// ------------------------------------------------------------------------------ what is asked for

/// The texts of a list, kept in the arena; refused where it is none.
static const char *const *texts_of(foi_desk_request *q, foi_arena *arena, const char *key,
                                   size_t *count)
{
    const foi_json_value *list = foi_json_member(q->body, key);
    *count = 0;
    if (!list) return NULL;
    if (list->kind != FOI_JSON_LIST || list->count > MOST_TEXTS) {
        foi_desk_refuse(q, "argument", "\"%s\" must be a list of at most %d texts", key,
                        MOST_TEXTS);
        return NULL;
    }
    const char **texts = foi_arena_new(arena, list->count + 1, sizeof *texts);
    for (const foi_json_value *v = list->first; texts && v; v = v->next) {
        if (v->kind != FOI_JSON_TEXT || strlen(v->text) != v->length) {
            foi_desk_refuse(q, "argument", "\"%s\" must be a list of texts", key);
            return NULL;
        }
        texts[(*count)++] = foi_arena_text(arena, v->text, v->length);
    }
    return texts;
}

/// The numbers of its runs, as `run` reads them; those that are not given are the model's, which
/// may be opened only later: then it is looked at whether they fit.
static void take_numbers(foi_desk_request *q, fo_experiment_def *to)
{
    fo_run_def run = {.stop = NAN};
    foi_desk_run_numbers(q, &run);
    if (foi_json_member(q->body, "start"))
        foi_desk_refuse(q, "argument",
                        "\"start\" is for runs: an analysis begins as the model does");
    to->stop = run.stop, to->step = run.step, to->max_step = run.max_step;
    to->rtol = run.rtol, to->atol = run.atol;
}

/// The document as it stands now: it may change while the sweep is made.
static bool take_document(foi_desk_request *q, foi_arena *arena, fo_experiment_def *to)
{
    const foi_desk_document *d = foi_desk_find_document(q);
    if (!d) return false;
    if (!d->dirty && d->open && d->open->unfinished) { // it would take as long once more
        foi_desk_refuse_model(q, d->open);
        return false;
    }
    *to = fo_default_experiment_def();
    to->model = foi_desk_model_def(q->desk, d);
    to->model.go_on = foi_desk_step_on; // also in its runs
    to->model.program = foi_desk_program_def(q->desk);
    to->rest = foi_desk_rest, to->rest_self = q->desk;
    to->model.name = foi_arena_text(arena, d->name, strlen(d->name));
    if (d->text) to->model.text = foi_arena_text(arena, d->text, d->length);
    fo_setting *settings = foi_arena_new(arena, d->setting_count + 1, sizeof *settings);
    for (size_t i = 0; settings && i < d->setting_count; i++) {
        const char *name = d->settings[i].name;
        settings[i] =
            (fo_setting){foi_arena_text(arena, name, strlen(name)), d->settings[i].value, false};
    }
    to->model.settings = settings, to->model.setting_count = d->setting_count;
    const char *solver = foi_desk_text(q, "solver");
    if (solver) to->solver = foi_arena_text(arena, solver, strlen(solver));
    take_numbers(q, to);
    to->max_steps = MOST_STEPS;
    if (arena->failed) foi_desk_fail(q, FO_ERROR_MEMORY);
    return !foi_desk_refused(q);
}

/// Counts how often an answer has asked; it is to end where that is too much.
typedef struct patience {
    fo_desk *desk;
    uint64_t asked;
} patience;

static bool is_enough(void *self)
{
    patience *p = self;
    return !foi_desk_step_on(p->desk) || ++p->asked > MOST_ASKED ||
           foi_desk_turns(p->desk) > MOST_TURNS;
}

/// Others have their turn in the middle of it, also where there are no stacks to switch.
static void in_slices(foi_desk_request *q, void (*work)(void *self))
{
    q->unfinished = !foi_desk_slice(q->desk, &q->slices, work, q);
}

static void fail(foi_desk_request *q, fo_status status)
{
    if (status == FO_ERROR_CANCELLED)
        foi_desk_refuse(
            q, "limit",
            "more work than one answer may take: run this analysis with the program 'foliot'");
    else
        foi_desk_fail(q, status == FO_OK ? FO_ERROR_MEMORY : status);
}

// ---------------------------------------------------------------------------------------- answers

static void put_names(foi_json_writer *w, const char *key, const char *const *names, size_t count)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; i < count; i++) foi_json_put_text(w, NULL, names[i]);
    foi_json_close(w, ']');
}

static void put_numbers(foi_json_writer *w, const char *key, const double *values, size_t count)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; i < count; i++) foi_desk_put(w, NULL, values[i]);
    foi_json_close(w, ']');
}

static void put_matrix(foi_json_writer *w, const char *key, const double *m, size_t rows,
                       size_t columns)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; m && i < rows; i++) put_numbers(w, NULL, m + i * columns, columns);
    foi_json_close(w, ']');
}

static void put_pairs(foi_json_writer *w, const char *key, const double *re, const double *im,
                      size_t count)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; i < count; i++) put_numbers(w, NULL, (double[]){re[i], im[i]}, 2);
    foi_json_close(w, ']');
}

// ---------------------------------------------------------------------------------- linear system

static void put_linear(foi_json_writer *w, const fo_linear *l)
{
    size_t n = l->states, m = l->inputs, p = l->outputs;
    foi_desk_put(w, "t", l->t);
    foi_json_put_truth(w, "exact", l->exact);
    put_names(w, "states", l->state_names, n);
    put_names(w, "inputs", l->input_names, m);
    put_names(w, "outputs", l->output_names, p);
    put_numbers(w, "point", l->point, n);
    put_matrix(w, "A", l->a, n, n);
    put_matrix(w, "B", l->b, n, m);
    put_matrix(w, "C", l->c, p, n);
    put_matrix(w, "D", l->d, p, m);
    put_pairs(w, "poles", l->re, l->im, n);
    put_pairs(w, "zeros", l->zero_re, l->zero_im, l->zeros);
    foi_json_put_truth(w, "controllable", l->controllable);
    foi_json_put_truth(w, "observable", l->observable);
}

/// The frequency response from the first input to the first output at `count` frequencies.
static void put_response(foi_json_writer *w, const fo_linear *l, uint64_t count)
{
    double low, high;
    fo_linear_range(l, &low, &high);
    foi_json_open(w, "response", '[', true);
    for (uint64_t i = 0; i < count; i++) {
        double omega = low * foi_pow(high / low, count > 1 ? (double)i / (double)(count - 1) : 0);
        double re, im;
        if (!fo_linear_response(l, 0, 0, omega, &re, &im)) re = im = NAN;
        put_numbers(w, NULL, (double[]){omega, re, im}, 3);
    }
    foi_json_close(w, ']');
}

static void linearize(void *self)
{
    foi_desk_request *q = self;
    foi_arena arena;
    foi_arena_begin(&arena, q->desk->allocator, SIZE_MAX);
    fo_linear_def def = fo_default_linear_def();
    def.inputs = texts_of(q, &arena, "inputs", &def.input_count);
    def.outputs = texts_of(q, &arena, "outputs", &def.output_count);
    def.at = foi_desk_number(q, "at", def.at);
    def.steady = foi_read_truth(&q->read, q->body, "steady");
    uint64_t frequencies = (uint64_t)foi_desk_whole(q, "frequencies", 0, 0, 2000);
    fo_linear *l = NULL;
    if (take_document(q, &arena, &def.experiment)) {
        bool leaves = foi_desk_anywhere(q->desk, true);
        l = fo_linear_create(&def, &q->why);
        foi_desk_anywhere(q->desk, leaves);
        if (!l) fail(q, q->why.status);
    }
    bool may = foi_desk_anywhere(q->desk, true); // a matrix of 1,000 states is large
    if (l) put_linear(&q->answer, l);
    if (l && frequencies && l->inputs && l->outputs) put_response(&q->answer, l, frequencies);
    foi_desk_anywhere(q->desk, may);
    fo_linear_destroy(l);
    foi_arena_end(&arena);
}

void foi_desk_linearize(foi_desk_request *q)
{
    in_slices(q, linearize);
}

// ------------------------------------------------------------------------------------- equilibria

static void put_steady(foi_json_writer *w, const fo_steady *s)
{
    size_t n = fo_steady_states(s);
    char name[128];
    foi_json_open(w, "states", '[', true);
    for (size_t i = 0; i < n; i++)
        foi_json_put_text(w, NULL, fo_steady_name(s, i, name, sizeof name));
    foi_json_close(w, ']');
    foi_json_open(w, "list", '[', true);
    for (size_t i = 0; i < fo_steady_count(s); i++) {
        const fo_equilibrium *e = fo_steady_get(s, i);
        foi_json_open(w, NULL, '{', true);
        if (!isnan(e->parameter)) foi_desk_put(w, "parameter", e->parameter);
        put_numbers(w, "x", e->x, n);
        put_pairs(w, "eigenvalues", e->re, e->im, n);
        foi_json_put_text(w, "stability",
                          e->stability > 0   ? "stable"
                          : e->stability < 0 ? "unstable"
                                             : "undecided");
        if (e->mark[0]) foi_json_put_text(w, "mark", e->mark);
        if (!isnan(e->parameter)) foi_json_put_number(w, "branch", e->branch);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void find_steady(void *self)
{
    foi_desk_request *q = self;
    foi_arena arena;
    patience waits = {q->desk, 0};
    foi_arena_begin(&arena, q->desk->allocator, SIZE_MAX);
    fo_steady_def def = fo_default_steady_def();
    def.starts = (uint32_t)foi_desk_whole(q, "starts", 16, 0, 1000);
    def.vary = foi_desk_text(q, "vary");
    def.cancelled = is_enough, def.self = &waits;
    fo_steady *s = NULL;
    if (take_document(q, &arena, &def.experiment)) {
        bool leaves = foi_desk_anywhere(q->desk, true);
        s = fo_steady_create(&def, &q->why);
        foi_desk_anywhere(q->desk, leaves);
        if (!s) fail(q, q->why.status);
    }
    bool may = foi_desk_anywhere(q->desk, true);
    if (s) put_steady(&q->answer, s);
    foi_desk_anywhere(q->desk, may);
    fo_steady_destroy(s);
    foi_arena_end(&arena);
}

void foi_desk_steady(foi_desk_request *q)
{
    in_slices(q, find_steady);
}

// ---------------------------------------------------------------------------------- sensitivities

static void differentiate(void *self)
{
    foi_desk_request *q = self;
    foi_arena arena;
    patience waits = {q->desk, 0};
    foi_arena_begin(&arena, q->desk->allocator, SIZE_MAX);
    fo_sensitivity_def def = fo_default_sensitivity_def();
    def.to = texts_of(q, &arena, "to", &def.to_count);
    def.measures = texts_of(q, &arena, "measures", &def.measure_count);
    def.threads = 1;
    def.cancelled = is_enough, def.self = &waits;
    fo_sensitivity *s = NULL;
    if (take_document(q, &arena, &def.experiment)) {
        bool leaves = foi_desk_anywhere(q->desk, true);
        s = fo_sensitivity_create(&def, &q->why);
        foi_desk_anywhere(q->desk, leaves);
        if (!s) fail(q, q->why.status);
    }
    bool may = foi_desk_anywhere(q->desk, true);
    if (s) {
        put_names(&q->answer, "names", s->names, s->numbers);
        put_numbers(&q->answer, "values", s->values, s->measures);
        put_matrix(&q->answer, "derivatives", s->derivatives, s->measures, s->numbers);
        put_matrix(&q->answer, "errors", s->errors, s->measures, s->numbers);
    }
    foi_desk_anywhere(q->desk, may);
    fo_sensitivity_destroy(s);
    foi_arena_end(&arena);
}

void foi_desk_sensitivity(foi_desk_request *q)
{
    in_slices(q, differentiate);
}

// ------------------------------------------------------------------------------------------- fits

/// Measured data: {"t": [0, 1], "signals": {"x": [1, 0.5]}}; null in a list: not measured.
static bool take_data(foi_desk_request *q, foi_arena *arena, const foi_json_value *v,
                      fo_fit_data *to)
{
    const foi_json_value *t = foi_json_member(v, "t"), *signals = foi_json_member(v, "signals");
    if (!t || t->kind != FOI_JSON_LIST || !signals || signals->kind != FOI_JSON_OBJECT) {
        foi_desk_refuse(q, "argument", "data must be {\"t\": [...], \"signals\": {\"x\": [...]}}");
        return false;
    }
    size_t rows = t->count, columns = signals->count, k = 0;
    double *times = foi_arena_new(arena, rows + 1, sizeof *times);
    double *values = foi_arena_new(arena, rows * columns + 1, sizeof *values);
    const char **names = foi_arena_new(arena, columns + 1, sizeof *names);
    if (!times || !values || !names) return false;
    for (const foi_json_value *i = t->first; i; i = i->next)
        times[i->index] = foi_read_value(&q->read, i, FOI_ANY);
    for (const foi_json_value *s = signals->first; s; s = s->next, k++) {
        names[k] = foi_arena_text(arena, s->key, strlen(s->key));
        if (s->kind != FOI_JSON_LIST || s->count != rows) {
            foi_desk_refuse(q, "argument", "'%.60s' must have as many values as there are times",
                            s->key);
            return false;
        }
        for (const foi_json_value *i = s->first; i; i = i->next)
            values[i->index * columns + k] =
                i->kind == FOI_JSON_NULL ? NAN : foi_read_value(&q->read, i, FOI_ANY);
    }
    *to = (fo_fit_data){names, columns, rows, times, values};
    return !foi_desk_refused(q);
}

static fo_fit_data *take_all_data(foi_desk_request *q, foi_arena *arena, size_t *count)
{
    const foi_json_value *list = foi_json_member(q->body, "data");
    *count = 0;
    if (!list || list->kind != FOI_JSON_LIST || !list->count || list->count > MOST_TEXTS) {
        foi_desk_refuse(q, "argument", "\"data\" must be a list of 1 to %d runs", MOST_TEXTS);
        return NULL;
    }
    fo_fit_data *all = foi_arena_new(arena, list->count, sizeof *all);
    for (const foi_json_value *v = list->first; all && v; v = v->next)
        if (!take_data(q, arena, v, &all[(*count)++])) return NULL;
    return all;
}

static void put_fit(foi_json_writer *w, const fo_fit *f)
{
    put_names(w, "names", f->names, f->count);
    put_numbers(w, "values", f->values, f->count);
    put_numbers(w, "errors", f->errors, f->count);
    put_matrix(w, "correlation", f->correlation, f->count, f->count);
    foi_json_put_number(w, "measured", (double)f->measured);
    foi_desk_put(w, "deviation", f->deviation);
    foi_json_put_truth(w, "ambiguous", f->ambiguous);
}

static void fit(void *self)
{
    foi_desk_request *q = self;
    foi_arena arena;
    patience waits = {q->desk, 0};
    foi_arena_begin(&arena, q->desk->allocator, SIZE_MAX);
    fo_fit_def def = fo_default_fit_def();
    def.adjust = texts_of(q, &arena, "adjust", &def.adjust_count);
    def.data = take_all_data(q, &arena, &def.data_count);
    def.starts = (uint32_t)foi_desk_whole(q, "starts", 0, 0, 100);
    def.cancelled = is_enough, def.self = &waits;
    fo_fit *f = NULL;
    if (take_document(q, &arena, &def.experiment)) {
        bool may = foi_desk_anywhere(q->desk, true);
        f = fo_fit_create(&def, &q->why);
        foi_desk_anywhere(q->desk, may);
        if (!f) fail(q, q->why.status);
    }
    if (f) put_fit(&q->answer, f);
    fo_fit_destroy(f);
    foi_arena_end(&arena);
}

void foi_desk_fit(foi_desk_request *q)
{
    in_slices(q, fit);
}

// ----------------------------------------------------------------------------------------- optima

static void put_optimum(foi_json_writer *w, const fo_optimum *f)
{
    put_names(w, "names", f->names, f->count);
    put_numbers(w, "values", f->values, f->count);
    foi_json_open(w, "at_bound", '[', true);
    for (size_t i = 0; i < f->count; i++) foi_json_put_truth(w, NULL, f->at_bound[i]);
    foi_json_close(w, ']');
    foi_desk_put(w, "objective", f->objective);
    put_numbers(w, "left", f->left, f->conditions);
    put_numbers(w, "right", f->right, f->conditions);
    if (f->slopes) put_numbers(w, "slopes", f->slopes, f->count);
    foi_json_put_text(w, "method", f->method);
    foi_json_put_number(w, "runs", (double)f->runs);
}

static void define_optimum(foi_desk_request *q, foi_arena *arena, fo_optimize_def *def)
{
    const char *least = foi_desk_text(q, "minimize"), *most = foi_desk_text(q, "maximize");
    def->adjust = texts_of(q, arena, "adjust", &def->adjust_count);
    def->subject = texts_of(q, arena, "subject", &def->subject_count);
    if (!least == !most)
        foi_desk_refuse(q, "argument",
                        "exactly one of \"minimize\" and \"maximize\" must be given");
    def->objective = least ? least : most, def->maximize = !least;
    def->method = foi_desk_text(q, "method");
    def->starts = (uint32_t)foi_desk_whole(q, "starts", 0, 0, 100);
    def->seed = foi_desk_seed(q, 1);
    def->tolerance = foi_desk_number(q, "precision", 0);
    if (!(def->tolerance >= 0))
        foi_desk_refuse(q, "argument", "\"precision\" must not be negative");
    def->threads = 1;
}

static void optimize(void *self)
{
    foi_desk_request *q = self;
    foi_arena arena;
    patience waits = {q->desk, 0};
    foi_arena_begin(&arena, q->desk->allocator, SIZE_MAX);
    fo_optimize_def def = fo_default_optimize_def();
    define_optimum(q, &arena, &def);
    def.cancelled = is_enough, def.self = &waits;
    fo_optimum *f = NULL;
    if (take_document(q, &arena, &def.experiment)) {
        bool may = foi_desk_anywhere(q->desk, true);
        f = fo_optimum_create(&def, &q->why);
        foi_desk_anywhere(q->desk, may);
        if (!f) fail(q, q->why.status);
    }
    if (f && f->reached) put_optimum(&q->answer, f);
    if (f && !f->reached) fail(q, FO_ERROR_CANCELLED);
    fo_optimum_destroy(f);
    foi_arena_end(&arena);
}

void foi_desk_optimize(foi_desk_request *q)
{
    in_slices(q, optimize);
}

// ----------------------------------------------------------------------------------------- sweeps

void foi_desk_sweep_free(fo_desk *desk, foi_desk_sweep *s)
{
    fo_parameter_sweep_destroy(s->sweep);
    foi_arena_end(&s->arena);
    foi_free(desk->allocator, s);
}

static fo_status tell_row(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    foi_desk_sweep *s = self;
    (void)why;
    bool may = foi_desk_anywhere(s->desk, false);
    foi_json_writer w = foi_desk_event(s->desk, "row");
    foi_json_put_number(&w, "sweep", (double)s->handle);
    foi_json_put_number(&w, "number", (double)row->number);
    put_numbers(&w, "values", row->values, s->varied);
    put_numbers(&w, "measures", row->measures, s->measured);
    if (row->status != FO_OK) foi_json_put_text(&w, "status", foi_desk_status(row->status));
    if (row->reason[0]) foi_json_put_text(&w, "text", row->reason);
    foi_desk_say_event(s->desk, &w);
    s->next = row->number + 1;
    foi_desk_anywhere(s->desk, may);
    return FO_OK;
}

/// One run, then others have their turn.
static bool is_one_done(void *self, uint64_t done, uint64_t count)
{
    (void)self, (void)done, (void)count;
    return false;
}

static bool is_cancelled(void *self)
{
    const foi_desk_sweep *s = self;
    return !foi_desk_step_on(s->desk) || s->ended;
}

static fo_design design_of(foi_desk_request *q)
{
    static const char *const designs[] = {"grid", "latin", "sobol", "random", NULL};
    return (fo_design)foi_read_word(&q->read, foi_json_member(q->body, "design"), designs);
}

static void make_sweep(foi_desk_request *q, foi_desk_sweep *s)
{
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.vary = texts_of(q, &s->arena, "vary", &def.vary_count);
    def.measures = texts_of(q, &s->arena, "measures", &def.measure_count);
    def.design = design_of(q);
    def.samples = (uint64_t)foi_desk_whole(q, "samples", 0, 0, 1e6);
    def.seed = foi_desk_seed(q, 1);
    def.threads = 1;
    def.row = tell_row, def.progress = is_one_done, def.cancelled = is_cancelled, def.self = s;
    if (!take_document(q, &s->arena, &def.experiment)) return;
    s->varied = def.vary_count, s->measured = def.measure_count;
    bool may = foi_desk_anywhere(q->desk, true);
    s->sweep = fo_parameter_sweep_create(&def, &q->why);
    foi_desk_anywhere(q->desk, may);
    if (!s->sweep) fail(q, q->why.status);
}

void foi_desk_sweep_verb(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    if (desk->sweep_count >= desk->def.runs) {
        foi_desk_refuse(q, "limit", "more than %u sweeps: cancel some", desk->def.runs);
        return;
    }
    foi_desk_sweep *s = foi_new(desk->allocator, 1, sizeof *s);
    if (!s) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    s->desk = desk;
    foi_arena_begin(&s->arena, desk->allocator, SIZE_MAX);
    make_sweep(q, s);
    if (foi_desk_cancelled(desk)) foi_desk_fail(q, FO_ERROR_CANCELLED);
    if (!foi_desk_refused(q) && !foi_array_room(desk->allocator, &desk->sweeps, &desk->sweep_room,
                                                desk->sweep_count + 1, sizeof(foi_desk_sweep *)))
        foi_desk_fail(q, FO_ERROR_MEMORY);
    if (foi_desk_refused(q)) {
        foi_desk_sweep_free(desk, s);
        return;
    }
    s->handle = ++desk->handles;
    desk->sweeps[desk->sweep_count++] = s;
    foi_json_put_number(&q->answer, "sweep", (double)s->handle);
    foi_json_put_number(&q->answer, "count", (double)fo_parameter_sweep_count(s->sweep));
    foi_json_open(&q->answer, "names", '[', true);
    for (size_t i = 0; i < s->varied; i++)
        foi_json_put_text(&q->answer, NULL, fo_parameter_sweep_name(s->sweep, i));
    foi_json_close(&q->answer, ']');
}

static void end_sweep(fo_desk *desk, foi_desk_sweep *s, fo_status status, const char *text)
{
    foi_json_writer w = foi_desk_event(desk, "swept");
    foi_json_put_number(&w, "sweep", (double)s->handle);
    foi_json_put_text(&w, "status", foi_desk_status(status));
    if (text[0]) foi_json_put_text(&w, "text", text);
    foi_json_put_number(&w, "rows", (double)s->next);
    foi_desk_say_event(desk, &w);
    size_t index = 0;
    while (desk->sweeps[index] != s) index++;
    memmove(&desk->sweeps[index], &desk->sweeps[index + 1],
            (--desk->sweep_count - index) * sizeof *desk->sweeps);
    foi_desk_sweep_free(desk, s);
}

/// One run of a sweep.
typedef struct turn {
    foi_desk_task task;
    foi_desk_sweep *sweep;
    foi_desk_slices *slices;
} turn;

static void run_once(void *self)
{
    foi_desk_task *t = self;
    foi_desk_sweep *s = ((turn *)t)->sweep;
    fo_message why = {0};
    uint64_t before = s->next, count = fo_parameter_sweep_count(s->sweep);
    bool may = foi_desk_anywhere(t->desk, true);
    fo_status status = fo_parameter_sweep_run(s->sweep, s->next, &why);
    foi_desk_anywhere(t->desk, may);
    s->busy = false;
    if (t->cancelled) return; // the desk is gone
    if (s->ended)
        end_sweep(t->desk, s, FO_ERROR_CANCELLED, "");
    else if (s->next == count)
        end_sweep(t->desk, s, FO_OK, "");
    else if (s->next == before)
        end_sweep(t->desk, s, status, why.text);
}

static void run_turn(foi_desk_task *t)
{
    t->unfinished = !foi_desk_slice(t->desk, &((turn *)t)->slices, run_once, t);
}

static void free_turn(foi_desk_task *t)
{
    foi_free(t->desk->allocator, t);
}

bool foi_desk_sweep_some(fo_desk *desk)
{
    enum { RUN = 20000 }; // units: how long a run is not known before
    if (!foi_desk_may_say(desk) || !foi_desk_task_room(desk)) return false;
    for (size_t i = 0; i < desk->sweep_count; i++) {
        foi_desk_sweep *s = desk->sweeps[desk->sweep_turn++ % desk->sweep_count];
        if (s->busy) continue;
        turn *t = foi_new(desk->allocator, 1, sizeof *t);
        if (!t) {
            end_sweep(desk, s, FO_ERROR_MEMORY, "no memory for a run of the sweep");
            return true;
        }
        t->task = (foi_desk_task){.desk = desk, .work = run_turn, .free = free_turn};
        t->sweep = s, s->busy = true;
        desk->units = desk->units > RUN ? desk->units - RUN : 0;
        foi_desk_task_add(&t->task);
        return true;
    }
    return false;
}

bool foi_desk_sweep_cancel(fo_desk *desk, uint64_t handle)
{
    for (size_t i = 0; i < desk->sweep_count; i++) {
        foi_desk_sweep *s = desk->sweeps[i];
        if (s->handle != handle) continue;
        s->ended = true;
        if (!s->busy) end_sweep(desk, s, FO_ERROR_CANCELLED, "");
        return true;
    }
    return false;
}
