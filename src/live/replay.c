// Reading a recording (its format stands in record.c) and carrying a system through it in batch.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "live/internal.h"

enum { LINE = 1024, WORDS = 12, AHEAD = 1000 };

typedef enum happening_kind { EVENT, SET, METHOD, ACCURACY } happening_kind;

typedef struct happening {
    happening_kind kind;
    double t;
    bool late;
    char name[FOI_ACT_NAME]; ///< of the event, quantity or solver
    double value, rtol;      ///< of a method: its step and rtol
} happening;

typedef struct start_value {
    char name[FOI_ACT_NAME];
    double value;
} start_value;

struct fo_recording {
    const fo_allocator *allocator;
    char model[FOI_ACT_NAME], solver[FOI_ACT_NAME];
    char opened[LINE]; ///< by which name or path the model was opened; "": not known
    fo_run_def run;
    start_value *starts;
    size_t start_count, start_room;
    start_value *numbers; ///< with which the model was opened
    size_t number_count, number_room;
    fo_setting *settings; ///< the same, for others
    happening *list;
    size_t count, room;
    bool begun, ended;
    double end;
    uint64_t hash;
};

/// The line that is being read.
typedef struct reading {
    fo_recording *r;
    const char *path;
    unsigned long line;
    char *word[WORDS];
    int words;
    fo_message *why;
} reading;

// -------------------------------------------------------------------------------------- the words

static fo_status wrong(const reading *in, const char *expected)
{
    return fo_fail(in->why, FO_ERROR_FORMAT, "%s:%lu: expected %s", in->path, in->line, expected);
}

static bool number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static bool whole(const char *text, int base, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, base);
    return end != text && !*end && !errno && text[0] != '-';
}

// "%20" is a space, "%25" a "%".
static void unescape(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++)
        if (strncmp(c, "%20", 3) == 0 || strncmp(c, "%25", 3) == 0) {
            *to++ = c[2] == '0' ? ' ' : '%';
            c += 2;
        } else {
            *to++ = *c;
        }
    *to = 0;
}

static bool name(const char *text, char *to)
{
    char plain[LINE];
    snprintf(plain, sizeof plain, "%s", text);
    unescape(plain);
    size_t length = strlen(plain);
    if (length >= FOI_ACT_NAME) return false;
    memcpy(to, plain, length + 1);
    return true;
}

// ---------------------------------------------------------------------------------------- the head

static fo_status read_run(reading *in)
{
    fo_run_def *run = &in->r->run;
    double *numbers[] = {&run->start,      &run->stop,     &run->step,     &run->rtol, &run->atol,
                         &run->first_step, &run->max_step, &run->min_step, &run->zeno, &run->scale};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    // one without a scale is older: the length of the run was its scale
    if (in->words != 1 + NUMBERS && in->words != NUMBERS)
        return wrong(in, "ten numbers after 'run'");
    for (int i = 0; i < in->words - 1; i++)
        if (!number(in->word[1 + i], numbers[i])) return wrong(in, "ten numbers after 'run'");
    return FO_OK;
}

static fo_status read_more(reading *in)
{
    fo_run_def *run = &in->r->run;
    uint64_t substeps, jumps;
    if (in->words != 5 || !whole(in->word[1], 10, &substeps) ||
        !number(in->word[2], &run->epsilon) || !whole(in->word[3], 10, &run->max_steps) ||
        !whole(in->word[4], 10, &jumps) || substeps > UINT32_MAX || jumps > UINT32_MAX)
        return wrong(in, "four numbers after 'more'");
    run->substeps = (uint32_t)substeps, run->max_jumps = (uint32_t)jumps;
    return FO_OK;
}

static fo_status read_value(reading *in, start_value **list, size_t *count, size_t *room)
{
    fo_recording *r = in->r;
    if (!foi_array_room(r->allocator, list, room, *count + 1, sizeof **list))
        return fo_fail(in->why, FO_ERROR_MEMORY, "no memory for a recording");
    start_value *s = &(*list)[*count];
    if (in->words != 3 || !name(in->word[1], s->name) || !number(in->word[2], &s->value))
        return wrong(in, "a name and a number after 'start' and 'number'");
    ++*count;
    return FO_OK;
}

