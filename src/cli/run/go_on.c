#include "cli/run/go_on.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "report/mark.h"

// The time of a line: its first field, in JSON its first element or member. Not a number where it
// has none.
static double time_of(const char *line)
{
    line += strspn(line, ",[");
    if (*line == '{') line += strcspn(line, ":");
    if (*line == ':') line++;
    char *end;
    double t = strtod(line, &end);
    return end != line && strchr(",}]\n", *end) ? t : NAN;
}

typedef struct stand {
    long end;      ///< of the last row that stays
    uint64_t rows; ///< that stay
    double last;   ///< its time
    bool any;      ///< there is a line
} stand;

// Reads until the first row after the checkpoint, or a line that is not whole. NULL, or what is
// wrong.
static const char *look_through(FILE *file, const go_on *g, stand *s)
{
    char *line = NULL;
    size_t size = 0;
    const char *wrong = NULL;
    for (ssize_t n; !wrong && (n = getline(&line, &size, file)) > 0; s->any = true) {
        if (line[n - 1] != '\n' || line[0] == ']') break; // a part of one, or the end of JSON
        double t = time_of(line);
        bool head = isnan(t) && s->rows == 0; // names, and perhaps units
        if (!s->any && head && g->header && strcmp(line, g->header) != 0)
            wrong = "it has rows of other signals";
        else if (!head && isnan(t))
            wrong = "it has a line without a time";
        else if (!head && t > g->t)
            break;
        if (wrong) break;
        s->end += n;
        if (!head) s->rows++, s->last = t;
    }
    if (!wrong && ferror(file)) wrong = strerror(errno);
    free(line);
    return wrong;
}

fo_status go_on_mark(const char *path, const go_on *g, char mark[FO_CSV_MARK], fo_message *why)
{
    stand s = {.last = -INFINITY};
    foi_mark at;
    mark[0] = 0;
    const char *wrong = NULL;
    FILE *file = foi_file_plain(path, &wrong);
    if (!file && errno == ENOENT) return FO_OK;
    if (file) wrong = look_through(file, g, &s);
    bool there = file && !wrong && s.any;
    if (there && g->interval > 0 && !(g->t - s.last < 1.5 * g->interval)) {
        fclose(file);
        return fo_fail(
            why, FO_ERROR_INPUT,
            "cannot continue %s: the checkpoint is of t = %.9g, and its rows before that "
            "end at %.9g; with another file the rows after the checkpoint are written",
            path, g->t, s.last);
    }
    if (there && !foi_mark_at(fileno(file), (uint64_t)s.end, s.rows, &at)) wrong = strerror(errno);
    if (file) fclose(file);
    if (wrong) return fo_fail(why, FO_ERROR_INPUT, "cannot continue %s: %s", path, wrong);
    if (there) foi_mark_write(&at, &(foi_last_row){0}, mark);
    return FO_OK;
}
