/// State machines beside traces worked out by hand.
#include "samples.h"

// Up by two until ten is reached, down by one until one was left; ticks at 0.25 k.
TEST(counting_up_and_down)
{
    world w;
    static const int trace[] = {2, 4, 6, 8, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 3, 5, 7, 9, 11, 10};
    REQUIRE(begin(&w,
                  "model M\n  inner Integer i(start = 0); Integer c;\n"
                  "  block Up outer output Integer i; equation i = previous(i) + 2; end Up;\n"
                  "  block Down outer output Integer i; equation i = previous(i) - 1; end Down;\n"
                  "  Up up; Down down;\n"
                  "equation\n"
                  "  when Clock(1, 4) then c = i; end when;\n"
                  "  initialState(up);\n"
                  "  transition(up, down, i >= 10, immediate = false);\n"
                  "  transition(down, up, previous(i) <= 1);\nend M;\n",
                  6));
    for (int k = 0; k < 20; k++) CHECK_NEAR(at(&w, 0.25 * k + 0.1, "i"), trace[k], 0);
    end(&w);
}

// A state with two machines in it, beside another state; `LEAVES` is how the first is left.
#define HIERARCHY(leaves)                                                                    \
    "model M\n  inner Integer v(start = 0);\n  Outside whole; Jump jump;\n"                  \
    "  block Outside\n    inner Integer rounds(start = 0); inner outer output Integer v;\n"  \
    "    block Rise outer output Integer v; equation v = previous(v) + 2; end Rise;\n"       \
    "    block Fall outer output Integer v; equation v = previous(v) - 1; end Fall;\n"       \
    "    block Count outer output Integer rounds; equation rounds = previous(rounds) + 1;\n" \
    "    end Count;\n    block Nothing end Nothing;\n"                                       \
    "    block Watch outer input Integer v; Integer i(start = 0); Integer w;\n"              \
    "    equation i = previous(i) + 1; w = v; end Watch;\n"                                  \
    "    block Wait Integer j(start = 0); equation j = previous(j) + 1; end Wait;\n"         \
    "    Rise rise; Fall fall; Count count; Nothing over; Watch watch; Wait wait;\n"         \
    "  equation\n    initialState(rise);\n"                                                  \
    "    transition(rise, fall, v >= 6, immediate = false);\n"                               \
    "    transition(fall, count, v == 0, immediate = false);\n"                              \
    "    transition(count, rise, true, immediate = false, priority = 2);\n"                  \
    "    transition(count, over, rounds >= 2, immediate = false);\n"                         \
    "    initialState(watch);\n"                                                             \
    "    transition(watch, wait, watch.i > 20, immediate = false, reset = false);\n"         \
    "  end Outside;\n"                                                                       \
    "  block Jump outer output Integer v; equation v = previous(v) + 5; end Jump;\n"         \
    "equation\n  initialState(whole);\n  transition(whole, jump, " leaves                    \
    ", immediate = false);\n  transition(jump, whole, v >= 20, immediate = false);\nend M;\n"

static void check_hierarchy(const char *text)
{
    // twice up to 6 and down to 0 with a tick for the count, a tick at the end of each machine, up
    // by 5 to 20, and on from there: v is not declared in the state that begins anew
    static const int v[] = {2, 4, 6, 5, 4, 3, 2, 1, 0,  0,  2,  4,  6,  5,  4,
                            3, 2, 1, 0, 0, 0, 0, 5, 10, 15, 20, 22, 21, 20, 19};
    world w;
    REQUIRE(begin(&w, text, 50));
    for (int k = 0; k < 30; k++) {
        double t = k + 0.5;
        CHECK_NEAR(at(&w, t, "v"), v[k], 0);
        CHECK_NEAR(at(&w, t, "whole.v"), v[k], 0);
        CHECK_NEAR(at(&w, t, "activeState(whole)"), k < 22 || k >= 26, 0);
        CHECK_NEAR(at(&w, t, "activeState(whole.over)"), k == 20 || k == 21, 0);
        CHECK_NEAR(at(&w, t, "whole.rounds"), k < 9 || k >= 26 ? 0 : k < 19 ? 1 : 2, 0);
        CHECK_NEAR(at(&w, t, "whole.watch.i"), k < 21 ? k + 1 : k < 26 ? 21 : k - 25, 0);
        CHECK_NEAR(at(&w, t, "whole.watch.w"), k < 21 || k >= 26 ? v[k] : 0, 0);
        CHECK_NEAR(at(&w, t, "whole.wait.j"), k < 21 ? 0 : 1, 0);
    }
    // the second stay: down from 22 by the 48th tick, where watch.i is 23; `wait`, which was active
    // in the first one, begins anew when it is entered after 21 ticks of `watch`
    CHECK_NEAR(at(&w, 46.5, "whole.wait.j"), 1, 0);
    CHECK_NEAR(at(&w, 47.5, "whole.wait.j"), 1, 0);
    CHECK_NEAR(at(&w, 48.5, "whole.wait.j"), 2, 0);
    CHECK_NEAR(at(&w, 48.5, "v"), 0, 0);
    end(&w);
}

