// The screen:
//
//     pendulum   t = 12.345 s   speed 1   load 0.2 %   late 0      the state of the run
//       2 ┤⠑⢄                                                       curves, as fo_plot draws them
//         └┬────
//     m [kg] = 0.4 |----------o----------|                          the slider
//     an advance of 0.05 s, longer than 0.033 s                     what was said last
//     space pause  . step  b back  +- speed  t tap  q quit          the keys
//
// In a window that is too small for curves only the lines are shown, cut where it ends.
#include "cli/live/view.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "cli/listing.h"
#include "cli/terminal.h"

enum { TEXT_LINES = 4, NARROWEST = 26, LOWEST = 8, LINE = 512 };

static void put(const char *text)
{
    fputs(text, stdout);
}

void view_open(live_view *v)
{
    put("\033[?1049h\033[?25l\033[2J"); // another screen, no cursor
    fflush(stdout);
    v->open = true;
}

void view_close(live_view *v)
{
    if (!v->open) return;
    put("\033[?25h\033[?1049l");
    fflush(stdout);
    v->open = false;
}

// The terminal's size now: windows are resized.
static void find_size(int *width, int *height)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col) size.ws_col = 80;
    *width = size.ws_col - 1;
    *height = size.ws_row ? size.ws_row : 24;
}

// One line of the screen, cut to the width, its rest wiped. Names in it may be anybody's.
static void put_line(FILE *out, const char *from, int width, const char *style)
{
    char clean[1024], *text = clean;
    foi_text_printable(from, strcspn(from, "\n"), clean, sizeof clean);
    bool cut = text_width(text) > width, dots = cut && terminal_has_unicode();
    if (style) fputs(style, out);
    for (int column = 0; *text; text++) {
        bool starts = ((unsigned char)*text & 0xc0) != 0x80;
        if (starts && ++column > width - dots) break;
        fputc(*text, out);
    }
    if (dots) fputs("…", out); // half a number would look like another one
    if (style) fputs("\033[0m", out);
    fputs("\033[K\r\n", out);
}

// Parts of a line, the most important first; one that has no room is left out.
typedef struct fitting {
    char *text;
    size_t size;
    int width, used;
} fitting;

__attribute__((format(printf, 2, 3))) static void fit(fitting *f, const char *format, ...)
{
    char part[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    int wide = text_width(part), gap = f->used ? 2 : 0;
    size_t at = strlen(f->text);
    if (f->used + gap + wide > f->width || at + strlen(part) + 3 > f->size) return;
    snprintf(f->text + at, f->size - at, "%s%s", gap ? "  " : "", part);
    f->used += gap + wide;
}

static void state_line(const live_view *v, int width, char *text, size_t size)
{
    fo_live_view now = fo_live_look(v->live);
    fo_live_figures figures;
    fitting f = {text, size, width, 0};
    *text = 0;
    fo_live_measure(v->live, &figures);
    int name = width - 14; // the time is more important
    fit(&f, "%.*s", name > 24 ? 24 : name < 1 ? 1 : name, v->picture.system.about->name);
    fit(&f, "t = %.3f s", now.t);
    if (now.paused) fit(&f, "PAUSED");
    if (now.degraded) fit(&f, "degraded");
    fit(&f, "speed %.3g", now.speed);
    fit(&f, "late %llu", (unsigned long long)figures.overruns);
    fit(&f, "load %.2g %%", 100 * now.load);
}

// Events and what can be changed come before what every model has.
static void key_line(const live_view *v, int width, char *text, size_t size)
{
    fo_events events = v->picture.system.about->events;
    fitting f = {text, size, width, 0};
    *text = 0;
    if (v->ended) {
        fit(&f, "any key");
        return;
    }
    fit(&f, "q quit");
    for (size_t i = 0; i < events.count && i < 9; i++)
        fit(&f, "%zu %.20s", i + 1, events.list[i].name);
    if (v->keys && v->keys->count) fit(&f, "arrows %s", width < 60 ? "change" : "parameter");
    fit(&f, "space pause");
    fit(&f, "b back");
    fit(&f, ". step");
    fit(&f, "+- speed");
    if (events.count) fit(&f, "() strength");
}

// fo_plot's lines end with a newline only; on the screen the rest of each is wiped.
static void put_plot(FILE *out, const char *text, int lines)
{
    for (int i = 0; i < lines; i++) {
        size_t length = strcspn(text, "\n");
        fwrite(text, 1, length, out);
        fputs("\033[K\r\n", out);
        text += length + (text[length] == '\n');
    }
}

static char *print_curves(live_view *v, int width, int height)
{
    foi_text_stream plot;
    if (!foi_text_open(&plot, NULL)) return NULL;
    v->picture.table = history_table(v->history, v->window, fo_live_look(v->live).t);
    if (v->picture.table) picture_print_within(&v->picture, plot.out, width, height, v->colour);
    fo_table_destroy(v->picture.table);
    v->picture.table = NULL;
    return foi_text_take(&plot);
}

static char *print_surface(live_view *v, int width, int height)
{
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) return NULL;
    const surface_frame frame = {.width = width,
                                 .height = height,
                                 .ascii = v->picture.ascii || !terminal_has_unicode(),
                                 .colour = v->colour};
    if (scape_copy(v->scape, v->values))
        surface_print(&v->scape->surface, v->values, text.out, &frame);
    return foi_text_take(&text);
}

