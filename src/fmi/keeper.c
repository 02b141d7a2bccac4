/// The process between this program and the one that runs a unit. It runs nothing of the unit's,
/// and has one task: when the unit's process has ended, or is to end, everything that the unit has
/// started ends with it, daemons (fork, setsid, fork) as well.
///
/// It is a "subreaper": whoever among its descendants loses its parent becomes its child. So while
/// there is a descendant there is a child, and children that are killed leave theirs behind as the
/// next ones: who kills all children until there is none has killed all descendants.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmi/unit.h"

enum { MOST_ROUNDS = 10000 };

// The numbers in /proc/self/task/<this>/children. False: there is no such file.
static bool kill_children(void)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t size = read(file, text, sizeof text - 1); // what does not fit is there the next time
    close(file);
    if (size < 0) return false;
    text[size] = 0;
    char *at = text, *end;
    for (long pid = strtol(at, &end, 10); end != at; pid = strtol(at, &end, 10)) {
        bool whole = end < text + size; // a number may be cut at the end
        if (pid > 1 && whole) kill((pid_t)pid, SIGKILL);
        at = end;
    }
    return true;
}

// Ends all descendants; *how is that of `main` when it was among those that have ended.
static void end_all(pid_t main, int *how)
{
    for (int i = 0; i < MOST_ROUNDS; i++) { // a unit that forks faster than that is left
        int status;
        bool known = kill_children();
        pid_t gone = waitpid(-1, &status, known ? 0 : WNOHANG);
        if (gone == main) *how = status;
        if (gone == 0 || (gone < 0 && errno == ECHILD)) return;
    }
}

__attribute__((noreturn)) static void end_as(int how)
{
    if (WIFSIGNALED(how)) {
        sigset_t none;
        signal(WTERMSIG(how), SIG_DFL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        raise(WTERMSIG(how));
    }
    _exit(WIFEXITED(how) ? WEXITSTATUS(how) : 1);
}

void foi_unit_keep(pid_t main)
{
    sigset_t told;
    int how = 0;
    sigemptyset(&told);
    sigaddset(&told, SIGCHLD);
    sigaddset(&told, SIGTERM); // of who has begun it, or because that has died
    for (;;) {
        int number, status;
        sigwait(&told, &number);
        if (number == SIGTERM) break;
        pid_t gone;
        while ((gone = waitpid(-1, &status, WNOHANG)) > 0 && gone != main) {
        }
        if (gone != main) continue;
        how = status;
        break;
    }
    end_all(main, &how);
    end_as(how);
}
