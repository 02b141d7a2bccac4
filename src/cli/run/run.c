// foliot run: carries a model through time, shows and writes what happens.
#include "cli/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/fmu_texts.h"
#include "cli/interrupt.h"
#include "cli/replace.h"
#include "cli/run/events_in.h"
#include "cli/run/limit.h"
#include "cli/run/world.h"
#include "cli/terminal.h"

static const char run_more[] =
    "Examples:\n"
    "  foliot run ball --plot\n"
    "  foliot run double-pendulum --stop 60 --rtol 1e-9 --output pendulum.csv\n"
    "  foliot run ball --set e=0.9 --start y=3 --events bounces.csv\n"
    "  foliot run mm1 --replications 100 --seed 7\n"
    "  foliot run pilot-ejection --gnuplot heights\n"
    "\n"
    "Exit status: 0 fine, 1 the run failed, 2 a mistake in the command line, 130 ended by\n"
    "Ctrl-C; then the files hold what was computed.\n";

static int create(run *r)
{
    fo_message why = {0};
    r->sim = fo_simulation_create(r->system, &r->def, &why);
    if (!r->sim && why.status == FO_ERROR_ARGUMENT)
        return complain_usage(r->command, "%s", why.text);
    if (!r->sim) {
        complain(r->command, "%s", why.text);
        return EXIT_FAILED;
    }
    r->progress.sim = r->sim;
    if (!run_apply(r, &r->options.start)) return EXIT_USAGE;
    r->keep.sim = r->sim, r->keep.shared = r->ranks != NULL;
    int result = ranks_restart(&r->keep, r->ranks);
    if (result == EXIT_FINE && !r->ranks) result = keep_begin(&r->keep);
    r->from = fo_simulation_time(r->sim);
    bool sent = r->options.keep.restart && !r->ranks; // what waits is in the checkpoint
    if (result != EXIT_FINE || !r->options.events_in || sent) return result;
    return events_in_send(r->command, r->options.events_in, r->sim, &r->def);
}

// Says how it ended, where that was not as planned.
static int verdict(const run *r, fo_status status, const fo_message *why)
{
    if (interrupt_signal() && status == FO_ERROR_CANCELLED) {
        complain(r->command, "interrupted at t = %.6g s", fo_simulation_time(r->sim));
        return EXIT_SIGNALLED + interrupt_signal();
    }
    if (status == FO_ERROR_CANCELLED) return EXIT_FINE; // the reader of the rows had enough
    if (!fo_failed(status)) return EXIT_FINE;
    complain(r->command, "%s", why->text);
    return EXIT_FAILED;
}

static int carry_out(run *r)
{
    fo_message why = {0}, closing = {0};
    run_note_unused(r);
    if (r->options.keep.restart && !ranks_silent()) run_note_restart(r);
    run_announce(r);
    if (!r->ranks) { // ranks would end at different times
        interrupt_watch();
    }
    double begun = clock_seconds();
    fo_status status = r->ranks ? ranks_advance(r->ranks, r->sim, r->def.stop)
                                : keep_advance(&r->keep, r->def.stop, &why);
    interrupt_obeyed();
    r->seconds = clock_seconds() - begun;
    progress_end(&r->progress);
    notes_end(&r->notes);
    if (fo_failed(status) && r->ranks) why = *fo_simulation_message(r->sim);
    status = run_check_end(r, status, &why);
    fo_status closed = results_close(&r->results, &closing);
    if (fo_failed(closed) && !fo_failed(status)) why = closing, status = closed;
    closed = fo_model_finish(r->model, &closing);
    if (fo_failed(closed) && !fo_failed(status)) why = closing, status = closed;
    if (r->results.changed[0])
        complain(r->command,
                 "note: the parameter '%s' changed in the run and is NaN in %s; --signals writes "
                 "its values",
                 r->results.changed, r->results.rows_path);
    run_report(r, status);
    if (!r->out) model_note_rebuilt(r->command, r->model);
    if (r->options.json && !ranks_silent()) run_print_json(r, status, &why);
    if (r->options.gnuplot && !fo_failed(status)) status = run_draw(r, &why);
    return verdict(r, status, &why);
}

static void clean_up(run *r)
{
    fo_message why;
    keep_end(&r->keep);
    results_close(&r->results, &why);
    fo_simulation_destroy(r->sim);
    fo_share_destroy(r->share);
    fo_table_destroy(r->picture.table);
    moment_log_free(&r->log);
    picture_free(&r->picture);
    signals_free(&r->results.signals);
    signals_free(&r->results.shown);
    settings_free(&r->options.set);
    settings_free(&r->options.start);
    texts_free(&r->options.texts);
    free(r->texts);
    ranks_end(r->ranks);
    driven_close(r->driven);
    fo_model_close(r->model);
}

