#include "cli/analysis/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/// A file being read.
typedef struct reading {
    const command *command;
    const char *path;
    size_t line, room;
    measured *m;
    int time; ///< which column
} reading;

static bool wrong(const reading *r, const char *what, const char *found)
{
    complain(r->command, "%s:%zu: %s%s%s%s", r->path, r->line, what, found ? ", found '" : "",
             found ? found : "", found ? "'" : "");
    return false;
}

// The next cell of the line, without spaces and quotes around it; *rest is NULL behind the last.
static char *next_cell(char **rest)
{
    char *cell = *rest, *end;
    cell += strspn(cell, " \t");
    if (*cell == '"') {
        end = strchr(++cell, '"');
        if (!end) return NULL;
        *end++ = 0;
        end += strspn(end, " \t");
        if (*end && *end != ',') return NULL;
    } else {
        end = cell + strcspn(cell, ",");
    }
    *rest = *end ? end + 1 : NULL;
    *end = 0;
    for (end = cell + strlen(cell); end > cell && strchr(" \t\r\n", end[-1]);) *--end = 0;
    return cell;
}

static bool read_header(reading *r, char *line)
{
    measured *m = r->m;
    r->time = -1;
    for (int column = 0; line; column++) {
        char *cell = next_cell(&line);
        if (!cell) return wrong(r, "a quote does not end", NULL);
        if (strcmp(cell, "time") == 0 && r->time < 0) {
            r->time = column;
            continue;
        }
        char **names = realloc(m->names, (m->data.columns + 1) * sizeof *names);
        if (!names) return wrong(r, "out of memory", NULL);
        m->names = names;
        names[m->data.columns] = strdup(cell);
        if (!names[m->data.columns++]) return wrong(r, "out of memory", NULL);
    }
    if (r->time < 0) return wrong(r, "expected a column 'time'", NULL);
    return m->data.columns || wrong(r, "expected a column with a signal beside 'time'", NULL);
}

static bool read_number(const char *cell, double *value)
{
    char *end;
    *value = strtod(cell, &end);
    return end != cell && !*end && isfinite(*value);
}

static bool make_room(reading *r)
{
    measured *m = r->m;
    if (m->data.rows < r->room) return true;
    size_t room = r->room ? 2 * r->room : 256;
    double *times = realloc(m->times, room * sizeof *times);
    if (times) m->times = times;
    double *values = realloc(m->values, room * m->data.columns * sizeof *values);
    if (values) m->values = values;
    if (times && values) r->room = room;
    return (times && values) || wrong(r, "out of memory", NULL);
}

static bool read_row(reading *r, char *line)
{
    measured *m = r->m;
    size_t k = 0;
    if (!make_room(r)) return false;
    for (int column = 0; line; column++) {
        char *cell = next_cell(&line);
        double value = NAN;
        if (!cell) return wrong(r, "a quote does not end", NULL);
        bool missing = !*cell && column != r->time;
        if (!missing && !read_number(cell, &value)) return wrong(r, "expected a number", cell);
        if (column == r->time)
            m->times[m->data.rows] = value;
        else if (k == m->data.columns)
            return wrong(r, "there are more cells than columns", NULL);
        else
            m->values[m->data.rows * m->data.columns + k++] = value;
    }
    if (k < m->data.columns) return wrong(r, "there are fewer cells than columns", NULL);
    m->data.rows++;
    return true;
}

bool measured_read(const command *c, const char *path, measured *m)
{
    reading r = {.command = c, .path = path, .m = m};
    char *line = NULL;
    size_t size = 0;
    bool good = true, begun = false;
    *m = (measured){0};
    const char *why;
    FILE *in = foi_file_plain(path, &why);
    if (!in) {
        complain(c, "cannot read '%s': %s", path, why);
        return false;
    }
    while (good && getline(&line, &size, in) > 0) {
        r.line++;
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0) continue;
        good = begun ? read_row(&r, line) : read_header(&r, line);
        begun = true;
    }
    free(line);
    fclose(in);
    m->data.names = (const char *const *)m->names, m->data.times = m->times;
    m->data.values = m->values;
    if (good && !m->data.rows) good = wrong(&r, "there are no rows", NULL);
    return good;
}

void measured_free(measured *m)
{
    for (size_t i = 0; m->names && i < m->data.columns; i++) free(m->names[i]);
    free(m->names);
    free(m->times);
    free(m->values);
    *m = (measured){0};
}
