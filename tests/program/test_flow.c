// Programs made of equations: flows against analytic solutions.
#include "program/simple.h"

typedef simple run;

static bool begin(run *r, const char *text, double stop)
{
    fo_run_def def = simple_def(stop);
    return simple_begin(r, text, &def);
}

TEST(decay)
{
    run r;
    if (begin(&r,
              "param k 2\n"
              "real x 3 fixed\n"
              "real y\n"
              "eq der(x) = -k*x\n"
              "eq y = 2*x\n",
              1)) {
        simple_go(&r, 1);
        CHECK_NEAR(simple_value(&r, "x"), 3 * exp(-2), 1e-8);
        CHECK_NEAR(simple_value(&r, "y"), 6 * exp(-2), 2e-8);
    }
    simple_end(&r);
}

// m der(v) = F, F = -c q, with aliases in between and a parameter that follows from others.
TEST(oscillator_with_aliases)
{
    run r;
    if (begin(&r,
              "param m 2\n"
              "param w 3\n"
              "param c m*w^2\n"
              "real q 1 fixed\n"
              "real v 0 fixed\n"
              "real F\n"
              "real a\n"
              "real b\n"
              "eq v = der(q)\n"
              "eq m*der(v) = F\n"
              "eq F + a = 0\n"
              "eq a = b\n"
              "eq b = c*q\n",
              2)) {
        simple_go(&r, 2);
        CHECK_NEAR(simple_value(&r, "q"), cos(6), 1e-7);
        CHECK_NEAR(simple_value(&r, "F"), -18 * cos(6), 2e-6);
        CHECK_NEAR(simple_value(&r, "a"), 18 * cos(6), 2e-6);
    }
    simple_end(&r);
}

// x' = -a with a^3 + a = x: a loop of one; and two equations that need each other.
TEST(algebraic_loops)
{
    run r;
    if (begin(&r,
              "real x 2 fixed\n"
              "real a\n"
              "real p\n"
              "real q\n"
              "eq der(x) = -a\n"
              "eq a^3 + a = x\n"
              "eq p + 2*q = x\n"
              "eq 3*p - q = 1\n",
              0.5)) {
        CHECK_NEAR((simple_go(&r, 0), simple_value(&r, "a")), 1, 1e-12);
        simple_go(&r, 0.5);
        double a = simple_value(&r, "a"), x = simple_value(&r, "x");
        CHECK_NEAR(a * a * a + a, x, 1e-12);
        // separated: (3 a^2 + 1) a' = -a, so 3 a^2 / 2 + log a = 3/2 - t
        CHECK_NEAR(1.5 * a * a + log(a), 1.5 - 0.5, 1e-8);
        CHECK_NEAR(simple_value(&r, "p"), (x + 2) / 7, 1e-12);
        CHECK_NEAR(simple_value(&r, "q"), (3 * x - 1) / 7, 1e-12);
    }
    simple_end(&r);
}

// A long chain of equations: solving each for its small neighbour would lose all digits.
TEST(loop_of_a_chain)
{
    run r;
    char text[4000];
    int n = 30, at = 0;
    at += sprintf(text + at, "real x 1 fixed\n");
    for (int i = 1; i <= n; i++) at += sprintf(text + at, "real v%d 0.5\n", i);
    at += sprintf(text + at, "eq der(x) = -v1\neq v1 + 0.3*v2 + v1^3 = x\n");
    for (int i = 2; i < n; i++)
        at += sprintf(text + at, "eq v%d + 0.3*v%d + 0.3*v%d + 0.1*exp(v%d) = 1\n", i, i - 1, i + 1,
                      i);
    sprintf(text + at, "eq v%d + 0.3*v%d = 0\n", n, n - 1);
    if (begin(&r, text, 1)) {
        simple_go(&r, 1);
        double v14 = simple_value(&r, "v14"), v15 = simple_value(&r, "v15");
        double v16 = simple_value(&r, "v16");
        CHECK_NEAR(v15 + 0.3 * (v14 + v16) + 0.1 * exp(v15), 1, 1e-13);
    }
    simple_end(&r);
}

