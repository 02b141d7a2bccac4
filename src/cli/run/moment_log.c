#include "cli/run/moment_log.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/run/span.h"
#include "cli/terminal.h"

// What is set is an input, a parameter or a state, and its index is one among those: the first
// input is not the first parameter.
static bool is_of(const moment_source *s, const fo_moment *m)
{
    if (s->kind != m->kind || s->index != m->index) return false;
    return m->kind != FO_SET || !strncmp(s->name, m->name ? m->name : "", sizeof s->name - 1);
}

static void count_source(moment_log *log, const fo_moment *m)
{
    size_t i = 0;
    while (i < log->source_count && !is_of(&log->sources[i], m)) i++;
    if (i == LOG_SOURCES) return;
    moment_source *source = &log->sources[i];
    if (i == log->source_count) {
        log->source_count++;
        source->kind = m->kind, source->index = m->index, source->first = m->t;
        snprintf(source->name, sizeof source->name, "%s", m->name ? m->name : "");
    }
    source->count++, source->last = m->t;
}

// Without memory the list ends there, which is told; the sums go on.
static void keep(moment_log *log, const fo_moment *m)
{
    enum { MOST = 1000000 };
    uint64_t listable = log->count - log->before;
    if (!log->listed || log->list_count == MOST || log->list_count + 1 < listable) return;
    if (log->list_count == log->list_room) {
        size_t room = log->list_room ? 2 * log->list_room : 64;
        logged_moment *list = realloc(log->list, room * sizeof *list);
        if (!list) {
            log->lost = true;
            return;
        }
        log->list = list, log->list_room = room;
    }
    logged_moment *last = &log->list[log->list_count++];
    *last = (logged_moment){m->t, m->k, m->kind, m->direction, ""};
    snprintf(last->name, sizeof last->name, "%s", m->name ? m->name : "");
}

// "x > 0" is slid along where x = 0.
static void name_surface(const fo_moment *m, char *text, size_t size)
{
    static const char *const signs[] = {" >= ", " <= ", " > ", " < "};
    const char *name = m->name ? m->name : "";
    bool steps = m->kind == FO_SLIDE && !strncmp(name, "floor(", 6);
    snprintf(text, size, "%s%s", steps ? "the jump of " : "", name);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *found = strstr(name, signs[i]);
        if (!found) continue;
        snprintf(text, size, "%.*s = %s", (int)(found - name), name, found + strlen(signs[i]));
        return;
    }
}

static void note_stay(moment_log *log, const fo_moment *m)
{
    bool slide = m->kind == FO_SLIDE || m->kind == FO_SLIDE_END;
    if (m->kind == FO_SLIDE || m->kind == FO_REST) {
        if (log->stay_count++ >= LOG_STAYS) return;
        logged_stay *stay = &log->stays[log->stay_count - 1];
        *stay = (logged_stay){.slide = slide, .index = m->index, .from = m->t};
        name_surface(m, stay->name, sizeof stay->name);
    } else if (m->kind == FO_SLIDE_END || m->kind == FO_REST_END) {
        for (size_t i = 0; i < LOG_STAYS && i < log->stay_count; i++) {
            logged_stay *stay = &log->stays[i];
            if (stay->ended || stay->slide != slide || stay->index != m->index) continue;
            stay->ended = true, stay->to = m->t;
            snprintf(stay->why, sizeof stay->why, "%s", m->why ? m->why : "");
        }
    }
}

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    moment_log *log = self;
    (void)why;
    log->count++;
    keep(log, m);
    count_source(log, m);
    note_stay(log, m);
    return FO_OK;
}

fo_observer moment_log_observer(moment_log *log)
{
    return (fo_observer){.self = log, .moment = note, .interval = -1};
}

