// The order of evaluation: depth first along what feeds through, without recursion. Strongly
// connected nodes are algebraic loops (Tarjan, Depth-first search and linear graph algorithms, SIAM
// J. Comput. 1, 1972). They are refused, or, when the document allows it, stand together in the
// order and are solved: inside one the order is that in which the nodes were left, and what leads
// backwards in it is cut.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagram/diagram.h"

typedef struct visit {
    foi_node *node;
    uint32_t input; ///< the next one to follow
} visit;

typedef struct sorter {
    foi_build *build;
    uint32_t *number; ///< of each node: in which order it was met, from 1; 0: not yet
    uint32_t *low;    ///< the lowest number that it leads back to
    uint32_t *left;   ///< in which order it was left, from 1
    visit *path;
    foi_node **open; ///< met, and not yet in the order
    uint32_t depth, met, done, open_count;
} sorter;

// The loop is the end of the path from `again` on; a path goes against the signals.
static fo_status refuse_loop(const sorter *s, const foi_node *again)
{
    char text[320] = "";
    size_t used = 0;
    for (uint32_t i = s->depth; i-- > 0;) {
        const foi_node *n = s->path[i].node;
        bool fits = used + strlen(n->name) + 16 < sizeof text;
        used += (size_t)snprintf(text + used, sizeof text - used, fits ? "'%s' -> " : "... -> ",
                                 n->name);
        if (!fits || n == again) break;
    }
    const foi_node *first = s->path[s->depth - 1].node;
    return foi_node_refuse(s->build, again,
                           "an algebraic loop: %s'%s'; a Memory or an Integrator in it would break "
                           "it, or \"algebraicLoops\": \"solve\" in the simulation parameters "
                           "solve it",
                           text, first->name);
}

static bool feeds_itself(const foi_node *n)
{
    for (uint32_t i = 0; i < n->input_count; i++)
        if ((n->through >> i & 1) && n->inputs[i]->node == n) return true;
    return false;
}

// The members of a loop, in the order in which they were left: few, or a document that deserves it.
static int compare_left(const void *a, const void *b)
{
    const foi_loop_member *p = a, *q = b;
    return p->left < q->left ? -1 : 1;
}

// A node that leads back no further than to itself closes a component: it and what was met since.
static fo_status close_component(sorter *s, foi_node *n)
{
    foi_diagram *d = s->build->diagram;
    uint32_t first = s->open_count;
    while (s->open[--first] != n) {
    }
    uint32_t count = s->open_count - first;
    s->open_count = first;
    if (count == 1 && !feeds_itself(n)) {
        s->number[n->index] = UINT32_MAX;
        d->order[s->done++] = n;
        return FO_OK;
    }
    foi_loop_member *members = foi_arena_new(s->build->arena, count, sizeof *members);
    if (!members) return fo_fail(s->build->why, FO_ERROR_MEMORY, "no memory for a diagram");
    for (uint32_t i = 0; i < count; i++) {
        foi_node *m = s->open[first + i];
        members[i] = (foi_loop_member){m, s->left[m->index]};
        s->number[m->index] = UINT32_MAX;
    }
    qsort(members, count, sizeof *members, compare_left);
    for (uint32_t i = 0; i < count; i++) d->order[s->done++] = members[i].node;
    return foi_loop_make(s->build, members, count);
}

static void meet(sorter *s, foi_node *n)
{
    s->number[n->index] = s->low[n->index] = ++s->met;
    s->path[s->depth++] = (visit){n, 0};
    s->open[s->open_count++] = n;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static fo_status leave(sorter *s, foi_node *n, uint32_t *left)
{
    s->left[n->index] = ++*left;
    s->depth--;
    if (s->depth) {
        uint32_t before = s->path[s->depth - 1].node->index;
        s->low[before] = smaller(s->low[before], s->low[n->index]);
    }
    return s->low[n->index] == s->number[n->index] ? close_component(s, n) : FO_OK;
}

static fo_status visit_from(sorter *s, foi_node *root, uint32_t *left)
{
    fo_status status = FO_OK;
    meet(s, root);
    while (s->depth && status == FO_OK) {
        visit *v = &s->path[s->depth - 1];
        foi_node *n = v->node;
        if (v->input == n->input_count) {
            status = leave(s, n, left);
            continue;
        }
        uint32_t i = v->input++;
        if (!(n->through >> i & 1)) continue;
        foi_node *driver = n->inputs[i]->node;
        uint32_t number = s->number[driver->index];
        if (!number) {
            meet(s, driver);
        } else if (number < UINT32_MAX) {
            if (!s->build->diagram->solve_loops) return refuse_loop(s, driver);
            s->low[n->index] = smaller(s->low[n->index], number);
        }
    }
    return status;
}

fo_status foi_diagram_sort(foi_build *b)
{
    foi_diagram *d = b->diagram;
    sorter s = {.build = b};
    uint32_t left = 0;
    d->order = foi_arena_new(b->arena, d->node_count, sizeof *d->order);
    s.number = foi_arena_new(b->arena, d->node_count, sizeof *s.number);
    s.low = foi_arena_new(b->arena, d->node_count, sizeof *s.low);
    s.left = foi_arena_new(b->arena, d->node_count, sizeof *s.left);
    s.path = foi_arena_new(b->arena, d->node_count, sizeof *s.path);
    s.open = foi_arena_new(b->arena, d->node_count, sizeof(foi_node *));
    if (!d->order || !s.number || !s.low || !s.left || !s.path || !s.open)
        return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < d->node_count && status == FO_OK; i++)
        if (!s.number[i]) status = visit_from(&s, &d->nodes[i], &left);
    return status;
}
