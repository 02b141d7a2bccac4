/// libFuzzer target: any bytes as a file of results or inputs (`--input`, `compare`) and as
/// measured data (`fit --data`). The first letter says which: c, j, m are *.csv, *.json and *.mat,
/// d is data.
#include <foliot/report.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/measured.c"
#include "complaints.h"
#include "purse.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_data(const char *path)
{
    measured m;
    said = false;
    if (measured_read(NULL, path, &m)) {
        double sum = 0;
        for (size_t i = 0; i < m.data.rows * m.data.columns; i++) sum += m.data.values[i] * 0;
        for (size_t i = 0; i < m.data.columns; i++) sum += (double)strlen(m.data.names[i]) * 0;
        (void)sum;
    } else if (!said)
        abort(); // a refusal says why
    measured_free(&m);
}

static void read_columns(const char *path)
{
    size_t used = 0;
    fo_allocator purse = {.self = &used, .resize = resize};
    fo_message why = {0};
    fo_columns *c = fo_columns_read(path, &purse, &why);
    if (!c && !why.text[0]) abort();
    for (size_t i = 0; c && i < fo_columns_count(c); i++) {
        const double *values = fo_columns_values(c, i);
        if (!fo_columns_name(c, i)) abort();
        for (size_t k = 1; i == 0 && k < fo_columns_rows(c); k++)
            if (!(values[k] >= values[k - 1])) abort(); // the time never goes back
    }
    fo_columns_destroy(c);
    if (used) abort();
}

// A file with an ending, which leads to the one in memory.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char kinds[] = "cjmd", *const endings[] = {"csv", "json", "mat", "csv"};
    const char *kind = size && data[0] ? strchr(kinds, data[0]) : NULL;
    char path[128];
    if (!kind) return 0;
    scratch file = scratch_make(data + 1, size - 1);
    snprintf(path, sizeof path, "/tmp/foliot-fuzz-%d.%s", (int)getpid(), endings[kind - kinds]);
    unlink(path);
    if (symlink(file.path, path) != 0) abort();
    if (*kind == 'd')
        read_data(path);
    else
        read_columns(path);
    unlink(path);
    scratch_free(&file);
    return 0;
}
