// Loops of equations in models as text: what is accepted, what is refused and in which words, how
// long large ones take, where the start lands, and that every way to run gives the same bits.
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../language/run.h"

// What the run says when it fails before `stop`; "" if it does not.
static const char *failure(const char *text, double stop)
{
    static fo_message kept;
    world w;
    kept = (fo_message){0};
    fo_text_model_def def = {.path = "test.mo", .text = text};
    w.model = fo_text_model_open(&def, &kept);
    if (!w.model) return kept.text;
    fo_run_def run = fo_default_run_def();
    run.stop = stop;
    w.sim = fo_simulation_create(fo_text_model_system(w.model), &run, &kept);
    if (w.sim && fo_simulation_advance(w.sim, stop) != FO_REACHED)
        kept = *fo_simulation_message(w.sim);
    end(&w);
    return kept.text;
}

#define PARTS                                                                                   \
    "  connector Pin Real v; flow Real i; end Pin;\n"                                           \
    "  model R parameter Real R = 1; Pin p, n; equation p.v - n.v = R*p.i; p.i + n.i = 0; end " \
    "R;\n"                                                                                      \
    "  model V parameter Real V = 1; Pin p, n; equation p.v - n.v = V; p.i + n.i = 0; end V;\n" \
    "  model G Pin p; equation p.v = 0; end G;\n"

// ------------------------------------------------------------------------------------- singular

TEST(a_circuit_without_ground_says_which_island_floats)
{
    const char *said = failure("model Float\n" PARTS "  V s; R a, b(R = 2); G g;\n"
                               "  V s2(V = 3); R c(R = 7), d(R = 3), e(R = 1.3);\n"
                               "equation\n"
                               "  connect(s.p, a.p); connect(a.n, b.p);\n"
                               "  connect(b.n, s.n); connect(s.n, g.p);\n"
                               "  connect(s2.p, c.p); connect(c.n, d.p); connect(d.n, s2.n);\n"
                               "  connect(c.n, e.p); connect(e.n, s2.n);\n"
                               "end Float;\n",
                               1);
    CHECK_CONTAINS(said, "singular");
    CHECK_CONTAINS(said, "`c.n.v`");
    CHECK_CONTAINS(said, "`s2.p.v`");
    CHECK_CONTAINS(said, "line "); // of the currents that sum up to nothing
    CHECK(strstr(said, "`a.") == NULL && strstr(said, "`b.") == NULL); // the grounded part
}

// Of the two sums of currents one says nothing; that the current is free would be wrong.
TEST(a_loop_without_ground_blames_no_current)
{
    const char *said = failure("model Loop\n" PARTS "  V s; R r;\n"
                               "equation\n"
                               "  connect(s.p, r.p); connect(s.n, r.n);\n"
                               "end Loop;\n",
                               1);
    CHECK_CONTAINS(said, "singular");
    CHECK_CONTAINS(said, "without ground");
    CHECK(strstr(said, "any value") == NULL);
}

TEST(equations_that_say_the_same_twice_are_named)
{
    const char *said = failure("model Twice\n"
                               "  Real a, b, c, d;\n"
                               "equation\n"
                               "  a + 3*b - c = 1;\n"
                               "  2*a + 6*b - 2*c = 2;\n"
                               "  a - b = d;\n"
                               "  d + c = 7;\n"
                               "end Twice;\n",
                               1);
    CHECK_CONTAINS(said, "singular");
    CHECK_CONTAINS(said, "line 4");
    CHECK_CONTAINS(said, "line 5");
    CHECK_CONTAINS(said, "`a`");
}

// As many equations as unknowns, but not for them: both sides are named.
TEST(a_structure_that_is_singular_is_named)
{
    const char *said = failure("model Both\n"
                               "  Real x, y, z, u;\n"
                               "equation\n"
                               "  x + y = 1;\n"
                               "  x - y = 2*time;\n"
                               "  x*y = u;\n"
                               "  u = x + 2*y;\n"
                               "end Both;\n",
                               1);
    CHECK_CONTAINS(said, "the equation u = x + 2 * y is one too many");
    CHECK_CONTAINS(said, "line 4, line 5, line 6");
    CHECK_CONTAINS(said, "nothing determines `z`");
}

