// Which names --set and --start take, and the starts themselves.
#include <string.h>

#include "cli/run/run.h"

static const char *quantity_text(fo_quantity quantity)
{
    switch (quantity) {
    case FO_TIME: return "time";
    case FO_STATE: return "a state";
    case FO_DISCRETE: return "a discrete";
    case FO_INPUT: return "an input";
    case FO_OUTPUT: return "an output";
    case FO_PARAMETER: return "a parameter";
    }
    return "";
}

// A number of the document may have the name of an output; an input that a file drives is none.
static bool is_number(const run *r, const char *name)
{
    fo_reference own;
    if (fo_system_find(fo_model_system(r->model), name, &own, NULL) != FO_OK) return false;
    if (own.quantity != FO_OUTPUT) return false;
    for (size_t i = 0; i < fo_model_number_count(r->model); i++)
        if (strcmp(fo_model_number(r->model, i)->name, name) == 0) return true;
    return false;
}

// --set takes what is given from outside, --start what the model changes.
bool run_check_option(const run *r, const setting *s, bool start)
{
    fo_reference found;
    fo_message why = {0};
    fo_status status = fo_system_find(r->system, s->name, &found, &why);
    if (fo_failed(status) && !start) return true; // a number of the document
    if (fo_failed(status)) {
        complain_usage(r->command, "%s", why.text);
        return false;
    }
    bool outside = found.quantity == FO_PARAMETER || found.quantity == FO_INPUT;
    bool inside = found.quantity == FO_STATE || found.quantity == FO_DISCRETE;
    if (start ? inside : outside || (!inside && is_number(r, s->name))) return true;
    if (start ? outside : inside)
        complain_usage(r->command, "'%s' is %s: use --%s %s=%g", s->name,
                       quantity_text(found.quantity), start ? "set" : "start", s->name, s->value);
    else
        complain_usage(r->command, "'%s' is %s and cannot be set", s->name,
                       quantity_text(found.quantity));
    return false;
}

bool run_check_settings(const run *r)
{
    for (size_t i = 0; i < r->options.set.count; i++)
        if (!run_check_option(r, &r->options.set.list[i], false)) return false;
    return true;
}

bool run_apply(const run *r, const settings *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const setting *s = &list->list[i];
        if (!run_check_option(r, s, true)) return false;
        if (!fo_failed(fo_simulation_set(r->sim, s->name, s->value))) continue;
        complain_usage(r->command, "%s", fo_simulation_message(r->sim)->text);
        return false;
    }
    return true;
}
