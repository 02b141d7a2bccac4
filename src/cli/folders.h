/// What belongs to the program, and where it is: found from where the program stands, so that an
/// installed tree can be moved.
#ifndef CLI_FOLDERS_H
#define CLI_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/// The file of a part that is loaded or copied: beside the program, as it is built, or where it is
/// installed. False: in neither place; then `path` is the latter.
bool program_part(const char *name, char *path, size_t size);

#endif
