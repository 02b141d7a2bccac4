// foliot live: a model against the clock, which can be touched while it runs.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/listing.h"
#include "cli/live/session.h"
#include "cli/live/talk.h"
#include "cli/replace.h"
#include "cli/run/limit.h"
#include "cli/terminal.h"
#include "cli/written.h"

// ------------------------------------------------------------------------------------- options

#define AT(member) offsetof(live_options, member)
static const option live_table[] = {
    {"speed", 0, "X", OPTION_POSITIVE, AT(speed), "simulated seconds in a second; default: 1"},
    {"rate", 0, "HZ", OPTION_POSITIVE, AT(rate), "advances in a second; default: 60"},
    {"policy", 0, "POLICY", OPTION_TEXT, AT(policy),
     "when an advance is too long: warn, stop, skip, degrade or priority; default: warn"},
    {"max-time-step", 0, "S", OPTION_POSITIVE, AT(max_time_step),
     "what is too long [s]; default: two periods"},
    {"stop", 0, "T", OPTION_POSITIVE, AT(stop), "end at simulated time T [s]; default: never"},
    {"spin", 0, NULL, OPTION_FLAG, AT(spin), "sleep until 200 us before a deadline, then spin"},
    {"record", 0, "FILE", OPTION_TEXT, AT(record), "write all that the result depends on"},
    {"replay", 0, "FILE", OPTION_TEXT, AT(replay),
     "carry a recording through in batch, to the same bits; the MODEL may be left out"},
    {"output", 'o', "FILE", OPTION_TEXT, AT(output),
     "with --replay: write the signals, *.csv, *.json or *.mat"},
    {"overwrite", 0, NULL, OPTION_FLAG, AT(overwrite),
     "replace files that are there and are not what this command writes"},
    {"budget", 0, NULL, OPTION_FLAG, AT(budget),
     "measure what a frame costs, and say which rate the machine can hold"},
    {"socket", 0, "PATH", OPTION_TEXT, AT(socket), "take the lines of standard input there too"},
    {"share", 0, "NAME", OPTION_TEXT, AT(share),
     "let other processes look on: 'foliot watch NAME'"},
    {"plain", 0, NULL, OPTION_FLAG, AT(plain), "lines instead of the screen"},
    {"interval", 0, "D", OPTION_POSITIVE, AT(interval), "distance of those lines [s]; default: 1"},
    {"window", 0, "S", OPTION_POSITIVE, AT(window),
     "how much time the curves show [s]; default: 10"},
    {"signals", 0, "A,B,C", OPTION_TEXT, AT(signals),
     "what is shown, X:Y is Y over X; default: the model's usual"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "the figures at the end as JSON"},
    {"solver", 0, "NAME", OPTION_TEXT, AT(solver),
     "a name from 'foliot solvers'; default: chosen for the model"},
    {"step", 0, "H", OPTION_POSITIVE, AT(step),
     "step of solvers with fixed steps [s]; default: the model's, or 0.01"},
    {"max-step", 0, "H", OPTION_POSITIVE, AT(max_step),
     "longest step of solvers with adaptive steps [s]"},
    {"rtol", 0, "R", OPTION_POSITIVE, AT(rtol), "error allowed relative to the states"},
    {"atol", 0, "A", OPTION_POSITIVE, AT(atol), "error allowed absolutely"},
    {"cheap-solver", 0, "NAME", OPTION_TEXT, AT(cheap_solver),
     "degrade: the solver while late; default: the same with four times the step, or a thousand "
     "times the tolerance"},
    {"cheap-step", 0, "H", OPTION_POSITIVE, AT(cheap_step), "degrade: its step [s]"},
    {"set", 0, "NAME=VALUE", OPTION_SETTING, AT(set),
     "set a number of the model, as 'foliot show' lists them; may be repeated"},
    {"start", 0, "NAME=VALUE", OPTION_SETTING, AT(start),
     "start a state or discrete at a value; may be repeated"},
    {"program", 0, "WAY", OPTION_TEXT, AT(program),
     "how a text or diagram is run; as for 'foliot run'; default: auto"},
    {"native", 0, NULL, OPTION_FLAG, AT(native), "the same as --program native"},
    OPTION_OWN_NODES,
    {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},
    {"seed", 0, "N", OPTION_COUNT, AT(seed), "seed of the random numbers"},
    {"ascii", 0, NULL, OPTION_FLAG, AT(ascii), "curves without Unicode"},
    {"quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only mistakes"},
    {0}};
