#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/text.h"

enum { INDENT = 2, DEEPEST = 63 };

static void put(foi_json_writer *w, const char *bytes, size_t count)
{
    if (w->failed) return;
    if (!foi_array_room(w->allocator, &w->text, &w->room, w->length + count + 1, 1)) {
        w->failed = true;
        return;
    }
    memcpy(w->text + w->length, bytes, count);
    w->length += count;
    w->text[w->length] = 0;
}

static bool flat(const foi_json_writer *w)
{
    return w->flat >> w->depth & 1;
}

static void new_line(foi_json_writer *w)
{
    put(w, "\n", 1);
    for (int i = 0; i < w->depth * INDENT; i++) put(w, " ", 1);
}

// What a terminal would obey is written as its number: the text may be shown as it is.
static void put_quoted(foi_json_writer *w, const char *text)
{
    put(w, "\"", 1);
    for (size_t length = 1; *text; text += length) {
        bool plain = *text >= ' ' && *text <= '~';
        uint32_t point = plain ? 0 : foi_text_command(text, &length); // all have four digits
        char escape[8];
        if (plain) length = 1;
        if (*text == '"' || *text == '\\')
            put(w, (char[]){'\\', *text}, 2);
        else if (*text == '\n' || *text == '\t')
            put(w, *text == '\n' ? "\\n" : "\\t", 2);
        else if (point)
            put(w, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)point));
        else
            put(w, text, length);
    }
    put(w, "\"", 1);
}

// What stands before a value: comma, line, key.
static void lead(foi_json_writer *w, const char *key)
{
    if (w->filled) put(w, flat(w) ? ", " : ",", flat(w) ? 2 : 1);
    if (w->depth && !flat(w)) new_line(w);
    if (key) {
        put_quoted(w, key);
        put(w, ": ", 2);
    }
    w->filled = true;
}

void foi_json_open(foi_json_writer *w, const char *key, char bracket, bool on_one_line)
{
    assert(w->depth < DEEPEST);
    lead(w, key);
    put(w, &bracket, 1);
    bool inherited = flat(w);
    w->depth++;
    w->flat &= ~((uint64_t)1 << w->depth);
    w->flat |= (uint64_t)(on_one_line || inherited) << w->depth;
    w->filled = false;
}

void foi_json_close(foi_json_writer *w, char bracket)
{
    bool on_one_line = flat(w);
    assert(w->depth > 0);
    w->depth--;
    if (w->filled && !on_one_line) new_line(w);
    put(w, &bracket, 1);
    w->filled = true;
    if (!w->depth) put(w, "\n", 1);
}

void foi_json_put_number(foi_json_writer *w, const char *key, double value)
{
    char text[32];
    if (!isfinite(value)) w->failed = true;
    lead(w, key);
    put(w, text, (size_t)foi_number_text(value, text));
}

void foi_json_put_text(foi_json_writer *w, const char *key, const char *text)
{
    lead(w, key);
    put_quoted(w, text);
}

void foi_json_put_truth(foi_json_writer *w, const char *key, bool truth)
{
    lead(w, key);
    put(w, truth ? "true" : "false", truth ? 4 : 5);
}

void foi_json_put_null(foi_json_writer *w, const char *key)
{
    lead(w, key);
    put(w, "null", 4);
}

void foi_json_writer_destroy(foi_json_writer *w)
{
    foi_free(w->allocator, w->text);
    *w = (foi_json_writer){.allocator = w->allocator};
}
