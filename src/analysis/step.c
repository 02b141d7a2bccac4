// The response of a linear system to a step of an input.
//
// [x; 1]' = [A b; 0 0] [x; 1] is solved exactly from one instant to the next. Where fast and slow
// modes are seen together the instants stand at distances that double: twice as far apart, with the
// exponential of the steps before squared.
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/reach.h"
#include "analysis/spectrum.h"
#include "base/memory.h"
#include "math/math.h"

/// What goes from one instant to the next.
typedef struct stepper {
    const fo_linear *s;
    size_t input, output, k; ///< k: states and the 1
    double *a, *f, *work, *x, *dx;
} stepper;

static bool open_stepper(stepper *p, const fo_linear *s, size_t input, size_t output)
{
    size_t n = s->states, k = n + 1;
    *p = (stepper){.s = s, .input = input, .output = output, .k = k};
    p->a = foi_new(NULL, 4 * k * k + 2 * k, sizeof *p->a);
    if (!p->a) return false;
    p->f = p->a + k * k, p->work = p->f + k * k, p->x = p->work + 2 * k * k, p->dx = p->x + k;
    for (size_t i = 0; i < n; i++) {
        memcpy(p->a + i * k, s->a + i * n, n * sizeof *p->a);
        p->a[i * k + n] = s->b[i * s->inputs + input];
    }
    return true;
}

static void begin(const stepper *p, double dt)
{
    memset(p->x, 0, p->k * sizeof *p->x);
    p->x[p->k - 1] = 1;
    foi_exponential_less_one(p->k, p->a, dt, p->f, p->work);
}

static double value(const stepper *p)
{
    const fo_linear *s = p->s;
    double y = s->d[p->output * s->inputs + p->input];
    for (size_t i = 0; i < s->states; i++) y += s->c[p->output * s->states + i] * p->x[i];
    return y;
}

static void advance(const stepper *p)
{
    size_t k = p->k;
    for (size_t i = 0; i < k; i++) {
        p->dx[i] = 0;
        for (size_t j = 0; j < k; j++) p->dx[i] += p->f[i * k + j] * p->x[j];
    }
    for (size_t i = 0; i < k; i++) p->x[i] += p->dx[i];
}

fo_status fo_linear_step(const fo_linear *s, size_t input, size_t output, double dt, size_t count,
                         double *y)
{
    stepper p;
    if (!open_stepper(&p, s, input, output)) return FO_ERROR_MEMORY;
    begin(&p, dt);
    for (size_t step = 0; step < count; step++) {
        y[step] = value(&p);
        advance(&p);
    }
    foi_free(NULL, p.a);
    return FO_OK;
}

// ----------------------------------------------------------------------------- instants of its own

/// What modes between the input and the output want.
typedef struct modes {
    double span;    ///< until they have decayed, or some turns
    double growth;  ///< until they have grown a thousand times; INFINITY: none does
    double fastest; ///< rate, 0: there is none
    bool settle;    ///< all decay
} modes;

static const double DECAY = 7, TURNS = 20 * 6.283185307179586;

static void take_mode(modes *m, double re, double im, int side, double nothing)
{
    double size = foi_hypot(re, im);
    if (side >= 0) m->settle = false;
    if (size <= nothing) return; // it integrates, and has no time of its own
    m->fastest = foi_fmax(m->fastest, size);
    double decay = side < 0 ? DECAY / fabs(re) : INFINITY;
    double turns = fabs(im) > nothing ? TURNS / fabs(im) : INFINITY;
    if (side > 0) m->growth = foi_fmin(m->growth, DECAY / re);
    double span = foi_fmin(decay, turns);
    if (side <= 0 && isfinite(span)) m->span = foi_fmax(m->span, span);
}

