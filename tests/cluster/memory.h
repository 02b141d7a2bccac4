/// A cluster in memory: the master and its nodes are coroutines, network and clock are this file's.
/// A session takes milliseconds and is the same every time, and somebody stands between them who
/// sees, keeps, changes, adds and drops packets.
#ifndef TEST_CLUSTER_MEMORY_H
#define TEST_CLUSTER_MEMORY_H

#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/slots/master.h"
#include "process/coroutine.h"

enum { NET_NODES = 2, NET_ACTORS = NET_NODES + 1, NET_MASTER = NET_NODES };
enum { NET_QUEUE = 256, NET_KEPT = 512, NET_STACK = 1 << 20, NET_PORT = 40000, NET_CYCLES = 6 };

typedef struct net net;

typedef struct net_mail {
    unsigned char bytes[FOI_PACKET_MOST + 1];
    size_t count;
    struct sockaddr_in from;
    uint32_t to; ///< actor
} net_mail;

/// The master or a node.
typedef struct net_actor {
    net *net;
    uint32_t index;
    foi_coroutine coroutine;
    foi_stack *stack;
    net_mail *queue; ///< one of the table's
    uint32_t first, count;
    int64_t wake; ///< it sleeps until then
    bool deaf;    ///< and no packet wakes it
    bool done, begun;
    const fo_tdma_key *key;
    fo_status status;
    fo_message why;
    fo_tdma_figures figures;
} net_actor;

struct net {
    int64_t now;
    fo_field *field;
    fo_tdma_def cluster;
    foi_stacks stacks;
    foi_coroutine home;
    net_actor actors[NET_ACTORS];
    fo_tdma_master *master;
    /// Called for every packet in place of handing it over; NULL: it is handed over.
    void (*meddle)(net *n, const net_mail *mail);
    void *self;
    uint64_t added, lost; ///< by who stands between; where a queue was full
    bool endless;         ///< it went on after an hour of its clock
    uint32_t kept_count;
    net_mail kept[NET_KEPT]; ///< all packets that were sent, as far as there is room
    net_mail queues[NET_ACTORS][NET_QUEUE];
};

static inline struct sockaddr_in net_address(uint32_t actor)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)(NET_PORT + actor)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/// Puts a packet into somebody's queue.
static inline void net_deliver(net *n, const net_mail *mail)
{
    net_actor *to = &n->actors[mail->to % NET_ACTORS];
    if (to->count == NET_QUEUE)
        n->lost++;
    else
        to->queue[(to->first + to->count++) % NET_QUEUE] = *mail;
}

/// As somebody who stands between.
static inline void net_add(net *n, const net_mail *mail)
{
    n->added++;
    net_deliver(n, mail);
}

static inline void net_send(void *self, int fd, const void *bytes, size_t count,
                            const struct sockaddr_in *to)
{
    net_actor *a = self;
    net *n = a->net;
    uint32_t actor = (uint32_t)ntohs(to->sin_port) - NET_PORT;
    (void)fd;
    n->now += 1000; // a packet takes a microsecond
    net_mail mail = {.count = count, .from = net_address(a->index), .to = actor};
    memcpy(mail.bytes, bytes, count);
    if (n->kept_count < NET_KEPT) n->kept[n->kept_count++] = mail;
    if (actor >= NET_ACTORS) return; // to nobody here
    if (n->meddle)
        n->meddle(n, &mail);
    else
        net_deliver(n, &mail);
}

static inline void net_sleep(net_actor *a, int64_t until, bool deaf)
{
    a->wake = until;
    a->deaf = deaf;
    foi_coroutine_switch(&a->coroutine, &a->net->home, false);
}

static inline bool net_receive(void *self, int64_t until, void *bytes, size_t *count,
                               struct sockaddr_in *from)
{
    net_actor *a = self;
    if (!a->count && a->net->now < until) net_sleep(a, until, false);
    if (!a->count) return false;
    const net_mail *mail = &a->queue[a->first];
    memcpy(bytes, mail->bytes, mail->count);
    *count = mail->count;
    *from = mail->from;
    a->first = (a->first + 1) % NET_QUEUE;
    a->count--;
    return true;
}

static inline int64_t net_now(void *self)
{
    return ((net_actor *)self)->net->now;
}

static inline void net_wait(void *self, int64_t until)
{
    net_actor *a = self;
    if (a->net->now < until) net_sleep(a, until, true);
}

