/// Whether a loop has one solution at most, wherever its unknowns are (up to 2^500 in size, so that
/// differences stay finite) and whatever is given: then there are no branches, and nothing has to
/// be followed.
///
/// If F has a derivative everywhere, F(y) - F(z) = J (y - z) with a J whose entries lie between the
/// least and the greatest that the derivatives can be. So if no such matrix is singular, F(y) =
/// F(z) only for y = z. Most entries are constant; the others come from a few functions of one
/// variable, like the conductance g of a diode, which may be anything from 0 to infinity and stands
/// in the rows and columns of the two nodes between which it lies,
///
///     J = J_0 + g_1 u_1 v_1' + ... + g_k u_k v_k'.
///
/// The determinant is affine in each g. So it has no zero if it has the same sign in all corners of
/// the g's ranges. In an infinite corner its sign is that of the coefficient of g,
///
///     v' adj(J) u = - det [ J u ; v' 0 ],
///
/// and where an end of a range is never reached (exp is neither 0 nor infinite) the determinant may
/// vanish in corners there, as long as it does not in all of them. (The same argument makes the
/// P-matrices of D. Gale and H. Nikaido, The Jacobian matrix and global univalence of mappings,
/// 1965.)
#include <string.h>

#include "math/math.h"
#include "program/branch.h"

enum { LARGEST = FOI_UNIQUE_LARGEST, MOST = FOI_UNIQUE_MOST, UNSURE = 2 };

/// What is not constant: a register with a range, and where it stands.
typedef struct moving {
    uint32_t base;
    foi_interval range;
    bool open; ///< the ends of the range are not reached
    double u[LARGEST], v[LARGEST];
} moving;

/// An entry as scale * base + offset.
typedef struct affine {
    uint32_t base; ///< FOI_NOTHING: it is constant
    double scale, offset;
} affine;

typedef struct matrix {
    const foi_code *code;
    const foi_loop_code *l;
    const foi_enclosed *r;
    moving *list;
    uint32_t count;
    double *M; ///< (n + MOST)^2
} matrix;

// ----------------------------------------------------------------------------------------- entries

static bool is_constant(foi_interval a)
{
    return foi_i_is_finite(a) && a.hi - a.lo <= 0x1p-40 * foi_i_size(a);
}

static double centre(foi_interval a)
{
    return 0.5 * a.lo + 0.5 * a.hi;
}

// What makes a register inside of the loop: each is made once.
static const foi_instruction *maker(const matrix *m, uint32_t k)
{
    const foi_instruction *x = m->code->list + m->l->end;
    while (x > m->code->list + m->l->begin)
        if ((--x)->to == k) return x;
    return NULL;
}

// One operation nearer to the base; false: this is it.
static bool unwrap(const matrix *m, affine *e)
{
    const foi_instruction *x = maker(m, e->base);
    if (!x) return false;
    foi_interval a = m->r[x->a].range, b = m->r[x->b].range;
    bool has_a = is_constant(a), has_b = is_constant(b);
    switch (x->op) {
    case FOI_G_NEGATE: e->base = x->a, e->scale = -e->scale; return true;
    case FOI_G_ADD:
        if (!has_a && !has_b) return false;
        e->offset += e->scale * centre(has_a ? a : b), e->base = has_a ? x->b : x->a;
        return true;
    case FOI_G_SUBTRACT:
        if (!has_a && !has_b) return false;
        e->offset += has_b ? -e->scale * centre(b) : e->scale * centre(a);
        e->base = has_b ? x->a : x->b;
        if (!has_b) e->scale = -e->scale;
        return true;
    case FOI_G_MULTIPLY:
        if (!has_a && !has_b) return false;
        e->scale *= centre(has_a ? a : b), e->base = has_a ? x->b : x->a;
        return true;
    case FOI_G_DIVIDE:
        if (!has_b) return false;
        e->scale /= centre(b), e->base = x->a;
        return true;
    default: return false;
    }
}

static affine read_entry(const matrix *m, uint32_t k)
{
    affine e = {m->l->entry[k], 1, 0};
    if (is_constant(m->r[e.base].range))
        return (affine){FOI_NOTHING, 0, centre(m->r[e.base].range)};
    while (unwrap(m, &e)) continue;
    return e;
}

