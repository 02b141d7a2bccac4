/// The moments of a run: the first ones, and how many of each.
#ifndef CLI_MOMENT_LOG_H
#define CLI_MOMENT_LOG_H

#include <foliot/foliot.h>
#include <stdio.h>

enum { LOG_SOURCES = 64, LOG_NAME = 64, LOG_STAYS = 20, LOG_WHY = 48, LOG_SUM = 4096 };

typedef struct logged_moment {
    double t;
    uint32_t k;
    fo_moment_kind kind;
    fo_direction direction;
    char name[LOG_NAME];
} logged_moment;

/// Moments of one name and kind.
typedef struct moment_source {
    fo_moment_kind kind;
    uint32_t index;
    uint64_t count;
    double first, last; ///< when
    char name[LOG_NAME];
} moment_source;

/// A guard held at zero: slid along, or rested on.
typedef struct logged_stay {
    bool slide, ended;
    uint32_t index;
    double from, to;
    char name[LOG_NAME], why[LOG_WHY];
} logged_stay;

typedef struct moment_log {
    uint64_t count;
    uint64_t before;     ///< of these, before the checkpoint that the run goes on from
    bool listed;         ///< each one is kept, for moment_log_print
    logged_moment *list; ///< as many as there was memory for, at most a million
    size_t list_count, list_room;
    bool lost; ///< the list ends early: no memory
    moment_source sources[LOG_SOURCES];
    size_t source_count;
    logged_stay stays[LOG_STAYS];
    uint64_t stay_count;
} moment_log;

fo_observer moment_log_observer(moment_log *log);
/// --moments: the table of all that are kept; `file` is where all moments were written, or NULL;
/// `since` says when the list begins, "" where it is whole.
void moment_log_print(FILE *out, const moment_log *log, const char *file, const char *since);
/// "19 collisions, first 0.482, last 14.6; top2 at 0.918", of a run from `start` on. Returns
/// `text`, LOG_SUM bytes.
const char *moment_log_sum(const moment_log *log, double start, char *text);
void moment_log_free(moment_log *log);

/// The figures, for a checkpoint, to be freed; NULL without memory. Reads them into an empty log;
/// false where they cannot be those of one. The list begins with what comes after them.
char *moment_log_text(const moment_log *log);
bool moment_log_read(moment_log *log, const char *text);

/// Prints a line for each stay of a run up to `end`: "slides on x = 0 from 1 s to 3.2124 s".
void moment_log_print_stays(FILE *out, const moment_log *log, double end, const char *unit);

#endif