// An implicit equation at the start, and a steady state.
TEST(initial_equations)
{
    run r;
    if (begin(&r,
              "param u 3\n"
              "real x 1\n"
              "real y 0.5\n"
              "real z 4\n"
              "eq der(x) = u - x^2\n"
              "eq der(y) = x - y\n"
              "eq der(z) = -z\n"
              "init der(x) = 0\n"
              "init der(y) = 1\n",
              1)) {
        simple_go(&r, 0);
        CHECK_NEAR(simple_value(&r, "x"), sqrt(3), 1e-12);
        CHECK_NEAR(simple_value(&r, "y"), sqrt(3) - 1, 1e-12);
        CHECK_NEAR(simple_value(&r, "z"), 4, 0);
        simple_go(&r, 1);
        CHECK_NEAR(simple_value(&r, "x"), sqrt(3), 1e-9);
        CHECK_NEAR(simple_value(&r, "y"), sqrt(3) - exp(-1), 1e-8);
    }
    simple_end(&r);
}

TEST(stiff_with_its_jacobian)
{
    run r;
    if (begin(&r,
              "real x 2 fixed\n"
              "real y 0 fixed\n"
              "param mu 1000\n"
              "eq der(x) = y\n"
              "eq der(y) = mu*(1 - x^2)*y - x\n",
              1)) {
        fo_simulation_destroy(r.sim);
        fo_run_def def = fo_default_run_def();
        def.stop = 1, def.solver = "radau5", def.rtol = 1e-8;
        fo_system system = foi_program_system(r.program);
        r.sim = fo_simulation_create(system, &def, &r.why);
        REQUIRE(r.sim);
        simple_go(&r, 1);
        // on the slow manifold: y = x / (mu (1 - x^2)) up to 1/mu^3
        double x = simple_value(&r, "x");
        CHECK_NEAR(simple_value(&r, "y"), x / (1000 * (1 - x * x)), 1e-8);
        double J[4];
        const fo_state *s = fo_simulation_state(r.sim);
        CHECK_STATUS(system.type->jacobian(system.model, s, s->t, s->x, J), FO_OK, NULL);
        const fo_pattern *pattern = system.type->pattern(system.model, s);
        CHECK_INT(pattern->start[1], 1); // dx'/dx = 0
        CHECK_INT(pattern->start[2], 3);
        CHECK_NEAR(J[0], -2000 * x * s->x[1] - 1, 1e-9);
        CHECK_NEAR(J[1], 1, 0);
        CHECK_NEAR(J[2], 1000 * (1 - x * x), 1e-9);
    }
    simple_end(&r);
}

// The pendulum in Cartesian coordinates has index 3. It swings below the horizontal, so that one
// choice of states serves; the angle of the same pendulum is the reference.
TEST(cartesian_pendulum)
{
    run r;
    if (begin(&r,
              "param L 1\n"
              "param g 9.81\n"
              "real x 0.6 fixed\n"
              "real y -0.8\n"
              "real vx 0 fixed\n"
              "real vy\n"
              "real F\n"
              "eq der(x) = vx\n"
              "eq der(y) = vy\n"
              "eq der(vx) = -F*x\n"
              "eq der(vy) = -F*y - g\n"
              "eq x^2 + y^2 = L^2\n",
              5)) {
        CHECK_INT(foi_program_system(r.program).about->states.count, 2);
        run polar;
        bool both = begin(&polar,
                          "param g 9.81\n"
                          "real phi 0.6435011087932844 fixed\n"
                          "real w 0 fixed\n"
                          "eq der(phi) = w\n"
                          "eq der(w) = -g*sin(phi)\n",
                          5);
        for (double t = 0; both && t <= 5; t += 0.25) {
            simple_go(&r, t);
            simple_go(&polar, t);
            double x = simple_value(&r, "x"), y = simple_value(&r, "y");
            CHECK_NEAR(x * x + y * y, 1, 1e-12);
            CHECK_NEAR(x, sin(simple_value(&polar, "phi")), 1e-6);
            CHECK_NEAR(y, -cos(simple_value(&polar, "phi")), 1e-6);
        }
        simple_end(&polar);
    }
    simple_end(&r);
}

