// Traces: every act in its order, and a queue computed anew from them alone.
#include "scene.h"

// ------------------------------------------------------------------------------- acts as a text

typedef struct listener {
    char text[4096];
    size_t used, count;
    size_t fail_at; ///< > 0: this act is an error
} listener;

static fo_status hear(void *self, const fo_act *act, fo_message *why)
{
    listener *l = self;
    if (++l->count == l->fail_at) return fo_fail(why, FO_ERROR_INPUT, "the disk is full");
    if (l->used > sizeof l->text - 128) return FO_OK;
    char amount[32] = "", by[64] = "", *at = l->text + l->used;
    if (!isnan(act->amount)) snprintf(amount, sizeof amount, " %g", act->amount);
    if (act->by_number) snprintf(by, sizeof by, " by %s", act->by);
    l->used +=
        (size_t)snprintf(at, sizeof l->text - l->used, "%g %s %s%s%s%s%s\n", act->t, act->who,
                         act->action, *act->what ? " " : "", act->what, amount, by);
    return FO_OK;
}

static void traced(scene *s, listener *l)
{
    scene_open(s, NULL);
    *l = (listener){0};
    fo_trace trace = {l, hear};
    CHECK_STATUS(fo_world_trace(s->w, &trace), FO_OK, fo_world_message(s->w));
}

static void start(scene *s, int i, const char *name, fo_actions *actions, int priority)
{
    s->p[i] = fo_process_make(s->w, &(fo_process_def){name, actions, s, .priority = priority});
    fo_activate_at(s->p[i], fo_time(s->w), false);
}

// -------------------------------------------------------------------------------------- priorities

/// Whoever waits is put in by the priority that its act tells; then those who are served must be
/// the first of it, whatever the priorities are.
typedef struct line_told {
    struct {
        uint64_t number;
        int priority;
    } line[64];
    size_t count, served, waited;
} line_told;

static fo_status line_up(void *self, const fo_act *act, fo_message *why)
{
    line_told *l = self;
    (void)why;
    if (strcmp(act->action, "wait") == 0) {
        size_t i = l->count++;
        for (; i > 0 && l->line[i - 1].priority < act->priority; i--) l->line[i] = l->line[i - 1];
        l->line[i].number = act->number, l->line[i].priority = act->priority;
        l->waited++;
    } else if (strcmp(act->action, "seize") == 0 && l->count) {
        CHECK_INT((int)l->line[0].number, (int)act->number);
        CHECK_INT(l->line[0].priority, act->priority);
        memmove(l->line, l->line + 1, --l->count * sizeof *l->line);
        l->served++;
    }
    return FO_OK;
}

static void ranked(fo_world *w, void *self)
{
    scene *s = self;
    uint32_t k = (uint32_t)fo_process_number(fo_current(w));
    fo_hold(w, 0.3 * k);
    fo_seize_with(w, s->resource, &(fo_request){.priority = (int)(k * 7 % 5) - 2});
    fo_hold(w, 1);
    fo_release(w, s->resource);
}

static void rush(fo_world *w, void *self)
{
    scene *s = self;
    for (int i = 0; i < 30; i++) start(s, i % 8, "one", ranked, i % 3);
    fo_hold(w, 100);
}

TEST(a_line_is_in_the_order_of_the_priorities_that_acts_tell)
{
    scene s;
    line_told told = {0};
    scene_open(&s, NULL);
    s.resource = fo_resource_create(s.w, "dock", 1);
    fo_trace trace = {&told, line_up};
    CHECK_STATUS(fo_world_trace(s.w, &trace), FO_OK, fo_world_message(s.w));
    scene_play(&s, rush);
    CHECK(told.waited > 20 && told.served == told.waited && told.count == 0);
    scene_close(&s);
}

// --------------------------------------------------------------------------------------- resources

static void long_user(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize(w, s->resource);
    fo_hold(w, 5);
}

static void impatient(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize_with(w, s->resource, &(fo_request){.patience = 1});
}

static void shy(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize_with(w, s->resource, &(fo_request){.balk = 1});
}

static void interrupted(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize(w, s->resource);
}

static void strong(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize_with(w, s->resource, &(fo_request){.preempt = true});
    fo_hold(w, 1);
    fo_release(w, s->resource);
}

