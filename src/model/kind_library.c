/// Models that others have compiled: *.so with a world of processes or a system in C, and *.c that
/// is compiled first, into the user's cache. Such a file is code: it is opened where it is named,
/// never because a document asks or a folder has it.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

enum { MOST_ARGUMENTS = 24, PLACE = 1200 };

/// Files of one compilation, in the cache.
typedef struct places {
    char folder[PLACE - 100];
    char plain[PLACE], said[PLACE], made[PLACE], object[PLACE];
} places;

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

// $XDG_CACHE_HOME/foliot, or ~/.cache/foliot, where compiled programs are, too.
static bool find_folder(places *p, const char *given)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    size_t size = sizeof p->folder - 8;
    if (given) return (size_t)snprintf(p->folder, size, "%s", given) < size;
    int n = cache && *cache ? snprintf(p->folder, size, "%s", cache)
            : home          ? snprintf(p->folder, size, "%s/.cache", home)
                            : -1;
    if (n < 0 || (size_t)n >= size || !make_folder(p->folder)) return false;
    strcat(p->folder, "/foliot");
    return make_folder(p->folder);
}

// What it prints goes to the file `said`. 0 when it succeeds.
static int run_compiler(char **arguments, const char *said)
{
    extern char **environ;
    static char *const names[] = {"cc", "gcc", "clang"};
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    int failed = ENOENT, result = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (size_t i = 0; i < 3 && failed == ENOENT; i++) {
        arguments[0] = names[i];
        failed = posix_spawnp(&pid, names[i], &actions, NULL, arguments, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return failed;
    while (waitpid(pid, &result, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(result) && WEXITSTATUS(result) == 0 ? 0 : EPROTO;
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
    if (failed != EPROTO)
        return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    return fo_fail(why, FO_ERROR_FORMAT, "the C compiler fails on %s", m->path);
}

static uint64_t hash_file(const char *path)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    FILE *file = fopen(path, "rb");
    for (int c; file && (c = fgetc(file)) != EOF;)
        h = (h ^ (unsigned char)c) * UINT64_C(0x100000001B3);
    if (file) fclose(file);
    return h;
}

// What the preprocessor makes of the source is its name in the cache: headers count, too. What the
// compiler says stays in p->said.
static int compile_source(const char *path, const char *headers, places *p)
{
    char include[FOI_MODEL_PATH + 4];
    long pid = (long)getpid();
    snprintf(include, sizeof include, "-I%s", headers ? headers : ".");
    snprintf(p->plain, PLACE, "%s/world-%ld.i", p->folder, pid);
    snprintf(p->said, PLACE, "%s/world-%ld.txt", p->folder, pid);
    snprintf(p->made, PLACE, "%s/world-%ld.so", p->folder, pid);
    char *first[] = {NULL, "-std=gnu17", include, "-E", "-o", p->plain, (char *)path, NULL};
    char *second[] = {
        NULL,    "-std=gnu17", include, "-O2",        "-shared", "-fPIC", "-ffp-contract=off",
        "-Wall", "-o",         p->made, (char *)path, "-lm",     NULL};
    int failed = run_compiler(first, p->said);
    if (!failed)
        snprintf(p->object, PLACE, "%s/world-%016llx.so", p->folder,
                 (unsigned long long)hash_file(p->plain));
    bool there = !failed && access(p->object, R_OK) == 0;
    if (!failed && !there) failed = run_compiler(second, p->said);
    if (!failed && !there && rename(p->made, p->object) != 0) failed = errno;
    unlink(p->plain);
    if (failed) unlink(p->made);
    return failed;
}

static fo_status compile(fo_model *m, const fo_model_def *def, places *p, fo_message *why)
{
    if (!find_folder(p, def->program.folder))
        return fo_fail(why, FO_ERROR_UNFIT, "no folder to keep compiled models in");
    int failed = compile_source(m->path, def->headers, p);
    fo_status status = failed ? complain(m, p, failed, why) : FO_OK;
    unlink(p->said);
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
                       "%s is no model: it has no FO_EXPORT_WORLD or FO_EXPORT_SYSTEM", path);
    return check_version(path, (*found)->version, why);
}

static fo_status open_library(fo_model *m, const fo_model_def *def, fo_message *why)
{
    places *p = foi_new(m->allocator, 1, sizeof *p);
    const fo_exported_model *found = NULL;
    fo_status status = p ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a model");
    if (p) snprintf(p->object, sizeof p->object, "%s", m->path);
    if (p && strlen(m->path) >= sizeof p->object)
        status = fo_fail(why, FO_ERROR_INPUT, "the path of the model is too long");
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
    if ((size_t)snprintf(p->object, PLACE, "%s", def->path) >= PLACE)
        return fo_fail(why, FO_ERROR_INPUT, "the path of the node types is too long");
    if (ends(def->path, ".so")) return FO_OK;
    if (!ends(def->path, ".c"))
        return fo_fail(why, FO_ERROR_ARGUMENT, "node types are in *.so or *.c, not in '%s'",
                       def->path);
    if (access(def->path, R_OK) != 0)
        return fo_fail(why, FO_ERROR_INPUT, "cannot open %s: %s", def->path, strerror(errno));
    if (!find_folder(p, def->folder))
        return fo_fail(why, FO_ERROR_UNFIT, "no folder to keep compiled node types in");
    int failed = compile_source(def->path, def->headers, p);
    fo_status status = failed ? compiler_error(def->path, p->said, failed, why) : FO_OK;
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
    if (library->object) dlclose(library->object);
    foi_free(library->allocator, library);
}
