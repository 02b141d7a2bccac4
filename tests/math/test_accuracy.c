// The functions' errors against MPFR; many more points are under tests/soak.
#include "accuracy.h"

TEST(errors_are_as_promised)
{
    measuring m;
    measuring_open(&m);
    for (size_t i = 0; i < SUBJECTS; i++) measure_subject(&m, i, test_is_sanitized() ? 300 : 4000);
    measuring_close(&m);
}

TEST(lgamma_to_the_left_of_zero)
{
    measuring m;
    measuring_open(&m);
    measure_left_lgamma(&m, 4000);
    measuring_close(&m);
}

TEST_MAIN(TEST_ENTRY(errors_are_as_promised), TEST_ENTRY(lgamma_to_the_left_of_zero))
