// Every command, with every call of the system that can fail failing once and from there on, with a
// signal before every call, and killed before every call that changes a file.
//
//   inject FOLIOT LIBRARY [MOST [COMMAND [KIND]]]
//
// LIBRARY is faults.c. MOST is how many places of a kind are tried for a command, spread over all
// of them; 0: each, but of a command with very many allocations only a part of those. COMMAND: only
// those that contain the text. KIND: only such faults, "malloc", "signal" or "save".
//
// Whatever happens: no crash and no hang; an end with an error says why; files of rows end after
// whole lines; what was a checkpoint still is one; and where the status is 0 the files have the
// bytes of the run in which nothing failed, and so has what it prints, unless it says something. A
// signal ends the command within a second.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { WORDS = 24, FILES = 4, LARGEST = 1 << 22 };

typedef struct trial {
    const char *line;         ///< its arguments
    const char *files[FILES]; ///< that it writes; "*.csv" and the like have rows
    const char *input;        ///< file on standard input; NULL: nothing
    bool keeps;               ///< it writes the checkpoint "point"
    bool signals;             ///< also with signals and kills where only some places are tried
    bool loose;               ///< its files hold times: they are not compared
    bool ranks;               ///< two, by mpirun; the first one fails
    bool ours;                ///< libraries of others are left alone
    bool becomes;             ///< it becomes another program, which is tried
    bool prints;              ///< the same bytes on standard output each time
    bool talks;               ///< it is a desk: answers are the same or errors
    bool screen;              ///< on a terminal of 100 columns
    const char *beside;       ///< what runs beside it
    const char *awaits;       ///< a file that is there when that has begun; otherwise 0.3 s
    double serves;            ///< seconds after which it is asked to end; 0: it ends by itself
    const char *again;        ///< keeps: goes on from the checkpoint
    long part;                ///< of the places that are tried otherwise; 0: all
    long apart;               ///< where all are tried: only each so many-th allocation; 0: each
} trial;

