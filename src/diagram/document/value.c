// Arrays: how parameters are written and read, and how types are named in messages.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagram/node.h"

const char *foi_array_text(const foi_array *a, char *text, size_t size)
{
    const char *kind = a->kind == FOI_SIGNAL_REAL      ? "real"
                       : a->kind == FOI_SIGNAL_COMPLEX ? "complex"
                                                       : "boolean";
    if (foi_array_size(a) == 1)
        snprintf(text, size, "a single %s %s", kind,
                 a->kind == FOI_SIGNAL_BOOLEAN ? "value" : "number");
    else if (a->rows == 1 || a->cols == 1)
        snprintf(text, size, "a %s %s of %u", kind, a->rows == 1 ? "row vector" : "column vector",
                 foi_array_size(a));
    else
        snprintf(text, size, "a %s %u by %u matrix", kind, a->rows, a->cols);
    return text;
}

// One number: 2, -3.5e2, 2-3i, -7i, i. NULL when there is none.
static const char *parse_number(const char *at, double complex *z)
{
    char *end;
    double first = strtod(at, &end);
    if (end == at) {
        double sign = *at == '-' ? -1 : 1;
        const char *i = *at == '-' || *at == '+' ? at + 1 : at;
        if (*i != 'i') return NULL;
        *z = foi_complex(0, sign);
        return i + 1;
    }
    if (*end == 'i') {
        *z = foi_complex(0, first);
        return end + 1;
    }
    *z = foi_complex(first, 0);
    if (*end != '+' && *end != '-') return end;
    double complex second;
    const char *after = parse_number(end, &second);
    if (!after || creal(second) != 0) return NULL;
    *z = foi_complex(first, cimag(second));
    return after[-1] == 'i' ? after : NULL;
}

typedef struct shape_seen {
    uint32_t rows, cols, count;
    bool complex_seen;
} shape_seen;

// Goes over the text; with `data` also stores.
static bool scan(const char *text, shape_seen *seen, double *data, char *wrong, size_t size)
{
    uint32_t in_row = 0;
    bool with = seen->complex_seen && data;
    *seen = (shape_seen){.rows = 1, .complex_seen = with};
    for (const char *at = text;;) {
        while (isspace((unsigned char)*at)) at++;
        if (*at == ',' || !*at) {
            if (seen->rows == 1) seen->cols = in_row;
            if (in_row != seen->cols || !in_row) {
                snprintf(wrong, size, "row %u has %u numbers, row 1 has %u", seen->rows, in_row,
                         seen->cols);
                return false;
            }
            if (!*at++) return true;
            seen->rows++, in_row = 0;
            continue;
        }
        double complex z;
        const char *end = parse_number(at, &z);
        if (!end || (*end && *end != ',' && !isspace((unsigned char)*end)) || !isfinite(creal(z)) ||
            !isfinite(cimag(z))) {
            snprintf(wrong, size, "'%.20s' is not a number", at);
            return false;
        }
        if (seen->count >= FOI_MAX_ELEMENTS) {
            snprintf(wrong, size, "more than %d", FOI_MAX_ELEMENTS);
            return false;
        }
        if (cimag(z) != 0) seen->complex_seen = true;
        if (data && with) data[2 * seen->count] = creal(z), data[2 * seen->count + 1] = cimag(z);
        if (data && !with) data[seen->count] = creal(z);
        seen->count++, in_row++, at = end;
    }
}

bool foi_array_parse(foi_arena *arena, const char *text, foi_array *a, char *wrong, size_t size)
{
    shape_seen seen = {0};
    if (!scan(text, &seen, NULL, wrong, size)) return false;
    a->rows = seen.rows;
    a->cols = seen.cols;
    a->kind = seen.complex_seen ? FOI_SIGNAL_COMPLEX : FOI_SIGNAL_REAL;
    a->data = foi_arena_new(arena, foi_array_width(a), sizeof(double));
    if (!a->data) {
        snprintf(wrong, size, "no memory");
        return false;
    }
    return scan(text, &seen, a->data, wrong, size);
}
