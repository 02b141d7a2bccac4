/// What is to be said about a document, as data.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

// ------------------------------------------------------------------------------ the place in a
// line

static const char *line_of(const char *source, uint32_t line, size_t *length)
{
    for (uint32_t i = 1; i < line && source; i++) {
        source = strchr(source, '\n');
        if (source) source++;
    }
    *length = source && line ? strcspn(source, "\r\n") : 0;
    return line ? source : NULL;
}

static size_t character(const char *at)
{
    size_t n = 1;
    while (((unsigned char)at[n] & 0xc0) == 0x80) n++;
    return n;
}

// How many characters the word, number or text at a column has; 1 for a bracket.
static uint32_t extent(const char *line, uint32_t column)
{
    for (uint32_t i = 1; i < column && *line; i++) line += character(line);
    if (!*line || *line == '\n' || !column) return 0;
    uint32_t count = 1;
    const char *at = line + character(line);
    if (*line == '"') {
        while (*at && *at != '\n' && *at != '"') {
            if (*at == '\\' && at[1] && at[1] != '\n') at++, count++;
            at += character(at), count++;
        }
        return count + (*at == '"');
    }
    bool word = isalnum((unsigned char)*line) || strchr("_-.+", *line);
    while (word && *at && (isalnum((unsigned char)*at) || strchr("_.", *at))) at++, count++;
    return count;
}

// ------------------------------------------------------------------------------------------ adding

static const char *keep(fo_model *m, const char *text, size_t length)
{
    return text ? foi_arena_text(&m->arena, text, length) : NULL;
}

// "...; did you mean 'x'?" is two things.
static const char *hint_in(const char *text)
{
    const char *hint = strstr(text, "; did you mean ");
    return hint ? hint + 2 : NULL;
}

void foi_model_add_finding(fo_model *m, const fo_finding *f, const char *source)
{
    fo_finding *to = foi_arena_add(&m->arena, &m->findings, &m->finding_count, sizeof *to);
    if (!to) return;
    size_t length = 0;
    const char *line = f->source ? f->source : line_of(source, f->line, &length);
    if (f->source) length = strlen(f->source);
    *to = *f;
    to->file = f->file ? keep(m, f->file, strlen(f->file)) : NULL;
    to->text = keep(m, f->text, strlen(f->text));
    const char *hint = f->hint ? f->hint : hint_in(f->text);
    to->hint = hint ? keep(m, hint, strlen(hint)) : NULL;
    to->source = keep(m, line, length);
    if (to->source && !to->length) to->length = extent(to->source, to->column);
    if (!to->text) m->finding_count--; // no memory: the status says so
}

// "name:12:3: words" -> the numbers and the words.
static const char *take_place(const char *text, const char *name, fo_finding *f)
{
    size_t length = strlen(name);
    char *end;
    if (strncmp(text, name, length) != 0 || text[length] != ':') return text;
    f->file = name;
    const char *at = text + length + 1;
    if (!isdigit((unsigned char)*at)) return at + (*at == ' ');
    unsigned long line = strtoul(at, &end, 10);
    if (*end != ':' || !isdigit((unsigned char)end[1])) return at;
    unsigned long column = strtoul(end + 1, &end, 10);
    if (*end != ':') return at;
    f->line = (uint32_t)line, f->column = (uint32_t)column;
    return end + 1 + (end[1] == ' ');
}

void foi_model_take_message(fo_model *m, const fo_message *why, const char *source)
{
    fo_finding f = {.severity = FO_SEVERITY_ERROR};
    f.text = why->text;
    if (m->path) f.text = take_place(why->text, m->path, &f);
    foi_model_add_finding(m, &f, source);
}
