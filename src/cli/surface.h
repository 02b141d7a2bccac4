/// Models that lie in space, drawn: fields of two dimensions as heat maps (of three the layer in
/// the middle, of one as a curve), structures by their springs.
#ifndef CLI_SURFACE_H
#define CLI_SURFACE_H

#include <foliot/foliot.h>
#include <stdio.h>

typedef struct surface {
    const fo_field *field;
    const fo_structure *structure; ///< one of the two
    uint32_t size[3];              ///< of the field
    double length[3];
    uint32_t dimensions;
    fo_reference *signals; ///< what it is drawn from: states
    size_t count;
    double lo, hi;    ///< of all that was drawn so far: the scale stands still
    double bounds[4]; ///< the same of a structure
    bool lacked;      ///< memory: it could not be made
} surface;

/// False: the model has nothing of that kind, or there is no memory.
bool surface_make(surface *s, const fo_model *m);
void surface_free(surface *s);

/// Where and how it is drawn.
typedef struct surface_frame {
    int width, height;
    bool ascii, colour;
    const char *title;    ///< may be NULL
    fo_graphics graphics; ///< what the terminal has
} surface_frame;

/// `values` are those of its signals. Returns FO_OK, FO_ERROR_MEMORY or FO_ERROR_INPUT (writing
/// failed).
fo_status surface_print(surface *s, const double *values, FILE *out, const surface_frame *f);

/// Puts two blocks of lines beside each other: the left one takes `width` columns, all `height`
/// lines. Colours count nothing.
void surface_beside(FILE *out, const char *left, int width, const char *right, int height);

/// By the words that terminals leave in the environment.
fo_graphics surface_graphics(FILE *out);
bool surface_true_colour(void);

#endif
