/// A program: what equations become. A system (type "program") whose functions run bytecode.
///
/// The state's memory, all doubles:
///
///     held       per relation: its truth (or floor), constant between moments
///     was        per when-condition: its truth at the last moment
///     ticks      per sampler: how many of its instants have passed
///     turned     per relation: when it last turned with its guard at zero
///     slack      per relation: |guard| up to this counts as zero at that instant
///     looked     when the last jump was
///     warned     per assert that holds at all times: it does not, and that has been said
///     histories  per delay: what its expression was (history.h)
///     due        how smooth the delayed turning point of this moment is, and how exact histories
///     are
///                to be (delay.c)
///     guesses    where the loops start from: their solution at the last step
///     since      when that was
///     tilts      per guess: how fast it moves
///     follow     what was given then (follow.c)
#ifndef FOI_PROGRAM_H
#define FOI_PROGRAM_H

#include <foliot/program.h>
#include <stdatomic.h>

#include "program/code.h"
#include "program/enclose.h"
#include "program/profile.h"

/// What a program can compute.
typedef enum foi_task {
    FOI_TASK_RATES,
    FOI_TASK_GUARDS,
    FOI_TASK_SLOPES, ///< of the guards, along the solution
    FOI_TASK_OBSERVE,
    FOI_TASK_MOMENT,      ///< next discretes | conditions | active | values of the actions |
                          ///< what relations compare, where the turn changes that
    FOI_TASK_START,       ///< states | discretes | active | values of the actions | conditions
    FOI_TASK_INSTANTS,    ///< of relations with time | sample starts | sample intervals
    FOI_TASK_FLOORS,      ///< what floors are taken of
    FOI_TASK_CONSTRAINTS, ///< residuals of the constraints between states | their slopes
    FOI_TASK_ROUNDING,    ///< how exactly they can hold, in units of the machine's epsilon
    FOI_TASK_HOLDS,       ///< asserts
    FOI_TASK_SOLVED,      ///< what loops find, for the next guess
    FOI_TASK_JACOBIAN,
    FOI_TASK_LAGS,        ///< of the delays | the largest
    FOI_TASK_DELAYS,      ///< what is delayed
    FOI_TASK_DELAY_RATES, ///< its derivatives, where they are known
    FOI_TASK_WORDS,       ///< values in messages
    FOI_TASK_CHECKS,      ///< see foi_program.check
    FOI_TASK_DIVISORS,    ///< what rates divide by
    FOI_TASK_CARRIED,     ///< see carried.c
    FOI_TASK_GUESSES,     ///< start values, where the loops of the start begin
    FOI_TASK_FORMULAS,    ///< the same by formulas, where there is no start value
    FOI_TASK_FIRST,       ///< of the initial system: how far it is from the start values | what
                          ///< relations compare | where the run's nonlinear loops begin
    FOI_TASKS
} foi_task;

typedef struct foi_program foi_program;

/// One task as a function: reads what is given, writes the results. Compiled C has this form too.
typedef fo_status foi_task_function(const foi_code *code, foi_run *run);

/// The functions of one way to run a program; constant while the program lives.
typedef struct foi_native {
    fo_way way;
    const char *name; ///< of the compiler
    char note[112];   ///< what was wrong with the object that was there before; "": nothing
    const struct foi_exports *functions;
    void *code; ///< what they lie in
    void (*release)(void *code);
    struct foi_native *before; ///< the way whose place it took: some thread may still be in it
    const struct foi_emitted *emitted; ///< made by ourselves: tries of steps; NULL: it is not
} foi_native;

/// Solvers whose steps a compiled source may have.
typedef enum foi_marching { FOI_MARCH_RK4, FOI_MARCH_DP45, FOI_MARCHES } foi_marching;
/// Takes steps; r holds all that is given but time and states.
typedef void foi_march_function(double *r, fo_march *m);

// clang-format off
/// X(name, kind): the functions of src/math, and of equations/pieces.h, that a compiled source calls.
#define FOI_SOURCE_FUNCTIONS(X)                                                    \
    X(sin, of_one) X(cos, of_one) X(tan, of_one) X(asin, of_one) X(acos, of_one) X(atan, of_one)     \
    X(sinh, of_one) X(cosh, of_one) X(tanh, of_one) X(exp, of_one) X(log, of_one) X(log10, of_one)   \
    X(pow, of_two) X(atan2, of_two) X(lost, of_two) X(along, of_two) X(among, of_two)
