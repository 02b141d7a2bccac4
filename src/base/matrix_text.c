/// Matrices in text. One file has several tables, each with its size:
///
///     #1
///     double tab1(3,2)   # a comment
///       0   0
///       1   1   # more
///       2   4
///
/// Blanks, commas and semicolons lie between numbers; a row may go on in the next line. In files
/// .csv every line is a row.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/matrix.h"

enum { LONGEST_NUMBER = 100 };

typedef struct reading {
    const foi_matrix_file *file;
    const char *matrix;
    const char *at, *end;    ///< what follows the line
    const char *line, *stop; ///< what is left of the line
    uint32_t number;         ///< of the line
    const char *token;
    size_t length;
    fo_message *why;
} reading;

static bool fail(const reading *r, const char *what)
{
    fo_fail(r->why, FO_ERROR_FORMAT, "line %u of '%s', matrix '%s': %s", r->number, r->file->name,
            r->matrix, what);
    return false;
}

static bool no_memory(const reading *r)
{
    fo_fail(r->why, FO_ERROR_MEMORY, "there is no memory for '%s'", r->file->name);
    return false;
}

static bool next_line(reading *r)
{
    if (r->at == r->end) return false;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->line = r->at, r->stop = stop ? stop : r->end;
    r->at = stop ? stop + 1 : r->end;
    r->number++;
    return true;
}

// What lies between delimiters, any number of them; false: the line has no more.
static bool next_token(reading *r, const char *delimiters)
{
    while (r->line < r->stop && strchr(delimiters, *r->line)) r->line++;
    r->token = r->line;
    while (r->line < r->stop && !strchr(delimiters, *r->line)) r->line++;
    r->length = (size_t)(r->line - r->token);
    return r->length > 0;
}

static bool is_token(const reading *r, const char *text)
{
    return r->length == strlen(text) && memcmp(r->token, text, r->length) == 0;
}

static bool take_number(const reading *r, double *value)
{
    char text[LONGEST_NUMBER + 1], *end;
    if (r->length > LONGEST_NUMBER) return false;
    memcpy(text, r->token, r->length);
    text[r->length] = 0;
    if (strspn(text, "0123456789+-.eE") != r->length) return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static bool take_size(reading *r, uint32_t *size)
{
    double value;
    if (!next_token(r, " \t(,)\r") || !take_number(r, &value) ||
        !(value >= 1 && value <= UINT32_MAX) || value != floor(value))
        return false;
    *size = (uint32_t)value;
    return true;
}

// The line that says where the table begins and how large it is.
static bool find_table(reading *r, foi_matrix *m)
{
    while (next_line(r)) {
        if (!next_token(r, " \t(,)\r") || (!is_token(r, "double") && !is_token(r, "float")))
            continue;
        if (!next_token(r, " \t(,)\r") || !is_token(r, r->matrix)) continue;
        if (take_size(r, &m->rows) && take_size(r, &m->columns)) return true;
        return fail(r, "its size is expected here, as in 'double name(3,2)'");
    }
    fo_fail(r->why, FO_ERROR_FORMAT, "there is no table '%s' in '%s'", r->matrix, r->file->name);
    return false;
}

static bool read_numbers(reading *r, uint64_t count, double *items)
{
    uint64_t i = 0;
    while (i < count) {
        if (!next_line(r)) return fail(r, "the file ends before the table does");
        while (next_token(r, " \t,;\r") && *r->token != '#') {
            if (i == count) return fail(r, "the table has more numbers than its size says");
            if (!take_number(r, &items[i++])) return fail(r, "a number is expected");
        }
    }
    return true;
}

// Do numbers follow behind the last row?
static uint32_t goes_on(reading *r)
{
    double value;
    while (next_line(r))
        if (next_token(r, " \t,;\r") && *r->token != '#')
            return take_number(r, &value) ? r->number : 0;
    return 0;
}

static bool read_text(reading *r, foi_arena *arena, foi_matrix *m)
{
    if (!next_line(r) || r->stop - r->line < 2 || memcmp(r->line, "#1", 2) != 0)
        return fail(r, "a file of tables begins with '#1'");
    if (!find_table(r, m)) return false;
    uint64_t count = (uint64_t)m->rows * m->columns;
    if (count > (uint64_t)(r->end - r->at)) return fail(r, "the file ends before the table does");
    double *items = foi_arena_new(arena, (size_t)count, sizeof *items);
    if (!items) return no_memory(r);
    m->items = items;
    if (!read_numbers(r, count, items)) return false;
    m->longer = goes_on(r);
    return true;
}

// ----------------------------------------------------------------------------------------- columns

// Two delimiters with nothing between them: what stands behind would come into a wrong column.
static bool has_gap(const reading *r, char delimiter)
{
    bool bare = true;
    if (strchr(" \t\r", delimiter)) return false;
    for (const char *c = r->line; c < r->stop; c++) {
        if (*c == delimiter && bare) return true;
        if (*c == delimiter) bare = true;
        if (*c != delimiter && !strchr(" \t\r", *c)) bare = false;
    }
    return false;
}

static uint32_t count_tokens(reading r, const char *delimiters)
{
    uint32_t count = 0;
    while (next_token(&r, delimiters)) count++;
    return count;
}

static bool is_blank(reading r)
{
    return !next_token(&r, " \t\r");
}

static bool read_columns(reading *r, foi_arena *arena, foi_matrix *m)
{
    char delimiters[] = {' ', '\t', '\r', r->file->delimiter ? r->file->delimiter : ',', 0};
    for (uint32_t i = 0; i < r->file->skipped; i++)
        if (!next_line(r)) return fail(r, "the file has fewer lines than are to be skipped");
    reading ahead = *r;
    while (next_line(&ahead)) {
        if (m->rows == 0) m->columns = count_tokens(ahead, delimiters);
        if (ahead.at < ahead.end || !is_blank(ahead)) m->rows++;
    }
    if (!m->rows || !m->columns) return fail(r, "there are no numbers");
    if ((uint64_t)m->rows * m->columns > (uint64_t)(r->end - r->at))
        return fail(r, "a row has fewer numbers than the first one");
    double *items = foi_arena_new(arena, (size_t)m->rows * m->columns, sizeof *items);
    if (!items) return no_memory(r);
    m->items = items;
    for (uint32_t i = 0; i < m->rows && next_line(r); i++) {
        if (has_gap(r, delimiters[3])) return fail(r, "a number is missing between delimiters");
        if (count_tokens(*r, delimiters) != m->columns)
            return fail(r, "a row has more or fewer numbers than the first one");
        while (next_token(r, delimiters))
            if (!take_number(r, items++)) return fail(r, "a number is expected");
    }
    return true;
}

bool foi_matrix_read(const foi_matrix_file *file, const char *name, foi_arena *arena,
                     foi_matrix *matrix, fo_message *why)
{
    const char *end = strrchr(file->name, '.');
    *matrix = (foi_matrix){0};
    if (end && strcasecmp(end, ".mat") == 0)
        return foi_matrix_read_mat(file, name, arena, matrix, why);
    reading r = {.file = file, .matrix = name, .at = file->bytes, .why = why};
    r.end = r.at + file->length;
    // what editors of Windows put before a text
    if (file->length >= 3 && memcmp(r.at, "\xef\xbb\xbf", 3) == 0) r.at += 3;
    if (memchr(r.at, 0, (size_t)(r.end - r.at)))
        return fail(&r, "this is no file of text: it has a NUL");
    return end && strcasecmp(end, ".csv") == 0 ? read_columns(&r, arena, matrix)
                                               : read_text(&r, arena, matrix);
}
