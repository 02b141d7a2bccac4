// Runs: begun by a message, carried on in slices of work, one after the other in turn.
#include <foliot/report.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "desk/desk.h"
#include "desk/task.h"

static void free_simulation(void *sim)
{
    fo_simulation_destroy(sim);
}

static void free_store(void *store)
{
    foi_store_destroy(store);
}

static void end_simulation(fo_desk *desk, foi_desk_run *r)
{
    fo_message why;
    foi_sinks_end(&r->sinks, &why);                               // of one that was cancelled
    if (r->acts && r->open) fo_model_trace(r->open->model, NULL); // it is put away later
    if (r->sim)
        foi_desk_bury(desk, free_simulation, r->sim, r->open);
    else
        foi_desk_model_leave(desk, r->open);
    r->sim = NULL, r->open = NULL;
}

void foi_desk_run_free(fo_desk *desk, foi_desk_run *r)
{
    end_simulation(desk, r);
    for (uint32_t i = 0; r->names && i < r->signal_count; i++)
        foi_free(desk->allocator, r->names[i]);
    foi_free(desk->allocator, r->names);
    foi_free(desk->allocator, r->signals);
    foi_free(desk->allocator, r->solver);
    foi_free(desk->allocator, r->moments);
    foi_sinks_free(&r->sinks);
    if (r->acts) foi_acts_destroy(r->acts);
    if (r->store) foi_desk_bury(desk, free_store, r->store, NULL);
    foi_free(desk->allocator, r);
}

foi_desk_run *foi_desk_run_use(foi_desk_run *r)
{
    r->users++;
    return r;
}

void foi_desk_run_release(fo_desk *desk, foi_desk_run *r)
{
    if (--r->users == 0 && r->forgotten) foi_desk_run_free(desk, r);
}

// ------------------------------------------------------------------------------------- observing

static fo_status keep_row(foi_desk_run *r, const fo_row *row, fo_message *why)
{
    enum { CELLS = 1 << 14 }; // then others have their turn: a step may have millions of rows
    if (r->over) return fo_fail(why, FO_ERROR_CANCELLED, "cancelled at t = %.6g", row->t);
    switch (foi_row_fate_of(&r->last, row)) {
    case FOI_ROW_SKIP: return FO_OK;
    case FOI_ROW_REPLACE: foi_store_replace(r->store, row->t, row->values); return FO_OK;
    case FOI_ROW_APPEND: break;
    }
    fo_status status = foi_store_add(r->store, row->t, row->values, why);
    r->cells += (uint64_t)r->signal_count + 1;
    if (status != FO_OK || r->cells < CELLS) return status;
    r->cells = 0;
    if (foi_desk_step_on(r->desk)) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "cancelled at t = %.6g", row->t);
}

static fo_status take_row(void *self, const fo_row *row, fo_message *why)
{
    foi_desk_run *r = self;
    bool may = foi_desk_anywhere(r->desk, false); // others read the rows between two turns
    fo_status status = keep_row(r, row, why);
    foi_desk_anywhere(r->desk, may);
    return status;
}

// A million of them are copied as others have their turn, who read the old ones meanwhile.
static bool moment_room(foi_desk_run *r)
{
    fo_desk *desk = r->desk;
    if (r->moment_count < r->moment_room) return true;
    size_t room = r->moment_room ? 2 * r->moment_room : 64;
    if (room > desk->def.moments) room = (size_t)desk->def.moments;
    bool may = foi_desk_anywhere(desk, true);
    foi_desk_moment *old = r->moments, *grown = foi_new(desk->allocator, room, sizeof *grown);
    if (grown && old) memcpy(grown, old, r->moment_count * sizeof *grown);
    foi_desk_anywhere(desk, false);
    if (grown) r->moments = grown, r->moment_room = room;
    foi_desk_anywhere(desk, true);
    if (grown) foi_free(desk->allocator, old);
    foi_desk_anywhere(desk, may);
    return grown;
}

