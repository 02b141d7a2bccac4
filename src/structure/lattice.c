/// Girder, plate and block: lattices of cells whose uniform strains have the material's energy.
///
/// Every cell brings its share of each spring, so that edges of the whole have half of what is
/// inside. With springs alone a lattice has Cauchy's relation C12 = C66; the difference is made up
/// by an energy of the cell's area or volume.
#include <math.h>
#include <string.h>

#include "structure/parts.h"

typedef struct lattice {
    foi_part *p;
    uint32_t cells[3];
    double d[3]; ///< size of a cell
    uint32_t *node;
} lattice;

static uint32_t at(const lattice *l, uint32_t i, uint32_t j, uint32_t k)
{
    return l->node[(k * (l->cells[1] + 1) + j) * (l->cells[0] + 1) + i];
}

// How many cells meet at a place along an axis.
static double share(uint32_t i, uint32_t cells)
{
    return i > 0 && i < cells ? 2 : 1;
}

static fo_status place(lattice *l, foi_part *p, int axes, double cell_mass)
{
    const fo_part_def *def = p->def;
    *l = (lattice){.p = p};
    size_t count = 1;
    for (int a = 0; a < 3; a++) {
        l->cells[a] = a < axes ? def->cells[a] : 0;
        l->d[a] = a < axes ? (def->to[a] - def->from[a]) / def->cells[a] : 0;
        if (a < axes && !(l->d[a] > 0))
            return fo_fail(p->why, FO_ERROR_ARGUMENT,
                           "part '%s': its corners must ascend along %c, are %g and %g", def->name,
                           "xyz"[a], def -> from[a], def -> to[a]);
        count *= l->cells[a] + 1;
    }
    l->node = foi_new(p->s->def.allocator, count, sizeof *l->node);
    if (!l->node) return fo_fail(p->why, FO_ERROR_MEMORY, "no memory for part '%s'", def->name);
    fo_status status = FO_OK;
    size_t n = 0;
    for (uint32_t k = 0; k <= l->cells[2]; k++)
        for (uint32_t j = 0; j <= l->cells[1]; j++)
            for (uint32_t i = 0; i <= l->cells[0] && status == FO_OK; i++) {
                double place_at[3] = {def->from[0] + i * l->d[0], def->from[1] + j * l->d[1],
                                      def->from[2] + k * l->d[2]};
                double cells = share(i, l->cells[0]) * share(j, l->cells[1]) *
                               (axes > 2 ? share(k, l->cells[2]) : 1);
                status = foi_part_node(p, place_at, cell_mass * cells, NULL, 0, &l->node[n++]);
            }
    return status;
}

// ------------------------------------------------------------------------------ plane lattices

// A cell dx x dy of springs kx, ky (along its edges) and kd (both diagonals, L^2 = dx^2 + dy^2)
// with an energy of its area has, for plane strains,
//   C66 = 2 kd dx dy / L^2,   C12 = C66 + kappa,   C11 dx dy = kx dx^2 + 2 kd dx^4 / L^2 + kappa dx
//   dy
// so that  kd = C66 L^2 / (2 dx dy),  kx = (C11 - kappa) dy / dx - C66 dx / dy.
typedef struct sheet {
    double kx, ky, kd, kappa;
} sheet;

static fo_status sheet_springs(lattice *l, double c11, double c12, double c66, sheet *s)
{
    double dx = l->d[0], dy = l->d[1];
    s->kappa = c12 - c66;
    s->kd = c66 * (dx * dx + dy * dy) / (2 * dx * dy);
    s->kx = (c11 - s->kappa) * dy / dx - c66 * dx / dy;
    s->ky = (c11 - s->kappa) * dx / dy - c66 * dy / dx;
    if (s->kx > 0 && s->ky > 0) return FO_OK;
    return fo_fail(
        l->p->why, FO_ERROR_ARGUMENT,
        "part '%s': its cells are %.3g m by %.3g m, which is too oblong; the longer side "
        "must be shorter than 1.7 times the other",
        l->p->def->name, dx, dy);
}

static fo_status add_sheet(lattice *l, const sheet *s)
{
    fo_status status = FO_OK;
    uint32_t nx = l->cells[0], ny = l->cells[1];
    for (uint32_t j = 0; j <= ny; j++)
        for (uint32_t i = 0; i <= nx && status == FO_OK; i++) {
            if (i < nx)
                status = foi_part_spring(l->p, at(l, i, j, 0), at(l, i + 1, j, 0),
                                         s->kx / 2 * share(j, ny));
            if (j < ny && status == FO_OK)
                status = foi_part_spring(l->p, at(l, i, j, 0), at(l, i, j + 1, 0),
                                         s->ky / 2 * share(i, nx));
            if (i == nx || j == ny) continue;
            if (status == FO_OK)
                status = foi_part_spring(l->p, at(l, i, j, 0), at(l, i + 1, j + 1, 0), s->kd);
            if (status == FO_OK)
                status = foi_part_spring(l->p, at(l, i + 1, j, 0), at(l, i, j + 1, 0), s->kd);
        }
    return status;
}

