// The arithmetic of the slots.
#include <foliot/tdma.h>
#include <math.h>

#include "cluster/slots/share.h"
#include "cluster/slots/station.h"
#include "field/part.h"

enum { GUARD = 200000, REPORT_PROBES = 100, NODES_MOST = FOI_TDMA_SENDERS - 1 }; ///< GUARD [ns]
enum { SYNC_LEAST = 100000, SLOTS_MOST = 65536 }; ///< SYNC_LEAST [ns]: of the master's slot

int64_t fo_tdma_slot_start(const fo_tdma_plan *plan, uint32_t slot)
{
    return slot ? plan->sync + plan->slot * (int64_t)(slot - 1) : 0;
}

/// Bytes on the wire for so many numbers in packets of FOI_PACKET_REALS.
static uint64_t wire_bytes(uint64_t reals)
{
    uint64_t pieces = (reals + FOI_PACKET_REALS - 1) / FOI_PACKET_REALS;
    return 8 * reals + pieces * (FOI_PACKET_HEADER + FOI_PACKET_SEAL + FOI_PACKET_AROUND);
}

static uint64_t share_bytes(const fo_field *f, const foi_tdma_share *share)
{
    uint64_t reports = 1 + f->def.probe_count / REPORT_PROBES;
    uint64_t sum = reports * (FOI_PACKET_HEADER + FOI_PACKET_SEAL + FOI_PACKET_AROUND + 24);
    sum += 12 * (uint64_t)f->def.probe_count;
    for (int side = 0; side < 6; side++)
        if (share->box.sides[side])
            sum += wire_bytes((uint64_t)foi_cut_face(&share->box, side) * foi_tdma_variables(f));
    return sum;
}

static fo_status measure(const fo_field *f, uint32_t nodes, fo_tdma_plan *plan, fo_message *why)
{
    foi_tdma_share *list = foi_new(f->allocator, nodes, sizeof *list);
    if (!list) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a schedule of %u nodes", nodes);
    fo_status status = foi_tdma_partition(f, nodes, plan->parts, list, why);
    uint64_t most = 0;
    for (uint32_t i = 0; i < nodes && !status; i++) {
        uint64_t bytes = share_bytes(f, &list[i]);
        if (bytes > most) most = bytes;
    }
    foi_free(f->allocator, list);
    plan->bytes = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    return status;
}

static fo_status check(const fo_field *f, const fo_tdma_plan *plan, fo_message *why)
{
    double ms = 1e-6;
    if (foi_object_opens(f))
        return fo_fail(why, FO_ERROR_UNFIT,
                       "%s: contact that opens and closes is not carried over a network; take "
                       "\"sliding\" or \"bonded\"",
                       f->name);
    if (!(plan->step > 0 && plan->step <= f->limit * (1 + 1e-9)))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: the step must be positive and at most the stability limit %.9g s, is "
                       "%.9g s; more \"steps\" in a cycle make it shorter",
                       f->name, f->limit, plan->step);
    if (plan->bytes > (uint32_t)UINT16_MAX * 8 * FOI_PACKET_REALS)
        return fo_fail(
            why, FO_ERROR_ARGUMENT,
            "%s: a node would send %u bytes in a cycle, more than packets can be counted; "
            "more parts make it fewer",
            f->name, plan->bytes);
    if (plan->slot <= plan->wire)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: a node sends %u bytes in a cycle, which take %.4g ms at %g Mbit/s; a "
                       "slot of %.4g ms is too short",
                       f->name, plan->bytes, ms * (double)plan->wire, 1e-6 * plan->capacity,
                       ms * (double)plan->slot);
    if (plan->overlap && plan->sync >= SYNC_LEAST) return FO_OK;
    if (plan->overlap)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: %u slots of %.4g ms, and %.4g ms for the master, do not fit into a "
                       "period of %.4g ms",
                       f->name, plan->slots, ms * (double)plan->slot, ms * SYNC_LEAST,
                       ms * (double)plan->period);
    if (plan->computing <= 0)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s: %u slots of %.4g ms (the master's and %s) do not fit "
                       "into a period of %.4g ms",
                       f->name, plan->slots + 1, ms * (double)plan->slot,
                       plan->slots == plan->nodes ? "one for each node" : "those of the nodes",
                       ms * (double)plan->period);
    return FO_OK;
}

fo_status fo_tdma_plan_make(const fo_field *f, const fo_tdma_def *def, uint32_t nodes, double step,
                            fo_tdma_plan *plan, fo_message *why)
{
    double period = def->period > 0 ? def->period : 4.2e-3;
    if (nodes < 1 || nodes > NODES_MOST)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a cluster has 1 to %d nodes, not %u", NODES_MOST,
                       nodes);
    if (!(period >= 1e-4 && period <= 10))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the period must lie between 0.1 ms and 10 s, is "
                       "%g s",
                       period);
    *plan = (fo_tdma_plan){.nodes = nodes,
                           .parts = {def->parts[0], def->parts[1], def->parts[2]},
                           .steps = def->steps ? def->steps : 1,
                           .period = (int64_t)llround(1e9 * period),
                           .capacity = def->capacity > 0 ? def->capacity : 1e9,
                           .bridge = def->bridge,
                           .slots = def->slots ? def->slots : nodes,
                           .overlap = def->overlap,
                           .patience = foi_tdma_nanoseconds(def->patience > 0 ? def->patience : 2)};
    if (plan->slots % nodes || plan->slots > SLOTS_MOST)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%u slots cannot be shared by %u nodes: as many for each are needed, and at "
                       "most %d",
                       plan->slots, nodes, SLOTS_MOST);
    plan->step = step > 0 ? step : period / plan->steps;
    plan->speed = plan->step * plan->steps / period;
    fo_status status = measure(f, nodes, plan, why);
    if (status) return status;
    plan->wire = (int64_t)fmin(ceil(8e9 * plan->bytes / plan->capacity), 1e15);
    plan->slot = def->slot > 0 ? (int64_t)llround(1e9 * fmin(def->slot, 1e6)) : plan->wire + GUARD;
    int64_t left = plan->period - (int64_t)plan->slots * plan->slot;
    plan->sync = plan->overlap && left < plan->slot ? left : plan->slot;
    plan->computing = plan->overlap ? plan->period : left - plan->sync;
    return check(f, plan, why);
}

void fo_tdma_plan_print(const fo_tdma_plan *plan, FILE *out)
{
    double T = 1e-9 * (double)plan->period, rate = 8 * plan->bytes / T;
    fprintf(out,
            "cycle %.4g ms: %u slots of %.4g ms, %.4g ms %s computing %u step%s of %.6g s\n"
            "each node sends at most %u bytes a cycle: %.3g ms on the wire, %.4g of %g Mbit/s\n",
            1e3 * T, plan->slots + 1, 1e-6 * (double)plan->slot, 1e-6 * (double)plan->computing,
            plan->overlap ? "beside them for" : "for", plan->steps, plan->steps > 1 ? "s" : "",
            plan->step, plan->bytes, 1e-6 * (double)plan->wire, 1e-6 * rate, 1e-6 * plan->capacity);
    if (fabs(plan->speed - 1) > 1e-9)
        fprintf(out, "simulated time goes %.4g times as fast as real time\n", plan->speed);
}
