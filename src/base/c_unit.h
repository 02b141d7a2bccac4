/// C that others wrote, compiled with the system's compiler and loaded into this process. Whoever
/// asks for it has asked the user.
///
/// What is loaded lies in the cache (base/cache.h), named by what the preprocessor makes of the
/// source and by how it is linked, so that a changed header is noticed.
#ifndef FOI_C_UNIT_H
#define FOI_C_UNIT_H

#include <foliot/status.h>
#include <stddef.h>

typedef struct foi_c_unit foi_c_unit;

typedef struct foi_c_unit_def {
    const char *source;               ///< C, ended with zero
    const char *header_name, *header; ///< a file that it includes, and its text; may be NULL
    /// Folders to include from, ended with NULL; may be NULL.
    const char *const *include_folders;
    /// What follows the source on the compiler's line: -L..., -l..., objects; ended with NULL.
    const char *const *link;
    const char *folder; ///< of the cache; NULL: the user's
} foi_c_unit_def;

/// NULL on failure: `why` holds what the compiler says first.
foi_c_unit *foi_c_unit_load(const foi_c_unit_def *def, fo_message *why);
/// NULL: it has no such name.
void *foi_c_unit_symbol(foi_c_unit *unit, const char *name);
/// Takes NULL.
void foi_c_unit_close(foi_c_unit *unit);

#endif
