// foliot export: a model for other tools.
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/model.h"

typedef struct export_options {
    bool plugin;
    const char *output;
} export_options;

#define AT(member) offsetof(export_options, member)
static const option export_table[] = {
    {"plugin", 0, NULL, OPTION_FLAG, AT(plugin),
     "a shared library with plain C functions, from a *.structure.json"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output), "the file to write"},
    {0},
};

// The plug-in without a document: beside the program, or where it is installed.
static FILE *open_template(char *path, size_t size)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return NULL;
    own[length] = 0;
    char *name = strrchr(own, '/');
    if (name) *name = 0;
    snprintf(path, size, "%s/foliot_plugin.so", own);
    FILE *file = fopen(path, "rb");
    if (file) return file;
#ifdef FOLIOT_PLUGIN_AT
    snprintf(path, size, "%s/../%s", own, FOLIOT_PLUGIN_AT);
#endif
    return fopen(path, "rb");
}

// Copies all of a file; how much that was. SIZE_MAX when it fails.
static size_t append(FILE *from, FILE *to)
{
    char piece[1 << 16];
    size_t got, all = 0;
    while ((got = fread(piece, 1, sizeof piece, from)) > 0) {
        if (fwrite(piece, 1, got, to) != got) return SIZE_MAX;
        all += got;
    }
    return ferror(from) ? SIZE_MAX : all;
}

// The library, the document, its length in 8 bytes, and a mark.
static bool join(FILE *library, FILE *document, FILE *to)
{
    unsigned char tail[16] = {0};
    if (append(library, to) == SIZE_MAX) return false;
    size_t length = append(document, to);
    if (length == SIZE_MAX) return false;
    for (int i = 0; i < 8; i++) tail[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(tail + 8, "foliotPL", 8);
    return fwrite(tail, 1, sizeof tail, to) == sizeof tail;
}

static int write_plugin(const command *self, const char *model_path, const char *output)
{
    char path[2 * PATH_MAX];
    FILE *library = open_template(path, sizeof path), *document = fopen(model_path, "rb");
    FILE *to = library && document ? fopen(output, "wb") : NULL;
    if (!library) complain(self, "cannot find the plug-in library, expected it at %s", path);
    if (library && document && !to) complain(self, "cannot write %s: %s", output, strerror(errno));
    bool good = to && join(library, document, to);
    if (to && fclose(to) != 0) good = false;
    if (to && !good) complain(self, "cannot write %s: %s", output, strerror(errno));
    if (good) chmod(output, 0755);
    if (library) fclose(library);
    if (document) fclose(document);
    return good ? EXIT_FINE : EXIT_FAILED;
}

static int run_export(const command *self, int argc, char **argv)
{
    export_options o = {0};
    operands rest;
    model m = {0};
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    const char *name = model_operand(self, &rest);
    if (!name) return EXIT_USAGE;
    if (!o.plugin || !o.output)
        return complain_usage(self, "needs %s", o.plugin ? "--output FILE" : "--plugin");
    if (!structure_meant(name))
        return complain_usage(self, "'%s' is no *.structure.json, of which a plug-in is made",
                              name);
    if (!model_open(self, name, &m)) return EXIT_USAGE;
    model_close(&m);
    return write_plugin(self, name, o.output);
}

const command command_export = {"export",     "MODEL", "Make something for other tools of a model.",
                                export_table, NULL,    run_export};
