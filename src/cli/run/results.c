#include "cli/run/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/made.h"
#include "cli/interrupt.h"
#include "cli/replace.h"
#include "cli/run/go_on.h"
#include "cli/terminal.h"
#include "report/inside.h"

static fo_status open_moments(results *r, fo_message *why)
{
    char mark[FO_CSV_MARK] = "";
    const go_on g = {.t = r->from};
    if (!r->moments_path || r->moments) return FO_OK;
    if (r->goes_on && fo_failed(go_on_mark(r->moments_path, &g, mark, why))) return FO_ERROR_INPUT;
    if (!mark[0] && fo_failed(replace_unchanged(&r->moments_seen, r->moments_path, why)))
        return FO_ERROR_INPUT;
    r->moments = mark[0] ? fo_moment_csv_resume(r->moments_path, mark, r->acts, NULL, why)
                         : fo_moment_csv_open(r->moments_path, r->acts, NULL, why);
    if (!r->moments) return FO_ERROR_INPUT;
    if (strcmp(r->moments_path, "-") != 0)
        foi_file_attribute(r->moments_path, r->system.about->name);
    return FO_OK;
}

fo_result_def results_rows_def(const results *r)
{
    return (fo_result_def){.path = r->rows_path,
                           .system = r->system,
                           .signals = r->signals.list,
                           .count = r->signals.count,
                           .time_unit = r->time_unit,
                           .units = r->units};
}

bool results_prepare(const command *c, results *r)
{
    fo_message why = {0};
    fo_result_format format;
    if (!r->rows_path) return true;
    if (fo_failed(fo_result_format_of(r->rows_path, &format, &why))) {
        complain_usage(c, "--output: %s", why.text);
        return false;
    }
    const fo_result_def def = results_rows_def(r);
    r->shown.count = fo_result_signals(&def, NULL);
    r->shown.list = calloc(r->shown.count + 1, sizeof *r->shown.list);
    if (!r->shown.list) {
        complain(c, "out of memory");
        return false;
    }
    fo_result_signals(&def, r->shown.list);
    return true;
}

static fo_status mark_rows(const results *r, char mark[FO_CSV_MARK], fo_message *why)
{
    size_t length;
    fo_result_format format;
    fo_status known = fo_result_format_of(r->rows_path, &format, why);
    if (fo_failed(known)) return known;
    const fo_result_def def = results_rows_def(r);
    char *header = foi_result_head(&def, &length);
    if (!header) return fo_fail(why, FO_ERROR_MEMORY, "no memory for the rows of %s", r->rows_path);
    const go_on g = {.t = r->from,
                     .interval = r->interval,
                     .header = r->units || format != FO_RESULT_CSV ? NULL : header};
    fo_status status = go_on_mark(r->rows_path, &g, mark, why);
    free(header);
    return status;
}

static fo_status open_rows(results *r, fo_message *why)
{
    if (!r->rows_path || r->rows) return FO_OK;
    char mark[FO_CSV_MARK] = "";
    const fo_result_def def = results_rows_def(r);
    if (r->goes_on && fo_failed(mark_rows(r, mark, why))) return FO_ERROR_INPUT;
    if (!mark[0] && fo_failed(replace_unchanged(&r->rows_seen, r->rows_path, why)))
        return FO_ERROR_INPUT;
    r->rows = mark[0] ? fo_result_resume(&def, mark, why) : fo_result_open(&def, why);
    return r->rows ? FO_OK : FO_ERROR_INPUT;
}

static const double GRACE = 0.05; // seconds after a signal in which a run may end by itself

static fo_status write_row(void *self, const fo_row *row, fo_message *why)
{
    results *r = self;
    fo_status status = open_rows(r, why);
    if (fo_failed(status)) return status;
    // one step may have any number of rows; most runs end by themselves soon after a signal
    if (interrupt_overdue(GRACE))
        return fo_fail(why, FO_ERROR_CANCELLED, "interrupted at t = %.6g s", row->t);
    fo_observer csv = fo_result_observer(r->rows, 0);
    return csv.row(csv.self, row, why);
}

