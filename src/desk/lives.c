// Live models: carried to the clock that a message brings, touched by other messages. Nothing
// happens between messages, so that a transcript with its clocks gives the same bits again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "desk/desk.h"
#include "simulation/stand.h"

void foi_desk_live_free(fo_desk *desk, foi_desk_live *l)
{
    fo_live_destroy(l->live);
    if (l->acts) fo_model_trace(l->open->model, NULL);
    foi_desk_model_leave(desk, l->open);
    foi_free(desk->allocator, l->settings);
    foi_store_destroy(l->store);
    foi_acts_destroy(l->acts);
    foi_text_closed(&l->record); // by the live model
    foi_text_free(&l->record);
    foi_free(desk->allocator, l);
}

// -------------------------------------------------------------------------------------- observing

enum { MOST_ROWS = 65536, MOST_ACTS = 4096 }; // of one frame: the rest is not drawn anyway

static fo_status give_turns(fo_desk *desk, double t, fo_message *why)
{
    if (foi_desk_step_on(desk)) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "cancelled at t = %.6g", t);
}

static fo_status look_around(void *self, double t, double stop, fo_message *why)
{
    const foi_desk_live *l = self;
    (void)stop;
    return give_turns(l->desk, t, why);
}

static fo_status keep_live_row(foi_desk_live *l, const fo_row *row, fo_message *why)
{
    uint64_t rows = foi_store_rows(l->store);
    switch (foi_row_fate_of(&l->last, row)) {
    case FOI_ROW_SKIP: return FO_OK;
    case FOI_ROW_REPLACE: // where it is there
        if (rows && foi_store_time(l->store, rows - 1) == row->t)
            foi_store_replace(l->store, row->t, row->values);
        return FO_OK;
    case FOI_ROW_APPEND: break;
    }
    if (rows >= MOST_ROWS) return FO_OK;
    return foi_store_add(l->store, row->t, row->values, why);
}

static fo_status take_row(void *self, const fo_row *row, fo_message *why)
{
    foi_desk_live *l = self;
    bool may = foi_desk_anywhere(l->desk, false);
    fo_status status = keep_live_row(l, row, why);
    foi_desk_anywhere(l->desk, may);
    return status;
}

static void take_note(void *self, const char *text)
{
    foi_desk_live *l = self;
    snprintf(l->note, sizeof l->note, "%s", text);
}

// --------------------------------------------------------------------------------------- beginning

#define FURTHEST 0x1p62 // nanoseconds of a clock

static bool read_clock(foi_desk_request *q, int64_t *clock)
{
    double ns = foi_desk_whole(q, "clock", (double)q->desk->clock, -FURTHEST, FURTHEST);
    if (foi_desk_refused(q)) return false;
    *clock = (int64_t)ns;
    return true;
}

static bool copy_settings(foi_desk_request *q, foi_desk_live *l, const foi_desk_document *d)
{
    l->settings = foi_new(q->desk->allocator, d->setting_count, sizeof *l->settings);
    if (!l->settings) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    // the names are those of the open model's numbers, which outlive the document's
    size_t count = 0;
    for (size_t i = 0; i < d->setting_count; i++)
        for (size_t j = 0; j < fo_model_number_count(l->open->model); j++) {
            const fo_variable *v = fo_model_number(l->open->model, j);
            if (v->name && strcmp(v->name, d->settings[i].name) == 0)
                l->settings[count++] = (fo_setting){v->name, d->settings[i].value, false};
        }
    return true;
}

