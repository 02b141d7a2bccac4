/// MAT-files of MATLAB. Numbers stand column by column, in the order of bytes of the machine that
/// wrote them.
///
/// Version 4: { type (4) | rows (4) | columns (4) | is complex (4) | length of name (4) | name |
/// data }* with type = 1000 M + 10 P + T: M the order of bytes, P what numbers are, T full, text or
/// sparse.
///
/// Versions 6 and 7: text (116) | 0 (8) | version (2) | "IM" or "MI" | element*
///
///     element     type (4) | size (4) | data, padded to 8      or     type (2) | size (2) | data
///     (4) matrix      element of elements: flags, dimensions, name, real part [, imaginary part]
///     structure   flags, dimensions, name, length of names, names, a matrix for each of them
///     packed      an element of zlib's, which unpacks to an element
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/inflate.h"
#include "base/matrix.h"

enum {
    HEAD = 128, ///< bytes before the first element
    PEEP = 512, ///< of a packed matrix, in which its name is
    MOST_UNPACKED = 256 << 20
};

/// Types of elements, and of the numbers in them.
enum { INT8 = 1, UINT8, INT16, UINT16, INT32, UINT32, SINGLE, DOUBLE = 9, INT64 = 12, UINT64 };
enum { MATRIX = 14, PACKED = 15, UTF8 = 16 };
/// Kinds of matrices.
enum { STRUCTURE = 2, FULL_FIRST = 6, FULL_LAST = 15 };

typedef struct reading {
    const foi_matrix_file *file;
    const char *matrix;
    foi_arena *arena;
    fo_message *why;
    bool big; ///< the highest byte first
} reading;

static bool fail(const reading *r, const char *what)
{
    fo_fail(r->why, FO_ERROR_FORMAT, "matrix '%s' of '%s': %s", r->matrix, r->file->name, what);
    return false;
}

static uint64_t whole(const reading *r, const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) value |= (uint64_t)at[i] << 8 * (r->big ? size - 1 - i : i);
    return value;
}

static uint32_t word(const reading *r, const uint8_t *at)
{
    return (uint32_t)whole(r, at, 4);
}

static unsigned width_of(uint32_t type)
{
    switch (type) {
    case INT8:
    case UINT8: return 1;
    case INT16:
    case UINT16: return 2;
    case INT32:
    case UINT32:
    case SINGLE: return 4;
    case DOUBLE:
    case INT64:
    case UINT64: return 8;
    default: return 0;
    }
}

static double number_at(const reading *r, uint32_t type, const uint8_t *at)
{
    unsigned width = width_of(type);
    uint64_t bits = whole(r, at, width);
    double real;
    float single;
    switch (type) {
    case INT8: return (int8_t)bits;
    case INT16: return (int16_t)bits;
    case INT32: return (int32_t)bits;
    case INT64: return (double)(int64_t)bits;
    case SINGLE: {
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        return single;
    }
    case DOUBLE: memcpy(&real, &bits, sizeof real); return real;
    default: return (double)bits;
    }
}

// Numbers column by column into a matrix row by row. `size` bytes are all that there is of them.
static bool take_numbers(const reading *r, uint32_t type, const uint8_t *data, size_t size,
                         foi_matrix *m)
{
    unsigned width = width_of(type);
    uint64_t count = (uint64_t)m->rows * m->columns;
    if (!width || count > size / width || count * width != size)
        return fail(r, "its numbers and its size do not fit");
    if (!count) return fail(r, "it is empty");
    double *items = foi_arena_new(r->arena, (size_t)count, sizeof *items);
    if (!items) {
        fo_fail(r->why, FO_ERROR_MEMORY, "there is no memory for '%s'", r->file->name);
        return false;
    }
    for (uint32_t k = 0; k < m->columns; k++)
        for (uint32_t i = 0; i < m->rows; i++) {
            double value = number_at(r, type, data + ((size_t)k * m->rows + i) * width);
            if (!isfinite(value)) return fail(r, "a number of it is infinite, or none");
            items[(size_t)i * m->columns + k] = value;
        }
    m->items = items;
    return true;
}

// --------------------------------------------------------------------------------------- version 4

