/// The automatic choice on stiff problems: what it costs against the best of our solvers, and that
/// its changes depend on nothing but the problem.
///
/// What is counted are evaluations of the rates. The problems give no Jacobian, so that one is
/// taken by differences and counts as n evaluations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/stiff_problems.h"
#include "test.h"

/// Ours, adaptive, for any system. fowler-warten is left out: it is exact where every state has its
/// own eigenvalue, as in A1, A4 and nearly C1, and no choice for any other system.
static const char *const solvers[] = {"radau5", "rodas4", "bs23",  "rkf45",  "rke",
                                      "rkn34",  "dp45",   "rkv56", "dop853", "adams"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0], GIVE_UP = 6000 };

typedef struct cost {
    bool reached;
    uint64_t rates;
    double x[STIFF_STATES];
    char solver[24], reason[160];
} cost;

static cost solve(const stiff_problem *p, const char *solver, double rtol)
{
    stiff_system s;
    cost c = {0};
    fo_run_def def = fo_default_run_def();
    fo_message why;
    stiff_system_make(&s, p);
    def.stop = p->stop, def.solver = solver;
    def.rtol = rtol, def.atol = rtol * p->atol;
    def.max_steps = rtol > 1e-11 ? GIVE_UP : 0;
    fo_simulation *sim = fo_simulation_create(s.system, &def, &why);
    if (!sim) return c;
    c.reached = fo_simulation_advance(sim, p->stop) == FO_REACHED;
    c.rates = fo_simulation_statistics(sim).rates;
    memcpy(c.x, fo_simulation_state(sim)->x, p->n * sizeof(double));
    strncpy(c.solver, fo_simulation_solver(sim)->name, sizeof c.solver - 1);
    strncpy(c.reason, fo_simulation_solver_reason(sim), sizeof c.reason - 1);
    fo_simulation_destroy(sim);
    return c;
}

/// In tolerances.
static double error_of(const stiff_problem *p, const cost *c, const double *exact, double rtol)
{
    double worst = 0;
    for (uint32_t i = 0; i < p->n; i++)
        worst = fmax(worst, fabs(c->x[i] - exact[i]) / (rtol * (p->atol + fabs(exact[i]))));
    return worst;
}

/// A solution that is no solution does not count.
static cost best_of(const stiff_problem *p, const double *exact, double rtol)
{
    cost best = {.rates = UINT64_MAX};
    for (int m = 0; m < SOLVERS; m++) {
        cost c = solve(p, solvers[m], rtol);
        if (c.reached && error_of(p, &c, exact, rtol) < 100 && c.rates < best.rates) best = c;
    }
    return best;
}

TEST(the_choice_costs_at_most_twice_the_best)
{
    bool show = getenv("FOLIOT_TEST_SHOW") != NULL;
    for (int i = 0; i < STIFF_PROBLEMS; i += test_is_slow() ? 3 : 1) {
        const stiff_problem *p = &stiff_problems[i];
        cost exact = solve(p, "radau5", 1e-12);
        CHECK(exact.reached);
        for (int k = 4; k <= (test_is_slow() ? 4 : 8); k += 2) {
            double rtol = pow(10, -k);
            cost best = best_of(p, exact.x, rtol), chosen = solve(p, NULL, rtol);
            if (show)
                printf("%-10s 1e-%d  best %-7s %6llu  chosen %6llu  %.2f  %s\n", p->name, k,
                       best.solver, (unsigned long long)best.rates,
                       (unsigned long long)chosen.rates, (double)chosen.rates / (double)best.rates,
                       chosen.reason);
            CHECK(chosen.reached);
            CHECK(error_of(p, &chosen, exact.x, rtol) < 100);
            if (!((double)chosen.rates <= 2 * (double)best.rates))
                test_fail(__FILE__, __LINE__, "%s at %g: %llu evaluations, %s needs %llu (%s)",
                          p->name, rtol, (unsigned long long)chosen.rates, best.solver,
                          (unsigned long long)best.rates, chosen.reason);
        }
    }
}

