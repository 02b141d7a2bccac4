// Another name for what a text declares, everywhere where it is used. It is refused where anything
// would mean something else than before. That is looked at three times, each time in more than the
// words of a text can say:
//
//   1. The name is free where it is declared: in the class itself, in what that class extends, in
//      all that extend it, among imports, and among inner and outer, which find each other by name.
//   2. In the text with the new name every word means the declaration that it meant.
//   3. Every model of the text is translated before and after: the flat models must be equal but
//      for the name. That sees what only instances decide: which class stands for a replaceable
//      one, which inner an outer finds.
#include <string.h>

#include "base/memory.h"
#include "desk/task.h"
#include "desk/texts.h"
#include "desk/vocabulary.h"
#include "equations/flat_same.h"
#include "language/language.h"
#include "model/gate.h"

enum {
    LONGEST_PATH = 1000,
#ifdef FOI_COROUTINE_ASYNCIFY
    MOST_READ = 8 << 20, ///< bytes that are translated: in a page that is one piece
#else
    MOST_READ = 256 << 20,
#endif
};

/// A renaming that is looked at.
typedef struct renaming {
    foi_desk_request *q;
    foi_text_question *a;
    foi_text_thing of;
    const char *old, *name;
    char *text; ///< with the new name; NULL: it is only measured
    size_t length, taken;
} renaming;

static uint32_t line_of(const renaming *n, uint32_t word)
{
    return foi_words_place(&n->a->words, foi_word_from(&n->a->words, word)).line + 1;
}

// -------------------------------------------------------------------------------------- the names

// Names by which the language finds something.
static bool is_found_by_name(const char *name)
{
    static const char *const known[] = {"constructor", "destructor", "equalityConstraint",
                                        "Complex"};
    for (size_t i = 0; i < FO_COUNT(known); i++)
        if (strcmp(name, known[i]) == 0) return true;
    return false;
}

// One identifier, and none that the language keeps for itself: Real, time and the like. What it has
// functions of, sum or edge, may be the name of something else as well.
static bool is_name(foi_words *w, const char *text)
{
    foi_lexer lexer;
    size_t length = strlen(text);
    foi_lexer_begin(&lexer, &w->arena, &w->names, 0, text, length);
    foi_token token = foi_lexer_next(&lexer);
    const foi_vocable *known = foi_vocable_find(text, length);
    return token.kind == FOI_TOKEN_IDENT && token.start == text && token.length == length &&
           (!known || strcmp(known->kind, "function") == 0);
}

static bool must_keep_name(const foi_words *w, uint32_t declaration)
{
    const foi_declared *d = &w->declared[declaration];
    const char *name = foi_word_text(w, d->word);
    if (d->is_class)
        return is_found_by_name(name) ||
               (strcmp(d->kind, "function") == 0 && name[0] == '\''); // an operator
    if (d->scope == FOI_NOWHERE || d->scope == FOI_IN_LOOP) return false;
    const foi_declared *of = &w->declared[d->scope];
    if (strcmp(foi_word_text(w, of->word), "Complex") == 0) return true;
    for (uint32_t i = of->first; i < of->end; i++) // the arguments of a table's constructor
        if (w->list[i].kind == FOI_WORD_EXTERNAL) return true;
    return false;
}

// ------------------------------------------------------------------------------ 1. where it is
// free

// The word of what a class has by that name already; FOI_NOWHERE: none.
static uint32_t taken_in(foi_words *w, uint32_t class, const char *name)
{
    uint32_t found =
        class == FOI_NOWHERE ? foi_text_member(w, name) : foi_class_member(w, class, name);
    if (found != FOI_NOWHERE) return w->declared[found].word;
    for (uint32_t i = 0; i < w->import_count; i++)
        if (w->imports[i].scope == class && w->imports[i].word != FOI_NOWHERE &&
            foi_word_text(w, w->imports[i].word) == name)
            return w->imports[i].word;
    return FOI_NOWHERE;
}

