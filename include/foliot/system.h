/// The waist: a system is states that flow, guards that watch them, and jumps that happen at a
/// moment. Everything that makes a model makes a system; everything that moves time moves one.
///
/// A system is constant: its functions, its description and its model may be shared by any number
/// of simulations and threads. All that changes lives in the state.
#ifndef FOLIOT_SYSTEM_H
#define FOLIOT_SYSTEM_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------ the state

/// How large a system is. The first four may change at a moment (fo_state_resize).
typedef struct fo_shape {
    uint32_t states;     ///< x: flows between moments
    uint32_t discretes;  ///< d: changes only at moments
    uint32_t guards;     ///< real functions whose zero crossings are moments
    uint32_t conditions; ///< boolean functions whose changes are moments
    uint32_t inputs;     ///< u: comes from outside, constant between moments or connected
    uint32_t outputs;    ///< y: what others may see
    uint32_t parameters; ///< p: set before the start, or from outside at a moment
    uint32_t pairs; ///< x[0..pairs) are positions q, x[pairs..2 pairs) their velocities: q' = v
    size_t memory;  ///< bytes of any other state: delay lines, sums; copied by a snapshot
    size_t scratch; ///< bytes of work space for rates, guards and observe; never copied
} fo_shape;

/// Everything that changes while a simulation runs; one block, copied by a snapshot.
/// Rates, guards and observe read d, u, p and memory here but take t and x from their arguments.
typedef struct fo_state {
    double t;             ///< time of the last moment or visible instant [s]
    uint32_t k;           ///< superdense time: counts the jumps at one instant
    double *x;            ///< states at t
    double *d;            ///< discretes
    double *u;            ///< inputs
    double *p;            ///< parameters
    void *memory;         ///< shape.memory bytes, aligned to 16
    void *scratch;        ///< shape.scratch bytes, one per evaluating thread
    fo_shape shape;       ///< how large all that is now
    uint64_t seed;        ///< of every random stream of the run
    fo_message *message;  ///< where a model's function says why it fails
    struct fo_host *host; ///< who owns the memory; used by fo_state_resize
    double stop; ///< where the run ends [s]: a tick of a clock that is meant for it happens there
} fo_state;

/// Ends a model's function with a reason: `return fo_refuse(s, "l must be positive, is %g", l);`
/// Returns FO_ERROR_MODEL.
__attribute__((format(printf, 2, 3))) fo_status fo_refuse(const fo_state *s, const char *format,
                                                          ...);

/// Says something to whoever watches the run, which goes on: `fo_note(s, "the tank is empty")`.
/// From start, jump, settle, observe and finish.
__attribute__((format(printf, 2, 3))) void fo_note(const fo_state *s, const char *format, ...);

/// For use inside a jump: gives the system another number of states, discretes, guards or
/// conditions. What both sizes have is kept, what is new is zero; x, d and the shape in `s` are
/// those of the new size when it returns. Returns FO_OK or FO_ERROR_MEMORY (nothing changed).
fo_status fo_state_resize(fo_state *s, uint32_t states, uint32_t discretes, uint32_t guards,
                          uint32_t conditions);

/// How exactly states are followed: the errors of a step and its length, as in fo_run_def. To
/// change it, what is negative stays as it is:
///
///     fo_accuracy a = fo_same_accuracy();
///     a.max_step = 0.1;
typedef struct fo_accuracy {
    double rtol, atol;         ///< error wanted per unit of state, and absolutely
    double min_step, max_step; ///< [s]; 0: none
} fo_accuracy;
/// -1 everywhere.
fo_accuracy fo_same_accuracy(void);

/// For use inside a jump: the run goes on with this accuracy and the same method. Returns FO_OK,
/// FO_ERROR_ARGUMENT where the numbers make no sense, FO_ERROR_UNFIT where nobody can do that.
fo_status fo_state_accuracy(fo_state *s, const fo_accuracy *to);

