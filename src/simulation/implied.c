/// x' where it has to be solved for.
///
/// With G(v) = M v - f(t, x) or F(t, x, v) that is G(v) = 0, by Newton's iteration, which ends
/// after a step or two where v enters linearly. Where the matrix A = dG/dv is singular some rows n
/// of what is left of it after elimination, n A = 0, bind the states, c(t, x) = n G = 0, and their
/// derivatives take the place of these rows: n (G_x v + G_t) = 0. Of that only the slopes at an
/// instant are wanted, and nothing is integrated with it.
#include "simulation/implied.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/math.h"
#include "simulation/internal.h"

struct foi_implied {
    fo_simulation *sim;
    uint32_t n, rank;
    double *a;           ///< n x n by rows: dG/dv, scaled
    double *factor;      ///< what elimination makes of it
    double *how;         ///< n x n: the rows that it has added up
    double *bound;       ///< n x n: factor of the system with constraints
    double *row, *state; ///< n each: scales, powers of two
    double *v, *step, *up, *down, *at, *g;
    uint32_t *column;
    foi_state_store trial; ///< of a system that steps itself
};

bool foi_implied_is(const fo_simulation *sim)
{
    return foi_is_implicit(sim) || !sim->system.type->rates;
}

void foi_implied_destroy(foi_implied *im)
{
    if (!im) return;
    const fo_allocator *a = im->sim->allocator;
    foi_state_destroy(&im->trial);
    foi_free(a, im->a);
    foi_free(a, im->column);
    foi_free(a, im);
}

static bool allot(foi_implied *im)
{
    const fo_allocator *a = im->sim->allocator;
    size_t n = im->n, all = foi_is_implicit(im->sim) ? n * n : 0;
    im->a = foi_new(a, 4 * all + 8 * n, sizeof *im->a);
    im->column = foi_new(a, n, sizeof *im->column);
    if (!im->a || !im->column) return false;
    double *at = im->a;
    double **places[] = {&im->a, &im->factor, &im->how, &im->bound};
    for (size_t i = 0; i < 4; i++) *places[i] = at, at += all;
    double **vectors[] = {&im->row, &im->state, &im->v,  &im->step,
                          &im->up,  &im->down,  &im->at, &im->g};
    for (size_t i = 0; i < 8; i++) *vectors[i] = at, at += n;
    return true;
}

foi_implied *foi_implied_make(fo_simulation *sim)
{
    foi_implied *im = foi_new(sim->allocator, 1, sizeof *im);
    if (!im) return NULL;
    im->sim = sim, im->n = sim->state.s.shape.states;
    bool made = allot(im);
    if (made && !foi_is_implicit(sim))
        made = foi_state_create(&im->trial, &sim->state.s.shape, sim->allocator, NULL) == FO_OK;
    if (made) return im;
    foi_implied_destroy(im);
    return NULL;
}

// ------------------------------------------------------------------------------ what is to be zero

// G at (t, x, v), and for a mass matrix, which is that of s, its A in im->a.
static fo_status left_over(foi_implied *im, const fo_state *s, double t, const double *x,
                           const double *v, double *g)
{
    const fo_system *system = &im->sim->system;
    if (system->type->residual) return system->type->residual(system->model, s, t, x, v, g);
    fo_status status = system->type->rates(system->model, s, t, x, g);
    for (uint32_t r = 0; r < im->n && status == FO_OK; r++) {
        double sum = 0;
        for (uint32_t c = 0; c < im->n; c++) sum += im->a[(size_t)r * im->n + c] * v[c];
        g[r] = sum - g[r];
    }
    return status;
}

static double size_of(const foi_implied *im, double x, double v)
{
    double size = foi_fmax(fabs(x), foi_run_scale(&im->sim->def) * fabs(v));
    return foi_fmax(size, foi_hold_least(im->sim));
}

