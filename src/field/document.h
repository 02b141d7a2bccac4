/// Reading fields from JSON: what document.c and document_parts.c share.
#ifndef FOI_FIELD_DOCUMENT_H
#define FOI_FIELD_DOCUMENT_H

#include "base/json.h"
#include "field/field.h"

/// A document being read. The first failure is kept, and everything after it does nothing.
typedef struct foi_reader {
    const foi_json *json;
    const fo_allocator *allocator;
    fo_message *why;
    fo_status status;
    struct foi_read_block *blocks; ///< memory until the field is made
    uint32_t dimensions, size[3];
} foi_reader;

/// Zeroed memory that is freed with the reader; NULL (and a failure) when there is none.
void *foi_read_room(foi_reader *r, size_t count, size_t size);
void foi_read_free(foi_reader *r);

/// Refuses every member whose key is not in the list (NULL-terminated), with the nearest right one.
bool foi_read_keys(foi_reader *r, const foi_json_value *object, const char *const *keys);
/// The member as a number, text, truth or whole number; `usual` where it is not there.
double foi_read_number(foi_reader *r, const foi_json_value *object, const char *key, double usual);
const char *foi_read_text(foi_reader *r, const foi_json_value *object, const char *key);
bool foi_read_truth(foi_reader *r, const foi_json_value *object, const char *key);
uint32_t foi_read_count(foi_reader *r, const foi_json_value *object, const char *key);
/// A list of up to `most` numbers into `to`. Returns how many; 0 where it is not there.
uint32_t foi_read_list(foi_reader *r, const foi_json_value *value, double *to, uint32_t most);
/// Which of the words (NULL-terminated) it is; 0 where it is not there.
int foi_read_word(foi_reader *r, const foi_json_value *value, const char *const *words);
__attribute__((format(printf, 3, 4))) void foi_read_refuse(foi_reader *r,
                                                           const foi_json_value *value,
                                                           const char *format, ...);

/// [i, j, k], one for every dimension.
void foi_read_grid_node(foi_reader *r, const foi_json_value *value, uint32_t node[3]);
fo_signal foi_read_signal(foi_reader *r, const foi_json_value *value);
void foi_read_sides(foi_reader *r, const foi_json_value *value, fo_side sides[6]);
void foi_read_points(foi_reader *r, const foi_json_value *value, fo_field_def *def);
void foi_read_probes(foi_reader *r, const foi_json_value *value, fo_field_def *def);
void foi_read_object(foi_reader *r, const foi_json_value *value, fo_field_def *def);
/// Values of all nodes: a list, or {"bell": ...} or {"sine": ...}.
const double *foi_read_values(foi_reader *r, const foi_json_value *value, const fo_field_def *def);

/// A document from its JSON. NULL on failure.
fo_field_document *foi_field_document_of(const foi_json *json, const fo_allocator *allocator,
                                         fo_message *why);

#endif
