/// Tables of two inputs: a polynomial for each cell of the grid, and for what lies beside it. The
/// row of cells is found by halves, and the cell in it: by choices where there are few cells, and
/// else by curves of u2, one for each row and power of u1.
///
/// Curved ones are Akima's (Communications of the ACM 17, 1974): at each point slopes in both
/// directions and the mixed derivative, weighted so that the side that bends less counts more; a
/// cell is the polynomial of third degree in both inputs that has these at its four corners.
#include <math.h>
#include <string.h>

#include "language/table.h"

/// c[a][b] (u1 - x1)^a (u2 - x2)^b
typedef struct cell {
    double x1, x2, c[4][4];
} cell;

/// The points, and what Akima's way needs at each of them.
typedef struct surface {
    uint32_t n1, n2;
    const double *x1, *x2, *z;       ///< z[i n2 + k]
    double *slope1, *slope2, *mixed; ///< NULL: linear or constant
    bool constant;
    int by;     ///< 1 or 2: the derivative by that input
    int beyond; ///< how many powers go on outside: 1 constant, 2 linear
} surface;

// ------------------------------------------------------------------------------ slopes of surfaces

// Two points before the first and behind the last of n, n >= 2, at x[2]: as far from each other as
// the three at the end are, with differences that go on as there.
static void extend_places(double *x, uint32_t n)
{
    double *first = x + 2, *last = x + 1 + n;
    for (int k = 1; k <= 2; k++) {
        if (n == 2) {
            first[-k] = first[0] - k * (first[1] - first[0]);
            last[k] = last[0] + k * (last[0] - last[-1]);
        } else { // x[-k] - x[2 - k] is x[0] - x[2]
            first[-k] = first[2 - k] - (first[2] - first[0]);
            last[k] = last[k - 2] + (last[0] - last[-2]);
        }
    }
}

static double slope(const double *x, const double *z, size_t step, long i)
{
    return (z[(i + 1) * (long)step] - z[i * (long)step]) / (x[i + 1] - x[i]);
}

// The same of values: slopes are d0, 2 d0 - d1, 3 d0 - 2 d1 outside.
static void extend_values(const double *x, double *z, size_t step, uint32_t n)
{
    long by = (long)step, last = (long)n - 1;
    x += 2;
    double d0 = slope(x, z, step, 0), d1 = n > 2 ? slope(x, z, step, 1) : d0;
    double e0 = slope(x, z, step, last - 1), e1 = n > 2 ? slope(x, z, step, last - 2) : e0;
    for (long k = 1; k <= 2; k++) {
        z[-k * by] = z[(1 - k) * by] - (x[1 - k] - x[-k]) * (d0 + (double)k * (d0 - d1));
        z[(last + k) * by] =
            z[(last + k - 1) * by] + (x[last + k] - x[last + k - 1]) * (e0 + (double)k * (e0 - e1));
    }
}

// The slope at a point from the four around it, and the weights of those before and behind.
static double weigh(const double *x, const double *z, size_t step, double weight[2])
{
    double d0 = slope(x, z, step, -2), d1 = slope(x, z, step, -1), d2 = slope(x, z, step, 0),
           d3 = slope(x, z, step, 1);
    weight[0] = fabs(d3 - d2), weight[1] = fabs(d1 - d0);
    if (weight[0] == 0 && weight[1] == 0) weight[0] = weight[1] = 1;
    return (weight[0] * d1 + weight[1] * d2) / (weight[0] + weight[1]);
}

static void find_slopes(surface *f, const double *x1, const double *x2, const double *z)
{
    size_t width = f->n2 + 4u;
    for (uint32_t i = 0; i < f->n1; i++)
        for (uint32_t k = 0; k < f->n2; k++) {
            const double *at = z + (i + 2) * width + k + 2, *p1 = x1 + i + 2, *p2 = x2 + k + 2;
            double w1[2], w2[2], sum = 0;
            size_t to = (size_t)i * f->n2 + k;
            f->slope1[to] = weigh(p1, at, width, w1);
            f->slope2[to] = weigh(p2, at, 1, w2);
            // differences of the slopes in direction 2 over the four cells around the point
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    const double *low = at + (a - 1) * (long)width;
                    double twist =
                        slope(p2, low + (long)width, 1, b - 1) - slope(p2, low, 1, b - 1);
                    sum += w1[a] * w2[b] * twist / (p1[a] - p1[a - 1]);
                }
            f->mixed[to] = sum / ((w1[0] + w1[1]) * (w2[0] + w2[1]));
        }
}

