/// Tables of the library, and what works with texts.
#include "samples.h"
#include "tables.h"

static bool begin_table(world *w, const char *smooth, const char *extra, const char *table)
{
    char text[6000];
    snprintf(text, sizeof text,
             "%smodel M parameter Real table[:, :] = %s;\n"
             "  parameter T1 t = T1(\"NoName\", \"NoName\", table, {2}, Smooth.%s, Extra.%s);\n"
             "  Real u = 6*time - 3; Real y = get1(t, 1, u);\nend M;\n",
             types, table, smooth, extra);
    return begin(w, text, 2);
}

// u runs from -3 to 9; the table from 0 to 4.
static double y_at(world *w, double u)
{
    return at(w, (u + 3) / 6, "y");
}

TEST(linear_and_constant)
{
    world w;
    static const char table[] = "[0, 1; 1, 3; 2, 2; 4, 6]";
    REQUIRE(begin_table(&w, "LinearSegments", "LastTwoPoints", table));
    static const double u[] = {-2, 0, 0.5, 1, 1.25, 2, 3, 4, 7},
                        y[] = {-3, 1, 2, 3, 2.75, 2, 4, 6, 12};
    for (int i = 0; i < 9; i++) CHECK_NEAR(y_at(&w, u[i]), y[i], 1e-12);
    end(&w);
    REQUIRE(begin_table(&w, "LinearSegments", "HoldLastPoint", table));
    CHECK_NEAR(y_at(&w, -2), 1, 0);
    CHECK_NEAR(y_at(&w, 1.5), 2.5, 1e-12);
    CHECK_NEAR(y_at(&w, 8), 6, 0);
    end(&w);
    REQUIRE(begin_table(&w, "ConstantSegments", "HoldLastPoint", table));
    CHECK_NEAR(y_at(&w, -1), 1, 0);
    CHECK_NEAR(y_at(&w, 1.5), 3, 0);
    CHECK_NEAR(y_at(&w, 3.9), 2, 0);
    CHECK_NEAR(y_at(&w, 5), 6, 0);
    end(&w);
    REQUIRE(begin_table(&w, "LinearSegments", "Periodic", table));
    for (double v = -2.9; v < 8.9; v += 0.37) {
        double r = v - floor(v / 4) * 4;
        double wanted = r < 1 ? 1 + 2 * r : r < 2 ? 3 - (r - 1) : 2 + 2 * (r - 2);
        CHECK_NEAR(y_at(&w, v), wanted, 1e-9);
    }
    end(&w);
}

// Curves pass through the points; a cubic's own points give a straight line where they lie on one;
// those that are monotone stay between neighbours.
TEST(curves)
{
    static const char *const kinds[] = {"ContinuousDerivative", "Monotone1", "Monotone2",
                                        "Modified"};
    for (int k = 0; k < 4; k++) {
        world w;
        REQUIRE(begin_table(&w, kinds[k], "LastTwoPoints", "[0, 0; 1, 1; 2, 1; 3, 4; 4, 5]"));
        static const double y[] = {0, 1, 1, 4, 5};
        for (int i = 0; i < 5; i++) {
            CHECK_NEAR(y_at(&w, i), y[i], 1e-9);
            for (double h = 0.1; i < 4 && h < 1; h += 0.2) {
                double value = y_at(&w, i + h), low = fmin(y[i], y[i + 1]),
                       high = fmax(y[i], y[i + 1]);
                if (k == 1 || k == 2) CHECK(value >= low - 1e-9 && value <= high + 1e-9);
            }
        }
        end(&w);
        REQUIRE(begin_table(&w, kinds[k], "LastTwoPoints", "[0, 1; 1, 3; 2, 5; 3, 7; 4, 9]"));
        for (double u = -2; u < 8; u += 0.7) CHECK_NEAR(y_at(&w, u), 1 + 2 * u, 1e-9);
        end(&w);
    }
}

