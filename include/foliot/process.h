/// Processes: combined discrete and continuous simulation in the SIMULA tradition.
///
/// A process is a C function that runs as a coroutine in a world: it may suspend itself from any
/// depth of calls, and goes on there later. Between the events of processes, levels flow. The
/// predator-prey system, with the time between two maxima of the prey:
///
///     typedef struct pond {
///         fo_level predator, prey;
///         fo_continuous dynamics;
///     } pond;
///
///     static void dynamics(fo_world *w, void *self)
///     {
///         pond *p = self;
///         p->predator.rate = (-0.3 + 3.0e-7 * p->prey.state) * p->predator.state;
///         p->prey.rate = (0.3 - 3.0e-4 * p->predator.state) * p->prey.state;
///     }
///
///     static double growth(fo_world *w, void *self)
///     {
///         return ((pond *)self)->prey.rate;
///     }
///
///     static void predator_prey(fo_world *w, void *self)
///     {
///         pond *p = self;
///         fo_level_start_at(w, &p->predator, 1000);
///         fo_level_start_at(w, &p->prey, 100000);
///         fo_continuous_start(w, &p->dynamics, dynamics, p);
///         fo_wait_zero(w, growth, p, FO_FALLING);
///         double first = fo_time(w);
///         fo_wait_zero(w, growth, p, FO_FALLING);
///         printf("period = %g\n", fo_time(w) - first);
///     }
///
///     int main(void)
///     {
///         pond p = {0};
///         fo_world_def def = {.max_rel_error = 1e-5, .dt_max = 1};
///         fo_world *w = fo_world_create(&def, NULL);
///         fo_status status = fo_world_simulate(w, predator_prey, &p);
///         fo_world_destroy(w);
///         return fo_failed(status);
///     }
///
/// The order of what happens at one time:
///  1. Events happen in the order of their times; those of one time by the priority of the process,
///     the higher one first; those of one priority in the order in which they were scheduled.
///  2. `prior` puts an event before all others of its time and priority; before and after put it
///     next to another process's event, with that one's time and priority.
///  3. Activating a process now lets it run at once; who did it goes on as soon as that one is
///     suspended, before all other events.
///  4. State events are looked for when all events of a time are done. Those that have come true at
///     one time are scheduled in the order of their priority, the higher one first, then in the
///     order in which the processes began to wait. A condition is asked once more when its turn
///     comes; if it has become false again, its process goes on waiting.
///  5. Reporters at a frequency see the state before the events of their time, the others after.
///
/// A mistake inside of a run (a negative hold, a terminated process activated) ends the run: the
/// call returns a status, the run ends with it and fo_world_message says what, who and when. So
/// does time that stands still: more than `max_events` events at one instant. (A process that loops
/// without ever waiting for anything cannot be seen.)
///
/// Stacks: 64 KiB unless the definition of the world or the process says otherwise; memory is used
/// for what is touched only. A million processes with 2 KiB each take 2.2 GiB, but less than 8 KiB
/// is for simple processes in a program that is linked with `-z now`: the first call of a function
/// of a shared library may take 3 KiB alone. Levels, continuous processes and reporters that lie on
/// a process's own stack are stopped when it ends.
///
/// A stack that is too small:
///  1. A process that suspends itself with less than an eighth of its stack left ends the run with
///     a message that names it.
///  2. From 4 KiB on a stack has a guard page, so that a deeper fall is a fault of the system and
///     never a change of someone else's memory. This holds for all stacks on Linux 6.13 and later,
///     elsewhere for the first 15,000 of a world.
///  3. Where there is no guard page, the last 64 bytes of the stack are looked at whenever its
///     process suspends itself or ends: when a fall has changed them, the run ends with a message
///     that names it, but what lay below the stack may have been changed.
///  4. With `catch_overflow` a fall into a guard page ends the run with a message that names the
///     process, too. For that, SIGSEGV is handled while processes run; that is a matter of the
///     whole program, so it is not done unasked. A program whose worlds run on several threads
///     calls fo_overflow_handle first. The program `foliot` does both. Not under sanitizers.
#ifndef FOLIOT_PROCESS_H
#define FOLIOT_PROCESS_H

#include "random.h"
#include "simulation.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fo_world fo_world;
typedef struct fo_process fo_process;