static bool bend(foi_session *s, surface *f)
{
    size_t count = (size_t)f->n1 * f->n2, width = f->n2 + 4u;
    double *x1 = foi_arena_new(&s->arena, f->n1 + 4u, sizeof *x1);
    double *x2 = foi_arena_new(&s->arena, width, sizeof *x2);
    double *z = foi_arena_new(&s->arena, width * (f->n1 + 4u), sizeof *z);
    f->slope1 = foi_arena_new(&s->arena, count, sizeof *f->slope1);
    f->slope2 = foi_arena_new(&s->arena, count, sizeof *f->slope2);
    f->mixed = foi_arena_new(&s->arena, count, sizeof *f->mixed);
    if (!x1 || !x2 || !z || !f->slope1 || !f->slope2 || !f->mixed) return false;
    memcpy(x1 + 2, f->x1, f->n1 * sizeof *x1);
    memcpy(x2 + 2, f->x2, f->n2 * sizeof *x2);
    extend_places(x1, f->n1), extend_places(x2, f->n2);
    for (uint32_t i = 0; i < f->n1; i++) {
        double *row = z + (i + 2) * width + 2;
        memcpy(row, f->z + (size_t)i * f->n2, f->n2 * sizeof *row);
        extend_values(x2, row, 1, f->n2);
    }
    for (size_t k = 0; k < width; k++) extend_values(x1, z + 2 * width + k, width, f->n1);
    find_slopes(f, x1, x2, z);
    return true;
}

// ------------------------------------------------------------------------------------------- cells

// Values and slopes at 0 and 1 as coefficients of the polynomial of third degree that has them.
static void fit_cubic(double v0, double v1, double m0, double m1, double c[4])
{
    c[0] = v0, c[1] = m0;
    c[2] = 3 * (v1 - v0) - 2 * m0 - m1;
    c[3] = 2 * (v0 - v1) + m0 + m1;
}

// The cell between points i and i + 1, k and k + 1.
static cell inner_cell(const surface *f, uint32_t i, uint32_t k)
{
    cell e = {.x1 = f->x1[i], .x2 = f->x2[k]};
    double h1 = f->x1[i + 1] - f->x1[i], h2 = f->x2[k + 1] - f->x2[k];
    size_t at = (size_t)i * f->n2 + k, p[2][2] = {{at, at + 1}, {at + f->n2, at + f->n2 + 1}};
    if (f->constant) {
        e.c[0][0] = f->z[at];
        return e;
    }
    if (!f->slope1) {
        const double *z = f->z;
        e.c[0][0] = z[at];
        e.c[1][0] = (z[p[1][0]] - z[at]) / h1, e.c[0][1] = (z[p[0][1]] - z[at]) / h2;
        e.c[1][1] = (z[p[1][1]] - z[p[1][0]] - (z[p[0][1]] - z[at])) / (h1 * h2);
        return e;
    }
    // in direction 2 for values and slopes at both ends of direction 1, then in direction 1
    double value[2][4], rise[2][4];
    for (int a = 0; a < 2; a++) {
        size_t q = p[a][0], r = p[a][1];
        fit_cubic(f->z[q], f->z[r], h2 * f->slope2[q], h2 * f->slope2[r], value[a]);
        fit_cubic(h1 * f->slope1[q], h1 * f->slope1[r], h1 * h2 * f->mixed[q],
                  h1 * h2 * f->mixed[r], rise[a]);
    }
    for (int b = 0; b < 4; b++) {
        double c[4], scale = 1;
        fit_cubic(value[0][b], value[1][b], rise[0][b], rise[1][b], c);
        for (int k2 = 0; k2 < b; k2++) scale *= h2;
        for (int a = 0; a < 4; a++, scale *= h1) e.c[a][b] = c[a] / scale;
    }
    return e;
}

// Coefficients of a polynomial in v as those in v - h.
static void shift(double *c, size_t step, double h)
{
    for (int low = 0; low < 3; low++)
        for (int a = 2; a >= low; a--) c[(size_t)a * step] += h * c[(size_t)(a + 1) * step];
}

