/// JSON as commands print it with --json: one object, and a line break at its end.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/// A document being printed.
typedef struct json {
    FILE *out;
    int depth;
    uint64_t filled; ///< one bit per depth: something stands there, a comma comes before the next
    uint64_t lists;  ///< one bit per depth: it is a list
} json;

/// `key` is NULL in lists and for the document itself. `bracket` is '{' or '['.
void json_open(json *j, const char *key, char bracket);
void json_close(json *j);
/// A text that is NULL, and a number that is not finite, are null.
void json_text(json *j, const char *key, const char *text);
void json_number(json *j, const char *key, double value);
void json_whole(json *j, const char *key, uint64_t value);
void json_truth(json *j, const char *key, bool truth);

#endif
