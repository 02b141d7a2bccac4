// foliot export --fmu: a model as a Functional Mock-up Unit.
#include "cli/export_fmu.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "cli/fmu_files.h"
#include "cli/fmu_sources.h"
#include "cli/fmu_terminals.h"
#include "cli/folders.h"
#include "cli/replace.h"

typedef struct content {
    char *data;
    size_t size;
} content;

static bool read_file(const char *path, content *c)
{
    FILE *file = fopen(path, "rb");
    *c = (content){0};
    if (!file) return false;
    bool good = fseek(file, 0, SEEK_END) == 0;
    long size = good ? ftell(file) : -1;
    rewind(file);
    c->data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    c->size = size >= 0 ? (size_t)size : 0;
    good = c->data && fread(c->data, 1, c->size, file) == c->size;
    fclose(file);
    return good;
}

// A C name of the model's: "wave-2d" becomes wave_2d.
static void identifier_of(const char *name, char *text, size_t size)
{
    size_t n = 0;
    if (name[0] >= '0' && name[0] <= '9') text[n++] = 'm';
    for (; *name && n + 1 < size; name++) {
        bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                      (*name >= '0' && *name <= '9');
        text[n++] = letter ? *name : '_';
    }
    text[n] = 0;
    if (!n) snprintf(text, size, "model");
}

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * UINT64_C(0x100000001B3);
    return h;
}

// The same document, files and binary give the same token.
static void token_of(const content *document, const fmu_files *files, const content *binary,
                     int version, char *text, size_t size)
{
    uint64_t a =
        hash(UINT64_C(0xCBF29CE484222325) + (uint64_t)version, document->data, document->size);
    for (size_t i = 0; i < files->count; i++) {
        a = hash(a, files->list[i].name, strlen(files->list[i].name) + 1);
        a = hash(a, files->list[i].data, files->list[i].size);
    }
    uint64_t b = hash(a ^ UINT64_C(0x9E3779B97F4A7C15), binary->data, binary->size);
    snprintf(text, size, "{%08" PRIx32 "-%04x-%04x-%04x-%012" PRIx64 "}", (uint32_t)(a >> 32),
             (unsigned)(a >> 16 & 0xffff), (unsigned)(a & 0xffff), (unsigned)(b >> 48),
             b & UINT64_C(0xffffffffffff));
}

static void put_html(FILE *out, const char *text)
{
    for (; text && *text; text++) switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '&': fputs("&amp;", out); break;
        default: fputc(*text, out);
        }
}

static char *documentation(fo_system system)
{
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) return NULL;
    FILE *out = text.out;
    fputs("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>", out);
    put_html(out, system.about->name);
    fputs("</title></head><body>\n<h1>", out);
    put_html(out, system.about->name);
    fputs("</h1>\n<p>", out);
    put_html(out, system.about->about);
    fputs("</p>\n<pre>", out);
    put_html(out, system.about->equations);
    fputs(
        "</pre>\n<p>Made by Foliot. The model's document is in resources/, the binary holds the "
        "parts of Foliot that run it, and sources/ has them: <code>cc @build.txt -o NAME.so</code> "
        "there makes the binary anew (-lm and the C library are all it "
        "needs).</p>\n</body></html>\n",
        out);
    return foi_text_take(&text);
}

static char *description(const fo_fmu_description_def *def)
{
    size_t size = fo_fmu_write_description(def, NULL, 0);
    char *text = size ? malloc(size + 1) : NULL;
    if (text) fo_fmu_write_description(def, text, size + 1);
    return text;
}

/// All that goes into the archive.
typedef struct parts {
    content document, binary, windows;
    fmu_sources sources;
    fmu_files files; ///< that the document reads
    bool in_library;
    char *description, *documentation, *arguments, *build, *terminals;
    char token[64], identifier[120], card[800], model[300], name[300];
} parts;

enum { MOST_OTHERS = 12 };

static fo_fmu_file text_file(const char *name, const char *text)
{
    return (fo_fmu_file){name, text, strlen(text), false};
}

// What is beside the model: the page, the icon, terminals and how the sources are compiled.
static size_t list_papers(const export_fmu *e, const parts *p, fo_fmu_file *files)
{
    size_t n = 0;
    files[n++] = text_file("documentation/index.html", p->documentation);
    if (p->sources.license)
        files[n++] = (fo_fmu_file){"documentation/licenses/license.txt", p->sources.license,
                                   p->sources.license_size, false};
    files[n++] = text_file("sources/build.txt", p->arguments);
    if (e->version == 2) {
        files[n++] = (fo_fmu_file){"model.png", fmu_icon, sizeof fmu_icon, false};
        return n;
    }
    files[n++] = text_file("sources/buildDescription.xml", p->build);
    files[n++] = text_file("terminalsAndIcons/terminalsAndIcons.xml", p->terminals);
    files[n++] = (fo_fmu_file){"terminalsAndIcons/icon.png", fmu_icon, sizeof fmu_icon, false};
    files[n++] = text_file("terminalsAndIcons/icon.svg", fmu_icon_drawn);
    return n;
}

