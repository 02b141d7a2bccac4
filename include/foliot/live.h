/// Live: a simulation that keeps up with a clock and can be touched while it runs.
///
/// The verb is the advance action: look at the clock, and carry the state by the time that has
/// passed since the last look. What comes from outside is stamped with the clock when it comes,
/// the stamp is mapped to simulated time, and the event happens there; a frame only shows. So the
/// result depends on when the user acted and not on how often somebody looked.
///
///     fo_live_def def = fo_default_live_def(system);
///     def.rate = 60;
///     fo_live *live = fo_live_create(&def, &why);
///     while (fo_live_wait(live), fo_live_advance(live) == FO_REACHED) draw(live);
///     fo_live_destroy(live);
///
/// Two threads may share a live run: one calls wait and advance (and looks at the simulation), any
/// number of others ask, tell, look and measure.
#ifndef FOLIOT_LIVE_H
#define FOLIOT_LIVE_H

#include <stdio.h>

#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// --------------------------------------------------------------------------------------- clocks

/// A clock: nanoseconds since some fixed instant. A game brings its own, a test a virtual one.
typedef struct fo_clock {
    void *self;
    int64_t (*now)(void *self);
    void (*sleep_until)(void *self, int64_t time);
    /// Waits without giving the processor away; NULL: sleeps.
    void (*spin_until)(void *self, int64_t time);
    /// The same time counted also while the machine is suspended; NULL: not watched.
    int64_t (*with_suspend)(void *self);
    /// The time of day, which people and daemons set; NULL: not watched.
    int64_t (*of_day)(void *self);
} fo_clock;

/// The machine's: monotonic, absolute sleeping.
fo_clock fo_machine_clock(void);

/// A clock that stands still unless it is moved: waiting costs nothing.
typedef struct fo_virtual_clock {
    int64_t now;       ///< move it as you like
    int64_t suspended; ///< how long the machine was suspended so far
    int64_t of_day;    ///< the time of day at now = 0
    int64_t oversleep; ///< how much too late sleep_until wakes
} fo_virtual_clock;
/// The clock for a definition (fo_live_def.clock); it must live as long as that is used.
fo_clock fo_virtual_clock_use(fo_virtual_clock *clock);

// ---------------------------------------------------------------------------------- definitions

/// What to do when an advance is longer than max_time_step.
typedef enum fo_live_policy {
    FO_LIVE_WARN,     ///< say so; the advance is carried out
    FO_LIVE_STOP,     ///< end the run
    FO_LIVE_SKIP,     ///< drop what is beyond max_time_step, and say so
    FO_LIVE_DEGRADE,  ///< a cheaper method while late, back when there is time
    FO_LIVE_PRIORITY, ///< as warn; fo_live_start asks for SCHED_FIFO, locked memory and one core
} fo_live_policy;
/// "warn", "stop", ...
const char *fo_live_policy_text(fo_live_policy policy);
/// False for an unknown text; `why` then has the nearest right one.
bool fo_live_policy_find(const char *text, fo_live_policy *policy, fo_message *why);

typedef struct fo_live_def {
    fo_system system;
    fo_run_def run;       ///< stop INFINITY: until someone ends it
    fo_clock clock;       ///< now NULL: the machine's
    double speed;         ///< simulated seconds in a second of the clock, > 0
    double rate;          ///< advances in a second; 0: as the caller likes, without deadlines
    double max_time_step; ///< [s of the clock]; 0: two periods, without a rate 0.1
    double longest_gap;   ///< an advance longer than this is a machine that stood still: that
                          ///< time is dropped whatever the policy; 0: 2 s, at least 10 periods
    fo_live_policy policy;
    double spin;              ///< fo_live_wait spins the last so many seconds; 0: sleeps to the end
    uint32_t snapshots;       ///< how many are kept to go back to; 0: one cannot go back
    double snapshot_interval; ///< [s simulated]
    const char *cheap_solver; ///< degrade; NULL: the same one
    double cheap_step;        ///< degrade, fixed steps; 0: four times the step
    double cheap_rtol;        ///< degrade, adaptive steps; 0: a thousand times rtol, at most 0.01
    /// Hears what is worth a line: overruns, refusals, a machine that slept. Called by start and
    /// advance. May be NULL.
    void (*note)(void *self, const char *text);
    void *note_self;
    const fo_setting *settings; ///< with which the model was opened: a recording has them. They
    size_t setting_count;       ///< live as long as the run
    const char *opened;         ///< by which name or path: a recording has it; NULL: it has not
} fo_live_def;

