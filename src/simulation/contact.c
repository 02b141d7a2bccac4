/// Contacts: guards whose jump is an impact. How such a jump pushes is tried on copies of the
/// state, and which of several contacts stay at rest together is a complementarity problem.
///
/// With d_j the direction of contact j's jump, scaled so that along it dg_j/dt grows by 1, second
/// derivatives a_i = Lf Lf g_i and B_ij = grad(Lf g_i) . d_j, those stay that have
///
///     w = a + B lambda >= 0,   lambda >= 0,   w_i lambda_i = 0
///
/// and w_i = 0. Murty's least-index method finds them, from all of them on, by solving for one set
/// after the other; for a matrix B all of whose principal minors are positive, as those of bodies
/// with masses are, it comes to an end and the answer is the only one. A contact without any force,
/// lambda_i = w_i = 0 but for rounding errors, stays: two bodies that fly side by side touch.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

fo_status foi_contact_slope(foi_hold *h, uint32_t k, const fo_state *s, const double *x, double t,
                            double *slope)
{
    double all[FOI_MOST_HELD];
    fo_status status = foi_hold_model_rates(h, s, t, x, h->rate);
    // a jump may have made the guard another one: before and after it are of one scale only so
    const fo_state *now = &h->sim->state.s;
    if (status == FO_OK) status = foi_hold_slopes(h, now, t, x, h->rate, FOI_LEVELS - 1, all);
    if (status == FO_OK) *slope = h->surface[k].side * all[k];
    return status;
}

// ------------------------------------------------------------------------------- trying the jump

// The guard has just come to zero, and nothing else changes sides: what it would bring about is not
// of its own push.
bool foi_contact_jump(foi_hold *h, double t, const double *x, uint32_t guard, int way)
{
    fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    fo_state *p = &h->probe.s;
    if (!system->type->jump) return false;
    foi_state_copy(&h->probe, &sim->state);
    p->message = &h->message, p->host = &h->host;
    p->t = nextafter(t, INFINITY), p->k = 0;
    memcpy(p->x, x, h->n * sizeof *x);
    memset(h->sides, FO_STAND_KEPT, h->guards);
    h->sides[guard] = way > 0 ? FO_STAND_SEEN_BELOW : FO_STAND_SEEN_ABOVE;
    if (system->type->side && system->type->side(system->model, p, h->sides) != FO_OK) return false;
    if (system->type->guards(system->model, p, p->t, p->x, h->g) != FO_OK) return false;
    fo_moment m = {.kind = FO_GUARD, .index = guard, .t = p->t, .k = 1};
    m.direction = (fo_direction)way, m.name = sim->watch.about[guard]->name;
    m.slack = sim->pulses[guard].slack + 4 * fabs(h->g[guard]);
    fo_effect e = {0};
    return system->type->jump(system->model, p, &m, &e) == FO_OK;
}

// The states `in` bring the contact in: where its jump takes them. *gain is how much the slope has
// grown; 0: the jump does nothing of the kind. What it does to g itself is not of its push (many
// put the contact back to where it should be).
static fo_status try_jump(foi_hold *h, uint32_t k, double t, const double *in, double *push,
                          double *gain)
{
    const foi_surface *on = &h->surface[k];
    const fo_state *p = &h->probe.s;
    double come, gone, moved = 0;
    *gain = 0;
    if (!foi_contact_jump(h, t, in, on->guard, -on->side)) return FO_OK;
    // both at the time of the jump: late in a run a floor moves between two instants
    fo_status status = foi_contact_slope(h, k, p, p->x, p->t, &gone);
    if (status == FO_OK) status = foi_contact_slope(h, k, &h->sim->state.s, in, p->t, &come);
    if (status != FO_OK || !isfinite(gone) || !(come < 0 && gone >= 0x1p-20 * come)) return status;
    const double *gradient = h->gradient + (size_t)k * h->n, *normal = h->normal + (size_t)k * h->n;
    for (uint32_t i = 0; i < h->n; i++) {
        push[i] = p->x[i] - in[i];
        moved += gradient[i] * push[i];
    }
    bool any = false;
    for (uint32_t i = 0; i < h->n; i++) {
        push[i] = (push[i] - moved * normal[i]) / (gone - come);
        any |= push[i] != 0;
    }
    if (any) *gain = gone - come;
    return FO_OK;
}