static bool make_live(foi_desk_request *q, foi_desk_live *l, const foi_desk_document *d)
{
    fo_model *m = l->open->model;
    fo_live_def def = fo_default_live_def(fo_model_system(m));
    double speed = foi_desk_number(q, "speed", 1), gap = foi_desk_number(q, "longest_gap", 0);
    if (!(speed > 0)) foi_desk_refuse(q, "argument", "\"speed\" must be positive");
    def.run = fo_model_run_def(m);
    def.run.seed = foi_desk_seed(q, def.run.seed);
    if (foi_desk_refused(q) || !copy_settings(q, l, d)) return false;
    uint32_t signals = 0;
    const fo_description *about = def.system.about;
    signals = (uint32_t)(about->states.count + about->discretes.count + about->outputs.count);
    l->store = foi_store_create(signals, MOST_ROWS + 8, q->desk->allocator);
    if (!l->store) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    // what its sinks write is that of runs: a model that is looked at changes no file
    fo_observer observer = {.self = l, .row = take_row, .progress = look_around, .interval = -1};
    def.run.stop = INFINITY;
    def.run.allocator = q->desk->allocator;
    def.run.observers = &observer, def.run.observer_count = 1;
    def.clock = fo_virtual_clock_use(&l->clock);
    def.speed = speed, def.rate = 0, def.policy = FO_LIVE_SKIP;
    def.longest_gap = gap;
    def.note = take_note, def.note_self = l;
    def.settings = l->settings;
    for (size_t i = 0; i < d->setting_count && l->settings[i].name; i++) def.setting_count++;
    def.opened = d->name;
    bool may = foi_desk_anywhere(q->desk, true);
    l->live = fo_live_create(&def, &q->why);
    foi_desk_anywhere(q->desk, may);
    if (!l->live) foi_desk_fail(q, q->why.status);
    return l->live != NULL;
}

static fo_status start(fo_desk *desk, fo_live *live)
{
    bool may = foi_desk_anywhere(desk, true);
    fo_status status = fo_live_start(live);
    foi_desk_anywhere(desk, may);
    return status;
}

void foi_desk_start_live(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_document *d = foi_desk_find_document(q);
    int64_t clock;
    bool recorded = foi_read_truth(&q->read, q->body, "record");
    bool acts = foi_read_truth(&q->read, q->body, "acts");
    if (!d || !read_clock(q, &clock)) return;
    if (desk->live_count >= desk->def.lives)
        foi_desk_refuse(q, "limit", "more than %u live models", desk->def.lives);
    if (foi_desk_refused(q)) return;
    foi_desk_live *l = foi_new(desk->allocator, 1, sizeof *l);
    if (!l) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    l->desk = desk, l->clock.now = clock;
    l->open = foi_desk_model_for_run(desk, d, acts);
    if (!l->open) foi_desk_fail(q, FO_ERROR_MEMORY);
    if (l->open && fo_failed(fo_model_status(l->open->model))) foi_desk_refuse_model(q, l->open);
    if (!foi_desk_refused(q)) foi_desk_model_code(desk, l->open);
    if (acts && !foi_desk_refused(q)) l->acts = foi_desk_acts_begin(q, l->open->model, MOST_ACTS);
    bool entered = !foi_desk_refused(q) && foi_desk_model_enter(desk, l->open);
    bool made = entered && make_live(q, l, d);
    if (made && recorded) {
        bool begun = foi_text_open(&l->record, desk->allocator);
        begun = begun && !fo_failed(fo_live_record_to(l->live, l->record.out, "the recording"));
        if (!begun) foi_desk_fail(q, FO_ERROR_MEMORY);
        if (!begun) foi_text_free(&l->record);
    }
    if (made && !foi_desk_refused(q) && fo_failed(start(desk, l->live))) {
        q->why = *fo_live_message(l->live);
        foi_desk_fail(q, q->why.status);
    }
    if (entered) foi_desk_model_exit(l->open);
    if (foi_desk_cancelled(desk)) foi_desk_fail(q, FO_ERROR_CANCELLED);
    if (!foi_desk_refused(q) && !foi_array_room(desk->allocator, &desk->lives, &desk->live_room,
                                                desk->live_count + 1, sizeof *desk->lives))
        foi_desk_fail(q, FO_ERROR_MEMORY);
    if (foi_desk_refused(q)) {
        foi_desk_live_free(desk, l);
        return;
    }
    l->handle = ++desk->handles;
    desk->lives[desk->live_count++] = l;
    foi_json_put_number(&q->answer, "live", (double)l->handle);
    foi_desk_put(&q->answer, "t", fo_simulation_time(fo_live_simulation(l->live)));
}

// ------------------------------------------------------------------------------------------ frames

static const char *phase_text(fo_live_phase phase)
{
    switch (phase) {
    case FO_LIVE_NEW:
    case FO_LIVE_RUNNING: return "running";
    case FO_LIVE_AT_STOP: return "stop";
    case FO_LIVE_BY_MODEL: return "stopped";
    case FO_LIVE_BY_POLICY: return "late";
    case FO_LIVE_BY_REQUEST: return "quit";
    case FO_LIVE_FAILED: return "failed";
    }
    return "unknown";
}

