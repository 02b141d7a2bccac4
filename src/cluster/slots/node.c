// A node: in every cycle it sends its boundary in its slot, takes its neighbours' boundaries until
// the slots are over, bridges what did not come, and computes. It goes by the master's clock, which
// it knows from its own; when it was stopped it computes the cycles that it slept through, with
// what lies in its socket, and sends nothing in slots that are over.
#include "cluster/slots/node.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "field/field.h"

enum { PRIORITY = 50, REPORT_PROBES = 100, FAREWELL = 20000000 };

// -------------------------------------------------------------------------------------- receiving

bool foi_tdma_from_master(foi_tdma_node *n)
{
    bool is =
        n->letter.packet.sender == FOI_MASTER && foi_tdma_same_address(&n->letter.from, &n->master);
    n->station.foreign += !is;
    return is;
}

bool foi_tdma_take_stop(foi_tdma_node *n, fo_message *why)
{
    char text[FO_MESSAGE_SIZE];
    uint64_t nonce;
    if (!foi_tdma_take(&n->letter.packet, &nonce, 8) || nonce != n->nonce) {
        n->station.foreign++;
        return false;
    }
    foi_tdma_take_text(&n->letter.packet, text, sizeof text);
    fo_fail(why, FO_STOPPED, "%s", text);
    return true;
}

// A master sends within its slot, of a cycle that there is, and its start never changes; what was
// sent long ago or in the future of its clock is no synchronisation.
static bool sync_fits(const foi_tdma_node *n, int64_t begun, int64_t sent)
{
    const foi_tdma_letter *l = &n->letter;
    if (l->packet.cycle >= n->cycles || sent < begun || sent - begun > n->plan.sync) return false;
    if (n->started && begun - (int64_t)l->packet.cycle * n->plan.period != n->start) return false;
    int64_t age = l->arrived + n->clock.offset - sent;
    return age <= n->plan.patience && -age <= n->plan.patience;
}

static void take_sync(foi_tdma_node *n)
{
    foi_tdma_packet *p = &n->letter.packet;
    int64_t begun, sent;
    bool whole = foi_tdma_take_time(p, &begun) && foi_tdma_take_time(p, &sent);
    if (!whole || !sync_fits(n, begun, sent)) {
        n->station.broken++;
        return;
    }
    if (n->started && p->cycle <= n->sync_cycle) {
        n->figures.duplicated++;
        return;
    }
    n->start = begun - (int64_t)p->cycle * n->plan.period;
    n->started = true;
    n->sync_cycle = p->cycle;
    n->syncs++;
    n->heard = foi_tdma_now(&n->station);
    foi_tdma_offset_sync(&n->clock, sent, n->letter.arrived);
}

static void take_halo(foi_tdma_node *n)
{
    foi_tdma_packet *p = &n->letter.packet;
    int side = p->side ^ 1;
    if (!n->share.box.sides[side] || n->share.near[side] != p->sender ||
        !foi_tdma_same_address(&n->letter.from, &n->peers[p->sender])) {
        n->station.foreign++;
        return;
    }
    switch (foi_tdma_bridge_take(&n->bridges[side], p, n->cycle)) {
    case FOI_DUPLICATED: n->figures.duplicated++; break;
    case FOI_LATE: n->figures.late++; break;
    case FOI_UNFIT: n->station.broken++; break;
    case FOI_EARLY:
    case FOI_ARRIVED:
    case FOI_COMPLETED: break;
    }
}

bool foi_tdma_node_pump(foi_tdma_node *n, int64_t until)
{
    foi_tdma_packet *p = &n->letter.packet;
    if (!foi_tdma_receive(&n->station, &n->letter, until)) return false;
    if (p->kind == FOI_HALO_VALUES) {
        take_halo(n);
        return true;
    }
    if (!foi_tdma_from_master(n)) return true;
    switch (p->kind) {
    case FOI_SYNC: take_sync(n); break;
    case FOI_THANKS: n->thanked = true; break;
    case FOI_STOP: n->stopped |= foi_tdma_take_stop(n, &n->reason); break;
    default: break;
    }
    return true;
}

// ---------------------------------------------------------------------------------------- sending

