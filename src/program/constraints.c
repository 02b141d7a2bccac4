/// Constraints between the states of a program, and how some of these follow from the others.
///
/// At each level (positions, velocities) as many candidates are computed as there are constraints,
/// z_d from g(t, z_i, z_d) = 0, by Newton's method from a point nearby. Positions come first:
/// constraints of velocities hold positions, but not the other way round. Newton's method is not
/// damped here: where it does not contract from the beginning, |d+| <= |d| / 2, the point is too
/// far away for its solution to be surely the one that the run leads to (y and -y on a circle), and
/// the answer is FO_RETRY: a shorter step. Between two such solutions the determinant of dg/dz_d
/// goes through zero, so that it must not change its sign either. (P. Deuflhard, Newton Methods for
/// Nonlinear Problems, 2004, chapter 2.)
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/program.h"

enum {
    MOST_STEPS = 12,
    MOST_LEAPS = 60,
    SLACK = 32, ///< how many times the bound of rounding is still rounding
};

// ------------------------------------------------------------------------------------- numbering

static bool depends_on_group(foi_plan *p, foi_node n, uint32_t group)
{
    const foi_equations *e = p->e;
    foi_graph *g = &p->e->g;
    if (!foi_graph_reach(g, &n, 1)) return true;
    for (uint32_t k = 0; k < e->candidate_count; k++) {
        if (e->candidates[k].group != group) continue;
        uint32_t state = p->slot[e->candidates[k].variable];
        for (size_t i = 0; i < g->list_count; i++)
            if (foi_is_leaf(g, g->list[i], FOI_LEAF_STATE) && g->nodes[g->list[i]].b == state)
                return true;
    }
    return false;
}

static void number_candidates(foi_constraints *c, foi_plan *p)
{
    const foi_equations *e = p->e;
    for (uint32_t k = 0; k < c->candidates; k++) {
        const foi_candidate *from = &e->candidates[k];
        c->state[k] = p->slot[from->variable], c->above[k] = from->above;
        c->weight[k] = from->weight, c->computed[k] = from->first;
        c->first_candidate[from->group + 1] = k + 1;
    }
    for (uint32_t b = 0; b < c->groups; b++) c->linear[b] = true;
    for (uint32_t i = 0; i < c->slopes; i++) {
        uint32_t group = e->constraints[p->slopes[i].row].group;
        c->row[i] = p->slopes[i].row, c->column[i] = p->slopes[i].column;
        c->first_slope[group + 1] = i + 1;
        if (c->linear[group] && depends_on_group(p, p->slopes[i].node, group))
            c->linear[group] = false;
    }
}

// "the constraint x^2 + y^2 = 1 (line 3)", or its derivative.
static const char *text_of(foi_equations *e, uint32_t equation, foi_arena *arena)
{
    char text[200], place[120];
    uint32_t root = equation;
    while (e->equations[root].integral != FOI_NOTHING) root = e->equations[root].integral;
    const foi_equation *q = &e->equations[root];
    return foi_arena_print(arena, "the %sconstraint %s (%s)",
                           root != equation ? "derivative of the " : "",
                           foi_equation_text(e, q, text, sizeof text),
                           foi_place_name(e, q->place, place, sizeof place));
}

static void number_constraints(foi_constraints *c, foi_plan *p, foi_arena *arena)
{
    foi_equations *e = p->e;
    for (uint32_t i = 0; i < c->count; i++) {
        const foi_constraint *from = &e->constraints[i];
        c->first_group[from->level + 1] = from->group + 1;
        c->first_constraint[from->group + 1] = i + 1;
        c->text[i] = text_of(e, from->equation, arena);
    }
    for (uint32_t l = 0; l < c->levels; l++) // a level without: it ends where it begins
        if (c->first_group[l + 1] < c->first_group[l]) c->first_group[l + 1] = c->first_group[l];
    for (uint32_t b = 0; b < c->groups; b++) {
        if (c->first_candidate[b + 1] < c->first_candidate[b])
            c->first_candidate[b + 1] = c->first_candidate[b];
        if (c->first_slope[b + 1] < c->first_slope[b]) c->first_slope[b + 1] = c->first_slope[b];
        uint32_t width = c->first_constraint[b + 1] - c->first_constraint[b];
        uint32_t length = c->first_candidate[b + 1] - c->first_candidate[b];
        size_t size = (size_t)width * (width > length ? width : length);
        if (width > c->widest) c->widest = width;
        if (size > c->largest) c->largest = size;
    }
}

