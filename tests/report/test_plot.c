// Plots: golden pictures, Braille and ASCII, jumps, narrow and odd ones.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/axis.h"
#include "report/canvas.h"
#include "test.h"

typedef struct sheet {
    fo_table *table;
    fo_observer observer;
} sheet;

static sheet sheet_make(void)
{
    sheet s = {.table = fo_table_create(2, NULL)};
    if (s.table) s.observer = fo_table_observer(s.table, NULL, 1);
    return s;
}

static void give(sheet *s, fo_row_kind kind, double t, double a, double b)
{
    double values[] = {a, b};
    fo_row row = {.kind = kind, .t = t, .values = values, .count = 2};
    s->observer.row(s->observer.self, &row, NULL);
}

// A line that rises, and one that falls and jumps up again in the middle.
static sheet ramps(void)
{
    sheet s = sheet_make();
    give(&s, FO_ROW_SAMPLE, 0, 0, 1);
    give(&s, FO_ROW_BEFORE, 5, 0.5, 0);
    give(&s, FO_ROW_AFTER, 5, 0.5, 1);
    give(&s, FO_ROW_SAMPLE, 10, 1, 0);
    return s;
}

static fo_status draw(const fo_plot_def *def, char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);
    if (!out) return FO_ERROR_MEMORY;
    fo_status status = fo_plot(out, def);
    fclose(out);
    return status;
}

static fo_plot_def def_of(const sheet *s, size_t count)
{
    static const size_t signals[] = {0, 1};
    static const char *const names[] = {"up [m]", "saw [m]"};
    return (fo_plot_def){.table = s->table,
                         .signals = signals,
                         .names = names,
                         .count = count,
                         .width = 32,
                         .height = 9};
}

static void check_picture(const fo_plot_def *def, const char *expected)
{
    char *text = NULL;
    CHECK_INT(draw(def, &text), FO_OK);
    CHECK_TEXT(text, expected);
    free(text);
}

TEST(ascii)
{
    sheet s = ramps();
    fo_plot_def def = def_of(&s, 2);
    def.ascii = true, def.title = "ramps";
    check_picture(&def, "ramps\n"
                        "1.0 +++           ++        ****\n"
                        "    |  +++          ++******\n"
                        "0.5 +     ++++ ******* ++++\n"
                        "    |    ******++          +++\n"
                        "0.0 +****        ++           ++\n"
                        "    ++------------+------------+\n"
                        "     0            5           10\n"
                        "* up [m]   + saw [m]    time [s]\n");
    fo_table_destroy(s.table);
}

TEST(braille)
{
    sheet s = ramps();
    fo_plot_def def = def_of(&s, 2);
    check_picture(&def, "1.0 ┤⠑⠢⡀           ⠐⢄     ⢀⣀⠤⠔⠒⠉\n"
                        "    │  ⠈  ⡀          ⣉⡢⠤⠒⠉⠁\n"
                        "0.5 ┤     ⠈⠑⢄  ⢀⡠⠤⠒⠊⠉   ⠐⠤⡀\n"
                        "    │     ⣀⡠⠔⠒⠉⢅⡀         ⠈⠁\n"
                        "0.0 ┤⣀⠤⠔⠊⠉      ⠈⠢           ⠈⠢⢄\n"
                        "    └┬────────────┬────────────┬\n"
                        "     0            5           10\n"
                        "━━ up [m]   ╍╍ saw [m]\n"
                        "                        time [s]\n");
    fo_table_destroy(s.table);
}

TEST(one_curve_is_solid_and_open_at_the_jump)
{
    static const size_t saw[] = {1};
    static const char *const names[] = {"saw"};
    sheet s = ramps();
    fo_plot_def def = def_of(&s, 1);
    def.signals = saw, def.names = names;
    check_picture(&def, "1.0 ┤⠑⢄⡀          ⠈⠢⡀\n"
                        "    │  ⠈⠢⡀          ⠈⠑⢄\n"
                        "0.5 ┤    ⠈⠒⢄           ⠑⢄\n"
                        "    │       ⠑⠤⡀          ⠉⠢⡀\n"
                        "    │         ⠈⠢⡀          ⠈⠢⣀\n"
                        "0.0 ┤           ⠈⠑⢄           ⠑⢄\n"
                        "    └┬────────────┬────────────┬\n"
                        "     0            5           10\n"
                        "━━ saw                  time [s]\n");
    fo_table_destroy(s.table);
}

TEST(colour_only_when_asked)
{
    sheet s = ramps();
    fo_plot_def def = def_of(&s, 2);
    char *text = NULL;
    CHECK_INT(draw(&def, &text), FO_OK);
    CHECK(!strchr(text, '\033'));
    free(text);
    def.colour = true;
    CHECK_INT(draw(&def, &text), FO_OK);
    CHECK_CONTAINS(text, "\033[36m");
    CHECK_CONTAINS(text, "\033[33m");
    CHECK_CONTAINS(text, "\033[0m");
    free(text);
    fo_table_destroy(s.table);
}