/// What fo_state_resize, fo_note and fo_state_accuracy ask of the state's owner (the simulation, or
/// a composition).
typedef struct fo_host {
    fo_status (*resize)(struct fo_host *host, fo_state *s, const fo_shape *shape);
    void (*note)(struct fo_host *host, double t, const char *text); ///< NULL: nobody listens
    fo_status (*accuracy)(struct fo_host *host, fo_state *s,
                          const fo_accuracy *to); ///< may be NULL
} fo_host;

// ------------------------------------------------------------------------------------- moments

/// Which way a guard must go through zero, or a condition must change, to be a moment.
typedef enum fo_direction { FO_EITHER = 0, FO_RISING = 1, FO_FALLING = -1 } fo_direction;

/// Why a jump is called.
typedef enum fo_moment_kind {
    FO_GUARD,     ///< guard `index` reached zero in `direction`
    FO_CONDITION, ///< condition `index` changed in `direction` (FO_RISING: became true)
    FO_SCHEDULED, ///< the time that `next` gave, for its moment `index`
    FO_EXTERNAL,  ///< event `index` came from outside with `value`
    FO_AGAIN,     ///< the jump before this one asked to look again at this instant
    FO_ZENO,      ///< guard `index` accumulates towards `limit`; rest there, or it is an error
    FO_SET,       ///< a variable was set from outside; jump hears of it where it `hears_sets`
    FO_REST,      ///< from here on guard `index` is held at zero, where its moments accumulate
    FO_REST_END,  ///< nothing holds it there any more: `why`
    FO_SLIDE,     ///< from here on the solution slides along the zero of guard `index`
    FO_SLIDE_END, ///< it leaves it: `direction` says to which side, `why` in words
} fo_moment_kind; // the last four are reported, jump is not called with them

/// A guard that passes zero at the instant of a moment.
typedef struct fo_crossing {
    uint32_t guard;
    fo_direction direction;
    double slack; ///< as that of its own moment
} fo_crossing;

/// One moment: an instant of superdense time with its cause.
/// Moments of one instant happen in the order of their priority (smaller first); those of equal
/// priority in the order scheduled, external, guards, conditions, and among those of one kind in
/// the order in which they were scheduled, sent or declared. Each is a jump of its own and
/// raises k by one.
typedef struct fo_moment {
    fo_moment_kind kind;
    uint32_t index;
    fo_direction direction;
    double t;
    uint32_t k;
    double value; ///< FO_EXTERNAL and FO_SET: what was sent
    double limit; ///< FO_ZENO: the time towards which the moments accumulate
    double slack; ///< FO_GUARD: |guard| up to this is zero but for the rounding of its time; at a
                  ///< jump of the guard 0
    const char *name;
    const char *why;         ///< FO_REST_END and FO_SLIDE_END: what ended it; otherwise NULL
    const fo_crossing *with; ///< in the first moments of an instant: all guards that pass zero at
    uint32_t with_count;     ///< it, so that nothing needs to act on what is true of some of them
} fo_moment;

/// What a jump did. All false when the jump is called: values changed, nothing special.
typedef struct fo_effect {
    bool unchanged; ///< nothing that rates, guards or conditions see was changed: no restart
    bool again;     ///< look again at this instant: call jump with FO_AGAIN when all due is done
    bool stop;      ///< end the simulation here
    bool rest;      ///< answer to FO_ZENO: the system rests, go on from the limit
    bool stuck;     ///< guard `guard` stays on neither side of zero: either mode brings it back
    uint32_t guard; ///< which one; the simulation looks whether the solution slides along it
} fo_effect;

/// From which side a guard that stands at zero is looked at.
typedef enum fo_stand {
    FO_STAND_AS_IS = 0,
    FO_STAND_ABOVE = 1,  ///< it leaves zero upwards: what depends on that happens
    FO_STAND_BELOW = -1, ///< downwards
    FO_STAND_SEEN_ABOVE =
        2, ///< the mode is that above zero and stays so whatever the guard's value
    FO_STAND_SEEN_BELOW = -2, ///< is; nothing happens. The same below.
    FO_STAND_KEPT = 3,        ///< the mode stays as it is, whatever the guard's value is
} fo_stand;