fo_status foi_constraints_number(foi_constraints *c, foi_plan *p, foi_arena *arena)
{
    const foi_equations *e = p->e;
    if (!e->constraint_count) return FO_OK;
    c->count = (uint32_t)e->constraint_count, c->candidates = (uint32_t)e->candidate_count;
    c->slopes = (uint32_t)p->slope_count;
    c->levels = e->constraints[c->count - 1].level + 1;
    c->groups = e->constraints[c->count - 1].group + 1;
    c->first_group = foi_arena_new(arena, (size_t)c->levels + 1, sizeof(uint32_t));
    c->first_constraint = foi_arena_new(arena, (size_t)c->groups + 1, sizeof(uint32_t));
    c->first_candidate = foi_arena_new(arena, (size_t)c->groups + 1, sizeof(uint32_t));
    c->first_slope = foi_arena_new(arena, (size_t)c->groups + 1, sizeof(uint32_t));
    c->linear = foi_arena_new(arena, c->groups, sizeof *c->linear);
    c->text = foi_arena_new(arena, c->count, sizeof *c->text);
    c->state = foi_arena_new(arena, c->candidates, sizeof *c->state);
    c->above = foi_arena_new(arena, c->candidates, sizeof *c->above);
    c->weight = foi_arena_new(arena, c->candidates, sizeof *c->weight);
    c->computed = foi_arena_new(arena, c->candidates, sizeof *c->computed);
    c->row = foi_arena_new(arena, c->slopes, sizeof *c->row);
    c->column = foi_arena_new(arena, c->slopes, sizeof *c->column);
    if (arena->failed) return foi_equations_no_memory(p->e);
    number_candidates(c, p);
    number_constraints(c, p, arena);
    return arena->failed ? foi_equations_no_memory(p->e) : FO_OK;
}

// ------------------------------------------------------------------------------------ work space

size_t foi_manifold_kept(const foi_constraints *c)
{
    return (size_t)c->candidates + 2 * (size_t)c->groups + c->count;
}

size_t foi_manifold_work(const foi_constraints *c)
{
    size_t lists = ((size_t)c->candidates + c->count + 1) / 2;
    return 2 * (size_t)c->count + c->slopes + c->largest + c->widest + 2 * (size_t)c->groups +
           lists;
}

foi_manifold foi_manifold_of(const foi_program *g, const fo_state *v, double *kept, double *work)
{
    const foi_constraints *c = &g->constraints;
    foi_manifold m = {.g = g, .v = v, .computed = kept};
    m.sign = kept + c->candidates, m.best = m.sign + c->groups, m.length = m.best + c->groups;
    m.results = work;
    m.rounding = m.results + c->count + c->slopes;
    m.matrix = m.rounding + c->count;
    m.d = m.matrix + c->largest;
    m.before = m.d + c->widest, m.now = m.before + c->groups;
    m.list = (uint32_t *)(void *)(m.now + c->groups);
    m.pivot = m.list + c->candidates;
    return m;
}

fo_status foi_manifold_evaluate(foi_manifold *m, double t, const double *z)
{
    foi_given given;
    foi_give(&given, m->g, m->v, t, z);
    return foi_program_run(m->g, m->v, FOI_TASK_CONSTRAINTS, &given, m->results);
}

// --------------------------------------------------------------------------------- Newton's method

/// One group: its constraints and slopes.
typedef struct group {
    uint32_t index;
    uint32_t first, count; ///< constraints
    uint32_t begin, end;   ///< slopes
    uint32_t *pivot;       ///< the candidates that are computed
} group;

static group group_of(const foi_manifold *m, uint32_t b)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t first = c->first_constraint[b];
    return (group){b,
                   first,
                   c->first_constraint[b + 1] - first,
                   c->first_slope[b],
                   c->first_slope[b + 1],
                   m->pivot + first};
}

// |g_i| <= 2 eps sum |dg_i/dz_j| |z_j|: no point nearby is better. Sufficient, and cheap.
static bool holds(const foi_manifold *m, const group *l, const double *z)
{
    const foi_constraints *c = &m->g->constraints;
    const double *slope = m->results + c->count;
    for (uint32_t i = 0; i < l->count; i++) m->d[i] = 0;
    for (uint32_t k = l->begin; k < l->end; k++)
        m->d[c->row[k] - l->first] += fabs(slope[k] * z[c->state[c->column[k]]]);
    for (uint32_t i = 0; i < l->count; i++)
        if (!(fabs(m->results[l->first + i]) <= 2 * DBL_EPSILON * m->d[i])) return false;
    return true;
}

