/// That a loop's solutions at the two ends of a short way are points of one continuous branch: a
/// proof in interval arithmetic.
///
/// On the way everything that the loop is given is a function of tau in [-1, 1], and c(tau) is the
/// line between the two solutions. With C about J^-1 in the middle, Krawczyk's operator
///
///     K(tau, Y) = c - C F(tau, c) + (I - C J(tau, Y)) (Y - c),     Y = c(tau) + [-rho, rho]
///
/// maps Y into its own inside if  e + R rho < rho,  where  e >= |C F(tau, c(tau))|  and
/// R >= |I - C J(tau, Y)|  for all tau. Then for every tau there is one solution in Y and only one,
/// and it is continuous in tau (R. Krawczyk 1969; R. E. Moore 1977; for paths: B. Martin, A.
/// Goldsztejn, L. Granvilliers and C. Jermann, Certified parallelotope continuation for
/// one-manifolds, 2013). Both ends lie in Y: they belong together, however fast the unknowns move
/// and however many other solutions there are.
///
/// F along the line is bounded by the mean-value theorem (enclose.c), so that e is of second order
/// in the length of the way; R is of first order. J need not be continuous: F with kinks (abs, min)
/// has slopes within the hull of its derivatives. F itself must be: where pieces of it (noEvent)
/// may or may not meet on the way, they are taken to, and bounds are the hull of what they are for
/// each outcome of the comparisons. If F does jump there, both ends are still within rho of the
/// line, and rho is as large as the jump makes it.
#include "program/branch.h"

#include <string.h>

#include "math/math.h"

enum {
    LARGEST = 64,   ///< unknowns: the matrices of a proof are dense
    MOST_TRIES = 4, ///< of another rho
    MOST_WIDER = 8, ///< steps towards it
};

typedef struct proof {
    const foi_code *code;
    foi_enclosed *r;
    double radius; ///< of tau
    const double *from, *to;
    double *rho;
    double *C, *M; ///< n * n
    double *e, *size, *F;
    foi_enclosed *by_cases; ///< per result: for each outcome of what is undecided; NULL: no room
    uint32_t *results;      ///< registers of the residuals and the derivatives
} proof;

static uint32_t result_count(const foi_loop_code *l)
{
    return l->count + l->about->start[l->count];
}

// The largest loop that can be proved, and the most results of one.
static void largest(const foi_code *code, size_t *n, size_t *results)
{
    *n = *results = 0;
    for (uint32_t i = 0; i < code->loop_count; i++) {
        const foi_loop_code *l = &code->loops[i];
        if (l->count > LARGEST) continue;
        if (l->count > *n) *n = l->count;
        if (result_count(l) > *results) *results = result_count(l);
    }
}

// Without the cases.
static size_t plain_work(size_t n)
{
    size_t bordered = (n + FOI_UNIQUE_MOST) * (n + FOI_UNIQUE_MOST); // unique.c
    return n * n + 3 * n + (bordered > n * n ? bordered : n * n);
}

size_t foi_branch_work(const foi_code *code)
{
    size_t n, results;
    largest(code, &n, &results);
    return plain_work(n) + foi_enclose_work(results) + results;
}

static void run(const proof *p, uint32_t begin, uint32_t end)
{
    foi_code part = {.list = p->code->list + begin, .count = end - begin};
    foi_loop_enclose(&part, p->r, p->radius);
}

// The loop's residuals and derivatives, for each outcome of what is undecided. False: no bounds.
static bool run_cases(const proof *p, const foi_loop_code *l)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->count; i++) p->results[count++] = l->residual[i];
    for (uint32_t k = 0; k < l->about->start[l->count]; k++) p->results[count++] = l->entry[k];
    foi_code part = {.list = p->code->list + l->begin, .count = l->end - l->begin};
    part.results = p->results, part.result_count = count;
    if (!foi_loop_enclose_cases(&part, p->r, p->radius, p->by_cases)) return false;
    for (uint32_t i = 0; i < count; i++) p->r[p->results[i]] = p->by_cases[i];
    return true;
}

