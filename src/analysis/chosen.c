#include "analysis/chosen.h"

#include "program/program.h"

bool foi_system_chooses(fo_system system)
{
    return foi_choice_owner(system) != NULL;
}
