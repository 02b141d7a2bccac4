/// Philox4x64-10: four words from a counter and a key.
///
/// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
/// 3", SC '11. Ten rounds of
///
///     (c0, c1, c2, c3) <- (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0))
///
/// between which the key grows by (W0, W1): the golden ratio and sqrt(3) - 1.
#ifndef FOI_RANDOM_PHILOX_H
#define FOI_RANDOM_PHILOX_H

#include <stdint.h>

/// The 128 bits of a product: returns the lower half.
static inline uint64_t foi_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, m0 = a1 * b0 + (low >> 32), m1 = a0 * b1 + (uint32_t)m0;
    *high = a1 * b1 + (m0 >> 32) + (m1 >> 32);
    return m1 << 32 | (uint32_t)low;
#endif
}

static inline void foi_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
    const uint64_t M0 = 0xD2E7470EE14C6C93u, M1 = 0xCA5A826395121157u;
    const uint64_t W0 = 0x9E3779B97F4A7C15u, W1 = 0xBB67AE8584CAA73Bu;
    uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint64_t k0 = key[0], k1 = key[1];
#pragma GCC unroll 10 // a fifth faster
    for (int round = 0; round < 10; round++) {
        uint64_t high0, high1;
        uint64_t low0 = foi_multiply(M0, c0, &high0), low1 = foi_multiply(M1, c2, &high1);
        c0 = high1 ^ c1 ^ k0;
        c1 = low1;
        c2 = high0 ^ c3 ^ k1;
        c3 = low0;
        k0 += W0, k1 += W1;
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

#endif
