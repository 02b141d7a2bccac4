#include "cli/run/span.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// What the text leaves out.
static double write(char *text, double t, int digits)
{
    snprintf(text, SPAN_TEXT, "%.*g", digits, t);
    return fabs(strtod(text, NULL) - t);
}

span span_of(double from, double to, int digits)
{
    enum { ALL = 17 };
    span s;
    for (;; digits++) {
        double left_out = write(s.from, from, digits) + write(s.to, to, digits);
        if (!(left_out > 0.01 * fabs(to - from)) || digits >= ALL || from == to) return s;
    }
}