/// Where packets carry their times, the next one leaves when this one is on the wire.
static void send_slotted(foi_tdma_node *n, foi_tdma_packet *p, uint32_t receiver,
                         const struct sockaddr_in *to)
{
    uint64_t before = n->station.sent_bytes;
    foi_tdma_send(&n->station, p, receiver, to);
    if (n->station.leave)
        n->station.leave +=
            (int64_t)(8e9 * (double)(n->station.sent_bytes - before) / n->plan.capacity);
}

/// False when the slot ended on the way.
static bool send_face(foi_tdma_node *n, int side, int64_t end)
{
    uint32_t count = foi_tdma_face_size(n->part, side);
    uint32_t pieces = (count + FOI_PACKET_REALS - 1) / FOI_PACKET_REALS;
    const double *face = n->plan.overlap ? n->beside.faces[side] : n->face;
    if (!n->plan.overlap) foi_tdma_face_get(n->part, side, n->face);
    for (uint32_t piece = 0; piece < pieces; piece++) {
        foi_tdma_packet p = {.kind = FOI_HALO_VALUES,
                             .cycle = n->cycle,
                             .side = (uint16_t)side,
                             .piece = (uint16_t)piece,
                             .pieces = (uint16_t)pieces};
        uint32_t from = piece * FOI_PACKET_REALS, to = from + FOI_PACKET_REALS;
        for (uint32_t i = from; i < to && i < count; i++) foi_tdma_put_real(&p, face[i]);
        if (foi_tdma_now(&n->station) >= end) return false;
        send_slotted(n, &p, n->share.near[side], &n->peers[n->share.near[side]]);
    }
    return true;
}

static bool probe(const foi_tdma_node *n, uint32_t i, double *value)
{
    if (!n->plan.overlap) return foi_tdma_part_probe(n->part, i, value);
    *value = n->beside.probes[i];
    return !isnan(*value);
}

/// Figures and probes to the master.
static void send_report(foi_tdma_node *n)
{
    uint32_t probes = n->field->def.probe_count, next = 0;
    do {
        foi_tdma_packet p = {.kind = FOI_REPORT, .cycle = n->cycle};
        foi_tdma_put(&p, (uint64_t)n->computing, 8);
        foi_tdma_put(&p, n->figures.missed, 8);
        foi_tdma_put(&p, n->figures.bridged, 8);
        for (uint32_t i = 0; i < REPORT_PROBES && next < probes; i++, next++) {
            double value;
            if (!probe(n, next, &value)) continue;
            foi_tdma_put(&p, next, 4);
            foi_tdma_put_real(&p, value);
        }
        send_slotted(n, &p, FOI_MASTER, &n->master);
    } while (next < probes);
}

static void pump_until(foi_tdma_node *n, int64_t time)
{
    while (foi_tdma_now(&n->station) < time && !n->stopped) foi_tdma_node_pump(n, time);
}

/// Waits until it is time to send into the slot, and returns when the first packet leaves. The
/// kernel's queue is handed the packets before the slot.
static int64_t await_slot(foi_tdma_node *n, int64_t from)
{
    if (!n->station.timed) {
        pump_until(n, from - FOI_TDMA_SPIN);
        if (!n->stopped) foi_tdma_wait(&n->station, from);
        return foi_tdma_now(&n->station);
    }
    int64_t leaves;
    pump_until(n, from - n->lead);
    n->station.leave = foi_txtime_aim(&n->station.queue, from, foi_tdma_now(&n->station), &leaves);
    return leaves;
}

/// Sends in its slot number `turn`, or not at all. Where a node has several slots its boundaries
/// take turns, and the report goes in the last.
static void use_slot(foi_tdma_node *n, int64_t begun, uint32_t turn)
{
    uint32_t turns = n->plan.slots / n->plan.nodes, ordinal = 0;
    uint32_t slot = (n->def->index + n->tamper.stray) % n->plan.nodes + 1 + turn * n->plan.nodes;
    int64_t from = begun + fo_tdma_slot_start(&n->plan, slot), to = from + n->plan.slot;
    int64_t leaves = await_slot(n, from), late = leaves - from;
    if (n->stopped) {
        n->station.leave = 0;
        return;
    }
    bool sent = (n->station.leave ? n->station.leave : leaves) + n->plan.wire <= to;
    for (int side = 0; side < 6 && sent; side++)
        if (n->share.box.sides[side] && ordinal++ % turns == turn) sent = send_face(n, side, to);
    if (turn + 1 == turns && sent && foi_tdma_now(&n->station) < to) send_report(n);
    n->station.leave = 0;
    n->figures.silent += !sent;
    if (!sent) return;
    n->figures.sending += 1e-9 * (double)late / turns;
    if (1e-9 * (double)late > n->figures.sending_worst)
        n->figures.sending_worst = 1e-9 * (double)late;
}

