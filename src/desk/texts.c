// What an editor asks about a text: what may be written here, what a word is, what the text is made
// of.
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "desk/desk.h"
#include "desk/texts.h"
#include "desk/vocabulary.h"
#include "language/language.h"

// False when there is nothing to ask; otherwise foi_words_end(&q->words) later.
bool foi_text_ask(foi_desk_request *q, foi_text_question *a, bool placed)
{
    *a = (foi_text_question){.d = foi_desk_find_document(q), .word = FOI_NOWHERE};
    foi_position at = {0, 0};
    if (placed && a->d) at = foi_position_read(q, foi_json_member(q->body, "at"));
    if (!a->d || foi_desk_refused(q)) return false;
    if (!a->d->text || !foi_desk_is_text(a->d)) {
        foi_desk_refuse(q, "unfit", "this request is only for Modelica texts (*.mo)");
        return false;
    }
    bool may = foi_desk_anywhere(q->desk, true);
    bool read = foi_words_begin(&a->words, a->d->text, a->d->length, q->desk->allocator);
    foi_desk_anywhere(q->desk, may);
    if (!read) {
        foi_words_end(&a->words);
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return false;
    }
    a->offset = foi_position_offset(a->d->text, a->d->length, at);
    if (placed) a->word = foi_word_at(&a->words, a->offset);
    return true;
}

void foi_text_put_range(foi_json_writer *w, const foi_text_question *a, size_t from, size_t to)
{
    foi_position_put(w, "from", foi_words_place(&a->words, from));
    foi_position_put(w, "to", foi_words_place(&a->words, to));
}

void foi_text_put_word(foi_json_writer *w, const foi_text_question *a, uint32_t word)
{
    foi_text_put_range(w, a, foi_word_from(&a->words, word), foi_word_to(&a->words, word));
}

// The source from a word to another, on one line and not too long. Returns `text`.
static const char *quote(const foi_text_question *a, uint32_t first, uint32_t end, char *text,
                         size_t size)
{
    size_t from = foi_word_from(&a->words, first), to = foi_word_to(&a->words, end - 1), used = 0;
    bool space = false;
    for (size_t i = from; i < to && used + 2 < size; i++) {
        char c = a->d->text[i];
        bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!blank && space && used) text[used++] = ' ';
        if (!blank) text[used++] = c;
        space = blank;
    }
    // a character that was cut is left out
    while (used && ((unsigned char)text[used - 1] & 0xc0) == 0x80) used--;
    if (used && ((unsigned char)text[used - 1] & 0x80)) used--;
    text[used] = 0;
    return text;
}

// What is said of a declaration without its comment: "parameter Real g = 9.81".
static const char *headline(const foi_text_question *a, const foi_declared *d, char *text,
                            size_t size)
{
    uint32_t end = d->end > d->first ? d->end : d->first + 1;
    if (d->is_class && !d->is_short) end = d->word + 1;
    if (!d->is_class && d->comment)
        while (end > d->word + 1 && a->words.list[end - 1].kind == FOI_TOKEN_STRING) end--;
    return quote(a, d->first, end, text, size);
}

// ------------------------------------------------------------------------------------- completion

/// The candidates so far.
typedef struct offering {
    foi_json_writer *w;
    foi_text_question *a;
    const char *prefix;
    size_t prefix_length;
    uint32_t count;
} offering;

enum { MOST_OFFERED = 500 };

static bool fits(const offering *o, const char *name)
{
    return o->count < MOST_OFFERED && strncasecmp(name, o->prefix, o->prefix_length) == 0;
}

static void offer(offering *o, const char *name, const char *as, const char *detail)
{
    if (!fits(o, name)) return;
    o->count++;
    foi_json_open(o->w, NULL, '{', true);
    foi_json_put_text(o->w, "name", name);
    foi_json_put_text(o->w, "kind", as);
    if (detail && *detail) foi_json_put_text(o->w, "detail", detail);
    foi_json_close(o->w, '}');
}

static void offer_declared(void *self, uint32_t declaration)
{
    offering *o = self;
    const foi_declared *d = &o->a->words.declared[declaration];
    char line[160];
    const char *name = o->a->words.list[d->word].text;
    if (!fits(o, name)) return;
    const char *detail =
        d->comment && *d->comment ? d->comment : headline(o->a, d, line, sizeof line);
    offer(o, name, d->is_class ? "class" : "variable", detail);
}

