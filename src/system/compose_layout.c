// Where the parts of a composition lie in a state, and how one of them changes its size.
#include <string.h>

#include "system/compose.h"

void foi_extents_begin(const fo_composition *c, foi_extent *extents)
{
    for (uint32_t i = 0; i < c->part_count; i++) {
        const fo_shape *shape = &c->parts[i].shape;
        extents[i] = (foi_extent){
            .states = shape->states,
            .discretes = shape->discretes,
            .guards = shape->guards,
            .conditions = shape->conditions,
            .scratch_size = shape->scratch,
        };
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Work space of one part: its guards where they do not lie together in the whole's, and its mass
// matrix where the residual M x' - f is made of it.
static bool work_size(const fo_composition *c, const foi_part *part, const foi_extent *e,
                      size_t *size)
{
    size_t mass = 0;
    *size = 0;
    if (e->guards > part->shape.guards) *size = (size_t)e->guards * sizeof(double);
    if (e->conditions > part->shape.conditions)
        *size = larger(*size, (size_t)e->conditions * sizeof(bool));
    if (c->type.residual && part->system.type->mass && !part->system.type->residual) {
        if (__builtin_mul_overflow((size_t)e->states, (size_t)e->states, &mass) ||
            __builtin_mul_overflow(mass, sizeof(double), &mass))
            return false;
    }
    *size = larger(*size, mass);
    return true;
}

bool foi_extents_place(const fo_composition *c, foi_extent *extents, fo_shape *shape)
{
    uint64_t x = 0, d = 0, g = c->shape.guards, n = c->shape.conditions;
    size_t scratch = c->scratch_at, work = 0;
    uint32_t flowing = 0, pairs = 0;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_part *part = &c->parts[i];
        foi_extent *e = &extents[i];
        e->x = (uint32_t)x, e->d = (uint32_t)d;
        e->g = (uint32_t)g, e->c = (uint32_t)n;
        e->scratch = scratch;
        x += e->states, d += e->discretes;
        if (e->guards > part->shape.guards) g += e->guards - part->shape.guards;
        if (e->conditions > part->shape.conditions) n += e->conditions - part->shape.conditions;
        size_t part_work;
        if (e->scratch_size > PTRDIFF_MAX - 32 || !work_size(c, part, e, &part_work) ||
            __builtin_add_overflow(scratch, foi_round16(e->scratch_size), &scratch))
            return false;
        work = larger(work, part_work);
        if (e->states) flowing++, pairs = part->shape.pairs;
        if (x > UINT32_MAX || d > UINT32_MAX || g > UINT32_MAX || n > UINT32_MAX) return false;
    }
    if (c->type.record) work = larger(work, 2 * (size_t)x * sizeof(double)); // a point on a path
    if (__builtin_add_overflow(scratch, work, &scratch)) return false;
    *shape = c->shape;
    shape->states = (uint32_t)x, shape->discretes = (uint32_t)d;
    shape->guards = (uint32_t)g, shape->conditions = (uint32_t)n;
    shape->pairs = flowing == 1 ? pairs : 0;
    shape->scratch = scratch;
    return true;
}

void *foi_compose_work(const fo_composition *c, const fo_state *s)
{
    const foi_extent *last = foi_extents(s) + c->part_count - 1;
    return (char *)s->scratch + last->scratch + foi_round16(last->scratch_size);
}

// SplitMix64 (Steele, Lea, Flood 2014): two parts of one kind must not draw the same numbers.
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

fo_state foi_part_view(const fo_composition *c, const fo_state *s, uint32_t part, bool at_moment)
{
    const foi_part *p = &c->parts[part];
    const foi_extent *e = &foi_extents(s)[part];
    fo_state view = {
        .t = s->t,
        .k = s->k,
        .x = s->x + e->x,
        .d = s->d + e->d,
        .u = s->u + p->input,
        .p = s->p + p->p,
        .memory = (char *)s->memory + p->memory,
        .scratch = (char *)s->scratch + e->scratch,
        .shape = p->shape,
        .seed = mix(s->seed ^ p->salt),
        .message = s->message,
        .stop = s->stop,
    };
    // the unconnected inputs of one part lie together in the whole's; mixed ones are put together
    if (p->connected && at_moment) view.u = (double *)((char *)s->memory + c->memory_u) + p->u;
    if (p->connected && !at_moment) view.u = (double *)s->scratch + p->u;
    view.shape.states = e->states, view.shape.discretes = e->discretes;
    view.shape.guards = e->guards, view.shape.conditions = e->conditions;
    view.shape.scratch = e->scratch_size;
    return view;
}

// ------------------------------------------------------------------------------- changing its size

static void reverse(double *from, double *to)
{
    while (from < to--) {
        double swapped = *from;
        *from++ = *to, *to = swapped;
    }
}

// Exchanges the first `n` of `count` values with those behind them, keeping the order of both.
static void rotate(double *values, size_t n, size_t count)
{
    reverse(values, values + n);
    reverse(values + n, values + count);
    reverse(values, values + count);
}

/// The states or discretes of a part that changes its size inside an array of `total`.
typedef struct change {
    uint32_t at, before, after, total;
} change;

static uint32_t following(const change *k)
{
    return k->total - k->at - k->before;
}

// What is given up goes to the end of the array, where it is cut off; undo brings it back.
static void give_up(const change *k, double *values, bool undo)
{
    if (k->after >= k->before) return;
    uint32_t lost = k->before - k->after, behind = following(k);
    rotate(values + k->at + k->after, undo ? behind : lost, (size_t)lost + behind);
}

// The array has become longer at its end; the room is wanted behind the part.
static void make_room(const change *k, double *values)
{
    if (k->after <= k->before) return;
    double *end = values + k->at + k->before;
    uint32_t gained = k->after - k->before;
    memmove(end + gained, end, following(k) * sizeof *end);
    memset(end, 0, gained * sizeof *end);
}

void foi_part_note(fo_host *host, double t, const char *text)
{
    const foi_part_host *me = (const foi_part_host *)host;
    const char *name = me->composition->parts[me->part].name;
    (void)t;
    fo_note(me->whole, "%s: %s", name, text);
}

fo_status foi_part_accuracy(fo_host *host, fo_state *view, const fo_accuracy *to)
{
    (void)view; // there is one accuracy for all parts
    return fo_state_accuracy(((const foi_part_host *)host)->whole, to);
}

// One call to the whole's host, so that failing changes nothing: what is given up is moved out of
// the way before it, room is made after it.
fo_status foi_part_resize(fo_host *host, fo_state *view, const fo_shape *shape)
{
    const foi_part_host *me = (const foi_part_host *)host;
    const fo_composition *c = me->composition;
    fo_state *whole = me->whole;
    if (!whole->host)
        return fo_fail(view->message, FO_ERROR_UNFIT,
                       "the number of states cannot change here (t = %g): only a jump may ask",
                       whole->t);
    foi_extent *extents = foi_extents(whole), *e = &extents[me->part];
    foi_extent old = *e;
    change x = {e->x, e->states, shape->states, whole->shape.states};
    change d = {e->d, e->discretes, shape->discretes, whole->shape.discretes};
    e->states = shape->states, e->discretes = shape->discretes;
    e->guards = shape->guards, e->conditions = shape->conditions;
    e->scratch_size = shape->scratch;
    fo_shape whole_shape;
    fo_status status = FO_OK;
    if (!foi_extents_place(c, extents, &whole_shape))
        status = fo_fail(view->message, FO_ERROR_MEMORY, "%u states of '%s' are too many",
                         shape->states, c->parts[me->part].name);
    if (!status) {
        give_up(&x, whole->x, false), give_up(&d, whole->d, false);
        status = whole->host->resize(whole->host, whole, &whole_shape);
        if (status) give_up(&x, whole->x, true), give_up(&d, whole->d, true);
    }
    if (status) {
        *e = old;
        foi_extents_place(c, extents, &whole_shape);
        return status;
    }
    make_room(&x, whole->x), make_room(&d, whole->d);
    fo_host *mine = view->host;
    *view = foi_part_view(c, whole, me->part, true);
    view->host = mine;
    return FO_OK;
}
