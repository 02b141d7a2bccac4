/// Plots through gnuplot: the data and the script are files that stay, so that a user can change
/// the script and run it again.
#ifndef FOLIOT_GNUPLOT_H
#define FOLIOT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statistics.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fo_curve_style {
    FO_CURVE_LINES,
    FO_CURVE_POINTS,
    FO_CURVE_STEPS, ///< a value holds until the next
    FO_CURVE_BOXES, ///< bars around x
} fo_curve_style;

typedef struct fo_curve {
    const char *name; ///< for the legend; NULL: none
    const double *x, *y;
    size_t count;
    fo_curve_style style;
    unsigned panel; ///< which of the definition's panels it stands in, from 0
} fo_curve;

/// One of several pictures above each other.
typedef struct fo_panel {
    const char *x_label, *y_label; ///< may be NULL
    bool marked;                   ///< the definition's marks stand in it
} fo_panel;

/// Values on a grid, drawn as a surface and as a map.
typedef struct fo_grid_picture {
    const double *values; ///< row by row, the lowest first
    uint32_t columns, rows;
    double width, height; ///< that the grid stands for
    const char *x_label, *y_label, *label;
} fo_grid_picture;

typedef struct fo_gnuplot_def {
    const char *path; ///< without ending: <path>.dat, <path>.gp and the picture are written
    const char *title, *x_label, *y_label; ///< may be NULL
    const fo_curve *curves;
    size_t count;
    /// What gnuplot makes: "svg" (also for NULL), "png" or "pdf".
    const char *format;
    const fo_panel *panels; ///< NULL: one picture, with the labels above
    size_t panel_count;
    const double *marks; ///< places along x of vertical lines: moments; the first 2000 are drawn
    size_t mark_count;
    double width, height;        ///< in dots, of a PDF in hundredths of a centimetre; 0: usual
    const fo_grid_picture *grid; ///< instead of curves; NULL: none
} fo_gnuplot_def;
/// An SVG without curves.
fo_gnuplot_def fo_default_gnuplot_def(void);

/// Writes data and script, and runs gnuplot when it is found in PATH; `*drawn` (may be NULL) says
/// whether the picture was made. A gnuplot that is not there is no error: FO_OK, not drawn.
/// Returns FO_OK, FO_ERROR_ARGUMENT (an unknown format, nothing to draw) or FO_ERROR_INPUT (writing
/// failed, or gnuplot did).
fo_status fo_gnuplot(const fo_gnuplot_def *def, bool *drawn, fo_message *why);

/// The cells of a histogram between its limits as bars. The allocator is for the points, meanwhile.
fo_status fo_gnuplot_histogram(const fo_histogram *h, const char *path, const char *format,
                               const fo_allocator *allocator, bool *drawn, fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
