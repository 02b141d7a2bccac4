/// Which of several modifications counts, what of them a redeclared element keeps, what is final,
/// and numbers of the run that choose a literal or an element: each with a value by hand.
#include "samples.h"

#define CHAIN                                            \
    "package P\n"                                        \
    "model A parameter Real k = 1; Real y = k; end A;\n" \
    "model B = A(k = 4); model C = B; model D = B(k = 7);\n"

// A short class is a class as others: who extends it, or uses it, has the last word.
static const sample shorts[] = {
    {"extended", CHAIN "model E extends B(k = 5); end E; model M E e; end M; end P; model M = P.M;",
     "e.y", 1, 5, 0},
    {"another name of it, extended",
     CHAIN "model E extends C(k = 5); end E; model M E e; end M; end P; model M = P.M;", "e.y", 1,
     5, 0},
    {"two short ones, extended twice",
     CHAIN "model E extends D(k = 8); end E; model F extends E(k = 9); end F;\n"
           "model M F f; end M; end P; model M = P.M;",
     "f.y", 1, 9, 0},
    {"a component of a model that extends one",
     CHAIN "model E extends D; end E; model M E e(k = 2); end M; end P; model M = P.M;", "e.y", 1,
     2, 0},
    {"nothing is said", CHAIN "model E extends D; end E; model M E e; end M; end P; model M = P.M;",
     "e.y", 1, 7, 0},
    {"constants of packages",
     "package A constant Real c = 1; constant Real d = 2*c; end A; package B = A(c = 4);\n"
     "package C extends B(c = 5); end C; package D = C(d = 0);\n"
     "model M Real y = B.d + 100*C.d + 10000*D.d; end M;\n",
     "y", 1, 1008, 0},
    {"defaults of functions",
     "function f input Real x; input Real k = 1; output Real y; algorithm y := k*x; end f;\n"
     "function g = f(k = 3); function h extends g(k = 4); end h;\n"
     "model M Real y = g(2) + 100*h(2) + 10000*h(2, 5); end M;\n",
     "y", 1, 100806, 0},
    {"fields of records",
     "record A Real x = 1; Real y = 2*x; end A; record B = A(x = 4); record C extends B(x = 5);\n"
     "end C; model M B b; C c; C d(x = 7); Real y = b.y + 100*c.y + 10000*d.y; end M;\n",
     "y", 1, 141008, 0},
    {"a value of the whole record is stronger than its class",
     "record A Real x = 1; Real y = 2; end A; record B = A(x = 4);\n"
     "model M B b = B(x = 6, y = 7); Real y = b.x + 10*b.y; end M;\n",
     "y", 1, 76, 0},
};

// A short class that is written in a model says p of the instance around it.
#define LOCAL                                                                                    \
    "model A parameter Real k = 1; Real y = k*time; end A; model A2 extends A(k = 5); end A2;\n" \
    "model B parameter Real p = 3; replaceable model M = A(k = 2*p); M m; M n(k = 7);\n"         \
    "type T = Real(start = p, fixed = true); T t; equation der(t) = 0; end B;\n"

static const sample local_ones[] = {
    {"a model", LOCAL "model M B b(p = 4); B c; end M;\n", "b.m.y", 1, 8, 0},
    {"another instance", LOCAL "model M B b(p = 4); B c; end M;\n", "c.m.y", 1, 6, 0},
    {"what the component says is stronger", LOCAL "model M B b(p = 4); end M;\n", "b.n.y", 1, 7, 0},
    {"a type", LOCAL "model M B b(p = 4); end M;\n", "b.t", 1, 4, 0},
    {"kept for what it is redeclared as",
     LOCAL "model M B b(p = 4, redeclare model M = A2); end M;\n", "b.m.y", 1, 8, 0},
    {"inherited", LOCAL "model C extends B(p = 9); end C; model M C c; end M;\n", "c.m.y", 1, 18,
     0},
    {"of a component two models below",
     LOCAL "model D B b[2](p = {2, 3}); end D; model M D d; end M;\n", "d.b[2].m.y", 1, 6, 0},
};