// Two wheels on one shaft: a constraint between states, of index 2.
TEST(rigid_coupling)
{
    run r;
    if (begin(&r,
              "param J1 1\n"
              "param J2 3\n"
              "real w1 0 fixed\n"
              "real w2\n"
              "real T\n"
              "eq J1*der(w1) = 8 - T\n"
              "eq J2*der(w2) = T\n"
              "eq w1 = 2*w2\n",
              1)) {
        CHECK_INT(foi_program_system(r.program).about->states.count, 1);
        simple_go(&r, 1);
        // J1 2 a + T = 8, J2 a = T: a = 8/5
        CHECK_NEAR(simple_value(&r, "w2"), 1.6, 1e-10);
        CHECK_NEAR(simple_value(&r, "T"), 4.8, 1e-10);
    }
    simple_end(&r);
}

// The Jacobian against central differences of the rates, all of it.
static void check_jacobian(const char *text)
{
    enum { MOST = 8 };
    run r;
    if (begin(&r, text, 1)) {
        fo_system system = foi_program_system(r.program);
        fo_state s = *fo_simulation_state(r.sim);
        uint32_t n = s.shape.states;
        REQUIRE(system.type->jacobian && n <= MOST);
        const fo_pattern *p = system.type->pattern(system.model, &s);
        double values[MOST * MOST], x[MOST], up[MOST], down[MOST];
        CHECK_INT(system.type->jacobian(system.model, &s, s.t, s.x, values), FO_OK);
        for (uint32_t c = 0; c < n; c++) {
            double full[MOST] = {0}, h = 1e-5;
            for (uint32_t k = p->start[c]; k < p->start[c + 1]; k++) full[p->row[k]] = values[k];
            for (uint32_t i = 0; i < n; i++) x[i] = s.x[i];
            x[c] = s.x[c] + h;
            CHECK_INT(system.type->rates(system.model, &s, s.t, x, up), FO_OK);
            x[c] = s.x[c] - h;
            CHECK_INT(system.type->rates(system.model, &s, s.t, x, down), FO_OK);
            for (uint32_t i = 0; i < n; i++)
                CHECK_NEAR(full[i], (up[i] - down[i]) / (2 * h), 1e-7 * (1 + fabs(full[i])));
        }
    }
    simple_end(&r);
}

// Through one unknown, two that are nonlinear, a linear pair, and a loop that needs another's
// solution.
TEST(jacobian_through_loops)
{
    check_jacobian("real x 2 fixed\n"
                   "real y 0.5 fixed\n"
                   "real a\n"
                   "eq der(x) = -a*y\n"
                   "eq der(y) = x - y*a^2\n"
                   "eq a^3 + a = x + y\n");
    check_jacobian("real x 2 fixed\n"
                   "real y 0.5 fixed\n"
                   "real w 1 fixed\n"
                   "real a\n"
                   "real p\n"
                   "real q\n"
                   "real z\n"
                   "eq der(x) = -a - 0.1*p*y\n"
                   "eq der(y) = q*x - z\n"
                   "eq der(w) = z*w + sin(q)\n"
                   "eq a^3 + a = x + q/5\n"
                   "eq p*exp(q) + 2*q = x*y\n"
                   "eq 3*p - exp(q/4) + q*p = w\n"
                   "eq z + exp(z) = a*p + y\n");
    check_jacobian("param k 3\n"
                   "real x 2 fixed\n"
                   "real y 0.5 fixed\n"
                   "real p\n"
                   "real q\n"
                   "eq der(x) = p - y\n"
                   "eq der(y) = q*p\n"
                   "eq k*p + sin(x)*q = y\n"
                   "eq cos(y)*p - q*x = 1\n");
}