static bool check_dae(const run *r)
{
    const run_options *o = &r->options;
    bool slides = o->dae && strcmp(o->dae, "spsm") == 0;
    if (o->dae && !slides && strcmp(o->dae, "reduce") != 0)
        complain_usage(r->command, "--dae is reduce or spsm, not '%s'", o->dae);
    else if (o->mu.given && !slides)
        complain_usage(r->command, "--mu goes with --dae spsm");
    else
        return true;
    return false;
}

static fo_manifolds manifolds_of(const run_options *o)
{
    if (!o->dae || strcmp(o->dae, "spsm") != 0) return (fo_manifolds){0};
    return (fo_manifolds){o->mu.given ? o->mu.value : -1, o->epsilon.given ? o->epsilon.value : -1};
}

static model_request request_of(const run *r)
{
    const run_options *o = &r->options;
    // what comes from outside may set numbers that are fixed otherwise
    return (model_request){.set = &o->set,
                           .program = o->program,
                           .native = o->native,
                           .tunable = o->events_in != NULL,
                           .type = o->type,
                           .in_process = o->in_process,
                           .no_units = o->no_units,
                           .allow_external = o->allow_external,
                           .manifolds = manifolds_of(o),
                           .event_mode = o->event_mode,
                           .texts = r->texts,
                           .text_count = o->texts.count,
                           .files = o->files,
                           .overwrite = o->overwrite};
}

static bool can_replicate(const run *r)
{
    const run_options *o = &r->options;
    const char *name = r->system.about->name;
    fo_result_format format = FO_RESULT_CSV;
    fo_message why = {0};
    const char *wrong = o->events                                             ? "--events"
                        : o->events_in                                        ? "--events-in"
                        : o->keep.checkpoint                                  ? "--checkpoint"
                        : o->keep.restart                                     ? "--restart"
                        : o->share                                            ? "--share"
                        : o->plot.given                                       ? "--plot"
                        : o->gnuplot                                          ? "--gnuplot"
                        : o->moments                                          ? "--moments"
                        : o->json && o->output && strcmp(o->output, "-") == 0 ? "--output -"
                                                                              : NULL;
    if (!r->world && !fo_model_is_random(r->model))
        complain_usage(r->command,
                       "--replications is for models with random numbers, and '%s' is none: "
                       "every run of it would be the same",
                       name);
    else if (!r->results.signals.count)
        complain_usage(r->command, "'%s' has nothing that could be averaged: no output, no state",
                       name);
    else if (wrong)
        complain_usage(r->command, "%s shows one run and does not go with --replications", wrong);
    else if (o->replications.value < 1)
        complain_usage(r->command, "--replications is at least 1");
    else if (o->output && fo_failed(fo_result_format_of(o->output, &format, &why)))
        complain_usage(r->command, "--output: %s", why.text);
    else if (format != FO_RESULT_CSV)
        complain_usage(r->command, "the results of replications are written as *.csv, not to %s",
                       o->output);
    else
        return true;
    return false;
}

static bool choose_tallied(run *r)
{
    signals *s = &r->results.signals;
    if (r->options.signals) return signals_parse(r->command, r->options.signals, r->system, s);
    return replications_results(r->command, r->model, s);
}

// Files of this program that another model made.
static bool note_others(const run *r)
{
    const fo_result_def rows = results_rows_def(&r->results);
    replace_note_model(r->command, "checkpoint", r->options.keep.checkpoint, r->system.about->name);
    replace_note_moments(r->command, r->results.moments_path, r->system.about->name);
    return replace_note(r->command, &rows);
}

// Files that are there and are not what this command makes stay as they are.
static bool may_write(run *r)
{
    const run_options *o = &r->options;
    bool fine = replace_may(r->command, "--checkpoint", o->keep.checkpoint, replace_checkpoint,
                            o->overwrite);
    if (fine && o->gnuplot)
        fine = replace_plots(r->command, r->gnuplot.path, r->gnuplot.format, o->overwrite,
                             r->gnuplot.seen);
    if (!o->overwrite) r->keep.seen = foi_file_look(o->keep.checkpoint);
    if (!fine || o->keep.restart) return fine; // rows go on
    if (!o->overwrite && !o->replications.given) {
        r->results.rows_seen = foi_file_look(r->results.rows_path);
        r->results.moments_seen = foi_file_look(r->results.moments_path);
    }
    fine = replace_may(r->command, "--output", o->output, replace_rows, o->overwrite) &&
           replace_may(r->command, "--events", o->events, replace_moments, o->overwrite);
    if (fine && !o->overwrite && !o->replications.given) fine = note_others(r);
    return fine;
}

