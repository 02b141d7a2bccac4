// foliot run: carries a model through time, shows and writes what happens.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/model.h"
#include "cli/replace.h"
#include "cli/run/driven.h"
#include "cli/run/events_in.h"
#include "cli/run/keep.h"
#include "cli/run/limit.h"
#include "cli/run/moment_log.h"
#include "cli/run/notes.h"
#include "cli/run/picture.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/run/results.h"
#include "cli/run/summary.h"
#include "cli/run/world.h"
#include "cli/surface.h"
#include "cli/terminal.h"

// ------------------------------------------------------------------------------------- options

typedef struct run_options {
    maybe_number stop, step, rtol, atol, first_step, max_step, interval, epsilon;
    maybe_count seed, substeps, max_steps, replications, threads;
    const char *solver, *output, *events, *events_in, *input, *signals, *share, *gnuplot;
    settings set, start;
    ranks_options ranks;
    keep_options keep;
    maybe_text plot;
    bool no_plot, ascii, quiet, native, no_rest, in_process, moments, json;
    const char *program, *type, *files, *memory, *size;
    bool overwrite, units;
} run_options;

#define AT(member) offsetof(run_options, member)
static const option run_table[] = {
    {"stop", 0, "T", OPTION_POSITIVE, AT(stop), "simulate until time T [s]; default: the model's"},
    {"solver", 0, "NAME", OPTION_TEXT, AT(solver),
     "a name from 'foliot solvers'; default: chosen for the model"},
    {"step", 0, "H", OPTION_POSITIVE, AT(step), "step of solvers with fixed steps [s]"},
    {"rtol", 0, "R", OPTION_POSITIVE, AT(rtol), "error allowed relative to the states"},
    {"atol", 0, "A", OPTION_POSITIVE, AT(atol), "error allowed absolutely"},
    {"first-step", 0, "H", OPTION_POSITIVE, AT(first_step),
     "first step of solvers with adaptive steps [s]"},
    {"max-step", 0, "H", OPTION_POSITIVE, AT(max_step), "longest step of those [s]"},
    {"max-steps", 0, "N", OPTION_COUNT, AT(max_steps), "end the run with an error after N steps"},
    {"substeps", 0, "N", OPTION_COUNT, AT(substeps), "sliding-implicit: substeps in a step"},
    {"epsilon", 0, "E", OPTION_POSITIVE, AT(epsilon), "sliding-implicit: its epsilon [s]"},
    {"no-rest", 0, NULL, OPTION_FLAG, AT(no_rest),
     "end with an error where moments accumulate or the solution slides along a guard's zero"},
    {"set", 0, "NAME=VALUE", OPTION_SETTING, AT(set),
     "set a number of the model, as 'foliot show' lists them; may be repeated"},
    {"start", 0, "NAME=VALUE", OPTION_SETTING, AT(start),
     "start a state or discrete at a value; may be repeated"},
    {"seed", 0, "N", OPTION_COUNT, AT(seed), "seed of the random numbers"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "write the signals: *.csv, *.json or *.mat (as Modelica tools do); '-' is CSV on standard "
     "output"},
    {"units", 0, NULL, OPTION_FLAG, AT(units), "CSV: with units in a second header row"},
    {"events", 0, "FILE", OPTION_TEXT, AT(events),
     "write the moments, and what processes and entities do, as CSV; as JSON lines to a file "
     "*.jsonl"},
    {"events-in", 0, "FILE", OPTION_TEXT, AT(events_in),
     "what comes from outside, as CSV: time,name,value; names are the model's events, or what is "
     "set"},
    {"input", 0, "FILE", OPTION_TEXT, AT(input),
     "inputs of the model over time: a column 'time' and one for each input, in *.csv, *.json or "
     "*.mat; linear between rows, a jump where two rows have one time"},
    {"interval", 0, "D", OPTION_NOT_NEGATIVE, AT(interval),
     "distance of the rows [s]; 0: every step; default: the model's"},
    {"signals", 0, "A,B,C", OPTION_TEXT, AT(signals),
     "write these signals, also by pattern: 'pin*.v'; default: states, discretes and outputs; of "
     "fields the outputs"},
    {"share", 0, "NAME", OPTION_TEXT, AT(share),
     "let other processes look on: 'foliot watch NAME'"},
    {"moments", 0, NULL, OPTION_FLAG, AT(moments),
     "list the moments, one in a line; default: how many of each, the first and the last"},
    {"plot", 0, "[=A,B,X:Y]", OPTION_MAYBE_TEXT, AT(plot),
     "plot in the terminal, these signals or the model's usual ones, X:Y is Y over X; default: on "
     "a terminal, when there is no --output"},
    {"program", 0, "WAY", OPTION_TEXT, AT(program),
     "how a text or diagram is run: machine (machine code made at once), native (C through cc), "
     "bytecode, or auto: machine, and where there is none bytecode, then native if the run is "
     "long; "
     "a diagram also node by node: nodes; default: auto"},
    {"native", 0, NULL, OPTION_FLAG, AT(native), "the same as --program native"},
    OPTION_OWN_NODES,
    {"type", 0, "TYPE", OPTION_TEXT, AT(type),
     "how an FMU is run: me (Model Exchange) or cs (Co-Simulation); default: me where it has it"},
    {"in-process", 0, NULL, OPTION_FLAG, AT(in_process),
     "run an FMU that is trusted in this process, not in one of its own"},
    {"gnuplot", 0, "PATH", OPTION_TEXT, AT(gnuplot),
     "write PATH.dat and the script PATH.gp of the plot, of the model's own picture, or of a field "
     "as surface and map, and draw PATH.png where gnuplot is there; *.svg, *.pdf and *.png say "
     "which"},
    {"size", 0, "WxH", OPTION_TEXT, AT(size),
     "of that picture in dots, of a PDF in 0.1 mm; default: 800x500, 1600x1000"},
    {"replications", 0, "N", OPTION_COUNT, AT(replications),
     "run a model with random numbers N times, each with others; the results' means with "
     "intervals; --signals names the results, --output gets those of each run"},
    {"threads", 0, "N", OPTION_COUNT, AT(threads),
     "replications at the same time; default: as many as there are cores"},
    {"files", 0, "DIR", OPTION_TEXT, AT(files),
     "diagrams: the folder in which nodes read and write files; default: the present one"},
    {"overwrite", 0, NULL, OPTION_FLAG, AT(overwrite),
     "replace files that are there and are not what this command or a node of the diagram writes"},
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},
    {"checkpoint", 0, "FILE", OPTION_TEXT, AT(keep.checkpoint),
     "write a checkpoint at the end and where Ctrl-C or SIGTERM ends the run"},
    {"every", 0, "T", OPTION_POSITIVE, AT(keep.every),
     "and every T simulated seconds; mpirun: every T steps"},
    {"restart", 0, "FILE", OPTION_TEXT, AT(keep.restart),
     "go on from a checkpoint of the same run, with the same options; its files go on, too"},
    {"parts", 0, "XxYxZ", OPTION_TEXT, AT(ranks.parts),
     "mpirun: cut a field so; default: so that little is exchanged"},
    {"balance", 0, "N", OPTION_COUNT, AT(ranks.balance),
     "mpirun: move the cuts every N steps by the time that the ranks need; 0: never; default: 200"},
    {"patience", 0, "S", OPTION_POSITIVE, AT(ranks.patience),
     "mpirun: the longest wait for another rank [s]; default: 60"},
    {"no-plot", 0, NULL, OPTION_FLAG, AT(no_plot), "no plot"},
    {"ascii", 0, NULL, OPTION_FLAG, AT(ascii), "plot without Unicode"},
    {"json", 0, NULL, OPTION_FLAG, AT(json),
     "print how it went as JSON: status, figures, moments, last values, files"},
    {"quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only mistakes, and the plot if --plot"},
    {0}};