// 1/3 + 1/3 + 1/3 - 1 and the like: nothing but rounding is left of the coefficient.
TEST(a_coefficient_that_is_rounding_is_singular)
{
    const char *said = failure("model Almost\n"
                               "  parameter Real p = 0.1, q = 0.2, r = 0.3;\n"
                               "  Real x, y, z;\n"
                               "equation\n"
                               "  x = p*z + q*z;\n"
                               "  y = r*z;\n"
                               "  x - y = 0*time;\n"
                               "end Almost;\n",
                               1);
    CHECK_CONTAINS(said, "singular");
}

// ------------------------------------------------------------------------------------- branches

// y^3 - 3 y = -x from y = 2 ends at x = 2, where only y = -2 remains.
TEST(a_branch_that_ends_is_not_left_in_silence)
{
    const char *said = failure("model Fold\n"
                               "  Real x(start = -2, fixed = true), y(start = 2), z;\n"
                               "equation\n"
                               "  der(x) = 1 + 0.1*y;\n"
                               "  y^3 - 3*y = -x;\n"
                               "  z = y + 1;\n"
                               "end Fold;\n",
                               6);
    CHECK(said[0] != 0);
    CHECK_CONTAINS(said, "`y`");
}

// The flow through an orifice: at rest the derivative of v |v| is zero, and the run begins there.
TEST(a_double_root_at_rest_is_found_and_left)
{
    world w;
    if (begin(&w,
              "model Orifice\n"
              "  Real v, p;\n"
              "equation\n"
              "  p = 4*sin(time);\n"
              "  v*abs(v) = p;\n"
              "end Orifice;\n",
              5)) {
        CHECK_NEAR(at(&w, 0, "v"), 0, 1e-150);
        CHECK_NEAR(at(&w, 1, "v"), 2 * sqrt(sin(1.0)), 1e-14);
        CHECK_NEAR(at(&w, 5, "v"), -2 * sqrt(-sin(5.0)), 1e-14);
    }
    end(&w);
}

// Underflow and rounding make exp(-746) = 0 and tanh(20) = 1: no solutions of the model's
// equations.
TEST(what_only_rounding_solves_has_no_solution)
{
    static const char *const equation[] = {"exp(x) = 0", "tanh(x) = 1", "exp(-x*x) = 0"};
    for (size_t i = 0; i < FO_COUNT(equation); i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "model None\n  Real x(start = 0.5);\nequation\n  %s;\nend None;\n", equation[i]);
        CHECK_CONTAINS(failure(text, 1),
                       "`x` cannot be solved at t = 0: Newton's method does not converge");
    }
}

// A loop that is given what is not a number says what that is: the first expression of those on
// which it depends, not one of a branch that is not taken.
TEST(what_is_not_a_number_before_a_loop_is_named)
{
    CHECK_CONTAINS(failure("model M\n  Real x(start = 0, fixed = true), y = 1/x, a, b;\n"
                           "  Real q = (if x < 1 then 2 else y) + sin(x)/x;\nequation\n"
                           "  der(x) = 1 + 0*a;\n  a*(2 + time) + b = q;\n"
                           "  a - b*(1 + time) = 2;\nend M;\n",
                           1),
                   "`a` cannot be solved at t = 0: `sin(x) / x` in them is not a number");
    CHECK_CONTAINS(failure("model M\n  Real x(start = 0, fixed = true), a, b, q;\nequation\n"
                           "  der(x) = 1;\n  a*(2 + time) + b = 1;\n  a - b*(1 + time) = 2;\n"
                           "  q^3*(1 + a*a) + q = sqrt(1 - x);\nend M;\n",
                           3),
                   "`sqrt(1 - x)` in them is not a number");
}

// Each row is on the branch on which the run began, however far apart rows and steps are.
static void check_followed(const char *text, double stop, double interval)
{
    world w;
    if (begin(&w, text, stop))
        for (int i = 0; i * interval <= stop; i++) CHECK_NEAR(at(&w, i * interval, "e"), 0, 1e-12);
    end(&w);
}

