/// Tables of the library (ModelicaStandardTables), as expressions over numbers that are known
/// before the run. table.c reads the objects and answers the calls, table_curve.c has curves of one
/// input, table_time.c those of time, table_2d.c two inputs, table_file.c matrices of files.
#ifndef FOI_LANGUAGE_TABLE_H
#define FOI_LANGUAGE_TABLE_H

#include "base/matrix.h"
#include "equations/pieces.h"
#include "language/session.h"

/// Literals of the library's Smoothness, Extrapolation and TimeEvents.
enum {
    FOI_LINEAR = 1,
    FOI_AKIMA,
    FOI_CONSTANT_SEGMENTS,
    FOI_FRITSCH_BUTLAND,
    FOI_STEFFEN,
    FOI_MODIFIED_AKIMA
};
enum { FOI_HOLD = 1, FOI_LAST_TWO, FOI_PERIODIC, FOI_NO_EXTRAPOLATION };
enum { FOI_ALWAYS_EVENTS = 1, FOI_AT_JUMPS, FOI_NO_EVENTS };

/// One column of a table.
typedef struct foi_curve {
    uint32_t count;
    double *x, *y;
    int smoothness, extrapolation;
    bool jumps;        ///< two points may have one abscissa
    bool may_jump;     ///< and so it was asked for
    uint32_t order;    ///< of the derivative that is asked for; 0: the value
    foi_cubic *pieces; ///< one before the first point, one for each interval, one behind the last
} foi_curve;

/// What is longer becomes one operation (equations/pieces.h) instead of choices.
enum { FOI_MOST_CHOICES = 16 };

// table.c

/// Functions of ModelicaStandardTables.
bool foi_table_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                    uint32_t count, bool *handled, foi_value *out);

// table_curve.c

/// Finds the pieces; the points and what is wanted of them are there.
bool foi_curve_fill(foi_session *s, foi_place place, foi_curve *c);
/// The value in the piece in which u is, of those from `first` to `last`; x[i] ends piece i.
const foi_flat_expr *foi_curve_search(foi_session *s, const foi_curve *c, uint32_t first,
                                      uint32_t last, const foi_flat_expr *u);
/// The same as one operation, or its derivative.
const foi_flat_expr *foi_along_pieces(foi_session *s, const foi_pieces *pieces, uint32_t order,
                                      const foi_flat_expr *u);
/// The value at u, or its derivative, of the curve of the list in which `by` is.
const foi_flat_expr *foi_along_choice(foi_session *s, const foi_choices *list, uint32_t order,
                                      const foi_flat_expr *by, const foi_flat_expr *u);
/// The degree of the pieces from `first` to `last`.
uint32_t foi_pieces_degree(const foi_cubic *list, uint32_t first, uint32_t last);
/// The value at u.
const foi_flat_expr *foi_curve_look_up(foi_session *s, foi_place place, const foi_curve *c,
                                       const foi_flat_expr *u);
/// What lies outside is moved inside by whole periods.
const foi_flat_expr *foi_folded(foi_session *s, double low, double high, const foi_flat_expr *u);
/// The value y of the table at u, and the run ends with a message where u is not in the
/// table, but for rounding.
const foi_flat_expr *foi_inside_table(foi_session *s, foi_place place, double low, double high,
                                      const foi_flat_expr *u, const foi_flat_expr *y);

// table_time.c

/// When something happens in a table of time: the ends of its pieces.
typedef struct foi_table_moments {
    double *at;
    uint32_t *piece; ///< of the table, before this moment; `count` of them and one behind the last
    uint32_t *first; ///< the first behind the moment before it, in the same way
    uint32_t count;
    double start, shift;
} foi_table_moments;

/// `events`: which of them; start and shift are there.
bool foi_find_moments(foi_session *s, const foi_curve *c, double events, foi_table_moments *m);
const foi_flat_expr *foi_time_value(foi_session *s, foi_place place, const foi_curve *c,
                                    const foi_table_moments *m, const foi_flat_expr *t,
                                    const foi_flat_expr *next);
/// The first moment after t; 1e60 behind the last.
const foi_flat_expr *foi_next_event(foi_session *s, const foi_curve *c, const foi_table_moments *m,
                                    const foi_flat_expr *t);

// table_2d.c

/// How a table of two inputs is looked up.
typedef struct foi_way_2d {
    int smoothness, extrapolation;
    int by; ///< 1 or 2: the derivative by that input; 0: the value
} foi_way_2d;

/// A table whose first row and column are the points.
const foi_flat_expr *foi_look_up_2d(foi_session *s, foi_place place, const foi_matrix *table,
                                    foi_way_2d way, const foi_flat_expr *u1,
                                    const foi_flat_expr *u2);

// table_file.c

/// What a file is asked for.
typedef struct foi_matrix_wish {
    const char *file, *name;
    char delimiter;
    uint32_t skipped;
} foi_matrix_wish;

/// A matrix of a file that the text sees, which is read once. NULL after a message.
const foi_matrix *foi_file_matrix(foi_session *s, foi_place place, const foi_matrix_wish *wish);

// short words

static inline const foi_flat_expr *foi_real(foi_session *s, double value)
{
    return foi_flat_real(s->flat, value);
}

static inline const foi_flat_expr *foi_of_two(foi_session *s, foi_flat_op op,
                                              const foi_flat_expr *a, const foi_flat_expr *b)
{
    return foi_flat_binary(s->flat, op, a, b);
}

static inline const foi_flat_expr *foi_of_one(foi_session *s, foi_flat_builtin f,
                                              const foi_flat_expr *a)
{
    return foi_flat_call_builtin(s->flat, f, 1, &a);
}

/// a < b, without an event.
static inline const foi_flat_expr *foi_below(foi_session *s, const foi_flat_expr *a, double b)
{
    return foi_of_one(s, FOI_FN_NO_EVENT, foi_of_two(s, FOI_OP_LESS, a, foi_real(s, b)));
}

#endif