/// The next moment that is known in advance. t = INFINITY: none.
typedef struct fo_next {
    double t;
    uint32_t index; ///< into the description's moments
} fo_next;

// --------------------------------------------------------------------- what a system is called

/// What a variable is to those outside. Nothing said: parameters are parameters, inputs are inputs,
/// outputs are outputs, states and discretes are local.
typedef enum fo_causality {
    FO_CAUSALITY_BY_LIST, ///< as its list says
    FO_CAUSALITY_PARAMETER,
    FO_CAUSALITY_INPUT,
    FO_CAUSALITY_OUTPUT,
    FO_CAUSALITY_LOCAL,
    FO_CAUSALITY_CALCULATED, ///< a parameter that follows from others
} fo_causality;

/// When a variable may change. Nothing said: parameters are tunable, inputs and discretes are
/// discrete, states and outputs are continuous.
typedef enum fo_variability {
    FO_VARIABILITY_BY_LIST,
    FO_VARIABILITY_CONSTANT,
    FO_VARIABILITY_FIXED,    ///< when the model is opened; it then stays
    FO_VARIABILITY_TUNABLE,  ///< from outside, at a moment
    FO_VARIABILITY_DISCRETE, ///< at moments only
    FO_VARIABILITY_CONTINUOUS,
} fo_variability;

/// What its numbers mean. They are doubles all the same: a boolean is 0 or 1, an enumeration counts
/// its literals from 1.
typedef enum fo_value_type { FO_REAL, FO_INTEGER, FO_BOOLEAN, FO_ENUMERATION } fo_value_type;

/// A named quantity: a state, discrete, input, output or parameter.
typedef struct fo_variable {
    const char *name;
    const char *unit;  ///< NULL or "": a pure number
    double start;      ///< start value or default
    const char *about; ///< one line; may be NULL
    double min, max;   ///< both 0: no bounds; otherwise checked where a value comes from outside
    bool direct;       ///< outputs: depends directly on an input (feedthrough)
    fo_causality causality;
    fo_variability variability;
    fo_value_type type;
    const char *display_unit; ///< in which people want to see it; NULL: the unit
} fo_variable;

/// Bounds of a fo_variable, in the places of `min` and `max`: {"m", "kg", 1, "mass", FO_POSITIVE}.
#define FO_POSITIVE     DBL_TRUE_MIN, INFINITY
#define FO_NOT_NEGATIVE 0, INFINITY

/// A value for a number of a model, by name.
typedef struct fo_setting {
    const char *name;
    double value;
    bool taken; ///< afterwards: there is such a number
} fo_setting;

/// A named guard or condition.
typedef struct fo_guard {
    const char *name;
    fo_direction direction;
    const char *about; ///< the relation and what the jump does
    int priority;
    bool rests;   ///< the jump can answer FO_ZENO
    bool bounded; ///< guard_bounds gives finite bounds: crossings are certified
} fo_guard;

/// A named time moment or external event.
typedef struct fo_event {
    const char *name;
    const char *unit; ///< external events: of the value
    const char *about;
    int priority;
} fo_event;

#define FO_COUNT(...) (sizeof(__VA_ARGS__) / sizeof((__VA_ARGS__)[0]))
/// `.states = FO_VARIABLES({"h", "m", 1.5}, {"v", "m/s"})`. The lists live as long as the block
/// that they stand in: for a static description write it outside of any function.
#define FO_VARIABLES(...)                                                                \
    {                                                                                    \
        (const fo_variable[]){__VA_ARGS__}, FO_COUNT((const fo_variable[]){__VA_ARGS__}) \
    }
