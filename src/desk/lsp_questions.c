// What an editor asks about a document. The answer comes when the desk has it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "desk/lsp.h"

// ---------------------------------------------------------------------------------------- results

static const foi_json_value *list_of(const foi_json_value *ok, const char *key)
{
    const foi_json_value *list = foi_json_member(ok, key);
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

static void completion(foi_json_writer *w, const foi_lsp_question *q, const foi_json_value *ok)
{
    (void)q;
    foi_json_open(w, "result", '{', true);
    foi_json_put_truth(w, "isIncomplete", false);
    foi_json_open(w, "items", '[', true);
    for (const foi_json_value *v = list_of(ok, "list"); v; v = v->next) {
        const char *name = foi_lsp_text(v, "name"), *detail = foi_lsp_text(v, "detail");
        if (!name) continue;
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "label", name);
        foi_json_put_number(w, "kind", completion_kind(foi_lsp_text(v, "kind")));
        if (detail) foi_json_put_text(w, "detail", detail);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
    foi_json_close(w, '}');
}

static void hover(foi_json_writer *w, const foi_lsp_question *q, const foi_json_value *ok)
{
    const char *text = foi_lsp_text(ok, "text"), *about = foi_lsp_text(ok, "about");
    const char *unit = foi_lsp_text(ok, "unit");
    double value = foi_lsp_number(ok, "value");
    char all[2048], number[64] = "";
    (void)q;
    if (!text) {
        foi_json_put_null(w, "result");
        return;
    }
    if (isfinite(value))
        snprintf(number, sizeof number, "\n\n= %.10g%s%s", value, unit ? " " : "",
                 unit ? unit : "");
    else if (unit)
        snprintf(number, sizeof number, "\n\n[%s]", unit);
    snprintf(all, sizeof all, "```modelica\n%s\n```%s%s%s", text, about && *about ? "\n\n" : "",
             about ? about : "", number);
    foi_json_open(w, "result", '{', true);
    foi_json_open(w, "contents", '{', true);
    foi_json_put_text(w, "kind", "markdown");
    foi_json_put_text(w, "value", all);
    foi_json_close(w, '}');
    foi_lsp_put_range(w, "range", ok);
    foi_json_close(w, '}');
}

static void places(foi_json_writer *w, const foi_lsp_question *q, const foi_json_value *ok)
{
    foi_json_open(w, "result", '[', true);
    for (const foi_json_value *v = list_of(ok, "list"); v; v = v->next) {
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "uri", q->uri);
        foi_lsp_put_range(w, "range", v);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void put_edits(foi_json_writer *w, const char *key, const foi_json_value *edits)
{
    foi_json_open(w, key, '[', true);
    for (const foi_json_value *v = edits; v; v = v->next) {
        const char *text = foi_lsp_text(v, "text");
        foi_json_open(w, NULL, '{', true);
        foi_lsp_put_range(w, "range", v);
        foi_json_put_text(w, "newText", text ? text : "");
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void rename_word(foi_json_writer *w, const foi_lsp_question *q, const foi_json_value *ok)
{
    foi_json_open(w, "result", '{', true);
    foi_json_open(w, "changes", '{', true);
    put_edits(w, q->uri, list_of(ok, "edits"));
    foi_json_close(w, '}');
    foi_json_close(w, '}');
}

static void formatting(foi_json_writer *w, const foi_lsp_question *q, const foi_json_value *ok)
{
    (void)q;
    put_edits(w, "result", list_of(ok, "edits"));
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
        const char *name = foi_lsp_text(v, "name"), *detail = foi_lsp_text(v, "detail");
        if (!name) continue;
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "name", name);
        if (detail) foi_json_put_text(w, "detail", detail);
        foi_json_put_number(w, "kind", symbol_kind(foi_lsp_text(v, "kind")));
        foi_lsp_put_range(w, "range", v);
        foi_lsp_put_range(w, "selectionRange", foi_json_member(v, "name_at"));
        if (inside && inside->first) put_symbols(w, "children", inside->first);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void symbols(foi_json_writer *w, const foi_lsp_question *q, const foi_json_value *ok)
{
    (void)q;
    put_symbols(w, "result", list_of(ok, "list"));
}

// ----------------------------------------------------------------------------------------- asking

static const struct {
    const char *method, *what; ///< the editor's and the desk's
    bool placed;
    foi_lsp_result *result;
} methods[] = {
    {"textDocument/completion", "complete", true, completion},
    {"textDocument/hover", "hover", true, hover},
    {"textDocument/definition", "definition", true, places},
    {"textDocument/references", "references", true, places},
    {"textDocument/rename", "rename", true, rename_word},
    {"textDocument/formatting", "format", false, formatting},
    {"textDocument/documentSymbol", "outline", false, symbols},
};

static bool is_place(const foi_json_value *at)
{
    double line = at ? foi_lsp_number(at, "line") : NAN,
           column = at ? foi_lsp_number(at, "character") : NAN;
    return line >= 0 && column >= 0 && line == floor(line) && column == floor(column);
}

// Of references: only the other uses are asked for.
static bool is_without_declaration(const foi_json_value *params)
{
    const foi_json_value *context = foi_json_member(params, "context");
    const foi_json_value *v = context ? foi_json_member(context, "includeDeclaration") : NULL;
    return v && v->kind == FOI_JSON_TRUTH && !v->truth;
}

static void free_question(fo_lsp *l, foi_lsp_question *q)
{
    foi_free(l->allocator, q->text);
    foi_free(l->allocator, q->uri);
    foi_free(l->allocator, q);
}

// NULL without memory.
static foi_lsp_question *make_question(const foi_lsp_message *m, const char *uri)
{
    fo_lsp *l = m->l;
    foi_lsp_question *q = foi_new(l->allocator, 1, sizeof *q);
    if (!q) return NULL;
    bool named = m->id && m->id->kind == FOI_JSON_TEXT;
    q->number = m->id && m->id->kind == FOI_JSON_NUMBER ? m->id->number : NAN;
    q->text = named ? foi_copy_text(l->allocator, m->id->text) : NULL;
    q->uri = foi_copy_text(l->allocator, uri);
    if (q->uri && (q->text || !named)) return q;
    free_question(l, q);
    return NULL;
}

static void put_question_id(foi_json_writer *w, const foi_lsp_question *q)
{
    if (q->text)
        foi_json_put_text(w, "id", q->text);
    else if (!isnan(q->number))
        foi_json_put_number(w, "id", q->number);
    else
        foi_json_put_null(w, "id");
}

bool foi_lsp_question_asked(const foi_lsp_message *m)
{
    fo_lsp *l = m->l;
    size_t i = 0;
    while (i < FO_COUNT(methods) && strcmp(methods[i].method, m->method) != 0) i++;
    if (i == FO_COUNT(methods)) return false;
    const foi_lsp_paper *p = foi_lsp_paper_asked(m);
    const foi_json_value *position = foi_json_member(m->params, "position");
    const char *name = foi_lsp_text(m->params, "newName");
    foi_lsp_question *q = p ? make_question(m, p->uri) : NULL;
    if (!q) {
        foi_lsp_say_error(l, m->id, p ? FOI_LSP_FAILED : FOI_LSP_PARAMS,
                          p ? "no memory for a question" : "this document is not open");
        return true;
    }
    foi_json_writer w = foi_lsp_ask(l, methods[i].what);
    foi_json_put_number(&w, "doc", p->doc);
    if (methods[i].placed) foi_lsp_put_place(&w, "at", position);
    if (name) foi_json_put_text(&w, "name", name);
    if (methods[i].result == places && is_without_declaration(m->params))
        foi_json_put_truth(&w, "declaration", false);
    q->misplaced = methods[i].placed && !is_place(position);
    q->result = methods[i].result;
    q->asked = foi_lsp_give(l, &w);
    if (isnan(q->asked)) {
        foi_lsp_say_error(l, m->id, FOI_LSP_FAILED, "no memory for a question");
        free_question(l, q);
        return true;
    }
    q->next = l->questions, l->questions = q;
    fo_desk_work(l->desk, 0, 1); // what is short is answered at once
    foi_lsp_hear(l);
    return true;
}

// -------------------------------------------------------------------------------------- answering

static void say_error(fo_lsp *l, const foi_lsp_question *q, int code, const char *text)
{
    foi_json_writer w = foi_lsp_begin(l);
    put_question_id(&w, q);
    foi_json_open(&w, "error", '{', true);
    foi_json_put_number(&w, "code", code);
    foi_json_put_text(&w, "message", text);
    foi_json_close(&w, '}');
    foi_lsp_say(l, &w);
}

void foi_lsp_answer(fo_lsp *l, const foi_json_value *answer)
{
    foi_lsp_question **at = &l->questions;
    double id = foi_lsp_number(answer, "id");
    while (*at && (*at)->asked != id) at = &(*at)->next;
    foi_lsp_question *q = *at;
    if (!q) return; // it was cancelled
    *at = q->next;
    const foi_json_value *ok = foi_json_member(answer, "ok");
    const foi_json_value *error = foi_json_member(answer, "error");
    const char *text = error ? foi_lsp_text(error, "text") : NULL;
    if (ok) {
        foi_json_writer w = foi_lsp_begin(l);
        put_question_id(&w, q);
        q->result(&w, q, ok);
        foi_lsp_say(l, &w);
    } else {
        say_error(l, q, q->misplaced ? FOI_LSP_PARAMS : FOI_LSP_FAILED, text ? text : "no answer");
    }
    free_question(l, q);
}

static bool has_id(const foi_lsp_question *q, const foi_json_value *id)
{
    if (id->kind == FOI_JSON_TEXT) return q->text && strcmp(q->text, id->text) == 0;
    return id->kind == FOI_JSON_NUMBER && !q->text && q->number == id->number;
}

void foi_lsp_end_questions(fo_lsp *l, const char *uri, const foi_json_value *id, int code,
                           const char *text)
{
    for (foi_lsp_question **at = &l->questions; *at;) {
        foi_lsp_question *q = *at;
        if ((uri && strcmp(q->uri, uri) != 0) || (id && !has_id(q, id))) {
            at = &q->next;
            continue;
        }
        *at = q->next;
        say_error(l, q, code, text);
        foi_json_writer w = foi_lsp_ask(l, "cancel");
        foi_json_put_number(&w, "request", q->asked);
        foi_lsp_give(l, &w); // its answers are nobody's
        free_question(l, q);
    }
}

void foi_lsp_free_questions(fo_lsp *l)
{
    while (l->questions) {
        foi_lsp_question *q = l->questions;
        l->questions = q->next;
        free_question(l, q);
    }
}
