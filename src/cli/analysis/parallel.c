#include "cli/analysis/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

enum { DOTS_ACROSS = 2, DOTS_UP = 4 }; ///< of a Braille letter

typedef struct limits {
    double least, most;
} limits;

static bool is_whole(const parallel *p, uint64_t run)
{
    for (size_t i = 0; i < p->axes; i++)
        if (!isfinite(p->rows[run * p->axes + i])) return false;
    return true;
}

static limits limits_of(const parallel *p, size_t axis)
{
    limits l = {INFINITY, -INFINITY};
    for (uint64_t i = 0; i < p->runs; i++) {
        double v = p->rows[i * p->axes + axis];
        if (!is_whole(p, i)) continue;
        if (v < l.least) l.least = v;
        if (v > l.most) l.most = v;
    }
    return l;
}

/// From 0 (least) to 1; what does not change stands in the middle.
static double height(limits l, double v)
{
    return l.most > l.least ? (v - l.least) / (l.most - l.least) : 0.5;
}

// ------------------------------------------------------------------------------------- the
// terminal

typedef struct raster {
    int width, height; ///< in letters
    bool ascii;
    unsigned char *cells; ///< ASCII: how many lines; otherwise Braille's dots
} raster;

// Dots across and up in a letter, counted from its upper left.
static void put_dot(raster *r, int x, int y)
{
    static const unsigned char bits[DOTS_UP][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int column = x / DOTS_ACROSS, row = y / DOTS_UP;
    if (column < 0 || column >= r->width || row < 0 || row >= r->height) return;
    r->cells[row * r->width + column] |= bits[y % DOTS_UP][x % DOTS_ACROSS];
}

static void put_line(raster *r, int x0, double y0, int x1, double y1)
{
    int last = r->height * DOTS_UP - 1;
    for (int x = x0; x <= x1; x++) {
        double part = x1 > x0 ? (double)(x - x0) / (x1 - x0) : 0;
        put_dot(r, x, (int)((1 - (y0 + part * (y1 - y0))) * last + 0.5));
    }
}

static int axis_at(const parallel *p, const raster *r, size_t axis)
{
    return (int)((double)axis / (double)(p->axes - 1) * (r->width * DOTS_ACROSS - 1));
}

static void put_runs(raster *r, const parallel *p, const limits *l)
{
    for (uint64_t i = 0; i < p->runs; i++) {
        const double *row = p->rows + i * p->axes;
        if (!is_whole(p, i)) continue;
        for (size_t k = 0; k + 1 < p->axes; k++)
            put_line(r, axis_at(p, r, k), height(l[k], row[k]), axis_at(p, r, k + 1),
                     height(l[k + 1], row[k + 1]));
    }
}

static void print_cell(FILE *out, const raster *r, unsigned char bits)
{
    if (r->ascii || !bits)
        fputc(bits ? '*' : ' ', out);
    else // U+2800 + bits, as UTF-8
        fprintf(out, "\xe2%c%c", 0xa0 + (bits >> 6), 0x80 + (bits & 0x3f));
}

static void print_names(FILE *out, const parallel *p, const limits *l)
{
    fputc('\n', out);
    for (size_t i = 0; i < p->axes; i++)
        fprintf(out, "  %zu  %s: %.6g at the bottom, %.6g at the top\n", i + 1, p->names[i],
                l[i].least, l[i].most);
}

static void print_numbers(FILE *out, const parallel *p, const raster *r)
{
    int at = 0;
    for (size_t i = 0; i < p->axes; i++) {
        int to = axis_at(p, r, i) / DOTS_ACROSS;
        for (; at < to; at++) fputc(' ', out);
        at += fprintf(out, "%zu", i + 1);
    }
    fputc('\n', out);
}

void parallel_print(FILE *out, const parallel *p, bool ascii)
{
    raster r = {.width = 72, .height = 18, .ascii = ascii};
    limits *l = calloc(p->axes + 1, sizeof *l);
    r.cells = calloc((size_t)(r.width * r.height), 1);
    if (l && r.cells && p->axes > 1 && p->runs) {
        for (size_t i = 0; i < p->axes; i++) l[i] = limits_of(p, i);
        put_runs(&r, p, l);
        fputc('\n', out);
        for (int y = 0; y < r.height; y++) {
            for (int x = 0; x < r.width; x++) print_cell(out, &r, r.cells[y * r.width + x]);
            fputc('\n', out);
        }
        print_numbers(out, p, &r);
        print_names(out, p, l);
    }
    free(r.cells);
    free(l);
}

// ----------------------------------------------------------------------------------------------
// SVG

enum { WIDTH = 900, HEIGHT = 480, MARGIN = 70 };

static void put_text(FILE *out, double x, double y, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, y);
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
    fputs("</text>\n", out);
}

static double across(const parallel *p, size_t axis)
{
    return MARGIN + (WIDTH - 2.0 * MARGIN) * (double)axis / (double)(p->axes - 1);
}

static double down(limits l, double v)
{
    return HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * height(l, v);
}

// From blue to orange, of equal lightness for all eyes.
static void put_run(FILE *out, const parallel *p, const limits *l, const double *row)
{
    double part = height(l[p->colour], row[p->colour]);
    fputs("<polyline points=\"", out);
    for (size_t i = 0; i < p->axes; i++)
        fprintf(out, "%.1f,%.1f ", across(p, i), down(l[i], row[i]));
    fprintf(out, "\" stroke=\"rgb(%d,%d,%d)\"/>\n", (int)(230 * part), (int)(114 + 45 * part),
            (int)(178 * (1 - part)));
}

static void put_axes(FILE *out, const parallel *p, const limits *l)
{
    for (size_t i = 0; i < p->axes; i++) {
        char text[40];
        double x = across(p, i);
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"black\"/>\n", x,
                MARGIN, x, HEIGHT - MARGIN);
        put_text(out, x, MARGIN - 30, p->names[i]);
        snprintf(text, sizeof text, "%.5g", l[i].most);
        put_text(out, x, MARGIN - 10, text);
        snprintf(text, sizeof text, "%.5g", l[i].least);
        put_text(out, x, HEIGHT - MARGIN + 20, text);
    }
}

bool parallel_write(const command *c, const table_place *place, const parallel *p)
{
    table_file file;
    limits *l = calloc(p->axes + 1, sizeof *l);
    if (!l) complain(c, "out of memory");
    if (!l || !table_begin(&file, c)) return free(l), false;
    for (size_t i = 0; i < p->axes; i++) l[i] = limits_of(p, i);
    fprintf(file.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<g fill=\"none\" stroke-width=\"1\" stroke-opacity=\"0.6\">\n",
            WIDTH, HEIGHT);
    for (uint64_t i = 0; i < p->runs; i++)
        if (is_whole(p, i)) put_run(file.out, p, l, p->rows + i * p->axes);
    fputs("</g>\n", file.out);
    put_axes(file.out, p, l);
    fputs("</svg>\n", file.out);
    free(l);
    return table_end(&file, c, place, "<svg ");
}
