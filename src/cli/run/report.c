// What foliot run prints: how it goes, how it went, plots.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "cli/fmu_texts.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/run/run.h"
#include "cli/run/span.h"
#include "cli/run/summary.h"
#include "cli/run/world.h"
#include "cli/surface.h"
#include "cli/terminal.h"

void run_announce(const run *r)
{
    const fo_description *about = r->system.about;
    char reason[256];
    if (!r->out) return;
    fprintf(r->out, "%s, until %s %s\n", about->name, span_of(r->def.start, r->def.stop, 6).to,
            fo_model_time_unit(r->model));
    if (fo_system_shape(r->system).states) {
        model_solver_reason(r->sim, r->options.solver, reason, sizeof reason);
        print_wrapped_from(r->out, reason, fprintf(r->out, "solver "), 2,
                           terminal_listing_width(r->out) - 1);
        fputc('\n', r->out);
    }
    fflush(r->out);
}

/// How a program or a diagram was run.
static void print_way(const run *r)
{
    char text[256];
    bool program = fo_is_program(fo_model_system(r->model));
    if (*fo_model_how(r->model, text, sizeof text))
        fprintf(r->out, "  %-13s%s\n", program ? "program" : "diagram", text);
}

// The signals whose last values are told: what is plotted, or what would be.
static bool find_main(const run *r, signals *list)
{
    const char *const *plot = fo_model_plot(r->model);
    if (r->picture.signals.count) return false;
    if (r->ranks) return false;
    return plot ? signals_find(r->command, plot, r->system, list)
                : signals_rows(r->command, r->model, PLOT_SIGNALS, list);
}

fo_status run_check_end(const run *r, fo_status status, fo_message *why)
{
    signals main = {0};
    if (fo_failed(status) || r->ranks || r->world) return status;
    bool found = find_main(r, &main);
    const signals *told = found ? &main : &r->picture.signals;
    fo_system system = fo_simulation_system(r->sim);
    char name[96];
    for (size_t i = 0; i < told->count && !fo_failed(status); i++) {
        double value = fo_simulation_value(r->sim, told->list[i]);
        if (told->list[i].quantity != FO_OUTPUT || isfinite(value)) continue;
        status = fo_fail(why, FO_ERROR_NUMBER, "the output '%s' is %s at t = %.15g or before",
                         fo_system_name(system, told->list[i], name, sizeof name),
                         isnan(value) ? "not a number"
                         : value < 0  ? "minus infinity"
                                      : "infinite",
                         fo_simulation_time(r->sim));
    }
    signals_free(&main);
    return status;
}

// The boundary layers of a text whose constraints slide.
static void print_manifolds(const run *r)
{
    fo_manifolds used;
    const fo_text_model *text = fo_model_text(r->model);
    if (!r->options.dae || strcmp(r->options.dae, "spsm") != 0 || !text) return;
    uint32_t count = fo_text_model_manifolds(text, &used);
    if (count)
        fprintf(r->out, "  %-13s%u, mu = %g s, epsilon = %g s\n", "manifolds", count, used.mu,
                used.epsilon);
    else
        fprintf(r->out, "  %-13snone: no constraint between states is hidden\n", "manifolds");
}

static void print_poles(const run *r)
{
    fprintf(r->out, "  %-13s%s", "poles", r->notes.pole);
    if (r->notes.poles > 1) fprintf(r->out, ", and %" PRIu64 " more", r->notes.poles - 1);
    fprintf(r->out, "\n");
}

static void print_details(const run *r, const summary *s, fo_status status)
{
    bool shared = r->ranks && !r->options.quiet && !fo_failed(status);
    summary_details(r->out, s);
    moment_log_print_stays(r->out, &r->log, fo_simulation_time(s->sim), s->time_unit);
    if (r->keep.written) {
        fprintf(r->out, "  %-13s", "checkpoint");
        print_plain(r->out, r->options.keep.checkpoint);
        fprintf(r->out, ", at t = %.6g %s\n", r->keep.at, s->time_unit);
    }
    print_way(r);
    print_manifolds(r);
    if (r->notes.poles) print_poles(r);
    if (*r->notes.chatter) fprintf(r->out, "  %-13s%s\n", "chatters", r->notes.chatter);
    if (!fo_failed(status)) fmu_texts_print(fo_model_fmu(r->model), r->out);
    if (shared) ranks_print(r->out, r->ranks);
    if (r->world && !fo_failed(status)) // otherwise its results are not those of a run
        world_report(r->model, fo_simulation_time(r->sim), r->out);
}

static void print_stop(const run *r)
{
    double t = fo_simulation_time(r->sim);
    if (r->world)
        fprintf(r->out, "  the model ended at t = %.6g %s\n", t, fo_model_time_unit(r->model));
    else
        fprintf(r->out, "  stopped at t = %.6g s by the model: %s\n", t, keep_stopped(&r->keep));
}

/// How many lines a plot may have on the terminal, so that what follows it is in view, too; 0: any.
static int plot_room(const run *r, FILE *out)
{
    if (!r->out || !terminal_is(out)) return 0;
    int room = terminal_height(out) - SUMMARY_LINES - 1; // and the shell's prompt
    return room < 7 ? 7 : room;
}

