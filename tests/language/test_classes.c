/// Classes with several meanings: redeclarations, inheritance on two ways, packages that extend
/// others.
#include "load.h"
#include "samples.h"

static const sample redeclared[] = {
    {"a function",
     "package P\n"
     "  function one input Real x; output Real y; algorithm y := x; end one;\n"
     "  function two input Real x; input Real k = 2; output Real y; algorithm y := k*x; end two;\n"
     "  model A replaceable function f = one; Real y = f(time); end A;\n"
     "  model M A a; A b(redeclare function f = two); A c(redeclare function f = two(k = 5));\n"
     "    Real z = a.y + 10*b.y + 100*c.y; end M;\n"
     "end P;\n"
     "model M = P.M;\n",
     "z", 1, 521, 1e-12},
    {"a package, and what is in it",
     "package P\n"
     "  partial package Medium constant Real c; replaceable partial function h input Real T;\n"
     "    output Real y; end h;\n"
     "    model Base Real T; Real y = h(T) + c; end Base; end Medium;\n"
     "  package Water extends Medium(c = 3);\n"
     "    redeclare function extends h algorithm y := 2*T; end h; end Water;\n"
     "  package Oil extends Medium(c = 7);\n"
     "    redeclare function extends h algorithm y := 5*T; end h; end Oil;\n"
     "  model Tank replaceable package Fluid = Water; Fluid.Base b(T = time); end Tank;\n"
     "  model M Tank a; Tank b(redeclare package Fluid = Oil);\n"
     "    Real y = a.b.y; Real z = b.b.y; end M;\n"
     "end P;\n"
     "model M extends P.M; Real s = y + 100*z; end M;\n",
     "s", 2, (2 * 2 + 3) + 100 * (5 * 2 + 7), 1e-12},
    {"model extends: the inherited class, and more",
     "package P\n"
     "  package A replaceable model L parameter Real k = 1; Real y; equation y = k; end L; end A;\n"
     "  package B extends A; redeclare model extends L(k = 4) Real z = 2*y; end L; end B;\n"
     "  model M B.L l; Real s = l.z; end M;\n"
     "end P;\nmodel M = P.M;\n",
     "s", 1, 8, 0},
    {"sizes, of what is not replaceable, too",
     "model A Real x[:, :] = ones(size(x, 1), size(x, 2)); replaceable Real v[:]; equation\n"
     "  for i in 1:size(v, 1) loop v[i] = i; end for; end A;\n"
     "model M parameter Integer n = 4; A a(redeclare Real x[2, 3], redeclare Real v[n]);\n"
     "  Real s = sum(a.x) + 100*sum(a.v); end M;\n",
     "s", 1, 1006, 0},
    {"a class in a base, with modifications",
     "model A protected model B Real x = 2; parameter Real k = 3; end B; B b; end A;\n"
     "model M extends A(B(x = 4, k = 7)); Real s = 10*b.x + b.k; end M;\n",
     "s", 1, 47, 0},
    {"twice, where it stays replaceable",
     "model B parameter Real k = 1; Real x = k; end B; model C extends B(k = 2); end C;\n"
     "model D extends B(k = 3); end D; model A replaceable B b; end A;\n"
     "model E extends A(redeclare replaceable C b constrainedby B); end E;\n"
     "model M E e(redeclare D b), f; Real s = 10*e.b.x + f.b.x; end M;\n",
     "s", 1, 32, 0},
    {"a package with all that is promised and more",
     "package P constant Real k = 2; function f input Real x; output Real y; algorithm y := k*x;\n"
     "  end f; end P;\n"
     "package Q constant Real k = 3; function f input Real x; input Real z = 1; output Real y;\n"
     "  algorithm y := k*x + z; end f; constant Real more = 5; end Q;\n"
     "model A replaceable package M = P; Real y = M.f(time); end A;\n"
     "model M A a(redeclare package M = Q); Real s = a.y; end M;\n",
     "s", 1, 4, 1e-12},
    {"a component keeps the value of its declaration where it is given no other",
     "package P\n"
     "  record C parameter Real q = 1; end C;\n"
     "  record B parameter Integer n = 2; replaceable parameter C c[n] = {C(5), C(6)};\n"
     "    replaceable parameter C d = C(7); replaceable parameter Real r = 8;\n"
     "    replaceable parameter Real t = 9; end B;\n"
     "  record E extends B(redeclare C c, redeclare C d, redeclare Real r,\n"
     "    redeclare Real t = 10); end E;\n"
     "  model M parameter E b;\n"
     "    Real s = b.c[1].q + 10*b.c[2].q + 100*b.d.q + 1000*b.r + 10000*b.t; end M;\n"
     "end P;\nmodel M = P.M;\n",
     "s", 1, 5 + 60 + 700 + 8000 + 100000, 1e-9},
    {"a component among the elements",
     "package P\n"
     "  model A Real y = 1; end A; model B extends A; Real z = 3; end B;\n"
     "  partial model S replaceable A a; end S;\n"
     "  model M extends S; redeclare B a; Real s = a.z + a.y; end M;\n"
     "end P;\nmodel M = P.M;\n",
     "s", 1, 4, 0},
    {"a component keeps what its declaration says",
     "package P\n"
     "  partial block B parameter Real o = 0; output Real y; end B;\n"
     "  block K extends B; parameter Real k = 1; equation y = k + o; end K;\n"
     "  partial model S parameter Real o = 1; replaceable B s(final o = o); end S;\n"
     "  model T extends S(redeclare K s(final k = 3)); end T;\n"
     "  model M T t(o = 5); Real y = t.s.y; end M;\n"
     "end P;\nmodel M = P.M;\n",
     "y", 1, 8, 0},
    {"a type of a package is modified",
     "package P\n"
     "  package A type T = Real; model L T x; equation der(x) = 0; end L; end A;\n"
     "  package B = A(T(start = 6, fixed = true));\n"
     "  model M B.L l; Real s = l.x; end M;\n"
     "end P;\nmodel M = P.M;\n",
     "s", 1, 6, 0},
    {"a record that extends another, made with its defaults",
     "record A parameter Real k = 1; parameter Real m = 2*k; end A; record B = A(k = 5);\n"
     "record C extends B; parameter Real n = 3; end C;\n"
     "model S parameter A data = A(); Real y = data.k + 10*data.m; end S;\n"
     "model M S s(data = B()); C c = C(n = 4); Real y = s.y + 1000*(c.k + c.n); end M;\n",
     "y", 1, 5 + 10 * 10 + 1000 * 9, 0},
    {"alike elements, inherited on two ways",
     "partial model A parameter Real k = 2; end A; partial model B parameter Real k = 2; end B;\n"
     "model M extends A; extends B; Real x = k; end M;\n",
     "x", 1, 2, 0},
};

