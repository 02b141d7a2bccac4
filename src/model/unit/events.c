/// Model Exchange: rates, indicators and events of the unit.
///
/// An indicator is the guard's value where that is not zero. Importers take z > 0 and z <= 0 (or
/// z >= 0 and z < 0) as the two sides, and a guard at zero belongs to the side that the model
/// holds: so there it is the smallest number of that sign. A condition is 1 or -1.
///
/// At an event a guard is not zero but beside it, by the rounding of time. A jump may turn it round
/// (the ball bounces): what is held is then what comes right after, and the value has still the old
/// sign. So a guard that has fired rests while it is not farther from zero than it was then. No
/// farther: where a hop ends within one step nobody says that it was above, and the next impact is
/// seen at the far end of that. Were that farther by a factor, the errors would grow by it from hop
/// to hop, and where hops accumulate the ball would fall through the floor.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "model/unit/unit.h"

enum { MOST_JUMPS = 1000 };

int unit_rates(unit *u)
{
    const fo_state *s = u->mode == UNIT_INITIALISING ? unit_ahead(u) : &u->store.s;
    if (!u->system.type->rates) return FMI_OK;
    fo_status status = u->system.type->rates(u->system.model, s, s->t, s->x, u->rates);
    if (status == FO_RETRY) return FMI_DISCARD;
    return fo_failed(status) ? unit_complain(u, FMI_ERROR, "the rates") : FMI_OK;
}

// Guards, conditions and what is held of them, at the present point.
static int look(unit *u)
{
    fo_state *s = &u->store.s;
    const fo_system_type *type = u->system.type;
    fo_status status = FO_OK;
    if (u->shape.guards) status = type->guards(u->system.model, s, s->t, s->x, u->guards);
    if (!fo_failed(status) && u->shape.conditions)
        status = type->conditions(u->system.model, s, s->t, s->x, u->conditions);
    memset(u->held, 0, u->shape.guards);
    if (type->held && u->shape.guards) type->held(u->system.model, s, u->held);
    if (fo_failed(status)) return unit_complain(u, FMI_ERROR, "the guards");
    return status == FO_RETRY ? FMI_DISCARD : FMI_OK;
}

int unit_indicators(unit *u, double *z)
{
    int status = look(u);
    if (status != FMI_OK) return status;
    for (uint32_t i = 0; i < u->shape.guards; i++) {
        uint8_t held = u->held[i];
        if (held && u->rest[i] > 0 && fabs(u->guards[i]) <= u->rest[i]) {
            z[i] = (held & FO_ABOVE ? 1 : -1) * foi_fmax(fabs(u->guards[i]), DBL_MIN);
            continue;
        }
        bool above = held ? (held & FO_AT_ZERO) ? (held & FO_ABOVE) != 0 : (held & FO_BELOW) != 0
                          : u->signs[i] > 0;
        z[i] = u->guards[i] != 0 ? u->guards[i] : above ? DBL_MIN : -DBL_MIN;
    }
    for (uint32_t i = 0; i < u->shape.conditions; i++)
        z[u->shape.guards + i] = u->conditions[i] ? 1 : -1;
    return FMI_OK;
}

static int sign_of(double g)
{
    return (g > 0) - (g < 0);
}

static bool guard_fires(const unit *u, uint32_t i, fo_direction *way)
{
    int now = sign_of(u->guards[i]), then = u->signs[i];
    fo_direction direction = u->system.about->guards.list[i].direction;
    int seen = now < 0 ? FO_BELOW : now > 0 ? FO_ABOVE : FO_AT_ZERO;
    *way = now > then ? FO_RISING : FO_FALLING;
    if (u->rest[i] > 0 && fabs(u->guards[i]) <= u->rest[i]) return false;
    if (u->held[i]) {
        *way = (u->held[i] & FO_BELOW) ? FO_RISING : FO_FALLING;
        return !(u->held[i] & seen);
    }
    return now != then && (direction == FO_EITHER || direction == *way);
}

static bool condition_fires(const unit *u, uint32_t i, fo_direction *way)
{
    fo_direction direction = u->system.about->conditions.list[i].direction;
    *way = u->conditions[i] ? FO_RISING : FO_FALLING;
    return u->conditions[i] != u->was[i] && (direction == FO_EITHER || direction == *way);
}

static void consider(fo_moment *best, int *priority, fo_moment m, int own)
{
    if (best->name && own >= *priority) return;
    *best = m;
    *priority = own;
}

