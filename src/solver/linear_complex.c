/// LU factors of complex numbers. Products are written out: C's own would test each for infinities.
#include <math.h>

#include "solver/linear.h"

typedef foi_complex number;

static inline number entry(foi_complex fac, double m, double j)
{
    return (number){fac.re * m - j, fac.im * m};
}

static inline number minus_product(number a, number b, number c)
{
    return (number){a.re - (b.re * c.re - b.im * c.im), a.im - (b.re * c.im + b.im * c.re)};
}

// Smith's division: scaled by the larger part of b, so that b's square cannot overflow.
static inline number quotient(number a, number b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        double r = b.im / b.re, d = b.re + b.im * r;
        return (number){(a.re + a.im * r) / d, (a.im - a.re * r) / d};
    }
    double r = b.re / b.im, d = b.re * r + b.im;
    return (number){(a.re * r + a.im) / d, (a.im * r - a.re) / d};
}

static inline double magnitude(number a)
{
    return fabs(a.re) + fabs(a.im);
}

#define FACTOR foi_linear_factor_complex
#define SOLVE  foi_linear_solve_complex
#include "solver/linear_factor.h"
