// foliot show: everything a model says about itself.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "cli/command.h"
#include "cli/fmu_block.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/model.h"
#include "cli/run/limit.h"
#include "cli/terminal.h"

static void put(char *text, const char *value)
{
    snprintf(text, LISTING_CELL, "%s", value ? value : "");
}

// ----------------------------------------------------------------------------------- variables

static void put_bounds(char *text, const fo_variable *v)
{
    bool open = v->max == INFINITY;
    if (open && v->min > 0 && v->min < 1e-300)
        put(text, "> 0");
    else if (open && v->min > -INFINITY)
        snprintf(text, LISTING_CELL, ">= %.6g", v->min);
    else if (!open && v->min == -INFINITY)
        snprintf(text, LISTING_CELL, "<= %.6g", v->max);
    else if (!open && (v->min != 0 || v->max != 0))
        snprintf(text, LISTING_CELL, "%.6g .. %.6g", v->min, v->max);
}

static void variable_cell(const void *self, size_t row, int column, char *text)
{
    const fo_variable *v = (const fo_variable *)self + row;
    switch (column) {
    case 0: put(text, v->name); break;
    case 1: snprintf(text, LISTING_CELL, "%.15g", v->start); break;
    case 2: put(text, v->unit); break;
    case 3: put(text, v->type == FO_REAL ? "" : fo_value_type_text(v->type)); break;
    case 4: put_bounds(text, v); break;
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
    const char *titles[] = {"name", value, "unit", "type", "bounds", "about"};
    if (!list.count) return;
    printf("\n%s\n", heading);
    listing l = {titles, 6, 1 << 1, 2, list.count, variable_cell, list.list};
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

static void print_run(const fo_model *m)
{
    fo_run_def run = fo_model_run_def(m);
    const char *unit = fo_model_time_unit(m);
    char start[32], stop[32];
    foi_number_text(run.start, start);
    foi_number_text(run.stop, stop);
    printf("\nUsual run\n  %s .. %s %s, a row every %g %s, solver %s, ", start, stop, unit,
           fo_model_interval(m), unit, run.solver ? run.solver : "chosen");
    if (run.rtol < 1)
        printf("rtol %g, atol %g\n", run.rtol, run.atol);
    else
        printf("kept at steps of %g %s\n", run.max_step, unit);
    for (size_t i = 0; i < fo_model_file_count(m); i++) {
        fputs("  writes ", stdout);
        print_plain(stdout, fo_model_file(m, i));
        putchar('\n');
    }
}

// Those that a run can change, then those that are fixed when the model is opened. False: no
// memory.
static bool print_numbers(const fo_model *m, bool tunable, const char *heading, int width)
{
    size_t count = fo_model_number_count(m), used = 0;
    fo_variable *list = calloc(count + 1, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < count; i++) {
        const fo_variable *v = fo_model_number(m, i);
        if (v->causality == FO_CAUSALITY_INPUT) continue; // has a list of its own
        if ((v->variability == FO_VARIABILITY_TUNABLE) == tunable) list[used++] = *v;
    }
    print_variables(heading, "value", (fo_variables){list, used}, width);
    free(list);
    return true;
}

static void print_unit(const fo_fmu *fmu)
{
    static char text[1 << 16];
    if (!fmu) return;
    printf("\nUnit\n");
    for (const char *line = fo_fmu_about(fmu, text, sizeof text); *line;) {
        int length = (int)strcspn(line, "\n");
        printf("  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

static int print_model(const command *self, const fo_model *m)
{
    fo_system system = fo_model_system(m);
    const fo_description *d = system.about;
    fo_shape shape = fo_system_shape(system);
    int width = terminal_listing_width(stdout);
    printf("%s\n", d->name);
    if (d->about) {
        print_wrapped(stdout, d->about, 0, width);
        fputc('\n', stdout);
    }
    print_equations(d->equations);
    print_unit(fo_model_fmu(m));
    bool whole = print_numbers(m, true, "Parameters (--set name=value)", width);
    bool world = strcmp(system.type->kind, "world of processes") == 0;
    whole &= print_numbers(m, false,
                           world ? "Parameters of the start (--set name=value)"
                                 : "Numbers of the document (--set name=value)",
                           width);
    print_variables("States (--start name=value)", "start", d->states, width);
    print_unnamed("states", shape.states, d->states.count);
    print_variables("Discrete variables (--start name=value)", "start", d->discretes, width);
    print_unnamed("discretes", shape.discretes, d->discretes.count);
    print_variables("Inputs (--set name=value)", "start", d->inputs, width);
    print_guards("Guards", d->guards, width);
    print_unnamed("guards", shape.guards, d->guards.count);
    print_guards("Conditions", d->conditions, width);
    print_events("Time events", d->moments, width);
    print_events("Events from outside", d->events, width);
    print_outputs(d->outputs, width);
    print_run(m);
    if (!whole) complain(self, "no memory for the list of numbers");
    return whole ? EXIT_FINE : EXIT_FAILED;
}

// ---------------------------------------------------------------------------------------- as JSON

static void json_variables(json *j, const char *key, fo_variables list)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < list.count; i++) {
        const fo_variable *v = &list.list[i];
        bool bounds = v->min != 0 || v->max != 0;
        json_open(j, NULL, '{');
        json_text(j, "name", v->name);
        json_number(j, "start", v->start);
        json_text(j, "unit", v->unit ? v->unit : "");
        json_text(j, "type", fo_value_type_text(v->type));
        if (bounds) json_number(j, "min", v->min);
        if (bounds) json_number(j, "max", v->max);
        json_text(j, "about", v->about);
        json_close(j);
    }
    json_close(j);
}

// Tunable is what a live run takes: `live` is the model as it is opened for one; NULL: `m` itself.
static void json_numbers(json *j, const fo_model *m, const fo_model *live)
{
    size_t count = fo_model_number_count(m);
    if (!live || fo_model_number_count(live) != count) live = m;
    json_open(j, "numbers", '[');
    for (size_t i = 0; i < count; i++) {
        const fo_variable *v = fo_model_number(m, i);
        bool bounds = v->min != 0 || v->max != 0;
        json_open(j, NULL, '{');
        json_text(j, "name", v->name);
        json_number(j, "value", v->start);
        json_text(j, "unit", v->unit ? v->unit : "");
        json_text(j, "type", fo_value_type_text(v->type));
        json_truth(j, "tunable", fo_model_number(live, i)->variability == FO_VARIABILITY_TUNABLE);
        if (bounds) json_number(j, "min", v->min);
        if (bounds) json_number(j, "max", v->max);
        json_text(j, "about", v->about);
        json_close(j);
    }
    json_close(j);
}

static void json_guards(json *j, const char *key, fo_guards list)
{
    static const char *const ways[] = {"either", "rising", "falling"};
    json_open(j, key, '[');
    for (size_t i = 0; i < list.count; i++) {
        const fo_guard *g = &list.list[i];
        json_open(j, NULL, '{');
        json_text(j, "name", g->name);
        json_text(j, "direction",
                  ways[g->direction == FO_RISING    ? 1
                       : g->direction == FO_FALLING ? 2
                                                    : 0]);
        json_number(j, "priority", g->priority);
        json_truth(j, "certified", g->bounded);
        json_truth(j, "rests", g->rests);
        json_text(j, "about", g->about);
        json_close(j);
    }
    json_close(j);
}

static void json_events(json *j, const char *key, fo_events list)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < list.count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", list.list[i].name);
        json_text(j, "unit", list.list[i].unit ? list.list[i].unit : "");
        json_text(j, "about", list.list[i].about);
        json_close(j);
    }
    json_close(j);
}

static void json_run(json *j, const fo_model *m)
{
    fo_run_def run = fo_model_run_def(m);
    json_open(j, "run", '{');
    json_number(j, "start", run.start);
    json_number(j, "stop", run.stop);
    json_text(j, "time_unit", fo_model_time_unit(m));
    json_number(j, "interval", fo_model_interval(m));
    json_text(j, "solver", run.solver);
    json_number(j, "rtol", run.rtol);
    json_number(j, "atol", run.atol);
    json_close(j);
}

static void print_as_json(const fo_model *m, const fo_model *live)
{
    const fo_description *d = fo_model_system(m).about;
    fo_shape shape = fo_system_shape(fo_model_system(m));
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "name", d->name);
    json_text(&j, "kind", fo_model_kind(m));
    json_text(&j, "about", d->about);
    json_text(&j, "equations", d->equations);
    json_whole(&j, "state_count", shape.states);
    json_numbers(&j, m, live);
    json_variables(&j, "states", d->states);
    json_variables(&j, "discretes", d->discretes);
    json_variables(&j, "inputs", d->inputs);
    json_variables(&j, "outputs", d->outputs);
    json_guards(&j, "guards", d->guards);
    json_guards(&j, "conditions", d->conditions);
    json_events(&j, "moments", d->moments);
    json_events(&j, "events", d->events);
    json_run(&j, m);
    json_close(&j);
}

