// What a run is to do, from its options: definition, signals, files and observers.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cli/run/run.h"
#include "cli/terminal.h"
#include "cli/written.h"

static void take_number(maybe_number given, double *value)
{
    if (given.given) *value = given.value;
}

bool run_define(run *r)
{
    const run_options *o = &r->options;
    fo_run_def def = fo_model_run_def_with(r->model, o->solver);
    take_number(o->stop, &def.stop);
    take_number(o->step, &def.step);
    // a step for runs of some seconds is none for one of a nanosecond
    if (o->stop.given && !o->step.given && 10 * def.step > def.stop - def.start) def.step = 0;
    take_number(o->rtol, &def.rtol);
    take_number(o->atol, &def.atol);
    take_number(o->first_step, &def.first_step);
    take_number(o->max_step, &def.max_step);
    take_number(o->epsilon, &def.epsilon);
    if (o->seed.given) def.seed = o->seed.value;
    def.no_rest = o->no_rest;
    if (o->max_steps.given) def.max_steps = o->max_steps.value;
    if (o->substeps.given) def.substeps = (uint32_t)o->substeps.value;
    r->def = def;
    if (!o->stop.given || def.stop > def.start) return true;
    complain_usage(r->command, "--stop needs a time after %g, where the run begins, not '%g'",
                   def.start, def.stop);
    return false;
}

/// What one rank alone cannot do: every one has its own part of the states.
static bool check_ranks(const run *r)
{
    const run_options *o = &r->options;
    bool own = !r->def.solver || strcmp(r->def.solver, "own") == 0, states = false;
    if (!r->ranks) return true;
    for (size_t i = 0; i < r->results.signals.count; i++)
        states |= r->results.signals.list[i].quantity == FO_STATE;
    const char *wrong = !own             ? "a field is carried by its own method, not by --solver"
                        : o->share       ? "--share is not possible"
                        : o->start.count ? "--start is not possible"
                        : o->output && states ? "only outputs can be written: give the field probes"
                                              : NULL;
    if (wrong) complain_usage(r->command, "on ranks %s", wrong);
    return !wrong;
}

bool run_check_solver(const run *r)
{
    fo_message why = {0};
    if (!r->options.solver || fo_solver_find(r->options.solver, &why)) return true;
    complain_usage(r->command, "%s", why.text);
    return false;
}

bool run_wants_plot(const run *r)
{
    if (r->options.no_plot || r->options.json) return false;
    if (r->options.plot.given) return true;
    if (r->ranks) return false; // all ranks must look at the same signals
    return !r->options.output && !r->options.quiet && terminal_is(stdout);
}

static bool choose_plot(run *r)
{
    const char *asked = r->options.plot.value;
    signals *s = &r->picture.signals;
    r->picture.system = r->system;
    r->picture.ascii = r->options.ascii;
    r->picture.asked = asked;
    r->picture.time_unit = fo_model_time_unit(r->model);
    if (!run_wants_plot(r) && !r->options.gnuplot) return true;
    const char *const *plot = fo_model_plot(r->model);
    if (r->ranks && !plot) return true;
    bool fine = asked  ? picture_choose(r->command, asked, &r->picture)
                : plot ? picture_choose_usual(r->command, r->model, plot, &r->picture)
                       : signals_rows(r->command, r->model, PLOT_SIGNALS, s);
    if (!fine || s->count == 0) return fine;
    r->picture.table = fo_table_create(s->count, NULL);
    if (!r->picture.table) complain(r->command, "out of memory");
    return r->picture.table;
}

static bool choose_results(run *r)
{
    const run_options *o = &r->options;
    signals *s = &r->results.signals;
    r->results.system = r->system;
    r->results.rows_path = ranks_path(o->output);
    r->results.moments_path = ranks_path(o->events);
    r->results.acts = fo_model_acts(r->model);
    r->results.outside = o->events_in != NULL;
    r->results.units = o->units;
    r->results.time_unit = fo_model_time_unit(r->model);
    if (o->signals) return signals_parse(r->command, o->signals, r->system, s);
    if (r->ranks) return signals_ranks(r->command, r->model, r->system, s);
    return signals_rows(r->command, r->model, SIZE_MAX, s);
}

