// foliot check: reads a model and says whether it could run, without running it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/run/limit.h"

typedef struct check_options {
    settings set;
    bool json, no_units, allow_external;
    bool overwrite;
    const char *memory, *files;
} check_options;

static void print_finding(json *j, const fo_finding *f)
{
    static const char *const words[] = {"error", "warning", "note"};
    json_open(j, NULL, '{');
    json_text(j, "severity", words[f->severity]);
    json_text(j, "text", f->text);
    json_text(j, "file", f->file);
    json_whole(j, "line", f->line);
    json_whole(j, "column", f->column);
    json_whole(j, "length", f->length);
    json_text(j, "hint", f->hint);
    json_close(j);
}

static model_request request_of(const check_options *o)
{
    return (model_request){.set = &o->set,
                           .no_units = o->no_units,
                           .allow_external = o->allow_external,
                           .files = o->files,
                           .overwrite = o->overwrite};
}

// What is asked of a model that was opened.
static fo_status check_opened(const fo_model *m, fo_message *why)
{
    fo_status status = fo_system_check(fo_model_system(m), why);
    return fo_failed(status) ? status : fo_model_check_files(m, why);
}

/// A model that was opened, or could not be, with what is to be said of the rest of its text.
typedef struct checked {
    fo_model *model, *review;
    fo_text_review about; ///< the classes of the text; none where one of them was named
    fo_status status;
    fo_message why;
} checked;

// Whether it is said what the classes of a text are worth. A class that stands alone and could not
// be opened is looked at as one among others: it may be made to be used.
static bool is_whole(const checked *c)
{
    bool opened = c->model && fo_model_status(c->model) == FO_OK;
    bool right = opened && c->review && fo_model_status(c->review) == FO_OK;
    return c->review && (c->about.classes > 1 || (c->about.classes && !right));
}

// A text that is named as a whole is checked as a whole: what runs in it, and its other classes.
static bool open_all(const command *self, const char *name, const check_options *o, checked *c)
{
    fo_model_def def;
    fo_setting *list;
    const model_request request = request_of(o);
    *c = (checked){.status = FO_ERROR_MEMORY};
    if (!model_define(self, name, &request, &def, &list)) return false;
    size_t length = strlen(name);
    bool whole = length > 3 && strcmp(name + length - 3, ".mo") == 0 && !o->set.count;
    c->status = fo_model_open(&def, &c->model);
    if (c->model && whole) c->review = fo_model_review(&def, c->model, &c->about);
    bool opened = c->status == FO_OK;
    if (opened) c->status = check_opened(c->model, &c->why);
    if (is_whole(c) && !(opened && fo_failed(c->status))) c->status = fo_model_status(c->review);
    free(list);
    return true;
}

static const fo_model *findings_of(const checked *c)
{
    return is_whole(c) ? c->review : c->model;
}

// What is to be said beside the findings; NULL: nothing.
static const char *message_of(const checked *c)
{
    return c->why.text[0] ? c->why.text : model_unsaid(findings_of(c), c->status);
}

static void close_all(checked *c)
{
    fo_model_close(c->review);
    fo_model_close(c->model);
}

// Whether there is a model, beside what else is in the text.
static bool has_model(const checked *c)
{
    return c->model && fo_model_status(c->model) == FO_OK;
}

static int exit_of(fo_status status)
{
    if (status == FO_OK) return EXIT_FINE;
    return status == FO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
}

// Findings are part of the answer, so they are not told on standard error as well.
static int check_as_json(const command *self, const char *name, const check_options *o)
{
    checked c;
    json j = {.out = stdout};
    if (!open_all(self, name, o, &c)) return EXIT_USAGE;
    json_open(&j, NULL, '{');
    json_truth(&j, "fine", c.status == FO_OK);
    json_text(&j, "kind", c.model ? fo_model_kind(c.model) : NULL);
    if (has_model(&c)) {
        fo_shape shape = fo_system_shape(fo_model_system(c.model));
        json_text(&j, "name", fo_model_system(c.model).about->name);
        json_whole(&j, "states", shape.states);
        json_whole(&j, "guards", shape.guards);
        json_whole(&j, "outputs", shape.outputs);
    }
    if (is_whole(&c)) json_whole(&j, "classes", c.about.classes);
    const char *said = message_of(&c);
    if (said) json_text(&j, "message", said);
    json_open(&j, "findings", '[');
    for (size_t i = 0; c.model && i < fo_model_finding_count(findings_of(&c)); i++)
        print_finding(&j, fo_model_finding(findings_of(&c), i));
    json_close(&j);
    json_close(&j);
    close_all(&c);
    return exit_of(c.status);
}

// A unit of another tool: what it says of itself is checked as well.
static void tell_breach(void *self, uint32_t line, const char *text)
{
    printf("%s: modelDescription.xml:%u: %s\n", (const char *)self, line, text);
}

