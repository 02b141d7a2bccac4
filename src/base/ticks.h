/// Ticks: the instants start + k * interval, k a whole number. A tick is its k; the time is only
/// where it happens.
///
/// What is one instant in thought need not be one double: 3 * 0.1 lies an ulp above 0.3, and
/// 3 * 0.2 above the stop at 0.6. With u = eps/2, start and interval are within u of what is meant,
/// and the product and the sum round once each. So a tick is off by no more than
///     u |start| + u |k interval| + u |k interval| + u |tick|  <=  eps (|start| + 2 |k interval|),
/// and two of them that are meant to be one by twice that: ticks that are nearer to each other, or
/// to the stop, than 4 eps (|start| + |k interval|) are one instant. Where the interval itself is
/// hardly longer than that, a quarter of it: ticks of one clock stay apart.
#ifndef FOI_TICKS_H
#define FOI_TICKS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

static inline double foi_tick_slack(double start, double interval, double k)
{
    double slack = 4 * DBL_EPSILON * (fabs(start) + fabs(k * interval)), most = interval / 4;
    return slack < most ? slack : most;
}

/// When tick k happens: at the stop where it is meant for it.
static inline double foi_tick(double start, double interval, double k, double stop)
{
    double t = start + k * interval;
    return fabs(t - stop) <= foi_tick_slack(start, interval, k) ? stop : t;
}

/// Whether tick k happens at `now` or has before.
static inline bool foi_tick_due(double start, double interval, double k, double now)
{
    return start + k * interval <= now + foi_tick_slack(start, interval, k);
}

/// The first tick, k >= 0, that happens at `now` or later.
static inline double foi_tick_from(double start, double interval, double now)
{
    double k = ceil((now - start) / interval);
    if (!(k > 0)) return 0;
    double t = start + (k - 1) * interval;
    return fabs(t - now) <= foi_tick_slack(start, interval, k - 1) ? k - 1 : k;
}

#endif
