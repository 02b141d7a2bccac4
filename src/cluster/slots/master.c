// The master: it takes in the nodes, gives every cycle its start, and ends the run when a node has
// fallen silent.
#include "cluster/slots/master.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "field/field.h"

enum { PRIORITY = 51, REPEAT = 3 };
enum { LEAD = 50000000, SLICE = 20000000 }; ///< before the first cycle; between two looks [ns]

// ----------------------------------------------------------------------------------------- making

static fo_status open_station(fo_tdma_master *m, fo_message *why)
{
    struct sockaddr_in at;
    socklen_t size = sizeof at;
    char host[INET_ADDRSTRLEN];
    const char *wanted = m->def.address ? m->def.address : "127.0.0.1:0";
    fo_status status = foi_tdma_address(wanted, &at, why);
    if (!status) status = foi_tdma_admit(&at, m->def.key, m->def.open, why);
    if (!status) status = foi_tdma_open(&m->station, &at, why);
    if (status || m->station.fd < 0) return status;
    getsockname(m->station.fd, (struct sockaddr *)&at, &size);
    inet_ntop(AF_INET, &at.sin_addr, host, sizeof host);
    snprintf(m->address, sizeof m->address, "%s:%u", host, ntohs(at.sin_port));
    return FO_OK;
}

static fo_status make_rows(fo_tdma_master *m, fo_message *why)
{
    const fo_allocator *a = m->def.allocator;
    size_t count = (size_t)(m->cycles + 1) * m->field->def.probe_count;
    m->members = foi_new(a, m->plan.nodes, sizeof *m->members);
    m->figures = foi_new(a, m->plan.nodes, sizeof *m->figures);
    m->rows = foi_new(a, count, sizeof *m->rows);
    if (!m->members || !m->figures || !m->rows)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for %llu cycles of %u probes",
                       (unsigned long long)m->cycles, m->field->def.probe_count);
    for (size_t i = 0; i < count; i++) m->rows[i] = NAN;
    return FO_OK;
}

static fo_status build(fo_tdma_master *m, fo_message *why)
{
    const fo_tdma_master_def *def = &m->def;
    fo_tdma_plan *plan = &m->plan;
    fo_status status = fo_tdma_plan_make(m->field, &def->cluster, def->nodes, def->step, plan, why);
    if (status) return status;
    double cycles = ceil(def->stop / (plan->step * plan->steps) - 1e-9);
    double most = fmin(1e9, 0x1p59 / (double)plan->period); // times in nanoseconds are numbers
    if (!(cycles >= 1 && cycles <= most))
        return fo_fail(
            why, FO_ERROR_ARGUMENT,
            "to simulate %g s takes %.3g cycles of %g s; there must be at least 1 and at "
            "most %.3g",
            def->stop, cycles, plan->step * plan->steps, most);
    m->cycles = (uint64_t)cycles;
    m->hash = foi_tdma_hash(m->field, plan);
    m->station.self = FOI_MASTER;
    m->station.key = def->key;
    m->station.run = foi_tdma_chance(&m->station);
    status = make_rows(m, why);
    return status ? status : open_station(m, why);
}

fo_tdma_master_def fo_default_tdma_master_def(void)
{
    return (fo_tdma_master_def){
        .cluster = fo_default_tdma_def(), .nodes = 1, .address = "127.0.0.1:0", .joining = 10};
}

fo_tdma_master *fo_tdma_master_create(const fo_field *field, const fo_tdma_master_def *def,
                                      fo_message *why)
{
    return foi_tdma_master_create_with(field, def, NULL, why);
}

fo_tdma_master *foi_tdma_master_create_with(const fo_field *field, const fo_tdma_master_def *def,
                                            const foi_tdma_wire *wire, fo_message *why)
{
    fo_tdma_master *m = foi_new(def->allocator, 1, sizeof *m);
    if (!m) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for the master of a cluster");
        return NULL;
    }
    m->field = field;
    m->def = *def;
    m->station.fd = -1;
    if (wire) m->station.wire = *wire;
    if (!build(m, why)) return m;
    fo_tdma_master_destroy(m);
    return NULL;
}

