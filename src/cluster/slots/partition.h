/// Who has which nodes of the grid.
#ifndef FOI_TDMA_PARTITION_H
#define FOI_TDMA_PARTITION_H

#include "field/cut.h"

/// One node's share, and who is beyond its cut sides.
typedef struct foi_tdma_share {
    foi_cut_box box;
    uint32_t near[6]; ///< of cut sides
} foi_tdma_share;

/// Cuts the grid evenly, but not through an object. `list` has room for `count` shares; parts all 0
/// becomes the cut that was chosen.
fo_status foi_tdma_partition(const fo_field *f, uint32_t count, uint32_t parts[3],
                             foi_tdma_share *list, fo_message *why);

#endif
