#include "hand.h"

#include <math.h>
#include <string.h>

#include "hand_control.h"
#include "problems.h"

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

/// All vectors of a step of Dormand-Prince 5(4), which starts at x with the rates k1 and ends at x1
/// with the rates k7.
typedef struct step {
    double x[HAND_STATES], x1[HAND_STATES], w[HAND_STATES];
    double k1[HAND_STATES], k2[HAND_STATES], k3[HAND_STATES], k4[HAND_STATES], k5[HAND_STATES],
        k6[HAND_STATES], k7[HAND_STATES];
} step;

#define EACH UNROLL for (size_t i = 0; i < n; i++)

// The newest stage enters last and alone: all else is ready before it.
INLINE void stages(step *restrict s, hand_function *rates, size_t n, double t, double h)
{
    double h21 = h * (1.0 / 5), h32 = h * (9.0 / 40), h43 = h * (32.0 / 9),
           h54 = h * (-212.0 / 729), h65 = h * (-5103.0 / 18656), h76 = h * (11.0 / 84);
    EACH s->w[i] = s->x[i] + h21 * s->k1[i];
    rates(NULL, NULL, t + 0.2 * h, s->w, s->k2);
    EACH s->w[i] = (s->x[i] + h * (3.0 / 40 * s->k1[i])) + h32 * s->k2[i];
    rates(NULL, NULL, t + 0.3 * h, s->w, s->k3);
    EACH s->w[i] = (s->x[i] + h * (44.0 / 45 * s->k1[i] - 56.0 / 15 * s->k2[i])) + h43 * s->k3[i];
    rates(NULL, NULL, t + 0.8 * h, s->w, s->k4);
    EACH s->w[i] = (s->x[i] + h * (19372.0 / 6561 * s->k1[i] - 25360.0 / 2187 * s->k2[i] +
                                   64448.0 / 6561 * s->k3[i])) +
                   h54 * s->k4[i];
    rates(NULL, NULL, t + 8.0 / 9 * h, s->w, s->k5);
    EACH s->w[i] = (s->x[i] + h * (9017.0 / 3168 * s->k1[i] - 355.0 / 33 * s->k2[i] +
                                   46732.0 / 5247 * s->k3[i] + 49.0 / 176 * s->k4[i])) +
                   h65 * s->k5[i];
    rates(NULL, NULL, t + h, s->w, s->k6);
    EACH s->x1[i] = (s->x[i] + h * (35.0 / 384 * s->k1[i] + 500.0 / 1113 * s->k3[i] +
                                    125.0 / 192 * s->k4[i] - 2187.0 / 6784 * s->k5[i])) +
                    h76 * s->k6[i];
    rates(NULL, NULL, t + h, s->x1, s->k7);
}

// The squared error in units of the tolerance, mean over the states.
INLINE double error2(const step *restrict s, size_t n, double h, double tolerance)
{
    double sum = 0;
    EACH
    {
        double a = fabs(s->x[i]), b = fabs(s->x1[i]), m = a > b ? a : b;
        double r = h / (tolerance + tolerance * m);
        double e = r * (71.0 / 57600 * s->k1[i] - 71.0 / 16695 * s->k3[i] + 71.0 / 1920 * s->k4[i] -
                        17253.0 / 339200 * s->k5[i] + 22.0 / 525 * s->k6[i]) -
                   (r * (1.0 / 40)) * s->k7[i];
        sum += e * e;
    }
    return sum / (double)n;
}

// ------------------------------------------------------------------------------------- dp45

INLINE uint64_t dp45_of(hand_function *rates, size_t n, double stop, double *x, double h,
                        double tolerance)
{
    step s;
    uint64_t steps = 0;
    double t = 0, before = -2 * UNIT, most = INFINITY;
    memcpy(s.x, x, n * sizeof *x);
    rates(NULL, NULL, t, s.x, s.k1);
    while (t < stop) {
        if (t + h * 1.0000001 >= stop) h = stop - t;
        stages(&s, rates, n, t, h);
        double e2 = error2(&s, n, h, tolerance), error = rough_log(e2);
        if (e2 > 1) {
            h *= shrink(error);
            most = 1;
            continue;
        }
        t += h;
        double factor = growth(error, before);
        h *= factor < most ? factor : most;
        before = error > -26.6 * UNIT ? error : -26.6 * UNIT;
        most = INFINITY;
        EACH s.x[i] = s.x1[i], s.k1[i] = s.k7[i];
        steps++;
    }
    memcpy(x, s.x, n * sizeof *x);
    return steps;
}

uint64_t hand_dp45(hand_function *rates, size_t n, double stop, double *x, double h,
                   double tolerance)
{
    switch (n) {
    case 2: return dp45_of(rates, 2, stop, x, h, tolerance);
    case 3: return dp45_of(rates, 3, stop, x, h, tolerance);
    default: return n > HAND_STATES ? 0 : dp45_of(rates, n, stop, x, h, tolerance);
    }
}

// -------------------------------------------------------------------------------------- rk4

