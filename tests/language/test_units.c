/// Units: sides of equations whose dimensions are known and differ are refused, nothing else is.
#include "samples.h"

// Whether a text is accepted; what is wrong with it goes to `said`.
static bool accepts(const char *text, bool no_units, char *said, size_t size)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = "test.mo", .text = text, .no_units = no_units};
    fo_text_model *m = fo_text_model_open(&def, &why);
    snprintf(said, size, "%s", why.text);
    fo_text_model_close(m);
    return m != NULL;
}

// A model with one equation for y, which has a unit.
static bool fits(const char *unit, const char *value, char *said, size_t size)
{
    char text[700];
    snprintf(text, sizeof text,
             "model M\n"
             "  parameter Real m(unit = \"kg\") = 2, c(unit = \"N/m\") = 3, n = 4;\n"
             "  Real x(unit = \"m\", start = 1), v(unit = \"m/s\"), phi(unit = \"rad\") = time;\n"
             "  Real T(unit = \"degC\") = 20, p(unit = \"bar\") = 1;\n"
             "  Real y(unit = \"%s\");\n"
             "equation\n"
             "  der(x) = v; m*der(v) = -c*x;\n"
             "  y = %s;\n"
             "end M;\n",
             unit, value);
    return accepts(text, false, said, size);
}

TEST(what_fits_is_accepted)
{
    static const char *const fine[][2] = {
        {"m", "x"},
        {"mm", "x"},
        {"m/s", "der(x)"},
        {"N", "m*der(v)"},
        {"kg.m/s2", "-c*x"},
        {"J", "c*x^2"},
        {"J", "m*v*v"},
        {"W", "c*x*v"},
        {"m", "sqrt(x*x)"},
        {"m", "x + v*time"},
        {"rad/s", "v/x"},
        {"Hz", "v/x"},
        {"1/s", "v/x"},
        {"N.m", "c*x*x"},
        {"N.m/rad", "c*x*x/phi"},
        {"K", "T"},
        {"Pa", "p"},
        {"Pa", "c*x/(x*x)"},
        {"m2/s3", "v*v/x*v"},
        {"m", "if v > 0 then x else 2*x"},
        {"m", "noEvent(abs(x))"},
        {"m", "max(x, 0)"},
    };
    char said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (!fits(fine[i][0], fine[i][1], said, sizeof said))
            test_fail(__FILE__, __LINE__, "%s = %s: %s", fine[i][0], fine[i][1], said);
}

TEST(elements_have_units_of_their_own)
{
    static const char model[] = "model M Real a[2](unit = {\"m\", \"s\"}) = {1, time};\n"
                                "  Real b(unit = \"%s\") = a[1], c(unit = \"%s\") = a[2]; end M;\n";
    static const char select[] =
        "model M Real x[2](start = {1, 1}, each fixed = true, stateSelect = {StateSelect.never,\n"
        "  StateSelect.always}); equation x[2] = x[1]; der(x[1]) = -x[2]; end M;\n";
    char said[FO_MESSAGE_SIZE], text[400];
    snprintf(text, sizeof text, model, "m", "s");
    if (!accepts(text, false, said, sizeof said)) test_fail(__FILE__, __LINE__, "%s", said);
    snprintf(text, sizeof text, model, "m", "m");
    CHECK(!accepts(text, false, said, sizeof said));
    CHECK_CONTAINS(said, "units do not fit");
    if (!accepts(select, false, said, sizeof said)) test_fail(__FILE__, __LINE__, "%s", said);
    CHECK(!accepts("model M Real a[3](unit = {\"m\", \"s\"}) = {1, 2, 3}; end M;", false, said,
                   sizeof said));
    CHECK_CONTAINS(said, "'unit' of 'a' must be a String, not String[2]");
}

// Numbers, variables and functions without units, and units that nobody knows, fit everything.
TEST(what_is_unknown_is_accepted)
{
    static const char *const fine[][2] = {
        {"m", "2"},      {"V", "sin(time)"}, {"V", "3*sin(time)"}, {"N", "n*x"}, {"m", "x + 1"},
        {"", "x"},       {"furlong", "v"},   {"m/s/s", "x"},       {"V", "x/n"}, {"m", "x^n"},
        {"N", "9.81*m"}, {"m", "x - 3*v"},   {"m", "time"},        {"%", "x"},   {"m..s", "x"},
        {"(m", "v"},     {"m-", "v"},
    };
    char said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (!fits(fine[i][0], fine[i][1], said, sizeof said))
            test_fail(__FILE__, __LINE__, "%s = %s: %s", fine[i][0], fine[i][1], said);
}