static bool write_parts(const export_fmu *e, parts *p, const char *path, fo_message *why)
{
    char place[300], other[300], model[340];
    fo_fmu_file *files = calloc(p->sources.count + p->files.count + MOST_OTHERS, sizeof *files);
    if (!files) {
        fo_fail(why, FO_ERROR_MEMORY, "out of memory");
        return false;
    }
    snprintf(place, sizeof place, "binaries/%s/%s.so", fo_fmu_platform(e->version), p->identifier);
    snprintf(other, sizeof other, "binaries/%s/%s.dll",
             e->version == 2 ? "win64" : "x86_64-windows", p->identifier);
    snprintf(model, sizeof model, "resources/%s", p->model);
    size_t n = 0;
    files[n++] = text_file("modelDescription.xml", p->description);
    files[n++] = (fo_fmu_file){place, p->binary.data, p->binary.size, true};
    if (p->windows.data) files[n++] = (fo_fmu_file){other, p->windows.data, p->windows.size, true};
    files[n++] = text_file("resources/foliot.txt", p->card);
    if (!p->in_library)
        files[n++] = (fo_fmu_file){model, p->document.data, p->document.size, false};
    for (size_t i = 0; i < p->files.count; i++) files[n++] = p->files.list[i];
    n += list_papers(e, p, files + n);
    for (size_t i = 0; i < p->sources.count; i++) files[n++] = p->sources.files[i];
    bool good = fo_fmu_write(path, files, n, why) == FO_OK;
    free(files);
    return good;
}

// "shop.mo:Package.Model": the file keeps its name, and which model of it goes along.
static void name_model(const export_fmu *e, const fo_model *m, parts *p)
{
    const char *path = fo_model_path(m), *slash = strrchr(path, '/');
    const char *colon = strstr(e->name, ".mo:");
    snprintf(p->model, sizeof p->model, "%.250s", slash ? slash + 1 : path);
    snprintf(p->card, sizeof p->card, "%s\n%s\n%.250s\n", p->token, p->in_library ? "" : p->model,
             p->in_library ? p->model
             : colon       ? colon + 4
                           : "");
}

// The binary of units and its sources, which belong to this program.
static bool gather_program(const command *self, parts *p)
{
    char path[2 * PATH_MAX];
    content packed;
    program_part("foliot_fmu.so", path, sizeof path);
    if (!read_file(path, &p->binary)) {
        complain(self, "cannot find the binary for exported FMUs, expected it at %s", path);
        return false;
    }
    program_part("foliot_fmu_sources.txt", path, sizeof path);
    bool there = read_file(path, &packed);
    if (fmu_sources_read(&p->sources, packed.data, there ? packed.size : 0)) return true;
    complain(self, "cannot find the sources for exported FMUs, expected them at %s", path);
    return false;
}

// That for Windows is made where this program was built with a compiler for it.
static bool gather_windows(const command *self, const export_fmu *e, parts *p)
{
    char path[2 * PATH_MAX];
    program_part("foliot_fmu.dll", path, sizeof path);
    if (!e->windows || read_file(path, &p->windows) || !e->insisted) return true;
    complain(self,
             "there is no binary of units for Windows, expected at %s: this program was built "
             "without x86_64-w64-mingw32-gcc",
             path);
    return false;
}

static bool write_texts(parts *p, const fo_fmu_description_def *def)
{
    p->description = description(def);
    p->documentation = documentation(def->system);
    p->arguments = fmu_sources_arguments(&p->sources);
    p->build = fmu_sources_description(&p->sources, p->identifier);
    p->terminals = fmu_terminals(def->system);
    return p->description && p->documentation && p->arguments && p->build && p->terminals;
}

// A model of a library, which is opened by its name, has no document of its own: it was read from
// others.
static bool is_in_library(const fo_model *m)
{
    const char *path = fo_model_path(m), *source;
    if (!fo_model_source(m, 0)) return false;
    for (size_t i = 0; (source = fo_model_source(m, i)) != NULL; i++)
        if (strcmp(source, path) == 0) return false;
    return true;
}

