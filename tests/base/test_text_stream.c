// A text written through a stream: whole, or known not to be.
#include "base/text_stream.h"

#include <string.h>

#include "base/memory.h"
#include "test.h"

static void put_lines(FILE *out, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(out, "line %d;", i);
        fputc(' ', out);
        fputs("and on\n", out);
    }
}

static bool is_lines(const char *text, int count)
{
    char line[64];
    for (int i = 0; i < count; i++) {
        int length = snprintf(line, sizeof line, "line %d; and on\n", i);
        if (strncmp(text, line, (size_t)length) != 0) return false;
        text += length;
    }
    return *text == 0;
}

TEST(all_that_is_written_is_there)
{
    static const int counts[] = {0, 1, 25, 30, 1000, 20000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        foi_text_stream s;
        CHECK(foi_text_open(&s, NULL));
        put_lines(s.out, counts[i]);
        CHECK(foi_text_close(&s));
        CHECK(strlen(s.text) == s.size);
        CHECK(is_lines(s.text, counts[i]));
        CHECK(foi_text_close(&s)); // once more changes nothing
        foi_text_free(&s);
        CHECK(!s.text);
    }
}

// One allocation fails, those after it would not: the text has no hole that nobody hears of.
TEST(a_text_without_memory_is_not_taken_for_whole)
{
    enum { LINES = 3000 };
    for (long failing = 1;; failing++) {
        test_memory memory;
        test_memory_init(&memory, failing);
        foi_text_stream s;
        char *text = NULL;
        if (foi_text_open(&s, &memory.allocator)) {
            put_lines(s.out, LINES);
            text = foi_text_take(&s);
        }
        CHECK(!s.text && !s.out);
        bool failed = failing <= memory.allocations;
        CHECK(failed == !text);
        if (text) CHECK(is_lines(text, LINES));
        foi_free(&memory.allocator, text);
        CHECK_INT(memory.live, 0);
        if (failed) continue;
        CHECK(failing > 5);
        return;
    }
}

// A stream that somebody else closes, as a recording does.
TEST(somebody_else_may_close_it)
{
    foi_text_stream s;
    CHECK(foi_text_open(&s, NULL));
    put_lines(s.out, 100);
    CHECK(fclose(s.out) == 0);
    CHECK(foi_text_closed(&s));
    CHECK(is_lines(s.text, 100));
    foi_text_free(&s);
    foi_text_free(&s);
}

TEST_MAIN(TEST_ENTRY(all_that_is_written_is_there),
          TEST_ENTRY(a_text_without_memory_is_not_taken_for_whole),
          TEST_ENTRY(somebody_else_may_close_it))
