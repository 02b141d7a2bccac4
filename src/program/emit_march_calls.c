/// Tries of steps for programs that are too long to be written out in every stage: combinations of
/// the stages in loops over the states, and calls of the emitted rates in between. The arithmetic
/// is that of solver/erk.h, operation by operation. The loops are written in vectors, so that they
/// are such whatever a compiler is asked to optimize for, and compiled for each set of
/// instructions, as those of math/vector.c.
#include "program/emit_march.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

#ifdef __x86_64__
enum { LANES = 4 }; ///< without AVX compilers make two of two
#else
enum { LANES = 2 };
#endif
/// Neighbouring states; arithmetic on it is that of single doubles. Functions get it by its
/// address: how it is handed over by value depends on the instructions.
typedef double lanes __attribute__((vector_size(8 * LANES), aligned(8), may_alias));
typedef int64_t masks __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

enum { PROBES = 2 * LANES };

/// Vectors in a round of a loop, written out: engines of WebAssembly look for interrupts in every
/// round. Elsewhere compilers do it.
#ifdef __wasm__
enum { ROUND = 4 };
#else
enum { ROUND = 1 };
#endif

static void rates(foi_marcher *s, double t, const double *x, double *dx)
{
    s->run.x = x, s->run.y = dx;
    s->run.r[s->time] = t;
    s->rates(s->code, &s->run);
}

// all = sum over j < count of a_j k_j from state i + k on; with the weights constants, those of
// weight zero cost nothing.
INLINE void sum_lanes(lanes *all, const double *a, int count, double *const *row, size_t i,
                      size_t k)
{
    bool any = false;
    *all = (lanes){0};
#pragma GCC unroll 8
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        lanes term = a[j] * *(const lanes *)(row[j] + i + k);
        if (any)
            *all += term;
        else
            *all = term;
        any = true;
    }
}

INLINE double sum_one(const double *a, int count, double *const *row, size_t i)
{
    double all = 0;
    bool any = false;
#pragma GCC unroll 8
    for (int j = 0; j < count; j++) {
        if (a[j] == 0) continue;
        double term = a[j] * row[j][i];
        all = any ? all + term : term;
        any = true;
    }
    return all;
}

INLINE bool has_weights(const double *a, int count)
{
    bool any = false;
#pragma GCC unroll 8
    for (int j = 0; j < count; j++) any = any || a[j] != 0;
    return any;
}

/// A sum of stages in the making: to = x + h sum of a_j k_j, the newest stage last and alone.
typedef struct combination {
    const double *a;
    int count;
    double *const *row;
    double h, last;
    bool older, newest;
} combination;

// The states i, i + 1, ... of a round.
INLINE void combine_round(const combination *c, const double *x, double *to, size_t i)
{
#pragma GCC unroll 4
    for (size_t k = 0; k < ROUND * LANES; k += LANES) {
        lanes value = *(const lanes *)(x + i + k), all;
        sum_lanes(&all, c->a, c->count - 1, c->row, i, k);
        if (c->older) value += c->h * all;
        if (c->newest) value += c->last * *(const lanes *)(c->row[c->count - 1] + i + k);
        *(lanes *)(to + i + k) = value;
    }
}

INLINE void combine(const foi_marcher *s, const double *a, int count, double *const *row,
                    double *to)
{
    const combination c = {
        a, count, row, s->a.h, s->a.h * a[count - 1], has_weights(a, count - 1), a[count - 1] != 0};
    const size_t n = s->n;
    size_t i = 0;
    UNROLL
    for (; i + ROUND * LANES <= n; i += ROUND * LANES) combine_round(&c, s->x, to, i);
    if (i == n) return;
    if (i) { // a last round, of which some states are made again
        combine_round(&c, s->x, to, n - ROUND * LANES);
        return;
    }
    for (; i < n; i++) {
        double value = s->x[i];
        if (c.older) value += c.h * sum_one(a, count - 1, row, i);
        if (c.newest) value += c.last * row[count - 1][i];
        to[i] = value;
    }
}

// 0 where all are finite. Where a sum of numbers is not, the solver looks for itself, so that they
// may be added in any order.
INLINE double probe_of(const double *x, size_t n)
{
    lanes p0 = {0}, p1 = {0};
    double all = 0;
    size_t i = 0;
    for (; i + PROBES <= n; i += PROBES)
        p0 += *(const lanes *)(x + i), p1 += *(const lanes *)(x + i + LANES);
    for (; i < n; i++) all += x[i];
    p0 += p1;
    for (int j = 0; j < LANES; j++) all += p0[j];
    return all - all;
}