// A by rows; a residual's by differences, wide ones: v enters linearly, or is found step by step.
static fo_status matrix_at(foi_implied *im, const fo_state *s, double t, const double *x)
{
    const fo_system *system = &im->sim->system;
    uint32_t n = im->n;
    double span = foi_run_scale(&im->sim->def);
    if (!system->type->residual) {
        fo_status status = system->type->mass(system->model, s, im->factor);
        for (uint32_t c = 0; c < n && status == FO_OK; c++)
            for (uint32_t r = 0; r < n; r++)
                im->a[(size_t)r * n + c] = im->factor[(size_t)c * n + r];
        return status;
    }
    memcpy(im->at, im->v, n * sizeof *im->v);
    for (uint32_t c = 0; c < n; c++) {
        double by = size_of(im, x[c], im->v[c]) / span;
        if (!(by > 0)) by = 1 / span; // nothing says how large it is
        double more = im->v[c] + by, less = im->v[c] - by;
        im->at[c] = more;
        fo_status status = left_over(im, s, t, x, im->at, im->up);
        im->at[c] = less;
        if (status == FO_OK) status = left_over(im, s, t, x, im->at, im->down);
        im->at[c] = im->v[c];
        if (status != FO_OK) return status;
        for (uint32_t r = 0; r < n; r++)
            im->a[(size_t)r * n + c] = (im->up[r] - im->down[r]) / (more - less);
    }
    return FO_OK;
}

// --------------------------------------------------------------------------------- linear systems

static double power_of_two(double most)
{
    int e;
    if (!(most > 0) || !isfinite(most)) return 1;
    frexp(most, &e);
    return ldexp(1, -e);
}

// Units are their author's: rows and columns are scaled to about 1.
static void scale(foi_implied *im)
{
    uint32_t n = im->n;
    for (uint32_t r = 0; r < n; r++) {
        double most = 0;
        for (uint32_t c = 0; c < n; c++) most = foi_fmax(most, fabs(im->a[(size_t)r * n + c]));
        im->row[r] = power_of_two(most);
    }
    for (uint32_t c = 0; c < n; c++) {
        double most = 0;
        for (uint32_t r = 0; r < n; r++)
            most = foi_fmax(most, im->row[r] * fabs(im->a[(size_t)r * n + c]));
        im->state[c] = power_of_two(most);
    }
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c < n; c++)
            im->factor[(size_t)r * n + c] = im->row[r] * im->a[(size_t)r * n + c] * im->state[c];
}

static void swap_rows(double *a, uint32_t n, uint32_t i, uint32_t k)
{
    for (uint32_t c = 0; c < n && i != k; c++) {
        double swap = a[(size_t)i * n + c];
        a[(size_t)i * n + c] = a[(size_t)k * n + c], a[(size_t)k * n + c] = swap;
    }
}

// Elimination with full pivoting; `how` has what was done to the rows, from the identity on.
// Returns the rank.
static uint32_t eliminate(uint32_t n, double *a, double *how, uint32_t *column)
{
    double most = 0;
    memset(how, 0, (size_t)n * n * sizeof *how);
    for (uint32_t i = 0; i < n; i++) how[(size_t)i * n + i] = 1, column[i] = i;
    for (size_t i = 0; i < (size_t)n * n; i++) most = foi_fmax(most, fabs(a[i]));
    for (uint32_t k = 0; k < n; k++) {
        uint32_t r = k, c = k;
        for (uint32_t i = k; i < n; i++)
            for (uint32_t j = k; j < n; j++)
                if (fabs(a[(size_t)i * n + j]) > fabs(a[(size_t)r * n + c])) r = i, c = j;
        if (!(fabs(a[(size_t)r * n + c]) > 0x1p-30 * most)) return k;
        swap_rows(a, n, r, k), swap_rows(how, n, r, k);
        for (uint32_t i = 0; i < n && c != k; i++) {
            double swap = a[(size_t)i * n + c];
            a[(size_t)i * n + c] = a[(size_t)i * n + k], a[(size_t)i * n + k] = swap;
        }
        uint32_t which = column[c];
        column[c] = column[k], column[k] = which;
        for (uint32_t i = k + 1; i < n; i++) {
            double q = a[(size_t)i * n + k] / a[(size_t)k * n + k];
            for (uint32_t j = k; j < n && q != 0; j++)
                a[(size_t)i * n + j] -= q * a[(size_t)k * n + j];
            for (uint32_t j = 0; j < n && q != 0; j++)
                how[(size_t)i * n + j] -= q * how[(size_t)k * n + j];
        }
    }
    return n;
}

