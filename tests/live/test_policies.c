// Late advances, whatever the policy; machines that sleep and clocks that are set; figures.
#include "stage.h"

// Three advances in time and one of 80 ms, where 33 ms are allowed.
static fo_status be_late(stage *s, fo_live_policy policy)
{
    fo_live_def def = stage_def(s, "pendulum");
    def.policy = policy;
    if (!stage_open(s, &def)) return FO_ERROR_MEMORY;
    fo_live_start(s->live);
    for (int i = 0; i < 3; i++) stage_pass(s, 16 * MS);
    return stage_pass(s, 80 * MS);
}

TEST(warn_says_so_and_goes_on)
{
    stage s;
    CHECK_STATUS(be_late(&s, FO_LIVE_WARN), FO_REACHED, NULL);
    CHECK_CONTAINS(s.notes, "an advance of 0.08 s, longer than 0.03333 s");
    CHECK_NEAR(stage_time(&s), 0.128, 1e-12);
    CHECK_INT((long long)stage_figures(&s).overruns, 1);
    CHECK_NEAR(stage_figures(&s).longest, 0.08, 1e-12);
    fo_live_destroy(s.live);
}

TEST(stop_ends_the_run)
{
    stage s;
    CHECK_STATUS(be_late(&s, FO_LIVE_STOP), FO_STOPPED, NULL);
    CHECK_CONTAINS(fo_live_message(s.live)->text, "an advance of 0.08 s, longer than 0.03333 s");
    CHECK_INT(fo_live_look(s.live).phase, FO_LIVE_BY_POLICY);
    CHECK_NEAR(stage_time(&s), 0.048, 1e-12);
    fo_live_destroy(s.live);
}

TEST(skip_drops_the_backlog)
{
    stage s;
    CHECK_STATUS(be_late(&s, FO_LIVE_SKIP), FO_REACHED, NULL);
    CHECK_CONTAINS(s.notes, "0.04667 s dropped");
    CHECK_NEAR(stage_time(&s), 0.048 + 2.0 / 60, 1e-8);
    CHECK_NEAR(stage_figures(&s).skipped, 0.08 - 2.0 / 60, 1e-8);
    stage_pass(&s, 10 * MS);
    CHECK_NEAR(stage_time(&s), 0.058 + 2.0 / 60, 1e-8);
    fo_live_destroy(s.live);
}

TEST(priority_without_a_real_clock_asks_for_nothing)
{
    stage s;
    CHECK_STATUS(be_late(&s, FO_LIVE_PRIORITY), FO_REACHED, NULL);
    CHECK_CONTAINS(s.notes, "an advance of 0.08 s");
    CHECK_NEAR(stage_time(&s), 0.128, 1e-12);
    fo_live_destroy(s.live);
}

// A model whose rates take time: each evaluation moves the virtual clock.
typedef struct slow {
    fo_virtual_clock *clock;
    int64_t cost;
} slow;

static fo_status slow_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    const slow *m = model;
    (void)s, (void)t;
    m->clock->now += m->cost;
    dx[0] = x[1];
    dx[1] = -x[0];
    return FO_OK;
}

static const fo_system_type slow_type = {.kind = "C", .rates = slow_rates};
static const fo_variable slow_states[] = {{"x", NULL, 1}, {"v", NULL, 0}};
static const fo_description slow_about = {.name = "slow", .states = {slow_states, 2}};

TEST(degrade_takes_a_cheaper_method_while_late_and_goes_back)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    slow model = {&s.clock, 3 * MS}; // rk4 with step 0.01: 12 ms of work for 10 ms
    def.system = (fo_system){&slow_type, &slow_about, &model};
    def.run.solver = "rk4", def.run.step = 0.01;
    def.rate = 50, def.policy = FO_LIVE_DEGRADE;
    REQUIRE(stage_open(&s, &def));
    fo_simulation *sim = fo_live_simulation(s.live);
    for (int i = 0; i < 400 && !fo_live_look(s.live).degraded; i++) {
        fo_live_wait(s.live);
        CHECK_STATUS(fo_live_advance(s.live), FO_REACHED, fo_live_message(s.live));
    }
    CHECK(fo_live_look(s.live).degraded);
    CHECK_CONTAINS(s.notes, "late: rk4 with step 0.04 s");
    uint64_t overruns = stage_figures(&s).overruns;
    for (int i = 0; i < 400; i++) fo_live_wait(s.live), fo_live_advance(s.live);
    CHECK(stage_figures(&s).overruns <= overruns + 5); // 12 ms for 40 ms: it holds
    CHECK(fo_live_look(s.live).degraded);
    CHECK_NEAR(fo_simulation_state(sim)->x[0], cos(stage_time(&s)), 1e-4);
    model.cost = MS / 10; // the other programs have ended
    for (int i = 0; i < 200; i++) fo_live_wait(s.live), fo_live_advance(s.live);
    CHECK(!fo_live_look(s.live).degraded);
    CHECK_CONTAINS(s.notes, "in time: back to rk4 with step 0.01 s");
    CHECK_INT((long long)stage_figures(&s).degraded, 1);
    fo_live_destroy(s.live);
}

