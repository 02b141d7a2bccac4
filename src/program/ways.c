/// The ways to run a program, and how one takes the place of another: a pointer to the functions of
/// the new way is stored at once, and whoever asks for a function from then on gets the new one.
/// As all ways give the same bits, that may happen between any two calls.
#include <stdio.h>
#include <string.h>

#include "program/emit.h"
#include "program/source.h"

fo_program_def fo_default_program_def(void)
{
    return (fo_program_def){.way = FO_WAY_AUTO, .soon = 0.003, .late = 0.05};
}

static void put_in(foi_program *g, foi_native *n)
{
    n->before = atomic_load_explicit(&g->native, memory_order_relaxed);
    atomic_store_explicit(&g->native, n, memory_order_release);
}

// Machine code of our own, or the reason why there is none.
static fo_status emit(foi_program *g, const fo_program_def *def)
{
    foi_emit_def how = {.host = def->host};
    g->refused = (fo_message){0};
    foi_native *n = foi_emit_native(g, &how, &g->refused);
    if (!n) return g->refused.status;
    put_in(g, n);
    return FO_OK;
}

// Vectors of four where a step goes over its states in loops and this processor has them; the bits
// are the same. It stands in the source, by which the object is known: the folder may be shared
// with processors that have less.
static void be_wide(const foi_program *g, foi_flat_writer *source)
{
#if defined(__x86_64__) && !defined(__TINYC__)
    if (g->about.states.count > FOI_MARCH_UNROLLED && __builtin_cpu_supports("avx2"))
        foi_flat_write(source, "#if defined __GNUC__ && !defined __clang__\n"
                               "#pragma GCC target(\"avx2\")\n"
                               "#endif\n");
#else
    (void)g, (void)source;
#endif
}

// C through cc; without a child only what was compiled before.
static fo_status compile(foi_program *g, const fo_program_def *def, foi_child *child,
                         fo_message *why)
{
    foi_flat_writer source = {0};
    be_wide(g, &source);
    foi_program_source(g, &source);
    fo_message found = {.status = FO_ERROR_MEMORY, .text = "no memory for the C source"};
    foi_native *n = source.failed ? NULL : foi_native_load(&source, def->folder, child, &found);
    foi_free(NULL, source.text);
    if (!n) return fo_fail(why, found.status, "%s", found.text);
    put_in(g, n);
    return FO_OK;
}

static fo_status compile_now(foi_program *g, const fo_program_def *def, fo_message *why)
{
    foi_child *child = foi_child_create();
    if (!child) return fo_fail(why, FO_ERROR_MEMORY, "no memory to start the compiler");
    fo_status status = compile(g, def, child, why);
    foi_child_destroy(child);
    return status;
}

// ------------------------------------------------------------------------------ beside the run

#if defined(__unix__) && !defined(__wasm__)

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

/// A thread that waits to see whether the run is long, and then compiles.
struct foi_worker {
    foi_program *g;
    fo_program_def def;
    foi_child *child;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopped;
    fo_message why; ///< what did not work, under the lock
};

// False when there is nobody to compile for any more.
static bool wait_until(struct foi_worker *w, int64_t from, double seconds)
{
    int64_t at = from + (int64_t)(seconds * 1e9);
    struct timespec until = {at / 1000000000, at % 1000000000};
    pthread_mutex_lock(&w->lock);
    while (!w->stopped && foi_clock_now() < at) pthread_cond_timedwait(&w->wake, &w->lock, &until);
    bool stopped = w->stopped;
    pthread_mutex_unlock(&w->lock);
    return !stopped;
}

static void try_compiler(struct foi_worker *w)
{
    fo_message why = {0};
    compile(w->g, &w->def, w->child, &why);
    pthread_mutex_lock(&w->lock);
    if (!w->stopped) w->why = why;
    pthread_mutex_unlock(&w->lock);
}

static void *work(void *self)
{
    struct foi_worker *w = self;
    int64_t from = foi_clock_now();
    if (!wait_until(w, from, w->def.soon)) return NULL;
    if (compile(w->g, &w->def, NULL, NULL) == FO_OK) return NULL; // in the cache
    if (wait_until(w, from, w->def.late)) try_compiler(w);
    return NULL;
}

static void free_worker(struct foi_worker *w)
{
    foi_child_destroy(w->child);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    foi_free(NULL, w);
}

// Signals are for the threads that the program's user has made.
static int start_thread(struct foi_worker *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static fo_status begin_worker(foi_program *g, const fo_program_def *def, fo_message *why)
{
    struct foi_worker *w = foi_new(NULL, 1, sizeof *w);
    if (!w) return fo_fail(why, FO_ERROR_MEMORY, "no memory to compile beside the run");
    w->g = g, w->def = *def, w->child = foi_child_create();
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, &clock);
    pthread_condattr_destroy(&clock);
    if (w->child && start_thread(w) == 0) {
        g->worker = w;
        return FO_OK;
    }
    free_worker(w);
    return fo_fail(why, FO_ERROR_UNFIT, "no thread to compile beside the run");
}