static fo_status keep_moment(foi_desk_run *r, const fo_moment *m, fo_message *why)
{
    fo_desk *desk = r->desk;
    if (r->over) return fo_fail(why, FO_ERROR_CANCELLED, "cancelled at t = %.6g", m->t);
    if (r->moment_count >= desk->def.moments) { // counted, not kept
        r->moments_seen++;
        return FO_OK;
    }
    if (!moment_room(r))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for moment %zu", r->moment_count);
    if (r->over) return fo_fail(why, FO_ERROR_CANCELLED, "cancelled at t = %.6g", m->t);
    r->moments_seen++;
    foi_desk_moment *kept = &r->moments[r->moment_count++];
    *kept = (foi_desk_moment){.t = m->t, .k = m->k, .kind = m->kind};
    snprintf(kept->name, sizeof kept->name, "%s", m->name ? m->name : "");
    return FO_OK;
}

fo_status foi_desk_take_moment(void *self, const fo_moment *m, fo_message *why)
{
    foi_desk_run *r = self;
    bool may = foi_desk_anywhere(r->desk, false);
    fo_status status = keep_moment(r, m, why);
    foi_desk_anywhere(r->desk, may);
    return status;
}

// --------------------------------------------------------------------------------------- beginning

bool foi_desk_run_signals(foi_desk_request *q, foi_desk_run *r, const fo_model *m)
{
    fo_system system = fo_model_system(m);
    const foi_json_value *list = foi_json_member(q->body, "signals");
    size_t count = 0;
    const fo_reference *usual = fo_model_rows(m, &count);
    if (list && list->kind != FOI_JSON_LIST)
        foi_desk_refuse(q, "argument", "\"signals\" must be a list");
    if (foi_desk_refused(q)) return false;
    if (list) count = list->count;
    r->signals = foi_new(q->desk->allocator, count, sizeof *r->signals);
    r->names = foi_new(q->desk->allocator, count, sizeof *r->names);
    r->signal_count = r->names ? (uint32_t)count : 0;
    if (!r->signals || !r->names) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    const foi_json_value *v = list ? list->first : NULL;
    for (size_t i = 0; i < count; i++, v = v ? v->next : NULL) {
        char name[256];
        if (!list) {
            r->signals[i] = usual[i];
        } else if (v->kind != FOI_JSON_TEXT) {
            foi_desk_refuse(q, "argument", "\"signals\" must be a list of names");
            return false;
        } else if (fo_failed(fo_system_find(system, v->text, &r->signals[i], &q->why))) {
            foi_desk_fail(q, FO_ERROR_ARGUMENT);
            return false;
        }
        fo_system_name(system, r->signals[i], name, sizeof name);
        r->names[i] = foi_copy_text(q->desk->allocator, name);
        if (!r->names[i]) foi_desk_fail(q, FO_ERROR_MEMORY);
        if (!foi_desk_go_on(q->desk)) foi_desk_fail(q, FO_ERROR_CANCELLED);
        if (foi_desk_refused(q)) return false;
    }
    return !foi_desk_refused(q);
}

static void check_size(foi_desk_request *q, const char *key, double value)
{
    if (!(value >= 0))
        foi_desk_refuse(q, "argument", "\"%s\" must not be negative, as %g is", key, value);
}

void foi_desk_run_numbers(foi_desk_request *q, fo_run_def *run)
{
    run->start = foi_desk_number(q, "start", run->start);
    run->stop = foi_desk_number(q, "stop", run->stop);
    run->step = foi_desk_number(q, "step", run->step);
    run->rtol = foi_desk_number(q, "rtol", run->rtol);
    run->atol = foi_desk_number(q, "atol", run->atol);
    run->max_step = foi_desk_number(q, "max_step", run->max_step);
    check_size(q, "step", run->step), check_size(q, "max_step", run->max_step);
    check_size(q, "rtol", run->rtol), check_size(q, "atol", run->atol);
}

static void check_times(foi_desk_request *q, const fo_run_def *run)
{
    if (run->stop < run->start)
        foi_desk_refuse(q, "argument", "a run cannot go from t = %g to t = %g", run->start,
                        run->stop);
    foi_desk_check_moves(q, "a step", run->step, run->start, run->stop);
    foi_desk_check_moves(q, "a longest step", run->max_step, run->start, run->stop);
}

