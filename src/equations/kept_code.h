/// Functions that stay functions, as lines over numbered places: what the tree of their statements
/// says, once and for all, so that a run need not walk it. The same values, operation by operation,
/// as foi_flat_carry_out gives.
#ifndef FOI_KEPT_CODE_H
#define FOI_KEPT_CODE_H

#include "equations/flat.h"

typedef enum foi_kept_op {
    FOI_KEPT_COPY, ///< to := a
    FOI_KEPT_ADD,  ///< to := a + b, and so on
    FOI_KEPT_SUBTRACT,
    FOI_KEPT_MULTIPLY,
    FOI_KEPT_DIVIDE,
    FOI_KEPT_OTHER,   ///< to := an operation of the flat model: e, of a and b
    FOI_KEPT_BUILTIN, ///< to := a built-in function: e, of a and b
    FOI_KEPT_JUMP,    ///< to line `to`
    FOI_KEPT_UNLESS,  ///< to line `to` where a is 0
    FOI_KEPT_AGAIN,   ///< to line `to`, for another turn; a: how many lines that is
    FOI_KEPT_OFFSET,  ///< to := a * b + subscript c - 1, which is within 1..b
    FOI_KEPT_LOAD,    ///< to := list[c + a]
    FOI_KEPT_STORE,   ///< list[c + a] := b
    FOI_KEPT_RANGE,   ///< of a loop: to + 1 := turns, from first (to + 2), step (to + 3), last (a)
    FOI_KEPT_TURN,    ///< b := the loop's next value; to line c where there is none. State at `to`
    FOI_KEPT_ASSERT,  ///< a must hold: text
    FOI_KEPT_CALL,    ///< function: list[c..] are its arguments, then pairs of result and place
    FOI_KEPT_END
} foi_kept_op;

typedef struct foi_kept_line {
    foi_kept_op op;
    uint32_t to, a, b, c;
    union {
        const foi_flat_expr *e;
        const foi_flat_function *function;
        const char *text;
    };
} foi_kept_line;

/// Places: the function's locals, then numbers that do not change, then what is in between.
struct foi_kept_code {
    const foi_kept_line *lines;
    uint32_t line_count;
    const uint32_t *list;
    const double *numbers;
    uint32_t local_count, number_count;
    uint32_t places; ///< of this function alone
    uint32_t room;   ///< with those of all that it calls
    bool has_rates;  ///< its derivative can be carried out so, too
};

/// The most places, with those of all that is called.
enum { FOI_KEPT_MOST_ROOM = 2048 };

/// Makes the lines of a pure function and of all that it calls: f->code, which stays NULL where it
/// is too large or says what lines have no word for. False without memory.
bool foi_kept_compile(foi_arena *arena, foi_flat_function *f);

/// Carries the lines of f out: `places` has the inputs, and the outputs behind them afterwards; so
/// has `rates`, where that is not NULL. Both have f->code->room places. What a search finds has NAN
/// as its rate where that is asked for; `through`: what its last turns tell. False, with a text in
/// *said where there is one, where it has no value; *work: turns and calls that are left.
bool foi_kept_run(const foi_flat_function *f, double *places, double *rates, bool through,
                  uint32_t *work, const char **said);

#endif
