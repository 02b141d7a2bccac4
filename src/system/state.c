#include "system/state.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

enum { ALIGNMENT = 16 };

// Bytes of the block without the room for alignment; false when there is no such number.
static bool block_size(const fo_shape *shape, size_t *size)
{
    uint64_t doubles =
        (uint64_t)shape->states + shape->discretes + shape->inputs + shape->parameters;
    size_t memory, values;
    if (doubles > SIZE_MAX) return false;
    if (__builtin_add_overflow(shape->memory, ALIGNMENT - 1, &memory)) return false;
    memory -= memory % ALIGNMENT;
    if (__builtin_mul_overflow((size_t)doubles, sizeof(double), &values)) return false;
    if (__builtin_add_overflow(memory, values, size)) return false;
    return *size <= PTRDIFF_MAX - ALIGNMENT && shape->scratch <= PTRDIFF_MAX - ALIGNMENT;
}

static void *align(void *block)
{
    return (void *)(((uintptr_t)block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

// Sets the pointers of `s` into a block for `shape`.
static void lay_out(fo_state *s, const fo_shape *shape, void *block)
{
    s->shape = *shape;
    s->memory = align(block);
    size_t memory = (shape->memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    s->x = (double *)((char *)s->memory + memory);
    s->d = s->x + shape->states;
    s->u = s->d + shape->discretes;
    s->p = s->u + shape->inputs;
}

static fo_status no_memory(fo_message *why, const fo_shape *shape)
{
    return fo_fail(why, FO_ERROR_MEMORY,
                   "no memory for %u states, %u discretes and %zu bytes beside them", shape->states,
                   shape->discretes, shape->memory);
}

fo_status foi_state_create(foi_state_store *store, const fo_shape *shape,
                           const fo_allocator *allocator, fo_message *why)
{
    *store = (foi_state_store){.allocator = allocator};
    return foi_state_reshape(store, shape, why);
}

void foi_state_destroy(foi_state_store *store)
{
    foi_free(store->allocator, store->block);
    foi_free(store->allocator, store->scratch_block);
    *store = (foi_state_store){.allocator = store->allocator};
}

static void keep(void *to, const void *from, size_t new_size, size_t old_size)
{
    size_t both = new_size < old_size ? new_size : old_size;
    if (both) memcpy(to, from, both);
}

static void keep_values(double *to, const double *from, uint32_t new_count, uint32_t old_count)
{
    keep(to, from, new_count * sizeof *to, old_count * sizeof *to);
}

fo_status foi_state_reshape(foi_state_store *store, const fo_shape *shape, fo_message *why)
{
    size_t size;
    if (!block_size(shape, &size))
        return fo_fail(why, FO_ERROR_ARGUMENT, "no memory can hold %u states and %zu bytes",
                       shape->states, shape->memory);
    fo_state *s = &store->s;
    bool new_scratch = !store->scratch_block || shape->scratch != s->shape.scratch;
    void *block = foi_new(store->allocator, size + ALIGNMENT, 1);
    void *scratch = new_scratch ? foi_new(store->allocator, shape->scratch + ALIGNMENT, 1) : NULL;
    if (!block || (new_scratch && !scratch)) {
        foi_free(store->allocator, block);
        foi_free(store->allocator, scratch);
        return no_memory(why, shape);
    }
    fo_state old = *s;
    lay_out(s, shape, block);
    keep(s->memory, old.memory, shape->memory, old.shape.memory);
    keep_values(s->x, old.x, shape->states, old.shape.states);
    keep_values(s->d, old.d, shape->discretes, old.shape.discretes);
    keep_values(s->u, old.u, shape->inputs, old.shape.inputs);
    keep_values(s->p, old.p, shape->parameters, old.shape.parameters);
    foi_free(store->allocator, store->block);
    store->block = block, store->size = size;
    if (new_scratch) {
        foi_free(store->allocator, store->scratch_block);
        store->scratch_block = scratch;
        s->scratch = align(scratch);
    }
    return FO_OK;
}

bool foi_shape_equal(const fo_shape *a, const fo_shape *b)
{
    return a->states == b->states && a->discretes == b->discretes && a->guards == b->guards &&
           a->conditions == b->conditions && a->inputs == b->inputs && a->outputs == b->outputs &&
           a->parameters == b->parameters && a->pairs == b->pairs && a->memory == b->memory &&
           a->scratch == b->scratch;
}

void foi_state_copy(foi_state_store *to, const foi_state_store *from)
{
    assert(foi_shape_equal(&to->s.shape, &from->s.shape));
    to->s.t = from->s.t;
    to->s.k = from->s.k;
    to->s.seed = from->s.seed;
    memcpy(to->s.memory, from->s.memory, from->size);
}

static void fill(double *values, uint32_t count, const fo_variables *variables)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = i < variables->count ? variables->list[i].start : 0;
}

void foi_state_defaults(fo_system system, fo_state *s)
{
    const fo_description *about = system.about;
    fill(s->x, s->shape.states, &about->states);
    fill(s->d, s->shape.discretes, &about->discretes);
    fill(s->u, s->shape.inputs, &about->inputs);
    fill(s->p, s->shape.parameters, &about->parameters);
}
