/// Reading the fields of a document, with messages that name the place.
#ifndef FOI_FIELDS_H
#define FOI_FIELDS_H

#include "base/json.h"
#include "structure/structure.h"

/// A document being read.
typedef struct foi_fields {
    const foi_json *json;
    const fo_allocator *allocator;
    fo_message *why;
} foi_fields;

typedef enum foi_range { FOI_ANY, FOI_POSITIVE, FOI_NOT_NEGATIVE } foi_range;

/// Refuses members that are not in the list (which ends with NULL); suggests the nearest.
fo_status foi_fields_known(const foi_fields *f, const foi_json_value *object,
                           const char *const *keys);
/// Each leaves *out as it is when the member is not there, unless it is `required`.
fo_status foi_field_number(const foi_fields *f, const foi_json_value *object, const char *key,
                           bool required, foi_range range, double *out);
fo_status foi_field_count(const foi_fields *f, const foi_json_value *object, const char *key,
                          bool required, uint32_t *out);
fo_status foi_field_truth(const foi_fields *f, const foi_json_value *object, const char *key,
                          bool *out);
fo_status foi_field_text(const foi_fields *f, const foi_json_value *object, const char *key,
                         bool required, const char **out);
/// A list of `count` numbers.
fo_status foi_field_vector(const foi_fields *f, const foi_json_value *object, const char *key,
                           bool required, int count, double *out);
/// A list; *out is NULL when there is none.
fo_status foi_field_list(const foi_fields *f, const foi_json_value *object, const char *key,
                         const foi_json_value **out);
/// Which of the words (ends with NULL) a text is; *out is its index.
fo_status foi_field_choice(const foi_fields *f, const foi_json_value *object, const char *key,
                           const char *const *words, int *out);

/// The value must be of a kind.
fo_status foi_expect(const foi_fields *f, const foi_json_value *value, foi_json_kind kind);
fo_status foi_number_in(const foi_fields *f, const foi_json_value *value, foi_range range,
                        double *out);
/// Puts the place of `value` before what a builder has refused.
fo_status foi_at(const foi_fields *f, const foi_json_value *value, fo_status status);

#endif
