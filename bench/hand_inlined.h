/// Loops as one writes them by hand for one model, with the rates inlined: the peers of compiled
/// programs. A rod has one end kept at 1 and the other at 0.
#ifndef BENCH_HAND_INLINED_H
#define BENCH_HAND_INLINED_H

#include <stddef.h>
#include <stdint.h>

enum { ROD_NODES = 100 };

/// One model's loops. Both start from x and leave the end there.
typedef struct hand_loops {
    const char *name;
    size_t n;
    /// `steps` steps of h of the classical Runge-Kutta method.
    void (*rk4)(uint64_t steps, double h, double *x);
    /// Dormand-Prince 5(4) from 0 to `stop`, rtol = atol = tolerance, first step h. Returns the
    /// number of accepted steps.
    uint64_t (*dp45)(double stop, double h, double tolerance, double *x);
} hand_loops;

/// y'' = -(9.8/0.5) sin y - (0.1/0.4) y'.
extern const hand_loops hand_pendulum;
/// x' = 10 (y - x), y' = x (28 - z) - y, z' = x y - 8/3 z.
extern const hand_loops hand_lorenz;
/// T[i]' = 1000 (T[i-1] - 2 T[i] + T[i+1]), T[-1] = 1, T[n] = 0.
extern const hand_loops hand_rod;

#endif
