/// The parts of a document: signals, sides, points, probes, start values, the object.
#include <math.h>
#include <string.h>

#include "field/document.h"
#include "math/math.h"

// ----------------------------------------------------------------------------------------- signals

static void read_table(foi_reader *r, const foi_json_value *value, fo_signal *g)
{
    size_t count = value->kind == FOI_JSON_LIST ? value->count : 0;
    double *times = foi_read_room(r, 2 * count, sizeof *times);
    double *values = times ? times + count : NULL;
    if (count == 0) foi_read_refuse(r, value, "expected a list of [time, value]");
    for (const foi_json_value *v = count ? value->first : NULL; v && !r->status; v = v->next) {
        double pair[2];
        if (foi_read_list(r, v, pair, 2) != 2)
            foi_read_refuse(r, v, "expected [time, value]");
        else
            times[v->index] = pair[0], values[v->index] = pair[1];
    }
    g->times = times, g->values = values, g->count = (uint32_t)count;
}

fo_signal foi_read_signal(foi_reader *r, const foi_json_value *value)
{
    static const char *const kinds[] = {"sine", "pulse", "table", NULL};
    static const char *const of_sine[] = {"amplitude", "omega", "phase", "start", NULL},
                             *const of_pulse[] = {"amplitude", "start", "width", NULL};
    static const char *const words[] = {"", "input", NULL};
    fo_signal g = {0};
    if (value->kind == FOI_JSON_TEXT) {
        foi_read_word(r, value, words + 1);
        g.kind = FO_SIGNAL_INPUT;
        return g;
    }
    if (!foi_read_keys(r, value, kinds)) return g;
    const foi_json_value *how = value->first;
    if (value->count != 1) {
        foi_read_refuse(r, value, "a signal is one of sine, pulse, table or \"input\"");
        return g;
    }
    if (strcmp(how->key, "table") == 0) {
        g.kind = FO_SIGNAL_TABLE;
        read_table(r, how, &g);
        return g;
    }
    g.kind = strcmp(how->key, "sine") == 0 ? FO_SIGNAL_SINE : FO_SIGNAL_PULSE;
    bool sine = g.kind == FO_SIGNAL_SINE;
    foi_read_keys(r, how, sine ? of_sine : of_pulse);
    g.amplitude = foi_read_number(r, how, "amplitude", 1);
    if (sine) g.omega = foi_read_number(r, how, "omega", 0);
    if (sine) g.phase = foi_read_number(r, how, "phase", 0);
    g.start = foi_read_number(r, how, "start", 0);
    if (!sine) g.width = foi_read_number(r, how, "width", 0);
    return g;
}

// ------------------------------------------------------------------------------------------- sides

static fo_side read_side(foi_reader *r, const foi_json_value *value)
{
    static const char *const words[] = {"fixed", "free", "periodic", "absorbing", NULL};
    static const char *const driven[] = {"driven", NULL};
    if (value->kind == FOI_JSON_TEXT)
        return (fo_side){.kind = (fo_side_kind)foi_read_word(r, value, words)};
    fo_side side = {.kind = FO_SIDE_DRIVEN};
    if (!foi_read_keys(r, value, driven)) return side;
    const foi_json_value *signal = foi_json_member(value, "driven");
    if (signal)
        side.signal = foi_read_signal(r, signal);
    else
        foi_read_refuse(r, value, "a side is a word or {\"driven\": signal}");
    return side;
}

void foi_read_sides(foi_reader *r, const foi_json_value *value, fo_field_def *def)
{
    static const char *const names[] = {"left",  "right", "front", "back",
                                        "below", "above", "all",   NULL};
    if (!foi_read_keys(r, value, names)) return;
    const foi_json_value *all = foi_json_member(value, "all");
    for (uint32_t i = 0; i < 6; i++) {
        const foi_json_value *own = foi_json_member(value, names[i]);
        if (own && i >= 2 * def->dimensions)
            foi_read_refuse(r, own, "a field of %u dimension%s has no side '%s'", def->dimensions,
                            def->dimensions > 1 ? "s" : "", names[i]);
        if (i < 2 * def->dimensions && (own || all)) def->sides[i] = read_side(r, own ? own : all);
    }
}

// ------------------------------------------------------------------------------- points and probes

