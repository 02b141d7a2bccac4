#include "field/describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field/object.h"

// ---------------------------------------------------------------------------------------- signals

static fo_status take_table(fo_field *f, fo_signal *g, fo_message *why)
{
    if (g->count == 0 || !g->times || !g->values)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: a signal's table is empty", f->name);
    for (uint32_t i = 0; i < g->count; i++)
        if (!isfinite(g->times[i]) || !isfinite(g->values[i]) ||
            (i && !(g->times[i] > g->times[i - 1])))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: the times of a signal's table must ascend, and all its numbers be "
                           "finite; row %u is (%g, %g)",
                           f->name, i, g->times[i], g->values[i]);
    double *copy = foi_new(f->allocator, 2 * (size_t)g->count, sizeof *copy);
    if (!copy) return FO_ERROR_MEMORY;
    memcpy(copy, g->times, g->count * sizeof *copy);
    memcpy(copy + g->count, g->values, g->count * sizeof *copy);
    g->times = copy;
    g->values = copy + g->count;
    return FO_OK;
}

static fo_status take_signal(fo_field *f, const fo_signal *g, fo_message *why)
{
    fo_signal mine = *g;
    bool finite = isfinite(mine.amplitude) && isfinite(mine.omega) && isfinite(mine.phase) &&
                  isfinite(mine.start) && isfinite(mine.width);
    if (!finite)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the numbers of a signal must be finite",
                       f->name);
    if (mine.kind == FO_SIGNAL_PULSE && !(mine.width > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the width of a pulse must be positive, is %g",
                       f->name, mine.width);
    if (mine.kind == FO_SIGNAL_TABLE) {
        fo_status status = take_table(f, &mine, why);
        if (status) return status;
    } else
        mine.times = mine.values = NULL;
    if (mine.kind == FO_SIGNAL_INPUT) f->input_of[f->signal_count] = f->input_count++;
    f->signals[f->signal_count++] = mine;
    return FO_OK;
}

static int by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static fo_status gather_kinks(fo_field *f)
{
    size_t room = 0;
    for (uint32_t i = 0; i < f->signal_count; i++) room += 2 + (size_t)f->signals[i].count;
    f->kinks = foi_new(f->allocator, room, sizeof *f->kinks);
    if (!f->kinks) return FO_ERROR_MEMORY;
    size_t count = 0;
    for (uint32_t i = 0; i < f->signal_count; i++) {
        const fo_signal *g = &f->signals[i];
        if (g->kind == FO_SIGNAL_SINE || g->kind == FO_SIGNAL_PULSE) f->kinks[count++] = g->start;
        if (g->kind == FO_SIGNAL_PULSE) f->kinks[count++] = g->start + g->width;
        if (g->kind != FO_SIGNAL_TABLE) continue;
        memcpy(f->kinks + count, g->times, g->count * sizeof(double));
        count += g->count;
    }
    qsort(f->kinks, count, sizeof *f->kinks, by_time);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || f->kinks[i] > f->kinks[f->kink_count - 1])
            f->kinks[f->kink_count++] = f->kinks[i];
    return FO_OK;
}

fo_status foi_take_signals(fo_field *f, const fo_field_def *def, fo_message *why)
{
    size_t room = 6 + (size_t)def->point_count + 1;
    f->signals = foi_new(f->allocator, room, sizeof *f->signals);
    f->input_of = foi_new(f->allocator, room, sizeof *f->input_of);
    fo_status status = f->signals && f->input_of ? FO_OK : FO_ERROR_MEMORY;
    const fo_signal none = {0};
    for (int side = 0; side < 6 && !status; side++) {
        bool driven = side < 2 * (int)def->dimensions && def->sides[side].kind == FO_SIDE_DRIVEN;
        status = take_signal(f, driven ? &def->sides[side].signal : &none, why);
    }
    for (uint32_t i = 0; i < def->point_count && !status; i++)
        status = take_signal(f, &def->points[i].signal, why);
    if (!status && def->object) status = take_signal(f, &def->object->force, why);
    return status ? status : gather_kinks(f);
}

