/// What statements have in common. Loops of a thousand statements and more, where the equations of
/// a model get names for what they share (equations/common.c): against the same model as equations,
/// against closed forms, and how long they take to translate.
#include <time.h>

#include "run.h"

enum { N = 1500 }; // sums of up to 1500 terms: far more than is looked at one by one

static char *text_of(const char *format, unsigned n)
{
    size_t size = strlen(format) + 32;
    char *text = malloc(size);
    if (text) snprintf(text, size, format, n);
    return text;
}

/// The same model twice: what the first says in statements, the second says in equations.
typedef struct twins {
    const char *name, *statements, *equations;
    double near; ///< how far they may be apart: 0 where nothing is iterated
} twins;

#define HEAD "model A parameter Integer n = %u; Real x[n], y[n];\n"
#define RATES                                                                                \
    "model A parameter Integer n = %u; Real x[n](each start = 1, each fixed = true), d[n], " \
    "y[n];\nequation der(x) = d;\n"

static const twins pairs[] = {
    {"a chain",
     HEAD "algorithm x[1] := sin(time); for i in 2:n loop x[i] := 0.9*x[i - 1] + time; end for;\n"
          "  y := 2*x; end A;\n",
     HEAD "equation x[1] = sin(time); for i in 2:n loop x[i] = 0.9*x[i - 1] + time; end for;\n"
          "  y = 2*x; end A;\n"},
    {"a running sum that is no variable",
     HEAD "  protected Real s; equation x = {sin(i*time) for i in 1:n};\nalgorithm s := 0;\n"
          "  for i in 1:n loop s := s + x[i]; y[i] := s*s; end for; end A;\n",
     HEAD "  Real s[n]; equation x = {sin(i*time) for i in 1:n}; s[1] = x[1];\n"
          "  for i in 2:n loop s[i] = s[i - 1] + x[i]; end for;\n"
          "  for i in 1:n loop y[i] = s[i]*s[i]; end for; end A;\n"},
    {"branches that make moments",
     HEAD "algorithm x[1] := 4*time; y[1] := 0; for i in 2:n loop\n"
          "  if mod(i, 100) == 0 and x[i - 1] > 1 + 0.01*i then x[i] := x[i - 1] - 1; y[i] := y[i "
          "- 1] + 1;\n"
          "  else x[i] := x[i - 1] + 0.01*time; y[i] := y[i - 1]; end if; end for; end A;\n",
     HEAD "equation x[1] = 4*time; y[1] = 0; for i in 2:n loop\n"
          "  if mod(i, 100) == 0 and x[i - 1] > 1 + 0.01*i then x[i] = x[i - 1] - 1; y[i] = y[i - "
          "1] + 1;\n"
          "  else x[i] = x[i - 1] + 0.01*time; y[i] = y[i - 1]; end if; end for; end A;\n"},
    {"rates",
     RATES "algorithm d[1] := -x[1]; for i in 2:n loop d[i] := 0.5*d[i - 1] - x[i]; end for;\n"
           "  y := x; end A;\n",
     RATES
     "  d[1] = -x[1]; for i in 2:n loop d[i] = 0.5*d[i - 1] - x[i]; end for; y = x; end A;\n"},
    {"a whole in a loop of equations",
     HEAD "  Real z(start = 0.3); equation z + z^3 = x[n] + time;\n"
          "algorithm x[1] := time + 0.1*z; y[1] := 0;\n"
          "  for i in 2:n loop x[i] := 0.5*x[i - 1] + time; y[i] := y[i - 1] + x[i]; end for;\n"
          "end A;\n",
     HEAD "  Real z(start = 0.3); equation z + z^3 = x[n] + time; x[1] = time + 0.1*z; y[1] = 0;\n"
          "  for i in 2:n loop x[i] = 0.5*x[i - 1] + time; y[i] = y[i - 1] + x[i]; end for;\n"
          "end A;\n",
     1e-12},
    {"a function with a loop",
     "model A function f input Real u[:]; output Real y[size(u, 1)]; algorithm y[1] := u[1];\n"
     "  for i in 2:size(u, 1) loop y[i] := 0.7*y[i - 1] + u[i]; end for; end f;\n"
     "  parameter Integer n = %u; Real x[n] = {cos(i*time) for i in 1:n}, y[n] = f(x); end A;\n",
     HEAD "equation x = {cos(i*time) for i in 1:n}; y[1] = x[1];\n"
          "  for i in 2:n loop y[i] = 0.7*y[i - 1] + x[i]; end for; end A;\n"},
    {"moments",
     "model A parameter Integer n = %u; discrete Real x[n](each start = 0, each fixed = true);\n"
     "  Real y[n]; protected Real s; equation y = x;\nalgorithm when sample(0.25, 0.25) then\n"
     "  s := time; for i in 1:n loop s := 0.9*s + pre(x[i]); x[i] := s - time; end for;\n"
     "  end when; end A;\n",
     "model A parameter Integer n = %u; discrete Real x[n](each start = 0, each fixed = true);\n"
     "  Real y[n]; discrete Real s[n](each start = 0, each fixed = true); equation y = x;\n"
     "  when sample(0.25, 0.25) then s[1] = 0.9*time + pre(x[1]);\n"
     "  for i in 2:n loop s[i] = 0.9*s[i - 1] + pre(x[i]); end for;\n"
     "  for i in 1:n loop x[i] = s[i] - time; end for; end when; end A;\n"},
    {"a start",
     "model A parameter Integer n = %u; Real x[n], y[n]; equation der(x) = -x; y = x;\n"
     "initial algorithm x[1] := 1; for i in 2:n loop x[i] := 0.9*x[i - 1] + 0.3; end for;\n"
     "end A;\n",
     "model A parameter Integer n = %u; Real x[n], y[n]; equation der(x) = -x; y = x;\n"
     "initial equation x[1] = 1; for i in 2:n loop x[i] = 0.9*x[i - 1] + 0.3; end for; end A;\n"},
    {"parameters of a function",
     "model A function f input Real q; input Integer n; output Real y[n]; algorithm y[1] := q;\n"
     "  for i in 2:n loop y[i] := 0.5*y[i - 1] + q*i; end for; end f;\n"
     "  parameter Integer n = %u; parameter Real q = 3, p[n] = f(q, n);\n"
     "  Real x[n] = p*time, y[n] = f(q*time, n); end A;\n",
     "model A parameter Integer n = %u; parameter Real q = 3; Real x[n], y[n], p[n];\n"
     "equation p[1] = q; y[1] = q*time; x = p*time; for i in 2:n loop p[i] = 0.5*p[i - 1] + q*i;\n"
     "  y[i] = 0.5*y[i - 1] + q*time*i; end for; end A;\n"},
};

