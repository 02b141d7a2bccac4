// What a screen shows of a run, against a search through all rows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "desk/store.h"
#include "test.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static double unit(uint64_t *state)
{
    return (double)next_random(state) / 2147483648.0;
}

// Rows at random times, some twice (jumps), some values that are no numbers.
static foi_store *fill(uint64_t rows, uint64_t seed, double gaps)
{
    foi_store *s = foi_store_create(2, UINT64_MAX, NULL);
    uint64_t state = seed;
    double t = 0;
    for (uint64_t i = 0; i < rows; i++) {
        if (unit(&state) > 0.1) t += unit(&state);
        double v[2] = {unit(&state) - 0.5, unit(&state) < gaps ? NAN : floor(8 * unit(&state))};
        CHECK_INT(foi_store_add(s, t, v, NULL), FO_OK);
    }
    return s;
}

// Whether `row` is the first, last, smallest or largest of rows [a, b), or the first gap.
static bool belongs(const foi_store *s, uint32_t column, uint64_t a, uint64_t b, uint64_t row)
{
    double v = foi_store_value(s, row, column);
    if (row == a || row + 1 == b || isnan(v)) return true;
    bool least = true, most = true;
    for (uint64_t i = a; i < b; i++) {
        double other = foi_store_value(s, i, column);
        if (other < v) least = false;
        if (other > v) most = false;
    }
    return least || most;
}

static bool has_value(const foi_store *s, uint32_t column, const uint64_t *rows, size_t count,
                      uint64_t a, uint64_t b, bool most)
{
    double best = NAN, found = NAN;
    bool any = false;
    for (uint64_t i = a; i < b; i++) {
        double v = foi_store_value(s, i, column);
        if (!isnan(v) && (!any || (most ? v > best : v < best))) best = v, any = true;
    }
    if (!any) return true;
    for (size_t i = 0; i < count; i++) {
        double v = foi_store_value(s, rows[i], column);
        if (rows[i] >= a && rows[i] < b && !isnan(v) && v == best) found = v;
    }
    return found == best;
}

static void check_window(const foi_store *s, uint32_t column, uint64_t from, uint64_t to,
                         uint32_t pixels)
{
    uint64_t *rows = calloc((size_t)5 * pixels, sizeof *rows);
    double t0 = foi_store_time(s, from), t1 = foi_store_time(s, to - 1);
    size_t count = foi_store_m4(s, column, from, to, t0, t1, pixels, rows);
    CHECK(count <= (size_t)5 * pixels);
    for (size_t i = 1; i < count; i++) CHECK(rows[i] > rows[i - 1]);
    uint64_t a = from;
    for (uint32_t k = 0; k < pixels; k++) {
        double edge = k + 1 == pixels ? INFINITY : t0 + (t1 - t0) * ((k + 1.0) / pixels);
        uint64_t b = a;
        while (b < to && foi_store_time(s, b) < edge) b++;
        bool first = a == b, last = a == b;
        for (size_t i = 0; i < count; i++) {
            if (rows[i] < a || rows[i] >= b) continue;
            first |= rows[i] == a, last |= rows[i] + 1 == b;
            CHECK(belongs(s, column, a, b, rows[i]));
        }
        CHECK(first && last);
        CHECK(has_value(s, column, rows, count, a, b, true));
        CHECK(has_value(s, column, rows, count, a, b, false));
        a = b;
    }
    free(rows);
}

TEST(pixels_show_what_all_rows_show)
{
    uint64_t state = 7;
    for (int trial = 0; trial < 60; trial++) {
        uint64_t rows = 2 + next_random(&state) % 5000;
        foi_store *s = fill(rows, next_random(&state), trial % 3 ? 0 : 0.01);
        uint64_t from = next_random(&state) % (rows - 1);
        uint64_t to = from + 1 + next_random(&state) % (rows - from);
        // some of few pixels, which have chunks, and of many, which have not
        check_window(s, trial % 2, from, to,
                     1 + (uint32_t)(next_random(&state) % (trial % 4 ? 100 : 3)));
        foi_store_destroy(s);
    }
}

TEST(rows_are_found_copied_and_cut)
{
    foi_store *s = fill(3000, 5, 0);
    for (uint64_t row = 0; row < 3000; row += 17) {
        uint64_t found = foi_store_find(s, foi_store_time(s, row));
        CHECK(found <= row && foi_store_time(s, found) == foi_store_time(s, row));
    }
    CHECK_INT((long long)foi_store_find(s, 1e9), 3000);
    double *copy = calloc(2000, sizeof *copy);
    foi_store_copy(s, 1, 900, 2900, copy);
    for (uint64_t i = 0; i < 2000; i++) CHECK(copy[i] == foi_store_value(s, 900 + i, 1));
    foi_store_copy(s, UINT32_MAX, 0, 100, copy);
    CHECK(copy[99] == foi_store_time(s, 99));
    foi_store_cut(s, 1000);
    CHECK_INT((long long)foi_store_rows(s), 1000);
    double v[2] = {77, 78};
    foi_store_add(s, 1e6, v, NULL);
    CHECK(foi_store_value(s, 1000, 1) == 78);
    check_window(s, 0, 0, 1001, 13);
    free(copy);
    foi_store_destroy(s);
}

TEST(there_are_at_most_so_many)
{
    fo_message why;
    foi_store *s = foi_store_create(1, 3, NULL);
    double v = 0;
    for (int i = 0; i < 3; i++) CHECK_INT(foi_store_add(s, i, &v, &why), FO_OK);
    CHECK_INT(foi_store_add(s, 3, &v, &why), FO_ERROR_MEMORY);
    CHECK_CONTAINS(why.text, "more than 3 rows");
    foi_store_destroy(s);
}

TEST_MAIN(TEST_ENTRY(pixels_show_what_all_rows_show), TEST_ENTRY(rows_are_found_copied_and_cut),
          TEST_ENTRY(there_are_at_most_so_many))
