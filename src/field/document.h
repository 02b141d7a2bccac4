/// Reading fields from JSON: what document.c and document_parts.c share.
#ifndef FOI_FIELD_DOCUMENT_H
#define FOI_FIELD_DOCUMENT_H

#include "base/json_read.h"
#include "field/field.h"

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

/// A document from its JSON. NULL on failure.
fo_field_document *foi_field_document_of(const foi_json *json, const fo_allocator *allocator,
                                         fo_message *why);
/// The same, with its numbers listed and set; `numbers` may be NULL.
fo_field_document *foi_field_document_with(const foi_json *json, foi_numbers *numbers,
                                           const fo_allocator *allocator, fo_message *why);

#endif