TEST(what_does_not_fit_is_refused_with_both_units)
{
    static const char *const wrong[][4] = {
        {"N", "der(x)", "'N'", "'m/s'"},
        {"m", "v", "'m'", "'m/s'"},
        {"J", "m*v", "'J'", "'m.kg/s'"},
        {"1", "x", "'1'", "'m'"},
        {"rad", "x", "'rad'", "'m'"},
        {"m", "sqrt(x)", "'m'", "'m0.5'"},
        {"N", "x*x", "'N'", "'m2'"},
        {"V", "c*x*v", "'V'", "'m2.kg/s3'"},
        {"m", "1/x*x*x/x/v*1 + x + v", "'m'", "'m/s'"},
        {"m", "if time > 1 then x else v", "'m'", "'m/s'"},
        {"kg", "max(x, v)", "'m'", "'m/s'"},
        {"m2", "x/v", "'m2'", "'s'"},
        {"m", "pre(n)*0 + der(phi)", "'m'", "'1/s'"},
    };
    char said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (fits(wrong[i][0], wrong[i][1], said, sizeof said))
            test_fail(__FILE__, __LINE__, "%s = %s is accepted", wrong[i][0], wrong[i][1]);
        if (!strstr(said, wrong[i][2]) || !strstr(said, wrong[i][3]) || !strstr(said, "units"))
            test_fail(__FILE__, __LINE__, "%s = %s: %s", wrong[i][0], wrong[i][1], said);
    }
}

static const char *const motion = "model M\n"
                                  "  Real x(unit = \"m\", start = 1), v(unit = \"N\");\n"
                                  "equation\n"
                                  "  der(x) = v;\n"
                                  "  v = -1;\n"
                                  "end M;\n";

TEST(the_place_is_that_of_the_equation)
{
    char said[FO_MESSAGE_SIZE];
    CHECK(!accepts(motion, false, said, sizeof said));
    CHECK(strstr(said, "test.mo:4:3: units do not fit: the left side of this equation has 'm/s', "
                       "the right 'N'"));
}

TEST(it_can_be_switched_off)
{
    char said[FO_MESSAGE_SIZE];
    CHECK(accepts(motion, true, said, sizeof said));
}

// Declarations, initial equations and connections, too.
TEST(it_holds_everywhere)
{
    static const char *const texts[] = {
        "model M parameter Real m(unit = \"kg\") = 1; parameter Real l(unit = \"m\") = m;\n"
        "end M;\n",
        "model M Real m(unit = \"kg\") = 1; Real l(unit = \"m\") = m; end M;\n",
        "model M Real x(unit = \"m\"), y(unit = \"kg\"); equation der(x) = 1; der(y) = 1;\n"
        "initial equation x = y; y = 1; end M;\n",
        "model M connector A Real e(unit = \"V\"); flow Real f; end A;\n"
        "  connector B Real e(unit = \"Pa\"); flow Real f; end B;\n"
        "  model P A p; equation p.e = 1; end P; model Q B q; equation q.f = 0; end Q;\n"
        "  P a; Q b; equation connect(a.p, b.q); end M;\n",
        "model M model P Real x(unit = \"m\"), v(unit = \"N\"); equation der(x) = v; v = 1;\n"
        "  end P; P p[2]; end M;\n",
    };
    char said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (accepts(texts[i], false, said, sizeof said))
            test_fail(__FILE__, __LINE__, "text %zu is accepted", i);
        CHECK(strstr(said, "units do not fit"));
        CHECK(accepts(texts[i], true, said, sizeof said));
    }
}

// A model in which '?' is `a` (in m) or `F` (in N).
static bool fits_with(const char *body, char with, char *said, size_t size)
{
    char text[1500], filled[500];
    size_t n = 0;
    for (const char *at = body; *at; at++) filled[n++] = *at == '?' ? with : *at;
    filled[n] = 0;
    snprintf(text, sizeof text,
             "model M\n"
             "  parameter Real a(unit = \"m\") = 4, F(unit = \"N\") = 5;\n"
             "  function f input Real u(unit = \"m\"); input Real n; output Real y(unit = \"m\");\n"
             "  algorithm y := n*u; end f;\n"
             "  function g input Real u[2](each unit = \"m\"); output Real y;\n"
             "  algorithm y := u[1]; end g;\n"
             "  function id input Real u; output Real y; algorithm y := u; end id;\n"
             "  model P parameter Real q(unit = \"m\", start = 1) = 1;\n"
             "    Real y(unit = \"m\") = q; end P;\n"
             "  Real x(unit = \"m\");\n"
             "equation der(x) = 0;\n"
             "public %s\n"
             "end M;\n",
             filled);
    return accepts(text, false, said, size);
}

