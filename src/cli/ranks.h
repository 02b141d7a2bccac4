/// Fields on several ranks: `mpirun -n 4 foliot run wave.field.json`.
///
/// The ordinary program knows nothing of MPI. Started by mpirun with a field to run, it goes over
/// to its sibling foliot-mpi, the same program with clusters in it.
#ifndef CLI_RANKS_H
#define CLI_RANKS_H

#include <stdio.h>

#include "cli/model.h"
#include "cli/options.h"

/// Options of runs that ranks share.
typedef struct ranks_options {
    const char *parts, *checkpoint, *restart;
    maybe_count balance, every;
    maybe_number patience;
} ranks_options;

/// Goes over to foliot-mpi where that is called for; does not come back then. Otherwise EXIT_FINE,
/// or how the program ends.
int ranks_enter(int argc, char **argv);
/// True on all ranks but the first of a run that they share: only one speaks and writes.
bool ranks_silent(void);
/// The file that this rank writes: the one that was asked for, or nowhere. Takes NULL.
const char *ranks_path(const char *path);

/// Shares the field of a model among the ranks, if there are some. On failure prints a message,
/// sets m->exit_status and returns false.
bool ranks_share(const command *c, const ranks_options *o, model *m);
/// Goes on from the checkpoint, if one is given. Returns how the command ends if that fails.
int ranks_restart(const command *c, const ranks_options *o, const model *m, fo_simulation *sim);
/// As fo_simulation_advance.
fo_status ranks_advance(const model *m, fo_simulation *sim, double until);
/// What the run cost every rank; nothing for models that are not shared. All ranks call it.
void ranks_print(FILE *out, const model *m);

#endif
