/// Machine code and WebAssembly that the library writes itself, from the same bytecode that the C
/// source is made of.
///
///     foi_code, steps    ->   lines   ->   registers   ->   x86-64, AArch64 into memory
///     emit_task.c, emit_try.c  emit_line.c  emit_registers.c    emit_x86.c, emit_arm.c
///                                      ->   WebAssembly, for the host to instantiate
///                                           emit_webassembly.c, emit_module.c
///
/// A line is a list of operations without control flow, each of which makes one value. A function
/// is some lines one after the other, between which values lie in memory: one line for most tasks;
/// where a task solves loops, one before, between and after them; where a code is wide, one for
/// each run of instructions that can share a counted loop over lanes.
///
/// Every operation is that of foi_op_apply, rounded by itself and in the order of the bytecode, so
/// that the bits are those of the bytecode machine. What has no instruction of its own is a call of
/// the functions that the machine calls, too.
#ifndef FOI_EMIT_H
#define FOI_EMIT_H

#include "base/bytes.h"
#include "program/program.h"

// --------------------------------------------------------------------------------------- the pool

/// Constants and addresses that code reads. They lie before the code and grow downwards, word i at
/// 8 (i + 1) bytes before its first byte, so that where a word is does not depend on how many
/// follow. The first ones are four of each: what a vector is combined with bit by bit.
typedef struct foi_pool {
    const fo_allocator *allocator;
    uint64_t *word;
    uint32_t count;
    size_t room;
    uint32_t *table; ///< open addressing: word + 1; 0: free
    uint32_t table_size;
    bool failed;
} foi_pool;

enum {
    FOI_POOL_SIGN = 3, ///< the word of the sign mask, with three more above it
    FOI_POOL_ONE = 7,  ///< of 1.0
    FOI_POOL_WIDE = 8, ///< words below this are four of a kind
    FOI_POOL_MOST = 1 << 20,
};

bool foi_pool_begin(foi_pool *p, const fo_allocator *allocator);
/// The word with these bits.
uint32_t foi_pool_word(foi_pool *p, uint64_t bits);
uint32_t foi_pool_double(foi_pool *p, double value);
/// Words that follow each other in memory: the word of the first.
uint32_t foi_pool_list(foi_pool *p, const double *values, uint32_t count);
void foi_pool_free(foi_pool *p);

// ------------------------------------------------------------------------------------------- lines

/// What places are relative to. A function gets them from the struct that it is called with, whose
/// first members are r, x and y: foi_run, or foi_try.
typedef enum foi_base {
    FOI_AT_R,     ///< the registers of the bytecode
    FOI_AT_X,     ///< states; of a try: where it starts
    FOI_AT_Y,     ///< results; of a try: where it ends
    FOI_AT_SELF,  ///< the struct itself
    FOI_AT_POOL,  ///< offset: the word
    FOI_AT_STACK, ///< spilled
    FOI_AT_NOTHING,
} foi_base;

typedef struct foi_where {
    uint8_t base;
    bool stream;     ///< in a loop over lanes: goes on with the lane
    uint32_t offset; ///< in doubles
} foi_where;

/// Operations of a line beside those of foi_op. Machines have the lowered ones only: comparisons
/// give masks, all bits one or none.
enum {
    FOI_L_LOAD = FOI_G_COUNT, ///< the value at `where`
    FOI_L_STORE,              ///< a to `where`; makes nothing
    FOI_L_CALL_ONE,           ///< `function` of a
    FOI_L_CALL_TWO,           ///< of a and b
    FOI_L_AND,                ///< bits
    FOI_L_ANDN,               ///< of b that a does not have
    FOI_L_OR,
    FOI_L_BELOW, ///< a < b
    FOI_L_BELOW_EQUAL,
    FOI_L_SAME,
    FOI_L_OTHER,  ///< not the same, or not a number
    FOI_L_LARGER, ///< a > b ? a : b; not lowered
    FOI_L_TRUNC,
    FOI_L_COUNT
};

#define FOI_NEVER UINT32_MAX

typedef struct foi_line_op {
    uint8_t op;
    uint8_t function; ///< an operation of foi_op, for calls
    foi_where where;
    uint32_t a, b, c;        ///< values
    uint32_t next_a, next_b; ///< where these are used next
    uint32_t first;          ///< where the result is used first; FOI_NEVER: not at all
} foi_line_op;

typedef struct foi_line {
    foi_line_op *list;
    uint32_t count;
    size_t room;
    uint32_t *mask; ///< per value: the mask that it is the truth of; FOI_NEVER: none
    size_t mask_room;
    foi_pool *pool;
    bool lowered; ///< for a machine
    bool rounds;  ///< it has floor, ceil and trunc
    bool calls;   ///< it calls
    bool failed;  ///< no memory
} foi_line;

