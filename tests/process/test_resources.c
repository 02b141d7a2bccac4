// Resources, stores, containers and gates.
#include "scene.h"

static const char *my_name(fo_world *w)
{
    return fo_process_name(fo_current(w));
}

static void spawn(scene *s, const char *name, fo_actions *actions, int priority)
{
    fo_process *p = fo_process_make(
        s->w, &(fo_process_def){name, actions, s, .priority = priority, .forget = true});
    fo_activate_at(p, fo_time(s->w), false);
}

static void note_both(scene *s, const char *a, const char *b)
{
    char text[64];
    snprintf(text, sizeof text, "%s:%s", a, b);
    note(s, text);
}

// ------------------------------------------------------------------------------------- resources

static void user(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize(w, s->resource);
    note(s, my_name(w));
    fo_hold(w, 2);
    fo_release(w, s->resource);
}

static void share(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "docks", 2);
    spawn(s, "a", user, 0);
    spawn(s, "b", user, 0);
    spawn(s, "c", user, 0);
    spawn(s, "d", user, 0);
    fo_hold(w, 1);
    spawn(s, "vip", user, 5);
    CHECK(fo_resource_available(s->resource) == 0);
    fo_hold(w, 0.5);
    CHECK_INT(fo_resource_line(s->resource), 3);
    fo_hold(w, 10);
    CHECK(fo_resource_available(s->resource) == 2);
}

TEST(resource_is_shared_by_priority_then_in_turn)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, share);
    CHECK_TEXT(s.log, "a@0 b@0 vip@2 c@2 d@4");
    scene_close(&s);
}

static void large(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize_with(w, s->resource, &(fo_request){.amount = 3});
    note(s, my_name(w));
    CHECK(fo_resource_held(s->resource, fo_current(w)) == 3);
    fo_hold(w, 1);
    fo_release_amount(w, s->resource, 1);
    fo_hold(w, 1); // ends with two of them: they go back
}

static void amounts(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "tanks", 4);
    spawn(s, "a", large, 0);
    spawn(s, "b", large, 0);
    spawn(s, "c", user, 0); // is not let past b, who was first
    fo_hold(w, 20);
    CHECK(fo_resource_available(s->resource) == 4);
}

TEST(resource_in_amounts_and_in_turn)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, amounts);
    CHECK_TEXT(s.log, "a@0 b@2 c@2");
    scene_close(&s);
}

static void job(fo_world *w, void *self)
{
    scene *s = self;
    double left = 10;
    for (;;) {
        fo_seize(w, s->resource);
        note_both(s, my_name(w), "on");
        fo_wake wake = fo_hold(w, left);
        if (wake == FO_WOKEN) break;
        left = fo_remaining(w);
        note_both(s, my_name(w), wake_text(wake));
        CHECK(fo_resource_held(s->resource, fo_current(w)) == 0);
    }
    fo_release(w, s->resource);
    note_both(s, my_name(w), "done");
}

static void urgent(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize_with(w, s->resource, &(fo_request){.preempt = true});
    note_both(s, my_name(w), "on");
    fo_hold(w, 3);
    fo_release(w, s->resource);
}

static void preemption(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "machine", 1);
    spawn(s, "job", job, 0);
    fo_hold(w, 4);
    spawn(s, "urgent", urgent, 1);
    fo_hold(w, 1);
    spawn(s, "equal", urgent, 1); // may not preempt its equal
    fo_hold(w, 30);
}

// 4 of 10 done, off from 4 to 10, and 6 more.
TEST(preempted_job_goes_on)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, preemption);
    CHECK_TEXT(s.log, "job:on@0 urgent:on@4 job:preempted@4 equal:on@7 job:on@10 job:done@16");
    scene_close(&s);
}

static void impatient(fo_world *w, void *self)
{
    scene *s = self;
    fo_request request = {.patience = 1.5, .balk = 2};
    fo_wake wake = fo_seize_with(w, s->resource, &request);
    note_both(s, my_name(w), wake_text(wake));
    if (wake != FO_WOKEN) return;
    fo_hold(w, 1);
    fo_release(w, s->resource);
}

