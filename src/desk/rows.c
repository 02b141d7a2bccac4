// Rows as columns of numbers: all of a window, or what a screen can show of it; and how two runs
// differ.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "desk/desk.h"

enum { MOST_PIXELS = 16384 };

/// What is asked of a run.
typedef struct window {
    const foi_desk_run *run;
    uint64_t from, to;  ///< rows
    bool before, after; ///< a picture has the row on that side, too
    double t0, t1;
    uint32_t pixels; ///< 0: all rows
    uint32_t *signals;
    uint32_t count;
} window;

static uint32_t request_id(const foi_desk_request *q)
{
    const foi_json_value *id = foi_json_member(q->body, "id");
    bool whole = id && id->kind == FOI_JSON_NUMBER && id->number >= 0 && id->number <= UINT32_MAX;
    return whole ? (uint32_t)id->number : 0;
}

static void read_signals(foi_desk_request *q, window *w)
{
    const foi_json_value *list = foi_json_member(q->body, "signals");
    bool good = !list || list->kind == FOI_JSON_LIST;
    w->count = !good ? 0 : list ? (uint32_t)list->count : w->run->signal_count;
    w->signals = foi_new(q->desk->allocator, w->count, sizeof *w->signals);
    if (!w->signals) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    const foi_json_value *v = list && good ? list->first : NULL;
    for (uint32_t i = 0; i < w->count; i++, v = v ? v->next : NULL) {
        w->signals[i] = i;
        if (!v) continue;
        good &= v->kind == FOI_JSON_NUMBER && v->number >= 0 && v->number < w->run->signal_count &&
                v->number == floor(v->number);
        if (good) w->signals[i] = (uint32_t)v->number;
    }
    if (!good)
        foi_desk_refuse(q, "argument", "\"signals\" must be a list of indices below %u",
                        w->run->signal_count);
}

// One row on either side of the window belongs to its picture.
static void read_window(foi_desk_request *q, window *w)
{
    uint64_t rows = foi_store_rows(w->run->store);
    double first = rows ? foi_store_time(w->run->store, 0) : 0;
    double last = rows ? foi_store_time(w->run->store, rows - 1) : 0;
    w->t0 = foi_desk_number(q, "from", first);
    w->t1 = foi_desk_number(q, "to", last);
    w->pixels = (uint32_t)foi_desk_whole(q, "pixels", 0, 0, MOST_PIXELS);
    if (!(w->t0 <= w->t1)) foi_desk_refuse(q, "argument", "the window ends before it begins");
    if (foi_desk_refused(q)) return;
    w->from = foi_store_find(w->run->store, w->t0);
    w->to = foi_store_find(w->run->store, w->t1);
    while (w->to < rows && foi_store_time(w->run->store, w->to) <= w->t1) w->to++;
    w->before = w->from && w->from < rows && w->pixels;
    w->after = w->to < rows && w->pixels;
}

// Others have their turn between pieces of it.
static void copy_column(foi_desk_request *q, const window *w, uint32_t signal, double *values)
{
    enum { ROWS = 1 << 16 };
    for (uint64_t i = w->from; i < w->to && foi_desk_go_on(q->desk); i += ROWS) {
        uint64_t to = w->to - i > ROWS ? i + ROWS : w->to;
        foi_store_copy(w->run->store, signal, i, to, values + (i - w->from));
    }
}

static void send_all(foi_desk_request *q, const window *w)
{
    uint64_t rows = w->to - w->from;
    uint32_t columns = w->count + 1;
    if (rows * columns * sizeof(double) > q->desk->def.output / 2) {
        foi_desk_refuse(q, "limit", "%llu rows of %u columns are too many for one answer",
                        (unsigned long long)rows, columns);
        return;
    }
    uint32_t *signals = foi_new(q->desk->allocator, columns, sizeof *signals);
    double *values;
    if (signals) {
        signals[0] = UINT32_MAX;
        memcpy(signals + 1, w->signals, w->count * sizeof *signals);
        foi_frame f = {.kind = FOI_FRAME_ROWS,
                       .handle = w->run->handle,
                       .id = request_id(q),
                       .first = w->from,
                       .columns = columns,
                       .rows = (uint32_t)rows,
                       .signals = signals};
        q->frame = foi_frame_create(q->desk->allocator, &f, &values, &q->frame_size);
    }
    for (uint32_t j = 0; q->frame && j < columns; j++)
        copy_column(q, w, signals[j], values + (size_t)j * rows);
    foi_free(q->desk->allocator, signals);
    if (!q->frame) foi_desk_fail(q, FO_ERROR_MEMORY);
}

