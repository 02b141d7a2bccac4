/// The search's needs, for the watch.
#ifndef FOI_SEARCH_H
#define FOI_SEARCH_H

#include "simulation/watch.h"

/// Doubles of work space.
size_t foi_search_work(size_t states, size_t guards);

/// Fails when a guard is not a number: says which and when.
fo_status foi_search_finite(const foi_watch *w, const foi_solver *o, double t, const double *g);

#endif
