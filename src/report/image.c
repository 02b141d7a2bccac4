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

enum { COLOURS = 256, FIRST = 16 };

static void define_colours(FILE *out)
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    for (int c = FIRST; c < COLOURS; c++) {
        int grey = 8 + 10 * (c - 232), i = c - 16;
        int r = c < 232 ? levels[i / 36] : grey, g = c < 232 ? levels[i / 6 % 6] : grey;
        int b = c < 232 ? levels[i % 6] : grey;
        fprintf(out, "#%d;2;%d;%d;%d", c, r * 100 / 255, g * 100 / 255, b * 100 / 255);
    }
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
    for (size_t i = 0; i < count; i++) dots[i] = (uint8_t)foi_colour_256(image->dots[i]);
    fprintf(out, "\033Pq\"1;1;%d;%d", image->columns, image->rows);
    define_colours(out);
    for (int row = 0; row < image->rows; row += 6) {
        const uint8_t *band = dots + (size_t)row * (size_t)image->columns;
        int rows = image->rows - row < 6 ? image->rows - row : 6;
        bool used[COLOURS] = {false};
        for (int i = 0; i < rows * image->columns; i++) used[band[i]] = true;
        for (int c = FIRST; c < COLOURS; c++)
            if (used[c]) put_band(out, band, image->columns, rows, c);
        fputc('-', out);
    }
    fputs("\033\\\n", out);
    foi_free(allocator, dots);
    return FO_OK;
}
