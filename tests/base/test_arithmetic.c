// One grammar of arithmetic: random expressions against an evaluation of their own, the places of
// mistakes, elements with blanks between them, and hostile texts.
#include "base/arithmetic.h"

#include <foliot/random.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "test.h"

static const char *const names[] = {"a",     "b_2",     "s.k[1]",         "pi2",
                                    "'a b'", "m.'u v'", "'a b'[2].'u v'", "two words"};
static const double values[] = {1.25, -3, 0.5, 7, 11, 13, 17, 19};
enum { NAMES = sizeof values / sizeof values[0] };

static fo_status find(void *self, const char *name, size_t *index, fo_message *why)
{
    (void)self;
    for (*index = 0; *index < NAMES; ++*index)
        if (strcmp(names[*index], name) == 0) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "there is no '%s'", name);
}

// A call of the scope's own: twice(...) of a name.
static fo_status call(void *self, const char *name, const char **at, size_t *index, bool *known,
                      fo_message *why)
{
    (void)self, (void)why;
    *known = strcmp(name, "max") == 0;
    if (!*known) return FO_OK;
    *at = strchr(*at, ')') + 1;
    *index = 0;
    return FO_OK;
}

static const foi_arithmetic_scope plain = {NULL, find, NULL, "", false};

static fo_status read_value(const char *text, const foi_arithmetic_scope *scope, double *value,
                            fo_message *why)
{
    static const double calls[] = {42};
    foi_arithmetic a;
    const char *at = text;
    fo_status status = foi_arithmetic_read(&a, text, &at, scope, NULL, why);
    if (status == FO_OK) *value = foi_arithmetic_value(&a, values, calls);
    foi_arithmetic_destroy(&a, NULL);
    return status;
}

static double value_of(const char *text)
{
    double value = NAN;
    fo_message why = {0};
    CHECK_STATUS(read_value(text, &plain, &value, &why), FO_OK, &why);
    return value;
}

TEST(what_binds_first)
{
    CHECK_NEAR(value_of("2 + 3 * 4 ^ 2 / 8 - 1"), 7, 0);
    CHECK_NEAR(value_of("-2^2"), -4, 0);
    CHECK_NEAR(value_of("2^3^2"), 512, 0);
    CHECK_NEAR(value_of("2^-1"), 0.5, 0);
    CHECK_NEAR(value_of("10-4-3"), 3, 0);
    CHECK_NEAR(value_of("48/4/3"), 4, 0);
    CHECK_NEAR(value_of("--2*-+3"), -6, 0);
    CHECK_NEAR(value_of("1 < 2 "), 1, 0);
    CHECK_NEAR(value_of("1 + (2 >= 3)*5 + (2 <= 2)"), 2, 0);
    CHECK_NEAR(value_of("max(a, b_2) + min(a,b_2) + s.k[1]"), -1.25, 0);
    CHECK_NEAR(value_of("'b_2' * sign(b_2) + atan2(0, 1)"), 3, 0);
    CHECK_NEAR(value_of("pi - pi2"), 3.14159265358979323846 - 7, 0);
    CHECK_NEAR(value_of("pow(2, 10) + log10(1000)"), 1027, 1e-12);
}

// Quotes around a name with spaces, and those that belong to a name of Modelica, also as a hint
// shows it.
TEST(names_in_quotes)
{
    CHECK(value_of("'two words' + \"two words\"") == 38);
    CHECK(value_of("'a b'") == 11);
    CHECK(value_of("''a b'' + 1") == 12);
    CHECK(value_of("\"'a b'\" * 2") == 22);
    CHECK(value_of("m.'u v' - 'a'") == 11.75);
    CHECK(value_of("'a b'[2].'u v' + 'a b'") == 28);
    CHECK(value_of("\"m.'u v'\"") == 13);
    static const char *const wrong[] = {"''a b'", "'a b", "m.'u v", "''", "'a b'."};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        double value;
        fo_message why = {0};
        CHECK(read_value(wrong[i], &plain, &value, &why) == FO_ERROR_FORMAT && why.text[0]);
    }
}

TEST(not_a_number_goes_through)
{
    CHECK(isnan(value_of("max(0/0, 1)")) && isnan(value_of("max(1, 0/0)")));
    CHECK(isnan(value_of("min(0/0, 1)")) && isnan(value_of("sign(0/0)")));
    CHECK(isnan(value_of("0/0 < 1")));
}

TEST(calls_of_ones_own_come_after_functions)
{
    foi_arithmetic_scope scope = plain;
    double value = 0;
    scope.call = call;
    CHECK_STATUS(read_value("max(1, 2) + max('x, y') + 1", &scope, &value, NULL), FO_OK, NULL);
    CHECK_NEAR(value, 45, 0);
}

// ------------------------------------------------------------------------- random, against a tree

typedef struct writer {
    fo_random random;
    char text[20000];
    size_t length;
} writer;

