/// The program through the C compiler of the system: source and shared object lie in a cache folder
/// and are named by a hash of the source, so that a model is compiled once. Where there are no
/// processes or shared objects (WebAssembly, firmware) there is only the bytecode machine.
#include "program/program.h"

#if defined(__unix__) && !defined(__wasm__)

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

enum { PATH_SIZE = 1024 };

typedef struct paths {
    char folder[PATH_SIZE - 64];
    char source[PATH_SIZE], object[PATH_SIZE], made[PATH_SIZE];
} paths;

// FNV-1a, 64 bits.
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    return h;
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

// $XDG_CACHE_HOME/foliot, or ~/.cache/foliot.
static bool find_folder(paths *p, const char *folder)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char above[PATH_SIZE - 72];
    size_t size = sizeof p->folder;
    if (folder) return (size_t)snprintf(p->folder, size, "%s", folder) < size;
    int n = cache && *cache ? snprintf(above, sizeof above, "%s", cache)
            : home          ? snprintf(above, sizeof above, "%s/.cache", home)
                            : -1;
    if (n < 0 || (size_t)n >= sizeof above || !make_folder(above)) return false;
    snprintf(p->folder, size, "%s/foliot", above);
    return make_folder(p->folder);
}

static void name_files(paths *p, uint64_t hash)
{
    unsigned long long h = hash;
    snprintf(p->source, sizeof p->source, "%s/%016llx-%ld.c", p->folder, h, (long)getpid());
    snprintf(p->made, sizeof p->made, "%s/%016llx-%ld.so", p->folder, h, (long)getpid());
    snprintf(p->object, sizeof p->object, "%s/%016llx.so", p->folder, h);
}

static bool write_source(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool good = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && good;
}

// No -O3 and no -march=native: both were measured slower. sin and cos stay apart, so that they are
// the ones that the machine calls.
static fo_status run_compiler(const paths *p, fo_message *why)
{
    extern char **environ;
    char *arguments[] = {"cc",
                         "-std=c99",
                         "-O2",
                         "-shared",
                         "-fPIC",
                         "-ffp-contract=off",
                         "-w",
                         "-fno-math-errno",
                         "-fno-builtin-sin",
                         "-o",
                         (char *)p->made,
                         (char *)p->source,
                         "-lm",
                         "-fno-builtin-cos",
                         NULL};
    pid_t child;
    int result = 0;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory to start the compiler");
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&child, "cc", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    while (waitpid(child, &result, 0) < 0)
        if (errno != EINTR) return fo_fail(why, FO_ERROR_UNFIT, "cc: %s", strerror(errno));
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return FO_OK;
    return fo_fail(why, FO_ERROR_UNFIT, "the C compiler fails on the program (%s)", p->source);
}

// The object gets its name only when it is complete: another process may look for it.
static fo_status compile(const paths *p, const char *text, size_t length, fo_message *why)
{
    if (access(p->object, R_OK) == 0) return FO_OK;
    if (!write_source(p->source, text, length))
        return fo_fail(why, FO_ERROR_UNFIT, "cannot write %s: %s", p->source, strerror(errno));
    fo_status status = run_compiler(p, why);
    if (status == FO_OK && rename(p->made, p->object) != 0)
        status = fo_fail(why, FO_ERROR_UNFIT, "cannot make %s: %s", p->object, strerror(errno));
    unlink(p->source);
    return status;
}

static fo_status load(foi_program *g, const char *object, fo_message *why)
{
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    void *table = library ? dlsym(library, "foliot_tasks") : NULL;
    if (!table) {
        fo_fail(why, FO_ERROR_UNFIT, "cannot load %s: %s", object, dlerror());
        if (library) dlclose(library);
        return FO_ERROR_UNFIT;
    }
    memcpy(g->run, table, sizeof g->run);
    g->library = library;
    return FO_OK;
}

fo_status foi_program_compile(foi_program *g, const char *folder, fo_message *why)
{
    paths p;
    foi_flat_writer out = {.allocator = g->arena.allocator};
    if (g->library) return FO_OK;
    if (!find_folder(&p, folder))
        return fo_fail(why, FO_ERROR_UNFIT, "no folder to keep compiled programs in");
    foi_program_source(g, &out);
    fo_status status = FO_OK;
    if (out.failed) {
        status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the C source");
    } else {
        name_files(&p, hash_of(out.text, out.length));
        status = compile(&p, out.text, out.length, why);
        if (status == FO_OK) status = load(g, p.object, why);
    }
    foi_free(out.allocator, out.text);
    return status == FO_OK && g->choice ? foi_choice_compile(g->choice, folder, why) : status;
}

void foi_program_unload(foi_program *g)
{
    if (!g->library) return;
    for (int task = 0; task < FOI_TASKS; task++) g->run[task] = foi_code_run;
    dlclose(g->library);
    g->library = NULL;
}

#else

fo_status foi_program_compile(foi_program *g, const char *folder, fo_message *why)
{
    (void)g, (void)folder;
    return fo_fail(why, FO_ERROR_UNFIT, "there is no C compiler here");
}

void foi_program_unload(foi_program *g)
{
    (void)g;
}

#endif

bool foi_program_is_native(const foi_program *g)
{
    return g->library != NULL;
}