/// Per signal the rows that are shown of it.
typedef struct shown {
    uint64_t *rows; ///< 5 * pixels + 2 for each signal
    uint32_t *counts, *signals;
} shown;

static void fill_pairs(const window *w, const shown *s, double *values)
{
    for (uint32_t j = 0; j < w->count; j++) {
        const uint64_t *rows = s->rows + ((size_t)5 * w->pixels + 2) * j;
        uint32_t count = s->counts[2 * j];
        for (uint32_t i = 0; i < count; i++) {
            values[i] = foi_store_time(w->run->store, rows[i]);
            values[count + i] = foi_store_value(w->run->store, rows[i], w->signals[j]);
        }
        values += (size_t)2 * count;
    }
}

static void send_picture(foi_desk_request *q, const window *w)
{
    const fo_allocator *a = q->desk->allocator;
    shown s = {foi_new(a, ((size_t)5 * w->pixels + 2) * w->count, sizeof *s.rows),
               foi_new(a, (size_t)2 * w->count, sizeof *s.counts),
               foi_new(a, (size_t)2 * w->count, sizeof *s.signals)};
    double *values;
    if (s.rows && s.counts && s.signals) {
        for (uint32_t j = 0; j < w->count && foi_desk_step_on(q->desk); j++) {
            uint64_t *rows = s.rows + ((size_t)5 * w->pixels + 2) * j;
            size_t count = 0;
            if (w->before) rows[count++] = w->from - 1;
            count += foi_store_m4(w->run->store, w->signals[j], w->from, w->to, w->t0, w->t1,
                                  w->pixels, rows + count);
            if (w->after) rows[count++] = w->to;
            s.counts[2 * j] = s.counts[2 * j + 1] = (uint32_t)count;
            s.signals[2 * j] = UINT32_MAX, s.signals[2 * j + 1] = w->signals[j];
        }
        foi_frame f = {.kind = FOI_FRAME_M4,
                       .handle = w->run->handle,
                       .id = request_id(q),
                       .first = w->from,
                       .columns = 2 * w->count,
                       .rows = 0,
                       .signals = s.signals,
                       .counts = s.counts};
        q->frame = foi_frame_create(a, &f, &values, &q->frame_size);
        if (q->frame) fill_pairs(w, &s, values);
    }
    foi_free(a, s.rows);
    foi_free(a, s.counts);
    foi_free(a, s.signals);
    if (!q->frame) foi_desk_fail(q, FO_ERROR_MEMORY);
}

void foi_desk_rows(foi_desk_request *q)
{
    window w = {.run = foi_desk_find_run(q, foi_desk_handle(q, "run"))};
    if (!w.run) return;
    read_window(q, &w);
    if (!foi_desk_refused(q)) read_signals(q, &w);
    if (!foi_desk_refused(q)) {
        foi_json_put_number(&q->answer, "run", (double)w.run->handle);
        foi_json_put_number(&q->answer, "rows", (double)foi_store_rows(w.run->store));
        if (w.pixels)
            send_picture(q, &w);
        else
            send_all(q, &w);
    }
    foi_free(q->desk->allocator, w.signals);
}

// --------------------------------------------------------------------------------------- comparing

// The value of a run at a time: on the line between the rows around it. `left`: just before a jump.
// *from: a row that is not behind it, since times only grow.
static double value_at(const foi_store *s, uint32_t column, double t, bool left, uint64_t *from)
{
    uint64_t rows = foi_store_rows(s), at = *from;
    while (at < rows && foi_store_time(s, at) < t) at++;
    *from = at;
    if (!rows || at == rows) return NAN;
    if (foi_store_time(s, at) == t) {
        while (!left && at + 1 < rows && foi_store_time(s, at + 1) == t) at++;
        return foi_store_value(s, at, column);
    }
    if (at == 0) return NAN;
    double t0 = foi_store_time(s, at - 1), t1 = foi_store_time(s, at);
    double v0 = foi_store_value(s, at - 1, column), v1 = foi_store_value(s, at, column);
    return v0 + (v1 - v0) * ((t - t0) / (t1 - t0));
}

/// How far a signal of one run is from that of another.
typedef struct difference {
    double worst, at, range;
    uint64_t compared;
} difference;