static bool read_version_4(reading *r, foi_matrix *m)
{
    static const uint8_t types[] = {DOUBLE, SINGLE, INT32, INT16, UINT16, UINT8};
    const uint8_t *at = (const uint8_t *)r->file->bytes, *end = at + r->file->length;
    while (end - at >= 20) {
        r->big = false;
        if (word(r, at) >= 5000) r->big = true;
        uint32_t type = word(r, at), p = type / 10 % 10, t = type % 10;
        m->rows = word(r, at + 4), m->columns = word(r, at + 8);
        uint32_t complex = word(r, at + 12), length = word(r, at + 16);
        uint64_t count = (uint64_t)m->rows * m->columns;
        at += 20;
        if (type >= 2000 || type / 100 % 10 || p > 5 || t > 2 || (type >= 1000) != r->big ||
            complex > 1 || !length || length > (size_t)(end - at) ||
            count > (size_t)(end - at) - length)
            return fail(r, "the file is damaged, or no MAT-file");
        unsigned width = width_of(types[p]);
        const char *name = (const char *)at;
        at += length;
        uint64_t size = count * width * (complex ? 2 : 1);
        if (size > (uint64_t)(end - at)) return fail(r, "the file is damaged, or no MAT-file");
        if (strnlen(name, length) == strlen(r->matrix) &&
            memcmp(name, r->matrix, strlen(r->matrix)) == 0) {
            if (t || complex) return fail(r, "it is not a full matrix of real numbers");
            return take_numbers(r, types[p], at, (size_t)size, m);
        }
        at += size;
    }
    return fail(r, at < end ? "the file is damaged, or no MAT-file" : "it is not in the file");
}

// --------------------------------------------------------------------------------- versions 6 and
// 7

typedef struct element {
    uint32_t type;
    const uint8_t *data;
    size_t size;
} element;

/// Elements one after the other.
typedef struct elements {
    const uint8_t *at, *end;
} elements;

// False: there is none, or it is longer than what there is.
static bool next_element(const reading *r, elements *list, element *e)
{
    size_t left = (size_t)(list->end - list->at);
    if (left < 8) return false;
    uint32_t first = word(r, list->at);
    if (first >> 16) {
        *e = (element){first & 0xffff, list->at + 4, first >> 16};
        list->at += 8;
        return e->size <= 4;
    }
    *e = (element){first, list->at + 8, word(r, list->at + 4)};
    if (e->size > left - 8) return false;
    size_t padded = e->type == PACKED ? e->size : (e->size + 7) / 8 * 8;
    list->at += 8 + (padded > left - 8 ? left - 8 : padded);
    return true;
}

/// The head of a matrix, and the elements behind it.
typedef struct head {
    uint32_t kind, rank, rows, columns;
    bool complex;
    element name;
    elements rest;
} head;

static bool take_head(const reading *r, const uint8_t *data, size_t size, head *h)
{
    elements list = {data, data + size};
    element flags, dims;
    *h = (head){0};
    if (!next_element(r, &list, &flags) || flags.type != UINT32 || flags.size < 8 ||
        !next_element(r, &list, &dims) || dims.type != INT32 || dims.size < 8 ||
        !next_element(r, &list, &h->name) || (h->name.type != INT8 && h->name.type != UTF8))
        return false;
    h->kind = word(r, flags.data) & 255, h->complex = word(r, flags.data) & 0x800;
    h->rank = (uint32_t)(dims.size / 4);
    h->rows = word(r, dims.data), h->columns = word(r, dims.data + 4);
    h->rest = list;
    return true;
}

// A packed element as that which it unpacks to, or its first bytes. False: it is damaged; or, with
// a message, too large.
static bool unpack(const reading *r, element *e, size_t most)
{
    uint8_t tag[8];
    if (!foi_inflate_zlib(e->data, e->size, tag, sizeof tag, true)) return false;
    uint64_t size = (uint64_t)word(r, tag + 4) + 8;
    bool cut = size > most;
    // nothing packs to less than a thousandth
    if (word(r, tag) != MATRIX || size / 1100 > e->size) return false;
    if (size > MOST_UNPACKED) return fail(r, "it unpacks to more than 256 MiB");
    if (cut) size = most;
    uint8_t *room = foi_arena_new(r->arena, (size_t)size, 1);
    if (!room) {
        fo_fail(r->why, FO_ERROR_MEMORY, "there is no memory for '%s'", r->file->name);
        return false;
    }
    if (!foi_inflate_zlib(e->data, e->size, room, (size_t)size, cut)) return false;
    *e = (element){MATRIX, room + 8, (size_t)size - 8};
    return true;
}

