/// One moment of a program: what its parts share. See moment.c (what happens), relation.c (what
/// relations are there), start.c (the first one) and side.c (what a relation is whose guard is held
/// at zero).
#ifndef FOI_MOMENT_H
#define FOI_MOMENT_H

#include "program/program.h"

enum { FOI_MOST_TURNS = 200 }; ///< of the iteration, while nothing but modes changes

/// What differs from what it was before the last turn.
typedef struct foi_changing {
    enum {
        FOI_CHANGES_NOTHING,
        FOI_CHANGES_DISCRETE,
        FOI_CHANGES_RELATION,
        FOI_CHANGES_STATE,
    } what;
    uint32_t index;
    double from, to;
} foi_changing;

/// Work space of one moment, in the scratch space.
typedef struct foi_moment {
    const foi_program *g;
    fo_state *s;
    double *held, *was, *ticks, *turned, *slack;
    double *results; ///< of FOI_TASK_MOMENT or FOI_TASK_START
    double *pre;     ///< discretes before
    double *sample;  ///< per sampler: true in this moment
    double *guards, *slopes, *rates, *instants, *floors;
    double *decided;      ///< per floor: its argument when it was last looked at
    double *before;       ///< per slope: what it was before this jump
    double *sigma;        ///< per guard: rounding errors of its value, if measured
    double *began;        ///< per guard: what it was when the jump began, or a state was last set
    double *floors_began; ///< per floor: the same of its argument
    double *ahead;        ///< guards, then arguments of floors, right after this instant
    double *box;          ///< 2 n + 2 guards of work space
    double *saved;        ///< x, d, conditions and relations before the first turn by a derivative
    double *came;         ///< rates with which it came to this instant, if has_came
    double *mode;         ///< discretes while those of a mode to come are tried
    double *then;         ///< per guard: what it is in that mode
    double unsure;        ///< how exactly the time of this moment is known [s], beside ulps of it
    bool measured, has_before, has_came;
    bool lands;      ///< began and floors_began are known
    bool follows;    ///< only what others have carried is looked at: nothing happens
    bool starts;     ///< this is the start: nothing has turned yet
    bool first;      ///< this is the first turn of the jump
    bool set;        ///< a reinit of this turn has changed a state
    bool moves;      ///< discretes changed in the last turn: the next one looks at what depends on
                     ///< them, with their new values before it
    double terminal; ///< true in the moment at the end of the run
    double *flips;   ///< per relation: in which pass its derivative has turned it last; -1: in one
                     ///< before a state was set; 0: never
    double *fastest; ///< per guard: the largest derivative at zero in this jump
    uint32_t passes; ///< of relations turned by derivatives, since a state was last set
    uint32_t turned_last; ///< how many in the last one
    uint32_t sets;        ///< how often a reinit has changed a state
    bool ending;          ///< in the last turn that there is to be
    double *last; ///< discretes, relations and states before the last turn, if they are kept
    foi_changing changing;
    fo_effect *effect;
} foi_moment;

/* moment.c */

/// The work space of a moment, with nothing in it yet.
void foi_moment_of(foi_moment *m, const foi_program *g, fo_state *s);
/// Nothing has turned yet, and nothing is sampled.
void foi_moment_begin(foi_moment *m);
/// Discretes, when-clauses and relations until nothing changes any more.
fo_status foi_moment_iterate(foi_moment *m);
/// The same at the start, when the initial system is solved.
fo_status foi_moment_iterate_start(foi_moment *m);
/// Relations do not come to rest: takes the one combination of truths that stands. False: there is
/// none, or several; the relations are then as they happen to be.
bool foi_moment_untangle(foi_moment *m);
/// What a homotopy has tried.
typedef struct foi_way_gone {
    int steps;     ///< solutions asked for; 0: there is no homotopy
    double lambda; ///< how far it came; -1: not even the simplified equations were solved
    bool failed;
} foi_way_gone;