TEST(a_hierarchy_with_two_machines_in_a_state)
{
    check_hierarchy(HIERARCHY("activeState(whole.over) and activeState(whole.wait)"));
}

TEST(machines_of_a_state_are_waited_for)
{
    check_hierarchy(HIERARCHY("true, synchronize = true"));
}

#define TWO_STATES                                                                  \
    "  block S parameter Integer k = 1; Integer x(start = 7); Real y(start = 0.5);" \
    " equation x = previous(x) + k; y = 2*previous(y); end S;\n"                    \
    "  S a, b(k = 10);\n"

// Nine ticks in a second, from 0 on: the value at t lies in tick 1 + integer(9 t).
#define TICKING "  Integer c; equation when Clock(1, 9) then c = a.x + b.x; end when;\n"

static const sample of_states[] = {
    {"the condition of this tick, when it is immediate",
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, previous(a.x) >= 9); end M;\n",
     "a.x", 1, 9, 0},
    {"that of the last one, when it is delayed",
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, a.x >= 9, immediate = false); end M;\n",
     "a.x", 1, 9, 0},
    {"a delayed transition leaves a tick later than an immediate one",
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, previous(a.x) >= 9, immediate = false); end M;\n",
     "a.x", 1, 10, 0},
    {"no transition fires at the first tick",
     "model M" TWO_STATES TICKING "  initialState(a); transition(a, b, true); end M;\n", "a.x", 1,
     8, 0},
    {"what is not active stays",
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, ticksInState() >= 3, immediate = false); end M;\n",
     "a.y", 1, 4, 0},
    {"a state begins anew", // 3 ticks, 2 of the other, then 2
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, ticksInState() >= 3, immediate = false);\n"
     "  transition(b, a, ticksInState() >= 2, immediate = false); end M;\n",
     "a.x", 0.7, 9, 0},
    {"or goes on", // 3 ticks, 2 of the other, then 2
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, ticksInState() >= 3, immediate = false);\n"
     "  transition(b, a, ticksInState() >= 2, immediate = false, reset = false); end M;\n",
     "a.x", 0.7, 12, 0},
    {"the smaller number fires",
     "model M" TWO_STATES " S e(k = 100);" TICKING
     "  initialState(a); transition(a, b, true, priority = 2); transition(a, e, true); end M;\n",
     "e.x", 0.2, 107, 0},
    {"a self-transition counts ticks from one",
     "model M" TWO_STATES TICKING "  initialState(a);\n"
     "  transition(a, a, ticksInState() >= 3, immediate = false, reset = false); end M;\n",
     "a.x", 1, 17, 0},
    {"and resets, where it says so",
     "model M" TWO_STATES TICKING "  initialState(a);\n"
     "  transition(a, a, ticksInState() >= 3, immediate = false); end M;\n",
     "a.x", 0.99, 10, 0},
    {"five ticks in a state", // as in the text of the language: active at 1/9 .. 5/9
     "model M" TWO_STATES TICKING "  initialState(a); transition(a, b, true);\n"
     "  transition(b, a, ticksInState() >= 5, immediate = false); end M;\n",
     "activeState(b)", 0.64, 1, 0},
    {"and not six",
     "model M" TWO_STATES TICKING "  initialState(a); transition(a, b, true);\n"
     "  transition(b, a, ticksInState() >= 5, immediate = false); end M;\n",
     "activeState(b)", 0.7, 0, 0},
    {"a time in a state: 3/9 s have passed at its fourth tick",
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, timeInState() >= 0.3, immediate = false); end M;\n",
     "a.x", 1, 11, 0},
    {"of an immediate transition: as long as it would be",
     "model M" TWO_STATES TICKING
     "  initialState(a); transition(a, b, timeInState() >= 0.3); end M;\n",
     "a.x", 1, 10, 0},
    {"in a state itself", // 5 ticks, since 4/9 s
     "model M block S Real d; Integer n; equation d = timeInState(); n = ticksInState(); end S;\n"
     "  S a, b; Real c = sample(time, Clock(1, 9)) + a.d;\n"
     "equation initialState(a); transition(a, b, ticksInState() >= 6, immediate = false); end M;\n",
     "a.d", 0.5, 4 / 9., 1e-12},
    {"of a clock of a condition",
     "model M block S end S; S a, b; Boolean tick = sin(20*time) > 0; Integer n(start = 0);\n"
     "equation when Clock(tick) then n = previous(n) + (if activeState(a) then 1 else 0); end "
     "when;\n"
     "  initialState(a); transition(a, b, timeInState() > 0.6, immediate = false); end M;\n",
     "n", 2, 3, 0},
    {"equations that are not written for one variable", // x + y = previous(x) + 3, x - y = 1
     "model M block S Real x(start = 1), y; equation x + y = previous(x) + 3; x - y = 1; end S;\n"
     "  S a, b; Real c = sample(time, Clock(1, 9)) + a.x;\n"
     "equation initialState(a); transition(a, b, ticksInState() >= 2, immediate = false); end M;\n",
     "a.y", 2, 2.25, 1e-12},
    {"an algorithm", // 3 ticks, then 2 of the other, then anew
     "model M block S Integer x(start = 3), y; algorithm x := x + 1; y := 2*x;\n"
     "    if y > 10 then y := 10; end if; end S;\n"
     "  S a, b; Real c = sample(time, Clock(1, 9)) + a.x;\n"
     "equation initialState(a); transition(a, b, ticksInState() >= 3, immediate = false);\n"
     "  transition(b, a, ticksInState() >= 2, immediate = false); end M;\n",
     "a.x", 0.7, 5, 0},
    {"an algorithm of a state that is not active",
     "model M block S Integer x(start = 3), y; algorithm x := x + 1; y := 2*x;\n"
     "    if y > 10 then y := 10; end if; end S;\n"
     "  S a, b; Real c = sample(time, Clock(1, 9)) + a.x;\n"
     "equation initialState(a); transition(a, b, ticksInState() >= 3, immediate = false); end M;\n",
     "a.y", 2, 10, 0},
    {"an assertion of a state that is not active",
     "model M block S parameter Integer k = 1; Integer x(start = 0);\n"
     "    equation x = previous(x) + k; assert(x < 5, \"too large\"); end S;\n"
     "  S a, b(k = 0); Real c = sample(time, Clock(1, 9)) + a.x;\n"
     "equation initialState(a); transition(a, b, a.x >= 4, immediate = false); end M;\n",
     "a.x", 2, 4, 0},
    {"connected blocks in a state", // the delay has one tick: 0, 2, 2, then others
     "model M connector I = input Real; connector O = output Real;\n"
     "  block Gain I u; O y; equation y = 2*u; end Gain;\n"
     "  block Delay I u; O y; equation y = previous(u); end Delay;\n"
     "  block S Gain g; Delay d; O y; equation connect(g.y, d.u); connect(d.y, y);\n"
     "    g.u = previous(y) + 1; end S;\n"
     "  S a, b; Real c = sample(time, Clock(1, 9)) + a.y;\n"
     "equation initialState(a); transition(a, b, ticksInState() >= 2, immediate = false);\n"
     "  transition(b, a, ticksInState() >= 2, immediate = false, reset = false); end M;\n",
     "a.d.u", 0.6, 6, 0},
    {"outputs of two states connected to one input", // 10, 20, then 20, 40 of the other: the sum
     "model M connector I = input Integer; connector O = output Integer;\n"
     "  block Sum I u; Integer s(start = 0); equation s = previous(s) + u; end Sum;\n"
     "  block S O y; parameter Integer k = 1; Integer x(start = 0);\n"
     "    equation x = previous(x) + k; y = 10*x; end S;\n"
     "  S a, b(k = 2); Sum sum; Real c = sample(time, Clock(1, 9)) + a.x;\n"
     "equation connect(a.y, sum.u); connect(b.y, sum.u); initialState(a);\n"
     "  transition(a, b, ticksInState() >= 2, immediate = false); end M;\n",
     "sum.s", 0.4, 90, 0},
    {"a machine that moves something", // active from 2/9 s to 6/9 s
     "model M block S end S; S a, b; Real x(start = 0, fixed = true);\n"
     "  Boolean on; Boolean h = hold(on);\n"
     "equation when Clock(1, 9) then on = activeState(b); end when;\n"
     "  initialState(a); transition(a, b, ticksInState() >= 2, immediate = false);\n"
     "  transition(b, a, ticksInState() >= 4, immediate = false);\n"
     "  der(x) = if h then 9 else 0; end M;\n",
     "x", 0.7, 4, 1e-6},
    {"states in an array, and options that are parameters",
     "model M" TWO_STATES "  S s[3]; parameter Boolean now = true; parameter Integer first = 2;\n"
     "  Real c = sample(time, Clock(1, 9)) + s[1].x;\n"
     "equation initialState(s[1]);\n"
     "  for i in 1:2 loop transition(s[i], s[i + 1], ticksInState() >= 2, immediate = now,\n"
     "    priority = first); end for; end M;\n",
     "s[2].x", 2, 8, 0},
};

