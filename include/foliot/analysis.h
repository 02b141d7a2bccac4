/// Analysis: what is asked of a model once it runs. Many runs with other numbers (sweeps), measures
/// of a run, the linear system around a point, equilibria, and numbers fitted to data.
///
///     const char *vary[] = {"m=0.1:2:20", "e=0.5,0.7"}, *measures[] = {"max(h)"};
///     fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
///     def.experiment.model.name = "ball.mo";
///     def.vary = vary, def.vary_count = 2;
///     def.measures = measures, def.measure_count = 1;
///     fo_parameter_sweep *sweep = fo_parameter_sweep_create(&def, &why);
///     if (sweep) status = fo_parameter_sweep_run(sweep, 0, &why);
///     fo_parameter_sweep_destroy(sweep);
///
/// docs/analysis.md has the words in which ranges and measures are written. Everything is computed
/// in an order that does not depend on the number of threads, and so are the bits.
#ifndef FOLIOT_ANALYSIS_H
#define FOLIOT_ANALYSIS_H

#include "ensemble.h"
#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------------- how it is run

/// A model and how each of its runs is made. A 0 or NULL leaves what the model says,
/// for `stop` a NaN.
typedef struct fo_experiment_def {
    fo_model_def model; ///< how it is opened; its allocator is used by several threads at once
                        ///< where there are some
    const char *solver; ///< a name from `foliot solvers`
    double stop;        ///< [s]; NaN leaves what the model says: 0 is a time as others are
    double step, rtol, atol;
    double max_step;
    uint64_t max_steps;
    const fo_setting *start; ///< of states and discretes
    size_t start_count;
    uint64_t seed;
    /// Samples of a run by which measures are first computed where signals have no bounds; 0: 500.
    /// There are more where what lies between them would change a measure by more than `accuracy`
    /// of its scale.
    uint32_t samples;
    double accuracy; ///< a measure that is not known so well is an error; 0: 1e-5
    /// Called between pieces of its runs, between runs and between starts, by who makes them:
    /// whoever has one thread can do something else meanwhile. Never from inside of a simulation.
    /// May be NULL.
    void (*rest)(void *self);
    void *rest_self;
} fo_experiment_def;
/// No model, all as the model says (`stop` NaN), seed 1.
fo_experiment_def fo_default_experiment_def(void);

// --------------------------------------------------------------------------------------- sweeps

/// Which points of the ranges are taken.
typedef enum fo_design {
    FO_DESIGN_GRID,   ///< all combinations, the last one varies fastest
    FO_DESIGN_LATIN,  ///< Latin hypercube: in every range each of `samples` slices once
    FO_DESIGN_SOBOL,  ///< Sobol's sequence, scrambled (Owen); at most 21 ranges
    FO_DESIGN_RANDOM, ///< independent points
} fo_design;

/// One run of a sweep.
typedef struct fo_parameter_sweep_row {
    uint64_t number;        ///< from 0
    const double *values;   ///< what was varied
    const double *measures; ///< NaN: there is none; all of them where the run failed
    fo_status status;       ///< FO_OK, or why the run failed
    const char *reason;     ///< in words, and why a measure is NaN; "": all is well
} fo_parameter_sweep_row;