foi_enclosed foi_branch_line(double a, double b)
{
    double half = 0.5 * (b - a), mid = a + half;
    foi_enclosed y = {.slope = {half, half}, .mid = {foi_down_sum(mid), foi_up_sum(mid)}};
    if (a == b) return foi_enclosed_constant(a);
    y.range = (foi_interval){foi_down(foi_least(a, b)), foi_up(foi_most(a, b))};
    y.error = foi_up_size(2 * FOI_UNIT * foi_i_size(y.range));
    return y;
}

// An unknown on its line, give or take rho.
static foi_enclosed around(double a, double b, double rho)
{
    double half = 0.5 * (b - a), mid = a + half;
    double lo = foi_least(mid - fabs(half), foi_least(a, b));
    double hi = foi_most(mid + fabs(half), foi_most(a, b));
    foi_enclosed y = {.slope = {half, half}};
    y.range = (foi_interval){foi_down(foi_down(lo) - rho), foi_up(foi_up(hi) + rho)};
    y.mid = (foi_interval){foi_down(mid - rho), foi_up(mid + rho)};
    return y;
}

// Puts the unknowns there and runs the loop. FOI_BRANCH_SAME: everything is bounded. *jumps: pieces
// of the equations may not meet.
static foi_branch enclose(const proof *p, const foi_loop_code *l, bool wide, bool cases,
                          bool *jumps)
{
    for (uint32_t j = 0; j < l->count; j++) {
        uint32_t k = l->guess[j];
        p->r[l->unknown[j]] = around(p->from[k], p->to[k], wide ? p->rho[k] : 0);
    }
    if (!cases) run(p, l->begin, l->end);
    if (cases && !run_cases(p, l)) return FOI_BRANCH_UNSURE;
    uint32_t nature = 0;
    bool finite = true;
    for (uint32_t i = 0; i < l->count; i++) {
        nature |= p->r[l->residual[i]].nature;
        finite &= foi_i_is_finite(p->r[l->residual[i]].range);
    }
    for (uint32_t k = 0; k < l->about->start[l->count]; k++) {
        nature |= p->r[l->entry[k]].nature & ~(uint32_t)FO_MAY_JUMP;
        finite &= foi_i_is_finite(p->r[l->entry[k]].range);
    }
    if (nature & FO_NOT_ENCLOSED) return FOI_BRANCH_UNBOUNDED;
    if (nature & FO_MAY_JUMP) *jumps = true, nature &= ~(uint32_t)FO_MAY_JUMP;
    return nature || !finite ? FOI_BRANCH_UNSURE : FOI_BRANCH_SAME;
}

static double centre(foi_interval a)
{
    return 0.5 * a.lo + 0.5 * a.hi;
}

// C = M^-1 by Gauss and Jordan; M is destroyed. False: singular.
static bool invert(const proof *p, uint32_t n)
{
    double *M = p->M, *C = p->C;
    memset(C, 0, (size_t)n * n * sizeof *C);
    for (uint32_t i = 0; i < n; i++) C[(size_t)i * n + i] = 1;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t q = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(M[(size_t)i * n + k]) > fabs(M[(size_t)q * n + k])) q = i;
        double pivot = M[(size_t)q * n + k];
        if (!(fabs(pivot) > 0 && fabs(pivot) <= DBL_MAX)) return false;
        for (uint32_t j = 0; j < n; j++) {
            double m = M[(size_t)q * n + j], c = C[(size_t)q * n + j];
            M[(size_t)q * n + j] = M[(size_t)k * n + j],
                              C[(size_t)q * n + j] = C[(size_t)k * n + j];
            M[(size_t)k * n + j] = m / pivot, C[(size_t)k * n + j] = c / pivot;
        }
        for (uint32_t i = 0; i < n; i++) {
            double f = M[(size_t)i * n + k];
            if (i == k || f == 0) continue;
            for (uint32_t j = 0; j < n; j++) {
                M[(size_t)i * n + j] -= f * M[(size_t)k * n + j];
                C[(size_t)i * n + j] -= f * C[(size_t)k * n + j];
            }
        }
    }
    return true;
}