// Into w: along it dg/dt falls by 1 and g stays, if that can be; spread over the states as they are
// large. False where no state changes dg/dt.
static fo_status way_in(foi_hold *h, uint32_t k, double t, const double *x, double *w, bool *found)
{
    const double *gradient = h->gradient + (size_t)k * h->n;
    double *at = h->work, square = 0, plain = 0, most = 0; // level 0 is free here
    memcpy(at, x, h->n * sizeof *x);
    for (uint32_t i = 0; i < h->n; i++) {
        double by = 0x1p-20 * h->size[i], up, down;
        at[i] = x[i] + by;
        fo_status status = foi_contact_slope(h, k, &h->sim->state.s, at, t, &up);
        at[i] = x[i] - by;
        if (status == FO_OK) status = foi_contact_slope(h, k, &h->sim->state.s, at, t, &down);
        at[i] = x[i];
        if (status != FO_OK) return status;
        w[i] = (up - down) / (2 * by) * h->size[i];
        most = foi_fmax(most, fabs(w[i]));
    }
    for (uint32_t i = 0; i < h->n && most > 0; i++) {
        w[i] /= most;
        square += w[i] * w[i], plain += gradient[i] == 0 ? w[i] * w[i] : 0;
        w[i] *= h->size[i] / most;
    }
    bool some = plain > 0x1p-40 * square;
    *found = square > 0 && isfinite(square);
    for (uint32_t i = 0; i < h->n && *found; i++)
        w[i] = some && gradient[i] != 0 ? 0 : -w[i] / (some ? plain : square);
    return FO_OK;
}

// Onto the surface, but for rounding errors.
static fo_status put_onto(foi_hold *h, uint32_t k, double t, double *x)
{
    const fo_system *system = &h->sim->system;
    fo_status status = FO_OK;
    for (int turn = 0; turn < 2 && status == FO_OK; turn++) {
        status = system->type->guards(system->model, &h->sim->state.s, t, x, h->g);
        double by = h->g[h->surface[k].guard];
        for (uint32_t i = 0; i < h->n && by != 0; i++) x[i] -= by * h->normal[(size_t)k * h->n + i];
    }
    return status;
}

// The contact comes in along `w`, fast enough to be seen. One that goes away (a trial point of the
// solver that has left the surface) has to be turned round first; where the surface is curved `w`
// takes not quite 1 from dg/dt, which is measured.
static fo_status come_in(foi_hold *h, uint32_t k, double t, const double *x, const double *w,
                         double *push, double *gain)
{
    enum { TURNS = 4 };
    double slope, most = 0, *in = h->work;
    *gain = 0;
    for (uint32_t i = 0; i < h->n; i++) most = foi_fmax(most, fabs(w[i]) / h->size[i]);
    if (!(most > 0)) return FO_OK;
    fo_status status = foi_contact_slope(h, k, &h->sim->state.s, x, t, &slope);
    if (status != FO_OK) return status;
    double speed = 0x1p-8 / most, by = speed + foi_fmax(slope, 0);
    for (uint32_t i = 0; i < h->n; i++) in[i] = x[i] + by * w[i];
    status = put_onto(h, k, t, in);
    for (int turn = 0; turn < TURNS && by > speed && status == FO_OK; turn++) {
        status = foi_contact_slope(h, k, &h->sim->state.s, in, t, &slope);
        if (status != FO_OK || slope <= -0.5 * speed) break;
        for (uint32_t i = 0; i < h->n; i++) in[i] += (speed + slope) * w[i];
        status = put_onto(h, k, t, in);
    }
    return status == FO_OK ? try_jump(h, k, t, in, push, gain) : status;
}

fo_status foi_contact_push(foi_hold *h, uint32_t k, double t, const double *x, double *push,
                           bool *is)
{
    double gain = 0;
    bool found;
    fo_status status = way_in(h, k, t, x, push, &found);
    if (status == FO_OK && found) status = come_in(h, k, t, x, push, push, &gain);
    *is = status == FO_OK && gain > 0;
    return status;
}

fo_status foi_contact_bounce(foi_hold *h, uint32_t k, double t, const double *x, double speed,
                             double *part)
{
    const fo_state *p = &h->probe.s;
    double slope, gone, *in = h->work, *w = h->rate + h->n; // neither is used by slopes
    bool found;
    *part = NAN;
    fo_status status = way_in(h, k, t, x, w, &found);
    if (status == FO_OK && found) status = foi_contact_slope(h, k, &h->sim->state.s, x, t, &slope);
    if (status != FO_OK || !found) return status;
    for (uint32_t i = 0; i < h->n; i++) in[i] = x[i] + (speed + slope) * w[i];
    if ((status = put_onto(h, k, t, in)) != FO_OK) return status;
    if (!foi_contact_jump(h, t, in, h->surface[k].guard, -h->surface[k].side)) return FO_OK;
    status = foi_contact_slope(h, k, p, p->x, p->t, &gone);
    if (status == FO_OK) *part = gone / speed;
    return status;
}

