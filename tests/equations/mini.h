/// Flat models from a few lines of text, for tests of what comes after the language.
///
///     param g 9.81             real h 1 fixed         disc n 0       bool b 0      input u 0
///     eq der(h) = v            init x = 3             assert x > 0 "message"
///     when h <= 0              set n = pre(n) + 1     reinit v = -v  elsewhen c    stop "text"
///     end
///
/// Line numbers are those of the text. A mistake in it ends the program.
#ifndef FOLIOT_TEST_MINI_H
#define FOLIOT_TEST_MINI_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/flat.h"

typedef struct mini {
    foi_flat *flat;
    const char *at;
    uint32_t line;
    foi_flat_branch *branches;
    uint32_t branch_count;
} mini;

static void mini_wrong(const mini *m, const char *what)
{
    fprintf(stderr, "test model, line %u: %s at '%.20s'\n", m->line, what, m->at);
    exit(2);
}

static void mini_space(mini *m)
{
    while (*m->at == ' ') m->at++;
}

static bool mini_take(mini *m, const char *text)
{
    mini_space(m);
    size_t n = strlen(text);
    bool word = isalpha((unsigned char)text[0]) != 0;
    if (strncmp(m->at, text, n) != 0) return false;
    if (word && (isalnum((unsigned char)m->at[n]) || m->at[n] == '_')) return false;
    m->at += n;
    return true;
}

static const char *mini_name(mini *m)
{
    mini_space(m);
    size_t n = 0;
    while (isalnum((unsigned char)m->at[n]) || m->at[n] == '_' || m->at[n] == '.') n++;
    if (!n) mini_wrong(m, "a name is expected");
    m->at += n;
    return foi_arena_text(&m->flat->arena, m->at - n, n);
}

static foi_flat_variable *mini_find(const foi_flat *flat, const char *name)
{
    for (uint32_t i = 0; i < flat->variable_count; i++)
        if (!strcmp(flat->variables[i]->name, name)) return flat->variables[i];
    return NULL;
}

static const foi_flat_expr *mini_expr(mini *m, int least);

static const foi_flat_expr *mini_primary(mini *m)
{
    foi_flat *f = m->flat;
    mini_space(m);
    if (isdigit((unsigned char)*m->at)) {
        char *end;
        double value = strtod(m->at, &end);
        m->at = end;
        return foi_flat_real(f, value);
    }
    if (mini_take(m, "(")) {
        const foi_flat_expr *e = mini_expr(m, 0);
        if (!mini_take(m, ")")) mini_wrong(m, ") is expected");
        return e;
    }
    if (mini_take(m, "-")) return foi_flat_unary(f, FOI_OP_NEGATE, mini_expr(m, 6));
    if (mini_take(m, "not")) return foi_flat_unary(f, FOI_OP_NOT, mini_expr(m, 3));
    if (mini_take(m, "true")) return foi_flat_boolean(f, true);
    if (mini_take(m, "false")) return foi_flat_boolean(f, false);
    if (mini_take(m, "time")) return foi_flat_time(f);
    if (mini_take(m, "if")) {
        const foi_flat_expr *c = mini_expr(m, 0), *a, *b;
        if (!mini_take(m, "then")) mini_wrong(m, "then is expected");
        a = mini_expr(m, 0);
        if (!mini_take(m, "else")) mini_wrong(m, "else is expected");
        b = mini_expr(m, 0);
        return foi_flat_if(f, c, a, b);
    }
    const char *name = mini_name(m);
    if (!mini_take(m, "(")) {
        foi_flat_variable *v = mini_find(f, name);
        if (!v) mini_wrong(m, name);
        return foi_flat_of(f, v);
    }
    const foi_flat_expr *arguments[3];
    uint32_t count = 0;
    while (!mini_take(m, ")")) {
        arguments[count++] = mini_expr(m, 0);
        mini_take(m, ",");
    }
    for (int b = 0; b < FOI_FN_COUNT; b++) {
        if (strcmp(foi_flat_builtin_name((foi_flat_builtin)b), name) != 0) continue;
        if (b == FOI_FN_DER && arguments[0]->op == FOI_OP_VARIABLE)
            arguments[0]->variable->state = true;
        return foi_flat_call_builtin(f, (foi_flat_builtin)b, count, arguments);
    }
    mini_wrong(m, "an unknown function");
    return NULL;
}

