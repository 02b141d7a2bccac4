// Tallies, time-weighted values, Student's quantiles, batches, warm-up, tables, series.
#include <foliot/random.h>
#include <foliot/statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(a_tally_gives_mean_variance_and_extremes)
{
    fo_tally t = {0};
    CHECK(isnan(fo_tally_variance(&t)));
    CHECK(isnan(fo_tally_half_width(&t, 0.95)));
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    for (int i = 0; i < 8; i++) fo_tally_add(&t, x[i]);
    CHECK_INT(t.count, 8);
    CHECK_NEAR(t.mean, 5, 1e-15);
    CHECK_NEAR(fo_tally_variance(&t), 32 / 7.0, 1e-14);
    CHECK(t.min == 2 && t.max == 9);
    // 2.364624251592785 is the quantile 0.975 for 7 degrees of freedom
    CHECK_NEAR(fo_tally_half_width(&t, 0.95), 2.364624251592785 * sqrt(32 / 7.0 / 8), 1e-13);
    CHECK(isnan(fo_tally_half_width(&t, 1)));
    // a large offset does not eat the variance
    fo_tally far = {0};
    for (int i = 0; i < 8; i++) fo_tally_add(&far, 1e9 + x[i]);
    CHECK_NEAR(fo_tally_variance(&far), 32 / 7.0, 1e-6);
    fo_tally_reset(&t, 3);
    CHECK(t.count == 0 && t.start == 3);
}

TEST(merged_tallies_are_the_tally_of_all)
{
    fo_random r = fo_random_stream(1, 1);
    fo_tally whole = {0}, parts[4] = {{0}}, merged = {0};
    for (int i = 0; i < 1000; i++) {
        double x = fo_random_normal(&r, 100, 3);
        fo_tally_add(&whole, x);
        fo_tally_add(&parts[i < 10 ? 0 : i < 500 ? 1 : 3], x); // the third stays empty
    }
    for (int i = 0; i < 4; i++) fo_tally_merge(&merged, &parts[i]);
    CHECK_INT(merged.count, 1000);
    CHECK_NEAR(merged.mean, whole.mean, 1e-12);
    CHECK_NEAR(merged.squares, whole.squares, 1e-9);
    CHECK(merged.min == whole.min && merged.max == whole.max);
}

// Coverage: of intervals for 90 %, nine in ten contain the true mean.
TEST(intervals_cover_the_mean_as_often_as_they_say)
{
    enum { TIMES = 4000 };
    fo_random r = fo_random_stream(5, 5);
    int covered = 0;
    for (int i = 0; i < TIMES; i++) {
        fo_tally t = {0};
        for (int k = 0; k < 5; k++) fo_tally_add(&t, fo_random_normal(&r, 7, 2));
        covered += fabs(t.mean - 7) <= fo_tally_half_width(&t, 0.9);
    }
    CHECK_NEAR(covered, 0.9 * TIMES, 4 * sqrt(TIMES * 0.9 * 0.1));
}

TEST(values_are_weighted_with_the_time_they_hold)
{
    fo_accumulate a = fo_accumulate_start("queue", 10, 0);
    CHECK(isnan(fo_accumulate_mean(&a, 10)));
    fo_accumulate_update(&a, 12, 3); // 0 for 2
    fo_accumulate_update(&a, 13, 1); // 3 for 1
    fo_accumulate_update(&a, 13, 2); // 1 for no time
    CHECK_NEAR(fo_accumulate_mean(&a, 13), 1, 1e-15);
    CHECK_NEAR(fo_accumulate_mean(&a, 14), 5 / 4.0, 1e-15); // 2 for 1
    CHECK_NEAR(fo_accumulate_variance(&a, 14), 13 / 4.0 - 25 / 16.0, 1e-15);
    CHECK(a.min == 0 && a.max == 3);
    CHECK_INT(a.count, 3);
    fo_accumulate_reset(&a, 14);
    CHECK_NEAR(fo_accumulate_mean(&a, 15), 2, 1e-15);
}