static const char live_more[] =
    "On a terminal keys act: space pauses, '.' steps, 'b' goes back, '+' and '-' change the\n"
    "speed, '1' to '9' are the model's events, arrows choose and change a parameter, 'q' quits.\n"
    "Otherwise, and on the socket, lines do:\n"
    "  tap 0.3          the event 'tap' now\n"
    "  12.5 tap 0.3     at simulated time 12.5\n"
    "  set m 0.4        a parameter, input, state or discrete\n"
    "  pause  go  space  speed 2  step  step 0.1  back 5  look  stats  help  quit\n"
    "\n"
    "Examples:\n"
    "  foliot live pendulum\n"
    "  foliot live double-pendulum --rate 1000 --policy priority --spin --plain --stop 20\n"
    "  echo '1.5 tap 0.5' | foliot live pendulum --plain --stop 5 --record taps\n"
    "  foliot live --replay taps --output taps.csv\n"
    "\n"
    "Exit status: 0 fine, 1 the run failed or was stopped by its policy, 2 the command line makes\n"
    "no sense, 130 ended by Ctrl-C.\n";

// ----------------------------------------------------------------------------------- preparing

static bool prepare_def(live_session *s)
{
    const live_options *o = &s->options;
    fo_message why = {0};
    s->def = fo_default_live_def(fo_model_system(s->model));
    fo_run_def *run = &s->def.run;
    *run = fo_model_run_def_with(s->model, o->solver);
    run->stop = INFINITY;
    const struct {
        maybe_number given;
        double *value;
    } numbers[] = {{o->speed, &s->def.speed},
                   {o->rate, &s->def.rate},
                   {o->max_time_step, &s->def.max_time_step},
                   {o->stop, &run->stop},
                   {o->step, &run->step},
                   {o->max_step, &run->max_step},
                   {o->rtol, &run->rtol},
                   {o->atol, &run->atol},
                   {o->cheap_step, &s->def.cheap_step}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].given.given) *numbers[i].value = numbers[i].given.value;
    if (o->seed.given) run->seed = o->seed.value;
    if (o->spin) s->def.spin = 200e-6;
    s->def.cheap_solver = o->cheap_solver;
    s->def.settings = s->settings, s->def.setting_count = s->setting_count;
    s->def.opened = s->opened;
    bool fine = (!o->solver || fo_solver_find(o->solver, &why)) &&
                (!o->policy || fo_live_policy_find(o->policy, &s->def.policy, &why));
    if (!fine) complain_usage(s->command, "%s", why.text);
    return fine;
}

static bool choose_signals(live_session *s)
{
    picture *p = &s->talk.view.picture;
    const char *const *plot = fo_model_plot(s->model);
    if (s->options.signals) return picture_choose(s->command, s->options.signals, p);
    if (plot) return picture_choose_usual(s->command, s->model, plot, p);
    return signals_rows(s->command, s->model, 4, &p->signals);
}

// What the model says by the way: the warnings of its asserts.
static void pass_note(void *self, double t, const char *text)
{
    (void)t;
    talk_note(self, text);
}

static bool prepare_space(live_session *s)
{
    live_view *v = &s->talk.view;
    if (!scape_make(&s->scape, s->model)) return false;
    v->values = calloc(s->scape.surface.count + 1, sizeof *v->values);
    v->scape = v->values ? &s->scape : NULL;
    return v->scape;
}

// What is said where the arrows have nothing to change.
static void prepare_touch(live_session *s)
{
    bool events = fo_model_system(s->model).about->events.count;
    bool world = fo_model_world(s->model, NULL, NULL);
    snprintf(s->talk.view.nothing, sizeof s->talk.view.nothing, "%s%s",
             fo_model_number_count(s->model)
                 ? world ? "its numbers act at the start alone: --set NAME=VALUE"
                         : "its numbers are fixed when it is opened: --set NAME=VALUE"
                 : "it has no numbers that could be changed",
             events ? "; its events are keys" : "");
}

