// foliot export: a model for other tools.
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/export_fmu.h"
#include "cli/folders.h"
#include "cli/json.h"
#include "cli/model.h"
#include "cli/replace.h"
#include "cli/run/limit.h"

typedef struct export_options {
    bool plugin, document, hamiltonian, matrix, overwrite, json;
    const char *output, *fmu, *type, *memory, *platform;
    maybe_count version;
} export_options;

#define AT(member) offsetof(export_options, member)
static const option export_table[] = {
    {"plugin", 0, NULL, OPTION_FLAG, AT(plugin),
     "a shared library with plain C functions, from a *.structure.json"},
    {"document", 0, NULL, OPTION_FLAG, AT(document),
     "the whole structure as a *.structure.json, with its parts expanded"},
    {"hamiltonian", 0, NULL, OPTION_FLAG, AT(hamiltonian),
     "its energy as a polynomial in positions and momenta"},
    {"matrix", 0, NULL, OPTION_FLAG, AT(matrix),
     "masses on the diagonal, stiffnesses below, lengths above"},
    {"fmu", 0, "FILE", OPTION_TEXT, AT(fmu),
     "a Functional Mock-up Unit (FMU), from a Modelica text, diagram, structure or field"},
    {"fmi", 0, "VERSION", OPTION_COUNT, AT(version), "FMI version of the FMU: 2 or 3; default: 3"},
    {"type", 0, "TYPE", OPTION_TEXT, AT(type),
     "interface of the FMU: me (Model Exchange), cs (Co-Simulation) or me,cs; default: both"},
    {"platform", 0, "NAME", OPTION_TEXT, AT(platform),
     "beside this machine's binary: win64 (64-bit Windows) or none; default: win64 where this "
     "program was built with a compiler for it"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "the file to write; all but the plug-in are shown without one"},
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},
    {"overwrite", 0, NULL, OPTION_FLAG, AT(overwrite),
     "replace a file that is there and is not what this command writes"},
    {"json", 0, NULL, OPTION_FLAG, AT(json),
     "print what was made as JSON: the kind, and the file with its size, or the text"},
    {0},
};

static const char MARK[] = "foliotPL"; // the last bytes of a plug-in

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
    memcpy(tail + 8, MARK, 8);
    return fwrite(tail, 1, sizeof tail, to) == sizeof tail;
}

// A file that is there and does not end as plug-ins do is somebody else's.
static bool may_replace(const command *self, const export_options *o)
{
    struct stat about;
    char tail[8] = "";
    if (!replace_plain(self, o->output)) return false;
    if (o->overwrite || stat(o->output, &about) != 0 || !about.st_size) return true;
    FILE *file = fopen(o->output, "rb");
    bool ours = file && fseek(file, -8, SEEK_END) == 0 && fread(tail, 1, 8, file) == 8 &&
                memcmp(tail, MARK, 8) == 0;
    if (file) fclose(file);
    if (!ours)
        complain(self, "%s is there and is not what --plugin writes; --overwrite replaces it",
                 o->output);
    return ours;
}

// ------------------------------------------------------------------------------------------- JSON

static const char *kind_of(const export_options *o)
{
    return o->fmu        ? "fmu"
           : o->plugin   ? "plugin"
           : o->document ? "document"
           : o->matrix   ? "matrix"
                         : "hamiltonian";
}

/// What was made of which model; `text` where it went into no file.
static bool say(const char *model, const export_options *o, const char *text)
{
    const char *file = o->fmu ? o->fmu : o->output;
    struct stat about;
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "model", model);
    json_text(&j, "kind", kind_of(o));
    json_text(&j, "file", file);
    if (file && stat(file, &about) == 0) json_whole(&j, "bytes", (uint64_t)about.st_size);
    if (text) json_text(&j, "text", text);
    json_close(&j);
    return fflush(stdout) == 0;
}

