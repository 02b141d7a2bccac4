// Documents: texts that are open, and the models that they are.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "desk/desk.h"
#include "desk/task.h"
#include "model/model.h"

void foi_desk_document_free(fo_desk *desk, foi_desk_document *d)
{
    foi_desk_model_leave(desk, d->open);
    for (size_t i = 0; i < d->setting_count; i++) foi_free(desk->allocator, d->settings[i].name);
    foi_free(desk->allocator, d->settings);
    foi_free(desk->allocator, d->name);
    foi_free(desk->allocator, d->text);
    foi_free(desk->allocator, d);
}

// ----------------------------------------------------------------------------------- as a model

fo_model_def foi_desk_model_def(const fo_desk *desk, const foi_desk_document *d)
{
    fo_model_def def = fo_default_model_def();
    def.name = d->name;
    def.text = d->text;
    def.length = d->text ? d->length : 0;
    def.kind = d->kind;
    def.table = desk->def.table;
    def.libraries = desk->def.libraries;
    if (!d->text) def.folders = desk->def.folders;
    def.allocator = desk->allocator;
    def.files = desk->def.files ? desk->def.files : "";
    def.program.way = FO_WAY_BYTECODE; // until it is run
    def.most_work = desk->def.work;
    def.go_on = foi_desk_translate_on, def.go_on_self = (void *)(uintptr_t)desk;
    return def;
}

// The document as it stands now. NULL without memory.
static foi_desk_document *copy_document(fo_desk *desk, const foi_desk_document *d)
{
    const fo_allocator *a = desk->allocator;
    foi_desk_document *c = foi_new(a, 1, sizeof *c);
    if (!c) return NULL;
    c->name = foi_copy_text(a, d->name), c->kind = d->kind;
    c->text = d->text ? foi_new(a, d->length + 1, 1) : NULL;
    if (c->text) memcpy(c->text, d->text, d->length + 1);
    c->length = d->length;
    c->settings = foi_new(a, d->setting_count, sizeof *c->settings);
    bool good = c->name && (c->text || !d->text) && c->settings;
    for (size_t i = 0; good && i < d->setting_count; i++) {
        c->settings[i] =
            (foi_desk_setting){foi_copy_text(a, d->settings[i].name), d->settings[i].value};
        c->setting_count++;
        good = c->settings[i].name;
    }
    if (good) return c;
    foi_desk_document_free(desk, c);
    return NULL;
}

// Who has the program of a model.
static foi_desk_model *owner_of(foi_desk_model *m)
{
    return m->lender ? m->lender : m;
}

// A model that may lend its program to one that is like it; NULL: it would not fit.
static foi_desk_model *lender_of(foi_desk_model *m)
{
#ifdef FOI_SMALL
    m = NULL; // there all programs are made anew
#endif
    foi_desk_model *owner = m ? owner_of(m) : NULL;
    bool good = owner && !owner->unfinished && !fo_failed(fo_model_status(owner->model)) &&
                fo_model_text(owner->model);
    return good ? owner : NULL;
}

// Opens the document as it stands now: a copy, since it may change or close meanwhile. It is
// perhaps like another model, but for some numbers. NULL without memory.
static foi_desk_model *open_model(fo_desk *desk, const foi_desk_document *of, foi_desk_model *like)
{
    foi_desk_document *d = copy_document(desk, of);
    if (!d) return NULL;
    like = foi_desk_model_share(lender_of(like)); // it may be left meanwhile
    fo_model_def def = foi_desk_model_def(desk, d);
    fo_setting *settings = foi_new(desk->allocator, d->setting_count, sizeof *settings);
    foi_desk_model *m = foi_new(desk->allocator, 1, sizeof *m);
    if (settings && m) {
        for (size_t i = 0; i < d->setting_count; i++)
            settings[i] = (fo_setting){d->settings[i].name, d->settings[i].value, false};
        def.settings = settings, def.setting_count = d->setting_count;
        bool may = foi_desk_anywhere(desk, true);
        foi_model_open_like(&def, like ? like->model : NULL, &m->model);
        foi_desk_anywhere(desk, may);
        m->users = 1, m->unfinished = foi_desk_exhausted(desk);
        if (like && m->model && foi_model_borrows(m->model)) m->lender = like, like = NULL;
    }
    foi_desk_model_leave(desk, like);
    foi_free(desk->allocator, settings);
    foi_desk_document_free(desk, d);
    if (m && m->model) return m;
    foi_free(desk->allocator, m);
    return NULL;
}