// CVODE's BDF asks for fewer evaluations at the same tolerance, and makes errors that are larger.
// What it takes for the error of the choice is found with tolerances of its own; E5 at 1e-8 is left
// out, where errors of all methods are a matter of chance.
TEST(the_choice_costs_at_most_twice_cvode_for_the_same_error)
{
    bool there = fo_solver_find("cvode-bdf", NULL) != NULL;
    for (int i = 0; i < STIFF_PROBLEMS && there; i++) {
        const stiff_problem *p = &stiff_problems[i];
        if (p->known[0] == 0) continue;
        for (int k = 4; k <= (test_is_slow() ? 4 : 8); k += 2) {
            cost chosen = solve(p, NULL, pow(10, -k));
            double error = error_of(p, &chosen, p->known, 1), least = INFINITY;
            if (strcmp(p->name, "E5") == 0 && k == 8) continue;
            for (int q = 4 * k - 4; q <= 4 * k + 16; q++) {
                cost c = solve(p, "cvode-bdf", pow(10, -0.25 * q));
                bool as_good = c.reached && error_of(p, &c, p->known, 1) <= error;
                if (as_good) least = fmin(least, (double)c.rates);
            }
            if (!((double)chosen.rates <= 2 * least))
                test_fail(__FILE__, __LINE__, "%s at 1e-%d: %llu evaluations, cvode-bdf needs %g",
                          p->name, k, (unsigned long long)chosen.rates, least);
        }
    }
}

// ------------------------------------------------------------------- rows, beside CVODE's BDF

enum { ROWS = 25 };

typedef struct table {
    bool reached;
    double rates, x[ROWS][STIFF_STATES];
} table;

// Times from a hundred thousandth of the run on (of a very long one, from far before that), each
// the same factor later.
static double row_time(const stiff_problem *p, int k)
{
    double first = p->stop > 1e4 ? 1e-8 : 1e-5;
    return k == ROWS - 1 ? p->stop : p->stop * pow(first, 1 - (k + 1.0) / ROWS);
}

static table run_rows(const stiff_problem *p, const char *solver, double rtol)
{
    stiff_system s;
    table r = {.reached = true};
    fo_run_def def = fo_default_run_def();
    fo_message why;
    stiff_system_make(&s, p);
    def.stop = p->stop, def.solver = solver;
    def.rtol = rtol, def.atol = rtol * p->atol;
    fo_simulation *sim = fo_simulation_create(s.system, &def, &why);
    if (!sim) return (table){0};
    for (int k = 0; k < ROWS; k++) {
        r.reached &= fo_simulation_advance(sim, row_time(p, k)) == FO_REACHED;
        memcpy(r.x[k], fo_simulation_state(sim)->x, p->n * sizeof(double));
    }
    r.rates = (double)fo_simulation_statistics(sim).rates;
    fo_simulation_destroy(sim);
    return r;
}

static double worst_row(const stiff_problem *p, const table *r, const table *exact)
{
    double worst = r->reached ? 0 : INFINITY;
    for (int k = 0; k < ROWS && r->reached; k++)
        for (uint32_t i = 0; i < p->n; i++) {
            double x = exact->x[k][i];
            worst = fmax(worst, fabs(r->x[k][i] - x) / (p->atol + fabs(x)));
        }
    return worst;
}

// What CVODE takes for rows that are as good as those of the choice: the least of several
// tolerances, half a power of ten apart.
static double taken_by_cvode(const stiff_problem *p, const table *exact, int power, double error)
{
    double least = INFINITY;
    for (int q = 4 * power - 4; q <= 4 * power + 18; q += test_is_slow() ? 4 : 2) {
        table c = run_rows(p, "cvode-bdf", pow(10, -0.25 * q));
        if (worst_row(p, &c, exact) <= error) least = fmin(least, c.rates);
    }
    return least;
}

// Over all problems, with the error of the worst of 25 rows. Single problems are a matter of chance
// by a factor of two, so that the mean counts and none may be far from it.
TEST(beside_cvode_for_rows_as_good)
{
    bool there = fo_solver_find("cvode-bdf", NULL) != NULL;
    double sum = 0, most = 0;
    int count = 0;
    for (int i = 0; i < STIFF_PROBLEMS && there; i += test_is_slow() ? 3 : 1) {
        const stiff_problem *p = &stiff_problems[i];
        table exact = run_rows(p, "radau5", 1e-12);
        for (int k = 4; k <= 8; k += 2) {
            table chosen = run_rows(p, NULL, pow(10, -k));
            double least = taken_by_cvode(p, &exact, k, worst_row(p, &chosen, &exact));
            CHECK(chosen.reached);
            if (!isfinite(least)) continue; // CVODE is never as good
            sum += log(chosen.rates / least), count++;
            most = fmax(most, chosen.rates / least);
        }
    }
    if (!there) return;
    printf("beside cvode-bdf: %.2f in the mean, %.2f at most\n", exp(sum / count), most);
    CHECK(exp(sum / count) < 1.7);
    CHECK(most < 6);
}

