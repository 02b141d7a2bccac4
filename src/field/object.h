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
    double *shape;
    uint32_t signal; ///< of the force on it
};

/// Checks and copies the definition. FO_OK, FO_ERROR_MEMORY or FO_ERROR_ARGUMENT.
fo_status foi_object_create(fo_field *f, const fo_field_object *def, fo_message *why);
void foi_object_destroy(fo_field *f);

uint32_t foi_object_states(const foi_object *o);
uint32_t foi_object_guards(const foi_object *o);
fo_status foi_object_start(const fo_field *f, fo_state *s);
/// Adds the forces to the rates of the field and fills the object's own.
void foi_object_rates(const fo_field *f, const fo_state *s, double t, const double *x, double *dx);
/// For each node: the gap where it is open, the force where it is closed. `psi` is scratch space
/// with the field's rates at (t, x), without the object.
void foi_object_guards_at(const fo_field *f, const fo_state *s, double t, const double *x,
                          const double *psi, double *g);
void foi_object_jump(const fo_field *f, fo_state *s, uint32_t index);
/// y, v, the sum of the forces, the number of nodes that touch.
void foi_object_observe(const fo_field *f, const fo_state *s, double t, const double *x,
                        const double *psi, double *y);

#endif