#define FO_GUARDS(...)                                                             \
    {                                                                              \
        (const fo_guard[]){__VA_ARGS__}, FO_COUNT((const fo_guard[]){__VA_ARGS__}) \
    }
#define FO_EVENTS(...)                                                             \
    {                                                                              \
        (const fo_event[]){__VA_ARGS__}, FO_COUNT((const fo_event[]){__VA_ARGS__}) \
    }

typedef struct fo_variables {
    const fo_variable *list;
    size_t count;
} fo_variables;
typedef struct fo_guards {
    const fo_guard *list;
    size_t count;
} fo_guards;
typedef struct fo_events {
    const fo_event *list;
    size_t count;
} fo_events;

/// Names, units and defaults; constant. The counts give the shape at the start, unless the type
/// has a `shape` function. Used by messages, CSV, `foliot show`, the studio and FMI.
typedef struct fo_description {
    const char *name;      ///< of the model
    const char *about;     ///< one line
    const char *equations; ///< text for people, lines separated by \n; may be NULL
    fo_variables states, discretes, inputs, outputs, parameters;
    fo_guards guards, conditions;
    fo_events moments; ///< known in advance: what `next` may name
    fo_events events;  ///< from outside
    uint32_t pairs;    ///< see fo_shape
    size_t memory, scratch;
    bool stiff;        ///< a hint: choose a stiff solver
    bool outputs_fail; ///< an output can be undefined: it is looked at after every step
    bool follows;      ///< `settle` follows solutions of nonlinear equations from step to step
    bool abrupt;       ///< rates may change abruptly between moments (abs, max, noEvent): steps
                       ///< are at most a hundredth of the run's scale, and strict
    double max_step;   ///< 0: none; delays, sampled inputs
    bool constrained;  ///< the states are some of more variables that constraints bind, and others
                       ///< become the states in the run: steps are strict
} fo_description;

typedef enum fo_quantity {
    FO_TIME,
    FO_STATE,
    FO_DISCRETE,
    FO_INPUT,
    FO_OUTPUT,
    FO_PARAMETER,
} fo_quantity;

/// One number of a system.
typedef struct fo_reference {
    fo_quantity quantity;
    uint32_t index;
} fo_reference;

// ----------------------------------------------------------------- what a system may also give

/// Where a sparse matrix has entries: compressed columns, rows ascending in each column.
typedef struct fo_pattern {
    uint32_t n;
    const uint32_t *start; ///< n + 1 offsets into `row`
    const uint32_t *row;
} fo_pattern;

/// Where to, in time, states and inputs; NULL: these stay.
typedef struct fo_seed {
    double t;
    const double *x, *u;
} fo_seed;

/// How rates, guards and outputs change along a direction; NULL: not wanted.
typedef struct fo_tangent {
    double *rates, *guards, *outputs;
} fo_tangent;

/// Bounds of a set of values: lo[i] <= v[i] <= hi[i].
typedef struct fo_bounds {
    double *lo, *hi;
} fo_bounds;

/// A stretch of a solution: what time, states and rates can be on it. The solution is a curve of
/// exact numbers; the points at which guards are computed lie beside it by a rounding error. Bounds
/// of t and x hold both.
typedef struct fo_stretch {
    double t_lo, t_hi; ///< t_lo <= t <= t_hi
    fo_bounds x, dx;   ///< of x(t) and of x'(t) on the stretch; dx with NULLs: not asked for
    double t_mid;      ///< a time of the stretch, about its middle
    fo_bounds x_mid;   ///< of x(t_mid), as narrow as rounding allows, but no narrower than what
                       ///< rounding does to x anywhere on the stretch; NULLs: not known
    double t_slack;    ///< what rounding does to t on the stretch, and to t_mid, is not more
} fo_stretch;

