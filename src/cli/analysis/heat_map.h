/// A measure over a grid of two numbers, as shades in the terminal.
#ifndef CLI_ANALYSIS_HEAT_MAP_H
#define CLI_ANALYSIS_HEAT_MAP_H

#include <foliot/foliot.h>
#include <stdio.h>

/// `rows` rows of `width` numbers each: the two that were varied, and the measure in `column`.
void heat_map_print(FILE *out, const fo_parameter_sweep *sweep, const double *rows, uint64_t count,
                    size_t width, size_t column, const char *name, bool ascii);

#endif
