/// Files that a text sees, and texts that are known before the run: functions of the library that
/// read them.
#ifndef FOI_LANGUAGE_FILES_H
#define FOI_LANGUAGE_FILES_H

#include "language/session.h"

// seen.c

/// What a text sees by a name; the numbers are those of the library's FileType.
typedef enum foi_seen_kind { FOI_SEES_NOTHING = 1, FOI_SEES_FILE, FOI_SEES_FOLDER } foi_seen_kind;

foi_seen_kind foi_see(foi_session *s, const char *name);
/// The bytes of a file that the text may see, followed by a zero; those of the last one are kept.
/// NULL after a message.
const char *foi_read_seen(foi_session *s, foi_place place, const char *name, size_t *length);

// lines.c

/// Two results of a function.
bool foi_give_two(foi_session *s, const foi_flat_expr *first, const foi_flat_expr *second,
                  const foi_value **results, uint32_t *count);
/// Functions that read lines of files.
bool foi_line_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                   uint32_t count, bool *handled, const foi_value **results,
                   uint32_t *result_count);

// scan.c

/// Functions that find words and numbers in texts.
bool foi_scan_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                   uint32_t count, bool *handled, const foi_value **results,
                   uint32_t *result_count);

// table_file.c

/// Functions of ModelicaIO that read matrices of files.
bool foi_matrix_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                     uint32_t count, bool *handled, foi_value *out);

#endif
