// foliot watch: looks at a simulation that runs in another process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/surface.h"
#include "cli/terminal.h"

#include "base/text.h"
#include "base/text_stream.h"

#include <foliot/foliot.h>

typedef struct watch_options {
    maybe_number interval;
    const char *model;
    bool once, all, numbers, json;
} watch_options;

#define AT(member) offsetof(watch_options, member)
static const option watch_table[] = {
    {"interval", 0, "D", OPTION_POSITIVE, AT(interval), "refresh every D seconds; default: 0.1"},
    {"once", 0, NULL, OPTION_FLAG, AT(once), "show the present state once, and end"},
    {"model", 0, "MODEL", OPTION_TEXT, AT(model),
     "the model that is running there, so that a field or structure is drawn; default: the model "
     "of the gallery that has its name"},
    {"numbers", 0, NULL, OPTION_FLAG, AT(numbers), "values instead of the drawing"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print one JSON object per line at each refresh"},
    {"all", 0, NULL, OPTION_FLAG, AT(all), "show all values; default: as many as fit"},
    {0},
};

enum { LINES = 20, COLUMN = 26 };
static const double PATIENCE = 5; // with --once, for a first state [s]

/// A name of somebody else's memory.
static const char *printable(const char *from, char *text, size_t size)
{
    foi_text_printable(from, strlen(from), text, size);
    return text;
}

// Energies and other outputs are the last values, so they are shown first.
static void print_values(FILE *out, const fo_look *look, const double *values, size_t most)
{
    size_t count = fo_look_count(look), shown = count < most ? count : most;
    char name[COLUMN];
    int columns = terminal_width(stdout) / (COLUMN + 14);
    if (columns < 1) columns = 1;
    for (size_t i = 0; i < shown; i++) {
        size_t k = count - 1 - i;
        bool last = i + 1 == shown || (i + 1) % (size_t)columns == 0;
        fprintf(out, "  %-*s %12.6g%s", COLUMN - 2,
                printable(fo_look_name(look, k), name, COLUMN - 1), values[k], last ? "\n" : "");
    }
    if (shown < count) fprintf(out, "  and %zu more\n", count - shown);
}

static void print_state(FILE *out, fo_look *look, uint64_t shown, double t, const double *values,
                        size_t most)
{
    bool alive = fo_look_alive(look);
    char name[256];
    fprintf(out, "%s, t = %.6g s, state %llu%s\n",
            printable(fo_look_model(look), name, sizeof name), t, (unsigned long long)shown,
            alive ? "" : "; the simulation has ended, this is its last state");
    print_values(out, look, values, most);
}

// ----------------------------------------------------------------------------------------- drawing

/// What is drawn, and the model that says how; both empty: numbers are shown.
typedef struct scene {
    fo_model *model;
    surface surface;
    double *values;
    bool drawn;
} scene;

// Names out of the other process's memory open nothing but documents of the gallery.
static bool may_open(const fo_model_def *def, const watch_options *o)
{
    const char *kind = fo_model_find(def, NULL, 0);
    bool drawable = kind && (strcmp(kind, "field") == 0 || strcmp(kind, "structure") == 0);
    return drawable && (o->model || !strpbrk(def->name, "./"));
}

static bool fits(const fo_model *m, const fo_look *look)
{
    fo_shape shape = fo_system_shape(fo_model_system(m));
    return (size_t)shape.states + shape.discretes + shape.outputs == fo_look_count(look);
}

static void open_scene(const command *self, const fo_look *look, const watch_options *o, scene *s)
{
    fo_model_def def = model_def(o->model ? o->model : fo_look_model(look));
    if (o->numbers || o->all || o->json || !may_open(&def, o)) return;
    bool fine = fo_model_open(&def, &s->model) == FO_OK && fits(s->model, look) &&
                surface_make(&s->surface, s->model);
    s->values = fine ? calloc(s->surface.count + 1, sizeof *s->values) : NULL;
    s->drawn = s->values;
    if (!fine && o->model)
        complain(self, "note: what runs there is not %s, or another size of it: its numbers follow",
                 o->model);
}

static void close_scene(scene *s)
{
    surface_free(&s->surface);
    fo_model_close(s->model);
    free(s->values);
}

static void draw(FILE *out, fo_look *look, scene *s, double t, const double *values)
{
    char title[384], name[256];
    bool screen = terminal_is(stdout);
    int height = screen ? terminal_height(stdout) - 2 : 24, width = terminal_width(stdout) - 1;
    for (size_t i = 0; i < s->surface.count; i++)
        s->values[i] = values[s->surface.signals[i].index];
    snprintf(title, sizeof title, "%s, t = %.6g s%s",
             printable(fo_look_model(look), name, sizeof name), t,
             fo_look_alive(look) ? "" : "; the simulation has ended, this is its last state");
    const surface_frame frame = {.width = width > 100 ? 100 : width,
                                 .height = height,
                                 .title = title,
                                 .ascii = !terminal_has_unicode(),
                                 .colour = terminal_has_colour(stdout),
                                 .graphics = surface_graphics(stdout)};
    surface_print(&s->surface, s->values, out, &frame);
}

static void print_json(fo_look *look, uint64_t shown, double t, const double *values)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "model", fo_look_model(look));
    json_number(&j, "t", t);
    json_whole(&j, "state", shown);
    json_truth(&j, "alive", fo_look_alive(look));
    json_open(&j, "values", '{');
    for (size_t i = 0; i < fo_look_count(look); i++)
        json_number(&j, fo_look_name(look, i), values[i]);
    json_close(&j);
    json_close(&j);
    fflush(stdout);
}