static const char run_more[] =
    "Examples:\n"
    "  foliot run ball --plot\n"
    "  foliot run double-pendulum --stop 60 --rtol 1e-9 --output pendulum.csv\n"
    "  foliot run ball --set e=0.9 --start y=3 --events bounces.csv\n"
    "  foliot run mm1 --replications 100 --seed 7\n"
    "  foliot run pilot-ejection --gnuplot heights\n"
    "\n"
    "Exit status: 0 fine, 1 the run failed, 2 the command line makes no sense, 130 ended by\n"
    "Ctrl-C; then the files hold what was computed.\n";

// ----------------------------------------------------------------------------------- preparing

enum { OBSERVERS = 8, PLOT_ROWS = 2000, PLOT_SIGNALS = 4 };

typedef struct run {
    const command *command;
    const char *name; ///< as the command line has it
    run_options options;
    fo_model *model;
    fo_system system;            ///< the model's, or this rank's part of it
    driven *driven;              ///< with --input; otherwise NULL
    struct fo_cluster *ranks;    ///< of fields that are shared among ranks; otherwise NULL
    const fo_world_model *world; ///< of worlds of processes; otherwise NULL
    results results;
    picture picture;
    moment_log log;
    gnuplot_request gnuplot;
    notes notes;
    progress progress;
    keep keep;
    fo_observer observers[OBSERVERS];
    fo_run_def def;
    fo_simulation *sim;
    fo_share *share; ///< NULL: nobody looks on
    FILE *out;       ///< where the report goes; NULL: quiet
    double seconds;
} run;