static const foi_flat_expr *mini_expr(mini *m, int least)
{
    static const struct {
        const char *text;
        foi_flat_op op;
        int binding;
    } ops[] = {{"or", FOI_OP_OR, 1},         {"and", FOI_OP_AND, 2},
               {"<=", FOI_OP_LESS_EQUAL, 4}, {">=", FOI_OP_GREATER_EQUAL, 4},
               {"<>", FOI_OP_NOT_EQUAL, 4},  {"==", FOI_OP_EQUAL, 4},
               {"<", FOI_OP_LESS, 4},        {">", FOI_OP_GREATER, 4},
               {"+", FOI_OP_ADD, 5},         {"-", FOI_OP_SUBTRACT, 5},
               {"*", FOI_OP_MULTIPLY, 6},    {"/", FOI_OP_DIVIDE, 6},
               {"^", FOI_OP_POWER, 7}};
    const foi_flat_expr *left = mini_primary(m);
    for (;;) {
        size_t i = 0, n = sizeof ops / sizeof ops[0];
        for (; i < n; i++)
            if (ops[i].binding >= least && mini_take(m, ops[i].text)) break;
        if (i == n) return left;
        left = foi_flat_binary(m->flat, ops[i].op, left, mini_expr(m, ops[i].binding + 1));
    }
}

static foi_place mini_place(const mini *m)
{
    return (foi_place){0, m->line, 1};
}

static void mini_variable(mini *m, foi_variability variability, foi_flat_type type, bool input)
{
    foi_flat *f = m->flat;
    foi_flat_variable *v = foi_arena_new(&f->arena, 1, sizeof *v);
    foi_flat_variable **list = foi_arena_new(&f->arena, f->variable_count + 1u, sizeof *list);
    v->name = mini_name(m);
    v->index = f->variable_count, v->type = type, v->variability = variability;
    v->causality = input ? FOI_INPUT : FOI_INTERNAL;
    v->place = mini_place(m);
    mini_space(m);
    if (*m->at && *m->at != '\n' && !mini_take(m, "fixed")) {
        const foi_flat_expr *value = mini_expr(m, 0);
        if (variability == FOI_PARAMETER)
            v->binding = value;
        else
            v->start = value;
        v->fixed = mini_take(m, "fixed");
    }
    if (f->variable_count) memcpy(list, f->variables, f->variable_count * sizeof *list);
    list[f->variable_count++] = v;
    f->variables = list;
}

static void mini_equation(mini *m, foi_flat_equation **list, uint32_t *count)
{
    foi_flat_equation *grown = foi_arena_new(&m->flat->arena, *count + 1u, sizeof *grown);
    foi_flat_equation q = {.place = mini_place(m)};
    q.left = mini_expr(m, 0);
    if (!mini_take(m, "=")) mini_wrong(m, "= is expected");
    q.right = mini_expr(m, 0);
    if (*count) memcpy(grown, *list, *count * sizeof *grown);
    grown[(*count)++] = q;
    *list = grown;
}

static const foi_flat_expr **mini_one(mini *m, const foi_flat_expr *e)
{
    const foi_flat_expr **list = foi_arena_new(&m->flat->arena, 1, sizeof *list);
    list[0] = e;
    return list;
}

static void mini_branch(mini *m)
{
    foi_flat_branch *b = &m->branches[m->branch_count++];
    b->conditions = mini_one(m, mini_expr(m, 0));
    b->condition_count = 1, b->place = mini_place(m);
}

static const char *mini_quoted(mini *m)
{
    mini_space(m);
    const char *end = *m->at == '"' ? strchr(m->at + 1, '"') : NULL;
    if (!end) mini_wrong(m, "a text is expected");
    const char *text = foi_arena_text(&m->flat->arena, m->at + 1, (size_t)(end - m->at - 1));
    m->at = end + 1;
    return text;
}

