#include "cli/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/own_nodes.h"

const option option_help = {"help", 'h', NULL, OPTION_FLAG, 0, "print this help"};

/// One option as it was written.
typedef struct written {
    const command *command;
    const option *option;
    const char *value; ///< NULL: none
    void *target;
} written;

// ------------------------------------------------------------------------------------- numbers

// A decimal number and nothing else: no spaces, no hexadecimal, no inf or nan.
static bool parse_number(const char *text, double *value)
{
    if (!*text || text[strspn(text, "0123456789+-.eE")]) return false;
    char *end;
    *value = strtod(text, &end);
    return !*end && isfinite(*value);
}

static bool parse_count(const char *text, uint64_t *value)
{
    uint64_t result = 0;
    if (!*text) return false;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text)) return false;
        if (__builtin_mul_overflow(result, 10, &result)) return false;
        if (__builtin_add_overflow(result, (uint64_t)(*text - '0'), &result)) return false;
    }
    *value = result;
    return true;
}

static bool wrong_number(const written *w, const char *expected)
{
    complain_usage(w->command, "--%s needs %s, not '%s'", w->option->name, expected, w->value);
    return false;
}

static bool take_number(const written *w, bool zero_too)
{
    maybe_number *number = w->target;
    double value;
    if (!parse_number(w->value, &value)) return wrong_number(w, "a number");
    if (value < 0 || (value == 0 && !zero_too))
        return wrong_number(w, zero_too ? "a number that is not negative" : "a positive number");
    *number = (maybe_number){true, value};
    return true;
}

static bool take_any(const written *w)
{
    maybe_number *number = w->target;
    number->given = parse_number(w->value, &number->value);
    return number->given || wrong_number(w, "a number");
}

static bool take_count(const written *w)
{
    maybe_count *count = w->target;
    uint64_t value;
    const option *o = w->option;
    if (!parse_count(w->value, &value)) return wrong_number(w, "a whole number");
    if (value < o->least || (o->most && value > o->most)) {
        char range[96];
        snprintf(range, sizeof range, "a whole number from %" PRIu64 " to %" PRIu64, o->least,
                 o->most);
        return wrong_number(w, range);
    }
    *count = (maybe_count){true, value};
    return true;
}

// ------------------------------------------------------------------------------------ settings

static bool take_setting(const written *w)
{
    settings *s = w->target;
    const char *equals = strchr(w->value, '=');
    double value;
    if (!equals || equals == w->value) return wrong_number(w, "name=value");
    bool truth = strcmp(equals + 1, "true") == 0;
    if (truth || strcmp(equals + 1, "false") == 0) {
        value = truth;
    } else if (!parse_number(equals + 1, &value)) {
        complain_usage(w->command, "--%s %.*s needs a number, not '%s'", w->option->name,
                       (int)(equals - w->value), w->value, equals + 1);
        return false;
    }
    setting *list = realloc(s->list, (s->count + 1) * sizeof *list);
    if (list) s->list = list;
    char *name = list ? strndup(w->value, (size_t)(equals - w->value)) : NULL;
    if (!name) {
        complain(w->command, "out of memory");
        return false;
    }
    s->list[s->count++] = (setting){name, value};
    return true;
}

void settings_free(settings *s)
{
    for (size_t i = 0; i < s->count; i++) free(s->list[i].name);
    free(s->list);
    *s = (settings){0};
}

static bool take_text(const written *w)
{
    texts *t = w->target;
    const char **list = realloc(t->list, (t->count + 1) * sizeof *list);
    if (!list) {
        complain(w->command, "out of memory");
        return false;
    }
    t->list = list;
    t->list[t->count++] = w->value;
    return true;
}

void texts_free(texts *t)
{
    free(t->list);
    *t = (texts){0};
}

// ------------------------------------------------------------------------------------- parsing

static bool take(const written *w)
{
    switch (w->option->kind) {
    case OPTION_FLAG: *(bool *)w->target = true; return true;
    case OPTION_TEXT: *(const char **)w->target = w->value; return true;
    case OPTION_MAYBE_TEXT: *(maybe_text *)w->target = (maybe_text){true, w->value}; return true;
    case OPTION_POSITIVE: return take_number(w, false);
    case OPTION_NOT_NEGATIVE: return take_number(w, true);
    case OPTION_NUMBER: return take_any(w);
    case OPTION_COUNT: return take_count(w);
    case OPTION_SETTING: return take_setting(w);
    case OPTION_TEXTS: return take_text(w);
    case OPTION_NODES: return own_nodes_add(w->command, w->value);
    }
    return false;
}