/// What a process does; it ends when it returns.
typedef void fo_actions(fo_world *w, void *self);
/// A condition, and a smooth expression, for state events. Pure.
typedef bool fo_condition(fo_world *w, void *self);
typedef double fo_expression(fo_world *w, void *self);

/// Why a process that was suspended goes on.
typedef enum fo_wake {
    FO_WOKEN = 0,   ///< what it waited for has happened
    FO_ACTIVATED,   ///< someone activated it
    FO_TIMED_OUT,   ///< its patience was at an end (it reneged)
    FO_INTERRUPTED, ///< someone interrupted it; fo_reason says why
    FO_PREEMPTED,   ///< a resource was taken away from it
    FO_BALKED,      ///< it did not even begin to wait
} fo_wake;

// ---------------------------------------------------------------------------------------- worlds

/// Zero means the default everywhere.
typedef struct fo_world_def {
    const char *name;      ///< "world"
    const char *about;     ///< one line
    const char *equations; ///< text for people, lines separated by \n; may be NULL
    double start, stop;    ///< 0, and none
    const char *solver;    ///< "rkf45"
    double step;           ///< fixed-step methods: dt_max, or a thousandth of the run
    double dt_min, dt_max; ///< of a step; none
    double max_abs_error;  ///< 1e-9, or 0 where max_rel_error is given
    double max_rel_error;  ///< 1e-6, or 0 where max_abs_error is given
    uint64_t seed;         ///< 0
    uint64_t replication;  ///< which of several runs this is: each has random streams of its own
    uint64_t max_events;   ///< at one instant; more mean that time stands still: 10,000,000
    size_t stack;          ///< bytes of a process's stack: 64 KiB; at least 1 KiB
    bool catch_overflow;   ///< a fall into the guard page of a stack becomes a message, too
    const fo_observer *observers;
    uint32_t observer_count;
    const fo_allocator *allocator;
} fo_world_def;
/// From 0 on without an end, by rkf45.
fo_world_def fo_default_world_def(void);

/// Makes a world. `def` may be NULL. NULL on failure, and `why` (may be NULL) says why.
fo_world *fo_world_create(const fo_world_def *def, fo_message *why);
/// Handles SIGSEGV for the rest of the program, for all worlds with `catch_overflow`; a fault that
/// is no fall ends the program as before. Once, before threads are started. False, and nothing is
/// changed, when someone else handles it already, and where falls cannot be caught.
bool fo_overflow_handle(void);
/// Ends all processes where they are, and frees all that the world made. Takes NULL.
void fo_world_destroy(fo_world *w);

/// Runs `actions` as the main process until it ends: FO_STOPPED; or to the definition's stop:
/// FO_REACHED. When nothing can happen any more and it has not ended, that is an error which names
/// the processes and what they wait for.
fo_status fo_world_simulate(fo_world *w, fo_actions *actions, void *self);
/// Carries the world to time `until`, without a main process. May be called again.
fo_status fo_world_run(fo_world *w, double until);
/// Why the last call failed.
const fo_message *fo_world_message(const fo_world *w);

/// The world as a system, for one simulation of the user's own; the solver must be named there.
fo_system fo_world_system(fo_world *w);
/// Makes the main process of a world that such a simulation, or fo_world_run, will run: the run
/// ends with it, and with an error when nothing can happen any more before.
fo_status fo_main_create(fo_world *w, fo_actions *actions, void *self);
/// Makes a number visible to observers as an output. Before the first run; `value` must live as
/// long as the world. The name is not copied.
fo_status fo_world_output(fo_world *w, const char *name, const char *unit, const double *value);
/// Makes a number a parameter, which can be set by its name: `*value` has it when the run starts,
/// and a later one from the next step or event on. Before the first run; `*value` gets the default
/// at once and must live as long as the world. The texts are not copied.
fo_status fo_world_parameter(fo_world *w, const fo_variable *about, double *value);
/// The simulation that runs the world; NULL before the first run.
fo_simulation *fo_world_simulation(fo_world *w);