static const trial trials[] = {
    {"check small.mo", .prints = true},
    {"check pen.json", .prints = true},
    {"show small.mo", .prints = true},
    {"show small.mo --c", .prints = true},
    {"show small.mo --json", .prints = true, .part = 4},
    {"show pen.json --json", .prints = true, .part = 4},
    {"show small.mo --equations", .prints = true, .part = 8},
    {"run small.mo --program bytecode --quiet --output rows.csv --events acts.csv",
     {"rows.csv", "acts.csv"},
     .signals = true},
    {"run ball --quiet --output rows.csv --checkpoint point --every 1",
     {"rows.csv"},
     .keeps = true,
     .signals = true,
     .again = "run ball --quiet --output rows.csv --restart point --checkpoint point"},
    {"run ball --plot --ascii --gnuplot curve", {"curve.dat", "curve.gp", "curve.png"}},
    {"run wave-1d --quiet --stop 1 --plot --ascii", .prints = true},
    {"run wave-1d --stop 1 --plot", .screen = true, .part = 2},
    {"live wave-1d --speed 10 --stop 1", .screen = true, .part = 2},
    {"run ball --quiet --output rows.csv --events-in taps", {"rows.csv"}},
    {"run small.mo --native --quiet --output rows.csv", {"rows.csv"}, .signals = true},
    {"run pen.json --quiet --program bytecode --output rows.csv",
     {"rows.csv", "pen.txt", "pen.dat"},
     .signals = true},
    {"run mass-on-a-spring --quiet --output rows.csv", {"rows.csv"}},
    {"run wave-1d --quiet --stop 2 --output rows.csv", {"rows.csv"}},
    {"run mm1 --quiet --stop 100 --replications 4 --threads 1 --output runs.csv",
     {"runs.csv"},
     .signals = true},
    {"run mm1 --quiet --stop 50 --events acts.jsonl", {"acts.jsonl"}},
    {"run ball --quiet --share faults"},
    {"live pendulum --plain --quiet --speed 100 --stop 2 --record taken",
     {"taken"},
     .signals = true,
     .loose = true},
    {"live --replay kept --quiet --output rows.csv", {"rows.csv"}},
    {"export mass-on-a-spring --document --output made.json", {"made.json"}, .signals = true},
    {"export mass-on-a-spring --matrix", .prints = true},
    {"models", .apart = 16},
    {"nodes", .prints = true},
    {"solvers", .prints = true},
    {"help run", .prints = true},
    {"desk", .input = "talk", .signals = true, .talks = true},
    {"lsp", .input = "letters", .signals = true},
    {"watch nothing --once"},
    {"run ball --quiet --output rows.mat", {"rows.mat"}, .signals = true},
    {"run ball --quiet --output rows.json", {"rows.json"}, .signals = true},
    {"run driven.mo --quiet --input drive.csv --output rows.csv", {"rows.csv"}},
    {"compare drive.csv kept.csv", .prints = true},
    {"sweep small.mo --vary c=1:2:4 --measure max(x) --threads 1 --quiet --output table.csv",
     {"table.csv"},
     .signals = true},
    {"sweep small.mo --vary c=1:2:4 --measure max(x) --threads 2 --quiet --output table.csv",
     {"table.csv"},
     .part = 2},
    {"fit small.mo --data measured.csv --adjust c=0..4 --quiet", .signals = true, .part = 2},
    {"steady lorenz --starts 4 --quiet --output table.csv", {"table.csv"}, .signals = true},
    {"linearize driven.mo --quiet --inputs u --outputs x --bode table.csv",
     {"table.csv"},
     .signals = true},
    {"optimize small.mo --adjust c=0..4 --minimize final(x) --quiet --output table.csv",
     {"table.csv"},
     .signals = true,
     .part = 2},
    {"sensitivity small.mo --to c --measure final(x) --quiet", .part = 2},
    {"export small.mo --fmu made.fmu", {"made.fmu"}, .signals = true, .part = 2},
    {"run kept.fmu --quiet --output rows.csv", {"rows.csv"}, .signals = true},
    {"run kept.fmu --type cs --in-process --quiet --output rows.csv", {"rows.csv"}, .part = 2},
    {"cluster slots.field.json --nodes 2 --stop 0.02 --patience 1 --quiet --output probes.csv",
     {"probes.csv"},
     .signals = true,
     .loose = true,
     .part = 4},
    {"cluster slots.field.json --nodes 1 --parts 1x1 --node 0 --master 127.0.0.1:47613 --patience "
     "1 --quiet",
     .beside = "cluster slots.field.json --nodes 1 --parts 1x1 --by-hand --listen 127.0.0.1:47613 "
               "--stop 0.02 "
               "--patience 1 --joining 3 --quiet",
     .part = 4},
    {"study study.json", {"table.csv"}, .signals = true, .part = 4},
    {"sweep small.mo --vary c=1:2:2 --measure max(x) --threads 1 --quiet --traces traces",
     {"traces/000001.csv", "traces/000002.csv"},
     .signals = true,
     .part = 4},
    {"sweep small.mo --vary c=1:2:4 --measure max(x) --threads 1 --quiet --parallel lines.svg",
     {"lines.svg"},
     .part = 4},
    {"run own.c --quiet --output rows.csv", {"rows.csv"}, .signals = true, .part = 4},
    {"run small.mo --quiet --output -", .prints = true, .part = 4},
    {"compare kept.mat kept2.csv", .prints = true, .part = 4},
    {"help --complete -- run --s", .prints = true, .part = 4},
    {"export mass-on-a-spring --hamiltonian --output made.txt", {"made.txt"}, .part = 4},
    {"live pendulum --plain --quiet --speed 100 --stop 2 --socket door", .signals = true,
     .part = 4},
    {"watch faultw --once", .beside = "live pendulum --plain --quiet --stop 1.2 --share faultw",
     .awaits = "/dev/shm/foliot-faultw", .part = 8},
    {"studio --port 0 .", .serves = 0.4, .ours = true, .becomes = true, .part = 4},
    {"run wave-1d --quiet --stop 2 --output waves.csv --checkpoint point --every 1 --patience 5",
     {"waves.csv"},
     .keeps = true,
     .ranks = true,
     .ours = true,
     .again = "run wave-1d --quiet --stop 2 --output rest.csv --restart point --patience 5",
     .part = 8},
};

