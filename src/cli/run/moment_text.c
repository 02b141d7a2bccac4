// The figures of moments as a text, which a checkpoint keeps for the run that goes on.
//
//     count stays
//     kind index count first last LENGTH:name            for each source
//     ;
//     slide ended index from to LENGTH:name LENGTH:why   for each stay that is listed
//
// Numbers are read back to the bit. Names may hold anything, hence their lengths.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "cli/run/moment_log.h"

static void put_name(FILE *out, const char *name, char after)
{
    fprintf(out, "%zu:%s%c", strlen(name), name, after);
}

static size_t listed_stays(const moment_log *log)
{
    return log->stay_count < LOG_STAYS ? (size_t)log->stay_count : LOG_STAYS;
}

char *moment_log_text(const moment_log *log)
{
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) return NULL;
    fprintf(text.out, "%" PRIu64 " %" PRIu64 "\n", log->count, log->stay_count);
    for (size_t i = 0; i < log->source_count; i++) {
        const moment_source *s = &log->sources[i];
        fprintf(text.out, "%d %" PRIu32 " %" PRIu64 " %.17g %.17g ", (int)s->kind, s->index,
                s->count, s->first, s->last);
        put_name(text.out, s->name, '\n');
    }
    fputs(";\n", text.out);
    for (size_t i = 0; i < listed_stays(log); i++) {
        const logged_stay *s = &log->stays[i];
        fprintf(text.out, "%d %d %" PRIu32 " %.17g %.17g ", s->slide, s->ended, s->index, s->from,
                s->to);
        put_name(text.out, s->name, ' ');
        put_name(text.out, s->why, '\n');
    }
    return foi_text_take(&text);
}

// ---------------------------------------------------------------------------------------- reading

typedef struct reader {
    const char *at;
    bool failed;
} reader;

static void expect(reader *r, char c)
{
    if (!r->failed && *r->at == c)
        r->at++;
    else
        r->failed = true;
}

static uint64_t take_whole(reader *r, uint64_t most, char after)
{
    char *end;
    if (r->failed || *r->at < '0' || *r->at > '9') return r->failed = true, 0;
    errno = 0;
    unsigned long long value = strtoull(r->at, &end, 10);
    r->failed = errno != 0 || value > most;
    r->at = end;
    expect(r, after);
    return r->failed ? 0 : value;
}

static double take_time(reader *r)
{
    char *end;
    if (r->failed) return 0;
    double value = strtod(r->at, &end);
    r->failed = end == r->at || !isfinite(value);
    r->at = end;
    expect(r, ' ');
    return value;
}

static void take_name(reader *r, char *name, size_t size, char after)
{
    size_t length = (size_t)take_whole(r, size - 1, ':');
    if (!r->failed && memchr(r->at, 0, length)) r->failed = true;
    if (r->failed) return;
    memcpy(name, r->at, length);
    name[length] = 0;
    r->at += length;
    expect(r, after);
}

static void take_source(reader *r, moment_log *log)
{
    moment_source s = {0};
    s.kind = (fo_moment_kind)take_whole(r, FO_SLIDE_END, ' ');
    s.index = (uint32_t)take_whole(r, UINT32_MAX, ' ');
    s.count = take_whole(r, log->count, ' ');
    s.first = take_time(r), s.last = take_time(r);
    take_name(r, s.name, sizeof s.name, '\n');
    if (log->source_count == LOG_SOURCES || !s.count || !(s.first <= s.last)) r->failed = true;
    if (!r->failed) log->sources[log->source_count++] = s;
}

static void take_stay(reader *r, logged_stay *s)
{
    s->slide = take_whole(r, 1, ' '), s->ended = take_whole(r, 1, ' ');
    s->index = (uint32_t)take_whole(r, UINT32_MAX, ' ');
    s->from = take_time(r), s->to = take_time(r);
    take_name(r, s->name, sizeof s->name, ' ');
    take_name(r, s->why, sizeof s->why, '\n');
}

bool moment_log_read(moment_log *log, const char *text)
{
    reader r = {.at = text};
    log->count = log->before = take_whole(&r, UINT64_MAX, ' ');
    log->stay_count = take_whole(&r, log->count, '\n');
    while (!r.failed && *r.at != ';') take_source(&r, log);
    expect(&r, ';');
    expect(&r, '\n');
    for (size_t i = 0; !r.failed && i < listed_stays(log); i++) take_stay(&r, &log->stays[i]);
    return !r.failed && !*r.at;
}
