#include "cli/replace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/made.h"
#include "base/writer.h"
#include "report/inside.h"

enum { LOOK = 64 };

const char *const replace_rows[] = {"time,", "time\n", "replication", "{\"model\"", NULL};
const char *const replace_moments[] = {"time,name,kind,k", "{\"time\"", NULL};
const char *const replace_checkpoint[] = {"foliot-run-", "foliot-field-", NULL};
const char *const replace_recording[] = {"foliot live recording", NULL};

// The beginning of a plain file that is not empty, and who made it; 0: there is none.
static size_t beginning(const char *path, char *text, size_t size, foi_origin *maker)
{
    struct stat about;
    const char *wrong;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return 0;
    FILE *file = foi_file_plain(path, &wrong);
    size_t got = file ? fread(text, 1, size, file) : 0;
    *maker = file ? foi_file_origin(fileno(file)) : FOI_MADE_BY_ANYBODY;
    if (file) fclose(file);
    return got;
}

// Results for Modelica's tools have the name of their first matrix behind its head.
static bool is_mat(const char *text, size_t got)
{
    return got >= 27 && memcmp(text + 20, "Aclass", 7) == 0;
}

static bool begins_so(const char *text, size_t got, const char *const *beginnings)
{
    if (beginnings == replace_rows && is_mat(text, got)) return true;
    if (beginnings == replace_rows && begins_so(text, got, replace_moments)) return false;
    for (; *beginnings; beginnings++) {
        size_t length = strlen(*beginnings);
        if (got >= length && memcmp(text, *beginnings, length) == 0) return true;
    }
    return false;
}

// Nobody else's files begin with this program's name.
static bool has_our_name(const char *text, size_t got)
{
    return got >= 7 && memcmp(text, "foliot", 6) == 0 && (text[6] == ' ' || text[6] == '-');
}

static bool may(const command *c, const char *by, const char *path, const char *const *beginnings,
                bool any_maker)
{
    char text[LOOK];
    foi_origin origin;
    size_t got = beginning(path, text, sizeof text, &origin);
    if (!got) return true;
    if (!begins_so(text, got, beginnings))
        complain(c, "%s is there and is not what %s writes; --overwrite replaces it", path, by);
    else if (origin == FOI_MADE_BY_OTHERS && !any_maker && !has_our_name(text, got))
        complain(c,
                 "%s is there and was made or changed by somebody else than this program; "
                 "--overwrite replaces it",
                 path);
    else
        return true;
    return false;
}

bool replace_may(const command *c, const char *by, const char *path, const char *const *beginnings,
                 bool overwrite)
{
    return !path || overwrite || strcmp(path, "-") == 0 || may(c, by, path, beginnings, false);
}

bool replace_plain(const command *c, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode)) return true;
    complain(c, "cannot write %s: it is no plain file", path);
    return false;
}