// What only a file of text can do.
static bool check_output(run *r)
{
    const run_options *o = &r->options;
    fo_result_format format = FO_RESULT_CSV;
    if (!results_prepare(r->command, &r->results)) return false;
    if (r->results.rows_path) fo_result_format_of(r->results.rows_path, &format, NULL);
    const char *wrong = o->units && format == FO_RESULT_MAT ? "has its units anyway, in description"
                        : o->units && format == FO_RESULT_JSON ? "has its units anyway"
                        : (o->keep.checkpoint || o->keep.restart) && format == FO_RESULT_MAT
                            ? "cannot be gone on with after a checkpoint: take *.csv"
                            : NULL;
    if (o->units && !o->output) wrong = "--units goes with --output FILE.csv";
    if (wrong && o->output) complain_usage(r->command, "%s %s", o->output, wrong);
    if (wrong && !o->output) complain_usage(r->command, "%s", wrong);
    return !wrong;
}

static bool choose_share(run *r)
{
    fo_message why = {0};
    if (!r->options.share) return true;
    r->share = fo_share_create(r->options.share, r->system, NULL, &why);
    if (!r->share) complain_usage(r->command, "%s", why.text);
    return r->share != NULL;
}

static void add_observer(run *r, fo_observer observer)
{
    r->observers[r->def.observer_count++] = observer;
}

// The results come first, so that a file holds the row at which another observer ends the run.
static void make_observers(run *r)
{
    double interval = fo_model_interval(r->model), span = r->def.stop - r->def.start;
    fo_observer files;
    take_number(r->options.interval, &interval);
    bool quiet = r->options.quiet || ranks_silent();
    if (r->results.rows_path) add_observer(r, results_row_observer(&r->results, interval));
    if (r->results.moments_path) add_observer(r, results_moment_observer(&r->results));
    if (r->picture.table)
        add_observer(
            r, fo_table_observer(r->picture.table, r->picture.signals.list, span / PLOT_ROWS));
    if (r->share) add_observer(r, fo_share_observer(r->share, 0));
    if (fo_model_observer(r->model, &files)) add_observer(r, files);
    r->log.listed = r->options.moments || r->options.gnuplot;
    if (!r->world || r->options.moments) add_observer(r, moment_log_observer(&r->log));
    r->notes.command = r->command;
    if (!ranks_silent()) add_observer(r, notes_observer(&r->notes));
    r->progress = progress_make(quiet ? NULL : stderr, r->def.start);
    add_observer(r, progress_observer(&r->progress));
    r->def.observers = r->observers;
    r->keep.interval = interval;
}

// Whether time moves when so much is added to it, wherever the run is.
static bool moves(const run *r, const char *name, double length)
{
    double far = fmax(fabs(r->def.start), fabs(r->def.stop));
    volatile double later = far + length, before = far - length; // as they are stored
    if (!(length > 0) || (later > far && before < far)) return true;
    complain_usage(r->command,
                   "%s of %g s is too short to move time: about t = %g it is known to %.2g s", name,
                   length, far, nextafter(far, INFINITY) - far);
    return false;
}

static bool check_lengths(const run *r)
{
    return moves(r, "a step", r->def.step) && moves(r, "a longest step", r->def.max_step) &&
           moves(r, "an interval of rows", r->keep.interval) &&
           moves(r, "an interval of checkpoints",
                 r->options.keep.every.given && !r->ranks ? r->options.keep.every.value : 0);
}

// Everyone who acts is written down, where the model has such.
static bool trace(run *r)
{
    if (!r->results.moments_path || r->results.acts == FO_ACTS_NONE) return true;
    fo_trace to = results_trace(&r->results);
    if (fo_model_trace(r->model, &to) == FO_OK) return true;
    complain(r->command, "out of memory");
    return false;
}

