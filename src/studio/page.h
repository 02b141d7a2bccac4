/// The page, as web/embed.mjs has put it into the program.
#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>

typedef struct page_file {
    const char *path;           ///< "" is the page itself
    const char *type;           ///< of its content
    const unsigned char *bytes; ///< gzip
    size_t size;
} page_file;

/// Ends with one without a path.
extern const page_file page_files[];

#endif
