// foliot watch: looks at a simulation that runs in another process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"

#include "base/text.h"

#include <foliot/foliot.h>

typedef struct watch_options {
    maybe_number interval;
    bool once, all;
} watch_options;

#define AT(member) offsetof(watch_options, member)
static const option watch_table[] = {
    {"interval", 0, "D", OPTION_POSITIVE, AT(interval), "look every D seconds; default: 0.1"},
    {"once", 0, NULL, OPTION_FLAG, AT(once), "look once, and end"},
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
static void print_values(const fo_look *look, const double *values, size_t most)
{
    size_t count = fo_look_count(look), shown = count < most ? count : most;
    char name[COLUMN];
    int columns = terminal_width(stdout) / (COLUMN + 14);
    if (columns < 1) columns = 1;
    for (size_t i = 0; i < shown; i++) {
        size_t k = count - 1 - i;
        bool last = i + 1 == shown || (i + 1) % (size_t)columns == 0;
        printf("  %-*s %12.6g%s", COLUMN - 2, printable(fo_look_name(look, k), name, COLUMN - 1),
               values[k], last ? "\n" : "");
    }
    if (shown < count) printf("  and %zu more\n", count - shown);
}

static void print_state(fo_look *look, uint64_t shown, double t, const double *values, size_t most)
{
    bool alive = fo_look_alive(look);
    char name[256];
    printf("%s, t = %.6g s, state %llu%s\n", printable(fo_look_model(look), name, sizeof name), t,
           (unsigned long long)shown,
           alive ? "" : "; the simulation has ended, this is its last state");
    print_values(look, values, most);
    fflush(stdout);
}

static void wait_for(double seconds)
{
    if (seconds > 1e6) seconds = 1e6;
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

// Until the other side ends or somebody has seen enough.
static int look_on(const command *self, fo_look *look, const watch_options *o)
{
    double t = 0, *values = malloc((fo_look_count(look) + 1) * sizeof *values);
    double interval = o->interval.given ? o->interval.value : 0.1;
    size_t most = o->all ? SIZE_MAX : LINES;
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
            if (last && terminal_is(stdout)) printf("\033[H\033[J");
            print_state(look, shown, t, values, most);
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
    int result = look_on(self, look, &o);
    fo_look_close(look);
    return result;
}

const command command_watch = {
    "watch",     "NAME", "Look at a simulation that runs in another process.",
    watch_table, NULL,   run_watch};