/// The time now; in rates, conditions and expressions the time for which they are asked.
double fo_time(const fo_world *w);
/// Of the run: the definition's, or that of the simulation that runs the world.
uint64_t fo_world_seed(const fo_world *w);
/// Which of several runs it is: the definition's.
uint64_t fo_world_replication(const fo_world *w);
/// Random stream k < 2^20 of this replication, one for each purpose; the same as
/// fo_replication_stream gives for the seed and the replication.
fo_random fo_world_stream(const fo_world *w, uint32_t k);
/// The process that runs; NULL when none does.
fo_process *fo_current(const fo_world *w);
/// The main process; NULL without.
fo_process *fo_main(const fo_world *w);
/// The first process of the event list; NULL when it is empty.
fo_process *fo_world_next(fo_world *w);
/// From now on levels are followed with other errors and other limits of a step, by the same
/// method: jDisco's dtMin, dtMax, maxAbsError and maxRelError, which a process may change at any
/// time. What is negative stays as it is (fo_same_accuracy). Numbers that make no sense end the
/// run.
fo_status fo_world_accuracy(fo_world *w, const fo_accuracy *to);
/// Ends the run after the current event, as if it had reached its end: FO_STOPPED.
void fo_world_stop(fo_world *w);
/// Ends the run with an error of the model's own. Returns `status`.
__attribute__((format(printf, 3, 4))) fo_status fo_world_fail(fo_world *w, fo_status status,
                                                              const char *format, ...);
/// Events that have happened.
uint64_t fo_world_events(const fo_world *w);
/// Has every act of every process told (trace.h), from now on; NULL: no more. Not by a process. The
/// trace is copied. It is told in the thread that runs the world, on its ordinary stack. Returns
/// FO_OK or FO_ERROR_MEMORY.
fo_status fo_world_trace(fo_world *w, const fo_trace *trace);

// ------------------------------------------------------------------------------------- processes

typedef struct fo_process_def {
    const char *name; ///< not copied; messages add a number to it
    fo_actions *actions;
    void *self;
    int priority;
    size_t stack; ///< 0: the world's
    bool forget;  ///< free it when it ends: then nobody may refer to it any more
} fo_process_def;
/// Priority 0, on a stack of the world's size.
fo_process_def fo_default_process_def(void);

/// Makes a process, passive until it is activated. It is freed with the world. NULL when memory is
/// lacking (the world's message says so, and a run ends).
fo_process *fo_process_create(fo_world *w, const char *name, fo_actions *actions, void *self);
/// The same from a definition: with a priority, a stack, or to be forgotten at its end.
fo_process *fo_process_make(fo_world *w, const fo_process_def *def);
/// Makes a process that starts now, in the order of the list, and is forgotten when it ends.
fo_status fo_spawn(fo_world *w, const char *name, fo_actions *actions, void *self);
/// Frees a process that has ended or was never active.
fo_status fo_process_destroy(fo_process *p);

/// Activates a process that is neither in the event list nor running: now and at once; at a time;
/// after a delay; or next to the event of another process. A process that waits for something is
/// woken (FO_ACTIVATED). Nothing happens when it is in the event list. NULL is ignored, so that
/// `fo_activate(first in a queue)` needs no test. FO_ERROR_MODEL for a process that has ended and
/// for a time that is past.
fo_status fo_activate(fo_process *p);
/// At time t, which is not past; `prior`: before all others of that time and priority.
fo_status fo_activate_at(fo_process *p, double t, bool prior);
/// In `delay` from now.
fo_status fo_activate_delay(fo_process *p, double delay, bool prior);
/// At the time of the other one's event, just before it.
fo_status fo_activate_before(fo_process *p, const fo_process *other);
/// Just after it.
fo_status fo_activate_after(fo_process *p, const fo_process *other);
/// The same, and a process that is in the event list is moved.
fo_status fo_reactivate(fo_process *p);
/// As fo_activate_at.
fo_status fo_reactivate_at(fo_process *p, double t, bool prior);
/// As fo_activate_delay.
fo_status fo_reactivate_delay(fo_process *p, double delay, bool prior);
/// As fo_activate_before.
fo_status fo_reactivate_before(fo_process *p, const fo_process *other);
/// As fo_activate_after.
fo_status fo_reactivate_after(fo_process *p, const fo_process *other);
/// Takes a process out of the event list and of whatever it waits for: it is passive then.
fo_status fo_cancel(fo_process *p);
/// Wakes a suspended process with FO_INTERRUPTED, now, in the order of the list. One that has just
/// been given what it waited for goes on with it all the same.
fo_status fo_interrupt(fo_process *p, void *reason);

