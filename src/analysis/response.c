// Responses of a linear system: frequency, step, margins.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dense.h"
#include "base/memory.h"
#include "math/math.h"
#include <foliot/analysis.h>

bool fo_linear_response(const fo_linear *s, size_t input, size_t output, double omega, double *re,
                        double *im)
{
    size_t n = s->states;
    double *a = foi_new(NULL, 2 * n * n + 2 * n + 2, sizeof *a), *b = a + 2 * n * n;
    *re = s->d[output * s->inputs + input], *im = 0;
    if (!a) return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) a[2 * (i * n + j)] = -s->a[i * n + j];
        a[2 * (i * n + i) + 1] = omega;
        b[2 * i] = s->b[i * s->inputs + input];
    }
    bool good = foi_complex_solve(n, a, b);
    for (size_t i = 0; i < n && good; i++)
        *re += s->c[output * n + i] * b[2 * i], *im += s->c[output * n + i] * b[2 * i + 1];
    foi_free(NULL, a);
    return good && isfinite(*re) && isfinite(*im);
}

fo_status fo_linear_step(const fo_linear *s, size_t input, size_t output, double dt, size_t count,
                         double *y)
{
    // [x; 1]' = [A b; 0 0] [x; 1], solved exactly from one instant to the next
    size_t n = s->states, k = n + 1;
    double *a = foi_new(NULL, 4 * k * k + 2 * k, sizeof *a);
    if (!a) return FO_ERROR_MEMORY;
    double *e = a + k * k, *work = e + k * k, *x = work + 2 * k * k, *next = x + k;
    for (size_t i = 0; i < n; i++) {
        memcpy(a + i * k, s->a + i * n, n * sizeof *a);
        a[i * k + n] = s->b[i * s->inputs + input];
    }
    foi_exponential(k, a, dt, e, work);
    x[n] = 1;
    for (size_t step = 0; step < count; step++) {
        y[step] = s->d[output * s->inputs + input];
        for (size_t i = 0; i < n; i++) y[step] += s->c[output * n + i] * x[i];
        for (size_t i = 0; i < k; i++) {
            next[i] = 0;
            for (size_t j = 0; j < k; j++) next[i] += e[i * k + j] * x[j];
        }
        memcpy(x, next, k * sizeof *x);
    }
    foi_free(NULL, a);
    return FO_OK;
}

void fo_linear_range(const fo_linear *s, double *low, double *high)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < s->states + s->zeros; i++) {
        double size = i < s->states
                          ? foi_hypot(s->re[i], s->im[i])
                          : foi_hypot(s->zero_re[i - s->states], s->zero_im[i - s->states]);
        if (size > most) most = size;
    }
    for (size_t i = 0; i < s->states + s->zeros; i++) {
        double size = i < s->states
                          ? foi_hypot(s->re[i], s->im[i])
                          : foi_hypot(s->zero_re[i - s->states], s->zero_im[i - s->states]);
        if (size > 1e-9 * most && size < least) least = size; // a pole at zero is not exactly there
    }
    *low = isfinite(least) ? least / 100 : 0.01;
    *high = most > 0 ? most * 100 : 100;
}

// ------------------------------------------------------------------------------------------
// margins

/// What changes its sign where a margin is: Im G, or |G| - 1.
static double mark(const fo_linear *s, size_t input, size_t output, double omega, bool phase,
                   double *re, double *im)
{
    if (!fo_linear_response(s, input, output, omega, re, im)) return NAN;
    return phase ? *im : foi_hypot(*re, *im) - 1;
}

static double locate(const fo_linear *s, size_t input, size_t output, double low, double high,
                     bool phase)
{
    double re, im, first = mark(s, input, output, low, phase, &re, &im);
    for (int i = 0; i < 200; i++) {
        double middle = sqrt(low) * sqrt(high);
        if (!(middle > low && middle < high)) break;
        double value = mark(s, input, output, middle, phase, &re, &im);
        if ((value > 0) == (first > 0))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void take_gain(fo_margins *m, double omega, double re)
{
    double gain = -1 / re; // as near to 1 as a factor can be, from either side
    if (!(re < 0) || fabs(foi_log(gain)) >= fabs(foi_log(m->gain))) return;
    m->gain = gain, m->gain_omega = omega;
}

static void take_phase(fo_margins *m, double omega, double re, double im)
{
    double phase = foi_atan2(-im, -re) * 57.29577951308232; // of -G: how far from -180 degrees
    if (fabs(phase) >= fabs(m->phase)) return;
    m->phase = phase, m->phase_omega = omega;
}

enum { POINTS = 2000, BESIDE = 20 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Frequencies between which margins are looked for: evenly in their logarithm, and around every
// pole and zero, where the response changes over its distance from the imaginary axis, however near
// that is. Returns how many.
static size_t place_points(const fo_linear *s, double low, double high, double *omega)
{
    size_t count = 0;
    for (int i = 0; i <= POINTS; i++)
        omega[count++] = low * foi_pow(high / low, (double)i / POINTS);
    for (size_t i = 0; i < s->states + s->zeros; i++) {
        bool pole = i < s->states;
        double at = fabs(pole ? s->im[i] : s->zero_im[i - s->states]);
        double far = fabs(pole ? s->re[i] : s->zero_re[i - s->states]);
        for (int k = -BESIDE; k <= BESIDE; k++) {
            double way = k ? copysign(ldexp(far, abs(k) - 6), k) : 0;
            if (at + way > low && at + way < high) omega[count++] = at + way;
        }
    }
    qsort(omega, count, sizeof *omega, by_size);
    return count;
}

fo_margins fo_linear_margins(const fo_linear *s, size_t input, size_t output, double low,
                             double high)
{
    fo_margins m = {INFINITY, NAN, INFINITY, NAN};
    if (!(low > 0 && high > low)) fo_linear_range(s, &low, &high);
    size_t room = POINTS + 1 + (s->states + s->zeros) * (2 * BESIDE + 1);
    double *points = foi_new(NULL, room, sizeof *points);
    size_t count = points ? place_points(s, low, high, points) : 0;
    double before[2] = {NAN, NAN}, omega[2] = {low, low}; // where it was last not zero
    for (size_t i = 0; i < count; i++) {
        double next = points[i], re, im;
        for (int phase = 0; phase < 2; phase++) {
            double value = mark(s, input, output, next, phase, &re, &im);
            if ((value > 0 && before[phase] < 0) || (value < 0 && before[phase] > 0)) {
                double at = locate(s, input, output, omega[phase], next, phase);
                mark(s, input, output, at, phase, &re, &im);
                if (phase)
                    take_gain(&m, at, re);
                else
                    take_phase(&m, at, re, im);
            }
            if (value != 0) before[phase] = value, omega[phase] = next;
        }
    }
    foi_free(NULL, points);
    if (isinf(m.gain)) m.gain = NAN;
    if (isinf(m.phase)) m.phase = NAN;
    return m;
}
