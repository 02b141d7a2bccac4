// Where signals, states, guards and memory lie, and what they are called.

#include "diagram/diagram.h"
#include "math/math.h"

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

// Memory is counted here in 64 bits, and must stay below 2^31 doubles.
static fo_status lay_out_node(foi_build *b, foi_node *n, uint64_t *memory)
{
    foi_diagram *d = b->diagram;
    uint64_t width = d->width;
    n->hold = (uint32_t)*memory;
    for (uint32_t i = 0; i < n->output_count; i++) {
        uint32_t own = foi_array_width(&n->outputs[i].shape);
        n->outputs[i].offset = (uint32_t)width;
        width += own;
        if (n->held) *memory += own;
    }
    n->work = (uint32_t)width;
    width += n->work_count;
    n->own = (uint32_t)*memory;
    *memory += n->own_count;
    n->before = (uint32_t)*memory;
    *memory += foi_reset_room(n);
    n->state = d->state_count;
    n->guard = d->guard_count;
    d->state_count += n->state_count;
    d->guard_count += n->guard_count;
    if (width > INT32_MAX || *memory > INT32_MAX || d->state_count > INT32_MAX / 2)
        return foi_node_refuse(b, n, "the diagram is too large");
    d->width = (uint32_t)width;
    return FO_OK;
}

static void list_node(foi_diagram *d, foi_node *n)
{
    if (n->type->rates && n->state_count) d->flowing[d->flowing_count++] = n;
    if (n->steps && n->type->update) d->acting[d->acting_count++] = n;
    if (n->type->watch && (n->guard_count || n->settles)) d->watching[d->watching_count++] = n;
    if (n->type->next && !n->held) d->breaking[d->breaking_count++] = n;
    if (n->type->happen) d->happening[d->happening_count++] = n;
    if (n->settles) d->settles = true;
    if (n->records) d->records = true;
    if (n->type->turns && n->guard_count) d->turns = true;
    if (n->type->pushed && n->guard_count) d->pushes = true;
    if (n->type->together && n->guard_count) d->together[d->together_count++] = n;
    for (uint32_t i = 0; i < n->guard_count; i++) d->guard_owners[n->guard + i] = n;
}

static bool is_fixed(const foi_node *n)
{
    return n->output_count && n->outputs[0].fixed;
}

static bool may_be_fixed(const foi_node *n)
{
    bool fixed = n->sample == INFINITY && !n->steps && !n->held && !n->guard_count &&
                 !n->state_count && !n->own_count && n->output_count && n->type->output;
    for (uint32_t i = 0; i < n->input_count && fixed; i++) fixed = n->inputs[i]->fixed;
    return fixed;
}

// The node itself; for those of a loop, which stand together, the loop in the place of the last.
static foi_node *to_evaluate(foi_node *n)
{
    if (!n->loop) return n;
    return foi_loop_ends(n) ? n->loop : NULL;
}

// Constants and what depends on nothing else are computed once. A node that refuses is left to the
// run, which can say when it happened.
static fo_status fix_constants(foi_build *b)
{
    foi_diagram *d = b->diagram;
    double *values = foi_arena_new(b->arena, d->width + 1, sizeof *values);
    d->live = foi_arena_new(b->arena, d->node_count, sizeof *d->live);
    if (!values || !d->live) return no_memory(b);
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = d->order[i];
        foi_run r = {.diagram = d, .t = d->start, .signals = values};
        n->place = i;
        if (may_be_fixed(n)) n->type->output(n, &r);
        if (!may_be_fixed(n) || r.status != FO_OK) {
            foi_node *evaluated = to_evaluate(n);
            if (evaluated) d->live[d->live_count++] = evaluated;
            continue;
        }
        for (uint32_t j = 0; j < n->output_count; j++)
            n->outputs[j].fixed = values + n->outputs[j].offset;
    }
    return FO_OK;
}

