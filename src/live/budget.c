// What a model takes: its frames, one after the other as fast as they go, each timed.
#include <math.h>

#include "base/clock.h"
#include "live/internal.h"
#include "math/math.h"

fo_status fo_live_budget_measure(const fo_live_def *def, uint64_t frames, fo_live_budget *budget,
                                 fo_message *why)
{
    *budget = (fo_live_budget){.period = def->rate > 0 ? 1 / def->rate : 1.0 / 60};
    fo_live *live = fo_live_create(def, why); // for the definition's completion
    if (!live) return why ? why->status : FO_ERROR_ARGUMENT;
    fo_simulation *sim = fo_live_simulation(live);
    fo_status status = fo_simulation_start(sim);
    double start = fo_simulation_time(sim), step = budget->period * def->speed;
    for (uint64_t i = 1; i <= frames && !fo_failed(status) && status != FO_STOPPED; i++) {
        double t = start + (double)i * step;
        if (t > live->def.run.stop) break;
        int64_t begun = foi_clock_now();
        status = fo_simulation_advance(sim, t);
        fo_live_histogram_add(&budget->computing, foi_clock_now() - begun);
    }
    budget->fixed_work = fo_simulation_solver(sim)->traits & FO_FIXED_WORK;
    double p999 = fo_live_histogram_quantile(&budget->computing, 0.999);
    // shorter frames are not dearer, so that a rate holds when a frame fits into its period
    if (budget->computing.count) {
        budget->rate_p999 = 1 / foi_fmax(p999, 1e-9);
        budget->rate_worst = 1 / foi_fmax(budget->computing.worst, 1e-9);
    }
    if (fo_failed(status) && why) *why = *fo_simulation_message(sim);
    fo_live_destroy(live);
    return fo_failed(status) ? status : FO_OK;
}
