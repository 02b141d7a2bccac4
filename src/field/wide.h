/// Loops that a large field spends its time with are compiled for wider vectors, too, and the
/// machine chooses, where the C library can load such functions (musl cannot). Products and sums
/// are not contracted, so the bits are the same.
#ifndef FOI_FIELD_WIDE_H
#define FOI_FIELD_WIDE_H

#include <stdint.h> // says which C library this is

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FOI_WIDE      __attribute__((target_clones("avx512f", "avx2", "default")))
#define FOI_HALF_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define FOI_WIDE
#define FOI_HALF_WIDE
#endif

#endif
