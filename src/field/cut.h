/// A box of a field as a field of its own: what one computer of many carries.
#ifndef FOI_FIELD_CUT_H
#define FOI_FIELD_CUT_H

#include "field/field.h"

/// Own nodes of a box, and the sides at which it was cut. Beyond each of these lies one layer of
/// foreign nodes, the halo, which the field made of the box holds and somebody else fills.
typedef struct foi_cut_box {
    uint32_t first[3], n[3]; ///< own nodes, in the whole grid
    bool sides[6];
} foi_cut_box;

/// The box as a field without probes. Its explicit methods compute the own nodes with the bits of
/// the whole. An object must lie on own nodes entirely, or not at all. NULL on failure.
fo_field *foi_field_cut(const fo_field *whole, const foi_cut_box *cut,
                        const fo_allocator *allocator, fo_message *why);

/// Copies what an array over the whole grid has in the box and its halo.
void foi_cut_window(const fo_field *whole, const foi_cut_box *cut, const double *from, double *to);

/// The own layer at a side (halo false), or the halo beyond it: its number of nodes, and the place
/// of the n-th one in the cut field.
uint32_t foi_cut_face(const foi_cut_box *cut, int side);
uint32_t foi_cut_place(const fo_field *field, const foi_cut_box *cut, int side, bool halo,
                       uint32_t n);

/// Where a node of the whole grid is in the cut field; false when it is no own node.
bool foi_cut_find(const fo_field *whole, const fo_field *field, const foi_cut_box *cut,
                  uint32_t node, uint32_t *place);

#endif
