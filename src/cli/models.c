// foliot models: the gallery, one line each.
#include <gallery.h>
#include <stdio.h>
#include <worlds/worlds.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/terminal.h"

static void cell(const void *self, size_t row, int column, char *text)
{
    (void)self;
    const char *words[2];
    if (row < gallery_count()) {
        const fo_description *about = gallery_get(row)->system.about;
        words[0] = about->name, words[1] = about->about;
    } else {
        const world_model *world = world_get(row - gallery_count());
        words[0] = world->name, words[1] = world->about;
    }
    snprintf(text, LISTING_CELL, "%s", words[column]);
}

static int run_models(const command *self, int argc, char **argv)
{
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, NULL, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count)
        return complain_usage(self,
                              "takes no arguments, found '%s'; 'foliot show %s' says more "
                              "about one model",
                              rest.list[0], rest.list[0]);
    listing models = {.columns = 2, .rows = gallery_count() + world_count(), .cell = cell};
    listing_print(stdout, &models, terminal_listing_width(stdout));
    return EXIT_FINE;
}

static const option no_options[] = {{0}};
const command command_models = {"models",   "",   "List the models that come with foliot.",
                                no_options, NULL, run_models};
