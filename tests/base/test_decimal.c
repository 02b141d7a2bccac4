// Numbers as text: the same bits when read back, and never a digit too many.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "test.h"

static const char *text_of(double value)
{
    static char text[FOI_DECIMAL_SIZE];
    int length = foi_number_text(value, text);
    CHECK_INT(length, (long long)strlen(text));
    CHECK(length < FOI_DECIMAL_SIZE);
    return text;
}

static int digits_of(const char *text)
{
    char digits[64];
    int count = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (count || *text != '0')) digits[count++] = *text;
    while (count && digits[count - 1] == '0') count--;
    return count;
}

// The fewest digits with which printf's correctly rounded text reads back.
static int fewest_digits(double value)
{
    for (int digits = 1; digits < 17; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (strtod(text, NULL) == value) return digits_of(text);
    }
    return 17;
}

static bool reads_back(double value)
{
    double again = strtod(text_of(value), NULL);
    if (memcmp(&again, &value, sizeof value) == 0) return true;
    test_fail(__FILE__, __LINE__, "%a became %s", value, text_of(value));
    return false;
}

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

TEST(known_texts)
{
    CHECK_TEXT(text_of(0), "0");
    CHECK_TEXT(text_of(-0.0), "-0");
    CHECK_TEXT(text_of(1), "1");
    CHECK_TEXT(text_of(-20), "-20");
    CHECK_TEXT(text_of(0.1), "0.1");
    CHECK_TEXT(text_of(0.1 + 0.2), "0.30000000000000004");
    CHECK_TEXT(text_of(1.0 / 3), "0.3333333333333333");
    CHECK_TEXT(text_of(123456.789), "123456.789");
    CHECK_TEXT(text_of(0.0001), "0.0001");
    CHECK_TEXT(text_of(0.00001), "1e-5");
    CHECK_TEXT(text_of(-1.5e-9), "-1.5e-9");
    CHECK_TEXT(text_of(1e16), "10000000000000000");
    CHECK_TEXT(text_of(1e17), "1e17");
    CHECK_TEXT(text_of(1e23), "1e23");
    CHECK_TEXT(text_of(9007199254740993.0), "9007199254740992");
    CHECK_TEXT(text_of(DBL_MAX), "1.7976931348623157e308");
    CHECK_TEXT(text_of(DBL_MIN), "2.2250738585072014e-308");
    CHECK_TEXT(text_of(4.9406564584124654e-324), "5e-324");
    CHECK_TEXT(text_of(2e-323), "2e-323");
    CHECK_TEXT(text_of(NAN), "nan");
    CHECK_TEXT(text_of(INFINITY), "inf");
    CHECK_TEXT(text_of(-INFINITY), "-inf");
}

TEST(every_power_of_two_and_its_neighbours)
{
    for (int e = -1074; e <= 1023; e++) {
        double v = ldexp(1, e);
        if (!reads_back(v) || !reads_back(nextafter(v, 0)) || !reads_back(nextafter(v, INFINITY)))
            return;
        // below a power of two the neighbour is nearer: rounding to nearest may need a digit more
        CHECK(digits_of(text_of(v)) <= fewest_digits(v));
    }
}

TEST(every_power_of_ten_is_short)
{
    for (int e = -307; e <= 308; e++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", e);
        CHECK_INT(digits_of(text_of(strtod(text, NULL))), 1);
    }
}

TEST(random_bits_read_back_and_are_shortest)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t image = next_random(&state);
        double v;
        memcpy(&v, &image, sizeof v);
        if (!isfinite(v)) continue;
        if (!reads_back(v)) return;
        if (i % 10 == 0 && digits_of(text_of(v)) != fewest_digits(v)) {
            test_fail(__FILE__, __LINE__, "%.17g became %s", v, text_of(v));
            return;
        }
    }
}

TEST(random_numbers_of_everyday_size_read_back)
{
    uint64_t state = 2;
    for (int i = 0; i < 50000; i++) {
        double v = ldexp((double)(next_random(&state) >> 11), -(int)(next_random(&state) % 80));
        if (!reads_back(v) || !reads_back(i * 0.001)) return;
    }
}

TEST_MAIN(TEST_ENTRY(known_texts), TEST_ENTRY(every_power_of_two_and_its_neighbours),
          TEST_ENTRY(every_power_of_ten_is_short),
          TEST_ENTRY(random_bits_read_back_and_are_shortest),
          TEST_ENTRY(random_numbers_of_everyday_size_read_back))
