#include "cli/run/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text_stream.h"
#include "cli/json.h"
#include "cli/listing.h"
#include "cli/run/span.h"
#include "cli/terminal.h"

enum { LABEL = 15, NARROW = 60, INDENT = 4, LIST = 4096 };

static bool is_narrow(FILE *out)
{
    return terminal_listing_width(out) < NARROW;
}

// Where the lines after the first begin.
static int margin_of(FILE *out)
{
    return is_narrow(out) ? INDENT : LABEL;
}

// Returns the column behind it. A narrow terminal has no room for a column of labels.
static int label(FILE *out, const char *text)
{
    if (!is_narrow(out)) return fprintf(out, "  %-13s", text);
    return fprintf(out, *text ? "  %s: " : "    ", text);
}

// A sentence behind its label, in as many lines as it needs.
static void put_text(FILE *out, const char *name, const char *text)
{
    print_wrapped_from(out, text, label(out, name), margin_of(out),
                       terminal_listing_width(out) - 1);
    fputc('\n', out);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// How many bytes of a text must go from its end until it has room.
static size_t surplus(const char *text, size_t length, int room)
{
    char some[512];
    size_t kept = length;
    do {
        snprintf(some, sizeof some, "%.*s", (int)kept, text);
        if (text_width(some) <= room) return length - kept;
        do kept--; // a letter, with all of its bytes
        while (kept && ((unsigned char)text[kept] & 0xC0) == 0x80);
    } while (kept);
    return length;
}

// What would not fit into a line by itself, such as a long condition of a text, is cut. Room for
// the dots is there. A number is not cut, which would be another one then, but its name is.
static void shorten(char *part, int room, const char *dots)
{
    size_t length = strlen(part), marks = strlen(dots);
    if (text_width(part) <= room) return;
    room -= text_width(dots) + 1;
    const char *value = strstr(part, " = ");
    size_t name = value ? (size_t)(value - part) : 0;
    int number = value ? text_width(value) : 0;
    if (name && number < room) {
        size_t gone = surplus(part, name, room - number);
        memmove(part + name - gone + marks, value, length - name + 1);
        memcpy(part + name - gone, dots, marks);
        return;
    }
    part[length - surplus(part, length, room)] = 0;
    strcat(part, dots);
    strcat(part, ",");
}

// A list behind its label, in at most so many lines; 0: in as many as it needs. It ends where the
// next part, up to ", " or "; ", would not fit.
static void put_list(FILE *out, const char *name, const char *list, int most)
{
    int width = terminal_listing_width(out) - 1, lines = 1, margin = margin_of(out);
    const char *dots = terminal_has_unicode() ? " …" : " ...";
    int column = label(out, name);
    for (bool first = true; *list; first = false) {
        size_t length = 0;
        while (list[length] && !(strchr(",;", list[length]) && list[length + 1] == ' ')) length++;
        char part[512];
        size_t whole = length + (list[length] != 0);
        snprintf(part, sizeof part - 8, "%.*s", (int)whole, list);
        shorten(part, width - margin - 3, dots);
        bool last = lines == most && list[whole];
        int wide = text_width(part) + (last ? text_width(dots) : 0);
        bool behind = first && column > margin; // in a narrow terminal: behind the label's colon
        if ((!first || behind) && column + 1 + wide > width) {
            if (lines == most && !first) {
                fputs(dots, out);
                break;
            }
            fprintf(out, "\n%*s", margin, "");
            column = margin, lines++;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fputs(part, out);
        column += text_width(part);
        list += whole;
        list += strspn(list, " ");
    }
    fputc('\n', out);
}

static void print_time(FILE *out, const summary *s)
{
    double to = fo_simulation_time(s->sim), seconds = s->seconds;
    double from = s->restarted ? s->from : s->start;
    double ratio = seconds > 0 && strcmp(s->time_unit, "s") == 0 ? (to - from) / seconds : 0;
    char text[256], speed[64] = "", rest[64] = "";
    span all = span_of(s->start, to, 6), part = span_of(from, to, 6);
    if (s->restarted) snprintf(rest, sizeof rest, "from %s %s on ", part.from, s->time_unit);
    if (ratio >= 100) snprintf(speed, sizeof speed, " (%.0f times real time)", ratio);
    if (ratio > 0 && ratio < 100) snprintf(speed, sizeof speed, " (%.3g times real time)", ratio);
    snprintf(text, sizeof text, "%s .. %s %s, %scomputed in %.3g s%s", all.from, all.to,
             s->time_unit, rest, seconds, speed);
    put_text(out, "time", text);
}

static void print_steps(FILE *out, const summary *s)
{
    fo_statistics all = fo_simulation_statistics(s->sim);
    char text[256], last[96] = "";
    if (!all.steps && !all.rejected) return; // a world of processes alone
    if (all.last_step > 0)
        snprintf(last, sizeof last, ", the last %.3g %s long", all.last_step, s->time_unit);
    snprintf(text, sizeof text, "%" PRIu64 " accepted, %" PRIu64 " rejected%s", all.steps,
             all.rejected, last);
    put_text(out, "steps", text);
}

static void print_evaluations(FILE *out, const fo_statistics *s)
{
    const struct {
        uint64_t count;
        const char *what;
    } list[] = {{s->rates, "of the rates"},
                {s->guards, "of the guards"},
                {s->jacobians, "of the Jacobian"},
                {s->factorisations, "factorisations"},
                {s->iterations, "iterations"}};
    char text[LIST] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].count)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu64 " %s",
                                     used ? ", " : "", list[i].count, list[i].what);
    if (used) put_list(out, "evaluations", text, 0);
    if (!(s->residual > 0)) return;
    label(out, "residual");
    fprintf(out, "%.3g at most\n", s->residual);
}