typedef struct fo_parameter_sweep_def {
    fo_experiment_def experiment;
    const char *const *vary; ///< "m=0.1:2:20", "e=0.5,0.7", "k=normal(1, 0.1)"
    size_t vary_count;
    const char *const *measures; ///< "max(h)"
    size_t measure_count;
    fo_design design;
    uint64_t samples; ///< how many points; not for grids
    uint64_t seed;    ///< of the design
    unsigned threads; ///< that run at the same time (threads.h)
    /// Hears every run, in the order of their numbers. An error ends everything. May be NULL.
    fo_status (*row)(void *self, const fo_parameter_sweep_row *row, fo_message *why);
    /// Called after each run; false cancels. May be NULL.
    bool (*progress)(void *self, uint64_t done, uint64_t count);
    /// Asked now and then inside of a run, by any thread; true: it is to end. May be NULL.
    bool (*cancelled)(void *self);
    void *self;
    const fo_ranks *ranks; ///< that share the runs; NULL: none
    /// 2, 4 or 8: so many runs at a time on each core, whose ordinary steps by the solver dp45 are
    /// taken in one vector, with the bits of each run alone. For programs of few states; compiled
    /// by the system's C compiler. 0 or 1: none.
    unsigned lanes;
    /// All runs' traces: gives an observer for a run, which is run with it after it was measured;
    /// `traced` gets it when that is over, also where the run has failed. An interval that is not a
    /// number is a 500th of the run. Called by any thread, for
    /// one run by one. An error ends everything. Both NULL: not wanted.
    fo_status (*trace)(void *self, uint64_t number, fo_system system, fo_observer *observer,
                       fo_message *why);
    fo_status (*traced)(void *self, uint64_t number, fo_observer *observer, fo_message *why);
} fo_parameter_sweep_def;
/// A grid of nothing, seed 1, all cores.
fo_parameter_sweep_def fo_default_parameter_sweep_def(void);

typedef struct fo_parameter_sweep fo_parameter_sweep;

/// Opens the model, reads ranges and measures. What the definition points to must live as long as
/// the sweep. NULL on failure: FO_ERROR_ARGUMENT and whatever opening the model returns.
fo_parameter_sweep *fo_parameter_sweep_create(const fo_parameter_sweep_def *def, fo_message *why);
/// How many runs there are.
uint64_t fo_parameter_sweep_count(const fo_parameter_sweep *sweep);
/// The name of what is varied, from 0, in full; NULL beyond the last.
const char *fo_parameter_sweep_name(const fo_parameter_sweep *sweep, size_t index);
/// The point of a run: as many numbers as are varied.
void fo_parameter_sweep_point(const fo_parameter_sweep *sweep, uint64_t number, double *values);
/// Runs all from number `first` on. A run that fails is a row with its reason, and no error.
/// Returns FO_OK, FO_ERROR_CANCELLED, FO_ERROR_MEMORY, or what `row` returned.
fo_status fo_parameter_sweep_run(fo_parameter_sweep *sweep, uint64_t first, fo_message *why);
/// After runs: whether a measure, from 0, was seen by samples only in some of them, because its
/// signals have no bounds there (output_bounds): what is narrower than samples are apart can then
/// have been missed.
bool fo_parameter_sweep_is_sampled(const fo_parameter_sweep *sweep, size_t measure);
/// Takes NULL.
void fo_parameter_sweep_destroy(fo_parameter_sweep *sweep);

// --------------------------------------------------------------------------- equilibria

/// A place where all rates are zero.
typedef struct fo_equilibrium {
    double parameter;      ///< what was varied; NaN: nothing
    const double *x;       ///< the states
    const double *re, *im; ///< eigenvalues, as many as states
    int stability;         ///< 1 stable, -1 unstable, 0: the linear system does not decide
    /// "", or on a branch "fold", "Hopf" or "branch point" for a point where that happens; of a
    /// list also why the eigenvalues do not tell: "on a guard" (the rates may be others beside it),
    /// "acts" (the model acts at times of its own, and they hold between those), "on a line" (of
    /// equilibria, where something is conserved: the first that was found stands for all),
    /// "degenerate" (the Jacobian is singular, but no line goes through it); of both "centre" (a
    /// pair of eigenvalues is on the imaginary axis, as far as rounding lets one know)
    const char *mark;
    double frequency; ///< Hopf: of the pair [rad/s]
    uint32_t branch;  ///< of a continuation: from which equilibrium, from 0
} fo_equilibrium;

typedef struct fo_steady_def {
    fo_experiment_def experiment;
    uint32_t starts;               ///< how many starts are tried beside the model's own; 0: 64
    const char *vary;              ///< "rho=0..30": follows every equilibrium; NULL: not wanted
    double step;                   ///< longest step along a branch, as a part of the range; 0: 1/50
    bool (*cancelled)(void *self); ///< asked now and then; true ends it. May be NULL.
    void *self;
    /// Called now and then with how much is done, of how much at most; false ends it. May be NULL.
    bool (*progress)(void *self, uint64_t done, uint64_t count);
} fo_steady_def;
/// No model, 64 starts, nothing varied.
fo_steady_def fo_default_steady_def(void);

