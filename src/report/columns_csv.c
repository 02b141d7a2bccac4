// CSV of this program and of others: names in the first row, perhaps units in the second, with
// commas, or semicolons where the first row has no comma. Lines that begin with # are comments.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/columns.h"

typedef struct reading {
    fo_columns *columns;
    const char *path;
    size_t line;
    char comma;
    bool headed; ///< there was a row of units
    bool spare;  ///< the header ends with a comma: so may rows
    fo_message *why;
} reading;

static fo_status wrong(const reading *r, const char *what, const char *found)
{
    return fo_fail(r->why, FO_ERROR_FORMAT, "%s:%zu: %s%s%.40s%s", r->path, r->line, what,
                   found ? ", found '" : "", found ? found : "", found ? "'" : "");
}

static fo_status no_memory(const reading *r)
{
    return fo_fail(r->why, FO_ERROR_MEMORY, "%s:%zu: no memory for it", r->path, r->line);
}

// In quotes: doubled ones become one, in place. Returns what follows the last quote; NULL: none.
static char *unquote(char *cell)
{
    char *to = cell;
    for (char *from = cell + 1; *from; from++) {
        if (*from == '"' && *++from != '"') {
            *to = 0;
            return from;
        }
        *to++ = *from;
    }
    return NULL;
}

// The next cell of the line, without spaces around it; *rest is NULL behind the last. NULL: a quote
// does not end.
static char *next_cell(const reading *r, char **rest)
{
    char *cell = *rest + strspn(*rest, " \t"), *end;
    if (*cell == '"') {
        char between[2] = {r->comma, 0};
        end = unquote(cell);
        if (!end) return NULL;
        end += strspn(end, " \t");
        if (*end && !strchr(between, *end)) return NULL;
        *rest = *end ? end + 1 : NULL;
        return cell;
    }
    end = strchr(cell, r->comma);
    *rest = end ? end + 1 : NULL;
    if (end) *end = 0;
    for (end = cell + strlen(cell); end > cell && strchr(" \t", end[-1]);) *--end = 0;
    return cell;
}

static fo_status read_header(reading *r, char *line)
{
    r->comma = strchr(line, ',') || !strchr(line, ';') ? ',' : ';';
    while (line) {
        char *cell = next_cell(r, &line);
        if (!cell) return wrong(r, "a quote does not end", NULL);
        r->spare = !line && !*cell && r->columns->count;
        if (r->spare) break;
        if (fo_failed(foi_columns_add(r->columns, cell, strlen(cell), NULL))) return no_memory(r);
    }
    return FO_OK;
}

static bool read_number(const char *cell, double *value)
{
    char *end;
    *value = strtod(cell, &end);
    return end != cell && !*end;
}

static fo_status read_units(reading *r, char *line)
{
    fo_columns *c = r->columns;
    r->headed = true;
    for (size_t i = 0; line && i < c->count; i++) {
        char *cell = next_cell(r, &line);
        if (!cell) return wrong(r, "a quote does not end", NULL);
        char *unit = foi_copy_text(c->allocator, cell);
        if (!unit) return no_memory(r);
        foi_free(c->allocator, c->units[i]);
        c->units[i] = unit;
    }
    return FO_OK;
}

static fo_status read_row(reading *r, char *line)
{
    fo_columns *c = r->columns;
    double *cells = foi_columns_row(c);
    size_t i = 0;
    if (!cells) return no_memory(r);
    for (; line; i++) {
        char *cell = next_cell(r, &line);
        if (!cell) return wrong(r, "a quote does not end", NULL);
        if (i == c->count && r->spare && !*cell && !line) return FO_OK;
        if (i >= c->count) return wrong(r, "there are more cells than columns", NULL);
        if (*cell && !read_number(cell, &cells[i])) return wrong(r, "expected a number", cell);
    }
    return i == c->count ? FO_OK : wrong(r, "there are fewer cells than columns", NULL);
}

// Whether the first cell of a line is a number.
static bool has_number(const reading *r, const char *line)
{
    char *end;
    line += strspn(line, " \t\"");
    strtod(line, &end);
    end += strspn(end, " \t\"");
    return end != line && (!*end || *end == r->comma);
}

static fo_status read_line(reading *r, char *line)
{
    if (!r->columns->count) return read_header(r, line);
    bool second = !r->columns->rows && !r->headed;
    if (second && !has_number(r, line)) return read_units(r, line);
    return read_row(r, line);
}

fo_status foi_columns_csv(fo_columns *c, const char *path, char *text, fo_message *why)
{
    reading r = {.columns = c, .path = path, .why = why};
    static const char mark[] = "\xef\xbb\xbf"; // some tools begin with it
    if (strncmp(text, mark, 3) == 0) text += 3;
    for (char *line = text; line;) {
        char *next = strchr(line, '\n');
        if (next) *next++ = 0;
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r') line[length - 1] = 0;
        r.line++;
        if (line[0] != '#' && line[strspn(line, " \t")]) {
            fo_status status = read_line(&r, line);
            if (fo_failed(status)) return status;
        }
        line = next;
    }
    return FO_OK;
}
