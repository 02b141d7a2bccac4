/// libFuzzer target: a session of packets between a master and two nodes, in memory, with somebody
/// between them who does what the bytes say: repeats, reflects, changes, drops and readdresses.
///
/// The first byte says whether there is a key, and whether packets may be lost. Whatever happens,
/// all of them come to an end within an hour of their clock, and a failure has a message that can
/// be shown. With a key and without losses the run has the bits of one machine.
#include "../cluster/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static net table; // too large for the stack
    static const fo_tdma_key key = {{1, 2, 3}};
    fo_message why = {0};
    if (!size) return 0;
    bool keyed = data[0] & 1 && foi_tdma_has_keys(), drops = data[0] & 2;
    net_bytes b = {data + 1, size - 1, .drops = drops, .knowing = true};
    if (!net_open(&table, keyed ? &key : NULL, &why)) abort();
    table.meddle = net_meddle;
    table.self = &b;
    if (!net_play(&table) || !net_is_clean(&table)) abort();
    for (uint32_t i = 0; i < NET_ACTORS; i++)
        if (fo_failed(table.actors[i].status) && !*table.actors[i].why.text) abort();
    if (keyed && !drops && !table.lost && !net_is_exact(&table)) abort();
    net_close(&table);
    return 0;
}
