// What a key costs: packets of clusters in time slots, written and read with a seal and without.
#include <math.h>
#include <string.h>

#include "bench.h"
#include "cluster/slots/key.h"
#include "cluster/slots/packet.h"

enum { PACKETS = 20000, REPEATS = 15 };
static const double MOST = 5; // [us] that a key may cost a packet

typedef struct traffic {
    foi_tdma_packet packet;
    fo_tdma_key key;
    bool sealed;
} traffic;

// One way and the other: [us] of a packet at its sender or at its receiver, whichever is dearer.
static double carry(void *self)
{
    traffic *t = self;
    unsigned char bytes[FOI_PACKET_MOST];
    foi_tdma_packet got;
    double worst = 0, before = bench_seconds();
    size_t count = 0;
    for (uint64_t i = 0; i < PACKETS; i++) {
        t->packet.cycle = i;
        count = foi_tdma_encode(&t->packet, bytes);
        if (t->sealed) count = foi_tdma_seal(&t->key, i, 1, bytes, count);
    }
    worst = fmax(worst, bench_seconds() - before);
    before = bench_seconds();
    for (uint64_t i = 0; i < PACKETS; i++) {
        uint64_t sequence;
        size_t length = t->sealed ? foi_tdma_unseal(&t->key, 1, bytes, count, &sequence) : count;
        if (!length || foi_tdma_decode(bytes, length, &got) != FOI_PACKET_GOOD) return NAN;
    }
    worst = fmax(worst, bench_seconds() - before);
    return worst / PACKETS * 1e6;
}

static void measure(bench_table *table, const char *what, uint16_t length)
{
    traffic open = {.packet = {.kind = FOI_HALO_VALUES, .pieces = 1, .length = length}};
    memset(open.packet.payload, 0x5a, length);
    traffic sealed = open;
    sealed.sealed = true;
    sealed.key.bytes[0] = 1;
    bench_runner runners[] = {{.run = carry, .self = &sealed}, {.run = carry, .self = &open}};
    if (!bench_race(runners, 2, REPEATS)) bench_break(table, "a packet did not arrive");
    bench_add(table, (bench_line){.what = what,
                                  .peer = "without a key",
                                  .unit = "us/packet",
                                  .ours = runners[0].best,
                                  .theirs = runners[1].best});
    bench_add(table, (bench_line){.what = what,
                                  .peer = "what a key may cost",
                                  .unit = "us/packet",
                                  .ours = runners[0].best - runners[1].best,
                                  .theirs = MOST,
                                  .target = 1});
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "packets", argc, argv)) return 1;
    bench_title(
        "packets of a cluster with a key (BLAKE2b): one is written and sealed, or opened and read");
    if (foi_tdma_has_keys()) {
        measure(&table, "the largest, 1472 bytes", FOI_PACKET_ROOM);
        measure(&table, "a synchronisation, 80 bytes", 16);
    } else {
        puts("this build has no keys");
    }
    return bench_close(&table);
}