/// What a guard may do on a stretch, beside moving continuously; 0: nothing of that.
typedef enum fo_nature {
    FO_MAY_JUMP = 1,         ///< it may jump, or have a pole: signs at the ends do not tell all
    FO_MAY_BE_UNDEFINED = 2, ///< it may not be a number somewhere
    FO_NOT_ENCLOSED = 4,     ///< its bounds are not proved: an opaque function, a loop, a delay
} fo_nature;

/// What guards can be on a stretch; every bound is rounded outwards. `g` holds wherever the guard
/// is defined, jumps included, for its exact values and for those that `guards` computes; `dg`
/// holds for its exact derivative along the solution wherever that exists. Whoever asks has set all
/// bounds to -INFINITY..INFINITY and `nature` to 0.
typedef struct fo_enclosure {
    fo_bounds g, dg; ///< dg with NULLs: not asked for
    uint8_t *nature; ///< per guard: of fo_nature, or'ed
} fo_enclosure;

/// Signs of a guard that a model holds possible; see fo_system_type.held.
typedef enum fo_sign { FO_BELOW = 1, FO_AT_ZERO = 2, FO_ABOVE = 4 } fo_sign;

/// A part of the solution that a step has found, and how exactly it was asked for.
typedef struct fo_path {
    double from, to;
    double rtol, atol;
    void *self;
    /// The states and their derivatives at t, from <= t <= to.
    void (*at)(void *self, double t, double *x, double *dx);
} fo_path;

/// A system that steps itself best: a fused grid sweep, a co-simulation FMU. Takes x from t to
/// t + h in one go; may use and change `s->memory`. Dense output is a cubic through the rates when
/// the type has them, a straight line otherwise.
typedef struct fo_stepper {
    const char *name;
    int order;
    fo_status (*step)(const void *model, fo_state *s, double t, double h, const double *x,
                      double *x_new);
    bool looks; ///< it returns FO_ERROR_NUMBER where x_new is not finite; others are looked after
} fo_stepper;

/// Steps of an explicit Runge-Kutta method that a system takes in code of its own, with its rates
/// inlined: what the solver knows before and after them. The arithmetic is the solver's, operation
/// by operation, and so are the bits; what is out of the ordinary is left to the solver, which
/// takes that step itself and asks again.
typedef struct fo_march {
    const char *method; ///< a name from `foliot solvers`
    double *x0, *f0;    ///< states and rates at t0, where the last step began; may be swapped
    double *x1, *f1;    ///< with these: at t1, where it ended and the next one begins
    double *k;          ///< adaptive steps: its stages after the first, but for the one that is f1
    double *w;          ///< adaptive steps: where the last stage before x1 was taken
    double t0, t1;      ///< [s]
    double stop;        ///< steps are taken until t1 >= stop [s]
    double goal;        ///< a step that comes so far ends there, or is left to the solver [s]
    uint64_t budget;    ///< or until there are so many
    uint64_t steps, tries; ///< how many there are
    double step;           ///< fixed steps: t = base + count * step
    double base, count;
    double h;          ///< adaptive steps: what to try next [s]
    double taken;      ///< what the last step was
    double error2;     ///< its squared error in units of the tolerance
    double before;     ///< the step control's memory
    double rtol, atol; ///< the tolerance
    double longest, shortest;
    double stability; ///< > 0: a step with h |f1 - k| > this |x1 - w| is the last one, where k is
                      ///< the last stage before f1
    double wary;      ///< adaptive steps that begin before this time have to be strict [s]
    bool heeds;       ///< set by a system that sees to that; others are not asked before that time
    double until;     ///< a goal before this is a moment of the system's own (`next`), with nobody
                      ///< to see it: it may let it happen, as `jump` would, set goal to the next
                      ///< one, and go on. Discretes and memory are then changed. -INFINITY: no [s]
    double last_jump; ///< when the last moment was that changed something [s]
    uint64_t moments; ///< how many have happened in the march
} fo_march;