TEST(merged_values_are_those_of_both_times)
{
    fo_accumulate a = {0}, b = fo_accumulate_start("", 5, 4), none = {0};
    fo_accumulate_update(&b, 8, 1);
    fo_accumulate_update(&b, 9, 2);
    fo_accumulate_merge(&a, &b);
    CHECK_NEAR(a.mean, 13 / 4.0, 1e-15);
    CHECK_INT((int)a.min, 1);
    fo_accumulate_merge(&a, &b);
    fo_accumulate_merge(&a, &none);
    CHECK_NEAR(a.mean, 13 / 4.0, 1e-15);
    CHECK_NEAR(a.squares / a.weight, 49 / 4.0 - 169 / 16.0, 1e-14);
    CHECK_NEAR(a.weight, 8, 0);
}

// By integration of the density with 30 digits.
TEST(quantiles_of_student_are_right_to_ten_digits)
{
    static const struct {
        double n, q, t;
    } known[] = {
        {0.5, 0.4, 0.39797542678479059},      {0.5, 1e-12, 1.0284911563163401e+23},
        {1, 0.025, 12.706204736174704},       {1, 1e-6, 318309.88618274349},
        {2, 0.4, 0.28867513459481282},        {2, 1e-12, 707106.78118548687},
        {3, 0.1, 1.6377443536962101},         {5, 0.005, 4.0321429835552281},
        {10, 0.025, 2.2281388519862747},      {30, 0.025, 2.0422724563012383},
        {30, 1e-12, 11.397217523311411},      {137, 0.025, 1.977431212308175},
        {137, 0.4, 0.25383965431859088},      {1000, 1e-6, 4.7816086204583506},
        {99999, 0.025, 1.9599877077718448},   {99999, 1e-12, 7.0353717512737916},
        {1000000, 0.005, 2.5758342201053341}, {1000000, 1e-12, 7.0345726084112566},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double n = known[i].n, q = known[i].q, t = known[i].t;
        CHECK_NEAR(-fo_student_quantile(q, n) / t, 1, 1e-11);
        CHECK_NEAR(fo_student_cdf(-t, n) / q, 1, 1e-9);
        if (q > 1e-5) CHECK_NEAR(fo_student_quantile(1 - q, n) / t, 1, 1e-10);
    }
    CHECK(fo_student_quantile(0.5, 4) == 0);
    CHECK(isinf(fo_student_quantile(1, 4)));
    CHECK(isnan(fo_student_quantile(0.9, 0)) && isnan(fo_student_quantile(1.1, 3)));
    CHECK_NEAR(fo_student_cdf(0, 3), 0.5, 1e-16);
    CHECK_NEAR(fo_student_cdf(2, 1e12), 0.97724986805182079, 1e-12);
    CHECK_NEAR(fo_normal_quantile(0.975), 1.9599639845400542, 1e-14);
    CHECK_NEAR(fo_normal_quantile(1e-300), -37.047096299361199, 1e-12);
    CHECK_NEAR(fo_normal_quantile(0.4), -0.25334710313579974, 1e-15);
}

TEST(batch_means_see_through_correlation)
{
    // x_i = 0.9 x_i-1 + e_i: the mean of n has variance near 1/(n (1 - 0.9)^2), 19 times that of
    // independent values of the same variance
    enum { N = 200000, BATCHES = 20 };
    static double x[N];
    fo_random r = fo_random_stream(2, 2);
    double last = 0;
    fo_tally naive = {0};
    for (int i = 0; i < N; i++) {
        x[i] = last = 0.9 * last + fo_random_normal(&r, 0, 1);
        fo_tally_add(&naive, last);
    }
    fo_batches b;
    fo_message why;
    CHECK_STATUS(fo_batch_means(x, N, BATCHES, &b, &why), FO_OK, &why);
    CHECK_INT(b.size, N / BATCHES);
    double right = 100.0 / N; // of the mean of all
    double found = fo_tally_variance(&b.means) / BATCHES;
    CHECK(found > right / 2.5 && found < right * 2.5);
    CHECK(fo_tally_variance(&naive) / N < right / 10);
    CHECK(fabs(b.correlation) < 0.5);
    CHECK_STATUS(fo_batch_means(x, N, N / 2, &b, &why), FO_OK, &why);
    CHECK(b.correlation > 0.8); // much too short
    CHECK_STATUS(fo_batch_means(x, 7, 3, &b, &why), FO_OK, &why);
    CHECK_NEAR(b.means.mean, (x[1] + x[2] + x[3] + x[4] + x[5] + x[6]) / 6, 1e-14);
    CHECK_INT(fo_batch_means(x, 1, 2, &b, &why), FO_ERROR_ARGUMENT);
}

