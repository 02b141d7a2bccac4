/// The longest stable step, mode by mode (von Neumann).
///
/// A wave's mode with wave number k grows with lambda, lambda^2 + (b1 + b2 k^2) lambda + c^2 k^2 =
/// 0 where k^2 is an eigenvalue of -lap: at most the sum over the axes of 4/dx^2 sin^2(..), between
/// held ends (pi/2) (n-2)/(n-1), otherwise pi/2. A transport mode exp(i phi j) has
/// lambda = -D 4/dx^2 sin^2(phi/2) - v (i sin(phi)/dx) + r1, or with upwind differences a
/// diffusivity |v| dx / 2 more. A method with amplification R is stable where |R(h lambda)| <= 1.
#include <complex.h>
#include <math.h>

#include "field/field.h"
#include "math/complex.h"
#include "math/math.h"

enum { SAMPLES = 16 }; ///< even, so that a quarter of a wave is among them

/// The largest h with |1 + h lambda| <= 1.
static double euler_limit(double complex l)
{
    double size = creal(l) * creal(l) + cimag(l) * cimag(l);
    return size == 0 ? INFINITY : foi_fmax(0, -2 * creal(l) / size);
}

// Part by part: what compilers make of z / d differs in the last bit.
static double complex over(double complex z, double d)
{
    return creal(z) / d + cimag(z) / d * I;
}

static double rk4_growth(double complex z)
{
    return foi_cabs(1 + z * (1 + over(z, 2) * (1 + over(z, 3) * (1 + over(z, 4)))));
}

/// The largest h up to which |R(h lambda)| <= 1: searched in steps, then halved.
static double rk4_limit(double complex l)
{
    double size = foi_cabs(l), low = 0, step = 0.02, slack = 1 + 1e-12;
    if (size == 0) return INFINITY;
    while (low < 4 && rk4_growth(over((low + step) * l, size)) <= slack) low += step;
    for (int i = 0; i < 40; i++) {
        step /= 2;
        if (rk4_growth(over((low + step) * l, size)) <= slack) low += step;
    }
    return low < 1e-6 ? 0 : low / size;
}

static double mode_limit(fo_field_method method, double complex l)
{
    return method == FO_FIELD_RK4 ? rk4_limit(l) : euler_limit(l);
}

/// The largest eigenvalue of -lap.
static double largest(const fo_field *f)
{
    double sum = 0;
    for (uint32_t axis = 0; axis < f->def.dimensions; axis++) {
        double angle = M_PI / 2, n = f->n[axis];
        bool held = f->box.reach[2 * axis] == FOI_HELD && f->box.reach[2 * axis + 1] == FOI_HELD;
        if (held) angle *= (n - 2) / (n - 1);
        sum += 4 * f->k[axis] * foi_sin(angle) * foi_sin(angle);
    }
    return sum;
}

/// Both roots of a wave's mode.
static double wave_mode(fo_field_method method, double c2, double b1, double b2, double k2)
{
    double gamma = b1 + b2 * k2;
    double complex root = foi_csqrt(gamma * gamma - 4 * c2 * k2 + 0 * I);
    return foi_fmin(mode_limit(method, over(-gamma + root, 2)),
                    mode_limit(method, over(-gamma - root, 2)));
}

// Absorbing sides damp their nodes by 2 c / dx more; that alone must be stable, too.
static double wave_limit(const fo_field *f, fo_field_method method)
{
    double k2 = largest(f), result = INFINITY, edges = 0;
    for (int side = 0; side < 6; side += 2) edges += foi_fmax(f->edge[side], f->edge[side + 1]);
    if (method == FO_FIELD_LEAPFROG) {
        double omega2 = f->c2.most * k2, beta = foi_fmax(f->b2.most, -f->b2.least) * k2;
        return omega2 > 0 ? (sqrt(beta * beta + 4 * omega2) - beta) / omega2 : INFINITY;
    }
    const double c2[2] = {f->c2.least, f->c2.most}, b1[2] = {f->b1.least, f->b1.most};
    // with a negative b2 modes grow whatever the step: it is as short as for those that decay so
    const double b2[2] = {fabs(f->b2.least), fabs(f->b2.most)};
    for (int corner = 0; corner < 8; corner++)
        for (int i = 1; i <= SAMPLES; i++)
            result = foi_fmin(result, wave_mode(method, c2[corner & 1], b1[corner >> 1 & 1],
                                                b2[corner >> 2], k2 * i / SAMPLES));
    double damping = f->b1.most + edges;
    return damping > 0 ? foi_fmin(result, mode_limit(method, -damping)) : result;
}

