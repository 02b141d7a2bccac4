#include "base/compiler.h"

#if defined(__unix__) && !defined(__wasm__)

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/resource.h>

static void limit(pid_t compiler)
{
#ifdef __linux__
    struct rlimit work = {600, 600}; // seconds; what it starts inherits them
    prlimit(compiler, RLIMIT_CPU, &work, NULL);
#else
    (void)compiler;
#endif
}

static int spawn(const char *const *words, const char *said, bool group, pid_t *pid)
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
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | (group ? POSIX_SPAWN_SETPGROUP : 0));
    int failed = posix_spawnp(pid, words[0], &actions, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (!failed) limit(*pid);
    return failed;
}

int foi_compiler_start(const char **words, const char *said, bool group, pid_t *pid)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    int failed = ENOENT;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && failed == ENOENT; i++)
        words[0] = names[i], failed = spawn(words, said, group, pid);
    return failed;
}

#endif
