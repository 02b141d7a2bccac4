/// The gallery: every model of models/, one folder each.
#ifndef FOLIOT_GALLERY_H
#define FOLIOT_GALLERY_H

#include <foliot/foliot.h>

/// A model of the gallery: a system and how one usually looks at it.
typedef struct gallery_model {
    fo_system system;        ///< its description has the name and the one line
    double stop;             ///< usual end of a run [s]
    double interval;         ///< usual distance of output rows [s]
    const char *solver;      ///< NULL: chosen for it
    double rtol, atol;       ///< 0: the defaults
    const char *const *plot; ///< names of the signals to plot, NULL-terminated
} gallery_model;

size_t gallery_count(void);
const gallery_model *gallery_get(size_t index);
/// NULL for an unknown name; `why` then has the nearest right one.
const gallery_model *gallery_find(const char *name, fo_message *why);

#endif
