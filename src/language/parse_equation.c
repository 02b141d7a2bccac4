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

// 'end if' and the like, which no expression has.
static bool at_end_of_block(const foi_parser *p)
{
    int ahead = p->ahead.kind;
    return p->token.kind == FOI_WORD_END && (ahead == FOI_WORD_IF || ahead == FOI_WORD_FOR ||
                                             ahead == FOI_WORD_WHEN || ahead == FOI_WORD_WHILE);
}

// Behind the equation or statement that is wrong, and not out of the block that it is in.
static void recover(foi_parser *p)
{
    while (!foi_parse_at_section(p) && !at_end_of_block(p)) {
        bool last = p->token.kind == ';';
        foi_parse_advance(p);
        if (last) return;
    }
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
        if (!right) recover(p);
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

// 'then' or 'loop'. Where it is missing, or what stands before it is wrong, the body follows all
// the same, so that what ends it is no surprise.
static void need_word(foi_parser *p, int word, bool right, const char *where)
{
    if (right && foi_parse_need(p, word, where)) return;
    bool other = p->token.kind == FOI_WORD_THEN || p->token.kind == FOI_WORD_LOOP ||
                 (p->token.kind == FOI_TOKEN_IDENT && p->ahead.kind == FOI_TOKEN_IDENT);
    foi_parser further = *p;
    while (further.token.kind != word && further.token.kind != ';' && !ends_body(&further))
        foi_parse_advance(&further);
    bool found = foi_parse_take(&further, word);
    if (found || !right) *p = further;
    if (!found && right && (other || p->token.kind == ':')) foi_parse_advance(p);
    if (!found && !right) foi_parse_take(p, ';');
}

// if or when: `word` begins, `again` goes on.
static foi_equation_ast *branching(foi_parser *p, foi_equation_ast *e, bool algorithm, int word,
                                   int again)
{
    foi_branch_ast *list = NULL;
    uint32_t else_if = 0;
    bool right = true;
    do {
        foi_branch_ast b = {.place = p->token.place};
        foi_parse_advance(p);
        b.condition = foi_parse_expression(p);
        right &= b.condition != NULL;
        need_word(p, FOI_WORD_THEN, b.condition != NULL, "after the condition");
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
    e = closed(p, e, word, else_if);
    return right ? e : NULL;
}

static foi_equation_ast *loop(foi_parser *p, foi_equation_ast *e, bool algorithm, int word)
{
    foi_branch_ast *b = foi_arena_new(p->arena, 1, sizeof *b);
    foi_parse_advance(p);
    if (!b) return NULL;
    b->place = e->place;
    bool right = word != FOI_WORD_FOR ? (b->condition = foi_parse_expression(p)) != NULL
                                      : foi_parse_iterators(p, &e->iterators, &e->iterator_count);
    need_word(p, FOI_WORD_LOOP, right,
              word == FOI_WORD_FOR ? "after the range" : "after the condition");
    items(p, algorithm, &b->body, &b->count);
    e->branches = b, e->branch_count = 1;
    e = closed(p, e, word, 0);
    if (!right || !e) return NULL;
    return foi_parse_ranges(p, e->iterators, e->iterator_count, NULL, b) ? e : NULL;
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

static bool at_stray_word(const foi_parser *p)
{
    int kind = p->token.kind;
    return at_end_of_block(p) || kind == FOI_WORD_ELSE || kind == FOI_WORD_ELSEIF ||
           kind == FOI_WORD_ELSEWHEN;
}

void foi_parse_section(foi_parser *p, foi_section *section)
{
    size_t errors = p->messages->errors;
    section->place = p->token.place;
    items(p, section->algorithm, &section->items, &section->count);
    // a stray 'else' or 'end if': said once, where nothing before has caused it; then behind it
    while (at_stray_word(p)) {
        bool end = p->token.kind == FOI_WORD_END;
        if (p->messages->errors == errors && end)
            foi_parse_error(p, p->token.place, "'end %s' without its beginning",
                            foi_token_words(p->ahead.kind));
        else if (p->messages->errors == errors)
            foi_parse_error(p, p->token.place, "'%s' without its 'if' or 'when'",
                            foi_token_words(p->token.kind));
        foi_parse_advance(p);
        if (end) foi_parse_advance(p);
        recover(p);
        foi_equation_ast *const *rest;
        uint32_t rest_count;
        items(p, section->algorithm, &rest, &rest_count);
    }
}
