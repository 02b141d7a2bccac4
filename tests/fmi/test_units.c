/// FMUs against closed forms and against what their own steps must give.
#include <math.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fmi/fmu.h"
#include "unit_files.h"

static fo_simulation *sim_of(fo_fmu *fmu, double rtol)
{
    fo_message why = {0};
    fo_run_def run = fo_fmu_run_def(fmu);
    run.rtol = rtol, run.atol = 1e-3 * rtol;
    fo_simulation *sim = fo_simulation_create(fo_fmu_system(fmu), &run, &why);
    if (!sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return sim;
}

static double value(fo_simulation *sim, const char *name)
{
    fo_reference r;
    return fo_system_find(fo_simulation_system(sim), name, &r, NULL) == FO_OK
               ? fo_simulation_value(sim, r)
               : NAN;
}

static double at(fo_simulation *sim, double t, const char *name)
{
    CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
    return value(sim, name);
}

static fo_fmu *open_unit(int version, const char *token, fo_fmu_type type, bool in_process)
{
    fo_message why = {0};
    fo_fmu_def def = {.type = type, .in_process = in_process, .timeout = 20};
    fo_fmu *fmu = fo_fmu_open(unit_write(version, token, NULL), &def, &why);
    if (!fmu) test_fail(__FILE__, __LINE__, "%s", why.text);
    return fmu;
}

#define EACH(version, inside)                      \
    for (int version = 2; version <= 3; version++) \
        for (int inside = 0; inside < 2; inside++)

TEST(model_exchange_gives_the_true_solution)
{
    EACH(version, inside)
    {
        fo_fmu *fmu = open_unit(version, "ball", FO_FMU_AUTO, inside);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-10);
        CHECK_NEAR(at(sim, 0.5, "h"), 0.138779880360, 1e-10);
        CHECK_NEAR(at(sim, 1, "h"), 0.225059760719, 1e-10);
        CHECK_NEAR(at(sim, 2, "h"), 0.042433547803, 1e-9);
        CHECK(at(sim, 2.49911, "v") != 0);
        CHECK(at(sim, 2.49912, "v") == 0); // it comes to rest at 2.4991133
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
        fmu = open_unit(version, "dahlquist", FO_FMU_MODEL_EXCHANGE, inside);
        sim = sim_of(fmu, 1e-10);
        CHECK_NEAR(at(sim, 1, "h"), exp(-1), 1e-10);
        CHECK_NEAR(at(sim, 10, "h"), exp(-10), 1e-10);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
        fmu = open_unit(version, "vdp", FO_FMU_AUTO, inside);
        sim = sim_of(fmu, 1e-10);
        CHECK_NEAR(at(sim, 10, "h"), -2.00834078, 1e-8);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
    }
    CHECK_INT(unit_leftovers(), 0);
}

TEST(co_simulation_follows_the_units_own_steps)
{
    EACH(version, inside)
    {
        fo_fmu *fmu = open_unit(version, "ball", FO_FMU_CO_SIMULATION, inside);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-6);
        CHECK_TEXT(fo_simulation_solver(sim)->name, "own");
        CHECK_NEAR(at(sim, 0.5, "h"), 0.135600687, 1e-12);
        CHECK_NEAR(at(sim, 1, "h"), 0.236643687, 1e-12);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
        fmu = open_unit(version, "dahlquist", FO_FMU_CO_SIMULATION, inside);
        sim = sim_of(fmu, 1e-6);
        CHECK_NEAR(at(sim, 1, "h"), 0.3486784401, 1e-15);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
        fmu = open_unit(version, "vdp", FO_FMU_CO_SIMULATION, inside);
        sim = sim_of(fmu, 1e-6);
        CHECK_NEAR(at(sim, 10, "h"), -2.02638073, 5e-9);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
    }
}

TEST(a_unit_ends_its_run)
{
    EACH(version, stepped)
    {
        fo_fmu *fmu =
            open_unit(version, "stair", stepped ? FO_FMU_CO_SIMULATION : FO_FMU_AUTO, false);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-6);
        CHECK_NEAR(at(sim, 4.5, "counter"), 5, 0);
        CHECK_STATUS(fo_simulation_advance(sim, 12), FO_STOPPED, fo_simulation_message(sim));
        CHECK_NEAR(fo_simulation_time(sim), 9, 1e-9);
        CHECK_NEAR(value(sim, "counter"), 10, 0);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
    }
}

