/// Partial derivatives of functions: with z = f(x, y), where x and y flow, der(z) must be
/// f_x(x, y) der(x) + f_y(x, y) der(y). The left side is worked out elsewhere, on what functions
/// have become.
#include <stdarg.h>

#include "samples.h"

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

typedef struct text {
    char letters[4000];
    size_t length;
} text;

static void put(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (t->length < sizeof t->letters)
        t->length += (size_t)vsnprintf(t->letters + t->length, sizeof t->letters - t->length,
                                       format, arguments);
    va_end(arguments);
}

// A smooth expression of x, y, t and v[1] to v[3], whose values stay small.
static void expression(text *t, int depth)
{
    static const char *const leaves[] = {"x", "y", "t", "v[1]", "v[2]", "v[3]", "0.7", "k"};
    static const char *const functions[] = {"sin", "cos", "tanh", "atan"};
    if (depth == 0) {
        put(t, "%s", leaves[draw(8)]);
        return;
    }
    switch (draw(11)) {
    case 0: put(t, "("), expression(t, depth - 1), put(t, " + "), expression(t, depth - 1); break;
    case 1: put(t, "("), expression(t, depth - 1), put(t, " - "), expression(t, depth - 1); break;
    case 2:
    case 3: put(t, "("), expression(t, depth - 1), put(t, " * "), expression(t, depth - 1); break;
    case 4:
        put(t, "("), expression(t, depth - 1), put(t, " / (2 + sin("), expression(t, depth - 1);
        put(t, "))");
        break;
    case 5: put(t, "(-"), expression(t, depth - 1); break;
    case 6: put(t, "%s(", functions[draw(4)]), expression(t, depth - 1); break;
    case 7: put(t, "sqrt(1 + ("), expression(t, depth - 1), put(t, ")^2"); break;
    case 8:
        put(t, "(if y > 1.3 then "), expression(t, depth - 1), put(t, " else ");
        expression(t, depth - 1);
        break;
    case 9:
        put(t, "g("), expression(t, depth - 1), put(t, draw(2) ? ", b = " : ", ");
        expression(t, depth - 1);
        break;
    default:
        put(t, "exp(-(1.5 + sin("), expression(t, depth - 1), put(t, "))^");
        put(t, draw(2) ? "2" : "1.5");
    }
    put(t, ")");
}

static void model(text *t)
{
    t->length = 0;
    put(t, "model M\n"
           "  function g input Real a; input Real b; output Real c; protected Real d = a*b;\n"
           "  algorithm c := sin(d) + a^2/(1 + b^2); if a > 50 then return; end if;\n"
           "  c := c + atan2(b, 2 + cos(a)); end g;\n"
           "  function f input Real x; input Real y; input Integer k; output Real z;\n"
           "  protected Real t = ");
    // only x and y are known there
    static const char *const first[] = {"x*y", "sin(x) - y^3", "y^2", "3*x", "0.5"};
    put(t, first[draw(5)]);
    put(t, "; Real v[3] = {x, y, x - y}; Integer i;\n  algorithm\n");
    for (int i = 0; i < 3; i++) {
        switch (draw(5)) {
        case 0: put(t, "  t := "); break;
        case 1: put(t, "  v[%d] := ", 1 + (int)draw(3)); break;
        case 2: put(t, "  for j in 1:k loop v[j] := sin(v[j] + j*t); end for; t := "); break;
        case 3:
            put(t, "  i := 0; while i < k loop t := cos(t)*x; i := i + 1; end while; v[1] := ");
            break;
        default: put(t, "  v := cos(2.0*v) + {t, x, y}*sum(v)/9; t := ");
        }
        expression(t, 2);
        put(t, ";\n");
    }
    put(t, "  z := ");
    expression(t, 4);
    put(t, ";\n  end f;\n"
           "  function f_x = der(f, x);\n  function f_y = der(f, y);\n"
           "  function f_xy = der(f, x, y);\n  function f_yx = der(f, y, x);\n"
           "  Real x = sin(time), y = 1 + 0.5*time, z = f(x, y, 2);\n"
           "  Real a = der(z), b = f_x(x, y, 2)*der(x) + f_y(x, y, 2)*der(y);\n"
           "  function f_xx = der(f, x, x);\n  function f_yy = der(f_y, y);\n"
           "  Real c = f_xy(x, y, 2), d = f_yx(x, y, 2);\n"
           "  Real p = der(a), q = f_xx(x, y, 2)*der(x)^2 + 2*c*der(x)*der(y)\n"
           "    + f_yy(x, y, 2)*der(y)^2 - f_x(x, y, 2)*x;\n"
           "end M;\n");
}

