#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "test.h"

TEST(pieces_are_zero_aligned_and_apart)
{
    foi_arena arena;
    foi_arena_begin(&arena, NULL, 0);
    unsigned char *before = NULL;
    for (size_t size = 1; size < 3000; size += 37) {
        unsigned char *piece = foi_arena_new(&arena, size, 1);
        REQUIRE(piece);
        CHECK((uintptr_t)piece % _Alignof(max_align_t) == 0);
        for (size_t i = 0; i < size; i++) CHECK(piece[i] == 0);
        memset(piece, 0xff, size);
        CHECK(before != piece);
        before = piece;
    }
    foi_arena_end(&arena);
    CHECK(!arena.chunks && !arena.used);
}

TEST(lists_grow_and_keep_what_they_have)
{
    foi_arena arena;
    foi_arena_begin(&arena, NULL, 0);
    int *list = NULL;
    uint32_t count = 0;
    for (int i = 0; i < 1000; i++) {
        int *slot = foi_arena_add(&arena, &list, &count, sizeof *slot);
        REQUIRE(slot);
        CHECK_INT(*slot, 0);
        *slot = i;
    }
    CHECK_INT(count, 1000);
    for (int i = 0; i < 1000; i++) CHECK_INT(list[i], i);
    CHECK_TEXT(foi_arena_print(&arena, "%s %d", "and", 7), "and 7");
    CHECK_TEXT(foi_arena_text(&arena, "abcdef", 3), "abc");
    foi_arena_end(&arena);
}

TEST(limits_and_sizes_that_overflow_fail)
{
    foi_arena arena;
    foi_arena_begin(&arena, NULL, 1000);
    CHECK(foi_arena_new(&arena, 900, 1) != NULL);
    CHECK(!arena.failed);
    CHECK(foi_arena_new(&arena, 900, 1) == NULL);
    CHECK(arena.failed && arena.limited);
    foi_arena_end(&arena);
    foi_arena_begin(&arena, NULL, 0);
    CHECK(foi_arena_new(&arena, SIZE_MAX / 2, 3) == NULL);
    CHECK(foi_arena_new(&arena, SIZE_MAX, 1) == NULL);
    CHECK(arena.failed && !arena.limited);
    foi_arena_end(&arena);
}

TEST(every_chunk_may_be_lacking)
{
    for (long fail_at = 1; fail_at < 100; fail_at++) {
        test_memory memory;
        test_memory_init(&memory, fail_at);
        foi_arena arena;
        foi_arena_begin(&arena, &memory.allocator, 0);
        int right = 0;
        for (int i = 0; i < 50; i++)
            right += foi_arena_new(&arena, 100 + (size_t)i * 200, 1) != NULL;
        CHECK(arena.failed == (right < 50));
        bool done = fail_at > memory.allocations;
        CHECK(!done || right == 50);
        foi_arena_end(&arena);
        CHECK_INT(memory.live, 0);
        if (done) return;
    }
    CHECK(false);
}

TEST_MAIN(TEST_ENTRY(pieces_are_zero_aligned_and_apart),
          TEST_ENTRY(lists_grow_and_keep_what_they_have),
          TEST_ENTRY(limits_and_sizes_that_overflow_fail), TEST_ENTRY(every_chunk_may_be_lacking))