static bool needs_value(const option *o)
{
    return o->kind != OPTION_FLAG && o->kind != OPTION_MAYBE_TEXT;
}

static const option *find_long(const command *c, const char *name, size_t length)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    foi_nearest nearest = foi_nearest_to(wanted);
    if (strcmp(wanted, option_help.name) == 0) return &option_help;
    for (const option *o = c->options; o->name; o++) {
        if (strcmp(wanted, o->name) == 0) return o;
        foi_nearest_try(&nearest, o->name);
    }
    const char *hint = foi_nearest_hint(&nearest);
    if (*hint)
        complain_usage(c, "unknown option '--%s'; did you mean '--%s'?", wanted, nearest.best);
    if (!*hint) complain_usage(c, "unknown option '--%s'", wanted);
    return NULL;
}

static const option *find_letter(const command *c, char letter)
{
    if (letter == option_help.letter) return &option_help;
    for (const option *o = c->options; o->name; o++)
        if (o->letter == letter) return o;
    complain_usage(c, "unknown option '-%c'", letter);
    return NULL;
}

/// The arguments and how far they are read.
typedef struct reader {
    const command *command;
    int argc;
    char **argv;
    int next;
    void *values;
} reader;

// Takes the option with `value`, or with the next argument when it needs one and has none.
static parse_result take_option(reader *r, const option *o, const char *value)
{
    if (o == &option_help) {
        command_print_help(r->command, stdout);
        return PARSE_HELP;
    }
    if (o->kind == OPTION_FLAG && value) {
        complain_usage(r->command, "--%s takes no value, found '%s'", o->name, value);
        return PARSE_WRONG;
    }
    if (needs_value(o) && !value) {
        if (r->next == r->argc) {
            complain_usage(r->command, "--%s needs a value: --%s %s", o->name, o->name, o->value);
            return PARSE_WRONG;
        }
        value = r->argv[r->next++];
    }
    written w = {r->command, o, value, (char *)r->values + o->offset};
    return take(&w) ? PARSE_FINE : PARSE_WRONG;
}

static parse_result take_long(reader *r, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const option *o = find_long(r->command, text, length);
    return o ? take_option(r, o, equals ? equals + 1 : NULL) : PARSE_WRONG;
}

// "-q", "-oFILE", "-o FILE", "-qo FILE"
static parse_result take_letters(reader *r, const char *text)
{
    parse_result result = PARSE_FINE;
    while (*text && result == PARSE_FINE) {
        const option *o = find_letter(r->command, *text++);
        if (!o) return PARSE_WRONG;
        bool rest = needs_value(o) && *text;
        result = take_option(r, o, rest ? text : NULL);
        if (rest) break;
    }
    return result;
}

parse_result options_parse(const command *c, int argc, char **argv, void *values, operands *rest)
{
    reader r = {.command = c, .argc = argc, .argv = argv, .values = values};
    parse_result result = PARSE_FINE;
    bool ended = false;
    *rest = (operands){argv, 0}; // never more than what is read already
    while (r.next < argc && result == PARSE_FINE) {
        char *text = argv[r.next++];
        if (ended || text[0] != '-' || !text[1])
            rest->list[rest->count++] = text;
        else if (strcmp(text, "--") == 0)
            ended = true;
        else
            result = text[1] == '-' ? take_long(&r, text + 2) : take_letters(&r, text + 1);
    }
    return result;
}

const option *options_awaiting(const command *c, const char *text)
{
    bool word = text[0] == '-' && text[1] == '-';
    if (text[0] != '-') return NULL;
    for (const option *o = c->options; o->name; o++) {
        if (!needs_value(o)) continue;
        if (word && strcmp(text + 2, o->name) == 0) return o;
        const char *letter = !word && o->letter ? strchr(text + 1, o->letter) : NULL;
        if (letter && !letter[1]) return o;
    }
    return NULL;
}

const char *options_operand(const command *c, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) return i + 1 < argc ? argv[i + 1] : NULL;
        if (argv[i][0] != '-' || !argv[i][1]) return argv[i];
        if (options_awaiting(c, argv[i])) i++;
    }
    return NULL;
}