typedef struct fo_steady fo_steady;

/// Looks for equilibria from the model's start, from points of its run, and from points around
/// them, each in the mode that the model has there; with `vary` follows those at the range's
/// beginning, end and middle through it, around folds. NULL on failure: FO_ERROR_CONVERGE (none was
/// found), FO_ERROR_UNFIT (the rates change with time, or there are none), FO_ERROR_CANCELLED
/// (before anything was found), and whatever a run returns.
fo_steady *fo_steady_create(const fo_steady_def *def, fo_message *why);
/// How many there are; of a continuation all points of all branches.
size_t fo_steady_count(const fo_steady *steady);
/// One of them, from 0; NULL beyond the last. It belongs to `steady`.
const fo_equilibrium *fo_steady_get(const fo_steady *steady, size_t index);
/// How many states there are.
size_t fo_steady_states(const fo_steady *steady);
/// The name of a state, from 0. Returns `text`.
const char *fo_steady_name(const fo_steady *steady, size_t state, char *text, size_t size);
/// Whether the Jacobians came from the model; otherwise they are extrapolated differences.
bool fo_steady_is_exact(const fo_steady *steady);
/// False: `cancelled` has ended it; what it has is what was found until then.
bool fo_steady_is_whole(const fo_steady *steady);
/// Takes NULL.
void fo_steady_destroy(fo_steady *steady);

// --------------------------------------------------------------------------- linear systems

typedef struct fo_linear_def {
    fo_experiment_def experiment;
    double at;                 ///< when [s]; the start by default
    bool steady;               ///< at the equilibrium that Newton's iteration finds from there
    const char *const *inputs; ///< NULL: all inputs of the model
    size_t input_count;
    const char *const *outputs; ///< outputs or states; NULL: all outputs, or all states
    size_t output_count;
    bool (*cancelled)(void *self); ///< asked now and then on the way there; true ends it, with
                                   ///< FO_ERROR_CANCELLED. May be NULL.
    void *self;
    /// Called now and then with how much is done, of how much at most; false ends it. May be NULL.
    bool (*progress)(void *self, uint64_t done, uint64_t count);
} fo_linear_def;
/// At the start.
fo_linear_def fo_default_linear_def(void);

/// x' = A x + B u, y = C x + D u around a point, all matrices by rows.
typedef struct fo_linear {
    size_t states, inputs, outputs;
    double t;                    ///< [s]
    const double *point;         ///< the states there
    const double *a, *b, *c, *d; ///< states x states, states x inputs, outputs x states, ...
    const double *re, *im;       ///< the poles
    const double *zero_re, *zero_im;
    size_t zeros;            ///< of the transfer function; of several ports: of all together
    bool exact;              ///< A is the model's own; otherwise extrapolated differences
    double a_error, b_error; ///< estimates, relative to the largest entry: of A; of B, C and D.
                             ///< 0: they are the model's own
    bool controllable, observable;
    const char *const *state_names, *const *input_names, *const *output_names;
} fo_linear;

/// Linearises a model; what jumps is held still. NULL on failure.
fo_linear *fo_linear_create(const fo_linear_def *def, fo_message *why);
/// The same for given matrices, which are copied; without names.
fo_linear *fo_linear_of(size_t states, size_t inputs, size_t outputs, const double *a,
                        const double *b, const double *c, const double *d, fo_message *why);
/// The transfer function from input to output at s = i omega. False: omega is a pole.
bool fo_linear_response(const fo_linear *linear, size_t input, size_t output, double omega,
                        double *re, double *im);
/// The response to a unit step of an input: `count` values of an output at 0, dt, 2 dt, ...
/// FO_OK or FO_ERROR_MEMORY.
fo_status fo_linear_step(const fo_linear *linear, size_t input, size_t output, double dt,
                         size_t count, double *y);
