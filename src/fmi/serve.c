/// Requests, where the unit's functions are called: in the child, or in this process.
#include "fmi/serve.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 1000 };

bool foi_unit_wrong(foi_unit *unit, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(unit->block->text, sizeof unit->block->text, format, list);
    va_end(list);
    unit->block->result = FOI_UNIT_WRONG;
    return false;
}

bool foi_unit_good(foi_unit *unit, int status)
{
    unit->block->calls++;
    if (status == FMI_OK || status == FMI_WARNING) return true;
    unit->block->fmi_status = status;
    if (status != FMI_DISCARD) unit->initialised = false; // it may be freed, not terminated
    if (status == FMI_FATAL) unit->corrupt = true;
    unit->block->result = status == FMI_DISCARD ? FOI_UNIT_DISCARDED : FOI_UNIT_FAILED;
    return false;
}

// The latest message that is no report of success is what an error is explained with.
static void note(foi_unit *unit, int status, const char *text)
{
    if (status <= FMI_OK || !text) return;
    snprintf(unit->block->text, sizeof unit->block->text, "%s", text);
    for (char *c = unit->block->text; *c; c++)
        if ((unsigned char)*c < 32) *c = ' ';
}

static void log_2(void *environment, const char *instance, int status, const char *category,
                  const char *message, ...)
{
    char text[512];
    va_list list;
    (void)instance, (void)category;
    va_start(list, message);
    vsnprintf(text, sizeof text, message ? message : "", list);
    va_end(list);
    if (environment) note(environment, status, text);
}

static void log_3(void *environment, int status, const char *category, const char *message)
{
    (void)category;
    if (environment) note(environment, status, message);
}

// -----------------------------------------------------------------------------------------
// instances

// Clocks are asked after each tick, and partitions are run one after the other.
static void clock_update(void *environment)
{
    (void)environment;
}

static void no_lock(void)
{
}

static void instantiate(foi_unit *unit)
{
    const foi_fmu_description *d = &unit->about;
    const char *name = d->name, *token = d->token, *resources = unit->resources;
    if (d->version == 2) {
        unit->callbacks = (fmi2_callbacks){log_2, calloc, free, NULL, unit};
        foi_unit_tell(unit, "fmi2Instantiate");
        unit->instance = unit->f2.Instantiate(name, unit->cosimulation, token, resources,
                                              &unit->callbacks, 0, 0);
    } else if (unit->scheduled) {
        foi_unit_tell(unit, "fmi3InstantiateScheduledExecution");
        unit->instance = unit->f3.InstantiateScheduledExecution(
            name, token, resources, false, false, unit, log_3, clock_update, no_lock, no_lock);
    } else if (unit->cosimulation) {
        foi_unit_tell(unit, "fmi3InstantiateCoSimulation");
        unit->instance =
            unit->f3.InstantiateCoSimulation(name, token, resources, false, false, unit->event_mode,
                                             unit->event_mode, NULL, 0, unit, log_3, NULL);
    } else {
        foi_unit_tell(unit, "fmi3InstantiateModelExchange");
        unit->instance =
            unit->f3.InstantiateModelExchange(name, token, resources, false, false, unit, log_3);
    }
}

static bool free_state(foi_unit *unit, fmi_state state)
{
    return unit->about.version == 2 ? FOI_CALL2(unit, FreeFMUstate, (unit->instance, &state))
                                    : FOI_CALL3(unit, FreeFMUState, (unit->instance, &state));
}

bool foi_unit_finish(foi_unit *unit)
{
    bool good = true;
    if (!unit->instance) return true;
    if (unit->corrupt) {
        unit->instance = NULL;
        return true;
    }
    bool v2 = unit->about.version == 2;
    if (unit->kept) good = free_state(unit, unit->kept);
    unit->kept = NULL;
    bool ends = unit->initialised;
    if (ends)
        good = v2 ? FOI_CALL2(unit, Terminate, (unit->instance))
                  : FOI_CALL3(unit, Terminate, (unit->instance));
    foi_unit_tell(unit, v2 ? "fmi2FreeInstance" : "fmi3FreeInstance");
    if (v2)
        unit->f2.FreeInstance(unit->instance);
    else
        unit->f3.FreeInstance(unit->instance);
    if (ends && !good)
        foi_unit_tell(unit, v2 ? "fmi2Terminate" : "fmi3Terminate"); // what has failed
    unit->instance = NULL;
    unit->initialised = false;
    return good;
}

