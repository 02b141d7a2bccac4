// A plot, 72 x 18 or what fits:
//
//     the title
//       1.5 ┤⠑⢄            the canvas: Braille dots or ASCII marks
//           │  ⠑⢄
//         0 ┤┈┈┈┈⠑⠤⠔┈
//           └┬─────┬────
//            0     1       the labels of time
//     ━━ h [m]   time [s]  the legend
#include <foliot/report.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/axis.h"
#include "report/canvas.h"

enum { WIDTH = 72, HEIGHT = 18, NARROWEST = 24, WIDEST = 400, LOWEST = 6, HIGHEST = 120 };
static const double HUGE_VALUE = 1e300; // what is beyond is not drawn

typedef struct plot {
    FILE *out;
    const fo_plot_def *def;
    int width, height;
    int margin; ///< columns left of the canvas
    foi_axis time, value;
    foi_canvas canvas;
} plot;

// ------------------------------------------------------------------------------ letters of it

typedef struct letters {
    const char *wall, *tick, *corner, *floor, *floor_tick, *zero, *more;
} letters;

static const letters unicode = {"│", "┤", "└", "─", "┬", "┈", "…"};
static const letters ascii = {"|", "+", "+", "-", "+", " ", "~"};
static const char marks[] = "*+ox#%@=";
static const char *const swatches[FOI_DASHES] = {"━━", "╍╍", "┉┉", "━·"};
static const char *const colours[] = {"\033[36m", "\033[33m", "\033[35m",
                                      "\033[32m", "\033[31m", "\033[34m"};
static const char *const DIM = "\033[2m", *const BOLD = "\033[1m", *const PLAIN = "\033[0m";

static const letters *letters_of(const plot *p)
{
    return p->def->ascii ? &ascii : &unicode;
}

static const char *colour_of(size_t signal)
{
    return colours[signal % (sizeof colours / sizeof colours[0])];
}

static foi_dash dash_of(const plot *p, size_t signal)
{
    return p->def->colour || p->def->ascii ? FOI_SOLID : (foi_dash)(signal % FOI_DASHES);
}

static void put_style(const plot *p, const char *style)
{
    if (p->def->colour && style) fputs(style, p->out);
}

static void put_spaces(const plot *p, int count)
{
    for (int i = 0; i < count; i++) fputc(' ', p->out);
}

static bool starts_letter(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

static int letter_count(const char *text)
{
    int count = 0;
    for (; *text; text++) count += starts_letter(*text);
    return count;
}

// Writes the text, cut to a width; returns how many letters it took.
static int put_text(const plot *p, const char *text, int width)
{
    int length = letter_count(text), left = length > width ? width - 1 : length;
    for (; *text && (left > 0 || !starts_letter(*text)); text++) {
        if (starts_letter(*text)) left--;
        fputc(*text, p->out);
    }
    if (*text) fputs(letters_of(p)->more, p->out);
    return length > width ? width : length;
}

// ------------------------------------------------------------------------------------- layout

static int within(int value, int lo, int hi)
{
    return value < lo ? lo : value > hi ? hi : value;
}

// The size of the terminal, if the plot goes to one.
static void find_size(plot *p)
{
    struct winsize terminal = {0};
    int fd = fileno(p->out);
    if (fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &terminal) != 0) terminal.ws_col = 0;
    int width = terminal.ws_col ? within(terminal.ws_col - 1, 0, 110) : WIDTH;
    int height = terminal.ws_row ? within(terminal.ws_row - 4, 0, 24) : HEIGHT;
    p->width = within(p->def->width ? p->def->width : width, NARROWEST, WIDEST);
    p->height = within(p->def->height ? p->def->height : height, LOWEST, HIGHEST);
}

static bool drawable(double value)
{
    return fabs(value) < HUGE_VALUE; // and not NAN
}

static double signal_at(const plot *p, size_t row, size_t signal)
{
    return fo_table_value(p->def->table, row, p->def->signals[signal]);
}

// What a signal is drawn over.
static double place_at(const plot *p, size_t row, size_t signal)
{
    return p->def->over ? fo_table_value(p->def->table, row, p->def->over[signal])
                        : fo_table_time(p->def->table, row);
}

// From where to where the axis at the bottom goes; 0 and 0 when there is nothing.
static void find_width(const plot *p, double *lo, double *hi)
{
    size_t rows = fo_table_rows(p->def->table);
    *lo = INFINITY, *hi = -INFINITY;
    if (!p->def->over && rows)
        *lo = fo_table_time(p->def->table, 0), *hi = fo_table_time(p->def->table, rows - 1);
    for (size_t row = 0; p->def->over && row < rows; row++)
        for (size_t i = 0; i < p->def->count; i++) {
            double value = place_at(p, row, i);
            if (drawable(value)) *lo = fmin(*lo, value), *hi = fmax(*hi, value);
        }
    if (*lo > *hi) *lo = *hi = 0;
}

