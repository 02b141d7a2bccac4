// A first drawing of a diagram whose nodes have no places: columns from the sources to the sinks.
//
// Method: layers by longest paths, where lines that would lead back are left out (a walk in depth
// finds them, from what nothing leads to on, so that signals run from there to the right), and
// within the layers the order of the barycentres of the neighbours, swept to and fro (Sugiyama,
// Tagawa and Toda 1981).
#include <string.h>

#include "base/memory.h"
#include "desk/desk.h"

enum { MOST_NODES = 5000, ACROSS = 140, DOWN = 80, MARGIN = 40, SWEEPS = 8 };

typedef struct box {
    const char *name;
    uint32_t layer, row;
    uint32_t state; ///< of the walk: not seen, being left, done
    bool fed;       ///< some line leads to it
    double weight;
} box;

typedef struct drawing {
    box *boxes;
    uint32_t count;
    uint32_t (*lines)[2]; ///< from, to
    uint32_t line_count;
    bool *back; ///< per line: it leads back
} drawing;

static uint32_t find(const drawing *g, const char *name, size_t length)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (strlen(g->boxes[i].name) == length && memcmp(g->boxes[i].name, name, length) == 0)
            return i;
    return UINT32_MAX;
}

// "node" or "node:2".
static uint32_t end_of(const drawing *g, const foi_json_value *v)
{
    if (!v || v->kind != FOI_JSON_TEXT) return UINT32_MAX;
    uint32_t whole = find(g, v->text, v->length);
    const char *colon = strrchr(v->text, ':');
    if (whole != UINT32_MAX || !colon) return whole;
    return find(g, v->text, (size_t)(colon - v->text));
}

static void take_line(drawing *g, const foi_json_value *from, const foi_json_value *to)
{
    uint32_t a = end_of(g, from);
    if (to && to->kind == FOI_JSON_LIST) {
        for (const foi_json_value *v = to->first; v; v = v->next) take_line(g, from, v);
        return;
    }
    uint32_t b = end_of(g, to);
    if (a == UINT32_MAX || b == UINT32_MAX || g->line_count >= 4 * MOST_NODES) return;
    g->lines[g->line_count][0] = a, g->lines[g->line_count][1] = b;
    g->line_count++;
}

// A line's own end, and those of its branches.
static void take_branches(drawing *g, const foi_json_value *from, const foi_json_value *line,
                          int depth)
{
    const foi_json_value *branches = foi_json_member(line, "branches");
    take_line(g, from, foi_json_member(line, "to"));
    for (const foi_json_value *v = branches ? branches->first : NULL; v && depth < 32; v = v->next)
        take_branches(g, from, v, depth + 1);
}

// Lines that lead to a node on the path that led here close a circle.
static void walk_from(drawing *g, uint32_t start, uint32_t *stack)
{
    uint32_t depth = 0;
    stack[depth++] = start;
    while (depth) {
        uint32_t at = stack[depth - 1], next = UINT32_MAX;
        g->boxes[at].state = 1;
        for (uint32_t k = 0; k < g->line_count && next == UINT32_MAX; k++) {
            if (g->lines[k][0] != at || g->back[k]) continue;
            uint32_t to = g->lines[k][1];
            if (g->boxes[to].state == 1)
                g->back[k] = true;
            else if (g->boxes[to].state == 0)
                next = to;
        }
        if (next == UINT32_MAX)
            g->boxes[at].state = 2, depth--;
        else
            stack[depth++] = next;
    }
}

static void walk(drawing *g, uint32_t *stack)
{
    for (uint32_t k = 0; k < g->line_count; k++) g->boxes[g->lines[k][1]].fed = true;
    for (uint32_t start = 0; start < g->count; start++)
        if (!g->boxes[start].fed) walk_from(g, start, stack);
    for (uint32_t start = 0; start < g->count; start++)
        if (!g->boxes[start].state) walk_from(g, start, stack);
}

static uint32_t put_in_layers(drawing *g)
{
    uint32_t layers = 1;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t k = 0; k < g->line_count; k++) {
            box *from = &g->boxes[g->lines[k][0]], *to = &g->boxes[g->lines[k][1]];
            if (g->back[k] || from == to || to->layer > from->layer) continue;
            to->layer = from->layer + 1;
            if (to->layer + 1 > layers) layers = to->layer + 1;
            moved = true;
        }
    }
    return layers;
}

