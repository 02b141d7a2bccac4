// Indents a text: two spaces for every class and every branch inside. Only blanks at the beginning
// and the end of lines change; lines that begin inside a comment or a string stay as they are, and
// the further lines of a statement move with its first.
#include <string.h>

#include "base/memory.h"
#include "desk/desk.h"
#include "desk/words.h"

enum { INDENT = 2, MOST_INDENT = 80 };

/// The text being written anew.
typedef struct writing {
    const foi_words *w;
    foi_desk_request *q;
    uint32_t word; ///< the next one
    int depth;     ///< of classes and branches around
    bool begins;   ///< the next word begins a statement
    bool header;   ///< it is within the first line of a branch
    int choices;   ///< there: `if` and `elseif` of expressions whose `then` has not come
    int parentheses;
    int shift;     ///< by how much the first line of the statement was moved
    size_t looked; ///< bytes up to here were looked at for comments
    enum { NO_COMMENT, LINE_COMMENT, BLOCK_COMMENT } comment;
} writing;

static bool opens_class(int k)
{
    return k == FOI_WORD_MODEL || k == FOI_WORD_BLOCK || k == FOI_WORD_CLASS ||
           k == FOI_WORD_RECORD || k == FOI_WORD_CONNECTOR || k == FOI_WORD_PACKAGE ||
           k == FOI_WORD_FUNCTION || k == FOI_WORD_TYPE;
}

static bool is_section(int k)
{
    return k == FOI_WORD_EQUATION || k == FOI_WORD_ALGORITHM || k == FOI_WORD_PUBLIC ||
           k == FOI_WORD_PROTECTED;
}

static int kind_at(const writing *f, uint32_t word)
{
    return word < f->w->count ? f->w->list[word].kind : FOI_TOKEN_END;
}

// Whether the class that begins at a word has a body: `model A ... end A;`, not `type T = Real;`.
static bool has_body(const writing *f, uint32_t word)
{
    while (kind_at(f, word) != FOI_TOKEN_IDENT && kind_at(f, word) != FOI_TOKEN_END &&
           kind_at(f, word) != ';')
        word++;
    return kind_at(f, word) == FOI_TOKEN_IDENT && kind_at(f, word + 1) != '=';
}

// Whether a word of the language that begins a statement is a class, maybe behind prefixes.
static bool begins_class(const writing *f, uint32_t word)
{
    while (kind_at(f, word) >= FOI_WORD_FIRST && !opens_class(kind_at(f, word)) &&
           kind_at(f, word) != FOI_WORD_END && !is_section(kind_at(f, word)))
        word++;
    return opens_class(kind_at(f, word)) && has_body(f, word);
}

// How deep a line is that begins with the next word.
static int depth_of_line(const writing *f)
{
    int k = kind_at(f, f->word), depth = f->depth;
    bool initial = k == FOI_WORD_INITIAL && is_section(kind_at(f, f->word + 1));
    if (k == FOI_WORD_END) depth--;
    if (is_section(k) || initial) depth--;
    if (k == FOI_WORD_ELSE || k == FOI_WORD_ELSEIF || k == FOI_WORD_ELSEWHEN) depth--;
    return depth > 0 ? depth : 0;
}

// Takes the next word into account.
static void pass_word(writing *f)
{
    int k = kind_at(f, f->word), next = kind_at(f, f->word + 1);
    bool branch =
        k == FOI_WORD_IF || k == FOI_WORD_FOR || k == FOI_WORD_WHEN || k == FOI_WORD_WHILE;
    bool began = f->begins && !f->parentheses;
    if (k == '(' || k == '[' || k == '{') f->parentheses++;
    if ((k == ')' || k == ']' || k == '}') && f->parentheses) f->parentheses--;
    f->begins = false;
    if (began && k == FOI_WORD_END) {
        if (f->depth) f->depth--;
    } else if (began && branch) {
        f->depth++;
        f->header = true, f->choices = 0;
    } else if (began && begins_class(f, f->word)) {
        f->depth++;
    }
    // where a statement ends the next begins
    bool inside = f->header && !began; // when (if a then b else c) then
    if (inside && (k == FOI_WORD_IF || k == FOI_WORD_ELSEIF)) f->choices++;
    bool of_choice = inside && k == FOI_WORD_THEN && f->choices;
    if (of_choice) f->choices--;
    bool of_branch = f->header && !of_choice && (k == FOI_WORD_THEN || k == FOI_WORD_LOOP);
    if (k == ';' || of_branch) f->begins = true, f->header = false, f->parentheses = 0;
    if (began && k == FOI_WORD_ELSE) f->begins = true;
    if (began && (k == FOI_WORD_ELSEIF || k == FOI_WORD_ELSEWHEN)) f->header = true, f->choices = 0;
    if (began && (is_section(k) || (k == FOI_WORD_INITIAL && is_section(next)))) f->begins = true;
    // behind the name and the comment of a class
    if (k == FOI_TOKEN_IDENT || k == FOI_TOKEN_STRING) {
        uint32_t name = f->word;
        while (kind_at(f, name) == FOI_TOKEN_STRING && name) name--;
        bool class_name = name && kind_at(f, name) == FOI_TOKEN_IDENT &&
                          opens_class(kind_at(f, name - 1)) && next != '=' &&
                          next != FOI_TOKEN_STRING && kind_at(f, name + 1) != '=';
        if (class_name && !f->parentheses) f->begins = true;
    }
    f->word++;
}

