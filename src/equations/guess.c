/// Where the loops of the start begin if they lead nowhere from the start values. A variable
/// without one begins at zero, and a rotation matrix of zeros turns nothing: its angles have start
/// values, and it follows from them. So the second time what has no start value begins where an
/// equation puts it, x = f(...), with f at the start values, or what follows from these in the same
/// way.
#include <string.h>

#include "base/array.h"
#include "equations/plan.h"

typedef enum progress { UNTOUCHED, OPEN, DONE } progress;

typedef struct work {
    foi_plan *p;
    foi_node *formula;  ///< per variable: f of an equation x = f(...), or FOI_NO_NODE
    foi_node *guess;    ///< per variable, where it is DONE
    progress *progress; ///< per variable
    uint32_t *stack;
    size_t depth;
} work;

// Takes one side of an equation as formula of the other, where that is a variable without a start.
static void take(work *w, foi_node side, foi_node other)
{
    foi_equations *e = w->p->e;
    foi_graph *g = &e->g;
    if (!foi_is_leaf(g, side, FOI_LEAF_VARIABLE)) return;
    const foi_variable *v = &e->variables[g->nodes[side].b];
    bool open =
        v->role == FOI_ROLE_CONTINUOUS && v->start == FOI_NO_NODE && (!v->state || v->dependent);
    if (open && w->formula[g->nodes[side].b] == FOI_NO_NODE) w->formula[g->nodes[side].b] = other;
}

static bool is_open(const work *w, foi_node leaf)
{
    const foi_graph *g = &w->p->e->g;
    return foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE) && w->progress[g->nodes[leaf].b] == UNTOUCHED &&
           w->p->e->variables[g->nodes[leaf].b].role > FOI_ROLE_INPUT;
}

// A variable that its own formula leads back to has its start value.
static foi_node with_guesses(void *self, foi_graph *g, foi_node leaf)
{
    const work *w = self;
    switch ((foi_leaf)g->nodes[leaf].a) {
    case FOI_LEAF_VARIABLE: break;
    case FOI_LEAF_PRE: return foi_plan_start_value(w->p, g->nodes[leaf].b);
    default: return leaf;
    }
    uint32_t v = g->nodes[leaf].b;
    if (w->p->e->variables[v].role <= FOI_ROLE_INPUT) return leaf;
    return w->progress[v] == DONE ? w->guess[v] : foi_plan_start_value(w->p, v);
}

static void push(work *w, uint32_t v)
{
    w->progress[v] = OPEN;
    w->stack[w->depth++] = v;
}

// What a formula needs goes first.
static bool resolve(work *w, uint32_t variable)
{
    foi_graph *g = &w->p->e->g;
    if (w->progress[variable] != UNTOUCHED) return true;
    push(w, variable);
    while (w->depth) {
        uint32_t v = w->stack[w->depth - 1];
        size_t before = w->depth;
        foi_node f = w->formula[v];
        if (f != FOI_NO_NODE && !foi_graph_reach(g, &f, 1)) return false;
        for (size_t i = 0; f != FOI_NO_NODE && i < g->list_count; i++)
            if (is_open(w, g->list[i])) push(w, g->nodes[g->list[i]].b);
        if (w->depth > before) continue;
        w->guess[v] = f == FOI_NO_NODE ? foi_plan_start_value(w->p, v)
                                       : foi_graph_replace(g, f, with_guesses, w);
        w->progress[v] = DONE, w->depth--;
    }
    return !g->failed;
}

static bool find_all(work *w, foi_view *view)
{
    foi_plan *p = w->p;
    foi_equations *e = p->e;
    bool good = true;
    for (size_t i = 0; i < e->equation_count; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->removed || q->assigns != FOI_NOTHING) continue;
        take(w, q->left, q->right);
        take(w, q->right, q->left);
    }
    for (uint32_t v = 0; v < e->variable_count && good; v++) {
        if (p->guess_of[v] == FOI_NOTHING) continue;
        good = resolve(w, v);
        p->second_guess[p->guess_of[v]] = w->guess[v];
    }
    good = good && foi_view_of_all(view, p->second_guess, p->guess_count) == FO_OK;
    for (uint32_t i = 0; i < p->guess_count && good; i++)
        p->has_second |= p->second_guess[i] != p->first_guess[i];
    return good && !e->g.failed;
}

fo_status foi_plan_second_guesses(foi_plan *p, foi_view *view)
{
    const fo_allocator *a = p->e->allocator;
    size_t n = p->e->variable_count;
    work w = {.p = p};
    p->second_guess = foi_arena_new(&p->arena, p->guess_count, sizeof *p->second_guess);
    w.formula = foi_new(a, n, sizeof *w.formula);
    w.guess = foi_new(a, n, sizeof *w.guess);
    w.progress = foi_new(a, n, sizeof *w.progress);
    w.stack = foi_new(a, n, sizeof *w.stack);
    bool good = p->second_guess && w.formula && w.guess && w.progress && w.stack;
    if (good) memset(w.formula, 0xFF, n * sizeof *w.formula);
    good = good && find_all(&w, view);
    foi_free(a, w.formula);
    foi_free(a, w.guess);
    foi_free(a, w.progress);
    foi_free(a, w.stack);
    return good ? FO_OK : foi_equations_no_memory(p->e);
}