/// What the current process may do. Each returns why it goes on.
fo_wake fo_hold(fo_world *w, double duration);
/// Waits until someone activates it.
fo_wake fo_passivate(fo_world *w);
/// Ends the current process here.
void fo_terminate(fo_world *w);
/// Of the current process: why it was interrupted, and how much of its last hold was left.
void *fo_reason(const fo_world *w);
/// How much of its last hold was left when it was woken before its end.
double fo_remaining(const fo_world *w);

/// Where a process stands in the event list.
bool fo_process_idle(const fo_process *p); ///< neither running nor in the event list
/// Its actions have returned, or it has called fo_terminate.
bool fo_process_terminated(const fo_process *p);
double fo_process_event_time(const fo_process *p); ///< INFINITY when idle
/// The process whose event comes after that of `p`; NULL when there is none. Takes a search.
fo_process *fo_process_next(const fo_process *p);
/// As it was given.
const char *fo_process_name(const fo_process *p);
uint32_t fo_process_number(const fo_process *p); ///< in the order of creation, from 1
/// What its actions get.
void *fo_process_self(const fo_process *p);
/// Where it lives.
fo_world *fo_process_world(const fo_process *p);
/// Of its events.
int fo_process_priority(const fo_process *p);
/// Holds from the next event on.
void fo_process_set_priority(fo_process *p, int priority);

// ---------------------------------------------------------------------------------------- queues

typedef struct fo_queue fo_queue;

/// A member of at most one queue: embed it in what is queued. Zeroed: in no queue.
typedef struct fo_link {
    struct fo_link *pred, *suc;
    fo_queue *queue;
} fo_link;

/// An ordered set of links. Zeroed: empty.
struct fo_queue {
    fo_link *first, *last;
    size_t cardinal;
};

/// Each first takes the link out of where it is.
void fo_link_into(fo_link *l, fo_queue *q);          ///< at the end
void fo_link_precede(fo_link *l, fo_link *other);    ///< before one that is in a queue
void fo_link_follow(fo_link *l, fo_link *other);     ///< after it
void fo_link_out(fo_link *l);                        ///< nothing when it is in no queue
void fo_queue_clear(fo_queue *q);                    ///< takes them all out
static inline bool fo_queue_empty(const fo_queue *q) ///< true without members
{
    return !q->first;
}

/// Every process has a link of its own.
fo_link *fo_process_link(fo_process *p);
/// The process whose link that is; NULL for NULL.
fo_process *fo_link_process(fo_link *l);
/// The first process of a queue of processes; NULL when it is empty.
fo_process *fo_queue_first_process(const fo_queue *q);
/// Puts the current process at the end of a queue and makes it passive. It stays in the queue until
/// someone takes it out.
fo_wake fo_wait(fo_world *w, fo_queue *q);
/// The same for so long at most: then it takes itself out and goes on with FO_TIMED_OUT.
fo_wake fo_wait_for(fo_world *w, fo_queue *q, double patience);

// ---------------------------------------------------------------------------- what flows

/// A state variable. Zeroed: stopped, at 0. It must not move while it is active.
typedef struct fo_level {
    double state;     ///< may be changed at events
    double rate;      ///< its derivative with respect to time; stays where nobody computes it
    double last;      ///< the state when this step began; at events: the step that led to them
    const char *name; ///< for messages; may be NULL
    fo_world *world;  ///< private: where it is active
    double settled;
    uint32_t index;
} fo_level;

/// From now on it flows with its rate, from the state that it has. FO_ERROR_MODEL when it is
/// active.
fo_status fo_level_start(fo_world *w, fo_level *l);
/// The same from another state.
fo_status fo_level_start_at(fo_world *w, fo_level *l, double state);
/// FO_ERROR_MODEL when it is not active.
fo_status fo_level_stop(fo_world *w, fo_level *l);
/// Whether it flows.
static inline bool fo_level_active(const fo_level *l)
{
    return l->world;
}

/// A continuous process: a function that computes rates from states. It is called at trial points,
/// in any order of time, and should change nothing but rates and what is computed from states
/// before it is used.
typedef struct fo_continuous {
    fo_actions *rates;
    void *self;
    int priority;    ///< the higher ones are computed first
    fo_world *world; ///< private: where it is active
    uint64_t order;
} fo_continuous;

