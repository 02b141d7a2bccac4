/// libFuzzer target: any bytes as the archive of an FMU, every entry of it read, and all of them
/// unpacked into a folder, beside which nothing may appear.
///
/// Checksums are put right by the mutations, so that they reach what is behind them. An input that
/// begins with "deflate" is packed data by itself.
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/inflate.h"
#include "fmi/archive.h"
#include "purse.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { LOCAL = 30, CENTRAL = 46, MOST_OUT = 1 << 16 };

static void inflate(const uint8_t *data, size_t size)
{
    size_t wanted = size > 2 ? data[0] | (size_t)data[1] << 8 : 0;
    uint8_t *to = malloc(wanted + 1);
    if (!to) return;
    if (size > 2 && foi_inflate(data + 2, size - 2, to, wanted)) foi_crc32(0, to, wanted);
    free(to);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)kind, (void)place;
    return remove(path);
}

// Into a folder of its own, beside which nothing may appear.
static void unpack(foi_archive *z)
{
    char outer[] = "/tmp/foliot-fuzz-XXXXXX", inner[64];
    fo_message why = {0};
    if (!mkdtemp(outer)) abort();
    snprintf(inner, sizeof inner, "%s/inner", outer);
    if (mkdir(inner, 0700) != 0) abort();
    if (foi_archive_unpack(z, "", inner, &why) != FO_OK && !why.text[0]) abort();
    if (nftw(inner, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0) abort();
    if (rmdir(outer) != 0) abort(); // something is left beside it
}

static bool leads_up(const char *name)
{
    for (const char *at = name; (at = strstr(at, "..")); at++)
        if ((at == name || at[-1] == '/') && (!at[2] || at[2] == '/')) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    fo_allocator purse = {.self = &used, .resize = resize};
    fo_message why = {0};
    if (size >= 7 && memcmp(data, "deflate", 7) == 0) return inflate(data + 7, size - 7), 0;
    scratch file = scratch_make(data, size);
    foi_archive *z = foi_archive_open(file.path, &purse, &why);
    if (!z && !why.text[0]) abort(); // a refusal says why
    for (size_t i = 0; z && i < foi_archive_count(z) && i < 50; i++) {
        const char *name = foi_archive_name(z, i);
        size_t length = 0;
        if (!foi_archive_has(z, name)) abort();
        if (name[0] == '/' || leads_up(name) || strchr(name, '\\')) abort();
        char *text = foi_archive_read(z, name, &length, &why);
        if (text && text[length]) abort(); // a zero stands behind it
        foi_free(&purse, text);
    }
    if (z && foi_archive_count(z) < 20) unpack(z);
    foi_archive_close(z);
    if (used) abort();
    scratch_free(&file);
    return 0;
}

// ------------------------------------------------------------------------------------ mutations

static uint32_t get(const uint8_t *p, int count)
{
    uint32_t v = 0;
    while (count--) v = v << 8 | p[count];
    return v;
}

static void put(uint8_t *p, int count, uint32_t v)
{
    for (; count--; v >>= 8) *p++ = (uint8_t)v;
}

// The checksum of what an entry of the list holds, where that can be found.
static void mend_entry(uint8_t *data, size_t size, uint8_t *central)
{
    static uint8_t out[MOST_OUT];
    size_t local = get(central + 42, 4), packed = get(central + 20, 4), full = get(central + 24, 4);
    if (local > size || size - local < LOCAL) return;
    size_t skip = LOCAL + get(data + local + 26, 2) + get(data + local + 28, 2);
    if (size - local < skip || size - local - skip < packed || full > sizeof out) return;
    const uint8_t *from = data + local + skip;
    bool plain = get(central + 10, 2) == 0;
    if (plain)
        put(central + 24, 4, (uint32_t)packed);
    else if (!foi_inflate(from, packed, out, full))
        return;
    put(central + 16, 4, plain ? foi_crc32(0, from, packed) : foi_crc32(0, out, full));
}

static void mend(uint8_t *data, size_t size)
{
    size_t count = 0, first = size;
    for (size_t at = 0; at + CENTRAL <= size; at++) {
        if (get(data + at, 4) != 0x02014b50) continue;
        if (!count++) first = at;
        mend_entry(data, size, data + at);
    }
    for (size_t at = first; at + 22 <= size; at++) {
        if (get(data + at, 4) != 0x06054b50) continue;
        put(data + at + 8, 2, (uint32_t)count), put(data + at + 10, 2, (uint32_t)count);
        put(data + at + 12, 4, (uint32_t)(at - first)), put(data + at + 16, 4, (uint32_t)first);
        put(data + at + 20, 2, (uint32_t)(size - at - 22));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size = LLVMFuzzerMutate(data, size, most);
    if (seed % 4 && !(size >= 7 && memcmp(data, "deflate", 7) == 0)) mend(data, size);
    return size;
}