// What a page and an editor send, and a field for two nodes.
static const char talk[] =
    "{\"id\": 1, \"do\": \"hello\"}\n"
    "{\"id\": 2, \"do\": \"open\", \"name\": \"a.mo\", \"text\": \"model a Real x(start = 1), y; "
    "equation der(x) = -y; y = 2 * x; end a;\"}\n"
    "{\"id\": 3, \"do\": \"view\", \"doc\": 1, \"view\": \"sorted\"}\n"
    "{\"id\": 4, \"do\": \"view\", \"doc\": 1, \"view\": \"c\"}\n"
    "{\"id\": 5, \"do\": \"live\", \"doc\": 1, \"clock\": 0, \"record\": true}\n"
    "{\"id\": 6, \"do\": \"frame\", \"live\": 2, \"clock\": 1000000, \"signals\": [0]}\n"
    "{\"id\": 7, \"do\": \"tell\", \"live\": 2, \"line\": \"0.05 set x 3\"}\n"
    "{\"id\": 8, \"do\": \"frame\", \"live\": 2, \"clock\": 90000000, \"signals\": [0]}\n"
    "{\"id\": 9, \"do\": \"record\", \"live\": 2}\n"
    "{\"id\": 10, \"do\": \"describe\", \"doc\": 1}\n"
    "no message\n";
enum { TALK = 10 };
static const char letters[] =
    "Content-Length: 65\r\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"initialize\", \"params\""
    ": {}, \"id\": 1}Content-Length: 174\r\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"textDo"
    "cument/didOpen\", \"params\": {\"textDocument\": {\"uri\": \"file:///a.mo\", \"version"
    "\": 1, \"text\": \"model a Real x; equation der(x) = 1; end a;\"}}}Content-Length: 154"
    "\r\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"textDocument/hover\", \"params\": {\"text"
    "Document\": {\"uri\": \"file:///a.mo\"}, \"position\": {\"line\": 0, \"character\": 14"
    "}}, \"id\": 2}Content-Length: 171\r\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"textDocu"
    "ment/rename\", \"params\": {\"textDocument\": {\"uri\": \"file:///a.mo\"}, \"position\""
    ": {\"line\": 0, \"character\": 14}, \"newName\": \"z\"}, \"id\": 3}Content-Length: 65\r"
    "\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"shutdown\", \"params\": null, \"id\": 4}Con"
    "tent-Length: 52\r\n\r\n{\"jsonrpc\": \"2.0\", \"method\": \"exit\", \"params\": null}";
static const char slots[] =
    "{\"field\": \"wave\", \"name\": \"slots\", \"size\": [10, 10], \"length\": [100, 100],"
    " \"c\": 10, \"b1\": 0.2, \"b2\": 0.2, \"points\": [{\"name\": \"corner\", \"node\": [0"
    ", 1], \"hold\": true, \"signal\": {\"sine\": {\"amplitude\": 1, \"omega\": 2}}}], \"pr"
    "obes\": [{\"node\": [3, 2]}], \"method\": \"euler\", \"run\": {\"stop\": 1, \"step\": "
    "0.001, \"interval\": 0.1}, \"cluster\": {\"period\": 0.004, \"slot\": 0.0005, \"steps\""
    ": 4, \"parts\": [1, 2], \"bridge\": \"hold\"}}";

static const char own[] =
    "#include <foliot/foliot.h>\n"
    "static fo_status rates(const void *model, const fo_state *s, double t, const double *x, "
    "double *dx)\n"
    "{\n"
    "    (void)model, (void)t;\n"
    "    dx[0] = x[1], dx[1] = -s->p[0];\n"
    "    return FO_OK;\n"
    "}\n"
    "static const fo_system_type type = {.kind = \"C\", .rates = rates};\n"
    "static const fo_description about = {.name = \"fall\",\n"
    "                                     .states = FO_VARIABLES({\"h\", \"m\", 10}, {\"v\", "
    "\"m/s\"}),\n"
    "                                     .parameters = FO_VARIABLES({\"g\", \"m/s^2\", 10})};\n"
    "static const fo_compiled_model fall = {.system = {&type, &about, NULL},\n"
    "                                       .stop = 1, .interval = 0.5};\n"
    "FO_EXPORT_SYSTEM(fall);\n";

static const char *foliot, *library, *only_kind = "";
static char folder[64];
static int checks, failures;

// ------------------------------------------------------------------------------------------ files

static char *slurp(const char *path, size_t *count)
{
    static char pool[4][LARGEST];
    static int turn;
    char *text = pool[turn++ % 4];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, LARGEST - 1) : -1;
    if (fd >= 0) close(fd);
    *count = n > 0 ? (size_t)n : 0;
    text[*count] = 0;
    return n >= 0 ? text : NULL;
}

