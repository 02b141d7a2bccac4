/// Who made a file.
#ifndef FOI_MADE_H
#define FOI_MADE_H

#include <stdbool.h>

/// Who made a file, as far as the file system says it.
typedef enum foi_origin {
    FOI_MADE_HERE,       ///< this program, and nobody has changed it since
    FOI_MADE_BY_OTHERS,  ///< somebody else, or it was changed
    FOI_MADE_BY_ANYBODY, ///< the file system does not keep it
} foi_origin;

/// Signs a file that this program writes: first when it is opened, and `whole` after the last byte.
/// Other things than plain files are passed over.
void foi_file_sign(int fd, bool whole);
foi_origin foi_file_origin(int fd);

#endif