/// stop INFINITY, speed 1, rate 60, warn, 120 snapshots every 0.5 s, the rest 0.
fo_live_def fo_default_live_def(fo_system system);

// ------------------------------------------------------------------------------------ the verbs

typedef struct fo_live fo_live;

/// NULL on failure, and `why` says it.
fo_live *fo_live_create(const fo_live_def *def, fo_message *why);
/// Takes NULL. Ends a recording.
void fo_live_destroy(fo_live *live);

/// For looking, and for fo_simulation_set before the start.
fo_simulation *fo_live_simulation(fo_live *live);

/// Starts the simulation and the clock. The first advance does it too.
fo_status fo_live_start(fo_live *live);

/// The advance action: carries the model to the present of the clock. Returns FO_REACHED,
/// FO_STOPPED when the run is over (fo_live_look says why), or an error.
fo_status fo_live_advance(fo_live *live);
/// The same with the clock's reading from the caller: for several objects at one instant.
fo_status fo_live_advance_at(fo_live *live, int64_t now);

/// Waits for the next deadline; with no rate it returns at once.
void fo_live_wait(fo_live *live);

/// Why the last verb failed or ended the run.
const fo_message *fo_live_message(const fo_live *live);

// ---------------------------------------------------------------------------------- from outside

typedef enum fo_live_verb {
    FO_LIVE_EVENT,    ///< the model's event `name` with `value`
    FO_LIVE_SET,      ///< parameter, input, state or discrete `name` becomes `value`
    FO_LIVE_PAUSE,    ///< value 1: pause, 0: go on, -1: the other of the two
    FO_LIVE_SPEED,    ///< `value` simulated seconds in a second
    FO_LIVE_STEP,     ///< pause, and go on by `value` simulated seconds; 0: one period
    FO_LIVE_BACK,     ///< to the last snapshot at least `value` simulated seconds ago
    FO_LIVE_QUIT,     ///< end the run
    FO_LIVE_ACCURACY, ///< "rtol", "atol", "min-step" or "max-step" (`name`) becomes `value`
} fo_live_verb;

/// Something asked from outside.
typedef struct fo_live_request {
    fo_live_verb verb;
    const char *name;
    double value;
    int64_t stamp;   ///< the clock when it was asked; 0: now. In the future: it waits
    bool timed;      ///< events and sets: at simulated time `t` instead
    double t;        ///< when that has passed already, at once
    uint32_t source; ///< who asks: what one source may have waiting is bounded
} fo_live_request;

enum { FO_LIVE_WAITING = 4096, FO_LIVE_WAITING_EACH = 256 };

/// Asks. Names and values are checked here; at most FO_LIVE_WAITING requests wait, and
/// FO_LIVE_WAITING_EACH of one source. Returns FO_OK or FO_ERROR_ARGUMENT, or FO_ERROR_MEMORY when
/// too many wait; `why` then says it. *t (may be NULL) gets the simulated time it was mapped to.
/// An event or setting with which the model fails is undone and noted, and its source is told by
/// fo_live_next_refusal; for a second it may then have only a few requests waiting. The end of a
/// name is enough for a setting where no other parameter or input ends so: "k" for "springs[1].k".
fo_status fo_live_ask(fo_live *live, const fo_live_request *request, double *t, fo_message *why);

