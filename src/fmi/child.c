/// The child process of a unit, and how requests reach it.
///
/// Both sides share the block. A request is a number that is raised, and so is the reply. Whoever
/// waits looks at it for some microseconds, which is how long most calls take. Where others have
/// the processors, or there is one only, looking keeps the other side from working: then it gives
/// way to whoever is there (sched_yield), which costs two thirds of what sleeping and waking do, if
/// the other side is who comes. If that is somebody else, or nobody, it sleeps on the number (a
/// futex); who writes wakes a sleeper only.
///
/// Who has looked in vain looks half as long the next time, down to not at all, and twice as long
/// where looking was of use. Two that only wake each other never find out that the processors have
/// become free, so one looks long again after 64 waits, after 128 where that was in vain, and so on
/// up to 4096: then looking in vain costs less than a hundredth of the waits. Giving way that was
/// in vain, or came back late, is tried again as seldom.
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

enum {
    LOOKS = 2000,
    WAYS = 3,
    FEWEST_LOOKS = 30,
    FIRST_PROBE = 64,
    LAST_PROBE = 4096,
    KEEPER_MS = 5000
};
static const double LATE = 50e-6; // [s]; an exchange takes a tenth of that

static void pause_shortly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

// `most` NULL: without end.
static void futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *most)
{
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT, value, most, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_there(_Atomic uint32_t *word, uint32_t wanted)
{
    return atomic_load_explicit(word, memory_order_acquire) == wanted;
}

// Is this wait one that tries it, whatever was of use so far?
static bool probes(foi_unit_patience *p)
{
    if (++p->waits < p->probe) return false;
    p->waits = 0;
    return true;
}

static void learn(foi_unit_patience *p, bool probed, bool of_use)
{
    if (of_use)
        p->probe = FIRST_PROBE;
    else if (probed && p->probe < LAST_PROBE)
        p->probe *= 2;
}

static bool give_way(foi_unit_patience *p, _Atomic uint32_t *word, uint32_t wanted)
{
    bool probe = probes(p);
    if (!probe && !p->most) return is_there(word, wanted);
    double begin = seconds();
    for (int i = 0; i < WAYS && !is_there(word, wanted); i++) sched_yield();
    bool there = is_there(word, wanted), of_use = there && seconds() - begin < LATE;
    learn(p, probe, of_use);
    p->most = of_use;
    return there;
}

static bool look(foi_unit_patience *p, _Atomic uint32_t *word, uint32_t wanted)
{
    bool probe = probes(p), there = false;
    int most = probe ? LOOKS : p->most;
    if (!most) return is_there(word, wanted);
    for (int i = 0; i < most && !(there = is_there(word, wanted)); i++) pause_shortly();
    learn(p, probe, there);
    if (there)
        p->most = most < LOOKS / 2 ? 2 * most : LOOKS;
    else
        p->most = !probe && most > 2 * FEWEST_LOOKS ? most / 2 : 0;
    return there;
}

// True: it is there, and nobody has slept.
static bool comes_soon(foi_unit *unit, _Atomic uint32_t *word, uint32_t wanted)
{
    if (!unit->one_cpu && look(&unit->look, word, wanted)) return true;
    return give_way(&unit->way, word, wanted);
}

static void raise_word(_Atomic uint32_t *word, uint32_t value, _Atomic uint32_t *sleeps)
{
    atomic_store(word, value);
    if (atomic_load(sleeps)) futex_wake(word);
}

// ----------------------------------------------------------------------------------------- the
// child

static foi_unit *served; // of the child process alone

static void report_signal(int number)
{
    atomic_store(&served->block->signal, number);
    futex_wake(&served->block->reply);
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
static void confine(void)
{
    struct rlimit none = {0, 0};
    setpgid(0, 0);
    setrlimit(RLIMIT_CORE, &none);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    int null = open("/dev/null", O_RDONLY);
    if (null >= 0) dup2(null, STDIN_FILENO);
    syscall(SYS_close_range, 3u, ~0u, 0u);
}

// `with`: what comes when the parent dies, which may have happened already.
static void end_with(int parent, int with)
{
    prctl(PR_SET_PDEATHSIG, with);
    if (getppid() != parent) _exit(0);
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
        while (!comes_soon(unit, &b->request, next)) {
            atomic_store(&b->child_sleeps, 1);
            if (atomic_load(&b->request) == done) futex_wait(&b->request, done, NULL);
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

// Two processes, the keeper (keeper.c) and the one that serves, in one group that has the keeper's
// number. All signals are blocked here.
__attribute__((noreturn)) static void become_two(foi_unit *unit, int parent)
{
    for (int s = 1; s < 32; s++)
        if (s != SIGKILL && s != SIGSTOP) signal(s, SIG_DFL);
    confine();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    end_with(parent, SIGTERM);
    int keeper = (int)getpid();
    pid_t main = fork();
    if (main < 0) _exit(1);
    if (main > 0) {
        munmap(unit->block, unit->block_size);
        foi_unit_keep(main);
    }
    end_with(keeper, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    live(unit);
}

fo_status foi_unit_begin_child(foi_unit *unit, fo_message *why)
{
    cpu_set_t cpus;
    unit->one_cpu = sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) < 2;
    unit->sent = 0;
    unit->look = (foi_unit_patience){.most = LOOKS, .probe = FIRST_PROBE};
    unit->way = (foi_unit_patience){.most = 1, .probe = FIRST_PROBE};
    int parent = (int)getpid();
    sigset_t all, before; // a signal of the parent must not be handled twice
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become_two(unit, parent);
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
    foi_unit_called call = foi_unit_call(unit);
    unit->pid = 0, unit->dead = true;
    if (!number && WIFSIGNALED(how)) number = WTERMSIG(how);
    if (number)
        return fo_fail(why, FO_ERROR_MODEL, "%s: its process died in %s of %s (signal %d)",
                       unit->about.file, *call.name ? call.name : "its start", signal_name(number),
                       number);
    return fo_fail(why, FO_ERROR_MODEL, "%s: its process ended itself in %s with exit status %d",
                   unit->about.file, *call.name ? call.name : "its start",
                   WIFEXITED(how) ? WEXITSTATUS(how) : -1);
}

// Takes the child's end, if it has come; `options` of waitid. The keeper has ended what the unit
// has started; were it killed itself, the rest would be in its group, whose number is not given to
// others before it is waited for.
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
    kill(unit->pid, SIGTERM);
    for (int i = 0; i < KEEPER_MS && unit->pid; i++) {
        if (take_end(unit, WNOHANG, &how) != 0) unit->pid = 0;
        if (unit->pid) usleep(1000);
    }
    if (unit->pid) {
        kill(unit->pid, SIGKILL);
        take_end(unit, 0, &how);
    }
    unit->pid = 0, unit->dead = true;
}

static fo_status hung(foi_unit *unit, fo_message *why)
{
    foi_unit_called call = foi_unit_call(unit);
    kill_child(unit);
    return fo_fail(why, FO_ERROR_MODEL, "%s: %s did not return within %g s; its process was ended",
                   unit->about.file, *call.name ? call.name : "it", unit->timeout);
}

// A child that dies of a signal wakes who waits for it; one that is killed or exits is found after
// so long. A shorter time would be the processor's next timer, whose setting costs as much as the
// whole exchange.
static const struct timespec between_looks = {0, 10000000}, shortly = {0, 100000};

fo_status foi_unit_exchange(foi_unit *unit, fo_message *why)
{
    foi_unit_block *b = unit->block;
    foi_unit_request what = b->what;
    uint32_t wanted = ++unit->sent;
    raise_word(&b->request, wanted, &b->child_sleeps);
    if (comes_soon(unit, &b->reply, wanted)) return FO_OK;
    double end = seconds() + unit->timeout;
    for (;;) {
        int how;
        atomic_store(&b->parent_sleeps, 1);
        uint32_t seen = atomic_load(&b->reply);
        bool dying = atomic_load(&b->signal);
        if (seen != wanted) futex_wait(&b->reply, seen, dying ? &shortly : &between_looks);
        atomic_store(&b->parent_sleeps, 0);
        if (atomic_load(&b->reply) == wanted) return FO_OK;
        pid_t gone = take_end(unit, WNOHANG, &how);
        if (gone == unit->pid || (gone < 0 && errno == ECHILD))
            return atomic_load(&b->reply) == wanted && gone > 0 && what == FOI_UNIT_END
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
        fo_message why = {0};
        bool known = unit->failed; // what has gone wrong before was said
        // the results are complete, and nobody waits for a message: where the unit's own go
        if (foi_unit_ask(unit, FOI_UNIT_END, &why) != FO_OK && !known && why.text[0])
            fprintf(stderr, "%s, after the run\n", why.text);
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
