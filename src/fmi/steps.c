/// Co-Simulation: the unit steps itself. Its real outputs are the states.
#include <math.h>
#include <string.h>

#include "fmi/fmu.h"

static void copy(double *to, const double *from, size_t count)
{
    if (count) memcpy(to, from, count * sizeof *to);
}

// Times are added up in different ways: so much may they differ where they are the same.
static double slack_of(double t)
{
    return 4 * (nextafter(fabs(t), INFINITY) - fabs(t));
}

static double *inputs_of_step(fo_fmu *f, const fo_state *s)
{
    return (double *)(void *)(foi_fmu_bytes(f, s) + 2 * f->room);
}

static double *held_of(fo_fmu *f, const fo_state *s)
{
    return inputs_of_step(f, s) + f->unit.u.values;
}

// The same where the last step began.
static double *held_before(fo_fmu *f, const fo_state *s)
{
    return held_of(f, s) + f->unit.y.values;
}

static double *parameters_of_step(fo_fmu *f, const fo_state *s)
{
    return held_before(f, s) + f->unit.y.values;
}

// Outputs of other types stay as they are until the next communication point.
static void take_outputs(fo_fmu *f, const fo_state *s, double *x, double steps)
{
    const foi_unit_list *y = &f->unit.y;
    if (f->counts)
        x[0] = steps;
    else
        copy(x, f->unit.ty, y->real_values);
    copy(held_of(f, s), f->unit.ty + y->real_values, y->values - y->real_values);
}

static fo_status ask_step(fo_fmu *f, fo_state *s, double t, double h, const double *u,
                          const double *p)
{
    foi_unit *unit = &f->unit;
    unit->block->t = t, unit->block->h = h;
    copy(unit->tu, u, unit->u.values);
    copy(unit->tp, p, unit->p.values);
    foi_fmu_memory *m = s->memory;
    unit->block->next_defined = isfinite(m->inner), unit->block->next = m->inner;
    fo_status status = foi_fmu_change(f, s, FOI_UNIT_STEP);
    m->inner = unit->block->next_defined ? unit->block->next : INFINITY;
    return status == FO_RETRY
               ? fo_refuse(s, "%s: the FMU discarded a step at t = %.17g (fmiDiscard)",
                           unit->about.file, t)
               : status;
}

static fo_status start(const void *model, fo_state *s)
{
    fo_fmu *f = (fo_fmu *)model;
    foi_fmu_memory *m = s->memory;
    pthread_mutex_lock(&f->lock);
    fo_status status = foi_fmu_start(f, s);
    m->inner = f->unit.event_mode && f->unit.block->next_defined ? f->unit.block->next : INFINITY;
    m->stop = f->unit.event_mode && f->unit.block->terminate; // in its first events
    if (status == FO_OK) status = ask_step(f, s, s->t, 0, s->u, s->p);
    if (status == FO_OK) {
        take_outputs(f, s, s->x, 0);
        m->reached = m->before = s->t;
        status = foi_fmu_renew(f, s);
    }
    pthread_mutex_unlock(&f->lock);
    return status;
}

// Something from outside has cut the last step: the unit goes back to where that began and comes up
// to t with the inputs and parameters that it had.
static fo_status step_back(fo_fmu *f, fo_state *s, double t)
{
    foi_fmu_memory *m = s->memory;
    if (!m->size_before || m->size_before > f->room || t < m->before)
        return fo_refuse(s,
                         "%s: t = %.17g is not a communication point, and the FMU's state at t = "
                         "%.17g cannot be restored",
                         f->unit.about.file, t, m->reached);
    f->unit.block->state_size = m->size_before;
    memcpy(f->unit.state, foi_fmu_bytes(f, s) + f->room, m->size_before);
    fo_status status = foi_unit_ask(&f->unit, FOI_UNIT_RESTORE, s->message);
    m->inner = m->inner_before;
    if (status == FO_OK)
        status = ask_step(f, s, m->before, t - m->before, inputs_of_step(f, s),
                          parameters_of_step(f, s));
    if (status == FO_OK) status = foi_fmu_renew(f, s);
    m->reached = t;
    return status;
}

static void keep_before(fo_fmu *f, fo_state *s, double t)
{
    foi_fmu_memory *m = s->memory;
    uint8_t *bytes = foi_fmu_bytes(f, s);
    m->before = t, m->size_before = m->size, m->inner_before = m->inner;
    if (m->size) memcpy(bytes + f->room, bytes, m->size);
    copy(inputs_of_step(f, s), s->u, f->unit.u.values);
    copy(parameters_of_step(f, s), s->p, f->unit.p.values);
    copy(held_before(f, s), held_of(f, s), f->unit.y.values - f->unit.y.real_values);
}

static fo_status advance(fo_fmu *f, fo_state *s, double t, double h, const double *x, double *x_new)
{
    foi_fmu_memory *m = s->memory;
    fo_status status = FO_OK;
    if (t < m->reached - slack_of(t)) status = step_back(f, s, t);
    if (status != FO_OK) return status;
    keep_before(f, s, t);
    status = ask_step(f, s, t, h, s->u, s->p);
    if (status != FO_OK) return status;
    m->stop = f->unit.block->terminate;
    m->reached = m->stop ? f->unit.block->reached : t + h;
    take_outputs(f, s, x_new, x[0] + 1);
    return foi_fmu_renew(f, s);
}

static fo_status step(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new)
{
    fo_fmu *f = (fo_fmu *)model;
    fo_status status = foi_fmu_take(f, s);
    if (status == FO_OK) status = advance(f, s, t, h, x, x_new);
    pthread_mutex_unlock(&f->lock);
    return status;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    fo_fmu *f = (fo_fmu *)model;
    const foi_fmu_memory *m = s->memory;
    (void)x;
    copy(y, t < m->reached - slack_of(t) ? held_before(f, s) : held_of(f, s),
         f->unit.y.values - f->unit.y.real_values);
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const foi_fmu_memory *own = s->memory;
    (void)model;
    e->stop = own->stop && own->reached <= s->t;
    e->unchanged = m->kind != FO_SET;
    return FO_OK;
}

// The end, where the unit has come to it: inside of its last step.
static fo_next next(const void *model, const fo_state *s)
{
    const foi_fmu_memory *m = s->memory;
    (void)model;
    if (!m->stop) return (fo_next){INFINITY, 0};
    return (fo_next){m->reached > s->t ? m->reached : s->t, 2};
}

// A unit may end the run in any step: with this the simulation looks after each.
static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    (void)model, (void)s, (void)t, (void)x;
    return FO_OK;
}

void foi_fmu_cosimulation(fo_fmu *f)
{
    f->stepper = (fo_stepper){.name = "the FMU's own", .order = 1, .step = step};
    f->type = (fo_system_type){.kind = "fmu",
                               .start = start,
                               .next = next,
                               .jump = jump,
                               .observe = f->about.outputs.count ? observe : NULL,
                               .settle = settle,
                               .stepper = &f->stepper,
                               .hears_sets = true};
}
