/// What a live run is made of; shared by the files of this room.
#ifndef FOI_LIVE_H
#define FOI_LIVE_H

#include <foliot/live.h>

#include "base/threads.h"

enum { FOI_ACT_NAME = 128, FOI_SOURCES = 64, FOI_URGENT = 16, FOI_REFUSALS = 16 };

/// A request that waits or is being carried out.
typedef struct foi_act {
    fo_live_verb verb;
    char name[FOI_ACT_NAME];
    double value;
    int64_t stamp;
    uint32_t source;
    bool timed;
    double t;     ///< simulated time at which it happens
    bool late;    ///< the simulation stood at t already: after all that happened there
    bool refused; ///< undone
} foi_act;

/// What a source is told of an act that was undone.
typedef struct foi_refusal {
    uint32_t source;
    char text[FO_MESSAGE_SIZE];
} foi_refusal;

/// One snapshot to go back to.
typedef struct foi_mark {
    fo_snapshot *snapshot;
    uint64_t recorded; ///< lines of the recording until then
    bool degraded;
} foi_mark;

/// A recording being written.
typedef struct foi_record {
    FILE *file; ///< NULL: none
    char path[256];
    uint64_t lines; ///< of events and changes of method
    bool failed, ended;
} foi_record;

struct fo_live {
    fo_live_def def;
    const fo_allocator *allocator;
    fo_clock clock;
    fo_simulation *sim;
    fo_message message;

    pthread_mutex_t lock;
    /* under the lock */
    foi_act *waiting; ///< in the order in which they came
    size_t waiting_count;
    size_t pending; ///< waiting, and timed ones
    uint32_t of_source[FOI_SOURCES];
    int64_t guilty_until[FOI_SOURCES];  ///< the model could not bear what it sent: it may send less
    foi_refusal refusals[FOI_REFUSALS]; ///< the last ones that nobody has asked for
    size_t refusal_count;
    /* written by the advancing thread under the lock: simulated time is
       anchor_t + speed (clock - anchor), or anchor_t while paused */
    int64_t anchor;
    int64_t latest; /* what an advance drops: clocks after it are as it; INT64_MAX: none */
    double anchor_t, speed;
    bool paused, degraded;
    fo_live_phase phase;
    double load;
    double t;
    fo_live_figures figures;

    /* of the advancing thread alone */
    foi_act *work, *timed, *acts; ///< room for all that may wait, and some to quit, each
    size_t work_count, timed_count, act_count;
    int64_t period, max_time_step, longest_gap;
    int64_t started, last, deadline;
    int64_t suspended, day; ///< how far the other clocks were from this one, if clocks_known
    bool clocks_known;
    int64_t overrun_noted;
    fo_live_phase ending;       ///< why the run is about to end; FO_LIVE_NEW: it is not
    uint32_t on_time, patience; ///< degrade: advances in time, and how many are needed to go back
    double full_step, full_rtol;
    foi_mark *marks; ///< ascending in time
    size_t mark_count;
    foi_record record;
};

/* live.c */
__attribute__((format(printf, 2, 3))) void foi_live_note(fo_live *live, const char *format, ...);
int64_t foi_live_now(const fo_live *live);
/// Starts with simulated time at `now`; 0: at the clock when the model has started.
fo_status foi_live_start_at(fo_live *live, int64_t now);
/// Simulated time at a reading of the clock; within the run.
double foi_live_time_at(const fo_live *live, int64_t clock);
/// From here on simulated time t is at `clock`.
void foi_live_anchor(fo_live *live, int64_t clock, double t);

/* advance.c */
/// How far the clock that counts suspension and the time of day are from the clock of the run.
/// False when the thread was held up between the readings.
bool foi_live_compare(const fo_live *live, int64_t *suspended, int64_t *day);

/* request.c */
/// Moves what is due at the clock's reading to `work`, and timed acts to `timed`.
void foi_live_take(fo_live *live, int64_t now);
/// Acts that have been carried out give their place back.
void foi_live_release(fo_live *live, const foi_act *act);

/// The model could not bear an act: its source will be told, and may have less waiting for a while.
void foi_live_blame(fo_live *live, const foi_act *act, const char *text);

/* act.c */
/// Carries the simulation to time t with what is due until then.
fo_status foi_live_carry(fo_live *live, double t);
/// Carries out one request.
fo_status foi_live_act(fo_live *live, const foi_act *act);
/// Keeps a snapshot if one is due.
void foi_live_mark(fo_live *live);
void foi_live_marks_free(fo_live *live);

/* degrade.c */
/// Goes over to the cheap method or back to the full one, at the present.
fo_status foi_live_degrade(fo_live *live, bool cheap);
/// `to` with the number of that name; false where there is none.
bool foi_live_accuracy(const char *name, double value, fo_accuracy *to);
/// From the present on.
fo_status foi_live_set_accuracy(fo_live *live, const foi_act *act);

/* record.c */
fo_status foi_record_begin(fo_live *live);
void foi_record_act(fo_live *live, const foi_act *act);
void foi_record_accuracy(fo_live *live, const char *name, double value);
void foi_record_method(fo_live *live, const char *solver, double step, double rtol);
void foi_record_back(fo_live *live, double t, uint64_t keep);

/* priority.c */
/// The least timer slack; and with the policy priority all that the system grants. Notes say what.
void foi_live_raise(fo_live *live);

#endif