// Importers come to a time event up to the rounding of their own sums of steps, some an ulp before
// it: it is then due, and the time is that of the event. What is farther away than 64 ulps is not
// meant.
static fo_next next_of(unit *u)
{
    fo_state *s = &u->store.s;
    fo_next next =
        u->system.type->next ? u->system.type->next(u->system.model, s) : (fo_next){INFINITY, 0};
    double scale = foi_fmax(fabs(s->t), fabs(next.t)), ulp = nextafter(scale, INFINITY) - scale;
    if (next.t > s->t && next.t - s->t <= 64 * ulp) s->t = next.t;
    return next;
}

// The first of what is due; its name is NULL where nothing is. The order is that of fo_moment.
static int due(unit *u, fo_moment *m)
{
    const fo_description *d = u->system.about;
    fo_state *s = &u->store.s;
    fo_next next = next_of(u);
    int priority = 0, status = look(u);
    fo_direction way;
    *m = (fo_moment){0};
    if (status != FMI_OK) return status;
    if (u->set && u->system.type->hears_sets) {
        *m = (fo_moment){.kind = FO_SET, .name = "set"};
        return FMI_OK;
    }
    if (next.t <= s->t) {
        const fo_event *e = next.index < d->moments.count ? &d->moments.list[next.index] : NULL;
        consider(m, &priority,
                 (fo_moment){.kind = FO_SCHEDULED,
                             .index = next.index,
                             .name = e && e->name ? e->name : "time event"},
                 e ? e->priority : 0);
    }
    for (uint32_t i = 0; i < u->shape.guards && i < d->guards.count; i++)
        if (guard_fires(u, i, &way))
            consider(m, &priority,
                     (fo_moment){.kind = FO_GUARD,
                                 .index = i,
                                 .direction = way,
                                 .name = d->guards.list[i].name ? d->guards.list[i].name : "guard"},
                     d->guards.list[i].priority);
    for (uint32_t i = 0; i < u->shape.conditions && i < d->conditions.count; i++)
        if (condition_fires(u, i, &way))
            consider(m, &priority,
                     (fo_moment){.kind = FO_CONDITION,
                                 .index = i,
                                 .direction = way,
                                 .name = d->conditions.list[i].name ? d->conditions.list[i].name
                                                                    : "condition"},
                     d->conditions.list[i].priority);
    if (!m->name && u->asked) *m = (fo_moment){.kind = FO_AGAIN, .name = "again"};
    return FMI_OK;
}

// How far from zero guard i may be for being there but for the rounding of time, which importers
// know to some 1e-9: |dg/dt| times that. A guard that jumps is farther away.
static double slack_of(unit *u, uint32_t i)
{
    fo_state *s = &u->store.s;
    uint32_t n = u->shape.states;
    double scale = foi_fmax(fabs(s->t), 1e-3), delta = 1e-7 * scale, here = u->guards[i], slope = 0;
    double *there = calloc(n + u->shape.guards + 1, sizeof *there), *g = there ? there + n : NULL;
    if (there && unit_rates(u) == FMI_OK) {
        for (uint32_t k = 0; k < n; k++) there[k] = s->x[k] + delta * u->rates[k];
        if (!fo_failed(u->system.type->guards(u->system.model, s, s->t + delta, there, g)))
            slope = fabs(g[i] - here) / delta;
    }
    free(there);
    return isfinite(slope) ? slope * 1e-9 * scale : 0;
}

// The rounding error of guard i: its states are moved by a little, each by another part of itself
// so that nothing cancels for good.
static double rounding_of(unit *u, uint32_t i)
{
    fo_state *s = &u->store.s;
    uint32_t n = u->shape.states;
    double *there = calloc(n + u->shape.guards + 1, sizeof *there), *g = there ? there + n : NULL;
    double part = 0, size = 0, t = s->t + 0x1p-20 * fabs(s->t);
    for (uint32_t k = 0; k < n && there; k++) {
        part = fmod(part + 0.6180339887498949, 1);
        there[k] = s->x[k] + 0x1p-20 * (1 + part) * s->x[k];
    }
    if (there && !fo_failed(u->system.type->guards(u->system.model, s, t, there, g)))
        size = 0x1p20 * fabs(g[i] - u->guards[i]);
    free(there);
    return isfinite(size) ? 4 * DBL_EPSILON * size : 0;
}

// All guards that pass zero at the instant, before anything has jumped: a model looks at them
// together (see fo_moment.with). Their slack is that of now, too: after a jump a guard may stand
// still, as that of a clutch that has locked.
static void gather_crossings(unit *u)
{
    u->with_count = 0;
    if (u->set) return; // what was set may have moved guards, which then have passed nothing
    for (uint32_t i = 0; i < u->shape.guards && i < u->system.about->guards.count; i++) {
        fo_direction way;
        if (!guard_fires(u, i, &way)) continue;
        double g = fabs(u->guards[i]), slack = g <= slack_of(u, i) ? g : 0;
        u->with[u->with_count++] = (fo_crossing){i, way, slack};
    }
}

