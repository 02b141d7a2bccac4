/// The numbers of a document by name, so that they can be listed and set without editing it.
///
/// A number is called by its place: the keys that lead to it with dots between them. An element of
/// a list is called by its member "name" where it has one, otherwise by its number from 1:
///
///     c                  {"c": 200}
///     gravity[2]         {"gravity": [0, -9.81]}
///     springs[1].k       {"springs": [{"k": 100}]}
///     drum.signal.width  {"points": [{"name": "drum", "signal": {"width": 1}}]}
///
/// A reader (json_read.h) that has a foi_numbers gives every number that it reads through it, also
/// one that the document leaves out, where its usual value stands.
#ifndef FOI_JSON_NUMBERS_H
#define FOI_JSON_NUMBERS_H

#include "base/arena.h"
#include "base/json.h"

enum {
    FOI_NUMBER_NAME = 200,
    FOI_MOST_LISTED = 4096, ///< numbers of one document
    FOI_LONGEST_LISTED = 16 ///< elements of a list; those of longer ones can be set all the same
};

/// A value that replaces the document's.
typedef struct foi_number_setting {
    char name[FOI_NUMBER_NAME]; ///< in full
    double value;
    bool taken; ///< there is such a number
} foi_number_setting;

/// A number that was read.
typedef struct foi_listed_number {
    const char *name, *key; ///< key: the last part of the name
    double value;
    bool whole;    ///< a whole number, which may decide a size
    bool positive; ///< above zero
    bool negative; ///< may be below zero
} foi_listed_number;

typedef struct foi_numbers {
    foi_arena *arena; ///< of the names and the list
    foi_number_setting *settings;
    size_t setting_count;
    foi_listed_number *list;
    uint32_t count;
} foi_numbers;

/// The name of a value that stands in a document, or of the member `key` of an object that it does
/// not have. Returns `text`.
const char *foi_number_name(const foi_json_value *value, const char *key, char *text, size_t size);

/// Completes a name: itself where the document has such a number, otherwise the number whose name
/// ends with it after a dot. FO_ERROR_ARGUMENT where there are several; a name that fits nowhere
/// stays as it is.
fo_status foi_number_complete(const foi_json *json, const char *name, char *full, size_t size,
                              fo_message *why);

/// The value that a number has: `value`, or what it was set to. Names with the first part "run" or
/// "cluster" are not offered. `numbers` may be NULL.
double foi_number_offer(foi_numbers *numbers, const foi_json_value *value, const char *key,
                        foi_listed_number about);

#endif
