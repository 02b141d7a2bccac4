/// What is to be known of a loop beside its instructions: names for messages, the sizes of its
/// unknowns, the pattern of its Jacobian and the order in which its columns are eliminated.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program/code.h"

enum { DENSE = 64 }; ///< up to this size a loop's Jacobian is factored in full

static const char *copy(foi_arena *a, const char *text)
{
    return foi_arena_text(a, text, strlen(text));
}

static void name_variables(foi_plan *p, const foi_loop *l, foi_loop_about *about, foi_arena *a)
{
    for (uint32_t i = 0; i < l->count; i++)
        about->unknown[i] = copy(a, foi_variable_name(p->e, p->unknowns[l->first + i].variable));
    for (uint32_t i = 0; i < l->inner_count; i++)
        about->inner[i] = copy(a, foi_variable_name(p->e, l->variable[i]));
}

// Equations of a for loop have one place: its name is made once.
static void name_equations(foi_plan *p, const foi_loop *l, foi_loop_about *about, foi_arena *a)
{
    char place[200];
    for (uint32_t i = 0; i < l->count; i++) {
        bool again = i > 0 && l->place[i].line == l->place[i - 1].line &&
                     l->place[i].file == l->place[i - 1].file;
        about->equation[i] = again
                                 ? about->equation[i - 1]
                                 : copy(a, foi_place_name(p->e, l->place[i], place, sizeof place));
    }
}

// The order for sparse factors; a small loop needs none.
static bool find_order(foi_plan *p, const foi_loop *l, foi_loop_about *about, foi_arena *a)
{
    fo_pattern pattern = {l->count, about->start, about->row};
    foi_linear_def def = {.n = l->count, .pattern = &pattern, .allocator = p->e->allocator};
    foi_linear linear = {0};
    about->kind = FOI_LINEAR_DENSE;
    if (l->count <= DENSE) return true;
    if (foi_linear_prepare(&linear, &def) != FO_OK) return false;
    about->kind = linear.kind, about->fill = linear.fill;
    about->order = foi_arena_new(a, l->count, sizeof *about->order);
    if (about->order) memcpy(about->order, linear.sparse.order, l->count * sizeof *about->order);
    foi_linear_destroy(&linear);
    return about->order != NULL;
}

const foi_loop_about *foi_loop_describe(foi_plan *p, foi_loop *l, foi_arena *a)
{
    if (l->about) return l->about;
    uint32_t n = l->count, entries = l->start[n];
    foi_loop_about *about = foi_arena_new(a, 1, sizeof *about);
    if (!about) return NULL;
    about->unknown = foi_arena_new(a, n, sizeof(char *));
    about->inner = foi_arena_new(a, l->inner_count, sizeof(char *));
    about->equation = foi_arena_new(a, n, sizeof(char *));
    about->size = foi_arena_new(a, n, sizeof *about->size);
    about->has_start = foi_arena_new(a, n, sizeof *about->has_start);
    about->start = foi_arena_new(a, (size_t)n + 1, sizeof *about->start);
    about->row = foi_arena_new(a, entries, sizeof *about->row);
    if (a->failed) return NULL;
    about->number = (uint32_t)(l - p->loops);
    about->linear = l->linear, about->first_values = l->first_values, about->helps = l->helps;
    if (!l->helps) name_variables(p, l, about, a);
    if (!l->helps) name_equations(p, l, about, a);
    for (uint32_t i = 0; i < n; i++) {
        const foi_variable *v = &p->e->variables[p->unknowns[l->first + i].variable];
        about->size[i] = foi_plan_size(p, p->unknowns[l->first + i].variable);
        about->has_start[i] = v->start != FOI_NO_NODE || v->state || v->role == FOI_ROLE_DISCRETE;
    }
    memcpy(about->start, l->start, ((size_t)n + 1) * sizeof *about->start);
    if (entries) memcpy(about->row, l->row, entries * sizeof *about->row);
    if (a->failed || !find_order(p, l, about, a)) return NULL;
    return l->about = about;
}