// The same with the bound of rounding for the whole expression.
static fo_status holds_exactly(foi_manifold *m, uint32_t first, uint32_t count, double t,
                               const double *z, bool *does)
{
    foi_given given;
    foi_give(&given, m->g, m->v, t, z);
    fo_status status = foi_program_run(m->g, m->v, FOI_TASK_ROUNDING, &given, m->rounding);
    *does = status == FO_OK;
    for (uint32_t i = first; i < first + count && *does; i++) {
        *does = fabs(m->results[i]) <= SLACK * DBL_EPSILON * m->rounding[i];
        if (!*does) m->failed = i;
    }
    return status;
}

// The matrix dg/dz_d, rows divided by their largest entry, and the right side -g.
static bool fill(foi_manifold *m, const group *l)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t n = l->count;
    memset(m->matrix, 0, (size_t)n * n * sizeof *m->matrix);
    for (uint32_t k = l->begin; k < l->end; k++)
        if (m->computed[c->column[k]] != 0)
            m->matrix[(size_t)(c->row[k] - l->first) * n + m->list[c->column[k]]] =
                m->results[c->count + k];
    for (uint32_t i = 0; i < n; i++) {
        double most = 0, *row = m->matrix + (size_t)i * n;
        for (uint32_t j = 0; j < n; j++) most = foi_fmax(most, fabs(row[j]));
        m->d[i] = -m->results[l->first + i] / most;
        m->failed = l->first + i;
        if (!(most > 0) || !isfinite(most) || !isfinite(m->d[i])) return false;
        for (uint32_t j = 0; j < n; j++) row[j] /= most;
    }
    return true;
}

static void swap_rows(double *a, double *d, uint32_t n, uint32_t k, uint32_t p)
{
    double other = d[k];
    d[k] = d[p], d[p] = other;
    for (uint32_t j = 0; j < n; j++)
        other = a[(size_t)k * n + j], a[(size_t)k * n + j] = a[(size_t)p * n + j],
        a[(size_t)p * n + j] = other;
}

// Elimination with partial pivoting, of matrix and right side together; d is the solution.
static bool eliminate(foi_manifold *m, const group *l)
{
    uint32_t n = l->count;
    double *a = m->matrix, *d = m->d;
    double sign = 1;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)p * n + k])) p = i;
        if (p != k) swap_rows(a, d, n, k, p), sign = -sign;
        double pivot = a[(size_t)k * n + k];
        if (pivot < 0) sign = -sign;
        if (!(fabs(pivot) > n * DBL_EPSILON)) return false;
        for (uint32_t i = k + 1; i < n; i++) {
            double f = a[(size_t)i * n + k] / pivot;
            if (f == 0) continue;
            for (uint32_t j = k; j < n; j++) a[(size_t)i * n + j] -= f * a[(size_t)k * n + j];
            d[i] -= f * d[k];
        }
    }
    m->now[l->index] = sign;
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) d[k] -= a[(size_t)k * n + j] * d[j];
        d[k] /= a[(size_t)k * n + k];
    }
    return true;
}

// The list of what is computed, in both directions: the place of a candidate, and the candidate.
static bool number_computed(foi_manifold *m, const group *l)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t n = 0;
    for (uint32_t k = c->first_candidate[l->index]; k < c->first_candidate[l->index + 1]; k++) {
        if (m->computed[k] == 0) continue;
        if (n < l->count) l->pivot[n] = k;
        m->list[k] = n++;
    }
    return n == l->count;
}

// Newton's steps shrink by theta, theta^2, ...: the next one would be below rounding. A step to a
// value much smaller than itself has left a rounding error of its own size, though, and so has one
// of another variable: that of a chain whose middle only falls is zero sideways but for rounding.
static bool is_last(const foi_manifold *m, const group *l, const double *z, double theta)
{
    const foi_constraints *c = &m->g->constraints;
    double longest = 0;
    for (uint32_t j = 0; j < l->count; j++) longest = foi_fmax(longest, fabs(m->d[j]));
    for (uint32_t j = 0; j < l->count; j++) {
        double size = fabs(z[c->state[l->pivot[j]]]), step = fabs(m->d[j]);
        if (step > 0 && !(longest <= SLACK / 4 * size)) return false;
        if (!(step <= 2 * size && theta * theta * step <= DBL_EPSILON / 4 * size)) return false;
    }
    return true;
}

