// Sets in a run: what was planned for the old number is planned anew, in diagrams, in models inside
// of nodes and in texts; what acts at the start only is refused.
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char step_of[] =
    "{\"format\": \"foliot diagram\", \"parameters\": {\"t0\": 5},"
    " \"simulation\": {\"stop\": 10, \"step\": 0.5, \"integrator\": \"%s\"},"
    " \"nodes\": [{\"name\": \"s\", \"type\": \"%s\", \"parameters\": {%s}},"
    "  {\"name\": \"i\", \"type\": \"Integrator\"}, {\"name\": \"y\", \"type\": \"Display\"}],"
    " \"lines\": [{\"from\": \"s\", \"to\": \"i\"}, {\"from\": \"i\", \"to\": \"y\"}]}";

static fo_model *open_text(const char *kind, const char *text, const char *name, double value)
{
    fo_setting setting = {name, value, false};
    fo_model_def def = fo_default_model_def();
    fo_model *m;
    def.name = "here", def.kind = kind, def.text = text, def.tunable = true;
    if (name) def.settings = &setting, def.setting_count = 1;
    fo_model_open(&def, &m);
    for (size_t k = 0; k < fo_model_finding_count(m); k++)
        test_fail(__FILE__, __LINE__, "%s", fo_model_finding(m, k)->text);
    return m;
}

static fo_simulation *make(fo_model *m)
{
    fo_run_def run = fo_model_run_def(m);
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

static void advance(fo_simulation *sim, double t)
{
    CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
}

static double value(fo_simulation *sim, const char *name)
{
    fo_reference which = {0};
    fo_message why = {0};
    CHECK_STATUS(fo_system_find(fo_simulation_system(sim), name, &which, &why), FO_OK, &why);
    return fo_simulation_value(sim, which);
}

// The value of `of` at `end` when `name` is set to `to` at `at`; from the start where `at` < 0.
static double set_at(const char *kind, const char *text, double at, const char *name, double to,
                     double end, const char *of)
{
    fo_model *m = open_text(kind, text, at < 0 ? name : NULL, to);
    fo_simulation *sim = make(m);
    if (at >= 0) {
        advance(sim, at);
        CHECK_STATUS(fo_simulation_set(sim, name, to), FO_OK, fo_simulation_message(sim));
    }
    advance(sim, end);
    double found = value(sim, of);
    fo_simulation_destroy(sim);
    fo_model_close(m);
    return found;
}

// The integral of a step is 10 - T, also where T is set at 1: earlier or later than it was planned,
// or into the past, where it steps at once.
TEST(a_step_moves_to_the_time_that_is_set)
{
    static const struct {
        double to, end;
    } cases[] = {{3, 7}, {7, 3}, {1.25, 8.75}, {0.5, 9}, {1, 9}, {20, 0}};
    static const char *const integrators[] = {"RK_04", "dp45"};
    char text[1000];
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            snprintf(text, sizeof text, step_of, integrators[k], "Step", "\"Step Time\": 5");
            CHECK_NEAR(set_at("diagram", text, 1, "s.Step Time", cases[i].to, 10, "y"),
                       cases[i].end, 1e-9);
            snprintf(text, sizeof text, step_of, integrators[k], "Step", "\"Step Time\": \"t0\"");
            CHECK_NEAR(set_at("diagram", text, 1, "t0", cases[i].to, 10, "y"), cases[i].end, 1e-9);
        }
}

// (10 - T)^2 / 2; and where the ramp has begun it begins as if it had always been so.
TEST(a_ramp_moves_to_the_time_that_is_set)
{
    char text[1000];
    snprintf(text, sizeof text, step_of, "RK_04", "Ramp", "\"Start Time\": 5");
    CHECK_NEAR(set_at("diagram", text, 1, "s.Start Time", 3, 10, "y"), 24.5, 1e-9);
    CHECK_NEAR(set_at("diagram", text, 6, "s.Start Time", 8, 10, "y"), 0.5 + 2, 1e-9);
}

// Pulses of another period, from 1.1 on: the course is that of the new period, as from the start.
TEST(pulses_move_to_the_period_that_is_set)
{
    char text[1000];
    snprintf(text, sizeof text, step_of, "RK_04", "Pulse Generator", "\"Period\": 4");
    double fresh = set_at("diagram", text, -1, "s.Period", 0.5, 10, "y");
    CHECK_NEAR(fresh, 5, 1e-9);
    // of [0, 1.1] 1.1 were high instead of 0.6
    CHECK_NEAR(set_at("diagram", text, 1.1, "s.Period", 0.5, 10, "y"), fresh + 0.5, 1e-9);
}

