/// Implicit Euler, x_new = x + h f(t + h, x_new), and sliding implicit towards it.
///
/// A wave has u_new = u + h w_new, so that one equation for every node is left. With the guess
/// u0 = u + h w, w0 = w (held nodes where they are at t + h) and psi0 = w' there,
///
///     (1 + h b1) d - (h^2 c^2 + h b2) lap d = h psi0,     w_new = w0 + d,  u_new = u0 + h d
///
/// and transport, by Newton's iteration from u0 = u (one step where the reaction is linear):
///
///     (1/h - R'(u0)) d - D lap d + v . grad d = u'(u0) - (u0 - u)/h,     u0 <- u0 + d
///
/// Divided by the factor of lap both are sigma d - lap d = b, symmetric where nothing advects.
///
/// The matrix of a step is kept, and made again when the step is another one. That is a cache: it
/// is used under a lock, and no result depends on what was in it.
///
/// Where a field is cut into parts, `direct` on a grid that is not large is solved by every part
/// for itself, for the whole grid: the right sides are exchanged, and the bits are those of one
/// process. Otherwise the parts solve together, which is the link's (to a tolerance).
#include "field/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "field/grid.h"
#include "field/inverse.h"
#include "field/part.h"
#include "math/math.h"
#include "solver/linear.h"

enum { NEWTON = 20, FULL_NODES = 8192, WHOLE_NODES = 16384 };

/// Numbers of the matrix and its sides, one for each node.
typedef struct rows {
    double *diag, *s, *b, *d;
} rows;

struct foi_implicit {
    pthread_mutex_t lock;
    bool locked; ///< the lock exists
    double h;    ///< of the matrix; 0: none
    foi_grid grid;
    uint32_t *start, *row;
    fo_pattern pattern;
    rows part; ///< of the part's nodes
    rows all;  ///< of the whole grid's: the same where the part is the whole; NULL: not solved here
    double *sigma, *values, *work;
    foi_linear linear;
    foi_multigrid *multigrid;
    double *inverse; ///< gauss-jordan: column by column
    uint32_t *order; ///< its work space
};

/// By cg and multigrid, which want sigma d - lap d = b.
static bool iterates(const fo_field *f)
{
    return f->def.linear == FO_FIELD_CG || f->def.linear == FO_FIELD_MULTIGRID;
}

// ------------------------------------------------------------------------------------------ making

bool foi_implicit_is_whole(const fo_field *f)
{
    return f->def.linear == FO_FIELD_DIRECT && f->nodes <= WHOLE_NODES;
}

/// What the field's own solution needs; where the parts solve together that is the link's.
static fo_status make_solution(const fo_field *f, foi_implicit *m)
{
    size_t n = f->nodes, entries = n * (2 * f->def.dimensions + 1);
    const fo_allocator *a = f->allocator;
    m->grid = foi_grid_of(f);
    m->sigma = foi_new(a, n, sizeof(double));
    m->work = foi_new(a, 4 * n, sizeof(double));
    if (!m->sigma || !m->work) return FO_ERROR_MEMORY;
    if (f->def.linear == FO_FIELD_MULTIGRID) {
        m->multigrid = foi_multigrid_create(f);
        return m->multigrid ? FO_OK : FO_ERROR_MEMORY;
    }
    if (f->def.linear == FO_FIELD_CG) return FO_OK;
    m->start = foi_new(a, n + 1, sizeof *m->start);
    m->row = foi_new(a, entries, sizeof *m->row);
    m->values = foi_new(a, entries, sizeof(double));
    if (!m->start || !m->row || !m->values) return FO_ERROR_MEMORY;
    foi_grid_pattern(&m->grid, m->start, m->row);
    m->pattern = (fo_pattern){f->nodes, m->start, m->row};
    if (f->def.linear == FO_FIELD_INVERSE) {
        m->inverse = foi_new(a, n * n, sizeof *m->inverse);
        m->order = foi_new(a, n, sizeof *m->order);
        return m->inverse && m->order ? FO_OK : FO_ERROR_MEMORY;
    }
    foi_linear_def def = {.n = f->nodes, .pattern = &m->pattern, .allocator = a};
    if (f->def.linear == FO_FIELD_FULL) def.kind = FOI_LINEAR_DENSE;
    return foi_linear_prepare(&m->linear, &def);
}

