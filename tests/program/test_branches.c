// Random loops with many solutions, of which one continuous branch is known in closed form:
//
//     F_i(z_i) = 0,   z = Q (y - p(t, x)),   Q orthogonal,
//
// so that y = p + Q'z0 with a root z0 of F, the start's, for all times, however fast p moves. The
// states follow a closed form too, x = s(t), and hear of the branch: a wrong one drives them away.
// A run must give these numbers, or end with a message; and most of them must give the numbers.
#include <stdlib.h>
#include <time.h>

#include "../language/run.h"

#ifndef BRANCHES
#define BRANCHES ((uint64_t)test_inputs(240, 2400))
#endif

enum { MOST = 4 };
#define PI 3.141592653589793

/// Functions with several roots, and where these are.
static const struct {
    const char *text; ///< of z, which is #
    double root[5];
} functions[] = {
    {"sin(#)", {0, 3.141592653589793, -3.141592653589793, 6.283185307179586, 0}},
    {"(#)*((#)^2 - 1)", {0, 1, -1, 1, -1}},
    {"(#) - 2*sin(#)", {0, 1.895494267033981, -1.895494267033981, 0, 0}},
    {"(#) + 2*sin(#)", {0, 0, 0, 0, 0}},
    {"exp(#) - 1 + 3*sin(#)", {0, 0, 0, 0, 0}},
    {"sin(#)/(2 + cos(#))", {0, 3.141592653589793, -3.141592653589793, 0, 0}},
    {"tanh(3*(#))*(2 - (#))", {0, 2, 0, 2, 0}},
    {"(#)*abs((#) - 3) + sin(#)", {0, 0, 0, 0, 0}},
    {"atan(#)*(1 - (#)/5)", {0, 5, 0, 5, 0}},
};

typedef struct generator {
    uint64_t state;
} generator;

// SplitMix64: neighbouring seeds have nothing in common.
static double uniform(generator *g)
{
    uint64_t z = g->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) / (double)(UINT64_C(1) << 53);
}

static double between(generator *g, double a, double b)
{
    return a + (b - a) * uniform(g);
}

static int below(generator *g, int n)
{
    return (int)(n * uniform(g));
}

/// p_i = a sin(w t + phi) + c t + k x, x = s(t) = cos(v t) + q sin(v t).
typedef struct problem {
    int n, f[MOST], kind; ///< kind: 0 time, 1 with a state beside it, 2 with a state that hears
    double Q[MOST][MOST], z0[MOST];
    double a[MOST], w[MOST], phi[MOST], c[MOST], k[MOST], v, q, stop;
    char text[20000];
} problem;

// By random rotations.
static void make_orthogonal(generator *g, problem *p)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++) p->Q[i][j] = i == j;
    for (int i = 0; i < p->n; i++)
        for (int j = i + 1; j < p->n; j++) {
            double angle = between(g, -3, 3), c = cos(angle), s = sin(angle);
            for (int k = 0; k < p->n; k++) {
                double a = p->Q[i][k], b = p->Q[j][k];
                p->Q[i][k] = c * a - s * b, p->Q[j][k] = s * a + c * b;
            }
        }
}

static double start_of(const problem *p, int j)
{
    double y = p->a[j] * sin(p->phi[j]) + (p->kind ? p->k[j] : 0);
    for (int i = 0; i < p->n; i++) y += p->Q[i][j] * p->z0[i];
    return y;
}

static size_t write_path(const problem *p, int j, char *text, size_t size)
{
    int used = snprintf(text, size, "(%.17g)*sin(%.17g*time + (%.17g)) + (%.17g)*time", p->a[j],
                        p->w[j], p->phi[j], p->c[j]);
    if (p->kind) used += snprintf(text + used, size - (size_t)used, " + (%.17g)*x", p->k[j]);
    return (size_t)used;
}

