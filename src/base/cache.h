/// Compiled objects that are kept for the next time, in a folder of the user's alone.
///
/// What is loaded from there becomes code of this process. So the folder must belong to the user
/// and nobody else may write to it or move it away, and an object is looked at before it is loaded:
/// it ends with a seal that names the source it was made of and has a checksum of all its bytes.
///
///     object | "\nfoliot-sealed 1 <source, 32 digits> <checksum, 16> <bytes, 16>\n"
///
/// A loader of shared objects does not look at what follows them.
#ifndef FOI_CACHE_H
#define FOI_CACHE_H

#include <foliot/status.h>

#include "base/hash.h"

enum {
    FOI_CACHE_FOLDER = 1024,                ///< room for the path of the cache
    FOI_CACHE_FILE = FOI_CACHE_FOLDER + 96, ///< and for that of a file in it
};

/// Finds, makes where it is missing and checks the folder: `given`, or, where that is NULL,
/// $XDG_CACHE_HOME/foliot or ~/.cache/foliot. Writes its path without links.
/// FO_ERROR_UNFIT when there is none that can be trusted.
fo_status foi_cache_folder(const char *given, char folder[FOI_CACHE_FOLDER], fo_message *why);

typedef enum foi_cached {
    FOI_CACHE_NONE, ///< it is not there
    FOI_CACHE_GOOD, ///< whole, ours and made of that source
    FOI_CACHE_BAD,  ///< anything else; the message says what
} foi_cached;

foi_cached foi_cache_look(const char *object, foi_digest source, fo_message *why);

/// Files that are being made are called `<32 digits>-<process>-<any>.c` or `.so`, in hexadecimal
/// digits. Removes those of processes that are no more.
void foi_cache_clean(const char *folder);

/// Seals a complete object, waits until the disk has it and gives it its name.
fo_status foi_cache_keep(const char *made, const char *object, foi_digest source, fo_message *why);

#endif
