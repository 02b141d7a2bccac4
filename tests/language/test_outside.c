/// Texts hear what comes from outside: inputs and parameters that are set, and named events.
#include "run.h"

static void send(world *w, double t, const char *name, double value)
{
    CHECK_STATUS(fo_simulation_send(w->sim, t, name, value), FO_OK, fo_simulation_message(w->sim));
}

static void set(world *w, double t, const char *name, double value)
{
    CHECK_STATUS(fo_simulation_send_set(w->sim, t, name, value), FO_OK,
                 fo_simulation_message(w->sim));
}

static const char listener[] =
    "model M\n"
    "  input Boolean on; input Real u; input Integer i;\n"
    "  parameter Real p = 1; parameter Integer q = 4; parameter Boolean b = false;\n"
    "  parameter Real r = 2*p;\n"
    "  Real x(start = 0, fixed = true);\n"
    "  Integer ons(start = 0, fixed = true), offs(start = 0, fixed = true);\n"
    "  Integer edges(start = 0, fixed = true), above(start = 0, fixed = true);\n"
    "  Integer is(start = 0, fixed = true), ps(start = 0, fixed = true);\n"
    "  Integer qs(start = 0, fixed = true), bs(start = 0, fixed = true);\n"
    "  Real before(start = 0, fixed = true), seen(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = if u > 2 then 1 else 0;\n"
    "  when on then\n    ons = pre(ons) + 1;\n  end when;\n"
    "  when not on then\n    offs = pre(offs) + 1;\n  end when;\n"
    "  when edge(on) then\n    edges = pre(edges) + 1;\n  end when;\n"
    "  when u > 2 then\n    above = pre(above) + 1;\n  end when;\n"
    "  when change(i) then\n    is = pre(is) + 1;\n  end when;\n"
    "  when change(p) then\n    ps = pre(ps) + 1;\n    before = pre(p);\n    seen = p;\n  end "
    "when;\n"
    "  when change(q) then\n    qs = pre(qs) + 1;\n  end when;\n"
    "  when change(b) then\n    bs = pre(bs) + 1;\n  end when;\n"
    "end M;\n";

TEST(whens_hear_what_is_set)
{
    world w;
    if (begin(&w, listener, 10)) {
        set(&w, 1, "on", 1);
        set(&w, 2, "on", 1); // it is already
        set(&w, 3, "on", 0);
        set(&w, 4, "on", 1);
        set(&w, 1.5, "u", 3);
        set(&w, 2.5, "u", 1);
        set(&w, 3.5, "u", 2.5);
        set(&w, 3.5, "i", 7);
        set(&w, 5, "i", 7);
        set(&w, 6, "i", -1);
        set(&w, 6, "p", 5);
        set(&w, 7, "p", 6);
        set(&w, 7, "q", 5);
        set(&w, 8, "b", 1);
        CHECK_NEAR(at(&w, 9, "ons"), 2, 0);
        CHECK_NEAR(at(&w, 9, "offs"), 1, 0); // at the start it was off already
        CHECK_NEAR(at(&w, 9, "edges"), 2, 0);
        CHECK_NEAR(at(&w, 9, "above"), 2, 0);
        CHECK_NEAR(at(&w, 9, "is"), 2, 0);
        CHECK_NEAR(at(&w, 9, "ps"), 2, 0);
        CHECK_NEAR(at(&w, 9, "before"), 5, 0);
        CHECK_NEAR(at(&w, 9, "seen"), 6, 0);
        CHECK_NEAR(at(&w, 9, "qs"), 1, 0);
        CHECK_NEAR(at(&w, 9, "bs"), 1, 0);
        CHECK_NEAR(at(&w, 9, "x"), 1 + 5.5, 1e-9); // 1.5 to 2.5, and from 3.5 on
    }
    end(&w);
}

// What is given before the start is no change.
TEST(values_of_the_start_are_no_change)
{
    world w;
    if (begin(&w, listener, 1)) {
        CHECK_STATUS(fo_simulation_set(w.sim, "p", 3), FO_OK, fo_simulation_message(w.sim));
        CHECK_STATUS(fo_simulation_set(w.sim, "on", 1), FO_OK, fo_simulation_message(w.sim));
        CHECK_NEAR(at(&w, 1, "ps"), 0, 0);
        CHECK_NEAR(at(&w, 1, "ons"), 0, 0);
        CHECK_NEAR(at(&w, 1, "edges"), 0, 0);
    }
    end(&w);
}

// A value that an assert does not allow is refused in that moment.
TEST(asserts_hear_what_is_set)
{
    world w;
    if (begin(&w,
              "model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = -k*x;\n  assert(k > 0, \"k is \" + String(k));\nend M;\n",
              10)) {
        set(&w, 3.25, "k", -1);
        CHECK_INT(fo_simulation_advance(w.sim, 10), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "failed at t = 3.25: k is -1");
    }
    end(&w);
}