static void wait_for(double seconds)
{
    if (seconds > 1e6) seconds = 1e6;
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

// What stood there before is wiped behind every line: a digit that stays would be part of a number.
static void put_frame(const char *text, bool wipe)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fwrite(text, 1, length, stdout);
        if (wipe) fputs("\033[K", stdout);
        if (text[length]) fputc('\n', stdout);
        text += length + (text[length] != 0);
    }
}

static void show(fo_look *look, scene *s, const watch_options *o, uint64_t shown, double t,
                 const double *values)
{
    foi_text_stream text;
    if (o->json) {
        print_json(look, shown, t, values);
        return;
    }
    if (!foi_text_open(&text, NULL)) return;
    if (s->drawn)
        draw(text.out, look, s, t, values);
    else
        print_state(text.out, look, shown, t, values, o->all ? SIZE_MAX : LINES);
    bool image = s->drawn && surface_graphics(stdout) != FO_GRAPHICS_TEXT;
    if (foi_text_close(&text)) put_frame(text.text, terminal_is(stdout) && !o->once && !image);
    foi_text_free(&text);
    fflush(stdout);
}

// Until the other side ends or somebody has seen enough.
static int look_on(const command *self, fo_look *look, const watch_options *o, scene *s)
{
    double t = 0, *values = malloc((fo_look_count(look) + 1) * sizeof *values);
    double interval = o->interval.given ? o->interval.value : 0.1;
    uint64_t last = 0;
    if (!values) {
        complain(self, "no memory for %zu values", fo_look_count(look));
        return EXIT_FAILED;
    }
    double limit = clock_seconds() + PATIENCE;
    interrupt_watch();
    for (bool go = true; go && !interrupt_signal();) {
        bool alive = fo_look_alive(look);
        uint64_t shown = fo_look_read(look, &t, values);
        if (fo_look_message(look)->status) {
            complain(self, "%s", fo_look_message(look)->text);
            free(values);
            return EXIT_FAILED;
        }
        if (shown && shown != last) {
            if (terminal_is(stdout) && !o->json && (last || s->drawn) && !o->once)
                printf(last ? "\033[H" : "\033[H\033[J");
            show(look, s, o, shown, t, values);
            if (terminal_is(stdout) && !o->json) printf("\033[J");
            last = shown;
        }
        go = alive && !(o->once && (shown || clock_seconds() > limit));
        if (go) wait_for(o->once && interval > 0.1 ? 0.1 : interval);
    }
    free(values);
    interrupt_obeyed();
    if (interrupt_signal()) return EXIT_SIGNALLED + interrupt_signal();
    if (!last) complain(self, "nothing was shown");
    return last ? EXIT_FINE : EXIT_FAILED;
}

static int run_watch(const command *self, int argc, char **argv)
{
    watch_options o = {0};
    operands rest;
    fo_message why = {0};
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count != 1)
        return complain_usage(self, "needs one NAME, as in 'foliot run --share NAME'");
    fo_look *look = fo_look_open(rest.list[0], NULL, &why);
    if (!look) {
        complain(self, "%s", why.text);
        return EXIT_FAILED;
    }
    scene s = {0};
    open_scene(self, look, &o, &s);
    int result = look_on(self, look, &o, &s);
    close_scene(&s);
    fo_look_close(look);
    return result;
}

const command command_watch = {
    "watch",     "NAME", "Observe a simulation that runs in another process.",
    watch_table, NULL,   run_watch};
