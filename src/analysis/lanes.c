#include "analysis/lanes.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "analysis/lane_source.h"
#include "base/memory.h"
#include "math/tables.h"
#include "process/coroutine.h"
#include "program/source.h"
#include "solver/march.h"

/// Stacks and numbers of one call of foi_lanes_run.
typedef struct room {
    foi_stacks pool;
    foi_stack *stacks[FOI_LANES_MOST];
    char *block;
} room;

enum { SPARE_ROOMS = 64 }; ///< kept for use again: mapping stacks costs as much as a short run

struct foi_lanes {
    fo_system_type type; ///< the program's, with a march that joins
    fo_system system;    ///< the program
    foi_native *native;
    unsigned width;
    const fo_allocator *allocator;
    _Atomic(room *) *spare; ///< SPARE_ROOMS; NULL: none stands there
};

/// The same for all: the object is shared by all who have loaded it.
static const foi_lane_functions functions = {foi_exp_many, foi_log_many, foi_pow_many,
                                             foi_trig_table};

// --------------------------------------------------------------------------------------- compiling

#if defined(__x86_64__)
static const char *target_for(unsigned width)
{
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
    if (wide && width > 4) return "avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512";
    if (wide) return "avx512f,avx512dq,avx512vl,fma";
    bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return fused ? "avx2,fma" : __builtin_cpu_supports("avx2") ? "avx2" : "";
}
#else
static const char *target_for(unsigned width)
{
    (void)width;
    return "";
}
#endif

static bool join(const void *model, const fo_state *s, fo_march *m);
static void room_destroy(room *r);

static fo_status compile(foi_lanes *l, const char *folder, fo_message *why)
{
    const foi_program *g = l->system.model;
    foi_flat_writer source = {.allocator = NULL};
    fo_status status = FO_OK;
    foi_child *child = foi_child_create();
    if (!foi_lane_source(g, l->width, target_for(l->width), &source))
        status = fo_fail(why, FO_ERROR_UNFIT,
                         "SIMD lanes need a model of at most %d states whose equations are short, "
                         "without algebraic loops and delays",
                         (int)FOI_MARCH_UNROLLED);
    if (status == FO_OK && child) l->native = foi_native_load(&source, folder, child, why);
    if (status == FO_OK && !l->native) {
        status = FO_ERROR_UNFIT;
        fo_message_prefix(why, "SIMD lanes: ");
    }
    foi_child_destroy(child);
    foi_free(NULL, source.text);
    return status;
}

foi_lanes *foi_lanes_create(fo_system system, unsigned width, const char *folder,
                            const fo_allocator *allocator, fo_message *why)
{
    if (system.type->march != foi_program_march || (width != 2 && width != 4 && width != 8)) {
        fo_fail(
            why, FO_ERROR_UNFIT,
            width == 2 || width == 4 || width == 8
                ? "SIMD lanes need a Modelica text or a diagram that runs as a program, with few "
                  "states"
                : "the number of lanes must be 2, 4 or 8");
        return NULL;
    }
    foi_lanes *l = foi_new(allocator, 1, sizeof *l);
    if (!l) return fo_fail(why, FO_ERROR_MEMORY, "no memory for lanes"), NULL;
    l->allocator = allocator, l->system = system, l->width = width;
    l->type = *system.type, l->type.march = join;
    l->spare = foi_new(allocator, SPARE_ROOMS, sizeof *l->spare);
    if (!l->spare)
        fo_fail(why, FO_ERROR_MEMORY, "no memory for lanes");
    else if (compile(l, folder, why) == FO_OK)
        return l;
    foi_lanes_destroy(l);
    return NULL;
}

void foi_lanes_destroy(foi_lanes *l)
{
    if (!l) return;
    for (size_t i = 0; i < SPARE_ROOMS && l->spare; i++) room_destroy(atomic_load(&l->spare[i]));
    foi_free(l->allocator, l->spare);
    foi_native_free(l->native);
    foi_free(l->allocator, l);
}

