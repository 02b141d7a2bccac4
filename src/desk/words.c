#include "desk/words.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = 1000000,
    DEEPEST = 32, ///< of modifiers
    NESTED = 128, ///< brackets: the language has fewer
    MARKS = 256,  ///< bytes from one known place to the next
};

// -------------------------------------------------------------------------------------- reading

/// Where the reader is.
typedef struct reading {
    foi_words *w;
    uint32_t at;
    uint32_t scope;    ///< the class around
    uint32_t open;     ///< the innermost bracket; FOI_NOWHERE: none
    uint32_t called;   ///< what is called in the brackets around; FOI_NOWHERE: nothing
    uint32_t named;    ///< the dotted name that was read last
    uint32_t behind;   ///< the word behind it
    int depth;         ///< of brackets
    uint32_t *pending; ///< loops whose end has not come, inner ones last
    uint32_t pending_count;
} reading;

static int kind_at(const reading *r, uint32_t at)
{
    return at < r->w->count ? r->w->list[at].kind : FOI_TOKEN_END;
}

static int kind(const reading *r)
{
    return kind_at(r, r->at);
}

static uint32_t add_reference(reading *r, uint32_t word, uint32_t before, uint32_t owner)
{
    foi_words *w = r->w;
    foi_reference_word *ref =
        foi_arena_add(&w->arena, &w->references, &w->reference_count, sizeof *ref);
    if (!ref) return FOI_NOWHERE;
    *ref = (foi_reference_word){word, r->scope, before, owner, FOI_NOWHERE, FOI_NOWHERE, false};
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

static void read_expression(reading *r, bool until_comma);
static uint32_t read_name(reading *r);

// In brackets or parentheses: expressions, until it closes. What is nested too deep is passed over.
static void read_inside(reading *r, int close)
{
    uint32_t around = r->open, loops = r->w->loop_count, outer = r->called;
    r->called = close == ')' && r->behind == r->at ? r->named : FOI_NOWHERE;
    r->open = r->at++;
    r->depth++;
    while (kind(r) != close && kind(r) != FOI_TOKEN_END && kind(r) != ';') {
        uint32_t before = r->at;
        if (r->depth < NESTED) read_expression(r, true);
        if (kind(r) == ',' || kind(r) == ':' || kind(r) == ';') r->at++;
        if (r->at == before) r->at++;
    }
    for (uint32_t i = loops; i < r->w->loop_count; i++)
        if (r->w->loops[i].from == r->open + 1) r->w->loops[i].to = r->at;
    if (kind(r) == close) r->at++;
    r->depth--;
    r->open = around, r->called = outer;
}

// `for i in 1:n, j in 1:m`: known in the bracket around it, or until its `end for`.
static void read_for(reading *r)
{
    foi_words *w = r->w;
    uint32_t from = r->open == FOI_NOWHERE ? r->at : r->open + 1;
    bool first = true;
    do {
        uint32_t around = r->scope;
        r->at++;
        if (kind(r) != FOI_TOKEN_IDENT) return;
        r->scope = FOI_IN_LOOP;
        uint32_t d = declare(r, r->at++, false, "iterator");
        r->scope = around;
        foi_for *loop = foi_arena_add(&w->arena, &w->loops, &w->loop_count, sizeof *loop);
        if (d == FOI_NOWHERE || !loop) return;
        *loop = (foi_for){d, from, FOI_NOWHERE, FOI_NOWHERE};
        uint32_t *waits = NULL;
        if (r->open == FOI_NOWHERE && first)
            waits = foi_arena_add(&w->arena, &r->pending, &r->pending_count, sizeof *waits);
        if (waits) *waits = w->loop_count - 1;
        first = false;
        while (kind(r) != ',' && kind(r) != FOI_WORD_LOOP && kind(r) != ')' && kind(r) != ']' &&
               kind(r) != '}' && kind(r) != ';' && kind(r) != FOI_TOKEN_END) {
            if (kind(r) == '(' || kind(r) == '[' || kind(r) == '{')
                read_inside(r, kind(r) == '(' ? ')' : kind(r) == '[' ? ']' : '}');
            else if (kind(r) == FOI_TOKEN_IDENT)
                read_name(r);
            else
                r->at++;
        }
        w->declared[d].end = r->at;
    } while (kind(r) == ',');
}

// `end for`: those that have begun with the innermost `for` are over.
static void end_for(reading *r)
{
    if (!r->pending_count) return;
    uint32_t first = r->pending[--r->pending_count], from = r->w->loops[first].from;
    for (uint32_t i = first; i < r->w->loop_count && r->w->loops[i].from == from; i++)
        r->w->loops[i].to = r->at;
}

// A dotted name with subscripts; returns the reference to its last part.
static uint32_t read_name(reading *r)
{
    uint32_t before = FOI_NOWHERE, around = r->scope;
    if (kind(r) == '.') r->at++, r->scope = FOI_NOWHERE; // .A.b is looked for from outside
    while (kind(r) == FOI_TOKEN_IDENT) {
        before = add_reference(r, r->at++, before, FOI_NOWHERE);
        r->scope = around;
        if (kind(r) == '[') read_inside(r, ']');
        if (kind(r) != '.' || kind_at(r, r->at + 1) != FOI_TOKEN_IDENT) break;
        r->at++;
    }
    r->scope = around;
    r->named = before, r->behind = r->at;
    return before;
}

static bool ends_statement(int k)
{
    return k == ';' || k == FOI_TOKEN_END;
}

// A name before '=' where a comma would end it: an argument's, of what is called.
static void read_argument(reading *r)
{
    if (r->called != FOI_NOWHERE) add_reference(r, r->at, r->called, FOI_NOWHERE);
    r->at++;
}

// Up to the end of the statement, a closing sign or (`until_comma`) a comma.
static void read_expression(reading *r, bool until_comma)
{
    while (!ends_statement(kind(r))) {
        int k = kind(r);
        if (k == ')' || k == ']' || k == '}' || (until_comma && k == ',')) return;
        if (k == FOI_TOKEN_IDENT && until_comma && kind_at(r, r->at + 1) == '=')
            read_argument(r);
        else if (k == FOI_WORD_END && kind_at(r, r->at + 1) == FOI_WORD_FOR && !r->depth)
            end_for(r), r->at += 2;
        else if (k == FOI_WORD_FOR)
            read_for(r);
        else if (k == FOI_TOKEN_IDENT)
            read_name(r);
        else if (k == '(' || k == '[' || k == '{')
            read_inside(r, k == '(' ? ')' : k == '[' ? ']' : '}');
        else
            r->at++;
    }
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

// What stands before the name that is modified: `each final`, `redeclare package`, and of a
// component `redeclare parameter Type`. Returns the type, FOI_NOWHERE: none.
static uint32_t read_before_modified(reading *r)
{
    while (kind(r) == FOI_WORD_EACH || is_prefix(kind(r)) || starts_class(kind(r))) r->at++;
    if (kind(r) != FOI_TOKEN_IDENT) return FOI_NOWHERE;
    uint32_t look = r->at + 1;
    while (kind_at(r, look) == '.' && kind_at(r, look + 1) == FOI_TOKEN_IDENT) look += 2;
    return kind_at(r, look) == FOI_TOKEN_IDENT ? read_name(r) : FOI_NOWHERE;
}

// `(a(...) = value, b = ...)` of a declaration, or of a name `before` inside one.
static void read_modifiers(reading *r, uint32_t before, uint32_t owner, int depth)
{
    r->at++;
    while (kind(r) != ')' && !ends_statement(kind(r))) {
        uint32_t start = r->at;
        uint32_t type = read_before_modified(r);
        if (kind(r) == FOI_TOKEN_IDENT) {
            uint32_t name = add_reference(r, r->at++, before, owner);
            while (kind(r) == '.' && kind_at(r, r->at + 1) == FOI_TOKEN_IDENT) {
                name = add_reference(r, r->at + 1, name, FOI_NOWHERE);
                r->at += 2;
            }
            if (type != FOI_NOWHERE) name = type; // what it has is modified
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
    own->first = first, own->takes_over = extended;
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
    const char *name = foi_word_text(w, r->at + 1);
    uint32_t of = r->scope;
    while (of != FOI_NOWHERE && foi_word_text(w, w->declared[of].word) != name)
        of = w->declared[of].scope;
    uint32_t named =
        of == FOI_NOWHERE ? FOI_NOWHERE : add_reference(r, r->at + 1, FOI_NOWHERE, FOI_NOWHERE);
    if (named != FOI_NOWHERE)
        w->references[named].meaning = of, w->references[named].looked_up = true;
    r->at += 2;
    if (kind(r) == ';') r->at++;
    if (of == FOI_NOWHERE) return;
    while (r->pending_count) end_for(r); // those that were left open
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

static bool has_prefix(const reading *r, uint32_t from, uint32_t to, int one, int other)
{
    bool has = false;
    for (; from < to; from++) has |= kind_at(r, from) == one || kind_at(r, from) == other;
    return has;
}

static void add_import(reading *r, uint32_t word, uint32_t reference, bool alias)
{
    foi_words *w = r->w;
    foi_import *import = foi_arena_add(&w->arena, &w->imports, &w->import_count, sizeof *import);
    if (import) *import = (foi_import){r->scope, word, reference, alias};
}

// `import A.b;`, `import c = A.b;`, `import A.*;`, `import A.{b, c};`
static void read_import(reading *r)
{
    r->at++;
    uint32_t alias = kind_at(r, r->at + 1) == '=' ? r->at : FOI_NOWHERE;
    if (alias != FOI_NOWHERE) r->at += 2;
    uint32_t around = r->scope;
    r->scope = FOI_NOWHERE; // what is imported has its whole name
    uint32_t what = read_name(r);
    r->scope = around;
    if (what != FOI_NOWHERE && kind(r) == '.' && kind_at(r, r->at + 1) == '{') {
        for (r->at += 2; kind(r) == FOI_TOKEN_IDENT; r->at += kind(r) == ',') {
            add_import(r, r->at, add_reference(r, r->at, what, FOI_NOWHERE), false);
            r->at++;
        }
    } else if (what != FOI_NOWHERE) {
        bool all = kind(r) == '.' || kind(r) == FOI_TOKEN_DOT_MULTIPLY;
        add_import(r,
                   all                    ? FOI_NOWHERE
                   : alias != FOI_NOWHERE ? alias
                                          : r->w->references[what].word,
                   what, alias != FOI_NOWHERE);
    }
    skip_statement(r);
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
        uint32_t d = r->w->declared_count;
        read_class(r, first);
        if (d < r->w->declared_count) {
            r->w->declared[d].shared = has_prefix(r, first, look, FOI_WORD_INNER, FOI_WORD_OUTER);
            r->w->declared[d].encapsulated =
                has_prefix(r, first, look, FOI_WORD_ENCAPSULATED, FOI_WORD_ENCAPSULATED);
        }
        *equations = false;
        return;
    }
    if (kind(r) == FOI_WORD_EXTENDS) {
        read_extends(r);
        return;
    }
    if (kind(r) == FOI_WORD_IMPORT) {
        read_import(r);
        return;
    }
    if (*equations || kind_at(r, look) != FOI_TOKEN_IDENT || r->scope == FOI_NOWHERE) {
        skip_statement(r);
        return;
    }
    const char *as = look > r->at ? foi_token_words(kind(r)) : "";
    uint32_t declared = r->w->declared_count;
    r->at = look;
    uint32_t type = read_name(r);
    if (kind(r) == '[') read_inside(r, ']');
    read_components(r, type, as, first);
    if (has_prefix(r, first, look, FOI_WORD_INNER, FOI_WORD_OUTER))
        for (; declared < r->w->declared_count; declared++) r->w->declared[declared].shared = true;
    skip_statement(r);
}

// ---------------------------------------------------------------------------------- finding again

static bool fill_table(foi_words *w)
{
    w->table_size = 64;
    while (w->table_size < w->declared_count) w->table_size *= 2;
    w->table = foi_arena_new(&w->arena, w->table_size, sizeof *w->table);
    w->declared_of = foi_arena_new(&w->arena, w->count, sizeof *w->declared_of);
    w->reference_of = foi_arena_new(&w->arena, w->count, sizeof *w->reference_of);
    if (!w->table || !w->declared_of || !w->reference_of) return false;
    memset(w->table, 0xff, w->table_size * sizeof *w->table);
    memset(w->declared_of, 0xff, w->count * sizeof *w->declared_of);
    memset(w->reference_of, 0xff, w->count * sizeof *w->reference_of);
    for (uint32_t i = w->declared_count; i-- > 0;) { // the first of a name is found first
        foi_declared *d = &w->declared[i];
        uint32_t *at = &w->table[foi_words_slot(w, d->scope, foi_word_text(w, d->word))];
        d->same = *at, *at = i;
        w->declared_of[d->word] = i;
    }
    for (uint32_t i = w->reference_count; i-- > 0;) w->reference_of[w->references[i].word] = i;
    return true;
}

// Members of a class, one after the other.
static void link_members(foi_words *w)
{
    uint32_t last = FOI_NOWHERE;
    w->first = FOI_NOWHERE;
    for (uint32_t i = 0; i < w->declared_count; i++)
        w->declared[i].inner = w->declared[i].last = w->declared[i].next = FOI_NOWHERE;
    for (uint32_t i = 0; i < w->declared_count; i++) {
        uint32_t scope = w->declared[i].scope;
        if (scope == FOI_IN_LOOP) continue;
        uint32_t *head = scope == FOI_NOWHERE ? &w->first : &w->declared[scope].inner;
        uint32_t *tail = scope == FOI_NOWHERE ? &last : &w->declared[scope].last;
        if (*tail == FOI_NOWHERE)
            *head = i;
        else
            w->declared[*tail].next = i;
        *tail = i;
    }
}

static int compare_loops(const void *a, const void *b)
{
    const foi_for *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to > y->to ? -1 : 1;
    return x->declaration < y->declaration ? -1 : x->declaration > y->declaration;
}

// Outer loops first, and each knows the one around it.
static void nest_loops(foi_words *w)
{
    for (uint32_t i = 0; i < w->loop_count; i++)
        if (w->loops[i].to == FOI_NOWHERE) w->loops[i].to = w->count;
    if (w->loop_count) qsort(w->loops, w->loop_count, sizeof *w->loops, compare_loops);
    for (uint32_t i = 0, around = FOI_NOWHERE; i < w->loop_count; around = i++) {
        while (around != FOI_NOWHERE && w->loops[around].to <= w->loops[i].from)
            around = w->loops[around].around;
        w->loops[i].around = around;
    }
}

// The byte from which places are counted: the first of a character.
static size_t mark_at(const foi_words *w, size_t mark)
{
    size_t at = mark * MARKS;
    while (at < w->length && ((unsigned char)w->text[at] & 0xc0) == 0x80) at++;
    return at;
}

static bool set_marks(foi_words *w)
{
    size_t count = w->length / MARKS + 1;
    w->marks = foi_arena_new(&w->arena, count, sizeof *w->marks);
    for (size_t i = 1; w->marks && i < count; i++)
        w->marks[i] = foi_position_after(w->text, w->length, mark_at(w, i - 1), w->marks[i - 1],
                                         mark_at(w, i));
    return w->marks != NULL;
}

foi_position foi_words_place(const foi_words *w, size_t offset)
{
    size_t mark = (offset < w->length ? offset : w->length) / MARKS;
    return foi_position_after(w->text, w->length, mark_at(w, mark), w->marks[mark], offset);
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
    reading r = {.w = w,
                 .scope = FOI_NOWHERE,
                 .open = FOI_NOWHERE,
                 .called = FOI_NOWHERE,
                 .behind = FOI_NOWHERE};
    bool equations = false;
    while (r.at < w->count && !w->arena.failed) {
        uint32_t before = r.at;
        read_statement(&r, &equations);
        if (r.at == before) r.at++;
    }
    for (uint32_t i = 0; i < w->declared_count; i++)
        if (w->declared[i].end == FOI_NOWHERE) w->declared[i].end = w->count;
    link_members(w);
    nest_loops(w);
    return fill_table(w) && set_marks(w) && !w->arena.failed;
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