void foi_signals_destroy(fo_field *f)
{
    for (uint32_t i = 0; i < f->signal_count; i++)
        if (f->signals[i].times) foi_free(f->allocator, (void *)f->signals[i].times);
    foi_free(f->allocator, f->signals);
    foi_free(f->allocator, f->input_of);
}

// ------------------------------------------------------------------------------------------ names

enum { NAME = 64, OBJECT_OUTPUTS = 4, LARGE = 1 << 22 };

/// Texts of NAME bytes in one block.
static char *next_name(fo_field *f, size_t *used)
{
    return f->names + NAME * (*used)++;
}

static void probe_name(const fo_field *f, const fo_field_probe *p, char *text)
{
    const char *what = p->velocity ? "velocity" : "value";
    const uint32_t *n = p->node;
    if (p->name)
        snprintf(text, NAME, "%s", p->name);
    else if (f->def.dimensions == 1)
        snprintf(text, NAME, "%s(%u)", what, n[0]);
    else if (f->def.dimensions == 2)
        snprintf(text, NAME, "%s(%u,%u)", what, n[0], n[1]);
    else
        snprintf(text, NAME, "%s(%u,%u,%u)", what, n[0], n[1], n[2]);
}

static void describe_outputs(fo_field *f, const fo_field_def *def, size_t *used)
{
    size_t count = 0;
    for (uint32_t i = 0; i < def->probe_count; i++) {
        const fo_field_probe *p = &def->probes[i];
        char *name = next_name(f, used);
        probe_name(f, p, name);
        f->probe_state[i] =
            fo_field_index(f, p->node[0], p->node[1], p->node[2]) + (p->velocity ? f->nodes : 0);
        // an object rides on a wave of metres; otherwise nobody says what is waving
        const char *unit = !f->object ? NULL : p->velocity ? "m/s" : "m";
        f->outputs[count++] = (fo_variable){.name = name, .unit = unit};
    }
    if (f->def.energy) f->outputs[count++] = (fo_variable){.name = "energy", .direct = false};
    static const fo_variable object[OBJECT_OUTPUTS] = {
        {.name = "object.y", .unit = "m"},
        {.name = "object.v", .unit = "m/s"},
        {.name = "object.force", .about = "sum of the forces on the surface"},
        {.name = "object.contacts", .unit = "nodes", .about = "nodes that touch"},
    };
    for (int i = 0; f->object && i < OBJECT_OUTPUTS; i++) f->outputs[count++] = object[i];
    f->description.outputs = (fo_variables){f->outputs, count};
}

static void describe_points(fo_field *f, const fo_field_def *def, size_t *used)
{
    static const char *const sides[] = {"left", "right", "front", "back", "below", "above"};
    for (uint32_t i = 0; i < def->point_count; i++) {
        char *name = next_name(f, used);
        if (def->points[i].name)
            snprintf(name, NAME, "%.50s.strike", def->points[i].name);
        else
            snprintf(name, NAME, "point%u.strike", i);
        f->events[i] = (fo_event){
            .name = name, .about = "adds its value to the node's velocity (first order: value)"};
    }
    f->description.events = (fo_events){f->events, def->point_count};
    for (uint32_t i = 0; i < f->signal_count; i++) {
        if (f->signals[i].kind != FO_SIGNAL_INPUT) continue;
        char *name = next_name(f, used);
        uint32_t point = i - 6;
        if (i < 6)
            snprintf(name, NAME, "%s", sides[i]);
        else if (point >= def->point_count)
            snprintf(name, NAME, "force");
        else if (def->points[point].name)
            snprintf(name, NAME, "%s", def->points[point].name);
        else
            snprintf(name, NAME, "point%u", point);
        f->inputs[f->input_of[i]] = (fo_variable){.name = name};
    }
    f->description.inputs = (fo_variables){f->inputs, f->input_count};
}

static void describe_guards(fo_field *f, size_t *used)
{
    uint32_t count = f->object ? foi_object_guards(f->object) : 0;
    for (uint32_t i = 0; i < count; i++) {
        char *name = next_name(f, used);
        snprintf(name, NAME, "contact%u", i);
        f->guards[i] = (fo_guard){.name = name,
                                  .direction = FO_FALLING,
                                  .about = "open: the gap closes; closed: the force ends"};
    }
    f->description.guards = (fo_guards){f->guards, count};
}

