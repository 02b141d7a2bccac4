// foliot help: the commands, or one command's options.
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/manual.h"
#include "cli/terminal.h"

typedef struct help_options {
    maybe_text man;
    bool complete, json;
} help_options;

static const option help_table[] = {
    {"man", 0, "[=FOLDER]", OPTION_MAYBE_TEXT, offsetof(help_options, man),
     "print a manual page for man(1); with a folder: write all of them there"},
    {"complete", 0, NULL, OPTION_FLAG, offsetof(help_options, complete),
     "print what could come next on a command line, for shells' completion: foliot help --complete "
     "-- run wave"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(help_options, json),
     "all commands with their options as JSON, or the one that is named"},
    {0}};

// "-o, --output FILE"
static void option_cell(const void *self, size_t row, int column, char *text)
{
    const command *c = self;
    const option *o = &c->options[row];
    if (!o->name) o = &option_help;
    if (column == 1) {
        snprintf(text, LISTING_CELL, "%s", o->about);
        return;
    }
    char letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    const char *joint = !o->value || o->kind == OPTION_MAYBE_TEXT ? "" : " ";
    snprintf(text, LISTING_CELL, "%s--%s%s%s", letter, o->name, joint, o->value ? o->value : "");
}

void command_print_help(const command *c, FILE *out)
{
    size_t count = 0;
    while (c->options[count].name) count++;
    fprintf(out, "Usage: foliot %s%s%s%s\n\n%s\n\nOptions:\n", c->name, *c->operands ? " " : "",
            c->operands, count ? " [OPTION]..." : "", c->about);
    listing options = {
        .columns = 2, .indent = 2, .rows = count + 1, .cell = option_cell, .self = c};
    listing_print(out, &options, terminal_width(out));
    if (c->more) fprintf(out, "\n%s", c->more);
}

static void command_cell(const void *self, size_t row, int column, char *text)
{
    const command *c = command_at(row);
    (void)self;
    if (column == 0)
        snprintf(text, LISTING_CELL, "%s%s%s", c->name, *c->operands ? " " : "", c->operands);
    else
        snprintf(text, LISTING_CELL, "%s", c->about);
}

static void print_overview(void)
{
    size_t count = 0;
    while (command_at(count)) count++;
    puts("foliot simulates hybrid systems: things that flow and jump.\n\n"
         "Usage: foliot COMMAND [ARGUMENT]...\n\nCommands:");
    listing commands = {.columns = 2, .indent = 2, .rows = count, .cell = command_cell};
    listing_print(stdout, &commands, terminal_width(stdout));
    puts("\n'foliot help COMMAND' explains a command, 'foliot --version' prints the version.\n"
         "Exit status: 0 fine, 1 the run failed, 2 a mistake in the command line.");
}

// ------------------------------------------------------------------------------------------- JSON

static void json_option(json *j, const option *o)
{
    static const char *const kinds[] = {
        [OPTION_FLAG] = "flag",
        [OPTION_TEXT] = "text",
        [OPTION_MAYBE_TEXT] = "text or nothing",
        [OPTION_POSITIVE] = "positive number",
        [OPTION_NOT_NEGATIVE] = "number",
        [OPTION_NUMBER] = "number",
        [OPTION_COUNT] = "count",
        [OPTION_SETTING] = "name=value",
        [OPTION_TEXTS] = "texts",
        [OPTION_NODES] = "files",
    };
    char letter[2] = {o->letter, 0};
    json_open(j, NULL, '{');
    json_text(j, "name", o->name);
    json_text(j, "letter", o->letter ? letter : NULL);
    json_text(j, "value", o->value);
    json_text(j, "kind", kinds[o->kind]);
    json_text(j, "about", o->about);
    json_close(j);
}

static void json_command(json *j, const command *c)
{
    json_open(j, NULL, '{');
    json_text(j, "name", c->name);
    json_text(j, "operands", c->operands);
    json_text(j, "about", c->about);
    json_open(j, "options", '[');
    for (const option *o = c->options; o->name; o++) json_option(j, o);
    json_option(j, &option_help);
    json_close(j);
    json_close(j);
}

static void print_json(const command *one)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_open(&j, "commands", '[');
    for (size_t i = 0; command_at(i); i++)
        if (!one || one == command_at(i)) json_command(&j, command_at(i));
    json_close(&j);
    json_close(&j);
}

static int run_help(const command *self, int argc, char **argv)
{
    help_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (o.complete) {
        complete_print(stdout, rest.count, rest.list);
        return EXIT_FINE;
    }
    if (o.man.value) return manual_write(self, o.man.value) ? EXIT_FINE : EXIT_FAILED;
    if (rest.count > 1)
        return complain_usage(self, "expected one command, found one more: '%s'", rest.list[1]);
    const command *c = rest.count ? command_find(rest.list[0]) : NULL;
    if (rest.count && !c) return EXIT_USAGE;
    if (o.json)
        print_json(c);
    else if (o.man.given)
        manual_print(stdout, c);
    else if (c)
        command_print_help(c, stdout);
    else
        print_overview();
    return EXIT_FINE;
}

const command command_help = {"help",     "[COMMAND]", "List the commands, or explain one.",
                              help_table, NULL,        run_help};
