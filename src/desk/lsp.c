// The Language Server Protocol in front of a desk: requests become the desk's, its answers and
// diagnoses become the editor's. Both count lines and units of UTF-16 from 0.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "desk/desk.h"
#include "math/math.h"

/// A document of the editor.
typedef struct paper {
    char *uri;
    double doc; ///< the desk's handle
} paper;

struct fo_lsp {
    fo_desk *desk;
    const fo_allocator *allocator;
    char *in, *out, *said; ///< from the editor, to the editor, from the desk
    size_t in_used, in_room, out_from, out_used, out_room, said_used, said_room;
    paper *papers;
    size_t paper_count, paper_room;
    double ids;
    bool begun, shut, over;
};

fo_lsp *fo_lsp_create(const fo_desk_def *def, fo_message *why)
{
    fo_lsp *l = foi_new(def->allocator, 1, sizeof *l);
    if (l) {
        l->allocator = def->allocator;
        l->desk = fo_desk_create(def, why);
        if (l->desk) return l;
        foi_free(def->allocator, l);
        return NULL;
    }
    fo_fail(why, FO_ERROR_MEMORY, "no memory for a language server");
    return NULL;
}

void fo_lsp_destroy(fo_lsp *l)
{
    if (!l) return;
    for (size_t i = 0; i < l->paper_count; i++) foi_free(l->allocator, l->papers[i].uri);
    foi_free(l->allocator, l->papers);
    foi_free(l->allocator, l->in);
    foi_free(l->allocator, l->out);
    foi_free(l->allocator, l->said);
    fo_desk_destroy(l->desk);
    foi_free(l->allocator, l);
}

// ---------------------------------------------------------------------------------- to the editor

static void put_out(fo_lsp *l, const char *bytes, size_t count)
{
    if (l->out_from == l->out_used) l->out_from = l->out_used = 0;
    if (!foi_array_room(l->allocator, &l->out, &l->out_room, l->out_used + count, 1)) return;
    memcpy(l->out + l->out_used, bytes, count);
    l->out_used += count;
}

static foi_json_writer begin(fo_lsp *l)
{
    foi_json_writer w = {.allocator = l->allocator};
    foi_json_open(&w, NULL, '{', true);
    foi_json_put_text(&w, "jsonrpc", "2.0");
    return w;
}

static void put_id(foi_json_writer *w, const foi_json_value *id)
{
    if (id && id->kind == FOI_JSON_NUMBER)
        foi_json_put_number(w, "id", id->number);
    else if (id && id->kind == FOI_JSON_TEXT)
        foi_json_put_text(w, "id", id->text);
    else
        foi_json_put_null(w, "id");
}

static void say(fo_lsp *l, foi_json_writer *w)
{
    char head[64];
    foi_json_close(w, '}');
    if (!w->failed && w->text) {
        foi_mend_utf8(w->text, w->length);
        int length = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", w->length);
        put_out(l, head, (size_t)length);
        put_out(l, w->text, w->length);
    }
    foi_json_writer_destroy(w);
}

static void say_error(fo_lsp *l, const foi_json_value *id, int code, const char *text)
{
    foi_json_writer w = begin(l);
    put_id(&w, id);
    foi_json_open(&w, "error", '{', true);
    foi_json_put_number(&w, "code", code);
    foi_json_put_text(&w, "message", text);
    foi_json_close(&w, '}');
    say(l, &w);
}

size_t fo_lsp_take(fo_lsp *l, void *buffer, size_t room)
{
    size_t count = l->out_used - l->out_from;
    if (count > room) count = room;
    if (count) memcpy(buffer, l->out + l->out_from, count);
    l->out_from += count;
    return count;
}

// --------------------------------------------------------------------------------- with the desk

static const char *text_of(const foi_json_value *object, const char *key)
{
    const foi_json_value *v = foi_json_member(object, key);
    return v && v->kind == FOI_JSON_TEXT ? v->text : NULL;
}

static double number_of(const foi_json_value *object, const char *key)
{
    const foi_json_value *v = foi_json_member(object, key);
    return v && v->kind == FOI_JSON_NUMBER ? v->number : NAN;
}