// clang-format on

typedef double foi_function_of_one(double a);
typedef double foi_function_of_two(double a, double b);

typedef struct foi_source_functions {
#define FOI_SOURCE_MEMBER(name, kind) foi_function_##kind *name;
    FOI_SOURCE_FUNCTIONS(FOI_SOURCE_MEMBER)
#undef FOI_SOURCE_MEMBER
} foi_source_functions;

/// What the object `foliot_program` of a compiled source holds.
typedef struct foi_exports {
    foi_task_function *run[FOI_TASKS];                  ///< NULL: left to the bytecode machine
    foi_march_function *march[FOI_MARCHES];             ///< NULL: none
    void (*use)(const foi_source_functions *functions); ///< before anything else is called
} foi_exports;

/// The constraints between states, see foi_candidate and foi_constraint. All lists stand level by
/// level, that of the highest derivatives first, and group by group in a level.
typedef struct foi_constraints {
    uint32_t levels, groups, count, candidates, slopes;
    uint32_t *first_group;                                      ///< per level, and one more
    uint32_t *first_constraint, *first_candidate, *first_slope; ///< per group, and one more
    bool *linear;           ///< per group: no slope depends on the group's candidates
    const char **text;      ///< per constraint: the equation and its line
    uint32_t *state;        ///< per candidate: the state
    uint32_t *above;        ///< see foi_candidate
    double *weight;         ///< the same
    bool *computed;         ///< in the first choice
    uint32_t *row, *column; ///< per slope: constraint and candidate
    uint32_t widest;        ///< the most constraints of a group
    size_t largest;         ///< the most constraints times candidates of one
} foi_constraints;

struct foi_program {
    fo_system_type type;
    fo_description about;
    foi_arena arena; ///< owns everything below
    foi_layout layout;
    foi_code codes[FOI_TASKS];
    _Atomic(foi_native *) native; ///< NULL: the bytecode machine
    struct foi_worker *worker;    ///< who compiles while it runs, or NULL
    fo_message refused; ///< why there is no machine code of our own, where one was asked for

    struct foi_outside *outside; ///< external functions that it calls; NULL: none
    bool curves;                 ///< its code has addresses of curves (equations/pieces.h)
    uint32_t cells;              ///< the most of a frame that a task needs

    uint32_t relations, conditions, samplers, actions, guesses;
    bool homotopy;         ///< homotopy() occurs: the start has a lambda, and its relations
    bool nears;            ///< FOI_TASK_FIRST has the distance and the relations
    bool bound;            ///< loops of the start begin where formulas put them; see start.c
    bool asks_before;      ///< guards depend on discretes, or on what they were before
    uint32_t *place_guess; ///< per place of FOI_TASK_FIRST: the guess
    uint32_t places;       ///< how many these are
    uint32_t *entangled;   ///< relations whose truth depends on itself at the start
    uint32_t entangled_count;
    foi_op *relation_op;   ///< per relation
    uint32_t *guard_of;    ///< per relation: its guard, or FOI_NOTHING
    uint32_t *relation_of; ///< per guard
    uint32_t *instant_of;  ///< per relation: its place among the instants, or FOI_NOTHING
    uint32_t *floor_of;    ///< per relation: its place among the floors
    uint32_t *relation_at; ///< per instant: its relation
    bool *time_left;       ///< per instant: time stands on the left side
    uint32_t guards, instants;
    uint32_t *turn_relation; ///< relations that a turn may change, in the order of its results
    uint32_t turn_relations; ///< how many these are
    bool *in_turn;           ///< per relation: it is one of them
    uint32_t delays;
    uint32_t *delay_rate_of;             ///< per delay: its place among their rates, or FOI_NOTHING
    bool *delay_stands;                  ///< per delay: the lag is constant between moments
    bool *delay_steps;                   ///< per delay: and so is what is delayed
    uint32_t *delay_line;                ///< per delay: where it was written
    const foi_contents **delay_contents; ///< per delay: of a pipe, at the first of its two ends
    bool has_pipes;                      ///< one of them is
    uint32_t *solved_guess;              ///< per result of FOI_TASK_SOLVED: the guess
    uint32_t *slope_of;                  ///< per guard: its place among the slopes, or FOI_NOTHING
    foi_action *action;                  ///< per action, with its message
    foi_word *word;                      ///< the values in the messages
    uint32_t words;
    uint32_t *action_state;              ///< reinit: which state
    uint32_t *action_rival;              ///< the reinit before it of the same state, or FOI_NOTHING
    uint32_t *limit;                     ///< discretes that hold what flows just before a moment
    uint32_t limits;                     ///< how many these are
    uint32_t *event_input, *event_value; ///< per event: inputs; FOI_NOTHING: it has no value
    uint32_t *hold_action;               ///< per result of FOI_TASK_HOLDS: the action
    uint32_t holds;                      ///< how many these are
    fo_pattern pattern;
    bool has_pattern, has_jacobian;
    uint32_t manifold_count;   ///< constraints that slide
    struct foi_choice *choice; ///< which of its states are the system's; NULL: all
    foi_constraints constraints;
    foi_node *check;          ///< the flow rests on a relation of what is no number | each of those
    const char **check_text;  ///< per check: the relation
    uint32_t checks;          ///< 0: nothing like that can be
    bool checks_stand;        ///< some are of what changes at moments only, or never
    foi_node *carried;        ///< variables with a derivative that may be carried along by a jump
    uint32_t *carried_output; ///< which outputs these are
    uint32_t carrieds;        ///< how many
    size_t told;              ///< where in the memory it is kept that it was said of them
    size_t lost;              ///< and that of an output that has lost digits: 1 + which; -1: said
    foi_node *divisor;        ///< what rates divide by
    uint32_t divisors;        ///< 0: no rate can go to infinity, as far as is known
    const char **rate_text;   ///< per state whose rate can go to infinity: that rate
    bool rate_poles, output_poles; ///< a rate may go to infinity at some time, an output anyhow
    bool leaves_domains;           ///< a rate or output may be undefined for a while: sqrt(x - 1)
    const char **output_text;      ///< per output that can be undefined: what computes it
    uint32_t registers;            ///< the most that a task needs
    uint32_t loops;                ///< of all tasks
    size_t newton;                 ///< doubles of work space that loops need
    size_t held, was, ticks, turned, slack, looked, warned, history, due, guess, since, tilt,
        follow; ///< where they lie in the memory
};

