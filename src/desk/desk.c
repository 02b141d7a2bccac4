// Bytes in and bytes out. A message is one line of JSON; one that says "bytes": N is followed by N
// bytes as they are. Messages are read one after the other; each is answered at once, except that a
// run is only begun. What takes time is done in slices between messages.
#include "desk/desk.h"
#include "desk/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

fo_desk_def fo_default_desk_def(void)
{
    return (fo_desk_def){.table = fo_compiled_models(),
                         .message = 4000000,
                         .text = 1000000,
                         .documents = 64,
                         .runs = 64,
                         .lives = 16,
                         .rows = 20000000,
                         .moments = 1000000,
                         .output = 64000000,
                         .memory = 1000000000,
                         .work = 10000000};
}

// ------------------------------------------------------------------------------------ the purse

/// Before every block: its size, and room to keep what follows aligned.
typedef union purse_head {
    size_t size;
    long double aligned;
    void *pointer;
} purse_head;

static void *resize(void *self, void *block, size_t new_size)
{
    foi_desk_purse *p = self;
    purse_head *head = block ? (purse_head *)block - 1 : NULL;
    size_t had = head ? head->size : 0;
    if (new_size == 0) {
        if (head) p->from->resize(p->from->self, head, sizeof *head + had, 0);
        p->used -= had;
        return NULL;
    }
    bool fits = new_size <= SIZE_MAX - sizeof *head &&
                (!p->most || new_size <= had || new_size - had <= p->most - p->used);
    head = fits ? p->from->resize(p->from->self, head, head ? sizeof *head + had : 0,
                                  sizeof *head + new_size)
                : NULL;
    if (!head) return NULL;
    p->used = p->used - had + new_size;
    head->size = new_size;
    return head + 1;
}

// ------------------------------------------------------------------------------ birth and death

// Nobody else comes in while it is open.
static void *purse_resize(void *self, void *block, size_t old_size, size_t new_size)
{
    fo_desk *desk = ((foi_desk_purse *)self)->desk;
    (void)old_size;
    bool may = foi_desk_anywhere(desk, false);
    void *got = resize(self, block, new_size);
    if (may && desk->tasks.hurry) foi_desk_wait(desk); // the timer came in the C library
    foi_desk_anywhere(desk, may);
    return got;
}

fo_desk *fo_desk_create(const fo_desk_def *def, fo_message *why)
{
    const fo_allocator *from = def->allocator ? def->allocator : fo_heap();
    fo_desk *desk = foi_new(from, 1, sizeof *desk);
    if (!desk) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a desk");
        return NULL;
    }
    desk->def = *def;
    desk->purse = (foi_desk_purse){{purse_resize, &desk->purse}, from, desk, 0, def->memory};
    desk->allocator = &desk->purse.allocator;
    desk->credit = INFINITY;
    desk->way = FO_WAY_AUTO;
    desk->out.allocator = desk->allocator;
    return desk;
}

void fo_desk_destroy(fo_desk *desk)
{
    if (!desk) return;
    foi_desk_tasks_end(desk);
    for (size_t i = 0; i < desk->live_count; i++) foi_desk_live_free(desk, desk->lives[i]);
    for (size_t i = 0; i < desk->run_count; i++) foi_desk_run_free(desk, desk->runs[i]);
    for (size_t i = 0; i < desk->sweep_count; i++) foi_desk_sweep_free(desk, desk->sweeps[i]);
    for (size_t i = 0; i < desk->document_count; i++)
        foi_desk_document_free(desk, desk->documents[i]);
    foi_free(desk->allocator, desk->documents);
    foi_free(desk->allocator, desk->runs);
    foi_free(desk->allocator, desk->lives);
    foi_free(desk->allocator, desk->sweeps);
    foi_free(desk->allocator, desk->in);
    foi_output_end(&desk->out);
    foi_free(desk->purse.from, desk);
}

// --------------------------------------------------------------------------------------- output

static void mend(foi_json_writer *line)
{
    if (!line->failed && line->text) foi_mend_utf8(line->text, line->length);
}

static bool put_line(fo_desk *desk, foi_json_writer *line, bool handed)
{
    if (!handed) return foi_output_put(&desk->out, line->text, line->length);
    if (!foi_output_hand(&desk->out, line->text, line->length)) return false;
    line->text = NULL, line->length = line->room = 0;
    return true;
}

