#include "cli/run/events_in.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { LINE = 1024, FIELDS = 3 };

/// The file, and where in it we are.
typedef struct reading {
    const command *command;
    const char *path;
    unsigned long line;
    fo_simulation *sim;
    const fo_run_def *def;
    unsigned long late; ///< beyond the stop
    bool begun;         ///< a line was neither empty nor a comment
} reading;

static int wrong(const reading *r, const char *what, const char *found)
{
    complain(r->command, "%s:%lu: expected %s, found '%s'", r->path, r->line, what, found);
    return EXIT_USAGE;
}

static char *trimmed(char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1])) text[--n] = 0;
    return text;
}

// A field may stand in quotes, so that a name may have a comma: "x[1,2]". Returns what follows it,
// NULL at the end of the line.
static char *take_field(char *at, char **field)
{
    while (*at == ' ' || *at == '\t') at++;
    if (*at != '"') {
        char *end = strchr(at, ',');
        if (end) *end++ = 0;
        *field = trimmed(at);
        return end;
    }
    char *end = strchr(at + 1, '"');
    *field = at + 1;
    if (!end) return NULL;
    *end++ = 0;
    end = strchr(end, ',');
    return end ? end + 1 : NULL;
}

static size_t split(char *line, char **fields)
{
    size_t count = 0;
    for (char *at = line; at && count < FIELDS + 1; count++) {
        char *field;
        at = take_field(at, &field);
        if (count < FIELDS) fields[count] = field;
    }
    return count;
}

static bool number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static bool is_header(char *const *fields, size_t count)
{
    return count >= 2 && strcmp(fields[0], "time") == 0 && strcmp(fields[1], "name") == 0;
}

static bool is_event(const reading *r, const char *name)
{
    fo_events events = fo_simulation_system(r->sim).about->events;
    for (size_t i = 0; i < events.count; i++)
        if (strcmp(events.list[i].name, name) == 0) return true;
    return false;
}

static int send(reading *r, double t, const char *name, double value, bool given)
{
    char full[LINE];
    bool event = is_event(r, name);
    fo_message why = {0};
    fo_status found =
        fo_system_complete(fo_simulation_system(r->sim), name, full, sizeof full, &why);
    bool variable = !event && !fo_failed(found);
    if (!event && strncmp(why.text, "there are several", 17) == 0) {
        complain(r->command, "%s:%lu: %s", r->path, r->line, why.text);
        return EXIT_USAGE;
    }
    if (variable && !given) return wrong(r, "a value for what is set: time,name,value", name);
    fo_status status = variable ? fo_simulation_send_set(r->sim, t, full, value)
                                : fo_simulation_send(r->sim, t, name, value);
    if (!fo_failed(status)) return EXIT_FINE;
    complain(r->command, "%s:%lu: %s", r->path, r->line, fo_simulation_message(r->sim)->text);
    return EXIT_USAGE;
}

static int take_line(reading *r, char *line)
{
    char *fields[FIELDS] = {0}, *text = trimmed(line);
    double t, value = 0;
    if (!*text || *text == '#') return EXIT_FINE;
    size_t count = split(text, fields);
    bool first = !r->begun;
    r->begun = true;
    if (first && is_header(fields, count)) return EXIT_FINE;
    if (count < 2 || count > FIELDS) return wrong(r, "time,name,value", text);
    if (!number(fields[0], &t)) return wrong(r, "a time [s]", fields[0]);
    if (!*fields[1]) return wrong(r, "the name of an event or of what is set", fields[1]);
    bool given = count == 3 && *fields[2];
    if (given && !number(fields[2], &value)) return wrong(r, "a number as value", fields[2]);
    if (t < r->def->start) {
        complain(r->command, "%s:%lu: t = %g lies before the start at %g", r->path, r->line, t,
                 r->def->start);
        return EXIT_USAGE;
    }
    if (t < fo_simulation_time(r->sim)) return EXIT_FINE; // it was before the checkpoint
    r->late += t > r->def->stop;
    return t > r->def->stop ? EXIT_FINE : send(r, t, fields[1], value, given);
}

static int take_all(reading *r, FILE *file)
{
    char line[LINE];
    int result = EXIT_FINE;
    while (result == EXIT_FINE && fgets(line, sizeof line, file)) {
        r->line++;
        if (strlen(line) == sizeof line - 1 && line[sizeof line - 2] != '\n') {
            complain(r->command, "%s:%lu: the line is longer than %d characters", r->path, r->line,
                     LINE - 2);
            return EXIT_USAGE;
        }
        result = take_line(r, line);
    }
    if (result != EXIT_FINE || !ferror(file)) return result;
    complain(r->command, "%s: %s", r->path, strerror(errno));
    return EXIT_FAILED;
}

// A byte 0 would hide what stands behind it in its line.
static int refuse_zeros(reading *r, const char *bytes, size_t count)
{
    const char *zero = count ? memchr(bytes, 0, count) : NULL;
    if (!zero) return EXIT_FINE;
    r->line = 1;
    for (const char *at = bytes; at < zero; at++) r->line += *at == '\n';
    return wrong(r, "text", "a byte 0");
}

int events_in_send(const command *c, const char *path, fo_simulation *sim, const fo_run_def *def)
{
    reading r = {.command = c, .path = path, .sim = sim, .def = def};
    enum { PATIENCE = 10 }; // seconds; a pipe may be read, too
    const size_t most = (size_t)1 << 30;
    fo_message why = {0};
    size_t count;
    char *bytes = foi_file_gather(path, PATIENCE, most, &count, &why);
    FILE *file = bytes && count ? fmemopen(bytes, count, "r") : NULL;
    if (!file && (!bytes || count)) {
        complain(c, "%s", bytes ? "out of memory" : why.text);
        free(bytes);
        return EXIT_USAGE;
    }
    int result = refuse_zeros(&r, bytes, count);
    if (file && result == EXIT_FINE) result = take_all(&r, file);
    if (file) fclose(file);
    free(bytes);
    if (result == EXIT_FINE && r.late)
        complain(c, "note: %lu of the events in %s come after the stop at %g s", r.late, path,
                 def->stop);
    return result;
}
