/// Node types of one's own that the command line names: --node-types FILE.
#ifndef CLI_OWN_NODES_H
#define CLI_OWN_NODES_H

#include <foliot/foliot.h>

#include "cli/command.h"

/// Loads a file; false: a message was printed. What it has lives as long as the program.
bool own_nodes_add(const command *c, const char *path);
/// All types so far.
const fo_node_type *const *own_nodes(size_t *count);
/// The files of either kind, in the order in which they were named.
const char *const *own_files(size_t *count);
/// The FMUs that were named with it: what nodes of a diagram may run.
const char *const *own_units(size_t *count);

#endif
