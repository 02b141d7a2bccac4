// The clocks that a live run can go by.
#include "base/clock.h"

#include <foliot/live.h>

static int64_t machine_now(void *self)
{
    (void)self;
    return foi_clock_now();
}

static void machine_sleep(void *self, int64_t time)
{
    (void)self;
    foi_clock_sleep_until(time);
}

static void machine_spin(void *self, int64_t time)
{
    (void)self;
    while (foi_clock_now() < time) continue;
}

static int64_t machine_with_suspend(void *self)
{
    (void)self;
    return foi_clock_with_suspend();
}

static int64_t machine_of_day(void *self)
{
    (void)self;
    return foi_clock_of_day();
}

fo_clock fo_machine_clock(void)
{
    return (fo_clock){.now = machine_now,
                      .sleep_until = machine_sleep,
                      .spin_until = machine_spin,
                      .with_suspend = machine_with_suspend,
                      .of_day = machine_of_day};
}

static int64_t virtual_now(void *self)
{
    const fo_virtual_clock *c = self;
    return c->now;
}

static void virtual_sleep(void *self, int64_t time)
{
    fo_virtual_clock *c = self;
    if (time > c->now) c->now = time;
    c->now += c->oversleep;
}

static void virtual_spin(void *self, int64_t time)
{
    fo_virtual_clock *c = self;
    if (time > c->now) c->now = time;
}

static int64_t virtual_with_suspend(void *self)
{
    const fo_virtual_clock *c = self;
    return c->now + c->suspended;
}

static int64_t virtual_of_day(void *self)
{
    const fo_virtual_clock *c = self;
    return c->now + c->of_day;
}

fo_clock fo_virtual_clock_use(fo_virtual_clock *clock)
{
    return (fo_clock){.self = clock,
                      .now = virtual_now,
                      .sleep_until = virtual_sleep,
                      .spin_until = virtual_spin,
                      .with_suspend = virtual_with_suspend,
                      .of_day = virtual_of_day};
}