foi_desk_model *foi_desk_model_share(foi_desk_model *m)
{
    if (m) m->users++;
    return m;
}

static void close_model(void *model)
{
    fo_model_close(model);
}

void foi_desk_model_leave(fo_desk *desk, foi_desk_model *m)
{
    if (!m || --m->users) return;
    fo_model_close(m->review);
    foi_desk_bury(desk, close_model, m->model, m->lender);
    foi_free(desk->allocator, m);
}

bool foi_desk_model_enter(fo_desk *desk, foi_desk_model *m)
{
    while (owner_of(m)->coding)
        if (!foi_desk_wait(desk)) return false;
    owner_of(m)->inside++;
    return true;
}

void foi_desk_model_exit(foi_desk_model *m)
{
    owner_of(m)->inside--;
}

foi_desk_model *foi_desk_model_of(fo_desk *desk, foi_desk_document *d)
{
    if (!d->dirty && d->open) return d->open;
    foi_desk_model *fresh = open_model(desk, d, d->open);
    if (foi_desk_cancelled(desk)) { // perhaps the document is no more
        foi_desk_model_leave(desk, fresh);
        return NULL;
    }
    if (!fresh) return NULL;
    foi_desk_model_leave(desk, d->open);
    d->open = fresh;
    d->dirty = false;
    uint64_t cost = 16 * (uint64_t)d->length + 1000;
    desk->units = desk->units > cost ? desk->units - cost : 0;
    return fresh;
}

fo_program_def foi_desk_program_def(const fo_desk *desk)
{
    return (fo_program_def){.way = desk->way, .host = desk->def.host, .late = -1};
}

void foi_desk_model_code(fo_desk *desk, foi_desk_model *m)
{
    fo_system system = fo_model_system(m->model);
    fo_program_def def = foi_desk_program_def(desk);
    m = owner_of(m);
    if (m->coded || m->inside || def.way == FO_WAY_BYTECODE || !fo_is_program(system)) return;
    m->coded = m->coding = true;
    foi_desk_model_share(m); // who has asked may be gone when it is done
    bool may = foi_desk_anywhere(desk, true);
    fo_program_run_as(system, &def, NULL);
    foi_desk_anywhere(desk, may);
    m->coding = false;
    foi_desk_model_leave(desk, m);
}

foi_desk_model *foi_desk_model_for_run(fo_desk *desk, foi_desk_document *d, bool acts)
{
    foi_desk_model *m = foi_desk_model_of(desk, d);
    if (!m) return NULL;
    // a module of the host takes longer than a short run
    if (!desk->def.host) foi_desk_model_code(desk, m);
    // a world is one run, files are those of one, and acts are told of a model
    bool files = desk->def.write_files && fo_model_file_count(m->model);
    bool alone = acts || files || fo_model_world(m->model, NULL, NULL) != NULL;
    return alone ? open_model(desk, d, NULL) : foi_desk_model_share(m);
}

// As they were given, in their order.
static bool has_settings(const foi_desk_document *d, const fo_setting *list, size_t count)
{
    bool same = d->setting_count == count;
    for (size_t i = 0; same && i < count; i++)
        same =
            strcmp(d->settings[i].name, list[i].name) == 0 && d->settings[i].value == list[i].value;
    return same;
}

foi_desk_model *foi_desk_model_with(fo_desk *desk, foi_desk_document *d, const fo_setting *list,
                                    size_t count)
{
    if (has_settings(d, list, count)) return foi_desk_model_for_run(desk, d, false);
    foi_desk_setting *settings = foi_new(desk->allocator, count + 1, sizeof *settings);
    if (!settings) return NULL;
    for (size_t i = 0; i < count; i++)
        settings[i] = (foi_desk_setting){(char *)(uintptr_t)list[i].name, list[i].value};
    foi_desk_document other = *d; // only to be copied from
    other.settings = settings, other.setting_count = count;
    foi_desk_model *m = open_model(desk, &other, NULL);
    foi_free(desk->allocator, settings);
    if (m && !desk->def.host && !fo_failed(fo_model_status(m->model))) foi_desk_model_code(desk, m);
    return m;
}

// ------------------------------------------------------------------------------------- diagnoses

bool foi_desk_is_text(const foi_desk_document *d)
{
    const char *dot = strrchr(d->name, '.');
    return d->kind ? strcmp(d->kind, "text") == 0 : dot && strcmp(dot, ".mo") == 0;
}

