/// A cluster on this machine for tests: the master here, every node a process of its own.
#ifndef TEST_CLUSTER_GAME_H
#define TEST_CLUSTER_GAME_H

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cluster/slots/master.h"
#include "test.h"

enum { GAME_NODES = 4, GAME_LOG = 20000 };

/// When a node sent what.
typedef struct game_entry {
    uint64_t cycle;
    int64_t time; ///< of the machine's clock
} game_entry;

/// In memory that the processes share.
typedef struct game_node {
    fo_status status;
    fo_message why;
    fo_tdma_figures figures;
    uint32_t entries;
    game_entry log[GAME_LOG];
} game_node;

typedef struct game game;
struct game {
    fo_field *field;
    fo_tdma_def cluster;
    uint32_t nodes, cycles;
    double step;
    const fo_tdma_key *key; ///< NULL: none
    foi_tdma_tamper tamper[GAME_NODES];
    void (*act)(game *g, uint64_t cycle); ///< called by the master's watch; may be NULL
    int acted;
    fo_tdma_master *master;
    pid_t pid[GAME_NODES];
    game_node *node; ///< shared
    fo_status status;
    fo_message why;
    fo_tdma_error errors[8];
};

/// A wave on a sheet, started from a bell, with four probes.
static inline fo_field *game_field(fo_field_method method, uint32_t size)
{
    static const fo_field_point point = {
        .node = {3, 2}, .signal = {.kind = FO_SIGNAL_SINE, .amplitude = 5, .omega = 6}};
    static fo_field_probe probes[4];
    static double start[64 * 64];
    fo_field_def def = fo_default_field_def();
    fo_message why = {0};
    for (uint32_t i = 0; i < 4; i++)
        probes[i].node[0] = 3 + i, probes[i].node[1] = i * (size / 4) + 2;
    for (uint32_t i = 0; i < size * size; i++) {
        double x = (double)(i % size) / size - 0.5, y = (double)(i / size) / size - 0.5;
        start[i] = exp(-20 * (x * x + y * y));
    }
    def.dimensions = 2;
    def.size[0] = def.size[1] = size;
    def.c = 0.5, def.b1 = 0.1;
    def.start = start;
    def.points = &point, def.point_count = 1;
    def.probes = probes, def.probe_count = 4;
    def.method = method;
    fo_field *f = fo_field_create(&def, &why);
    if (!f) test_fail(__FILE__, __LINE__, "%s", why.text);
    return f;
}

static inline game game_make(fo_field *field, uint32_t nodes, uint32_t cycles)
{
    game g = {.field = field,
              .nodes = nodes,
              .cycles = cycles,
              .step = 0.008,
              .cluster = {.period = 0.016, .slot = 0.003, .patience = 2}};
    g.node = mmap(NULL, GAME_NODES * sizeof *g.node, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return g;
}

static inline void game_close(game *g)
{
    fo_tdma_master_destroy(g->master);
    munmap(g->node, GAME_NODES * sizeof *g->node);
    fo_field_destroy(g->field);
}

int __llvm_profile_write_file(void) __attribute__((weak)); // where lines are counted

/// A node's process ends without the end of the test.
static inline void game_leave(void)
{
    if (__llvm_profile_write_file) __llvm_profile_write_file();
    _exit(0);
}

static inline void game_start_node(game *g, uint32_t i)
{
    fo_tdma_node_def def = {.cluster = g->cluster,
                            .step = g->step,
                            .index = i,
                            .nodes = g->nodes,
                            .master = fo_tdma_master_address(g->master),
                            .key = g->key,
                            .joining = 20};
    g->pid[i] = fork();
    if (g->pid[i]) return;
    game_node *n = &g->node[i];
    n->status = foi_tdma_node_run_with(g->field, &def, &g->tamper[i], &n->figures, &n->why);
    game_leave();
}

static inline bool game_watch(void *self, const fo_tdma_master *master, fo_message *why)
{
    game *g = self;
    (void)why;
    if (g->act && fo_tdma_master_started(master)) g->act(g, fo_tdma_master_cycle(master));
    return true;
}

/// Waits for a process, at most some seconds; then it is ended. True when it ended by itself.
static inline bool game_wait(pid_t pid, double seconds)
{
    const struct timespec moment = {0, 2000000};
    int64_t limit = foi_clock_now() + (int64_t)(1e9 * seconds);
    while (waitpid(pid, NULL, WNOHANG) == 0) {
        if (foi_clock_now() > limit) {
            kill(pid, SIGCONT);
            kill(pid, SIGKILL);
            waitpid(pid, NULL, 0);
            return false;
        }
        nanosleep(&moment, NULL);
    }
    return true;
}

/// Makes the master, starts the nodes, runs, waits for all, compares.
static inline void game_play(game *g)
{
    fo_tdma_plan plan = {0};
    g->status = fo_tdma_plan_make(g->field, &g->cluster, g->nodes, g->step, &plan, &g->why);
    fo_tdma_master_def def = {.cluster = g->cluster,
                              .step = g->step,
                              .stop = g->cycles * plan.steps * plan.step,
                              .nodes = g->nodes,
                              .key = g->key,
                              .joining = 20,
                              .watch = game_watch,
                              .self = g};
    fo_tdma_master_destroy(g->master);
    memset(g->node, 0, GAME_NODES * sizeof *g->node);
    g->acted = 0;
    g->master = g->status ? NULL : fo_tdma_master_create(g->field, &def, &g->why);
    if (!g->master) {
        test_fail(__FILE__, __LINE__, "%s", g->why.text);
        return;
    }
    for (uint32_t i = 0; i < g->nodes; i++) game_start_node(g, i);
    g->status = fo_tdma_master_run(g->master, &g->why);
    for (uint32_t i = 0; i < g->nodes; i++) CHECK(game_wait(g->pid[i], 20));
    fo_tdma_master_compare(g->master, g->errors, NULL);
}

static inline uint64_t game_bridged(const game *g)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < g->nodes; i++) sum += g->node[i].figures.bridged;
    return sum;
}

static inline double game_error(const game *g)
{
    double worst = 0;
    for (uint32_t i = 0; i < fo_tdma_master_probes(g->master); i++)
        worst = fmax(worst, g->errors[i].worst);
    return worst;
}

/// The machine may be busy, and priority may not be granted: plays until exactly so many boundaries
/// had to be bridged, each time with a period twice as long. False, and a note: too busy to judge.
static inline bool game_play_clean(game *g, uint64_t bridged)
{
    for (int i = 0; i < 5; i++) {
        game_play(g);
        if (g->status == FO_REACHED && game_bridged(g) == bridged) return true;
        if (g->status != FO_REACHED) test_fail(__FILE__, __LINE__, "%s", g->why.text);
        g->cluster.period *= 2;
        g->cluster.slot *= 2;
    }
    printf("not judged: this machine is too busy to keep slots of %g ms\n",
           0.5e3 * g->cluster.slot);
    return false;
}

static inline void game_send(int fd, const void *bytes, size_t count, const struct sockaddr_in *to)
{
    sendto(fd, bytes, count, 0, (const struct sockaddr *)to, sizeof *to);
}

static inline bool game_halo(const void *bytes, size_t count, foi_tdma_packet *p)
{
    return foi_tdma_decode(bytes, count, p) == FOI_PACKET_GOOD && p->kind == FOI_HALO_VALUES;
}

#endif
