/// What is written of a linear system: curves as CSV or by gnuplot, and matrices for other
/// programs.
#ifndef CLI_ANALYSIS_LINEAR_FILES_H
#define CLI_ANALYSIS_LINEAR_FILES_H

#include <foliot/foliot.h>

#include "cli/analysis/common.h"
#include "cli/run/picture.h"

/// Columns of numbers, by rows.
typedef struct number_columns {
    const char *const *titles;
    int count;
    size_t rows;
    double *numbers;
} number_columns;

/// As CSV; "-": standard output. False: a message was printed, here and below.
bool columns_write(const command *c, const table_place *place, const number_columns *t);

/// Frequency, gain, phase, real and imaginary part of the first input and output: 5 columns. The
/// phase goes on where atan2 jumps by a turn. False: out of memory, without a message.
bool linear_fill_response(const fo_linear *s, number_columns *t);
/// Real and imaginary parts over the frequency; phase and gain; the poles of the closed loop.
bool linear_write_nyquist(const command *c, const table_place *place, const fo_linear *s);
bool linear_write_nichols(const command *c, const table_place *place, const fo_linear *s);
bool linear_write_locus(const command *c, const table_place *place, const fo_linear *s);
/// PATH-bode, PATH-nyquist, PATH-nichols, PATH-locus by gnuplot, in its format.
bool linear_draw(const command *c, const gnuplot_request *g, bool overwrite, const fo_linear *s);
/// A, B, C and D as a MAT-file of level 4, which MATLAB, Octave and SciPy read.
bool linear_write_mat(const command *c, const table_place *place, const fo_linear *s);

#endif
