/// Values as texts: what String() makes of them.
#include <stdio.h>
#include <string.h>

#include "equations/flat.h"

// "%5d" of a double that is whole: as the longest integer that C prints.
static void write_whole(const char *format, double value, char *text, size_t size)
{
    char wide[FOI_LONGEST_FORMAT + 3];
    size_t length = strlen(format);
    char kind = format[length - 1];
    if (kind == 'c') {
        snprintf(text, size, format, (int)value);
        return;
    }
    snprintf(wide, sizeof wide, "%.*sll%c", (int)length - 1, format, kind);
    if (kind == 'd' || kind == 'i')
        snprintf(text, size, wide, (long long)value);
    else
        snprintf(text, size, wide, (unsigned long long)(long long)value);
}

void foi_flat_value_text(const char *format, foi_flat_type type, const char *const *literals,
                         double value, char *text, size_t size)
{
    const char *word = NULL;
    if (literals) {
        for (double i = 1; i < value && *literals; i++) literals++;
        word = *literals ? *literals : "?";
    } else if (type == FOI_BOOLEAN) {
        word = value != 0 ? "true" : "false";
    }
    if (word)
        snprintf(text, size, format ? format : "%s", word);
    else if (!format)
        snprintf(text, size, type == FOI_INTEGER ? "%.0f" : "%.6g", value);
    else if (strchr("diuoxXc", format[strlen(format) - 1]))
        write_whole(format, value, text, size);
    else
        snprintf(text, size, format, value);
}
