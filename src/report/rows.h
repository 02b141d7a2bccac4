/// Which rows are kept: at one time there is one row, or two where something jumped, the value
/// before all jumps of the instant and the value after them.
#ifndef FOI_ROWS_H
#define FOI_ROWS_H

#include <foliot/simulation.h>

/// The row that was kept last.
typedef struct foi_last_row {
    bool any;
    double t;
    fo_row_kind kind;
} foi_last_row;

typedef enum foi_row_fate {
    FOI_ROW_APPEND,
    FOI_ROW_REPLACE, ///< it stands in the last row's place
    FOI_ROW_SKIP,
} foi_row_fate;

/// What is to be done with a row; `last` is updated.
static inline foi_row_fate foi_row_fate_of(foi_last_row *last, const fo_row *row)
{
    bool same = last->any && row->t == last->t, after = row->kind == FO_ROW_AFTER;
    if (same && !after) return FOI_ROW_SKIP;
    foi_row_fate fate = same && last->kind == FO_ROW_AFTER ? FOI_ROW_REPLACE : FOI_ROW_APPEND;
    *last = (foi_last_row){true, row->t, row->kind};
    return fate;
}

#endif