static bool prepare_share(live_session *s)
{
    fo_message why = {0};
    if (!s->options.share) return true;
    s->share = fo_share_create(s->options.share, fo_model_system(s->model), NULL, &why);
    if (!s->share) complain_usage(s->command, "%s", why.text);
    return s->share != NULL;
}

// An advance may be a long one; most end by themselves soon after a signal, and the recording has
// an end then.
static fo_status obey(void *self, double t, double stop, fo_message *why)
{
    static const double GRACE = 0.05; // seconds
    (void)self, (void)stop;
    if (!interrupt_overdue(GRACE)) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "interrupted at t = %.6g s", t);
}

// The curves of a window have 500 rows. Of a thousandth of an advance that would be half a million
// in each, and no advance would ever be in time, nor come to an end with still less. Lines are at
// most as often as a terminal could ever be read by a program.
static bool check_distances(const live_session *s)
{
    static const double LEAST_LINES = 1e-6; // seconds
    const live_options *o = &s->options;
    double advance = s->def.speed / s->def.rate;
    if (o->window.given && !(o->window.value >= advance / 1000))
        complain_usage(s->command,
                       "--window %g s is too short to move time: an advance is %g s, and a window "
                       "at least a thousandth of it",
                       o->window.value, advance);
    else if (o->interval.given && o->interval.value < LEAST_LINES)
        complain_usage(s->command, "--interval %g s is too short to move time: it is at least %g s",
                       o->interval.value, LEAST_LINES);
    else
        return true;
    return false;
}

static bool prepare_view(live_session *s)
{
    const live_options *o = &s->options;
    live_view *v = &s->talk.view;
    if (!check_distances(s)) return false;
    v->picture.system = fo_model_system(s->model);
    if (!choose_signals(s)) return false;
    if (v->picture.signals.count > HISTORY_SIGNALS) v->picture.signals.count = HISTORY_SIGNALS;
    for (size_t i = 0; v->picture.over && i < v->picture.signals.count; i++)
        if (v->picture.over[i] >= HISTORY_SIGNALS) v->picture.over[i] = PICTURE_NO_X;
    v->picture.ascii = o->ascii;
    v->window = o->window.given ? o->window.value : 10 * s->def.speed;
    v->colour = terminal_has_colour(stdout);
    v->history = &s->history;
    history_make(&s->history, v->picture.signals.list, v->picture.signals.count);
    s->observers[0] = history_observer(&s->history, v->window / 500);
    s->observers[1] =
        (fo_observer){.self = &s->talk, .note = pass_note, .progress = obey, .interval = -1};
    s->def.run.observers = s->observers;
    size_t count = 2;
    prepare_touch(s);
    s->talk.screen = !o->plain && !o->quiet && terminal_is(stdout) && terminal_is(stdin);
    if (s->talk.screen && !o->signals && prepare_space(s))
        s->observers[count++] = scape_observer(&s->scape, v->window / 500);
    if (!displays_make(&s->displays, s->model)) return false;
    if (s->displays.count) {
        v->displays = &s->displays;
        s->observers[count++] = displays_observer(&s->displays, v->window / 500);
    }
    if (fo_model_observer(s->model, &s->observers[count])) count++;
    if (!prepare_share(s)) return false;
    if (s->share) s->observers[count++] = fo_share_observer(s->share, v->window / 500);
    s->def.run.observer_count = (uint32_t)count;
    s->def.note = talk_note, s->def.note_self = &s->talk;
    s->talk.quiet = o->quiet;
    if (o->interval.given) s->talk.every = o->interval.value;
    return true;
}

static int create(live_session *s)
{
    fo_message why = {0};
    s->live = fo_live_create(&s->def, &why);
    if (!s->live && why.status == FO_ERROR_ARGUMENT)
        return complain_usage(s->command, "%s", why.text);
    if (!s->live) {
        complain(s->command, "%s", why.text);
        return EXIT_FAILED;
    }
    s->talk.view.live = s->live;
    char text[512];
    if (s->options.socket && !socket_open(&s->talk.socket, s->options.socket, text, sizeof text)) {
        complain(s->command, "%s", text);
        return EXIT_FAILED;
    }
    written files = {.count = 0};
    written_add(&files, "--record", s->options.record);
    written_add(&files, "--output", s->options.output);
    written_add(&files, "--socket", s->options.socket);
    if (!written_differ(&files, s->command)) return EXIT_USAGE;
    if (!replace_may(s->command, "--record", s->options.record, replace_recording,
                     s->options.overwrite))
        return EXIT_FAILED;
    if (!s->options.overwrite)
        replace_note_model(s->command, "recording", s->options.record,
                           fo_model_system(s->model).about->name);
    if (s->options.record && fo_failed(fo_live_record(s->live, s->options.record))) {
        complain(s->command, "%s", fo_live_message(s->live)->text);
        return EXIT_FAILED;
    }
    return EXIT_FINE;
}

