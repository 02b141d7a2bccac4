/// What a run has cost and where its results are.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <foliot/foliot.h>
#include <stdio.h>

#include "cli/run/results.h"

void summary_print(FILE *out, const fo_simulation *sim, const results *r, double start,
                   double seconds, const char *time_unit);
/// Outputs at the end of the run, one per line; `names` ends with NULL.
void summary_totals(FILE *out, fo_simulation *sim, const char *const *names);

#endif