// The cell before points i and k, beside the grid where there is no point, or none before it.
static cell cell_at(const surface *f, uint32_t i, uint32_t k)
{
    uint32_t i0 = i == 0 ? 0 : i < f->n1 ? i - 1 : f->n1 - 2;
    uint32_t k0 = k == 0 ? 0 : k < f->n2 ? k - 1 : f->n2 - 2;
    if (f->constant) i0 = i ? i - 1 : 0, k0 = k ? k - 1 : 0;
    cell e = inner_cell(f, i0, k0);
    if (f->constant) return e;
    if (i == f->n1) {
        for (int b = 0; b < 4; b++) shift(&e.c[0][b], 4, f->x1[i - 1] - e.x1);
        e.x1 = f->x1[i - 1];
    }
    if (k == f->n2) {
        for (int a = 0; a < 4; a++) shift(e.c[a], 1, f->x2[k - 1] - e.x2);
        e.x2 = f->x2[k - 1];
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            if (((i == 0 || i == f->n1) && a >= f->beyond) ||
                ((k == 0 || k == f->n2) && b >= f->beyond))
                e.c[a][b] = 0;
    return e;
}

// The same, or its derivative.
static cell wanted_at(const surface *f, uint32_t i, uint32_t k)
{
    cell e = cell_at(f, i, k), d = {.x1 = e.x1, .x2 = e.x2};
    if (!f->by) return e;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            if (f->by == 1 && a < 3) d.c[a][b] = (a + 1) * e.c[a + 1][b];
            if (f->by == 2 && b < 3) d.c[a][b] = (b + 1) * e.c[a][b + 1];
        }
    return d;
}

// ------------------------------------------------------------------------------------- expressions

// c[0] + (c[1] + ... v) v, of what is not zero; NULL: all of it is.
static const foi_flat_expr *polynomial(foi_session *s, const foi_flat_expr *const c[4],
                                       const foi_flat_expr *v)
{
    int degree = 3;
    while (degree >= 0 && !c[degree]) degree--;
    if (degree < 0) return NULL;
    const foi_flat_expr *y = c[degree];
    while (degree-- > 0) {
        y = foi_of_two(s, FOI_OP_MULTIPLY, y, v);
        if (c[degree]) y = foi_of_two(s, FOI_OP_ADD, c[degree], y);
    }
    return y;
}

static const foi_flat_expr *cell_value(foi_session *s, const cell *e, const foi_flat_expr *u1,
                                       const foi_flat_expr *u2)
{
    const foi_flat_expr *v1 = foi_of_two(s, FOI_OP_SUBTRACT, u1, foi_real(s, e->x1));
    const foi_flat_expr *v2 = foi_of_two(s, FOI_OP_SUBTRACT, u2, foi_real(s, e->x2));
    const foi_flat_expr *along[4];
    for (int a = 0; a < 4; a++) {
        const foi_flat_expr *c[4];
        for (int b = 0; b < 4; b++) c[b] = e->c[a][b] != 0 ? foi_real(s, e->c[a][b]) : NULL;
        along[a] = polynomial(s, c, v2);
    }
    const foi_flat_expr *y = polynomial(s, along, v1);
    return y ? y : foi_real(s, 0);
}

// Of row i of cells, those from `first` to `last`.
static const foi_flat_expr *search_cell(foi_session *s, const surface *f, uint32_t i,
                                        uint32_t first, uint32_t last, const foi_flat_expr *u1,
                                        const foi_flat_expr *u2)
{
    if (first == last) {
        cell e = wanted_at(f, i, first);
        return cell_value(s, &e, u1, u2);
    }
    uint32_t middle = first + (last - first) / 2;
    return foi_flat_if(s->flat, foi_below(s, u2, f->x2[middle]),
                       search_cell(s, f, i, first, middle, u1, u2),
                       search_cell(s, f, i, middle + 1, last, u1, u2));
}

static const foi_flat_expr *search_row(foi_session *s, const surface *f, uint32_t first,
                                       uint32_t last, bool inside, const foi_flat_expr *u1,
                                       const foi_flat_expr *u2)
{
    if (first == last) return search_cell(s, f, first, inside, f->n2 - inside, u1, u2);
    uint32_t middle = first + (last - first) / 2;
    return foi_flat_if(s->flat, foi_below(s, u1, f->x1[middle]),
                       search_row(s, f, first, middle, inside, u1, u2),
                       search_row(s, f, middle + 1, last, inside, u1, u2));
}