static int widest_line(const char *text)
{
    int widest = 0, width = 0;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) != 0x80) width++;
        if (*text == '\n') width = 0;
        if (width > widest) widest = width;
    }
    return widest;
}

TEST(never_wider_than_asked)
{
    static const char *const names[] = {"a name that is much too long for this [rad/s]", "ü"};
    sheet s = ramps();
    for (int width = 24; width <= 120; width += 3)
        for (int height = 6; height <= 30; height += 4) {
            fo_plot_def def = def_of(&s, 2);
            def.width = width, def.height = height;
            def.names = names;
            def.title = "ä title that is much too long for a picture of such a small width";
            char *text = NULL;
            CHECK_INT(draw(&def, &text), FO_OK);
            if (widest_line(text) > width)
                test_fail(__FILE__, __LINE__, "width %d became %d", width, widest_line(text));
            free(text);
        }
    fo_table_destroy(s.table);
}

TEST(too_narrow_is_drawn_at_the_least_width)
{
    sheet s = ramps();
    fo_plot_def def = def_of(&s, 1);
    def.width = 3, def.height = 1;
    char *text = NULL;
    CHECK_INT(draw(&def, &text), FO_OK);
    CHECK_INT(widest_line(text), 24);
    free(text);
    fo_table_destroy(s.table);
}

TEST(odd_values_do_no_harm)
{
    sheet s = sheet_make();
    fo_plot_def def = def_of(&s, 2);
    char *text = NULL;
    CHECK_INT(draw(&def, &text), FO_OK); // no rows at all
    free(text);
    give(&s, FO_ROW_SAMPLE, 0, NAN, NAN);
    CHECK_INT(draw(&def, &text), FO_OK);
    free(text);
    give(&s, FO_ROW_SAMPLE, 1, INFINITY, -INFINITY);
    give(&s, FO_ROW_SAMPLE, 2, 1e308, -1e308);
    give(&s, FO_ROW_SAMPLE, 3, 1e-320, 5);
    give(&s, FO_ROW_SAMPLE, 4, 5, 5);
    CHECK_INT(draw(&def, &text), FO_OK);
    CHECK_CONTAINS(text, "5 ");
    free(text);
    fo_table_destroy(s.table);
}

TEST(no_memory)
{
    sheet s = ramps();
    test_memory memory;
    test_memory_init(&memory, 1);
    fo_plot_def def = def_of(&s, 1);
    def.allocator = &memory.allocator;
    char *text = NULL;
    CHECK_INT(draw(&def, &text), FO_ERROR_MEMORY);
    CHECK_INT(memory.live, 0);
    free(text);
    fo_table_destroy(s.table);
}

static void check_ticks(double lo, double hi, int intervals, const char *expected)
{
    foi_axis axis = foi_axis_make(lo, hi, intervals);
    char all[512] = "", label[FOI_LABEL_SIZE];
    for (int i = 0; i < foi_axis_ticks(&axis); i++) {
        if (i) strcat(all, " ");
        strcat(all, foi_axis_label(&axis, i, label));
    }
    CHECK_TEXT(all, expected);
}

TEST(ticks_are_round)
{
    check_ticks(0, 10, 5, "0 2 4 6 8 10");
    check_ticks(0, 1, 5, "0.0 0.2 0.4 0.6 0.8 1.0");
    check_ticks(-0.3, 0.3, 4, "-0.2 0.0 0.2");
    check_ticks(0.6, 1.4, 2, "0.6 0.8 1.0 1.2 1.4");
    check_ticks(0, 5e6, 5, "0 1e6 2e6 3e6 4e6 5e6");
    check_ticks(1.2e-9, 4e-9, 3, "2e-9 3e-9 4e-9");
    check_ticks(1000000, 1000000.4, 4,
                "1.0000000e6 1.0000001e6 1.0000002e6 1.0000003e6 "
                "1.0000004e6");
    check_ticks(7, 7, 4, "6.5 7.0 7.5");
    check_ticks(0, 0, 4, "-1.0 -0.5 0.0 0.5 1.0");
    check_ticks(0, 5e-324, 4, "-1.0 -0.5 0.0 0.5 1.0");
}

TEST(braille_letters)
{
    char text[4];
    foi_braille(0x01, text);
    CHECK_TEXT(text, "⠁");
    foi_braille(0xff, text);
    CHECK_TEXT(text, "⣿");
}

TEST_MAIN(TEST_ENTRY(ascii), TEST_ENTRY(braille),
          TEST_ENTRY(one_curve_is_solid_and_open_at_the_jump), TEST_ENTRY(colour_only_when_asked),
          TEST_ENTRY(never_wider_than_asked), TEST_ENTRY(too_narrow_is_drawn_at_the_least_width),
          TEST_ENTRY(odd_values_do_no_harm), TEST_ENTRY(no_memory), TEST_ENTRY(ticks_are_round),
          TEST_ENTRY(braille_letters))