static void spill(const char *path, const char *text, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, count, file) != count || fclose(file) != 0) exit(2);
}

static void put(const char *path, const char *text)
{
    spill(path, text, strlen(text));
}

static bool same_files(const char *a, const char *b)
{
    size_t n, m;
    const char *x = slurp(a, &n), *y = slurp(b, &m);
    return x && y && n == m && memcmp(x, y, n) == 0;
}

// Whether the rows of the second, without their header, are the last ones of the first.
static bool ends_with_rows(const char *all, const char *last)
{
    size_t n, m;
    const char *x = slurp(all, &n), *y = slurp(last, &m), *rows = y ? strchr(y, '\n') : NULL;
    if (!x || !rows) return false;
    size_t count = m - (size_t)(rows - y);
    return count <= n && memcmp(x + n - count, rows, count) == 0;
}

static void copy(const char *from, const char *to)
{
    size_t n;
    const char *text = slurp(from, &n);
    if (text) spill(to, text, n);
}

// -------------------------------------------------------------------------------------- one run

typedef struct ending {
    bool exited, hung;
    int status; ///< of the exit, or the signal
    double seconds;
    double usual; ///< what it takes on this machine now, where that was asked; 0: little
    size_t said;  ///< bytes on standard error
} ending;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int screen = -1; // its other side

// What is shown on the screen is read, so that nobody waits for it.
static void watch_screen(void)
{
    char shown[4096];
    while (screen >= 0 && read(screen, shown, sizeof shown) > 0) {
    }
}

// A terminal for the next command; returns its name.
static const char *make_screen(void)
{
    const struct winsize size = {.ws_row = 30, .ws_col = 100};
    if (screen >= 0) close(screen);
    screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (screen < 0 || grantpt(screen) != 0 || unlockpt(screen) != 0) exit(2);
    ioctl(screen, TIOCSWINSZ, &size);
    return ptsname(screen);
}

// Waits for the child; one that takes longer than the limit is killed and has hung.
static void wait_for(pid_t child, double limit, ending *e)
{
    int status = 0;
    double begun = now();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    while (waitpid(child, &status, WNOHANG) == 0) {
        struct timespec piece = {.tv_nsec = 20000000};
        sigtimedwait(&set, NULL, &piece);
        watch_screen();
        if (now() - begun < limit) continue;
        e->hung = true;
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        break;
    }
    e->seconds = now() - begun;
    e->exited = WIFEXITED(status);
    e->status = e->exited ? WEXITSTATUS(status) : WTERMSIG(status);
}

// The words of a text, into a list that has room for them.
static int split(char *text, char **words, int n, int most)
{
    for (char *word = strtok(text, " "); word && n < most - 1; word = strtok(NULL, " "))
        words[n++] = word;
    words[n] = NULL;
    return n;
}

typedef struct command_line {
    char text[2][512], preload[600], wanted[64], counted[600], values[3][600], cache[128];
    char *arguments[WORDS + 24], *variables[16];
} command_line;

static void set_environment(command_line *c, const trial *t, const char *fault, const char *counts)
{
    static const char *const kept[] = {"PATH", "HOME", "LANG"};
    int v = 0;
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(kept[i]);
        snprintf(c->values[i], sizeof c->values[i], "%s=%s", kept[i], value ? value : "");
        c->variables[v++] = c->values[i];
    }
    snprintf(c->cache, sizeof c->cache, "XDG_CACHE_HOME=%s/cache", folder);
    snprintf(c->preload, sizeof c->preload, "LD_PRELOAD=%s", library);
    snprintf(c->wanted, sizeof c->wanted, "FOLIOT_FAULT=%s", fault ? fault : "");
    snprintf(c->counted, sizeof c->counted, "FOLIOT_COUNTS=%s", counts ? counts : "");
    c->variables[v++] = c->cache;
    if (t->screen) c->variables[v++] = "TERM=xterm";
    if (t->ranks) {
        c->variables[v++] = "OMPI_ALLOW_RUN_AS_ROOT=1";
        c->variables[v++] = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
    } else {
        c->variables[v++] = c->preload, c->variables[v++] = c->wanted;
        if (counts) c->variables[v++] = c->counted;
        if (t->ours) c->variables[v++] = "FOLIOT_OURS=1";
        if (t->becomes) c->variables[v++] = "FOLIOT_BECOMES=1";
    }
    c->variables[v] = NULL;
}

