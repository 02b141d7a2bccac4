/// The last points of a run, from which a finite-time blow-up is told where rates cannot tell it.
#ifndef FOI_TRAIL_H
#define FOI_TRAIL_H

#include <stdint.h>

#include "base/memory.h"

typedef struct foi_trail foi_trail;

/// Adds a point; one that is much the same as the last is left out. Makes the trail where there is
/// none; without memory there is none.
void foi_trail_note(foi_trail **trail, const fo_allocator *a, double t, const double *x,
                    uint32_t n);
/// After a jump: what was before tells nothing.
void foi_trail_clear(foi_trail *trail);
/// When a state goes to infinity, and which; INFINITY: none does. `trail` may be NULL.
double foi_trail_escape(foi_trail *trail, uint32_t *which);

#endif
