#include <errno.h>
#include <fcntl.h>
#include <foliot/gnuplot.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/made.h"
#include "base/memory.h"
#include "base/text_stream.h"

enum { PATH_SIZE = 4096 };

static const struct {
    const char *name, *terminal, *more;
    double width, height; ///< usual size
} formats[] = {{"svg", "svg size %.0f,%.0f", "noenhanced background '#ffffff'", 800, 500},
               {"png", "pngcairo size %.0f,%.0f", "noenhanced", 800, 500},
               {"pdf", "pdfcairo size %.2fcm,%.2fcm", "noenhanced", 1600, 1000}};

static const char *const styles[] = {"lines", "points", "steps", "boxes"};

/// In single quotes, where gnuplot knows no escape but the doubled quote, and that not at the
/// beginning: there a quote stands in double quotes and is joined. "]]>" ends a section of XML, and
/// gnuplot writes it into an SVG as it is: it gets a space.
static void print_quoted(FILE *out, const char *text)
{
    for (; *text == '\''; text++) fputs("\"'\".", out);
    fputc('\'', out);
    for (const char *begin = text; *text; text++) {
        if (*text == '\'') fputc('\'', out);
        if (*text == '>' && text - begin >= 2 && text[-1] == ']' && text[-2] == ']')
            fputc(' ', out);
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
    }
    fputc('\'', out);
}

static void print_setting(FILE *out, const char *name, const char *text)
{
    if (!text) return;
    fprintf(out, "set %s ", name);
    print_quoted(out, text);
    fputc('\n', out);
}

fo_gnuplot_def fo_default_gnuplot_def(void)
{
    return (fo_gnuplot_def){.format = "svg"};
}

/// One block per curve; gnuplot counts them from 0 and needs two empty lines between them.
static void print_data(FILE *out, const fo_gnuplot_def *def)
{
    const fo_grid_picture *g = def->grid;
    if (g) fputs("# 0\n", out); // all data of ours begin so
    for (uint32_t j = 0; g && j < g->rows; j++)
        for (uint32_t i = 0; i < g->columns; i++) {
            char text[32];
            foi_number_text(g->values[(size_t)j * g->columns + i], text);
            fprintf(out, "%s%c", text, i + 1 < g->columns ? ' ' : '\n');
        }
    if (g) return;
    for (size_t k = 0; k < def->count; k++) {
        const fo_curve *c = &def->curves[k];
        if (k > 0) fputs("\n\n", out);
        fprintf(out, "# %zu\n", k);
        for (size_t i = 0; i < c->count; i++) {
            char x[32], y[32];
            bool jump = c->style == FO_CURVE_LINES && i > 0 && i + 1 < c->count &&
                        c->x[i] == c->x[i - 1] && c->y[i] != c->y[i - 1];
            if (jump) fputc('\n', out); // the line is open there
            foi_number_text(c->x[i], x);
            foi_number_text(c->y[i], y);
            fprintf(out, "%s %s\n", x, y);
        }
    }
}

// Okabe and Ito's colours, which people who do not tell red from green can tell apart; the dashes
// differ, too, for paper without colours.
static void print_colours(FILE *out)
{
    static const char *const colours[] = {"0072b2", "d55e00", "009e73", "cc79a7",
                                          "e69f00", "56b4e9", "000000"};
    enum { COLOURS = 7, DASHES = 4 };
    for (int i = 0; i < 4 * COLOURS; i++)
        fprintf(out, "set linetype %d lc rgb '#%s' lw 1.5 dt %d pt %d\n", i + 1,
                colours[i % COLOURS], i / COLOURS % DASHES + 1, i % COLOURS + 4);
    fputs("set linetype cycle 28\n", out);
}

// Panels make the picture higher.
static void print_terminal(FILE *out, const fo_gnuplot_def *def, size_t format)
{
    char size[64], file[PATH_SIZE];
    size_t panels = def->panel_count > 2 ? def->panel_count : 2;
    double width = def->width > 0 ? def->width : formats[format].width;
    double usual = formats[format].height * (def->grid ? 0.84 : (double)panels / 2);
    double height = def->height > 0 ? def->height : usual;
    double unit = strcmp(formats[format].name, "pdf") == 0 ? 0.01 : 1;
    snprintf(size, sizeof size, formats[format].terminal, unit * width, unit * height);
    fprintf(out, "set terminal %s %s\n", size, formats[format].more);
    snprintf(file, sizeof file, "%s.%s", def->path, formats[format].name);
    print_setting(out, "output", file);
}