void foi_desk_say(fo_desk *desk, foi_json_writer *line, char **frame, size_t size)
{
    enum { LONG_TEXT = 1 << 15 }; // bytes
    bool whole = !line->failed && line->text;
    // room for the frame is made first: a line without the frame that it announces is worse than
    // none
    foi_desk_output frames = {.allocator = desk->allocator};
    size_t length = line->length;
    if (whole && frame && *frame) {
        whole = foi_output_hand(&frames, *frame, size);
        if (whole) *frame = NULL;
    }
    whole = whole && put_line(desk, line, length > LONG_TEXT);
    if (!whole) {
        foi_output_end(&frames);
        foi_output_lose(&desk->out, "{\"on\": \"lost\", \"text\": \"no memory for an answer\"}\n");
        return;
    }
    if (frames.first) foi_output_add(&desk->out, &frames);
    desk->unacknowledged += (double)(length + size);
}

bool foi_desk_may_say(const fo_desk *desk)
{
    return desk->unacknowledged < desk->credit && desk->out.waiting < desk->def.output / 2;
}

foi_json_writer foi_desk_event(const fo_desk *desk, const char *name)
{
    foi_json_writer w = {.allocator = desk->allocator};
    foi_json_open(&w, NULL, '{', true);
    foi_json_put_text(&w, "on", name);
    return w;
}

void foi_desk_say_event(fo_desk *desk, foi_json_writer *event)
{
    foi_json_close(event, '}');
    mend(event);
    foi_desk_say(desk, event, NULL, 0);
    foi_json_writer_destroy(event);
}

size_t fo_desk_take(fo_desk *desk, void *buffer, size_t room)
{
    return foi_output_take(&desk->out, buffer, room);
}

// ---------------------------------------------------------------------------------------- input

static bool is_full(const fo_desk *desk)
{
    return desk->out.waiting >= desk->def.output;
}

size_t fo_desk_give(fo_desk *desk, const void *bytes, size_t count)
{
    size_t most = 2 * desk->def.message + 2, waiting = desk->in_used - desk->in_from;
    if (is_full(desk) || waiting >= most) return 0;
    if (count > most - waiting) count = most - waiting;
    if (desk->in_from) {
        memmove(desk->in, desk->in + desk->in_from, waiting);
        desk->in_used = waiting, desk->in_from = 0;
    }
    if (!count || !foi_array_room(desk->allocator, &desk->in, &desk->in_room, waiting + count, 1))
        return 0;
    memcpy(desk->in + waiting, bytes, count);
    desk->in_used += count;
    return count;
}

void fo_desk_end(fo_desk *desk)
{
    desk->ended = true;
}

/// How a verb is done: LONG on a stack of its own; MODEL waits for the diagnosis of its document;
/// CHANGES ends that; COPIES holds its document only until it has begun; READS looks at a text
/// only; WHOLE is not cancelled; APART is begun however many others are; MAKES gives a handle;
/// CARRIES has a member "bytes".
enum {
    LONG = 1,
    MODEL = 2,
    CHANGES = 4,
    COPIES = 8,
    READS = 16,
    WHOLE = 32,
    APART = 64,
    MAKES = 128,
    CARRIES = 256
};

