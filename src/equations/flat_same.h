/// Whether two flat models are one but for a name that is another.
#ifndef FOI_FLAT_SAME_H
#define FOI_FLAT_SAME_H

#include "equations/flat.h"

/// What was renamed.
typedef struct foi_renamed {
    const char *from, *to;
    uint64_t work; ///< expressions that may still be compared; 0 afterwards: it was not enough
    bool exact;    ///< see foi_flat_same_but_numbers
} foi_renamed;

/// The same variables in the same order, and the same equations of them, bit by bit; each part of a
/// dotted name is what it was, or was `from` and is `to`. *place is where they differ first, in the
/// second: line 0 where that cannot be said.
bool foi_flat_same(const foi_flat *a, const foi_flat *b, foi_renamed *by, foi_place *place);

/// Whether a program that was made of the first is the second's too, but for the start values of
/// its parameters: all is the same, names, places and descriptions too, but for numbers that are
/// the values of Real parameters, and no such number was looked at when the program was made (see
/// foi_flat_variable.alone). False where units or functions from outside occur.
bool foi_flat_same_but_numbers(const foi_flat *a, const foi_flat *b);

#endif
