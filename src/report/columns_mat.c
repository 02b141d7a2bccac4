// The files that mat.c writes and those of other Modelica tools: any byte order, numbers of any of
// the types of level 4, transposed (binTrans) or not (binNormal).
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "report/columns.h"

/// One matrix in the file; bytes[0] is its first number.
typedef struct matrix {
    const char *name; ///< NULL: none
    const unsigned char *bytes;
    size_t rows, columns;
    int type; ///< P: 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5 uint8
    bool big; ///< the first byte is the largest
} matrix;

typedef struct file {
    fo_columns *columns;
    const char *path;
    const unsigned char *at, *end;
    matrix class, name, description, info, data;
    bool transposed;
    fo_message *why;
} file;

static fo_status wrong(const file *f, const char *what)
{
    return fo_fail(f->why, FO_ERROR_FORMAT, "%s: %s", f->path, what);
}

static uint64_t whole(const unsigned char *at, int size, bool big)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)at[big ? size - 1 - i : i] << 8 * i;
    return value;
}

static const int sizes[] = {8, 4, 4, 2, 2, 1};

static double number_at(const matrix *m, size_t row, size_t column)
{
    const unsigned char *at = m->bytes + (column * m->rows + row) * (size_t)sizes[m->type];
    uint64_t bits = whole(at, sizes[m->type], m->big);
    uint32_t few = (uint32_t)bits;
    double value;
    float small;
    switch (m->type) {
    case 0: memcpy(&value, &bits, sizeof value); return value;
    case 1: memcpy(&small, &few, sizeof small); return (double)small;
    case 2: return (double)(int32_t)few;
    case 3: return (double)(int16_t)few;
    default: return (double)few;
    }
}

// ---------------------------------------------------------------------------------------- matrices

// The head says MOPT in decimal: M the byte order, O 0, P the type, T 0 or 1 for text.
static fo_status read_matrix(file *f, matrix *m)
{
    enum { HEAD = 20 };
    if (f->end - f->at < HEAD) return wrong(f, "it ends within the head of a matrix");
    uint32_t head[5];
    for (int i = 0; i < 5; i++) head[i] = (uint32_t)whole(f->at + 4 * i, 4, false);
    m->big = head[0] > 9999;
    for (int i = 0; i < 5; i++) head[i] = (uint32_t)whole(f->at + 4 * i, 4, m->big);
    if (head[0] > 1999 || head[0] / 100 % 10 || head[0] / 10 % 10 > 5 || head[0] % 10 > 1)
        return wrong(f, "it is no MATLAB file of level 4");
    m->type = (int)(head[0] / 10 % 10);
    m->rows = head[1], m->columns = head[2];
    if (!m->rows || !m->columns) m->rows = m->columns = 0; // no loop over nothing
    f->at += HEAD;
    size_t left = (size_t)(f->end - f->at), length = head[4], count;
    if (head[3]) return wrong(f, "it has complex numbers");
    if (!length || length > left || f->at[length - 1])
        return wrong(f, "the name of a matrix does not end");
    m->name = (const char *)f->at;
    f->at += length, left -= length;
    if (__builtin_mul_overflow(m->rows, m->columns, &count) ||
        count > left / (size_t)sizes[m->type])
        return wrong(f, "it ends within a matrix");
    m->bytes = f->at;
    f->at += count * (size_t)sizes[m->type];
    return FO_OK;
}

static fo_status find_matrices(file *f)
{
    const struct {
        const char *name;
        matrix *to;
    } wanted[] = {{"Aclass", &f->class},
                  {"name", &f->name},
                  {"description", &f->description},
                  {"dataInfo", &f->info},
                  {"data_2", &f->data}};
    while (f->at < f->end) {
        matrix m = {0};
        fo_status status = read_matrix(f, &m);
        if (fo_failed(status)) return status;
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if (strcmp(m.name, wanted[i].name) == 0) *wanted[i].to = m;
        // the rows come last; behind them stands what a killed run has not counted any more
        if (f->data.name && f->class.name && f->name.name && f->info.name) break;
    }
    if (f->class.name && f->name.name && f->info.name && f->data.name) return FO_OK;
    return wrong(f, "expected the matrices Aclass, name, dataInfo and data_2 of a Modelica tool");
}