// ----------------------------------------------------------------------------------------- moments

static void item(FILE *out, const char **before, uint64_t count, const char *one, const char *many)
{
    if (!count) return;
    fprintf(out, "%s%" PRIu64 " %s", *before, count, count == 1 ? one : many);
    *before = ", ";
}

// When the first of them was.
static void write_limit(FILE *out, const fo_guard_report *g)
{
    span first = span_of(g->limited_from, g->limited_to, 9);
    fprintf(out, " (%st = %s to %s)", g->limited > 1 ? "the first: " : "", first.from, first.to);
}

// What of a guard was not proved, and why.
static void write_guard(FILE *out, const fo_guard_report *g)
{
    const char *before = "";
    fprintf(out, "`%s`: ", g->name);
    item(out, &before, g->isolated, "jump or pole isolated", "jumps or poles isolated");
    item(out, &before, g->undecided, "place so near zero that rounding hides the sign",
         "places so near zero that rounding hides the sign");
    if (g->searched) fprintf(out, "%ssearched by samples, without bounds", before), before = ", ";
    item(out, &before, g->limited, "search ended at its limit of work",
         "searches ended at their limit of work");
    if (g->limited) write_limit(out, g);
    item(out, &before, g->loose, "step between whose ends the solver does not hold the tolerance",
         "steps between whose ends the solver does not hold the tolerance");
    if (!*before) fputs("never looked at", out);
}

static void print_guard(FILE *out, const fo_guard_report *g)
{
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) return;
    write_guard(text.out, g);
    if (foi_text_close(&text)) put_text(out, "", text.text);
    foi_text_free(&text);
}

