/// Slides along which time would creep.
///
/// A slide has weights alpha = a- / (a- - a+) of the two modes, whose slopes a- > 0 > a+ bring the
/// guard back from either side. It may lead to a place where both slopes vanish: the relay
///
///     x' = v,   v' = if x + c v |v| > 0 then -1 else 1
///
/// (Fuller 1960) comes to x = v = 0 in finite time, sliding for c >= 1/2 and after infinitely many
/// switches for c < 1/2, and stays there. What would hold it is a slide of second order, g = 0 and
/// dg/dt = 0 at once. Filippov's weights are 0/0 at that place: their rates jump wherever a state
/// passes it, and a method that keeps its tolerance goes back and forth over it in steps of the
/// tolerance, without a moment that could be counted.
///
/// So slides are looked at whose steps are so short that a million of them would not end the run.
/// Both slopes count as zero there if errors of some tolerances in the states can turn both. One
/// thousand such steps, with no step of a clear slide in between, end the run with a message.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum { MOST = 1000, TOLERANCES = 64 };

// The slopes of both modes at x, into slope[2].
static fo_status slopes_at(foi_hold *h, const double *x, double *slope)
{
    fo_status status = foi_hold_rates(h, h->sim->state.s.t, x);
    for (uint32_t m = 0; m < 2; m++) slope[m] = h->slope[(size_t)m * FOI_MOST_SLIDES];
    return status;
}

// How far an error of some tolerances in state i, to either side, can carry each slope.
static fo_status carry(foi_hold *h, uint32_t i, const double here[2], double *x, double carried[2])
{
    double at = x[i], by = TOLERANCES * foi_hold_tolerance(h->sim, at), most[2] = {0};
    fo_status status = FO_OK;
    for (int side = -1; side <= 1 && status == FO_OK; side += 2) {
        double there[2];
        x[i] = at + side * by;
        status = slopes_at(h, x, there);
        for (int m = 0; m < 2; m++) most[m] = foi_fmax(most[m], fabs(there[m] - here[m]));
    }
    x[i] = at;
    for (int m = 0; m < 2; m++) carried[m] += most[m];
    return status;
}

// Whether neither slope is clear of zero.
static fo_status is_faint(foi_hold *h, bool *faint)
{
    const fo_state *s = &h->sim->state.s;
    double here[2], carried[2] = {0}, *x = h->sim->sample;
    fo_status status = slopes_at(h, s->x, here);
    memcpy(x, s->x, h->n * sizeof *x);
    *faint = false;
    for (uint32_t i = 0; i < h->n && status == FO_OK && !*faint; i++) {
        status = carry(h, i, here, x, carried);
        *faint = carried[0] > fabs(here[0]) && carried[1] > fabs(here[1]);
    }
    return status;
}

fo_status foi_hold_creeps(foi_hold *h)
{
    fo_simulation *sim = h->sim;
    double step = sim->solver.t1 - sim->solver.t0;
    bool faint = false;
    if (h->slides != 1 || h->rests) return FO_OK;
    if (step <= 0x1p-20 * foi_run_scale(&sim->def)) {
        fo_status status = is_faint(h, &faint);
        if (status != FO_OK) return status;
    }
    sim->faint = faint ? sim->faint + 1 : 0;
    if (sim->faint < MOST) return FO_OK;
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "time creeps at t = %.15g: the solution slides along '%s' and has come to where "
                   "neither mode carries it across any more (a slide of second order); %d steps in "
                   "a row there were about %.2g s long",
                   sim->state.s.t, foi_hold_about(h, h->surface[0].guard)->name, MOST, step);
}
