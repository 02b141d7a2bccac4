/// Reading fields from JSON: what document.c and document_parts.c share.
#ifndef FOI_FIELD_DOCUMENT_H
#define FOI_FIELD_DOCUMENT_H

#include "base/json_read.h"
#include "field/field.h"
#include "simulation/experiment.h"

/// [i, j, k], one for every dimension of `def`, whose sizes are checked where they are known.
void foi_read_grid_node(foi_reader *r, const foi_json_value *value, const fo_field_def *def,
                        uint32_t node[3]);
fo_signal foi_read_signal(foi_reader *r, const foi_json_value *value);
void foi_read_sides(foi_reader *r, const foi_json_value *value, fo_field_def *def);
void foi_read_points(foi_reader *r, const foi_json_value *value, fo_field_def *def);
void foi_read_probes(foi_reader *r, const foi_json_value *value, fo_field_def *def);
void foi_read_object(foi_reader *r, const foi_json_value *value, fo_field_def *def);
/// Values of all nodes: a list, or {"bell": ...} or {"sine": ...}.
const double *foi_read_values(foi_reader *r, const foi_json_value *value, const fo_field_def *def);

/// A field that was read from a JSON document (docs/fields.md), and how it is to be run.
typedef struct foi_field_document {
    fo_field *field;
    foi_experiment experiment; ///< how it wants to be run
    fo_tdma_def cluster;
} foi_field_document;

/// NULL on failure; messages begin with "file:line:column: $.path: ".
foi_field_document *foi_field_read(const char *path, const fo_allocator *allocator,
                                   fo_message *why);
void foi_field_document_destroy(foi_field_document *document);
/// A document from its JSON. NULL on failure.
foi_field_document *foi_field_document_of(const foi_json *json, const fo_allocator *allocator,
                                          fo_message *why);
/// The same, with its numbers listed and set; `numbers` may be NULL.
foi_field_document *foi_field_document_with(const foi_json *json, foi_numbers *numbers,
                                            const fo_allocator *allocator, fo_message *why);

#endif
