// foliot check: reads a model and says whether it could run, without running it.
#include <stdio.h>

#include "cli/command.h"
#include "cli/model.h"

static int run_check(const command *self, int argc, char **argv)
{
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, NULL, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    const char *name = model_operand(self, &rest);
    model m = {0};
    fo_message why = {0};
    if (!name) return EXIT_USAGE;
    if (!model_open(self, name, &m)) return m.exit_status;
    fo_status status = fo_system_check(m.system, &why);
    if (fo_failed(status)) complain(self, "%s", why.text);
    fo_shape shape = fo_system_shape(m.system);
    if (!fo_failed(status))
        printf("%s: fine; %u states, %u guards, %u outputs\n", m.system.about->name, shape.states,
               shape.guards, shape.outputs);
    model_close(&m);
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
}

static const option no_options[] = {{0}};
const command command_check = {
    "check",    "MODEL", "Read a model and say whether it could run, without running it.",
    no_options, NULL,    run_check};