static double transport_limit(const fo_field *f, fo_field_method method)
{
    double result = INFINITY, r1 = foi_fmin(0, f->def.reaction[1]);
    for (int i = 1; i <= SAMPLES; i++) {
        double complex l = r1;
        for (uint32_t axis = 0; axis < f->def.dimensions; axis++) {
            double phi = M_PI * i / SAMPLES, half = foi_sin(phi / 2), v = f->def.velocity[axis];
            double d = f->d.most + (f->def.upwind ? fabs(v) * f->dx[axis] / 2 : 0);
            l -= 4 * d * f->k[axis] * half * half + I * fabs(v) * foi_sin(phi) / f->dx[axis];
        }
        result = foi_fmin(result, mode_limit(method, l));
    }
    // short of phi = pi/SAMPLES the condition of Euler with advection is h <= 2 D / v^2, summed
    double v2 = 0;
    for (uint32_t axis = 0; axis < f->def.dimensions; axis++) {
        double v = f->def.velocity[axis];
        double d = f->d.least + (f->def.upwind ? fabs(v) * f->dx[axis] / 2 : 0);
        if (v != 0) v2 += d > 0 ? v * v / d : INFINITY;
    }
    return method == FO_FIELD_EULER && v2 > 0 ? foi_fmin(result, 2 / v2) : result;
}

double foi_limit(const fo_field *f, fo_field_method method)
{
    if (method == FO_FIELD_IMPLICIT_EULER || method == FO_FIELD_SLIDING) return INFINITY;
    switch (f->def.equation) {
    case FO_FIELD_WAVE: return wave_limit(f, method);
    case FO_FIELD_TRANSPORT: return transport_limit(f, method);
    case FO_FIELD_STENCIL: break;
    }
    return f->def.stencil_limit > 0 ? f->def.stencil_limit : INFINITY;
}

// A mode grows with the larger root of lambda^2 + (b1 + b2 k^2) lambda + c^2 k^2 = 0, where its
// damping is negative; the shortest waves do so fastest.
double foi_field_growth(const fo_field *f, double *longest)
{
    double k2 = largest(f), gamma = f->b1.least + f->b2.least * k2;
    *longest = 0;
    if (f->def.equation != FO_FIELD_WAVE || !(gamma < 0)) return 0;
    *longest = f->b1.least > 0 ? 2 * M_PI * sqrt(-f->b2.least / f->b1.least) : INFINITY;
    double rest = gamma * gamma - 4 * f->c2.least * k2;
    return (-gamma + (rest > 0 ? sqrt(rest) : 0)) / 2;
}

double fo_field_limit(const fo_field *field, fo_field_method method)
{
    return foi_limit(field, method);
}

fo_status foi_check_step(const fo_field *f, const fo_state *s, double h)
{
    if (h <= f->limit * (1 + 1e-9)) return FO_OK;
    static const char *const names[] = {"leapfrog", "euler", "rk4", "implicit-euler", "sliding"};
    const char *name = names[f->def.method];
    if (f->limit == 0)
        return fo_fail(s->message, FO_ERROR_ARGUMENT,
                       "%s: %s is not stable with any step here; take leapfrog or an implicit "
                       "method",
                       f->name, name);
    return fo_fail(s->message, FO_ERROR_ARGUMENT,
                   "%s: the step %.9g s is beyond the stability limit %.9g s of %s; take a shorter "
                   "step or an implicit method",
                   f->name, h, f->limit, name);
}
