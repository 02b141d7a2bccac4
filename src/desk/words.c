#include "desk/words.h"

#include <string.h>

enum { MOST_WORDS = 1000000, DEEPEST = 32 };

// -------------------------------------------------------------------------------------- reading

/// Where the reader is.
typedef struct reading {
    foi_words *w;
    uint32_t at;
    uint32_t scope; ///< the class around
} reading;

static int kind_at(const reading *r, uint32_t at)
{
    return at < r->w->count ? r->w->list[at].kind : FOI_TOKEN_END;
}

static int kind(const reading *r)
{
    return kind_at(r, r->at);
}

static const char *name_at(const foi_words *w, uint32_t word)
{
    return w->list[word].text;
}

static uint32_t add_reference(reading *r, uint32_t word, uint32_t before, uint32_t owner)
{
    foi_words *w = r->w;
    foi_reference_word *ref =
        foi_arena_add(&w->arena, &w->references, &w->reference_count, sizeof *ref);
    if (!ref) return FOI_NOWHERE;
    *ref = (foi_reference_word){word, r->scope, before, owner, FOI_NOWHERE, false};
    return w->reference_count - 1;
}

static uint32_t declare(reading *r, uint32_t word, bool is_class, const char *as)
{
    foi_words *w = r->w;
    foi_declared *d = foi_arena_add(&w->arena, &w->declared, &w->declared_count, sizeof *d);
    if (!d) return FOI_NOWHERE;
    *d = (foi_declared){.word = word,
                        .scope = r->scope,
                        .is_class = is_class,
                        .kind = as,
                        .type = FOI_NOWHERE,
                        .first = word,
                        .end = word + 1};
    return w->declared_count - 1;
}

static void read_expression(reading *r, int until_comma);

// In brackets or parentheses: expressions, until it closes.
static void read_inside(reading *r, int close)
{
    r->at++;
    while (kind(r) != close && kind(r) != FOI_TOKEN_END && kind(r) != ';') {
        uint32_t before = r->at;
        read_expression(r, true);
        if (kind(r) == ',' || kind(r) == ':' || kind(r) == ';') r->at++;
        if (r->at == before) r->at++;
    }
    if (kind(r) == close) r->at++;
}

// A dotted name with subscripts; returns the reference to its last part.
static uint32_t read_name(reading *r)
{
    uint32_t before = FOI_NOWHERE;
    if (kind(r) == '.') r->at++;
    while (kind(r) == FOI_TOKEN_IDENT) {
        before = add_reference(r, r->at++, before, FOI_NOWHERE);
        if (kind(r) == '[') read_inside(r, ']');
        if (kind(r) != '.' || kind_at(r, r->at + 1) != FOI_TOKEN_IDENT) break;
        r->at++;
    }
    return before;
}

static bool ends_statement(int k)
{
    return k == ';' || k == FOI_TOKEN_END;
}

// Up to the end of the statement, a closing sign or (`until_comma`) a comma. A name before '=' is
// that of an argument where a comma would end it.
static void read_expression(reading *r, int until_comma)
{
    while (!ends_statement(kind(r))) {
        int k = kind(r);
        if (k == ')' || k == ']' || k == '}' || (until_comma && k == ',')) return;
        if (k == FOI_TOKEN_IDENT && until_comma && kind_at(r, r->at + 1) == '=')
            r->at++;
        else if (k == FOI_TOKEN_IDENT)
            read_name(r);
        else if (k == '(' || k == '[' || k == '{')
            read_inside(r, k == '(' ? ')' : k == '[' ? ']' : '}');
        else
            r->at++;
    }
}

