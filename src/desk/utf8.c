// What is said is UTF-8, whatever it quotes: a message of limited length may end in the middle of a
// character.
#include <string.h>

#include "desk/position.h"

// The length of the character at `at`, 0 where it is none (RFC 3629: no surrogates, no form that is
// too long, nothing behind U+10FFFF).
static size_t character(const unsigned char *at, size_t left)
{
    unsigned char lead = at[0];
    size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead > 0xf4 || !size || size > left) return 0;
    unsigned char low = 0x80, high = 0xbf; // of the second byte
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
    if (size > 1 && (at[1] < low || at[1] > high)) return 0;
    for (size_t i = 2; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return size;
}

static bool is_plain(const char *eight)
{
    uint64_t bits;
    memcpy(&bits, eight, sizeof bits);
    return !(bits & UINT64_C(0x8080808080808080));
}

void foi_mend_utf8(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        if (length - i >= 8 && is_plain(text + i)) {
            i += 8;
            continue;
        }
        size_t size = character((const unsigned char *)text + i, length - i);
        if (!size) text[i] = '?';
        i += size ? size : 1;
    }
}
