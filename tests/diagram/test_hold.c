// Rest and sliding in diagrams, as program and node by node, against closed forms.
#include "run.h"

typedef struct story {
    size_t count;
    fo_moment list[32];
} story;

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    story *log = self;
    (void)why;
    if (m->kind >= FO_REST && log->count < 32) log->list[log->count++] = *m;
    return FO_OK;
}

static story log_;
static const fo_observer observer = {.self = &log_, .moment = note, .interval = -1};

static bool open_as(diagram_run *r, const char *members, const char *solver, fo_diagram_way way)
{
    *r = (diagram_run){0};
    log_.count = 0;
    r->diagram = read_diagram(members, NULL, &r->why);
    if (!r->diagram) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return false;
    }
    if (fo_diagram_run_as(r->diagram, way, &r->why) != FO_OK) return false;
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r->diagram), NULL);
    def.solver = solver, def.rtol = 1e-9, def.atol = 1e-12;
    def.observers = &observer, def.observer_count = 1;
    r->sim = fo_simulation_create(fo_diagram_system(r->diagram), &def, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    return r->sim;
}

static void told(int line, size_t i, fo_moment_kind kind, double t, double error)
{
    if (i >= log_.count)
        test_fail(__FILE__, line, "only %zu reports", log_.count);
    else if (log_.list[i].kind != kind || !(fabs(log_.list[i].t - t) <= error))
        test_fail(__FILE__, line, "report %zu has kind %d at %.12g, not %d at %.12g", i,
                  (int)log_.list[i].kind, log_.list[i].t, (int)kind, t);
}

static const char *const solvers[] = {"dp45", "dop853", "rodas4", "radau5", "rk4", NULL};
static const fo_diagram_way ways[] = {FO_DIAGRAM_PROGRAM, FO_DIAGRAM_NODES};

// x' = 2 sin t - sgn x, from 0
static const char driven[] =
    "'simulation': {'integrator': 'dp45', 'stop': 4, 'step': 0.01}, 'nodes': [{'name': 's', "
    "'type': 'Sine Wave', 'parameters': {'Amplitude': 2}}, {'name': 'sign', 'type': 'Sign'}, "
    "{'name': 'd', 'type': 'Sum', 'parameters': {'Sign of Second Input': '-'}}, {'name': 'x', "
    "'type': "
    "'Integrator'}, {'name': 'out', 'type': 'Display'}], 'lines': [{'from': 's', 'to': 'd:1'}, "
    "{'from': 'sign', 'to': 'd:2'}, {'from': 'd', 'to': 'x'}, {'from': 'x', 'to': 'sign', "
    "'branches': [{'to': 'out'}]}]";

TEST(a_driven_relay_slides_and_leaves)
{
    for (size_t k = 0; solvers[k]; k++) {
        double first = 0;
        for (int way = 0; way < 2; way++) {
            diagram_run r;
            if (open_as(&r, driven, solvers[k], ways[way])) {
                CHECK_NEAR(value_at(&r, 0.5, "out"), 0, 1e-15);
                CHECK_NEAR(value_at(&r, 0.5, "sign"), 2 * sin(0.5), 1e-9); // equivalent control
                double x = value_at(&r, 5 * M_PI / 6, "out");
                CHECK_NEAR(x, 1.369706513, 2e-8);
                if (way) CHECK_NEAR(x, first, 1e-9);
                first = x;
                CHECK(value_at(&r, 4, "out") < 0);
                CHECK_INT(log_.count, 2);
                told(__LINE__, 0, FO_SLIDE, 0, 1e-7);
                told(__LINE__, 1, FO_SLIDE_END, M_PI / 6, 1e-8);
            }
            close_run(&r);
        }
    }
}

// x'' = -x - F(v), Coulomb's friction 0.3, from 1: sticks at -0.2 from 2 pi on
static const char sticking[] =
    "'simulation': {'integrator': 'dp45', 'stop': 10, 'step': 0.01}, 'nodes': [{'name': 'f', "
    "'type': 'Coulomb and Viscous Friction', 'parameters': {'Coulomb Friction Value': 0.3, "
    "'Coefficients of Viscous Friction': 0}}, {'name': 'a', 'type': 'Sum', 'parameters': {'Sign of "
    "First Input': '-', 'Sign of Second Input': '-'}}, {'name': 'v', 'type': 'Integrator'}, "
    "{'name': 'x', 'type': 'Integrator', "
    "'parameters': {'Initial Condition': 1}}, {'name': 'out', 'type': 'Display'}], 'lines': "
    "[{'from': 'x', 'to': 'a:1', 'branches': [{'to': 'out'}]}, {'from': 'f', 'to': 'a:2'}, "
    "{'from': 'a', 'to': 'v'}, {'from': 'v', 'to': 'x', 'branches': [{'to': 'f'}]}]";

TEST(friction_sticks)
{
    for (size_t k = 0; solvers[k]; k++)
        for (int way = 0; way < 2; way++) {
            diagram_run r;
            if (open_as(&r, sticking, solvers[k], ways[way])) {
                CHECK_NEAR(value_at(&r, 10, "out"), -0.2, 1e-6);
                told(__LINE__, log_.count - 1, FO_SLIDE, 2 * M_PI, 1e-6);
            }
            close_run(&r);
        }
}

// A ball by the reset of an integrator: rests, and its velocity too
static const char ball[] =
    "'simulation': {'integrator': 'dp45', 'stop': 8, 'step': 0.05}, 'nodes': [{'name': 'g', "
    "'type': 'Constant', 'parameters': {'Constant Value': -9.81}}, {'name': 'v', 'type': "
    "'Integrator', 'parameters': {'External Reset': 'falling', 'Initial Condition Source': "
    "'external'}}, {'name': 'y', 'type': 'Integrator', 'parameters': {'Initial Condition': 1}}, "
    "{'name': 'e', 'type': 'Gain', 'parameters': {'Gain': -0.8}}, {'name': 'start', 'type': "
    "'Initial Condition', 'parameters': {'Initial Value': 0}}, {'name': 'out', 'type': "
    "'Display'}], 'lines': [{'from': 'g', 'to': 'v:1'}, {'from': 'v', 'to': 'y', 'branches': "
    "[{'to': 'e'}]}, {'from': 'e', 'to': 'start'}, {'from': 'start', 'to': 'v:3'}, {'from': 'y', "
    "'to': 'v:2', 'branches': [{'to': 'out'}]}]";

TEST(a_ball_rests)
{
    for (size_t k = 0; solvers[k]; k++)
        for (int way = 0; way < 2; way++) {
            diagram_run r;
            if (open_as(&r, ball, solvers[k], ways[way])) {
                CHECK_NEAR(value_at(&r, 8, "out"), 0, 1e-15);
                CHECK_NEAR(value_at(&r, 8, "v"), 0, 1e-15);
                CHECK_INT(log_.count, 1);
                told(__LINE__, 0, FO_REST, 4.063712769, 1e-7);
            }
            close_run(&r);
        }
}

TEST_MAIN(TEST_ENTRY(a_driven_relay_slides_and_leaves), TEST_ENTRY(friction_sticks),
          TEST_ENTRY(a_ball_rests))