static bool choose_definition(foi_desk_request *q, foi_desk_run *r, const fo_model *m)
{
    const char *solver = foi_desk_text(q, "solver");
    if (solver && !fo_solver_find(solver, &q->why)) foi_desk_fail(q, FO_ERROR_ARGUMENT);
    if (foi_desk_refused(q)) return false;
    r->def = fo_model_run_def_with(m, solver);
    foi_desk_run_numbers(q, &r->def);
    check_times(q, &r->def);
    r->def.seed = foi_desk_seed(q, r->def.seed);
    r->def.allocator = q->desk->allocator;
    if (r->def.solver) {
        r->solver = foi_copy_text(q->desk->allocator, r->def.solver);
        r->def.solver = r->solver;
        if (!r->solver) foi_desk_fail(q, FO_ERROR_MEMORY);
    }
    return !foi_desk_refused(q);
}

static bool make_simulation(foi_desk_request *q, foi_desk_run *r, fo_model *m)
{
    double interval = foi_desk_number(q, "interval", fo_model_interval(m));
    foi_desk_check_moves(q, "an interval", interval, r->def.start, r->def.stop);
    if (foi_desk_refused(q)) return false;
    fo_observer observers[2] = {{.self = r,
                                 .row = take_row,
                                 .moment = foi_desk_take_moment,
                                 .signals = r->signals,
                                 .signal_count = r->signal_count,
                                 .interval = interval}};
    bool files = foi_sinks_begin(q, &r->sinks, m, &observers[1]);
    if (foi_desk_refused(q)) return false;
    r->store = foi_store_create(r->signal_count, q->desk->def.rows, q->desk->allocator);
    if (!r->store) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    r->def.observers = observers, r->def.observer_count = files ? 2 : 1;
    bool may = foi_desk_anywhere(q->desk, true);
    r->sim = fo_simulation_create(fo_model_system(m), &r->def, &q->why);
    foi_desk_anywhere(q->desk, may);
    r->def.observers = NULL, r->def.observer_count = 0;
    if (r->sim) return true;
    foi_desk_fail(q, q->why.status);
    return false;
}

static void put_signals(foi_json_writer *w, const foi_desk_run *r)
{
    foi_json_open(w, "signals", '[', true);
    for (uint32_t i = 0; i < r->signal_count; i++) foi_json_put_text(w, NULL, r->names[i]);
    foi_json_close(w, ']');
}

foi_acts *foi_desk_acts_begin(foi_desk_request *q, fo_model *m, uint64_t most)
{
    if (fo_model_acts(m) == FO_ACTS_NONE) {
        foi_desk_refuse(
            q, "argument",
            "the model has neither processes nor entities, whose acts could be recorded");
        return NULL;
    }
    foi_acts *acts = foi_acts_create(q->desk, most);
    fo_trace trace = acts ? foi_acts_trace(acts) : (fo_trace){0};
    if (acts && fo_model_trace(m, &trace) == FO_OK) return acts;
    foi_acts_destroy(acts);
    foi_desk_fail(q, FO_ERROR_MEMORY);
    return NULL;
}

bool foi_desk_keep_run(foi_desk_request *q, foi_desk_run *r)
{
    fo_desk *desk = q->desk;
    if (!foi_array_room(desk->allocator, &desk->runs, &desk->run_room, desk->run_count + 1,
                        sizeof *desk->runs)) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    r->handle = ++desk->handles;
    desk->runs[desk->run_count++] = r;
    return true;
}

void foi_desk_start_run(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_document *d = foi_desk_find_document(q);
    if (!d) return;
    if (desk->run_count >= desk->def.runs) {
        foi_desk_refuse(q, "limit", "more than %u runs: forget some", desk->def.runs);
        return;
    }
    foi_desk_run *r = foi_new(desk->allocator, 1, sizeof *r);
    if (!r) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    r->desk = desk, r->status = FO_PAUSED;
    bool acts = foi_read_truth(&q->read, q->body, "acts");
    r->open = foi_desk_model_for_run(desk, d, acts);
    if (!r->open)
        foi_desk_fail(q, FO_ERROR_MEMORY);
    else if (fo_failed(fo_model_status(r->open->model)))
        foi_desk_refuse_model(q, r->open);
    if (acts && !foi_desk_refused(q))
        r->acts = foi_desk_acts_begin(q, r->open->model, desk->def.moments);
    bool made = !foi_desk_refused(q) && foi_desk_model_enter(desk, r->open);
    if (made) {
        made = foi_desk_run_signals(q, r, r->open->model) &&
               choose_definition(q, r, r->open->model) && make_simulation(q, r, r->open->model);
        foi_desk_model_exit(r->open);
    }
    if (made) { // before it is begun: others have their turn, and it would be over before its
                // answer
        foi_desk_put(&q->answer, "start", r->def.start);
        foi_desk_put(&q->answer, "stop", r->def.stop);
        bool may = foi_desk_anywhere(desk, true);
        put_signals(&q->answer, r);
        foi_desk_anywhere(desk, may);
    }
    if (!made || foi_desk_cancelled(desk) || !foi_desk_keep_run(q, r)) {
        foi_desk_run_free(desk, r);
        return;
    }
    foi_json_put_number(&q->answer, "run", (double)r->handle);
}