static fo_status rows_progress(void *self, double t, double stop, fo_message *why)
{
    results *r = self;
    if (!r->rows) return FO_OK;
    fo_observer csv = fo_result_observer(r->rows, 0);
    return csv.progress ? csv.progress(csv.self, t, stop, why) : FO_OK;
}

static fo_status rows_keep(void *self, fo_message *why)
{
    results *r = self;
    if (!r->rows) return FO_OK;
    fo_observer csv = fo_result_observer(r->rows, 0);
    return csv.keep ? csv.keep(csv.self, why) : FO_OK;
}

fo_observer results_row_observer(results *r, double interval)
{
    return (fo_observer){.self = r,
                         .row = write_row,
                         .progress = rows_progress,
                         .keep = rows_keep,
                         .signals = r->shown.list,
                         .signal_count = r->shown.count,
                         .interval = interval};
}

static fo_status write_moment(void *self, const fo_moment *m, fo_message *why)
{
    results *r = self;
    fo_status status = open_moments(r, why);
    if (fo_failed(status)) return status;
    fo_observer csv = fo_moment_csv_observer(r->moments);
    return csv.moment(csv.self, m, why);
}

static fo_status moments_progress(void *self, double t, double stop, fo_message *why)
{
    results *r = self;
    fo_status status = open_moments(r, why); // a run without moments has a list, too: an empty one
    if (fo_failed(status)) return status;
    fo_observer csv = fo_moment_csv_observer(r->moments);
    return csv.progress(csv.self, t, stop, why);
}

static fo_status moments_keep(void *self, fo_message *why)
{
    results *r = self;
    if (!r->moments) return FO_OK;
    fo_observer csv = fo_moment_csv_observer(r->moments);
    return csv.keep(csv.self, why);
}

// The moments of a world are those of its event list, which its acts tell better; and a world whose
// moments nobody watches runs them by itself. What comes from outside is a moment of its own.
fo_observer results_moment_observer(results *r)
{
    bool acts = r->acts == FO_ACTS_PROCESSES && !r->outside;
    return (fo_observer){.self = r,
                         .moment = acts ? NULL : write_moment,
                         .progress = moments_progress,
                         .keep = moments_keep,
                         .interval = -1};
}

static fo_status write_act(void *self, const fo_act *act, fo_message *why)
{
    results *r = self;
    fo_status status = open_moments(r, why);
    if (fo_failed(status)) return status;
    fo_trace csv = fo_moment_csv_trace(r->moments);
    return csv.act(csv.self, act, why);
}

fo_trace results_trace(results *r)
{
    return (fo_trace){.self = r, .act = write_act};
}

fo_status results_close(results *r, fo_message *why)
{
    fo_message second = {0};
    if (r->rows) r->row_count = foi_result_rows_written(r->rows);
    if (r->rows) fo_result_changed(r->rows, r->changed, sizeof r->changed);
    if (r->moments) r->moment_count = foi_moment_csv_rows_written(r->moments);
    fo_status status = fo_result_close(r->rows, why);
    fo_status other = fo_moment_csv_close(r->moments, &second);
    r->rows = NULL, r->moments = NULL;
    if (!fo_failed(status) && fo_failed(other)) *why = second, status = other;
    return status;
}

// ----------------------------------------------------------------------------------- checkpoints

fo_status results_keep(results *r, fo_message *why)
{
    fo_status status = rows_keep(r, why);
    return fo_failed(status) ? status : moments_keep(r, why);
}

void results_mark(const results *r, char rows[FO_CSV_MARK], char moments[FO_CSV_MARK])
{
    if (!r->rows || !fo_result_mark(r->rows, rows)) rows[0] = 0;
    if (!r->moments || !fo_moment_csv_mark(r->moments, moments)) moments[0] = 0;
}

fo_status results_resume(results *r, const char *rows, const char *moments, fo_message *why)
{
    const fo_result_def def = results_rows_def(r);
    if (r->rows_path && rows) r->rows = fo_result_resume(&def, rows, why);
    if (r->rows_path && rows && !r->rows) return FO_ERROR_INPUT;
    if (r->moments_path && moments)
        r->moments = fo_moment_csv_resume(r->moments_path, moments, r->acts, NULL, why);
    return r->moments_path && moments && !r->moments ? FO_ERROR_INPUT : FO_OK;
}
