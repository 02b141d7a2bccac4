// foliot: the program. Finds the command and runs it.
#include <errno.h>
#include <fcntl.h>
#include <foliot/foliot.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/run/ranks.h"

static const command *const commands[] = {&command_run,
                                          &command_live,
                                          &command_cluster,
                                          &command_models,
                                          &command_show,
                                          &command_check,
                                          &command_nodes,
                                          &command_solvers,
                                          &command_export,
                                          &command_watch,
                                          &command_compare,
                                          &command_sweep,
                                          &command_linearize,
                                          &command_steady,
                                          &command_fit,
                                          &command_sensitivity,
                                          &command_optimize,
                                          &command_study,
                                          &command_desk,
                                          &command_lsp,
                                          &command_studio,
                                          &command_help,
                                          NULL};

const command *command_at(size_t index)
{
    return commands[index];
}

const command *command_find(const char *name)
{
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t i = 0; commands[i]; i++) {
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
        foi_nearest_try(&nearest, commands[i]->name);
    }
    complain_usage(NULL, "unknown command '%s'%s", name, foi_nearest_hint(&nearest));
    return NULL;
}

// One write per complaint: what others write at the same time, as mpirun does, cannot cut it.
static void put_complaint(const command *c, const char *format, va_list arguments)
{
    if (ranks_silent()) return;
    char few[512], *text = few;
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(few, sizeof few, format, arguments);
    if (length >= (int)sizeof few && (text = malloc((size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    if (!text) text = few; // no memory: its beginning
    size_t size = FOI_ESCAPE_GROWTH * strlen(text) + 1;
    char *plain = foi_text_is_plain(text, "\n\t") ? NULL : malloc(size);
    if (plain) foi_text_escape(text, "\n\t", plain, size);
    fflush(stdout);
    fprintf(stderr, "foliot%s%s: %s\n", c ? " " : "", c ? c->name : "", plain ? plain : text);
    free(plain);
    if (text != few) free(text);
}

void complain(const command *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_complaint(c, format, arguments);
    va_end(arguments);
}

int complain_usage(const command *c, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_complaint(c, format, arguments);
    va_end(arguments);
    if (ranks_silent()) return EXIT_USAGE;
    fprintf(stderr, "Try 'foliot help%s%s'.\n", c ? " " : "", c ? c->name : "");
    return EXIT_USAGE;
}

static int complain_option(const char *wanted)
{
    foi_nearest nearest = foi_nearest_to(wanted);
    foi_nearest_try(&nearest, "--version");
    foi_nearest_try(&nearest, "--help");
    const char *hint = foi_nearest_hint(&nearest);
    return complain_usage(NULL, "unknown option '%s'%s", wanted,
                          *hint ? hint : "; options of a command stand after it");
}

static int run_command(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "--help";
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("foliot %s\n", fo_version());
        return EXIT_FINE;
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return command_help.run(&command_help, 0, argv);
    if (first[0] == '-') return complain_option(first);
    const command *c = command_find(first);
    return c ? c->run(c, argc - 2, argv + 2) : EXIT_USAGE;
}

// What was printed must have arrived; a reader that has gone (head, less) is no mistake.
static bool output_arrived(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    int error = errno;
    struct stat about;
    if (error == EPIPE || (!error && fstat(STDOUT_FILENO, &about) == 0 && S_ISFIFO(about.st_mode)))
        return true;
    complain(NULL, "writing to standard output failed%s%s", error ? ": " : "",
             error ? strerror(error) : "");
    return false;
}

// The system gives the lowest free descriptor to the next file that is opened: where the program is
// started with a closed standard output, a file of results would be it, and take what is printed.
// So these places are taken first. Standard output is opened for reading: what is printed there is
// lost, and that is noticed and told as for any other output that cannot be written.
static bool fill_standard(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
        if (open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!fill_standard()) return EXIT_FAILED; // no message would arrive
    // Both come back as errors of write, and are reported there.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); // where it is ignored, nobody learns how a child has ended
    fo_overflow_handle();     // a process of a model that falls off its stack is named
    int result;
    if (ranks_enter(argc, argv, &result)) result = run_command(argc, argv);
    if (!output_arrived() && result == EXIT_FINE) result = EXIT_FAILED;
    return result;
}
