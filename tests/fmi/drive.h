/// Drives the binary of exported units by its functions, in this process, so that sanitizers see
/// what it does: both versions and types, states as bytes in other instances, references that do
/// not exist, event mode, directional derivatives.
#ifndef TEST_FMI_DRIVE_H
#define TEST_FMI_DRIVE_H

#include <dlfcn.h>
#include <foliot/foliot.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmi/calls.h"
#include "fmi/references.h"
#include "test.h"

static fmi3_functions f3;
static fmi2_functions f2;
static int (*count_states)(fmi_instance, size_t *);
static char drive_folder[200];

static inline bool drive_load(const char *binary)
{
    void *library = dlopen(binary, RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("  %s\n", dlerror());
    if (!library) return false;
#define TAKE2(name) (*(void **)&f2.name = dlsym(library, "fmi2" #name))
#define TAKE3(name) (*(void **)&f3.name = dlsym(library, "fmi3" #name))
    *(void **)&f3.Get[0] = dlsym(library, "fmi3GetFloat64");
    *(void **)&f3.Set[0] = dlsym(library, "fmi3SetFloat64");
    *(void **)&count_states = dlsym(library, "fmi3GetNumberOfContinuousStates");
    return f3.Get[0] && f3.Set[0] && count_states && TAKE3(InstantiateCoSimulation) &&
           TAKE3(InstantiateModelExchange) && TAKE3(FreeInstance) &&
           TAKE3(EnterInitializationMode) && TAKE3(ExitInitializationMode) && TAKE3(DoStep) &&
           TAKE3(EnterEventMode) && TAKE3(EnterStepMode) && TAKE3(UpdateDiscreteStates) &&
           TAKE3(GetFMUState) && TAKE3(SetFMUState) && TAKE3(FreeFMUState) && TAKE3(Terminate) &&
           TAKE3(SerializedFMUStateSize) && TAKE3(SerializeFMUState) &&
           TAKE3(DeserializeFMUState) && TAKE3(GetDirectionalDerivative) &&
           TAKE3(EnterContinuousTimeMode) && TAKE3(CompletedIntegratorStep) && TAKE3(SetTime) &&
           TAKE3(SetContinuousStates) && TAKE3(GetContinuousStateDerivatives) &&
           TAKE3(GetContinuousStates) && TAKE3(GetEventIndicators) &&
           TAKE3(GetNumberOfEventIndicators) && TAKE2(Instantiate) && TAKE2(FreeInstance) &&
           TAKE2(SetupExperiment) && TAKE2(EnterInitializationMode) &&
           TAKE2(ExitInitializationMode) && TAKE2(DoStep) && TAKE2(GetReal) && TAKE2(Terminate) &&
           TAKE2(GetRealStatus) && TAKE2(GetFMUstate) && TAKE2(SetFMUstate) && TAKE2(FreeFMUstate);
}

static inline void drive_hear(void *self, int status, const char *category, const char *text)
{
    (void)self, (void)status, (void)category, (void)text;
}

static inline void drive_hear_2(void *self, const char *name, int status, const char *category,
                                const char *text, ...)
{
    (void)self, (void)name, (void)status, (void)category, (void)text;
}

static inline fmi_instance drive_begin(bool cosimulation, bool event_mode)
{
    char resources[220];
    snprintf(resources, sizeof resources, "%s/", drive_folder);
    fmi_instance u = cosimulation ? f3.InstantiateCoSimulation("unit", "token", resources, false,
                                                               false, event_mode, event_mode, NULL,
                                                               0, NULL, drive_hear, NULL)
                                  : f3.InstantiateModelExchange("unit", "token", resources, false,
                                                                false, NULL, drive_hear);
    if (u && f3.EnterInitializationMode(u, false, 0, 0, false, 0) == FMI_OK &&
        f3.ExitInitializationMode(u) == FMI_OK)
        return u;
    if (u) f3.FreeInstance(u);
    return NULL;
}

enum { DRIVE_MOST = 64 };

// As REQUIRE, in functions that return something.
#define DRIVE_NEED(condition, otherwise) \
    do {                                 \
        bool there = condition;          \
        CHECK(there);                    \
        if (!there) return otherwise;    \
    } while (0)

// What there is of the values; references beyond the last one, and wild ones, are refused.
static inline size_t drive_look(fmi_instance u, double *values)
{
    static const uint32_t wild[] = {UINT32_MAX, 0x7fffffff, 0x00ffffff, 0x06ffffff, 0xff000000};
    size_t count = 0;
    double v;
    for (uint32_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        CHECK(f3.Get[0](u, &wild[i], 1, &v, 1) >= FMI_ERROR);
    for (foi_export_kind kind = FOI_EXPORT_STATE; kind <= FOI_EXPORT_PARAMETER; kind++)
        for (uint32_t i = 0; i < DRIVE_MOST / 4; i++) {
            fmi_reference r = foi_export_reference(kind, i);
            if (f3.Get[0](u, &r, 1, &v, 1) != FMI_OK) break;
            if (values && count < DRIVE_MOST) values[count] = v;
            count++;
        }
    return count < DRIVE_MOST ? count : DRIVE_MOST;
}

// The state of `from`, as bytes, in `to`.
static inline void drive_copy(fmi_instance from, fmi_instance to)
{
    fmi_state kept = NULL, copy = NULL;
    size_t size = 0;
    REQUIRE(f3.GetFMUState(from, &kept) == FMI_OK);
    REQUIRE(f3.SerializedFMUStateSize(from, kept, &size) == FMI_OK && size > 0);
    uint8_t *bytes = malloc(size);
    REQUIRE(bytes);
    CHECK(f3.SerializeFMUState(from, kept, bytes, size - 1) >= FMI_ERROR); // there is no room
    CHECK(f3.SerializeFMUState(from, kept, bytes, size) == FMI_OK);
    CHECK(f3.DeserializeFMUState(to, bytes, size / 2, &copy) >= FMI_ERROR && !copy);
    CHECK(f3.DeserializeFMUState(to, bytes, size, &copy) == FMI_OK);
    CHECK(f3.SetFMUState(to, copy) == FMI_OK);
    CHECK(f3.FreeFMUState(to, &copy) == FMI_OK && f3.FreeFMUState(from, &kept) == FMI_OK);
    free(bytes);
}

static inline void drive_same(fmi_instance a, fmi_instance b)
{
    double one[DRIVE_MOST] = {0}, two[DRIVE_MOST] = {0};
    size_t count = drive_look(a, one);
    CHECK(drive_look(b, two) == count && memcmp(one, two, sizeof one) == 0);
}

static inline bool drive_update(fmi_instance u, double *next)
{
    bool again = true, end = false, nominals = false, values = false, defined = false;
    for (int i = 0; again && !end && i < 100; i++)
        if (f3.UpdateDiscreteStates(u, &again, &end, &nominals, &values, &defined, next) != FMI_OK)
            return false;
    if (!defined) *next = INFINITY;
    return !end;
}

// One step, in pieces where events are; false: the unit has ended the run, or cannot go on.
static inline bool drive_step(fmi_instance u, double t, double h, bool event_mode)
{
    for (double end = t + h; t < end;) {
        bool event = false, stop = false, early = false;
        double last = t, next;
        if (f3.DoStep(u, t, end - t, false, &event, &stop, &early, &last) != FMI_OK || stop)
            return false;
        if (event && event_mode)
            if (f3.EnterEventMode(u) != FMI_OK || !drive_update(u, &next) ||
                f3.EnterStepMode(u) != FMI_OK)
                return false;
        if (last < t || (last == t && !event)) return false;
        t = last;
    }
    return true;
}

static inline int drive_cosimulation(double h, int steps, bool event_mode)
{
    double next;
    int k = 0;
    fmi_instance a = drive_begin(true, event_mode), b = a ? drive_begin(true, event_mode) : NULL;
    if (!a) return -1;
    DRIVE_NEED(b, -1);
    if (event_mode)
        for (int i = 0; i < 2; i++) {
            fmi_instance u = i ? b : a;
            DRIVE_NEED(drive_update(u, &next) && f3.EnterStepMode(u) == FMI_OK, -1);
        }
    for (; k < steps && drive_step(a, k * h, h, event_mode); k++) {
        if (k % 5) continue;
        drive_copy(a, b);
        drive_same(a, b);
        if (!drive_step(b, (k + 1) * h, h, event_mode)) continue;
        drive_copy(b, b);
    }
    f3.Terminate(a);
    f3.FreeInstance(a);
    f3.FreeInstance(b);
    return k;
}

static inline bool drive_event(fmi_instance u, double *x, size_t n, double *next)
{
    return f3.EnterEventMode(u) == FMI_OK && drive_update(u, next) &&
           f3.EnterContinuousTimeMode(u) == FMI_OK && f3.GetContinuousStates(u, x, n) == FMI_OK;
}

static inline void drive_derivatives(fmi_instance u, size_t n)
{
    for (size_t i = 0; i < n && i < 4; i++) {
        fmi_reference x = foi_export_reference(FOI_EXPORT_STATE, (uint32_t)i);
        fmi_reference dx = foi_export_reference(FOI_EXPORT_DERIVATIVE, (uint32_t)i);
        double seed = 1, slope;
        f3.GetDirectionalDerivative(u, &dx, 1, &x, 1, &seed, 1, &slope, 1);
    }
}

// Euler's steps, which need not be exact here, with events where an indicator changes its sign.
static inline int drive_exchange(double h, int steps)
{
    size_t n = 0, z = 0;
    double next = INFINITY;
    fmi_instance a = drive_begin(false, false), b = a ? drive_begin(false, false) : NULL;
    if (!a) return -1;
    DRIVE_NEED(b && count_states(a, &n) == FMI_OK && f3.GetNumberOfEventIndicators(a, &z) == FMI_OK,
               -1);
    double *x = calloc(2 * n + 2 * z + 1, sizeof *x), *dx = x + n, *g = dx + n, *was = g + z;
    DRIVE_NEED(x, -1);
    int k = 0;
    double t = 0;
    bool good = drive_update(a, &next) && f3.EnterContinuousTimeMode(a) == FMI_OK &&
                drive_update(b, &next) && f3.EnterContinuousTimeMode(b) == FMI_OK &&
                f3.GetContinuousStates(a, x, n) == FMI_OK;
    for (; k < steps && good; k++) {
        bool crossed = false, wanted = false, end = false;
        double to = fmin(t + h, fmax(next, t));
        good = f3.GetContinuousStateDerivatives(a, dx, n) == FMI_OK &&
               f3.GetEventIndicators(a, was, z) == FMI_OK;
        for (size_t i = 0; i < n; i++) x[i] += (to - t) * dx[i];
        t = to;
        good = good && f3.SetTime(a, t) == FMI_OK && f3.SetContinuousStates(a, x, n) == FMI_OK &&
               f3.GetEventIndicators(a, g, z) == FMI_OK &&
               f3.CompletedIntegratorStep(a, false, &wanted, &end) == FMI_OK && !end;
        for (size_t i = 0; i < z; i++) crossed |= (was[i] > 0) != (g[i] > 0);
        if (good && k % 5 == 0) {
            drive_derivatives(a, n);
            drive_copy(a, b);
            drive_same(a, b);
        }
        if (good && (crossed || wanted || t >= next)) good = drive_event(a, x, n, &next);
    }
    f3.Terminate(a);
    f3.FreeInstance(a);
    f3.FreeInstance(b);
    free(x);
    return k;
}

static inline int drive_two(double h, int steps)
{
    char resources[260];
    fmi2_callbacks back = {drive_hear_2, calloc, free, NULL, NULL};
    snprintf(resources, sizeof resources, "file://%s", drive_folder);
    fmi_instance u = f2.Instantiate("unit", 1, "token", resources, &back, 0, 0);
    if (!u) return -1;
    int k = 0;
    if (f2.SetupExperiment(u, 0, 0, 0, 0, 0) == FMI_OK && f2.EnterInitializationMode(u) == FMI_OK &&
        f2.ExitInitializationMode(u) == FMI_OK)
        for (; k < steps && f2.DoStep(u, k * h, h, 0) == FMI_OK; k++) {
            fmi_state kept = NULL;
            if (k % 5) continue;
            CHECK(f2.GetFMUstate(u, &kept) == FMI_OK && f2.SetFMUstate(u, kept) == FMI_OK);
            CHECK(f2.GetFMUstate(u, &kept) == FMI_OK); // in the place of the one before
            CHECK(f2.FreeFMUstate(u, &kept) == FMI_OK);
        }
    f2.Terminate(u);
    f2.FreeInstance(u);
    return k;
}

/// The document in a folder as that of a unit's resources; drive_clear takes the folder away.
static inline bool drive_place(const char *path)
{
    char command[900], card[300];
    const char *name = strrchr(path, '/') + 1;
    snprintf(drive_folder, sizeof drive_folder, "/tmp/foliot-test-drive-XXXXXX");
    DRIVE_NEED(mkdtemp(drive_folder), false);
    snprintf(card, sizeof card, "token\n%s\n\n", name);
    snprintf(command, sizeof command, "cp '%s' '%s/'", path, drive_folder);
    DRIVE_NEED(write_file(drive_folder, "foliot.txt", card) && system(command) == 0, false);
    return true;
}

static inline void drive_clear(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", drive_folder);
    CHECK(system(command) == 0);
}

/// All of it with one document, in steps of h; false: it is none that can be a unit.
static inline bool drive_document(const char *path, double h, int steps)
{
    const char *name = strrchr(path, '/') + 1;
    DRIVE_NEED(drive_place(path), false);
    int plain = drive_cosimulation(h, steps, false), events = drive_cosimulation(h, steps, true);
    int two = drive_two(h, steps), exchange = drive_exchange(h / 10, steps);
    printf("  %s: %d, %d, %d steps; %d of Model Exchange\n", name, plain, events, two, exchange);
    drive_clear();
    return plain > 0 && two > 0;
}

#endif