void fo_tdma_master_destroy(fo_tdma_master *m)
{
    if (!m) return;
    const fo_allocator *a = m->def.allocator;
    foi_tdma_close(&m->station);
    foi_free(a, m->members);
    foi_free(a, m->figures);
    foi_free(a, m->rows);
    foi_free(a, m);
}

// ---------------------------------------------------------------------------------------- running

static void synchronise(fo_tdma_master *m, int64_t begun)
{
    for (uint32_t i = 0; i < m->plan.nodes; i++) {
        foi_tdma_packet p = {.kind = FOI_SYNC, .cycle = m->cycle};
        foi_tdma_put(&p, (uint64_t)begun, 8);
        foi_tdma_put(&p, (uint64_t)foi_tdma_now(&m->station), 8);
        foi_tdma_send(&m->station, &p, i, &m->members[i].at);
    }
}

void foi_tdma_master_stop(fo_tdma_master *m, uint32_t node, uint64_t nonce,
                          const struct sockaddr_in *to, const char *text)
{
    foi_tdma_packet p = {.kind = FOI_STOP};
    foi_tdma_put(&p, nonce, 8);
    foi_tdma_put_text(&p, text);
    foi_tdma_send(&m->station, &p, node, to);
}

/// Ends the run on all nodes that still hear.
static void stop_all(fo_tdma_master *m, const char *text)
{
    for (int again = 0; again < REPEAT; again++)
        for (uint32_t i = 0; i < m->plan.nodes; i++) {
            const foi_tdma_member *who = &m->members[i];
            if (who->joined) foi_tdma_master_stop(m, i, who->nonce, &who->at, text);
        }
}

/// Takes packets until the time has come.
static void drain(fo_tdma_master *m, int64_t until)
{
    for (int taken = 0; taken < FOI_TDMA_FLOOD; taken++)
        if (!foi_tdma_master_pump(m, until)) break;
}

/// The same in slices: a period may be long, and whoever ends the run does not wait for it.
static fo_status drain_watching(fo_tdma_master *m, int64_t until, fo_message *why)
{
    for (;;) {
        int64_t next = foi_tdma_now(&m->station) + SLICE;
        drain(m, next < until ? next : until);
        if (next >= until) return FO_OK;
        fo_status status = foi_tdma_master_watch(m, why);
        if (status) return status;
    }
}

static fo_status check_silence(const fo_tdma_master *m, int64_t now, fo_message *why)
{
    for (uint32_t i = 0; i < m->plan.nodes; i++) {
        const foi_tdma_member *who = &m->members[i];
        if (who->finished || now - who->heard <= m->plan.patience) continue;
        return fo_fail(why, FO_ERROR_INPUT, "node %u is silent since cycle %llu, for %.3g s", i,
                       (unsigned long long)who->view.cycle, 1e-9 * (double)(now - who->heard));
    }
    return FO_OK;
}

/// The start of every cycle. A master that was stopped leaves out what has passed: the nodes go on
/// by their clocks meanwhile.
static fo_status keep_time(fo_tdma_master *m, fo_message *why)
{
    fo_status status = FO_OK;
    m->cycle = 0;
    for (; m->cycle < m->cycles; m->cycle++) {
        int64_t begun = m->start + (int64_t)m->cycle * m->plan.period;
        status = drain_watching(m, begun - FOI_TDMA_SPIN, why);
        if (status) break;
        foi_tdma_wait(&m->station, begun);
        int64_t now = foi_tdma_now(&m->station), late = now - begun;
        m->own.cycles++;
        if (late >= m->plan.sync) {
            m->own.silent++;
            continue;
        }
        synchronise(m, begun);
        m->own.sending += 1e-9 * (double)late;
        m->own.sending_worst = fmax(m->own.sending_worst, 1e-9 * (double)late);
        status = check_silence(m, now, why);
        if (!status) status = foi_tdma_master_watch(m, why);
        if (status) break;
    }
    return status;
}

static bool all_finished(const fo_tdma_master *m)
{
    for (uint32_t i = 0; i < m->plan.nodes; i++)
        if (!m->members[i].finished) return false;
    return true;
}

