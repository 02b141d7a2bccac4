// What a definition says when nothing is said.
#include <foliot/structure.h>

fo_structure_def fo_default_structure_def(void)
{
    return (fo_structure_def){.dimension = 2};
}

fo_spring_def fo_default_spring_def(void)
{
    return (fo_spring_def){.b = 1, .energy = FO_SPRING_LENGTHS, .k = 1};
}

fo_bend_def fo_default_bend_def(void)
{
    return (fo_bend_def){.k = 1};
}

fo_volume_def fo_default_volume_def(void)
{
    return (fo_volume_def){.facets = NULL};
}

fo_skin_def fo_default_skin_def(void)
{
    return (fo_skin_def){.facets = NULL};
}

fo_port_def fo_default_port_def(void)
{
    return (fo_port_def){.name = "port", .direction = {1}};
}

fo_part_def fo_default_part_def(void)
{
    return (fo_part_def){.kind = FO_PART_BAR, .name = "part", .cells = {1, 1, 1}};
}
