/// What the solvers through SUNDIALS share: one state beside the solver, one vector type of our
/// own, one linear part (dense, band or sparse), and one march for CVODE, ARKODE and IDA.
///
/// SUNDIALS 6 or 7 (LLNL; Hindmarsh et al., ACM TOMS 31 (2005) 363; Gardner et al., TOMS 48 (2022)
/// 31) allocates its own records with malloc; vectors and all else that is ours come from the
/// solver's allocator.
#ifndef FOI_SUNDIALS_H
#define FOI_SUNDIALS_H

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sundials/sundials_nvector.h>
#include <sundials/sundials_version.h>

#include "solver/jacobian.h"
#include "solver/solver.h"

typedef struct foi_sundials foi_sundials;

// Version 7 has another name for truth values, and errors are heard by the context, not by each
// integrator.
#if SUNDIALS_VERSION_MAJOR >= 7
#define FOI_SUNDIALS_NOBODY SUN_COMM_NULL
typedef sunbooleantype foi_sundials_truth;
#else
#define FOI_SUNDIALS_NOBODY NULL
typedef booleantype foi_sundials_truth;
#endif

// ---------------------------------------------------------------------------------- the vector

/// Where vectors come from. SUNDIALS clones them and does not expect that to fail, so when there is
/// no memory it gets the spare one for all; `failed` then says that no result is worth anything.
typedef struct foi_sundials_store {
    const fo_allocator *allocator;
    N_Vector spare;
    bool failed;
} foi_sundials_store;

/// A vector of n numbers; with `data` NULL it brings its own, otherwise it wraps them (they can be
/// changed with N_VSetArrayPointer). NULL when there is no memory. Freed with N_VDestroy.
N_Vector foi_sundials_vector(foi_sundials_store *store, SUNContext context, size_t n, double *data);

/// The numbers of one of our vectors, without a call.
static inline double *foi_sundials_data(N_Vector v)
{
    return NV_DATA_S(v);
}

// ----------------------------------------------------------------------------- the linear part

typedef enum foi_sundials_form { FOI_DENSE, FOI_BAND, FOI_SPARSE } foi_sundials_form;

/// The matrix a I + b J (or a M + b J) of a Newton iteration, and what solves with it.
typedef struct foi_sundials_linear {
    foi_sundials_form form;
    foi_jacobian jacobian;
    double *values;      ///< J, in the pattern's order or all n*n by columns
    double *mass;        ///< M by columns; NULL: the identity. Then the form is dense
    size_t entries;      ///< sparse: of the pattern with the diagonal added
    sunindextype *start; ///< sparse: n + 1 column starts ...
    sunindextype *row;   ///< ... and rows of that
    uint32_t *slot;      ///< sparse: where the pattern's entry e is in it
    uint32_t *diagonal;  ///< sparse: where entry (c, c) is in it
    SUNMatrix matrix;
    SUNLinearSolver solver;
} foi_sundials_linear;

/// Chooses the form (with a mass matrix always dense) and makes all that is needed for it.
fo_status foi_sundials_linear_prepare(foi_sundials_linear *l, foi_sundials *d, bool mass);
void foi_sundials_linear_destroy(foi_sundials_linear *l, const fo_allocator *allocator);
/// matrix = a I + b J, or a M + b J, from `values`.
void foi_sundials_linear_fill(foi_sundials_linear *l, double a, double b);

// ------------------------------------------------------------------------------ the integrators

/// Figures that SUNDIALS counts from the last restart on.
typedef struct foi_sundials_figures {
    long rejected, setups, iterations;
} foi_sundials_figures;

/// What CVODE, ARKODE and IDA do each in their way. Where an int is returned it is a flag of
/// SUNDIALS: negative is a failure.
typedef struct foi_sundials_integrator {
    /// FO_ERROR_UNFIT with a message when the system is not for it. NULL: all that the traits
    /// allow.
    fo_status (*fit)(const foi_solver *o);
    /// Makes it for the n states of d; state x and time t are only a place to start.
    fo_status (*create)(foi_sundials *d);
    /// Starts afresh at (t1, x1) with a first step h, 0: it chooses one.
    fo_status (*restart)(foi_sundials *d, double h);
    /// Sets the time that is hit exactly, and takes one step towards it into d->x.
    int (*step)(foi_sundials *d, double goal, double *t);
    void (*figures)(foi_sundials *d, foi_sundials_figures *figures);
    /// The step that it would take next, and the estimated errors of the last one (into work).
    double (*next_step)(foi_sundials *d);
    int (*errors)(foi_sundials *d, N_Vector errors);
    fo_status (*dense)(foi_solver *o, foi_sundials *d);
    void (*release)(foi_sundials *d);
    int no_memory;   ///< its flag for that
    bool keeps_step; ///< after a jump h_next is still a good first step
} foi_sundials_integrator;

