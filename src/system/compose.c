#include "system/compose.h"

#include <assert.h>
#include <string.h>

// ------------------------------------------------------------------------- parts and connections

static fo_status check_parts(const fo_composition_def *def, fo_message *why)
{
    if (!def->part_count)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a composition needs at least one part");
    for (uint32_t i = 0; i < def->part_count; i++) {
        const fo_component *part = &def->parts[i];
        if (!part->name) return fo_fail(why, FO_ERROR_ARGUMENT, "part %u has no name", i);
        fo_status status = fo_system_check(part->system, why);
        if (status) {
            fo_message_prefix(why, "part '%s': ", part->name);
            return status;
        }
        const fo_system_type *type = part->system.type;
        if (fo_system_shape(part->system).states && !type->rates && !type->residual)
            return fo_fail(why, FO_ERROR_UNFIT,
                           "part '%s' has only a stepper of its own; a composition needs its rates",
                           part->name);
    }
    return FO_OK;
}

static fo_status copy_parts(fo_composition *c, const fo_composition_def *def, fo_message *why)
{
    c->parts = foi_new(c->allocator, def->part_count, sizeof *c->parts);
    if (!c->parts) return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u parts", def->part_count);
    c->part_count = def->part_count;
    for (uint32_t i = 0; i < def->part_count; i++) {
        foi_part *part = &c->parts[i];
        part->system = def->parts[i].system;
        part->shape = fo_system_shape(part->system);
        part->moments = (uint32_t)part->system.about->moments.count;
        if (!part->moments && part->system.type->next) part->moments = 1;
        part->salt = 14695981039346656037u; // FNV-1a of the name
        for (const char *n = def->parts[i].name; *n; n++)
            part->salt = (part->salt ^ (unsigned char)*n) * 1099511628211u;
        part->name = foi_copy_text(c->allocator, def->parts[i].name);
        if (!part->name)
            return fo_fail(why, FO_ERROR_MEMORY, "no memory for the names of the parts");
    }
    return FO_OK;
}

// Two parts of one name would give two variables of one name; the salts find them quickly.
static fo_status check_part_names(const fo_composition *c, fo_message *why)
{
    for (uint32_t i = 0; i < c->part_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (c->parts[i].salt == c->parts[j].salt &&
                strcmp(c->parts[i].name, c->parts[j].name) == 0)
                return fo_fail(why, FO_ERROR_ARGUMENT, "parts %u and %u are both called '%s'", j, i,
                               c->parts[i].name);
    return FO_OK;
}

static fo_status check_connection(const fo_composition *c, const fo_composition_def *def,
                                  uint32_t index, fo_message *why)
{
    const fo_connection *k = &def->connections[index];
    uint32_t missing = k->from_part >= c->part_count ? k->from_part : k->to_part;
    if (missing >= c->part_count)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "connection %u names part %u, but there are only %u parts", index, missing,
                       c->part_count);
    const foi_part *from = &c->parts[k->from_part], *to = &c->parts[k->to_part];
    if (k->from >= from->shape.outputs)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "connection %u comes from output %u of part '%s', which has only %u", index,
                       k->from, from->name, from->shape.outputs);
    if (k->to >= to->shape.inputs)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "connection %u goes into input %u of part '%s', which has only %u", index,
                       k->to, to->name, to->shape.inputs);
    return FO_OK;
}

static fo_status connected_twice(const fo_composition *c, const fo_composition_def *def,
                                 uint32_t index, fo_message *why)
{
    const fo_connection *k = &def->connections[index], *other = def->connections;
    while (other->to_part != k->to_part || other->to != k->to) other++;
    char input[96], first[96], second[96];
    foi_port_name(&c->parts[k->to_part], FO_INPUT, k->to, input, sizeof input);
    foi_port_name(&c->parts[other->from_part], FO_OUTPUT, other->from, first, sizeof first);
    foi_port_name(&c->parts[k->from_part], FO_OUTPUT, k->from, second, sizeof second);
    return fo_fail(why, FO_ERROR_ARGUMENT, "input %s is connected twice: from %s and from %s",
                   input, first, second);
}