// [line, column] of the desk as {"line", "character"}.
static void put_position(foi_json_writer *w, const char *key, const foi_json_value *at)
{
    bool pair = at && at->kind == FOI_JSON_LIST && at->count == 2;
    foi_json_open(w, key, '{', true);
    foi_json_put_number(w, "line", pair ? at->first->number : 0);
    foi_json_put_number(w, "character", pair ? at->last->number : 0);
    foi_json_close(w, '}');
}

static void put_range(foi_json_writer *w, const char *key, const foi_json_value *of)
{
    foi_json_open(w, key, '{', true);
    put_position(w, "start", foi_json_member(of, "from"));
    put_position(w, "end", foi_json_member(of, "to"));
    foi_json_close(w, '}');
}

static paper *paper_of(fo_lsp *l, double doc)
{
    for (size_t i = 0; i < l->paper_count; i++)
        if (l->papers[i].doc == doc) return &l->papers[i];
    return NULL;
}

static void publish(fo_lsp *l, const foi_json_value *event)
{
    const paper *p = paper_of(l, number_of(event, "doc"));
    const foi_json_value *list = foi_json_member(event, "list");
    if (!p) return;
    foi_json_writer w = begin(l);
    foi_json_put_text(&w, "method", "textDocument/publishDiagnostics");
    foi_json_open(&w, "params", '{', true);
    foi_json_put_text(&w, "uri", p->uri);
    double version = number_of(event, "version");
    if (version >= 0) foi_json_put_number(&w, "version", version);
    foi_json_open(&w, "diagnostics", '[', true);
    for (const foi_json_value *v = list ? list->first : NULL; v; v = v->next) {
        const char *severity = text_of(v, "severity"), *text = text_of(v, "text");
        foi_json_open(&w, NULL, '{', true);
        put_range(&w, "range", v);
        foi_json_put_number(&w, "severity",
                            !severity || strcmp(severity, "error") == 0 ? 1
                            : strcmp(severity, "warning") == 0          ? 2
                                                                        : 3);
        foi_json_put_text(&w, "source", "foliot");
        foi_json_put_text(&w, "message", text ? text : "");
        foi_json_close(&w, '}');
    }
    foi_json_close(&w, ']');
    foi_json_close(&w, '}');
    say(l, &w);
}

// Takes what the desk has said. The answer to request `id`, if it is there; to be destroyed.
static foi_json *hear(fo_lsp *l, double id)
{
    foi_json *found = NULL;
    for (size_t got = 1; got;) {
        if (!foi_array_room(l->allocator, &l->said, &l->said_room, l->said_used + 65536, 1)) break;
        got = fo_desk_take(l->desk, l->said + l->said_used, 65536);
        l->said_used += got;
    }
    const char *at = l->said, *end = l->said + l->said_used;
    for (const char *stop; at < end && (stop = memchr(at, '\n', (size_t)(end - at)));
         at = stop + 1) {
        foi_json_def def = {
            .name = "desk", .text = at, .length = (size_t)(stop - at), .allocator = l->allocator};
        foi_json *line = foi_json_read(&def, NULL);
        const char *on = line ? text_of(foi_json_root(line), "on") : NULL;
        if (on && strcmp(on, "diagnostics") == 0) publish(l, foi_json_root(line));
        if (line && !on && !found && number_of(foi_json_root(line), "id") == id)
            found = line;
        else
            foi_json_destroy(line);
    }
    if (at != l->said) memmove(l->said, at, (size_t)(end - at));
    l->said_used = (size_t)(end - at);
    return found;
}

// Asks the desk, which answers at once. NULL when it does not.
static foi_json *call(fo_lsp *l, foi_json_writer *request)
{
    double id = ++l->ids;
    foi_json_put_number(request, "id", id);
    foi_json_close(request, '}');
    foi_json *answer = NULL;
    if (!request->failed) {
        size_t given = 0;
        while (given < request->length) {
            size_t taken = fo_desk_give(l->desk, request->text + given, request->length - given);
            if (!taken) break;
            given += taken;
        }
        // one unit at a time: messages, and what is asked of texts before all other work
        fo_desk_state state = FO_DESK_MORE;
        while (!answer && state != FO_DESK_IDLE) {
            state = fo_desk_work(l->desk, 0, 1);
            answer = hear(l, id);
        }
    }
    foi_json_writer_destroy(request);
    return answer;
}

