#include "base/c_unit.h"

#if defined(__unix__) && !defined(__wasm__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/compiler.h"
#include "base/memory.h"

enum { MOST_WORDS = 256 };

/// Files of one compilation, with names that no other process and no other thread has.
typedef struct paths {
    char folder[FOI_CACHE_FOLDER];
    char source[FOI_CACHE_FILE], plain[FOI_CACHE_FILE], made[FOI_CACHE_FILE], said[FOI_CACHE_FILE];
    char object[FOI_CACHE_FILE];
    char headers[FOI_CACHE_FILE], header[FOI_CACHE_FILE + 64]; ///< a folder, and a file in it
} paths;

/// The words of a command.
typedef struct words {
    const char *list[MOST_WORDS + 1];
    size_t count;
} words;

static void add(words *w, const char *word)
{
    if (w->count < MOST_WORDS) w->list[w->count++] = word;
    w->list[w->count] = NULL;
}

static void name_files(paths *p)
{
    unsigned long pid = (unsigned long)getpid(), here = (unsigned long)(uintptr_t)p;
    snprintf(p->source, sizeof p->source, "%s/unit-%lx-%lx.c", p->folder, pid, here);
    snprintf(p->plain, sizeof p->plain, "%s/unit-%lx-%lx.i", p->folder, pid, here);
    snprintf(p->made, sizeof p->made, "%s/unit-%lx-%lx.so", p->folder, pid, here);
    snprintf(p->said, sizeof p->said, "%s/unit-%lx-%lx.txt", p->folder, pid, here);
}

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && !file) close(fd);
    if (!file) return false;
    size_t length = strlen(text);
    bool good = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && good;
}

static bool write_header(paths *p, const foi_c_unit_def *def)
{
    if (!def->header) return true;
    snprintf(p->headers, sizeof p->headers, "%.*s.d", (int)strlen(p->source) - 2, p->source);
    snprintf(p->header, sizeof p->header, "%s/%.60s", p->headers, def->header_name);
    return mkdir(p->headers, 0700) == 0 && write_text(p->header, def->header);
}

// ------------------------------------------------------------------------------------ the compiler

// The first error that the compiler names, else its first line.
static void first_said(const char *path, char *line, size_t size)
{
    char next[512];
    FILE *file = fopen(path, "r");
    *line = 0;
    while (file && fgets(next, sizeof next, file)) {
        bool error = strstr(next, "error") || strstr(next, "undefined reference") ||
                     strstr(next, "cannot find");
        if (error || !*line) snprintf(line, size, "%.*s", (int)strcspn(next, "\n"), next);
        if (error) break;
    }
    if (file) fclose(file);
}

static fo_status run(words *w, const char *said, fo_message *why)
{
    foi_compiler c;
    int failed = foi_compiler_start(w->list, said, &c);
    if (failed) return fo_fail(why, FO_ERROR_UNFIT, "no C compiler: cc: %s", strerror(failed));
    int result = foi_compiler_wait(&c);
    if (result < 0) return fo_fail(why, FO_ERROR_UNFIT, "the C compiler is lost");
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return FO_OK;
    char line[400];
    first_said(said, line, sizeof line);
    return fo_fail(why, FO_ERROR_UNFIT, "the C compiler refuses it: %s", *line ? line : "(silent)");
}

static fo_status preprocess(const paths *p, const foi_c_unit_def *def, fo_message *why)
{
    words w = {0};
    add(&w, "cc");
    add(&w, "-E");
    add(&w, "-std=gnu17");
    for (const char *const *f = def->include_folders; f && *f; f++) {
        add(&w, "-I");
        add(&w, *f);
    }
    if (def->header) {
        add(&w, "-I");
        add(&w, p->headers);
    }
    add(&w, "-o");
    add(&w, p->plain);
    add(&w, p->source);
    return run(&w, p->said, why);
}

// A function that nobody has declared would be called with guesses for its types.
static fo_status compile(const paths *p, const foi_c_unit_def *def, fo_message *why)
{
    static const char *const how[] = {"cc",
                                      "-std=gnu17",
                                      "-O2",
                                      "-shared",
                                      "-fPIC",
                                      "-ffp-contract=off",
                                      "-Werror=implicit-function-declaration",
                                      "-Werror=incompatible-pointer-types",
                                      "-Werror=int-conversion",
                                      "-Wl,-z,defs",
                                      "-o"};
    words w = {0};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) add(&w, how[i]);
    add(&w, p->made);
    add(&w, p->plain);
    for (const char *const *l = def->link; l && *l; l++) add(&w, *l);
    add(&w, "-lm");
    return run(&w, p->said, why);
}

