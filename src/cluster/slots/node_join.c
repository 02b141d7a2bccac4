// How a node comes into a run: it asks the master until it is welcome, then measures how far the
// master's clock is from its own.
#include <arpa/inet.h>
#include <stdlib.h>
#include <time.h>

#include "cluster/slots/node.h"

enum { EXCHANGES = 24, AGAIN = 50000000, ANSWER = 20000000, LEAD = 300000 }; ///< [ns]

static void ask(foi_tdma_node *n)
{
    foi_tdma_packet p = {.kind = FOI_JOIN};
    foi_tdma_put(&p, foi_tdma_hash(n->field, &n->plan), 8);
    foi_tdma_put(&p, n->plan.nodes, 4);
    foi_tdma_put(&p, n->nonce, 8);
    foi_tdma_put(&p, n->seen_address, 4);
    foi_tdma_put(&p, n->seen_port, 2);
    foi_tdma_send(&n->station, &p, FOI_MASTER, &n->master);
}

/// The master has answered this node's JOIN: from here on only its run counts.
static void take_call(foi_tdma_node *n)
{
    foi_tdma_packet *p = &n->letter.packet;
    uint64_t nonce, address, port;
    if (n->station.run || !p->run || !foi_tdma_take(p, &nonce, 8) || nonce != n->nonce ||
        !foi_tdma_take(p, &address, 4) || !foi_tdma_take(p, &port, 2))
        return;
    n->station.run = p->run;
    n->seen_address = address;
    n->seen_port = port;
    ask(n);
}

/// A run that the clocks can count.
static bool cycles_fit(const foi_tdma_node *n)
{
    return n->cycles >= 1 &&
           n->cycles <= ((uint64_t)1 << (FOI_TIME_BITS - 1)) / (uint64_t)n->plan.period;
}

static bool read_welcome(foi_tdma_node *n)
{
    foi_tdma_packet *p = &n->letter.packet;
    uint64_t address, port;
    if (!n->station.run || !foi_tdma_take(p, &n->cycles, 8) || !cycles_fit(n)) return false;
    for (uint32_t i = 0; i < n->plan.nodes; i++) {
        if (!foi_tdma_take(p, &address, 4) || !foi_tdma_take(p, &port, 2) || !port) return false;
        n->peers[i] = (struct sockaddr_in){.sin_family = AF_INET,
                                           .sin_port = htons((uint16_t)port),
                                           .sin_addr.s_addr = htonl((uint32_t)address)};
    }
    for (uint32_t i = 0; i < n->plan.nodes; i++) foi_tdma_know(&n->station, i, &n->peers[i]);
    foi_tdma_hear_known(&n->station);
    return true;
}

/// What one who was not heard should look at.
static const char *doubt(const foi_tdma_node *n)
{
    return n->station.foreign || n->station.broken
               ? "; packets came that are not this run's: do all have the same key?"
               : "";
}

static fo_status be_welcome(foi_tdma_node *n, int64_t limit, fo_message *why)
{
    for (int64_t now; (now = foi_tdma_now(&n->station)) < limit;) {
        ask(n);
        for (int taken = 0; taken < FOI_TDMA_FLOOD; taken++) {
            fo_message said;
            if (!foi_tdma_receive(&n->station, &n->letter, now + AGAIN)) break;
            if (!foi_tdma_from_master(n)) continue;
            foi_tdma_kind kind = n->letter.packet.kind;
            if (kind == FOI_CALL) take_call(n);
            if (kind == FOI_STOP && foi_tdma_take_stop(n, &said))
                return fo_fail(why, FO_ERROR_UNFIT, "node %u: the master refuses: %s",
                               n->def->index, said.text);
            if (kind == FOI_WELCOME && read_welcome(n)) return FO_OK;
        }
    }
    return fo_fail(why, FO_ERROR_INPUT, "node %u: no welcome from the master at %s within %g s%s",
                   n->def->index, n->def->master, n->def->joining > 0 ? n->def->joining : 10.,
                   doubt(n));
}

