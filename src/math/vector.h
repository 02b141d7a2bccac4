/// The functions on many numbers at once: the same bits as one by one.
///
/// Every function has one core without branches, which the compiler turns into vector instructions;
/// what the core cannot do (infinities, numbers out of its range) is found in a block of 64, which
/// is then done again one by one. Which instructions are used is decided by the processor alone.
#ifndef FOI_MATH_VECTOR_H
#define FOI_MATH_VECTOR_H

#include <stddef.h>

/// Results may be written over arguments, but not overlap them otherwise.
typedef void foi_many(const double *x, double *to, size_t count);
typedef void foi_many_of_two(const double *x, const double *y, double *to, size_t count);

/// One set of instructions.
typedef struct foi_math_vectors {
    const char *name; ///< "AVX-512", "AVX2", "plain"
    foi_many *exp, *log, *sin, *cos;
    foi_many_of_two *pow;
} foi_math_vectors;

/// Those that this processor has, the best first, a NULL behind the last one. Plain is always
/// there.
const foi_math_vectors *foi_math_ways(size_t index);

foi_many foi_exp_many, foi_log_many, foi_sin_many, foi_cos_many;
foi_many_of_two foi_pow_many;
/// The name of the instructions that those use.
const char *foi_math_way(void);

#endif