TEST(warm_up_is_found)
{
    enum { RUNS = 8, N = 1000, WINDOW = 20 };
    static double x[RUNS][N], curve[N];
    const double *runs[RUNS];
    for (int k = 0; k < RUNS; k++) {
        fo_random r = fo_random_stream(7, (uint64_t)k);
        for (int i = 0; i < N; i++)
            x[k][i] = 10 - 8 * exp(-i / 50.0) + fo_random_normal(&r, 0, 0.5);
        runs[k] = x[k];
        size_t cut = fo_mser(x[k], N, 5);
        CHECK(cut >= 80 && cut <= 350);
    }
    fo_message why;
    CHECK_STATUS(fo_welch(runs, RUNS, N, WINDOW, curve, &why), FO_OK, &why);
    double start = 0, middle = 0;
    for (int k = 0; k < RUNS; k++) {
        start += x[k][0] / RUNS;
        for (int i = 500 - WINDOW; i <= 500 + WINDOW; i++)
            middle += x[k][i] / RUNS / (2 * WINDOW + 1);
    }
    CHECK_NEAR(curve[0], start, 1e-13);
    CHECK_NEAR(curve[500], middle, 1e-11);
    size_t settled = fo_welch_settled(curve, N - WINDOW, 0.05); // 8 exp(-i/50) = 0.4: i = 150
    CHECK(settled > 100 && settled < 220);
    CHECK_INT(fo_welch(runs, RUNS, N, N, curve, &why), FO_ERROR_ARGUMENT);
}

TEST(a_run_that_never_settles_is_too_short)
{
    double ramp[100], flat[100];
    for (int i = 0; i < 100; i++) ramp[i] = i, flat[i] = 3;
    CHECK_INT((int)fo_mser(ramp, 100, 5), 100);
    CHECK_INT((int)fo_mser(flat, 100, 5), 0);
    CHECK_INT((int)fo_mser(flat, 3, 5), 3);
    CHECK_INT((int)fo_welch_settled(flat, 100, 0.1), 0);
}

static double square(double x, void *context)
{
    return x * x * *(double *)context;
}

TEST(tables_interpolate)
{
    fo_message why;
    fo_lookup *t = fo_lookup_create(NULL);
    REQUIRE(t);
    CHECK(isnan(fo_lookup_value(t, 1)));
    const double x[] = {3, 1, 2, 5, 2}, y[] = {30, 10, 7, 0, 20};
    for (int i = 0; i < 5; i++) CHECK_STATUS(fo_lookup_add(t, x[i], y[i], &why), FO_OK, &why);
    CHECK_INT(fo_lookup_count(t), 4);
    CHECK(fo_lookup_value(t, 0) == 10 && fo_lookup_value(t, 9) == 0);
    CHECK(fo_lookup_value(t, 2) == 20);
    CHECK_NEAR(fo_lookup_value(t, 2.5), 25, 1e-14);
    CHECK_NEAR(fo_lookup_value(t, 4.5), 7.5, 1e-14);
    CHECK_INT(fo_lookup_add(t, NAN, 1, &why), FO_ERROR_NUMBER);
    fo_lookup_destroy(t);

    t = fo_lookup_create(NULL);
    double scale = 2;
    CHECK_STATUS(fo_lookup_tabulate(t, square, &scale, -1, 3, 41, &why), FO_OK, &why);
    CHECK_INT(fo_lookup_count(t), 41);
    CHECK(fo_lookup_x(t)[40] == 3 && fo_lookup_y(t)[40] == 18);
    CHECK_NEAR(fo_lookup_value(t, 1.234), 2 * 1.234 * 1.234, 2 * 0.05 * 0.05 + 1e-12);
    CHECK_INT(fo_lookup_tabulate(t, square, &scale, 1, 1, 5, &why), FO_ERROR_ARGUMENT);
    fo_lookup_destroy(t);
    fo_lookup_destroy(NULL);
}