static void take_number(maybe_number given, double *value)
{
    if (given.given) *value = given.value;
}

static bool fits_32(const run *r, const char *name, maybe_count count, uint32_t *value)
{
    if (!count.given) return true;
    *value = (uint32_t)count.value;
    if (count.value <= UINT32_MAX) return true;
    complain_usage(r->command, "--%s is at most %u", name, (unsigned)UINT32_MAX);
    return false;
}

static bool make_definition(run *r)
{
    const run_options *o = &r->options;
    fo_run_def def = fo_model_run_def_with(r->model, o->solver);
    take_number(o->stop, &def.stop);
    take_number(o->step, &def.step);
    take_number(o->rtol, &def.rtol);
    take_number(o->atol, &def.atol);
    take_number(o->first_step, &def.first_step);
    take_number(o->max_step, &def.max_step);
    take_number(o->epsilon, &def.epsilon);
    if (o->seed.given) def.seed = o->seed.value;
    def.no_rest = o->no_rest;
    if (o->max_steps.given) def.max_steps = o->max_steps.value;
    r->def = def;
    return fits_32(r, "substeps", o->substeps, &r->def.substeps);
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

static bool check_solver(const run *r)
{
    fo_message why = {0};
    if (!r->options.solver || fo_solver_find(r->options.solver, &why)) return true;
    complain_usage(r->command, "%s", why.text);
    return false;
}

static bool wants_plot(const run *r)
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
    if (!wants_plot(r) && !r->options.gnuplot) return true;
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

static bool prepare(run *r)
{
    const char *output = r->options.output, *events = r->options.events;
    if (output && events && strcmp(output, events) == 0) {
        complain_usage(r->command, "--output and --events name the same file '%s'", output);
        return false;
    }
    if (r->options.plot.given && r->options.no_plot) {
        complain_usage(r->command, "--plot and --no-plot contradict each other");
        return false;
    }
    if (r->options.gnuplot &&
        !gnuplot_asked(r->command, r->options.gnuplot, r->options.size, &r->gnuplot))
        return false;
    if (!make_definition(r) || !check_solver(r)) return false;
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

// ------------------------------------------------------------------------------------- setting

static const char *quantity_text(fo_quantity quantity)
{
    switch (quantity) {
    case FO_TIME: return "time";
    case FO_STATE: return "a state";
    case FO_DISCRETE: return "a discrete";
    case FO_INPUT: return "an input";
    case FO_OUTPUT: return "an output";
    case FO_PARAMETER: return "a parameter";
    }
    return "";
}

// A number of the document may have the name of an output; an input that a file drives is none.
static bool is_number(const run *r, const char *name)
{
    fo_reference own;
    if (fo_system_find(fo_model_system(r->model), name, &own, NULL) != FO_OK) return false;
    if (own.quantity != FO_OUTPUT) return false;
    for (size_t i = 0; i < fo_model_number_count(r->model); i++)
        if (strcmp(fo_model_number(r->model, i)->name, name) == 0) return true;
    return false;
}

// --set takes what is given from outside, --start what the model changes.
static bool check_option(const run *r, const setting *s, bool start)
{
    fo_reference found;
    fo_message why = {0};
    fo_status status = fo_system_find(r->system, s->name, &found, &why);
    if (fo_failed(status) && !start) return true; // a number of the document
    if (fo_failed(status)) {
        complain_usage(r->command, "%s", why.text);
        return false;
    }
    bool outside = found.quantity == FO_PARAMETER || found.quantity == FO_INPUT;
    bool inside = found.quantity == FO_STATE || found.quantity == FO_DISCRETE;
    if (start ? inside : outside || (!inside && is_number(r, s->name))) return true;
    if (start ? outside : inside)
        complain_usage(r->command, "'%s' is %s: use --%s %s=%g", s->name,
                       quantity_text(found.quantity), start ? "set" : "start", s->name, s->value);
    else
        complain_usage(r->command, "'%s' is %s and cannot be set", s->name,
                       quantity_text(found.quantity));
    return false;
}

static bool check_settings(const run *r)
{
    for (size_t i = 0; i < r->options.set.count; i++)
        if (!check_option(r, &r->options.set.list[i], false)) return false;
    return true;
}

static bool apply(const run *r, const settings *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const setting *s = &list->list[i];
        if (!check_option(r, s, true)) return false;
        if (!fo_failed(fo_simulation_set(r->sim, s->name, s->value))) continue;
        complain_usage(r->command, "%s", fo_simulation_message(r->sim)->text);
        return false;
    }
    return true;
}

// ------------------------------------------------------------------------------------- running

// An option that the solver does not look at is not silently accepted.
static void note_unused(const run *r)
{
    const run_options *o = &r->options;
    const fo_solver_info *solver = fo_simulation_solver(r->sim);
    bool adaptive = solver->traits & FO_ADAPTIVE;
    if (adaptive && o->step.given)
        complain(r->command,
                 "note: %s chooses its steps, --step is not used (--max-step limits it)",
                 solver->name);
    if ((o->substeps.given || o->epsilon.given) && strcmp(solver->name, "sliding-implicit") != 0)
        complain(r->command, "note: %s has no substeps, --substeps and --epsilon are not used",
                 solver->name);
    if (o->threads.given)
        complain(r->command, "note: --threads goes with --replications and is not used");
    if (!adaptive && (o->rtol.given || o->atol.given) && !(solver->traits & FO_STIFF))
        complain(r->command, "note: %s has fixed steps, --rtol and --atol are not used",
                 solver->name);
}

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
    if (!apply(r, &r->options.start)) return EXIT_USAGE;
    r->keep.sim = r->sim, r->keep.shared = r->ranks != NULL;
    int result = ranks_restart(&r->keep, r->ranks);
    if (result == EXIT_FINE && !r->ranks) result = keep_begin(&r->keep);
    bool sent = r->options.keep.restart && !r->ranks; // what waits is in the checkpoint
    if (result != EXIT_FINE || !r->options.events_in || sent) return result;
    return events_in_send(r->command, r->options.events_in, r->sim, &r->def);
}

