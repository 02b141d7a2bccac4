/// The parts of a simulation that a checkpoint holds, for checkpoint.c.
#ifndef FOI_CHECKPOINT_H
#define FOI_CHECKPOINT_H

#include "base/bytes.h"
#include "simulation/internal.h"

/// Carries numbers out of a simulation or into one. Every part is described once and is therefore
/// read as it was written.
typedef struct foi_mover {
    foi_bytes *out; ///< NULL: into the simulation
    foi_slice *in;
} foi_mover;

typedef void foi_part_function(foi_mover *m, fo_simulation *sim);

/// A block of the file.
typedef struct foi_part {
    const char *tag;
    foi_part_function *move;
} foi_part;

/// In the order in which they must be read; ends with NULL.
extern const foi_part foi_parts[];

/// After all parts were read: what the solver's method keeps is looked at, and a method that keeps
/// its state elsewhere starts afresh.
fo_status foi_parts_settle(fo_simulation *sim, const char *path, fo_message *why);

#endif
