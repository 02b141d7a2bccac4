#include "base/bytes.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { NAME = 16, HEAD = 16, SUM = 8 };

// ----------------------------------------------------------------------------------------- writing

static bool make_room(foi_bytes *b, size_t count)
{
    if (b->failed) return false;
    if (count <= b->room - b->count) return true;
    size_t room = b->room + b->room / 2 + 256;
    if (room - b->count < count && !__builtin_add_overflow(b->count, count, &room)) room += 256;
    unsigned char *grown =
        room - b->count >= count ? foi_grow(b->allocator, b->list, b->room, room, 1) : NULL;
    if (grown) b->list = grown, b->room = room;
    b->failed = !grown;
    return grown;
}

void foi_bytes_put(foi_bytes *b, const void *bytes, size_t count)
{
    if (!make_room(b, count)) return;
    if (count) memcpy(b->list + b->count, bytes, count);
    b->count += count;
}

static void encode(unsigned char *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> 8 * i);
}

void foi_put_u8(foi_bytes *b, uint8_t value)
{
    foi_bytes_put(b, &value, 1);
}

void foi_put_u32(foi_bytes *b, uint32_t value)
{
    unsigned char bytes[4];
    encode(bytes, value, 4);
    foi_bytes_put(b, bytes, 4);
}

void foi_put_u64(foi_bytes *b, uint64_t value)
{
    unsigned char bytes[8];
    encode(bytes, value, 8);
    foi_bytes_put(b, bytes, 8);
}

void foi_put_f64(foi_bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    foi_put_u64(b, bits);
}

void foi_put_f64s(foi_bytes *b, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) foi_put_f64(b, values[i]);
}

void foi_put_text(foi_bytes *b, const char *text)
{
    if (!text) text = "";
    size_t length = strlen(text);
    foi_put_u32(b, (uint32_t)length);
    foi_bytes_put(b, text, length + 1);
}

void foi_bytes_begin(foi_bytes *b, const char *name)
{
    char padded[NAME] = {0};
    memcpy(padded, name, strlen(name) < NAME ? strlen(name) : NAME);
    foi_bytes_put(b, padded, NAME);
}

void foi_bytes_block(foi_bytes *b, const char tag[4])
{
    b->block = b->count;
    foi_bytes_put(b, tag, 4);
    foi_put_u32(b, 0);
    foi_put_u64(b, 0);
}

void foi_bytes_block_end(foi_bytes *b)
{
    if (b->failed) return;
    unsigned char *head = b->list + b->block;
    encode(head + 8, b->count - b->block - HEAD, 8);
    foi_put_u64(b, foi_hash_of(head, b->count - b->block, 0));
}

void foi_bytes_end(foi_bytes *b)
{
    foi_bytes_block(b, "end ");
    foi_bytes_block_end(b);
}

void foi_bytes_free(foi_bytes *b)
{
    foi_free(b->allocator, b->list);
    *b = (foi_bytes){.allocator = b->allocator};
}

// ----------------------------------------------------------------------------------------- reading

void foi_slice_fail(foi_slice *s, const char *wrong)
{
    if (!s->failed) s->failed = true, s->wrong = wrong;
    s->at = s->end;
}

size_t foi_slice_left(const foi_slice *s)
{
    return (size_t)(s->end - s->at);
}

void foi_take(foi_slice *s, void *bytes, size_t count)
{
    if (foi_slice_left(s) < count) {
        foi_slice_fail(s, "it is too short");
        memset(bytes, 0, count);
        return;
    }
    if (count) memcpy(bytes, s->at, count);
    s->at += count;
}

static uint64_t decode(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

uint8_t foi_take_u8(foi_slice *s)
{
    uint8_t value;
    foi_take(s, &value, 1);
    return value;
}

uint32_t foi_take_u32(foi_slice *s)
{
    unsigned char bytes[4];
    foi_take(s, bytes, 4);
    return (uint32_t)decode(bytes, 4);
}

uint64_t foi_take_u64(foi_slice *s)
{
    unsigned char bytes[8];
    foi_take(s, bytes, 8);
    return decode(bytes, 8);
}

double foi_take_f64(foi_slice *s)
{
    uint64_t bits = foi_take_u64(s);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void foi_take_f64s(foi_slice *s, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = foi_take_f64(s);
}

const char *foi_take_text(foi_slice *s)
{
    size_t length = foi_take_u32(s);
    const char *text = (const char *)s->at;
    if (foi_slice_left(s) <= length || text[length] || memchr(text, 0, length)) {
        foi_slice_fail(s, "a text in it does not end");
        return "";
    }
    s->at += length + 1;
    return text;
}

uint32_t foi_take_upto(foi_slice *s, uint32_t most, const char *what)
{
    uint32_t value = foi_take_u32(s);
    if (value <= most) return value;
    foi_slice_fail(s, what);
    return 0;
}

bool foi_take_bool(foi_slice *s, const char *what)
{
    uint8_t value = foi_take_u8(s);
    if (value > 1) foi_slice_fail(s, what);
    return value == 1;
}

int8_t foi_take_sign(foi_slice *s, const char *what)
{
    int8_t value = (int8_t)foi_take_u8(s);
    if (value >= -1 && value <= 1) return value;
    foi_slice_fail(s, what);
    return 0;
}

double foi_take_finite(foi_slice *s, const char *what)
{
    double value = foi_take_f64(s);
    if (isfinite(value)) return value;
    foi_slice_fail(s, what);
    return 0;
}

// ------------------------------------------------------------------------------------------ blocks

// The block at `at`: its length, or SIZE_MAX where it is not whole.
static size_t block_length(const unsigned char *at, size_t left)
{
    if (left < HEAD + SUM) return SIZE_MAX;
    uint64_t length = decode(at + 8, 8);
    return length <= left - HEAD - SUM ? (size_t)length : SIZE_MAX;
}

static fo_status damaged(const char *path, size_t at, const char *what, fo_message *why)
{
    return fo_fail(why, FO_ERROR_FORMAT, "'%s' is damaged: %s at byte %zu", path, what, at);
}

fo_status foi_blocks_check(const void *bytes, size_t count, const char *name, const char *path,
                           fo_message *why)
{
    const unsigned char *list = bytes;
    size_t at = NAME;
    char padded[NAME] = {0};
    memcpy(padded, name, strlen(name) < NAME ? strlen(name) : NAME);
    if (count < NAME || memcmp(list, padded, NAME) != 0)
        return fo_fail(why, FO_ERROR_FORMAT, "'%s' does not begin with '%s'", path, name);
    for (;;) {
        size_t length = block_length(list + at, count - at);
        if (length == SIZE_MAX) return damaged(path, at, "it is cut short", why);
        if (foi_hash_of(list + at, HEAD + length, 0) != decode(list + at + HEAD + length, SUM))
            return damaged(path, at, "the checksum does not agree with the block", why);
        bool last = memcmp(list + at, "end ", 4) == 0;
        at += HEAD + length + SUM;
        if (last)
            return at == count ? FO_OK : damaged(path, at, "there is more than expected", why);
    }
}

foi_slice foi_blocks_find(const void *bytes, size_t count, const char tag[4])
{
    const unsigned char *list = bytes;
    for (size_t at = NAME; at < count;) {
        size_t length = block_length(list + at, count - at);
        if (length == SIZE_MAX) break;
        const unsigned char *from = list + at + HEAD;
        if (memcmp(list + at, tag, 4) == 0) return (foi_slice){from, from + length, false, NULL};
        at += HEAD + length + SUM;
    }
    return (foi_slice){list, list, true, "a block of it is missing"};
}