// Why this solver, for people: what the document asks for was not asked for by the user.
static const char *solver_reason(const run *r, char *text, size_t size)
{
    const char *reason = fo_simulation_solver_reason(r->sim), *asked = strstr(reason, ": as asked");
    snprintf(text, size, "%s", reason);
    if (!r->options.solver && asked)
        snprintf(text, size, "%.*s: the model's own", (int)(asked - reason), reason);
    return text;
}

static void announce(const run *r)
{
    const fo_description *about = r->system.about;
    char reason[256];
    if (!r->out) return;
    fprintf(r->out, "%s, until %g %s\n", about->name, r->def.stop, fo_model_time_unit(r->model));
    if (fo_system_shape(r->system).states)
        fprintf(r->out, "solver %s\n", solver_reason(r, reason, sizeof reason));
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

static void print_details(const run *r, const summary *s, fo_status status)
{
    bool shared = r->ranks && !r->options.quiet && !fo_failed(status);
    summary_details(r->out, s);
    moment_log_print_stays(r->out, &r->log, s->time_unit);
    if (r->keep.written)
        fprintf(r->out, "  %-13s%s, at t = %.6g %s\n", "checkpoint", r->options.keep.checkpoint,
                r->keep.at, s->time_unit);
    print_way(r);
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
        fprintf(r->out, "  stopped at t = %.6g s by the model: %s\n", t,
                fo_simulation_message(r->sim)->text);
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
    char *text = NULL, title[96];
    size_t size = 0;
    if (r->ranks || r->options.plot.value || !surface_make(&s, r->model)) return NULL;
    double *values = calloc(s.count + 1, sizeof *values);
    FILE *out = values ? open_memstream(&text, &size) : NULL;
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
    if (out) surface_print(&s, values, out, &frame);
    if (out) fclose(out);
    free(values);
    surface_free(&s);
    return text;
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
    char *curves = NULL;
    size_t size = 0;
    FILE *into = space && beside ? open_memstream(&curves, &size) : NULL;
    p.width = into ? wide - SURFACE_WIDE - 2 : 0;
    p.colour = terminal_has_colour(out);
    if (!(space && room && !beside)) picture_print(&p, into ? into : out, room);
    if (into) fclose(into);
    if (curves) surface_beside(out, curves, wide - SURFACE_WIDE, space, room);
    if (space && !into) fprintf(out, "%s%s", room ? "" : "\n", space);
    free(space);
    free(curves);
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
                     .time_unit = fo_model_time_unit(r->model),
                     .totals = world_failed ? NULL : fo_model_totals(r->model),
                     .shown = r->ranks || world_failed ? NULL : shown};
}

