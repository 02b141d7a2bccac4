// Signals without lines: From takes what the Goto of its tag was given. Then what only passes a
// signal on (ports of subsystems, From) is led around: nodes read the signal where it is made.
#include <stdlib.h>
#include <string.h>

#include "diagram/diagram.h"

typedef struct tag {
    const char *name;
    uint32_t scope;
    foi_node *node;
} tag;

typedef struct tag_list {
    tag *tags;
    uint32_t count;
} tag_list;

static int compare(const void *a, const void *b)
{
    const tag *p = a, *q = b;
    if (p->scope != q->scope) return p->scope < q->scope ? -1 : 1;
    return strcmp(p->name, q->name);
}

static fo_status list_tags(foi_build *b, tag_list *l)
{
    foi_diagram *d = b->diagram;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->node_count; i++) count += d->nodes[i].type == &foi_goto;
    l->tags = foi_arena_new(b->arena, count + 1, sizeof *l->tags);
    if (!l->tags) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = &d->nodes[i];
        if (n->type == &foi_goto) l->tags[l->count++] = (tag){n->settings[0].text, n->scope, n};
    }
    if (l->count) qsort(l->tags, l->count, sizeof *l->tags, compare);
    for (uint32_t i = 1; i < l->count; i++)
        if (compare(&l->tags[i - 1], &l->tags[i]) == 0)
            return foi_node_refuse(b, l->tags[i].node,
                                   "the tag '%.60s' is used by the Goto '%.60s' already",
                                   l->tags[i].name, l->tags[i - 1].node->name);
    return FO_OK;
}

// The tag in the scope of the node, or in one around it.
static const tag *find_tag(const foi_build *b, const tag_list *l, const foi_node *n)
{
    tag wanted = {.name = n->settings[0].text, .scope = n->scope};
    for (;;) {
        const tag *found =
            l->count ? bsearch(&wanted, l->tags, l->count, sizeof *l->tags, compare) : NULL;
        if (found || wanted.scope == b->scopes[wanted.scope].outer) return found;
        wanted.scope = b->scopes[wanted.scope].outer;
    }
}

static fo_status connect_tags(foi_build *b)
{
    foi_diagram *d = b->diagram;
    tag_list l = {0};
    fo_status status = list_tags(b, &l);
    for (uint32_t i = 0; i < d->node_count && status == FO_OK; i++) {
        foi_node *n = &d->nodes[i];
        if (n->type != &foi_from) continue;
        const tag *found = find_tag(b, &l, n);
        if (!found)
            return foi_node_refuse(b, n, "there is no Goto with the tag '%.60s'",
                                   n->settings[0].text);
        n->input_count = 1;
        n->inputs[0] = found->node->inputs[0];
    }
    return status;
}

// A circle of nodes that only pass a signal on is left to the sorting, which names it.
static foi_signal *origin(foi_signal *s, uint32_t limit)
{
    foi_signal *at = s;
    while (at->node->type->passes)
        if (limit-- == 0)
            return s;
        else
            at = at->node->inputs[0];
    return at;
}

fo_status foi_document_route(foi_build *b)
{
    foi_diagram *d = b->diagram;
    fo_status status = connect_tags(b);
    for (uint32_t i = 0; i < d->node_count && status == FO_OK; i++) {
        foi_node *n = &d->nodes[i];
        for (uint32_t j = 0; j < n->input_count; j++)
            n->inputs[j] = origin(n->inputs[j], 2 * 64 + 64);
    }
    return status;
}