void foi_line_begin(foi_line *l);
void foi_line_free(foi_line *l);
uint32_t foi_line_load(foi_line *l, foi_where where);
uint32_t foi_line_constant(foi_line *l, double value);
void foi_line_store(foi_line *l, uint32_t value, foi_where where);
/// An operation of foi_op or of foi_instruction.
uint32_t foi_line_apply(foi_line *l, uint32_t op, uint32_t a, uint32_t b, uint32_t c);
/// One of those of a line, as it is.
uint32_t foi_line_put(foi_line *l, uint32_t op, uint32_t a, uint32_t b);
/// How many operands an operation of a line has.
uint32_t foi_line_arity(uint32_t op);
/// Whether an operation becomes a call of a function.
bool foi_line_is_call(const foi_line *l, uint32_t op);

// -------------------------------------------------------------------------------------- functions

/// How a function is called.
typedef enum foi_calling {
    FOI_CALL_TASK, ///< fo_status (const foi_code *, foi_run *)
    FOI_CALL_LOOP, ///< void (void *, double *r)
    FOI_CALL_TRY,  ///< void (foi_try *)
} foi_calling;

/// What a function has in it beside lines.
typedef struct foi_lanes_call {
    uint8_t op;         ///< of foi_op
    uint32_t count;     ///< lanes
    foi_where a, b, to; ///< `stream`: goes on with the lane
} foi_lanes_call;

typedef struct foi_maker foi_maker;

/// A kind of code.
typedef struct foi_target {
    const char *name;
    bool lowered, rounds;
    uint32_t lanes; ///< that a loop over lanes takes at a time; 1: there are no such loops
    void (*begin)(foi_maker *m, foi_calling calling, bool calls);
    void (*line)(foi_maker *m, foi_line *line);
    /// The line for lanes 0, lanes, ... below `count`, which is a multiple of it.
    void (*loop)(foi_maker *m, foi_line *line, uint32_t count);
    /// Many lanes through a function of the library.
    void (*many)(foi_maker *m, const foi_lanes_call *call);
    /// run->solve of a loop, with a function made before; returns where that fails.
    void (*solve)(foi_maker *m, uint32_t loop, uint32_t function);
    void (*end)(foi_maker *m);
} foi_target;

enum { FOI_FRAME_MOST = 2048 }; ///< doubles

/// Code in the making.
struct foi_maker {
    const foi_target *target;
    const fo_allocator *allocator;
    uint32_t limit; ///< registers that may be used; 0: all
    foi_bytes code;
    foi_pool pool;
    size_t *function; ///< where each function begins
    uint8_t *type;    ///< how each is called
    size_t type_room;
    uint32_t functions;
    size_t function_room;
    bool failed;       ///< no memory
    const char *cause; ///< why this cannot be emitted; NULL: it can

    /* the function in work */
    foi_calling calling;
    bool calls;
    bool wide;       ///< of a wide code
    uint32_t frame;  ///< doubles of its stack
    size_t frame_at; ///< where its size is written
    size_t *exits;   ///< jumps to its end
    uint32_t exit_count;
    size_t exit_room;
    uint32_t locals; ///< WebAssembly: of doubles
};

/// Begins the next function.
void foi_maker_begin(foi_maker *m, foi_calling calling, bool calls);
/// There is a jump to its end, whose distance is written there.
void foi_maker_exit(foi_maker *m, size_t at);
void foi_maker_free(foi_maker *m);

/// The targets; NULL where the processor is another one.
extern const foi_target foi_target_sse2, foi_target_avx, foi_target_arm, foi_target_wasm;
/// The best that this processor has; NULL: none.
const foi_target *foi_target_here(void);

/* emit_registers.c */

/// A processor, as the assignment of registers sees it.
typedef struct foi_processor {
    uint32_t registers; ///< that there are, the first being arguments and result of calls; one more
                        ///< is kept free for moves
    uint32_t leaf;      ///< so many of them where nothing is called
    uint32_t kept;      ///< from this one on they keep their value over calls
    bool two_operands;  ///< the result takes the place of the first operand
    bool memory;        ///< the second operand may be in memory
    uint32_t scratch;   ///< the one that is kept free
    void (*load)(foi_maker *m, uint32_t to, foi_where from, uint32_t lanes);
    void (*store)(foi_maker *m, uint32_t from, foi_where to, uint32_t lanes);
    void (*move)(foi_maker *m, uint32_t to, uint32_t from, uint32_t lanes);
    void (*one)(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t lanes);
    void (*two)(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, uint32_t b, uint32_t lanes);
    /// The second operand in memory. False: this operation cannot have that one there.
    bool (*two_memory)(foi_maker *m, uint32_t op, uint32_t to, uint32_t a, foi_where b,
                       uint32_t lanes, bool write);
    void (*call)(foi_maker *m, uint32_t function);
} foi_processor;

/// What a line needs while it is made.
void foi_registers_line(foi_maker *m, const foi_processor *p, foi_line *line);
/// The inside of a loop: what does not change with the lanes goes into registers before, by
/// `begin`, if there are enough; `begin` and `end` write the loop's own instructions.
typedef void foi_loop_edge(foi_maker *m, uint32_t count, size_t *label);
void foi_registers_loop(foi_maker *m, const foi_processor *p, foi_line *line, uint32_t lanes,
                        uint32_t count, foi_loop_edge *begin, foi_loop_edge *end);
