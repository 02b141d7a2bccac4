#include <foliot/report.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/writer.h"
#include "report/mark.h"
#include "report/rows.h"

enum { NAME = 256 }; // the longest name of a signal that is written whole

struct fo_csv {
    const fo_allocator *allocator;
    foi_writer writer;
    fo_reference *signals;
    size_t count;
    foi_last_row last;
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

static size_t row_size(const fo_csv *csv, fo_system system)
{
    size_t header = sizeof "time\r\n", numbers = (csv->count + 1) * FOI_DECIMAL_SIZE + 2;
    for (size_t i = 0; i < csv->count; i++) {
        char name[NAME];
        header += foi_field_size(fo_system_name(system, csv->signals[i], name, sizeof name)) + 1;
    }
    return header > numbers ? header : numbers;
}

static void write_header(fo_csv *csv, fo_system system)
{
    char *at = foi_writer_row(&csv->writer, NULL); // the buffer is empty: there is room
    memcpy(at, "time", 4);
    at += 4;
    for (size_t i = 0; i < csv->count; i++) {
        char name[NAME];
        *at++ = ',';
        at = foi_put_field(at, fo_system_name(system, csv->signals[i], name, sizeof name));
    }
    *at++ = '\n';
    foi_writer_row_end(&csv->writer, at);
}

static fo_status write_row(void *self, const fo_row *row, fo_message *why)
{
    fo_csv *csv = self;
    foi_row_fate fate = foi_row_fate_of(&csv->last, row);
    if (fate == FOI_ROW_SKIP) return FO_OK;
    if (fate == FOI_ROW_REPLACE) foi_writer_take_back(&csv->writer);
    char *at = foi_writer_row(&csv->writer, why);
    if (!at) return csv->writer.failed.status;
    at += foi_number_text(row->t, at);
    size_t count = row->count < csv->count ? row->count : csv->count;
    for (size_t i = 0; i < csv->count; i++) {
        *at++ = ',';
        if (i < count) at += foi_number_text(row->values[i], at);
    }
    *at++ = '\n';
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

static fo_csv *create(const char *path, const foi_mark *mark, fo_system system,
                      const fo_reference *signals, size_t count, const fo_allocator *allocator,
                      fo_message *why)
{
    if (!signals) count = usual_count(system);
    fo_csv *csv = foi_new(allocator, 1, sizeof *csv);
    fo_reference *own = foi_new(allocator, count, sizeof *own);
    if (!csv || !own) {
        foi_free(allocator, csv);
        foi_free(allocator, own);
        fo_fail(why, FO_ERROR_MEMORY, "no memory to write %s", path);
        return NULL;
    }
    csv->allocator = allocator, csv->signals = own, csv->count = count;
    if (signals && count) memcpy(own, signals, count * sizeof *own);
    if (!signals) usual_signals(system, own);
    size_t size = row_size(csv, system);
    fo_status status = mark ? foi_writer_resume(&csv->writer, path, size, mark, allocator, why)
                            : foi_writer_open(&csv->writer, path, size, allocator, why);
    if (fo_failed(status)) {
        destroy(csv);
        return NULL;
    }
    if (!mark) write_header(csv, system);
    return csv;
}

fo_csv *fo_csv_open(const char *path, fo_system system, const fo_reference *signals, size_t count,
                    const fo_allocator *allocator, fo_message *why)
{
    return create(path, NULL, system, signals, count, allocator, why);
}

bool fo_csv_mark(const fo_csv *csv, char text[FO_CSV_MARK])
{
    foi_mark mark;
    if (!foi_writer_mark(&csv->writer, &mark)) return false;
    foi_mark_write(&mark, &csv->last, text);
    return true;
}

fo_csv *fo_csv_resume(const char *path, const char *text, fo_system system,
                      const fo_reference *signals, size_t count, const fo_allocator *allocator,
                      fo_message *why)
{
    foi_mark mark;
    foi_last_row last;
    if (!foi_mark_read(text, &mark, &last)) {
        fo_fail(why, FO_ERROR_FORMAT, "'%s' does not say where %s stood", text, path);
        return NULL;
    }
    fo_csv *csv = create(path, &mark, system, signals, count, allocator, why);
    if (csv) csv->last = last;
    return csv;
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
    return csv->writer.rows;
}

fo_status fo_csv_close(fo_csv *csv, fo_message *why)
{
    if (!csv) return FO_OK;
    fo_status status = foi_writer_close(&csv->writer, why);
    destroy(csv);
    return status;
}