TEST(what_states_do)
{
    CHECK_ALL(of_states);
}

static const struct {
    const char *text, *part;
} wrong[] = {
    {"initialState(a); initialState(b); transition(a, b, true);", "one initial state"},
    {"transition(a, b, true);", "has no initial state"},
    {"initialState(a); initialState(a);", "initial state twice"},
    {"initialState(a); transition(a, r, true);", "'r' is a variable"},
    {"initialState(a); transition(a, q, true);", "'q' is a record"},
    {"initialState(a); transition(a, many, true);", "'many' is an array"},
    {"initialState(a); transition(a, 3, true);", "needs a state"},
    {"initialState(a); transition(a, t.c, true);", "lie in different ones"},
    {"initialState(a); transition(a, b, true); transition(a, a, true);",
     "two transitions leave 'a' with priority 1"},
    {"initialState(a); transition(a, b, true, priority = 0);", "at least 1"},
    {"initialState(a); transition(a, b);", "two states and a condition"},
    {"initialState(a); transition(a, b, true, imediate = false);", "no argument 'imediate'"},
    {"initialState(a); transition(a, b, 1);", "the condition of a transition"},
    {"initialState(a); transition(a, b, true, immediate = a.x > 3);", "immediate"},
    {"initialState(a); transition(a, b, a.x > 3);", "follows from 'a.x'"},
    {"initialState(a); transition(a, b, activeState(a));", "follows from 'activeState(a)'"},
    {"initialState(a); if r > 1 then transition(a, b, true); end if;", "known before the run"},
    {"initialState(a); when Clock(1.0) then transition(a, b, true); end when;",
     "not allowed inside of 'when'"},
    {"initialState(a); r = ticksInState();", "only in a state"},
    {"initialState(a); r = if activeState(b) then 1 else 0;", "'b' is not a state"},
    {"initialState(a); initialState(gives); initialState(alike);", "which can be active together"},
    {"initialState(takes);", "only what is 'outer output'"},
    {"initialState(flows);", "clocked equations only"},
    {"initialState(asks);", "clocked equations only"},
    {"initialState(steps);", "which is declared outside of it"},
};