fo_system foi_lanes_system(const foi_lanes *l)
{
    fo_system system = l->system;
    system.type = &l->type;
    return system;
}

// ----------------------------------------------------------------------------------------- running

enum {
    STACK = 1 << 19,  ///< bytes of a simulation's stack
    FEWEST_STEPS = 4, ///< a march of fewer is taken alone: changing stacks would cost more
    FEWEST_LINES = 20 ///< and one of a single step, whose rates have fewer instructions
};

/// A simulation that is under way, on its stack.
typedef struct rider {
    foi_coroutine coroutine;
    foi_stack *stack;
    struct run *run;
    unsigned index;
    const fo_state *s; ///< of the simulation that waits; NULL: none does
    fo_march *m;
    bool over;
} rider;

/// One call of foi_lanes_run.
typedef struct run {
    const foi_lanes *l;
    foi_coroutine root;
    rider lanes[FOI_LANES_MOST];
    rider *current; ///< whose stack this is
    uint64_t next, count;
    void (*call)(void *context, uint64_t i);
    void *context;
    double *numbers, *registers; ///< see lane_source.h
    uint32_t n;
    uint32_t samplers; ///< whose moments happen in the vector; 0: none do
    uint32_t guards;   ///< on which steps are known to be quiet; 0: every step is looked at
    bool hops;         ///< guards may have their moments in the vector
} run;

// The march of a simulation is asked for on its stack, deep in a solver that knows nothing of
// lanes: this is how it finds them.
static _Thread_local run *running;

static double *number(const run *q, unsigned which, unsigned lane)
{
    return q->numbers + ((size_t)FOI_LANE_VECTORS * q->n + which) * q->l->width + lane;
}

// Behind all others: three for every sampler.
static double *sampler(const run *q, unsigned which, uint32_t i, unsigned lane)
{
    return number(q, FOI_LANE_NUMBERS + which * q->samplers + i, lane);
}

// Behind these: the side of every guard.
static double *side(const run *q, uint32_t i, unsigned lane)
{
    return number(q, FOI_LANE_NUMBERS + 3 * q->samplers + i, lane);
}

// Behind these: what hops need, see lane_source.h.
static double *hop_number(const run *q, uint32_t which, unsigned lane)
{
    return number(q, FOI_LANE_NUMBERS + 3 * q->samplers + q->guards + which, lane);
}

static double *hop(const run *q, uint32_t which, uint32_t guard, unsigned lane)
{
    return hop_number(q, FOI_LANE_HOPS + which * q->guards + guard, lane);
}

static double *state(const run *q, unsigned vector, uint32_t i, unsigned lane)
{
    return q->numbers + ((size_t)vector * q->n + i) * q->l->width + lane;
}

static void set_mask(const run *q, unsigned which, unsigned lane, bool on)
{
    int64_t bits = on ? -1 : 0;
    memcpy(number(q, which, lane), &bits, sizeof bits);
}

static bool is_set(const run *q, unsigned which, unsigned lane)
{
    int64_t bits;
    memcpy(&bits, number(q, which, lane), sizeof bits);
    return bits != 0;
}

static double *given(const run *q, uint32_t kind, uint32_t i, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    return q->registers + (size_t)(g->layout.at[kind] + i) * q->l->width + lane;
}

static void put_registers(const run *q, uint32_t kind, const double *from, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    for (uint32_t i = 0; i < g->layout.count[kind]; i++) *given(q, kind, i, lane) = from[i];
}

// What the rates read, as foi_program_march has it, or the guards.
static void put_flow(const run *q, const fo_state *s, foi_task task, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    const foi_code *code = &g->codes[task];
    for (uint32_t i = 0; i < code->used_count; i++) {
        uint32_t kind = code->used[i];
        if (kind == FOI_LEAF_STATE) continue;
        put_registers(q, kind,
                      kind == FOI_LEAF_DISCRETE    ? s->d
                      : kind == FOI_LEAF_INPUT     ? s->u
                      : kind == FOI_LEAF_PARAMETER ? s->p
                                                   : foi_memory(s, g->held),
                      lane);
    }
}

