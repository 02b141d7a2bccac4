// foliot show: everything a model says about itself.
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/model.h"
#include "cli/terminal.h"

static void put(char *text, const char *value)
{
    snprintf(text, LISTING_CELL, "%s", value ? value : "");
}

// ----------------------------------------------------------------------------------- variables

static void variable_cell(const void *self, size_t row, int column, char *text)
{
    const fo_variable *v = (const fo_variable *)self + row;
    switch (column) {
    case 0: put(text, v->name); break;
    case 1: snprintf(text, LISTING_CELL, "%.15g", v->start); break;
    case 2: put(text, v->unit); break;
    case 3:
        if (v->min != 0 || v->max != 0)
            snprintf(text, LISTING_CELL, "%.6g .. %.6g", v->min, v->max);
        break;
    default: put(text, v->about);
    }
}

static void output_cell(const void *self, size_t row, int column, char *text)
{
    const fo_variable *v = (const fo_variable *)self + row;
    put(text, column == 0 ? v->name : column == 1 ? v->unit : v->about);
}

static void print_variables(const char *heading, const char *value, fo_variables list, int width)
{
    const char *titles[] = {"name", value, "unit", "bounds", "about"};
    if (!list.count) return;
    printf("\n%s\n", heading);
    listing l = {titles, 5, 1 << 1, 2, list.count, variable_cell, list.list};
    listing_print(stdout, &l, width);
}

static void print_outputs(fo_variables list, int width)
{
    static const char *const titles[] = {"name", "unit", "about"};
    if (!list.count) return;
    printf("\nOutputs\n");
    listing l = {titles, 3, 0, 2, list.count, output_cell, list.list};
    listing_print(stdout, &l, width);
}

// A field has more states than names.
static void print_unnamed(const char *what, size_t all, size_t named)
{
    if (all > named && named) printf("  and %zu more %s without names\n", all - named, what);
    if (all > named && !named) printf("\n%zu %s without names\n", all, what);
}

// ------------------------------------------------------------------------------------- moments

static void guard_cell(const void *self, size_t row, int column, char *text)
{
    const fo_guard *g = (const fo_guard *)self + row;
    switch (column) {
    case 0: put(text, g->name); break;
    case 1:
        put(text, g->direction == FO_RISING    ? "rising"
                  : g->direction == FO_FALLING ? "falling"
                                               : "either");
        break;
    case 2:
        if (g->priority) snprintf(text, LISTING_CELL, "%d", g->priority);
        break;
    case 3: put(text, g->bounded ? "yes" : ""); break;
    case 4: put(text, g->rests ? "yes" : ""); break;
    default: put(text, g->about);
    }
}

static void print_guards(const char *heading, fo_guards list, int width)
{
    static const char *const titles[] = {"name",      "direction", "priority",
                                         "certified", "rests",     "about"};
    if (!list.count) return;
    printf("\n%s\n", heading);
    listing l = {titles, 6, 1 << 2, 2, list.count, guard_cell, list.list};
    listing_print(stdout, &l, width);
}

static void event_cell(const void *self, size_t row, int column, char *text)
{
    const fo_event *e = (const fo_event *)self + row;
    switch (column) {
    case 0: put(text, e->name); break;
    case 1: put(text, e->unit); break;
    case 2:
        if (e->priority) snprintf(text, LISTING_CELL, "%d", e->priority);
        break;
    default: put(text, e->about);
    }
}

static void print_events(const char *heading, fo_events list, int width)
{
    static const char *const titles[] = {"name", "unit", "priority", "about"};
    if (!list.count) return;
    printf("\n%s\n", heading);
    listing l = {titles, 4, 1 << 2, 2, list.count, event_cell, list.list};
    listing_print(stdout, &l, width);
}

// --------------------------------------------------------------------------------- the command

static void print_equations(const char *equations)
{
    if (!equations) return;
    printf("\nEquations\n");
    while (*equations) {
        int length = (int)strcspn(equations, "\n");
        printf("  %.*s\n", length, equations);
        equations += length + (equations[length] == '\n');
    }
}

static void print_run(const model *m)
{
    fo_run_def usual = fo_default_run_def();
    printf("\nUsual run\n  0 .. %g s, a row every %g s, solver %s, rtol %g, atol %g\n", m->stop,
           m->interval, m->solver ? m->solver : "chosen", m->rtol > 0 ? m->rtol : usual.rtol,
           m->atol > 0 ? m->atol : usual.atol);
}

static void print_model(const model *m)
{
    const fo_description *d = m->system.about;
    fo_shape shape = fo_system_shape(m->system);
    int width = terminal_listing_width(stdout);
    printf("%s\n", d->name);
    if (d->about) {
        print_wrapped(stdout, d->about, 0, width);
        fputc('\n', stdout);
    }
    print_equations(d->equations);
    print_variables("Parameters (--set name=value)", "default", d->parameters, width);
    print_variables("States (--start name=value)", "start", d->states, width);
    print_unnamed("states", shape.states, d->states.count);
    print_variables("Discretes (--start name=value)", "start", d->discretes, width);
    print_unnamed("discretes", shape.discretes, d->discretes.count);
    print_variables("Inputs (--set name=value)", "start", d->inputs, width);
    print_guards("Guards", d->guards, width);
    print_unnamed("guards", shape.guards, d->guards.count);
    print_guards("Conditions", d->conditions, width);
    print_events("Moments known in advance", d->moments, width);
    print_events("Events from outside", d->events, width);
    print_outputs(d->outputs, width);
    print_run(m);
}

static int run_show(const command *self, int argc, char **argv)
{
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, NULL, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    const char *name = model_operand(self, &rest);
    model m;
    if (!name || !model_open(self, name, &m)) return EXIT_USAGE;
    print_model(&m);
    model_close(&m);
    return EXIT_FINE;
}

static const option no_options[] = {{0}};
const command command_show = {
    "show",     "MODEL", "Show a model: equations, parameters, states, moments, outputs.",
    no_options, NULL,    run_show};
