/// The child process of a unit, and how requests reach it.
///
/// Both sides share the block. A request is a number that is raised, and so is the reply. Whoever
/// waits looks at it for some microseconds, which is how long most calls take, and then sleeps on
/// it (a futex); who writes wakes a sleeper only. With one processor looking would only keep the
/// other from working, so one yields instead. So it does where others have the processors: who has
/// looked in vain looks half as long the next time, down to the time of an empty call, and twice as
/// long where looking was of use; every 64th time it looks as long as ever, since two that only
/// wake each other never find that out. Whoever sleeps soon is also put back soon by the scheduler.
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fmi/unit.h"

enum { LOOKS = 2000, FEWEST_LOOKS = 30, PROBE = 64, YIELDS = 200 };

static void pause_shortly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, long nanoseconds)
{
    struct timespec most = {0, nanoseconds};
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT, value, &most, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool look(foi_unit *unit, _Atomic uint32_t *word, uint32_t wanted)
{
    if (++unit->waits % PROBE == 0) unit->looks = LOOKS;
    int most = unit->one_cpu ? YIELDS : unit->looks;
    for (int i = 0; i < most; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) == wanted) {
            unit->looks = unit->looks < LOOKS / 2 ? 2 * unit->looks : LOOKS;
            return true;
        }
        if (unit->one_cpu)
            sched_yield();
        else
            pause_shortly();
    }
    unit->looks =
        unit->waits % PROBE && unit->looks > 2 * FEWEST_LOOKS ? unit->looks / 2 : FEWEST_LOOKS;
    return false;
}

static void raise_word(_Atomic uint32_t *word, uint32_t value, _Atomic uint32_t *sleeps)
{
    atomic_store(word, value);
    if (atomic_load(sleeps)) futex_wake(word);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ----------------------------------------------------------------------------------------- the
// child

static foi_unit *served; // of the child process alone

static void report_signal(int number)
{
    atomic_store(&served->block->signal, number);
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    static char stack[32768];
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction act = {.sa_handler = report_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) sigaction(fatal[i], &act, NULL);
    signal(SIGINT, SIG_IGN); // the parent decides
    signal(SIGPIPE, SIG_DFL);
}

// Nothing of the parent's is left open but the standard streams; what the unit prints goes to
// standard error, so that results on standard output stay what they are.
static void confine(int parent)
{
    struct rlimit none = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &none);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0) dup2(null, STDIN_FILENO);
    syscall(SYS_close_range, 3u, ~0u, 0u);
    sigset_t all;
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

__attribute__((noreturn)) static void live(foi_unit *unit)
{
    foi_unit_block *b = unit->block;
    served = unit;
    // a unit that forks and returns twice has one process that serves: the other has no block
    madvise(b, unit->block_size, MADV_DONTFORK);
    catch_signals();
    for (uint32_t done = 0;;) {
        uint32_t next = done + 1;
        while (!look(unit, &b->request, next)) {
            atomic_store(&b->child_sleeps, 1);
            if (atomic_load(&b->request) == done) futex_wait(&b->request, done, 500000000);
            atomic_store(&b->child_sleeps, 0);
            if (atomic_load(&b->request) == next) break;
        }
        foi_unit_serve(unit);
        bool last = b->what == FOI_UNIT_END;
        done = next;
        raise_word(&b->reply, done, &b->parent_sleeps);
        if (last) _exit(0);
    }
}

fo_status foi_unit_begin_child(foi_unit *unit, fo_message *why)
{
    cpu_set_t cpus;
    unit->one_cpu = sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) < 2;
    unit->sent = 0, unit->looks = LOOKS;
    int parent = (int)getpid();
    sigset_t all, before; // a signal of the parent must not be handled twice
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        for (int s = 1; s < 32; s++)
            if (s != SIGKILL && s != SIGSTOP) signal(s, SIG_DFL);
        confine(parent);
        live(unit);
    }
    int failed = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid < 0)
        return fo_fail(why, FO_ERROR_UNFIT, "%s: cannot start a process for it: %s",
                       unit->about.file, strerror(failed));
    unit->pid = (int)pid;
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- the
// parent

