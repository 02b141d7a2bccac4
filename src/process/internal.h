/// What a world is made of; shared by the files of this room.
#ifndef FOI_PROCESS_H
#define FOI_PROCESS_H

#include <foliot/process.h>
#include <math.h>
#include <stdarg.h>

#include "base/array.h"
#include "base/memory.h"
#include "process/coroutine.h"

// ------------------------------------------------------------------------------------ event list

/// An entry of the event list. It is void when its order is not that of its process any more: so
/// nobody has to know where in the heap a process is.
typedef struct foi_event {
    double t;
    uint64_t order;
    _Alignas(16) fo_process *p; ///< so that an entry has 32 bytes also where pointers have four
    int32_t priority;
} foi_event;

enum { FOI_ORDER_GAP = 1 << 20 }; ///< between the orders of two events: room for before and after

/// A 4-ary heap, the first event on top. The four below an entry fill two lines of the cache.
typedef struct foi_events {
    foi_event *heap;
    void *block; ///< what the heap lies in
    size_t count, room;
    size_t stale; ///< how many entries are void
    uint64_t first, last;
} foi_events;

// ------------------------------------------------------------------------------------- processes

/// What a process does, or waits for.
typedef enum foi_phase_of_life {
    FOI_NEW_BORN,
    FOI_ACTIVE,  ///< runs, or is in the event list to go on
    FOI_HOLDING, ///< in the event list: holds
    FOI_PASSIVE,
    FOI_IN_QUEUE, ///< passive, in a queue
    FOI_IN_LINE,  ///< waits for a resource or the like
    FOI_UNTIL,    ///< waits for a condition
    FOI_CROSSING, ///< waits for a guard
    FOI_ENDED,
} foi_phase_of_life;

/// Processes that wait for the same thing, by priority, then first come first served.
typedef struct foi_line {
    fo_process *first, *last;
    size_t count;
    const char *kind, *name;  ///< "resource", "dock"
    const char *waits, *gets; ///< for traces: "wait", "seize"
    /* what it was like so far */
    double area, changed; ///< under its length until it changed last
    uint64_t served;      ///< have got what they waited for
    double waits_sum, longest;
} foi_line;

/// A place in a line.
typedef struct foi_place {
    foi_line *line;
    fo_process *pred, *suc;
    int priority;
    double amount, since; ///< since: when it joined the line
    bool granted;         ///< it has got what it waited for, whatever else woke it
    void *item;           ///< stores: where it goes or comes from
    bool (*filter)(const void *item, void *self);
    void *filter_self;
} foi_place;

/// A state event that is waited for.
typedef struct foi_sentry {
    fo_condition *condition;
    fo_expression *expression;
    const fo_level *level; ///< when there is no expression
    double value;
    void *self;
    fo_direction direction;
    fo_state_event how;
    uint64_t order;
    size_t index;   ///< among those of its kind
    double before;  ///< the guard's value before the events of this time
    double zero_at; ///< when it was told to the engine at zero; leaving that is no crossing
    bool turns;     ///< but here it is: it flowed to zero from the side to which it may go back
    size_t armed;   ///< 1 + its index for the engine; 0: the engine does not know it
    /* of what has come true and is waited for again at once (behind.c) */
    double since, woken_at; ///< when it began to wait, and when that came true
    double came;            ///< how fast the guard came to zero, upward positive; 0: not known
    double depth;           ///< less than this beyond zero is nothing
    bool again;             ///< it has just come true and is waited for once more
    bool hops;              ///< and the events then have turned it round
    double behind;          ///< it was turned round: farther beyond zero than this it may not be
} foi_sentry;

struct fo_process {
    /* what an event needs: one line of the cache */
    foi_coroutine co;
    const uint64_t *canary; ///< what frames destroy that reach the end of the stack
    uintptr_t limit;        ///< frames below are too many
    uint64_t order;         ///< of its event; 0: not in the event list
    double t;               ///< and when that is
    uint32_t before, after; ///< orders that are free beside its own
    int32_t priority;
    uint8_t phase;
    uint8_t wake;
    bool forget, begun;

