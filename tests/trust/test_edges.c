// Edges of stiff states that follow time, with restarts at every edge or in between: counted right
// by every stiff solver, or not called certified. And edges whose count must not depend on where
// doubles happen to lie: touches, guards that leave zero, states of any size.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { STOP = 40 };

/// Every edge changes a rate of `y`, so that the solver begins again there.
static const char *const restarts =
    "model Track\n"
    "  parameter Real k = 1;\n"
    "  Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
    "  discrete Integer n(start = 0, fixed = true);\n"
    "equation\n"
    "  der(x) = -k*(x - sin(time));\n"
    "  der(y) = n;\n"
    "  when x > 0.5 then n = pre(n) + 1; end when;\n"
    "end Track;\n";

/// x is put away from its slow solution each second.
static const char *const resets = "model Reset\n"
                                  "  parameter Real k = 1;\n"
                                  "  Real x(start = 0, fixed = true);\n"
                                  "  discrete Integer n(start = 0, fixed = true);\n"
                                  "equation\n"
                                  "  der(x) = -k*(x - sin(time));\n"
                                  "  when sample(1, 1) then reinit(x, 0.3); end when;\n"
                                  "  when x > 0.5 then n = pre(n) + 1; end when;\n"
                                  "end Reset;\n";

static int rises_of_sine(double stop)
{
    const double first = 0.52359877559829887, turn = 6.2831853071795865;
    return stop > first ? 1 + (int)((stop - first) / turn) : 0;
}

/// After each reset x rises through 1/2 again where sin is above.
static int rises_with_resets(int stop)
{
    int rises = rises_of_sine(stop);
    for (int i = 1; i < stop; i++) rises += sin(i) > 0.5;
    return rises;
}

typedef struct seen {
    int n;
    bool certified;
    double error; ///< of x against sin, the largest of the rows far from resets
} seen;

static seen watch(const char *text, double k, const char *solver, fo_message *why)
{
    seen all = {-1, false, 0};
    fo_text_model_def model_def = {.path = "edges.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, why);
    fo_run_def def = fo_default_run_def();
    def.stop = STOP, def.solver = solver;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, why) : NULL;
    if (!sim) return all;
    fo_reference x, n;
    fo_system system = fo_simulation_system(sim);
    CHECK(fo_system_find(system, "x", &x, NULL) == FO_OK);
    CHECK(fo_system_find(system, "n", &n, NULL) == FO_OK);
    fo_status status = fo_simulation_set(sim, "k", k);
    for (int i = 1; i <= 10 * STOP && (status == FO_OK || status == FO_REACHED); i++) {
        status = fo_simulation_advance(sim, i / 10.0);
        double off = fabs(fo_simulation_value(sim, x) - sin(i / 10.0));
        if (i % 10 > 2) all.error = fmax(all.error, off - 1 / k);
    }
    *why = *fo_simulation_message(sim);
    fo_guard_report report;
    if (status == FO_REACHED) all.n = (int)fo_simulation_value(sim, n);
    all.certified = fo_simulation_guard_report(sim, 0, &report) && report.certified;
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return all;
}

static void try_all(const char *text, int truth)
{
    static const struct {
        const char *name;
        bool controlled; ///< its dense output is
    } solvers[] = {{"radau5", true}, {"rodas4", true},        {"cvode-bdf", true},
                   {"ida", true},    {"ark-implicit", false}, {NULL, true}};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        for (double k = 1e4; k < 2e8; k *= 100) {
            const char *name = solvers[i].name ? solvers[i].name : "any";
            fo_message why = {0};
            if (solvers[i].name && !fo_solver_find(solvers[i].name, NULL)) continue;
            seen all = watch(text, k, solvers[i].name, &why);
            if (all.n < 0)
                test_fail(__FILE__, __LINE__, "%s, k = %g: %s", name, k, why.text);
            else if (all.n != truth)
                test_fail(__FILE__, __LINE__, "%s, k = %g: %d rises, not %d", name, k, all.n,
                          truth);
            if (!(all.error <= 20e-6))
                test_fail(__FILE__, __LINE__, "%s, k = %g: rows are off by %g", name, k, all.error);
            CHECK(solvers[i].controlled == all.certified);
        }
}

TEST(an_edge_is_counted_once_where_the_solver_begins_again)
{
    try_all(restarts, rises_of_sine(STOP));
}

TEST(an_edge_is_counted_once_after_resets)
{
    try_all(resets, rises_with_resets(STOP));
}