static void write_problem(problem *p)
{
    char *at = p->text, *end = p->text + sizeof p->text, z[1000], path[400];
    at += snprintf(at, (size_t)(end - at), "model Branch\n");
    for (int j = 0; j < p->n; j++)
        at += snprintf(at, (size_t)(end - at), "  Real y%d(start = %.17g), e%d;\n", j,
                       start_of(p, j), j);
    if (p->kind)
        at += snprintf(
            at, (size_t)(end - at),
            "  parameter Real v = %.17g, q = %.17g;\n  Real x(start = 1, fixed = true), h;\n", p->v,
            p->q);
    at += snprintf(at, (size_t)(end - at), "equation\n");
    for (int i = 0; i < p->n; i++) {
        size_t used = 0;
        for (int j = 0; j < p->n; j++) {
            write_path(p, j, path, sizeof path);
            used += (size_t)snprintf(z + used, sizeof z - used, "%s(%.17g)*(y%d - (%s))",
                                     j ? " + " : "", p->Q[i][j], j, path);
        }
        for (const char *c = functions[p->f[i]].text; *c; c++)
            at += snprintf(at, (size_t)(end - at), "%.*s", *c == '#' ? (int)used : 1,
                           *c == '#' ? z : c);
        at += snprintf(at, (size_t)(end - at), " = 0;\n");
    }
    for (int j = 0; j < p->n; j++) {
        write_path(p, j, path, sizeof path);
        double off = 0;
        for (int i = 0; i < p->n; i++) off += p->Q[i][j] * p->z0[i];
        at += snprintf(at, (size_t)(end - at), "  e%d = y%d - (%s) - (%.17g);\n", j, j, path, off);
    }
    if (p->kind)
        at += snprintf(at, (size_t)(end - at),
                       "  h = cos(v*time) + q*sin(v*time);\n"
                       "  der(x) = v*(q*cos(v*time) - sin(v*time)) - v*(x - h)%s;\n",
                       p->kind == 2 ? " + 3*e0" : "");
    snprintf(at, (size_t)(end - at), "end Branch;\n");
}

static problem *make(uint64_t seed)
{
    static problem p;
    generator g = {seed << 32};
    p = (problem){.n = uniform(&g) < 0.5 ? 1 : 2 + below(&g, MOST - 1), .kind = below(&g, 3)};
    make_orthogonal(&g, &p);
    p.v = pow(10, between(&g, -1, 1)), p.q = between(&g, -1, 1), p.stop = 2;
    double speed = pow(10, between(&g, -3, 3)); // how many distances of roots in a second
    for (int i = 0; i < p.n; i++) {
        p.f[i] = below(&g, (int)FO_COUNT(functions));
        p.z0[i] = functions[p.f[i]].root[below(&g, 5)];
        p.w[i] = pow(10, between(&g, -1, 1.5)), p.phi[i] = between(&g, -3, 3);
        int which = below(&g, 3);
        if (which == 0) p.a[i] = speed / p.w[i];
        if (which == 1) p.c[i] = speed;
        if (which == 2) p.k[i] = speed / p.v;
        if (which == 2 && !p.kind) p.a[i] = speed / p.w[i];
    }
    write_problem(&p);
    return &p;
}

// ------------------------------------------------------------------------------------------ runs

static double value(fo_simulation *sim, const char *name)
{
    fo_reference which;
    fo_message why = {0};
    return fo_system_find(fo_simulation_system(sim), name, &which, &why) == FO_OK
               ? fo_simulation_value(sim, which)
               : NAN;
}

