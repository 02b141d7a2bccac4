/// Models that others have compiled: *.so with a world of processes or a system in C, and *.c that
/// is compiled first, into the user's cache. Such a file is code: it is opened where it is named,
/// never because a document asks or a folder has it.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/cache.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "model/model.h"

static bool ends(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

static bool meant(const char *name, const char **end)
{
    *end = name + strlen(name);
    return ends(name, ".so") || ends(name, ".c");
}

// ------------------------------------------------------------------------------------ the compiler

/// Files of one compilation, in the cache.
typedef struct places {
    char folder[FOI_CACHE_FOLDER];
    char plain[FOI_CACHE_FILE], said[FOI_CACHE_FILE], made[FOI_CACHE_FILE];
    char object[FOI_MODEL_PATH + FOI_CACHE_FILE];
    fo_message fault; ///< of an object that was there and had to be made anew
    fo_message why;   ///< of one that could not be kept: the failure is EBADF
} places;

// What it prints goes to the file `said`. 0 when it succeeds.
static int run_compiler(const char **words, const char *said)
{
    foi_compiler c;
    int failed = foi_compiler_start(words, said, &c);
    if (failed) return failed;
    int result = foi_compiler_wait(&c);
    return result >= 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0 ? 0 : EPROTO;
}

// "shop.c:12:3: error: text", as gcc and clang say it.
static void take_line(fo_model *m, char *line)
{
    static const struct {
        const char *word;
        fo_severity severity;
    } kinds[] = {{": error: ", FO_SEVERITY_ERROR},
                 {": fatal error: ", FO_SEVERITY_ERROR},
                 {": warning: ", FO_SEVERITY_WARNING}};
    line[strcspn(line, "\r\n")] = 0;
    for (size_t i = 0; i < 3; i++) {
        char *word = strstr(line, kinds[i].word);
        if (!word) continue;
        fo_finding f = {.severity = kinds[i].severity, .file = line};
        *word = 0;
        f.text = word + strlen(kinds[i].word);
        char *column = strrchr(line, ':');
        if (column) *column = 0;
        char *row = column ? strrchr(line, ':') : NULL;
        if (row) *row = 0;
        if (row) f.line = (uint32_t)strtoul(row + 1, NULL, 10);
        if (row) f.column = (uint32_t)strtoul(column + 1, NULL, 10);
        foi_model_add_finding(m, &f, NULL);
        return;
    }
}

static fo_status complain(fo_model *m, const places *p, int failed, fo_message *why)
{
    char line[1024];
    FILE *said = fopen(p->said, "r");
    while (said && m->finding_count < 20 && fgets(line, sizeof line, said)) take_line(m, line);
    if (said) fclose(said);
    if (failed == EBADF) return fo_fail(why, FO_ERROR_UNFIT, "%s", p->why.text);
    if (failed != EPROTO)
        return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    return fo_fail(why, FO_ERROR_FORMAT, "the C compiler fails on %s", m->path);
}

static bool digest_file(const char *path, foi_digest *digest)
{
    char block[1 << 14];
    foi_digester d;
    foi_digest_begin(&d);
    const char *wrong;
    FILE *file = foi_file_plain(path, &wrong);
    if (!file) return false;
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0;) foi_digest_add(&d, block, n);
    bool good = !ferror(file);
    fclose(file);
    *digest = foi_digest_end(&d);
    return good;
}

static void name_files(places *p)
{
    unsigned long pid = (unsigned long)getpid(), here = (unsigned long)(uintptr_t)p;
    size_t size = FOI_CACHE_FILE;
    snprintf(p->said, size, "%s/world-%lx-%lx.txt", p->folder, pid, here);
    snprintf(p->plain, size, "%s/world-%lx-%lx.i", p->folder, pid, here);
    snprintf(p->made, size, "%s/world-%lx-%lx.so", p->folder, pid, here);
}

// One that is not whole is made anew; p->fault says so.
static int make_object(places *p, const char **arguments)
{
    foi_digest digest;
    if (!digest_file(p->plain, &digest)) return errno;
    snprintf(p->object, sizeof p->object, "%s/world-%016llx%016llx.so", p->folder,
             (unsigned long long)digest.half[0], (unsigned long long)digest.half[1]);
    if (foi_cache_look(p->object, digest, &p->fault) == FOI_CACHE_GOOD) return 0;
    int failed = run_compiler(arguments, p->said);
    if (failed) return failed;
    return fo_failed(foi_cache_keep(p->made, p->object, digest, &p->why)) ? EBADF : 0;
}

