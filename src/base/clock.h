/// The wall clock: for measuring and pacing, never for what a simulation computes.
#ifndef FOI_CLOCK_H
#define FOI_CLOCK_H

#include <stdint.h>

/// Nanoseconds since some fixed instant; never goes back.
int64_t foi_clock_now(void);

/// Seconds from one reading of the clock to another.
static inline double foi_clock_seconds(int64_t from, int64_t to)
{
    return (double)(to - from) * 1e-9;
}

#endif