static bool enter(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    if (unit->about.version == 2)
        return FOI_CALL2(unit, SetupExperiment,
                         (unit->instance, b->tolerance_defined, b->tolerance, b->t, b->stop_defined,
                          b->stop)) &&
               FOI_CALL2(unit, EnterInitializationMode, (unit->instance));
    return FOI_CALL3(
        unit, EnterInitializationMode,
        (unit->instance, b->tolerance_defined, b->tolerance, b->t, b->stop_defined, b->stop));
}

static bool leave(foi_unit *unit)
{
    return unit->about.version == 2 ? FOI_CALL2(unit, ExitInitializationMode, (unit->instance))
                                    : FOI_CALL3(unit, ExitInitializationMode, (unit->instance));
}

// The states are read again only where there are some.
static bool read_states(foi_unit *unit)
{
    uint32_t n = unit->x.values;
    if (!n) return true;
    return unit->about.version == 2
               ? FOI_CALL2(unit, GetContinuousStates, (unit->instance, unit->tx, n))
               : FOI_CALL3(unit, GetContinuousStates, (unit->instance, unit->tx, n));
}

// On which side of zero the indicators are when continuous time begins: that is what the unit
// holds.
static bool read_indicators(foi_unit *unit)
{
    uint32_t z = unit->about.indicators;
    if (!z) return true;
    return unit->about.version == 2
               ? FOI_CALL2(unit, GetEventIndicators, (unit->instance, unit->guards, z))
               : FOI_CALL3(unit, GetEventIndicators, (unit->instance, unit->guards, z));
}

static bool check_indicators(foi_unit *unit)
{
    size_t count;
    if (unit->about.version == 2 || !unit->f3.GetNumberOfEventIndicators) return true;
    if (!FOI_CALL3(unit, GetNumberOfEventIndicators, (unit->instance, &count))) return false;
    if (count == unit->about.indicators) return true;
    return foi_unit_wrong(unit, "it has %zu event indicators, and its description says %u", count,
                          unit->about.indicators);
}

// A new instance in initialisation mode.
// Co-simulation: real outputs that are to begin at other values than the description has. Those
// that the unit computes cannot.
static bool set_starts(foi_unit *unit)
{
    const foi_unit_list *y = &unit->y;
    bool given = unit->block->starts;
    unit->block->starts = false;
    for (uint32_t i = 0; i < y->reals && given; i++) {
        const foi_unit_slot *s = &y->slots[i];
        bool differs = false;
        for (uint32_t k = 0; k < s->size; k++) {
            double start = 0;
            foi_fmu_number(s->variable->start, k, &start);
            differs |= unit->ty[s->first + k] != start;
        }
        if (!differs) continue;
        if (!s->variable->start || s->variable->calculated)
            return foi_unit_wrong(unit, "'%s' cannot be started at %g: the FMU computes it",
                                  s->variable->name, unit->ty[s->first]);
        if (!foi_unit_set_slot(unit, s, unit->ty + s->first)) return false;
    }
    return true;
}

static bool begin(foi_unit *unit)
{
    foi_unit_finish(unit);
    unit->block->result = FOI_UNIT_GOOD;
    unit->placed = false;
    if (unit->corrupt)
        return foi_unit_wrong(
            unit, "a function of it has returned fmi%dFatal: it cannot be started again",
            unit->about.version);
    instantiate(unit);
    if (!unit->instance) {
        char said[200];
        snprintf(said, sizeof said, "%.199s", unit->block->text);
        return foi_unit_wrong(unit, "%s returned NULL%s%s", foi_unit_call(unit).name,
                              said[0] ? ": " : "", said);
    }
    return foi_unit_set_texts(unit) && foi_unit_set(unit, &unit->p, 0, unit->tp, unit->known_p) &&
           foi_unit_set(unit, &unit->x, 0, unit->tx, unit->known_x) && set_starts(unit) &&
           foi_unit_set(unit, &unit->u, 0, unit->tu, unit->known_u) && enter(unit);
}

