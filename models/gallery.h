/// The models of models/ that are compiled: systems in C, and worlds of processes. The others are
/// documents, which fo_model_open finds in the folder.
#ifndef FOLIOT_GALLERY_H
#define FOLIOT_GALLERY_H

#include <foliot/foliot.h>

size_t gallery_count(void);
const fo_compiled_model *gallery_get(size_t index);
/// NULL for an unknown name; `why` then has the nearest right one.
const fo_compiled_model *gallery_find(const char *name, fo_message *why);

#endif