static moving *moving_of(matrix *m, uint32_t base)
{
    for (uint32_t k = 0; k < m->count; k++)
        if (m->list[k].base == base) return &m->list[k];
    if (m->count == MOST) return NULL;
    moving *g = &m->list[m->count++];
    const foi_instruction *x = maker(m, base);
    *g = (moving){.base = base, .range = m->r[base].range, .open = x && x->op == FOI_G_EXP};
    return g;
}

// u v' = scale in (row, column), if that is possible with what is known of u and v.
static bool place(moving *g, uint32_t row, uint32_t column, double scale, bool first)
{
    if (first) {
        g->u[row] = 1, g->v[column] = scale;
        return true;
    }
    if (g->u[row] != 0 && g->v[column] != 0)
        return fabs(g->u[row] * g->v[column] - scale) <= 0x1p-40 * fabs(scale);
    if (g->u[row] == 0 && g->v[column] == 0) return false;
    if (g->u[row] == 0)
        g->u[row] = scale / g->v[column];
    else
        g->v[column] = scale / g->u[row];
    return true;
}

// J_0 goes to M, the rest to the list. False: it has another form.
static bool collect(matrix *m)
{
    const foi_loop_about *about = m->l->about;
    uint32_t n = m->l->count;
    size_t entries[MOST] = {0};
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            affine e = read_entry(m, k);
            m->M[(size_t)about->row[k] * n + j] = e.offset;
            if (e.base == FOI_NOTHING) continue;
            moving *g = moving_of(m, e.base);
            if (!g || !(fabs(e.scale) > 0 && fabs(e.scale) <= DBL_MAX)) return false;
            if (!place(g, about->row[k], j, e.scale, entries[g - m->list]++ == 0)) return false;
        }
    for (uint32_t k = 0; k < m->count; k++) { // all of u v' must be there, and one end finite
        size_t rows = 0, columns = 0;
        for (uint32_t i = 0; i < n; i++)
            rows += m->list[k].u[i] != 0, columns += m->list[k].v[i] != 0;
        if (rows * columns != entries[k]) return false;
        if (m->list[k].range.lo == -INFINITY && m->list[k].range.hi == INFINITY) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------- corners

// The sign of the determinant, 0 where it is exactly that, or UNSURE. Destroys the matrix.
static int sign_of(double *M, uint32_t n)
{
    int sign = 1;
    for (uint32_t i = 0; i < n; i++) {
        double most = 0;
        for (uint32_t j = 0; j < n; j++) most = foi_fmax(most, fabs(M[(size_t)i * n + j]));
        if (most == 0) return 0;
        if (!(most <= DBL_MAX)) return UNSURE;
        for (uint32_t j = 0; j < n; j++) M[(size_t)i * n + j] /= most;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t q = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(M[(size_t)i * n + k]) > fabs(M[(size_t)q * n + k])) q = i;
        double pivot = M[(size_t)q * n + k], most = 0;
        for (uint32_t j = k; j < n; j++) most = foi_fmax(most, fabs(M[(size_t)q * n + j]));
        if (pivot == 0) return 0;
        if (!(fabs(pivot) > 0x1p-30 * most)) return UNSURE;
        if ((pivot < 0) != (q != k)) sign = -sign;
        for (uint32_t j = 0; j < n; j++) {
            double other = M[(size_t)q * n + j];
            M[(size_t)q * n + j] = M[(size_t)k * n + j], M[(size_t)k * n + j] = other;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            double f = M[(size_t)i * n + k] / pivot;
            for (uint32_t j = k; j < n && f != 0; j++)
                M[(size_t)i * n + j] -= f * M[(size_t)k * n + j];
        }
    }
    return sign;
}

static double end_of(const moving *g, uint32_t corner, uint32_t k)
{
    return corner >> k & 1 ? g->range.hi : g->range.lo;
}

