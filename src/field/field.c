/// Fields from definitions.
#include <math.h>
#include <string.h>

#include "field/describe.h"
#include "field/field.h"
#include "field/implicit.h"
#include "field/object.h"
#include "math/math.h"

fo_tdma_def fo_default_tdma_def(void)
{
    return (fo_tdma_def){.period = 4.2e-3, .steps = 1, .capacity = 1e9, .patience = 2};
}

fo_field_def fo_default_field_def(void)
{
    return (fo_field_def){.dimensions = 1, .size = {101, 1, 1}, .length = {1, 1, 1}, .c = 1};
}

// --------------------------------------------------------------------------------------- checking

static fo_status wrong(fo_message *why, const fo_field *f, const char *text)
{
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s: %s", f->name, text);
}

static fo_status check_grid(fo_field *f, fo_message *why)
{
    fo_field_def *def = &f->def;
    if (def->dimensions < 1 || def->dimensions > 3)
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: a field has 1, 2 or 3 dimensions, not %u",
                       f->name, def->dimensions);
    double nodes = 1;
    for (uint32_t axis = 0; axis < 3; axis++) {
        f->n[axis] = axis < def->dimensions ? def->size[axis] : 1;
        nodes *= f->n[axis];
        if (axis >= def->dimensions) continue;
        if (f->n[axis] < 3)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: an axis needs at least 3 nodes, axis %c has %u", f->name,
                           "xyz"[axis], f -> n[axis]);
        if (!(def->length[axis] > 0 && isfinite(def->length[axis])))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: the length of axis %c must be positive, is %g", f->name,
                           "xyz"[axis], def -> length[axis]);
        if ((def->sides[2 * axis].kind == FO_SIDE_PERIODIC) !=
            (def->sides[2 * axis + 1].kind == FO_SIDE_PERIODIC))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: both sides of axis %c are periodic, or none of them", f->name,
                           "xyz"[axis]);
    }
    if (nodes > 1e9) return wrong(why, f, "a field has at most a thousand million nodes");
    f->nodes = (uint32_t)nodes;
    return FO_OK;
}

static fo_status check_equation(const fo_field *f, fo_message *why)
{
    const fo_field_def *def = &f->def;
    bool wave = def->equation == FO_FIELD_WAVE, advects = false;
    for (int i = 0; i < 3; i++) advects |= def->velocity[i] != 0;
    for (uint32_t side = 0; side < 2 * def->dimensions; side++)
        if (def->sides[side].kind == FO_SIDE_ABSORBING && !wave)
            return wrong(why, f, "absorbing sides are for waves");
    if (def->equation == FO_FIELD_STENCIL && !def->stencil)
        return wrong(why, f, "the equation 'stencil' needs a function");
    if (def->method == FO_FIELD_LEAPFROG && f->order == 1)
        return wrong(why, f, "leapfrog is for fields of second order; take rk4 or implicit-euler");
    if (def->object && !wave) return wrong(why, f, "an object needs a wave");
    bool implicit = def->method == FO_FIELD_IMPLICIT_EULER || def->method == FO_FIELD_SLIDING;
    if (implicit && def->equation == FO_FIELD_STENCIL)
        return wrong(why, f,
                     "the implicit methods of fields need a wave or transport; take the solver "
                     "implicit-euler for a stencil");
    if (implicit && def->object)
        return wrong(why, f, "an object is carried by leapfrog, euler, rk4 or another solver");
    if (implicit && (def->linear == FO_FIELD_CG || def->linear == FO_FIELD_MULTIGRID) && !wave &&
        advects)
        return wrong(why, f, "cg and multigrid are for equations without advection; take direct");
    if (def->method == FO_FIELD_SLIDING && !wave &&
        (def->reaction[2] != 0 || def->reaction[3] != 0))
        return wrong(why, f, "sliding takes linear equations only");
    return FO_OK;
}

// The document prints b2 with the sign that feeds energy in: that one is taken too, and the model
// says what it means. cg and multigrid need matrices that are positive definite.
static fo_status check_inner(const fo_field *f, fo_message *why)
{
    const foi_coefficient *c = &f->b2;
    if (!isfinite(c->least) || !isfinite(c->most))
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the damping b2 must be finite", f->name);
    bool iterates = f->def.linear == FO_FIELD_CG || f->def.linear == FO_FIELD_MULTIGRID;
    bool implicit = f->def.method == FO_FIELD_IMPLICIT_EULER || f->def.method == FO_FIELD_SLIDING;
    if (c->least < 0 && implicit && iterates)
        return wrong(why, f, "cg and multigrid need a b2 that is not negative; take direct");
    return FO_OK;
}