// Two ranks, the first with the library.
static void set_ranks(command_line *c, const trial *t, bool counting)
{
    char **a = c->arguments;
    int n = 0;
    static const char *const first[] = {
        "mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "1", "env"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
        a[n++] = (char *)(uintptr_t)first[i];
    a[n++] = c->preload, a[n++] = c->wanted, a[n++] = "FOLIOT_OURS=1";
    if (counting) a[n++] = c->counted;
    for (int i = 0; i < 2; i++) {
        snprintf(c->text[i], sizeof c->text[i], "%s", t->line);
        if (i) a[n++] = ":", a[n++] = "-n", a[n++] = "1";
        a[n++] = (char *)(uintptr_t)foliot;
        n = split(c->text[i], a, n, WORDS + 24);
    }
}

static pid_t start(const trial *t, const char *fault, const char *counts, bool beside)
{
    static command_line c;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    sigset_t none;
    pid_t child;
    set_environment(&c, t, fault, counts);
    c.arguments[0] = (char *)(uintptr_t)foliot;
    snprintf(c.text[0], sizeof c.text[0], "%s", t->line);
    if (t->ranks)
        set_ranks(&c, t, counts != NULL);
    else
        split(c.text[0], c.arguments, 1, WORDS);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, t->input ? t->input : "/dev/null", O_RDONLY, 0);
    if (t->screen)
        posix_spawn_file_actions_addopen(&actions, 1, make_screen(), O_WRONLY | O_NOCTTY, 0);
    else
        posix_spawn_file_actions_addopen(&actions, 1, beside ? ".out2" : ".out",
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, beside ? ".err2" : ".err",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    sigemptyset(&none);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0); // what hangs is ended with all that it started
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    if (posix_spawnp(&child, c.arguments[0], &actions, &how, c.arguments, c.variables) != 0)
        exit(2);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&how);
    return child;
}

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

// Until what runs beside it has begun: at most 10 s, on a busy machine.
static void wait_beside(const trial *t)
{
    struct stat about;
    if (!t->awaits) nap(0.3);
    for (int k = 0; k < 1000 && t->awaits && stat(t->awaits, &about) != 0; k++) nap(0.01);
}

static ending execute(const trial *t, const char *fault, const char *counts)
{
    const trial other = {.line = t->beside};
    pid_t beside = 0;
    ending e = {0}, f = {0};
    if (t->beside) {
        beside = start(&other, NULL, NULL, true);
        wait_beside(t);
    }
    pid_t child = start(t, fault, counts, false);
    if (t->serves > 0) {
        nap(t->serves);
        kill(child, SIGTERM);
    }
    wait_for(child, t->ranks ? 120 : 20, &e);
    if (beside) wait_for(beside, 20, &f);
    if (f.hung) e.hung = true;
    struct stat about;
    if (stat(".err", &about) == 0) e.said = (size_t)about.st_size;
    return e;
}

// ------------------------------------------------------------------------------------- checking

static void fail(const trial *t, const char *fault, const char *what, const ending *e)
{
    size_t n;
    const char *err = slurp(".err", &n);
    failures++;
    printf("FAILED: foliot %s\n    with %s: %s (%s %d, %.2f s); it said: %.300s\n", t->line, fault,
           what, e->exited ? "status" : "signal", e->status, e->seconds, err ? err : "");
}

static void clean(const trial *t)
{
    for (int i = 0; i < FILES && t->files[i]; i++) {
        char fresh[128];
        snprintf(fresh, sizeof fresh, "%s.new", t->files[i]);
        unlink(t->files[i]);
        unlink(fresh);
    }
    unlink("point.new");
    if (t->keeps) copy("point.old", "point");
}

// Where the file of the run in which nothing failed is kept.
static void name_reference(const char *file, char reference[128])
{
    snprintf(reference, 128, "good/%s", file);
    for (char *c = reference + strlen("good/"); *c; c++)
        if (*c == '/') *c = '-';
}

static bool has_rows(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".csv") == 0 || strcmp(dot, ".jsonl") == 0 ||
                   strcmp(dot, ".txt") == 0 || strcmp(dot, ".dat") == 0);
}

// What was being written for a process that was killed is there when the lock of the file is free.
static void settle(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0) flock(fd, LOCK_EX), close(fd);
}