// ------------------------------------------------------------------------- systems that change

/// An oscillator with a follower: stiff before t = 1, not until 50, and then again.
static fo_status changing_rates(const void *model, const fo_state *s, double t, const double *x,
                                double *dx)
{
    (void)model, (void)s;
    double k = t < 1 || t > 50 ? 1e5 : 0.5;
    dx[0] = x[1], dx[1] = -x[0];
    dx[2] = -k * (x[2] - x[0]);
    return FO_OK;
}

static fo_status pendulum_rates(const void *model, const fo_state *s, double t, const double *x,
                                double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1], dx[1] = -19.6 * sin(x[0]);
    return FO_OK;
}

static fo_status lorenz_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (28 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8.0 / 3 * x[2];
    return FO_OK;
}

static fo_status brusselator_rates(const void *model, const fo_state *s, double t, const double *x,
                                   double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 1 + x[0] * x[0] * x[1] - 4 * x[0];
    dx[1] = 3 * x[0] - x[0] * x[0] * x[1];
    return FO_OK;
}

static const stiff_problem changing = {"changing", 3, 60, 1e-3, {1, 0, 1}, changing_rates, {0}};
static const stiff_problem smooth[] = {
    {"pendulum", 2, 50, 1e-3, {2.5, 0}, pendulum_rates, {0}},
    {"Lorenz", 3, 30, 1e-3, {1, 1, 1}, lorenz_rates, {0}},
    {"Brusselator", 2, 20, 1e-3, {1.5, 3}, brusselator_rates, {0}},
};

// The stiff method gives way where it is not needed, and comes back where it is.
TEST(changes_go_both_ways)
{
    for (int k = 4; k <= 6; k += 2) {
        cost chosen = solve(&changing, NULL, pow(10, -k)), radau5;
        radau5 = solve(&changing, "radau5", pow(10, -k));
        CHECK(chosen.reached);
        CHECK_TEXT(chosen.solver, "radau5");
        CHECK_CONTAINS(chosen.reason, "3 changes, from t = 50");
        CHECK((double)chosen.rates < 1.1 * (double)radau5.rates);
    }
}

// What is not stiff stays with the explicit method, and looking costs little.
TEST(no_false_alarms)
{
    for (int i = 0; i < 3; i++)
        for (int k = 4; k <= (test_is_slow() ? 4 : 8); k += 2) {
            double rtol = pow(10, -k);
            cost chosen = solve(&smooth[i], NULL, rtol);
            cost plain = solve(&smooth[i], chosen.solver, rtol);
            CHECK(strstr(chosen.reason, "stiff") == NULL);
            CHECK(chosen.rates <= plain.rates + plain.rates / 5);
            CHECK(memcmp(chosen.x, plain.x, sizeof plain.x) == 0);
        }
}

// ------------------------------------------------------------------- who looks changes nothing

static fo_status no_row(void *self, const fo_row *row, fo_message *why)
{
    (void)row, (void)why;
    ++*(int *)self;
    return FO_OK;
}

