#include "gallery.h"

#include <string.h>

#include "base/text.h"
#include "worlds/worlds.h"

extern const fo_compiled_model gallery_pendulum;
extern const fo_compiled_model gallery_ball;
extern const fo_compiled_model gallery_double_pendulum;
extern const fo_compiled_model gallery_lorenz;
extern const fo_compiled_model gallery_van_der_pol;
extern const fo_compiled_model gallery_van_der_pol_stiff;
extern const fo_compiled_model gallery_robertson;
extern const fo_compiled_model gallery_roberts_dae;
extern const fo_compiled_model gallery_kepler;
extern const fo_compiled_model gallery_mass_spring_damper;
extern const fo_compiled_model gallery_dip;

static const fo_compiled_model *const list[] = {
    &gallery_pendulum,
    &gallery_ball,
    &gallery_double_pendulum,
    &gallery_lorenz,
    &gallery_van_der_pol,
    &gallery_van_der_pol_stiff,
    &gallery_robertson,
    &gallery_roberts_dae,
    &gallery_kepler,
    &gallery_mass_spring_damper,
    &gallery_dip,
};

size_t gallery_count(void)
{
    return sizeof list / sizeof list[0];
}

const fo_compiled_model *gallery_get(size_t index)
{
    return index < gallery_count() ? list[index] : NULL;
}

const fo_compiled_model *gallery_find(const char *name, fo_message *why)
{
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t i = 0; i < gallery_count(); i++) {
        if (strcmp(list[i]->system.about->name, name) == 0) return list[i];
        foi_nearest_try(&nearest, list[i]->system.about->name);
    }
    fo_fail(why, FO_ERROR_ARGUMENT, "the gallery has no model '%s'%s", name,
            foi_nearest_hint(&nearest));
    return NULL;
}

fo_model_table fo_compiled_models(void)
{
    fo_model_table table = {.systems = list, .system_count = gallery_count()};
    table.worlds = world_list(&table.world_count);
    return table;
}