// What compares, assigns, hands over or sets: accepted with `a`, refused with `F`.
TEST(all_that_must_be_alike_is_compared)
{
    static const char *const lists[][2] = {
        {"'m' and 'N' in one relation", "Boolean b = x > ?;"},
        {"'N' and 'm' in one relation", "Boolean b = ? <= x;"},
        {"'m' and 'N' in one relation", "Real y = if x < ? then 1 else 2;"},
        {"'m' and 'N' in one relation", "Real y = sin(if x < ? then 1 else 2);"},
        {"'m' and 'N' in one relation", "equation assert(x > -? or time > 3, \"no\");"},
        {"'m' and 'N' in one relation", "Integer k; equation when x > ? + 9 then k = 1; end when;"},
        {"'m' and 'N' in one relation",
         "Real y; algorithm y := 0; while y*1 + x > ? loop y := 1; end while;"},
        {"'x' has 'm', its new value 'N'", "equation when time > 1 then reinit(x, ?); end when;"},
        {"left side of this assignment has 'm', the right 'N'",
         "discrete Real d(unit = \"m\"); equation when time > 1 then d = ?; end when;"},
        {"left side of this assignment has 'm', the right 'N'",
         "Real d(unit = \"m\"); algorithm d := 1; if time > 1 then d := ?; end if;"},
        {"left side of this assignment has 'm', the right 'N'",
         "discrete Real d(unit = \"m\"); algorithm when time > 1 then d := ?; end when;"},
        {"argument 'u' of 'M.f' has 'm', it is called with 'N'", "Real y = f(?, 2);"},
        {"argument 'u' of 'M.f' has 'm', it is called with 'N'",
         "Real y = sin(f(n = 2, u = ?) + 1);"},
        {"argument 'u[2]' of 'M.g' has 'm', it is called with 'N'", "Real y = g({x, ?});"},
        {"'q' has 'm', its start 'N'", "parameter Real q(unit = \"m\", start = ?) = 1;"},
        {"'y' has 'm', its min 'N'", "Real y(unit = \"m\", min = ?) = 9;"},
        {"'y' has 'm', its max 'N'", "Real y(unit = \"m\", max = 2 + ?) = 0;"},
        {"'y' has 'm', its nominal 'N'", "Real y(unit = \"m\", nominal = ?) = 0;"},
        {"'p.q' has 'm', its value 'N'", "P p(q = ?);"},
        {"'p.q' has 'm', its start 'N'", "P p(q(start = ?));"},
        {"'p.y' has 'm', its max 'N'", "P p(y(max = ?));"},
        {"left side of this equation has 'm', the right 'N'",
         "Real y(unit = \"m\"); equation der(y) = 1; initial equation y = ?;"},
        {"left side of this equation has 'm', the right 'N'",
         "Real y(unit = \"m\"); equation if time > 1 then y = x; else y = ?; end if;"},
        {"left side of this equation has 'm', the right 'N'",
         "Real y(unit = \"m\"), i(unit = \"A\"); equation i + 0*y = 1;\n"
         "if time > 1 then y = ?; elseif time > 0.5 then i = 3; else i = 0; end if;"},
    };
    char said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!fits_with(lists[i][1], 'a', said, sizeof said))
            test_fail(__FILE__, __LINE__, "%s: %s", lists[i][1], said);
        bool taken = fits_with(lists[i][1], 'F', said, sizeof said);
        if (taken || !strstr(said, lists[i][0]))
            test_fail(__FILE__, __LINE__, "%s: %s", lists[i][1], taken ? "accepted" : said);
    }
}

TEST(functions_are_looked_into)
{
    static const char body[] = "model M Real y = h(2);\n"
                               "  function h input Real n; output Real y(unit = \"m\");\n"
                               "  protected Real k(unit = \"N\") = 1;\n"
                               "  algorithm y := %s; end h;\n"
                               "end M;\n";
    static const char *const values[] = {"k", "if k > 0 and y < k then 1 else 2"};
    char text[400], said[FO_MESSAGE_SIZE];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, body, values[i]);
        CHECK(!accepts(text, false, said, sizeof said));
        CHECK(strstr(said,
                     i ? "'m' and 'N' in one relation" : "this assignment has 'm', the right 'N'"));
    }
    snprintf(text, sizeof text, body, "2*n");
    CHECK(accepts(text, false, said, sizeof said));
    CHECK(!fits_with("Real y(unit = \"s\") = f(?, 2);", 'a', said, sizeof said));
    CHECK(strstr(said, "this equation has 's', the right 'm'"));
}

