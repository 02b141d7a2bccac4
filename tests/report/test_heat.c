// Heat maps and drawings: sizes that fit, colours that can be ordered, images that decode to what
// was drawn, shapes that keep their proportions.
#include <foliot/report.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/image.h"
#include "report/palette.h"
#include "test.h"

static char *map(fo_heat_def def)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK_INT(fo_heat_map(out, &def), FO_OK);
    fclose(out);
    return text;
}

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

// Columns of the widest line; colours count nothing.
static int width_of(const char *text)
{
    int widest = 0, width = 0;
    for (; *text; text++) {
        if (*text == '\033')
            text = strchr(text, 'm');
        else if (*text == '\n')
            width = 0;
        else
            width += ((unsigned char)*text & 0xc0) != 0x80;
        if (width > widest) widest = width;
    }
    return widest;
}

TEST(maps_fit_their_space)
{
    static double values[50 * 30];
    for (int i = 0; i < 50 * 30; i++) values[i] = sin(i * 0.1);
    for (int width = 24; width <= 120; width += 32)
        for (int height = 6; height <= 40; height += 17)
            for (int colour = 0; colour < 2; colour++) {
                fo_heat_def def = {.values = values,
                                   .columns = 50,
                                   .rows = 30,
                                   .title = "title",
                                   .width = width,
                                   .height = height,
                                   .colour = colour};
                char *text = map(def);
                CHECK(lines_of(text) <= height);
                CHECK(width_of(text) <= width);
                free(text);
            }
}

// A ramp from left to right: shades never fall, and the scale tells its ends.
TEST(shades_rise_with_the_values)
{
    static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
    double values[40];
    for (int i = 0; i < 40; i++) values[i] = i % 20;
    char *text =
        map((fo_heat_def){.values = values, .columns = 20, .rows = 2, .width = 40, .height = 8});
    int last = 0;
    const char *at = text;
    for (; *at && *at != '\n';) {
        int level = 0;
        while (level < 5 && strncmp(at, shades[level], strlen(shades[level])) != 0) level++;
        REQUIRE(level < 5);
        CHECK(level >= last);
        last = level, at += strlen(shades[level]);
    }
    CHECK_INT(last, 4);
    CHECK_CONTAINS(text, "0 ·");
    CHECK_CONTAINS(text, "█ 19");
    free(text);
}

static double brightness(foi_colour c)
{
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

// In grey, as for eyes that see no colours: one sign is a rising order, two signs lie about white.
TEST(palettes_keep_their_order_in_grey)
{
    for (int i = 1; i <= 100; i++) {
        double a = (i - 1) / 100.0, b = i / 100.0;
        CHECK(brightness(foi_palette(a, 0, 1)) <= brightness(foi_palette(b, 0, 1)));
        CHECK(brightness(foi_palette(a, -1, 1)) >= brightness(foi_palette(b, -1, 1)) - 1e-9);
        CHECK(brightness(foi_palette(-a, -1, 1)) >= brightness(foi_palette(-b, -1, 1)) - 1e-9);
    }
    foi_colour zero = foi_palette(0, -3, 1);
    CHECK(zero.r > 240 && zero.g > 240 && zero.b > 240);
    foi_colour low = foi_palette(-1, -1, 1), high = foi_palette(1, -1, 1);
    CHECK(low.b > low.r && high.r > high.b);
    foi_colour none = foi_palette(NAN, 0, 1);
    CHECK(none.r == none.g && none.g == none.b);
}

static int distance_to(int c, int r, int g, int b)
{
    static const int levels[] = {0, 95, 135, 175, 215, 255};
    int i = c - 16, grey = 8 + 10 * (c - 232);
    int x = (c < 232 ? levels[i / 36] : grey) - r, y = (c < 232 ? levels[i / 6 % 6] : grey) - g;
    int z = (c < 232 ? levels[i % 6] : grey) - b;
    return x * x + y * y + z * z;
}

// None of the 240 colours is nearer than the one that is chosen.
TEST(colours_of_terminals_are_the_nearest)
{
    for (int r = 0; r < 256; r += 17)
        for (int g = 0; g < 256; g += 15)
            for (int b = 0; b < 256; b += 23) {
                int c = foi_colour_256((foi_colour){(uint8_t)r, (uint8_t)g, (uint8_t)b});
                int best = distance_to(16, r, g, b);
                for (int k = 17; k < 256; k++)
                    if (distance_to(k, r, g, b) < best) best = distance_to(k, r, g, b);
                CHECK_INT(distance_to(c, r, g, b), best);
            }
}

// -------------------------------------------------------------------------------------- images

enum { WIDE = 37, HIGH = 16 };

static void fill(foi_colour *dots)
{
    for (int i = 0; i < WIDE * HIGH; i++) dots[i] = foi_palette(sin(i * 0.07), -1, 1);
}

static int registers[256][3]; ///< percentages, as they were defined

// Draws sixels as a terminal does: '#' chooses a colour, '!' repeats, '$' goes back, '-' down.
static void decode_sixels(const char *at, int *dots)
{
    int x = 0, y = 0, colour = 0, columns, rows, end = 0;
    at = strchr(at, '"');
    REQUIRE(at && sscanf(at, "\"1;1;%d;%d%n", &columns, &rows, &end) == 2);
    CHECK_INT(columns, WIDE);
    CHECK_INT(rows, HIGH);
    for (at += end; *at && *at != '\033';) {
        int count = 1;
        if (*at == '#') {
            colour = (int)strtol(at + 1, (char **)&at, 10);
            REQUIRE(colour >= 0 && colour < 256);
            int *c = registers[colour], defined = 0;
            if (*at == ';' && sscanf(at, ";2;%d;%d;%d%n", &c[0], &c[1], &c[2], &defined) == 3)
                at += defined;
            continue;
        }
        if (*at == '!') count = (int)strtol(at + 1, (char **)&at, 10);
        if (*at == '$') x = 0;
        if (*at == '-') x = 0, y += 6;
        int bits = *at >= '?' && *at <= '~' ? *at - '?' : 0;
        bool paints = *at >= '?' && *at <= '~';
        for (int k = 0; paints && k < count; k++, x++)
            for (int b = 0; b < 6; b++)
                if (bits >> b & 1 && x < WIDE && y + b < HIGH) dots[(y + b) * WIDE + x] = colour;
        at++;
    }
}

static int farthest(const foi_colour *dots, const int *seen)
{
    int worst = 0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        const int right[] = {dots[i].r, dots[i].g, dots[i].b};
        for (int k = 0; k < 3; k++) {
            int off = abs(registers[seen[i]][k] * 255 - right[k] * 100) / 100;
            if (off > worst) worst = off;
        }
    }
    return worst;
}