/// The verbs of the protocol.
typedef struct verb_entry {
    const char *name;
    foi_desk_verb *verb;
    int way;
} verb_entry;
static void hello(foi_desk_request *q);
static void acknowledge(foi_desk_request *q);
enum {
    MOST_VALUES = 400000,     ///< in a message: they are read in one piece
    MOST_SKIPPED = 1000000000 ///< bytes behind a message that was refused
};
static const verb_entry verbs[] = {
    {"hello", hello, 0},
    {"ack", acknowledge, CARRIES},
    {"open", foi_desk_open, 0},
    {"change", foi_desk_change, LONG | CHANGES | WHOLE | APART},
    {"close", foi_desk_close, CHANGES | WHOLE},
    {"set", foi_desk_set, LONG | CHANGES},
    {"text", foi_desk_text_of, 0},
    {"gallery", foi_desk_gallery, LONG},
    {"diagnostics", foi_desk_diagnostics, LONG | MODEL},
    {"describe", foi_desk_describe, LONG | MODEL},
    {"help", foi_desk_help, 0},
    {"layout", foi_desk_layout, 0},
    {"run", foi_desk_start_run, LONG | MODEL | MAKES},
    {"progress", foi_desk_progress, 0},
    {"cancel", foi_desk_cancel, 0},
    {"forget", foi_desk_forget, 0},
    {"rows", foi_desk_rows, LONG | APART},
    {"moments", foi_desk_moments, LONG | APART},
    {"acts", foi_desk_acts, LONG | APART},
    {"files", foi_desk_files, LONG | MODEL},
    {"compare", foi_desk_compare, LONG},
    {"linearize", foi_desk_linearize, LONG | COPIES},
    {"steady", foi_desk_steady, LONG | COPIES},
    {"sensitivity", foi_desk_sensitivity, LONG | COPIES},
    {"fit", foi_desk_fit, LONG | COPIES},
    {"optimize", foi_desk_optimize, LONG | COPIES},
    {"sweep", foi_desk_sweep_verb, LONG | COPIES},
    {"live", foi_desk_start_live, LONG | MODEL | MAKES},
    {"frame", foi_desk_frame, LONG | APART},
    {"act", foi_desk_act, 0},
    {"tell", foi_desk_tell, 0},
    {"measure", foi_desk_measure, 0},
    {"record", foi_desk_record, 0},
    {"replay", foi_desk_replay, LONG | MODEL | MAKES | CARRIES},
    {"look", foi_desk_look, 0},
    {"view", foi_desk_view, LONG | MODEL},
    {"program", foi_desk_program, 0},
    {"complete", foi_desk_complete, LONG | READS},
    {"hover", foi_desk_hover, LONG | READS},
    {"definition", foi_desk_definition, LONG | READS},
    {"references", foi_desk_references, LONG | READS},
    {"outline", foi_desk_outline, LONG | READS},
    {"rename", foi_desk_rename, LONG | READS},
    {"format", foi_desk_format, LONG | READS},
};

static void hello(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    const foi_json_value *versions = foi_json_member(q->body, "versions");
    bool known = !versions;
    bool listed = versions && versions->kind == FOI_JSON_LIST;
    for (const foi_json_value *v = listed ? versions->first : NULL; v; v = v->next)
        known |= v->kind == FOI_JSON_NUMBER && v->number == FOI_DESK_VERSION;
    if (!known) {
        foi_desk_refuse(q, "version", "the protocol's version must be %d", FOI_DESK_VERSION);
        return;
    }
    double credit = foi_desk_whole(q, "credit", INFINITY, 1, FOI_DESK_MOST);
    if (foi_desk_refused(q)) return;
    desk->credit = credit, desk->unacknowledged = 0, desk->greeted = true;
    foi_json_put_number(&q->answer, "version", FOI_DESK_VERSION);
    foi_json_put_text(&q->answer, "foliot", fo_version());
    foi_json_open(&q->answer, "limits", '{', true);
    foi_json_put_number(&q->answer, "message", (double)desk->def.message);
    foi_json_put_number(&q->answer, "depth", FOI_DESK_DEPTH);
    foi_json_put_number(&q->answer, "text", (double)desk->def.text);
    foi_json_put_number(&q->answer, "documents", desk->def.documents);
    foi_json_put_number(&q->answer, "runs", desk->def.runs);
    foi_json_put_number(&q->answer, "lives", desk->def.lives);
    foi_json_put_number(&q->answer, "rows", (double)desk->def.rows);
    foi_json_put_number(&q->answer, "memory", (double)desk->def.memory);
    foi_json_close(&q->answer, '}');
}

static void acknowledge(foi_desk_request *q)
{
    double bytes = foi_desk_whole(q, "bytes", 0, 0, FOI_DESK_MOST);
    if (foi_desk_refused(q)) return;
    double left = q->desk->unacknowledged - bytes;
    q->desk->unacknowledged = left > 0 ? left : 0;
}

