#include "diagram/document/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/text.h"

/// A text that is read, and what its names are worth.
typedef struct reader {
    const char *text, *at;
    fo_variables names;
    const fo_allocator *allocator;
    fo_message why;
} reader;

static fo_status find_name(void *self, const char *name, size_t *index, fo_message *why)
{
    const fo_variables *names = self;
    foi_nearest nearest = foi_nearest_to(name);
    for (*index = 0; *index < names->count; ++*index) {
        if (strcmp(names->list[*index].name, name) == 0) return FO_OK;
        foi_nearest_try(&nearest, names->list[*index].name);
    }
    return fo_fail(why, FO_ERROR_FORMAT, "there is no parameter '%s'%s", name,
                   foi_nearest_hint(&nearest));
}

// Names are constants here.
static double value_of(foi_arithmetic *a, const fo_variables *names)
{
    for (foi_term *t = a->terms; t < a->terms + a->count; t++)
        if (t->op == FOI_TERM_NAME)
            t->op = FOI_TERM_NUMBER, t->number = names->list[t->index].start;
    return foi_arithmetic_value(a, NULL, NULL);
}

static bool read_element(reader *r, double *value)
{
    const foi_arithmetic_scope scope = {&r->names, find_name, NULL, ", \t\n\v\f\r", true};
    const char *from = r->at;
    foi_arithmetic a;
    fo_status status = foi_arithmetic_read(&a, r->text, &r->at, &scope, r->allocator, &r->why);
    if (status == FO_OK) *value = value_of(&a, &r->names);
    foi_arithmetic_destroy(&a, r->allocator);
    if (status == FO_OK && !isfinite(*value))
        status = fo_fail(&r->why, FO_ERROR_FORMAT, "'%.*s' is %g",
                         (int)(r->at - from < 40 ? r->at - from : 40), from, *value);
    return status == FO_OK;
}

// The end of a row: all have as many numbers as the first.
static bool end_row(reader *r, foi_array *a, uint32_t count)
{
    if (a->rows == 1) a->cols = count;
    if (count && count == a->cols) return true;
    fo_fail(&r->why, FO_ERROR_FORMAT, "row %u has %u numbers, row 1 has %u", a->rows, count,
            a->cols);
    return false;
}

// Goes over the text; with `data` also stores.
static bool scan(reader *r, foi_array *a)
{
    uint32_t in_row = 0, count = 0;
    double value;
    a->rows = 1;
    for (;;) {
        foi_skip_spaces(&r->at);
        if (*r->at == ',' || !*r->at) {
            if (!end_row(r, a, in_row)) return false;
            if (!*r->at++) return true;
            a->rows++, in_row = 0;
            continue;
        }
        if (!read_element(r, &value)) return false;
        if (count >= FOI_MAX_ELEMENTS) {
            fo_fail(&r->why, FO_ERROR_FORMAT, "more than %d numbers", FOI_MAX_ELEMENTS);
            return false;
        }
        if (a->data) a->data[count] = value;
        count++, in_row++;
    }
}

bool foi_expression_parse(foi_arena *arena, const char *text, fo_variables names, foi_array *a,
                          char *wrong, size_t size)
{
    reader r = {.text = text, .at = text, .names = names, .allocator = arena->allocator};
    *a = (foi_array){.kind = FOI_SIGNAL_REAL};
    bool good = scan(&r, a);
    if (good) {
        a->data = foi_arena_new(arena, foi_array_width(a), sizeof(double));
        if (!a->data) fo_fail(&r.why, FO_ERROR_MEMORY, "no memory");
        r.at = text;
        good = a->data && scan(&r, a);
    }
    if (good) return true;
    if (r.why.status == FO_ERROR_MEMORY) arena->failed = true;
    snprintf(wrong, size, "%s", r.why.text);
    return false;
}
