// A million points per function and range against MPFR, and the worst of each.
#include "../math/accuracy.h"

TEST(a_million_points)
{
    measuring m;
    measuring_open(&m);
    for (size_t i = 0; i < SUBJECTS; i++) {
        double worst = measure_subject(&m, i, 1000000);
        printf("%-7s %.4f at %a %a\n", subjects[i].name, worst, m.at_x, m.at_y);
        fflush(stdout);
    }
    measure_left_lgamma(&m, 1000000);
    measuring_close(&m);
}

TEST_MAIN(TEST_ENTRY(a_million_points))
