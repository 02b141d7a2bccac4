// foliot compare: how far two files of results are apart.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/run/limit.h"
#include "cli/run/signals.h"
#include "cli/terminal.h"

typedef struct compare_options {
    maybe_number tolerance, absolute;
    const char *signals;
    bool all, json, quiet;
    const char *memory;
} compare_options;

#define AT(member) offsetof(compare_options, member)
static const option compare_table[] = {
    {"tolerance", 0, "R", OPTION_NOT_NEGATIVE, AT(tolerance),
     "difference allowed, relative to a signal's largest value; jumps may lie apart by that part "
     "of the time; default: 0.001"},
    {"absolute", 0, "A", OPTION_NOT_NEGATIVE, AT(absolute),
     "absolute difference allowed in addition; default: 0"},
    {"signals", 0, "A,B,C", OPTION_TEXT, AT(signals),
     "compare these, also by pattern: 'pin*.v'; default: all of the first file"},
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory),
     "end with an error where more memory is wanted, as 500M or 2G; default: half of what is free"},
    {"all", 0, NULL, OPTION_FLAG, AT(all), "list all signals; default: the 12 worst"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print the result as JSON"},
    {"quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only mistakes"},
    {0}};
static const char compare_more[] =
    "FILEs are *.csv, *.json or *.mat, of this program or of others. Jumps that come a little\n"
    "earlier or later are aligned with each other; how far they were apart is a column of its "
    "own.\n"
    "\n"
    "Examples:\n"
    "  foliot compare before.csv after.csv\n"
    "  foliot compare reference.mat result.csv --tolerance 1e-4 --signals 'body*.v'\n"
    "\n"
    "Exit status: 0 no signal is farther apart than allowed, 1 one is, or is missing in the "
    "second\n"
    "file, or one file ends earlier, 2 a mistake in the command line or a file cannot be read.\n";

enum { SHOWN = 12 };

/// A signal of the first file.
typedef struct pair {
    const char *name, *unit;
    bool missing; ///< in the second file
    fo_difference d;
} pair;

typedef struct comparing {
    const command *command;
    compare_options options;
    const char *paths[2];
    fo_columns *files[2];
    fo_compare_def def;
    pair *pairs;
    size_t count, others; ///< signals that only the second file has
    size_t apart, missing;
    bool shorter; ///< one file ends before the other, or begins after it
} comparing;

// --------------------------------------------------------------------------------------- comparing

static bool is_wanted(const comparing *c, const char *name)
{
    const char *list = c->options.signals;
    if (!list) return true;
    for (size_t length; *list; list += length + (list[length] != 0)) {
        char one[256];
        int depth = 0;
        for (length = 0; list[length] && (list[length] != ',' || depth > 0); length++)
            depth += (list[length] == '(' || list[length] == '[') -
                     (list[length] == ')' || list[length] == ']');
        snprintf(one, sizeof one, "%.*s", (int)length, list);
        if (signals_match(one, name)) return true;
    }
    return false;
}

static size_t find(const fo_columns *f, const char *name)
{
    for (size_t i = 1; i < fo_columns_count(f); i++)
        if (strcmp(fo_columns_name(f, i), name) == 0) return i;
    size_t i = 1; // other tools write `r[1, 2]`
    while (i < fo_columns_count(f) && !foi_one_name(fo_columns_name(f, i), name)) i++;
    return i;
}

static int compare_all(comparing *c)
{
    fo_columns *a = c->files[0], *b = c->files[1];
    fo_message why = {0};
    for (size_t i = 1; i < fo_columns_count(a); i++) {
        const char *name = fo_columns_name(a, i);
        if (!is_wanted(c, name)) continue;
        pair *p = &c->pairs[c->count++];
        *p = (pair){.name = name, .unit = fo_columns_unit(a, i)};
        size_t j = find(b, name);
        p->missing = j == fo_columns_count(b);
        c->missing += p->missing;
        if (p->missing) continue;
        if (fo_failed(fo_columns_compare(a, i, b, j, &c->def, &p->d, &why)))
            return complain_usage(c->command, "%s and %s: %s", c->paths[0], c->paths[1], why.text);
        c->apart += !p->d.within;
    }
    for (size_t j = 1; j < fo_columns_count(b); j++) {
        const char *name = fo_columns_name(b, j);
        c->others += is_wanted(c, name) && find(a, name) == fo_columns_count(a);
    }
    if (c->count > c->missing) return EXIT_FINE;
    return complain_usage(c->command, "%s and %s have no signal in common%s", c->paths[0],
                          c->paths[1], c->options.signals ? " that --signals names" : "");
}

// Whether they cover the same time.
static void look_at_times(comparing *c)
{
    double ends[2][2];
    for (int f = 0; f < 2; f++) {
        const double *t = fo_columns_values(c->files[f], 0);
        ends[f][0] = t[0], ends[f][1] = t[fo_columns_rows(c->files[f]) - 1];
    }
    double slack = c->def.tolerance * fmax(ends[0][1] - ends[0][0], ends[1][1] - ends[1][0]);
    c->shorter = fabs(ends[0][0] - ends[1][0]) > slack || fabs(ends[0][1] - ends[1][1]) > slack;
}

// ---------------------------------------------------------------------------------------- printing

static double part(const pair *p)
{
    if (p->missing) return INFINITY;
    return p->d.worst > 0 ? p->d.worst / p->d.scale : 0;
}

// The worst first; a thing that is out of bounds before those within.
static int by_part(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    bool x = p->missing || !p->d.within, y = q->missing || !q->d.within;
    if (x != y) return x ? -1 : 1;
    return (part(p) < part(q)) - (part(p) > part(q));
}

