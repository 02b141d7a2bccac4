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
    bool json, no_units;
    const char *memory;
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

// Findings are part of the answer, so they are not told on standard error as well.
static int check_as_json(const command *self, const char *name, const check_options *o)
{
    fo_model_def def;
    fo_setting *list;
    fo_model *m = NULL;
    fo_message why = {0};
    json j = {.out = stdout};
    if (!model_define(self, name, &(model_request){.set = &o->set, .no_units = o->no_units}, &def,
                      &list))
        return EXIT_USAGE;
    fo_status status = fo_model_open(&def, &m);
    if (status == FO_OK) status = fo_system_check(fo_model_system(m), &why);
    json_open(&j, NULL, '{');
    json_truth(&j, "fine", status == FO_OK);
    json_text(&j, "kind", m ? fo_model_kind(m) : NULL);
    if (status == FO_OK) {
        fo_shape shape = fo_system_shape(fo_model_system(m));
        json_text(&j, "name", fo_model_system(m).about->name);
        json_whole(&j, "states", shape.states);
        json_whole(&j, "guards", shape.guards);
        json_whole(&j, "outputs", shape.outputs);
    }
    if (why.text[0]) json_text(&j, "message", why.text);
    json_open(&j, "findings", '[');
    for (size_t i = 0; m && i < fo_model_finding_count(m); i++)
        print_finding(&j, fo_model_finding(m, i));
    json_close(&j);
    json_close(&j);
    fo_model_close(m);
    free(list);
    if (status == FO_OK) return EXIT_FINE;
    return status == FO_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED;
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
    fo_text_model *m = fo_text_model_open(&def, &why);
    p->fine += m != NULL, p->wrong += !m;
    if (!m) printf("%-60s %s\n", about->name, reason(why.text));
    fo_text_model_close(m);
    return true;
}

// All models of a package, each by itself: what cannot be used, and why. EXIT_USAGE: it is none.
static int check_package(const char *name)
{
    fo_message why = {0};
    fo_model_def where = model_def(name);
    package_check p = {.def = fo_default_text_model_def()};
    p.def.model = name, p.def.libraries = where.libraries;
    if (strpbrk(name, "/:\\")) return EXIT_USAGE;
    fo_status status = fo_text_browse(&p.def, check_one, &p, &why);
    if (status != FO_OK) return EXIT_USAGE;
    printf("%s: %zu models are fine, %zu cannot be used\n", name, p.fine, p.wrong);
    return p.wrong ? EXIT_FAILED : EXIT_FINE;
}

static int check_model(const command *self, const char *name, const check_options *o)
{
    fo_message why = {0};
    int result;
    if (!limit_model(self, name, o->memory)) return EXIT_USAGE;
    if (o->json) return check_as_json(self, name, o);
    if (!o->set.count && (result = check_package(name)) != EXIT_USAGE) return result;
    fo_model *m =
        model_open(self, name, &(model_request){.set = &o->set, .no_units = o->no_units}, &result);
    if (!m) return result;
    fo_system system = fo_model_system(m);
    fo_status status = fo_system_check(system, &why);
    if (fo_failed(status)) complain(self, "%s", why.text);
    fo_shape shape = fo_system_shape(system);
    result = EXIT_FINE;
    if (!fo_failed(status) && fo_model_fmu(m)) result = check_unit(self, m);
    if (!fo_failed(status) && result == EXIT_FINE)
        printf("%s: fine; %u states, %u guards, %u outputs\n", system.about->name, shape.states,
               shape.guards, shape.outputs);
    fo_model_close(m);
    return fo_failed(status) ? EXIT_FAILED : result;
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
    {"json", 0, NULL, OPTION_FLAG, offsetof(check_options, json),
     "print the result and all findings as JSON"},
    {"memory", 0, "SIZE", OPTION_TEXT, offsetof(check_options, memory), LIMIT_ABOUT},
    OPTION_OWN_NODES,
    {0}};
const command command_check = {
    "check",     "MODEL", "Read a model and say whether it could run, without running it.",
    check_table, NULL,    run_check};