TEST(redeclarations)
{
    CHECK_ALL(redeclared);
}

// What is said of a replaceable class counts for what takes its place: that of its constrainedby
// clause, or of a short class its own.
#define KEEP(clause, rest)                                                                     \
    "package P\n"                                                                              \
    "  model A parameter Real p = 1; parameter Real q = 2; end A;\n"                           \
    "  model B extends A(q = 3); parameter Real r = 4; replaceable model I = A; I i; end B;\n" \
    "  model W replaceable model T = A" clause "; T t; end W;\n" rest "end P;\nmodel M = P.M;\n"

static const sample kept[] = {
    {"of a short class",
     KEEP("(p = 5)", "model M W w(redeclare model T = B); Real s = w.t.p + 10*w.t.q; end M;\n"),
     "s", 1, 35, 0},
    {"of a constrainedby clause, in the declaration",
     KEEP("(p = 5) constrainedby A(p = 6, q = 7)",
          "model M W w; Real s = w.t.p + 10*w.t.q; end M;\n"),
     "s", 1, 75, 0},
    {"and in a redeclaration, where nothing stronger is said",
     KEEP("(p = 5) constrainedby A(p = 6, q = 7)",
          "model M W w(redeclare model T = B(q = 8, r = 9)); Real s = w.t.p + 10*w.t.q + "
          "100*w.t.r; end M;\n"),
     "s", 1, 986, 0},
    {"redeclared twice",
     KEEP("(p = 5)",
          "model V extends W(redeclare replaceable model T = A(p = 8)); end V;\n"
          "model M V w(redeclare model T = B(q = 8)); Real s = w.t.p + 10*w.t.q; end M;\n"),
     "s", 1, 85, 0},
    {"of the clause of a redeclaration, in it and later",
     KEEP("(p = 5)",
          "model V extends W(redeclare replaceable model T = A constrainedby A(q = 8)); end V;\n"
          "model M V v; V w(redeclare model T = B); V x(redeclare model T = B(q = 9));\n"
          "Real s = v.t.p + 10*v.t.q + 100*w.t.p + 1000*w.t.q + 10000*x.t.q; end M;\n"),
     "s", 1, 98585, 0},
    {"of a component, in the clause of a redeclaration",
     KEEP("", "model U replaceable A a(p = 5); end U;\n"
              "model V extends U(redeclare replaceable A a(q = 6) constrainedby A(q = 8)); end V;\n"
              "model M V v; V w(redeclare B a); Real s = v.a.p + 10*v.a.q + 100*w.a.p + "
              "1000*w.a.q; end M;\n"),
     "s", 1, 8565, 0},
    {"redeclared as an element",
     KEEP("(p = 5)", "model V extends W; redeclare model T = B(q = 8); end V;\n"
                     "model M V w; Real s = w.t.p + 10*w.t.q; end M;\n"),
     "s", 1, 85, 0},
    {"redeclared as an element that is written out",
     KEEP("(p = 5)", "model V extends W; redeclare model T extends B; end T; T u; end V;\n"
                     "model M V w; Real s = w.t.p + 10*w.t.q + 100*w.u.p; end M;\n"),
     "s", 1, 535, 0},
    {"with a class in it that is redeclared, too",
     KEEP("(p = 5)", "model C extends A(p = 7); end C;\n"
                     "model M W w(redeclare model T = B(redeclare model I = C)); Real s = w.t.p + "
                     "10*w.t.i.p; end M;\n"),
     "s", 1, 75, 0},
    {"by a class that is written there",
     KEEP("(p = 5)", "model M W w(redeclare model T extends A(p = 8, q = 9); end T); Real s = "
                     "w.t.p + 10*w.t.q; end M;\n"),
     "s", 1, 95, 0},
    {"names are those of where it is written",
     "package P model A parameter Real p = 1; end A; package Q constant Real k = 5;\n"
     "  model W replaceable model T = A(p = k); T t; end W; end Q;\n"
     "  package R constant Real k = 6; model V extends Q.W(redeclare model T = A); end V; end R;\n"
     "  package S extends Q(k = 7); model V extends W(redeclare model T = A); end V; end S;\n"
     "  model M R.V v; S.V w; Real s = v.t.p + 10*w.t.p; end M; end P;\nmodel M = P.M;\n",
     "s", 1, 75, 0},
};

