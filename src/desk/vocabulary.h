/// The words that every text may use: those of the language, its types and functions.
#ifndef FOI_VOCABULARY_H
#define FOI_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct foi_vocable {
    const char *name;
    const char *kind;  ///< "keyword", "type", "function", "variable"
    const char *form;  ///< as it is written: "reinit(x, value)"
    const char *about; ///< one line
} foi_vocable;

/// Ends with one without a name.
extern const foi_vocable foi_vocabulary[];

/// NULL: none of these letters.
const foi_vocable *foi_vocable_find(const char *letters, size_t length);

#endif