// The end of a name that begins at `from`; the next byte where none does.
static size_t end_of_name(const foi_desk_document *d, size_t from)
{
    size_t to = from;
    while (to < d->length && (isalnum((unsigned char)d->text[to]) || d->text[to] == '_')) to++;
    return to > from ? to : from + 1;
}

static void put_finding(foi_json_writer *w, const foi_desk_document *d, const fo_finding *f)
{
    static const char *const severities[] = {"error", "warning", "note"};
    foi_json_open(w, NULL, '{', true);
    if (d->text) {
        bool bytes = foi_desk_is_text(d);
        size_t from = foi_place_offset(d->text, d->length, f->line, f->column, bytes);
        size_t to = foi_place_offset(d->text, d->length, f->line,
                                     f->column + (f->length ? f->length : 1), bytes);
        if (bytes && f->length <= 1 && from < d->length && d->text[from] != '\n' &&
            d->text[from] != '\r')
            to = end_of_name(d, from);
        foi_position_put(w, "from", foi_position_at(d->text, d->length, from));
        foi_position_put(w, "to", foi_position_at(d->text, d->length, to));
    }
    foi_json_put_text(w, "severity", severities[f->severity]);
    foi_json_put_text(w, "text", f->text ? f->text : "");
    if (f->hint) foi_json_put_text(w, "hint", f->hint);
    foi_json_close(w, '}');
}

static const char too_large[] =
    "it is too large to be translated in a page, which would wait for too long: the program "
    "'foliot studio', on a machine of one's own, has no such limit";

void foi_desk_refuse_model(foi_desk_request *q, const foi_desk_model *m)
{
    if (m->unfinished)
        foi_desk_refuse(q, "limit", "%s", too_large);
    else
        foi_desk_refuse(q, foi_desk_status(fo_model_status(m->model)), "the document has errors");
}

// What was found before a translation was ended says what was missing then, which is nothing of the
// text's.
static void put_findings(foi_json_writer *w, const foi_desk_document *d, const foi_desk_model *m)
{
    if (m->unfinished)
        put_finding(w, d, &(fo_finding){.severity = FO_SEVERITY_ERROR, .text = too_large});
    const fo_model *said = m->review ? m->review : m->model;
    for (size_t i = 0; !m->unfinished && i < fo_model_finding_count(said); i++)
        put_finding(w, d, fo_model_finding(said, i));
}

// The model of a document, and what is to be said of it as a whole. NULL without memory, and where
// nobody asks any more.
static foi_desk_model *reviewed_model(fo_desk *desk, foi_desk_document *d)
{
    foi_desk_model *m = foi_desk_model_of(desk, d);
    if (!m || m->review || m->unfinished || !d->text) return m;
    foi_desk_document *copy = copy_document(desk, d);
    if (!copy) return m;
    fo_model_def def = foi_desk_model_def(desk, copy);
    fo_text_review about;
    foi_desk_model_share(m);
    bool may = foi_desk_anywhere(desk, true);
    fo_model *review = fo_model_review(&def, m->model, &about);
    foi_desk_anywhere(desk, may);
    foi_desk_document_free(desk, copy);
    if (m->review)
        fo_model_close(review);
    else
        m->review = review;
    bool gone = foi_desk_cancelled(desk);
    foi_desk_model_leave(desk, m);
    return gone ? NULL : m;
}

static void put_diagnoses(foi_json_writer *w, const foi_desk_document *d, const foi_desk_model *m)
{
    foi_json_put_number(w, "version", d->version);
    foi_json_open(w, "list", '[', true);
    if (m) put_findings(w, d, m);
    foi_json_close(w, ']');
    foi_json_put_truth(w, "runs", m && !fo_failed(fo_model_status(m->model)));
}

void foi_desk_diagnostics(foi_desk_request *q)
{
    foi_desk_document *d = foi_desk_find_document(q);
    const foi_desk_model *m = d ? reviewed_model(q->desk, d) : NULL;
    if (m)
        put_diagnoses(&q->answer, d, m);
    else
        foi_desk_fail(q, FO_ERROR_MEMORY); // where it was not refused
}

static void tell_diagnoses(fo_desk *desk, foi_desk_document *d, const foi_desk_model *m)
{
    foi_json_writer w = foi_desk_event(desk, "diagnostics");
    foi_json_put_number(&w, "doc", (double)d->handle);
    put_diagnoses(&w, d, m);
    if (!m) foi_json_put_text(&w, "text", "no memory for the model of this document");
    foi_desk_say_event(desk, &w);
}

