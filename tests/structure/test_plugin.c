// A host that loads a plug-in and drives it both ways, as other tools do.
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "structure/plugin/simulator.h"
#include "test.h"

static const char document[] =
    "{\"structure\": \"two\", \"gravity\": [0, -9.81], \"friction\": 0.5,\n"
    " \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"at\": [0, -1], \"mass\": 2},\n"
    "           {\"at\": [0, -2], \"mass\": 1}],\n"
    " \"springs\": [{\"between\": [1, 2], \"k\": 100}, {\"between\": [2, 3], \"k\": 100}],\n"
    " \"ports\": [{\"name\": \"push\", \"node\": 3, \"direction\": \"x\"},\n"
    "           {\"name\": \"wind\", \"node\": 2, \"direction\": \"x\", \"signal\": [[0.25, "
    "3]]}],\n"
    " \"run\": {\"solver\": \"nystrom\", \"step\": 0.001}}\n";

static char folder[512], library[600], source[600];

// Exports the document with the program beside the tests. Where that was not built, says so.
static bool export_plugin(const char *text)
{
    char own[512], line[2048];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return false;
    own[length] = 0;
    for (int i = 0; i < 2; i++) *strrchr(own, '/') = 0; // the folder above that of the tests
    strcpy(folder, "/tmp/foliot_plugin_XXXXXX");
    if (!mkdtemp(folder)) return false;
    snprintf(library, sizeof library, "%s/two.so", folder);
    snprintf(source, sizeof source, "%s/two.structure.json", folder);
    FILE *file = fopen(source, "w");
    if (!file) return false;
    fputs(text, file);
    fclose(file);
    snprintf(line, sizeof line, "'%s/foliot' export --plugin '%s' --output '%s'", own, source,
             library);
    return system(line) == 0;
}

static void clean_up(void)
{
    remove(library), remove(source), rmdir(folder);
}

// Where the tip of a direct simulation is at t = 0.4, pushed from 0.1 s on.
static void direct(const char *solver, double *flow)
{
    fo_message why = {0};
    fo_structure_document *d = fo_structure_read("two", document, sizeof document - 1, NULL, &why);
    REQUIRE(d);
    fo_run_def run = fo_default_run_def();
    run.solver = solver, run.step = 1e-3, run.rtol = 1e-10, run.atol = 1e-12;
    fo_simulation *sim = fo_simulation_create(fo_structure_document_system(d), &run, &why);
    REQUIRE(sim);
    CHECK_STATUS(fo_simulation_advance(sim, 0.1), FO_REACHED, &why);
    CHECK_STATUS(fo_simulation_set(sim, "push", 5), FO_OK, &why);
    CHECK_STATUS(fo_simulation_advance(sim, 0.4), FO_REACHED, &why);
    fo_reference which;
    for (int i = 0; i < 2; i++) {
        fo_system_find(fo_structure_document_system(d), i ? "wind.flow" : "push.flow", &which,
                       &why);
        flow[i] = fo_simulation_value(sim, which);
    }
    fo_simulation_destroy(sim);
    fo_structure_document_destroy(d);
}

static int call(void *handle, const char *name)
{
    int (*function)(void);
    *(void **)&function = dlsym(handle, name);
    return function ? function() : -1;
}

// A major step of the host is published, too.
static void see_the_hosts_state(const double *x)
{
    double t = 0, values[64] = {0};
    fo_message why = {0};
    fo_look *look = fo_look_open(getenv("FOLIOT_SHARE"), NULL, &why);
    CHECK(look);
    if (!look) return;
    CHECK(fo_look_read(look, &t, values) > 1);
    CHECK_NEAR(t, 0.4, 0);
    for (int i = 0; i < 8; i++) CHECK_NEAR(values[i], x[i], 0);
    fo_look_close(look);
}