// x from what is left of b, where the rank is full.
static void substitute(foi_implied *im, const double *factor, const double *b, double *x)
{
    uint32_t n = im->n;
    for (uint32_t k = n; k-- > 0;) {
        double sum = 0;
        for (uint32_t r = 0; r < n; r++) sum += im->how[(size_t)k * n + r] * b[r];
        for (uint32_t c = k + 1; c < n; c++) sum -= factor[(size_t)k * n + c] * x[im->column[c]];
        x[im->column[k]] = sum / factor[(size_t)k * n + k];
    }
}

// ------------------------------------------------------------------------------------ constraints

// G moved along state c, or along time (c == n), scaled as A is; central where the run has room.
static fo_status derive(foi_implied *im, const fo_state *s, double t, const double *x, uint32_t c,
                        double *to)
{
    const fo_run_def *def = &im->sim->def;
    uint32_t n = im->n;
    double by = c < n ? 0x1p-20 * size_of(im, x[c], im->v[c]) : 0x1p-20 * foi_run_scale(def);
    if (!(by > 0)) by = 0x1p-20; // zero, with no rate and no tolerance
    double t0 = t, t1 = t;
    if (c == n) t0 = foi_fmax(t - by, def->start), t1 = foi_fmin(t + by, def->stop);
    memcpy(im->at, x, n * sizeof *x);
    if (c < n) im->at[c] = x[c] + by;
    double more = c < n ? im->at[c] : t1;
    fo_status status = left_over(im, s, t1, im->at, im->v, im->up);
    if (c < n) im->at[c] = x[c] - by;
    double less = c < n ? im->at[c] : t0;
    if (status == FO_OK) status = left_over(im, s, t0, im->at, im->v, im->down);
    for (uint32_t r = 0; r < n && status == FO_OK; r++)
        to[r] = more > less ? im->row[r] * (im->up[r] - im->down[r]) / (more - less) : 0;
    return status;
}