static uint64_t pick(writer *w, uint64_t below)
{
    return fo_random_bits(&w->random) % below;
}

static void put(writer *w, const char *text)
{
    if (pick(w, 4) == 0 && w->length) w->text[w->length++] = ' ';
    w->length += (size_t)sprintf(w->text + w->length, "%s", text);
}

static double grow(writer *w, int deep);

static double leaf(writer *w)
{
    size_t which = (size_t)pick(w, 6);
    char text[32];
    double number = (double)pick(w, 1000) / 8;
    if (which < 4) return put(w, names[which]), values[which];
    snprintf(text, sizeof text, "%g", number);
    put(w, text);
    return number;
}

static double two(writer *w, int deep)
{
    static const char *const ops[] = {"+", "-", "*", "/", "^"};
    int which = (int)pick(w, 5);
    put(w, "(");
    double a = grow(w, deep - 1);
    put(w, ")"), put(w, ops[which]), put(w, "(");
    double b = grow(w, deep - 1);
    put(w, ")");
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    default: return b == 2 ? a * a : foi_pow(a, b);
    }
}

static double grow(writer *w, int deep)
{
    double a;
    if (deep == 0) return leaf(w);
    switch (pick(w, 6)) {
    case 0: return leaf(w);
    case 1: put(w, "sin("), a = grow(w, deep - 1), put(w, ")"); return foi_sin(a);
    case 2: put(w, "-("), a = grow(w, deep - 1), put(w, ")"); return -a;
    default: return two(w, deep);
    }
}

TEST(random_trees_are_read_as_they_were_written)
{
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        static writer w;
        w.random = fo_random_stream(seed, 0), w.length = 0;
        double expected = grow(&w, 1 + (int)(seed % 6)), value = value_of(w.text);
        bool same =
            memcmp(&expected, &value, sizeof value) == 0 || (isnan(expected) && isnan(value));
        if (!same) printf("    seed %u: %s\n", (unsigned)seed, w.text);
        CHECK(same);
    }
}

// ---------------------------------------------------------------------------------------- mistakes

TEST(mistakes_have_a_column)
{
    static const char *const wrong[][2] = {
        {"", "column 1: expected a number, a name or '(', found the end"},
        {"1 +", "column 4: expected a number, a name or '(', found the end"},
        {"(1", "column 3: expected an operator or ')', found the end"},
        {"1 2", "column 3: expected an operator or the end, found '2'"},
        {"1 + zz", "column 5: there is no 'zz'"},
        {"sine(1)", "column 1: there is no function 'sine'; did you mean 'sin'?"},
        {"max(1)", "column 1: max has 2 arguments, found 1"},
        {"sin(1, 2)", "column 1: sin has 1 argument, found 2"},
        {"2*sin", "expected '(' after the name of a function, found the end"},
        {"1e999", "column 1: expected a number below 1.8e308, found '1e999'"},
        {"a \x01", "column 3: expected an operator or the end, found '?'"},
        {"a é b", "column 3: expected an operator or the end, found 'é'"},
        {"'a", "column 1: expected a name that ends"},
        {"s.k[1", "column 1: expected a name that ends"},
        {"1 < 2 < 3", "column 7: expected an operator or the end, found '<'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        fo_message why = {0};
        double value;
        CHECK(read_value(wrong[i][0], &plain, &value, &why) == FO_ERROR_FORMAT);
        CHECK_CONTAINS(why.text, wrong[i][1]);
    }
}

// Depth and the number of values at once are bounded, whatever opens them.
TEST(deep_texts_are_refused)
{
    static const char *const openings[] = {"(", "-", "sin(", "2^", "1+(2*(3^", "1<(2+(", "max(1,"};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        char text[20000] = "";
        double value;
        fo_message why = {0};
        for (int n = 0; n < 500; n++) strcat(text, openings[i]);
        CHECK(read_value(text, &plain, &value, &why) == FO_ERROR_FORMAT);
        CHECK_CONTAINS(why.text, "less nesting");
    }
    char text[20000] = "1";
    for (int n = 0; n < 4000; n++) strcat(text, "+1"); // long is not deep
    CHECK_NEAR(value_of(text), 4001, 0);
}

static int count_elements(const char *text)
{
    foi_arithmetic_scope scope = {NULL, find, NULL, " ,", true};
    int count = 0;
    for (const char *at = text; *at; count++) {
        foi_arithmetic a;
        fo_message why = {0};
        CHECK_STATUS(foi_arithmetic_read(&a, text, &at, &scope, NULL, &why), FO_OK, &why);
        foi_arithmetic_destroy(&a, NULL);
        foi_skip_spaces(&at);
    }
    return count;
}

TEST(blanks_separate_elements)
{
    CHECK_INT(count_elements("a -b_2"), 2);
    CHECK_INT(count_elements("a - b_2"), 1);
    CHECK_INT(count_elements("a-b_2"), 1);
    CHECK_INT(count_elements("a -b_2 +2 (a -b_2) 3"), 5);
    CHECK_INT(count_elements("a (b_2)"), 2);
    CHECK_INT(count_elements("a * b_2 ^ 2 -1"), 2);
}

