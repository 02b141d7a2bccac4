// Nodes that jump where a number passes whole ones: remainders, bits, and whole parts behind nodes
// that switch. Integrals with closed forms, as program and node by node.
#include "run.h"

static const struct {
    const char *name, *nodes, *lines;
    double stop, truth;
} chains[] = {
    {"remainder of 3 t and 0.7",
     "{'name': 'v', 'type': 'Constant', 'parameters': {'Constant Value': 3}}, {'name': 'x', "
     "'type': "
     "'Integrator'}, {'name': 'r', 'type': 'Constant', 'parameters': {'Constant Value': 0.7}}, "
     "{'name': 'y', 'type': 'Math Function 2', 'parameters': {'Function': 'Modulus'}}",
     "{'from': 'v', 'to': 'x'}, {'from': 'x', 'to': 'y:1'}, {'from': 'r', 'to': 'y:2'}", 5, 1.73},
    {"remainder of -3 t and 0.7",
     "{'name': 'v', 'type': 'Constant', 'parameters': {'Constant Value': -3}}, {'name': 'x', "
     "'type': 'Integrator'}, {'name': 'r', 'type': 'Constant', 'parameters': {'Constant Value': "
     "0.7}}, {'name': 'y', 'type': 'Math Function 2', 'parameters': {'Function': 'Modulus'}}",
     "{'from': 'v', 'to': 'x'}, {'from': 'x', 'to': 'y:1'}, {'from': 'r', 'to': 'y:2'}", 5, -1.73},
    {"the lowest two bits of 2.5 t",
     "{'name': 'c', 'type': 'Clock'}, {'name': 'x', 'type': 'Gain', 'parameters': {'Gain': 2.5}}, "
     "{'name': 'y', 'type': 'Bitwise Logical Operator', 'parameters': {'Second Operand': '3'}}",
     "{'from': 'c', 'to': 'x'}, {'from': 'x', 'to': 'y'}", 4, 5.2},
    // the limits hold before the whole part is taken: -1 - 0.5 never comes to the table
    {"whole part of a friction within limits",
     "{'name': 'y', 'type': 'Direct Look-Up Table (2D)', 'parameters': {'Table Data': [[4], [1], "
     "[7]]}}, {'name': 'k', 'type': 'Rounding Function', 'parameters': {'Function': 'floor'}}, "
     "{'name': 's', 'type': 'Saturation', 'parameters': {'Lower Limit': 0.1, 'Upper Limit': 2.9}}, "
     "{'name': 'f', 'type': 'Coulomb and Viscous Friction', 'parameters': {'Coulomb Friction "
     "Value': 1.25, 'Coefficients of Viscous Friction': 0.5}}, {'name': 'x', 'type': 'Integrator', "
     "'parameters': {'Initial Condition': 0.5}}, {'name': 'v', 'type': 'Constant', 'parameters': "
     "{'Constant Value': -0.5}}, {'name': 'o', 'type': 'Constant', 'parameters': {'Constant "
     "Value': 0}}",
     "{'from': 'v', 'to': 'x'}, {'from': 'x', 'to': 'f'}, {'from': 'f', 'to': 's'}, {'from': 's', "
     "'to': 'k'}, {'from': 'k', 'to': 'y:1'}, {'from': 'o', 'to': 'y:2'}",
     3, 1 + 2 * 4},
    // at the end of its cell from the start on, which it leaves when a dead zone lets go
    {"whole part of a truth",
     "{'name': 'x', 'type': 'Integrator', 'parameters': {'Initial Condition': 0.437}}, {'name': "
     "'v', 'type': 'Constant', 'parameters': {'Constant Value': 1.456}}, {'name': 'a', 'type': "
     "'Dead Zone', 'parameters': {'Start of Dead Zone': -0.5, 'End of Dead Zone': 0.5}}, {'name': "
     "'b', 'type': 'Logical Operator', 'parameters': {'Logical Operator': 'NOT'}}, {'name': 'y', "
     "'type': 'Rounding Function', 'parameters': {'Function': 'fix'}}",
     "{'from': 'v', 'to': 'x'}, {'from': 'x', 'to': 'a'}, {'from': 'a', 'to': 'b'}, {'from': 'b', "
     "'to': 'y'}",
     4, (0.5 - 0.437) / 1.456},
};

static void run(size_t chain, const char *solver, fo_diagram_way way)
{
    char text[4096];
    snprintf(text, sizeof text,
             "'simulation': {'integrator': '%s', 'stop': %g, 'step': 0.05, 'rtol': 1e-9, 'atol': "
             "1e-12}, 'nodes': [%s, {'name': 'i', 'type': 'Integrator'}, {'name': 'out', 'type': "
             "'Display'}], 'lines': [%s, {'from': 'y', 'to': 'i'}, {'from': 'i', 'to': 'out'}]",
             solver, chains[chain].stop, chains[chain].nodes, chains[chain].lines);
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
            double found = value_at(&r, chains[chain].stop, "out"), truth = chains[chain].truth;
            if (!(fabs(found - truth) < 1e-7))
                test_fail(__FILE__, __LINE__, "%s with %s, way %d: %.9f", chains[chain].name,
                          solver, (int)way, found);
        }
    }
    close_run(&r);
}