static fo_status check_coefficient(const fo_field *f, const char *name, const foi_coefficient *c,
                                   fo_message *why)
{
    if (c->least >= 0 && isfinite(c->most)) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s: %s must be finite and not negative, is %g", f->name,
                   name, c->least >= 0 ? c->most : c->least);
}

// ----------------------------------------------------------------------------------------- making

static double *copied(const fo_field *f, const double *list, size_t count)
{
    double *copy = foi_new(f->allocator, count, sizeof *copy);
    if (copy && list) memcpy(copy, list, count * sizeof *copy);
    return copy;
}

/// `square`: the coefficient is the square of what is given.
static fo_status take_coefficient(fo_field *f, foi_coefficient *c, double value, const double *each,
                                  bool square)
{
    double sign = value < 0 ? -1 : 1;
    *c = (foi_coefficient){.value = square ? sign * value * value : value};
    c->least = c->most = c->value;
    if (!each) return FO_OK;
    c->each = copied(f, each, f->nodes);
    if (!c->each) return FO_ERROR_MEMORY;
    c->least = INFINITY, c->most = -INFINITY;
    for (uint32_t i = 0; i < f->nodes; i++) {
        double v = c->each[i];
        c->each[i] = square ? (v < 0 ? -1 : 1) * v * v : v;
        c->least = foi_fmin(c->least, c->each[i]);
        c->most = isnan(v) ? NAN : foi_fmax(c->most, c->each[i]);
        if (isnan(c->most)) break;
    }
    c->value = c->most;
    return FO_OK;
}

static fo_status take_coefficients(fo_field *f, const fo_field_def *def, fo_message *why)
{
    fo_status status = take_coefficient(f, &f->c2, def->c, def->c_at, true);
    if (!status) status = take_coefficient(f, &f->b1, def->b1, def->b1_at, false);
    if (!status) status = take_coefficient(f, &f->b2, def->b2, def->b2_at, false);
    if (!status) status = take_coefficient(f, &f->d, def->diffusivity, def->diffusivity_at, false);
    if (status) return status;
    if (f->def.equation == FO_FIELD_WAVE) {
        status = check_coefficient(f, "the speed c", &f->c2, why);
        if (!status) status = check_coefficient(f, "the damping b1", &f->b1, why);
        if (!status) status = check_inner(f, why);
    }
    if (f->def.equation == FO_FIELD_TRANSPORT)
        status = check_coefficient(f, "the diffusivity", &f->d, why);
    return status;
}

static void lay_out(fo_field *f)
{
    static const foi_reach reaches[] = {
        [FO_SIDE_FIXED] = FOI_HELD,    [FO_SIDE_FREE] = FOI_MIRROR,
        [FO_SIDE_PERIODIC] = FOI_WRAP, [FO_SIDE_ABSORBING] = FOI_MIRROR,
        [FO_SIDE_DRIVEN] = FOI_HELD,
    };
    foi_box *b = &f->box;
    for (int axis = 0; axis < 3; axis++) {
        bool used = axis < (int)f->def.dimensions;
        bool periodic = f->def.sides[2 * axis].kind == FO_SIDE_PERIODIC;
        f->dx[axis] = used ? f->def.length[axis] / (f->n[axis] - !periodic) : 0;
        f->k[axis] = used ? 1 / (f->dx[axis] * f->dx[axis]) : 0;
        b->n[axis] = f->n[axis];
        b->stride[axis] = axis == 0 ? 1 : b->stride[axis - 1] * f->n[axis - 1];
        for (int side = 2 * axis; side < 2 * axis + 2; side++) {
            b->reach[side] = used ? reaches[f->def.sides[side].kind] : FOI_MIRROR;
            if (used && f->def.sides[side].kind == FO_SIDE_ABSORBING)
                f->edge[side] = 2 * sqrt(f->c2.most) / f->dx[axis];
        }
    }
}