// Marks, by index, the nodes that are looked for and all that leads to them. NULL without memory.
static bool *mark_leading(foi_build *b, bool (*is_one)(const foi_node *n))
{
    foi_diagram *d = b->diagram;
    foi_node **stack = foi_arena_new(b->arena, d->node_count, sizeof(foi_node *));
    bool *marked = foi_arena_new(b->arena, d->node_count, sizeof *marked);
    uint32_t depth = 0;
    if (!stack || !marked) return NULL;
    for (uint32_t i = 0; i < d->node_count; i++) {
        if (!is_one(&d->nodes[i])) continue;
        marked[i] = true;
        stack[depth++] = &d->nodes[i];
    }
    while (depth) {
        const foi_node *n = stack[--depth];
        for (uint32_t i = 0; i < n->input_count; i++) {
            foi_node *driver = n->inputs[i]->node;
            if (marked[driver->index]) continue;
            marked[driver->index] = true;
            stack[depth++] = driver;
        }
    }
    return marked;
}

static bool flows_or_switches(const foi_node *n)
{
    return n->state_count || n->guard_count || n->settles;
}

// What rates and guards depend on: nodes with states or guards and all that leads to them. Sinks
// and what only they see is left out.
static fo_status find_needed(foi_build *b)
{
    foi_diagram *d = b->diagram;
    const bool *marked = mark_leading(b, flows_or_switches);
    d->needed = foi_arena_new(b->arena, d->node_count, sizeof *d->needed);
    if (!marked || !d->needed) return no_memory(b);
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = d->order[i];
        if (!marked[n->index] || is_fixed(n)) continue;
        foi_node *evaluated = to_evaluate(n);
        if (evaluated) d->needed[d->needed_count++] = evaluated;
    }
    return FO_OK;
}

static bool feels_jumps(const foi_node *n)
{
    return n->state_count || (n->guard_count && !n->type->turns) || n->settles;
}

// Where only sinks see the jumps of a node that turns there is nothing to be located: the whole
// part of 1/x has infinitely many of them where x comes to zero.
static fo_status leave_unfelt(foi_build *b)
{
    foi_diagram *d = b->diagram;
    const bool *marked = mark_leading(b, feels_jumps);
    if (!marked) return no_memory(b);
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = &d->nodes[i];
        if (n->type->turns && (!marked[i] || n->loop)) n->guard_count = n->own_count = 0;
    }
    return FO_OK;
}

fo_status foi_diagram_lay_out(foi_build *b)
{
    foi_diagram *d = b->diagram;
    uint64_t memory = 0, guards = 0;
    fo_status status = leave_unfelt(b);
    if (status == FO_OK) status = foi_resets_share(b);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < d->node_count; i++) guards += d->nodes[i].guard_count;
    if (guards > INT32_MAX) return fo_fail(b->why, FO_ERROR_FORMAT, "the diagram is too large");
    memory =
        2 + guards + 2; // ticks, the next break, sides; when guards turned, and acted, together
    for (uint32_t i = 0; i < d->node_count && status == FO_OK; i++)
        status = lay_out_node(b, &d->nodes[i], &memory);
    for (uint32_t i = 0; i < d->loop_count && status == FO_OK; i++)
        if ((status = lay_out_node(b, d->loops[i], &memory)) == FO_OK) foi_loop_place(d->loops[i]);
    if (status != FO_OK) return status;
    d->memory_count = (uint32_t)memory;
    d->flowing = foi_arena_new(b->arena, d->node_count, sizeof *d->flowing);
    d->acting = foi_arena_new(b->arena, d->node_count, sizeof *d->acting);
    d->breaking = foi_arena_new(b->arena, d->node_count, sizeof *d->breaking);
    d->watching = foi_arena_new(b->arena, d->node_count, sizeof *d->watching);
    d->happening = foi_arena_new(b->arena, d->node_count, sizeof *d->happening);
    d->guard_owners = foi_arena_new(b->arena, d->guard_count + 1, sizeof *d->guard_owners);
    d->together = foi_arena_new(b->arena, d->node_count, sizeof *d->together);
    if (!d->flowing || !d->acting || !d->breaking || !d->watching || !d->happening ||
        !d->guard_owners || !d->together)
        return no_memory(b);
    for (uint32_t i = 0; i < d->node_count; i++) list_node(d, d->order[i]);
    if (d->together_count == 1 && d->together[0]->guard_count == 1) d->together_count = 0;
    if (d->state_count && !d->integrator) {
        for (uint32_t i = 0; i < d->node_count; i++)
            if (d->nodes[i].state_count)
                return foi_node_refuse(b, &d->nodes[i],
                                       "needs an integrator, and none is chosen in the simulation "
                                       "parameters");
    }
    status = fix_constants(b);
    return status == FO_OK ? find_needed(b) : status;
}

