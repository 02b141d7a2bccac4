// Plots through gnuplot: data and script are written; a stand-in for gnuplot sees what it is given,
// and gnuplot itself, where it is there, draws.
#include <foliot/gnuplot.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

typedef struct scene {
    char folder[64], path[128], text[4096];
} scene;

static bool open_scene(scene *s)
{
    strcpy(s->folder, "/tmp/foliot-gnuplot-XXXXXX");
    if (!mkdtemp(s->folder)) return false;
    snprintf(s->path, sizeof s->path, "%s/it's", s->folder);
    return true;
}

static const char *content(scene *s, const char *ending)
{
    char file[256];
    snprintf(file, sizeof file, "%s%s", s->path, ending);
    s->text[0] = 0;
    FILE *in = fopen(file, "r");
    if (!in) return "";
    s->text[fread(s->text, 1, sizeof s->text - 1, in)] = 0;
    fclose(in);
    return s->text;
}

static void close_scene(scene *s)
{
    static const char *const files[] = {"it's.dat", "it's.gp",  "it's.svg",
                                        "it's.png", "it's.pdf", "gnuplot"};
    char file[256];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(file, sizeof file, "%s/%s", s->folder, files[i]);
        remove(file);
    }
    CHECK_INT(rmdir(s->folder), 0);
}

/// A program `gnuplot` in the scene's folder, and PATH of only that.
static void stand_in(scene *s, const char *commands)
{
    char file[256];
    snprintf(file, sizeof file, "%s/gnuplot", s->folder);
    FILE *out = fopen(file, "w");
    fprintf(out, "#!/bin/sh\n%s\n", commands);
    fclose(out);
    chmod(file, 0700);
    setenv("PATH", s->folder, 1);
}

static const double x[] = {0, 0.1, 2}, y[] = {1, NAN, -1e-7};
static const fo_curve curves[] = {{"don't\nbreak", x, y, 3, FO_CURVE_STEPS},
                                  {NULL, y, x, 1, FO_CURVE_POINTS}};

// The first bytes of the picture, and whether it is more than a frame.
static bool is_picture(scene *s, const char *ending, const char *head)
{
    char file[256], start[16] = "";
    snprintf(file, sizeof file, "%s%s", s->path, ending);
    FILE *in = fopen(file, "rb");
    if (!in) return false;
    size_t got = fread(start, 1, strlen(head), in);
    fseek(in, 0, SEEK_END);
    bool large = ftell(in) > 3000;
    fclose(in);
    return large && got == strlen(head) && memcmp(start, head, got) == 0;
}

// Comes first, while PATH is what it was.
TEST(gnuplot_itself_draws)
{
    scene s;
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
        printf("no gnuplot here, nothing drawn\n");
        return;
    }
    REQUIRE(open_scene(&s));
    static const double h[] = {0, 0, 6000, 14500}, v[] = {200, 250, 300, 350};
    static const fo_curve all[] = {{"lines", v, h, 4, FO_CURVE_LINES},
                                   {"it's [%] points", v, h, 4, FO_CURVE_POINTS},
                                   {"steps", v, h, 4, FO_CURVE_STEPS},
                                   {NULL, v, h, 4, FO_CURVE_BOXES}};
    static const char *const formats[][3] = {
        {"png", ".png", "\x89PNG\r\n"}, {"svg", ".svg", "<?xml"}, {"pdf", ".pdf", "%PDF-"}};
    fo_gnuplot_def def = {.path = s.path,
                          .title = "h against vA_1 {not} ^raised",
                          .x_label = "vA [ft/s]",
                          .y_label = "h [ft]",
                          .curves = all,
                          .count = 4};
    for (int i = 0; i < 3; i++) {
        bool drawn = false;
        fo_message why = {0};
        def.format = formats[i][0];
        CHECK_STATUS(fo_gnuplot(&def, &drawn, &why), FO_OK, &why);
        CHECK(drawn);
        CHECK(is_picture(&s, formats[i][1], formats[i][2]));
    }
    close_scene(&s);
}

TEST(data_and_script_stay)
{
    scene s;
    REQUIRE(open_scene(&s));
    setenv("PATH", s.folder, 1); // no gnuplot there
    fo_gnuplot_def def = {
        .path = s.path, .title = "A plot", .x_label = "t [s]", .curves = curves, .count = 2};
    bool drawn = true;
    fo_message why;
    CHECK_STATUS(fo_gnuplot(&def, &drawn, &why), FO_OK, &why);
    CHECK(!drawn);
    CHECK_TEXT(content(&s, ".dat"), "# 0\n0 1\n0.1 nan\n2 -1e-7\n\n\n# 1\n1 0\n");
    char expected[1024];
    const char *script = content(&s, ".gp");
    snprintf(expected, sizeof expected,
             "set terminal svg size 800,500 noenhanced background '#ffffff'\n"
             "set output '%s/it''s.svg'\n",
             s.folder);
    CHECK(strncmp(script, expected, strlen(expected)) == 0);
    CHECK_CONTAINS(script, "set linetype 2 lc rgb '#d55e00'"); // of Okabe and Ito
    snprintf(expected, sizeof expected,
             "set title 'A plot'\n"
             "set xlabel 't [s]'\n"
             "plot '%s/it''s.dat' index 0 using 1:2 with steps title 'don''t break', \\\n"
             "     '%s/it''s.dat' index 1 using 1:2 with points notitle\n",
             s.folder, s.folder);
    CHECK_CONTAINS(script, expected);
    close_scene(&s);
}

