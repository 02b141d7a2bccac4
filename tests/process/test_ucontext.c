// The portable switch, compiled in here in place of the library's.
#define FOI_COROUTINE_UCONTEXT 1
#include "process/coroutine.c"
#include "process/coroutine.h"
#include "test.h"

typedef struct pair {
    foi_coroutine main, other;
    long count;
} pair;

static void count_up(void *argument)
{
    pair *p = argument;
    foi_coroutine_arrive(&p->main, &p->other);
    for (long local = 1;; local += 2) {
        p->count += local;
        foi_coroutine_switch(&p->other, &p->main, false);
    }
}

TEST(ucontext_switches)
{
    foi_stacks stacks = {0};
    pair p = {0};
    foi_coroutine_init(&p.other, foi_stack_take(&stacks, 64 << 10), count_up, &p);
    for (int i = 0; i < 100; i++) foi_coroutine_switch(&p.main, &p.other, false);
    CHECK_INT(p.count, 10000);
    foi_coroutine_end(&p.other);
    foi_stacks_destroy(&stacks);
}

TEST_MAIN(TEST_ENTRY(ucontext_switches))