TEST(series_are_read_at_any_time)
{
    fo_message why;
    fo_series *s = fo_series_create(NULL);
    REQUIRE(s);
    CHECK(isnan(fo_series_at(s, 0, true)) && isnan(fo_series_mean(s, true)));
    const double t[] = {0, 2, 2, 4}, x[] = {1, 5, 10, 0};
    for (int i = 0; i < 4; i++) CHECK_STATUS(fo_series_add(s, t[i], x[i], &why), FO_OK, &why);
    CHECK_NEAR(fo_series_at(s, 1, false), 3, 1e-15);
    CHECK_NEAR(fo_series_at(s, 1, true), 1, 0);
    CHECK(fo_series_at(s, 2, false) == 10 && fo_series_at(s, 4, false) == 0);
    CHECK_NEAR(fo_series_at(s, 3, false), 5, 1e-15);
    CHECK(isnan(fo_series_at(s, 4.1, true)) && isnan(fo_series_at(s, -1, true)));
    CHECK_NEAR(fo_series_mean(s, false), (6 + 10) / 4.0, 1e-15);
    CHECK_NEAR(fo_series_mean(s, true), (2 + 20) / 4.0, 1e-15);
    CHECK_INT(fo_series_add(s, 3.9, 1, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "must not fall");
    CHECK_INT(fo_series_count(s), 4);
    fo_series_destroy(s);
    fo_series_destroy(NULL);
}

// Every allocation fails once; returns false when none was left to fail.
static bool fails_cleanly(long at)
{
    test_memory memory;
    test_memory_init(&memory, at);
    fo_message why;
    fo_status status = FO_OK;
    fo_series *s = fo_series_create(&memory.allocator);
    for (int i = 0; s && !status && i < 20; i++) status = fo_series_add(s, i, i, &why);
    fo_series_destroy(s);
    fo_lookup *t = status || !s ? NULL : fo_lookup_create(&memory.allocator);
    for (int i = 0; t && !status && i < 20; i++) {
        status = fo_lookup_add(t, -i, i, &why);
        CHECK(fo_lookup_count(t) == (size_t)(status ? i : i + 1));
    }
    fo_lookup_destroy(t);
    fo_histogram_def def = {.upper = 1, .cells = 3, .allocator = &memory.allocator};
    fo_histogram *h = status || !t ? NULL : fo_histogram_create(&def, &why);
    fo_histogram_destroy(h);
    CHECK_INT(memory.live, 0);
    if (status) CHECK_INT(why.status, FO_ERROR_MEMORY);
    return !h;
}

TEST(every_allocation_may_fail)
{
    long at = 1;
    while (fails_cleanly(at)) at++;
    CHECK(at > 6);
}

TEST_MAIN(TEST_ENTRY(a_tally_gives_mean_variance_and_extremes),
          TEST_ENTRY(merged_tallies_are_the_tally_of_all),
          TEST_ENTRY(intervals_cover_the_mean_as_often_as_they_say),
          TEST_ENTRY(values_are_weighted_with_the_time_they_hold),
          TEST_ENTRY(merged_values_are_those_of_both_times),
          TEST_ENTRY(quantiles_of_student_are_right_to_ten_digits),
          TEST_ENTRY(batch_means_see_through_correlation), TEST_ENTRY(warm_up_is_found),
          TEST_ENTRY(a_run_that_never_settles_is_too_short), TEST_ENTRY(tables_interpolate),
          TEST_ENTRY(series_are_read_at_any_time), TEST_ENTRY(every_allocation_may_fail))