/// What a system does. Only `rates` is needed where there are states.
///
/// `rates`, `guards`, `conditions`, `observe` and the optional functions are pure: the same (s, t,
/// x) gives the same bits, and nothing changes but the result and the scratch space, so that
/// solvers may call them at trial points in any order.
typedef struct fo_system_type {
    const char *kind; ///< "C", "program", "world of processes", "structure", "field", "fmu"

    /// Overrides the shape that the description's counts give. May be NULL.
    void (*shape)(const void *model, fo_shape *shape);
    /// x, d and p hold start values and parameters (defaults or the user's). Checks them, solves
    /// initial conditions, fills memory. May be NULL.
    fo_status (*start)(const void *model, fo_state *s);
    /// dx = f(t, x), all of dx. With `mass`: M dx/dt = f(t, x).
    fo_status (*rates)(const void *model, const fo_state *s, double t, const double *x, double *dx);
    fo_status (*guards)(const void *model, const fo_state *s, double t, const double *x, double *g);
    fo_status (*conditions)(const void *model, const fo_state *s, double t, const double *x,
                            bool *c);
    /// The next moment known in advance, not before s->t. May be NULL: none.
    fo_next (*next)(const void *model, const fo_state *s);
    /// Something happened at (s->t, s->k): change s. May be NULL when there are no moments.
    fo_status (*jump)(const void *model, fo_state *s, const fo_moment *m, fo_effect *e);
    /// Outputs at (t, x). May be NULL when there are none.
    fo_status (*observe)(const void *model, const fo_state *s, double t, const double *x,
                         double *y);
    /// After an accepted step to (t, x): delay lines, memory nodes, halo exchange. May change
    /// `s->memory` and `s->d`, not x. May be NULL.
    fo_status (*settle)(const void *model, fo_state *s, double t, const double *x);

    /// The run has come to its end: the stop time is reached, or a jump has stopped it. A last
    /// moment, which may change s. May be NULL.
    fo_status (*finish)(const void *model, fo_state *s);

    /* What a system may add, and who uses it */

    /// Runs all its moments up to and including `until` by itself, in their order, and leaves s->t
    /// at `until`; or earlier when it stops (e->stop), or when states, guards or conditions have
    /// come to be. Called instead of `next` and `jump` while there are none of these and nobody
    /// watches the single moments: worlds of processes only. May be NULL.
    fo_status (*run)(const void *model, fo_state *s, double until, fo_effect *e);

    /// Where df/dx has entries; NULL: everywhere. Constant while the shape is.
    const fo_pattern *(*pattern)(const void *model, const fo_state *s);
    /// df/dx at (t, x): values in the order of the pattern, or all n*n column by column.
    fo_status (*jacobian)(const void *model, const fo_state *s, double t, const double *x,
                          double *values);
    /// M of M x' = f(t, x), all n*n column by column; constant between moments. For rodas4, radau5.
    fo_status (*mass)(const void *model, const fo_state *s, double *values);
    /// r = F(t, x, x'). For ida.
    fo_status (*residual)(const void *model, const fo_state *s, double t, const double *x,
                          const double *dx, double *r);
    /// A guess of x' at the start for `residual`; NULL: rates, or zero.
    fo_status (*start_rates)(const void *model, const fo_state *s, double t, const double *x,
                             double *dx);
    /// The stiff part of the rates alone, for IMEX methods; the rest is rates minus this.
    fo_status (*stiff_rates)(const void *model, const fo_state *s, double t, const double *x,
                             double *dx);
    /// Encloses the guards and their derivatives on a stretch of the solution. A guard without a
    /// bound is left at -INFINITY..INFINITY. Certified event isolation.
    fo_status (*guard_bounds)(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e);
    /// Which signs of each guard agree with what the model holds of it at present: of fo_sign,
    /// or'ed. A relation x > 0 that is held true agrees with FO_ABOVE, held false with FO_BELOW |
    /// FO_AT_ZERO. Such a guard fires when its sign does not agree, whatever its direction; so what
    /// is held and what is true cannot part. 0: nothing is held, the direction counts. The four
    /// higher bits may tell the cells apart that a guard's zeros separate. May be NULL: nothing is
    /// held of any guard.
    void (*held)(const void *model, const fo_state *s, uint8_t *signs);
    /// Takes steps as the solver would; see fo_march. False: it has no code of its own for the
    /// method, or not yet; nothing has changed then. Called where a step begins. May be NULL.
    bool (*march)(const void *model, const fo_state *s, fo_march *m);
    /// Steps itself, when the solver `own` is chosen (the default where it is given).
    const fo_stepper *stepper;
    /// What there is at the start comes to be in the moments of the start: the first row is shown
    /// after them, not before. Worlds of processes.
    bool starts_in_moments;
    /// Writes what computes an output, a discrete or the rate of a state, for messages: "`y =
    /// sqrt(x - 1)` (line 3)".
    /// Returns NULL where it cannot say. May be NULL.
    const char *(*expression)(const void *model, fo_reference which, char *text, size_t size);
    /// `jump` is called with FO_SET too, when the value has been set: for what the system computes
    /// at moments only. Otherwise the value is set and nothing is said.
    bool hears_sets;
    /// Puts the mode of s to that on one side of guards that stand at zero: `sides` has an fo_stand
    /// for each guard. For rest and sliding, see docs/sliding.md. NULL: the simulation finds the
    /// modes by jumps on copies of the state, or by rates on either side.
    fo_status (*side)(const void *model, fo_state *s, const int8_t *sides);
    /// The states may be one process's part of those of several, which advance in lockstep (boxes
    /// of a field): nothing is decided by this part alone, so that there is neither rest nor
    /// sliding.
    bool lockstep;
    /// NULL: a snapshot is a copy of the state. Otherwise why that cannot be.
    const char *no_snapshot;
    /// Encloses the guards' slopes along the rates, a = dg/dt + grad g . f(t, x), for all t and x
    /// of a stretch (what else it says is not looked at), into e->g; and into e->dg how these
    /// change, along the rates: da/dt + grad a . f, or where `push` is given along that: grad a .
    /// push. With it the ends of rests and slides are proved. May be NULL.
    fo_status (*slope_bounds)(const void *model, const fo_state *s, const fo_stretch *on,
                              const double *push, fo_enclosure *e);
    /// Whether rates or outputs may be undefined somewhere on a stretch of the solution: the root
    /// of something negative, which steps would pass over. Where that is so it is looked at
    /// closely. False says for sure that they are defined. NULL: they are, or only the ends of
    /// steps tell.
    bool (*may_fail)(const void *model, const fo_state *s, const fo_stretch *on);
    /// Derivatives of rates, guards and outputs along a direction, exact but for rounding, with
    /// what is held as it is. FO_RETRY: there are none at this point. May be NULL.
    fo_status (*tangent)(const void *model, const fo_state *s, double t, const double *x,
                         const fo_seed *along, const fo_tangent *to);
    /// What lies between the last point that was settled and the next one, which `settle` is called
    /// for after it: for delay lines that must be right between the ends of steps, too. May change
    /// `s->memory`. May be NULL.
    fo_status (*record)(const void *model, fo_state *s, const fo_path *path);
    /// Whether a rate (FO_STATE) or an output (FO_OUTPUT) may go to infinity somewhere on a stretch
    /// of the solution: a pole, with numbers on both sides, which steps would pass over. False says
    /// for sure that none does. NULL: none does, or nobody knows.
    bool (*may_diverge)(const void *model, const fo_state *s, const fo_stretch *on, fo_quantity of);
    /// What rates divide by, and the like: `divisor_count` numbers at (t, x), each of which passes
    /// zero where a rate may go to infinity (1 - x for 1/(1 - x), cos(x) for tan(x)). Where one
    /// changes its sign on a step, it is looked whether a rate does. NULL: none, or nobody knows.
    fo_status (*divisors)(const void *model, const fo_state *s, double t, const double *x,
                          double *values);
    uint32_t divisor_count;
    /// Encloses the outputs and their derivatives on a stretch of the solution, as guard_bounds
    /// does the guards: e->g and the others have a place for each output. Measures of runs are
    /// proved with it. May be NULL.
    fo_status (*output_bounds)(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e);
} fo_system_type;

