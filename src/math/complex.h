/// Functions of complex numbers from those of math.h: what the C library and the compilers' own
/// support (division!) give differs in the last bits from one to the next.
///
/// Sums and products of C's `double complex` are the same everywhere, but where a result is not a
/// number. Errors are a few units in the last place of the modulus. Branch cuts are those of C17's
/// Annex G; infinite arguments of the inverse functions are not looked at specially.
#ifndef FOI_MATH_COMPLEX_H
#define FOI_MATH_COMPLEX_H

#include <complex.h>

double foi_cabs(double complex z);
double foi_carg(double complex z);
double complex foi_cdivide(double complex a, double complex b);
double complex foi_cexp(double complex z);
double complex foi_clog(double complex z);
double complex foi_cpow(double complex a, double complex b);
double complex foi_csqrt(double complex z);
double complex foi_csin(double complex z);
double complex foi_ccos(double complex z);
double complex foi_ctan(double complex z);
double complex foi_casin(double complex z);
double complex foi_cacos(double complex z);
double complex foi_catan(double complex z);
double complex foi_csinh(double complex z);
double complex foi_ccosh(double complex z);
double complex foi_ctanh(double complex z);

#endif
