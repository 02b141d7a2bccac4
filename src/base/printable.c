// Texts of somebody else's: what a terminal would obey is taken out.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/// Bytes of the UTF-8 sequence at `s`, and what it stands for; 0: there is none. Sequences that are
/// longer than they need to be, halves of pairs and what is beyond U+10FFFF do not count (RFC
/// 3629).
static size_t decode(const unsigned char *s, size_t left, uint32_t *point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t count = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    *point = s[0];
    if (count <= 1) return count;
    if (count > left || s[0] > 0xf4) return 0;
    *point = s[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *point = *point << 6 | (s[i] & 0x3f);
    }
    bool pair = *point >= 0xd800 && *point < 0xe000;
    return *point >= least[count] && *point <= 0x10ffff && !pair ? count : 0;
}

/// What changes how others are shown instead of being shown: control characters, ends of lines, and
/// directions, with which a text reads otherwise than it is ("Trojan source", CVE-2021-42574).
static bool commands(uint32_t point)
{
    return point < ' ' || (point >= 0x7f && point < 0xa0) || point == 0x61c || point == 0x200e ||
           point == 0xfeff || point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}

/// Bytes of the UTF-8 sequence at `s` that may be shown; 0: there is none.
static size_t sequence(const unsigned char *s, size_t left)
{
    uint32_t point;
    size_t count = decode(s, left, &point);
    return commands(point) ? 0 : count;
}

uint32_t foi_text_command(const char *text, size_t *length)
{
    uint32_t point;
    size_t left = 0;
    while (left < 4 && text[left]) left++;
    size_t count = decode((const unsigned char *)text, left, &point);
    *length = count ? count : 1;
    return count && commands(point) ? point : 0;
}

// What stands for the byte or sequence at `s`, where it may not be shown; *taken says how much of
// it.
static size_t put_escape(const unsigned char *s, size_t left, char out[8], size_t *taken)
{
    uint32_t point;
    size_t count = decode(s, left, &point);
    *taken = count ? count : 1;
    if (s[0] == '\n' || s[0] == '\t' || s[0] == '\r')
        return (size_t)snprintf(out, 8, "\\%c", s[0] == '\n' ? 'n' : s[0] == '\t' ? 't' : 'r');
    if (count) return (size_t)snprintf(out, 8, "\\u%04x", (unsigned)(point & 0xffff));
    return (size_t)snprintf(out, 8, "\\x%02x", s[0]);
}

size_t foi_text_escape(const char *from, const char *keep, char *text, size_t size)
{
    size_t used = 0, length = strlen(from);
    if (size) text[0] = 0;
    for (size_t at = 0, taken; at < length; at += taken) {
        char few[8];
        const char *put = from + at;
        size_t count = taken = sequence((const unsigned char *)put, length - at);
        if (!count && strchr(keep, *put)) count = taken = 1;
        if (!count) {
            count = put_escape((const unsigned char *)from + at, length - at, few, &taken);
            put = few;
        }
        if (used + count < size) memcpy(text + used, put, count);
        used += count;
        if (used >= size) break; // it does not fit: whole characters only
        text[used] = 0;
    }
    return used;
}

bool foi_text_is_plain(const char *text, const char *keep)
{
    size_t length = strlen(text);
    for (size_t at = 0, taken; at < length; at += taken) {
        taken = text[at] >= ' ' && text[at] <= '~'
                    ? 1
                    : sequence((const unsigned char *)text + at, length - at);
        if (!taken && strchr(keep, text[at])) taken = 1;
        if (!taken) return false;
    }
    return true;
}

void foi_message_plain(char text[FO_MESSAGE_SIZE])
{
    char raw[FO_MESSAGE_SIZE];
    if (foi_text_is_plain(text, "")) return;
    memcpy(raw, text, sizeof raw);
    foi_text_escape(raw, "", text, FO_MESSAGE_SIZE);
}

void foi_text_printable(const char *from, size_t length, char *text, size_t size)
{
    size_t used = 0;
    for (size_t at = 0; at < length && from[at];) {
        size_t count = sequence((const unsigned char *)from + at, length - at);
        size_t put = count ? count : 1;
        if (used + put >= size) break;
        if (count)
            memcpy(text + used, from + at, count);
        else
            text[used] = '?';
        used += put;
        at += put;
    }
    if (size) text[used] = 0;
}