// What is seen is what was drawn, but for the percentages; of 592 colours it is less exact. Small
// differences of a large range are seen as well.
TEST(sixels_decode_to_the_image)
{
    static foi_colour dots[WIDE * HIGH];
    static int seen[WIDE * HIGH];
    for (int small = 0; small < 2; small++) {
        char *text = NULL;
        size_t size = 0;
        fill(dots);
        for (int i = 0; small && i < WIDE * HIGH; i++)
            dots[i] = foi_palette(0.1 * sin(i * 0.07), -1, 1);
        FILE *out = open_memstream(&text, &size);
        const foi_image image = {WIDE, HIGH, dots};
        CHECK_INT(foi_image_sixel(out, &image, NULL), FO_OK);
        fclose(out);
        CHECK(strncmp(text, "\033Pq", 3) == 0);
        memset(seen, 0, sizeof seen);
        decode_sixels(text, seen);
        CHECK(farthest(dots, seen) <= (small ? 2 : 8));
        free(text);
    }
}

static int value_of(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(letters, letter);
    return at && letter ? (int)(at - letters) : -1;
}

TEST(kitty_gets_the_dots_in_pieces)
{
    static foi_colour dots[WIDE * HIGH];
    static unsigned char bytes[3 * WIDE * HIGH + 8];
    char *text = NULL;
    size_t size = 0, used = 0;
    fill(dots);
    FILE *out = open_memstream(&text, &size);
    const foi_image image = {WIDE, HIGH, dots};
    CHECK_INT(foi_image_kitty(out, &image, NULL), FO_OK);
    fclose(out);
    CHECK_CONTAINS(text, "\033_Ga=T,f=24,s=37,v=16,m=0;");
    const char *at = strchr(text, ';') + 1;
    for (; value_of(at[0]) >= 0 && used + 3 <= sizeof bytes; at += 4) {
        int v[4];
        for (int k = 0; k < 4; k++) v[k] = at[k] == '=' ? 0 : value_of(at[k]);
        int three = v[0] << 18 | v[1] << 12 | v[2] << 6 | v[3];
        bytes[used++] = (unsigned char)(three >> 16), bytes[used++] = (unsigned char)(three >> 8);
        bytes[used++] = (unsigned char)three;
    }
    CHECK(memcmp(bytes, dots, sizeof dots) == 0);
    CHECK(strcmp(at, "\033\\\n") == 0);
    free(text);
}

// ------------------------------------------------------------------------------------- drawings

// A square is a square: on the screen it is as wide as it is high, cells being twice as high.
TEST(a_square_stays_one)
{
    static const fo_line square[] = {
        {{0, 1}, {0, 0}}, {{1, 1}, {0, 1}}, {{1, 0}, {1, 1}}, {{0, 0}, {1, 0}}};
    for (int width = 30; width <= 90; width += 30) {
        const fo_drawing_def def = {
            .lines = square, .count = 4, .width = width, .height = 12, .ascii = true};
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        CHECK_INT(fo_draw_lines(out, &def), FO_OK);
        fclose(out);
        int first = 1000, last = 0, rows = 0, column = 0, row = 0;
        for (const char *c = text; *c; c++, column++) {
            if (*c == '*' && column < first) first = column;
            if (*c == '*' && column > last) last = column;
            if (*c == '*') rows = row + 1;
            if (*c == '\n') column = -1, row++;
        }
        CHECK_INT(rows, 12);
        CHECK(abs((last - first + 1) - 24) <= 2);
        free(text);
    }
}

TEST(what_is_no_number_is_left_out)
{
    static const fo_line lines[] = {{{0, NAN}, {0, 1}}, {{0, 1}, {0, 1}}, {{0, 1e300}, {0, 1}}};
    const fo_drawing_def def = {.lines = lines,
                                .count = 3,
                                .bounds = {0, 0, 1, 1},
                                .width = 20,
                                .height = 10,
                                .ascii = true};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK_INT(fo_draw_lines(out, &def), FO_OK);
    fclose(out);
    CHECK_INT(lines_of(text), 10);
    free(text);
}

TEST_MAIN(TEST_ENTRY(maps_fit_their_space), TEST_ENTRY(shades_rise_with_the_values),
          TEST_ENTRY(palettes_keep_their_order_in_grey),
          TEST_ENTRY(colours_of_terminals_are_the_nearest), TEST_ENTRY(sixels_decode_to_the_image),
          TEST_ENTRY(kitty_gets_the_dots_in_pieces), TEST_ENTRY(a_square_stays_one),
          TEST_ENTRY(what_is_no_number_is_left_out))
