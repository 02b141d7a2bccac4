/// What is connected with what in a group of units: names, units of measure, power bonds.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fmi/group.h"

fo_status foi_group_wrong(const fo_fmu_group *g, uint32_t line, fo_message *why, const char *format,
                          ...)
{
    char text[FO_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return fo_fail(why, FO_ERROR_FORMAT, "%s:%u: %s", g->plan.file, line, text);
}

void *foi_group_room(fo_fmu_group *g, size_t count, size_t size)
{
    return foi_arena_new(&g->plan.arena, count + 1, size);
}

// ---------------------------------------------------------------------------------- by their names

static uint32_t part_of(const fo_fmu_group *g, const char *name)
{
    for (uint32_t k = 0; k < g->count; k++)
        if (strcmp(g->plan.parts[k].name, name) == 0) return k;
    return UINT32_MAX;
}

static uint32_t in_list(const fo_variables *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->list[i].name, name) == 0) return (uint32_t)i;
    return UINT32_MAX;
}

// Output i of a unit: its real ones are the states of its system.
const fo_variable *foi_group_output(const fo_fmu *f, uint32_t i)
{
    uint32_t reals = f->unit.y.real_values;
    if (!f->unit.cosimulation) return &f->about.outputs.list[i];
    return i < reals ? &f->about.states.list[i] : &f->about.outputs.list[i - reals];
}

static uint32_t find_output(const fo_fmu *f, const char *name)
{
    for (uint32_t i = 0; i < f->unit.y.values; i++)
        if (strcmp(foi_group_output(f, i)->name, name) == 0) return i;
    return UINT32_MAX;
}

static const char *pin_unit(const fo_fmu_group *g, const char *part, const char *name,
                            const char *own)
{
    for (uint32_t i = 0; i < g->plan.pin_count; i++) {
        const foi_group_pin *pin = &g->plan.pins[i];
        bool here = part ? pin->part && strcmp(pin->part, part) == 0 : !pin->part;
        if (here && strcmp(pin->name, name) == 0 && pin->unit) return pin->unit;
    }
    return own;
}

static const foi_fmu_measure *measure(const fo_fmu_group *g, uint32_t part, const char *unit)
{
    const foi_fmu_measure *m = foi_fmu_measure_of(g->plan.measures, g->plan.measure_count, unit);
    if (m || part == UINT32_MAX) return m;
    const foi_fmu_description *d = &g->units[part]->unit.about;
    return foi_fmu_measure_of(d->measures, d->measure_count, unit);
}

// ------------------------------------------------------------------------------------- connections

/// One end of a wire: whose, what it is called, and in which unit of measure it is.
typedef struct wire_end {
    uint32_t part;
    const char *unit;
    const foi_fmu_measure *measure;
} wire_end;

static void find_measure(const fo_fmu_group *g, wire_end *e, const foi_group_end *end,
                         const char *own)
{
    e->unit = pin_unit(g, end->part, end->name, own);
    if (e->unit && !e->unit[0]) e->unit = NULL;
    e->measure = e->unit ? measure(g, e->part, e->unit) : NULL;
}

// base = a.factor x + a.offset = b.factor y + b.offset, and the document's own transformation comes
// after that: y' = factor y + offset.
static fo_status convert(const fo_fmu_group *g, const foi_group_wire *w, const wire_end *a,
                         const wire_end *b, double *factor, double *offset, fo_message *why)
{
    *factor = w->factor, *offset = w->offset;
    if (w->as_it_is || !a->unit || !b->unit || strcmp(a->unit, b->unit) == 0) return FO_OK;
    const foi_fmu_measure *from = a->measure, *to = b->measure;
    bool known = from && to && from->known && to->known;
    if (!known || memcmp(from->exponent, to->exponent, sizeof from->exponent) != 0 ||
        to->factor == 0)
        return foi_group_wrong(g, w->line, why, "%s.%s is in %s and %s.%s in %s: %s",
                               w->from.part ? w->from.part : "", w->from.name, a->unit,
                               w->to.part ? w->to.part : "", w->to.name, b->unit,
                               known ? "these units have different dimensions"
                                     : "the descriptions do not say how these units convert");
    *offset = w->factor * (from->offset - to->offset) / to->factor + w->offset;
    *factor = w->factor * from->factor / to->factor;
    return FO_OK;
}

