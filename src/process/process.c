#include "process/internal.h"

// Without printf, for which a process's stack may be too small.
const char *foi_process_text(const fo_process *p, char *text, size_t size)
{
    char number[16], *digit = number + sizeof number;
    *--digit = '\0';
    *--digit = ')';
    uint32_t n = p->number;
    do *--digit = (char)('0' + n % 10);
    while (n /= 10);
    const char *parts[] = {"process '", p->name, "' (#", digit};
    size_t used = 0;
    for (int i = 0; i < 4; i++)
        for (const char *c = parts[i]; *c && used < (i == 1 ? 44 : size - 1); c++)
            text[used++] = *c;
    text[used] = '\0';
    return text;
}

// Makes some more spare ones, each time four times as many up to a limit.
static bool make_spare(fo_world *w)
{
    enum { LINE = 64, FIRST = 4, MOST = 256 };
    size_t apart = (sizeof(fo_process) + LINE - 1) / LINE * LINE;
    size_t room = !w->slab_room ? FIRST : w->slab_room < MOST ? 4 * w->slab_room : MOST;
    foi_process_slab *slab = foi_new(w->allocator, sizeof *slab + LINE + room * apart, 1);
    if (!slab) return false;
    slab->next = w->slabs;
    w->slabs = slab, w->slab_room = room;
    char *at = (char *)(((uintptr_t)(slab + 1) + LINE - 1) & ~(uintptr_t)(LINE - 1));
    for (size_t i = room; i-- > 0;) {
        fo_process *p = (fo_process *)(void *)(at + i * apart);
        p->suc = w->spare;
        w->spare = p;
    }
    return true;
}

static void free_inside(fo_world *w, fo_process *list)
{
    for (fo_process *p = list; p; p = p->suc) {
        if (p->stack) foi_coroutine_end(&p->co);
        fo_link_out(&p->link);
        foi_free(w->allocator, p->sentry);
    }
}

void foi_processes_free(fo_world *w)
{
    free_inside(w, w->processes);
    free_inside(w, w->spare);
    for (foi_process_slab *slab = w->slabs, *next; slab; slab = next) {
        next = slab->next;
        foi_free(w->allocator, slab);
    }
}

static fo_process *new_process(fo_world *w)
{
    if (!w->spare && !make_spare(w)) return NULL;
    fo_process *p = w->spare;
    w->spare = p->suc;
    // an entry of the event list may still name it: what tells that it is void is the order
    foi_sentry *sentry = p->sentry;
    *p = (fo_process){.sentry = sentry};
    return p;
}

// Sanitizers make large frames, and Asyncify keeps what it saves beside them.
static size_t stack_size(size_t wanted)
{
#if defined(FOI_COROUTINE_WATCHED)
    enum { LEAST = 64 << 10 };
#elif defined(FOI_COROUTINE_ASYNCIFY)
    enum { LEAST = 8000 };
#else
    enum { LEAST = 1 };
#endif
    return wanted < LEAST ? LEAST : wanted;
}

fo_process_def fo_default_process_def(void)
{
    return (fo_process_def){.name = "process"};
}

fo_process *fo_process_make(fo_world *w, const fo_process_def *def)
{
    fo_process *p = new_process(w);
    if (!p) {
        foi_no_memory(w, "a process");
        return NULL;
    }
    p->world = w;
    p->name = def->name ? def->name : "process";
    p->actions = def->actions;
    p->self = def->self;
    p->priority = def->priority;
    p->stack_size = stack_size(def->stack ? def->stack : w->def.stack);
    p->forget = def->forget;
    p->number = ++w->numbers;
    p->suc = w->processes;
    if (w->processes) w->processes->pred = p;
    w->processes = p;
    return p;
}

fo_process *fo_process_create(fo_world *w, const char *name, fo_actions *actions, void *self)
{
    return fo_process_make(w, &(fo_process_def){.name = name, .actions = actions, .self = self});
}

fo_status fo_spawn(fo_world *w, const char *name, fo_actions *actions, void *self)
{
    fo_process *p = fo_process_make(w, &(fo_process_def){name, actions, self, .forget = true});
    return p ? fo_activate_at(p, w->now, false) : FO_ERROR_MEMORY;
}

fo_status fo_process_destroy(fo_process *p)
{
    if (!p) return FO_OK;
    fo_world *w = p->world;
    char text[64];
    if (p->phase != FOI_ENDED && p->phase != FOI_NEW_BORN)
        return foi_fail(w, FO_ERROR_MODEL, "%s cannot be destroyed at t = %.15g: it has not ended",
                        foi_process_text(p, text, sizeof text), w->now);
    foi_events_remove(w, p);
    fo_link_out(&p->link);
    *(p->pred ? &p->pred->suc : &w->processes) = p->suc;
    if (p->suc) p->suc->pred = p->pred;
    if (p == w->main) w->main = NULL;
    p->suc = w->spare;
    w->spare = p;
    return FO_OK;
}

// --------------------------------------------------------------------------------- looking at it

bool fo_process_terminated(const fo_process *p)
{
    return p->phase == FOI_ENDED;
}

static bool scheduled(const fo_process *p)
{
    return p->order &&
           (p->phase == FOI_ACTIVE || p->phase == FOI_HOLDING || p->phase == FOI_NEW_BORN);
}

bool fo_process_idle(const fo_process *p)
{
    return p != p->world->current && !scheduled(p);
}

double fo_process_event_time(const fo_process *p)
{
    if (p == p->world->current) return p->world->now;
    return scheduled(p) ? p->t : INFINITY;
}

static bool earlier(const foi_event *a, const foi_event *b)
{
    if (a->t != b->t) return a->t < b->t;
    return a->priority != b->priority ? a->priority > b->priority : a->order < b->order;
}

fo_process *fo_process_next(const fo_process *p)
{
    fo_world *w = p->world;
    if (p == w->current) return fo_world_next(w);
    const foi_event *mine = NULL, *best = NULL, *heap = w->events.heap;
    for (size_t i = 0; i < w->events.count; i++)
        if (heap[i].p == p && heap[i].order == p->order) mine = &heap[i];
    for (size_t i = 0; mine && i < w->events.count; i++) {
        const foi_event *e = &heap[i];
        if (e->p->order != e->order || !earlier(mine, e)) continue;
        if (!best || earlier(e, best)) best = e;
    }
    return best ? best->p : NULL;
}

const char *fo_process_name(const fo_process *p)
{
    return p->name;
}

uint32_t fo_process_number(const fo_process *p)
{
    return p->number;
}

void *fo_process_self(const fo_process *p)
{
    return p->self;
}

fo_world *fo_process_world(const fo_process *p)
{
    return p->world;
}

int fo_process_priority(const fo_process *p)
{
    return p->priority;
}

void fo_process_set_priority(fo_process *p, int priority)
{
    p->priority = priority;
}

void *fo_reason(const fo_world *w)
{
    return w->current ? w->current->reason : NULL;
}

double fo_remaining(const fo_world *w)
{
    return w->current ? w->current->remaining : 0;
}