static const char bell[] =
    "model M\n"
    "  input Real p(min = -1, max = 5);\n"
    "  input Boolean tap annotation(__Foliot_event(value = p));\n"
    "  input Boolean go annotation(__Foliot_event());\n"
    "  Integer taps(start = 0, fixed = true), gos(start = 0, fixed = true);\n"
    "  Integer ends(start = 0, fixed = true);\n"
    "  Real sum(start = 0, fixed = true), when_last(start = -1, fixed = true);\n"
    "  Real v(start = 0, fixed = true);\n"
    "equation\n"
    "  der(v) = 0;\n"
    "  when tap then\n"
    "    taps = pre(taps) + 1;\n    sum = pre(sum) + p;\n    when_last = time;\n"
    "    reinit(v, v + p);\n  end when;\n"
    "  when not tap then\n    ends = pre(ends) + 1;\n  end when;\n"
    "  when go then\n    gos = pre(gos) + 1;\n  end when;\n"
    "end M;\n";

TEST(named_events_bring_their_value)
{
    world w;
    if (begin(&w, bell, 10)) {
        fo_events events = fo_text_model_system(w.model).about->events;
        CHECK_INT(events.count, 2);
        CHECK_TEXT(events.list[0].name, "tap");
        send(&w, 1, "tap", 2);
        send(&w, 2.5, "tap", 2); // the same value again is an event again
        send(&w, 2.5, "tap", 0.5);
        send(&w, 4, "go", 0);
        CHECK_NEAR(at(&w, 2, "tap"), 0, 0);
        CHECK_NEAR(at(&w, 2, "p"), 2, 0);
        CHECK_NEAR(at(&w, 5, "taps"), 3, 0);
        CHECK_NEAR(at(&w, 5, "sum"), 4.5, 0);
        CHECK_NEAR(at(&w, 5, "v"), 4.5, 0);
        CHECK_NEAR(at(&w, 5, "when_last"), 2.5, 0);
        CHECK_NEAR(at(&w, 5, "ends"), 3, 0);
        CHECK_NEAR(at(&w, 5, "gos"), 1, 0);
        send(&w, 6, "tap", 7);
        CHECK_INT(fo_simulation_advance(w.sim, 10), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "brings 7 for 'p', which must lie");
    }
    end(&w);
}

// A snapshot taken between events, and events sent early or late: the same bits.
TEST(events_sent_early_or_late)
{
    world a, b;
    if (begin(&a, bell, 10) && begin(&b, bell, 10)) {
        send(&a, 3, "tap", 1), send(&a, 7, "tap", 0.25);
        at(&b, 3, "v");
        send(&b, 3, "tap", 1);
        at(&b, 6.5, "v");
        send(&b, 7, "tap", 0.25);
        CHECK_NEAR(at(&a, 10, "v"), at(&b, 10, "v"), 0);
        CHECK_NEAR(at(&a, 10, "taps"), at(&b, 10, "taps"), 0);
    }
    end(&a), end(&b);
}

// As parts of a whole they hear the same.
TEST(parts_hear_it)
{
    world a, b = {0};
    fo_message why = {0};
    if (world_open(&a, "test.mo", listener, NULL) && world_open(&b, "test.mo", bell, NULL)) {
        fo_component parts[] = {{"a", fo_text_model_system(a.model)},
                                {"b", fo_text_model_system(b.model)}};
        fo_composition_def def = {.name = "both", .parts = parts, .part_count = 2};
        fo_composition *c = fo_compose(&def, &why);
        REQUIRE(c);
        fo_run_def run = fo_default_run_def();
        run.stop = 5;
        world w = {.sim = fo_simulation_create(fo_composition_system(c), &run, &why)};
        REQUIRE(w.sim);
        set(&w, 1, "a.p", 8), set(&w, 2, "a.on", 1), set(&w, 3, "a.p", 9);
        send(&w, 4, "b.tap", 1.5);
        CHECK_NEAR(at(&w, 5, "a.ps"), 2, 0);
        CHECK_NEAR(at(&w, 5, "a.before"), 8, 0);
        CHECK_NEAR(at(&w, 5, "a.edges"), 1, 0);
        CHECK_NEAR(at(&w, 5, "b.sum"), 1.5, 0);
        fo_simulation_destroy(w.sim);
        fo_composition_destroy(c);
    }
    end(&a), end(&b);
}

static void refused(const char *declaration, const char *words)
{
    char text[400];
    fo_message why = {0};
    snprintf(text, sizeof text, "model M\n%s\n  Real x = time;\nend M;\n", declaration);
    fo_text_model_def def = {.path = "test.mo", .text = text};
    fo_text_model *m = fo_text_model_open(&def, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, words);
    fo_text_model_close(m);
}

