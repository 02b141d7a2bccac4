// The pictures of foliot run --gnuplot.
#include <stdio.h>
#include <stdlib.h>

#include "cli/listing.h"
#include "cli/replace.h"
#include "cli/run/run.h"
#include "cli/run/world.h"
#include "cli/surface.h"

// A field of two dimensions as it is at the end.
static fo_status draw_field(const run *r, bool *drawn, fo_message *why)
{
    surface s;
    bool made = !r->ranks && !r->options.plot.value && surface_make(&s, r->model);
    if (!made) return FO_ERROR_ARGUMENT;
    double *values = calloc(s.count + 1, sizeof *values);
    fo_status status = s.field && s.dimensions > 1 ? FO_OK : FO_ERROR_ARGUMENT;
    char title[128];
    snprintf(title, sizeof title, "%.80s at t = %.6g %s", r->system.about->name,
             fo_simulation_time(r->sim), fo_model_time_unit(r->model));
    for (size_t i = 0; values && i < s.count; i++)
        values[i] = fo_simulation_value(r->sim, s.signals[i]);
    const fo_grid_picture grid = {.values = values,
                                  .columns = s.size[0],
                                  .rows = s.size[1],
                                  .width = s.length[0],
                                  .height = s.length[1],
                                  .x_label = "x [m]",
                                  .y_label = "y [m]"};
    const fo_gnuplot_def def = {.path = r->gnuplot.path,
                                .title = title,
                                .format = r->gnuplot.format,
                                .width = r->gnuplot.width,
                                .height = r->gnuplot.height,
                                .grid = &grid};
    if (status == FO_OK && !values) status = fo_fail(why, FO_ERROR_MEMORY, "out of memory");
    if (status == FO_OK) status = fo_gnuplot(&def, drawn, why);
    free(values);
    surface_free(&s);
    return status;
}

// The model's own picture where it has one, otherwise what --plot shows.
fo_status run_draw(const run *r, fo_message *why)
{
    const char *path = r->gnuplot.path;
    bool drawn = false;
    fo_status status = replace_plots_unchanged(r->gnuplot.seen, path, r->gnuplot.format, why);
    if (fo_failed(status)) return status;
    status = FO_ERROR_ARGUMENT;
    if (r->world) status = world_draw(r->model, &r->gnuplot, &drawn, why);
    if (status == FO_ERROR_ARGUMENT) status = draw_field(r, &drawn, why);
    if (status == FO_ERROR_ARGUMENT) {
        double *marks = calloc(r->log.list_count + 1, sizeof *marks);
        for (size_t i = 0; marks && i < r->log.list_count; i++) marks[i] = r->log.list[i].t;
        if (!marks || r->log.lost)
            status = fo_fail(why, FO_ERROR_MEMORY, "no memory for the moments of the picture");
        else
            status = picture_draw(&r->picture, &r->gnuplot, marks, r->log.list_count, &drawn, why);
        free(marks);
    }
    if (fo_failed(status) || !r->out) return status;
    const char *const endings[] = {".dat, ", ".gp", "."};
    fprintf(r->out, "  %-13s", "written");
    for (int i = 0; i < (drawn ? 3 : 2); i++) {
        if (i == 2) fputs(", ", r->out);
        print_plain(r->out, path);
        fputs(endings[i], r->out);
    }
    fprintf(r->out, "%s\n", drawn ? r->gnuplot.format : "; there is no gnuplot here to draw them");
    return status;
}