TEST(a_cheaper_method_can_be_named)
{
    stage s;
    fo_live_def def = stage_def(&s, "double-pendulum");
    def.policy = FO_LIVE_DEGRADE, def.cheap_solver = "euler", def.cheap_step = 0.002;
    REQUIRE(stage_open(&s, &def));
    fo_live_start(s.live);
    stage_pass(&s, 80 * MS);
    CHECK_TEXT(fo_simulation_solver(fo_live_simulation(s.live))->name, "euler");
    for (int i = 0; i < 70; i++) stage_pass(&s, 16 * MS);
    CHECK_TEXT(fo_simulation_solver(fo_live_simulation(s.live))->name, "dp45");
    def.cheap_solver = "eulr";
    CHECK(!fo_live_create(&def, &s.why));
    CHECK_CONTAINS(s.why.text, "did you mean 'euler'?");
    fo_live_destroy(s.live);
}

// --------------------------------------------------------------------------------------- clocks

TEST(a_machine_that_stands_still_does_not_move_the_model)
{
    for (int policy = FO_LIVE_WARN; policy <= FO_LIVE_PRIORITY; policy++) {
        stage s;
        fo_live_def def = stage_def(&s, "pendulum");
        def.policy = (fo_live_policy)policy;
        REQUIRE(stage_open(&s, &def));
        fo_live_start(s.live);
        stage_pass(&s, 16 * MS);
        CHECK_STATUS(stage_pass(&s, 3600000 * MS), FO_REACHED, fo_live_message(s.live));
        CHECK_NEAR(stage_time(&s), 0.016, 1e-12);
        CHECK_CONTAINS(s.notes, "nothing ran for 3600 s; the model did not move");
        stage_pass(&s, 16 * MS);
        CHECK_NEAR(stage_time(&s), 0.032, 1e-12);
        CHECK_INT((long long)stage_figures(&s).stops, 1);
        fo_live_destroy(s.live);
    }
}

TEST(suspension_and_a_set_clock_are_noticed)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    REQUIRE(stage_open(&s, &def));
    fo_live_start(s.live);
    stage_pass(&s, 16 * MS);
    s.clock.suspended += 60000 * MS; // the monotonic clock does not move
    s.clock.of_day += 60000 * MS;
    stage_pass(&s, 16 * MS);
    CHECK_CONTAINS(s.notes, "the machine was suspended for 60 s; the model did not move");
    CHECK(!strstr(s.notes, "time of day"));
    s.clock.of_day -= 7200000 * MS;
    stage_pass(&s, 16 * MS);
    CHECK_CONTAINS(s.notes, "the time of day was set by -7.2e+03 s");
    CHECK_NEAR(stage_time(&s), 0.048, 1e-12);
    fo_live_figures f = stage_figures(&s);
    CHECK_INT((long long)f.stops, 1);
    CHECK_INT((long long)f.clock_set, 1);
    stage_pass(&s, 16 * MS); // and only once
    CHECK_INT((long long)stage_figures(&s).clock_set, 1);
    s.clock.now -= 500 * MS; // a caller's clock that goes back
    CHECK_STATUS(fo_live_advance(s.live), FO_REACHED, NULL);
    CHECK_CONTAINS(s.notes, "the clock went back by 0.5 s");
    CHECK_NEAR(stage_time(&s), 0.064, 1e-12);
    stage_pass(&s, 16 * MS);
    CHECK_NEAR(stage_time(&s), 0.080, 1e-12);
    fo_live_destroy(s.live);
}

// -------------------------------------------------------------------------------------- figures

TEST(quantiles_are_right_to_three_percent)
{
    fo_live_histogram h = {0};
    for (int i = 1; i <= 100000; i++) fo_live_histogram_add(&h, i * 10);
    const double parts[] = {0.5, 0.9, 0.99, 0.999};
    for (size_t i = 0; i < FO_COUNT(parts); i++) {
        double exact = parts[i] * 1e-3;
        double q = fo_live_histogram_quantile(&h, parts[i]);
        CHECK(q >= exact * (1 - 1e-6) && q <= exact * 1.032);
    }
    CHECK_NEAR(h.worst, 1e-3, 1e-15);
    CHECK_NEAR(h.sum / (double)h.count, 500.005e-6, 1e-10);
    fo_live_histogram_add(&h, INT64_MAX);
    fo_live_histogram_add(&h, -5);
    CHECK_NEAR(fo_live_histogram_quantile(&h, 1), h.worst, h.worst * 0.5);
    CHECK_NEAR(fo_live_histogram_quantile(&(fo_live_histogram){0}, 0.5), 0, 0);
}