TEST(what_is_said_of_a_replaceable_class_is_kept)
{
    CHECK_ALL(kept);
}

TEST(elements_that_differ_are_refused)
{
    check_refused("partial model A parameter Real k = 2; end A;\n"
                  "partial model B parameter Real k = 3; end B;\n"
                  "model M extends A; extends B; Real x = k; end M;\n",
                  "'k' is declared twice in model 'M', and differently");
}

TEST(what_is_not_supported_is_refused_where_it_is_used)
{
    static const char text[] = "package P\n"
                               "  type E = enumeration(:);\n"
                               "  function f input Real x; output Real y; external \"C\"; end f;\n"
                               "  model A Real x = time; end A;\n"
                               "  model B Real x = f(time); end B;\n"
                               "  model C E e; end C;\n"
                               "end P;\n";
    world w;
    CHECK(world_open(&w, "test.mo", text, "P.A"));
    end(&w);
    static const struct {
        const char *model, *part;
    } wrong[] = {{"P.B", "'P.f' is external code, which is not run unless it is allowed"},
                 {"P.C", "'P.E' cannot be used: an enumeration without literals"}};
    for (size_t i = 0; i < 2; i++) {
        fo_message why = {0};
        fo_text_model_def def = {.path = "test.mo", .text = text, .model = wrong[i].model};
        CHECK(!fo_text_model_open(&def, &why));
        CHECK_CONTAINS(why.text, wrong[i].part);
    }
}

