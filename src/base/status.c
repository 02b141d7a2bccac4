#include <foliot/status.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char *fo_status_text(fo_status status)
{
    switch (status) {
    case FO_OK: return "done";
    case FO_REACHED: return "reached";
    case FO_STOPPED: return "stopped by the model";
    case FO_RETRY: return "a shorter step may do";
    case FO_PAUSED: return "paused";
    case FO_ERROR: break;
    case FO_ERROR_MEMORY: return "out of memory";
    case FO_ERROR_ARGUMENT: return "an argument, a name or a value that is not valid";
    case FO_ERROR_MODEL: return "refused by the model";
    case FO_ERROR_NUMBER: return "not a finite number";
    case FO_ERROR_STEP: return "the step became too small";
    case FO_ERROR_CONVERGE: return "no convergence";
    case FO_ERROR_JUMPS: return "too many jumps at one instant";
    case FO_ERROR_ZENO: return "moments accumulate";
    case FO_ERROR_UNFIT: return "the solver does not fit";
    case FO_ERROR_INPUT: return "reading or writing failed";
    case FO_ERROR_FORMAT: return "a document that cannot be understood";
    case FO_ERROR_CANCELLED: return "cancelled";
    }
    return "unknown status";
}

fo_status fo_fail(fo_message *message, fo_status status, const char *format, ...)
{
    if (!message) return status;
    message->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    foi_message_plain(message->text);
    return status;
}

void fo_message_prefix(fo_message *message, const char *format, ...)
{
    if (!message) return;
    char prefix[FO_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    foi_message_plain(prefix);
    size_t used = strlen(prefix), kept = strlen(message->text) + 1;
    if (kept > sizeof message->text - used) kept = sizeof message->text - used;
    memmove(message->text + used, message->text, kept);
    memcpy(message->text, prefix, used);
    message->text[sizeof message->text - 1] = 0;
}
