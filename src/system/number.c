#include "system/number.h"

#include <math.h>
#include <string.h>

#define TINY 0x1p-1022 ///< above zero: 0 stands for a number that is not given

/// What documents have by the same key everywhere. min = max = 0: as the reader says, whose own
/// range counts where it has one.
static const struct {
    const char *key, *unit, *about;
    double min, max;
} known[] = {
    {"c", "m/s", "speed of waves", 0, INFINITY},
    {"b1", "1/s", "damping of velocities", 0, INFINITY},
    {"b2", "m^2/s", "damping of their curvature", 0, INFINITY},
    {"diffusivity", "m^2/s", NULL, 0, INFINITY},
    {"mass", "kg", NULL, 0, 0},
    {"gravity", "m/s^2", NULL, 0, 0},
    {"friction", "N s/m", "force -friction v", 0, 0},
    {"friction_rate", "1/s", "force -rate m v", 0, 0},
    {"young", "N/m^2", "modulus of elasticity", 0, 0},
    {"poisson", "", "Poisson's ratio", -1 + 0x1p-53, 0.5 - 0x1p-54},
    {"density", "kg/m^3", NULL, 0, 0},
    {"length", "m", NULL, TINY, INFINITY},
    {"spacing", "m", NULL, 0, 0},
    {"thickness", "m", NULL, 0, 0},
    {"radius", "m", NULL, 0, 0},
    {"area", "m^2", NULL, 0, 0},
    {"inertia", "m^4", "second moment of area", 0, 0},
    {"tension", "N/m", NULL, 0, 0},
    {"pressure", "N/m^2", NULL, 0, 0},
    // the unit of k depends on the energy of its spring
    {"k", NULL, "stiffness: N/m^3 of a spring with the energy squares, otherwise N/m", 0, 0},
    {"along", "N/m^3", "stiffness of the long springs", 0, 0},
    {"across", "N/m^3", "stiffness of the cross springs", 0, 0},
    {"diagonal", "N/m^3", "stiffness of the diagonal springs", 0, 0},
    {"bowl", "N/m", "stiffness of a spring from every node to the bowl, a frame without mass", 0,
     0},
    {"corner_mass", "kg", NULL, 0, 0},
    {"breaks", "", "strain at which it tears; 0: never", 0, 0},
    {"yields", "", "strain at which it yields: beyond it the length at rest grows; 0: never", 0, 0},
    {"at", "m", NULL, 0, 0},
    {"origin", "m", NULL, 0, 0},
    {"centre", "m", NULL, 0, 0},
    {"from", "m", NULL, 0, 0},
    {"to", "m", NULL, 0, 0},
    {"shape", "m", "height of the underside", 0, 0},
    {"tolerance", "", "of iterations", 0, INFINITY},
    {"work", NULL, "iterations of a step; 0: as many as the tolerance needs", 0, INFINITY},
    {"substeps", NULL, "of the sliding method; 0: 10", 0, INFINITY},
    {"epsilon", "s", "of the sliding method", 0, INFINITY},
    {"threads", NULL, "the bits do not depend on it", 0, INFINITY},
    {"node", NULL, "from 0", 0, INFINITY},
    {"first", NULL, "node below the object, from 0", 0, INFINITY},
    {"count", NULL, "of nodes below the object", 0, INFINITY},
    {"omega", "rad/s", NULL, 0, 0},
    {"phase", "rad", NULL, 0, 0},
    {"dimension", NULL, "of space", 1, 3},
    {"columns", NULL, "of nodes; decides the size of the model", 1, INFINITY},
    {"rows", NULL, "of nodes; decides the size of the model", 1, INFINITY},
    {"layers", NULL, "of nodes; decides the size of the model", 1, INFINITY},
    {"cells", NULL, "decides the size of the model", 1, INFINITY},
    {"size", NULL, "nodes; decides the size of the model", 1, INFINITY},
};

static void add_known(fo_variable *v, const foi_listed_number *n)
{
    const char *key = n->key;
    size_t length = strcspn(key, "[");
    bool open = n->negative || n->whole; // the reader takes whatever is a number
    for (size_t i = 0; i < FO_COUNT(known); i++) {
        if (strlen(known[i].key) != length || strncmp(known[i].key, key, length) != 0) continue;
        v->unit = known[i].unit, v->about = known[i].about;
        if (open && known[i].max != 0) v->min = known[i].min, v->max = known[i].max;
    }
}

fo_variable foi_number_variable(const foi_listed_number *n)
{
    fo_variable v = {.name = n->name,
                     .start = n->value,
                     .causality = FO_CAUSALITY_PARAMETER,
                     .variability = FO_VARIABILITY_FIXED,
                     .type = n->whole ? FO_INTEGER : FO_REAL};
    if (!n->negative) v.max = INFINITY;
    if (n->positive && n->value > 0) v.min = TINY;
    add_known(&v, n);
    return v;
}
