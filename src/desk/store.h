/// Rows of a run, by columns, and what a screen shows of them.
///
/// A curve of a million rows is drawn on some hundred columns of pixels: of each column the first,
/// the smallest, the largest and the last value make the same picture (M4; Jugel, Jerzak,
/// Hackenbroich and Markl 2014). Blocks of 64 rows and chunks of 1024 know their smallest and
/// largest value, so that a window costs about as much as it has pixels.
#ifndef FOI_STORE_H
#define FOI_STORE_H

#include <foliot/simulation.h>

typedef struct foi_store foi_store;

/// `columns` signals beside the time; NULL when memory is lacking.
foi_store *foi_store_create(uint32_t columns, uint64_t most_rows, const fo_allocator *allocator);
void foi_store_destroy(foi_store *store);

/// FO_ERROR_MEMORY, also beyond the most rows.
fo_status foi_store_add(foi_store *store, double t, const double *values, fo_message *why);
/// The last row's values are replaced.
void foi_store_replace(foi_store *store, double t, const double *values);
/// Forgets all rows but the first `rows`.
void foi_store_cut(foi_store *store, uint64_t rows);

uint64_t foi_store_rows(const foi_store *store);
uint32_t foi_store_columns(const foi_store *store);
double foi_store_time(const foi_store *store, uint64_t row);
double foi_store_value(const foi_store *store, uint64_t row, uint32_t column);
/// The first row whose time is not before `t`; rows: none.
uint64_t foi_store_find(const foi_store *store, double t);
/// Copies the time (column UINT32_MAX) or a signal of rows [from, to).
void foi_store_copy(const foi_store *store, uint32_t column, uint64_t from, uint64_t to,
                    double *values);

/// The rows in [from, to) that draw a signal on `pixels` columns over [t0, t1]: at most 4 for each
/// column, in order, and a fifth where a value is no number: gaps stay. Returns how many are
/// written to `rows`, which has room for 5 * pixels.
size_t foi_store_m4(const foi_store *store, uint32_t column, uint64_t from, uint64_t to, double t0,
                    double t1, uint32_t pixels, uint64_t *rows);

#endif