static void print_guards(FILE *out, const fo_simulation *sim, const fo_statistics *s)
{
    enum { MOST = 8 };
    uint32_t shown = 0, rest = 0;
    fo_guard_report g;
    if (s->certified_guards == s->guard_count) return;
    label(out, "guards");
    fprintf(out, "%" PRIu32 " of %" PRIu32 " not certified\n", s->guard_count - s->certified_guards,
            s->guard_count);
    for (uint32_t i = 0; fo_simulation_guard_report(sim, i, &g); i++) {
        if (g.certified) continue;
        if (shown < MOST)
            print_guard(out, &g), shown++;
        else
            rest++;
    }
    if (!rest) return;
    label(out, "");
    fprintf(out, "and %" PRIu32 " more\n", rest);
}

static void print_moments(FILE *out, const summary *s, bool brief)
{
    fo_statistics all = fo_simulation_statistics(s->sim);
    char text[LIST + LOG_SUM], sum[LOG_SUM] = "", guards[64] = "", since[64] = "";
    if (s->log) moment_log_sum(s->log, s->start, sum);
    if (!*sum && !all.guard_count && !s->log) return;
    if (!*sum && !all.guard_count && !all.moments) return;
    if (all.guard_count)
        snprintf(guards, sizeof guards, "%" PRIu32 " of %" PRIu32 " guard%s certified",
                 all.certified_guards, all.guard_count, plural(all.guard_count));
    if (s->partial) snprintf(since, sizeof since, " since t = %.6g %s", s->from, s->time_unit);
    snprintf(text, sizeof text, "%" PRIu64 "%s%s%s%s%s", all.moments, since, *guards ? "; " : "",
             guards, *sum ? "; " : "", sum);
    bool files = s->results->rows_path && s->results->moments_path;
    put_list(out, "moments", text, brief ? files ? 1 : 2 : 0);
}

// --------------------------------------------------------------------------------------- the
// values

static void add_value(const summary *s, fo_reference which, int digits, char *text, size_t size)
{
    fo_system system = fo_simulation_system(s->sim);
    const fo_variable *v = fo_system_variable(system, which);
    const char *unit = v && v->unit ? v->unit : "";
    char name[96];
    size_t used = strlen(text);
    fo_system_name(system, which, name, sizeof name);
    snprintf(text + used, size - used, "%s%s = %.*g%s%s", used ? ", " : "", name, digits,
             fo_simulation_value(s->sim, which), *unit ? " " : "", unit);
}

static bool is_total(const summary *s, fo_reference which)
{
    fo_reference total;
    for (size_t i = 0; s->totals && s->totals[i]; i++)
        if (fo_system_find(fo_simulation_system(s->sim), s->totals[i], &total, NULL) == FO_OK &&
            total.quantity == which.quantity && total.index == which.index)
            return true;
    return false;
}

static bool is_displayed(const summary *s, fo_reference which)
{
    for (size_t i = 0; s->displays && i < s->displays->count; i++)
        if (which.quantity == FO_OUTPUT && s->displays->signals[i].index == which.index)
            return true;
    return false;
}

// What Displays show, what is plotted, then what the run is made for.
static void print_values(FILE *out, const summary *s, bool brief)
{
    enum { LINES = 2, WITH_DISPLAYS = 4 };
    fo_system system = fo_simulation_system(s->sim);
    bool files = s->results->rows_path || s->results->moments_path;
    char text[LIST] = "";
    int digits = brief ? 6 : 9;
    if (s->displays) displays_read(s->displays, s->sim);
    if (s->displays) displays_text(s->displays, digits, text, sizeof text);
    int lines = *text && !files ? WITH_DISPLAYS : LINES;
    for (size_t i = 0; s->shown && i < s->shown->count; i++)
        if (!is_total(s, s->shown->list[i]) && !is_displayed(s, s->shown->list[i]))
            add_value(s, s->shown->list[i], digits, text, sizeof text);
    for (size_t i = 0; s->totals && s->totals[i]; i++) {
        fo_reference which;
        if (fo_system_find(system, s->totals[i], &which, NULL) == FO_OK)
            add_value(s, which, digits, text, sizeof text);
    }
    if (*text) put_list(out, "at the end", text, brief ? lines : 0);
}

