/// The functions of FMI 3.0 that an exported unit shows.
#include "model/unit/fmi3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/unit/fmi2.h"

const char *fmi3GetVersion(void)
{
    return "3.0";
}

int fmi3SetDebugLogging(unit *u, bool on, size_t count, const char *const *categories)
{
    (void)u, (void)on, (void)count, (void)categories;
    return FMI_OK;
}

static unit *create(unit def, const char *name, const char *token, const char *resources,
                    void *environment, fmi3_log *log)
{
    char path[1000];
    def.version = 3, def.stop = INFINITY;
    def.log = log, def.environment = environment;
    snprintf(def.name, sizeof def.name, "%s", name ? name : "");
    snprintf(path, sizeof path, "%s", resources ? resources : "");
    return unit_create(&def, path, token);
}

unit *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                   bool visible, bool logging, void *environment, fmi3_log *log)
{
    (void)visible, (void)logging;
    return create((unit){0}, name, token, resources, environment, log);
}

unit *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool visible, bool logging, bool event_mode, bool early_return,
                                  const uint32_t *required, size_t required_count,
                                  void *environment, fmi3_log *log, void *intermediate)
{
    (void)visible, (void)logging, (void)required, (void)required_count, (void)intermediate;
    unit def = {.cosimulation = true, .event_mode = event_mode, .early_return = early_return};
    return create(def, name, token, resources, environment, log);
}

unit *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources,
                                        bool visible, bool logging, void *environment,
                                        fmi3_log *log, void *update, void *lock, void *unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    (void)environment, (void)log, (void)update, (void)lock, (void)unlock;
    return NULL;
}

void fmi3FreeInstance(unit *u)
{
    unit_destroy(u);
}

int fmi3EnterInitializationMode(unit *u, bool tolerance_defined, double tolerance, double start,
                                bool stop_defined, double stop)
{
    fmi2SetupExperiment(u, tolerance_defined, tolerance, start, stop_defined, stop);
    return fmi2EnterInitializationMode(u);
}

int fmi3ExitInitializationMode(unit *u)
{
    return fmi2ExitInitializationMode(u);
}

int fmi3EnterEventMode(unit *u)
{
    return fmi2EnterEventMode(u);
}

int fmi3Terminate(unit *u)
{
    return fmi2Terminate(u);
}

int fmi3Reset(unit *u)
{
    return fmi2Reset(u);
}

// -------------------------------------------------------------------------------------------
// values

static int counted(unit *u, size_t references, size_t values)
{
    return references == values ? FMI_OK : unit_complain(u, FMI_ERROR, "another number of values");
}

int fmi3GetFloat64(unit *u, const uint32_t *r, size_t n, double *values, size_t count)
{
    int status = counted(u, n, count);
    return status == FMI_OK ? fmi2GetReal(u, r, n, values) : status;
}

int fmi3SetFloat64(unit *u, const uint32_t *r, size_t n, const double *values, size_t count)
{
    int status = counted(u, n, count);
    return status == FMI_OK ? fmi2SetReal(u, r, n, values) : status;
}

int fmi3GetInt32(unit *u, const uint32_t *r, size_t n, int *values, size_t count)
{
    int status = counted(u, n, count);
    return status == FMI_OK ? fmi2GetInteger(u, r, n, values) : status;
}

int fmi3SetInt32(unit *u, const uint32_t *r, size_t n, const int *values, size_t count)
{
    int status = counted(u, n, count);
    return status == FMI_OK ? fmi2SetInteger(u, r, n, values) : status;
}

int fmi3GetBoolean(unit *u, const uint32_t *r, size_t n, bool *values, size_t count)
{
    int status = counted(u, n, count);
    double v = 0;
    for (size_t i = 0; i < n && status == FMI_OK; i++) {
        status = unit_get(u, FO_BOOLEAN, r[i], &v);
        values[i] = v != 0;
    }
    return status;
}

int fmi3SetBoolean(unit *u, const uint32_t *r, size_t n, const bool *values, size_t count)
{
    int status = counted(u, n, count);
    for (size_t i = 0; i < n && status == FMI_OK; i++)
        status = unit_set(u, FO_BOOLEAN, r[i], values[i]);
    return status;
}

// Types that no variable of ours has, and what else there is not.
static int none(unit *u, size_t n)
{
    return n ? unit_complain(u, FMI_ERROR, "there are no variables of that type") : FMI_OK;
}

#define NONE(TYPE)                                                                            \
    int fmi3Get##TYPE(unit *u, const uint32_t *r, size_t n, void *values, size_t count)       \
    {                                                                                         \
        (void)r, (void)values, (void)count;                                                   \
        return none(u, n);                                                                    \
    }                                                                                         \
    int fmi3Set##TYPE(unit *u, const uint32_t *r, size_t n, const void *values, size_t count) \
    {                                                                                         \
        (void)r, (void)values, (void)count;                                                   \
        return none(u, n);                                                                    \
    }
NONE(Float32)
NONE(Int8)
NONE(UInt8)
NONE(Int16)
NONE(UInt16)
NONE(UInt32)
NONE(Int64)
NONE(UInt64)
NONE(String)

int fmi3GetBinary(unit *u, const uint32_t *r, size_t n, size_t *sizes, void *values, size_t count)
{
    (void)r, (void)sizes, (void)values, (void)count;
    return none(u, n);
}

int fmi3SetBinary(unit *u, const uint32_t *r, size_t n, const size_t *sizes, const void *values,
                  size_t count)
{
    (void)r, (void)sizes, (void)values, (void)count;
    return none(u, n);
}

