/// Premade parts: from material numbers to masses and stiffnesses.
#include "structure/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

// ---------------------------------------------------------------------------------------- common

static double distance2(const fo_structure *s, uint32_t node, const double at[3])
{
    double sum = 0;
    for (int k = 0; k < s->dim; k++) {
        double r = s->begin[node * (uint32_t)s->dim + (uint32_t)k] - at[k];
        sum += r * r;
    }
    return sum;
}

fo_status foi_part_node(foi_part *p, const double at[3], double mass, const char *label,
                        unsigned fixed, uint32_t *index)
{
    fo_structure *s = p->s;
    char name[128];
    p->placed++;
    for (uint32_t i = 0; p->def->join && i < p->before; i++) {
        if (distance2(s, i, at) > p->near2) continue;
        s->mass[i] += mass;
        *index = i;
        return FO_OK;
    }
    if (label)
        snprintf(name, sizeof name, "%s.%s", p->def->name, label);
    else
        snprintf(name, sizeof name, "%s.%u", p->def->name, p->placed);
    fo_structure_node node = {.name = name, .mass = mass, .fixed = fixed};
    memcpy(node.position, at, sizeof node.position);
    return fo_structure_add_node(s, &node, index, p->why);
}

fo_status foi_part_spring(foi_part *p, uint32_t a, uint32_t b, double k)
{
    fo_spring_def spring = {.a = a,
                            .b = b,
                            .energy = FO_SPRING_LENGTHS,
                            .k = k,
                            .breaks = p->def->breaks,
                            .yields = p->def->yields};
    return fo_structure_add_spring(p->s, &spring, NULL, p->why);
}

// ------------------------------------------------------------------------- bar, chain and rope

// Second differences stand for the curvature: 1/2 (EI / l^3) |x_(i-1) - 2 x_i + x_(i+1)|^2 is
// 1/2 EI kappa^2 l. At a wall the last difference is with a node behind it and counts 2 EI / l^3,
// for the half segment that is left there.
static fo_status bend_line(foi_part *p, uint32_t a, uint32_t b, uint32_t c, double k)
{
    fo_bend_def bend = {(uint32_t[]){a, b, c}, (double[]){1, -2, 1}, 3, k};
    return fo_structure_add_bend(p->s, &bend, p->why);
}

static fo_status clamp(foi_part *p, uint32_t end, uint32_t second, const double at[3], double k,
                       const char *label)
{
    uint32_t wall;
    fo_status status = fo_structure_fix(p->s, end, FO_FIXED, p->why);
    if (status == FO_OK) status = foi_part_node(p, at, 0, label, FO_FIXED, &wall);
    return status == FO_OK ? bend_line(p, wall, end, second, 2 * k) : status;
}

static fo_status add_line(foi_part *p, double stretch, double bending)
{
    const fo_part_def *def = p->def;
    uint32_t cells = def->cells[0], last[3] = {0}, head[2] = {0};
    double step[3], l2 = 0, at[3], behind[3];
    for (int k = 0; k < 3; k++)
        step[k] = (def->to[k] - def->from[k]) / cells, l2 += step[k] * step[k];
    double l = sqrt(l2), mass = def->material.density * def->area * l, k = bending / (l2 * l);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i <= cells && status == FO_OK; i++) {
        for (int a = 0; a < 3; a++) at[a] = def->from[a] + i * step[a];
        last[0] = last[1], last[1] = last[2];
        status = foi_part_node(p, at, i == 0 || i == cells ? mass / 2 : mass, NULL, 0, &last[2]);
        if (i < 2) head[i] = last[2];
        if (status == FO_OK && i > 0) status = foi_part_spring(p, last[1], last[2], stretch / l);
        if (status == FO_OK && i > 1 && bending > 0)
            status = bend_line(p, last[0], last[1], last[2], k);
    }
    for (int a = 0; a < 3; a++) behind[a] = def->from[a] - step[a];
    if (status == FO_OK && def->clamp_from) status = clamp(p, head[0], head[1], behind, k, "from");
    for (int a = 0; a < 3; a++) behind[a] = def->to[a] + step[a];
    if (status == FO_OK && def->clamp_to) status = clamp(p, last[2], last[1], behind, k, "to");
    return status;
}

static fo_status add_bar(foi_part *p)
{
    double e = p->def->material.young;
    return add_line(p, e * p->def->area, e * p->def->inertia);
}

static fo_status add_chain(foi_part *p)
{
    return add_line(p, p->def->material.young * p->def->area, 0);
}