// ---------------------------------------------------------------------------------------- names

// "name", "name[3]" of several, with what follows.
static const char *element_name(foi_build *b, const char *name, uint32_t i, uint32_t count,
                                const char *more)
{
    return count == 1 ? foi_arena_print(b->arena, "%s%s", name, more)
                      : foi_arena_print(b->arena, "%s[%u]%s", name, i + 1, more);
}

static bool add_signal(foi_build *b, fo_variable *list, const char *name, const foi_signal *signal)
{
    foi_diagram *d = b->diagram;
    bool parts = signal->shape.kind == FOI_SIGNAL_COMPLEX;
    uint32_t count = foi_array_size(&signal->shape);
    for (uint32_t i = 0; i < foi_array_width(&signal->shape); i++) {
        const char *more = !parts ? "" : i % 2 ? ".im" : ".re";
        fo_variable *v = &list[d->output_count];
        v->name = element_name(b, name, parts ? i / 2 : i, count, more);
        if (!v->name) return false;
        d->outputs[d->output_count++] = (struct foi_output){signal, i};
    }
    return true;
}

// "node" for the first one; "node:2", or "node.port" where the ports are those of a model inside.
static const char *output_name(foi_build *b, const foi_node *n, uint32_t i)
{
    char port[200];
    if (!i) return n->name;
    if (n->output_names == n->type->outputs)
        return foi_arena_print(b->arena, "%s:%u", n->name, i + 1);
    return foi_arena_print(b->arena, "%s.%s", n->name,
                           foi_node_port(n, false, i, port, sizeof port));
}

// What sinks see, then everything else.
static bool add_outputs(foi_build *b, fo_variable *list)
{
    foi_diagram *d = b->diagram;
    char port[64];
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = &d->nodes[i];
        for (uint32_t j = 0; !n->output_count && j < n->input_count; j++) {
            const char *name = n->name;
            if (n->input_count > 1)
                name = foi_arena_print(b->arena, "%s.%s", n->name,
                                       foi_node_port(n, true, j, port, sizeof port));
            if (!name || !add_signal(b, list, name, n->inputs[j])) return false;
        }
    }
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = &d->nodes[i];
        for (uint32_t j = 0; j < n->output_count; j++) {
            const char *name = output_name(b, n, j);
            if (!name || !add_signal(b, list, name, &n->outputs[j])) return false;
        }
    }
    return true;
}

static uint64_t count_outputs(const foi_diagram *d)
{
    uint64_t count = d->width; // some of it is work space
    for (uint32_t i = 0; i < d->node_count; i++)
        for (uint32_t j = 0; !d->nodes[i].output_count && j < d->nodes[i].input_count; j++)
            count += foi_array_width(&d->nodes[i].inputs[j]->shape);
    return count;
}

static bool add_states(foi_build *b, fo_variable *states, fo_guard *guards)
{
    foi_diagram *d = b->diagram;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        const char *state = foi_arena_print(b->arena, "%s.state", n->name);
        const char *guard = foi_arena_print(b->arena, "%s.switch", n->name);
        if (!state || !guard) return false;
        for (uint32_t j = 0; j < n->state_count; j++) {
            fo_variable *v = &states[n->state + j];
            v->name = element_name(b, state, j, n->state_count, "");
            v->start = n->starts ? n->starts[j] : 0;
            if (!v->name) return false;
        }
        for (uint32_t j = 0; j < n->guard_count; j++) {
            guards[n->guard + j].name = element_name(b, guard, j, n->guard_count, "");
            if (!guards[n->guard + j].name) return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------- the usual picture

typedef enum role { SHOWS_NOTHING, SHOWS_NUMBERS, DRAWS_OVER_TIME, DRAWS_XY } role;

static role role_of(const foi_node *n)
{
    if (n->output_count || !n->input_count || n->type == &foi_goto) return SHOWS_NOTHING;
    if (foi_same_name(n->type->name, "Terminator")) return SHOWS_NOTHING;
    if (foi_same_name(n->type->name, "Display")) return SHOWS_NUMBERS;
    return foi_same_name(n->type->name, "XY Graph") ? DRAWS_XY : DRAWS_OVER_TIME;
}

static uint32_t seen_width(const foi_node *n)
{
    uint32_t width = 0;
    for (uint32_t j = 0; !n->output_count && j < n->input_count; j++)
        width += foi_array_width(&n->inputs[j]->shape);
    return width;
}

// How many elements of each sink of a role have room: each gets one more in turn.
static void share_room(const foi_diagram *d, role wanted, uint32_t room, uint32_t *share)
{
    for (bool more = true; more && room;) {
        more = false;
        for (uint32_t i = 0; i < d->node_count && room; i++) {
            if (role_of(&d->nodes[i]) != wanted || share[i] == seen_width(&d->nodes[i])) continue;
            share[i]++, room--;
            more = true;
        }
    }
}

// An XY Graph is drawn with all that it sees, or not at all.
static void share_graphs(const foi_diagram *d, uint32_t room, uint32_t *share)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        uint32_t width = seen_width(&d->nodes[i]);
        if (role_of(&d->nodes[i]) != DRAWS_XY || width > room) continue;
        share[i] = width;
        room -= width;
    }
}

