/// Explicit Runge-Kutta methods, adaptive and with fixed steps, through the solver interface.
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/erk.h"
#include "solver/solver.h"
#include "test.h"

static const char *const adaptive[] = {"bs23", "rkf45", "rke", "rkn34", "dp45", "rkv56", "dop853"};
static const char *const fixed[] = {"euler", "midpoint", "heun", "rk4"};
enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive, FIXED = sizeof fixed / sizeof *fixed };

// ------------------------------------------------------------------------------------ frame

typedef struct rig {
    foi_solver o;
    fo_system_type type;
    fo_description about;
    fo_state s;
    fo_message message;
    test_memory memory;
} rig;

static void make(rig *r, const char *method, uint32_t n, foi_rates_function *rates)
{
    static const fo_variable names[] = {{"u"}, {"v"}, {"w"}, {"z"}};
    *r = (rig){.type = {.kind = "C", .rates = rates}};
    r->about.states = (fo_variables){names, n < 4 ? n : 4};
    test_memory_init(&r->memory, 0);
    r->o = (foi_solver){.method = foi_method_find(method, &r->message),
                        .system = {&r->type, &r->about, &r->s},
                        .s = &r->s,
                        .n = n,
                        .rtol = 1e-8,
                        .atol = 1e-8,
                        .step = 0.1,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .allocator = &r->memory.allocator,
                        .message = &r->message};
}

static void begin(rig *r, double t, const double *x)
{
    CHECK_STATUS(foi_solver_prepare(&r->o), FO_OK, &r->message);
    CHECK_STATUS(foi_solver_begin(&r->o, t, x, FOI_COLD), FO_OK, &r->message);
}

static fo_status march(rig *r, double attention, double goal)
{
    return r->o.method->march(&r->o, attention, goal);
}

// Makes an adaptive method step by h, whatever the error.
static void force_step(rig *r, double h)
{
    r->o.rtol = r->o.atol = 1e30;
    r->o.first_step = r->o.max_step = r->o.step = h;
}

static void unmake(rig *r)
{
    foi_solver_destroy(&r->o);
    CHECK_INT(r->memory.live, 0);
}

// ----------------------------------------------------------------------------------- models

#define RATES(name)                                                                        \
    static fo_status name(const void *model, const fo_state *s, double t, const double *x, \
                          double *dx)
#define UNUSED (void)model, (void)s, (void)t, (void)x

// Hairer, Norsett, Wanner I, II.4: nonlinear, depends on time, solution
// exp(sin t^2), exp(5 sin t^2), 1 + sin t^2, cos t^2.
RATES(woven)
{
    UNUSED;
    dx[0] = 2 * t * pow(x[1], 0.2) * x[3];
    dx[1] = 10 * t * exp(5 * (x[2] - 1)) * x[3];
    dx[2] = 2 * t * x[3];
    dx[3] = -2 * t * log(x[0]);
    return FO_OK;
}

static void woven_exact(double t, double *x)
{
    double s = sin(t * t);
    x[0] = exp(s), x[1] = exp(5 * s), x[2] = 1 + s, x[3] = cos(t * t);
}

RATES(table)
{
    UNUSED;
    dx[0] = t + x[0];
    return FO_OK;
}

RATES(pendulum)
{
    UNUSED;
    dx[0] = x[1];
    dx[1] = -19.6 * sin(x[0]) - 0.25 * x[1];
    return FO_OK;
}

RATES(pendulums) // three of them, side by side
{
    for (int i = 0; i < 3; i++) pendulum(model, s, t, x + 2 * i, dx + 2 * i);
    return FO_OK;
}

RATES(constant)
{
    UNUSED;
    dx[0] = 1, dx[1] = -1;
    return FO_OK;
}

RATES(blow_up)
{
    UNUSED;
    dx[0] = 0, dx[1] = x[1] * x[1];
    return FO_OK;
}

RATES(domain_edge) // v falls with slope one; the rate of u needs v >= 0
{
    UNUSED;
    dx[0] = sqrt(x[1]), dx[1] = -1;
    return FO_OK;
}

