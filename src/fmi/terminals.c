/// terminalsAndIcons.xml: which variables belong together, for people who connect units.
#include <stdio.h>
#include <string.h>

#include "fmi/description.h"
#include "fmi/xml.h"

enum { MOST_TERMINALS = 1000, MOST_LINE = 400 };

typedef struct reading {
    foi_fmu_description *d;
    const char *file;
    char path[400]; ///< names of the terminals that are open: "pin.p"
    size_t ends[16];
    uint32_t open;
    char line[MOST_LINE]; ///< of the terminal that is read
} reading;

static void add(reading *r, const char *text)
{
    size_t used = strlen(r->line);
    snprintf(r->line + used, sizeof r->line - used, "%s", text);
}

// The line is kept when another terminal begins or this one ends.
static bool flush(reading *r)
{
    foi_fmu_description *d = r->d;
    if (!r->line[0] || d->terminal_count == MOST_TERMINALS) return true;
    const char *kept = foi_arena_text(&d->arena, r->line, strlen(r->line));
    const char **to = foi_arena_add(&d->arena, &d->terminals, &d->terminal_count, sizeof *to);
    r->line[0] = 0;
    if (!kept || !to) return false;
    *to = kept;
    return true;
}

static fo_status begin_terminal(reading *r, const foi_xml_element *e, fo_message *why)
{
    const char *name = foi_xml_get(e, "name"), *rule = foi_xml_get(e, "matchingRule"),
               *kind = foi_xml_get(e, "terminalKind");
    if (!name || !rule)
        return fo_fail(why, FO_ERROR_FORMAT, "%s:%u: a Terminal needs a name and a matchingRule",
                       r->file, e->line);
    if (!flush(r)) return fo_fail(why, FO_ERROR_MEMORY, "no memory for terminals");
    size_t used = strlen(r->path);
    if (r->open == 16)
        return fo_fail(why, FO_ERROR_FORMAT, "%s:%u: Terminals are nested more than 16 deep",
                       r->file, e->line);
    r->ends[r->open++] = used;
    snprintf(r->path + used, sizeof r->path - used, "%s%s", used ? "." : "", name);
    add(r, r->path), add(r, " ("), add(r, rule);
    if (kind) add(r, ", "), add(r, kind);
    add(r, "):");
    return FO_OK;
}

static fo_status begin(void *self, const foi_xml_element *e, fo_message *why)
{
    reading *r = self;
    if (e->depth == 1 && strcmp(e->name, "fmiTerminalsAndIcons") != 0)
        return fo_fail(why, FO_ERROR_FORMAT, "%s:%u: expected fmiTerminalsAndIcons, found '%.60s'",
                       r->file, e->line, e->name);
    if (strcmp(e->name, "Terminal") == 0) return begin_terminal(r, e, why);
    if (strcmp(e->name, "TerminalMemberVariable") != 0 || !r->open) return FO_OK;
    const char *variable = foi_xml_get(e, "variableName"), *member = foi_xml_get(e, "memberName");
    bool known = false;
    for (uint32_t i = 0; variable && i < r->d->variable_count && !known; i++)
        known = strcmp(r->d->variables[i].name, variable) == 0;
    if (!known)
        return fo_fail(why, FO_ERROR_FORMAT,
                       "%s:%u: a Terminal names '%.80s', which is not a variable", r->file, e->line,
                       variable ? variable : "");
    add(r, " "), add(r, variable);
    if (member) add(r, " as "), add(r, member);
    add(r, ",");
    return FO_OK;
}

static fo_status end(void *self, const char *name, fo_message *why)
{
    reading *r = self;
    if (strcmp(name, "Terminal") != 0 || !r->open) return FO_OK;
    size_t length = strlen(r->line);
    if (length && (r->line[length - 1] == ',' || r->line[length - 1] == ':'))
        r->line[length - 1] = 0;
    r->path[r->ends[--r->open]] = 0;
    return flush(r) ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for terminals");
}

fo_status foi_fmu_read_terminals(foi_fmu_description *d, const char *file, const char *text,
                                 size_t length, fo_message *why)
{
    reading r = {.d = d, .file = file};
    foi_xml_def def = {.file = file,
                       .text = text,
                       .length = length,
                       .self = &r,
                       .begin = begin,
                       .end = end,
                       .allocator = d->arena.allocator};
    return foi_xml_read(&def, why);
}
