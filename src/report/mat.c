// A file of level 4 is matrices one after the other, each with a head of five 32-bit numbers (type,
// rows, columns, imaginary part, length of the name), its name, and its columns. A Modelica tool's
// file has six of them, here transposed ("binTrans"), so that time goes on at the end of the file:
//
//     Aclass       4 texts: Atrajectory, 1.1, "", binTrans
//     name         one text per variable: time, the signals, the parameters
//     description  the same, with units
//     dataInfo     per variable: which matrix, which of its rows, 0 (linear between), -1 or 0
//     beyond data_1       time and the parameters at the start and at the end data_2       one
//     column per row of results: time and the signals
//
// The number of columns of data_2 and data_1 are written anew when the file is closed. All numbers
// are little-endian, whatever the machine is.
#include "report/mat.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/made.h"
#include "base/memory.h"
#include "base/text_stream.h"
#include "report/rows.h"

enum { NAME = 256, ABOUT = 512, TYPE_TEXT = 51, TYPE_WHOLE = 20, TYPE_REAL = 0, HEAD = 20 };

enum { LOOK = 16 };                    // rows after which the clock is looked at
static const double BOOK_EVERY = 0.25; // seconds

struct foi_mat {
    const fo_allocator *allocator;
    FILE *file;
    char *path;
    fo_system system;
    const char *time_unit;
    fo_reference *signals; ///< those that are asked for, then the parameters
    size_t count, parameters;
    double *row;     ///< the last one, which may still be replaced: time and the signals
    double *values;  ///< of the parameters, in the first row
    bool *changed;   ///< a parameter has had another value
    bool waiting;    ///< there is a last row
    size_t rows;     ///< in the file
    double from, to; ///< times
    long data_1, data_2;
    int64_t booked; ///< when the head of the rows last said how many there are
    foi_last_row last;
    fo_message failed;
};

// ------------------------------------------------------------------------------------------ bytes

static off_t start_of_rows(const foi_mat *m)
{
    return (off_t)m->data_2 + HEAD + (off_t)sizeof "data_2";
}

// Whole rows that are in the file: what waits in the buffer is lost.
static size_t rows_on_disk(const foi_mat *m)
{
    struct stat about;
    off_t start = start_of_rows(m);
    if (!m->data_2 || fstat(fileno(m->file), &about) != 0 || about.st_size < start) return 0;
    size_t rows = (size_t)(about.st_size - start) / ((1 + m->count) * sizeof(double));
    return rows < m->rows ? rows : m->rows;
}

static void fail(foi_mat *m, int error)
{
    if (fo_failed(m->failed.status)) return;
    m->rows = rows_on_disk(m);
    fo_fail(&m->failed, FO_ERROR_INPUT, "writing %s failed after %zu rows: %s", m->path, m->rows,
            strerror(error ? error : EIO));
}

static void put_bytes(foi_mat *m, const void *bytes, size_t count)
{
    if (fo_failed(m->failed.status)) return;
    if (fwrite(bytes, 1, count, m->file) != count) fail(m, errno);
}

static void put_whole(foi_mat *m, int32_t value)
{
    uint32_t v = (uint32_t)value;
    const unsigned char bytes[4] = {v & 255, v >> 8 & 255, v >> 16 & 255, v >> 24};
    put_bytes(m, bytes, sizeof bytes);
}

static void store_real(unsigned char bytes[8], double value)
{
    uint64_t v;
    memcpy(&v, &value, sizeof v);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(v >> 8 * i);
}

static void put_real(foi_mat *m, double value)
{
    unsigned char bytes[8];
    store_real(bytes, value);
    put_bytes(m, bytes, sizeof bytes);
}

static void put_reals(foi_mat *m, const double *values, size_t count)
{
    enum { ROOM = 512 };
    unsigned char bytes[ROOM * 8];
    for (size_t i = 0; i < count;) {
        size_t n = 0;
        for (; n < ROOM && i < count; n++, i++) store_real(bytes + 8 * n, values[i]);
        put_bytes(m, bytes, 8 * n);
    }
}

static void put_head(foi_mat *m, int type, size_t rows, size_t columns, const char *name)
{
    size_t length = strlen(name) + 1;
    put_whole(m, type);
    put_whole(m, (int32_t)rows);
    put_whole(m, (int32_t)columns);
    put_whole(m, 0);
    put_whole(m, (int32_t)length);
    put_bytes(m, name, length);
}

// ------------------------------------------------------------------------------------------ texts

static size_t variables(const foi_mat *m)
{
    return 1 + m->count + m->parameters;
}

static void name_of(const foi_mat *m, size_t i, char text[ABOUT])
{
    if (i == 0)
        strcpy(text, "time");
    else
        fo_system_name(m->system, m->signals[i - 1], text, NAME);
}

