// foliot models: the gallery, one line each.
#include <stdio.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/model.h"
#include "cli/terminal.h"

static void cell(const void *self, size_t row, int column, char *text)
{
    const fo_gallery_entry *e = fo_gallery_get(self, row);
    snprintf(text, LISTING_CELL, "%s", column == 0 ? e->name : column == 1 ? e->kind : e->about);
}

typedef struct models_options {
    bool names, json;
} models_options;

static const option models_table[] = {
    {"names", 0, NULL, OPTION_FLAG, offsetof(models_options, names), "print the names only"},
    {"json", 0, NULL, OPTION_FLAG, offsetof(models_options, json), "print them as JSON"},
    {0}};

static void print_json(const fo_gallery *gallery)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '[');
    for (size_t i = 0; i < fo_gallery_count(gallery); i++) {
        const fo_gallery_entry *e = fo_gallery_get(gallery, i);
        json_open(&j, NULL, '{');
        json_text(&j, "name", e->name);
        json_text(&j, "kind", e->kind);
        json_text(&j, "about", e->about);
        json_text(&j, "path", e->path);
        json_close(&j);
    }
    json_close(&j);
}

static int run_models(const command *self, int argc, char **argv)
{
    models_options o = {0};
    operands rest;
    fo_message why = {0};
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count)
        return complain_usage(self,
                              "takes no arguments, found '%s'; 'foliot show %s' says more "
                              "about one model",
                              rest.list[0], rest.list[0]);
    fo_model_def def = model_def(NULL);
    fo_gallery *gallery = fo_gallery_open(&def, &why);
    if (!gallery) {
        complain(self, "%s", why.text);
        return EXIT_FAILED;
    }
    listing models = {.columns = o.names ? 1 : 3, .rows = fo_gallery_count(gallery), .cell = cell};
    models.self = gallery;
    if (o.json)
        print_json(gallery);
    else
        listing_print(stdout, &models, terminal_listing_width(stdout));
    fo_gallery_close(gallery);
    return EXIT_FINE;
}

static const char models_more[] =
    "A model is run by its name: foliot run wave-2d. Documents are looked for in the folders of\n"
    "FOLIOT_MODELS (with ':' between them), then among those that are installed with the program,\n"
    "then in its source tree. A name that two have is that of the first; the other one is called\n"
    "with its ending: pendulum.mo.\n";
const command command_models = {"models",     "",          "List the models that come with foliot.",
                                models_table, models_more, run_models};
