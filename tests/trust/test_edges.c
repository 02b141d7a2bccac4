// Edges of stiff states that follow time, with restarts at every edge or in between: counted right
// by every stiff solver, or not called certified.
#include <foliot/language.h>
#include <math.h>

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
        bool controlled; ///< its dense output is: counts must be right
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
            else if (all.n != truth && (all.certified || solvers[i].controlled))
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

TEST_MAIN(TEST_ENTRY(an_edge_is_counted_once_where_the_solver_begins_again),
          TEST_ENTRY(an_edge_is_counted_once_after_resets))
