/// What texts of libraries need: buses that grow, texts with their formats and texts as variables,
/// transforms and least squares that are answered here, constants of packages that types use, and
/// modes that the start values decide. Each with a value that follows from its meaning.
#include "samples.h"

#define BUS                                                                                  \
    "connector RealOutput = output Real; connector RealInput = input Real;\n"                \
    "expandable connector Bus end Bus;\n"                                                    \
    "model Source RealOutput y; parameter Real k = 1; equation y = k*time; end Source;\n"    \
    "model Sink RealInput u; Real twice = 2*u; end Sink;\n"                                  \
    "model Sensor Bus bus; Source s(k = 5); equation connect(s.y, bus.speed); end Sensor;\n" \
    "model Actor Bus bus; Sink a; equation connect(bus.speed, a.u); end Actor;\n"

static const sample buses[] = {
    {"a signal that nobody has declared",
     BUS "model M Bus bus; Source s(k = 3); Sink a; equation connect(s.y, bus.x);\n"
         "  connect(bus.x, a.u); end M;\n",
     "a.twice", 1, 6, 1e-12},
    {"from one part to another, through three buses",
     BUS "model M Bus bus; Sensor sensor; Actor actor; equation connect(sensor.bus, bus);\n"
         "  connect(bus, actor.bus); end M;\n",
     "actor.a.twice", 1, 10, 1e-12},
    {"whichever connection is written first",
     BUS "model M Bus bus; Sensor sensor; Actor actor; equation connect(bus, actor.bus);\n"
         "  connect(bus, sensor.bus); end M;\n",
     "actor.a.twice", 2, 20, 1e-12},
    {"elements in a loop",
     BUS "model M Bus bus; Source s[3](k = {1, 2, 4}); Sink a; equation\n"
         "  for i in 1:3 loop connect(s[i].y, bus.x[i]); end for; connect(bus.x[3], a.u); end M;\n",
     "a.twice", 1, 8, 1e-12},
    {"an array at once",
     BUS "model M Bus bus; Source s[2](k = {1, 3}); Sink a[2]; equation connect(s.y, bus.x);\n"
         "  connect(bus.x, a.u); end M;\n",
     "a[2].twice", 1, 6, 1e-12},
    {"what is declared and not connected is not there",
     BUS "expandable connector Full Real speed; Real unused; end Full;\n"
         "model M Full bus; Source s; Real z = bus.speed; equation connect(s.y, bus.speed); end "
         "M;\n",
     "z", 2, 2, 1e-12},
    {"sizes that follow from what is connected",
     BUS "expandable connector Open Real x[:]; end Open;\n"
         "model M Open bus; Source s[3](k = {1, 2, 3}); Real z = sum(bus.x); equation\n"
         "  connect(s.y, bus.x); end M;\n",
     "z", 1, 6, 1e-12},
    {"flows of a connector in a bus",
     BUS "connector Pin Real v; flow Real i; end Pin;\n"
         "model Load Pin p; equation p.v = 4*p.i; end Load;\n"
         "model Feed Pin p; equation p.v = 8; end Feed;\n"
         "model M Bus bus; Load a; Load b; Feed f; equation connect(a.p, bus.pin);\n"
         "  connect(b.p, bus.pin); connect(f.p, bus.pin); end M;\n",
     "f.p.i", 1, -4, 1e-12},
};

TEST(expandable_connectors)
{
    CHECK_ALL(buses);
    check_refused(BUS "model M Bus a; Bus b; equation connect(a.x, b.x); end M;\n",
                  "there is no 'x' in connector 'Bus'");
    check_refused(BUS "model M Bus bus; Source s; Real z = bus.other; equation\n"
                      "  connect(s.y, bus.x); end M;\n",
                  "nothing of this name is connected to it");
    check_refused(BUS "expandable connector Full Real speed; end Full;\n"
                      "model M Full bus; Source s; Real z = bus.speed; equation\n"
                      "  connect(s.y, bus.x); end M;\n",
                  "nothing is connected to it");
    check_refused(BUS "connector Pin Real v; flow Real i; end Pin;\n"
                      "model P Pin p; Bus bus; end P;\n"
                      "model M P a; equation connect(a.p, a.bus); end M;\n",
                  "only 'a.bus' is expandable");
}

// ---------------------------------------------------------------------------------- texts

