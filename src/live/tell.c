// Requests in words: what comes from a key, from standard input or from a socket. A line may hold
// anything; it is answered with one line.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "live/internal.h"

enum { LINE = 512, WORDS = 12, FEW = 5 }; ///< FEW: where there is no name of several

typedef struct words {
    char text[LINE];
    char *list[WORDS];
    int count;
} words;

static bool split(const char *line, words *w, fo_message *why)
{
    size_t length = strcspn(line, "\r\n");
    w->count = 0;
    if (length >= LINE) {
        fo_fail(why, FO_ERROR_FORMAT, "a line may have at most %d letters", LINE - 1);
        return false;
    }
    memcpy(w->text, line, length);
    w->text[length] = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char letter = (unsigned char)w->text[i];
        if (letter >= ' ' || letter == '\t') continue;
        fo_fail(why, FO_ERROR_FORMAT, "byte %zu of the line is no letter", i + 1);
        return false;
    }
    char *rest = w->text;
    for (char *word; (word = strsep(&rest, " \t"));) {
        if (!*word) continue;
        if (w->count == WORDS) {
            fo_fail(why, FO_ERROR_FORMAT, "too many words; 'help' lists what can be said");
            return false;
        }
        w->list[w->count++] = word;
    }
    return true;
}

static bool number(const char *text, double *value)
{
    char *end;
    if (!isdigit((unsigned char)text[0]) && !strchr("+-.", text[0])) return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

// A word of the list, or one too many: the commands that take at most one number.
static const struct command {
    const char *word;
    fo_live_verb verb;
    double value;   ///< without a number
    bool may, must; ///< have one
} commands[] = {
    {"pause", FO_LIVE_PAUSE, 1, false, false},     {"go", FO_LIVE_PAUSE, 0, false, false},
    {"space", FO_LIVE_PAUSE, -1, false, false},    {"speed", FO_LIVE_SPEED, 1, true, true},
    {"step", FO_LIVE_STEP, 0, true, false},        {"back", FO_LIVE_BACK, 1, true, false},
    {"quit", FO_LIVE_QUIT, 0, false, false},       {"rtol", FO_LIVE_ACCURACY, 0, true, true},
    {"atol", FO_LIVE_ACCURACY, 0, true, true},     {"min-step", FO_LIVE_ACCURACY, 0, true, true},
    {"max-step", FO_LIVE_ACCURACY, 0, true, true},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char help[] =
    "EVENT VALUE | TIME EVENT VALUE | set NAME VALUE | TIME set NAME VALUE | pause | go | space | "
    "speed X | step [S] | back [S] | rtol X | atol X | min-step S | max-step S | stats | quit";

static fo_status parse_command(const words *w, const struct command *c, fo_live_request *r,
                               fo_message *why)
{
    r->verb = c->verb, r->value = c->value;
    if (r->verb == FO_LIVE_ACCURACY) r->name = c->word;
    if (w->count == 1 && !c->must) return FO_OK;
    if (w->count == 2 && c->may && number(w->list[1], &r->value)) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "'%s' takes %s", c->word,
                   !c->may   ? "nothing more"
                   : c->must ? "a number"
                             : "a number or nothing");
}

// A name may have spaces, as those of nodes in diagrams do: all words but the last are its.
static fo_status parse_set(const words *w, int at, fo_live_request *r, fo_message *why)
{
    r->verb = FO_LIVE_SET;
    if (w->count < at + 3 || !number(w->list[w->count - 1], &r->value))
        return fo_fail(why, FO_ERROR_FORMAT, "'set' takes a name and a number");
    char *name = w->list[at + 1];
    for (int i = at + 2; i < w->count - 1; i++) {
        size_t used = strlen(name);
        name[used] = ' ';
        memmove(name + used + 1, w->list[i], strlen(w->list[i]) + 1);
    }
    r->name = name;
    return FO_OK;
}

// An unknown word may be meant as a command or as an event.
static fo_status unknown(const fo_live *live, const char *word, fo_message *why)
{
    foi_nearest nearest = foi_nearest_to(word);
    fo_events events = live->def.system.about->events;
    foi_nearest_try(&nearest, "set");
    foi_nearest_try(&nearest, "stats");
    for (int i = 0; i < COMMANDS; i++) foi_nearest_try(&nearest, commands[i].word);
    for (size_t i = 0; i < events.count; i++) foi_nearest_try(&nearest, events.list[i].name);
    return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is no command and no event of '%s'%s", word,
                   live->def.system.about->name, foi_nearest_hint(&nearest));
}

