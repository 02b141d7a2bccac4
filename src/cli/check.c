// foliot check: reads a model and says whether it could run, without running it.
#include <stdio.h>

#include "cli/command.h"
#include "cli/model.h"
#include "cli/run/limit.h"

typedef struct check_options {
    settings set;
    const char *memory;
} check_options;

static int check_model(const command *self, const char *name, const check_options *o)
{
    fo_message why = {0};
    int result;
    if (!limit_model(self, name, o->memory)) return EXIT_USAGE;
    fo_model *m = model_open(self, name, &(model_request){.set = &o->set}, &result);
    if (!m) return result;
    fo_system system = fo_model_system(m);
    fo_status status = fo_system_check(system, &why);
    if (fo_failed(status)) complain(self, "%s", why.text);
    fo_shape shape = fo_system_shape(system);
    if (!fo_failed(status))
        printf("%s: fine; %u states, %u guards, %u outputs\n", system.about->name, shape.states,
               shape.guards, shape.outputs);
    fo_model_close(m);
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
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
    {"memory", 0, "SIZE", OPTION_TEXT, offsetof(check_options, memory), LIMIT_ABOUT},
    OPTION_OWN_NODES,
    {0}};
const command command_check = {
    "check",     "MODEL", "Read a model and say whether it could run, without running it.",
    check_table, NULL,    run_check};
