/// The search where one guard is watched, by samples, and nothing else; see alone.c.
#ifndef FOI_ALONE_H
#define FOI_ALONE_H

#include "simulation/closing.h"
#include "simulation/samples.h"

/// How far it has come.
typedef enum foi_lone_stage {
    FOI_LONE_DONE,      ///< *root is known
    FOI_LONE_NOT_BEGUN, ///< nothing was looked at: it is not for here
    FOI_LONE_UNDEFINED, ///< the guard is not a number at the end
    FOI_LONE_UNCLEAR,   ///< the segment must be cut
    FOI_LONE_CROSSES,   ///< somewhere in it, or at its left end
    FOI_LONE_CLOSING,   ///< between k.a and k.b
    FOI_LONE_FOUND,     ///< at theta, so near the end that the step's end may be the moment
} foi_lone_stage;

/// What is known there.
typedef struct foi_lone {
    foi_lone_stage stage;
    double h, resolution; ///< as in foi_search
    foi_samples s;
    foi_target target;
    foi_closing k;
    double theta;
    double last, at_last; ///< where w->x was taken, and the guard there
} foi_lone;

static inline bool foi_is_lone(const foi_watch *w, const foi_solver *o)
{
    return w->guards == 1 && !w->conditions && !w->bounded && o->n && o->degree;
}

/// The first segment, which goes from time `from` to the step's end. The dense output is ready.
fo_status foi_search_alone(foi_watch *w, const foi_solver *o, double from, double *root,
                           foi_lone *l);

#endif