// Against its old push: surfaces may be curved, and the push another one than where it was before.
fo_status foi_contact_turn(foi_hold *h, uint32_t k, double t, const double *x, const double *old,
                           double *push)
{
    double gain, *back = h->work + h->n;
    for (uint32_t i = 0; i < h->n; i++) back[i] = -old[i];
    fo_status status = come_in(h, k, t, x, back, push, &gain);
    if (status == FO_OK && !(gain > 0)) memcpy(push, old, h->n * sizeof *push);
    return status;
}

// --------------------------------------------------------------------------------- all together

// Gauss elimination with full pivoting. Contacts that hold the same (two guards of one surface)
// make B singular: what is left over then gets nothing, if that is a solution.
bool foi_contact_solve(double *a, double *b, uint32_t n, double slack)
{
    uint32_t column[FOI_MOST_HELD], rank = 0;
    double most = 0, x[FOI_MOST_HELD] = {0};
    for (uint32_t i = 0; i < n; i++) column[i] = i;
    for (uint32_t i = 0; i < n * n; i++) most = foi_fmax(most, fabs(a[i]));
    for (; rank < n; rank++) {
        uint32_t r = rank, c = rank;
        for (uint32_t i = rank; i < n; i++)
            for (uint32_t k = rank; k < n; k++)
                if (fabs(a[i * n + k]) > fabs(a[r * n + c])) r = i, c = k;
        if (!(fabs(a[r * n + c]) > 0x1p-30 * most)) break;
        for (uint32_t k = 0; k < n && r != rank; k++) {
            double swap = a[r * n + k];
            a[r * n + k] = a[rank * n + k], a[rank * n + k] = swap;
        }
        for (uint32_t i = 0; i < n && c != rank; i++) {
            double swap = a[i * n + c];
            a[i * n + c] = a[i * n + rank], a[i * n + rank] = swap;
        }
        double swap = b[r];
        b[r] = b[rank], b[rank] = swap;
        uint32_t which = column[c];
        column[c] = column[rank], column[rank] = which;
        for (uint32_t i = rank + 1; i < n; i++) {
            double q = a[i * n + rank] / a[rank * n + rank];
            for (uint32_t k = rank; k < n && q != 0; k++) a[i * n + k] -= q * a[rank * n + k];
            b[i] -= q * b[rank];
        }
    }
    for (uint32_t i = rank; i < n; i++)
        if (!(fabs(b[i]) <= slack)) return false;
    for (uint32_t c = rank; c-- > 0;) {
        double sum = b[c];
        for (uint32_t k = c + 1; k < rank; k++) sum -= a[c * n + k] * x[column[k]];
        x[column[c]] = sum / a[c * n + c];
    }
    memcpy(b, x, n * sizeof *b);
    return true;
}

double foi_contact_slack(const foi_hold *h)
{
    double sum = 0;
    for (uint32_t j = 0; j < h->rests; j++) sum += h->surface[h->slides + j].weak;
    return sum;
}

// The forces of those that stay, 0 for the others; then the first one that may not be as it is.
static bool first_wrong(const foi_hold *h, const double *second, const bool *stays, double slack,
                        double *lambda, uint32_t *wrong)
{
    uint32_t r = h->rests, list[FOI_MOST_RESTS], count = 0;
    double *a = h->coupling + (size_t)r * r, b[FOI_MOST_RESTS];
    for (uint32_t i = 0; i < r; i++)
        if (stays[i]) list[count++] = i;
    for (uint32_t i = 0; i < count; i++) {
        b[i] = -second[list[i]];
        for (uint32_t j = 0; j < count; j++) a[i * count + j] = h->coupling[list[i] * r + list[j]];
    }
    if (!foi_contact_solve(a, b, count, slack)) return false;
    memset(lambda, 0, r * sizeof *lambda);
    for (uint32_t i = 0; i < count; i++) lambda[list[i]] = b[i];
    for (*wrong = 0; *wrong < r; (*wrong)++) {
        uint32_t i = *wrong;
        double w = second[i];
        for (uint32_t j = 0; j < r; j++) w += h->coupling[i * r + j] * lambda[j];
        if (stays[i] ? !(lambda[i] >= -slack) : !(w >= -slack)) break;
    }
    return true;
}

bool foi_contact_sort(const foi_hold *h, const double *second, double slack, bool *stays,
                      double *lambda)
{
    enum { MOST = 4096 };
    for (uint32_t i = 0; i < h->rests; i++) stays[i] = true;
    for (int turn = 0; turn < MOST; turn++) {
        uint32_t wrong;
        if (!first_wrong(h, second, stays, slack, lambda, &wrong)) return false;
        if (wrong == h->rests) return true;
        stays[wrong] = !stays[wrong];
    }
    return false;
}
