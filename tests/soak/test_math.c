// About a million points per function (300,000 in each of its ranges) against MPFR, and the worst
// of each.
#include "../math/accuracy.h"

TEST(a_million_points)
{
    measuring m;
    measuring_open(&m);
    for (size_t i = 0; i < SUBJECTS; i++) {
        double worst = measure_subject(&m, i, 300000);
        printf("%-7s %.4f at %a %a\n", subjects[i].name, worst, m.at_x, m.at_y);
        fflush(stdout);
    }
    measure_left_lgamma(&m, 100000);
    measuring_close(&m);
}

TEST_MAIN(TEST_ENTRY(a_million_points))