// What moments read, and when they are. False: they are left to the simulation.
static bool put_moments(const run *q, const fo_state *s, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    const double *ticks = foi_memory(s, g->ticks);
    double *at = foi_program_work(g, s), *start = at + g->instants, *interval = start + g->samplers;
    foi_given all;
    foi_give(&all, g, s, s->t, s->x);
    if (foi_program_run(g, s, FOI_TASK_INSTANTS, &all, at) != FO_OK) return false;
    put_registers(q, FOI_LEAF_DISCRETE, s->d, lane);
    put_registers(q, FOI_LEAF_INPUT, s->u, lane);
    put_registers(q, FOI_LEAF_PARAMETER, s->p, lane);
    put_registers(q, FOI_LEAF_WAS, foi_memory(s, g->was), lane);
    for (uint32_t i = 0; i < g->samplers; i++) {
        if (!(interval[i] > 0)) return false;
        *sampler(q, 0, i, lane) = start[i], *sampler(q, 1, i, lane) = interval[i];
        *sampler(q, 2, i, lane) = ticks[i];
    }
    return true;
}

// What moments have left: the simulation lets a march change it that lets them happen.
static void take_moments(const run *q, fo_state *s, double when, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    double *was = foi_memory(s, g->was), *ticks = foi_memory(s, g->ticks);
    for (uint32_t i = 0; i < g->about.discretes.count; i++)
        s->d[i] = *given(q, FOI_LEAF_DISCRETE, i, lane);
    for (uint32_t i = 0; i < g->conditions; i++) was[i] = *given(q, FOI_LEAF_WAS, i, lane);
    for (uint32_t i = 0; i < q->samplers; i++) ticks[i] = *sampler(q, 2, i, lane);
    *foi_memory(s, g->looked) = when;
}

// What hops read, and what is known of the guards.
static void put_hops(const run *q, const fo_state *s, const foi_hops *from, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    const double *turned = foi_memory(s, g->turned), *slack = foi_memory(s, g->slack);
    const double numbers[FOI_LANE_HOPS] = {
        [FOI_LANE_CREPT] = from->crept_at,
        [FOI_LANE_CHATS] = from->chats,
        [FOI_LANE_CHATS_FROM] = from->chats_from,
        [FOI_LANE_CHATS_LAST] = from->chats_last,
        [FOI_LANE_SCALE] = from->scale,
        [FOI_LANE_RUN_END] = from->stop,
        [FOI_LANE_LIMIT] = from->limit,
        [FOI_LANE_STEADY] = from->steady,
        [FOI_LANE_MANY] = from->many,
        [FOI_LANE_NEAR] = from->near,
    };
    const int64_t all = -1;
    for (uint32_t k = 1; k < FOI_LANE_HOPS; k++) *hop_number(q, k, lane) = numbers[k];
    memcpy(hop_number(q, FOI_LANE_READY, lane), &all, sizeof all);
    put_registers(q, FOI_LEAF_DISCRETE, s->d, lane);
    put_registers(q, FOI_LEAF_INPUT, s->u, lane);
    put_registers(q, FOI_LEAF_PARAMETER, s->p, lane);
    put_registers(q, FOI_LEAF_WAS, foi_memory(s, g->was), lane);
    put_registers(q, FOI_LEAF_HELD, foi_memory(s, g->held), lane);
    for (uint32_t i = 0; i < q->guards; i++) {
        const double *known = &from->guard[i].side;
        for (uint32_t k = 0; k < FOI_HOP_NUMBERS; k++) *hop(q, k, i, lane) = known[k];
        *hop(q, FOI_HOP_NUMBERS, i, lane) = turned[g->relation_of[i]];
        *hop(q, FOI_HOP_NUMBERS + 1, i, lane) = slack[g->relation_of[i]];
        *side(q, i, lane) = from->guard[i].side;
    }
}

