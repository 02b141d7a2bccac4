/// Ensembles: one thing run many times.
///
/// Replications run on all cores, each with random streams of its own, and their results are merged
/// in the order of their numbers, in the caller's thread: the outcome has the same bits for any
/// number of threads.
#ifndef FOLIOT_ENSEMBLE_H
#define FOLIOT_ENSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "random.h"
#include "statistics.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One of many runs.
typedef struct fo_replication {
    uint64_t number; ///< from `first` on
    uint64_t seed;
} fo_replication;

enum { FO_REPLICATION_STREAMS = 1 << 20 };

/// Stream k < FO_REPLICATION_STREAMS of a replication: one for each purpose, so that variants of a
/// model that draw for the same purpose from the same stream see the same random numbers (common
/// random numbers), whatever else they draw.
fo_random fo_replication_stream(const fo_replication *replication, uint32_t k);

/// Processes that share replications, each of which makes the same calls.
typedef struct fo_ranks {
    uint32_t rank, count; ///< this one, from 0; of how many
    /// Everyone's bytes on every rank, in the order of the ranks: fo_cluster_exchange.
    fo_status (*exchange)(const void *mine, void *all, size_t bytes, fo_message *why);
} fo_ranks;

typedef struct fo_replicate_def {
    uint64_t count;   ///< how many
    uint64_t first;   ///< number of the first: a later call may go on where an earlier one ended
    uint64_t seed;    ///< the same seed means the same random numbers
    unsigned threads; ///< that run at the same time (threads.h)
    /// Runs one and writes its result, `result_size` bytes that are zero before. Called from
    /// several threads at once: it may change nothing but its result. An error ends everything; of
    /// several the one with the lowest number is reported.
    fo_status (*run)(void *context, const fo_replication *replication, void *result,
                     fo_message *why);
    size_t result_size;
    /// Takes a result, in the order of the numbers. FO_STOPPED: that is enough. An error ends
    /// everything. May be NULL.
    fo_status (*merge)(void *context, const fo_replication *replication, void *result,
                       fo_message *why);
    /// Frees what a result owns when it is not merged after all. May be NULL.
    void (*discard)(void *context, void *result);
    /// Called after each merge; false cancels. May be NULL.
    bool (*progress)(void *context, uint64_t done, uint64_t count);
    void *context;
    const fo_allocator *allocator; ///< used by the caller's thread only
    /// NULL: this process runs all. Otherwise each rank runs a part, and all merge everything, in
    /// the same order: results are bytes that mean the same everywhere, without pointers.
    const fo_ranks *ranks;
} fo_replicate_def;

/// One replication, seed 1, all cores.
fo_replicate_def fo_default_replicate_def(void);

/// Runs them all. Returns FO_OK, FO_STOPPED (merge had enough), or an error: what a replication or
/// merge returned, FO_ERROR_CANCELLED, FO_ERROR_MEMORY, FO_ERROR_ARGUMENT.
/// Memory is needed for some results per thread, not for all of them.
fo_status fo_replicate(const fo_replicate_def *def, fo_message *why);

/// The common case: a result is `outputs` numbers (doubles), of which each is tallied over the
/// replications; fo_tally_half_width then gives their intervals. `result_size` and `discard` of the
/// definition are not used; `merge`, if there is one, is called with the numbers after they are
/// tallied, and returns FO_STOPPED once the intervals are narrow enough.
fo_status fo_replicate_tally(const fo_replicate_def *def, fo_tally *tallies, size_t outputs,
                             fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
