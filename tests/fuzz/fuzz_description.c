/// libFuzzer target: any bytes as the modelDescription.xml of an FMU, up to the names, lists and
/// start values of the unit; its binary is not there.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/fmu.h"
#include "purse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void plan(fo_fmu *f, bool cosimulation)
{
    fo_message why = {0};
    foi_unit *u = &f->unit;
    u->cosimulation = cosimulation;
    u->can = cosimulation ? &u->about.cosimulation : &u->about.exchange;
    if (!u->can->there) return;
    if (foi_unit_plan(u, &why) == FO_OK && foi_fmu_name(f, &why) == FO_OK) {
        for (uint32_t i = 0; i < f->about.parameters.count; i++)
            if (!f->about.parameters.list[i].name) abort();
    } else if (!why.text[0])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    fo_allocator purse = {.self = &used, .resize = resize};
    fo_message why = {0};
    for (int type = 0; type < 2; type++) {
        fo_fmu f = {.allocator = &purse, .unit.allocator = &purse};
        char *text = malloc(size + 1);
        if (!text) return 0;
        if (size) memcpy(text, data, size);
        text[size] = 0;
        foi_arena_begin(&f.unit.arena, &purse, 0);
        fo_status status = foi_fmu_describe(&f.unit.about, "fuzz.xml", text, size, &purse, &why);
        free(text); // nothing of it is kept
        if (status == FO_OK) {
            uint64_t values = 0;
            for (uint32_t i = 0; i < f.unit.about.variable_count; i++)
                values += f.unit.about.variables[i].size;
            if (values < 2000) plan(&f, type);
            foi_unit_free(&f.unit);
            foi_fmu_forget(&f.unit.about);
        } else {
            if (!why.text[0]) abort(); // a refusal says why
            foi_arena_end(&f.unit.arena);
        }
        if (used) abort();
    }
    return 0;
}
