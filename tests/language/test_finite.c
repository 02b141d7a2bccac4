/// Texts whose algebraic variables are undefined somewhere: the run ends there, and says why.
#include "run.h"

static const double pi = 3.14159265358979323846;

static void check_ends(const char *body, double expected, const char *words)
{
    char text[800];
    world w;
    snprintf(text, sizeof text,
             "model M\n  Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n  Real "
             "y; %s\nequation\n  der(x) = v;\n  der(v) = -x;\n  %s\nend M;\n",
             strstr(body, "der(z)") ? "Real z(start = 0, fixed = true);"
             : strstr(body, "d = ") ? "discrete Real d(start = 7, fixed = true);"
                                    : "",
             body);
    if (begin(&w, text, 20)) {
        fo_status status = fo_simulation_advance(w.sim, 20);
        const char *why = fo_simulation_message(w.sim)->text, *t = strstr(why, "t = ");
        if (isinf(expected)) {
            CHECK_STATUS(status, FO_REACHED, fo_simulation_message(w.sim));
        } else {
            CHECK_STATUS(status, FO_ERROR_NUMBER, fo_simulation_message(w.sim));
            CHECK_NEAR(t ? strtod(t + 4, NULL) : NAN, expected, 1e-7);
            CHECK_CONTAINS(why, words);
        }
    }
    end(&w);
}

// Without any row: x = sin t. What is undefined is so for longer than a step.
TEST(undefined_values_end_the_run)
{
    check_ends("y = sqrt(0.9 - x);", asin(0.9), "`y = sqrt(0.9 - x)` (line 7) is not a number");
    check_ends("y = log(x + 0.5);", pi + asin(0.5), "is ");
    check_ends("y = asin(x + 0.1);", asin(0.9), "is not a number");
    check_ends("y = (x + 0.9)^0.5;", pi + asin(0.9), "is not a number");
    check_ends("y = 1/noEvent(if x > 0.7 then 0 else 1);", asin(0.7), "is infinite");
    check_ends("y = min(1, sqrt(0.9 - x));", asin(0.9), "is not a number");
    check_ends("y = min(sqrt(0.9 - x), 1);", asin(0.9), "is not a number");
    check_ends("y = max(1, sqrt(0.9 - x));", asin(0.9), "is not a number");
    check_ends("y = max(sqrt(0.9 - x), 1);", asin(0.9), "is not a number");
    check_ends("y = min(1, sqrt(max(0, 0.9 - x)));", INFINITY, NULL);
    check_ends("y = 2*x;", INFINITY, NULL);
    check_ends("y = 1/(1 + x*x) + sqrt(1 + x^2) + log(exp(x)) + (1 + x^2)^1.5;", INFINITY, NULL);
}

// What stands in a branch is looked at only where the branch is taken, to the last ulp.
TEST(branches_protect)
{
    check_ends("y = if x > 0.5 then sqrt(x - 0.5) else 0;", INFINITY, NULL);
    check_ends("y = if x < 0.5 then sqrt(0.5 - x) else sqrt(x - 0.5);", INFINITY, NULL);
    check_ends("y = if x > 0.1 then log(x - 0.1) else 0;", INFINITY, NULL);
    check_ends("y = if time < 1.25 then sqrt(1.25 - time) else 1/(time - 1);", INFINITY, NULL);
    check_ends("y = if noEvent(x > 0.5) then sqrt(x - 0.5) else 0;", INFINITY, NULL);
}

// A relation that makes no moment is neither true nor false where it compares no numbers: the run
// ends if something rests on it. x = sin t.
TEST(relations_compare_numbers)
{
    check_ends("y = if noEvent(sqrt(0.9 - x) > 2) then 1 else 5;", asin(0.9),
               "`sqrt(0.9 - x) > 2` compares what is not a number");
    check_ends("y = if noEvent(not sqrt(0.9 - x) > 2) then 1 else 5;", asin(0.9), "compares");
    check_ends("y = if noEvent(asin(x + 0.1) < 2 and x > 0.5) then 1 else 5;", asin(0.9),
               "compares");
    check_ends("y = if noEvent(x < 0.7 or sqrt(0.9 - x) > 0) then 1 else 5;", asin(0.9),
               "compares");
    check_ends("y = if noEvent(x > -0.5) then 1 else if noEvent(log(x + 0.6) > 2) then 3 else 4;",
               pi + asin(0.6), "`log(x + 0.6) > 2`");
    check_ends("der(z) = if noEvent(sqrt(0.9 - x) > 2) then 1 else 5; y = 1;", asin(0.9),
               "compares");
    // nothing rests on it
    check_ends("y = if noEvent(x < 0.9 and sqrt(0.9 - x) > 0.1) then 1 else 5;", INFINITY, NULL);
    check_ends("y = if noEvent(x >= 0.9 or sqrt(0.9 - x) > 0.1) then 1 else 5;", INFINITY, NULL);
    check_ends("y = if noEvent(x > 0.9) then 1 else if noEvent(sqrt(0.9 - x) > 0.1) then 2 else 3;",
               INFINITY, NULL);
    check_ends("y = if noEvent(not (x < 0.9 and sqrt(0.9 - x) > 0.1)) then 1 else 5;", INFINITY,
               NULL);
    check_ends("y = if noEvent(abs(log(x + 2)) > 0.1) then 1 else 5;", INFINITY, NULL);
    // infinity can be compared
    check_ends("y = if noEvent(1/(x - 0.5) > 3) then 1 else 2;", INFINITY, NULL);
}

