// Documents of an editor: opened, changed and closed in the desk; what is found in them.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "desk/lsp.h"
#include "math/math.h"

foi_lsp_paper *foi_lsp_paper_asked(const foi_lsp_message *q)
{
    const foi_json_value *document = foi_json_member(q->params, "textDocument");
    const char *uri = document ? foi_lsp_text(document, "uri") : NULL;
    for (size_t i = 0; uri && i < q->l->paper_count; i++)
        if (strcmp(q->l->papers[i].uri, uri) == 0) return &q->l->papers[i];
    return NULL;
}

// "params" of diagnoses: their list is open.
static foi_json_writer begin_diagnoses(fo_lsp *l, const char *uri, double version)
{
    foi_json_writer w = foi_lsp_begin(l);
    foi_json_put_text(&w, "method", "textDocument/publishDiagnostics");
    foi_json_open(&w, "params", '{', true);
    foi_json_put_text(&w, "uri", uri);
    if (version >= 0) foi_json_put_number(&w, "version", version);
    foi_json_open(&w, "diagnostics", '[', true);
    return w;
}

static void end_diagnoses(fo_lsp *l, foi_json_writer *w)
{
    foi_json_close(w, ']');
    foi_json_close(w, '}');
    foi_lsp_say(l, w);
}

static foi_lsp_paper *paper_of(fo_lsp *l, double doc)
{
    for (size_t i = 0; i < l->paper_count; i++)
        if (l->papers[i].doc == doc) return &l->papers[i];
    return NULL;
}

void foi_lsp_publish(fo_lsp *l, const foi_json_value *event)
{
    const foi_lsp_paper *p = paper_of(l, foi_lsp_number(event, "doc"));
    const foi_json_value *list = foi_json_member(event, "list");
    if (!p) return;
    foi_json_writer w = begin_diagnoses(l, p->uri, foi_lsp_number(event, "version"));
    for (const foi_json_value *v = list ? list->first : NULL; v; v = v->next) {
        const char *severity = foi_lsp_text(v, "severity"), *text = foi_lsp_text(v, "text");
        foi_json_open(&w, NULL, '{', true);
        foi_lsp_put_range(&w, "range", v);
        foi_json_put_number(&w, "severity",
                            !severity || strcmp(severity, "error") == 0 ? 1
                            : strcmp(severity, "warning") == 0          ? 2
                                                                        : 3);
        foi_json_put_text(&w, "source", "foliot");
        foi_json_put_text(&w, "message", text ? text : "");
        foi_json_close(&w, '}');
    }
    end_diagnoses(l, &w);
}

// Says of a document why it has no diagnoses: the desk does not take it as it is.
static void publish_refusal(const foi_lsp_message *q, const char *uri, const foi_json *answer)
{
    const foi_json_value *error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    const char *text = error ? foi_lsp_text(error, "text") : NULL;
    foi_json_writer w = begin_diagnoses(q->l, uri, NAN);
    foi_json_open(&w, NULL, '{', true);
    foi_json_open(&w, "range", '{', true);
    foi_lsp_put_position(&w, "start", NULL);
    foi_lsp_put_position(&w, "end", NULL);
    foi_json_close(&w, '}');
    foi_json_put_number(&w, "severity", 1);
    foi_json_put_text(&w, "source", "foliot");
    foi_json_put_text(&w, "message", text ? text : "no memory for this document");
    foi_json_close(&w, '}');
    end_diagnoses(q->l, &w);
}

void foi_lsp_did_open(const foi_lsp_message *q)
{
    fo_lsp *l = q->l;
    const foi_json_value *document = foi_json_member(q->params, "textDocument");
    const char *uri = document ? foi_lsp_text(document, "uri") : NULL;
    const char *text = document ? foi_lsp_text(document, "text") : NULL;
    if (!uri || !text || foi_lsp_paper_asked(q)) return;
    if (!foi_array_room(l->allocator, &l->papers, &l->paper_room, l->paper_count + 1,
                        sizeof *l->papers))
        return;
    const char *slash = strrchr(uri, '/');
    double version = foi_lsp_number(document, "version");
    foi_json_writer w = foi_lsp_ask(l, "open");
    if (version >= 0) foi_json_put_number(&w, "version", version);
    foi_json_put_text(&w, "name", slash && slash[1] ? slash + 1 : "text.mo");
    foi_json_put_text(&w, "kind", "text");
    foi_json_put_text(&w, "text", text);
    foi_json *answer = foi_lsp_call(l, &w);
    const foi_json_value *ok = answer ? foi_json_member(foi_json_root(answer), "ok") : NULL;
    char *kept = ok ? foi_copy_text(l->allocator, uri) : NULL;
    if (kept)
        l->papers[l->paper_count++] = (foi_lsp_paper){kept, foi_lsp_number(ok, "doc")};
    else
        publish_refusal(q, uri, answer);
    foi_json_destroy(answer);
}