// What they have left: of the guards, and where any have happened of the program.
static void take_hops(const run *q, fo_state *s, foi_hops *to, bool any, unsigned lane)
{
    const foi_program *g = q->l->system.model;
    to->crept_at = *hop_number(q, FOI_LANE_CREPT, lane);
    to->chats = *hop_number(q, FOI_LANE_CHATS, lane);
    to->chats_from = *hop_number(q, FOI_LANE_CHATS_FROM, lane);
    to->chats_last = *hop_number(q, FOI_LANE_CHATS_LAST, lane);
    for (uint32_t i = 0; i < q->guards; i++) {
        double *known = &to->guard[i].side;
        for (uint32_t k = 1; k < FOI_HOP_NUMBERS; k++) known[k] = *hop(q, k, i, lane);
        to->guard[i].side = *side(q, i, lane);
    }
    double *turned = foi_memory(s, g->turned), *slack = foi_memory(s, g->slack);
    double *held = foi_memory(s, g->held);
    for (uint32_t i = 0; i < q->guards && any; i++) {
        uint32_t r = g->relation_of[i];
        turned[r] = *hop(q, FOI_HOP_NUMBERS, i, lane);
        slack[r] = *hop(q, FOI_HOP_NUMBERS + 1, i, lane);
        held[r] = *given(q, FOI_LEAF_HELD, r, lane);
    }
}

// What is known of guards where the march begins. False: every step is looked at.
static bool put_guards(const run *q, const fo_state *s, foi_quiet *quiet, unsigned lane)
{
    const int8_t *sides = quiet->sides;
    if (!q->guards) return false;
    for (uint32_t i = 0; i < q->guards; i++) *side(q, i, lane) = sides ? sides[i] : 0;
    if (q->hops) memset(hop_number(q, FOI_LANE_READY, lane), 0, sizeof(double));
    // a march that goes on knows it from the last one
    if (q->hops && !quiet->hops && quiet->ask) quiet->hops = quiet->ask(quiet->self);
    if (q->hops && quiet->hops) put_hops(q, s, quiet->hops, lane);
    if (sides || quiet->hops) put_flow(q, s, FOI_TASK_GUARDS, lane);
    return sides || quiet->hops;
}

static void enter(const run *q, const fo_state *s, const fo_march *m, unsigned lane)
{
    foi_quiet *quiet = ((const foi_march *)(const void *)m)->quiet;
    put_flow(q, s, FOI_TASK_RATES, lane);
    bool on = put_guards(q, s, quiet, lane);
    bool passes = q->samplers && m->goal < m->until && put_moments(q, s, lane);
    for (uint32_t i = 0; i < q->n; i++)
        *state(q, FOI_LANE_X, i, lane) = m->x1[i], *state(q, FOI_LANE_F, i, lane) = m->f1[i];
    const double numbers[FOI_LANE_REFUSED] = {
        [FOI_LANE_T] = m->t1,
        [FOI_LANE_T0] = m->t0,
        [FOI_LANE_H] = m->h,
        [FOI_LANE_PLANNED] = m->h,
        [FOI_LANE_BEFORE] = m->before,
        [FOI_LANE_GOAL] = m->goal,
        [FOI_LANE_LONGEST] = m->longest,
        [FOI_LANE_SHORTEST] = m->shortest,
        [FOI_LANE_STABILITY] = m->stability,
        [FOI_LANE_STOP] = !on                      ? m->stop
                          : quiet->until < m->goal ? quiet->until
                                                   : m->goal,
        [FOI_LANE_RTOL] = m->rtol,
        [FOI_LANE_ATOL] = m->atol,
        [FOI_LANE_BUDGET] = (double)m->budget,
        [FOI_LANE_UNTIL] = passes ? m->until : -INFINITY,
        [FOI_LANE_JUMPED] = m->last_jump,
        [FOI_LANE_END] = s->stop,
    };
    for (unsigned k = 0; k < FOI_LANE_REFUSED; k++) *number(q, k, lane) = numbers[k];
    set_mask(q, FOI_LANE_REFUSED, lane, false);
    set_mask(q, FOI_LANE_LIVE, lane, true);
}