static void resources(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "dock", 1);
    start(s, 0, "long", long_user, 0);
    start(s, 1, "impatient", impatient, 0);
    start(s, 2, "shy", shy, 0);
    fo_hold(w, 2);
    start(s, 3, "patient", interrupted, 0);
    fo_hold(w, 0.5);
    fo_interrupt(s->p[3], NULL);
    fo_hold(w, 0.5);
    start(s, 4, "strong", strong, 5);
    fo_hold(w, 10);
}

TEST(acts_at_a_resource)
{
    scene s;
    listener l;
    traced(&s, &l);
    scene_play(&s, resources);
    CHECK_TEXT(l.text, "0 main activate 0\n"
                       "0 main begin\n"
                       "0 long activate 0 by main\n"
                       "0 impatient activate 0 by main\n"
                       "0 shy activate 0 by main\n"
                       "0 main hold 2\n"
                       "0 long begin\n"
                       "0 long seize dock 1\n"
                       "0 long hold 5\n"
                       "0 impatient begin\n"
                       "0 impatient wait dock 1\n"
                       "0 shy begin\n"
                       "0 shy balk dock 1\n"
                       "0 shy end\n"
                       "1 impatient renege dock 1\n"
                       "1 impatient end\n"
                       "2 patient activate 0 by main\n"
                       "2 main hold 0.5\n"
                       "2 patient begin\n"
                       "2 patient wait dock 1\n"
                       "2.5 patient interrupt by main\n"
                       "2.5 patient leave dock 1 by main\n"
                       "2.5 main hold 0.5\n"
                       "2.5 patient end\n"
                       "3 strong activate 0 by main\n"
                       "3 main hold 10\n"
                       "3 strong begin\n"
                       "3 long preempt dock 1 by strong\n"
                       "3 strong seize dock 1\n"
                       "3 strong hold 1\n"
                       "3 long end\n"
                       "4 strong release dock 1\n"
                       "4 strong end\n"
                       "13 main end\n");
    scene_close(&s);
}

// -------------------------------------------------------------------------------- the other things

static void fetch(fo_world *w, void *self)
{
    scene *s = self;
    double item;
    fo_store_get(w, s->store, &item);
    fo_container_get(w, s->container, 3);
    fo_gate_pass(w, s->gate);
    fo_wait(w, &s->queue);
}

static bool late(fo_world *w, void *self)
{
    (void)self;
    return fo_time(w) >= 1.5;
}

static void watcher(fo_world *w, void *self)
{
    fo_wait_until_with(w, late, self, &(fo_state_event){.name = "late"});
}

static void bring(fo_world *w, void *self)
{
    scene *s = self;
    double item = 1;
    s->store = fo_store_create(w, "shelf", sizeof item, 1);
    s->container = fo_container_create(w, "tank", 4, 1);
    s->gate = fo_gate_create(w, "door", false);
    start(s, 0, "fetcher", fetch, 0);
    start(s, 1, "watcher", watcher, 0);
    fo_hold(w, 1);
    fo_store_put(w, s->store, &item);
    fo_container_put(w, s->container, 2);
    fo_hold(w, 1);
    fo_gate_open(s->gate);
    fo_hold(w, 1);
    fo_gate_shut(s->gate);
    fo_reactivate_delay(s->p[0], 1, false);
    fo_hold(w, 2);
}

TEST(acts_at_stores_containers_gates_queues_and_state_events)
{
    scene s;
    listener l;
    traced(&s, &l);
    scene_play(&s, bring);
    CHECK_CONTAINS(l.text, "0 fetcher wait to get shelf 1\n");
    CHECK_CONTAINS(l.text, "0 watcher wait late\n");
    CHECK_CONTAINS(l.text, "1 main put shelf 1\n1 fetcher get shelf 1 by main\n"
                           "1 main put tank 2\n1 main hold 1\n"
                           "1 fetcher get tank 3\n1 fetcher wait door 1\n");
    CHECK_CONTAINS(l.text, " watcher met late\n");
    CHECK_CONTAINS(l.text, "2 main open door\n2 fetcher pass door 1 by main\n");
    CHECK_CONTAINS(l.text, "2 fetcher wait\n");
    CHECK_CONTAINS(l.text, "3 main shut door\n3 fetcher reactivate 1 by main\n");
    CHECK_CONTAINS(l.text, "4 fetcher end\n");
    scene_close(&s);
}

