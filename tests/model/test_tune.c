// Numbers of documents that change in a run: closed forms, the same bits as a model that has none,
// recordings, going back, and sizes that cannot change.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static const int64_t MS = 1000000;

static const char decay[] =
    "{\"format\": \"foliot diagram\", \"name\": \"decay\", \"parameters\": {\"a\": -2},\n"
    " \"simulation\": {\"stop\": 10, \"step\": 0.1, \"integrator\": \"dp45\", \"rtol\": 1e-9},\n"
    " \"nodes\": [{\"name\": \"x\", \"type\": \"Integrator\", \"parameters\": {\"Initial "
    "Condition\": 1}},\n"
    "           {\"name\": \"pull\", \"type\": \"Gain\", \"parameters\": {\"Gain\": \"a/2\"}},\n"
    "           {\"name\": \"one\", \"type\": \"Constant\", \"parameters\": {\"Constant Value\": "
    "5}},\n"
    "           {\"name\": \"see\", \"type\": \"Time vs Input\"}, {\"name\": \"too\", \"type\": "
    "\"Time vs Input\"}],\n"
    " \"lines\": [{\"from\": \"x\", \"to\": \"pull\"}, {\"from\": \"pull\", \"to\": \"x\"},\n"
    "           {\"from\": \"x\", \"to\": \"see\"}, {\"from\": \"one\", \"to\": \"too\"}]}\n";
static const char spring[] =
    "{\"structure\": \"small\", \"dimension\": 1,\n"
    " \"nodes\": [{\"name\": \"a\", \"at\": [0], \"mass\": 1, \"fixed\": true},\n"
    "             {\"name\": \"b\", \"at\": [1], \"mass\": 2, \"start\": [1.1]}],\n"
    " \"springs\": [{\"between\": [\"a\", \"b\"], \"k\": 8, \"energy\": \"lengths\"}],\n"
    " \"run\": {\"stop\": 20, \"interval\": 0.5, \"rtol\": 1e-10, \"atol\": 1e-12}}\n";
static const char heavy[] =
    "{\"structure\": \"heavy\", \"dimension\": 1, \"gravity\": [9.81],\n"
    " \"nodes\": [{\"name\": \"a\", \"at\": [0], \"mass\": 1, \"fixed\": true},\n"
    "             {\"name\": \"b\", \"at\": [1], \"mass\": 2, \"start\": [1.1]}],\n"
    " \"springs\": [{\"between\": [\"a\", \"b\"], \"k\": 8, \"energy\": \"lengths\"}],\n"
    " \"ports\": [{\"name\": \"load\", \"node\": \"b\", \"direction\": \"x\"}],\n"
    " \"run\": {\"stop\": 20, \"interval\": 0.5, \"rtol\": 1e-10, \"atol\": 1e-12}}\n";
static const char wave[] =
    "{\"field\": \"wave\", \"size\": [41], \"length\": [1], \"c\": 1, \"start\": {\"sine\": [1]},\n"
    " \"probes\": [{\"name\": \"middle\", \"node\": [20]}], \"energy\": true,\n"
    " \"run\": {\"stop\": 10, \"interval\": 0.1, \"step\": 0.01}}\n";
static const char string[] = "{\"field\": \"wave\", \"size\": [41], \"length\": [1], \"c\": 1, "
                             "\"start\": {\"sine\": [1]},\n"
                             " \"probes\": [{\"node\": [20]}],\n"
                             " \"run\": {\"stop\": 10, \"interval\": 0.1, \"step\": 0.01}}\n";
static const char text[] = "model Many\n"
                           "  parameter Integer n = 3;\n"
                           "  parameter Real k = 1;\n"
                           "  Real x[n](each start = 1, each fixed = true);\n"
                           "equation\n"
                           "  for i in 1:n loop der(x[i]) = -k*x[i]; end for;\n"
                           "  annotation(experiment(StopTime = 5, Tolerance = 1e-9));\n"
                           "end Many;\n";

static const struct {
    const char *name, *text;
} documents[] = {{"decay.json", decay},           {"spring.structure.json", spring},
                 {"wave.field.json", wave},       {"many.mo", text},
                 {"heavy.structure.json", heavy}, {"string.field.json", string}};