static void check_model(const char *letters)
{
    world w;
    if (!begin(&w, letters, 2)) {
        printf("%s\n", letters);
        end(&w);
        return;
    }
    for (int i = 1; i <= 4; i++) {
        double at_time = 0.37 * i, a = at(&w, at_time, "a"), b = at(&w, at_time, "b");
        double c = at(&w, at_time, "c"), d = at(&w, at_time, "d");
        double p = at(&w, at_time, "p"), q = at(&w, at_time, "q");
        if (!(fabs(p - q) <= 1e-8 * (1 + fabs(p))))
            test_fail(__FILE__, __LINE__, "%g is %.15g, not %.15g, twice\n%s", at_time, q, p,
                      letters);
        if (!(fabs(a - b) <= 1e-9 * (1 + fabs(a))) || !(fabs(c - d) <= 1e-9 * (1 + fabs(c))))
            test_fail(__FILE__, __LINE__, "%g is %.15g, not %.15g; %.15g, not %.15g\n%s", at_time,
                      b, a, c, d, letters);
    }
    end(&w);
}

TEST(the_chain_rule_holds)
{
    const int count = test_inputs(60, 2000);
    for (int k = 0; k < count; k++) {
        text t;
        seed = 88172645463325252u + 7919u * (uint64_t)(k + 1);
        for (int i = 0; i < 8; i++) draw(2);
        model(&t);
        if (t.length < sizeof t.letters) check_model(t.letters);
    }
}

#define OF(body, by)                                                                \
    "model M function f input Real x; input Real y; output Real z; algorithm " body \
    " end f; function d = der(f, " by "); Real r = d(time, 3); end M;\n"

// Of functions that mean something else where they are inherited.
#define F(body)      "function f input Real x; output Real z; algorithm z := " body "; end f;\n"
#define H            "function h input Real x; output Real z; algorithm z := x^2; end h;\n"
#define WITH_F(kind) kind " P replaceable " F("x") "function g = der(f, x);\n"
#define WITH_K(kind, constant)                                                                   \
    kind " P " constant "function k input Real x; output Real z; algorithm z := x^2*q; end k;\n" \
         "function g = der(k, x);\n"
#define ARRAYS(locals, body)                                                             \
    "model M function f input Real x; input Real k[3]; output Real z; protected " locals \
    " algorithm " body " end f; function d = der(f, x); Real r = d(time, {1, 2, 3}); end M;\n"

static const sample known[] = {
    {"a function that is redeclared",
     WITH_F("model") "Real r = g(3*time); end P;\n"
                     "model M extends P(redeclare function f = h); " H "end M;\n",
     "r", 1, 6, 1e-12},
    {"one that is redeclared in a part",
     WITH_F("model") "Real r = g(3*time); end P;\n"
                     "model M P a(redeclare function f = h), b; " H
                     " Real r = a.r + 100*b.r; end M;\n",
     "r", 1, 106, 1e-12},
    {"one that is redeclared in a package",
     WITH_F("package") "end P;\nmodel M package Q = P(redeclare function f = h); " H
                       " Real r = Q.g(3*time) + 100*P.g(time); end M;\n",
     "r", 1, 106, 1e-12},
    {"what it calls is redeclared",
     "package P replaceable " F(
         "x") "function k input Real x; output Real z;\n"
              "  algorithm z := x*f(x); end k; function g = der(k, x); end P;\n"
              "model M package Q = P(redeclare function f = h); " H
              " Real r = Q.g(3*time) + 100*P.g(time); end M;\n",
     "r", 1, 227, 1e-12},
    {"a constant that is another one",
     WITH_K("package", "constant Real q = 1;\n") "end P;\n"
                                                 "model M package A = P(q = 2); Real r = "
                                                 "A.g(3*time) + 100*P.g(time); end M;\n",
     "r", 1, 212, 1e-12},
    {"a constant of a model that is inherited",
     WITH_K("model", "constant Real q = 1;\n") "Real r = g(3*time); end P;\n"
                                               "model M extends P(q = 2); end M;\n",
     "r", 1, 12, 1e-12},
    {"a constant that is a size",
     "package P constant Integer n = 2; function k input Real x; output Real z;\n"
     "  protected Real v[n]; algorithm for i in 1:n loop v[i] := x^i; end for; z := sum(v); end "
     "k;\n"
     "  function g = der(k, x); end P;\n"
     "model M package A = P(n = 3); Real r = A.g(2*time) + 100*P.g(2*time); end M;\n",
     "r", 1, 517, 1e-12},
    {"another name for a function",
     "model M function f input Real x; output Real z; algorithm z := x^3; end f;\n"
     "  function h = f; function d = der(h, x); Real r = d(time); end M;\n",
     "r", 2, 12, 1e-12},
    {"a recursion that ends before the run",
     "model M function f input Real x; output Real z; algorithm\n"
     "z := if x < 1 then x else x*f(x - 1); end f;\n"
     "function d = der(f, x); Real r = d(2.5)*time; end M;\n",
     "r", 1, 0.5 * 1.5 + 2.5 * (0.5 + 1.5), 1e-12},
    {"a number added to each element", ARRAYS("", "z := sum(k .+ x) + sum(x .- k);"), "r", 2, 6,
     1e-12},
    {"vectors without a derivative beside others",
     ARRAYS("", "z := sum({k, x*k}) + sum(if x > 3 then k else x*k) + sum(cat(1, k, x*k));"), "r",
     2, 18, 1e-12},
    {"arrays that are made",
     ARRAYS("", "z := sum(fill(x, 2, 3)) + sum(linspace(0, x, 3)) + sum(diagonal({x, x*x}));"), "r",
     2, 6 + 1.5 + 5, 1e-12},
    {"products of vectors",
     ARRAYS("", "z := cross(k, {x, 0, 1})*{1, 1, 1} + sum(outerProduct(k, {x, x^2}));"), "r", 2,
     1 + 30, 1e-12},
    {"what is left",
     ARRAYS("", "z := rem(x, 0.75) + mod(5, 1 + x) + mod(-5, 1 + x) + mod(-3*x, 7);"), "r", 1.9,
     1 - 1 + 2 - 3, 1e-12},

    {"a product", OF("z := x^2*y;", "x"), "r", 2, 12, 1e-12},
    {"twice", OF("z := x^3*y;", "x, x"), "r", 2, 36, 1e-12},
    {"twice of what has a value first",
     "model M function f input Real x; input Real y; output Real z; protected Real t = x*y;\n"
     "  algorithm z := x^2 + t; end f; function d = der(f, x, x); Real r = d(time, 3); end M;\n",
     "r", 2, 2, 1e-12},
    {"of what is a parameter of the function",
     "model M function f input Real x; input Real y; output Real z; protected parameter Real t = "
     "x*y;\n"
     "  constant Real c = 2; algorithm z := c*t + x; end f; function d = der(f, x);\n"
     "  Real r = d(time, 3); end M;\n",
     "r", 2, 7, 1e-12},
    {"by both", OF("z := x^3*y^2;", "x, y"), "r", 2, 72, 1e-12},
    {"of an exponent", OF("z := y^x;", "x"), "r", 2, 9 * 1.0986122886681098, 1e-12},
    {"of a base and an exponent", OF("z := x^x;", "x"), "r", 2, 4 * (0.69314718055994531 + 1),
     1e-12},
    {"what is less", OF("z := min(x, y) + max(x^2, y^2);", "x"), "r", 2, 1, 1e-12},
    {"what is more", OF("z := min(x, y/2) + max(x^2, y);", "x"), "r", 2, 4, 1e-12},
    {"of a size", OF("z := abs(y - x)*integer(x);", "x"), "r", 1.5, -1, 1e-12},
    {"zero", OF("z := y;", "x"), "r", 2, 0, 0},
    {"behind a return", OF("z := x; if x > 1 then z := x*x; return; end if; z := 5*x;", "x"), "r",
     2, 4, 1e-12},
    {"a sum", OF("z := sum(x^i for i in 1:3)*{1, x}*{x, 1};", "x"), "r", 2,
     (1 + 4 + 12) * 4 + 14 * 2, 1e-12},
    {"by its other input", OF("z := log(x)*y + asin(y/6);", "y"), "r", 2,
     0.69314718055994531 + 1 / (6 * 0.8660254037844386), 1e-12},
    {"before the run",
     "model M function f input Real x; output Real y; algorithm y := x^4; end f;\n"
     "  function d = der(f, x); parameter Integer n = integer(d(1)); Real v[n] = ones(n);\n"
     "  Real r = sum(v); end M;\n",
     "r", 1, 4, 0},
};