// Of the middles of the derivatives on the line, or of all that they may be about it. Rows are
// divided by their largest entry, so that pivots do not depend on units.
static bool find_inverse(const proof *p, const foi_loop_code *l, bool wide)
{
    const foi_loop_about *about = l->about;
    uint32_t n = l->count;
    double *scale = p->size;
    memset(p->M, 0, (size_t)n * n * sizeof *p->M);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            const foi_enclosed *J = &p->r[l->entry[k]];
            p->M[(size_t)about->row[k] * n + j] = centre(wide ? J->range : J->mid);
        }
    for (uint32_t i = 0; i < n; i++) {
        scale[i] = 0;
        for (uint32_t j = 0; j < n; j++)
            scale[i] = foi_fmax(scale[i], fabs(p->M[(size_t)i * n + j]));
        if (!(scale[i] > 0 && scale[i] <= DBL_MAX)) return false;
        for (uint32_t j = 0; j < n; j++) p->M[(size_t)i * n + j] /= scale[i];
    }
    if (!invert(p, n)) return false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) p->C[(size_t)i * n + j] /= scale[j];
    return true;
}

// How large F is along the line.
static void keep_residuals(const proof *p, const foi_loop_code *l)
{
    for (uint32_t i = 0; i < l->count; i++) p->F[i] = foi_i_size(p->r[l->residual[i]].range);
}

// e >= |C F| along the line.
static bool find_error(const proof *p, const foi_loop_code *l)
{
    uint32_t n = l->count;
    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < n; j++) sum += fabs(p->C[(size_t)i * n + j]) * p->F[j];
        p->e[i] = sum * (1 + 4 * (n + 2) * DBL_EPSILON);
        if (!(p->e[i] <= DBL_MAX)) return false;
    }
    return true;
}

static double least_rho(const proof *p, const foi_loop_code *l, uint32_t i)
{
    uint32_t k = l->guess[i];
    return 16 * DBL_EPSILON * (fabs(p->from[k]) + fabs(p->to[k])) + DBL_MIN;
}

// M = R >= |I - C J| for J = Jm +- Jr: |I - C Jm| + |C| Jr, and what rounding does to the first.
// False: an unknown's own part is so large that no rho would do, because R grows with it.
static bool find_contraction(const proof *p, const foi_loop_code *l)
{
    const foi_loop_about *about = l->about;
    uint32_t n = l->count;
    for (uint32_t i = 0; i < n; i++) {
        const double *C = p->C + (size_t)i * n;
        for (uint32_t j = 0; j < n; j++) {
            double middle = i == j ? 1 : 0, spread = 0, terms = 1;
            for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
                foi_interval J = p->r[l->entry[k]].range;
                double Jm = centre(J), c = C[about->row[k]];
                middle -= c * Jm;
                spread += fabs(c) * foi_most(J.hi - Jm, Jm - J.lo);
                terms += fabs(c * Jm);
            }
            p->M[(size_t)i * n + j] = fabs(middle) + spread + 2 * (n + 4) * DBL_EPSILON * terms;
        }
        if (!(p->M[(size_t)i * n + i] < 1)) return false;
    }
    return true;
}

// Row i of e + R rho.
static double image(const proof *p, const foi_loop_code *l, uint32_t i)
{
    uint32_t n = l->count;
    double sum = p->e[i];
    for (uint32_t j = 0; j < n; j++) sum += p->M[(size_t)i * n + j] * p->rho[l->guess[j]];
    return sum * (1 + 4 * (n + 2) * DBL_EPSILON);
}

static bool contracts(const proof *p, const foi_loop_code *l)
{
    bool does = true;
    for (uint32_t i = 0; i < l->count; i++) {
        p->size[i] = image(p, l, i);
        does &= p->size[i] < p->rho[l->guess[i]];
    }
    return does;
}

// The next rho: a little more than the least one that this R would map into itself, by which R is
// not much larger; where that is not near, as far as some steps to it lead.
static void widen(const proof *p, const foi_loop_code *l)
{
    for (int k = 0; k < MOST_WIDER && !contracts(p, l); k++)
        for (uint32_t i = 0; i < l->count; i++) {
            double *rho = &p->rho[l->guess[i]];
            *rho = foi_fmax(*rho, 1.25 * p->size[i]);
        }
}