enum { FO_LIVE_ANSWER = 4096 };

/// Asks in words, as on standard input and on the socket of `foliot live`:
///
///     tap 0.3          the model's event `tap` now; `event step 0.3` if it is called as a command
///     12.5 tap 0.3     at simulated time 12.5
///     set m 0.4        a parameter, input, state or discrete; `12.5 set m 0.4` too
///     pause  go        `space` does the one or the other
///     speed 2          simulated seconds in a second
///     step  step 0.1   pause, and on by one period or so many seconds
///     back 5           to a snapshot of five simulated seconds ago
///     rtol 1e-4        and atol, min-step, max-step: how exactly it goes on
///     stats  help  quit
///
/// `answer` (FO_LIVE_ANSWER bytes) gets one line: "ok ..." or "error ...", nothing for an empty
/// line. `line` may be anything. Returns FO_OK or the error.
fo_status fo_live_tell(fo_live *live, const char *line, uint32_t source, char *answer);

/// The next act that was undone since its source was told "ok": who sent it, and why. At most 16
/// are kept. False when there is none.
bool fo_live_next_refusal(fo_live *live, uint32_t *source, fo_message *text);

// -------------------------------------------------------------------------------- looking at it

typedef enum fo_live_phase {
    FO_LIVE_NEW,
    FO_LIVE_RUNNING,
    FO_LIVE_AT_STOP,   ///< the definition's stop was reached
    FO_LIVE_BY_MODEL,  ///< the model asked to stop
    FO_LIVE_BY_POLICY, ///< an advance was too long, and the policy is to stop
    FO_LIVE_BY_REQUEST,
    FO_LIVE_FAILED,
} fo_live_phase;

typedef struct fo_live_view {
    fo_live_phase phase;
    double t; ///< simulated
    double speed;
    bool paused, degraded;
    double load; ///< computing time / period, lately
} fo_live_view;
/// How it stands at this moment; from any thread.
fo_live_view fo_live_look(fo_live *live);

/// Where times fall: buckets of 1/32 of a power of two, so that a quantile is right to 3 %.
enum { FO_LIVE_BUCKETS = 32 * 40 };
typedef struct fo_live_histogram {
    uint64_t count;
    double sum, worst; ///< [s]
    uint64_t bucket[FO_LIVE_BUCKETS];
} fo_live_histogram;
/// Counts one more time.
void fo_live_histogram_add(fo_live_histogram *h, int64_t ns);
/// The time [s] that a part `p` of all does not exceed; 0 when there are none.
double fo_live_histogram_quantile(const fo_live_histogram *h, double p);

/// How well time was kept.
typedef struct fo_live_figures {
    uint64_t advances;
    double elapsed;                    ///< of the clock [s]
    double simulated;                  ///< [s]
    double period;                     ///< 0: no deadlines
    double R;                          ///< computing time / period; without a rate: / elapsed
    fo_live_histogram lateness;        ///< of an advance after its deadline
    fo_live_histogram computing;       ///< of an advance
    fo_live_histogram latency;         ///< of an event, from its stamp until it has had its effect
    uint64_t missed;                   ///< deadlines at which the advance before had not ended
    uint64_t overruns;                 ///< advances longer than max_time_step
    double longest;                    ///< advance [s of the clock]
    uint64_t events, refused, dropped; ///< happened; undone or invalid; not taken, too many waited
    double skipped; ///< [s of the clock] dropped by the policy or because the machine stood still
    uint64_t stops; ///< how often it stood still
    uint64_t clock_set; ///< how often the time of day was set, or the clock went back
    uint64_t degraded;  ///< how often a cheaper method was taken
} fo_live_figures;

/// The figures since the start.
void fo_live_measure(fo_live *live, fo_live_figures *figures);
/// For people: a table and the histogram of lateness.
void fo_live_figures_print(const fo_live_figures *figures, FILE *out);
/// One line of JSON.
void fo_live_figures_json(const fo_live_figures *figures, FILE *out);

