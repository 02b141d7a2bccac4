/// An object on the surface of a wave: see fo_field_object.
#ifndef FOI_FIELD_OBJECT_H
#define FOI_FIELD_OBJECT_H

#include "field/field.h"

/// Its states lie after the field's: y, v, and (sliding) the forces z. Its discretes say which
/// nodes touch.
struct foi_object {
    fo_field_object def;
    uint32_t count; ///< nodes under it
    uint32_t *node;
    foi_touch *under; ///< the same as a part has it that is the whole
    double *shape;
    uint32_t signal; ///< of the force on it
};

/// Checks and copies the definition. FO_OK, FO_ERROR_MEMORY or FO_ERROR_ARGUMENT.
fo_status foi_object_create(fo_field *f, const fo_field_object *def, fo_message *why);
void foi_object_destroy(fo_field *f);

uint32_t foi_object_states(const foi_object *o);
uint32_t foi_object_guards(const foi_object *o);
fo_status foi_object_start(const foi_part *p, fo_state *s);
/// Adds the forces to the rates of the nodes and fills the object's own.
fo_status foi_object_rates(const foi_part *p, const fo_state *s, double t, const double *x,
                           double *dx);
/// For each node: the gap where it is open, the force where it is closed. `psi` are the nodes'
/// accelerations at (t, x), without the object; NULL for sliding contacts.
fo_status foi_object_guards_at(const foi_part *p, const fo_state *s, double t, const double *x,
                               const double *psi, double *g);
fo_status foi_object_jump(const foi_part *p, fo_state *s, uint32_t index);
/// y, v, the sum of the forces, the number of nodes that touch.
fo_status foi_object_observe(const foi_part *p, const fo_state *s, double t, const double *x,
                             const double *psi, double *y);

#endif