// How far the solution is from the branch, where it should be zero but for rounding.
static void check_point(const problem *p, fo_simulation *sim, uint64_t seed, const char *solver)
{
    char name[20];
    double t = fo_simulation_time(sim);
    for (int j = 0; j < p->n; j++) {
        snprintf(name, sizeof name, "e%d", j);
        double e = value(sim, name);
        double size = 10 + fabs(p->a[j]) + fabs(p->c[j] * p->stop) + 2 * fabs(p->k[j]);
        if (!(fabs(e) <= 1e-11 * size))
            test_fail(__FILE__, __LINE__, "problem %u, %s, t = %g: y%d is off by %g",
                      (unsigned)seed, solver ? solver : "chosen", t, j, e);
    }
    double h = cos(p->v * t) + p->q * sin(p->v * t);
    bool fixed = solver && (strcmp(solver, "rk4") == 0 || strcmp(solver, "implicit-euler") == 0);
    if (p->kind && !(fabs(value(sim, "x") - h) <= (fixed ? 0.1 : 1e-3)))
        test_fail(__FILE__, __LINE__, "problem %u, %s, t = %g: x = %g instead of %g",
                  (unsigned)seed, solver ? solver : "chosen", t, value(sim, "x"), h);
}

// True: it went to the end.
static bool check(const problem *p, uint64_t seed, const char *solver, int rows)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "branch.mo", .text = p->text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    fo_run_def run = fo_default_run_def();
    run.stop = p->stop, run.solver = solver, run.rtol = 1e-6, run.atol = 1e-8;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &run, &why) : NULL;
    fo_status status = FO_REACHED;
    for (int i = 0; sim && i <= rows && status == FO_REACHED; i++) {
        status = fo_simulation_advance(sim, p->stop * i / rows);
        if (status == FO_REACHED) check_point(p, sim, seed, solver);
    }
    if (!sim) test_fail(__FILE__, __LINE__, "problem %u: %s", (unsigned)seed, why.text);
    if (sim && status != FO_REACHED) CHECK(fo_simulation_message(sim)->text[0] != 0);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return sim && status == FO_REACHED;
}

TEST(a_branch_is_followed_or_the_run_ends)
{
    static const char *const solvers[] = {NULL,     "dp45",   "dop853",         "adams", "bs23",
                                          "radau5", "rodas4", "implicit-euler", "rk4"};
    const char *first = getenv("FOLIOT_BRANCHES_FIRST"), *count = getenv("FOLIOT_BRANCHES");
    uint64_t begin = first ? strtoull(first, NULL, 10) : 0;
    uint64_t most = count ? strtoull(count, NULL, 10) : BRANCHES, reached = 0;
    for (uint64_t seed = begin; seed < begin + most; seed++) {
        const problem *p = make(seed);
        clock_t before = clock();
        bool good = check(p, seed, solvers[seed % FO_COUNT(solvers)], 1 + (int)(seed % 40));
        double took = (double)(clock() - before) / CLOCKS_PER_SEC;
        if (took > 1 || !good)
            printf("problem %u: n = %d, kind %d, %s, %s, %.2f s\n", (unsigned)seed, p->n, p->kind,
                   solvers[seed % FO_COUNT(solvers)], good ? "good" : "refused", took);
        reached += good;
    }
    printf("%u of %u reached the end\n", (unsigned)reached, (unsigned)most);
    CHECK(10 * reached >= 9 * most);
}

// ------------------------------------------------------------------------------------- known ones

