// Priorities in WebAssembly, in place of priority.c: when a module runs is up to its host.
#include "live/internal.h"

void foi_live_raise(fo_live *live)
{
    if (live->def.policy == FO_LIVE_PRIORITY) foi_live_note(live, "priority: WebAssembly has none");
}
