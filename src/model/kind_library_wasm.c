// Compiled models of others in WebAssembly and in units, in place of kind_library.c: nothing is
// loaded there.
#include <string.h>

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

static fo_status open_library(fo_model *m, const fo_model_def *def, fo_message *why)
{
    (void)def;
    return fo_fail(why, FO_ERROR_UNFIT, "%s is code, which is not loaded here", m->path);
}

void foi_library_close(void *library)
{
    (void)library;
}

const foi_model_kind foi_kind_library = {.name = "library",
                                         .about = "a world or system of your own, *.so or *.c",
                                         .ending = ".so",
                                         .code = true,
                                         .meant = meant,
                                         .open = open_library};
