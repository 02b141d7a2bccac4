/// Rows: what observers are shown, and when. Grid instants are read off the dense output; they do
/// not disturb the steps.
#include <math.h>
#include <string.h>

#include "base/ticks.h"
#include "simulation/internal.h"
#include "simulation/stand.h"

static fo_status seat_create(fo_simulation *sim, foi_seat *seat, const fo_observer *who)
{
    const fo_shape *shape = &sim->state.s.shape;
    size_t all = (size_t)shape->states + shape->discretes + shape->outputs;
    size_t count = who->signals ? who->signal_count : all;
    seat->who = *who;
    seat->signals = foi_new(sim->allocator, count, sizeof *seat->signals);
    seat->values = foi_new(sim->allocator, count, sizeof *seat->values);
    if (!seat->signals || !seat->values)
        return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for an observer");
    seat->who.signal_count = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t k = (uint32_t)i;
        fo_reference r = {FO_STATE, k};
        if (who->signals)
            r = who->signals[i];
        else if (k >= shape->states + shape->discretes)
            r = (fo_reference){FO_OUTPUT, k - shape->states - shape->discretes};
        else if (k >= shape->states)
            r = (fo_reference){FO_DISCRETE, k - shape->states};
        seat->signals[i] = r;
        seat->outputs |= r.quantity == FO_OUTPUT;
    }
    return FO_OK;
}

fo_status foi_rows_create(fo_simulation *sim)
{
    sim->seats = foi_new(sim->allocator, sim->def.observer_count, sizeof *sim->seats);
    if (!sim->seats) return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for observers");
    for (uint32_t i = 0; i < sim->def.observer_count; i++) {
        sim->seat_count = i + 1;
        fo_status status = seat_create(sim, &sim->seats[i], &sim->def.observers[i]);
        if (status != FO_OK) return status;
        sim->each_step |= sim->seats[i].who.row && sim->seats[i].who.interval == 0;
        sim->reports_progress |= sim->seats[i].who.progress != NULL;
        sim->hears_moments |= sim->seats[i].who.moment != NULL;
    }
    return FO_OK;
}

void foi_rows_destroy(fo_simulation *sim)
{
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        foi_free(sim->allocator, sim->seats[i].signals);
        foi_free(sim->allocator, sim->seats[i].values);
    }
    foi_free(sim->allocator, sim->seats);
    sim->seats = NULL, sim->seat_count = 0;
}

static double value_of(const fo_simulation *sim, fo_reference r, double t, const double *x)
{
    const fo_state *s = &sim->state.s;
    const fo_shape *shape = &s->shape;
    switch (r.quantity) {
    case FO_TIME: return t;
    case FO_STATE: return r.index < shape->states ? x[r.index] : NAN;
    case FO_DISCRETE: return r.index < shape->discretes ? s->d[r.index] : NAN;
    case FO_INPUT: return r.index < shape->inputs ? s->u[r.index] : NAN;
    case FO_OUTPUT: return r.index < shape->outputs ? sim->outputs[r.index] : NAN;
    case FO_PARAMETER: return r.index < shape->parameters ? s->p[r.index] : NAN;
    }
    return NAN;
}

fo_status foi_rows_observe(fo_simulation *sim, double t, const double *x)
{
    const fo_system_type *type = sim->system.type;
    bool wanted = sim->state.s.shape.outputs || sim->system.about->outputs_fail;
    if (!type->observe || !wanted) return FO_OK;
    if (foi_is_held(sim)) return foi_hold_observe(sim->hold, t, x, sim->outputs);
    return type->observe(sim->system.model, &sim->state.s, t, x, sim->outputs);
}

double fo_simulation_value(fo_simulation *sim, fo_reference which)
{
    const fo_state *s = &sim->state.s;
    if (which.quantity == FO_OUTPUT && foi_rows_observe(sim, s->t, s->x) != FO_OK) return NAN;
    return value_of(sim, which, s->t, s->x);
}

void foi_simulation_values(fo_simulation *sim, const fo_reference *which, size_t count,
                           double *values)
{
    const fo_state *s = &sim->state.s;
    bool outputs = false;
    for (size_t i = 0; i < count; i++) outputs |= which[i].quantity == FO_OUTPUT;
    bool known = !outputs || foi_rows_observe(sim, s->t, s->x) == FO_OK;
    for (size_t i = 0; i < count; i++)
        values[i] =
            known || which[i].quantity != FO_OUTPUT ? value_of(sim, which[i], s->t, s->x) : NAN;
}

