/// What the registers of a code can be along a stretch of a solution.
#ifndef FOI_ENCLOSE_H
#define FOI_ENCLOSE_H

#include "program/code.h"
#include "program/interval.h"

/// One register on a stretch.
typedef struct foi_enclosed {
    foi_interval range; ///< of its values, exact and computed
    foi_interval mid;   ///< of its value at the stretch's middle, exact and computed
    foi_interval slope; ///< of its exact derivative by time
    double error;       ///< how far a computed value may be from the exact one of the same instant
    uint32_t nature;    ///< of fo_nature
    uint32_t same;      ///< registers with the same are one number; 0: as no other
} foi_enclosed;

/// Doubles of work space for so many registers.
static inline size_t foi_enclose_work(size_t registers)
{
    return registers * (sizeof(foi_enclosed) / sizeof(double));
}

/// What does not change on the stretch. Infinite: larger than any number.
static inline foi_enclosed foi_enclosed_constant(double value)
{
    foi_interval v = {value, value};
    if (value == INFINITY) v.lo = DBL_MAX;
    if (value == -INFINITY) v.hi = -DBL_MAX;
    if (value != value) v = FOI_EVERYTHING;
    return (foi_enclosed){.range = v, .mid = v, .nature = value != value ? FO_MAY_BE_UNDEFINED : 0};
}

/// What of a stretch is not known: the state's bounds are no numbers, or there is no proof.
foi_enclosed foi_enclosed_anything(uint32_t nature);

/// Time and state i on a stretch, and how far an instant of it may be from its middle.
foi_enclosed foi_enclosed_time(const fo_stretch *on);
foi_enclosed foi_enclosed_state(const fo_stretch *on, uint32_t i);
double foi_stretch_radius(const fo_stretch *on);

/// Runs the code over the registers, of which those that are given are filled; constants are put in
/// by itself. No instant of the stretch is farther than `radius` from its middle. `y`: the results.
void foi_code_enclose(const foi_code *code, foi_enclosed *r, double radius, foi_enclosed *y);

/* of loops: what is computed of numbers that stay (given ones that do not move) is such a number:
   the exact function is the one that has it, as if it had been written into the model. */

enum { FOI_MOST_CASES = 10 };
/// Runs the code of a loop, or what stands before it.
void foi_loop_enclose(const foi_code *code, foi_enclosed *r, double radius);
/// The code of a loop, in which a register is made once, with the results as hulls of what they are
/// for each outcome of undecided operations. False: there are too many, or something is not bounded
/// for one of them; then nothing is known of `y`.
bool foi_loop_enclose_cases(const foi_code *code, foi_enclosed *r, double radius, foi_enclosed *y);

#endif
