/// The display computer of a cluster: --share NAME.
#ifndef CLI_CLUSTER_DISPLAY_H
#define CLI_CLUSTER_DISPLAY_H

#include <foliot/foliot.h>

#include "cli/command.h"

typedef struct display {
    fo_share *share; ///< NULL: nobody asked for it
    double *values;  ///< states and outputs, as they are shared
    size_t count, nodes;
    uint64_t cycle; ///< that was shown last
    bool shown;
} display;

/// `name` NULL: nothing is shown. False after a message.
bool display_open(display *d, const command *self, const char *name, const fo_field *field);
/// Shows the last cycle of which all nodes have reported.
void display_show(display *d, const fo_tdma_master *master);
void display_close(display *d);

#endif