// Where something happened: lines over the whole height, or a fringe where they are many; a fringe
// that would be a bar says nothing and is left out.
static void print_marks(FILE *out, const fo_gnuplot_def *def)
{
    enum { LINES = 60, MOST = 400 };
    bool lines = def->mark_count <= LINES;
    for (size_t i = 0; i < def->mark_count && def->mark_count <= MOST; i++) {
        char x[32];
        foi_number_text(def->marks[i], x);
        fprintf(out,
                "set arrow from first %s, graph 0 to first %s, graph %s nohead back lc rgb "
                "'#909090' lw 0.7 dt %d\n",
                x, x, lines ? "1" : "0.025", lines ? 3 : 1);
    }
}

static void print_curve(FILE *out, const fo_gnuplot_def *def, size_t k, bool first)
{
    char file[PATH_SIZE];
    const fo_curve *c = &def->curves[k];
    snprintf(file, sizeof file, "%s.dat", def->path);
    fputs(first ? "plot " : ", \\\n     ", out);
    print_quoted(out, file);
    fprintf(out, " index %zu using 1:2 with %s ", k, styles[c->style]);
    if (c->name) {
        fputs("title ", out);
        print_quoted(out, c->name);
    } else
        fputs("notitle", out);
}

static void print_panel(FILE *out, const fo_gnuplot_def *def, size_t panel)
{
    const fo_panel *p = def->panels ? &def->panels[panel] : NULL;
    bool first = true;
    bool shares = p && panel + 1 < def->panel_count && p->marked && def->panels[panel + 1].marked;
    if (p && def->panel_count > 1) fprintf(out, "set format x '%s'\n", shares ? "" : "%h");
    print_setting(out, "xlabel", shares ? "" : p ? p->x_label : def->x_label);
    print_setting(out, "ylabel", p ? p->y_label : def->y_label);
    if (p && !p->x_label) fputs("unset xlabel\n", out);
    if (p && !p->y_label) fputs("unset ylabel\n", out);
    if (!p || p->marked) print_marks(out, def);
    for (size_t k = 0; k < def->count; k++) {
        if (p && def->curves[k].panel != panel) continue;
        print_curve(out, def, k, first);
        first = false;
    }
    fputc('\n', out);
    if (p && p->marked && def->mark_count) fputs("unset arrow\n", out);
}

// The longest name in letters of the usual width, for the margin that the legend stands in.
static size_t legend_width(const fo_gnuplot_def *def)
{
    size_t most = 0;
    for (size_t k = 0; k < def->count; k++) {
        size_t halves = 0;
        for (const char *c = def->curves[k].name; c && *c; c++)
            if (((unsigned char)*c & 0xc0) != 0x80) halves += strchr("mwMW@%", *c) ? 3 : 2;
        if (halves > most) most = halves;
    }
    return most > 80 ? 40 : (most + 1) / 2;
}

// The legend stands beside the curves. Panels have axes of one width, so that times stand over
// each other.
static void print_curves(FILE *out, const fo_gnuplot_def *def)
{
    size_t legend = legend_width(def);
    print_colours(out);
    // the frame stands a little off the curves, so that steps between 0 and 1 are seen
    fputs("set autoscale fix\nset offsets graph 0, graph 0, graph 0.05, graph 0.05\n", out);
    fputs("set grid lt 1 lc rgb '#e6e6e6' lw 0.6\nset style fill solid 0.5\n"
          "set boxwidth 1 relative\nset tics nomirror\n",
          out);
    // 3 letters for the line of a curve, as many around it, and some letters are wide
    if (legend)
        fprintf(out,
                "set key at graph 1, graph 1 left top Left reverse samplen 3\nset rmargin %zu\n",
                legend + legend / 8 + 9);
    if (def->panel_count > 1) fputs("set lmargin 12\n", out);
    if (def->panel_count > 1) {
        fprintf(out, "set multiplot layout %zu,1", def->panel_count);
        if (def->title) fputs(" title ", out), print_quoted(out, def->title);
        fputc('\n', out);
    } else {
        print_setting(out, "title", def->title);
    }
    size_t panels = def->panels ? def->panel_count : 1;
    for (size_t i = 0; i < panels; i++) print_panel(out, def, i);
    if (def->panel_count > 1) fputs("unset multiplot\n", out);
}

