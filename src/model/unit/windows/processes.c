// Worlds of processes are not exported: what they need of a machine is asked for by nobody.
#ifdef _WIN32
#include <foliot/process.h>

#include "process/coroutine.h"

bool foi_overflow_watch(fo_world *w);
void foi_overflow_end(fo_world *w);
void foi_overflow_free(fo_world *w);

const uint64_t foi_canary_of_guarded[FOI_CANARY];

bool foi_stacks_grow(foi_stacks *stacks, unsigned class)
{
    (void)stacks, (void)class;
    return false;
}

void foi_stacks_destroy(foi_stacks *stacks)
{
    (void)stacks;
}

void foi_coroutine_init(foi_coroutine *c, foi_stack *stack, void (*entry)(void *), void *argument)
{
    (void)c, (void)stack, (void)entry, (void)argument;
}

void foi_coroutine_end(foi_coroutine *c)
{
    (void)c;
}

void foi_coroutine_jump(void **save, void *load)
{
    (void)save, (void)load;
}

void foi_coroutine_arrive(foi_coroutine *from, foi_coroutine *at)
{
    (void)from, (void)at;
}

bool foi_overflow_watch(fo_world *w)
{
    (void)w;
    return false;
}

void foi_overflow_end(fo_world *w)
{
    (void)w;
}

void foi_overflow_free(fo_world *w)
{
    (void)w;
}
#else
typedef int unit_processes; // POSIX has them
#endif
