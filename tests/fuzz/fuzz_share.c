/// libFuzzer target: any bytes as shared memory. The first part is what a reader opens; then it is
/// overwritten and cut as the rest says, and read again each time.
///
///     u16 size | image | (u16 where, u8 how many, bytes | 255: cut here)...
#include <foliot/share.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "share/share.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATIENCE = 20000, MOST_VALUES = 1 << 16 }; ///< [ns]

static void look_at(fo_look *look, double *values)
{
    double t = 0;
    uint64_t shown = fo_look_read(look, &t, values);
    if (shown && fo_look_message(look)->status) abort();
    if (!shown && fo_look_message(look)->status && !fo_look_message(look)->text[0]) abort();
    size_t letters = strlen(fo_look_model(look));
    for (size_t i = 0; i < fo_look_count(look); i++) letters += strlen(fo_look_name(look, i));
    if (fo_look_name(look, fo_look_count(look))) abort();
    if (letters > 1 << 20) abort();
    fo_look_alive(look);
}

/// One change of the file; returns how many bytes it took.
static size_t change(int file, const uint8_t *data, size_t size)
{
    off_t where = (off_t)(data[0] | data[1] << 8);
    if (data[2] == 255) return ftruncate(file, where) == 0 ? 3 : 3;
    size_t count = data[2] < size - 3 ? data[2] : size - 3;
    if (pwrite(file, data + 3, count, where) < 0) abort();
    return 3 + count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why = {0};
    if (size < 2) return 0;
    size_t image = (size_t)(data[0] | data[1] << 8);
    data += 2, size -= 2;
    if (image > size) image = size;
    int file = memfd_create("fuzz", 0), mine = dup(file);
    if (file < 0 || mine < 0 || write(mine, data, image) != (ssize_t)image) abort();
    fo_look *look = foi_look_open_file(file, "/fuzz", PATIENCE, NULL, &why);
    if (!look && !why.text[0]) abort(); // a refusal says why
    double *values = look && fo_look_count(look) < MOST_VALUES
                         ? malloc((fo_look_count(look) + 1) * sizeof *values)
                         : NULL;
    for (size_t at = image; values && at <= size;) {
        look_at(look, values);
        if (size - at < 3) break;
        at += change(mine, data + at, size - at);
    }
    free(values);
    fo_look_close(look);
    close(mine);
    return 0;
}