TEST(a_branch_is_followed_from_row_to_row)
{
    static const double interval[] = {0.05, 0.25, 1, 1.3};
    for (size_t i = 0; i < FO_COUNT(interval); i++) {
        check_followed("model States\n"
                       "  Real x(start = 0, fixed = true), y(start = 0), e;\n"
                       "equation\n"
                       "  der(x) = 5; sin(y - x) = 0; e = y - x;\n"
                       "end States;\n",
                       4, interval[i]);
        check_followed("model Time\n"
                       "  Real y(start = 0), e;\n"
                       "equation\n"
                       "  sin(y - 5*time) = 0; e = y - 5*time;\n"
                       "end Time;\n",
                       4, interval[i]);
        check_followed("model Swing\n"
                       "  Real y(start = 0), e;\n"
                       "equation\n"
                       "  sin(y - 20*sin(3*time)) = 0; e = y - 20*sin(3*time);\n"
                       "end Swing;\n",
                       4, interval[i]);
    }
}

// A switch whose resistance is 1e-5 or 1e5: a variable that is the small difference of two others
// is found to its own last digit.
TEST(small_differences_keep_their_digits)
{
    world w;
    const char *text = "model Switch\n"
                       "  parameter Real Ron = 1e-5, Goff = 1e-5, R = 100;\n"
                       "  Real s, v, i, vr, q(start = 0, fixed = true);\n"
                       "  Boolean off;\n"
                       "equation\n"
                       "  off = time > 0.5;\n"
                       "  v = s*(if off then 1 else Ron);\n"
                       "  i = s*(if off then Goff else 1);\n"
                       "  vr = R*i;\n"
                       "  v + vr = 10;\n"
                       "  der(q) = i;\n"
                       "end Switch;\n";
    if (begin(&w, text, 1)) {
        double v = 10 * 1e-5 / (100 + 1e-5);
        CHECK_NEAR(at(&w, 0.25, "v"), v, 4e-16 * v);
        CHECK_NEAR(at(&w, 1, "vr"), 10 * 1e-3 / (1 + 1e-3), 4e-18);
    }
    end(&w);
}

// --------------------------------------------------------------------------------------- scales

// A diode with a resistor, unknowns times `unit` and equations times `weight`: the same solution.
static double diode(double unit, double weight)
{
    char text[1000];
    world w;
    double value = NAN;
    snprintf(text, sizeof text,
             "model Diode\n"
             "  Real v, i, u, x(start = 0, fixed = true);\n"
             "equation\n"
             "  %.17g*(u + v) = %.17g*(1 + sin(time));\n"
             "  %.17g*u = %.17g*i;\n"
             "  %.17g*i = %.17g*(exp(v/(%.17g)) - 1);\n"
             "  der(x) = i;\n"
             "end Diode;\n",
             weight, weight * unit, 1 / weight, 100 / weight, weight * weight,
             weight * weight * 1e-3 * unit, 0.25 * unit);
    if (begin(&w, text, 1)) value = at(&w, 0.7, "v") / unit;
    end(&w);
    return value;
}

TEST(units_change_nothing_but_the_numbers)
{
    double one = diode(1, 1);
    for (int k = -12; k <= 12; k += test_count(12, 3))
        for (int m = -12; m <= 12; m += test_count(12, 6))
            CHECK_NEAR(diode(pow(10, k), pow(10, m)) / one, 1, 4e-15);
}

// ---------------------------------------------------------------------------------------- start

static void check_start(const char *text, const char *set, double to, const char *name,
                        double expected, double within)
{
    world w;
    if (begin(&w, text, 1)) {
        if (set)
            CHECK_STATUS(fo_simulation_set(w.sim, set, to), FO_OK, fo_simulation_message(w.sim));
        CHECK_NEAR(at(&w, 0, name), expected, within);
    }
    end(&w);
}