#define ABSENT(NAME)                                                        \
    int fmi3##NAME(unit *u)                                                 \
    {                                                                       \
        return unit_complain(u, FMI_ERROR, "fmi3" #NAME " is not offered"); \
    }
ABSENT(GetClock)
ABSENT(SetClock)
ABSENT(GetNumberOfVariableDependencies)
ABSENT(GetVariableDependencies)
ABSENT(GetAdjointDerivative)
ABSENT(EnterConfigurationMode)
ABSENT(ExitConfigurationMode)
ABSENT(GetIntervalDecimal)
ABSENT(GetIntervalFraction)
ABSENT(GetShiftDecimal)
ABSENT(GetShiftFraction)
ABSENT(SetIntervalDecimal)
ABSENT(SetIntervalFraction)
ABSENT(SetShiftDecimal)
ABSENT(SetShiftFraction)
ABSENT(EvaluateDiscreteStates)
ABSENT(GetOutputDerivatives)
ABSENT(ActivateModelPartition)

int fmi3GetDirectionalDerivative(unit *u, const uint32_t *unknown, size_t unknowns,
                                 const uint32_t *known, size_t knowns, const double *seed,
                                 size_t seeds, double *result, size_t results)
{
    if (seeds != knowns || results != unknowns)
        return unit_complain(u, FMI_ERROR, "another number of values");
    return unit_derivative(u, unknown, unknowns, known, knowns, seed, result);
}

// -------------------------------------------------------------------------------------------
// states

int fmi3GetFMUState(unit *u, void **state)
{
    return fmi2GetFMUstate(u, state);
}

int fmi3SetFMUState(unit *u, void *state)
{
    return fmi2SetFMUstate(u, state);
}

int fmi3FreeFMUState(unit *u, void **state)
{
    return fmi2FreeFMUstate(u, state);
}

int fmi3SerializedFMUStateSize(unit *u, void *state, size_t *size)
{
    return fmi2SerializedFMUstateSize(u, state, size);
}

int fmi3SerializeFMUState(unit *u, void *state, uint8_t *bytes, size_t size)
{
    return fmi2SerializeFMUstate(u, state, (char *)bytes, size);
}

int fmi3DeserializeFMUState(unit *u, const uint8_t *bytes, size_t size, void **state)
{
    return fmi2DeSerializeFMUstate(u, (const char *)bytes, size, state);
}

// ----------------------------------------------------------------------------------- model
// exchange

// Co-Simulation has handled the event itself: from now on that is shown.
static int update_run(unit *u, fmi2_event_info *info)
{
    double next = u->sim ? unit_next(u) : INFINITY;
    *info = (fmi2_event_info){.terminate = u->terminated,
                              .values_changed = unit_take_event(u),
                              .next_defined = isfinite(next),
                              .next = isfinite(next) ? next : 0};
    return u->sim ? FMI_OK : unit_complain(u, FMI_ERROR, "the unit was not initialised");
}

int fmi3EnterStepMode(unit *u)
{
    u->mode = UNIT_STEPPING;
    return FMI_OK;
}

int fmi3UpdateDiscreteStates(unit *u, bool *again, bool *terminate, bool *nominals, bool *values,
                             bool *next_defined, double *next)
{
    fmi2_event_info info;
    int status = u->cosimulation ? update_run(u, &info) : fmi2NewDiscreteStates(u, &info);
    *again = *nominals = false;
    *terminate = info.terminate, *values = info.values_changed;
    *next_defined = info.next_defined, *next = info.next;
    return status;
}

int fmi3EnterContinuousTimeMode(unit *u)
{
    return fmi2EnterContinuousTimeMode(u);
}

int fmi3CompletedIntegratorStep(unit *u, bool no_set_prior, bool *event_mode, bool *terminate)
{
    int wanted, end, status = fmi2CompletedIntegratorStep(u, no_set_prior, &wanted, &end);
    *event_mode = wanted, *terminate = end;
    return status;
}

int fmi3SetTime(unit *u, double t)
{
    return fmi2SetTime(u, t);
}

int fmi3SetContinuousStates(unit *u, const double *x, size_t n)
{
    return fmi2SetContinuousStates(u, x, n);
}

int fmi3GetContinuousStateDerivatives(unit *u, double *dx, size_t n)
{
    return fmi2GetDerivatives(u, dx, n);
}

int fmi3GetEventIndicators(unit *u, double *z, size_t n)
{
    return fmi2GetEventIndicators(u, z, n);
}

int fmi3GetContinuousStates(unit *u, double *x, size_t n)
{
    return fmi2GetContinuousStates(u, x, n);
}

int fmi3GetNominalsOfContinuousStates(unit *u, double *x, size_t n)
{
    return fmi2GetNominalsOfContinuousStates(u, x, n);
}

int fmi3GetNumberOfEventIndicators(unit *u, size_t *count)
{
    *count = u->shape.guards + u->shape.conditions;
    return FMI_OK;
}

int fmi3GetNumberOfContinuousStates(unit *u, size_t *count)
{
    *count = u->shape.states;
    return FMI_OK;
}

// ------------------------------------------------------------------------------------
// co-simulation

int fmi3DoStep(unit *u, double t, double h, bool no_set_prior, bool *event, bool *terminate,
               bool *early, double *last)
{
    int status = fmi2DoStep(u, t, h, no_set_prior);
    *event = u->pending;
    *early = u->early_return && u->reached < t + h;
    *terminate = u->terminated;
    *last = u->reached;
    return status == FMI_DISCARD && u->terminated ? FMI_OK : status;
}
