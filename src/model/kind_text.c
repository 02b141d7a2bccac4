/// Models as text: *.mo, or a folder with package.mo; *.mo:Package.Model for one of several.
#include <math.h>
#include <string.h>

#include "model/model.h"

// Where the name of the file ends: after its last ".mo" that nothing or a ':' follows.
static bool meant(const char *name, const char **end)
{
    const char *found = NULL;
    for (const char *c = name; (c = strstr(c, ".mo")); c += 3)
        if (c > name && (c[3] == 0 || c[3] == ':')) found = c + 3;
    if (found) *end = found;
    return found != NULL;
}

static void take_finding(void *self, const fo_finding *f)
{
    foi_model_find_fault(self, f, NULL);
}

// What the experiment annotation does not say is a run of one second in 500 rows.
static void take_experiment(fo_model *m)
{
    fo_experiment e = fo_text_model_experiment(m->text);
    m->run.start = isnan(e.start) ? 0 : e.start;
    m->run.stop = isnan(e.stop) ? m->run.start + 1 : e.stop;
    m->run.rtol = isnan(e.tolerance) ? 0 : e.tolerance;
    m->run.atol = m->run.rtol * 1e-3;
    m->interval = isnan(e.interval) ? (m->run.stop - m->run.start) / 500 : e.interval;
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    fo_text_model_def text = {.path = m->path,
                              .text = def->text,
                              .model = def->name,
                              .libraries = def->libraries,
                              .settings = m->settings,
                              .setting_count = m->setting_count,
                              .found = take_finding,
                              .found_self = m,
                              .allocator = m->allocator};
    m->text = fo_text_model_open(&text, why);
    if (!m->text) return why->status;
    m->system = fo_text_model_system(m->text);
    take_experiment(m);
    return FO_OK;
}

const foi_model_kind foi_kind_text = {
    .name = "text", .about = "a text *.mo", .ending = ".mo", .meant = meant, .open = open};
