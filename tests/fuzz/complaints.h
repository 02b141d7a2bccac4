/// What the command line's readers say, kept instead of printed: a refusal must have words.
#ifndef FUZZ_COMPLAINTS_H
#define FUZZ_COMPLAINTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

static bool said; ///< a message with words in it

void complain(const command *c, const char *format, ...)
{
    char text[1024];
    va_list list;
    (void)c;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list); // every argument is read, as when it is printed
    va_end(list);
    said |= text[0] != 0;
}

#endif