typedef struct show_options {
    bool equations, sorted, c, scene, json, block;
    settings set;
    const char *memory;
} show_options;

#define AT(member) offsetof(show_options, member)
static const option show_table[] = {
    {"equations", 0, NULL, OPTION_FLAG, AT(equations), "Modelica: the flat model"},
    {"sorted", 0, NULL, OPTION_FLAG, AT(sorted),
     "Modelica: the equations in the order in which they are solved"},
    {"c", 0, NULL, OPTION_FLAG, AT(c), "Modelica: the program as C"},
    {"scene", 0, NULL, OPTION_FLAG, AT(scene), "diagram: the 3D scene and what drives it"},
    {"block", 0, NULL, OPTION_FLAG, AT(block), "FMU: the Modelica block that stands for it"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print all of it as JSON"},
    {"set", 0, "NAME=VALUE", OPTION_SETTING, AT(set), "set a number of the model; may be repeated"},
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},
    OPTION_OWN_NODES,
    {0}};

// The views that only texts have.
// Line by line: names and texts in it may hold what a terminal would obey.
static void print_harmless(char *text)
{
    enum { LINE = 1 << 12 };
    char plain[FOI_ESCAPE_GROWTH * LINE + 1], piece[LINE + 1];
    if (foi_text_is_plain(text, "\n\t")) {
        fputs(text, stdout);
        return;
    }
    for (size_t length; (length = strnlen(text, LINE)); text += length) {
        while (length > 1 && length == LINE && (text[length] & 0xc0) == 0x80) length--;
        memcpy(piece, text, length);
        piece[length] = 0;
        foi_text_escape(piece, "\n\t", plain, sizeof plain);
        fputs(plain, stdout);
    }
}

