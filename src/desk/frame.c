// Columns of numbers as bytes, little-endian (docs/protocol.md):
//
//     u32 "FOF1" | u16 version | u16 kind | u32 handle | u32 id | u32 columns | u32 rows
//     u64 first row | per column u32 signal, u32 count | padding to 8 | columns of f64
#include <string.h>

#include "base/memory.h"
#include "desk/desk.h"

enum { HEAD = 32 };

static char *put16(char *at, uint16_t value)
{
    at[0] = (char)(value & 255), at[1] = (char)(value >> 8);
    return at + 2;
}

static char *put32(char *at, uint32_t value)
{
    return put16(put16(at, (uint16_t)value), (uint16_t)(value >> 16));
}

char *foi_frame_create(const fo_allocator *allocator, const foi_frame *f, double **values,
                       size_t *size)
{
    size_t cells = 0, head = HEAD + 8 * (size_t)f->columns;
    for (uint32_t j = 0; j < f->columns; j++) cells += f->counts ? f->counts[j] : f->rows;
    *size = head + cells * sizeof(double);
    char *frame = foi_new(allocator, *size, 1), *at = frame;
    if (!frame) return NULL;
    memcpy(at, "FOF1", 4);
    at = put16(at + 4, FOI_DESK_VERSION);
    at = put16(at, (uint16_t)f->kind);
    at = put32(at, (uint32_t)f->handle);
    at = put32(at, f->id);
    at = put32(at, f->columns);
    at = put32(at, f->rows);
    at = put32(at, (uint32_t)f->first);
    at = put32(at, (uint32_t)(f->first >> 32));
    for (uint32_t j = 0; j < f->columns; j++) {
        at = put32(at, f->signals[j]);
        at = put32(at, f->counts ? f->counts[j] : f->rows);
    }
    *values = (double *)(void *)at;
    return frame;
}
