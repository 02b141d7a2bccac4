// A signal that was exactly zero for a while and leaves zero: 2 sin t through a node that makes
// zeros, then through one that switches there. On for 4 pi / 6 = 2.0944 of the first three seconds,
// with every solver, as program and node by node.
#include "run.h"

static const double pi = 3.14159265358979323846;

static const struct {
    const char *makes, *switches, *more, *lines;
} chains[] = {
    {"'Dead Zone', 'parameters': {'Start of Dead Zone': -1, 'End of Dead Zone': 1}", "'Sign'", "",
     ""},
    {"'Dead Zone', 'parameters': {'Start of Dead Zone': -1, 'End of Dead Zone': 1}",
     "'Coulomb and Viscous Friction', 'parameters': {'Coulomb Friction Value': 1, 'Coefficients "
     "of Viscous Friction': 0}",
     "", ""},
    {"'Saturation', 'parameters': {'Upper Limit': 1.5, 'Lower Limit': 1}",
     "'Relational Operator', 'parameters': {'Relational Operator': '>'}",
     ", {'name': 'one', 'type': 'Constant', 'parameters': {'Constant Value': 1}}",
     ", {'from': 'one', 'to': 'b:2'}"},
};

static void run(size_t chain, const char *solver, fo_diagram_way way)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "'simulation': {'integrator': '%s', 'stop': 3, 'step': 0.05}, 'nodes': [{'name': "
        "'s', 'type': 'Sine Wave', 'parameters': {'Amplitude': 2}}, {'name': 'a', 'type': "
        "%s}, {'name': 'b', 'type': %s}, {'name': 'i', 'type': 'Integrator'}, {'name': 'out', "
        "'type': 'Display'}%s], 'lines': [{'from': 's', 'to': 'a'}, {'from': 'a', 'to': 'b:1'}, "
        "{'from': 'b', 'to': 'i'}, {'from': 'i', 'to': 'out'}%s]",
        solver, chains[chain].makes, chains[chain].switches, chains[chain].more,
        chains[chain].lines);
    diagram_run r = {0};
    r.diagram = read_diagram(text, NULL, &r.why);
    if (!r.diagram) {
        test_fail(__FILE__, __LINE__, "%s", r.why.text);
        return;
    }
    if (fo_diagram_run_as(r.diagram, way, &r.why) == FO_OK) {
        fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r.diagram), NULL);
        r.sim = fo_simulation_create(fo_diagram_system(r.diagram), &def, &r.why);
        if (r.sim) {
            double found = value_at(&r, 3, "out");
            if (!(fabs(found - 4 * pi / 6) < 1e-6))
                test_fail(__FILE__, __LINE__, "chain %zu with %s, way %d: %.6f", chain, solver,
                          (int)way, found);
        }
    }
    close_run(&r);
}

TEST(leaving_zero_is_found_with_every_solver)
{
    size_t count = fo_solver_count(), tried = 0;
    for (size_t k = 0; k < count; k++)
        for (size_t chain = 0; chain < 3; chain++)
            for (int way = 0; way < 2; way++) {
                const char *name = fo_solver_get(k)->name;
                if (!strcmp(name, "own") || !strcmp(name, "ida")) continue;
                run(chain, name, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM);
                tried++;
            }
    CHECK(tried > 60);
}

TEST_MAIN(TEST_ENTRY(leaving_zero_is_found_with_every_solver))
