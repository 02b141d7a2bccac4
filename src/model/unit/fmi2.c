/// The functions of FMI 2.0 that an exported unit shows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/unit/fmi2.h"

enum { DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED };

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

int fmi2SetDebugLogging(unit *u, int on, size_t count, const char *const *categories)
{
    (void)u, (void)on, (void)count, (void)categories;
    return FMI_OK;
}

// "file:///tmp/a%20b/resources", "file:/tmp/..."
static void path_of(const char *uri, char *path, size_t size)
{
    size_t n = 0;
    if (strncmp(uri, "file:", 5) == 0) uri += 5;
    if (strncmp(uri, "///", 3) == 0) uri += 2;
    if (strncmp(uri, "//localhost/", 12) == 0) uri += 11;
    for (; *uri && n + 1 < size; uri++) {
        unsigned code;
        if (*uri == '%' && sscanf(uri + 1, "%2x", &code) == 1)
            path[n++] = (char)code, uri += 2;
        else
            path[n++] = *uri;
    }
    path[n] = 0;
}

unit *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                      const fmi2_callbacks *callbacks, int visible, int logging)
{
    char path[1000] = "";
    unit def = {.version = 2, .cosimulation = type == 1, .stop = INFINITY};
    (void)visible, (void)logging;
    if (callbacks) def.callbacks = *callbacks, def.environment = callbacks->environment;
    snprintf(def.name, sizeof def.name, "%s", name ? name : "");
    path_of(resources ? resources : "", path, sizeof path);
    return unit_create(&def, path, guid);
}

void fmi2FreeInstance(unit *u)
{
    unit_destroy(u);
}

int fmi2SetupExperiment(unit *u, int tolerance_defined, double tolerance, double start,
                        int stop_defined, double stop)
{
    u->start = start, u->stop = stop_defined ? stop : INFINITY;
    u->tolerance = tolerance_defined ? tolerance : 0;
    u->store.s.t = start;
    return FMI_OK;
}

int fmi2EnterInitializationMode(unit *u)
{
    u->mode = UNIT_INITIALISING, u->foreseen = false;
    return FMI_OK;
}

int fmi2ExitInitializationMode(unit *u)
{
    int status = unit_initialise(u);
    u->mode = u->cosimulation && !u->event_mode ? UNIT_STEPPING : UNIT_EVENT;
    u->begun = false;
    return status;
}

int fmi2Terminate(unit *u)
{
    u->mode = UNIT_ENDED;
    return FMI_OK;
}

int fmi2Reset(unit *u)
{
    fo_simulation_destroy(u->sim);
    u->sim = NULL;
    u->mode = UNIT_INSTANTIATED, u->terminated = u->pending = u->happened = false;
    u->changes++;
    memset(u->store.s.memory, 0, u->store.size);
    foi_state_defaults(u->system, &u->store.s);
    return FMI_OK;
}

// -------------------------------------------------------------------------------------------
// values

int fmi2GetReal(unit *u, const uint32_t *r, size_t n, double *values)
{
    int status = FMI_OK;
    for (size_t i = 0; i < n && status == FMI_OK; i++)
        status = unit_get(u, FO_REAL, r[i], &values[i]);
    return status;
}

int fmi2GetInteger(unit *u, const uint32_t *r, size_t n, int *values)
{
    int status = FMI_OK;
    double v = 0;
    for (size_t i = 0; i < n && status == FMI_OK; i++) {
        status = unit_get(u, FO_INTEGER, r[i], &v);
        values[i] = (int)v;
    }
    return status;
}

int fmi2GetBoolean(unit *u, const uint32_t *r, size_t n, int *values)
{
    int status = FMI_OK;
    double v = 0;
    for (size_t i = 0; i < n && status == FMI_OK; i++) {
        status = unit_get(u, FO_BOOLEAN, r[i], &v);
        values[i] = v != 0;
    }
    return status;
}

int fmi2GetString(unit *u, const uint32_t *r, size_t n, const char **values)
{
    (void)r, (void)values;
    return n ? unit_complain(u, FMI_ERROR, "there are no strings") : FMI_OK;
}

int fmi2SetReal(unit *u, const uint32_t *r, size_t n, const double *values)
{
    int status = FMI_OK;
    for (size_t i = 0; i < n && status == FMI_OK; i++)
        status = unit_set(u, FO_REAL, r[i], values[i]);
    return status;
}

int fmi2SetInteger(unit *u, const uint32_t *r, size_t n, const int *values)
{
    int status = FMI_OK;
    for (size_t i = 0; i < n && status == FMI_OK; i++)
        status = unit_set(u, FO_INTEGER, r[i], values[i]);
    return status;
}

int fmi2SetBoolean(unit *u, const uint32_t *r, size_t n, const int *values)
{
    int status = FMI_OK;
    for (size_t i = 0; i < n && status == FMI_OK; i++)
        status = unit_set(u, FO_BOOLEAN, r[i], values[i] != 0);
    return status;
}

int fmi2SetString(unit *u, const uint32_t *r, size_t n, const char *const *values)
{
    (void)r, (void)values;
    return n ? unit_complain(u, FMI_ERROR, "there are no strings") : FMI_OK;
}

// -------------------------------------------------------------------------------------------
// states

int fmi2GetFMUstate(unit *u, void **state)
{
    if (*state) unit_drop(u, *state);
    *state = NULL;
    return unit_keep(u, state);
}

int fmi2SetFMUstate(unit *u, void *state)
{
    return unit_go_back(u, state);
}

