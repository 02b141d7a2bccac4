/// Model Exchange: the unit as a system of states, rates and guards.
#include <math.h>
#include <string.h>

#include "fmi/fall.h"

static foi_fmu_memory *memory_of(const fo_state *s)
{
    return s->memory;
}

static void copy(double *to, const double *from, size_t count)
{
    if (count) memcpy(to, from, count * sizeof *to);
}

static bool same(const double *a, const double *b, size_t count)
{
    return !count || memcmp(a, b, count * sizeof *a) == 0;
}

// ------------------------------------------------------------------------------------------
// looking

// The block gets what `mask` says at (t, x). What it has of that point already is not asked again:
// rates and guards are wanted at the same points.
static fo_status look(fo_fmu *f, const fo_state *s, double t, const double *x, uint32_t mask)
{
    foi_unit *u = &f->unit;
    if (f->have && u->block->t == t && same(u->tx, x, u->x.values) &&
        same(u->tu, s->u, u->u.values)) {
        if ((f->have & mask) == mask) return FO_OK;
    } else
        f->have = 0;
    u->block->t = t;
    copy(u->tx, x, u->x.values);
    copy(u->tu, s->u, u->u.values);
    if (mask & (FOI_UNIT_RATES | FOI_UNIT_GUARDS)) mask |= FOI_UNIT_RATES | FOI_UNIT_GUARDS;
    u->block->mask = mask & ~f->have;
    fo_status status = foi_unit_ask(u, FOI_UNIT_EVALUATE, s->message);
    f->have = status == FO_OK ? f->have | mask : 0;
    return status;
}

fo_status foi_fmu_look(fo_fmu *f, const fo_state *s, double t, const double *x)
{
    return look(f, s, t, x, FOI_UNIT_RATES | FOI_UNIT_GUARDS);
}

static fo_status get(const void *model, const fo_state *s, double t, const double *x, uint32_t mask,
                     const double *from, double *to, size_t count)
{
    fo_fmu *f = (fo_fmu *)model;
    fo_status status = foi_fmu_take(f, s);
    if (status == FO_OK) status = look(f, s, t, x, mask);
    if (status == FO_OK) copy(to, from, count);
    pthread_mutex_unlock(&f->lock);
    return status;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    const foi_unit *u = &((const fo_fmu *)model)->unit;
    return get(model, s, t, x, FOI_UNIT_RATES, u->rates, dx, u->x.values);
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    const foi_unit *u = &((const fo_fmu *)model)->unit;
    return get(model, s, t, x, FOI_UNIT_GUARDS, u->guards, g, u->about.indicators);
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    const foi_unit *u = &((const fo_fmu *)model)->unit;
    return get(model, s, t, x, FOI_UNIT_OUTPUTS, u->ty, y, u->y.values);
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    fo_fmu *f = (fo_fmu *)model;
    foi_unit *u = &f->unit;
    fo_status status = foi_fmu_take(f, s);
    if (status == FO_OK) {
        f->have = 0;
        u->block->t = t;
        copy(u->tx, x, u->x.values);
        copy(u->tu, s->u, u->u.values);
        status = foi_unit_ask(u, FOI_UNIT_JACOBIAN, s->message);
    }
    if (status == FO_OK) copy(values, u->jacobian, (size_t)u->x.values * u->x.values);
    pthread_mutex_unlock(&f->lock);
    return status;
}

// -----------------------------------------------------------------------------------------
// changing

// The domains of an indicator are z > 0 and z <= 0, however near zero: a unit that has come to
// -1e-14 and stays there is below, and its way up is an event.
static void take_sides(fo_fmu *f, fo_state *s)
{
    uint8_t *sides = foi_fmu_sides(f, s);
    for (uint32_t i = 0; i < f->unit.about.indicators; i++)
        sides[i] = f->unit.guards[i] > 0 ? FO_ABOVE : FO_BELOW | FO_AT_ZERO;
}

static void held(const void *model, const fo_state *s, uint8_t *signs)
{
    fo_fmu *f = (fo_fmu *)model;
    memcpy(signs, foi_fmu_sides(f, s), f->unit.about.indicators);
}

// The inputs that the unit has had at its last event.
static double *inputs_of_event(fo_fmu *f, const fo_state *s)
{
    return (double *)(void *)(foi_fmu_bytes(f, s) + 2 * f->room);
}

// Inputs that are not continuous reach the unit in an event. Where others compute them they change
// without being set: that asks for one.
static bool discretes_changed(const fo_fmu *f, const fo_state *s)
{
    const foi_unit_list *u = &f->unit.u;
    uint32_t first = u->real_values;
    return !same(inputs_of_event((fo_fmu *)f, s) + first, s->u + first, u->values - first);
}

static void take_event(fo_fmu *f, fo_state *s)
{
    foi_fmu_memory *m = memory_of(s);
    const foi_unit *u = &f->unit;
    const foi_unit_block *b = u->block;
    if (!b->terminate) take_sides(f, s);
    m->next_defined = b->next_defined, m->next = b->next;
    m->stop = b->terminate, m->wanted = false;
    m->event = s->t;
    copy(inputs_of_event(f, s), s->u, u->u.values);
    copy(s->x, u->tx, u->x.values);
}

static fo_status start(const void *model, fo_state *s)
{
    fo_fmu *f = (fo_fmu *)model;
    pthread_mutex_lock(&f->lock);
    fo_status status = foi_fmu_start(f, s);
    if (status == FO_OK) foi_fall_begin(f, s), take_event(f, s);
    if (status == FO_OK) status = foi_fmu_renew(f, s);
    pthread_mutex_unlock(&f->lock);
    return status;
}