static inline foi_tdma_wire net_wire(net_actor *a)
{
    return (foi_tdma_wire){a, net_send, net_receive, net_now, net_wait};
}

static inline void net_be(void *argument)
{
    net_actor *a = argument;
    net *n = a->net;
    foi_coroutine_arrive(&n->home, &a->coroutine);
    if (a->index == NET_MASTER) {
        a->status = fo_tdma_master_run(n->master, &a->why);
    } else {
        char master[32];
        snprintf(master, sizeof master, "127.0.0.1:%d", NET_PORT + NET_MASTER);
        fo_tdma_node_def def = {.cluster = n->cluster,
                                .step = 0.004,
                                .index = a->index,
                                .nodes = NET_NODES,
                                .master = master,
                                .key = a->key,
                                .joining = 1,
                                .no_priority = true,
                                .pacing = FO_TDMA_PACE_PROGRAM};
        foi_tdma_tamper tamper = {.wire = net_wire(a)};
        a->status = foi_tdma_node_run_with(n->field, &def, &tamper, &a->figures, &a->why);
    }
    a->done = true;
    foi_coroutine_switch(&a->coroutine, &n->home, true);
}

/// Who runs next: who has mail, else who wakes first. NULL: all are done.
static inline net_actor *net_next(net *n)
{
    net_actor *next = NULL;
    for (uint32_t i = 0; i < NET_ACTORS; i++) {
        net_actor *a = &n->actors[i];
        if (a->done) continue;
        if (a->count && !a->deaf) return a;
        if (!next || a->wake < next->wake) next = a;
    }
    return next;
}

static inline fo_field *net_field(fo_message *why)
{
    static double start[8 * 8];
    static fo_field_probe probes[2] = {{.node = {3, 2}}, {.node = {4, 5}}};
    fo_field_def def = fo_default_field_def();
    for (int i = 0; i < 64; i++)
        start[i] = exp(-0.1 * ((i % 8 - 3) * (i % 8 - 3) + (i / 8 - 3) * (i / 8 - 3)));
    def.dimensions = 2;
    def.size[0] = def.size[1] = 8;
    def.c = 0.5, def.b1 = 0.1;
    def.start = start;
    def.probes = probes, def.probe_count = 2;
    def.method = FO_FIELD_LEAPFROG;
    return fo_field_create(&def, why);
}

/// Makes it; the same key for all, or none. Large, so it is static, and used again.
static inline bool net_open(net *n, const fo_tdma_key *key, fo_message *why)
{
    foi_stacks stacks = n->stacks; // those of the session before
    memset(n, 0, offsetof(net, kept));
    n->stacks = stacks;
    n->now = 1000000000;
    n->cluster = (fo_tdma_def){.period = 0.004, .slot = 0.001, .patience = 0.5};
    n->field = net_field(why);
    for (uint32_t i = 0; i < NET_ACTORS; i++) {
        net_actor *a = &n->actors[i];
        a->net = n, a->index = i, a->key = key, a->queue = n->queues[i];
    }
    fo_tdma_master_def def = {.cluster = n->cluster,
                              .step = 0.004,
                              .stop = NET_CYCLES * 0.004,
                              .nodes = NET_NODES,
                              .key = key,
                              .joining = 1,
                              .no_priority = true};
    foi_tdma_wire wire = net_wire(&n->actors[NET_MASTER]);
    n->master = n->field ? foi_tdma_master_create_with(n->field, &def, &wire, why) : NULL;
    return n->master;
}

/// Lets all of them run to their ends.
static inline bool net_play(net *n)
{
    const int64_t hour = 3600000000000;
    for (uint32_t i = 0; i < NET_ACTORS; i++) {
        net_actor *a = &n->actors[i];
        a->stack = foi_stack_take(&n->stacks, NET_STACK);
        if (!a->stack) return false;
        foi_coroutine_init(&a->coroutine, a->stack, net_be, a);
    }
    for (net_actor *a; (a = net_next(n));) {
        bool mail = a->count && !a->deaf;
        if (!mail && a->wake > n->now) n->now = a->wake;
        n->endless = n->now > hour;
        if (n->endless) return false;
        foi_coroutine_switch(&n->home, &a->coroutine, false);
    }
    return true;
}

