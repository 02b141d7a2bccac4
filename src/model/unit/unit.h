/// An instance of an exported unit: a model of this library behind the functions of FMI 2 and 3.
///
/// The binary holds the library, and the model's document lies in the unit's resources. Model
/// Exchange works on a state of its own, of which the importer moves time and states. Co-Simulation
/// is an ordinary simulation, so that it gives the bits of a direct run.
#ifndef UNIT_H
#define UNIT_H

#include <foliot/model.h>

#include "fmi/calls.h"
#include "fmi/references.h"
#include "system/state.h"

typedef enum unit_mode {
    UNIT_INSTANTIATED,
    UNIT_INITIALISING,
    UNIT_EVENT,
    UNIT_CONTINUOUS,
    UNIT_STEPPING,
    UNIT_ENDED,
} unit_mode;

typedef struct unit {
    int version;
    bool cosimulation;
    unit_mode mode;
    char name[200], token[80];
    fo_model *model;
    fo_system system;
    fo_shape shape;
    fo_host host;
    foi_state_store store; ///< values before the start; Model Exchange: always
    /// In initialisation mode: what the start makes of `store`, for those who look; `foreseen`: it
    /// is that of the present values.
    foi_state_store ahead;
    bool foreseen;
    double *rates, *guards, *outputs;
    double *rest;           ///< per guard: up to here it rests; 0: it does not
    bool *conditions, *was; ///< conditions at the last event
    int8_t *signs;          ///< of guards there
    uint8_t *held;
    fo_crossing *with; ///< the guards that pass zero at this instant
    uint32_t with_count;
    bool set; ///< something was set from outside since the last event
    fo_simulation *sim;
    double start, stop, tolerance;
    bool terminated, asked; ///< asked: a jump wants to be called again
    bool begun;             ///< the first events were handled
    double reached;         ///< co-simulation: the last step's end
    uint64_t changes;       ///< co-simulation: of the simulation, so far
    /// Co-simulation with event mode: events end a step, and until the importer has handled one
    /// the values are those before it, which are in `store`.
    bool event_mode, early_return, happened, pending;
    fo_observer observer;
    fo_message why;
    void *environment;
    fmi2_callbacks callbacks; ///< version 2
    fmi3_log *log;            ///< version 3
} unit;

/// `resources` is a folder. NULL with a message to the log.
unit *unit_create(const unit *def, const char *resources, const char *token);
void unit_destroy(unit *u);
/// Says what has failed to the importer's log; returns an FMI status.
int unit_complain(unit *u, int status, const char *what);

int unit_initialise(unit *u);
/// In initialisation mode: the values that the start makes of what is set so far.
const fo_state *unit_ahead(unit *u);

/// Numbers by reference. `want`: which type the importer asks for.
int unit_get(unit *u, fo_value_type want, uint32_t reference, double *value);
int unit_set(unit *u, fo_value_type want, uint32_t reference, double value);

/// Model Exchange. Events: everything that is due, until nothing is; `first`: at the start.
int unit_events(unit *u, bool first, bool *changed);
int unit_rates(unit *u);
int unit_indicators(unit *u, double *z);
/// The next event in time; INFINITY: none.
double unit_next(unit *u);
int unit_completed(unit *u);
/// Derivatives of rates, states, outputs and indicators along a direction of states, inputs and
/// time: see fo_system_type.tangent.
int unit_derivative(unit *u, const uint32_t *unknown, size_t unknowns, const uint32_t *known,
                    size_t knowns, const double *seed, double *result);
/// Co-Simulation.
int unit_step(unit *u, double t, double h, bool *stopped, double *reached);
/// In event mode: what has happened is shown from now on. Returns whether anything has.
bool unit_take_event(unit *u);

/// Which variable a reference is; false: none.
bool unit_find(const unit *u, uint32_t reference, foi_export_kind *kind, uint32_t *index);

/// A simulation of the experiment, not started; NULL: the unit's message says why.
fo_simulation *unit_make_simulation(unit *u);

/// States of the unit, kept in memory, and as bytes (states.c).
int unit_keep(unit *u, void **state);
int unit_go_back(unit *u, void *state);
void unit_drop(unit *u, void *state);
int unit_state_size(unit *u, void *state, size_t *size);
int unit_write_state(unit *u, void *state, void *bytes, size_t size);
int unit_read_state(unit *u, const void *bytes, size_t size, void **state);

#endif