// ------------------------------------------------------------------------------------- carrying on

void foi_desk_progress(foi_desk_request *q)
{
    const foi_desk_run *r = foi_desk_find_run(q, foi_desk_handle(q, "run"));
    if (!r) return;
    uint64_t rows = foi_store_rows(r->store);
    double last = rows ? foi_store_time(r->store, rows - 1) : r->def.start;
    foi_json_put_text(&q->answer, "status", r->over ? foi_desk_status(r->status) : "running");
    foi_desk_put(&q->answer, "t", r->over ? last : fo_simulation_time(r->sim));
    foi_desk_put(&q->answer, "stop", r->def.stop);
    foi_json_put_number(&q->answer, "rows", (double)rows);
}

static void tell_progress(fo_desk *desk, foi_desk_run *r)
{
    if (!foi_desk_may_say(desk)) return;
    foi_json_writer w = foi_desk_event(desk, "progress");
    foi_json_put_number(&w, "run", (double)r->handle);
    foi_desk_put(&w, "t", fo_simulation_time(r->sim));
    foi_desk_put(&w, "stop", r->def.stop);
    foi_json_put_number(&w, "rows", (double)foi_store_rows(r->store));
    foi_desk_say_event(desk, &w);
}

static void tell_done(fo_desk *desk, const foi_desk_run *r)
{
    foi_json_writer w = foi_desk_event(desk, "done");
    foi_json_put_number(&w, "run", (double)r->handle);
    foi_json_put_text(&w, "status", foi_desk_status(r->status));
    if (r->text[0]) foi_json_put_text(&w, "text", r->text);
    foi_json_put_text(&w, "solver", r->used);
    foi_json_put_number(&w, "rows", (double)foi_store_rows(r->store));
    foi_json_put_number(&w, "moments", (double)r->moments_seen);
    foi_json_put_number(&w, "steps", (double)r->statistics.steps);
    foi_json_put_number(&w, "rates", (double)r->statistics.rates);
    foi_json_put_number(&w, "guards", r->statistics.guard_count);
    foi_json_put_number(&w, "certified", r->statistics.certified_guards);
    foi_desk_say_event(desk, &w);
}

static void finish_files(foi_desk_run *r)
{
    fo_message why = {0};
    fo_status status = foi_sinks_end(&r->sinks, &why);
    if (!fo_failed(status) || fo_failed(r->status)) return;
    r->status = status;
    snprintf(r->text, sizeof r->text, "%s", why.text);
}

static void end_run(fo_desk *desk, foi_desk_run *r, fo_status status)
{
    r->status = status;
    r->statistics = fo_simulation_statistics(r->sim);
    const fo_message *why = fo_simulation_message(r->sim);
    if (status == FO_STOPPED || fo_failed(status))
        snprintf(r->text, sizeof r->text, "%s", why->text);
    const fo_solver_info *solver = fo_simulation_solver(r->sim);
    snprintf(r->used, sizeof r->used, "%s", solver ? solver->name : "");
    r->over = true; // what the rest of its step does is not kept
    finish_files(r);
    if (r->acts) foi_acts_end(r->acts);
    if (!r->carried) end_simulation(desk, r); // else the slice does it
    tell_done(desk, r);
}

/// A slice of a run, on a stack of its own: a single step may be long.
typedef struct slice {
    foi_desk_task task;
    foi_desk_run *run;
} slice;

enum { SLICE = 20000 }; // units for one run before the next has its turn

