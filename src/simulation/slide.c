/// Sliding: where a solution goes from surfaces on which it stands.
///
/// With a_km the slope of g_k in mode m, the solution may go on in a single mode that carries every
/// g_k to the side that the mode is for; slide along some of the surfaces while the combination of
/// modes carries the other g_k away to their sides; or slide along all. These are tried in that
/// order. A combination has weights in [0, 1] with which the g_k slid upon do not change, and it
/// must be attractive: with alpha_k' = sum over m of w_m a_km, the dynamics inside a thin layer
/// about the surfaces (Guglielmi, Hairer 2015), its Jacobian must be stable. For one surface that
/// is a- > 0 > a+.
///
/// On several surfaces more than one of these may be possible: Filippov's solution is not unique
/// then. (One choice has one solution at most on two surfaces: where the slopes, linear in each
/// weight, have two common zeros, the determinants of their Jacobians have different signs, and one
/// of the zeros does not attract.) The first is taken, and the run says so.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

/// Surfaces slid upon among all that are looked at, and the side of the others.
typedef struct choice {
    uint32_t all, slid; ///< how many, and which as bits
    uint32_t above;     ///< of the others: which are above, as bits
    double slack;       ///< part of a slope that counts as nothing; negative: so much is needed
} choice;

static double weight(const choice *c, uint32_t m, const double *alpha, uint32_t but)
{
    double w = 1;
    for (uint32_t k = 0; k < c->all; k++) {
        bool up = m >> k & 1;
        if (k == but) continue;
        if (c->slid >> k & 1)
            w *= up ? alpha[k] : 1 - alpha[k];
        else if (up != (c->above >> k & 1))
            return 0;
    }
    return w;
}

/// The combined slope of surface k, and (with `by` < all) its derivative by alpha of that one.
static double combined(const foi_hold *h, const choice *c, uint32_t k, const double *alpha,
                       uint32_t by)
{
    double sum = 0;
    for (uint32_t m = 0; m < 1u << c->all; m++) {
        double w = weight(c, m, alpha, by);
        if (w == 0) continue;
        double sign = by < c->all && !(m >> by & 1) ? -1 : 1;
        sum += sign * w * h->slope[(size_t)m * FOI_MOST_SLIDES + k];
    }
    return sum;
}

static uint32_t listed(const choice *c, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->all; k++)
        if (c->slid >> k & 1) list[count++] = k;
    return count;
}

static void jacobian(const foi_hold *h, const choice *c, const uint32_t *list, uint32_t n,
                     const double *alpha, double *j)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) j[i * n + k] = combined(h, c, list[i], alpha, list[k]);
}

// Gauss elimination for at most FOI_MOST_SLIDES unknowns; returns the determinant's sign, 0 when
// singular.
static int eliminate(double *a, double *b, uint32_t n)
{
    int sign = 1;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t p = c;
        for (uint32_t i = c + 1; i < n; i++)
            if (fabs(a[i * n + c]) > fabs(a[p * n + c])) p = i;
        if (!(fabs(a[p * n + c]) > 0)) return 0;
        if (p != c) sign = -sign;
        for (uint32_t k = 0; k < n && p != c; k++) {
            double swap = a[c * n + k];
            a[c * n + k] = a[p * n + k], a[p * n + k] = swap;
        }
        double swap = b[c];
        b[c] = b[p], b[p] = swap;
        if (a[c * n + c] < 0) sign = -sign;
        for (uint32_t i = c + 1; i < n; i++) {
            double q = a[i * n + c] / a[c * n + c];
            for (uint32_t k = c; k < n; k++) a[i * n + k] -= q * a[c * n + k];
            b[i] -= q * b[c];
        }
    }
    for (uint32_t c = n; c-- > 0;) {
        for (uint32_t k = c + 1; k < n; k++) b[c] -= a[c * n + k] * b[k];
        b[c] /= a[c * n + c];
    }
    return sign;
}

// Newton's method for the weights; the slopes are linear in each weight, so one surface takes one
// step and surfaces that do not influence each other too.
static bool newton(const foi_hold *h, const choice *c, double *alpha)
{
    uint32_t list[FOI_MOST_SLIDES] = {0}, n = listed(c, list);
    for (int turn = 0; turn < 40; turn++) {
        double j[FOI_MOST_SLIDES * FOI_MOST_SLIDES], step[FOI_MOST_SLIDES], most = 0;
        jacobian(h, c, list, n, alpha, j);
        for (uint32_t i = 0; i < n; i++) step[i] = -combined(h, c, list[i], alpha, UINT32_MAX);
        if (!eliminate(j, step, n)) return false;
        for (uint32_t i = 0; i < n; i++) {
            alpha[list[i]] += step[i];
            most = foi_fmax(most, fabs(step[i]));
        }
        if (!(most < 1e6)) return false;
        if (most <= 0x1p-50) return true;
    }
    return true; // to rounding: it goes to and fro in the last bits
}

bool foi_slide_weights(const foi_hold *h, double *alpha)
{
    if (!h->slides) return true;
    if (h->slides == 1) { // in closed form
        double below = h->slope[0], above = h->slope[FOI_MOST_SLIDES];
        // -sqrt(abs(x)) sign(x), or a brake that is let go: any weight will do
        bool still = below == above && fabs(below) <= 0x1p-40 * h->surface[0].pace;
        // one that is let go while something drives it: both modes carry it away, it ends before
        double ends = below > 0 ? 2 : -1;
        alpha[0] = still ? 0.5 : below == above ? ends : below / (below - above);
        return isfinite(alpha[0]);
    }
    choice all = {h->slides, (1u << h->slides) - 1, 0};
    return newton(h, &all, alpha);
}

