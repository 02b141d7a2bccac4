#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#include "base/array.h"
#include "test.h"

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i]) return false;
    return true;
}

TEST(new_blocks_are_zero)
{
    unsigned char *block = foi_new(NULL, 100, 3);
    REQUIRE(block);
    CHECK(all_zero(block, 300));
    memset(block, 0xff, 300);
    block = foi_grow(NULL, block, 100, 200, 3);
    REQUIRE(block);
    CHECK(block[0] == 0xff && block[299] == 0xff);
    CHECK(all_zero(block + 300, 300));
    foi_free(NULL, block);
    foi_free(NULL, NULL);
}

TEST(no_bytes_are_a_block_too)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    void *block = foi_new(&memory.allocator, 0, 8);
    CHECK(block != NULL);
    CHECK_INT(memory.live, 1);
    foi_free(&memory.allocator, block);
    CHECK_INT(memory.live, 0);
}

TEST(sizes_that_overflow_fail)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    CHECK(foi_new(&memory.allocator, SIZE_MAX / 2, 3) == NULL);
    CHECK(foi_new(&memory.allocator, (size_t)PTRDIFF_MAX + 1, 1) == NULL);
    CHECK_INT(memory.allocations, 0);
}

TEST(growing_that_fails_keeps_the_block)
{
    test_memory memory;
    test_memory_init(&memory, 2);
    char *block = foi_new(&memory.allocator, 4, 1);
    REQUIRE(block);
    memcpy(block, "abc", 4);
    CHECK(foi_grow(&memory.allocator, block, 4, 1000, 1) == NULL);
    CHECK_TEXT(block, "abc");
    foi_free(&memory.allocator, block);
    CHECK_INT(memory.live, 0);
}

TEST(texts_are_copied)
{
    test_memory memory;
    test_memory_init(&memory, 2);
    char *copy = foi_copy_text(&memory.allocator, "foliot");
    CHECK_TEXT(copy, "foliot");
    CHECK(foi_copy_text(&memory.allocator, NULL) == NULL);
    CHECK(foi_copy_text(&memory.allocator, "no room") == NULL);
    foi_free(&memory.allocator, copy);
    CHECK_INT(memory.live, 0);
}

TEST(arrays_grow_by_doubling)
{
    test_memory memory;
    test_memory_init(&memory, 0);
    int *array = NULL;
    size_t room = 0;
    for (int i = 0; i < 10000; i++) {
        REQUIRE(foi_array_room(&memory.allocator, &array, &room, (size_t)i + 1, sizeof *array));
        array[i] = i;
    }
    bool kept = true;
    for (int i = 0; i < 10000; i++) kept = kept && array[i] == i;
    CHECK(kept);
    CHECK(memory.allocations < 15);
    size_t before = room;
    memory.fail_at = memory.allocations + 1;
    CHECK(!foi_array_room(&memory.allocator, &array, &room, room + 1, sizeof *array));
    CHECK(room == before && array[9999] == 9999);
    CHECK(!foi_array_room(&memory.allocator, &array, &room, SIZE_MAX, sizeof *array));
    foi_free(&memory.allocator, array);
    CHECK_INT(memory.live, 0);
}

TEST_MAIN(TEST_ENTRY(new_blocks_are_zero), TEST_ENTRY(no_bytes_are_a_block_too),
          TEST_ENTRY(sizes_that_overflow_fail), TEST_ENTRY(growing_that_fails_keeps_the_block),
          TEST_ENTRY(texts_are_copied), TEST_ENTRY(arrays_grow_by_doubling))
