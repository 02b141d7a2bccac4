// Histograms, and the report of the fire-fighting example of the jDisco paper (K. Helsgaun, section
// 4.2), whose numbers come from java.util.Random with seed 54521.
#include <foliot/random.h>
#include <foliot/statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static char *text_of(const fo_histogram *h)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK(fo_histogram_report(out, h) == FO_OK);
    fclose(out);
    return text;
}

// One fire in closed form: until the engine comes at time T the size is s e^(ct), then
// (s1 - e) e^(c(t-T)) + e with e = 10/c, until it is out. Returns the damage in per cent.
static double burn(double c, double material, double travel, double s, double *duration)
{
    double grown = exp(c * travel), s1 = s * grown, damage = s + s * (grown - 1) / c, e = 10 / c;
    double rest = log(e / (e - s1)) / c; // not all of it can burn down in this run
    *duration = travel + rest;
    damage += e * rest + (s1 - e) * expm1(c * rest) / c;
    CHECK(damage < material);
    return damage * 100 / material;
}

// A month of fires. They end in another order than they begin, which changes no sum but the last
// digits. Four engines are always enough.
static void watch_fires(fo_histogram *h)
{
    enum { MONTH = 30 * 24 * 60 };
    fo_random r = fo_random_java(54521);
    double t = fo_random_negexp(&r, 1 / 360.0);
    while (t < MONTH) {
        double c = fo_random_uniform(&r, 0.01, 0.06), material = fo_random_uniform(&r, 100, 600);
        double travel = fo_random_uniform(&r, 5, 15), size = fo_random_uniform(&r, 0, 5), duration;
        double damage = burn(c, material, travel, size, &duration);
        if (t + duration <= MONTH) fo_histogram_add(h, damage);
        t += fo_random_negexp(&r, 1 / 360.0);
    }
}

// The print has 73.831 as maximum, from its integration with a tolerance of 1e-4; 73.83197 is
// right.
static const char published[] =
    "title       /  (re)set/   obs/  average/est.st.dv/  minimum/  maximum/    conf./\n"
    "Perc. damage     0.000    138    13.817    13.257     0.062    73.832     2.240\n"
    "\n"
    "cell/lower lim/    n/   freq/  cum %\n"
    "                                      |----------------------------------------\n"
    "   0 -infinity     0    0.00    0.00  |\n"
    "   1     0.000    16    0.12   11.59  |*****************\n"
    "   2     5.000    38    0.28   39.13  |****************************************\n"
    "   3    10.000    31    0.22   61.59  |*********************************\n"
    "   4    15.000    17    0.12   73.91  |******************\n"
    "   5    20.000    13    0.09   83.33  |**************\n"
    "   6    25.000     4    0.03   86.23  |****\n"
    "   7    30.000     4    0.03   89.13  |****\n"
    "   8    35.000     6    0.04   93.48  |******\n"
    "   9    40.000     2    0.01   94.93  |**\n"
    "  10    45.000     4    0.03   97.83  |****\n"
    "  11    50.000     1    0.01   98.55  |*\n"
    "  12    55.000     0    0.00   98.55  |\n"
    "  13    60.000     0    0.00   98.55  |\n"
    "  14    65.000     0    0.00   98.55  |\n"
    "  15    70.000     0    0.00   98.55  |\n"
    "  16    75.000     2    0.01  100.00  |**\n"
    "  17    80.000     0    0.00  100.00  |\n"
    "  18    85.000     0    0.00  100.00  |\n"
    "  19    90.000     0    0.00  100.00  |\n"
    "                                          **rest of table empty**\n"
    "                                      |----------------------------------------\n";

TEST(the_published_report_is_reproduced)
{
    fo_message why;
    fo_histogram_def def = {.title = "Perc. damage", .upper = 100, .cells = 20, .jdisco = true};
    fo_histogram *h = fo_histogram_create(&def, &why);
    REQUIRE(h);
    watch_fires(h);
    char *text = text_of(h);
    CHECK_TEXT(text, published);
    free(text);
    const fo_tally *t = fo_histogram_tally(h);
    CHECK_NEAR(t->mean, 13.817333386081893, 1e-10);
    CHECK_NEAR(fo_tally_deviation(t), 13.304905679828508, 1e-10);
    CHECK_NEAR(t->min, 0.062249675394479745, 1e-12);
    CHECK_NEAR(t->max, 73.83197099335953, 1e-9);
    CHECK_NEAR(fo_tally_half_width(t, 0.95), 2.2396164143660777, 1e-9);
    fo_histogram_destroy(h);
}

TEST(true_cells_hold_what_lies_in_them)
{
    static const uint64_t cells[22] = {0, 32, 41, 24, 12, 8, 4, 6, 3, 3, 2, 1, 0, 0, 0, 2};
    fo_message why;
    fo_histogram_def def = {.title = "Perc. damage", .upper = 100, .cells = 20};
    fo_histogram *h = fo_histogram_create(&def, &why);
    REQUIRE(h);
    watch_fires(h);
    for (size_t i = 0; i < 22; i++) CHECK_INT(fo_histogram_count(h, i), cells[i]);
    char *text = text_of(h);
    CHECK_CONTAINS(text, "138    13.817    13.305     0.062");
    free(text);
    fo_histogram_destroy(h);
}