// ------------------------------------------------------------------------------------------ M/M/1

enum { CUSTOMERS = 20000 };

typedef struct counter {
    fo_resource *clerk;
    fo_random arrivals, services;
    double rate;
    fo_tally in_system;
    fo_resource_statistics own;
    double end;
} counter;

static void customer(fo_world *w, void *self)
{
    counter *c = self;
    double came = fo_time(w);
    fo_seize(w, c->clerk);
    fo_hold(w, fo_random_negexp(&c->services, 1));
    fo_release(w, c->clerk);
    fo_tally_add(&c->in_system, fo_time(w) - came);
}

static void mm1(fo_world *w, void *self)
{
    counter *c = self;
    c->arrivals = fo_world_stream(w, 0), c->services = fo_world_stream(w, 1);
    c->clerk = fo_resource_create(w, "clerk", 1);
    for (int i = 0; i < CUSTOMERS; i++) {
        fo_hold(w, fo_random_negexp(&c->arrivals, c->rate));
        fo_spawn(w, "customer", customer, c);
    }
    fo_hold(w, 1000); // the last ones leave
    c->own = fo_resource_measure(c->clerk);
    c->end = fo_time(w);
}

/// A queue as its trace tells it: it knows nothing of the resource.
typedef struct audit {
    double came[CUSTOMERS + 2]; ///< by number: when it joined the line
    double began[CUSTOMERS + 2], waits, longest, system;
    double born[CUSTOMERS + 2];
    uint64_t seized, waited, released, inside;
    double line_area, used_area, system_area, last;
    double line, used, population;
    double before; ///< time of the last act
    bool ordered;
} audit;

static void pass_time(audit *a, double t)
{
    a->ordered &= t >= a->before;
    a->before = t;
    a->line_area += a->line * (t - a->last);
    a->used_area += a->used * (t - a->last);
    a->system_area += a->population * (t - a->last);
    a->last = t;
}

static fo_status check(void *self, const fo_act *act, fo_message *why)
{
    audit *a = self;
    (void)why;
    pass_time(a, act->t);
    if (strcmp(act->who, "customer") != 0) return FO_OK;
    uint64_t n = act->number;
    if (n >= CUSTOMERS + 2) return FO_ERROR_MODEL;
    if (strcmp(act->action, "begin") == 0) a->born[n] = act->t, a->population++;
    if (strcmp(act->action, "end") == 0) a->system += act->t - a->born[n], a->population--;
    if (strcmp(act->action, "wait") == 0) a->came[n] = act->t, a->line++;
    if (strcmp(act->action, "seize") == 0) {
        bool stood = a->came[n] > 0;
        double wait = stood ? act->t - a->came[n] : 0;
        a->line -= stood, a->waited += stood;
        a->waits += wait, a->longest = fmax(a->longest, wait);
        a->used += act->amount, a->seized++;
    }
    if (strcmp(act->action, "release") == 0) a->used -= act->amount, a->released++;
    return FO_OK;
}

TEST(a_queue_from_its_trace_is_the_queue_that_the_resource_saw)
{
    static audit a;
    a = (audit){.ordered = true};
    counter c = {.rate = 0.8};
    fo_world *w = fo_world_create(&(fo_world_def){.seed = 11, .stack = 8 << 10}, NULL);
    fo_trace trace = {&a, check};
    REQUIRE(w && fo_world_trace(w, &trace) == FO_OK);
    CHECK_STATUS(fo_world_simulate(w, mm1, &c), FO_STOPPED, fo_world_message(w));
    pass_time(&a, c.end);
    CHECK(a.ordered);
    CHECK_INT(a.seized, CUSTOMERS);
    CHECK_INT(a.released, CUSTOMERS);
    CHECK_INT(c.own.seized, CUSTOMERS);
    CHECK_INT(c.own.waited, a.waited);
    double rounding = 1e-12;
    CHECK_NEAR(c.own.mean_wait, a.waits / CUSTOMERS, rounding * c.own.mean_wait);
    CHECK_NEAR(c.own.longest_wait, a.longest, rounding * a.longest);
    CHECK_NEAR(c.own.mean_line, a.line_area / c.end, rounding * c.own.mean_line);
    CHECK_NEAR(c.own.mean_used, a.used_area / c.end, rounding * c.own.mean_used);
    CHECK_NEAR(c.in_system.mean, a.system / CUSTOMERS, rounding * c.in_system.mean);
    // Little's law: L = lambda W, exactly since all have left; of the line and of the system
    double lambda = CUSTOMERS / c.end;
    CHECK_NEAR(a.line_area / c.end, lambda * c.own.mean_wait, 1e-11);
    CHECK_NEAR(a.system_area / c.end, lambda * c.in_system.mean, 1e-11);
    // and about what theory says of M/M/1: 1 / (mu - lambda) in the system, rho of that in line
    CHECK_NEAR(c.in_system.mean, 5, 0.8);
    CHECK_NEAR(c.own.mean_wait, 4, 0.8);
    fo_world_destroy(w);
}

