// A cheaper method while the machine is late, and back.
#include <math.h>

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
