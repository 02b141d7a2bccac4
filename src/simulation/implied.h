/// x' of a system, however it is given: by rates, as M x' = f(t, x), as F(t, x, x') = 0, or as one
/// that steps itself. What is looked at along the rates (contacts, slides) asks here.
#ifndef FOI_IMPLIED_H
#define FOI_IMPLIED_H

#include "system/state.h"

struct fo_simulation;

typedef struct foi_implied foi_implied;

enum { FOI_MOST_IMPLIED = 256 }; ///< states: a matrix of all by all is made for each x'

/// x' has to be solved for.
bool foi_implied_is(const struct fo_simulation *sim);
/// Room for that; NULL without memory.
foi_implied *foi_implied_make(struct fo_simulation *sim);
void foi_implied_destroy(foi_implied *im);
/// FO_RETRY: it cannot be found, or is not determined.
fo_status foi_implied_rates(foi_implied *im, const fo_state *s, double t, const double *x,
                            double *dx);
/// At (s->t, s->x): x' follows from x by its own equations alone, and each state may jump; not so
/// where constraints bind some of them.
bool foi_implied_regular(foi_implied *im, const fo_state *s);

#endif