/// The model in space at the end, where it has such a picture and no other was asked for.
static char *draw_surface(const run *r, int width, int height, fo_graphics graphics)
{
    surface s;
    foi_text_stream text = {0};
    char title[96];
    if (r->ranks || r->options.plot.value) return NULL;
    bool made = surface_make(&s, r->model);
    if (!made && !s.lacked) return NULL;
    double *values = made ? calloc(s.count + 1, sizeof *values) : NULL;
    for (size_t i = 0; values && i < s.count; i++)
        values[i] = fo_simulation_value(r->sim, s.signals[i]);
    snprintf(title, sizeof title, "at t = %.6g %s", fo_simulation_time(r->sim),
             fo_model_time_unit(r->model));
    FILE *to = r->out ? r->out : stdout;
    const surface_frame frame = {.width = width,
                                 .height = height,
                                 .title = title,
                                 .ascii = r->options.ascii || !terminal_has_unicode(),
                                 .colour = terminal_has_colour(to),
                                 .graphics = graphics};
    bool open = values && foi_text_open(&text, NULL);
    fo_status status = open ? surface_print(&s, values, text.out, &frame) : FO_ERROR_MEMORY;
    free(values);
    surface_free(&s);
    char *drawn = foi_text_take(&text);
    if (fo_failed(status)) free(drawn), drawn = NULL;
    if (!drawn) complain(r->command, "no memory for the picture of the model in space");
    return drawn;
}

enum { SURFACE_WIDE = 34, BESIDE = 72 }; // columns of a surface, and from which both have room

// The curves, and the surface beside them where there is room.
static void print_curves(const run *r, FILE *out, int room)
{
    picture p = r->picture;
    fo_graphics graphics = surface_graphics(out);
    int wide = terminal_width(out) - 1;
    bool beside = room && wide >= BESIDE && p.table && graphics == FO_GRAPHICS_TEXT;
    char *space = draw_surface(r,
                               beside      ? SURFACE_WIDE
                               : wide < 72 ? wide
                                           : 72,
                               room ? room : 18, graphics);
    foi_text_stream curves = {0};
    if (space && beside) foi_text_open(&curves, NULL);
    FILE *into = curves.out;
    p.width = into ? wide - SURFACE_WIDE - 2 : 0;
    p.colour = terminal_has_colour(out);
    fo_status status = FO_OK;
    if (!(space && room && !beside)) status = picture_print(&p, into ? into : out, room);
    bool whole = foi_text_close(&curves) && status == FO_OK;
    if (whole) surface_beside(out, curves.text, wide - SURFACE_WIDE, space, room);
    if ((into && !whole) || status == FO_ERROR_MEMORY)
        complain(r->command, "no memory for the plot");
    if (space && !into) fprintf(out, "%s%s", room ? "" : "\n", space);
    free(space);
    foi_text_free(&curves);
}

static void print_plot(const run *r, FILE *out, fo_status status, int room)
{
    bool own = r->world && !fo_failed(status) && world_picture(r->model, NULL, false, 0);
    if (!own || !room) print_curves(r, out, room);
    if (own) world_picture(r->model, out, r->options.ascii, room);
}

static summary make_summary(const run *r, const signals *shown, fo_status status)
{
    bool world_failed = r->world && fo_failed(status); // its results are not those of a run
    return (summary){.sim = r->sim,
                     .results = &r->results,
                     .log = r->world && !r->options.moments ? NULL : &r->log,
                     .start = r->def.start,
                     .seconds = r->seconds,
                     .restarted = r->options.keep.restart != NULL,
                     .from = r->from,
                     .partial = r->options.keep.restart && r->ranks,
                     .time_unit = fo_model_time_unit(r->model),
                     .totals = world_failed ? NULL : fo_model_totals(r->model),
                     .shown = r->ranks || world_failed ? NULL : shown};
}

// On a terminal the plot stands near the end, with few lines under it.
static void print_report(const run *r, fo_status status)
{
    signals main = {0};
    displays numbers;
    bool found = find_main(r, &main);
    summary s = make_summary(r, found ? &main : &r->picture.signals, status);
    if (displays_make(&numbers, r->model) && s.shown) s.displays = &numbers;
    int room = run_wants_plot(r) ? plot_room(r, r->out) : 0;
    char since[64] = "";
    if (s.restarted) snprintf(since, sizeof since, " since t = %.6g %s", s.from, s.time_unit);
    if (r->options.moments) moment_log_print(r->out, &r->log, r->options.events, since);
    if (room) print_details(r, &s, status);
    if (run_wants_plot(r)) print_plot(r, r->out, status, room);
    summary_print(r->out, &s, room);
    if (!room) print_details(r, &s, status);
    if (status == FO_STOPPED) print_stop(r);
    signals_free(&main);
    displays_free(&numbers);
    fflush(r->out);
}

void run_print_json(const run *r, fo_status status, const fo_message *why)
{
    const char *word = status == FO_STOPPED                                 ? "stopped"
                       : status == FO_ERROR_CANCELLED && interrupt_signal() ? "interrupted"
                       : fo_failed(status)                                  ? "failed"
                                                                            : "reached";
    const char *text = fo_failed(status)      ? why->text
                       : status == FO_STOPPED ? keep_stopped(&r->keep)
                                              : NULL;
    const summary s = make_summary(r, NULL, status);
    summary_json(stdout, &s, word, text);
}

void run_report(const run *r, fo_status status)
{
    fo_statistics s = fo_simulation_statistics(r->sim);
    if (fo_failed(status) && !s.steps && !s.moments) return;         // it did not even start
    if (status == FO_ERROR_CANCELLED && !interrupt_signal()) return; // nobody reads any more
    if (r->out) {
        print_report(r, status);
        return;
    }
    if (run_wants_plot(r)) print_plot(r, stdout, status, 0);
    bool shared = r->ranks && !r->options.quiet && !fo_failed(status);
    if (shared) ranks_print(NULL, r->ranks); // what all ranks measure together
}
