/// Curves of many pieces, as one operation: a table of a hundred thousand rows is one number in an
/// expression, and a look-up costs the logarithm of its rows.
///
///     along(u, which)   the value at u of the curve `which`, in the piece in which u is
///     among(u, which)    of a list of curves the one in which u is, for `along`
///
/// `which` is the address of a foi_pieces or of a foi_choices, as a number, and in its last bits
/// which derivative is wanted: the derivative of along(u, which) is along(u, which + 1). Curves do
/// not change and live as long as the flat model, so that threads share them.
#ifndef FOI_PIECES_H
#define FOI_PIECES_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/// y = a[0] + a[1] (u - x) + a[2] (u - x)^2 + a[3] (u - x)^3
typedef struct foi_cubic {
    double x, a[4];
} foi_cubic;

enum {
    FOI_DEGREE = 3,         ///< of a piece, at most
    FOI_PIECES_ALIGNED = 8, ///< so many derivatives have room in an address
};

/// Where to look among many ends: they are sorted into buckets of one width, and first[k] of them
/// are in those before bucket k. A number's bucket is found as that of an end is, and rounding
/// keeps the order: so the ends of other buckets need not be looked at, and of most tables one or
/// two are.
typedef struct foi_buckets {
    uint32_t count, buckets;
    double scale; ///< buckets per unit
    uint32_t first[];
} foi_buckets;

/// Pieces `first` to `last` of a list. ends[i] ends piece i and begins the next one.
typedef struct foi_pieces {
    alignas(FOI_PIECES_ALIGNED) const double *ends;
    const foi_cubic *list;
    uint32_t first, last;
    uint32_t degree;          ///< of them all
    const foi_buckets *guide; ///< of all ends of the list; NULL: there is none
} foi_pieces;

/// list[i] is the curve before ends[i]; there is one more behind the last end.
typedef struct foi_choices {
    alignas(FOI_PIECES_ALIGNED) const double *ends;
    const foi_pieces *list;
    uint32_t count;           ///< ends
    uint32_t degree;          ///< of them all
    const foi_buckets *guide; ///< of the ends; NULL: there is none
} foi_choices;

/// The number that stands for a curve, or for a list of them.
static inline double foi_pieces_number(const void *curve)
{
    return (double)(uintptr_t)curve;
}

static inline const void *foi_pieces_address(double which)
{
    bool is_address = which > 0 && which < 0x1p52; // what is no number is none
    uintptr_t all = is_address ? (uintptr_t)which : 0;
    return (const void *)(all - all % FOI_PIECES_ALIGNED);
}

static inline uint32_t foi_pieces_order(double which)
{
    bool is_address = which > 0 && which < 0x1p52;
    return is_address ? (uint32_t)((uintptr_t)which % FOI_PIECES_ALIGNED) : 0;
}

/// The operations.
double foi_along(double u, double which);
double foi_among(double u, double which);

/// How many of the ends are not behind u; all of them where u is not a number.
uint32_t foi_pieces_find(const double *ends, uint32_t count, double u);
/// The same with a guide.
uint32_t foi_buckets_find(const foi_buckets *g, const double *ends, double u);
/// A guide of so many ends, in the arena; NULL where none helps, or without memory.
const foi_buckets *foi_buckets_make(foi_arena *arena, const double *ends, uint32_t count);
/// The piece in which u is; NULL: there is no curve.
const foi_cubic *foi_piece_at(double u, double which);
/// Coefficients of a piece's derivative; how many they are, at least one.
uint32_t foi_piece_rates(const foi_cubic *p, uint32_t order, double a[FOI_DEGREE + 1]);
/// The sum of the sizes of what along() adds up.
double foi_along_size(double u, double which);

#endif
