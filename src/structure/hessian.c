/// Second derivatives of the energy, and where they are.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "structure/structure.h"

// -------------------------------------------------------------------------- who is next to whom

// Pairs of nodes that share an energy are collected as (row node, column node), sorted by column.
typedef struct pairs {
    uint64_t *list; ///< column << 32 | row
    size_t count, room;
} pairs;

static void add_pair(pairs *p, uint32_t a, uint32_t b)
{
    if (p->count + 2 <= p->room) {
        p->list[p->count] = (uint64_t)a << 32 | b;
        p->list[p->count + 1] = (uint64_t)b << 32 | a;
    }
    p->count += 2;
}

static void add_group(pairs *p, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++) add_pair(p, nodes[i], nodes[j]);
}

static void collect(const fo_structure *s, pairs *p)
{
    p->count = 0;
    for (uint32_t i = 0; i < s->nodes; i++) {
        if (p->count < p->room) p->list[p->count] = (uint64_t)i << 32 | i;
        p->count++;
    }
    if (foi_bowl_under_effort(s)) { // everything hangs together
        for (uint32_t i = 0; i < s->nodes; i++)
            for (uint32_t j = i + 1; j < s->nodes; j++) add_pair(p, i, j);
        return;
    }
    for (size_t i = 0; i < s->spring_count; i++) add_pair(p, s->springs[i].a, s->springs[i].b);
    for (size_t i = 0; i < s->bend_count; i++)
        add_group(p, s->bend_node + s->bends[i].first, s->bends[i].count);
    for (size_t i = 0; i < s->volume_count; i++)
        add_group(p, s->members + s->volumes[i].member_first, s->volumes[i].member_count);
    for (size_t i = 0; i < s->skin_count; i++) {
        const foi_skin *skin = &s->skins[i];
        add_group(p, s->members + skin->member_first, skin->member_count);
        for (uint32_t n = 0; n < skin->count && !skin->member_count; n++)
            add_group(p, s->facets + skin->first + (size_t)n * (size_t)s->dim, (uint32_t)s->dim);
    }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool make_adjacency(fo_structure *s)
{
    const fo_allocator *a = s->def.allocator;
    pairs p = {0};
    collect(s, &p);
    p.room = p.count;
    p.list = foi_new(a, p.room, sizeof *p.list);
    s->adjacent_start = foi_new(a, (size_t)s->nodes + 1, sizeof *s->adjacent_start);
    if (!p.list || !s->adjacent_start) {
        foi_free(a, p.list);
        return false;
    }
    collect(s, &p);
    qsort(p.list, p.count, sizeof *p.list, ascending);
    size_t kept = 0;
    for (size_t i = 0; i < p.count; i++)
        if (!i || p.list[i] != p.list[i - 1]) p.list[kept++] = p.list[i];
    s->adjacent = foi_new(a, kept, sizeof *s->adjacent);
    for (size_t i = 0; s->adjacent && i < kept; i++) {
        s->adjacent[i] = (uint32_t)p.list[i];
        s->adjacent_start[(p.list[i] >> 32) + 1] = (uint32_t)i + 1;
    }
    foi_free(a, p.list);
    return s->adjacent != NULL;
}

size_t foi_hessian_size(const fo_structure *s)
{
    return (size_t)s->adjacent_start[s->nodes] * (size_t)s->dim * (size_t)s->dim;
}

// df/dx: columns of q have the Hessian's entries, in rows of v; columns of v have q' = v and the
// friction; columns of the bowl's displacement have all rows of v of their axis.
static void fill_pattern(fo_structure *s, uint32_t *start, uint32_t *row)
{
    uint32_t dim = (uint32_t)s->dim, n = foi_coordinates(s), column = 0, at = 0;
    for (uint32_t node = 0; node < s->nodes; node++)
        for (uint32_t k = 0; k < dim; k++) {
            start[column++] = at;
            for (uint32_t e = s->adjacent_start[node]; e < s->adjacent_start[node + 1]; e++)
                for (uint32_t m = 0; m < dim; m++) row[at++] = n + s->adjacent[e] * dim + m;
        }
    for (uint32_t c = 0; c < n; c++) {
        start[column++] = at;
        row[at++] = c;
        row[at++] = n + c;
    }
    for (uint32_t k = 0; column < s->shape.states; k++) {
        start[column++] = at;
        for (uint32_t node = 0; node < s->nodes; node++) row[at++] = n + node * dim + k;
    }
    start[column] = at;
}

fo_status foi_make_pattern(fo_structure *s, fo_message *why)
{
    enum { MOST_COUPLED = 1000 };
    const fo_allocator *a = s->def.allocator;
    if (foi_bowl_under_effort(s) && s->nodes > MOST_COUPLED)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "an effort on the bowl couples every node with every other, which is done "
                       "for up to %d nodes, found %u; let a flow come in there",
                       MOST_COUPLED, s->nodes);
    size_t n = foi_coordinates(s), bowl = s->shape.states - 2 * n, entries = 0;
    bool made = make_adjacency(s);
    if (made) {
        entries = foi_hessian_size(s) + 2 * n + bowl * s->nodes;
        if (entries > UINT32_MAX)
            return fo_fail(why, FO_ERROR_ARGUMENT, "a structure with %zu second derivatives",
                           entries);
        s->pattern_start = foi_new(a, (size_t)s->shape.states + 1, sizeof *s->pattern_start);
        s->pattern_row = foi_new(a, entries, sizeof *s->pattern_row);
    }
    if (!made || !s->pattern_start || !s->pattern_row)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a structure's second derivatives");
    fill_pattern(s, s->pattern_start, s->pattern_row);
    s->pattern = (fo_pattern){s->shape.states, s->pattern_start, s->pattern_row};
    return FO_OK;
}

