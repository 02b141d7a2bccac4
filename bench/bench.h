/// What all benchmarks share: the clock, the race between ours and its peers, the table and the
/// CSV file.
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/// Processor time that this thread has used [s].
double bench_seconds(void);

/// One runner of a race. `run` does the work once and returns its figure (ns per step, an error,
/// ...), or a NAN when something broke; NULL: the runner is not here.
typedef struct bench_runner {
    double (*run)(void *self);
    void *self;
    double best; ///< the least figure of all repetitions; NAN: did not run
} bench_runner;

/// Lets all runners run in turn, `repeats` times, and keeps the least figure of each: what other
/// programs do to the machine then hits all of them alike, and the least is what disturbs least.
/// False when one broke.
bool bench_race(bench_runner *runners, size_t count, int repeats);

/// A table being printed and its CSV file being written.
typedef struct bench_table {
    FILE *csv;
    const char *name;
    bool broken;
} bench_table;

/// One line: what was measured, against whom, and what was wanted.
typedef struct bench_line {
    const char *what; ///< "dp45 pendulum"
    const char *peer; ///< "hand-written loop"
    const char *unit; ///< "ns/step"
    double ours, theirs;
    double target;    ///< the ratio ours/theirs should be at most this; 0: nothing is wanted
    const char *note; ///< NULL, or a word behind the line
} bench_line;

/// Opens <folder>/<name>.csv, where the folder is the program's argument. False when that fails.
bool bench_open(bench_table *table, const char *name, int argc, char **argv);
/// A heading, and what the lines after it have in common.
void bench_title(const char *text);
/// Prints a line and writes it. A peer that is not here (theirs is a NAN) is noted as skipped.
void bench_add(bench_table *table, bench_line line);
/// Says on standard error what went wrong; the program's exit code is then 1.
__attribute__((format(printf, 2, 3))) void bench_break(bench_table *table, const char *format, ...);
/// Closes the file and returns the exit code: 1 when something broke, missed targets are none.
int bench_close(bench_table *table);

#endif