// Viridis; where both signs occur ColorBrewer's RdBu around zero.
static void print_palette(FILE *out, const fo_grid_picture *g)
{
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < (size_t)g->columns * g->rows; i++)
        if (isfinite(g->values[i])) lo = fmin(lo, g->values[i]), hi = fmax(hi, g->values[i]);
    if (lo < 0 && hi > 0) {
        double most = fmax(-lo, hi);
        fputs("set palette defined (-4 '#053061', -3 '#2166ac', -2 '#4393c3', -1 '#92c5de', "
              "0 '#f7f7f7', 1 '#f4a582', 2 '#d6604d', 3 '#b2182b', 4 '#67001f')\n",
              out);
        fprintf(out, "set cbrange [%.6g:%.6g]\n", -most, most);
    } else {
        fputs("set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', "
              "4 '#21908d', 5 '#27ad81', 6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n",
              out);
    }
}

// The surface, seen from the front and above. Numbers of both axes would meet in the corner.
static void print_surface(FILE *out, const fo_grid_picture *g, const char *file, double dx,
                          double dy)
{
    fputs("set size 0.54,1.08\nset origin 0.02,-0.06\nset view 52,30\nset xyplane relative 0.05\n"
          "set pm3d depthorder border lc rgb '#404040' lw 0.2\nunset colorbox\n",
          out);
    fprintf(out,
            "set xtics 0,%.3g offset 0,-0.4\nset ytics %.3g,%.3g offset 0.8,-0.2\n"
            "set ztics offset 0.6,0\nset xlabel offset 0,-0.6\nset ylabel offset 1.2,-0.4\nsplot ",
            g->width / 2, g->height / 2, g->height / 2);
    print_quoted(out, file);
    fprintf(out, " matrix using ($1*%.9g):($2*%.9g):3 with pm3d\nunset pm3d\n", dx, dy);
}

static void print_map(FILE *out, const fo_grid_picture *g, const char *file, double dx, double dy)
{
    fputs("set size ratio -1 0.44,0.84\nset origin 0.56,0.05\nset colorbox\n"
          "set xtics autofreq out nomirror offset 0,0\nset ytics autofreq out nomirror offset 0,0\n"
          "set xlabel offset 0,0\nset ylabel offset 0,0\n",
          out);
    print_setting(out, "cblabel", g->label);
    fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nplot ", -dx / 2,
            g->width + dx / 2, -dy / 2, g->height + dy / 2);
    print_quoted(out, file);
    fprintf(out, " matrix using ($1*%.9g):($2*%.9g):3 with image\n", dx, dy);
}

static void print_grid(FILE *out, const fo_gnuplot_def *def)
{
    const fo_grid_picture *g = def->grid;
    char file[PATH_SIZE];
    double dx = g->columns > 1 ? g->width / (g->columns - 1) : 1;
    double dy = g->rows > 1 ? g->height / (g->rows - 1) : 1;
    snprintf(file, sizeof file, "%s.dat", def->path);
    print_palette(out, g);
    fputs("set multiplot", out);
    if (def->title) fputs(" title ", out), print_quoted(out, def->title);
    fputs("\nunset key\n", out);
    print_setting(out, "xlabel", g->x_label);
    print_setting(out, "ylabel", g->y_label);
    print_surface(out, g, file, dx, dy);
    print_map(out, g, file, dx, dy);
    fputs("unset multiplot\n", out);
}

static void print_script(FILE *out, const fo_gnuplot_def *def, size_t format)
{
    print_terminal(out, def, format);
    if (def->grid)
        print_grid(out, def);
    else
        print_curves(out, def);
}

/// Writes <path><ending>: the data, or the script when it is given a format.
static fo_status write_file(const fo_gnuplot_def *def, const char *ending, const size_t *format,
                            fo_message *why)
{
    char file[PATH_SIZE];
    foi_text_stream text = {0};
    snprintf(file, sizeof file, "%s%s", def->path, ending);
    bool whole = foi_text_open(&text, NULL);
    if (whole && format)
        print_script(text.out, def, *format);
    else if (whole)
        print_data(text.out, def);
    whole = whole && foi_text_close(&text);
    fo_status status = whole ? foi_file_save(file, text.text, text.size, NULL, why)
                             : fo_fail(why, FO_ERROR_MEMORY, "no memory to write '%s'", file);
    foi_text_free(&text);
    return status;
}