// A table of time with a jump, as the library's block uses it.
static void check_time(const char *extra, double shift, double (*truth)(double), double from)
{
    char text[6000];
    snprintf(
        text, sizeof text,
        "%smodel M parameter Real table[:, :] = [0, 0; 0.2, 1; 0.2, 3; 0.5, 0];\n"
        "  parameter T0 t = T0(\"NoName\", \"NoName\", table, %g, {2}, Smooth.LinearSegments,\n"
        "    Extra.%s, %g);\n"
        "  discrete Real next(start = 0, fixed = true); Real y; Real x(start = 0, fixed = true);\n"
        "equation when {time >= pre(next), initial()} then next = next0(t, time); end when;\n"
        "  y = get0(t, 1, time, next, pre(next)); der(x) = y;\nend M;\n",
        types, from, extra, shift);
    world w;
    REQUIRE(begin(&w, text, 2));
    double integral = 0;
    for (int i = 0; i < 199; i++) {
        double t = 0.01 * i + 0.005;
        CHECK_NEAR(at(&w, t, "y"), truth(t), 1e-9);
        integral += 0.01 * truth(t); // exact: linear between multiples of 0.01
        CHECK_NEAR(at(&w, 0.01 * (i + 1), "x"), integral, 1e-7);
    }
    end(&w);
}

static double saw(double t)
{
    return t < 0 ? 5 * t : t < 0.2 ? 5 * t : 3 - 10 * (t - 0.2);
}
static double held(double t)
{
    return t > 0.5 ? 0 : saw(t);
}
static double periodic(double t)
{
    return saw(t - floor(t / 0.5) * 0.5);
}
static double late(double t)
{
    return t < 0.3 ? 0 : held(t - 0.3);
}

TEST(tables_of_time)
{
    check_time("LastTwoPoints", 0, saw, 0);
    check_time("HoldLastPoint", 0, held, 0);
    check_time("Periodic", 0, periodic, 0);
    check_time("HoldLastPoint", 0.3, late, 0.3);
}

// Tables with kinks and jumps where only some of them, or none, make events: their values are
// looked for between the events that there are. Between two multiples of 0.1 all are linear.
TEST(tables_of_time_with_few_events)
{
    static const struct {
        const char *points, *extra;
        double t[9], y[9];
        int count;
    } tables[] = {
        {"0, 1; 0.4, -2; 1, 2", "Periodic", {0, 0.4, 1}, {1, -2, 2}, 3},
        {"0, 1; 0, 3; 0.3, 2; 0.7, 0; 0.7, -4",
         "Periodic",
         {0, 0, 0.3, 0.7, 0.7},
         {1, 3, 2, 0, -4},
         5},
        {"-0.2, 1; 0.1, -2; 0.4, 0; 0.4, 2; 0.8, 1",
         "Periodic",
         {-0.2, 0.1, 0.4, 0.4, 0.8},
         {1, -2, 0, 2, 1},
         5},
        {"0, 1; 0.4, -2; 0.5, 0; 0.5, 2; 0.8, 1; 1.1, 5",
         "HoldLastPoint",
         {0, 0.4, 0.5, 0.5, 0.8, 1.1},
         {1, -2, 0, 2, 1, 5},
         6},
        {"0.2, 1; 0.4, -2; 0.6, 0; 0.6, 2; 0.8, 1; 1.1, 5",
         "HoldLastPoint",
         {0.2, 0.4, 0.6, 0.6, 0.8, 1.1},
         {1, -2, 0, 2, 1, 5},
         6},
        {"0.4, -2; 0.4, 3", "HoldLastPoint", {0.4, 0.4}, {-2, 3}, 2},
        {"0, -2; 0, 3", "HoldLastPoint", {0, 0}, {-2, 3}, 2},
        {"0.2, 1; 0.2, 9; 0.2, -1; 0.7, 2; 0.7, 5; 0.7, -9; 0.7, 0; 0.9, 1; 0.9, 7",
         "Periodic",
         {0.2, 0.2, 0.2, 0.7, 0.7, 0.7, 0.7, 0.9, 0.9},
         {1, 9, -1, 2, 5, -9, 0, 1, 7},
         9},
    };
    static const char *const events[] = {"Always", "AtDiscontinuities", "NoTimeEvents"};
    for (int k = 0; k < 24; k++) {
        const double *t = tables[k / 3].t, *y = tables[k / 3].y;
        int n = tables[k / 3].count, wrong = 0;
        char text[6000];
        snprintf(text, sizeof text,
                 "%smodel M parameter Real table[:, :] = [%s];\n  parameter T0 t = T0(\"NoName\", "
                 "\"NoName\", table, 0, {2}, Smooth.LinearSegments, Extra.%s, 0, Events.%s);\n"
                 "  discrete Real next(start = 0, fixed = true); Real y; Real x(start = 0, fixed = "
                 "true);\nequation when {time >= pre(next), initial()} then next = next0(t, time); "
                 "end when;\n  y = get0(t, 1, time, next, pre(next)); der(x) = y;\nend M;\n",
                 types, tables[k / 3].points, tables[k / 3].extra, events[k % 3]);
        world w;
        REQUIRE(begin(&w, text, 2));
        double integral = 0;
        for (int i = 0; i < 39; i++) {
            double at_time = 0.05 * i + 0.025, u = at_time, period = t[n - 1] - t[0];
            if (tables[k / 3].extra[0] == 'P') u -= floor((u - t[0]) / period) * period;
            int j = n;
            while (j > 0 && t[j - 1] > u) j--;
            double value = j == 0 ? y[0] : y[j - 1];
            if (j > 0 && j < n) value += (u - t[j - 1]) / (t[j] - t[j - 1]) * (y[j] - y[j - 1]);
            wrong += fabs(at(&w, at_time, "y") - value) > 1e-9;
            integral += 0.05 * value;
            wrong += fabs(at(&w, 0.05 * (i + 1), "x") - integral) > 1e-4;
        }
        if (wrong) fprintf(stderr, "table %d with %s: %d wrong\n", k / 3, events[k % 3], wrong);
        CHECK(wrong == 0);
        end(&w);
    }
}

