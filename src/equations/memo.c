/// What was worked out before, by words that name it: the results of a call by its function and the
/// nodes of its arguments. A function with many results is worked out once, not once for each of
/// them; nodes are shared, so that equal arguments are equal nodes.
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "equations/equations.h"

static bool is_entry(const foi_memo_entry *m, uint64_t hash, const uint32_t *key, uint32_t count)
{
    return m->hash == hash && m->key_count == count &&
           memcmp(m->key, key, count * sizeof *key) == 0;
}

static uint64_t hash_of(const uint32_t *key, uint32_t count)
{
    return foi_hash_of(key, count * sizeof *key, 0);
}

// Where the entry with that key is, or the free place where it belongs.
static size_t place_of(const foi_memo *m, uint64_t hash, const uint32_t *key, uint32_t count)
{
    size_t at = hash & (m->room - 1);
    while (m->list[at].key && !is_entry(&m->list[at], hash, key, count))
        at = (at + 1) & (m->room - 1);
    return at;
}

const foi_node *foi_memo_find(const foi_memo *m, const uint32_t *key, uint32_t count)
{
    if (!m->room) return NULL;
    const foi_memo_entry *e = &m->list[place_of(m, hash_of(key, count), key, count)];
    return e->key ? e->values : NULL;
}

// Doubles the room when it is half full.
static bool grow(foi_memo *m, const fo_allocator *allocator)
{
    if (m->count * 2 < m->room) return true;
    foi_memo larger = {.room = m->room ? 2 * m->room : 256, .count = m->count};
    larger.list = foi_new(allocator, larger.room, sizeof *larger.list);
    if (!larger.list) return false;
    for (size_t i = 0; i < m->room; i++) {
        const foi_memo_entry *e = &m->list[i];
        if (e->key) larger.list[place_of(&larger, e->hash, e->key, e->key_count)] = *e;
    }
    foi_free(allocator, m->list);
    *m = larger;
    return true;
}

bool foi_memo_keep(foi_memo *m, foi_equations *e, const uint32_t *key, uint32_t count,
                   const foi_node *values, uint32_t value_count)
{
    uint32_t *own_key = foi_arena_new(&e->texts, count, sizeof *own_key);
    foi_node *own = foi_arena_new(&e->texts, (size_t)value_count + 1, sizeof *own);
    if (!own_key || !own || !grow(m, e->allocator)) return false;
    memcpy(own_key, key, count * sizeof *key);
    if (value_count) memcpy(own, values, value_count * sizeof *own);
    uint64_t hash = hash_of(key, count);
    foi_memo_entry *to = &m->list[place_of(m, hash, key, count)];
    m->count += !to->key;
    *to = (foi_memo_entry){hash, count, own_key, own};
    return true;
}

void foi_memo_end(foi_memo *m, const fo_allocator *allocator)
{
    foi_free(allocator, m->list);
    *m = (foi_memo){0};
}