static fo_status read_number(reading *in)
{
    fo_recording *r = in->r;
    return read_value(in, &r->numbers, &r->number_count, &r->number_room);
}

static fo_status read_head(reading *in)
{
    fo_recording *r = in->r;
    const char *key = in->word[0];
    bool two = in->words == 2;
    if (in->line == 1) {
        bool known = in->words == 4 && strcmp(key, "foliot") == 0 &&
                     strcmp(in->word[1], "live") == 0 && strcmp(in->word[2], "recording") == 0;
        if (!known) return wrong(in, "'foliot live recording 1'");
        return strcmp(in->word[3], "1") == 0 ? FO_OK : wrong(in, "a recording of version 1");
    }
    if (strcmp(key, "model") == 0 && two && name(in->word[1], r->model)) return FO_OK;
    if (strcmp(key, "opened") == 0 && two) {
        snprintf(r->opened, sizeof r->opened, "%s", in->word[1]);
        unescape(r->opened);
        return FO_OK;
    }
    if (strcmp(key, "solver") == 0 && two && name(in->word[1], r->solver)) return FO_OK;
    if (strcmp(key, "seed") == 0 && two && whole(in->word[1], 10, &r->run.seed)) return FO_OK;
    if (strcmp(key, "run") == 0) return read_run(in);
    if (strcmp(key, "more") == 0) return read_more(in);
    if (strcmp(key, "number") == 0) return read_number(in);
    if (strcmp(key, "start") == 0)
        return read_value(in, &r->starts, &r->start_count, &r->start_room);
    if (strcmp(key, "begin") != 0 || in->words != 1)
        return wrong(in, "model, opened, seed, solver, run, more, number, start or begin");
    if (!r->model[0] || !r->solver[0]) return wrong(in, "a model and a solver before 'begin'");
    r->begun = true;
    return FO_OK;
}

// --------------------------------------------------------------------------------- what happened

// A happening that was lined up with later ones in the same advance stands after them: ascending in
// time, those of one time in the order of the file.
static fo_status add(reading *in, const happening *h)
{
    fo_recording *r = in->r;
    if (!foi_array_room(r->allocator, &r->list, &r->room, r->count + 1, sizeof *r->list))
        return fo_fail(in->why, FO_ERROR_MEMORY, "no memory for a recording");
    if (r->count && h->t < r->list[r->count - 1].t) return wrong(in, "times that do not go back");
    if (!(h->t >= r->run.start && h->t <= r->run.stop)) return wrong(in, "a time within the run");
    r->list[r->count++] = *h;
    return FO_OK;
}

static fo_status read_method(reading *in, double t)
{
    happening h = {.kind = METHOD, .t = t};
    if (in->words != 5 || !name(in->word[2], h.name) || !number(in->word[3], &h.value) ||
        !number(in->word[4], &h.rtol))
        return wrong(in, "a solver, a step and a tolerance after 'method'");
    return add(in, &h);
}

static fo_status read_accuracy(reading *in, double t)
{
    happening h = {.kind = ACCURACY, .t = t};
    fo_accuracy to;
    if (in->words != 4 || !name(in->word[2], h.name) || !number(in->word[3], &h.value) ||
        !foi_live_accuracy(h.name, h.value, &to))
        return wrong(in, "rtol, atol, min-step or max-step and a number after 'accuracy'");
    return add(in, &h);
}

static fo_status read_back(reading *in)
{
    uint64_t keep;
    if (in->words != 3 || !whole(in->word[2], 10, &keep) || keep > in->r->count)
        return wrong(in, "after 'back' how many lines remain");
    in->r->count = (size_t)keep;
    return FO_OK;
}

static fo_status read_end(reading *in, double t)
{
    if (in->words != 3 || !whole(in->word[2], 16, &in->r->hash))
        return wrong(in, "a hash of sixteen digits after 'end'");
    in->r->end = t;
    in->r->ended = true;
    return FO_OK;
}