static bool is_called(const element *name, const char *text, size_t length)
{
    return strnlen((const char *)name->data, name->size) == length &&
           memcmp(name->data, text, length) == 0;
}

// The matrix that begins with the first part of the name.
static bool find_matrix(const reading *r, size_t length, head *h)
{
    const uint8_t *bytes = (const uint8_t *)r->file->bytes;
    elements list = {bytes + HEAD, bytes + r->file->length};
    element e;
    while (next_element(r, &list, &e)) {
        element first = e;
        if (e.type == PACKED && !unpack(r, &first, PEEP)) break;
        if (first.type != MATRIX) continue;
        if (!take_head(r, first.data, first.size, h)) break;
        if (!is_called(&h->name, r->matrix, length)) continue;
        if (e.type != PACKED) return true;
        if (!unpack(r, &e, SIZE_MAX) || !take_head(r, e.data, e.size, h)) break;
        return true;
    }
    if (r->why->text[0]) return false;
    return fail(r, list.at < list.end ? "the file is damaged" : "it is not in the file");
}

// Field `name` of a structure: the head of its matrix.
static bool take_field(const reading *r, const char *name, size_t length, head *h)
{
    element size, names, field;
    if (h->kind != STRUCTURE || h->rank != 2 || h->rows != 1 || h->columns != 1)
        return fail(r, "what stands before a dot is no structure of one element");
    if (!next_element(r, &h->rest, &size) || size.type != INT32 || size.size != 4 ||
        !next_element(r, &h->rest, &names) || names.type != INT8)
        return fail(r, "the file is damaged");
    uint32_t room = word(r, size.data);
    for (size_t i = 0; room && i < names.size / room; i++) {
        if (!next_element(r, &h->rest, &field) || field.type != MATRIX) break;
        element own = {INT8, names.data + i * room, room};
        if (!is_called(&own, name, length)) continue;
        return take_head(r, field.data, field.size, h) || fail(r, "the file is damaged");
    }
    return fail(r, "it is not in the file");
}

static bool read_version_5(reading *r, foi_matrix *m)
{
    head h;
    element real;
    const char *at = r->matrix;
    size_t length = strcspn(at, ".");
    r->big = memcmp(r->file->bytes + 126, "MI", 2) == 0;
    if (!find_matrix(r, length, &h)) return false;
    while (at[length]) {
        at += length + 1;
        length = strcspn(at, ".");
        if (!take_field(r, at, length, &h)) return false;
    }
    if (h.rank != 2 || h.complex || h.kind < FULL_FIRST || h.kind > FULL_LAST)
        return fail(r, "it is not a full matrix of real numbers");
    m->rows = h.rows, m->columns = h.columns;
    if (!next_element(r, &h.rest, &real)) return fail(r, "the file is damaged");
    return take_numbers(r, real.type, real.data, real.size, m);
}

bool foi_matrix_read_mat(const foi_matrix_file *file, const char *name, foi_arena *arena,
                         foi_matrix *matrix, fo_message *why)
{
    fo_message own = {0};
    reading r = {file, name, arena, why ? why : &own, false};
    const char *b = file->bytes;
    r.why->text[0] = 0;
    bool hdf = (file->length >= 4 && memcmp(b, "\x89HDF", 4) == 0) ||
               (file->length >= 10 && memcmp(b, "MATLAB 7.3", 10) == 0);
    if (hdf)
        return fail(&r, "the file has version 7.3 (HDF5), which is not read: save it with '-v7'");
    // a text, which version 4 does not begin with
    if (file->length >= HEAD && b[0] && b[1] && b[2] && b[3] &&
        (memcmp(b + 126, "IM", 2) == 0 || memcmp(b + 126, "MI", 2) == 0))
        return read_version_5(&r, matrix);
    return read_version_4(&r, matrix);
}
