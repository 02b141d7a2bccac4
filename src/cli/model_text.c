// Models as text: *.mo, or a folder with package.mo; *.mo:Package.Model for one of several.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/model.h"
#include "cli/options.h"

enum { MOST_LIBRARIES = 32, MOST_PATH = 4096 };

// Where the name of the file ends: after its last ".mo" that nothing or a ':' follows.
static const char *end_of_path(const char *argument)
{
    const char *end = NULL;
    for (const char *c = argument; (c = strstr(c, ".mo")); c += 3)
        if (c > argument && (c[3] == 0 || c[3] == ':')) end = c + 3;
    return end;
}

bool text_meant(const char *argument)
{
    return end_of_path(argument) != NULL;
}

static void close_text(void *owner)
{
    fo_text_model_close(owner);
}

// The folders of MODELICAPATH, as other tools for the language have it.
static void find_libraries(char *text, const char **list)
{
    size_t count = 0;
    for (char *part = strtok(text, ":"); part && count < MOST_LIBRARIES; part = strtok(NULL, ":"))
        list[count++] = part;
    list[count] = NULL;
}

static fo_text_setting *make_settings(const settings *set)
{
    fo_text_setting *list = calloc(set && set->count ? set->count : 1, sizeof *list);
    for (size_t i = 0; list && set && i < set->count; i++)
        list[i] = (fo_text_setting){set->list[i].name, set->list[i].value, false};
    return list;
}

// Messages go to standard error as a compiler's would: file:line:column, the line, a caret.
static fo_text_model *read_text(const char *argument, settings *set, fo_message *why)
{
    char path[MOST_PATH], folders[MOST_PATH];
    const char *libraries[MOST_LIBRARIES + 1], *end = end_of_path(argument);
    const char *others = getenv("MODELICAPATH");
    snprintf(path, sizeof path, "%.*s", (int)(end - argument), argument);
    snprintf(folders, sizeof folders, "%s", others ? others : "");
    find_libraries(folders, libraries);
    fo_text_setting *list = make_settings(set);
    fo_text_model_def def = {.path = path,
                             .model = *end ? end + 1 : NULL,
                             .libraries = libraries,
                             .settings = list,
                             .setting_count = list && set ? set->count : 0,
                             .messages = stderr};
    fo_text_model *text = fo_text_model_open(&def, why);
    for (size_t i = 0; i < def.setting_count; i++) set->list[i].done = list[i].taken;
    free(list);
    return text;
}

bool text_open(const char *argument, model *m, fo_message *why)
{
    fo_text_model *text = read_text(argument, m->set, why);
    if (!text) return false;
    fo_experiment e = fo_text_model_experiment(text);
    double start = isnan(e.start) ? 0 : e.start, stop = isnan(e.stop) ? start + 1 : e.stop;
    double tolerance = isnan(e.tolerance) ? 0 : e.tolerance;
    *m = (model){.system = fo_text_model_system(text),
                 .start = start,
                 .stop = stop,
                 .interval = isnan(e.interval) ? (stop - start) / 500 : e.interval,
                 .rtol = tolerance,
                 .atol = tolerance * 1e-3,
                 .text = text,
                 .owner = text,
                 .close = close_text};
    return true;
}
