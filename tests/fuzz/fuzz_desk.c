/// libFuzzer target: any bytes as a session with a desk, cut and sliced by what they are.
#include <foliot/desk.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    char buffer[4096];
    def.memory = 32 << 20, def.rows = 10000, def.documents = 4, def.runs = 4, def.lives = 2;
    def.message = 65536;
    fo_desk *desk = fo_desk_create(&def, &why);
    size_t part = size ? 1 + data[0] % 64 : 1;
    for (size_t from = 0; desk && from < size;) {
        size_t count = size - from < part ? size - from : part;
        size_t taken = fo_desk_give(desk, data + from, count);
        from += taken ? taken : 1;
        fo_desk_work(desk, (int64_t)from, 500);
        while (fo_desk_take(desk, buffer, sizeof buffer)) continue;
    }
    if (desk) fo_desk_end(desk);
    for (int i = 0; desk && i < 50 && fo_desk_work(desk, 0, 10000) != FO_DESK_IDLE; i++)
        while (fo_desk_take(desk, buffer, sizeof buffer)) continue;
    fo_desk_destroy(desk);
    return 0;
}
