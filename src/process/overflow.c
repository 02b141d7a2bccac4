/// A fall into the guard page of a process's stack, turned into a message.
///
/// While processes run, and only when the world's definition asks for it, SIGSEGV is handled, on a
/// stack of the handler's own. The handler finds its world at the lower end of that stack, so that
/// there is no global or thread-local variable; a fault that is not in the guard page of the
/// process that runs goes to whoever handled it before. From a fall the handler does not return: it
/// switches to the root, as the process would have done when it suspends itself.
///
/// The stack of a handler belongs to a thread, the handler itself to the program. Where the program
/// has set it once (fo_overflow_handle), worlds leave it alone, so that they may run on several
/// threads; otherwise each world sets it and puts back what was there.
#include "process/internal.h"

#if defined(FOI_COROUTINE_WATCHED) || defined(FOI_COROUTINE_UCONTEXT) || \
    defined(FOI_COROUTINE_ASYNCIFY)

bool fo_overflow_handle(void)
{
    return false;
}

bool foi_overflow_watch(fo_world *w)
{
    (void)w;
    return true;
}

void foi_overflow_end(fo_world *w)
{
    (void)w;
}

void foi_overflow_free(fo_world *w)
{
    (void)w;
}

#else

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HANDLER_STACK = 1 << 16 };
static const uint64_t magic = UINT64_C(0x666f6c696f742121);

/// At the lower end of the handler's stack.
typedef struct note {
    uint64_t magic;
    fo_world *world;
    bool ours; ///< the handler was set by this world
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
static void hand_on(const note *n, int signal_number, siginfo_t *info, void *context)
{
    if (n && n->ours && n->before.sa_flags & SA_SIGINFO)
        n->before.sa_sigaction(signal_number, info, context);
    else
        signal(signal_number, SIG_DFL); // the fault comes again when the handler returns
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    stack_t here;
    const note *n = NULL;
    if (sigaltstack(NULL, &here) == 0 && here.ss_size == HANDLER_STACK) n = here.ss_sp;
    if (n && n->magic != magic) n = NULL;
    if (!n || !fell_off(n->world, info->si_addr)) {
        hand_on(n, signal_number, info, context);
        return;
    }
    fo_world *w = n->world;
    fo_process *p = w->current;
    w->overflown = p;
    w->until = -INFINITY;
    w->current = NULL;
    foi_coroutine_switch(&p->co, &w->root, true);
}

static bool is_set(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == on_fault;
}

static bool set(struct sigaction *before)
{
    // without SA_NODEFER the signal would stay blocked, since the handler does not return
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    return sigaction(SIGSEGV, &action, before) == 0;
}

bool fo_overflow_handle(void)
{
    struct sigaction now;
    if (sigaction(SIGSEGV, NULL, &now) != 0) return false;
    if (is_set(&now)) return true;
    bool nobody = !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
    return nobody && set(NULL);
}

static note *handler_stack(fo_world *w)
{
    if (w->handler_stack) return w->handler_stack;
    void *stack =
        mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return NULL;
    note *n = w->handler_stack = stack;
    n->magic = magic, n->world = w;
    return n;
}

bool foi_overflow_watch(fo_world *w)
{
    note *n = handler_stack(w);
    stack_t ours = {.ss_sp = n, .ss_size = HANDLER_STACK};
    if (!n || sigaltstack(&ours, &n->stack_before) != 0) return false;
    n->ours = sigaction(SIGSEGV, NULL, &n->before) == 0 && !is_set(&n->before);
    if (n->ours) set(NULL);
    return true;
}

void foi_overflow_end(fo_world *w)
{
    note *n = w->handler_stack;
    if (n->ours) sigaction(SIGSEGV, &n->before, NULL);
    if (n->stack_before.ss_flags & SS_DISABLE) n->stack_before.ss_size = SIGSTKSZ;
    sigaltstack(&n->stack_before, NULL);
}

void foi_overflow_free(fo_world *w)
{
    if (w->handler_stack) munmap(w->handler_stack, HANDLER_STACK);
}

#endif
