// Events and their order: one test for each sentence of the header, and the verbs of SIMULA.
#include "scene.h"

static void say_name(fo_world *w, void *self)
{
    note(self, fo_process_name(fo_current(w)));
}

static fo_process *speaker(scene *s, const char *name, int priority)
{
    return fo_process_make(s->w, &(fo_process_def){name, say_name, s, .priority = priority});
}

// ------------------------------------------------------------------------------------- the order

static void by_time_priority_order(fo_world *w, void *self)
{
    scene *s = self;
    fo_activate_at(speaker(s, "late", 5), 2, false);
    fo_activate_at(speaker(s, "b", 0), 1, false);
    fo_activate_at(speaker(s, "c", 0), 1, false);
    fo_activate_at(speaker(s, "a", 1), 1, false);
    fo_activate_delay(speaker(s, "d", -1), 1, false);
    fo_hold(w, 3);
}

TEST(events_happen_by_time_priority_and_order)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, by_time_priority_order);
    CHECK_TEXT(s.log, "a@1 b@1 c@1 d@1 late@2");
    scene_close(&s);
}

static void prior_before_after(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *b = speaker(s, "b", 0), *d = speaker(s, "d", 0);
    fo_activate_at(b, 1, false);
    fo_activate_at(d, 1, false);
    fo_activate_before(speaker(s, "c1", 0), d);
    fo_activate_before(speaker(s, "c2", 0), d);
    fo_activate_after(speaker(s, "b2", 0), b);
    fo_activate_after(speaker(s, "b1", 0), b);
    fo_activate_at(speaker(s, "a", 0), 1, true);
    fo_hold(w, 2);
}

TEST(prior_before_and_after)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, prior_before_after);
    CHECK_TEXT(s.log, "a@1 b@1 b1@1 b2@1 c1@1 c2@1 d@1");
    scene_close(&s);
}

// Beside one event there is always room: when the numbers are used up, all are given anew.
static void many_beside(fo_world *w, void *self)
{
    scene *s = self;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                        "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v"};
    fo_process *z = speaker(s, "z", 0);
    fo_activate_at(z, 1, false);
    fo_activate_at(speaker(s, "end", 0), 1, false);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fo_activate_before(speaker(s, names[i], 0), z);
    fo_hold(w, 2);
}

TEST(many_events_beside_one)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, many_beside);
    CHECK_TEXT(s.log, "a@1 b@1 c@1 d@1 e@1 f@1 g@1 h@1 i@1 j@1 k@1 l@1 m@1 n@1 o@1 p@1 q@1 r@1 "
                      "s@1 t@1 u@1 v@1 z@1 end@1");
    scene_close(&s);
}

static void two_parts(fo_world *w, void *self)
{
    note(self, "first");
    fo_hold(w, 0);
    note(self, "second");
}

static void direct(fo_world *w, void *self)
{
    scene *s = self;
    fo_activate_at(speaker(s, "other", 9), 0, false);
    note(s, "before");
    fo_activate(fo_process_create(w, "p", two_parts, s));
    note(s, "after");
    fo_hold(w, 1);
}

TEST(activated_process_runs_at_once)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, direct);
    CHECK_TEXT(s.log, "before@0 first@0 after@0 other@0 second@0");
    scene_close(&s);
}

// ------------------------------------------------------------------------------------- the verbs

static void sleeper(fo_world *w, void *self)
{
    scene *s = self;
    note(s, "sleeps");
    note(s, wake_text(fo_passivate(w)));
    note(s, wake_text(fo_hold(w, 10)));
}