    foi_stack *stack; ///< NULL: not begun, or ended
    uint32_t number;
    fo_world *world;
    fo_actions *actions;
    void *self;
    const char *name;
    size_t stack_size;
    void *reason;
    double remaining;
    fo_link link;
    foi_place place;
    struct foi_holding *holdings; ///< what it has of resources
    foi_sentry *sentry;           ///< made when it first waits for a state event
    fo_process *pred, *suc;       ///< all of the world; when forgotten, suc: the spare ones
};

/// Processes are made many at a time, and each begins on a line of the cache.
typedef struct foi_process_slab {
    struct foi_process_slab *next;
} foi_process_slab;

// ----------------------------------------------------------------------------------------- world

/// Something that is freed with the world: the head of resources, stores and so on.
typedef struct foi_owned {
    struct foi_owned *next;
    void (*destroy)(struct foi_owned *owned, const fo_allocator *a);
} foi_owned;

/// Pointers in an array that grows.
#define FOI_LIST(type)      \
    struct {                \
        type **at;          \
        size_t count, room; \
    }

/// A message that waits to be written by the root: a process's stack may be too small for printf.
typedef struct foi_complaint {
    const char *format;
    va_list arguments;
} foi_complaint;

typedef struct foi_trace foi_trace;

struct fo_world {
    double now;
    double began; ///< when the run did
    double stop;  ///< where the run ends: reports that are meant for it come there
    double until; ///< events up to here may happen without coming back to the root
    fo_process *current;
    foi_events events;
    uint64_t happened;
    foi_coroutine root; ///< who called
    fo_process *chosen; ///< to be begun by the root
    fo_process *ended;  ///< to be buried by the root
    foi_complaint *complaint;
    foi_trace *trace;      ///< NULL: nobody wants to know
    bool trace_full;       ///< the root is to read it
    fo_process *overflown; ///< its stack is used up
    double instant;        ///< of the last event
    uint64_t enough;       ///< so many events when all that may happen at this instant has happened
    fo_process *restless;  ///< who wanted one more
    foi_stacks stacks;
    void *handler_stack; ///< of the handler of faults; NULL: not needed so far
    bool running;        ///< mistakes end the run
    bool advancing;      ///< inside of fo_world_run
    bool stopping;
    fo_accuracy accuracy; ///< what processes have asked for since the engine was told last
    bool accuracy_asked;

    fo_process *processes, *spare, *main;
    foi_process_slab *slabs;
    size_t slab_room; ///< of the last one
    uint32_t numbers;
    foi_owned *owned;
    struct foi_holding *spare_holdings;

    FOI_LIST(fo_level) levels; ///< the active ones; level i is at[i]
    FOI_LIST(fo_continuous) continuous;
    FOI_LIST(fo_reporter) reporters;
    FOI_LIST(fo_process) crossings, untils; ///< those who wait for a guard, for a condition
    FOI_LIST(fo_process) due;               ///< those for whom it has come true
    uint64_t serial;                        ///< of continuous processes and state events

    /* what the engine was told last */
    bool reshape;   ///< it is not so any more
    double begun;   ///< when the step began that is under way, or was the last
    double settled; ///< when that ended or an event was since; INFINITY: it is under way
    FOI_LIST(fo_level) posed;
    FOI_LIST(fo_process) armed_crossings, armed_untils;
    double *guard_values;
    bool *condition_values;
    size_t guard_room, condition_room;
    fo_guard *abouts;
    size_t about_room;
    fo_variable *names;
    size_t name_room;

