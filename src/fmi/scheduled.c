/// Scheduled Execution: the unit has clocks, and this program ticks them. A tick runs a partition
/// of the unit's model at once; nothing flows between ticks.
///
/// A periodic clock ticks at start + shift + n interval, so that rounding does not add up. A
/// countdown or changing clock is asked after every tick whether it wants one, and when. A
/// triggered clock is an external event of the system. Ticks of one instant happen in the order of
/// the clocks' priorities.
///
/// The memory of a state, behind foi_fmu_memory: per clock a foi_tick.
#include <math.h>
#include <string.h>

#include "fmi/fmu.h"
#include "fmi/serve.h"

enum { MOST_TICKS = 1000 }; ///< at one instant

/// When a clock ticks next.
typedef struct foi_tick {
    double due;      ///< INFINITY: not known
    double first;    ///< periodic: the tick n = 0
    double interval; ///< 0: not periodic
    double n;
} foi_tick;

// ------------------------------------------------------------------------------ where it is called

static bool periodic(const foi_fmu_variable *clock)
{
    return clock->clock.ticking <= FOI_FMU_TUNABLE;
}

// The intervals that the unit has to say: all at the start, later those that may change.
static bool ask_intervals(foi_unit *unit, bool start)
{
    for (uint32_t i = 0; i < unit->clock_count; i++) {
        const foi_fmu_variable *v = unit->clocks[i];
        double interval = 0;
        int qualifier = FMI3_INTERVAL_NOT_YET_KNOWN;
        bool own =
            periodic(v) ? start && !(v->clock.interval > 0) : v->clock.ticking != FOI_FMU_TRIGGERED;
        unit->intervals[i] = -1;
        if (!own) continue;
        if (!unit->f3.GetIntervalDecimal)
            return foi_unit_wrong(unit, "its binary has no function fmi3GetIntervalDecimal");
        if (!FOI_CALL3(unit, GetIntervalDecimal,
                       (unit->instance, &v->reference, 1, &interval, &qualifier)))
            return false;
        bool said = qualifier == FMI3_INTERVAL_CHANGED ||
                    (periodic(v) && qualifier != FMI3_INTERVAL_NOT_YET_KNOWN);
        if (said && !(interval >= 0 && isfinite(interval)))
            return foi_unit_wrong(
                unit, "the interval of clock '%s' must be finite and not negative, it is %g",
                v->name, interval);
        if (said) unit->intervals[i] = interval;
    }
    return true;
}

bool foi_unit_look(foi_unit *unit)
{
    return foi_unit_set_inputs(unit) &&
           foi_unit_set(unit, &unit->u, unit->u.reals, unit->tu, unit->known_u) &&
           foi_unit_set(unit, &unit->p, 0, unit->tp, unit->known_p) &&
           (unit->block->mask != UINT32_MAX || ask_intervals(unit, true)) &&
           foi_unit_get(unit, &unit->y, unit->ty);
}

bool foi_unit_tick(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    const foi_fmu_variable *clock = unit->clocks[b->mask];
    if (!foi_unit_set_inputs(unit) ||
        !foi_unit_set(unit, &unit->u, unit->u.reals, unit->tu, unit->known_u) ||
        !foi_unit_set(unit, &unit->p, 0, unit->tp, unit->known_p))
        return false;
    return FOI_CALL3(unit, ActivateModelPartition, (unit->instance, clock->reference, b->t)) &&
           ask_intervals(unit, false) && foi_unit_get(unit, &unit->y, unit->ty);
}

// ------------------------------------------------------------------------------------ the system

static foi_tick *ticks_of(fo_fmu *f, const fo_state *s)
{
    return (foi_tick *)(void *)foi_fmu_sides(f, s);
}

size_t foi_fmu_ticks_size(const fo_fmu *f)
{
    return f->unit.clock_count * sizeof(foi_tick);
}

static fo_status ask(fo_fmu *f, fo_state *s, foi_unit_request what, uint32_t clock)
{
    foi_unit *u = &f->unit;
    u->block->t = s->t, u->block->mask = clock;
    if (u->u.values) memcpy(u->tu, s->u, u->u.values * sizeof(double));
    if (u->p.values) memcpy(u->tp, s->p, u->p.values * sizeof(double));
    fo_status status = foi_unit_ask(u, what, s->message);
    return status == FO_RETRY
               ? fo_refuse(s, "%s: the FMU discarded a clock's tick at t = %.17g (fmiDiscard)",
                           u->about.file, s->t)
               : status;
}