static foi_branch try_loop(const proof *p, const foi_loop_code *l, bool cases, bool *jumps)
{
    foi_branch found = enclose(p, l, false, cases, jumps);
    if (found != FOI_BRANCH_SAME) return found;
    keep_residuals(p, l);
    if (!find_inverse(p, l, false) || !find_error(p, l)) return FOI_BRANCH_UNSURE;
    for (uint32_t i = 0; i < l->count; i++) p->rho[l->guess[i]] = 2 * p->e[i] + least_rho(p, l, i);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        found = enclose(p, l, true, cases, jumps);
        if (found != FOI_BRANCH_SAME) return found;
        bool may = find_contraction(p, l);
        if (may && contracts(p, l)) return FOI_BRANCH_SAME;
        // where slopes differ about the line another C is nearer to all of them
        if (!may && !(find_inverse(p, l, true) && find_error(p, l) && find_contraction(p, l)))
            break;
        if (!may && contracts(p, l)) return FOI_BRANCH_SAME;
        widen(p, l);
    }
    return FOI_BRANCH_UNSURE;
}

static foi_branch prove_loop(const proof *p, const foi_loop_code *l)
{
    bool jumps = false;
    foi_branch found = try_loop(p, l, false, &jumps);
    if (jumps && found == FOI_BRANCH_UNSURE && p->by_cases) found = try_loop(p, l, true, &jumps);
    return jumps && found == FOI_BRANCH_UNSURE ? FOI_BRANCH_JUMPS : found;
}

foi_branch foi_branch_prove_loop(const foi_branch_def *def, const foi_loop_code *l)
{
    size_t n = l->count;
    if (n > LARGEST) return FOI_BRANCH_UNBOUNDED;
    proof p = {def->code, def->r, def->radius, def->from, def->to, def->rho};
    p.C = def->work, p.M = p.C + n * n, p.e = p.M + n * n, p.size = p.e + n, p.F = p.size + n;
    return prove_loop(&p, l);
}

static bool has_guesses(const foi_loop_code *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->guess[i] == FOI_NOTHING) return false;
    return true;
}

// A linear loop has one branch: it is proved only where later ones may need its bounds.
static foi_branch pass_loop(const proof *p, const foi_loop_code *l)
{
    foi_branch found = FOI_BRANCH_UNBOUNDED;
    if (!l->about->helps && l->count <= LARGEST && has_guesses(l)) found = prove_loop(p, l);
    if (found == FOI_BRANCH_SAME) return found;
    if (!l->about->helps && !l->about->linear) return found;
    for (uint32_t j = 0; j < l->count; j++)
        p->r[l->unknown[j]] = foi_enclosed_anything(FO_NOT_ENCLOSED);
    run(p, l->begin, l->end);
    return FOI_BRANCH_SAME;
}

static bool needs_proof(const foi_branch_def *def, const foi_loop_code *l)
{
    return foi_loop_is_followed(l) && def->unique[l->about->number] == 0;
}

foi_branch foi_branch_prove(const foi_branch_def *def, uint32_t *failed)
{
    const foi_code *code = def->code;
    size_t n, results;
    largest(code, &n, &results);
    proof p = {code, def->r, def->radius, def->from, def->to, def->rho};
    p.C = def->work, p.M = p.C + n * n, p.e = p.M + n * n, p.size = p.e + n, p.F = p.size + n;
    p.by_cases = (foi_enclosed *)(void *)(def->work + plain_work(n));
    p.results = (uint32_t *)(void *)(p.by_cases + results);
    uint32_t left = 0, at = 0;
    for (uint32_t i = 0; i < code->loop_count; i++) left += needs_proof(def, &code->loops[i]);
    for (uint32_t i = 0; i < code->constant_count; i++)
        p.r[code->constant_at + i] = foi_enclosed_constant(code->constants[i]);
    while (left > 0) {
        uint32_t stop = at;
        while (code->list[stop].op != FOI_I_SOLVE) stop++;
        run(&p, at, stop);
        *failed = code->list[stop].a;
        const foi_loop_code *l = &code->loops[*failed];
        foi_branch found = pass_loop(&p, l);
        if (found != FOI_BRANCH_SAME) return found;
        left -= needs_proof(def, l);
        at = stop + 1;
    }
    return FOI_BRANCH_SAME;
}
