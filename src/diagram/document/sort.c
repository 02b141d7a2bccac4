// The order of evaluation. A node comes after those that feed it through, so the order is that of
// equations, each of which is solved for its node: strongly connected nodes are algebraic loops
// (equations/matching.h). They are refused, or, when the document allows it, stand together in the
// order and are solved: inside one the order is that in which a search along what feeds through
// leaves the nodes, and what leads backwards in it is cut.
#include <stdio.h>
#include <string.h>

#include "diagram/diagram.h"
#include "equations/matching.h"

typedef struct visit {
    foi_node *node;
    uint32_t input; ///< the next one to follow
} visit;

/// A search in one loop.
typedef struct search {
    foi_build *build;
    enum { OUTSIDE, INSIDE, ON_PATH, LEFT } * state; ///< per node
    visit *path;
    uint32_t depth;
    foi_loop_member *members; ///< in the order in which they were left
    uint32_t count;
} search;

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

// ------------------------------------------------------------------------------------------- loops

// The loop is the end of the path from `again` on; a path goes against the signals.
static fo_status refuse_loop(const search *s, const foi_node *again)
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

static void meet(search *s, foi_node *n)
{
    s->state[n->index] = ON_PATH;
    s->path[s->depth++] = (visit){n, 0};
}

static void leave(search *s, foi_node *n)
{
    s->state[n->index] = LEFT;
    s->members[s->count] = (foi_loop_member){n, s->count};
    s->count++;
    s->depth--;
}

// From one of its nodes all are reached.
static fo_status search_loop(search *s, foi_node *root)
{
    meet(s, root);
    while (s->depth) {
        visit *v = &s->path[s->depth - 1];
        if (v->input == v->node->input_count) {
            leave(s, v->node);
            continue;
        }
        uint32_t i = v->input++;
        if (!(v->node->through >> i & 1)) continue;
        foi_node *driver = v->node->inputs[i]->node;
        bool back = s->state[driver->index] == ON_PATH;
        if (back && !s->build->diagram->solve_loops) return refuse_loop(s, driver);
        if (s->state[driver->index] == INSIDE) meet(s, driver);
    }
    return FO_OK;
}

static bool feeds_itself(const foi_node *n)
{
    for (uint32_t i = 0; i < n->input_count; i++)
        if ((n->through >> i & 1) && n->inputs[i]->node == n) return true;
    return false;
}

// Puts the nodes of a component behind the others.
static fo_status add_component(search *s, const uint32_t *rows, uint32_t count, uint32_t *done)
{
    foi_diagram *d = s->build->diagram;
    foi_node *root = &d->nodes[rows[count - 1]]; // the first one that was met
    if (count == 1 && !feeds_itself(root)) {
        d->order[(*done)++] = root;
        return FO_OK;
    }
    for (uint32_t i = 0; i < count; i++) s->state[rows[i]] = INSIDE;
    s->count = 0;
    fo_status status = search_loop(s, root);
    for (uint32_t i = 0; i < s->count; i++) d->order[(*done)++] = s->members[i].node;
    return status == FO_OK ? foi_loop_make(s->build, s->members, count) : status;
}

// ------------------------------------------------------------------------------------------- order

// Row i has the column of node i, which it is solved for, and those of the nodes that feed it.
static bool write_rows(const foi_diagram *d, foi_incidence *m)
{
    bool good = true;
    m->columns = d->node_count;
    for (uint32_t i = 0; i < d->node_count && good; i++) {
        const foi_node *n = &d->nodes[i];
        for (uint32_t j = 0; j < n->input_count && good; j++)
            if (n->through >> j & 1) good = foi_incidence_add(m, n->inputs[j]->node->index);
        good = good && foi_incidence_row(m);
    }
    return good;
}

static bool find_components(const foi_diagram *d, foi_incidence *m, foi_matching *p, foi_blocks *b)
{
    if (!write_rows(d, m) || !foi_matching_begin(p, m, m->rows)) return false;
    for (uint32_t i = 0; i < d->node_count; i++) p->column_of[i] = p->row_of[i] = i;
    return foi_blocks_begin(b, p);
}

static fo_status add_components(foi_build *b, const foi_blocks *blocks)
{
    foi_diagram *d = b->diagram;
    search s = {.build = b};
    uint32_t done = 0;
    d->order = foi_arena_new(b->arena, d->node_count, sizeof *d->order);
    s.state = foi_arena_new(b->arena, d->node_count, sizeof *s.state);
    s.path = foi_arena_new(b->arena, d->node_count, sizeof *s.path);
    s.members = foi_arena_new(b->arena, d->node_count, sizeof *s.members);
    if (!d->order || !s.state || !s.path || !s.members) return no_memory(b);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < blocks->count && status == FO_OK; i++)
        status = add_component(&s, blocks->rows + blocks->start[i],
                               blocks->start[i + 1] - blocks->start[i], &done);
    return status;
}

fo_status foi_diagram_sort(foi_build *b)
{
    const fo_allocator *a = b->diagram->allocator;
    foi_incidence rows = {.allocator = a};
    foi_matching solved = {.allocator = a};
    foi_blocks blocks = {.allocator = a};
    bool found = find_components(b->diagram, &rows, &solved, &blocks);
    fo_status status = found ? add_components(b, &blocks) : no_memory(b);
    foi_blocks_end(&blocks);
    foi_matching_end(&solved);
    foi_incidence_end(&rows);
    return status;
}