TEST(the_start_is_the_solution_nearest_to_the_start_values)
{
    const char *food = "model Food\n"
                       "  Real r(start = 30), f(start = 2), w(start = 4);\n"
                       "initial equation\n"
                       "  der(r) = 0; der(f) = 0; der(w) = 0;\n"
                       "equation\n"
                       "  der(r) = 0.1*r - 0.02*r*f - 0.02*r*w;\n"
                       "  der(f) = 0.02*r*f - 0.4*f - 0.04*f*w;\n"
                       "  der(w) = 0.08*f*w + 0.01*r*w - 0.4*w;\n"
                       "end Food;\n";
    check_start(food, NULL, 0, "r", 80.0 / 3, 1e-12);
    check_start(food, NULL, 0, "f", 5.0 / 3, 1e-13);
    check_start(food, NULL, 0, "w", 10.0 / 3, 1e-13);
    // Newton's first step from 0.05 goes to 20
    const char *waves = "model Waves\n"
                        "  Real x(start = 0.05);\n"
                        "initial equation\n"
                        "  cos(x) = 0;\n"
                        "equation\n"
                        "  der(x) = 1;\n"
                        "end Waves;\n";
    check_start(waves, NULL, 0, "x", acos(0), 1e-14);
    check_start(waves, "x", 4.5, "x", 3 * acos(0), 1e-14);
    check_start(waves, "x", -8, "x", -5 * acos(0), 1e-14);
    const char *four = "model Four\n"
                       "  Real x(start = 0.9);\n"
                       "initial equation\n"
                       "  der(x) = 0;\n"
                       "equation\n"
                       "  der(x) = x*(x - 1)*(x + 1)*(x - 5);\n"
                       "end Four;\n";
    static const double from[] = {0.9, 4.5, -0.7, 0.1, 7, -30};
    static const double to[] = {1, 5, -1, 0, 5, -1};
    for (int k = 0; k < 6; k++) check_start(four, "x", from[k], "x", to[k], 1e-14);
}

// Any two equal levels are steady; of those the nearest, in units of the start values.
TEST(a_start_with_a_line_of_solutions_takes_the_nearest_point)
{
    const char *vessels = "model Vessels\n"
                          "  Real x(start = 2, nominal = 1), y(start = 3, nominal = 1);\n"
                          "initial equation\n"
                          "  der(x) = 0; der(y) = 0;\n"
                          "equation\n"
                          "  der(x) = y - x; der(y) = x - y;\n"
                          "end Vessels;\n";
    double nearest = (2 / 4.0 + 3 / 9.0) / (1 / 4.0 + 1 / 9.0);
    check_start(vessels, NULL, 0, "x", nearest, 1e-12);
    check_start(vessels, NULL, 0, "y", nearest, 1e-12);
}

// ------------------------------------------------------------------------------------------ size

// Processor seconds from the text to the first values.
static double cost_of(const char *text, const char *name, double *value)
{
    world w;
    clock_t begun = clock();
    if (begin(&w, text, 1)) *value = at(&w, 0, name);
    double cost = (double)(clock() - begun) / CLOCKS_PER_SEC;
    end(&w);
    return cost;
}

static double chain(int n, double *value)
{
    char text[600], name[20];
    snprintf(text, sizeof text,
             "model Chain\n"
             "  constant Integer N = %d;\n"
             "  Real x[N];\n"
             "equation\n"
             "  2.5*x[1] - x[2] = time + 1;\n"
             "  for i in 2:N - 1 loop -x[i - 1] + 2.5*x[i] - x[i + 1] = 1; end for;\n"
             "  -x[N - 1] + 2.5*x[N] = 0;\n"
             "end Chain;\n",
             n);
    snprintf(name, sizeof name, "x[%d]", n / 2);
    return cost_of(text, name, value);
}

static double grid(int n, double *value)
{
    static const char form[] =
        "model Grid\n" PARTS "  model S Pin p; equation p.v = 1 + time; end S;\n"
        "  constant Integer N = %d;\n"
        "  R h[N, N - 1]; R u[N - 1, N]; S s; G g;\n"
        "equation\n"
        "  for i in 1:N loop for j in 1:N - 2 loop connect(h[i, j].n, h[i, j + 1].p); end for;\n"
        "  end for;\n"
        "  for i in 1:N - 2 loop for j in 1:N loop connect(u[i, j].n, u[i + 1, j].p); end for;\n"
        "  end for;\n"
        "  for i in 1:N - 1 loop\n"
        "    for j in 1:N - 1 loop connect(h[i, j].p, u[i, j].p); end for;\n"
        "    connect(h[i, N - 1].n, u[i, N].p);\n"
        "  end for;\n"
        "  for j in 1:N - 1 loop connect(h[N, j].p, u[N - 1, j].n); end for;\n"
        "  connect(h[N, N - 1].n, u[N - 1, N].n);\n"
        "  connect(s.p, h[1, 1].p); connect(g.p, h[N, N - 1].n);\n"
        "end Grid;\n";
    char text[2000];
    snprintf(text, sizeof text, form, n);
    return cost_of(text, "s.p.i", value);
}

