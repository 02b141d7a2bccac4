/// The list of solvers, which `foliot solvers` prints, and methods of your own.
#ifndef FOLIOT_SOLVER_H
#define FOLIOT_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fo_solver_trait {
    FO_ADAPTIVE = 1,     ///< chooses its steps from rtol and atol
    FO_STIFF = 2,        ///< fit for stiff systems
    FO_FIXED_WORK = 4,   ///< every step costs the same: for real time
    FO_SECOND_ORDER = 8, ///< needs positions and velocities (shape.pairs)
    FO_SYMPLECTIC = 16,  ///< keeps energy over long times
    FO_MASS = 32,        ///< takes a mass matrix
    FO_RESIDUAL = 64,    ///< takes the residual form F(t, x, x') = 0
    FO_SUNDIALS = 128,   ///< through SUNDIALS: only where it is built in
    FO_BEGINS_LOW = 256, ///< of variable order: begins with the lowest after each moment
} fo_solver_trait;

typedef struct fo_solver_info {
    const char *name;
    const char *about; ///< one line
    int order;         ///< for methods of variable order the highest
    int dense_order;   ///< local error of the dense output is O(h^(dense_order + 1))
    unsigned traits;   ///< fo_solver_trait bits
} fo_solver_info;

/// How many solvers this build has; they are in the order of `foliot solvers`.
size_t fo_solver_count(void);
/// One of them, from 0.
const fo_solver_info *fo_solver_get(size_t index);

/// Finds a solver; an unknown name is answered with the nearest right one (NULL, `why` says it).
const fo_solver_info *fo_solver_find(const char *name, fo_message *why);

// ---------------------------------------------------------------------- methods of your own

/// The right side of x' = f(t, x), for one step.
typedef struct fo_rates fo_rates;
/// dx = f(t, x). FO_RETRY: there is none, a shorter step is to be tried; return it.
fo_status fo_rates_at(fo_rates *f, double t, const double *x, double *dx);

/// One step of a one-step method; the rest is done around it: the choice of steps, the dense output
/// (a cubic through the ends of a step), events, snapshots. Named in fo_run_def.method.
typedef struct fo_method {
    fo_solver_info info; ///< name, order; FO_ADAPTIVE or FO_FIXED_WORK; the rest is set here
    int error_order;     ///< the estimated error is O(h^this); 0: order + 1
    bool halves;         ///< adaptive without an estimate: two half steps beside each step give it
    size_t work;         ///< vectors of n doubles for `work`
    void *self;
    /// One step of length h from (t, x), where dx = f(t, x): writes x1 and, where it is adaptive
    /// and has no `halves`, the estimated error of each state. What is in `work` is not kept.
    fo_status (*step)(void *self, fo_rates *f, double t, double h, uint32_t n, const double *x,
                      const double *dx, double *x1, double *error, double *work);
} fo_method;

#ifdef __cplusplus
}
#endif
#endif
