/// Fields on several ranks: `mpirun -n 4 foliot run wave.field.json`.
///
/// The program itself does not need MPI. Started by mpirun or the like with a field to run, it
/// loads the module that does; see ranks_module.h.
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <foliot/ensemble.h>
#include <stdio.h>

#include "cli/model.h"
#include "cli/options.h"
#include "cli/run/keep.h"

struct fo_cluster;

/// Options of runs that ranks share.
typedef struct ranks_options {
    const char *parts;
    maybe_count balance;
    maybe_number patience;
} ranks_options;

/// Finds out whether a launcher has started several of this program, and what follows from that for
/// the command line: the ranks share the run of a field; another command that works is refused;
/// what only prints is left to the first. True: go on; false: the program ends with *result.
bool ranks_enter(int argc, char **argv, int *result);
/// True on all ranks but the first of a run that they share: only one speaks and writes.
bool ranks_silent(void);
/// The ranks that share the runs of this command; NULL: there are none.
const fo_ranks *ranks_sharing(void);
/// The first rank's number on all of them.
bool ranks_same(uint64_t *number);
/// The file that this rank writes: the one that was asked for, or nowhere. Takes NULL.
const char *ranks_path(const char *path);

/// Shares the field of a model among the ranks, if there are some: *ranks and *system are then
/// theirs, otherwise they stay. Returns EXIT_FINE, or how the command ends after a message.
int ranks_share(const command *c, const ranks_options *o, const keep_options *kept,
                const fo_model *m, struct fo_cluster **ranks, fo_system *system);
/// Goes on from the checkpoint, if one is given; what it has to agree with is known from now on,
/// and is written into others. Returns how the command ends if that fails.
int ranks_restart(keep *k, struct fo_cluster *ranks);
/// As fo_simulation_advance.
fo_status ranks_advance(struct fo_cluster *ranks, fo_simulation *sim, double until);
/// What the run cost every rank; nothing for models that are not shared. All ranks call it.
void ranks_print(FILE *out, struct fo_cluster *ranks);
/// Takes NULL.
void ranks_end(struct fo_cluster *ranks);

#endif