static void put_view(foi_json_writer *w, foi_desk_live *l)
{
    fo_live_view view = fo_live_look(l->live);
    foi_desk_put(w, "t", view.t);
    foi_json_put_text(w, "phase", phase_text(view.phase));
    foi_desk_put(w, "speed", view.speed);
    foi_json_put_truth(w, "paused", view.paused);
    if (view.phase == FO_LIVE_FAILED || view.phase == FO_LIVE_BY_MODEL)
        foi_json_put_text(w, "text", fo_live_message(l->live)->text);
    if (l->note[0]) foi_json_put_text(w, "note", l->note);
    l->note[0] = 0;
}

// The present as the last row of the frame; false without memory for it.
static bool add_present(foi_desk_live *l)
{
    fo_simulation *sim = fo_live_simulation(l->live);
    fo_system system = fo_simulation_system(sim);
    const fo_description *about = system.about;
    uint32_t columns = foi_store_columns(l->store), at = 0;
    double *values = foi_new(l->desk->allocator, columns, sizeof *values);
    fo_reference *which = foi_new(l->desk->allocator, columns, sizeof *which);
    // a world says how many it has when it has begun: the frames keep the columns of the start
    for (uint32_t i = 0; which && i < about->states.count && at < columns; i++)
        which[at++] = (fo_reference){FO_STATE, i};
    for (uint32_t i = 0; which && i < about->discretes.count && at < columns; i++)
        which[at++] = (fo_reference){FO_DISCRETE, i};
    for (uint32_t i = 0; which && i < about->outputs.count && at < columns; i++)
        which[at++] = (fo_reference){FO_OUTPUT, i};
    fo_status status = FO_ERROR_MEMORY;
    if (values && which) {
        foi_simulation_values(sim, which, at, values);
        while (at < columns) values[at++] = NAN;
        status = foi_store_add(l->store, fo_simulation_time(sim), values, NULL);
    }
    foi_free(l->desk->allocator, values);
    foi_free(l->desk->allocator, which);
    return status == FO_OK;
}

static void send_frame(foi_desk_request *q, foi_desk_live *l)
{
    const foi_json_value *list = foi_json_member(q->body, "signals");
    uint32_t columns = foi_store_columns(l->store);
    uint32_t count = list && list->kind == FOI_JSON_LIST ? (uint32_t)list->count : columns;
    uint64_t rows = foi_store_rows(l->store);
    uint32_t *signals = foi_new(q->desk->allocator, (size_t)count + 1, sizeof *signals);
    const foi_json_value *v = list ? list->first : NULL;
    double *values;
    if (!signals) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    signals[0] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++, v = v ? v->next : NULL) {
        bool good = !list || (v && v->kind == FOI_JSON_NUMBER && v->number >= 0 &&
                              v->number < columns && v->number == floor(v->number));
        if (!good)
            foi_desk_refuse(q, "argument", "\"signals\" must be a list of indices below %u",
                            columns);
        signals[i + 1] = !list ? i : good ? (uint32_t)v->number : 0;
    }
    foi_frame f = {.kind = FOI_FRAME_LIVE,
                   .handle = l->handle,
                   .columns = count + 1,
                   .rows = (uint32_t)rows,
                   .signals = signals};
    if (!foi_desk_refused(q)) {
        q->frame = foi_frame_create(q->desk->allocator, &f, &values, &q->frame_size);
        if (!q->frame) foi_desk_fail(q, FO_ERROR_MEMORY);
    }
    for (uint32_t j = 0; q->frame && j < count + 1; j++)
        foi_store_copy(l->store, signals[j], 0, rows, values + (size_t)j * rows);
    foi_free(q->desk->allocator, signals);
}

static void tell_refusals(foi_json_writer *w, foi_desk_live *l)
{
    uint32_t source;
    fo_message text;
    bool any = false;
    while (fo_live_next_refusal(l->live, &source, &text)) {
        if (!any) foi_json_open(w, "refused", '[', true);
        any = true;
        foi_json_put_text(w, NULL, text.text);
    }
    if (any) foi_json_close(w, ']');
}