TEST(short_classes_in_models)
{
    CHECK_ALL(local_ones);
    check_refused(LOCAL "model C parameter Real p = 3; model N A a(k = p); end N; N n; end C;\n"
                        "model M C c; end M;\n",
                  "it is not a constant");
}

TEST(short_classes_are_extended)
{
    CHECK_ALL(shorts);
}

#define HOLDERS                                                                        \
    "package P\n"                                                                      \
    "model A parameter Real k = 1; Real y = k; end A;\n"                               \
    "model B parameter Real k = 1; Real y = 10*k; end B; model Z Real w = 1; end Z;\n" \
    "model H replaceable A a(k = 3); Real s = a.y; end H;\n"                           \
    "model G extends H(a(k = 4)); end G; model N A a(k = 3); end N;\n"                 \
    "model L replaceable A a(k = 3) constrainedby A(k = 8); Real s = a.y; end L;\n"

// redeclare as an element of a class is the same as in its extends clause.
static const sample elements[] = {
    {"of its declaration", HOLDERS "model M extends H; redeclare B a; end M; end P; model M = P.M;",
     "s", 1, 30, 0},
    {"of an extends clause before it",
     HOLDERS "model M extends G; redeclare B a; end M; end P; model M = P.M;", "s", 1, 40, 0},
    {"what it says itself is stronger",
     HOLDERS "model M extends G; redeclare B a(k = 7); end M; end P; model M = P.M;", "s", 1, 70,
     0},
    {"who uses it is stronger still",
     HOLDERS "model I extends G; redeclare B a(k = 7); end I; model J extends I(a(k = 6)); end J;\n"
             "model M J j; Real s = j.s; end M; end P; model M = P.M;",
     "s", 1, 60, 0},
    {"a constrainedby clause",
     HOLDERS "model I extends L; redeclare replaceable B a; end I;\n"
             "model M extends I; redeclare A a; end M; end P; model M = P.M;",
     "s", 1, 8, 0},
    {"not what another redeclaration says",
     HOLDERS "model I extends H; redeclare replaceable B a(k = 5); end I;\n"
             "model M extends I; redeclare A a; end M; end P; model M = P.M;",
     "s", 1, 3, 0},
    {"a size is redeclared of what is not replaceable",
     "model A parameter Integer n = 2; Real x[:] = fill(1, n); Real s = sum(x); end A;\n"
     "model M extends A(n = 3); redeclare Real x[3]; end M;\n",
     "s", 1, 3, 0},
};

// What a declaration, or its clause, says of classes inside counts for what takes its place, too.
#define INSIDE                                                                                    \
    "package P\n"                                                                                 \
    "model A parameter Real k = 1; Real y = k; end A; model A2 extends A(k = 5); end A2;\n"       \
    "package F constant Real c = 2; end F; package G extends F(c = 3); end G;\n"                  \
    "model B replaceable model N = A; replaceable package Q = F; N n; Real s = n.y + Q.c; end "   \
    "B;\n"                                                                                        \
    "model B2 extends B; Real r = 2*s; end B2;\n"                                                 \
    "model C replaceable B b(redeclare model N = A2, redeclare package Q = G); end C;\n"          \
    "model D replaceable B b constrainedby B(redeclare model N = A2, redeclare package Q = G);\n" \
    "end D;\n"

static const sample insides[] = {
    {"as declared", INSIDE "model M C c; Real s = c.b.s; end M; end P; model M = P.M;", "s", 1, 8,
     0},
    {"redeclared in a modification",
     INSIDE "model M C c(redeclare B2 b); Real s = c.b.r; end M; end P; model M = P.M;", "s", 1, 16,
     0},
    {"which says another one itself",
     INSIDE "model M C c(redeclare B2 b(redeclare model N = A2(k = 7))); Real s = c.b.r; end M;\n"
            "end P; model M = P.M;",
     "s", 1, 20, 0},
    {"of the constrainedby clause",
     INSIDE "model M D d(redeclare B2 b); Real s = d.b.r; end M; end P; model M = P.M;", "s", 1, 16,
     0},
    {"as an element",
     INSIDE "model M extends D; redeclare B2 b; Real s = b.r; end M; end P; model M "
            "= P.M;",
     "s", 1, 16, 0},
    {"of a short class that an extends clause redeclares, and a component looks into",
     INSIDE "model H replaceable model L = B2(n(k = 4)); L l(redeclare package Q = G); end H;\n"
            "model M extends H(redeclare model L = B2(r = 7)); Real s = l.s + 100*l.r; end M;\n"
            "end P; model M = P.M;",
     "s", 1, 707, 0},
};