static fo_status count_edges_at(const char *text, const char *solver, double rtol, double stop,
                                double *n, fo_message *why)
{
    fo_text_model_def model_def = {.path = "edges.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, why);
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver, def.rtol = rtol;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, why) : NULL;
    fo_status status = sim ? fo_simulation_advance(sim, stop) : FO_ERROR_INPUT;
    fo_reference which;
    if (sim && fo_system_find(fo_simulation_system(sim), "n", &which, NULL) == FO_OK)
        *n = fo_simulation_value(sim, which);
    if (sim) *why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return status;
}

static fo_status count_edges(const char *text, const char *solver, double stop, double *n,
                             fo_message *why)
{
    return count_edges_at(text, solver, fo_default_run_def().rtol, stop, n, why);
}

// At a crossing a state may be some tolerances off the slow curve, and goes back to it at once.
TEST(a_coarse_tolerance_makes_no_edges)
{
    static const char *const solvers[] = {"radau5", "rodas4", "ark-implicit", "cvode-bdf", "ida"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        for (int k = 0; k < 4; k++) {
            fo_message why = {0};
            if (!fo_solver_find(solvers[i], NULL)) continue;
            double stiff = k % 2 ? 1e8 : 1e4, n = -1;
            char text[400];
            snprintf(text, sizeof text,
                     "model C Real x(start = 0, fixed = true), y(start = 0, fixed = true); "
                     "discrete Integer n(start = 0, fixed = true); equation "
                     "der(x) = -%g*(x - sin(time)); der(y) = n; "
                     "when x > 0.5 then n = pre(n) + 1; end when; end C;",
                     stiff);
            fo_status status = count_edges_at(text, solvers[i], k < 2 ? 1e-3 : 1e-4, 100, &n, &why);
            CHECK_STATUS(status, FO_REACHED, &why);
            if (n != rises_of_sine(100))
                test_fail(__FILE__, __LINE__, "%s, k = %g: %g rises, not %d", solvers[i], stiff, n,
                          rises_of_sine(100));
        }
}

// ------------------------------------------------------------------------- whatever the solver

/// Every adaptive solver and the common fixed steps.
static const char *const everyone[] = {"dp45",  "dop853",      "bs23",          "rkv56",
                                       "adams", "radau5",      "rodas4",        "cvode-bdf",
                                       "ida",   "cvode-adams", "ark-explicit",  "ark-implicit",
                                       "euler", "rk4",         "implicit-euler"};
enum { EVERYONE = sizeof everyone / sizeof everyone[0] };

/// x runs from 0 to 4, and `when` counts.
static void want_count(const char *guard, int truth)
{
    char text[400];
    snprintf(text, sizeof text,
             "model E\n  Real x(start = 0, fixed = true);\n"
             "  discrete Integer n(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
             "  when %s then n = pre(n) + 1; end when;\nend E;\n",
             guard);
    for (int i = 0; i < EVERYONE; i++) {
        if (!fo_solver_find(everyone[i], NULL)) continue;
        fo_message why = {0};
        double n = -1;
        if (CHECK_STATUS(count_edges(text, everyone[i], 4, &n, &why), FO_REACHED, &why) &&
            n != truth)
            test_fail(__FILE__, __LINE__, "`%s` with %s: %g, not %d", guard, everyone[i], n, truth);
    }
}

TEST(a_touch_counts_with_every_solver)
{
    want_count("(x - 1)^2 <= 0", 1);
    want_count("abs(x - 1.3) <= 0", 1);
    want_count("(x - 1.7)^2*(x - 3)^2 <= 0", 2);
    want_count("(x - 1)^2 < 0", 0);
    want_count("(x - 1)^2 + 1e-6 <= 0", 0);
}

TEST(leaving_zero_counts_once_with_every_solver)
{
    want_count("max(0, x - 1) > 0", 1);
    want_count("max(0, x - 1)*max(0, 2 - x) > 0", 1);
    want_count("max(0, x - 0.1)*max(0, 0.3 - x) + max(0, x - 2.1) > 0", 2);
    want_count("min(0, 1 - x) < 0", 1);
}

// The derivative of a root at 0 times that of a constant is 0 times infinity: it says nothing.
TEST(a_derivative_that_does_not_exist_turns_nothing)
{
    want_count("sqrt(abs(x)) > 0", 1);
    want_count("sqrt(abs(sinh(time))) > 0", 1);
    want_count("sin(asin(min(1, x + 1)) + 3*x) > 0.5", 2);
    want_count("max(cos(3*x)^2, acos(max(-1, min(1, x + 2)))) > 0.3", 4);
}

TEST(time_leaves_its_start)
{
    want_count("time > 0", 1);
    want_count("0 < time", 1);
    want_count("not time <= 0", 1);
    want_count("sign(time) > 0", 1);
    want_count("time >= 0", 0);
    want_count("time <= 0", 0);
}

// Beside a pole of tan rounding errors hide all of the first; near 1 they hide the sign of the
// second at millions of doubles.
TEST(rounding_errors_that_hide_a_sign_make_no_edges)
{
    want_count("tan(3*x)*cos(3*x) > 0.5", 2);
    want_count("tan(3*x)*cos(3*x) < 0.5", 2);
    want_count("x^3 - 3*x^2 + 3*x - 1 > 0", 1);
}

TEST(the_size_of_states_changes_no_count)
{
    static const double sizes[] = {1e-12, 1e-9, 1e-5, 1e-3, 1, 1e6, 1e12};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int i = 0; i < EVERYONE; i++) {
            char text[500];
            fo_message why = {0};
            double n = -1;
            if (!fo_solver_find(everyone[i], NULL)) continue;
            snprintf(text, sizeof text,
                     "model E\n  parameter Real a = %g;\n  Real x(start = 0, fixed = true);\n"
                     "  Real v(start = a, fixed = true);\n"
                     "  discrete Integer n(start = 0, fixed = true);\nequation\n"
                     "  der(x) = v;\n  der(v) = -x;\n"
                     "  when x > 0.5*a then n = pre(n) + 1; end when;\nend E;\n",
                     sizes[k]);
            if (CHECK_STATUS(count_edges(text, everyone[i], 20, &n, &why), FO_REACHED, &why) &&
                n != 4)
                test_fail(__FILE__, __LINE__, "size %g with %s: %g, not 4", sizes[k], everyone[i],
                          n);
        }
}

