#include "cli/cluster/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/terminal.h"

enum { WORDS = 64, TEXT = 4096 };

uint32_t crew_hosts(const char *hosts)
{
    uint32_t count = hosts && *hosts;
    for (const char *c = hosts ? hosts : ""; *c; c++) count += *c == ',';
    return count;
}

/// Host number i of "a,b,c"; the last one serves all that follow.
static void host_of(const char *hosts, uint32_t i, char *host, size_t size)
{
    const char *comma;
    while (i-- && (comma = strchr(hosts, ','))) hosts = comma + 1;
    snprintf(host, size, "%.*s", (int)strcspn(hosts, ","), hosts);
}

/// The agent's words with {} replaced, then the program's.
static bool build_words(const crew_def *def, uint32_t index, char *room, char **words)
{
    char host[256] = "", *save = NULL, number[16];
    const char *agent = def->agent ? def->agent : "ssh {}";
    size_t count = 0, used = 0;
    if (def->hosts) host_of(def->hosts, index, host, sizeof host);
    char *copy = strdup(agent);
    for (char *word = copy ? strtok_r(copy, " ", &save) : NULL; word && count < WORDS / 2;
         word = strtok_r(NULL, " ", &save)) {
        const char *hole = strstr(word, "{}");
        words[count++] = room + used;
        int length = hole ? snprintf(room + used, TEXT - used, "%.*s%s%s", (int)(hole - word), word,
                                     host, hole + 2)
                          : snprintf(room + used, TEXT - used, "%s", word);
        used += (size_t)length + 1;
        if (used >= TEXT) break;
    }
    free(copy);
    snprintf(number, sizeof number, "%u", index);
    words[count++] = (char *)def->program;
    for (size_t i = 0; def->arguments[i] && count < WORDS - 3; i++)
        words[count++] = def->arguments[i];
    words[count++] = "--node";
    words[count] = used < TEXT ? room + used : NULL;
    if (!words[count] || used + sizeof number > TEXT) return false;
    memcpy(words[count++], number, sizeof number);
    words[count] = NULL;
    return true;
}

/// What a node prints and how its process ends. Ctrl-C reaches the whole group; the master ends
/// the nodes then. A node that is a child of the master ends with it, however that ends.
static int be_node(const crew_def *def, uint32_t index, pid_t master)
{
    char room[TEXT], *words[WORDS + 1];
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    if (def->hosts || def->agent) {
        if (build_words(def, index, room, words)) execvp(words[0], words);
        complain(NULL, "node %u: '%s' could not be started: %s", index, words[0], strerror(errno));
        return 127;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != master) return EXIT_FAILED;
    fo_tdma_node_def node = def->node;
    fo_message why = {0};
    node.index = index;
    fo_status status = fo_tdma_node_run(def->field, &node, NULL, &why);
    if (fo_failed(status)) complain(NULL, "%s", why.text);
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
}

bool crew_start(crew *c, const crew_def *def, fo_message *why)
{
    const pid_t master = getpid();
    fflush(NULL);
    for (uint32_t i = 0; i < def->node.nodes && i < CREW_MOST; i++) {
        pid_t pid = fork();
        if (pid == 0) _exit(be_node(def, i, master));
        if (pid < 0) {
            fo_fail(why, FO_ERROR_INPUT, "node %u could not be started: %s", i, strerror(errno));
            return false;
        }
        c->pid[c->count++] = pid;
    }
    return true;
}

bool crew_alive(crew *c, fo_message *why)
{
    for (uint32_t i = 0; i < c->count; i++) {
        int how;
        if (!c->pid[i] || waitpid(c->pid[i], &how, WNOHANG) != c->pid[i]) continue;
        c->pid[i] = 0;
        if (WIFEXITED(how) && WEXITSTATUS(how) == 0) continue; // it is done
        if (WIFSIGNALED(how))
            fo_fail(why, FO_ERROR_INPUT, "node %u was ended by signal %d (%s)", i, WTERMSIG(how),
                    strsignal(WTERMSIG(how)));
        else
            fo_fail(why, FO_ERROR_INPUT, "node %u ended with status %d", i, WEXITSTATUS(how));
        return false;
    }
    return true;
}

static bool all_ended(crew *c)
{
    bool ended = true;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->pid[i] && waitpid(c->pid[i], NULL, WNOHANG) == c->pid[i]) c->pid[i] = 0;
        ended &= !c->pid[i];
    }
    return ended;
}

static void wait_for(crew *c, double seconds)
{
    const struct timespec moment = {0, 5000000};
    double limit = clock_seconds() + seconds;
    while (!all_ended(c) && clock_seconds() < limit) nanosleep(&moment, NULL);
}

void crew_end(crew *c, double seconds)
{
    static const int signals[] = {SIGTERM, SIGKILL};
    wait_for(c, seconds);
    for (int s = 0; s < 2 && !all_ended(c); s++) {
        for (uint32_t i = 0; i < c->count; i++)
            if (c->pid[i]) {
                kill(c->pid[i], SIGCONT);
                kill(c->pid[i], signals[s]);
            }
        wait_for(c, 1);
    }
}