RATES(refusing) // decays fast; is refused where it is negative
{
    UNUSED;
    dx[0] = -100 * x[0];
    return x[0] < 0 ? FO_RETRY : FO_OK;
}

RATES(never_past_one)
{
    UNUSED;
    dx[0] = 1;
    return t > 1 ? FO_RETRY : FO_OK;
}

RATES(broken_past_one)
{
    UNUSED;
    dx[0] = 1;
    return t > 1 ? fo_fail(s->message, FO_ERROR_MODEL, "broken at t = %g", t) : FO_OK;
}

RATES(stiff)
{
    UNUSED;
    dx[0] = -1e4 * (x[0] - cos(t)), dx[1] = -x[1];
    return FO_OK;
}

RATES(overflow)
{
    UNUSED;
    dx[0] = 1e308, dx[1] = 0;
    return FO_OK;
}

RATES(watched) // notes the latest time it was asked for
{
    UNUSED;
    double *latest = s->d;
    if (t > *latest) *latest = t;
    dx[0] = cos(t) * x[0];
    return FO_OK;
}

// ----------------------------------------------------------------------------------- orders

static double global_error(const char *method, double h)
{
    rig r;
    double x[4], exact[4], error = 0;
    make(&r, method, 4, woven);
    force_step(&r, h);
    woven_exact(0.5, x);
    begin(&r, 0.5, x);
    CHECK_STATUS(march(&r, 1.5, 1.5), FO_OK, &r.message);
    CHECK_INT((long long)r.o.counts.steps, llround(1 / h));
    woven_exact(1.5, exact);
    for (int i = 0; i < 4; i++) error = fmax(error, fabs(r.o.x1[i] / exact[i] - 1));
    unmake(&r);
    return error;
}

static void check_order(const char *method)
{
    const fo_solver_info *info = fo_solver_find(method, NULL);
    REQUIRE(info);
    double h = info->order >= 8 ? 1.0 / 16 : info->order >= 5 ? 1.0 / 40 : 1.0 / 160;
    double order = log2(global_error(method, h) / global_error(method, h / 2));
    if (fabs(order - info->order) > 0.3)
        test_fail(__FILE__, __LINE__, "%s: measured order %.2f, stated %d", method, order,
                  info->order);
}

TEST(orders_are_as_stated)
{
    for (int m = 0; m < ADAPTIVE; m++) check_order(adaptive[m]);
    for (int m = 0; m < FIXED; m++) check_order(fixed[m]);
}

// One step from exact data; the largest error inside it.
static double dense_error(const char *method, double h)
{
    rig r;
    double x[4], exact[4], error = 0;
    make(&r, method, 4, woven);
    force_step(&r, h);
    woven_exact(0.7, x);
    begin(&r, 0.7, x);
    r.o.budget = 1;
    CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
    CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
    for (int j = 1; j < 10; j++) {
        double theta = j / 10.0;
        foi_dense_at(&r.o, theta, x);
        woven_exact(0.7 + theta * h, exact);
        for (int i = 0; i < 4; i++) error = fmax(error, fabs(x[i] / exact[i] - 1));
    }
    unmake(&r);
    return error;
}

static void check_dense_order(const char *method)
{
    const fo_solver_info *info = fo_solver_find(method, NULL);
    REQUIRE(info);
    double h = info->dense_order >= 7 ? 1.0 / 16 : 1.0 / 64;
    double order = log2(dense_error(method, h) / dense_error(method, h / 2)) - 1;
    if (fabs(order - info->dense_order) > 0.3)
        test_fail(__FILE__, __LINE__, "%s: measured dense order %.2f, stated %d", method, order,
                  info->dense_order);
}

TEST(dense_orders_are_as_stated)
{
    for (int m = 0; m < ADAPTIVE; m++) check_dense_order(adaptive[m]);
    for (int m = 0; m < FIXED; m++) check_dense_order(fixed[m]);
}

