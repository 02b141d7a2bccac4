/// What a live run shows: a screen with moving curves, or lines for pipes.
#ifndef CLI_LIVE_VIEW_H
#define CLI_LIVE_VIEW_H

#include <foliot/foliot.h>
#include <stdio.h>

#include "cli/displays.h"
#include "cli/live/history.h"
#include "cli/live/keys.h"
#include "cli/live/scape.h"
#include "cli/run/picture.h"

typedef struct live_view {
    fo_live *live;
    history *history;
    keys *keys;      ///< NULL: none
    picture picture; ///< its table is made anew for every frame
    double window;   ///< [s simulated]
    bool colour;
    scape *scape;               ///< the model in space; NULL: it has no such picture
    double *values;             ///< of it, for one frame
    displays *displays;         ///< of a diagram; NULL: none
    char note[FO_MESSAGE_SIZE]; ///< what was said last
    char nothing[128];          ///< why nothing can be touched
    bool ended;                 ///< the run has; the last screen stays until a key
    bool open;
} live_view;

/// Takes the whole terminal.
void view_open(live_view *v);
/// Gives it back.
void view_close(live_view *v);
/// Draws one frame; blocks as long as the terminal does.
void view_draw(live_view *v);
/// One line: time, signals, load.
void view_line(live_view *v, FILE *out);

#endif
