/// The systems that are measured. Their functions are in a file of their own, so that nobody can
/// inline them: ours and every peer call the same code through a pointer.
#ifndef BENCH_PROBLEMS_H
#define BENCH_PROBLEMS_H

#include <foliot/foliot.h>

enum { PROBLEM_STATES = 3 }; ///< at most

/// A smooth system and its solution at one time, known to more digits than a double has.
typedef struct problem {
    const char *name;
    fo_system system;
    uint32_t n;
    double start[PROBLEM_STATES];
    double known_at, known[PROBLEM_STATES];
} problem;

/// y'' = -(9.8/0.5) sin y - (0.1/0.4) y' from (2.5, 0).
extern const problem problem_pendulum;
/// x' = 10 (y - x), y' = x (28 - z) - y, z' = x y - 8/3 z from (1, 1, 1).
extern const problem problem_lorenz;

/// y'' = -9.8 from 1.5 at rest; on the floor v := -0.9 v, and the end when |v| < 0.1 before that.
extern const fo_system problem_ball;
enum { BALL_IMPACTS = 39 };
#define BALL_GRAVITY     9.8
#define BALL_RESTITUTION 0.9
#define BALL_HEIGHT      1.5
#define BALL_SLOW        0.1
/// When the ball stops, by its equations.
double ball_end(void);

/// v = cos(pi t / 10), 0 <= t <= 10, and a guard that is below zero for `model` (a double: the
/// width) seconds in the middle, from 5 - width/2 to 5 + width/2.
fo_system problem_dip(const double *width);
#define DIP_STOP 10.0

#endif