static fo_status connect(fo_composition *c, const fo_composition_def *def, fo_message *why)
{
    c->u_source = foi_new(c->allocator, c->u_count, sizeof *c->u_source);
    c->u_default = foi_new(c->allocator, c->u_count, sizeof *c->u_default);
    if (!c->u_source || !c->u_default)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u inputs", c->u_count);
    for (uint32_t i = 0; i < def->connection_count; i++) {
        const fo_connection *k = &def->connections[i];
        fo_status status = check_connection(c, def, i, why);
        if (status) return status;
        foi_part *to = &c->parts[k->to_part];
        if (c->u_source[to->u + k->to] == FOI_NO_INDEX) return connected_twice(c, def, i, why);
        c->u_source[to->u + k->to] = FOI_NO_INDEX;
        to->connected++;
        c->parts[k->from_part].feeds = true;
    }
    uint32_t own = 0;
    for (uint32_t i = 0; i < c->part_count; i++) {
        foi_part *part = &c->parts[i];
        const fo_variables *inputs = &part->system.about->inputs;
        part->input = own;
        for (uint32_t u = 0; u < part->shape.inputs; u++) {
            if (u < inputs->count) c->u_default[part->u + u] = inputs->list[u].start;
            if (c->u_source[part->u + u] != FOI_NO_INDEX) c->u_source[part->u + u] = own++;
        }
    }
    c->shape.inputs = own;
    return FO_OK;
}

// ------------------------------------------------------------------------------------- the layout

// Places what never moves, and sums the sizes.
static fo_status lay_out(fo_composition *c, fo_message *why)
{
    uint64_t u = 0, y = 0, p = 0, g = 0, n = 0, moment = 0, event = 0;
    for (uint32_t i = 0; i < c->part_count; i++) {
        foi_part *part = &c->parts[i];
        part->u = (uint32_t)u, part->y = (uint32_t)y, part->p = (uint32_t)p;
        part->g = (uint32_t)g, part->c = (uint32_t)n;
        part->moment = (uint32_t)moment, part->event = (uint32_t)event;
        u += part->shape.inputs, y += part->shape.outputs, p += part->shape.parameters;
        g += part->shape.guards, n += part->shape.conditions;
        moment += part->moments, event += part->system.about->events.count;
        if ((u | y | p | g | n | moment | event) > UINT32_MAX)
            return fo_fail(why, FO_ERROR_ARGUMENT, "the parts together are too large: at '%s'",
                           part->name);
    }
    c->u_count = (uint32_t)u, c->y_count = (uint32_t)y;
    c->shape.outputs = (uint32_t)y, c->shape.parameters = (uint32_t)p;
    c->shape.guards = (uint32_t)g, c->shape.conditions = (uint32_t)n;
    c->scratch_at = foi_round16(((size_t)u + y) * sizeof(double));
    c->memory_u = c->part_count * sizeof(foi_extent);
    size_t memory = foi_round16(c->memory_u + u * sizeof(double));
    for (uint32_t i = 0; i < c->part_count; i++) {
        size_t its = c->parts[i].shape.memory;
        c->parts[i].memory = memory;
        if (its > PTRDIFF_MAX - 32 || __builtin_add_overflow(memory, foi_round16(its), &memory))
            return fo_fail(why, FO_ERROR_ARGUMENT, "the memory of part '%s' is too large: %zu",
                           c->parts[i].name, its);
    }
    c->shape.memory = memory;
    return FO_OK;
}

// The shape of the start, from the same function that later changes it.
static fo_status measure(fo_composition *c, fo_message *why)
{
    foi_extent *extents = foi_new(c->allocator, c->part_count, sizeof *extents);
    if (!extents) return fo_fail(why, FO_ERROR_MEMORY, "no memory for %u parts", c->part_count);
    foi_extents_begin(c, extents);
    bool fits = foi_extents_place(c, extents, &c->shape);
    foi_free(c->allocator, extents);
    if (fits) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "the parts have too many states together");
}

// ----------------------------------------------------------------------------------- the functions

static void composed_shape(const void *model, fo_shape *shape)
{
    *shape = ((const fo_composition *)model)->shape;
}

