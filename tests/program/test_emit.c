// Machine code of our own gives the bits of the bytecode machine: for random programs of all
// operations and random inputs, however few registers there are.
#include "emit_random.h"

#include "test.h"

static const foi_target *const targets[] = {
#if defined(__x86_64__)
    &foi_target_sse2, &foi_target_avx
#elif defined(__aarch64__)
    &foi_target_arm
#else
    NULL
#endif
};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static bool is_here(const foi_target *target)
{
    const foi_target *best = foi_target_here();
    return target && best && (target == best || target == &foi_target_sse2);
}

/// A program in one way, with what it was compared by.
typedef struct tally {
    long compared, wrong, programs;
} tally;

static void compare(foi_program *g, const foi_emit_def *def, uint64_t seed, int points, tally *sum)
{
    fo_message why = {0};
    foi_native *n = foi_emit_native(g, def, &why);
    if (!n) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return;
    }
    long wrong = emit_differences(g, n, seed, points, &sum->compared);
    if (wrong)
        test_fail(__FILE__, __LINE__, "%ld results differ: seed %llu, %s, %u registers", wrong,
                  (unsigned long long)seed, def->target->name, def->registers);
    sum->wrong += wrong, sum->programs++;
    foi_native_free(n);
}

static void compare_all(uint64_t seed, const emit_shape *shape, int points, tally *sum)
{
    foi_program *g = emit_program(seed, shape);
    REQUIRE(g);
    for (size_t t = 0; t < TARGETS; t++) {
        if (!is_here(targets[t])) continue;
        for (uint32_t registers = 2; registers <= 16; registers++) {
            foi_emit_def def = {.target = targets[t], .everything = true};
            def.registers = registers <= 15 ? registers : 0;
            compare(g, &def, seed, points, sum);
        }
    }
    foi_program_destroy(g);
}

TEST(every_operation_has_its_bits)
{
    tally sum = {0};
    emit_shape shape = {.states = 3, .discretes = 2, .results = 3, .operations = 4};
    for (uint64_t seed = 1; seed <= 150 && sum.wrong < 5; seed++)
        compare_all(seed, &shape, 40, &sum);
    fprintf(stderr, "    %ld programs, %ld results\n", sum.programs, sum.compared);
    CHECK(sum.compared > 100000 || !foi_target_here());
}

TEST(long_programs_have_their_bits)
{
    tally sum = {0};
    for (uint64_t seed = 1001; seed <= 1030 && sum.wrong < 5; seed++) {
        emit_shape shape = {.states = 8, .discretes = 5, .results = 12, .operations = 300};
        shape.plain = seed % 2;
        compare_all(seed, &shape, 5, &sum);
    }
    fprintf(stderr, "    %ld programs, %ld results\n", sum.programs, sum.compared);
}

TEST(arrays_have_their_bits)
{
    tally sum = {0};
    long wide = 0;
    for (uint64_t seed = 2001; seed <= 2080 && sum.wrong < 5; seed++) {
        emit_shape shape = {.states = 13 + seed % 30, .discretes = 5, .results = 7};
        shape.operations = 2 + seed % 9, shape.lanes = shape.states, shape.plain = seed % 3 > 0;
        foi_program *g = emit_program(seed, &shape);
        wide += g && g->codes[FOI_TASK_RATES].wide;
        foi_program_destroy(g);
        compare_all(seed, &shape, 3, &sum);
    }
    fprintf(stderr, "    %ld programs, %ld results, %ld of 80 wide\n", sum.programs, sum.compared,
            wide);
    CHECK(wide > 40);
}

TEST_MAIN(TEST_ENTRY(every_operation_has_its_bits), TEST_ENTRY(long_programs_have_their_bits),
          TEST_ENTRY(arrays_have_their_bits))