// FOLIOT_SHARE names a shared state, which has the last major step.
static void look_from_outside(void)
{
    fo_message why = {0};
    double t = 0, values[64];
    fo_look *look = fo_look_open(getenv("FOLIOT_SHARE"), NULL, &why);
    CHECK(look);
    if (look) {
        CHECK(fo_look_count(look) < 64);
        CHECK_INT(fo_look_read(look, &t, values), 401);
        CHECK_NEAR(t, 0.4, 1e-12);
        CHECK_TEXT(fo_look_name(look, 4), "3.x");
        CHECK(fabs(values[4]) > 0.01);
    }
    fo_look_close(look);
    // and the program, in a process of its own
    char own[512], line[1024], said[4096] = "";
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    REQUIRE(length > 0);
    own[length] = 0;
    for (int i = 0; i < 2; i++) *strrchr(own, '/') = 0;
    snprintf(line, sizeof line, "'%s/foliot' watch '%s' --once --all", own, getenv("FOLIOT_SHARE"));
    FILE *pipe = popen(line, "r");
    REQUIRE(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = 0;
    CHECK_INT(pclose(pipe), 0);
    CHECK_CONTAINS(said, "two, t = 0.4 s, state 401");
    CHECK_CONTAINS(said, "kinetic");
    CHECK_CONTAINS(said, "3.x");
}

static void drive(void *handle)
{
    int (*function)(double *, int, double *, int, int);
    double in[2] = {0}, out[2] = {0}, expected[2] = {0};
    *(void **)&function = dlsym(handle, "foliot");
    REQUIRE(function);
    for (int twice = 0; twice < 2; twice++) { // a second run begins anew
        CHECK_INT(call(handle, "InitializeRun"), 1);
        in[0] = 0;
        for (int i = 0; i < 400; i++) {
            if (i == 100) in[0] = 5;
            CHECK_INT(function(in, 2, out, 2, 0), 0); // a minor call changes nothing
            CHECK_INT(function(in, 2, out, 2, 1), 0);
        }
        look_from_outside();
        direct("nystrom", expected);
        CHECK_NEAR(out[0], expected[0], 1e-12);
        CHECK_NEAR(out[1], expected[1], 1e-12);
        CHECK(fabs(out[0]) > 0.1);
        CHECK_INT(function(in, 1, out, 2, 1), 1);
        CHECK_INT(call(handle, "TerminateRun"), 1);
    }
}

enum { STATES = 12 };

// The classical Runge-Kutta method, by the host.
static void host_step(int (*rates)(double *, double *, double *, double *,
                                   SimulatorSFunctionStruct *),
                      SimulatorSFunctionStruct *s, double *u, double *x, double h)
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[STATES] = {0}, z[STATES], sum[STATES] = {0}, y[2], t = s->simulationCurrentTime;
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < STATES; i++) z[i] = x[i] + at[stage] * h * k[i];
        s->simulationCurrentTime = t + at[stage] * h;
        s->major = stage == 0;
        CHECK_INT(rates(u, z, y, k, s), 1);
        for (int i = 0; i < STATES; i++) sum[i] += weight[stage] * k[i] / 6;
    }
    for (int i = 0; i < STATES; i++) x[i] += h * sum[i];
}

static void integrate(void *handle)
{
    int (*init)(SimulatorSFunctionStruct *);
    int (*start)(double *, double *, double *, SimulatorSFunctionStruct *);
    int (*rates)(double *, double *, double *, double *, SimulatorSFunctionStruct *);
    *(void **)&init = dlsym(handle, "SFunctionInit");
    *(void **)&start = dlsym(handle, "SFunctionGetInitialStates");
    *(void **)&rates = dlsym(handle, "SFunctionCalculate");
    REQUIRE(init && start && rates);
    SimulatorSFunctionStruct s = {.simulationFinishTime = 1};
    double x[STATES], u[2] = {0}, y[2], dx[STATES], expected[2];
    CHECK_INT(init(&s), 1);
    CHECK_INT(s.nrIndepStates, STATES);
    CHECK(s.nrInputs == 2 && s.nrOutputs == 2 && s.nrDepStates == 0 && s.nrAlgLoops == 0);
    CHECK_INT(start(x, NULL, NULL, &s), 1);
    CHECK(x[5] == -2);
    for (int i = 0; i < 400; i++) {
        s.simulationCurrentTime = i * 1e-3;
        u[0] = i < 100 ? 0 : 5;
        host_step(rates, &s, u, x, 1e-3);
    }
    CHECK_INT(rates(u, x, y, dx, &s), 1);
    s.simulationCurrentTime = 0.4, s.major = true;
    CHECK_INT(rates(u, x, y, dx, &s), 1);
    see_the_hosts_state(x);
    direct("dop853", expected);
    // the signal at 0.25 s falls into the last stage of a step: an error of the first order there
    CHECK_NEAR(y[0], expected[0], 1e-3);
    CHECK_NEAR(y[1], expected[1], 1e-3);
}

