/// A structure as a plug-in for other tools: a shared library whose last bytes are a document.
///
///     ... the library ...  | document | its length, 8 bytes little-endian | "foliotPL"
///
/// `foliot export --plugin` appends them. The interfaces are those of Staal
/// (docs/sources.md), appendices B to E: one where the plug-in integrates (a function over arrays
/// of doubles, called once for every major step), and one where the host does (rates and outputs at
/// its states). They have no handle, so that there is one structure per library and process.
#include <dlfcn.h>
#include <foliot/share.h>
#include <foliot/structure.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator.h"

enum { TAIL = 16 };

static struct {
    fo_structure_document *document;
    fo_simulation *sim;
    fo_state state; ///< what the rates see in the host's integration
    double step, *outputs, *guards;
    fo_share *share; ///< where FOLIOT_SHARE names one
    double *shown;
    uint64_t steps;
    fo_message why;
} plugin;

// --------------------------------------------------------------------------------- the document

static char *read_tail(FILE *file, size_t *length)
{
    unsigned char tail[TAIL];
    uint64_t size = 0;
    if (fseek(file, -TAIL, SEEK_END) != 0 || fread(tail, 1, TAIL, file) != TAIL) return NULL;
    long end = ftell(file) - TAIL;
    if (memcmp(tail + 8, "foliotPL", 8) != 0) return NULL;
    for (int i = 7; i >= 0; i--) size = size << 8 | tail[i];
    if (size == 0 || size > (uint64_t)end) return NULL;
    char *text = malloc(size);
    if (text && fseek(file, end - (long)size, SEEK_SET) == 0 &&
        fread(text, 1, size, file) == size) {
        *length = size;
        return text;
    }
    free(text);
    return NULL;
}

static int complain(const char *what)
{
    fprintf(stderr, "foliot plug-in: %s%s%s\n", what, plugin.why.text[0] ? ": " : "",
            plugin.why.text);
    return 0;
}

int Initialize(void)
{
    Dl_info own;
    size_t length = 0;
    if (plugin.document) return 1;
    if (!dladdr((void *)&plugin, &own) || !own.dli_fname)
        return complain("cannot find the file of this library");
    FILE *file = fopen(own.dli_fname, "rb");
    char *text = file ? read_tail(file, &length) : NULL;
    if (file) fclose(file);
    if (!text) return complain("expected a document at the end of this library, found none");
    plugin.document = fo_structure_read(own.dli_fname, text, length, NULL, &plugin.why);
    free(text);
    return plugin.document ? 1 : complain("cannot read the document in this library");
}

static size_t port_count(void)
{
    return fo_structure_document_system(plugin.document).about->inputs.count;
}

// With FOLIOT_SHARE=name in the environment `foliot watch name` sees every major step.
static void begin_share(fo_system system)
{
    const char *name = getenv("FOLIOT_SHARE");
    if (!name || !*name) return;
    plugin.share = fo_share_create(name, system, NULL, &plugin.why);
    if (plugin.share) plugin.shown = calloc(fo_share_count(plugin.share), sizeof *plugin.shown);
    if (!plugin.share) complain("the states are not shared");
}

// The states of the plug-in's own run, or those that the host integrates; plugin.outputs are
// theirs.
static void publish(const fo_state *s)
{
    fo_shape shape = plugin.state.shape;
    size_t n = 0;
    if (!plugin.share || !plugin.shown) return;
    for (uint32_t i = 0; i < shape.states; i++) plugin.shown[n++] = s->x[i];
    for (uint32_t i = 0; i < shape.discretes; i++) plugin.shown[n++] = s->d[i];
    for (uint32_t i = 0; i < shape.outputs; i++) plugin.shown[n++] = plugin.outputs[i];
    fo_share_show(plugin.share, s->t, plugin.shown);
}

static void show(void)
{
    if (!plugin.share) return;
    for (uint32_t i = 0; i < plugin.state.shape.outputs; i++)
        plugin.outputs[i] = fo_simulation_value(plugin.sim, (fo_reference){FO_OUTPUT, i});
    publish(fo_simulation_state(plugin.sim));
}

int InitializeRun(void)
{
    if (!Initialize()) return 0;
    fo_run_def run = fo_structure_document_run_def(plugin.document);
    fo_system system = fo_structure_document_system(plugin.document);
    TerminateRun();
    plugin.step = run.step;
    run.start = 0, run.stop = 1e9, run.scale = 0;
    plugin.outputs = calloc(system.about->outputs.count + 1, sizeof *plugin.outputs);
    plugin.guards = calloc(system.about->guards.count + 1, sizeof *plugin.guards);
    plugin.sim = fo_simulation_create(system, &run, &plugin.why);
    plugin.steps = 0;
    if (!plugin.sim || !plugin.outputs || !plugin.guards) return complain("no run");
    if (fo_failed(fo_simulation_start(plugin.sim))) {
        plugin.why = *fo_simulation_message(plugin.sim);
        return complain("no start");
    }
    plugin.state = *fo_simulation_state(plugin.sim);
    plugin.state.message = &plugin.why;
    begin_share(system);
    show();
    return 1;
}

