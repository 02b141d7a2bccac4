#include "base/random_philox.h"

#include <assert.h>
#include <foliot/random.h>

// The generators. Philox gives blocks of four words; Java fills one word at a time, the last of the
// block, so that it is never ahead of what a Java program would have drawn. Its words 0 and 1 keep
// the second number of a normal pair (random_unit.c).

fo_random fo_random_stream(uint64_t seed, uint64_t stream)
{
    return (fo_random){.seed = seed, .stream = stream, .next = 4, .generator = FO_PHILOX};
}

static const uint64_t multiplier = 0x5DEECE66Du, addend = 0xB, mask = (1ull << 48) - 1;

fo_random fo_random_java(int64_t seed)
{
    uint64_t scrambled = ((uint64_t)seed ^ multiplier) & mask;
    return (fo_random){.seed = scrambled, .stream = scrambled, .next = 4, .generator = FO_JAVA};
}

/// The next `bits` <= 32 of Java's sequence.
static uint32_t java_next(fo_random *r, int bits)
{
    r->stream = (r->stream * multiplier + addend) & mask;
    r->block++;
    return (uint32_t)(r->stream >> (48 - bits));
}

void fo_random_refill(fo_random *r)
{
    if (r->generator == FO_PHILOX) {
        foi_philox((uint64_t[]){r->block++, 0, 0, 0}, (uint64_t[]){r->seed, r->stream}, r->word);
        r->next = 0;
        return;
    }
    uint64_t upper = java_next(r, 26);
    r->word[3] = (upper << 27 | java_next(r, 27)) << 11;
    r->next = 3;
}

uint64_t fo_random_tell(const fo_random *r)
{
    return r->generator == FO_JAVA ? r->block : r->block * 4 - (4 - r->next);
}

// n steps of x <- a x + b are one of x <- A x + B; by squaring in the time of log n.
static uint64_t java_jump(uint64_t x, uint64_t n)
{
    uint64_t a = multiplier, b = addend, A = 1, B = 0;
    for (; n; n >>= 1) {
        if (n & 1) A *= a, B = a * B + b;
        b = (a + 1) * b;
        a *= a;
    }
    return (A * x + B) & mask;
}

void fo_random_seek(fo_random *r, uint64_t index)
{
    r->next = 4;
    if (r->generator == FO_JAVA) {
        r->block = index;
        r->stream = java_jump(r->seed, index);
        r->word[1] = 0;
        return;
    }
    r->block = index / 4;
    if (index % 4 == 0) return;
    fo_random_refill(r);
    r->next = index % 4;
}

// All 64 bits of a word, of which Java's have only 53.
static uint64_t whole_word(fo_random *r)
{
    uint64_t upper = fo_random_bits(r);
    return r->generator == FO_JAVA ? upper ^ fo_random_bits(r) >> 32 : upper;
}

// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019): the upper half
// of bits*bound is even over [0, bound) when lower halves below 2^64 mod bound are refused.
// A Java stream takes floor(u*bound) where that is possible, as jDisco does.
uint64_t fo_random_below(fo_random *r, uint64_t bound)
{
    if (bound == 0) return whole_word(r);
    if (r->generator == FO_JAVA && bound <= UINT32_MAX)
        return (uint64_t)(fo_random_unit(r) * (double)bound);
    uint64_t high, low = foi_multiply(whole_word(r), bound, &high);
    if (low < bound) {
        uint64_t refused = -bound % bound;
        while (low < refused) low = foi_multiply(whole_word(r), bound, &high);
    }
    return high;
}

int32_t fo_random_java_int(fo_random *r)
{
    assert(r->generator == FO_JAVA);
    return (int32_t)java_next(r, 32);
}

int32_t fo_random_java_int_below(fo_random *r, int32_t bound)
{
    assert(r->generator == FO_JAVA && bound > 0);
    if ((bound & -bound) == bound) return (int32_t)((uint64_t)bound * java_next(r, 31) >> 31);
    uint32_t bits, value;
    do {
        bits = java_next(r, 31);
        value = bits % (uint32_t)bound;
    } while (bits - value + (uint32_t)(bound - 1) > INT32_MAX);
    return (int32_t)value;
}

int64_t fo_random_java_long(fo_random *r)
{
    assert(r->generator == FO_JAVA);
    uint64_t upper = java_next(r, 32);
    // the lower half is added with its sign
    return (int64_t)((upper << 32) + (uint64_t)(int64_t)(int32_t)java_next(r, 32));
}

bool fo_random_java_boolean(fo_random *r)
{
    assert(r->generator == FO_JAVA);
    return java_next(r, 1);
}