// `(a(...) = value, b = ...)` of a declaration, or of a name `before` inside one.
static void read_modifiers(reading *r, uint32_t before, uint32_t owner, int depth)
{
    r->at++;
    while (kind(r) != ')' && !ends_statement(kind(r))) {
        uint32_t start = r->at;
        while (kind(r) == FOI_WORD_EACH || kind(r) == FOI_WORD_FINAL ||
               kind(r) == FOI_WORD_REDECLARE || kind(r) == FOI_WORD_REPLACEABLE)
            r->at++;
        if (kind(r) == FOI_TOKEN_IDENT) {
            uint32_t name = add_reference(r, r->at++, before, owner);
            while (kind(r) == '.' && kind_at(r, r->at + 1) == FOI_TOKEN_IDENT) {
                name = add_reference(r, r->at + 1, name, FOI_NOWHERE);
                r->at += 2;
            }
            if (kind(r) == '(' && depth < DEEPEST) read_modifiers(r, name, FOI_NOWHERE, depth + 1);
        }
        read_expression(r, true);
        if (kind(r) == ',') r->at++;
        if (r->at == start) r->at++;
    }
    if (kind(r) == ')') r->at++;
}

// A string behind a declaration.
static const char *read_comment(reading *r)
{
    const char *text = kind(r) == FOI_TOKEN_STRING ? r->w->list[r->at].text : NULL;
    while (kind(r) == FOI_TOKEN_STRING || (text && kind(r) == '+')) r->at++;
    return text;
}

static void skip_statement(reading *r)
{
    read_expression(r, false);
    while (!ends_statement(kind(r))) { // a closing sign too many
        r->at++;
        read_expression(r, false);
    }
    if (kind(r) == ';') r->at++;
}

static bool is_prefix(int k)
{
    return k == FOI_WORD_PARAMETER || k == FOI_WORD_CONSTANT || k == FOI_WORD_DISCRETE ||
           k == FOI_WORD_INPUT || k == FOI_WORD_OUTPUT || k == FOI_WORD_FLOW ||
           k == FOI_WORD_STREAM || k == FOI_WORD_INNER || k == FOI_WORD_OUTER ||
           k == FOI_WORD_FINAL || k == FOI_WORD_REPLACEABLE || k == FOI_WORD_REDECLARE ||
           k == FOI_WORD_PARTIAL || k == FOI_WORD_ENCAPSULATED || k == FOI_WORD_EXPANDABLE ||
           k == FOI_WORD_PURE || k == FOI_WORD_IMPURE || k == FOI_WORD_OPERATOR;
}

static bool starts_class(int k)
{
    return k == FOI_WORD_MODEL || k == FOI_WORD_BLOCK || k == FOI_WORD_CLASS ||
           k == FOI_WORD_RECORD || k == FOI_WORD_CONNECTOR || k == FOI_WORD_PACKAGE ||
           k == FOI_WORD_FUNCTION || k == FOI_WORD_TYPE;
}

// `name[dims](modifiers) = value if condition "comment", next ...;` of one type.
static void read_components(reading *r, uint32_t type, const char *as, uint32_t first)
{
    foi_words *w = r->w;
    while (kind(r) == FOI_TOKEN_IDENT) {
        uint32_t d = declare(r, r->at++, false, as);
        if (d == FOI_NOWHERE) return;
        if (kind(r) == '[') read_inside(r, ']');
        if (kind(r) == '(') read_modifiers(r, FOI_NOWHERE, d, 0);
        while (!ends_statement(kind(r)) && kind(r) != ',' && kind(r) != FOI_TOKEN_STRING) {
            uint32_t before = r->at;
            if (kind(r) == FOI_TOKEN_IDENT)
                read_name(r);
            else if (kind(r) == '(' || kind(r) == '[' || kind(r) == '{')
                read_inside(r, kind(r) == '(' ? ')' : kind(r) == '[' ? ']' : '}');
            else
                r->at++;
            if (kind_at(r, before) == FOI_WORD_ANNOTATION) break;
        }
        w->declared[d].type = type, w->declared[d].first = first;
        w->declared[d].comment = read_comment(r);
        w->declared[d].end = r->at;
        if (kind(r) != ',') return;
        r->at++;
    }
}

