// Jumps of one turn of an instant: what a node acts with is what there was before all of them, in
// whatever order they come. Two integrators that are reset to each other's value change places.
//
// The first of them keeps the inputs of all nodes that act so, and of each of their guards where it
// stands then. A guard that fires later in the same turn stood there on the side to which it goes;
// one that stood elsewhere was carried there by what has happened since, and begins another turn.
// In the first turn, where rounding errors hide the sides, the moment says which guards they are.
//
// Memory of the diagram: when that was. Of a node: its guards (0: nothing is to come of it), and
// the inputs of all that are reset with it.
#include <string.h>

#include "diagram/diagram.h"
#include "math/math.h"

// A ball that strikes a slope has both its velocities reset: that is one contact, and what it does
// to one of them alone is not its push.
fo_status foi_resets_share(foi_build *b)
{
    foi_diagram *d = b->diagram;
    foi_node **last = foi_arena_new(b->arena, d->node_count + 1, sizeof(foi_node *)); // by driver
    foi_node **before = foi_arena_new(b->arena, d->node_count + 1, sizeof(foi_node *));
    if (!last || !before) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    for (uint32_t i = 0; i < d->node_count; i++) {
        foi_node *n = &d->nodes[i];
        if (!n->type->resets || n->guard_count != 1) continue;
        foi_node **end = &last[n->inputs[1]->node->index], *same = *end;
        while (same && same->inputs[1] != n->inputs[1]) same = before[same->index];
        before[i] = *end, *end = n;
        if (same) same->next_reset = n, n->guard_count = 0;
    }
    return FO_OK;
}

static double *when(const foi_run *r)
{
    return &r->memory[2 + r->diagram->guard_count + 1];
}

double *foi_reset_seen(const foi_run *r, uint32_t guard)
{
    const foi_node *n = r->diagram->guard_owners[guard];
    return n->type->together ? &r->memory[n->before + guard - n->guard] : NULL;
}

uint32_t foi_reset_room(const foi_node *n)
{
    uint32_t room = n->guard_count;
    if (!n->type->together || !room) return 0;
    for (const foi_node *m = n; m; m = m->next_reset)
        for (uint32_t i = 0; i < m->input_count; i++) room += foi_array_width(&m->inputs[i]->shape);
    return room;
}

bool foi_reset_known(const foi_run *r, uint32_t guard, fo_direction direction)
{
    const double *seen = foi_reset_seen(r, guard);
    if (*when(r) != r->t) return false;
    return !seen || isnan(*seen) || *seen * (int)direction > 0;
}

// Inputs from the signals to where they are kept, or back; behind them.
static double *move_inputs(const foi_run *r, const foi_node *n, bool keep, double *kept)
{
    for (uint32_t i = 0; i < n->input_count; i++) {
        foi_array u = foi_in(n, r, i);
        size_t width = foi_array_width(&u);
        if (!n->inputs[i]->fixed)
            memcpy(keep ? kept : u.data, keep ? u.data : kept, width * sizeof *kept);
        kept += width;
    }
    return kept;
}

static void move_all_inputs(const foi_run *r, const foi_node *n, bool keep)
{
    double *kept = &r->memory[n->before + n->guard_count];
    for (const foi_node *m = n; m; m = m->next_reset) kept = move_inputs(r, m, keep, kept);
}

bool foi_resets_keep(const foi_run *r)
{
    const foi_diagram *d = r->diagram;
    for (uint32_t i = 0; i < d->together_count; i++) {
        const foi_node *n = d->together[i];
        memcpy(&r->memory[n->before], r->guards + n->guard, n->guard_count * sizeof *r->guards);
        move_all_inputs(r, n, true);
    }
    bool first = *when(r) != r->t;
    *when(r) = r->t;
    return first;
}

void foi_reset_inputs(const foi_run *r, const foi_node *n)
{
    if (r->diagram->together_count && n->type->together) move_all_inputs(r, n, false);
}

// ----------------------------------------------------------------------------------- one contact

// Guards near the present point, with every state moved by a part of its size: which is that of the
// largest where it has none.
static bool look_beside(const foi_run *r, int place, double *of, uint32_t guard)
{
    static const double ways[] = {1, -0.75, 0.625, -1.125, 0.8125, 1.3125, -0.6875};
    const foi_diagram *d = r->diagram;
    double *x = (double *)r->s->scratch + d->width + d->guard_count + foi_slopes_size(d);
    double largest = 0;
    for (uint32_t i = 0; i < d->state_count; i++) largest = foi_fmax(largest, fabs(r->x[i]));
    for (uint32_t i = 0; i < d->state_count; i++) {
        double size = r->x[i] != 0 ? fabs(r->x[i]) : largest > 0 ? largest : 1;
        x[i] = r->x[i] + 0x1p-6 * size * ways[(i * (2 + (uint32_t)place) + (uint32_t)place) % 7];
    }
    foi_run beside = *r;
    beside.x = x;
    foi_evaluate_beside(&beside);
    *of = r->guards[guard];
    if (beside.status == FO_OK) return true;
    if (r->s->message) r->s->message->status = FO_OK, r->s->message->text[0] = 0;
    return false;
}

static bool is_product(double a, double b, double c, double d)
{
    return fabs(a * b - c * d) <= 0x1p-30 * foi_fmin(fabs(a * b), fabs(c * d));
}

void foi_resets_find_same(const foi_run *r, const fo_moment *m)
{
    enum { PLACES = 3 };
    const foi_diagram *d = r->diagram;
    double first = 0, now = 0;
    bool good = true, moves = false;
    for (int place = 0; place < PLACES; place++) {
        good = good && look_beside(r, place, &now, m->index);
        moves = moves || (place && now != first);
        if (!place) first = now;
        for (uint32_t i = 0; i < d->guard_count; i++) {
            double *seen = foi_reset_seen(r, i);
            bool other = seen && i != m->index && d->guard_owners[i]->type->resets;
            if (seen && !place) *seen = other ? r->guards[i] : 0;
            if (seen && !is_product(*seen, now, r->guards[i], first)) *seen = 0;
        }
    }
    for (uint32_t i = 0; i < d->guard_count; i++) {
        double *seen = foi_reset_seen(r, i);
        if (seen) *seen = good && moves ? *seen * first * (int)m->direction : 0;
    }
}