static foi_json_writer ask(fo_lsp *l, const char *what)
{
    foi_json_writer w = {.allocator = l->allocator};
    foi_json_open(&w, NULL, '{', true);
    foi_json_put_text(&w, "do", what);
    return w;
}

// ------------------------------------------------------------------------------------- documents

/// A message of the editor.
typedef struct question {
    fo_lsp *l;
    const foi_json_value *id, *params;
    const char *method;
} question;

static paper *paper_asked(const question *q)
{
    const foi_json_value *document = foi_json_member(q->params, "textDocument");
    const char *uri = document ? text_of(document, "uri") : NULL;
    for (size_t i = 0; uri && i < q->l->paper_count; i++)
        if (strcmp(q->l->papers[i].uri, uri) == 0) return &q->l->papers[i];
    return NULL;
}

// Says of a document why it has no diagnoses: the desk does not take it as it is.
static void publish_refusal(const question *q, const char *uri, const foi_json *answer)
{
    const foi_json_value *error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    const char *text = error ? text_of(error, "text") : NULL;
    foi_json_writer w = begin(q->l);
    foi_json_put_text(&w, "method", "textDocument/publishDiagnostics");
    foi_json_open(&w, "params", '{', true);
    foi_json_put_text(&w, "uri", uri);
    foi_json_open(&w, "diagnostics", '[', true);
    foi_json_open(&w, NULL, '{', true);
    foi_json_open(&w, "range", '{', true);
    put_position(&w, "start", NULL);
    put_position(&w, "end", NULL);
    foi_json_close(&w, '}');
    foi_json_put_number(&w, "severity", 1);
    foi_json_put_text(&w, "source", "foliot");
    foi_json_put_text(&w, "message", text ? text : "no memory for this document");
    foi_json_close(&w, '}');
    foi_json_close(&w, ']');
    foi_json_close(&w, '}');
    say(q->l, &w);
}

static void did_open(const question *q)
{
    fo_lsp *l = q->l;
    const foi_json_value *document = foi_json_member(q->params, "textDocument");
    const char *uri = document ? text_of(document, "uri") : NULL;
    const char *text = document ? text_of(document, "text") : NULL;
    if (!uri || !text || paper_asked(q)) return;
    if (!foi_array_room(l->allocator, &l->papers, &l->paper_room, l->paper_count + 1,
                        sizeof *l->papers))
        return;
    const char *slash = strrchr(uri, '/');
    double version = number_of(document, "version");
    foi_json_writer w = ask(l, "open");
    if (version >= 0) foi_json_put_number(&w, "version", version);
    foi_json_put_text(&w, "name", slash && slash[1] ? slash + 1 : "text.mo");
    foi_json_put_text(&w, "kind", "text");
    foi_json_put_text(&w, "text", text);
    foi_json *answer = call(l, &w);
    const foi_json_value *ok = answer ? foi_json_member(foi_json_root(answer), "ok") : NULL;
    char *kept = ok ? foi_copy_text(l->allocator, uri) : NULL;
    if (kept)
        l->papers[l->paper_count++] = (paper){kept, number_of(ok, "doc")};
    else
        publish_refusal(q, uri, answer);
    foi_json_destroy(answer);
}

enum { BEYOND = 999999999 }; // a line or column beyond any text: its end

static void put_place(foi_json_writer *w, const char *key, double line, double column)
{
    foi_json_open(w, key, '[', true);
    foi_json_put_number(w, NULL, line);
    foi_json_put_number(w, NULL, column);
    foi_json_close(w, ']');
}

static void put_edit_position(foi_json_writer *w, const char *key, const foi_json_value *at)
{
    double line = at ? number_of(at, "line") : NAN, column = at ? number_of(at, "character") : NAN;
    // what is none the desk refuses
    put_place(w, key, line >= 0 ? foi_fmin(line, BEYOND) : -1,
              column >= 0 ? foi_fmin(column, BEYOND) : -1);
}