TEST(jumps_at_whole_numbers_are_located)
{
    static const char *const solvers[] = {"dp45",   "dop853",    "bs23", "rk4",
                                          "radau5", "cvode-bdf", "adams"};
    for (size_t chain = 0; chain < sizeof chains / sizeof *chains; chain++)
        for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
            for (int way = 0; way < 2; way++)
                run(chain, solvers[k], way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM);
}

// p and q, how they move, and p mod q.
static bool open_remainder(diagram_run *r, const double p[2], const double q[2], int way)
{
    bool moves = q[1] != 0;
    char text[2048];
    snprintf(text, sizeof text,
             "'simulation': {'integrator': 'rk4', 'stop': 1, 'step': 0.1}, 'nodes': [{'name': "
             "'a', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, {'name': 'p', "
             "'type': 'Integrator', 'parameters': {'Initial Condition': %.17g}}, {'name': 'b', "
             "'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, {'name': 'q', 'type': "
             "'%s', 'parameters': {'%s': %.17g}}, {'name': 'y', 'type': 'Math Function 2', "
             "'parameters': {'Function': 'Modulus'}}, {'name': 'i', 'type': 'Integrator'}, "
             "{'name': 'P', 'type': 'Display'}, {'name': 'Q', 'type': 'Display'}, {'name': 'Y', "
             "'type': 'Display'}, {'name': 'B', 'type': 'Display'}, {'name': 'I', 'type': "
             "'Display'}], 'lines': [{'from': 'a', 'to': 'p'}, {'from': 'p', 'to': 'y:1', "
             "'branches': [{'to': 'P'}]}, {'from': 'b', 'to': 'B'%s}, {'from': 'q', 'to': 'y:2', "
             "'branches': [{'to': 'Q'}]}, {'from': 'y', 'to': 'Y', 'branches': [{'to': 'i'}]}, "
             "{'from': 'i', 'to': 'I'}]",
             p[1], p[0], q[1], moves ? "Integrator" : "Constant",
             moves ? "Initial Condition" : "Constant Value", q[0],
             moves ? ", 'branches': [{'to': 'q'}]" : "");
    *r = (diagram_run){0};
    r->diagram = read_diagram(text, NULL, &r->why);
    fo_diagram_way as = way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM;
    if (r->diagram && fo_diagram_run_as(r->diagram, as, &r->why) == FO_OK) {
        fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r->diagram), NULL);
        r->sim = fo_simulation_create(fo_diagram_system(r->diagram), &def, &r->why);
    }
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    return r->sim;
}

static void check_remainders(const double p[2], const double q[2])
{
    static const double times[] = {0, 0.1307, 0.3719, 0.7103, 1};
    double found[2][5] = {{0}};
    for (int way = 0; way < 2; way++) {
        diagram_run r;
        bool good = open_remainder(&r, p, q, way);
        for (size_t k = 0; good && k < sizeof times / sizeof *times; k++) {
            double a = value_at(&r, times[k], "P"), b = value_at(&r, times[k], "Q");
            found[way][k] = value_at(&r, times[k], "Y");
            if (found[way][k] != fmod(a, b))
                test_fail(__FILE__, __LINE__, "way %d at %g: %.17g mod %.17g is %.17g, not %.17g",
                          way, times[k], a, b, found[way][k], fmod(a, b));
        }
        close_run(&r);
    }
    CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
}

// A number of either sign with a random power of two.
static double some(fo_random *random, double least, double most)
{
    double power = floor(least + (most - least) * fo_random_uniform(random, 0, 1));
    double m = 1 + fo_random_uniform(random, 0, 1);
    return ldexp(fo_random_uniform(random, 0, 1) < 0.5 ? -m : m, (int)power);
}

TEST(remainders_are_exact)
{
    fo_random random = fo_random_stream(5, 0);
    for (int i = 0; i < 300; i++) {
        double size = i % 3 ? 40 : 940, u = some(&random, -3, i % 5 == 0 ? 20 : i % 2 ? 52 : 70);
        double q[2] = {some(&random, -size, size), 0}, p[2] = {q[0] * u, 0};
        p[1] = q[0] * 4 * (fo_random_uniform(&random, 0, 1) - 0.5);
        if (i % 5 == 0)
            q[1] = q[0] * 0.2 * (fo_random_uniform(&random, 0, 1) - 0.5) / (1 + fabs(u));
        check_remainders(p, q);
    }
    check_remainders((double[]){1e10, 0.001}, (double[]){0.007, 0});
    check_remainders((double[]){1e17, 1}, (double[]){7, 0});
    check_remainders((double[]){1e15, 0.1}, (double[]){0.3, 0});
    check_remainders((double[]){1e308, 1}, (double[]){1e-300, 0});
}

TEST_MAIN(TEST_ENTRY(jumps_at_whole_numbers_are_located), TEST_ENTRY(remainders_are_exact))
