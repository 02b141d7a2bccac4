// What the eigenvalues at an equilibrium say.
//
// The equilibrium x is known to the step that Newton's iteration would take there if the rates were
// off by their rounding errors: where the Jacobian is regular that is next to nothing; where two or
// more equilibria meet, the Jacobian itself is not known. What it becomes over such steps, and over
// changes of the last digits of x, is how far off its entries may be.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/equilibrium.h"
#include "analysis/spectrum.h"
#include "base/memory.h"
#include "math/math.h"

typedef struct doubt {
    foi_point *p;
    size_t n;
    const double *x, *scale;
    double *j, *lu, *other, *noise;  ///< n n each; noise of the entries of j
    double *wide;                    ///< noise where x may be anywhere around
    double *f, *g, *dx, *at, *error; ///< error: of f
    size_t *pivot;
} doubt;

enum { NEARLY = 3 }; ///< changes of the last digits that are tried

// Some ulps of how large f is a good part of the scale away, since that is about how large its
// terms are; on the side where it is less, as one that grows without bound says nothing.
static void find_error(const doubt *d)
{
    fo_message why;
    memset(d->error, 0, d->n * sizeof *d->error);
    memcpy(d->at, d->x, d->n * sizeof *d->at);
    for (size_t k = 0; k < d->n; k++) {
        for (int side = 0; side < 2; side++) {
            double *to = side ? d->g : d->dx;
            d->at[k] = d->x[k] + (side ? -0.25 : 0.25) * d->scale[k];
            bool good = foi_point_rates(d->p, d->at, to, &why) == FO_OK;
            for (size_t i = 0; i < d->n && !good; i++) to[i] = INFINITY;
        }
        d->at[k] = d->x[k];
        for (size_t i = 0; i < d->n; i++) {
            double size = foi_fmin(fabs(d->dx[i]), fabs(d->g[i]));
            if (isfinite(size)) d->error[i] = foi_fmax(d->error[i], 4 * DBL_EPSILON * size);
        }
    }
}

// What the Jacobian is at d->at, against what it is at x.
static void take_noise(const doubt *d, double *noise)
{
    fo_message why;
    if (foi_point_jacobian(d->p, d->at, d->other, NULL, &why) != FO_OK) return;
    for (size_t i = 0; i < d->n * d->n; i++)
        noise[i] = foi_fmax(noise[i], 2 * fabs(d->other[i] - d->j[i]));
}

static void change_digits(const doubt *d)
{
    for (size_t k = 0; k < NEARLY; k++) {
        for (size_t i = 0; i < d->n; i++) {
            double size = foi_fmax(fabs(d->x[i]), DBL_EPSILON * d->scale[i]);
            d->at[i] = d->x[i] + ((i * 7 + k * 5 + k * i) % 3 - 1.0) * 2 * DBL_EPSILON * size;
        }
        take_noise(d, d->noise);
    }
}

// Both ways, with errors of one sign and of both. False: the steps are long, and x may be anywhere
// along them; then it is looked what the Jacobian is a part of the scale away, in d->wide.
static bool change_place(const doubt *d)
{
    const double FAR = 1e-2;
    size_t n = d->n;
    fo_message why;
    bool near = true;
    memcpy(d->lu, d->j, n * n * sizeof *d->lu);
    if (foi_point_rates(d->p, d->x, d->f, &why) != FO_OK) return true;
    find_error(d);
    // an entry that is zero is nearly so: then the step goes where the Jacobian leads to nothing
    double tiny = DBL_EPSILON * DBL_EPSILON * foi_norm(n, d->j) + DBL_MIN;
    for (size_t i = 0; i < n; i++) d->lu[i * n + i] += tiny;
    if (!foi_lu_factor(n, d->lu, d->pivot)) return true;
    for (int k = 0; k < 4; k++) {
        double size = 0;
        for (size_t i = 0; i < n; i++)
            d->dx[i] = -d->f[i] - (k / 2 && i % 2 ? -d->error[i] : d->error[i]) * (k % 2 ? -1 : 1);
        foi_lu_solve(n, d->lu, d->pivot, d->dx);
        for (size_t i = 0; i < n; i++)
            if (!(fabs(d->dx[i]) <= size * d->scale[i])) size = fabs(d->dx[i]) / d->scale[i];
        double part = size < FAR ? 2 : FAR / size;
        for (size_t i = 0; i < n; i++) d->at[i] = d->x[i] + part * d->dx[i];
        take_noise(d, size < FAR ? d->noise : d->wide);
        near &= size < FAR;
    }
    return near;
}

static bool open_doubt(doubt *d, foi_point *p, const double *x, const double *scale)
{
    size_t n = p->n;
    *d = (doubt){.p = p, .n = n, .x = x, .scale = scale};
    d->pivot = foi_new(p->allocator, n + 1, sizeof *d->pivot);
    if (d->pivot) d->j = foi_new(p->allocator, 5 * n * n + 6 * n + 1, sizeof *d->j);
    if (!d->j) return false;
    d->lu = d->j + n * n, d->other = d->lu + n * n, d->noise = d->other + n * n;
    d->wide = d->noise + n * n, d->f = d->wide + n * n, d->g = d->f + n, d->dx = d->g + n,
    d->at = d->dx + n;
    d->error = d->at + n;
    double *copy = d->error + n; // p may have it as its own point
    memcpy(copy, x, n * sizeof *x);
    d->x = copy;
    return true;
}

static foi_stability count(size_t n, const double *re, const double *im, int8_t *side,
                           bool singular, bool anywhere)
{
    foi_stability s = {.singular = singular || anywhere};
    size_t nearest = 0;
    for (size_t i = 1; i < n; i++)
        if (foi_hypot(re[i], im[i]) < foi_hypot(re[nearest], im[nearest])) nearest = i;
    if (anywhere && !singular) side[nearest] = 0;
    for (size_t i = 0; i < n; i++) s.right += side[i] > 0, s.on_axis += side[i] == 0;
    s.pair = s.on_axis > 0 && !s.singular;
    return s;
}

fo_status foi_stability_at(foi_point *p, const double *x, const double *scale, double *re,
                           double *im, foi_stability *s, fo_message *why)
{
    doubt d;
    size_t n = p->n;
    int8_t *side = foi_new(p->allocator, n + 1, sizeof *side);
    bool singular = false, anywhere = false;
    fo_status status = side && open_doubt(&d, p, x, scale) ? FO_OK : FO_ERROR_MEMORY;
    if (status != FO_OK) fo_fail(why, status, "no memory for the eigenvalues");
    if (status == FO_OK) status = foi_point_jacobian(p, d.x, d.j, NULL, why);
    bool good = status == FO_OK, near = true;
    if (good && !p->chooses) { // there rates are expensive
        change_digits(&d);
        near = change_place(&d);
    }
    // whether zero is an eigenvalue somewhere along; the others are those of x all the same
    if (good && !near) status = foi_spectrum(n, d.j, d.wide, re, im, side, &anywhere, p->allocator);
    if (status == FO_OK)
        status = foi_spectrum(n, d.j, d.noise, re, im, side, &singular, p->allocator);
    if (good && status != FO_OK) fo_fail(why, status, "the eigenvalues could not be computed");
    if (status == FO_OK) *s = count(n, re, im, side, singular, anywhere);
    if (side && d.j) memcpy(p->x, d.x, n * sizeof *d.x);
    if (side) foi_free(p->allocator, d.j), foi_free(p->allocator, d.pivot);
    foi_free(p->allocator, side);
    return status;
}
