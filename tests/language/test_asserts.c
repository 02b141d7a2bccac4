/// Asserts are watched like guards, and belong to the branch that they stand in.
#include <stdint.h>

#include "run.h"

static uint64_t seed = 4711;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)(seed % below);
}

// Runs until something is refused; when that is, or INFINITY.
static double fails_at(const char *text, double stop, char *why, size_t size)
{
    world w;
    double t = NAN;
    if (begin(&w, text, stop)) {
        fo_status status = fo_simulation_advance(w.sim, stop);
        t = status == FO_REACHED ? INFINITY : NAN;
        const char *words = fo_simulation_message(w.sim)->text, *found = strstr(words, "at t = ");
        if (status == FO_ERROR_MODEL && found) t = strtod(found + 7, NULL);
        snprintf(why, size, "%s", words);
    }
    end(&w);
    return t;
}

static void check_fails(const char *text, double stop, double expected, double within,
                        const char *words)
{
    char why[FO_MESSAGE_SIZE];
    double t = fails_at(text, stop, why, sizeof why);
    if (isinf(expected) ? !isinf(t) : !(fabs(t - expected) <= within))
        test_fail(__FILE__, __LINE__, "fails at %.17g, expected %.17g: %s\n%s", t, expected, why,
                  text);
    if (words) CHECK_CONTAINS(why, words);
}

static const char circle[] = "  Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n"
                             "equation\n  der(x) = v;\n  der(v) = -x;\n";

static void check_circle(const char *assertion, double stop, double expected)
{
    char text[800];
    snprintf(text, sizeof text, "model M\n%s  %s\nend M;\n", circle, assertion);
    check_fails(text, stop, expected, 1e-7, NULL);
}

// x = sin t is above 0.999 for 0.09 s of every period, which steps pass over.
TEST(moments_at_which_conditions_turn_are_found)
{
    check_circle("assert(x < 0.999, \"x\");", 30, asin(0.999));
    check_circle("assert(x > -0.9999, \"x\");", 30, 3.14159265358979323846 + asin(0.9999));
    check_circle("assert(noEvent(x < 0.999), \"x\");", 30, asin(0.999));
    check_circle("assert(not (x > 0.5 and v < 0), \"x\");", 30, 3.14159265358979323846 / 2);
    check_circle("assert(x < 1.001, \"x\");", 30, INFINITY);
    check_circle("assert(x > 0 or v > 0 or time < 4, \"x\");", 30, 4);
    check_circle("assert(abs(x) < 0.9, \"x\");", 30, asin(0.9));
    check_circle("assert(if v > 0 then true else x > 0.5, \"x\");", 30,
                 3.14159265358979323846 - asin(0.5));
    check_circle("if v < 0 then\n    assert(x > 0.5, \"x\");\n  end if;", 30,
                 3.14159265358979323846 - asin(0.5));
    check_circle("if v < 0 then\n    assert(x > -2, \"x\");\n  else\n    assert(x < 0.9, \"x\");\n"
                 "  end if;",
                 30, asin(0.9));
}

// The same in algorithms, in functions, in all kinds of branches.
static const char functions[] =
    "function root\n  input Real x; output Real y;\nalgorithm\n"
    "  assert(x >= 0, \"negative\");\n  y := sqrt(x);\nend root;\n"
    "function choose\n  input Real x; output Real y;\nalgorithm\n"
    "  if x > 0.25 then\n    y := root(x - 0.25);\n  elseif x > 0 then\n    y := 1;\n"
    "    assert(x < 3, \"never\");\n  else\n    y := 0;\n    assert(x > -0.5, \"below\");\n  end "
    "if;\n"
    "end choose;\n"
    "function early\n  input Real x; output Real y;\nalgorithm\n"
    "  y := 0;\n  if x < 0 then\n    return;\n  end if;\n  y := root(x);\nend early;\n"
    "function positive\n  input Real x; output Boolean y;\nalgorithm\n"
    "  assert(x > 0, \"not positive\");\n  y := x > 0.5;\nend positive;\n";