// A solution that slides along the zero of an indicator is for a unit a row of events without end:
// the standards leave it to the importer, which does not know the rates of the other side. So a
// thousand events at which no state jumps, that would be followed by a hundred million at their
// pace, end the run: no importer comes to its end.
static fo_status count_switches(const fo_fmu *f, fo_state *s, const fo_moment *m, bool jumped)
{
    enum { SWITCHES = 1000 };
    foi_fmu_memory *own = memory_of(s);
    if (jumped || !own->switches) own->switches = 0, own->since = s->t;
    if (++own->switches <= SWITCHES) return FO_OK;
    double left = isfinite(s->stop) ? s->stop - s->t : fabs(s->t), pace = s->t - own->since;
    double first = own->since;
    own->switches = 0;
    if (!(left * SWITCHES > 1e8 * pace)) return FO_OK;
    return fo_refuse(s,
                     "%s: %d events without a jump from t = %.15g to t = %.15g, the last one of "
                     "indicator[%u]: the FMU chatters, or slides along it, and at this pace does "
                     "not come to the end; where it has Co-Simulation, that may (--type cs)",
                     f->unit.about.file, SWITCHES, first, s->t, m->index + 1);
}

static fo_status handle(fo_fmu *f, fo_state *s, const fo_moment *m)
{
    foi_unit *u = &f->unit;
    fo_status status = foi_fmu_take(f, s);
    if (status != FO_OK) return status;
    f->have = 0;
    u->block->t = s->t;
    copy(u->tx, s->x, u->x.values);
    copy(u->tu, s->u, u->u.values);
    copy(u->tp, s->p, u->p.values);
    status = foi_fmu_change(f, s, FOI_UNIT_EVENT);
    if (status == FO_RETRY)
        status = fo_refuse(s, "%s: the FMU discarded the update of an event (fmiDiscard)",
                           u->about.file);
    if (status != FO_OK) return status;
    bool jumped = !same(s->x, u->tx, u->x.values);
    take_event(f, s);
    status = foi_fmu_renew(f, s);
    if (status != FO_OK || m->kind != FO_GUARD || memory_of(s)->stop) return status;
    status = count_switches(f, s, m, jumped);
    return status == FO_OK && m->with_count ? foi_fall_note(f, s, m, jumped) : status;
}

static fo_status look_for_falls(fo_fmu *f, fo_state *s)
{
    fo_status status = foi_fmu_take(f, s);
    if (status == FO_OK) status = foi_fall_check(f, s);
    pthread_mutex_unlock(&f->lock);
    return status;
}

// One event takes all that is due at an instant: the unit sees its indicators itself. Only what
// came from outside, or a time event that is still ahead of the unit, is one more.
static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    fo_fmu *f = (fo_fmu *)model;
    foi_fmu_memory *own = memory_of(s);
    bool due = m->kind == FO_SCHEDULED &&
               (own->wanted || discretes_changed(f, s) || (own->next_defined && own->next <= s->t));
    if (own->stop) {
        e->stop = true;
        return FO_OK;
    }
    if (m->kind == FO_SCHEDULED && !due && m->index == 3) {
        e->unchanged = true;
        return look_for_falls(f, s);
    }
    if (m->kind == FO_ZENO || (m->kind != FO_SET && !due && own->event == s->t)) {
        e->unchanged = true;
        return FO_OK;
    }
    fo_status status = handle(f, s, m);
    pthread_mutex_unlock(&f->lock);
    e->stop = status == FO_OK && own->stop;
    return status;
}

static fo_next next(const void *model, const fo_state *s)
{
    const foi_fmu_memory *m = memory_of(s);
    if (m->stop) return (fo_next){s->t, 2};
    if (m->wanted || discretes_changed(model, s)) return (fo_next){s->t, 1};
    double look = foi_fall_next(model, s);
    if (!m->next_defined || look < m->next) return (fo_next){look > s->t ? look : s->t, 3};
    return (fo_next){m->next > s->t ? m->next : s->t, 0};
}

static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    fo_fmu *f = (fo_fmu *)model;
    foi_unit *u = &f->unit;
    fo_status status = foi_fmu_take(f, s);
    if (status == FO_OK) {
        f->have = 0;
        u->block->t = t;
        copy(u->tx, x, u->x.values);
        copy(u->tu, s->u, u->u.values);
        status = foi_fmu_change(f, s, FOI_UNIT_COMPLETED);
    }
    if (status == FO_OK) {
        memory_of(s)->wanted = u->block->event_wanted;
        memory_of(s)->stop = u->block->terminate;
        status = foi_fmu_renew(f, s);
    }
    pthread_mutex_unlock(&f->lock);
    return status;
}

void foi_fmu_exchange(fo_fmu *f)
{
    f->type = (fo_system_type){.kind = "fmu",
                               .start = start,
                               .rates = rates,
                               .guards = f->unit.about.indicators ? guards : NULL,
                               .held = f->unit.about.indicators ? held : NULL,
                               .next = next,
                               .jump = jump,
                               .observe = f->unit.y.values ? observe : NULL,
                               .settle = f->unit.can->needs_completed ? settle : NULL,
                               .jacobian = f->unit.jacobian ? jacobian : NULL,
                               .hears_sets = true};
}