/// The same at `count` (2 or more) times that are chosen: until the slowest mode that the output
/// sees of the input has decayed, or turned twenty times, or the fastest that grows has grown a
/// thousand times. They are near to each other at first where fast modes are seen, too. FO_OK,
/// FO_ERROR_ARGUMENT, FO_ERROR_MEMORY or FO_ERROR_CONVERGE.
fo_status fo_linear_step_response(const fo_linear *linear, size_t input, size_t output,
                                  size_t count, double *times, double *y);

/// How far a loop that is closed by -1 is from its limit of stability; NaN: there is none.
typedef struct fo_margins {
    double gain, gain_omega;   ///< factor, where the phase is -180 degrees [rad/s]; 0 and INFINITY
                               ///< are frequencies, too
    double phase, phase_omega; ///< [degrees], where the gain is 1
} fo_margins;
/// The smallest margins between two frequencies; both 0: of all.
fo_margins fo_linear_margins(const fo_linear *linear, size_t input, size_t output, double low,
                             double high);
/// The poles of the loop that is closed by -gain from output to input: as many as states. FO_OK,
/// FO_ERROR_MEMORY, FO_ERROR_NUMBER (1 + gain D is zero) or FO_ERROR_CONVERGE.
fo_status fo_linear_locus(const fo_linear *linear, size_t input, size_t output, double gain,
                          double *re, double *im);
/// The balanced form, of which the first `order` states are kept (0: all that matter at all): the
/// states that input and output see least are left out. `hankel` (as many as states, may be NULL)
/// gets the Hankel singular values; the response changes by no more than twice the sum of those
/// left out, at any frequency. NULL on failure: FO_ERROR_UNFIT where a pole is not left of the
/// axis.
fo_linear *fo_linear_balanced(const fo_linear *linear, size_t order, double *hankel,
                              fo_message *why);
/// Frequencies that show all of it: around poles and zeros.
void fo_linear_range(const fo_linear *linear, double *low, double *high);
/// Takes NULL.
void fo_linear_destroy(fo_linear *linear);

// ------------------------------------------------------------------------------------------ fits

/// What was measured in one run: signals at rising times.
typedef struct fo_fit_data {
    const char *const *names; ///< of the signals, one per column
    size_t columns, rows;
    const double *times;  ///< [s]
    const double *values; ///< by rows; NaN: not measured
} fo_fit_data;

/// What a difference r between model and data costs, with z = (r / loss_scale)^2, as in SciPy:
typedef enum fo_loss {
    FO_LOSS_SQUARES, ///< z
    FO_LOSS_SOFT_L1, ///< 2 (sqrt(1 + z) - 1)
    FO_LOSS_HUBER,   ///< z, beyond 1: 2 sqrt(z) - 1
    FO_LOSS_CAUCHY,  ///< log(1 + z)
} fo_loss;

typedef struct fo_fit_def {
    fo_experiment_def experiment; ///< rtol and atol 0: 1e-10, so that differences are accurate
    const char *const *adjust;    ///< "d=0..1" between bounds, or "m"; from the model's own values
    size_t adjust_count;
    const fo_fit_data *data; ///< each is a run of its own, with the same numbers
    size_t data_count;
    uint32_t
        starts; ///< more starts between the bounds, all of which must be there; the best counts
    uint32_t max_iterations;       ///< 0: 100
    bool (*cancelled)(void *self); ///< asked now and then; true ends it. May be NULL.
    void *self;
    fo_loss loss;
    double loss_scale; ///< differences beyond count for less; 0: 1
    /// Called after each iteration with their number, of how many at most; false ends it. May be
    /// NULL.
    bool (*progress)(void *self, uint64_t done, uint64_t count);
} fo_fit_def;
/// Nothing adjusted.
fo_fit_def fo_default_fit_def(void);

