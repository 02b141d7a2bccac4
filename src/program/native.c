/// A program's source as machine code: through the C compiler of the system, or one in memory. The
/// former's shared object lies in a cache folder, named by a hash of the source, so that a model is
/// compiled once. Where there are no processes or shared objects (WebAssembly, firmware) there is
/// only the bytecode machine.
///
/// What is made here may be made beside a running simulation, whose allocator is then in use: it
/// comes from the heap.
#include "math/math.h"
#include "program/program.h"

static const char symbol[] = "foliot_program"; ///< of foi_exports in a source

static foi_native *new_native(fo_way way, const char *name, fo_message *why)
{
    foi_native *n = foi_new(NULL, 1, sizeof *n);
    if (!n) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a compiled program");
        return NULL;
    }
    n->way = way, n->name = name;
    return n;
}

void foi_native_free(foi_native *n)
{
    while (n) {
        foi_native *before = n->before;
        n->release(n->code);
        foi_free(NULL, n);
        n = before;
    }
}

// The bytecode machine's functions, so that the bits are its bits. An object that is loaded twice
// has them already, and nothing is written.
static void hand_over(const foi_native *n)
{
    static const foi_source_functions functions = {
#define FUNCTION(name, kind) .name = foi_##name,
        FOI_SOURCE_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    n->functions->use(&functions);
}

foi_native *foi_native_make(const foi_flat_writer *source, const fo_compiler *compiler,
                            fo_message *why)
{
    foi_native *n = new_native(FO_WAY_MEMORY, compiler->name, why);
    void *table = NULL;
    if (!n) return NULL;
    n->code = compiler->compile(source->text, symbol, &table, why);
    n->functions = table, n->release = compiler->release;
    if (n->code) {
        hand_over(n);
        return n;
    }
    foi_free(NULL, n);
    return NULL;
}

#if defined(__unix__) && !defined(__wasm__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
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

// ------------------------------------------------------------------------------------ the child

struct foi_child {
    pthread_mutex_t lock;
    pid_t pid; ///< of the compiler that runs; 0: none
    bool stopped;
};

foi_child *foi_child_create(void)
{
    foi_child *c = foi_new(NULL, 1, sizeof *c);
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void foi_child_stop(foi_child *c)
{
    pthread_mutex_lock(&c->lock);
    c->stopped = true;
    // it was not waited for yet, so the number is still its own; it has started others
    if (c->pid) kill(-c->pid, SIGTERM);
    pthread_mutex_unlock(&c->lock);
}

void foi_child_destroy(foi_child *c)
{
    if (!c) return;
    pthread_mutex_destroy(&c->lock);
    foi_free(NULL, c);
}

// No -O3 and no -march=native: both were measured slower. Traps are not asked for by anybody, and
// what may trap could not leave a loop; no bit depends on it.
static int spawn(const paths *p, const char *compiler, pid_t *pid)
{
    extern char **environ;
    char *arguments[] = {(char *)compiler,
                         "-std=c99",
                         "-O2",
                         "-pipe",
                         "-shared",
                         "-fPIC",
                         "-ffp-contract=off",
                         "-w",
                         "-fno-math-errno",
                         "-fno-trapping-math",
                         "-o",
                         (char *)p->made,
                         (char *)p->source,
                         "-lm",
                         NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none); // whoever calls this may have blocked them all
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int failed = posix_spawnp(pid, compiler, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

// Waits for it; its number is given up under the lock, so that nobody ends a stranger.
static bool wait_for(foi_child *c)
{
    siginfo_t info;
    int result = 0;
    while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    pthread_mutex_lock(&c->lock);
    pid_t got = waitpid(c->pid, &result, 0);
    bool good = got == c->pid && WIFEXITED(result) && WEXITSTATUS(result) == 0;
    c->pid = 0;
    pthread_mutex_unlock(&c->lock);
    return good;
}

static fo_status run_compiler(const paths *p, foi_child *c, fo_message *why)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    int failed = ENOENT;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < sizeof names / sizeof names[0] && failed == ENOENT; i++)
        failed = c->stopped ? ECANCELED : spawn(p, names[i], &c->pid);
    if (failed) c->pid = 0;
    pthread_mutex_unlock(&c->lock);
    if (failed) return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    if (wait_for(c)) return FO_OK;
    return fo_fail(why, FO_ERROR_UNFIT, "the C compiler fails on the program (foliot show --c)");
}

// ------------------------------------------------------------------------------------- the object

// The object gets its name only when it is complete: another process may look for it.
static fo_status compile(const paths *p, const foi_flat_writer *source, foi_child *c,
                         fo_message *why)
{
    if (access(p->object, R_OK) == 0) return FO_OK;
    fo_status status = FO_OK;
    if (!write_source(p->source, source->text, source->length))
        status = fo_fail(why, FO_ERROR_UNFIT, "cannot write %s: %s", p->source, strerror(errno));
    if (status == FO_OK) status = run_compiler(p, c, why);
    if (status == FO_OK && rename(p->made, p->object) != 0)
        status = fo_fail(why, FO_ERROR_UNFIT, "cannot make %s: %s", p->object, strerror(errno));
    unlink(p->source);
    if (status != FO_OK) unlink(p->made);
    return status;
}

static void close_library(void *library)
{
    dlclose(library);
}

static foi_native *load(const char *object, fo_message *why)
{
    foi_native *n = new_native(FO_WAY_NATIVE, "cc", why);
    if (!n) return NULL;
    n->code = dlopen(object, RTLD_NOW | RTLD_LOCAL), n->release = close_library;
    n->functions = n->code ? dlsym(n->code, symbol) : NULL;
    if (n->functions) {
        hand_over(n);
        return n;
    }
    fo_fail(why, FO_ERROR_UNFIT, "cannot load %s: %s", object, dlerror());
    if (n->code) dlclose(n->code);
    foi_free(NULL, n);
    return NULL;
}

foi_native *foi_native_load(const foi_flat_writer *source, const char *folder, foi_child *child,
                            fo_message *why)
{
    paths p;
    if (!find_folder(&p, folder)) {
        fo_fail(why, FO_ERROR_UNFIT, "no folder to keep compiled programs in");
        return NULL;
    }
    name_files(&p, hash_of(source->text, source->length));
    if (!child && access(p.object, R_OK) != 0) {
        fo_fail(why, FO_ERROR_UNFIT, "it was not compiled yet");
        return NULL;
    }
    return compile(&p, source, child, why) == FO_OK ? load(p.object, why) : NULL;
}

#else

foi_native *foi_native_load(const foi_flat_writer *source, const char *folder, foi_child *child,
                            fo_message *why)
{
    (void)source, (void)folder, (void)child;
    fo_fail(why, FO_ERROR_UNFIT, "there is no C compiler here");
    return NULL;
}

struct foi_child {
    char nothing;
};

foi_child *foi_child_create(void)
{
    return foi_new(NULL, 1, sizeof(foi_child));
}

void foi_child_stop(foi_child *c)
{
    (void)c;
}

void foi_child_destroy(foi_child *c)
{
    foi_free(NULL, c);
}

#endif