// What was done since the last frame; `lost` of them are not there.
static void tell_acts(foi_json_writer *w, foi_desk_live *l)
{
    size_t kept = foi_acts_kept(l->acts);
    uint64_t told = foi_acts_told(l->acts);
    foi_acts_put(l->acts, w, "acts", 0, kept);
    if (told > kept) foi_json_put_number(w, "lost", (double)(told - kept));
    foi_acts_cut(l->acts);
}

void foi_desk_frame(foi_desk_request *q)
{
    foi_desk_live *l = foi_desk_find_live(q);
    int64_t clock;
    if (!l || !read_clock(q, &clock)) return;
    if (clock < l->clock.now) {
        foi_desk_refuse(q, "clock", "\"clock\" must not go back");
        return;
    }
    foi_store_cut(l->store, 0);
    l->last = (foi_last_row){0};
    l->clock.now = clock;
    if (!foi_desk_model_enter(q->desk, l->open)) return;
    bool may = foi_desk_anywhere(q->desk, true);
    fo_live_advance_at(l->live, clock); // what went wrong is in the view
    bool added = add_present(l);        // its outputs are solved for, which may be long
    foi_desk_anywhere(q->desk, may);
    foi_desk_model_exit(l->open);
    if (!added) take_note(l, "no memory for the last row of this frame");
    put_view(&q->answer, l);
    tell_refusals(&q->answer, l);
    if (l->acts) tell_acts(&q->answer, l);
    send_frame(q, l);
}

// -----------------------------------------------------------------------------------------
// touching

static const struct {
    const char *name;
    fo_live_verb verb;
} acts[] = {{"send", FO_LIVE_EVENT},  {"set", FO_LIVE_SET},   {"pause", FO_LIVE_PAUSE},
            {"speed", FO_LIVE_SPEED}, {"step", FO_LIVE_STEP}, {"back", FO_LIVE_BACK},
            {"quit", FO_LIVE_QUIT}};

void foi_desk_act(foi_desk_request *q)
{
    foi_desk_live *l = foi_desk_find_live(q);
    const char *verb = foi_desk_text(q, "verb");
    double stamp = foi_desk_whole(q, "stamp", 0, -FURTHEST, FURTHEST), t = NAN;
    fo_live_request r = {.name = foi_desk_text(q, "name"),
                         .value = foi_desk_number(q, "value", 0),
                         .timed = foi_json_member(q->body, "t") != NULL,
                         .t = foi_desk_number(q, "t", 0)};
    size_t i = 0;
    while (verb && i < FO_COUNT(acts) && strcmp(acts[i].name, verb) != 0) i++;
    if (!verb || i == FO_COUNT(acts))
        foi_desk_refuse(q, "argument", "\"verb\" is missing or unknown");
    bool valued = verb && (strcmp(verb, "set") == 0 || strcmp(verb, "speed") == 0 ||
                           strcmp(verb, "pause") == 0);
    if (valued && !foi_json_member(q->body, "value"))
        foi_desk_refuse(q, "argument", "\"%s\" needs a \"value\"", verb);
    if (verb && strcmp(verb, "pause") == 0) foi_desk_whole(q, "value", 0, -1, 1);
    if (!l || foi_desk_refused(q)) return;
    r.verb = acts[i].verb, r.stamp = (int64_t)stamp;
    if (fo_failed(fo_live_ask(l->live, &r, &t, &q->why))) {
        foi_desk_fail(q, q->why.status);
        return;
    }
    // what is shown already stays as it is: an act whose stamp is before that happens at its end
    bool jumps = r.verb == FO_LIVE_EVENT || r.verb == FO_LIVE_SET;
    if (jumps) t = fmax(t, fo_simulation_time(fo_live_simulation(l->live)));
    foi_desk_put(&q->answer, "t", t);
    if (r.verb != FO_LIVE_QUIT) return;
    // it ends now, and is gone; a recording that was asked for before stays with `record`
    fo_live_advance_at(l->live, l->clock.now);
}