// The smallest and largest value of all signals; 0 and 0 when there is none.
static void find_range(const plot *p, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (size_t row = 0; row < fo_table_rows(p->def->table); row++)
        for (size_t i = 0; i < p->def->count; i++) {
            double value = signal_at(p, row, i);
            if (drawable(value)) *lo = fmin(*lo, value), *hi = fmax(*hi, value);
        }
    if (*lo > *hi) *lo = *hi = 0;
}

static const char *x_label(const plot *p)
{
    return p->def->x_label ? p->def->x_label : "time [s]";
}

static int swatch_width(const plot *p)
{
    return p->def->ascii ? 1 : 2;
}

static int item_width(const plot *p, size_t signal)
{
    return within(swatch_width(p) + 1 + letter_count(p->def->names[signal]), 0, p->width);
}

// Goes through the legend's items and tells each one's line and column; returns the lines.
static int place_legend(const plot *p,
                        void (*put)(const plot *p, size_t item, int skip, bool fresh))
{
    int lines = 1, column = 0;
    for (size_t i = 0; i <= p->def->count; i++) {
        bool is_time = i == p->def->count;
        int width = is_time ? letter_count(x_label(p)) : item_width(p, i);
        int skip = column ? 3 : 0;
        bool fresh = column && column + skip + width > p->width;
        if (fresh) lines++, column = skip = 0;
        if (is_time && p->width - column - width > skip) skip = p->width - column - width;
        if (put) put(p, i, skip, fresh);
        column += skip + width;
    }
    return lines;
}

static void make_axes(plot *p)
{
    double lo, hi, first, last;
    find_width(p, &first, &last);
    find_range(p, &lo, &hi);
    int outside = (p->def->title ? 1 : 0) + 2 + place_legend(p, NULL);
    int height = within(p->height - outside, 3, HIGHEST);
    p->value = foi_axis_make(lo, hi, within((height - 1) / 2, 2, 7));
    int labels = foi_axis_label_width(&p->value);
    p->margin = labels + 2;
    p->canvas.rows = height;
    p->canvas.columns = within(p->width - p->margin, 8, WIDEST);
    for (int intervals = within(p->canvas.columns / 8, 2, 10); intervals >= 2; intervals--) {
        p->time = foi_axis_make(first, last, intervals);
        int room = p->canvas.columns / (foi_axis_ticks(&p->time) - 1);
        if (room >= foi_axis_label_width(&p->time) + 2) break;
    }
}

// ------------------------------------------------------------------------------------- drawing

// Two rows at the same time are a jump: the curve is open there.
static void draw_signal(plot *p, size_t signal)
{
    foi_pen pen = {.canvas = &p->canvas, .layer = signal, .dash = dash_of(p, signal)};
    int wide = p->canvas.columns * p->canvas.wide, high = p->canvas.rows * p->canvas.high;
    for (size_t row = 0; row < fo_table_rows(p->def->table); row++) {
        double t = fo_table_time(p->def->table, row), value = signal_at(p, row, signal);
        bool jump = row > 0 && t == fo_table_time(p->def->table, row - 1);
        double place = place_at(p, row, signal);
        bool shown = drawable(value) && drawable(place);
        if (jump || !shown) foi_pen_up(&pen);
        if (!shown) continue;
        int x = foi_axis_place(&p->time, place, wide);
        int y = high - 1 - foi_axis_place(&p->value, value, high);
        foi_pen_to(&pen, x, y);
    }
}

/// What stands in a cell: whose dots are most, and all dots.
typedef struct cell {
    size_t signal;
    uint8_t dots;
} cell;

static cell cell_at(const plot *p, int row, int column)
{
    cell result = {0, 0};
    int most = 0;
    for (size_t i = 0; i < p->def->count; i++) {
        uint8_t dots = foi_canvas_cell(&p->canvas, i, row, column);
        int count = __builtin_popcount(dots);
        result.dots |= dots;
        if (count > most) most = count, result.signal = i;
    }
    return result;
}

static void put_cell(const plot *p, cell c)
{
    char text[4] = {marks[c.signal % (sizeof marks - 1)]};
    if (!p->def->ascii) foi_braille(c.dots, text);
    fputs(text, p->out);
}

// The row of cells that holds a value.
static int row_of(const plot *p, double value)
{
    int high = p->canvas.rows * p->canvas.high;
    return (high - 1 - foi_axis_place(&p->value, value, high)) / p->canvas.high;
}