extern const foi_sundials_integrator foi_sundials_cvode, foi_sundials_ark, foi_sundials_ida;

/// What tells the methods apart (foi_method.data).
typedef struct foi_sundials_variant {
    const foi_sundials_integrator *integrator;
    enum { FOI_BDF, FOI_ADAMS, FOI_EXPLICIT, FOI_IMPLICIT, FOI_IMEX, FOI_RESIDUAL } kind;
} foi_sundials_variant;

/// What takes the first step after a jump; see sundials_start.c.
typedef struct foi_sundials_starter foi_sundials_starter;

/// All that is kept between calls (foi_solver.extern_data); SUNDIALS gets it as user data.
struct foi_sundials {
    foi_solver *o; ///< who is calling now
    const foi_sundials_variant *variant;
    uint32_t n;
    foi_sundials_store store;
    SUNContext context;
    void *memory; ///< CVODE's, ARKODE's or IDA's
    N_Vector x;   ///< wraps the solver's x1
    N_Vector work;
    N_Vector dx; ///< ida: x' at t1
    N_Vector id; ///< ida: 1 for states whose derivative appears, 0 for the others
    SUNNonlinearSolver nonlinear;
    foi_sundials_linear linear;
    fo_system_type stiff; ///< ark-imex: the system whose rates are stiff_rates
    double *slopes;       ///< ark-imex: see sundials_ark.c; NULL: ARKODE has them
    double slope_at[2];   ///< the times of the last two
    foi_sundials_figures seen;
    bool first;   ///< no step was taken since the restart
    bool started; ///< the integrator has been given a start
    bool jumped;  ///< and the start was after a jump: its first step is the starter's
    foi_sundials_starter *starter;
    int steps;         ///< since the start, as far as they are counted
    fo_status failed;  ///< an error that a model's function returned in this step
    fo_message number; ///< status FO_ERROR_NUMBER: rates that were not finite ...
    double number_at;  ///< ... at this time
    double retried_at; ///< when the model last asked for a shorter step; NAN: not
    char said[160];    ///< SUNDIALS' last sentence
};

/// True when there is nothing more to do in this step: the model's functions are not called again.
static inline bool foi_sundials_broken(const foi_sundials *d)
{
    return d->failed != FO_OK || d->store.failed;
}

/// Turns the status of a model's function with its result into what SUNDIALS understands: 0,
/// 1 (try a shorter step) or -1; keeps what happened for the message.
/// `f` may be NULL: then it is not looked at.
int foi_sundials_answer(foi_sundials *d, fo_status status, double t, const double *x,
                        const double *f);
/// f(t, x) of the whole system, in SUNDIALS' way.
int foi_sundials_rates(double t, N_Vector x, N_Vector f, void *user);
/// Error weights 1 / (rtol |x| + atol).
int foi_sundials_weights(N_Vector x, N_Vector weights, void *user);
/// Takes SUNDIALS' own messages, so that nothing is printed.
#if SUNDIALS_VERSION_MAJOR >= 7
#define FOI_SUNDIALS_LISTEN(set, memory, user) 0
#else
#define FOI_SUNDIALS_LISTEN(set, memory, user) set(memory, foi_sundials_listen, user)
void foi_sundials_listen(int flag, const char *module, const char *function, char *text,
                         void *user);
#endif
/// matrix = I - gamma J, J anew unless `fresh` says that the old one will do.
int foi_sundials_newton_matrix(foi_sundials *d, double t, N_Vector x, N_Vector f, bool fresh,
                               double gamma);
/// The status and message for a flag that is not a success.
fo_status foi_sundials_failure(foi_sundials *d, int flag);
/// Takes the first step after a jump from (t1, x1), with its dense output. Where that cannot be,
/// *taken is false and nothing has happened. FO_ERROR_MEMORY is the only failure.
fo_status foi_sundials_start(foi_sundials *d, double goal, bool *taken);
void foi_sundials_starter_destroy(foi_sundials_starter *s, const fo_allocator *allocator);
/// Polynomial of the last step from the derivatives 0..degree at t1 that `get` gives.
fo_status foi_sundials_taylor(foi_solver *o, foi_sundials *d, int degree,
                              int (*get)(void *memory, double t, int k, N_Vector out));

#endif
