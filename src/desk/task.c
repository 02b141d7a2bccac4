// Work that may be long, on a stack of its own: it is left after a while and gone on with later, so
// that other messages are answered in between.
//
// What such work calls (a translation, a run inside of an analysis) asks now and then whether it is
// to go on; the answer is given after a turn of the others. No clock is looked at: a turn is a
// number of questions, or ends when the host says so.
//
// Some work asks rarely: a translation sorts a large graph, a step of a run solves a large system.
// Where the host has a timer it leaves such work from the handler of a signal: the kernel has put
// all registers on the work's own stack, the handler switches to the desk's stack, and when it is
// switched back to, it returns and the work goes on as if nothing had been (preemption of threads
// in user space by "signal-yield"; Shiina, Iwasaki, Taura, Balaji 2021). What may be left like that
// is a call that touches nothing of the desk but its memory, and the purse is shut meanwhile:
// foi_desk_anywhere. So what others see of the desk between two turns is always whole.
//
// Work that is cancelled and does not ask cannot be stopped: a diagnosis that nobody waits for any
// more goes on behind the others until it notices.
//
// In a page there are no stacks to switch: work is done in one piece there, within the desk's
// limits, but for analyses and runs (slices.h).
#include "desk/task.h"

#include "base/memory.h"

enum {
    STACK = 16 << 20, ///< bytes, of which few are touched; recursion is counted (base/stack.h)
    MOST_BEGUN = 8,   ///< stacks in use at a time
    MOST_LEFT = 16,   ///< beside those of work that was abandoned
    BEHIND = 8,       ///< one turn in so many is theirs while there is other work
    MOST_TASKS = 512, ///< those that wait, too
    SLICE = 512,      ///< of a turn; a block of memory is 1 of it, some steps of a run are STEPS
    STEPS = 256,
    UNITS = 10000, ///< what a turn is charged
    LOOK = 4,      ///< questions from one look at the clock to the next
};

#ifndef FOI_COROUTINE_ASYNCIFY
static void leave(foi_desk_task *t, bool for_good)
{
    foi_desk_tasks *all = &t->desk->tasks;
    all->current = NULL;
    foi_coroutine_switch(&t->here, &all->root, for_good);
    all->current = t;
}

// Others have their turn, if the work is on its own stack: a world of processes has more of them,
// which are not left from here.
static bool is_on_stack(const foi_desk_task *t, uintptr_t at)
{
    uintptr_t low = t->stack ? (uintptr_t)t->stack->low : 0;
    return t->stack && at >= low && at < low + t->stack->use;
}

static bool is_on_its_stack(const foi_desk_task *t)
{
    return is_on_stack(t, (uintptr_t)__builtin_frame_address(0));
}

static bool let_others(foi_desk_task *t)
{
    if (!is_on_its_stack(t)) return false;
    bool may = foi_desk_anywhere(t->desk, false);
    leave(t, false);
    foi_desk_anywhere(t->desk, may);
    return true;
}
#else
static bool let_others(foi_desk_task *t)
{
    (void)t;
    return false;
}
#endif

