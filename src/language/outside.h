/// The C of an external function: what its annotation asks for, and the entry that calls it.
#ifndef FOI_LANGUAGE_OUTSIDE_H
#define FOI_LANGUAGE_OUTSIDE_H

#include "equations/outside.h"
#include "language/session.h"

/// What all functions of one text for the compiler need.
typedef struct foi_outside_unit {
    foi_session *s;
    foi_flat_writer out;
    const char **includes, **folders, **link;
    foi_place *places; ///< per include
    uint32_t include_count, folder_count, link_count;
} foi_outside_unit;

/// Takes what the annotation of an external function names; *includes: it has C of its own.
bool foi_outside_annotation(foi_outside_unit *u, foi_class *c, bool *includes);
/// Writes the entry of an external function.
bool foi_outside_write_entry(foi_outside_unit *u, foi_special *f);

static inline bool foi_is_object(const foi_class *c)
{
    return c && c->is_object;
}

#endif
