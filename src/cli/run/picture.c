#include "cli/run/picture.h"

#include <foliot/gnuplot.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/text_stream.h"
#include "cli/terminal.h"

enum { NAME = 96, TOGETHER = 8, MOST_SIGNALS = 64 };

/// The signals of one unit.
typedef struct panel {
    size_t signals[TOGETHER];
    char names[TOGETHER][NAME];
    size_t count;
    int over; ///< what the first is drawn over; PICTURE_NO_X: the time
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

static int graph_of(const picture *p, size_t signal)
{
    return p->graph ? p->graph[signal] : 0;
}

static bool is_curve(const picture *p, size_t signal)
{
    return !p->hidden || !p->hidden[signal];
}

static bool go_together(const picture *p, size_t a, size_t b)
{
    int graph = graph_of(p, a);
    if (strcmp(unit_of(p, a), unit_of(p, b)) != 0 || graph != graph_of(p, b)) return false;
    return graph || over_of(p, a) == over_of(p, b);
}

// Collects the signals with the unit of the first one that is not drawn yet; those that are drawn
// over another signal with what is drawn over the same, or by the same graph.
static panel next_panel(const picture *p, bool *drawn)
{
    panel result = {.count = 0, .over = PICTURE_NO_X};
    for (size_t i = 0; i < p->signals.count && result.count < TOGETHER; i++) {
        if (drawn[i] || !is_curve(p, i)) continue;
        if (result.count && !go_together(p, result.signals[0], i)) continue;
        if (!result.count) result.over = over_of(p, i);
        name_of(p, i, result.names[result.count]);
        result.signals[result.count++] = i;
        drawn[i] = true;
    }
    return result;
}

static size_t panel_count(const picture *p)
{
    bool drawn[MOST_SIGNALS] = {false};
    size_t count = 0;
    while (next_panel(p, drawn).count) count++;
    return count;
}

// ---------------------------------------------------------------------------------------- choosing

static bool make_lists(const command *c, picture *p)
{
    p->over = calloc(p->signals.count + 1, sizeof *p->over);
    p->hidden = calloc(p->signals.count + 1, sizeof *p->hidden);
    p->graph = calloc(p->signals.count + 1, sizeof *p->graph);
    for (size_t i = 0; p->over && i < p->signals.count; i++) p->over[i] = PICTURE_NO_X;
    bool made = p->over && p->hidden && p->graph;
    if (!made) complain(c, "out of memory");
    return made;
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

static int place_of(const picture *p, uint32_t output)
{
    for (size_t i = 0; i < p->signals.count; i++)
        if (p->signals.list[i].quantity == FO_OUTPUT && p->signals.list[i].index == output)
            return (int)i;
    return PICTURE_NO_X;
}

// The first input of an XY Graph over its second, element by element.
static void pair_graph(picture *p, int graph, const fo_diagram_seen *y, const fo_diagram_seen *x)
{
    uint32_t count = y->rows * y->columns;
    bool single = x->rows * x->columns == 1;
    for (uint32_t i = 0; i < count; i++) {
        int above = place_of(p, y->output + i), below = place_of(p, x->output + (single ? 0 : i));
        if (above == PICTURE_NO_X || below == PICTURE_NO_X) continue;
        p->over[above] = below;
        p->graph[above] = graph;
        p->hidden[below] = true;
    }
}

bool picture_choose_usual(const command *c, const fo_model *m, const char *const *names, picture *p)
{
    const fo_diagram *d = fo_model_diagram(m);
    fo_diagram_seen y, x;
    if (!signals_find(c, names, p->system, &p->signals) || !make_lists(c, p)) return false;
    for (size_t i = 0; d && fo_diagram_sink(d, i, &y); i++)
        if (strcmp(y.type, "XY Graph") == 0 && y.input == 0 && fo_diagram_sink(d, i + 1, &x))
            pair_graph(p, (int)i + 1, &y, &x);
    return true;
}

void picture_free(picture *p)
{
    signals_free(&p->signals);
    free(p->over);
    free(p->hidden);
    free(p->graph);
    p->over = p->graph = NULL, p->hidden = NULL;
}

// ----------------------------------------------------------------------------------------- drawing

/// Where a picture goes.
typedef struct frame {
    FILE *out;
    int width, height; ///< of one panel
    bool colour;
} frame;

// The name of what is drawn to the right; of a graph's many elements that of all: "graph.x".
static void name_right(const picture *p, const panel *one, char text[NAME])
{
    name_of(p, (size_t)one->over, text);
    bool several = false;
    for (size_t i = 1; i < one->count; i++) several |= over_of(p, one->signals[i]) != one->over;
    char *bracket = several ? strrchr(text, '[') : NULL;
    if (bracket) *bracket = 0;
}

static fo_status print_panel(const picture *p, const panel *one, const char *title,
                             const frame *where)
{
    const char *names[TOGETHER];
    size_t over[TOGETHER];
    char time[NAME];
    snprintf(time, sizeof time, "time [%.16s]", p->time_unit ? p->time_unit : "s");
    if (one->over != PICTURE_NO_X) name_right(p, one, time);
    for (size_t i = 0; i < one->count; i++)
        names[i] = one->names[i], over[i] = (size_t)over_of(p, one->signals[i]);
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

static fo_status print_panels(const picture *p, const frame *where, size_t panels, bool room,
                              const char *title)
{
    bool drawn[MOST_SIGNALS] = {false};
    fo_status status = FO_OK;
    for (size_t i = 0; i < panels && !fo_failed(status); i++) {
        panel one = next_panel(p, drawn);
        if (!room) fputc('\n', where->out);
        status = print_panel(p, &one, i ? NULL : title, where);
    }
    return status;
}

static int count_lines(const char *text)
{
    int count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

// As many panels as have room. A legend of several lines makes a panel higher than its part, and
// a panel without its legend says nothing: then there is one panel less.
static fo_status print_fitting(const picture *p, const frame *where, size_t panels, int room,
                               const char *title)
{
    for (;; panels--) {
        foi_text_stream text;
        frame inside = *where;
        if (!foi_text_open(&text, NULL)) return FO_ERROR_MEMORY;
        inside.out = text.out, inside.height = panel_height(panels, room);
        fo_status status = print_panels(p, &inside, panels, true, title);
        if (!foi_text_close(&text)) status = FO_ERROR_MEMORY;
        bool fits = panels == 1 || fo_failed(status) || count_lines(text.text) <= room;
        if (fits && !fo_failed(status)) fputs(text.text, where->out);
        foi_text_free(&text);
        if (fits) return status;
    }
}

fo_status picture_print(const picture *p, FILE *out, int room)
{
    if (!p->table || p->signals.count > MOST_SIGNALS) return FO_OK;
    size_t panels = panel_count(p), most = room > LOWEST ? (size_t)(room / LOWEST) : 1;
    if (!panels) return FO_OK;
    int width = p->width ? p->width : terminal_width(out) - (terminal_is(out) ? 1 : 0);
    frame where = {.out = out,
                   .width = width > 110 ? 110 : width,
                   .colour = p->colour || terminal_has_colour(out)};
    const char *title = p->system.about->name;
    if (room && !p->asked)
        return print_fitting(p, &where, panels > most ? most : panels, room, title);
    if (room && panels > most) room = LOWEST * (int)panels;
    where.height = panel_height(panels, room);
    return print_panels(p, &where, panels, room, title);
}

void picture_print_within(const picture *p, FILE *out, int width, int height, bool colour)
{
    if (!p->table || p->signals.count > MOST_SIGNALS) return;
    size_t panels = panel_count(p), most = height > LOWEST ? (size_t)(height / LOWEST) : 1;
    const frame where = {.out = out, .width = width, .colour = colour};
    if (panels && height >= LOWEST)
        print_fitting(p, &where, panels > most ? most : panels, height, NULL);
}

// ------------------------------------------------------------------------------- through gnuplot

// Any other ending is part of the name: "run.1" gives run.1.png.
static bool is_other_picture(const char *ending)
{
    static const char *const others[] = {"eps",  "ps",   "jpg", "jpeg", "gif", "bmp", "tif",
                                         "tiff", "webp", "emf", "tex",  "htm", "html"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasecmp(ending, others[i]) == 0) return true;
    return false;
}

bool gnuplot_asked(const command *c, const char *path, const char *size, const char *usual,
                   gnuplot_request *g)
{
    static const char *const formats[] = {"svg", "png", "pdf"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    *g = (gnuplot_request){.format = usual};
    if (strlen(path) >= sizeof g->path) {
        complain_usage(c, "--gnuplot: the path is too long");
        return false;
    }
    if (!foi_text_is_plain(path,
                           "")) { // gnuplot does not find such a file, and shows its name as it is
        complain_usage(c, "--gnuplot: the name has characters that control the terminal: '%s'",
                       path);
        return false;
    }
    if (dot && dot > path && is_other_picture(dot + 1)) {
        complain_usage(c, "--gnuplot: a picture is called *.svg, *.pdf or *.png, not '%s'", path);
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
        name_right(p, one, d->names[p->signals.count + k]);
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
                       .x = d->columns + (to->marked ? 0 : (size_t)over_of(p, signal) + 1) * rows,
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
    bool drawn[MOST_SIGNALS] = {false};
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
    if (!rows || !count || count > MOST_SIGNALS)
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
