/// The event list: a 4-ary heap, ordered by (time, priority, order).
///
/// Orders are given out in steps of FOI_ORDER_GAP, upwards for events in their turn, downwards for
/// prior ones. Every event owns some orders below and above its own (p->before, p->after): an event
/// that is put beside another takes half of what that one owns there, with a quarter to each side.
/// When nothing is left to divide, all events are numbered anew.
///
/// Taking an event out of the middle only makes its entry void. When more than half of the entries
/// are, they are swept out.
///
/// With many processes an event waits for memory more than for anything else: for entries deep in
/// the heap, for the process and for its stack. All three are asked for ahead of time: the entries
/// one level before they are compared, a process when its entry comes below the top, and its stack
/// when it is at the top.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "process/internal.h"

static inline bool earlier(const foi_event *a, const foi_event *b)
{
    if (a->t != b->t) return a->t < b->t;
    if (__builtin_expect(a->priority != b->priority, 0)) return a->priority > b->priority;
    return a->order < b->order;
}

static inline bool is_void(const foi_event *e)
{
    return e->p->order != e->order;
}

static inline void sift_up(foi_event *heap, size_t i, foi_event e)
{
    while (i) {
        size_t parent = (i - 1) >> 2;
        if (!earlier(&e, &heap[parent])) break;
        heap[i] = heap[parent];
        i = parent;
    }
    heap[i] = e;
}

enum {
    LINE = 64,
    GROUP = 4 * sizeof(foi_event), ///< the four below an entry
    DEEP = 1 << 10,                ///< entries up to here stay in the cache by themselves
};
static_assert(sizeof(foi_event) * 2 == LINE, "the four below an entry fill two lines");

// Functions that only ask for memory do nothing in the eyes of gcc, which leaves out calls of them
// unless they are inlined early.
#define EARLY __attribute__((always_inline)) static inline

// The sixteen below the four that begin at `child`.
EARLY void look_deeper(const foi_event *heap, size_t count, size_t child)
{
    size_t below = 4 * child + 1;
    if (below + 16 > count) return;
    for (size_t k = 0; k < 16; k += 2) __builtin_prefetch(&heap[below + k], 1);
}

static inline void sift_down(foi_event *heap, size_t count, size_t i, foi_event e)
{
    for (;;) {
        size_t child = 4 * i + 1, end = child + 4 < count ? child + 4 : count, least = child;
        if (child >= count) break;
        if (child >= DEEP / 4) look_deeper(heap, count, child);
        for (size_t k = child + 1; k < end; k++)
            if (earlier(&heap[k], &heap[least])) least = k;
        if (!earlier(&heap[least], &e)) break;
        heap[i] = heap[least];
        i = least;
    }
    heap[i] = e;
}

// Asks for what the next events need.
EARLY void look_ahead(const foi_events *l)
{
    if (l->count < DEEP) return;
    for (size_t k = 1; k <= 4; k++) __builtin_prefetch(l->heap[k].p, 1);
    const fo_process *next = l->heap[0].p;
    __builtin_prefetch(next->canary);
    const char *frame = next->co.sp;
    for (size_t k = 0; k < 4; k++) __builtin_prefetch(frame + k * LINE, 1);
}

static inline void drop_first(foi_events *l)
{
    foi_event last = l->heap[--l->count];
    if (l->count) sift_down(l->heap, l->count, 0, last);
}

static void sweep(foi_events *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++)
        if (!is_void(&l->heap[i])) l->heap[kept++] = l->heap[i];
    l->count = kept, l->stale = 0;
    for (size_t i = kept / 4 + 1; i-- > 0;)
        if (i < kept) sift_down(l->heap, kept, i, l->heap[i]);
}