// J_0 lies in the first n^2 of M, the matrix of the corner behind it.
static int sign_in_corner(const matrix *m, uint32_t corner)
{
    uint32_t n = m->l->count, size = n, at = n;
    int sign = 1;
    for (uint32_t k = 0; k < m->count; k++) size += isinf(end_of(&m->list[k], corner, k)) != 0;
    double *A = m->M + (size_t)n * n;
    memset(A, 0, (size_t)size * size * sizeof *A);
    for (uint32_t i = 0; i < n; i++)
        memcpy(A + (size_t)i * size, m->M + (size_t)i * n, n * sizeof *A);
    for (uint32_t k = 0; k < m->count; k++) {
        const moving *g = &m->list[k];
        double end = end_of(g, corner, k);
        if (!isinf(end)) {
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n && g->u[i] != 0; j++)
                    A[(size_t)i * size + j] += end * g->u[i] * g->v[j];
            continue;
        }
        if (end > 0) sign = -sign; // the determinant's minus; another one for g -> -infinity
        for (uint32_t i = 0; i < n; i++)
            A[(size_t)i * size + at] = g->u[i], A[(size_t)at * size + i] = g->v[i];
        at++;
    }
    int found = sign_of(A, size);
    return found == UNSURE ? UNSURE : sign * found;
}

// One sign in all corners; zeros only where another corner beside it, along open ranges, has one.
static bool is_regular(const matrix *m)
{
    int all = 0;
    uint32_t open = 0;
    for (uint32_t k = 0; k < m->count; k++) open |= (uint32_t)m->list[k].open << k;
    for (uint32_t face = 0; face < 1u << m->count; face++) {
        bool any = false;
        if (face & open) continue; // the corners of a face differ in open ranges
        for (uint32_t corner = 0; corner < 1u << m->count; corner++) {
            if ((corner & ~open) != face) continue;
            int sign = sign_in_corner(m, corner);
            if (sign == UNSURE || (sign != 0 && all != 0 && sign != all)) return false;
            if (sign != 0) all = sign, any = true;
        }
        if (!any) return false;
    }
    return true;
}

static bool is_defined(const foi_loop_code *l, const foi_enclosed *r)
{
    uint32_t nature = 0;
    for (uint32_t i = 0; i < l->count; i++) nature |= r[l->residual[i]].nature;
    for (uint32_t k = 0; k < l->about->start[l->count]; k++) nature |= r[l->entry[k]].nature;
    return (nature & ~(uint32_t)FO_NOT_ENCLOSED) == 0;
}

// With everything that flows anywhere.
static bool is_unique(const foi_code *code, const foi_loop_code *l, foi_enclosed *r, double *work)
{
    moving list[MOST];
    matrix m = {.code = code, .l = l, .r = r, .list = list, .M = work};
    for (uint32_t i = 0; i < l->count; i++) r[l->unknown[i]] = foi_enclosed_anywhere();
    foi_code part = {.list = code->list + l->begin, .count = l->end - l->begin};
    foi_code_enclose(&part, r, INFINITY, NULL);
    if (l->count > LARGEST || !is_defined(l, r)) return false;
    memset(m.M, 0, (size_t)l->count * l->count * sizeof *m.M);
    return collect(&m) && is_regular(&m);
}

void foi_branch_find_unique(const foi_code *code, foi_enclosed *r, double *work, double *unique)
{
    for (uint32_t i = 0; i < code->constant_count; i++)
        r[code->constant_at + i] = foi_enclosed_constant(code->constants[i]);
    for (uint32_t at = 0, stop; at < code->count; at = stop + 1) {
        for (stop = at; stop < code->count && code->list[stop].op != FOI_I_SOLVE;) stop++;
        foi_code part = {.list = code->list + at, .count = stop - at};
        foi_code_enclose(&part, r, INFINITY, NULL);
        if (stop == code->count) return;
        const foi_loop_code *l = &code->loops[code->list[stop].a];
        if (foi_loop_is_followed(l)) unique[l->about->number] = is_unique(code, l, r, work);
        for (uint32_t i = 0; i < l->count; i++) r[l->unknown[i]] = foi_enclosed_anywhere();
        foi_code inside = {.list = code->list + l->begin, .count = l->end - l->begin};
        foi_code_enclose(&inside, r, INFINITY, NULL);
    }
}