static bool end_initialisation(foi_unit *unit)
{
    unit->initialised = leave(unit);
    if (!unit->initialised || unit->scheduled) return unit->initialised;
    if (unit->cosimulation) return !unit->event_mode || foi_unit_iterate(unit);
    if (!check_indicators(unit) || !foi_unit_iterate(unit)) return false;
    return read_states(unit) && (unit->block->terminate || read_indicators(unit));
}

bool foi_unit_start(foi_unit *unit)
{
    return begin(unit) && end_initialisation(unit);
}

// ------------------------------------------------------------------------------------ continuous
// time

bool foi_unit_place(foi_unit *unit)
{
    uint32_t n = unit->x.values;
    double t = unit->block->t;
    bool v2 = unit->about.version == 2;
    if (!foi_unit_set_inputs(unit)) return unit->placed = false;
    if (!unit->placed || t != unit->at)
        if (!(v2 ? FOI_CALL2(unit, SetTime, (unit->instance, t))
                 : FOI_CALL3(unit, SetTime, (unit->instance, t))))
            return unit->placed = false;
    unit->at = t;
    if (n && (!unit->placed || memcmp(unit->tx, unit->placed_x, n * sizeof(double)) != 0)) {
        if (!(v2 ? FOI_CALL2(unit, SetContinuousStates, (unit->instance, unit->tx, n))
                 : FOI_CALL3(unit, SetContinuousStates, (unit->instance, unit->tx, n))))
            return unit->placed = false;
        memcpy(unit->placed_x, unit->tx, n * sizeof(double));
    }
    return unit->placed = true;
}

static bool evaluate(foi_unit *unit)
{
    uint32_t n = unit->x.values, z = unit->about.indicators, mask = unit->block->mask;
    bool v2 = unit->about.version == 2;
    if (!foi_unit_place(unit)) return false;
    if (n && (mask & FOI_UNIT_RATES))
        if (!(v2 ? FOI_CALL2(unit, GetDerivatives, (unit->instance, unit->rates, n))
                 : FOI_CALL3(unit, GetContinuousStateDerivatives,
                             (unit->instance, unit->rates, n))))
            return false;
    if (z && (mask & FOI_UNIT_GUARDS))
        if (!(v2 ? FOI_CALL2(unit, GetEventIndicators, (unit->instance, unit->guards, z))
                 : FOI_CALL3(unit, GetEventIndicators, (unit->instance, unit->guards, z))))
            return false;
    return !(mask & FOI_UNIT_OUTPUTS) || foi_unit_get(unit, &unit->y, unit->ty);
}

static bool jacobian(foi_unit *unit)
{
    uint32_t n = unit->x.values;
    double *seed = unit->work, *column = unit->jacobian;
    if (!foi_unit_place(unit)) return false;
    for (uint32_t i = 0; i < unit->x.count; i++) {
        const foi_unit_slot *s = &unit->x.slots[i];
        for (uint32_t k = 0; k < s->size; k++, column += n) {
            for (uint32_t j = 0; j < s->size; j++) seed[j] = j == k;
            bool good = unit->about.version == 2
                            ? FOI_CALL2(unit, GetDirectionalDerivative,
                                        (unit->instance, unit->dx.references, unit->dx.count,
                                         &s->reference, 1, seed, column))
                            : FOI_CALL3(unit, GetDirectionalDerivative,
                                        (unit->instance, unit->dx.references, unit->dx.count,
                                         &s->reference, 1, seed, s->size, column, n));
            if (!good) return false;
        }
    }
    return true;
}

// -------------------------------------------------------------------------------------------
// events