static fo_status parse_event(const fo_live *live, const words *w, int at, fo_live_request *r,
                             fo_message *why)
{
    fo_events events = live->def.system.about->events;
    bool known = false;
    r->verb = FO_LIVE_EVENT;
    r->name = w->list[at];
    r->value = 1;
    for (size_t i = 0; i < events.count; i++) known |= strcmp(events.list[i].name, r->name) == 0;
    if (!known) return unknown(live, r->name, why);
    if (w->count == at + 1) return FO_OK;
    if (w->count == at + 2 && number(w->list[at + 1], &r->value)) return FO_OK;
    return fo_fail(why, FO_ERROR_FORMAT, "event '%s' takes a number", r->name);
}

static fo_status parse(const fo_live *live, const words *w, fo_live_request *r, fo_message *why)
{
    int at = 0;
    if (w->count > 1 && number(w->list[0], &r->t)) r->timed = true, at = 1;
    if (strcmp(w->list[at], "set") == 0) return parse_set(w, at, r, why);
    if (w->count > FEW)
        return fo_fail(why, FO_ERROR_FORMAT, "too many words; 'help' lists what can be said");
    // for an event that is called as a command is
    if (strcmp(w->list[at], "event") == 0 && w->count > at + 1)
        return parse_event(live, w, at + 1, r, why);
    for (int i = 0; i < COMMANDS && !r->timed; i++)
        if (strcmp(w->list[0], commands[i].word) == 0)
            return parse_command(w, &commands[i], r, why);
    return parse_event(live, w, at, r, why);
}

static fo_status answer_stats(fo_live *live, char *answer)
{
    fo_live_figures figures;
    fo_live_measure(live, &figures);
    FILE *out = fmemopen(answer, FO_LIVE_ANSWER, "w");
    if (!out) {
        snprintf(answer, FO_LIVE_ANSWER, "error no memory for the figures");
        return FO_ERROR_MEMORY;
    }
    fputs("ok ", out);
    fo_live_figures_json(&figures, out);
    fclose(out);
    answer[FO_LIVE_ANSWER - 1] = 0;
    answer[strcspn(answer, "\n")] = 0;
    return FO_OK;
}

static void count_refused(fo_live *live)
{
    pthread_mutex_lock(&live->lock);
    live->figures.refused++;
    pthread_mutex_unlock(&live->lock);
}

fo_status fo_live_tell(fo_live *live, const char *line, uint32_t source, char *answer)
{
    words w;
    fo_message why = {FO_OK, ""};
    fo_live_request request = {.source = source};
    double t = 0;
    answer[0] = 0;
    fo_status status = split(line, &w, &why) ? FO_OK : why.status;
    if (status == FO_OK && !w.count) return FO_OK; // an empty line is no question
    if (status == FO_OK && w.count == 1 && strcmp(w.list[0], "stats") == 0)
        return answer_stats(live, answer);
    if (status == FO_OK && w.count == 1 && strcmp(w.list[0], "help") == 0) {
        snprintf(answer, FO_LIVE_ANSWER, "ok %s", help);
        return FO_OK;
    }
    if (status == FO_OK) status = parse(live, &w, &request, &why);
    if (status == FO_OK)
        status = fo_live_ask(live, &request, &t, &why);
    else
        count_refused(live);
    if (status == FO_OK)
        snprintf(answer, FO_LIVE_ANSWER, "ok %.9g", t);
    else
        snprintf(answer, FO_LIVE_ANSWER, "error %s", why.text);
    return status;
}
