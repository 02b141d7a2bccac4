/// Equations and statements.
#include <stdio.h>
#include <string.h>

#include "language/parser.h"

static foi_equation_ast *item(foi_parser *p, bool algorithm);

static bool ends_body(const foi_parser *p)
{
    int kind = p->token.kind;
    return kind == FOI_WORD_END || kind == FOI_WORD_ELSE || kind == FOI_WORD_ELSEIF ||
           kind == FOI_WORD_ELSEWHEN || foi_parse_at_section(p);
}

static const char *kind_of_item(bool algorithm)
{
    return algorithm ? "after the statement" : "after the equation";
}

static void items(foi_parser *p, bool algorithm, foi_equation_ast *const **list, uint32_t *count)
{
    foi_equation_ast **found = NULL;
    *count = 0;
    while (!ends_body(p)) {
        const char *before = p->token.start;
        foi_equation_ast *e = item(p, algorithm);
        const foi_modifier *annotation;
        bool right = e;
        if (right) foi_parse_description(p);
        right = right && foi_parse_annotation(p, &annotation);
        right = right && foi_parse_need(p, ';', kind_of_item(algorithm));
        foi_equation_ast **slot = NULL;
        if (right) slot = foi_arena_add(p->arena, &found, count, sizeof *slot);
        if (slot) *slot = e;
        if (!right) foi_parse_recover(p);
        if (p->token.start == before && !ends_body(p)) foi_parse_advance(p);
    }
    *list = found;
}

static foi_branch_ast *add_branch(foi_parser *p, foi_equation_ast *e, foi_branch_ast **list)
{
    foi_branch_ast *b = foi_arena_add(p->arena, list, &e->branch_count, sizeof *b);
    e->branches = *list;
    return b;
}

// `else_if` is the line of an 'else if', 0: none.
static foi_equation_ast *closed(foi_parser *p, foi_equation_ast *e, int word, uint32_t else_if)
{
    if (p->token.kind == FOI_WORD_END && p->ahead.kind == word) {
        foi_parse_advance(p);
        foi_parse_advance(p);
        return e;
    }
    char what[128];
    int n = snprintf(what, sizeof what, "'end %s'", foi_token_words(word));
    if (else_if && n > 0)
        snprintf(what + n, sizeof what - (size_t)n,
                 " ('else if' in line %u begins an 'if' with an end of its own: 'elseif'?)",
                 else_if);
    foi_parse_expected(p, what);
    return NULL;
}

// 'then' or 'loop'. Where it is missing, or another word stands there, the body follows all the
// same, so that what ends it is no surprise.
static void need_word(foi_parser *p, int word, const char *where)
{
    if (foi_parse_need(p, word, where)) return;
    bool other = p->token.kind == FOI_WORD_THEN || p->token.kind == FOI_WORD_LOOP ||
                 (p->token.kind == FOI_TOKEN_IDENT && p->ahead.kind == FOI_TOKEN_IDENT);
    if (other || p->token.kind == ':') foi_parse_advance(p);
}

// if or when: `word` begins, `again` goes on.
static foi_equation_ast *branching(foi_parser *p, foi_equation_ast *e, bool algorithm, int word,
                                   int again)
{
    foi_branch_ast *list = NULL;
    uint32_t else_if = 0;
    do {
        foi_branch_ast b = {.place = p->token.place};
        foi_parse_advance(p);
        b.condition = foi_parse_expression(p);
        if (!b.condition) return NULL;
        need_word(p, FOI_WORD_THEN, "after the condition");
        items(p, algorithm, &b.body, &b.count);
        foi_branch_ast *slot = add_branch(p, e, &list);
        if (!slot) return NULL;
        *slot = b;
    } while (p->token.kind == again);
    if (word == FOI_WORD_IF && p->token.kind == FOI_WORD_ELSE) {
        foi_branch_ast *slot = add_branch(p, e, &list), b = {.place = p->token.place};
        if (!slot) return NULL;
        foi_parse_advance(p);
        if (p->token.kind == FOI_WORD_IF) else_if = p->token.place.line;
        items(p, algorithm, &b.body, &b.count);
        *slot = b;
    }
    return closed(p, e, word, else_if);
}

static foi_equation_ast *loop(foi_parser *p, foi_equation_ast *e, bool algorithm, int word)
{
    foi_branch_ast *b = foi_arena_new(p->arena, 1, sizeof *b);
    foi_parse_advance(p);
    if (!b) return NULL;
    b->place = e->place;
    if (word == FOI_WORD_FOR) {
        if (!foi_parse_iterators(p, &e->iterators, &e->iterator_count)) return NULL;
    } else if (!(b->condition = foi_parse_expression(p))) {
        return NULL;
    }
    need_word(p, FOI_WORD_LOOP, word == FOI_WORD_FOR ? "after the range" : "after the condition");
    items(p, algorithm, &b->body, &b->count);
    e->branches = b, e->branch_count = 1;
    if (!foi_parse_ranges(p, e->iterators, e->iterator_count, NULL, b)) return NULL;
    return closed(p, e, word, 0);
}