// ------------------------------------------------------------------------------------------ slopes

static double along(const foi_arithmetic *a, const double *at, const double *slopes, double h)
{
    double moved[4];
    for (int i = 0; i < 4; i++) moved[i] = at[i] + h * slopes[i];
    return foi_arithmetic_value(a, moved, NULL);
}

// Romberg's scheme over central differences, and how far its last two entries differ.
static double difference(const foi_arithmetic *a, const double *at, const double *slopes,
                         double *doubt)
{
    enum { ROWS = 6 };
    double row[ROWS], h = 0.01;
    for (int k = 0; k < ROWS; k++, h /= 2) {
        double last = (along(a, at, slopes, h) - along(a, at, slopes, -h)) / (2 * h), factor = 4;
        for (int j = 0; j < k; j++, factor *= 4) {
            double next = last + (last - row[j]) / (factor - 1);
            row[j] = last, last = next;
        }
        *doubt = k ? fabs(last - row[k - 1]) : INFINITY;
        row[k] = last;
    }
    return row[ROWS - 1];
}

static double slope_at(const char *text, const double *at, const double *slopes, double *wanted,
                       double *doubt)
{
    foi_arithmetic a;
    const char *end = text;
    fo_message why = {0};
    CHECK_STATUS(foi_arithmetic_read(&a, text, &end, &plain, NULL, &why), FO_OK, &why);
    foi_tangent tangent = {at, slopes};
    double slope = foi_arithmetic_slope(&a, &tangent, NULL);
    if (wanted) *wanted = difference(&a, at, slopes, doubt);
    foi_arithmetic_destroy(&a, NULL);
    return slope;
}

TEST(slopes_are_those_of_differences)
{
    static const char *const texts[] = {"a",
                                        "3",
                                        "-a^2 + +b_2",
                                        "a*b_2/pi2",
                                        "pow(a, b_2)",
                                        "a^3 - 2^b_2",
                                        "abs(b_2)*sign(a)",
                                        "acos(a/10) + asin(b_2/10)",
                                        "atan(a*b_2) - atan2(a, pi2)",
                                        "cos(a)*cosh(b_2)",
                                        "exp(a/3)*log(pi2)",
                                        "log10(a + pi2)",
                                        "max(a, b_2)*min(a, pi2)",
                                        "sin(a^2)/sinh(pi2)",
                                        "sqrt(a*pi2)",
                                        "tan(a/3) + tanh(b_2)",
                                        "(a > b_2)*a + (a <= b_2)",
                                        "a^-b_2^2"};
    fo_random random = fo_random_stream(5, 0);
    for (int i = 0; i < 600; i++) {
        double at[4], slopes[4], wanted, doubt;
        for (int k = 0; k < 4; k++) {
            at[k] = fo_random_uniform(&random, 0.5, 3);
            slopes[k] = fo_random_uniform(&random, -1, 1);
        }
        const char *text = texts[i % (int)(sizeof texts / sizeof *texts)];
        double slope = slope_at(text, at, slopes, &wanted, &doubt);
        if (fabs(at[0] - at[1]) < 0.1 || fabs(at[0] - at[3]) < 0.1) continue; // kinks within steps
        test_near(__FILE__, __LINE__, text, slope, wanted, 1e-9 * fabs(wanted) + 8 * doubt + 1e-11);
    }
}

TEST(kinks_and_jumps_have_no_slope)
{
    static const char *const none[] = {"abs(a)",    "max(a, b_2)",         "min(b_2, a)", "sign(a)",
                                       "(a < b_2)", "sqrt(a)*0 + sqrt(a)", "1/a"};
    static const double at[] = {0, 0, 1, 1}, slopes[] = {1, 0, 0, 0};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        test_int(__FILE__, __LINE__, none[i],
                 isfinite(slope_at(none[i], at, slopes, NULL, NULL)) != 0, 0);
    // what does not vary has none to give
    CHECK(slope_at("abs(b_2) + sqrt(b_2) + a", at, slopes, NULL, NULL) == 1);
    CHECK(slope_at("max(a, a) + 2", at, slopes, NULL, NULL) == 1);
}

TEST_MAIN(TEST_ENTRY(what_binds_first), TEST_ENTRY(names_in_quotes),
          TEST_ENTRY(not_a_number_goes_through), TEST_ENTRY(calls_of_ones_own_come_after_functions),
          TEST_ENTRY(random_trees_are_read_as_they_were_written),
          TEST_ENTRY(mistakes_have_a_column), TEST_ENTRY(deep_texts_are_refused),
          TEST_ENTRY(blanks_separate_elements), TEST_ENTRY(slopes_are_those_of_differences),
          TEST_ENTRY(kinks_and_jumps_have_no_slope))