static bool new_rows(const fo_allocator *a, uint32_t nodes, rows *r)
{
    r->diag = foi_new(a, nodes, sizeof(double));
    r->s = foi_new(a, nodes, sizeof(double));
    r->b = foi_new(a, nodes, sizeof(double));
    r->d = foi_new(a, nodes, sizeof(double));
    return r->diag && r->s && r->b && r->d;
}

static void free_rows(const fo_allocator *a, rows *r)
{
    foi_free(a, r->diag);
    foi_free(a, r->s);
    foi_free(a, r->b);
    foi_free(a, r->d);
}

static fo_status make_rows(const foi_part *p, foi_implicit *m)
{
    const fo_field *f = p->f;
    if (!new_rows(f->allocator, p->nodes, &m->part)) return FO_ERROR_MEMORY;
    if (!p->link) m->all = m->part;
    if (!p->link) return make_solution(f, m);
    if (!foi_implicit_is_whole(f)) return FO_OK;
    return new_rows(f->allocator, f->nodes, &m->all) ? make_solution(f, m) : FO_ERROR_MEMORY;
}

fo_status foi_implicit_create(foi_part *p, fo_message *why)
{
    const fo_field *f = p->f;
    const fo_field_def *def = &f->def;
    double least = def->equation == FO_FIELD_WAVE ? f->c2.least + f->b2.least : f->d.least;
    bool full = def->linear == FO_FIELD_FULL || def->linear == FO_FIELD_INVERSE;
    if (full && f->nodes > FULL_NODES)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: full and gauss-jordan are for comparison, with at most %d nodes, and "
                       "there are %u; take direct",
                       f->name, FULL_NODES, f->nodes);
    if (full && p->link)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: full and gauss-jordan are for one machine; take cg or multigrid",
                       f->name);
    if (iterates(f) && !(least > 0))
        return fo_fail(
            why, FO_ERROR_ARGUMENT,
            "%s: cg and multigrid need a positive %s at every node; take direct", f->name,
            def->equation == FO_FIELD_WAVE ? "speed or internal damping" : "diffusivity");
    foi_implicit *m = foi_new(f->allocator, 1, sizeof *m);
    if (!m) return FO_ERROR_MEMORY;
    p->implicit = m;
    m->locked = pthread_mutex_init(&m->lock, NULL) == 0;
    return m->locked ? make_rows(p, m) : FO_ERROR_MEMORY;
}

void foi_implicit_destroy(foi_part *p, const fo_allocator *allocator)
{
    foi_implicit *m = p->implicit;
    if (!m) return;
    if (m->locked) pthread_mutex_destroy(&m->lock);
    foi_linear_destroy(&m->linear);
    foi_multigrid_destroy(m->multigrid);
    if (m->all.diag != m->part.diag) free_rows(allocator, &m->all);
    free_rows(allocator, &m->part);
    foi_free(allocator, m->sigma);
    foi_free(allocator, m->values);
    foi_free(allocator, m->work);
    foi_free(allocator, m->start);
    foi_free(allocator, m->row);
    foi_free(allocator, m->inverse);
    foi_free(allocator, m->order);
    foi_free(allocator, m);
    p->implicit = NULL;
}

// ------------------------------------------------------------------------------------- the matrix

static double reaction_slope(const fo_field *f, double u)
{
    const double *r = f->def.reaction;
    return r[1] + u * (2 * r[2] + 3 * r[3] * u);
}

static bool varies(const fo_field *f)
{
    const double *r = f->def.reaction;
    return f->def.equation == FO_FIELD_TRANSPORT && (r[2] != 0 || r[3] != 0);
}