TEST(dense_output_meets_the_ends)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[4], at[4], slope[4];
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 4, woven);
        woven_exact(0.5, x);
        begin(&r, 0.5, x);
        r.o.budget = 3;
        CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        double h = r.o.t1 - r.o.t0, near = 1 - 1e-15;
        foi_dense_at(&r.o, near, at);
        for (int i = 0; i < 4; i++) CHECK_NEAR(at[i], r.o.x1[i], 1e-12);
        for (int end = 0; end < 2; end++) {
            foi_dense_slope(&r.o, end, slope);
            const double *f = end ? r.o.f1 : r.o.f0;
            for (int i = 0; i < 4; i++) CHECK_NEAR(slope[i] / h, f[i], 1e-7);
        }
        unmake(&r);
    }
}

// The error follows the tolerance, and no method lies by more than a factor.
TEST(errors_follow_the_tolerance)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        double before = INFINITY;
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance *= 0.01) {
            rig r;
            double x[4], exact[4], error = 0;
            make(&r, adaptive[m], 4, woven);
            r.o.rtol = r.o.atol = tolerance;
            woven_exact(0, x);
            begin(&r, 0, x);
            CHECK_STATUS(march(&r, 1.2, 1.2), FO_OK, &r.message);
            woven_exact(1.2, exact);
            for (int i = 0; i < 4; i++) error = fmax(error, fabs(r.o.x1[i] / exact[i] - 1));
            CHECK(error < 200 * tolerance);
            CHECK(error < 0.2 * before);
            before = error;
            unmake(&r);
        }
    }
}

TEST(published_table)
{
    static const double expected[][6] = {
        {0, 0, 0.04, 0.128, 0.2736, 0.48832},
        {0, 0.02, 0.0884, 0.215848, 0.41533456, 0.7027081632},
        {0, 0.0214, 0.09181796, 0.222106456344, 0.42552082577856165, 0.7182511366059352},
    };
    static const char *const method[] = {"euler", "midpoint", "rk4"};
    for (int m = 0; m < 3; m++) {
        rig r;
        double x = 0;
        make(&r, method[m], 1, table);
        r.o.step = 0.2, r.o.budget = 1;
        begin(&r, 0, &x);
        for (int k = 1; k <= 5; k++) {
            CHECK_STATUS(march(&r, 1, 1), FO_OK, &r.message);
            CHECK_NEAR(r.o.x1[0], expected[m][k], 1e-12);
        }
        CHECK(r.o.t1 == 1);
        unmake(&r);
    }
}

// ------------------------------------------------------------------------- the march contract

TEST(goal_is_hit_exactly_and_nothing_is_evaluated_beyond)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x = 1, latest = 0, goal = 0;
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 1, watched);
        r.s.d = &latest;
        r.o.step = 0.01;
        begin(&r, 0, &x);
        r.o.first_step = 0.01; // choosing one evaluates the rates at another place
        for (int k = 1; k < 8; k++) {
            goal += 0.7 / k;
            CHECK_STATUS(march(&r, INFINITY, goal), FO_OK, &r.message);
            CHECK(r.o.t1 == goal && latest == goal);
            CHECK_NEAR(r.o.x1[0], exp(sin(goal)), m == ADAPTIVE ? 0.02 : 2e-4);
        }
        unmake(&r);
    }
}

TEST(budget_and_attention_end_a_march)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[2] = {2.5, 0};
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 2, pendulum);
        r.o.step = 0.001;
        begin(&r, 0, x);
        r.o.budget = 3;
        CHECK_STATUS(march(&r, 10, 10), FO_OK, &r.message);
        CHECK_INT((long long)r.o.counts.steps, 3);
        r.o.budget = UINT64_MAX;
        CHECK_STATUS(march(&r, 5, 10), FO_OK, &r.message);
        CHECK(r.o.t1 >= 5 && r.o.t0 < 5 && r.o.t1 < 10);
        uint64_t steps = r.o.counts.steps;
        CHECK_STATUS(march(&r, 5, 10), FO_OK, &r.message); // already past: one step
        CHECK_INT((long long)(r.o.counts.steps - steps), 1);
        CHECK(r.o.f1_valid);
        double f[2];
        pendulum(NULL, NULL, r.o.t1, r.o.x1, f);
        CHECK(f[0] == r.o.f1[0] && f[1] == r.o.f1[1]);
        pendulum(NULL, NULL, r.o.t0, r.o.x0, f);
        CHECK(f[0] == r.o.f0[0] && f[1] == r.o.f0[1]);
        unmake(&r);
    }
}