static void read_extends(reading *r)
{
    foi_words *w = r->w;
    r->at++;
    uint32_t base = read_name(r);
    if (base != FOI_NOWHERE && r->scope != FOI_NOWHERE) {
        uint32_t *bases = w->declared[r->scope].bases, count = w->declared[r->scope].base_count;
        uint32_t *added = foi_arena_add(&w->arena, &bases, &count, sizeof *bases);
        if (added) *added = base;
        w->declared[r->scope].bases = bases, w->declared[r->scope].base_count = count;
    }
    if (kind(r) == '(') read_modifiers(r, base, FOI_NOWHERE, 0);
    skip_statement(r);
}

// `enumeration(a "one", b)`: its literals are its members.
static void read_literals(reading *r, uint32_t of)
{
    uint32_t around = r->scope;
    r->scope = of;
    r->at++;
    if (kind(r) == '(') r->at++;
    while (kind(r) == FOI_TOKEN_IDENT) {
        uint32_t d = declare(r, r->at++, false, "literal");
        const char *comment = read_comment(r);
        if (d != FOI_NOWHERE) r->w->declared[d].comment = comment, r->w->declared[d].end = r->at;
        if (kind(r) != ',') break;
        r->at++;
    }
    if (kind(r) == ')') r->at++;
    r->scope = around;
}

static void read_class(reading *r, uint32_t first)
{
    const char *as = foi_token_words(kind(r));
    r->at++;
    if (kind(r) == FOI_WORD_FUNCTION || kind(r) == FOI_WORD_RECORD) r->at++; // operator function
    bool extended = kind(r) == FOI_WORD_EXTENDS;
    if (extended) r->at++;
    if (kind(r) != FOI_TOKEN_IDENT) return;
    uint32_t d = declare(r, r->at++, true, as);
    if (d == FOI_NOWHERE) return;
    foi_declared *own = &r->w->declared[d];
    own->first = first;
    if (kind(r) == '=') {
        r->at++;
        while (is_prefix(kind(r))) r->at++;
        own->is_short = true;
        uint32_t type = kind(r) == FOI_TOKEN_IDENT ? read_name(r) : FOI_NOWHERE;
        if (kind(r) == FOI_WORD_ENUMERATION) read_literals(r, d);
        if (kind(r) == '(') read_modifiers(r, type, FOI_NOWHERE, 0);
        r->w->declared[d].type = type;
        if (kind(r) == FOI_TOKEN_STRING) r->w->declared[d].comment = read_comment(r);
        skip_statement(r);
        r->w->declared[d].end = r->at;
        return;
    }
    if (extended && kind(r) == '(') read_modifiers(r, FOI_NOWHERE, FOI_NOWHERE, 0);
    r->w->declared[d].comment = read_comment(r);
    r->w->declared[d].end = FOI_NOWHERE; // open
    r->scope = d;
}

// `end Name;` closes the class of that name, and those inside that were left open.
static void read_end(reading *r)
{
    foi_words *w = r->w;
    const char *name = name_at(w, r->at + 1);
    uint32_t of = r->scope;
    while (of != FOI_NOWHERE && name_at(w, w->declared[of].word) != name)
        of = w->declared[of].scope;
    r->at += 2;
    if (kind(r) == ';') r->at++;
    if (of == FOI_NOWHERE) return;
    for (uint32_t c = r->scope;; c = w->declared[c].scope) {
        w->declared[c].end = r->at;
        if (c == of) break;
    }
    r->scope = w->declared[of].scope;
}

static bool starts_section(int k)
{
    return k == FOI_WORD_EQUATION || k == FOI_WORD_ALGORITHM || k == FOI_WORD_PUBLIC ||
           k == FOI_WORD_PROTECTED || k == FOI_WORD_INITIAL;
}