/// Where the speed varies, absorbing sides damp each of their nodes with its own c: a part of b1.
static fo_status fold_edges(fo_field *f)
{
    bool absorbs = false;
    for (int side = 0; side < 6; side++) absorbs |= f->edge[side] > 0;
    if (!f->c2.each || !absorbs) return FO_OK;
    if (!f->b1.each) {
        f->b1.each = foi_new(f->allocator, f->nodes, sizeof(double));
        if (!f->b1.each) return FO_ERROR_MEMORY;
        for (uint32_t i = 0; i < f->nodes; i++) f->b1.each[i] = f->b1.value;
    }
    for (int side = 0; side < 6; side++) {
        double dx = f->dx[side / 2];
        for (uint32_t node = 0; f->edge[side] > 0 && node < f->nodes; node++)
            if (foi_on_side(f, node, side)) f->b1.each[node] += 2 * sqrt(f->c2.each[node]) / dx;
        f->edge[side] = 0;
    }
    for (uint32_t i = 0; i < f->nodes; i++) f->b1.most = foi_fmax(f->b1.most, f->b1.each[i]);
    return FO_OK;
}

bool foi_on_side(const fo_field *f, uint32_t node, int side)
{
    uint32_t axis = (uint32_t)side / 2, place = node;
    for (uint32_t a = 0; a < axis; a++) place /= f->n[a];
    if (axis >= f->def.dimensions) return false;
    place %= f->n[axis];
    return side % 2 ? place + 1 == f->n[axis] : place == 0;
}

/// The n-th node of a side.
static uint32_t side_node(const fo_field *f, int side, uint32_t n)
{
    uint32_t stride = (uint32_t)f->box.stride[side / 2], size = f->n[side / 2];
    uint32_t inner = n % stride, outer = n / stride;
    return inner + stride * (outer * size + (side % 2 ? size - 1 : 0));
}

/// Driven sides come before fixed ones, and held points after both, so that they win.
static void take_sides(fo_field *f)
{
    for (int pass = 0; pass < 2; pass++)
        for (int side = 0; side < 2 * (int)f->def.dimensions; side++) {
            bool driven = f->def.sides[side].kind == FO_SIDE_DRIVEN;
            if (f->box.reach[side] != FOI_HELD || driven != (pass == 0)) continue;
            for (uint32_t n = 0; n < f->nodes / f->n[side / 2]; n++) {
                uint32_t node = side_node(f, side, n);
                if (driven && !f->still[node])
                    f->held[f->held_count++] = (foi_act){node, (uint32_t)side};
                f->still[node] = true;
            }
        }
}

static fo_status take_acts(fo_field *f, const fo_field_def *def)
{
    size_t room = def->point_count;
    for (uint32_t side = 0; side < 2 * f->def.dimensions; side++)
        if (f->def.sides[side].kind == FO_SIDE_DRIVEN) room += f->nodes / f->n[side / 2];
    f->held = foi_new(f->allocator, room, sizeof *f->held);
    f->forces = foi_new(f->allocator, def->point_count, sizeof *f->forces);
    f->still = foi_new(f->allocator, f->nodes, sizeof *f->still);
    f->point_node = foi_new(f->allocator, def->point_count, sizeof *f->point_node);
    if (!f->held || !f->forces || !f->still || !f->point_node) return FO_ERROR_MEMORY;
    take_sides(f);
    for (uint32_t i = 0; i < def->point_count; i++) {
        const fo_field_point *p = &def->points[i];
        uint32_t node = fo_field_index(f, p->node[0], p->node[1], p->node[2]);
        f->point_node[i] = node;
        foi_act act = {node, 6 + i};
        if (p->hold)
            f->held[f->held_count++] = act, f->still[node] = true;
        else
            f->forces[f->force_count++] = act;
    }
    return FO_OK;
}

static fo_status check_points(const fo_field *f, const fo_field_def *def, fo_message *why)
{
    for (uint32_t i = 0; i < def->point_count + def->probe_count; i++) {
        bool point = i < def->point_count;
        uint32_t at = point ? i : i - def->point_count;
        const uint32_t *node = point ? def->points[at].node : def->probes[at].node;
        for (uint32_t axis = 0; axis < 3; axis++)
            if (node[axis] >= f->n[axis])
                return fo_fail(
                    why, FO_ERROR_ARGUMENT, "%s: %s %u is at node %u of axis %c, which has %u",
                    f->name, point ? "point" : "probe", at, node[axis], "xyz"[axis], f -> n[axis]);
        if (!point && def->probes[at].velocity && f->order == 1)
            return wrong(why, f, "a field of first order has no velocities to probe");
    }
    return FO_OK;
}

