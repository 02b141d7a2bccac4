/// The master's clock as a node sees it: master = node + offset.
#ifndef FOI_TDMA_OFFSET_H
#define FOI_TDMA_OFFSET_H

#include <stdbool.h>
#include <stdint.h>

enum { FOI_OFFSET_WINDOW = 16 };

/// All times in nanoseconds.
typedef struct foi_tdma_offset {
    int64_t offset, first; ///< now; as the exchanges at the start gave it
    int64_t delay;         ///< the shortest round trip
    int exchanges;
    int64_t least; ///< residual of the synchronisations in the window so far
    int64_t begun; ///< when the window began
    int seen;
} foi_tdma_offset;

/// A two-way exchange: the node sent at t1, the master received at t2 and answered at t3, the
/// answer came at t4. The exchange with the shortest round trip counts (as in NTP, RFC 5905).
void foi_tdma_offset_exchange(foi_tdma_offset *o, int64_t t1, int64_t t2, int64_t t3, int64_t t4);

/// A synchronisation that the master sent and that arrived; both on their own clocks.
void foi_tdma_offset_sync(foi_tdma_offset *o, int64_t sent, int64_t arrived);

#endif