// What the message of an assert that fails says.
static void check_said(const char *expression, const char *text)
{
    char model[600];
    snprintf(model, sizeof model,
             "type E = enumeration(one, two);\n"
             "model M Real x = 1234.5678; Real big = 1e100; Integer n = 42; Boolean b = true;\n"
             "  E e = E.two; Real y(start = 0, fixed = true); equation der(y) = 1;\n"
             "  assert(y < 0.5, \"<\" + %s + \">\"); end M;\n",
             expression);
    world w;
    if (begin(&w, model, 2)) {
        CHECK(fo_failed(fo_simulation_advance(w.sim, 1)));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, text);
    } else {
        test_fail(__FILE__, __LINE__, "%s", expression);
    }
    end(&w);
}

TEST(formats_of_values_of_the_run)
{
    check_said("String(x)", "<1234.57>");
    check_said("String(x, significantDigits = 3)", "<1.23e+03>");
    check_said("String(x, minimumLength = 10)", "<1234.57   >");
    check_said("String(x, minimumLength = 10, leftJustified = false)", "<   1234.57>");
    check_said("String(x, 8, 12, false)", "<   1234.5678>");
    check_said("String(x, format = \"12.3f\")", "<    1234.568>");
    check_said("String(x, format = \"-12.2e\")", "<1.23e+03    >");
    check_said("String(n)", "<42>");
    check_said("String(n, minimumLength = 5)", "<42   >");
    check_said("String(n, minimumLength = 5, leftJustified = false)", "<   42>");
    check_said("String(n, format = \"05d\")", "<00042>");
    check_said("String(n, format = \"x\")", "<2a>");
    check_said("String(b, minimumLength = 6, leftJustified = false)", "<  true>");
    check_said("String(e, minimumLength = 5)", "<two  >");
}

static const sample texts[] = {
    {"known values",
     "model M parameter Boolean same = String(3.14159265, significantDigits = 4) == "
     "\"3.142\" and String(1138, minimumLength = 8, leftJustified = false) == "
     "\"    1138\" and String(6565.35, format = \"2.0e\") == \"7e+03\" and "
     "String(true, minimumLength = 5) == \"true \";\n"
     "  Real x = if same then 1 else 0; end M;\n",
     "x", 1, 1, 0},
    {"a variable of type String, by its equation",
     "model M String s; Real x = if s == \"ab\" then 1 else 0; equation s = \"a\" + \"b\"; end "
     "M;\n",
     "x", 1, 1, 0},
    {"and by loops and branches",
     "model M String s[2]; Real x = if s[1] + s[2] == \"uv\" then 1 else 0; equation\n"
     "  for t in {\"u\", \"v\"} loop if t == \"u\" then s[1] = t; else s[2] = t; end if;\n"
     "  end for; end M;\n",
     "x", 1, 1, 0},
    {"the literal of the run",
     "type E = enumeration(one, two);\n"
     "model M E e = if time > 0.5 then E.two else E.one;\n"
     "  Real x = if String(e) == \"two\" then 1 else 0; end M;\n",
     "x", 1, 1, 0},
    {"a text that is no literal",
     "type E = enumeration(one, two);\n"
     "model M E e = if time > 0.5 then E.two else E.one;\n"
     "  Real x = if String(e) <> \"three\" then 1 else 0; end M;\n",
     "x", 1, 1, 0},
};

TEST(texts_that_are_known)
{
    CHECK_ALL(texts);
    check_refused("model M Real x = time; parameter String s = String(x, digits = 3); end M;\n",
                  "has no option 'digits'");
    check_refused("model M parameter String s = String(1.5, format = \"s\"); end M;\n",
                  "is no format of Real");
    check_refused("model M parameter String s = String(1.5, format = \"n%n\"); end M;\n",
                  "is no format of Real");
    check_refused("model M parameter String s = String(2, significantDigits = 3); end M;\n",
                  "has no option 'significantDigits'");
    check_refused("model M parameter String s = String(1.5, minimumLength = 100000); end M;\n",
                  "must lie between");
    check_refused("model M String s; end M;\n", "nothing gives the value of the String");
    check_refused("model M String s; equation s = \"a\"; s = \"b\"; end M;\n", "twice");
    check_refused(
        "model M String s; equation when time > 1 then s = pre(s) + \"a\"; end when; end M;\n",
        "the value of 's' depends on itself");
    check_refused("model M String s = s + \"a\"; end M;\n", "depends on itself");
}

// --------------------------------------------------------------------------- functions

