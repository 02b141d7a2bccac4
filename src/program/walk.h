/// What those share that walk over a program's code to differentiate it: forward one direction
/// (tangent.c), forward many (analysis/dual.c), and back (analysis/reverse.c).
#ifndef FOI_PROGRAM_WALK_H
#define FOI_PROGRAM_WALK_H

#include "program/program.h"

/// The lines of an algebraic loop.
typedef struct foi_loop_lines {
    const foi_code *code;
    const foi_loop_code *loop;
} foi_loop_lines;

/// The loop's residuals at the unknowns in `r`, line by line; self: foi_loop_lines. For foi_newton.
void foi_loop_lines_run(void *self, double *r);

/// After a run that ended with run->numberless, whose given registers are as they were: the first
/// expression that is not a number, of those on which the loop depends. False: it is not known.
bool foi_trace_number(const foi_program *g, const foi_code *code, foi_run *run, char *text,
                      size_t size);

/// The largest of all tasks of a program.
typedef struct foi_walk_room {
    size_t registers, unknowns, newton, lines;
} foi_walk_room;
foi_walk_room foi_walk_room_of(const foi_program *g);

#endif
