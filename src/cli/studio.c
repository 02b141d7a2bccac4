// foliot studio: the page in the browser, served by a program of its own.
#include <errno.h>
#include <foliot/foliot.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/folders.h"

typedef struct studio_options {
    maybe_count port;
    bool json;
} studio_options;

#define AT(member) offsetof(studio_options, member)
static const option options[] = {
    {"port", 'p', "N", OPTION_COUNT, AT(port), "listen on this port; 0: on any free one"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print the address as JSON"},
    {NULL},
};
#undef AT

static int run_studio(const command *self, int argc, char **argv)
{
    studio_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count > 1) return complain_usage(self, "takes one folder, not '%s'", rest.list[1]);
    if (o.port.given && o.port.value > 65535)
        return complain_usage(self, "a port must be at most 65535, not %llu",
                              (unsigned long long)o.port.value);
    char server[2 * PATH_MAX], program[PATH_MAX], port[16];
    if (!program_part("foliot-studio", server, sizeof server)) {
        complain(self, "this foliot was built without the studio, which needs Node and "
                       "libwebsockets (libwebsockets-dev); 'make studio' gets them and builds it");
        return EXIT_FAILED;
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    snprintf(port, sizeof port, "%llu", (unsigned long long)o.port.value);
    const char *folder = rest.count ? rest.list[0] : ".";
    char shown[PATH_MAX];
    foi_text_escape(folder, "", shown, sizeof shown);
    fflush(stdout);
    execl(server, server, program, folder, o.port.given ? port : "", o.json ? "json" : "", shown,
          (char *)NULL);
    complain(self, "%s: %s", server, strerror(errno));
    return EXIT_FAILED;
}

const command command_studio = {
    "studio",
    "[FOLDER]",
    "Draw and run models in the browser, and act on them while they run.",
    options,
    "Serves the page and the models (*.mo, *.json) of FOLDER, or of the folder\n"
    "where it is started, on 127.0.0.1. The address is the first line that it\n"
    "prints; it contains a secret that is new with each start.\n",
    run_studio};