// "good": e is zero at all rows to the end; otherwise the run ends with these words.
static void check_text(const char *equations, const char *words)
{
    char text[1000];
    fo_message why = {0};
    snprintf(text, sizeof text,
             "model Known\n  Real x(start = %d, fixed = true), y(start = 0), e%s;\nequation\n  "
             "%s\nend Known;\n",
             words ? 1 : 0, strstr(equations, "der(y)") ? ", w" : "", equations);
    fo_text_model_def def = {.path = "known.mo", .text = text};
    fo_text_model *model = fo_text_model_open(&def, &why);
    fo_run_def run = fo_default_run_def();
    run.stop = 3;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &run, &why) : NULL;
    fo_status status = sim ? FO_REACHED : FO_ERROR_MODEL;
    for (int i = 0; i <= 30 && status == FO_REACHED; i++) {
        status = fo_simulation_advance(sim, 0.1 * i);
        if (status == FO_REACHED && !(fabs(value(sim, "e")) <= 1e-8))
            test_fail(__FILE__, __LINE__, "%s: off by %g", equations, value(sim, "e"));
    }
    if (!words) CHECK_STATUS(status, FO_REACHED, sim ? fo_simulation_message(sim) : &why);
    if (words) CHECK_CONTAINS(sim ? fo_simulation_message(sim)->text : why.text, words);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(unknowns_that_turn_quickly_stay_on_their_branch)
{
    check_text("der(x) = 60*cos(3*time); sin(y - x) = 0; e = y - x;", NULL);
    check_text("der(x) = -x; sin(y - 20*sin(3*time)) = 0; e = y - 20*sin(3*time);", NULL);
    check_text("der(x) = 1 + 0.1*y; sin(y - 50*x) = 0; e = (y - 50*x)/(1 + abs(y));", NULL);
    check_text("der(x) = 20*cos(3*time); y - x + 2*sin(y - x) = 0; e = y - x;", NULL);
    check_text("der(x) = 1; sin(y - 1e5*sin(x)) = 0; e = (y - 1e5*sin(x))/1e5;", NULL);
    check_text("der(x) = 1; y*abs(y) = sin(3*x); e = y*abs(y) - sin(3*x);", NULL);
    check_text("der(x) = 1; y + noEvent(if y > 0.5 then 2*(y - 0.5) else 0) + 0.1*sin(y) = x; "
               "e = y + noEvent(if y > 0.5 then 2*(y - 0.5) else 0) + 0.1*sin(y) - x;",
               NULL);
}

// A solution that stays where two pieces of a function meet, while others move: y = 0 and z = x.
TEST(a_solution_may_stay_where_pieces_meet)
{
    world w;
    REQUIRE(begin(&w,
                  "model Meet\n"
                  "  function f input Real v; output Real i;\n"
                  "  algorithm\n"
                  "    if v >= 0 then i := 2*v + v^2; else i := 2*v - v^2; end if;\n"
                  "  end f;\n"
                  "  Real y, z, x(start = 0, fixed = true);\n"
                  "equation\n"
                  "  der(x) = 5;\n"
                  "  z + 0.9*sin(z) = x + 0.9*sin(x) + 3*y;\n"
                  "  f(y) + y*z^2 = 0.1*(z + 0.9*sin(z) - x - 0.9*sin(x));\n"
                  "end Meet;\n",
                  4));
    for (int i = 1; i <= 40; i++) {
        double t = 0.1 * i;
        CHECK_NEAR(at(&w, t, "y"), 0, 1e-12);
        CHECK_NEAR(at(&w, t, "z"), 5 * t, 1e-9 * (1 + t));
    }
    end(&w);
}

// Two transistors in series and two beside each other, with junctions and leaks: currents that are
// zero for good beside others, and pieces that the solution stays on. Sums of currents are taken
// again here.
static double drain(double v, double g)
{
    double mode = v >= 0 ? 1 : -1, w = mode * v, h = mode > 0 ? g : g - v;
    return h <= 0 ? 0 : mode * (h <= w ? h * h / 2 : w * (h - w / 2));
}

static double junction(double v)
{
    return v <= 0 ? 1e-14 / 0.0258 * v : 1e-14 * (exp(fmin(v / 0.0258, 50)) - 1);
}

