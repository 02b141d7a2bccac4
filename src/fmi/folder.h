/// A folder of its own below TMPDIR or /tmp.
#ifndef FOI_FOLDER_H
#define FOI_FOLDER_H

#include <foliot/status.h>

typedef struct foi_folder {
    char path[512]; ///< "": none
    int lock;       ///< a file in it that is locked while the process lives
} foi_folder;

/// Makes one, and removes those that processes have left which are no more.
fo_status foi_folder_make(foi_folder *folder, fo_message *why);
/// With all that is in it.
void foi_folder_remove(foi_folder *folder);

#endif
