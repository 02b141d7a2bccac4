// The plan: in which order the parts are observed so that every connected input becomes known.
//
// An output that is not direct is known at once; a direct one when all connected inputs of its part
// are. So a part is observed when its inputs are known (Kahn's topological sort, 1962), and where
// no part is ready, the first one with an output that is not direct is observed for that alone, and
// later again if it has direct ones. When neither helps, the direct outputs form a loop.
#include <stdio.h>

#include "base/array.h"
#include "system/compose.h"

typedef struct plan {
    fo_composition *c;
    const fo_connection *connections;
    uint32_t *first;     ///< part_count + 1: where its connections begin in `order`
    uint32_t *order;     ///< connections by the part that they come from
    uint32_t *incoming;  ///< of each input of all parts: its connection, or FOI_NO_INDEX
    uint32_t *unknown;   ///< of each part: connected inputs that are not known
    uint32_t *remaining; ///< of each part: connections from it that are not known
    bool *known;         ///< of each connection
    bool *final;         ///< of each part: all its outputs are what they will be
    bool *tried;         ///< of each part: observed for what is not direct
    uint32_t *queue;     ///< parts whose inputs are known
    uint32_t head, tail;
} plan;

static void free_plan(plan *p)
{
    const fo_allocator *a = p->c->allocator;
    foi_free(a, p->first), foi_free(a, p->order), foi_free(a, p->incoming);
    foi_free(a, p->unknown), foi_free(a, p->remaining), foi_free(a, p->known);
    foi_free(a, p->final), foi_free(a, p->tried), foi_free(a, p->queue);
}

static bool make_plan(plan *p, fo_composition *c, const fo_composition_def *def)
{
    const fo_allocator *a = c->allocator;
    size_t parts = c->part_count, count = def->connection_count;
    *p = (plan){
        .c = c,
        .connections = def->connections,
        .first = foi_new(a, parts + 1, sizeof *p->first),
        .order = foi_new(a, count, sizeof *p->order),
        .incoming = foi_new(a, c->u_count, sizeof *p->incoming),
        .unknown = foi_new(a, parts, sizeof *p->unknown),
        .remaining = foi_new(a, parts, sizeof *p->remaining),
        .known = foi_new(a, count, sizeof *p->known),
        .final = foi_new(a, parts, sizeof *p->final),
        .tried = foi_new(a, parts, sizeof *p->tried),
        .queue = foi_new(a, parts, sizeof *p->queue),
    };
    c->tail = foi_new(a, parts, sizeof *c->tail);
    c->start_order = foi_new(a, parts, sizeof *c->start_order);
    return p->first && p->order && p->incoming && p->unknown && p->remaining && p->known &&
           p->final && p->tried && p->queue && c->tail && c->start_order;
}

// Fills the tables; `order` keeps the connections of one part in the definition's order.
static void tabulate(plan *p, uint32_t count)
{
    const fo_composition *c = p->c;
    for (uint32_t i = 0; i < c->u_count; i++) p->incoming[i] = FOI_NO_INDEX;
    for (uint32_t k = 0; k < count; k++) {
        const fo_connection *from = &p->connections[k];
        p->remaining[from->from_part]++;
        p->unknown[from->to_part]++;
        p->incoming[c->parts[from->to_part].u + from->to] = k;
    }
    for (uint32_t i = 0; i < c->part_count; i++) p->first[i + 1] = p->first[i] + p->remaining[i];
    for (uint32_t k = count; k-- > 0;) {
        uint32_t part = p->connections[k].from_part;
        p->order[--p->first[part + 1]] = k;
    }
    // each entry was counted down to its part's beginning: move them back by one
    for (uint32_t i = 0; i < c->part_count; i++) p->first[i] = p->first[i + 1];
    p->first[c->part_count] = count;
}

bool foi_output_direct(const foi_part *part, uint32_t output)
{
    const fo_variables *outputs = &part->system.about->outputs;
    // of an output that is not described nothing is known, so the worst
    return output >= outputs->count || outputs->list[output].direct;
}