static const verb_entry *verb_of(foi_desk_request *q)
{
    const char *name = foi_desk_text(q, "do");
    for (size_t i = 0; name && i < FO_COUNT(verbs); i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    if (name)
        foi_desk_refuse(q, "unknown", "there is no request '%.64s'", name);
    else if (!foi_desk_refused(q))
        foi_desk_refuse(q, "parse", "a request needs a member \"do\"");
    return NULL;
}

// The answer's beginning: its id, as far as there is one.
static void begin_answer(foi_desk_request *q, foi_json_writer *w)
{
    const foi_json_value *id = q->body ? foi_json_member(q->body, "id") : NULL;
    *w = (foi_json_writer){.allocator = q->desk->allocator};
    foi_json_open(w, NULL, '{', true);
    if (id && id->kind == FOI_JSON_NUMBER)
        foi_json_put_number(w, "id", id->number);
    else
        foi_json_put_null(w, "id");
}

static void say_error(foi_desk_request *q)
{
    foi_json_writer w;
    begin_answer(q, &w);
    foi_json_open(&w, "error", '{', true);
    foi_json_put_text(&w, "code", q->code ? q->code : foi_desk_status(q->why.status));
    foi_json_put_text(&w, "text", q->why.text);
    foi_json_close(&w, '}');
    foi_json_close(&w, '}');
    mend(&w);
    foi_desk_say(q->desk, &w, NULL, 0);
    foi_json_writer_destroy(&w);
}

// The end of an answer that may be long: others have their turn meanwhile.
static void end_answer(foi_desk_request *q)
{
    foi_json_close(&q->answer, '}');
    if (q->frame) foi_json_put_number(&q->answer, "bytes", (double)q->frame_size);
    foi_json_close(&q->answer, '}');
    bool may = foi_desk_anywhere(q->desk, true);
    mend(&q->answer);
    foi_desk_anywhere(q->desk, may);
}

static void answer(foi_desk_request *q, foi_desk_verb *verb)
{
    if (!q->begun) {
        begin_answer(q, &q->answer);
        foi_json_open(&q->answer, "ok", '{', true);
        q->begun = true;
    }
    bool again = q->unfinished;
    q->unfinished = false;
    if (verb && (again || !foi_desk_refused(q))) verb(q);
    if (q->unfinished) return;
    if (!foi_desk_refused(q) && !foi_desk_cancelled(q->desk)) end_answer(q);
    if (foi_desk_cancelled(q->desk)) {
        q->code = "cancelled";
        fo_fail(&q->why, FO_ERROR_CANCELLED, "the request was cancelled");
    }
    if (q->answered)
        ; // it was cancelled, which was said then
    else if (foi_desk_refused(q))
        say_error(q);
    else
        foi_desk_say(q->desk, &q->answer, &q->frame, q->frame ? q->frame_size : 0);
    foi_free(q->desk->allocator, q->frame);
    foi_json_writer_destroy(&q->answer);
    foi_read_free(&q->read);
}

// --------------------------------------------------------------------------- requests that wait

/// A request that may take long, or that waits for one.
typedef struct errand {
    foi_desk_task task;
    foi_desk_request q;
    foi_desk_verb *verb;
    foi_json *json;
    char *bytes;
} errand;

static void run_errand(foi_desk_task *t)
{
    errand *e = (errand *)t;
    answer(&e->q, e->verb);
    t->unfinished = e->q.unfinished;
}

// It may still be in the middle, of which nothing is said any more.
static void answer_cancelled(foi_desk_task *t)
{
    errand *e = (errand *)t;
    foi_desk_request q = {.desk = t->desk, .body = e->q.body, .code = "cancelled"};
    fo_fail(&q.why, FO_ERROR_CANCELLED, "the request was cancelled");
    say_error(&q);
    e->q.answered = true;
}

static void free_errand(foi_desk_task *t)
{
    errand *e = (errand *)t;
    const fo_allocator *allocator = t->desk->allocator;
    foi_json_destroy(e->json);
    foi_free(allocator, e->bytes);
    foi_free(allocator, e);
}

/// The thing that a request is about; 0: none.
static uint64_t handle_of(const foi_desk_request *q)
{
    static const char *const keys[] = {"doc", "live", "run", "sweep"};
    for (size_t i = 0; i < FO_COUNT(keys); i++) {
        const foi_json_value *v = foi_json_member(q->body, keys[i]);
        if (v && v->kind == FOI_JSON_NUMBER && v->number >= 1 && v->number < 0x1p53)
            return (uint64_t)v->number;
    }
    return 0;
}

static void init_request(foi_desk_request *q, fo_desk *desk, foi_json *json, const char *bytes,
                         size_t count)
{
    *q = (foi_desk_request){.desk = desk,
                            .json = json,
                            .body = foi_json_root(json),
                            .bytes = bytes,
                            .byte_count = count};
    q->read = (foi_reader){.json = json, .allocator = desk->allocator, .why = &q->why};
}

// Puts the request aside, with all that belongs to it. False without memory.
static bool put_aside(const foi_desk_request *q, const verb_entry *v, foi_json *json,
                      uint64_t handle)
{
    fo_desk *desk = q->desk;
    const foi_json_value *id = foi_json_member(q->body, "id");
    errand *e = foi_new(desk->allocator, 1, sizeof *e);
    if (e && q->byte_count) e->bytes = foi_new(desk->allocator, q->byte_count, 1);
    if (!e || (q->byte_count && !e->bytes)) {
        foi_free(desk->allocator, e);
        return false;
    }
    if (q->byte_count) memcpy(e->bytes, q->bytes, q->byte_count);
    e->task = (foi_desk_task){.desk = desk,
                              .work = run_errand,
                              .free = free_errand,
                              .holds = handle,
                              .lets_go = v->way & COPIES,
                              .makes = v->way & MAKES,
                              .reads = v->way & READS,
                              .apart = v->way & APART,
                              .request = !(v->way & WHOLE),
                              .answer_now = answer_cancelled,
                              .id = id && id->kind == FOI_JSON_NUMBER ? id->number : NAN};
    e->verb = v->verb, e->json = json;
    init_request(&e->q, desk, json, e->bytes, q->byte_count);
    foi_desk_task_add(&e->task);
    return true;
}

// None is allowed: the answer has null then.
static bool is_id(const foi_json_value *id)
{
    return !id || id->kind == FOI_JSON_NULL ||
           (id->kind == FOI_JSON_NUMBER && id->number >= 0 && id->number < 0x1p53 &&
            id->number == floor(id->number));
}

// They were passed over, so that what follows is understood.
static void refuse_bytes(foi_desk_request *q)
{
    const foi_json_value *bytes = foi_json_member(q->body, "bytes");
    if (bytes)
        foi_desk_refuse(q, "argument", "no \"bytes\" belong to '%s': only to replay",
                        foi_desk_text(q, "do"));
}

// Answers the request, now or later; takes the message.
static void take_request(fo_desk *desk, foi_json *json, const char *bytes, size_t count)
{
    foi_desk_request q;
    init_request(&q, desk, json, bytes, count);
    bool known = is_id(foi_json_member(q.body, "id"));
    if (!known) foi_desk_refuse(&q, "argument", "\"id\" must be a whole number from 0 to 2^53 - 1");
    const verb_entry *v = known ? verb_of(&q) : NULL;
    if (v && !(v->way & CARRIES)) refuse_bytes(&q);
    if (foi_desk_refused(&q)) v = NULL;
    uint64_t handle = v ? handle_of(&q) : 0;
    if (v && v->way & CHANGES && !foi_desk_held(desk, handle, false))
        foi_desk_end_diagnoses(desk, handle);
    bool waits = v && handle && v->verb != foi_desk_cancel &&
                 foi_desk_held(desk, handle, v->way & (MODEL | CHANGES));
    bool aside = v && (waits || v->way & LONG);
    if (!known) q.body = NULL;
    if (aside && !foi_desk_task_room(desk))
        foi_desk_refuse(&q, "limit", "too many requests wait");
    else if (aside && put_aside(&q, v, json, handle))
        return;
    else if (aside)
        foi_desk_fail(&q, FO_ERROR_MEMORY);
    answer(&q, v ? v->verb : NULL);
    foi_json_destroy(json);
}

static void refuse_line(fo_desk *desk, const char *code, const char *text)
{
    foi_desk_request q = {.desk = desk, .code = code};
    fo_fail(&q.why, FO_ERROR_FORMAT, "%s", text);
    say_error(&q);
}

/// Bytes that follow the message on their own; SIZE_MAX: more than may be; no whole number: 0.
/// Those of `ack` are counted, not sent.
static size_t carried(const fo_desk *desk, const foi_json *json)
{
    const foi_json_value *bytes = foi_json_member(foi_json_root(json), "bytes");
    const foi_json_value *what = foi_json_member(foi_json_root(json), "do");
    if (!bytes || bytes->kind != FOI_JSON_NUMBER) return 0;
    if (what && what->kind == FOI_JSON_TEXT && strcmp(what->text, "ack") == 0) return 0;
    if (!(bytes->number >= 0) || bytes->number != floor(bytes->number)) return 0;
    return bytes->number <= (double)desk->def.message ? (size_t)bytes->number : SIZE_MAX;
}

// A whole line is there. False when the bytes behind it are not, yet.
static bool read_line(fo_desk *desk, const char *line, size_t length)
{
    fo_message why = {FO_OK, ""};
    foi_json_def def = {.name = "message",
                        .text = line,
                        .length = length,
                        .max_length = desk->def.message,
                        .max_depth = FOI_DESK_DEPTH,
                        .max_values = MOST_VALUES,
                        .allocator = desk->allocator};
    size_t there = desk->in_used - desk->in_from; // the last line may lack its end
    size_t taken = length < there ? length + 1 : length, behind = there - taken;
    foi_json *json = foi_json_read(&def, &why);
    size_t more = json ? carried(desk, json) : 0;
    if (!json) {
        refuse_line(desk, why.status == FO_ERROR_MEMORY ? "memory" : "parse", why.text);
    } else if (foi_json_root(json)->kind != FOI_JSON_OBJECT) {
        refuse_line(desk, "parse", "a message must be a JSON object");
    } else if (more == SIZE_MAX) {
        foi_desk_request q;
        init_request(&q, desk, json, NULL, 0);
        foi_desk_refuse(&q, "limit", "more than %zu bytes are announced", desk->def.message);
        say_error(&q);
        double bytes = foi_json_member(q.body, "bytes")->number;
        desk->skip = bytes <= MOST_SKIPPED ? bytes : 0; // who says more than that sends none
    } else if (more > behind && !desk->ended) {
        foi_json_destroy(json);
        return false;
    } else if (more > behind) {
        foi_desk_request q;
        init_request(&q, desk, json, NULL, 0);
        foi_desk_refuse(&q, "input", "the input has ended after %zu of %zu bytes", behind, more);
        say_error(&q);
        taken += behind;
    } else {
        take_request(desk, json, line + taken, more);
        json = NULL;
        taken += more;
    }
    foi_json_destroy(json);
    desk->in_from += taken;
    return true;
}

// A message that is longer than one may be: it is skipped to its end, and refused once.
static void skip_long(fo_desk *desk, const char *end, size_t waiting)
{
    if (!desk->skipping) refuse_line(desk, "limit", "a message is too long");
    desk->skipping = !end;
    desk->in_from += end ? (size_t)(end - desk->in - (ptrdiff_t)desk->in_from) + 1 : waiting;
    desk->in_looked = 0;
}

/// Reads the next message; false when there is none that is whole.
static bool read_next(fo_desk *desk)
{
    size_t waiting = desk->in_used - desk->in_from;
    if (!waiting || is_full(desk)) return false;
    if (desk->skip > 0) { // bytes of a message that was refused
        size_t some = desk->skip < (double)waiting ? (size_t)desk->skip : waiting;
        desk->skip -= (double)some, desk->in_from += some;
        return true;
    }
    const char *start = desk->in + desk->in_from;
    const char *end = memchr(start + desk->in_looked, '\n', waiting - desk->in_looked);
    size_t length = end ? (size_t)(end - start) : waiting;
    if (desk->skipping || length > desk->def.message) {
        skip_long(desk, end, waiting);
        return true;
    }
    desk->in_looked = end ? 0 : waiting;
    if (!end && !desk->ended) return false;
    bool blank = true;
    for (size_t i = 0; i < length; i++) blank &= start[i] == ' ' || start[i] == '\r';
    if (blank) {
        desk->in_from += end ? length + 1 : length;
        return true;
    }
    return read_line(desk, start, length);
}

static void spend(fo_desk *desk, uint64_t units)
{
    desk->units = desk->units > units ? desk->units - units : 0;
}

/// Requests, runs and sweeps take turns; false when there is nothing.
static bool work_on(fo_desk *desk)
{
    static bool (*const kinds[])(fo_desk *) = {foi_desk_task_some, foi_desk_run_some,
                                               foi_desk_sweep_some};
    for (size_t i = 0; i < FO_COUNT(kinds); i++)
        if (kinds[desk->worked++ % FO_COUNT(kinds)](desk)) return true;
    return false;
}

static bool has_work(const fo_desk *desk)
{
    bool any = desk->tasks.first || desk->sweep_count;
    for (size_t i = 0; !any && i < desk->run_count; i++) any = !desk->runs[i]->over;
    for (size_t i = 0; !any && i < desk->document_count; i++) any = desk->documents[i]->unheard;
    return any;
}

fo_desk_state fo_desk_work(fo_desk *desk, int64_t clock, uint64_t units)
{
    enum { MESSAGE = 64 }; // units
    bool answered = false;
    desk->clock = clock;
    desk->units = units ? units : 1;
    desk->tasks.hurry = false;
    while (desk->units && !desk->tasks.hurry) {
        if (is_full(desk)) return FO_DESK_BLOCKED;
        if (read_next(desk)) {
            spend(desk, MESSAGE);
            answered = true;
        } else if (answered && desk->out.waiting && has_work(desk)) {
            return FO_DESK_MORE; // who waits for the answers need not wait for long work
        } else if (!foi_desk_diagnose(desk) && !work_on(desk)) {
            return FO_DESK_IDLE;
        }
    }
    return FO_DESK_MORE;
}