static const sample function_samples[] = {
    {"of an instance, with its parameters",
     "package P\n"
     "  function f input Real x; input Real k; output Real y; algorithm y := k*x; end f;\n"
     "  model World parameter Real g = 3; replaceable function pull = f(k = g); end World;\n"
     "  model M World world(g = 7); Real y = world.pull(time); end M;\n"
     "end P;\nmodel M = P.M;\n",
     "y", 2, 14, 1e-12},
    {"a size that is that of what is assigned first",
     "package P\n"
     "  function g input Real x; output Real y[2]; algorithm y := {x, 2*x}; end g;\n"
     "  function f input Real x; output Real y; protected Real z[:];\n"
     "    algorithm z := g(x); y := z[1] + 10*z[2] + 100*size(z, 1); end f;\n"
     "  function h input Real x[:]; output Real y[:]; algorithm y := cat(1, x, {1}); end h;\n"
     "  model M Real a = f(time); Real b[3] = h({time, 2}); Real s = a + sum(b); end M;\n"
     "end P;\nmodel M = P.M;\n",
     "s", 1, 221 + 4, 1e-12},
    {"sizes from values, recursion that ends by them",
     "function half input Integer m; output Integer n; algorithm\n"
     "  if mod(m, 2) == 0 then n := 2*half(div(m, 2)); else n := 1; end if; end half;\n"
     "function row input Integer m; output Real y[half(m)]; protected Integer n = half(m);\n"
     "  algorithm for i in 1:n loop y[i:n] := fill(i, n - i + 1); end for; end row;\n"
     "model M parameter Integer m = 12; Real y = sum(row(m)); end M;\n",
     "y", 1, 1 + 2 + 3 + 4, 0},
    {"without results",
     "function check input Real x; algorithm assert(x < 5, \"too large\"); end check;\n"
     "model M Real y = time; initial algorithm check(y); equation check(y); end M;\n",
     "y", 1, 1, 0},
    {"with the name of a built-in one",
     "package P\n"
     "  function exp input Real x; output Real y; algorithm y := 10*x; end exp;\n"
     "  model M Real y = exp(3) + .sqrt(4); end M;\nend P;\nmodel M = P.M;\n",
     "y", 1, 32, 0},
};

TEST(functions)
{
    CHECK_ALL(function_samples);
}

TEST(a_call_without_results_is_carried_out)
{
    world w;
    REQUIRE(
        begin(&w,
              "function check input Real x; algorithm assert(x < 1, \"too large\"); end check;\n"
              "model M Real y = time; equation check(y); end M;\n",
              2));
    fo_status status = fo_simulation_advance(w.sim, 2);
    CHECK(fo_failed(status));
    CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "too large");
    CHECK_NEAR(fo_simulation_time(w.sim), 1, 1e-6);
    end(&w);
}

static const char complex_type[] = "operator record Complex Real re; Real im; end Complex;\n";

TEST(complex_numbers)
{
    // z^2, 1/z, z times conj(z) and e^(j w t), beside what C says
    char text[1200];
    snprintf(text, sizeof text,
             "%smodel M\n  Complex z = Complex(time, 2); Complex a = z*z; Complex b = 1/z;\n"
             "  Complex c = 3*z - z/2 + Complex(1); Complex s = sum({z, a, -z});\n"
             "  Complex v[2] = {z, a}; Complex w = {{1, 2}, {3, 4}}[2]*v; Complex p = z^3;\n"
             "  Boolean same = z == Complex(time, 2); Complex f[3] = fill(z, 3);\n"
             "  Real q = f[2].im;\nend M;\n",
             complex_type);
    char *cut = strstr(text, "{{1, 2}, {3, 4}}[2]");
    memcpy(cut, "{3, 4}             ", strlen("{{1, 2}, {3, 4}}[2]"));
    world w;
    REQUIRE(begin(&w, text, 2));
    const double x = 1.5, y = 2, square = x * x + y * y;
    CHECK_NEAR(at(&w, x, "a.re"), x * x - y * y, 1e-14);
    CHECK_NEAR(at(&w, x, "a.im"), 2 * x * y, 1e-14);
    CHECK_NEAR(at(&w, x, "b.re"), x / square, 1e-15);
    CHECK_NEAR(at(&w, x, "b.im"), -y / square, 1e-15);
    CHECK_NEAR(at(&w, x, "c.re"), 2.5 * x + 1, 1e-14);
    CHECK_NEAR(at(&w, x, "c.im"), 2.5 * y, 1e-14);
    CHECK_NEAR(at(&w, x, "s.re"), x * x - y * y, 1e-14);
    CHECK_NEAR(at(&w, x, "w.im"), 3 * y + 4 * 2 * x * y, 1e-13);
    CHECK_NEAR(at(&w, x, "p.re"), x * x * x - 3 * x * y * y, 1e-13);
    CHECK_NEAR(at(&w, x, "p.im"), 3 * x * x * y - y * y * y, 1e-13);
    CHECK_NEAR(at(&w, x, "same"), 1, 0);
    CHECK_NEAR(at(&w, x, "q"), 2, 0);
    end(&w);
}

