/// Where constructs meet: functions in conditions, Booleans as subscripts, levels that count,
/// records of states, many subscripts of the run.
#include "samples.h"

#define ABOVE                                                                             \
    "  function above input Real u; output Boolean y; algorithm y := u > 1; end above;\n" \
    "  function level input Real u; output Integer k;\n"                                  \
    "  algorithm k := if u < 0.5 then 1 elseif u < 1 then 2 else 3; end level;\n"         \
    "  Integer n(start = 0, fixed = true); Real w(start = 0, fixed = true);\n"

// Relations in functions and in noEvent make no moments, unless a when or pre() waits for them.
static const sample waited_for[] = {
    {"a function as a condition",
     "model M\n" ABOVE "equation\n  der(w) = 1;\n"
     "  when above(w) then n = pre(n) + 1; end when;\nend M;\n",
     "n", 2, 1, 0},
    {"noEvent in a condition",
     "model M\n" ABOVE "equation\n  der(w) = 1;\n"
     "  when noEvent(integer(4*w) > 2) then n = integer(100*w + 0.5); end when;\nend M;\n",
     "n", 2, 75, 0},
    {"a Boolean of a function as a condition",
     "model M\n" ABOVE "  Boolean b; Boolean c;\nequation\n  der(w) = 1; b = above(w); c = not b;\n"
     "  when not c then n = integer(100*w + 0.5); end when;\nend M;\n",
     "n", 2, 100, 0},
    {"the change of an Integer of a function",
     "model M\n" ABOVE "  Integer k;\nequation\n  der(w) = 1; k = level(w);\n"
     "  when change(k) then n = pre(n) + k; end when;\nend M;\n",
     "n", 2, 5, 0},
    {"what follows from it is right between moments",
     "model M\n" ABOVE "  Integer k; parameter Real x[3] = {10, 20, 30};\n"
     "equation\n  der(w) = x[k]; k = level(time);\n"
     "  when change(k) then n = pre(n) + 1; end when;\nend M;\n",
     "w", 2, 45, 1e-6},
    {"a memory in a function",
     "model M\n" ABOVE "  function or_else input Boolean p; input Real u; output Boolean y;\n"
     "  algorithm y := p or u > 1; end or_else;\n  Boolean b(start = false, fixed = true);\n"
     "equation\n  der(w) = if b then -1 else 1; b = or_else(pre(b), w); n = 0;\nend M;\n",
     "w", 2, 0, 1e-9},
};

TEST(functions_that_are_waited_for)
{
    CHECK_ALL(waited_for);
    check_refused("model M\n"
                  "  function f input Real u; output Boolean y; protected Real s;\n"
                  "  algorithm s := 0; for i in 1:40 loop if u > i then s := s + 1; end if;\n"
                  "    end for; y := s > 20.5; end f;\n"
                  "  Integer n(start = 0, fixed = true);\n"
                  "equation\n  when f(30*time) then n = pre(n) + 1; end when;\nend M;\n",
                  "changes without a moment");
}

static const sample booleans[] = {
    {"a Boolean as a subscript in the run",
     "model M\n  parameter Real x[Boolean] = {5, 7}; Real y;\n"
     "equation\n  y = x[time > 1];\nend M;\n",
     "y", 2, 7, 0},
    {"and before it turns",
     "model M\n  parameter Real x[Boolean] = {5, 7}; Real y;\n"
     "equation\n  y = x[time > 1];\nend M;\n",
     "y", 0.5, 5, 0},
    {"an element that is assigned",
     "model M\n  function f input Integer n; output Real y; protected Real x[Boolean] = {0, 0};\n"
     "  algorithm for i in 1:n loop x[i > 2] := x[i > 2] + 1; end for; y := x[true]; end f;\n"
     "  Real y;\nequation\n  y = f(integer(time) + 3);\nend M;\n",
     "y", 2, 3, 0},
    {"several at once",
     "model M\n  parameter Real x[Boolean] = {5, 7}; Real y[2] = x[{true, false}];\n"
     "end M;\n",
     "y[1]", 1, 7, 0},
};