static void put_wall(const plot *p, int row)
{
    char label[FOI_LABEL_SIZE] = "";
    bool tick = false;
    for (int i = foi_axis_ticks(&p->value) - 1; i >= 0 && !tick; i--)
        if ((tick = row_of(p, foi_axis_tick(&p->value, i)) == row))
            foi_axis_label(&p->value, i, label);
    fprintf(p->out, "%*s ", p->margin - 2, label);
    put_style(p, DIM);
    fputs(tick ? letters_of(p)->tick : letters_of(p)->wall, p->out);
    put_style(p, PLAIN);
}

static void put_row(const plot *p, int row)
{
    bool inside = row > 0 && row < p->canvas.rows - 1; // at the edge it would be no news
    bool zero =
        inside && !p->def->ascii && p->value.lo < 0 && p->value.hi > 0 && row == row_of(p, 0);
    int end = p->canvas.columns;
    while (!zero && end > 0 && !cell_at(p, row, end - 1).dots) end--;
    put_wall(p, row);
    const char *style = NULL;
    for (int column = 0; column < end; column++) {
        cell c = cell_at(p, row, column);
        const char *wanted = c.dots ? colour_of(c.signal) : zero ? DIM : style;
        if (wanted != style && style) put_style(p, PLAIN);
        if (wanted != style) put_style(p, wanted);
        style = wanted;
        if (c.dots) put_cell(p, c);
        if (!c.dots) fputs(zero ? letters_of(p)->zero : " ", p->out);
    }
    if (style) put_style(p, PLAIN);
    fputc('\n', p->out);
}

static int column_of(const plot *p, int tick)
{
    int wide = p->canvas.columns * p->canvas.wide;
    return foi_axis_place(&p->time, foi_axis_tick(&p->time, tick), wide) / p->canvas.wide;
}

static void put_floor(const plot *p)
{
    put_spaces(p, p->margin - 1);
    put_style(p, DIM);
    fputs(letters_of(p)->corner, p->out);
    int tick = 0;
    for (int column = 0; column < p->canvas.columns; column++) {
        bool here = tick < foi_axis_ticks(&p->time) && column_of(p, tick) == column;
        fputs(here ? letters_of(p)->floor_tick : letters_of(p)->floor, p->out);
        tick += here;
    }
    put_style(p, PLAIN);
    fputc('\n', p->out);
}

static void put_time_labels(const plot *p)
{
    int at = 0;
    for (int i = 0; i < foi_axis_ticks(&p->time); i++) {
        char label[FOI_LABEL_SIZE];
        int length = (int)strlen(foi_axis_label(&p->time, i, label));
        int middle = p->margin + column_of(p, i);
        int start = within(middle - length / 2, 0, p->margin + p->canvas.columns - length);
        if (i > 0 && start <= at) continue; // no room for this one
        put_spaces(p, start - at);
        fputs(label, p->out);
        at = start + length;
    }
    fputc('\n', p->out);
}

static void put_legend_item(const plot *p, size_t item, int skip, bool fresh)
{
    if (fresh) fputc('\n', p->out);
    put_spaces(p, skip);
    if (item == p->def->count) {
        fputs(x_label(p), p->out);
        return;
    }
    put_style(p, colour_of(item));
    if (p->def->ascii) fputc(marks[item % (sizeof marks - 1)], p->out);
    if (!p->def->ascii) fputs(swatches[dash_of(p, item)], p->out);
    put_style(p, PLAIN);
    fputc(' ', p->out);
    put_text(p, p->def->names[item], item_width(p, item) - swatch_width(p) - 1);
}

static void put_title(const plot *p)
{
    if (!p->def->title) return;
    put_style(p, BOLD);
    put_text(p, p->def->title, p->width);
    put_style(p, PLAIN);
    fputc('\n', p->out);
}

fo_plot_def fo_default_plot_def(void)
{
    return (fo_plot_def){.x_label = "time [s]"};
}

fo_status fo_plot(FILE *out, const fo_plot_def *def)
{
    plot p = {.out = out, .def = def};
    find_size(&p);
    make_axes(&p);
    if (!foi_canvas_make(&p.canvas, p.canvas.columns, p.canvas.rows, def->count, !def->ascii,
                         def->allocator))
        return FO_ERROR_MEMORY;
    for (size_t i = 0; i < def->count; i++) draw_signal(&p, i);
    put_title(&p);
    for (int row = 0; row < p.canvas.rows; row++) put_row(&p, row);
    put_floor(&p);
    put_time_labels(&p);
    place_legend(&p, put_legend_item);
    fputc('\n', out);
    foi_canvas_free(&p.canvas);
    return ferror(out) ? FO_ERROR_INPUT : FO_OK;
}