// What is folded to the end of a period by rounding is the end of the last interval.
TEST(a_periodic_table_has_no_spikes_at_its_ends)
{
    char text[6000];
    snprintf(text, sizeof text,
             "%smodel M parameter T1 t = T1(\"NoName\", \"NoName\", [0, 0; 2, -3; 3, 2], {2},\n"
             "    Smooth.ConstantSegments, Extra.Periodic);\n"
             "  Real u = -exp(-60*time)/2; Real y = get1(t, 1, u);\nend M;\n",
             types);
    world w;
    REQUIRE(begin(&w, text, 2));
    for (double t = 0; t < 2; t += 0.05) CHECK_NEAR(at(&w, t, "y"), -3, 0);
    end(&w);
}

TEST(tables_that_cannot_be_read_are_refused)
{
    char text[6000];
    static const struct {
        const char *name, *file, *table, *part;
    } wrong[] = {{"a", "a.txt", "[0, 1]", "there is no file 'a.txt' to be read"},
                 {"a", "/etc/passwd", "[0, 1]", "there is no file '/etc/passwd' to be read"},
                 {"NoName", "a.txt", "[0, 1]", "the table of 'a.txt' has no name"},
                 {"a", "NoName", "fill(0.0, 0, 2)", "tables that are C code (usertab)"},
                 {"NoName", "NoName", "fill(0.0, 0, 2)", "the table is empty"},
                 {"NoName", "NoName", "[1, 0; 0, 1]", "must increase: 0 follows 1"},
                 {"NoName", "NoName", "[1, 0; 1, 1]", "must increase: 1 follows 1"},
                 {"NoName", "NoName", "[0, 1; 1e-320, 2]", "too near"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text,
                 "%smodel M parameter T1 t = T1(\"%s\", \"%s\", %s, {2}, Smooth.LinearSegments,\n"
                 "  Extra.HoldLastPoint); Real y = get1(t, 1, time); end M;\n",
                 types, wrong[i].name, wrong[i].file, wrong[i].table);
        check_refused(text, wrong[i].part);
    }
}

// u runs from -3 to 9, and the table from -4 to 5: the run ends where it leaves that.
TEST(a_table_without_extrapolation_ends_the_run)
{
    static const char *const kinds[] = {"LinearSegments", "ContinuousDerivative",
                                        "ConstantSegments", "Monotone1"};
    for (int k = 0; k < 4; k++) {
        world w;
        REQUIRE(begin_table(&w, kinds[k], "NoExtrapolation", "[-4, 0; 1, 3; 2, 3; 5, 0]"));
        CHECK_NEAR(y_at(&w, 1), 3, 1e-12);
        CHECK(fo_failed(fo_simulation_advance(w.sim, 2)));
        const char *said = fo_simulation_message(w.sim)->text;
        CHECK_CONTAINS(said, "t = 1.3333333");
        CHECK_CONTAINS(said, "a table without extrapolation is asked for 5, and has -4 to 5");
        end(&w);
    }
}