// After each jump of rem the guard is about -1e13, and soon afterwards it rises through zero.
TEST(a_pole_beside_it_does_not_move_a_crossing)
{
    static const char text[] =
        "model E\n  Real x(start = 1.90825, fixed = true);\n"
        "  discrete Real n(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
        "  when 1 - 0.171875/rem(x, 4.21875) > 0 then n = time; end when;\nend E;\n";
    for (int i = 0; i < EVERYONE; i++) {
        fo_message why = {0};
        double n = -1;
        if (!fo_solver_find(everyone[i], NULL)) continue;
        CHECK_STATUS(count_edges(text, everyone[i], 8, &n, &why), FO_REACHED, &why);
        CHECK_NEAR(n, 6.701125, 1e-10);
    }
}

// exp(-y) leaves zero where y falls below 745.1332191: its values are subnormal for long after.
TEST(the_smallest_numbers_are_off_zero)
{
    static const char text[] =
        "model E\n  Real x(start = 0, fixed = true);\n"
        "  discrete Real n(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
        "  when exp(-1/max(x - 1, 1e-9)) > 0 then n = time; end when;\nend E;\n";
    for (int i = 0; i < EVERYONE; i++) {
        fo_message why = {0};
        double n = -1;
        if (!fo_solver_find(everyone[i], NULL)) continue;
        CHECK_STATUS(count_edges(text, everyone[i], 8, &n, &why), FO_REACHED, &why);
        CHECK_NEAR(n, 1 + 1 / 745.13321910194122, 1e-12);
    }
}

// The first instant is named, whatever the steps are, and what happens before it has happened.
TEST(an_undefined_guard_is_named_where_it_begins)
{
    static const char *const guards[] = {"sqrt(2 - x) < 0.1", "sqrt((x - 3)^2 - 1) < 0.1",
                                         "log(2 - x) < -9"};
    for (size_t k = 0; k < 3; k++)
        for (int i = 0; i < EVERYONE; i++) {
            char text[500];
            fo_message why = {0};
            double n = -1;
            if (!fo_solver_find(everyone[i], NULL)) continue;
            snprintf(text, sizeof text,
                     "model E\n  Real x(start = 0, fixed = true);\n"
                     "  discrete Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n"
                     "equation\n  der(x) = 1;\n  when x > 1.5 then n = pre(n) + 1; end when;\n"
                     "  when %s then m = pre(m) + 1; end when;\nend E;\n",
                     guards[k]);
            fo_status status = count_edges(text, everyone[i], 5, &n, &why);
            const char *at = strstr(why.text, "t = ");
            CHECK_INT(status, FO_ERROR_NUMBER);
            CHECK_CONTAINS(why.text, "is not a number at t = ");
            CHECK_NEAR(at ? strtod(at + 4, NULL) : NAN, 2, 1e-9);
            CHECK_INT((int)n, 1);
        }
}