static bool has_direct(const foi_part *part)
{
    for (uint32_t i = 0; i < part->shape.outputs; i++)
        if (foi_output_direct(part, i)) return true;
    return false;
}

static void input_known(plan *p, uint32_t part)
{
    if (--p->unknown[part]) return;
    p->c->parts[part].depth = (uint32_t)p->c->step_count;
    if (p->remaining[part]) p->queue[p->tail++] = part;
}

// Adds an observation of the part and makes known what comes from it: all, or what is not direct.
static bool add_step(plan *p, uint32_t i, bool all)
{
    fo_composition *c = p->c;
    const foi_part *part = &c->parts[i];
    if (!foi_array_room(c->allocator, &c->steps, &c->step_room, c->step_count + 1,
                        sizeof *c->steps))
        return false;
    foi_plan_step *step = &c->steps[c->step_count++];
    *step = (foi_plan_step){.part = i, .first = (uint32_t)c->copy_count};
    p->final[i] = all || !has_direct(part);
    for (uint32_t at = p->first[i]; at < p->first[i + 1]; at++) {
        uint32_t k = p->order[at];
        const fo_connection *to = &p->connections[k];
        if (p->known[k] || (!all && foi_output_direct(part, to->from))) continue;
        if (!foi_array_room(c->allocator, &c->copies, &c->copy_room, c->copy_count + 1,
                            sizeof *c->copies))
            return false;
        c->copies[c->copy_count++] =
            (foi_plan_copy){part->y + to->from, c->parts[to->to_part].u + to->to};
        step->count++;
        p->known[k] = true;
        p->remaining[i]--;
        input_known(p, to->to_part);
    }
    return true;
}

static bool offers_early(const plan *p, uint32_t i)
{
    if (!p->remaining[i]) return false;
    for (uint32_t at = p->first[i]; at < p->first[i + 1]; at++) {
        const fo_connection *to = &p->connections[p->order[at]];
        if (!p->known[p->order[at]] && !foi_output_direct(&p->c->parts[i], to->from)) return true;
    }
    return false;
}

// Returns false when memory is lacking.
static bool sort_parts(plan *p)
{
    uint32_t parts = p->c->part_count, early = 0;
    for (uint32_t i = 0; i < parts; i++)
        if (!p->unknown[i] && p->remaining[i]) p->queue[p->tail++] = i;
    for (;;) {
        while (p->head < p->tail) {
            uint32_t i = p->queue[p->head++];
            if (p->remaining[i] && !add_step(p, i, true)) return false;
        }
        while (early < parts && !offers_early(p, early)) early++;
        if (early == parts) return true;
        p->tried[early] = true;
        if (!add_step(p, early, false)) return false;
    }
}

// -------------------------------------------------------------------------------- naming the loop

// A connection into the part that is not known; it comes from a part of which the same is true.
static uint32_t unknown_input(const plan *p, uint32_t i)
{
    const foi_part *part = &p->c->parts[i];
    for (uint32_t u = part->u; u < part->u + part->shape.inputs; u++)
        if (p->incoming[u] != FOI_NO_INDEX && !p->known[p->incoming[u]]) return p->incoming[u];
    return FOI_NO_INDEX;
}

// Walks against the arrows from a part that is stuck until it comes to a part again. `queue` holds
// the connections on the way, `first` (its table is not needed any more) when a part was met.
static fo_status name_loop(plan *p, uint32_t stuck, fo_message *why)
{
    const fo_composition *c = p->c;
    for (uint32_t i = 0; i < c->part_count; i++) p->first[i] = FOI_NO_INDEX;
    uint32_t i = stuck, count = 0;
    while (p->first[i] == FOI_NO_INDEX) {
        p->first[i] = count;
        p->queue[count] = unknown_input(p, i);
        i = p->connections[p->queue[count++]].from_part;
    }
    uint32_t *loop = p->queue + p->first[i], length = count - p->first[i];
    uint32_t begin = 0; // at the loop's first part in the order of the parts
    for (uint32_t k = 1; k < length; k++)
        if (p->connections[loop[k]].from_part < p->connections[loop[begin]].from_part) begin = k;
    char text[FO_MESSAGE_SIZE - 64];
    size_t used = 0;
    text[0] = 0;
    for (uint32_t k = 0; k < length; k++) {
        const fo_connection *at = &p->connections[loop[(begin + length - k) % length]];
        char from[64], to[64];
        foi_port_name(&c->parts[at->from_part], FO_OUTPUT, at->from, from, sizeof from);
        foi_port_name(&c->parts[at->to_part], FO_INPUT, at->to, to, sizeof to);
        if (used + 2 * sizeof from > sizeof text - 16) {
            snprintf(text + used, sizeof text - used, " -> ...");
            break;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s -> %s", k ? " -> " : "",
                                 from, to);
    }
    return fo_fail(why, FO_ERROR_ARGUMENT, "the outputs %s form an algebraic loop", text);
}