TEST(pattern_through_a_loop)
{
    run r;
    if (begin(&r,
              "real x 1 fixed\n"
              "real y 1 fixed\n"
              "real z 1 fixed\n"
              "real a\n"
              "eq der(x) = -1000*a\n"
              "eq a^3 + a = y\n"
              "eq der(y) = -y\n"
              "eq der(z) = x - z\n",
              1)) {
        fo_system system = foi_program_system(r.program);
        CHECK(system.type->jacobian);
        const fo_pattern *p = system.type->pattern(system.model, NULL);
        const uint32_t start[] = {0, 1, 3, 4}, row[] = {2, 0, 1, 2};
        for (int i = 0; i < 4; i++) CHECK_INT(p->start[i], start[i]);
        for (int i = 0; i < 4; i++) CHECK_INT(p->row[i], row[i]);
        fo_simulation_destroy(r.sim);
        fo_run_def def = simple_def(1);
        def.solver = "radau5";
        r.sim = fo_simulation_create(system, &def, &r.why);
        REQUIRE(r.sim);
        simple_go(&r, 1);
        double a = simple_value(&r, "a");
        CHECK_NEAR(a * a * a + a, exp(-1), 1e-8);
    }
    simple_end(&r);
}

static void fail_each(const char *text, long most)
{
    long fail_at = 0;
    bool done = false;
    foi_flat *flat = mini_model(text, NULL);
    while (!done && ++fail_at < most) {
        test_memory memory;
        fo_message why;
        test_memory_init(&memory, fail_at);
        foi_program *p = foi_program_create(flat, &memory.allocator, &why, NULL);
        done = p != NULL;
        if (!p) CHECK_INT(why.status, FO_ERROR_MEMORY);
        foi_program_destroy(p);
        CHECK_INT(memory.live, 0);
    }
    CHECK(done && fail_at > 50);
    foi_flat_destroy(flat);
}

TEST(every_allocation_may_fail)
{
    fail_each("param k 2\n"
              "real x 3\n"
              "real a\n"
              "real b\n"
              "disc n 0\n"
              "eq der(x) = -k*a\n"
              "eq a^3 + a = x\n"
              "eq b = a\n"
              "init x + b = 4\n"
              "assert x > 0 \"positive\"\n"
              "when x < 1\n"
              "set n = pre(n) + 1\n"
              "reinit x = 3\n"
              "end\n",
              5000);
    fail_each("real x 0.6\n"
              "real y -0.8\n"
              "real vx 0\n"
              "real vy\n"
              "real F\n"
              "eq der(x) = vx\n"
              "eq der(y) = vy\n"
              "eq der(vx) = -F*x\n"
              "eq der(vy) = -F*y - 9.81\n"
              "eq x^2 + y^2 = 1\n",
              20000);
    fail_each("param C 2\n"
              "real u 3\n"
              "real v 2\n"
              "real w 1\n"
              "eq C*(der(u) - der(v)) = 2 - u\n"
              "eq C*(der(v) - der(u)) = w - v^3\n"
              "eq der(w) = u\n",
              20000);
}

TEST_MAIN(TEST_ENTRY(decay), TEST_ENTRY(oscillator_with_aliases), TEST_ENTRY(algebraic_loops),
          TEST_ENTRY(loop_of_a_chain), TEST_ENTRY(initial_equations),
          TEST_ENTRY(stiff_with_its_jacobian), TEST_ENTRY(jacobian_through_loops),
          TEST_ENTRY(cartesian_pendulum), TEST_ENTRY(rigid_coupling),
          TEST_ENTRY(pattern_through_a_loop), TEST_ENTRY(every_allocation_may_fail))
