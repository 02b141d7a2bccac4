// foliot nodes: the node types of block diagrams, and the help of one.
#include <ctype.h>
#include <foliot/foliot.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/own_nodes.h"
#include "cli/terminal.h"

static void put(char *text, const char *value)
{
    snprintf(text, LISTING_CELL, "%s", value ? value : "");
}

// A list by "|" with `between` instead.
static void put_list(char *text, size_t size, const char *list, const char *between)
{
    size_t used = 0, gap = strlen(between);
    for (; *list && used + gap + 1 < size; list++) {
        if (*list != '|') {
            text[used++] = *list;
            continue;
        }
        memcpy(text + used, between, gap);
        used += gap;
    }
    text[used] = 0;
}

// ----------------------------------------------------------------------------- all that there are

/// A type with what it says of itself.
typedef struct shown {
    const fo_node_type *own; ///< NULL: it comes with the program
    fo_node_help help;
} shown;

// Those that come with the program, then those of one's own.
static bool type_at(size_t index, shown *s)
{
    size_t count, before = 0;
    const fo_node_type *const *own = own_nodes(&count);
    s->own = NULL;
    if (fo_node_help_at(index, &s->help)) return true;
    while (fo_node_help_at(before, &s->help)) before++;
    if (index - before >= count) return false;
    s->own = own[index - before];
    return fo_node_type_help(s->own, &s->help, NULL) == FO_OK;
}

static bool parameter_at(const shown *s, size_t index, fo_node_parameter *p)
{
    return s->own ? fo_node_type_parameter_at(s->own, index, p)
                  : fo_node_parameter_at(s->help.name, index, p);
}

// Letters and digits count, their case does not.
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && !isalnum((unsigned char)*a)) a++;
        while (*b && !isalnum((unsigned char)*b)) b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
        if (!*a) return true;
    }
}

static bool find_own(const char *name, shown *s)
{
    for (size_t i = 0; type_at(i, s); i++)
        if (s->own && same_name(s->help.name, name)) return true;
    s->own = NULL;
    return false;
}

// ------------------------------------------------------------------------------------- the list

enum { SET_SIZE = 64 };

typedef struct set_list {
    fo_node_help rows[SET_SIZE];
    size_t count;
} set_list;

static void type_cell(const void *self, size_t row, int column, char *text)
{
    const fo_node_help *help = &((const set_list *)self)->rows[row];
    put(text, column == 0 ? help->name : help->about);
    char *end = column == 1 ? strstr(text, ". ") : NULL;
    if (end) end[1] = 0; // the first sentence; the rest is in the node's help
}

// The sets in the order in which they first come.
static void print_sets(void)
{
    shown first, other;
    const char *done[SET_SIZE];
    size_t count = 0;
    for (size_t i = 0; type_at(i, &first); i++) {
        bool seen = false;
        for (size_t j = 0; j < count; j++) seen = seen || strcmp(done[j], first.help.set) == 0;
        if (seen || count == SET_SIZE) continue;
        set_list set = {.count = 0};
        for (size_t j = i; type_at(j, &other); j++)
            if (strcmp(other.help.set, first.help.set) == 0 && set.count < SET_SIZE)
                set.rows[set.count++] = other.help;
        printf("%s%s\n", count ? "\n" : "", first.help.set);
        done[count++] = first.help.set;
        listing l = {.columns = 2, .indent = 2, .rows = set.count, .cell = type_cell, .self = &set};
        listing_print(stdout, &l, terminal_listing_width(stdout));
    }
}

// ------------------------------------------------------------------------------------- the help

static void parameter_cell(const void *self, size_t row, int column, char *text)
{
    fo_node_parameter p;
    char choices[LISTING_CELL / 2] = "";
    if (!parameter_at(self, row, &p)) return;
    if (column < 3) {
        put(text, column == 0 ? p.name : column == 1 ? p.value : p.kind);
        return;
    }
    if (p.choices) put_list(choices, sizeof choices, p.choices, ", ");
    snprintf(text, LISTING_CELL, "%s%s%.200s", choices, *choices && *p.about ? "; " : "", p.about);
}

static void print_parameters(const shown *s)
{
    const fo_node_help *help = &s->help;
    static const char *const titles[] = {"name", "default", "kind", "about"};
    printf("\nParameters%s\n", help->parameter_count ? "" : ": none");
    listing l = {titles, 4, 0, 2, help->parameter_count, parameter_cell, s};
    if (help->parameter_count) listing_print(stdout, &l, terminal_listing_width(stdout));
}

static void print_ports(const char *heading, const char *names)
{
    char text[256];
    put_list(text, sizeof text, *names ? names : "none", ", ");
    printf("%s%s\n", heading, text);
}