// On a terminal the plot stands near the end, with few lines under it.
static void print_report(const run *r, fo_status status)
{
    signals main = {0};
    bool found = find_main(r, &main);
    const summary s = make_summary(r, found ? &main : &r->picture.signals, status);
    int room = wants_plot(r) ? plot_room(r, r->out) : 0;
    if (r->options.moments) moment_log_print(r->out, &r->log, r->options.events);
    if (room) print_details(r, &s, status);
    if (wants_plot(r)) print_plot(r, r->out, status, room);
    summary_print(r->out, &s, room);
    if (!room) print_details(r, &s, status);
    if (status == FO_STOPPED) print_stop(r);
    signals_free(&main);
    fflush(r->out);
}

static void print_json(const run *r, fo_status status, const fo_message *why)
{
    const char *word = status == FO_STOPPED                                 ? "stopped"
                       : status == FO_ERROR_CANCELLED && interrupt_signal() ? "interrupted"
                       : fo_failed(status)                                  ? "failed"
                                                                            : "reached";
    const char *text = fo_failed(status)      ? why->text
                       : status == FO_STOPPED ? fo_simulation_message(r->sim)->text
                                              : NULL;
    const summary s = make_summary(r, NULL, status);
    summary_json(stdout, &s, word, text);
}

static void report(const run *r, fo_status status)
{
    fo_statistics s = fo_simulation_statistics(r->sim);
    if (fo_failed(status) && !s.steps && !s.moments) return;         // it did not even start
    if (status == FO_ERROR_CANCELLED && !interrupt_signal()) return; // nobody reads any more
    if (r->out) {
        print_report(r, status);
        return;
    }
    if (wants_plot(r)) print_plot(r, stdout, status, 0);
    bool shared = r->ranks && !r->options.quiet && !fo_failed(status);
    if (shared) ranks_print(NULL, r->ranks); // what all ranks measure together
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
static fo_status draw(const run *r, fo_message *why)
{
    const char *path = r->gnuplot.path;
    bool drawn = false;
    fo_status status = FO_ERROR_ARGUMENT;
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
    fprintf(r->out, "  %-13s%s.dat, %s.gp%s%s%s%s\n", "written", path, path, drawn ? ", " : "",
            drawn ? path : "", drawn ? "." : "; there is no gnuplot here to draw them",
            drawn ? r->gnuplot.format : "");
    return status;
}

static int carry_out(run *r)
{
    fo_message why = {0}, closing = {0};
    note_unused(r);
    announce(r);
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
    fo_status closed = results_close(&r->results, &closing);
    if (fo_failed(closed) && !fo_failed(status)) why = closing, status = closed;
    closed = fo_model_finish(r->model, &closing);
    if (fo_failed(closed) && !fo_failed(status)) why = closing, status = closed;
    if (r->results.changed[0])
        complain(r->command,
                 "note: the parameter '%s' changed in the run and is NaN in %s; --signals writes "
                 "its values",
                 r->results.changed, r->results.rows_path);
    report(r, status);
    if (r->options.json && !ranks_silent()) print_json(r, status, &why);
    if (r->options.gnuplot && !fo_failed(status)) status = draw(r, &why);
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
    ranks_end(r->ranks);
    driven_close(r->driven);
    fo_model_close(r->model);
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

// Files that are there and are not what this command makes stay as they are.
static bool may_write(const run *r)
{
    const run_options *o = &r->options;
    bool fine = replace_may(r->command, "--checkpoint", o->keep.checkpoint, replace_checkpoint,
                            o->overwrite);
    if (fine && o->gnuplot)
        fine = replace_plots(r->command, r->gnuplot.path, r->gnuplot.format, o->overwrite);
    if (!fine || o->keep.restart) return fine; // rows go on
    fine = replace_may(r->command, "--output", o->output, replace_rows, o->overwrite) &&
           replace_may(r->command, "--events", o->events, replace_moments, o->overwrite);
    if (fine && !o->overwrite && !o->replications.given)
        fine = replace_note(r->command, r->results.rows_path, r->system, r->results.signals.list,
                            r->results.signals.count);
    return fine;
}

static int replicate(run *r)
{
    const run_options *o = &r->options;
    uint32_t threads = fo_cores();
    if (!choose_tallied(r) || !can_replicate(r) || !make_definition(r) || !check_solver(r))
        return EXIT_USAGE;
    if (!fits_32(r, "threads", o->threads, &threads) || !check_settings(r)) return EXIT_USAGE;
    for (size_t i = 0; i < o->start.count; i++)
        if (!check_option(r, &o->start.list[i], true)) return EXIT_USAGE;
    if (threads > 1024) return complain_usage(r->command, "--threads is at most 1024");
    if (!o->seed.given) r->def.seed = 1;
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
                     .results = &r->results,
                     .progress = &r->progress};
    result = ranks_share(r->command, &o->ranks, &o->keep, r->model, &r->ranks, &r->system);
    if (result == EXIT_FINE && !r->ranks) result = keep_check(&r->keep);
    return result == EXIT_FINE && o->input ? drive(r) : result;
}

static int run_model(run *r)
{
    int result = open_model(r);
    if (result != EXIT_FINE) return result;
    if (r->options.replications.given) return replicate(r);
    if (!check_settings(r) || !prepare(r)) return EXIT_USAGE;
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