// A number that the document computes follows what it is computed from, and can be set itself.
TEST(calculated_numbers_are_set)
{
    static const char text[] =
        "{\"format\": \"foliot diagram\", \"parameters\": {\"g\": 4, \"w\": \"sqrt(g)\"},"
        " \"simulation\": {\"stop\": 4, \"step\": 0.5, \"integrator\": \"RK_04\"}, \"nodes\":"
        " [{\"name\": \"c\", \"type\": \"Constant\", \"parameters\": {\"Constant Value\": "
        "\"w\"}}, {\"name\": \"i\", \"type\": \"Integrator\"}, {\"name\": \"y\", \"type\":"
        " \"Display\"}], \"lines\": [{\"from\": \"c\", \"to\": \"i\"}, {\"from\": \"i\","
        " \"to\": \"y\"}]}";
    CHECK_NEAR(set_at("diagram", text, 1, "g", 9, 2, "y"), 2 + 3, 1e-12);
    CHECK_NEAR(set_at("diagram", text, 1, "w", 7, 2, "y"), 2 + 7, 1e-12);
}

// ---------------------------------------------------------------------------------------- many

// 2000 sets: each gives a model of its own, which must not be compiled in vain.
TEST(many_sets_take_the_time_of_each)
{
    char text[1000];
    snprintf(text, sizeof text, step_of, "RK_04", "Step", "\"Step Time\": 0");
    fo_model *m = open_text("diagram", text, NULL, 0);
    fo_simulation *sim = make(m);
    double sum = 0;
    for (int i = 1; i <= 2000; i++) {
        CHECK_STATUS(fo_simulation_set(sim, "s.Final Value", i), FO_OK, fo_simulation_message(sim));
        advance(sim, i * 0x1p-8);
        sum += i * 0x1p-8;
    }
    CHECK_NEAR(value(sim, "y"), sum, 1e-9 * sum);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// -------------------------------------------------------------------------------------- worlds

// What is read at the start only is refused; what processes read is taken, and changes the run.
TEST(worlds_say_what_can_be_set)
{
    static const struct {
        const char *model, *name;
        double to;
        bool taken;
    } cases[] = {
        {"bouncing-balls", "balls", 5, false},    {"machine-shop", "machines", 7, false},
        {"predator-prey", "predators", 5, false}, {"rocket", "mass1", 1e5, false},
        {"mm1", "customers", 100, false},         {"gas-station", "pumps", 4, false},
        {"gas-station", "tank", 4000, false},     {"predator-prey", "birth", 0.5, true},
        {"rocket", "flow1", 900, true},           {"mm1", "services", 2, true},
        {"reactor", "compressor", 2, true},       {"machine-shop", "repair-time", 3, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double last[2] = {0};
        for (int set = 0; set < 2; set++) {
            fo_model_def def = fo_default_model_def();
            fo_model *m;
            def.name = cases[i].model, def.table = fo_compiled_models(), def.tunable = true;
            CHECK_INT(fo_model_open(&def, &m), FO_OK);
            fo_simulation *sim = make(m);
            advance(sim, 1);
            fo_status status = set ? fo_simulation_set(sim, cases[i].name, cases[i].to) : FO_OK;
            if (set && !cases[i].taken)
                CHECK_CONTAINS(fo_simulation_message(sim)->text, "at the start only");
            CHECK_INT(status == FO_OK, !set || cases[i].taken);
            if (cases[i].taken) advance(sim, 100);
            fo_variables outputs = fo_simulation_system(sim).about->outputs;
            for (uint32_t k = 0; k < outputs.count && cases[i].taken; k++)
                last[set] += fo_simulation_value(sim, (fo_reference){FO_OUTPUT, k});
            fo_simulation_destroy(sim);
            fo_model_close(m);
        }
        if ((last[0] != last[1]) != cases[i].taken)
            test_fail(__FILE__, __LINE__, "%s of %s: %g, set %g", cases[i].name, cases[i].model,
                      last[0], last[1]);
    }
}

// ------------------------------------------------------------------------------------- samples

static const char counting[] = "model Counting parameter Real dt = 2; discrete Real c(start = 0,"
                               " fixed = true); equation when sample(0, dt) then c = pre(c) + 1;"
                               " end when; annotation(experiment(StopTime = 8)); end Counting;";
static const char counting_node[] =
    "{\"format\": \"foliot diagram\", \"simulation\": {\"stop\": 8, \"step\": 0.5, \"integrator\":"
    " \"RK_04\"}, \"nodes\": [{\"name\": \"b\", \"type\": \"Modelica Block\", \"parameters\":"
    " {\"Text\": \"block b parameter Real dt = 2; output Real w; discrete Real c(start = 0, fixed ="
    " true); equation when sample(0, dt) then c = pre(c) + 1; end when; w = c; end b;\"}},"
    " {\"name\": \"w\", \"type\": \"Display\"}], \"lines\": [{\"from\": \"b:w\", \"to\": \"w\"}]}";

// One sample at 0, then all multiples of the new interval after the set; at the instant of the set
// none is taken twice, and none that is no multiple.
TEST(samples_are_multiples_of_the_interval_that_is_set)
{
    static const struct {
        double at, to, end, count;
    } cases[] = {{0, 0.5, 8, 17},  {0.6, 0.5, 8, 1 + 15}, {0.6, 3, 8, 1 + 2},  {0.6, 2, 8, 5},
                 {2, 1, 8, 2 + 6}, {4.5, 4, 8, 3 + 1},    {1, 0.5, 1, 2},      {1, 0.5, 8, 1 + 15},
                 {2, 2, 7, 4},     {0.6, 0.25, 0.7, 1.0}, {6.5, 0.1, 7, 4 + 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double at = cases[i].at, to = cases[i].to, end = cases[i].end;
        CHECK_NEAR(set_at("text", counting, at, "dt", to, end, "c"), cases[i].count, 0);
        CHECK_NEAR(set_at("diagram", counting_node, at, "b.dt", to, end, "w"), cases[i].count, 0);
    }
}

// ---------------------------------------------------------------------------------- structures

static const char pushed[] =
    "{\"structure\": \"pushed\", \"dimension\": 1,"
    " \"nodes\": [{\"name\": \"a\", \"at\": [0], \"mass\": 1, \"fixed\": true},"
    "             {\"name\": \"b\", \"at\": [1], \"mass\": 2}],"
    " \"springs\": [{\"between\": [\"a\", \"b\"], \"k\": 8, \"energy\": \"lengths\"}],"
    " \"ports\": [{\"name\": \"push\", \"node\": \"b\", \"direction\": [1],"
    "              \"signal\": [[2, 1], [6, 0]]}],"
    " \"run\": {\"stop\": 8, \"interval\": 0.5, \"rtol\": 1e-10, \"atol\": 1e-12}}";
static const char pushed_node[] =
    "{\"format\": \"foliot diagram\", \"simulation\": {\"stop\": 8, \"step\": 0.05, \"integrator\":"
    " \"dop853\", \"rtol\": 1e-10, \"atol\": 1e-12}, \"nodes\": [{\"name\": \"s\", \"type\":"
    " \"Structure\", \"parameters\": {\"File Name\": \"sets-test.structure.json\"}},"
    " {\"name\": \"zero\", \"type\": \"Constant\", \"parameters\": {\"Constant Value\": 0}},"
    " {\"name\": \"e\", \"type\": \"Display\"}, {\"name\": \"p\", \"type\": \"Display\"}],"
    " \"lines\": [{\"from\": \"zero\", \"to\": \"s:push\"}, {\"from\": \"s:potential\", \"to\":"
    " \"e\"}, {\"from\": \"s:balance\", \"to\": \"p\"}]}";

static bool write_structure(void)
{
    FILE *f = fopen("sets-test.structure.json", "w");
    if (!f) return false;
    fputs(pushed, f);
    return fclose(f) == 0;
}

// A force F = 1 from T on: u = F/k (1 - cos(w (t - T))), w = 2; the spring holds k u^2 / 2. A time
// in the past acts at once.
TEST(a_signal_moves_to_the_time_that_is_set)
{
    static const struct {
        double to, since;
    } cases[] = {{1.5, 1.5}, {3, 3}, {0.25, 1}};
    REQUIRE(write_structure());
    for (size_t i = 0; i < 3; i++) {
        double u = 0.125 * (1 - cos(2 * (4 - cases[i].since))), to = cases[i].to;
        CHECK_NEAR(set_at("structure", pushed, 1, "push.signal[1][1]", to, 4, "b.x"), 1 + u, 1e-8);
        CHECK_NEAR(set_at("diagram", pushed_node, 1, "s.push.signal[1][1]", to, 4, "e"), 4 * u * u,
                   1e-8);
    }
    remove("sets-test.structure.json");
}

// k = 8 until 3, then k2: the energy of the spring jumps by what the set did, the balance closes,
// and the motion goes on from where it was.
TEST(a_spring_inside_a_diagram_follows_its_stiffness)
{
    REQUIRE(write_structure());
    for (double k = 0.5; k < 300; k *= 6) {
        double w = sqrt(k / 2), t = 1.2, rest = 1 / k;
        double u = 0.125 * (1 - cos(2)), v = 0.25 * sin(2);
        double now = rest + (u - rest) * cos(w * t) + v / w * sin(w * t);
        CHECK_NEAR(set_at("diagram", pushed_node, 3, "s.springs[1].k", k, 3 + t, "e"),
                   k * now * now / 2, 1e-7);
        CHECK_NEAR(set_at("diagram", pushed_node, 3, "s.springs[1].k", k, 3 + t, "p"), 0, 1e-6);
    }
    remove("sets-test.structure.json");
}

TEST_MAIN(TEST_ENTRY(a_step_moves_to_the_time_that_is_set),
          TEST_ENTRY(a_ramp_moves_to_the_time_that_is_set),
          TEST_ENTRY(pulses_move_to_the_period_that_is_set), TEST_ENTRY(calculated_numbers_are_set),
          TEST_ENTRY(many_sets_take_the_time_of_each), TEST_ENTRY(worlds_say_what_can_be_set),
          TEST_ENTRY(samples_are_multiples_of_the_interval_that_is_set),
          TEST_ENTRY(a_signal_moves_to_the_time_that_is_set),
          TEST_ENTRY(a_spring_inside_a_diagram_follows_its_stiffness))