// Undefined for a while between the ends of steps, where every stage of a step may be defined.
TEST(what_is_undefined_for_a_while_is_not_stepped_over)
{
    static const struct gap {
        const char *equation;
        double from;
    } gaps[] = {{"der(z) = sqrt((x - 2)^2 - 1e-4)", 1.99},
                {"der(z) = acos(1.00000001*sin(x))", 1.5706549054407},
                {"der(z) = 0; y = log((x - 3)^2 - 1e-6)", 2.999},
                {"der(z) = 0; y = asin(1.0000001*sin(x))", 1.5703491132},
                {"der(z) = 0; y = ((x - 1)^2 - 1e-6)^0.5", 0.999}};
    for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; k++)
        for (int i = 0; i < EVERYONE; i++) {
            char text[500];
            fo_message why = {0};
            double n = -1;
            if (!fo_solver_find(everyone[i], NULL)) continue;
            snprintf(text, sizeof text,
                     "model E\n  Real x(start = 0, fixed = true), z(start = 0, fixed = true)%s;\n"
                     "equation\n  der(x) = 1;\n  %s;\nend E;\n",
                     strstr(gaps[k].equation, "y =") ? ", y" : "", gaps[k].equation);
            fo_status status = count_edges(text, everyone[i], 4, &n, &why);
            const char *at = strstr(why.text, "t = ");
            CHECK_INT(status, FO_ERROR_NUMBER);
            double t = at ? strtod(at + 4, NULL) : NAN;
            // fixed steps say so where they stand
            if (!(t >= gaps[k].from - 1e-9 && t <= gaps[k].from + 0.02))
                test_fail(__FILE__, __LINE__, "`%s` with %s: %s", gaps[k].equation, everyone[i],
                          why.text);
        }
}

