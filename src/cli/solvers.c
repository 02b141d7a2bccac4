// foliot solvers: every method of this build, one line each.
#include <foliot/foliot.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/terminal.h"

static const char *yes(unsigned bits)
{
    return bits ? "yes" : "";
}

static void cell(const void *self, size_t row, int column, char *text)
{
    const fo_solver_info *s = fo_solver_get(row);
    (void)self;
    switch (column) {
    case 0: snprintf(text, LISTING_CELL, "%s", s->name); break;
    case 1: snprintf(text, LISTING_CELL, s->order ? "%d" : "-", s->order); break;
    case 2: snprintf(text, LISTING_CELL, "%d", s->dense_order); break;
    case 3:
        snprintf(text, LISTING_CELL, "%s", s->traits & FO_ADAPTIVE ? "adaptive" : "fixed");
        break;
    case 4: snprintf(text, LISTING_CELL, "%s", yes(s->traits & FO_STIFF)); break;
    case 5: snprintf(text, LISTING_CELL, "%s", yes(s->traits & FO_FIXED_WORK)); break;
    default: snprintf(text, LISTING_CELL, "%s", s->about);
    }
}

typedef struct solvers_options {
    bool names, json;
} solvers_options;

static const option solvers_table[] = {
    {"names", 0, NULL, OPTION_FLAG, offsetof(solvers_options, names), "print the names only"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(solvers_options, json), "print them as JSON"},
    {0}};

static void print_json(void)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '[');
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const fo_solver_info *s = fo_solver_get(i);
        json_open(&j, NULL, '{');
        json_text(&j, "name", s->name);
        json_number(&j, "order", s->order);
        json_number(&j, "dense_order", s->dense_order);
        json_truth(&j, "adaptive", s->traits & FO_ADAPTIVE);
        json_truth(&j, "stiff", s->traits & FO_STIFF);
        json_truth(&j, "fixed_work", s->traits & FO_FIXED_WORK);
        json_text(&j, "about", s->about);
        json_close(&j);
    }
    json_close(&j);
}

static int run_solvers(const command *self, int argc, char **argv)
{
    static const char *const titles[] = {"name",  "order",      "dense", "steps",
                                         "stiff", "fixed work", "about"};
    solvers_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count) return complain_usage(self, "takes no arguments, found '%s'", rest.list[0]);
    listing solvers = {.titles = o.names ? NULL : titles,
                       .columns = o.names ? 1 : 7,
                       .right = 1 << 1 | 1 << 2,
                       .rows = fo_solver_count(),
                       .cell = cell};
    if (o.json)
        print_json();
    else
        listing_print(stdout, &solvers, terminal_listing_width(stdout));
    return EXIT_FINE;
}

static const char more[] =
    "order: of the error over a run; dense: of the values between steps; stiff: fit for stiff\n"
    "systems; fixed work: every step costs the same, for real time.\n";
const command command_solvers = {"solvers",     "",   "List the solvers of this build.",
                                 solvers_table, more, run_solvers};