static bool exchange(foi_tdma_node *n)
{
    foi_tdma_packet p = {.kind = FOI_PING};
    int64_t t1 = foi_tdma_now(&n->station);
    foi_tdma_put(&p, (uint64_t)t1, 8);
    foi_tdma_send(&n->station, &p, FOI_MASTER, &n->master);
    for (int taken = 0; taken < FOI_TDMA_FLOOD; taken++) {
        if (!foi_tdma_receive(&n->station, &n->letter, t1 + ANSWER)) break;
        foi_tdma_packet *answer = &n->letter.packet;
        int64_t t[3];
        if (answer->kind != FOI_PONG || !foi_tdma_from_master(n)) continue;
        bool good = foi_tdma_take_time(answer, &t[0]) && foi_tdma_take_time(answer, &t[1]) &&
                    foi_tdma_take_time(answer, &t[2]);
        if (!good || t[0] != t1) continue;
        foi_tdma_offset_exchange(&n->clock, t1, t[1], t[2], n->letter.arrived);
        return true;
    }
    return false;
}

// READY goes out again until the first synchronisation has come: one may be lost.
static fo_status be_ready(foi_tdma_node *n, int64_t limit, fo_message *why)
{
    for (int64_t now; (now = foi_tdma_now(&n->station)) < limit;) {
        foi_tdma_packet p = {.kind = FOI_READY};
        foi_tdma_send(&n->station, &p, FOI_MASTER, &n->master);
        for (int taken = 0; taken < FOI_TDMA_FLOOD; taken++) {
            if (!foi_tdma_node_pump(n, now + AGAIN)) break;
            if (n->stopped) {
                if (why) *why = n->reason;
                return FO_STOPPED;
            }
            if (n->started) return FO_OK;
        }
    }
    return fo_fail(why, FO_ERROR_INPUT,
                   "node %u: the master at %s welcomed it, but no synchronisation came",
                   n->def->index, n->def->master);
}

/// The queue that is on the way to all neighbours; none when they do not share it.
static foi_txtime_queue common_queue(const foi_tdma_node *n)
{
    foi_txtime_queue common = {0};
    bool any = false;
    for (int side = 0; side < 6; side++) {
        if (!n->share.box.sides[side]) continue;
        foi_txtime_queue q = foi_txtime_find(&n->peers[n->share.near[side]]);
        bool same = !any || (q.clock == common.clock && q.priority == common.priority &&
                             q.delta == common.delta && q.offload == common.offload);
        if (!q.found || !same) return (foi_txtime_queue){0};
        common = q;
        any = true;
    }
    return any ? common : foi_txtime_find(&n->master);
}

/// The kernel's queue where there is one that fits and may be used; otherwise all stays as it is.
static fo_tdma_way choose_way(foi_tdma_node *n)
{
    const fo_tdma_node_def *def = n->def;
    if (def->pacing == FO_TDMA_PACE_PROGRAM) return FO_TDMA_BY_PROGRAM;
    foi_txtime_queue q = common_queue(n);
    bool seen = q.found;
    if (!seen && def->pacing == FO_TDMA_PACE_BEST) return FO_TDMA_BY_PROGRAM;
    if (!seen) q = (foi_txtime_queue){.found = true, .clock = CLOCK_TAI, .priority = -1};
    if (q.delta + n->plan.wire > n->plan.slot) return FO_TDMA_COARSE;
    if (!foi_txtime_open(n->station.fd, &q)) return FO_TDMA_REFUSED;
    n->station.timed = true;
    n->station.queue = q;
    n->lead = def->lead > 0 ? foi_tdma_nanoseconds(def->lead) : q.delta + LEAD;
    if (!seen) return FO_TDMA_BY_TXTIME;
    return q.taprio ? FO_TDMA_BY_TAPRIO : FO_TDMA_BY_ETF;
}

fo_status foi_tdma_join(foi_tdma_node *n, fo_message *why)
{
    double patience = n->def->joining > 0 ? n->def->joining : 10;
    int64_t limit = foi_tdma_now(&n->station) + foi_tdma_nanoseconds(patience);
    fo_status status = be_welcome(n, limit, why);
    if (status) return status;
    for (int tries = 0; n->clock.exchanges < EXCHANGES && tries < 4 * EXCHANGES; tries++)
        exchange(n);
    if (!n->clock.exchanges)
        return fo_fail(why, FO_ERROR_INPUT,
                       "node %u: the master at %s does not answer the clock's exchange",
                       n->def->index, n->def->master);
    n->figures.way = choose_way(n);
    return be_ready(n, limit + n->plan.patience, why);
}
