// Enclosures of the guards of diagrams, tried at every node type while it runs.
#include "bounds_watch.h"
#include "examples.h"
#include "run.h"

static void run_watched(fo_diagram *d, const char *name)
{
    fo_message why = {0};
    fo_system_type type;
    if (fo_diagram_run_as(d, FO_DIAGRAM_PROGRAM, &why) != FO_OK) return;
    fo_system system = watch_system(fo_diagram_system(d), name, &type);
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(d), NULL);
    if (def.solver) def.solver = "dp45";
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    if (!sim) {
        test_fail(__FILE__, __LINE__, "%s: %s", name, why.text);
        return;
    }
    fo_simulation_advance(sim, def.stop);
    fo_simulation_destroy(sim);
}

TEST(guards_of_all_node_types_are_enclosed)
{
    const foi_node_type *type;
    int with_guards = 0;
    for (size_t i = 0; (type = foi_node_type_at(i)); i++)
        for (int integrate = 0; integrate < 2; integrate++) {
            char text[8192];
            fo_message why = {0};
            build_moving(type, true, integrate, text, sizeof text);
            fo_diagram *d = read_diagram(text, NULL, &why);
            if (!d) continue;
            long before = bounds_watch.tried;
            run_watched(d, type->name);
            with_guards += bounds_watch.tried > before;
            fo_diagram_destroy(d);
        }
    printf("%d diagrams, %ld points, %ld slopes\n", with_guards, bounds_watch.tried,
           bounds_watch.smooth);
    CHECK(with_guards >= 10);
    CHECK(bounds_watch.smooth > bounds_watch.tried / 2);
    CHECK_INT(bounds_watch.bad, 0);
}

TEST(guards_of_models_are_enclosed)
{
    static const char *const models[] = {"bouncing-ball", "bus-closed", "decision", "pendulum"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[512];
        fo_message why = {0};
        snprintf(path, sizeof path, "%s/models/diagrams/%s.json", FOLIOT_SOURCE_DIR, models[i]);
        fo_diagram *d = fo_diagram_read_file(path, NULL, &why);
        REQUIRE(d);
        run_watched(d, models[i]);
        fo_diagram_destroy(d);
    }
    CHECK_INT(bounds_watch.bad, 0);
}

TEST_MAIN(TEST_ENTRY(guards_of_all_node_types_are_enclosed),
          TEST_ENTRY(guards_of_models_are_enclosed))
