// Rows as CSV, or as JSON that has one row in a line:
//
//     {"model": "ball", "columns": ["time", "h"], "units": ["s", "m"], "rows": [
//     [0, 1.5]
//     ,[0.1, 1.45]
//     ]}
//
// The comma stands before a row, so that no line depends on whether another one follows.
#include <foliot/report.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/writer.h"
#include "report/csv.h"
#include "report/mark.h"
#include "report/rows.h"

enum { NAME = 256 }; // the longest name of a signal that is written whole

struct fo_csv {
    const fo_allocator *allocator;
    foi_writer writer;
    fo_reference *signals;
    size_t count;
    foi_last_row last;
    bool json, units;
    bool ended; ///< the last line of JSON is written
};

// ------------------------------------------------------------------------------------- signals

static size_t usual_count(fo_system system)
{
    fo_shape shape = fo_system_shape(system);
    return (size_t)shape.states + shape.discretes + shape.outputs;
}

static void add_all(fo_reference **at, fo_quantity quantity, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) *(*at)++ = (fo_reference){quantity, i};
}

// States, discretes, then outputs: what an observer without signals sees.
static void usual_signals(fo_system system, fo_reference *signals)
{
    fo_shape shape = fo_system_shape(system);
    add_all(&signals, FO_STATE, shape.states);
    add_all(&signals, FO_DISCRETE, shape.discretes);
    add_all(&signals, FO_OUTPUT, shape.outputs);
}

// ------------------------------------------------------------------------------------- writing

static const char *unit_of(fo_system system, fo_reference which)
{
    const fo_variable *v = fo_system_variable(system, which);
    return v && v->unit ? v->unit : "";
}

static size_t row_size(const fo_csv *csv, fo_system system)
{
    enum { ESCAPED = 6, FRAME = 128 };
    size_t header = FRAME + ESCAPED * NAME, numbers = (csv->count + 1) * (FOI_DECIMAL_SIZE + 2) + 4;
    for (size_t i = 0; i < csv->count; i++) {
        char name[NAME];
        header += ESCAPED * strlen(fo_system_name(system, csv->signals[i], name, sizeof name)) + 4;
        header += ESCAPED * strlen(unit_of(system, csv->signals[i])) + 4;
    }
    return header > numbers ? header : numbers;
}

// A quote as \u0022: rows are counted by quotes.
static char *put_json(char *at, const char *text)
{
    *at++ = '"';
    for (size_t length; *text; text += length) {
        uint32_t point = foi_text_command(text, &length);
        if (point || *text == '"' || *text == '\\')
            at += sprintf(at, "\\u%04x", (unsigned)(point ? point : (unsigned char)*text));
        else
            at = (char *)memcpy(at, text, length) + length;
    }
    *at++ = '"';
    return at;
}

static char *put_cell(const fo_csv *csv, char *at, const char *text)
{
    at = stpcpy(at, csv->json ? ", " : ",");
    return csv->json ? put_json(at, text) : foi_put_field(at, text);
}

static char *put_names(const fo_csv *csv, char *at, fo_system system)
{
    at = stpcpy(at, csv->json ? "\"time\"" : "time");
    for (size_t i = 0; i < csv->count; i++) {
        char name[NAME];
        at = put_cell(csv, at, fo_system_name(system, csv->signals[i], name, sizeof name));
    }
    return at;
}

static char *put_units(const fo_csv *csv, char *at, fo_system system, const char *time)
{
    at = csv->json ? put_json(at, time) : foi_put_field(at, time);
    for (size_t i = 0; i < csv->count; i++)
        at = put_cell(csv, at, unit_of(system, csv->signals[i]));
    return at;
}

static char *put_first_line(const fo_csv *csv, char *at, fo_system system, const char *unit)
{
    if (csv->json) {
        char model[NAME];
        snprintf(model, sizeof model, "%s", system.about->name ? system.about->name : "");
        at = put_json(stpcpy(at, "{\"model\": "), model);
        at = stpcpy(put_names(csv, stpcpy(at, ", \"columns\": ["), system), "], \"units\": [");
        at = stpcpy(put_units(csv, at, system, unit), "], \"rows\": [\n");
    } else {
        at = stpcpy(put_names(csv, at, system), "\n");
    }
    return at;
}

static const char *unit_of_time(const char *given)
{
    return given && strlen(given) < NAME ? given : "s";
}

static void write_header(fo_csv *csv, fo_system system, const char *time_unit)
{
    char *at = foi_writer_row(&csv->writer, NULL); // the buffer is empty: there is room
    const char *unit = unit_of_time(time_unit);
    foi_writer_row_end(&csv->writer, put_first_line(csv, at, system, unit));
    if (!csv->units || csv->json) return;
    at = foi_writer_row(&csv->writer, NULL); // there is room for two rows
    foi_writer_row_end(&csv->writer, stpcpy(put_units(csv, at, system, unit), "\n"));
}

static char *put_number(const fo_csv *csv, char *at, double value)
{
    if (csv->json && !isfinite(value)) return stpcpy(at, "null");
    return at + foi_number_text(value, at);
}