static fo_status read_happening(reading *in)
{
    static const struct {
        const char *word;
        happening_kind kind;
        bool late;
    } kinds[] = {
        {"event", EVENT, false}, {"event+", EVENT, true}, {"set", SET, false}, {"set+", SET, true}};
    double t;
    if (in->r->ended) return wrong(in, "nothing after 'end'");
    if (in->words < 2 || !number(in->word[0], &t)) return wrong(in, "a time and what happened");
    const char *what = in->word[1];
    if (strcmp(what, "method") == 0) return read_method(in, t);
    if (strcmp(what, "accuracy") == 0) return read_accuracy(in, t);
    if (strcmp(what, "back") == 0) return read_back(in);
    if (strcmp(what, "end") == 0) return read_end(in, t);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(what, kinds[i].word) != 0) continue;
        happening h = {.kind = kinds[i].kind, .t = t, .late = kinds[i].late};
        if (in->words != 4 || !name(in->word[2], h.name) || !number(in->word[3], &h.value))
            return wrong(in, "a name and a number");
        return add(in, &h);
    }
    return wrong(in, "event, set, method, accuracy, back or end");
}

// ----------------------------------------------------------------------------------------- the
// file

static fo_status read_line(reading *in, char *text)
{
    in->line++;
    in->words = 0;
    size_t length = strlen(text);
    if (length == LINE - 1 && text[length - 1] != '\n') return wrong(in, "a shorter line");
    // a line that does not end was cut off, perhaps in the middle of a number
    if (!length || text[length - 1] != '\n') return FO_OK;
    text[length - 1] = 0;
    char *rest = text;
    for (char *word; (word = strsep(&rest, " "));) {
        if (!*word) continue;
        if (in->words == WORDS) return wrong(in, "fewer words");
        in->word[in->words++] = word;
    }
    if (!in->words) return wrong(in, "something on the line");
    return in->r->begun ? read_happening(in) : read_head(in);
}

// Where the file ends without its last line the run was cut off: it then ends with what is known.
static fo_status finish(reading *in)
{
    fo_recording *r = in->r;
    in->line++;
    if (!r->begun) return wrong(in, "'begin'");
    if (!r->ended) r->end = r->count ? r->list[r->count - 1].t : r->run.start;
    if (r->end < r->run.start || r->end > r->run.stop) return wrong(in, "an end within the run");
    if (r->count && r->end < r->list[r->count - 1].t) return wrong(in, "an end after all");
    return FO_OK;
}

static fo_status name_settings(fo_recording *r, fo_message *why)
{
    r->settings = foi_new(r->allocator, r->number_count + 1, sizeof *r->settings);
    if (!r->settings) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a recording");
    for (size_t i = 0; i < r->number_count; i++)
        r->settings[i] = (fo_setting){r->numbers[i].name, r->numbers[i].value, false};
    return FO_OK;
}

fo_recording *fo_recording_read(FILE *stream, const char *name, const fo_allocator *allocator,
                                fo_message *why)
{
    fo_recording *r = foi_new(allocator, 1, sizeof *r);
    fo_status status = FO_OK;
    if (r) {
        char text[LINE];
        reading in = {.r = r, .path = name, .why = why};
        r->allocator = allocator;
        r->run = fo_default_run_def();
        while (status == FO_OK && fgets(text, sizeof text, stream)) status = read_line(&in, text);
        if (status == FO_OK) status = finish(&in);
        if (status == FO_OK) status = name_settings(r, why);
    } else {
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for a recording");
    }
    if (status == FO_OK) return r;
    fo_recording_close(r);
    return NULL;
}

fo_recording *fo_recording_open(const char *path, const fo_allocator *allocator, fo_message *why)
{
    const char *wrong;
    FILE *file = foi_file_plain(path, &wrong);
    if (!file) {
        fo_fail(why, FO_ERROR_INPUT, "cannot read %s: %s", path, wrong);
        return NULL;
    }
    fo_recording *r = fo_recording_read(file, path, allocator, why);
    fclose(file);
    return r;
}