static void waker(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *p = fo_process_create(w, "sleeper", sleeper, s);
    CHECK(fo_process_idle(p) && !fo_process_terminated(p));
    CHECK(isinf(fo_process_event_time(p)));
    fo_activate_delay(p, 1, false);
    CHECK(!fo_process_idle(p));
    CHECK(fo_process_event_time(p) == 1);
    CHECK(fo_world_next(w) == p);
    CHECK(fo_process_next(fo_current(w)) == p);
    CHECK(fo_process_next(p) == NULL);
    fo_hold(w, 2);
    CHECK(fo_process_idle(p));
    fo_activate_at(p, 3, false);
    fo_activate_at(p, 2.5, false); // it is in the list already: nothing happens
    fo_hold(w, 2);
    CHECK(fo_process_event_time(p) == 13);
    fo_activate(p);
    CHECK(fo_process_event_time(p) == 13);
    fo_reactivate_at(p, 5, false);
    fo_hold(w, 2);
    CHECK(fo_process_terminated(p));
    CHECK(fo_current(w) == fo_main(w));
    fo_activate(NULL);
    CHECK_STATUS(fo_process_destroy(p), FO_OK, fo_world_message(w));
}

TEST(passivate_activate_reactivate)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, waker);
    CHECK_TEXT(s.log, "sleeps@1 activated@3 activated@5");
    scene_close(&s);
}

static void canceller(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *p = speaker(s, "p", 0), *q = speaker(s, "q", 0);
    fo_activate_at(p, 1, false);
    fo_activate_at(q, 1, false);
    fo_cancel(p);
    CHECK(fo_process_idle(p));
    fo_reactivate_after(p, q);
    fo_cancel(q);
    fo_hold(w, 2);
    fo_reactivate(q);
    fo_hold(w, 1);
}

TEST(cancel_takes_an_event_back)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, canceller);
    CHECK_TEXT(s.log, "p@1 q@2");
    scene_close(&s);
}

static void worker(fo_world *w, void *self)
{
    scene *s = self;
    double left = 10;
    while (left > 0) {
        fo_wake wake = fo_hold(w, left);
        note(s, wake_text(wake));
        if (wake == FO_WOKEN) break;
        left = fo_remaining(w);
        CHECK_TEXT(fo_reason(w), "tea");
        fo_hold(w, 1);
    }
}

static void foreman(fo_world *w, void *self)
{
    scene *s = self;
    fo_process *p = fo_process_create(w, "worker", worker, s);
    fo_activate(p);
    fo_hold(w, 4);
    fo_interrupt(p, "tea");
    fo_hold(w, 4);
    fo_interrupt(p, "tea");
    fo_hold(w, 10);
    CHECK(fo_process_terminated(p));
}

// 4 of 10 done, a pause of 1, 3 more until 8, a pause, and the last 3 until 12.
TEST(interrupted_hold_can_go_on)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, foreman);
    CHECK_TEXT(s.log, "interrupted@4 interrupted@8 woken@12");
    scene_close(&s);
}

static void customer(fo_world *w, void *self)
{
    scene *s = self;
    fo_wait(w, &s->queue);
    note(s, fo_process_name(fo_current(w)));
}

static void clerk(fo_world *w, void *self)
{
    scene *s = self;
    fo_activate(fo_process_create(w, "a", customer, s));
    fo_activate(fo_process_create(w, "b", customer, s));
    fo_activate(fo_process_create(w, "c", customer, s));
    CHECK_INT(s->queue.cardinal, 3);
    while (!fo_queue_empty(&s->queue)) {
        fo_hold(w, 1);
        fo_process *p = fo_queue_first_process(&s->queue);
        fo_link_out(fo_process_link(p));
        fo_activate(p);
    }
}

TEST(processes_wait_in_a_queue)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, clerk);
    CHECK_TEXT(s.log, "a@1 b@2 c@3");
    scene_close(&s);
}

static void leaves_the_queue(fo_world *w, void *self)
{
    scene *s = self;
    note(s, wake_text(fo_wait_for(w, &s->queue, 3)));
    CHECK(fo_queue_empty(&s->queue));
    note(s, wake_text(fo_wait_for(w, &s->queue, 3)));
    CHECK(!fo_queue_empty(&s->queue)); // who is activated stays in the queue
}

