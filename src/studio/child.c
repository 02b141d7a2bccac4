// The process of a desk: `foliot desk` between two pipes.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "studio/studio.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static void limit(int resource, rlim_t most)
{
    struct rlimit l = {most, most};
    setrlimit(resource, &l); // a lower one that is there already stays
}

// The desk counts its memory itself (1 GB); this is the wall behind it.
static void confine(void)
{
#ifndef SANITIZED
    limit(RLIMIT_AS, (rlim_t)4 << 30);
#endif
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_NOFILE, 64);
}

static _Noreturn void become_desk(const char *program, int in, int out, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // it has gone already
    signal(SIGINT, SIG_IGN);             // the server ends it
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(127);
    confine();
    execl(program, program, "desk", "--files", ".", "--read-only", (char *)NULL);
    _exit(127);
}

bool desk_child_start(desk_child *c, const char *program)
{
    int in[2], out[2];
    *c = (desk_child){.pid = -1, .in = -1, .out = -1};
    if (pipe2(in, O_CLOEXEC) != 0) return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]), close(in[1]);
        return false;
    }
    pid_t self = getpid();
    c->pid = fork();
    if (c->pid == 0) become_desk(program, in[0], out[1], self);
    close(in[0]), close(out[1]);
    c->in = in[1], c->out = out[0];
    bool good = c->pid > 0 && fcntl(c->in, F_SETFL, O_NONBLOCK) == 0 &&
                fcntl(c->out, F_SETFL, O_NONBLOCK) == 0;
    if (good) return true;
    int error = errno;
    close(c->in), close(c->out);
    desk_child_end(c);
    errno = error;
    return false;
}

void desk_child_end(desk_child *c)
{
    if (c->pid <= 0) return;
    kill(c->pid, SIGKILL);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    c->pid = -1;
}