TEST(values_that_are_known)
{
    CHECK_ALL(known);
}

TEST(what_has_no_derivative_is_refused)
{
    check_refused(OF("z := x;", "q"), "'q' is no input of function 'f' that is one Real");
    check_refused(OF("z := delay(x, 1);", "x"), "is not known");
    check_refused("model M function f input Integer n; output Real z; algorithm z := n; end f;\n"
                  "function d = der(f, n); Real r = d(2); end M;\n",
                  "'n' is no input of function 'f' that is one Real");
    check_refused(OF("z := product({x, y});", "x"), "a call has no rule");
    check_refused(OF("z := max({x, y});", "x"), "a call has no rule");
    check_refused("model P function b input Real x; output Real z; end b; function f extends b;\n"
                  "algorithm z := x^2; end f; function g = der(f, x); Real r = g(time); end P;\n",
                  "extends another function");
    check_refused("model M record R Real a; end R;\n"
                  "function f input Real x; output Real z; protected R r; algorithm r.a := x;\n"
                  "z := r.a; end f; function d = der(f, x); Real r = d(2); end M;\n",
                  "a record depends on it");
    check_refused("model M function f input Real x; output Real z; protected Real A[2, 2];\n"
                  "algorithm A := [x, 1; 0, x]; z := sum(A^2); end f;\n"
                  "function d = der(f, x); Real r = d(2); end M;\n",
                  "it has a matrix power");
    check_refused("model M function f input Real x; output Real z; algorithm\n"
                  "z := 0; for e in {x, 1} loop z := z + e; end for; end f;\n"
                  "function d = der(f, x); Real r = d(2); end M;\n",
                  "a loop runs over what depends on it");
    check_refused("model M function f = der(f, x); Real r = f(2); end M;\n", "to define itself");
}

TEST_MAIN(TEST_ENTRY(the_chain_rule_holds), TEST_ENTRY(values_that_are_known),
          TEST_ENTRY(what_has_no_derivative_is_refused))