static void cell(const void *self, size_t row, int column, char *text)
{
    const logged_moment *m = &((const moment_log *)self)->list[row];
    bool turns = m->kind == FO_GUARD || m->kind == FO_CONDITION;
    const char *direction = m->direction == FO_RISING    ? "rising"
                            : m->direction == FO_FALLING ? "falling"
                                                         : "";
    switch (column) {
    case 0: snprintf(text, LISTING_CELL, "%.9g", m->t); break;
    case 1: snprintf(text, LISTING_CELL, "%" PRIu32, m->k); break;
    case 2: snprintf(text, LISTING_CELL, "%s", m->name); break;
    default:
        snprintf(text, LISTING_CELL, "%s%s%s", fo_moment_kind_text(m->kind),
                 turns && *direction ? ", " : "", turns ? direction : "");
    }
}

void moment_log_print(FILE *out, const moment_log *log, const char *file, const char *since)
{
    static const char *const titles[] = {"t [s]", "k", "moment", "kind"};
    if (!log->list_count) return;
    fprintf(out, "\nMoments%s\n", since);
    listing l = {titles, 4, 1 << 1, 2, log->list_count, cell, log};
    listing_print(out, &l, terminal_listing_width(out));
    uint64_t rest = log->count - log->before - log->list_count;
    if (!rest) return;
    fprintf(out, "  and %" PRIu64 " more; %s", rest,
            file ? "all are in " : "--events FILE writes them all");
    if (file) print_plain(out, file);
    fputc('\n', out);
}

// ------------------------------------------------------------------------------------------- sums

static bool is_word(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalpha((unsigned char)*c)) return false;
    return *name;
}

// "collision" to "collisions", "apex" to "apexes", "tap" to "taps".
static const char *plural(const char *word)
{
    size_t length = strlen(word);
    char last = word[length - 1], before = length > 1 ? word[length - 2] : 0;
    bool hissing = strchr("sxz", last) || (last == 'h' && before && strchr("cs", before));
    return hissing ? "es" : "s";
}

static int put_source(const moment_source *s, double start, char *text, size_t size)
{
    bool plain = s->kind == FO_GUARD || s->kind == FO_CONDITION || s->kind == FO_SCHEDULED ||
                 s->kind == FO_EXTERNAL;
    const char *kind = plain ? "" : fo_moment_kind_text(s->kind), *gap = plain ? "" : " ";
    const char *name = *s->name ? s->name : "moment";
    if (s->count == 1)
        return snprintf(text, size, "%s%s%s at %s", name, gap, kind,
                        span_of(start, s->first, 6).to);
    bool word = plain && is_word(name);
    span all = span_of(s->first, s->last, 6);
    return snprintf(text, size, "%" PRIu64 " %s%s%s%s%s, first %s, last %s", s->count,
                    word ? "" : "times ", name, word ? plural(name) : "", gap, kind, all.from,
                    all.to);
}

const char *moment_log_sum(const moment_log *log, double start, char *text)
{
    size_t used = 0;
    uint64_t counted = 0;
    text[0] = 0;
    for (size_t i = 0; i < log->source_count && used < LOG_SUM / 2; i++) {
        if (i) used += (size_t)snprintf(text + used, LOG_SUM - used, "; ");
        used += (size_t)put_source(&log->sources[i], start, text + used, LOG_SUM - used);
        counted += log->sources[i].count;
    }
    if (counted < log->count && used < LOG_SUM - 64)
        snprintf(text + used, LOG_SUM - used, "; %" PRIu64 " others", log->count - counted);
    return text;
}

void moment_log_free(moment_log *log)
{
    free(log->list);
    log->list = NULL, log->list_count = log->list_room = 0;
}

void moment_log_print_stays(FILE *out, const moment_log *log, double end, const char *unit)
{
    for (size_t i = 0; i < LOG_STAYS && i < log->stay_count; i++) {
        const logged_stay *stay = &log->stays[i];
        span all = span_of(stay->from, stay->ended ? stay->to : end, 8);
        fprintf(out, "  %-13s%s from %s %s", stay->slide ? "slides on" : "rests on", stay->name,
                all.from, unit);
        if (stay->ended)
            fprintf(out, " to %s %s: %s\n", all.to, unit, stay->why);
        else
            fprintf(out, " to the end\n");
    }
    if (log->stay_count > LOG_STAYS)
        fprintf(out,
                "  %-13s%" PRIu64 " more times rested or slid; --events FILE writes them all\n", "",
                log->stay_count - LOG_STAYS);
}