// One change after the other: each counts from what the one before has left. One without a range is
// the whole text.
static void put_changes(foi_json_writer *w, const foi_json_value *changes)
{
    foi_json_open(w, "edits", '[', true);
    for (const foi_json_value *v = changes ? changes->first : NULL; v; v = v->next) {
        const foi_json_value *range = foi_json_member(v, "range");
        const char *text = text_of(v, "text");
        if (!text) continue;
        foi_json_open(w, NULL, '{', true);
        if (range) {
            put_edit_position(w, "from", foi_json_member(range, "start"));
            put_edit_position(w, "to", foi_json_member(range, "end"));
        } else {
            put_place(w, "from", 0, 0);
            put_place(w, "to", BEYOND, 0);
        }
        foi_json_put_text(w, "text", text);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static foi_json *change(const question *q, const paper *p, double version)
{
    foi_json_writer w = ask(q->l, "change");
    foi_json_put_number(&w, "doc", p->doc);
    if (version >= 0) foi_json_put_number(&w, "version", version);
    put_changes(&w, foi_json_member(q->params, "contentChanges"));
    return call(q->l, &w);
}

// A version that is not newer is the editor's mistake, and its text counts none the less.
static void did_change(const question *q)
{
    const paper *p = paper_asked(q);
    const foi_json_value *document = foi_json_member(q->params, "textDocument");
    if (!p) return;
    foi_json *answer = change(q, p, document ? number_of(document, "version") : NAN);
    const foi_json_value *error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    const char *code = error ? text_of(error, "code") : NULL;
    if (code && strcmp(code, "stale") == 0) {
        foi_json_destroy(answer);
        answer = change(q, p, NAN);
        error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    }
    if (!answer || error) publish_refusal(q, p->uri, answer);
    foi_json_destroy(answer);
}

static void did_close(const question *q)
{
    fo_lsp *l = q->l;
    paper *p = paper_asked(q);
    if (!p) return;
    foi_json_writer w = ask(l, "close");
    foi_json_put_number(&w, "doc", p->doc);
    foi_json_destroy(call(l, &w));
    w = begin(l); // what was said of it is over
    foi_json_put_text(&w, "method", "textDocument/publishDiagnostics");
    foi_json_open(&w, "params", '{', true);
    foi_json_put_text(&w, "uri", p->uri);
    foi_json_open(&w, "diagnostics", '[', true);
    foi_json_close(&w, ']');
    foi_json_close(&w, '}');
    say(l, &w);
    foi_free(l->allocator, p->uri);
    *p = l->papers[--l->paper_count];
}

// -------------------------------------------------------------------------------------- questions

static bool is_place(const foi_json_value *at)
{
    double line = at ? number_of(at, "line") : NAN, column = at ? number_of(at, "character") : NAN;
    return line >= 0 && column >= 0 && line == floor(line) && column == floor(column);
}

// Asks the desk about the place of a question; NULL after an error was said.
static foi_json *ask_place(const question *q, const char *what, const char *name)
{
    const paper *p = paper_asked(q);
    const foi_json_value *position = foi_json_member(q->params, "position");
    bool placed = strcmp(what, "format") != 0 && strcmp(what, "outline") != 0;
    if (!p) {
        say_error(q->l, q->id, -32602, "this document is not open");
        return NULL;
    }
    foi_json_writer w = ask(q->l, what);
    foi_json_put_number(&w, "doc", p->doc);
    if (placed) put_edit_position(&w, "at", position);
    if (name) foi_json_put_text(&w, "name", name);
    foi_json *answer = call(q->l, &w);
    const foi_json_value *error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    if (answer && !error) return answer;
    const char *text = error ? text_of(error, "text") : NULL;
    bool misplaced = placed && !is_place(position);
    say_error(q->l, q->id, misplaced ? -32602 : -32803, text ? text : "no answer");
    foi_json_destroy(answer);
    return NULL;
}

static const foi_json_value *list_of(const foi_json *answer, const char *key)
{
    const foi_json_value *ok = foi_json_member(foi_json_root(answer), "ok");
    const foi_json_value *list = ok ? foi_json_member(ok, key) : NULL;
    return list ? list->first : NULL;
}

static int completion_kind(const char *kind)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {{"variable", 6}, {"class", 7}, {"function", 3}, {"keyword", 14}, {"type", 25}};
    for (size_t i = 0; kind && i < FO_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, kind) == 0) return kinds[i].kind;
    return 1;
}

