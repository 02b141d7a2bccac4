/// Rules of the language that are about more than one declaration: what is legal has its value,
/// what is not is refused and says why.
#include "samples.h"

typedef struct refusal {
    const char *text, *part;
} refusal;

static void check_refusals(const refusal *list, size_t count)
{
    for (size_t i = 0; i < count; i++) check_refused(list[i].text, list[i].part);
}
#define CHECK_REFUSALS(list) check_refusals(list, sizeof list / sizeof list[0])

#define COLOURS "model M type E = enumeration(red, green, blue); "

TEST(subscripts_of_the_type_that_a_dimension_names)
{
    static const sample right[] = {
        {"literals", COLOURS "Real x[E] = {1, 2, 3}; Real y = x[E.green]; end M;", "y", 1, 2, 0},
        {"a loop over them",
         COLOURS "Real x[E]; Real y = x[E.blue]; equation for e in E loop x[e] = 2*Integer(e); "
                 "end for; end M;",
         "y", 1, 6, 0},
        {"a loop over what fits",
         COLOURS "Real x[E]; Real z[E] = {1, 2, 3}; Real y = sum(x); equation\n"
                 "for i loop x[i] = 2*z[i]; end for; end M;",
         "y", 1, 12, 0},
        {"the last", COLOURS "Real x[E] = {1, 2, 3}; Real y = x[end]; end M;", "y", 1, 3, 0},
        {"a slice", COLOURS "Real x[E] = {1, 2, 4}; Real y = sum(x[E.green:E.blue]); end M;", "y",
         1, 6, 0},
        {"truths", "model M Real x[Boolean] = {7, 8}; Real y = x[time > 1]; end M;", "y", 1.5, 8,
         0},
        {"of another dimension",
         COLOURS "Real x[E, 2] = [1, 2; 3, 4; 5, 6]; Real y = x[E.blue, 1]; end M;", "y", 1, 5, 0},
    };
    static const refusal wrong[] = {
        {COLOURS "Real x[E] = {1, 2, 3}; Real y = x[2]; end M;", "must be of the type"},
        {COLOURS "Real x[E]; equation x[1] = 1; x[2] = 2; x[3] = 3; end M;", "must be of the type"},
        {COLOURS "Real x[2, E] = [1, 2, 3; 4, 5, 6]; Real y = x[1, 2]; end M;",
         "must be of the type"},
        {"model M Real x[Boolean] = {1, 2}; Real y = x[1]; end M;", "must be of the type"},
        {COLOURS "Real x[E] = {1, 2, 3}; Real y = sum(x[1:2]); end M;", "must be of the type"},
    };
    CHECK_ALL(right);
    CHECK_REFUSALS(wrong);
}

// "12.^x" is the number 12. and then a power.
TEST(the_longest_word_counts)
{
    static const sample right[] = {
        {"a point, and then an operator", "model M Real y = 2.*3.+4./2.-1.; end M;", "y", 1, 7, 0},
        {"element by element", "model M Real x[2] = 2 .^ {1, 3}; Real y = sum(x); end M;", "y", 1,
         10, 0},
        {"a power of a number", "model M Real y = 2.^3; end M;", "y", 1, 8, 0},
    };
    CHECK_ALL(right);
    check_refused("model M Real x[2] = 12.^{1, 2}; end M;", "");
    check_refused("model M Real x[2] = 1./{1, 2}; end M;", "");
}

TEST(inner_and_outer_fit)
{
    static const refusal wrong[] = {
        {"model A outer Real w; Real y = w; end A; model M inner Integer w = 1; A a; end M;",
         "the inner 'w' is 'Integer', and this is 'Real'"},
        {"type V = Real[3]; model A outer Real w; Real y = 1; end A;\n"
         "model M inner V w = {1, 2, 3}; A a; end M;",
         "'w' has 0 dimensions, its inner component 1"},
        {"record R Integer i; end R; record S extends R; Real a; end S;\n"
         "model A outer R r; Real y = r.a; end A; model M inner S r(i = 1, a = 2); A a; end M;",
         "there is no 'a' in record 'R', which the outer 'r' is"},
    };
    static const sample right[] = {
        {"what both have",
         "record R Integer i; end R; record S extends R; Real a; end S;\n"
         "model A outer R r; Real y = r.i; end A;\n"
         "model M inner S r(i = 3, a = 2); A a; Real z = a.y; end M;",
         "z", 1, 3, 0},
        {"sizes of the type",
         "type V = Real[3]; model A outer Real w[3]; Real y = w[2]; end A;\n"
         "model M inner V w = {1, 2, 3}; A a; Real z = a.y; end M;",
         "z", 1, 2, 0},
    };
    CHECK_ALL(right);
    CHECK_REFUSALS(wrong);
}

#define SUMS                                                                             \
    "operator record C Real x; encapsulated operator function '+' import C; input C a; " \
    "input C b; output C c; algorithm c := C(a.x + b.x); end '+'; end C;\n"

