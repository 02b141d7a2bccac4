#include "language/message.h"

#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { LONGEST_LINE = 200 }; // a longer source line is cut
enum { LONGEST_PATH = 100 }; // the name of a longer instance explains nothing

void foi_messages_begin(foi_messages *messages, const fo_allocator *allocator)
{
    *messages = (foi_messages){0};
    foi_arena_begin(&messages->arena, allocator, 0);
}

void foi_messages_end(foi_messages *messages)
{
    foi_free(messages->arena.allocator, messages->findings);
    foi_arena_end(&messages->arena);
    foi_messages_begin(messages, messages->arena.allocator);
}

// What a terminal would obey, or is no UTF-8, becomes '?', one for each byte, so that the caret
// stands where it should.
static const char *shown(char *line)
{
    size_t length;
    for (char *c = line; c && *c; c += length) {
        bool obeyed = foi_text_command(c, &length) && *c != '\t';
        bool torn = length == 1 && (unsigned char)*c >= 0x80;
        if (obeyed || torn) memset(c, '?', length);
    }
    return line;
}

static const char *line_of(foi_messages *messages, const char *source, uint32_t line)
{
    for (uint32_t i = 1; i < line && source; i++) {
        source += strcspn(source, "\r\n");
        if (source[0] == '\r' && source[1] == '\n') source++;
        source = *source ? source + 1 : NULL;
    }
    if (!source || line == 0) return NULL;
    size_t length = strcspn(source, "\r\n");
    return shown(
        foi_arena_text(&messages->arena, source, length < LONGEST_LINE ? length : LONGEST_LINE));
}

static bool known(const foi_messages *messages, const foi_finding *f)
{
    for (size_t i = 0; i < messages->count; i++) {
        const foi_finding *g = &messages->findings[i];
        if (g->line != f->line || g->column != f->column || strcmp(g->file, f->file) != 0) continue;
        bool errors = g->severity == FOI_ERROR && f->severity == FOI_ERROR;
        bool same = g->bare == f->bare && memcmp(g->text, f->text, f->bare) == 0;
        if ((messages->one_each && errors && f->line) || same) return true;
    }
    return false;
}

// Does a text name an instance, or something in it: 'pump.motor.n'?
static bool names(const char *text, const char *instance)
{
    for (const char *at = text; (at = strstr(at, instance)); at++)
        if (at > text && (at[-1] == '\'' || at[-1] == '`')) return true;
    return false;
}

void foi_messages_add(foi_messages *messages, foi_severity severity, const char *file,
                      foi_place place, const char *source, const char *within, const char *format,
                      va_list arguments)
{
    if (messages->full) return;
    char raw[FO_MESSAGE_SIZE], text[FO_MESSAGE_SIZE];
    vsnprintf(raw, sizeof raw, format, arguments);
    foi_text_escape(raw, "", text, sizeof text);
    foi_finding f = {.severity = severity, .line = place.line, .column = place.column};
    f.file = file, f.text = text, f.bare = strlen(text);
    if (known(messages, &f)) return;
    bool told = within && *within && strlen(within) <= LONGEST_PATH && !names(text, within);
    if (severity == FOI_ERROR && told)
        snprintf(text + f.bare, sizeof text - f.bare, " (in '%s')", within);
    if (severity == FOI_ERROR && messages->errors == FOI_MOST_ERRORS) {
        messages->full = true;
        return;
    }
    if (severity != FOI_ERROR && messages->warnings >= FOI_MOST_ERRORS) return;
    messages->errors += severity == FOI_ERROR;
    messages->warnings += severity == FOI_WARNING;
    f.file = foi_arena_text(&messages->arena, file, strlen(file));
    f.text = foi_arena_text(&messages->arena, text, strlen(text));
    f.source = line_of(messages, source, place.line);
    if (!f.file || !f.text ||
        !foi_array_room(messages->arena.allocator, &messages->findings, &messages->room,
                        messages->count + 1, sizeof f)) {
        messages->arena.failed = true; // the error is counted all the same
        return;
    }
    messages->findings[messages->count++] = f;
}

void foi_messages_forget(foi_messages *m, size_t count)
{
    for (; m->count > count; m->count--) {
        m->errors -= m->findings[m->count - 1].severity == FOI_ERROR;
        m->warnings -= m->findings[m->count - 1].severity == FOI_WARNING;
        m->full = false;
    }
}

int foi_finding_print(const foi_finding *f, char *text, size_t size)
{
    static const char *const words[] = {"error", "warning", "note"};
    if (f->line == 0)
        return snprintf(text, size, "%s: %s: %s\n", f->file, words[f->severity], f->text);
    if (!f->source)
        return snprintf(text, size, "%s:%u:%u: %s: %s\n", f->file, f->line, f->column,
                        words[f->severity], f->text);
    // tabs stay tabs under the line, so that the caret stands where it should
    char pad[LONGEST_LINE + 1];
    uint32_t n = 0;
    for (; n + 1 < f->column && n < LONGEST_LINE && f->source[n]; n++)
        pad[n] = f->source[n] == '\t' ? '\t' : ' ';
    pad[n] = 0;
    return snprintf(text, size, "%s:%u:%u: %s: %s\n    %s\n    %s^\n", f->file, f->line, f->column,
                    words[f->severity], f->text, f->source, pad);
}

void foi_messages_print(const foi_messages *messages, FILE *out)
{
    for (size_t i = 0; i < messages->count; i++) {
        char text[FO_MESSAGE_SIZE + 1024];
        foi_finding_print(&messages->findings[i], text, sizeof text);
        fputs(text, out);
    }
    if (messages->full)
        fprintf(out, "more errors follow; these are the first %d\n", FOI_MOST_ERRORS);
}