static void completion(const question *q)
{
    foi_json *answer = ask_place(q, "complete", NULL);
    if (!answer) return;
    foi_json_writer w = begin(q->l);
    put_id(&w, q->id);
    foi_json_open(&w, "result", '{', true);
    foi_json_put_truth(&w, "isIncomplete", false);
    foi_json_open(&w, "items", '[', true);
    for (const foi_json_value *v = list_of(answer, "list"); v; v = v->next) {
        const char *name = text_of(v, "name"), *detail = text_of(v, "detail");
        if (!name) continue;
        foi_json_open(&w, NULL, '{', true);
        foi_json_put_text(&w, "label", name);
        foi_json_put_number(&w, "kind", completion_kind(text_of(v, "kind")));
        if (detail) foi_json_put_text(&w, "detail", detail);
        foi_json_close(&w, '}');
    }
    foi_json_close(&w, ']');
    foi_json_close(&w, '}');
    say(q->l, &w);
    foi_json_destroy(answer);
}

static void hover(const question *q)
{
    foi_json *answer = ask_place(q, "hover", NULL);
    if (!answer) return;
    const foi_json_value *ok = foi_json_member(foi_json_root(answer), "ok");
    const char *text = text_of(ok, "text"), *about = text_of(ok, "about");
    const char *unit = text_of(ok, "unit");
    double value = number_of(ok, "value");
    foi_json_writer w = begin(q->l);
    put_id(&w, q->id);
    if (text) {
        char all[2048], number[64] = "";
        if (isfinite(value))
            snprintf(number, sizeof number, "\n\n= %.10g%s%s", value, unit ? " " : "",
                     unit ? unit : "");
        else if (unit)
            snprintf(number, sizeof number, "\n\n[%s]", unit);
        snprintf(all, sizeof all, "```modelica\n%s\n```%s%s%s", text, about && *about ? "\n\n" : "",
                 about ? about : "", number);
        foi_json_open(&w, "result", '{', true);
        foi_json_open(&w, "contents", '{', true);
        foi_json_put_text(&w, "kind", "markdown");
        foi_json_put_text(&w, "value", all);
        foi_json_close(&w, '}');
        put_range(&w, "range", ok);
        foi_json_close(&w, '}');
    } else {
        foi_json_put_null(&w, "result");
    }
    say(q->l, &w);
    foi_json_destroy(answer);
}

static void places(const question *q)
{
    bool definition = strcmp(q->method, "textDocument/definition") == 0;
    foi_json *answer = ask_place(q, definition ? "definition" : "references", NULL);
    if (!answer) return;
    const paper *p = paper_asked(q);
    foi_json_writer w = begin(q->l);
    put_id(&w, q->id);
    foi_json_open(&w, "result", '[', true);
    for (const foi_json_value *v = list_of(answer, "list"); v; v = v->next) {
        foi_json_open(&w, NULL, '{', true);
        foi_json_put_text(&w, "uri", p->uri);
        put_range(&w, "range", v);
        foi_json_close(&w, '}');
    }
    foi_json_close(&w, ']');
    say(q->l, &w);
    foi_json_destroy(answer);
}

static void put_edits(foi_json_writer *w, const char *key, const foi_json_value *edits)
{
    foi_json_open(w, key, '[', true);
    for (const foi_json_value *v = edits; v; v = v->next) {
        const char *text = text_of(v, "text");
        foi_json_open(w, NULL, '{', true);
        put_range(w, "range", v);
        foi_json_put_text(w, "newText", text ? text : "");
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void rename_word(const question *q)
{
    foi_json *answer = ask_place(q, "rename", text_of(q->params, "newName"));
    if (!answer) return;
    foi_json_writer w = begin(q->l);
    put_id(&w, q->id);
    foi_json_open(&w, "result", '{', true);
    foi_json_open(&w, "changes", '{', true);
    put_edits(&w, paper_asked(q)->uri, list_of(answer, "edits"));
    foi_json_close(&w, '}');
    foi_json_close(&w, '}');
    say(q->l, &w);
    foi_json_destroy(answer);
}

static void formatting(const question *q)
{
    foi_json *answer = ask_place(q, "format", NULL);
    if (!answer) return;
    foi_json_writer w = begin(q->l);
    put_id(&w, q->id);
    put_edits(&w, "result", list_of(answer, "edits"));
    say(q->l, &w);
    foi_json_destroy(answer);
}

static int symbol_kind(const char *kind)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {{"package", 4}, {"function", 12},  {"connector", 11}, {"record", 23},
                 {"type", 26},   {"parameter", 14}, {"constant", 14},  {"variable", 13},
                 {"input", 13},  {"output", 13},    {"discrete", 13},  {"flow", 13}};
    for (size_t i = 0; kind && i < FO_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, kind) == 0) return kinds[i].kind;
    return 5; // a class
}

