/// Columns of numbers while they are read.
#ifndef FOI_REPORT_COLUMNS_H
#define FOI_REPORT_COLUMNS_H

#include <foliot/report.h>

struct fo_columns {
    const fo_allocator *allocator;
    char **names, **units;
    size_t count, room; ///< columns, and how many the lists have room for
    double *cells;      ///< row by row while they come; in the end column by column
    size_t rows, row_room;
};

/// One more column, before the first row. `length` bytes of the name; the unit may be NULL.
fo_status foi_columns_add(fo_columns *c, const char *name, size_t length, const char *unit);
/// Room for one more row, all NAN; NULL without memory.
double *foi_columns_row(fo_columns *c);

/// Fill an empty set from the bytes of a file, which end with a zero and may be changed.
fo_status foi_columns_csv(fo_columns *c, const char *path, char *text, fo_message *why);
fo_status foi_columns_json(fo_columns *c, const char *path, const char *text, size_t length,
                           fo_message *why);
fo_status foi_columns_mat(fo_columns *c, const char *path, const char *bytes, size_t length,
                          fo_message *why);

#endif
