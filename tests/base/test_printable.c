// Texts of somebody else's: nothing that a terminal would obey gets through, and all else does.
#include <string.h>

#include "base/text.h"
#include "test.h"

/// UTF-8 of a code point, by the definition; returns how many bytes.
static size_t encode(unsigned long point, char *to)
{
    unsigned char *b = (unsigned char *)to;
    if (point < 0x80) {
        b[0] = (unsigned char)point;
        return 1;
    }
    if (point < 0x800) {
        b[0] = (unsigned char)(0xc0 | point >> 6), b[1] = (unsigned char)(0x80 | (point & 63));
        return 2;
    }
    if (point < 0x10000) {
        b[0] = (unsigned char)(0xe0 | point >> 12);
        b[1] = (unsigned char)(0x80 | (point >> 6 & 63)),
        b[2] = (unsigned char)(0x80 | (point & 63));
        return 3;
    }
    b[0] = (unsigned char)(0xf0 | point >> 18), b[1] = (unsigned char)(0x80 | (point >> 12 & 63));
    b[2] = (unsigned char)(0x80 | (point >> 6 & 63)), b[3] = (unsigned char)(0x80 | (point & 63));
    return 4;
}

// Marks of direction and ends of lines, as Unicode lists them (Bidi_Control, Zl, Zp),
// and the mark that is not seen.
static bool turns(unsigned long point)
{
    static const unsigned long list[] = {0x061c, 0x200e, 0x200f, 0x2028, 0x2029,
                                         0x202a, 0x202b, 0x202c, 0x202d, 0x202e,
                                         0x2066, 0x2067, 0x2068, 0x2069, 0xfeff};
    for (size_t i = 0; i < FO_COUNT(list); i++)
        if (point == list[i]) return true;
    return false;
}

TEST(every_code_point_is_kept_or_replaced)
{
    int wrong = 0;
    for (unsigned long point = 1; point < 0x120000; point++) {
        char text[8] = "", out[8];
        size_t count = encode(point, text);
        bool control = point < 0x20 || (point >= 0x7f && point < 0xa0) || turns(point);
        bool none = (point >= 0xd800 && point < 0xe000) || point > 0x10ffff;
        foi_text_printable(text, count, out, sizeof out);
        wrong += control || none ? strspn(out, "?") != count || out[count] : strcmp(out, text) != 0;
    }
    CHECK_INT(wrong, 0);
}

TEST(what_is_no_utf8_becomes_marks)
{
    static const struct {
        const char *from, *to;
    } cases[] = {{"a\033[2Jb\r\n\tc", "a?[2Jb???c"},
                 {"\xc0\x80\xc1\xbf", "????"}, // longer than need be
                 {"\xe0\x80\x9b\xf0\x80\x80\x9b", "???????"},
                 {"\xff\xfe\x80\xbf", "????"},
                 {"end\xc3", "end?"},
                 {"\xc3(", "?("},
                 {"\xc2\x9b"
                  "31m",
                  "??31m"}};
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        char out[64];
        foi_text_printable(cases[i].from, strlen(cases[i].from), out, sizeof out);
        CHECK_TEXT(out, cases[i].to);
    }
}

TEST(it_ends_where_there_is_no_more_room)
{
    for (size_t size = 0; size < 8; size++) {
        char out[16];
        memset(out, 'x', sizeof out);
        foi_text_printable("a\xc3\xa4\xe2\x82\xac", 6, out, size);
        CHECK(out[size] == 'x' && (!size || memchr(out, 0, size)));
        CHECK(!size || strlen(out) == (size < 2 ? 0 : size < 4 ? 1 : size < 7 ? 3 : 6));
    }
    char out[4];
    foi_text_printable("ab\0cd", 5, out, sizeof out);
    CHECK_TEXT(out, "ab");
}

TEST(what_a_terminal_obeys_is_written_out)
{
    static const struct {
        const char *from, *keep, *to;
    } cases[] = {{"a\033[2Jb", "", "a\\u001b[2Jb"},
                 {"a\r\n\tb", "", "a\\r\\n\\tb"},
                 {"a\n\tb\a", "\n\t", "a\n\tb\\u0007"},
                 {"\x7f", "", "\\u007f"},
                 {"\xc2\x9b"
                  "31m",
                  "", "\\u009b31m"},
                 {"\xff\xc3", "", "\\xff\\xc3"},
                 {"a\xe2\x80\xae"
                  "b\xe2\x81\xa6\xd8\x9c",
                  "", "a\\u202eb\\u2066\\u061c"},
                 {"\xc3\xa4 \xe2\x82\xac", "", "\xc3\xa4 \xe2\x82\xac"},
                 {"", "", ""}};
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        char out[64];
        size_t length = foi_text_escape(cases[i].from, cases[i].keep, out, sizeof out);
        CHECK_TEXT(out, cases[i].to);
        CHECK_INT((long long)length, (long long)strlen(cases[i].to));
        CHECK(length <= FOI_ESCAPE_GROWTH * strlen(cases[i].from));
        CHECK(foi_text_is_plain(out, cases[i].keep));
        CHECK(foi_text_is_plain(cases[i].from, cases[i].keep) ==
              (strcmp(cases[i].from, cases[i].to) == 0));
    }
    for (size_t size = 0; size < 16; size++) { // whole characters only, and never beyond the end
        char out[24];
        memset(out, 'x', sizeof out);
        foi_text_escape("a\033\xe2\x82\xac", "", out, size);
        CHECK(out[size] == 'x');
        CHECK(!size || strlen(out) == (size < 2 ? 0 : size < 8 ? 1 : size < 11 ? 7 : 10));
    }
}

TEST_MAIN(TEST_ENTRY(what_a_terminal_obeys_is_written_out),
          TEST_ENTRY(every_code_point_is_kept_or_replaced),
          TEST_ENTRY(what_is_no_utf8_becomes_marks),
          TEST_ENTRY(it_ends_where_there_is_no_more_room))
