/// libtcc: C to machine code in memory, some 0.2 ms for a small model.
#include <foliot/program.h>
#include <libtcc.h>
#include <math.h>
#include <pthread.h>

#include "base/memory.h"

// libtcc 0.9.27 keeps its state in global variables: one compilation at a time. This lock is for
// the library, which is one for the process.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static void note(void *message, const char *text)
{
    fo_fail(message, FO_ERROR_UNFIT, "tcc: %s", text);
}

// Without a runtime library: what a source calls by name is given here. These have one exact
// result; all else the source gets through foi_exports.use.
static void add_functions(TCCState *tcc)
{
#define FUNCTION(name) tcc_add_symbol(tcc, #name, (const void *)(uintptr_t)name)
    FUNCTION(fabs), FUNCTION(sqrt), FUNCTION(floor), FUNCTION(ceil), FUNCTION(trunc);
#undef FUNCTION
}

static void *compile(const char *source, const char *symbol, void **table, fo_message *why)
{
    fo_message found = {.status = FO_ERROR_UNFIT, .text = "tcc does not start"};
    pthread_mutex_lock(&one_at_a_time);
    TCCState *tcc = tcc_new();
    *table = NULL;
    if (tcc) {
        tcc_set_error_func(tcc, &found, note);
        tcc_set_options(tcc, "-nostdlib -nostdinc");
        bool good = tcc_set_output_type(tcc, TCC_OUTPUT_MEMORY) == 0;
        good = good && tcc_compile_string(tcc, source) == 0;
        if (good) add_functions(tcc);
        good = good && tcc_relocate(tcc, TCC_RELOCATE_AUTO) == 0;
        if (good) *table = tcc_get_symbol(tcc, symbol);
    }
    if (!*table) {
        fo_fail(why, found.status, "%s", found.text);
        if (tcc) tcc_delete(tcc);
        tcc = NULL;
    }
    pthread_mutex_unlock(&one_at_a_time);
    return tcc;
}

static void release(void *tcc)
{
    pthread_mutex_lock(&one_at_a_time);
    tcc_delete(tcc);
    pthread_mutex_unlock(&one_at_a_time);
}

const fo_compiler fo_tcc = {"tcc", compile, release};
