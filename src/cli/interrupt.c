#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

// The one variable of the program that a signal may touch; C offers no other way.
static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

// A signal that the caller of the program ignores (nohup, a background job) stays ignored.
static void watch(int number)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    struct sigaction before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void interrupt_watch(void)
{
    watch(SIGINT);
    watch(SIGTERM);
}

int interrupt_signal(void)
{
    return came;
}
