/// libFuzzer target: a checkpoint that somebody has changed. The first byte says how:
///
///     0: the rest is the file.
///     1: the rest are changes of a good one, (u16 where, u8 value)..., which keep its checksums.
///     2: the same, and the checksums are made right again; 3: another solver's, too.
///
/// What is accepted is gone on with.
#include <foliot/checkpoint.h>
#include <foliot/structure.h>
#include <string.h>

#include "base/hash.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] =
    "{\"structure\": \"swing\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"name\": "
    "\"tip\", \"at\": [1, 0], \"mass\": 1, \"velocity\": [0, 1]}], \"springs\": [{\"between\": "
    "[1, 2], \"k\": 10}]}";
static const fo_fact facts[] = {{"c", "15"}, {"the document's hash", "0123456789abcdef"}};

static fo_simulation *make(bool stiff)
{
    static fo_structure_document *d; // the same for all
    fo_message why = {0};
    if (!d) d = fo_structure_read("swing", document, sizeof document - 1, NULL, &why);
    if (!d) abort();
    fo_run_def def = fo_default_run_def();
    def.solver = stiff ? "radau5" : "dp45", def.stop = 2, def.max_steps = 300;
    fo_simulation *sim = fo_simulation_create(fo_structure_document_system(d), &def, &why);
    if (!sim) abort();
    return sim;
}

// A good checkpoint in the middle of a run; *count bytes.
static const unsigned char *good_one(bool stiff, size_t *count)
{
    static unsigned char *bytes[2];
    static size_t counts[2];
    if (!bytes[stiff]) {
        char path[] = "/tmp/foliot-fuzz-XXXXXX";
        fo_message why = {0};
        fo_simulation *sim = make(stiff);
        int fd = mkstemp(path);
        if (fd < 0 || fo_failed(fo_simulation_advance(sim, 0.7))) abort();
        if (fo_failed(fo_simulation_save(sim, path, facts, 2, &why))) abort();
        close(fd);
        FILE *file = fopen(path, "rb");
        bytes[stiff] = malloc(1 << 20);
        if (!file || !bytes[stiff]) abort();
        counts[stiff] = fread(bytes[stiff], 1, 1 << 20, file);
        fclose(file);
        unlink(path);
        fo_simulation_destroy(sim);
    }
    *count = counts[stiff];
    return bytes[stiff];
}

static void seal_again(unsigned char *list, size_t length)
{
    for (size_t at = 16; at + 24 <= length;) {
        uint64_t size = 0;
        for (int i = 0; i < 8; i++) size |= (uint64_t)list[at + 8 + (size_t)i] << 8 * i;
        if (size > length - at - 24) return;
        uint64_t sum = foi_hash_of(list + at, 16 + (size_t)size, 0);
        for (int i = 0; i < 8; i++)
            list[at + 16 + size + (size_t)i] = (unsigned char)(sum >> 8 * i);
        at += 24 + (size_t)size;
    }
}

static void go_on_from(const unsigned char *bytes, size_t count, bool stiff, bool changed)
{
    fo_message why = {0};
    scratch file = scratch_make(bytes, count);
    fo_checkpoint *c = fo_checkpoint_open(file.path, NULL, &why);
    if (!c && !why.text[0]) abort(); // a refusal says why
    if (c && changed) abort();       // checksums that do not agree
    if (c) {
        fo_simulation *sim = make(stiff);
        fo_checkpoint_fact(c, "c");
        fo_status status = fo_simulation_load(sim, c, facts, 2, &why);
        if (fo_failed(status) && !why.text[0]) abort();
        if (!fo_failed(status)) fo_simulation_advance(sim, 2);
        fo_simulation_destroy(sim);
    }
    fo_checkpoint_close(c);
    scratch_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char list[1 << 20];
    if (!size) return 0;
    int how = data[0] & 3;
    if (how == 0) {
        go_on_from(data + 1, size - 1, false, false);
        return 0;
    }
    size_t count;
    const unsigned char *bytes = good_one(how == 3, &count);
    memcpy(list, bytes, count);
    for (size_t at = 1; at + 3 <= size; at += 3)
        list[(size_t)(data[at] | data[at + 1] << 8) % count] = data[at + 2];
    bool changed = memcmp(list, bytes, count) != 0;
    if (how != 1) seal_again(list, count);
    go_on_from(list, count, how == 3, changed && how == 1);
    return 0;
}
