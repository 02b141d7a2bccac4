// Coroutines in WebAssembly, in place of coroutine.c.
//
// A function there cannot be left and entered again, so those that a process may wait in are
// rewritten after linking by Binaryen's pass Asyncify: while the module "unwinds" such a function
// returns at once wherever it calls, having saved its locals, and while it "rewinds" it takes the
// locals back and goes straight to the call where it was. So a switch is
//
//     process A            leave: start_unwind, return .. return, into the loop of enter
//     enter                stop_unwind; start_rewind; call the first function of process B
//     process B            call .. call, down to the leave where B had been: stop_rewind, return
//
// The loop stays on the stack of whoever runs the world; it is neither rewritten, nor is anything
// above it. The module's stack of what has addresses is moved as natively, by its pointer; the
// saved locals lie on the free part of the process's own stack:
//
//     low        low + canary                               sp
//     | canary   | saved locals, upwards -->    <-- frames  | frames | foi_stack |
//
// Asyncify traps where they do not fit; foi_stack_limit leaves them a quarter of the stack.
//
// Not the JavaScript Promise Integration, which not every engine has, and which hands over by
// promises: a desk could not answer before the next turn of the event loop.
#include "process/coroutine.h"

#define ASYNCIFY(name) __attribute__((import_module("asyncify"), import_name(name))) extern void
ASYNCIFY("start_unwind") start_unwind(void *saved);
ASYNCIFY("stop_unwind") stop_unwind(void);
ASYNCIFY("start_rewind") start_rewind(void *saved);
ASYNCIFY("stop_rewind") stop_rewind(void);

__asm__(".globaltype __stack_pointer, i32\n");

static inline char *stack_pointer(void)
{
    char *sp;
    __asm__ volatile("global.get __stack_pointer\n"
                     "local.set %0"
                     : "=r"(sp));
    return sp;
}

static inline void set_stack_pointer(char *sp)
{
    __asm__ volatile("local.get %0\n"
                     "global.set __stack_pointer"
                     :
                     : "r"(sp));
}

void foi_coroutine_init(foi_coroutine *c, foi_stack *stack, void (*entry)(void *), void *argument)
{
    char *top = stack->low + stack->use;
    *c = (foi_coroutine){.sp = top - (uintptr_t)top % 16,
                         .low = stack->low + sizeof(uint64_t[FOI_CANARY]),
                         .entry = entry,
                         .argument = argument};
}

void foi_coroutine_end(foi_coroutine *c)
{
    (void)c;
}

void foi_coroutine_arrive(foi_coroutine *from, foi_coroutine *at)
{
    (void)from, (void)at;
}

// Asyncify knows by the calls in it that this function is below all that is unwound, and does not
// rewrite it; likewise that foi_coroutine_leave is above.
__attribute__((noinline)) void foi_coroutine_enter(foi_coroutine *root, foi_coroutine *to)
{
    char *own = stack_pointer();
    while (to != root) {
        foi_coroutine *c = to;
        set_stack_pointer(c->sp);
        if (c->begun) start_rewind(&c->saved);
        c->begun = true;
        c->entry(c->argument);
        stop_unwind();
        to = c->next;
    }
    set_stack_pointer(own);
}

__attribute__((noinline)) void foi_coroutine_leave(foi_coroutine *from, foi_coroutine *to)
{
    if (from->away) { // it is back
        from->away = false;
        stop_rewind();
        return;
    }
    char *sp = stack_pointer();
    from->away = true;
    from->next = to;
    from->sp = sp;
    from->saved.at = from->low, from->saved.end = sp;
    start_unwind(&from->saved);
}
