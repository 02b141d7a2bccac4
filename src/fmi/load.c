/// The functions of a binary, found by their names.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "fmi/serve.h"

enum {
    EVERY = 1,
    EXCHANGE = 2,
    STEPPED = 4,
    STATES = 8,
    DIRECTIONAL = 16,
    SCHEDULED = 32,
    EVENTS = 64, ///< Co-Simulation with event mode
};

typedef struct symbol {
    const char *name;
    size_t place;
    int when; ///< it must be there
} symbol;

#define TWO(name, when)                                    \
    {                                                      \
        "fmi2" #name, offsetof(fmi2_functions, name), when \
    }
#define THREE(name, when)                                  \
    {                                                      \
        "fmi3" #name, offsetof(fmi3_functions, name), when \
    }
#define GET(name, type)                                         \
    {                                                           \
        "fmi3Get" #name, offsetof(fmi3_functions, Get[type]), 0 \
    }
#define SET(name, type)                                         \
    {                                                           \
        "fmi3Set" #name, offsetof(fmi3_functions, Set[type]), 0 \
    }

static const symbol two[] = {TWO(GetVersion, EVERY),
                             TWO(Instantiate, EVERY),
                             TWO(FreeInstance, EVERY),
                             TWO(SetupExperiment, EVERY),
                             TWO(EnterInitializationMode, EVERY),
                             TWO(ExitInitializationMode, EVERY),
                             TWO(Terminate, EVERY),
                             TWO(GetReal, EVERY),
                             TWO(GetInteger, EVERY),
                             TWO(GetBoolean, EVERY),
                             TWO(SetReal, EVERY),
                             TWO(SetInteger, EVERY),
                             TWO(SetBoolean, EVERY),
                             TWO(GetFMUstate, STATES),
                             TWO(SetFMUstate, STATES),
                             TWO(FreeFMUstate, STATES),
                             TWO(SerializedFMUstateSize, STATES),
                             TWO(SerializeFMUstate, STATES),
                             TWO(DeSerializeFMUstate, STATES),
                             TWO(GetDirectionalDerivative, DIRECTIONAL),
                             TWO(EnterEventMode, EXCHANGE),
                             TWO(NewDiscreteStates, EXCHANGE),
                             TWO(EnterContinuousTimeMode, EXCHANGE),
                             TWO(CompletedIntegratorStep, EXCHANGE),
                             TWO(SetTime, EXCHANGE),
                             TWO(SetContinuousStates, EXCHANGE),
                             TWO(GetDerivatives, EXCHANGE),
                             TWO(GetEventIndicators, EXCHANGE),
                             TWO(GetContinuousStates, EXCHANGE),
                             TWO(DoStep, STEPPED),
                             TWO(GetRealStatus, 0),
                             TWO(GetBooleanStatus, 0),
                             TWO(GetString, 0),
                             TWO(SetString, 0)};