int TerminateRun(void)
{
    fo_simulation_destroy(plugin.sim);
    fo_share_destroy(plugin.share);
    free(plugin.outputs);
    free(plugin.guards);
    free(plugin.shown);
    plugin.sim = NULL, plugin.share = NULL;
    plugin.outputs = plugin.guards = plugin.shown = NULL;
    return 1;
}

int Terminate(void)
{
    TerminateRun();
    fo_structure_document_destroy(plugin.document);
    plugin.document = NULL;
    return 1;
}

// ------------------------------------------------------------------------ the plug-in integrates

// Of the outputs the ports' flows and efforts, in the order of the ports.
static void pick(const double *all, double *ports)
{
    size_t count = port_count(),
           first = fo_structure_document_system(plugin.document).about->outputs.count - 2 * count;
    for (size_t i = 0; i < count; i++) ports[i] = all[first + 2 * i];
}

static int major_step(const double *inputs)
{
    fo_variables ports = fo_structure_document_system(plugin.document).about->inputs;
    fo_status status = FO_OK;
    for (size_t i = 0; i < ports.count && !fo_failed(status); i++)
        if (fo_simulation_state(plugin.sim)->u[i] != inputs[i])
            status = fo_simulation_set(plugin.sim, ports.list[i].name, inputs[i]);
    if (!fo_failed(status))
        status = fo_simulation_advance(plugin.sim, (double)++plugin.steps * plugin.step);
    if (!fo_failed(status)) {
        show();
        return 1;
    }
    plugin.why = *fo_simulation_message(plugin.sim);
    return complain("a step failed");
}

// 0: done, 1: not, as in appendix B.
int foliot(double *inputs, int input_count, double *outputs, int output_count, int major)
{
    if (!plugin.sim && !InitializeRun()) return 1;
    size_t count = port_count();
    if (input_count != (int)count || output_count != (int)count) return 1;
    if (major && !major_step(inputs)) return 1;
    for (size_t i = 0; i < fo_structure_document_system(plugin.document).about->outputs.count; i++)
        plugin.outputs[i] = fo_simulation_value(plugin.sim, (fo_reference){FO_OUTPUT, (uint32_t)i});
    pick(plugin.outputs, outputs);
    return 0;
}

// ---------------------------------------------------------------------------- the host integrates

int SFunctionInit(SimulatorSFunctionStruct *s)
{
    if (!InitializeRun()) return 0;
    s->nrInputs = s->nrOutputs = (int)port_count();
    s->nrIndepStates = (int)fo_structure_document_system(plugin.document).about->states.count;
    s->nrDepStates = s->nrAlgLoops = 0;
    return 1;
}

int SFunctionGetInitialStates(double *x0, double *xd0, double *xa0, SimulatorSFunctionStruct *s)
{
    (void)xd0, (void)xa0, (void)s;
    if (!plugin.sim) return 0;
    memcpy(x0, fo_simulation_state(plugin.sim)->x, plugin.state.shape.states * sizeof *x0);
    return 1;
}

// What happens at the host's state: signals of the document follow its time, and at its major steps
// springs that have reached their strain break or yield.
static fo_status moments(fo_system system, bool major)
{
    fo_state *state = &plugin.state;
    fo_effect effect = {0};
    fo_moment now = {.kind = FO_SCHEDULED, .t = state->t};
    fo_status status = port_count() ? system.type->jump(system.model, state, &now, &effect) : FO_OK;
    if (fo_failed(status) || !major || !state->shape.guards) return status;
    status = system.type->guards(system.model, state, state->t, state->x, plugin.guards);
    for (uint32_t i = 0; i < state->shape.guards && !fo_failed(status); i++) {
        if (plugin.guards[i] > 0) continue;
        now = (fo_moment){.kind = FO_GUARD, .index = i, .direction = FO_FALLING, .t = state->t};
        status = system.type->jump(system.model, state, &now, &effect);
    }
    return status;
}

int SFunctionCalculate(double *u, double *x, double *y, double *dx, SimulatorSFunctionStruct *s)
{
    fo_system system = fo_structure_document_system(plugin.document);
    if (!plugin.sim) return 0;
    plugin.state.t = s->simulationCurrentTime;
    plugin.state.u = u;
    plugin.state.x = x;
    fo_status status = moments(system, s->major);
    if (!fo_failed(status))
        status = system.type->rates(system.model, &plugin.state, plugin.state.t, x, dx);
    if (!fo_failed(status))
        status =
            system.type->observe(system.model, &plugin.state, plugin.state.t, x, plugin.outputs);
    if (fo_failed(status)) return complain("no rates");
    pick(plugin.outputs, y);
    if (s->major) publish(&plugin.state);
    return 1;
}
