// Every method finds the same moments: what stands at zero to the last bit turns as what is past it
// by a bit does. How many there are is known by brute force.
#include "../diagram/run.h"

static double chance(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(uint64_t *s, double a, double b)
{
    return a + (b - a) * chance(s);
}

static const char *const solvers[] = {"bs23",  "dp45",      "rkv56",        "dop853",
                                      "adams", "rodas4",    "radau5",       "simpson-adaptive",
                                      "ida",   "cvode-bdf", "ark-implicit", "cvode-adams"};

enum { SOLVERS = sizeof solvers / sizeof *solvers, STOP = 6, PARTS = 300000 };

/// x' = a sin(w t + p) - k (jumping), x(0) = start.
typedef struct scene {
    double a, w, p, k, start, width;
} scene;

static scene draw(uint64_t seed)
{
    uint64_t s = seed << 20;
    scene c = {.a = between(&s, 0.3, 2), .w = between(&s, 0.5, 5), .p = between(&s, -3, 3)};
    c.k = between(&s, 1.2, 2), c.start = between(&s, -1, 1), c.width = between(&s, 0.1, 0.5);
    return c;
}

static double drive(const scene *c, double t)
{
    return c->a * sin(c->w * t + c->p);
}

static fo_status count(void *self, const fo_moment *m, fo_message *why)
{
    (void)why;
    *(int *)self += m->kind == FO_GUARD;
    return FO_OK;
}

static int counted(const char *members, const char *solver, fo_status *status)
{
    fo_message why = {0};
    int guards = 0;
    fo_observer who = {.self = &guards, .moment = count, .interval = -1};
    fo_diagram *diagram = read_diagram(members, NULL, &why);
    if (!diagram) test_fail(__FILE__, __LINE__, "%s", why.text);
    fo_run_def def = fo_default_run_def();
    def.stop = STOP, def.solver = solver, def.rtol = 1e-7, def.atol = 1e-7;
    def.observers = &who, def.observer_count = 1;
    fo_simulation *sim =
        diagram ? fo_simulation_create(fo_diagram_system(diagram), &def, &why) : NULL;
    *status = sim ? fo_simulation_advance(sim, STOP) : FO_ERROR_INPUT;
    fo_simulation_destroy(sim);
    fo_diagram_destroy(diagram);
    return guards;
}

static void want(const char *members, const char *about, uint64_t seed, int truth)
{
    for (int i = 0; i < SOLVERS; i++) {
        fo_status status;
        int found = counted(members, solvers[i], &status);
        if (status == FO_REACHED && found == truth) continue;
        test_fail(__FILE__, __LINE__, "%s, seed %llu, %s: %d moments of guards, not %d", about,
                  (unsigned long long)seed, solvers[i], found, truth);
    }
}

static const char wave[] = "{'name': 's', 'type': 'Sine Wave', 'parameters': {'Amplitude': %.17g, "
                           "'Frequency': %.17g, 'Phase': %.17g}}, ";

// ------------------------------------------------------------------------------------- a slide

// Implicit Euler has a closed form: what a step of the friction would carry past zero stays there.
static int slides(const scene *c)
{
    double x = c->start, h = (double)STOP / PARTS;
    int moments = 0;
    for (int n = 1; n <= PARTS; n++) {
        double next = x + h * drive(c, n * h), most = h * c->k;
        next = next > most ? next - most : next < -most ? next + most : 0;
        moments += x != 0 && next * x <= 0;
        x = next;
    }
    return moments;
}

static const char friction[] =
    "'Coulomb and Viscous Friction', 'parameters': {'Coulomb Friction Value': 1, 'Coefficients of "
    "Viscous Friction': 0}";

TEST(a_slide_begins_with_one_moment)
{
    char text[1200];
    for (uint64_t seed = 1; seed <= (uint64_t)test_inputs(12, 2000); seed++) {
        scene c = draw(seed);
        int at = snprintf(text, sizeof text,
                          "'simulation': {'integrator': 'dp45', 'step': 0.01}, 'nodes': [");
        at += snprintf(text + at, sizeof text - (size_t)at, wave, c.a, c.w, c.p);
        snprintf(text + at, sizeof text - (size_t)at,
                 "{'name': 'x', 'type': 'Integrator', 'parameters': {'Initial Condition': %.17g}}, "
                 "{'name': 'j', 'type': %s}, {'name': 'g', 'type': 'Gain', 'parameters': "
                 "{'Gain': %.17g}}, {'name': 'u', 'type': 'Sum', 'parameters': {'Signs': '++'}}], "
                 "'lines': [{'from': 'x', 'to': 'j'}, {'from': 'j', 'to': 'g'}, {'from': 'g', "
                 "'to': 'u:1'}, {'from': 's', 'to': 'u:2'}, {'from': 'u', 'to': 'x'}]",
                 c.start, seed % 2 ? "'Sign'" : friction, -c.k);
        want(text, "friction", seed, slides(&c));
    }
}

// ------------------------------------------------------------------- two that cross as one

// Only turned together they carry x on: x' = 1 + 0.86 below zero less 0.86, and 0.86 above it.
TEST(what_crosses_together_crosses_once)
{
    char text[1200];
    for (uint64_t seed = 1; seed <= (uint64_t)test_inputs(12, 2000); seed++) {
        scene c = draw(seed);
        snprintf(text, sizeof text,
                 "'simulation': {'integrator': 'dp45', 'step': 0.01}, 'nodes': [{'name': 'x', "
                 "'type': 'Integrator', "
                 "'parameters': {'Initial Condition': %.17g}}, {'name': 'o', 'type': 'Constant', "
                 "'parameters': {'Constant Value': 0}}, {'name': 'b', 'type': 'Relational "
                 "Operator', 'parameters': {'Relational Operator': '<'}}, {'name': 'j', 'type': "
                 "'Sign'}, {'name': 'g', 'type': 'Gain', 'parameters': {'Gain': 0.86}}, {'name': "
                 "'l', 'type': 'Gain', 'parameters': {'Gain': %.17g}}, {'name': 'u', 'type': "
                 "'Sum', 'parameters': {'Signs': '+++'}}], 'lines': [{'from': 'x', 'to': ['b:1', "
                 "'j', 'l']}, {'from': 'o', 'to': 'b:2'}, {'from': 'j', 'to': 'g'}, {'from': 'g', "
                 "'to': 'u:1'}, {'from': 'b', 'to': 'u:2'}, {'from': 'l', 'to': 'u:3'}, {'from': "
                 "'u', 'to': 'x'}]",
                 -0.05 - fabs(c.start), -c.k / 2);
        want(text, "two at once", seed, 2);
    }
}

// -------------------------------------------------------------------- whole parts of a wave

static int turns(const scene *c, double (*part)(double))
{
    double last = NAN;
    int moments = 0;
    for (int n = 0; n <= PARTS; n++) {
        double now = part(4 * drive(c, (double)n * STOP / PARTS));
        moments += n && now != last;
        last = now;
    }
    return moments;
}

TEST(a_whole_part_turns_once)
{
    static const char *const names[] = {"floor", "ceil", "fix", "round"};
    static double (*const parts[])(double) = {floor, ceil, trunc, round};
    char text[1200];
    for (uint64_t seed = 1; seed <= (uint64_t)test_inputs(12, 2000); seed++) {
        scene c = draw(seed);
        int at = snprintf(text, sizeof text,
                          "'simulation': {'integrator': 'dp45', 'step': 0.01}, 'nodes': [");
        at += snprintf(text + at, sizeof text - (size_t)at, wave, 4 * c.a, c.w, c.p);
        snprintf(text + at, sizeof text - (size_t)at,
                 "{'name': 'x', 'type': 'Integrator'}, {'name': 'j', 'type': 'Rounding Function', "
                 "'parameters': {'Function': '%s'}}, {'name': 'z', 'type': 'Terminator'}], "
                 "'lines': [{'from': 's', 'to': 'j'}, {'from': 'j', 'to': 'x'}, {'from': 'x', "
                 "'to': 'z'}]",
                 names[seed % 4]);
        want(text, names[seed % 4], seed, turns(&c, parts[seed % 4]));
    }
}

// ------------------------------------------------------------- a backlash behind an absolute value

// Zeros of the wave, and where the play begins to be driven, up or down, and ends to be.
static int plays(const scene *c)
{
    double y = 0, half = c->width / 2;
    int moments = 0, way = 0, side = 0;
    for (int n = 0; n <= PARTS; n++) {
        double s = drive(c, (double)n * STOP / PARTS), u = fabs(s);
        double next = fmin(fmax(y, u - half), u + half);
        int now = (next > y) - (next < y), to = s > 0 ? 1 : -1;
        if (n > 1) moments += (now != way) + (side != to);
        y = next, way = now, side = to;
    }
    return moments;
}

TEST(a_backlash_lets_go_at_a_bend_too)
{
    char text[1200];
    for (uint64_t seed = 1; seed <= (uint64_t)test_inputs(12, 2000); seed++) {
        scene c = draw(seed);
        c.a += 0.5, c.p = 0.1 + 0.05 * fabs(c.p); // begins in the gap or rising
        int at = snprintf(text, sizeof text,
                          "'simulation': {'integrator': 'dp45', 'step': 0.01}, 'nodes': [");
        at += snprintf(text + at, sizeof text - (size_t)at, wave, c.a, c.w, c.p);
        snprintf(text + at, sizeof text - (size_t)at,
                 "{'name': 'x', 'type': 'Integrator'}, {'name': 'b', 'type': 'Absolute'}, {'name': "
                 "'j', 'type': 'Backlash', 'parameters': {'Dead-Band Width': %.17g}}, {'name': "
                 "'z', 'type': 'Terminator'}], 'lines': [{'from': 's', 'to': 'b'}, {'from': 'b', "
                 "'to': 'j'}, {'from': 'j', 'to': 'x'}, {'from': 'x', 'to': 'z'}]",
                 c.width);
        want(text, "backlash", seed, plays(&c) + (c.a * sin(c.p) > c.width / 2));
    }
}

// ------------------------------------------------------------- equal over a stretch

/// m = max of two signals that are equal, for a while or always, and z' = m.
static const struct {
    const char *about, *nodes, *lines;
} equal[] = {
    {"two states",
     "{'name': 'x', 'type': 'Integrator'}, {'name': 'y', 'type': 'Integrator'}, {'name': 'lx', "
     "'type': 'Gain', 'parameters': {'Gain': -1}}, {'name': 'ly', 'type': 'Gain', 'parameters': "
     "{'Gain': -1}}, {'name': 'ux', 'type': 'Sum'}, {'name': 'uy', 'type': 'Sum'}",
     "{'from': 's', 'to': ['ux:1', 'uy:1']}, {'from': 'x', 'to': ['lx', 'm:1']}, {'from': 'y', "
     "'to': ['ly', 'm:2']}, {'from': 'lx', 'to': 'ux:2'}, {'from': 'ly', 'to': 'uy:2'}, {'from': "
     "'ux', 'to': 'x'}, {'from': 'uy', 'to': 'y'}"},
    {"2 s and s + s",
     "{'name': 'x', 'type': 'Gain', 'parameters': {'Gain': 2}}, {'name': 'y', 'type': 'Sum'}",
     "{'from': 's', 'to': ['x', 'y:1', 'y:2']}, {'from': 'x', 'to': 'm:1'}, {'from': 'y', 'to': "
     "'m:2'}"},
    {"one of the two",
     "{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': 0.3}}, {'name': 'y', "
     "'type': 'Min Max', 'parameters': {'Function': 'minimum'}}",
     "{'from': 's', 'to': ['y:1', 'm:1']}, {'from': 'c', 'to': 'y:2'}, {'from': 'y', 'to': 'm:2'}"},
};

TEST(signals_that_are_equal_cost_one_look)
{
    char text[2000];
    for (int k = 0; k < 3 * SOLVERS; k++) {
        fo_message why = {0};
        snprintf(text, sizeof text,
                 "'simulation': {'integrator': 'dp45', 'step': 0.01}, 'nodes': [{'name': 's', "
                 "'type': 'Sine Wave', 'parameters': {'Amplitude': 1.5, 'Frequency': 2.9}}, %s, "
                 "{'name': 'm', 'type': 'Min Max'}, {'name': 'z', 'type': 'Integrator'}, {'name': "
                 "'d', 'type': 'Display'}], 'lines': [%s, {'from': 'm', 'to': 'z'}, {'from': 'z', "
                 "'to': 'd'}]",
                 equal[k % 3].nodes, equal[k % 3].lines);
        fo_diagram *diagram = read_diagram(text, NULL, &why);
        REQUIRE(diagram);
        fo_run_def def = fo_default_run_def();
        def.stop = STOP, def.solver = solvers[k / 3];
        fo_simulation *sim = fo_simulation_create(fo_diagram_system(diagram), &def, &why);
        REQUIRE(sim);
        CHECK_INT(fo_simulation_advance(sim, STOP), FO_REACHED);
        fo_statistics all = fo_simulation_statistics(sim);
        double most = 200 + 20.0 * (double)(all.steps + all.moments);
        if (!((double)all.guards <= most))
            test_fail(__FILE__, __LINE__, "%s, %s: %llu evaluations of guards in %llu steps",
                      equal[k % 3].about, def.solver, (unsigned long long)all.guards,
                      (unsigned long long)all.steps);
        fo_simulation_destroy(sim);
        fo_diagram_destroy(diagram);
    }
}

// What stands at zero and leaves it in between is found all the same: max(0, y) with y above zero
// for a part of a step.
TEST(what_leaves_zero_for_a_while_is_found)
{
    char text[1200];
    for (uint64_t seed = 1; seed <= (uint64_t)test_inputs(12, 2000); seed++) {
        uint64_t s = seed << 20;
        double low = 1 - pow(10, -between(&s, 1, 8)), w = between(&s, 0.5, 5);
        snprintf(text, sizeof text,
                 "'simulation': {'integrator': 'dp45', 'step': 0.01}, 'nodes': [{'name': 's', "
                 "'type': 'Sine Wave', 'parameters': {'Amplitude': 1, 'Frequency': %.17g}}, "
                 "{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': %.17g}}, "
                 "{'name': 'm', 'type': 'Min Max'}, {'name': 'b', 'type': 'Relational Operator', "
                 "'parameters': {'Relational Operator': '>'}}, {'name': 'z', 'type': "
                 "'Integrator'}, {'name': 'd', 'type': 'Display'}], 'lines': [{'from': 's', 'to': "
                 "'m:1'}, {'from': 'c', 'to': ['m:2', 'b:2']}, {'from': 'm', 'to': 'b:1'}, "
                 "{'from': 'b', 'to': 'z'}, {'from': 'z', 'to': 'd'}]",
                 w, low);
        // up and down for m and for b each, at every top but one that is cut by the end
        double half = acos(low) / w, period = 2 * acos(-1.0) / w;
        int ends = 0;
        for (double top = period / 4; top - half < STOP; top += period)
            ends += 2 + 2 * (top + half < STOP);
        want(text, "above the edge", seed, ends);
    }
}

TEST_MAIN(TEST_ENTRY(signals_that_are_equal_cost_one_look),
          TEST_ENTRY(what_leaves_zero_for_a_while_is_found),
          TEST_ENTRY(a_slide_begins_with_one_moment),
          TEST_ENTRY(what_crosses_together_crosses_once), TEST_ENTRY(a_whole_part_turns_once),
          TEST_ENTRY(a_backlash_lets_go_at_a_bend_too))