static void put_symbols(foi_json_writer *w, const char *key, const foi_json_value *list)
{
    foi_json_open(w, key, '[', true);
    for (const foi_json_value *v = list; v; v = v->next) {
        const foi_json_value *inside = foi_json_member(v, "list");
        const char *name = text_of(v, "name"), *detail = text_of(v, "detail");
        if (!name) continue;
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "name", name);
        if (detail) foi_json_put_text(w, "detail", detail);
        foi_json_put_number(w, "kind", symbol_kind(text_of(v, "kind")));
        put_range(w, "range", v);
        put_range(w, "selectionRange", foi_json_member(v, "name_at"));
        if (inside && inside->first) put_symbols(w, "children", inside->first);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void symbols(const question *q)
{
    foi_json *answer = ask_place(q, "outline", NULL);
    if (!answer) return;
    foi_json_writer w = begin(q->l);
    put_id(&w, q->id);
    put_symbols(&w, "result", list_of(answer, "list"));
    say(q->l, &w);
    foi_json_destroy(answer);
}

// ------------------------------------------------------------------------------------ the protocol

static void initialize(const question *q)
{
    foi_json_writer w = begin(q->l);
    q->l->begun = true;
    put_id(&w, q->id);
    foi_json_open(&w, "result", '{', true);
    foi_json_open(&w, "capabilities", '{', true);
    foi_json_put_text(&w, "positionEncoding", "utf-16");
    foi_json_put_number(&w, "textDocumentSync", 2); // in parts
    foi_json_open(&w, "completionProvider", '{', true);
    foi_json_open(&w, "triggerCharacters", '[', true);
    foi_json_put_text(&w, NULL, ".");
    foi_json_close(&w, ']');
    foi_json_close(&w, '}');
    foi_json_put_truth(&w, "hoverProvider", true);
    foi_json_put_truth(&w, "definitionProvider", true);
    foi_json_put_truth(&w, "referencesProvider", true);
    foi_json_put_truth(&w, "renameProvider", true);
    foi_json_put_truth(&w, "documentFormattingProvider", true);
    foi_json_put_truth(&w, "documentSymbolProvider", true);
    foi_json_close(&w, '}');
    foi_json_open(&w, "serverInfo", '{', true);
    foi_json_put_text(&w, "name", "foliot");
    foi_json_put_text(&w, "version", fo_version());
    foi_json_close(&w, '}');
    foi_json_close(&w, '}');
    say(q->l, &w);
}

static void shut_down(const question *q)
{
    foi_json_writer w = begin(q->l);
    q->l->shut = true;
    put_id(&w, q->id);
    foi_json_put_null(&w, "result");
    say(q->l, &w);
}

static void leave(const question *q)
{
    q->l->over = true;
}

static const struct {
    const char *method;
    void (*answer)(const question *q);
} methods[] = {
    {"initialize", initialize},
    {"shutdown", shut_down},
    {"exit", leave},
    {"textDocument/didOpen", did_open},
    {"textDocument/didChange", did_change},
    {"textDocument/didClose", did_close},
    {"textDocument/completion", completion},
    {"textDocument/hover", hover},
    {"textDocument/definition", places},
    {"textDocument/references", places},
    {"textDocument/rename", rename_word},
    {"textDocument/formatting", formatting},
    {"textDocument/documentSymbol", symbols},
};

// What a message is refused with, by the state of the talk; 0: nothing.
static int refusal(const fo_lsp *l, const char *method, const char **text)
{
    bool begins = strcmp(method, "initialize") == 0, exits = strcmp(method, "exit") == 0;
    if (exits) return 0;
    if (!l->begun && !begins) {
        *text = "the server is not initialized";
        return -32002;
    }
    if (l->shut || (l->begun && begins)) {
        *text = l->shut ? "the server is shut down" : "the server is initialized already";
        return -32600;
    }
    return 0;
}

// A whole number or a text, as the protocol has it; none: a notification.
static bool is_id(const foi_json_value *id)
{
    return !id || id->kind == FOI_JSON_TEXT ||
           (id->kind == FOI_JSON_NUMBER && id->number == floor(id->number));
}

static void answer(fo_lsp *l, const question *q)
{
    const char *text = "this method is not offered";
    int code = refusal(l, q->method, &text);
    size_t i = 0;
    while (i < FO_COUNT(methods) && strcmp(methods[i].method, q->method) != 0) i++;
    if (!code && i < FO_COUNT(methods))
        methods[i].answer(q);
    else if (q->id)
        say_error(l, q->id, code ? code : -32601, text);
}

static void take_message(fo_lsp *l, const char *text, size_t length)
{
    foi_json_def def = {
        .name = "message", .text = text, .length = length, .allocator = l->allocator};
    fo_message why = {FO_OK, ""};
    foi_json *json = foi_json_read(&def, &why);
    const foi_json_value *root = json ? foi_json_root(json) : NULL;
    bool object = root && root->kind == FOI_JSON_OBJECT;
    question q = {.l = l};
    if (object) {
        q.id = foi_json_member(root, "id");
        q.params = foi_json_member(root, "params");
        q.method = text_of(root, "method");
    }
    bool reply = object && (foi_json_member(root, "result") || foi_json_member(root, "error"));
    if (!root)
        say_error(l, NULL, -32700, why.text);
    else if (!object)
        say_error(l, NULL, -32600, "a message must be a JSON object: batches are not supported");
    else if (!is_id(q.id))
        say_error(l, NULL, -32600, "an id must be a whole number or a text");
    else if (q.method)
        answer(l, &q);
    else if (!reply) // an answer of the editor needs none: nothing was asked
        say_error(l, q.id, -32600, "a request needs a method");
    foi_json_destroy(json);
}

// The length of the header and of the message behind it; false: the header is not whole.
static bool read_head(const fo_lsp *l, size_t *head, size_t *body)
{
    for (size_t i = 3; i < l->in_used; i++) {
        if (memcmp(l->in + i - 3, "\r\n\r\n", 4) != 0) continue;
        *head = i + 1;
        *body = SIZE_MAX;
        for (size_t k = 0; k + 15 < *head; k++)
            if ((k == 0 || l->in[k - 1] == '\n') &&
                strncasecmp(l->in + k, "content-length:", 15) == 0)
                *body = strtoul(l->in + k + 15, NULL, 10); // the header ends with \r
        return true;
    }
    return false;
}

size_t fo_lsp_give(fo_lsp *l, const void *bytes, size_t count)
{
    enum { MOST = 16 << 20 };
    if (l->in_used >= MOST) return 0;
    if (count > MOST - l->in_used) count = MOST - l->in_used;
    if (!foi_array_room(l->allocator, &l->in, &l->in_room, l->in_used + count, 1)) return 0;
    memcpy(l->in + l->in_used, bytes, count);
    l->in_used += count;
    return count;
}

// The next message that is whole; false: there is none.
static bool take_next(fo_lsp *l)
{
    enum { LONGEST = 8 << 20, HEADER = 4096 };
    size_t head = 0, body = 0;
    bool headed = read_head(l, &head, &body);
    if (!headed && l->in_used < HEADER) return false;
    if (!headed || body > LONGEST) { // who speaks like this cannot be understood any more
        say_error(l, NULL, -32700, "expected a header with a valid Content-Length");
        l->in_used = 0;
        l->over = true;
        return false;
    }
    if (l->in_used - head < body) return false;
    take_message(l, l->in + head, body);
    memmove(l->in, l->in + head + body, l->in_used - head - body);
    l->in_used -= head + body;
    return true;
}

fo_desk_state fo_lsp_work(fo_lsp *l, uint64_t units)
{
    while (!l->over && take_next(l)) continue;
    if (l->over) return FO_DESK_IDLE;
    fo_desk_state state = fo_desk_work(l->desk, 0, units);
    foi_json_destroy(hear(l, -1));
    return state == FO_DESK_BLOCKED ? FO_DESK_MORE : state;
}

bool fo_lsp_interrupt(fo_lsp *l, const void *stack_pointer)
{
    return fo_desk_interrupt(l->desk, stack_pointer);
}

void fo_lsp_leave(fo_lsp *l)
{
    fo_desk_leave(l->desk);
}

bool fo_lsp_over(const fo_lsp *l, bool *orderly)
{
    if (orderly) *orderly = l->shut;
    return l->over;
}