void foi_desk_tell(foi_desk_request *q)
{
    foi_desk_live *l = foi_desk_find_live(q);
    const char *line = foi_desk_text(q, "line");
    char answer[FO_LIVE_ANSWER] = "";
    if (!line) foi_desk_refuse(q, "argument", "\"line\" is missing");
    if (!l || foi_desk_refused(q)) return;
    fo_status status = fo_live_tell(l->live, line, 0, answer);
    if (fo_failed(status))
        foi_desk_refuse(q, foi_desk_status(status), "%s", answer);
    else
        foi_json_put_text(&q->answer, "answer", answer);
}

void foi_desk_measure(foi_desk_request *q)
{
    foi_desk_live *l = foi_desk_find_live(q);
    if (!l) return;
    fo_live_figures *f = foi_new(q->desk->allocator, 1, sizeof *f);
    if (!f) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    fo_live_measure(l->live, f);
    foi_json_put_number(&q->answer, "advances", (double)f->advances);
    foi_desk_put(&q->answer, "simulated", f->simulated);
    foi_desk_put(&q->answer, "elapsed", f->elapsed);
    foi_json_put_number(&q->answer, "events", (double)f->events);
    foi_json_put_number(&q->answer, "refused", (double)f->refused);
    foi_desk_put(&q->answer, "skipped", f->skipped);
    foi_free(q->desk->allocator, f);
}

// ----------------------------------------------------------------------------- records and replays

static void forget_live(fo_desk *desk, const foi_desk_live *l)
{
    size_t i = 0;
    while (desk->lives[i] != l) i++;
    memmove(&desk->lives[i], &desk->lives[i + 1], (--desk->live_count - i) * sizeof *desk->lives);
}

// Ends the live model; the recording, if there is one, is the answer's bytes.
void foi_desk_record(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_live *l = foi_desk_find_live(q);
    if (!l) return;
    bool recorded = l->record.text;
    bool whole = recorded && !fo_failed(fo_live_record_end(l->live)) && foi_text_closed(&l->record);
    char *bytes = whole ? foi_new(desk->allocator, l->record.size, 1) : NULL;
    if (recorded && !bytes) foi_desk_fail(q, FO_ERROR_MEMORY);
    if (bytes) memcpy(bytes, l->record.text, l->record.size);
    q->frame = bytes, q->frame_size = bytes ? l->record.size : 0;
    foi_json_put_truth(&q->answer, "recorded", bytes != NULL);
    forget_live(desk, l);
    foi_desk_live_free(desk, l);
}

/// A replay keeps its rows and moments as a run does.
static fo_status keep_row(void *self, const fo_row *row, fo_message *why)
{
    foi_desk_run *r = self; // nobody else knows it yet
    foi_row_fate fate = foi_row_fate_of(&r->last, row);
    if (fate == FOI_ROW_APPEND) return foi_store_add(r->store, row->t, row->values, why);
    if (fate == FOI_ROW_REPLACE) foi_store_replace(r->store, row->t, row->values);
    return FO_OK;
}

static fo_status look_around_replay(void *self, double t, double stop, fo_message *why)
{
    const foi_desk_run *r = self;
    (void)stop;
    return give_turns(r->desk, t, why);
}

// The live model was left between two rows.
static void keep_present(foi_desk_request *q, foi_desk_run *r, fo_simulation *sim)
{
    double t = fo_simulation_time(sim);
    uint64_t rows = foi_store_rows(r->store);
    if (rows && !(foi_store_time(r->store, rows - 1) < t)) return;
    double *values = foi_new(q->desk->allocator, r->signal_count, sizeof *values);
    if (values) foi_simulation_values(sim, r->signals, r->signal_count, values);
    fo_status status =
        values ? foi_store_add(r->store, t, values, &q->why) : (fo_status)FO_ERROR_MEMORY;
    if (fo_failed(status)) foi_desk_fail(q, status);
    foi_free(q->desk->allocator, values);
}