// One step of Newton's iteration where A has not its full rank: derivatives of the constraints take
// the places of the rows that are left over.
static fo_status step_bound(foi_implied *im, const fo_state *s, double t, const double *x)
{
    uint32_t n = im->n, free = im->rank;
    double *b = im->step;
    for (uint32_t k = 0; k < n; k++) {
        double sum = 0;
        for (uint32_t r = 0; r < n; r++) sum += im->how[(size_t)k * n + r] * im->row[r] * im->g[r];
        b[k] = -sum; // of the free rows
    }
    for (uint32_t k = 0; k < free; k++)
        for (uint32_t c = 0; c < n; c++) {
            double sum = 0;
            for (uint32_t r = 0; r < n; r++)
                sum += im->how[(size_t)k * n + r] * im->row[r] * im->a[(size_t)r * n + c];
            im->bound[(size_t)k * n + c] = sum * im->state[c];
        }
    for (uint32_t c = 0; c <= n; c++) {
        fo_status status = derive(im, s, t, x, c, im->g);
        if (status != FO_OK) return status;
        for (uint32_t k = free; k < n; k++) {
            double sum = 0;
            for (uint32_t r = 0; r < n; r++) sum += im->how[(size_t)k * n + r] * im->g[r];
            if (c == 0) b[k] = 0;
            b[k] -= sum * (c < n ? im->v[c] : 1);
            if (c < n) im->bound[(size_t)k * n + c] = sum * im->state[c];
        }
    }
    for (uint32_t k = free; k < n; k++) {
        double most = 0;
        for (uint32_t c = 0; c < n; c++) most = foi_fmax(most, fabs(im->bound[(size_t)k * n + c]));
        double by = power_of_two(most);
        for (uint32_t c = 0; c < n; c++) im->bound[(size_t)k * n + c] *= by;
        b[k] *= by;
    }
    if (eliminate(n, im->bound, im->how, im->column) < n) return FO_RETRY;
    memcpy(im->g, b, n * sizeof *b);
    substitute(im, im->bound, im->g, im->step);
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- the
// rates

static fo_status newton(foi_implied *im, const fo_state *s, double t, const double *x)
{
    enum { MOST = 16 };
    uint32_t n = im->n;
    double before = INFINITY, span = foi_run_scale(&im->sim->def);
    memset(im->v, 0, n * sizeof *im->v);
    for (int turn = 0; turn < MOST; turn++) {
        fo_status status = matrix_at(im, s, t, x);
        if (status == FO_OK) status = left_over(im, s, t, x, im->v, im->g);
        if (status != FO_OK) return status;
        scale(im);
        im->rank = eliminate(n, im->factor, im->how, im->column);
        if (im->rank < n) {
            if ((status = step_bound(im, s, t, x)) != FO_OK) return status;
        } else {
            for (uint32_t r = 0; r < n; r++) im->g[r] *= -im->row[r];
            substitute(im, im->factor, im->g, im->step);
        }
        double far = 0;
        for (uint32_t i = 0; i < n; i++) {
            double by = im->step[i] * im->state[i];
            im->v[i] += by;
            double size = size_of(im, x[i], im->v[i]) / span;
            if (by != 0) far = foi_fmax(far, fabs(by) / size);
            if (!isfinite(im->v[i])) return FO_RETRY;
        }
        // as near as rounding errors let it come
        if (far <= 4 * DBL_EPSILON || (far <= 0x1p-30 && far >= before / 4)) return FO_OK;
        before = far;
    }
    return FO_RETRY;
}

// Of a system that steps itself: along a step of half its length and along one of its length, on a
// copy, extrapolated to none.
static fo_status along_steps(foi_implied *im, const fo_state *s, double t, const double *x,
                             double *dx)
{
    const fo_system *system = &im->sim->system;
    const fo_stepper *stepper = system->type->stepper;
    fo_state *p = &im->trial.s;
    const fo_shape *shape = &p->shape;
    double h = im->sim->solver.step;
    if (!stepper || !(h > 0)) return FO_RETRY;
    memcpy(im->at, x, im->n * sizeof *x);
    for (int k = 1; k <= 2; k++) {
        double by = k * h / 2;
        foi_state_copy(&im->trial, &im->sim->state);
        if (shape->discretes) memcpy(p->d, s->d, shape->discretes * sizeof *p->d);
        if (shape->memory) memcpy(p->memory, s->memory, shape->memory);
        p->message = s->message, p->host = s->host;
        fo_status status = stepper->step(system->model, p, t, by, im->at, im->v);
        if (status != FO_OK) return status;
        for (uint32_t i = 0; i < im->n; i++) {
            double along = (im->v[i] - im->at[i]) / by;
            dx[i] = k == 1 ? 2 * along : dx[i] - along;
        }
    }
    return FO_OK;
}

fo_status foi_implied_rates(foi_implied *im, const fo_state *s, double t, const double *x,
                            double *dx)
{
    if (!foi_is_implicit(im->sim)) return along_steps(im, s, t, x, dx);
    fo_status status = newton(im, s, t, x);
    if (status == FO_OK) memcpy(dx, im->v, im->n * sizeof *dx);
    return status;
}

bool foi_implied_regular(foi_implied *im, const fo_state *s)
{
    if (!foi_is_implicit(im->sim)) return true;
    return newton(im, s, s->t, s->x) == FO_OK && im->rank == im->n;
}