// A march that is left ends where the step that was given up began; see put_adaptive.
static void leave(const run *q, const fo_state *s, fo_march *m, unsigned lane)
{
    bool left = is_set(q, FOI_LANE_LEFT, lane);
    foi_quiet *quiet = ((foi_march *)(void *)m)->quiet;
    quiet->open = left;
    m->moments = (uint64_t)*number(q, FOI_LANE_MOMENTS, lane);
    m->last_jump = *number(q, FOI_LANE_JUMPED, lane);
    if (q->hops && quiet->hops) take_hops(q, (fo_state *)s, quiet->hops, m->moments > 0, lane);
    if (m->moments) take_moments(q, (fo_state *)s, m->last_jump, lane);
    uint32_t n = q->n;
    m->steps = (uint64_t)*number(q, FOI_LANE_STEPS, lane);
    m->tries = (uint64_t)*number(q, FOI_LANE_TRIES, lane);
    m->h = *number(q, left ? FOI_LANE_PLANNED : FOI_LANE_H, lane);
    m->t0 = *number(q, FOI_LANE_T0, lane), m->t1 = *number(q, FOI_LANE_T, lane);
    m->taken = *number(q, FOI_LANE_TAKEN, lane), m->error2 = *number(q, FOI_LANE_USED, lane);
    m->before = *number(q, FOI_LANE_BEFORE, lane);
    for (uint32_t i = 0; i < n; i++) {
        m->x0[i] = *state(q, FOI_LANE_X, i, lane), m->f0[i] = *state(q, FOI_LANE_F, i, lane);
        m->x1[i] = left ? m->x0[i] : *state(q, FOI_LANE_X1, i, lane);
        m->f1[i] = left ? m->f0[i] : *state(q, FOI_LANE_F1, i, lane);
        m->w[i] = *state(q, FOI_LANE_W, i, lane);
        for (uint32_t k = 0; k < 5; k++)
            m->k[(size_t)k * n + i] = *state(q, FOI_LANE_K + k, i, lane);
    }
    set_mask(q, FOI_LANE_LIVE, lane, false);
}

// Whether a march is worth the change of stacks. One that someone looks at after every step, for a
// row or a guard, is a single step.
static bool is_worth_it(const run *q, const foi_program *g, const fo_march *m)
{
    const foi_quiet *known = ((const foi_march *)(const void *)m)->quiet;
    bool quiet = q->guards && (known->sides || (q->hops && known->ask));
    bool single = m->stop <= m->t1 && !quiet && g->codes[FOI_TASK_RATES].count < FEWEST_LINES;
    return m->budget >= FEWEST_STEPS && !single && strcmp(m->method, "dp45") == 0;
}

static bool join(const void *model, const fo_state *s, fo_march *m)
{
    run *q = running;
    if (!q || q->l->system.model != model || !is_worth_it(q, model, m))
        return foi_program_march(model, s, m);
    rider *own = q->current;
    own->s = s, own->m = m;
    foi_coroutine_switch(&own->coroutine, &q->root, false);
    return true;
}

static void work(void *argument)
{
    rider *own = argument;
    run *q = own->run;
    foi_coroutine_arrive(&q->root, &own->coroutine);
    while (q->next < q->count) q->call(q->context, q->next++);
    own->over = true;
    foi_coroutine_switch(&own->coroutine, &q->root, true);
}

static void resume(run *q, rider *own)
{
    q->current = own;
    own->s = NULL;
    running = q;
    foi_coroutine_enter(&q->root, &own->coroutine);
    running = NULL;
    if (own->s) enter(q, own->s, own->m, own->index);
}

