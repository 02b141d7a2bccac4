// Frozen bits: a change of any result of any function is seen here. Whoever means it counts
// FOI_MATH_VERSION up and takes over the new hashes (the program prints them).
#include "hash.h"

#include <string.h>

#include "test.h"

static const struct {
    const char *name;
    uint64_t hash;
} frozen[SUBJECTS] = {
    {"exp", 0x5ad8e8b347784ead},   {"exp2", 0xf822d54c6d62ed9e},   {"expm1", 0x825dc94fd3785f18},
    {"log", 0x0714f17270ab2e54},   {"log2", 0xfb2ff48d5f6e1f34},   {"log10", 0xc467ec7921afabf6},
    {"log1p", 0x018386201f3c0ade}, {"cbrt", 0x26cd6b833ee01ff4},   {"sin", 0x4b9dda22440eb2a0},
    {"cos", 0xc817a7683a468dcf},   {"tan", 0xa5f3f5d97e1c26f8},    {"asin", 0xc2d75df1c7bc5ee7},
    {"acos", 0x7ee7d9a9f60309e2},  {"atan", 0xf85eb80d6e881af2},   {"sinh", 0xe6e9d4518221272d},
    {"cosh", 0x604267a0ed931fb6},  {"tanh", 0x7e1281158292edd0},   {"asinh", 0xeeab5849f0469489},
    {"acosh", 0xb64e7f2785a9efa0}, {"atanh", 0x90f4a658a4b8cb2c},  {"erf", 0xf67d18b2ea276e6a},
    {"erfc", 0xc4c19a43ab34ac4e},  {"tgamma", 0x1a285dcd1df96f7f}, {"lgamma", 0x81df8f66b9ceb41d},
    {"pow", 0x9f9ee81d0cfe44ef},   {"hypot", 0x3b6649fadeb6a357},  {"atan2", 0xc7b83c600b0ef5e7},
};

TEST(bits_are_frozen)
{
    for (int i = 0; i < SUBJECTS; i++) {
        if (test_is_sanitized() && i % 5) continue; // slow there
        uint64_t hash = hash_of(&subjects[i], HASHED);
        CHECK_TEXT(subjects[i].name, frozen[i].name);
        if (hash != frozen[i].hash)
            test_fail(__FILE__, __LINE__, "{\"%s\", 0x%016llx}", subjects[i].name,
                      (unsigned long long)hash);
    }
    CHECK_INT(FOI_MATH_VERSION, 3);
}

TEST_MAIN(TEST_ENTRY(bits_are_frozen))
