/// Scheduled Execution, events inside of communication steps, strings and binaries, terminals: by a
/// unit that refuses what the standard forbids in its mode.
#define FOLIOT_TEST_UNIT FOLIOT_TEST_CLOCKED
#include <foliot/foliot.h>
#include <math.h>

#include "clocked_description.h"
#include "unit_files.h"

typedef struct rig {
    fo_fmu *fmu;
    fo_simulation *sim;
    fo_message why;
} rig;

static bool begin(rig *r, const fo_fmu_def *def, double step)
{
    *r = (rig){0};
    r->fmu = fo_fmu_open(unit_write(3, "x", clocked_description), def, &r->why);
    if (!r->fmu) return false;
    fo_run_def run = fo_fmu_run_def(r->fmu);
    if (step > 0) run.step = step;
    r->sim = fo_simulation_create(fo_fmu_system(r->fmu), &run, &r->why);
    return r->sim && !fo_failed(fo_simulation_start(r->sim));
}

static void end(rig *r)
{
    fo_simulation_destroy(r->sim);
    fo_fmu_close(r->fmu);
    CHECK_INT(unit_leftovers(), 0);
}

static double value(rig *r, const char *name)
{
    fo_reference which;
    bool there = fo_system_find(fo_fmu_system(r->fmu), name, &which, NULL) == FO_OK;
    return there ? fo_simulation_value(r->sim, which) : NAN;
}

static double to(rig *r, double t, const char *name)
{
    CHECK(!fo_failed(fo_simulation_advance(r->sim, t)));
    return value(r, name);
}

// Ticks of c1 at 1/4, 1, 7/4, 5/2, 13/4, 4; of c3 1/8 after each second one: 9/8, 21/8.
TEST(clocks_tick_when_they_are_due)
{
    rig r;
    REQUIRE(units_begin());
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_SCHEDULED_EXECUTION;
    REQUIRE(begin(&r, &def, 0));
    CHECK_NEAR(to(&r, 0.2, "n1"), 0, 0);
    CHECK_NEAR(to(&r, 0.25, "n1"), 1, 0);
    CHECK_NEAR(to(&r, 1.1, "n1"), 2, 0);
    CHECK_NEAR(value(&r, "n3"), 0, 0);
    CHECK_NEAR(to(&r, 1.125, "n3"), 1, 0);
    CHECK_NEAR(value(&r, "order"), 113, 0);
    REQUIRE(!fo_failed(fo_simulation_send(r.sim, 1.15, "c2", 0)));
    CHECK_NEAR(to(&r, 1.2, "n2"), 1, 0);
    CHECK_NEAR(value(&r, "order"), 1132, 0);
    CHECK_NEAR(to(&r, 3.9, "n1"), 5, 0);
    CHECK_NEAR(value(&r, "n3"), 2, 0);
    CHECK_NEAR(value(&r, "order"), 321131, 0); // of 11321131 the last six digits
    end(&r);
}

// y is t mod 1 up to 2.5, then twice as fast; communication points are elsewhere.
TEST(events_inside_of_steps_happen_where_they_are)
{
    rig r;
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_CO_SIMULATION, def.event_mode = true;
    static const double steps[] = {0.4, 0.3, 0.07, 1.6};
    for (int i = 0; i < 4; i++)
        for (def.in_process = false;; def.in_process = true) {
            REQUIRE(begin(&r, &def, steps[i]));
            for (int k = 1; k * steps[i] <= 4; k++) {
                double t = k * steps[i];
                double y = t <= 2.5 ? fmod(t, 1) : fmod(0.5 + 2 * (t - 2.5), 1);
                double found = to(&r, t, "y"), apart = fabs(found - y);
                CHECK(fmin(apart, fabs(apart - 1)) < 1e-12); // at the event itself either side
            }
            end(&r);
            if (def.in_process) break;
        }
}

TEST(discrete_inputs_are_set_in_event_mode)
{
    rig r;
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_CO_SIMULATION, def.event_mode = true;
    REQUIRE(begin(&r, &def, 0.1));
    CHECK_NEAR(to(&r, 0.2, "y"), 0.2, 1e-12);
    REQUIRE(!fo_failed(fo_simulation_set(r.sim, "gain", -2)));
    CHECK_NEAR(to(&r, 0.5, "y"), 0.5 - 2, 1e-12);
    end(&r);
    // without event mode the unit refuses, and that is said with the call
    def.event_mode = false;
    REQUIRE(begin(&r, &def, 0.1));
    CHECK(!fo_failed(fo_simulation_advance(r.sim, 0.2)));
    fo_simulation_set(r.sim, "gain", -2);
    CHECK(fo_failed(fo_simulation_advance(r.sim, 0.5)));
    CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "fmi3SetInt32");
    end(&r);
}

TEST(strings_and_binaries)
{
    rig r;
    char text[64];
    fo_fmu_def def = fo_default_fmu_def();
    fo_fmu_text given[] = {{"greeting", "Grüezi"}, {"key", "00ff10a7"}};
    def.type = FO_FMU_CO_SIMULATION;
    REQUIRE(begin(&r, &def, 0));
    REQUIRE(fo_fmu_get_text(r.fmu, "said", text, sizeof text, &r.why) == FO_OK);
    CHECK_TEXT(text, "hello hello");
    end(&r);
    def.texts = given, def.text_count = 2;
    for (int type = 2; type <= 3; type++) {
        def.type = (fo_fmu_type)type;
        REQUIRE(begin(&r, &def, 0));
        REQUIRE(fo_fmu_get_text(r.fmu, "said", text, sizeof text, &r.why) == FO_OK);
        CHECK_TEXT(text, "Grüezi Grüezi");
        REQUIRE(fo_fmu_get_text(r.fmu, "lock", text, sizeof text, &r.why) == FO_OK);
        CHECK_TEXT(text, "a710ff00");
        CHECK_STATUS(fo_fmu_get_text(r.fmu, "none", text, sizeof text, &r.why), FO_ERROR_ARGUMENT,
                     &r.why);
        end(&r);
    }
    static const struct {
        fo_fmu_text text;
        const char *message;
    } wrong[] = {{{"said", "x"}, "neither a parameter nor an input"},
                 {{"key", "0"}, "hexadecimal"},
                 {{"key", "zz"}, "hexadecimal"},
                 {{"nobody", "x"}, "no string or binary"}};
    for (size_t i = 0; i < 4; i++) {
        def.texts = &wrong[i].text, def.text_count = 1;
        CHECK(!begin(&r, &def, 0));
        CHECK_CONTAINS(r.why.text, wrong[i].message);
        end(&r);
    }
}

TEST(what_a_unit_has_not)
{
    rig r;
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_MODEL_EXCHANGE;
    CHECK(!begin(&r, &def, 0));
    CHECK_CONTAINS(r.why.text, "has no Model Exchange; it has Co-Simulation, Scheduled Execution");
    end(&r);
    units_end();
}

TEST_MAIN(TEST_ENTRY(clocks_tick_when_they_are_due),
          TEST_ENTRY(events_inside_of_steps_happen_where_they_are),
          TEST_ENTRY(discrete_inputs_are_set_in_event_mode), TEST_ENTRY(strings_and_binaries),
          TEST_ENTRY(what_a_unit_has_not))
