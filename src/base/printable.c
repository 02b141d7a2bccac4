// Texts of somebody else's: what a terminal would obey is taken out.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/// Bytes of the UTF-8 sequence at `s` that may be shown; 0: there is none. Sequences that are
/// longer than they need to be, halves of pairs and what is beyond U+10FFFF do not count (RFC
/// 3629).
static size_t sequence(const unsigned char *s, size_t left)
{
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
    size_t count = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (count == 1) return s[0] >= ' ' && s[0] != 0x7f;
    if (count == 0 || count > left || s[0] > 0xf4) return 0;
    uint32_t point = s[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        point = point << 6 | (s[i] & 0x3f);
    }
    bool pair = point >= 0xd800 && point < 0xe000;
    return point >= least[count] && point <= 0x10ffff && !pair ? count : 0;
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