/// Makes a program of a flat model. NULL on failure: `why` says why, and `place` where.
foi_program *foi_program_create(const foi_flat *flat, const fo_allocator *allocator,
                                fo_message *why, foi_place *place);
void foi_program_destroy(foi_program *program);
/// The system; valid while the program lives.
fo_system foi_program_system(const foi_program *program);

/* flow.c */

/// What flows, as expressions over TIME, STATE and DISCRETE that were made elsewhere.
typedef struct foi_flow_def {
    const char *name;
    foi_graph *graph; ///< grows
    uint32_t states, discretes, guards, outputs;
    foi_node *rate, *guard, *output; ///< one per state, guard and output
} foi_flow_def;

/// A program that has rates, guards, outputs and their derivatives, but neither start nor moments;
/// its discretes are the state's d. NULL without memory. Whoever makes a system of it puts the
/// functions into the program's type and lets that be the system's, with this kind.
foi_program *foi_program_create_flow(const foi_flow_def *def, fo_message *why);
extern const char foi_flow_kind[];

/* source.c */

/// The program as C source, with the steps of solvers. Free `text` of the writer with foi_free.
void foi_program_source(const foi_program *program, foi_flat_writer *writer);

/* ways.c */

/// Compiles the program with cc and runs it so from now on, see fo_program_run_as. NULL folder: the
/// user's cache. FO_ERROR_UNFIT where there is no compiler or it fails; the program then runs as
/// before.
fo_status foi_program_compile(foi_program *program, const char *folder, fo_message *why);
/// Compiles the program with cc while it runs, if it runs long enough: what is done where there is
/// no machine code of our own.
fo_status foi_program_compile_beside(foi_program *program, const fo_program_def *def,
                                     fo_message *why);
/// See fo_program_run_as.
fo_status foi_program_run_as(foi_program *program, const fo_program_def *def, fo_message *why);
/// Back to the bytecode machine; ends what is being compiled. Not while a simulation of the program
/// is in a call.
void foi_program_unload(foi_program *program);
/// Whether it runs as machine code.
bool foi_program_is_native(const foi_program *program);

/* native.c */

/// A compiler that runs as another process, so that it can be ended.
typedef struct foi_child foi_child;

/// The source through cc, or from the cache: what the program can run. Without a child only from
/// the cache. NULL on failure.
foi_native *foi_native_load(const foi_flat_writer *source, const char *folder, foi_child *child,
                            fo_message *why);