// What is there after anything happened.
static void check_files(const trial *t, const char *fault, const ending *e, bool fine)
{
    for (int i = 0; i < FILES && t->files[i]; i++) {
        char reference[128];
        size_t n;
        name_reference(t->files[i], reference);
        settle(t->files[i]);
        const char *text = slurp(t->files[i], &n);
        if (text && n && has_rows(t->files[i]) && text[n - 1] != '\n')
            fail(t, fault, "a file ends in a part of a row", e);
        if (fine && !t->loose && !same_files(t->files[i], reference))
            fail(t, fault, "status 0, and a file differs", e);
    }
    if (t->keeps && !same_files("point", "point.old")) {        // then it is a whole one
        const char *rows = t->ranks ? "rest.csv" : t->files[0]; // of ranks those after it
        trial again = {t->again, {rows}, .ranks = t->ranks};
        char reference[128];
        name_reference(t->files[0], reference);
        if (t->ranks) unlink(rows); // it would go on with the rows of the last time
        ending then = execute(&again, NULL, NULL);
        if (!then.exited || then.status != 0)
            fail(&again, fault, "the checkpoint is not one", &then);
        else if (!(t->ranks ? ends_with_rows(reference, rows) : same_files(rows, reference)))
            fail(&again, fault, "going on from it gives other rows", &then);
    }
}

// The answer to a message: from its beginning to that of the next thing the desk says.
static const char *find_answer(const char *text, size_t count, int id, size_t *length)
{
    char head[32];
    snprintf(head, sizeof head, "{\"id\": %d, ", id);
    const char *at = memmem(text, count, head, strlen(head));
    if (!at) return NULL;
    size_t left = count - (size_t)(at - text);
    const char *next = memmem(at + 1, left - 1, "{\"id\": ", 7);
    const char *said = memmem(at + 1, left - 1, "{\"on\": ", 7);
    if (said && (!next || said < next)) next = said;
    *length = next ? (size_t)(next - at) : left;
    return at;
}

static int count_errors(const char *text, size_t count)
{
    int errors = 0;
    const char *end = text + count;
    while ((text = memmem(text, (size_t)(end - text), "\"error\"", 7))) text++, errors++;
    return errors;
}

static void check_answers(const trial *t, const char *fault, const ending *e)
{
    size_t n, m;
    const char *good = slurp("good/.out", &n), *out = slurp(".out", &m);
    // it says so, if it cannot say to whom; the last message is an error anyway
    bool lost = out && (memmem(out, m, "no memory", 9) || memmem(out, m, "refuses memory", 14) ||
                        count_errors(out, m) > (good ? count_errors(good, n) : 0));
    for (int id = 1; id <= TALK; id++) {
        size_t a = 0, b = 0;
        const char *wanted = good ? find_answer(good, n, id, &a) : NULL;
        const char *got = out ? find_answer(out, m, id, &b) : NULL;
        if (!wanted || (!got && !lost)) fail(t, fault, "a message has no answer", e);
        if (!wanted || !got || lost) continue; // what comes after one that was lost is another talk
        if (a != b || memcmp(wanted, got, a) != 0) fail(t, fault, "another answer", e);
    }
}

// Servers say it in an answer.
static bool answers_so(const trial *t)
{
    size_t n;
    const char *out = t->input ? slurp(".out", &n) : NULL;
    return out && memmem(out, n, "no memory", 9);
}

// What a command has printed that ended with status 0.
static void check_printed(const trial *t, const char *fault, const ending *e)
{
    if (t->talks && !e->said) check_answers(t, fault, e);
    if (t->prints && !e->said && !same_files(".out", "good/.out"))
        fail(t, fault, "status 0, not a word, and it prints something else", e);
}

static void check_failure(const trial *t, const char *fault, const ending *e)
{
    if (e->exited && e->status == 0) check_printed(t, fault, e);
    checks++;
    if (e->hung) fail(t, fault, "it hangs", e);
    if (!e->exited && !e->hung) fail(t, fault, "it crashed", e);
    if (e->exited && e->status != 0 && !e->said && !answers_so(t))
        fail(t, fault, "it ended without a word", e);
    check_files(t, fault, e, e->exited && e->status == 0);
}

