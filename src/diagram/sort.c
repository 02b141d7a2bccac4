// The order of evaluation: depth first along what feeds through (Tarjan 1972), without recursion.
#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"

typedef struct visit {
    foi_node *node;
    uint32_t input; ///< the next one to follow
} visit;

enum { NEW, OPEN, DONE };

typedef struct sorter {
    foi_build *build;
    unsigned char *mark;
    visit *path;
    uint32_t depth, done;
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
                           "it",
                           text, first->name);
}

static fo_status visit_from(sorter *s, foi_node *root)
{
    s->path[0] = (visit){root, 0};
    s->depth = 1;
    s->mark[root->index] = OPEN;
    while (s->depth) {
        visit *v = &s->path[s->depth - 1];
        foi_node *n = v->node;
        if (v->input == n->input_count) {
            s->mark[n->index] = DONE;
            s->build->diagram->order[s->done++] = n;
            s->depth--;
            continue;
        }
        uint32_t i = v->input++;
        if (!(n->through >> i & 1)) continue;
        foi_node *driver = n->inputs[i]->node;
        if (s->mark[driver->index] == OPEN) return refuse_loop(s, driver);
        if (s->mark[driver->index] == DONE) continue;
        s->mark[driver->index] = OPEN;
        s->path[s->depth++] = (visit){driver, 0};
    }
    return FO_OK;
}

fo_status foi_diagram_sort(foi_build *b)
{
    foi_diagram *d = b->diagram;
    sorter s = {.build = b};
    d->order = foi_arena_new(b->arena, d->node_count, sizeof *d->order);
    s.mark = foi_arena_new(b->arena, d->node_count, 1);
    s.path = foi_arena_new(b->arena, d->node_count, sizeof *s.path);
    if (!d->order || !s.mark || !s.path)
        return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < d->node_count && status == FO_OK; i++)
        if (s.mark[i] == NEW) status = visit_from(&s, &d->nodes[i]);
    return status;
}
