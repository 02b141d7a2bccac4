/// Who made a file.
#ifndef FOI_MADE_H
#define FOI_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

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

/// How a file looked when it was judged, or when it was written last.
typedef struct foi_sight {
    bool looked;       ///< false: it may be as it likes
    bool there;        ///< as a plain file that is not empty
    struct stat about; ///< there
} foi_sight;

foi_sight foi_file_look(const char *path);
/// Whether the file is as it was: nobody else has made or changed it since.
bool foi_file_unchanged(const foi_sight *seen, const char *path);

/// Notes at a plain file of which model it is, where the file system keeps that; passes over
/// others.
void foi_file_attribute(const char *path, const char *model);
/// The model of a file, cut to `size`; false: nothing is noted there.
bool foi_file_attributed(const char *path, char *model, size_t size);

#endif