void foi_read_grid_node(foi_reader *r, const foi_json_value *value, const fo_field_def *def,
                        uint32_t node[3])
{
    if (!foi_read_is(r, value, FOI_JSON_LIST)) return;
    if (value->count != def->dimensions)
        foi_read_refuse(r, value, "expected %u whole numbers, found %zu", def->dimensions,
                        value->count);
    for (const foi_json_value *v = value->first; v && !r->status; v = v->next) {
        node[v->index] = foi_read_whole(r, v);
        if (!r->status && def->size[v->index] && node[v->index] > def->size[v->index])
            foi_read_refuse(r, v, "the axis has %u nodes, there is no node %u", def->size[v->index],
                            node[v->index]);
    }
}

static size_t listed(foi_reader *r, const foi_json_value *value)
{
    if (value->kind != FOI_JSON_LIST) foi_read_refuse(r, value, "expected a list");
    return value->kind == FOI_JSON_LIST ? value->count : 0;
}

static void need_node(foi_reader *r, const foi_json_value *value, const fo_field_def *def,
                      uint32_t node[3])
{
    const foi_json_value *given = foi_json_member(value, "node");
    if (given)
        foi_read_grid_node(r, given, def, node);
    else
        foi_read_refuse(r, value, "needs a 'node'");
    for (uint32_t axis = 0; given && axis < def->dimensions && !r->status; axis++)
        if (node[axis] >= def->size[axis])
            foi_read_refuse(r, given, "the axis has the nodes 0 to %u, there is no node %u",
                            def->size[axis] - 1, node[axis]);
}

void foi_read_points(foi_reader *r, const foi_json_value *value, fo_field_def *def)
{
    static const char *const keys[] = {"name", "node", "hold", "signal", NULL};
    fo_field_point *points = foi_read_room(r, listed(r, value), sizeof *points);
    for (const foi_json_value *v = value->first; v && !r->status; v = v->next) {
        fo_field_point *p = &points[v->index];
        if (!foi_read_keys(r, v, keys)) return;
        p->name = foi_read_text(r, v, "name");
        p->hold = foi_read_truth(r, v, "hold");
        need_node(r, v, def, p->node);
        const foi_json_value *signal = foi_json_member(v, "signal");
        if (signal) p->signal = foi_read_signal(r, signal);
    }
    def->points = points;
    def->point_count = (uint32_t)value->count;
}

enum { MOST_PROBES = 1 << 16 };

// Every node in the order of the states: x first.
static void probe_all(foi_reader *r, const foi_json_value *value, fo_field_def *def)
{
    uint64_t n[3] = {1, 1, 1};
    for (uint32_t axis = 0; axis < def->dimensions; axis++) n[axis] = def->size[axis];
    if (n[0] > MOST_PROBES || n[1] > MOST_PROBES || n[2] > MOST_PROBES ||
        n[0] * n[1] * n[2] > MOST_PROBES) {
        foi_read_refuse(r, value, "\"all\" is for fields of at most %d nodes", MOST_PROBES);
        return;
    }
    size_t count = (size_t)(n[0] * n[1] * n[2]), at = 0;
    fo_field_probe *probes = foi_read_room(r, count, sizeof *probes);
    if (r->status) return;
    for (uint32_t k = 0; k < n[2]; k++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t i = 0; i < n[0]; i++) probes[at++] = (fo_field_probe){.node = {i, j, k}};
    def->probes = probes;
    def->probe_count = (uint32_t)count;
}

void foi_read_probes(foi_reader *r, const foi_json_value *value, fo_field_def *def)
{
    static const char *const words[] = {"all", NULL};
    if (value->kind == FOI_JSON_TEXT) {
        if (foi_read_word(r, value, words) == 0 && !r->status) probe_all(r, value, def);
        return;
    }
    static const char *const keys[] = {"name", "node", "velocity", NULL};
    fo_field_probe *probes = foi_read_room(r, listed(r, value), sizeof *probes);
    for (const foi_json_value *v = value->first; v && !r->status; v = v->next) {
        if (!foi_read_keys(r, v, keys)) return;
        probes[v->index].name = foi_read_text(r, v, "name");
        probes[v->index].velocity = foi_read_truth(r, v, "velocity");
        need_node(r, v, def, probes[v->index].node);
    }
    def->probes = probes;
    def->probe_count = (uint32_t)value->count;
}

// ------------------------------------------------------------------------------------------ values

/// height exp(-|x - at|^2 / (2 width^2)), or height times sin(m pi x / L) along every axis.
static double shaped(const fo_field_def *def, const double where[3], bool bell, const double *list,
                     double width, double height)
{
    double squares = 0, product = height;
    for (uint32_t axis = 0; axis < def->dimensions; axis++) {
        double away = where[axis] - list[axis];
        squares += away * away;
        product *= foi_sin(list[axis] * M_PI * where[axis] / def->length[axis]);
    }
    return bell ? height * foi_exp(-squares / (2 * width * width)) : product;
}

