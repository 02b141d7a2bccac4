#include "worlds.h"

#include <string.h>

extern const fo_world_model world_predator_prey, world_rocket, world_fire, world_reactor,
    world_dominoes, world_pilot_ejection, world_bouncing_balls, world_mm1, world_bank,
    world_machine_shop, world_gas_station;

static const fo_world_model *const list[] = {
    &world_predator_prey, &world_rocket,         &world_fire,           &world_reactor,
    &world_dominoes,      &world_pilot_ejection, &world_bouncing_balls, &world_mm1,
    &world_bank,          &world_machine_shop,   &world_gas_station};

size_t world_count(void)
{
    return sizeof list / sizeof list[0];
}

const fo_world_model *world_get(size_t index)
{
    return index < world_count() ? list[index] : NULL;
}

const fo_world_model *world_find(const char *name)
{
    for (size_t i = 0; i < world_count(); i++)
        if (strcmp(list[i]->name, name) == 0) return list[i];
    return NULL;
}

const fo_world_model *const *world_list(size_t *count)
{
    *count = world_count();
    return list;
}

fo_status world_end(fo_world *w, fo_status status, fo_message *why)
{
    if (why && fo_failed(status)) *why = *fo_world_message(w);
    fo_world_destroy(w);
    return fo_failed(status) ? status : FO_OK;
}