// What gnuplot draws is this program's as well.
static void sign_picture(const fo_gnuplot_def *def, const char *format)
{
    char path[PATH_SIZE + 8];
    const char *wrong;
    snprintf(path, sizeof path, "%s.%s", def->path, format);
    FILE *picture = foi_file_plain(path, &wrong);
    if (!picture) return;
    foi_file_sign(fileno(picture), true);
    fclose(picture);
}

/// In the child: it ends with its parent, however that ends, so that nobody draws into a picture
/// that is another run's by then. Returns only where it cannot be gnuplot, and why.
static int be_gnuplot(char *script, pid_t parent)
{
    char program[] = "gnuplot", *arguments[] = {program, script, NULL};
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) return ESRCH;
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return errno;
    execvp(program, arguments);
    return errno;
}

/// Starts it: 0, or why not, which the child says through a pipe that ends where it has begun.
static int start(char *script, pid_t *child)
{
    const pid_t self = getpid();
    int ends[2], error = 0;
    if (pipe(ends) != 0) return errno;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    *child = fork();
    if (*child == 0) {
        error = be_gnuplot(script, self);
        _exit(write(ends[1], &error, sizeof error) == sizeof error ? 127 : 126);
    }
    if (*child < 0) error = errno;
    close(ends[1]);
    ssize_t got = 0;
    while (*child > 0 && (got = read(ends[0], &error, sizeof error)) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    if (*child > 0 && got > 0) waitpid(*child, NULL, 0);
    return error;
}

static fo_status run(const fo_gnuplot_def *def, bool *drawn, fo_message *why)
{
    char script[PATH_SIZE];
    snprintf(script, sizeof script, "%s.gp", def->path);
    pid_t child = -1;
    int error = start(script, &child);
    if (error == ENOENT) return FO_OK; // it is not here
    if (error)
        return fo_fail(why, FO_ERROR_INPUT, "gnuplot cannot be started: %s", strerror(error));
    int result = 0;
    while (waitpid(child, &result, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        return fo_fail(why, FO_ERROR_INPUT, "gnuplot could not draw '%s'", script);
    *drawn = true;
    return FO_OK;
}

fo_status fo_gnuplot(const fo_gnuplot_def *def, bool *drawn, fo_message *why)
{
    bool done = false;
    if (drawn) *drawn = false;
    const char *wanted = def->format ? def->format : "svg";
    size_t format = 0, known = sizeof formats / sizeof formats[0];
    while (format < known && strcmp(formats[format].name, wanted) != 0) format++;
    if (format == known)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a plot can be svg, png or pdf, not '%s'", wanted);
    size_t points = 0;
    for (size_t k = 0; k < def->count; k++) points += def->curves[k].count;
    if (def->grid) points = (size_t)def->grid->columns * def->grid->rows;
    if (points == 0) return fo_fail(why, FO_ERROR_ARGUMENT, "the plot has no points");
    if (strlen(def->path) + sizeof ".dat" > PATH_SIZE)
        return fo_fail(why, FO_ERROR_ARGUMENT, "the plot's path is too long");

    fo_status status = write_file(def, ".dat", NULL, why);
    if (!status) status = write_file(def, ".gp", &format, why);
    if (!status) status = run(def, &done, why);
    if (done) sign_picture(def, wanted);
    if (drawn) *drawn = done;
    return status;
}

fo_status fo_gnuplot_histogram(const fo_histogram *h, const char *path, const char *format,
                               const fo_allocator *allocator, bool *drawn, fo_message *why)
{
    size_t cells = fo_histogram_cells(h);
    double *x = foi_new(allocator, 2 * cells, sizeof *x), *y = x ? x + cells : NULL;
    if (!x) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a plot of %zu cells", cells);
    for (size_t i = 0; i < cells; i++) {
        x[i] = 0.5 * (fo_histogram_limit(h, i + 1) + fo_histogram_limit(h, i + 2));
        y[i] = (double)fo_histogram_count(h, i + 1);
    }
    fo_curve bars = {.x = x, .y = y, .count = cells, .style = FO_CURVE_BOXES};
    fo_gnuplot_def def = {.path = path,
                          .title = fo_histogram_tally(h)->title,
                          .y_label = "observations",
                          .curves = &bars,
                          .count = 1,
                          .format = format};
    fo_status status = fo_gnuplot(&def, drawn, why);
    foi_free(allocator, x);
    return status;
}