static int check_unit(const command *self, const fo_model *m)
{
    fo_message why = {0};
    size_t count = 0;
    const char *path = fo_model_path(m);
    fo_status status = fo_fmu_validate(path, NULL, (void *)path, tell_breach, &count, &why);
    if (fo_failed(status)) complain(self, "%s", why.text);
    if (count) complain(self, "%zu violation%s of the rules of FMI", count, count == 1 ? "" : "s");
    return fo_failed(status) || count ? EXIT_FAILED : EXIT_FINE;
}

// ----------------------------------------------------------------------------- a package

typedef struct package_check {
    fo_text_model_def def;
    size_t fine, wrong;
    size_t whole; ///< of those that are fine: they could run as they are
} package_check;

// What was found first, without the folder of the file.
static const char *reason(const char *text)
{
    const char *error = strstr(text, ": ");
    return error ? error + 2 : text;
}

static bool check_one(void *data, const fo_text_class *about)
{
    package_check *p = data;
    fo_message why = {0};
    if (!about->runs) return true;
    fo_text_model_def def = p->def;
    def.model = about->name;
    fo_text_review found;
    bool fine = fo_text_check(&def, &found, &why) == FO_OK;
    p->fine += fine, p->wrong += !fine, p->whole += found.models;
    if (!fine) printf("%-60s %s\n", about->name, reason(why.text));
    fflush(stdout); // the next may take long
    return true;
}

// All models of a package, each by itself: what cannot be used, and why. What is made to be used
// in others may lack values and connections. EXIT_USAGE: it is none.
static int check_package(const char *name)
{
    fo_message why = {0};
    fo_model_def where = model_def(name);
    package_check p = {.def = fo_default_text_model_def()};
    p.def.model = name, p.def.libraries = where.libraries;
    if (strpbrk(name, "/:\\")) return EXIT_USAGE;
    fo_status status = fo_text_browse(&p.def, check_one, &p, &why);
    if (status != FO_OK) return EXIT_USAGE;
    printf("%s: %zu models are fine, %zu of them complete, and %zu cannot be used\n", name, p.fine,
           p.whole, p.wrong);
    return p.wrong ? EXIT_FAILED : EXIT_FINE;
}

// ------------------------------------------------------------------------------------ one of them

static void print_fine(const checked *c, const char *name)
{
    if (has_model(c)) {
        fo_system system = fo_model_system(c->model);
        fo_shape shape = fo_system_shape(system);
        printf("%s: fine; %u states, %u guards, %u outputs\n", system.about->name, shape.states,
               shape.guards, shape.outputs);
    }
    size_t all = c->about.classes, runs = c->about.models + has_model(c);
    if (is_whole(c))
        printf("%s: %zu class%s fine, %zu of them complete models\n", name, all,
               all == 1 ? " is" : "es are", runs);
}

static int check_model(const command *self, const char *name, const check_options *o)
{
    checked c;
    int result;
    if (!limit_model(self, name, o->memory)) return EXIT_USAGE;
    if (o->json) return check_as_json(self, name, o);
    if (!o->set.count && (result = check_package(name)) != EXIT_USAGE) return result;
    if (!open_all(self, name, o, &c)) return EXIT_USAGE;
    if (c.model) model_print_findings(self, findings_of(&c), false);
    const char *said = message_of(&c);
    if (said) complain(self, "%s", said);
    result = exit_of(c.status);
    if (result == EXIT_FINE && has_model(&c) && fo_model_fmu(c.model))
        result = check_unit(self, c.model);
    if (result == EXIT_FINE) print_fine(&c, name);
    close_all(&c);
    return result;
}

static int run_check(const command *self, int argc, char **argv)
{
    check_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    const char *name = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    int result = name ? check_model(self, name, &o) : parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    settings_free(&o.set);
    return result;
}

static const option check_table[] = {
    {"set", 0, "NAME=VALUE", OPTION_SETTING, offsetof(check_options, set),
     "set a number of the model; may be repeated"},
    {"no-units", 0, NULL, OPTION_FLAG, offsetof(check_options, no_units),
     "Modelica: accept equations whose sides have different units"},
    {"allow-external", 0, NULL, OPTION_FLAG, offsetof(check_options, allow_external),
     "Modelica: compile external C of the text with cc and run it in this process; it can do "
     "whatever you can"},
    {"files", 0, "DIR", OPTION_TEXT, offsetof(check_options, files),
     "files that a diagram names are in this folder; default: the present one"},
    {"overwrite", 0, NULL, OPTION_FLAG, offsetof(check_options, overwrite),
     "a diagram may replace files that it did not make"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(check_options, json),
     "print the result and all findings as JSON"},
    {"memory", 0, "SIZE", OPTION_TEXT, offsetof(check_options, memory), LIMIT_ABOUT},
    OPTION_OWN_NODES,
    {0}};
const command command_check = {
    "check",
    "MODEL",
    "Say whether a model could run, without running it; of a text *.mo check all classes.",
    check_table,
    NULL,
    run_check};
