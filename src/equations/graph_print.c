/// Expressions as text, with as few parentheses as needed. Printing goes down the tree, so that
/// shared parts are printed as often as they occur; `size` bounds the work.
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "equations/graph.h"
#include "equations/outside.h"

enum { DEEPEST = 64 };

typedef struct print {
    const foi_graph *g;
    foi_leaf_name *name;
    void *self;
    char *text;
    size_t size, length;
} print;

static void put(print *p, const char *text)
{
    size_t n = strlen(text);
    if (p->length + n >= p->size) n = p->size > p->length ? p->size - p->length - 1 : 0;
    memcpy(p->text + p->length, text, n);
    p->length += n;
    p->text[p->length] = 0;
}

static const char *modelica(foi_op op)
{
    switch (op) {
    case FOI_G_POWER: return "a ^ b";
    case FOI_G_ABS: return "abs(a)";
    case FOI_G_MIN: return "min(a, b)";
    case FOI_G_MAX: return "max(a, b)";
    case FOI_G_MOD: return "mod(a, b)";
    case FOI_G_REM: return "rem(a, b)";
    case FOI_G_QUOTIENT: return "div(a, b)";
    case FOI_G_NOT: return "not a";
    case FOI_G_AND: return "a and b";
    case FOI_G_OR: return "a or b";
    case FOI_G_NOT_EQUAL: return "a <> b";
    case FOI_G_ALONG:
    case FOI_G_AMONG: return "table(a)";
    case FOI_G_IF: return "if a then b else c";
    default: return foi_op_text(op);
    }
}

// How tightly an operation binds; functions and leaves bind tightest.
static int binding(foi_op op)
{
    switch (op) {
    case FOI_G_IF: return 0;
    case FOI_G_OR: return 1;
    case FOI_G_AND: return 2;
    case FOI_G_NOT: return 3;
    case FOI_G_LESS:
    case FOI_G_LESS_EQUAL:
    case FOI_G_GREATER:
    case FOI_G_GREATER_EQUAL:
    case FOI_G_EQUAL:
    case FOI_G_NOT_EQUAL: return 4;
    case FOI_G_ADD:
    case FOI_G_SUBTRACT:
    case FOI_G_NEGATE: return 5;
    case FOI_G_MULTIPLY:
    case FOI_G_DIVIDE: return 6;
    case FOI_G_POWER: return 7;
    default: return 9;
    }
}

// a - (b - c) and a / (b / c) need theirs, a + (b + c) is printed with them to show the order.
static int least_binding(foi_op op, int argument)
{
    int own = binding(op);
    if (own == 9) return 0;
    if (op == FOI_G_POWER || own == 4) return own + 1;
    if (op == FOI_G_NEGATE) return 6;
    return argument == 1 && own >= 5 ? own + 1 : own;
}

static void print_number(print *p, foi_node n, int least)
{
    char text[40];
    double value = foi_constant_value(p->g, n);
    foi_number_text(value, text);
    if (value < 0 && least > 5) put(p, "(");
    put(p, text);
    if (value < 0 && least > 5) put(p, ")");
}

static void print_node(print *p, foi_node at, int least, int depth);

// What was passed to external code, after the first, which says where it is called.
static void print_passed(print *p, foi_node list, int depth)
{
    const foi_graph_node *n = &p->g->nodes[list];
    if (n->op != FOI_G_OUTSIDE || p->g->nodes[n->a].op != FOI_G_OUTSIDE) return;
    if (depth > DEEPEST) {
        put(p, "..., ");
        return;
    }
    print_passed(p, n->a, depth + 1);
    if (p->g->nodes[p->g->nodes[n->a].a].op == FOI_G_OUTSIDE) put(p, ", ");
    print_node(p, n->b, 0, depth + 1);
}

// A result, a call, or a list of arguments.
static void print_outside(print *p, const foi_graph_node *n, int depth)
{
    const foi_graph_node *call =
        foi_constant_value(p->g, n->c) >= FOI_OUTSIDE_RESULT ? &p->g->nodes[n->a] : n;
    put(p, "external(");
    print_passed(p, call->a, depth);
    put(p, ")");
}

static void print_node(print *p, foi_node at, int least, int depth)
{
    while (p->g->nodes[at].op == FOI_G_CALLED) at = p->g->nodes[at].a;
    if (foi_is_held_rest(p->g, at)) at = p->g->nodes[at].b;
    const foi_graph_node *n = &p->g->nodes[at];
    if (p->length + 1 >= p->size) return;
    if (depth > DEEPEST) {
        put(p, "...");
        return;
    }
    if (n->op == FOI_G_CONSTANT) {
        print_number(p, at, least);
        return;
    }
    if (n->op == FOI_G_LEAF) {
        put(p, p->name(p->self, p->g, at));
        return;
    }
    foi_op op = n->op;
    if (op == FOI_G_OUTSIDE) {
        print_outside(p, n, depth);
        return;
    }
    bool parentheses = binding(op) < least;
    if (parentheses) put(p, "(");
    const char *t = modelica(op);
    for (; *t; t++) {
        char one[2] = {*t, 0};
        bool alone = (t[1] == 0 || !((t[1] >= 'a' && t[1] <= 'z') || (t[1] >= '0' && t[1] <= '9') ||
                                     t[1] == '(')) &&
                     (t == modelica(op) || !(t[-1] >= 'a' && t[-1] <= 'z'));
        int argument = *t - 'a';
        if (alone && argument >= 0 && argument < (int)foi_op_arity(op)) {
            foi_node next = argument == 0 ? n->a : argument == 1 ? n->b : n->c;
            print_node(p, next, least_binding(op, argument), depth + 1);
        } else {
            put(p, one);
        }
    }
    if (parentheses) put(p, ")");
}

const char *foi_graph_print(const foi_graph *g, foi_node root, foi_leaf_name *name, void *self,
                            char *text, size_t size)
{
    print p = {g, name, self, text, size, 0};
    text[0] = 0;
    print_node(&p, root, 0, 0);
    if (p.length + 1 >= size && size > 4) memcpy(text + size - 4, "...", 4);
    return text;
}
