/// What the files that make parts share.
#ifndef FOI_PARTS_H
#define FOI_PARTS_H

#include "structure/structure.h"

/// A part being made.
typedef struct foi_part {
    fo_structure *s;
    const fo_part_def *def;
    uint32_t before; ///< nodes that were there already
    uint32_t placed;
    double near2; ///< distance squared at which two nodes are the same place
    fo_message *why;
} foi_part;

typedef struct foi_part_maker {
    const char *name;
    fo_status (*add)(foi_part *p);
    unsigned dimensions; ///< bits of those in which it exists
    int axes;            ///< of cells
    bool area, thickness;
} foi_part_maker;

/// Places a node, or finds the one that is there; `label` NULL: the next number.
fo_status foi_part_node(foi_part *p, const double at[3], double mass, const char *label,
                        unsigned fixed, uint32_t *index);
fo_status foi_part_spring(foi_part *p, uint32_t a, uint32_t b, double k);

fo_status foi_part_girder(foi_part *p);
fo_status foi_part_plate(foi_part *p);
fo_status foi_part_block(foi_part *p);
fo_status foi_part_balloon(foi_part *p);

/// "bar", "girder", ...; NULL beyond the last.
const char *foi_part_name(size_t kind);

#endif