static void use_slots(foi_tdma_node *n, int64_t begun)
{
    for (uint32_t turn = 0; turn < n->plan.slots / n->plan.nodes && !n->stopped; turn++)
        use_slot(n, begun, turn);
}

// -------------------------------------------------------------------------------------- computing

static bool all_there(const foi_tdma_node *n)
{
    for (int side = 0; side < 6; side++)
        if (n->share.box.sides[side] && !foi_tdma_bridge_has(&n->bridges[side], n->cycle))
            return false;
    return true;
}

/// Takes boundaries until all are there or the slots are over. When they are over already, what
/// lies in the socket counts, up to the first packet of the next cycle.
static void gather(foi_tdma_node *n, int64_t begun)
{
    int64_t end = begun + fo_tdma_slot_start(&n->plan, n->plan.slots + 1) + n->plan.slot / 4;
    if (n->plan.overlap && end > begun + n->plan.period) end = begun + n->plan.period;
    for (int taken = 0; taken < FOI_TDMA_FLOOD && !all_there(n) && !n->stopped; taken++) {
        if (!foi_tdma_node_pump(n, end)) {
            if (n->station.behind) continue; // a boundary may lie behind packets of strangers
            break;
        }
        bool past = foi_tdma_now(&n->station) > end;
        const foi_tdma_packet *p = &n->letter.packet;
        if (past && p->kind == FOI_HALO_VALUES && p->cycle > n->cycle) break;
    }
    if (n->stopped) return; // the neighbours have ended, too: this cycle does not count
    for (int side = 0; side < 6; side++)
        if (n->share.box.sides[side])
            n->figures.bridged += !foi_tdma_bridge_settle(&n->bridges[side], n->cycle);
}

static void book_computing(foi_tdma_node *n)
{
    double seconds = 1e-9 * (double)n->computing;
    n->figures.computing += seconds;
    if (seconds > n->figures.computing_worst) n->figures.computing_worst = seconds;
}

/// Lays out what the worker needs for this cycle, from what came in the ones before.
static void look_ahead(foi_tdma_node *n)
{
    foi_tdma_overlap *o = &n->beside;
    double moment = foi_tdma_halo_moment(n->field), steps = n->plan.steps;
    foi_tdma_overlap_keep(o, n->field->def.probe_count);
    for (int side = 0; side < 6; side++) {
        size_t size = foi_tdma_face_size(n->part, side);
        for (uint32_t i = 0; i < n->plan.steps && n->share.box.sides[side]; i++)
            o->known[side] =
                foi_tdma_bridge_values(&n->bridges[side], (double)n->cycle + (i + moment) / steps,
                                       o->ahead[side] + i * size);
    }
}

/// A cycle with computing beside the slots.
static fo_status overlapped(foi_tdma_node *n, int64_t begun, int64_t *ended, fo_message *why)
{
    look_ahead(n);
    foi_tdma_overlap_begin(&n->beside);
    use_slots(n, begun);
    gather(n, begun);
    fo_status status = foi_tdma_overlap_wait(&n->beside);
    *ended = n->beside.finished + n->station.shift;
    n->computing = n->beside.computing;
    book_computing(n);
    if (status && why) *why = n->beside.why;
    return status;
}

static fo_status compute(foi_tdma_node *n, fo_message *why)
{
    int64_t begun = foi_tdma_now(&n->station);
    double moment = foi_tdma_halo_moment(n->field), steps = n->plan.steps;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < n->plan.steps && !status; i++) {
        double at = (double)n->cycle + (i + moment) / steps;
        for (int side = 0; side < 6; side++)
            if (n->share.box.sides[side] && foi_tdma_bridge_values(&n->bridges[side], at, n->face))
                foi_tdma_halo_put(n->part, side, n->face);
        status = foi_tdma_part_advance(n->part, why);
    }
    n->computing = foi_tdma_now(&n->station) - begun;
    book_computing(n);
    return status;
}