TEST(landing_does_not_spoil_the_step)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        rig r;
        double x[2] = {2.5, 0};
        make(&r, adaptive[m], 2, pendulum);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 1, 10), FO_OK, &r.message);
        double h = r.o.h_next;
        CHECK_STATUS(march(&r, 10, r.o.t1 + 1e-9 * h), FO_OK, &r.message);
        CHECK(r.o.h_next >= h);
        unmake(&r);
    }
}

TEST(a_jump_costs_one_evaluation_and_keeps_the_step)
{
    rig r;
    double x[2] = {2.5, 0};
    make(&r, "dp45", 2, pendulum);
    begin(&r, 0, x);
    CHECK_STATUS(march(&r, 1, 10), FO_OK, &r.message);
    double h = r.o.h_next;
    uint64_t rates = r.o.counts.rates;
    double after[2] = {-r.o.x1[0], -r.o.x1[1]}; // the mirror image takes the same steps
    CHECK_STATUS(foi_solver_begin(&r.o, r.o.t1, after, FOI_JUMP), FO_OK, &r.message);
    r.o.budget = 1;
    CHECK_STATUS(march(&r, 10, 10), FO_OK, &r.message);
    CHECK_INT((long long)(r.o.counts.rates - rates), 7);
    CHECK_NEAR(r.o.t1 - r.o.t0, h, 1e-15);
    unmake(&r);
}

TEST(fixed_steps_lie_on_the_grid)
{
    for (int m = 0; m < FIXED; m++) {
        rig r;
        double x[2] = {2.5, 0}, base = 0.3;
        make(&r, fixed[m], 2, pendulum);
        r.o.step = 0.0137, r.o.budget = 1;
        begin(&r, base, x);
        for (int k = 1; k < 500; k++) {
            CHECK_STATUS(march(&r, 100, 100), FO_OK, &r.message);
            CHECK(r.o.t1 == base + k * 0.0137);
        }
        // off the grid, and a new one from there
        base = r.o.t1 + 0.3 * 0.0137;
        CHECK_STATUS(march(&r, 100, base), FO_OK, &r.message);
        CHECK(r.o.t1 == base);
        CHECK_STATUS(march(&r, 100, 100), FO_OK, &r.message);
        CHECK(r.o.t1 == base + 0.0137);
        CHECK_INT((long long)r.o.counts.steps, 501);
        unmake(&r);
    }
}

TEST(no_states_only_time)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 0, NULL);
        begin(&r, 0, NULL);
        CHECK_STATUS(march(&r, 3, 3), FO_OK, &r.message);
        CHECK(r.o.t1 == 3);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        unmake(&r);
    }
}

TEST(max_step_is_kept)
{
    rig r;
    double x[2] = {0, 0};
    make(&r, "dop853", 2, constant);
    r.o.max_step = 0.25;
    begin(&r, 0, x);
    CHECK_STATUS(march(&r, 10, 10), FO_OK, &r.message);
    CHECK(r.o.counts.steps >= 40 && r.o.counts.steps < 60);
    CHECK_NEAR(r.o.x1[1], -10, 1e-12);
    unmake(&r);
}

// ------------------------------------------------------------------------------ what goes wrong

TEST(a_step_that_gets_too_small_is_an_error)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        rig r;
        double x[2] = {1, 1};
        make(&r, adaptive[m], 2, blow_up);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_STEP, &r.message);
        CHECK_CONTAINS(r.message.text, "step became too small at t = ");
        CHECK_CONTAINS(r.message.text, "'v'");
        CHECK_NEAR(r.o.t1, 1, 1e-6);
        CHECK(r.o.x1[1] > 1e6 && isfinite(r.o.x1[1]));
        unmake(&r);
    }
}

