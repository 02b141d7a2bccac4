/// Dense output of the stiff methods inside their steps: rows and guards are read off it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"
#include "stiff_problems.h"
#include "test.h"

static const char *const methods[] = {"radau5", "rodas4"};
enum { METHODS = 2, INSIDE = 9, N_MAX = STIFF_STATES };

typedef struct rig {
    fo_state s;
    fo_message message;
    foi_solver o;
} rig;

static bool make(rig *r, const char *method, const fo_system_type *type, const void *model,
                 uint32_t n, double rtol, double atol)
{
    static const fo_description about = {.name = "between"};
    *r = (rig){.s.shape.states = n};
    r->o = (foi_solver){.method = foi_method_find(method, &r->message),
                        .system = {type, &about, model},
                        .s = &r->s,
                        .n = n,
                        .rtol = rtol,
                        .atol = atol,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .message = &r->message};
    return CHECK_STATUS(foi_solver_prepare(&r->o), FO_OK, &r->message);
}

// ------------------------------------------------------------------------------- driven by time

/// x' = -k (x - sin t), x(0) = 0: x = k/(k^2 + 1) (k sin t - cos t + exp(-k t)).
static fo_status track_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)s;
    dx[0] = -*(const double *)model * (x[0] - sin(t));
    return FO_OK;
}

static double track_solution(double k, double t)
{
    return k / (k * k + 1) * (k * sin(t) - cos(t) + exp(-k * t));
}

static const fo_system_type track = {.rates = track_rates};

typedef struct seen {
    double error; ///< the largest of all rows
    int rises;    ///< of x through 1/2
} seen;

/// Runs to `stop` and looks at rows every 0.1.
static seen watch_track(const char *method, double k, double rtol, double stop)
{
    rig r;
    seen all = {0, 0};
    double x = 0, before = 0, start[] = {0};
    if (!make(&r, method, &track, &k, 1, rtol, rtol * 1e-3)) return (seen){INFINITY, -1};
    CHECK_STATUS(foi_solver_begin(&r.o, 0, start, FOI_COLD), FO_OK, &r.message);
    r.o.budget = 1;
    long row = 1;
    while (r.o.t1 < stop) {
        if (!CHECK_STATUS(r.o.method->march(&r.o, stop, stop), FO_OK, &r.message)) break;
        CHECK(foi_solver_dense(&r.o) == FO_OK);
        for (; (double)row * 0.1 <= r.o.t1; row++, before = x) {
            double t = (double)row * 0.1;
            foi_dense_at(&r.o, (t - r.o.t0) / (r.o.t1 - r.o.t0), &x);
            all.error = fmax(all.error, fabs(x - track_solution(k, t)));
            all.rises += before <= 0.5 && x > 0.5;
        }
    }
    foi_solver_destroy(&r.o);
    return all;
}

// Without a look inside the steps the rows were wrong by 2e6 tolerances, and of the 160 rises in
// 1000 s less than 10 were left.
TEST(a_stiff_state_follows_time_between_steps)
{
    const struct {
        double rtol, stop;
        int rises;
    } runs[] = {{1e-4, 1000, 160}, {1e-6, 200, 32}, {1e-8, 30, 5}};
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < 3; i++)
            for (double k = 1e2; k < 2e8; k *= 100) {
                seen all = watch_track(methods[m], k, runs[i].rtol, runs[i].stop);
                CHECK_INT(all.rises, runs[i].rises);
                if (!(all.error <= 20 * runs[i].rtol))
                    test_fail(__FILE__, __LINE__, "%s, k = %g, rtol = %g: rows are off by %g",
                              methods[m], k, runs[i].rtol, all.error);
            }
}

// SUNDIALS' dense outputs are its own and nobody controls them here. BDF's is the polynomial that
// its error estimate is about; ARKODE's cubic needs short steps anyway.
TEST(sundials_follows_time_between_steps)
{
    static const char *const others[] = {"cvode-bdf", "ark-implicit", "ida"};
    for (int m = 0; m < 3 && fo_solver_find(others[m], NULL); m++)
        for (double k = 1e2; k < 2e8; k *= 100) {
            seen loose = watch_track(others[m], k, 1e-4, 200);
            seen tight = watch_track(others[m], k, 1e-6, 50);
            CHECK_INT(loose.rises, 32);
            CHECK_INT(tight.rises, 8);
            CHECK(loose.error <= 20e-4 && tight.error <= 20e-6);
        }
}

// ----------------------------------------------------------------------------------- any system