static void coefficients(const foi_part *p, foi_implicit *m, double h, const double *u)
{
    const fo_field *f = p->f;
    bool wave = f->def.equation == FO_FIELD_WAVE;
    for (uint32_t i = 0; i < p->nodes; i++) {
        uint32_t node = foi_part_node(p, i);
        if (wave) {
            double c2 = foi_coefficient_at(&f->c2, node), b2 = foi_coefficient_at(&f->b2, node);
            m->part.diag[i] = 1 + h * foi_damping_at(f, node);
            m->part.s[i] = h * h * c2 + h * b2;
        } else {
            m->part.diag[i] = 1 / h - reaction_slope(f, u[i]);
            m->part.s[i] = foi_coefficient_at(&f->d, node);
        }
    }
}

/// Numbers of every part's nodes, in the order of the whole grid, for every part.
static fo_status spread(const foi_part *p, const fo_state *state, const double *part, double *all)
{
    if (part == all) return FO_OK;
    memset(all, 0, p->f->nodes * sizeof *all);
    for (uint32_t i = 0; i < p->nodes; i++) all[foi_part_node(p, i)] = part[i];
    return p->link->join(p->self, state, all, p->f->nodes);
}

static fo_status invert(const fo_field *f, foi_implicit *m)
{
    size_t n = f->nodes;
    memset(m->inverse, 0, n * n * sizeof *m->inverse);
    for (uint32_t j = 0; j < f->nodes; j++)
        for (uint32_t e = m->start[j]; e < m->start[j + 1]; e++)
            m->inverse[j * n + m->row[e]] = m->values[e];
    return foi_gauss_jordan(m->inverse, f->nodes, m->order) ? FO_OK : FO_ERROR_CONVERGE;
}

// With a negative b2 a mode with -lap = K has (1 + h b1 + s K) d = ..., s = h^2 c^2 + h b2 < 0 for
// short steps: its growth must be resolved, or the matrix turns the mode round.
static fo_status check_growth(const foi_part *p, const fo_state *state, double h)
{
    const fo_field *f = p->f;
    if (f->def.equation != FO_FIELD_WAVE || f->b2.least >= 0) return FO_OK;
    double most = 0, b2 = -f->b2.least;
    for (uint32_t axis = 0; axis < f->def.dimensions; axis++) most += 4 * f->k[axis];
    if (h * b2 * most < 0.5) return FO_OK;
    return fo_fail(state->message, FO_ERROR_ARGUMENT,
                   "%s: with b2 = %g short waves grow, and implicit steps must be shorter than "
                   "%.6g s to follow that; this one is %.6g s",
                   f->name, -b2, 0.5 / (b2 * most), h);
}

/// Makes the matrix for (h, u) unless it is there.
static fo_status prepare(const foi_part *p, const fo_state *state, double h, const double *u)
{
    const fo_field *f = p->f;
    foi_implicit *m = p->implicit;
    if (m->h == h && !varies(f)) return FO_OK;
    m->h = 0;
    coefficients(p, m, h, u);
    fo_status status = check_growth(p, state, h);
    if (status) return status;
    if (!m->all.diag) {
        status = p->link->matrix(p->self, state, m->part.diag, m->part.s);
        if (!status) m->h = h;
        return status;
    }
    status = spread(p, state, m->part.diag, m->all.diag);
    if (!status) status = spread(p, state, m->part.s, m->all.s);
    if (status) return status;
    for (uint32_t i = 0; i < f->nodes; i++)
        m->sigma[i] = m->all.s[i] > 0 ? m->all.diag[i] / m->all.s[i] : 0;
    if (f->def.linear == FO_FIELD_MULTIGRID)
        status = foi_multigrid_set(m->multigrid, m->sigma);
    else if (!iterates(f)) {
        const double *v = f->def.equation == FO_FIELD_TRANSPORT ? f->def.velocity : NULL;
        foi_grid_values(&m->grid, &m->pattern, m->all.diag, 0, m->all.s, v, f->def.upwind,
                        m->values);
        if (f->def.linear == FO_FIELD_INVERSE) {
            status = invert(f, m);
            if (!status) m->h = h;
            return status;
        }
        for (uint32_t i = 0; i < m->start[f->nodes]; i++) m->values[i] = -m->values[i];
        status = foi_linear_factor(&m->linear, (foi_complex){0, 0}, m->values, NULL, NULL);
    }
    if (!status) m->h = h;
    return status;
}