// The folder in which a file is or would be, and its name there.
static const char *place_of(const char *path, struct stat *folder)
{
    const char *slash = strrchr(path, '/');
    char above[4096];
    snprintf(above, sizeof above, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
    return stat(above, folder) == 0 ? slash ? slash + 1 : path : NULL;
}

bool replace_same(const char *a, const char *b)
{
    struct stat one, other;
    if (!a || !b) return false;
    if (strcmp(a, b) == 0) return true;
    bool there = stat(a, &one) == 0;
    if (there != (stat(b, &other) == 0)) return false;
    if (there)
        return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    const char *name = place_of(a, &one), *another = place_of(b, &other);
    return name && another && strcmp(name, another) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

fo_status replace_unchanged(const foi_sight *seen, const char *path, fo_message *why)
{
    if (foi_file_unchanged(seen, path)) return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT,
                   "%s was written by somebody else since this run began; --overwrite replaces it",
                   path);
}

bool replace_plots(const command *c, const char *path, const char *format, bool overwrite,
                   foi_sight seen[3])
{
    static const char *const data[] = {"# 0\n", NULL}, *const script[] = {"set terminal", NULL},
                             *const png[] = {"\x89PNG", NULL}, *const pdf[] = {"%PDF", NULL},
                             *const svg[] = {"<?xml", NULL};
    const struct {
        const char *ending, *const *beginnings;
    } files[] = {{"dat", data},
                 {"gp", script},
                 {format, strcmp(format, "png") == 0   ? png
                          : strcmp(format, "pdf") == 0 ? pdf
                                                       : svg}};
    bool drawn = false; // with a script of ours it is of ours, also where we were killed meanwhile
    for (int i = 0; i < 3 && !overwrite; i++) {
        char file[4200];
        struct stat about;
        snprintf(file, sizeof file, "%s.%s", path, files[i].ending);
        if (seen) seen[i] = foi_file_look(file);
        if (!may(c, "--gnuplot", file, files[i].beginnings, drawn)) return false;
        drawn = stat(file, &about) == 0 && about.st_size > 0;
    }
    return true;
}

fo_status replace_plots_unchanged(const foi_sight seen[3], const char *path, const char *format,
                                  fo_message *why)
{
    const char *const endings[] = {"dat", "gp", format};
    fo_status status = FO_OK;
    for (int i = 0; i < 3 && !fo_failed(status); i++) {
        char file[4200];
        snprintf(file, sizeof file, "%s.%s", path, endings[i]);
        status = replace_unchanged(&seen[i], file, why);
    }
    return status;
}

bool replace_note(const command *c, const fo_result_def *def)
{
    char few[LOOK];
    foi_origin maker;
    const char *path = def->path;
    if (!path || strcmp(path, "-") == 0 || !beginning(path, few, sizeof few, &maker)) return true;
    size_t length = 0;
    char *own = foi_result_head(def, &length), *there = own ? malloc(length) : NULL;
    bool other = there && (beginning(path, there, length, &maker) != length ||
                           memcmp(own, there, length) != 0);
    free(there);
    free(own);
    const char *what = few[0] == '{' ? "rows of another model or other signals" // it has its name
                                     : "rows of other signals";
    if (other && maker == FOI_MADE_BY_ANYBODY)
        complain(c, "%s is there with %s; --overwrite replaces it", path, what);
    else if (other)
        complain(c, "note: %s had %s, which are replaced", path, what);
    return !other || maker != FOI_MADE_BY_ANYBODY;
}

// The model that a checkpoint or a recording names near its beginning; NULL: none is found. The
// text has a zero at its end.
static const char *named_model(char *text, size_t got)
{
    // a checkpoint: the head, the definition's, the length of a name, the name, that of its value
    enum { KEY = 40, VALUE = KEY + sizeof "model" + 4 };
    if (got > VALUE && memcmp(text + KEY, "model", sizeof "model") == 0) return text + VALUE;
    char *line = memchr(text, '\n', got);
    if (!line || strncmp(line + 1, "model ", 6) != 0) return NULL;
    line[7 + strcspn(line + 7, "\n")] = 0;
    return line + 7;
}

void replace_note_model(const command *c, const char *what, const char *path, const char *model)
{
    char text[512];
    foi_origin maker;
    if (!path || strcmp(path, "-") == 0) return;
    size_t got = beginning(path, text, sizeof text - 1, &maker);
    text[got] = 0;
    const char *there = got ? named_model(text, got) : NULL;
    if (there && strcmp(there, model) != 0)
        complain(c, "note: %s was the %s of '%s', which is replaced", path, what, there);
}

void replace_note_moments(const command *c, const char *path, const char *model)
{
    char few[LOOK], there[256], own[256];
    foi_origin maker;
    if (!path || strcmp(path, "-") == 0 || !beginning(path, few, sizeof few, &maker)) return;
    snprintf(own, sizeof own, "%s", model); // names are compared as far as they are kept
    if (foi_file_attributed(path, there, sizeof there) && strcmp(there, own) != 0)
        complain(c, "note: %s had moments of '%s', which are replaced", path, there);
}

// A device or a pipe by its name: it is written as rows are, with a limit to every wait.
static fo_status pour(const char *path, const char *text, size_t length, fo_message *why)
{
    foi_writer out;
    fflush(stdout); // what was printed before stands before it
    if (fo_failed(foi_writer_open(&out, path, length, NULL, why))) return FO_ERROR_INPUT;
    char *row = foi_writer_row(&out, why);
    if (row && length) memcpy(row, text, length);
    if (row) foi_writer_row_end(&out, row + length);
    return foi_writer_close(&out, why);
}

bool replace_save(const command *c, const char *by, const char *path, const char *text,
                  size_t length, const char *const *beginnings, bool overwrite)
{
    struct stat about;
    fo_message why = {0};
    if (!replace_may(c, by, path, beginnings, overwrite)) return false;
    bool plain = strcmp(path, "-") != 0 && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
    fo_status status =
        plain ? foi_file_save(path, text, length, NULL, &why) : pour(path, text, length, &why);
    if (fo_failed(status)) complain(c, "%s", why.text);
    return !fo_failed(status);
}