static void check_signal(const trial *t, const char *fault, int number, const ending *e)
{
    checks++;
    bool by_it = !e->exited && e->status == number;
    bool in_order = e->exited && (e->status == 128 + number || e->status == 0);
    if (e->hung || e->seconds > 2 + 2 * e->usual) fail(t, fault, "it does not end soon", e);
    if (!e->hung && !by_it && !in_order) fail(t, fault, "another end than the signal's", e);
    check_files(t, fault, e, e->exited && e->status == 0);
    if (!t->keeps && number == SIGKILL) { // nothing that stays behind is in the way
        ending again;
        for (int i = 0; i < FILES && t->files[i]; i++) unlink(t->files[i]);
        again = execute(t, NULL, NULL);
        if (!again.exited || again.status != 0)
            fail(t, fault, "it does not run afterwards", &again);
        check_files(t, fault, &again, true);
    }
}

// ----------------------------------------------------------------------------------------- places

static long count_of(const char *counts, const char *kind)
{
    size_t n;
    char pattern[32];
    const char *text = slurp(counts, &n);
    snprintf(pattern, sizeof pattern, "%s ", kind);
    const char *at = text ? strstr(text, pattern) : NULL;
    return at ? atol(at + strlen(pattern)) : 0;
}

static void each_place(const trial *t, const char *kind, long count, long most, bool onward,
                       int number)
{
    if (*only_kind && strcmp(only_kind, kind) != 0) return;
    long step = most && count > most ? count / most : 1, each = most < 4 ? most : 4;
    for (long n = 1; n <= count; n += n < each && step > 1 ? 1 : step) {
        char fault[64];
        if (number)
            snprintf(fault, sizeof fault, "%s:%ld:%d", kind, n, number);
        else
            snprintf(fault, sizeof fault, "%s:%ld%s", kind, n, onward ? "+" : "");
        clean(t);
        ending e = execute(t, fault, NULL);
        if (number && !e.hung && e.seconds > 2) { // a busy machine is not what is tried
            clean(t);
            double usual = execute(t, NULL, NULL).seconds;
            clean(t);
            e = execute(t, fault, NULL);
            e.usual = usual;
        }
        if (number)
            check_signal(t, fault, number, &e);
        else
            check_failure(t, fault, &e);
    }
}

// A first checkpoint, which must stay one whatever happens to those after it.
static bool keep_one(const trial *t)
{
    unlink("point");
    ending e = execute(t, NULL, NULL);
    copy("point", "point.old");
    return e.exited && e.status == 0;
}

static void try_all(const trial *t, long most)
{
    static const char *const kinds[] = {"malloc", "open",  "read",      "write", "fsync",
                                        "rename", "close", "ftruncate", "map",   "start"};
    enum { MANY = sizeof kinds / sizeof kinds[0], SOME = 20 };
    int before = failures, made = checks;
    if (most && most <= SOME && t->part) most = (most + t->part - 1) / t->part;
    clean(t);
    if (t->keeps && !keep_one(t)) fail(t, "nothing", "there is no checkpoint", &(ending){0});
    clean(t);
    ending e = execute(t, NULL, NULL); // what it wants is there, the cache is warm
    clean(t);
    unlink("counts");
    e = execute(t, NULL, "counts");
    bool refuses = strncmp(t->line, "watch nothing", 13) == 0;
    if (!e.exited || (e.status != 0) != refuses) {
        fail(t, "nothing", "it does not run", &e);
        return;
    }
    for (int i = 0; i < FILES && t->files[i]; i++) {
        char reference[128];
        name_reference(t->files[i], reference);
        copy(t->files[i], reference);
    }
    copy(".out", "good/.out");
    if (t->talks) check_answers(t, "nothing", &e);
    long numbers[MANY], calls = count_of("counts", "signal"), saves = count_of("counts", "save");
    if (!calls) fail(t, "nothing", "no call of the system was seen", &e);
    for (int i = 0; i < MANY; i++) numbers[i] = count_of("counts", kinds[i]);
    for (int i = 0; i < MANY; i++) {
        bool thin = !most && t->apart && strcmp(kinds[i], "malloc") == 0;
        long some = thin ? (numbers[i] + t->apart - 1) / t->apart : most;
        each_place(t, kinds[i], numbers[i], some, false, 0);
        each_place(t, kinds[i], numbers[i], most ? (most + 3) / 4 : some, true, 0);
    }
    // to ranks signals come from mpirun
    if (t->signals || ((!most || most > SOME) && !t->ranks && !refuses)) {
        each_place(t, "signal", calls, most, false, SIGTERM);
        each_place(t, "signal", calls, most ? (most + 1) / 2 : 0, false, SIGINT);
        each_place(t, "save", saves, most, false, SIGKILL);
        if (!most) each_place(t, "signal", calls, 0, false, SIGKILL);
    }
    printf("%-8s %5d tried, %d failed: foliot %s\n", failures == before ? "fine" : "FAILED",
           checks - made, failures - before, t->line);
    fflush(stdout);
}

