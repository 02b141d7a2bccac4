/// libFuzzer target: any bytes as a file with matrices, for tables of texts. The first letter says
/// which: t, c, m are text, columns and MAT-files; the matrix is called a, or b.c.
#include <stdlib.h>
#include <string.h>

#include "base/matrix.h"
#include "purse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char kinds[] = "tcm", *const files[] = {"f.txt", "f.csv", "f.mat"};
    const char *kind = size && data[0] ? strchr(kinds, data[0]) : NULL;
    if (!kind) return 0;
    for (int i = 0; i < 2; i++) {
        size_t used = 0;
        fo_allocator purse = {.self = &used, .resize = resize};
        fo_message why = {0};
        foi_arena arena;
        foi_matrix m;
        foi_matrix_file f = {files[kind - kinds], (const char *)data + 1, size - 1, ';', 0};
        foi_arena_begin(&arena, &purse, 1 << 26);
        if (foi_matrix_read(&f, i ? "b.c" : "a", &arena, &m, &why)) {
            double sum = 0;
            for (uint64_t k = 0; k < (uint64_t)m.rows * m.columns; k++) sum += m.items[k] * 0;
            if (!m.rows || !m.columns || sum != 0) abort();
        } else if (!why.text[0]) {
            abort(); // a refusal says why
        }
        foi_arena_end(&arena);
        if (used) abort();
    }
    return 0;
}