TEST(what_the_language_forbids)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[1600];
        snprintf(
            text, sizeof text,
            "model M\n  block S Integer x(start = 0); equation x = previous(x) + 1; end S;\n"
            "  block Gives outer output Integer v; equation v = previous(v) + 1; end Gives;\n"
            "  block Takes outer Integer v; equation v = previous(v) + 1; end Takes;\n"
            "  block Flows Real y; equation der(y) = 1; end Flows;\n"
            "  block Asks discrete Real y; equation when time > 1 then y = 3; end when;\n"
            "  end Asks;\n"
            "  block Steps outer output Integer v; algorithm v := previous(v) + 1; end Steps;\n"
            "  block T S c; end T; record Q Real y; end Q;\n"
            "  inner Integer v(start = 0); S a, b, many[2]; T t; Q q; Real r; %s\n"
            "equation\n  %s\nend M;\n",
            strstr(wrong[i].text, "alike")   ? "Gives gives, alike;"
            : strstr(wrong[i].text, "takes") ? "Takes takes;"
            : strstr(wrong[i].text, "flows") ? "Flows flows;"
            : strstr(wrong[i].text, "asks")  ? "Asks asks;"
            : strstr(wrong[i].text, "steps") ? "Steps steps;"
                                             : "",
            wrong[i].text);
        check_refused(text, wrong[i].part);
    }
}

// Names of the operators are free for others.
TEST(names_that_texts_have_given)
{
    static const sample named[] = {
        {"a function",
         "model M function transition input Real x; output Real y; algorithm y := 2*x;\n"
         "  end transition; Real z = transition(time); end M;\n",
         "z", 1.5, 3, 1e-12},
        {"a variable", "model M Real initialState = 3*time; end M;\n", "initialState", 1, 3, 1e-12},
    };
    CHECK_ALL(named);
}

TEST_MAIN(TEST_ENTRY(counting_up_and_down), TEST_ENTRY(a_hierarchy_with_two_machines_in_a_state),
          TEST_ENTRY(machines_of_a_state_are_waited_for), TEST_ENTRY(what_states_do),
          TEST_ENTRY(what_the_language_forbids), TEST_ENTRY(names_that_texts_have_given))