static fo_status check_time(foi_tdma_node *n, int64_t begun, fo_message *why)
{
    int64_t now = foi_tdma_now(&n->station), patience = n->plan.patience;
    if (now - n->heard > patience)
        return fo_fail(why, FO_ERROR_INPUT,
                       "node %u: no synchronisation from the master for %.3g s, since cycle %llu",
                       n->def->index, 1e-9 * (double)(now - n->heard),
                       (unsigned long long)n->sync_cycle);
    if (now - begun > n->plan.period + patience)
        return fo_fail(
            why, FO_ERROR_UNFIT,
            "node %u is %.3g s behind at cycle %llu: computing takes %.4g ms of a period "
            "of %.4g ms",
            n->def->index, 1e-9 * (double)(now - begun), (unsigned long long)n->cycle,
            1e3 * n->figures.computing / (double)(n->figures.cycles + 1),
            1e-6 * (double)n->plan.period);
    return FO_OK;
}

static fo_status one_cycle(foi_tdma_node *n, fo_message *why)
{
    int64_t begun =
        n->start + (int64_t)n->cycle * n->plan.period - n->clock.offset; // on the node's clock
    int64_t ended = 0;
    fo_status status = FO_OK;
    if (n->plan.overlap) {
        status = overlapped(n, begun, &ended, why);
    } else {
        use_slots(n, begun);
        gather(n, begun);
    }
    if (n->stopped) return FO_STOPPED;
    if (!n->plan.overlap) status = compute(n, why), ended = foi_tdma_now(&n->station);
    if (status) {
        fo_message_prefix(why, "node %u, cycle %llu: ", n->def->index,
                          (unsigned long long)n->cycle);
        return status;
    }
    n->figures.missed += ended > begun + n->plan.period;
    n->figures.cycles++;
    return check_time(n, begun, why);
}

// ---------------------------------------------------------------------------------------- the run

/// What is counted elsewhere.
static void complete_figures(foi_tdma_node *n)
{
    fo_tdma_figures *f = &n->figures;
    f->sync_lost = f->cycles > n->syncs ? f->cycles - n->syncs : 0;
    f->duplicated += n->station.replayed;
    f->foreign = n->station.foreign;
    f->broken = n->station.broken;
    f->sent = n->station.sent;
    f->sent_bytes = n->station.sent_bytes;
    f->received = n->station.received;
    f->dropped = n->station.dropped;
    f->returned = n->station.returned + foi_txtime_returned(n->station.fd);
    f->offset = 1e-9 * (double)n->clock.offset;
    f->offset_doubt = 0.5e-9 * (double)n->clock.delay;
    f->drift = 1e-9 * (double)(n->clock.offset - n->clock.first);
}

/// Tells the master the figures until it has thanked, for as long as patience lasts.
static void say_goodbye(foi_tdma_node *n)
{
    int64_t limit = foi_tdma_now(&n->station) + n->plan.patience;
    for (int64_t now; (now = foi_tdma_now(&n->station)) < limit && !n->thanked;) {
        foi_tdma_packet p = {.kind = FOI_FINAL, .cycle = n->cycle};
        foi_tdma_put_figures(&p, &n->figures);
        send_report(n);
        foi_tdma_send(&n->station, &p, FOI_MASTER, &n->master);
        for (int taken = 0; taken < FOI_TDMA_FLOOD && !n->thanked; taken++)
            if (!foi_tdma_node_pump(n, now + FAREWELL)) break;
    }
}

static fo_status march(foi_tdma_node *n, fo_message *why)
{
    fo_status status = FO_OK;
    while (n->cycle < n->cycles && !status) {
        status = one_cycle(n, why);
        if (!status) n->cycle++;
    }
    complete_figures(n);
    if (n->plan.overlap) foi_tdma_overlap_keep(&n->beside, n->field->def.probe_count);
    if (status == FO_STOPPED && why) *why = n->reason;
    if (status && status != FO_STOPPED) return status;
    say_goodbye(n);
    return status ? status : FO_REACHED;
}