static int replicate(run *r)
{
    const run_options *o = &r->options;
    uint32_t threads = o->threads.given ? (uint32_t)o->threads.value : fo_cores();
    if (!choose_tallied(r) || !can_replicate(r) || !run_define(r)) return EXIT_USAGE;
    if (!run_check_solver(r) || !run_check_settings(r)) return EXIT_USAGE;
    for (size_t i = 0; i < o->start.count; i++)
        if (!run_check_option(r, &o->start.list[i], true)) return EXIT_USAGE;
    if (!o->seed.given) r->def.seed = 1;
    model_note_rebuilt(r->command, r->model);
    if (!may_write(r)) return EXIT_FAILED;
    return replications_run(&(replications){.command = r->command,
                                            .name = r->name,
                                            .model = r->model,
                                            .def = r->def,
                                            .request = request_of(r),
                                            .start = &o->start,
                                            .results = &r->results.signals,
                                            .count = o->replications.value,
                                            .threads = threads,
                                            .output = o->output,
                                            .quiet = o->quiet,
                                            .json = o->json});
}

// Only programs are compiled; whoever asks for it with another model is told.
static void note_program(const run *r)
{
    bool asked = r->options.native || r->options.program;
    if (asked && !fo_is_program(fo_model_system(r->model)) && !fo_model_diagram(r->model))
        complain(r->command, "note: only programs (texts *.mo, diagrams) are compiled");
}

// Inputs come from a file.
static int drive(run *r)
{
    const run_options *o = &r->options;
    const char *wrong = r->ranks                             ? "on ranks"
                        : o->keep.checkpoint                 ? "with --checkpoint"
                        : o->keep.restart                    ? "with --restart"
                        : o->replications.given              ? "with --replications"
                        : o->input && !strcmp(o->input, "-") ? "from standard input"
                                                             : NULL;
    int result = EXIT_FINE;
    if (wrong) return complain_usage(r->command, "--input is not possible %s", wrong);
    r->driven = driven_open(r->command, o->input, r->system, &result);
    if (r->driven) r->system = driven_system(r->driven);
    return result;
}

static int open_model(run *r)
{
    const run_options *o = &r->options;
    int result;
    model_request request = request_of(r);
    if (!limit_model(r->command, r->name, o->memory)) return EXIT_USAGE;
    r->model = model_open(r->command, r->name, &request, &result);
    if (!r->model) return result;
    r->system = fo_model_system(r->model);
    r->world = fo_model_world(r->model, NULL, NULL);
    r->keep = (keep){.command = r->command,
                     .options = &o->keep,
                     .model = r->model,
                     .start = &o->start,
                     .events_in = o->events_in,
                     .type = o->type,
                     .event_mode = o->event_mode,
                     .strings = &o->texts,
                     .results = &r->results,
                     .log = &r->log,
                     .progress = &r->progress};
    result = ranks_share(r->command, &o->ranks, &o->keep, r->model, &r->ranks, &r->system);
    if (result == EXIT_FINE && !r->ranks) result = keep_check(&r->keep);
    return result == EXIT_FINE && o->input ? drive(r) : result;
}

static int run_model(run *r)
{
    if (!check_dae(r)) return EXIT_USAGE;
    if (!fmu_texts_read(r->command, &r->options.texts, &r->texts)) return EXIT_USAGE;
    int result = open_model(r);
    if (result != EXIT_FINE) return result;
    if (r->options.texts.count && !fo_model_fmu(r->model))
        return complain_usage(r->command, "--text is for FMUs, and '%s' is none", r->name);
    if (r->options.dae && !fo_model_text(r->model))
        return complain_usage(r->command, "--dae is for texts, and '%s' is none", r->name);
    if (r->options.replications.given) return replicate(r);
    if (!run_check_settings(r) || !run_prepare(r)) return EXIT_USAGE;
    note_program(r);
    result = create(r);
    if (result != EXIT_FINE) return result;
    return may_write(r) ? carry_out(r) : EXIT_FAILED;
}

// "--plot x:y" is what one types, and there is one MODEL: another word after --plot is its value.
static void take_plot(run_options *o, const char *after, operands *rest)
{
    if (!after || !o->plot.given || o->plot.value || rest->count != 2) return;
    int which = rest->list[0] == after ? 0 : 1;
    if (rest->list[which] != after) return;
    o->plot.value = after;
    rest->list[0] = rest->list[1 - which];
    rest->count = 1;
}

static const char *word_after_plot(int argc, char **argv)
{
    for (int i = 0; i + 1 < argc; i++)
        if (strcmp(argv[i], "--plot") == 0 && argv[i + 1][0] != '-') return argv[i + 1];
    return NULL;
}

static int run_run(const command *self, int argc, char **argv)
{
    run r = {.command = self};
    operands rest;
    const char *after = word_after_plot(argc, argv);
    parse_result parsed = options_parse(self, argc, argv, &r.options, &rest);
    if (parsed == PARSE_FINE) take_plot(&r.options, after, &rest);
    r.name = parsed == PARSE_FINE ? model_operand(self, &rest) : NULL;
    int result = r.name ? run_model(&r) : parsed == PARSE_HELP ? EXIT_FINE : EXIT_USAGE;
    clean_up(&r);
    return result;
}

const command command_run = {
    "run",     "MODEL",  "Simulate a model; print, plot and write what happens.",
    run_table, run_more, run_run};