#define TRANSFORM                                                                           \
    "function fft input Real u[:]; output Integer info;\n"                                  \
    "  output Real amplitudes[div(size(u, 1), 2) + 1]; output Real phases[div(size(u, 1), " \
    "2) + 1];\n"                                                                            \
    "  external \"C\" info = ModelicaFFT_kiss_fftr(u, amplitudes, phases); end fft;\n"

// A sine of amplitude 3 at the second frequency: |X| = 3 n/2, over n/2 + 1; its phase is -90
// degrees. The sizes have the factors 2, 3, 5 and 7.
#define LU                                                                                    \
    "function dgetrf input Real A[:, :]; output Real LU[size(A, 1), size(A, 2)];\n"           \
    "  output Integer pivots[min(size(A, 1), size(A, 2))]; output Integer info;\n"            \
    "  external \"FORTRAN 77\" dgetrf(A, LU, pivots, info); end dgetrf;\n"                    \
    "function dgetri input Real LU[:, size(LU, 1)]; input Integer pivots[size(LU, 1)];\n"     \
    "  output Real inv[size(LU, 1), size(LU, 2)]; output Integer info;\n"                     \
    "  external \"FORTRAN 77\" dgetri(LU, pivots, inv, info); end dgetri;\n"                  \
    "function dgetrs_vec input Real LU[:, size(LU, 1)]; input Integer pivots[size(LU, 1)];\n" \
    "  input Real b[size(LU, 1)]; output Real x[size(b, 1)]; output Integer info;\n"          \
    "  external \"FORTRAN 77\" dgetrs(LU, pivots, b, x, info); end dgetrs_vec;\n"             \
    "function dpotrf input Real A[:, size(A, 1)]; input Boolean upper = true;\n"              \
    "  output Real Acholesky[size(A, 1), size(A, 1)]; output Integer info;\n"                 \
    "  external \"FORTRAN 77\" dpotrf(A, upper, Acholesky, info); end dpotrf;\n"