static fo_status make_part(foi_tdma_node *n, fo_message *why)
{
    const fo_allocator *a = n->def->allocator;
    foi_tdma_share *list = foi_new(a, n->plan.nodes, sizeof *list);
    uint32_t parts[3], most = 0;
    if (!list) return FO_ERROR_MEMORY;
    memcpy(parts, n->plan.parts, sizeof parts);
    fo_status status = foi_tdma_partition(n->field, n->plan.nodes, parts, list, why);
    n->share = list[n->def->index];
    foi_free(a, list);
    if (status) return status;
    n->part = foi_tdma_part_create(n->field, &n->share, n->plan.step, a, why);
    n->peers = foi_new(a, n->plan.nodes, sizeof *n->peers);
    if (!n->part) return FO_ERROR_ARGUMENT;
    for (int side = 0; side < 6; side++) {
        uint32_t size = foi_tdma_face_size(n->part, side);
        if (size > most) most = size;
        if (size && !foi_tdma_bridge_open(&n->bridges[side], n->plan.bridge, size, a))
            return FO_ERROR_MEMORY;
    }
    n->face = foi_new(a, most, sizeof *n->face);
    n->figures.nodes = foi_tdma_part_nodes(n->part);
    return n->face && n->peers ? FO_OK : FO_ERROR_MEMORY;
}

/// The master's, and the one of this machine that the node works at.
static fo_status find_addresses(foi_tdma_node *n, struct sockaddr_in *own, fo_message *why)
{
    const fo_tdma_node_def *def = n->def;
    fo_status status = foi_tdma_address(def->master, &n->master, why);
    if (!status) status = foi_tdma_admit(&n->master, def->key, def->open, why);
    if (!status)
        status = def->address ? foi_tdma_address(def->address, own, why)
                              : foi_tdma_own_address(&n->master, own, why);
    return status ? status : foi_tdma_admit(own, def->key, def->open, why);
}

static fo_status prepare(foi_tdma_node *n, fo_message *why)
{
    const fo_tdma_node_def *def = n->def;
    struct sockaddr_in own;
    fo_status status = FO_OK;
    if (def->index >= def->nodes)
        status = fo_fail(why, FO_ERROR_ARGUMENT, "the nodes are 0 to %u, there is no node %u",
                         def->nodes - 1, def->index);
    if (!status)
        status = fo_tdma_plan_make(n->field, &def->cluster, def->nodes, def->step, &n->plan, why);
    if (!status) status = find_addresses(n, &own, why);
    if (!status) status = foi_tdma_open(&n->station, &own, why);
    if (status) return status;
    foi_tdma_know(&n->station, FOI_MASTER, &n->master);
    foi_tdma_hear_known(&n->station);
    status = make_part(n, why);
    if (status == FO_ERROR_MEMORY)
        fo_fail(why, status, "no memory for node %u of the cluster", def->index);
    return status;
}

fo_status foi_tdma_node_run_with(const fo_field *field, const fo_tdma_node_def *def,
                                 const foi_tdma_tamper *tamper, fo_tdma_figures *figures,
                                 fo_message *why)
{
    foi_tdma_node *n = foi_new(def->allocator, 1, sizeof *n);
    if (!n) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a node of the cluster");
    n->field = field;
    n->def = def;
    if (tamper) n->tamper = *tamper;
    n->station.fd = -1;
    n->station.self = (uint16_t)def->index;
    n->station.key = def->key;
    n->station.shift = n->tamper.shift;
    n->station.wire = n->tamper.wire;
    n->nonce = foi_tdma_chance(&n->station);
    fo_status status = prepare(n, why);
    if (!status) n->figures.priority = foi_tdma_raise(&n->station, def->no_priority ? 0 : PRIORITY);
    if (!status) status = foi_tdma_join(n, why);
    if (!status && n->plan.overlap)
        status = foi_tdma_overlap_open(&n->beside, n->part, n->plan.steps, field->def.probe_count,
                                       def->allocator, why);
    if (!status) status = march(n, why);
    foi_tdma_overlap_close(&n->beside);
    if (figures) *figures = n->figures;
    foi_tdma_lower(&n->station);
    foi_tdma_close(&n->station);
    foi_tdma_part_destroy(n->part);
    for (int side = 0; side < 6; side++) foi_tdma_bridge_close(&n->bridges[side]);
    foi_free(def->allocator, n->peers);
    foi_free(def->allocator, n->face);
    foi_free(def->allocator, n);
    return status;
}

fo_tdma_node_def fo_default_tdma_node_def(void)
{
    return (fo_tdma_node_def){.cluster = fo_default_tdma_def(), .nodes = 1, .joining = 10};
}

fo_status fo_tdma_node_run(const fo_field *field, const fo_tdma_node_def *def,
                           fo_tdma_figures *figures, fo_message *why)
{
    return foi_tdma_node_run_with(field, def, NULL, figures, why);
}