/// The address of the function that does an operation of foi_op.
uint64_t foi_function_address(uint32_t op);
/// to[i] = op(a[i], b[i]) for the lanes of an operation that has functions for many numbers, or is
/// a call each; `lanes`: FOI_LANES_A, FOI_LANES_B.
void foi_lanes(uint32_t op, const double *a, const double *b, double *to, uint32_t count,
               uint32_t lanes);

/* emit_task.c */

/// Makes the function of a task, and those of its loops before it. Its number.
uint32_t foi_emit_task(foi_maker *m, const foi_program *g, const foi_code *code);

/// Reads registers of a code as values of a line, each once.
typedef struct foi_reader {
    foi_maker *m;
    const foi_program *g;
    const foi_code *code;
    foi_line line;
    uint32_t *value;   ///< per register; FOI_NEVER: not read yet
    uint32_t *touched; ///< registers that have one
    uint32_t touched_count;
    bool pure; ///< states come from x, not from r
} foi_reader;

/// False without memory; end it all the same.
bool foi_reader_begin(foi_reader *r, foi_maker *m, const foi_program *g, const foi_code *code);
void foi_reader_end(foi_reader *r);
/// A line ends: it is made, and all values are to be read from memory again.
void foi_reader_flush(foi_reader *r);
void foi_reader_forget(foi_reader *r);
uint32_t foi_reader_value(foi_reader *r, uint32_t reg);
void foi_reader_set(foi_reader *r, uint32_t reg, uint32_t value);
/// Where a register of the code lies.
foi_where foi_reader_where(const foi_reader *r, uint32_t reg);
/// Whether one of the instructions becomes a call.
bool foi_reader_calls(const foi_reader *r, const foi_instruction *list, uint32_t count);

/* emit_wide.c */

/// The lines of a wide code, in a function that has begun.
void foi_emit_wide(foi_reader *r);

/* emit_try.c */

enum {
    FOI_TRY_STATES = 16,
    FOI_TRY_ROWS = 5,
    FOI_TRY_OPERATIONS = 2500,
    FOI_TRY_BLOCK = 4, ///< so many fixed steps may be taken at once
};

/// One try of a step: everything that it is given and gives.
typedef struct foi_try {
    double *r;
    double *start, *end; ///< states, then rates, at n; where the step begins and ends
    double t, next, h;
    double rtol, atol;
    double error2, probe;        ///< as in solver/erk.h
    double nexts[FOI_TRY_BLOCK]; ///< of a block: where its steps end
    double w[FOI_TRY_STATES];
    double k[FOI_TRY_ROWS * FOI_TRY_STATES]; ///< stages after the first, at n each; of a block:
                                             ///< states and rates where its last step begins
} foi_try;
typedef void foi_try_function(foi_try *t);

/// Whether a step's tries are written out, with the rates inlined.
bool foi_emit_has_try(const foi_program *g);
/// The function of a try of the method; its number.
uint32_t foi_emit_try(foi_maker *m, const foi_program *g, foi_marching method);
/// The same for FOI_TRY_BLOCK steps of rk4, between which nothing goes through memory.
uint32_t foi_emit_block(foi_maker *m, const foi_program *g);
/// Whether that is short enough.
bool foi_emit_has_block(const foi_program *g);

/* emit_march.c */

/// Takes steps, by tries where there are, else by calls of the rates.
struct foi_emitted;
void foi_march_emitted(const struct foi_emitted *e, const foi_program *g, foi_marching method,
                       double *r, fo_march *m);

/* emit_memory.c */

/// Pages that can be run and not be written.
typedef struct foi_pages {
    void *at;
    size_t size;
    const uint8_t *code; ///< behind the pool
} foi_pages;

/// False where the system refuses: `why` says it.
bool foi_pages_make(foi_pages *p, const foi_bytes *code, const foi_pool *pool, fo_message *why);
void foi_pages_free(foi_pages *p);

/* emit_program.c */

/// How a program is emitted; all zero: as well as possible.
typedef struct foi_emit_def {
    const foi_target *target;      ///< NULL: foi_target_here
    uint32_t registers;            ///< at most so many (2 at least), for tests; 0: all
    bool everything;               ///< also tasks that are asked for once
    const fo_module_host *host;    ///< of WebAssembly
    const fo_allocator *allocator; ///< NULL: the heap, for code is made beside a run, too
} foi_emit_def;

/// What was emitted of a program.
typedef struct foi_emitted {
    foi_exports exports;
    foi_try_function *tries[FOI_MARCHES]; ///< NULL: the rates are called
    foi_try_function *block;              ///< fixed steps, some at once; NULL: one by one
    bool steps;                           ///< it takes steps
    foi_pages pages;
    const fo_allocator *allocator;
    const fo_module_host *host;
    uint32_t first, functions; ///< of the module
    size_t size;               ///< bytes of code
} foi_emitted;

/// NULL on failure: `why` says it (FO_ERROR_UNFIT: the program stays as it is).
foi_native *foi_emit_native(const foi_program *g, const foi_emit_def *def, fo_message *why);

/* emit_module.c */

/// The module of all functions made so far. The maker's code is replaced.
void foi_wasm_module(foi_maker *m);

#endif