// Two that are written to would destroy each other, and what is read is not to be written over.
static bool files_differ(const run *r)
{
    const run_options *o = &r->options;
    written files = {.count = 0};
    written_add(&files, "the model", fo_model_path(r->model));
    written_add(&files, "--input", o->input);
    written_add(&files, "--events-in", o->events_in);
    written_add(&files, "--output", o->output);
    written_add(&files, "--events", o->events);
    written_add_checkpoint(&files, "--checkpoint", o->keep.checkpoint);
    if (o->gnuplot) written_add_plots(&files, "--gnuplot", r->gnuplot.path, r->gnuplot.format);
    for (size_t i = 0; i < fo_model_file_count(r->model); i++)
        written_add(&files, "the model", fo_model_file(r->model, i));
    return written_differ(&files, r->command);
}

bool run_prepare(run *r)
{
    const char *output = r->options.output, *events = r->options.events;
    if (r->options.plot.given && r->options.no_plot) {
        complain_usage(r->command, "--plot and --no-plot contradict each other");
        return false;
    }
    if (r->options.gnuplot &&
        !gnuplot_asked(r->command, r->options.gnuplot, r->options.size, "png", &r->gnuplot))
        return false;
    if (!files_differ(r)) return false;
    if (!run_define(r) || !run_check_solver(r)) return false;
    if (!choose_results(r) || !check_output(r) || !check_ranks(r) || !choose_plot(r) ||
        !choose_share(r))
        return false;
    if (!trace(r)) return false;
    make_observers(r);
    if (!check_lengths(r)) return false;
    bool taken = (output && strcmp(output, "-") == 0) || (events && strcmp(events, "-") == 0);
    if (taken && r->options.json) {
        complain_usage(r->command, "--json and a file '-' would both be standard output");
        return false;
    }
    bool silent = r->options.quiet || r->options.json || ranks_silent();
    r->out = silent ? NULL : taken ? stderr : stdout;
    return true;
}

// An option that the solver does not look at is not silently accepted.
void run_note_unused(const run *r)
{
    const run_options *o = &r->options;
    const fo_solver_info *solver = fo_simulation_solver(r->sim);
    bool adaptive = solver->traits & FO_ADAPTIVE;
    if (adaptive && o->step.given)
        complain(r->command,
                 "note: %s chooses its steps, --step is not used (--max-step limits it)",
                 solver->name);
    bool epsilon = o->epsilon.given && !o->dae;
    if ((o->substeps.given || epsilon) && strcmp(solver->name, "sliding-implicit") != 0)
        complain(r->command, "note: %s has no substeps, --substeps and --epsilon are not used",
                 solver->name);
    if (o->threads.given)
        complain(r->command, "note: --threads goes with --replications and is not used");
    if (!adaptive && (o->rtol.given || o->atol.given) && !(solver->traits & FO_STIFF))
        complain(r->command,
                 "note: %s has fixed steps, --rtol and --atol only say how near to zero a guard "
                 "counts as held there",
                 solver->name);
}

// What does not go on as if nothing had happened.
void run_note_restart(const run *r)
{
    const fo_solver_info *solver = fo_simulation_solver(r->sim);
    const char *unit = fo_model_time_unit(r->model), *rows = r->options.output;
    if (solver->traits & FO_SUNDIALS)
        complain(r->command,
                 "note: %s starts afresh at t = %.6g %s: what follows is that of the uninterrupted "
                 "run to the tolerance, not to the bit",
                 solver->name, r->from, unit);
    if (r->options.gnuplot || run_wants_plot(r))
        complain(r->command, "note: the picture begins at t = %.6g %s, where the run goes on%s%s",
                 r->from, unit, rows ? "; all rows are in " : "", rows ? rows : "");
}
