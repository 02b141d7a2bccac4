/// What the tests of the contract of events share.
#ifndef TESTS_CONTRACT_H
#define TESTS_CONTRACT_H

#include "scene.h"

static scene_log log_;
static fo_message why;

static inline fo_run_def run_to(double stop)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop;
    def.solver = "dp45";
    return def;
}

#define IGNORE (void)model, (void)s, (void)t

#endif