/// Waits for the figures of all. A thank that is lost is said again while anybody asks, for so many
/// nanoseconds.
static fo_status collect(fo_tdma_master *m, int64_t after, fo_message *why)
{
    int64_t limit = foi_tdma_now(&m->station) + m->plan.patience;
    while (!all_finished(m) && foi_tdma_now(&m->station) < limit)
        foi_tdma_master_pump(m, foi_tdma_now(&m->station) + LEAD);
    if (!all_finished(m)) {
        for (uint32_t i = 0; i < m->plan.nodes; i++)
            if (!m->members[i].finished)
                return fo_fail(why, FO_ERROR_INPUT,
                               "node %u did not report at the end; its last report is of cycle "
                               "%llu of %llu",
                               i, (unsigned long long)m->members[i].view.cycle,
                               (unsigned long long)m->cycles);
    }
    drain(m, foi_tdma_now(&m->station) + after);
    return FO_OK;
}

/// A run that was stopped ends with the last cycle that all nodes have begun: what some of them did
/// or left out later was not asked for.
static void end_early(fo_tdma_master *m)
{
    for (uint32_t i = 0; i < m->plan.nodes; i++)
        if (m->members[i].view.cycle < m->cycle) m->cycle = m->members[i].view.cycle;
}

/// From the first cycle to the figures.
static fo_status conduct(fo_tdma_master *m, fo_message *why)
{
    m->start = foi_tdma_now(&m->station) + LEAD;
    m->started = true;
    foi_tdma_hear_known(&m->station);
    for (uint32_t i = 0; i < m->plan.nodes; i++) m->members[i].heard = m->start;
    fo_status status = keep_time(m, why);
    return status ? status : collect(m, LEAD, why);
}

fo_status fo_tdma_master_run(fo_tdma_master *m, fo_message *why)
{
    fo_message own = {0};
    if (!why) why = &own;
    m->own.priority = foi_tdma_raise(&m->station, m->def.no_priority ? 0 : PRIORITY);
    fo_status status = foi_tdma_master_gather(m, why);
    if (!status) status = conduct(m, why);
    if (status) {
        fo_message other;
        bool asked = status == FO_STOPPED;
        stop_all(m, asked ? "the run was ended at the master" : why->text);
        if (m->started && asked) {
            collect(m, LEAD / 5, &other); // whoever stops a run waits for it
            end_early(m);
        }
    }
    foi_tdma_lower(&m->station);
    return status ? status : FO_REACHED;
}

// ---------------------------------------------------------------------------------------- looking

const char *fo_tdma_master_address(const fo_tdma_master *m)
{
    return m->address;
}

const fo_tdma_plan *fo_tdma_master_plan(const fo_tdma_master *m)
{
    return &m->plan;
}

uint64_t fo_tdma_master_cycle(const fo_tdma_master *m)
{
    return m->cycle;
}

uint64_t fo_tdma_master_cycles(const fo_tdma_master *m)
{
    return m->cycles;
}

bool fo_tdma_master_started(const fo_tdma_master *m)
{
    return m->started;
}

fo_tdma_view fo_tdma_master_look(const fo_tdma_master *m, uint32_t node)
{
    const foi_tdma_member *who = &m->members[node];
    fo_tdma_view view = who->view;
    if (who->heard) view.silence = 1e-9 * (double)(foi_tdma_now(&m->station) - who->heard);
    return view;
}

const fo_tdma_figures *fo_tdma_master_figures(const fo_tdma_master *m)
{
    return m->figures;
}

fo_tdma_figures fo_tdma_master_own(const fo_tdma_master *m)
{
    fo_tdma_figures own = m->own;
    own.sent = m->station.sent;
    own.sent_bytes = m->station.sent_bytes;
    own.received = m->station.received;
    own.dropped = m->station.dropped;
    own.duplicated = m->station.replayed;
    own.foreign = m->station.foreign;
    own.broken = m->station.broken;
    return own;
}

uint32_t fo_tdma_master_probes(const fo_tdma_master *m)
{
    return m->field->def.probe_count;
}

const double *fo_tdma_master_row(const fo_tdma_master *m, uint64_t cycle)
{
    return cycle <= m->cycles ? m->rows + cycle * m->field->def.probe_count : NULL;
}