/// A way without functions yet. NULL without memory.
foi_native *foi_native_new(fo_way way, const char *name, fo_message *why);
/// Frees a way and those before it. Takes NULL.
void foi_native_free(foi_native *native);

foi_child *foi_child_create(void);
/// Ends the compiler if it runs; none is started afterwards.
void foi_child_stop(foi_child *child);
void foi_child_destroy(foi_child *child);

/* constraints.c */

fo_status foi_constraints_number(foi_constraints *c, foi_plan *p, foi_arena *arena);

/// The constraints g(t, z) = 0 at work; z are all the program's states.
typedef struct foi_manifold {
    const foi_program *g;
    const fo_state *v; ///< as the program sees it
    double *computed;  ///< per candidate: 1 where it follows from the others. Kept
    double *sign;      ///< per group: of the determinant of their slopes; 0: not known. Kept
    double *length;    ///< per constraint: of its slopes, the greatest so far. Kept
    double *best;      ///< per group: the best choice's smallest pivot, at its best so far. Kept
    double *results;   ///< residuals | slopes
    double *rounding;  ///< per constraint
    double *matrix;    ///< of one group
    double *d;         ///< per constraint of a group
    double *before;    ///< per group: the length of the last step; negative: it is solved
    double *now;       ///< per group: the sign of the last determinant
    uint32_t *list;    ///< per candidate
    uint32_t *pivot;   ///< per constraint
    uint32_t failed;   ///< the constraint that could not be solved
    bool crossed;      ///< a solution was found, but beyond a singular point
} foi_manifold;

/// Lays it out in `kept` and `work`; how many doubles these must have.
foi_manifold foi_manifold_of(const foi_program *g, const fo_state *v, double *kept, double *work);
size_t foi_manifold_kept(const foi_constraints *c);
size_t foi_manifold_work(const foi_constraints *c);

/// Solves for what is computed, from where it is in z. FO_RETRY where the solution is not sure to
/// be the one that z leads to; with `leap` any will do. `failed` then says which constraint.
fo_status foi_manifold_solve(foi_manifold *m, double t, double *z, bool leap);
/// Whether all constraints hold at (t, z) but for rounding.
fo_status foi_manifold_holds(foi_manifold *m, double t, const double *z, bool *does);
/// Looks whether all hold as exactly as rounding lets them, and notes the signs. FO_ERROR_MODEL
/// with a message where not.
fo_status foi_manifold_check(foi_manifold *m, double t, const double *z);
/// Residuals and slopes at z.
fo_status foi_manifold_evaluate(foi_manifold *m, double t, const double *z);

/* manifold_proof.c */

/// A straight way between two points on the constraints.
typedef struct foi_way_between {
    double t0, t1;
    const double *z0, *z1;
} foi_way_between;

/// Whether what is computed is proved to follow continuously from the one point to the other; true
/// also where there are no bounds for a proof.
bool foi_manifold_follows(const foi_manifold *m, const foi_way_between *on, double *work);
/// How many doubles of work space it needs.
size_t foi_manifold_proof_work(const foi_program *g);

/* pivots.c */

/// Nothing is known of the pivots yet: at the start, and where a jump may have changed everything.
void foi_manifold_forget(foi_manifold *m);
/// Chooses what is to be computed, by pivots of the slopes at z; not what was `set` (per candidate,
/// may be NULL), if that can be. FO_ERROR_MODEL with a message where there is no choice.
fo_status foi_manifold_choose(foi_manifold *m, double t, const double *z, const bool *set);
/// Whether the present choice has become much worse than the best one. After
/// foi_manifold_evaluate at z.
fo_status foi_manifold_judge(foi_manifold *m, double t, bool *bad);

/* choice.c */

/// The system of a program whose states have constraints: its states are chosen in the run.
typedef struct foi_choice foi_choice;

/// NULL without memory.
foi_choice *foi_choice_create(const foi_program *program);
void foi_choice_destroy(foi_choice *choice);
fo_system foi_choice_system(const foi_choice *choice);
/// After reinit has changed states in a jump, as the program sees them: those that follow from them
/// by constraints change, too.
fo_status foi_choice_reinit(const foi_choice *choice, fo_state *v);
/// The program whose choice a system is, or NULL.
foi_program *foi_choice_owner(fo_system system);

/* describe.c */

fo_status foi_program_describe(foi_program *program, foi_plan *p);

/* undefined.c */