// Monotone curves begin and end as the lines there; steps go on as lines outside.
TEST(what_curves_and_steps_are_beside_the_table)
{
    static const char table[] = "[0, 1; 1, 3; 2, 2; 4, 8]";
    for (int k = 0; k < 3; k++) {
        static const char *const kinds[] = {"Monotone1", "Monotone2", "ConstantSegments"};
        world w;
        REQUIRE(begin_table(&w, kinds[k], "LastTwoPoints", table));
        for (double u = -2.5; u < 0; u += 0.5) CHECK_NEAR(y_at(&w, u), 1 + 2 * u, 1e-12);
        for (double u = 4.5; u < 9; u += 0.5) CHECK_NEAR(y_at(&w, u), 8 + 3 * (u - 4), 1e-12);
        end(&w);
    }
}

static const char strings[] =
    "function length input String s; output Integer n; external \"C\" n = "
    "ModelicaStrings_length(s); end length;\n"
    "function sub input String s; input Integer a; input Integer b; output String t; external "
    "\"C\" "
    "t = ModelicaStrings_substring(s, a, b); end sub;\n"
    "function find input String s; input String c; output Integer at; algorithm at := 0;\n"
    "  for i in 1:length(s) loop if at == 0 and sub(s, i, i) == c then at := i; end if; end for;\n"
    "end find;\n"
    "function twice input String s; input Integer n; output String t; algorithm t := \"\";\n"
    "  while length(t) < n loop t := t + s; end while; end twice;\n";

TEST(texts)
{
    char text[3000];
    world w;
    snprintf(text, sizeof text,
             "%smodel M parameter String s = \"Dyn11\"; parameter Integer at = find(s, \"n\");\n"
             "  parameter String c = sub(s, 1, 1) + sub(s, 4, 5); Real x = if c == \"D11\" then 10 "
             "else 0;\n"
             "  parameter Integer n = length(twice(s, 12)); Real y = x + at + 100*n;\nend M;\n",
             strings);
    REQUIRE(begin(&w, text, 2));
    CHECK_NEAR(at(&w, 1, "y"), 10 + 3 + 1500, 0);
    end(&w);
    snprintf(text, sizeof text, "%smodel M parameter String c = sub(\"abc\", 2, 7); end M;\n",
             strings);
    check_refused(text, "a String of 3 characters has no substring from 2 to 7");
}

// As the library's BooleanTable has it for an empty table: the branch that a parameter leaves out
// may have subscripts that are not there, and nothing else that is wrong.
TEST(a_branch_that_is_left_out_may_have_no_elements)
{
    static const char *const first =
        "model M parameter Real t[:] = fill(0.0, 0); parameter Integer n = size(t, 1);\n";
    static const struct {
        const char *rest, *refused;
    } texts[] = {
        {"Real y = if n > 0 then t[1] else 2;", NULL},
        {"Real y = if n < 1 then 2 else t[1];", NULL},
        {"Real y = if n > 2 then t[3] elseif n > 0 then t[1] else 2;", NULL},
        {"Real y = sum(if n > 0 then [t[1], 0; t, t] else [1, 1]);", NULL},
        {"Real y = if n < 1 then t[1] else 2;", "subscript 1 of 't' is beyond its size 0"},
        {"Real y = if time < 1 then 2 else t[1];", "subscript 1 of 't' is beyond its size 0"},
        {"Real y = if n > 0 then none + t[1] else 2;", "'none' is not declared"},
    };
    for (size_t i = 0; i < FO_COUNT(texts); i++) {
        char text[400];
        world w;
        snprintf(text, sizeof text, "%s  %s end M;\n", first, texts[i].rest);
        if (texts[i].refused)
            check_refused(text, texts[i].refused);
        else if (begin(&w, text, 1))
            CHECK_NEAR(at(&w, 0.5, "y"), 2, 0);
        if (!texts[i].refused) end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(linear_and_constant), TEST_ENTRY(curves), TEST_ENTRY(tables_of_time),
          TEST_ENTRY(tables_of_time_with_few_events),
          TEST_ENTRY(a_periodic_table_has_no_spikes_at_its_ends),
          TEST_ENTRY(tables_that_cannot_be_read_are_refused),
          TEST_ENTRY(a_table_without_extrapolation_ends_the_run),
          TEST_ENTRY(what_curves_and_steps_are_beside_the_table), TEST_ENTRY(texts),
          TEST_ENTRY(a_branch_that_is_left_out_may_have_no_elements))