/// From now on its rates are computed whenever the engine needs them.
fo_status fo_continuous_start(fo_world *w, fo_continuous *c, fo_actions *rates, void *self);
/// FO_ERROR_MODEL when it is not active.
fo_status fo_continuous_stop(fo_world *w, fo_continuous *c);
/// Whether it is computed.
static inline bool fo_continuous_active(const fo_continuous *c)
{
    return c->world;
}

// ---------------------------------------------------------------------------------- state events

/// How a process waits for a state event.
typedef struct fo_state_event {
    const char *name; ///< what it waits for, for messages; may be NULL
    double priority;  ///< among those that come true at one time the higher one is first
    bool prior;       ///< before the other events of that time
    double patience;  ///< > 0: for so long at most
} fo_state_event;

/// Waits until a condition is true. It is looked at along the steps, three times in each (dt_max
/// limits their length), and its change is located to a few ulps of time. Returns at once when it
/// is true. `how` may be NULL.
fo_wake fo_wait_until(fo_world *w, fo_condition *condition, void *self);
/// The same with a name, a priority or a patience; `how` may be NULL.
fo_wake fo_wait_until_with(fo_world *w, fo_condition *condition, void *self,
                           const fo_state_event *how);
/// Waits until a smooth expression crosses zero, or a level crosses a value, in a direction: a
/// guard of the engine. No crossing is missed within a step, an even number neither, and it is
/// located to a few ulps of time; the state is the one just past it. What is zero when the wait
/// begins must leave it and come back; but what has flowed there counts as just past it, so that
/// turning back is a crossing at once (not for FO_EITHER).
fo_wake fo_wait_zero(fo_world *w, fo_expression *expression, void *self, fo_direction direction);
/// The same with a name, a priority or a patience; `how` may be NULL.
fo_wake fo_wait_zero_with(fo_world *w, fo_expression *expression, void *self,
                          fo_direction direction, const fo_state_event *how);
/// For a level: when its state crosses `value`.
fo_wake fo_wait_level(fo_world *w, const fo_level *l, double value, fo_direction direction);
/// The same with a name, a priority or a patience; `how` may be NULL.
fo_wake fo_wait_level_with(fo_world *w, const fo_level *l, double value, fo_direction direction,
                           const fo_state_event *how);

// ------------------------------------------------------------------------------------- reporters

#define FO_EVERY_STEP  0.0    ///< at the end of each step and after the events of a time
#define FO_EVENTS_ONLY (-1.0) ///< after the events of a time

/// An action that looks at the world and changes nothing of it.
typedef struct fo_reporter {
    fo_actions *action;
    void *self;
    double interval; ///< > 0: at its start and from then on at this distance; or one of the above
    fo_world *world; ///< private: where it is active
    double begun;    ///< tick `count` of `kept` from here on is the next
    uint64_t count;
    double kept; ///< the interval that these belong to
} fo_reporter;

/// Reports at a frequency are read off the dense output and do not disturb the steps.
fo_status fo_reporter_start(fo_world *w, fo_reporter *r, fo_actions *action, void *self,
                            double interval);
/// Goes on at another interval, at once: the next report comes this long after the last one, or now
/// when that is past. FO_ERROR_MODEL when it is not active.
fo_status fo_reporter_change(fo_world *w, fo_reporter *r, double interval);
/// FO_ERROR_MODEL when it is not active.
fo_status fo_reporter_stop(fo_world *w, fo_reporter *r);

// ------------------------------------------------------- resources, stores, containers and gates

/// How a process asks for something. Zero means the default everywhere.
typedef struct fo_request {
    double amount;   ///< of a resource: 1
    int priority;    ///< the higher one is served first; added to that of the process
    double patience; ///< > 0: waits so long at most, then FO_TIMED_OUT
    size_t balk;     ///< > 0: does not join a line of this length or more: FO_BALKED
    bool at_once;    ///< does not wait at all: FO_BALKED
    bool preempt;    ///< resources: takes it away from users with less priority
    bool (*filter)(const void *item, void *self); ///< stores: only such an item
    void *filter_self;
} fo_request;