static void carry_replay(foi_desk_request *q, foi_desk_run *r, const fo_recording *recording,
                         double interval)
{
    fo_observer observer = {.self = r,
                            .row = keep_row,
                            .moment = foi_desk_take_moment,
                            .progress = look_around_replay,
                            .signals = r->signals,
                            .signal_count = r->signal_count,
                            .interval = interval};
    fo_simulation *sim = NULL;
    if (!foi_desk_model_enter(q->desk, r->open)) {
        foi_desk_fail(q, FO_ERROR_CANCELLED);
        return;
    }
    bool may = foi_desk_anywhere(q->desk, true);
    r->over = false; // while it takes moments
    r->status = fo_recording_replay(recording, fo_model_system(r->open->model), &observer, 1, &sim,
                                    &q->why);
    r->over = true;
    if (fo_failed(r->status)) foi_desk_fail(q, r->status);
    if (sim && !foi_desk_refused(q)) keep_present(q, r, sim);
    foi_desk_anywhere(q->desk, may);
    foi_desk_model_exit(r->open);
    if (sim) r->statistics = fo_simulation_statistics(sim);
    fo_simulation_destroy(sim);
}

// "20 end 0123456789abcdef" and the line's end. (A file that lacks it is of a run that was cut off,
// which `foliot live --replay` carries as far as is known; `record` never gives such bytes.)
static bool is_whole_recording(const char *bytes, size_t count)
{
    enum { HASH = 16 };
    static const char word[] = " end ";
    size_t tail = sizeof word - 1 + HASH + 1;
    if (count < tail || bytes[count - 1] != '\n') return false;
    const char *at = bytes + count - tail;
    bool whole = memcmp(at, word, sizeof word - 1) == 0;
    for (size_t i = 0; i < HASH; i++)
        whole &= strchr("0123456789abcdef", at[sizeof word - 1 + i]) && at[sizeof word - 1 + i];
    return whole;
}

void foi_desk_replay(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_document *d = foi_desk_find_document(q);
    double interval = foi_desk_number(q, "interval", 0); // 0: every step
    if (!d) return;
    foi_desk_check_moves(q, "an interval", interval, 0, 0);
    if (!q->byte_count)
        foi_desk_refuse(q, "argument", "expected the \"bytes\" of a recording after the message");
    if (desk->run_count >= desk->def.runs)
        foi_desk_refuse(q, "limit", "more than %u runs: forget some", desk->def.runs);
    if (foi_desk_refused(q)) return;
    if (!is_whole_recording(q->bytes, q->byte_count))
        foi_desk_refuse(q, "format",
                        "the recording is not whole: its last line, the end, is missing or cut");
    if (foi_desk_refused(q)) return;
    FILE *stream = fmemopen((void *)(uintptr_t)q->bytes, q->byte_count, "r");
    fo_recording *recording =
        stream ? fo_recording_read(stream, "the recording", desk->allocator, &q->why) : NULL;
    if (stream) fclose(stream);
    foi_desk_run *r = foi_new(desk->allocator, 1, sizeof *r);
    size_t count = 0; // what was set when it was recorded, in place of what is set now
    const fo_setting *settings = recording ? fo_recording_settings(recording, &count) : NULL;
    if (r) r->over = true;
    if (!recording || !r) {
        foi_desk_fail(q, recording ? FO_ERROR_MEMORY : q->why.status);
    } else if (!(r->open = foi_desk_model_with(desk, d, settings, count))) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
    } else if (fo_failed(fo_model_status(r->open->model))) {
        foi_desk_refuse_model(q, r->open);
    } else {
        bool chosen = foi_desk_run_signals(q, r, r->open->model);
        r->desk = desk;
        if (chosen) r->store = foi_store_create(r->signal_count, desk->def.rows, desk->allocator);
        r->def.stop = fo_recording_end_time(recording);
        foi_desk_check_moves(q, "an interval", interval, 0, r->def.stop);
        if (r->store && !foi_desk_refused(q))
            carry_replay(q, r, recording, interval);
        else
            foi_desk_fail(q, FO_ERROR_MEMORY);
    }
    fo_recording_close(recording);
    if (foi_desk_cancelled(desk)) foi_desk_fail(q, FO_ERROR_CANCELLED);
    if (r && !foi_desk_refused(q)) foi_desk_keep_run(q, r);
    if (r && foi_desk_refused(q)) foi_desk_run_free(desk, r);
    if (foi_desk_refused(q)) return;
    foi_desk_model_leave(desk, r->open);
    r->open = NULL;
    foi_json_put_number(&q->answer, "run", (double)r->handle);
    foi_json_put_text(&q->answer, "status", foi_desk_status(r->status));
    foi_json_put_number(&q->answer, "rows", (double)foi_store_rows(r->store));
}
