/// Computing that overlaps the slots: a thread of its own carries the part while the node sends and
/// listens.
#ifndef FOI_TDMA_OVERLAP_H
#define FOI_TDMA_OVERLAP_H

#include "base/threads.h"
#include "cluster/slots/share.h"

/// What the worker does in a cycle: all that it needs is laid out before it begins.
typedef struct foi_tdma_overlap {
    foi_tdma_part *part;
    uint32_t steps;
    bool known[6];    ///< a boundary has come from there
    double *ahead[6]; ///< the halo of each step, bridged from what came in the cycles before
    double *faces[6]; ///< the part's own boundary at the start of the cycle
    double *probes;   ///< and its probes; NAN: another part's
    int64_t finished; ///< when the last cycle's computing ended [ns]
    int64_t computing;
    fo_status status;
    fo_message why;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum { FOI_OVERLAP_IDLE, FOI_OVERLAP_WORKS, FOI_OVERLAP_QUITS } phase;
    bool begun; ///< there is a thread
    const fo_allocator *allocator;
} foi_tdma_overlap;

fo_status foi_tdma_overlap_open(foi_tdma_overlap *o, foi_tdma_part *part, uint32_t steps,
                                uint32_t probes, const fo_allocator *allocator, fo_message *why);
/// Keeps the boundary and the probes as they are now, for sending.
void foi_tdma_overlap_keep(foi_tdma_overlap *o, uint32_t probes);
/// Lets the worker begin, and waits until it has ended.
void foi_tdma_overlap_begin(foi_tdma_overlap *o);
fo_status foi_tdma_overlap_wait(foi_tdma_overlap *o);
/// Ends the thread. Takes one that was never opened.
void foi_tdma_overlap_close(foi_tdma_overlap *o);

#endif
