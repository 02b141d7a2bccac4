/// What the parts of the C source share.
#ifndef FOI_SOURCE_H
#define FOI_SOURCE_H

#include "program/program.h"

/// A source being written: one code at a time.
typedef struct foi_source {
    const foi_program *g;
    const foi_code *code;
    foi_flat_writer *out;
    bool locals; ///< temporaries are local variables, not in the array r
    bool pure;   ///< in a function of (r, t, x, y): without loops
} foi_source;

enum {
    FOI_SOURCE_INLINED = 64, ///< up to so many instructions rates are inlined into each stage
    FOI_MARCH_UNROLLED = 8,  ///< up to so many states a step is written out state by state
};

/// A number as C reads it, to the last bit.
void foi_source_number(foi_flat_writer *out, double value);
/// A register as an operand: constants stand there as numbers.
void foi_source_operand(foi_source *s, uint32_t r);
/// The text of an operation with `put` for its operands 0, 1, 2.
typedef void foi_put_operand(void *self, uint32_t operand);
void foi_source_operation(foi_flat_writer *out, uint32_t op, foi_put_operand *put, void *self);

/// The statements of a packed code with wide instructions, as loops. False without memory.
bool foi_source_wide(foi_source *s);

/// Whether the program's rates can be put into the steps of a solver.
bool foi_source_has_steps(const foi_program *g);
/// The functions march_rk4 and march_dp45, and before them what they need.
void foi_source_steps(const foi_program *g, foi_flat_writer *out);

#endif