static difference compare_signal(fo_desk *desk, const foi_store *a, uint32_t i, const foi_store *b,
                                 uint32_t j)
{
    enum { ROWS = 4096 }; // then others have their turn
    difference d = {.at = NAN};
    double low = INFINITY, high = -INFINITY;
    uint64_t rows = foi_store_rows(a), from = 0;
    for (uint64_t k = 0; k < rows; k++) {
        if (k % ROWS == 0 && !foi_desk_step_on(desk)) break;
        double t = foi_store_time(a, k), v = foi_store_value(a, k, i);
        bool left = k + 1 < rows && foi_store_time(a, k + 1) == t;
        double w = value_at(b, j, t, left, &from);
        if (v < low) low = v;
        if (v > high) high = v;
        if (isnan(v) || isnan(w)) continue;
        d.compared++;
        if (fabs(v - w) > d.worst || d.compared == 1) d.worst = fabs(v - w), d.at = t;
    }
    d.range = high >= low ? high - low : 0;
    return d;
}

static void put_difference(foi_json_writer *w, const char *name, difference d)
{
    foi_json_open(w, NULL, '{', true);
    foi_json_put_text(w, "name", name);
    foi_desk_put(w, "worst", d.compared ? d.worst : NAN);
    foi_desk_put(w, "at", d.at);
    foi_desk_put(w, "range", d.range);
    foi_json_put_number(w, "compared", (double)d.compared);
    foi_json_close(w, '}');
}

static bool is_asked(const foi_json_value *list, const char *name)
{
    if (!list) return true;
    for (const foi_json_value *v = list->first; v; v = v->next)
        if (v->kind == FOI_JSON_TEXT && strcmp(v->text, name) == 0) return true;
    return false;
}

static bool has_signal(const foi_desk_run *r, const char *name)
{
    for (uint32_t i = 0; i < r->signal_count; i++)
        if (strcmp(r->names[i], name) == 0) return true;
    return false;
}

// Every name that is asked for must be one of both runs.
static void check_asked(foi_desk_request *q, const foi_json_value *list, const foi_desk_run *a,
                        const foi_desk_run *b)
{
    for (const foi_json_value *v = list ? list->first : NULL; v; v = v->next) {
        const foi_desk_run *without = NULL;
        if (v->kind != FOI_JSON_TEXT)
            foi_desk_refuse(q, "argument", "\"signals\" must be a list of names");
        else if (!has_signal(a, v->text) || !has_signal(b, v->text))
            without = has_signal(a, v->text) ? b : a;
        if (without)
            foi_desk_refuse(q, "argument", "run %llu has no signal '%s'",
                            (unsigned long long)without->handle, v->text);
        if (foi_desk_refused(q)) return;
    }
}

void foi_desk_compare(foi_desk_request *q)
{
    const foi_json_value *runs = foi_json_member(q->body, "runs");
    const foi_json_value *signals = foi_json_member(q->body, "signals");
    const foi_json_value *first = runs && runs->count == 2 ? runs->first : NULL;
    if (!first || first->kind != FOI_JSON_NUMBER || first->next->kind != FOI_JSON_NUMBER ||
        !(first->number >= 0 && first->number <= FOI_DESK_MOST) ||
        !(first->next->number >= 0 && first->next->number <= FOI_DESK_MOST) ||
        first->number != floor(first->number) || first->next->number != floor(first->next->number))
        foi_desk_refuse(q, "argument", "\"runs\" must be a list of two runs");
    if (signals && signals->kind != FOI_JSON_LIST)
        foi_desk_refuse(q, "argument", "\"signals\" must be a list of names");
    if (foi_desk_refused(q)) return;
    foi_desk_run *a = foi_desk_find_run(q, (uint64_t)first->number);
    foi_desk_run *b = foi_desk_find_run(q, (uint64_t)first->next->number);
    if (!a || !b) return;
    check_asked(q, signals, a, b);
    if (foi_desk_refused(q)) return;
    foi_desk_run_use(a), foi_desk_run_use(b); // they may be forgotten meanwhile
    foi_json_open(&q->answer, "signals", '[', true);
    for (uint32_t i = 0; i < a->signal_count; i++)
        for (uint32_t j = 0; j < b->signal_count && is_asked(signals, a->names[i]); j++)
            if (strcmp(a->names[i], b->names[j]) == 0)
                put_difference(&q->answer, a->names[i],
                               compare_signal(q->desk, a->store, i, b->store, j));
    foi_json_close(&q->answer, ']');
    foi_json_open(&q->answer, "moments", '[', true);
    foi_json_put_number(&q->answer, NULL, (double)a->moments_seen);
    foi_json_put_number(&q->answer, NULL, (double)b->moments_seen);
    foi_json_close(&q->answer, ']');
    foi_desk_run_release(q->desk, a);
    foi_desk_run_release(q->desk, b);
}
