// The figures of Zhou (docs/sources.md), chapter 5: CPU usage ratio, communication rate, deadlines.
#include <math.h>

#include "cluster/slots/node.h"

void foi_tdma_put_figures(foi_tdma_packet *p, const fo_tdma_figures *f)
{
    const uint64_t counts[] = {f->cycles,  f->missed,   f->silent,     f->sync_lost,
                               f->bridged, f->late,     f->duplicated, f->foreign,
                               f->broken,  f->sent,     f->received,   f->sent_bytes,
                               f->nodes,   f->priority, f->way,        f->returned};
    const double reals[] = {f->computing, f->computing_worst, f->sending, f->sending_worst,
                            f->offset,    f->offset_doubt,    f->drift};
    for (size_t i = 0; i < FO_COUNT(counts); i++) foi_tdma_put(p, counts[i], 8);
    for (size_t i = 0; i < FO_COUNT(reals); i++) foi_tdma_put_real(p, reals[i]);
    foi_tdma_put(p, f->dropped, 8);
}

bool foi_tdma_take_figures(foi_tdma_packet *p, fo_tdma_figures *f)
{
    const uint64_t most = (uint64_t)1 << 50; // sums of two hundred are still numbers
    uint64_t nodes, priority, way;
    uint64_t *const counts[] = {&f->cycles,  &f->missed, &f->silent,     &f->sync_lost,
                                &f->bridged, &f->late,   &f->duplicated, &f->foreign,
                                &f->broken,  &f->sent,   &f->received,   &f->sent_bytes,
                                &nodes,      &priority,  &way,           &f->returned};
    double *const reals[] = {&f->computing, &f->computing_worst, &f->sending, &f->sending_worst,
                             &f->offset,    &f->offset_doubt,    &f->drift};
    for (size_t i = 0; i < FO_COUNT(counts); i++)
        if (!foi_tdma_take(p, counts[i], 8) || *counts[i] > most) return false;
    for (size_t i = 0; i < FO_COUNT(reals); i++)
        if (!foi_tdma_take_real(p, reals[i]) || !isfinite(*reals[i])) return false;
    if (!foi_tdma_take(p, &f->dropped, 8) || f->dropped > most) return false;
    if (nodes > UINT32_MAX || priority > 1) return false;
    f->nodes = (uint32_t)nodes;
    f->priority = priority;
    f->way = way <= FO_TDMA_COARSE ? (fo_tdma_way)way : FO_TDMA_BY_PROGRAM;
    return true;
}

static void print_usage(const fo_tdma_plan *plan, const fo_tdma_figures *list, FILE *out)
{
    double T = 1e-9 * (double)plan->period, sum = 0, worst = 0;
    fprintf(out, "node     nodes  cycles   usage   worst  missed  sent [Mbit/s]  of slot  "
                 "sends after [us]  worst [us]\n");
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const fo_tdma_figures *f = &list[i];
        double cycles = fmax(1, (double)f->cycles), usage = f->computing / cycles / T;
        double rate = 8 * (double)f->sent_bytes / cycles / T;
        double slot = 8e9 * (double)f->sent_bytes / cycles / plan->capacity / (double)plan->slot;
        fprintf(out, "%4u  %8u  %6llu  %6.4f  %6.4f  %6llu  %13.4g  %6.2f%%  %16.1f  %10.1f\n", i,
                f->nodes, (unsigned long long)f->cycles, usage, f->computing_worst / T,
                (unsigned long long)f->missed, 1e-6 * rate, 100 * slot, 1e6 * f->sending / cycles,
                1e6 * f->sending_worst);
        sum += usage;
        worst = fmax(worst, f->computing_worst / T);
    }
    fprintf(out, "CPU usage ratio: mean %.4f, worst %.4f\n", sum / plan->nodes, worst);
}

static void print_network(const fo_tdma_plan *plan, const fo_tdma_figures *list, FILE *out)
{
    fprintf(out, "node  bridged  late  no sync  silent slots  duplicated  foreign  broken  "
                 "clock offset [us]  +-   drift [us]\n");
    for (uint32_t i = 0; i < plan->nodes; i++) {
        const fo_tdma_figures *f = &list[i];
        fprintf(
            out, "%4u  %7llu  %4llu  %7llu  %12llu  %10llu  %7llu  %6llu  %17.1f  %-4.1f %10.1f\n",
            i, (unsigned long long)f->bridged, (unsigned long long)f->late,
            (unsigned long long)f->sync_lost, (unsigned long long)f->silent,
            (unsigned long long)f->duplicated, (unsigned long long)f->foreign,
            (unsigned long long)f->broken, 1e6 * f->offset, 1e6 * f->offset_doubt, 1e6 * f->drift);
    }
}

/// "slots kept by the program: nodes 0, 2"
static void print_ways(const fo_tdma_plan *plan, const fo_tdma_figures *list, FILE *out)
{
    static const char *const ways[] = {
        [FO_TDMA_BY_PROGRAM] = "slots kept by the program",
        [FO_TDMA_BY_ETF] = "slots kept by the kernel's queue (etf)",
        [FO_TDMA_BY_TAPRIO] = "slots kept by the kernel's queues (etf under taprio)",
        [FO_TDMA_BY_TXTIME] = "slots left to the kernel, in which no time-slot queue is seen",
        [FO_TDMA_REFUSED] = "slots kept by the program (the kernel refuses packets with times)",
        [FO_TDMA_COARSE] = "slots kept by the program (delta of the kernel's queue is too long)",
    };
    uint64_t returned = 0, dropped = 0;
    for (unsigned way = 0; way < FO_COUNT(ways); way++) {
        const char *between = ": nodes ";
        for (uint32_t i = 0; i < plan->nodes; i++) {
            if (list[i].way != way) continue;
            fprintf(out, "%s%s%u", *between == ':' ? ways[way] : "", between, i);
            between = ", ";
        }
        if (*between == ',') fprintf(out, "\n");
    }
    for (uint32_t i = 0; i < plan->nodes; i++)
        returned += list[i].returned, dropped += list[i].dropped;
    if (returned)
        fprintf(out, "the kernel's queue dropped %llu packets whose time had passed\n",
                (unsigned long long)returned);
    if (dropped)
        fprintf(out,
                "the kernel kept %llu packets away from nodes: from strangers, or more than a "
                "socket has room for\n",
                (unsigned long long)dropped);
}

void fo_tdma_figures_print(const fo_tdma_plan *plan, const fo_tdma_figures *list, FILE *out)
{
    double T = 1e-9 * (double)plan->period, rate = 0;
    uint32_t granted = 0;
    print_usage(plan, list, out);
    for (uint32_t i = 0; i < plan->nodes; i++) {
        rate += 8 * (double)list[i].sent_bytes / fmax(1, (double)list[i].cycles) / T;
        granted += list[i].priority;
    }
    // (5.3) with one packet of the largest size in each slot
    double most = plan->nodes * 1500. * 8 / T;
    fprintf(out,
            "communication: %.4g Mbit/s together, %.3g%% of the network's %g Mbit/s (one full "
            "packet in each slot would be %.4g)\n",
            1e-6 * rate, 100 * rate / plan->capacity, 1e-6 * plan->capacity, 1e-6 * most);
    print_network(plan, list, out);
    print_ways(plan, list, out);
    if (granted < plan->nodes)
        fprintf(out, "%u of %u nodes ran without SCHED_FIFO\n", plan->nodes - granted, plan->nodes);
}
