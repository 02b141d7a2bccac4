/// Functions of complex numbers.
#include "math/complex.h"

#include "math/bits.h"
#include "math/math.h"

// re + i im, without a product that would turn infinities into NaN.
static double complex made(double re, double im)
{
    double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static double real(double complex z)
{
    double parts[2];
    memcpy(parts, &z, sizeof z);
    return parts[0];
}

static double imaginary(double complex z)
{
    double parts[2];
    memcpy(parts, &z, sizeof z);
    return parts[1];
}

// i z and -i z
static double complex turned_left(double complex z)
{
    return made(-imaginary(z), real(z));
}

static double complex turned_right(double complex z)
{
    return made(imaginary(z), -real(z));
}

double foi_cabs(double complex z)
{
    return foi_hypot(real(z), imaginary(z));
}

double foi_carg(double complex z)
{
    return foi_atan2(imaginary(z), real(z));
}

static int is_infinite(double x)
{
    return foi_magnitude(x) == foi_infinity();
}

// The power of two at or below the larger part, for scaling; 1 where that is 0 or not finite.
static double size_of(double c, double d)
{
    double large = foi_fmax(foi_magnitude(c), foi_magnitude(d));
    if (!(large > 0 && large < foi_infinity())) return 1;
    uint64_t bits = foi_bits(large) & UINT64_C(0x7FF0000000000000);
    double unit = foi_from_bits(bits);
    return unit < 0x1p-1000 ? 0x1p-1000 : unit > 0x1p1000 ? 0x1p1000 : unit;
}

// As in Annex G: the divisor is scaled to about 1, and what then is not a number is looked at
// again.
double complex foi_cdivide(double complex a, double complex b)
{
    double x = real(a), y = imaginary(a), size = size_of(real(b), imaginary(b));
    if (imaginary(b) == 0 && real(b) != 0) return made(x / real(b), y / real(b));
    double c = real(b) / size, d = imaginary(b) / size, square = c * c + d * d;
    double re = (x * c + y * d) / square / size, im = (y * c - x * d) / square / size;
    if (re == re || im == im) return made(re, im);
    if (square == 0 && (x == x || y == y)) {
        double far = foi_with_sign(foi_infinity(), c);
        return made(far * x, far * y);
    }
    if ((is_infinite(c) || is_infinite(d)) && x - x == 0 && y - y == 0) {
        c = foi_with_sign(is_infinite(c) ? 1 : 0, c), d = foi_with_sign(is_infinite(d) ? 1 : 0, d);
        return made(0 * (x * c + y * d), 0 * (y * c - x * d));
    }
    if ((is_infinite(x) || is_infinite(y)) && c - c == 0 && d - d == 0) {
        x = foi_with_sign(is_infinite(x) ? 1 : 0, x), y = foi_with_sign(is_infinite(y) ? 1 : 0, y);
        return made(foi_infinity() * (x * c + y * d), foi_infinity() * (y * c - x * d));
    }
    return made(re, im);
}

double complex foi_cexp(double complex z)
{
    double x = real(z), y = imaginary(z);
    if (y == 0) return made(foi_exp(x), y);
    if (x == -foi_infinity() && !(y - y == 0)) return made(0, 0);
    if (x > 700) { // in two steps: the parts may be finite where exp(x) is not
        double half = foi_exp(0.5 * x);
        return made(half * foi_cos(y) * half, half * foi_sin(y) * half);
    }
    double e = foi_exp(x);
    return made(e * foi_cos(y), e * foi_sin(y));
}

// log|z| near |z| = 1 from |z|^2 - 1 = (x - 1)(x + 1) + y^2, with |x| the larger part.
double complex foi_clog(double complex z)
{
    double x = foi_magnitude(real(z)), y = foi_magnitude(imaginary(z)), size = foi_hypot(x, y);
    double angle = foi_atan2(imaginary(z), real(z));
    if (!(size > 0.5 && size < 2)) {
        if (is_infinite(size) && x < foi_infinity() && y < foi_infinity())
            return made(foi_log(foi_hypot(0.5 * x, 0.5 * y)) + FOI_LN2, angle);
        return made(foi_log(size), angle);
    }
    double a = x > y ? x : y, b = x > y ? y : x;
    foi_pair q = foi_product(a - 1, a + 1), s = foi_product(b, b), sum = foi_sum(q.hi, s.hi);
    return made(0.5 * foi_log1p(sum.hi + (sum.lo + (q.lo + s.lo))), angle);
}

double complex foi_cpow(double complex a, double complex b)
{
    if (real(b) == 0 && imaginary(b) == 0) return made(1, 0);
    if (real(a) == 0 && imaginary(a) == 0 && imaginary(b) == 0 && real(b) > 0) return made(0, 0);
    double complex l = foi_clog(a);
    double x = real(b), y = imaginary(b);
    return foi_cexp(made(x * real(l) - y * imaginary(l), x * imaginary(l) + y * real(l)));
}

// w = sqrt((|x| + |z|)/2) is the larger part, y/(2w) the other.
double complex foi_csqrt(double complex z)
{
    double x = real(z), y = imaginary(z);
    if (x == 0 && y == 0) return made(0, y);
    if (is_infinite(y)) return made(foi_infinity(), y);
    if (is_infinite(x)) {
        if (x > 0) return made(x, y != y ? y : foi_with_sign(0, y));
        return made(y != y ? y : 0, foi_with_sign(foi_infinity(), y));
    }
    double large = foi_fmax(foi_magnitude(x), foi_magnitude(y));
    double scale = large > 0x1p1000 ? 0x1p-60 : large < 0x1p-960 ? 0x1p120 : 1;
    double a = x * scale, b = y * scale, back = scale == 1 ? 1 : scale < 1 ? 0x1p30 : 0x1p-60;
    double w = foi_sqrt(0.5 * (foi_magnitude(a) + foi_hypot(a, b))), other = b / (2 * w);
    if (x >= 0) return made(w * back, other * back);
    return made(foi_magnitude(other) * back, foi_with_sign(w, y) * back);
}

// ----------------------------------------------------------------- trigonometric and hyperbolic

double complex foi_csinh(double complex z)
{
    double x = real(z), y = imaginary(z);
    if (y == 0) return made(foi_sinh(x), y);
    return made(foi_sinh(x) * foi_cos(y), foi_cosh(x) * foi_sin(y));
}

double complex foi_ccosh(double complex z)
{
    double x = real(z), y = imaginary(z);
    if (y == 0) return made(foi_cosh(x), x * y == 0 ? x * y : y);
    return made(foi_cosh(x) * foi_cos(y), foi_sinh(x) * foi_sin(y));
}

// With t = tan y, s = sinh x, c = cosh x (Kahan 1987):
// tanh z = (c s (1 + t^2) + i t)/(1 + (1 + t^2) s^2)
double complex foi_ctanh(double complex z)
{
    double x = real(z), y = imaginary(z);
    if (foi_magnitude(x) > 22)
        return made(foi_with_sign(1, x),
                    foi_with_sign(0, foi_sin(2 * y)) +
                        4 * foi_sin(y) * foi_cos(y) * foi_exp(-2 * foi_magnitude(x)));
    double t = foi_tan(y), beta = 1 + t * t, s = foi_sinh(x), c = foi_sqrt(1 + s * s);
    double below = 1 + beta * s * s;
    return made(beta * c * s / below, t / below);
}

// sin z = -i sinh iz, and so on.
double complex foi_csin(double complex z)
{
    return turned_right(foi_csinh(turned_left(z)));
}

double complex foi_ccos(double complex z)
{
    return foi_ccosh(turned_left(z));
}

double complex foi_ctan(double complex z)
{
    return turned_right(foi_ctanh(turned_left(z)));
}

// Im of conj(a) b

static double outer(double complex a, double complex b)
{
    return real(a) * imaginary(b) - imaginary(a) * real(b);
}

// Kahan 1987, "Branch cuts for complex elementary functions".
double complex foi_casin(double complex z)
{
    double x = real(z), y = imaginary(z);
    double complex less = foi_csqrt(made(1 - x, -y)), more = foi_csqrt(made(1 + x, y));
    double below = real(less) * real(more) - imaginary(less) * imaginary(more);
    return made(foi_atan2(x, below), foi_asinh(outer(less, more)));
}

double complex foi_cacos(double complex z)
{
    double x = real(z), y = imaginary(z);
    double complex less = foi_csqrt(made(1 - x, -y)), more = foi_csqrt(made(1 + x, y));
    return made(2 * foi_atan2(real(less), real(more)), foi_asinh(outer(more, less)));
}

// atan z = -i atanh iz, atanh (x + iy) = log1p(4x/((1 - x)^2 + y^2))/4 + i atan2(2y, 1 - x^2 -
// y^2)/2
double complex foi_catan(double complex z)
{
    double complex w = turned_left(z);
    double x = foi_magnitude(real(w)), y = imaginary(w);
    double re = 0.25 * foi_log1p(4 * x / ((1 - x) * (1 - x) + y * y));
    double im = 0.5 * foi_atan2(2 * y, (1 - x) * (1 + x) - y * y);
    return turned_right(made(foi_with_sign(re, real(w)), im));
}
