// A cheaper method while the machine is late, and back; and an accuracy that was asked for.
#include <math.h>
#include <string.h>

#include "live/internal.h"
#include "math/math.h"

static const char *full_solver(const fo_live *live)
{
    return live->def.run.solver;
}

fo_status foi_live_degrade(fo_live *live, bool cheap)
{
    if (cheap == live->degraded) return FO_OK;
    const fo_live_def *def = &live->def;
    // the method that was chosen for the system is the full one from here on
    if (!full_solver(live)) live->def.run.solver = fo_simulation_solver(live->sim)->name;
    const char *solver = cheap && def->cheap_solver ? def->cheap_solver : full_solver(live);
    double step = live->full_step, rtol = live->full_rtol;
    if (cheap) step = def->cheap_step > 0 ? def->cheap_step : 4 * step;
    if (cheap) rtol = def->cheap_rtol > 0 ? def->cheap_rtol : foi_fmin(1000 * rtol, 0.01);
    fo_status status = fo_simulation_change_method(live->sim, solver, step, rtol);
    if (status != FO_OK) {
        live->message = *fo_simulation_message(live->sim);
        return status;
    }
    foi_record_method(live, solver, step, rtol);
    pthread_mutex_lock(&live->lock);
    live->degraded = cheap;
    live->figures.degraded += cheap;
    pthread_mutex_unlock(&live->lock);
    foi_live_note(live,
                  cheap ? "late: %s with step %g s or rtol %g from t = %.6g s on"
                        : "in time: back to %s with step %g s or rtol %g at t = %.6g s",
                  solver, step, rtol, fo_simulation_time(live->sim));
    return FO_OK;
}

// ------------------------------------------------------------------------------------- accuracy

bool foi_live_accuracy(const char *name, double value, fo_accuracy *to)
{
    *to = fo_same_accuracy();
    const struct {
        const char *name;
        double *at;
    } numbers[] = {{"rtol", &to->rtol},
                   {"atol", &to->atol},
                   {"min-step", &to->min_step},
                   {"max-step", &to->max_step}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(numbers[i].name, name) != 0) continue;
        *numbers[i].at = value;
        return true;
    }
    return false;
}

// What makes no sense with the others is refused, and the run goes on as it was. While a cheaper
// method is in force, another tolerance is that of the full one.
fo_status foi_live_set_accuracy(fo_live *live, const foi_act *act)
{
    fo_accuracy to;
    if (!foi_live_accuracy(act->name, act->value, &to)) return FO_OK;
    bool later = live->degraded && to.rtol >= 0;
    fo_status status = later ? FO_OK : fo_simulation_change_accuracy(live->sim, &to);
    if (status == FO_ERROR_ARGUMENT) {
        char text[FO_MESSAGE_SIZE];
        snprintf(text, sizeof text, "%s %g at t = %.6g s was refused: %.300s", act->name,
                 act->value, fo_simulation_time(live->sim), fo_simulation_message(live->sim)->text);
        foi_live_blame(live, act, text);
        foi_live_note(live, "%s", text);
        return FO_OK;
    }
    if (status != FO_OK) {
        live->message = *fo_simulation_message(live->sim);
        return status;
    }
    if (to.rtol >= 0) live->full_rtol = to.rtol;
    if (!later) foi_record_accuracy(live, act->name, act->value);
    foi_live_note(live, "%s %g from t = %.6g s on", act->name, act->value,
                  fo_simulation_time(live->sim));
    return FO_OK;
}
