/// From one time to another, in as many digits as tell how far apart they are.
#ifndef CLI_SPAN_H
#define CLI_SPAN_H

enum { SPAN_TEXT = 32 };

typedef struct span {
    char from[SPAN_TEXT], to[SPAN_TEXT];
} span;

/// `digits` at least, and so many that what is left out is less than a hundredth of the way from
/// one to the other.
span span_of(double from, double to, int digits);

#endif
