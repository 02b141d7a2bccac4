// The catalogue of node types.
#include <ctype.h>
#include <string.h>

#include "diagram/node.h"

static const foi_node_type *const *const sets[] = {
    foi_nodes_continuous, foi_nodes_discrete, foi_nodes_tables,    foi_nodes_math,
    foi_nodes_logic,      foi_nodes_matrix,   foi_nodes_nonlinear, foi_nodes_signals,
    foi_nodes_arrange,    foi_nodes_sinks,    foi_nodes_sources,   foi_nodes_random,
    foi_nodes_file,       foi_nodes_control,  foi_nodes_route,     foi_nodes_entity,
    foi_nodes_guest,      foi_nodes_unit,
};
enum { SETS = sizeof sets / sizeof sets[0] };

const foi_node_type *foi_node_type_at(size_t index)
{
    for (size_t i = 0; i < SETS; i++)
        for (size_t j = 0; sets[i][j]; j++)
            if (index-- == 0) return sets[i][j];
    return NULL;
}

// The next letter or digit that counts.
static int next_letter(const char **at)
{
    while (**at && !isalnum((unsigned char)**at)) (*at)++;
    return **at ? tolower((unsigned char)*(*at)++) : 0;
}

bool foi_same_name(const char *a, const char *b)
{
    for (;;) {
        int x = next_letter(&a), y = next_letter(&b);
        if (x != y) return false;
        if (!x) return true;
    }
}

const foi_node_type *foi_node_type_find(const char *name)
{
    for (size_t i = 0; i < SETS; i++)
        for (size_t j = 0; sets[i][j]; j++)
            if (foi_same_name(sets[i][j]->name, name)) return sets[i][j];
    return NULL;
}

uint32_t foi_port_count(const char *names)
{
    uint32_t count = *names ? 1 : 0;
    for (; *names; names++) count += *names == '|';
    return count;
}

const char *foi_list_item(const char *list, uint32_t index, char *text, size_t size)
{
    while (index && *list)
        if (*list++ == '|') index--;
    size_t length = strcspn(list, "|");
    if (index) length = 0;
    if (length >= size) length = size - 1;
    memcpy(text, list, length);
    text[length] = 0;
    return text;
}
