// In a page runs are few, and each makes its simulation.
#include "analysis/reuse.h"

foi_reuse *foi_reuse_create(const foi_trial *e, const foi_measures *m)
{
    (void)e, (void)m;
    return NULL;
}

void foi_reuse_destroy(foi_reuse *all)
{
    (void)all;
}

foi_reused *foi_reuse_take(foi_reuse *all)
{
    (void)all;
    return NULL;
}

void foi_reuse_leave(foi_reuse *all, foi_reused *one)
{
    (void)all, (void)one;
}

void foi_reused_destroy(foi_reused *one)
{
    (void)one;
}
