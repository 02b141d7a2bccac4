/// State machines between the equations that write them down (machine.c) and the clocked equations
/// that they become (machine_flow.c).
#ifndef FOI_MACHINE_H
#define FOI_MACHINE_H

#include "language/clock.h"

/// What an instance and all that is in it have given to the model, from .. to.
typedef struct foi_machine_span {
    const foi_instance *instance;
    struct foi_machine_mark {
        uint32_t equations, asserts, whens, algorithms;
    } from, to;
} foi_machine_span;

/// A state: an instance. Its numbers count from 0 among all states, `number` from 1 in its machine.
typedef struct foi_machine_state {
    const foi_instance *instance;
    foi_place place; ///< where it is first named
    bool initial;
    uint32_t machine, number;
    uint32_t above; ///< the state that it lies in; FOI_NO_STATE: none
    const foi_machine_span *span;
    foi_flat_variable *active;   ///< activeState(...)
    foi_flat_variable **outputs; ///< declared `outer output` in it
    uint32_t output_count;
    foi_flat_variable *reset, *awaiting; ///< it begins anew at this tick; it will when it is next
                                         ///< active. Made when they are needed
} foi_machine_state;

typedef struct foi_machine_transition {
    uint32_t from, to; ///< states
    const foi_flat_expr *condition;
    bool immediate, reset, synchronize;
    uint32_t priority;
    foi_place place;
} foi_machine_transition;

/// States that transitions join.
typedef struct foi_machine {
    uint32_t above; ///< the state that it lies in; FOI_NO_STATE: none
    uint32_t first; ///< its initial state
    uint32_t state_count;
    foi_machine_transition **transitions; ///< the first of two that can fire does
    uint32_t transition_count;
    foi_flat_variable *at;      ///< the number of the active state
    foi_flat_variable *fired;   ///< 1 + the transition that brought it there at this tick; 0: none
    foi_flat_variable *delayed; ///< 1 + the one that fires at the next tick; NULL: it has none
    foi_flat_variable *entered; ///< a state is entered at this tick; when it is needed
    foi_flat_variable *ticks;   ///< of the active state, when it is needed
    foi_flat_variable *since;   ///< when that was entered, when it is needed
} foi_machine;

static const uint32_t FOI_NO_STATE = UINT32_MAX;

typedef struct foi_machines {
    foi_session *s;
    foi_flat *f;
    foi_machine_span *spans;
    uint32_t span_count;
    foi_machine_state *states;
    uint32_t state_count;
    foi_machine_transition *transitions;
    uint32_t transition_count;
    foi_machine *list;
    uint32_t count;
    struct foi_machine_asked {
        const foi_instance *instance;
        foi_flat_variable *variable;
        foi_place place;
    } * asked; ///< activeState(instance)
    uint32_t asked_count;

    // see machine_part.c
    uint32_t variables;         ///< of the text
    uint32_t *owner;            ///< of each: the innermost state that it is declared in
    foi_flat_variable **stands; ///< of each: the one that it is another name of, or NULL
    uint32_t equations;         ///< of the text
    uint32_t *home;             ///< of each: the innermost state that it is written in
    uint32_t *solves;           ///< of each: 1 + the variable that it is for; 0: none
    uint32_t *by;               ///< of each variable: 1 + the equation that is for it
    bool *gone;                 ///< of each equation
    struct foi_machine_giving {
        foi_flat_variable *v;
        uint32_t state;
        const foi_flat_expr *value;
        uint32_t equation;
        foi_place place;
    } * givings; ///< what states give to variables around
    uint32_t giving_count;
} foi_machines;

/// The state that an instance is; FOI_NO_STATE: none.
uint32_t foi_machine_state_of(const foi_machines *m, const foi_instance *instance);
/// The innermost state that an instance is or lies in; FOI_NO_STATE: none.
uint32_t foi_machine_around(const foi_machines *m, const foi_instance *instance);
/// A variable for activeState(instance), whether that is a state or not. NULL: no memory.
foi_flat_variable *foi_machine_active(foi_session *s, const foi_instance *instance,
                                      foi_place place);
/// A clocked variable of a machine.
foi_flat_variable *foi_machine_variable(foi_session *s, foi_place place, const char *what,
                                        const char *name, foi_flat_type type,
                                        const foi_flat_expr *start);
// machine_part.c

/// Is the state `inner`, or one around it, `state`?
bool foi_machine_lies_in(const foi_machines *w, uint32_t inner, uint32_t state);
/// The variable that one is another name of.
foi_flat_variable *foi_machine_meant(const foi_machines *w, foi_flat_variable *v);
/// The innermost state that a variable is declared in.
uint32_t foi_machine_owner(const foi_machines *w, const foi_flat_variable *v);
/// What lies between the two belongs to the state, or to one in it.
void foi_machine_settle(const foi_machines *w, uint32_t *home, uint32_t from, uint32_t to,
                        uint32_t state);
/// Is it one that was written, not one of a connection?
static inline bool foi_machine_is_written(const foi_machines *w, uint32_t equation)
{
    return equation < w->spans[0].to.equations;
}
/// Finds the variables of all states.
bool foi_machine_own(foi_machines *w);
/// Several outputs of states that are connected to one input: they become one.
bool foi_machine_connect(foi_machines *w);
/// Finds the equations of all states, and what each is for.
bool foi_machine_solve(foi_machines *w);

// machine_flow.c

/// Makes clocked equations of them.
bool foi_machine_flow(foi_machines *w);

#endif