// The place of the second stage of the next step is finite where both ends of this one are.
INLINE void go_ahead(foi_marcher *s)
{
    double *row[1] = {s->f1}, *x = s->x;
    s->x = s->x1;
    combine(s, foi_tableau_rk4.a[1], 1, row, s->w);
    s->x = x;
    s->a.probe = probe_of(s->w, s->n);
    s->ahead = true;
}

INLINE void rk4(foi_marcher *s)
{
    static const foi_tableau *const T = &foi_tableau_rk4;
    double *row[4] = {s->f, s->k, s->k + s->n, s->k + 2 * s->n};
    double t = s->a.t, h = s->a.h;
    if (!s->ahead) combine(s, T->a[1], 1, row, s->w);
    rates(s, t + T->c[1] * h, s->w, row[1]);
    combine(s, T->a[2], 2, row, s->w);
    rates(s, t + T->c[2] * h, s->w, row[2]);
    combine(s, T->a[3], 3, row, s->w);
    rates(s, s->a.next, s->w, row[3]);
    combine(s, T->b, 4, row, s->x1);
    rates(s, s->a.next, s->x1, s->f1);
    go_ahead(s);
}

// -------------------------------------------------------------------------------------------- dp45

// |x|, and the larger of two: a > b ? a : b.
INLINE void size_of(lanes *a)
{
    masks bits = (masks)*a & INT64_MAX;
    *a = (lanes)bits;
}

INLINE void larger(lanes *a, const lanes *b)
{
    masks above = *a > *b, bits = ((masks)*a & above) | ((masks)*b & ~above);
    *a = (lanes)bits;
}

// The squared errors in units of the tolerance, added in the order of the states.
INLINE void error(foi_marcher *s, double *const *row)
{
    static const foi_tableau *const T = &foi_tableau_dp45;
    enum { LAST = 6 };
    const double h = s->a.h, atol = s->a.atol, rtol = s->a.rtol;
    double all = 0;
    size_t i = 0;
    for (; i + LANES <= s->n; i += LANES) {
        lanes a = *(const lanes *)(s->x + i), b = *(const lanes *)(s->x1 + i), e;
        size_of(&a), size_of(&b), larger(&a, &b);
        lanes q = h / (atol + rtol * a);
        sum_lanes(&e, T->e, LAST, row, i, 0);
        e = q * e + (q * T->e[LAST]) * *(const lanes *)(row[LAST] + i);
        e *= e;
        for (int j = 0; j < LANES; j++) all += e[j];
    }
    for (; i < s->n; i++) {
        double a = fabs(s->x[i]), b = fabs(s->x1[i]), q = h / (atol + rtol * (a > b ? a : b));
        double e = q * sum_one(T->e, LAST, row, i) + (q * T->e[LAST]) * row[LAST][i];
        all += e * e;
    }
    s->a.error2 = all * (1.0 / (double)s->n);
    s->a.probe = probe_of(s->x1, s->n);
}

#define STAGE(j, to)                 \
    combine(s, T->a[j], j, row, to); \
    rates(s, T->c[j] == 1 ? s->a.next : s->a.t + T->c[j] * s->a.h, to, row[j])

INLINE void dp45(foi_marcher *s)
{
    static const foi_tableau *const T = &foi_tableau_dp45;
    size_t n = s->n;
    double *row[7] = {s->f, s->k, s->k + n, s->k + 2 * n, s->k + 3 * n, s->k + 4 * n, s->f1};
    STAGE(1, s->w);
    STAGE(2, s->w);
    STAGE(3, s->w);
    STAGE(4, s->w);
    STAGE(5, s->w);
    STAGE(6, s->x1);
    error(s, row);
}

// ------------------------------------------------------------------------------------------------

#define WAY(way, target)                          \
    target static void rk4_##way(foi_marcher *s)  \
    {                                             \
        rk4(s);                                   \
    }                                             \
    target static void dp45_##way(foi_marcher *s) \
    {                                             \
        dp45(s);                                  \
    }

#ifdef __wasm__
#define LEAST \
    __attribute__((target("simd128"), minsize)) ///< its loops are better than those of -O2
#else
#define LEAST
#endif
WAY(plain, LEAST)
// On Windows gcc does not align such numbers on the stack (its bug 54412): not there.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)
WAY(avx2, __attribute__((target("avx2"))))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define rk4_avx2  rk4_plain
#define dp45_avx2 dp45_plain
#define HAS_AVX2  false
#endif

foi_march_call *foi_march_calls(foi_marching method)
{
    if (method == FOI_MARCH_RK4) return HAS_AVX2 ? rk4_avx2 : rk4_plain;
    return HAS_AVX2 ? dp45_avx2 : dp45_plain;
}