static void plan_clock(foi_tick *tick, const foi_fmu_variable *v, double said, double start)
{
    double interval = v->clock.interval > 0 ? v->clock.interval : said;
    *tick = (foi_tick){.due = INFINITY};
    if (periodic(v) && interval > 0)
        *tick = (foi_tick){start + v->clock.shift, start + v->clock.shift, interval, 0};
    else if (said >= 0 && !periodic(v))
        tick->due = start + said;
}

static fo_status start(const void *model, fo_state *s)
{
    fo_fmu *f = (fo_fmu *)model;
    pthread_mutex_lock(&f->lock);
    fo_status status = foi_fmu_start(f, s);
    if (status == FO_OK) status = ask(f, s, FOI_UNIT_LOOK, UINT32_MAX);
    for (uint32_t i = 0; i < f->unit.clock_count && status == FO_OK; i++)
        plan_clock(&ticks_of(f, s)[i], f->unit.clocks[i], f->unit.intervals[i], s->t);
    if (status == FO_OK) status = foi_fmu_renew(f, s);
    pthread_mutex_unlock(&f->lock);
    return status;
}

static fo_next next(const void *model, const fo_state *s)
{
    fo_fmu *f = (fo_fmu *)model;
    fo_next first = {INFINITY, 0};
    for (uint32_t i = 0; i < f->unit.clock_count; i++) {
        double due = ticks_of(f, s)[i].due;
        if (due < first.t) first = (fo_next){due > s->t ? due : s->t, 0};
    }
    return first;
}

// The clock of the smallest priority that is due; clock_count: none.
static uint32_t first_due(fo_fmu *f, const fo_state *s)
{
    const foi_unit *u = &f->unit;
    uint32_t best = u->clock_count;
    for (uint32_t i = 0; i < u->clock_count; i++) {
        if (ticks_of(f, s)[i].due > s->t) continue;
        if (best == u->clock_count ||
            u->clocks[i]->clock.priority < u->clocks[best]->clock.priority)
            best = i;
    }
    return best;
}

static fo_status tick(fo_fmu *f, fo_state *s, uint32_t clock)
{
    foi_tick *ticks = ticks_of(f, s), *own = &ticks[clock];
    if (own->interval > 0)
        own->n++, own->due = own->first + own->n * own->interval;
    else
        own->due = INFINITY;
    fo_status status = ask(f, s, FOI_UNIT_TICK, clock);
    for (uint32_t i = 0; i < f->unit.clock_count && status == FO_OK; i++)
        if (f->unit.intervals[i] >= 0 && !periodic(f->unit.clocks[i]))
            ticks[i].due = s->t + f->unit.intervals[i];
    return status;
}

// Which clock event `index` of the description is.
static uint32_t triggered(const fo_fmu *f, uint32_t index)
{
    uint32_t i = 0;
    for (; i < f->unit.clock_count; i++)
        if (f->unit.clocks[i]->clock.ticking == FOI_FMU_TRIGGERED && index-- == 0) break;
    return i;
}

static fo_status tick_all(fo_fmu *f, fo_state *s, const fo_moment *m)
{
    fo_status status = foi_fmu_take(f, s);
    f->have = 0;
    uint32_t outside = m->kind == FO_EXTERNAL ? triggered(f, m->index) : f->unit.clock_count;
    if (status == FO_OK && outside < f->unit.clock_count) status = tick(f, s, outside);
    for (int i = 0; status == FO_OK; i++) {
        uint32_t clock = first_due(f, s);
        if (clock == f->unit.clock_count) break;
        if (i == MOST_TICKS)
            return fo_refuse(s, "%s: its clocks tick more than %d times at t = %.17g",
                             f->unit.about.file, MOST_TICKS, s->t);
        status = tick(f, s, clock);
    }
    return status == FO_OK ? foi_fmu_renew(f, s) : status;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    fo_fmu *f = (fo_fmu *)model;
    if (m->kind != FO_SCHEDULED && m->kind != FO_EXTERNAL) {
        e->unchanged = m->kind != FO_SET;
        return FO_OK;
    }
    fo_status status = tick_all(f, s, m);
    pthread_mutex_unlock(&f->lock);
    return status;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    fo_fmu *f = (fo_fmu *)model;
    fo_state at = *s;
    (void)x;
    at.t = t;
    fo_status status = foi_fmu_take(f, s);
    if (status == FO_OK) status = ask(f, &at, FOI_UNIT_LOOK, 0);
    if (status == FO_OK) memcpy(y, f->unit.ty, f->unit.y.values * sizeof *y);
    pthread_mutex_unlock(&f->lock);
    return status;
}

void foi_fmu_scheduled(fo_fmu *f)
{
    f->type = (fo_system_type){.kind = "fmu",
                               .start = start,
                               .next = next,
                               .jump = jump,
                               .observe = f->unit.y.values ? observe : NULL,
                               .hears_sets = true};
}