static const sample functions[] = {
    {"a transform of 12 points",
     TRANSFORM "model M Real u[12] = {3*sin(2*3.14159265358979*2*(i - 1)/12) for i in 1:12};\n"
               "  Integer info; Real a[7]; Real p[7]; equation (info, a, p) = fft(u); end M;\n",
     "a[3]", 1, 18.0 / 7, 1e-12},
    {"of 30 points",
     TRANSFORM "model M Real u[30] = {3*cos(2*3.14159265358979*4*(i - 1)/30) for i in 1:30};\n"
               "  Integer info; Real a[16]; Real p[16]; equation (info, a, p) = fft(u); end M;\n",
     "a[5]", 1, 45.0 / 16, 1e-12},
    {"of 14 points",
     TRANSFORM "model M Real u[14] = {3*sin(2*3.14159265358979*3*(i - 1)/14) for i in 1:14};\n"
               "  Integer info; Real a[8]; Real p[8]; equation (info, a, p) = fft(u); end M;\n",
     "p[4]", 1, -1.5707963267948966, 1e-9},
    {"an odd size is said",
     TRANSFORM "model M Real u[3] = {1, 2, 4}; Integer info; Real a[2]; Real p[2];\n"
               "equation (info, a, p) = fft(u); end M;\n",
     "info", 1, 1, 0},
    // rows 1 and 3, then 2 and 3 are exchanged; in the run others than in the parameter
    {"factors of a matrix that is known",
     LU "model M parameter Real A[3, 3] = [0, 2, 1; 1, 1, 0; 4, 0, 3]; Real F[3, 3];\n"
        "  Integer p[3]; Integer i; Real d = F[1, 1]*F[2, 2]*F[3, 3];\n"
        "equation (F, p, i) = dgetrf(A); end M;\n",
     "d", 1, -10, 1e-12},
    {"and of one that is not: its determinant",
     LU "model M Real A[3, 3] = [1, time, 2; 3, 4, time; 5, 1, 6 + time]; Real F[3, 3];\n"
        "  Integer p[3]; Integer i; Real d = F[1, 1]*F[2, 2]*F[3, 3]*\n"
        "    product(if p[k] == k then 1 else -1 for k in 1:3);\n"
        "equation (F, p, i) = dgetrf(A); end M;\n",
     "d", 2, -32, 1e-12},
    {"of one with more rows than columns",
     LU "model M Real F[4, 2]; Integer p[2]; Integer i; Real s = 100*p[1] + 10*p[2] + F[3, 1];\n"
        "equation (F, p, i) = dgetrf([1, 2; 3, 4; 5, 7; time, 1]); end M;\n",
     "s", 2, 340.2, 1e-12},
    {"a singular one is said",
     LU "model M Real F[2, 2]; Integer p[2]; Integer i;\n"
        "equation (F, p, i) = dgetrf([1, time; 2, 2*time]); end M;\n",
     "i", 2, 2, 0},
    {"its inverse",
     LU "model M function inv input Real A[:, size(A, 1)]; output Real I[size(A, 1), size(A, 1)];\n"
        "  protected Real F[size(A, 1), size(A, 1)]; Integer p[size(A, 1)]; algorithm\n"
        "  (F, p) := dgetrf(A); I := dgetri(F, p); end inv;\n"
        "  parameter Real A[3, 3] = [0, 2, 1; 1, 1, 0; 4, 0, 3]; Real I[3, 3] = inv(A);\n"
        "  Real J[3, 3] = inv(A*(1 + time)); Real y = I[1, 2] + 10*I[2, 1] + 100*J[3, 1];\n"
        "end M;\n",
     "y", 1, 0.6 + 3 + 20, 1e-12},
    {"what it solves",
     LU "model M parameter Real A[3, 3] = [0, 2, 1; 1, 1, 0; 4, 0, 3]; Real F[3, 3];\n"
        "  Integer p[3]; Real x[3]; Real r = x*{1, 10, 100};\n"
        "equation (F, p) = dgetrf(A); x = dgetrs_vec(F, p, A*{time, 2, 3}); end M;\n",
     "r", 1, 321, 1e-10},
    {"the root of a positive definite one",
     LU
     "model M Real U[2, 2]; Integer i; Real L[2, 2]; Integer k; Real s = U[1, 2] + 10*L[2, 1] +\n"
     "  100*U[2, 2] + 1000*L[2, 2] + i + k;\n"
     "equation (U, i) = dpotrf([4, 2*time; 0, 10]); (L, k) = dpotrf([4, 0; 2*time, 10], false);\n"
     "end M;\n",
     "s", 1, 1 + 10 + 1100 * 3, 1e-9},
    {"one that is none",
     LU "model M Real U[2, 2]; Integer i;\n"
        "equation (U, i) = dpotrf([1, 2; 2, time]); end M;\n",
     "i", 2, 2, 0},
    {"least squares: the line through (0, 1), (1, 2), (2, 4), (3, 4)",
     "function dgelsy_vec input Real A[:, :]; input Real b[size(A, 1)]; input Real rcond = 0;\n"
     "  output Real x[max(size(A, 1), size(A, 2))]; output Integer info; output Integer rank;\n"
     "  external \"FORTRAN 77\" dgelsy(A, b, rcond, x, info, rank); end dgelsy_vec;\n"
     "model M Real x[4]; Integer info; Integer rank;\n"
     "equation (x, info, rank) = dgelsy_vec([1, 0; 1, 1; 1, 2; 1, 3], {1, 2, 4, 4}); end M;\n",
     "x[2]", 1, 1.1, 1e-12},
    {"external builtin",
     "function f input Real x; output Real y; external \"builtin\" y = sin(x); "
     "end f;\nmodel M Real z = f(time); end M;\n",
     "z", 1, 0.8414709848078965, 1e-15},
    {"a known Real of a function gives a size",
     "function f input Integer n; output Real y; protected Real a = ceil(n/4);\n"
     "  Real v[:] = {i*a for i in 1:integer(a)}; algorithm y := sum(v); end f;\n"
     "model M Real z = f(10)*time; end M;\n",
     "z", 1, 18, 1e-12},
    {"a constant whose function is called while another waits for it",
     "package P function half input Real x; output Real y; algorithm y := x/2; end half;\n"
     "  constant Real k = half(6); function uses input Real x; output Real y; algorithm y := "
     "k*x; end uses;\n"
     "end P;\nmodel M parameter Integer n = integer(P.uses(2)); Real v[n] = fill(time, n);\n"
     "  Real z = sum(v); end M;\n",
     "z", 1, 6, 1e-12},
    {"inputs and outputs by their types",
     "type U = input Real; type Y = output Real[2];\n"
     "function f U u; Y y; algorithm y := {u, 2*u}; end f;\n"
     "model M Real z[2] = f(time); end M;\n",
     "z[2]", 1, 2, 1e-12},
    {"arrays over Boolean by another name",
     "type B = Boolean; model M Real a[B] = {3, 4}; Real z = a[true]*time; end M;\n", "z", 1, 4,
     1e-12},
    {"a matrix of three dimensions, the last of size one",
     "model M Real a[2, 2, 1] = {{{1}, {2}}, {{3}, {4}}}; Real m[2, 2] = matrix(a);\n"
     "  Real z = m[2, 1]; end M;\n",
     "z", 1, 3, 1e-12},
};

