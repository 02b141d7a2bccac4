/// Which wide instructions of a code become one loop: those that follow each other, have nearly as
/// many lanes and need each other in the same lane only. Whoever writes code with arrays, as C or
/// as machine code, goes over the instructions with this beside it.
#ifndef FOI_PROGRAM_LOOPS_H
#define FOI_PROGRAM_LOOPS_H

#include "program/code.h"

typedef struct foi_loops {
    const fo_allocator *allocator;
    const foi_code *code;
    uint32_t loose_lanes; ///< lanes that an instruction may have beyond those of its loop
    uint32_t *maker;      ///< per register: the instruction that makes it, FOI_NOTHING
    uint32_t *last;       ///< per register: the last instruction that uses it
    uint32_t *result;     ///< per instruction: the result that its first lane is, FOI_NOTHING: none
    bool *kept;           ///< per instruction: some lanes are results one by one
    bool *loose;          ///< per result: written after all
    uint32_t begin, end, count; ///< the loop in work: its instructions, and its lanes
} foi_loops;

/// False: no memory. Ends with foi_loops_end in either case.
bool foi_loops_begin(foi_loops *l, const fo_allocator *allocator, const foi_code *code,
                     uint32_t loose_lanes);
void foi_loops_end(foi_loops *l);

/// Whether an instruction is a wide one of the loop in work.
bool foi_loops_has(const foi_loops *l, uint32_t instruction);

/// Whether something after the loop needs one of the first `count` lanes of instruction i.
bool foi_loops_needs(const foi_loops *l, uint32_t i, uint32_t count);

/// Whether the loop in work ends before instruction i; `alone`: it may be in no loop.
bool foi_loops_ends(foi_loops *l, uint32_t i, bool alone);

/// The next loop begins at or after instruction i.
void foi_loops_empty(foi_loops *l, uint32_t i);

/// Instruction i, before which the loop in work did not end, joins it, or stands before it.
void foi_loops_add(foi_loops *l, uint32_t i);

#endif