static int print_text(const command *self, const fo_model *m, const show_options *options)
{
    if (!fo_model_text(m))
        return complain_usage(self,
                              "--equations, --sorted and --c are for Modelica texts (*.mo) only");
    fo_text_view view = options->c        ? FO_TEXT_C
                        : options->sorted ? FO_TEXT_SORTED
                                          : FO_TEXT_EQUATIONS;
    fo_message why = {0};
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) {
        complain(self, "out of memory");
        return EXIT_FAILED;
    }
    fo_status status = fo_text_model_print(fo_model_text(m), view, text.out, &why);
    if (!foi_text_close(&text) && !fo_failed(status))
        status = fo_fail(&why, FO_ERROR_MEMORY, "no memory for the text");
    if (fo_failed(status))
        complain(self, "%s", why.text);
    else
        print_harmless(text.text);
    foi_text_free(&text);
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
}

// ----------------------------------------------------------------------------------- the scene

// "xcor", "2 theta + 1", "0.5".
static size_t put_value(char *text, size_t size, const fo_scene_value *v)
{
    int n = 0;
    if (!v->signal)
        n = snprintf(text, size, "%g", v->offset);
    else if (v->gain == 1)
        n = snprintf(text, size, "%s", v->signal);
    else
        n = snprintf(text, size, "%g %s", v->gain, v->signal);
    if (v->signal && v->offset != 0 && n >= 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " %c %g", v->offset < 0 ? '-' : '+',
                      v->offset < 0 ? -v->offset : v->offset);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

static void put_three(char *text, const fo_scene_value value[3])
{
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        if (i) used += (size_t)snprintf(text + used, LISTING_CELL - used, ", ");
        used += put_value(text + used, LISTING_CELL - used - 4, &value[i]);
    }
}

static void shape_cell(const void *self, size_t row, int column, char *text)
{
    const fo_scene_shape *s = &((const fo_scene *)self)->shapes[row];
    switch (column) {
    case 0: put(text, s->name); break;
    case 1: put(text, fo_scene_kind_name(s->kind)); break;
    case 2: put_three(text, s->position); break;
    case 3: put_three(text, s->ends ? s->end : s->rotation); break;
    case 4: put_three(text, s->size); break;
    default: put_three(text, s->color);
    }
}