enum { BEYOND = 999999999 }; // a line or column beyond any text: its end

static void put_pair(foi_json_writer *w, const char *key, double line, double column)
{
    foi_json_open(w, key, '[', true);
    foi_json_put_number(w, NULL, line);
    foi_json_put_number(w, NULL, column);
    foi_json_close(w, ']');
}

void foi_lsp_put_place(foi_json_writer *w, const char *key, const foi_json_value *at)
{
    double line = at ? foi_lsp_number(at, "line") : NAN,
           column = at ? foi_lsp_number(at, "character") : NAN;
    // what is none the desk refuses
    put_pair(w, key, line >= 0 ? foi_fmin(line, BEYOND) : -1,
             column >= 0 ? foi_fmin(column, BEYOND) : -1);
}

// One change after the other: each counts from what the one before has left. One without a range is
// the whole text.
static void put_changes(foi_json_writer *w, const foi_json_value *changes)
{
    foi_json_open(w, "edits", '[', true);
    for (const foi_json_value *v = changes ? changes->first : NULL; v; v = v->next) {
        const foi_json_value *range = foi_json_member(v, "range");
        const char *text = foi_lsp_text(v, "text");
        if (!text) continue;
        foi_json_open(w, NULL, '{', true);
        if (range) {
            foi_lsp_put_place(w, "from", foi_json_member(range, "start"));
            foi_lsp_put_place(w, "to", foi_json_member(range, "end"));
        } else {
            put_pair(w, "from", 0, 0);
            put_pair(w, "to", BEYOND, 0);
        }
        foi_json_put_text(w, "text", text);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static foi_json *change(const foi_lsp_message *q, const foi_lsp_paper *p, double version)
{
    foi_json_writer w = foi_lsp_ask(q->l, "change");
    foi_json_put_number(&w, "doc", p->doc);
    if (version >= 0) foi_json_put_number(&w, "version", version);
    put_changes(&w, foi_json_member(q->params, "contentChanges"));
    return foi_lsp_call(q->l, &w);
}

// A version that is not newer is the editor's mistake, and its text counts none the less.
void foi_lsp_did_change(const foi_lsp_message *q)
{
    const foi_lsp_paper *p = foi_lsp_paper_asked(q);
    const foi_json_value *document = foi_json_member(q->params, "textDocument");
    if (!p) return;
    foi_lsp_end_questions(q->l, p->uri, NULL, FOI_LSP_MODIFIED, "the document has changed");
    foi_json *answer = change(q, p, document ? foi_lsp_number(document, "version") : NAN);
    const foi_json_value *error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    const char *code = error ? foi_lsp_text(error, "code") : NULL;
    if (code && strcmp(code, "stale") == 0) {
        foi_json_destroy(answer);
        answer = change(q, p, NAN);
        error = answer ? foi_json_member(foi_json_root(answer), "error") : NULL;
    }
    if (!answer || error) publish_refusal(q, p->uri, answer);
    foi_json_destroy(answer);
}

void foi_lsp_did_close(const foi_lsp_message *q)
{
    fo_lsp *l = q->l;
    foi_lsp_paper *p = foi_lsp_paper_asked(q);
    if (!p) return;
    foi_lsp_end_questions(l, p->uri, NULL, FOI_LSP_MODIFIED, "the document is closed");
    foi_json_writer w = foi_lsp_ask(l, "close");
    foi_json_put_number(&w, "doc", p->doc);
    foi_json_destroy(foi_lsp_call(l, &w));
    w = begin_diagnoses(l, p->uri, NAN); // what was said of it is over
    end_diagnoses(l, &w);
    foi_free(l->allocator, p->uri);
    *p = l->papers[--l->paper_count];
}