TEST(classes_inside_of_what_is_redeclared)
{
    CHECK_ALL(insides);
}

TEST(redeclared_elements_keep_what_was_said)
{
    CHECK_ALL(elements);
    check_refused(HOLDERS "model M extends N; redeclare B a; end M; end P; model M = P.M;",
                  "'a' is not replaceable: it cannot be redeclared as 'B'");
    check_refused(HOLDERS "model M extends H; redeclare Z a; end M; end P; model M = P.M;",
                  "it must have all of 'A', and there is no");
}

// A type of the language takes the place of one with modifications, which still count.
TEST(types_of_the_language_are_redeclared)
{
    static const sample types[] = {
        {"with others",
         "model T replaceable type V = Real(start = 1, fixed = true); V x; equation der(x) = 0;\n"
         "end T; model M T t(redeclare type V = Real(start = 3)); Real s = t.x; end M;\n",
         "s", 1, 3, 0},
        {"without any",
         "model T replaceable type V = Real(start = 2, fixed = true); V x; equation der(x) = 1;\n"
         "end T; model M T t(redeclare type V = Real); Real s = t.x; end M;\n",
         "s", 1, 3, 1e-9},
        {"by another one",
         "model T replaceable type V = Real(min = 0); V x = 3; end T;\n"
         "model M T t(redeclare type V = Integer); Real s = t.x/2; end M;\n",
         "s", 1, 1.5, 0},
        {"twice",
         "model T replaceable type V = Real(start = 2, fixed = true); V x; equation der(x) = 1;\n"
         "end T; model U extends T(redeclare replaceable type V = Real(max = 9)); end U;\n"
         "model M extends U(redeclare type V = Real(start = 5)); end M;\n",
         "x", 1, 6, 1e-9},
    };
    CHECK_ALL(types);
}

TEST(prefixes_of_redeclarations)
{
    static const sample said[] = {
        {"a size may depend on it",
         "model H replaceable Integer n = 2; end H;\n"
         "model W extends H(redeclare parameter Integer n = 3); Real x[n] = fill(1, n);\n"
         "Real s = sum(x); end W; model M W w; Real s = w.s; end M;\n",
         "s", 1, 3, 0},
    };
    CHECK_ALL(said);
    world w;
    if (begin(&w,
              "model H replaceable Real p = 3; Real y = p; end H;\n"
              "model M H h(redeclare parameter Real p = 4); end M;\n",
              2)) {
        fo_reference which;
        fo_message why = {0};
        fo_status found = fo_system_find(fo_simulation_system(w.sim), "h.p", &which, &why);
        CHECK_STATUS(found, FO_OK, &why);
        CHECK(which.quantity == FO_PARAMETER);
        CHECK(at(&w, 1, "h.y") == 4);
    }
    end(&w);
    check_refused("model H replaceable parameter Real p = 3; end H;\n"
                  "model M H h(redeclare discrete Real p); end M;\n",
                  "'p' is a parameter: it cannot be redeclared as a discrete variable");
}