static int print_scene(const command *self, const fo_model *m)
{
    static const char *const titles[] = {"name", "shape", "position", "rotation or end",
                                         "size", "colour"};
    const fo_scene *scene = fo_model_scene(m);
    const char *name = fo_model_system(m).about->name;
    if (!fo_model_diagram(m))
        return complain_usage(self, "--scene is for block diagrams (*.json) only");
    if (!scene) {
        printf("%s has no scene\n", name);
        return EXIT_FINE;
    }
    printf("Scene of %s: camera at %g, %g, %g, looks at %g, %g, %g\n", name, scene->camera[0],
           scene->camera[1], scene->camera[2], scene->target[0], scene->target[1],
           scene->target[2]);
    listing l = {titles, 6, 0, 2, scene->shape_count, shape_cell, scene};
    listing_print(stdout, &l, terminal_listing_width(stdout));
    return EXIT_FINE;
}

static void show_as_json(const command *self, const char *name, const show_options *o,
                         const fo_model *m)
{
    bool document = fo_model_diagram(m) || fo_model_structure(m) || fo_model_field(m);
    const model_request request = {.set = &o->set, .tunable = true, .quiet = true};
    int ignored;
    fo_model *live = document ? model_open(self, name, &request, &ignored) : NULL;
    print_as_json(m, live);
    fo_model_close(live);
}

static int show_model(const command *self, const char *name, const show_options *o)
{
    int result;
    if (!limit_model(self, name, o->memory)) return EXIT_USAGE;
    fo_model *m = model_open(self, name, &(model_request){.set = &o->set}, &result);
    if (!m) return result;
    result = EXIT_FINE;
    if (o->scene)
        result = print_scene(self, m);
    else if (o->equations || o->sorted || o->c)
        result = print_text(self, m, o);
    else if (o->block)
        result = fmu_block_print(self, m);
    else if (o->json)
        show_as_json(self, name, o, m);
    else
        result = print_model(self, m);
    fo_model_close(m);
    return result;
}

// show CLASS --help: what a class of the libraries says about itself. False: it is none.
static bool show_documentation(int argc, char **argv, int *result)
{
    fo_message why = {0};
    if (argc != 2 || strcmp(argv[1], "--help") != 0 || strpbrk(argv[0], "-/:")) return false;
    fo_model_def where = model_def(argv[0]);
    fo_text_model_def def = fo_default_text_model_def();
    def.model = argv[0], def.libraries = where.libraries;
    if (fo_text_document(&def, stdout, &why) == FO_OK) return true;
    if (!strchr(argv[0], '.') || access(argv[0], F_OK) == 0) return false; // a model, a file
    complain(&command_show, "%s", why.text);
    return *result = EXIT_FAILED, true;
}

// The classes that are in the package itself, one line each.
static bool print_class(void *package, const fo_text_class *about)
{
    char description[200], line[200];
    size_t used = 0;
    const char *name = about->name + strlen(package) + 1;
    if (strchr(name, '.')) return true;
    for (const char *c = about->description; *c && used + 1 < sizeof line; c++) {
        bool blank = *c == ' ' || *c == '\n' || *c == '\r' || *c == '\t';
        if (!blank || (used && line[used - 1] != ' ')) line[used++] = blank ? ' ' : *c;
    }
    line[used] = 0;
    foi_text_escape(line, "", description, sizeof description);
    printf("%-10s %-32s %s\n", about->kind, name, description);
    return true;
}

// show PACKAGE: what is in a package of the libraries. False: it is none.
static bool show_package(int argc, char **argv)
{
    fo_message why = {0};
    if (argc != 1 || strpbrk(argv[0], "-/:\\")) return false;
    fo_model_def where = model_def(argv[0]);
    fo_text_model_def def = fo_default_text_model_def();
    def.model = argv[0], def.libraries = where.libraries;
    return fo_text_browse(&def, print_class, argv[0], &why) == FO_OK;
}

static int run_show(const command *self, int argc, char **argv)
{
    int shown = EXIT_FINE;
    if (show_documentation(argc, argv, &shown) || show_package(argc, argv)) return shown;
    operands rest;
    show_options o = {0};
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    const char *name = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    int result = name ? show_model(self, name, &o) : parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    settings_free(&o.set);
    return result;
}

const command command_show = {
    "show",     "MODEL", "Show a model: equations, parameters, states, events, outputs.",
    show_table, NULL,    run_show};
