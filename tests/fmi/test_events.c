/// Event mode in exported Co-Simulation: a step ends where an event happens, values are those
/// before it until the importer has handled it, and at the communication points they are the bits
/// of the direct run.
#include <dlfcn.h>
#include <foliot/foliot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmi/calls.h"
#include "fmi/references.h"
#include "test.h"

#ifdef FOLIOT_UNIT // otherwise this build exports nothing

static char folder[200];
static fmi3_functions f;

// h' = v, v' = -g: bounces at sqrt(2 h0 / g) and then apart by falling times of e v; a clock
// counts.
static const char model[] = "model Ball\n"
                            "  parameter Real g = 10; parameter Real e = 0.5;\n"
                            "  Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);\n"
                            "  discrete Real n(start = 0, fixed = true);\n"
                            "equation\n"
                            "  der(h) = v; der(v) = -g;\n"
                            "  when h <= 0 then reinit(h, 0); reinit(v, -e*pre(v)); end when;\n"
                            "  when sample(0.25, 0.25) then n = pre(n) + 1; end when;\n"
                            "  annotation(experiment(StopTime = 1, Interval = 0.0625));\n"
                            "end Ball;\n";

#define TAKE(name) (*(void **)&f.name = dlsym(library, "fmi3" #name))

static bool load(void)
{
    void *library = dlopen(FOLIOT_UNIT, RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("  %s\n", dlerror());
    return library && TAKE(InstantiateCoSimulation) && TAKE(FreeInstance) &&
           TAKE(EnterInitializationMode) && TAKE(ExitInitializationMode) && TAKE(DoStep) &&
           TAKE(EnterEventMode) && TAKE(EnterStepMode) && TAKE(UpdateDiscreteStates) &&
           TAKE(GetFMUState) && TAKE(SetFMUState) && TAKE(FreeFMUState) &&
           (*(void **)&f.Get[0] = dlsym(library, "fmi3GetFloat64"));
}

static void say(void *self, int status, const char *category, const char *text)
{
    (void)self, (void)category;
    if (status > FMI_WARNING) printf("  the unit: %s\n", text);
}

static fmi_instance begin(bool event_mode, bool early)
{
    char resources[220];
    snprintf(resources, sizeof resources, "%s/", folder);
    fmi_instance u = f.InstantiateCoSimulation("ball", "token", resources, false, false, event_mode,
                                               early, NULL, 0, NULL, say, NULL);
    if (!u || f.EnterInitializationMode(u, false, 0, 0, false, 0) != FMI_OK ||
        f.ExitInitializationMode(u) != FMI_OK)
        return NULL;
    return u;
}

static double value(fmi_instance u, foi_export_kind kind, uint32_t index)
{
    fmi_reference r = (uint32_t)kind << FOI_EXPORT_SHIFT | index;
    double v = NAN;
    CHECK(f.Get[0](u, &r, 1, &v, 1) == FMI_OK);
    return v;
}

static double height(fmi_instance u)
{
    return value(u, FOI_EXPORT_STATE, 0);
}

static double speed(fmi_instance u)
{
    return value(u, FOI_EXPORT_STATE, 1);
}

static bool update(fmi_instance u, double *next)
{
    bool again = true, terminate = true, nominals = true, values = false, defined = false;
    CHECK(f.UpdateDiscreteStates(u, &again, &terminate, &nominals, &values, &defined, next) ==
          FMI_OK);
    CHECK(!again && !terminate && !nominals);
    if (!defined) *next = INFINITY;
    return values;
}

typedef struct seen {
    int bounces, ticks;
    double at[8];
} seen;

// What has come at time t: before and after it, and again from a state that was kept before.
static void handle(fmi_instance u, double t, seen *s)
{
    fmi_state kept = NULL;
    double next, before = speed(u), n = value(u, FOI_EXPORT_DISCRETE, 0);
    CHECK(value(u, FOI_EXPORT_TIME, 0) == t);
    CHECK(f.GetFMUState(u, &kept) == FMI_OK);
    for (int again = 0; again < 2; again++) {
        CHECK(speed(u) == before && value(u, FOI_EXPORT_DISCRETE, 0) == n);
        CHECK(f.EnterEventMode(u) == FMI_OK);
        CHECK(update(u, &next));
        CHECK(next > t && next <= t + 0.25 * (1 + 1e-12));
        if (!again) CHECK(f.SetFMUState(u, kept) == FMI_OK);
    }
    CHECK(f.FreeFMUState(u, &kept) == FMI_OK);
    if (speed(u) != before) {
        CHECK(before < 0 && speed(u) == -0.5 * before && height(u) == 0);
        if (s->bounces < 8) s->at[s->bounces] = t;
        s->bounces++;
    } else {
        CHECK(value(u, FOI_EXPORT_DISCRETE, 0) == n + 1 && t == 0.25 * (n + 1));
        s->ticks++;
    }
    CHECK(f.EnterStepMode(u) == FMI_OK);
}

enum { STEPS = 13 }; // up to t = 0.8125: the bounces accumulate beyond it, at 1.34

static void carry(bool event_mode, bool early_return, double rows[STEPS][2], seen *s)
{
    double next, h = 0.0625;
    fmi_instance u = begin(event_mode, early_return);
    REQUIRE(u);
    if (event_mode) {
        update(u, &next);
        CHECK(next == 0.25);
        CHECK(f.EnterStepMode(u) == FMI_OK);
    }
    for (int k = 0; k < STEPS; k++) {
        for (double t = k * h, end = t + h; t < end;) {
            bool event, terminate, early;
            double last;
            REQUIRE(f.DoStep(u, t, end - t, false, &event, &terminate, &early, &last) == FMI_OK);
            REQUIRE(!terminate && last > t - 1e-300 && last <= end && early == (last < end));
            CHECK(event || !early);
            CHECK(event_mode || !event);
            if (event) handle(u, last, s);
            t = last;
        }
        rows[k][0] = height(u), rows[k][1] = speed(u);
    }
    f.FreeInstance(u);
}

static void direct(double rows[STEPS][2])
{
    char path[300];
    fo_model *m = NULL;
    fo_model_def def = fo_default_model_def();
    snprintf(path, sizeof path, "%s/ball.mo", folder);
    def.name = path;
    REQUIRE(fo_model_open(&def, &m) == FO_OK);
    fo_run_def run = fo_model_run_def(m);
    run.stop = 1e9;
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, NULL);
    REQUIRE(sim);
    for (int k = 0; k < STEPS; k++) {
        CHECK(fo_simulation_advance(sim, 0.0625 * (k + 1)) == FO_REACHED);
        rows[k][0] = fo_simulation_state(sim)->x[0], rows[k][1] = fo_simulation_state(sim)->x[1];
    }
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

TEST(events_are_seen)
{
    double rows[4][STEPS][2];
    seen s = {0}, none = {0}, at_points = {0};
    char command[300];
    snprintf(folder, sizeof folder, "/tmp/foliot-test-events-XXXXXX");
    REQUIRE(mkdtemp(folder));
    REQUIRE(write_file(folder, "foliot.txt", "token\nball.mo\n\n") &&
            write_file(folder, "ball.mo", model));
    REQUIRE(load());
    direct(rows[0]);
    carry(true, true, rows[1], &s);
    carry(true, false, rows[2], &at_points);
    carry(false, false, rows[3], &none);
    for (int i = 1; i < 4; i++) CHECK(memcmp(rows[0], rows[i], sizeof rows[0]) == 0);
    // bounces: t1 = sqrt(2 h0 / g), then later by 2 e^n v / g
    double t = sqrt(0.2), v = 10 * t;
    CHECK(s.bounces == 1 && s.ticks == 3);
    for (int i = 0; i < s.bounces && i < 8; i++, t += 2 * (v *= 0.5) / 10)
        CHECK_NEAR(s.at[i], t, 1e-6);
    // who does not allow early return sees the events of communication points
    CHECK(at_points.bounces == 0 && at_points.ticks == 3);
    CHECK(none.bounces == 0 && none.ticks == 0);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK(system(command) == 0);
}

#else

TEST(events_are_seen)
{
    printf("  no units are exported in this build\n");
}

#endif

TEST_MAIN(TEST_ENTRY(events_are_seen))