TEST(final_with_all_that_is_in_it)
{
#define PART "model A parameter Real k = 1; parameter Real j = 2; Real y = k + 10*j; end A;\n"
    static const sample whole[] = {
        {"unchanged",
         PART "model B final A a(k = 3); end B; model M B b[2]; Real y = b[2].a.y; end M;", "y", 1,
         23, 0},
        {"one value of it",
         PART "model B A a(final k = 3); end B; model M B b(a(j = 5)); Real y = b.a.y; end M;", "y",
         1, 53, 0},
    };
    CHECK_ALL(whole);
    check_refused(PART "model B final A a(k = 3); end B; model M B b(a(j = 4)); end M;",
                  "'b.a' is final: it cannot be modified");
    check_refused(PART "model B final A a; end B; model M extends B(a(j = 4)); end M;",
                  "'a' is final: it cannot be modified");
    check_refused(PART "model B A a; end B; model C B b(final a(k = 2)); end C;\n"
                       "model M C c(b(a(j = 4))); end M;",
                  "'c.b.a' is final: it cannot be modified");
    check_refused(PART "model B final replaceable A a; end B; model C extends A; end C;\n"
                       "model M B b(redeclare C a); end M;",
                  "'b.a' is final: it cannot be modified");
    check_refused(PART "model B A a(final k = 3); end B; model M B b(a(k = 4)); end M;",
                  "the value of 'b.a.k' is final");
}

#define COLOURS "type E = enumeration(a, b, c);\n"

static const sample numbers[] = {
    {"a literal by its number", COLOURS "model M E e = E(2); end M;", "e", 1, 2, 0},
    {"by one of the run", COLOURS "model M Integer i = integer(1.5*time) + 1; E e = E(i); end M;",
     "e", 1, 2, 0},
    {"as a subscript", COLOURS "model M Real v[E] = {4, 5, 6}; Real y = v[E(3)]; end M;", "y", 1, 6,
     0},
    {"in a function",
     COLOURS "function next input E e; output E y; algorithm y := if e == E.c then E.a else\n"
             "E(Integer(e) + 1); end next;\n"
             "model M E e = next(if time > 0.5 then E.b else E.c); end M;",
     "e", 1, 3, 0},
    {"the greater of two literals",
     COLOURS "model M E e = max(E.a, if time > 0.5 then E.b else E.a); end M;", "e", 1, 2, 0},
    {"the least of several", COLOURS "model M E e = min({E.c, E.b, E.c}); end M;", "e", 1, 2, 0},
    {"an element of an expression, by a subscript of the run",
     "model M Integer i = 1 + integer(1.5*time); Real y = ({1, 10, 100}*time)[i]; end M;", "y", 1,
     10, 0},
    {"a row of a matrix",
     "model M Integer i = 1 + integer(1.5*time); Real A[2, 2] = [1, 2; 3, 4];\n"
     "Real y[2] = (A*A)[i, :]; Real s = y[1] + 100*y[2]; end M;",
     "s", 1, 2215, 0},
    {"both subscripts",
     "model M Integer i = 1 + integer(1.5*time); Real A[2, 2] = [1, 2; 3, 4];\n"
     "Real s = (A*A)[3 - i, i]; end M;",
     "s", 1, 10, 0},
};

TEST(numbers_of_the_run_choose)
{
    CHECK_ALL(numbers);
    check_refused(COLOURS "model M E e = E(4); end M;", "'E' has 3 literals, and none is number 4");
    check_refused(COLOURS "model M E e = E(1.5); end M;", "the number of a literal");
    check_refused(COLOURS "model M E e = E(1, 2); end M;", "needs the number of a literal");
    static const char *const beyond[] = {
        COLOURS "model M Integer i = 1 + integer(4*time); E e = E(i); end M;",
        "model M Integer i = 1 + integer(4*time); Real y = ({1, 2, 3}*time)[i]; end M;",
    };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        world w;
        if (begin(&w, beyond[i], 2)) {
            CHECK(fo_simulation_advance(w.sim, 1) == FO_ERROR_MODEL);
            CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "is outside of 1..3");
        }
        end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(short_classes_in_models), TEST_ENTRY(short_classes_are_extended),
          TEST_ENTRY(classes_inside_of_what_is_redeclared),
          TEST_ENTRY(redeclared_elements_keep_what_was_said),
          TEST_ENTRY(types_of_the_language_are_redeclared), TEST_ENTRY(prefixes_of_redeclarations),
          TEST_ENTRY(final_with_all_that_is_in_it), TEST_ENTRY(numbers_of_the_run_choose))
