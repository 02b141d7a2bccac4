/// Functions that are C code of others, and the objects that they make; and functions of ours that
/// are one operation, where the same as a formula would be too large.
///
/// In the expression graph a call is a chain of operations OUTSIDE(a, b, c), whose last argument
/// says what it is:
///
///     pass     a list of arguments and one more; the first is where the call is made, 0 or 1
///     call     a list and the number of the function
///     result   a call and the number of the result
///     difference   a call and the number of an input, and of a result times all inputs: the
///              derivative, for what Newton's method and implicit steps need. It decides about
///              their pace, not about what they find, so a difference is enough
///
/// so that whatever looks at expressions sees what a call depends on. The first list is the leaf
/// FRAME. When it is evaluated, lists and calls are addresses in a frame, as numbers: a cell each,
/// which the code that runs has for itself (code.c), so that nothing is allocated in a run and
/// threads do not meet.
#ifndef FOI_OUTSIDE_H
#define FOI_OUTSIDE_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/c_unit.h"

enum {
    FOI_OUTSIDE_PASS,
    FOI_OUTSIDE_CALL,
    FOI_OUTSIDE_RESULT,
    FOI_OUTSIDE_DIFFERENCE,
    FOI_OUTSIDE_KINDS
};

/// A function as it was compiled: 0, or 1 where it ended with ModelicaError.
typedef int foi_outside_entry(void **objects, const char *const *texts, const double *in,
                              double *out);

/// A function of ours: no text, no object, the same results for the same arguments. False, with a
/// text of its own, where it has none.
typedef struct foi_outside_function foi_outside_function;
typedef bool foi_own_function(const foi_outside_function *f, const double *in, double *out,
                              const char **said);

struct foi_outside_function {
    const char *name; ///< for messages
    uint32_t inputs, outputs;
    const bool *is_object;                ///< per input; NULL: none is
    foi_outside_entry *entry;             ///< NULL: not compiled yet
    const char *said;                     ///< where the text of ModelicaError is
    foi_own_function *own;                ///< instead of all this; NULL: it is code of others
    const struct foi_flat_function *body; ///< of a function of the language that stays one
};

/// An object, made when it is needed for the first time.
typedef struct foi_outside_object {
    const char *name;       ///< where it was declared
    uint32_t make, destroy; ///< functions; that which makes it has its number as last input
    const double *in;       ///< arguments of `make`
    bool made, failed;
} foi_outside_object;

typedef struct foi_outside {
    foi_arena *arena;
    foi_outside_function **functions;
    uint32_t function_count;
    foi_outside_object **objects;
    uint32_t object_count;
    void **handles; ///< per object
    const char **texts;
    uint32_t text_count;
    foi_c_unit **units;
    uint32_t unit_count;
    fo_message why; ///< what the last call that failed has said
} foi_outside;

/// The number of a text, for a call. FOI_NO_TEXT without memory.
#define FOI_NO_TEXT UINT32_MAX
uint32_t foi_outside_text(foi_outside *o, const char *text);
/// Calls function `number`, one at a time in the whole process. False: it failed, o->why says why.
bool foi_outside_run(foi_outside *o, uint32_t number, const double *in, double *out);
/// Ends all objects, the last first, and unloads the code. Takes NULL.
void foi_outside_close(foi_outside *o);

/// A cell of a frame. That of the frame itself has its own address, the number of the function
/// that failed and 1, and the address of the foi_outside.
typedef struct foi_cell {
    double base, before, value;
} foi_cell;

/// Makes the frame; returns its address as a number.
double foi_outside_frame(foi_cell *frame, foi_outside *o);
/// What OUTSIDE(a, b, c) computes; `c` is the kind and FOI_OUTSIDE_KINDS times the cell.
double foi_outside_step(double a, double b, double c);
/// How many cells a call needs.
uint32_t foi_outside_cells(const foi_outside_function *f);

#endif
