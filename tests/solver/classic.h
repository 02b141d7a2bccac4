/// A bench for one solver: problems with known solutions, and what is asked of every method.
#ifndef FOLIOT_TEST_CLASSIC_H
#define FOLIOT_TEST_CLASSIC_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solver/solver.h"
#include "test.h"

enum { BENCH_STATES = 8 };

/// One solver on one system, made without the simulation.
typedef struct bench {
    foi_solver o;
    fo_state s;
    fo_message message;
    test_memory memory;
} bench;

/// A system with its solution (NULL where there is none in closed form).
typedef struct problem {
    fo_system system;
    uint32_t n, pairs;
    void (*solution)(double t, double *x);
} problem;

static inline fo_status bench_try(bench *b, const char *method, const problem *p, double step,
                                  double tolerance, long fail_at)
{
    memset(b, 0, sizeof *b);
    test_memory_init(&b->memory, fail_at);
    b->s.shape.states = p->n;
    b->s.shape.pairs = p->pairs;
    b->s.message = &b->message;
    b->o = (foi_solver){.method = foi_method_find(method, &b->message),
                        .system = p->system,
                        .s = &b->s,
                        .n = p->n,
                        .rtol = tolerance,
                        .atol = tolerance,
                        .step = step,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .allocator = &b->memory.allocator,
                        .message = &b->message};
    if (!b->o.method) return b->message.status;
    return foi_solver_prepare(&b->o);
}

/// A solver that is prepared; complains when it cannot be.
static inline bool bench_make(bench *b, const char *method, const problem *p, double step,
                              double tolerance)
{
    fo_status status = bench_try(b, method, p, step, tolerance, 0);
    if (status != FO_OK) test_fail(__FILE__, __LINE__, "%s: %s", method, b->message.text);
    return status == FO_OK;
}

static inline void bench_free(bench *b)
{
    foi_solver_destroy(&b->o);
    CHECK_INT(b->memory.live, 0);
}

static inline fo_status bench_begin(bench *b, const problem *p, double t)
{
    double x[BENCH_STATES];
    p->solution(t, x);
    return foi_solver_begin(&b->o, t, x, FOI_COLD);
}

/// Marches to `goal` and complains when it fails or does not land there exactly.
static inline bool bench_go(bench *b, double goal)
{
    fo_status status = FO_OK;
    while (status == FO_OK && b->o.t1 < goal) status = b->o.method->march(&b->o, goal, goal);
    if (status != FO_OK) test_fail(__FILE__, __LINE__, "march: %s", b->message.text);
    if (status == FO_OK && b->o.t1 != goal) test_fail(__FILE__, __LINE__, "goal missed");
    return status == FO_OK && b->o.t1 == goal;
}

static inline double bench_error(const bench *b, const problem *p)
{
    double x[BENCH_STATES], worst = 0;
    p->solution(b->o.t1, x);
    for (uint32_t i = 0; i < p->n; i++) worst = fmax(worst, fabs(b->o.x1[i] - x[i]));
    return worst;
}

/// Largest error of the dense output over the last step.
static inline double bench_dense_error(bench *b, const problem *p)
{
    double x[BENCH_STATES], y[BENCH_STATES], worst = 0;
    if (foi_solver_dense(&b->o) != FO_OK) return INFINITY;
    for (int j = 1; j < 40; j++) {
        p->solution(b->o.t0 + j / 40.0 * (b->o.t1 - b->o.t0), x);
        foi_dense_at(&b->o, j / 40.0, y);
        for (uint32_t i = 0; i < p->n; i++) worst = fmax(worst, fabs(y[i] - x[i]));
    }
    return worst;
}

/// Order of the error at `stop` from steps h and h/2.
static inline double measured_order(const char *method, const problem *p, double h, double stop)
{
    double error[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        bench b;
        if (!bench_make(&b, method, p, i ? h / 2 : h, 1e-6)) return NAN;
        if (bench_begin(&b, p, 0) == FO_OK && bench_go(&b, stop)) error[i] = bench_error(&b, p);
        bench_free(&b);
    }
    return log2(error[0] / error[1]);
}

/// Order d of the dense output: its error after `steps` steps from the solution is
/// O(h^(d + 1)), because the number of steps stays the same.
static inline double measured_dense_order(const char *method, const problem *p, double h, int steps)
{
    double error[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        bench b;
        if (!bench_make(&b, method, p, i ? h / 2 : h, 1e-6)) return NAN;
        b.o.budget = (uint64_t)steps;
        if (bench_begin(&b, p, 0.3) == FO_OK && b.o.method->march(&b.o, 10, 10) == FO_OK)
            error[i] = bench_dense_error(&b, p);
        bench_free(&b);
    }
    return log2(error[0] / error[1]) - 1;
}

