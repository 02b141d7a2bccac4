// What makes a thread wake in time: the least timer slack always; with the policy `priority`
// SCHED_FIFO, memory that is never paged out, and one core. Each may be refused; that is noted and
// the run goes on.
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "live/internal.h"

enum { PRIORITY = 80 };

static void report(fo_live *live, bool granted, const char *what, const char *needs)
{
    if (granted)
        foi_live_note(live, "priority: %s", what);
    else
        foi_live_note(live, "priority: the system refuses %s (%s); it needs %s", what,
                      strerror(errno), needs);
}

static bool pin(void)
{
    int core = sched_getcpu();
    cpu_set_t one;
    if (core < 0) return false;
    CPU_ZERO(&one);
    CPU_SET((unsigned)core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

void foi_live_raise(fo_live *live)
{
    bool real = live->clock.now == fo_machine_clock().now;
    if (real) prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    if (live->def.policy != FO_LIVE_PRIORITY || !real) return;
    struct sched_param param = {.sched_priority = PRIORITY};
    report(live, sched_setscheduler(0, SCHED_FIFO, &param) == 0, "SCHED_FIFO 80",
           "CAP_SYS_NICE or an rtprio limit");
    report(live, mlockall(MCL_CURRENT | MCL_FUTURE) == 0, "locked memory",
           "CAP_IPC_LOCK or a memlock limit");
    report(live, pin(), "one core", "a core that this process may use");
}
