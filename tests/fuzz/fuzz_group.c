/// libFuzzer target: any bytes as a document of several units. The first letter says which: x is a
/// SystemStructure.ssd, v a file of parameters (*.ssv) that one names, j a *.fmus.json.
#include <foliot/fmi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/group.h"
#include "purse.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char around[] =
    "<ssd:SystemStructureDescription name='s' version='1.0'><ssd:System name='root'>"
    "<ssd:ParameterBindings><ssd:ParameterBinding source='%s'/></ssd:ParameterBindings>"
    "<ssd:Elements><ssd:Component name='a' source='a.fmu'/></ssd:Elements></ssd:System>"
    "</ssd:SystemStructureDescription>";

// What was read can be gone through: every name is there, every number is one.
static void go_through(const foi_group_plan *p)
{
    size_t letters = 0;
    for (uint32_t i = 0; i < p->part_count; i++)
        letters += strlen(p->parts[i].name) + strlen(p->parts[i].source);
    for (uint32_t i = 0; i < p->wire_count; i++)
        letters += strlen(p->wires[i].from.name) + strlen(p->wires[i].to.name);
    for (uint32_t i = 0; i < p->value_count; i++) {
        letters += strlen(p->values[i].name);
        if (p->values[i].value != p->values[i].value) abort();
    }
    if (letters == SIZE_MAX) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    fo_allocator purse = {.self = &used, .resize = resize};
    fo_message why = {0};
    char outer[1024];
    if (!size || !data[0] || !strchr("xvj", data[0])) return 0;
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    foi_group_plan p = {.file = "fuzz", .folder = "/tmp/"};
    foi_arena_begin(&p.arena, &purse, 0);
    fo_status status;
    if (data[0] == 'v') {
        char path[64];
        scratch file = scratch_make(data + 1, size - 1);
        snprintf(path, sizeof path, "/tmp/foliot-fuzz-%d.ssv", (int)getpid());
        unlink(path);
        if (symlink(file.path, path) != 0) abort();
        snprintf(outer, sizeof outer, around, path + sizeof "/tmp");
        status = foi_group_read_ssd(&p, outer, strlen(outer), &why);
        unlink(path);
        scratch_free(&file);
    } else if (data[0] == 'x') {
        status = foi_group_read_ssd(&p, text, size - 1, &why);
    } else {
        status = foi_group_read_json(&p, text, size - 1, &why);
    }
    free(text); // nothing of it is kept
    if (status == FO_OK) go_through(&p);
    if (status != FO_OK && !why.text[0]) abort(); // a refusal says why
    foi_arena_end(&p.arena);
    if (used) abort();
    return 0;
}