static bool update(foi_unit *unit, bool *again)
{
    foi_unit_block *b = unit->block;
    if (unit->about.version == 2) {
        fmi2_event_info info = {0};
        if (!FOI_CALL2(unit, NewDiscreteStates, (unit->instance, &info))) return false;
        *again = info.need_update;
        b->terminate |= info.terminate != 0;
        b->values_changed |= info.values_changed != 0;
        b->next_defined = info.next_defined, b->next = info.next;
        return true;
    }
    bool terminate = false, nominals = false, values = false, defined = false;
    double next = 0;
    *again = false;
    if (!FOI_CALL3(unit, UpdateDiscreteStates,
                   (unit->instance, again, &terminate, &nominals, &values, &defined, &next)))
        return false;
    b->terminate |= terminate, b->values_changed |= values;
    b->next_defined = defined, b->next = next;
    return true;
}

bool foi_unit_iterate(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    bool again = true;
    b->terminate = b->values_changed = b->next_defined = false;
    for (int i = 0; again && !b->terminate; i++) {
        if (i == MOST_ITERATIONS)
            return foi_unit_wrong(unit, "its event iteration does not end at t = %.17g: %d updates",
                                  b->t, MOST_ITERATIONS);
        if (!update(unit, &again)) return false;
    }
    if (b->next_defined && isnan(b->next))
        return foi_unit_wrong(unit, "its next event time is not a number");
    if (b->terminate) return true;
    if (unit->cosimulation) return FOI_CALL3(unit, EnterStepMode, (unit->instance));
    return unit->about.version == 2 ? FOI_CALL2(unit, EnterContinuousTimeMode, (unit->instance))
                                    : FOI_CALL3(unit, EnterContinuousTimeMode, (unit->instance));
}

static bool event(foi_unit *unit)
{
    if (!foi_unit_place(unit)) return false;
    unit->placed = false;
    bool good = unit->about.version == 2 ? FOI_CALL2(unit, EnterEventMode, (unit->instance))
                                         : FOI_CALL3(unit, EnterEventMode, (unit->instance));
    good = good && foi_unit_set(unit, &unit->u, unit->u.reals, unit->tu, unit->known_u) &&
           foi_unit_set(unit, &unit->p, 0, unit->tp, unit->known_p) && foi_unit_iterate(unit);
    return good && (unit->block->terminate || (read_states(unit) && read_indicators(unit)));
}

static bool completed(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    if (!foi_unit_place(unit)) return false;
    bool good;
    if (unit->about.version == 2) {
        int wanted = 0, terminate = 0;
        good = FOI_CALL2(unit, CompletedIntegratorStep,
                         (unit->instance, !unit->state, &wanted, &terminate));
        b->event_wanted = wanted, b->terminate = terminate;
    } else {
        bool wanted = false, terminate = false;
        good = FOI_CALL3(unit, CompletedIntegratorStep,
                         (unit->instance, !unit->state, &wanted, &terminate));
        b->event_wanted = wanted, b->terminate = terminate;
    }
    return good;
}

// --------------------------------------------------------------------------------------------
// states

static bool serialise(foi_unit *unit, fmi_state state)
{
    foi_unit_block *b = unit->block;
    bool v2 = unit->about.version == 2;
    if (!(v2 ? FOI_CALL2(unit, SerializedFMUstateSize, (unit->instance, state, &b->state_size))
             : FOI_CALL3(unit, SerializedFMUStateSize, (unit->instance, state, &b->state_size))))
        return false;
    if (b->state_size > b->state_room) return true; // it is not kept, and the size says so
    return v2 ? FOI_CALL2(unit, SerializeFMUstate,
                          (unit->instance, state, (char *)unit->state, b->state_size))
              : FOI_CALL3(unit, SerializeFMUState,
                          (unit->instance, state, unit->state, b->state_size));
}

bool foi_unit_save(foi_unit *unit)
{
    fmi_state state = NULL;
    if (!(unit->about.version == 2 ? FOI_CALL2(unit, GetFMUstate, (unit->instance, &state))
                                   : FOI_CALL3(unit, GetFMUState, (unit->instance, &state))))
        return false;
    bool good = serialise(unit, state);
    return good && free_state(unit, state);
}