TEST(edges_and_outliers_have_their_cells)
{
    fo_message why;
    fo_histogram_def def = {.lower = -1, .upper = 1, .cells = 4};
    fo_histogram *h = fo_histogram_create(&def, &why);
    REQUIRE(h);
    const double x[] = {-1.5, -1, -0.5, -0.25, 0, 0.999, 1, 7};
    for (int i = 0; i < 8; i++) fo_histogram_add(h, x[i]);
    const uint64_t expected[] = {1, 1, 2, 1, 1, 2};
    for (size_t i = 0; i < 6; i++) CHECK_INT(fo_histogram_count(h, i), expected[i]);
    CHECK_INT(fo_histogram_count(h, 6), 0);
    CHECK_NEAR(fo_histogram_quantile(h, 0.5), 0, 1e-15);
    CHECK_NEAR(fo_histogram_quantile(h, 1), 7, 1e-15);
    CHECK_NEAR(fo_histogram_quantile(h, 0), -1.5, 1e-15);

    fo_histogram *sum = fo_histogram_create(&def, &why);
    REQUIRE(sum);
    CHECK_STATUS(fo_histogram_merge(sum, h, &why), FO_OK, &why);
    CHECK_STATUS(fo_histogram_merge(sum, h, &why), FO_OK, &why);
    for (size_t i = 0; i < 6; i++) CHECK_INT(fo_histogram_count(sum, i), 2 * expected[i]);
    CHECK_INT(fo_histogram_tally(sum)->count, 16);
    def.cells = 5;
    fo_histogram *other = fo_histogram_create(&def, &why);
    REQUIRE(other);
    CHECK_INT(fo_histogram_merge(sum, other, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "has 4 cells from -1 to 1");
    fo_histogram_reset(sum, 2);
    CHECK_INT(fo_histogram_count(sum, 1), 0);
    char *text = text_of(sum);
    CHECK_CONTAINS(text, "***no entries recorded***");
    CHECK(isnan(fo_histogram_quantile(sum, 0.5)));
    free(text);
    fo_histogram_destroy(h);
    fo_histogram_destroy(sum);
    fo_histogram_destroy(other);
    fo_histogram_destroy(NULL);
}

TEST(the_median_of_many_is_near_the_true_one)
{
    fo_message why;
    fo_histogram_def def = {.upper = 10, .cells = 200};
    fo_histogram *h = fo_histogram_create(&def, &why);
    REQUIRE(h);
    fo_random r = fo_random_stream(3, 3);
    for (int i = 0; i < 40000; i++) fo_histogram_add(h, fo_random_negexp(&r, 1));
    CHECK_NEAR(fo_histogram_quantile(h, 0.5), log(2), 4 * 0.5 / sqrt(40000) / 0.5);
    CHECK_NEAR(fo_histogram_quantile(h, 0.9), log(10), 4 * 0.3 / sqrt(40000) / 0.1);
    fo_histogram_destroy(h);
}

TEST(senseless_definitions_are_refused)
{
    fo_message why;
    CHECK(!fo_histogram_create(&(fo_histogram_def){.title = "a", .cells = 3}, &why));
    CHECK_CONTAINS(why.text, "histogram 'a': lower must be less than upper");
    CHECK(!fo_histogram_create(&(fo_histogram_def){.upper = 1}, &why));
    CHECK_CONTAINS(why.text, "0 cells");
    CHECK(!fo_histogram_create(&(fo_histogram_def){.lower = NAN, .upper = 1, .cells = 1}, &why));
    CHECK(!fo_histogram_create(&(fo_histogram_def){.upper = 1, .cells = SIZE_MAX}, &why));
}

TEST(lines_of_reports)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fo_tally t = fo_tally_start("Thru times in the shop", 1.5);
    fo_tally_report(out, &t);
    fo_tally_add(&t, 1e-5);
    fo_tally_report(out, &t);
    fo_tally_add(&t, 123456789);
    fo_tally_report(out, &t);
    fo_accumulate a = fo_accumulate_start("In shop", 0, 1);
    fo_accumulate_update(&a, 1, 3);
    CHECK_STATUS(fo_accumulate_report(out, &a, 2), FO_OK, NULL);
    fo_lookup *table = fo_lookup_create(NULL);
    fo_lookup_add(table, 1, -12345.6789, NULL);
    CHECK_STATUS(fo_lookup_report(out, table), FO_OK, NULL);
    fo_lookup_destroy(table);
    fclose(out);
    CHECK_TEXT(text,
               "Thru times i     1.500      0         -         -         -         -         -\n"
               "Thru times i     1.500      1  1.00e-05         -  1.00e-05  1.00e-05         -\n"
               "Thru times i     1.500      2  61728395  87297133  1.00e-05 123456789 784333619\n"
               "     In shop     0.000      1     2.000     1.000     1.000     3.000         -\n"
               "         x           y\n"
               "     1.000   -12345.68\n");
    free(text);
    FILE *full = fopen("/dev/full", "w");
    if (!full) return;
    setvbuf(full, NULL, _IONBF, 0);
    CHECK_INT(fo_tally_report(full, &t), FO_ERROR_INPUT);
    fclose(full);
}

TEST_MAIN(TEST_ENTRY(the_published_report_is_reproduced),
          TEST_ENTRY(true_cells_hold_what_lies_in_them),
          TEST_ENTRY(edges_and_outliers_have_their_cells),
          TEST_ENTRY(the_median_of_many_is_near_the_true_one),
          TEST_ENTRY(senseless_definitions_are_refused), TEST_ENTRY(lines_of_reports))
