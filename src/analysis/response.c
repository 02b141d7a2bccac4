// Responses of a linear system over frequency, and margins.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/spectrum.h"
#include "analysis/zeros.h"
#include "base/memory.h"
#include "math/math.h"
#include <foliot/analysis.h>

bool fo_linear_response(const fo_linear *s, size_t input, size_t output, double omega, double *re,
                        double *im)
{
    size_t n = s->states;
    double *a = foi_new(NULL, 3 * n * n + 3 * n + 2, sizeof *a), *b = a + 2 * n * n;
    double *by = b + 2 * n, *balanced = by + n; // in units in which pivots mean something
    *re = s->d[output * s->inputs + input], *im = 0;
    if (!a) return false;
    memcpy(balanced, s->a, n * n * sizeof *balanced);
    foi_balance(n, balanced, by);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) a[2 * (i * n + j)] = -balanced[i * n + j];
        a[2 * (i * n + i) + 1] = omega;
        b[2 * i] = s->b[i * s->inputs + input] / by[i];
    }
    bool good = foi_complex_solve(n, a, b);
    for (size_t i = 0; i < n && good; i++)
        *re += s->c[output * n + i] * by[i] * b[2 * i],
            *im += s->c[output * n + i] * by[i] * b[2 * i + 1];
    foi_free(NULL, a);
    return good && isfinite(*re) && isfinite(*im);
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

// ----------------------------------------------------------------------------------------- margins

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

