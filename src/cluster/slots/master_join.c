// How the master takes in its nodes, and what it does with their packets.
#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cluster/slots/master.h"
#include "field/field.h"

enum { LOOK = 20000000, SLICE = 20000000 }; ///< [ns]

/// One that cannot take part is told so, and nobody else: the others go on waiting for the right
/// one. It is remembered for the case that none comes.
static void refuse(fo_tdma_master *m, uint64_t nonce, const char *text)
{
    uint16_t sender = m->letter.packet.sender;
    foi_tdma_master_stop(m, sender, nonce, &m->letter.from, text);
    fo_fail(&m->refusal, FO_ERROR_UNFIT, "node %u was refused: %s", sender, text);
}

static bool all(const fo_tdma_master *m, bool ready)
{
    for (uint32_t i = 0; i < m->plan.nodes; i++)
        if (ready ? !m->members[i].ready : !m->members[i].joined) return false;
    return true;
}

static void welcome(fo_tdma_master *m)
{
    foi_tdma_packet p = {.kind = FOI_WELCOME};
    foi_tdma_put(&p, m->cycles, 8);
    for (uint32_t i = 0; i < m->plan.nodes; i++) {
        foi_tdma_put(&p, ntohl(m->members[i].at.sin_addr.s_addr), 4);
        foi_tdma_put(&p, ntohs(m->members[i].at.sin_port), 2);
    }
    for (uint32_t i = 0; i < m->plan.nodes; i++)
        foi_tdma_send(&m->station, &p, i, &m->members[i].at);
}

/// Tells a node the run, in answer to a JOIN that may be old.
static void call(fo_tdma_master *m, uint64_t nonce)
{
    foi_tdma_packet p = {.kind = FOI_CALL};
    foi_tdma_put(&p, nonce, 8);
    foi_tdma_put(&p, ntohl(m->letter.from.sin_addr.s_addr), 4);
    foi_tdma_put(&p, ntohs(m->letter.from.sin_port), 2);
    foi_tdma_send(&m->station, &p, m->letter.packet.sender, &m->letter.from);
}

// A node's first packets carry no run yet.
static void take_join(fo_tdma_master *m)
{
    foi_tdma_packet *p = &m->letter.packet;
    const struct sockaddr_in *from = &m->letter.from;
    uint64_t hash, nodes, nonce;
    if (!foi_tdma_take(p, &hash, 8) || !foi_tdma_take(p, &nodes, 4) ||
        !foi_tdma_take(p, &nonce, 8)) {
        m->station.broken++;
        return;
    }
    if (!p->run) {
        call(m, nonce);
        return;
    }
    foi_tdma_member *who = p->sender < m->plan.nodes ? &m->members[p->sender] : NULL;
    const char *fault = NULL;
    if (nodes != m->plan.nodes || hash != m->hash)
        fault = "it has another document, schedule or number of nodes than the master";
    else if (!who)
        fault = "there is no such node";
    else if (who->joined && !(foi_tdma_same_address(&who->at, from) && who->nonce == nonce))
        fault = "there is such a node already";
    if (fault) {
        refuse(m, nonce, fault);
        return;
    }
    who->at = *from;
    who->nonce = nonce;
    who->joined = true;
    foi_tdma_know(&m->station, p->sender, from);
    if (all(m, false)) welcome(m);
}

static void answer(fo_tdma_master *m)
{
    foi_tdma_packet p = {.kind = FOI_PONG};
    int64_t t1;
    if (!foi_tdma_take_time(&m->letter.packet, &t1)) {
        m->station.broken++;
        return;
    }
    foi_tdma_put(&p, (uint64_t)t1, 8);
    foi_tdma_put(&p, (uint64_t)m->letter.arrived, 8);
    foi_tdma_put(&p, (uint64_t)foi_tdma_now(&m->station), 8);
    foi_tdma_send(&m->station, &p, m->letter.packet.sender, &m->letter.from);
}