static const symbol three[] = {THREE(GetVersion, EVERY),
                               THREE(InstantiateModelExchange, EXCHANGE),
                               THREE(InstantiateCoSimulation, STEPPED),
                               THREE(FreeInstance, EVERY),
                               THREE(EnterInitializationMode, EVERY),
                               THREE(ExitInitializationMode, EVERY),
                               THREE(Terminate, EVERY),
                               GET(Float64, FOI_FMU_FLOAT64),
                               GET(Float32, FOI_FMU_FLOAT32),
                               GET(Int8, FOI_FMU_INT8),
                               GET(UInt8, FOI_FMU_UINT8),
                               GET(Int16, FOI_FMU_INT16),
                               GET(UInt16, FOI_FMU_UINT16),
                               GET(Int32, FOI_FMU_INT32),
                               GET(UInt32, FOI_FMU_UINT32),
                               GET(Int64, FOI_FMU_INT64),
                               GET(UInt64, FOI_FMU_UINT64),
                               GET(Boolean, FOI_FMU_BOOLEAN),
                               SET(Float64, FOI_FMU_FLOAT64),
                               SET(Float32, FOI_FMU_FLOAT32),
                               SET(Int8, FOI_FMU_INT8),
                               SET(UInt8, FOI_FMU_UINT8),
                               SET(Int16, FOI_FMU_INT16),
                               SET(UInt16, FOI_FMU_UINT16),
                               SET(Int32, FOI_FMU_INT32),
                               SET(UInt32, FOI_FMU_UINT32),
                               SET(Int64, FOI_FMU_INT64),
                               SET(UInt64, FOI_FMU_UINT64),
                               SET(Boolean, FOI_FMU_BOOLEAN),
                               THREE(GetFMUState, STATES),
                               THREE(SetFMUState, STATES),
                               THREE(FreeFMUState, STATES),
                               THREE(SerializedFMUStateSize, STATES),
                               THREE(SerializeFMUState, STATES),
                               THREE(DeserializeFMUState, STATES),
                               THREE(GetDirectionalDerivative, DIRECTIONAL),
                               THREE(EnterEventMode, EXCHANGE | EVENTS),
                               THREE(UpdateDiscreteStates, EXCHANGE | EVENTS),
                               THREE(EnterContinuousTimeMode, EXCHANGE),
                               THREE(CompletedIntegratorStep, EXCHANGE),
                               THREE(SetTime, EXCHANGE),
                               THREE(SetContinuousStates, EXCHANGE),
                               THREE(GetContinuousStateDerivatives, EXCHANGE),
                               THREE(GetEventIndicators, EXCHANGE),
                               THREE(GetContinuousStates, EXCHANGE),
                               THREE(GetNumberOfEventIndicators, 0),
                               THREE(DoStep, STEPPED),
                               THREE(EnterStepMode, EVENTS),
                               THREE(GetString, 0),
                               THREE(SetString, 0),
                               THREE(GetBinary, 0),
                               THREE(SetBinary, 0),
                               THREE(InstantiateScheduledExecution, SCHEDULED),
                               THREE(ActivateModelPartition, SCHEDULED),
                               THREE(GetIntervalDecimal, 0)};

static int needs(const foi_unit *unit)
{
    int type = unit->scheduled ? SCHEDULED : unit->cosimulation ? STEPPED : EXCHANGE;
    return EVERY | type | (unit->state ? STATES : 0) | (unit->jacobian ? DIRECTIONAL : 0) |
           (unit->event_mode ? EVENTS : 0);
}

// Which types of variables need a getter or setter.
static bool missing_access(const foi_unit *unit, const char **what)
{
    static const char *const names[] = {"Float64", "Float32", "Int8",  "UInt8",  "Int16",  "UInt16",
                                        "Int32",   "UInt32",  "Int64", "UInt64", "Boolean"};
    const foi_unit_list *lists[] = {&unit->u, &unit->p, &unit->y, &unit->x};
    for (int l = 0; l < 4; l++)
        for (uint32_t i = 0; i < lists[l]->count; i++) {
            foi_fmu_type type = lists[l]->slots[i].type;
            if (type > FOI_FMU_BOOLEAN) continue;
            *what = names[type];
            if (!unit->f3.Get[type] || !unit->f3.Set[type]) return true;
        }
    return false;
}

bool foi_unit_load(foi_unit *unit)
{
    bool v2 = unit->about.version == 2;
    const symbol *list = v2 ? two : three;
    size_t count = v2 ? sizeof two / sizeof two[0] : sizeof three / sizeof three[0];
    char *to = v2 ? (char *)&unit->f2 : (char *)&unit->f3;
    const char *type;
    foi_unit_tell(unit, "dlopen");
    unit->library = dlopen(unit->binary, RTLD_NOW | RTLD_LOCAL);
    if (!unit->library) return foi_unit_wrong(unit, "cannot load its binary: %s", dlerror());
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(unit->library, list[i].name);
        if (!found && (list[i].when & needs(unit)))
            return foi_unit_wrong(unit, "its binary has no function %s", list[i].name);
        memcpy(to + list[i].place, &found, sizeof found);
    }
    if (!v2 && missing_access(unit, &type))
        return foi_unit_wrong(unit, "its binary has no function fmi3Get%s or fmi3Set%s", type,
                              type);
    foi_unit_tell(unit, v2 ? "fmi2GetVersion" : "fmi3GetVersion");
    const char *version = v2 ? unit->f2.GetVersion() : unit->f3.GetVersion();
    if (!version || version[0] != '0' + unit->about.version)
        return foi_unit_wrong(unit, "its binary is of FMI version %s, its description of %d.0",
                              version ? version : "NULL", unit->about.version);
    return true;
}