static const sample equation_samples[] = {
    {"branches for other unknowns are decided before the run",
     "model M parameter Boolean b = false; Real psi, im, v; equation v = cos(time);\n"
     "  if b then psi = 2*im; v = der(psi); else psi = 0; im = 0; end if; end M;\n",
     "v", 1, 0.5403023058681398, 1e-12},
    {"a when that never fires",
     "model M discrete Real t0(start = 4, fixed = true); Real y;\n"
     "equation when false then t0 = pre(t0); end when; y = t0 + time; end M;\n",
     "y", 1, 5, 1e-12},
    {"a parameter that an initial algorithm finds",
     "model M parameter Real a = 2; final parameter Real k(fixed = false); Real y = k*time;\n"
     "initial algorithm k := 3*a; end M;\n",
     "y", 1, 6, 1e-12},
    {"a constraint with such a parameter",
     "model M parameter Real L(fixed = false, start = 1); Real x(start = 3, fixed = true), y(start "
     "= 4),\n  vx(start = 0, fixed = true), vy, F; Real r = x^2 + y^2;\n"
     "initial equation L = 5;\nequation der(x) = vx; der(y) = vy; der(vx) = -F*x;\n"
     "  der(vy) = -F*y - 9.81; x^2 + y^2 = L^2; end M;\n",
     "r", 1, 25, 1e-6},
    {"semiLinear of arrays",
     "model M Real y[2] = semiLinear(time - 1, {2, 3}, {5, 7}); Real s = y[1] + 10*y[2]; end M;\n",
     "s", 0.5, -0.5 * 5 - 10 * 0.5 * 7, 1e-12},
    {"matrices of more dimensions",
     "model M Real A[1, 2, 2] = {{{1, 2}, {3, 4}}}; Real B[2, 2, 2] = [A; 2*A];\n"
     "  Real s = B[2, 2, 1]; end M;\n",
     "s", 1, 6, 0},
    {"an array chosen from in part and as a whole",
     "model M constant Integer T[3, 3] = {{1, 2, 3}, {2, 3, 1}, {3, 1, 2}};\n"
     "  Integer w = if time > 0.5 then 3 else 2; Integer x = T[w, 2]; Integer y = T[x, w]; end "
     "M;\n",
     "y", 1, 3, 0},
    {"getInstanceName",
     "model A parameter String s = getInstanceName(); Real n = if s == \"M.a\" then 1 else 0; end "
     "A;\n"
     "model M A a; end M;\n",
     "a.n", 1, 1, 0},
    {"min and max of Booleans",
     "model M Boolean b = max({time > 1, time > 3}); Boolean c = min(time > 1, time > 3); end M;\n",
     "b", 2, 1, 0},
};

TEST(equations)
{
    CHECK_ALL(equation_samples);
}

