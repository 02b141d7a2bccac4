/// Whole numbers that nodes keep between moments.
///
/// With events the whole number k of each element is kept, and what it counts for is a cell of the
/// number u that is rounded: k to the last double before k + 1 for floor. The guard of an element
/// is
///
///     g = (u - first) (last - u)
///
/// with the first and the last number of the cell: it is positive or zero in the cell, and falls
/// below zero where u leaves it. So what jumps is located, and all that is behind it is continuous
/// in between.
#ifndef FOI_DIAGRAM_WHOLE_H
#define FOI_DIAGRAM_WHOLE_H

#include "diagram/nodes/scalar.h"

enum { FOI_ROUND, FOI_FLOOR, FOI_CEIL, FOI_FIX }; ///< to the nearest, down, up, towards zero

/// The node keeps so many, with a guard for each, where its guards are wanted. They are its only
/// guards, and all of its own memory.
void foi_wholes_wanted(const foi_build *b, foi_node *n, uint32_t count);
/// Own memory of a number that is kept: itself, and the u and the instant that it was found for.
enum { FOI_WHOLE, FOI_WHOLE_INPUT, FOI_WHOLE_WHEN, FOI_WHOLE_KEPT };
void foi_whole_keep(double *own, double whole, double u, double t);
/// Where u has just left the cell it is at its end but for rounding errors, which may put it inside
/// once more: the number stays until u is farther from where it was found, or some time has gone
/// by.
bool foi_whole_is_near(const double *own, double u, double t);
/// Number i, of u; without a guard u as it is rounded now.
foi_scalar foi_whole_of(const foi_node *n, foi_run *r, uint32_t i, int which, foi_scalar u);
/// Its guard fired: see foi_node_type.fire, and foi_node_type.signs.
bool foi_whole_fires(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction,
                     int which, double u);
/// See foi_node_type.beyond.
void foi_whole_beyond(const foi_node *n, foi_run *r, uint32_t index, int which, double u);
/// What is left of p when the kept number of q, the whole part of p/q, was taken off: to the last
/// bit, and fmod wherever p/q is in the cell of its whole part, of which the guard knows no less.
foi_scalar foi_remainder_of(const foi_node *n, foi_run *r, uint32_t i, foi_scalar p, foi_scalar q);
bool foi_remainder_fires(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction,
                         double p, double q);
void foi_whole_signs(const foi_node *n, foi_run *r, uint8_t *signs);

#endif