static uint32_t list_role(foi_diagram *d, const fo_variable *outputs, role wanted,
                          const uint32_t *share, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        for (uint32_t j = 0; j < share[i] && role_of(&d->nodes[i]) == wanted; j++)
            d->plot[count++] = outputs[at + j].name;
        at += seen_width(&d->nodes[i]);
    }
    return count;
}

// The sinks that draw: XY Graphs, then curves over time; where there are none, what is shown as
// numbers.
static bool list_plot(foi_build *b, const fo_variable *outputs)
{
    enum { CURVES = 6, GRAPHS = 24 };
    foi_diagram *d = b->diagram;
    uint32_t *share = foi_arena_new(b->arena, d->node_count + 1, sizeof *share);
    d->plot = foi_arena_new(b->arena, d->output_count + 1, sizeof *d->plot);
    if (!d->plot || !share) return false;
    share_graphs(d, GRAPHS, share);
    share_room(d, DRAWS_OVER_TIME, CURVES, share);
    uint32_t count = list_role(d, outputs, DRAWS_XY, share, 0);
    count = list_role(d, outputs, DRAWS_OVER_TIME, share, count);
    if (!count) share_room(d, SHOWS_NUMBERS, CURVES, share);
    if (!count) count = list_role(d, outputs, SHOWS_NUMBERS, share, 0);
    if (!count) d->plot = NULL;
    return true;
}

// Guards without states are looked at once per step of the clock.
static double longest_step(const foi_diagram *d)
{
    double longest = (d->guard_count || d->settles) && !d->state_count ? d->step : INFINITY;
    for (uint32_t i = 0; i < d->node_count; i++)
        if (d->nodes[i].longest > 0) longest = foi_fmin(longest, d->nodes[i].longest);
    return longest < INFINITY ? longest : 0;
}

fo_status foi_diagram_describe(foi_build *b)
{
    foi_diagram *d = b->diagram;
    uint64_t count = count_outputs(d);
    if (count > INT32_MAX) return fo_fail(b->why, FO_ERROR_FORMAT, "the diagram is too large");
    fo_variable *outputs = foi_arena_new(b->arena, count + 1, sizeof *outputs);
    fo_variable *states = foi_arena_new(b->arena, d->state_count + 1, sizeof *states);
    fo_guard *guards = foi_arena_new(b->arena, d->guard_count + 1, sizeof *guards);
    d->outputs = foi_arena_new(b->arena, count + 1, sizeof *d->outputs);
    if (!outputs || !states || !guards || !d->outputs || !add_outputs(b, outputs) ||
        !add_states(b, states, guards) || !list_plot(b, outputs))
        return no_memory(b);
    static const fo_event moments[] = {
        {.name = "tick", .about = "the clock of the diagram"},
        {.name = "break", .about = "a source jumps or bends"},
    };
    d->description = (fo_description){
        .name = d->name,
        .about = d->about,
        .states = {states, d->state_count},
        .outputs = {outputs, d->output_count},
        .guards = {guards, d->guard_count},
        .moments = {moments, d->ticks || d->breaking_count ? 2 : 0},
        .memory = d->memory_count * sizeof(double),
        .scratch = ((size_t)d->width + d->guard_count + foi_slopes_size(d) +
                    2 * (size_t)d->state_count + foi_rounding_size(d)) *
                   sizeof(double),
        .max_step = longest_step(d),
    };
    return FO_OK;
}
