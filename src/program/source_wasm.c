// Programs as C source in WebAssembly, in place of source.c, source_steps.c and source_wide.c:
// nobody is there who could compile it.
#include "program/source.h"

void foi_program_source(const foi_program *g, foi_flat_writer *out)
{
    (void)g;
    out->failed = true;
}

bool foi_source_has_steps(const foi_program *g)
{
    return g->about.states.count && !g->codes[FOI_TASK_RATES].loop_count && !g->delays;
}