// A discrete variable gets its value in a moment.
// The same where moments compute something: samples, when-clauses, clocks, functions, and what is
// delayed. x = sin t is above 0.9 from 1.1198 on, and at 1.5.
TEST(relations_of_moments_compare_numbers)
{
    check_ends(
        "y = 1; when sample(0.5, 0.5) then d = if sqrt(0.9 - x) > 2 then 1 else 5; end when;", 1.5,
        "`d` is not a number");
    check_ends("y = 1; when sample(0.5, 0.5) then d = sign(sqrt(0.9 - x)); end when;", 1.5,
               "`d` is not a number");
    check_ends(
        "y = 1; when x > 0.95 then d = noEvent(if log(0.9 - x) < 0 then 1 else 5); end when;",
        asin(0.95), "`d` is not a number");
    check_ends("der(z) = 0; y = 1; when x > 0.95 then reinit(z, if sqrt(0.9 - x) > 2 then 1 else "
               "2); end when;",
               asin(0.95), "state 'z' is nan");
    check_ends("y = noEvent(sign(sqrt(0.9 - x)));", asin(0.9), "compares what is not a number");
    check_ends("y = delay(noEvent(if sqrt(0.9 - x) > 2 then 1 else 5), 0.1);", asin(0.9),
               "compares what is not a number");
    // nothing rests on it
    check_ends("y = 1; when sample(0.5, 0.5) then d = if x < 0.9 and sqrt(0.9 - x) > 2 then 1 else "
               "5; end when;",
               INFINITY, NULL);
    check_ends("y = 1; when sample(0.5, 0.5) then d = if x > 0.9 then 1 else sign(sqrt(0.9 - x)); "
               "end when;",
               INFINITY, NULL);
}

TEST(discrete_values_are_numbers)
{
    check_ends("y = x;\n  when time > 2.5 then\n    d = log(-time);\n  end when;", 2.5,
               "the discrete `d` is not a number");
    check_ends("y = x;\n  when time > 2.5 then\n    d = 1/(pre(d) - 7);\n  end when;", 2.5,
               "the discrete `d` is infinite");
    check_ends("y = x;\n  when time > 2.5 then\n    d = 1/(pre(d) - 6);\n  end when;", INFINITY,
               NULL);
}

typedef struct seen {
    size_t rows, bad;
} seen;

static fo_status look(void *self, const fo_row *row, fo_message *why)
{
    seen *s = self;
    (void)why;
    s->rows++;
    for (size_t i = 0; i < row->count; i++) s->bad += !isfinite(row->values[i]);
    return FO_OK;
}

// No row shows anything but numbers: also those just before and after the moments.
TEST(rows_are_numbers)
{
    world w;
    fo_message why = {0};
    seen s = {0};
    if (world_open(&w, "test.mo",
                   "model M\n  Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n"
                   "  Real y = if x > 0.3 then sqrt(x - 0.3) else if x > -0.2 then sqrt(0.3 - x) "
                   "else sqrt(-0.2 - x);\n"
                   "equation\n  der(x) = v;\n  der(v) = -x;\nend M;\n",
                   NULL)) {
        fo_run_def def = fo_default_run_def();
        fo_observer o = {.self = &s, .row = look, .interval = 0.01};
        def.stop = 50, def.observers = &o, def.observer_count = 1;
        w.sim = fo_simulation_create(fo_text_model_system(w.model), &def, &why);
        REQUIRE(w.sim);
        CHECK_STATUS(fo_simulation_advance(w.sim, 50), FO_REACHED, fo_simulation_message(w.sim));
        CHECK(s.rows > 5030);
        CHECK_INT(s.bad, 0);
    }
    end(&w);
}

TEST_MAIN(TEST_ENTRY(undefined_values_end_the_run), TEST_ENTRY(branches_protect),
          TEST_ENTRY(relations_compare_numbers), TEST_ENTRY(relations_of_moments_compare_numbers),
          TEST_ENTRY(discrete_values_are_numbers), TEST_ENTRY(rows_are_numbers))
