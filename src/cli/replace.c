#include "cli/replace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/made.h"
#include "base/writer.h"

enum { LOOK = 64 };

const char *const replace_rows[] = {"time,", "time\n", "replication", "{\"model\"", NULL};
const char *const replace_moments[] = {"time,", "{\"time\"", NULL};
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

bool replace_plots(const command *c, const char *path, const char *format, bool overwrite)
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
        if (!may(c, "--gnuplot", file, files[i].beginnings, drawn)) return false;
        drawn = stat(file, &about) == 0 && about.st_size > 0;
    }
    return true;
}

// The first line that a run with these signals writes.
char *replace_header(fo_system system, const fo_reference *signals, size_t count, size_t *length)
{
    enum { NAME = 256 };
    char name[NAME];
    size_t size = sizeof "time\n";
    for (size_t i = 0; i < count; i++)
        size += 1 + foi_field_size(fo_system_name(system, signals[i], name, sizeof name));
    char *text = malloc(size + 1), *at = text;
    if (!text) return NULL;
    at = (char *)memcpy(at, "time", 4) + 4;
    for (size_t i = 0; i < count; i++) {
        *at++ = ',';
        at = foi_put_field(at, fo_system_name(system, signals[i], name, sizeof name));
    }
    *at++ = '\n', *at = 0;
    *length = (size_t)(at - text);
    return text;
}

bool replace_note(const command *c, const char *path, fo_system system, const fo_reference *signals,
                  size_t count)
{
    char few[LOOK];
    foi_origin maker;
    if (!path || strcmp(path, "-") == 0) return true;
    size_t got = beginning(path, few, sizeof few, &maker);
    if (got < 5 || memcmp(few, "time", 4) != 0) return true; // other formats say less
    size_t length = 0;
    char *own = replace_header(system, signals, count, &length),
         *there = own ? malloc(length) : NULL;
    bool other = there && (beginning(path, there, length, &maker) != length ||
                           memcmp(own, there, length) != 0);
    free(there);
    free(own);
    if (other && maker == FOI_MADE_BY_ANYBODY)
        complain(c, "%s is there with rows of other signals; --overwrite replaces it", path);
    else if (other)
        complain(c, "note: %s had rows of other signals, which are replaced", path);
    return !other || maker != FOI_MADE_BY_ANYBODY;
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