// Element (i, j) of a matrix as it would stand in a file that is not transposed.
static double element(const file *f, const matrix *m, size_t i, size_t j)
{
    return f->transposed ? number_at(m, j, i) : number_at(m, i, j);
}

static size_t rows_of(const file *f, const matrix *m)
{
    return f->transposed ? m->columns : m->rows;
}

static size_t columns_of(const file *f, const matrix *m)
{
    return f->transposed ? m->rows : m->columns;
}

// Letters are numbers like all others: what is none is a question mark.
static char letter_of(double number)
{
    return number >= 0 && number < 256 ? (char)(unsigned char)number : '?';
}

// Text number i of a matrix; cut where it is too long.
static void text_at(const file *f, const matrix *m, size_t i, char *text, size_t size)
{
    size_t length = 0, wide = m->name ? columns_of(f, m) : 0;
    if (m->name && i >= rows_of(f, m)) wide = 0;
    for (size_t k = 0; k < wide && k + 1 < size; k++) {
        text[k] = letter_of(element(f, m, i, k));
        if (!text[k]) break;
        if (text[k] != ' ') length = k + 1;
    }
    text[length] = 0;
}

// ------------------------------------------------------------------------------------------ series

// "height [m]": the unit, in place.
static const char *unit_of(char *description)
{
    char *open = strrchr(description, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close) return "";
    *close = 0;
    return open + 1;
}

/// Where a variable's numbers are: a column of data_2 from 0, or none.
static bool place_of(const file *f, size_t i, size_t *column, double *sign)
{
    double table = element(f, &f->info, i, 0), place = element(f, &f->info, i, 1);
    if ((table != 2 && table != 0) || !(fabs(place) >= 1) ||
        !(fabs(place) <= (double)columns_of(f, &f->data)))
        return false;
    *column = (size_t)fabs(place) - 1, *sign = place < 0 ? -1 : 1;
    return true;
}

static fo_status add_names(file *f)
{
    size_t column;
    double sign;
    for (size_t i = 0; i < rows_of(f, &f->name); i++) {
        char name[512], about[512];
        if (!place_of(f, i, &column, &sign)) continue;
        text_at(f, &f->name, i, name, sizeof name);
        text_at(f, &f->description, i, about, sizeof about);
        if (fo_failed(foi_columns_add(f->columns, name, strlen(name), unit_of(about))))
            return fo_fail(f->why, FO_ERROR_MEMORY, "%s: no memory for its names", f->path);
    }
    return f->columns->count ? FO_OK : wrong(f, "there are no variables");
}

static fo_status add_rows(file *f)
{
    size_t column, k;
    double sign;
    for (size_t row = 0; row < rows_of(f, &f->data); row++) {
        double *cells = foi_columns_row(f->columns);
        if (!cells) return fo_fail(f->why, FO_ERROR_MEMORY, "%s: no memory for its rows", f->path);
        k = 0;
        for (size_t i = 0; i < rows_of(f, &f->name); i++)
            if (place_of(f, i, &column, &sign))
                cells[k++] = sign * element(f, &f->data, row, column);
    }
    return FO_OK;
}

fo_status foi_columns_mat(fo_columns *c, const char *path, const char *bytes, size_t length,
                          fo_message *why)
{
    file f = {.columns = c, .path = path, .why = why};
    char kind[32] = "";
    f.at = (const unsigned char *)bytes, f.end = f.at + length;
    fo_status status = find_matrices(&f);
    if (fo_failed(status)) return status;
    text_at(&f, &f.class, 3, kind, sizeof kind); // the class itself is never transposed
    f.transposed = strcmp(kind, "binTrans") == 0;
    if (columns_of(&f, &f.info) < 2 || rows_of(&f, &f.info) < rows_of(&f, &f.name))
        return wrong(&f, "dataInfo is too small for its names");
    status = add_names(&f);
    return fo_failed(status) ? status : add_rows(&f);
}
