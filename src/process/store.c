// Stores: items of one size in a ring, with lines of those who bring and those who fetch.
#include <string.h>

#include "process/internal.h"

struct fo_store {
    foi_owned owned;
    fo_world *world;
    char *items;           ///< a ring
    size_t size;           ///< of an item
    size_t head, count;    ///< the first item, and how many
    size_t room, capacity; ///< of the ring, and at most; capacity 0: no limit
    foi_line putters, getters;
};

static void destroy(foi_owned *owned, const fo_allocator *a)
{
    fo_store *s = (fo_store *)(void *)owned;
    foi_free(a, s->items);
    foi_free(a, s);
}

fo_store *fo_store_create(fo_world *w, const char *name, size_t item_size, size_t capacity)
{
    fo_store *s = foi_new(w->allocator, 1, sizeof *s);
    if (!s) {
        foi_no_memory(w, "a store");
        return NULL;
    }
    s->world = w, s->size = item_size, s->capacity = capacity;
    s->putters.kind = "room in store", s->getters.kind = "an item of store";
    s->putters.name = s->getters.name = name;
    s->putters.waits = "wait to put", s->putters.gets = "put";
    s->getters.waits = "wait to get", s->getters.gets = "get";
    s->putters.changed = s->getters.changed = w->now;
    foi_own(w, &s->owned, destroy);
    return s;
}

static inline void copy(const fo_store *s, void *to, const void *from)
{
    if (s->size == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, s->size);
}

// The i-th item from the first.
static inline char *item_at(const fo_store *s, size_t i)
{
    return s->items + ((s->head + i) & (s->room - 1)) * s->size;
}

// The ring's room is a power of two.
static bool grow(fo_store *s)
{
    size_t room = s->room ? 2 * s->room : 16;
    char *items = foi_new(s->world->allocator, room, s->size);
    if (!items) return false;
    for (size_t i = 0; i < s->count; i++) copy(s, items + i * s->size, item_at(s, i));
    foi_free(s->world->allocator, s->items);
    s->items = items, s->room = room, s->head = 0;
    return true;
}

static inline bool push(fo_store *s, const void *item)
{
    if (__builtin_expect(s->count == s->room, 0) && !grow(s)) return false;
    copy(s, item_at(s, s->count++), item);
    return true;
}

// Takes the first item that the filter lets through.
static bool pop(fo_store *s, void *item, bool (*filter)(const void *, void *), void *self)
{
    size_t i = 0;
    if (filter)
        while (i < s->count && !filter(item_at(s, i), self)) i++;
    if (i >= s->count) return false;
    copy(s, item, item_at(s, i));
    for (; i > 0; i--) copy(s, item_at(s, i), item_at(s, i - 1));
    s->head = (s->head + 1) & (s->room - 1);
    s->count--;
    return true;
}

static bool full(const fo_store *s)
{
    return s->capacity && s->count >= s->capacity;
}

// One who waits to fetch gets an item that fits; false: none does.
static bool serve_getter(fo_store *s)
{
    for (fo_process *p = s->getters.first; p && s->count; p = p->place.suc) {
        if (!pop(s, p->place.item, p->place.filter, p->place.filter_self)) continue;
        foi_line_grant(p);
        return true;
    }
    return false;
}

static bool serve_putter(fo_store *s)
{
    fo_process *p = s->putters.first;
    if (!p || full(s)) return false;
    if (!push(s, p->place.item)) {
        foi_no_memory(s->world, "an item");
        return false;
    }
    foi_line_grant(p);
    return true;
}

static void serve(fo_store *s)
{
    while (serve_getter(s) || serve_putter(s)) {
    }
}

fo_wake fo_store_put_with(fo_world *w, fo_store *s, const void *item, const fo_request *request)
{
    if (full(s) || s->putters.first) {
        if (!foi_someone(w, "wait for room in a store")) return FO_BALKED;
        return foi_line_wait(w, &s->putters, request, 1, (void *)item);
    }
    foi_trace_act(w, w->current, s->putters.name, "put", 1);
    fo_process *p = s->getters.first;
    if (p && !s->count && !p->place.filter) { // from hand to hand
        copy(s, p->place.item, item);
        foi_line_grant(p);
        return FO_WOKEN;
    }
    if (!push(s, item)) {
        foi_no_memory(w, "an item");
        return w->current ? foi_never(w) : FO_BALKED;
    }
    if (p) serve(s);
    return FO_WOKEN;
}

fo_wake fo_store_put(fo_world *w, fo_store *s, const void *item)
{
    return fo_store_put_with(w, s, item, &(fo_request){0});
}

fo_wake fo_store_get_with(fo_world *w, fo_store *s, void *item, const fo_request *request)
{
    if (pop(s, item, request->filter, request->filter_self)) {
        foi_trace_act(w, w->current, s->getters.name, "get", 1);
        if (s->putters.first) serve(s);
        return FO_WOKEN;
    }
    if (!foi_someone(w, "wait for an item of a store")) return FO_BALKED;
    return foi_line_wait(w, &s->getters, request, 1, item);
}

fo_wake fo_store_get(fo_world *w, fo_store *s, void *item)
{
    return fo_store_get_with(w, s, item, &(fo_request){0});
}

size_t fo_store_count(const fo_store *s)
{
    return s->count;
}
