/// How much memory could be had without swapping.
#ifndef CLI_FREE_MEMORY_H
#define CLI_FREE_MEMORY_H

#include <stdint.h>

/// Bytes that the machine has free, or the groups (cgroups, of either version) that this process is
/// in, whichever is least; 0: nobody knows. `root` is the folder in which proc/ and sys/ are: "".
uint64_t free_memory(const char *root);

#endif
