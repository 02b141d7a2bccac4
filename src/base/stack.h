/// How much of the stack is left: whoever calls itself as deep as an input says asks here, so that
/// a small stack gives a message.
#ifndef FOI_STACK_H
#define FOI_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct foi_stack_limit {
    uintptr_t from; ///< where it was begun
    size_t most;    ///< bytes that may be used from there
} foi_stack_limit;

/// From here on three eighths of what the system gives a stack may be used: the rest is for those
/// who called, and for what is called and does not ask.
foi_stack_limit foi_stack_limit_begin(void);
/// Whether there is room for more calls.
bool foi_stack_limit_holds(const foi_stack_limit *stack);

#endif
