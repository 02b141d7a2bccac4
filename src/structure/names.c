/// Finding nodes by name: an open table of those that have one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "structure/structure.h"

// FNV-1a
static size_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;
    for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

static void put(fo_structure *s, uint32_t node)
{
    size_t mask = s->index_room - 1, at = hash(s->names[node]) & mask;
    while (s->index[at]) at = (at + 1) & mask;
    s->index[at] = node + 1;
}

// At most half full, so that searches are short.
bool foi_names_room(fo_structure *s)
{
    if (2 * (s->named + 1) <= s->index_room) return true;
    size_t room = s->index_room ? 2 * s->index_room : 64;
    uint32_t *bigger = foi_new(s->def.allocator, room, sizeof *bigger);
    if (!bigger) return false;
    foi_free(s->def.allocator, s->index);
    s->index = bigger, s->index_room = room;
    for (uint32_t i = 0; i < s->nodes; i++)
        if (s->names[i]) put(s, i);
    return true;
}

void foi_names_add(fo_structure *s, uint32_t node)
{
    if (!s->names[node]) return;
    put(s, node);
    s->named++;
}

uint32_t fo_structure_find(const fo_structure *s, const char *name)
{
    size_t mask = s->index_room - 1;
    if (s->index_room)
        for (size_t at = hash(name) & mask; s->index[at]; at = (at + 1) & mask)
            if (strcmp(s->names[s->index[at] - 1], name) == 0) return s->index[at] - 1;
    // a node without a name is called by its number
    char number[24], *end;
    unsigned long i = strtoul(name, &end, 10);
    if (*end || i < 1 || i > s->nodes || s->names[i - 1]) return UINT32_MAX;
    snprintf(number, sizeof number, "%lu", i);
    return strcmp(number, name) == 0 ? (uint32_t)i - 1 : UINT32_MAX;
}
