// foliot nodes: the node types of block diagrams, and the help of one.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/terminal.h"
#include "diagram/node.h"

static void put(char *text, const char *value)
{
    snprintf(text, LISTING_CELL, "%s", value ? value : "");
}

// ------------------------------------------------------------------------------------- the list

typedef struct set_list {
    const char *name;
    size_t rows[64]; ///< numbers of its types
    size_t count;
} set_list;

static void type_cell(const void *self, size_t row, int column, char *text)
{
    const set_list *set = self;
    const foi_node_type *type = foi_node_type_at(set->rows[row]);
    put(text, column == 0 ? type->name : type->about);
}

static void print_sets(void)
{
    static const char *const names[] = {"Continuous", "Discrete",      "Tables", "Math and Logic",
                                        "Nonlinear",  "Miscellaneous", "Sinks",  "Sources"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        set_list set = {.name = names[i]};
        const foi_node_type *type;
        for (size_t j = 0; (type = foi_node_type_at(j)); j++)
            if (strcmp(type->set, names[i]) == 0 && set.count < 64) set.rows[set.count++] = j;
        printf("%s%s\n", i ? "\n" : "", names[i]);
        listing l = {.columns = 2, .indent = 2, .rows = set.count, .cell = type_cell, .self = &set};
        listing_print(stdout, &l, terminal_listing_width(stdout));
    }
}

// ------------------------------------------------------------------------------------- the help

static void parameter_cell(const void *self, size_t row, int column, char *text)
{
    const foi_parameter *p = (const foi_parameter *)self + row;
    static const char *const kinds[] = {"real", "complex", "number", "time", "choice", "text"};
    if (column < 3) {
        put(text, column == 0 ? p->name : column == 1 ? p->value : kinds[p->kind]);
        return;
    }
    char choices[LISTING_CELL / 2] = "";
    size_t used = 0;
    for (const char *c = p->choices ? p->choices : ""; *c && used + 3 < sizeof choices; c++) {
        choices[used++] = *c == '|' ? ',' : *c;
        if (*c == '|') choices[used++] = ' ';
    }
    choices[used] = 0;
    snprintf(text, LISTING_CELL, "%s%s%.200s", choices, *choices && *p->about ? ": " : "",
             p->about);
}

static void print_ports(const char *heading, const char *names)
{
    char name[64];
    uint32_t count = foi_port_count(names);
    printf("%s ", heading);
    for (uint32_t i = 0; i < count; i++)
        printf("%s%u %s", i ? ", " : "", i + 1, foi_list_item(names, i, name, sizeof name));
    printf("%s\n", count ? "" : "none");
}

static void print_parameters(const foi_node_type *type)
{
    static const char *const titles[] = {"name", "default", "kind", "about"};
    size_t count = 0;
    while (type->parameters[count].name) count++;
    printf("\nParameters%s\n", count ? "" : ": none");
    listing l = {titles, 4, 0, 2, count, parameter_cell, type->parameters};
    if (count) listing_print(stdout, &l, terminal_listing_width(stdout));
}

static void print_example(const foi_example *e)
{
    char item[256];
    printf("\nExample\n  ");
    for (const char *p = e->parameters ? e->parameters : "defaults"; *p; p++)
        if (*p == ';')
            printf(", ");
        else
            putchar(*p);
    for (uint32_t i = 0; i < foi_port_count(e->inputs); i++)
        printf("\n  input %u: %s", i + 1, foi_list_item(e->inputs, i, item, sizeof item));
    printf("\n  at t = %g%s gives %s\n", e->time, e->time > 0 ? " s" : "", e->output);
}

static void print_help(const foi_node_type *type)
{
    int width = terminal_listing_width(stdout);
    printf("%s (%s)\n", type->name, type->set);
    print_wrapped(stdout, type->about, 0, width);
    printf("\n\n");
    print_ports("inputs      ", type->inputs);
    print_ports("outputs     ", type->outputs);
    printf("data types   %s\n", type->types);
    printf("feedthrough  %s\n", type->feedthrough);
    printf("sample time  %s\n", type->sample);
    printf("expansion    %s\n", type->expansion);
    printf("dimensions   %s\n", type->dimensions);
    print_parameters(type);
    print_example(&type->example);
}

// ---------------------------------------------------------------------------------- the command

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
    parse_result parsed = options_parse(self, argc, argv, NULL, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (!rest.count) {
        print_sets();
        return EXIT_FINE;
    }
    if (!join(&rest, name, sizeof name)) return complain_usage(self, "that name is too long");
    const foi_node_type *type = foi_node_type_find(name);
    if (!type) {
        foi_nearest nearest = foi_nearest_to(name);
        const foi_node_type *other;
        for (size_t i = 0; (other = foi_node_type_at(i)); i++)
            foi_nearest_try(&nearest, other->name);
        return complain_usage(self, "there is no node '%s'%s", name, foi_nearest_hint(&nearest));
    }
    print_help(type);
    return EXIT_FINE;
}

static const option no_options[] = {{0}};
const command command_nodes = {
    "nodes",    "[NODE]", "List the nodes of block diagrams, or print the help of one.",
    no_options, NULL,     run_nodes};
