/// What the terminal can do.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/// Columns of the terminal behind `out`: $COLUMNS, or what the terminal says, or 80.
int terminal_width(FILE *out);
/// Its rows: $LINES, or what the terminal says, or 24.
int terminal_height(FILE *out);
/// The width at which a listing is wrapped: the terminal's; a pipe or file gets whole lines.
int terminal_listing_width(FILE *out);
bool terminal_is(FILE *out);
/// A terminal, and neither NO_COLOR nor TERM=dumb is set.
bool terminal_has_colour(FILE *out);
/// The locale's letters are UTF-8.
bool terminal_has_unicode(void);

/// Seconds on a clock that never goes back.
double clock_seconds(void);

#endif