TEST(functions_of_libraries)
{
    CHECK_ALL(functions);
    check_refused("function f input Real a; input Real b; output Real y;\n"
                  "  external \"builtin\" y = atan2(b, a); end f;\n"
                  "model M Real z = f(1, time); end M;\n",
                  "is not a built-in function of these arguments");
    check_refused("model M Real a[2, 2, 2] = ones(2, 2, 2); Real m[2, 2] = matrix(a); end M;\n",
                  "further ones of size 1");
}

// A package says about a type that it inherits what depends on its own constants.
static const sample packages[] = {
    {"a bound of an inherited type",
     "package Base type T = Real; end Base;\n"
     "package Middle constant Real least; extends Base(T(start = least)); end Middle;\n"
     "package Mine extends Middle(least = 7); end Mine;\n"
     "model M Mine.T x(fixed = true); equation der(x) = 0; end M;\n",
     "x", 1, 7, 1e-12},
    {"a text of a record in a loop",
     "package P record R Real v; String name; end R;\n"
     "  constant R r[2] = {R(1, \"a\"), R(2, \"b\")};\n"
     "  function f input Real x; output Real y; algorithm y := 0; for i in 1:2 loop\n"
     "    assert(r[i].v > x, \"of \" + r[i].name); y := y + r[i].v; end for; end f;\n"
     "end P;\nmodel M Real z = P.f(-time); end M;\n",
     "z", 1, 3, 1e-12},
};

TEST(packages_and_records)
{
    CHECK_ALL(packages);
}

// While both ports are taken for closed nothing determines their pressures, which can move
// together; the levels at the start say that they are open. Then la + lb stays, la - lb decays with
// rate 2.
TEST(modes_that_the_start_decides)
{
    static const sample start = {
        "two open ports",
        "model M Real la(start = 3, fixed = true); Real lb(start = 1, fixed = true);\n"
        "  Boolean a; Boolean b; Real pa; Real pb; Real qa; Real qb;\n"
        "equation a = la >= 0.5; b = lb >= 0.5; qa + qb = 0; qa = pa - pb;\n"
        "  if a then pa = la; else qa = 0; end if; if b then pb = lb; else qb = 0; end if;\n"
        "  der(la) = -qa; der(lb) = -qb; end M;\n",
        "la",
        1,
        2 + 0.1353352832366127,
        1e-5};
    check_all(&start, 1);
}

#define TIED(start)                                                                               \
    "model M Real x(start = 1, fixed = true); Real y(start = " start ", fixed = true); Real a;\n" \
    "equation der(x) = a; der(y) = -3*x - a; y = 2*x; end M;\n"

// Of two states that are tied together both start values are fixed: they must agree.
TEST(start_values_that_agree)
{
    static const sample tied = {"alike", TIED("2"), "y", 1, 2 * 0.36787944117144233, 1e-5};
    check_all(&tied, 1);
    world w;
    if (begin(&w, TIED("2.01"), 2)) {
        CHECK(fo_failed(fo_simulation_advance(w.sim, 1)));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "is fixed, but the other start values");
    }
    end(&w);
    // an initial equation for what follows from a state says it once more
    static const char again[] = "model M Real x, y; equation der(x) = -x; y = x + 1;\n"
                                "initial equation x = 1; y = %s; end M;\n";
    char text[200];
    snprintf(text, sizeof text, again, "2");
    if (begin(&w, text, 2)) CHECK_NEAR(at(&w, 1, "y"), 1.36787944117144233, 1e-6);
    end(&w);
    snprintf(text, sizeof text, again, "2.01");
    if (begin(&w, text, 2)) {
        CHECK(fo_failed(fo_simulation_advance(w.sim, 1)));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                       "the initial equation y = 2.01 does not hold");
    }
    end(&w);
}

