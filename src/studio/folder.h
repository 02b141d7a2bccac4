/// The models of one folder: plain files by plain names, nothing outside of it.
#ifndef STUDIO_FOLDER_H
#define STUDIO_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

enum {
    FOLDER_NAME_MOST = 120,     ///< bytes of a name
    FOLDER_FILE_MOST = 1000000, ///< bytes of a file, as the desk takes them
    FOLDER_LIST_MOST = 5000,    ///< files that are listed
    FOLDER_STAMP = 64,          ///< room for the version of a file
};

typedef struct folder {
    int fd;
} folder;

typedef enum folder_result {
    FOLDER_FINE,
    FOLDER_NAME,    ///< not the plain name of a model
    FOLDER_NONE,    ///< no such file
    FOLDER_KIND,    ///< a link, a folder or something else that is no plain file
    FOLDER_LARGE,   ///< more than FOLDER_FILE_MOST
    FOLDER_CHANGED, ///< not the version that was expected
    FOLDER_FAILED,  ///< errno says why
} folder_result;

/// False: it is not there, or no folder; errno says why.
bool folder_open(folder *f, const char *path);
void folder_close(folder *f);

/// True for "ball.mo" and "lag.structure.json": UTF-8 without slashes, quotes and control
/// characters, no point in front, and the ending of a model.
bool folder_is_name(const char *name);

/// The whole file, which the caller frees, and its version.
folder_result folder_read(const folder *f, const char *name, char **text, size_t *size,
                          char stamp[FOLDER_STAMP]);
/// Writes all or nothing: what is on the disk at any time is the old file or the new one, whole.
/// `was` is the version that is replaced, "" for a file that is new, "*" for any. On FOLDER_FINE
/// `stamp` is the version that is there now.
folder_result folder_write(const folder *f, const char *name, const char *was, const char *text,
                           size_t size, char stamp[FOLDER_STAMP]);
/// [{"name", "size", "stamp"}, ...] as text, which the caller frees; NULL without memory.
char *folder_list(const folder *f, size_t *size);

#endif
