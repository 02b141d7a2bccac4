// Work that may be long, on a stack of its own: it is left after a while and gone on with later, so
// that other messages are answered in between.
//
// What such work calls (a translation, a run inside of an analysis) asks now and then whether it is
// to go on; the answer is given after a turn of the others. No clock is looked at: a turn is a
// number of questions. In a page there are no stacks to switch: work is done in one piece there,
// within the desk's limits.
#include "desk/task.h"

#include "base/memory.h"

enum {
    STACK = 16 << 20, ///< bytes, of which few are touched; recursion is counted (base/stack.h)
    MOST_BEGUN = 8,   ///< stacks in use at a time
    MOST_TASKS = 512, ///< those that wait, too
    SLICE = 512,      ///< of a turn; a block of memory is 1 of it, some steps of a run are STEPS
    STEPS = 256,
    UNITS = 10000, ///< what a turn is charged
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
static void let_others(foi_desk_task *t)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t low = t->stack ? (uintptr_t)t->stack->low : 0;
    if (t->stack && here >= low && here < low + t->stack->use) leave(t, false);
}
#else
static void let_others(foi_desk_task *t)
{
    (void)t;
}
#endif

// True: it is to go on.
static bool ask(fo_desk *desk, uint32_t cost)
{
    foi_desk_task *t = desk->tasks.current;
    if (!t) return true;
    t->asked += cost;
    if (t->asked >= SLICE && !t->cancelled) {
        t->asked = 0;
        let_others(t);
    }
    return !t->cancelled;
}

bool foi_desk_go_on(void *self)
{
    return ask(self, 1);
}

bool foi_desk_step_on(void *self)
{
    return ask(self, STEPS);
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
        all->begun++;
    }
#ifndef FOI_COROUTINE_ASYNCIFY
    if (t->stack) {
        foi_coroutine_enter(&all->root, &t->here);
        return;
    }
#endif
    all->current = t; // in one piece
    t->work(t);
    all->current = NULL;
    t->over = true;
}

static void free_task(foi_desk_task *t)
{
    fo_desk *desk = t->desk;
    foi_desk_task **at = &desk->tasks.first;
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    desk->tasks.count--;
    if (t->begun) desk->tasks.begun--;
#ifndef FOI_COROUTINE_ASYNCIFY
    if (t->stack) {
        foi_coroutine_end(&t->here);
        foi_stack_give_back(&desk->tasks.stacks, t->stack);
    }
#endif
    t->free(t);
}

// Whether one before it has the same thing in hand.
static bool must_wait(const foi_desk_task *t)
{
    for (const foi_desk_task *o = t->desk->tasks.first; o && o != t; o = o->next)
        if (o->holds && o->holds == t->holds) return true;
    return false;
}

static bool may_begin(const foi_desk_task *t)
{
    return t->desk->tasks.begun < MOST_BEGUN && !must_wait(t);
}

bool foi_desk_task_room(const fo_desk *desk)
{
    return desk->tasks.count < MOST_TASKS;
}

void foi_desk_task_add(foi_desk_task *t)
{
    foi_desk_task **at = &t->desk->tasks.first;
    while (*at) at = &(*at)->next;
    *at = t;
    t->number = ++t->desk->tasks.numbers;
    t->desk->tasks.count++;
    if (!may_begin(t)) return;
    resume(t);
    if (t->over) free_task(t);
}

// ------------------------------------------------------------------------------------- all of them

bool foi_desk_held(const fo_desk *desk, uint64_t handle, bool by_diagnoses)
{
    for (const foi_desk_task *t = desk->tasks.first; t; t = t->next)
        if (t->holds == handle && (by_diagnoses || !t->diagnoses)) return true;
    return false;
}

static void end_task(foi_desk_task *t)
{
    t->cancelled = true;
    while (t->begun && !t->over) resume(t);
    free_task(t);
}

void foi_desk_end_diagnoses(fo_desk *desk, uint64_t handle)
{
    for (foi_desk_task *t = desk->tasks.first, *next; t; t = next) {
        next = t->next;
        if (t->diagnoses && t->holds == handle) end_task(t);
    }
}

bool foi_desk_task_cancel(fo_desk *desk, double id)
{
    for (foi_desk_task *t = desk->tasks.first; t; t = t->next) {
        if (!t->request || t->id != id) continue;
        t->cancelled = true; // it ends, and says so, at its next turn
        return true;
    }
    return false;
}

bool foi_desk_task_some(fo_desk *desk)
{
    foi_desk_tasks *all = &desk->tasks;
    foi_desk_task *t = all->first;
    // the one after the last that had its turn
    while (t && t->number <= all->turn) t = t->next;
    for (int round = 0; round < 2; round++, t = all->first)
        for (; t; t = t->next) {
            if (!t->begun && !may_begin(t)) continue;
            all->turn = t->number;
            desk->units = desk->units > UNITS ? desk->units - UNITS : 0;
            resume(t);
            if (t->over) free_task(t);
            return true;
        }
    return false;
}

void foi_desk_tasks_end(fo_desk *desk)
{
    while (desk->tasks.first) end_task(desk->tasks.first);
#ifndef FOI_COROUTINE_ASYNCIFY
    foi_stacks_destroy(&desk->tasks.stacks);
#endif
}