// An idle machine of today needs a third of a second for each of the large ones.
TEST(large_loops_cost_what_their_size_is)
{
    double value = NAN;
    double small = chain(1000, &value), large = chain(10000, &value);
    CHECK_NEAR(value, 2, 1e-15); // 0.5 x = 1 far from the ends
    CHECK(large < 40 * small + 0.2);
    CHECK(large < (test_is_sanitized() ? 60 : 3));
    grid(2, &value);
    CHECK_NEAR(value, -1, 1e-15); // two ways of two resistors each
    grid(3, &value);
    CHECK_NEAR(value, -2.0 / 3, 1e-15); // corner to corner: 3/2
    small = grid(12, &value), large = grid(40, &value);
    CHECK(large < 40 * small + 0.2); // eleven times as many
    CHECK(large < (test_is_sanitized() ? 60 : 3));
}

// ---------------------------------------------------------------------------------------- memory

// With memory for n allocations only, n = 1, 2, ...: a status, no crash, nothing left behind.
TEST(every_allocation_fails_once)
{
    const char *text = "model M\n"
                       "  function say input Real x; input String w; output String s;\n"
                       "  algorithm\n"
                       "    if x > 1 then s := \"high \"; else s := \"low \"; end if;\n"
                       "    s := s + w;\n"
                       "  end say;\n"
                       "  Real x(start = 1), a(start = 1), b, c, d;\n"
                       "initial equation\n"
                       "  der(x) = 0;\n"
                       "equation\n"
                       "  der(x) = a - x^3;\n"
                       "  a + b + c = x; a - 2*b = 1 + time; b + 3*c = d; d^3 + d = a;\n"
                       "  assert(x < 100, say(x, \"x\"));\n"
                       "end M;\n";
    bool reached = false;
    for (long n = 1; n < 5000 && !reached; n++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, n);
        fo_text_model_def def = {.path = "m.mo", .text = text, .allocator = &memory.allocator};
        fo_text_model *m = fo_text_model_open(&def, &why);
        if (!m) CHECK_INT(why.status, FO_ERROR_MEMORY);
        fo_run_def run = fo_default_run_def();
        run.allocator = &memory.allocator, run.stop = 0.1;
        fo_simulation *sim = m ? fo_simulation_create(fo_text_model_system(m), &run, &why) : NULL;
        if (sim && fo_simulation_advance(sim, 0.1) == FO_REACHED) reached = n > memory.allocations;
        fo_simulation_destroy(sim);
        fo_text_model_close(m);
        CHECK_INT(memory.live, 0);
    }
    CHECK(reached);
}

// ----------------------------------------------------------------------------------------- texts

TEST(functions_may_make_texts)
{
    const char *form = "model Say\n"
                       "  function level input Real x; output String s;\n"
                       "  algorithm if x > 1.5 then s := \"high\"; else s := \"low\"; end if;\n"
                       "  end level;\n"
                       "  function say input Real x; input String what; output String s;\n"
                       "  protected String t;\n"
                       "  algorithm t := what + \" is \";\n"
                       "    s := t + String(x) + \" (\" + level(x) + \")\";\n"
                       "  end say;\n"
                       "  Real x(start = 0, fixed = true);\n"
                       "equation\n"
                       "  der(x) = 1;\n"
                       "  when time > %g then assert(false, say(x, \"level\")); end when;\n"
                       "end Say;\n";
    char text[1000];
    snprintf(text, sizeof text, form, 2.0);
    CHECK_CONTAINS(failure(text, 3), "level is 2 (high)");
    snprintf(text, sizeof text, form, 1.0);
    CHECK_CONTAINS(failure(text, 3), "level is 1 (low)");
}

// ------------------------------------------------------------------------------------------ ways

enum { MOST_VALUES = 400 };

typedef struct outcome {
    double values[MOST_VALUES];
    size_t count;
    fo_status status;
} outcome;

static char folder[] = "/tmp/foliot-test-XXXXXX";