static void cell(const void *self, size_t row, int column, char *text)
{
    const pair *p = &((const comparing *)self)->pairs[row];
    const fo_difference *d = &p->d;
    bool jumps = d->jumps || d->lone;
    *text = 0;
    if (column == 0) {
        snprintf(text, LISTING_CELL, *p->unit ? "%.200s [%.32s]" : "%.200s", p->name, p->unit);
    } else if (p->missing) {
        if (column == 5) strcpy(text, "missing in the second file");
    } else if (column == 1) {
        snprintf(text, LISTING_CELL, "%.3g", d->worst);
    } else if (column == 2) {
        snprintf(text, LISTING_CELL, "%.2g", part(p));
    } else if (column == 3) {
        snprintf(text, LISTING_CELL, "%.6g", d->at);
    } else if (column == 4 && jumps) {
        snprintf(text, LISTING_CELL, "%zu", d->jumps);
    } else if (column == 5) {
        char lone[64] = "", shift[64] = "";
        if (d->jumps && d->shift > 0) snprintf(shift, sizeof shift, "jumps %.2g apart", d->shift);
        if (d->lone) snprintf(lone, sizeof lone, "%zu only in one", d->lone);
        snprintf(text, LISTING_CELL, "%s%s%s%s%s", d->within ? "" : "too far",
                 !d->within && (*shift || *lone) ? "; " : "", shift, *shift && *lone ? ", " : "",
                 lone);
    }
}

static void print(const comparing *c)
{
    static const char *const titles[] = {"signal", "worst", "relative", "at", "jumps", ""};
    size_t shown = c->options.all || c->count <= SHOWN ? c->count : SHOWN;
    const double *ta = fo_columns_values(c->files[0], 0), *tb = fo_columns_values(c->files[1], 0);
    listing l = {titles, 6, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, 0, shown, cell, c};
    listing_print(stdout, &l, terminal_listing_width(stdout));
    if (shown < c->count) printf("and %zu more, none worse; --all lists them\n", c->count - shown);
    if (c->others)
        printf("%zu %s in the second file only\n", c->others,
               c->others == 1 ? "signal is" : "signals are");
    if (c->shorter)
        printf("they cover different times: %.6g .. %.6g and %.6g .. %.6g\n", ta[0],
               ta[fo_columns_rows(c->files[0]) - 1], tb[0], tb[fo_columns_rows(c->files[1]) - 1]);
    if (c->apart || c->missing)
        printf("%zu of %zu signals differ by more than %g of their size\n", c->apart + c->missing,
               c->count, c->def.tolerance);
    else
        printf("%zu %s to %g of %s size\n", c->count,
               c->count == 1 ? "signal agrees" : "signals agree", c->def.tolerance,
               c->count == 1 ? "its" : "their");
}

static void print_pair(json *j, const pair *p)
{
    json_open(j, NULL, '{');
    json_text(j, "name", p->name);
    json_truth(j, "missing", p->missing);
    if (!p->missing) {
        json_number(j, "worst", p->d.worst);
        json_number(j, "relative", part(p));
        json_number(j, "at", p->d.at);
        json_number(j, "a", p->d.a);
        json_number(j, "b", p->d.b);
        json_whole(j, "jumps", p->d.jumps);
        json_whole(j, "lone", p->d.lone);
        json_number(j, "shift", p->d.shift);
        json_truth(j, "within", p->d.within);
    }
    json_close(j);
}

static void print_json(const comparing *c, bool equal)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_truth(&j, "equal", equal);
    json_number(&j, "tolerance", c->def.tolerance);
    json_number(&j, "absolute", c->def.absolute);
    json_truth(&j, "same_time", !c->shorter);
    json_open(&j, "signals", '[');
    for (size_t i = 0; i < c->count; i++) print_pair(&j, &c->pairs[i]);
    json_close(&j);
    json_close(&j);
}

// ----------------------------------------------------------------------------------------- command

static int carry_out(comparing *c)
{
    for (int f = 0; f < 2; f++) {
        fo_message why = {0};
        c->files[f] = fo_columns_read(c->paths[f], NULL, &why);
        if (!c->files[f]) return complain_usage(c->command, "%s", why.text);
    }
    c->pairs = calloc(fo_columns_count(c->files[0]), sizeof *c->pairs);
    if (!c->pairs) return complain_usage(c->command, "out of memory");
    int result = compare_all(c);
    if (result != EXIT_FINE) return result;
    look_at_times(c);
    qsort(c->pairs, c->count, sizeof *c->pairs, by_part);
    bool equal = !c->apart && !c->missing && !c->shorter;
    if (c->options.json)
        print_json(c, equal);
    else if (!c->options.quiet)
        print(c);
    return equal ? EXIT_FINE : EXIT_FAILED;
}

static int run_compare(const command *self, int argc, char **argv)
{
    comparing c = {.command = self, .def = fo_default_compare_def()};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &c.options, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count != 2)
        return complain_usage(self, "needs two FILEs, as in 'foliot compare before.csv after.csv'");
    c.paths[0] = rest.list[0], c.paths[1] = rest.list[1];
    if (c.options.tolerance.given) c.def.tolerance = c.options.tolerance.value;
    if (c.options.absolute.given) c.def.absolute = c.options.absolute.value;
    if (!limit_memory(self, c.options.memory)) return EXIT_USAGE;
    int result = carry_out(&c);
    fo_columns_destroy(c.files[0]);
    fo_columns_destroy(c.files[1]);
    free(c.pairs);
    return result;
}

const command command_compare = {
    "compare",     "FILE FILE",  "Compare two files of results, signal by signal.",
    compare_table, compare_more, run_compare};