TEST(wrong_events_are_refused)
{
    refused("  input Real tap annotation(__Foliot_event());", "'input Boolean tap'");
    refused("  Boolean tap = true annotation(__Foliot_event());", "'input Boolean tap'");
    refused("  input Boolean tap[2] annotation(__Foliot_event());", "'input Boolean tap'");
    refused("  parameter Real p = 1;\n  input Boolean t annotation(__Foliot_event(value = p));",
            "an input Real or Integer");
    refused("  input Boolean t annotation(__Foliot_event(valeu = p));", "no 'valeu'");
    refused("  input Boolean t annotation(__Foliot_event(value = nothing));", "nothing");
}

// ------------------------------------------------------------------------------ without memory

static const char much[] =
    "function root\n  input Real x; output Real y;\nalgorithm\n  assert(x >= 0, \"no\");\n"
    "  y := sqrt(x);\nend root;\n"
    "model M\n  input Real p;\n  input Boolean tap annotation(__Foliot_event(value = p));\n"
    "  parameter Real k = 1;\n  Integer n(start = 0, fixed = true);\n"
    "  Real x(start = 1, fixed = true), y = if x > 0.5 and k > 0 then root(x - 0.5) else 1/x;\n"
    "equation\n  der(x) = -k;\n  when {tap, change(k), edge(tap), sample(0, 0.3)} then\n"
    "    n = pre(n) + 1;\n    reinit(x, x + p);\n  end when;\n"
    "  assert(x < 4, \"large\", AssertionLevel.warning);\nend M;\n";

static fo_status try_much(const fo_allocator *allocator)
{
    fo_message why = {0};
    fo_text_model_def text = {.path = "test.mo", .text = much, .allocator = allocator};
    fo_run_def def = fo_default_run_def();
    def.stop = 0.9, def.allocator = allocator;
    fo_text_model *m = fo_text_model_open(&text, &why);
    fo_simulation *sim = m ? fo_simulation_create(fo_text_model_system(m), &def, &why) : NULL;
    fo_status status = sim ? fo_simulation_send(sim, 0.25, "tap", 4) : why.status;
    if (status == FO_OK) status = fo_simulation_send_set(sim, 0.7, "k", 2);
    if (status == FO_OK) status = fo_simulation_advance(sim, 0.9);
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
    return status;
}

TEST(every_allocation_may_fail)
{
    bool done = false;
    long fail_at = 0;
    while (!done && ++fail_at < 20000) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        fo_status status = try_much(&memory.allocator);
        done = memory.allocations < fail_at;
        CHECK_INT(status, done ? FO_REACHED : FO_ERROR_MEMORY);
        CHECK_INT(memory.live, 0);
        if (status != FO_REACHED && done) break;
    }
    CHECK(done && fail_at > 200);
}

// ------------------------------------------------------------------------------- the pendulum

static bool open_pendulum(world *w, double stop, double rtol)
{
    const char *path = FOLIOT_SOURCE_DIR "/models/tapped-pendulum/tapped-pendulum.mo";
    return world_open(w, path, NULL, NULL) && world_run(w, stop, rtol);
}

TEST(tapped_pendulum_meets_its_reference)
{
    world w;
    FILE *file = fopen(FOLIOT_SOURCE_DIR "/models/tapped-pendulum/reference.csv", "r");
    double t, y, v;
    char head[64];
    int rows = 0;
    REQUIRE(file && fgets(head, sizeof head, file));
    if (open_pendulum(&w, 40, 1e-12)) {
        send(&w, 18, "tap", 1.7); // p/(m l) = 8.5 rad/s
        for (; fscanf(file, "%lf,%lf,%lf", &t, &y, &v) == 3 && t <= 40; rows++) {
            CHECK_NEAR(at(&w, t, "y"), y, 2e-9);
            CHECK_NEAR(at(&w, t, "v"), v, 2e-9);
        }
        CHECK_INT(rows, 17);
        CHECK_NEAR(at(&w, 40, "taps"), 1, 0);
    }
    fclose(file);
    end(&w);
}

static double rest_after(double by)
{
    world w;
    double y = NAN;
    if (open_pendulum(&w, 120, 1e-10)) {
        send(&w, 18, "tap", by * 0.4 * 0.5);
        y = at(&w, 120, "y");
    }
    end(&w);
    return y;
}

TEST(taps_that_are_just_enough)
{
    const double circle = 6.28318530717958647692;
    CHECK_NEAR(rest_after(8.3937), 0, 1e-4);
    CHECK_NEAR(rest_after(8.3938), circle, 1e-4);
    CHECK_NEAR(rest_after(9.5770), circle, 1e-4);
    CHECK_NEAR(rest_after(9.5771), 2 * circle, 1e-4);
}

TEST_MAIN(TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(whens_hear_what_is_set),
          TEST_ENTRY(values_of_the_start_are_no_change), TEST_ENTRY(asserts_hear_what_is_set),
          TEST_ENTRY(named_events_bring_their_value), TEST_ENTRY(events_sent_early_or_late),
          TEST_ENTRY(parts_hear_it), TEST_ENTRY(wrong_events_are_refused),
          TEST_ENTRY(tapped_pendulum_meets_its_reference), TEST_ENTRY(taps_that_are_just_enough))
