/// Deflate (RFC 1951) with the fixed code: for what archives have of texts and binaries of ours.
///
/// Matches are found through a table of the last place of each three bytes, and chains of places
/// before it; the longest of a few is taken, as it comes. That is a third larger than what zlib
/// makes, in a page of code.
#include <string.h>

#include "base/inflate.h"
#include "base/memory.h"

enum { WINDOW = 1 << 15, TABLE = 1 << 15, TRIES = 32, SHORTEST = 3, LONGEST = 258 };

typedef struct writer {
    uint8_t *out;
    size_t used, room;
    uint64_t bits;
    uint32_t count;
    bool full;
} writer;

static void put_bits(writer *w, uint32_t value, uint32_t count)
{
    w->bits |= (uint64_t)value << w->count;
    for (w->count += count; w->count >= 8; w->count -= 8, w->bits >>= 8) {
        if (w->used == w->room)
            w->full = true;
        else
            w->out[w->used++] = (uint8_t)w->bits;
    }
}

// Codes of Huffman are written from their highest bit on.
static void put_code(writer *w, uint32_t code, uint32_t count)
{
    uint32_t turned = 0;
    for (uint32_t i = 0; i < count; i++) turned |= (code >> i & 1) << (count - 1 - i);
    put_bits(w, turned, count);
}

// RFC 1951, 3.2.6: the lengths of the fixed code.
static void put_symbol(writer *w, uint32_t s)
{
    if (s < 144)
        put_code(w, 0x30 + s, 8);
    else if (s < 256)
        put_code(w, 0x190 + s - 144, 9);
    else if (s < 280)
        put_code(w, s - 256, 7);
    else
        put_code(w, 0xC0 + s - 280, 8);
}

// 3.2.5: lengths 3..258 are symbols 257..285, in groups of four with one more bit each.
static void put_length(writer *w, uint32_t length)
{
    uint32_t v = length - SHORTEST, extra = 0;
    if (length == LONGEST) {
        put_symbol(w, 285);
        return;
    }
    while (v >> extra >= 8) extra++;
    put_symbol(w, 257 + 4 * extra + (v >> extra));
    put_bits(w, v & ((1u << extra) - 1), extra);
}

// Distances 1..32768 are symbols 0..29, in groups of two.
static void put_distance(writer *w, uint32_t distance)
{
    uint32_t v = distance - 1, extra = 0;
    while (v >> extra >= 4) extra++;
    put_code(w, 2 * extra + (v >> extra), 5);
    put_bits(w, v & ((1u << extra) - 1), extra);
}

static uint32_t hash(const uint8_t *p)
{
    uint32_t v = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return v * 2654435761u >> 17;
}

/// Places are counted from 1: 0 is none.
typedef struct places {
    uint32_t last[TABLE], before[WINDOW];
} places;

static void remember(places *p, const uint8_t *data, size_t at)
{
    uint32_t h = hash(data + at);
    p->before[at % WINDOW] = p->last[h];
    p->last[h] = (uint32_t)at + 1;
}

static uint32_t find(const places *p, const uint8_t *data, size_t size, size_t at, size_t *from)
{
    size_t most = size - at < LONGEST ? size - at : LONGEST, best = 0;
    uint32_t next = p->last[hash(data + at)];
    for (int tries = 0; next && tries < TRIES; tries++) {
        size_t place = next - 1, n = 0;
        if (at - place >= WINDOW) break;
        while (n < most && data[place + n] == data[at + n]) n++;
        if (n > best) best = n, *from = place;
        next = p->before[place % WINDOW];
        if (next && next - 1 >= place) break; // the chain's place was taken by a later one
    }
    return (uint32_t)best;
}

size_t foi_deflate(const void *bytes, size_t size, void *to, size_t room, const fo_allocator *a)
{
    const uint8_t *data = bytes;
    writer w = {.out = to, .room = room};
    places *p = foi_new(a, 1, sizeof *p);
    if (!p || size > UINT32_MAX / 2) {
        foi_free(a, p);
        return p ? 0 : SIZE_MAX;
    }
    put_bits(&w, 3, 3); // the last block, fixed code
    for (size_t at = 0; at < size && !w.full;) {
        size_t from = 0, length = at + SHORTEST <= size ? find(p, data, size, at, &from) : 0;
        if (length < SHORTEST) {
            put_symbol(&w, data[at]);
            length = 1;
        } else {
            put_length(&w, (uint32_t)length);
            put_distance(&w, (uint32_t)(at - from));
        }
        for (size_t end = at + length; at < end; at++)
            if (at + SHORTEST <= size) remember(p, data, at);
    }
    put_symbol(&w, 256);
    put_bits(&w, 0, 7);
    foi_free(a, p);
    return w.full ? 0 : w.used;
}