static void mini_statement(mini *m, foi_flat_action action)
{
    foi_flat *f = m->flat;
    foi_flat_branch *b = &m->branches[m->branch_count - 1];
    foi_flat_statement *st = foi_arena_new(&f->arena, 1, sizeof *st);
    foi_flat_statement **list = foi_arena_new(&f->arena, b->body.count + 1u, sizeof *list);
    st->action = action, st->place = mini_place(m);
    if (action == FOI_DO_TERMINATE) {
        st->message = foi_flat_text(f, mini_quoted(m));
    } else {
        st->count = 1;
        st->targets = mini_one(m, mini_primary(m));
        if (!mini_take(m, "=")) mini_wrong(m, "= is expected");
        st->values = mini_one(m, mini_expr(m, 0));
    }
    if (b->body.count) memcpy(list, b->body.statements, b->body.count * sizeof *list);
    list[b->body.count++] = st;
    b->body.statements = list;
}

static void mini_end_when(mini *m, foi_place place)
{
    foi_flat *f = m->flat;
    foi_flat_when *list = foi_arena_new(&f->arena, f->when_count + 1u, sizeof *list);
    if (f->when_count) memcpy(list, f->whens, f->when_count * sizeof *list);
    list[f->when_count++] = (foi_flat_when){m->branches, m->branch_count, place};
    f->whens = list;
}

static void mini_assert(mini *m)
{
    foi_flat *f = m->flat;
    foi_flat_assert *list = foi_arena_new(&f->arena, f->assert_count + 1u, sizeof *list);
    if (f->assert_count) memcpy(list, f->asserts, f->assert_count * sizeof *list);
    foi_flat_assert a = {.condition = mini_expr(m, 0), .place = mini_place(m)};
    a.message = foi_flat_text(f, mini_quoted(m));
    list[f->assert_count++] = a;
    f->asserts = list;
}

static void mini_line(mini *m)
{
    foi_flat *f = m->flat;
    if (mini_take(m, "param"))
        mini_variable(m, FOI_PARAMETER, FOI_REAL, false);
    else if (mini_take(m, "real"))
        mini_variable(m, FOI_CONTINUOUS, FOI_REAL, false);
    else if (mini_take(m, "disc"))
        mini_variable(m, FOI_DISCRETE, FOI_REAL, false);
    else if (mini_take(m, "bool"))
        mini_variable(m, FOI_DISCRETE, FOI_BOOLEAN, false);
    else if (mini_take(m, "input"))
        mini_variable(m, FOI_CONTINUOUS, FOI_REAL, true);
    else if (mini_take(m, "eq"))
        mini_equation(m, &f->equations, &f->equation_count);
    else if (mini_take(m, "init"))
        mini_equation(m, &f->initial, &f->initial_count);
    else if (mini_take(m, "assert"))
        mini_assert(m);
    else if (mini_take(m, "when")) {
        m->branches = foi_arena_new(&f->arena, 4, sizeof *m->branches);
        m->branch_count = 0;
        mini_branch(m);
    } else if (mini_take(m, "elsewhen"))
        mini_branch(m);
    else if (mini_take(m, "set"))
        mini_statement(m, FOI_DO_ASSIGN);
    else if (mini_take(m, "reinit"))
        mini_statement(m, FOI_DO_REINIT);
    else if (mini_take(m, "stop"))
        mini_statement(m, FOI_DO_TERMINATE);
    else if (mini_take(m, "end"))
        mini_end_when(m, mini_place(m));
    mini_space(m);
    if (*m->at && *m->at != '\n') mini_wrong(m, "more than expected");
}

/// Destroy with foi_flat_destroy.
static foi_flat *mini_model(const char *text, const fo_allocator *allocator)
{
    mini m = {foi_flat_create(allocator), text, 1, NULL, 0};
    m.flat->name = "test";
    for (; *m.at; m.line++) {
        mini_line(&m);
        if (*m.at) m.at++;
    }
    return m.flat;
}

#endif