static void end_worker(foi_program *g)
{
    struct foi_worker *w = g->worker;
    if (!w) return;
    pthread_mutex_lock(&w->lock);
    w->stopped = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    foi_child_stop(w->child);
    pthread_join(w->thread, NULL);
    free_worker(w);
    g->worker = NULL;
}

static fo_message worker_message(const foi_program *g)
{
    struct foi_worker *w = g->worker;
    if (!w) return (fo_message){0};
    pthread_mutex_lock(&w->lock);
    fo_message why = w->why;
    pthread_mutex_unlock(&w->lock);
    return why;
}

#else

// Without threads a program that may choose stays in the bytecode machine.
static fo_status begin_worker(foi_program *g, const fo_program_def *def, fo_message *why)
{
    (void)g, (void)def, (void)why;
    return FO_OK;
}

static void end_worker(foi_program *g)
{
    (void)g;
}

static fo_message worker_message(const foi_program *g)
{
    (void)g;
    return (fo_message){0};
}

#endif

// --------------------------------------------------------------------------------- what others see

fo_status foi_program_run_as(foi_program *g, const fo_program_def *def, fo_message *why)
{
    end_worker(g);
    if (g->outside && def->way > FO_WAY_BYTECODE)
        return fo_fail(why, FO_ERROR_UNFIT,
                       "the model calls external functions: it runs as bytecode only");
    if (g->outside) return FO_OK;
    switch (def->way) {
    case FO_WAY_AUTO:
        if (emit(g, def) == FO_OK || def->late < 0) return FO_OK;
        return foi_program_compile_beside(g, def, why);
    case FO_WAY_BYTECODE: return FO_OK;
    case FO_WAY_MEMORY: {
        fo_status status = emit(g, def);
        return status == FO_OK ? FO_OK : fo_fail(why, status, "%s", g->refused.text);
    }
    case FO_WAY_NATIVE: break;
    }
    return compile_now(g, def, why);
}

fo_status foi_program_compile_beside(foi_program *g, const fo_program_def *def, fo_message *why)
{
    end_worker(g);
    if (g->outside || g->curves) return FO_OK; // no object of the one run is that of the next
    return begin_worker(g, def, why);
}

fo_status foi_program_compile(foi_program *g, const char *folder, fo_message *why)
{
    if (foi_program_is_native(g)) return FO_OK;
    fo_program_def def = {.way = FO_WAY_NATIVE, .folder = folder};
    return foi_program_run_as(g, &def, why);
}

void foi_program_unload(foi_program *g)
{
    end_worker(g);
    foi_native_free(atomic_exchange_explicit(&g->native, NULL, memory_order_acq_rel));
}

bool foi_program_is_native(const foi_program *g)
{
    const foi_native *n = atomic_load_explicit(&g->native, memory_order_acquire);
    return n && n->way == FO_WAY_NATIVE;
}

static foi_program *program_of(fo_system system)
{
    if (system.type && system.type->rates == foi_program_rates) return (foi_program *)system.model;
    if (system.type && system.type->kind == foi_flow_kind) return (foi_program *)system.type;
    return system.type ? foi_choice_owner(system) : NULL;
}

bool fo_is_program(fo_system system)
{
    return program_of(system) != NULL;
}

fo_status fo_program_run_as(fo_system system, const fo_program_def *def, fo_message *why)
{
    foi_program *g = program_of(system);
    if (!g)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is not a program: there is nothing to compile",
                       system.about->name);
    return foi_program_run_as(g, def, why);
}

fo_way fo_program_way(fo_system system)
{
    const foi_program *g = program_of(system);
    const foi_native *n = g ? atomic_load_explicit(&g->native, memory_order_acquire) : NULL;
    return n ? n->way : FO_WAY_BYTECODE;
}

// From the first way to the last.
static void tell(const foi_native *n, char *text, size_t size)
{
    if (!n) return;
    tell(n->before, text, size);
    size_t used = strlen(text);
    const char *what = n->way == FO_WAY_NATIVE ? "machine code of " : "";
    snprintf(text + used, size - used, "%s%s%s%s%s%s", used ? ", then " : "", what, n->name,
             n->note[0] ? " (compiled anew: " : "", n->note, n->note[0] ? ")" : "");
}

const char *fo_program_story(fo_system system, char *text, size_t size)
{
    const foi_program *g = program_of(system);
    *text = 0;
    if (!g) return text;
    const foi_native *now = atomic_load_explicit(&g->native, memory_order_acquire);
    if (g->worker || !now) snprintf(text, size, "bytecode");
    tell(now, text, size);
    fo_message why = worker_message(g);
    if (!fo_failed(why.status)) why = g->refused;
    size_t used = strlen(text);
    if (fo_failed(why.status)) snprintf(text + used, size - used, " (%s)", why.text);
    return text;
}