// "height of the ball [m]"
static void describe(const foi_mat *m, size_t i, char text[ABOUT])
{
    const fo_variable *v = i ? fo_system_variable(m->system, m->signals[i - 1]) : NULL;
    const char *about = i == 0 ? "Simulation time" : v && v->about ? v->about : "";
    const char *unit = i == 0 ? m->time_unit : v && v->unit ? v->unit : "";
    snprintf(text, ABOUT, "%.400s%s%s%.64s%s", about, *about && *unit ? " " : "", *unit ? "[" : "",
             unit, *unit ? "]" : "");
}

typedef void text_of(const foi_mat *m, size_t i, char text[ABOUT]);

// A text is a column, as long as the longest.
static void put_texts(foi_mat *m, const char *name, text_of *get)
{
    char text[ABOUT];
    size_t width = 1;
    for (size_t i = 0; i < variables(m); i++) {
        get(m, i, text);
        if (strlen(text) > width) width = strlen(text);
    }
    put_head(m, TYPE_TEXT, width, variables(m), name);
    for (size_t i = 0; i < variables(m); i++) {
        memset(text, 0, sizeof text);
        get(m, i, text);
        put_bytes(m, text, width);
    }
}

static void put_class(foi_mat *m)
{
    // four rows, column by column
    static const char *const rows[] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    put_head(m, TYPE_TEXT, 4, 11, "Aclass");
    for (int column = 0; column < 11; column++)
        for (int row = 0; row < 4; row++) put_bytes(m, rows[row] + column, 1);
}

static void put_info(foi_mat *m)
{
    put_head(m, TYPE_WHOLE, 4, variables(m), "dataInfo");
    for (size_t i = 0; i < variables(m); i++) {
        bool parameter = i > m->count;
        put_whole(m, i == 0 ? 0 : parameter ? 1 : 2);
        put_whole(m, (int32_t)(parameter ? i - m->count + 1 : i + 1));
        put_whole(m, 0);
        put_whole(m, parameter ? 0 : -1);
    }
}

static double parameter_at(const foi_mat *m, size_t i)
{
    return m->changed[i] ? NAN : m->values[i];
}

static void put_parameters(foi_mat *m)
{
    put_head(m, TYPE_REAL, 1 + m->parameters, 2, "data_1");
    for (int column = 0; column < 2; column++) {
        put_real(m, column ? m->to : m->from);
        for (size_t i = 0; i < m->parameters; i++) put_real(m, parameter_at(m, i));
    }
}

// All that stands before the rows.
static void put_start(foi_mat *m)
{
    put_class(m);
    put_texts(m, "name", name_of);
    put_texts(m, "description", describe);
    put_info(m);
    m->data_1 = ftell(m->file);
    put_parameters(m);
    m->data_2 = ftell(m->file);
    put_head(m, TYPE_REAL, 1 + m->count, 0, "data_2");
}

// ------------------------------------------------------------------------------------------- rows

static fo_status report(const foi_mat *m, fo_message *why)
{
    if (why && fo_failed(m->failed.status)) *why = m->failed;
    return m->failed.status;
}

// How many rows there are, into their head: what a killed run leaves can be read.
static void book(foi_mat *m)
{
    m->booked = foi_clock_now();
    if (fflush(m->file) != 0 || fseek(m->file, m->data_2, SEEK_SET) != 0) {
        fail(m, errno);
        return;
    }
    put_head(m, TYPE_REAL, 1 + m->count, m->rows, "data_2");
    if (fflush(m->file) != 0 || fseek(m->file, 0, SEEK_END) != 0) fail(m, errno);
}

static void put_waiting(foi_mat *m)
{
    if (!m->waiting) return;
    put_reals(m, m->row, 1 + m->count);
    if (!fo_failed(m->failed.status)) m->rows++;
    m->waiting = false;
    if (m->rows % LOOK == 0 && foi_clock_seconds(m->booked, foi_clock_now()) > BOOK_EVERY) book(m);
    if (m->rows == INT32_MAX)
        fo_fail(&m->failed, FO_ERROR_INPUT, "%s has no room for more than %d rows", m->path,
                INT32_MAX);
}

static void look_at_parameters(foi_mat *m, const double *values, bool first)
{
    for (size_t i = 0; i < m->parameters; i++) {
        if (first) m->values[i] = values[i];
        if (values[i] != m->values[i]) m->changed[i] = true; // also what is no number
    }
}

static fo_status write_row(void *self, const fo_row *row, fo_message *why)
{
    foi_mat *m = self;
    bool first = !m->last.any;
    foi_row_fate fate = foi_row_fate_of(&m->last, row);
    if (fate == FOI_ROW_SKIP) return report(m, why);
    if (fate == FOI_ROW_APPEND) put_waiting(m);
    if (first) m->from = row->t;
    m->row[0] = m->to = row->t;
    for (size_t i = 0; i < m->count; i++) m->row[1 + i] = row->values[i];
    look_at_parameters(m, row->values + m->count, first);
    m->waiting = true;
    return report(m, why);
}

// ---------------------------------------------------------------------------------------- opening

static bool is_signal(const fo_result_def *def, uint32_t parameter)
{
    for (size_t i = 0; i < def->count; i++)
        if (def->signals[i].quantity == FO_PARAMETER && def->signals[i].index == parameter)
            return true;
    return false;
}