/// Finds out whether outputs can be undefined, and what computes those where they are variables.
fo_status foi_program_find_undefined(foi_program *program, foi_plan *p);
/// Finds relations inside of noEvent that may compare what is not a number: fills in `check`.
/// Whether rates or outputs may be undefined for a while: leaves_domains.
fo_status foi_program_find_domains(foi_program *program, foi_plan *p);
fo_status foi_program_find_checks(foi_program *program, foi_plan *p);
/// The same for what moments and the start compute: it is not a number then, as they find out.
fo_status foi_program_doubt_moments(foi_plan *p);
/// See fo_system_type.expression.
const char *foi_program_expression(const void *model, fo_reference which, char *text, size_t size);

/* divisors.c */

/// Finds what rates divide by. Makes nodes: before the tasks are emitted.
fo_status foi_program_find_divisors(foi_program *program, foi_plan *p);
/// See fo_system_type.divisors.
fo_status foi_program_divisors(const void *model, const fo_state *s, double t, const double *x,
                               double *values);

/* carried.c */

/// Finds variables that have a derivative, are no states, and may jump in moments.
fo_status foi_program_find_carried(foi_program *program, foi_plan *p);
/// Before a jump: remembers them. False where they have no values.
bool foi_carried_before(const foi_program *g, const fo_state *s);
/// After it: says once of each that it has jumped without a reinit.
void foi_carried_after(const foi_program *g, fo_state *s);

/* abrupt.c */

/// Finds out whether rates can change abruptly between moments: about.abrupt.
fo_status foi_program_find_abrupt(foi_program *program, foi_plan *p);

/* first.c */

/// Finds relations whose truth depends on itself at the start: fills in `entangled`. False without
/// memory.
bool foi_program_find_entangled(foi_program *program, const fo_allocator *allocator);

/* evaluate.c */

static inline double *foi_memory(const fo_state *s, size_t at)
{
    return (double *)s->memory + at;
}

/// Everything that a task may be given, per kind of leaf. NULL: not needed.
typedef struct foi_given {
    double t;
    const double *from[FOI_LEAF_KINDS];
    const double *guesses;
} foi_given;

/// What the state gives: d, u, p, held, guesses. Written in place: events ask for it often, and a
/// copy of it is as dear as what is computed from it.
void foi_give(foi_given *given, const foi_program *g, const fo_state *s, double t, const double *x);
/// Runs a task and copies its results. FO_ERROR_CONVERGE says which loop in s->message.
fo_status foi_program_run(const foi_program *g, const fo_state *s, foi_task task,
                          const foi_given *given, double *results);
/// How the loops of a task are to be solved.
typedef struct foi_solving {
    double *found;                   ///< where the solutions go, per guess
    bool brief, first, any, lenient; ///< see foi_run
    const double *only;
    const uint32_t *rank;
    double reach;
    uint32_t *stopped;
} foi_solving;

/// The same from the guesses as they are, whatever was followed so far. `solving` may be NULL.
fo_status foi_program_run_once(const foi_program *g, const fo_state *s, foi_task task,
                               const foi_given *given, const foi_solving *solving, double *results);
/// The function that does a task now.
foi_task_function *foi_program_function(const foi_program *g, foi_task task);
/// The short way for what is asked all the time: a task of the flow at (t, x).
fo_status foi_program_flow(const foi_program *g, const fo_state *s, foi_task task, double t,
                           const double *x, double *results);
/// How much scratch space the functions need, and where the part for moments begins.
size_t foi_program_scratch(const foi_program *g);
double *foi_program_work(const foi_program *g, const fo_state *s);
/// And that for what jumps may carry along: before | after | states before.
double *foi_program_carried(const foi_program *g, const fo_state *s);
/// And that for delays.
double *foi_program_lags(const foi_program *g, const fo_state *s);
/// And that for following.
double *foi_program_follow_scratch(const foi_program *g, const fo_state *s);

fo_status foi_program_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx);
fo_status foi_program_guards(const void *model, const fo_state *s, double t, const double *x,
                             double *g);
/// FO_ERROR_NUMBER where the flow rests on a relation that compares what is not a number.
fo_status foi_program_look_at_checks(const foi_program *program, const fo_state *s, double t,
                                     const double *x);
fo_status foi_program_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y);
/// tangent.c: see fo_system_type.tangent.
fo_status foi_program_tangent(const void *model, const fo_state *s, double t, const double *x,
                              const fo_seed *along, const fo_tangent *to);
