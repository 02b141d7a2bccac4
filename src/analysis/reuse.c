#include "analysis/reuse.h"

#include <stdatomic.h>

#include "base/memory.h"

enum { ROOM = 256 }; // eight lanes of 32 threads; with more, some are made anew

struct foi_reuse {
    const fo_allocator *allocator;
    _Atomic(foi_reused *) spare[ROOM]; ///< NULL: none stands there
};

foi_reuse *foi_reuse_create(const foi_trial *e, const foi_measures *m)
{
    fo_system system = fo_model_system(e->model);
    bool plain = !system.type->mass && !system.type->residual && !system.type->no_snapshot;
    if (e->reopen || m->rows || m->settles || !plain) return NULL;
    foi_reuse *all = foi_new(e->allocator, 1, sizeof *all);
    if (all) all->allocator = e->allocator;
    return all;
}

void foi_reused_destroy(foi_reused *one)
{
    if (!one) return;
    const fo_allocator *a = one->recorder.allocator;
    fo_snapshot_destroy(one->fresh);
    fo_simulation_destroy(one->sim);
    foi_recorder_destroy(&one->recorder);
    foi_free(a, one);
}

void foi_reuse_destroy(foi_reuse *all)
{
    if (!all) return;
    for (size_t i = 0; i < ROOM; i++) foi_reused_destroy(atomic_load(&all->spare[i]));
    foi_free(all->allocator, all);
}

foi_reused *foi_reuse_take(foi_reuse *all)
{
    foi_reused *one = NULL;
    for (size_t i = 0; i < ROOM && !one; i++)
        if (atomic_load_explicit(&all->spare[i], memory_order_relaxed))
            one = atomic_exchange(&all->spare[i], NULL);
    if (!one || fo_simulation_restore(one->sim, one->fresh) == FO_OK) return one;
    foi_reused_destroy(one);
    return NULL;
}

void foi_reuse_leave(foi_reuse *all, foi_reused *one)
{
    for (size_t i = 0; i < ROOM; i++) {
        foi_reused *none = NULL;
        if (atomic_load_explicit(&all->spare[i], memory_order_relaxed)) continue;
        if (atomic_compare_exchange_strong(&all->spare[i], &none, one)) return;
    }
    foi_reused_destroy(one);
}