TEST(names_through_components_and_bases)
{
    static const refusal wrong[] = {
        {SUMS "model M C a(x = 1); C b = a.'+'(a, a); end M;", "function of an operator"},
        {"model B protected constant Real x = 2; end B; model M extends B; Real y = B.x; end M;",
         "'x' is protected in 'B'"},
        {"model B model A Real x = 2; end A; .B.A a; end B; model M B b; end M;",
         "'B' is not a package"},
        {"model A C1 c; protected replaceable class C1 Real x = 1; end C1; end A;\n"
         "model B class C2 Real x = 2; end C2; extends A(redeclare replaceable class C1 = C2);\n"
         "end B; class C3 Real x = 3; end C3; model M B b(redeclare class C1 = C3); end M;",
         "class 'C1' is protected"},
    };
    static const sample right[] = {
        {"a public function that a protected one takes the place of",
         "model A replaceable function f output Integer x; algorithm x := 1; end f; end A;\n"
         "model B extends A(redeclare function f = g); protected\n"
         "function g output Integer x; algorithm x := 2; end g; end B;\n"
         "model M B b; Integer x = b.f(); end M;",
         "x", 1, 2, 0},
        {"what is inherited, by its own name",
         "model B protected constant Real x = 2; end B; model M extends B; Real y = x; end M;", "y",
         1, 2, 0},
    };
    CHECK_ALL(right);
    CHECK_REFUSALS(wrong);
}

TEST(flows_are_of_connectors)
{
    static const sample right[] = {
        {"a flow that nothing can be connected to is a variable",
         "model M flow Real x = 3*time; end M;", "x", 2, 6, 1e-12},
    };
    static const refusal wrong[] = {
        {"connector P Real v; flow Real i; end P; block B P p; equation p.v = 1; end B;\n"
         "model M B b; end M;",
         "'p' is in a block"},
        {"record R flow Real x = 1; end R; model M R r; end M;",
         "a record cannot have flows or streams"},
    };
    CHECK_ALL(right);
    CHECK_REFUSALS(wrong);
}

TEST(classes_that_are_inherited_and_written)
{
    static const refusal wrong[] = {
        {"model B model A Real x = 2; end A; end B;\n"
         "model M model A Real x = 3; end A; extends B; A a; end M;",
         "class 'A' is inherited as another one"},
        {"model B model A Real x = 2; end A; end B; model D extends B; end D;\n"
         "model M extends D; block A Real x = 2; end A; A a; end M;",
         "class 'A' is inherited as another one"},
    };
    static const sample right[] = {
        {"alike",
         "model B model A Real x = 2; end A; end B;\n"
         "model M model A Real x = 2; end A; extends B; A a; Real y = a.x; end M;",
         "y", 1, 2, 0},
        {"redeclared",
         "model B replaceable model A Real x = 2; end A; end B;\n"
         "model M redeclare model A Real x = 3; end A; extends B; A a; Real y = a.x; end M;",
         "y", 1, 3, 0},
        {"extended",
         "model B replaceable model A Real x = 2; end A; end B; model M extends B;\n"
         "redeclare model extends A Real z = 2*x; end A; A a; Real y = a.z; end M;",
         "y", 1, 4, 0},
    };
    CHECK_ALL(right);
    CHECK_REFUSALS(wrong);
}

TEST(types_and_what_they_must_be_like)
{
    static const refusal wrong[] = {
        {"model M type A = Real[3]; type B = Real[2, 3];\n"
         "replaceable type T = A[2] constrainedby B; T x = {{1, 2, 3}, {4, 5, 6}}; end M;",
         "'T' is made of 1 dimension, and 'B' has 2"},
        {"model M type A = Real[3]; type B = Real[2, 3];\n"
         "replaceable A x[2] = {{1, 2, 3}, {4, 5, 6}} constrainedby B; end M;",
         "'A' has 1 dimension, and 'B', which it must be like, 2"},
        {"model M discrete Real x = 1; end M;", "it gets its values in a 'when'"},
        {"model A discrete Real x; end A; model M A a(x = time); end M;",
         "it gets its values in a 'when'"},
    };
    static const sample right[] = {
        {"of the same dimensions",
         "model M type A = Real[3]; replaceable A x[2] = {{1, 2, 3}, {4, 5, 6}} constrainedby A;\n"
         "Real y = sum(x); end M;",
         "y", 1, 21, 0},
        {"what is discrete, in a when",
         "model M discrete Real x(start = 1); equation when time > 1 then x = pre(x) + 1; end "
         "when;\n"
         "end M;",
         "x", 2, 2, 0},
    };
    CHECK_ALL(right);
    CHECK_REFUSALS(wrong);
}

TEST_MAIN(TEST_ENTRY(subscripts_of_the_type_that_a_dimension_names),
          TEST_ENTRY(the_longest_word_counts), TEST_ENTRY(inner_and_outer_fit),
          TEST_ENTRY(names_through_components_and_bases), TEST_ENTRY(flows_are_of_connectors),
          TEST_ENTRY(classes_that_are_inherited_and_written),
          TEST_ENTRY(types_and_what_they_must_be_like))
