// The list of moments, and of what processes and entities do, as CSV or as lines of JSON.
#include <foliot/report.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/writer.h"
#include "report/inside.h"
#include "report/mark.h"

enum {
    NAME = 256,                ///< bytes of a name; longer ones are cut
    ROW = 3 * 12 * NAME + 512, ///< three names of which every byte is written out
};

struct fo_moment_csv {
    const fo_allocator *allocator;
    foi_writer writer;
    fo_acts acts;
    bool json;
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

// ------------------------------------------------------------------------------------------ fields

static char *put_number(fo_moment_csv *csv, char *at, double value)
{
    if (csv->json && !isfinite(value)) return put_text(at, "null");
    return at + foi_number_text(value, at);
}

static char *put_name(char *at, const char *text)
{
    char name[NAME];
    snprintf(name, sizeof name, "%s", text ? text : "");
    return foi_put_field(at, name);
}

static char *put_json(char *at, const char *text)
{
    *at++ = '"';
    for (size_t i = 0; text && text[i] && i < NAME - 1; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == '"' || c == '\\') // a quote as \u0022: rows are counted by quotes
            at += sprintf(at, "\\u%04x", c);
        else
            *at++ = (char)c;
    }
    *at++ = '"';
    return at;
}

static char *put_kind(char *at, const fo_moment *m)
{
    at = put_text(at, fo_moment_kind_text(m->kind));
    return m->why ? put_text(put_text(at, ": "), m->why) : at; // short, and without commas
}

// ----------------------------------------------------------------------------------------- moments

static char *moment_row(fo_moment_csv *csv, char *at, const fo_moment *m)
{
    static const char *const empty[] = {"", ",,,,,,,", ",,,,,"};
    at = put_number(csv, at, m->t);
    *at++ = ',';
    at = put_name(at, m->name);
    *at++ = ',';
    at = put_kind(at, m);
    return at + sprintf(at, ",%" PRIu32 "%s\n", m->k, empty[csv->acts]);
}

static char *moment_object(fo_moment_csv *csv, char *at, const fo_moment *m)
{
    at = put_number(csv, put_text(at, "{\"time\":"), m->t);
    at = put_json(put_text(at, ",\"name\":"), m->name);
    at = put_kind(put_text(at, ",\"kind\":\""), m);
    return at + sprintf(at, "\",\"k\":%" PRIu32 "}\n", m->k);
}

static fo_status write_moment(void *self, const fo_moment *m, fo_message *why)
{
    fo_moment_csv *csv = self;
    bool list = m->kind == FO_SCHEDULED || m->kind == FO_AGAIN;
    if (csv->acts == FO_ACTS_PROCESSES && list) return FO_OK;
    char *at = foi_writer_row(&csv->writer, why);
    if (!at) return csv->writer.failed.status;
    at = csv->json ? moment_object(csv, at, m) : moment_row(csv, at, m);
    foi_writer_row_end(&csv->writer, at);
    return FO_OK;
}

// -------------------------------------------------------------------------------------------- acts

static char *act_row(fo_moment_csv *csv, char *at, const fo_act *act)
{
    at = put_number(csv, at, act->t);
    at = put_text(at, csv->acts == FO_ACTS_PROCESSES ? ",,process,," : ",,entity,,");
    at = put_name(at, act->who);
    *at++ = ',';
    if (act->number) at += sprintf(at, "%" PRIu64, act->number);
    *at++ = ',';
    at = put_name(at, act->what);
    at += sprintf(at, ",%s,", act->action);
    if (!isnan(act->amount)) at = put_number(csv, at, act->amount);
    if (csv->acts == FO_ACTS_PROCESSES) {
        at = put_name(put_text(at, ","), act->by);
        *at++ = ',';
        if (act->by_number) at += sprintf(at, "%" PRIu64, act->by_number);
    }
    return put_text(at, "\n");
}

