/// What a run has cost, what came out, and where its results are.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <foliot/foliot.h>
#include <stdio.h>

#include "cli/displays.h"
#include "cli/run/moment_log.h"
#include "cli/run/results.h"

/// What there is to say. On a terminal on which the plot stands the short part follows it, in at
/// most SUMMARY_LINES lines, and the rest comes before it.
typedef struct summary {
    fo_simulation *sim;
    const results *results;
    const moment_log *log; ///< NULL: not kept
    double start, seconds; ///< of the run, and how long it took
    bool restarted;        ///< the run went on
    double from;           ///< from there, which is what `seconds` count
    bool partial;          ///< the log begins there, too
    const char *time_unit;
    const char *const *totals; ///< outputs that the run is made for; NULL: none
    const signals *shown;      ///< signals whose last values are told; NULL: none
    displays *displays;        ///< what Displays of a diagram show; NULL: nothing
    bool events;               ///< how many events of processes there were is told elsewhere
} summary;

enum { SUMMARY_LINES = 8 };

/// Time, steps, moments, last values, files. `brief`: in at most SUMMARY_LINES - 1 lines.
void summary_print(FILE *out, const summary *s, bool brief);
/// What it has cost, and guards that are not certified.
void summary_details(FILE *out, const summary *s);

/// --json: all of it. `message` may be NULL.
void summary_json(FILE *out, const summary *s, const char *status, const char *message);

#endif