/// Something with a capacity that processes seize and release. Freed with the world.
typedef struct fo_resource fo_resource;
/// With a capacity above 0, all of it free. The name is not copied. NULL on failure.
fo_resource *fo_resource_create(fo_world *w, const char *name, double capacity);
/// Seizes 1 of it; waits in line until it is there.
fo_wake fo_seize(fo_world *w, fo_resource *r);
/// With `preempt`, users of less priority lose what they have, the one with the least and latest
/// first, until there is enough; each is woken with FO_PREEMPTED (fo_remaining says what was left
/// of its hold) and has nothing of the resource any more.
fo_wake fo_seize_with(fo_world *w, fo_resource *r, const fo_request *request);
/// Gives back all that the current process has of it. FO_ERROR_MODEL when it has nothing.
fo_status fo_release(fo_world *w, fo_resource *r);
/// Gives back a part of it.
fo_status fo_release_amount(fo_world *w, fo_resource *r, double amount);
/// How much of it nobody has now.
double fo_resource_available(const fo_resource *r);
/// How much of it a process has; 0: nothing.
double fo_resource_held(const fo_resource *r, const fo_process *p);
/// How many processes wait for it now.
size_t fo_resource_line(const fo_resource *r);

/// What a resource was like from its making until now.
typedef struct fo_resource_statistics {
    uint64_t seized;     ///< how often a process got some of it
    uint64_t waited;     ///< of these, after a wait in line
    double mean_wait;    ///< of all that got it; those that did not wait count with 0
    double longest_wait; ///< of those
    double mean_line;    ///< processes in line, averaged over time
    double mean_used;    ///< how much of it was used, averaged over time
} fo_resource_statistics;
/// Over the time from its making until now.
fo_resource_statistics fo_resource_measure(const fo_resource *r);

/// A place for items of one size, which are copied in and out, first in first out. Freed with the
/// world.
typedef struct fo_store fo_store;
/// For items of `item_size` bytes, at most `capacity` of them; 0: no limit. NULL on failure.
fo_store *fo_store_create(fo_world *w, const char *name, size_t item_size, size_t capacity);
/// Puts a copy of the item; waits while the store is full.
fo_wake fo_store_put(fo_world *w, fo_store *s, const void *item);
/// The same with a priority or a patience.
fo_wake fo_store_put_with(fo_world *w, fo_store *s, const void *item, const fo_request *request);
/// Takes the first item; waits while there is none.
fo_wake fo_store_get(fo_world *w, fo_store *s, void *item);
/// The same with a priority, a patience or a filter: the first item that it lets through.
fo_wake fo_store_get_with(fo_world *w, fo_store *s, void *item, const fo_request *request);
/// How many items there are now.
size_t fo_store_count(const fo_store *s);

/// A place for an amount of something. Freed with the world.
typedef struct fo_container fo_container;
/// With a capacity above 0 and so much in it. NULL on failure.
fo_container *fo_container_create(fo_world *w, const char *name, double capacity, double amount);
/// Puts an amount; waits until there is room for all of it.
fo_wake fo_container_put(fo_world *w, fo_container *c, double amount);
/// The same with a priority or a patience; the amount is the request's.
fo_wake fo_container_put_with(fo_world *w, fo_container *c, const fo_request *request);
/// Takes an amount; waits until all of it is there.
fo_wake fo_container_get(fo_world *w, fo_container *c, double amount);
/// The same with a priority or a patience; the amount is the request's.
fo_wake fo_container_get_with(fo_world *w, fo_container *c, const fo_request *request);
/// How much is in it now.
double fo_container_amount(const fo_container *c);

/// Open or shut; processes pass when it is open. Freed with the world.
typedef struct fo_gate fo_gate;
/// Open or shut. NULL on failure.
fo_gate *fo_gate_create(fo_world *w, const char *name, bool open);
/// Goes on at once when it is open; otherwise waits until it opens or is signalled.
fo_wake fo_gate_pass(fo_world *w, fo_gate *g);
/// The same with a priority or a patience.
fo_wake fo_gate_pass_with(fo_world *w, fo_gate *g, const fo_request *request);
/// Opens it: those who wait pass, and so do those who come until it is shut.
fo_status fo_gate_open(fo_gate *g);
/// Shuts it.
void fo_gate_shut(fo_gate *g);
/// Lets those pass who wait now, and stays as it is. With a filter only those whom it names: it is
/// given the process.
fo_status fo_gate_signal(fo_gate *g, bool (*filter)(const fo_process *p, void *self), void *self);

