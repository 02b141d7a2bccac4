/// Work that can be left where it says so itself, and gone on with: an analysis. Natively a task
/// has a stack of its own and needs nothing of this; slices_wasm.c says what is done in a page.
#ifndef FOI_DESK_SLICES_H
#define FOI_DESK_SLICES_H

#include "desk/desk.h"

/// What such work needs while it is left.
typedef struct foi_desk_slices foi_desk_slices;

/// Begins work(self), or goes on with it, for one turn. True: it is over; false: to be called
/// again. *slices: NULL at first, and again when it is over.
bool foi_desk_slice(fo_desk *desk, foi_desk_slices **slices, void (*work)(void *self), void *self);
/// Called by the work where it may be left (fo_experiment_def); self: the desk.
void foi_desk_rest(void *self);

#endif