static void check_call(const char *declared, double expected, const char *words)
{
    char text[2000];
    snprintf(text, sizeof text, "%smodel M\n  Real x(start = 1, fixed = true);\n  %s\n%s",
             functions, declared, "equation\n  der(x) = -1;\nend M;\n");
    check_fails(text, 3, expected, 1e-9, words);
}

TEST(functions_are_called_in_their_branch_only)
{
    check_call("Real y = root(x);", 1, "negative");
    check_call("Real y = if x > 0 then root(x) else 0;", INFINITY, NULL);
    check_call("Real y = if x >= 0 then root(x) else 0;", INFINITY, NULL);
    check_call("Real y = if x > -0.5 then root(x) else 0;", 1, "negative");
    check_call("Real y = noEvent(if x > 0 then root(x) else 0);", INFINITY, NULL);
    check_call("Real y = smooth(0, if x > 0 then root(x) else 0);", INFINITY, NULL);
    check_call("Real y = if time < 1 then root(1 - time) else root(time - 1);", INFINITY, NULL);
    check_call("Real y = if x > 0.5 then 0 else if x > 0 then root(x) else root(-x);", INFINITY,
               NULL);
    check_call("Real y = choose(x);", 1.5, "below");
    check_call("Real y = early(x);", INFINITY, NULL);
    check_call("Boolean y = x > 0.1 and positive(x);", INFINITY, NULL);
    check_call("Boolean y = x > -0.1 and positive(x);", 1, "not positive");
    check_call("Boolean y = x < 0.1 or positive(x);", INFINITY, NULL);
    check_call("Boolean y = x < -0.1 or positive(x);", 1, "not positive");
    check_call("Boolean y = if x > 0.1 then positive(x) else false;", INFINITY, NULL);
    check_call("Real y;\n  algorithm\n    if x > 0 then\n      y := root(x);\n    else\n"
               "      y := 1;\n    end if;",
               INFINITY, NULL);
    check_call("Real y;\n  algorithm\n    y := x;\n    if y < 0.5 then\n"
               "      assert(y > 0.25, \"too low\");\n    end if;",
               0.75, "too low");
}

// In a when only its moment counts; at the start only the start.
TEST(asserts_of_moments)
{
    check_call("Real y(start = 0, fixed = true);\n  equation\n  when time > 0.5 then\n"
               "    y = root(x);\n  end when;",
               INFINITY, NULL);
    check_call("Real y(start = 0, fixed = true);\n  equation\n  when time > 1.5 then\n"
               "    y = root(x);\n  end when;",
               1.5, "negative");
    check_call("Real y(start = 0, fixed = true);\n  equation\n  when x < 0.2 then\n"
               "    y = 1;\n    assert(time < 0.5, \"late\");\n  end when;",
               0.8, "late");
    check_call("Real y(fixed = false);\n  initial equation\n  y = root(x);\n  equation\n"
               "  der(y) = 0;",
               INFINITY, NULL);
    check_call("initial algorithm\n  assert(x > 0.5, \"start\");", INFINITY, NULL);
    check_call("initial algorithm\n  assert(x > 1.5, \"start\");", 0, "start");
}

// A ball keeps h >= 0: the bounce takes place in the moment in which that would turn.
TEST(condition_that_a_jump_restores)
{
    check_fails("model M\n  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                "equation\n  der(h) = v;\n  der(v) = -9.81;\n"
                "  when h <= 0 then\n    reinit(v, -0.8*pre(v));\n  end when;\n"
                "  assert(h >= 0, \"under the floor\");\nend M;\n",
                3, INFINITY, 0, NULL);
}

// ------------------------------------------------------------------------------------- generated

/// A tree of branches over x = t. A leaf asserts that x is below or above a number. Numbers are
/// multiples of 1/64 that differ, so that what is true is decided between them.
typedef struct tree {
    bool leaf, above;
    int bound; ///< in 1/64
    struct tree *yes, *no;
} tree;