// ------------------------------------------------------------------------------------ its values

// Adds block[m][k] to d2V/dq_(row, m) dq_(column, k).
static void add_block(const fo_structure *s, double *values, uint32_t row, uint32_t column,
                      const double block[3][3])
{
    uint32_t dim = (uint32_t)s->dim, first = s->adjacent_start[column];
    uint32_t low = first, high = s->adjacent_start[column + 1], degree = high - low;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (s->adjacent[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    double *at = values + (size_t)first * dim * dim + (size_t)(low - first) * dim;
    for (uint32_t k = 0; k < dim; k++, at += (size_t)degree * dim)
        for (uint32_t m = 0; m < dim; m++) at[m] += block[m][k];
}

// The block B between two nodes whose energy depends on their difference.
static void add_difference(const fo_structure *s, double *values, uint32_t a, uint32_t b,
                           double block[3][3])
{
    add_block(s, values, a, a, (const double(*)[3])block);
    add_block(s, values, b, b, (const double(*)[3])block);
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) block[m][k] = -block[m][k];
    add_block(s, values, a, b, (const double(*)[3])block);
    add_block(s, values, b, a, (const double(*)[3])block);
}

// c I + e r r^T
static void add_line(const fo_structure *s, double *values, uint32_t a, uint32_t b,
                     const double r[3], double c, double e)
{
    double block[3][3] = {{0}};
    for (int m = 0; m < s->dim; m++)
        for (int k = 0; k < s->dim; k++) block[m][k] = (m == k ? c : 0) + e * r[m] * r[k];
    add_difference(s, values, a, b, block);
}

static double between(const fo_structure *s, const double *q, uint32_t a, uint32_t b, double r[3])
{
    double l2 = 0;
    size_t dim = (size_t)s->dim;
    for (size_t k = 0; k < dim; k++) r[k] = q[b * dim + k] - q[a * dim + k], l2 += r[k] * r[k];
    return l2;
}

static void add_springs(const fo_structure *s, const double *d, const double *q, double *values)
{
    for (size_t i = 0; i < s->spring_count; i++) {
        const foi_spring *spring = &s->springs[i];
        double r[3], c, e, l2 = between(s, q, spring->a, spring->b, r);
        foi_spring_law(s, spring, d, l2, &c, &e);
        add_line(s, values, spring->a, spring->b, r, c, e);
    }
}

static void add_bends(const fo_structure *s, double *values)
{
    for (size_t i = 0; i < s->bend_count; i++) {
        const foi_bend *bend = &s->bends[i];
        const uint32_t *node = s->bend_node + bend->first;
        const double *coefficient = s->bend_coefficient + bend->first;
        for (uint32_t a = 0; a < bend->count; a++)
            for (uint32_t b = 0; b < bend->count; b++) {
                double h = bend->k * coefficient[a] * coefficient[b];
                double block[3][3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
                add_block(s, values, node[a], node[b], (const double(*)[3])block);
            }
    }
}

// The matrix of v -> a x v.
static void cross_matrix(const double a[3], double m[3][3])
{
    double full[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    memcpy(m, full, sizeof full);
}

// d2V of one facet times slope. Edges: 1/2 (x_i y_j - x_j y_i). Triangles: with (i, j, k) cyclic,
// d2V/dx_i dx_j v = 1/6 v x x_k.
static void add_facet(const fo_structure *s, const uint32_t *facet, double slope, const double *q,
                      double *values)
{
    if (s->dim == 2) {
        double h = slope / 2;
        double block[3][3] = {{0, h, 0}, {-h, 0, 0}}, back[3][3] = {{0, -h, 0}, {h, 0, 0}};
        add_block(s, values, facet[0], facet[1], (const double(*)[3])block);
        add_block(s, values, facet[1], facet[0], (const double(*)[3])back);
        return;
    }
    for (int i = 0; i < 3; i++) {
        double third[3], block[3][3], back[3][3];
        uint32_t a = facet[i], b = facet[(i + 1) % 3];
        for (int k = 0; k < 3; k++) third[k] = -slope / 6 * q[facet[(i + 2) % 3] * 3 + k];
        cross_matrix(third, block);
        for (int k = 0; k < 3; k++) third[k] = -third[k];
        cross_matrix(third, back);
        add_block(s, values, a, b, (const double(*)[3])block);
        add_block(s, values, b, a, (const double(*)[3])back);
    }
}

// curvature g g^T between the members of a volume or a skin.
static void add_outer(const fo_structure *s, const uint32_t *member, uint32_t count,
                      double curvature, const double *g, double *values)
{
    size_t dim = (size_t)s->dim;
    for (uint32_t a = 0; curvature != 0 && a < count; a++)
        for (uint32_t b = 0; b < count; b++) {
            double block[3][3] = {{0}};
            for (size_t m = 0; m < dim; m++)
                for (size_t k = 0; k < dim; k++)
                    block[m][k] = curvature * g[member[a] * dim + m] * g[member[b] * dim + k];
            add_block(s, values, member[a], member[b], (const double(*)[3])block);
        }
}

static void clear_members(const fo_structure *s, const uint32_t *member, uint32_t count, double *g)
{
    size_t dim = (size_t)s->dim;
    for (uint32_t a = 0; a < count; a++) memset(g + member[a] * dim, 0, dim * sizeof *g);
}

// phi'' g g^T + phi' d2V, where g = dV/dq comes from the forces of a unit pressure.
static void add_volumes(const fo_structure *s, const double *q, double *g, double *values)
{
    for (size_t i = 0; i < s->volume_count; i++) {
        const foi_volume *v = &s->volumes[i];
        const uint32_t *member = s->members + v->member_first;
        double slope, curvature;
        foi_volume_law(v, foi_enclosed(s, v, q), &slope, &curvature);
        clear_members(s, member, v->member_count, g);
        for (uint32_t f = 0; f < v->count; f++) {
            const uint32_t *facet = s->facets + v->first + (size_t)f * (size_t)s->dim;
            foi_push_facet(s, facet, -1, q, g);
            add_facet(s, facet, slope, q, values);
        }
        add_outer(s, member, v->member_count, curvature, g, values);
    }
}

// With e_i the edge opposite to x_i, dN = sum e_i x dx_i and d2N = 2 sum dx_i x dx_j (cyclic):
// d2A/dx_i dx_j = [e_i]^T (I - n n^T) [e_j] / (2 |N|) - 1/2 [n] for j after i (+ before i).
static void add_triangle(const fo_structure *s, const uint32_t *facet, double tension,
                         const double *q, double *values)
{
    double e[3][3], n[3], m[3][3][3], length = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            e[i][k] = q[facet[(i + 2) % 3] * 3 + k] - q[facet[(i + 1) % 3] * 3 + k];
        cross_matrix(e[i], m[i]);
    }
    for (int k = 0; k < 3; k++) {
        n[k] = 0;
        for (int l = 0; l < 3; l++) n[k] += m[2][k][l] * e[0][l];
        length += n[k] * n[k];
    }
    length = sqrt(length);
    if (!(length > 0)) return;
    for (int k = 0; k < 3; k++) n[k] /= length;
    double turn[3][3];
    cross_matrix(n, turn);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double block[3][3], sign = i == j ? 0 : (i + 1) % 3 == j ? -0.5 : 0.5;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    double sum = 0, na = 0, nb = 0;
                    for (int l = 0; l < 3; l++) {
                        sum += m[i][l][a] * m[j][l][b];
                        na += n[l] * m[i][l][a], nb += n[l] * m[j][l][b];
                    }
                    block[a][b] = tension * ((sum - na * nb) / (2 * length) + sign * turn[a][b]);
                }
            add_block(s, values, facet[i], facet[j], (const double(*)[3])block);
        }
}

