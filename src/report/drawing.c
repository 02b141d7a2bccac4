// Lines in the plane, in dots of Braille or marks of ASCII, with one scale for both axes.
#include <foliot/report.h>
#include <math.h>

#include "report/canvas.h"

enum { NARROWEST = 12, LOWEST = 4 };
static const double CELL = 2; // a cell is about twice as high as wide

fo_drawing_def fo_default_drawing_def(void)
{
    return (fo_drawing_def){.width = 72, .height = 18};
}

typedef struct frame {
    double x, y;  ///< of the lower left corner
    double scale; ///< dots across for a unit
    double flat;  ///< dots up for a dot across
    int across, up;
} frame;

static void find_bounds(const fo_drawing_def *d, double lo[2], double hi[2])
{
    lo[0] = lo[1] = INFINITY, hi[0] = hi[1] = -INFINITY;
    if (d->bounds[0] < d->bounds[2] || d->bounds[1] < d->bounds[3]) {
        lo[0] = d->bounds[0], lo[1] = d->bounds[1], hi[0] = d->bounds[2], hi[1] = d->bounds[3];
        return;
    }
    for (size_t i = 0; i < d->count; i++)
        for (int end = 0; end < 2; end++) {
            double x = d->lines[i].x[end], y = d->lines[i].y[end];
            if (!isfinite(x) || !isfinite(y)) continue;
            lo[0] = fmin(lo[0], x), hi[0] = fmax(hi[0], x);
            lo[1] = fmin(lo[1], y), hi[1] = fmax(hi[1], y);
        }
    for (int axis = 0; axis < 2; axis++)
        if (lo[axis] > hi[axis]) lo[axis] = hi[axis] = 0;
}

// The larger of both extents decides; the drawing stands in the middle.
static frame make_frame(const fo_drawing_def *d, const foi_canvas *c)
{
    double lo[2], hi[2];
    frame f = {.across = c->columns * c->wide, .up = c->rows * c->high};
    find_bounds(d, lo, hi);
    f.flat = (double)c->high / c->wide / CELL;
    double wide = hi[0] - lo[0], high = hi[1] - lo[1], size = fmax(wide, high);
    double by_width = wide > 0 ? (f.across - 1) / wide : INFINITY;
    double by_height = high > 0 ? (f.up - 1) / (high * f.flat) : INFINITY;
    f.scale = size > 0 ? fmin(by_width, by_height) : 1;
    f.x = lo[0] - ((f.across - 1) / f.scale - wide) / 2;
    f.y = lo[1] - ((f.up - 1) / (f.scale * f.flat) - high) / 2;
    return f;
}

static void draw_line(const frame *f, foi_pen *pen, const fo_line *line)
{
    for (int end = 0; end < 2; end++) {
        double x = (line->x[end] - f->x) * f->scale;
        double y = (line->y[end] - f->y) * f->scale * f->flat;
        if (!(fabs(x) < 1e4) || !(fabs(y) < 1e4)) return; // outside, or no number
        foi_pen_to(pen, (int)lround(x), f->up - 1 - (int)lround(y));
    }
    foi_pen_up(pen);
}

static void put_row(FILE *out, const foi_canvas *c, int row, bool ascii)
{
    int end = c->columns;
    while (end > 0 && !foi_canvas_cell(c, 0, row, end - 1)) end--;
    for (int column = 0; column < end; column++) {
        uint8_t dots = foi_canvas_cell(c, 0, row, column);
        char text[4] = {dots ? '*' : ' '};
        if (!ascii && dots) foi_braille(dots, text);
        fputs(text, out);
    }
    fputc('\n', out);
}

fo_status fo_draw_lines(FILE *out, const fo_drawing_def *def)
{
    foi_canvas canvas;
    int width = def->width < NARROWEST ? NARROWEST : def->width;
    int height = (def->height < LOWEST ? LOWEST : def->height) - (def->title ? 1 : 0);
    if (!foi_canvas_make(&canvas, width, height, 1, !def->ascii, def->allocator))
        return FO_ERROR_MEMORY;
    frame f = make_frame(def, &canvas);
    for (size_t i = 0; i < def->count; i++) {
        foi_pen pen = {.canvas = &canvas};
        draw_line(&f, &pen, &def->lines[i]);
    }
    if (def->title) fprintf(out, "%s\n", def->title);
    if (def->colour) fputs("\033[36m", out);
    for (int row = 0; row < canvas.rows; row++) put_row(out, &canvas, row, def->ascii);
    if (def->colour) fputs("\033[0m", out);
    foi_canvas_free(&canvas);
    return ferror(out) ? FO_ERROR_INPUT : FO_OK;
}
