#include "report/columns.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/memory.h"

static char *copy(const fo_allocator *a, const char *text, size_t length)
{
    char *own = foi_new(a, length + 1, 1);
    if (own && length) memcpy(own, text, length);
    return own;
}

fo_status foi_columns_add(fo_columns *c, const char *name, size_t length, const char *unit)
{
    size_t more = c->count + 1, units = c->room;
    if (!foi_array_room(c->allocator, &c->names, &c->room, more, sizeof *c->names) ||
        !foi_array_room(c->allocator, &c->units, &units, more, sizeof *c->units))
        return FO_ERROR_MEMORY;
    c->names[c->count] = copy(c->allocator, name, length);
    c->units[c->count] = copy(c->allocator, unit ? unit : "", unit ? strlen(unit) : 0);
    c->count++;
    return c->names[c->count - 1] && c->units[c->count - 1] ? FO_OK : FO_ERROR_MEMORY;
}

double *foi_columns_row(fo_columns *c)
{
    size_t row = c->count * sizeof *c->cells;
    if (!foi_array_room(c->allocator, &c->cells, &c->row_room, c->rows + 1, row)) return NULL;
    double *cells = c->cells + c->rows++ * c->count;
    for (size_t i = 0; i < c->count; i++) cells[i] = NAN;
    return cells;
}

// ------------------------------------------------------------------------------------------- JSON

static fo_status take_names(fo_columns *c, const foi_json *json, fo_message *why)
{
    const foi_json_value *names = foi_json_member(foi_json_root(json), "columns");
    const foi_json_value *units = foi_json_member(foi_json_root(json), "units");
    if (!names || names->kind != FOI_JSON_LIST)
        return foi_json_refuse(json, names ? names : foi_json_root(json), why,
                               "expected a list of names, \"columns\"");
    const foi_json_value *unit = units && units->kind == FOI_JSON_LIST ? units->first : NULL;
    for (const foi_json_value *v = names->first; v; v = v->next) {
        if (v->kind != FOI_JSON_TEXT) return foi_json_refuse(json, v, why, "expected a name");
        const char *text = unit && unit->kind == FOI_JSON_TEXT ? unit->text : NULL;
        if (fo_failed(foi_columns_add(c, v->text, v->length, text)))
            return fo_fail(why, FO_ERROR_MEMORY, "no memory for the columns");
        if (unit) unit = unit->next;
    }
    return FO_OK;
}

static fo_status take_row(fo_columns *c, const foi_json *json, const foi_json_value *row,
                          fo_message *why)
{
    if (row->kind != FOI_JSON_LIST || row->count != c->count)
        return foi_json_refuse(json, row, why, "expected a list of %zu numbers", c->count);
    double *cells = foi_columns_row(c);
    if (!cells) return fo_fail(why, FO_ERROR_MEMORY, "no memory for the rows");
    for (const foi_json_value *v = row->first; v; v = v->next) {
        if (v->kind != FOI_JSON_NUMBER && v->kind != FOI_JSON_NULL)
            return foi_json_refuse(json, v, why, "expected a number or null");
        if (v->kind == FOI_JSON_NUMBER) cells[v->index] = v->number;
    }
    return FO_OK;
}

fo_status foi_columns_json(fo_columns *c, const char *path, const char *text, size_t length,
                           fo_message *why)
{
    const foi_json_def def = {
        .name = path, .text = text, .length = length, .allocator = c->allocator};
    foi_json *json = foi_json_read(&def, why);
    if (!json) return FO_ERROR_FORMAT;
    fo_status status = take_names(c, json, why);
    const foi_json_value *rows = foi_json_member(foi_json_root(json), "rows");
    if (status == FO_OK && (!rows || rows->kind != FOI_JSON_LIST))
        status = foi_json_refuse(json, rows ? rows : foi_json_root(json), why,
                                 "expected a list of rows, \"rows\"");
    for (const foi_json_value *v = status == FO_OK ? rows->first : NULL; v && status == FO_OK;)
        status = take_row(c, json, v, why), v = v->next;
    foi_json_destroy(json);
    return status;
}

// --------------------------------------------------------------------------------------- all kinds

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), end = strlen(ending);
    return length >= end && strcmp(path + length - end, ending) == 0;
}

