// Coroutines and their stacks.
#include <fenv.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/coroutine.h"
#include "test.h"

typedef struct pair {
    foi_coroutine main, other;
    foi_stacks stacks;
    foi_stack *stack;
    long count;
    double sum;
} pair;

static void count_up(void *argument)
{
    pair *p = argument;
    foi_coroutine_arrive(&p->main, &p->other);
    double local = 0.5;
    for (;;) {
        p->count++;
        local *= 2;
        p->sum += local;
        foi_coroutine_switch(&p->other, &p->main, false);
    }
}

static void open_pair(pair *p)
{
    *p = (pair){0};
    p->stack = foi_stack_take(&p->stacks, 32 << 10);
    foi_coroutine_init(&p->other, p->stack, count_up, p);
}

static void close_pair(pair *p)
{
    foi_coroutine_end(&p->other);
    foi_stacks_destroy(&p->stacks);
}

TEST(locals_survive_a_switch)
{
    pair p;
    open_pair(&p);
    double mine = 3;
    for (int i = 0; i < 10; i++) {
        mine += 0.25;
        foi_coroutine_switch(&p.main, &p.other, false);
    }
    CHECK_INT(p.count, 10);
    CHECK(p.sum == 1023);
    CHECK(mine == 5.5);
    close_pair(&p);
}

static int deep(pair *p, int depth)
{
    volatile char room[64];
    room[depth % 64] = (char)depth;
    if (depth == 0) {
        foi_coroutine_switch(&p->other, &p->main, false);
        return 0;
    }
    int below = deep(p, depth - 1);
    return below + (room[depth % 64] == (char)depth);
}

static void dive(void *argument)
{
    pair *p = argument;
    foi_coroutine_arrive(&p->main, &p->other);
    p->count = deep(p, 50);
    for (;;) foi_coroutine_switch(&p->other, &p->main, false);
}

TEST(suspends_from_any_depth)
{
    pair p = {0};
    p.stack = foi_stack_take(&p.stacks, 64 << 10);
    foi_coroutine_init(&p.other, p.stack, dive, &p);
    foi_coroutine_switch(&p.main, &p.other, false);
    CHECK_INT(p.count, 0);
    foi_coroutine_switch(&p.main, &p.other, false);
    CHECK_INT(p.count, 50);
    close_pair(&p);
}

TEST(stacks_are_used_again)
{
    foi_stacks stacks = {0};
    foi_stack *a = foi_stack_take(&stacks, 20000), *b = foi_stack_take(&stacks, 20000);
    CHECK(a && b && a != b);
    CHECK(a->use >= 20000 && a->guarded);
    foi_stack_give_back(&stacks, a);
    CHECK(foi_stack_take(&stacks, 20000) == a);
    foi_stack *small = foi_stack_take(&stacks, 900);
    CHECK(small && small->use >= 900 && !small->guarded);
    CHECK(foi_stack_limit(small) == (uintptr_t)small->low + small->use / 8);
    CHECK(foi_stack_canary(a) == foi_canary_of_guarded && foi_canary_lives(foi_canary_of_guarded));
    for (int i = 0; i < 64; i++) { // each of the last bytes is looked at
        CHECK(foi_canary_lives(foi_stack_canary(small)));
        small->low[i] = 1; // as frames would have done
        CHECK(!foi_canary_lives(foi_stack_canary(small)));
        small->low[i] = 0;
    }
    CHECK(foi_stack_take(&stacks, (size_t)1 << 40) == NULL);
    foi_stacks_destroy(&stacks);
}

// A write just below the stack, in a process of its own: it must not live on.
static bool survives_a_fall(const foi_stack *stack)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO); // a sanitizer would say it at length
        ((volatile char *)stack->low)[-1] = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(stacks_of_a_page_or_more_have_guards)
{
    foi_stacks stacks = {0};
    for (size_t size = 900; size < (1 << 20); size *= 2) {
        const foi_stack *stack = foi_stack_take(&stacks, size);
        CHECK(stack->use >= size);
        CHECK(stack->guarded == (size > 2000));
        if (stack->guarded) CHECK(!survives_a_fall(stack));
    }
    foi_stacks_destroy(&stacks);
}

// All of them where the system has light guards, otherwise as many as it can bear.
TEST(many_stacks_have_guards)
{
    enum { MANY = 40000 };
    foi_stacks stacks = {0};
    int guarded = 0;
    foi_stack *last = NULL;
    for (int i = 0; i < MANY; i++) {
        last = foi_stack_take(&stacks, 6000);
        REQUIRE(last);
        guarded += last->guarded;
    }
    CHECK(guarded == MANY || (stacks.heavy_only && guarded == FOI_STACK_GUARDS));
    CHECK(!last->guarded || !survives_a_fall(last));
    foi_stacks_destroy(&stacks);
    stacks.heavy_only = true; // as on an older system
    for (int i = guarded = 0; i < MANY; i++) {
        last = foi_stack_take(&stacks, 6000);
        REQUIRE(last);
        guarded += last->guarded;
    }
    CHECK_INT(guarded, FOI_STACK_GUARDS);
    foi_stacks_destroy(&stacks);
}

// Generous, because the machine may be busy, and not where another is emulated; the figure of
// interest is in the benchmark.
TEST(a_switch_is_fast)
{
#if !defined(FOI_COROUTINE_WATCHED) && defined(__x86_64__) && defined(NDEBUG)
    pair p;
    open_pair(&p);
    double best = 1;
    for (int round = 0; round < 20; round++) {
        int64_t begun = foi_clock_now();
        for (int i = 0; i < 100000; i++) foi_coroutine_switch(&p.main, &p.other, false);
        double each = foi_clock_seconds(begun, foi_clock_now()) / 200000;
        if (each < best) best = each;
    }
    if (!(best < 20e-9)) test_fail(__FILE__, __LINE__, "a switch takes %g ns", best * 1e9);
    close_pair(&p);
#endif
}

TEST_MAIN(TEST_ENTRY(locals_survive_a_switch), TEST_ENTRY(suspends_from_any_depth),
          TEST_ENTRY(stacks_are_used_again), TEST_ENTRY(stacks_of_a_page_or_more_have_guards),
          TEST_ENTRY(many_stacks_have_guards), TEST_ENTRY(a_switch_is_fast))
