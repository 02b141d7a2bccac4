#include "cli/analysis/heat_map.h"

#include <math.h>

#include "cli/terminal.h"

enum { SHADES = 5, WIDTH = 64, HEIGHT = 24 };

typedef struct map {
    const double *rows;
    size_t width, column;
    uint64_t across, up; ///< lines of the grid: the second number goes across
    double least, most;
    bool ascii;
} map;

static double value_at(const map *m, uint64_t up, uint64_t across)
{
    return m->rows[(up * m->across + across) * m->width + m->column];
}

static void find_limits(map *m, uint64_t count)
{
    m->least = INFINITY, m->most = -INFINITY;
    for (uint64_t i = 0; i < count; i++) {
        double v = m->rows[i * m->width + m->column];
        if (v < m->least) m->least = v;
        if (v > m->most) m->most = v;
    }
}

static const char *shade(const map *m, int level)
{
    static const char *const plain[] = {".", ":", "+", "#", "@"};
    static const char *const blocks[] = {"·", "░", "▒", "▓", "█"};
    return m->ascii ? plain[level] : blocks[level];
}

static int level_of(const map *m, double value)
{
    double part = m->most > m->least ? (value - m->least) / (m->most - m->least) : 0;
    int level = (int)(part * SHADES);
    return level < 0 ? 0 : level >= SHADES ? SHADES - 1 : level;
}

static void print_line(FILE *out, const map *m, uint64_t up)
{
    uint64_t columns = m->across < WIDTH ? m->across : WIDTH;
    int repeat = (int)(WIDTH / columns) > 4 ? 4 : (int)(WIDTH / columns);
    fprintf(out, "  %10.4g ", m->rows[up * m->across * m->width]);
    for (uint64_t k = 0; k < columns; k++) {
        double v = value_at(m, up, k * m->across / columns);
        for (int i = 0; i < repeat; i++) fputs(isnan(v) ? " " : shade(m, level_of(m, v)), out);
    }
    fputc('\n', out);
}

void heat_map_print(FILE *out, const fo_parameter_sweep *sweep, const double *rows, uint64_t count,
                    size_t width, size_t column, const char *name, bool ascii)
{
    map m = {.rows = rows, .width = width, .column = column};
    m.ascii = ascii || !terminal_has_unicode();
    while (m.across < count && rows[m.across * width] == rows[0]) m.across++;
    m.up = m.across ? count / m.across : 0;
    if (m.up < 2 || m.across < 2) return;
    find_limits(&m, count);
    uint64_t lines = m.up < HEIGHT ? m.up : HEIGHT;
    fprintf(out, "  %s; %s upwards, %s from %.4g to %.4g across\n", name,
            fo_parameter_sweep_name(sweep, 0), fo_parameter_sweep_name(sweep, 1), rows[1],
            rows[(m.across - 1) * width + 1]);
    for (uint64_t k = lines; k-- > 0;) print_line(out, &m, k * m.up / lines);
    for (int i = 0; i < SHADES; i++)
        fprintf(out, "  %s from %.4g", shade(&m, i), m.least + (m.most - m.least) * i / SHADES);
    fputc('\n', out);
}
