/// Coroutines: several stacks, one of which runs.
///
/// A switch saves the registers that a called function must keep on the stack that is left, and
/// takes them from the other. It ends in an indirect jump: the processor predicts a return from the
/// calls of the stack that was left, always wrongly, but a jump from where it went before. The
/// floating-point control registers are not saved: all coroutines share the rounding mode.
/// x86-64 and AArch64 have it in assembly; elsewhere, and with FOI_COROUTINE_UCONTEXT, ucontext
/// does it, some fifty times slower. WebAssembly has no stacks that could be switched:
/// coroutine_wasm.c says what is done there.
#ifndef FOI_COROUTINE_H
#define FOI_COROUTINE_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define FOI_COROUTINE_ASYNCIFY 1
#elif !defined(__x86_64__) && !defined(__aarch64__) && !defined(FOI_COROUTINE_UCONTEXT)
#define FOI_COROUTINE_UCONTEXT 1
#endif
#ifdef FOI_COROUTINE_UCONTEXT
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define FOI_COROUTINE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FOI_COROUTINE_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define FOI_COROUTINE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FOI_COROUTINE_TSAN 1
#endif
#endif
#if defined(FOI_COROUTINE_ASAN) || defined(FOI_COROUTINE_TSAN)
#define FOI_COROUTINE_WATCHED 1
#endif

// --------------------------------------------------------------------------------------- stacks

/// One stack. This record lies at its upper end, so that a small process touches one page only.
///
///                              low                                       this record
///     | guard page, if guarded | frames grow downwards  <--  top | foi_stack |
typedef struct foi_stack {
    char *low;  ///< the lowest byte that frames may use
    size_t use; ///< bytes from `low` to this record
    bool guarded;
    uint8_t class; ///< the stack takes 2^class bytes
    struct foi_stack *next;
} foi_stack;

enum {
    FOI_STACK_LEAST = 10,    ///< the smallest class: 1 KiB
    FOI_STACK_MOST = 30,     ///< the largest: 1 GiB
    FOI_STACK_GUARDED = 12,  ///< from this class on, 4 KiB, stacks have a guard page
    FOI_STACK_COLOURED = 14, ///< from this class on only the tops are used
    FOI_STACK_GUARDS = 15000 ///< so many at most where a guard is a mapping of its own: two entries
                             ///< of the system's list of mappings, which holds 65,530
};

/// Stacks that are kept for use again; those of one world.
typedef struct foi_stacks {
    const fo_allocator *allocator;
    foi_stack *spare[FOI_STACK_MOST + 1];
    struct foi_slab *slabs;
    size_t guards;   ///< guard pages made so far that are mappings of their own
    bool asked;      ///< the system about the following
    bool heavy_only; ///< it has no other guard pages
    unsigned made;   ///< stacks made so far
} foi_stacks;

/// Makes spare stacks of 2^class bytes; false without memory.
bool foi_stacks_grow(foi_stacks *stacks, unsigned class);
/// A stack of at least `size` bytes; NULL when there is no memory.
foi_stack *foi_stack_take(foi_stacks *stacks, size_t size);
void foi_stack_give_back(foi_stacks *stacks, foi_stack *stack);
/// Unmaps them all.
void foi_stacks_destroy(foi_stacks *stacks);

/// Where the last eighth of a stack begins: frames below that address are too many. With Asyncify
/// it is the last quarter, since what a process has in its locals is put there while it waits.
static inline uintptr_t foi_stack_limit(const foi_stack *stack)
{
#ifdef FOI_COROUTINE_ASYNCIFY
    return (uintptr_t)stack->low + stack->use / 4;
#else
    return (uintptr_t)stack->low + stack->use / 8;
#endif
}

/// The lowest line of a stack is zero, without ever being written, until frames have reached the
/// stack's end. Where a guard page stands it need not be looked at: this one is clean for ever.
enum { FOI_CANARY = 8 };
extern const uint64_t foi_canary_of_guarded[FOI_CANARY];
static inline const uint64_t *foi_stack_canary(const foi_stack *stack)
{
    return stack->guarded ? foi_canary_of_guarded : (const uint64_t *)(const void *)stack->low;
}

/// False when frames have reached the end of the stack, as far as can be seen from what they left.
static inline bool foi_canary_lives(const uint64_t *c)
{
    return (c[0] | c[1] | c[2] | c[3] | c[4] | c[5] | c[6] | c[7]) == 0;
}

// ----------------------------------------------------------------------------------- coroutines

typedef struct foi_coroutine {
    void *sp; ///< its stack pointer while it does not run
#ifdef FOI_COROUTINE_UCONTEXT
    ucontext_t context;
#endif
#ifdef FOI_COROUTINE_ASYNCIFY
    struct {
        char *at, *end; ///< what is free of it
    } saved;            ///< where the locals are while it does not run, as Asyncify wants it
    char *low;          ///< where that begins
    void (*entry)(void *argument);
    void *argument;
    struct foi_coroutine *next; ///< whom it has left for
    bool begun, away;
#endif
#ifdef FOI_COROUTINE_WATCHED
    void *fake;         ///< ASan: what it keeps beside the stack
    const void *bottom; ///< and where the stack is
    size_t size;
    void *fiber; ///< TSan
    bool own;    ///< the fiber was made here
#endif
} foi_coroutine;

/// Makes a coroutine that calls `entry(argument)` on the stack when it is first switched to. The
/// function must not return.
void foi_coroutine_init(foi_coroutine *c, foi_stack *stack, void (*entry)(void *), void *argument);
/// Frees what sanitizers keep of a coroutine that will not run again.
void foi_coroutine_end(foi_coroutine *c);

void foi_coroutine_jump(void **save, void *load);
void foi_coroutine_switch_watched(foi_coroutine *from, foi_coroutine *to, bool for_good);
/// To be called first on a stack that was switched to for the first time.
void foi_coroutine_arrive(foi_coroutine *from, foi_coroutine *at);

#ifdef FOI_COROUTINE_ASYNCIFY
void foi_coroutine_enter(foi_coroutine *root, foi_coroutine *to);
void foi_coroutine_leave(foi_coroutine *from, foi_coroutine *to);
#endif

/// Leaves `from`, which was made here, and goes on in `to`; returns when someone switches back.
/// `for_good`: it never will.
static inline void foi_coroutine_switch(foi_coroutine *from, foi_coroutine *to, bool for_good)
{
#if defined(FOI_COROUTINE_WATCHED) || defined(FOI_COROUTINE_UCONTEXT)
    foi_coroutine_switch_watched(from, to, for_good);
#elif defined(FOI_COROUTINE_ASYNCIFY)
    (void)for_good;
    foi_coroutine_leave(from, to);
#else
    (void)for_good;
    foi_coroutine_jump(&from->sp, to->sp);
#endif
}

/// The same from the stack on which the program began: `root` is where it will be found.
#ifndef FOI_COROUTINE_ASYNCIFY
static inline void foi_coroutine_enter(foi_coroutine *root, foi_coroutine *to)
{
    foi_coroutine_switch(root, to, false);
}
#endif

#endif