TEST(what_is_not_a_number_is_named)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[2] = {0, 1};
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 2, domain_edge);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_NUMBER, &r.message);
        CHECK_CONTAINS(r.message.text, "the rate of 'u' became not a number at t = 1");
        CHECK(r.o.t1 <= 1 + 1e-9 && r.o.t1 > 0.8 && r.o.f1_valid);
        CHECK_NEAR(r.o.x1[1], 1 - r.o.t1, 1e-9);
        // from a point where there is nothing at all
        x[1] = -1;
        CHECK_STATUS(foi_solver_begin(&r.o, 7, x, FOI_JUMP), FO_OK, &r.message);
        CHECK_STATUS(march(&r, 9, 9), FO_ERROR_NUMBER, &r.message);
        CHECK_CONTAINS(r.message.text, "the rate of 'u' became not a number at t = 7");
        unmake(&r);
    }
}

TEST(an_infinite_state_is_an_error)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[2] = {0, 0};
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 2, overflow);
        begin(&r, 0, x);
        fo_status status = march(&r, 1e3, 1e3);
        CHECK(status == FO_ERROR_NUMBER || status == FO_ERROR_STEP);
        CHECK(isfinite(r.o.x1[0]) && r.o.t1 < 2);
        unmake(&r);
    }
}

TEST(a_model_may_ask_for_a_shorter_step)
{
    for (int m = 0; m < ADAPTIVE; m++) {
        rig r;
        double x[1] = {1};
        make(&r, adaptive[m], 1, refusing);
        r.o.rtol = r.o.atol = 1e-3, r.o.first_step = 1;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 0.03, 0.03), FO_OK, &r.message);
        CHECK(r.o.counts.rejected > 0);
        CHECK_NEAR(r.o.x1[0], exp(-3), 1e-2);
        unmake(&r);

        make(&r, adaptive[m], 1, never_past_one);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_STEP, &r.message);
        CHECK_CONTAINS(r.message.text, "the model refuses every step");
        CHECK_NEAR(r.o.t1, 1, 1e-12);
        CHECK_NEAR(r.o.x1[0], 2, 1e-12);
        unmake(&r);
    }
}

TEST(a_models_error_is_passed_on)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[1] = {0};
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 1, broken_past_one);
        r.s.message = &r.message;
        r.o.max_step = r.o.first_step = 0.3;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_ERROR_MODEL, &r.message);
        CHECK_CONTAINS(r.message.text, "broken at t = 1.");
        CHECK(r.o.t1 <= 1 && r.o.t1 > 0.6);
        CHECK_NEAR(r.o.x1[0], r.o.t1, 1e-12);
        unmake(&r);
    }
}

TEST(fixed_steps_cannot_be_shorter)
{
    rig r;
    double x[1] = {0};
    make(&r, "rk4", 1, never_past_one);
    begin(&r, 0, x);
    CHECK_STATUS(march(&r, 2, 2), FO_ERROR_STEP, &r.message);
    CHECK_CONTAINS(r.message.text, "'rk4' has fixed steps");
    CHECK_STATUS(foi_solver_begin(&r.o, 1.5, x, FOI_COLD), FO_OK, &r.message);
    CHECK_STATUS(march(&r, 2, 2), FO_ERROR_MODEL, &r.message);
    CHECK_CONTAINS(r.message.text, "no rates at t = 1.5");
    r.o.step = 0;
    CHECK_STATUS(foi_solver_prepare(&r.o), FO_ERROR_ARGUMENT, &r.message);
    CHECK_CONTAINS(r.message.text, "the step must be positive, not 0");
    unmake(&r);
}

TEST(stiffness_is_noticed)
{
    static const char *const method[] = {"dp45", "dop853"};
    for (int m = 0; m < 2; m++) {
        rig r;
        double x[2] = {1, 1};
        make(&r, method[m], 2, stiff);
        r.o.rtol = r.o.atol = 1e-4;
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 2, 2), FO_OK, &r.message);
        CHECK(r.o.stiff);
        unmake(&r);

        make(&r, method[m], 2, pendulum);
        begin(&r, 0, x);
        CHECK_STATUS(march(&r, 100, 100), FO_OK, &r.message);
        CHECK(!r.o.stiff);
        unmake(&r);
    }
}