// ------------------------------------------------------------------------------------ problems

/// x' = -x + sin t + cos t, x(0) = 1: x = exp(-t) + sin t; and a second, nonlinear one beside it:
/// y' = -t y^2, y(0) = 2: y = 2/(1 + t^2).
static inline fo_status smooth_rates(const void *model, const fo_state *s, double t,
                                     const double *x, double *dx)
{
    (void)model, (void)s;
    dx[0] = -x[0] + sin(t) + cos(t);
    dx[1] = -t * x[1] * x[1];
    return FO_OK;
}
static inline void smooth_solution(double t, double *x)
{
    x[0] = exp(-t) + sin(t);
    x[1] = 2 / (1 + t * t);
}
static const fo_system_type smooth_type = {.kind = "C", .rates = smooth_rates};
static const fo_description smooth_about = {.name = "smooth", .states = FO_VARIABLES({"x"}, {"y"})};
static const problem smooth = {{&smooth_type, &smooth_about, NULL}, 2, 0, smooth_solution};

/// q'' = -q with q(0) = 1, q'(0) = 0, and the same declared in pairs.
static inline fo_status swing_rates(const void *model, const fo_state *s, double t, const double *x,
                                    double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1], dx[1] = -x[0];
    return FO_OK;
}
static inline void swing_solution(double t, double *x)
{
    x[0] = cos(t), x[1] = -sin(t);
}
static const fo_system_type swing_type = {.kind = "C", .rates = swing_rates};
static const fo_description swing_about = {
    .name = "swing", .states = FO_VARIABLES({"q"}, {"v"}), .pairs = 1};
static const problem swing = {{&swing_type, &swing_about, NULL}, 2, 1, swing_solution};

