/// What marches of emitted programs share.
#ifndef FOI_EMIT_MARCH_H
#define FOI_EMIT_MARCH_H

#include "program/emit.h"
#include "solver/erk_tableaux.h"

typedef struct foi_marcher foi_marcher;
/// One try in which the rates are called: a.error2 and a.probe as emitted ones have it.
typedef void foi_march_call(foi_marcher *s);

/// A march at work. The ends of steps take turns: x, f where a step begins, x1, f1 where it ends.
struct foi_marcher {
    foi_try a;                 ///< the try in work; its numbers also where it has no code
    foi_try_function *attempt; ///< NULL: the rates are called
    foi_try_function *block;   ///< fixed steps, some at once; may be NULL
    bool blocked;              ///< the last steps were such
    foi_march_call *call;
    foi_task_function *rates;
    const foi_code *code;
    foi_run run;
    uint32_t time; ///< the register
    fo_march *m;
    size_t n;
    double *x, *f, *x1, *f1, *w, *k;
    bool ahead; ///< fixed steps by calls: the place of the next second stage is in w
};

/* emit_march_calls.c */

/// The best for this processor.
foi_march_call *foi_march_calls(foi_marching method);

#endif
