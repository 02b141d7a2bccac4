#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Nanoseconds. What a large process frees at its end takes time, too. Who signals a process and
// then its group (timeout does) means one signal.
enum { PATIENCE = 100 * 1000 * 1000, MORE = 40 * 1000 * 1000, ECHO = 50 * 1000 * 1000 };

// What a signal may touch; C offers no other way.
static volatile sig_atomic_t came, insists;
static volatile sig_atomic_t asked_again;
static volatile long came_at, worked; // the clock and the work done when the signal came
static timer_t timer;
static void (*volatile last_thing)(void);

static long nanoseconds(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (long)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Nanoseconds that this process was given.
static long work_done(void)
{
    return nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
}

// The next signal that is no echo ends the program at once.
static void note(int number)
{
    long now = nanoseconds(CLOCK_MONOTONIC);
    if (came) {
        if (now - came_at < ECHO) return;
        signal(number, SIG_DFL);
        raise(number); // when this handler has returned
        return;
    }
    came_at = now, came = number;
    struct itimerspec after = {.it_value = {.tv_nsec = PATIENCE}};
    worked = work_done(), asked_again = 0;
    if (insists) timer_settime(timer, 0, &after, NULL);
}

// Wherever the program is, it does not come out by itself. Files end after whole rows at any time:
// only whole rows are handed to the system.
static void give_up(int number)
{
    static const char text[] =
        "foliot: interrupted where the run could not be ended in order; what "
        "was computed last is not in the files\n";
    (void)number;
    if (!insists) return;
    if (!asked_again && work_done() - worked < PATIENCE / 2) { // it waits, or others have the cores
        struct itimerspec after = {.it_value = {.tv_nsec = MORE}};
        asked_again = 1;
        timer_settime(timer, 0, &after, NULL);
        return;
    }
    if (last_thing) last_thing();
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n;
    _exit(128 + came);
}

// A signal that the caller of the program ignores (nohup, a background job) stays ignored.
static void watch(int number)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

// The process ends a while after the signal, wherever it is.
static void insist(void)
{
    struct sigaction action = {.sa_handler = give_up};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigemptyset(&action.sa_mask);
    insists = sigaction(SIGALRM, &action, NULL) == 0 &&
              timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void interrupt_watch(void)
{
    if (!insists) insist();
    watch(SIGINT);
    watch(SIGTERM);
}

void interrupt_leave_by(void (*leave)(void))
{
    last_thing = leave;
}

void interrupt_writing(void)
{
    if (!insists) return;
    insists = 0;
    timer_delete(timer);
}

// What comes later ends the program as usual.
void interrupt_obeyed(void)
{
    if (!insists) return;
    insists = 0;
    timer_delete(timer);
    if (came) return;
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction now;
    for (int i = 0; i < 2; i++)
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == note)
            signal(numbers[i], SIG_DFL);
}

int interrupt_signal(void)
{
    return came;
}

bool interrupt_overdue(double seconds)
{
    return came && 1e-9 * (double)(nanoseconds(CLOCK_MONOTONIC) - came_at) > seconds;
}