// Inside of a communication step, whatever its length; outputs that are no reals stay as they are
// until the step's end: the counter is c at c (stair's own steps are 0.2 s) and 10 at the end
// alone.
TEST(a_unit_ends_its_run_inside_of_a_step)
{
    static const double steps[] = {0.35, 0.7, 4, 12};
    EACH(version, inside)
    {
        fo_fmu *fmu = open_unit(version, "stair", FO_FMU_CO_SIMULATION, inside);
        REQUIRE(fmu);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            fo_run_def run = fo_fmu_run_def(fmu);
            run.step = steps[i];
            fo_simulation *sim = fo_simulation_create(fo_fmu_system(fmu), &run, NULL);
            REQUIRE(sim);
            double begin = steps[i] * floor(8.99 / steps[i]);
            double before = at(sim, 8.99, "counter");
            CHECK(before == at(sim, 8.995, "counter") && before <= begin + 1 && before > begin - 1);
            CHECK_STATUS(fo_simulation_advance(sim, 12), FO_STOPPED, fo_simulation_message(sim));
            CHECK_NEAR(fo_simulation_time(sim), 9, 1e-12);
            CHECK_NEAR(value(sim, "counter"), 10, 0);
            fo_simulation_destroy(sim);
        }
        fo_fmu_close(fmu);
    }
}

// Going back from after the rest to before it, where the unit's own flag must come back, too.
TEST(snapshots_bring_the_units_state_back)
{
    EACH(version, stepped)
    {
        fo_fmu *fmu =
            open_unit(version, "ball", stepped ? FO_FMU_CO_SIMULATION : FO_FMU_AUTO, false);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-9);
        at(sim, 1, "h");
        fo_snapshot *snap = fo_simulation_snapshot(sim);
        REQUIRE(snap);
        double two = at(sim, 2, "h"), end = at(sim, 3, "h");
        CHECK(value(sim, "v") == 0);
        CHECK_STATUS(fo_simulation_restore(sim, snap), FO_OK, fo_simulation_message(sim));
        CHECK(at(sim, 2, "h") == two);
        CHECK(at(sim, 3, "h") == end);
        fo_snapshot_destroy(snap);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
    }
}

// Two simulations of one open unit, one after the other at every step, give what each gives alone.
TEST(simulations_share_a_unit)
{
    fo_fmu *fmu = open_unit(3, "ball", FO_FMU_AUTO, false);
    REQUIRE(fmu);
    fo_simulation *alone = sim_of(fmu, 1e-9);
    double expected[6];
    for (int i = 0; i < 6; i++) expected[i] = at(alone, 0.5 * (i + 1), "h");
    fo_simulation_destroy(alone);
    fo_simulation *a = sim_of(fmu, 1e-9), *b = sim_of(fmu, 1e-9);
    CHECK_STATUS(fo_simulation_set(b, "e", 0.5), FO_OK, fo_simulation_message(b));
    for (int i = 0; i < 6; i++) {
        CHECK(at(a, 0.5 * (i + 1), "h") == expected[i]);
        double other = at(b, 0.5 * (i + 1), "h");
        if (i == 1) CHECK(other != expected[i]);
    }
    fo_simulation_destroy(a);
    fo_simulation_destroy(b);
    fo_fmu_close(fmu);
}

// In the child and in this process: equal bits.
TEST(where_it_runs_does_not_matter)
{
    double seen[2][30];
    for (int inside = 0; inside < 2; inside++) {
        fo_fmu *fmu = open_unit(2, "ball", FO_FMU_AUTO, inside);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-7);
        for (int i = 0; i < 30; i++)
            seen[inside][i] = at(sim, 0.1 * (i + 1) < 3 ? 0.1 * (i + 1) : 3, "h");
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
    }
    CHECK(memcmp(seen[0], seen[1], sizeof seen[0]) == 0);
}

TEST(a_parameter_changes_at_a_moment)
{
    fo_fmu *fmu = open_unit(3, "dahlquist", FO_FMU_AUTO, false);
    REQUIRE(fmu);
    fo_simulation *sim = sim_of(fmu, 1e-10);
    at(sim, 1, "h");
    CHECK_STATUS(fo_simulation_set(sim, "g", 2), FO_OK, fo_simulation_message(sim));
    CHECK_NEAR(at(sim, 2, "h"), exp(-3), 1e-9);
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
}

// Those in the lists of the system are shown by them.
TEST(variables_in_no_list_are_told)
{
    EACH(version, inside)
    {
        char text[4000];
        fo_fmu *fmu = open_unit(version, "ball", FO_FMU_AUTO, inside);
        REQUIRE(fmu);
        CHECK_CONTAINS(fo_fmu_about(fmu, text, sizeof text), "\nder(h) (continuous, local)");
        CHECK_CONTAINS(text, "\nder(v) (continuous, local), a derivative");
        CHECK(!strstr(text, "\nh ") && !strstr(text, "\ng "));
        fo_fmu_close(fmu);
    }
}

