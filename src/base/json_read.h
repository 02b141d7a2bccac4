/// Reading the values of a JSON document: numbers, texts, lists of a kind, with messages that name
/// the place. Every reader of documents uses these steps.
#ifndef FOI_JSON_READ_H
#define FOI_JSON_READ_H

#include "base/json_numbers.h"

/// A document being read. The first failure is kept, and everything after it does nothing.
typedef struct foi_reader {
    const foi_json *json;
    const fo_allocator *allocator;
    fo_message *why;
    fo_status status;
    struct foi_read_block *blocks; ///< memory until the document is read
    foi_numbers *numbers;          ///< lists and replaces the numbers; may be NULL
} foi_reader;

typedef enum foi_range { FOI_ANY, FOI_POSITIVE, FOI_NOT_NEGATIVE } foi_range;

/// Zeroed memory that is freed with the reader; NULL (and a failure) when there is none.
void *foi_read_room(foi_reader *r, size_t count, size_t size);
void foi_read_free(foi_reader *r);

/// Refuses a value: the place and the given words.
__attribute__((format(printf, 3, 4))) void foi_read_refuse(foi_reader *r,
                                                           const foi_json_value *value,
                                                           const char *format, ...);
/// Takes over what a builder has answered; the place of `value` comes before what it has refused.
void foi_read_answer(foi_reader *r, const foi_json_value *value, fo_status status);

/// True when the value is of a kind; it is refused otherwise.
bool foi_read_is(foi_reader *r, const foi_json_value *value, foi_json_kind kind);
/// Refuses every member whose key is not in the list (NULL-terminated), with the nearest right one.
bool foi_read_keys(foi_reader *r, const foi_json_value *object, const char *const *keys);
/// `sliders` of a document: how far a page's slider reaches, {"g": [0, 20], ...}; no model depends
/// on them.
bool foi_read_sliders(foi_reader *r, const foi_json_value *root);
/// The member; refuses the object where it is missing, and returns NULL then.
const foi_json_value *foi_read_needed(foi_reader *r, const foi_json_value *object, const char *key);

/// The member as a number, text, truth or whole number; `usual`, NULL, false or 0 where it is not
/// there. A text must not be empty.
double foi_read_number(foi_reader *r, const foi_json_value *object, const char *key, double usual);
double foi_read_number_in(foi_reader *r, const foi_json_value *object, const char *key,
                          foi_range range, double usual);
const char *foi_read_text(foi_reader *r, const foi_json_value *object, const char *key);
bool foi_read_truth(foi_reader *r, const foi_json_value *object, const char *key);
uint32_t foi_read_count(foi_reader *r, const foi_json_value *object, const char *key);
/// The first element of a list; NULL where it is empty or not there.
const foi_json_value *foi_read_items(foi_reader *r, const foi_json_value *object, const char *key);
/// A list of exactly `count` numbers; `to` is left alone where it is not there.
void foi_read_vector(foi_reader *r, const foi_json_value *object, const char *key, int count,
                     double *to);

/// The value itself as a number, or as a whole number; 0 where it is refused.
double foi_read_value(foi_reader *r, const foi_json_value *value, foi_range range);
uint32_t foi_read_whole(foi_reader *r, const foi_json_value *value);
/// A list of up to `most` numbers into `to`. Returns how many; 0 where it is not there.
uint32_t foi_read_list(foi_reader *r, const foi_json_value *value, double *to, uint32_t most);
/// Which of the words (NULL-terminated) it is; 0 where it is not there.
int foi_read_word(foi_reader *r, const foi_json_value *value, const char *const *words);

#endif
