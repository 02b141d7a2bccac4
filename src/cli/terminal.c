#include "cli/terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int terminal_width(FILE *out)
{
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (width > 0) return width;
    struct winsize size = {0};
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

int terminal_height(FILE *out)
{
    const char *lines = getenv("LINES");
    int height = lines ? atoi(lines) : 0;
    if (height > 0) return height;
    struct winsize size = {0};
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
    return 24;
}

int terminal_listing_width(FILE *out)
{
    return terminal_is(out) || getenv("COLUMNS") ? terminal_width(out) : INT_MAX / 2;
}

bool terminal_is(FILE *out)
{
    return isatty(fileno(out));
}

bool terminal_has_colour(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no_colour && *no_colour) return false;
    return terminal_is(out) && !(term && strcmp(term, "dumb") == 0);
}

// As setlocale would choose, but without changing how numbers are written.
bool terminal_has_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
    }
    return false;
}

double clock_seconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