static fo_model *open_text(int i, bool tunable)
{
    fo_model_def def = fo_default_model_def();
    fo_model *m;
    def.name = documents[i].name, def.text = documents[i].text, def.tunable = tunable;
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

static double value(fo_simulation *sim, const char *name)
{
    fo_reference which = {0};
    fo_message why = {0};
    CHECK_STATUS(fo_system_find(fo_simulation_system(sim), name, &which, &why), FO_OK, &why);
    return fo_simulation_value(sim, which);
}

static void advance(fo_simulation *sim, double t)
{
    CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
}

static void set(fo_simulation *sim, const char *name, double to)
{
    CHECK_STATUS(fo_simulation_set(sim, name, to), FO_OK, fo_simulation_message(sim));
}

// x' = g x with g = -1 until 1, -3 until 2, -1 again.
TEST(a_node_follows_its_number)
{
    fo_model *m = open_text(0, true);
    fo_simulation *sim = make(m);
    advance(sim, 1);
    CHECK_NEAR(value(sim, "x"), exp(-1), 1e-8);
    CHECK_NEAR(value(sim, "one"), 5, 0);
    set(sim, "pull.Gain", -3);
    set(sim, "one.Constant Value", 7);
    CHECK_NEAR(value(sim, "one"), 7, 0);
    advance(sim, 2);
    CHECK_NEAR(value(sim, "x"), exp(-4), 1e-8);
    set(sim, "pull.Gain", -1);
    advance(sim, 3);
    CHECK_NEAR(value(sim, "x"), exp(-5), 1e-8);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// A parameter of the document moves all that is computed from it.
TEST(an_expression_follows_its_parameter)
{
    fo_model *m = open_text(0, true);
    fo_simulation *sim = make(m);
    advance(sim, 1);
    set(sim, "a", -6);
    advance(sim, 2);
    CHECK_NEAR(value(sim, "x"), exp(-4), 1e-8);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// u = 0.1 cos(w t), w = sqrt(k/m): from t1 on with another k, position and velocity go on.
TEST(a_spring_follows_its_stiffness)
{
    fo_model *m = open_text(1, true);
    fo_simulation *sim = make(m);
    double w1 = 2, w2 = 3, t1 = 1.3, t2 = 2.6;
    advance(sim, t1);
    set(sim, "springs[1].k", 18);
    advance(sim, t1 + t2);
    double u = 0.1 * cos(w1 * t1), v = -0.1 * w1 * sin(w1 * t1);
    CHECK_NEAR(value(sim, "b.x"), 1 + u * cos(w2 * t2) + v / w2 * sin(w2 * t2), 1e-9);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// The energy jumps where a number is set, by what the set did to it, and the balance stays closed:
// also where the new energy is far above all that was there, with fixed steps.
TEST(the_balance_closes_where_numbers_are_set)
{
    static const struct {
        const char *name;
        double to;
    } sets[] = {{"springs[1].k", 18},    {"springs[1].k", 800}, {"b.mass", 7}, {"gravity", 0},
                {"gravity", 5},          {"b.x", 1.7},          {"b.vx", 3},   {"friction", 0.5},
                {"friction_rate", 0.25}, {"load", 30}};
    static const char *const solvers[] = {"dop853", "leapfrog"};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        for (int k = 0; k < 2; k++) {
            fo_model *m = open_text(4, true);
            fo_message why = {0};
            fo_run_def run = fo_model_run_def_with(m, solvers[k]);
            run.step = 1e-4;
            fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
            REQUIRE(sim);
            advance(sim, 1.3);
            double ports = value(sim, "energy_ports"), energy = value(sim, "energy");
            double lost = value(sim, "energy_friction");
            set(sim, sets[i].name, sets[i].to);
            double jump = value(sim, "energy") - energy, scale = 1 + fabs(jump);
            CHECK_NEAR((value(sim, "energy_ports") - ports - jump) / scale, 0, 1e-12);
            CHECK_NEAR(value(sim, "energy_friction"), lost, 0);
            advance(sim, 2.6);
            CHECK_NEAR(value(sim, "balance") / scale, 0, k ? 1e-3 : 1e-7);
            fo_simulation_destroy(sim);
            fo_model_close(m);
        }
}

// What says only where states begin is refused in a run, and has its effect before it.
TEST(a_number_of_the_start_acts_there_only)
{
    static const struct {
        int document;
        const char *name, *seen;
        double to;
    } starts[] = {{0, "x.Initial Condition", "x", 7},
                  {4, "b.start[1]", "b.x", 1.4},
                  {4, "load.start", "load", 6},
                  {2, "start.sine[1]", "middle", 3}};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        for (int running = 0; running < 2; running++) {
            fo_model *m = open_text(starts[i].document, true);
            fo_simulation *sim = make(m);
            if (running) advance(sim, 0.5);
            double before = value(sim, starts[i].seen);
            fo_status status = fo_simulation_set(sim, starts[i].name, starts[i].to);
            CHECK_STATUS(status, running ? FO_ERROR_ARGUMENT : FO_OK, fo_simulation_message(sim));
            if (running) CHECK_CONTAINS(fo_simulation_message(sim)->text, "acts at the start only");
            CHECK_STATUS(fo_simulation_start(sim), FO_OK, fo_simulation_message(sim));
            if (running)
                CHECK_NEAR(value(sim, starts[i].seen), before, 0);
            else if (starts[i].document != 2)
                CHECK_NEAR(value(sim, starts[i].seen), starts[i].to, 0);
            fo_simulation_destroy(sim);
            fo_model_close(m);
        }
}

// The first mode of a string between fixed ends: cos(pi c t), with another c from 0.25 on.
TEST(a_wave_follows_its_speed)
{
    fo_model *m = open_text(2, true);
    fo_simulation *sim = make(m);
    const double pi = 3.14159265358979323846;
    advance(sim, 0.25);
    set(sim, "c", 0.5);
    advance(sim, 1.25);
    double u = cos(pi * 0.25), v = -pi * sin(pi * 0.25), w = 0.5 * pi;
    CHECK_NEAR(value(sim, "middle"), u * cos(w) + v / w * sin(w), 3e-3);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

TEST(a_number_that_decides_a_size_is_refused)
{
    static const struct {
        int document;
        const char *name;
        double value;
        const char *says;
    } cases[] = {{2, "size[1]", 51, "'size[1]' decides the size of the model"},
                 {3, "n", 5, "'n' decides the size of the model"},
                 {5, "node[1]", 7, "'probes[1].node[1]' decides what the signals are called"},
                 {1, "springs[1].k", -1, "'springs[1].k' must be positive"},
                 {1, "k", -1, "'springs[1].k' must be positive"},
                 {1, "dimension", 7, "'dimension' must lie between 1 and 3"},
                 {1, "dimension", 2, "'dimension' cannot be set so: "},
                 {1, "start[1]", 2, "'b.start[1]' is fixed"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fo_model *m = open_text(cases[i].document, true);
        fo_virtual_clock clock = {.now = 1};
        fo_message why = {0};
        fo_live_def def = fo_default_live_def(fo_model_system(m));
        def.run = fo_model_run_def(m);
        def.clock = fo_virtual_clock_use(&clock);
        fo_live *live = fo_live_create(&def, &why);
        REQUIRE(live);
        for (int k = 0; k < 20; k++) clock.now += 10 * MS, fo_live_advance(live);
        fo_live_request request = {FO_LIVE_SET, cases[i].name, cases[i].value};
        fo_message said = {0};
        uint32_t source;
        if (fo_live_ask(live, &request, NULL, &said) == FO_OK) {
            for (int k = 0; k < 2; k++) clock.now += 10 * MS, fo_live_advance(live);
            CHECK(fo_live_next_refusal(live, &source, &said));
        }
        CHECK_CONTAINS(said.text, cases[i].says);
        // and the run goes on as if nothing had been asked
        for (int k = 0; k < 20; k++) clock.now += 10 * MS, fo_live_advance(live);
        double t = fo_simulation_time(fo_live_simulation(live));
        fo_model *plain = open_text(cases[i].document, true);
        fo_simulation *sim = make(plain);
        advance(sim, t);
        CHECK(fo_live_look(live).phase == FO_LIVE_RUNNING);
        CHECK(fo_simulation_hash(sim) == fo_simulation_hash(fo_live_simulation(live)));
        fo_simulation_destroy(sim);
        fo_live_destroy(live);
        fo_model_close(plain);
        fo_model_close(m);
    }
}

TEST(without_a_change_the_bits_are_those_of_the_plain_model)
{
    for (int i = 0; i < 4; i++) {
        fo_model *models[2] = {open_text(i, false), open_text(i, true)};
        fo_simulation *sims[2] = {make(models[0]), make(models[1])};
        fo_statistics s[2];
        for (int k = 0; k < 2; k++) {
            advance(sims[k], fo_model_run_def(models[k]).stop);
            s[k] = fo_simulation_statistics(sims[k]);
        }
        const fo_state *a = fo_simulation_state(sims[0]), *b = fo_simulation_state(sims[1]);
        CHECK_INT(a->shape.states, b->shape.states);
        CHECK(memcmp(a->x, b->x, a->shape.states * sizeof *a->x) == 0);
        CHECK_INT(s[0].steps, s[1].steps);
        CHECK(b->shape.parameters > a->shape.parameters);
        for (int k = 0; k < 2; k++) {
            fo_simulation_destroy(sims[k]);
            fo_model_close(models[k]);
        }
    }
}

// Live: what was set is recorded and replayed to the same bits; going back undoes it.
TEST(recordings_have_the_numbers)
{
    char path[] = "/tmp/foliot-tune-XXXXXX";
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    close(file);
    fo_model *m = open_text(0, true);
    fo_virtual_clock clock = {.now = 1};
    fo_message why = {0};
    char answer[FO_LIVE_ANSWER];
    fo_live_def def = fo_default_live_def(fo_model_system(m));
    def.run = fo_model_run_def(m);
    def.run.stop = INFINITY;
    def.clock = fo_virtual_clock_use(&clock);
    fo_live *live = fo_live_create(&def, &why);
    REQUIRE(live && fo_live_record(live, path) == FO_OK);
    for (int k = 0; k < 50; k++) {
        clock.now += 10 * MS;
        if (k == 10) CHECK_INT(fo_live_tell(live, "set pull.Gain -3", 0, answer), FO_OK);
        if (k == 20) CHECK_INT(fo_live_tell(live, "set one.Constant Value 9", 0, answer), FO_OK);
        if (k == 30) CHECK_INT(fo_live_tell(live, "0.35 set a -1", 0, answer), FO_OK);
        CHECK_INT(fo_live_advance(live), FO_REACHED);
    }
    CHECK_INT(fo_live_tell(live, "back 10", 0, answer), FO_OK); // to the start
    for (int k = 0; k < 50; k++) {
        clock.now += 10 * MS;
        CHECK_INT(fo_live_advance(live), FO_REACHED);
    }
    double t = fo_simulation_time(fo_live_simulation(live));
    CHECK_NEAR(value(fo_live_simulation(live), "x"), exp(-t), 1e-8);
    CHECK_INT(fo_live_tell(live, "set x.Initial Condition 4", 0, answer), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(answer, "acts at the start only");
    CHECK_INT(fo_live_tell(live, "set pull.Gain -2", 0, answer), FO_OK);
    for (int k = 0; k < 50; k++) {
        clock.now += 10 * MS;
        CHECK_INT(fo_live_advance(live), FO_REACHED);
    }
    uint64_t hash = fo_simulation_hash(fo_live_simulation(live));
    CHECK_INT(fo_live_record_end(live), FO_OK);
    fo_live_destroy(live);
    fo_recording *r = fo_recording_open(path, NULL, &why);
    fo_model *again = open_text(0, true);
    fo_simulation *sim = NULL;
    REQUIRE(r);
    CHECK_STATUS(fo_recording_replay(r, fo_model_system(again), NULL, 0, &sim, &why), FO_REACHED,
                 &why);
    CHECK(sim && fo_simulation_hash(sim) == hash);
    fo_simulation_destroy(sim);
    fo_recording_close(r);
    fo_model_close(again);
    fo_model_close(m);
    unlink(path);
}

TEST_MAIN(TEST_ENTRY(a_node_follows_its_number), TEST_ENTRY(an_expression_follows_its_parameter),
          TEST_ENTRY(a_spring_follows_its_stiffness), TEST_ENTRY(a_wave_follows_its_speed),
          TEST_ENTRY(the_balance_closes_where_numbers_are_set),
          TEST_ENTRY(a_number_of_the_start_acts_there_only),
          TEST_ENTRY(a_number_that_decides_a_size_is_refused),
          TEST_ENTRY(without_a_change_the_bits_are_those_of_the_plain_model),
          TEST_ENTRY(recordings_have_the_numbers))
