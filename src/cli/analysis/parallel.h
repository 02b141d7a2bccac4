/// Parallel coordinates: an axis for everything that was varied or measured, a line for every run.
#ifndef CLI_ANALYSIS_PARALLEL_H
#define CLI_ANALYSIS_PARALLEL_H

#include "cli/analysis/common.h"

typedef struct parallel {
    const char *const *names; ///< of the axes
    size_t axes;
    const double *rows; ///< by runs
    uint64_t runs;
    size_t colour; ///< the axis that gives a line its colour
} parallel;

/// In the terminal. Runs in which something is no number are left out.
void parallel_print(FILE *out, const parallel *p, bool ascii);
/// As SVG. False: a message was printed.
bool parallel_write(const command *c, const table_place *place, const parallel *p);

#endif