TEST(a_model_of_a_library_by_its_name)
{
    static const char *const libraries[] = {FOLIOT_SOURCE_DIR "/tests/language/library", NULL};
    fo_message why = {0};
    fo_text_model_def def = {.model = "Circuits.Divider", .libraries = libraries};
    fo_text_model *m = fo_text_model_open(&def, &why);
    if (!m) test_fail(__FILE__, __LINE__, "%s", why.text);
    fo_text_model_close(m);
    def.model = "Circuits.Nothing";
    CHECK(!fo_text_model_open(&def, &why));
    CHECK_CONTAINS(why.text, "there is no 'Nothing' in 'Circuits'");
    def.model = NULL;
    CHECK(!fo_text_model_open(&def, &why));
    CHECK_CONTAINS(why.text, "a model needs a file or a name");
}

// What a library's annotations say is passed over where it is not used, and nothing else is: times
// of the experiment count, and the places of what follows are right.
TEST(annotations_of_a_library)
{
    static const char *const libraries[] = {FOLIOT_SOURCE_DIR "/tests/language/library", NULL};
    fo_message why = {0};
    fo_text_model_def def = {.model = "Marks.Right", .libraries = libraries};
    fo_text_model *m = fo_text_model_open(&def, &why);
    if (!m) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(m);
    CHECK_NEAR(foi_text_model_experiment(m).stop, 3, 0);
    CHECK_INT((long long)fo_text_model_system(m).about->states.count, 1);
    fo_text_model_close(m);
    def.model = "Marks.Wrong";
    CHECK(!fo_text_model_open(&def, &why));
    CHECK_CONTAINS(why.text, "package.mo:20:9: 'nothing' is not declared");
    def.model = "Open";
    CHECK(!fo_text_model_open(&def, &why));
    CHECK_CONTAINS(why.text, "Open.mo:3:");
}

// Each allocation fails once while texts with clocks, redeclarations, connections and tables are
// read.
TEST(every_allocation_may_fail)
{
    static const char *const names[] = {"clocks",      "conversions", "redeclare",   "break",
                                        "connections", "external",    "distribution"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/tests/fuzz/corpus/language/%s.mo",
                 names[i]);
        char *text = read_text(path);
        REQUIRE(text);
        bool done = false;
        for (long fail_at = 1; fail_at < 500 && !done; fail_at++) {
            test_memory memory;
            test_memory_init(&memory, fail_at);
            foi_messages messages;
            foi_messages_begin(&messages, &memory.allocator);
            foi_language_def def = foi_default_language_def();
            def.allocator = &memory.allocator, def.text = text, def.no_files = true;
            foi_flat *flat;
            fo_status status = foi_language_load(&def, &flat, &messages);
            CHECK((flat != NULL) == (status == FO_OK));
            done = fail_at > memory.allocations;
            if (done && status != FO_OK)
                test_fail(__FILE__, __LINE__, "%s: %s", names[i],
                          messages.count ? messages.findings[0].text : "no message");
            if (!done && status != FO_OK) CHECK_INT(status, FO_ERROR_MEMORY);
            foi_flat_destroy(flat);
            foi_messages_end(&messages);
            CHECK_INT(memory.live, 0);
        }
        CHECK(done);
        free(text);
    }
}

// A volume without mass has no state: which branch holds decides how many there are.
TEST(a_derivative_in_one_branch_only)
{
    world w;
    REQUIRE(begin(&w,
                  "model V parameter Real m = 0; Real T(start = 4, fixed = m > 0); Real q;\n"
                  "equation if m > 1e-9 then q = m*der(T); else q = 0; end if; end V;\n"
                  "model M V light; V heavy(m = 2);\n"
                  "equation light.q = 3 - light.T; heavy.q = 3 - heavy.T; end M;\n",
                  2));
    CHECK_NEAR(at(&w, 1, "light.T"), 3, 1e-12);
    CHECK_NEAR(at(&w, 1, "heavy.T"), 3 + exp(-0.5), 1e-7);
    end(&w);
}