int fmi2FreeFMUstate(unit *u, void **state)
{
    if (*state) unit_drop(u, *state);
    *state = NULL;
    return FMI_OK;
}

int fmi2SerializedFMUstateSize(unit *u, void *state, size_t *size)
{
    return unit_state_size(u, state, size);
}

int fmi2SerializeFMUstate(unit *u, void *state, char *bytes, size_t size)
{
    return unit_write_state(u, state, bytes, size);
}

int fmi2DeSerializeFMUstate(unit *u, const char *bytes, size_t size, void **state)
{
    return unit_read_state(u, bytes, size, state);
}

int fmi2GetDirectionalDerivative(unit *u, const uint32_t *unknown, size_t unknowns,
                                 const uint32_t *known, size_t knowns, const double *seed,
                                 double *result)
{
    return unit_derivative(u, unknown, unknowns, known, knowns, seed, result);
}

// ----------------------------------------------------------------------------------- model
// exchange

int fmi2EnterEventMode(unit *u)
{
    u->mode = UNIT_EVENT;
    return FMI_OK;
}

int fmi2NewDiscreteStates(unit *u, fmi2_event_info *info)
{
    bool changed, first = !u->begun;
    int status = unit_events(u, first, &changed);
    u->begun = true;
    double next = unit_next(u);
    *info = (fmi2_event_info){.terminate = u->terminated,
                              .values_changed = changed,
                              .next_defined = isfinite(next),
                              .next = isfinite(next) ? next : 0};
    return status;
}

int fmi2EnterContinuousTimeMode(unit *u)
{
    u->mode = UNIT_CONTINUOUS;
    return FMI_OK;
}

int fmi2CompletedIntegratorStep(unit *u, int no_set_prior, int *event_mode, int *terminate)
{
    (void)no_set_prior;
    int status = unit_completed(u);
    *event_mode = unit_next(u) <= u->store.s.t;
    *terminate = u->terminated;
    return status;
}

int fmi2SetTime(unit *u, double t)
{
    u->store.s.t = t;
    return FMI_OK;
}

int fmi2SetContinuousStates(unit *u, const double *x, size_t n)
{
    if (n != u->shape.states) return unit_complain(u, FMI_ERROR, "another number of states");
    if (n) memcpy(u->store.s.x, x, n * sizeof *x);
    u->foreseen = false;
    return FMI_OK;
}

int fmi2GetDerivatives(unit *u, double *dx, size_t n)
{
    if (n != u->shape.states) return unit_complain(u, FMI_ERROR, "another number of states");
    int status = unit_rates(u);
    if (n && status == FMI_OK) memcpy(dx, u->rates, n * sizeof *dx);
    return status;
}

int fmi2GetEventIndicators(unit *u, double *z, size_t n)
{
    if (n != u->shape.guards + u->shape.conditions)
        return unit_complain(u, FMI_ERROR, "another number of indicators");
    return unit_indicators(u, z);
}

int fmi2GetContinuousStates(unit *u, double *x, size_t n)
{
    if (n != u->shape.states) return unit_complain(u, FMI_ERROR, "another number of states");
    const fo_state *s = u->mode == UNIT_INITIALISING ? unit_ahead(u) : &u->store.s;
    if (n) memcpy(x, s->x, n * sizeof *x);
    return FMI_OK;
}

int fmi2GetNominalsOfContinuousStates(unit *u, double *x, size_t n)
{
    (void)u;
    for (size_t i = 0; i < n; i++) x[i] = 1;
    return FMI_OK;
}

// ------------------------------------------------------------------------------------
// co-simulation

int fmi2DoStep(unit *u, double t, double h, int no_set_prior)
{
    bool stopped;
    (void)no_set_prior;
    if (!u->sim) return unit_complain(u, FMI_ERROR, "the unit was not initialised");
    int status = unit_step(u, t, h, &stopped, &u->reached);
    u->terminated |= stopped;
    return stopped ? FMI_DISCARD : status;
}

int fmi2CancelStep(unit *u)
{
    return unit_complain(u, FMI_ERROR, "a step cannot be cancelled");
}

int fmi2GetStatus(unit *u, int kind, int *value)
{
    (void)u, (void)kind;
    *value = FMI_OK;
    return FMI_OK;
}

int fmi2GetRealStatus(unit *u, int kind, double *value)
{
    *value = u->reached;
    return kind == LAST_SUCCESSFUL_TIME ? FMI_OK : FMI_DISCARD;
}

int fmi2GetIntegerStatus(unit *u, int kind, int *value)
{
    (void)u, (void)kind, (void)value;
    return FMI_DISCARD;
}

int fmi2GetBooleanStatus(unit *u, int kind, int *value)
{
    *value = u->terminated;
    return kind == TERMINATED ? FMI_OK : FMI_DISCARD;
}

int fmi2GetStringStatus(unit *u, int kind, const char **value)
{
    (void)u, (void)kind, (void)value;
    return FMI_DISCARD;
}

int fmi2SetRealInputDerivatives(unit *u, const uint32_t *r, size_t n, const int *order,
                                const double *values)
{
    (void)r, (void)n, (void)order, (void)values;
    return unit_complain(u, FMI_ERROR, "inputs are not interpolated");
}

int fmi2GetRealOutputDerivatives(unit *u, const uint32_t *r, size_t n, const int *order,
                                 double *values)
{
    (void)r, (void)n, (void)order, (void)values;
    return unit_complain(u, FMI_ERROR, "there are no derivatives of outputs");
}
