// 100,000 random guards of all scales against brute force: none is missed while "certified" is
// said; those that were missed although their jumps and poles were isolated are listed.
// FOLIOT_SOAK_GUARDS says how many, FOLIOT_SOAK_FIRST with which one to begin.
#include "../program/guards_random.h"

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

TEST(none_of_many_random_guards_is_missed)
{
    guard_totals sum = {0};
    long count = from_environment("FOLIOT_SOAK_GUARDS", 100000);
    long first = from_environment("FOLIOT_SOAK_FIRST", 1000000);
    for (long i = 0; i < count && sum.missed < 20; i++)
        if (i % 8 == 7)
            guard_try_swing((uint64_t)(first + i), 20000, &sum);
        else
            guard_try((uint64_t)(first + i), i % 2, 20000, &sum);
    printf(
        "    %ld guards, %ld rises: %ld certified, %ld isolated, %ld claim nothing, %ld refused\n",
        sum.cases, sum.rises, sum.certified, sum.isolated, sum.nothing, sum.refused);
    printf("    missed: %ld certified, %ld isolated\n", sum.missed, sum.missed_jump);
    CHECK_INT(sum.missed, 0);
    printf("    missed where nothing is claimed: %ld\n", sum.missed_open);
    CHECK(sum.missed_jump <= sum.isolated / 100);
}

TEST(many_random_guards_do_not_depend_on_units_and_solvers)
{
    guard_pairs sum = {0};
    long count = from_environment("FOLIOT_SOAK_GUARDS", 100000) / 50;
    long first = from_environment("FOLIOT_SOAK_FIRST", 1000000);
    for (long i = 0; i < count && sum.differ < 20; i++) guard_try_ways((uint64_t)(first + i), &sum);
    printf("    %ld pairs, %ld differ, %ld where nothing is claimed\n", sum.pairs, sum.differ,
           sum.open);
    CHECK_INT(sum.differ, 0);
}

TEST_MAIN(TEST_ENTRY(none_of_many_random_guards_is_missed),
          TEST_ENTRY(many_random_guards_do_not_depend_on_units_and_solvers))