// Before the brackets of a subscript, if the word closes one.
static uint32_t before_subscript(const foi_words *w, uint32_t word)
{
    int depth = 0;
    for (uint32_t i = word;; i--) {
        if (w->list[i].kind == ']') depth++;
        if (w->list[i].kind == '[' && depth) depth--;
        if (!depth && w->list[i].kind != '[') return i;
        if (!i) return FOI_NOWHERE;
    }
}

// The words of the dotted name that ends with a word, the last one first. Returns how many.
static uint32_t parts_of(const foi_words *w, uint32_t last, uint32_t *parts, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t at = before_subscript(w, last); at != FOI_NOWHERE && count < most;) {
        if (w->list[at].kind != FOI_TOKEN_IDENT) break;
        parts[count++] = at;
        if (at < 2 || w->list[at - 1].kind != '.') break;
        // a dot at the end of a line is that of another name, which is being written
        size_t dot = foi_word_to(w, at - 1), next = foi_word_from(w, at);
        if (memchr(w->text + dot, '\n', next - dot) || memchr(w->text + dot, '\r', next - dot))
            break;
        at = before_subscript(w, at - 2);
    }
    return count;
}

/// A class elsewhere, and what follows of a name in it.
typedef struct elsewhere {
    char class[400], rest[400];
} elsewhere;

static void add_part(char *to, size_t size, const char *part)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", used ? "." : "", part);
}

// The dotted name from a word on: `Modelica.Blocks.Sources.Sine`. The last word of it.
static uint32_t add_name(const foi_words *w, uint32_t word, char *to, size_t size)
{
    for (;; word += 2) {
        add_part(to, size, w->list[word].text);
        if (word + 2 >= w->count || w->list[word + 1].kind != '.' ||
            w->list[word + 2].kind != FOI_TOKEN_IDENT)
            return word;
    }
}

// What an import calls so: `import SI = Modelica.Units.SI;` or `import Modelica.Units.SI;`
static bool add_imported(const foi_words *w, const char *name, char *to, size_t size)
{
    for (uint32_t i = 0; i + 2 < w->count; i++) {
        if (w->list[i].kind != FOI_WORD_IMPORT || w->list[i + 1].kind != FOI_TOKEN_IDENT) continue;
        bool renamed = w->list[i + 2].kind == '=' && i + 3 < w->count;
        if (renamed && w->list[i + 3].kind != FOI_TOKEN_IDENT) continue;
        char path[400] = "";
        uint32_t last = add_name(w, i + (renamed ? 3 : 1), path, sizeof path);
        if (w->list[renamed ? i + 1 : last].text != name) continue;
        add_part(to, size, path);
        return true;
    }
    return false;
}

// The word at which the type of a declaration begins; FOI_NOWHERE: it has none.
static uint32_t type_word(const foi_words *w, const foi_declared *d)
{
    uint32_t at = d->type;
    if (at == FOI_NOWHERE) return FOI_NOWHERE;
    while (w->references[at].before != FOI_NOWHERE) at = w->references[at].before;
    return w->references[at].word;
}

// What a name means that leads out of this text: into a class of a library, or into a component
// whose class is there.
static bool find_elsewhere(foi_text_question *a, const uint32_t *parts, uint32_t count,
                           elsewhere *e)
{
    foi_words *w = &a->words;
    uint32_t known = count; // how many parts, from the last on, are not of this text
    uint32_t type = FOI_NOWHERE;
    *e = (elsewhere){"", ""};
    for (uint32_t i = count; i-- > 0;) {
        uint32_t d = foi_word_meaning(w, parts[i]);
        if (d == FOI_NOWHERE) break;
        known = i;
        type = w->declared[d].is_class && !w->declared[d].is_short ? FOI_NOWHERE
                                                                   : type_word(w, &w->declared[d]);
    }
    if (known < count && type == FOI_NOWHERE) return false;
    uint32_t first = known < count ? type : parts[count - 1];
    const char *name = w->list[first].text;
    if (!add_imported(w, name, e->class, sizeof e->class))
        add_part(e->class, sizeof e->class, name);
    if (known < count && first + 2 < w->count && w->list[first + 1].kind == '.')
        add_name(w, first + 2, e->class, sizeof e->class);
    bool component = known < count;
    for (uint32_t i = component ? known : count - 1; i-- > 0;)
        add_part(component ? e->rest : e->class, component ? sizeof e->rest : sizeof e->class,
                 w->list[parts[i]].text);
    return true;
}