INLINE void rk4_of(hand_function *rates, size_t n, uint64_t steps, double h, double *x)
{
    double y[HAND_STATES], a[HAND_STATES], b[HAND_STATES], c[HAND_STATES], d[HAND_STATES],
        w[HAND_STATES];
    double half = h / 2, sixth = h / 6, third = h / 3;
    memcpy(y, x, n * sizeof *x);
    for (uint64_t j = 0; j < steps; j++) {
        double t = (double)j * h;
        rates(NULL, NULL, t, y, a);
        EACH w[i] = y[i] + half * a[i];
        rates(NULL, NULL, t + half, w, b);
        EACH w[i] = y[i] + half * b[i];
        rates(NULL, NULL, t + half, w, c);
        EACH w[i] = y[i] + h * c[i];
        rates(NULL, NULL, t + h, w, d);
        EACH y[i] = ((y[i] + sixth * a[i]) + third * (b[i] + c[i])) + sixth * d[i];
    }
    memcpy(x, y, n * sizeof *x);
}

void hand_rk4(hand_function *rates, size_t n, uint64_t steps, double h, double *x)
{
    switch (n) {
    case 2: rk4_of(rates, 2, steps, h, x); break;
    case 3: rk4_of(rates, 3, steps, h, x); break;
    default:
        if (n <= HAND_STATES) rk4_of(rates, n, steps, h, x);
    }
}

// ------------------------------------------------------------------------------------- ball

enum { BALL_STATES = 2 };

/// The dense output of a step: x + theta (c0 + (1 - theta) (c1 + theta (c2 + (1 - theta) c3))).
typedef struct dense {
    double c[4][BALL_STATES];
} dense;

INLINE void make_dense(dense *restrict p, const step *restrict s, double h)
{
    for (int i = 0; i < BALL_STATES; i++) {
        double D = s->x1[i] - s->x[i], b = h * s->k1[i] - D;
        p->c[0][i] = D;
        p->c[1][i] = b;
        p->c[2][i] = D - h * s->k7[i] - b;
        p->c[3][i] =
            h *
            (-12715105075.0 / 11282082432.0 * s->k1[i] + 87487479700.0 / 32700410799.0 * s->k3[i] -
             10690763975.0 / 1880347072.0 * s->k4[i] + 701980252875.0 / 199316789632.0 * s->k5[i] -
             1453857185.0 / 822651844.0 * s->k6[i] + 69997945.0 / 29380423.0 * s->k7[i]);
    }
}

INLINE void at(const dense *restrict p, const step *restrict s, double theta, double *z)
{
    double q = 1 - theta;
    for (int i = 0; i < BALL_STATES; i++)
        z[i] = s->x[i] +
               theta * (p->c[0][i] + q * (p->c[1][i] + theta * (p->c[2][i] + q * p->c[3][i])));
}

// The falling zero of the guard in (0, 1], where it ends below zero with g1; z is the state there.
INLINE double find_impact(const dense *p, const step *s, hand_function *guard, double t, double h,
                          double g1, double *z)
{
    double a = 0, b = 1, ga, gb = g1, gm, theta;
    int side = 0;
    guard(NULL, NULL, t, s->x, &ga);
    if (ga <= 1e-14) // the ball starts on the floor: find a place above it
        for (a = 0.5;; b = a, gb = ga, a *= 0.5) {
            at(p, s, a, z);
            guard(NULL, NULL, t + a * h, z, &ga);
            if (ga > 0) break;
        }
    for (int tries = 0;; tries++) { // Illinois: regula falsi that halves the end that stays
        theta = (a * gb - b * ga) / (gb - ga);
        at(p, s, theta, z);
        guard(NULL, NULL, t + theta * h, z, &gm);
        if (fabs(gm) < 1e-14 || tries == 60) break;
        if (gm > 0) {
            a = theta, ga = gm;
            if (side == 1) gb *= 0.5;
            side = 1;
        } else {
            b = theta, gb = gm;
            if (side == -1) ga *= 0.5;
            side = -1;
        }
        if ((b - a) * h < 1e-15) break;
    }
    return theta;
}

uint64_t hand_ball(hand_function *rates, hand_function *guard, double tolerance, double *end)
{
    step s = {.x = {BALL_HEIGHT, 0}};
    dense p;
    uint64_t impacts = 0;
    double t = 0, h = 1e-3, before = -2 * UNIT, g, z[BALL_STATES];
    rates(NULL, NULL, t, s.x, s.k1);
    for (;;) {
        stages(&s, rates, BALL_STATES, t, h);
        double e2 = error2(&s, BALL_STATES, h, tolerance), error = rough_log(e2);
        if (e2 > 1) {
            h *= shrink(error);
            continue;
        }
        guard(NULL, NULL, t + h, s.x1, &g);
        if (g < 0) {
            make_dense(&p, &s, h);
            double theta = find_impact(&p, &s, guard, t, h, g, z);
            t += theta * h, h *= theta;
            impacts++;
            if (fabs(z[1]) < BALL_SLOW) break;
            s.x[0] = 0, s.x[1] = -BALL_RESTITUTION * z[1];
            rates(NULL, NULL, t, s.x, s.k1);
            continue;
        }
        t += h;
        h *= growth(error, before);
        before = error > -26.6 * UNIT ? error : -26.6 * UNIT;
        for (int i = 0; i < BALL_STATES; i++) s.x[i] = s.x1[i], s.k1[i] = s.k7[i];
    }
    *end = t;
    return impacts;
}