static void want_end(const char *text, const char *solver, double stop, const char *name,
                     double truth, double within)
{
    fo_message why = {0};
    fo_text_model_def model_def = {.path = "edges.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.solver = solver;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    fo_reference which;
    CHECK(sim && fo_system_find(fo_simulation_system(sim), name, &which, NULL) == FO_OK);
    if (!sim) return;
    fo_status status = fo_simulation_advance(sim, stop);
    if (status != FO_REACHED || !(fabs(fo_simulation_value(sim, which) - truth) <= within))
        test_fail(__FILE__, __LINE__, "%s: %s is %.15g, not %.15g: %s\n%s", solver, name,
                  fo_simulation_value(sim, which), truth, fo_simulation_message(sim)->text, text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

// A moment of another guard at a pole or a jump begins a step right there, where enclosures are
// wide: nothing touches zero because of that. tan(x) sin(2 x) is 2 sin(x)^2.
TEST(beside_a_pole_nothing_touches_zero)
{
    static const struct {
        const char *guard, *other;
        double n;
    } list[] = {{"tan(x)*sin(2*x) > 1.2", "tan(x) > 1", 4},
                {"mod(atan2(sin(x), sin(x)), 0.7) > 0.3", "sin(x) > 0", 2},
                {"sin(x)/x + 1/sin(x)*sin(x) > 1.1", "1/sin(x) > 1", 1}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (int i = 0; i < EVERYONE; i++) {
            char text[500];
            if (!fo_solver_find(everyone[i], NULL)) continue;
            snprintf(text, sizeof text,
                     "model E\n  Real x(start = 0.1, fixed = true);\n"
                     "  discrete Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n"
                     "equation\n  der(x) = 1.3;\n"
                     "  when %s then n = pre(n) + 1; end when;\n"
                     "  when %s then m = pre(m) + 1; end when;\nend E;\n",
                     list[k].guard, list[k].other);
            want_end(text, everyone[i], 9, "n", list[k].n, 0);
        }
}

// Behind the moment the old branch has no value, neither for a step nor for a Jacobian.
TEST(a_branch_is_left_where_it_ends)
{
    static const char *const adaptive[] = {"dp45",   "dop853", "bs23",      "rkv56", "adams",
                                           "radau5", "rodas4", "cvode-bdf", "ida",   "cvode-adams"};
    static const char tank[] = "model T\n  Real h(start = 1, fixed = true);\nequation\n"
                               "  der(h) = if h > 0 then -0.5*sqrt(h) else 0;\nend T;\n";
    static const char other[] =
        "model T\n  Real h(start = 1, fixed = true);\nequation\n"
        "  der(h) = if h > 5 then -0.5*sqrt(h - 5) + log(h - 5) else -h;\nend T;\n";
    static const char still[] = "model T\n  Real h(start = 1, fixed = true);\nequation\n"
                                "  der(h) = -0.5*sqrt(abs(h))*sign(h);\nend T;\n";
    for (size_t i = 0; i < sizeof adaptive / sizeof adaptive[0]; i++) {
        if (!fo_solver_find(adaptive[i], NULL)) continue;
        want_end(tank, adaptive[i], 10, "h", 0, 1e-12);
        want_end(other, adaptive[i], 1, "h", 0.36787944117144233, 1e-4);
        if (i < 3) want_end(still, adaptive[i], 10, "h", 0, 1e-12);
    }
}

// What is true nowhere is counted nowhere: opposite relations, however they are written, are never
// both true or both false, and of x > y and x < y one turns with the other.
TEST(opposite_relations_turn_at_one_instant)
{
    static const char *const solvers[] = {"dp45", "dop853", "bs23", "radau5", "rodas4", "adams"};
    static const double turns[] = {1, 1.3, 7.7};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
        for (int k = 0; k < 3; k++) {
            char text[900];
            snprintf(
                text, sizeof text,
                "model O\n  Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
                "  discrete Integer n(start = 0, fixed = true), all(start = 0, fixed = true);\n"
                "equation\n  der(x) = -%g*sin(%g*time);\n  der(y) = %g*cos(%g*time);\n"
                "  when {x > y and x <= y, not (x > y or x <= y), y > x and x >= y,\n"
                "        not (x > y) and not (x < y), x > y or y > x, x < y and y <= x} then\n"
                "    n = pre(n) + 1;\n  end when;\n"
                "  when {x > y, y > x} then all = pre(all) + 1; end when;\nend O;\n",
                turns[k], turns[k], turns[k], turns[k]);
            want_end(text, solvers[i], 20, "n", 0, 0);
            // x = y at pi/4 and every pi from there on
            want_end(text, solvers[i], 20, "all", floor(20 * turns[k] / 3.14159265358979 + 0.75),
                     0);
        }
}

// sin(1.2/x) turns without end beside zero, where a jump lets go of it: nobody can count that, and
// nobody says that it was counted.
TEST(what_turns_without_end_is_not_certified)
{
    fo_message why = {0};
    fo_text_model_def model_def = {
        .path = "edges.mo",
        .text = "model R\n  Real x(start = -0.15425, fixed = true);\n"
                "  discrete Integer n(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
                "  when sin(if mod(x, 3.65625)^2 > sin(x) then ceil(log(abs(x) + 0.125))\n"
                "           else 1.15625/x) > 0 then n = pre(n) + 1; end when;\nend R;\n"};
    fo_text_model *model = fo_text_model_open(&model_def, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s", why.text);
    for (int k = 1; model && k <= 60; k++) {
        fo_run_def def = fo_default_run_def();
        def.stop = 8, def.solver = k % 2 ? "euler" : "rk4", def.step = k / 100.0;
        fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
        if (sim && fo_simulation_advance(sim, 8) == FO_REACHED) {
            bool all = true;
            fo_guard_report report;
            for (uint32_t i = 0; fo_simulation_guard_report(sim, i, &report); i++)
                all &= report.certified;
            if (all) test_fail(__FILE__, __LINE__, "certified with steps of %g", def.step);
        }
        fo_simulation_destroy(sim);
    }
    fo_text_model_close(model);
}

TEST_MAIN(TEST_ENTRY(what_turns_without_end_is_not_certified),
          TEST_ENTRY(a_coarse_tolerance_makes_no_edges),
          TEST_ENTRY(opposite_relations_turn_at_one_instant),
          TEST_ENTRY(an_edge_is_counted_once_where_the_solver_begins_again),
          TEST_ENTRY(an_edge_is_counted_once_after_resets),
          TEST_ENTRY(a_touch_counts_with_every_solver),
          TEST_ENTRY(leaving_zero_counts_once_with_every_solver),
          TEST_ENTRY(a_derivative_that_does_not_exist_turns_nothing),
          TEST_ENTRY(time_leaves_its_start),
          TEST_ENTRY(rounding_errors_that_hide_a_sign_make_no_edges),
          TEST_ENTRY(a_pole_beside_it_does_not_move_a_crossing),
          TEST_ENTRY(beside_a_pole_nothing_touches_zero),
          TEST_ENTRY(what_is_undefined_for_a_while_is_not_stepped_over),
          TEST_ENTRY(the_smallest_numbers_are_off_zero), TEST_ENTRY(a_branch_is_left_where_it_ends),
          TEST_ENTRY(the_size_of_states_changes_no_count),
          TEST_ENTRY(an_undefined_guard_is_named_where_it_begins))