// ------------------------------------------------------------------------------------- running

static void announce(const live_session *s)
{
    if (s->options.quiet || s->options.json) return;
    fo_simulation *sim = fo_live_simulation(s->live);
    const fo_solver_info *solver = fo_simulation_solver(sim);
    char reason[256], text[1024];
    snprintf(text, sizeof text,
             "%s, live at speed %g, %g advances a second, policy %s\nsolver %s; %s\n",
             fo_model_system(s->model).about->name, s->def.speed, s->def.rate,
             fo_live_policy_text(s->def.policy),
             model_solver_reason(sim, s->options.solver, reason, sizeof reason),
             solver->traits & FO_FIXED_WORK ? "every step costs the same"
                                            : "it chooses its steps: frames cost more or less");
    print_lines(stdout, text, terminal_listing_width(stdout) - 1);
    fflush(stdout);
}

static void print_figures(const fo_live_figures *figures)
{
    foi_text_stream text;
    if (!foi_text_open(&text, NULL)) return;
    fo_live_figures_print(figures, text.out);
    if (foi_text_close(&text)) print_lines(stdout, text.text, terminal_listing_width(stdout) - 1);
    foi_text_free(&text);
}

static void report(const live_session *s)
{
    fo_live_figures figures;
    fo_live_measure(s->live, &figures);
    model_note_rebuilt(s->command, s->model);
    if (s->options.json)
        fo_live_figures_json(&figures, stdout);
    else if (!s->options.quiet)
        print_figures(&figures);
    if (s->options.record && !s->options.quiet && !s->options.json) {
        fputs("Recording\n  ", stdout);
        print_plain(stdout, s->options.record);
        printf(": %" PRIu64 " events\n", figures.events);
    }
    fflush(stdout);
}

static int verdict(const live_session *s, fo_status status)
{
    const fo_message *why = fo_live_message(s->live);
    if (interrupt_signal()) {
        complain(s->command, "interrupted at t = %.6g s", fo_live_look(s->live).t);
        return EXIT_SIGNALLED + interrupt_signal();
    }
    fo_live_phase phase = fo_live_look(s->live).phase;
    if (fo_failed(status) || phase == FO_LIVE_BY_POLICY) {
        complain(s->command, "%s", why->text);
        return EXIT_FAILED;
    }
    if (phase == FO_LIVE_BY_MODEL && !s->options.quiet && !s->options.json)
        printf("stopped by the model at t = %.6g s\n", fo_live_look(s->live).t);
    return EXIT_FINE;
}

// A run that ends by itself leaves its last screen; one that was told to end does not.
static void linger(live_session *s, fo_status status)
{
    fo_live_view now = fo_live_look(s->live);
    char text[FO_MESSAGE_SIZE];
    bool told = now.phase == FO_LIVE_BY_REQUEST || now.phase == FO_LIVE_AT_STOP;
    if (interrupt_signal() || told) return;
    const char *why = fo_failed(status) || now.phase == FO_LIVE_BY_POLICY
                          ? fo_live_message(s->live)->text
                          : "the model stopped";
    snprintf(text, sizeof text, "%.400s, t = %.6g s", why, now.t);
    talk_linger(&s->talk, text);
}

static int carry_out(live_session *s)
{
    announce(s);
    if (!talk_begin(&s->talk)) return EXIT_FAILED;
    interrupt_watch();
    fo_status status = fo_live_start(s->live);
    if (status == FO_OK) status = FO_REACHED;
    while (status == FO_REACHED && !interrupt_signal()) {
        fo_live_wait(s->live);
        status = fo_live_advance(s->live);
    }
    interrupt_obeyed();
    linger(s, status);
    talk_end(&s->talk);
    bool failed = fo_failed(status);
    if (!failed || fo_live_look(s->live).t > 0) report(s);
    int result = verdict(s, status);
    if (fo_failed(fo_live_record_end(s->live))) {
        complain(s->command, "%s", fo_live_message(s->live)->text);
        if (result == EXIT_FINE) result = EXIT_FAILED;
    }
    fo_message why = {0};
    if (fo_failed(fo_model_finish(s->model, &why))) {
        complain(s->command, "%s", why.text);
        if (result == EXIT_FINE) result = EXIT_FAILED;
    }
    return result;
}

