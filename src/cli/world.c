#include "cli/world.h"

#include <foliot/gnuplot.h>
#include <stdlib.h>
#include <string.h>
#include <worlds/worlds.h>

#include "cli/terminal.h"

/// A world and what its processes work on.
typedef struct opened {
    const world_model *model;
    fo_world *world;
    void *record;
} opened;

static void close_world(void *owner)
{
    opened *o = owner;
    fo_world_destroy(o->world);
    world_free(o->model, o->record);
    free(o);
}

bool world_meant(const char *argument)
{
    return world_find(argument) != NULL;
}

// What --set says is known before the world is made: the outputs may depend on it.
static void preset(void *self, const fo_variable *about, double *value)
{
    const settings *given = self;
    for (size_t i = 0; given && i < given->count; i++) {
        const setting *s = &given->list[i];
        bool allowed = (about->min == 0 && about->max == 0) ||
                       (s->value >= about->min && s->value <= about->max);
        if (allowed && strcmp(s->name, about->name) == 0) *value = s->value;
    }
}

bool world_open(const char *argument, model *m, fo_message *why)
{
    const world_model *found = world_find(argument);
    world_start start = {.catch_overflow = true, .preset = preset, .self = (void *)m->set};
    opened *o = calloc(1, sizeof *o);
    if (!o) {
        fo_fail(why, FO_ERROR_MEMORY, "out of memory");
        return false;
    }
    o->model = found;
    o->world = world_make(found, &start, &o->record, why);
    if (!o->world) {
        close_world(o);
        return false;
    }
    *m = (model){.system = fo_world_system(o->world),
                 .stop = found->stop,
                 .interval = found->interval,
                 .solver = "rkf45",
                 .rtol = found->max_rel_error,
                 .atol = found->max_abs_error,
                 .plot = found->plot,
                 .totals = found->results,
                 .world = found,
                 .time_unit = found->time_unit,
                 .owner = o,
                 .close = close_world};
    return true;
}

// ------------------------------------------------------------------------- what it has to show

/// A point of a picture.
typedef struct point {
    double x, y;
} point;

static int by_x(const void *a, const void *b)
{
    double d = ((const point *)a)->x - ((const point *)b)->x;
    return (d > 0) - (d < 0);
}

// A table whose time is x, in rising order.
static bool fill(fo_table *table, const world_graph *graph)
{
    fo_observer observer = fo_table_observer(table, NULL, 0);
    fo_message why = {0};
    point *points = calloc(graph->count, sizeof *points);
    bool fine = points != NULL;
    for (size_t i = 0; fine && i < graph->count; i++) points[i] = (point){graph->x[i], graph->y[i]};
    if (fine) qsort(points, graph->count, sizeof *points, by_x);
    for (size_t i = 0; fine && i < graph->count; i++) {
        fo_row row = {FO_ROW_SAMPLE, points[i].x, 0, &points[i].y, 1};
        fine = observer.row(observer.self, &row, &why) == FO_OK;
    }
    free(points);
    return fine;
}

static void print_picture(const world_graph *graph, FILE *out, bool ascii)
{
    const size_t first = 0;
    fo_table *table = fo_table_create(1, NULL);
    int width = terminal_width(out) - (terminal_is(out) ? 1 : 0);
    fo_plot_def def = {.table = table,
                       .signals = &first,
                       .names = &graph->y_label,
                       .count = 1,
                       .title = graph->title,
                       .x_label = graph->x_label,
                       .width = width > 110 ? 110 : width,
                       .height = 18,
                       .ascii = ascii || !terminal_has_unicode(),
                       .colour = terminal_has_colour(out)};
    if (table && fill(table, graph)) {
        fputc('\n', out);
        fo_plot(out, &def);
    }
    fo_table_destroy(table);
}

void world_report(const model *m, double now, FILE *out)
{
    const opened *o = m->owner;
    fprintf(out, "  %-17s%llu of processes\n", "events",
            (unsigned long long)fo_world_events(o->world));
    if (o->model->report) {
        fputc('\n', out);
        o->model->report(o->record, now, out);
    }
}

void world_picture(const model *m, FILE *out, bool ascii)
{
    const opened *o = m->owner;
    world_graph graph;
    bool some = o->model->graph && o->model->graph(o->record, &graph);
    if (some && graph.style != FO_CURVE_BOXES) print_picture(&graph, out, ascii); // not bars
}

fo_status world_draw(const model *m, const char *path, bool *drawn, fo_message *why)
{
    const opened *o = m->owner;
    world_graph graph;
    *drawn = false;
    if (!o->model->graph || !o->model->graph(o->record, &graph)) return FO_ERROR_ARGUMENT;
    fo_curve curve = {.x = graph.x, .y = graph.y, .count = graph.count, .style = graph.style};
    fo_gnuplot_def def = {.path = path,
                          .title = graph.title,
                          .x_label = graph.x_label,
                          .y_label = graph.y_label,
                          .curves = &curve,
                          .count = 1,
                          .format = "png"};
    return fo_gnuplot(&def, drawn, why);
}
