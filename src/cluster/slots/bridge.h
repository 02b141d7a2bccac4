/// What a node knows of a neighbour's boundary, and what it takes where it knows nothing.
#ifndef FOI_TDMA_BRIDGE_H
#define FOI_TDMA_BRIDGE_H

#include <foliot/field.h>

#include "cluster/slots/packet.h"

/// The pieces of one boundary as they come, in any order.
typedef struct foi_tdma_assembly {
    uint64_t cycle;
    bool begun, complete;
    uint16_t pieces, there;
    unsigned char *has; ///< of each piece
    double *values;
} foi_tdma_assembly;

typedef struct foi_tdma_bridge {
    fo_tdma_bridge kind;
    uint32_t count; ///< numbers of the boundary
    uint16_t pieces;
    foi_tdma_assembly coming[2]; ///< of an even and of an odd cycle
    double *newest, *before;     ///< the last two that were complete
    uint64_t newest_cycle, before_cycle;
    int known; ///< of these
    const fo_allocator *allocator;
} foi_tdma_bridge;

typedef enum foi_tdma_arrival {
    FOI_ARRIVED,    ///< taken
    FOI_COMPLETED,  ///< taken, and the boundary is complete
    FOI_DUPLICATED, ///< was there before
    FOI_LATE,       ///< of a cycle that is over
    FOI_EARLY,      ///< of a cycle too far ahead
    FOI_UNFIT,      ///< not the size that was agreed upon
} foi_tdma_arrival;

bool foi_tdma_bridge_open(foi_tdma_bridge *b, fo_tdma_bridge kind, uint32_t count,
                          const fo_allocator *allocator);
void foi_tdma_bridge_close(foi_tdma_bridge *b);
/// A packet with a piece of a boundary, while the node is in cycle `now`: it is taken when it is of
/// this cycle or the next.
foi_tdma_arrival foi_tdma_bridge_take(foi_tdma_bridge *b, foi_tdma_packet *p, uint64_t now);
/// Whether the boundary of a cycle is complete.
bool foi_tdma_bridge_has(const foi_tdma_bridge *b, uint64_t cycle);
/// Ends waiting for a cycle: what is complete becomes the newest. False: it has to be bridged.
bool foi_tdma_bridge_settle(foi_tdma_bridge *b, uint64_t cycle);
/// The boundary at a time in cycles: known, held, or on a straight line through the last two, which
/// is followed for at most four cycles. False when nothing ever came.
bool foi_tdma_bridge_values(const foi_tdma_bridge *b, double at, double *values);

#endif