static const char nand[] =
    "model Nand\n"
    "  function ids input Real v; input Real g; output Real i;\n"
    "  protected Integer mode; Real w; Real h;\n"
    "  algorithm\n"
    "    mode := if v >= 0 then 1 else -1; w := mode*v; h := if mode == 1 then g else g - v;\n"
    "    i := 0;\n"
    "    if h > 0 then if h <= w then i := h^2/2; else i := w*(h - w/2); end if; end if;\n"
    "    i := mode*i;\n"
    "  end ids;\n"
    "  function junction input Real v; output Real i; protected Real x;\n"
    "  algorithm\n"
    "    if v <= 0 then i := 1e-14/0.0258*v;\n"
    "    else x := exp(min(v/0.0258, 50)); i := 1e-14*(x - 1); end if;\n"
    "  end junction;\n"
    "  parameter Real b = 2e-5, k = 1e-12;\n"
    "  Real u1, u2, y, m, p1, p2, n1, n2, jp, jm, g1, g2;\n"
    "equation\n"
    "  u1 = if time < 0.1 then 0 elseif time < 0.2 then 50*(time - 0.1) elseif time < 0.5 then 5\n"
    "    elseif time < 0.6 then 5 - 50*(time - 0.5) else 0;\n"
    "  u2 = if time < 0.2 then 0 elseif time < 0.3 then 50*(time - 0.2) else 5;\n"
    "  p1 = b*ids(5 - y, 5 - u1); p2 = b*ids(5 - y, 5 - u2);\n"
    "  n1 = 2*b*ids(y - m, u1 - m); n2 = 2*b*ids(m, u2);\n"
    "  g1 = k*(5 - 3*y); g2 = -2*k*m;\n"
    "  jp = junction(y - 5) - junction(-y); jm = -junction(-m);\n"
    "  p1 + p2 + g1 = n1 + jp; n1 + g2 = n2 + jm;\n"
    "end Nand;\n";

TEST(transistors_that_are_off)
{
    const double b = 2e-5, k = 1e-12;
    world w;
    REQUIRE(begin(&w, nand, 0.8));
    for (int i = 1; i <= 80; i++) {
        double t = 0.01 * i, u1 = at(&w, t, "u1"), u2 = at(&w, t, "u2");
        double y = at(&w, t, "y"), m = at(&w, t, "m");
        double up = b * (drain(5 - y, 5 - u1) + drain(5 - y, 5 - u2)),
               n1 = 2 * b * drain(y - m, u1 - m);
        double out = up + k * (5 - 3 * y) - n1 - junction(y - 5) + junction(-y);
        double in = n1 - 2 * k * m - 2 * b * drain(m, u2) + junction(-m);
        // a voltage is known to a last place of 5 V, and moves currents by that times 2 b 5 V
        CHECK_NEAR(out, 0, 1e-15 * 5 * b * 10 + 1e-12 * up);
        CHECK_NEAR(in, 0, 1e-15 * 5 * b * 10 + 1e-12 * n1);
        if (t < 0.1 || t > 0.61) CHECK_NEAR(y, 5, 1e-4);
        if (t > 0.31 && t < 0.5) CHECK_NEAR(y, 0, 1e-4);
    }
    end(&w);
}

// The same as constraints between states: index reduction makes y one of them.
TEST(states_that_follow_from_constraints_stay_on_their_branch)
{
    check_text("der(x) = 60*cos(3*time); sin(y - x) = 0; e = y - x; der(y) = w;", NULL);
    check_text("der(x) = 1 + 0.01*y; sin(y - 50*x) = 0; e = (y - 50*x)/(1 + abs(y)); der(y) = w;",
               NULL);
    check_text("der(x) = -x; sin(y - 2000*sin(3*time)) = 0; e = (y - 2000*sin(3*time))/2000; "
               "der(y) = w;",
               NULL);
    check_text("der(x) = 20*cos(3*time); y - x + 2*sin(y - x) = 0; e = y - x; der(y) = w;", NULL);
}

// Only another branch goes on, far away.
TEST(a_branch_that_ends_ends_the_run)
{
    check_text("der(x) = -1 + 0.01*sin(y); y^3 - 3*y = x - 1; e = 1e-9*sin(y);", "`y`");
    check_text("der(x) = 1 + 0.01*sin(y); y + 2*sin(3*y) = 2*(x - 1); e = 1e-9*sin(y);", "`y`");
}