// The same of a scope, and of all classes that have what is in it by `extends`.
static uint32_t taken_from(const renaming *n, uint32_t scope, const char *name)
{
    foi_words *w = &n->a->words;
    uint32_t found = taken_in(w, scope, name);
    for (uint32_t c = 0; scope != FOI_NOWHERE && found == FOI_NOWHERE && c < w->declared_count; c++)
        if (w->declared[c].is_class && c != scope && foi_class_extends(w, c, scope))
            found = taken_in(w, c, name);
    return found;
}

// Another inner or outer of that name: they would find each other.
static uint32_t shared_named(const foi_words *w, const char *name)
{
    for (uint32_t i = 0; i < w->declared_count; i++)
        if (w->declared[i].shared && foi_word_text(w, w->declared[i].word) == name)
            return w->declared[i].word;
    return FOI_NOWHERE;
}

// The word that has the name already where a declaration of the thing stands.
static uint32_t taken(const renaming *n, const char *name)
{
    foi_words *w = &n->a->words;
    uint32_t found = FOI_NOWHERE, d = n->of.declaration;
    if (n->of.import != FOI_NOWHERE) return taken_in(w, w->imports[n->of.import].scope, name);
    for (uint32_t i = 0; i < w->declared_count && found == FOI_NOWHERE; i++) {
        if (foi_word_text(w, w->declared[i].word) != n->old || !foi_declared_same(w, i, d))
            continue;
        if (!foi_desk_go_on(n->q->desk)) break; // it was cancelled
        uint32_t scope = w->declared[i].scope;
        if (scope != FOI_IN_LOOP) found = taken_from(n, scope, name);
        if (found == FOI_NOWHERE && w->declared[i].shared) found = shared_named(w, name);
    }
    return found;
}

static void refuse_taken(const renaming *n)
{
    const char *name = foi_intern(&n->a->words.names, n->name, strlen(n->name));
    if (!name) {
        foi_desk_fail(n->q, FO_ERROR_MEMORY);
        return;
    }
    uint32_t word = taken(n, name);
    if (word != FOI_NOWHERE)
        foi_desk_refuse(n->q, "argument", "there is a '%s' already, in line %u", n->name,
                        line_of(n, word));
}

// ----------------------------------------------------------------------- 2. what every word means

static void copy_until(renaming *n, size_t end)
{
    if (n->text) memcpy(n->text + n->length, n->a->d->text + n->taken, end - n->taken);
    n->length += end - n->taken;
    n->taken = end;
}

static void rename_use(void *self, uint32_t word)
{
    renaming *n = self;
    copy_until(n, foi_word_from(&n->a->words, word));
    if (n->text) memcpy(n->text + n->length, n->name, strlen(n->name));
    n->length += strlen(n->name);
    n->taken = foi_word_to(&n->a->words, word);
}

static void rename_all(renaming *n)
{
    n->length = n->taken = 0;
    foi_text_uses(n->a, n->of, rename_use, n);
    copy_until(n, n->a->words.length);
}

// Every word of the new text must mean what it meant: words and declarations stand in it in the
// same order. Both are looked up in that order, since a meaning that leads to itself depends on
// where one begins. Returns a word that does not, FOI_NOWHERE: there is none.
static uint32_t changed_word(foi_words *before, foi_words *after)
{
    if (after->count != before->count || after->declared_count != before->declared_count) return 0;
    for (uint32_t i = 0; i < after->count; i++)
        if (after->list[i].kind == FOI_TOKEN_IDENT &&
            (foi_word_meaning(after, i) != foi_word_meaning(before, i) ||
             foi_word_alias(after, i) != foi_word_alias(before, i)))
            return i;
    return FOI_NOWHERE;
}