static void print_files(FILE *out, const results *r)
{
    const struct {
        const char *path, *what;
        size_t rows;
    } files[] = {{r->rows_path, "row", r->row_count},
                 {r->moments_path, r->acts == FO_ACTS_NONE ? "moment" : "row", r->moment_count}};
    for (int i = 0; i < 2; i++) {
        if (!files[i].path || strcmp(files[i].path, "-") == 0) continue;
        label(out, "written");
        print_plain(out, files[i].path);
        fprintf(out, ": %zu %s%s\n", files[i].rows, files[i].what, plural(files[i].rows));
    }
}

void summary_print(FILE *out, const summary *s, bool brief)
{
    if (!brief) fputc('\n', out);
    print_time(out, s);
    print_steps(out, s);
    print_moments(out, s, brief);
    print_values(out, s, brief);
    print_files(out, s->results);
}

void summary_details(FILE *out, const summary *s)
{
    fo_statistics all = fo_simulation_statistics(s->sim);
    print_evaluations(out, &all);
    print_guards(out, s->sim, &all);
}

// ------------------------------------------------------------------------------------------ as
// JSON

static void json_statistics(json *j, const fo_statistics *s)
{
    json_whole(j, "steps", s->steps);
    json_whole(j, "rejected", s->rejected);
    json_whole(j, "rates", s->rates);
    json_whole(j, "guard_evaluations", s->guards);
    json_whole(j, "jacobians", s->jacobians);
    json_whole(j, "factorisations", s->factorisations);
    json_whole(j, "iterations", s->iterations);
    json_whole(j, "moment_count", s->moments);
    json_whole(j, "guards", s->guard_count);
    json_whole(j, "certified", s->certified_guards);
}

static void json_moments(json *j, const moment_log *log)
{
    json_open(j, "moments", '[');
    for (size_t i = 0; log && i < log->source_count; i++) {
        const moment_source *m = &log->sources[i];
        json_open(j, NULL, '{');
        json_text(j, "name", m->name);
        json_text(j, "kind", fo_moment_kind_text(m->kind));
        json_whole(j, "count", m->count);
        json_number(j, "first", m->first);
        json_number(j, "last", m->last);
        json_close(j);
    }
    json_close(j);
}

static void json_values(json *j, const summary *s)
{
    const signals *all = &s->results->signals;
    json_open(j, "values", '{');
    for (size_t i = 0; i < all->count; i++) {
        char name[256];
        fo_system_name(fo_simulation_system(s->sim), all->list[i], name, sizeof name);
        json_number(j, name, fo_simulation_value(s->sim, all->list[i]));
    }
    json_close(j);
}

static void json_file(json *j, const char *path, size_t rows)
{
    if (!path) return;
    json_open(j, NULL, '{');
    json_text(j, "path", path);
    json_whole(j, "rows", rows);
    json_close(j);
}

void summary_json(FILE *out, const summary *s, const char *status, const char *message)
{
    json j = {.out = out};
    fo_statistics all = fo_simulation_statistics(s->sim);
    json_open(&j, NULL, '{');
    json_text(&j, "model", fo_simulation_system(s->sim).about->name);
    json_text(&j, "status", status);
    json_text(&j, "message", message);
    json_text(&j, "solver", fo_simulation_solver(s->sim)->name);
    json_number(&j, "start", s->start);
    json_number(&j, "time", fo_simulation_time(s->sim));
    if (s->restarted) json_number(&j, "restarted_at", s->from);
    json_text(&j, "time_unit", s->time_unit);
    json_number(&j, "seconds", s->seconds);
    json_statistics(&j, &all);
    json_moments(&j, s->log);
    json_values(&j, s);
    json_open(&j, "files", '[');
    json_file(&j, s->results->rows_path, s->results->row_count);
    json_file(&j, s->results->moments_path, s->results->moment_count);
    json_close(&j);
    json_close(&j);
}
