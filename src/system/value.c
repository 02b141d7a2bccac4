/// Whether a value that comes from outside fits what it is for: one place for all doors.
#include "system/value.h"

#include <math.h>

static fo_status wrong_type(const fo_variable *v, double value, fo_message *why)
{
    if (v->type == FO_BOOLEAN)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is a boolean: it must be 0 or 1, not %g",
                       v->name, value);
    return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must be a whole number, not %g", v->name, value);
}

fo_status foi_variable_allows(const fo_variable *v, double value, fo_message *why)
{
    if (!isfinite(value))
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must be a finite number, not %g", v->name,
                       value);
    if ((v->min != 0 || v->max != 0) && (value < v->min || value > v->max)) {
        if (v->max == INFINITY && v->min > 0 && v->min < 1e-300) // as FO_POSITIVE has it
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must be positive, not %g", v->name, value);
        if (v->max == INFINITY)
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must be at least %g, not %g", v->name,
                           v->min, value);
        if (v->min == -INFINITY)
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must be at most %g, not %g", v->name,
                           v->max, value);
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' must lie between %g and %g, not %g", v->name,
                       v->min, v->max, value);
    }
    bool whole = value == floor(value), truth = value == 0 || value == 1;
    if (v->type == FO_REAL || (v->type == FO_BOOLEAN ? truth : whole)) return FO_OK;
    return wrong_type(v, value, why);
}

fo_status foi_system_allows(fo_system system, fo_reference which, const char *name, double value,
                            bool running, fo_message *why)
{
    const fo_variable *v = fo_system_variable(system, which);
    fo_variability varies = fo_system_variability(system, which);
    if (which.quantity == FO_OUTPUT || which.quantity == FO_TIME)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is computed by the model and cannot be set",
                       name);
    if (varies == FO_VARIABILITY_CONSTANT)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is constant: it cannot be set", name);
    if (running && varies == FO_VARIABILITY_FIXED)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "'%s' is fixed: it acts at the start only and cannot be set in a run", name);
    fo_variable about = v ? *v : (fo_variable){0};
    about.name = name;
    return foi_variable_allows(&about, value, why);
}
