// foliot desk, foliot lsp: a desk over standard input and output, for editors and scripts.
#include <errno.h>
#include <foliot/desk.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/model.h"
#include "cli/quantum.h"

typedef struct desk_options {
    bool no_gallery, json, stdio, read_only;
    const char *files;
} desk_options;

#define AT(member) offsetof(desk_options, member)
static const option server_options[] = {
    {"no-gallery", 0, NULL, OPTION_FLAG, AT(no_gallery), "offer no models that come with foliot"},
    {"files", 0, "DIR", OPTION_TEXT, AT(files),
     "diagrams may read the files of this folder, and runs write theirs into it"},
    {"read-only", 0, NULL, OPTION_FLAG, AT(read_only), "runs write no files; with --files"},
    {"json", 0, NULL, OPTION_FLAG, AT(json),
     "accepted as for other commands; the output is always JSON"},
    {NULL},
};
static const option lsp_options[] = {
    {"stdio", 0, NULL, OPTION_FLAG, AT(stdio),
     "accepted because many editors pass it; changes nothing"},
    {"no-gallery", 0, NULL, OPTION_FLAG, AT(no_gallery), "offer no models that come with foliot"},
    {"files", 0, "DIR", OPTION_TEXT, AT(files), "diagrams may use the files of this folder"},
    {"json", 0, NULL, OPTION_FLAG, AT(json),
     "accepted as for other commands; the output is always JSON"},
    {NULL},
};
#undef AT

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/// What is served: a desk or a language server.
typedef struct server {
    fo_desk *desk;
    fo_lsp *lsp;
    bool ended;      ///< no more input
    bool stuck;      ///< what came could not be taken in
    bool passed_out; ///< something was answered since
} server;

static size_t give(const server *s, const char *bytes, size_t count)
{
    return s->desk ? fo_desk_give(s->desk, bytes, count) : fo_lsp_give(s->lsp, bytes, count);
}

static size_t take(const server *s, char *buffer, size_t room)
{
    return s->desk ? fo_desk_take(s->desk, buffer, room) : fo_lsp_take(s->lsp, buffer, room);
}

static fo_desk_state work(const server *s)
{
    enum { UNITS = 50000 };
    quantum_begin();
    fo_desk_state state =
        s->desk ? fo_desk_work(s->desk, now(), UNITS) : fo_lsp_work(s->lsp, UNITS);
    quantum_end();
    return state;
}

static void end_input(server *s)
{
    s->ended = true;
    if (s->desk) fo_desk_end(s->desk);
}

static bool write_all(const char *bytes, size_t count)
{
    while (count) {
        ssize_t n = write(STDOUT_FILENO, bytes, count);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes += n, count -= (size_t)n;
    }
    return true;
}

static bool pass_output(server *s)
{
    static char buffer[1 << 16];
    s->passed_out = false;
    for (size_t count; (count = take(s, buffer, sizeof buffer)); s->passed_out = true)
        if (!write_all(buffer, count)) return false;
    return true;
}

/// Reads what has come; waits for it when there is nothing else to do.
static bool pass_input(server *s, bool wait)
{
    static char buffer[1 << 16];
    static size_t held, from; // bytes that could not be given yet
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (held == from && !s->ended) {
        int ready = poll(&in, 1, wait ? -1 : 0);
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) return true;
        ssize_t n = read(STDIN_FILENO, buffer, sizeof buffer);
        if (n < 0 && errno != EINTR) return false;
        if (n == 0) end_input(s);
        held = n > 0 ? (size_t)n : 0, from = 0;
    }
    size_t given = give(s, buffer + from, held - from);
    s->stuck = held > from && !given;
    from += given;
    return true;
}

// Whether anybody reads the answers: a pipe whose other end was closed says so without a write.
static bool is_heard(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = 0};
    return poll(&out, 1, 0) <= 0 || !(out.revents & (POLLERR | POLLNVAL));
}

static int serve(const command *self, server *s)
{
    fo_desk_state state = FO_DESK_IDLE;
    for (;;) {
        if (!pass_input(s, state == FO_DESK_IDLE)) {
            complain(self, "standard input cannot be read");
            return EXIT_FAILED;
        }
        state = work(s);
        if (!pass_output(s)) {
            bool gone = errno == EPIPE; // nobody listens any more
            if (!gone) complain(self, "standard output cannot be written: %s", strerror(errno));
            return EXIT_FAILED;
        }
        if (s->stuck && state == FO_DESK_IDLE && !s->passed_out) {
            complain(self, "out of memory");
            return EXIT_FAILED;
        }
        bool orderly = false;
        if (s->lsp && fo_lsp_over(s->lsp, &orderly)) {
            if (!orderly) complain(self, "the editor has left without 'shutdown'");
            return orderly ? EXIT_FINE : EXIT_FAILED;
        }
        if (s->ended && state == FO_DESK_IDLE) return EXIT_FINE;
        if (s->ended && !is_heard()) return EXIT_FAILED; // nobody waits for what is left
    }
}

static fo_desk_def definition(const desk_options *o)
{
    fo_desk_def def = fo_default_desk_def();
    fo_model_def model = model_def("");
    if (!o->no_gallery) def.table = model.table, def.folders = model.folders;
    def.libraries = model.libraries;
    def.files = o->files;
    def.write_files = o->files && !o->read_only;
    return def;
}

static int run_server(const command *self, int argc, char **argv, bool lsp)
{
    desk_options o = {0};
    operands rest;
    fo_message why;
    parse_result parsed = options_parse(self, argc, argv, &o, &rest);
    if (parsed != PARSE_FINE) return parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    if (rest.count) return complain_usage(self, "takes no operand, not '%s'", rest.list[0]);
    fo_desk_def def = definition(&o);
    if (lsp) def.documents = 1000; // an editor has as many as the user likes
    server s = {.desk = lsp ? NULL : fo_desk_create(&def, &why),
                .lsp = lsp ? fo_lsp_create(&def, &why) : NULL};
    if (!s.desk && !s.lsp) {
        complain(self, "%s", why.text);
        return EXIT_FAILED;
    }
    quantum_watch(s.desk, s.lsp);
    int status = serve(self, &s);
    // what is in the middle of something long would be carried to its next question
    bool idle = status == EXIT_FINE && !s.lsp;
    if (idle) fo_desk_destroy(s.desk);
    return status;
}

static int run_desk(const command *self, int argc, char **argv)
{
    return run_server(self, argc, argv, false);
}

static int run_lsp(const command *self, int argc, char **argv)
{
    return run_server(self, argc, argv, true);
}

const command command_desk = {
    "desk",
    "",
    "Serve documents, runs and live models by JSON messages, for editors and scripts.",
    server_options,
    "One message of JSON per line on standard input, answers on standard\n"
    "output; docs/protocol.md has them all. At the end of input what was asked\n"
    "is finished, unless nobody reads the output any more.\n",
    run_desk};
const command command_lsp = {
    "lsp",       "",   "Serve an editor: the Language Server Protocol for Modelica (*.mo).",
    lsp_options, NULL, run_lsp};
