/// Deflate, as RFC 1951 has it: blocks that are stored, or coded with fixed or given Huffman codes.
///
/// A canonical Huffman code is known by how many codes there are of each length. Codes of one
/// length follow each other, so that a symbol is found by comparing what was read so far with the
/// first code of its length; no tables have to be trusted.
#include "base/inflate.h"

#include <string.h>

enum { LONGEST = 15, LITERALS = 288, DISTANCES = 30 };

typedef struct code {
    uint16_t count[LONGEST + 1];
    uint16_t symbol[LITERALS];
} code;

typedef struct reader {
    const uint8_t *data;
    size_t length, at;
    uint32_t bits;
    int have;
    uint8_t *to;
    size_t size, made;
    bool failed;
    bool cut; ///< what is beyond `size` is not wanted
} reader;

static uint32_t take_bits(reader *r, int need)
{
    while (r->have < need) {
        if (r->at == r->length) {
            r->failed = true;
            return 0;
        }
        r->bits |= (uint32_t)r->data[r->at++] << r->have;
        r->have += 8;
    }
    uint32_t value = r->bits & ((1u << need) - 1);
    r->bits >>= need;
    r->have -= need;
    return value;
}

// False for lengths that are more codes than there can be. Codes that are not all used are allowed
// where only one is: `lone` says so to the caller.
static bool make_code(code *c, const uint8_t *lengths, int n, bool *complete)
{
    uint16_t offset[LONGEST + 1];
    memset(c->count, 0, sizeof c->count);
    for (int i = 0; i < n; i++) c->count[lengths[i]]++;
    int left = 1;
    for (int l = 1; l <= LONGEST; l++) {
        left = 2 * left - c->count[l];
        if (left < 0) return false;
    }
    *complete = left == 0;
    offset[1] = 0;
    for (int l = 1; l < LONGEST; l++) offset[l + 1] = (uint16_t)(offset[l] + c->count[l]);
    for (int i = 0; i < n; i++)
        if (lengths[i]) c->symbol[offset[lengths[i]]++] = (uint16_t)i;
    return true;
}

static int take_symbol(reader *r, const code *c)
{
    int word = 0, first = 0, index = 0;
    for (int l = 1; l <= LONGEST; l++) {
        word |= (int)take_bits(r, 1);
        if (r->failed) return -1;
        int count = c->count[l];
        if (word - count < first) return c->symbol[index + word - first];
        index += count;
        first = (first + count) << 1;
        word <<= 1;
    }
    return -1;
}

// Is that all which is wanted of what follows?
static bool is_enough(const reader *r)
{
    return r->cut && r->made == r->size;
}

static bool copy_back(reader *r, uint32_t length, uint32_t distance)
{
    if (r->cut && length > r->size - r->made) length = (uint32_t)(r->size - r->made);
    if (distance > r->made || length > r->size - r->made) return false;
    for (; length; length--, r->made++) r->to[r->made] = r->to[r->made - distance];
    return true;
}

static bool coded_block(reader *r, const code *literal, const code *distance)
{
    static const uint16_t base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                      15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                      67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                     33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                     1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!is_enough(r)) {
        int symbol = take_symbol(r, literal);
        if (symbol < 0 || symbol > 285) return false;
        if (symbol == 256) return true;
        if (symbol < 256) {
            if (r->made == r->size) return false;
            r->to[r->made++] = (uint8_t)symbol;
            continue;
        }
        uint32_t length = base[symbol - 257] + take_bits(r, extra[symbol - 257]);
        int d = take_symbol(r, distance);
        if (d < 0 || d >= DISTANCES) return false;
        uint32_t back = far[d] + take_bits(r, d < 2 ? 0 : d / 2 - 1);
        if (r->failed || !copy_back(r, length, back)) return false;
    }
    return true;
}

static bool stored_block(reader *r)
{
    r->bits = 0, r->have = 0;
    if (r->length - r->at < 4) return false;
    const uint8_t *d = r->data + r->at;
    uint32_t length = d[0] | (uint32_t)d[1] << 8, check = d[2] | (uint32_t)d[3] << 8;
    r->at += 4;
    if (length != (~check & 0xffff)) return false;
    if (r->cut && length > r->size - r->made) length = (uint32_t)(r->size - r->made);
    if (length > r->length - r->at || length > r->size - r->made) return false;
    memcpy(r->to + r->made, r->data + r->at, length);
    r->at += length, r->made += length;
    return true;
}