// What the preprocessor makes of the source is its name in the cache: headers count, too. What the
// compiler says stays in p->said.
static int compile_source(const char *path, const char *headers, places *p)
{
    char include[FOI_MODEL_PATH + 4];
    if (!headers) headers = ".";
    if (strlen(headers) + sizeof "-I" > sizeof include) return ENAMETOOLONG;
    name_files(p);
    snprintf(include, sizeof include, "-I%s", headers);
    const char *first[] = {NULL, "-std=gnu17", include, "-E", "-o", p->plain, path, NULL};
    const char *second[] = {NULL,
                            "-std=gnu17",
                            include,
                            "-O2",
                            "-shared",
                            "-fPIC",
                            "-ffp-contract=off",
                            "-Wall",
                            "-Werror=implicit-function-declaration",
                            "-o",
                            p->made,
                            path,
                            "-lm",
                            NULL};
    int failed = run_compiler(first, p->said);
    if (!failed) failed = make_object(p, second);
    unlink(p->plain);
    if (failed) unlink(p->made);
    return failed;
}

static fo_status compile(fo_model *m, const fo_model_def *def, places *p, fo_message *why)
{
    if (fo_failed(foi_cache_folder(def->program.folder, p->folder, why))) return FO_ERROR_UNFIT;
    int failed = compile_source(m->path, def->headers, p);
    fo_status status = failed ? complain(m, p, failed, why) : FO_OK;
    unlink(p->said);
    if (fo_failed(p->fault.status))
        foi_model_add_finding(
            m, &(fo_finding){.severity = FO_SEVERITY_NOTE, .file = m->path, .text = p->fault.text},
            NULL);
    return status;
}

// ------------------------------------------------------------------------------------- the library

static fo_status open_object(const char *path, void **library, fo_message *why)
{
    char whole[FOI_MODEL_PATH + 2];
    snprintf(whole, sizeof whole, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (access(whole, R_OK) != 0)
        return fo_fail(why, FO_ERROR_INPUT, "cannot open %s: %s", path, strerror(errno));
    *library = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    return *library ? FO_OK : fo_fail(why, FO_ERROR_FORMAT, "%s", dlerror());
}

static fo_status check_version(const char *path, const char *version, fo_message *why)
{
    if (!version) version = "";
    size_t minor = strlen(FO_VERSION) - strlen(strrchr(FO_VERSION, '.'));
    if (strncmp(version, FO_VERSION, minor + 1) != 0)
        return fo_fail(why, FO_ERROR_UNFIT, "%s was compiled for foliot %s, and this is %s", path,
                       version, FO_VERSION);
    return FO_OK;
}

static fo_status load(fo_model *m, const char *path, const fo_exported_model **found,
                      fo_message *why)
{
    fo_status status = open_object(path, &m->library, why);
    if (status != FO_OK) return status;
    *found = dlsym(m->library, "fo_exported");
    if (!*found)
        return fo_fail(why, FO_ERROR_FORMAT,
                       "%s is no model: it has no FO_EXPORT_WORLD(...) or FO_EXPORT_SYSTEM(...)",
                       m->name);
    return check_version(path, (*found)->version, why);
}

// No compiler and no loader is to wait for a FIFO, or to read a device without end.
static fo_status check_plain(const char *path, fo_message *why)
{
    const char *wrong;
    FILE *file = foi_file_plain(path, &wrong);
    if (!file) return fo_fail(why, FO_ERROR_INPUT, "cannot open %s: %s", path, wrong);
    fclose(file);
    return FO_OK;
}

static fo_status open_library(fo_model *m, const fo_model_def *def, fo_message *why)
{
    places *p = foi_new(m->allocator, 1, sizeof *p);
    const fo_exported_model *found = NULL;
    fo_status status = p ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a model");
    if (p) snprintf(p->object, sizeof p->object, "%s", m->path);
    if (p && strlen(m->path) >= sizeof p->object)
        status = fo_fail(why, FO_ERROR_INPUT, "the path of the model is too long");
    if (status == FO_OK) status = check_plain(m->path, why);
    if (status == FO_OK && ends(m->path, ".c")) status = compile(m, def, p, why);
    if (status == FO_OK) status = load(m, p->object, &found, why);
    if (status == FO_OK) m->path = foi_arena_text(&m->arena, p->object, strlen(p->object));
    foi_free(m->allocator, p);
    if (status == FO_OK && !m->path)
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for a model");
    if (status != FO_OK) return status;
    if (found->world) return foi_world_open(m, found->world, def, why);
    if (found->system) return foi_system_open(m, found->system);
    return fo_fail(why, FO_ERROR_FORMAT, "%s exports nothing", m->name);
}

void foi_library_close(void *library)
{
    if (library) dlclose(library);
}

const foi_model_kind foi_kind_library = {.name = "library",
                                         .about = "a world or system of your own, *.so or *.c",
                                         .ending = ".so",
                                         .code = true,
                                         .meant = meant,
                                         .open = open_library};

// --------------------------------------------------------------------------------------- node
// types

struct fo_node_library {
    const fo_allocator *allocator;
    void *object;
    const fo_node_type *const *types;
    size_t count;
};

// The first error of the compiler, "mine.c:3:1: error: ...", or that it fails.
static fo_status compiler_error(const char *path, const char *said, int failed, fo_message *why)
{
    char line[400];
    FILE *file = failed == EPROTO ? fopen(said, "r") : NULL;
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) found = strstr(line, "error: ");
    if (file) fclose(file);
    line[found ? strcspn(line, "\r\n") : 0] = 0;
    if (failed != EPROTO)
        return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    return fo_fail(why, FO_ERROR_FORMAT, "%s%s%s", found ? line : "the C compiler fails on ",
                   found ? "" : path, "");
}

