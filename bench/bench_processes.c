// Processes: the switch, a queue, many pending events, many processes, and a chain of dominoes.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "bench.h"
#include "process/coroutine.h"
#include "worlds/worlds.h"

enum { CUSTOMERS = 1000000, SWITCHES = 2000000, EVENTS = 1000000 };

// ------------------------------------------------------------------------------------ the switch

typedef struct pair {
    foi_coroutine main, other;
    ucontext_t main_context, other_context;
    foi_stacks stacks;
} pair;

static void ping(void *self)
{
    pair *p = self;
    for (;;) foi_coroutine_switch(&p->other, &p->main, false);
}

static double switch_ours(void *self)
{
    pair *p = self;
    double before = bench_seconds();
    for (int i = 0; i < SWITCHES / 2; i++) foi_coroutine_switch(&p->main, &p->other, false);
    return (bench_seconds() - before) / SWITCHES * 1e9;
}

static void ping_context(unsigned high, unsigned low)
{
    pair *p = (pair *)((uintptr_t)high << 32 | low);
    for (;;) swapcontext(&p->other_context, &p->main_context);
}

static double switch_context(void *self)
{
    pair *p = self;
    enum { FEWER = SWITCHES / 20 };
    double before = bench_seconds();
    for (int i = 0; i < FEWER / 2; i++) swapcontext(&p->main_context, &p->other_context);
    return (bench_seconds() - before) / FEWER * 1e9;
}

static void bench_switch(bench_table *table)
{
    pair p = {0};
    foi_stack *a = foi_stack_take(&p.stacks, 64 << 10), *b = foi_stack_take(&p.stacks, 64 << 10);
    foi_coroutine_init(&p.other, a, ping, &p);
    getcontext(&p.other_context);
    p.other_context.uc_stack.ss_sp = b->low, p.other_context.uc_stack.ss_size = b->use;
    makecontext(&p.other_context, (void (*)(void))ping_context, 2, (unsigned)((uintptr_t)&p >> 32),
                (unsigned)(uintptr_t)&p);
    bench_runner runners[] = {{switch_ours, &p}, {switch_context, &p}};
    bench_race(runners, 2, 20);
    bench_add(table, (bench_line){"switch", "5 ns", "ns", runners[0].best, 5, 1, NULL});
    bench_add(table, (bench_line){"switch", "ucontext", "ns", runners[0].best, runners[1].best, 0.1,
                                  NULL});
    foi_stacks_destroy(&p.stacks);
}

// ------------------------------------------------------------------------ the same, by hand

/// An event loop as one would write it for one purpose: a 4-ary heap and the same switch.
typedef struct hand_event {
    double t;
    uint64_t order;
    foi_coroutine *who;
} hand_event;

typedef struct hand_world {
    foi_coroutine root, arrivals, server;
    foi_coroutine *current, *waiter;
    foi_stacks stacks;
    hand_event *heap;
    size_t count;
    uint64_t order;
    double now;
    double *line; ///< a ring of times of arrival
    size_t head, tail;
    fo_random arriving, serving;
    fo_tally tally;
} hand_world;

enum { RING = 1 << 20 };

static inline bool hand_before(const hand_event *a, const hand_event *b)
{
    return a->t < b->t || (a->t == b->t && a->order < b->order);
}