static bool gather(const command *self, const export_fmu *e, const fo_model *m, parts *p)
{
    if (!gather_program(self, p) || !gather_windows(self, e, p)) return false;
    p->in_library = is_in_library(m);
    if (!p->in_library && !read_file(fo_model_path(m), &p->document)) {
        complain(self, "cannot read %s: %s", fo_model_path(m), strerror(errno));
        return false;
    }
    if (!fmu_files_gather(self, m, &p->files)) return false;
    fo_system system = fo_model_system(m);
    identifier_of(system.about->name ? system.about->name : "", p->identifier,
                  sizeof p->identifier);
    token_of(&p->document, &p->files, &p->binary, e->version, p->token, sizeof p->token);
    name_model(e, m, p);
    fo_fmu_description_def def = fo_default_fmu_description_def();
    def.system = system;
    def.run = fo_model_run_def(m), def.interval = fo_model_interval(m);
    def.identifier = p->identifier, def.token = p->token;
    def.version = e->version;
    def.model_exchange = e->exchange, def.co_simulation = e->cosimulation;
    def.sources = p->sources.compiled;
    if (write_texts(p, &def)) return true;
    complain(self, "out of memory");
    return false;
}

// A unit that cannot be opened is not left behind: its document may need files that are not in it.
static bool try_it(const command *self, const export_fmu *e, const char *path)
{
    fo_message why = {0};
    for (int type = 0; type < 2; type++) {
        if (!(type ? e->cosimulation : e->exchange)) continue;
        fo_fmu_def def = fo_default_fmu_def();
        def.type = type ? FO_FMU_CO_SIMULATION : FO_FMU_MODEL_EXCHANGE;
        fo_fmu *fmu = fo_fmu_open(path, &def, &why);
        fo_run_def run = fmu ? fo_fmu_run_def(fmu) : fo_default_run_def();
        fo_simulation *sim = fmu ? fo_simulation_create(fo_fmu_system(fmu), &run, &why) : NULL;
        bool good = sim && !fo_failed(fo_simulation_start(sim));
        if (sim && !good) why = *fo_simulation_message(sim);
        fo_simulation_destroy(sim);
        fo_fmu_close(fmu);
        if (good) continue;
        complain(self, "the exported FMU does not start: %s", why.text);
        return false;
    }
    return true;
}

// What Model Exchange cannot say. The history of a delay is made of the steps of who solves it, and
// no longer than the delay; an importer is not told so.
static bool choose_types(const command *self, export_fmu *e, fo_system system)
{
    uint32_t states = fo_system_shape(system).states;
    char reason[120];
    if (!e->exchange) return true;
    if (states > 20000)
        snprintf(reason, sizeof reason, "%u states are too many for Model Exchange", states);
    else if (system.about->max_step > 0)
        snprintf(reason, sizeof reason,
                 "a model with delays cannot be exported for Model Exchange");
    else
        return true;
    if (e->chosen || !e->cosimulation) {
        complain(self, "%s; use --type cs", reason);
        return false;
    }
    complain(self, "note: %s: the FMU has Co-Simulation only", reason);
    e->exchange = false;
    return true;
}

// The file gets its name when it is whole and has been started once.
static bool write_unit(const command *self, const export_fmu *e, parts *p)
{
    static const char *const beginnings[] = {"PK\003\004", NULL};
    char fresh[PATH_MAX];
    fo_message why = {0};
    if (!replace_plain(self, e->output) ||
        !replace_may(self, "--fmu", e->output, beginnings, e->overwrite))
        return false;
    if (snprintf(fresh, sizeof fresh, "%s.new", e->output) >= (int)sizeof fresh) {
        complain(self, "the name %s is too long", e->output);
        return false;
    }
    bool good = write_parts(e, p, fresh, &why);
    if (!good) {
        complain(self, "%s", why.text);
        return false;
    }
    good = try_it(self, e, fresh);
    if (good && rename(fresh, e->output) != 0) {
        complain(self, "cannot write %s: %s", e->output, strerror(errno));
        good = false;
    }
    if (!good) remove(fresh);
    return good;
}

static void free_parts(parts *p)
{
    if (!p) return;
    free(p->document.data);
    free(p->binary.data);
    free(p->windows.data);
    fmu_sources_free(&p->sources);
    fmu_files_free(&p->files);
    free(p->description);
    free(p->documentation);
    free(p->arguments);
    free(p->build);
    free(p->terminals);
    free(p);
}

int export_fmu_write(const command *self, const export_fmu *def, const fo_model *m)
{
    export_fmu e = *def;
    const char *kind = fo_model_kind(m);
    if (!fo_model_path(m) || strcmp(kind, "library") == 0 || strcmp(kind, "fmu") == 0)
        return complain_usage(
            self, "--fmu exports texts, diagrams, structures and fields, not a %s", kind);
    if (!choose_types(self, &e, fo_model_system(m))) return EXIT_FAILED;
    parts *p = calloc(1, sizeof *p);
    bool good = p && gather(self, &e, m, p) && write_unit(self, &e, p);
    free_parts(p);
    return good ? EXIT_FINE : EXIT_FAILED;
}