// Shows (t, x) to one observer, unless it has seen that instant already.
static fo_status show(fo_simulation *sim, foi_seat *seat, fo_row_kind kind, double t,
                      const double *x)
{
    uint32_t k = t == sim->state.s.t ? sim->state.s.k : 0;
    if (seat->any && seat->last_t == t && seat->last_k == k) return FO_OK;
    fo_status status = FO_OK;
    if (seat->outputs && kind == FO_ROW_BEFORE)
        status = foi_finite_before(sim, t, x);
    else if (seat->outputs && kind == FO_ROW_AFTER)
        status = foi_finite_after(sim, t, x);
    else if (seat->outputs)
        status = foi_finite_row(sim, t, x);
    if (status != FO_OK) return status;
    for (size_t i = 0; i < seat->who.signal_count; i++)
        seat->values[i] = value_of(sim, seat->signals[i], t, x);
    seat->any = true, seat->last_t = t, seat->last_k = k;
    fo_row row = {kind, t, k, seat->values, seat->who.signal_count};
    return seat->who.row(seat->who.self, &row, &sim->message);
}

fo_status foi_rows_show_seats(fo_simulation *sim, fo_row_kind kind)
{
    const fo_state *s = &sim->state.s;
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        foi_seat *seat = &sim->seats[i];
        if (!seat->who.row || (kind == FO_ROW_STEP && seat->who.interval != 0)) continue;
        if (kind == FO_ROW_SAMPLE && seat->who.interval < 0) continue;
        fo_status status = show(sim, seat, kind, s->t, s->x);
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

// The last one is the stop when it is meant to be.
static double grid(const fo_simulation *sim, const foi_seat *seat)
{
    if (!seat->who.row || !(seat->who.interval > 0)) return INFINITY;
    return foi_tick(sim->def.start, seat->who.interval, (double)seat->next, sim->def.stop);
}

double foi_rows_next_seats(const fo_simulation *sim)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        double at = grid(sim, &sim->seats[i]);
        if (at < next) next = at;
    }
    return next;
}

// The state at a grid instant, into sim->sample.
static fo_status sample_at(fo_simulation *sim, double t)
{
    foi_solver *o = &sim->solver;
    fo_status status = foi_solver_dense(o);
    if (status != FO_OK) return status;
    double h = o->t1 - o->t0, theta = t >= o->t1 || !(h > 0) ? 1 : (t - o->t0) / h;
    foi_dense_at(o, theta, sim->sample);
    return foi_is_held(sim) ? foi_hold_project(sim->hold, t, sim->sample) : FO_OK;
}

fo_status foi_rows_upto_seats(fo_simulation *sim, double t)
{
    for (;;) {
        double next = foi_rows_next(sim);
        if (next > t) return FO_OK;
        fo_status status = sample_at(sim, next);
        if (status != FO_OK) return status;
        for (uint32_t i = 0; i < sim->seat_count; i++) {
            foi_seat *seat = &sim->seats[i];
            if (grid(sim, seat) != next) continue;
            seat->next++;
            status = show(sim, seat, FO_ROW_SAMPLE, next, sim->sample);
            if (status != FO_OK) return status;
        }
    }
}

fo_status foi_rows_before(fo_simulation *sim, double t)
{
    fo_status status = foi_rows_upto(sim, nextafter(t, -INFINITY));
    if (status != FO_OK || foi_rows_next(sim) > t) return status;
    bool outputs = false;
    for (uint32_t i = 0; i < sim->seat_count; i++)
        outputs |= sim->seats[i].outputs && grid(sim, &sim->seats[i]) == t;
    if (!outputs) return FO_OK;
    status = sample_at(sim, t);
    return status == FO_OK ? foi_finite_row(sim, t, sim->sample) : status;
}

fo_status foi_rows_moment_seats(fo_simulation *sim, const fo_moment *m)
{
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        const fo_observer *who = &sim->seats[i].who;
        fo_status status = who->moment ? who->moment(who->self, m, &sim->message) : FO_OK;
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

fo_status foi_rows_progress(fo_simulation *sim)
{
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        const fo_observer *who = &sim->seats[i].who;
        fo_status status =
            who->progress ? who->progress(who->self, sim->solver.t1, sim->def.stop, &sim->message)
                          : FO_OK;
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

fo_status foi_rows_keep(const fo_simulation *sim, fo_message *why)
{
    for (uint32_t i = 0; i < sim->seat_count; i++) {
        const fo_observer *who = &sim->seats[i].who;
        fo_status status = who->keep ? who->keep(who->self, why) : FO_OK;
        if (status != FO_OK) return status;
    }
    return FO_OK;
}
