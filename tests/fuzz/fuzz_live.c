/// libFuzzer target: any bytes as what comes in at the socket of a live run. They are cut into
/// lines as there, and every line is told to a running model, which goes on in between.
#include <foliot/foliot.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/live/lines.c" // of the program, not of the library

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] =
    "{\"structure\": \"swing\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"name\": "
    "\"tip\", \"at\": [1, 0], \"mass\": 1, \"velocity\": [0, 1]}], \"springs\": [{\"between\": "
    "[1, 2], \"k\": 10}]}";

/// One answer to a line that was said: one line, or nothing, that can be shown.
static void tell(fo_live *live, const char *line)
{
    char answer[FO_LIVE_ANSWER] = "";
    fo_status status = fo_live_tell(live, line, 2, answer);
    bool ok = strncmp(answer, "ok", 2) == 0, error = strncmp(answer, "error ", 6) == 0;
    if (*answer && !ok && !error) abort();
    if (fo_failed(status) && !error) abort();
    if (memchr(answer, 0, sizeof answer) == NULL) abort();
    for (const char *c = answer; *c; c++)
        if ((unsigned char)*c < ' ') abort();
}

static void converse(fo_live *live, fo_virtual_clock *clock, const uint8_t *data, size_t size)
{
    lines in = {0};
    int ends[2];
    size_t at = 0;
    if (pipe(ends) != 0) abort();
    for (double now = 0; !in.ended || in.used; now += 0.02) {
        size_t part = size - at < 700 ? size - at : 700;
        if (part && write(ends[1], data + at, part) != (ssize_t)part) abort();
        at += part;
        if (at == size && ends[1] >= 0) close(ends[1]), ends[1] = -1;
        if (!lines_read(&in, ends[0]) && !in.used) break;
        const char *line;
        while (!lines_throttled(&in, now) && (line = lines_next(&in))) tell(live, line);
        if (in.used >= sizeof in.text) abort();
        clock->now += 20000000;
        fo_status status = fo_live_advance(live);
        if (status != FO_REACHED) break;
        if (in.ended && in.used && in.scanned == in.used) break;
    }
    if (ends[1] >= 0) close(ends[1]);
    close(ends[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why = {0};
    fo_virtual_clock clock = {.now = 1000000000};
    static fo_structure_document *d; // the same for all
    if (!d) d = fo_structure_read("swing", document, sizeof document - 1, NULL, &why);
    if (!d) abort();
    fo_live_def def = fo_default_live_def(fo_structure_document_system(d));
    def.clock = fo_virtual_clock_use(&clock);
    def.run.solver = "rk4", def.run.step = 0.01;
    fo_live *live = fo_live_create(&def, &why);
    if (!live) abort();
    if (!fo_failed(fo_live_start(live))) converse(live, &clock, data, size);
    fo_live_destroy(live);
    return 0;
}
