#include <errno.h>
#include <fcntl.h>
#include <foliot/gnuplot.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/memory.h"

enum { PATH_SIZE = 4096 };

static const struct {
    const char *name, *terminal;
} formats[] = {{"svg", "svg size 800,500 noenhanced background '#ffffff'"},
               {"png", "pngcairo size 800,500 noenhanced"},
               {"pdf", "pdfcairo size 16cm,10cm noenhanced"}};

static const char *const styles[] = {"lines", "points", "steps", "boxes"};

/// In single quotes, where gnuplot knows no escape but the doubled quote, and that not at the
/// beginning: there a quote stands in double quotes and is joined.
static void print_quoted(FILE *out, const char *text)
{
    for (; *text == '\''; text++) fputs("\"'\".", out);
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', out);
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
    for (size_t k = 0; k < def->count; k++) {
        const fo_curve *c = &def->curves[k];
        if (k > 0) fputs("\n\n", out);
        fprintf(out, "# %zu\n", k);
        for (size_t i = 0; i < c->count; i++) {
            char x[32], y[32];
            foi_number_text(c->x[i], x);
            foi_number_text(c->y[i], y);
            fprintf(out, "%s %s\n", x, y);
        }
    }
}

static void print_script(FILE *out, const fo_gnuplot_def *def, size_t format)
{
    char file[PATH_SIZE];
    fprintf(out, "set terminal %s\n", formats[format].terminal);
    snprintf(file, sizeof file, "%s.%s", def->path, formats[format].name);
    print_setting(out, "output", file);
    print_setting(out, "title", def->title);
    print_setting(out, "xlabel", def->x_label);
    print_setting(out, "ylabel", def->y_label);
    fputs("set grid\nset style fill solid 0.5\nset boxwidth 1 relative\n", out);
    snprintf(file, sizeof file, "%s.dat", def->path);
    for (size_t k = 0; k < def->count; k++) {
        const fo_curve *c = &def->curves[k];
        fputs(k == 0 ? "plot " : ", \\\n     ", out);
        print_quoted(out, file);
        fprintf(out, " index %zu using 1:2 with %s ", k, styles[c->style]);
        if (c->name) {
            fputs("title ", out);
            print_quoted(out, c->name);
        } else
            fputs("notitle", out);
    }
    fputc('\n', out);
}

/// Writes <path><ending>: the data, or the script when it is given a format.
static fo_status write_file(const fo_gnuplot_def *def, const char *ending, const size_t *format,
                            fo_message *why)
{
    char file[PATH_SIZE], fresh[PATH_SIZE + 8];
    snprintf(file, sizeof file, "%s%s", def->path, ending);
    snprintf(fresh, sizeof fresh, "%s.new", file);
    FILE *out = fopen(fresh, "w");
    if (!out) return fo_fail(why, FO_ERROR_INPUT, "cannot write '%s': %s", file, strerror(errno));
    if (format)
        print_script(out, def, *format);
    else
        print_data(out, def);
    bool bad = ferror(out);
    if (fclose(out) == 0 && !bad && rename(fresh, file) == 0) return FO_OK;
    fo_fail(why, FO_ERROR_INPUT, "writing '%s' failed: %s", file, strerror(errno));
    unlink(fresh);
    return FO_ERROR_INPUT;
}

static fo_status run(const fo_gnuplot_def *def, bool *drawn, fo_message *why)
{
    extern char **environ;
    char script[PATH_SIZE], program[] = "gnuplot";
    snprintf(script, sizeof script, "%s.gp", def->path);
    char *arguments[] = {program, script, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory to start gnuplot");
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    pid_t child;
    int error = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
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
    if (points == 0) return fo_fail(why, FO_ERROR_ARGUMENT, "the plot has no points");
    if (strlen(def->path) + sizeof ".dat" > PATH_SIZE)
        return fo_fail(why, FO_ERROR_ARGUMENT, "the plot's path is too long");

    fo_status status = write_file(def, ".dat", NULL, why);
    if (!status) status = write_file(def, ".gp", &format, why);
    if (!status) status = run(def, &done, why);
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
