/// Any text from its letters to a program that runs a few steps: no crash, no leak, no hang.
#include <foliot/simulation.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "language/language.h"
#include "mutations.h"
#include "program/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// ------------------------------------------------------------------------------------- running

static void run(fo_system system)
{
    fo_message why = {0};
    fo_run_def def = fo_default_run_def();
    def.stop = 0.3, def.max_steps = 20, def.max_jumps = 20;
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    if (sim) fo_simulation_advance(sim, def.stop);
    fo_simulation_destroy(sim);
}

static void make(const foi_flat *flat)
{
    fo_message why = {0};
    foi_place place;
    if (flat->variable_count > 2000) return;
    foi_program *program = foi_program_create(flat, NULL, &why, &place);
    if (!program) return;
    foi_flat_writer writer = {0};
    foi_program_source(program, &writer);
    foi_free(NULL, writer.text);
    fo_program_def machine = {.way = FO_WAY_MEMORY};
    run(foi_program_system(program));
    if (foi_program_run_as(program, &machine, NULL) == FO_OK) run(foi_program_system(program));
    foi_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = foi_new(NULL, size + 1, 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    foi_language_def def = foi_default_language_def();
    foi_messages messages;
    foi_flat *flat;
    def.text = text, def.no_files = true;
    def.most_work = 200000, def.most_memory = 256 << 20;
    foi_messages_begin(&messages, NULL);
    foi_language_load(&def, &flat, &messages);
    if (flat) {
        foi_flat_writer writer = {0};
        foi_flat_print(flat, &writer);
        foi_free(NULL, writer.text);
        make(flat);
    }
    for (size_t i = 0; i < messages.count; i++) {
        char line[1024];
        foi_finding_print(&messages.findings[i], line, sizeof line);
    }
    foi_flat_destroy(flat);
    foi_messages_end(&messages);
    foi_free(NULL, text);
    return 0;
}