fo_status foi_group_convert_value(const fo_fmu_group *g, const foi_group_value *v, uint32_t part,
                                  const char *unit, double *value, fo_message *why)
{
    *value = v->value;
    if (!v->unit || !*v->unit || !unit || !*unit || strcmp(v->unit, unit) == 0) return FO_OK;
    const foi_fmu_measure *to = measure(g, part, unit), *from = NULL;
    if (v->until > v->from)
        from = foi_fmu_measure_of(g->plan.set_measures + v->from, v->until - v->from, v->unit);
    if (!from) from = measure(g, part, v->unit);
    bool known = from && to && from->known && to->known && to->factor != 0;
    if (!known || memcmp(from->exponent, to->exponent, sizeof from->exponent) != 0)
        return foi_group_wrong(g, v->line, why, "the value of '%s' is in %s and it is in %s: %s",
                               v->name, v->unit, unit,
                               known ? "these units have different dimensions"
                                     : "the descriptions do not say how these units convert");
    *value = (from->factor * v->value + from->offset - to->offset) / to->factor;
    return FO_OK;
}

static uint32_t outside_pin(const fo_fmu_group *g, const char *name, bool output)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < g->plan.pin_count; i++) {
        const foi_group_pin *pin = &g->plan.pins[i];
        if (pin->part || pin->output != output) continue;
        if (strcmp(pin->name, name) == 0) return index;
        index++;
    }
    return UINT32_MAX;
}

static fo_status find_source(const fo_fmu_group *g, const foi_group_wire *w, foi_group_link *l,
                             wire_end *end, fo_message *why)
{
    const char *own = NULL;
    end->part = UINT32_MAX, l->from = UINT32_MAX;
    if (!w->from.part) {
        l->outside = outside_pin(g, w->from.name, false);
        if (l->outside == UINT32_MAX)
            return foi_group_wrong(g, w->line, why, "the system has no input '%s'", w->from.name);
    } else {
        end->part = l->source = part_of(g, w->from.part);
        if (end->part == UINT32_MAX)
            return foi_group_wrong(g, w->line, why, "there is no FMU '%s'", w->from.part);
        const fo_fmu *f = g->units[end->part];
        uint32_t i = find_output(f, w->from.name);
        if (i == UINT32_MAX)
            return foi_group_wrong(g, w->line, why, "the FMU '%s' has no output '%s'", w->from.part,
                                   w->from.name);
        l->from = g->first_y[end->part] + i;
        own = foi_group_output(f, i)->unit;
    }
    find_measure(g, end, &w->from, own);
    return FO_OK;
}

static fo_status take_wire(fo_fmu_group *g, const foi_group_wire *w, bool *taken, fo_message *why)
{
    foi_group_link l = {0};
    wire_end a = {0}, b = {.part = UINT32_MAX};
    fo_status status = find_source(g, w, &l, &a, why);
    if (status != FO_OK) return status;
    if (!w->to.part) { // an output of the whole
        if (outside_pin(g, w->to.name, true) == UINT32_MAX || l.from == UINT32_MAX)
            return foi_group_wrong(g, w->line, why, "the system has no output '%s'", w->to.name);
        find_measure(g, &b, &w->to, NULL);
        struct foi_group_alias *alias = &g->aliases[outside_pin(g, w->to.name, true)];
        alias->from = l.from;
        return convert(g, w, &a, &b, &alias->factor, &alias->offset, why);
    }
    b.part = l.part = part_of(g, w->to.part);
    if (b.part == UINT32_MAX)
        return foi_group_wrong(g, w->line, why, "there is no FMU '%s'", w->to.part);
    l.to = in_list(&g->units[b.part]->about.inputs, w->to.name);
    if (l.to == UINT32_MAX)
        return foi_group_wrong(g, w->line, why, "the FMU '%s' has no input '%s'", w->to.part,
                               w->to.name);
    if (taken[g->first_u[b.part] + l.to])
        return foi_group_wrong(g, w->line, why, "there are two connections to %s.%s", w->to.part,
                               w->to.name);
    taken[g->first_u[b.part] + l.to] = true;
    find_measure(g, &b, &w->to, g->units[b.part]->about.inputs.list[l.to].unit);
    status = convert(g, w, &a, &b, &l.factor, &l.offset, why);
    g->links[g->link_count++] = l;
    return status;
}