// Panels by unit, moments as lines, a jump that leaves its curve open, a size.
TEST(panels_and_marks)
{
    static const double at[] = {0, 1, 1, 2}, of[] = {0, 1, 5, 6}, marks[] = {1, 1.5};
    static const fo_panel panels[] = {{"time [s]", "[m]", true}, {"time [s]", "n", true}};
    const fo_curve both[] = {{"h [m]", at, of, 4, FO_CURVE_LINES, 0},
                             {"n", at, of, 4, FO_CURVE_STEPS, 1}};
    scene s;
    REQUIRE(open_scene(&s));
    setenv("PATH", s.folder, 1);
    fo_gnuplot_def def = {.path = s.path,
                          .curves = both,
                          .count = 2,
                          .panels = panels,
                          .panel_count = 2,
                          .marks = marks,
                          .mark_count = 2,
                          .width = 640,
                          .height = 480};
    CHECK_INT(fo_gnuplot(&def, NULL, NULL), FO_OK);
    CHECK_TEXT(content(&s, ".dat"), "# 0\n0 0\n1 1\n\n1 5\n2 6\n\n\n# 1\n0 0\n1 1\n1 5\n2 6\n");
    const char *script = content(&s, ".gp");
    CHECK_CONTAINS(script, "svg size 640,480");
    CHECK_CONTAINS(script, "set multiplot layout 2,1");
    CHECK_CONTAINS(script, "set arrow from first 1.5, graph 0 to first 1.5, graph 1 nohead");
    CHECK_CONTAINS(script, "set ylabel '[m]'");
    CHECK_CONTAINS(script, "set ylabel 'n'");
    close_scene(&s);
}

// A field is a matrix, drawn twice.
TEST(grids)
{
    static const double values[] = {0, 1, 2, -3, 4, 5};
    const fo_grid_picture grid = {values, 3, 2, 10, 5, "x", "y", NULL};
    scene s;
    REQUIRE(open_scene(&s));
    setenv("PATH", s.folder, 1);
    fo_gnuplot_def def = {.path = s.path, .grid = &grid};
    CHECK_INT(fo_gnuplot(&def, NULL, NULL), FO_OK);
    CHECK_TEXT(content(&s, ".dat"), "# 0\n0 1 2\n-3 4 5\n");
    CHECK_CONTAINS(content(&s, ".gp"), "matrix using ($1*5):($2*5):3 with pm3d");
    CHECK_CONTAINS(content(&s, ".gp"), "matrix using ($1*5):($2*5):3 with image");
    CHECK_CONTAINS(content(&s, ".gp"), "set cbrange [-5:5]");
    close_scene(&s);
}

TEST(gnuplot_is_run_with_the_script)
{
    scene s;
    REQUIRE(open_scene(&s));
    stand_in(&s, "echo \"drawn from $*\" >\"${1%.gp}.png\"");
    fo_gnuplot_def def = {.path = s.path, .format = "png", .curves = curves, .count = 1};
    bool drawn = false;
    fo_message why;
    CHECK_STATUS(fo_gnuplot(&def, &drawn, &why), FO_OK, &why);
    CHECK(drawn);
    char expected[256];
    snprintf(expected, sizeof expected, "drawn from %s.gp\n", s.path);
    CHECK_TEXT(content(&s, ".png"), expected);
    stand_in(&s, "exit 1");
    CHECK_INT(fo_gnuplot(&def, &drawn, &why), FO_ERROR_INPUT);
    CHECK(!drawn);
    CHECK_CONTAINS(why.text, "gnuplot could not draw");
    close_scene(&s);
}

TEST(a_histogram_becomes_bars)
{
    scene s;
    REQUIRE(open_scene(&s));
    setenv("PATH", s.folder, 1);
    fo_message why;
    fo_histogram *h =
        fo_histogram_create(&(fo_histogram_def){.title = "sizes", .upper = 4, .cells = 2}, &why);
    REQUIRE(h);
    for (int i = 0; i < 5; i++) fo_histogram_add(h, i);
    CHECK_STATUS(fo_gnuplot_histogram(h, s.path, NULL, NULL, NULL, &why), FO_OK, &why);
    CHECK_TEXT(content(&s, ".dat"), "# 0\n1 2\n3 2\n");
    CHECK_CONTAINS(content(&s, ".gp"), "with boxes notitle");
    test_memory memory;
    test_memory_init(&memory, 1);
    CHECK_INT(fo_gnuplot_histogram(h, s.path, NULL, &memory.allocator, NULL, &why),
              FO_ERROR_MEMORY);
    fo_histogram_destroy(h);
    close_scene(&s);
}

TEST(mistakes_are_named)
{
    fo_message why;
    fo_gnuplot_def def = {.path = "/nowhere/at/all", .curves = curves, .count = 1};
    CHECK_INT(fo_gnuplot(&def, NULL, &why), FO_ERROR_INPUT);
    CHECK_CONTAINS(why.text, "cannot write '/nowhere/at/all.dat'");
    def.format = "bmp";
    CHECK_INT(fo_gnuplot(&def, NULL, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "not 'bmp'");
    def.format = NULL, def.count = 0;
    CHECK_INT(fo_gnuplot(&def, NULL, &why), FO_ERROR_ARGUMENT);
}

TEST_MAIN(TEST_ENTRY(gnuplot_itself_draws), TEST_ENTRY(data_and_script_stay),
          TEST_ENTRY(panels_and_marks), TEST_ENTRY(grids),
          TEST_ENTRY(gnuplot_is_run_with_the_script), TEST_ENTRY(a_histogram_becomes_bars),
          TEST_ENTRY(mistakes_are_named))