static void refuse_changed(const renaming *n, foi_words *before, foi_words *after)
{
    uint32_t changed = changed_word(before, after);
    if (changed != FOI_NOWHERE)
        foi_desk_refuse(n->q, "argument",
                        "with this name the '%s' in line %u would mean something else",
                        foi_word_text(before, changed), line_of(n, changed));
}

// ----------------------------------------------------------------------------- 3. what is
// translated

// The dotted name of a class; false: it is too long.
static bool path_of(const foi_words *w, uint32_t class, char *path, size_t size)
{
    size_t from = size - 1;
    path[from] = 0;
    for (uint32_t c = class; c != FOI_NOWHERE; c = w->declared[c].scope) {
        const char *name = foi_word_text(w, w->declared[c].word);
        size_t length = strlen(name), dot = c != class;
        if (length + dot > from) return false;
        from -= length + dot;
        memcpy(path + from, name, length);
        if (dot) path[from + length] = '.';
    }
    memmove(path, path + from, size - from);
    return true;
}

static bool is_model(const foi_declared *d)
{
    return d->is_class && (strcmp(d->kind, "model") == 0 || strcmp(d->kind, "block") == 0 ||
                           strcmp(d->kind, "class") == 0);
}

/// Translates classes of two texts.
typedef struct translating {
    const renaming *n;
    foi_words *before, *after;
    foi_gate gate;
    size_t read; ///< bytes so far
    foi_renamed by;
} translating;

static fo_status translate(translating *t, const foi_words *w, uint32_t class, foi_flat **flat,
                           foi_messages *messages)
{
    const fo_desk *desk = t->n->q->desk;
    char path[LONGEST_PATH];
    foi_language_def def = foi_default_language_def();
    *flat = NULL;
    if (!path_of(w, class, path, sizeof path)) return FO_ERROR_FORMAT;
    def.allocator = &t->gate.allocator, def.path = t->n->a->d->name, def.text = w->text;
    def.model = path, def.libraries = desk->def.libraries, def.no_units = true;
    if (desk->def.work) def.most_work = desk->def.work;
    t->read += w->length;
    return foi_language_load(&def, flat, messages);
}

static void refuse_untranslated(const translating *t, const foi_messages *messages)
{
    size_t i = 0;
    while (i < messages->count && messages->findings[i].severity != FOI_ERROR) i++;
    const foi_finding *f = i < messages->count ? &messages->findings[i] : NULL;
    foi_desk_refuse(t->n->q, "argument", "with this name line %u would be wrong: %s",
                    f ? f->line : 0, f ? f->text : "it cannot be translated");
}

static void refuse_different(const translating *t, uint32_t class, foi_place place)
{
    const char *name = foi_word_text(t->before, t->before->declared[class].word);
    if (!t->by.work)
        foi_desk_refuse(t->n->q, "limit", "'%s' is too large to see whether it stays the same",
                        name);
    else
        foi_desk_refuse(t->n->q, "argument",
                        "with this name '%s' would be another model: see line %u", name,
                        place.line);
}

// One that was wrong before says nothing.
static void compare_class(translating *t, uint32_t class)
{
    foi_messages messages;
    foi_flat *before, *after = NULL;
    foi_place place;
    foi_messages_begin(&messages, &t->gate.allocator);
    bool was_good = translate(t, t->before, class, &before, &messages) == FO_OK;
    foi_messages_end(&messages);
    foi_messages_begin(&messages, &t->gate.allocator);
    fo_status status = was_good ? translate(t, t->after, class, &after, &messages) : FO_OK;
    t->by.work = 10 * t->n->q->desk->def.work + 1;
    if (foi_desk_exhausted(t->n->q->desk))
        foi_desk_refuse(t->n->q, "limit",
                        "it takes too long to see whether all models stay the same");
    else if (status == FO_ERROR_MEMORY)
        foi_desk_fail(t->n->q, status);
    else if (status != FO_OK)
        refuse_untranslated(t, &messages);
    else if (was_good && !foi_flat_same(before, after, &t->by, &place))
        refuse_different(t, class, place);
    foi_flat_destroy(before);
    foi_flat_destroy(after);
    foi_messages_end(&messages);
}

