/// Trajectories as a MATLAB file of level 4, as Modelica tools write and read them.
#ifndef FOI_REPORT_MAT_H
#define FOI_REPORT_MAT_H

#include <foliot/report.h>

typedef struct foi_mat foi_mat;

/// What its rows need: the signals, then the parameters. Writes them to `list` where that is not
/// NULL; returns how many.
size_t foi_mat_signals(const fo_result_def *def, fo_reference *list);
/// See foi_result_rows_written.
size_t foi_mat_rows_written(foi_mat *mat);
/// All before the descriptions: the names. NULL without memory.
char *foi_mat_head(const fo_result_def *def, size_t *length);
foi_mat *foi_mat_open(const fo_result_def *def, fo_message *why);
fo_observer foi_mat_observer(foi_mat *mat, double interval);
size_t foi_mat_rows(const foi_mat *mat);
/// The first parameter that had several values in the run; NULL: none. The file has NAN for it.
const char *foi_mat_changed(const foi_mat *mat, char *text, size_t size);
/// Writes how many rows there are, and closes. Takes NULL.
fo_status foi_mat_close(foi_mat *mat, fo_message *why);

#endif
