#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(distances_count_single_changes)
{
    CHECK_INT(foi_edit_distance("", ""), 0);
    CHECK_INT(foi_edit_distance("dp45", "dp45"), 0);
    CHECK_INT(foi_edit_distance("dp45", "DP45"), 0);
    CHECK_INT(foi_edit_distance("", "abc"), 3);
    CHECK_INT(foi_edit_distance("abc", ""), 3);
    CHECK_INT(foi_edit_distance("kitten", "sitting"), 3);
    CHECK_INT(foi_edit_distance("radau5", "raduu5"), 1);
    CHECK_INT(foi_edit_distance("dp45", "dp54"), 1);
    CHECK_INT(foi_edit_distance("ca", "abc"), 3); // optimal alignment: no letter is moved twice
}

TEST(distances_are_symmetric_and_bounded)
{
    const char *words[] = {"height", "heigth", "weight", "h", "velocity", "eight", "hei", ""};
    for (size_t i = 0; i < FO_COUNT(words); i++)
        for (size_t j = 0; j < FO_COUNT(words); j++) {
            int distance = foi_edit_distance(words[i], words[j]);
            size_t a = strlen(words[i]), b = strlen(words[j]);
            CHECK_INT(distance, foi_edit_distance(words[j], words[i]));
            CHECK((distance == 0) == (i == j));
            CHECK(distance <= (int)(a > b ? a : b));
        }
}

TEST(long_texts_are_safe)
{
    char a[500], b[500];
    memset(a, 'a', sizeof a), memset(b, 'b', sizeof b);
    a[499] = b[499] = 0;
    CHECK_INT(foi_edit_distance(a, b), 63);
    foi_nearest n = foi_nearest_to(a);
    foi_nearest_try(&n, b);
    CHECK_TEXT(foi_nearest_hint(&n), "");
    foi_nearest_try(&n, a);
    CHECK_CONTAINS(foi_nearest_hint(&n), "did you mean 'aaa");
}

static const char *hint_for(const char *wanted, foi_nearest *n)
{
    static const char *const names[] = {"euler", "rk4", "dp45", "dop853", "radau5", "pendulum"};
    *n = foi_nearest_to(wanted);
    for (size_t i = 0; i < FO_COUNT(names); i++) foi_nearest_try(n, names[i]);
    return foi_nearest_hint(n);
}

TEST(the_nearest_name_is_offered)
{
    foi_nearest n;
    CHECK_TEXT(hint_for("eular", &n), "; did you mean 'euler'?");
    CHECK_TEXT(hint_for("DP45", &n), "; did you mean 'dp45'?");
    CHECK_TEXT(hint_for("raudau5", &n), "; did you mean 'radau5'?");
    CHECK_TEXT(hint_for("pend", &n), "; did you mean 'pendulum'?");
    CHECK_TEXT(hint_for("temperature", &n), "");
    CHECK_TEXT(hint_for("", &n), "");
    foi_nearest none = foi_nearest_to("x");
    CHECK_TEXT(foi_nearest_hint(&none), "");
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t to_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool reads_back(double value)
{
    char text[32];
    int length = foi_number_text(value, text, sizeof text);
    return length == (int)strlen(text) && length < 32 &&
           to_bits(strtod(text, NULL)) == to_bits(value);
}

TEST(numbers_are_short)
{
    const struct {
        double value;
        const char *text;
    } expected[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1e300, "1e+300"},
        {9.81, "9.81"},
        {1.0 / 3, "0.3333333333333333"},
        {NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {0.1 + 0.2, "0.30000000000000004"},
        {5e-324, "5e-324"},
        {123456789012345680.0, "1.2345678901234568e+17"},
    };
    for (size_t i = 0; i < FO_COUNT(expected); i++) {
        char text[32];
        int length = foi_number_text(expected[i].value, text, sizeof text);
        CHECK_TEXT(text, expected[i].text);
        CHECK_INT(length, (long long)strlen(expected[i].text));
    }
}

TEST(numbers_read_back_to_the_same_bits)
{
    const double values[] = {0.0,
                             -0.0,
                             1.0 / 3,
                             2.0 / 3,
                             1e22,
                             1e23,
                             5e-324,
                             2.2250738585072014e-308,
                             1.7976931348623157e308,
                             4.35,
                             0.1 + 0.2};
    for (size_t i = 0; i < FO_COUNT(values); i++) {
        if (!reads_back(values[i])) test_fail(__FILE__, __LINE__, "%.17g", values[i]);
        if (!reads_back(-values[i])) test_fail(__FILE__, __LINE__, "%.17g", -values[i]);
    }
    uint64_t random = 88172645463325252u; // xorshift64 (Marsaglia 2003)
    int tried = 0;
    for (int i = 0; i < 50000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        double value = from_bits(random);
        if (!isfinite(value)) continue;
        tried++;
        if (!reads_back(value)) test_fail(__FILE__, __LINE__, "%.17g", value);
    }
    CHECK(tried > 49000);
}

TEST_MAIN(TEST_ENTRY(distances_count_single_changes),
          TEST_ENTRY(distances_are_symmetric_and_bounded), TEST_ENTRY(long_texts_are_safe),
          TEST_ENTRY(the_nearest_name_is_offered), TEST_ENTRY(numbers_are_short),
          TEST_ENTRY(numbers_read_back_to_the_same_bits))