// --------------------------------------------------------------------------------------- the rules

static fo_status count_acts(void *self, const fo_act *act, fo_message *why)
{
    (void)act, (void)why;
    ++*(uint64_t *)self;
    return FO_OK;
}

static double mean_of(const fo_trace *trace, size_t stack)
{
    counter c = {.rate = 0.8};
    fo_world *w = fo_world_create(&(fo_world_def){.seed = 3, .stack = stack}, NULL);
    if (trace) CHECK_STATUS(fo_world_trace(w, trace), FO_OK, fo_world_message(w));
    CHECK_STATUS(fo_world_simulate(w, mm1, &c), FO_STOPPED, fo_world_message(w));
    fo_world_destroy(w);
    return c.in_system.mean;
}

// Also where the buffer runs full on a stack of 8 KiB: 100,000 acts do not fit into it.
TEST(a_trace_changes_nothing)
{
    uint64_t acts = 0;
    fo_trace trace = {&acts, count_acts};
    double without = mean_of(NULL, 8 << 10), with = mean_of(&trace, 8 << 10);
    CHECK(memcmp(&without, &with, sizeof with) == 0);
    CHECK(acts > 100000);
}

TEST(a_trace_that_fails_ends_the_run)
{
    for (size_t at = 1; at < 40; at += 7) {
        scene s;
        listener l;
        traced(&s, &l);
        l.fail_at = at;
        fo_status status = fo_world_simulate(s.w, resources, &s);
        CHECK_INT(status, at > 34 ? FO_STOPPED : FO_ERROR_INPUT);
        if (at <= 34) CHECK_CONTAINS(fo_world_message(s.w)->text, "the disk is full");
        if (at <= 34) CHECK_INT(l.count, at);
        scene_close(&s);
    }
}

TEST(a_trace_can_end)
{
    scene s;
    listener l;
    traced(&s, &l);
    start(&s, 0, "one", shy, 0);
    CHECK_STATUS(fo_world_trace(s.w, NULL), FO_OK, fo_world_message(s.w));
    CHECK_TEXT(l.text, "0 one activate 0\n"); // what was noted is told
    s.resource = fo_resource_create(s.w, "dock", 1);
    CHECK_INT(fo_world_run(s.w, 1), FO_REACHED);
    CHECK_INT(l.count, 1);
    scene_close(&s);
}

TEST(a_trace_needs_memory)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    fo_world *w = fo_world_create(&(fo_world_def){.allocator = &memory.allocator}, NULL);
    listener l = {0};
    fo_trace trace = {&l, hear};
    memory.fail_at = memory.allocations + 1;
    CHECK_INT(fo_world_trace(w, &trace), FO_ERROR_MEMORY);
    fo_world_destroy(w);
    CHECK_INT(memory.live, 0);
}

TEST_MAIN(TEST_ENTRY(acts_at_a_resource),
          TEST_ENTRY(a_line_is_in_the_order_of_the_priorities_that_acts_tell),
          TEST_ENTRY(acts_at_stores_containers_gates_queues_and_state_events),
          TEST_ENTRY(a_queue_from_its_trace_is_the_queue_that_the_resource_saw),
          TEST_ENTRY(a_trace_changes_nothing), TEST_ENTRY(a_trace_that_fails_ends_the_run),
          TEST_ENTRY(a_trace_can_end), TEST_ENTRY(a_trace_needs_memory))
