// Work is left in the middle (fo_desk_leave) only where the C library is not at
// work, which has locks: it looks at which code the signal has come upon. Filling memory takes no
// lock, and is long where a block is large. What is linked statically cannot be told apart; there
// work is left where it asks.
#include "cli/quantum.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

enum { TURN = 5000, AGAIN = 1000, MOST_RANGES = 16 }; // us
enum { LEAVE = SIGURG, HANDLER_STACK = 1 << 16 };
enum { FILLING = 512 }; // bytes of code, or more

/// Code of the C library and of its loader.
typedef struct range {
    uintptr_t from, to;
} range;

// What a signal may touch; C offers no other way.
static fo_desk *volatile desk;
static fo_lsp *volatile lsp;
static range ranges[MOST_RANGES];
static volatile sig_atomic_t range_count;
static bool complete; // all of them found a place
static volatile uintptr_t filling;

static int take_object(struct dl_phdr_info *info, size_t size, void *self)
{
    static const char *const names[] = {"/libc.", "/libc-",      "/ld-",
                                        "/ld.",   "/libpthread", "/libdl"};
    (void)size, (void)self;
    bool locks = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        locks |= info->dlpi_name && strstr(info->dlpi_name, names[i]) != NULL;
    for (int i = 0; locks && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        if (range_count == MOST_RANGES) {
            complete = false;
            return 0;
        }
        uintptr_t from = (uintptr_t)(info->dlpi_addr + part->p_vaddr);
        ranges[range_count++] = (range){from, from + (uintptr_t)part->p_memsz};
    }
    return 0;
}

// Where the program was, and its stack; 0: that is not known here.
static uintptr_t counter(const void *context, uintptr_t *stack)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    *stack = (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    *stack = (uintptr_t)c->uc_mcontext.sp;
    return (uintptr_t)c->uc_mcontext.pc;
#else
    (void)c;
    return *stack = 0;
#endif
}

// On a stack of its own: processes of a world have small ones. What may be left is left by a second
// signal, which comes when this one is over, upon the same place and on the stack of the work.
static void note(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    int error = errno;
    uintptr_t stack, at = counter(context, &stack);
    bool may = at && range_count && complete;
    for (int i = 0; i < range_count; i++) may &= at < ranges[i].from || at >= ranges[i].to;
    may |= at >= filling && at < filling + FILLING && range_count && complete;
    bool work =
        desk ? fo_desk_interrupt(desk, (void *)stack) : lsp && fo_lsp_interrupt(lsp, (void *)stack);
    if (may && work) raise(LEAVE);
    errno = error;
}

static void leave(int number)
{
    (void)number;
    int error = errno;
    if (desk) fo_desk_leave(desk);
    if (lsp) fo_lsp_leave(lsp);
    errno = error;
}

void quantum_watch(fo_desk *of, fo_lsp * or)
{
    static char own[HANDLER_STACK];
    stack_t stack = {.ss_sp = own, .ss_size = sizeof own};
    struct sigaction first = {.sa_sigaction = note,
                              .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    // a turn that is left in the handler is followed by others, with their own signals
    struct sigaction second = {.sa_handler = leave, .sa_flags = SA_RESTART | SA_NODEFER};
    sigemptyset(&first.sa_mask);
    sigaddset(&first.sa_mask, LEAVE);
    sigemptyset(&second.sa_mask);
    complete = true;
    dl_iterate_phdr(take_object, NULL);
    desk = of, lsp = or ;
    filling = (uintptr_t)memset;
    if (sigaltstack(&stack, NULL) == 0 && sigaction(LEAVE, &second, NULL) == 0)
        sigaction(SIGALRM, &first, NULL);
    else
        signal(SIGALRM, SIG_IGN);
}

void quantum_begin(void)
{
    struct itimerval turn = {{0, AGAIN}, {0, TURN}};
    setitimer(ITIMER_REAL, &turn, NULL);
}

void quantum_end(void)
{
    struct itimerval none = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &none, NULL);
}