typedef struct diagnosis {
    foi_desk_task task;
    foi_desk_document *document;
} diagnosis;

static void run_diagnosis(foi_desk_task *t)
{
    foi_desk_document *d = ((diagnosis *)t)->document;
    foi_desk_model *m = reviewed_model(t->desk, d);
    if (!t->cancelled) tell_diagnoses(t->desk, d, m); // else the document may be no more
}

static void free_diagnosis(foi_desk_task *t)
{
    foi_free(t->desk->allocator, t);
}

// A document that a request has in hand comes later.
bool foi_desk_diagnose(fo_desk *desk)
{
    for (size_t i = 0; i < desk->document_count; i++) {
        foi_desk_document *d = desk->documents[i];
        if (!d->unheard || !foi_desk_may_say(desk) || foi_desk_held(desk, d->handle, true))
            continue;
        diagnosis *g = foi_desk_task_room(desk) ? foi_new(desk->allocator, 1, sizeof *g) : NULL;
        d->unheard = false;
        if (!g) {
            tell_diagnoses(desk, d, NULL);
            return true;
        }
        g->document = d;
        g->task = (foi_desk_task){.desk = desk,
                                  .work = run_diagnosis,
                                  .free = free_diagnosis,
                                  .holds = d->handle,
                                  .diagnoses = true};
        foi_desk_task_add(&g->task);
        return true;
    }
    return false;
}

// --------------------------------------------------------------------------------------- the verbs

static const char *known_kind(const char *name)
{
    const char *kind;
    for (size_t i = 0; (kind = fo_model_kind_at(i, NULL)); i++)
        if (strcmp(kind, name) == 0) return kind;
    return NULL;
}

// Code is never run because a message brings it.
static bool is_code(const foi_desk_document *d)
{
    const char *dot = strrchr(d->name, '.');
    bool library = d->kind && strcmp(d->kind, "library") == 0;
    bool unit = d->kind && strcmp(d->kind, "fmu") == 0;
    return library || unit ||
           (!d->kind && dot &&
            (strcmp(dot, ".so") == 0 || strcmp(dot, ".c") == 0 || strcmp(dot, ".fmu") == 0));
}

static bool is_valid_utf8(const char *text, size_t length)
{
    return memchr(text, 0, length) == NULL; // JSON has checked the rest
}

static bool is_in_gallery(fo_desk *desk, const char *name)
{
    fo_model_def def = fo_default_model_def();
    def.table = desk->def.table, def.folders = desk->def.folders;
    def.allocator = desk->allocator;
    fo_gallery *gallery = fo_gallery_open(&def, NULL);
    bool found = false;
    for (size_t i = 0; gallery && !found && i < fo_gallery_count(gallery); i++)
        found = strcmp(fo_gallery_get(gallery, i)->name, name) == 0;
    fo_gallery_close(gallery);
    return found;
}