/// Two bodies, eccentricity 0.6 (Hairer, Norsett, Wanner I, II.15): periodic with 2 pi.
static inline fo_status kepler_rates(const void *model, const fo_state *s, double t,
                                     const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
    dx[0] = x[2], dx[1] = x[3];
    dx[2] = -x[0] / r3, dx[3] = -x[1] / r3;
    return FO_OK;
}
static inline void kepler_solution(double t, double *x) // after whole turns only
{
    (void)t;
    double e = 0.6;
    x[0] = 1 - e, x[1] = 0;
    x[2] = 0, x[3] = sqrt((1 + e) / (1 - e));
}
static inline double kepler_energy(const double *x)
{
    return (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / hypot(x[0], x[1]);
}
static const fo_system_type kepler_type = {.kind = "C", .rates = kepler_rates};
static const fo_description kepler_about = {
    .name = "kepler", .states = FO_VARIABLES({"x"}, {"y"}, {"u"}, {"v"}), .pairs = 2};
static const problem kepler = {{&kepler_type, &kepler_about, NULL}, 4, 2, kepler_solution};

/// x' = 1/(1 - t) refused from t >= 1 on with FO_RETRY; x = -log(1 - t).
static inline fo_status edge_rates(const void *model, const fo_state *s, double t, const double *x,
                                   double *dx)
{
    (void)model, (void)s;
    if (t >= 1) return FO_RETRY;
    dx[0] = 1 / (1 - t), dx[1] = -x[1];
    return FO_OK;
}
static inline void edge_solution(double t, double *x)
{
    x[0] = -log1p(-t), x[1] = exp(-t);
}
static const fo_system_type edge_type = {.kind = "C", .rates = edge_rates};
static const fo_description edge_about = {.name = "edge", .states = FO_VARIABLES({"x"}, {"y"})};
static const problem edge = {{&edge_type, &edge_about, NULL}, 2, 1, edge_solution};

/// The rate of v becomes NaN from t = 0.5 on.
static inline fo_status broken_rates(const void *model, const fo_state *s, double t,
                                     const double *x, double *dx)
{
    (void)model, (void)s;
    dx[0] = x[1], dx[1] = t < 0.5 ? -x[0] : NAN;
    return FO_OK;
}
static const fo_system_type broken_type = {.kind = "C", .rates = broken_rates};
static const problem broken = {{&broken_type, &swing_about, NULL}, 2, 1, swing_solution};

/// Refuses for good from t = 0.5 on.
static inline fo_status refusing_rates(const void *model, const fo_state *s, double t,
                                       const double *x, double *dx)
{
    (void)model;
    if (t >= 0.5) return fo_fail(s->message, FO_ERROR_MODEL, "the rope is torn");
    dx[0] = x[1], dx[1] = -x[0];
    return FO_OK;
}
static const fo_system_type refusing_type = {.kind = "C", .rates = refusing_rates};
static const problem refusing = {{&refusing_type, &swing_about, NULL}, 2, 1, swing_solution};

/// No states and no rates.
static const fo_system_type empty_type = {.kind = "C"};
static const fo_description empty_about = {.name = "empty"};
static inline void empty_solution(double t, double *x)
{
    (void)t, (void)x;
}
static const problem empty = {{&empty_type, &empty_about, NULL}, 0, 0, empty_solution};

// -------------------------------------------------------------------- asked of every method

/// Goals are hit exactly, also off the grid; attention and budget end a march; steps do not depend
/// on where marches end or on whether the dense output is read.
static inline void check_march(const char *method, const problem *p)
{
    bench b, c;
    if (!bench_make(&b, method, p, 0.01, 1e-6)) return;
    if (!bench_make(&c, method, p, 0.01, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, p, 0), FO_OK, &b.message);
    CHECK_STATUS(bench_begin(&c, p, 0), FO_OK, &c.message);

    b.o.budget = 1;
    CHECK_STATUS(b.o.method->march(&b.o, 1, 1), FO_OK, &b.message);
    CHECK_INT((long long)b.o.counts.steps, 1);
    CHECK(b.o.t1 > 0 && b.o.t1 < 1 && b.o.t0 == 0);
    b.o.budget = 3;
    CHECK_STATUS(b.o.method->march(&b.o, 1, 1), FO_OK, &b.message);
    CHECK_INT((long long)b.o.counts.steps, 4);

    b.o.budget = UINT64_MAX;
    CHECK_STATUS(b.o.method->march(&b.o, 0.5, 1), FO_OK, &b.message);
    CHECK(b.o.t1 >= 0.5 && b.o.t0 < 0.5 && b.o.t1 < 1);
    CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
    CHECK(bench_go(&b, 1) && bench_go(&c, 1)); // one in pieces, the other in one go
    CHECK(memcmp(b.o.x1, c.o.x1, p->n * sizeof(double)) == 0);
    CHECK_INT((long long)b.o.counts.steps, (long long)c.o.counts.steps);

    const double goals[] = {1.0123456789, 1.0123456789 + 1e-7, 1.5, 2};
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) CHECK(bench_go(&b, goals[i]));
    CHECK(bench_error(&b, p) < 1e-2);
    bench_free(&b);
    bench_free(&c);
}

/// Reading every step's dense output changes no step; it meets the ends of the step.
static inline void check_reading(const char *method, const problem *p, double tolerance,
                                 double stop)
{
    bench b, c;
    if (!bench_make(&b, method, p, 0.01, tolerance)) return;
    if (!bench_make(&c, method, p, 0.01, tolerance)) return;
    CHECK_STATUS(bench_begin(&b, p, 0), FO_OK, &b.message);
    CHECK_STATUS(bench_begin(&c, p, 0), FO_OK, &c.message);
    b.o.budget = 1;
    while (b.o.t1 < stop) {
        CHECK_STATUS(b.o.method->march(&b.o, stop, stop), FO_OK, &b.message);
        CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
        double x[BENCH_STATES], y[BENCH_STATES];
        foi_dense_at(&b.o, 1e-12, x);
        foi_dense_at(&b.o, 1 - 1e-12, y);
        for (uint32_t i = 0; i < p->n; i++) {
            CHECK_NEAR(x[i], b.o.x0[i], 1e-11 * (1 + fabs(b.o.x0[i])));
            CHECK_NEAR(y[i], b.o.x1[i], 1e-11 * (1 + fabs(b.o.x1[i])));
        }
    }
    CHECK(bench_go(&c, stop));
    CHECK(memcmp(b.o.x1, c.o.x1, p->n * sizeof(double)) == 0);
    CHECK_INT((long long)b.o.counts.steps, (long long)c.o.counts.steps);
    bench_free(&b);
    bench_free(&c);
}

