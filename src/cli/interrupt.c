#include "cli/interrupt.h"

#include <signal.h>

// The one variable of the program that a signal may touch; C offers no other way.
static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, 0);
    sigaction(SIGTERM, &action, 0);
}

int interrupt_signal(void)
{
    return came;
}
