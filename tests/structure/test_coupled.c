// Structures driven through their ports: by a process, by a model as text, by each other's kind.
#include <foliot/foliot.h>

#include "network.h"

// 2 kg on a spring of 50 N/m, along a line.
static fo_structure *swinger(bool connected, double start)
{
    fo_message why = {0};
    fo_structure_def def = {.dimension = 1};
    fo_structure *s = fo_structure_create(&def, &why);
    if (!s) return NULL;
    add_node(s, 1, 0, 0, FO_FIXED), add_node(s, 2, 1, 0, 0);
    fo_spring_def spring = {.a = 0, .b = 1, .energy = FO_SPRING_LENGTHS, .k = 50};
    CHECK_STATUS(fo_structure_add_spring(s, &spring, NULL, &why), FO_OK, &why);
    fo_port_def port = {
        .name = "end", .node = 1, .direction = {1}, .start = start, .connected = connected};
    CHECK_STATUS(fo_structure_add_port(s, &port, NULL, &why), FO_OK, &why);
    finish(s);
    return s;
}

static double value(fo_simulation *sim, fo_system system, const char *name)
{
    fo_message why = {0};
    fo_reference which;
    CHECK_STATUS(fo_system_find(system, name, &which, &why), FO_OK, &why);
    return fo_simulation_value(sim, which);
}

static uint32_t index_of(fo_system system, const char *name)
{
    fo_message why = {0};
    fo_reference which = {0};
    CHECK_STATUS(fo_system_find(system, name, &which, &why), FO_OK, &why);
    return which.index;
}

// ----------------------------------------------------------------------------- a model as text

// A damper as a Modelica model: f = -b v. The whole is a damped vibration,
// x = exp(-t b / 2m) (cos w t + b / (2 m w) sin w t) times its first stretch.
TEST(a_model_as_text_is_a_damper)
{
    static const char source[] = "model Damper\n"
                                 "  parameter Real b = 3;\n"
                                 "  input Real v;\n"
                                 "  output Real f;\n"
                                 "  Real lost(start = 0, fixed = true);\n"
                                 "equation\n"
                                 "  f = -b * v;\n"
                                 "  der(lost) = b * v^2;\n"
                                 "end Damper;\n";
    fo_message why = {0};
    fo_text_model_def text = {.path = "damper.mo", .text = source, .messages = stderr};
    fo_text_model *damper = fo_text_model_open(&text, &why);
    if (!damper) test_fail(__FILE__, __LINE__, "%s", why.text);
    fo_structure *s = swinger(true, 0);
    REQUIRE(damper && s);
    fo_system mass = fo_structure_system(s), model = fo_text_model_system(damper);
    fo_component parts[] = {{"mass", mass}, {"damper", model}};
    fo_connection wires[] = {
        {0, index_of(mass, "end.flow"), 1, index_of(model, "v")},
        {1, index_of(model, "f"), 0, index_of(mass, "end")},
    };
    fo_composition_def def = {.name = "damped",
                              .parts = parts,
                              .part_count = 2,
                              .connections = wires,
                              .connection_count = 2};
    fo_composition *whole = fo_compose(&def, &why);
    if (!whole) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(whole);
    fo_system system = fo_composition_system(whole);
    fo_run_def run = fo_default_run_def();
    run.rtol = 1e-9, run.atol = 1e-11, run.stop = 3, run.max_step = 1e-3;
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_set(sim, "mass.2.x", 1.2), FO_OK, fo_simulation_message(sim));
    CHECK_STATUS(fo_simulation_advance(sim, 3), FO_REACHED, fo_simulation_message(sim));
    double m = 2, b = 3, decay = b / (2 * m), w = sqrt(50 / m - decay * decay), t = 3;
    double x = 0.2 * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
    CHECK_NEAR(value(sim, system, "mass.2.x"), 1 + x, 1e-7);
    double lost = value(sim, system, "damper.lost");
    CHECK_NEAR(value(sim, system, "mass.energy") + lost, 0.5 * 50 * 0.04, 1e-7);
    CHECK_NEAR(value(sim, system, "mass.end.energy"), -lost, 1e-5);
    fo_simulation_destroy(sim);
    fo_composition_destroy(whole);
    fo_structure_destroy(s);
    fo_text_model_close(damper);
}

