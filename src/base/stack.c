#include "base/stack.h"

#ifdef __unix__
#include <sys/resource.h>
#endif

// Where the stack stands. Locals may lie elsewhere under a sanitizer, frames do not.
static inline uintptr_t here(void)
{
#ifdef __wasm__
    volatile char local = 0;
    uintptr_t address = (uintptr_t)&local;
    return address;
#else
    return (uintptr_t)__builtin_frame_address(0);
#endif
}

foi_stack_limit foi_stack_limit_begin(void)
{
    size_t all = (size_t)1 << 20;
#ifdef __unix__
    struct rlimit limit;
    const size_t most = (size_t)8 << 20; // threads and systems without a limit
    all = most;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < most) all = (size_t)limit.rlim_cur;
#endif
    return (foi_stack_limit){here(), all / 8 * 3};
}

bool foi_stack_limit_holds(const foi_stack_limit *stack)
{
    uintptr_t now = here();
    return (now < stack->from ? stack->from - now : now - stack->from) < stack->most;
}
