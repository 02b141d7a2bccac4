#include "report/canvas.h"

#include <stdlib.h>

#include "base/memory.h"

bool foi_canvas_make(foi_canvas *canvas, int columns, int rows, size_t layers, bool braille,
                     const fo_allocator *allocator)
{
    *canvas = (foi_canvas){.allocator = allocator,
                           .columns = columns,
                           .rows = rows,
                           .wide = braille ? 2 : 1,
                           .high = braille ? 4 : 1,
                           .layers = layers};
    canvas->cells = foi_new(allocator, layers * (size_t)columns * (size_t)rows, 1);
    return canvas->cells;
}

void foi_canvas_free(foi_canvas *canvas)
{
    foi_free(canvas->allocator, canvas->cells);
    canvas->cells = NULL;
}

static uint8_t *cell(const foi_canvas *c, size_t layer, int row, int column)
{
    return c->cells + (layer * (size_t)c->rows + (size_t)row) * (size_t)c->columns + column;
}

uint8_t foi_canvas_cell(const foi_canvas *canvas, size_t layer, int row, int column)
{
    return *cell(canvas, layer, row, column);
}

// U+2800 and the dots: the bits of Unicode's Braille go down the left column, then the right one,
// but for the lowest row, which came later.
void foi_braille(uint8_t dots, char text[4])
{
    text[0] = (char)0xe2;
    text[1] = (char)(0xa0 | dots >> 6);
    text[2] = (char)(0x80 | (dots & 0x3f));
    text[3] = 0;
}

static void put_dot(const foi_pen *pen, int x, int y)
{
    static const uint8_t braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const foi_canvas *c = pen->canvas;
    if (x < 0 || y < 0 || x >= c->columns * c->wide || y >= c->rows * c->high) return;
    uint8_t dot = c->high == 4 ? braille[y % 4][x % 2] : 1;
    *cell(c, pen->layer, y / c->high, x / c->wide) |= dot;
}

static bool inked(const foi_pen *pen)
{
    switch (pen->dash) {
    case FOI_DASHED: return pen->way % 10 < 6;
    case FOI_DOTTED: return pen->way % 3 == 0;
    case FOI_DASH_DOT: return pen->way % 12 < 6 || pen->way % 12 == 9;
    default: return true;
    }
}

static void step_to(foi_pen *pen, int x, int y)
{
    pen->x = x, pen->y = y;
    if (inked(pen)) put_dot(pen, x, y);
    pen->way++;
}

void foi_pen_up(foi_pen *pen)
{
    pen->down = false;
}

// Bresenham's line, without the dot at which the pen stands already.
void foi_pen_to(foi_pen *pen, int x, int y)
{
    if (!pen->down) {
        pen->down = true;
        step_to(pen, x, y);
        return;
    }
    int dx = abs(x - pen->x), dy = -abs(y - pen->y);
    int sx = x > pen->x ? 1 : -1, sy = y > pen->y ? 1 : -1;
    int error = dx + dy;
    while (pen->x != x || pen->y != y) {
        int twice = 2 * error, next_x = pen->x, next_y = pen->y;
        if (twice >= dy) error += dy, next_x += sx;
        if (twice <= dx) error += dx, next_y += sy;
        step_to(pen, next_x, next_y);
    }
}
