#include "base/compiler.h"

#if defined(__unix__) && !defined(__wasm__)

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(pid_t compiler)
{
#ifdef __linux__
    struct rlimit work = {600, 600}; // seconds; what it starts inherits them
    prlimit(compiler, RLIMIT_CPU, &work, NULL);
#else
    (void)compiler;
#endif
}

static int spawn(const char *const *words, const char *said, foi_compiler *c)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none); // whoever calls this may have blocked them all
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, said ? said : "/dev/null",
                                     said ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY, 0600);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, c->guard);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int failed =
        posix_spawnp(&c->pid, words[0], &actions, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed) limit(c->pid);
    return failed;
}

// In the guard: of all that is open only the pipe stays, as standard input. Otherwise files would
// stay locked and readers of what was printed would wait for as long as it lives, and two guards
// that were begun at once would hold each other's pipes and hear nothing.
static bool keep_only(int life)
{
    enum { MOST = 65536 };
    if (dup2(life, STDIN_FILENO) < 0) return false;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 1u, ~0u, 0u) == 0) return true;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > MOST) most = MOST;
    for (int fd = 1; fd < most; fd++) close(fd);
    return true;
}

// In the guard: nothing comes through the pipe, but its end, when nobody holds the other one any
// more. Whoever starts it may have blocked signals, and no signal but that of the group is for it.
_Noreturn static void guard(int life)
{
    char nothing;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    if (setpgid(0, 0) != 0 || !keep_only(life)) _exit(1);
    while (read(STDIN_FILENO, &nothing, 1) < 0 && errno == EINTR) continue;
    kill(0, SIGTERM); // it removes its temporary files
    poll(NULL, 0, 500);
    kill(0, SIGKILL);
    _exit(1);
}

static int begin_guard(foi_compiler *c)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    c->guard = fork();
    if (c->guard == 0) guard(ends[0]);
    int failed = c->guard < 0 ? errno : 0;
    close(ends[0]);
    c->life = ends[1];
    if (failed) close(ends[1]);
    if (!failed) setpgid(c->guard, c->guard); // whichever of both comes first
    return failed;
}

int foi_compiler_start(const char **words, const char *said, foi_compiler *c)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    int failed = begin_guard(c);
    if (failed) return failed;
    failed = ENOENT;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && failed == ENOENT; i++)
        words[0] = names[i], failed = spawn(words, said, c);
    if (failed) foi_compiler_end(c);
    return failed;
}

void foi_compiler_stop(const foi_compiler *c)
{
    kill(-c->guard, SIGTERM);
}

void foi_compiler_end(foi_compiler *c)
{
    close(c->life);
    kill(-c->guard, SIGKILL); // another process of ours may hold the pipe for a moment
    while (waitpid(c->guard, NULL, 0) < 0 && errno == EINTR) continue;
}

int foi_compiler_wait(foi_compiler *c)
{
    int result = 0;
    pid_t got;
    while ((got = waitpid(c->pid, &result, 0)) < 0 && errno == EINTR) continue;
    foi_compiler_end(c);
    return got < 0 ? -1 : result;
}

#endif
