/// What all of the parser uses: the next word, messages, recovery.
#include "language/parser.h"

#include <string.h>

void foi_parser_begin(foi_parser *p, foi_arena *arena, foi_names *names, foi_messages *messages,
                      uint32_t file, const char *name, const char *text, size_t length)
{
    *p = (foi_parser){.arena = arena, .names = names, .messages = messages};
    p->file = name, p->source = text;
    foi_lexer_begin(&p->lexer, arena, names, file, text, length);
    foi_parse_advance(p);
    foi_parse_advance(p);
}

// Behind a wrong token the grammar is silent up to the next ';': that was the cause.
void foi_parse_error(foi_parser *p, foi_place place, const char *format, ...)
{
    va_list arguments;
    if (p->wrong) return;
    va_start(arguments, format);
    foi_messages_add(p->messages, FOI_ERROR, p->file, place, p->source, NULL, format, arguments);
    va_end(arguments);
}

// Wrong tokens are reported as they are met, a row of them once, and never reach the grammar.
static foi_token right_token(foi_parser *p)
{
    const char *behind = NULL;
    foi_token token = foi_lexer_next(&p->lexer);
    for (; token.kind == FOI_TOKEN_WRONG; token = foi_lexer_next(&p->lexer)) {
        p->wrong = NULL;
        if (token.start != behind) foi_parse_error(p, token.place, "%s", token.text);
        p->wrong = token.start, behind = token.start + token.length;
    }
    return token;
}

void foi_parse_advance(foi_parser *p)
{
    p->after = p->token.place;
    p->after.column += (uint32_t)p->token.length;
    if (p->token.kind == ';' && p->wrong && p->token.start > p->wrong) p->wrong = NULL;
    p->token = p->ahead;
    p->ahead = right_token(p);
}

bool foi_parse_take(foi_parser *p, int kind)
{
    if (p->token.kind != kind) return false;
    foi_parse_advance(p);
    return true;
}

// What stands here, in words: "'end'", "a string", "the end of the file".
static void describe(const foi_parser *p, char *text, size_t size)
{
    const foi_token *t = &p->token;
    int shown = t->length < 40 ? (int)t->length : 40;
    if (t->kind == FOI_TOKEN_END)
        snprintf(text, size, "the end of the file");
    else if (t->kind == FOI_TOKEN_STRING)
        snprintf(text, size, "a string");
    else if (t->kind == FOI_WORD_END && p->ahead.kind == FOI_TOKEN_IDENT)
        snprintf(text, size, "'end %.40s'", p->ahead.text);
    else if (t->kind == FOI_TOKEN_IDENT && *t->text == '\'')
        snprintf(text, size, "%.*s", shown, t->start);
    else
        snprintf(text, size, "'%.*s'", shown, t->start);
}

void foi_parse_expected(foi_parser *p, const char *what)
{
    char found[64];
    describe(p, found, sizeof found);
    foi_parse_error(p, p->token.place, "expected %s, found %s", what, found);
}

bool foi_parse_need(foi_parser *p, int kind, const char *where)
{
    if (foi_parse_take(p, kind)) return true;
    char found[64];
    describe(p, found, sizeof found);
    bool word = kind >= FOI_WORD_FIRST;
    foi_parse_error(p, kind == ';' ? p->after : p->token.place, "expected %s%s%s %s, found %s",
                    word ? "'" : "", foi_token_words(kind), word ? "'" : "", where, found);
    return false;
}

const char *foi_parse_ident(foi_parser *p, const char *what)
{
    const char *name = p->token.text;
    if (foi_parse_take(p, FOI_TOKEN_IDENT)) return name;
    foi_parse_expected(p, what);
    return NULL;
}

bool foi_parse_enter(foi_parser *p)
{
    if (p->depth < FOI_DEEPEST_SYNTAX) return ++p->depth;
    foi_parse_error(p, p->token.place, "nested more than %d deep", FOI_DEEPEST_SYNTAX);
    return false;
}

bool foi_parse_at_section(const foi_parser *p)
{
    switch (p->token.kind) {
    case FOI_TOKEN_END:
    case FOI_WORD_EQUATION:
    case FOI_WORD_ALGORITHM:
    case FOI_WORD_PUBLIC:
    case FOI_WORD_PROTECTED:
    case FOI_WORD_EXTERNAL:
    case FOI_WORD_ANNOTATION: return true;
    case FOI_WORD_INITIAL:
        return p->ahead.kind == FOI_WORD_EQUATION || p->ahead.kind == FOI_WORD_ALGORITHM;
    case FOI_WORD_END: return p->ahead.kind == FOI_TOKEN_IDENT;
    default: return false;
    }
}

void foi_parse_recover(foi_parser *p)
{
    while (!foi_parse_at_section(p)) {
        bool last = p->token.kind == ';';
        foi_parse_advance(p);
        if (last) return;
    }
}

const char *foi_parse_description(foi_parser *p)
{
    if (p->token.kind != FOI_TOKEN_STRING) return NULL;
    const char *text = p->token.text;
    foi_parse_advance(p);
    while (p->token.kind == '+' && p->ahead.kind == FOI_TOKEN_STRING) {
        foi_parse_advance(p);
        const char *joined = foi_arena_print(p->arena, "%s%s", text, p->token.text);
        if (joined) text = joined;
        foi_parse_advance(p);
    }
    return text;
}
