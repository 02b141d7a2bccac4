/// The flat model made by hand: folding, conversion, values, text.
#include "equations/flat.h"

#include <math.h>

#include "test.h"

static void check_text(const foi_flat_expr *e, const char *expected)
{
    foi_flat_writer writer = {0};
    REQUIRE(e);
    foi_flat_print_expr(e, &writer);
    CHECK_TEXT(writer.text, expected);
    foi_free(NULL, writer.text);
}

TEST(literals_fold_and_integers_become_real)
{
    foi_flat *f = foi_flat_create(NULL);
    REQUIRE(f);
    foi_flat_variable x = {.name = "x", .type = FOI_REAL}, n = {.name = "n", .type = FOI_INTEGER};
    const foi_flat_expr *two = foi_flat_integer(f, 2), *three = foi_flat_integer(f, 3);
    const foi_flat_expr *sum = foi_flat_binary(f, FOI_OP_ADD, two, three);
    CHECK(sum->op == FOI_OP_LITERAL && sum->number == 5 && sum->type == FOI_INTEGER);
    const foi_flat_expr *ratio = foi_flat_binary(f, FOI_OP_DIVIDE, two, three);
    CHECK(ratio->op == FOI_OP_LITERAL && ratio->number == 2.0 / 3 && ratio->type == FOI_REAL);
    const foi_flat_expr *zero = foi_flat_integer(f, 0);
    CHECK(foi_flat_binary(f, FOI_OP_DIVIDE, two, zero)->op == FOI_OP_DIVIDE);
    check_text(foi_flat_binary(f, FOI_OP_MULTIPLY, foi_flat_of(f, &x), foi_flat_of(f, &n)),
               "x*Real(n)");
    check_text(foi_flat_binary(f, FOI_OP_LESS, two, foi_flat_of(f, &x)), "2.0 < x");
    CHECK(foi_flat_binary(f, FOI_OP_ADD, NULL, two) == NULL);
    foi_flat_destroy(f);
}

TEST(brackets_stand_where_they_must)
{
    foi_flat *f = foi_flat_create(NULL);
    REQUIRE(f);
    foi_flat_variable x = {.name = "x"}, y = {.name = "y"};
    const foi_flat_expr *a = foi_flat_of(f, &x), *b = foi_flat_of(f, &y);
    const foi_flat_expr *difference = foi_flat_binary(f, FOI_OP_SUBTRACT, a, b);
    check_text(foi_flat_binary(f, FOI_OP_SUBTRACT, a, difference), "x - (x - y)");
    check_text(foi_flat_binary(f, FOI_OP_SUBTRACT, difference, a), "x - y - x");
    check_text(foi_flat_binary(f, FOI_OP_POWER, foi_flat_unary(f, FOI_OP_NEGATE, a), b), "(-x)^y");
    check_text(foi_flat_unary(f, FOI_OP_NEGATE, difference), "-(x - y)");
    const foi_flat_expr *less = foi_flat_binary(f, FOI_OP_LESS, a, b);
    const foi_flat_expr *choice = foi_flat_if(f, less, a, b);
    check_text(foi_flat_binary(f, FOI_OP_ADD, choice, a), "(if x < y then x else y) + x");
    CHECK_INT(foi_flat_binary(f, FOI_OP_ADD, choice, choice)->size, 13);
    foi_flat_destroy(f);
}

TEST(parameters_have_values_and_circles_have_none)
{
    foi_flat *f = foi_flat_create(NULL);
    REQUIRE(f);
    foi_flat_variable p[64] = {0}, q = {.name = "q", .variability = FOI_PARAMETER}, r = q, t = q;
    // p[k] = p[k - 1] + p[k - 1]: 2^63 additions, unless each is done once
    for (int k = 0; k < 64; k++) {
        p[k] = (foi_flat_variable){.name = "p", .variability = FOI_PARAMETER};
        p[k].binding =
            k ? foi_flat_binary(f, FOI_OP_ADD, foi_flat_of(f, &p[k - 1]), foi_flat_of(f, &p[k - 1]))
              : foi_flat_real(f, 1);
    }
    double value = 0;
    CHECK(foi_flat_evaluate(foi_flat_of(f, &p[63]), false, &value));
    CHECK(value == 0x1p63);
    CHECK(!p[5].structural);
    CHECK(foi_flat_evaluate(foi_flat_of(f, &p[63]), true, &value));
    CHECK(p[5].structural && p[63].structural);
    q.binding = foi_flat_of(f, &r), r.binding = foi_flat_of(f, &q);
    CHECK(!foi_flat_evaluate(foi_flat_of(f, &q), false, &value));
    CHECK_INT(q.evaluated, 4);
    t.binding = foi_flat_time(f);
    CHECK(!foi_flat_evaluate(foi_flat_of(f, &t), false, &value));
    CHECK_INT(t.evaluated, 3);
    foi_flat_destroy(f);
}

TEST(functions_of_known_numbers)
{
    static const struct {
        foi_flat_builtin builtin;
        double x, y, expected;
    } list[] = {
        {FOI_FN_MOD, -7, 3, 2},      {FOI_FN_REM, -7, 3, -1},    {FOI_FN_DIV, -7, 3, -2},
        {FOI_FN_FLOOR, -1.5, 0, -2}, {FOI_FN_CEIL, -1.5, 0, -1}, {FOI_FN_INTEGER, 2.7, 0, 2},
        {FOI_FN_SIGN, -3, 0, -1},    {FOI_FN_MIN, 2, 1, 1},      {FOI_FN_MAX, 2, 1, 2},
        {FOI_FN_ABS, -2, 0, 2},      {FOI_FN_SQRT, 9, 0, 3},     {FOI_FN_EXP, 0, 0, 1}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        double value = NAN;
        CHECK(foi_flat_builtin_value(list[i].builtin, (double[]){list[i].x, list[i].y, 0}, &value));
        CHECK_NEAR(value, list[i].expected, 0);
    }
    double value;
    CHECK(!foi_flat_builtin_value(FOI_FN_LOG, (double[]){-1, 0, 0}, &value));
    CHECK(!foi_flat_builtin_value(FOI_FN_SAMPLE, (double[]){0, 1, 0}, &value));
}

TEST_MAIN(TEST_ENTRY(literals_fold_and_integers_become_real),
          TEST_ENTRY(brackets_stand_where_they_must),
          TEST_ENTRY(parameters_have_values_and_circles_have_none),
          TEST_ENTRY(functions_of_known_numbers))