enum { POINTS = 2000, BESIDE = 20, FEW = 4, MOST_SOLVED = 60 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Frequencies between which margins are looked for.
typedef struct places {
    double *omega;
    size_t count, room;
    double low, high;
} places;

static void put(places *p, double omega)
{
    if (omega > p->low && omega < p->high && p->count < p->room) p->omega[p->count++] = omega;
}

// Evenly in their logarithm, and around every pole and zero, where the response changes over its
// distance from the imaginary axis, however near that is.
static void place_points(const fo_linear *s, double low, double high, places *p)
{
    for (int i = 0; i <= POINTS; i++) put(p, low * foi_pow(high / low, (double)i / POINTS));
    for (size_t i = 0; i < s->states + s->zeros; i++) {
        bool pole = i < s->states;
        double at = fabs(pole ? s->im[i] : s->zero_im[i - s->states]);
        double far = fabs(pole ? s->re[i] : s->zero_re[i - s->states]);
        for (int k = -BESIDE; k <= BESIDE; k++)
            put(p, at + (k ? copysign(ldexp(far, abs(k) - 6), k) : 0));
    }
}

// G(s) - G(-s), which is 2 i Im G on the axis, or G(s) G(-s) - 1, which is |G|^2 - 1: a system of
// twice as many states, whose zeros on the axis are the crossings, wherever they are. `m` has room
// for all of it.
static void make_double(const fo_linear *s, size_t input, size_t output, bool phase, fo_linear *to,
                        double *m)
{
    size_t n = s->states, k = 2 * n;
    double *a = m, *b = a + k * k, *c = b + k, *d = c + k;
    double through = s->d[output * s->inputs + input];
    memset(m, 0, (k * k + 2 * k + 1) * sizeof *m);
    for (size_t i = 0; i < n; i++) {
        double bi = s->b[i * s->inputs + input];
        for (size_t j = 0; j < n; j++) {
            a[i * k + j] = -s->a[i * n + j];
            a[(n + i) * k + n + j] = s->a[i * n + j];
            if (!phase) a[(n + i) * k + j] = -bi * s->c[output * n + j];
        }
        b[i] = bi, b[n + i] = phase ? bi : bi * through;
        c[i] = phase ? s->c[output * n + i] : -through * s->c[output * n + i];
        c[n + i] = s->c[output * n + i];
    }
    d[0] = phase ? 0 : (through - 1) * (through + 1);
    *to = (fo_linear){.states = k, .inputs = 1, .outputs = 1, .a = a, .b = b, .c = c, .d = d};
}

static void place_crossings(const fo_linear *s, size_t input, size_t output, places *p)
{
    static const double beside[FEW] = {1e-9, 1e-6, 1e-3, 3e-2};
    size_t k = 2 * s->states, count = 0;
    if (s->states > MOST_SOLVED || !s->states) return;
    double *m = foi_new(NULL, k * k + 4 * k + 1, sizeof *m);
    if (!m) return;
    double *re = m + k * k + 2 * k + 1, *im = re + k;
    for (int phase = 0; phase < 2; phase++) {
        fo_linear twice;
        fo_message ignored;
        make_double(s, input, output, phase, &twice, m);
        if (foi_zeros(&twice, re, im, &count, NULL, &ignored) != FO_OK) continue;
        for (size_t i = 0; i < count; i++)
            for (int q = 0; q < FEW && im[i] > 0 && fabs(re[i]) < 0.1 * im[i]; q++)
                put(p, im[i] * (1 - beside[q])), put(p, im[i] * (1 + beside[q]));
    }
    foi_free(NULL, m);
}

// Where the frequency is zero, and where it is infinite, the response is real.
static void take_ends(const fo_linear *s, size_t input, size_t output, fo_margins *m)
{
    size_t n = s->states;
    double *re = foi_new(NULL, 2 * n + 1, sizeof *re), *im = re + n, at, ignored;
    int8_t *side = foi_new(NULL, n + 1, sizeof *side);
    bool singular = true;
    if (re && side && foi_spectrum(n, s->a, NULL, re, im, side, &singular, NULL) == FO_OK)
        if (!singular && fo_linear_response(s, input, output, 0, &at, &ignored))
            take_gain(m, 0, at);
    take_gain(m, INFINITY, s->d[output * s->inputs + input]);
    foi_free(NULL, re);
    foi_free(NULL, side);
}

static void look_through(const fo_linear *s, size_t input, size_t output, const places *p,
                         fo_margins *m)
{
    double before[2] = {NAN, NAN}, omega[2] = {0, 0}; // where it was last not zero
    for (size_t i = 0; i < p->count; i++) {
        double next = p->omega[i], re, im;
        for (int phase = 0; phase < 2; phase++) {
            double value = mark(s, input, output, next, phase, &re, &im);
            if ((value > 0 && before[phase] < 0) || (value < 0 && before[phase] > 0)) {
                double at = locate(s, input, output, omega[phase], next, phase);
                mark(s, input, output, at, phase, &re, &im);
                if (phase)
                    take_gain(m, at, re);
                else
                    take_phase(m, at, re, im);
            }
            if (value != 0) before[phase] = value, omega[phase] = next;
        }
    }
}

fo_margins fo_linear_margins(const fo_linear *s, size_t input, size_t output, double low,
                             double high)
{
    fo_margins m = {INFINITY, NAN, INFINITY, NAN};
    bool all = !(low > 0 && high > low);
    places p = {.low = 0, .high = INFINITY};
    if (all)
        fo_linear_range(s, &low, &high);
    else
        p.low = low * (1 - 1e-12), p.high = high * (1 + 1e-12);
    p.room = POINTS + 1 + (s->states + s->zeros) * (2 * BESIDE + 1) + 8 * FEW * s->states;
    p.omega = foi_new(NULL, p.room, sizeof *p.omega);
    if (p.omega) {
        place_points(s, low, high, &p);
        place_crossings(s, input, output, &p);
        qsort(p.omega, p.count, sizeof *p.omega, by_size);
        look_through(s, input, output, &p, &m);
        if (all) take_ends(s, input, output, &m);
    }
    foi_free(NULL, p.omega);
    if (isinf(m.gain)) m.gain = NAN;
    if (isinf(m.phase)) m.phase = NAN;
    return m;
}