// Stable to first order: Routh's test for one and two, beyond that a dominant diagonal or a
// determinant of the right sign with negative diagonal.
static bool attracts(const foi_hold *h, const choice *c, const double *alpha)
{
    uint32_t list[FOI_MOST_SLIDES] = {0}, n = listed(c, list);
    double j[FOI_MOST_SLIDES * FOI_MOST_SLIDES], b[FOI_MOST_SLIDES] = {0}, trace = 0;
    jacobian(h, c, list, n, alpha, j);
    for (uint32_t i = 0; i < n; i++) trace += j[i * n + i];
    for (uint32_t i = 0; i < n && n > 2; i++)
        if (!(j[i * n + i] < 0)) return false;
    int sign = eliminate(j, b, n);
    return trace < 0 && sign == (n % 2 ? -1 : 1);
}

static bool inside(const choice *c, const double *alpha)
{
    double least = foi_fmax(0, -c->slack);
    for (uint32_t k = 0; k < c->all; k++)
        if ((c->slid >> k & 1) && !(alpha[k] > least && alpha[k] < 1 - least)) return false;
    return true;
}

// The others go to their sides.
static bool leaves(const foi_hold *h, const choice *c, const double *alpha)
{
    for (uint32_t k = 0; k < c->all; k++) {
        if (c->slid >> k & 1) continue;
        double slope = combined(h, c, k, alpha, UINT32_MAX), least = 0;
        if (!(c->above >> k & 1)) slope = -slope;
        for (uint32_t m = 0; m < 1u << c->all && c->slack != 0; m++) {
            double part = -c->slack * fabs(h->slope[(size_t)m * FOI_MOST_SLIDES + k]);
            least = c->slack > 0 ? foi_fmin(least, part) : foi_fmax(least, part);
        }
        if (c->slack > 0 ? !(slope >= least) : !(slope > least)) return false;
    }
    return true;
}

// From several starts, because several surfaces may have several solutions.
static bool possible(const foi_hold *h, const choice *c, double *alpha)
{
    static const double starts[][2] = {{0.5, 0.5}, {0.2, 0.8}, {0.8, 0.2}, {0.2, 0.2}, {0.8, 0.8}};
    uint32_t count = c->slid & (c->slid - 1) ? 5 : 1;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < c->all; k++) alpha[k] = starts[i][k % 2];
        if (c->slid && (!newton(h, c, alpha) || !inside(c, alpha) || !attracts(h, c, alpha)))
            continue;
        if (leaves(h, c, alpha)) return true;
    }
    return false;
}

static uint32_t bits(uint32_t v)
{
    uint32_t count = 0;
    for (; v; v &= v - 1) count++;
    return count;
}

// Where several single modes are possible the one in which it came is tried first.
static uint32_t arriving(const foi_hold *h)
{
    uint32_t above = 0;
    for (uint32_t k = 0; k < h->slides; k++) above |= (uint32_t)(h->surface[k].side > 0) << k;
    return above;
}

/// All choices that slide along none of the `barred` surfaces, fewest slid first.
typedef struct search {
    uint32_t barred;
    double slack;
    const choice *but; ///< and none but this one, if it is not NULL
} search;

// The first that is possible.
static bool first_of(const foi_hold *h, const search *s, choice *found, double *alpha)
{
    uint32_t all = h->slides, sets = 1u << all, came = arriving(h);
    for (uint32_t count = 0; count <= all; count++)
        for (uint32_t slid = 0; slid < sets; slid++)
            for (uint32_t other = 0; other < sets && bits(slid) == count; other++) {
                choice c = {all, slid, (other ^ came) & ~slid & (sets - 1), s->slack};
                if (s->but && s->but->slid == slid && s->but->above == c.above) continue;
                if ((slid & s->barred) || (other & slid) || !possible(h, &c, alpha)) continue;
                *found = c;
                return true;
            }
    return false;
}

// Whether the solution could as well do something else: plainly, not only to rounding errors.
static bool has_other(const foi_hold *h, const choice *c)
{
    double alpha[FOI_MOST_SLIDES];
    choice other;
    search s = {.slack = -0x1p-20, .but = c};
    return h->slides > 1 && first_of(h, &s, &other, alpha);
}

static bool try_all(foi_hold *h, uint32_t barred, double slack, int8_t *fate)
{
    choice c;
    double alpha[FOI_MOST_SLIDES];
    search s = {.barred = barred, .slack = slack};
    if (!first_of(h, &s, &c, alpha)) return false;
    for (uint32_t k = 0; k < c.all; k++) fate[k] = c.slid >> k & 1 ? 0 : c.above >> k & 1 ? 1 : -1;
    memcpy(h->alpha, alpha, c.all * sizeof *alpha);
    h->several = has_other(h, &c);
    return true;
}

// Where the search has located the end of a slide the slope that takes over is zero to rounding,
// and has not always the sign that it will have.
bool foi_slide_seek(foi_hold *h, uint32_t ended, int8_t *fate)
{
    if (ended && (try_all(h, ended, 0, fate) || try_all(h, ended, 0x1p-20, fate))) return true;
    return try_all(h, 0, 0, fate) || try_all(h, 0, 0x1p-40, fate);
}
