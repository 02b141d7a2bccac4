/// Status and messages: the one list of how a call can end.
#ifndef FOLIOT_STATUS_H
#define FOLIOT_STATUS_H

#include <stdarg.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended. Values below FO_ERROR are not errors.
typedef enum fo_status {
    FO_OK = 0,  ///< done
    FO_REACHED, ///< the simulation is at the time that was asked for
    FO_STOPPED, ///< the model asked to stop on the way
    FO_RETRY,   ///< from a model's rates only: not here, but a shorter step may do
    FO_PAUSED,  ///< the work that was allowed is done, and there is more

    FO_ERROR = 16,      ///< the first error; never returned itself
    FO_ERROR_MEMORY,    ///< an allocation failed
    FO_ERROR_ARGUMENT,  ///< a definition, a name or a value that is not valid
    FO_ERROR_MODEL,     ///< the model refused: a start value, an assertion
    FO_ERROR_NUMBER,    ///< not a number, or infinite, where a number is needed
    FO_ERROR_STEP,      ///< the step became too small
    FO_ERROR_CONVERGE,  ///< an iteration or a factorisation failed
    FO_ERROR_JUMPS,     ///< too many jumps at one instant
    FO_ERROR_ZENO,      ///< moments accumulate before a limit time
    FO_ERROR_UNFIT,     ///< the solver does not fit the system, or a feature is missing
    FO_ERROR_INPUT,     ///< reading or writing failed
    FO_ERROR_FORMAT,    ///< a document that cannot be understood
    FO_ERROR_CANCELLED, ///< an observer asked to end the run
} fo_status;

/// A few words for a status, for example "the step became too small".
const char *fo_status_text(fo_status status);

/// True for the errors of the list.
static inline int fo_failed(fo_status status)
{
    return status > FO_ERROR;
}

enum { FO_MESSAGE_SIZE = 512 };

/// What happened, where and when, in one or more sentences for a person.
typedef struct fo_message {
    fo_status status;
    char text[FO_MESSAGE_SIZE];
} fo_message;

/// Writes a message and returns `status`, so that a function can end with
/// `return fo_fail(why, FO_ERROR_ARGUMENT, "the step must be positive, not %g", h);`
/// `message` may be NULL. A text that is too long is cut, never overrun.
__attribute__((format(printf, 3, 4))) fo_status fo_fail(fo_message *message, fo_status status,
                                                        const char *format, ...);

/// Puts words before the text that is already in the message: "part `arm`: ...".
__attribute__((format(printf, 2, 3))) void fo_message_prefix(fo_message *message,
                                                             const char *format, ...);

// ------------------------------------------------------------------------- what is wrong where

typedef enum fo_severity { FO_SEVERITY_ERROR, FO_SEVERITY_WARNING, FO_SEVERITY_NOTE } fo_severity;

/// One thing to be said about a document, with its place, as data: an editor underlines it, the
/// program prints it as a compiler does. A note explains the finding before it.
typedef struct fo_finding {
    fo_severity severity;
    const char *file;      ///< as it was named; NULL: about no file
    uint32_t line, column; ///< from 1, in characters; line 0: the file as a whole
    uint32_t length;       ///< characters of that line that it is about; 0: not known
    const char *text;      ///< what was expected and what was found
    const char *hint;      ///< what may have been meant, as a sentence; NULL: none
    const char *source;    ///< the line; NULL: not at hand
} fo_finding;

#ifdef __cplusplus
}
#endif
#endif
