/// cbrt, hypot.
#include "math/bits.h"
#include "math/math.h"

// On [1, 8), z = 2^0, 2^1 or 2^2 times m: a polynomial to 2^-16 and one step of Halley to 2^-48, of
// which 26 bits are kept, so that the residual z - t^3 is exact in parts. The last step is Halley's
// again, rest/(3 t^2 + rest/t), whose quotient alone is rounded; 1/t there may be the first one.
static double root_of(double m, double scale, double z)
{
    double m2 = m * m, p = (FOI_CBRT_0 + m * FOI_CBRT_1) + m2 * (FOI_CBRT_2 + m * FOI_CBRT_3);
    double t = scale * (p + m2 * m2 * FOI_CBRT_4), inverse = 1 / t, cube = t * t * t;
    t = foi_head(t * ((cube + (z + z)) / ((cube + cube) + z)));
    double square = t * t, h = foi_head(square), rest = (z - t * h) - t * (square - h);
    return t + rest / (3 * square + rest * inverse);
}

double foi_cbrt(double x)
{
    static const double roots[3] = {1, FOI_CBRT_OF_2, FOI_CBRT_OF_4};
    double size = foi_magnitude(x);
    int lift = 0;
    if (!(size < foi_infinity()) || size == 0) return x != x ? foi_no_number(x) : x;
    if (size < 0x1p-1022) size *= 0x1p54, lift = 18;
    uint64_t bits = foi_bits(size);
    int e = (int)(bits >> 52) - 1023 + 1074, third = e / 3, rest = e % 3; // e >= 52
    double m = foi_from_bits((bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(0x3FF0000000000000));
    double t = root_of(m, roots[rest], m * (double)(1 << rest));
    return foi_with_sign(t * foi_power_of_two(third - 358 - lift), x);
}

// s = sqrt(x^2 + y^2) rounded has the residual x^2 + y^2 - s^2, exact in parts; over 2s it corrects
// s.
static double corrected(double x, double y)
{
    double about = x * x + y * y, s = foi_sqrt(about);
    double xh = foi_head(x), xl = x - xh, yh = foi_head(y), yl = y - yh, sh = foi_head(s),
           sl = s - sh;
    double lead = ((xh - sh) * (xh + sh) + yh * yh);
    double rest = (xl * (xh + x) + yl * (yh + y)) - sl * (sh + s);
    return s + (lead + rest) * foi_half_over_root(about);
}

double foi_hypot(double x, double y)
{
    double a = foi_magnitude(x), b = foi_magnitude(y);
    if (a < b) {
        double c = a;
        a = b, b = c;
    }
    if (!(a < foi_infinity()) || b != b)
        return a == foi_infinity() || b == foi_infinity() ? foi_infinity()
                                                          : foi_no_number(a != a ? a : b);
    if (b <= a * 0x1p-54) return a + b;
    if (a > 0x1p500) return 0x1p600 * corrected(a * 0x1p-600, b * 0x1p-600);
    if (b < 0x1p-400) return 0x1p-600 * corrected(a * 0x1p600, b * 0x1p600);
    return corrected(a, b);
}
