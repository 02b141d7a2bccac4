// Files in blocks: what was changed in any bit or cut anywhere is refused, what is taken is looked
// at, and memory may lack at any time.
#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

/// A file with a number, a text and an empty block.
static foi_bytes make(const fo_allocator *allocator)
{
    foi_bytes b = {.allocator = allocator};
    foi_bytes_begin(&b, "test-1");
    foi_bytes_block(&b, "one ");
    foi_put_u32(&b, 0xfffefdfc);
    foi_put_f64(&b, -0.0);
    foi_put_text(&b, "a text");
    foi_put_text(&b, NULL);
    foi_bytes_block_end(&b);
    foi_bytes_block(&b, "none");
    foi_bytes_block_end(&b);
    foi_bytes_end(&b);
    return b;
}

TEST(blocks_come_back)
{
    fo_message why = {0};
    foi_bytes b = make(NULL);
    REQUIRE(!b.failed);
    CHECK_STATUS(foi_blocks_check(b.list, b.count, "test-1", "f", &why), FO_OK, &why);
    foi_slice s = foi_blocks_find(b.list, b.count, "one ");
    CHECK(foi_take_u32(&s) == 0xfffefdfc);
    CHECK(signbit(foi_take_f64(&s)));
    CHECK_TEXT(foi_take_text(&s), "a text");
    CHECK_TEXT(foi_take_text(&s), "");
    CHECK(!s.failed && foi_slice_left(&s) == 0);
    s = foi_blocks_find(b.list, b.count, "none");
    CHECK(!s.failed && foi_slice_left(&s) == 0);
    CHECK(foi_take_u64(&s) == 0 && s.failed);
    CHECK_TEXT(s.wrong, "it is too short");
    s = foi_blocks_find(b.list, b.count, "two ");
    CHECK(s.failed);
    CHECK_TEXT(s.wrong, "a block of it is missing");
    s = foi_blocks_find(b.list, b.count - 40, "end "); // of a file that nobody has checked
    CHECK(s.failed);
    foi_bytes_free(&b);
}

TEST(every_bit_counts)
{
    fo_message why = {0};
    foi_bytes b = make(NULL);
    REQUIRE(!b.failed);
    for (size_t bit = 0; bit < 8 * b.count; bit++) {
        b.list[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK_STATUS(foi_blocks_check(b.list, b.count, "test-1", "f", &why), FO_ERROR_FORMAT, &why);
        b.list[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    // from a copy of that length alone, so that a sanitizer sees who reads on
    for (size_t length = 0; length < b.count; length++) {
        unsigned char *part = malloc(length ? length : 1);
        REQUIRE(part);
        memcpy(part, b.list, length);
        CHECK_STATUS(foi_blocks_check(part, length, "test-1", "f", &why), FO_ERROR_FORMAT, &why);
        free(part);
    }
    foi_put_u8(&b, 0);
    CHECK_STATUS(foi_blocks_check(b.list, b.count, "test-1", "f", &why), FO_ERROR_FORMAT, &why);
    CHECK_CONTAINS(why.text, "there is more than expected");
    CHECK_STATUS(foi_blocks_check(b.list, b.count - 1, "test-2", "f", &why), FO_ERROR_FORMAT, &why);
    CHECK_TEXT(why.text, "'f' does not begin with 'test-2'");
    foi_bytes_free(&b);
}

TEST(memory_may_lack_at_any_time)
{
    for (long at = 1; at <= 2; at++) {
        test_memory memory;
        test_memory_init(&memory, at);
        foi_bytes b = make(&memory.allocator);
        for (int i = 0; i < 100; i++) foi_put_f64(&b, i); // more room than at first
        CHECK(b.failed);
        size_t count = b.count;
        foi_put_u64(&b, 7);
        foi_bytes_block_end(&b);
        CHECK(b.count == count); // nothing more is kept
        foi_bytes_free(&b);
        CHECK_INT(memory.live, 0);
    }
    // more than there are addresses for
    foi_bytes b = {0};
    foi_put_u8(&b, 1);
    foi_bytes_put(&b, "", SIZE_MAX - 8);
    CHECK(b.failed && b.count == 1);
    foi_bytes_free(&b);
}

/// A slice of these bytes.
static foi_slice of(const char *bytes, size_t count)
{
    return (foi_slice){.at = (const unsigned char *)bytes,
                       .end = (const unsigned char *)bytes + count};
}

TEST(what_is_taken_is_looked_at)
{
    static const struct {
        const char *bytes;
        size_t count;
    } texts[] = {
        {"\3\0\0\0ab\0\0", 8}, // a zero within
        {"\3\0\0\0abcd", 8},   // none at the end
        {"\4\0\0\0abc\0", 8},  // longer than there is
        {"\xff\xff\xff\xff"
         "abc",
         7},           // much longer
        {"\1\0\0", 3}, // not even a length
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        foi_slice s = of(texts[i].bytes, texts[i].count);
        CHECK_TEXT(foi_take_text(&s), "");
        CHECK(s.failed && foi_slice_left(&s) == 0);
    }
    foi_slice s = of("\0\1\2", 3);
    CHECK(!foi_take_bool(&s, "a truth") && foi_take_bool(&s, "a truth") && !s.failed);
    CHECK(!foi_take_bool(&s, "a truth") && s.failed);
    CHECK_TEXT(s.wrong, "a truth");
    s = of("\xff\0\1\2", 4);
    CHECK_INT(foi_take_sign(&s, "a side"), -1);
    CHECK_INT(foi_take_sign(&s, "a side"), 0);
    CHECK_INT(foi_take_sign(&s, "a side"), 1);
    CHECK(!s.failed);
    CHECK_INT(foi_take_sign(&s, "a side"), 0);
    CHECK_TEXT(s.wrong, "a side");
    foi_slice_fail(&s, "later"); // the first one counts
    CHECK_TEXT(s.wrong, "a side");
}

TEST_MAIN(TEST_ENTRY(blocks_come_back), TEST_ENTRY(every_bit_counts),
          TEST_ENTRY(memory_may_lack_at_any_time), TEST_ENTRY(what_is_taken_is_looked_at))
