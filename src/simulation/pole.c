/// Poles between the ends of steps: a value that goes to infinity, with numbers on both sides.
///
/// An output with a pole has right values wherever it is shown; that it was infinite in between is
/// noted, once of each output. A rate with a pole makes its state escape, or ends its solution.
/// Methods that choose their steps notice that by themselves; fixed steps would pass over it, so
/// there an adaptive method is asked whether it comes across.
///
/// Where a system can tell from bounds (may_diverge) that something may have a pole on a stretch,
/// that is cut in two, from left to right, until it has not or the part is very short. A bound that
/// is infinite is no proof of a pole (sin(x)/x has none). But near one of order p values grow by
/// 2^(12 p) while the distance shrinks by 2^-12, and other values do not.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum { LEAST_LOOKS = 32 }; ///< on a step that are always granted

static const double finest = 0x1p-24, far_away = 0x1p-12; // parts of a step
static const double growth = 64;                          // between them, of a pole of order 1/2

/// A part of the last step, in parts of its length, and what is looked at there.
typedef struct part {
    fo_simulation *sim;
    fo_quantity of;
    double from, to;
} part;

static double time_at(const fo_simulation *sim, double theta)
{
    const foi_solver *o = &sim->solver;
    return theta >= 1 ? o->t1 : o->t0 + theta * (o->t1 - o->t0);
}

static bool is_fixed(const fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    const foi_method *method = sim->solver.method;
    return method && sim->solver.n && type->rates && !foi_is_implicit(sim) && !type->lockstep &&
           !type->stepper && !(method->info.traits & FO_ADAPTIVE);
}

bool foi_poles_matter(const fo_simulation *sim)
{
    return sim->system.type->may_diverge && (sim->system.about->outputs_fail || is_fixed(sim));
}

static bool may_diverge(const part *p, double from, double to)
{
    fo_simulation *sim = p->sim;
    uint32_t n = sim->solver.n;
    double *row = sim->stretch;
    fo_stretch on = {.x = {row, row + n},
                     .dx = {row + 2 * (size_t)n, row + 3 * (size_t)n},
                     .x_mid = {row + 4 * (size_t)n, row + 5 * (size_t)n}};
    foi_dense_stretch(&sim->solver, from, to, &on);
    return sim->system.type->may_diverge(sim->system.model, &sim->state.s, &on, p->of);
}

// The rates or outputs at a place of the step; NULL where there are none.
static const double *values_at(const part *p, double theta)
{
    fo_simulation *sim = p->sim;
    const fo_system *system = &sim->system;
    double t = time_at(sim, theta);
    if (sim->solver.n) foi_dense_at(&sim->solver, theta, sim->probe);
    if (p->of == FO_OUTPUT)
        return foi_rows_observe(sim, t, sim->probe) == FO_OK ? sim->outputs : NULL;
    fo_status status =
        system->type->rates(system->model, &sim->state.s, t, sim->probe, sim->sample);
    return status == FO_OK ? sim->sample : NULL;
}

static uint32_t count_of(const part *p)
{
    const fo_shape *shape = &p->sim->state.s.shape;
    return p->of == FO_OUTPUT ? shape->outputs : shape->states;
}

// Whether value i grows towards the part from a to b as towards a pole.
static bool grows(const part *p, uint32_t i, double a, double b)
{
    const double places[] = {a - far_away, b + far_away, a, b};
    double most[2] = {-1, -1}; // far, near
    for (int k = 0; k < 4; k++) {
        if (places[k] < p->from || places[k] > p->to) continue;
        const double *v = values_at(p, places[k]);
        if (v) most[k / 2] = foi_fmax(most[k / 2], fabs(v[i]));
    }
    return most[0] >= 0 && most[1] > growth * most[0];
}

// ------------------------------------------------------------------------------------ what it is

static void say_output(const part *p, uint32_t i, double theta)
{
    fo_simulation *sim = p->sim;
    const fo_system_type *type = sim->system.type;
    fo_reference which = {FO_OUTPUT, i};
    char name[96], text[300];
    if (sim->poles[i]) return;
    sim->poles[i] = true;
    fo_system_name(sim->system, which, name, sizeof name);
    bool told = type->expression && type->expression(sim->system.model, which, text, sizeof text);
    fo_note(&sim->state.s,
            "%s passes a pole at t = %.9g: it is infinite there, and rows show the "
            "numbers on either side",
            told ? text : name, time_at(sim, theta));
}

static fo_status settle(const part *p, double a, double b)
{
    fo_simulation *sim = p->sim;
    uint32_t count = count_of(p);
    for (uint32_t i = 0; i < count; i++) {
        if (p->of == FO_OUTPUT && sim->poles[i]) continue;
        if (!grows(p, i, a, b)) continue;
        if (p->of == FO_OUTPUT)
            say_output(p, i, a + (b - a) / 2);
        else
            return foi_escape_on_step(sim, i, time_at(sim, a + (b - a) / 2), time_at(sim, p->to));
    }
    return FO_OK;
}

// All parts of the stretch, from left to right.
static fo_status look(const part *p)
{
    fo_simulation *sim = p->sim;
    const foi_solver *o = &sim->solver;
    double length = o->t1 - o->t0, a = p->from, width = p->to - p->from;
    double ulp = DBL_EPSILON * foi_fmax(fabs(o->t0), fabs(o->t1));
    double least = foi_fmax(finest, 4 * ulp / length);
    long looks = 0, most = sim->pole_looks;
    fo_status status = FO_OK;
    for (; looks < most && a < p->to && status == FO_OK; looks++) {
        double b = foi_fmin(p->to, a + width);
        if (!may_diverge(p, a, b)) {
            a = b, width *= 2;
        } else if (b - a <= least) {
            status = settle(p, a, b);
            a = b, width *= 2;
        } else {
            width = (b - a) / 2;
        }
    }
    // what is not understood now will hardly be on the next steps
    if (looks == most && looks / 4 >= LEAST_LOOKS) sim->pole_looks = looks / 4;
    return status;
}

fo_status foi_poles_between(fo_simulation *sim, double from, double to)
{
    foi_solver *o = &sim->solver;
    double length = o->t1 - o->t0;
    if (!(to > from) || !(length > 0) || !foi_poles_matter(sim)) return FO_OK;
    fo_status status = o->n ? foi_solver_dense(o) : FO_OK;
    part p = {sim, FO_STATE, foi_fmax(0, (from - o->t0) / length),
              foi_fmin(1, (to - o->t0) / length)};
    if (status == FO_OK && is_fixed(sim)) status = look(&p);
    p.of = FO_OUTPUT;
    if (status == FO_OK && sim->system.about->outputs_fail) status = look(&p);
    return status;
}
