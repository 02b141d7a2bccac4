/// The plot at the end of a run: signals of one unit share a picture.
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <foliot/foliot.h>
#include <stdio.h>

#include "base/made.h"
#include "cli/run/signals.h"

enum { PICTURE_NO_X = -1 };

typedef struct picture {
    fo_system system;
    signals signals; ///< columns of the table
    int *over;       ///< of each: the one that it is drawn over, PICTURE_NO_X: the time
    int *graph;      ///< of each: which XY Graph draws it, from 1; 0: none
    bool *hidden;    ///< of each: it is no curve by itself; all NULL: all are curves over time
    fo_table *table; ///< NULL: no plot wanted
    bool ascii;
    bool asked;            ///< these signals were asked for: all are shown
    const char *time_unit; ///< NULL: "s"
    int width;             ///< of the picture; 0: the terminal's
    bool colour;           ///< also where it does not go to a terminal at once
} picture;

/// Chooses what is drawn: "a,b" over time, "x:y" y over x. False after a message.
bool picture_choose(const command *c, const char *text, picture *p);
/// What a model draws of itself: its names, and of diagrams the inputs of XY Graphs over each
/// other.
bool picture_choose_usual(const command *c, const fo_model *m, const char *const *names,
                          picture *p);
void picture_free(picture *p);
/// `room`: how many lines it may take, as many panels as fit; 0: all of them.
fo_status picture_print(const picture *p, FILE *out, int room);
/// Into a given space of a screen, as many panels as have room in it, without titles.
void picture_print_within(const picture *p, FILE *out, int width, int height, bool colour);

/// A picture through gnuplot.
typedef struct gnuplot_request {
    char path[4096];      ///< without its ending
    const char *format;   ///< by the ending: svg, png or pdf
    double width, height; ///< 0: the usual
    foi_sight seen[3];    ///< the data, the script and the picture, when they were judged
} gnuplot_request;

/// Takes "curves.svg" apart, or "curves", which is of the `usual` format; `size` is "800x500" or
/// NULL. False after a message.
bool gnuplot_asked(const command *c, const char *path, const char *size, const char *usual,
                   gnuplot_request *g);

/// Writes the data and a script for gnuplot and draws them where gnuplot is there, with a panel for
/// each unit and the marks as vertical lines.
fo_status picture_draw(const picture *p, const gnuplot_request *g, const double *marks,
                       size_t mark_count, bool *drawn, fo_message *why);

#endif