static const fo_event kink_event[] = {{.name = "signal", .about = "a signal is not smooth here"}};

fo_status foi_describe(fo_field *f, const fo_field_def *def)
{
    size_t guards = f->object ? foi_object_guards(f->object) : 0, used = 0;
    size_t names = (size_t)def->probe_count + def->point_count + f->input_count + guards;
    f->outputs =
        foi_new(f->allocator, (size_t)def->probe_count + 1 + OBJECT_OUTPUTS, sizeof *f->outputs);
    f->inputs = foi_new(f->allocator, f->input_count, sizeof *f->inputs);
    f->events = foi_new(f->allocator, def->point_count, sizeof *f->events);
    f->guards = foi_new(f->allocator, guards, sizeof *f->guards);
    f->names = foi_new(f->allocator, names, NAME);
    f->probe_state = foi_new(f->allocator, def->probe_count, sizeof *f->probe_state);
    if (!f->outputs || !f->inputs || !f->events || !f->guards || !f->names || !f->probe_state)
        return FO_ERROR_MEMORY;
    f->description.name = f->name;
    f->description.about = f->about_text;
    static const char *const equations[] = {
        "theta'' = c^2 lap theta - b1 theta' + b2 lap theta' + forces",
        "u' = D lap u - v . grad u + r0 + r1 u + r2 u^2 + r3 u^3 + sources",
        "a function over the nodes around",
    };
    f->description.equations = equations[f->def.equation];
    describe_outputs(f, def, &used);
    describe_points(f, def, &used);
    describe_guards(f, &used);
    if (f->kink_count) f->description.moments = (fo_events){kink_event, 1};
    f->description.stiff = f->def.equation == FO_FIELD_TRANSPORT;
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- pattern

/// Neighbours of a node along all axes, itself included, ascending and each once.
static uint32_t neighbours(const fo_field *f, uint32_t node, uint32_t *list)
{
    uint32_t count = 0, stride = 1, rest = node;
    list[count++] = node;
    for (uint32_t axis = 0; axis < f->def.dimensions; axis++) {
        uint32_t n = f->n[axis], i = rest % n;
        bool wrap = f->box.reach[2 * axis] == FOI_WRAP;
        if (i > 0 || wrap) list[count++] = i > 0 ? node - stride : node + (n - 1) * stride;
        if (i + 1 < n || wrap) list[count++] = i + 1 < n ? node + stride : node - (n - 1) * stride;
        rest /= n;
        stride *= n;
    }
    for (uint32_t a = 1; a < count; a++) // a short list: sorted by insertion
        for (uint32_t b = a; b > 0 && list[b] < list[b - 1]; b--) {
            uint32_t swap = list[b];
            list[b] = list[b - 1], list[b - 1] = swap;
        }
    return count;
}

// The pattern is symmetric in the nodes, so that a column's rows are its node's neighbours. For
// second order: rows of u' = w in the first half, rows of w' = f(u, w) in the second.
fo_status foi_pattern_create(fo_field *f)
{
    // the object couples its nodes; and grids this large are not for solvers with matrices
    if (f->object || f->nodes > LARGE) return FO_OK;
    size_t entries = (size_t)f->nodes * ((2 * f->def.dimensions + 1) * f->order + 1);
    uint32_t states = f->nodes * f->order, count = 0;
    f->pattern_start = foi_new(f->allocator, (size_t)states + 1, sizeof *f->pattern_start);
    f->pattern_row = foi_new(f->allocator, entries, sizeof *f->pattern_row);
    if (!f->pattern_start || !f->pattern_row) return FO_ERROR_MEMORY;
    for (uint32_t column = 0; column < states; column++) {
        uint32_t list[7], node = column % f->nodes, base = f->order == 2 ? f->nodes : 0;
        f->pattern_start[column] = count;
        if (column >= f->nodes) f->pattern_row[count++] = node; // du/dw
        uint32_t near = neighbours(f, node, list);
        for (uint32_t i = 0; i < near; i++) f->pattern_row[count++] = base + list[i];
    }
    f->pattern_start[states] = count;
    f->pattern = (fo_pattern){states, f->pattern_start, f->pattern_row};
    return FO_OK;
}
