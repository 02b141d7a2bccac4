// Clock offset. An exchange gives
//
//     offset = ((t2 - t1) + (t3 - t4)) / 2        delay = (t4 - t1) - (t3 - t2)
//
// and the offset is wrong by at most delay / 2. Afterwards clocks drift apart, and the arrival of
// the synchronisations shows it: r = arrived + offset - sent - delay / 2 is what a packet took
// longer than the quickest one, never less than zero but for drift. Of a window of sixteen the
// least r is drift alone, and half of it is taken out, but no more than a bad quartz would drift
// (200 ppm): a window may have been without a quick packet.
#include "cluster/slots/offset.h"

enum { QUARTZ = 5000 }; ///< 1 / 200 ppm

/// With |t| <= 2^60, |t - t'| <= 2^61: the delay and twice the offset are at most 2^62, and
/// r is at most 2^60 + 2^61 + 2^60 + 2^61 < 2^63.
static bool in_range(int64_t t)
{
    return t >= -((int64_t)1 << 60) && t <= (int64_t)1 << 60;
}

void foi_tdma_offset_exchange(foi_tdma_offset *o, int64_t t1, int64_t t2, int64_t t3, int64_t t4)
{
    // a master cannot have answered before it was asked
    if (!in_range(t1) || !in_range(t2) || !in_range(t3) || !in_range(t4) || t3 < t2) return;
    int64_t delay = (t4 - t1) - (t3 - t2);
    if (delay < 0 || (o->exchanges++ && delay >= o->delay)) return;
    o->delay = delay;
    o->offset = o->first = ((t2 - t1) + (t3 - t4)) / 2;
}

void foi_tdma_offset_sync(foi_tdma_offset *o, int64_t sent, int64_t arrived)
{
    if (!in_range(sent) || !in_range(arrived)) return;
    int64_t r = arrived + o->offset - sent - o->delay / 2;
    if (o->seen == 0) o->begun = sent;
    if (o->seen++ == 0 || r < o->least) o->least = r;
    if (o->seen < FOI_OFFSET_WINDOW) return;
    int64_t most = (sent - o->begun) / QUARTZ, change = o->least / 2;
    if (change > most) change = most;
    o->offset -= change < -most ? -most : change;
    o->seen = 0;
}