TEST(what_must_stay_is_not_redeclared)
{
    static const struct {
        const char *base, *own, *part;
    } wrong[] = {
        {"final replaceable Real x = 2;", "redeclare Real x = 3;", "it is final"},
        {"replaceable constant Real x = 2;", "redeclare Real x = 3;", "it is a constant"},
        {"protected replaceable Real x = 2;", "redeclare Real x = 3;", "it is protected"},
        {"replaceable Real x = 2;", "protected redeclare Real x = 3;", "it is public"},
        {"final replaceable model B Real x = 2; end B;",
         "redeclare model B Real x = 3; end B; B b;", "it is final"},
        {"replaceable model B Real x = 2; end B;",
         "protected redeclare model B Real x = 3; end B; B b;", "it is public"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[400];
        snprintf(text, sizeof text, "model A %s end A;\nmodel M extends A; %s end M;\n",
                 wrong[i].base, wrong[i].own);
        check_refused(text, wrong[i].part);
    }
    check_refused("model A final replaceable model B Real x = 2; end B; B b; end A;\n"
                  "model C Real x = 3; end C;\nmodel M A a(redeclare model B = C); end M;\n",
                  "class 'B' is final");
}

TEST(prefixes_that_do_not_fit_are_refused)
{
    check_refused("connector C flow Real f; stream Integer s = 1; Real e = 2; end C;\n"
                  "model M C c; end M;\n",
                  "'s' is a stream: it must be Real");
    check_refused("connector C Real e; flow Real f; end C;\nmodel M flow C c; end M;\n",
                  "its part 'f' has such a prefix");
    check_refused("connector C Real e; flow Real f; input Real x; end C;\n"
                  "connector I = input C;\nmodel M I c(e = 1, x = 2); end M;\n",
                  "its part 'x' has such a prefix");
    check_refused("connector C input Real x = 1; end C;\nmodel M parameter C c; end M;\n",
                  "it cannot be 'parameter'");
    check_refused("model A parameter Real x = 1; end A;\nmodel B = A(x = 2, x = 3);\n"
                  "model M B b; end M;\n",
                  "'x' is given a value twice");
    check_refused("package P constant Real x = 1; end P;\npackage Q constant Real x = 2; end Q;\n"
                  "model M import P; import P = Q; Real y = P.x; end M;\n",
                  "'P' is imported twice");
    check_refused("package P protected constant Real x = 1; end P;\n"
                  "model M import P.x; Real y = x; end M;\n",
                  "'x' is protected");
}

#define CIRCUIT                                                       \
    "connector P Real v; flow Real i; end P;\n"                       \
    "model S P p; parameter Real v0 = 5; equation p.v = v0; end S;\n" \
    "model R P p; Real v = p.v; equation p.i = 1; end R;\n"           \
    "model A S s; R r; equation connect(s.p, r.p); end A;\n"

// break: components, connections and values that are not inherited.
static const sample left_out[] = {
    {"a component",
     "model A Real x = 1; Real y = 2; end A;\nmodel B extends A(break y, x = 3); end B;\n"
     "model M B b; Real y = b.x; end M;\n",
     "y", 1, 3, 0},
    {"a component with its connections",
     CIRCUIT "model B extends A(break s); S t(v0 = 7); equation connect(t.p, r.p); end B;\n"
             "model M B b; Real y = b.r.v; end M;\n",
     "y", 1, 7, 0},
    {"another one of its name",
     CIRCUIT "model T P p; equation p.v = 3; end T;\n"
             "model B extends A(break s); T s; equation connect(s.p, r.p); end B;\n"
             "model C extends B; R q; equation connect(q.p, r.p); end C;\n"
             "model M C b; A a; Real y = 10*b.q.v + a.r.v; end M;\n",
     "y", 1, 35, 0},
    {"a connection",
     CIRCUIT "model B extends A(break connect(s.p, r.p)); S t(v0 = 7);\n"
             "equation connect(t.p, r.p); end B;\n"
             "model M B b; Real y = 10*b.r.v + b.s.p.v; end M;\n",
     "y", 1, 75, 0},
    {"a value",
     "model A Real y = 2; end A;\nmodel B extends A(y = break); equation y = 4; end B;\n"
     "model M B b; Real y = b.y; end M;\n",
     "y", 1, 4, 0},
    {"start and fixed",
     "model A Real x(start = 2, fixed = true); equation der(x) = 0; end A;\n"
     "model B extends A(x(start = break, fixed = break)); initial equation x = 3; end B;\n"
     "model M B b; Real y = b.x; end M;\n",
     "y", 1, 3, 0},
    {"the default of a function",
     "function f input Real x; input Real k = 2; output Real y; algorithm y := k*x; end f;\n"
     "function g extends f(k = break); end g;\nmodel M Real y = g(1, 5); end M;\n",
     "y", 1, 5, 0},
};

TEST(what_is_not_inherited)
{
    CHECK_ALL(left_out);
    check_refused("model A Real x = 1; end A;\nmodel M extends A(break y); end M;\n",
                  "model 'A' has no 'y' that could be left out");
    check_refused(CIRCUIT "model M extends A(break connect(r.p, r.p)); end M;\n",
                  "no such connection that could be left out");
    check_refused("model A Real x = 1; end A;\nmodel M A a(break x); end M;\n",
                  "only an extends clause");
    check_refused("model A Real x = 1; end A;\nmodel B extends A(x = break); end B;\n"
                  "model M B b; end M;\n",
                  "too few equations");
    check_refused(
        "function f input Real x; input Real k = 2; output Real y; algorithm y := k*x;\n"
        "end f;\nfunction g extends f(k = break); end g;\nmodel M Real y = g(1); end M;\n",
        "'k'");
    check_refused("model A final parameter Real k = 1; Real x = k; end A;\n"
                  "model M A a(k = break); end M;\n",
                  "is final");
}

TEST(constrained_classes)
{
    check_refused("model A Real x = 1; end A;\nmodel B Real x = 2; Real y = 3; end B;\n"
                  "model C replaceable model D = B constrainedby B; D d; end C;\n"
                  "model M C c(redeclare model D = A); end M;\n",
                  "'D' cannot be redeclared as 'A': there is no 'y' in it");
    static const sample wider[] = {
        {"less than the class, all of the clause",
         "model A Real x = 1; end A;\nmodel B Real x = 2; Real y = 3; end B;\n"
         "model C replaceable model D = B constrainedby A; D d; end C;\n"
         "model M C c(redeclare model D = A); Real z = c.d.x; end M;\n",
         "z", 1, 1, 0},
    };
    CHECK_ALL(wider);
}

TEST(else_if_that_was_meant_as_elseif)
{
    check_refused("model M Real y; equation if time > 1 then y = 1; else if time > 2 then y = 2;\n"
                  "  else y = 3; end if; end M;\n",
                  "'elseif'?");
}

TEST(what_is_said_twice_is_refused)
{
    check_refused("model A parameter Real k = 2; Real y = k; end A;\nmodel M A a(k = 7, k = 8);\n"
                  "end M;\n",
                  "'k' is given a value twice");
    check_refused("model A Real x; equation der(x) = 1; end A;\n"
                  "model M A a(x(start = 7, fixed = true), x.start = 8); end M;\n",
                  "'start' is given a value twice");
    check_refused("model A replaceable Real x = 1; end A;\n"
                  "model M A a(redeclare Integer x, redeclare Real x); end M;\n",
                  "'x' is redeclared twice");
    world w;
    REQUIRE(begin(&w,
                  "model A Real x; equation der(x) = 1; end A;\n"
                  "model M A a(x(fixed = true), x.start = 8); Real y = a.x; end M;\n",
                  2));
    CHECK_NEAR(at(&w, 1, "y"), 9, 1e-9);
    end(&w);
}

TEST_MAIN(TEST_ENTRY(what_is_not_inherited), TEST_ENTRY(what_is_said_twice_is_refused),
          TEST_ENTRY(constrained_classes), TEST_ENTRY(else_if_that_was_meant_as_elseif),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(redeclarations),
          TEST_ENTRY(what_is_said_of_a_replaceable_class_is_kept),
          TEST_ENTRY(elements_that_differ_are_refused),
          TEST_ENTRY(what_is_not_supported_is_refused_where_it_is_used), TEST_ENTRY(functions),
          TEST_ENTRY(a_call_without_results_is_carried_out), TEST_ENTRY(complex_numbers),
          TEST_ENTRY(equations), TEST_ENTRY(a_model_of_a_library_by_its_name),
          TEST_ENTRY(annotations_of_a_library), TEST_ENTRY(a_derivative_in_one_branch_only),
          TEST_ENTRY(what_must_stay_is_not_redeclared),
          TEST_ENTRY(prefixes_that_do_not_fit_are_refused))
