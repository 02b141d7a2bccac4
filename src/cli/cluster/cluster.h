/// What the files of `foliot cluster` share.
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include <foliot/foliot.h>

#include "cli/command.h"

typedef struct cluster_options {
    maybe_count nodes, node, steps, slots;
    maybe_number stop, step, period, slot, capacity, patience, joining;
    const char *hosts, *agent, *program, *listen, *master, *output, *bridge, *parts, *share;
    const char *key, *memory;
    bool open, by_hand, overlap, compare, scale, no_priority, quiet, overwrite, json;
} cluster_options;

/// Prints the table of the largest grids that keep real time. Returns the exit status.
int cluster_scale(const command *self, const cluster_options *o);
/// One line about a run on a terminal, over the one before.
void cluster_show(const fo_tdma_master *master);
/// Writes the probes of all cycles as CSV. False: a message was printed.
bool cluster_write(const command *self, const char *path, const fo_field *field,
                   const fo_tdma_master *master, double interval);
/// --json: the plan, and what came of it at the master and at every node.
void cluster_json(const fo_tdma_master *master, bool whole);
/// The error against one machine, printed. False: a message was printed.
bool cluster_compare(const command *self, const fo_field *field, const fo_tdma_master *master);

#endif
