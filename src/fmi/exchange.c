/// Model Exchange: the unit as a system of states, rates and guards.
#include <math.h>
#include <string.h>

#include "fmi/fmu.h"

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

static void take_event(fo_fmu *f, fo_state *s)
{
    foi_fmu_memory *m = memory_of(s);
    const foi_unit *u = &f->unit;
    const foi_unit_block *b = u->block;
    if (!b->terminate) take_sides(f, s);
    m->next_defined = b->next_defined, m->next = b->next;
    m->stop = b->terminate, m->wanted = false;
    m->event = s->t;
    copy(s->x, u->tx, u->x.values);
}

static fo_status start(const void *model, fo_state *s)
{
    fo_fmu *f = (fo_fmu *)model;
    pthread_mutex_lock(&f->lock);
    fo_status status = foi_fmu_start(f, s);
    if (status == FO_OK) take_event(f, s);
    if (status == FO_OK) status = foi_fmu_renew(f, s);
    pthread_mutex_unlock(&f->lock);
    return status;
}

static fo_status handle(fo_fmu *f, fo_state *s)
{
    foi_unit *u = &f->unit;
    fo_status status = foi_fmu_take(f, s);
    if (status != FO_OK) return status;
    f->have = 0;
    u->block->t = s->t;
    copy(u->tx, s->x, u->x.values);
    copy(u->tu, s->u, u->u.values);
    copy(u->tp, s->p, u->p.values);
    status = foi_unit_ask(u, FOI_UNIT_EVENT, s->message);
    if (status == FO_RETRY)
        status = fo_refuse(s, "%s: the FMU discarded the update of an event (fmiDiscard)",
                           u->about.file);
    if (status != FO_OK) return status;
    take_event(f, s);
    return foi_fmu_renew(f, s);
}

// One event takes all that is due at an instant: the unit sees its indicators itself. Only what
// came from outside, or a time event that is still ahead of the unit, is one more.
static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    fo_fmu *f = (fo_fmu *)model;
    foi_fmu_memory *own = memory_of(s);
    bool due = m->kind == FO_SCHEDULED && (own->wanted || (own->next_defined && own->next <= s->t));
    if (own->stop) {
        e->stop = true;
        return FO_OK;
    }
    if (m->kind == FO_ZENO || (m->kind != FO_SET && !due && own->event == s->t)) {
        e->unchanged = true;
        return FO_OK;
    }
    fo_status status = handle(f, s);
    pthread_mutex_unlock(&f->lock);
    e->stop = status == FO_OK && own->stop;
    return status;
}

fo_next foi_fmu_next(const void *model, const fo_state *s)
{
    const foi_fmu_memory *m = memory_of(s);
    (void)model;
    if (m->stop) return (fo_next){s->t, 2};
    if (m->wanted) return (fo_next){s->t, 1};
    if (!m->next_defined) return (fo_next){INFINITY, 0};
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
        status = foi_unit_ask(u, FOI_UNIT_COMPLETED, s->message);
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
                               .next = foi_fmu_next,
                               .jump = jump,
                               .observe = f->unit.y.values ? observe : NULL,
                               .settle = f->unit.can->needs_completed ? settle : NULL,
                               .jacobian = f->unit.jacobian ? jacobian : NULL,
                               .hears_sets = true};
}
