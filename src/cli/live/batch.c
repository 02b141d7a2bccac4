// foliot live --budget and --replay: what needs no clock.
#include <stdio.h>
#include <string.h>

#include "cli/live/session.h"
#include "cli/replace.h"

// --------------------------------------------------------------------------------------- budget

static void print_budget(const live_session *s, const fo_live_budget *b)
{
    const fo_live_histogram *h = &b->computing;
    double mean = h->count ? h->sum / (double)h->count : 0;
    double p999 = fo_live_histogram_quantile(h, 0.999);
    printf("%s: %llu frames of %.4g ms of simulated time\n", fo_model_system(s->model).about->name,
           (unsigned long long)h->count, 1e3 * b->period * s->def.speed);
    printf("  a frame takes  mean %.2f  p50 %.2f  p99 %.2f  p99.9 %.2f  worst %.2f us\n",
           1e6 * mean, 1e6 * fo_live_histogram_quantile(h, 0.5),
           1e6 * fo_live_histogram_quantile(h, 0.99), 1e6 * p999, 1e6 * h->worst);
    printf("  the method     %s\n", b->fixed_work
                                        ? "has fixed work in a step"
                                        : "chooses its steps: what was measured may be exceeded");
    printf("  this machine   holds %.0f frames a second in 99.9 %% of them, %.0f in all\n",
           b->rate_p999, b->rate_worst);
    printf("  at %g a second R = %.3g; %s\n", 1 / b->period, mean / b->period,
           h->worst <= b->period ? "every frame fits its period"
           : p999 <= b->period   ? "99.9 % of the frames fit their period"
                                 : "the rate is too high");
}

static void print_budget_json(const fo_live_budget *b)
{
    const fo_live_histogram *h = &b->computing;
    double mean = h->count ? h->sum / (double)h->count : 0;
    printf("{\"frames\": %llu, \"period\": %.9g, \"mean\": %.9g, \"p99\": %.9g, \"p999\": %.9g, "
           "\"worst\": %.9g, \"fixed_work\": %s, \"rate_p999\": %.6g, \"rate_worst\": %.6g}\n",
           (unsigned long long)h->count, b->period, mean, fo_live_histogram_quantile(h, 0.99),
           fo_live_histogram_quantile(h, 0.999), h->worst, b->fixed_work ? "true" : "false",
           b->rate_p999, b->rate_worst);
}

int live_budget(live_session *s)
{
    enum { FRAMES = 20000 };
    fo_message why = {0};
    fo_live_budget budget;
    fo_status status = fo_live_budget_measure(&s->def, FRAMES, &budget, &why);
    if (status == FO_ERROR_ARGUMENT) return complain_usage(s->command, "%s", why.text);
    if (fo_failed(status)) {
        complain(s->command, "%s", why.text);
        return EXIT_FAILED;
    }
    if (s->options.json)
        print_budget_json(&budget);
    else
        print_budget(s, &budget);
    return EXIT_FINE;
}

// --------------------------------------------------------------------------------------- replay

// A recording may come from anyone: code is run only where the command line names it.
static bool is_code(const char *name)
{
    fo_model_def def = fo_default_model_def();
    def.name = name;
    const char *kind = fo_model_find(&def, NULL, 0);
    return kind && strcmp(kind, "library") == 0;
}

static int open_model(live_session *s, const operands *rest, const fo_recording *r)
{
    if (rest->count > 1)
        return complain_usage(s->command, "expected one MODEL, found one more argument: '%s'",
                              rest->list[1]);
    const char *name = rest->count ? rest->list[0] : fo_recording_opened(r);
    if (!name)
        return complain_usage(
            s->command, "the recording is of '%s' and does not say from where: name the MODEL",
            fo_recording_model(r));
    if (!rest->count && is_code(name))
        return complain_usage(s->command, "the recording is of code, '%s': name the MODEL", name);
    return live_open(s, name, r);
}

/// What --output gets.
typedef struct output {
    fo_result_def def;
    fo_result_file *file; ///< NULL: nothing is written
} output;

static bool open_output(live_session *s, output *o, fo_observer *observer)
{
    fo_message why = {0};
    *o = (output){.def = fo_default_result_def()};
    if (!s->options.output) return true;
    if (!replace_may(s->command, "--output", s->options.output, replace_rows, s->options.overwrite))
        return false;
    o->def.path = s->options.output, o->def.system = fo_model_system(s->model);
    o->def.signals = fo_model_rows(s->model, &o->def.count);
    o->def.time_unit = fo_model_time_unit(s->model);
    if (!s->options.overwrite && !replace_note(s->command, &o->def)) return false;
    o->file = fo_result_open(&o->def, &why);
    if (!o->file && why.status == FO_ERROR_ARGUMENT)
        complain_usage(s->command, "--output: %s", why.text);
    else if (!o->file)
        complain(s->command, "%s", why.text);
    if (o->file) *observer = fo_result_observer(o->file, fo_model_interval(s->model));
    return o->file;
}

static int replay(live_session *s, const fo_recording *r)
{
    output o;
    fo_observer observer;
    fo_simulation *sim = NULL;
    fo_message why = {0}, closing = {0};
    if (!open_output(s, &o, &observer)) return EXIT_FAILED;
    fo_status status = fo_recording_replay(r, fo_model_system(s->model), o.file ? &observer : NULL,
                                           o.file ? 1 : 0, &sim, &why);
    fo_status closed = fo_result_close(o.file, &closing);
    bool written = !s->options.output || strcmp(s->options.output, "-") != 0;
    if (!fo_failed(status) && written && !s->options.quiet)
        printf("%s: %zu events replayed until t = %.6g s, state %016llx\n", fo_recording_model(r),
               fo_recording_events(r), fo_simulation_time(sim),
               (unsigned long long)fo_simulation_hash(sim));
    if (fo_failed(status)) complain(s->command, "%s", why.text);
    if (fo_failed(closed) && closed != FO_ERROR_CANCELLED) {
        complain(s->command, "%s", closing.text);
        status = closed;
    }
    fo_simulation_destroy(sim);
    return fo_failed(status) ? EXIT_FAILED : EXIT_FINE;
}

int live_replay(live_session *s, const operands *rest)
{
    const live_options *o = &s->options;
    fo_message why = {0};
    if (o->record || o->socket || o->budget || o->speed.given || o->rate.given || o->stop.given ||
        o->solver || o->step.given || o->set.count || o->start.count)
        return complain_usage(s->command,
                              "--replay does what was recorded; only --output, --quiet and a MODEL "
                              "go with it");
    fo_recording *r = fo_recording_open(o->replay, NULL, &why);
    if (!r) {
        complain(s->command, "%s", why.text);
        return EXIT_FAILED;
    }
    int result = open_model(s, rest, r);
    if (result == EXIT_FINE) result = replay(s, r);
    fo_recording_close(r);
    return result;
}