/// One step's polynomial against the solution from the step's own beginning: what the step itself
/// did wrong inside, whatever was inherited. In tolerances.
static double inside(foi_solver *o, rig *exact)
{
    double x[N_MAX], worst = 0;
    CHECK(foi_solver_dense(o) == FO_OK);
    CHECK_STATUS(foi_solver_begin(&exact->o, o->t0, o->x0, FOI_COLD), FO_OK, &exact->message);
    for (int j = 1; j <= INSIDE; j++) {
        double theta = j / (INSIDE + 1.0), t = o->t0 + theta * (o->t1 - o->t0);
        if (!(t > exact->o.t1 && t < o->t1)) continue;
        if (!CHECK_STATUS(exact->o.method->march(&exact->o, t, t), FO_OK, &exact->message))
            return INFINITY;
        foi_dense_at(o, theta, x);
        for (uint32_t i = 0; i < o->n; i++) {
            double size = fmax(fmax(fabs(o->x0[i]), fabs(o->x1[i])), fabs(exact->o.x1[i]));
            worst = fmax(worst, fabs(x[i] - exact->o.x1[i]) / (o->atol + o->rtol * size));
        }
    }
    return worst;
}

/// The worst of all steps, or of every `every`-th.
static double worst_inside(const char *method, const fo_system_type *type, const void *model,
                           uint32_t n, const double *start, double stop, double rtol, double atol,
                           int every)
{
    rig r, exact;
    double worst = 0, tight = 1e-5 * rtol;
    if (!make(&r, method, type, model, n, rtol, atol)) return INFINITY;
    if (!make(&exact, "radau5", type, model, n, fmax(tight, 1e-12), atol * 1e-4)) return INFINITY;
    CHECK_STATUS(foi_solver_begin(&r.o, 0, start, FOI_COLD), FO_OK, &r.message);
    r.o.budget = 1;
    for (int k = 0; r.o.t1 < stop && worst < 1e6; k++) {
        if (!CHECK_STATUS(r.o.method->march(&r.o, stop, stop), FO_OK, &r.message)) break;
        if (k % every == 0) worst = fmax(worst, inside(&r.o, &exact));
    }
    foi_solver_destroy(&r.o), foi_solver_destroy(&exact.o);
    return worst;
}

static void check_inside(const char *what, const fo_system_type *type, const void *model,
                         uint32_t n, const double *start, double stop, double rtol, double atol,
                         int every)
{
    for (int m = 0; m < METHODS; m++) {
        double worst = worst_inside(methods[m], type, model, n, start, stop, rtol, atol, every);
        if (getenv("SHOW")) printf("%s %s %g: %g\n", what, methods[m], rtol, worst);
        if (!(worst <= 20))
            test_fail(__FILE__, __LINE__, "%s with %s: %g tolerances off inside a step", what,
                      methods[m], worst);
    }
}

// Three time scales, all driven: z' = D z + Q^T (sin t, cos 2t, sin 3t), D = -1, -1e3, -1e6; the
// states are Q z, Q orthogonal, so that every state has a part of every scale.
static fo_status scales_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    static const double lambda[] = {-1, -1e3, -1e6};
    const double a = 2.0 / 3, b = 1.0 / 3;
    const double q[3][3] = {{a, -b, a}, {a, a, -b}, {-b, a, a}};
    double z[3];
    (void)model, (void)s;
    for (int i = 0; i < 3; i++) {
        z[i] = q[0][i] * x[0] + q[1][i] * x[1] + q[2][i] * x[2];
        z[i] = lambda[i] * (z[i] - sin((i + 1) * t + i));
    }
    for (int i = 0; i < 3; i++) dx[i] = q[i][0] * z[0] + q[i][1] * z[1] + q[i][2] * z[2];
    return FO_OK;
}

TEST(several_time_scales)
{
    static const fo_system_type type = {.rates = scales_rates};
    static const double start[] = {1, 0, -1};
    check_inside("scales", &type, NULL, 3, start, 20, 1e-4, 1e-7, 1);
    check_inside("scales", &type, NULL, 3, start, 5, 1e-6, 1e-9, 1);
}

// A Jacobian far from normal: eigenvalues -1e4 and -2e4, and 1e7 beside them.
static fo_status shear_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s;
    dx[0] = -1e4 * (x[0] - cos(t)) + 1e7 * (x[1] - sin(t));
    dx[1] = -2e4 * (x[1] - sin(t));
    return FO_OK;
}

TEST(a_jacobian_far_from_normal)
{
    static const fo_system_type type = {.rates = shear_rates};
    static const double start[] = {1, 0};
    check_inside("shear", &type, NULL, 2, start, 20, 1e-4, 1e-7, 1);
    check_inside("shear", &type, NULL, 2, start, 5, 1e-6, 1e-9, 1);
}

