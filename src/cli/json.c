#include "cli/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/decimal.h"
#include "base/text.h"

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (size_t length; *text; text += length) {
        uint32_t point = foi_text_command(text, &length); // all of them have four digits
        if (point)
            fprintf(out, "\\u%04" PRIx32, point);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fwrite(text, 1, length, out);
    }
    fputc('"', out);
}

// What stands before a value: a comma, and its key. Items of lists of objects have lines.
static void begin(json *j, const char *key, bool line)
{
    uint64_t here = UINT64_C(1) << j->depth;
    if (j->filled & here) fputs(line ? ",\n" : ", ", j->out);
    j->filled |= here;
    if (!key) return;
    put_text(j->out, key);
    fputs(": ", j->out);
}

void json_open(json *j, const char *key, char bracket)
{
    begin(j, key, !key && bracket == '{');
    fputc(bracket, j->out);
    uint64_t inner = UINT64_C(1) << ++j->depth;
    j->filled &= ~inner;
    j->lists = bracket == '[' ? j->lists | inner : j->lists & ~inner;
}

void json_close(json *j)
{
    fputc(j->lists >> j->depth & 1 ? ']' : '}', j->out);
    if (--j->depth == 0) fputc('\n', j->out);
}

void json_text(json *j, const char *key, const char *text)
{
    begin(j, key, false);
    if (text)
        put_text(j->out, text);
    else
        fputs("null", j->out);
}

void json_number(json *j, const char *key, double value)
{
    char text[FOI_DECIMAL_SIZE];
    begin(j, key, false);
    foi_number_text(value, text);
    fputs(isfinite(value) ? text : "null", j->out);
}

void json_whole(json *j, const char *key, uint64_t value)
{
    begin(j, key, false);
    fprintf(j->out, "%" PRIu64, value);
}

void json_truth(json *j, const char *key, bool truth)
{
    begin(j, key, false);
    fputs(truth ? "true" : "false", j->out);
}
