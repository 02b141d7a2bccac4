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

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------------- how it is run

/// A model and how each of its runs is made. A 0 or NULL leaves what the model says.
typedef struct fo_experiment_def {
    fo_model_def model; ///< how it is opened; its allocator is used by several threads at once
                        ///< where there are some
    const char *solver; ///< a name from `foliot solvers`
    double stop;        ///< [s]
    double step, rtol, atol;
    double max_step;
    uint64_t max_steps;
    const fo_setting *start; ///< of states and discretes
    size_t start_count;
    uint64_t seed;
    /// Samples of a run by which measures are first computed; 0: 500. They are doubled until what
    /// lies between them does not change a measure by more than `accuracy` of its scale.
    uint32_t samples;
    double accuracy; ///< 0: 1e-5
} fo_experiment_def;
/// No model, all as the model says, seed 1.
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
    const char *reason;     ///< in words; "" where it did not
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
/// Takes NULL.
void fo_parameter_sweep_destroy(fo_parameter_sweep *sweep);

#ifdef __cplusplus
}
#endif
#endif
