/// libFuzzer target: any bytes as an object in the cache. The first byte says how it came there:
///
///     0: the rest is the file.
///     1: the rest was sealed; then the last bytes are changes, (u16 where from its end, u8 value)
///        as many as the second byte says.
///
/// Only what has exactly the bytes that were sealed is good.
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const foi_digest source = {{UINT64_C(0x0123456789abcdef), 42}};

static void put(const char *path, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    if (fd < 0 || fchmod(fd, 0700) != 0 || write(fd, bytes, count) != (ssize_t)count) abort();
    close(fd);
}

static size_t get(const char *path, unsigned char *bytes, size_t most)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, bytes, most) : -1;
    if (n < 0) abort();
    close(fd);
    return (size_t)n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/foliot-fuzz-XXXXXX", made[64], object[64];
    static unsigned char sealed[1 << 17], now[1 << 17];
    fo_message why = {0};
    if (!made[0]) {
        if (!mkdtemp(folder)) abort();
        snprintf(made, sizeof made, "%s/made", folder);
        snprintf(object, sizeof object, "%s/object.so", folder);
    }
    if (size < 2 || size > (1 << 16)) return 0;
    bool ours = data[0] & 1;
    size_t changes = ours ? data[1] % 32 : 0;
    if (size - 2 < 3 * changes) return 0;
    size_t length = size - 2 - 3 * changes, count = length;
    const uint8_t *change = data + 2 + length;
    if (!length) return 0; // no object is empty
    if (!ours) {
        put(object, data + 2, length);
    } else {
        put(made, data + 2, length);
        if (foi_cache_keep(made, object, source, &why) != FO_OK) abort();
        count = get(object, sealed, sizeof sealed);
        memcpy(now, sealed, count);
        for (size_t i = 0; i < changes; i++)
            now[count - 1 - (size_t)(change[3 * i] | change[3 * i + 1] << 8) % count] =
                change[3 * i + 2];
        put(object, now, count);
    }
    foi_cached found = foi_cache_look(object, source, &why);
    bool same = ours && memcmp(now, sealed, count) == 0;
    if (found == FOI_CACHE_BAD && !why.text[0]) abort(); // a refusal says why
    if (ours && same != (found == FOI_CACHE_GOOD)) abort();
    if (!ours && found == FOI_CACHE_GOOD && length < 84) abort();
    unlink(object);
    return 0;
}