bool foi_unit_restore(foi_unit *unit)
{
    fmi_state state = NULL;
    size_t size = unit->block->state_size;
    bool v2 = unit->about.version == 2;
    unit->placed = false;
    if (!(v2 ? FOI_CALL2(unit, DeSerializeFMUstate,
                         (unit->instance, (const char *)unit->state, size, &state))
             : FOI_CALL3(unit, DeserializeFMUState, (unit->instance, unit->state, size, &state))))
        return false;
    bool good = v2 ? FOI_CALL2(unit, SetFMUstate, (unit->instance, state))
                   : FOI_CALL3(unit, SetFMUState, (unit->instance, state));
    // what the unit has now is what the state had, not what was set last
    for (uint32_t i = 0; i < unit->u.real_values; i++) unit->known_u[i] = NAN;
    return good && free_state(unit, state);
}

// In its own memory: no bytes, and cheap enough for every step of a master.
static bool keep(foi_unit *unit)
{
    bool v2 = unit->about.version == 2;
    if (v2 ? !unit->f2.GetFMUstate : !unit->f3.GetFMUState)
        return foi_unit_wrong(unit, "its binary has no function for saving its state");
    return v2 ? FOI_CALL2(unit, GetFMUstate, (unit->instance, &unit->kept))
              : FOI_CALL3(unit, GetFMUState, (unit->instance, &unit->kept));
}

static bool go_back(foi_unit *unit)
{
    bool v2 = unit->about.version == 2;
    if (!unit->kept) return foi_unit_wrong(unit, "no state of it was saved");
    // inputs are not known then: not a number differs from whatever is set
    for (uint32_t i = 0; i < unit->u.values; i++) unit->known_u[i] = NAN;
    return v2 ? FOI_CALL2(unit, SetFMUstate, (unit->instance, unit->kept))
              : FOI_CALL3(unit, SetFMUState, (unit->instance, unit->kept));
}

// --------------------------------------------------------------------------------------
// co-simulation

// Where a unit says that a step from t to `to` has ended. It may count time in another way, so that
// it is not there to the last bits.
static bool take_reached(foi_unit *unit, double t, double to, double *last)
{
    double slack = 1e-9 * (to - t) + 0x1p-48 * fmax(fabs(t), fabs(to));
    if (!(*last >= t - slack && *last <= to + slack))
        return foi_unit_wrong(
            unit, "%s says that it reached t = %.17g, beyond the step from %.17g to %.17g",
            foi_unit_call(unit).name, *last, t, to);
    *last = fmin(fmax(*last, t), to);
    return true;
}

static bool do_step_2(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    foi_unit_tell(unit, "fmi2DoStep");
    int status = unit->f2.DoStep(unit->instance, b->t, b->h, !unit->state), terminated = 0;
    b->reached = b->t + b->h;
    if (status != FMI_DISCARD) return foi_unit_good(unit, status);
    if (unit->f2.GetBooleanStatus)
        if (!FOI_CALL2(unit, GetBooleanStatus, (unit->instance, FMI2_TERMINATED, &terminated)))
            return false;
    if (!terminated)
        return foi_unit_wrong(unit, "fmi2DoStep returned fmi2Discard at t = %.17g", b->t);
    b->terminate = true;
    if (!unit->f2.GetRealStatus) return true;
    return FOI_CALL2(unit, GetRealStatus, (unit->instance, FMI2_LAST_SUCCESSFUL, &b->reached)) &&
           take_reached(unit, b->t, b->t + b->h, &b->reached);
}

// An event inside of a step, with discrete inputs that have changed.
static bool step_event(foi_unit *unit, double t)
{
    unit->block->t = t; // for messages
    return FOI_CALL3(unit, EnterEventMode, (unit->instance)) &&
           foi_unit_set(unit, &unit->u, unit->u.reals, unit->tu, unit->known_u) &&
           foi_unit_iterate(unit);
}

// How far the next call goes: to the end, or to the time event that the unit has said.
static double target_of(const foi_unit *unit, double t, double end)
{
    const foi_unit_block *b = unit->block;
    bool before = unit->event_mode && b->next_defined && b->next > t && b->next < end;
    return before ? b->next : end;
}

