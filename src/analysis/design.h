/// Which points of the ranges a sweep takes.
#ifndef FOI_ANALYSIS_DESIGN_H
#define FOI_ANALYSIS_DESIGN_H

#include <foliot/analysis.h>

enum { FOI_SOBOL_DIMENSIONS = 21 };

typedef enum foi_range_kind {
    FOI_RANGE_LIST, ///< values one by one
    FOI_RANGE_UNIFORM,
    FOI_RANGE_LOGARITHMIC, ///< the logarithm is uniform
    FOI_RANGE_NORMAL,
    FOI_RANGE_LOGNORMAL,
    FOI_RANGE_TRIANGULAR,
    FOI_RANGE_EXPONENTIAL,
    FOI_RANGE_WEIBULL,
} foi_range_kind;

/// What one number runs through.
typedef struct foi_range {
    char name[256];
    foi_range_kind kind;
    double a, b, c; ///< of the distribution
    double *values; ///< of a list
    uint64_t count; ///< of the list, or of the grid's lines; 0: a range without lines
    const fo_allocator *allocator;
} foi_range;

/// Reads "name=..."; see docs/analysis.md. On failure nothing is left to destroy.
fo_status foi_range_read(foi_range *r, const char *text, const fo_allocator *allocator,
                         fo_message *why);
void foi_range_destroy(foi_range *r);
/// The value at the grid's line i < count.
double foi_range_line(const foi_range *r, uint64_t i);
/// The value below which a part 0 < u < 1 of the distribution lies.
double foi_range_quantile(const foi_range *r, double u);

/// The points of the unit cube in dimension `k` of `dimensions`, for point i of `count`.
double foi_design_unit(fo_design design, uint64_t seed, uint64_t i, uint64_t count, uint32_t k);
/// The quantile of the standard normal distribution, 0 < u < 1.
double foi_normal_quantile(double u);

#endif