/// A system: what it does, what it is called, and what its functions get as `model`.
typedef struct fo_system {
    const fo_system_type *type;
    const fo_description *about;
    const void *model;
} fo_system;

// ------------------------------------------------------------------------------- finding names

/// The shape at the start.
fo_shape fo_system_shape(fo_system system);

/// Checks a system for what only its author can get wrong (functions that are missing, names that
/// repeat). Returns FO_OK or FO_ERROR_ARGUMENT with a message.
fo_status fo_system_check(fo_system system, fo_message *why);

/// Finds a state, discrete, input, output or parameter by name.
/// An unknown name is answered with the nearest right one: FO_ERROR_ARGUMENT.
fo_status fo_system_find(fo_system system, const char *name, fo_reference *found, fo_message *why);

/// Completes the name of something that can be set: itself where the system has such a quantity,
/// otherwise the one parameter or input whose name ends with it after a dot ("k" for
/// "springs[1].k"). Writes it to `full` and returns FO_OK; FO_ERROR_ARGUMENT where there are
/// several, or none: `full` is the name itself then, and `why` (may be NULL) says it.
fo_status fo_system_complete(fo_system system, const char *name, char *full, size_t size,
                             fo_message *why);

/// The variable behind a reference; NULL for time and for what the description does not name.
const fo_variable *fo_system_variable(fo_system system, fo_reference which);