// ------------------------------------------------------------------- what inputs of the whole
// reach

// From the parts with an input that is not connected, along the direct outputs.
static void reach(plan *p)
{
    fo_composition *c = p->c;
    p->head = p->tail = 0;
    for (uint32_t i = 0; i < c->part_count; i++) {
        c->parts[i].reached = c->parts[i].connected < c->parts[i].shape.inputs;
        if (c->parts[i].reached) p->queue[p->tail++] = i;
    }
    while (p->head < p->tail) {
        uint32_t i = p->queue[p->head++];
        for (uint32_t at = p->first[i]; at < p->first[i + 1]; at++) {
            const fo_connection *k = &p->connections[p->order[at]];
            foi_part *to = &c->parts[k->to_part];
            if (to->reached || !foi_output_direct(&c->parts[i], k->from)) continue;
            to->reached = true;
            p->queue[p->tail++] = k->to_part;
        }
    }
}

// ------------------------------------------------------------------------------- order of starting

// A part is started when all parts that feed it are; in a loop first the one that the plan observes
// early, since what it gives then does not depend on its inputs.
static void order_starts(plan *p, uint32_t count)
{
    fo_composition *c = p->c;
    for (uint32_t i = 0; i < c->part_count; i++) p->unknown[i] = 0, p->final[i] = false;
    for (uint32_t k = 0; k < count; k++) p->unknown[p->connections[k].to_part]++;
    uint32_t done = 0, next = 0, early = 0, any = 0;
    for (uint32_t i = 0; i < c->part_count; i++)
        if (!p->unknown[i]) p->final[i] = true, c->start_order[done++] = i;
    for (;;) {
        for (; next < done; next++) {
            uint32_t i = c->start_order[next];
            for (uint32_t at = p->first[i]; at < p->first[i + 1]; at++) {
                uint32_t to = p->connections[p->order[at]].to_part;
                if (--p->unknown[to] == 0 && !p->final[to])
                    p->final[to] = true, c->start_order[done++] = to;
            }
        }
        if (done == c->part_count) return;
        while (early < c->part_count && (p->final[early] || !p->tried[early])) early++;
        while (any < c->part_count && p->final[any]) any++;
        uint32_t chosen = early < c->part_count ? early : any;
        p->final[chosen] = true, c->start_order[done++] = chosen;
    }
}

fo_status foi_compose_plan(fo_composition *c, const fo_composition_def *def, fo_message *why)
{
    plan p;
    uint32_t count = def->connection_count;
    fo_status status = FO_OK;
    bool memory = make_plan(&p, c, def);
    if (memory) {
        tabulate(&p, count);
        memory = sort_parts(&p);
    }
    if (!memory) status = fo_fail(why, FO_ERROR_MEMORY, "no memory to sort the connections");
    for (uint32_t i = 0; i < c->part_count && !status; i++)
        if (p.remaining[i]) status = name_loop(&p, i, why);
    for (uint32_t i = 0; i < c->part_count && !status; i++)
        if (c->parts[i].shape.outputs && !p.final[i]) c->tail[c->tail_count++] = i;
    if (!status) {
        reach(&p);
        order_starts(&p, count);
    }
    free_plan(&p);
    return status;
}