bool foi_desk_anywhere(fo_desk *desk, bool may)
{
    bool was = atomic_load_explicit(&desk->tasks.anywhere, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); // nothing of the desk is written later
    atomic_store_explicit(&desk->tasks.anywhere, may, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return was;
}

// Sanitizers have locks in the code that they add.
#if !defined(FOI_COROUTINE_ASYNCIFY) && !defined(FOI_COROUTINE_WATCHED) && \
    !defined(FOI_COROUTINE_UCONTEXT)
static bool may_leave(const fo_desk *desk, const void *at)
{
    const foi_desk_task *t = desk->tasks.current;
    return desk->tasks.anywhere && t && is_on_stack(t, (uintptr_t)at);
}

void fo_desk_leave(fo_desk *desk)
{
    if (!may_leave(desk, __builtin_frame_address(0))) return;
    foi_desk_anywhere(desk, false);
    leave(desk->tasks.current, false);
    foi_desk_anywhere(desk, true);
}
#else
static bool may_leave(const fo_desk *desk, const void *at)
{
    (void)desk, (void)at;
    return false;
}

void fo_desk_leave(fo_desk *desk)
{
    (void)desk;
}
#endif

bool fo_desk_interrupt(fo_desk *desk, const void *stack_pointer)
{
    atomic_store_explicit(&desk->tasks.hurry, true, memory_order_relaxed);
    return may_leave(desk, stack_pointer);
}

bool foi_desk_wait(fo_desk *desk)
{
    foi_desk_task *t = desk->tasks.current;
    return t && let_others(t) && !t->cancelled;
}

// True: it is to go on.
static bool ask(fo_desk *desk, uint32_t cost)
{
    foi_desk_task *t = desk->tasks.current;
    if (!t) return true;
    t->asked += cost;
    if ((t->asked >= SLICE || desk->tasks.hurry) && !t->cancelled) {
        t->asked = 0;
        let_others(t);
    }
    return !t->cancelled;
}

bool foi_desk_go_on(void *self)
{
    return ask(self, 1);
}

bool foi_desk_in_one_piece(const fo_desk *desk, int64_t *now)
{
    bool whole = desk->tasks.current && !desk->tasks.current->stack && desk->def.now;
    if (whole) *now = desk->def.now(desk->def.now_self);
    return whole;
}

// Looks at the clock now and then: it is the host's, and a call of it takes longer than most of
// what is done between two questions.
static void look_at_clock(foi_desk_task *t)
{
    int64_t now, patience = t->desk->def.patience;
    if (patience <= 0 || t->looks++ % LOOK || !foi_desk_in_one_piece(t->desk, &now)) return;
    if (t->looks == 1) t->since = now;
    if (now - t->since > patience) t->exhausted = true;
}

bool foi_desk_translate_on(void *self)
{
    fo_desk *desk = self;
    if (desk->tasks.current) look_at_clock(desk->tasks.current);
    return ask(desk, 1) && !foi_desk_exhausted(desk);
}

bool foi_desk_exhausted(const fo_desk *desk)
{
    return desk->tasks.current && desk->tasks.current->exhausted;
}

bool foi_desk_step_on(void *self)
{
    return ask(self, STEPS);
}

uint64_t foi_desk_turns(const fo_desk *desk)
{
    return desk->tasks.current ? desk->tasks.current->turns : 0;
}

void foi_desk_not_short(fo_desk *desk)
{
    if (desk->tasks.current) desk->tasks.current->reads = false;
}

bool foi_desk_cancelled(const fo_desk *desk)
{
    return desk->tasks.current && desk->tasks.current->cancelled;
}

// ------------------------------------------------------------------------------------ one of them

#ifndef FOI_COROUTINE_ASYNCIFY
static void enter(void *self)
{
    foi_desk_task *t = self;
    foi_coroutine_arrive(&t->desk->tasks.root, &t->here);
    t->desk->tasks.current = t;
    t->work(t);
    t->over = true;
    leave(t, true);
}

static void take_stack(foi_desk_task *t)
{
    foi_desk_tasks *all = &t->desk->tasks;
    all->stacks.allocator = t->desk->allocator;
    t->stack = foi_stack_take(&all->stacks, STACK - 4096);
    if (t->stack) foi_coroutine_init(&t->here, t->stack, enter, t);
}
#endif

// One turn of it.
static void resume(foi_desk_task *t)
{
    foi_desk_tasks *all = &t->desk->tasks;
    if (!t->begun) {
        t->begun = true;
        if (t->lets_go) t->holds = 0;
#ifndef FOI_COROUTINE_ASYNCIFY
        take_stack(t);
#endif
        if (!t->apart) all->begun++;
    }
#ifndef FOI_COROUTINE_ASYNCIFY
    if (t->stack) {
        foi_coroutine_enter(&all->root, &t->here);
        t->turns += all->hurry;
        return;
    }
#endif
    all->current = t; // in one piece
    t->unfinished = false;
    t->work(t);
    all->current = NULL;
    t->over = !t->unfinished;
}

static void free_task(foi_desk_task *t)
{
    fo_desk *desk = t->desk;
    foi_desk_task **at = &desk->tasks.first;
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    desk->tasks.count--;
    if (t->abandoned)
        desk->tasks.abandoned--;
    else if (t->begun && !t->apart)
        desk->tasks.begun--;
#ifndef FOI_COROUTINE_ASYNCIFY
    if (t->stack) {
        foi_coroutine_end(&t->here);
        foi_stack_give_back(&desk->tasks.stacks, t->stack);
    }
#endif
    t->free(t);
}

// Whether one before it has the same thing in hand, or may be making it.
static bool must_wait(const foi_desk_task *t)
{
    for (const foi_desk_task *o = t->desk->tasks.first; o && o != t; o = o->next) {
        if (o->holds && o->holds == t->holds && !(t->reads && o->diagnoses)) return true;
        if (o->makes && t->holds > t->desk->handles) return true;
    }
    return false;
}

static bool may_begin(const foi_desk_task *t)
{
    // requests that last never keep others from a diagnosis
    const foi_desk_tasks *all = &t->desk->tasks;
    uint32_t most = t->diagnoses ? 2 * MOST_BEGUN : MOST_BEGUN;
    bool room = t->reads || t->apart || (all->begun < most && all->abandoned < MOST_LEFT);
    return room && !must_wait(t);
}

bool foi_desk_task_room(const fo_desk *desk)
{
    return desk->tasks.count < MOST_TASKS;
}

static void queue(foi_desk_task *t)
{
    foi_desk_task **at = &t->desk->tasks.first;
    while (*at) at = &(*at)->next;
    *at = t;
    t->number = ++t->desk->tasks.numbers;
    t->desk->tasks.count++;
}

void foi_desk_task_add(foi_desk_task *t)
{
    queue(t);
    if (!may_begin(t) || t->desk->tasks.current) return; // not on the stack of another
    resume(t);
    if (t->over) free_task(t);
}

// ------------------------------------------------------------------------------------- what is
// over

static void end_task(foi_desk_task *t)
{
    t->cancelled = true;
    while ((t->begun || t->must) && !t->over) resume(t);
    free_task(t);
}

typedef struct burial {
    foi_desk_task task;
    void (*free_it)(void *what);
    void *what;
    foi_desk_model *of;
} burial;

static void run_burial(foi_desk_task *t)
{
    const burial *b = (burial *)t;
    bool may = foi_desk_anywhere(t->desk, true);
    b->free_it(b->what);
    foi_desk_anywhere(t->desk, may);
    foi_desk_model_leave(t->desk, b->of);
}

static void free_burial(foi_desk_task *t)
{
    foi_free(t->desk->allocator, t);
}

void foi_desk_bury(fo_desk *desk, void (*free_it)(void *what), void *what, foi_desk_model *of)
{
    enum { LARGE = 64 << 20 }; // what a desk has in all: less is given back at once
    bool later = desk->purse.used > LARGE && !desk->ending && foi_desk_task_room(desk);
    burial *b = later ? foi_new(desk->allocator, 1, sizeof *b) : NULL;
    if (!b) {
        free_it(what);
        foi_desk_model_leave(desk, of);
        return;
    }
    b->task = (foi_desk_task){
        .desk = desk, .work = run_burial, .free = free_burial, .apart = true, .must = true};
    b->free_it = free_it, b->what = what, b->of = of;
    queue(&b->task);
}

// ------------------------------------------------------------------------------------- all of them

bool foi_desk_held(const fo_desk *desk, uint64_t handle, bool by_diagnoses)
{
    for (const foi_desk_task *t = desk->tasks.first; t; t = t->next)
        if ((t->holds == handle && (by_diagnoses || !t->diagnoses)) ||
            (t->makes && handle > desk->handles))
            return true;
    return false;
}

void foi_desk_task_abandon(foi_desk_task *t)
{
    t->cancelled = true, t->makes = false, t->holds = 0;
    if (!t->begun) {
        free_task(t);
    } else if (!t->abandoned) {
        t->abandoned = true;
        if (!t->apart) t->desk->tasks.begun--;
        t->desk->tasks.abandoned++;
    }
}

void foi_desk_end_diagnoses(fo_desk *desk, uint64_t handle)
{
    bool any = false;
    for (foi_desk_task *t = desk->tasks.first, *next; t; t = next) {
        next = t->next;
        if (!t->diagnoses || t->holds != handle) continue;
        foi_desk_task_abandon(t);
        any = true;
    }
    for (size_t i = 0; any && i < desk->document_count; i++)
        if (desk->documents[i]->handle == handle) desk->documents[i]->unheard = true;
}

bool foi_desk_task_cancel(fo_desk *desk, double id)
{
    for (foi_desk_task *t = desk->tasks.first; t; t = t->next) {
        if (!t->request || t->id != id || t->cancelled) continue;
        if (t->answer_now) t->answer_now(t);
        t->cancelled = true; // it ends at its next question
        if (!t->begun) free_task(t);
        return true;
    }
    return false;
}

/// Kinds of tasks, in the order in which they have their turns.
typedef enum rank {
    FIRST, ///< a short look at a text
    USUAL,
    BEHIND_ALL, ///< nobody waits for it any more
    RANKS
} rank;

static rank rank_of(const foi_desk_task *t)
{
    return t->abandoned ? BEHIND_ALL : t->reads ? FIRST : USUAL;
}

// Of a rank, the one after the last that had its turn; NULL: there is none.
static foi_desk_task *next_of(foi_desk_tasks *all, rank of)
{
    foi_desk_task *t = all->first;
    while (t && t->number <= all->turn) t = t->next;
    for (int round = 0; round < 2; round++, t = all->first)
        for (; t; t = t->next)
            if (rank_of(t) == of && (t->begun || may_begin(t))) return t;
    return NULL;
}

bool foi_desk_task_some(fo_desk *desk)
{
    foi_desk_tasks *all = &desk->tasks;
    foi_desk_task *t = NULL;
    if (++all->turns % BEHIND == 0) t = next_of(all, BEHIND_ALL);
    for (int of = 0; !t && of < RANKS; of++) t = next_of(all, (rank)of);
    if (!t) return false;
    if (!t->abandoned) all->turn = t->number;
    desk->units = desk->units > UNITS ? desk->units - UNITS : 0;
    resume(t);
    if (t->over) free_task(t);
    return true;
}

void foi_desk_tasks_end(fo_desk *desk)
{
    desk->ending = true;
    while (desk->tasks.first) end_task(desk->tasks.first);
#ifndef FOI_COROUTINE_ASYNCIFY
    foi_stacks_destroy(&desk->tasks.stacks);
#endif
}