// J changes with time and state, so that radau5 works with old ones.
static fo_status moving_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s;
    double k = 1e5 * (1.5 + sin(3 * t)) * (1 + x[1] * x[1]);
    dx[0] = -k * (x[0] - sin(t) * x[1]);
    dx[1] = x[0] - x[1] + cos(5 * t);
    return FO_OK;
}

TEST(a_jacobian_that_moves)
{
    static const fo_system_type type = {.rates = moving_rates};
    static const double start[] = {0, 1};
    check_inside("moving", &type, NULL, 2, start, 20, 1e-4, 1e-7, 1);
    check_inside("moving", &type, NULL, 2, start, 5, 1e-6, 1e-9, 1);
}

TEST(reactions_and_vibrations)
{
    for (int i = 0; i < STIFF_PROBLEMS; i += test_count(3, 1)) {
        const stiff_problem *p = &stiff_problems[i];
        bool some = strcmp(p->name, "HIRES") == 0 || strcmp(p->name, "OREGO") == 0 ||
                    strcmp(p->name, "VDPOL") == 0 || strcmp(p->name, "ROBER") == 0 ||
                    strcmp(p->name, "D1") == 0 || strcmp(p->name, "E4") == 0;
        if (!some) continue;
        fo_system_type type = {.rates = p->rates};
        for (double rtol = 1e-4; rtol > 1e-7; rtol *= 1e-2)
            check_inside(p->name, &type, NULL, p->n, p->start, p->stop, rtol, rtol * p->atol,
                         rtol < 1e-5 ? 7 : 1);
    }
}

// -------------------------------------------------------------------------------- mass matrices

// M x' = f with M = ((2, 1, 0), (1, 2, 0), (0, 0, 0)): the last one is algebraic and driven by
// time.
static fo_status massive_rates(const void *model, const fo_state *s, double t, const double *x,
                               double *dx)
{
    (void)model, (void)s;
    dx[0] = -1e5 * (x[0] - sin(t)) + x[2];
    dx[1] = -x[1] + x[0];
    dx[2] = x[2] - cos(7 * t) * x[1];
    return FO_OK;
}

static fo_status massive_mass(const void *model, const fo_state *s, double *values)
{
    (void)model, (void)s;
    memset(values, 0, 9 * sizeof *values);
    values[0] = values[4] = 2, values[1] = values[3] = 1;
    return FO_OK;
}

TEST(mass_matrices)
{
    static const fo_system_type type = {.rates = massive_rates, .mass = massive_mass};
    static const double start[] = {0, 1, 1};
    check_inside("mass", &type, NULL, 3, start, 20, 1e-4, 1e-7, 1);
    check_inside("mass", &type, NULL, 3, start, 5, 1e-6, 1e-9, 1);
}

// A copy must go on with the same bits, also in what is read inside the steps.
TEST(a_copy_reads_the_same)
{
    for (int m = 0; m < METHODS; m++) {
        rig a, b;
        double k = 1e4, start[] = {0}, x, y;
        REQUIRE(make(&a, methods[m], &track, &k, 1, 1e-6, 1e-9));
        REQUIRE(make(&b, methods[m], &track, &k, 1, 1e-6, 1e-9));
        CHECK_STATUS(foi_solver_begin(&a.o, 0, start, FOI_COLD), FO_OK, &a.message);
        CHECK_STATUS(a.o.method->march(&a.o, 1, 10), FO_OK, &a.message);
        foi_solver_copy(&b.o, &a.o);
        for (rig *r = &a; r; r = r == &a ? &b : NULL) {
            CHECK_STATUS(r->o.method->march(&r->o, 2, 10), FO_OK, &r->message);
            CHECK(foi_solver_dense(&r->o) == FO_OK);
            foi_dense_at(&r->o, 0.3, r == &a ? &x : &y);
        }
        CHECK(x == y && a.o.t1 == b.o.t1 && a.o.counts.rates == b.o.counts.rates);
        foi_solver_destroy(&a.o), foi_solver_destroy(&b.o);
    }
}

TEST_MAIN(TEST_ENTRY(a_stiff_state_follows_time_between_steps),
          TEST_ENTRY(sundials_follows_time_between_steps), TEST_ENTRY(several_time_scales),
          TEST_ENTRY(a_jacobian_far_from_normal), TEST_ENTRY(a_jacobian_that_moves),
          TEST_ENTRY(reactions_and_vibrations), TEST_ENTRY(mass_matrices),
          TEST_ENTRY(a_copy_reads_the_same))
