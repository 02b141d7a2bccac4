#include "cluster/slots/bridge.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { FARTHEST = 4 }; ///< cycles that a straight line is followed

bool foi_tdma_bridge_open(foi_tdma_bridge *b, fo_tdma_bridge kind, uint32_t count,
                          const fo_allocator *allocator)
{
    uint16_t pieces = (uint16_t)((count + FOI_PACKET_REALS - 1) / FOI_PACKET_REALS);
    *b = (foi_tdma_bridge){.kind = kind, .count = count, .pieces = pieces, .allocator = allocator};
    b->newest = foi_new(allocator, count, sizeof(double));
    b->before = foi_new(allocator, count, sizeof(double));
    bool good = b->newest && b->before;
    for (int i = 0; i < 2; i++) {
        b->coming[i].values = foi_new(allocator, count, sizeof(double));
        b->coming[i].has = foi_new(allocator, pieces, 1);
        good &= b->coming[i].values && b->coming[i].has;
    }
    return good;
}

void foi_tdma_bridge_close(foi_tdma_bridge *b)
{
    foi_free(b->allocator, b->newest);
    foi_free(b->allocator, b->before);
    for (int i = 0; i < 2; i++) {
        foi_free(b->allocator, b->coming[i].values);
        foi_free(b->allocator, b->coming[i].has);
    }
}

static void begin(foi_tdma_assembly *a, uint64_t cycle, uint16_t pieces)
{
    a->cycle = cycle;
    a->begun = true;
    a->complete = false;
    a->there = 0;
    a->pieces = pieces;
    memset(a->has, 0, pieces);
}

static bool known(const foi_tdma_bridge *b, uint64_t cycle)
{
    return (b->known > 0 && b->newest_cycle == cycle) || (b->known > 1 && b->before_cycle == cycle);
}

foi_tdma_arrival foi_tdma_bridge_take(foi_tdma_bridge *b, foi_tdma_packet *p, uint64_t now)
{
    uint32_t first = (uint32_t)p->piece * FOI_PACKET_REALS;
    uint32_t count = p->length / 8u;
    bool last = p->piece + 1 == b->pieces;
    uint32_t due = last ? b->count - first : FOI_PACKET_REALS;
    if (p->pieces != b->pieces || p->length % 8 || count != due) return FOI_UNFIT;
    if (p->cycle < now) return known(b, p->cycle) ? FOI_DUPLICATED : FOI_LATE;
    if (p->cycle > now + 1) return FOI_EARLY;
    foi_tdma_assembly *a = &b->coming[p->cycle % 2];
    if (known(b, p->cycle)) return FOI_DUPLICATED;
    if (!a->begun || a->cycle != p->cycle) begin(a, p->cycle, b->pieces);
    if (a->has[p->piece]) return FOI_DUPLICATED;
    a->has[p->piece] = 1;
    a->there++;
    for (uint32_t i = 0; i < count; i++) foi_tdma_take_real(p, &a->values[first + i]);
    a->complete = a->there == a->pieces;
    return a->complete ? FOI_COMPLETED : FOI_ARRIVED;
}

bool foi_tdma_bridge_has(const foi_tdma_bridge *b, uint64_t cycle)
{
    const foi_tdma_assembly *a = &b->coming[cycle % 2];
    return known(b, cycle) || (a->begun && a->cycle == cycle && a->complete);
}

bool foi_tdma_bridge_settle(foi_tdma_bridge *b, uint64_t cycle)
{
    foi_tdma_assembly *a = &b->coming[cycle % 2];
    if (!a->begun || a->cycle != cycle || !a->complete) return false;
    double *free_one = b->before;
    b->before = b->newest;
    b->before_cycle = b->newest_cycle;
    b->newest = a->values;
    b->newest_cycle = cycle;
    a->values = free_one;
    a->begun = false;
    if (b->known < 2) b->known++;
    return true;
}

bool foi_tdma_bridge_values(const foi_tdma_bridge *b, double at, double *values)
{
    double ahead = at - (double)b->newest_cycle;
    if (b->known == 0) return false;
    memcpy(values, b->newest, b->count * sizeof *values);
    if (b->kind == FO_TDMA_HOLD || b->known < 2 || !(ahead > 0)) return true;
    double share = fmin(ahead, FARTHEST) / (double)(b->newest_cycle - b->before_cycle);
    for (uint32_t i = 0; i < b->count; i++) values[i] += share * (b->newest[i] - b->before[i]);
    return true;
}
