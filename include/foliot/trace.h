/// Traces: who did what, and when.
///
/// A world of processes and a diagram of entities can tell every act of every process or entity
/// while they run. Nothing is kept: each act is handed to a function, which writes it to a file
/// (fo_moment_csv_trace, or `foliot run MODEL --events FILE`), counts it, or forgets it. Where
/// nobody asks, nothing is computed.
///
/// What processes do (fo_act.action), with the place and the amount that belong to it:
///
///     activate, reactivate   it is put into the event list; amount: in how much time
///     begin, end             its actions begin, and are over
///     hold                   amount: for how long
///     passivate, cancel      it waits until someone activates it
///     interrupt              someone (by) wakes it
///     wait                   it joins the line of a resource or gate, a queue (which has no name),
///                            or begins to wait for a state event
///     seize, release         of a resource; amount
///     preempt                someone (by) takes a resource away from it; amount
///     wait to put, put       into a store (amount 1) or container
///     wait to get, get
///     pass                   a gate
///     open, shut, signal     it (or nobody: who is "") does so with a gate
///     met                    the state event that it waited for has come
///     balk                   it does not join a line that is too long
///     renege                 its patience is at an end: it leaves the line
///     leave                  it leaves the line because someone interrupted, activated or
///                            cancelled it
///
/// What entities do, each called by the source that made it and its number there:
///
///     create                 at its source
///     lose                   the next node does not take it: it is gone
///     enter, leave           at a queue (leave: amount is the time that it waited) and at a server
///                            (enter: amount is the time that its service will take)
///     end                    at a sink; amount: the time since it was created
///
/// The order of the acts is that in which they happen; times do not fall. (A live run that goes
/// back begins anew at an earlier time.)
#ifndef FOLIOT_TRACE_H
#define FOLIOT_TRACE_H

#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One act. The texts are valid during the call only.
typedef struct fo_act {
    double t;           ///< when
    const char *who;    ///< the process's name; an entity's source; "": nobody
    uint64_t number;    ///< of the process in its world, or of the entity at its source, from 1
    const char *what;   ///< the resource, store, container, gate or node; "": none
    const char *action; ///< of the list above
    double amount;      ///< NaN: there is none
    const char *by;     ///< the process that caused it, where that is another one; "" otherwise
    uint64_t by_number;
    int priority; ///< the process's own; of one that waits in a line that of its place there
} fo_act;

/// Whose acts a model can tell.
typedef enum fo_acts {
    FO_ACTS_NONE = 0,
    FO_ACTS_PROCESSES, ///< of a world
    FO_ACTS_ENTITIES,  ///< of a diagram
} fo_acts;

/// Who hears of acts.
typedef struct fo_trace {
    void *self;
    /// An error ends the run, and `why` says it.
    fo_status (*act)(void *self, const fo_act *act, fo_message *why);
} fo_trace;

#ifdef __cplusplus
}
#endif
#endif
