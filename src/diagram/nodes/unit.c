// Units of other tools as nodes. A unit is code: it runs where it was named beside the document, or
// where the document is trusted.
#include <foliot/fmi.h>
#include <string.h>
#include <sys/stat.h>

#include "diagram/diagram.h"
#include "diagram/nodes/node_doc.h"
#include "diagram/run/guest.h"

static void close_unit(void *owner)
{
    fo_fmu_close(owner);
}

// A file beside the document, unless the path says where it is.
static const char *beside(foi_build *b, const char *path)
{
    const char *document = foi_json_name(b->json), *slash = strrchr(document, '/');
    if (path[0] == '/' || !slash) return path;
    return foi_arena_print(b->arena, "%.*s/%s", (int)(slash - document), document, path);
}

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

static fo_status open_unit(foi_build *b, foi_node *n, foi_guest *g)
{
    const char *path = beside(b, n->settings[0].text);
    fo_message why = {0};
    fo_fmu_def def = fo_default_fmu_def();
    def.type = FO_FMU_MODEL_EXCHANGE; // it flows with the diagram
    def.allocator = b->diagram->allocator;
    if (!path) return no_memory(b);
    g->owner = fo_fmu_open(path, &def, &why);
    if (g->owner) return FO_OK;
    if (why.status == FO_ERROR_MEMORY) {
        *b->why = why;
        return FO_ERROR_MEMORY;
    }
    return foi_node_refuse(b, n, "%s", why.text);
}

// Its outputs, and states that are outputs.
static fo_status show_outputs(foi_build *b, foi_guest *g)
{
    const fo_description *d = g->system.about;
    fo_status status = FO_OK;
    for (size_t i = 0; i < d->states.count && status == FO_OK; i++)
        if (d->states.list[i].causality == FO_CAUSALITY_OUTPUT)
            status = foi_guest_show(b, g, d->states.list[i].name);
    for (size_t i = 0; i < d->outputs.count && status == FO_OK; i++)
        status = foi_guest_show(b, g, d->outputs.list[i].name);
    return status;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool may_run(foi_build *b, const foi_node *n)
{
    const foi_diagram *d = b->diagram;
    const char *path = beside(b, n->settings[0].text);
    if (!d->files && !d->units) return true;
    for (size_t i = 0; path && i < d->unit_count; i++)
        if (same_file(path, d->units[i])) return true;
    return false;
}

static fo_status prepare(foi_build *b, foi_node *n)
{
    if (!may_run(b, n))
        return foi_node_refuse(
            b, n, "'%s' is code, which runs only where the command names it: --node-types %s",
            n->settings[0].text, n->settings[0].text);
    foi_guest *g = foi_arena_new(b->arena, 1, sizeof *g);
    if (!g) return no_memory(b);
    fo_status status = open_unit(b, n, g);
    if (status != FO_OK) return status;
    g->close = close_unit;
    g->system = fo_fmu_system(g->owner);
    n->extra = g;
    status = show_outputs(b, g);
    return status == FO_OK ? foi_guest_prepare(b, n, n->settings[1].text) : status;
}

static const foi_node_type unit = {
    .name = "FMU",
    .set = "Models",
    .about =
        "An FMU of another tool (*.fmu, FMI 2.0 or 3.0) as a node, in Model Exchange: its states "
        "and events belong to the run of the diagram. It is code, which runs in a process of its "
        "own, and only where it is named with --node-types, too.",
    .inputs = "",
    .outputs = "",
    .ports = "the inputs and outputs of the FMU, in the order of its description; states first",
    .parameters = (const foi_parameter[]){{"File Name", FOI_PARAMETER_TEXT, "None", NULL,
                                           "an FMU, beside the diagram's document"},
                                          {"Parameters", FOI_PARAMETER_TEXT, "", NULL,
                                           "of the FMU: \"name=value; name=value\""},
                                          {0}},
    PROPERTIES(REAL_ONLY, "where an output depends directly on an input", CONTINUOUS, NOT_SUPPORTED,
               "single number"),
    .example = {"File Name=ball.fmu", "", 0, 0, NULL},
    .prepare = prepare,
    FOI_GUEST,
};

const foi_node_type *const foi_nodes_unit[] = {&unit, NULL};
