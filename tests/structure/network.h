/// Small structures for the tests.
#ifndef TEST_STRUCTURE_NETWORK_H
#define TEST_STRUCTURE_NETWORK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "structure/structure.h"
#include "test.h"

static const fo_structure_def plane = {.name = "plane", .dimension = 2};

static inline uint32_t add_node(fo_structure *s, double mass, double x, double y, unsigned fixed)
{
    uint32_t index = UINT32_MAX;
    fo_message why = {0};
    fo_structure_node def = {.mass = mass, .position = {x, y}, .fixed = fixed};
    CHECK_STATUS(fo_structure_add_node(s, &def, &index, &why), FO_OK, &why);
    return index;
}

static inline void add_spring(fo_structure *s, uint32_t a, uint32_t b, double k)
{
    fo_message why = {0};
    fo_spring_def def = {.a = a, .b = b, .k = k};
    CHECK_STATUS(fo_structure_add_spring(s, &def, NULL, &why), FO_OK, &why);
}

/// The document's beam: two rows of `columns` nodes, 2 m apart; bottom node of column i is 2 i, top
/// is 2 i + 1. Springs along, up, and both diagonals of each cell.
static inline void add_beam(fo_structure *s, int columns, double mass, double along, double up,
                            double diagonal)
{
    for (int i = 0; i < columns; i++) {
        double m = i == 0 || i == columns - 1 ? mass / 2 : mass;
        add_node(s, m, 2 * i, 0, 0);
        add_node(s, m, 2 * i, 2, 0);
    }
    for (uint32_t i = 0; i < (uint32_t)columns; i++) {
        add_spring(s, 2 * i, 2 * i + 1, up);
        if (i + 1 == (uint32_t)columns) break;
        add_spring(s, 2 * i, 2 * i + 2, along);
        add_spring(s, 2 * i + 1, 2 * i + 3, along);
        add_spring(s, 2 * i, 2 * i + 3, diagonal);
        add_spring(s, 2 * i + 1, 2 * i + 2, diagonal);
    }
}

static inline void fix(fo_structure *s, uint32_t node, unsigned fixed)
{
    fo_message why = {0};
    CHECK_STATUS(fo_structure_fix(s, node, fixed, &why), FO_OK, &why);
}

static inline void add_port(fo_structure *s, const char *name, uint32_t node, double x, double y)
{
    fo_message why = {0};
    fo_port_def def = {.name = name, .node = node, .direction = {x, y}};
    CHECK_STATUS(fo_structure_add_port(s, &def, NULL, &why), FO_OK, &why);
}

static inline void finish(fo_structure *s)
{
    fo_message why = {0};
    CHECK_STATUS(fo_structure_finish(s, &why), FO_OK, &why);
    CHECK_STATUS(fo_system_check(fo_structure_system(s), &why), FO_OK, &why);
}

#endif