fo_status foi_program_jacobian(const void *model, const fo_state *s, double t, const double *x,
                               double *values);
/// See fo_system_type.march.
bool foi_program_march(const void *model, const fo_state *s, fo_march *m);
const fo_pattern *foi_program_pattern(const void *model, const fo_state *s);
/// Which signs of its guards agree with the truth that its relations are held at.
void foi_program_held(const void *model, const fo_state *s, uint8_t *signs);
fo_status foi_program_guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                   fo_enclosure *e);
/// Whether its outputs are enclosed, and the enclosures: fo_system_type.output_bounds.
bool foi_program_encloses_outputs(const foi_program *g);
fo_status foi_program_output_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                    fo_enclosure *e);
/// Whether what flows may be undefined for a while, and enclosures can tell.
bool foi_program_looks_for_failure(const foi_program *g);
bool foi_program_may_fail(const void *model, const fo_state *s, const fo_stretch *on);
/// Whether it has poles that it can tell of, and where they may be: fo_system_type.may_diverge.
bool foi_program_looks_for_poles(const foi_program *g);
bool foi_program_may_diverge(const void *model, const fo_state *s, const fo_stretch *on,
                             fo_quantity of);
/// Whether it has bounds of slopes: nothing that flows depends on a loop or a delay.
bool foi_program_encloses_slopes(const foi_program *g);
fo_status foi_program_slope_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                   const double *push, fo_enclosure *e);
fo_status foi_program_settle(const void *model, fo_state *s, double t, const double *x);

/* follow.c */

/// Runs a task with the solutions of loops that follow from those of the last step.
/// FO_ERROR_CONVERGE where they cannot be followed.
fo_status foi_follow(const foi_program *g, const fo_state *s, foi_task task, const foi_given *given,
                     double *results);
/// What loops have found in the last run, per guess.
double *foi_follow_found(const foi_program *g, const fo_state *s);
/// A step ends with this given: the next one begins here. `passed`: how long it was.
void foi_follow_keep(const foi_program *g, const fo_state *s, const foi_given *now, double passed);
/// A run begins: there is no step yet.
void foi_follow_forget(const foi_program *g, const fo_state *s);
/// Whether a code has loops that are followed.
bool foi_code_is_followed(const foi_code *code);
/// How many doubles it needs.
size_t foi_follow_memory(const foi_program *g);
size_t foi_follow_scratch(const foi_program *g);

/* words.c */

/// The message of an action at (t, x), with its values. Returns `text`.
const char *foi_action_text(const foi_program *g, const fo_state *s, double t, const double *x,
                            const foi_action *a, char *text, size_t size);

/* delay.c */

/// The delayed values at (t, x), for FOI_LEAF_DELAYED. FO_RETRY where a step is longer than a lag.
fo_status foi_delays_read(const foi_program *g, const fo_state *s, const foi_given *given,
                          const double **values);
/// The same on a stretch, into the registers of FOI_LEAF_DELAYED.
void foi_delays_enclose(const foi_program *g, const fo_state *s, const foi_given *given,
                        const fo_stretch *on, foi_enclosed *r);
/// At the start, with x and d solved: the histories begin.
fo_status foi_delays_begin(const foi_program *g, fo_state *s);
/// After an accepted step or a jump: the histories go on.
fo_status foi_delays_record(const foi_program *g, fo_state *s, double t, const double *x);
/// See fo_system_type.record.
fo_status foi_delays_between(const void *model, fo_state *s, const fo_path *path);
/// When the next turning point of a history comes out of its delay; `which` says of which.
double foi_delays_next(const foi_program *g, const fo_state *s, uint32_t *which);
/// Lets the turning points pass that come out now.
fo_status foi_delays_pass(const foi_program *g, fo_state *s);
/// How many doubles all histories take, and how much scratch space they need.
size_t foi_delays_due(const foi_program *g);
size_t foi_delays_memory(const foi_program *g);
size_t foi_delays_scratch(const foi_program *g);
/// The longest step that the lags allow with the numbers of the description; 0: any.
double foi_delays_longest_step(foi_plan *p);

/* moment.c */

fo_status foi_program_start(const void *model, fo_state *s);
fo_next foi_program_next(const void *model, const fo_state *s);
fo_status foi_program_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e);
fo_status foi_program_finish(const void *model, fo_state *s);
/// See fo_system_type.side.
fo_status foi_program_side(const void *model, fo_state *s, const int8_t *sides);

#endif
