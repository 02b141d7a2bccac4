/// What a document says about its run becomes a definition: the one place that does it.
#include "simulation/experiment.h"

// An adaptive method that is kept at a step gets it as its first and longest, and a tolerance that
// lets no step be refused.
fo_run_def foi_experiment_run_def(foi_experiment e, const char *solver)
{
    fo_run_def run = fo_default_run_def();
    run.start = e.start;
    run.stop = e.stop > e.start ? e.stop : e.start + 1;
    run.scale = run.stop - run.start;
    run.solver = solver ? solver : e.solver;
    run.step = e.step > 0 ? e.step : run.scale / 1000;
    if (e.rtol > 0) run.rtol = e.rtol;
    if (e.atol > 0) run.atol = e.atol;
    if (!e.kept || solver) return run;
    run.first_step = run.max_step = e.step;
    run.rtol = run.atol = 1e100;
    return run;
}