// Lines of files that lie with a package, summed while the model is read: 3 - 4, 12, none in 7.5
// (it is no Integer) and in the empty line, -100; and a sixth line is not there.
static const char lines[] =
    "model M\n"
    "  function readLine input String fileName; input Integer lineNumber;\n"
    "    output String string; output Boolean endOfFile;\n"
    "    external \"C\" string = ModelicaInternal_readLine(fileName, lineNumber, endOfFile);\n"
    "  end readLine;\n"
    "  function countLines input String fileName; output Integer n;\n"
    "    external \"C\" n = ModelicaInternal_countLines(fileName);\n"
    "  end countLines;\n"
    "  function scan input String string; input Integer startIndex; input Boolean unsigned;\n"
    "    output Integer nextIndex; output Integer number;\n"
    "    external \"C\" ModelicaStrings_scanInteger(string, startIndex, unsigned, nextIndex, "
    "number);\n"
    "  end scan;\n"
    "  function total input String file; output Integer sum; output Integer count;\n"
    "  protected String line; Boolean over; Integer at; Integer next; Integer n; Integer i;\n"
    "  algorithm\n"
    "    sum := 0; count := 0; i := 1; over := false;\n"
    "    while not over loop\n"
    "      (line, over) := readLine(file, i); i := i + 1; at := 1; next := 0;\n"
    "      while next <> at and not over loop\n"
    "        next := at; (at, n) := scan(line, next, false);\n"
    "        if at <> next then sum := sum + n; count := count + 1; end if;\n"
    "      end while;\n"
    "    end while;\n"
    "  end total;\n"
    "  parameter String file = \"%s\";\n"
    "  parameter Integer lines = countLines(file);\n"
    "  Integer sum, count;\n"
    "equation\n"
    "  (sum, count) = total(file);\n"
    "end M;\n";

static fo_text_model *open_lines(const char *file, fo_message *why)
{
    static const char *const libraries[] = {FOLIOT_SOURCE_DIR "/tests/language/library", NULL};
    char text[3000];
    snprintf(text, sizeof text, lines, file);
    fo_text_model_def def = {.path = "test.mo", .text = text, .libraries = libraries};
    return fo_text_model_open(&def, why);
}

TEST(lines_of_files)
{
    fo_message why = {0};
    world w = {.model = open_lines("modelica://Marks/numbers.txt", &why)};
    if (!w.model) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (w.model && world_run(&w, 1, 1e-9)) {
        CHECK_NEAR(at(&w, 1, "sum"), 3 - 4 + 12 - 100, 0);
        CHECK_NEAR(at(&w, 1, "count"), 4, 0);
        CHECK_NEAR(at(&w, 1, "lines"), 5, 0);
    }
    end(&w);
}

// Nothing else is to be seen: no absolute path, nothing above a package, nothing beside a text that
// is no file.
TEST(other_files_are_not_seen)
{
    static const char *const files[] = {"/etc/hostname",
                                        FOLIOT_SOURCE_DIR "/tests/language/library/Open.mo",
                                        "modelica://Marks/../Open.mo",
                                        "modelica://Marks/x/../../Open.mo",
                                        "modelica://Marks",
                                        "modelica://Nowhere/numbers.txt",
                                        "modelica://Marks/none.txt",
                                        "../language/library/Open.mo",
                                        "numbers.txt",
                                        ""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        fo_message why = {0};
        fo_text_model *model = open_lines(files[i], &why);
        CHECK(!model);
        CHECK_CONTAINS(why.text, "there is no file");
        fo_text_model_close(model);
    }
}

// It would end there for who looks for the end of a text.
TEST(files_with_a_nul_are_no_text)
{
    fo_message why = {0};
    fo_text_model *model = open_lines("modelica://Marks/nul.txt", &why);
    CHECK(!model);
    CHECK_CONTAINS(why.text, "it has a NUL");
    fo_text_model_close(model);
}

TEST_MAIN(TEST_ENTRY(files_with_a_nul_are_no_text), TEST_ENTRY(expandable_connectors),
          TEST_ENTRY(formats_of_values_of_the_run), TEST_ENTRY(texts_that_are_known),
          TEST_ENTRY(functions_of_libraries), TEST_ENTRY(lines_of_files),
          TEST_ENTRY(other_files_are_not_seen), TEST_ENTRY(packages_and_records),
          TEST_ENTRY(modes_that_the_start_decides), TEST_ENTRY(start_values_that_agree))
