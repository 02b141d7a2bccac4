// A box of a field as a field of its own. The cut sides are fixed ones, whose nodes are the halo.
// What decides the bits of a node (spacing, coefficients, damping of absorbing sides) is copied
// from the whole field, not computed again from lengths and speeds.
#include "field/cut.h"

#include <string.h>

#include "field/object.h"

// --------------------------------------------------------------------------------------- geometry

static uint32_t halo_before(const foi_cut_box *cut, int axis)
{
    return cut->sides[2 * axis];
}

static uint32_t local_size(const foi_cut_box *cut, int axis)
{
    return cut->n[axis] + cut->sides[2 * axis] + cut->sides[2 * axis + 1];
}

void foi_cut_window(const fo_field *whole, const foi_cut_box *cut, const double *from, double *to)
{
    uint32_t at[3];
    for (uint32_t k = 0; k < local_size(cut, 2); k++)
        for (uint32_t j = 0; j < local_size(cut, 1); j++)
            for (uint32_t i = 0; i < local_size(cut, 0); i++) {
                const uint32_t place[3] = {i, j, k};
                for (int axis = 0; axis < 3; axis++) {
                    uint32_t n = whole->n[axis];
                    at[axis] = (cut->first[axis] + n + place[axis] - halo_before(cut, axis)) % n;
                }
                *to++ = from[fo_field_index(whole, at[0], at[1], at[2])];
            }
}

uint32_t foi_cut_face(const foi_cut_box *cut, int side)
{
    return cut->n[0] * cut->n[1] * cut->n[2] / cut->n[side / 2];
}

uint32_t foi_cut_place(const fo_field *field, const foi_cut_box *cut, int side, bool halo,
                       uint32_t n)
{
    uint32_t place[3];
    for (int axis = 0; axis < 3; axis++) {
        uint32_t before = halo_before(cut, axis);
        if (axis == side / 2) {
            place[axis] = side % 2 ? before + cut->n[axis] - 1 + halo : before - halo;
        } else {
            place[axis] = before + n % cut->n[axis];
            n /= cut->n[axis];
        }
    }
    return fo_field_index(field, place[0], place[1], place[2]);
}

bool foi_cut_find(const fo_field *whole, const fo_field *field, const foi_cut_box *cut,
                  uint32_t node, uint32_t *place)
{
    uint32_t at[3], rest = node;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t i = rest % whole->n[axis];
        rest /= whole->n[axis];
        if (i < cut->first[axis] || i >= cut->first[axis] + cut->n[axis]) return false;
        at[axis] = i - cut->first[axis] + halo_before(cut, axis);
    }
    *place = fo_field_index(field, at[0], at[1], at[2]);
    return true;
}

// ----------------------------------------------------------------------------------------- making

static void place_of_node(const fo_field *f, uint32_t node, uint32_t place[3])
{
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = node % f->n[axis];
        node /= f->n[axis];
    }
}

static bool is_held(const fo_field *f, uint32_t signal)
{
    for (uint32_t i = 0; i < f->held_count; i++)
        if (f->held[i].signal == signal) return true;
    return false;
}

/// The points on own nodes.
static uint32_t cut_points(const fo_field *whole, const foi_cut_box *cut, fo_field_point *points)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < whole->def.point_count; i++) {
        uint32_t place[3];
        bool own = true;
        place_of_node(whole, whole->point_node[i], place);
        for (int axis = 0; axis < 3; axis++) {
            uint32_t at = place[axis] - cut->first[axis];
            own &= place[axis] >= cut->first[axis] && at < cut->n[axis];
            place[axis] = at + halo_before(cut, axis);
        }
        if (!own) continue;
        fo_field_point *p = &points[count++];
        *p = (fo_field_point){.hold = is_held(whole, 6 + i), .signal = whole->signals[6 + i]};
        memcpy(p->node, place, sizeof p->node);
    }
    return count;
}