static int write_plugin(const command *self, const char *model_path, const export_options *o)
{
    const char *output = o->output;
    char path[2 * PATH_MAX];
    if (!may_replace(self, o)) return EXIT_FAILED;
    program_part("foliot_plugin.so", path, sizeof path); // without a document
    FILE *library = fopen(path, "rb"), *document = fopen(model_path, "rb");
    char fresh[PATH_MAX + 8]; // it gets its name when it is whole
    bool named = snprintf(fresh, sizeof fresh, "%s.new", output) < PATH_MAX;
    FILE *to = library && document && named ? fopen(fresh, "wb") : NULL;
    if (!library) complain(self, "cannot find the plug-in library, expected it at %s", path);
    if (library && document && !to) complain(self, "cannot write %s: %s", output, strerror(errno));
    bool good = to && join(library, document, to);
    if (to && (fflush(to) != 0 || fsync(fileno(to)) != 0)) good = false;
    if (to && fclose(to) != 0) good = false;
    if (good && (chmod(fresh, 0755) != 0 || rename(fresh, output) != 0)) good = false;
    if (to && !good) complain(self, "cannot write %s: %s", output, strerror(errno));
    if (to && !good) unlink(fresh);
    if (library) fclose(library);
    if (document) fclose(document);
    return good ? EXIT_FINE : EXIT_FAILED;
}

// ----------------------------------------------------------------------------------------- texts

// Calls a writer twice: for the length, and for the text. NULL when memory is lacking.
static char *text_of(size_t (*write)(const void *self, char *text, size_t size), const void *self)
{
    size_t length = write(self, NULL, 0);
    char *text = length ? malloc(length + 1) : NULL;
    if (text && write(self, text, length + 1) == length) return text;
    free(text); // there was memory for the length, but not for the text
    return NULL;
}

static size_t write_document(const void *self, char *text, size_t size)
{
    return fo_structure_document_write(self, text, size);
}

static size_t write_energy(const void *self, char *text, size_t size)
{
    return fo_hamiltonian_print(self, text, size);
}

static char *energy_text(const fo_structure_document *d, fo_message *why)
{
    const fo_structure *s = fo_structure_document_structure(d);
    if (!s) return text_of(write_energy, fo_structure_document_hamiltonian(d));
    fo_hamiltonian *h = fo_structure_hamiltonian(s, why);
    char *text = h ? text_of(write_energy, h) : NULL;
    fo_hamiltonian_destroy(h);
    return text;
}

// The same as it may be shown: its names are those of the document. NULL when memory is lacking.
static char *shown_text(char *text)
{
    size_t size = text ? FOI_ESCAPE_GROWTH * strlen(text) + 1 : 0;
    char *plain = text ? malloc(size) : NULL;
    if (plain) foi_text_escape(text, "", plain, size);
    free(text);
    return plain;
}

static char *matrix_text(const fo_structure_document *d, fo_message *why)
{
    const fo_structure *s = fo_structure_document_structure(d);
    if (!s) {
        fo_fail(why, FO_ERROR_UNFIT, "a Hamiltonian has no matrix of masses and springs");
        return NULL;
    }
    size_t n = fo_structure_nodes(s), length = 0;
    double *matrix = n <= 10000 ? malloc(n * n * sizeof *matrix) : NULL;
    char *text = matrix ? malloc(n * n * (FOI_DECIMAL_SIZE + 1) + 1) : NULL;
    if (text && fo_structure_matrix(s, matrix, why) == FO_OK) {
        for (size_t i = 0; i < n * n; i++) {
            length += (size_t)foi_number_text(matrix[i], text + length);
            text[length++] = i % n + 1 < n ? ' ' : '\n';
        }
        text[length - 1] = 0;
    } else {
        free(text);
        text = NULL;
    }
    free(matrix);
    return text;
}

// Into the file: all of it, or nothing.
static int keep_text(const command *self, char *text, const export_options *o)
{
    char first[17];
    const char *const beginnings[] = {first, NULL};
    size_t length = strlen(text);
    snprintf(first, sizeof first, "%s", text);
    const char *by = o->document ? "--document" : o->matrix ? "--matrix" : "--hamiltonian";
    if (!o->document) text[length++] = '\n'; // in the place of its end
    return replace_save(self, by, o->output, text, length, beginnings, o->overwrite) ? EXIT_FINE
                                                                                     : EXIT_FAILED;
}