static bool fixed_block(reader *r)
{
    uint8_t lengths[LITERALS];
    code literal, distance;
    bool complete;
    for (int i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&literal, lengths, LITERALS, &complete);
    memset(lengths, 5, DISTANCES);
    make_code(&distance, lengths, DISTANCES, &complete);
    return coded_block(r, &literal, &distance);
}

// The lengths of both codes, themselves coded with runs.
static bool take_lengths(reader *r, const code *c, uint8_t *lengths, int wanted)
{
    for (int i = 0; i < wanted;) {
        int symbol = take_symbol(r, c), repeat = 1, value = symbol;
        if (symbol < 0) return false;
        if (symbol == 16 && i == 0) return false;
        if (symbol == 16) value = lengths[i - 1], repeat = 3 + (int)take_bits(r, 2);
        if (symbol == 17) value = 0, repeat = 3 + (int)take_bits(r, 3);
        if (symbol == 18) value = 0, repeat = 11 + (int)take_bits(r, 7);
        if (r->failed || repeat > wanted - i) return false;
        while (repeat--) lengths[i++] = (uint8_t)value;
    }
    return true;
}

static bool given_block(reader *r)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERALS + 32] = {0};
    code literal, distance;
    bool complete;
    int literals = (int)take_bits(r, 5) + 257, distances = (int)take_bits(r, 5) + 1;
    int orders = (int)take_bits(r, 4) + 4;
    if (literals > 286 || distances > DISTANCES) return false;
    for (int i = 0; i < orders; i++) lengths[order[i]] = (uint8_t)take_bits(r, 3);
    if (r->failed || !make_code(&literal, lengths, 19, &complete) || !complete) return false;
    memset(lengths, 0, 19);
    if (!take_lengths(r, &literal, lengths, literals + distances)) return false;
    if (lengths[256] == 0) return false; // no end
    uint8_t last[32];
    memcpy(last, lengths + literals, (size_t)distances);
    bool good = make_code(&literal, lengths, literals, &complete);
    good = good && (complete || literals - literal.count[0] == 1);
    good = good && make_code(&distance, last, distances, &complete);
    good = good && (complete || distances - distance.count[0] <= 1);
    return good && coded_block(r, &literal, &distance);
}

static bool decode(reader *r)
{
    bool last = false, good = true;
    while (!last && good && !is_enough(r)) {
        last = take_bits(r, 1);
        uint32_t kind = take_bits(r, 2);
        good = !r->failed && (kind == 0   ? stored_block(r)
                              : kind == 1 ? fixed_block(r)
                              : kind == 2 ? given_block(r)
                                          : false);
    }
    return good && r->made == r->size && (r->cut || r->at == r->length);
}

bool foi_inflate(const uint8_t *data, size_t length, uint8_t *to, size_t size)
{
    reader r = {.data = data, .length = length, .to = to, .size = size};
    return decode(&r);
}

// Adler-32 (RFC 1950): the sums stay below 2^32 for 5552 bytes without a remainder.
static uint32_t adler32(const uint8_t *data, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size;) {
        size_t end = size - i > 5552 ? i + 5552 : size;
        for (; i < end; i++) a += data[i], b += a;
        a %= 65521, b %= 65521;
    }
    return b << 16 | a;
}

bool foi_inflate_zlib(const uint8_t *data, size_t length, uint8_t *to, size_t size, bool cut)
{
    // method 8, no dictionary, and the two bytes are a multiple of 31
    if (length < 6 || (data[0] & 15) != 8 || (data[1] & 32) || (data[0] << 8 | data[1]) % 31 != 0)
        return false;
    reader r = {.data = data + 2, .length = length - 6, .to = to, .size = size, .cut = cut};
    if (!decode(&r)) return false;
    const uint8_t *sum = data + length - 4;
    uint32_t wanted =
        (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    return cut || adler32(to, size) == wanted;
}

uint32_t foi_crc32(uint32_t crc, const void *data, size_t size)
{
    // four bits at a time: small, and fast enough for what an FMU has
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const uint8_t *p = data;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc = table[(crc ^ p[i]) & 15] ^ (crc >> 4);
        crc = table[(crc ^ (p[i] >> 4)) & 15] ^ (crc >> 4);
    }
    return ~crc;
}
