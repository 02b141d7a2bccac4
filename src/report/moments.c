#include <foliot/report.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/writer.h"
#include "report/mark.h"

enum { NAME = 256, ROW = 2 * NAME + 128 };

struct fo_moment_csv {
    const fo_allocator *allocator;
    foi_writer writer;
};

const char *fo_moment_kind_text(fo_moment_kind kind)
{
    switch (kind) {
    case FO_GUARD: return "guard";
    case FO_CONDITION: return "condition";
    case FO_SCHEDULED: return "scheduled";
    case FO_EXTERNAL: return "external";
    case FO_AGAIN: return "again";
    case FO_ZENO: return "zeno";
    case FO_SET: return "set";
    case FO_REST: return "rest begins";
    case FO_REST_END: return "rest ends";
    case FO_SLIDE: return "slide begins";
    case FO_SLIDE_END: return "slide ends";
    }
    return "unknown";
}

static char *put_text(char *at, const char *text)
{
    return stpcpy(at, text);
}

static fo_status write_moment(void *self, const fo_moment *m, fo_message *why)
{
    fo_moment_csv *csv = self;
    char *at = foi_writer_row(&csv->writer, why), name[NAME];
    if (!at) return csv->writer.failed.status;
    snprintf(name, sizeof name, "%s", m->name ? m->name : "");
    at += foi_number_text(m->t, at);
    *at++ = ',';
    at = foi_put_field(at, name);
    *at++ = ',';
    at = put_text(at, fo_moment_kind_text(m->kind));
    if (m->why) at = put_text(put_text(at, ": "), m->why); // short, and without commas
    at += sprintf(at, ",%u\n", (unsigned)m->k);
    foi_writer_row_end(&csv->writer, at);
    return FO_OK;
}

static fo_status write_idle(void *self, double t, double stop, fo_message *why)
{
    fo_moment_csv *csv = self;
    (void)t, (void)stop;
    return foi_writer_idle(&csv->writer, why);
}

static fo_status write_kept(void *self, fo_message *why)
{
    fo_moment_csv *csv = self;
    return foi_writer_keep(&csv->writer, why);
}

static fo_moment_csv *create(const char *path, const foi_mark *mark, const fo_allocator *allocator,
                             fo_message *why)
{
    fo_moment_csv *csv = foi_new(allocator, 1, sizeof *csv);
    if (!csv) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory to write %s", path);
        return NULL;
    }
    csv->allocator = allocator;
    fo_status status = mark ? foi_writer_resume(&csv->writer, path, ROW, mark, allocator, why)
                            : foi_writer_open(&csv->writer, path, ROW, allocator, why);
    if (fo_failed(status)) {
        foi_free(allocator, csv);
        return NULL;
    }
    if (mark) return csv;
    char *at = foi_writer_row(&csv->writer, NULL); // the buffer is empty: there is room
    foi_writer_row_end(&csv->writer, put_text(at, "time,name,kind,k\n"));
    return csv;
}

fo_moment_csv *fo_moment_csv_open(const char *path, const fo_allocator *allocator, fo_message *why)
{
    return create(path, NULL, allocator, why);
}

bool fo_moment_csv_mark(const fo_moment_csv *csv, char text[FO_CSV_MARK])
{
    foi_mark mark;
    if (!foi_writer_mark(&csv->writer, &mark)) return false;
    foi_mark_write(&mark, &(foi_last_row){0}, text);
    return true;
}

fo_moment_csv *fo_moment_csv_resume(const char *path, const char *text,
                                    const fo_allocator *allocator, fo_message *why)
{
    foi_mark mark;
    foi_last_row last;
    if (foi_mark_read(text, &mark, &last)) return create(path, &mark, allocator, why);
    fo_fail(why, FO_ERROR_FORMAT, "'%s' does not say where %s stood", text, path);
    return NULL;
}

fo_observer fo_moment_csv_observer(fo_moment_csv *csv)
{
    return (fo_observer){.self = csv,
                         .moment = write_moment,
                         .progress = write_idle,
                         .keep = write_kept,
                         .interval = -1};
}

size_t fo_moment_csv_rows(const fo_moment_csv *csv)
{
    return csv->writer.rows;
}

fo_status fo_moment_csv_close(fo_moment_csv *csv, fo_message *why)
{
    if (!csv) return FO_OK;
    fo_status status = foi_writer_close(&csv->writer, why);
    foi_free(csv->allocator, csv);
    return status;
}