// Some steps. Where the slice is one piece nobody else ends it when they are long: it looks at the
// host's clock, after one step first, and takes nothing else in hand when it has taken enough.
// Steps that turn out short are followed by more, as long as a turn may take: a turn of the desk
// and its looks at the clock cost what ten or more steps of compiled code do. Not in the first
// slice: the program is compiled after it.
static fo_status advance(fo_desk *desk, foi_desk_run *r, uint64_t steps, bool first)
{
    enum { TURN = 200000, MOMENT = 4000000 }; // ns
    enum { MORE = 16 };                       // times as many, whatever the clock says
    int64_t since;
    if (!foi_desk_in_one_piece(desk, &since))
        return fo_simulation_advance_some(r->sim, r->def.stop, steps);
    fo_status status = FO_PAUSED;
    int64_t now = since;
    uint64_t left = first ? steps : steps * MORE, least = left - steps;
    for (uint64_t some = 1; status == FO_PAUSED && left && now - since < MOMENT; some *= 2) {
        if (left <= least && now - since >= TURN) break;
        if (some > left) some = left;
        status = fo_simulation_advance_some(r->sim, r->def.stop, some);
        left -= some;
        foi_desk_in_one_piece(desk, &now);
    }
    if (now - since >= MOMENT) desk->units = 0;
    return status;
}

static void carry_on(fo_desk *desk, foi_desk_run *r)
{
    uint64_t units = desk->units < SLICE ? desk->units : SLICE;
    uint64_t states = fo_simulation_state(r->sim)->shape.states + (uint64_t)1;
    uint64_t before = fo_simulation_statistics(r->sim).rates, steps = units / (8 * states);
    if (!foi_desk_model_enter(desk, r->open)) return;
    bool may = foi_desk_anywhere(desk, true);
    fo_status status = advance(desk, r, steps ? steps : 1, before * states < SLICE);
    foi_desk_anywhere(desk, may);
    foi_desk_model_exit(r->open);
    uint64_t spent = (fo_simulation_statistics(r->sim).rates - before + 8) * states;
    desk->units = desk->units > spent ? desk->units - spent : 0;
    bool longer = fo_simulation_statistics(r->sim).rates * states >= SLICE;
    if (status == FO_PAUSED && longer && !r->over) foi_desk_model_code(desk, r->open);
    r->carried = false;
    if (r->over) {
        end_simulation(desk, r); // it was cancelled meanwhile
    } else if (status != FO_PAUSED) {
        end_run(desk, r, status);
    } else if (foi_store_rows(r->store) - r->told >= 4096) {
        r->told = foi_store_rows(r->store);
        tell_progress(desk, r);
    }
}

static void run_slice(foi_desk_task *t)
{
    carry_on(t->desk, ((slice *)t)->run);
}

static void free_slice(foi_desk_task *t)
{
    foi_desk_run *r = ((slice *)t)->run;
    if (r->carried) { // the desk is put away, or it was cancelled before it began
        r->carried = false;
        if (r->over) end_simulation(t->desk, r);
    }
    r->slice = NULL;
    foi_desk_run_release(t->desk, r);
    foi_free(t->desk->allocator, t);
}

static void begin_slice(fo_desk *desk, foi_desk_run *r)
{
    slice *s = foi_new(desk->allocator, 1, sizeof *s);
    if (!s) {
        snprintf(r->text, sizeof r->text, "no memory for a slice of the run");
        end_run(desk, r, FO_ERROR_MEMORY);
        return;
    }
    s->task = (foi_desk_task){.desk = desk, .work = run_slice, .free = free_slice, .apart = true};
    s->run = foi_desk_run_use(r), r->slice = &s->task;
    r->carried = true;
    foi_desk_task_add(&s->task);
}

bool foi_desk_run_some(fo_desk *desk)
{
    enum { MOST_CARRIED = 8 }; // left in the middle of a step
    size_t carried = 0;
    for (size_t i = 0; i < desk->run_count; i++) carried += desk->runs[i]->carried;
    if (carried >= MOST_CARRIED || !foi_desk_task_room(desk)) return false;
    for (size_t i = 0; i < desk->run_count; i++) {
        foi_desk_run *r = desk->runs[(desk->turn + i) % desk->run_count];
        if (r->over || r->carried) continue;
        desk->turn = (desk->turn + i + 1) % desk->run_count;
        begin_slice(desk, r);
        return true;
    }
    return false;
}