static const char whole_numbers[] =
    "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"test\" "
    "instantiationToken=\"vdp\">\n<CoSimulation modelIdentifier=\"unit\"/>\n"
    "<DefaultExperiment stopTime=\"1\" stepSize=\"0.1\"/>\n<ModelVariables>\n"
    "<Int32 name='largest' valueReference='7' causality='output' variability='discrete'/>\n"
    "<Int64 name='in' valueReference='8' causality='input' variability='discrete' start='0'/>\n"
    "<UInt64 name='nat' valueReference='9' causality='input' variability='discrete' start='0'/>\n"
    "<Int64 name='out' valueReference='10' causality='output' variability='discrete'/>\n"
    "<UInt64 name='natout' valueReference='11' causality='output' variability='discrete'/>\n"
    "</ModelVariables>\n<ModelStructure><Output valueReference='7'/><Output valueReference='10'/>"
    "<Output valueReference='11'/></ModelStructure></fmiModelDescription>\n";

// The largest ones are 2^63 and 2^64 as doubles, which the types do not hold.
TEST(integers_of_64_bits_are_the_nearest_ones)
{
    static const struct {
        double in, nat, out, natout, largest;
    } cases[] = {{-0x1p63, 0, -0x1p63, 0, 0},
                 {9223372036854775807.0, 18446744073709551615.0, 0x1p63, 0x1p64, 1},
                 {0x1p53, 0x1p53 + 2, 0x1p53, 0x1p53 + 2, 0},
                 {-5, 7, -5, 7, 0}};
    fo_message why = {0};
    fo_fmu_def def = {.type = FO_FMU_CO_SIMULATION, .timeout = 20};
    fo_fmu *fmu = fo_fmu_open(unit_write(3, "vdp", whole_numbers), &def, &why);
    if (!fmu) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(fmu);
    fo_simulation *sim = sim_of(fmu, 1e-6);
    REQUIRE(sim && !fo_failed(fo_simulation_start(sim)));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(!fo_failed(fo_simulation_set(sim, "in", cases[i].in)));
        CHECK(!fo_failed(fo_simulation_set(sim, "nat", cases[i].nat)));
        CHECK(at(sim, 0.1 * (double)(i + 1), "out") == cases[i].out);
        CHECK(value(sim, "natout") == cases[i].natout);
        CHECK(value(sim, "largest") == cases[i].largest);
    }
    CHECK(!fo_failed(fo_simulation_set(sim, "in", 0x1p63 + 2048)));
    CHECK(fo_failed(fo_simulation_advance(sim, 1)));
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "its type does not hold that value");
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
}

TEST(nothing_is_left_behind)
{
    CHECK_INT(unit_leftovers(), 0);
    units_end();
}

TEST(begins)
{
    REQUIRE(units_begin());
}

// What solvers and observers try again does not hide what the unit has said or died of first.
TEST(the_first_fault_is_said)
{
    static const struct {
        int version;
        const char *token, *said;
        fo_fmu_type type;
    } list[] = {
        {2, "ball/crash/GetDerivatives", "died in fmi2GetDerivatives", FO_FMU_MODEL_EXCHANGE},
        {3, "ball/crash/GetContinuousStateDerivatives", "died in fmi3GetContinuousStateDerivatives",
         FO_FMU_MODEL_EXCHANGE},
        {3, "vdp/exit/SetTime", "ended itself in fmi3SetTime", FO_FMU_MODEL_EXCHANGE},
        {2, "stair/once/SetTime", "fmi2SetTime returned fmi2Error", FO_FMU_MODEL_EXCHANGE},
        {3, "vdp/once/SetTime", "fmi3SetTime returned fmi3Error", FO_FMU_MODEL_EXCHANGE},
        {3, "ball/once/DoStep", "fmi3DoStep returned fmi3Error", FO_FMU_CO_SIMULATION}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        fo_fmu *fmu = open_unit(list[i].version, list[i].token, list[i].type, false);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-6);
        for (int again = 0; again < 2; again++) {
            CHECK(fo_failed(fo_simulation_advance(sim, 3)));
            CHECK(strstr(fo_simulation_message(sim)->text, list[i].said));
        }
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
    }
}