/// A copy goes on with the same bits as the original.
static inline void check_copy(const char *method, const problem *p)
{
    bench b, c;
    if (!bench_make(&b, method, p, 0.01, 1e-6)) return;
    if (!bench_make(&c, method, p, 0.01, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, p, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 0.7, 2), FO_OK, &b.message);
    foi_solver_copy(&c.o, &b.o);
    CHECK(c.o.x1 != b.o.x1 && c.o.own != b.o.own);
    CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
    CHECK_STATUS(foi_solver_dense(&c.o), FO_OK, &c.message);
    double x[BENCH_STATES], y[BENCH_STATES];
    foi_dense_at(&b.o, 0.3, x);
    foi_dense_at(&c.o, 0.3, y);
    CHECK(memcmp(x, y, p->n * sizeof(double)) == 0);
    CHECK(bench_go(&b, 2) && bench_go(&c, 2));
    CHECK(memcmp(b.o.x1, c.o.x1, p->n * sizeof(double)) == 0);
    CHECK_INT((long long)c.o.counts.steps, (long long)b.o.counts.steps);
    bench_free(&b);
    bench_free(&c);
}

/// After a jump the method starts from the new state as if from the beginning.
static inline void check_jump(const char *method, const problem *p, double within)
{
    bench b;
    if (!bench_make(&b, method, p, 0.01, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, p, 0), FO_OK, &b.message);
    for (int i = 0; i < 20; i++) { // to a time off the grid, and there the state is another's
        CHECK(bench_go(&b, b.o.t1 + 0.0537));
        double x[BENCH_STATES];
        p->solution(0.3, x);
        CHECK_STATUS(foi_solver_begin(&b.o, 0.3, x, FOI_JUMP), FO_OK, &b.message);
        CHECK(bench_go(&b, 0.6));
        CHECK(bench_error(&b, p) < within);
    }
    bench_free(&b);
}

/// Every allocation fails once.
static inline void check_memory(const char *method, const problem *p)
{
    for (long fail_at = 1;; fail_at++) {
        bench b;
        fo_status status = bench_try(&b, method, p, 0.01, 1e-6, fail_at);
        CHECK(status == FO_OK || status == FO_ERROR_MEMORY);
        if (status == FO_ERROR_MEMORY) CHECK_CONTAINS(b.message.text, "memory");
        if (status == FO_OK && bench_begin(&b, p, 0) == FO_OK) CHECK(bench_go(&b, 0.5));
        long allocations = b.memory.allocations;
        bench_free(&b);
        if (status != FO_ERROR_MEMORY) {
            CHECK(fail_at > 1);
            CHECK(allocations < fail_at); // march allocates nothing
            break;
        }
    }
}

/// Failures leave (t1, x1) at the last good point, near the solution, and say what happened.
static inline void check_failures(const char *method, bool adaptive)
{
    bench b;
    if (!bench_make(&b, method, &broken, 0.01, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, &broken, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 1, 1), FO_ERROR_NUMBER, &b.message);
    CHECK(b.o.t1 > 0.4 && b.o.t1 <= 0.5 + 1e-12);
    CHECK(bench_error(&b, &broken) < 1e-2);
    CHECK_CONTAINS(b.message.text, "not a number");
    bench_free(&b);

    if (!bench_make(&b, method, &refusing, 0.01, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, &refusing, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 1, 1), FO_ERROR_MODEL, &b.message);
    CHECK(b.o.t1 > 0.2 && b.o.t1 <= 0.5 + 1e-12);
    CHECK(bench_error(&b, &refusing) < 1e-2);
    CHECK_TEXT(b.message.text, "the rope is torn");
    bench_free(&b);

    if (!bench_make(&b, method, &edge, 0.0123, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, &edge, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 2, 2), FO_ERROR_STEP, &b.message);
    CHECK(b.o.t1 > 0.95 && b.o.t1 < 1 + 0.0123); // an Adams-Bashforth step ends where nobody looked
    if (adaptive) CHECK(b.o.t1 > 1 - 1e-6 && b.o.t1 < 1);
    bench_free(&b);
}

/// A system without states and rates only moves time.
static inline void check_empty(const char *method)
{
    bench b;
    if (!bench_make(&b, method, &empty, 0.25, 1e-6)) return;
    CHECK_STATUS(bench_begin(&b, &empty, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 1));
    CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
    bench_free(&b);
}

static inline void check_fixed_settings(const char *method, const problem *p)
{
    bench b;
    CHECK_STATUS(bench_try(&b, method, p, 0, 1e-6, 0), FO_ERROR_ARGUMENT, &b.message);
    CHECK_CONTAINS(b.message.text, "step");
    bench_free(&b);
}

#endif
