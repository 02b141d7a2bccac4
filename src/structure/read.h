/// A structure from its JSON, for other rooms.
#ifndef FOI_STRUCTURE_READ_H
#define FOI_STRUCTURE_READ_H

#include <foliot/structure.h>

#include "base/json_numbers.h"
#include "simulation/experiment.h"

/// A document from its JSON, with its numbers listed and set; `numbers` may be NULL. NULL on
/// failure.
fo_structure_document *foi_structure_document_of(const foi_json *json, foi_numbers *numbers,
                                                 const fo_allocator *allocator, fo_message *why);

/// How it wants to be run.
const foi_experiment *foi_structure_document_experiment(const fo_structure_document *d);

#endif
