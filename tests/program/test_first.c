// First values of whole models: of several starts the nearest, found together over all loops and
// relations; what the run begins with is what the initial system has.
#include "../language/run.h"

#ifndef TIMES
#define TIMES 1
#endif

static double first(const char *text, const char *name)
{
    world w;
    double value = NAN;
    if (begin(&w, text, 1)) value = at(&w, 0, name);
    end(&w);
    return value;
}

static fo_status begins(const char *text)
{
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    fo_status status = FO_ERROR_MODEL;
    world w;
    if (world_open(&w, "test.mo", text, NULL)) {
        w.sim = fo_simulation_create(fo_text_model_system(w.model), &run, &why);
        status = w.sim ? fo_simulation_advance(w.sim, 0.5) : why.status;
    }
    end(&w);
    return status;
}

// ------------------------------------------------------------------------------------- generated

// x from its roots, y from roots that lie around a multiple of x, z = if z > c then p else q, with
// p above c and q below it: all combinations agree with themselves.
enum { MOST = 3 };

typedef struct chain {
    int nx, ny;
    double rx[MOST], ry[MOST], a, c, p, q, start[3];
    char text[2000];
} chain;

static uint64_t state;

static double uniform(double a, double b)
{
    uint64_t z = state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return a + (b - a) * ((double)((z ^ (z >> 31)) >> 11) / (double)(UINT64_C(1) << 53));
}

static void make(chain *k, bool initial)
{
    k->nx = 2 + (int)uniform(0, MOST - 1), k->ny = 2 + (int)uniform(0, MOST - 1);
    for (int i = 0; i < k->nx; i++) k->rx[i] = 1.5 * i - 2 + uniform(-0.5, 0.5);
    for (int i = 0; i < k->ny; i++) k->ry[i] = 2 * i - 2 + uniform(-0.7, 0.7);
    k->a = uniform(-3, 3), k->c = uniform(-1, 1);
    k->p = k->c + uniform(0.2, 2), k->q = k->c - uniform(0.2, 2);
    for (int i = 0; i < 3; i++) k->start[i] = uniform(0.5, 2) * (uniform(-1, 1) < 0 ? -1 : 1);
    char *t = k->text, *e = t + sizeof k->text;
    t += snprintf(t, (size_t)(e - t), "model Chain\n");
    for (int i = 0; i < 3; i++)
        t += snprintf(t, (size_t)(e - t), "  Real %c(start = %.17g);\n", "xyz"[i], k -> start[i]);
    t += snprintf(t, (size_t)(e - t), "%sequation\n  ", initial ? "initial " : "");
    for (int i = 0; i < k->nx; i++)
        t += snprintf(t, (size_t)(e - t), "%s(x - (%.17g))", i ? "*" : "", k->rx[i]);
    t += snprintf(t, (size_t)(e - t), " = 0;\n  ");
    for (int i = 0; i < k->ny; i++)
        t += snprintf(t, (size_t)(e - t), "%s(y - (%.17g)*x - (%.17g))", i ? "*" : "", k->a,
                      k->ry[i]);
    t += snprintf(t, (size_t)(e - t), " = 0;\n  z = if z > %.17g then %.17g else %.17g;\n", k->c,
                  k->p, k->q);
    if (initial)
        t += snprintf(t, (size_t)(e - t), "equation\n  der(x) = 1; der(y) = 1; der(z) = 1;\n");
    snprintf(t, (size_t)(e - t), "end Chain;\n");
}

// False: another one is as near.
static bool nearest(const chain *k, double *best)
{
    double least = INFINITY, second = INFINITY;
    for (int i = 0; i < k->nx * k->ny * 2; i++) {
        double v[3], sum = 0;
        v[0] = k->rx[i % k->nx];
        v[1] = k->a * v[0] + k->ry[i / k->nx % k->ny];
        v[2] = i / (k->nx * k->ny) ? k->p : k->q;
        for (int j = 0; j < 3; j++)
            sum += (v[j] - k->start[j]) * (v[j] - k->start[j]) / (k->start[j] * k->start[j]);
        if (sum < least)
            second = least, least = sum, memcpy(best, v, sizeof v);
        else
            second = fmin(second, sum);
    }
    return second > least * (1 + 1e-6);
}

static void check(int count, bool initial)
{
    static chain k;
    for (int i = 0; i < count; i++) {
        double best[3];
        world w;
        make(&k, initial);
        if (!nearest(&k, best)) continue;
        if (begin(&w, k.text, 1))
            for (int j = 0; j < 3; j++) {
                double v = at(&w, 0, (const char *[]){"x", "y", "z"}[j]);
                if (!(fabs(v - best[j]) <= 1e-9))
                    test_fail(__FILE__, __LINE__, "problem %d: %c = %.9g, and nearer is %.9g\n%s",
                              i, "xyz"[j], v, best[j], k.text);
            }
        end(&w);
    }
}

TEST(loops_that_follow_from_another_are_chosen_together)
{
    state = 1;
    check(120 * TIMES, false);
}

TEST(first_values_of_states_are_chosen_together)
{
    state = 2;
    check(120 * TIMES, true);
}

// ------------------------------------------------------------------------------------- one by one