static foi_equation_ast *connection(foi_parser *p, foi_equation_ast *e)
{
    foi_parse_advance(p);
    if (!foi_parse_need(p, '(', "after 'connect'")) return NULL;
    if (!(e->left = foi_parse_expression(p))) return NULL;
    if (!foi_parse_need(p, ',', "between the two connectors")) return NULL;
    if (!(e->right = foi_parse_expression(p))) return NULL;
    if (!foi_parse_need(p, ')', "after the second connector")) return NULL;
    if (e->left->kind == FOI_AST_REF && e->right->kind == FOI_AST_REF) return e;
    foi_parse_error(p, e->place, "connect needs two connectors, not expressions");
    return NULL;
}

static foi_equation_ast *plain(foi_parser *p, foi_equation_ast *e, bool algorithm)
{
    e->left = foi_parse_expression(p);
    if (!e->left) return NULL;
    if (p->token.kind == FOI_TOKEN_ASSIGN || p->token.kind == '=') {
        bool assign = p->token.kind == FOI_TOKEN_ASSIGN;
        if (assign != algorithm) {
            foi_parse_error(p, p->token.place,
                            algorithm ? "an algorithm assigns with ':=', not with '='"
                                      : "an equation has '=', not ':='; only algorithms assign");
            return NULL;
        }
        e->place = e->left->kind == FOI_AST_BINARY ? e->place : e->left->place;
        foi_parse_advance(p);
        e->right = foi_parse_expression(p);
        return e->right ? e : NULL;
    }
    e->kind = FOI_EQ_CALL;
    if (e->left->kind == FOI_AST_CALL) return e;
    if (e->left->kind == FOI_AST_BINARY && e->left->op == FOI_OP_EQUAL) {
        foi_parse_error(p, e->left->place,
                        algorithm ? "an algorithm assigns with ':=', and '==' compares"
                                  : "an equation has '=', and '==' compares");
        return NULL;
    }
    foi_parse_expected(p,
                       algorithm ? "':=' and a value" : "'=' and the other side of the equation");
    return NULL;
}

static foi_equation_ast *item_inside(foi_parser *p, bool algorithm)
{
    foi_equation_ast *e = foi_arena_new(p->arena, 1, sizeof *e);
    if (!e) return NULL;
    e->place = p->token.place;
    int word = p->token.kind;
    switch (word) {
    case FOI_WORD_IF: e->kind = FOI_EQ_IF; return branching(p, e, algorithm, word, FOI_WORD_ELSEIF);
    case FOI_WORD_WHEN:
        e->kind = FOI_EQ_WHEN;
        return branching(p, e, algorithm, word, FOI_WORD_ELSEWHEN);
    case FOI_WORD_FOR: e->kind = FOI_EQ_FOR; return loop(p, e, algorithm, word);
    case FOI_WORD_WHILE:
        e->kind = FOI_EQ_WHILE;
        if (algorithm) return loop(p, e, algorithm, word);
        foi_parse_error(p, e->place, "'while' belongs to algorithms, not to equations");
        return NULL;
    case FOI_WORD_CONNECT:
        e->kind = FOI_EQ_CONNECT;
        if (!algorithm) return connection(p, e);
        foi_parse_error(p, e->place, "'connect' belongs to equations, not to algorithms");
        return NULL;
    case FOI_WORD_BREAK:
    case FOI_WORD_RETURN:
        if (!algorithm) break;
        e->kind = word == FOI_WORD_BREAK ? FOI_EQ_BREAK : FOI_EQ_RETURN;
        foi_parse_advance(p);
        return e;
    default: break;
    }
    return plain(p, e, algorithm);
}

static foi_equation_ast *item(foi_parser *p, bool algorithm)
{
    if (!foi_parse_enter(p)) return NULL;
    foi_equation_ast *e = item_inside(p, algorithm);
    p->depth--;
    return e;
}

void foi_parse_section(foi_parser *p, foi_section *section)
{
    section->place = p->token.place;
    items(p, section->algorithm, &section->items, &section->count);
    // a stray 'else' or the like: say it once and go on behind it
    while (p->token.kind == FOI_WORD_ELSE || p->token.kind == FOI_WORD_ELSEIF ||
           p->token.kind == FOI_WORD_ELSEWHEN) {
        foi_parse_error(p, p->token.place, "'%s' without its 'if' or 'when'",
                        foi_token_words(p->token.kind));
        foi_parse_advance(p);
        foi_parse_recover(p);
        foi_equation_ast *const *rest;
        uint32_t rest_count;
        items(p, section->algorithm, &rest, &rest_count);
    }
}
