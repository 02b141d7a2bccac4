/// The plot at the end of a run: signals of one unit share a picture.
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <foliot/foliot.h>
#include <stdio.h>

#include "cli/run/signals.h"

typedef struct picture {
    fo_system system;
    signals signals;
    fo_table *table; ///< NULL: no plot wanted
    bool ascii;
    bool asked;            ///< these signals were asked for: all are shown
    const char *time_unit; ///< NULL: "s"
} picture;

/// `room`: how many lines it may take, as many panels as fit; 0: all of them.
void picture_print(const picture *p, FILE *out, int room);
/// Into a given space of a screen, as many panels as have room in it, without titles.
void picture_print_within(const picture *p, FILE *out, int width, int height, bool colour);

/// Writes the data and a script for gnuplot and draws them as <path>.png where gnuplot is there.
fo_status picture_draw(const picture *p, const char *path, bool *drawn, fo_message *why);

#endif