// What nothing leads to stands just before the first that it leads to.
static void pull_sources(drawing *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t k = 0; k < g->line_count && !g->boxes[i].fed; k++)
            if (g->lines[k][0] == i && g->boxes[g->lines[k][1]].layer < first)
                first = g->boxes[g->lines[k][1]].layer;
        if (first != UINT32_MAX && first > 0) g->boxes[i].layer = first - 1;
    }
}

static void sort_layer(drawing *g, uint32_t layer, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->boxes[i].layer == layer) order[count++] = i;
    for (uint32_t i = 1; i < count; i++) // by insertion: stays where weights are equal
        for (uint32_t j = i; j && g->boxes[order[j]].weight < g->boxes[order[j - 1]].weight; j--) {
            uint32_t swap = order[j];
            order[j] = order[j - 1], order[j - 1] = swap;
        }
    for (uint32_t i = 0; i < count; i++) g->boxes[order[i]].row = i;
}

static void weigh(drawing *g, bool forth)
{
    for (uint32_t i = 0; i < g->count; i++) {
        double sum = 0, count = 0;
        for (uint32_t k = 0; k < g->line_count; k++) {
            if (g->lines[k][forth] != i) continue;
            sum += g->boxes[g->lines[k][!forth]].row;
            count++;
        }
        g->boxes[i].weight = count > 0 ? sum / count : g->boxes[i].row;
    }
}

static void put_places(foi_desk_request *q, const drawing *g)
{
    foi_json_open(&q->answer, "nodes", '{', true);
    for (uint32_t i = 0; i < g->count; i++) {
        foi_json_open(&q->answer, g->boxes[i].name, '[', true);
        foi_json_put_number(&q->answer, NULL, MARGIN + ACROSS * (double)g->boxes[i].layer);
        foi_json_put_number(&q->answer, NULL, MARGIN + DOWN * (double)g->boxes[i].row);
        foi_json_close(&q->answer, ']');
    }
    foi_json_close(&q->answer, '}');
}

static void draw(foi_desk_request *q, drawing *g, uint32_t *work)
{
    walk(g, work);
    uint32_t layers = put_in_layers(g);
    pull_sources(g);
    for (uint32_t i = 0; i < g->count; i++) g->boxes[i].weight = i;
    for (uint32_t l = 0; l < layers; l++) sort_layer(g, l, work);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        weigh(g, sweep % 2 == 0);
        for (uint32_t l = 0; l < layers; l++) sort_layer(g, l, work);
    }
    put_places(q, g);
}

static void read_diagram(drawing *g, const foi_json_value *root)
{
    const foi_json_value *nodes = foi_json_member(root, "nodes");
    const foi_json_value *lines = foi_json_member(root, "lines");
    for (const foi_json_value *v = nodes ? nodes->first : NULL; v && g->count < MOST_NODES;
         v = v->next) {
        const foi_json_value *name = foi_json_member(v, "name");
        const char *text = v->key                                ? v->key
                           : name && name->kind == FOI_JSON_TEXT ? name->text
                                                                 : NULL;
        if (text) g->boxes[g->count++].name = text;
    }
    for (const foi_json_value *v = lines ? lines->first : NULL; v; v = v->next)
        take_branches(g, foi_json_member(v, "from"), v, 0);
}

void foi_desk_layout(foi_desk_request *q)
{
    const fo_allocator *a = q->desk->allocator;
    foi_desk_document *d = foi_desk_find_document(q);
    if (!d) return;
    if (!d->text || foi_desk_is_text(d)) {
        foi_desk_refuse(q, "unfit", "only block diagrams can be laid out");
        return;
    }
    foi_json_def def = {.name = d->name, .text = d->text, .length = d->length, .allocator = a};
    foi_json *json = foi_json_read(&def, &q->why);
    if (!json) {
        foi_desk_fail(q, q->why.status);
        return;
    }
    drawing g = {.boxes = foi_new(a, MOST_NODES, sizeof *g.boxes),
                 .lines = foi_new(a, (size_t)4 * MOST_NODES, sizeof *g.lines),
                 .back = foi_new(a, (size_t)4 * MOST_NODES, sizeof *g.back)};
    uint32_t *work = foi_new(a, MOST_NODES, sizeof *work);
    if (g.boxes && g.lines && g.back && work) {
        read_diagram(&g, foi_json_root(json));
        draw(q, &g, work);
    } else {
        foi_desk_fail(q, FO_ERROR_MEMORY);
    }
    foi_free(a, g.boxes);
    foi_free(a, g.lines);
    foi_free(a, g.back);
    foi_free(a, work);
    foi_json_destroy(json);
}