static char *act_object(fo_moment_csv *csv, char *at, const fo_act *act)
{
    bool process = csv->acts == FO_ACTS_PROCESSES;
    at = put_number(csv, put_text(at, "{\"time\":"), act->t);
    at = put_text(at, process ? ",\"kind\":\"process\",\"process\":"
                              : ",\"kind\":\"entity\",\"entity\":");
    at = put_json(at, act->who);
    at +=
        sprintf(at, ",\"number\":%" PRIu64 ",\"%s\":", act->number, process ? "resource" : "node");
    at = put_json(at, act->what);
    at += sprintf(at, ",\"action\":\"%s\"", act->action);
    if (!isnan(act->amount)) at = put_number(csv, put_text(at, ",\"amount\":"), act->amount);
    if (act->by_number) {
        at = put_json(put_text(at, ",\"by\":"), act->by);
        at += sprintf(at, ",\"by_number\":%" PRIu64, act->by_number);
    }
    return put_text(at, "}\n");
}

static fo_status write_act(void *self, const fo_act *act, fo_message *why)
{
    fo_moment_csv *csv = self;
    char *at = foi_writer_row(&csv->writer, why);
    if (!at) return csv->writer.failed.status;
    at = csv->json ? act_object(csv, at, act) : act_row(csv, at, act);
    foi_writer_row_end(&csv->writer, at);
    return FO_OK;
}

// --------------------------------------------------------------------------------------- the file

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

static bool is_json(const char *path)
{
    size_t length = strlen(path), tail = strlen(".jsonl");
    return length >= tail && strcmp(path + length - tail, ".jsonl") == 0;
}

static fo_moment_csv *create(const char *path, const foi_mark *mark, fo_acts acts,
                             const fo_allocator *allocator, fo_message *why)
{
    static const char *const more[] = {"", ",process,number,resource,action,amount,by,by_number",
                                       ",entity,number,node,action,amount"};
    fo_moment_csv *csv = foi_new(allocator, 1, sizeof *csv);
    if (!csv) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory to write %s", path);
        return NULL;
    }
    csv->allocator = allocator;
    csv->acts = acts, csv->json = is_json(path);
    fo_status status = mark ? foi_writer_resume(&csv->writer, path, ROW, mark, allocator, why)
                            : foi_writer_open(&csv->writer, path, ROW, allocator, why);
    if (fo_failed(status)) {
        foi_free(allocator, csv);
        return NULL;
    }
    if (mark) return csv;
    char *at = foi_writer_row(&csv->writer, NULL); // the buffer is empty: there is room
    at = put_text(put_text(put_text(at, "time,name,kind,k"), more[acts]), "\n");
    if (csv->json)
        csv->writer.headed = true; // every line has the names
    else
        foi_writer_row_end(&csv->writer, at);
    return csv;
}

fo_moment_csv *fo_moment_csv_open(const char *path, fo_acts acts, const fo_allocator *allocator,
                                  fo_message *why)
{
    return create(path, NULL, acts, allocator, why);
}

bool fo_moment_csv_mark(const fo_moment_csv *csv, char text[FO_CSV_MARK])
{
    foi_mark mark;
    if (!foi_writer_mark(&csv->writer, &mark)) return false;
    foi_mark_write(&mark, &(foi_last_row){0}, text);
    return true;
}

fo_moment_csv *fo_moment_csv_resume(const char *path, const char *text, fo_acts acts,
                                    const fo_allocator *allocator, fo_message *why)
{
    foi_mark mark;
    foi_last_row last;
    if (foi_mark_read(text, &mark, &last)) return create(path, &mark, acts, allocator, why);
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

fo_trace fo_moment_csv_trace(fo_moment_csv *csv)
{
    return (fo_trace){.self = csv, .act = write_act};
}

size_t fo_moment_csv_rows(const fo_moment_csv *csv)
{
    return csv->writer.rows;
}

size_t foi_moment_csv_rows_written(fo_moment_csv *csv)
{
    foi_writer_flush(&csv->writer, NULL);
    return csv->writer.rows;
}

fo_status fo_moment_csv_close(fo_moment_csv *csv, fo_message *why)
{
    if (!csv) return FO_OK;
    fo_status status = foi_writer_close(&csv->writer, why);
    foi_free(csv->allocator, csv);
    return status;
}