// One statement of a class: a declaration, or an equation.
static void read_statement(reading *r, bool *equations)
{
    uint32_t first = r->at;
    if (kind(r) == FOI_WORD_END && kind_at(r, r->at + 1) == FOI_TOKEN_IDENT) {
        read_end(r);
        *equations = false;
        return;
    }
    if (starts_section(kind(r)) && !(kind(r) == FOI_WORD_INITIAL && kind_at(r, r->at + 1) == '(')) {
        *equations = kind(r) != FOI_WORD_PUBLIC && kind(r) != FOI_WORD_PROTECTED;
        r->at++;
        return;
    }
    uint32_t look = r->at;
    while (is_prefix(kind_at(r, look))) look++;
    if (starts_class(kind_at(r, look))) {
        r->at = look;
        read_class(r, first);
        *equations = false;
        return;
    }
    if (kind(r) == FOI_WORD_EXTENDS) {
        read_extends(r);
        return;
    }
    if (*equations || kind_at(r, look) != FOI_TOKEN_IDENT || r->scope == FOI_NOWHERE) {
        skip_statement(r);
        return;
    }
    const char *as = look > r->at ? foi_token_words(kind(r)) : "";
    r->at = look;
    uint32_t type = read_name(r);
    if (kind(r) == '[') read_inside(r, ']');
    read_components(r, type, as, first);
    skip_statement(r);
}

bool foi_words_begin(foi_words *w, const char *text, size_t length, const fo_allocator *allocator)
{
    foi_lexer lexer;
    *w = (foi_words){.text = text, .length = length};
    foi_arena_begin(&w->arena, allocator, 0);
    w->names = (foi_names){.arena = &w->arena, .allocator = allocator};
    foi_lexer_begin(&lexer, &w->arena, &w->names, 0, text, length);
    while (w->count < MOST_WORDS) {
        foi_token token = foi_lexer_next(&lexer);
        if (token.kind == FOI_TOKEN_END) break;
        foi_token *kept = foi_arena_add(&w->arena, &w->list, &w->count, sizeof *kept);
        if (!kept) return false;
        *kept = token;
    }
    reading r = {w, 0, FOI_NOWHERE};
    bool equations = false;
    while (r.at < w->count && !w->arena.failed) {
        uint32_t before = r.at;
        read_statement(&r, &equations);
        if (r.at == before) r.at++;
    }
    for (uint32_t i = 0; i < w->declared_count; i++)
        if (w->declared[i].end == FOI_NOWHERE) w->declared[i].end = w->count;
    return !w->arena.failed;
}

void foi_words_end(foi_words *w)
{
    foi_names_end(&w->names);
    foi_arena_end(&w->arena);
}

// ------------------------------------------------------------------------------------ looking up

size_t foi_word_from(const foi_words *w, uint32_t word)
{
    return (size_t)(w->list[word].start - w->text);
}

size_t foi_word_to(const foi_words *w, uint32_t word)
{
    return foi_word_from(w, word) + w->list[word].length;
}