// JSON in which ' stands for ".
static void print_quoted(const char *heading, const char *text)
{
    fputs(heading, stdout);
    for (; *text; text++) putchar(*text == '\'' ? '"' : *text);
    putchar('\n');
}

static void print_example(const fo_node_help *help)
{
    char inputs[512];
    if (!help->example_output) return;
    put_list(inputs, sizeof inputs, help->example_inputs, "\n  and      ");
    printf("\nExample\n  with     %s\n",
           help->example_parameters ? help->example_parameters : "the defaults");
    if (*inputs) printf("  and      %s\n", inputs);
    if (help->example_around) print_quoted("  beside   ", help->example_around);
    printf("  at       %g s\n  it gives %s", help->example_time, help->example_output);
    if (help->example_port) printf(" at output %u", help->example_port + 1);
    printf("\n");
}

static void print_help(const shown *s)
{
    const fo_node_help *help = &s->help;
    printf("%s (%s)\n", help->name, help->set);
    print_wrapped(stdout, help->about, 0, terminal_listing_width(stdout));
    printf("\n\n");
    if (*help->inputs || *help->outputs || !help->ports) {
        print_ports("inputs       ", help->inputs);
        print_ports("outputs      ", help->outputs);
    }
    if (help->ports) printf("ports        %s\n", help->ports);
    printf("data types   %s\n", help->types);
    printf("feedthrough  %s\n", help->feedthrough);
    printf("sample time  %s\n", help->sample);
    printf("expansion    %s\n", help->expansion);
    printf("dimensions   %s\n", help->dimensions);
    print_parameters(s);
    print_example(help);
}

// ---------------------------------------------------------------------------------------- as JSON

static void json_parameters(json *j, const shown *s)
{
    fo_node_parameter p;
    json_open(j, "parameters", '[');
    for (size_t i = 0; i < s->help.parameter_count && parameter_at(s, i, &p); i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", p.name);
        json_text(j, "default", p.value);
        json_text(j, "kind", p.kind);
        json_text(j, "choices", p.choices);
        json_text(j, "about", p.about);
        json_close(j);
    }
    json_close(j);
}

static void json_node(json *j, const shown *s)
{
    const fo_node_help *help = &s->help;
    json_open(j, NULL, '{');
    json_text(j, "name", help->name);
    json_text(j, "set", help->set);
    json_text(j, "about", help->about);
    json_text(j, "inputs", help->inputs);
    json_text(j, "outputs", help->outputs);
    json_text(j, "types", help->types);
    json_text(j, "feedthrough", help->feedthrough);
    json_text(j, "sample", help->sample);
    json_text(j, "expansion", help->expansion);
    json_text(j, "dimensions", help->dimensions);
    json_parameters(j, s);
    json_close(j);
}

static void print_as_json(const shown *one)
{
    json j = {.out = stdout};
    shown s;
    if (one) {
        json_node(&j, one);
        return;
    }
    json_open(&j, NULL, '[');
    for (size_t i = 0; type_at(i, &s); i++) json_node(&j, &s);
    json_close(&j);
}

// ---------------------------------------------------------------------------------- the command

typedef struct nodes_options {
    bool json;
} nodes_options;

// A name may come as one argument or as several words.
static bool join(const operands *rest, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < rest->count; i++) {
        int n = snprintf(text + used, size - used, "%s%s", i ? " " : "", rest->list[i]);
        if (n < 0 || (size_t)n >= size - used) return false;
        used += (size_t)n;
    }
    return true;
}

static int run_nodes(const command *self, int argc, char **argv)
{
    operands rest;
    char name[128] = "";
    nodes_options o = {0};
    shown found = {0};
    fo_message why = {0};
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (!rest.count) {
        if (o.json)
            print_as_json(NULL);
        else
            print_sets();
        return EXIT_FINE;
    }
    if (!join(&rest, name, sizeof name)) return complain_usage(self, "that name is too long");
    if (!find_own(name, &found) && fo_failed(fo_node_help_find(name, &found.help, &why)))
        return complain_usage(self, "%s", why.text);
    if (o.json)
        print_as_json(&found);
    else
        print_help(&found);
    return EXIT_FINE;
}

static const option nodes_table[] = {
    {"json", 0, NULL, OPTION_FLAG, offsetof(nodes_options, json), "print them as JSON"},
    OPTION_OWN_NODES,
    {0}};
const command command_nodes = {
    "nodes",     "[NODE]", "List the nodes of block diagrams, or print the help of one.",
    nodes_table, NULL,     run_nodes};