// ------------------------------------------------------------------------- recording, replaying

/// Writes all that the run's result depends on to a file (its format stands in src/live/record.c).
/// Before the start. FO_OK or FO_ERROR_INPUT.
fo_status fo_live_record(fo_live *live, const char *path);
/// The same to a stream, which is closed at the end: memory, a pipe. `name` is for messages.
fo_status fo_live_record_to(fo_live *live, FILE *stream, const char *name);
/// Ends the recording with the time and a hash of the state. FO_OK, or FO_ERROR_INPUT when not all
/// of it could be written. fo_live_destroy does it too.
fo_status fo_live_record_end(fo_live *live);

typedef struct fo_recording fo_recording;

/// Reads a recording. NULL on failure, and `why` says it, with the line.
fo_recording *fo_recording_open(const char *path, const fo_allocator *allocator, fo_message *why);
/// The same from a stream, which stays open; `name` is for messages.
fo_recording *fo_recording_read(FILE *stream, const char *name, const fo_allocator *allocator,
                                fo_message *why);
/// Takes NULL.
void fo_recording_close(fo_recording *recording);
/// The name of its model.
const char *fo_recording_model(const fo_recording *recording);
/// By which name or path the model was opened; NULL: the recording does not say it.
const char *fo_recording_opened(const fo_recording *recording);
/// The settings with which it must be opened.
const fo_setting *fo_recording_settings(const fo_recording *recording, size_t *count);
/// The simulated time at which it ends [s].
double fo_recording_end_time(const fo_recording *recording);
/// How many events and settings it has.
size_t fo_recording_events(const fo_recording *recording);
/// Carries the system through the recording in batch: the same bits as live. The observers may be
/// NULL. *sim gets the simulation at its end (destroy it), also when it fails; NULL if there is
/// none. Returns FO_REACHED or FO_STOPPED; an error; or FO_ERROR_FORMAT when the end differs from
/// the recorded one.
fo_status fo_recording_replay(const fo_recording *recording, fo_system system,
                              const fo_observer *observers, uint32_t observer_count,
                              fo_simulation **sim, fo_message *why);

/// A hash of all bits of a simulation's state: time, x, d, u, p, and memory where it can be copied.
uint64_t fo_simulation_hash(const fo_simulation *sim);

// --------------------------------------------------------------------------------- many objects

/// Many live objects in one world: `object[i].advance()` for all i, on several threads. The objects
/// share one reading of the clock; each gives the same bits as alone.
typedef struct fo_live_world fo_live_world;

/// The objects stay the caller's and must live as long. `threads` (threads.h) work; the calling one
/// is one of them. NULL on failure, and `why` says it.
fo_live_world *fo_live_world_create(fo_live *const *objects, size_t count, unsigned threads,
                                    fo_clock clock, const fo_allocator *allocator, fo_message *why);
/// Advances all. FO_REACHED while at least one is running; FO_STOPPED when all are over; the first
/// error (by index) otherwise.
fo_status fo_live_world_advance(fo_live_world *world);
/// How many threads advance the objects.
unsigned fo_live_world_threads(const fo_live_world *world);
/// Takes NULL. The objects stay.
void fo_live_world_destroy(fo_live_world *world);

// ---------------------------------------------------------------------------------- what it takes

/// What a model costs in frames of one length, in batch.
typedef struct fo_live_budget {
    double period;
    fo_live_histogram computing;  ///< of a frame
    bool fixed_work;              ///< every step of the method costs the same
    double rate_p999, rate_worst; ///< frames in a second that 99.9 % and all of them allow
} fo_live_budget;

/// Runs the definition's model for `frames` frames as fast as it can and times each. Asks nobody
/// for priority. FO_OK or an error.
fo_status fo_live_budget_measure(const fo_live_def *def, uint64_t frames, fo_live_budget *budget,
                                 fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