static fo_status take(fo_columns *c, const char *path, char *text, size_t length, fo_message *why)
{
    if (ends_with(path, ".mat")) return foi_columns_mat(c, path, text, length, why);
    if (ends_with(path, ".json")) return foi_columns_json(c, path, text, length, why);
    text[length] = 0;
    return foi_columns_csv(c, path, text, why);
}

// From rows to columns.
static fo_status turn(fo_columns *c)
{
    double *cells = foi_new(c->allocator, c->rows * c->count, sizeof *cells);
    if (!cells) return FO_ERROR_MEMORY;
    for (size_t row = 0; row < c->rows; row++)
        for (size_t i = 0; i < c->count; i++)
            cells[i * c->rows + row] = c->cells[row * c->count + i];
    foi_free(c->allocator, c->cells);
    c->cells = cells;
    return FO_OK;
}

static void swap_in_front(fo_columns *c, size_t column)
{
    char *name = c->names[column], *unit = c->units[column];
    double *cells = c->cells;
    for (size_t i = column; i > 0; i--)
        c->names[i] = c->names[i - 1], c->units[i] = c->units[i - 1];
    c->names[0] = name, c->units[0] = unit;
    for (size_t row = 0; row < c->rows; row++) {
        double t = cells[column * c->rows + row];
        for (size_t i = column; i > 0; i--)
            cells[i * c->rows + row] = cells[(i - 1) * c->rows + row];
        cells[row] = t;
    }
}

// The time is the first column, and never goes back.
static fo_status settle(fo_columns *c, const char *path, fo_message *why)
{
    static const char *const words[] = {"time", "Time", "t"};
    size_t time = c->count;
    for (size_t w = 0; w < 3 && time == c->count; w++)
        for (size_t i = 0; i < c->count && time == c->count; i++)
            if (strcmp(c->names[i], words[w]) == 0) time = i;
    if (time == c->count)
        return fo_fail(why, FO_ERROR_FORMAT, "%s: expected a column 'time'", path);
    if (!c->rows) return fo_fail(why, FO_ERROR_FORMAT, "%s: there are no rows", path);
    if (fo_failed(turn(c))) return fo_fail(why, FO_ERROR_MEMORY, "%s: no memory", path);
    swap_in_front(c, time);
    for (size_t row = 0; row < c->rows; row++) {
        if (!isfinite(c->cells[row]))
            return fo_fail(why, FO_ERROR_FORMAT, "%s: the time of row %zu is no number", path,
                           row + 1);
        if (row && c->cells[row] < c->cells[row - 1])
            return fo_fail(why, FO_ERROR_FORMAT, "%s: time goes back from %g to %g in row %zu",
                           path, c->cells[row - 1], c->cells[row], row + 1);
    }
    return FO_OK;
}

fo_columns *fo_columns_read(const char *path, const fo_allocator *allocator, fo_message *why)
{
    size_t length;
    char *text = foi_json_text(path, allocator, &length, why);
    if (!text) return NULL;
    fo_columns *c = foi_new(allocator, 1, sizeof *c);
    fo_status status = FO_ERROR_MEMORY;
    if (c) {
        c->allocator = allocator;
        status = take(c, path, text, length, why);
        if (status == FO_OK) status = settle(c, path, why);
    } else
        fo_fail(why, FO_ERROR_MEMORY, "%s: no memory", path);
    foi_free(allocator, text);
    if (status == FO_OK) return c;
    fo_columns_destroy(c);
    return NULL;
}

size_t fo_columns_count(const fo_columns *c)
{
    return c->count;
}

size_t fo_columns_rows(const fo_columns *c)
{
    return c->rows;
}

const char *fo_columns_name(const fo_columns *c, size_t column)
{
    return c->names[column];
}

const char *fo_columns_unit(const fo_columns *c, size_t column)
{
    return c->units[column];
}

const double *fo_columns_values(const fo_columns *c, size_t column)
{
    return c->cells + column * c->rows;
}

void fo_columns_destroy(fo_columns *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->count; i++) {
        foi_free(c->allocator, c->names[i]);
        foi_free(c->allocator, c->units[i]);
    }
    foi_free(c->allocator, c->names);
    foi_free(c->allocator, c->units);
    foi_free(c->allocator, c->cells);
    foi_free(c->allocator, c);
}
