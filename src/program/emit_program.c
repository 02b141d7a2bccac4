/// A program's functions, emitted: into memory that is run here, or as a module that the host of
/// the engine instantiates.
#include <string.h>

#include "program/emit.h"
#include "program/source.h"

enum { MOST_SELDOM = 20000 }; ///< operations of a task that is asked for now and then

// ------------------------------------------------------------------------------------ which target

const foi_target *foi_target_here(void)
{
#if defined(__x86_64__) && defined(__LP64__)
    return __builtin_cpu_supports("avx") ? &foi_target_avx : &foi_target_sse2;
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
    return &foi_target_arm;
#elif defined(__wasm__)
    return &foi_target_wasm;
#else
    return NULL;
#endif
}

// ------------------------------------------------------------------------------------- which tasks

// What is asked for once is not worth the time.
static bool is_once(int task)
{
    return task == FOI_TASK_START || task == FOI_TASK_GUESSES || task == FOI_TASK_FORMULAS ||
           task == FOI_TASK_WORDS || task == FOI_TASK_FIRST;
}

static bool is_wanted(const foi_program *g, int task, const foi_emit_def *def)
{
    const foi_code *code = &g->codes[task];
    bool often = task == FOI_TASK_RATES || task == FOI_TASK_GUARDS;
    if (!code->result_count) return false;
    return def->everything || (!is_once(task) && (often || code->all <= MOST_SELDOM));
}

/// The numbers of the functions that are made; FOI_NEVER: none.
typedef struct numbers {
    uint32_t task[FOI_TASKS], march[FOI_MARCHES], block;
} numbers;

static void make_all(foi_maker *m, const foi_program *g, const foi_emit_def *def, numbers *n)
{
    memset(n, 0xFF, sizeof *n);
    if (!foi_pool_begin(&m->pool, m->allocator)) m->failed = true;
    for (int task = 0; task < FOI_TASKS && !m->failed && !m->cause; task++)
        if (is_wanted(g, task, def)) n->task[task] = foi_emit_task(m, g, &g->codes[task]);
    for (int i = 0; i < FOI_MARCHES && !m->failed && !m->cause && foi_emit_has_try(g); i++)
        n->march[i] = foi_emit_try(m, g, (foi_marching)i);
    if (!m->failed && !m->cause && foi_emit_has_block(g)) n->block = foi_emit_block(m, g);
}

// --------------------------------------------------------------------------------- into functions

static void release(void *self)
{
    foi_emitted *e = self;
    foi_pages_free(&e->pages);
    if (e->functions && e->host->release) e->host->release(e->host->self, e->first, e->functions);
    foi_free(e->allocator, e);
}

// A function of a module is its place in the table of the engine, which a pointer to it is, too.
static uintptr_t address_of(const foi_emitted *e, const foi_maker *m, uint32_t function)
{
    if (m->target == &foi_target_wasm) return (uintptr_t)e->first + function;
    return (uintptr_t)(e->pages.code + m->function[function]);
}

static void set_functions(foi_emitted *e, const foi_program *g, const foi_maker *m,
                          const numbers *n)
{
    for (int task = 0; task < FOI_TASKS; task++)
        if (n->task[task] != FOI_NEVER)
            e->exports.run[task] = (foi_task_function *)address_of(e, m, n->task[task]);
    for (int i = 0; i < FOI_MARCHES; i++)
        if (n->march[i] != FOI_NEVER)
            e->tries[i] = (foi_try_function *)address_of(e, m, n->march[i]);
    if (n->block != FOI_NEVER) e->block = (foi_try_function *)address_of(e, m, n->block);
    e->steps = e->exports.run[FOI_TASK_RATES] && foi_source_has_steps(g);
}

static bool instantiate(foi_emitted *e, foi_maker *m, fo_message *why)
{
    const fo_module_host *host = e->host;
    foi_wasm_module(m);
    if (m->failed || m->code.failed) return false;
    e->first = host->instantiate(host->self, m->code.list, m->code.count, m->functions);
    e->size = m->code.count;
    if (!e->first) {
        fo_fail(why, FO_ERROR_UNFIT, "the host does not instantiate the program's module");
        return false;
    }
    e->functions = m->functions;
    return true;
}

static bool settle(foi_emitted *e, const foi_program *g, foi_maker *m, const numbers *n,
                   fo_message *why)
{
    bool good = false;
    if (m->failed || m->code.failed || m->pool.failed)
        fo_fail(why, FO_ERROR_MEMORY, "no memory for machine code");
    else if (m->cause)
        fo_fail(why, FO_ERROR_UNFIT, "the program is not made machine code: %s", m->cause);
    else if (m->target == &foi_target_wasm)
        good = instantiate(e, m, why);
    else
        good = foi_pages_make(&e->pages, &m->code, &m->pool, why);
    if (good) e->size = m->code.count, set_functions(e, g, m, n);
    return good;
}

foi_native *foi_emit_native(const foi_program *g, const foi_emit_def *def, fo_message *why)
{
    const foi_target *target = def->target ? def->target : foi_target_here();
    if (!target || (target == &foi_target_wasm && !def->host)) {
        fo_fail(why, FO_ERROR_UNFIT,
                target ? "there is no host that instantiates modules"
                       : "no machine code is made for this processor");
        return NULL;
    }
    foi_native *n = foi_native_new(FO_WAY_MEMORY, "machine code", why);
    foi_emitted *e = foi_new(def->allocator, 1, sizeof *e);
    foi_maker m = {.target = target, .allocator = def->allocator, .limit = def->registers};
    m.code.allocator = def->allocator;
    numbers made;
    bool good = n && e;
    if (n && !e) fo_fail(why, FO_ERROR_MEMORY, "no memory for machine code");
    if (good) {
        e->host = def->host, e->allocator = def->allocator;
        make_all(&m, g, def, &made);
        good = settle(e, g, &m, &made, why);
    }
    foi_maker_free(&m);
    if (good) {
        n->functions = &e->exports, n->emitted = e;
        n->code = e, n->release = release;
        return n;
    }
    foi_free(def->allocator, e);
    foi_free(NULL, n);
    return NULL;
}