static fo_status write_row(void *self, const fo_row *row, fo_message *why)
{
    fo_csv *csv = self;
    foi_row_fate fate = foi_row_fate_of(&csv->last, row);
    if (fate == FOI_ROW_SKIP) return FO_OK;
    if (fate == FOI_ROW_REPLACE) foi_writer_take_back(&csv->writer);
    char *at = foi_writer_row(&csv->writer, why);
    if (!at) return csv->writer.failed.status;
    if (csv->json) at = stpcpy(at, csv->writer.rows ? ",[" : "[");
    at = put_number(csv, at, row->t);
    size_t count = row->count < csv->count ? row->count : csv->count;
    for (size_t i = 0; i < csv->count; i++) {
        at = stpcpy(at, csv->json ? ", " : ",");
        if (i < count)
            at = put_number(csv, at, row->values[i]);
        else if (csv->json)
            at = stpcpy(at, "null");
    }
    at = stpcpy(at, csv->json ? "]\n" : "\n");
    foi_writer_row_end(&csv->writer, at);
    return FO_OK;
}

static fo_status write_idle(void *self, double t, double stop, fo_message *why)
{
    fo_csv *csv = self;
    (void)t, (void)stop;
    return foi_writer_idle(&csv->writer, why);
}

static fo_status write_kept(void *self, fo_message *why)
{
    fo_csv *csv = self;
    return foi_writer_keep(&csv->writer, why);
}

// ----------------------------------------------------------------------------------- interface

static void destroy(fo_csv *csv)
{
    if (!csv) return;
    foi_free(csv->allocator, csv->signals);
    foi_free(csv->allocator, csv);
}

fo_csv *foi_csv_create(const foi_csv_def *def, const foi_mark *mark, fo_message *why)
{
    const fo_allocator *allocator = def->allocator;
    fo_system system = def->system;
    size_t count = def->signals ? def->count : usual_count(system);
    fo_csv *csv = foi_new(allocator, 1, sizeof *csv);
    fo_reference *own = foi_new(allocator, count, sizeof *own);
    if (!csv || !own) {
        foi_free(allocator, csv);
        foi_free(allocator, own);
        fo_fail(why, FO_ERROR_MEMORY, "no memory to write %s", def->path);
        return NULL;
    }
    csv->allocator = allocator, csv->signals = own, csv->count = count;
    csv->json = def->json, csv->units = def->units;
    if (def->signals && count) memcpy(own, def->signals, count * sizeof *own);
    if (!def->signals) usual_signals(system, own);
    size_t size = row_size(csv, system);
    fo_status status = mark ? foi_writer_resume(&csv->writer, def->path, size, mark, allocator, why)
                            : foi_writer_open(&csv->writer, def->path, size, allocator, why);
    if (fo_failed(status)) {
        destroy(csv);
        return NULL;
    }
    if (!mark) write_header(csv, system, def->time_unit);
    return csv;
}

char *foi_csv_head(const foi_csv_def *def, size_t *length)
{
    const fo_csv csv = {
        .signals = (fo_reference *)def->signals, .count = def->count, .json = def->json};
    char *text = foi_new(def->allocator, row_size(&csv, def->system) + 1, 1);
    if (!text) return NULL;
    char *end = put_first_line(&csv, text, def->system, unit_of_time(def->time_unit));
    *length = (size_t)(end - text);
    return text;
}

fo_csv *fo_csv_open(const char *path, fo_system system, const fo_reference *signals, size_t count,
                    const fo_allocator *allocator, fo_message *why)
{
    const foi_csv_def def = {path, system, signals, count, NULL, false, false, allocator};
    return foi_csv_create(&def, NULL, why);
}

bool fo_csv_mark(const fo_csv *csv, char text[FO_CSV_MARK])
{
    foi_mark mark;
    if (!foi_writer_mark(&csv->writer, &mark)) return false;
    foi_mark_write(&mark, &csv->last, text);
    return true;
}

fo_csv *foi_csv_resume(const foi_csv_def *def, const char *text, fo_message *why)
{
    foi_mark mark;
    foi_last_row last;
    if (!foi_mark_read(text, &mark, &last)) {
        fo_fail(why, FO_ERROR_FORMAT, "'%s' does not say where %s stood", text, def->path);
        return NULL;
    }
    fo_csv *csv = foi_csv_create(def, &mark, why);
    if (csv) csv->last = last;
    return csv;
}

fo_csv *fo_csv_resume(const char *path, const char *text, fo_system system,
                      const fo_reference *signals, size_t count, const fo_allocator *allocator,
                      fo_message *why)
{
    const foi_csv_def def = {path, system, signals, count, NULL, false, false, allocator};
    return foi_csv_resume(&def, text, why);
}

fo_observer fo_csv_observer(fo_csv *csv, double interval)
{
    return (fo_observer){.self = csv,
                         .row = write_row,
                         .progress = write_idle,
                         .keep = write_kept,
                         .signals = csv->signals,
                         .signal_count = csv->count,
                         .interval = interval};
}

size_t fo_csv_rows(const fo_csv *csv)
{
    size_t others = (csv->ended ? 1 : 0) + (csv->units && !csv->json ? 1 : 0);
    return csv->writer.rows > others ? csv->writer.rows - others : 0;
}

size_t foi_csv_rows_written(fo_csv *csv)
{
    foi_writer_flush(&csv->writer, NULL);
    return fo_csv_rows(csv);
}

// The last line of JSON; after a failure the file ends where it failed.
static void write_end(fo_csv *csv)
{
    char *at = csv->json && !csv->ended ? foi_writer_row(&csv->writer, NULL) : NULL;
    if (!at) return;
    foi_writer_row_end(&csv->writer, stpcpy(at, "]}\n"));
    csv->ended = true;
}

fo_status fo_csv_close(fo_csv *csv, fo_message *why)
{
    if (!csv) return FO_OK;
    write_end(csv);
    fo_status status = foi_writer_close(&csv->writer, why);
    destroy(csv);
    return status;
}
