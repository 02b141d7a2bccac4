/// Someone who follows a run between its moments: every smooth piece of the solution is shown, with
/// the values of signals anywhere on it and enclosures of them. Rows see points only.
///
/// A piece is a part of one step without moments inside; pieces come in the order of time, each
/// before the row at its end. Where they begin and end does not depend on who looks at the run.
#ifndef FOI_FOLLOW_H
#define FOI_FOLLOW_H

#include <foliot/simulation.h>

/// t = t0 + theta h, from <= theta <= to.
typedef struct foi_piece {
    fo_simulation *sim;
    double t0, t1, h;
    double from, to;
    double resolution; ///< of theta: neighbouring times are not much nearer
} foi_piece;

typedef struct foi_follower {
    void *self;
    fo_status (*piece)(void *self, const foi_piece *piece, fo_message *why);
} foi_follower;

/// What a simulation keeps of it.
typedef struct foi_followed {
    foi_follower who;
    double upto;  ///< what lies before was shown [s]
    double *work; ///< for bounds
    size_t room;
} foi_followed;

/// What a signal can be on a part of a piece: its values where it is defined, and its derivative by
/// time where that exists.
typedef struct foi_span {
    double lo, hi, slope_lo, slope_hi;
    uint32_t nature; ///< of fo_nature
} foi_span;

/// From now on; before the start. Every step is then seen.
void foi_simulation_follow(fo_simulation *sim, foi_follower who);
/// The time at theta.
double foi_piece_time(const foi_piece *p, double theta);
/// The values of signals at theta. At the end of a piece an output may have none, and is then not a
/// number; elsewhere that ends the run, as in a row.
fo_status foi_piece_values(const foi_piece *p, double theta, const fo_reference *which,
                           size_t count, double *values);
/// What signals can be for theta in [a, b]; FO_NOT_ENCLOSED where nothing is known.
fo_status foi_piece_bounds(const foi_piece *p, double a, double b, const fo_reference *which,
                           size_t count, foi_span *spans);

#endif
