#include "base/hash.h"

#include <string.h>

// The primes of XXH64. Stripes of 32 bytes go into four lanes; the lanes are merged, what is left
// is mixed in by 8, 4 and 1 bytes, and an avalanche ends it. Bytes count as little endian on every
// machine.
#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t turn(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static uint64_t word(const unsigned char *b, int bytes)
{
    uint64_t w = 0;
    for (int i = 0; i < bytes; i++) w |= (uint64_t)b[i] << 8 * i;
    return w;
}

static uint64_t step(uint64_t lane, uint64_t input)
{
    return turn(lane + input * P2, 31) * P1;
}

static void stripe(foi_hash *h, const unsigned char *b)
{
    for (int i = 0; i < 4; i++) h->lane[i] = step(h->lane[i], word(b + 8 * i, 8));
}

void foi_hash_begin(foi_hash *h, uint64_t seed)
{
    *h = (foi_hash){.lane = {seed + P1 + P2, seed + P2, seed, seed - P1}, .seed = seed};
}

void foi_hash_add(foi_hash *h, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    size_t held = h->length % 32;
    h->length += count;
    if (held + count < 32) {
        if (count) memcpy(h->rest + held, b, count);
        return;
    }
    if (held) {
        memcpy(h->rest + held, b, 32 - held);
        stripe(h, h->rest);
        b += 32 - held, count -= 32 - held;
    }
    for (; count >= 32; b += 32, count -= 32) stripe(h, b);
    memcpy(h->rest, b, count);
}

static uint64_t merged(const foi_hash *h)
{
    const uint64_t *v = h->lane;
    if (h->length < 32) return h->seed + P5;
    uint64_t x = turn(v[0], 1) + turn(v[1], 7) + turn(v[2], 12) + turn(v[3], 18);
    for (int i = 0; i < 4; i++) x = (x ^ step(0, v[i])) * P1 + P4;
    return x;
}

uint64_t foi_hash_end(const foi_hash *h)
{
    uint64_t x = merged(h) + h->length;
    const unsigned char *b = h->rest, *end = b + h->length % 32;
    for (; end - b >= 8; b += 8) x = turn(x ^ step(0, word(b, 8)), 27) * P1 + P4;
    for (; end - b >= 4; b += 4) x = turn(x ^ word(b, 4) * P1, 23) * P2 + P3;
    for (; b < end; b++) x = turn(x ^ *b * P5, 11) * P1;
    x = (x ^ x >> 33) * P2;
    x = (x ^ x >> 29) * P3;
    return x ^ x >> 32;
}

uint64_t foi_hash_of(const void *bytes, size_t count, uint64_t seed)
{
    foi_hash h;
    foi_hash_begin(&h, seed);
    foi_hash_add(&h, bytes, count);
    return foi_hash_end(&h);
}

void foi_digest_begin(foi_digester *d)
{
    foi_hash_begin(&d->half[0], 0);
    foi_hash_begin(&d->half[1], P3);
}

void foi_digest_add(foi_digester *d, const void *bytes, size_t count)
{
    foi_hash_add(&d->half[0], bytes, count);
    foi_hash_add(&d->half[1], bytes, count);
}

foi_digest foi_digest_end(const foi_digester *d)
{
    return (foi_digest){{foi_hash_end(&d->half[0]), foi_hash_end(&d->half[1])}};
}
