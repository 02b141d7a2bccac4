/// Places in texts as editors count them.
#ifndef FOI_POSITION_H
#define FOI_POSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Lines from 0, columns in units of UTF-16 from 0.
typedef struct foi_position {
    uint32_t line, column;
} foi_position;

/// The byte there; the end of the line or text where it is beyond.
size_t foi_position_offset(const char *text, size_t length, foi_position at);
foi_position foi_position_at(const char *text, size_t length, size_t offset);
/// Goes on from byte `from`, whose place is `at`, to a byte behind it.
foi_position foi_position_after(const char *text, size_t length, size_t from, foi_position at,
                                size_t offset);
/// The byte at line and column of a finding, which are from 1; columns in bytes or in characters.
size_t foi_place_offset(const char *text, size_t length, uint32_t line, uint32_t column,
                        bool bytes);

/// Makes a '?' of every byte that is no UTF-8.
void foi_mend_utf8(char *text, size_t length);

#endif