// ------------------------------------------------------------------------------------- utilities

/// An equation of higher order: x[0] is the variable, x[i] its i-th derivative. The rates of all
/// but the last are set; that of x[order - 1] is the user's to compute, with a lower priority than
/// 0 or from states only. It must not move while it is active.
typedef struct fo_order {
    fo_level *x;
    size_t order;
    fo_continuous chain;
} fo_order;
/// Starts the levels where they are.
fo_status fo_order_start(fo_world *w, fo_order *o, fo_level *x, size_t order);
/// Stops all of it.
fo_status fo_order_stop(fo_world *w, fo_order *o);

/// An exponential delay of order n: n stages y' = (input - y) n / duration, one after the other;
/// the last one is the output. The input is computed from states, for the time that fo_time says.
typedef struct fo_smooth {
    fo_level *stages; ///< the user's, n of them
    size_t order;
    double duration;
    fo_expression *input;
    void *self;
    fo_continuous flow;
} fo_smooth;
/// Starts with all stages at `output`.
fo_status fo_smooth_start(fo_world *w, fo_smooth *d, double output);
/// Stops all stages.
fo_status fo_smooth_stop(fo_world *w, fo_smooth *d);
/// The output.
static inline double fo_smooth_value(const fo_smooth *d)
{
    return d->stages[d->order - 1].state;
}

/// An ideal delay: what the input was a fixed time ago. It is remembered at every step and event
/// and interpolated between (an error of the fourth order in the step), but not over a jump. Freed
/// with the world.
typedef struct fo_delay fo_delay;
/// Begins now; before that the input counts as `before`. The world's dt_max must be given and not
/// be longer than the delay. NULL on failure.
fo_delay *fo_delay_create(fo_world *w, double duration, fo_expression *input, void *self,
                          double before);
/// At the time that fo_time says.
double fo_delay_value(const fo_delay *d);

/// Solves x = f(x) by Wegstein's method, from the guess in *x, until a step is at most `tolerance`
/// times (1 + |x|): for algebraic loops. FO_ERROR_CONVERGE ends the run.
typedef double fo_loop(fo_world *w, double x, void *self);
/// Returns FO_OK with the solution in *x.
fo_status fo_fixpoint(fo_world *w, fo_loop *f, void *self, double tolerance, double *x);

/// Difference equations: `update` is called now and from then on every `interval`, at begun + n *
/// interval exactly. Freed with the world.
fo_process *fo_difference_start(fo_world *w, fo_actions *update, void *self, double interval);
/// No more updates.
fo_status fo_difference_stop(fo_process *p);

/// A variable over a line, at n evenly spaced nodes from `from` to `to`, ends included, for partial
/// differential equations.
typedef enum fo_profile_end_kind {
    FO_DIRICHLET, ///< u = c
    FO_NEUMANN,   ///< du/dx = c
    FO_MIXED,     ///< a u + b du/dx = c
} fo_profile_end_kind;
typedef struct fo_profile_end {
    fo_profile_end_kind kind;
    double c, a, b;
} fo_profile_end;
typedef struct fo_profile fo_profile;
/// The rate du/dt at node i.
typedef double fo_profile_equation(fo_world *w, const fo_profile *p, size_t i, void *self);
struct fo_profile {
    fo_level *u; ///< the user's, n of them, set to their start
    size_t n;    ///< at least 3
    double from, to;
    fo_profile_end left, right;
    fo_profile_equation *equation;
    void *self;
    fo_continuous flow;
};
/// Starts all levels and the equation between the ends.
fo_status fo_profile_start(fo_world *w, fo_profile *p);
/// Stops them.
fo_status fo_profile_stop(fo_world *w, fo_profile *p);
/// Where node i is, and du/dx and d2u/dx2 there by central differences, at the ends with the
/// boundary condition: errors of the second order.
double fo_profile_x(const fo_profile *p, size_t i);
/// du/dx at node i.
double fo_profile_first(const fo_profile *p, size_t i);
/// d2u/dx2 at node i.
double fo_profile_second(const fo_profile *p, size_t i);

#ifdef __cplusplus
}
#endif
#endif
