/// The list of solvers: `foliot solvers` prints it.
#ifndef FOLIOT_SOLVER_H
#define FOLIOT_SOLVER_H

#include <stddef.h>

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
} fo_solver_trait;

typedef struct fo_solver_info {
    const char *name;
    const char *about; ///< one line
    int order;         ///< for methods of variable order the highest
    int dense_order;   ///< local error of the dense output is O(h^(dense_order + 1))
    unsigned traits;   ///< fo_solver_trait bits
} fo_solver_info;

/// All solvers of this build, in the order of `foliot solvers`.
size_t fo_solver_count(void);
const fo_solver_info *fo_solver_get(size_t index);

/// Finds a solver; an unknown name is answered with the nearest right one (NULL, `why` says it).
const fo_solver_info *fo_solver_find(const char *name, fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