void foi_desk_open(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    const char *name = foi_desk_text(q, "name"), *kind = foi_desk_text(q, "kind");
    const foi_json_value *text = foi_json_member(q->body, "text");
    double version = foi_desk_whole(q, "version", 0, 0, FOI_DESK_MOST);
    if (!name || !*name) foi_desk_refuse(q, "argument", "a document needs a \"name\"");
    if (name && !text && !is_in_gallery(desk, name))
        foi_desk_refuse(
            q, "argument",
            "no files are opened: send the \"text\", or the name of a model of the gallery");
    if (kind && !known_kind(kind)) foi_desk_refuse(q, "argument", "there is no kind '%.40s'", kind);
    if (text && (text->kind != FOI_JSON_TEXT || !is_valid_utf8(text->text, text->length)))
        foi_desk_refuse(q, "argument", "\"text\" must be a text without zero bytes");
    if (desk->document_count >= desk->def.documents)
        foi_desk_refuse(q, "limit", "more than %u documents", desk->def.documents);
    if (text && text->length > desk->def.text)
        foi_desk_refuse(q, "limit", "a text of more than %zu bytes", desk->def.text);
    if (foi_desk_refused(q)) return;

    foi_desk_document *d = foi_new(desk->allocator, 1, sizeof *d);
    bool room = foi_array_room(desk->allocator, &desk->documents, &desk->document_room,
                               desk->document_count + 1, sizeof *desk->documents);
    if (d) {
        d->name = foi_copy_text(desk->allocator, name);
        d->kind = kind ? known_kind(kind) : NULL;
        if (text && foi_array_room(desk->allocator, &d->text, &d->room, text->length + 1, 1)) {
            memcpy(d->text, text->text, text->length + 1);
            d->length = text->length;
        }
    }
    if (!d || !room || !d->name || (text && !d->text)) {
        if (d) foi_desk_document_free(desk, d);
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    if (is_code(d)) {
        foi_desk_document_free(desk, d);
        foi_desk_refuse(q, "argument", "code that a message brings is not run");
        return;
    }
    d->handle = ++desk->handles;
    d->dirty = d->unheard = true;
    d->version = version;
    desk->documents[desk->document_count++] = d;
    foi_json_put_number(&q->answer, "doc", (double)d->handle);
    foi_json_put_number(&q->answer, "version", version);
}

// Replaces bytes [from, to) of the document.
static bool replace(foi_desk_request *q, foi_desk_document *d, size_t from, size_t to,
                    const char *text, size_t length)
{
    size_t kept = d->length - (to - from);
    if (length > q->desk->def.text || kept + length > q->desk->def.text) {
        foi_desk_refuse(q, "limit", "a text of more than %zu bytes", q->desk->def.text);
        return false;
    }
    if (!foi_array_room(q->desk->allocator, &d->text, &d->room, kept + length + 1, 1)) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    memmove(d->text + from + length, d->text + to, d->length - to + 1);
    if (length) memcpy(d->text + from, text, length);
    d->length = kept + length;
    return true;
}

static bool edit(foi_desk_request *q, foi_desk_document *d, const foi_json_value *e)
{
    const foi_json_value *text = foi_json_member(e, "text");
    if (!text || text->kind != FOI_JSON_TEXT || !is_valid_utf8(text->text, text->length))
        foi_desk_refuse(q, "argument", "an edit needs a \"text\" without zero bytes");
    foi_position a = foi_position_read(q, foi_json_member(e, "from"));
    foi_position b = foi_position_read(q, foi_json_member(e, "to"));
    if (foi_desk_refused(q)) return false;
    size_t from = foi_position_offset(d->text, d->length, a);
    size_t to = foi_position_offset(d->text, d->length, b);
    if (to < from) foi_desk_refuse(q, "argument", "an edit ends before it begins");
    if (foi_desk_refused(q)) return false;
    return replace(q, d, from, to, text->text, text->length);
}

// All of them or none: the text is as it was where one is refused.
static bool edit_all(foi_desk_request *q, foi_desk_document *d, const foi_json_value *edits)
{
    const fo_allocator *a = q->desk->allocator;
    size_t length = d->length;
    char *was = foi_new(a, length + 1, 1);
    bool good = was != NULL;
    if (!was) foi_desk_fail(q, FO_ERROR_MEMORY);
    bool may = foi_desk_anywhere(q->desk, true); // a text of its own meanwhile
    if (was) memcpy(was, d->text, length + 1);
    for (const foi_json_value *e = edits->first; e && good; e = e->next) good = edit(q, d, e);
    if (was && !good) memcpy(d->text, was, length + 1), d->length = length; // it never shrinks
    foi_desk_anywhere(q->desk, may);
    foi_free(a, was);
    return good;
}

void foi_desk_change(foi_desk_request *q)
{
    foi_desk_document *d = foi_desk_find_document(q);
    if (!d) return;
    double version = foi_desk_whole(q, "version", d->version + 1, 0, FOI_DESK_MOST);
    const foi_json_value *whole = foi_json_member(q->body, "text");
    const foi_json_value *edits = foi_json_member(q->body, "edits");
    if (!d->text) foi_desk_refuse(q, "argument", "a model of the gallery cannot be edited");
    if (version > FOI_DESK_MOST)
        foi_desk_refuse(q, "limit", "a document has no version after %.0f", d->version);
    if (!(version > d->version))
        foi_desk_refuse(q, "stale", "the document is at version %.0f already", d->version);
    if (!whole == !edits) foi_desk_refuse(q, "argument", "a change needs \"text\" or \"edits\"");
    if (whole && (whole->kind != FOI_JSON_TEXT || !is_valid_utf8(whole->text, whole->length)))
        foi_desk_refuse(q, "argument", "\"text\" must be a text without zero bytes");
    if (edits && edits->kind != FOI_JSON_LIST)
        foi_desk_refuse(q, "argument", "\"edits\" must be a list");
    if (foi_desk_refused(q)) return;
    if (whole && !replace(q, d, 0, d->length, whole->text, whole->length)) return;
    if (edits && !edit_all(q, d, edits)) return;
    d->dirty = d->unheard = true;
    d->version = version;
    foi_json_put_number(&q->answer, "version", version);
}

void foi_desk_close(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_document *d = foi_desk_find_document(q);
    if (!d) return;
    size_t i = 0;
    while (desk->documents[i] != d) i++;
    memmove(&desk->documents[i], &desk->documents[i + 1],
            (--desk->document_count - i) * sizeof *desk->documents);
    foi_desk_document_free(desk, d);
}

void foi_desk_text_of(foi_desk_request *q)
{
    foi_desk_document *d = foi_desk_find_document(q);
    if (!d) return;
    foi_json_put_number(&q->answer, "version", d->version);
    if (d->text)
        foi_json_put_text(&q->answer, "text", d->text);
    else
        foi_json_put_null(&q->answer, "text");
}

static foi_desk_setting *setting_of(fo_desk *desk, foi_desk_document *d, const char *name)
{
    for (size_t i = 0; i < d->setting_count; i++)
        if (strcmp(d->settings[i].name, name) == 0) return &d->settings[i];
    if (!foi_array_room(desk->allocator, &d->settings, &d->setting_room, d->setting_count + 1,
                        sizeof *d->settings))
        return NULL;
    foi_desk_setting *s = &d->settings[d->setting_count];
    s->name = foi_copy_text(desk->allocator, name);
    if (!s->name) return NULL;
    d->setting_count++;
    return s;
}

// A number that cannot be set leaves the document as it was.
static void take_back(fo_desk *desk, foi_desk_document *d, const char *name, bool had, double old)
{
    foi_desk_setting *s = setting_of(desk, d, name);
    if (!s) return;
    s->value = old;
    if (had) return;
    foi_free(desk->allocator, s->name);
    *s = d->settings[--d->setting_count];
}

void foi_desk_set(foi_desk_request *q)
{
    fo_desk *desk = q->desk;
    foi_desk_document *d = foi_desk_find_document(q);
    const char *name = foi_desk_text(q, "name");
    double value = foi_desk_number(q, "value", NAN);
    if (!name) foi_desk_refuse(q, "argument", "\"name\" is missing");
    if (isnan(value)) foi_desk_refuse(q, "argument", "\"value\" is missing");
    if (!d || foi_desk_refused(q)) return;
    size_t before = d->setting_count;
    foi_desk_setting *s = setting_of(desk, d, name);
    if (!s) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    bool had = before == d->setting_count;
    double old = s->value;
    s->value = value;
    foi_desk_model *was = foi_desk_model_share(d->open);
    d->dirty = true;
    foi_desk_model *m = foi_desk_model_of(desk, d);
    bool good = m && fo_model_status(m->model) != FO_ERROR_ARGUMENT;
    if (!good) {
        size_t last = m ? fo_model_finding_count(m->model) : 0;
        foi_desk_refuse(q, m ? "argument" : "memory", "%s",
                        last ? fo_model_finding(m->model, last - 1)->text
                             : "this number cannot be set");
        take_back(desk, d, name, had, old);
        d->dirty = true;
    }
    foi_desk_model_leave(desk, was);
    if (good) foi_desk_put(&q->answer, "value", value);
}

void foi_desk_gallery(foi_desk_request *q)
{
    fo_model_def def = fo_default_model_def();
    def.table = q->desk->def.table, def.folders = q->desk->def.folders;
    def.allocator = q->desk->allocator;
    fo_gallery *gallery = fo_gallery_open(&def, &q->why);
    if (!gallery) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    foi_json_open(&q->answer, "models", '[', true);
    for (size_t i = 0; i < fo_gallery_count(gallery); i++) {
        const fo_gallery_entry *e = fo_gallery_get(gallery, i);
        foi_json_open(&q->answer, NULL, '{', true);
        foi_json_put_text(&q->answer, "name", e->name);
        foi_json_put_text(&q->answer, "kind", e->kind);
        foi_json_put_text(&q->answer, "about", e->about ? e->about : "");
        foi_json_close(&q->answer, '}');
    }
    foi_json_close(&q->answer, ']');
    fo_gallery_close(gallery);
}