/// From the simplified equations to the actual ones: relations and guesses are those of its end. If
/// there is no way they are as before, and the start is to be found without it. `starts` has room
/// for lambda. FO_OK or FO_ERROR_MEMORY.
fo_status foi_moment_homotopy(foi_moment *m, double *starts, foi_way_gone *gone);
/// Of several starts the nearest to the start values (first.c): relations, and guesses from which
/// the initial system finds it, in place of `origin`. `found`: there is one, with the relations as
/// they are; *other: there is a nearer one.
fo_status foi_moment_nearest(foi_moment *m, const double *given, double *origin, bool found,
                             bool *other);
/// The run's nonlinear loops begin where the initial system puts them. *looked: and relations are
/// what they are in it, where pre(v) is not v yet; *changed: some were not.
fo_status foi_moment_place(foi_moment *m, const double *given, const double *origin, bool *looked,
                           bool *changed);
/// The message about a start that failed says what was tried, too.
void foi_moment_say_way(const foi_moment *m, const foi_way_gone *gone);
/// What stays until the next moment must be a number.
fo_status foi_moment_check_discretes(const foi_moment *m);
/// The actions that are active: reinit, assert, terminate.
fo_status foi_moment_act(foi_moment *m, const double *active, const double *value, bool *changed);

/* unsettled.c */

/// Before the last turn that there is to be, and after parts of it: the first that differs.
void foi_moment_keep_last(foi_moment *m);
void foi_moment_find_last(foi_moment *m);
/// In it a relation has turned.
void foi_moment_note_turned(foi_moment *m, uint32_t r, double was);
/// It does not come to an end: says what still changes.
fo_status foi_moment_unsettled(const foi_moment *m);

/* relation.c */

/// Guards and floors at the present state, as they are decided on at the beginning of a jump.
fo_status foi_moment_guards(foi_moment *m);
/// How far rounding errors can carry each guard: sigma.
fo_status foi_moment_measure(foi_moment *m);
/// What the states did until this instant, before anything is changed: also how exactly the time of
/// this moment is known.
void foi_moment_came(foi_moment *m, const fo_moment *why);
/// Before discretes become what the turn has computed: where they move the guard of a relation that
/// has crossed at this instant, how near to zero counts as zero has the scale of the guard then.
fo_status foi_moment_rescale(foi_moment *m);
/// The truth of a relation whose guard has gone that way.
double foi_moment_gone(const foi_moment *m, uint32_t r, fo_direction direction);
/// The same at any other time.
fo_status foi_moment_guards_now(foi_moment *m);
/// A relation with time turns exactly at its instant `at`, whether it is strict or not; but at the
/// stop it is what it says.
double foi_moment_truth_at(const foi_program *g, uint32_t instant, double t, double at,
                           double stop);
/// What a relation is where its guard is not at zero.
double foi_moment_truth_now(const foi_moment *m, uint32_t r, double g);
/// A relation whose guard is held at zero (see foi_program_side).
bool foi_moment_is_kept(const foi_moment *m, uint32_t r);
/// Relations take the truth of where their guards are, but those at zero keep theirs.
fo_status foi_moment_look(foi_moment *m, bool *changed);
/// Until they agree with each other.
fo_status foi_moment_look_until_settled(foi_moment *m, bool *changed);
/// The guard's own moment: its relation is true or false by the way it went.
fo_status foi_moment_cross(foi_moment *m, const fo_moment *why);
/// The other guards that pass zero at this instant.
fo_status foi_moment_cross_all(foi_moment *m, const fo_moment *why);
/// After relations have settled: where some have turned and moved the guard of one that has
/// crossed, that one has gone to where its guard is now. *again: relations are to be looked at once
/// more.
fo_status foi_moment_moved(foi_moment *m, const fo_crossing *c, bool *again);
/// Guards and floors as they are now are no more moved by modes.
void foi_moment_begin_here(foi_moment *m);
/// Derivatives of the guards at the present state.
fo_status foi_moment_slopes(foi_moment *m);
/// What they are before the jump changes anything.
void foi_moment_slopes_before(foi_moment *m);
/// Guards at zero go on by their derivative: a relation that it will turn is turned now.
fo_status foi_moment_look_ahead(foi_moment *m, bool *changed);
/// A state was set: what derivatives have turned so far says nothing about where it stands now.
void foi_moment_forget_turns(foi_moment *m);

#endif