// ------------------------------------------------------------------------------------- its name

// Lines "# 12 "file"" hold the name of the source, which is another one each time.
static bool digest_text(foi_digester *d, const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    if (!file) return false;
    while ((n = getline(&line, &room, file)) > 0)
        if (line[0] != '#') foi_digest_add(d, line, (size_t)n);
    bool good = !ferror(file);
    free(line);
    fclose(file);
    return good;
}

// Files that are linked are known by their size and time.
static bool digest_unit(const paths *p, const foi_c_unit_def *def, foi_digest *digest)
{
    foi_digester d;
    foi_digest_begin(&d);
    if (!digest_text(&d, p->plain)) return false;
    for (const char *const *l = def->link; l && *l; l++) {
        struct stat about;
        foi_digest_add(&d, *l, strlen(*l) + 1);
        if (**l == '-' || stat(*l, &about) != 0) continue;
        int64_t known[3] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
        foi_digest_add(&d, known, sizeof known);
    }
    *digest = foi_digest_end(&d);
    return true;
}

static fo_status find_or_compile(paths *p, const foi_c_unit_def *def, fo_message *why)
{
    foi_digest digest;
    fo_message fault = {0};
    if (!write_text(p->source, def->source) || !write_header(p, def))
        return fo_fail(why, FO_ERROR_UNFIT, "cannot write %s: %s", p->source, strerror(errno));
    fo_status status = preprocess(p, def, why);
    if (status != FO_OK) return status;
    if (!digest_unit(p, def, &digest))
        return fo_fail(why, FO_ERROR_UNFIT, "cannot read %s", p->plain);
    snprintf(p->object, sizeof p->object, "%s/c-%016llx%016llx.so", p->folder,
             (unsigned long long)digest.half[0], (unsigned long long)digest.half[1]);
    if (foi_cache_look(p->object, digest, &fault) == FOI_CACHE_GOOD) return FO_OK;
    status = compile(p, def, why);
    return status == FO_OK ? foi_cache_keep(p->made, p->object, digest, why) : status;
}

// -------------------------------------------------------------------------------------- the object

struct foi_c_unit {
    void *library;
};

static foi_c_unit *load(const char *object, fo_message *why)
{
    foi_c_unit *u = foi_new(NULL, 1, sizeof *u);
    if (!u) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for compiled C");
        return NULL;
    }
    u->library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (u->library) return u;
    fo_fail(why, FO_ERROR_UNFIT, "it cannot be loaded: %s", dlerror());
    foi_free(NULL, u);
    return NULL;
}

foi_c_unit *foi_c_unit_load(const foi_c_unit_def *def, fo_message *why)
{
    paths p = {.header = ""};
    if (fo_failed(foi_cache_folder(def->folder, p.folder, why))) return NULL;
    name_files(&p);
    fo_status status = find_or_compile(&p, def, why);
    foi_c_unit *u = status == FO_OK ? load(p.object, why) : NULL;
    if (def->header) unlink(p.header), rmdir(p.headers);
    unlink(p.source);
    unlink(p.plain);
    unlink(p.said);
    if (status != FO_OK) unlink(p.made);
    return u;
}

void *foi_c_unit_symbol(foi_c_unit *unit, const char *name)
{
    return dlsym(unit->library, name);
}

void foi_c_unit_close(foi_c_unit *unit)
{
    if (!unit) return;
    dlclose(unit->library);
    foi_free(NULL, unit);
}

#else

foi_c_unit *foi_c_unit_load(const foi_c_unit_def *def, fo_message *why)
{
    (void)def;
    fo_fail(why, FO_ERROR_UNFIT, "there is no C compiler here");
    return NULL;
}

void *foi_c_unit_symbol(foi_c_unit *unit, const char *name)
{
    (void)unit, (void)name;
    return NULL;
}

void foi_c_unit_close(foi_c_unit *unit)
{
    (void)unit;
}

#endif
