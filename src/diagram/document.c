// The document: its head and its simulation parameters.
#include <foliot/solver.h>
#include <string.h>

#include "base/text.h"
#include "diagram/diagram.h"

fo_status foi_document_members(foi_build *b, const foi_json_value *object, const char *const *known)
{
    if (object->kind != FOI_JSON_OBJECT)
        return foi_json_refuse(b->json, object, b->why, "expected an object, found %s",
                               foi_json_kind_text(object->kind));
    for (const foi_json_value *v = object->first; v; v = v->next) {
        foi_nearest nearest = foi_nearest_to(v->key);
        bool found = false;
        for (size_t i = 0; known[i] && !found; i++) {
            found = strcmp(v->key, known[i]) == 0;
            foi_nearest_try(&nearest, known[i]);
        }
        if (!found)
            return foi_json_refuse(b->json, v, b->why, "unknown member '%s'%s", v->key,
                                   foi_nearest_hint(&nearest));
    }
    return FO_OK;
}

static fo_status take_number(foi_build *b, const foi_json_value *object, const char *key,
                             double *value)
{
    const foi_json_value *v = foi_json_member(object, key);
    if (!v) return FO_OK;
    if (v->kind != FOI_JSON_NUMBER)
        return foi_json_refuse(b->json, v, b->why, "expected a number, found %s",
                               foi_json_kind_text(v->kind));
    *value = v->number;
    return FO_OK;
}

static fo_status take_text(foi_build *b, const foi_json_value *object, const char *key,
                           const char **text)
{
    const foi_json_value *v = foi_json_member(object, key);
    if (!v) return FO_OK;
    if (v->kind != FOI_JSON_TEXT)
        return foi_json_refuse(b->json, v, b->why, "expected a text, found %s",
                               foi_json_kind_text(v->kind));
    *text = foi_arena_text(b->arena, v->text, v->length);
    return *text ? FO_OK : fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
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
        return foi_json_refuse(b->json, v, b->why,
                               "the step must be positive and not far too small, it is %g",
                               d->step);
    if (!(d->rtol > 0) || !(d->atol > 0))
        return foi_json_refuse(b->json, v, b->why, "rtol and atol must be positive");
    return FO_OK;
}

static fo_status choose_loops(foi_build *b, const foi_json_value *v)
{
    if (!v) return FO_OK;
    b->diagram->solve_loops = v->kind == FOI_JSON_TEXT && strcmp(v->text, "solve") == 0;
    if (b->diagram->solve_loops) return FO_OK;
    if (v->kind == FOI_JSON_TEXT && strcmp(v->text, "refuse") == 0) return FO_OK;
    return foi_json_refuse(b->json, v, b->why, "expected \"refuse\" or \"solve\"");
}

static fo_status read_simulation(foi_build *b, const foi_json_value *v)
{
    static const char *const known[] = {"start", "stop",   "integrator",     "step", "rtol",
                                        "atol",  "events", "algebraicLoops", NULL};
    foi_diagram *d = b->diagram;
    if (!v) return FO_OK;
    fo_status status = foi_document_members(b, v, known);
    if (status == FO_OK) status = take_number(b, v, "start", &d->start);
    if (status == FO_OK) status = take_number(b, v, "stop", &d->stop);
    if (status == FO_OK) status = take_number(b, v, "step", &d->step);
    if (status == FO_OK) status = take_number(b, v, "rtol", &d->rtol);
    if (status == FO_OK) status = take_number(b, v, "atol", &d->atol);
    if (status == FO_OK) status = take_text(b, v, "integrator", &d->integrator);
    if (status == FO_OK) status = check_times(b, v);
    const foi_json_value *events = foi_json_member(v, "events");
    if (status == FO_OK && events && events->kind != FOI_JSON_TRUTH)
        return foi_json_refuse(b->json, events, b->why, "expected true or false, found %s",
                               foi_json_kind_text(events->kind));
    if (events) d->events = events->truth;
    if (status == FO_OK) status = choose_loops(b, foi_json_member(v, "algebraicLoops"));
    if (status == FO_OK && d->integrator)
        status = choose_integrator(b, foi_json_member(v, "integrator"));
    return status;
}

static fo_status read_head(foi_build *b, const foi_json_value *root)
{
    static const char *const known[] = {"format",     "version",    "name",  "about",
                                        "simulation", "nodes",      "lines", "scene",
                                        "subsystems", "parameters", NULL};
    foi_diagram *d = b->diagram;
    const char *format = NULL;
    double version = FOI_DIAGRAM_VERSION;
    if (root->kind != FOI_JSON_OBJECT)
        return foi_json_refuse(b->json, root, b->why, "a diagram is an object, this is %s",
                               foi_json_kind_text(root->kind));
    fo_status status = take_text(b, root, "format", &format);
    if (status != FO_OK) return status;
    if (!format || strcmp(format, "foliot diagram") != 0)
        return foi_json_refuse(b->json, root, b->why,
                               "no diagram: expected \"format\": \"foliot diagram\"");
    if ((status = take_number(b, root, "version", &version)) != FO_OK) return status;
    if (!(version >= 1) || version != (double)(int)fmin(version, 1e9))
        return foi_json_refuse(b->json, root, b->why, "the version is a whole number from 1 on");
    if (version > FOI_DIAGRAM_VERSION)
        return foi_json_refuse(b->json, root, b->why,
                               "version %g is newer than this program, which knows versions up "
                               "to %d",
                               version, FOI_DIAGRAM_VERSION);
    status = foi_document_members(b, root, known);
    if (status == FO_OK) status = take_text(b, root, "name", &d->name);
    if (status == FO_OK) status = take_text(b, root, "about", &d->about);
    return status;
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
