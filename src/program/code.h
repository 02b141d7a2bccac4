/// Bytecode: straight lines of instructions over a file of registers, and loops in between.
///
///     registers:  what is given (foi_layout) | constants | temporaries
///
/// An instruction computes register `to` from registers a, b, c with one operation of
/// equations/ops.h. FOI_I_SOLVE iterates a loop: it runs the loop's own instructions, which give
/// residuals and Jacobian, until the unknowns are found.
///
/// What the machine runs is packed (pack.c): two operations in one instruction where the first
/// one's result is used by the second alone, and many lanes in one instruction where a model has
/// arrays.
#ifndef FOI_CODE_H
#define FOI_CODE_H

#include <foliot/system.h>

#include "equations/plan.h"
#include "solver/linear.h"

// clang-format off
/// X(name, first operation, second operation, text): two operations, each rounded. The first is
/// that of a and b; the second has its result and c, or c and its result where the text says so.
#define FOI_PAIRS(X)                                      \
    X(ADD_ADD, ADD, ADD, "(a + b) + c")                   \
    X(ADD_SUBTRACT, ADD, SUBTRACT, "(a + b) - c")         \
    X(ADD_FROM, ADD, FROM, "c - (a + b)")                 \
    X(ADD_MULTIPLY, ADD, MULTIPLY, "(a + b) * c")         \
    X(SUBTRACT_ADD, SUBTRACT, ADD, "(a - b) + c")         \
    X(SUBTRACT_SUBTRACT, SUBTRACT, SUBTRACT, "(a - b) - c") \
    X(SUBTRACT_FROM, SUBTRACT, FROM, "c - (a - b)")       \
    X(SUBTRACT_MULTIPLY, SUBTRACT, MULTIPLY, "(a - b) * c") \
    X(MULTIPLY_ADD, MULTIPLY, ADD, "(a * b) + c")         \
    X(MULTIPLY_SUBTRACT, MULTIPLY, SUBTRACT, "(a * b) - c") \
    X(MULTIPLY_FROM, MULTIPLY, FROM, "c - (a * b)")       \
    X(MULTIPLY_MULTIPLY, MULTIPLY, MULTIPLY, "(a * b) * c")
// clang-format on

enum {
    FOI_I_SOLVE = FOI_G_COUNT, ///< a: index of the loop
    FOI_I_END,                 ///< of a line
#define FOI_PAIRS_NAME(name, first, second, text) FOI_I_##name,
    FOI_PAIRS(FOI_PAIRS_NAME)
#undef FOI_PAIRS_NAME
        FOI_I_COUNT,
    FOI_I_WIDE = FOI_I_COUNT ///< added to an operation: `count` lanes of it
};

/// Which operands of a wide instruction go on with the lanes; the others are the same for all.
enum { FOI_LANES_A = 1, FOI_LANES_B = 2, FOI_LANES_C = 4 };
/// In a loop's instructions, in place of lanes: the operand (a; shifted by one: b; by two: c) was
/// made inside of the loop, or is one of its unknowns; the result is a variable of the model.
enum { FOI_INSIDE_A = 1, FOI_UNKNOWN_A = 8, FOI_IS_VARIABLE = 64 };

typedef struct foi_instruction {
    uint16_t op;
    uint16_t lanes; ///< wide: FOI_LANES_...
    uint32_t count; ///< wide: how many; to, to + 1, ... are its results
    uint32_t to, a, b, c;
} foi_instruction;

/// An instruction that works on several lanes, its operation, operand k, and whether that goes with
/// the lane.
static inline bool foi_is_wide(const foi_instruction *x)
{
    return x->op >= FOI_I_WIDE;
}
static inline uint32_t foi_op_of(const foi_instruction *x)
{
    return foi_is_wide(x) ? x->op - FOI_I_WIDE : x->op;
}
static inline uint32_t foi_operand_of(const foi_instruction *x, uint32_t k)
{
    return k == 0 ? x->a : k == 1 ? x->b : x->c;
}
static inline bool foi_goes(const foi_instruction *x, uint32_t k)
{
    return foi_is_wide(x) && (x->lanes >> k & 1);
}