static fo_status add_areas(lattice *l, double kappa)
{
    fo_status status = FO_OK;
    for (uint32_t j = 0; j < l->cells[1] && kappa != 0; j++)
        for (uint32_t i = 0; i < l->cells[0] && status == FO_OK; i++) {
            uint32_t a = at(l, i, j, 0), b = at(l, i + 1, j, 0), c = at(l, i + 1, j + 1, 0),
                     d = at(l, i, j + 1, 0), edges[] = {a, b, b, c, c, d, d, a};
            fo_volume_def area = {edges, 4, FO_VOLUME_BULK, kappa};
            status = fo_structure_add_volume(l->p->s, &area, l->p->why);
        }
    return status;
}

// Plane stress: C11 = E t / (1 - nu^2), C12 = nu C11, C66 = E t / (2 (1 + nu)).
fo_status foi_part_girder(foi_part *p)
{
    const fo_material *m = &p->def->material;
    double t = p->def->thickness, c11 = m->young * t / (1 - m->poisson * m->poisson);
    double area = (p->def->to[0] - p->def->from[0]) * (p->def->to[1] - p->def->from[1]) /
                  ((double)p->def->cells[0] * p->def->cells[1]);
    lattice l;
    sheet s;
    fo_status status = place(&l, p, 2, m->density * t * fabs(area) / 4);
    if (status == FO_OK)
        status =
            sheet_springs(&l, c11, m->poisson * c11, m->young * t / (2 * (1 + m->poisson)), &s);
    if (status == FO_OK) status = add_sheet(&l, &s);
    if (status == FO_OK && fabs(s.kappa) > 1e-12 * c11) status = add_areas(&l, s.kappa);
    foi_free(p->s->def.allocator, l.node);
    return status;
}

// ---------------------------------------------------------------------------------------- plates

// 1/2 weight |sum of (neighbour - 2 node + neighbour) / d^2 along the given axes|^2 at a node.
static fo_status add_curvature(lattice *l, uint32_t i, uint32_t j, bool x, bool y, double weight)
{
    uint32_t nodes[5] = {at(l, i, j, 0)}, count = 1;
    double c[5] = {0}, dx2 = l->d[0] * l->d[0], dy2 = l->d[1] * l->d[1];
    if (!(weight > 0)) return FO_OK;
    if (x) {
        nodes[count] = at(l, i - 1, j, 0), c[count++] = 1 / dx2;
        nodes[count] = at(l, i + 1, j, 0), c[count++] = 1 / dx2;
        c[0] -= 2 / dx2;
    }
    if (y) {
        nodes[count] = at(l, i, j - 1, 0), c[count++] = 1 / dy2;
        nodes[count] = at(l, i, j + 1, 0), c[count++] = 1 / dy2;
        c[0] -= 2 / dy2;
    }
    return fo_structure_add_bend(l->p->s, &(fo_bend_def){nodes, c, count, weight}, l->p->why);
}

// Kirchhoff's plate: 1/2 D (nu (w_xx + w_yy)^2 + (1 - nu) (w_xx^2 + w_yy^2 + 2 w_xy^2)) per area,
// a sum of squares of differences.
static fo_status add_bending(lattice *l, double stiffness, double nu)
{
    uint32_t nx = l->cells[0], ny = l->cells[1];
    double area = l->d[0] * l->d[1];
    fo_status status = FO_OK;
    for (uint32_t j = 0; j <= ny; j++)
        for (uint32_t i = 0; i <= nx && status == FO_OK; i++) {
            bool x = i > 0 && i<nx, y = j> 0 && j < ny;
            double one = stiffness * (1 - nu) * area;
            if (x) status = add_curvature(l, i, j, true, false, one * share(j, ny) / 2);
            if (y && status == FO_OK)
                status = add_curvature(l, i, j, false, true, one * share(i, nx) / 2);
            if (x && y && status == FO_OK)
                status = add_curvature(l, i, j, true, true, stiffness * nu * area);
            if (i == nx || j == ny || status != FO_OK) continue;
            fo_bend_def twist = {(uint32_t[]){at(l, i, j, 0), at(l, i + 1, j, 0),
                                              at(l, i, j + 1, 0), at(l, i + 1, j + 1, 0)},
                                 (double[]){1 / area, -1 / area, -1 / area, 1 / area}, 4, 2 * one};
            status = fo_structure_add_bend(l->p->s, &twist, l->p->why);
        }
    return status;
}

// A cell's area in space: it is cut along both diagonals, so that no corner is better than another,
// and A is counted twice.
static fo_status add_patches(lattice *l, double kappa)
{
    fo_status status = FO_OK;
    for (uint32_t j = 0; j < l->cells[1]; j++)
        for (uint32_t i = 0; i < l->cells[0] && status == FO_OK; i++) {
            uint32_t a = at(l, i, j, 0), b = at(l, i + 1, j, 0), c = at(l, i + 1, j + 1, 0),
                     d = at(l, i, j + 1, 0);
            uint32_t triangles[] = {a, b, c, a, c, d, a, b, d, b, c, d};
            fo_skin_def patch = {.facets = triangles, .count = 4, .modulus = kappa / 2};
            status = fo_structure_add_skin(l->p->s, &patch, l->p->why);
        }
    return status;
}