// One that is in the middle of a step goes on to its end, behind all others.
static void cancel_run(fo_desk *desk, foi_desk_run *r)
{
    if (r->over) return;
    end_run(desk, r, FO_ERROR_CANCELLED);
    if (r->slice) foi_desk_task_abandon(r->slice);
}

void foi_desk_cancel(foi_desk_request *q)
{
    // cancelling what is over already is no mistake
    if (foi_json_member(q->body, "request")) {
        double id = foi_desk_whole(q, "request", 0, 0, FOI_DESK_MOST);
        if (!foi_desk_refused(q)) foi_desk_task_cancel(q->desk, id);
        return;
    }
    if (foi_json_member(q->body, "sweep")) {
        uint64_t sweep = foi_desk_handle(q, "sweep");
        if (!foi_desk_refused(q)) foi_desk_sweep_cancel(q->desk, sweep);
        return;
    }
    uint64_t handle = foi_desk_handle(q, "run");
    if (foi_desk_refused(q)) return;
    for (size_t i = 0; i < q->desk->run_count; i++) {
        foi_desk_run *r = q->desk->runs[i];
        if (r->handle == handle) cancel_run(q->desk, r);
    }
}

void foi_desk_forget(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_run *r = foi_desk_find_run(q, foi_desk_handle(q, "run"));
    if (!r) return;
    size_t i = 0;
    while (desk->runs[i] != r) i++;
    memmove(&desk->runs[i], &desk->runs[i + 1], (--desk->run_count - i) * sizeof *desk->runs);
    fo_message why;
    foi_desk_run_use(r);
    r->over = r->forgotten = true;
    foi_sinks_end(&r->sinks, &why);
    if (r->slice) foi_desk_task_abandon(r->slice);
    foi_desk_run_release(desk, r);
}

// ------------------------------------------------------------------------------------ what it left

enum { MOST_ACTS = 20000 }; // in one answer: some milliseconds

void foi_desk_moments(foi_desk_request *q)
{
    foi_desk_run *r = foi_desk_find_run(q, foi_desk_handle(q, "run"));
    double after = foi_desk_whole(q, "after", 0, 0, FOI_DESK_MOST);
    double most = foi_desk_whole(q, "most", 1000, 0, FOI_DESK_MOST);
    if (!r || foi_desk_refused(q)) return;
    size_t from = after < (double)r->moment_count ? (size_t)after : r->moment_count;
    size_t left = r->moment_count - from, count = most < (double)left ? (size_t)most : left;
    foi_json_put_number(&q->answer, "count", (double)r->moments_seen);
    foi_json_open(&q->answer, "list", '[', true);
    for (size_t i = from; i < from + count && foi_desk_go_on(q->desk); i++) {
        const foi_desk_moment *m = &r->moments[i]; // which may have moved meanwhile
        foi_json_open(&q->answer, NULL, '{', true);
        foi_desk_put(&q->answer, "t", m->t);
        foi_json_put_number(&q->answer, "k", m->k);
        foi_json_put_text(&q->answer, "name", m->name);
        foi_json_put_text(&q->answer, "kind", fo_moment_kind_text(m->kind));
        foi_json_close(&q->answer, '}');
    }
    foi_json_close(&q->answer, ']');
}

void foi_desk_acts(foi_desk_request *q)
{
    foi_desk_run *r = foi_desk_find_run(q, foi_desk_handle(q, "run"));
    double after = foi_desk_whole(q, "after", 0, 0, FOI_DESK_MOST);
    double most = foi_desk_whole(q, "most", 1000, 0, FOI_DESK_MOST);
    if (r && !r->acts) foi_desk_refuse(q, "argument", "the run was started without \"acts\": true");
    if (!r || foi_desk_refused(q)) return;
    size_t kept = foi_acts_kept(r->acts), from = after < (double)kept ? (size_t)after : kept;
    if (most > MOST_ACTS) most = MOST_ACTS;
    size_t count = most < (double)(kept - from) ? (size_t)most : kept - from;
    foi_json_put_number(&q->answer, "count", (double)foi_acts_told(r->acts));
    foi_json_put_number(&q->answer, "kept", (double)kept);
    foi_acts_put(r->acts, &q->answer, "list", from, count);
}