static fo_simulation *begin(const stiff_system *s, const stiff_problem *p, fo_observer *who,
                            const test_memory *memory)
{
    fo_run_def def = fo_default_run_def();
    fo_message why;
    def.stop = p->stop;
    def.observers = who, def.observer_count = who ? 1 : 0;
    if (memory) def.allocator = &memory->allocator;
    fo_simulation *sim = fo_simulation_create(s->system, &def, &why);
    if (!sim && !memory) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

static void same(fo_simulation *a, fo_simulation *b, const stiff_problem *p)
{
    CHECK(memcmp(fo_simulation_state(a)->x, fo_simulation_state(b)->x, p->n * sizeof(double)) == 0);
    CHECK_INT(fo_simulation_statistics(a).steps, fo_simulation_statistics(b).steps);
    CHECK_TEXT(fo_simulation_solver_reason(a), fo_simulation_solver_reason(b));
}

TEST(rows_and_pieces_change_nothing)
{
    const stiff_problem *problems[] = {&changing, &stiff_problems[0], &stiff_problems[3]};
    for (int i = 0; i < 3; i++) {
        const stiff_problem *p = problems[i];
        stiff_system s;
        int rows = 0;
        stiff_system_make(&s, p);
        fo_observer often = {.self = &rows, .row = no_row, .interval = p->stop / 997};
        fo_simulation *plain = begin(&s, p, NULL, NULL), *watched = begin(&s, p, &often, NULL);
        fo_simulation *pieces = begin(&s, p, NULL, NULL);
        REQUIRE(plain && watched && pieces);
        CHECK_INT(fo_simulation_advance(plain, p->stop), FO_REACHED);
        CHECK_INT(fo_simulation_advance(watched, p->stop), FO_REACHED);
        for (int k = 1; k <= 137; k++)
            CHECK_INT(fo_simulation_advance(pieces, k < 137 ? p->stop * k / 137 : p->stop),
                      FO_REACHED);
        CHECK(rows > 900);
        same(plain, watched, p), same(plain, pieces, p);
        fo_simulation_destroy(plain), fo_simulation_destroy(watched), fo_simulation_destroy(pieces);
    }
}

TEST(snapshots_carry_the_choice)
{
    const stiff_problem *p = &changing;
    stiff_system s;
    stiff_system_make(&s, p);
    for (double at = 0; at < 60; at += 3.7) {
        fo_simulation *a = begin(&s, p, NULL, NULL), *b = begin(&s, p, NULL, NULL);
        REQUIRE(a && b);
        CHECK_INT(fo_simulation_advance(a, at), FO_REACHED);
        fo_snapshot *snap = fo_simulation_snapshot(a);
        REQUIRE(snap);
        CHECK_INT(fo_simulation_advance(a, p->stop), FO_REACHED);
        CHECK_STATUS(fo_simulation_restore(b, snap), FO_OK, fo_simulation_message(b));
        CHECK_INT(fo_simulation_advance(b, p->stop), FO_REACHED);
        same(a, b, p);
        fo_snapshot_destroy(snap);
        fo_simulation_destroy(a), fo_simulation_destroy(b);
    }
}

TEST(every_allocation_may_fail)
{
    const stiff_problem *p = &changing;
    stiff_system s;
    stiff_system_make(&s, p);
    bool done = false;
    for (long n = 1; n < 1000 && !done; n++) {
        test_memory memory;
        test_memory_init(&memory, n);
        fo_simulation *sim = begin(&s, p, NULL, &memory);
        fo_status status = sim ? fo_simulation_advance(sim, p->stop) : FO_ERROR_MEMORY;
        CHECK(status == FO_REACHED || status == FO_ERROR_MEMORY);
        fo_simulation_destroy(sim);
        CHECK_INT(memory.live, 0);
        done = memory.allocations < n;
    }
    CHECK(done);
}

// Steps of a stiff method that are short beside the run, because it swings so fast: these are no
// steps that crawl, also where it swings by some tolerances only.
TEST(short_steps_are_no_crawl)
{
    static const char *const named[] = {"radau5", "rodas4", "cvode-bdf"};
    static const double starts[] = {1, 1e-4};
    for (size_t i = 0; i < 6; i++) {
        if (!fo_solver_find(named[i / 2], NULL)) continue;
        stiff_problem swing = {"swing", 2, 1e6, 1e-3, {0}, pendulum_rates, {0}};
        stiff_system s;
        fo_run_def def = fo_default_run_def();
        fo_message why;
        swing.start[0] = starts[i % 2];
        stiff_system_make(&s, &swing);
        def.stop = swing.stop, def.solver = named[i / 2], def.rtol = 1e-6, def.atol = 1e-6;
        fo_simulation *sim = fo_simulation_create(s.system, &def, &why);
        REQUIRE(sim);
        CHECK_INT(fo_simulation_advance(sim, 300), FO_REACHED);
        CHECK(fo_simulation_statistics(sim).steps > 2000);
        fo_simulation_destroy(sim);
    }
}

static fo_status swing_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1], dx[1] = -4 * x[0];
    return FO_OK;
}