// ------------------------------------------------------------------------------------------- main

static void furnish(void)
{
    put("small.mo", "model small\n  parameter Real c = 2;\n  Real x(start = 1), y;\nequation\n"
                    "  der(x) = -c * x + y;\n  der(y) = if x > 0.5 then 1 else -1;\n"
                    "  annotation(experiment(StopTime = 1, Interval = 0.1));\nend small;\n");
    put("pen.json",
        "{\"format\": \"foliot diagram\", \"version\": 1, \"name\": \"d\", \"simulation\": "
        "{\"start\": 0, \"stop\": 2, \"integrator\": \"RK_04\", \"step\": 0.25}, \"nodes\": ["
        "{\"name\": \"one\", \"type\": \"Constant\"}, {\"name\": \"sum\", \"type\": "
        "\"Integrator\"},"
        " {\"name\": \"pen\", \"type\": \"To File\", \"parameters\": {\"File Name\": "
        "\"pen.txt\"}}, {\"name\": \"data\", \"type\": \"To Data File\", \"parameters\": {\"File "
        "Name\": \"pen.dat\"}}], \"lines\": [{\"from\": \"one\", \"to\": \"sum\"}, {\"from\": "
        "\"sum\", \"to\": \"pen\"}, {\"from\": \"sum\", \"to\": \"data\"}]}");
    put("taps", "time,name,value\n0.5,y,1\n1,v,-2\n");
    put("talk", talk);
    put("letters", letters);
    put("driven.mo",
        "model driven\n  input Real u;\n  Real x(start = 1);\nequation\n  der(x) = u - "
        "x;\n  annotation(experiment(StopTime = 1, Interval = 0.1));\nend driven;\n");
    put("drive.csv", "time,u\n0,0\n0.5,1\n0.5,2\n1,2\n");
    put("kept.csv", "time,u\n0,0\n0.5,1\n0.5,2\n1,2\n");
    put("measured.csv", "time,x\n0,1\n0.5,0.5\n1,0.3\n");
    put("slots.field.json", slots);
    put("study.json", "{\"command\": \"sweep\", \"model\": \"small.mo\", \"vary\": {\"c\": "
                      "\"1:2:4\"}, \"measure\": [\"max(x)\"], \"threads\": 1, \"quiet\": true, "
                      "\"output\": \"table.csv\"}");
    put("own.c", own);
    mkdir("good", 0700);
    mkdir("cache", 0700);
    trial live = {"live pendulum --plain --quiet --speed 100 --stop 2 --record kept"};
    trial keep = {"run ball --quiet --stop 10 --output rows.csv --checkpoint point --every 1"};
    trial unit = {"export small.mo --fmu kept.fmu"};
    trial rows = {"run small.mo --quiet --output kept.mat"};
    trial rows2 = {"run small.mo --quiet --output kept2.csv"};
    ending e = execute(&live, NULL, NULL);
    ending f = execute(&keep, NULL, NULL);
    ending g = execute(&unit, NULL, NULL);
    execute(&rows, NULL, NULL);
    execute(&rows2, NULL, NULL);
    if (!e.exited || e.status || !f.exited || f.status || !g.exited || g.status) {
        printf("FAILED: nothing runs here\n");
        failures++;
    }
    copy("point", "point.old");
}

int main(int argc, char **argv)
{
    static char program[4096], preloaded[4096];
    if (argc < 3 || !realpath(argv[1], program) || !realpath(argv[2], preloaded)) return 2;
    long most = argc > 3 ? atol(argv[3]) : 6;
    const char *only = argc > 4 ? argv[4] : "";
    if (argc > 5) only_kind = argv[5];
    foliot = program, library = preloaded;
    snprintf(folder, sizeof folder, "/tmp/foliot-faults-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0) return 2;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    furnish();
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        if (strstr(trials[i].line, only)) try_all(&trials[i], most);
    char remove[128];
    snprintf(remove, sizeof remove, "rm -rf '%s'", folder);
    if (system(remove) != 0) return 2;
    printf("%d passed, %d failed\n", checks - failures, failures);
    return failures != 0;
}
