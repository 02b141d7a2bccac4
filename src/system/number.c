#include "system/number.h"

#include <math.h>
#include <string.h>

/// Above zero: 0 stands for a number that is not given.
static const double TINY = 0x1p-1022;

/// What documents have by the same key everywhere. min = max = 0: as the reader says.
static const struct {
    const char *key, *unit, *about;
    double min, max;
} known[] = {
    {"c", "m/s", "speed of waves", 0, 0},
    {"b1", "1/s", "damping of velocities", 0, 0},
    {"b2", "m^2/s", "damping of their curvature", 0, 0},
    {"diffusivity", "m^2/s", NULL, 0, 0},
    {"mass", "kg", NULL, 0, 0},
    {"gravity", "m/s^2", NULL, 0, 0},
    {"friction", "N s/m", "force -friction v", 0, 0},
    {"friction_rate", "1/s", "force -rate m v", 0, 0},
    {"young", "N/m^2", "modulus of elasticity", 0, 0},
    {"poisson", "", "Poisson's ratio", -1 + 0x1p-53, 0.5 - 0x1p-54},
    {"density", "kg/m^3", NULL, 0, 0},
    {"length", "m", NULL, 0, 0},
    {"spacing", "m", NULL, 0, 0},
    {"thickness", "m", NULL, 0, 0},
    {"radius", "m", NULL, 0, 0},
    {"area", "m^2", NULL, 0, 0},
    {"inertia", "m^4", "second moment of area", 0, 0},
    {"omega", "rad/s", NULL, 0, 0},
    {"phase", "rad", NULL, 0, 0},
    {"dimension", NULL, "of space", 1, 3},
    {"columns", NULL, "of nodes; decides the size of the model", 1, UINT32_MAX},
    {"rows", NULL, "of nodes; decides the size of the model", 1, UINT32_MAX},
    {"layers", NULL, "of nodes; decides the size of the model", 1, UINT32_MAX},
    {"cells", NULL, "decides the size of the model", 1, UINT32_MAX},
    {"size", NULL, "nodes; decides the size of the model", 1, UINT32_MAX},
};

static void add_known(fo_variable *v, const char *key)
{
    size_t length = strcspn(key, "[");
    for (size_t i = 0; i < FO_COUNT(known); i++) {
        if (strlen(known[i].key) != length || strncmp(known[i].key, key, length) != 0) continue;
        v->unit = known[i].unit, v->about = known[i].about;
        if (known[i].max != 0) v->min = known[i].min, v->max = known[i].max;
    }
}

fo_variable foi_number_variable(const foi_listed_number *n)
{
    fo_variable v = {.name = n->name,
                     .start = n->value,
                     .causality = FO_CAUSALITY_PARAMETER,
                     .variability = FO_VARIABILITY_FIXED,
                     .type = n->whole ? FO_INTEGER : FO_REAL};
    if (!n->negative) v.max = n->whole ? UINT32_MAX : INFINITY;
    if (n->positive && n->value > 0) v.min = TINY;
    add_known(&v, n->key);
    return v;
}