// The loop of the run, y^2 = x, has y = -3 nearer to its start value.
TEST(the_run_begins_on_the_branch_of_the_initial_equations)
{
    CHECK_NEAR(first("model A Real x; Real y(start = -3); initial equation y = 3; equation\n"
                     "  der(x) = 1; y^2 = x; end A;",
                     "y"),
               3, 1e-15);
    CHECK_NEAR(
        first("model B Real x; Real y(start = -3); Real z; initial equation z = 5; equation\n"
              "  der(x) = 1; y^2 = x; z = y + 2; end B;",
              "z"),
        5, 1e-15);
}

TEST(a_relation_that_depends_on_itself_is_as_the_start_value_has_it)
{
    CHECK_NEAR(first("model H Real x(start = 2); equation x = if x > 1 then 2 else 0; end H;", "x"),
               2, 0);
    CHECK_NEAR(first("model H Real x; equation x = if x > 1 then 2 else 0; end H;", "x"), 0, 0);
}

// With the relations false at first, and then in turn, nothing agrees.
TEST(a_start_is_found_beyond_relations_that_go_round)
{
    CHECK_NEAR(first("model R Real y(start = 2.69); equation\n"
                     "  2.65*y + 2.01*exp(0.33*y) + 0.48 +\n"
                     "  (if 2.58*y + 2.2 <= 0 then 0.94*sin(y) - 1.67*y*y + 2.6 else 0.58) +\n"
                     "  (if 0.62*y - 0.77 > 0 then 2.81*y*y + 2.09*sin(y) - 0.84\n"
                     "   else 2.3*y + 2.54) = 0; end R;",
                     "y"),
               -0.962518646363171, 1e-12);
}

// The slope is the same on both sides of the jump, and the equation is not linear for all that.
TEST(an_equation_that_jumps_with_its_unknown_is_not_linear)
{
    CHECK_NEAR(first("model I Real y(start = 1); initial equation y = if y > 1 then 3 else 1.5;\n"
                     "equation der(y) = 1; end I;",
                     "y"),
               3, 1e-15);
    CHECK_NEAR(first("model N Real y(start = 1); equation\n"
                     "  y = noEvent(if y > 1 then 3 else 1.5); end N;",
                     "y"),
               3, 1e-15);
    CHECK_INT(begins("model F Real y(start = 1); equation y + noEvent(floor(y)) = 3.5; end F;"),
              FO_ERROR_CONVERGE);
}

// At the start pre(n) is the start value of n, and n not: then pre(n) becomes n.
TEST(a_relation_with_pre_is_that_of_the_initial_system)
{
    static const char text[] =
        "model P Real x(start = 0.5, fixed = true); Integer n(start = 0), k(start = 0);\n"
        "  Boolean b; equation der(x) = 1; b = x > pre(n);\n"
        "  n = pre(n) + (if edge(b) then 1 else 0);\n"
        "  when sample(0.25, 0.5) then k = pre(k) + 1; end when; end P;";
    world w;
    if (begin(&w, text, 3)) {
        CHECK_NEAR(at(&w, 0, "n"), 1, 0);
        CHECK_NEAR(at(&w, 0.4, "n"), 1, 0);
        CHECK_NEAR(at(&w, 0.6, "n"), 2, 0);
        CHECK_NEAR(at(&w, 2.6, "n"), 4, 0);
        CHECK_NEAR(at(&w, 2.6, "k"), 5, 0);
    }
    end(&w);
}

// der(phi) is a state that has no name to give a start value to.
TEST(what_is_equal_to_a_nameless_state_gives_its_start_value)
{
    static const char text[] = "model W Real phi(start = 0.1); Real w(start = 2); equation\n"
                               "  w = der(phi); der(der(phi)) = -phi; end W;";
    CHECK_NEAR(first(text, "w"), 2, 0);
    CHECK_NEAR(first(text, "phi"), 0.1, 0);
}

// Of two that are always equal one is left; the start values of both hold.
TEST(fixed_start_values_of_equal_variables_must_agree)
{
    CHECK_INT(begins("model E parameter Real p = 1; Real v(start = p, fixed = true);\n"
                     "  Real w(start = 2, fixed = true); equation der(v) = -v; v = w; end E;"),
              FO_ERROR_MODEL);
    CHECK_INT(begins("model E Real v(start = 1, fixed = true), w(start = 1, fixed = true);\n"
                     "equation der(v) = -v; v = -w; end E;"),
              FO_ERROR_MODEL);
    CHECK_INT(begins("model E parameter Real p = 1; Real v(start = p, fixed = true);\n"
                     "  Real w(start = -1, fixed = true); equation der(v) = -v; v = -w; end E;"),
              FO_REACHED);
}

TEST_MAIN(TEST_ENTRY(loops_that_follow_from_another_are_chosen_together),
          TEST_ENTRY(first_values_of_states_are_chosen_together),
          TEST_ENTRY(the_run_begins_on_the_branch_of_the_initial_equations),
          TEST_ENTRY(a_relation_that_depends_on_itself_is_as_the_start_value_has_it),
          TEST_ENTRY(a_start_is_found_beyond_relations_that_go_round),
          TEST_ENTRY(an_equation_that_jumps_with_its_unknown_is_not_linear),
          TEST_ENTRY(a_relation_with_pre_is_that_of_the_initial_system),
          TEST_ENTRY(what_is_equal_to_a_nameless_state_gives_its_start_value),
          TEST_ENTRY(fixed_start_values_of_equal_variables_must_agree))
