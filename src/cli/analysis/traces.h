/// The traces of all runs of a sweep: a folder with a file for each.
#ifndef CLI_ANALYSIS_TRACES_H
#define CLI_ANALYSIS_TRACES_H

#include "cli/analysis/common.h"

/// Makes the folder; one that is there must be empty, or is gone on with, or overwritten. False: a
/// message was printed.
bool traces_begin(const command *c, const char *folder, bool may_be_there);
/// For fo_parameter_sweep_def.trace and traced: `folder` is the text, rows at this interval.
fo_status traces_open(const char *folder, uint64_t number, fo_system system, double interval,
                      fo_observer *observer, fo_message *why);
fo_status traces_close(fo_observer *observer, fo_message *why);

#endif
