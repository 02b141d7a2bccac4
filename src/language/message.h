/// What is wrong in a text, and where.
#ifndef FOI_MESSAGE_H
#define FOI_MESSAGE_H

#include <stdarg.h>
#include <stdio.h>

#include "equations/flat.h"

typedef enum foi_severity { FOI_ERROR, FOI_WARNING, FOI_NOTE } foi_severity;

/// One finding. A note explains the finding before it.
typedef struct foi_finding {
    foi_severity severity;
    uint32_t line, column; ///< from 1; line 0: of the file as a whole
    const char *file;
    const char *text;
    size_t bare;        ///< so long is the text without the instance in which it was found
    const char *source; ///< the line of the source, or NULL
} foi_finding;

enum { FOI_MOST_ERRORS = 20 };

/// All findings about a text, in the order in which they were made.
typedef struct foi_messages {
    foi_arena arena;
    foi_finding *findings;
    size_t count, room;
    size_t errors, warnings;
    bool one_each; ///< at most one error at a place
    bool full;     ///< there were more than FOI_MOST_ERRORS errors; the rest is left out
} foi_messages;

void foi_messages_begin(foi_messages *messages, const fo_allocator *allocator);
void foi_messages_end(foi_messages *messages);

/// Adds a finding; the same text at the same place is added once, whatever the instances. `source`
/// is the whole text of the file, from which the line is copied; it may be NULL. `within` names the
/// instance in which it was found, where the text does not; NULL: none.
void foi_messages_add(foi_messages *messages, foi_severity severity, const char *file,
                      foi_place place, const char *source, const char *within, const char *format,
                      va_list arguments);

/// Leaves out what was added after the first `count`.
void foi_messages_forget(foi_messages *messages, size_t count);

/// One finding as lines: `file:line:column: error: text`, the source line, a caret under the
/// column. As snprintf: returns the length that it would have.
int foi_finding_print(const foi_finding *finding, char *text, size_t size);

/// All of them, and how many errors there are.
void foi_messages_print(const foi_messages *messages, FILE *out);

#endif