static void refuse_other_models(const renaming *n, foi_words *before, foi_words *after)
{
    fo_desk *desk = n->q->desk;
    fo_model_def def = {
        .allocator = desk->allocator, .go_on = foi_desk_translate_on, .go_on_self = desk};
    translating t = {.n = n, .before = before, .after = after, .by = {.from = n->old}};
    t.by.to = n->name;
    foi_desk_not_short(desk);
    foi_gate_begin(&t.gate, &def);
    for (uint32_t c = 0; c < before->declared_count && !foi_desk_refused(n->q); c++) {
        if (!is_model(&before->declared[c])) continue;
        if (foi_desk_cancelled(desk)) return;
        if (t.read > MOST_READ) {
            foi_desk_refuse(n->q, "limit",
                            "the text has too many models to see whether all stay the same");
            return;
        }
        compare_class(&t, c);
    }
}

// --------------------------------------------------------------------------------------- the verb

// The meanings of the text with the old name and with the new one.
static void refuse_other_meanings(renaming *n)
{
    const fo_allocator *allocator = n->q->desk->allocator;
    foi_words before = {0}, after = {0};
    rename_all(n);
    n->text = foi_new(allocator, n->length + 1, 1);
    if (n->text) rename_all(n);
    // looked up anew, in the order of the text
    bool read = n->text &&
                foi_words_begin(&before, n->a->words.text, n->a->words.length, allocator) &&
                foi_words_begin(&after, n->text, n->length, allocator);
    if (read)
        refuse_changed(n, &before, &after);
    else
        foi_desk_fail(n->q, FO_ERROR_MEMORY);
    if (!foi_desk_refused(n->q)) refuse_other_models(n, &before, &after);
    foi_words_end(&after);
    foi_words_end(&before);
    foi_free(allocator, n->text);
}

static void rename_thing(renaming *n)
{
    foi_words *w = &n->a->words;
    if (n->of.declaration == FOI_NOWHERE && n->of.import == FOI_NOWHERE) {
        foi_desk_refuse(n->q, "argument",
                        "the name at this position is not declared in this document");
        return;
    }
    n->old = foi_word_text(w, n->of.import != FOI_NOWHERE ? w->imports[n->of.import].word
                                                          : w->declared[n->of.declaration].word);
    if (n->of.import == FOI_NOWHERE && must_keep_name(w, n->of.declaration))
        foi_desk_refuse(n->q, "argument",
                        "'%s' cannot be renamed: it is used by its name from elsewhere", n->old);
    else if (strcmp(n->old, n->name) != 0)
        refuse_taken(n);
    if (!foi_desk_refused(n->q)) refuse_other_meanings(n);
    if (foi_desk_refused(n->q)) return;
    foi_json_open(&n->q->answer, "edits", '[', true);
    foi_text_put_uses(&n->q->answer, n->a, n->of, n->name);
    foi_json_close(&n->q->answer, ']');
}

void foi_desk_rename(foi_desk_request *q)
{
    foi_text_question a;
    const char *name = foi_desk_text(q, "name");
    if (foi_desk_refused(q) || !foi_text_ask(q, &a, true)) return;
    bool may = foi_desk_anywhere(q->desk, true);
    renaming n = {.q = q, .a = &a, .name = name};
    if (name && is_found_by_name(name)) {
        foi_desk_refuse(q, "argument", "the language has a meaning of its own for '%s'", name);
    } else if (name && is_name(&a.words, name)) {
        n.of = foi_text_thing_at(&a);
        rename_thing(&n);
    } else {
        foi_desk_refuse(q, "argument", "the new name is not a valid identifier");
    }
    foi_desk_anywhere(q->desk, may);
    foi_words_end(&a.words);
}