static bool run_model(const char *path, const char *model, fo_way way, outcome *out)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = path, .model = model};
    fo_text_model *m = fo_text_model_open(&def, &why);
    if (!m) return false;
    fo_system system = fo_text_model_system(m);
    fo_program_def program = fo_default_program_def();
    program.way = way, program.folder = folder;
    fo_run_def run = fo_default_run_def();
    run.stop = 0.5, run.max_steps = 20000;
    bool there = fo_program_run_as(system, &program, &why) == FO_OK;
    fo_simulation *sim = there ? fo_simulation_create(system, &run, &why) : NULL;
    *out = (outcome){.count = 0};
    if (sim) {
        const fo_variables *lists[] = {&system.about->states, &system.about->discretes,
                                       &system.about->outputs};
        out->status = fo_simulation_advance(sim, run.stop);
        for (int l = 0; l < 3; l++)
            for (size_t i = 0; i < lists[l]->count && out->count < MOST_VALUES; i++) {
                fo_reference which;
                if (fo_system_find(system, lists[l]->list[i].name, &which, &why) == FO_OK)
                    out->values[out->count++] = fo_simulation_value(sim, which);
            }
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(m);
    return there && sim;
}

static int same_in_every_way(const char *path)
{
    static outcome first, other;
    if (!run_model(path, NULL, FO_WAY_BYTECODE, &first)) return 0; // a library, or nothing to run
    for (fo_way way = FO_WAY_MEMORY; way <= FO_WAY_NATIVE; way++) {
        if (!run_model(path, NULL, way, &other)) continue; // no compiler
        if (first.status != other.status || first.count != other.count ||
            memcmp(first.values, other.values, first.count * sizeof(double)) != 0)
            test_fail(__FILE__, __LINE__, "%s: way %d gives other bits", path, (int)way);
    }
    return 1;
}

static int all_of(const char *path)
{
    char file[700];
    int count = 0, number = 0;
    DIR *directory = opendir(path);
    if (!directory) return 0;
    for (struct dirent *e; (e = readdir(directory));) {
        size_t length = strlen(e->d_name);
        if (length < 4 || strcmp(e->d_name + length - 3, ".mo") != 0) continue;
        snprintf(file, sizeof file, "%s/%.200s", path, e->d_name);
        if (number++ % test_count(4, 1) == 0) count += same_in_every_way(file);
    }
    closedir(directory);
    return count;
}

TEST(every_model_has_the_same_bits_in_every_way)
{
    char command[64];
    REQUIRE(mkdtemp(folder));
    int count = all_of(FOLIOT_SOURCE_DIR "/tests/language/models");
    count += all_of(FOLIOT_SOURCE_DIR "/tests/program/loops");
    count += all_of(FOLIOT_SOURCE_DIR "/models/ball");
    count += all_of(FOLIOT_SOURCE_DIR "/models/pendulum");
    count += all_of(FOLIOT_SOURCE_DIR "/models/double-pendulum");
    CHECK(count >= test_count(3, 15));
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
}

TEST_MAIN(TEST_ENTRY(a_circuit_without_ground_says_which_island_floats),
          TEST_ENTRY(a_loop_without_ground_blames_no_current),
          TEST_ENTRY(equations_that_say_the_same_twice_are_named),
          TEST_ENTRY(a_structure_that_is_singular_is_named),
          TEST_ENTRY(a_coefficient_that_is_rounding_is_singular),
          TEST_ENTRY(a_branch_that_ends_is_not_left_in_silence),
          TEST_ENTRY(a_double_root_at_rest_is_found_and_left),
          TEST_ENTRY(what_only_rounding_solves_has_no_solution),
          TEST_ENTRY(what_is_not_a_number_before_a_loop_is_named),
          TEST_ENTRY(a_branch_is_followed_from_row_to_row),
          TEST_ENTRY(small_differences_keep_their_digits),
          TEST_ENTRY(units_change_nothing_but_the_numbers),
          TEST_ENTRY(the_start_is_the_solution_nearest_to_the_start_values),
          TEST_ENTRY(a_start_with_a_line_of_solutions_takes_the_nearest_point),
          TEST_ENTRY(large_loops_cost_what_their_size_is), TEST_ENTRY(every_allocation_fails_once),
          TEST_ENTRY(functions_may_make_texts),
          TEST_ENTRY(every_model_has_the_same_bits_in_every_way))