/// Where what is given lies in the registers.
typedef struct foi_layout {
    uint32_t at[FOI_LEAF_KINDS];    ///< first register of each kind
    uint32_t count[FOI_LEAF_KINDS]; ///< how many
    uint32_t total;
} foi_layout;

/// What is to be known of a loop beside its instructions; the same for all tasks that solve it.
typedef struct foi_loop_about {
    const char **unknown, **inner; ///< names
    const char **equation;         ///< per residual: where it was written, and what
    double *size;                  ///< per unknown: its nominal value or that of its start; or 0
    bool *has_start;               ///< per unknown: there is a start value
    uint32_t *start, *row;         ///< pattern of the Jacobian, by columns
    uint32_t *order;               ///< of the columns, for sparse factors; NULL: dense
    size_t fill;
    foi_linear_kind kind;
    bool linear;
    bool first_values; ///< the solution nearest to the guesses is wanted
    bool helps;        ///< it need not succeed
    uint32_t number;   ///< among the loops of the program
} foi_loop_about;

/// A loop as instructions.
typedef struct foi_loop_code {
    uint32_t begin, end; ///< its instructions in the code's list
    uint32_t count, inner_count;
    uint32_t *unknown;  ///< registers
    uint32_t *residual; ///< registers
    uint32_t *entry;    ///< registers of the Jacobian's entries
    uint32_t *inner;    ///< registers of the variables that follow; FOI_NOTHING: it has none
    uint32_t *guess;    ///< where in the state's memory each unknown has its guess
    uint32_t helper;    ///< the loop that gives a first solution, or FOI_NOTHING
    uint32_t *from;     ///< registers: where the unknowns then are
    const foi_loop_about *about;
} foi_loop_code;

typedef struct foi_code {
    foi_instruction *list;
    uint32_t count;     ///< of the main line; instructions of loops follow, FOI_I_END after each
    uint32_t all;       ///< with those of the loops
    uint32_t registers; ///< that it needs
    double *constants;
    uint32_t constant_at, constant_count;
    uint32_t *results; ///< registers
    uint32_t result_count;
    foi_loop_code *loops;
    uint32_t loop_count;
    size_t newton;                ///< doubles of work space that its loops need
    foi_instruction *packed;      ///< the same for the machine, ended with FOI_I_END
    uint32_t packed_count;        ///< without the end
    uint32_t *packed_results;     ///< registers
    uint32_t packed_registers;    ///< that it needs
    uint32_t cells;               ///< of a frame, where it calls external functions
    bool wide;                    ///< most of it is wide instructions
    bool follows;                 ///< it has loops that are followed (follow.c)
    bool uses[FOI_LEAF_KINDS];    ///< which of what is given
    uint8_t used[FOI_LEAF_KINDS]; ///< the same as a list, without time
    uint32_t used_count;
} foi_code;

/// Makes the code that computes the roots; lists lie in the arena. Leaves that the layout does not
/// have are an error of the plan. FO_ERROR_MEMORY otherwise.
fo_status foi_emit(foi_code *code, foi_plan *p, const foi_layout *layout, const foi_node *roots,
                   uint32_t count, foi_arena *arena);

/* pack.c */

/// Makes the packed form; the lists lie in the arena. False without memory.
bool foi_pack(foi_code *code, const foi_layout *layout, foi_arena *arena);
/// The operations of a pair, and whether the second is c - first.
void foi_pair_parts(uint32_t op, foi_op *first, foi_op *second, bool *from);
/// The text of an operation or pair with a, b, c for its operands.
const char *foi_instruction_text(uint32_t op);
/// How many operands it has.
uint32_t foi_instruction_arity(uint32_t op);

/* machine.c */

/// What a running code needs beside its registers.
typedef struct foi_run foi_run;
/// Computes residuals and Jacobian of a loop from its unknowns, all in registers.
typedef void foi_loop_function(void *self, double *r);