static bool grow(fo_world *w)
{
    foi_events *l = &w->events;
    if (l->stale > l->count / 2) {
        sweep(l);
        return true;
    }
    size_t room = l->room ? 2 * l->room : 32;
    char *block = foi_new(w->allocator, (room + 1) * sizeof *l->heap + GROUP, 1);
    if (!block) return false;
    // entry 1, the first of a group, begins on a line
    uintptr_t first = ((uintptr_t)block + sizeof *l->heap + GROUP - 1) & ~(uintptr_t)(GROUP - 1);
    foi_event *heap = (foi_event *)first - 1;
    if (l->count) memcpy(heap, l->heap, l->count * sizeof *heap);
    foi_free(w->allocator, l->block);
    l->block = block, l->heap = heap, l->room = room;
    return true;
}

// Room for one more.
static inline bool make_room(fo_world *w)
{
    return w->events.count < w->events.room || grow(w);
}

static inline void push(fo_world *w, fo_process *p, double t, int32_t priority, uint64_t order)
{
    foi_events *l = &w->events;
    p->t = t, p->order = order;
    sift_up(l->heap, l->count++, (foi_event){t, order, p, priority});
}

bool foi_events_add(fo_world *w, fo_process *p, double t, int32_t priority, bool prior)
{
    foi_events *l = &w->events;
    if (!make_room(w)) return false;
    uint64_t order = prior ? (l->first -= FOI_ORDER_GAP) : (l->last += FOI_ORDER_GAP);
    p->before = p->after = FOI_ORDER_GAP / 2;
    push(w, p, t, priority, order);
    return true;
}

static int by_order(const void *a, const void *b)
{
    const foi_event *ea = a, *eb = b;
    return earlier(ea, eb) ? -1 : earlier(eb, ea);
}

// A sorted list is a heap.
static void number_anew(foi_events *l)
{
    sweep(l);
    qsort(l->heap, l->count, sizeof *l->heap, by_order);
    for (size_t i = 0; i < l->count; i++) {
        fo_process *p = l->heap[i].p;
        p->order = l->heap[i].order = l->last += FOI_ORDER_GAP;
        p->before = p->after = FOI_ORDER_GAP / 2;
    }
}

bool foi_events_add_beside(fo_world *w, fo_process *p, const fo_process *other, bool before)
{
    if (!make_room(w)) return false;
    if ((before ? other->before : other->after) < 4) number_anew(&w->events);
    fo_process *o = (fo_process *)other;
    int32_t priority = o->priority;
    for (size_t i = 0; i < w->events.count; i++) // it may have been another when it was scheduled
        if (w->events.heap[i].order == o->order) priority = w->events.heap[i].priority;
    uint32_t quarter = (before ? o->before : o->after) / 4;
    uint64_t order = before ? o->order - 2 * quarter : o->order + 2 * quarter;
    if (before)
        o->before = quarter;
    else
        o->after = quarter;
    p->before = p->after = quarter;
    push(w, p, o->t, priority, order);
    return true;
}

void foi_events_remove(fo_world *w, fo_process *p)
{
    if (!p->order) return;
    p->order = 0;
    foi_events *l = &w->events;
    l->stale++;
    if (l->stale > 64 && l->stale > l->count / 2) sweep(l);
}

fo_process *foi_events_first(fo_world *w)
{
    foi_events *l = &w->events;
    while (l->count && is_void(&l->heap[0])) {
        drop_first(l);
        l->stale--;
    }
    return l->count ? l->heap[0].p : NULL;
}

double foi_events_time(fo_world *w)
{
    return foi_events_first(w) ? w->events.heap[0].t : INFINITY;
}

fo_process *foi_events_take(fo_world *w)
{
    fo_process *p = foi_events_first(w);
    if (!p || w->events.heap[0].t > w->until) return NULL;
    if (!foi_events_count(w, p, w->events.heap[0].t)) return NULL;
    p->order = 0;
    drop_first(&w->events);
    look_ahead(&w->events);
    return p;
}

fo_process *foi_events_exchange(fo_world *w, fo_process *p, double t)
{
    foi_events *l = &w->events;
    fo_process *first = l->heap[0].p;
    first->order = 0;
    p->t = t, p->order = l->last += FOI_ORDER_GAP;
    p->before = p->after = FOI_ORDER_GAP / 2;
    sift_down(l->heap, l->count, 0, (foi_event){t, p->order, p, p->priority});
    look_ahead(l);
    return first;
}