size_t foi_mat_signals(const fo_result_def *def, fo_reference *list)
{
    uint32_t parameters = fo_system_shape(def->system).parameters;
    size_t count = def->count;
    if (list && count) memcpy(list, def->signals, count * sizeof *list);
    for (uint32_t i = 0; i < parameters; i++) {
        const fo_reference which = {FO_PARAMETER, i};
        if (!fo_system_variable(def->system, which) || is_signal(def, i)) continue;
        if (list) list[count] = which;
        count++;
    }
    return count;
}

static void destroy(foi_mat *m)
{
    if (!m) return;
    foi_free(m->allocator, m->path);
    foi_free(m->allocator, m->signals);
    foi_free(m->allocator, m->row);
    foi_free(m->allocator, m->values);
    foi_free(m->allocator, m->changed);
    foi_free(m->allocator, m);
}

static foi_mat *make(const fo_result_def *def)
{
    const fo_allocator *a = def->allocator;
    size_t most = fo_system_shape(def->system).parameters;
    foi_mat *m = foi_new(a, 1, sizeof *m);
    if (!m) return NULL;
    *m = (foi_mat){.allocator = a,
                   .system = def->system,
                   .count = def->count,
                   .time_unit = def->time_unit ? def->time_unit : "s"};
    m->path = foi_copy_text(a, def->path);
    m->signals = foi_new(a, def->count + most, sizeof *m->signals);
    m->row = foi_new(a, def->count + 1, sizeof *m->row);
    m->values = foi_new(a, most, sizeof *m->values);
    m->changed = foi_new(a, most, sizeof *m->changed);
    if (m->path && m->signals && m->row && m->values && m->changed) return m;
    destroy(m);
    return NULL;
}

foi_mat *foi_mat_open(const fo_result_def *def, fo_message *why)
{
    foi_mat *m = make(def);
    if (!m) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory to write %s", def->path);
        return NULL;
    }
    m->parameters = foi_mat_signals(def, m->signals) - def->count;
    m->file = foi_file_make(def->path, NULL, NULL, NULL, why); // nobody else writes it meanwhile
    if (!m->file) {
        destroy(m);
        return NULL;
    }
    put_start(m);
    if (!fo_failed(report(m, why))) return m;
    fclose(m->file);
    destroy(m);
    return NULL;
}

char *foi_mat_head(const fo_result_def *def, size_t *length)
{
    foi_text_stream text;
    foi_mat *m = make(def);
    bool open = m && foi_text_open(&text, def->allocator);
    if (open) {
        m->parameters = foi_mat_signals(def, m->signals) - def->count;
        m->file = text.out;
        put_class(m);
        put_texts(m, "name", name_of);
    }
    bool whole = open && foi_text_close(&text);
    destroy(m);
    if (whole) *length = text.size;
    return open ? foi_text_take(&text) : NULL;
}

fo_observer foi_mat_observer(foi_mat *m, double interval)
{
    return (fo_observer){.self = m,
                         .row = write_row,
                         .signals = m->signals,
                         .signal_count = m->count + m->parameters,
                         .interval = interval};
}

size_t foi_mat_rows(const foi_mat *m)
{
    return m->rows + (m->waiting ? 1 : 0);
}

size_t foi_mat_rows_written(foi_mat *m)
{
    put_waiting(m);
    if (fflush(m->file) != 0) fail(m, errno);
    return m->rows;
}

const char *foi_mat_changed(const foi_mat *m, char *text, size_t size)
{
    for (size_t i = 0; i < m->parameters; i++)
        if (m->changed[i]) return fo_system_name(m->system, m->signals[m->count + i], text, size);
    return NULL;
}

// Of a file whose rows could not all be written the whole ones count, and what follows them is cut
// off: that makes room, should the disk have been full.
static void finish(foi_mat *m)
{
    const fo_message before = m->failed;
    off_t end = start_of_rows(m) + (off_t)(m->rows * (1 + m->count) * sizeof(double));
    m->failed = (fo_message){0};
    clearerr(m->file);
    bool fine = m->data_2 && fseek(m->file, m->data_1, SEEK_SET) == 0;
    if (fine) put_parameters(m);
    if (fine) put_head(m, TYPE_REAL, 1 + m->count, m->rows, "data_2");
    fine = fine && fflush(m->file) == 0 && ftruncate(fileno(m->file), end) == 0;
    if (!fine) fail(m, errno);
    if (fo_failed(before.status)) m->failed = before;
}

fo_status foi_mat_close(foi_mat *m, fo_message *why)
{
    if (!m) return FO_OK;
    put_waiting(m);
    if (fflush(m->file) != 0) fail(m, errno);
    finish(m);
    foi_file_sign(fileno(m->file), true);
    if (fclose(m->file) != 0 && !fo_failed(m->failed.status))
        fo_fail(&m->failed, FO_ERROR_INPUT, "closing %s failed: %s", m->path, strerror(errno));
    fo_status status = report(m, why);
    destroy(m);
    return status;
}