// What a unit does wrong in its last calls is said, by the run where its instance is made again, or
// to standard error after it.
TEST(the_last_calls_are_said)
{
    static const struct {
        int version;
        const char *token, *said;
    } list[] = {{2, "ball", ""},
                {2, "ball/crash/Terminate", "died in fmi2Terminate"},
                {3, "ball/exit/Terminate", "ended itself in fmi3Terminate"},
                {2, "ball/error/Terminate", "fmi2Terminate returned fmi2Error"},
                {3, "ball/crash/FreeInstance", "died in fmi3FreeInstance"}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[2000] = "";
        fo_fmu *fmu = open_unit(list[i].version, list[i].token, FO_FMU_CO_SIMULATION, false);
        REQUIRE(fmu);
        fo_simulation *sim = sim_of(fmu, 1e-6);
        bool early = fo_failed(fo_simulation_advance(sim, 0.1));
        early = early && strstr(fo_simulation_message(sim)->text, list[i].said);
        fo_simulation_destroy(sim);
        FILE *file = tmpfile();
        int before = dup(STDERR_FILENO);
        REQUIRE(file && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
        fo_fmu_close(fmu);
        fflush(stderr);
        dup2(before, STDERR_FILENO), close(before);
        rewind(file);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        if (early) continue;
        if (*list[i].said ? !strstr(text, list[i].said) : *text != 0)
            test_fail(__FILE__, __LINE__, "%s: '%s'", list[i].token, text);
    }
}

// The second process that returns from a call has no part in the run, and is not left.
TEST(a_unit_that_forks_is_one_unit)
{
    fo_fmu *fmu = open_unit(3, "dahlquist/fork/DoStep", FO_FMU_CO_SIMULATION, false);
    REQUIRE(fmu);
    REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    int group = fmu->unit.pid;
    fo_simulation *sim = sim_of(fmu, 1e-6);
    CHECK_NEAR(at(sim, 1, "h"), 0.3486784401, 1e-15);
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
    // what of the group was left became ours, and has to end without being asked to
    for (int i = 0; i < 40000 && kill(-group, 0) == 0; i++)
        if (waitpid(-group, NULL, WNOHANG) <= 0) usleep(500);
    CHECK(kill(-group, 0) < 0 && errno == ESRCH);
}

static int number_in(const char *path)
{
    int number = 0;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &number) != 1) number = 0;
    if (file) fclose(file);
    return number;
}

static void run_daemon(double timeout)
{
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_CO_SIMULATION, def.timeout = timeout;
    fo_fmu *fmu = fo_fmu_open(unit_write(3, "dahlquist/daemon/DoStep", NULL), &def, NULL);
    fo_simulation *sim = fmu ? sim_of(fmu, 1e-6) : NULL;
    if (sim) fo_simulation_advance(sim, 1);
    fo_simulation_destroy(sim);
    fo_fmu_close(fmu);
}

// However a unit ends, a daemon that it has made ends with it: it is gone when the unit is closed.
TEST(daemons_of_a_unit_end_with_it)
{
    static const char *const ways[] = {"return", "crash", "exit", "kill", "hang"};
    char path[600];
    snprintf(path, sizeof path, "%s/daemon", unit_folder);
    setenv("FOLIOT_TEST_DAEMON", path, 1);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        remove(path);
        setenv("FOLIOT_TEST_DAEMON_THEN", ways[i], 1);
        run_daemon(strcmp(ways[i], "hang") == 0 ? 2 : 60);
        int daemon = number_in(path);
        CHECK(daemon > 1 && kill(daemon, 0) < 0 && errno == ESRCH);
        if (daemon > 1) kill(daemon, SIGKILL);
    }
    remove(path);
    pid_t host = fork(); // it is killed itself, while its unit does not return
    if (host == 0) {
        run_daemon(1000);
        _exit(0);
    }
    for (int i = 0; i < 40000 && !number_in(path); i++) usleep(500);
    int daemon = number_in(path);
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    for (int i = 0; i < 40000 && daemon > 1 && kill(daemon, 0) == 0; i++)
        if (waitpid(-1, NULL, WNOHANG) <= 0) usleep(500);
    CHECK(daemon > 1 && kill(daemon, 0) < 0 && errno == ESRCH);
    if (daemon > 1) kill(daemon, SIGKILL);
    unsetenv("FOLIOT_TEST_DAEMON"), unsetenv("FOLIOT_TEST_DAEMON_THEN");
    remove(path);
}

TEST_MAIN(TEST_ENTRY(begins), TEST_ENTRY(daemons_of_a_unit_end_with_it),
          TEST_ENTRY(the_first_fault_is_said), TEST_ENTRY(the_last_calls_are_said),
          TEST_ENTRY(a_unit_that_forks_is_one_unit),
          TEST_ENTRY(model_exchange_gives_the_true_solution),
          TEST_ENTRY(co_simulation_follows_the_units_own_steps), TEST_ENTRY(a_unit_ends_its_run),
          TEST_ENTRY(a_unit_ends_its_run_inside_of_a_step),
          TEST_ENTRY(snapshots_bring_the_units_state_back), TEST_ENTRY(simulations_share_a_unit),
          TEST_ENTRY(where_it_runs_does_not_matter), TEST_ENTRY(a_parameter_changes_at_a_moment),
          TEST_ENTRY(variables_in_no_list_are_told),
          TEST_ENTRY(integers_of_64_bits_are_the_nearest_ones), TEST_ENTRY(nothing_is_left_behind))
