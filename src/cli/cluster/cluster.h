/// What the files of `foliot cluster` share.
#ifndef CLI_CLUSTER_H
#define CLI_CLUSTER_H

#include <foliot/foliot.h>

#include "base/writer.h"
#include "cli/command.h"

typedef struct cluster_options {
    maybe_count nodes, node, steps, slots;
    maybe_number stop, step, period, slot, capacity, patience, joining;
    const char *hosts, *agent, *program, *listen, *master, *output, *bridge, *parts, *share;
    const char *key, *memory;
    bool open, by_hand, overlap, compare, scale, no_priority, quiet, overwrite, json, strict;
} cluster_options;

/// Prints the table of the largest grids that keep real time. Returns the exit status.
int cluster_scale(const command *self, const cluster_options *o);
/// One line about a run on a terminal, over the one before.
void cluster_show(const fo_tdma_master *master);

/// --output: the probes as CSV, in rows of the cycles.
typedef struct cluster_file {
    foi_writer out;
    bool open;
    bool waits; ///< no plain file: rows are written at the end, as others may not read on
    const fo_field *field;
    uint64_t every, next; ///< cycles of a row, and that of the next one
} cluster_file;

/// Opens it for this process alone, empties it and writes the header, before the run. False: a
/// message was printed.
bool cluster_file_open(cluster_file *f, const command *self, const char *path,
                       const fo_field *field, const fo_tdma_master *master, double interval);
/// While it runs: the rows that are complete.
void cluster_file_go_on(cluster_file *f, const fo_tdma_master *master);
/// The rest of the rows. False: a message was printed.
bool cluster_file_close(cluster_file *f, const command *self, const fo_tdma_master *master);
/// Whether the values are those of one machine, as far as the network is concerned: all boundaries
/// came in time, and all values of probes were reported. If not, notes were printed.
bool cluster_whole(const command *self, const fo_tdma_master *master);
/// --json: the plan, and what came of it at the master and at every node.
void cluster_json(const fo_tdma_master *master, bool whole);
/// The error against one machine, printed. False: a message was printed.
bool cluster_compare(const command *self, const fo_field *field, const fo_tdma_master *master);

#endif