static double slack_before(const unit *u, uint32_t guard)
{
    for (uint32_t k = 0; k < u->with_count; k++)
        if (u->with[k].guard == guard) return u->with[k].slack;
    return 0;
}

static void let_rest(unit *u, fo_moment *m)
{
    double g = fabs(u->guards[m->index]);
    double slack = foi_fmax(slack_of(u, m->index), slack_before(u, m->index));
    m->slack = g <= slack ? g : 0;
    double most = g + foi_fmin(3 * g, rounding_of(u, m->index));
    u->rest[m->index] = g <= slack ? foi_fmax(most, DBL_MIN) : 0;
}

// The model has had the guard's moment at this instant and holds what it held: for the model it is
// at zero but for rounding errors, whose bound there is wider than ours, and asking once more gives
// the same answer. It is asked again where the guard is farther away than that.
static void rest_declined(unit *u, uint32_t i)
{
    double most = 64 * rounding_of(u, i);
    if (fabs(u->guards[i]) <= most) u->rest[i] = foi_fmax(u->rest[i], foi_fmax(most, DBL_MIN));
}

static void end_rests(unit *u)
{
    for (uint32_t i = 0; i < u->shape.guards; i++)
        if (fabs(u->guards[i]) > u->rest[i]) u->rest[i] = 0;
}

// What a moment is about is seen by it.
static void mark(unit *u, const fo_moment *m)
{
    if (m->kind == FO_GUARD) u->signs[m->index] = (int8_t)sign_of(u->guards[m->index]);
    if (m->kind == FO_CONDITION) u->was[m->index] = u->conditions[m->index];
    if (m->kind == FO_SET) u->set = false;
    if (m->kind == FO_AGAIN) u->asked = false;
}

static void mark_all(unit *u, bool conditions)
{
    for (uint32_t i = 0; i < u->shape.guards; i++) u->signs[i] = (int8_t)sign_of(u->guards[i]);
    for (uint32_t i = 0; i < u->shape.conditions && conditions; i++) u->was[i] = u->conditions[i];
}

int unit_events(unit *u, bool first, bool *changed)
{
    fo_state *s = &u->store.s;
    *changed = first;
    u->asked = false;
    u->with_count = 0;
    if (first) {
        int status = look(u);
        if (status != FMI_OK) return status;
        mark_all(u, false);
        memset(u->was, 0, u->shape.conditions);
    }
    s->k = 0;
    fo_moment last = {0};
    for (int jumps = 0; !u->terminated; jumps++) {
        fo_moment m;
        fo_effect e = {0};
        int status = due(u, &m);
        if (status != FMI_OK) return status;
        if (!m.name) break;
        if (jumps == MOST_JUMPS)
            return unit_complain(u, FMI_ERROR, "too many jumps at one instant");
        if (!jumps && !first) gather_crossings(u);
        m.t = s->t, m.k = ++s->k;
        m.with = u->with, m.with_count = u->with_count;
        mark(u, &m);
        if (m.kind == FO_GUARD) let_rest(u, &m);
        bool declined = last.name && last.kind == FO_GUARD && m.kind == FO_GUARD &&
                        last.index == m.index && last.direction == m.direction;
        if (declined) rest_declined(u, m.index);
        last = m;
        if (u->system.type->jump && fo_failed(u->system.type->jump(u->system.model, s, &m, &e)))
            return unit_complain(u, FMI_ERROR, m.name);
        *changed |= !e.unchanged;
        u->asked |= e.again;
        u->terminated |= e.stop;
    }
    u->set = false;
    end_rests(u);
    mark_all(u, true); // what went the other way, or stays at zero, is where it is
    return FMI_OK;
}

double unit_next(unit *u)
{
    if (!u->system.type->next) return INFINITY;
    const fo_state *s = u->sim ? fo_simulation_state(u->sim) : &u->store.s;
    return u->system.type->next(u->system.model, s).t;
}

int unit_completed(unit *u)
{
    fo_state *s = &u->store.s;
    if (u->system.type->settle && fo_failed(u->system.type->settle(u->system.model, s, s->t, s->x)))
        return unit_complain(u, FMI_ERROR, "the end of a step");
    int status = u->shape.guards ? look(u) : FMI_OK;
    if (status == FMI_OK) end_rests(u);
    return status == FMI_DISCARD ? FMI_OK : status;
}
