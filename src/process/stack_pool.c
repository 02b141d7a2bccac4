// Stacks that were used are used again: what stack.c and stack_wasm.c make is kept by its size.
#include "process/coroutine.h"

static unsigned class_of(size_t size)
{
    size += sizeof(foi_stack);
    unsigned class = FOI_STACK_LEAST;
    while (class <= FOI_STACK_MOST && (size_t)1 << class < size) class ++;
    return class;
}

foi_stack *foi_stack_take(foi_stacks *stacks, size_t size)
{
    unsigned class = class_of(size);
    if (class > FOI_STACK_MOST) return NULL;
    if (!stacks->spare[class] && !foi_stacks_grow(stacks, class)) return NULL;
    foi_stack *stack = stacks->spare[class];
    stacks->spare[class] = stack->next;
    return stack;
}

void foi_stack_give_back(foi_stacks *stacks, foi_stack *stack)
{
    stack->next = stacks->spare[stack->class];
    stacks->spare[stack->class] = stack;
}
