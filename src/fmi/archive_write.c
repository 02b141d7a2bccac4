/// Writing archives: entries are packed where that makes them smaller, with dates and modes that do
/// not depend on when and where, so that the same content gives the same file.
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/inflate.h"
#include "fmi/archive.h"

enum { LOCAL = 30, CENTRAL = 46, DATE_1980 = 0x21 };

struct foi_archive_writer {
    const fo_allocator *allocator;
    char *path;
    uint8_t *bytes; ///< of the file so far
    size_t room;
    uint8_t *list; ///< the central directory so far
    size_t list_size, list_room;
    size_t at;
    uint32_t count;
    bool failed, memory;
};

static void put2(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
}

static void put4(uint8_t *p, uint32_t v)
{
    put2(p, v), put2(p + 2, v >> 16);
}

foi_archive_writer *foi_archive_create(const char *path, const fo_allocator *a, fo_message *why)
{
    foi_archive_writer *w = foi_new(a, 1, sizeof *w);
    char *own = w ? foi_copy_text(a, path) : NULL;
    if (!own) {
        foi_free(a, w);
        fo_fail(why, FO_ERROR_MEMORY, "no memory for an archive");
        return NULL;
    }
    *w = (foi_archive_writer){.allocator = a, .path = own};
    return w;
}

static void put(foi_archive_writer *w, const void *data, size_t size)
{
    if (!foi_array_room(w->allocator, &w->bytes, &w->room, w->at + size, 1)) {
        w->failed = w->memory = true;
        return;
    }
    if (size) memcpy(w->bytes + w->at, data, size);
    w->at += size;
}

/// One entry as it lies in the archive.
typedef struct entry {
    const char *name;
    const void *data;
    size_t size, raw; ///< as it lies there, and unpacked
    uint32_t sum;     ///< of what is unpacked
    bool program;
} entry;

static void add_entry(foi_archive_writer *w, const entry *e)
{
    enum { DEFLATED = 8 };
    size_t length = strlen(e->name);
    uint8_t local[LOCAL] = {'P', 'K', 3, 4, 20}, central[CENTRAL] = {'P', 'K', 1, 2, 20, 3, 20};
    put2(local + 6, 1 << 11), put2(local + 12, DATE_1980); // names in UTF-8
    if (e->size != e->raw) put2(local + 8, DEFLATED);
    put4(local + 14, e->sum);
    put4(local + 18, (uint32_t)e->size), put4(local + 22, (uint32_t)e->raw);
    put2(local + 26, (uint32_t)length);
    memcpy(central + 8, local + 6, 24);
    put4(central + 38, (e->program ? 0100755u : 0100644u) << 16);
    put4(central + 42, (uint32_t)w->at);
    if (!foi_array_room(w->allocator, &w->list, &w->list_room, w->list_size + CENTRAL + length,
                        1)) {
        w->failed = w->memory = true;
        return;
    }
    memcpy(w->list + w->list_size, central, CENTRAL);
    memcpy(w->list + w->list_size + CENTRAL, e->name, length);
    w->list_size += CENTRAL + length;
    w->count++;
    put(w, local, LOCAL);
    put(w, e->name, length);
    put(w, e->data, e->size);
}

// Programs are not packed, so that a unit starts fast.
void foi_archive_add(foi_archive_writer *w, const char *name, const void *data, size_t size,
                     bool program)
{
    enum { WORTH_IT = 256 };
    if (w->failed || size > UINT32_MAX / 2 || w->at > UINT32_MAX / 2 || w->count > 60000) {
        w->failed = true;
        return;
    }
    entry e = {name, data, size, size, foi_crc32(0, data, size), program};
    bool worth = !program && size >= WORTH_IT;
    uint8_t *packed = worth ? foi_new(w->allocator, size, 1) : NULL;
    size_t smaller = packed ? foi_deflate(data, size, packed, size - 1, w->allocator) : 0;
    if ((worth && !packed) || smaller == SIZE_MAX)
        w->memory = w->failed = true;
    else if (smaller)
        e.data = packed, e.size = smaller;
    if (!w->failed) add_entry(w, &e);
    foi_free(w->allocator, packed);
}

fo_status foi_archive_finish(foi_archive_writer *w, fo_message *why)
{
    uint8_t end[22] = {'P', 'K', 5, 6};
    put2(end + 8, w->count), put2(end + 10, w->count);
    put4(end + 12, (uint32_t)w->list_size), put4(end + 16, (uint32_t)w->at);
    if (!w->failed) put(w, w->list, w->list_size);
    if (!w->failed) put(w, end, sizeof end);
    fo_status status = FO_OK;
    if (w->memory)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for %s", w->path);
    else if (w->failed)
        status = fo_fail(why, FO_ERROR_UNFIT, "%s would be larger than 2 GiB", w->path);
    else
        status = foi_file_save(w->path, w->bytes, w->at, w->allocator, why);
    foi_free(w->allocator, w->bytes);
    foi_free(w->allocator, w->list);
    foi_free(w->allocator, w->path);
    foi_free(w->allocator, w);
    return status;
}