TEST(a_host_drives_it_both_ways)
{
    char name[64];
    snprintf(name, sizeof name, "test-plugin-%d", (int)getpid());
    setenv("FOLIOT_SHARE", name, 1);
    bool exported = export_plugin(document);
    CHECK(exported);
    void *handle = exported ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (exported && !handle) test_fail(__FILE__, __LINE__, "%s", dlerror());
    if (handle) {
        CHECK_INT(call(handle, "Initialize"), 1);
        drive(handle);
        integrate(handle);
        CHECK_INT(call(handle, "Terminate"), 1);
        CHECK(!dlsym(handle, "fo_structure_read")); // nothing else is shown
        dlclose(handle);
    }
    clean_up();
}

// 1 kg on a spring of 100 N/m under 60 N: it stretches by up to 1.2 m and breaks at 0.5 m.
static const char brittle[] =
    "{\"structure\": \"brittle\", \"dimension\": 1, \"nodes\": [{\"at\": [0], \"fixed\": true}, "
    "{\"at\": [1], \"mass\": 1}], \"springs\": [{\"between\": [1, 2], \"k\": 100, \"energy\": "
    "\"lengths\", \"breaks\": 0.5}], \"ports\": [{\"name\": \"pull\", \"node\": 2, \"direction\": "
    "\"x\"}]}";

// Where the host integrates, springs break at its major steps.
TEST(springs_break_in_the_hosts_integration)
{
    unsetenv("FOLIOT_SHARE");
    bool exported = export_plugin(brittle);
    CHECK(exported);
    void *handle = exported ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (exported && !handle) test_fail(__FILE__, __LINE__, "%s", dlerror());
    if (handle) {
        int (*init)(SimulatorSFunctionStruct *);
        int (*rates)(double *, double *, double *, double *, SimulatorSFunctionStruct *);
        *(void **)&init = dlsym(handle, "SFunctionInit");
        *(void **)&rates = dlsym(handle, "SFunctionCalculate");
        SimulatorSFunctionStruct s = {0};
        double x[4] = {0, 1.45, 0, 0}, u[1] = {60}, y[1], dx[4];
        CHECK_INT(init(&s), 1);
        s.major = true;
        CHECK_INT(rates(u, x, y, dx, &s), 1);
        CHECK_NEAR(dx[3], 60 - 45, 1e-9);
        x[1] = 1.51, s.major = false; // a minor step may go too far and come back
        CHECK_INT(rates(u, x, y, dx, &s), 1);
        CHECK_NEAR(dx[3], 60 - 51, 1e-9);
        s.major = true;
        CHECK_INT(rates(u, x, y, dx, &s), 1);
        CHECK_NEAR(dx[3], 60, 1e-9);
        x[1] = 1.1, s.major = false; // it stays broken
        CHECK_INT(rates(u, x, y, dx, &s), 1);
        CHECK_NEAR(dx[3], 60, 1e-9);
        CHECK_INT(call(handle, "Terminate"), 1);
        dlclose(handle);
    }
    clean_up();
}

TEST_MAIN(TEST_ENTRY(a_host_drives_it_both_ways),
          TEST_ENTRY(springs_break_in_the_hosts_integration))
