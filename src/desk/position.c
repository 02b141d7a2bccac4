// Places in texts: editors count lines and units of UTF-16 from 0, findings lines from 1 and from 1
// characters of JSON or bytes of a text (*.mo), and the text itself is bytes of UTF-8.
#include <math.h>

#include "desk/desk.h"
#include "language/lexer.h"

// Bytes of the character at `c`; one where it is none.
static size_t character(const char *c, const char *end)
{
    unsigned char lead = (unsigned char)*c;
    size_t size = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return size <= (size_t)(end - c) ? size : (size_t)(end - c);
}

// In JSON a carriage return is a blank.
static const char *line_start(const char *text, const char *end, uint32_t line, bool json)
{
    const char *c = text;
    for (; line && c < end; c++) line -= json ? *c == '\n' : foi_ends_line(c, end);
    return c;
}

size_t foi_position_offset(const char *text, size_t length, foi_position at)
{
    const char *end = text + length, *c = line_start(text, end, at.line, false);
    for (uint32_t column = 0; c < end && *c != '\n' && *c != '\r' && column < at.column;) {
        size_t size = character(c, end);
        column += size == 4 ? 2 : 1;
        c += size;
    }
    return (size_t)(c - text);
}

foi_position foi_position_after(const char *text, size_t length, size_t from, foi_position at,
                                size_t offset)
{
    const char *end = text + length, *to = text + (offset < length ? offset : length);
    for (const char *c = text + from; c < to;) {
        size_t size = character(c, end);
        bool breaks = foi_ends_line(c, end);
        at = (foi_position){at.line + breaks, breaks ? 0 : at.column + (size == 4 ? 2 : 1)};
        c += size;
    }
    return at;
}

foi_position foi_position_at(const char *text, size_t length, size_t offset)
{
    return foi_position_after(text, length, 0, (foi_position){0, 0}, offset);
}

size_t foi_place_offset(const char *text, size_t length, uint32_t line, uint32_t column, bool bytes)
{
    const char *end = text + length, *c = line_start(text, end, line ? line - 1 : 0, !bytes);
    for (uint32_t k = 1; c < end && *c != '\n' && k < column && !(bytes && *c == '\r'); k++)
        c += bytes ? 1 : character(c, end);
    return (size_t)(c - text);
}

void foi_position_put(foi_json_writer *w, const char *key, foi_position at)
{
    foi_json_open(w, key, '[', true);
    foi_json_put_number(w, NULL, at.line);
    foi_json_put_number(w, NULL, at.column);
    foi_json_close(w, ']');
}

foi_position foi_position_read(foi_desk_request *q, const foi_json_value *value)
{
    bool pair = value && value->kind == FOI_JSON_LIST && value->count == 2;
    const foi_json_value *line = pair ? value->first : NULL, *column = pair ? line->next : NULL;
    if (!pair || line->kind != FOI_JSON_NUMBER || column->kind != FOI_JSON_NUMBER ||
        !(line->number >= 0 && line->number < 1e9) ||
        !(column->number >= 0 && column->number < 1e9) || line->number != floor(line->number) ||
        column->number != floor(column->number)) {
        foi_desk_refuse(q, "argument", "a position must be [line, column], both counted from 0");
        return (foi_position){0, 0};
    }
    return (foi_position){(uint32_t)line->number, (uint32_t)column->number};
}
