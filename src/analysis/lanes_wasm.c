// There is no compiler in a page, and so there are no lanes.
#include "analysis/lanes.h"

foi_lanes *foi_lanes_create(fo_system system, unsigned width, const char *folder,
                            const fo_allocator *allocator, fo_message *why)
{
    (void)system, (void)width, (void)folder, (void)allocator;
    fo_fail(why, FO_ERROR_UNFIT, "SIMD lanes need a C compiler, which is not available here");
    return NULL;
}

void foi_lanes_destroy(foi_lanes *lanes)
{
    (void)lanes;
}

fo_system foi_lanes_system(const foi_lanes *lanes)
{
    (void)lanes;
    return (fo_system){0};
}

fo_status foi_lanes_run(const foi_lanes *lanes, uint64_t count,
                        void (*run)(void *context, uint64_t i), void *context, fo_message *why)
{
    (void)lanes, (void)count, (void)run, (void)context;
    return fo_fail(why, FO_ERROR_UNFIT, "SIMD lanes are not available here");
}
