/// The first step after a jump, for the stiff methods of SUNDIALS: one of rodas4.
///
/// At a located event the state is off the slow solution by the error of the dense output, some
/// delta below the tolerance. A stiff component goes back by delta within 1/k seconds. Methods that
/// begin at order 1, with a first step chosen from the rates -k delta there, resolve that: a guard
/// that has just fired goes back through zero and fires again. ARKODE's cubic even has the slope
/// -k delta at its left end, and is off by any amount until the step's other end. An L-stable step
/// with a controlled defect, over a length that the slow solution allows, goes past all that.
#include <string.h>

#include "solver/sundials.h"

struct foi_sundials_starter {
    foi_solver solver; ///< rodas4
    fo_message said;   ///< its failures are not the run's: the method itself then tries
    bool ready;
};

void foi_sundials_starter_destroy(foi_sundials_starter *s, const fo_allocator *allocator)
{
    if (!s) return;
    if (s->solver.method) foi_solver_destroy(&s->solver);
    foi_free(allocator, s);
}

// Made at the first jump: runs without one do not pay for it.
static fo_status make(foi_sundials *d)
{
    const foi_solver *o = d->o;
    foi_sundials_starter *s = d->starter;
    if (!s) s = d->starter = foi_new(o->allocator, 1, sizeof *s);
    if (!s) return FO_ERROR_MEMORY;
    foi_solver *r = &s->solver;
    r->method = foi_method_find("rodas4", NULL);
    r->system = o->system, r->s = o->s, r->n = o->n;
    r->rtol = o->rtol, r->wanted_atol = o->wanted_atol, r->size = o->size;
    r->atol = o->atol;
    r->max_step = o->max_step, r->min_step = o->min_step, r->stop = o->stop;
    r->allocator = o->allocator, r->message = &s->said;
    r->budget = 1;
    if (s->ready) return FO_OK;
    fo_status status = foi_solver_prepare(r);
    s->ready = status == FO_OK;
    return status;
}

static void add_counts(foi_counts *to, const foi_counts *from)
{
    to->steps += from->steps, to->rejected += from->rejected, to->rates += from->rates;
    to->jacobians += from->jacobians, to->factorisations += from->factorisations;
}

fo_status foi_sundials_start(foi_sundials *d, double goal, bool *taken)
{
    foi_solver *o = d->o;
    *taken = false;
    if (!o->system.type->rates) return FO_OK;
    fo_status status = make(d);
    if (status != FO_OK) return status == FO_ERROR_MEMORY ? status : FO_OK;
    foi_solver *r = &d->starter->solver;
    r->counts = (foi_counts){0};
    status = foi_solver_begin(r, o->t1, o->x1, FOI_COLD);
    r->h_next = o->h_next;
    if (status == FO_OK) status = r->method->march(r, r->t1, goal);
    if (status == FO_OK) status = foi_solver_dense(r);
    if (status == FO_OK) {
        foi_solver_turn(o);
        o->t1 = r->t1, o->h_next = r->h_next;
        memcpy(o->x1, r->x1, o->n * sizeof(double));
        memcpy(o->coefficients, r->coefficients, (size_t)(r->degree + 1) * o->n * sizeof(double));
        o->degree = r->degree, o->dense_ready = true;
        *taken = true;
    } else {
        r->counts.rejected += r->counts.steps, r->counts.steps = 0;
    }
    add_counts(&o->counts, &r->counts);
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}