static bool offer_visited(void *self, const fo_text_class *about)
{
    offering *o = self;
    const char *dot = strrchr(about->name, '.'), *name = dot ? dot + 1 : about->name;
    bool plain = strcmp(about->kind, "variable") == 0 || strcmp(about->kind, "literal") == 0;
    offer(o, name,
          plain                                  ? "variable"
          : strcmp(about->kind, "function") == 0 ? "function"
                                                 : "class",
          about->description);
    return o->count < MOST_OFFERED;
}

static void offer_elsewhere(foi_desk_request *q, offering *o, const elsewhere *e)
{
    fo_text_model_def def = fo_default_text_model_def();
    def.model = e->class, def.libraries = q->desk->def.libraries;
    def.allocator = q->desk->allocator, def.most_work = q->desk->def.work;
    bool may = foi_desk_anywhere(q->desk, true);
    foi_text_members(&def, e->rest, offer_visited, o, NULL); // what is not there offers nothing
    foi_desk_anywhere(q->desk, may);
}

// Of the class that stands before a dot.
static bool offer_members(foi_desk_request *q, offering *o, uint32_t dot)
{
    foi_text_question *a = o->a;
    uint32_t parts[16], count;
    elsewhere e;
    if (!dot || a->words.list[dot].kind != '.') return false;
    count = parts_of(&a->words, dot - 1, parts, FO_COUNT(parts));
    if (!count) return true;
    uint32_t meaning = foi_word_meaning(&a->words, parts[0]);
    if (meaning != FOI_NOWHERE)
        foi_class_members(&a->words, foi_declared_class(&a->words, meaning), offer_declared, o);
    if (!o->count && find_elsewhere(a, parts, count, &e)) offer_elsewhere(q, o, &e);
    return true;
}

static void offer_all(const foi_desk_request *q, offering *o, uint32_t word)
{
    foi_text_question *a = o->a;
    uint32_t scope = FOI_NOWHERE;
    // the word behind the place, or the last before it
    for (uint32_t i = 0; i < a->words.count && foi_word_from(&a->words, i) < a->offset; i++)
        word = i;
    if (word != FOI_NOWHERE) scope = foi_word_scope(&a->words, word);
    for (uint32_t c = scope; c != FOI_NOWHERE; c = a->words.declared[c].scope)
        foi_class_members(&a->words, c, offer_declared, o);
    for (uint32_t i = a->words.first; i != FOI_NOWHERE; i = a->words.declared[i].next)
        offer_declared(o, i);
    for (size_t i = 0; foi_vocabulary[i].name; i++)
        offer(o, foi_vocabulary[i].name, foi_vocabulary[i].kind, foi_vocabulary[i].about);
    foi_text_libraries(q->desk->def.libraries, offer_visited, o);
}

// The word that begins at a byte; FOI_NOWHERE: none.
static uint32_t word_from(const foi_words *w, size_t offset)
{
    uint32_t word = foi_word_at(w, offset); // or the name before it, which it touches
    if (word != FOI_NOWHERE && foi_word_from(w, word) != offset) word++;
    return word < w->count && foi_word_from(w, word) == offset ? word : FOI_NOWHERE;
}

void foi_desk_complete(foi_desk_request *q)
{
    foi_text_question a;
    if (!foi_text_ask(q, &a, true)) return;
    size_t start = a.offset;
    while (start && (isalnum((unsigned char)a.d->text[start - 1]) || a.d->text[start - 1] == '_'))
        start--;
    foi_json_writer *w = &q->answer;
    offering o = {w, &a, a.d->text + start, a.offset - start, 0};
    foi_text_put_range(w, &a, start, a.offset);
    foi_json_open(w, "list", '[', true);
    uint32_t dot = start ? word_from(&a.words, start - 1) : FOI_NOWHERE;
    if (dot == FOI_NOWHERE || !offer_members(q, &o, dot)) offer_all(q, &o, a.word);
    foi_json_close(w, ']');
    foi_words_end(&a.words);
}

// ------------------------------------------------------------------------------------------- hover