// Curves, and the model in space beside them where there is room for both.
static void draw_curves(live_view *v, FILE *out, int width, int height)
{
    enum { BESIDE = 72 };
    bool space = v->scape && v->values, beside = space && width >= BESIDE;
    int wide = !space ? 0 : beside ? width * 2 / 5 : width;
    char *right = space ? print_surface(v, wide, height) : NULL;
    char *left = !space || beside ? print_curves(v, width - (space ? wide + 2 : 0), height) : NULL;
    foi_text_stream both = {0};
    if (left && right && foi_text_open(&both, NULL))
        surface_beside(both.out, left, width - wide, right, height);
    const char *text = foi_text_close(&both) ? both.text : left ? left : right;
    if (text) put_plot(out, text, height);
    free(left);
    free(right);
    foi_text_free(&both);
}

void view_draw(live_view *v)
{
    int width, height;
    char line[LINE];
    foi_text_stream frame;
    if (!foi_text_open(&frame, NULL)) return;
    FILE *out = frame.out;
    find_size(&width, &height);
    fputs("\033[H", out);
    state_line(v, width, line, sizeof line);
    put_line(out, line, width, v->colour ? "\033[1m" : NULL);
    int room = height - TEXT_LINES - 1 - (v->displays != NULL);
    if (width >= NARROWEST && room >= LOWEST) draw_curves(v, out, width, room);
    if (v->displays) displays_text(v->displays, 6, line, sizeof line);
    if (v->displays) put_line(out, line, width, NULL);
    if (v->keys && !*keys_slider(v->keys, width, line, sizeof line) && !v->ended)
        snprintf(line, sizeof line, "%s", v->nothing);
    if (v->keys) put_line(out, line, width, NULL);
    put_line(out, v->note, width, v->colour ? "\033[33m" : NULL);
    key_line(v, width, line, sizeof line);
    put_line(out, line, width, v->colour ? "\033[2m" : NULL);
    fputs("\033[J", out);
    if (foi_text_close(&frame)) put(frame.text); // a part of a frame would tear the one before
    fflush(stdout);
    foi_text_free(&frame);
}

void view_line(live_view *v, FILE *out)
{
    double t = 0, values[HISTORY_SIGNALS] = {0};
    fo_live_view now = fo_live_look(v->live);
    fo_live_figures f;
    fo_live_measure(v->live, &f);
    if (!history_last(v->history, &t, values)) return;
    fprintf(out, "t = %.3f", now.t);
    for (size_t i = 0; i < v->history->count; i++) {
        char name[64], clean[64];
        fo_system_name(v->picture.system, v->history->signals[i], name, sizeof name);
        foi_text_printable(name, strlen(name), clean, sizeof clean);
        fprintf(out, "  %s = %.6g", clean, values[i]);
    }
    fprintf(out, "  load %.2g %%  late %llu%s\n", 100 * now.load, (unsigned long long)f.overruns,
            now.paused ? "  paused" : "");
    fflush(out);
}
