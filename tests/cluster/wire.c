// Listens on the ports of a bridge to which the hosts of a cluster are tied, and checks from the
// kernel's stamps that every packet was on the wire in its sender's slot.
//
//   wire HOST... [--stray]    the hosts are network namespaces, 10.77.0.2, .3, ...; this one is
//                             10.77.0.1. With --stray node 1 is told a wrong slot.
// Exit 0: all slots were kept, 1: they were not, 2: it did not work.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include "game.h"

enum { SEEN = 100000, CYCLES = 150 };

typedef struct sight {
    int64_t time; ///< of the machine's clock
    uint64_t cycle;
    uint16_t sender;
    foi_tdma_kind kind;
} sight;

static sight seen[SEEN];
static size_t seen_count;

static int open_ear(void)
{
    int one = 1, room = 1 << 22,
        fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, htons(ETH_P_ALL));
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    return fd;
}

/// The kernel's stamp on the machine's clock.
static int64_t stamp_of(struct msghdr *m)
{
    struct timespec stamp = {0};
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS)
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    int64_t age = foi_clock_of_day() - ((int64_t)stamp.tv_sec * 1000000000 + stamp.tv_nsec);
    return foi_clock_now() - age;
}

/// What came in from a node over its port, before the bridge takes it; a packet for the bridge
/// itself is seen there once more.
static void hear(int fd, unsigned bridge)
{
    unsigned char bytes[2048];
    char control[256];
    struct sockaddr_ll from;
    struct iovec part = {bytes, sizeof bytes};
    for (;;) {
        struct msghdr m = {&from, sizeof from, &part, 1, control, sizeof control, 0};
        ssize_t count = recvmsg(fd, &m, 0);
        if (count < 0) return;
        size_t head = (size_t)(bytes[0] & 15) * 4 + 8;
        foi_tdma_packet p;
        if (from.sll_pkttype == PACKET_OUTGOING || from.sll_ifindex == (int)bridge) continue;
        if ((size_t)count <= head || bytes[9] != IPPROTO_UDP || seen_count == SEEN) continue;
        if (foi_tdma_decode(bytes + head, (size_t)count - head, &p) != FOI_PACKET_GOOD) continue;
        seen[seen_count++] = (sight){stamp_of(&m), p.cycle, p.sender, p.kind};
    }
}

typedef struct stage {
    int ear;
    unsigned bridge;
} stage;

static bool listen_in(void *self, const fo_tdma_master *master, fo_message *why)
{
    const stage *s = self;
    (void)master, (void)why;
    hear(s->ear, s->bridge);
    return true;
}

static pid_t start_node(const fo_field *field, const fo_tdma_node_def *def, const char *host,
                        uint32_t stray)
{
    char path[256];
    pid_t pid = fork();
    if (pid) return pid;
    foi_tdma_tamper tamper = {.stray = stray, .shift = 5000000000 * def->index};
    fo_message why = {0};
    snprintf(path, sizeof path, "/run/netns/%s", host);
    int there = open(path, O_RDONLY);
    if (there < 0 || setns(there, CLONE_NEWNET) != 0) {
        fprintf(stderr, "wire: cannot go to %s: %s\n", path, strerror(errno));
        _exit(2);
    }
    fo_status status = foi_tdma_node_run_with(field, def, &tamper, NULL, &why);
    if (fo_failed(status)) fprintf(stderr, "wire: %s\n", why.text);
    _exit(fo_failed(status) ? 2 : 0);
}

/// How many of a node's packets were in its slot, and how far the others were out.
static bool judge(const fo_tdma_master *m, uint32_t node)
{
    const fo_tdma_plan *plan = &m->plan;
    uint32_t all = 0, good = 0;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < seen_count; i++) {
        const sight *s = &seen[i];
        bool slotted = s->kind == FOI_HALO_VALUES || s->kind == FOI_REPORT;
        if (s->sender != node || !slotted || s->cycle >= m->cycles) continue;
        int64_t from =
            m->start + (int64_t)s->cycle * plan->period + fo_tdma_slot_start(plan, node + 1);
        int64_t after = s->time - from;
        all++;
        good += after >= -50000 && after < plan->slot - 50000;
        if (after < first) first = after;
        if (after > last) last = after;
    }
    double part = all ? (double)good / all : 0;
    printf(
        "node %u: %u packets on the wire, %.2f %% in its slot of %.3g ms; from %+.1f to %+.1f us "
        "after its start\n",
        node, all, 100 * part, 1e-6 * (double)plan->slot, 1e-3 * (double)first,
        1e-3 * (double)last);
    return all >= CYCLES / 2 && part >= 0.95;
}

int main(int argc, char **argv)
{
    bool stray = argc > 1 && strcmp(argv[argc - 1], "--stray") == 0, good = true;
    uint32_t nodes = (uint32_t)(argc - 1 - stray);
    fo_message why = {0};
    pid_t pid[GAME_NODES];
    stage s = {open_ear(), if_nametoindex("bridge")};
    if (s.ear < 0 || nodes < 2 || nodes > GAME_NODES) return 2;
    fo_tdma_def cluster = {.period = 0.008, .slot = 0.0012};
    fo_field *field = game_field(FO_FIELD_LEAPFROG, 24);
    fo_tdma_master_def def = {.cluster = cluster,
                              .stop = CYCLES * 0.008,
                              .nodes = nodes,
                              .address = "10.77.0.1:0",
                              .open = true, // so that packets can be read here
                              .watch = listen_in,
                              .self = &s};
    fo_tdma_master *m = fo_tdma_master_create(field, &def, &why);
    if (!m) {
        fprintf(stderr, "wire: %s\n", why.text);
        return 2;
    }
    for (uint32_t i = 0; i < nodes; i++) {
        fo_tdma_node_def node = {.cluster = cluster,
                                 .index = i,
                                 .nodes = nodes,
                                 .master = fo_tdma_master_address(m),
                                 .open = true};
        pid[i] = start_node(field, &node, argv[1 + i], i == 1 ? stray : 0);
    }
    fo_status status = fo_tdma_master_run(m, &why);
    hear(s.ear, s.bridge);
    for (uint32_t i = 0; i < nodes; i++) game_wait(pid[i], 5);
    if (status != FO_REACHED) {
        fprintf(stderr, "wire: %s\n", why.text);
        return 2;
    }
    fo_tdma_figures_print(&m->plan, m->figures, stdout);
    for (uint32_t i = 0; i < nodes; i++) good &= judge(m, i);
    fo_tdma_master_destroy(m);
    fo_field_destroy(field);
    return good ? 0 : 1;
}
