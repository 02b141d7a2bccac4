/// Images of dots on terminals that have them.
#ifndef FOI_REPORT_IMAGE_H
#define FOI_REPORT_IMAGE_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdio.h>

#include "report/palette.h"

typedef struct foi_image {
    int columns, rows;
    foi_colour *dots; ///< row by row from the top
} foi_image;

/// kitty's graphics protocol: the dots as they are, in base64. A line break follows.
fo_status foi_image_kitty(FILE *out, const foi_image *image, const fo_allocator *allocator);
/// Sixels: bands of six rows, in at most 256 colours of its own. A line break follows.
fo_status foi_image_sixel(FILE *out, const foi_image *image, const fo_allocator *allocator);

#endif
