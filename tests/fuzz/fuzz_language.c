/// libFuzzer target: any text through lexer, parser and flattening.
///
///     clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Isrc -o
///     fuzz_language
///         tests/fuzz/fuzz_language.c src/language/*.c src/equations/*.c src/base/*.c -lm
///     ./fuzz_language -dict=tests/fuzz/language.dict corpus tests/language/models
///     tests/language/wrong
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "language/language.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