// One number for each row: where its cells begin, as a curve of u1.
static const foi_flat_expr *row_begins(foi_session *s, const surface *f, const double *ends,
                                       bool inside, const foi_flat_expr *u1)
{
    foi_cubic *list = foi_arena_new(&s->flat->arena, f->n1 + 1u, sizeof *list);
    foi_pieces *p = foi_arena_new(&s->flat->arena, 1, sizeof *p);
    if (!list || !p) return NULL;
    for (uint32_t i = 0; i <= f->n1; i++) list[i].a[0] = cell_at(f, i, inside).x1;
    *p = (foi_pieces){.ends = ends, .list = list, .first = inside, .last = f->n1 - inside};
    return foi_along_pieces(s, p, 0, u1);
}

/// What the powers of u1 have as factors: for each row of cells a curve of u2.
typedef struct factors {
    const double *ends1, *ends2;
    foi_cubic *list[4]; ///< per power: row by row
    bool any[4];
} factors;

static double *kept_points(foi_session *s, const double *x, uint32_t n)
{
    double *own = foi_arena_new(&s->flat->arena, n, sizeof *own);
    return own ? memcpy(own, x, n * sizeof *own) : NULL;
}

static bool find_factors(foi_session *s, const surface *f, factors *k)
{
    size_t width = f->n2 + 1u, count = width * (f->n1 + 1u);
    int powers = f->constant ? 1 : f->slope1 ? 4 : 2;
    k->ends1 = kept_points(s, f->x1, f->n1), k->ends2 = kept_points(s, f->x2, f->n2);
    bool good = k->ends1 && k->ends2;
    for (int a = 0; a < powers; a++) {
        k->list[a] = foi_arena_new(&s->flat->arena, count, sizeof *k->list[a]);
        good = good && k->list[a];
    }
    for (size_t at = 0; good && at < count; at++) {
        cell e = wanted_at(f, (uint32_t)(at / width), (uint32_t)(at % width));
        for (int a = 0; a < powers; a++) {
            k->list[a][at] = (foi_cubic){e.x2, {e.c[a][0], e.c[a][1], e.c[a][2], e.c[a][3]}};
            for (int b = 0; b < 4; b++) k->any[a] |= e.c[a][b] != 0;
        }
    }
    return good;
}

static const foi_flat_expr *factor_at(foi_session *s, const surface *f, const factors *k, int power,
                                      bool inside, const foi_flat_expr *u1, const foi_flat_expr *u2)
{
    foi_pieces *rows = foi_arena_new(&s->flat->arena, f->n1 + 1u, sizeof *rows);
    foi_choices *all = foi_arena_new(&s->flat->arena, 1, sizeof *all);
    if (!rows || !all) return NULL;
    *all = (foi_choices){k->ends1 + inside, rows + inside, f->n1 - 2u * inside, 0};
    for (uint32_t i = 0; i <= f->n1; i++) {
        const foi_cubic *row = k->list[power] + (size_t)i * (f->n2 + 1u);
        uint32_t degree = foi_pieces_degree(row, inside, f->n2 - inside);
        rows[i] = (foi_pieces){k->ends2, row, inside, f->n2 - inside, degree};
        if (degree > all->degree) all->degree = degree;
    }
    return foi_along_choice(s, all, 0, u1, u2);
}

// The same as search_row, where there are too many cells for choices.
static const foi_flat_expr *search_all(foi_session *s, const surface *f, bool inside,
                                       const foi_flat_expr *u1, const foi_flat_expr *u2)
{
    factors k = {0};
    const foi_flat_expr *along[4] = {0};
    if (!find_factors(s, f, &k)) return NULL;
    for (int a = 0; a < 4; a++)
        if (k.any[a] && !(along[a] = factor_at(s, f, &k, a, inside, u1, u2))) return NULL;
    const foi_flat_expr *begins = row_begins(s, f, k.ends1, inside, u1);
    const foi_flat_expr *y = polynomial(s, along, foi_of_two(s, FOI_OP_SUBTRACT, u1, begins));
    return y || !begins ? y : foi_real(s, 0);
}

static const foi_flat_expr *search(foi_session *s, const surface *f, bool inside,
                                   const foi_flat_expr *u1, const foi_flat_expr *u2)
{
    bool many = (uint64_t)f->n1 * f->n2 > 2 * FOI_MOST_CHOICES;
    return many ? search_all(s, f, inside, u1, u2)
                : search_row(s, f, inside, f->n1 - inside, inside, u1, u2);
}

static const foi_flat_expr *within(foi_session *s, const double *x, uint32_t n,
                                   const foi_flat_expr *u)
{
    return foi_of_two(s, FOI_OP_AND, foi_of_two(s, FOI_OP_GREATER_EQUAL, u, foi_real(s, x[0])),
                      foi_of_two(s, FOI_OP_LESS_EQUAL, u, foi_real(s, x[n - 1])));
}

