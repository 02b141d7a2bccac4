// A heat map, in cells that are two values high:
//
//     the title
//     ▀▀▀▀▀▀▀▀▀▀▀▀▀        the upper half in the colour of the letter, the lower in that behind it
//     ▀▀▀▀▀▀▀▀▀▀▀▀▀        without colours a shade for each cell, from '·' to '█'
//     -0.2 ▀▀▀▀▀▀▀▀ 0.2    the scale
//
// or as an image of the terminal's own, kitty's or sixels, with title and scale around it.
#include <foliot/report.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/image.h"
#include "report/palette.h"

enum { NARROWEST = 12, LOWEST = 4, SCALE = 24 };

typedef struct heat {
    FILE *out;
    const fo_heat_def *def;
    double lo, hi;
    int columns, rows; ///< of the picture, in values: two rows to a cell where there are colours
} heat;

// ------------------------------------------------------------------------------------------ values

static double value_at(const heat *h, uint32_t column, uint32_t row)
{
    return h->def->values[(size_t)row * h->def->columns + column];
}

static void find_range(heat *h)
{
    const fo_heat_def *d = h->def;
    h->lo = d->lo, h->hi = d->hi;
    if (d->lo < d->hi) return;
    h->lo = INFINITY, h->hi = -INFINITY;
    for (size_t i = 0; i < (size_t)d->columns * d->rows; i++)
        if (isfinite(d->values[i]))
            h->lo = fmin(h->lo, d->values[i]), h->hi = fmax(h->hi, d->values[i]);
    if (h->lo > h->hi) h->lo = h->hi = 0;
}

// The value at a place between the nodes, both from 0 to 1; row 0 of the values is at the bottom.
static double sample(const heat *h, double across, double up)
{
    const fo_heat_def *d = h->def;
    double x = across * (d->columns - 1), y = up * (d->rows - 1);
    uint32_t i = (uint32_t)x, j = (uint32_t)y;
    if (i + 1 >= d->columns) i = d->columns > 1 ? d->columns - 2 : 0;
    if (j + 1 >= d->rows) j = d->rows > 1 ? d->rows - 2 : 0;
    uint32_t right = i + 1 < d->columns ? i + 1 : i, above = j + 1 < d->rows ? j + 1 : j;
    double s = x - i, t = y - j;
    double low = value_at(h, i, j) + s * (value_at(h, right, j) - value_at(h, i, j));
    double high = value_at(h, i, above) + s * (value_at(h, right, above) - value_at(h, i, above));
    return low + t * (high - low);
}

static double picture_at(const heat *h, int column, int row)
{
    double across = h->columns > 1 ? (double)column / (h->columns - 1) : 0.5;
    double up = h->rows > 1 ? 1 - (double)row / (h->rows - 1) : 0.5;
    return sample(h, across, up);
}

// As large as it fits, with the shape of the grid; a cell is about twice as high as wide.
static void find_size(heat *h, int width, int height)
{
    const fo_heat_def *d = h->def;
    double shape = d->shape > 0 ? d->shape : (double)d->columns / d->rows;
    int lines = 2 * height;
    h->columns = width, h->rows = (int)lround(width / shape);
    if (h->rows > lines) h->rows = lines, h->columns = (int)lround(lines * shape);
    if (h->columns > width) h->columns = width;
    if (h->columns < 2) h->columns = 2;
    if (h->rows < 2) h->rows = 2;
    h->rows += h->rows % 2;
    if (!d->colour) h->rows /= 2;
}

// --------------------------------------------------------------------------------------- printing

static void set_colour(const heat *h, foi_colour c, bool behind)
{
    int what = behind ? 48 : 38;
    if (h->def->true_colour)
        fprintf(h->out, "\033[%d;2;%d;%d;%dm", what, c.r, c.g, c.b);
    else
        fprintf(h->out, "\033[%d;5;%dm", what, foi_colour_256(c));
}

static void put_shade(const heat *h, double value)
{
    static const char *const plain[] = {".", ":", "+", "#", "@"};
    static const char *const blocks[] = {"·", "░", "▒", "▓", "█"};
    double part = h->hi > h->lo ? (value - h->lo) / (h->hi - h->lo) : 0;
    int level = isfinite(value) ? (int)(5 * part) : -1;
    level = level > 4 ? 4 : level;
    fputs(level < 0 ? "?" : h->def->ascii ? plain[level] : blocks[level], h->out);
}

static void put_cell(const heat *h, double above, double below)
{
    if (!h->def->colour) {
        put_shade(h, above);
        return;
    }
    set_colour(h, foi_palette(above, h->lo, h->hi), h->def->ascii);
    if (!h->def->ascii) set_colour(h, foi_palette(below, h->lo, h->hi), true);
    fputs(h->def->ascii ? " " : "▀", h->out);
}

static void put_rows(const heat *h)
{
    int step = h->def->colour ? 2 : 1;
    for (int row = 0; row < h->rows; row += step) {
        for (int column = 0; column < h->columns; column++)
            put_cell(h, picture_at(h, column, row), picture_at(h, column, row + step - 1));
        fputs(h->def->colour ? "\033[0m\n" : "\n", h->out);
    }
}

static void put_scale(const heat *h)
{
    int room = h->def->width - 20, cells = room < 2 ? 2 : room < SCALE ? room : SCALE;
    fprintf(h->out, "%.3g ", h->lo);
    for (int i = 0; i < cells; i++) {
        double value = h->lo + (h->hi - h->lo) * i / (cells - 1);
        put_cell(h, value, value);
    }
    fprintf(h->out, "%s %.3g%s%s\n", h->def->colour ? "\033[0m" : "", h->hi,
            h->def->label ? "   " : "", h->def->label ? h->def->label : "");
}

static fo_status put_image(const heat *h, int width, int height)
{
    enum { WIDE = 9, HIGH = 18 }; // dots of a cell, about
    heat big = *h;
    fo_heat_def def = *h->def;
    def.colour = true;
    big.def = &def;
    find_size(&big, width, height);
    int columns = big.columns * WIDE, rows = big.rows * HIGH / 2;
    foi_image image = {.columns = columns, .rows = rows};
    image.dots = foi_new(def.allocator, (size_t)columns * (size_t)rows, sizeof *image.dots);
    if (!image.dots) return FO_ERROR_MEMORY;
    big.columns = columns, big.rows = rows;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            image.dots[row * columns + column] =
                foi_palette(picture_at(&big, column, row), h->lo, h->hi);
    fo_status status = def.graphics == FO_GRAPHICS_KITTY
                           ? foi_image_kitty(h->out, &image, def.allocator)
                           : foi_image_sixel(h->out, &image, def.allocator);
    foi_free(def.allocator, image.dots);
    return status;
}

fo_heat_def fo_default_heat_def(void)
{
    return (fo_heat_def){.width = 72, .height = 18};
}

fo_status fo_heat_map(FILE *out, const fo_heat_def *def)
{
    heat h = {.out = out, .def = def};
    if (!def->columns || !def->rows) return FO_ERROR_ARGUMENT;
    int width = def->width < NARROWEST ? NARROWEST : def->width;
    int height = (def->height < LOWEST ? LOWEST : def->height) - 1 - (def->title ? 1 : 0);
    find_range(&h);
    find_size(&h, width, height);
    if (def->title) fprintf(out, "%s\n", def->title);
    fo_status status = FO_OK;
    if (def->graphics == FO_GRAPHICS_TEXT)
        put_rows(&h);
    else
        status = put_image(&h, width, height);
    put_scale(&h);
    return status ? status : ferror(out) ? FO_ERROR_INPUT : FO_OK;
}
