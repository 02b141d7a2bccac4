/// Colours for values that people with any kind of eyes can order.
#ifndef FOI_REPORT_PALETTE_H
#define FOI_REPORT_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct foi_colour {
    uint8_t r, g, b;
} foi_colour;

/// The colour of a value between lo and hi. Where both signs occur zero is white, and blue and red
/// go out from it; otherwise dark blue over green to yellow. What is no number is grey.
foi_colour foi_palette(double value, double lo, double hi);
/// The nearest of the 256 colours that terminals have: the cube of 6 x 6 x 6 or a grey.
int foi_colour_256(foi_colour c);

#endif
