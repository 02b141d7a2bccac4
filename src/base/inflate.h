/// Deflate (RFC 1951), zlib's form of it (RFC 1950), and the checksum of archives.
#ifndef FOI_INFLATE_H
#define FOI_INFLATE_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Decodes `length` bytes into exactly `size` bytes. False: the data is damaged, gives another
/// number of bytes, or is followed by something. Never writes beyond `size`, whatever the data is.
bool foi_inflate(const uint8_t *data, size_t length, uint8_t *to, size_t size);

/// Decodes what zlib has packed: the first `size` bytes, and whether the checksum is right where
/// they are all; false as above, but that more bytes may follow where `cut`.
bool foi_inflate_zlib(const uint8_t *data, size_t length, uint8_t *to, size_t size, bool cut);

/// CRC-32 of ISO 3309; begin with 0.
uint32_t foi_crc32(uint32_t crc, const void *data, size_t size);

/* deflate.c */

/// Packs `size` bytes; how many they became. 0: more than `room`; SIZE_MAX: no memory.
size_t foi_deflate(const void *bytes, size_t size, void *to, size_t room, const fo_allocator *a);

#endif
