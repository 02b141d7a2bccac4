/// The wall clock: for measuring and pacing, never for what a simulation computes.
#ifndef FOI_CLOCK_H
#define FOI_CLOCK_H

#include <stdint.h>

/// Nanoseconds since some fixed instant; never goes back.
int64_t foi_clock_now(void);

/// The same, but counting on while the machine is suspended.
int64_t foi_clock_with_suspend(void);

/// The time of day in nanoseconds since 1970; people and daemons set it.
int64_t foi_clock_of_day(void);

/// Sleeps until foi_clock_now has reached `time`; signals do not shorten it.
void foi_clock_sleep_until(int64_t time);

/// Seconds from one reading of the clock to another.
static inline double foi_clock_seconds(int64_t from, int64_t to)
{
    return (double)(to - from) * 1e-9;
}

#endif
