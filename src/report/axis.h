/// The scale of a plot: round numbers for ticks, and their labels.
#ifndef FOI_AXIS_H
#define FOI_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/// From lo to hi, with ticks at first * step, (first + 1) * step, ... last * step.
typedef struct foi_axis {
    double lo, hi;
    double step; ///< 1, 2 or 5 times a power of ten
    double first, last;
} foi_axis;

enum { FOI_LABEL_SIZE = 32 };

/// An axis with at most `intervals` (>= 2) distances between ticks and at least two ticks. A
/// range without width is widened.
foi_axis foi_axis_make(double lo, double hi, int intervals);
int foi_axis_ticks(const foi_axis *axis);
double foi_axis_tick(const foi_axis *axis, int index);
/// The label of a tick: as many digits as all ticks need. Returns `text` (FOI_LABEL_SIZE bytes).
const char *foi_axis_label(const foi_axis *axis, int index, char *text);
/// The longest label.
int foi_axis_label_width(const foi_axis *axis);
/// Which of `count` places along the axis belongs to a value.
int foi_axis_place(const foi_axis *axis, double value, int count);

#endif