TEST(booleans_as_subscripts)
{
    CHECK_ALL(booleans);
}

// The relation compares with what it counts: true in the turn of its moment, false in the next.
static const sample levels[] = {
    {"a staircase",
     "model M\n  Integer n(start = 0, fixed = true); Real x(start = -0.1, fixed = true);\n"
     "equation\n  der(x) = 2;\n  n = if x > pre(n) then pre(n) + 1 else pre(n);\nend M;\n",
     "n", 2, 4, 0},
    {"with a Boolean between",
     "model M\n  Integer n(start = 0, fixed = true); Boolean b;\n"
     "equation\n  b = 2*time - 0.1 > pre(n);\n  n = pre(n) + (if b then 1 else 0);\nend M;\n",
     "n", 2, 4, 0},
    {"in a function",
     "model M\n  function f input Real x; input Integer p; output Integer n;\n"
     "  algorithm n := if x > p then p + 1 else p; end f;\n"
     "  Integer n(start = 0, fixed = true);\nequation\n  n = f(2*time - 0.1, pre(n));\nend M;\n",
     "n", 2, 4, 0},
};

TEST(levels_that_count)
{
    CHECK_ALL(levels);
}

#define RECORD                                  \
    "  record C Integer k(start = 0); end C;\n" \
    "  record R Integer n(start = 0); Real v[2]; C c; end R;\n"
#define STATES                                                                            \
    "  block A outer output R r; equation r.n = previous(r.n) + 1; r.v = {r.n, 2*r.n};\n" \
    "    r.c.k = r.n; end A;\n"                                                           \
    "  block B outer output R r; equation r.n = previous(r.n); r.v = {0, 0};\n"           \
    "    r.c.k = previous(r.c.k); end B;\n"                                               \
    "  A a; B b;\nequation\n  initialState(a);\n"                                         \
    "  transition(a, b, r.n >= 3, immediate = false);\n"                                  \
    "  transition(b, a, ticksInState() >= 2);\n"

// Ticks 1 to 3 count, then each second one does: at the eleventh it is 7.
static const sample records[] = {
    {"a record that states give",
     "model M\n" RECORD "  inner R r; Real u;\n" STATES
     "  u = sample(time, Clock(1, 10)) + 0*r.n;\nend M;\n",
     "r.c.k", 1.05, 7, 0},
    {"through a state around them",
     "model M\n" RECORD "  inner R r; Real u;\n"
     "  block S\n  inner outer output R r;\n" STATES "  end S;\n"
     "  block T outer output R r; equation r.n = 100; r.v = {1, 1}; r.c.k = 0; end T;\n"
     "  S s; T t;\nequation\n  u = sample(time, Clock(1, 10));\n  initialState(s);\n"
     "  transition(s, t, previous(r.n) > 50 and u > 0);\nend M;\n",
     "r.v[2]", 1.05, 14, 0},
};

TEST(records_that_states_give)
{
    CHECK_ALL(records);
}

// Each subscript is checked; what that costs is in proportion to their number.
TEST(many_subscripts_of_the_run)
{
    world w;
    REQUIRE(begin(&w,
                  "model M\n"
                  "  function f input Integer n; output Integer b; protected Integer w[3];\n"
                  "  algorithm w := {1, 2, 3}; b := 0;\n"
                  "    for i in 1:n loop for j in 1:n loop\n"
                  "      b := b + w[mod(b + i + j, 3) + 1];\n"
                  "    end for; end for; end f;\n"
                  "  Integer b;\nequation\n  b = f(integer(time) + 3);\nend M;\n",
                  2));
    int b = 0;
    for (int i = 1; i <= 4; i++)
        for (int j = 1; j <= 4; j++) b += (b + i + j) % 3 + 1;
    CHECK_NEAR(at(&w, 1.5, "b"), b, 0);
    end(&w);
}

TEST_MAIN(TEST_ENTRY(functions_that_are_waited_for), TEST_ENTRY(booleans_as_subscripts),
          TEST_ENTRY(levels_that_count), TEST_ENTRY(records_that_states_give),
          TEST_ENTRY(many_subscripts_of_the_run))