// Whether the open model has the variable of a word, and by which name: what the class of the model
// declares or inherits, and the parts of it. Another class may have one of the same name.
static bool name_in_model(foi_text_question *a, const fo_model *m, uint32_t word, char *name,
                          size_t size)
{
    uint32_t first;
    const char *of = fo_model_system(m).about->name;
    return of && foi_word_path(&a->words, word, &first, name, size) &&
           foi_class_extends(&a->words, foi_class_named(&a->words, of),
                             a->words.declared[first].scope);
}

static void put_value(foi_desk_request *q, foi_text_question *a)
{
    const foi_desk_model *m = a->d->open;
    char name[256];
    if (!m || a->d->dirty || fo_failed(fo_model_status(m->model))) return;
    if (!name_in_model(a, m->model, a->word, name, sizeof name)) return;
    for (size_t i = 0; i < fo_model_number_count(m->model); i++) {
        const fo_variable *v = fo_model_number(m->model, i);
        if (!v->name || strcmp(v->name, name) != 0) continue;
        foi_desk_put(&q->answer, "value", v->start);
        if (v->unit && *v->unit) foi_json_put_text(&q->answer, "unit", v->unit);
        return;
    }
    fo_reference which;
    fo_system system = fo_model_system(m->model);
    if (fo_failed(fo_system_find(system, name, &which, NULL))) return;
    const fo_variable *v = fo_system_variable(system, which);
    if (v && v->unit && *v->unit) foi_json_put_text(&q->answer, "unit", v->unit);
}

void foi_desk_hover(foi_desk_request *q)
{
    foi_text_question a;
    if (!foi_text_ask(q, &a, true)) return;
    foi_json_writer *w = &q->answer;
    const foi_vocable *known = NULL;
    uint32_t meaning = FOI_NOWHERE;
    if (a.word != FOI_NOWHERE && a.words.list[a.word].kind == FOI_TOKEN_IDENT)
        meaning = foi_word_meaning(&a.words, a.word);
    if (a.word != FOI_NOWHERE && meaning == FOI_NOWHERE)
        known = foi_vocable_find(a.words.list[a.word].start, a.words.list[a.word].length);
    if (meaning != FOI_NOWHERE) {
        const foi_declared *d = &a.words.declared[meaning];
        char line[400];
        foi_text_put_word(w, &a, a.word);
        foi_json_put_text(w, "text", headline(&a, d, line, sizeof line));
        if (d->comment) foi_json_put_text(w, "about", d->comment);
        put_value(q, &a);
    } else if (known) {
        foi_text_put_word(w, &a, a.word);
        foi_json_put_text(w, "text", known->form);
        foi_json_put_text(w, "about", known->about);
    } else {
        foi_json_put_null(w, "text");
    }
    foi_words_end(&a.words);
}

// ------------------------------------------------------------------------------------- the outline

enum { MOST_OUTLINED = 20000 }; // no list of an editor shows more

static void put_outline(foi_desk_request *q, foi_text_question *a, uint32_t first, int depth,
                        uint32_t *left)
{
    foi_json_writer *w = &q->answer;
    for (uint32_t i = first; i != FOI_NOWHERE && depth < 16 && *left;
         i = a->words.declared[i].next) {
        const foi_declared *d = &a->words.declared[i];
        char line[160];
        --*left;
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "name", a->words.list[d->word].text);
        foi_json_put_text(w, "kind", d->is_class ? d->kind : *d->kind ? d->kind : "variable");
        foi_json_put_text(w, "detail", headline(a, d, line, sizeof line));
        foi_text_put_range(w, a, foi_word_from(&a->words, d->first),
                           foi_word_to(&a->words, (d->end > d->first ? d->end : d->first + 1) - 1));
        foi_json_open(w, "name_at", '{', true);
        foi_text_put_word(w, a, d->word);
        foi_json_close(w, '}');
        if (d->is_class) {
            foi_json_open(w, "list", '[', true);
            put_outline(q, a, d->inner, depth + 1, left);
            foi_json_close(w, ']');
        }
        foi_json_close(w, '}');
    }
}

void foi_desk_outline(foi_desk_request *q)
{
    foi_text_question a;
    if (!foi_text_ask(q, &a, false)) return;
    foi_json_open(&q->answer, "list", '[', true);
    uint32_t left = MOST_OUTLINED;
    bool may = foi_desk_anywhere(q->desk, true);
    put_outline(q, &a, a.words.first, 0, &left);
    foi_desk_anywhere(q->desk, may);
    foi_json_close(&q->answer, ']');
    foi_words_end(&a.words);
}
