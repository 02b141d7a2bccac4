/// How reports print: shared by the kinds of statistics.
#ifndef FOI_STATISTICS_REPORT_H
#define FOI_STATISTICS_REPORT_H

#include <foliot/statistics.h>

/// Ten columns, of which the first is free: three decimals, fewer where they do not fit, an
/// exponent where nothing else does or all would be zeros; "-" for NaN.
void foi_print_number(FILE *out, double x);
/// A line under the heading, with this deviation.
void foi_print_tally(FILE *out, const fo_tally *tally, double deviation);
/// FO_OK, or FO_ERROR_INPUT after a failed write.
fo_status foi_written(FILE *out);

#endif