static int write_text(const command *self, const char *name, const fo_structure_document *d,
                      const export_options *o)
{
    fo_message why = {0};
    char *text = NULL;
    if (o->document) text = text_of(write_document, d);
    if (o->hamiltonian) text = shown_text(energy_text(d, &why));
    if (o->matrix) text = matrix_text(d, &why);
    if (!text) {
        complain(self, "%s", why.status ? why.text : "no memory for the text");
        return EXIT_FAILED;
    }
    int result = o->output ? keep_text(self, text, o) : EXIT_FINE;
    bool shown = o->output || o->json || printf(o->document ? "%s" : "%s\n", text) >= 0;
    if (shown && result == EXIT_FINE && o->json) shown = say(name, o, o->output ? NULL : text);
    if (!shown) result = EXIT_FAILED;
    free(text);
    return result;
}

// --fmu OUT --fmi 2|3 --type me,cs
static int write_unit(const command *self, const char *name, const export_options *o)
{
    const char *type = o->type ? o->type : "me,cs";
    bool both = strcmp(type, "me,cs") == 0 || strcmp(type, "cs,me") == 0;
    export_fmu e = {name,
                    o->fmu,
                    o->version.given ? (int)o->version.value : 3,
                    both || strcmp(type, "me") == 0,
                    both || strcmp(type, "cs") == 0,
                    o->type != NULL,
                    o->overwrite,
                    !o->platform || strcmp(o->platform, "win64") == 0,
                    o->platform != NULL};
    if (o->platform && !e.windows && strcmp(o->platform, "none") != 0)
        return complain_usage(self, "--platform is win64 or none, not '%s'", o->platform);
    if (!e.exchange && !e.cosimulation)
        return complain_usage(self, "--type must be me, cs or me,cs, not '%s'", type);
    if (o->version.given && o->version.value != 2 && o->version.value != 3)
        return complain_usage(self, "--fmi must be 2 or 3");
    int result;
    fo_model *m = model_open(self, name, NULL, &result);
    if (!m) return result;
    result = export_fmu_write(self, &e, m);
    fo_model_close(m);
    if (result == EXIT_FINE && o->json && !say(name, o, NULL)) result = EXIT_FAILED;
    return result;
}

static int run_export(const command *self, int argc, char **argv)
{
    export_options o = {0};
    operands rest;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    size_t length = o.fmu ? strlen(o.fmu) : 0;
    if (o.fmu && (length < 5 || strcmp(o.fmu + length - 4, ".fmu") != 0))
        return complain_usage(self, "--fmu names the file to write, *.fmu, not '%s'", o.fmu);
    const char *name = model_operand(self, &rest);
    if (!name) return EXIT_USAGE;
    int asked = o.plugin + o.document + o.hamiltonian + o.matrix + (o.fmu != NULL);
    if (asked != 1)
        return complain_usage(
            self, "needs one of --fmu, --plugin, --document, --hamiltonian, --matrix, found %s",
            asked ? "more" : "none");
    if (o.fmu) return limit_model(self, name, o.memory) ? write_unit(self, name, &o) : EXIT_USAGE;
    if (o.json && o.output && strcmp(o.output, "-") == 0)
        return complain_usage(self, "--json and --output - both want standard output");
    if (o.plugin && !o.output)
        return complain_usage(self, "--plugin needs --output FILE, the library to write");
    fo_model_def def = model_def(name);
    const char *kind = fo_model_find(&def, NULL, 0);
    if (kind && strcmp(kind, "structure") != 0)
        return complain_usage(self, "'%s' is not a *.structure.json", name);
    int result;
    if (!limit_model(self, name, o.memory)) return EXIT_USAGE;
    fo_model *m = model_open(self, name, NULL, &result);
    if (!m) return result;
    result = o.plugin ? write_plugin(self, fo_model_path(m), &o)
                      : write_text(self, name, fo_model_structure(m), &o);
    fo_model_close(m);
    if (o.plugin && o.json && result == EXIT_FINE && !say(name, &o, NULL)) result = EXIT_FAILED;
    return result;
}

const command command_export = {
    "export",     "MODEL", "Export a model for other tools: FMU, C library, matrices.",
    export_table, NULL,    run_export};
