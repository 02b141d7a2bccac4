/// A program's source as machine code through the C compiler of the system, whose shared object
/// lies in a cache folder, named by a hash of the source, so that a model is compiled once;
/// base/cache.h says what is looked at before it is loaded. There are none where there are no
/// processes or shared objects (WebAssembly, firmware).
///
/// What is made here may be made beside a running simulation, whose allocator is then in use: it
/// comes from the heap.
#include "math/math.h"
#include "program/program.h"

foi_native *foi_native_new(fo_way way, const char *name, fo_message *why)
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

#if defined(__unix__) && !defined(__wasm__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/compiler.h"

static const char symbol[] = "foliot_program"; ///< of foi_exports in a source

typedef struct paths {
    char folder[FOI_CACHE_FOLDER];
    char source[FOI_CACHE_FILE], object[FOI_CACHE_FILE], made[FOI_CACHE_FILE];
} paths;

// An object is known by its source. What is being made gets a name that no other process and no
// other thread of this one has.
static void name_files(paths *p, foi_digest digest)
{
    unsigned long long h0 = digest.half[0], h1 = digest.half[1];
    unsigned long pid = (unsigned long)getpid(), here = (unsigned long)(uintptr_t)p;
    size_t size = FOI_CACHE_FILE;
    snprintf(p->source, size, "%s/%016llx%016llx-%lx-%lx.c", p->folder, h0, h1, pid, here);
    snprintf(p->made, size, "%s/%016llx%016llx-%lx-%lx.so", p->folder, h0, h1, pid, here);
    snprintf(p->object, size, "%s/%016llx%016llx.so", p->folder, h0, h1);
}

static foi_digest digest_of(const foi_flat_writer *source)
{
    foi_digester d;
    foi_digest_begin(&d);
    foi_digest_add(&d, source->text, source->length);
    return foi_digest_end(&d);
}

static bool write_source(const char *path, const char *text, size_t length)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !file) close(fd);
    if (!file) return false;
    bool good = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && good;
}

// ------------------------------------------------------------------------------------ the child

struct foi_child {
    pthread_mutex_t lock;
    foi_compiler compiler; ///< that runs; its number is 0: none
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
    if (c->compiler.pid) foi_compiler_stop(&c->compiler); // with what it has started
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
static int spawn(const paths *p, foi_compiler *compiler)
{
    const char *words[] = {"cc",
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
                           p->made,
                           p->source,
                           "-lm",
                           NULL};
    return foi_compiler_start(words, NULL, compiler);
}

// Waits for it; its number is given up under the lock, so that nobody ends a stranger.
static bool wait_for(foi_child *c)
{
    siginfo_t info;
    while (waitid(P_PID, (id_t)c->compiler.pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        continue;
    pthread_mutex_lock(&c->lock);
    int result = foi_compiler_wait(&c->compiler);
    bool good = result >= 0 && WIFEXITED(result) && WEXITSTATUS(result) == 0;
    c->compiler.pid = 0;
    pthread_mutex_unlock(&c->lock);
    return good;
}

static fo_status run_compiler(const paths *p, foi_child *c, fo_message *why)
{
    pthread_mutex_lock(&c->lock);
    int failed = c->stopped ? ECANCELED : spawn(p, &c->compiler);
    if (failed) c->compiler.pid = 0;
    pthread_mutex_unlock(&c->lock);
    if (failed) return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    if (wait_for(c)) return FO_OK;
    return fo_fail(why, FO_ERROR_UNFIT, "the C compiler fails on the program (foliot show --c)");
}

// ------------------------------------------------------------------------------------- the object

// The object gets its name only when it is complete and on the disk: another process may look for
// it.
static fo_status compile(const paths *p, const foi_flat_writer *source, foi_digest digest,
                         foi_child *c, fo_message *why)
{
    fo_status status = FO_OK;
    foi_cache_clean(p->folder); // what killed processes have left
    if (!write_source(p->source, source->text, source->length))
        status = fo_fail(why, FO_ERROR_UNFIT, "cannot write %s: %s", p->source, strerror(errno));
    if (status == FO_OK) status = run_compiler(p, c, why);
    if (status == FO_OK) status = foi_cache_keep(p->made, p->object, digest, why);
    unlink(p->source);
    if (status != FO_OK) unlink(p->made);
    return status;
}

static void close_library(void *library)
{
    dlclose(library);
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

static foi_native *load(const char *object, fo_message *why)
{
    foi_native *n = foi_native_new(FO_WAY_NATIVE, "cc", why);
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

// What is not whole is compiled anew, and the program's story says so.
static foi_native *load_or_compile(paths *p, const foi_flat_writer *source, foi_child *child,
                                   fo_message *why)
{
    fo_message fault = {0};
    foi_digest digest = digest_of(source);
    name_files(p, digest);
    foi_cached cached = foi_cache_look(p->object, digest, &fault);
    if (cached != FOI_CACHE_GOOD && !child) {
        fo_fail(why, FO_ERROR_UNFIT, "it was not compiled yet");
        return NULL;
    }
    if (cached != FOI_CACHE_GOOD && compile(p, source, digest, child, why) != FO_OK) return NULL;
    foi_native *n = load(p->object, why);
    if (n && cached == FOI_CACHE_BAD)
        snprintf(n->note, sizeof n->note, "%.*s", (int)sizeof n->note - 1, fault.text);
    return n;
}

foi_native *foi_native_load(const foi_flat_writer *source, const char *folder, foi_child *child,
                            fo_message *why)
{
    paths p;
    if (fo_failed(foi_cache_folder(folder, p.folder, why))) return NULL;
    return load_or_compile(&p, source, child, why);
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