// The group is solved, if the solution is on this side of where it is singular.
static fo_status solved(foi_manifold *m, const group *l, bool leap)
{
    double before = m->sign[l->index];
    m->before[l->index] = -1;
    if (leap || before == 0 || before == m->now[l->index]) return FO_OK;
    m->failed = l->first, m->crossed = true;
    return FO_RETRY;
}

// One step of Newton's method for a group.
static fo_status step(foi_manifold *m, const group *l, double t, double *z, bool leap)
{
    const foi_constraints *c = &m->g->constraints;
    double before = m->before[l->index], size = 0;
    bool linear = c->linear[l->index];
    if (holds(m, l, z)) return solved(m, l, leap);
    if (!fill(m, l) || !eliminate(m, l)) return FO_RETRY;
    for (uint32_t j = 0; j < l->count; j++) size += m->d[j] * m->d[j];
    size = sqrt(size);
    if (!isfinite(size)) return FO_RETRY;
    // no nearer: at the solution, where the last bits may go back and forth for ever, or astray
    if (leap ? size >= before : size > 0.5 * before) {
        bool there;
        fo_status status = holds_exactly(m, l->first, l->count, t, z, &there);
        if (status != FO_OK) return status;
        return there ? solved(m, l, leap) : FO_RETRY;
    }
    for (uint32_t j = 0; j < l->count; j++) z[c->state[l->pivot[j]]] += m->d[j];
    m->before[l->index] = size;
    bool last = linear ? is_last(m, l, z, 0) : before < INFINITY && is_last(m, l, z, size / before);
    return last ? solved(m, l, leap) : FO_OK;
}

// All groups of a level, side by side.
static fo_status solve_level(foi_manifold *m, uint32_t which, double t, double *z, bool leap)
{
    const foi_constraints *c = &m->g->constraints;
    uint32_t begin = c->first_group[which], end = c->first_group[which + 1];
    for (uint32_t b = begin; b < end; b++) {
        group l = group_of(m, b);
        m->failed = l.first, m->now[b] = m->sign[b], m->before[b] = INFINITY;
        if (!number_computed(m, &l)) return FO_RETRY;
    }
    for (int steps = 0; steps < (leap ? MOST_LEAPS : MOST_STEPS); steps++) {
        bool open = false;
        fo_status status = foi_manifold_evaluate(m, t, z);
        for (uint32_t b = begin; b < end && status == FO_OK; b++) {
            group l = group_of(m, b);
            if (m->before[b] < 0) continue;
            status = step(m, &l, t, z, leap);
            open |= m->before[b] >= 0;
        }
        if (status != FO_OK || !open) return status;
    }
    return FO_RETRY;
}

fo_status foi_manifold_solve(foi_manifold *m, double t, double *z, bool leap)
{
    const foi_constraints *c = &m->g->constraints;
    fo_status status = FO_OK;
    m->crossed = false;
    for (uint32_t l = c->levels; l-- > 0 && status == FO_OK;)
        if (c->first_group[l] < c->first_group[l + 1]) status = solve_level(m, l, t, z, leap);
    return status;
}

// ----------------------------------------------------------------------------------------- check

fo_status foi_manifold_holds(foi_manifold *m, double t, const double *z, bool *does)
{
    fo_status status = foi_manifold_evaluate(m, t, z);
    return status == FO_OK ? holds_exactly(m, 0, m->g->constraints.count, t, z, does) : status;
}

fo_status foi_manifold_check(foi_manifold *m, double t, const double *z)
{
    const foi_constraints *c = &m->g->constraints;
    bool there;
    fo_status status = foi_manifold_evaluate(m, t, z);
    if (status == FO_OK) status = holds_exactly(m, 0, c->count, t, z, &there);
    if (status != FO_OK) return status;
    if (!there)
        return fo_refuse(m->v,
                         "at t = %.15g %s does not hold: it is off by %.3g, and "
                         "rounding would explain %.3g",
                         t, c->text[m->failed], m->results[m->failed],
                         SLACK * DBL_EPSILON * m->rounding[m->failed]);
    for (uint32_t b = 0; b < c->groups; b++) {
        group l = group_of(m, b);
        bool good = number_computed(m, &l) && fill(m, &l) && eliminate(m, &l);
        m->sign[b] = good ? m->now[b] : 0;
    }
    return FO_OK;
}