/// d = A^-1 b of the whole grid. The b of still nodes is zero, and so is their d.
static fo_status solve_whole(const fo_field *f, foi_implicit *m)
{
    size_t n = f->nodes;
    double *b = m->all.b, *d = m->all.d;
    double tolerance = f->def.tolerance > 0 ? f->def.tolerance : 1e-10, rest = 0;
    uint64_t count = 0;
    if (f->def.linear == FO_FIELD_INVERSE) {
        foi_matrix_times(m->inverse, (uint32_t)n, b, d);
        return FO_OK;
    }
    if (!iterates(f)) {
        memcpy(d, b, n * sizeof(double));
        foi_linear_solve(&m->linear, d);
        return FO_OK;
    }
    for (size_t i = 0; i < n; i++) b[i] = f->still[i] ? 0 : b[i] / m->all.s[i];
    memset(d, 0, n * sizeof(double));
    foi_shift shift = {f, m->sigma};
    if (f->def.linear == FO_FIELD_CG)
        rest = foi_conjugate_gradients(&shift, b, d, m->work, tolerance, f->def.work, &count);
    else
        rest = foi_multigrid_solve(m->multigrid, b, d, tolerance, f->def.work, &count);
    return f->def.work || rest <= tolerance ? FO_OK : FO_ERROR_CONVERGE;
}

/// The same of the part's nodes; all parts call it.
static fo_status solve(const foi_part *p, const fo_state *state)
{
    foi_implicit *m = p->implicit;
    if (!m->all.diag) return p->link->solve(p->self, state, m->part.b, m->part.d);
    fo_status status = spread(p, state, m->part.b, m->all.b);
    if (!status) status = solve_whole(p->f, m);
    for (uint32_t i = 0; i < p->nodes && !status && m->all.d != m->part.d; i++)
        m->part.d[i] = m->all.d[foi_part_node(p, i)];
    return status;
}

// --------------------------------------------------------------------------------------- one step

/// The end of an implicit step of a wave into x_new.
static fo_status wave_end(const foi_part *p, const fo_state *s, double t1, double h,
                          const double *x, double *x_new)
{
    const fo_field *f = p->f;
    foi_implicit *m = p->implicit;
    uint32_t n = p->nodes;
    double *dx = foi_scratch(p, s, FOI_SLOPE);
    for (uint32_t i = 0; i < n; i++) {
        x_new[i] = f->still[foi_part_node(p, i)] ? x[i] : x[i] + h * x[n + i];
        x_new[n + i] = x[n + i];
    }
    foi_part_impose(p, t1, s->u, x_new);
    fo_status status = foi_part_field(p, s, t1, x_new, dx);
    if (!status) status = prepare(p, s, h, x);
    for (uint32_t i = 0; i < n; i++)
        m->part.b[i] = f->still[foi_part_node(p, i)] ? 0 : h * dx[n + i];
    if (!status) status = solve(p, s);
    if (status) return status;
    for (uint32_t i = 0; i < n; i++) {
        x_new[i] += h * m->part.d[i];
        x_new[n + i] += m->part.d[i];
    }
    return FO_OK;
}

/// One iteration of Newton; *change and *size: the largest |d| and |u| of all nodes.
static fo_status transport_turn(const foi_part *p, const fo_state *s, double t1, double h,
                                const double *x, double *x_new, double *change, double *size)
{
    const fo_field *f = p->f;
    foi_implicit *m = p->implicit;
    double *dx = foi_scratch(p, s, FOI_SLOPE), most[2] = {0, 0};
    fo_status status = foi_part_field(p, s, t1, x_new, dx);
    if (!status) status = prepare(p, s, h, x_new);
    for (uint32_t i = 0; i < p->nodes; i++)
        m->part.b[i] = f->still[foi_part_node(p, i)] ? 0 : dx[i] - (x_new[i] - x[i]) / h;
    if (!status) status = solve(p, s);
    if (status) return status;
    for (uint32_t i = 0; i < p->nodes; i++) {
        x_new[i] += m->part.d[i];
        most[0] = foi_fmax(most[0], fabs(m->part.d[i]));
        most[1] = foi_fmax(most[1], fabs(x_new[i]));
    }
    if (p->link && varies(f)) status = p->link->most(p->self, s, most, 2);
    *change = most[0], *size = most[1];
    return status;
}

