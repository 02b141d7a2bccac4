// Work in slices where stacks cannot be switched, in place of slices.c: in a coroutine, as
// processes are (process/coroutine_wasm.c), which unwinds at a rest and rewinds when it is gone on
// with.
//
//     foi_desk_slice -> slice_enter -> work -> fo_fit_create -> .. -> foi_trial_rest ->
//     foi_desk_rest
//
// All that stands between slice_enter and foi_desk_rest is rewritten for that (tools/wasm), and
// lies in the second module. A simulation is not: so a run is left between pieces of it, never
// inside.
#include <stdlib.h>

#include "base/memory.h"
#include "desk/slices.h"
#include "desk/task.h"

enum {
    STACK = 1 << 20,  ///< bytes, as many as the module itself has
    MOMENT = 4000000, ///< [ns] of a turn
    LOOK = 4,         ///< rests from one look at the clock to the next
    RESTS = 64,       ///< of a turn, where there is no clock
};

struct foi_desk_slices {
    foi_coroutine here;
    foi_coroutine *root;
    foi_stack stack;
    void (*work)(void *self);
    void *self;
    bool over;
    unsigned rests; ///< in this turn, and
    int64_t since;  ///< [ns] when it began
    _Alignas(16) char memory[STACK];
};

// tools/wasm has its name.
__attribute__((noinline)) static void slice_enter(void *argument)
{
    foi_desk_slices *s = argument;
    s->work(s->self);
    s->over = true;
    foi_coroutine_switch(&s->here, s->root, true);
}

static foi_desk_slices *begin(fo_desk *desk, void (*work)(void *self), void *self)
{
    foi_desk_slices *s = foi_new(desk->allocator, 1, sizeof *s);
    if (!s) return NULL;
    s->root = &desk->tasks.root, s->work = work, s->self = self;
    s->stack = (foi_stack){.low = s->memory, .use = sizeof s->memory};
    foi_coroutine_init(&s->here, &s->stack, slice_enter, s);
    return s;
}

bool foi_desk_slice(fo_desk *desk, foi_desk_slices **slices, void (*work)(void *self), void *self)
{
    foi_desk_slices *s = *slices;
    if (!s) s = *slices = begin(desk, work, self);
    if (!s) { // in one piece
        work(self);
        return true;
    }
    s->rests = 0;
    foi_desk_in_one_piece(desk, &s->since);
    desk->tasks.inside = s;
    foi_coroutine_enter(s->root, &s->here);
    desk->tasks.inside = NULL;
    if (!foi_canary_lives(foi_stack_canary(&s->stack))) abort(); // what lies below is not its own
    if (!s->over) {
        desk->units = 0; // others are heard first
        if (desk->tasks.current) desk->tasks.current->turns++;
        return false;
    }
    foi_free(desk->allocator, s);
    *slices = NULL;
    return true;
}

static bool is_enough(const fo_desk *desk, foi_desk_slices *s)
{
    int64_t now;
    s->rests++;
    if (!desk->def.now) return s->rests >= RESTS;
    return s->rests % LOOK == 0 && foi_desk_in_one_piece(desk, &now) && now - s->since >= MOMENT;
}

void foi_desk_rest(void *self)
{
    fo_desk *desk = self;
    foi_desk_slices *s = desk->tasks.inside;
    if (s && is_enough(desk, s)) foi_coroutine_switch(&s->here, s->root, false);
}
