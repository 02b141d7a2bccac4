// Lanes: generated models, to the bit, with every width.
#include "analysis/lane_models.h"

TEST(generated_models)
{
    for (uint64_t k = 6; k < 126; k++) CHECK(lanes_agree(k, 2u << k % 3));
}

TEST(generated_balls)
{
    for (uint64_t k = 8; k < 68; k++) CHECK(balls_agree(k, 2u << k % 3));
}

TEST_MAIN(TEST_ENTRY(generated_models), TEST_ENTRY(generated_balls))