TEST(lateness_deadlines_and_load)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    slow model = {&s.clock, MS / 10}; // euler, step 0.01: one evaluation in a period
    def.system = (fo_system){&slow_type, &slow_about, &model};
    def.run.solver = "euler", def.run.step = 0.01, def.rate = 100;
    REQUIRE(stage_open(&s, &def));
    s.clock.oversleep = 50000;
    for (int i = 0; i < 100; i++) fo_live_wait(s.live), fo_live_advance(s.live);
    fo_live_figures f = stage_figures(&s);
    CHECK_INT((long long)f.lateness.count, 100);
    CHECK_NEAR(f.lateness.worst, 50e-6, 1e-9);
    CHECK_NEAR(f.R, 0.01, 0.002); // 0.1 ms of 10 ms
    CHECK_INT((long long)f.missed, 0);
    model.cost = 25 * MS; // two and a half periods
    fo_live_wait(s.live), fo_live_advance(s.live);
    CHECK_INT((long long)stage_figures(&s).missed, 2);
    model.cost = 0;
    s.clock.oversleep = 0;
    double late = stage_figures(&s).lateness.sum;
    fo_live_wait(s.live), fo_live_advance(s.live); // on the grid again
    CHECK_NEAR(stage_figures(&s).lateness.sum, late, 1e-9);
    fo_live_destroy(s.live);
}

TEST(events_have_a_latency)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    REQUIRE(stage_open(&s, &def));
    fo_live_start(s.live);
    stage_pass(&s, 10 * MS);
    s.clock.now += 2 * MS;
    stage_tell(&s, "tap 0.1");
    stage_pass(&s, 6 * MS);
    CHECK_NEAR(stage_figures(&s).latency.worst, 0.006, 1e-9);
    fo_live_destroy(s.live);
}

TEST(figures_as_text_and_json)
{
    stage s;
    be_late(&s, FO_LIVE_WARN);
    fo_live_figures f = stage_figures(&s);
    char text[8192];
    FILE *out = fmemopen(text, sizeof text, "w");
    fo_live_figures_print(&f, out);
    fclose(out);
    CHECK_CONTAINS(text, "4 in 0.128 s");
    CHECK_CONTAINS(text, "1 overruns");
    CHECK_CONTAINS(text, "Lateness\n");
    CHECK_CONTAINS(text, "< 100 ms    ##");
    out = fmemopen(text, sizeof text, "w");
    fo_live_figures_json(&f, out);
    fclose(out);
    CHECK_CONTAINS(text, "{\"advances\": 4, \"elapsed\": 0.128,");
    CHECK_CONTAINS(text, "\"overruns\": 1");
    CHECK_CONTAINS(text, "\"lateness\": {\"count\": 4, \"mean\": ");
    CHECK_CONTAINS(text, "\"histogram\": [[");
    fo_live_destroy(s.live);
}

TEST(definitions_are_checked)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    def.speed = 0;
    CHECK(!fo_live_create(&def, &s.why));
    CHECK_TEXT(s.why.text, "speed must be a positive number, not 0");
    def.speed = 1, def.rate = NAN;
    CHECK(!fo_live_create(&def, &s.why));
    CHECK_CONTAINS(s.why.text, "rate must be");
    fo_live_policy policy = FO_LIVE_WARN;
    CHECK(fo_live_policy_find("degrade", &policy, &s.why) && policy == FO_LIVE_DEGRADE);
    CHECK(!fo_live_policy_find("skipp", &policy, &s.why));
    CHECK_CONTAINS(s.why.text, "did you mean 'skip'?");
    CHECK_TEXT(fo_live_policy_text(FO_LIVE_PRIORITY), "priority");
}

TEST(a_budget_is_measured)
{
    stage s;
    fo_live_def def = stage_def(&s, "pendulum");
    def.run.solver = "rk4", def.rate = 1000;
    fo_live_budget budget;
    CHECK_STATUS(fo_live_budget_measure(&def, 500, &budget, &s.why), FO_OK, &s.why);
    CHECK_INT((long long)budget.computing.count, 500);
    CHECK(budget.fixed_work);
    CHECK(budget.rate_worst > 0 && budget.rate_worst <= budget.rate_p999 * 1.000001);
}

TEST_MAIN(TEST_ENTRY(warn_says_so_and_goes_on), TEST_ENTRY(stop_ends_the_run),
          TEST_ENTRY(skip_drops_the_backlog),
          TEST_ENTRY(priority_without_a_real_clock_asks_for_nothing),
          TEST_ENTRY(degrade_takes_a_cheaper_method_while_late_and_goes_back),
          TEST_ENTRY(a_cheaper_method_can_be_named),
          TEST_ENTRY(a_machine_that_stands_still_does_not_move_the_model),
          TEST_ENTRY(suspension_and_a_set_clock_are_noticed),
          TEST_ENTRY(quantiles_are_right_to_three_percent), TEST_ENTRY(lateness_deadlines_and_load),
          TEST_ENTRY(events_have_a_latency), TEST_ENTRY(figures_as_text_and_json),
          TEST_ENTRY(definitions_are_checked), TEST_ENTRY(a_budget_is_measured))
