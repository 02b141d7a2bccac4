/// libFuzzer target: any bytes as a session with the language server.
///
/// An input that begins with a line's end is a session of bodies, one in a line, which get their
/// heads here, so that mutations reach what is behind them; any other is handed over as it is. Cut
/// and sliced by what it is. Every answer is a message with a head whose length is right.
#include <foliot/desk.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct answers {
    char text[1 << 20];
    size_t used;
} answers;

// Passes over whole answers; what is left is the beginning of one.
static void check(answers *a)
{
    char *at = a->text;
    a->text[a->used] = 0;
    for (;;) {
        char *body = strstr(at, "\r\n\r\n");
        size_t length;
        if (!body) break;
        if (sscanf(at, "Content-Length: %zu", &length) != 1) abort();
        body += 4;
        if ((size_t)(a->text + a->used - body) < length) break;
        at = body + length;
        if (!length || body[0] != '{') abort();
        while (length && (body[length - 1] == '\n' || body[length - 1] == '\r')) length--;
        if (body[length - 1] != '}') abort();
    }
    a->used -= (size_t)(at - a->text);
    memmove(a->text, at, a->used);
}

static void take(fo_lsp *lsp, answers *a)
{
    size_t n;
    while ((n = fo_lsp_take(lsp, a->text + a->used, sizeof a->text - 1 - a->used))) {
        a->used += n;
        check(a);
        if (a->used > sizeof a->text / 2) a->used = 0; // an answer of half a megabyte
    }
}

static void give(fo_lsp *lsp, const void *bytes, size_t size, size_t part, answers *a)
{
    const char *text = bytes;
    for (size_t from = 0, tries = 0; from < size && tries < 1000; tries++) {
        size_t count = size - from < part ? size - from : part;
        from += fo_lsp_give(lsp, text + from, count);
        fo_lsp_work(lsp, 500);
        take(lsp, a);
    }
}

static void give_lines(fo_lsp *lsp, const uint8_t *data, size_t size, answers *a)
{
    for (size_t from = 0; from < size;) {
        const uint8_t *end = memchr(data + from, '\n', size - from);
        size_t length = end ? (size_t)(end - data) - from : size - from;
        char head[64];
        int n = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", length);
        give(lsp, head, (size_t)n, (size_t)n, a);
        give(lsp, data + from, length, length ? length : 1, a);
        from += length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static answers a;
    fo_message why;
    fo_desk_def def = fo_default_desk_def();
    def.memory = 32 << 20, def.documents = 4, def.message = 65536, def.work = 100000;
    fo_lsp *lsp = fo_lsp_create(&def, &why);
    if (!lsp) return 0;
    a.used = 0;
    if (size && data[0] == '\n')
        give_lines(lsp, data + 1, size - 1, &a);
    else
        give(lsp, data, size, size ? 1 + data[0] % 64 : 1, &a);
    bool orderly;
    for (int i = 0; i < 50 && fo_lsp_work(lsp, 10000) != FO_DESK_IDLE; i++) take(lsp, &a);
    take(lsp, &a);
    fo_lsp_over(lsp, &orderly);
    fo_lsp_destroy(lsp);
    return 0;
}