static fo_status find_modes(const fo_linear *pair, modes *m)
{
    size_t n = pair->states;
    const bool *hidden = foi_linear_hidden(pair);
    double *re = foi_new(NULL, 2 * n + 1, sizeof *re), *im = re + n, slowest = INFINITY;
    int8_t *side = foi_new(NULL, n + 1, sizeof *side);
    bool singular = false;
    *m = (modes){.growth = INFINITY, .settle = true};
    fo_status status = re && side ? FO_OK : FO_ERROR_MEMORY;
    if (status == FO_OK) status = foi_spectrum(n, pair->a, NULL, re, im, side, &singular, NULL);
    for (size_t i = 0; i < n && status == FO_OK; i++)
        if (side[i]) slowest = foi_fmin(slowest, foi_hypot(re[i], im[i]));
    for (size_t i = 0; i < n && status == FO_OK; i++) {
        // one on the axis that is nothing beside all others is zero, and not a slow turn
        bool zero = side[i] == 0 && singular && foi_hypot(re[i], im[i]) < 1e-3 * slowest;
        if (!hidden[i]) take_mode(m, re[i], im[i], side[i], zero ? INFINITY : 0);
    }
    foi_free(NULL, re);
    foi_free(NULL, side);
    return status;
}

// Instants until `span`: evenly, or, where the fastest mode wants them nearer to each other, in
// parts of `each`, the first two with the same distances and each of the others with twice those
// before; what is left over stands before them.
static void respond(const stepper *p, double span, double fastest, size_t count, double *t,
                    double *y)
{
    size_t parts = 1, each = count - 1;
    double dt = span / (double)each;
    if (!(dt * fastest <= 0.5)) {
        while (each > 4 && !((double)each * 0.1 / fastest * ldexp(1, (int)parts - 1) >= span))
            each = (count - 1) / ++parts;
        dt = ldexp(span / (double)each, 1 - (int)parts);
    }
    size_t rest = count - 1 - parts * each;
    double at = 0;
    begin(p, dt);
    for (size_t i = 0; i < count; i++) {
        t[i] = at, y[i] = value(p);
        size_t step = i >= rest ? i - rest : 0;
        if (step >= 2 * each && step < parts * each && step % each == 0) {
            foi_exponential_twice(p->k, p->f, p->work);
            dt *= 2;
        }
        advance(p);
        at += dt;
    }
}

// When it has come to within a thousandth of its way to the end, and stays there.
static double settled(size_t count, const double *t, const double *y)
{
    double low = y[0], high = y[0];
    size_t last = 0;
    for (size_t i = 0; i < count; i++) low = foi_fmin(low, y[i]), high = foi_fmax(high, y[i]);
    for (size_t i = 0; i < count; i++)
        if (fabs(y[i] - y[count - 1]) > 1e-3 * (high - low)) last = i + 1;
    return t[last < count ? last : count - 1];
}

static fo_status respond_well(const fo_linear *pair, size_t count, double *t, double *y)
{
    modes m = {0};
    stepper p = {0};
    fo_status status = find_modes(pair, &m);
    if (status == FO_OK && !open_stepper(&p, pair, 0, 0)) status = FO_ERROR_MEMORY;
    if (status == FO_OK) {
        double span = isfinite(m.growth) ? m.growth : m.span > 0 ? m.span : 10;
        respond(&p, span, m.fastest, count, t, y);
        double end = 2 * settled(count, t, y), least = m.fastest > 0 ? DECAY / m.fastest : span;
        // a slow mode that hardly shows needs no time
        if (m.settle && end < 0.7 * span) respond(&p, foi_fmax(end, least), m.fastest, count, t, y);
    }
    foi_free(NULL, p.a);
    return status;
}

fo_status fo_linear_step_response(const fo_linear *s, size_t input, size_t output, size_t count,
                                  double *t, double *y)
{
    size_t n = s->states;
    fo_message why = {0};
    if (count < 2) return FO_ERROR_ARGUMENT;
    if (s->inputs == 1 && s->outputs == 1) return respond_well(s, count, t, y);
    double *b = foi_new(NULL, n + 1, sizeof *b);
    if (!b) return FO_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) b[i] = s->b[i * s->inputs + input];
    fo_linear *pair =
        fo_linear_of(n, 1, 1, s->a, b, s->c + output * n, s->d + output * s->inputs + input, &why);
    fo_status status = pair ? respond_well(pair, count, t, y) : why.status;
    foi_free(NULL, b);
    fo_linear_destroy(pair);
    return status;
}