static inline void net_close(net *n)
{
    fo_tdma_master_destroy(n->master);
    fo_field_destroy(n->field);
    for (uint32_t i = 0; i < NET_ACTORS; i++) {
        if (n->actors[i].stack) {
            foi_coroutine_end(&n->actors[i].coroutine);
            foi_stack_give_back(&n->stacks, n->actors[i].stack);
        }
    }
}

/// All have come to the end, and the probes have the bits of one machine.
static inline bool net_is_exact(const net *n)
{
    fo_tdma_error errors[2];
    for (uint32_t i = 0; i < NET_ACTORS; i++)
        if (n->actors[i].status != FO_REACHED) return false;
    if (fo_tdma_master_compare(n->master, errors, NULL)) return false;
    for (int i = 0; i < 2; i++)
        if (errors[i].missing || !(errors[i].worst <= 0) || !(errors[i].largest > 0)) return false;
    return true;
}

/// Texts of others have no control characters.
static inline bool net_is_clean(const net *n)
{
    for (uint32_t i = 0; i < NET_ACTORS; i++)
        for (const char *c = n->actors[i].why.text; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 0x7f) return false;
    return true;
}

// ---------------------------------------------------------------------------- who stands between

/// Bytes that say what to do; when they are used up, nothing more happens.
typedef struct net_bytes {
    const uint8_t *at;
    size_t left;
    bool drops;   ///< packets may be lost, too
    bool knowing; ///< who stands between can make packets with a right checksum
} net_bytes;

static inline uint32_t net_byte(net_bytes *b)
{
    if (!b->left) return 0;
    b->left--;
    return *b->at++;
}

static inline uint64_t net_number(net_bytes *b)
{
    static const uint64_t special[] = {0,          1,          UINT64_MAX,      (uint64_t)INT64_MAX,
                                       1ull << 63, 1ull << 60, 0xffffffff,      1ull << 59,
                                       NET_CYCLES, 1000000000, 0x7ff0ull << 48, 0x7ff8ull << 48};
    uint32_t which = net_byte(b);
    if (which < sizeof special / sizeof special[0]) return special[which];
    return (uint64_t)net_byte(b) << (which % 57);
}

/// A packet with one of its parts changed and a right checksum.
static inline void net_change(net_bytes *b, net_mail *mail)
{
    foi_tdma_packet p;
    if (foi_tdma_decode(mail->bytes, mail->count, &p) != FOI_PACKET_GOOD) return;
    uint64_t number = 0;
    uint32_t what = net_byte(b) % 10, at;
    if (what) number = net_number(b);
    switch (what) {
    case 0: p.kind = (foi_tdma_kind)(net_byte(b) % 16); break;
    case 1: p.sender = (uint16_t)number; break;
    case 2: p.side = (uint16_t)number; break;
    case 3: p.piece = (uint16_t)number; break;
    case 4: p.pieces = (uint16_t)number; break;
    case 5: p.cycle = number; break;
    case 6: p.run = number; break;
    case 7: p.length = (uint16_t)(number % (FOI_PACKET_ROOM + 1)); break;
    default: // a number of the payload
        at = 4 * (net_byte(b) % 44);
        for (uint32_t i = 0; i < 8 && at + i < p.length; i++)
            p.payload[at + i] = (unsigned char)(number >> (56 - 8 * i));
    }
    mail->count = foi_tdma_encode(&p, mail->bytes);
}

/// Does one thing with a packet and those before it, as the bytes say.
static inline void net_meddle(net *n, const net_mail *mail)
{
    net_bytes *b = n->self;
    uint32_t what = net_byte(b);
    net_mail other = *mail;
    if (!(b->drops && what % 16 == 9)) net_deliver(n, mail);
    if (!what) return;
    if (n->kept_count && what & 128) other = n->kept[net_byte(b) % n->kept_count];
    if (what & 64) other.to = net_byte(b) % NET_ACTORS;
    if (what & 32) other.from = net_address(net_byte(b) % (NET_ACTORS + 1));
    switch (what % 16) {
    case 1: other.to = ntohs(other.from.sin_port) - NET_PORT; break; // back
    case 2:
        other.bytes[net_byte(b) * 7 % (other.count + 1)] ^= (unsigned char)(1 << what % 8);
        break;
    case 3: other.count = net_byte(b) * 6 % sizeof other.bytes; break; // shorter or longer
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
        if (b->knowing) net_change(b, &other);
        break;
    default: break; // once more
    }
    if (other.to < NET_ACTORS) net_add(n, &other);
}

#endif