static void compare(const twins *t)
{
    char *one = text_of(t->statements, N), *other = text_of(t->equations, N), name[32];
    world a = {0}, b = {0};
    bool good = one && other && begin(&a, one, 1) && begin(&b, other, 1);
    for (int k = 0; k <= 4 && good; k++)
        for (unsigned i = 1; i <= N; i += 71) {
            snprintf(name, sizeof name, k % 2 ? "x[%u]" : "y[%u]", i);
            double is = at(&a, 0.25 * k, name), wanted = at(&b, 0.25 * k, name);
            if (memcmp(&is, &wanted, sizeof is) == 0 || fabs(is - wanted) < t->near) continue;
            test_fail(__FILE__, __LINE__, "%s: %s at %g is %.17g, as equations %.17g", t->name,
                      name, 0.25 * k, is, wanted);
            k = 4;
            break;
        }
    if (!good) test_fail(__FILE__, __LINE__, "%s does not run", t->name);
    end(&a);
    end(&b);
    free(one);
    free(other);
}

TEST(statements_are_what_equations_are)
{
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) compare(&pairs[i]);
}

// What is asserted of each of many sums is asserted once, and at the right time.
TEST(asserts_in_a_long_loop)
{
    fo_message why = {0};
    char *text = text_of("model A parameter Integer n = %u; Real x[n]; algorithm x[1] := time;\n"
                         "  for i in 2:n loop x[i] := x[i - 1] + time;\n"
                         "    assert(x[i] < 750, \"too much\"); end for; end A;\n",
                         N);
    world w = {0};
    bool good = text && world_open(&w, "test.mo", text, NULL) && world_run(&w, 1, 1e-9);
    if (good) {
        CHECK_NEAR(at(&w, 0.4, "x[1500]"), 600, 1e-9);
        fo_status status = fo_simulation_advance(w.sim, 1);
        why = *fo_simulation_message(w.sim);
        CHECK(fo_failed(status));
        CHECK(strstr(why.text, "too much") != NULL);
        CHECK_NEAR(fo_simulation_time(w.sim), 0.5, 1e-6);
    }
    end(&w);
    free(text);
}

// -------------------------------------------------------------------------------------- the time

static double seconds_of(const char *format, unsigned n)
{
    struct timespec before, after;
    char *text = text_of(format, n);
    double least = INFINITY;
    for (int turn = 0; turn < 2; turn++) {
        fo_message why = {0};
        fo_text_model_def def = {.path = "test.mo", .text = text};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        fo_text_model *m = text ? fo_text_model_open(&def, &why) : NULL;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        if (!m) test_fail(__FILE__, __LINE__, "refused: %s", why.text);
        fo_text_model_close(m);
        double s = (double)(after.tv_sec - before.tv_sec) +
                   1e-9 * (double)(after.tv_nsec - before.tv_nsec);
        if (s < least) least = s;
    }
    free(text);
    return least;
}

// Eight times the statements take eight times as long. 64 would be the square; the limit lies
// between, where no other work on the machine leads to.
TEST(translation_is_as_long_as_the_text)
{
    enum { FEW = 2000, TIMES = 8 };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!strcmp(pairs[i].name, "rates")) continue; // their Jacobian has all entries
        double few = seconds_of(pairs[i].statements, FEW);
        double many = seconds_of(pairs[i].statements, FEW * TIMES);
        if (many > 3.5 * TIMES * few)
            test_fail(__FILE__, __LINE__, "%s: %g s for %d, %g s for %d", pairs[i].name, few, FEW,
                      many, FEW * TIMES);
    }
}

TEST_MAIN(TEST_ENTRY(statements_are_what_equations_are), TEST_ENTRY(asserts_in_a_long_loop),
          TEST_ENTRY(translation_is_as_long_as_the_text))
