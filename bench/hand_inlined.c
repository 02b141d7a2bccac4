#include "hand_inlined.h"

#include <math.h>
#include <string.h>

#include "hand_control.h"

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

INLINE void rates_pendulum(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = x[1];
    dx[1] = -(9.8 / 0.5) * sin(x[0]) - (0.1 / 0.4) * x[1];
}
#define NAME pendulum
#define N    2
#include "hand_template.h"

INLINE void rates_lorenz(double t, const double *x, double *dx)
{
    (void)t;
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (28 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8.0 / 3 * x[2];
}
#define NAME lorenz
#define N    3
#include "hand_template.h"

INLINE void rates_rod(double t, const double *restrict x, double *restrict dx)
{
    (void)t;
    dx[0] = 1000 * (1 - 2 * x[0] + x[1]);
    for (size_t i = 1; i + 1 < ROD_NODES; i++) dx[i] = 1000 * (x[i - 1] - 2 * x[i] + x[i + 1]);
    dx[ROD_NODES - 1] = 1000 * (x[ROD_NODES - 2] - 2 * x[ROD_NODES - 1] + 0);
}
#define NAME rod
#define N    ROD_NODES
#include "hand_template.h"

const hand_loops hand_pendulum = {"pendulum", 2, rk4_pendulum, dp45_pendulum};
const hand_loops hand_lorenz = {"Lorenz", 3, rk4_lorenz, dp45_lorenz};
const hand_loops hand_rod = {"rod of 100", ROD_NODES, rk4_rod, dp45_rod};