static int used[64];
static int used_count;

static int fresh_bound(void)
{
    for (;;) {
        int b = 1 + (int)draw(254);
        int k = 0;
        while (k < used_count && used[k] != b) k++;
        if (k == used_count) return used[used_count++] = b;
    }
}

static tree pool[32];
static int pool_used;

static tree *grow(int depth)
{
    tree *t = &pool[pool_used++];
    *t = (tree){.leaf = depth == 0 || draw(4) == 0, .above = draw(2), .bound = fresh_bound()};
    if (!t->leaf) t->yes = grow(depth - 1), t->no = grow(depth - 1);
    return t;
}

static bool holds(const tree *t, double x)
{
    bool true_here = (x > t->bound / 64.0) == t->above;
    return t->leaf ? true_here : holds(true_here ? t->yes : t->no, x);
}

// The conditions as one writes them: with or without events, in and out of functions.
static size_t print_tree(const tree *t, char *to, size_t size)
{
    const char *op = t->above ? ">" : "<";
    if (t->leaf)
        return (size_t)snprintf(to, size, "need%s(x, %.17g)", t->above ? "Above" : "Below",
                                t->bound / 64.0);
    bool quiet = draw(3) == 0;
    size_t n =
        (size_t)snprintf(to, size, quiet ? "(if noEvent(x %s %.17g) then " : "(if x %s %.17g then ",
                         op, t->bound / 64.0);
    n += print_tree(t->yes, to + n, size - n);
    n += (size_t)snprintf(to + n, size - n, " else ");
    n += print_tree(t->no, to + n, size - n);
    return n + (size_t)snprintf(to + n, size - n, ")");
}

static double first_failure(const tree *t)
{
    for (int k = 0; k < 256; k++)
        if (!holds(t, (k + 0.5) / 64)) return k / 64.0;
    return INFINITY;
}

TEST(generated_branches)
{
    static char text[16384], expression[8192];
    int failing = 0;
    for (int i = 0; i < 200; i++) {
        used_count = pool_used = 0;
        tree *t = grow(4);
        double expected = first_failure(t);
        failing += isfinite(expected);
        print_tree(t, expression, sizeof expression);
        snprintf(text, sizeof text,
                 "function needAbove\n  input Real x, b; output Real y;\nalgorithm\n"
                 "  assert(x > b, \"not above\");\n  y := x;\nend needAbove;\n"
                 "function needBelow\n  input Real x, b; output Real y;\nalgorithm\n"
                 "  assert(x < b, \"not below\");\n  y := x;\nend needBelow;\n"
                 "model M\n  Real x(start = 0, fixed = true);\n  Real y = %s;\n"
                 "equation\n  der(x) = 1;\nend M;\n",
                 expression);
        check_fails(text, 4, expected, 1e-12, NULL);
    }
    CHECK(failing > 50 && failing < 200);
}

// --------------------------------------------------------------------------------------- warnings

typedef struct heard {
    int count;
    double t[16];
    char last[200];
} heard;

static void hear(void *self, double t, const char *text)
{
    heard *h = self;
    if (h->count < 16) h->t[h->count++] = t;
    snprintf(h->last, sizeof h->last, "%s", text);
}

TEST(warnings_are_given_whenever_a_condition_becomes_false)
{
    world w;
    heard h = {0};
    char text[600];
    fo_message why = {0};
    snprintf(text, sizeof text,
             "model M\n%s  assert(x < 0.5, \"x is \" + String(x), AssertionLevel.warning);\nend "
             "M;\n",
             circle);
    if (world_open(&w, "test.mo", text, NULL)) {
        fo_run_def def = fo_default_run_def();
        fo_observer o = {.self = &h, .note = hear, .interval = 0.01};
        def.stop = 20, def.rtol = 1e-9, def.observers = &o, def.observer_count = 1;
        w.sim = fo_simulation_create(fo_text_model_system(w.model), &def, &why);
        REQUIRE(w.sim);
        CHECK_STATUS(fo_simulation_advance(w.sim, 20), FO_REACHED, fo_simulation_message(w.sim));
        CHECK_INT(h.count, 4);
        for (int i = 0; i < h.count; i++)
            CHECK_NEAR(h.t[i], asin(0.5) + i * 2 * 3.14159265358979323846, 1e-7);
        CHECK_CONTAINS(h.last, "x is 0.5");
    }
    end(&w);
}

