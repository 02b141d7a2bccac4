/// What the program asks of files of results beside what others do.
#ifndef FOI_REPORT_INSIDE_H
#define FOI_REPORT_INSIDE_H

#include <foliot/report.h>

/// How a file of these results begins: what says whose rows they are. The first line of CSV and
/// JSON, the names in a *.mat. NULL without memory; it is the definition's
/// allocator's, without one free() it.
char *foi_result_head(const fo_result_def *def, size_t *length);
/// Before they are closed: how many rows the file has when all that waits is written, or could not
/// be.
size_t foi_result_rows_written(fo_result_file *file);
size_t foi_moment_csv_rows_written(fo_moment_csv *csv);

#endif