static void lets_it_wait(fo_world *w, void *self)
{
    fo_process *p = fo_process_create(w, "p", leaves_the_queue, self);
    fo_activate(p);
    fo_hold(w, 5);
    fo_activate(p);
    CHECK(fo_process_terminated(p));
}

TEST(waits_in_a_queue_for_a_time)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, lets_it_wait);
    CHECK_TEXT(s.log, "timed-out@3 activated@5");
    scene_close(&s);
    CHECK(fo_queue_empty(&s.queue));
}

static void quits(fo_world *w, void *self)
{
    note(self, "quits");
    fo_terminate(w);
    note(self, "never");
}

static void stopper(fo_world *w, void *self)
{
    fo_activate(fo_process_create(w, "quits", quits, self));
    fo_hold(w, 2);
    fo_world_stop(w);
    fo_hold(w, 1);
    note(self, "never");
}

TEST(terminate_and_stop)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, stopper);
    CHECK_TEXT(s.log, "quits@0");
    CHECK(fo_time(s.w) == 2);
    scene_close(&s);
}

static void ticker(fo_world *w, void *self)
{
    for (;;) {
        note(self, "tick");
        fo_hold(w, 1);
    }
}

TEST(world_runs_in_parts_without_a_main_process)
{
    scene s;
    scene_open(&s, NULL);
    CHECK_STATUS(fo_spawn(s.w, "ticker", ticker, &s), FO_OK, fo_world_message(s.w));
    CHECK_STATUS(fo_world_run(s.w, 1.5), FO_REACHED, fo_world_message(s.w));
    CHECK(fo_time(s.w) == 1.5);
    CHECK_STATUS(fo_world_run(s.w, 3), FO_REACHED, fo_world_message(s.w));
    CHECK_TEXT(s.log, "tick@0 tick@1 tick@2 tick@3");
    scene_close(&s);
}

// ---------------------------------------------------------------------------------------- queues

TEST(links_of_a_queue)
{
    fo_queue q = {0}, r = {0};
    fo_link a = {0}, b = {0}, c = {0}, d = {0};
    CHECK(fo_queue_empty(&q));
    fo_link_out(&a); // in no queue: nothing
    fo_link_into(&b, &q);
    fo_link_into(&d, &q);
    fo_link_precede(&a, &b);
    fo_link_follow(&c, &b);
    CHECK(q.first == &a && a.suc == &b && b.suc == &c && c.suc == &d && !d.suc);
    CHECK(q.last == &d && d.pred == &c && c.pred == &b && b.pred == &a && !a.pred);
    CHECK_INT(q.cardinal, 4);
    fo_link_into(&b, &r); // from one queue to another
    CHECK_INT(q.cardinal, 3);
    CHECK(r.first == &b && r.last == &b && a.suc == &c);
    fo_link_into(&a, &q); // to the end of its own
    CHECK(q.first == &c && q.last == &a);
    fo_queue_clear(&q);
    CHECK(fo_queue_empty(&q) && !q.last && q.cardinal == 0 && !a.queue && !c.queue && !d.queue);
}

TEST_MAIN(TEST_ENTRY(events_happen_by_time_priority_and_order), TEST_ENTRY(prior_before_and_after),
          TEST_ENTRY(many_events_beside_one), TEST_ENTRY(activated_process_runs_at_once),
          TEST_ENTRY(passivate_activate_reactivate), TEST_ENTRY(cancel_takes_an_event_back),
          TEST_ENTRY(interrupted_hold_can_go_on), TEST_ENTRY(processes_wait_in_a_queue),
          TEST_ENTRY(waits_in_a_queue_for_a_time), TEST_ENTRY(terminate_and_stop),
          TEST_ENTRY(world_runs_in_parts_without_a_main_process), TEST_ENTRY(links_of_a_queue))
