// XXH64 against the values that its specification and other programs give, and cut in pieces.
#include <string.h>

#include "base/hash.h"
#include "test.h"

TEST(known_values)
{
    CHECK(foi_hash_of("", 0, 0) == UINT64_C(0xEF46DB3751D8E999));
    CHECK(foi_hash_of("a", 1, 0) == UINT64_C(0xD24EC4F1A98C6E5B));
    CHECK(foi_hash_of("abc", 3, 0) == UINT64_C(0x44BC2CF5AD770999));
    const char *fox = "Nobody inspects the spammish repetition";
    CHECK(foi_hash_of(fox, strlen(fox), 0) == UINT64_C(0xFBCEA83C8A378BF1));
}

TEST(pieces_give_the_same)
{
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i + 7 * i);
    for (size_t length = 0; length <= sizeof bytes; length++) {
        uint64_t whole = foi_hash_of(bytes, length, 5);
        for (size_t piece = 1; piece < 70; piece += 3) {
            foi_hash h;
            foi_hash_begin(&h, 5);
            for (size_t at = 0; at < length; at += piece)
                foi_hash_add(&h, bytes + at, length - at < piece ? length - at : piece);
            CHECK(foi_hash_end(&h) == whole);
        }
    }
}

TEST(every_bit_counts)
{
    unsigned char bytes[100] = {0};
    uint64_t before = foi_hash_of(bytes, sizeof bytes, 0);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(foi_hash_of(bytes, sizeof bytes, 0) != before);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

TEST_MAIN(TEST_ENTRY(known_values), TEST_ENTRY(pieces_give_the_same), TEST_ENTRY(every_bit_counts))