// The shared library of a file, which is compiled first where it is C.
static fo_status object_of(const fo_node_library_def *def, places *p, fo_message *why)
{
    if ((size_t)snprintf(p->object, sizeof p->object, "%s", def->path) >= sizeof p->object)
        return fo_fail(why, FO_ERROR_INPUT, "the path of the node types is too long");
    bool compiled = ends(def->path, ".so");
    if (!compiled && !ends(def->path, ".c"))
        return fo_fail(why, FO_ERROR_ARGUMENT, "node types are in *.so or *.c, not in '%s'",
                       def->path);
    fo_status plain = check_plain(def->path, why);
    if (plain != FO_OK || compiled) return plain;
    if (fo_failed(foi_cache_folder(def->folder, p->folder, why))) return FO_ERROR_UNFIT;
    int failed = compile_source(def->path, def->headers, p);
    fo_status status = failed == EBADF ? fo_fail(why, FO_ERROR_UNFIT, "%s", p->why.text)
                       : failed        ? compiler_error(def->path, p->said, failed, why)
                                       : FO_OK;
    unlink(p->said);
    return status;
}

static fo_status take_types(fo_node_library *l, const char *path, const char *object,
                            fo_message *why)
{
    fo_status status = open_object(object, &l->object, why);
    if (status != FO_OK) return status;
    const fo_node_export *found = dlsym(l->object, "fo_exported_nodes");
    if (!found || !found->types)
        return fo_fail(why, FO_ERROR_FORMAT, "%s has no node types: it has no FO_EXPORT_NODES",
                       path);
    status = check_version(path, found->version, why);
    for (l->types = found->types; status == FO_OK && l->types[l->count]; l->count++) {
        fo_node_help help;
        status = fo_node_type_help(l->types[l->count], &help, why);
    }
    return status;
}

fo_node_library_def fo_default_node_library_def(void)
{
    return (fo_node_library_def){.path = NULL};
}

fo_node_library *fo_node_library_open(const fo_node_library_def *def, fo_message *why)
{
    const fo_allocator *a = def->allocator ? def->allocator : fo_heap();
    fo_node_library *l = foi_new(a, 1, sizeof *l);
    places *p = foi_new(a, 1, sizeof *p);
    fo_status status = FO_OK;
    if (l) l->allocator = a;
    if (!l || !p) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for node types");
    if (status == FO_OK) status = object_of(def, p, why);
    if (status == FO_OK) status = take_types(l, def->path, p->object, why);
    foi_free(a, p);
    if (status == FO_OK) return l;
    fo_node_library_close(l);
    return NULL;
}

const fo_node_type *const *fo_node_library_types(const fo_node_library *library, size_t *count)
{
    *count = library->count;
    return library->types;
}

void fo_node_library_close(fo_node_library *library)
{
    if (!library) return;
    foi_library_close(library->object);
    foi_free(library->allocator, library);
}
