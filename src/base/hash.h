/// XXH64 (Y. Collet): a fast hash of 64 bits that finds what disks and cables do to bytes. It is no
/// guard against somebody who wants a certain hash.
#ifndef FOI_HASH_H
#define FOI_HASH_H

#include <stddef.h>
#include <stdint.h>

/// A hash of what comes in pieces.
typedef struct foi_hash {
    uint64_t lane[4], seed, length;
    unsigned char rest[32]; ///< what does not fill a stripe yet: length modulo 32 bytes
} foi_hash;

void foi_hash_begin(foi_hash *h, uint64_t seed);
void foi_hash_add(foi_hash *h, const void *bytes, size_t count);
/// The hash of all that was added; more may follow.
uint64_t foi_hash_end(const foi_hash *h);
/// All at once.
uint64_t foi_hash_of(const void *bytes, size_t count, uint64_t seed);

/// Two hashes of one text with different seeds: a name for it.
typedef struct foi_digest {
    uint64_t half[2];
} foi_digest;

typedef struct foi_digester {
    foi_hash half[2];
} foi_digester;

void foi_digest_begin(foi_digester *d);
void foi_digest_add(foi_digester *d, const void *bytes, size_t count);
foi_digest foi_digest_end(const foi_digester *d);

#endif