static void add_skins(const fo_structure *s, const double *q, double *g, double *values)
{
    for (size_t i = 0; i < s->skin_count; i++) {
        const foi_skin *skin = &s->skins[i];
        const uint32_t *member = s->members + skin->member_first;
        double slope, curvature;
        foi_skin_law(skin, foi_skin_area(s, skin, q), &slope, &curvature);
        clear_members(s, member, skin->member_count, g);
        for (uint32_t f = 0; f < skin->count; f++) {
            const uint32_t *facet = s->facets + skin->first + (size_t)f * (size_t)s->dim;
            double r[3], l2 = 0;
            if (skin->member_count) foi_stretch_facet(s, facet, -1, q, g);
            if (s->dim == 3) {
                add_triangle(s, facet, slope, q, values);
            } else if ((l2 = between(s, q, facet[0], facet[1], r)) > 0) {
                double c = slope / sqrt(l2);
                add_line(s, values, facet[0], facet[1], r, c, -c / l2);
            }
        }
        add_outer(s, member, skin->member_count, curvature, g, values);
    }
}

// 1/2 k |q - q0 - r|^2 for every node. Under an effort r is the mean of q - q0, and any two nodes
// have -k/N.
static void add_bowl(const fo_structure *s, double *values)
{
    double k = s->def.bowl, mean[3][3] = {{0}};
    for (int a = 0; a < s->dim; a++)
        if (s->bowl_mode[a] == FOI_BOWL_EFFORT) mean[a][a] = -k / s->nodes;
    for (uint32_t i = 0; k > 0 && i < s->nodes; i++) {
        const double block[3][3] = {{k, 0, 0}, {0, k, 0}, {0, 0, k}};
        add_block(s, values, i, i, block);
        for (uint32_t j = 0; j < s->nodes && foi_bowl_under_effort(s); j++)
            add_block(s, values, i, j, (const double(*)[3])mean);
    }
}

fo_status foi_hessian(const fo_structure *s, const foi_load *load, const double *q, double *values,
                      fo_message *why)
{
    double *g = foi_new(s->def.allocator, foi_coordinates(s), sizeof *g);
    if (!g) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a structure's second derivatives");
    memset(values, 0, foi_hessian_size(s) * sizeof *values);
    add_springs(s, load->d, q, values);
    add_bends(s, values);
    add_skins(s, q, g, values);
    add_bowl(s, values);
    add_volumes(s, q, g, values);
    foi_free(s->def.allocator, g);
    return FO_OK;
}
