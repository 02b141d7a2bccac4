#include "cli/run/progress.h"

#include <string.h>

#include "cli/interrupt.h"
#include "cli/terminal.h"

static const double FIRST = 0.3, EVERY = 0.1, LINE_EVERY = 10, PACE_OVER = 1; // seconds
enum { BAR = 24, LINE = 256 };

progress progress_make(FILE *out, double start)
{
    double now = clock_seconds();
    progress p = {.out = out, .begun = now, .shown = now, .start = start};
    p.mark[0] = p.mark[1] = (progress_mark){now, start};
    if (!out) return p;
    p.terminal = terminal_is(out);
    p.unicode = terminal_has_unicode();
    p.width = terminal_width(out);
    return p;
}

// "3 s", "2:05", "1:02:05"
static void put_duration(double seconds, char *text, size_t size)
{
    if (!(seconds < 360000)) {
        snprintf(text, size, "long");
        return;
    }
    int s = (int)(seconds + 0.5);
    if (s < 60)
        snprintf(text, size, "%d s", s);
    else if (s < 3600)
        snprintf(text, size, "%d:%02d", s / 60, s % 60);
    else
        snprintf(text, size, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}

static void put_bar(const progress *p, double part, char *text)
{
    const char *full = p->unicode ? "━" : "=", *rest = p->unicode ? "╌" : ".";
    int done = (int)(part * BAR + 0.5);
    *text = 0;
    for (int i = 0; i < BAR; i++) text = stpcpy(text, i < done ? full : rest);
}

// At the pace of the last seconds: that of all the time before says nothing of a run that has come
// to where it switches a million times in a millisecond.
static double time_left(progress *p, double t, double stop, double now)
{
    if (now - p->mark[1].at >= PACE_OVER) {
        p->mark[0] = p->mark[1];
        p->mark[1] = (progress_mark){now, t};
    }
    double passed = now - p->mark[0].at, way = t - p->mark[0].t;
    return way > 0 ? passed * (stop - t) / way : 1e300;
}

static void put_facts(progress *p, double t, double stop, double now, char *text)
{
    double part = (t - p->start) / (stop - p->start), passed = now - p->begun;
    char left[32];
    put_duration(time_left(p, t, stop, now), left, sizeof left);
    double steps = p->sim ? (double)fo_simulation_statistics(p->sim).steps : 0;
    snprintf(text, LINE, "%3.0f %%  t = %.6g of %.6g s  %.3g steps/s  %s left", 100 * part, t, stop,
             steps / passed, left);
}

static void put_line(progress *p, double part, const char *facts, double now)
{
    char bar[4 * BAR];
    put_bar(p, part < 0 ? 0 : part > 1 ? 1 : part, bar);
    int room = p->width - 1;
    if (!p->terminal)
        fprintf(p->out, "%s\n", facts);
    else if (room >= BAR + 2 + (int)strlen(facts))
        fprintf(p->out, "\r\033[K%s  %s", bar, facts);
    else
        fprintf(p->out, "\r\033[K%.*s", room, facts);
    fflush(p->out);
    p->drawn = p->terminal;
    p->shown = now;
}

// Neither for short runs nor all the time.
static bool is_time(const progress *p, double now)
{
    return now - p->shown >= (p->terminal ? EVERY : LINE_EVERY) && now - p->begun >= FIRST;
}

// It may be left to somebody else for a while to end the run.
static bool has_to_end(const progress *p)
{
    static const double GRACE = 0.08; // seconds
    return p->waits ? interrupt_overdue(GRACE) : interrupt_signal() != 0;
}

static fo_status watch(void *self, double t, double stop, fo_message *why)
{
    progress *p = self;
    if (has_to_end(p)) return fo_fail(why, FO_ERROR_CANCELLED, "interrupted at t = %.6g s", t);
    if (!p->out) return FO_OK;
    double now = clock_seconds();
    if (!is_time(p, now)) return FO_OK;
    char facts[LINE];
    put_facts(p, t, stop, now, facts);
    put_line(p, (t - p->start) / (stop - p->start), facts, now);
    return FO_OK;
}

void progress_count(progress *p, uint64_t done, uint64_t count, const char *things)
{
    double now = clock_seconds(), part = (double)done / (double)count;
    if (!p->out || !is_time(p, now)) return;
    char facts[LINE], left[32];
    put_duration((now - p->begun) * (1 - part) / part, left, sizeof left);
    snprintf(facts, sizeof facts, "%3.0f %%  %llu of %llu %s  %s left", 100 * part,
             (unsigned long long)done, (unsigned long long)count, things, left);
    put_line(p, part, facts, now);
}

fo_observer progress_observer(progress *p)
{
    return (fo_observer){.self = p, .progress = watch, .interval = -1};
}

void progress_end(progress *p)
{
    if (!p->drawn) return;
    fputs("\r\033[K", p->out);
    fflush(p->out);
    p->drawn = false;
}