/// What a change of Newton's iteration may be, relative to u: rounding leaves eps |D lap u| in the
/// right side, of which an implicit step takes h times as much into d.
static double least_change(const fo_field *f, double h)
{
    double fastest = 0;
    for (uint32_t axis = 0; axis < f->def.dimensions; axis++) fastest += 4 * f->k[axis];
    return foi_fmax(1e-12, 4 * DBL_EPSILON * h * fastest * f->d.most);
}

static fo_status transport_end(const foi_part *p, const fo_state *s, double t1, double h,
                               const double *x, double *x_new)
{
    memcpy(x_new, x, p->nodes * sizeof *x);
    foi_part_impose(p, t1, s->u, x_new);
    for (int k = 0; k < NEWTON; k++) {
        double change, size;
        fo_status status = transport_turn(p, s, t1, h, x, x_new, &change, &size);
        if (status) return status;
        if (!varies(p->f) || change <= least_change(p->f, h) * size) return FO_OK;
    }
    return FO_ERROR_CONVERGE;
}

// Steps of a grid in time differ in their last bits: rounded to 32 bits they are one.
static double rounded(double h)
{
    int exponent;
    double mantissa = frexp(h, &exponent);
    return ldexp(nearbyint(ldexp(mantissa, 32)), exponent - 32);
}

static fo_status end_of_step(const foi_part *p, const fo_state *s, double t, double h,
                             const double *x, double *x_new)
{
    const fo_field *f = p->f;
    foi_implicit *m = p->implicit;
    double step = rounded(h);
    pthread_mutex_lock(&m->lock);
    fo_status status = f->def.equation == FO_FIELD_WAVE
                           ? wave_end(p, s, t + h, step, x, x_new)
                           : transport_end(p, s, t + h, step, x, x_new);
    pthread_mutex_unlock(&m->lock);
    if (status == FO_ERROR_CONVERGE)
        return fo_fail(s->message, status,
                       "%s: the equation of an implicit step does not converge at t = %.15g with h "
                       "= %g; take a shorter step or another solution ('direct')",
                       f->name, t, h);
    if (status == FO_ERROR_MEMORY) return fo_fail(s->message, status, "no memory for the matrix");
    return status;
}

static fo_status implicit_step(const void *model, fo_state *s, double t, double h, const double *x,
                               double *x_new)
{
    return end_of_step(model, s, t, h, x, x_new);
}

const fo_stepper foi_stepper_implicit = {"implicit-euler", 1, implicit_step};

// For linear equations a substep z <- z - r G^-1 g(z), r = substep / epsilon, g(z) = z - h f(z) - x
// with G = dg/dz, is z <- z + r (z* - z) where z* is the end of the implicit step: one solution is
// enough for all substeps, and z = z* + (1 - r)^substeps (x - z*).
static fo_status sliding_step(const void *model, fo_state *s, double t, double h, const double *x,
                              double *x_new)
{
    const foi_part *p = model;
    const fo_field *f = p->f;
    uint32_t substeps = f->def.substeps ? f->def.substeps : 10;
    double substep = h / substeps, epsilon = f->def.epsilon > 0 ? f->def.epsilon : substep;
    if (!(substep < 2 * epsilon))
        return fo_fail(s->message, FO_ERROR_ARGUMENT,
                       "%s: sliding: the substep h/substeps = %g must be shorter than 2 eps = %g",
                       f->name, substep, 2 * epsilon);
    fo_status status = end_of_step(p, s, t, h, x, x_new);
    if (status) return status;
    double left = 1, ratio = substep / epsilon;
    for (uint32_t i = 0; i < substeps; i++) left *= 1 - ratio;
    if (left == 0) return FO_OK;
    for (uint32_t i = 0; i < p->nodes * f->order; i++)
        if (!f->still[foi_part_node(p, i % p->nodes)]) x_new[i] += left * (x[i] - x_new[i]);
    return FO_OK;
}

const fo_stepper foi_stepper_sliding = {"sliding-implicit", 1, sliding_step};