struct foi_run {
    double *r;             ///< registers; states are in them where the code has loops, or is run
                           ///< by the machine
    const double *x;       ///< states
    double *y;             ///< where the results go
    const double *guesses; ///< where loops start from
    double *work;          ///< code->newton doubles
    const char *failed;    ///< the loop that did not converge
    /// For compiled code: solves loop `loop` of the code, with `f` to evaluate it.
    fo_status (*solve)(const foi_code *code, uint32_t loop, foi_run *run, foi_loop_function *f);
    fo_message *message; ///< why a loop has no solution; may be NULL. Compiled code ends above.
    const foi_loop_code *helped; ///< the last helper, if it succeeded
    double *found;               ///< where the solutions go, per guess; may be NULL
    bool brief;                  ///< from the guesses only: nearby places are not tried
    bool any;                    ///< there is one solution only: any that is found is the one
    bool first;                  ///< the guesses are start values: the nearest solution is wanted
    bool lenient;                ///< loops without a solution stay at their guesses
    /// Solutions are taken that are proved to be the only ones. Per loop of the program: it is
    /// known to have one solution at most. NULL: not so.
    const double *only;
    const foi_loop_code *lone; ///< the last helper, if its solution is the only one
    /// Per loop of the program: which of its first values is wanted, 0: the nearest; and not
    /// farther than `reach` from the start values. NULL: the nearest.
    const uint32_t *rank;
    double reach;
    bool numberless;   ///< it has none because something that it is given is not a number
    uint32_t *stopped; ///< the number of the loop that has no solution goes here; may be NULL
    double *spread; ///< per register: by how much unknowns may be off, in units of eps; may be NULL
};

/// Runs the code: the given registers are filled, the results are in run->y afterwards. FO_OK,
/// FO_ERROR_CONVERGE or FO_ERROR_MEMORY.
fo_status foi_code_run(const foi_code *code, foi_run *run);

/// Solves one loop, for compiled code.
fo_status foi_code_solve(const foi_code *code, uint32_t loop, foi_run *run, foi_loop_function *f);

/// Copies the constants into their registers.
void foi_code_constants(const foi_code *code, double *r);

/* loop_about.c */

/// What is to be known of a loop, in the arena; made once per loop. NULL without memory.
const foi_loop_about *foi_loop_describe(foi_plan *p, foi_loop *loop, foi_arena *arena);

/* newton.c */

/// Solves a loop to rounding. FO_OK: the unknowns are in their registers and satisfy the equations
/// as well as rounding allows. FO_ERROR_CONVERGE: run->message says why not. FO_ERROR_MEMORY.
fo_status foi_newton(const foi_code *code, const foi_loop_code *loop, foi_run *run,
                     foi_loop_function *evaluate, void *self);
/// How many doubles of work space a loop of a code needs.
size_t foi_newton_work(const foi_code *code, const foi_loop_code *loop);

/* singular.c */

/// In the instructions of a loop: an operand from outside of it that is not a number, so that the
/// result is none; FOI_NOTHING: there is none.
uint32_t foi_loses_number(const foi_instruction *x, const double *r);

/* rounding.c */

/// Follows rounding errors through a loop's instructions, whose values are in the registers r:
/// error[k] is the most that register k can be off, in units of eps, where each of the model's
/// variables was rounded once; reach[k] is the sum over all ways from the unknowns to k of the
/// product of derivatives' sizes, where unknown j counts as seed[j].
void foi_rounding(const foi_code *code, const foi_loop_code *loop, const double *r,
                  const double *seed, double *error, double *reach);
/// One instruction of a line: its value, and by how much that can be off in units of eps, where
/// this is known of its operands. What rests on nothing that is off counts as exact.
void foi_rounding_step(const foi_instruction *x, double *r, double *error);

/* precise.c */

/// After a run of a code with loops, with run->spread that was zero before: results that are what
/// is left of larger ones, to their own digits. `unknown` is one that may have lost some, or
/// FOI_NOTHING. FO_OK or FO_ERROR_MEMORY.
fo_status foi_precise(const foi_code *code, const foi_run *run, uint32_t *unknown);

#endif