void fo_recording_close(fo_recording *r)
{
    if (!r) return;
    foi_free(r->allocator, r->starts);
    foi_free(r->allocator, r->numbers);
    foi_free(r->allocator, r->settings);
    foi_free(r->allocator, r->list);
    foi_free(r->allocator, r);
}

const char *fo_recording_model(const fo_recording *r)
{
    return r->model;
}

const char *fo_recording_opened(const fo_recording *r)
{
    return r->opened[0] ? r->opened : NULL;
}

const fo_setting *fo_recording_settings(const fo_recording *r, size_t *count)
{
    *count = r->number_count;
    return r->settings;
}

double fo_recording_end_time(const fo_recording *r)
{
    return r->end;
}

size_t fo_recording_events(const fo_recording *r)
{
    return r->count;
}

// -------------------------------------------------------------------------------------- replaying

static fo_status become_as_exact(fo_simulation *sim, const happening *h)
{
    fo_accuracy to;
    foi_live_accuracy(h->name, h->value, &to);
    return fo_simulation_change_accuracy(sim, &to);
}

static bool changes_solver(const happening *h)
{
    return h->kind == METHOD || h->kind == ACCURACY;
}

static fo_status happen(fo_simulation *sim, const happening *h)
{
    switch (h->kind) {
    case EVENT: return fo_simulation_send(sim, h->t, h->name, h->value);
    case SET: return fo_simulation_send_set(sim, h->t, h->name, h->value);
    case ACCURACY: return become_as_exact(sim, h);
    case METHOD: break;
    }
    return fo_simulation_change_method(sim, h->name, h->value, h->rtol);
}

// As live: an event is sent before the simulation gets there, unless it came when the simulation
// stood there already; a method is changed where the simulation stands.
static fo_status carry_through(const fo_recording *r, fo_simulation *sim)
{
    fo_status status = fo_simulation_start(sim);
    size_t waiting = 0;
    for (size_t i = 0; i < r->count && !fo_failed(status) && status != FO_STOPPED; i++) {
        const happening *h = &r->list[i];
        if (h->late || changes_solver(h) || ++waiting >= AHEAD) {
            double until = h->late || changes_solver(h) ? h->t : r->list[i - 1].t;
            // events of one time stay together
            if (until < h->t || h->late || changes_solver(h)) {
                status = fo_simulation_advance(sim, until);
                waiting = 0;
            }
        }
        if (!fo_failed(status) && status != FO_STOPPED) status = happen(sim, h);
    }
    if (fo_failed(status) || status == FO_STOPPED) return status;
    return fo_simulation_advance(sim, r->end);
}

static fo_status prepare(const fo_recording *r, fo_simulation *sim)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < r->start_count && status == FO_OK; i++)
        status = fo_simulation_set(sim, r->starts[i].name, r->starts[i].value);
    return status;
}

fo_status fo_recording_replay(const fo_recording *r, fo_system system, const fo_observer *observers,
                              uint32_t observer_count, fo_simulation **sim, fo_message *why)
{
    *sim = NULL;
    if (strcmp(system.about->name, r->model) != 0)
        return fo_fail(why, FO_ERROR_ARGUMENT, "the recording is of '%s', the model is '%s'",
                       r->model, system.about->name);
    fo_run_def run = r->run;
    run.allocator = r->allocator;
    run.solver = strcmp(r->solver, "-") == 0 ? NULL : r->solver;
    run.observers = observers, run.observer_count = observer_count;
    *sim = fo_simulation_create(system, &run, why);
    if (!*sim) return why ? why->status : FO_ERROR_ARGUMENT;
    fo_status status = prepare(r, *sim);
    if (status == FO_OK) status = carry_through(r, *sim);
    if (fo_failed(status)) {
        if (why) *why = *fo_simulation_message(*sim);
        return status;
    }
    if (r->ended && fo_simulation_hash(*sim) != r->hash)
        return fo_fail(why, FO_ERROR_FORMAT,
                       "the replay ends at t = %.15g with other bits (%016" PRIx64
                       ") than the recording (%016" PRIx64 ")",
                       fo_simulation_time(*sim), fo_simulation_hash(*sim), r->hash);
    return status;
}