static fo_status take_start(fo_field *f, const fo_field_def *def)
{
    f->start = copied(f, def->start, f->nodes);
    f->start_velocity = copied(f, def->start_velocity, f->nodes);
    return f->start && f->start_velocity ? FO_OK : FO_ERROR_MEMORY;
}

static void take_whole(fo_field *f)
{
    f->whole = (foi_part){.f = f,
                          .box = &f->box,
                          .nodes = f->nodes,
                          .held = f->held,
                          .forces = f->forces,
                          .held_count = f->held_count,
                          .force_count = f->force_count};
    if (!f->object) return;
    f->whole.under = f->object->under;
    f->whole.under_count = f->object->count;
}

static fo_status build(fo_field *f, const fo_field_def *def, fo_message *why)
{
    fo_status status = FO_ERROR_MEMORY;
    f->name = foi_copy_text(f->allocator, def->name ? def->name : "field");
    f->about_text = foi_copy_text(f->allocator, def->about ? def->about : "a field on a grid");
    if (f->name && f->about_text) status = check_grid(f, why);
    if (!status) status = check_equation(f, why);
    if (!status) status = check_points(f, def, why);
    if (!status) status = take_coefficients(f, def, why);
    if (status) return status;
    lay_out(f);
    status = fold_edges(f);
    if (!status) status = take_start(f, def);
    if (!status) status = foi_take_signals(f, def, why);
    if (!status) status = take_acts(f, def);
    if (!status && def->object) status = foi_object_create(f, def->object, why);
    if (!status) status = foi_describe(f, def);
    if (!status) status = foi_pattern_create(f);
    if (status) return status;
    f->limit = foi_limit(f, f->def.method);
    take_whole(f);
    if (f->def.method >= FO_FIELD_IMPLICIT_EULER) status = foi_implicit_create(&f->whole, why);
    return status;
}

fo_field *fo_field_create(const fo_field_def *def, fo_message *why)
{
    fo_field *f = foi_new(def->allocator, 1, sizeof *f);
    fo_status status = FO_ERROR_MEMORY;
    if (f) {
        f->def = *def;
        f->allocator = def->allocator;
        bool second = def->equation == FO_FIELD_WAVE ||
                      (def->equation == FO_FIELD_STENCIL && def->second_order);
        f->order = second ? 2 : 1;
        status = build(f, def, why);
    }
    if (!status) return f;
    if (status == FO_ERROR_MEMORY) fo_fail(why, status, "no memory for the field");
    fo_field_destroy(f);
    return NULL;
}

void fo_field_destroy(fo_field *f)
{
    if (!f) return;
    const fo_allocator *a = f->allocator;
    foi_implicit_destroy(&f->whole, a);
    foi_object_destroy(f);
    foi_signals_destroy(f);
    void *const blocks[] = {
        f->name,  f->about_text,     f->c2.each,    f->b1.each, f->b2.each, f->d.each,
        f->start, f->start_velocity, f->held,       f->forces,  f->still,   f->point_node,
        f->kinks, f->probe_state,    f->outputs,    f->inputs,  f->events,  f->guards,
        f->names, f->pattern_start,  f->pattern_row};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) foi_free(a, blocks[i]);
    foi_free(a, f);
}

uint32_t fo_field_nodes(const fo_field *f)
{
    return f->nodes;
}

uint32_t fo_field_size(const fo_field *f, uint32_t size[3], double length[3])
{
    uint32_t dimensions = f->def.dimensions;
    for (uint32_t axis = 0; axis < 3; axis++) {
        size[axis] = axis < dimensions ? f->n[axis] : 1;
        length[axis] = axis < dimensions ? f->def.length[axis] : 0;
    }
    return dimensions;
}

uint32_t fo_field_index(const fo_field *f, uint32_t i, uint32_t j, uint32_t k)
{
    return i + f->n[0] * (j + f->n[1] * k);
}