static inline void hand_push(hand_event *heap, size_t *count, hand_event e)
{
    size_t i = (*count)++;
    while (i) {
        size_t parent = (i - 1) / 4;
        if (!hand_before(&e, &heap[parent])) break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = e;
}

static inline hand_event hand_pop(hand_event *heap, size_t *count)
{
    hand_event first = heap[0], e = heap[--*count];
    size_t i = 0;
    for (;;) {
        size_t child = 4 * i + 1, end = child + 4 < *count ? child + 4 : *count, least = child;
        if (child >= *count) break;
        for (size_t k = child + 1; k < end; k++)
            if (hand_before(&heap[k], &heap[least])) least = k;
        if (!hand_before(&heap[least], &e)) break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = e;
    return first;
}

static void hand_schedule(hand_world *w, double t, foi_coroutine *who)
{
    hand_push(w->heap, &w->count, (hand_event){t, w->order++, who});
}

static void hand_yield(hand_world *w)
{
    foi_coroutine_switch(w->current, &w->root, false);
}

static void hand_hold(hand_world *w, double duration)
{
    hand_schedule(w, w->now + duration, w->current);
    hand_yield(w);
}

static void hand_arrivals(void *self)
{
    hand_world *w = self;
    for (int i = 0; i < CUSTOMERS; i++) {
        hand_hold(w, fo_random_negexp(&w->arriving, 0.9));
        w->line[w->tail++ & (RING - 1)] = w->now;
        if (w->waiter) hand_schedule(w, w->now, w->waiter), w->waiter = NULL;
    }
    for (;;) hand_yield(w);
}

static void hand_server(void *self)
{
    hand_world *w = self;
    for (;;) {
        while (w->head == w->tail) {
            w->waiter = w->current;
            hand_yield(w);
        }
        double arrived = w->line[w->head++ & (RING - 1)];
        hand_hold(w, fo_random_negexp(&w->serving, 1));
        fo_tally_add(&w->tally, w->now - arrived);
    }
}

static double mm1_hand(void *self)
{
    double *mean = self;
    hand_world w = {.arriving = fo_random_stream(1, 0), .serving = fo_random_stream(1, 1)};
    w.heap = malloc(64 * sizeof *w.heap);
    w.line = malloc(RING * sizeof *w.line);
    memset(w.line, 0, RING * sizeof *w.line);
    foi_coroutine_init(&w.arrivals, foi_stack_take(&w.stacks, 64 << 10), hand_arrivals, &w);
    foi_coroutine_init(&w.server, foi_stack_take(&w.stacks, 64 << 10), hand_server, &w);
    double before = bench_seconds();
    hand_schedule(&w, 0, &w.arrivals);
    hand_schedule(&w, 0, &w.server);
    while (w.count) {
        hand_event e = hand_pop(w.heap, &w.count);
        w.now = e.t;
        w.current = e.who;
        foi_coroutine_switch(&w.root, e.who, false);
    }
    double seconds = bench_seconds() - before;
    *mean = w.tally.mean;
    foi_stacks_destroy(&w.stacks);
    free(w.heap);
    free(w.line);
    return w.tally.count == CUSTOMERS ? seconds * 1e3 : NAN;
}

static double mm1_ours(void *self)
{
    double *mean = self;
    fo_tally tally = {0};
    double before = bench_seconds();
    fo_status status = mm1(NULL, 0.9, 1, CUSTOMERS, &tally, NULL);
    double seconds = bench_seconds() - before;
    *mean = tally.mean;
    return status == FO_OK && tally.count == CUSTOMERS ? seconds * 1e3 : NAN;
}

static void bench_mm1(bench_table *table)
{
    double ours = 0, theirs = 0;
    bench_runner runners[] = {{mm1_ours, &ours}, {mm1_hand, &theirs}};
    if (!bench_race(runners, 2, 9)) bench_break(table, "mm1: a run failed");
    if (ours != theirs) bench_break(table, "mm1: %.15g here, %.15g by hand", ours, theirs);
    bench_add(table, (bench_line){"mm1, 1,000,000 customers", "hand-written", "ms", runners[0].best,
                                  runners[1].best, 1.9, NULL});
    bench_add(table, (bench_line){"mm1, 1,000,000 customers", "90 ms", "ms", runners[0].best, 90, 1,
                                  NULL});
}

// -------------------------------------------------------------------------------- pending events

typedef struct crowd {
    uint32_t count;
    uint64_t left;
    fo_random random;
    double seconds;
} crowd;

static void restless(fo_world *w, void *self)
{
    crowd *c = self;
    for (;;) {
        fo_hold(w, fo_random_negexp(&c->random, 1));
        if (--c->left == 0) fo_world_stop(w);
    }
}

// The first events begin the processes; what is measured comes after. The stacks are too small for
// the dynamic linker, so that what they call must have been called before.
static double crowd_ours(void *self)
{
    crowd *c = self;
    fo_world *w = fo_world_create(&(fo_world_def){.stop = 1e9, .stack = 1900}, NULL);
    c->random = fo_random_stream(1, 2);
    for (int i = 0; i < 10000; i++) fo_random_negexp(&c->random, 1);
    c->left = UINT64_MAX;
    for (uint32_t i = 0; i < c->count; i++) fo_spawn(w, "restless", restless, c);
    fo_status status = fo_world_run(w, 1);
    c->left = EVENTS;
    double before = bench_seconds();
    if (status == FO_REACHED) status = fo_world_run(w, 1e9);
    double seconds = bench_seconds() - before;
    fo_world_destroy(w);
    return status == FO_STOPPED ? seconds / EVENTS * 1e9 : NAN;
}

static double crowd_heap(void *self)
{
    crowd *c = self;
    hand_event *heap = malloc(((size_t)c->count + 1) * sizeof *heap);
    size_t count = 0;
    uint64_t order = 0;
    fo_random random = fo_random_stream(1, 2);
    for (uint32_t i = 0; i < c->count; i++)
        hand_push(heap, &count, (hand_event){fo_random_negexp(&random, 1), order++, NULL});
    for (uint32_t i = 0; i < c->count; i++) {
        hand_event e = hand_pop(heap, &count);
        hand_push(heap, &count, (hand_event){e.t + fo_random_negexp(&random, 1), order++, NULL});
    }
    double before = bench_seconds();
    for (int i = 0; i < EVENTS; i++) {
        hand_event e = hand_pop(heap, &count);
        hand_push(heap, &count, (hand_event){e.t + fo_random_negexp(&random, 1), order++, NULL});
    }
    double seconds = bench_seconds() - before;
    free(heap);
    return seconds / EVENTS * 1e9;
}

static void bench_pending(bench_table *table)
{
    for (uint32_t n = 10; n <= 1000000; n *= 10) {
        char name[48];
        crowd c = {.count = n};
        bench_runner runners[] = {{crowd_ours, &c}, {crowd_heap, &c}};
        if (!bench_race(runners, 2, n >= 100000 ? 2 : 5)) bench_break(table, "a crowd failed");
        snprintf(name, sizeof name, "hold, %u processes", n);
        bench_add(table, (bench_line){name, "bare heap", "ns/event", runners[0].best,
                                      runners[1].best, 0, NULL});
    }
}

// ---------------------------------------------------------------------------------- memory, chain

static double resident_gib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return NAN;
    if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = -1;
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
}

static void asleep(fo_world *w, void *self)
{
    (void)self;
    fo_hold(w, 1e6);
}

static void bench_memory(bench_table *table)
{
    double before = resident_gib();
    fo_world *w = fo_world_create(&(fo_world_def){.stop = 1e9, .stack = 1900}, NULL);
    for (int i = 0; i < 1000000; i++) fo_spawn(w, "asleep", asleep, NULL);
    if (fo_world_run(w, 1) != FO_REACHED)
        bench_break(table, "a million: %s", fo_world_message(w)->text);
    bench_add(table, (bench_line){"1,000,000 processes at once", "4 GiB", "GiB",
                                  resident_gib() - before, 4, 1, NULL});
    fo_world_destroy(w);
}

static double chain(void *self)
{
    double velocity = 0;
    (void)self;
    double before = bench_seconds();
    for (int i = 0; i < 20; i++)
        if (dominoes(NULL, 55, 0.0204, &velocity, NULL) != FO_OK) return NAN;
    return fabs(velocity - 0.6285) < 1e-3 ? (bench_seconds() - before) / 20 * 1e3 : NAN;
}

static void bench_dominoes(bench_table *table)
{
    bench_runner runner = {chain, NULL};
    if (!bench_race(&runner, 1, 20)) bench_break(table, "the dominoes failed");
    bench_add(table, (bench_line){"dominoes, 55 stones", "1 ms", "ms", runner.best, 1, 1, NULL});
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "processes", argc, argv)) return 1;
    bench_title("Processes");
    bench_switch(&table);
    bench_mm1(&table);
    bench_dominoes(&table);
    bench_memory(&table);
    bench_pending(&table);
    return bench_close(&table);
}
