#include "simulation/follow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "simulation/internal.h"

void foi_simulation_follow(fo_simulation *sim, foi_follower who)
{
    sim->follow.who = who, sim->follow.upto = sim->state.s.t;
    sim->each_step = true, sim->each_divided = false;
}

double foi_piece_time(const foi_piece *p, double theta)
{
    return theta == 1 ? p->t1 : p->t0 + theta * p->h;
}

fo_status foi_follow_pieces(fo_simulation *sim, double t)
{
    foi_followed *f = &sim->follow;
    foi_solver *o = &sim->solver;
    if (!f->who.piece) return FO_OK;
    double from = f->upto > o->t0 ? f->upto : o->t0, h = o->t1 - o->t0;
    f->upto = t;
    if (!(t > from) || !(h > 0)) return FO_OK;
    fo_status status = foi_solver_dense(o);
    if (status != FO_OK) return status;
    const foi_piece piece = {.sim = sim,
                             .t0 = o->t0,
                             .t1 = o->t1,
                             .h = h,
                             .from = (from - o->t0) / h,
                             .to = t >= o->t1 ? 1 : (t - o->t0) / h,
                             .resolution = DBL_EPSILON * (2 + fabs(o->t1) / h)};
    return f->who.piece(f->who.self, &piece, &sim->message);
}

// ----------------------------------------------------------------------------------------- values

static double plain_value(const fo_state *s, fo_reference r)
{
    const fo_shape *shape = &s->shape;
    switch (r.quantity) {
    case FO_DISCRETE: return r.index < shape->discretes ? s->d[r.index] : NAN;
    case FO_INPUT: return r.index < shape->inputs ? s->u[r.index] : NAN;
    case FO_PARAMETER: return r.index < shape->parameters ? s->p[r.index] : NAN;
    default: return NAN;
    }
}

fo_status foi_piece_values(const foi_piece *p, double theta, const fo_reference *which,
                           size_t count, double *values)
{
    fo_simulation *sim = p->sim;
    const fo_state *s = &sim->state.s;
    double t = foi_piece_time(p, theta);
    bool flows = false, outputs = false, known = true;
    for (size_t i = 0; i < count; i++) {
        flows |= which[i].quantity == FO_STATE;
        outputs |= which[i].quantity == FO_OUTPUT;
    }
    fo_status status = FO_OK;
    if (flows || outputs) foi_dense_at(&sim->solver, theta, sim->sample);
    if ((flows || outputs) && foi_is_held(sim))
        status = foi_hold_project(sim->hold, t, sim->sample);
    if (outputs && status == FO_OK) {
        if (theta < p->to)
            status = foi_finite_row(sim, t, sim->sample);
        else
            known = foi_rows_observe(sim, t, sim->sample) == FO_OK;
    }
    for (size_t i = 0; i < count && status == FO_OK; i++) {
        uint32_t k = which[i].index;
        if (which[i].quantity == FO_TIME)
            values[i] = t;
        else if (which[i].quantity == FO_STATE)
            values[i] = k < s->shape.states ? sim->sample[k] : NAN;
        else if (which[i].quantity == FO_OUTPUT)
            values[i] = known && k < s->shape.outputs ? sim->outputs[k] : NAN;
        else
            values[i] = plain_value(s, which[i]);
    }
    return status;
}

// ----------------------------------------------------------------------------------------- bounds

static const foi_span nothing_known = {-INFINITY, INFINITY, -INFINITY, INFINITY, FO_NOT_ENCLOSED};

// Room for bounds of n states (x, dx, the middle) and m outputs.
static fo_status make_room(fo_simulation *sim, size_t n, size_t m)
{
    foi_followed *f = &sim->follow;
    size_t needed = 6 * n + 4 * m + m / sizeof(double) + 1;
    if (needed <= f->room) return FO_OK;
    double *work = foi_new(sim->allocator, needed, sizeof *work);
    if (!work) return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for bounds");
    foi_free(sim->allocator, f->work);
    f->work = work, f->room = needed;
    return FO_OK;
}

// All outputs; `e` has room for them. False: nothing is known.
static fo_status enclose_outputs(fo_simulation *sim, const fo_stretch *on, fo_enclosure *e)
{
    size_t m = sim->state.s.shape.outputs;
    for (size_t i = 0; i < m; i++) {
        e->g.lo[i] = e->dg.lo[i] = -INFINITY, e->g.hi[i] = e->dg.hi[i] = INFINITY;
        e->nature[i] = 0;
    }
    return sim->system.type->output_bounds(sim->system.model, &sim->state.s, on, e);
}

static foi_span span_of(const fo_bounds *y, const fo_bounds *dy, uint32_t k, uint32_t nature)
{
    return (foi_span){y->lo[k], y->hi[k], dy->lo[k], dy->hi[k], nature};
}

fo_status foi_piece_bounds(const foi_piece *p, double a, double b, const fo_reference *which,
                           size_t count, foi_span *spans)
{
    fo_simulation *sim = p->sim;
    const fo_shape *shape = &sim->state.s.shape;
    size_t n = sim->solver.n, m = shape->outputs;
    fo_status status = make_room(sim, n, m);
    if (status != FO_OK) return status;
    double *w = sim->follow.work, *y = w + 6 * n;
    fo_stretch on = {.x = {w, w + n}, .dx = {w + 2 * n, w + 3 * n}};
    on.x_mid = (fo_bounds){w + 4 * n, w + 5 * n};
    fo_enclosure e = {{y, y + m}, {y + 2 * m, y + 3 * m}, (uint8_t *)(y + 4 * m)};
    bool flows = false, outputs = false;
    for (size_t i = 0; i < count; i++) {
        flows |= which[i].quantity == FO_STATE || which[i].quantity == FO_OUTPUT;
        outputs |= which[i].quantity == FO_OUTPUT;
    }
    // where a guard is held states are put back to its zero, by a small part of the tolerance; what
    // outputs make of the held flow is not known
    outputs = outputs && !foi_is_held(sim) && sim->system.type->output_bounds;
    if (flows) foi_dense_stretch(&sim->solver, a, b, &on);
    if (outputs) status = enclose_outputs(sim, &on, &e);
    for (size_t i = 0; i < count && status == FO_OK; i++) {
        fo_quantity quantity = which[i].quantity;
        uint32_t k = which[i].index;
        double constant = plain_value(&sim->state.s, which[i]);
        if (quantity == FO_TIME)
            spans[i] = (foi_span){foi_piece_time(p, a), foi_piece_time(p, b), 1, 1, 0};
        else if (quantity == FO_STATE && k < n)
            spans[i] = span_of(&on.x, &on.dx, k, 0);
        else if (quantity == FO_OUTPUT && outputs && k < m)
            spans[i] = span_of(&e.g, &e.dg, k, e.nature[k]);
        else if (!isnan(constant))
            spans[i] = (foi_span){constant, constant, 0, 0, 0};
        else
            spans[i] = nothing_known;
    }
    return status;
}