static void put(foi_json_writer *w, size_t from, size_t to, const writing *f, const char *text)
{
    foi_json_open(w, NULL, '{', true);
    foi_position_put(w, "from", foi_words_place(f->w, from));
    foi_position_put(w, "to", foi_words_place(f->w, to));
    foi_json_put_text(w, "text", text);
    foi_json_close(w, '}');
}

// Whether a byte between words is inside of a comment that began before it. Bytes are asked for in
// their order, and each is looked at once.
static bool in_comment(writing *f, size_t at)
{
    size_t behind = f->word ? foi_word_to(f->w, f->word - 1) : 0;
    const char *text = f->w->text;
    if (behind > f->looked) f->looked = behind, f->comment = NO_COMMENT;
    for (; f->looked < at; f->looked++) {
        char c = text[f->looked], next = text[f->looked + 1]; // a zero stands behind the text
        if (f->comment == LINE_COMMENT) {
            if (c == '\n' || c == '\r') f->comment = NO_COMMENT;
        } else if (f->comment == BLOCK_COMMENT) {
            if (c == '*' && next == '/') f->comment = NO_COMMENT, f->looked++;
        } else if (c == '/' && (next == '/' || next == '*')) {
            f->comment = next == '/' ? LINE_COMMENT : BLOCK_COMMENT, f->looked++;
        }
    }
    return f->comment == BLOCK_COMMENT;
}

// One line of the text: [from, to) without its break. What is behind it is edited first: then the
// places are right for who makes one edit after the other, too.
static void format_line(writing *f, size_t from, size_t to)
{
    const char *text = f->w->text;
    size_t first = from, last = to;
    while (first < to && (text[first] == ' ' || text[first] == '\t')) first++;
    while (last > first &&
           (text[last - 1] == ' ' || text[last - 1] == '\t' || text[last - 1] == '\r'))
        last--;
    bool inside = (f->word && foi_word_to(f->w, f->word - 1) > from) || in_comment(f, from);
    bool empty = first == last, same = true;
    // without its blanks it would be gone: what is around it would be one break
    bool holds = empty && from && text[from - 1] == '\r' && text[to] == '\n';
    char blanks[MOST_INDENT + 1];
    if (!inside && !holds) {
        int had = (int)(first - from), wanted = had + f->shift;
        bool fresh = f->begins || f->word == 0;
        if (fresh) wanted = INDENT * depth_of_line(f), f->shift = wanted - had;
        if (wanted < 0) wanted = 0;
        if (wanted > MOST_INDENT) wanted = MOST_INDENT;
        if (empty) wanted = 0;
        memset(blanks, ' ', (size_t)wanted);
        blanks[wanted] = 0;
        same = (size_t)wanted == first - from && memchr(text + from, '\t', first - from) == NULL;
    }
    while (f->word < f->w->count && foi_word_from(f->w, f->word) < to) pass_word(f);
    bool open = (f->word && foi_word_to(f->w, f->word - 1) > to) || in_comment(f, to);
    if (!open && !empty && last < to) put(&f->q->answer, last, to, f, "");
    if (!same) put(&f->q->answer, from, first, f, blanks);
}

void foi_desk_format(foi_desk_request *q)
{
    foi_desk_document *d = foi_desk_find_document(q);
    foi_words words;
    if (!d) return;
    if (!d->text || (d->kind && strcmp(d->kind, "text") != 0)) {
        foi_desk_refuse(q, "unfit", "only Modelica texts (*.mo) can be formatted");
        return;
    }
    bool may = foi_desk_anywhere(q->desk, true);
    bool read = foi_words_begin(&words, d->text, d->length, q->desk->allocator);
    if (read) {
        writing f = {.w = &words, .q = q, .begins = true};
        foi_json_open(&q->answer, "edits", '[', true);
        for (size_t from = 0; from < d->length;) {
            const char *end = d->text + d->length;
            size_t to = from;
            while (to < d->length && !foi_ends_line(d->text + to, end)) to++;
            size_t next = to + 1;
            if (to < d->length && to > from && d->text[to] == '\n' && d->text[to - 1] == '\r')
                to--; // of the break
            format_line(&f, from, to);
            from = next;
        }
        foi_json_close(&q->answer, ']');
    }
    foi_words_end(&words);
    foi_desk_anywhere(q->desk, may);
    if (!read) foi_desk_fail(q, FO_ERROR_MEMORY);
}
