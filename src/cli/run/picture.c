#include "cli/run/picture.h"

#include <foliot/gnuplot.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

enum { NAME = 96, TOGETHER = 8 };

/// The signals of one unit.
typedef struct panel {
    size_t signals[TOGETHER];
    char names[TOGETHER][NAME];
    size_t count;
} panel;

static const char *unit_of(const picture *p, size_t signal)
{
    const fo_variable *v = fo_system_variable(p->system, p->signals.list[signal]);
    return v && v->unit ? v->unit : "";
}

// Collects the signals with the unit of the first one that is not drawn yet.
static panel next_panel(const picture *p, bool *drawn)
{
    panel result = {.count = 0};
    const char *unit = NULL;
    for (size_t i = 0; i < p->signals.count && result.count < TOGETHER; i++) {
        if (drawn[i] || (unit && strcmp(unit, unit_of(p, i)) != 0)) continue;
        unit = unit_of(p, i);
        char name[NAME / 2];
        fo_system_name(p->system, p->signals.list[i], name, sizeof name);
        snprintf(result.names[result.count], NAME, *unit ? "%s [%.32s]" : "%s", name, unit);
        result.signals[result.count++] = i;
        drawn[i] = true;
    }
    return result;
}

static size_t panel_count(const picture *p)
{
    bool drawn[64] = {false};
    size_t count = 0;
    while (next_panel(p, drawn).count) count++;
    return count;
}

/// Where a picture goes.
typedef struct frame {
    FILE *out;
    int width, height; ///< of one panel
    bool colour;
} frame;

static fo_status print_panel(const picture *p, const panel *one, const char *title,
                             const frame *where)
{
    const char *names[TOGETHER];
    char time[32];
    snprintf(time, sizeof time, "time [%.16s]", p->time_unit ? p->time_unit : "s");
    for (size_t i = 0; i < one->count; i++) names[i] = one->names[i];
    fo_plot_def def = {.table = p->table,
                       .signals = one->signals,
                       .names = names,
                       .count = one->count,
                       .title = title,
                       .x_label = time,
                       .width = where->width,
                       .height = where->height,
                       .ascii = p->ascii || !terminal_has_unicode(),
                       .colour = where->colour};
    return fo_plot(where->out, &def);
}

enum { LOWEST = 7 }; // lines of a panel in which something can be seen

static int panel_height(size_t panels, int room)
{
    if (!room) return panels == 1 ? 18 : panels == 2 ? 13 : 10;
    int height = room / (int)panels;
    return height > 24 ? 24 : height;
}

void picture_print(const picture *p, FILE *out, int room)
{
    bool drawn[64] = {false};
    if (!p->table || p->signals.count > sizeof drawn) return;
    size_t panels = panel_count(p), most = room > LOWEST ? (size_t)(room / LOWEST) : 1;
    if (!panels) return;
    if (room && panels > most && p->asked) room = LOWEST * (int)panels;
    if (room && panels > most && !p->asked) panels = most;
    int width = terminal_width(out) - (terminal_is(out) ? 1 : 0);
    frame where = {.out = out,
                   .width = width > 110 ? 110 : width,
                   .height = panel_height(panels, room),
                   .colour = terminal_has_colour(out)};
    for (size_t i = 0; i < panels; i++) {
        panel one = next_panel(p, drawn);
        if (!room) fputc('\n', out);
        if (fo_failed(print_panel(p, &one, i ? NULL : p->system.about->name, &where))) return;
    }
}

void picture_print_within(const picture *p, FILE *out, int width, int height, bool colour)
{
    bool drawn[64] = {false};
    if (!p->table || p->signals.count > sizeof drawn) return;
    int panels = (int)panel_count(p);
    if (panels > height / LOWEST) panels = height / LOWEST;
    if (panels < 1) return;
    frame where = {out, width, height / panels, colour};
    for (int i = 0; i < panels; i++) {
        panel one = next_panel(p, drawn);
        if (fo_failed(print_panel(p, &one, NULL, &where))) return;
    }
}

// ------------------------------------------------------------------------------- through gnuplot

// One curve for each signal; the columns lie one after the other, the time first.
static void fill_curves(const picture *p, fo_curve *curves, char (*names)[NAME], double *columns)
{
    size_t rows = fo_table_rows(p->table);
    for (size_t row = 0; row < rows; row++) columns[row] = fo_table_time(p->table, row);
    for (size_t i = 0; i < p->signals.count; i++) {
        double *y = columns + (i + 1) * rows;
        for (size_t row = 0; row < rows; row++) y[row] = fo_table_value(p->table, row, i);
        char name[NAME / 2];
        fo_system_name(p->system, p->signals.list[i], name, sizeof name);
        snprintf(names[i], NAME, *unit_of(p, i) ? "%s [%.32s]" : "%s", name, unit_of(p, i));
        curves[i] = (fo_curve){.name = names[i], .x = columns, .y = y, .count = rows};
    }
}

fo_status picture_draw(const picture *p, const char *path, bool *drawn, fo_message *why)
{
    size_t count = p->signals.count, rows = p->table ? fo_table_rows(p->table) : 0;
    if (!rows || !count) return fo_fail(why, FO_ERROR_ARGUMENT, "there is nothing to draw");
    fo_curve *curves = calloc(count, sizeof *curves);
    char(*names)[NAME] = calloc(count, sizeof *names);
    double *columns = calloc((count + 1) * rows, sizeof *columns);
    fo_status status = FO_ERROR_MEMORY;
    if (curves && names && columns) {
        char time[32];
        snprintf(time, sizeof time, "time [%.16s]", p->time_unit ? p->time_unit : "s");
        fill_curves(p, curves, names, columns);
        fo_gnuplot_def def = {.path = path,
                              .title = p->system.about->name,
                              .x_label = time,
                              .curves = curves,
                              .count = count,
                              .format = "png"};
        status = fo_gnuplot(&def, drawn, why);
    } else
        fo_fail(why, FO_ERROR_MEMORY, "out of memory");
    free(curves);
    free(names);
    free(columns);
    return status;
}