static void offer_functions(fo_composition *c)
{
    fo_system_type *type = &c->type;
    *type = (fo_system_type){
        .kind = "composition", .shape = composed_shape, .start = foi_compose_start};
    type->rates = foi_compose_rates;
    bool sides = true;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const fo_system_type *its = c->parts[i].system.type;
        if (its->guards) type->guards = foi_compose_guards;
        if (its->held) type->held = foi_compose_held;
        if (its->guards && !its->side) sides = false;
        if (its->side) type->side = foi_compose_side;
        if (its->divisors) type->divisors = foi_compose_divisors;
        if (its->divisors) type->divisor_count += its->divisor_count;
        if (its->conditions) type->conditions = foi_compose_conditions;
        if (its->next) type->next = foi_compose_next;
        if (its->jump) type->jump = foi_compose_jump;
        if (its->hears_sets) type->hears_sets = true;
        if (its->observe) type->observe = foi_compose_observe;
        if (its->settle) type->settle = foi_compose_settle;
        if (its->record) type->record = foi_compose_record;
        if (its->mass) type->mass = foi_compose_mass;
        if (its->residual) type->residual = foi_compose_residual;
        if (its->residual) type->start_rates = foi_compose_start_rates;
        if (foi_part_has_bounds(&c->parts[i])) type->guard_bounds = foi_compose_guard_bounds;
        type->lockstep |= c->parts[i].system.type->lockstep;
        if (!type->no_snapshot) type->no_snapshot = its->no_snapshot;
    }
    if (!sides) type->side = NULL;
    // a part with a residual alone leaves the residual as the only way for the whole
    for (uint32_t i = 0; i < c->part_count; i++) {
        const fo_system_type *its = c->parts[i].system.type;
        if (its->residual && !its->rates) type->rates = NULL, type->mass = NULL;
    }
}

static void deepen(uint32_t *depth, const foi_part *part, bool wanted)
{
    if (wanted && part->depth > *depth) *depth = part->depth;
}

// How much of the plan each function needs: as far as the inputs of the parts that have it.
static void measure_depths(fo_composition *c)
{
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_part *part = &c->parts[i];
        const fo_system_type *its = part->system.type;
        deepen(&c->rates_depth, part, its->rates || its->residual);
        deepen(&c->guards_depth, part, its->guards);
        deepen(&c->conditions_depth, part, its->conditions);
        deepen(&c->next_depth, part, its->next);
        deepen(&c->settle_depth, part, its->settle);
        deepen(&c->record_depth, part, its->record);
    }
}

fo_composition_def fo_default_composition_def(void)
{
    return (fo_composition_def){.name = "composition"};
}

fo_composition *fo_compose(const fo_composition_def *def, fo_message *why)
{
    assert(def);
    if (check_parts(def, why)) return NULL;
    fo_composition *c = foi_new(def->allocator, 1, sizeof *c);
    if (!c) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a composition");
        return NULL;
    }
    c->allocator = def->allocator;
    fo_status status = copy_parts(c, def, why);
    if (!status) status = check_part_names(c, why);
    if (!status) status = lay_out(c, why);
    if (!status) status = connect(c, def, why);
    if (!status) status = foi_compose_plan(c, def, why);
    if (!status) {
        offer_functions(c);
        measure_depths(c);
        status = measure(c, why);
    }
    if (!status) status = foi_compose_describe(c, def, why);
    if (!status) return c;
    fo_composition_destroy(c);
    return NULL;
}

fo_system fo_composition_system(const fo_composition *composition)
{
    return (fo_system){&composition->type, &composition->about, composition};
}

void fo_composition_destroy(fo_composition *composition)
{
    if (!composition) return;
    fo_composition *c = composition;
    const fo_allocator *a = c->allocator;
    for (uint32_t i = 0; i < c->part_count; i++) foi_free(a, (void *)c->parts[i].name);
    foi_free(a, c->parts), foi_free(a, c->u_source), foi_free(a, c->u_default);
    foi_free(a, c->steps), foi_free(a, c->copies), foi_free(a, c->tail);
    foi_free(a, c->start_order), foi_free(a, c->texts), foi_free(a, c->variables);
    foi_free(a, c->guards), foi_free(a, c->events), foi_free(a, c);
}