// A function whose inputs have no units takes anything; the branches of an if-equation may be for
// variables of different kinds, also inside of each other.
TEST(what_may_differ_is_accepted)
{
    static const char *const fine[] = {
        "Real y(unit = \"N\") = id(?); Real z(unit = \"m\") = id(?);",
        "Real y = f(2, ?);",
        "Real v(unit = \"V\"), i(unit = \"A\"); Boolean off = time > 1, q = time > 2;\n"
        "equation v + 10*i = 1; if off then i = 0; else v = 0; end if;",
        "Real v(unit = \"V\"), i(unit = \"A\"); Boolean off = time > 1, q = time > 2;\n"
        "equation v + 10*i = 1; if off then if q then i = 0; else v = 1; end if;\n"
        "else v = 2; end if;",
        "Boolean b = time > 3 and x > 1 and 2*x > ?*time;",
        "Real s; Boolean off = s < 0; Real v(unit = \"V\"), i(unit = \"A\"); equation v + 10*i = "
        "1;\n"
        "if off then v = s; i = 0; else v = 0; i = s; end if;",
        "Real s; equation if time > 1 then s = x; else s = ?; end if;",
        "connector U = input Real; connector Y = output Real;\n"
        "block A U u(unit = \"m\"); end A; block B U u(unit = \"N\"); end B;\n"
        "block S Y y = time; end S; A a1; B b1; S s1;\n"
        "equation connect(s1.y, a1.u); connect(s1.y, b1.u);",
    };
    char said[FO_MESSAGE_SIZE];
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (!fits_with(fine[i], 'F', said, sizeof said))
            test_fail(__FILE__, __LINE__, "%s: %s", fine[i], said);
}

// What has no unit gets it from an equation, through others, derivatives, sums and connections.
TEST(units_are_inferred)
{
    static const char *const wrong[] = {
        "Real v; equation der(x) = v; v = F;",
        "Real v; equation v = F; der(x) = v;",
        "Real a, b, d; equation d = -b; a = F; b = a; der(x) = d;",
        "Real v = F; equation der(x) = v;",
        "Real y(start = 0, fixed = true); equation der(y) = F; x = y;",
        "Real u, v; equation x = if time > 1 then u else v; u = sin(time); v = F;",
        "Real u, v; equation F = u + v; x = abs(u); v = 1;",
        "discrete Real n; equation when time > 1 then n = 1; end when; n = F; x = n;",
    };
    static const char *const fine[] = {
        "Real u; equation u = sin(phi); x = u;",        "Real v; equation der(x) = v; v = 2*F;",
        "Real v; equation der(x) = v; v = F*c;",        "Real v, w; equation v = F; w = x; ",
        "parameter Real k = 2; equation x = k; F = k;", "Real v; equation v = F + time; x = 1;",
        "Real v, w; equation v = x; w = v/c; F = 1;",
    };
    char text[400], said[FO_MESSAGE_SIZE];
    const size_t count = sizeof wrong / sizeof *wrong;
    for (size_t i = 0; i < count + sizeof fine / sizeof *fine; i++) {
        snprintf(text, sizeof text,
                 "model M parameter Real c = 3; Real x(unit = \"m\"), F(unit = \"N\");\n"
                 "Real phi(unit = \"rad\") = 1; %s end M;\n",
                 i < count ? wrong[i] : fine[i - count]);
        accepts(text, false, said, sizeof said);
        bool clashes = strstr(said, "units do not fit");
        if (clashes != (i < count)) test_fail(__FILE__, __LINE__, "%s: %s", text, said);
        if (clashes && !strstr(said, "has no unit of its own: line 2 gives it"))
            test_fail(__FILE__, __LINE__, "%s: %s", text, said);
    }
}

// A sum of very many terms, and expressions that are nested very deep, are not looked into for
// ever.
TEST(it_ends)
{
    enum { TERMS = 300 };
    char *text = malloc(20 * TERMS + 200), said[FO_MESSAGE_SIZE];
    REQUIRE(text);
    char *at =
        stpcpy(text, "model M Real x(unit = \"m\") = 1; Real y(unit = \"m\"); equation y = 0");
    for (int i = 0; i < TERMS; i++) at = stpcpy(at, i % 2 ? " + x" : " - x");
    stpcpy(at, "; end M;\n");
    if (!accepts(text, false, said, sizeof said)) test_fail(__FILE__, __LINE__, "%s", said);
    free(text);
}

TEST_MAIN(TEST_ENTRY(what_fits_is_accepted), TEST_ENTRY(elements_have_units_of_their_own),
          TEST_ENTRY(what_is_unknown_is_accepted),
          TEST_ENTRY(what_does_not_fit_is_refused_with_both_units),
          TEST_ENTRY(the_place_is_that_of_the_equation), TEST_ENTRY(it_can_be_switched_off),
          TEST_ENTRY(it_holds_everywhere), TEST_ENTRY(all_that_must_be_alike_is_compared),
          TEST_ENTRY(functions_are_looked_into), TEST_ENTRY(what_may_differ_is_accepted),
          TEST_ENTRY(units_are_inferred), TEST_ENTRY(it_ends))
