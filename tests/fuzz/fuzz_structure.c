/// libFuzzer target: any text as a document of a structure or a Hamiltonian. What is accepted is
/// written, read back, and asked for its rates.
///
///     clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Isrc -o
///     fuzz_structure tests/fuzz/fuzz_structure.c (the library)
///     ./fuzz_structure corpus tests/fuzz/corpus/structure
#include <foliot/structure.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "purse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_rates(const fo_structure_document *d)
{
    fo_message why;
    fo_run_def run = fo_default_run_def();
    run.solver = "euler", run.step = 1e-3, run.stop = 2e-3;
    fo_simulation *sim = fo_simulation_create(fo_structure_document_system(d), &run, &why);
    if (sim) fo_simulation_advance(sim, 2e-3);
    fo_simulation_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    fo_allocator allocator = {resize, &used};
    fo_message why = {0};
    fo_structure_document *d =
        fo_structure_read("fuzz", (const char *)data, size, &allocator, &why);
    if (!d && !why.text[0]) abort(); // a refusal says why
    if (d && fo_system_shape(fo_structure_document_system(d)).states < 2000) {
        size_t length = fo_structure_document_write(d, NULL, 0);
        char *text = length ? malloc(length + 1) : NULL;
        if (text) fo_structure_document_write(d, text, length + 1);
        fo_structure_document *again =
            text ? fo_structure_read("again", text, length, &allocator, &why) : NULL;
        if (text && !again && why.status != FO_ERROR_MEMORY) abort();
        fo_structure_document_destroy(again);
        free(text);
        ask_rates(d);
    }
    fo_structure_document_destroy(d);
    if (used) abort();
    return 0;
}