/// Numbers that make the sum of squares the least.
typedef struct fo_fit {
    size_t count; ///< of numbers
    const char *const *names;
    const double *values;
    const double *errors;      ///< standard errors; NaN at a bound, and where they cannot be told
    const double *correlation; ///< count x count, by rows
    const bool *at_bound;
    size_t measured;  ///< values that were compared
    double squares;   ///< the sum of squared differences
    double deviation; ///< sqrt(squares / (measured - count))
    uint32_t iterations, runs;
    double condition; ///< of the scaled Jacobian: largest singular value by the least
    /// True: within rounding the data do not tell the numbers apart; `weakest` says which change
    /// together without a change of the result.
    bool ambiguous;
    const double *weakest;
    double slope_error; ///< estimate of the Jacobian's relative error (extrapolated differences)
    const double *residuals; ///< model less measured: by data, rows and columns, without those that
                             ///< were not measured
    double cost;             ///< what was made least: loss_scale^2 times the sum of losses
    bool exact;              ///< slopes are from the model's equations; slope_error is 0 then
    bool interrupted;        ///< `cancelled` has ended it: the best so far, without errors (NaN);
                             ///< residuals are NULL then
    size_t kinks; ///< measured values at whose time an event stands there: the squares have a kink
                  ///< at the minimum, and errors are those of one of its sides
} fo_fit;

/// Fits by Levenberg and Marquardt's method with bounds. NULL on failure: FO_ERROR_ARGUMENT,
/// FO_ERROR_CONVERGE (no minimum within the iterations), and what a run at the start returns.
fo_fit *fo_fit_create(const fo_fit_def *def, fo_message *why);
/// Takes NULL.
void fo_fit_destroy(fo_fit *fit);

// --------------------------------------------------------------------------------- sensitivities

/// How derivatives are found.
typedef enum fo_sensitivity_method {
    FO_SENSITIVITY_CHOSEN,      ///< from the equations: forward for few numbers, backward for many
    FO_SENSITIVITY_FORWARD,     ///< with a derivative by every number along the run
    FO_SENSITIVITY_ADJOINT,     ///< back through the run, once for every measure
    FO_SENSITIVITY_DIFFERENCES, ///< of runs with changed numbers
} fo_sensitivity_method;

/// What measures depend on.
typedef struct fo_sensitivity_def {
    fo_experiment_def experiment; ///< rtol and atol 0: 1e-10
    const char *const *to;        ///< names; for indices with ranges: "m=0.1..2"
    size_t to_count;
    const char *const *measures;
    size_t measure_count;
    uint64_t samples;      ///< > 0: Sobol indices over the ranges with samples (count + 2) runs
    uint64_t trajectories; ///< > 0: Morris' effects over the ranges, trajectories (count + 1) runs
    uint64_t seed;
    unsigned threads; ///< that run at the same time (threads.h)
    bool (*progress)(void *self, uint64_t done, uint64_t count); ///< false cancels; may be NULL
    bool (*cancelled)(void *self); ///< asked inside of a run, by any thread. May be NULL.
    void *self;
    const fo_ranks *ranks; ///< that share the runs; NULL: none
    bool differences;      ///< derivatives by differences of runs only, not from the equations
    fo_sensitivity_method method;
} fo_sensitivity_def;
/// Derivatives, seed 1, all cores.
fo_sensitivity_def fo_default_sensitivity_def(void);

/// Matrices of measures by names, by rows.
typedef struct fo_sensitivity {
    size_t measures, numbers;
    const char *const *names;
    const double *values;      ///< of the measures; of indices their means; NULL: of effects
    const double *derivatives; ///< through events, see `exact`; NULL: of indices
    const double *errors;      ///< estimates of their errors
    size_t unsettled;          ///< derivatives that are not known (NaN), because an event comes or
                               ///< goes with the number, or there is a kink; `why` has the first
    const double *first, *total; ///< Sobol indices: alone, and with all others; NULL: none
    const double *variances;     ///< of the measures over the ranges; NULL: of derivatives
    /// Morris: how much a measure changes by the whole of a range, mean of the sizes, mean, and
    /// deviation (large where it is not linear, or others act on it, too); NULL: none
    const double *effects, *mean_effects, *effect_deviations;
    uint64_t runs;
    const bool *exact;  ///< per derivative: from the model's equations, with the jump at every
                        ///< event; otherwise from differences of runs; NULL: of indices
    const char *reason; ///< why not all are exact; NULL: they are
    bool adjoint;       ///< those from the equations came back through the run
    bool interrupted;   ///< of indices and effects: progress or `cancelled` has ended it, and they
                        ///< are those of the runs until then
    const double *points; ///< of derivatives: the numbers at which they are taken; NULL otherwise
} fo_sensitivity;

