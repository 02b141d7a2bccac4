// The document: its head and its simulation parameters.
#include <foliot/solver.h>
#include <string.h>

#include "diagram/diagram.h"

const char *foi_document_text(foi_build *b, const foi_json_value *object, const char *key,
                              const char *usual)
{
    const foi_json_value *v = foi_json_member(object, key);
    if (!v || !foi_read_is(&b->reader, v, FOI_JSON_TEXT)) return usual;
    const char *kept = foi_arena_text(b->arena, v->text, v->length);
    if (!kept) b->reader.status = fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    return kept;
}

/// The integrators of the document and what they are here.
static const struct {
    const char *name, *solver;
    bool fixed;
} integrators[] = {{"RK_DP", "dp45", true},
                   {"RK_04", "rk4", false},
                   {"RK_BS", "bs23", true},
                   {"RK_HE", "heun", false},
                   {"RK_EU", "euler", false}};

static fo_status choose_integrator(foi_build *b, const foi_json_value *v)
{
    foi_diagram *d = b->diagram;
    fo_message why = {0};
    if (foi_same_name(d->integrator, "None")) {
        d->integrator = NULL;
        return FO_OK;
    }
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        if (!foi_same_name(d->integrator, integrators[i].name)) continue;
        d->solver = integrators[i].solver;
        d->fixed = integrators[i].fixed;
        return FO_OK;
    }
    d->solver = d->integrator;
    if (fo_solver_find(d->solver, &why)) return FO_OK;
    return foi_json_refuse(b->json, v, b->why,
                           "expected RK_DP, RK_04, RK_BS, RK_HE, RK_EU or a solver: %s", why.text);
}

static fo_status check_times(foi_build *b, const foi_json_value *v)
{
    foi_diagram *d = b->diagram;
    if (!(d->stop > d->start))
        return foi_json_refuse(b->json, v, b->why,
                               "the stop time must be greater than the start time, they are %g "
                               "and %g",
                               d->stop, d->start);
    if (!(d->step > 0) || !((d->stop - d->start) / d->step < 1e15))
        return foi_json_refuse(
            b->json, v, b->why,
            "the step must be positive and the run less than 1e15 steps long, it is %g", d->step);
    return FO_OK;
}

static fo_status read_simulation(foi_build *b, const foi_json_value *v)
{
    static const char *const known[] = {"start", "stop",   "integrator",     "step", "rtol",
                                        "atol",  "events", "algebraicLoops", NULL};
    static const char *const loops[] = {"refuse", "solve", NULL};
    foi_diagram *d = b->diagram;
    foi_reader *r = &b->reader;
    if (!v) return FO_OK;
    if (!foi_read_keys(r, v, known)) return r->status;
    d->start = foi_read_number(r, v, "start", d->start);
    d->stop = foi_read_number(r, v, "stop", d->stop);
    d->step = foi_read_number(r, v, "step", d->step);
    d->rtol = foi_read_number_in(r, v, "rtol", FOI_POSITIVE, d->rtol);
    d->atol = foi_read_number_in(r, v, "atol", FOI_POSITIVE, d->atol);
    d->integrator = foi_document_text(b, v, "integrator", NULL);
    if (foi_json_member(v, "events")) d->events = foi_read_truth(r, v, "events");
    d->solve_loops = foi_read_word(r, foi_json_member(v, "algebraicLoops"), loops);
    if (r->status == FO_OK) r->status = check_times(b, v);
    if (r->status == FO_OK && d->integrator)
        r->status = choose_integrator(b, foi_json_member(v, "integrator"));
    return r->status;
}

static void check_version(foi_reader *r, const foi_json_value *root)
{
    double version = foi_read_number(r, root, "version", FOI_DIAGRAM_VERSION);
    if (!(version >= 1) || version != floor(version))
        foi_read_refuse(r, root, "the version must be a whole number from 1 on");
    if (version > FOI_DIAGRAM_VERSION)
        foi_read_refuse(r, root,
                        "version %g is newer than this program, which knows versions up to %d",
                        version, FOI_DIAGRAM_VERSION);
}

static fo_status read_head(foi_build *b, const foi_json_value *root)
{
    static const char *const known[] = {"format", "version", "name",  "about",      "simulation",
                                        "nodes",  "lines",   "scene", "subsystems", "parameters",
                                        "notes",  "sliders", NULL};
    foi_diagram *d = b->diagram;
    foi_reader *r = &b->reader;
    if (root->kind != FOI_JSON_OBJECT)
        foi_read_refuse(r, root, "a diagram is an object, this is %s",
                        foi_json_kind_text(root->kind));
    const char *format = r->status ? NULL : foi_read_text(r, root, "format");
    if (!format || strcmp(format, "foliot diagram") != 0)
        foi_read_refuse(r, root, "no diagram: expected \"format\": \"foliot diagram\"");
    if (r->status == FO_OK) check_version(r, root);
    if (r->status == FO_OK && foi_read_keys(r, root, known) && foi_read_sliders(r, root)) {
        d->name = foi_document_text(b, root, "name", d->name);
        d->about = foi_document_text(b, root, "about", d->about);
    }
    return r->status;
}

fo_status foi_document_read(foi_build *b)
{
    foi_diagram *d = b->diagram;
    const foi_json_value *root = foi_json_root(b->json);
    d->name = "diagram";
    d->about = "a block diagram";
    d->stop = 10;
    d->step = 0.2;
    d->rtol = 1e-6;
    d->atol = 1e-9;
    d->events = true;
    fo_status status = read_head(b, root);
    if (status == FO_OK) status = read_simulation(b, foi_json_member(root, "simulation"));
    if (status == FO_OK) status = foi_document_parameters(b, foi_json_member(root, "parameters"));
    if (status == FO_OK) status = foi_document_nodes(b, root);
    if (status == FO_OK) status = foi_diagram_list_numbers(b);
    if (status == FO_OK) status = foi_document_lines(b);
    if (status == FO_OK) status = foi_document_route(b);
    return status;
}
