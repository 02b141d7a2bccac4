/// Which solver, when the user names none: from the form of the system, its own hint, the
/// tolerance and the guards. What shows itself while it runs is in stiffness.c.
#include <stdio.h>
#include <string.h>

#include "simulation/internal.h"
#include "solver/custom.h"

static const foi_method *pick(fo_simulation *sim, const char *name, const char *why)
{
    snprintf(sim->reason, sizeof sim->reason, "%s: %s", name, why);
    return foi_method_find(name, &sim->message);
}

static bool built_in(const char *name)
{
    return foi_method_find(name, NULL) != NULL;
}

enum { LARGE = 500 }; ///< states from which a sparse BDF pays

static const char *stiff_name(const fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    bool large = sim->state.s.shape.states >= LARGE && type->pattern && !type->mass;
    if (large && built_in("cvode-bdf")) return "cvode-bdf";
    return sim->def.rtol > 1e-4 ? "rodas4" : "radau5";
}

const foi_method *foi_choose_stiff(const fo_simulation *sim)
{
    return foi_method_find(stiff_name(sim), NULL);
}

static const foi_method *own_method(fo_simulation *sim, const fo_method *method)
{
    if (foi_custom_make(&sim->own_method, method, &sim->message) != FO_OK) return NULL;
    snprintf(sim->reason, sizeof sim->reason, "%.80s: a method of your own", method->info.name);
    return &sim->own_method;
}

const foi_method *foi_choose(fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    const fo_description *about = sim->system.about;
    if (sim->def.method) return own_method(sim, sim->def.method);
    if (sim->def.solver) return pick(sim, sim->def.solver, "as asked");
    if (type->stepper) return pick(sim, "own", "the system steps itself");
    if (type->residual && !type->rates)
        return pick(sim, "ida", "the system is given as a residual");
    if (type->mass) return pick(sim, stiff_name(sim), "the system has a mass matrix");
    if (about->stiff) return pick(sim, stiff_name(sim), "the model says that it is stiff");
    sim->automatic = true;
    double rtol = sim->def.rtol;
    if (!sim->state.s.shape.states) return pick(sim, "euler", "there is nothing to integrate");
    if (sim->watching && rtol > 1e-9)
        return pick(sim, "dp45",
                    "its dense output is free, and the guards ask for it at each step");
    if (rtol >= 1e-4) return pick(sim, "dp45", "cheap at this tolerance");
    return pick(sim, "dop853", "high order pays at this tolerance");
}
