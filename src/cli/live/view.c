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

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
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
    if (style) fputs(style, out);
    for (int column = 0; *text; text++) {
        bool starts = ((unsigned char)*text & 0xc0) != 0x80;
        if (starts && ++column > width) break;
        fputc(*text, out);
    }
    if (style) fputs("\033[0m", out);
    fputs("\033[K\r\n", out);
}

static void state_line(const live_view *v, char *text, size_t size)
{
    fo_live_view now = fo_live_look(v->live);
    fo_live_figures f;
    fo_live_measure(v->live, &f);
    snprintf(text, size, "%s   t = %.3f s   speed %.3g%s%s   load %.2g %%   late %llu",
             v->picture.system.about->name, now.t, now.speed, now.paused ? "   PAUSED" : "",
             now.degraded ? "   degraded" : "", 100 * now.load, (unsigned long long)f.overruns);
}

static void key_line(const live_view *v, char *text, size_t size)
{
    fo_events events = v->picture.system.about->events;
    snprintf(text, size, "q quit  space pause  . step  b back  +- speed  arrows parameter");
    for (size_t i = 0; i < events.count && i < 9; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "  %zu %s", i + 1, events.list[i].name);
    }
    size_t used = strlen(text);
    if (events.count) snprintf(text + used, size - used, "  () strength");
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

static void draw_curves(live_view *v, FILE *out, int width, int height)
{
    char *text = NULL;
    size_t size = 0;
    FILE *plot = open_memstream(&text, &size);
    v->picture.table = history_table(v->history, v->window);
    if (plot && v->picture.table) picture_print_within(&v->picture, plot, width, height, v->colour);
    if (plot) fclose(plot);
    if (text) put_plot(out, text, height);
    free(text);
    fo_table_destroy(v->picture.table);
    v->picture.table = NULL;
}

void view_draw(live_view *v)
{
    int width, height;
    char line[LINE], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    find_size(&width, &height);
    fputs("\033[H", out);
    state_line(v, line, sizeof line);
    put_line(out, line, width, v->colour ? "\033[1m" : NULL);
    int room = height - TEXT_LINES - 1;
    if (width >= NARROWEST && room >= LOWEST) draw_curves(v, out, width, room);
    if (v->keys) put_line(out, keys_slider(v->keys, line, sizeof line), width, NULL);
    put_line(out, v->note, width, v->colour ? "\033[33m" : NULL);
    key_line(v, line, sizeof line);
    put_line(out, line, width, v->colour ? "\033[2m" : NULL);
    fputs("\033[J", out);
    fclose(out);
    if (text) put(text);
    fflush(stdout);
    free(text);
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
