#include "cli/run/world.h"

#include <foliot/gnuplot.h>
#include <stdlib.h>

#include "cli/terminal.h"

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
static bool fill(fo_table *table, const fo_world_graph *graph)
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

static void print_picture(const fo_world_graph *graph, FILE *out, bool ascii, int room)
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
                       .height = !room       ? 18
                                 : room > 24 ? 24
                                             : room,
                       .ascii = ascii || !terminal_has_unicode(),
                       .colour = terminal_has_colour(out)};
    if (table && fill(table, graph)) {
        if (!room) fputc('\n', out);
        fo_plot(out, &def);
    }
    fo_table_destroy(table);
}

void world_report(const fo_model *m, double now, FILE *out)
{
    fo_world *world;
    void *record;
    const fo_world_model *about = fo_model_world(m, &world, &record);
    fprintf(out, "  %-13s%llu of processes\n", "events",
            (unsigned long long)fo_world_events(world));
    if (about->report) {
        fputc('\n', out);
        about->report(record, now, out);
    }
}

bool world_picture(const fo_model *m, FILE *out, bool ascii, int room)
{
    void *record;
    fo_world_graph graph;
    const fo_world_model *about = fo_model_world(m, NULL, &record);
    bool some = about->graph && about->graph(record, &graph);
    if (!some || graph.style == FO_CURVE_BOXES) return false; // bars stand in the report
    if (out) print_picture(&graph, out, ascii, room);
    return true;
}

fo_status world_draw(const fo_model *m, const gnuplot_request *g, bool *drawn, fo_message *why)
{
    void *record;
    fo_world_graph graph;
    const fo_world_model *about = fo_model_world(m, NULL, &record);
    *drawn = false;
    if (!about->graph || !about->graph(record, &graph)) return FO_ERROR_ARGUMENT;
    fo_curve curve = {.x = graph.x, .y = graph.y, .count = graph.count, .style = graph.style};
    fo_gnuplot_def def = {.path = g->path,
                          .title = graph.title,
                          .x_label = graph.x_label,
                          .y_label = graph.y_label,
                          .curves = &curve,
                          .count = 1,
                          .width = g->width,
                          .height = g->height,
                          .format = g->format};
    return fo_gnuplot(&def, drawn, why);
}