// Where one solution is left there is no choice. Amplifiers with limits and positive feedback: the
// output stays at one limit until the input has passed zero by 1 - 0.001 (1 + k), and is at the
// other then. The cube turns over at 3 sin(t) = -2 and 2.
TEST(where_one_solution_is_left_it_is_taken)
{
    world w, cube;
    REQUIRE(begin(&w,
                  "model Trigger\n"
                  "  parameter Real k = 1/15;\n"
                  "  Real u = 5*cos(20*time), d, y;\n"
                  "equation\n"
                  "  d = (u + k*y)/(1 + k);\n"
                  "  y = smooth(0, noEvent(if 15000*d > 15 then 15 else if 15000*d < -15 then -15\n"
                  "                        else 15000*d));\n"
                  "end Trigger;\n",
                  2 * PI));
    REQUIRE(begin(&cube,
                  "model Cube Real z(start = 1.7); equation z^3 - 3*z = 3*sin(time); end Cube;",
                  2 * PI));
    bool up = true, out = true;
    for (int i = 0; i <= 600; i++) {
        double t = 2 * PI * i / 600, u = 5 * cos(20 * t), b = 1 - 0.001 * (1 + 1.0 / 15);
        double y = at(&w, t, "y"), z = at(&cube, t, "z"), s = 3 * sin(t);
        up = up ? u >= -b : u > b, out = out ? s >= -2 : s > 2;
        CHECK_NEAR(y, up ? 15 : -15, 1e-12);
        CHECK_NEAR(z * z * z - 3 * z, s, 1e-12);
        CHECK(out ? z >= 1 : z <= -1);
    }
    end(&w), end(&cube);
}

// ----------------------------------------------------------------------------------------- ways

static void run_way(const problem *p, fo_way way, double *y, fo_message *why)
{
    fo_text_model_def def = {.path = "branch.mo", .text = p->text};
    fo_text_model *model = fo_text_model_open(&def, why);
    fo_program_def program = fo_default_program_def();
    fo_run_def run = fo_default_run_def();
    run.stop = p->stop, program.way = way;
    bool good = model && fo_program_run_as(fo_text_model_system(model), &program, why) == FO_OK;
    fo_simulation *sim = good ? fo_simulation_create(fo_text_model_system(model), &run, why) : NULL;
    for (int i = 0; i <= 10; i++) {
        if (sim) fo_simulation_advance(sim, p->stop * i / 10);
        for (int j = 0; j < p->n; j++) {
            char name[20];
            snprintf(name, sizeof name, "y%d", j);
            y[i * MOST + j] = sim ? value(sim, name) : 0;
        }
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(every_way_follows_with_the_same_bits)
{
    static const fo_way ways[] = {FO_WAY_BYTECODE, FO_WAY_MEMORY, FO_WAY_NATIVE};
    for (uint64_t seed = 500; seed < 506; seed++) {
        double y[3][11 * MOST] = {{0}};
        const problem *p = make(seed);
        for (int k = 0; k < 3; k++) {
            fo_message why = {0};
            run_way(p, ways[k], y[k], &why);
            if (k > 0 && strstr(why.text, "compiler")) continue;
            if (why.text[0] || memcmp(y[0], y[k], sizeof y[0]) != 0)
                test_fail(__FILE__, __LINE__, "problem %u, way %d: other bits %s", (unsigned)seed,
                          k, why.text);
        }
    }
}

TEST_MAIN(TEST_ENTRY(a_branch_is_followed_or_the_run_ends),
          TEST_ENTRY(unknowns_that_turn_quickly_stay_on_their_branch),
          TEST_ENTRY(a_solution_may_stay_where_pieces_meet), TEST_ENTRY(transistors_that_are_off),
          TEST_ENTRY(states_that_follow_from_constraints_stay_on_their_branch),
          TEST_ENTRY(a_branch_that_ends_ends_the_run),
          TEST_ENTRY(where_one_solution_is_left_it_is_taken),
          TEST_ENTRY(every_way_follows_with_the_same_bits))