static void reneging(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "clerk", 1);
    spawn(s, "a", impatient, 0);
    spawn(s, "b", impatient, 0); // served at 1
    spawn(s, "c", impatient, 0); // reneges at 1.5
    spawn(s, "d", impatient, 0); // two wait: balks
    fo_hold(w, 0.5);
    CHECK_INT(fo_seize_with(w, s->resource, &(fo_request){.at_once = true}), FO_BALKED);
    fo_hold(w, 5);
    CHECK_INT(fo_seize_with(w, s->resource, &(fo_request){.at_once = true}), FO_WOKEN);
}

TEST(balking_and_reneging)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, reneging);
    CHECK_TEXT(s.log, "a:woken@0 d:balked@0 b:woken@1 c:timed-out@1.5");
    scene_close(&s);
}

static void interrupted_waiter(fo_world *w, void *self)
{
    scene *s = self;
    note(s, wake_text(fo_seize(w, s->resource)));
    note(s, wake_text(fo_seize(w, s->resource)));
}

static void interrupting(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "clerk", 1);
    fo_seize(w, s->resource);
    fo_process *p = fo_process_create(w, "waiter", interrupted_waiter, s);
    fo_activate(p);
    fo_hold(w, 1);
    fo_interrupt(p, NULL);
    fo_hold(w, 1);
    fo_release(w, s->resource);
    fo_interrupt(p, NULL); // it has got the resource already: that counts
    fo_hold(w, 1);
    CHECK(fo_resource_available(s->resource) == 1); // it has ended
}

TEST(interrupted_in_a_line)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, interrupting);
    CHECK_TEXT(s.log, "interrupted@1 woken@2");
    scene_close(&s);
}

static void holds_on(fo_world *w, void *self)
{
    scene *s = self;
    fo_seize(w, s->resource);
    note(s, wake_text(fo_hold(w, 10)));
    CHECK_TEXT(fo_reason(w), "telephone");
    CHECK(fo_resource_held(s->resource, fo_current(w)) == 1);
    note(s, wake_text(fo_hold(w, 1 + fo_remaining(w))));
    fo_release(w, s->resource);
}

static void calls(fo_world *w, void *self)
{
    scene *s = self;
    s->resource = fo_resource_create(w, "desk", 1);
    fo_process *p = fo_process_create(w, "clerk", holds_on, s);
    fo_activate(p);
    fo_hold(w, 4);
    fo_interrupt(p, "telephone");
    fo_hold(w, 20);
    CHECK(fo_resource_available(s->resource) == 1);
}

TEST(interrupted_user_keeps_what_it_has)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, calls);
    CHECK_TEXT(s.log, "interrupted@4 woken@11");
    scene_close(&s);
}

// ---------------------------------------------------------------------------------------- stores

static void producer(fo_world *w, void *self)
{
    scene *s = self;
    for (int i = 1; i <= 5; i++) {
        fo_store_put(w, s->store, &i);
        char text[16];
        snprintf(text, sizeof text, "+%d", i);
        note(s, text);
    }
}

static void consumer(fo_world *w, void *self)
{
    scene *s = self;
    for (int i = 1; i <= 5; i++) {
        int item;
        fo_hold(w, 1);
        fo_store_get(w, s->store, &item);
        CHECK_INT(item, i);
    }
}

static void narrow_store(fo_world *w, void *self)
{
    scene *s = self;
    s->store = fo_store_create(w, "shelf", sizeof(int), 2);
    spawn(s, "producer", producer, 0);
    spawn(s, "consumer", consumer, 0);
    fo_hold(w, 10);
    CHECK_INT(fo_store_count(s->store), 0);
}

TEST(store_has_a_capacity)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, narrow_store);
    CHECK_TEXT(s.log, "+1@0 +2@0 +3@1 +4@2 +5@3");
    scene_close(&s);
}

static bool is_even(const void *item, void *self)
{
    (void)self;
    return *(const int *)item % 2 == 0;
}

static void picky(fo_world *w, void *self)
{
    scene *s = self;
    int item = 0;
    fo_store_get_with(w, s->store, &item, &(fo_request){.filter = is_even});
    s->count = s->count * 100 + item;
    note(s, "even");
}

