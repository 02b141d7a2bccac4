/// What a run with its derivatives did, kept to go back through it: the adjoint of a scalar.
///
/// Along the run the points between its steps are kept, n + 2 numbers each, what is given to the
/// equations wherever that changes, and what every moment was given. On the way back each step is
/// computed again from its two points. With lambda the adjoint of the states and delta that of the
/// discretes, a part of a step (variation_inside.h) is the transpose of what it was forward,
///
///     M^T mu = zeta,  lambda = sum_i mu_i,  grad += h sum_ij a_ij B_j^T mu_i,
///
/// where zeta_i is the weight of node i in an integral, and zeta_3 has lambda, too; a moment is
/// that of its jump (variation.h):
///
///     a = lambda+ (R_x f- + R_t - f+) + L- - L+
///     lambda- = R_x^T lambda+ - g_x^T a / (g_x f- + g_t),   grad += R_p^T lambda+ - g_p^T a /
///     (...)
///
/// Products with transposes of derivatives are those of the reverse mode (reverse.h), so that the
/// cost does not grow with the number of parameters but for adding them up.
#ifndef FOI_ANALYSIS_TAPE_H
#define FOI_ANALYSIS_TAPE_H

#include "analysis/reverse.h"
#include "analysis/trial.h"
#include "analysis/variation.h"

typedef struct foi_tape foi_tape;

/// For a variation whose directions are one; it begins to keep. NULL without memory.
foi_tape *foi_tape_create(foi_variation *v, const fo_allocator *allocator);
/// Takes NULL. Before the variation is destroyed.
void foi_tape_destroy(foi_tape *t);

/* What the variation tells it. */

void foi_tape_first(foi_tape *t, const double *registers, const double *guesses);
void foi_tape_guesses(foi_tape *t, const double *guesses);
void foi_tape_turn(foi_tape *t, const double *registers);
void foi_tape_moment(foi_tape *t, const fo_state *s, const fo_moment *m);
/// The instant is over; f+ are the rates after it, NULL: the run ends with it.
void foi_tape_land(foi_tape *t, const double *f);
/// A step to (time, x) that is kept; or only a look at what is there.
void foi_tape_step(foi_tape *t, const fo_state *s, double time, const double *x, bool kept);
/// A look at where the run stands.
void foi_tape_point(foi_tape *t, const fo_state *s);

/* The way back. */

/// The number of the last look, from 0; SIZE_MAX: there was none.
size_t foi_tape_look(const foi_tape *t);
/// The number of the instant at work, or just over; SIZE_MAX: the run is elsewhere, or its time
/// does not move.
size_t foi_tape_instant(const foi_tape *t);
/// Memory was lacking elsewhere: the way back fails.
void foi_tape_lack(foi_tape *t);
bool foi_tape_lacks(const foi_tape *t);

/* Parts of a tape, see waypoints.h. */

/// Where a tape has been cut, with the moment that was at work there.
typedef struct foi_tape_mark foi_tape_mark;

/// How many things it has.
size_t foi_tape_entries(const foi_tape *t);
/// Not while the start is at work.
bool foi_tape_can_be_cut(const foi_tape *t);
/// Forgets everything but a moment that is still at work. NULL without memory.
foi_tape_mark *foi_tape_cut(foi_tape *t, const fo_allocator *allocator);
/// The tape as it was after that cut.
void foi_tape_begin_at(foi_tape *t, const foi_tape_mark *mark);
/// Whether its first `entries` end, to the bit, where it was cut once.
bool foi_tape_leads_to(const foi_tape *t, size_t entries, const foi_tape_mark *mark);
/// Takes NULL.
void foi_tape_mark_destroy(foi_tape_mark *mark);
/// The number of the first instant that it may have.
size_t foi_tape_first_instant(const foi_tape *t);

/// A point of the run, at which weights are asked for.
typedef struct foi_tape_place {
    double t;
    const double *x;
    foi_reverse *q; ///< has what is given there in its first registers
    const double *guesses;
    double *states, *discretes; ///< weights to be added to
    double *leaves;             ///< the same of parameters and inputs, as registers
} foi_tape_place;

/// What is weighed. Each returns false when something has no derivative.
typedef struct foi_weights {
    void *self;
    bool integrals;                                              ///< nodes are wanted
    bool (*node)(void *self, const foi_tape_place *p, double h); ///< with the weight h of the rule
    bool (*look)(void *self, const foi_tape_place *p, size_t number);
    double (*instant)(void *self, size_t number); ///< weight of its time
    const foi_trial *trial;                       ///< rests on the way; NULL: nobody does
} foi_weights;

/// What comes back of one scalar: adjoints of states, of discretes, and of what is given.
typedef struct foi_costate {
    double *lambda, *delta, *leaves;
    const fo_allocator *allocator;
} foi_costate;

/// All zero, as it is at the end. False: no memory; it is to be destroyed all the same.
bool foi_costate_create(foi_costate *c, const foi_tape *t);
void foi_costate_destroy(foi_costate *c);

/// Takes a costate back through the first `entries` of the tape. FO_OK, FO_ERROR_MEMORY or
/// FO_ERROR_CONVERGE (it is not known).
fo_status foi_tape_back(foi_tape *t, size_t entries, const foi_weights *w, const foi_costate *c);
/// Once it is at the start: the derivatives by all directions.
void foi_tape_gradient(const foi_tape *t, const foi_costate *c, double *gradient);

#endif