static void take_report(fo_tdma_master *m, foi_tdma_member *who)
{
    foi_tdma_packet *p = &m->letter.packet;
    uint64_t missed, bridged, probe;
    int64_t computing;
    double value;
    bool good = foi_tdma_take_time(p, &computing) && foi_tdma_take(p, &missed, 8) &&
                foi_tdma_take(p, &bridged, 8);
    // nobody misses more deadlines than there are, or bridges more than six sides in each
    if (!good || computing < 0 || p->cycle > m->cycles || missed > m->cycles ||
        bridged > 6 * m->cycles) {
        m->station.broken++;
        return;
    }
    fo_tdma_view *v = &who->view;
    v->cycle = p->cycle;
    v->missed = missed;
    v->bridged = bridged;
    v->usage = (double)computing / (double)m->plan.period;
    who->usage_sum += v->usage;
    v->usage_mean = who->usage_sum / (double)++who->reports;
    v->usage_worst = fmax(v->usage_worst, v->usage);
    double *row = m->rows + p->cycle * m->field->def.probe_count;
    while (foi_tdma_take(p, &probe, 4) && foi_tdma_take_real(p, &value))
        if (probe < m->field->def.probe_count) row[probe] = value;
}

static void take_final(fo_tdma_master *m, foi_tdma_member *who, uint32_t index)
{
    foi_tdma_packet thanks = {.kind = FOI_THANKS};
    fo_tdma_figures figures = {0};
    if (!foi_tdma_take_figures(&m->letter.packet, &figures)) {
        m->station.broken++;
        return;
    }
    m->figures[index] = figures;
    who->finished = true;
    foi_tdma_send(&m->station, &thanks, index, &who->at);
}

// All but JOIN must be of this run and come from where the node has joined.
bool foi_tdma_master_pump(fo_tdma_master *m, int64_t until)
{
    foi_tdma_packet *p = &m->letter.packet;
    if (!foi_tdma_receive(&m->station, &m->letter, until)) return false;
    if (p->kind == FOI_JOIN) {
        if (!m->started) take_join(m);
        return true;
    }
    foi_tdma_member *who = p->sender < m->plan.nodes ? &m->members[p->sender] : NULL;
    if (!who || !who->joined || !foi_tdma_same_address(&who->at, &m->letter.from)) {
        m->station.foreign++;
        return true;
    }
    who->heard = foi_tdma_now(&m->station);
    switch (p->kind) {
    case FOI_PING: answer(m); break;
    case FOI_READY: who->ready = true; break;
    case FOI_REPORT: take_report(m, who); break;
    case FOI_FINAL: take_final(m, who, p->sender); break;
    default: break;
    }
    return true;
}

fo_status foi_tdma_master_watch(fo_tdma_master *m, fo_message *why)
{
    int64_t now = foi_tdma_now(&m->station);
    fo_message said = {0};
    if (!m->def.watch || now - m->watched < LOOK) return FO_OK;
    m->watched = now;
    if (m->def.watch(m->def.self, m, &said)) return FO_OK;
    if (why) *why = said;
    return said.status ? said.status : FO_STOPPED;
}

/// "nodes 0, 2 of 3 have not joined within 10 s"
static fo_status nobody(const fo_tdma_master *m, double patience, fo_message *why)
{
    char list[200] = "";
    for (uint32_t i = 0; i < m->plan.nodes; i++) {
        size_t used = strlen(list);
        if (!m->members[i].ready)
            snprintf(list + used, sizeof list - used, "%s%u", used ? ", " : "", i);
    }
    const char *doubt = m->station.foreign || m->station.broken
                            ? "; packets came that are not this run's: do all have the same key?"
                            : "";
    const char *text = m->refusal.status ? m->refusal.text : "";
    return fo_fail(why, FO_ERROR_INPUT,
                   "of %u nodes these have not joined %s within %g s: %s%s%s%s", m->plan.nodes,
                   m->address, patience, list, *text ? "; " : "", text, doubt);
}

fo_status foi_tdma_master_gather(fo_tdma_master *m, fo_message *why)
{
    double patience = m->def.joining > 0 ? m->def.joining : 10;
    int64_t now = foi_tdma_now(&m->station), limit = now + foi_tdma_nanoseconds(patience);
    while (!all(m, true)) {
        now = foi_tdma_now(&m->station);
        if (now >= limit) return nobody(m, patience, why);
        foi_tdma_master_pump(m, now + SLICE);
        fo_status status = foi_tdma_master_watch(m, why);
        if (status) return status;
    }
    return FO_OK;
}
