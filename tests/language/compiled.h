/// Texts with external C, compiled into a folder of the test's own.
#ifndef TEST_COMPILED_H
#define TEST_COMPILED_H

#include <foliot/model.h>
#include <ftw.h>
#include <unistd.h>

#include "run.h"

static char folder[] = "/tmp/foliot-external-XXXXXX";

static inline int remove_one(const char *path, const struct stat *about, int kind,
                             struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static inline void remove_cache(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

// Compiled objects go to a folder of the test's own.
static inline void own_cache(void)
{
    static bool made;
    if (!made && mkdtemp(folder)) {
        atexit(remove_cache);
        made = setenv("XDG_CACHE_HOME", folder, 1) == 0;
    }
    CHECK(made);
}

static inline fo_text_model *open_text(const char *text, bool allow, fo_message *why)
{
    fo_text_model_def def = {.path = "test.mo", .text = text, .allow_external = allow};
    own_cache();
    return fo_text_model_open(&def, why);
}

static inline bool begin_external(world *w, const char *text, double stop)
{
    fo_message why = {0};
    *w = (world){.model = open_text(text, true, &why)};
    if (!w->model) test_fail(__FILE__, __LINE__, "refused: %s", why.text);
    return w->model && world_run(w, stop, 1e-9);
}

static inline void check_compiled_refused(const char *text, const char *part)
{
    fo_message why = {0};
    fo_text_model *m = open_text(text, true, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, part);
    fo_text_model_close(m);
}

#endif