// -------------------------------------------------------------------------------------- a process

typedef struct puller {
    double force;
    uint64_t pulls;
} puller;

// Pulls for half a second, three times, and rests in between.
static void pull(fo_world *w, void *self)
{
    puller *p = self;
    for (int i = 0; i < 3; i++) {
        fo_hold(w, 0.5);
        p->force = 10 + i;
        p->pulls++;
        fo_hold(w, 0.5);
        p->force = 0;
    }
}

TEST(a_process_pulls_at_it)
{
    static const double times[] = {0.5, 1, 1.5, 2, 2.5, 3}, values[] = {10, 0, 11, 0, 12, 0};
    fo_message why = {0};
    puller p = {0};
    fo_world *w = fo_world_create(NULL, &why);
    REQUIRE(w);
    CHECK_STATUS(fo_world_output(w, "force", "N", &p.force), FO_OK, &why);
    CHECK_STATUS(fo_spawn(w, "puller", pull, &p), FO_OK, &why);
    fo_structure *driven = swinger(false, 0);
    REQUIRE(driven);
    fo_system mass = fo_structure_system(driven), world = fo_world_system(w);
    fo_component parts[] = {{"world", world}, {"mass", mass}};
    fo_connection wire = {0, index_of(world, "force"), 1, index_of(mass, "end")};
    fo_composition_def def = {.name = "pulled",
                              .parts = parts,
                              .part_count = 2,
                              .connections = &wire,
                              .connection_count = 1};
    fo_composition *whole = fo_compose(&def, &why);
    if (!whole) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(whole);
    fo_system system = fo_composition_system(whole);
    fo_run_def run = fo_default_run_def();
    run.rtol = 1e-9, run.atol = 1e-11, run.stop = 4, run.solver = "dop853";
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 4), FO_REACHED, fo_simulation_message(sim));
    CHECK_INT(p.pulls, 3);

    // the same pulls as a signal of the document's kind
    fo_structure_def line = {.dimension = 1};
    fo_structure *alone = fo_structure_create(&line, &why);
    REQUIRE(alone);
    add_node(alone, 1, 0, 0, FO_FIXED), add_node(alone, 2, 1, 0, 0);
    fo_spring_def spring = {.a = 0, .b = 1, .energy = FO_SPRING_LENGTHS, .k = 50};
    CHECK_STATUS(fo_structure_add_spring(alone, &spring, NULL, &why), FO_OK, &why);
    fo_port_def port = {
        .name = "end", .node = 1, .direction = {1}, .times = times, .values = values, .changes = 6};
    CHECK_STATUS(fo_structure_add_port(alone, &port, NULL, &why), FO_OK, &why);
    finish(alone);
    fo_simulation *other = fo_simulation_create(fo_structure_system(alone), &run, &why);
    REQUIRE(other);
    CHECK_STATUS(fo_simulation_advance(other, 4), FO_REACHED, fo_simulation_message(other));
    static const char *const names[] = {"2.x", "2.vx", "energy", "end.energy"};
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "mass.%s", names[i]);
        CHECK_NEAR(value(sim, system, name), value(other, fo_structure_system(alone), names[i]),
                   1e-7);
    }
    CHECK(value(sim, system, "mass.energy") > 1);
    CHECK_NEAR(value(sim, system, "mass.balance"), 0, 1e-7);
    fo_simulation_destroy(sim), fo_simulation_destroy(other);
    fo_composition_destroy(whole);
    fo_structure_destroy(driven), fo_structure_destroy(alone);
    fo_world_destroy(w);
}

TEST_MAIN(TEST_ENTRY(a_model_as_text_is_a_damper), TEST_ENTRY(a_process_pulls_at_it))
