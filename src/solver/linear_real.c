/// LU factors of real numbers.
#include <math.h>

#include "solver/linear.h"

typedef double number;

static inline number entry(foi_complex fac, double m, double j)
{
    return fac.re * m - j;
}

static inline number minus_product(number a, number b, number c)
{
    return a - b * c;
}

static inline number quotient(number a, number b)
{
    return a / b;
}

static inline double magnitude(number a)
{
    return fabs(a);
}

#define FACTOR foi_linear_factor_real
#define SOLVE  foi_linear_solve_real
#include "solver/linear_factor.h"
