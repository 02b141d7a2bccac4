/// Tables of text in aligned columns.
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <stddef.h>
#include <stdio.h>

enum { LISTING_COLUMNS = 8, LISTING_CELL = 512 };

typedef struct listing {
    const char *const *titles; ///< one per column; NULL: no heading
    int columns;
    unsigned right; ///< bit i: column i is aligned to the right
    int indent;
    size_t rows;
    /// Writes a cell's text (LISTING_CELL bytes); may leave it empty.
    void (*cell)(const void *self, size_t row, int column, char *text);
    const void *self;
} listing;

/// Prints it. The last column is wrapped at `width`; columns in which all cells are empty are left
/// out.
void listing_print(FILE *out, const listing *l, int width);

/// Prints a text of somebody else's, a file's name say: what a terminal would obey is written out.
void print_plain(FILE *out, const char *text);
/// How many columns a text takes.
int text_width(const char *text);
/// Prints a text, wrapped at `width`, from column `indent` where the line is already.
void print_wrapped(FILE *out, const char *text, int indent, int width);
/// The same from another column on.
void print_wrapped_from(FILE *out, const char *text, int column, int indent, int width);
/// Prints lines as they are; those that are wider than `width` in several, between words.
void print_lines(FILE *out, const char *text, int width);

#endif