/// Computes them. NULL on failure: a run that fails is one, FO_ERROR_ARGUMENT, FO_ERROR_CANCELLED.
fo_sensitivity *fo_sensitivity_create(const fo_sensitivity_def *def, fo_message *why);
/// Takes NULL.
void fo_sensitivity_destroy(fo_sensitivity *sensitivity);

// -------------------------------------------------------------------------------------- optima

/// One run on the way to an optimum.
typedef struct fo_optimize_trial {
    uint64_t number;      ///< of the runs that were looked at, from 0; those for slopes not counted
    const double *values; ///< of what is adjusted
    double objective;     ///< NaN: the run failed
    double violation; ///< how far the worst condition is from being met, by its scale; 0: all are
    double best;      ///< the best objective of those that meet all conditions; NaN: none yet
} fo_optimize_trial;

typedef struct fo_optimize_def {
    fo_experiment_def experiment; ///< rtol and atol 0: 1e-10, so that differences are accurate
    const char *const *adjust;    ///< "d=0..1", "c=log(0.1..10)", or "m" without bounds
    size_t adjust_count;
    const char *objective;      ///< a measure, to be as small as can be
    bool maximize;              ///< or as large
    const char *const *subject; ///< "max(T) <= 90", "final(x) = 1": measures that are compared
    size_t subject_count;
    /// "slsqp", "ccsaq" and "descent" with slopes, "cobyla", "bobyqa", "line" without, "isres" and
    /// "crs" over all of the bounds; all but "descent" and "line" are NLopt's. NULL: chosen.
    const char *method;
    uint32_t starts;   ///< more starts between the bounds; the best counts
    double tolerance;  ///< of what is adjusted, as a part of its range or size; 0: 1e-6
    uint64_t max_runs; ///< without those for slopes; 0: 10,000
    uint64_t seed;
    unsigned threads; ///< that run at the same time (threads.h)
    void (*trial)(void *self, const fo_optimize_trial *trial); ///< hears every run; may be NULL
    bool (*cancelled)(void *self);                             ///< true ends it; may be NULL
    void *self;
    const fo_ranks *ranks; ///< that share the runs for slopes; NULL: none
    bool differences;      ///< slopes by differences of runs only, not from the equations
} fo_optimize_def;
/// Nothing adjusted, seed 1, all cores.
fo_optimize_def fo_default_optimize_def(void);

/// What was found: no point near it that meets the conditions is better.
typedef struct fo_optimum {
    size_t count; ///< of numbers
    const char *const *names;
    const double *values;
    const bool *at_bound;
    double objective;
    size_t conditions;
    const double *left, *right; ///< of the conditions, there
    double violation;
    const double *slopes; ///< of the objective by the numbers; NULL: the method takes none
    const char *method;   ///< the last one that was used
    bool reached;         ///< false: cancelled; what is here is the best so far, and proves nothing
    uint64_t runs, slope_runs;
    bool exact_slopes; ///< the last slopes were all from the model's equations, through events;
                       ///< otherwise some or all are extrapolated differences
} fo_optimum;

/// Looks for it. What it finds is a local optimum; several starts or a method over all of the
/// bounds see more. NULL on failure: FO_ERROR_ARGUMENT, FO_ERROR_UNFIT (the method needs NLopt, and
/// it is not there), FO_ERROR_CONVERGE (none was found that stands the test of its neighbours, or
/// none meets the conditions), FO_ERROR_CANCELLED (before any run met the conditions), and what the
/// run at the start returns.
fo_optimum *fo_optimum_create(const fo_optimize_def *def, fo_message *why);
/// Takes NULL.
void fo_optimum_destroy(fo_optimum *optimum);
/// NLopt's version as 10000 major + 100 minor + patch; 0: it is not there.
uint32_t fo_nlopt_version(void);

#ifdef __cplusplus
}
#endif
#endif