// ----------------------------------------------------------------------------------- equal bits

// A small march and the general one are the same arithmetic.
TEST(any_number_of_states_gives_the_same_bits)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig one, three;
        double x[6] = {2.5, 0, 2.5, 0, 2.5, 0};
        const char *method = m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE];
        make(&one, method, 2, pendulum);
        make(&three, method, 6, pendulums);
        force_step(&one, 0.01);
        force_step(&three, 0.01);
        begin(&one, 0, x);
        begin(&three, 0, x);
        CHECK_STATUS(march(&one, 5, 5), FO_OK, &one.message);
        CHECK_STATUS(march(&three, 5, 5), FO_OK, &three.message);
        for (int i = 0; i < 6; i++) CHECK(three.o.x1[i] == one.o.x1[i % 2]);
        unmake(&one);
        unmake(&three);
    }
}

static fo_status march_inlined(foi_solver *o, double attention, double goal)
{
    return foi_erk_march(o, attention, goal, &foi_tableau_dp45, 2, pendulum);
}

static fo_status march_general(foi_solver *o, double attention, double goal)
{
    return foi_erk_march(o, attention, goal, &foi_tableau_dp45, 0, o->system.type->rates);
}

// Inlined rates, rates behind a pointer, and any n: all steps and all states are the same.
TEST(every_instance_gives_the_same_bits)
{
    rig r[3];
    foi_method instance[3];
    for (int k = 0; k < 3; k++) {
        double x[2] = {2.5, 0};
        make(&r[k], "dp45", 2, pendulum);
        instance[k] = *r[k].o.method;
        if (k) instance[k].march = k == 1 ? march_inlined : march_general;
        r[k].o.method = &instance[k];
        begin(&r[k], 0, x);
        CHECK_STATUS(march(&r[k], 20, 20), FO_OK, &r[k].message);
        CHECK(r[k].o.x1[0] == r[0].o.x1[0] && r[k].o.x1[1] == r[0].o.x1[1]);
        CHECK(r[k].o.counts.steps == r[0].o.counts.steps);
        CHECK(r[k].o.counts.rates == r[0].o.counts.rates);
        CHECK(r[k].o.h_next == r[0].o.h_next);
    }
    CHECK_NEAR(r[0].o.x1[0], 0.07286378969072538568065, 1e-6);
    for (int k = 0; k < 3; k++) unmake(&r[k]);
}

TEST(a_march_in_pieces_gives_the_same_bits)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig whole, pieces;
        double x[2] = {2.5, 0};
        const char *method = m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE];
        make(&whole, method, 2, pendulum);
        make(&pieces, method, 2, pendulum);
        begin(&whole, 0, x);
        begin(&pieces, 0, x);
        pieces.o.budget = 1;
        CHECK_STATUS(march(&whole, 5, 5), FO_OK, &whole.message);
        while (pieces.o.t1 < 5) CHECK_STATUS(march(&pieces, 5, 5), FO_OK, &pieces.message);
        CHECK(whole.o.x1[0] == pieces.o.x1[0] && whole.o.x1[1] == pieces.o.x1[1]);
        CHECK(whole.o.counts.rates == pieces.o.counts.rates);
        unmake(&whole);
        unmake(&pieces);
    }
}

TEST(a_copy_goes_on_with_the_same_bits)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r, copy;
        double x[4], other[4] = {9, 9, 9, 9};
        const char *method = m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE];
        make(&r, method, 4, woven);
        make(&copy, method, 4, woven);
        woven_exact(0.5, x);
        r.o.step = copy.o.step = 0.01;
        begin(&r, 0.5, x);
        begin(&copy, 3, other);
        r.o.budget = 7;
        CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
        r.o.budget = UINT64_MAX;
        foi_solver_copy(&copy.o, &r.o);
        CHECK_STATUS(march(&r, 1.5, 2), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        CHECK_STATUS(march(&copy, 1.5, 2), FO_OK, &copy.message);
        CHECK_STATUS(foi_solver_dense(&copy.o), FO_OK, &copy.message);
        CHECK(r.o.t1 == copy.o.t1 && r.o.h_next == copy.o.h_next);
        CHECK(memcmp(r.o.x1, copy.o.x1, sizeof x) == 0);
        size_t rows = (size_t)r.o.degree + 1;
        CHECK(memcmp(r.o.coefficients, copy.o.coefficients, rows * sizeof x) == 0);
        unmake(&r);
        unmake(&copy);
    }
}