// Plane stress in its plane, as a girder, and bending across it.
fo_status foi_part_plate(foi_part *p)
{
    const fo_material *m = &p->def->material;
    double t = p->def->thickness, e = m->young, nu = m->poisson, c11 = e * t / (1 - nu * nu);
    double area = (p->def->to[0] - p->def->from[0]) * (p->def->to[1] - p->def->from[1]) /
                  ((double)p->def->cells[0] * p->def->cells[1]);
    lattice l;
    sheet s;
    fo_status status = place(&l, p, 2, m->density * t * fabs(area) / 4);
    if (status == FO_OK) status = sheet_springs(&l, c11, nu * c11, e * t / (2 * (1 + nu)), &s);
    if (status == FO_OK) status = add_sheet(&l, &s);
    if (status == FO_OK && fabs(s.kappa) > 1e-12 * c11) status = add_patches(&l, s.kappa);
    if (status == FO_OK) status = add_bending(&l, e * t * t * t / (12 * (1 - nu * nu)), nu);
    foi_free(p->s->def.allocator, l.node);
    return status;
}

// ---------------------------------------------------------------------------------------- blocks

// Cubes of edge a with springs mu a along edges and face diagonals have C44 = C12 = mu and
// C11 = 3 mu; an energy of the volume adds lambda - mu to C11 and C12.
static fo_status add_cube_springs(lattice *l, uint32_t i, uint32_t j, uint32_t k, double stiffness)
{
    static const uint8_t ends[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t c[3] = {i, j, k};
    const uint32_t *n = l->cells;
    fo_status status = FO_OK;
    for (int a = 0; a < 3 && status == FO_OK; a++) { // along the axis a
        int b = (a + 1) % 3, d = (a + 2) % 3;
        if (c[a] < n[a])
            status = foi_part_spring(l->p, at(l, i, j, k),
                                     at(l, i + ends[a][0], j + ends[a][1], k + ends[a][2]),
                                     stiffness / 4 * share(c[b], n[b]) * share(c[d], n[d]));
        if (c[b] == n[b] || c[d] == n[d] || status != FO_OK) continue;
        double face = stiffness / 2 * share(c[a], n[a]); // diagonals of the face across a
        uint32_t ib = i + ends[b][0], jb = j + ends[b][1], kb = k + ends[b][2];
        uint32_t id = i + ends[d][0], jd = j + ends[d][1], kd = k + ends[d][2];
        status = foi_part_spring(l->p, at(l, i, j, k), at(l, ib + id - i, jb + jd - j, kb + kd - k),
                                 face);
        if (status == FO_OK)
            status = foi_part_spring(l->p, at(l, ib, jb, kb), at(l, id, jd, kd), face);
    }
    return status;
}

static fo_status add_cube_volume(lattice *l, uint32_t i, uint32_t j, uint32_t k, double kappa)
{
    // corners are numbered by the bits of x, y, z; every face is turned outwards and cut along both
    // of its diagonals, so that no corner is better than another: V is counted twice
    static const uint8_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    static const uint8_t cuts[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
    uint32_t facets[72], count = 0;
    for (int f = 0; f < 6; f++)
        for (int t = 0; t < 12; t++) {
            uint32_t corner = faces[f][cuts[t / 3][t % 3]];
            facets[count++] = at(l, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
        }
    fo_volume_def volume = {facets, 24, FO_VOLUME_BULK, kappa / 2};
    return fo_structure_add_volume(l->p->s, &volume, l->p->why);
}

fo_status foi_part_block(foi_part *p)
{
    const fo_material *m = &p->def->material;
    double mu = m->young / (2 * (1 + m->poisson));
    double lambda = m->young * m->poisson / ((1 + m->poisson) * (1 - 2 * m->poisson));
    double kappa = lambda - mu, volume = 1;
    for (int k = 0; k < 3; k++) volume *= (p->def->to[k] - p->def->from[k]) / p->def->cells[k];
    lattice l;
    fo_status status = place(&l, p, 3, m->density * fabs(volume) / 8);
    double a = l.d[0];
    if (status == FO_OK && (fabs(l.d[1] - a) > 1e-9 * a || fabs(l.d[2] - a) > 1e-9 * a))
        status = fo_fail(p->why, FO_ERROR_ARGUMENT,
                         "part '%s': its cells must be cubes, are %g by %g by %g m", p->def->name,
                         a, l.d[1], l.d[2]);
    for (uint32_t k = 0; status == FO_OK && k <= l.cells[2]; k++)
        for (uint32_t j = 0; j <= l.cells[1]; j++)
            for (uint32_t i = 0; i <= l.cells[0] && status == FO_OK; i++) {
                status = add_cube_springs(&l, i, j, k, mu * a);
                bool cell = i < l.cells[0] && j < l.cells[1] && k < l.cells[2];
                if (status == FO_OK && cell && fabs(kappa) > 1e-12 * mu)
                    status = add_cube_volume(&l, i, j, k, kappa);
            }
    foi_free(p->s->def.allocator, l.node);
    return status;
}
