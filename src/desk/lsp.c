// The Language Server Protocol in front of a desk: requests become the desk's, its answers and
// diagnoses become the editor's. Both count lines and units of UTF-16 from 0. Here: the envelope of
// messages, and how a talk begins and ends.
#include "desk/lsp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

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
    foi_lsp_free_questions(l);
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

foi_json_writer foi_lsp_begin(fo_lsp *l)
{
    foi_json_writer w = {.allocator = l->allocator};
    foi_json_open(&w, NULL, '{', true);
    foi_json_put_text(&w, "jsonrpc", "2.0");
    return w;
}

void foi_lsp_put_id(foi_json_writer *w, const foi_json_value *id)
{
    if (id && id->kind == FOI_JSON_NUMBER)
        foi_json_put_number(w, "id", id->number);
    else if (id && id->kind == FOI_JSON_TEXT)
        foi_json_put_text(w, "id", id->text);
    else
        foi_json_put_null(w, "id");
}

void foi_lsp_say(fo_lsp *l, foi_json_writer *w)
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

void foi_lsp_say_error(fo_lsp *l, const foi_json_value *id, int code, const char *text)
{
    foi_json_writer w = foi_lsp_begin(l);
    foi_lsp_put_id(&w, id);
    foi_json_open(&w, "error", '{', true);
    foi_json_put_number(&w, "code", code);
    foi_json_put_text(&w, "message", text);
    foi_json_close(&w, '}');
    foi_lsp_say(l, &w);
}

size_t fo_lsp_take(fo_lsp *l, void *buffer, size_t room)
{
    size_t count = l->out_used - l->out_from;
    if (count > room) count = room;
    if (count) memcpy(buffer, l->out + l->out_from, count);
    l->out_from += count;
    return count;
}

const char *foi_lsp_text(const foi_json_value *object, const char *key)
{
    const foi_json_value *v = foi_json_member(object, key);
    return v && v->kind == FOI_JSON_TEXT ? v->text : NULL;
}

double foi_lsp_number(const foi_json_value *object, const char *key)
{
    const foi_json_value *v = foi_json_member(object, key);
    return v && v->kind == FOI_JSON_NUMBER ? v->number : NAN;
}

// [line, column] of the desk as {"line", "character"}.
void foi_lsp_put_position(foi_json_writer *w, const char *key, const foi_json_value *at)
{
    bool pair = at && at->kind == FOI_JSON_LIST && at->count == 2;
    foi_json_open(w, key, '{', true);
    foi_json_put_number(w, "line", pair ? at->first->number : 0);
    foi_json_put_number(w, "character", pair ? at->last->number : 0);
    foi_json_close(w, '}');
}

void foi_lsp_put_range(foi_json_writer *w, const char *key, const foi_json_value *of)
{
    foi_json_open(w, key, '{', true);
    foi_lsp_put_position(w, "start", foi_json_member(of, "from"));
    foi_lsp_put_position(w, "end", foi_json_member(of, "to"));
    foi_json_close(w, '}');
}

// ------------------------------------------------------------------------------------ the protocol

static void initialize(const foi_lsp_message *q)
{
    foi_json_writer w = foi_lsp_begin(q->l);
    q->l->begun = true;
    foi_lsp_put_id(&w, q->id);
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
    foi_lsp_say(q->l, &w);
}

static void shut_down(const foi_lsp_message *q)
{
    foi_json_writer w = foi_lsp_begin(q->l);
    q->l->shut = true;
    foi_lsp_put_id(&w, q->id);
    foi_json_put_null(&w, "result");
    foi_lsp_say(q->l, &w);
}

// One that is over, or that never was, is no mistake.
static void cancel(const foi_lsp_message *q)
{
    const foi_json_value *id = foi_json_member(q->params, "id");
    if (id) foi_lsp_end_questions(q->l, NULL, id, FOI_LSP_CANCELLED, "the request was cancelled");
}

static void leave(const foi_lsp_message *q)
{
    q->l->over = true;
}

static const struct {
    const char *method;
    void (*answer)(const foi_lsp_message *q);
} methods[] = {
    {"initialize", initialize},
    {"shutdown", shut_down},
    {"exit", leave},
    {"$/cancelRequest", cancel},
    {"textDocument/didOpen", foi_lsp_did_open},
    {"textDocument/didChange", foi_lsp_did_change},
    {"textDocument/didClose", foi_lsp_did_close},
};

// What a message is refused with, by the state of the talk; 0: nothing.
static int refusal(const fo_lsp *l, const char *method, const char **text)
{
    bool begins = strcmp(method, "initialize") == 0, exits = strcmp(method, "exit") == 0;
    if (exits) return 0;
    if (!l->begun && !begins) {
        *text = "the server is not initialized";
        return FOI_LSP_NOT_BEGUN;
    }
    if (l->shut || (l->begun && begins)) {
        *text = l->shut ? "the server is shut down" : "the server is initialized already";
        return FOI_LSP_INVALID;
    }
    return 0;
}

// A whole number or a text, as the protocol has it; none: a notification.
static bool is_id(const foi_json_value *id)
{
    return !id || id->kind == FOI_JSON_TEXT ||
           (id->kind == FOI_JSON_NUMBER && id->number == floor(id->number) &&
            fabs(id->number) <= FOI_DESK_MOST);
}

static void answer(fo_lsp *l, const foi_lsp_message *q)
{
    const char *text = "this method is not offered";
    int code = refusal(l, q->method, &text);
    size_t i = 0;
    while (i < FO_COUNT(methods) && strcmp(methods[i].method, q->method) != 0) i++;
    if (!code && i < FO_COUNT(methods))
        methods[i].answer(q);
    else if ((code || !q->id || !foi_lsp_question_asked(q)) && q->id)
        foi_lsp_say_error(l, q->id, code ? code : FOI_LSP_NO_METHOD, text);
}

static void take_message(fo_lsp *l, const char *text, size_t length)
{
    foi_json_def def = {
        .name = "message", .text = text, .length = length, .allocator = l->allocator};
    fo_message why = {FO_OK, ""};
    foi_json *json = foi_json_read(&def, &why);
    const foi_json_value *root = json ? foi_json_root(json) : NULL;
    bool object = root && root->kind == FOI_JSON_OBJECT;
    foi_lsp_message q = {.l = l};
    if (object) {
        q.id = foi_json_member(root, "id");
        q.params = foi_json_member(root, "params");
        q.method = foi_lsp_text(root, "method");
    }
    bool reply = object && (foi_json_member(root, "result") || foi_json_member(root, "error"));
    if (!root)
        foi_lsp_say_error(l, NULL, FOI_LSP_PARSE, why.text);
    else if (!object)
        foi_lsp_say_error(l, NULL, FOI_LSP_INVALID,
                          "a message must be a JSON object: batches are not supported");
    else if (!is_id(q.id))
        foi_lsp_say_error(l, NULL, FOI_LSP_INVALID,
                          "an id must be a whole number below 2^53 or a text");
    else if (q.method)
        answer(l, &q);
    else if (!reply) // an answer of the editor needs none: nothing was asked
        foi_lsp_say_error(l, q.id, FOI_LSP_INVALID, "a request needs a method");
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
        foi_lsp_say_error(l, NULL, FOI_LSP_PARSE, "expected a header with a valid Content-Length");
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
    foi_lsp_hear(l);
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
