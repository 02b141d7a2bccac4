/// Random guards: none is missed while "certified" or "isolated" is said. See guards_random.h.
#include "guards_random.h"

static void judge(const guard_totals *all)
{
    guard_totals sum = *all;
    fprintf(stderr,
            "    %ld guards, %ld rises: %ld certified, %ld isolated, %ld claim nothing, %ld "
            "refused\n",
            sum.cases, sum.rises, sum.certified, sum.isolated, sum.nothing, sum.refused);
    CHECK_INT(sum.missed, 0);
    CHECK_INT(sum.missed_jump, 0);
    CHECK(sum.open_guards <= 1 + sum.cases / 100); // sin(tan(x)) turns without end
    CHECK(sum.odd <= 1 + sum.rises / 50);
    CHECK(sum.certified > sum.cases / 3);
    CHECK(sum.nothing < 2 + sum.cases / 4);
    CHECK(sum.refused < 2 + sum.cases / 10);
}

static void many(uint64_t first, int count, bool scaled)
{
    guard_totals sum = {0};
    for (int i = 0; i < count && sum.missed < 5; i++)
        guard_try(first + (uint64_t)i, scaled, 4000, &sum);
    judge(&sum);
}

TEST(random_guards_are_not_missed)
{
    many(1, test_inputs(300, 3000), false);
}

TEST(random_guards_of_oscillators_are_not_missed)
{
    guard_totals sum = {0};
    int count = test_count(15, test_inputs(60, 150));
    for (uint64_t i = 0; i < (uint64_t)count && sum.missed < 5; i++)
        guard_try_swing(300001 + i, 4000, &sum);
    judge(&sum);
}

TEST(random_guards_of_any_scale_are_not_missed)
{
    many(100001, test_inputs(300, 3000), true);
}

TEST(units_and_solvers_change_no_count)
{
    guard_pairs sum = {0};
    uint64_t count = (uint64_t)test_inputs(60, 600);
    for (uint64_t seed = 200001; seed < 200001 + count && sum.differ < 5; seed++)
        guard_try_ways(seed, &sum);
    fprintf(stderr, "    %ld pairs, %ld differ, %ld where nothing is claimed\n", sum.pairs,
            sum.differ, sum.open);
    CHECK(sum.pairs > 6 * (long)count);
    CHECK_INT(sum.differ, 0);
    CHECK(sum.open <= sum.pairs / 50);
}

TEST_MAIN(TEST_ENTRY(random_guards_are_not_missed),
          TEST_ENTRY(random_guards_of_oscillators_are_not_missed),
          TEST_ENTRY(random_guards_of_any_scale_are_not_missed),
          TEST_ENTRY(units_and_solvers_change_no_count))
