#include "process/coroutine.h"

#include <assert.h>
#include <string.h>

#ifdef FOI_COROUTINE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FOI_COROUTINE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

// ------------------------------------------------------------------------------------ the switch

// The frame that a switch leaves on a stack, from the stack pointer upwards. A new coroutine is
// given such a frame by hand: it "returns" to foi_coroutine_first, which finds the function and its
// argument in two of the registers.
#ifdef FOI_COROUTINE_UCONTEXT

static void first(unsigned high, unsigned low)
{
    foi_coroutine *c = (foi_coroutine *)(((uintptr_t)high << 16 << 16) | low);
    void (*entry)(void *);
    void *argument;
    memcpy(&entry, c->sp, sizeof entry);
    memcpy(&argument, (char *)c->sp + sizeof entry, sizeof argument);
    entry(argument);
}

static void prepare(foi_coroutine *c, foi_stack *stack, void (*entry)(void *), void *argument)
{
    uintptr_t self = (uintptr_t)c;
    char *top = stack->low + stack->use - 2 * sizeof(void *);
    memcpy(top, &entry, sizeof entry);
    memcpy(top + sizeof entry, &argument, sizeof argument);
    c->sp = top;
    getcontext(&c->context);
    c->context.uc_stack.ss_sp = stack->low;
    c->context.uc_stack.ss_size = (size_t)(top - stack->low);
    c->context.uc_link = NULL;
    makecontext(&c->context, (void (*)(void))first, 2, (unsigned)(self >> 16 >> 16),
                (unsigned)self);
}

#elif defined(__x86_64__)

//  sp: r15 r14 r13 r12 rbx rbp, return address
__asm__(".text\n"
        ".p2align 4\n"
        ".globl foi_coroutine_jump\n"
        ".hidden foi_coroutine_jump\n"
        ".type foi_coroutine_jump, @function\n"
        "foi_coroutine_jump:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        ".size foi_coroutine_jump, .-foi_coroutine_jump\n"
        ".p2align 4\n"
        ".type foi_coroutine_first, @function\n"
        "foi_coroutine_first:\n"
        "    .cfi_startproc\n"
        "    .cfi_undefined rip\n"
        "    movq %r12, %rdi\n"
        "    callq *%r13\n"
        "    ud2\n"
        "    .cfi_endproc\n"
        ".size foi_coroutine_first, .-foi_coroutine_first\n");
enum { FRAME = 7, ARGUMENT = 3, ENTRY = 2, RETURN = 6 };

#elif defined(__aarch64__)

//  sp: x19..x30, d8..d15
__asm__(".text\n"
        ".p2align 4\n"
        ".globl foi_coroutine_jump\n"
        ".hidden foi_coroutine_jump\n"
        ".type foi_coroutine_jump, %function\n"
        "foi_coroutine_jump:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    br x30\n"
        ".size foi_coroutine_jump, .-foi_coroutine_jump\n"
        ".p2align 4\n"
        ".type foi_coroutine_first, %function\n"
        "foi_coroutine_first:\n"
        "    mov x0, x19\n"
        "    blr x20\n"
        "    brk #1\n"
        ".size foi_coroutine_first, .-foi_coroutine_first\n");
enum { FRAME = 20, ARGUMENT = 0, ENTRY = 1, RETURN = 11 };

#endif

#ifndef FOI_COROUTINE_UCONTEXT
__attribute__((visibility("hidden"))) extern void foi_coroutine_first(void);

static void prepare(foi_coroutine *c, foi_stack *stack, void (*entry)(void *), void *argument)
{
    uintptr_t top = (uintptr_t)(stack->low + stack->use) & ~(uintptr_t)15;
    uintptr_t *frame = (uintptr_t *)(top - sizeof(uintptr_t) * ((FRAME + 1) & ~1));
    if (FRAME % 2) frame++; // so that the stack is aligned when the frame is off it
    memset(frame, 0, FRAME * sizeof *frame);
    frame[ARGUMENT] = (uintptr_t)argument;
    frame[ENTRY] = (uintptr_t)entry;
    frame[RETURN] = (uintptr_t)foi_coroutine_first;
    c->sp = frame;
}
#endif

// ----------------------------------------------------------------------------------- coroutines

void foi_coroutine_init(foi_coroutine *c, foi_stack *stack, void (*entry)(void *), void *argument)
{
    *c = (foi_coroutine){0};
#ifdef FOI_COROUTINE_ASAN
    ASAN_UNPOISON_MEMORY_REGION(stack->low, stack->use); // of what ran here before
#endif
    prepare(c, stack, entry, argument);
#ifdef FOI_COROUTINE_WATCHED
    c->bottom = stack->low, c->size = stack->use;
#endif
#ifdef FOI_COROUTINE_TSAN
    c->fiber = __tsan_create_fiber(0), c->own = true;
#endif
}

void foi_coroutine_end(foi_coroutine *c)
{
    (void)c;
#ifdef FOI_COROUTINE_TSAN
    if (c->own) __tsan_destroy_fiber(c->fiber);
    c->own = false;
#endif
}

void foi_coroutine_arrive(foi_coroutine *from, foi_coroutine *at)
{
    (void)from, (void)at;
#ifdef FOI_COROUTINE_ASAN
    __sanitizer_finish_switch_fiber(at->fake, &from->bottom, &from->size);
#endif
}

#if defined(FOI_COROUTINE_WATCHED) || defined(FOI_COROUTINE_UCONTEXT)
void foi_coroutine_switch_watched(foi_coroutine *from, foi_coroutine *to, bool for_good)
{
    (void)for_good;
#ifdef FOI_COROUTINE_ASAN
    __sanitizer_start_switch_fiber(for_good ? NULL : &from->fake, to->bottom, to->size);
#endif
#ifdef FOI_COROUTINE_TSAN
    if (!from->fiber) from->fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
#ifdef FOI_COROUTINE_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    foi_coroutine_jump(&from->sp, to->sp);
#endif
#ifdef FOI_COROUTINE_ASAN
    __sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}
#endif