// With event mode a step is taken in pieces: to where the unit returns early, or to its next time
// event, and events are handled there.
static bool do_step_3(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    double begin = b->t, end = b->t + b->h, t = b->t;
    for (int i = 0; !b->terminate && t < end; i++) {
        double to = target_of(unit, t, end), last = to;
        bool event = false, early = false, terminate = false;
        if (i == MOST_ITERATIONS)
            return foi_unit_wrong(unit,
                                  "fmi3DoStep returned early %d times in one step at t = %.17g",
                                  MOST_ITERATIONS, t);
        if (!FOI_CALL3(unit, DoStep,
                       (unit->instance, t, i || to != end ? to - t : b->h, !unit->state, &event,
                        &terminate, &early, &last)))
            return false;
        b->terminate = terminate;
        if (early && !(last > t) && !event && !terminate)
            return foi_unit_wrong(unit, "fmi3DoStep does not advance at t = %.17g", t);
        if ((early || terminate) && !take_reached(unit, t, to, &last)) return false;
        t = early || terminate ? last : to;
        bool due = event || (b->next_defined && b->next <= t);
        if (unit->event_mode && due && !terminate && !step_event(unit, t)) return false;
    }
    b->t = begin;
    b->reached = t;
    return true;
}

static bool discretes_changed(const foi_unit *unit)
{
    for (uint32_t i = unit->u.real_values; i < unit->u.values; i++)
        if (!(unit->tu[i] == unit->known_u[i])) return true;
    return false;
}

bool foi_unit_step(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    b->terminate = false;
    // in step mode discrete inputs of a unit with event mode cannot be set
    if (unit->event_mode && b->h > 0 && discretes_changed(unit) && !step_event(unit, b->t))
        return false;
    if (!foi_unit_set_inputs(unit) ||
        !foi_unit_set(unit, &unit->u, unit->u.reals, unit->tu, unit->known_u) ||
        !foi_unit_set(unit, &unit->p, 0, unit->tp, unit->known_p))
        return false;
    if (b->h > 0 && !(unit->about.version == 2 ? do_step_2(unit) : do_step_3(unit))) return false;
    return foi_unit_get(unit, &unit->y, unit->ty);
}

// ------------------------------------------------------------------------------------------ the
// door

void foi_unit_serve(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    b->text[0] = 0;
    b->fmi_status = FMI_OK;
    b->saved = false;
    if (!unit->instance && b->what > FOI_UNIT_START && b->what < FOI_UNIT_END &&
        b->what != FOI_UNIT_ENTER) {
        foi_unit_wrong(unit, "it was not initialized");
        return;
    }
    switch (b->what) {
    case FOI_UNIT_LOAD: foi_unit_load(unit); break;
    case FOI_UNIT_START: foi_unit_start(unit); break;
    case FOI_UNIT_EVALUATE: evaluate(unit); break;
    case FOI_UNIT_EVENT: event(unit); break;
    case FOI_UNIT_COMPLETED: completed(unit); break;
    case FOI_UNIT_SAVE: foi_unit_save(unit); break;
    case FOI_UNIT_RESTORE: foi_unit_restore(unit); break;
    case FOI_UNIT_JACOBIAN: jacobian(unit); break;
    case FOI_UNIT_STEP: foi_unit_step(unit); break;
    case FOI_UNIT_ENTER: begin(unit); break;
    case FOI_UNIT_EXIT: end_initialisation(unit); break;
    case FOI_UNIT_KEEP: keep(unit); break;
    case FOI_UNIT_BACK: go_back(unit); break;
    case FOI_UNIT_LOOK: foi_unit_look(unit); break;
    case FOI_UNIT_TICK: foi_unit_tick(unit); break;
    case FOI_UNIT_TEXT: foi_unit_get_text(unit); break;
    case FOI_UNIT_END: foi_unit_finish(unit); break;
    case FOI_UNIT_NOTHING: break;
    }
    if (b->save && b->result == FOI_UNIT_GOOD && !b->terminate) b->saved = foi_unit_save(unit);
}
