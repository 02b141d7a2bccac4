/// What the variables of a unit are called.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/fmu.h"

// "A[2,1]", row by row.
static const char *element_name(foi_arena *arena, const foi_fmu_variable *v, uint32_t element)
{
    char text[64] = "";
    uint32_t index[4], rest = element;
    if (!v->dimension_count) return v->name;
    for (uint32_t k = v->dimension_count; k-- > 0;) {
        index[k] = rest % v->dimensions[k];
        rest /= v->dimensions[k];
    }
    for (uint32_t k = 0; k < v->dimension_count; k++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%u", k ? "," : "", index[k] + 1);
    }
    return foi_arena_print(arena, "%s[%s]", v->name, text);
}

static fo_value_type value_type(foi_fmu_type type)
{
    if (type <= FOI_FMU_FLOAT32) return FO_REAL;
    return type == FOI_FMU_BOOLEAN       ? FO_BOOLEAN
           : type == FOI_FMU_ENUMERATION ? FO_ENUMERATION
                                         : FO_INTEGER;
}

static void add_bounds(fo_variable *to, const foi_fmu_variable *v)
{
    double value;
    bool low = foi_fmu_number(v->min, 0, &value);
    if (low) to->min = value;
    bool high = foi_fmu_number(v->max, 0, &value);
    if (high) to->max = value;
    if (!low && !high) return;
    if (!low) to->min = -INFINITY;
    if (!high) to->max = INFINITY;
}

static fo_causality causality(const foi_fmu_variable *v, bool state)
{
    if (v->causality == FOI_FMU_OUTPUT && state) return FO_CAUSALITY_OUTPUT;
    return FO_CAUSALITY_BY_LIST;
}

static bool name_slots(fo_fmu *f, const foi_unit_list *list, uint32_t from, uint32_t to, bool state,
                       fo_variables *into)
{
    fo_variable *names = NULL;
    uint32_t count = 0;
    for (uint32_t i = from; i < to; i++) {
        const foi_fmu_variable *v = list->slots[i].variable;
        for (uint32_t k = 0; k < list->slots[i].size; k++) {
            fo_variable *n = foi_arena_add(&f->unit.arena, &names, &count, sizeof *n);
            if (!n) return false;
            double start = 0;
            foi_fmu_number(v->start, k, &start);
            *n = (fo_variable){.name = element_name(&f->unit.arena, v, k),
                               .unit = v->unit,
                               .start = start,
                               .about = v->about,
                               .causality = causality(v, state),
                               .variability = v->variability,
                               .type = value_type(v->type),
                               .direct = list == &f->unit.y && f->unit.u.count > 0 && !v->indirect,
                               .display_unit = v->display_unit};
            add_bounds(n, v);
            // the output has the name
            if (n->name && state && f->unit.part && v->causality == FOI_FMU_OUTPUT)
                n->name = foi_arena_print(&f->unit.arena, "state(%s)", n->name);
            if (!n->name) return false;
        }
    }
    *into = (fo_variables){names, count};
    return true;
}

static bool name_guards(fo_fmu *f)
{
    uint32_t count = f->unit.cosimulation ? 0 : f->unit.about.indicators;
    fo_guard *guards = foi_arena_new(&f->unit.arena, count + 1, sizeof *guards);
    if (!guards) return false;
    for (uint32_t i = 0; i < count; i++) {
        guards[i].name = foi_arena_print(&f->unit.arena, "indicator[%u]", i + 1);
        guards[i].about = "an event indicator of the FMU";
        if (!guards[i].name) return false;
    }
    f->about.guards = (fo_guards){guards, count};
    return true;
}

static bool name_states(fo_fmu *f)
{
    static const fo_variable steps = {"steps",
                                      "",
                                      0,
                                      "communication steps",
                                      0,
                                      0,
                                      false,
                                      FO_CAUSALITY_LOCAL,
                                      FO_VARIABILITY_CONTINUOUS,
                                      FO_REAL,
                                      NULL};
    const foi_unit_list *y = &f->unit.y;
    if (!f->unit.cosimulation && !f->unit.scheduled)
        return name_slots(f, &f->unit.x, 0, f->unit.x.count, true, &f->about.states) &&
               name_slots(f, y, 0, y->count, false, &f->about.outputs);
    if (f->unit.scheduled) return name_slots(f, y, 0, y->count, false, &f->about.outputs);
    f->counts = y->reals == 0;
    if (f->counts) f->about.states = (fo_variables){&steps, 1};
    return (f->counts || name_slots(f, y, 0, y->reals, true, &f->about.states)) &&
           name_slots(f, y, y->reals, y->count, false, &f->about.outputs);
}

// Clocks that tick from outside are events; the others have a moment.
static bool name_clocks(fo_fmu *f)
{
    const foi_unit *u = &f->unit;
    fo_event *list = foi_arena_new(&f->unit.arena, u->clock_count + 1, sizeof *list);
    uint32_t count = 0;
    if (!list) return false;
    for (uint32_t i = 0; i < u->clock_count; i++)
        if (u->clocks[i]->clock.ticking == FOI_FMU_TRIGGERED)
            list[count++] = (fo_event){u->clocks[i]->name, NULL, "a tick of this clock", 0};
    f->about.events = (fo_events){list, count};
    return true;
}

fo_status foi_fmu_name(fo_fmu *f, fo_message *why)
{
    static const fo_event tick[] = {{"tick", NULL, "of the FMU's clocks", 0}};
    static const fo_event moments[] = {{"time event", NULL, "of the FMU", 0},
                                       {"step event", NULL, "the FMU asks for one", 0},
                                       {"end", NULL, "the FMU ends the simulation", 0},
                                       {"look", NULL, "where events have accumulated", 0}};
    const foi_unit *u = &f->unit;
    f->about.name = u->about.name, f->about.about = u->about.about ? u->about.about : "";
    if (!name_states(f) || !name_guards(f) ||
        !name_slots(f, &u->u, 0, u->u.count, false, &f->about.inputs) ||
        !name_slots(f, &u->p, 0, u->p.count, false, &f->about.parameters))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the names of %s", u->about.file);
    if (!name_clocks(f))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the names of %s", u->about.file);
    f->about.moments =
        u->scheduled ? (fo_events){tick, 1} : (fo_events){moments, u->cosimulation ? 3 : 4};
    return FO_OK;
}
