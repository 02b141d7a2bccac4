/// Loops as one writes them by hand for one purpose, without an engine around: the peers of dp45,
/// rk4 and of the bouncing ball. Rates and guards are called through pointers, nothing is checked
/// that a working model does not need, and there is code of its own for two and for three states.
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

#include <foliot/foliot.h>

typedef fo_status hand_function(const void *model, const fo_state *s, double t, const double *x,
                                double *result);

enum { HAND_STATES = 8 }; ///< at most

/// Dormand-Prince 5(4) with the PI controller from t = 0 to `stop`; rtol = atol = tolerance, first
/// step h. Returns the number of accepted steps.
uint64_t hand_dp45(hand_function *rates, size_t n, double stop, double *x, double h,
                   double tolerance);

/// The classical Runge-Kutta method: `steps` steps of h.
void hand_rk4(hand_function *rates, size_t n, uint64_t steps, double h, double *x);

/// One bouncing ball until it is slow: dp45, dense output, Illinois. Returns the number of impacts
/// and sets *end.
uint64_t hand_ball(hand_function *rates, hand_function *guard, double tolerance, double *end);

#endif
