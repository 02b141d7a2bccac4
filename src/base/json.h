/// JSON (RFC 8259): read into a tree whose values know where they stand, and written.
///
/// Nothing is guessed: texts are checked UTF-8, numbers are JSON's own grammar and finite, keys of
/// an object differ, and what is too deep or too large is refused. Every message begins with
/// "name:line:column: $.path: ".
#ifndef FOI_JSON_H
#define FOI_JSON_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum foi_json_kind {
    FOI_JSON_NULL,
    FOI_JSON_TRUTH,
    FOI_JSON_NUMBER,
    FOI_JSON_TEXT,
    FOI_JSON_LIST,
    FOI_JSON_OBJECT,
} foi_json_kind;

/// One value. Members and elements are chained: `for (v = list->first; v; v = v->next)`.
typedef struct foi_json_value {
    foi_json_kind kind;
    uint32_t line, column; ///< of its first character, from 1; columns count characters
    bool truth;
    double number;
    const char *text;    ///< UTF-8, ends with a zero
    size_t length;       ///< of the text in bytes
    const char *key;     ///< as a member of an object; NULL otherwise
    size_t count, index; ///< of its children; its own place, from 0
    struct foi_json_value *parent, *first, *last, *next;
} foi_json_value;

/// A document in memory.
typedef struct foi_json foi_json;

typedef struct foi_json_def {
    const char *name; ///< of the document, for messages: the file's path
    const char *text;
    size_t length;
    size_t max_length;  ///< bytes; 0: 256 MiB
    size_t max_values;  ///< 0: 16 million
    uint32_t max_depth; ///< 0: 64
    const fo_allocator *allocator;
} foi_json_def;

/// Reads a document. NULL on failure: FO_ERROR_FORMAT with a place, or FO_ERROR_MEMORY.
foi_json *foi_json_read(const foi_json_def *def, fo_message *why);
/// Reads a file. NULL on failure, also FO_ERROR_INPUT.
foi_json *foi_json_read_file(const char *path, const fo_allocator *allocator, fo_message *why);
/// All of a file, *length bytes and a zero behind them. NULL on failure.
char *foi_json_text(const char *path, const fo_allocator *allocator, size_t *length,
                    fo_message *why);
void foi_json_destroy(foi_json *json);

const foi_json_value *foi_json_root(const foi_json *json);
const char *foi_json_name(const foi_json *json);

/// The member of an object; NULL when there is none, or `object` is no object.
const foi_json_value *foi_json_member(const foi_json_value *object, const char *key);

/// "$.nodes[2].mass". A path that is too long loses its beginning. Returns `text`.
const char *foi_json_path(const foi_json_value *value, char *text, size_t size);

/// "a number", "an object", ...
const char *foi_json_kind_text(foi_json_kind kind);

/// Refuses a value: FO_ERROR_FORMAT, "beam.json:3:14: $.nodes[2].mass: " and the given words.
__attribute__((format(printf, 4, 5))) fo_status foi_json_refuse(const foi_json *json,
                                                                const foi_json_value *value,
                                                                fo_message *why, const char *format,
                                                                ...);

// ------------------------------------------------------------------------------------- writing

/// A document being written into memory. Zero is a good start; `failed` is kept, so that only the
/// end needs a look.
typedef struct foi_json_writer {
    const fo_allocator *allocator;
    char *text; ///< ends with a zero
    size_t length, room;
    int depth;
    bool failed;   ///< memory was lacking, or a number was not finite
    bool filled;   ///< the innermost container has something in it
    uint64_t flat; ///< one bit per depth: written on one line
} foi_json_writer;

/// `key` is NULL except in objects. `flat`: all of it on one line.
void foi_json_open(foi_json_writer *w, const char *key, char bracket, bool flat);
void foi_json_close(foi_json_writer *w, char bracket);
void foi_json_put_number(foi_json_writer *w, const char *key, double value);
void foi_json_put_text(foi_json_writer *w, const char *key, const char *text);
void foi_json_put_truth(foi_json_writer *w, const char *key, bool truth);
void foi_json_put_null(foi_json_writer *w, const char *key);
/// Frees the text.
void foi_json_writer_destroy(foi_json_writer *w);

#endif
