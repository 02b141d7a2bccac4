#include "report/image.h"

#include <string.h>

#include "base/memory.h"

// ------------------------------------------------------------------------------------------- kitty

static size_t put_base64(const uint8_t *bytes, size_t count, char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        text[used++] = letters[three >> 18 & 63];
        text[used++] = letters[three >> 12 & 63];
        text[used++] = left > 1 ? letters[three >> 6 & 63] : '=';
        text[used++] = left > 2 ? letters[three & 63] : '=';
    }
    return used;
}

// In pieces of 4096 letters, of which all but the last say that more follows.
fo_status foi_image_kitty(FILE *out, const foi_image *image, const fo_allocator *allocator)
{
    enum { PIECE = 3072, LETTERS = 4096 };
    char text[LETTERS];
    size_t count = (size_t)image->columns * (size_t)image->rows * 3;
    const uint8_t *bytes = (const uint8_t *)image->dots;
    (void)allocator;
    _Static_assert(sizeof(foi_colour) == 3, "dots lie one after the other");
    for (size_t at = 0; at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;
        int more = at + piece < count;
        if (at == 0)
            fprintf(out, "\033_Ga=T,f=24,s=%d,v=%d,m=%d;", image->columns, image->rows, more);
        else
            fprintf(out, "\033_Gm=%d;", more);
        fwrite(text, 1, put_base64(bytes + at, piece, text), out);
        fputs("\033\\", out);
    }
    fputc('\n', out);
    return FO_OK;
}

// ------------------------------------------------------------------------------------------ sixels

// A terminal has 256 registers of colours, each of three percentages. They get the colours of the
// image itself; where those are too many they are made coarser until they are not, so that also a
// picture of small differences shows them.
enum { COLOURS = 256, PLACES = 1024 };

/// Colours that were met, in the order in which they were, and where to find them.
typedef struct registers {
    uint32_t colours[COLOURS];
    int count;
    int16_t places[PLACES]; ///< 1 + the colour's number; 0: none
} registers;

/// Percentages, rounded to multiples of `step`, one byte each.
static uint32_t percentages(foi_colour c, uint32_t step)
{
    uint32_t packed = 0;
    const uint32_t parts[] = {c.r, c.g, c.b};
    for (int k = 0; k < 3; k++) {
        uint32_t percent = (parts[k] * 100 + 127) / 255;
        percent = (percent + step / 2) / step * step;
        packed = packed << 8 | (percent > 100 ? 100 : percent);
    }
    return packed;
}

/// The number of its register; -1: all are taken.
static int number_of(registers *r, uint32_t packed)
{
    uint32_t at = packed * 2654435761u >> 22;
    for (; r->places[at]; at = (at + 1) % PLACES)
        if (r->colours[r->places[at] - 1] == packed) return r->places[at] - 1;
    if (r->count == COLOURS) return -1;
    r->colours[r->count] = packed;
    r->places[at] = (int16_t)(r->count + 1);
    return r->count++;
}

static bool choose_colours(const foi_image *image, size_t count, uint32_t step, registers *r,
                           uint8_t *dots)
{
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < count; i++) {
        int number = number_of(r, percentages(image->dots[i], step));
        if (number < 0) return false;
        dots[i] = (uint8_t)number;
    }
    return true;
}

static void define_colours(FILE *out, const registers *r)
{
    for (int c = 0; c < r->count; c++)
        fprintf(out, "#%d;2;%u;%u;%u", c, (unsigned)(r->colours[c] >> 16),
                (unsigned)(r->colours[c] >> 8 & 255), (unsigned)(r->colours[c] & 255));
}

static void put_run(FILE *out, int count, char letter)
{
    if (count > 3)
        fprintf(out, "!%d%c", count, letter);
    else
        for (int i = 0; i < count; i++) fputc(letter, out);
}

// One colour of a band: the letter of a column has a bit for each of its six dots.
static void put_band(FILE *out, const uint8_t *dots, int columns, int rows, int colour)
{
    char before = 0;
    int count = 0;
    fprintf(out, "#%d", colour);
    for (int x = 0; x < columns; x++) {
        int bits = 0;
        for (int y = 0; y < rows; y++) bits |= (dots[y * columns + x] == colour) << y;
        char letter = (char)('?' + bits);
        if (letter != before) put_run(out, count, before), count = 0;
        before = letter, count++;
    }
    if (before != '?') put_run(out, count, before);
    fputc('$', out);
}

fo_status foi_image_sixel(FILE *out, const foi_image *image, const fo_allocator *allocator)
{
    size_t count = (size_t)image->columns * (size_t)image->rows;
    uint8_t *dots = foi_new(allocator, count, 1);
    if (!dots) return FO_ERROR_MEMORY;
    registers r;
    for (uint32_t step = 1; !choose_colours(image, count, step, &r, dots);) step++;
    fprintf(out, "\033Pq\"1;1;%d;%d", image->columns, image->rows);
    define_colours(out, &r);
    for (int row = 0; row < image->rows; row += 6) {
        const uint8_t *band = dots + (size_t)row * (size_t)image->columns;
        int rows = image->rows - row < 6 ? image->rows - row : 6;
        bool used[COLOURS] = {false};
        for (int i = 0; i < rows * image->columns; i++) used[band[i]] = true;
        for (int c = 0; c < r.count; c++)
            if (used[c]) put_band(out, band, image->columns, rows, c);
        fputc('-', out);
    }
    fputs("\033\\\n", out);
    foi_free(allocator, dots);
    return FO_OK;
}