TEST(a_march_allocates_nothing)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[6] = {2.5, 0, 1, 0, 0.5, 0};
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 6, pendulums);
        r.memory.fail_at = 1;
        CHECK_STATUS(foi_solver_prepare(&r.o), FO_ERROR_MEMORY, &r.message);
        CHECK_INT(r.memory.live, 0);
        begin(&r, 0, x);
        long allocations = r.memory.allocations;
        CHECK_STATUS(march(&r, 1, 1), FO_OK, &r.message);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        CHECK_INT(r.memory.allocations, allocations);
        unmake(&r);
    }
}

TEST(a_cut_step_still_has_a_dense_output)
{
    for (int m = 0; m < ADAPTIVE + FIXED; m++) {
        rig r;
        double x[4], cut[4], exact[4], at[4];
        make(&r, m < ADAPTIVE ? adaptive[m] : fixed[m - ADAPTIVE], 4, woven);
        force_step(&r, 0.01);
        woven_exact(0.7, x);
        begin(&r, 0.7, x);
        r.o.budget = 1;
        CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message);
        woven_exact(0.705, cut);
        foi_solver_cut(&r.o, 0.705, cut);
        CHECK_STATUS(foi_solver_dense(&r.o), FO_OK, &r.message);
        foi_dense_at(&r.o, 0.5, at);
        woven_exact(0.7025, exact);
        for (int i = 0; i < 4; i++) CHECK_NEAR(at[i], exact[i], 1e-7);
        CHECK_STATUS(march(&r, 9, 9), FO_OK, &r.message); // goes on from there
        CHECK(r.o.t0 == 0.705);
        woven_exact(r.o.t1, exact);
        for (int i = 0; i < 4; i++) CHECK_NEAR(r.o.x1[i], exact[i], 0.05);
        unmake(&r);
    }
}

TEST_MAIN(TEST_ENTRY(orders_are_as_stated), TEST_ENTRY(dense_orders_are_as_stated),
          TEST_ENTRY(dense_output_meets_the_ends), TEST_ENTRY(errors_follow_the_tolerance),
          TEST_ENTRY(published_table),
          TEST_ENTRY(goal_is_hit_exactly_and_nothing_is_evaluated_beyond),
          TEST_ENTRY(budget_and_attention_end_a_march), TEST_ENTRY(landing_does_not_spoil_the_step),
          TEST_ENTRY(a_jump_costs_one_evaluation_and_keeps_the_step),
          TEST_ENTRY(fixed_steps_lie_on_the_grid), TEST_ENTRY(no_states_only_time),
          TEST_ENTRY(max_step_is_kept), TEST_ENTRY(a_step_that_gets_too_small_is_an_error),
          TEST_ENTRY(what_is_not_a_number_is_named), TEST_ENTRY(an_infinite_state_is_an_error),
          TEST_ENTRY(a_model_may_ask_for_a_shorter_step), TEST_ENTRY(a_models_error_is_passed_on),
          TEST_ENTRY(fixed_steps_cannot_be_shorter), TEST_ENTRY(stiffness_is_noticed),
          TEST_ENTRY(any_number_of_states_gives_the_same_bits),
          TEST_ENTRY(every_instance_gives_the_same_bits),
          TEST_ENTRY(a_march_in_pieces_gives_the_same_bits),
          TEST_ENTRY(a_copy_goes_on_with_the_same_bits), TEST_ENTRY(a_march_allocates_nothing),
          TEST_ENTRY(a_cut_step_still_has_a_dense_output))