static void clean_up(live_session *s)
{
    talk_end(&s->talk);
    fo_live_destroy(s->live);
    fo_share_destroy(s->share);
    picture_free(&s->talk.view.picture);
    scape_free(&s->scape);
    displays_free(&s->displays);
    free(s->talk.view.values);
    settings_free(&s->options.set);
    settings_free(&s->options.start);
    fo_model_close(s->model);
    free(s->settings);
}

static int run_session(live_session *s)
{
    if (s->options.output)
        return complain_usage(s->command, "--output goes with --replay: record the run first");
    if (!prepare_def(s)) return EXIT_USAGE;
    if (s->options.budget) return live_budget(s);
    if (!prepare_view(s)) return EXIT_USAGE;
    int result = create(s);
    return result == EXIT_FINE ? carry_out(s) : result;
}

static bool list_settings(live_session *s, const fo_recording *recording)
{
    const settings *set = &s->options.set, *start = &s->options.start;
    size_t count = set->count + start->count;
    const fo_setting *recorded = recording ? fo_recording_settings(recording, &count) : NULL;
    s->settings = calloc(count + 1, sizeof *s->settings);
    if (!s->settings) {
        complain(s->command, "out of memory");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool first = i < set->count;
        const setting *own = recorded ? NULL : first ? &set->list[i] : &start->list[i - set->count];
        s->settings[i] = recorded ? recorded[i] : (fo_setting){own->name, own->value, false};
    }
    s->setting_count = count;
    return true;
}

// As for 'foliot run': --set takes what is given from outside, --start what the model changes.
static int check_settings(const live_session *s)
{
    for (size_t i = 0; i < s->setting_count; i++) {
        const fo_setting *one = &s->settings[i];
        bool start = i >= s->options.set.count;
        fo_reference found;
        if (fo_system_find(fo_model_system(s->model), one->name, &found, NULL) != FO_OK) continue;
        bool inside = found.quantity == FO_STATE || found.quantity == FO_DISCRETE;
        if (inside != start)
            return complain_usage(s->command, "'%s' is %s: use --%s %s=%g", one->name,
                                  inside ? "a state or discrete" : "given from outside",
                                  inside ? "start" : "set", one->name, one->value);
    }
    return EXIT_FINE;
}

int live_open(live_session *s, const char *name, const fo_recording *recording)
{
    const live_options *o = &s->options;
    int result = EXIT_FAILED;
    if (!list_settings(s, recording)) return result;
    model_request request = {.settings = s->settings,
                             .setting_count = s->setting_count,
                             .program = o->program,
                             .native = o->native,
                             .quiet = o->quiet,
                             .tunable = true};
    s->opened = name;
    if (!limit_model(s->command, name, o->memory)) return EXIT_USAGE;
    s->model = model_open(s->command, name, &request, &result);
    return s->model ? recording ? EXIT_FINE : check_settings(s) : result;
}

static int run_live(const command *self, int argc, char **argv)
{
    live_session *s = calloc(1, sizeof *s);
    operands rest;
    int result = EXIT_USAGE;
    if (!s) {
        complain(self, "out of memory");
        return EXIT_FAILED;
    }
    s->command = self;
    talk_make(&s->talk);
    parse_result parsed = options_parse(self, argc, argv, &s->options, &rest);
    if (parsed == PARSE_HELP) result = EXIT_FINE;
    if (parsed == PARSE_FINE && s->options.replay) {
        result = live_replay(s, &rest);
    } else if (parsed == PARSE_FINE) {
        const char *name = model_operand(self, &rest);
        if (name) result = live_open(s, name, NULL);
        if (name && result == EXIT_FINE) result = run_session(s);
    }
    clean_up(s);
    free(s);
    return result;
}

const command command_live = {
    "live",     "MODEL",   "Run a model in real time; act on it while it runs.",
    live_table, live_more, run_live};
