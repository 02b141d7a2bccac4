/// Several units in one document: what can be said of it without an exporter. Units are the tests'
/// own.
#include <math.h>

#include "files.h"
#include "unit_files.h"

static char document[600];

static void write_text(const char *name, const char *text)
{
    snprintf(document, sizeof document, "%s/%s", unit_folder, name);
    CHECK(write_file(unit_folder, name, text));
}

static fo_fmu_group *open_group(const fo_allocator *a, fo_message *why)
{
    fo_fmu_def def = fo_default_fmu_def();
    def.allocator = a;
    return fo_fmu_group_open(document, &def, why);
}

static double run_to(fo_fmu_group *g, double stop, double step, const char *name)
{
    fo_message why = {0};
    fo_run_def run = fo_fmu_group_run_def(g);
    fo_reference r;
    run.stop = stop, run.step = step;
    fo_simulation *sim = fo_simulation_create(fo_fmu_group_system(g), &run, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (!sim) return NAN;
    CHECK_STATUS(fo_simulation_advance(sim, stop), FO_REACHED, fo_simulation_message(sim));
    double value = fo_system_find(fo_fmu_group_system(g), name, &r, NULL) == FO_OK
                       ? fo_simulation_value(sim, r)
                       : NAN;
    fo_simulation_destroy(sim);
    return value;
}

static const char two[] = "{\"units\": {\"a\": \"unit.fmu\", \"b\": {\"fmu\": \"unit.fmu\", "
                          "\"set\": {\"g\": 2}}}, \"run\": {\"stop\": 1, \"step\": 0.1}}";

// Units without connections are as alone: Dahlquist's by Euler's method, 0.9^10 and 0.8^10.
TEST(units_that_are_not_connected)
{
    REQUIRE(units_begin());
    fo_message why = {0};
    REQUIRE(unit_write(3, "dahlquist", NULL));
    write_text("two.fmus.json", two);
    fo_fmu_group *g = open_group(NULL, &why);
    CHECK_TEXT(why.text, "");
    REQUIRE(g);
    CHECK_NEAR(run_to(g, 1, 0.1, "a.h"), 0.3486784401, 1e-15);
    CHECK_NEAR(run_to(g, 1, 0.1, "b.h"), 0.1073741824, 1e-15);
    CHECK_NEAR(run_to(g, 1, 0.1, "steps"), 10, 0);
    fo_fmu_group_close(g);
    CHECK_INT(unit_leftovers(), 0);
}

// An archive with the structure and its unit; a unit that ends the run ends that of all.
TEST(an_archive_with_a_system)
{
    static const char ssd[] =
        "<?xml version='1.0'?><ssd:SystemStructureDescription xmlns:ssd='x' name='s' version='1.0'>"
        "<ssd:System name='root'><ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>"
        "<ssv:ParameterSet><ssv:Parameters><ssv:Parameter name='a.e'><ssv:Real value='0.5'/>"
        "</ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>"
        "</ssd:ParameterBinding></ssd:ParameterBindings><ssd:Elements><ssd:Component name='a' "
        "source='resources/unit.fmu'/></ssd:Elements></ssd:System>"
        "<ssd:DefaultExperiment stopTime='12'/></ssd:SystemStructureDescription>";
    for (int stair = 0; stair < 2; stair++) {
        fo_message why = {0};
        const char *path = unit_write(2, stair ? "stair" : "ball", NULL);
        FILE *file = path ? fopen(path, "rb") : NULL;
        REQUIRE(file);
        static char unit[1 << 20];
        size_t size = fread(unit, 1, sizeof unit, file);
        fclose(file);
        snprintf(document, sizeof document, "%s/system.ssp", unit_folder);
        fo_fmu_file files[] = {{"SystemStructure.ssd", ssd, sizeof ssd - 1, false},
                               {"resources/unit.fmu", unit, size, false}};
        REQUIRE(fo_fmu_write(document, files, 2, NULL) == FO_OK);
        fo_fmu_group *g = open_group(NULL, &why);
        CHECK_TEXT(why.text, "");
        REQUIRE(g);
        if (stair) {
            fo_run_def run = fo_fmu_group_run_def(g);
            fo_simulation *sim = fo_simulation_create(fo_fmu_group_system(g), &run, &why);
            CHECK_STATUS(fo_simulation_advance(sim, 12), FO_STOPPED, fo_simulation_message(sim));
            CHECK_NEAR(fo_simulation_time(sim), 9, 1e-12);
            fo_simulation_destroy(sim);
        } else {
            CHECK_NEAR(run_to(g, 0.4, 0.01, "a.h"), 0.23126 - 0.0, 0.02); // before the first bounce
        }
        fo_fmu_group_close(g);
        remove(document);
    }
    CHECK_INT(unit_leftovers(), 0);
}

// A unit that ends the run inside of a step ends it there, where all units are at that time: they
// go back and up to it, or, where they cannot, lie on straight lines. Dahlquist's by Euler's method
// with steps of 0.1 is 0.9^90 at 9, and on the line from 8 to 10 the mean of 0.9^80 and 0.9^100.
TEST(a_unit_ends_the_run_of_all)
{
    for (int i = 0; i < 4; i++) {
        bool goes_back = i & 1;
        char ends[8000], flows[8000];
        fo_message why = {0};
        fo_reference r;
        unit_describe(ends, sizeof ends, 2 + i / 2, "stair");
        unit_describe(flows, sizeof flows, 2 + i / 2, "dahlquist");
        for (char *text = ends; !goes_back; text = flows) {
            for (char *at; (at = strstr(text, "=\"true\"")) != NULL;) memcpy(at, "=\"0000\"", 7);
            if (text == flows) break;
        }
        REQUIRE(unit_write_as("ends.fmu", 2 + i / 2, ends));
        REQUIRE(unit_write_as("flows.fmu", 2 + i / 2, flows));
        write_text("both.fmus.json", "{\"units\": {\"a\": \"flows.fmu\", \"b\": \"ends.fmu\"}, "
                                     "\"run\": {\"stop\": 12, \"step\": 2}}");
        fo_fmu_group *g = open_group(NULL, &why);
        CHECK_TEXT(why.text, "");
        REQUIRE(g);
        fo_run_def run = fo_fmu_group_run_def(g);
        fo_simulation *sim = fo_simulation_create(fo_fmu_group_system(g), &run, &why);
        CHECK_STATUS(fo_simulation_advance(sim, 12), FO_STOPPED, fo_simulation_message(sim));
        CHECK_NEAR(fo_simulation_time(sim), 9, 1e-12);
        REQUIRE(fo_system_find(fo_fmu_group_system(g), "b.counter", &r, &why) == FO_OK);
        CHECK_NEAR(fo_simulation_value(sim, r), 10, 0);
        REQUIRE(fo_system_find(fo_fmu_group_system(g), "a.h", &r, &why) == FO_OK);
        double line = (pow(0.9, 80) + pow(0.9, 100)) / 2;
        CHECK_NEAR(fo_simulation_value(sim, r), goes_back ? pow(0.9, 90) : line, 1e-15);
        fo_simulation_destroy(sim);
        fo_fmu_group_close(g);
    }
    CHECK_INT(unit_leftovers(), 0);
}

TEST(documents_that_are_wrong)
{
    static const struct {
        const char *text, *message;
    } list[] = {
        {"{}", "units"},
        {"{\"units\": {}}", "expected 1 to"},
        {"{\"units\": {\"a\": 3}}", "expected"},
        {"{\"units\": {\"a.b\": \"unit.fmu\"}}", "not contain a dot"},
        {"{\"units\": {\"a\": \"none.fmu\"}}", "none.fmu"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"connections\": [[\"a.h\", \"a.q\"]]}",
         "no input 'q'"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"connections\": [[\"a.q\", \"a.h\"]]}",
         "no output 'q'"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"connections\": [[\"c.h\", \"a.h\"]]}", "no FMU 'c'"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"connections\": [[\"a.h\"]]}", "expected [from, to]"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"connections\": [[\"h\", \"a.h\"]]}",
         "unit.variable"},
        {"{\"units\": {\"a\": {\"fmu\": \"unit.fmu\", \"set\": {\"zz\": 1}}}}", "called 'a.zz'"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"master\": {\"method\": \"magic\"}}", "magic"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"master\": {\"control\": \"error\"}}",
         "different lengths"},
        {"{\"units\": {\"a\": \"unit.fmu\"}, \"run\": {\"step\": -1}}", "step"},
        {"{\"unit\": 1}", "unit"},
    };
    REQUIRE(unit_write(3, "dahlquist", NULL));
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_message why = {0};
        write_text("bad.fmus.json", list[i].text);
        fo_fmu_group *g = open_group(NULL, &why);
        CHECK(!g);
        CHECK_CONTAINS(why.text, list[i].message);
        fo_fmu_group_close(g);
    }
    CHECK_INT(unit_leftovers(), 0);
}

// ------------------------------------------------------------------------------------------ memory

// Every allocation fails once: nothing is left, in memory, on disk and of processes.
TEST(every_allocation_fails_once)
{
    write_text("two.fmus.json", two);
    REQUIRE(unit_write(3, "dahlquist", NULL));
    for (long at = 1;; at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, at);
        fo_fmu_group *g = open_group(&memory.allocator, &why);
        bool done = memory.allocations < at;
        fo_fmu_group_close(g);
        CHECK_INT(memory.live, 0);
        if (!done && (g || why.status != FO_ERROR_MEMORY))
            test_fail(__FILE__, __LINE__, "allocation %ld: %d %s", at, (int)why.status, why.text);
        if (done || at > 400) {
            CHECK(done && g);
            break;
        }
    }
    CHECK_INT(unit_leftovers(), 0);
    remove(document);
    snprintf(document, sizeof document, "%s/bad.fmus.json", unit_folder);
    remove(document);
    units_end();
}

TEST_MAIN(TEST_ENTRY(units_that_are_not_connected), TEST_ENTRY(an_archive_with_a_system),
          TEST_ENTRY(a_unit_ends_the_run_of_all), TEST_ENTRY(documents_that_are_wrong),
          TEST_ENTRY(every_allocation_fails_once))