// One row or column of values: the other input does not count.
static const foi_flat_expr *as_curve(foi_session *s, foi_place place, const surface *f,
                                     int smoothness, int extrapolation, const foi_flat_expr *u1,
                                     const foi_flat_expr *u2)
{
    bool along = f->n1 == 1;
    if (f->by == (along ? 1 : 2)) return foi_real(s, 0);
    foi_curve c = {.count = along ? f->n2 : f->n1, .smoothness = smoothness, .order = f->by != 0};
    c.x = kept_points(s, along ? f->x2 : f->x1, c.count), c.y = (double *)f->z;
    c.extrapolation = extrapolation;
    return c.x && foi_curve_fill(s, place, &c) ? foi_curve_look_up(s, place, &c, along ? u2 : u1)
                                               : NULL;
}

static bool increases(foi_session *s, foi_place place, const double *x, uint32_t n,
                      const char *which)
{
    for (uint32_t i = 0; i + 1 < n; i++)
        if (!(x[i] < x[i + 1]) || !isfinite(x[i + 1] - x[i]))
            return foi_error(s, place, "the first %s of the table must increase: %g follows %g",
                             which, x[i + 1], x[i]);
    return true;
}

static bool make_surface(foi_session *s, foi_place place, const foi_matrix *t, surface *f)
{
    f->n1 = t->rows - 1, f->n2 = t->columns - 1;
    double *x1 = foi_arena_new(&s->arena, f->n1, sizeof *x1);
    double *z = foi_arena_new(&s->arena, (size_t)f->n1 * f->n2, sizeof *z);
    if (!x1 || !z) return false;
    for (uint32_t i = 0; i < f->n1; i++) {
        const double *row = t->items + (size_t)(i + 1) * t->columns;
        x1[i] = row[0];
        memcpy(z + (size_t)i * f->n2, row + 1, f->n2 * sizeof *z);
    }
    f->x1 = x1, f->x2 = t->items + 1, f->z = z;
    return increases(s, place, f->x1, f->n1, "column") && increases(s, place, f->x2, f->n2, "row");
}

const foi_flat_expr *foi_look_up_2d(foi_session *s, foi_place place, const foi_matrix *table,
                                    foi_way_2d way, const foi_flat_expr *u1,
                                    const foi_flat_expr *u2)
{
    int smoothness = way.smoothness, extrapolation = way.extrapolation;
    surface f = {.by = way.by, .beyond = extrapolation == FOI_LAST_TWO ? 2 : 1};
    if (smoothness > FOI_CONSTANT_SEGMENTS) {
        foi_error(s, place, "tables of two dimensions are linear, constant or Akima's");
        return NULL;
    }
    if (!make_surface(s, place, table, &f)) return NULL;
    if (f.n1 <= 2 && f.n2 <= 2 && smoothness == FOI_AKIMA) smoothness = FOI_LINEAR;
    if (f.n1 == 1 || f.n2 == 1) return as_curve(s, place, &f, smoothness, extrapolation, u1, u2);
    if (!foi_work(s, place, (uint64_t)f.n1 * f.n2 * 8)) return NULL;
    if (smoothness == FOI_AKIMA && !bend(s, &f)) return NULL;
    double most1 = f.x1[f.n1 - 1], most2 = f.x2[f.n2 - 1];
    bool periodic = extrapolation == FOI_PERIODIC;
    if (periodic) u1 = foi_folded(s, f.x1[0], most1, u1), u2 = foi_folded(s, f.x2[0], most2, u2);
    f.constant = smoothness == FOI_CONSTANT_SEGMENTS;
    const foi_flat_expr *y = search(s, &f, periodic, u1, u2);
    if (extrapolation == FOI_NO_EXTRAPOLATION) {
        y = foi_inside_table(s, place, f.x1[0], most1, u1, y);
        return foi_inside_table(s, place, f.x2[0], most2, u2, y);
    }
    if (!f.constant || extrapolation != FOI_LAST_TWO) return y;
    // steps go on as the cell at the edge would if it were linear
    f.constant = false;
    const foi_flat_expr *in =
        foi_of_two(s, FOI_OP_AND, within(s, f.x1, f.n1, u1), within(s, f.x2, f.n2, u2));
    return foi_flat_if(s->flat, foi_of_one(s, FOI_FN_NO_EVENT, in), y,
                       search(s, &f, false, u1, u2));
}
