// Runs a text and compares how often its whens rose, and the state z at the end, with the truth.
#ifndef TEST_TRUST_RISES_H
#define TEST_TRUST_RISES_H

#include <foliot/language.h>
#include <math.h>

#include "test.h"

typedef struct rises {
    double stop;
    int rises[2];
    double z;
} rises;

static double rises_value(fo_simulation *sim, const char *name)
{
    fo_reference at;
    if (fo_system_find(fo_simulation_system(sim), name, &at, NULL) != FO_OK) return NAN;
    return fo_simulation_value(sim, at);
}

static inline void check_rises(const char *text, rises truth, const char *solver)
{
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "rises.mo", .text = text}, &why);
    fo_run_def def = fo_default_run_def();
    def.stop = truth.stop, def.solver = solver;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    CHECK(sim && fo_simulation_advance(sim, truth.stop) == FO_REACHED);
    if (sim) {
        CHECK(rises_value(sim, "n0") == truth.rises[0]);
        CHECK(rises_value(sim, "n1") == truth.rises[1]);
        CHECK(fabs(rises_value(sim, "z") - truth.z) <= 1e-4 * fmax(1, fabs(truth.z)));
    }
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

#endif
