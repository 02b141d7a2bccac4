/// Checkpoints: a simulation in a file, to go on from there in another process.
///
/// A run that goes on gives the bits of the run that was never interrupted (with the solvers of
/// SUNDIALS: the same to tolerance, the method starts afresh). The file has a checksum for each of
/// its blocks, the version, all numbers of the run's definition and whatever facts the caller wants
/// to be the same; all of it is compared before anything is used, and every number is checked for
/// its range.
///
/// Worlds of processes have no checkpoints, as they have no snapshots: stacks cannot be copied. Nor
/// have systems whose number of states, discretes or guards has changed since the start.
#ifndef FOLIOT_CHECKPOINT_H
#define FOLIOT_CHECKPOINT_H

#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Something that is to be known about a run when it goes on.
typedef struct fo_fact {
    const char *name, *value;
} fo_fact;

enum { FO_FACT_OF_FILE = 48 };
/// The hash of a file's bytes, as the value of a fact.
fo_status fo_fact_of_file(const char *path, char value[FO_FACT_OF_FILE], fo_message *why);

/// Writes a checkpoint of the present; an older one at `path` is replaced when the new one is whole
/// and on the disk. Observers are first asked to keep what they were shown.
fo_status fo_simulation_save(fo_simulation *sim, const char *path, const fo_fact *facts,
                             size_t count, fo_message *why);

typedef struct fo_checkpoint fo_checkpoint;

/// Reads a checkpoint and verifies its checksums. NULL on failure, and `why` says why.
fo_checkpoint *fo_checkpoint_open(const char *path, const fo_allocator *allocator, fo_message *why);
/// Takes NULL.
void fo_checkpoint_close(fo_checkpoint *checkpoint);
/// The value of a fact; NULL: there is none of that name. Lives as long as the checkpoint.
const char *fo_checkpoint_fact(const fo_checkpoint *checkpoint, const char *name);

/// Puts a simulation that was not started yet to where the checkpoint was written. Its system and
/// definition must be the same, and so must be what was set before the start (fo_simulation_set)
/// and the facts given here; FO_ERROR_ARGUMENT with the first difference. The numbers are then
/// those of the checkpoint, also of what was set later in the run; what is set from here on is a
/// moment, as in any run. Observers with the same interval go on where they were; another one is
/// shown what comes from now on. On failure the simulation can only be destroyed.
fo_status fo_simulation_load(fo_simulation *sim, const fo_checkpoint *checkpoint,
                             const fo_fact *facts, size_t count, fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
