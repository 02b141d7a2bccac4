#include "cli/listing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { GAP = 2, NARROWEST = 20 };

int text_width(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void print_spaces(FILE *out, int count)
{
    for (int i = 0; i < count; i++) fputc(' ', out);
}

void print_wrapped(FILE *out, const char *text, int indent, int width)
{
    print_wrapped_from(out, text, indent, indent, width);
}

void print_wrapped_from(FILE *out, const char *text, int column, int indent, int width)
{
    bool first = true;
    if (width < indent + NARROWEST) width = indent + NARROWEST;
    while (*text) {
        int length = (int)strcspn(text, " ");
        char word[LISTING_CELL];
        snprintf(word, sizeof word, "%.*s", length, text);
        int wide = text_width(word);
        if (!first && column + 1 + wide > width) {
            fputc('\n', out);
            print_spaces(out, column = indent);
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fputs(word, out);
        column += wide;
        first = false;
        text += length;
        text += strspn(text, " ");
    }
}

void print_lines(FILE *out, const char *text, int width)
{
    enum { INDENT = 4 };
    while (*text) {
        char line[2 * LISTING_CELL];
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        int spaces = (int)strspn(line, " ");
        if (text_width(line) <= width || length >= sizeof line) {
            fwrite(text, 1, length, out);
        } else {
            print_spaces(out, spaces);
            print_wrapped_from(out, line + spaces, spaces, INDENT, width);
        }
        fputc('\n', out);
        text += length + (text[length] == '\n');
    }
}

// A cell as it is shown: names of documents cannot command a terminal.
static void get_cell(const listing *l, size_t row, int column, char text[LISTING_CELL])
{
    char raw[LISTING_CELL] = "";
    l->cell(l->self, row, column, raw);
    foi_text_escape(raw, "", text, LISTING_CELL);
}

static void find_widths(const listing *l, int *widths)
{
    for (int column = 0; column < l->columns; column++) {
        widths[column] = 0;
        for (size_t row = 0; row < l->rows; row++) {
            char text[LISTING_CELL] = "";
            get_cell(l, row, column, text);
            int width = text_width(text);
            if (width > widths[column]) widths[column] = width;
        }
        int title = l->titles && widths[column] ? text_width(l->titles[column]) : 0;
        if (title > widths[column]) widths[column] = title;
    }
}

// Prints one line; the spaces before a cell are printed only when something follows them.
static void print_line(FILE *out, const listing *l, const int *widths, size_t row, bool heading,
                       int width)
{
    int at = 0, start = l->indent;
    for (int column = 0; column < l->columns; column++) {
        if (!widths[column]) continue;
        char text[LISTING_CELL] = "";
        if (heading) snprintf(text, sizeof text, "%s", l->titles[column]);
        if (!heading) get_cell(l, row, column, text);
        bool last = column == l->columns - 1, right = l->right >> column & 1;
        int cell = text_width(text), shift = right ? widths[column] - cell : 0;
        if (cell) {
            print_spaces(out, start + shift - at);
            if (last) print_wrapped(out, text, start, width);
            if (!last) fputs(text, out);
            at = start + shift + cell;
        }
        start += widths[column] + GAP;
    }
    fputc('\n', out);
}

void listing_print(FILE *out, const listing *l, int width)
{
    int widths[LISTING_COLUMNS];
    find_widths(l, widths);
    if (l->titles) print_line(out, l, widths, 0, true, width);
    for (size_t row = 0; row < l->rows; row++) print_line(out, l, widths, row, false, width);
}

void print_plain(FILE *out, const char *text)
{
    char few[512], *plain = few;
    size_t size = FOI_ESCAPE_GROWTH * strlen(text) + 1;
    if (size > sizeof few) plain = malloc(size);
    if (!plain) plain = few, size = sizeof few; // no memory: its beginning
    foi_text_escape(text, "", plain, size);
    fputs(plain, out);
    if (plain != few) free(plain);
}
