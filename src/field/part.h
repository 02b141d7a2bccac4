/// A part of a field, for those who cut fields and carry parts: where objects lie, and the
/// equations of implicit methods row by row. What they mean stays in this room.
#ifndef FOI_FIELD_PART_H
#define FOI_FIELD_PART_H

#include "field/field.h"

/// Where the field's object lies along an axis: `count` nodes from `first` on. False: there is
/// none.
bool foi_object_span(const fo_field *f, uint32_t axis, uint32_t *first, uint32_t *count);
/// True for an object that leaves the surface and comes back, node by node, at moments.
bool foi_object_opens(const fo_field *f);
/// How many nodes it lies on, and the i-th of them.
uint32_t foi_object_nodes(const fo_field *f);
uint32_t foi_object_node(const fo_field *f, uint32_t i);

/// What implicit methods keep with a part; nothing for the others. FO_OK or FO_ERROR_MEMORY.
fo_status foi_part_create(foi_part *p);
void foi_part_destroy(foi_part *p, const fo_allocator *allocator);

/// Implicit methods: every part solves the equations of the whole grid for itself, so that the bits
/// are those of one process; otherwise the parts solve together (foi_link.matrix and solve).
bool foi_implicit_is_whole(const fo_field *f);
/// The row of a node of the matrix diag u - c lap u + v . grad u; `symmetric`: scaled so that the
/// matrix is. What leads to a node that is not computed is left out. `row` gets 1 + 2 dimensions
/// entries: the node's, then below and above along each axis. Returns the scale, by which the right
/// side has to be multiplied, too.
double foi_part_row(const fo_field *f, uint32_t node, double diag, double c, bool symmetric,
                    double *row);

#endif