/// FO_OK with *object NULL where it lies elsewhere.
static fo_status cut_object(const fo_field *whole, const foi_cut_box *cut, fo_field_object *room,
                            const fo_field_object **object, fo_message *why)
{
    const foi_object *o = whole->object;
    bool inside = true, outside = false;
    *object = NULL;
    if (!o) return FO_OK;
    *room = o->def;
    for (uint32_t axis = 0; axis < whole->def.dimensions; axis++) {
        uint32_t from = o->def.first[axis], to = from + o->def.count[axis];
        uint32_t low = cut->first[axis], high = low + cut->n[axis];
        inside &= from >= low && to <= high;
        outside |= to <= low || from >= high;
        room->first[axis] = from - low + halo_before(cut, (int)axis);
    }
    if (outside) return FO_OK;
    if (!inside)
        return fo_fail(why, FO_ERROR_UNFIT, "%s: a cut goes through the object's nodes",
                       whole->name);
    room->shape = o->shape;
    room->force = whole->signals[o->signal];
    *object = room;
    return FO_OK;
}

static fo_status cut_coefficient(const fo_field *whole, const foi_cut_box *cut, fo_field *f,
                                 const foi_coefficient *from, foi_coefficient *to)
{
    foi_free(f->allocator, to->each);
    *to = *from;
    to->each = NULL;
    if (!from->each) return FO_OK;
    to->each = foi_new(f->allocator, f->nodes, sizeof *to->each);
    if (!to->each) return FO_ERROR_MEMORY;
    foi_cut_window(whole, cut, from->each, to->each);
    return FO_OK;
}

/// What the definition cannot say to the bit.
static fo_status copy_numbers(const fo_field *whole, const foi_cut_box *cut, fo_field *f)
{
    memcpy(f->dx, whole->dx, sizeof f->dx);
    memcpy(f->k, whole->k, sizeof f->k);
    for (int side = 0; side < 6; side++) f->edge[side] = cut->sides[side] ? 0 : whole->edge[side];
    f->limit = whole->limit;
    foi_cut_window(whole, cut, whole->start, f->start);
    foi_cut_window(whole, cut, whole->start_velocity, f->start_velocity);
    fo_status status = cut_coefficient(whole, cut, f, &whole->c2, &f->c2);
    if (!status) status = cut_coefficient(whole, cut, f, &whole->b1, &f->b1);
    if (!status) status = cut_coefficient(whole, cut, f, &whole->b2, &f->b2);
    if (!status) status = cut_coefficient(whole, cut, f, &whole->d, &f->d);
    return status;
}

static void cut_def(const fo_field *whole, const foi_cut_box *cut, fo_field_def *def)
{
    *def = whole->def;
    def->name = whole->name;
    def->about = whole->about_text;
    def->c_at = def->b1_at = def->b2_at = def->diffusivity_at = NULL;
    def->start = def->start_velocity = NULL;
    def->probes = NULL;
    def->probe_count = 0;
    def->energy = false;
    for (uint32_t axis = 0; axis < whole->def.dimensions; axis++) {
        bool wraps = whole->box.reach[2 * axis] == FOI_WRAP && !cut->sides[2 * axis];
        def->size[axis] = local_size(cut, (int)axis);
        def->length[axis] = whole->dx[axis] * (def->size[axis] - !wraps);
    }
    for (int side = 0; side < 6; side++) {
        def->sides[side].signal = whole->signals[side];
        if (cut->sides[side]) def->sides[side] = (fo_side){.kind = FO_SIDE_FIXED};
    }
}

fo_field *foi_field_cut(const fo_field *whole, const foi_cut_box *cut,
                        const fo_allocator *allocator, fo_message *why)
{
    fo_field_def def;
    fo_field_object room;
    fo_field *f = NULL;
    if (whole->def.equation == FO_FIELD_STENCIL) {
        fo_fail(why, FO_ERROR_UNFIT, "%s: a field with a stencil of its own cannot be cut",
                whole->name);
        return NULL;
    }
    fo_field_point *points = foi_new(allocator, whole->def.point_count, sizeof *points);
    cut_def(whole, cut, &def);
    def.allocator = allocator;
    def.points = points;
    fo_status status = points ? cut_object(whole, cut, &room, &def.object, why) : FO_ERROR_MEMORY;
    if (!status) {
        def.point_count = cut_points(whole, cut, points);
        f = fo_field_create(&def, why);
        if (f) status = copy_numbers(whole, cut, f);
    }
    foi_free(allocator, points);
    if (status == FO_ERROR_MEMORY) fo_fail(why, status, "no memory for a part of the field");
    if (!status) return f;
    fo_field_destroy(f);
    return NULL;
}
