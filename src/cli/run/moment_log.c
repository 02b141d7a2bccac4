#include "cli/run/moment_log.h"

#include <inttypes.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/terminal.h"

static void count_source(moment_log *log, const fo_moment *m)
{
    size_t i = 0;
    while (i < log->source_count &&
           (log->sources[i].kind != m->kind || log->sources[i].index != m->index))
        i++;
    if (i == LOG_SOURCES) return;
    moment_source *source = &log->sources[i];
    if (i == log->source_count) {
        log->source_count++;
        source->kind = m->kind, source->index = m->index;
        snprintf(source->name, sizeof source->name, "%s", m->name ? m->name : "");
    }
    source->count++;
}

// "x > 0" is slid along where x = 0.
static void name_surface(const fo_moment *m, char *text, size_t size)
{
    static const char *const signs[] = {" >= ", " <= ", " > ", " < "};
    const char *name = m->name ? m->name : "";
    snprintf(text, size, "%s", name);
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
        logged_stay *stay = &log->stays[log->stay_count];
        if (log->stay_count++ >= LOG_STAYS) return;
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
    logged_moment *last = &log->last;
    *last = (logged_moment){m->t, m->k, m->kind, m->direction, ""};
    snprintf(last->name, sizeof last->name, "%s", m->name ? m->name : "");
    if (log->count < LOG_FIRST) log->first[log->count] = *last;
    log->count++;
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
    const logged_moment *m = &((const moment_log *)self)->first[row];
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

static void print_rest(FILE *out, uint64_t more, const char *file, bool unicode)
{
    const char *dots = unicode ? "…" : "...";
    if (file)
        fprintf(out, "  %s and %" PRIu64 " more; all are in %s\n", dots, more, file);
    else
        fprintf(out, "  %s and %" PRIu64 " more; --events FILE writes them all\n", dots, more);
}

static void print_counts(FILE *out, const moment_log *log)
{
    uint64_t counted = 0;
    fprintf(out, "  in all %" PRIu64 ":", log->count);
    for (size_t i = 0; i < log->source_count; i++) {
        const moment_source *s = &log->sources[i];
        bool plain = s->kind == FO_GUARD || s->kind == FO_CONDITION || s->kind == FO_SCHEDULED;
        fprintf(out, "%s %s%s%s %" PRIu64, i ? "," : "", s->name, plain ? "" : " ",
                plain ? "" : fo_moment_kind_text(s->kind), s->count);
        counted += s->count;
    }
    if (counted < log->count) fprintf(out, ", others %" PRIu64, log->count - counted);
    fputc('\n', out);
}

void moment_log_print(FILE *out, const moment_log *log, const char *file)
{
    static const char *const titles[] = {"t [s]", "k", "moment", "kind"};
    if (!log->count) return;
    size_t shown = log->count < LOG_FIRST ? (size_t)log->count : LOG_FIRST;
    fprintf(out, "\nMoments\n");
    listing l = {titles, 4, 1 << 1, 2, shown, cell, log};
    listing_print(out, &l, terminal_listing_width(out));
    if (log->count > shown) print_rest(out, log->count - shown, file, terminal_has_unicode());
    print_counts(out, log);
}

void moment_log_print_stays(FILE *out, const moment_log *log, const char *unit)
{
    for (size_t i = 0; i < LOG_STAYS && i < log->stay_count; i++) {
        const logged_stay *stay = &log->stays[i];
        fprintf(out, "  %-13s%s from %.8g %s", stay->slide ? "slides on" : "rests on", stay->name,
                stay->from, unit);
        if (stay->ended)
            fprintf(out, " to %.8g %s: %s\n", stay->to, unit, stay->why);
        else
            fprintf(out, " to the end\n");
    }
    if (log->stay_count > LOG_STAYS)
        fprintf(out,
                "  %-13s%" PRIu64 " more times rested or slid; --events FILE writes them all\n", "",
                log->stay_count - LOG_STAYS);
}