    fo_world_def def;
    const fo_allocator *allocator;
    fo_message message;
    fo_status status; ///< of the run; an error ends it
    fo_description about;
    fo_variable *outputs, *parameters;
    const double **output_values;
    double **parameter_values;
    size_t output_room, output_value_room, parameter_room, parameter_value_room;
    fo_simulation *sim;
    double *dense; ///< x at a report
    size_t dense_room;
};

/// Adds a pointer to one of the lists; false when memory is lacking.
#define FOI_LIST_ADD(w, list, pointer)                                                             \
    (foi_array_room((w)->allocator, &(list).at, &(list).room, (list).count + 1, sizeof *(list).at) \
         ? ((list).at[(list).count++] = (pointer), true)                                           \
         : false)

/* world.c */
/// Records why the run ends; returns the status. Outside of a run it is only the message.
#define foi_fail fo_world_fail
fo_status foi_no_memory(fo_world *w, const char *what);
/// "'customer' (#12)"; returns `text`.
const char *foi_process_text(const fo_process *p, char *text, size_t size);
void foi_own(fo_world *w, foi_owned *owned, void (*destroy)(foi_owned *, const fo_allocator *));

/* trace.c */
/// Notes an act of p (NULL: nobody) at `what` (NULL: nothing); call foi_trace_act instead.
void foi_trace_write(fo_world *w, const fo_process *p, const char *what, const char *action,
                     double amount);
/// The same where someone wants to know.
static inline void foi_trace_act(fo_world *w, const fo_process *p, const char *what,
                                 const char *action, double amount)
{
    if (__builtin_expect(w->trace != NULL, 0)) foi_trace_write(w, p, what, action, amount);
}
/// Tells what was noted. Called by the root only.
void foi_trace_flush(fo_world *w);

/* events.c */
/// Puts p into the event list; false when memory is lacking.
bool foi_events_add(fo_world *w, fo_process *p, double t, int32_t priority, bool prior);
/// The same, next to the event of `other`.
bool foi_events_add_beside(fo_world *w, fo_process *p, const fo_process *other, bool before);
/// Takes p out.
void foi_events_remove(fo_world *w, fo_process *p);
/// The process of the first event; NULL: there is none.
fo_process *foi_events_first(fo_world *w);
/// Takes the first event out if it is due by w->until and sets the time; NULL: there is none.
fo_process *foi_events_take(fo_world *w);
/// Takes the first event out and puts one of p in; the caller has seen that it is due, and counted
/// it.
fo_process *foi_events_exchange(fo_world *w, fo_process *p, double t);
double foi_events_time(fo_world *w);
/// One more event, of `p` at time `t`: false when that is one too many at this instant; then the
/// root will say it.
static inline bool foi_events_count(fo_world *w, fo_process *p, double t)
{
    if (t != w->instant) {
        w->instant = t;
        w->enough = w->happened + w->def.max_events;
    } else if (__builtin_expect(w->happened >= w->enough, 0)) {
        w->restless = p;
        w->until = -INFINITY;
        return false;
    }
    w->now = t;
    w->happened++;
    return true;
}

/* process.c */
void foi_processes_free(fo_world *w);

/* schedule.c */
/// Lets events happen as far as w->until allows. Called by the root only.
void foi_world_execute(fo_world *w);
/// Has the root write the world's message; returns when it has.
void foi_world_complain(fo_world *w, foi_complaint *complaint);
/// Suspends the current process until it is its turn; returns why it goes on.
fo_wake foi_suspend(fo_world *w);
/// Makes the process leave whatever it waits for, except the event list.
void foi_leave(fo_process *p);
/// Wakes a process: it goes on now, in the order of the list.
fo_status foi_wake_up(fo_process *p, fo_wake wake);
/// The current process, or a failure and NULL when none runs.
fo_process *foi_someone(fo_world *w, const char *verb);
/// Suspends the current process for ever, after a failure.
fo_wake foi_never(fo_world *w);

/* overflow.c */
/// Watches for faults in this thread; false when the system has no memory for it.
bool foi_overflow_watch(fo_world *w);
/// Puts everything back as it was.
void foi_overflow_end(fo_world *w);
void foi_overflow_free(fo_world *w);