// A round section has I = A^2 / (4 pi).
static fo_status add_rope(foi_part *p)
{
    double e = p->def->material.young, a = p->def->area;
    return add_line(p, e * a, e * a * a / (4 * 3.14159265358979323846));
}

// ---------------------------------------------------------------------------------------- checks

static fo_status positive(foi_part *p, const char *what, double value)
{
    if (isfinite(value) && value > 0) return FO_OK;
    return fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s': %s must be positive, is %g", p->def->name,
                   what, value);
}

static fo_status check_material(foi_part *p)
{
    const fo_material *m = &p->def->material;
    fo_status status = positive(p, "the density", m->density);
    if (status == FO_OK && p->def->kind != FO_PART_BALLOON)
        status = positive(p, "Young's modulus", m->young);
    if (status == FO_OK && !(m->poisson > -1 && m->poisson < 0.5))
        status = fo_fail(p->why, FO_ERROR_ARGUMENT,
                         "part '%s': Poisson's ratio must lie between -1 and 0.5, is %g",
                         p->def->name, m->poisson);
    return status;
}

static fo_status check_cells(foi_part *p, int count)
{
    double all = 1;
    for (int k = 0; k < count; k++) {
        all *= p->def->cells[k] + 1.0;
        if (!p->def->cells[k])
            return fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s' needs cells along %c",
                           p->def->name, "xyz"[k]);
    }
    if (all > 1e8)
        return fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s' would have %.3g nodes", p->def->name,
                       all);
    return FO_OK;
}

// Which numbers a kind needs.
static fo_status check(foi_part *p, const foi_part_maker *maker)
{
    const fo_part_def *def = p->def;
    fo_status status = check_material(p);
    if (status == FO_OK && !(maker->dimensions >> p->s->dim & 1))
        status =
            fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s': a %s does not exist in %d dimensions",
                    def->name, maker->name, p->s->dim);
    if (status == FO_OK) status = check_cells(p, maker->axes);
    if (status == FO_OK && maker->area) status = positive(p, "the area", def->area);
    if (status == FO_OK && def->kind == FO_PART_BAR)
        status = positive(p, "the moment of inertia", def->inertia);
    if (status == FO_OK && maker->thickness) status = positive(p, "the thickness", def->thickness);
    for (int k = 0; k < 3 && status == FO_OK; k++)
        if (!isfinite(def->from[k]) || !isfinite(def->to[k]))
            status =
                fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s': the ends must be finite", def->name);
    double l2 = 0;
    for (int k = 0; k < 3; k++) l2 += foi_pow(def->to[k] - def->from[k], 2);
    if (status == FO_OK && def->kind != FO_PART_BALLOON && !(l2 > 0))
        status = fo_fail(p->why, FO_ERROR_ARGUMENT, "part '%s' has no extent", def->name);
    p->near2 = 1e-18 * l2;
    return status;
}

static const foi_part_maker makers[] = {
    [FO_PART_BAR] = {"bar", add_bar, 1 << 1 | 1 << 2 | 1 << 3, 1, true, false},
    [FO_PART_GIRDER] = {"girder", foi_part_girder, 1 << 2, 2, false, true},
    [FO_PART_PLATE] = {"plate", foi_part_plate, 1 << 3, 2, false, true},
    [FO_PART_BLOCK] = {"block", foi_part_block, 1 << 3, 3, false, false},
    [FO_PART_CHAIN] = {"chain", add_chain, 1 << 1 | 1 << 2 | 1 << 3, 1, true, false},
    [FO_PART_ROPE] = {"rope", add_rope, 1 << 1 | 1 << 2 | 1 << 3, 1, true, false},
    [FO_PART_BALLOON] = {"balloon", foi_part_balloon, 1 << 2 | 1 << 3, 1, false, true},
};

const char *foi_part_name(size_t kind)
{
    return kind < sizeof makers / sizeof makers[0] ? makers[kind].name : NULL;
}

fo_status fo_structure_add_part(fo_structure *s, const fo_part_def *def, uint32_t *first,
                                fo_message *why)
{
    if ((size_t)def->kind >= sizeof makers / sizeof makers[0])
        return fo_fail(why, FO_ERROR_ARGUMENT, "there is no kind %d of parts", (int)def->kind);
    if (!def->name || !*def->name) return fo_fail(why, FO_ERROR_ARGUMENT, "a part needs a name");
    foi_part p = {s, def, s->nodes, 0, 0, why};
    if (first) *first = s->nodes;
    fo_status status = check(&p, &makers[def->kind]);
    return status == FO_OK ? makers[def->kind].add(&p) : status;
}
