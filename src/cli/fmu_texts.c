// What a unit has of strings and binaries, set by --text and shown after a run.
#include "cli/fmu_texts.h"

#include <stdlib.h>
#include <string.h>

bool fmu_texts_read(const command *c, const texts *given, fo_fmu_text **list)
{
    size_t room = 1;
    for (size_t i = 0; i < given->count; i++) room += strlen(given->list[i]) + 1;
    *list = calloc(1, (given->count + 1) * sizeof **list + room);
    if (!*list) {
        complain(c, "out of memory");
        return false;
    }
    char *names = (char *)(*list + given->count + 1);
    for (size_t i = 0; i < given->count; i++) {
        const char *text = given->list[i], *equals = strchr(text, '=');
        if (!equals || equals == text) {
            complain_usage(c, "--text needs NAME=VALUE, not '%s'", text);
            return false;
        }
        size_t length = (size_t)(equals - text);
        memcpy(names, text, length);
        (*list)[i] = (fo_fmu_text){names, equals + 1};
        names += length + 1;
    }
    return true;
}

// What a stranger's unit says is printed without characters that move the cursor.
static void print_plain(FILE *out, const char *text)
{
    for (; *text; text++) fputc((unsigned char)*text < 32 || *text == 127 ? ' ' : *text, out);
}

void fmu_texts_print(const fo_fmu *fmu, FILE *out)
{
    static char value[4096];
    bool output;
    const char *name;
    if (!fmu || !out) return;
    for (size_t i = 0; (name = fo_fmu_text_name(fmu, i, &output)) != NULL; i++) {
        fo_message why = {0};
        if (!output) continue;
        fo_status status = fo_fmu_get_text(fmu, name, value, sizeof value, &why);
        fprintf(out, "  %-12s ", name);
        print_plain(out, status == FO_OK ? value : why.text);
        fputc('\n', out);
    }
}
