/// What a file of rows can be beside plain CSV.
#ifndef FOI_REPORT_CSV_H
#define FOI_REPORT_CSV_H

#include <foliot/report.h>

#include "base/writer.h"

typedef struct foi_csv_def {
    const char *path;
    fo_system system;
    const fo_reference *signals; ///< NULL: states, discretes, then outputs
    size_t count;
    const char *time_unit; ///< NULL: "s"
    bool units;            ///< CSV: a second header row
    bool json;
    const fo_allocator *allocator;
} foi_csv_def;

/// A new file, or one that is gone on with after a mark.
fo_csv *foi_csv_create(const foi_csv_def *def, const foi_mark *mark, fo_message *why);
/// See foi_result_rows_written.
size_t foi_csv_rows_written(fo_csv *csv);
/// The first line; NULL without memory.
char *foi_csv_head(const foi_csv_def *def, size_t *length);
fo_csv *foi_csv_resume(const foi_csv_def *def, const char *mark, fo_message *why);

#endif
