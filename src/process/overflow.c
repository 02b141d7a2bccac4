/// A fall into the guard page of a process's stack, turned into a message.
///
/// While the world runs, and only when its definition asks for it, SIGSEGV is handled, on a stack
/// of the handler's own. The handler finds its world at the lower end of that stack, so that there
/// is no global or thread-local variable; a fault that is not in the guard page of the process that
/// runs goes to whoever handled it before. From a fall the handler does not return: it switches to
/// the root, as the process would have done when it suspends itself.
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/internal.h"

#if defined(FOI_COROUTINE_WATCHED) || defined(FOI_COROUTINE_UCONTEXT)

bool foi_overflow_watch(fo_world *w, foi_overflow *o)
{
    (void)w;
    *o = (foi_overflow){0};
    return true;
}

void foi_overflow_end(foi_overflow *o)
{
    (void)o;
}

#else

enum { HANDLER_STACK = 1 << 16 };
static const uint64_t magic = UINT64_C(0x666f6c696f742121);

/// At the lower end of the handler's stack.
typedef struct note {
    uint64_t magic;
    fo_world *world;
    struct sigaction before;
    stack_t stack_before;
} note;

static bool fell_off(const fo_world *w, const char *address)
{
    const fo_process *p = w->current;
    if (!p || !p->stack || !p->stack->guarded) return false;
    return address < p->stack->low && address >= p->stack->low - sysconf(_SC_PAGESIZE);
}

// Nothing of ours: as if there were no handler here.
static void hand_on(const struct sigaction *before, int signal_number, siginfo_t *info,
                    void *context)
{
    if (before && before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(signal_number, info, context);
    else
        signal(signal_number, SIG_DFL); // the fault comes again when the handler returns
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    stack_t here;
    const note *n = NULL;
    if (sigaltstack(NULL, &here) == 0 && here.ss_size == HANDLER_STACK) n = here.ss_sp;
    if (!n || n->magic != magic || !fell_off(n->world, info->si_addr)) {
        hand_on(n && n->magic == magic ? &n->before : NULL, signal_number, info, context);
        return;
    }
    fo_world *w = n->world;
    fo_process *p = w->current;
    w->overflown = p;
    w->until = -INFINITY;
    w->current = NULL;
    foi_coroutine_switch(&p->co, &w->root, true);
}

bool foi_overflow_watch(fo_world *w, foi_overflow *o)
{
    *o = (foi_overflow){0};
    void *stack =
        mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return false;
    note *n = stack;
    n->magic = magic, n->world = w;
    // without SA_NODEFER the signal would stay blocked, since the handler does not return
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    stack_t ours = {.ss_sp = stack, .ss_size = HANDLER_STACK};
    if (sigaltstack(&ours, &n->stack_before) != 0) {
        munmap(stack, HANDLER_STACK);
        return false;
    }
    sigaction(SIGSEGV, &action, &n->before);
    o->stack = stack;
    return true;
}

void foi_overflow_end(foi_overflow *o)
{
    note *n = o->stack;
    if (!n) return;
    sigaction(SIGSEGV, &n->before, NULL);
    if (n->stack_before.ss_flags & SS_DISABLE) n->stack_before.ss_size = SIGSTKSZ;
    sigaltstack(&n->stack_before, NULL);
    munmap(n, HANDLER_STACK);
    o->stack = NULL;
}

#endif