fo_status foi_group_connect(fo_fmu_group *g, fo_message *why)
{
    foi_group_plan *p = &g->plan;
    bool *taken = foi_group_room(g, g->u_count, sizeof *taken);
    g->links = foi_group_room(g, p->wire_count, sizeof *g->links);
    g->free_u = foi_group_room(g, g->u_count, sizeof *g->free_u);
    for (uint32_t i = 0; i < p->pin_count; i++)
        if (!p->pins[i].part) *(p->pins[i].output ? &g->alias_count : &g->outside_count) += 1;
    g->aliases = foi_group_room(g, g->alias_count, sizeof *g->aliases);
    if (!taken || !g->links || !g->free_u || !g->aliases)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the connections of %s", p->file);
    for (uint32_t i = 0; i < g->alias_count; i++) g->aliases[i].from = UINT32_MAX;
    for (uint32_t i = 0; i < p->wire_count; i++) {
        fo_status status = take_wire(g, &p->wires[i], taken, why);
        if (status != FO_OK) return status;
    }
    for (uint32_t i = 0; i < g->u_count; i++)
        if (!taken[i]) g->free_u[g->free_count++] = i;
    return FO_OK;
}

// ------------------------------------------------------------------------------------- power bonds

// kg m2 s-3, angles aside; the scale of both units is 1, so that the product is in watts.
static bool is_power(const fo_fmu_group *g, const foi_group_link *a, const foi_group_link *b)
{
    static const int watt[7] = {1, 2, -3, 0, 0, 0, 0};
    const fo_variable *va = &g->units[a->part]->about.inputs.list[a->to];
    const fo_variable *vb = &g->units[b->part]->about.inputs.list[b->to];
    const foi_fmu_measure *ma = va->unit ? measure(g, a->part, va->unit) : NULL;
    const foi_fmu_measure *mb = vb->unit ? measure(g, b->part, vb->unit) : NULL;
    if (!ma || !mb || !ma->known || !mb->known || ma->factor != 1 || mb->factor != 1) return false;
    for (int i = 0; i < 7; i++)
        if (ma->exponent[i] + mb->exponent[i] != watt[i]) return false;
    return true;
}

// Forces, torques, voltages and pressures have a mass in their units, what flows has none.
static bool is_effort(const fo_fmu_group *g, const foi_group_link *l)
{
    const fo_variable *v = &g->units[l->part]->about.inputs.list[l->to];
    return measure(g, l->part, v->unit)->exponent[0] != 0;
}

static bool is_bonded(const fo_fmu_group *g, uint32_t link)
{
    for (uint32_t i = 0; i < g->bond_count; i++)
        if (g->bonds[i].effort == link || g->bonds[i].flow == link) return true;
    return false;
}

// Two connections between the same two units, one each way, whose product is a power.
fo_status foi_group_find_bonds(fo_fmu_group *g, fo_message *why)
{
    g->bonds = foi_group_room(g, g->link_count, sizeof *g->bonds);
    if (!g->bonds) return fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", g->plan.file);
    for (uint32_t i = 0; i < g->link_count; i++)
        for (uint32_t k = i + 1; k < g->link_count; k++) {
            const foi_group_link *a = &g->links[i], *b = &g->links[k];
            if (a->from == UINT32_MAX || b->from == UINT32_MAX || is_bonded(g, i) ||
                is_bonded(g, k) || a->source != b->part || b->source != a->part ||
                !is_power(g, a, b))
                continue;
            bool turned = !is_effort(g, a) && is_effort(g, b);
            const foi_group_link *l = turned ? b : a;
            const fo_variable *e = &g->units[l->part]->about.inputs.list[l->to];
            g->bonds[g->bond_count++] =
                (foi_group_bond){turned ? k : i, turned ? i : k,
                                 foi_arena_print(&g->plan.arena, "residual(%s.%s)",
                                                 g->plan.parts[l->part].name, e->name)};
        }
    return FO_OK;
}
