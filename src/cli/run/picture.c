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
    int over; ///< what they are drawn over; PICTURE_NO_X: the time
} panel;

static const char *unit_of(const picture *p, size_t signal)
{
    const fo_variable *v = fo_system_variable(p->system, p->signals.list[signal]);
    return v && v->unit ? v->unit : "";
}

static void name_of(const picture *p, size_t signal, char text[NAME])
{
    char name[NAME / 2];
    const char *unit = unit_of(p, signal);
    fo_system_name(p->system, p->signals.list[signal], name, sizeof name);
    snprintf(text, NAME, *unit ? "%s [%.32s]" : "%s", name, unit);
}

static int over_of(const picture *p, size_t signal)
{
    return p->over ? p->over[signal] : PICTURE_NO_X;
}

static bool is_curve(const picture *p, size_t signal)
{
    return !p->hidden || !p->hidden[signal];
}

// Collects the signals with the unit of the first one that is not drawn yet; those that are drawn
// over another signal with what is drawn over the same.
static panel next_panel(const picture *p, bool *drawn)
{
    panel result = {.count = 0, .over = PICTURE_NO_X};
    const char *unit = NULL;
    for (size_t i = 0; i < p->signals.count && result.count < TOGETHER; i++) {
        if (drawn[i] || !is_curve(p, i)) continue;
        if (unit && (strcmp(unit, unit_of(p, i)) != 0 || over_of(p, i) != result.over)) continue;
        unit = unit_of(p, i);
        result.over = over_of(p, i);
        name_of(p, i, result.names[result.count]);
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

// ---------------------------------------------------------------------------------------- choosing

static bool make_lists(const command *c, picture *p)
{
    p->over = calloc(p->signals.count + 1, sizeof *p->over);
    p->hidden = calloc(p->signals.count + 1, sizeof *p->hidden);
    for (size_t i = 0; p->over && i < p->signals.count; i++) p->over[i] = PICTURE_NO_X;
    if (!p->over || !p->hidden) complain(c, "out of memory");
    return p->over && p->hidden;
}

// "a,x:y" becomes "a,x,y", and the place of each ':' is kept: pairs[i] says that names i and i + 1
// were one. Colons in brackets are part of a name.
static size_t cut_pairs(char *text, bool *pairs)
{
    size_t name = 0;
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
        if (depth > 0 || (*text != ',' && *text != ':')) continue;
        pairs[name++] = *text == ':';
        *text = ',';
    }
    return name + 1;
}

bool picture_choose(const command *c, const char *text, picture *p)
{
    char *names = strdup(text);
    bool *pairs = calloc(strlen(text) + 2, sizeof *pairs);
    bool fine = names && pairs, any = false;
    size_t count = fine ? cut_pairs(names, pairs) : 0;
    for (size_t i = 0; i < count; i++) any |= pairs[i];
    if (!fine) complain(c, "out of memory");
    fine = fine && signals_parse(c, names, p->system, &p->signals) && make_lists(c, p);
    if (fine && any && p->signals.count != count) {
        complain_usage(c, "patterns do not go with 'x:y', found '%s'", text);
        fine = false;
    }
    for (size_t i = 0; fine && i + 1 < count; i++)
        if (pairs[i]) p->hidden[i] = true, p->over[i + 1] = (int)i;
    free(names);
    free(pairs);
    return fine;
}

// "graph.y" or "graph.y[2]" to "graph.x" or "graph.x[2]".
static int partner(const picture *p, size_t signal)
{
    char mine[NAME], wanted[NAME], other[NAME];
    fo_system_name(p->system, p->signals.list[signal], mine, sizeof mine);
    snprintf(wanted, sizeof wanted, "%s", mine);
    char *dot = strrchr(wanted, '.');
    if (!dot || dot[1] != 'y') return PICTURE_NO_X;
    dot[1] = 'x';
    for (size_t i = 0; i < p->signals.count; i++)
        if (strcmp(fo_system_name(p->system, p->signals.list[i], other, sizeof other), wanted) == 0)
            return (int)i;
    return PICTURE_NO_X;
}

bool picture_choose_usual(const command *c, const fo_model *m, const char *const *names, picture *p)
{
    const fo_diagram *d = fo_model_diagram(m);
    if (!signals_find(c, names, p->system, &p->signals) || !make_lists(c, p)) return false;
    size_t curves = p->signals.count;
    for (size_t i = 0; d && i < p->signals.count; i++) {
        char name[NAME];
        fo_system_name(p->system, p->signals.list[i], name, sizeof name);
        const char *type = fo_diagram_sink_type(d, name);
        bool display = type && strcmp(type, "Display") == 0; // shows numbers, and no curve
        int x = type && strcmp(type, "XY Graph") == 0 ? partner(p, i) : PICTURE_NO_X;
        if (display && !p->hidden[i]) p->hidden[i] = true, curves--;
        if (x == PICTURE_NO_X) continue;
        p->over[i] = x;
        if (!p->hidden[x]) p->hidden[x] = true, curves--;
    }
    for (size_t i = 0; !curves && i < p->signals.count; i++) p->hidden[i] = false;
    return true;
}

void picture_free(picture *p)
{
    signals_free(&p->signals);
    free(p->over);
    free(p->hidden);
    p->over = NULL, p->hidden = NULL;
}

// ----------------------------------------------------------------------------------------- drawing

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
    size_t over[TOGETHER];
    char time[NAME];
    snprintf(time, sizeof time, "time [%.16s]", p->time_unit ? p->time_unit : "s");
    if (one->over != PICTURE_NO_X) name_of(p, (size_t)one->over, time);
    for (size_t i = 0; i < one->count; i++) names[i] = one->names[i], over[i] = (size_t)one->over;
    fo_plot_def def = {.table = p->table,
                       .signals = one->signals,
                       .over = one->over == PICTURE_NO_X ? NULL : over,
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

fo_status picture_print(const picture *p, FILE *out, int room)
{
    bool drawn[64] = {false};
    if (!p->table || p->signals.count > sizeof drawn) return FO_OK;
    size_t panels = panel_count(p), most = room > LOWEST ? (size_t)(room / LOWEST) : 1;
    if (!panels) return FO_OK;
    if (room && panels > most && p->asked) room = LOWEST * (int)panels;
    if (room && panels > most && !p->asked) panels = most;
    int width = p->width ? p->width : terminal_width(out) - (terminal_is(out) ? 1 : 0);
    frame where = {.out = out,
                   .width = width > 110 ? 110 : width,
                   .height = panel_height(panels, room),
                   .colour = p->colour || terminal_has_colour(out)};
    for (size_t i = 0; i < panels; i++) {
        panel one = next_panel(p, drawn);
        if (!room) fputc('\n', out);
        fo_status status = print_panel(p, &one, i ? NULL : p->system.about->name, &where);
        if (fo_failed(status)) return status;
    }
    return FO_OK;
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

bool gnuplot_asked(const command *c, const char *path, const char *size, gnuplot_request *g)
{
    static const char *const formats[] = {"svg", "png", "pdf"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    *g = (gnuplot_request){.format = "png"};
    if (strlen(path) >= sizeof g->path) {
        complain_usage(c, "--gnuplot: the path is too long");
        return false;
    }
    strcpy(g->path, path);
    for (int i = 0; dot && dot > path && i < 3; i++)
        if (strcmp(dot + 1, formats[i]) == 0) g->format = formats[i], g->path[dot - path] = 0;
    char end;
    if (!size || (sscanf(size, "%lfx%lf%c", &g->width, &g->height, &end) == 2 && g->width >= 50 &&
                  g->height >= 50 && g->width <= 20000 && g->height <= 20000))
        return true;
    complain_usage(c, "--size needs WIDTHxHEIGHT in dots, from 50x50 to 20000x20000, not '%s'",
                   size);
    return false;
}

/// All that a definition points to.
typedef struct drawing {
    fo_curve *curves;
    fo_panel *panels;
    char (*names)[NAME], (*labels)[NAME];
    double *columns; ///< time, then the signals
    size_t curve_count, panel_count;
} drawing;

// "rad", or the name where a panel has one curve.
static const char *label_of(const picture *p, const panel *one, char *text)
{
    const char *unit = unit_of(p, one->signals[0]);
    if (one->count == 1)
        snprintf(text, NAME, "%s", one->names[0]);
    else
        snprintf(text, NAME, *unit ? "[%.32s]" : "%s", unit);
    return text;
}

// Whether a signal is constant between jumps, as counters and held outputs are: the value changes
// only between rows of one time.
static bool steps_alone(const double *t, const double *y, size_t rows)
{
    size_t jumps = 0;
    for (size_t i = 1; i < rows; i++) {
        if (y[i] == y[i - 1]) continue;
        if (t[i] != t[i - 1]) return false;
        jumps++;
    }
    return jumps > 0;
}

static void add_panel(const picture *p, drawing *d, const panel *one, const char *time)
{
    size_t rows = fo_table_rows(p->table), k = d->panel_count;
    fo_panel *to = &d->panels[k];
    to->x_label = time, to->marked = one->over == PICTURE_NO_X;
    if (one->over != PICTURE_NO_X) {
        name_of(p, (size_t)one->over, d->names[p->signals.count + k]);
        to->x_label = d->names[p->signals.count + k];
    }
    to->y_label = label_of(p, one, d->labels[k]);
    for (size_t i = 0; i < one->count; i++) {
        size_t signal = one->signals[i];
        const double *values = d->columns + (signal + 1) * rows;
        bool discrete = to->marked && (p->signals.list[signal].quantity == FO_DISCRETE ||
                                       steps_alone(d->columns, values, rows));
        name_of(p, signal, d->names[signal]);
        d->curves[d->curve_count++] =
            (fo_curve){.name = d->names[signal],
                       .x = d->columns + (to->marked ? 0 : (size_t)one->over + 1) * rows,
                       .y = values,
                       .count = rows,
                       .style = discrete ? FO_CURVE_STEPS : FO_CURVE_LINES,
                       .panel = (unsigned)k};
    }
    d->panel_count++;
}

static bool make_drawing(const picture *p, drawing *d, const char *time)
{
    size_t count = p->signals.count, rows = fo_table_rows(p->table);
    bool drawn[64] = {false};
    *d = (drawing){.curves = calloc(count, sizeof *d->curves),
                   .panels = calloc(count, sizeof *d->panels),
                   .names = calloc(2 * count, sizeof *d->names),
                   .labels = calloc(count, sizeof *d->labels),
                   .columns = calloc((count + 1) * rows, sizeof *d->columns)};
    if (!d->curves || !d->panels || !d->names || !d->labels || !d->columns) return false;
    for (size_t row = 0; row < rows; row++) {
        d->columns[row] = fo_table_time(p->table, row);
        for (size_t i = 0; i < count; i++)
            d->columns[(i + 1) * rows + row] = fo_table_value(p->table, row, i);
    }
    for (panel one = next_panel(p, drawn); one.count; one = next_panel(p, drawn))
        add_panel(p, d, &one, time);
    return true;
}

static void free_drawing(drawing *d)
{
    free(d->curves);
    free(d->panels);
    free(d->names);
    free(d->labels);
    free(d->columns);
}

fo_status picture_draw(const picture *p, const gnuplot_request *g, const double *marks,
                       size_t mark_count, bool *drawn, fo_message *why)
{
    size_t count = p->signals.count, rows = p->table ? fo_table_rows(p->table) : 0;
    drawing d;
    char time[32];
    if (!rows || !count || count > 64)
        return fo_fail(why, FO_ERROR_ARGUMENT, "there is nothing to draw");
    snprintf(time, sizeof time, "time [%.16s]", p->time_unit ? p->time_unit : "s");
    fo_status status = FO_ERROR_MEMORY;
    if (make_drawing(p, &d, time)) {
        fo_gnuplot_def def = {.path = g->path,
                              .title = p->system.about->name,
                              .curves = d.curves,
                              .count = d.curve_count,
                              .format = g->format,
                              .panels = d.panels,
                              .panel_count = d.panel_count,
                              .marks = marks,
                              .mark_count = mark_count,
                              .width = g->width,
                              .height = g->height};
        status = fo_gnuplot(&def, drawn, why);
    } else
        fo_fail(why, FO_ERROR_MEMORY, "out of memory");
    free_drawing(&d);
    return status;
}