static void filtered(fo_world *w, void *self)
{
    scene *s = self;
    s->store = fo_store_create(w, "box", sizeof(int), 0);
    spawn(s, "picky", picky, 0);
    for (int i = 1; i <= 40; i++) { // the ring grows
        fo_hold(w, 1);
        int item = 2 * i - 1 + (i == 3);
        fo_store_put(w, s->store, &item);
    }
    fo_hold(w, 1);
    CHECK_INT(s->count, 6);
    CHECK_INT(fo_store_count(s->store), 39);
    for (int i = 1; i <= 40; i++) {
        int item;
        if (i == 3) continue;
        fo_store_get(w, s->store, &item);
        CHECK_INT(item, 2 * i - 1);
    }
    int item;
    CHECK_INT(fo_store_get_with(w, s->store, &item, &(fo_request){.patience = 1}), FO_TIMED_OUT);
}

TEST(store_with_a_filter)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, filtered);
    CHECK_TEXT(s.log, "even@3");
    scene_close(&s);
}

// ------------------------------------------------------------------------------------ containers

static void drain(fo_world *w, void *self)
{
    scene *s = self;
    fo_container_get(w, s->container, 30);
    note(s, my_name(w));
}

static void fill(fo_world *w, void *self)
{
    scene *s = self;
    fo_container_put(w, s->container, 80);
    note(s, my_name(w));
}

static void tank(fo_world *w, void *self)
{
    scene *s = self;
    s->container = fo_container_create(w, "tank", 100, 50);
    spawn(s, "a", drain, 0); // 20 left
    spawn(s, "b", drain, 0); // waits
    fo_hold(w, 1);
    spawn(s, "tanker", fill, 0); // 100, then b: 70
    fo_hold(w, 1);
    CHECK(fo_container_amount(s->container) == 70);
    spawn(s, "second", fill, 0); // no room yet
    fo_hold(w, 1);
    spawn(s, "c", drain, 0); // 40
    spawn(s, "d", drain, 0); // 10, then the second: 90
    fo_hold(w, 1);
    CHECK(fo_container_amount(s->container) == 90);
    CHECK_INT(fo_container_get_with(w, s->container, &(fo_request){.amount = 95, .patience = 1}),
              FO_TIMED_OUT);
}

TEST(container_between_empty_and_full)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, tank);
    CHECK_TEXT(s.log, "a@0 tanker@1 b@1 c@3 d@3 second@3");
    scene_close(&s);
}

// ----------------------------------------------------------------------------------------- gates

static void passer(fo_world *w, void *self)
{
    scene *s = self;
    fo_gate_pass(w, s->gate);
    note(s, my_name(w));
}

static bool is_b(const fo_process *p, void *self)
{
    return strcmp(fo_process_name(p), self) == 0;
}

static void gatekeeper(fo_world *w, void *self)
{
    scene *s = self;
    s->gate = fo_gate_create(w, "gate", false);
    spawn(s, "a", passer, 0);
    spawn(s, "b", passer, 0);
    spawn(s, "c", passer, 0);
    fo_hold(w, 1);
    fo_gate_signal(s->gate, is_b, "b");
    fo_hold(w, 1);
    fo_gate_open(s->gate);
    fo_hold(w, 1);
    spawn(s, "d", passer, 0);
    fo_hold(w, 1);
    fo_gate_shut(s->gate);
    CHECK_INT(fo_gate_pass_with(w, s->gate, &(fo_request){.patience = 1}), FO_TIMED_OUT);
}

TEST(gate_opens_shuts_and_signals)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, gatekeeper);
    CHECK_TEXT(s.log, "b@1 a@2 c@2 d@3");
    scene_close(&s);
}

TEST_MAIN(TEST_ENTRY(resource_is_shared_by_priority_then_in_turn),
          TEST_ENTRY(resource_in_amounts_and_in_turn), TEST_ENTRY(preempted_job_goes_on),
          TEST_ENTRY(balking_and_reneging), TEST_ENTRY(interrupted_in_a_line),
          TEST_ENTRY(interrupted_user_keeps_what_it_has), TEST_ENTRY(store_has_a_capacity),
          TEST_ENTRY(store_with_a_filter), TEST_ENTRY(container_between_empty_and_full),
          TEST_ENTRY(gate_opens_shuts_and_signals))