static const char *signal_name(int number)
{
    switch (number) {
    case SIGSEGV: return "an invalid memory access";
    case SIGBUS: return "a memory access beyond the end of a file";
    case SIGFPE: return "a division by zero";
    case SIGILL: return "an illegal instruction";
    case SIGABRT: return "abort";
    case SIGKILL: return "being killed";
    default: return "a signal";
    }
}

static fo_status died(foi_unit *unit, int how, fo_message *why)
{
    int number = atomic_load(&unit->block->signal);
    const char *call = atomic_load(&unit->block->call);
    unit->pid = 0, unit->dead = true;
    if (!number && WIFSIGNALED(how)) number = WTERMSIG(how);
    if (number)
        return fo_fail(why, FO_ERROR_MODEL, "%s: its process died in %s of %s (signal %d)",
                       unit->about.file, call ? call : "its start", signal_name(number), number);
    return fo_fail(why, FO_ERROR_MODEL, "%s: its process ended itself in %s with exit status %d",
                   unit->about.file, call ? call : "its start",
                   WIFEXITED(how) ? WEXITSTATUS(how) : -1);
}

// Takes the child's end, if it has come; `options` of waitid. What the unit has started and left
// running is in the child's group, whose number is not given to others before the child is waited
// for.
static pid_t take_end(foi_unit *unit, int options, int *how)
{
    siginfo_t info = {0};
    int status;
    do status = waitid(P_PID, (id_t)unit->pid, &info, WEXITED | WNOWAIT | options);
    while (status < 0 && errno == EINTR);
    if (status < 0) return -1;
    if (info.si_pid != unit->pid) return 0;
    kill(-unit->pid, SIGKILL);
    return waitpid(unit->pid, how, 0);
}

static void kill_child(foi_unit *unit)
{
    int how;
    if (!unit->pid) return;
    kill(unit->pid, SIGKILL);
    take_end(unit, 0, &how);
    unit->pid = 0, unit->dead = true;
}

static fo_status hung(foi_unit *unit, fo_message *why)
{
    const char *call = atomic_load(&unit->block->call);
    kill_child(unit);
    return fo_fail(why, FO_ERROR_MODEL, "%s: %s did not return within %g s; its process was ended",
                   unit->about.file, call ? call : "it", unit->timeout);
}

fo_status foi_unit_exchange(foi_unit *unit, fo_message *why)
{
    foi_unit_block *b = unit->block;
    uint32_t wanted = ++unit->sent;
    raise_word(&b->request, wanted, &b->child_sleeps);
    if (look(unit, &b->reply, wanted)) return FO_OK;
    double end = seconds() + unit->timeout;
    for (;;) {
        int how;
        atomic_store(&b->parent_sleeps, 1);
        uint32_t seen = atomic_load(&b->reply);
        if (seen != wanted) futex_wait(&b->reply, seen, 1000000);
        atomic_store(&b->parent_sleeps, 0);
        if (atomic_load(&b->reply) == wanted) return FO_OK;
        pid_t gone = take_end(unit, WNOHANG, &how);
        if (gone == unit->pid || (gone < 0 && errno == ECHILD))
            return atomic_load(&b->reply) == wanted && gone > 0 && unit->block->what == FOI_UNIT_END
                       ? FO_OK
                       : died(unit, gone > 0 ? how : 0, why);
        if (seconds() > end) return hung(unit, why);
    }
}

void foi_unit_end(foi_unit *unit)
{
    int how;
    if (!unit->block) return;
    if (!unit->dead && (unit->pid || unit->library)) {
        double patience = unit->timeout;
        if (unit->timeout > 2) unit->timeout = 2;
        foi_unit_ask(unit, FOI_UNIT_END, NULL);
        unit->timeout = patience;
    }
    if (!unit->pid) return;
    for (int i = 0; i < 200; i++) { // it exits right after its reply
        if (take_end(unit, WNOHANG, &how) == unit->pid) {
            unit->pid = 0, unit->dead = true;
            return;
        }
        usleep(50);
    }
    kill_child(unit);
}