static void fill(const fo_field_def *def, const uint32_t n[3], bool bell, const double *list,
                 double width, double height, double *to)
{
    double dx[3] = {0};
    for (uint32_t axis = 0; axis < def->dimensions; axis++)
        dx[axis] = def->length[axis] / (n[axis] - (def->sides[2 * axis].kind != FO_SIDE_PERIODIC));
    for (uint32_t k = 0; k < n[2]; k++)
        for (uint32_t j = 0; j < n[1]; j++)
            for (uint32_t i = 0; i < n[0]; i++) {
                const double where[3] = {i * dx[0], j * dx[1], k * dx[2]};
                *to++ = shaped(def, where, bell, list, width, height);
            }
}

const double *foi_read_values(foi_reader *r, const foi_json_value *value, const fo_field_def *def)
{
    static const char *const keys[] = {"bell", "sine", "width", "height", NULL};
    uint32_t n[3];
    double count = 1;
    for (int axis = 0; axis < 3; axis++) {
        n[axis] = axis < (int)def->dimensions ? def->size[axis] : 1;
        count *= n[axis];
    }
    double *values = count < 1e9 ? foi_read_room(r, (size_t)count, sizeof *values) : NULL;
    if (!values) return NULL;
    if (value->kind == FOI_JSON_LIST) {
        if (foi_read_list(r, value, values, (uint32_t)count) != (uint32_t)count)
            foi_read_refuse(r, value, "expected %u numbers, one for every node, found %zu",
                            (uint32_t)count, value->count);
        return values;
    }
    if (!foi_read_keys(r, value, keys)) return NULL;
    const foi_json_value *bell = foi_json_member(value, "bell"),
                         *sine = foi_json_member(value, "sine");
    double list[3], width = foi_read_number(r, value, "width", 0);
    double height = foi_read_number(r, value, "height", 1);
    if (!bell == !sine) foi_read_refuse(r, value, "expected a list, a 'bell' or a 'sine'");
    if (!r->status && foi_read_list(r, bell ? bell : sine, list, 3) != def->dimensions)
        foi_read_refuse(r, bell ? bell : sine, "expected %u numbers", def->dimensions);
    if (bell && !(width > 0)) foi_read_refuse(r, value, "a bell needs a positive 'width'");
    if (!r->status) fill(def, n, bell, list, width, height, values);
    return values;
}

// ------------------------------------------------------------------------------------------ object

static void read_shape(foi_reader *r, const foi_json_value *value, const fo_field_def *def,
                       fo_field_object *o)
{
    size_t count = 1;
    for (uint32_t axis = 0; axis < def->dimensions; axis++) count *= o->count[axis];
    double *shape = foi_read_room(r, count, sizeof *shape);
    if (!shape) return;
    if (foi_read_list(r, value, shape, (uint32_t)count) != count)
        foi_read_refuse(r, value, "expected %zu numbers, one for every node under the object",
                        count);
    o->shape = shape;
}

void foi_read_object(foi_reader *r, const foi_json_value *value, fo_field_def *def)
{
    static const char *const keys[] = {"mass", "gravity", "first", "count", "shape",  "force", "y",
                                       "v",    "contact", "mu",    "eps",   "bonded", NULL};
    static const char *const contacts[] = {"exact", "sliding", NULL};
    fo_field_object *o = foi_read_room(r, 1, sizeof *o);
    if (!o || !foi_read_keys(r, value, keys)) return;
    const foi_json_value *first = foi_json_member(value, "first"),
                         *count = foi_json_member(value, "count"),
                         *shape = foi_json_member(value, "shape"),
                         *force = foi_json_member(value, "force");
    if (!first || !count) {
        foi_read_refuse(r, value, "an object needs 'first' and 'count', the nodes under it");
        return;
    }
    foi_read_grid_node(r, first, def, o->first);
    foi_read_grid_node(r, count, def, o->count);
    if (shape && !r->status) read_shape(r, shape, def, o);
    if (force) o->force = foi_read_signal(r, force);
    o->mass = foi_read_number(r, value, "mass", 1);
    o->gravity = foi_read_number(r, value, "gravity", 9.80665);
    o->y = foi_read_number(r, value, "y", 0);
    o->v = foi_read_number(r, value, "v", 0);
    o->mu = foi_read_number(r, value, "mu", 0);
    o->eps = foi_read_number(r, value, "eps", 0);
    o->bonded = foi_read_truth(r, value, "bonded");
    o->contact = (fo_contact)foi_read_word(r, foi_json_member(value, "contact"), contacts);
    def->object = o;
}