/// What a quantity is to those outside and when it may change, also where nothing was said. Time is
/// a continuous input.
fo_causality fo_system_causality(fo_system system, fo_reference which);
/// When a quantity may change, also where nothing was said.
fo_variability fo_system_variability(fo_system system, fo_reference which);
/// "parameter", "input", "output", "local" or "calculated".
const char *fo_causality_text(fo_causality causality);
/// "constant", "fixed", "tunable", "discrete" or "continuous".
const char *fo_variability_text(fo_variability variability);
/// "real", "integer", "boolean", ...
const char *fo_value_type_text(fo_value_type type);

/// Writes the reference's name, "x[7]" for a state without one. Returns `text`.
const char *fo_system_name(fo_system system, fo_reference which, char *text, size_t size);

// --------------------------------------------------------------------------------- composition

/// Output `from` of part `from_part` goes into input `to` of part `to_part`.
typedef struct fo_connection {
    uint32_t from_part, from, to_part, to;
} fo_connection;

typedef struct fo_component {
    const char *name; ///< prefixes the part's names: "arm.angle"; "": they stay as they are
    fo_system system;
} fo_component;

typedef struct fo_composition_def {
    const char *name, *about;
    const fo_component *parts;
    uint32_t part_count;
    const fo_connection *connections;
    uint32_t connection_count;
    const fo_allocator *allocator;
} fo_composition_def;
/// Of no parts.
fo_composition_def fo_default_composition_def(void);

typedef struct fo_composition fo_composition;

/// Makes one system of several. The parts' states lie one after the other; an input that is not
/// connected becomes an input of the whole. Connections are sorted by feedthrough; a loop of
/// outputs that depend on themselves without delay is an error that names it.
/// The parts' systems must live as long as the composition. NULL on failure, and `why` says it.
fo_composition *fo_compose(const fo_composition_def *def, fo_message *why);
/// The composed system; valid while the composition lives.
fo_system fo_composition_system(const fo_composition *composition);
/// Takes NULL. No simulation of its system may live longer.
void fo_composition_destroy(fo_composition *composition);

#ifdef __cplusplus
}
#endif
#endif