uint32_t foi_word_at(const foi_words *w, size_t offset)
{
    uint32_t low = 0, high = w->count; // the last word that begins at or before the byte
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (foi_word_from(w, middle) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return FOI_NOWHERE;
    // between two words that touch, the one that is a name
    uint32_t word = low - 1;
    if (w->list[word].kind != FOI_TOKEN_IDENT && foi_word_from(w, word) == offset && word &&
        foi_word_to(w, word - 1) == offset)
        word--;
    return offset <= foi_word_to(w, word) ? word : FOI_NOWHERE;
}

uint32_t foi_word_scope(const foi_words *w, uint32_t word)
{
    uint32_t best = FOI_NOWHERE;
    for (uint32_t i = 0; i < w->declared_count; i++) {
        const foi_declared *d = &w->declared[i];
        if (d->is_class && !d->is_short && d->first <= word && word < d->end) best = i;
    }
    return best; // inner classes come later
}

static uint32_t meaning_of(foi_words *w, uint32_t reference, int depth);
static uint32_t class_of(foi_words *w, uint32_t declaration, int depth);

// A name of the class itself or of what it extends.
static uint32_t member(foi_words *w, uint32_t of, const char *name, int depth)
{
    if (of == FOI_NOWHERE || depth > DEEPEST) return FOI_NOWHERE;
    for (uint32_t i = of + 1; i < w->declared_count; i++)
        if (w->declared[i].scope == of && name_at(w, w->declared[i].word) == name) return i;
    for (uint32_t b = 0; b < w->declared[of].base_count; b++) {
        uint32_t base = meaning_of(w, w->declared[of].bases[b], depth + 1);
        uint32_t found = member(w, class_of(w, base, depth + 1), name, depth + 1);
        if (found != FOI_NOWHERE) return found;
    }
    return FOI_NOWHERE;
}

static uint32_t class_of(foi_words *w, uint32_t declaration, int depth)
{
    if (declaration == FOI_NOWHERE || depth > DEEPEST) return FOI_NOWHERE;
    const foi_declared *d = &w->declared[declaration];
    if (d->is_class && (!d->is_short || d->type == FOI_NOWHERE)) return declaration;
    return class_of(w, meaning_of(w, d->type, depth + 1), depth + 1);
}

// A name that stands in a class: of it, of what is around it, of the text.
static uint32_t around(foi_words *w, uint32_t scope, const char *name, int depth)
{
    for (uint32_t c = scope; c != FOI_NOWHERE; c = w->declared[c].scope) {
        uint32_t found = member(w, c, name, depth + 1);
        if (found != FOI_NOWHERE) return found;
    }
    for (uint32_t i = 0; i < w->declared_count; i++)
        if (w->declared[i].scope == FOI_NOWHERE && name_at(w, w->declared[i].word) == name)
            return i;
    return FOI_NOWHERE;
}

static uint32_t meaning_of(foi_words *w, uint32_t reference, int depth)
{
    if (reference == FOI_NOWHERE || depth > DEEPEST) return FOI_NOWHERE;
    foi_reference_word *r = &w->references[reference];
    if (r->looked_up) return r->meaning;
    r->looked_up = true; // one that leads to itself has no meaning
    const char *name = name_at(w, r->word);
    uint32_t found;
    if (r->owner != FOI_NOWHERE)
        found = member(w, class_of(w, r->owner, depth + 1), name, depth + 1);
    else if (r->before != FOI_NOWHERE)
        found =
            member(w, class_of(w, meaning_of(w, r->before, depth + 1), depth + 1), name, depth + 1);
    else
        found = around(w, r->scope, name, depth + 1);
    w->references[reference].meaning = found;
    return found;
}

uint32_t foi_declared_class(foi_words *w, uint32_t declaration)
{
    return class_of(w, declaration, 0);
}

uint32_t foi_word_meaning(foi_words *w, uint32_t word)
{
    for (uint32_t i = 0; i < w->declared_count; i++)
        if (w->declared[i].word == word) return i;
    for (uint32_t i = 0; i < w->reference_count; i++)
        if (w->references[i].word == word) return meaning_of(w, i, 0);
    return FOI_NOWHERE;
}

static void give_members(foi_words *w, uint32_t of, void (*take)(void *self, uint32_t declaration),
                         void *self, int depth)
{
    if (of == FOI_NOWHERE || depth > DEEPEST) return;
    for (uint32_t i = of + 1; i < w->declared_count; i++)
        if (w->declared[i].scope == of) take(self, i);
    for (uint32_t b = 0; b < w->declared[of].base_count; b++) {
        uint32_t base = meaning_of(w, w->declared[of].bases[b], 0);
        give_members(w, class_of(w, base, 0), take, self, depth + 1);
    }
}

void foi_class_members(foi_words *w, uint32_t of, void (*take)(void *self, uint32_t declaration),
                       void *self)
{
    give_members(w, of, take, self, 0);
}