// A state of any size beside one that begins at zero, and tolerances that know nothing of it: the
// first step is found, and the relative error is that of the model in other units.
TEST(states_of_any_size)
{
    static const char *const named[] = {"bs23", "rkf45", "dp45", "rkv56", "dop853", "adams", NULL};
    for (int power = -150; power <= 150; power += 50)
        for (int i = 0; i < 7; i++)
            for (int fits = 0; fits < 2; fits++) {
                double size = pow(10, power);
                stiff_problem swing = {"swing", 2, 2, 1e-3, {0}, swing_rates, {0}};
                stiff_system s;
                fo_run_def def = fo_default_run_def();
                fo_message why;
                swing.start[0] = size;
                stiff_system_make(&s, &swing);
                def.stop = 2, def.solver = named[i], def.atol = fits ? 1e-9 * size : 1e-9;
                fo_simulation *sim = fo_simulation_create(s.system, &def, &why);
                REQUIRE(sim);
                CHECK_STATUS(fo_simulation_advance(sim, 2), FO_REACHED, fo_simulation_message(sim));
                CHECK_NEAR(fo_simulation_state(sim)->x[0] / size, cos(4), 1e-3);
                fo_simulation_destroy(sim);
            }
}

/// A text with x, y and so on at the end; what the run counts.
static fo_statistics run_text(const char *text, double stop, double *x)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "stiffness.mo", .text = text};
    fo_statistics counts = {0};
    fo_run_def run = fo_default_run_def();
    run.stop = stop, run.max_steps = 200000;
    fo_text_model *model = fo_text_model_open(&def, &why);
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &run, &why) : NULL;
    if (sim && fo_simulation_advance(sim, stop) != FO_REACHED) why = *fo_simulation_message(sim);
    if (!sim || why.text[0]) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
    } else {
        counts = fo_simulation_statistics(sim);
        memcpy(x, fo_simulation_state(sim)->x, 2 * sizeof *x);
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return counts;
}

// The solver is made anew where a guard is held at zero, and goes on looking: what becomes stiff
// while x slides along zero is met by a stiff method.
TEST(what_becomes_stiff_while_a_guard_is_held_is_noticed)
{
    for (int power = 4; power <= 8; power++)
        for (int part = 1; part < 8; part++) {
            char text[512];
            double from = 0.1 * part, lambda = pow(10, power), x[2] = {NAN, NAN};
            snprintf(text, sizeof text,
                     "model Held\n  Real x(start=%g, fixed=true), y(start=1, fixed=true);\n"
                     "equation\n  der(x) = if x > 0 then -1 else 1;\n"
                     "  der(y) = -(if time < %g then 1 else %g)*(y - cos(time));\nend Held;\n",
                     0.9 * from, from, lambda);
            fo_statistics counts = run_text(text, 1, x);
            double far = lambda / (1 + lambda * lambda);
            CHECK(counts.steps < 1000);
            CHECK_NEAR(x[0], 0, 1e-12);
            CHECK_NEAR(x[1], far * (lambda * cos(1) + sin(1)), 1e-5);
        }
}

// A guard that nothing but rounding moves has moments anywhere in a step, at every scale. Steps
// grow from there in spite of them.
TEST(rounding_does_not_keep_steps_short)
{
    for (int k = 1; k < 8; k++) {
        char text[512];
        double x[2] = {NAN, NAN};
        snprintf(text, sizeof text,
                 "model Noise\n  parameter Real c = %g;\n"
                 "  Real w(start=0, fixed=true), x(start=0, fixed=true);\n  Boolean b;\n"
                 "equation\n  der(w) = ((c + time*time) - c) - time*time;\n  b = w > 0;\n"
                 "  der(x) = if b then 1 + 0*w else 1;\nend Noise;\n",
                 0.1 * k);
        fo_statistics counts = run_text(text, 1, x);
        CHECK(counts.steps < 20000);
        CHECK_NEAR(x[0], 0, 1e-15);
        CHECK_NEAR(x[1], 1, 1e-9);
    }
}

TEST_MAIN(TEST_ENTRY(states_of_any_size),
          TEST_ENTRY(what_becomes_stiff_while_a_guard_is_held_is_noticed),
          TEST_ENTRY(rounding_does_not_keep_steps_short), TEST_ENTRY(short_steps_are_no_crawl),
          TEST_ENTRY(the_choice_costs_at_most_twice_the_best),
          TEST_ENTRY(the_choice_costs_at_most_twice_cvode_for_the_same_error),
          TEST_ENTRY(beside_cvode_for_rows_as_good), TEST_ENTRY(changes_go_both_ways),
          TEST_ENTRY(no_false_alarms), TEST_ENTRY(rows_and_pieces_change_nothing),
          TEST_ENTRY(snapshots_carry_the_choice), TEST_ENTRY(every_allocation_may_fail))
