#include "base/clock.h"

#include <errno.h>
#include <time.h>

enum { BILLION = 1000000000 };

static int64_t reading(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * BILLION + now.tv_nsec;
}

int64_t foi_clock_now(void)
{
    return reading(CLOCK_MONOTONIC);
}

int64_t foi_clock_with_suspend(void)
{
#ifdef CLOCK_BOOTTIME
    return reading(CLOCK_BOOTTIME);
#else
    return foi_clock_now();
#endif
}

int64_t foi_clock_of_day(void)
{
    return reading(CLOCK_REALTIME);
}

void foi_clock_sleep_until(int64_t time)
{
#ifdef __wasm__
    (void)time; // the host is who waits
#else
    struct timespec until = {time / BILLION, time % BILLION};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) continue;
#endif
}