static void run_all(run *q)
{
    foi_march_function *made = q->l->native->functions->march[FOI_MARCH_DP45];
    foi_lane_march *march;
    unsigned waiting = 0;
    memcpy(&march, &made, sizeof march); // the object's own type of function
    for (unsigned i = 0; i < q->l->width; i++) {
        resume(q, &q->lanes[i]);
        waiting += !q->lanes[i].over;
    }
    while (waiting) {
        march(q->registers, q->numbers, &functions);
        for (unsigned i = 0; i < q->l->width; i++) {
            rider *own = &q->lanes[i];
            if (own->over || !(is_set(q, FOI_LANE_LEFT, i) || is_set(q, FOI_LANE_DONE, i)))
                continue;
            leave(q, own->s, own->m, i);
            resume(q, own);
            waiting -= own->over;
        }
    }
}

// ------------------------------------------------------------------------------------------- rooms

static void room_destroy(room *r)
{
    if (!r) return;
    foi_stacks_destroy(&r->pool);
    foi_free(NULL, r->block);
    foi_free(NULL, r);
}

static room *room_create(unsigned width, size_t numbers)
{
    room *r = foi_new(NULL, 1, sizeof *r);
    bool good = r && (r->block = foi_new(NULL, numbers, sizeof(double)));
    for (unsigned i = 0; i < width && good; i++)
        good = (r->stacks[i] = foi_stack_take(&r->pool, STACK)) != NULL;
    if (good) return r;
    room_destroy(r);
    return NULL;
}

// One that another call has left, or a new one. NULL: no memory.
static room *room_take(const foi_lanes *l, size_t numbers)
{
    for (size_t i = 0; i < SPARE_ROOMS; i++) {
        room *r = atomic_exchange(&l->spare[i], NULL);
        if (!r) continue;
        memset(r->block, 0, numbers * sizeof(double));
        return r;
    }
    return room_create(l->width, numbers);
}

static void room_leave(const foi_lanes *l, room *r)
{
    for (size_t i = 0; i < SPARE_ROOMS; i++) {
        room *none = NULL;
        if (atomic_compare_exchange_strong(&l->spare[i], &none, r)) return;
    }
    room_destroy(r);
}

// Numbers on lines of their own, as vectors want them.
static double *aligned(char *block)
{
    return (double *)(void *)(block + (64 - (uintptr_t)block % 64) % 64);
}

fo_status foi_lanes_run(const foi_lanes *l, uint64_t count, void (*call)(void *context, uint64_t i),
                        void *context, fo_message *why)
{
    const foi_program *g = l->system.model;
    run q = {.l = l, .count = count, .call = call, .context = context};
    q.n = (uint32_t)g->about.states.count;
    if (foi_lane_has_moments(g)) q.samplers = g->samplers;
    if (foi_lane_has_guards(g)) q.guards = g->guards;
    q.hops = foi_lane_has_hops(g);
    size_t numbers = (size_t)FOI_LANE_VECTORS * q.n + FOI_LANE_NUMBERS;
    numbers += 3 * (size_t)q.samplers + q.guards;
    if (q.hops) numbers += FOI_LANE_HOPS + (FOI_HOP_NUMBERS + 2) * (size_t)q.guards;
    numbers *= l->width;
    // what is given, and behind it what wide instructions keep from one loop to the next
    room *own = room_take(l, numbers + (size_t)g->registers * l->width + 32);
    if (!own) return fo_fail(why, FO_ERROR_MEMORY, "no memory for lanes");
    q.numbers = aligned(own->block);
    q.registers = q.numbers + (numbers + 7) / 8 * 8;
    for (unsigned i = 0; i < l->width; i++) {
        rider *r = &q.lanes[i];
        r->run = &q, r->index = i, r->stack = own->stacks[i];
        foi_coroutine_init(&r->coroutine, r->stack, work, r);
    }
    run_all(&q);
    for (unsigned i = 0; i < l->width; i++) foi_coroutine_end(&q.lanes[i].coroutine);
    room_leave(l, own);
    return FO_OK;
}