// Those of the start and of the end of a run.
TEST(asserts_of_the_start_and_the_end)
{
    static const struct {
        const char *initial, *equation;
        double at;
    } all[] = {
        {"assert(x > 2, \"small\");", "", 0},
        {"assert(x > 0.5, \"small\");", "", INFINITY},
        {"", "assert(not initial(), \"small\");", 0},
        {"", "assert(initial() or x < 2, \"small\");", INFINITY},
        {"", "if initial() then assert(x > 2, \"small\"); end if;", 0},
        {"", "if initial() then assert(x > 0.5, \"small\"); end if;", INFINITY},
        {"", "assert(terminal() == false or x > 2, \"small\");", 3},
        {"", "assert(terminal() == false or x < -1, \"small\");", INFINITY},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model A Real x(start = 1); initial equation x = 1; %s equation der(x) = -1; %s "
                 "end A;",
                 all[i].initial, all[i].equation);
        check_fails(text, 3, all[i].at, 0, isinf(all[i].at) ? NULL : "small");
    }
}

// A subscript that comes to lie outside of its array ends the run there, and only where the element
// is really asked for.
TEST(subscripts_are_within_their_arrays)
{
    static const struct {
        const char *words;
        double at;
    } all[] = {
        {"Real y = x[k];", 1},
        {"Real y = if k <= 3 then x[k] else 0;", INFINITY},
        {"Boolean y = k <= 3 and x[k] > 0;", INFINITY},
        {"Boolean y = k > 3 or x[k] > 0;", INFINITY},
        {"Real y = a[k - 1, 2];", 0},
        {"Real y = a[2, 3 - k];", 1},
        {"Real y = f(x, k);", 1},
        {"Real y = g(x, k);", INFINITY},
        {"Real y[3]; algorithm y := zeros(3); y[k] := time;", 1},
        {"Real y[3]; algorithm y := zeros(3); if k < 4 then y[k] := time; end if;", INFINITY},
        {"discrete Real y(start = 0); equation when time > 1.5 then y = x[k]; end when;", 1.5},
        {"discrete Real y(start = 0); equation when time > 0.5 then y = x[k]; end when;", INFINITY},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "model S\n"
                 "  function f input Real x[:]; input Integer k; output Real y; algorithm\n"
                 "    y := x[1]; if k > 1 then y := x[k]; end if; end f;\n"
                 "  function g input Real x[:]; input Integer k; output Real y; algorithm y := 0;\n"
                 "    for i in 1:6 loop if i > size(x, 1) then break; end if;\n"
                 "      y := y + x[i]*k; end for; end g;\n"
                 "  Real x[3] = {1, 2, time}, a[2, 2] = [1, 2; 3, time];\n"
                 "  Integer k = if time > 1 then 4 else 1;\n  %s\nend S;\n",
                 all[i].words);
        check_fails(text, 2, all[i].at, 1e-12, isinf(all[i].at) ? NULL : "outside of 1..");
    }
}

TEST_MAIN(TEST_ENTRY(subscripts_are_within_their_arrays),
          TEST_ENTRY(asserts_of_the_start_and_the_end),
          TEST_ENTRY(moments_at_which_conditions_turn_are_found),
          TEST_ENTRY(functions_are_called_in_their_branch_only), TEST_ENTRY(asserts_of_moments),
          TEST_ENTRY(condition_that_a_jump_restores), TEST_ENTRY(generated_branches),
          TEST_ENTRY(warnings_are_given_whenever_a_condition_becomes_false))
