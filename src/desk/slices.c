#include "desk/slices.h"

bool foi_desk_slice(fo_desk *desk, foi_desk_slices **slices, void (*work)(void *self), void *self)
{
    (void)desk, (void)slices;
    work(self);
    return true;
}

void foi_desk_rest(void *self)
{
    foi_desk_go_on(self);
}