/* line.c */
void foi_line_join(foi_line *line, fo_process *p, int priority);
void foi_line_leave(fo_process *p);
/// The length of a line, integrated over time until now.
double foi_line_area(const foi_line *line, double now);
/// Wakes one who has got what it waited for.
fo_status foi_line_grant(fo_process *p);
/// Whether the current process may and wants to wait; if so it does, after joining the line.
fo_wake foi_line_wait(fo_world *w, foi_line *line, const fo_request *request, double amount,
                      void *item);

/* level.c */
/// What flows or is waited for is not what the engine knows any more.
void foi_world_changed(fo_world *w);
/// Shows levels and continuous processes the time t and the states x that the engine has.
void foi_world_pose(fo_world *w, double t, const double *x);
/// The levels are as they will be when the next step begins.
void foi_world_settle(fo_world *w);
/// The engine asks for time t: if that is after the last step, a new one has begun.
void foi_world_begin_step(fo_world *w, double t);
/// Computes the rates for the levels as they are.
void foi_world_compute_rates(fo_world *w);
/// Stops what lies on the stack of a process that ends.
void foi_stop_what_lies_on(fo_world *w, const foi_stack *stack);

/* behind.c */
/// A crossing has come true: how fast the guard comes there.
void foi_sentry_came(fo_world *w, foi_sentry *s);
/// Ends the run where it has come there from a hop that rounding errors hide.
void foi_sentry_hopped(fo_world *w, const fo_process *p);
/// The next one of a process is waited for, at the same instant; `last` is what came true.
void foi_sentry_again(fo_world *w, foi_sentry *s, const foi_sentry *last);
/// The events of the instant are over: whether they have turned the guard round.
void foi_sentry_turned(fo_world *w, foi_sentry *s, double now);
/// At the end of a step: ends the run where a guard that was turned round is behind zero.
void foi_sentries_behind(fo_world *w);
/// Events have happened: who falls back now may be meant to.
void foi_sentries_forgive(fo_world *w);

/* sentry.c */
/// Remembers the guards' values before the events of a time.
void foi_sentries_look(fo_world *w);
/// Looks at a guard that the engine is told of: one that it knew before and that the events have
/// carried to zero or across it has been crossed.
void foi_sentry_tell(fo_world *w, fo_process *p);
/// The value of a guard.
double foi_sentry_value(fo_world *w, const foi_sentry *s);
void foi_sentry_leave(fo_process *p);
/// It has come true: its process will be scheduled.
fo_status foi_sentry_fire(fo_world *w, fo_process *p);
/// The same for a guard, unless it only leaves the zero at which it was when the wait began.
fo_status foi_sentry_crossed(fo_world *w, fo_process *p);
/// Schedules those who are due, in the order of their priority.
void foi_sentries_schedule(fo_world *w);

/* reporter.c */
/// The next time of a reporter at a frequency; INFINITY: none.
double foi_reporters_next(const fo_world *w);
/// Reports all that is due at the time now.
void foi_reporters_due(fo_world *w);
/// Reports at events and steps, or at events only.
void foi_reporters_now(fo_world *w, bool step);
/// Reports at a frequency up to t, on the step that the solver has done.
fo_status foi_reporters_upto(fo_world *w, double t);
/// Some report at events only.
bool foi_reporters_at_events(const fo_world *w);

/* deadlock.c */
/// Fails with a list of the processes and what they wait for.
fo_status foi_deadlock(fo_world *w);
/// True when nothing can ever happen any more but the main process has not ended.
bool foi_stuck(fo_world *w);

/* resource.c */
/// The process gives back all that it has.
void foi_holdings_drop(fo_process *p);
/// Frees the spare ones.
void foi_holdings_free(fo_world *w);

/* world_system.c */
extern const fo_system_type foi_world_type;

#endif
