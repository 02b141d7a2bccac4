/// Fields as JSON documents: see docs/fields.md for the format.
#include "field/document.h"
#include <math.h>

#include <stdio.h>
#include <string.h>

static const char *const keys[] = {
    "field",   "name",        "about",    "size",     "length",
    "sides",   "c",           "b1",       "b2",       "velocity",
    "upwind",  "diffusivity", "reaction", "start",    "start_velocity",
    "points",  "probes",      "energy",   "object",   "method",
    "linear",  "tolerance",   "work",     "substeps", "epsilon",
    "threads", "run",         "cluster",  "sliders",  NULL};

/// A number, or a list with one for every node.
static void read_coefficient(foi_reader *r, const foi_json_value *root, const char *key,
                             const fo_field_def *def, double *one, const double **each)
{
    const foi_json_value *value = foi_json_member(root, key);
    if (value && value->kind != FOI_JSON_NUMBER)
        *each = foi_read_values(r, value, def);
    else
        *one = foi_read_number(r, root, key, *one);
}

static void read_grid(foi_reader *r, const foi_json_value *root, fo_field_def *def)
{
    const foi_json_value *size = foi_json_member(root, "size"),
                         *length = foi_json_member(root, "length"),
                         *sides = foi_json_member(root, "sides");
    if (!size || size->kind != FOI_JSON_LIST || size->count < 1 || size->count > 3) {
        foi_read_refuse(r, size ? size : root,
                        "expected \"size\": one to three numbers of nodes, one for every axis");
        return;
    }
    uint32_t nodes[3] = {0};
    def->dimensions = (uint32_t)size->count;
    memset(def->size, 0, sizeof def->size); // not known yet
    foi_read_grid_node(r, size, def, nodes);
    memcpy(def->size, nodes, sizeof def->size);
    for (const foi_json_value *v = size->first; v && !r->status; v = v->next)
        if (!nodes[v->index]) foi_read_refuse(r, v, "an axis of 0 nodes, expected 1 and more");
    if (length && foi_read_list(r, length, def->length, 3) != def->dimensions)
        foi_read_refuse(r, length, "expected %u lengths", def->dimensions);
    if (sides) foi_read_sides(r, sides, def);
}

/// What the other equation has: it would be read and have no effect.
static void refuse_others(foi_reader *r, const foi_json_value *root, bool wave)
{
    static const char *const of_waves[] = {"c", "b1", "b2", "start_velocity", "energy", NULL};
    static const char *const of_transport[] = {"velocity", "upwind", "diffusivity", "reaction",
                                               NULL};
    for (const char *const *key = wave ? of_transport : of_waves; *key && !r->status; key++) {
        const foi_json_value *value = foi_json_member(root, *key);
        if (value)
            foi_read_refuse(r, value, "'%s' belongs to %s, and this field is %s", *key,
                            wave ? "transport" : "waves", wave ? "a wave" : "transport");
    }
}

// What a method does not look at is none of its numbers: it cannot be set, and whoever writes it
// into the document is told.
static void read_method(foi_reader *r, const foi_json_value *root, fo_field_def *def)
{
    static const char *const iterated[] = {"tolerance", "work"}, *const slid[] = {"substeps",
                                                                                  "epsilon"};
    bool sliding = def->method == FO_FIELD_SLIDING,
         implicit = sliding || def->method == FO_FIELD_IMPLICIT_EULER;
    for (int i = 0; i < 2; i++) {
        const foi_json_value *a = foi_json_member(root, iterated[i]),
                             *b = foi_json_member(root, slid[i]);
        if (a && !implicit)
            foi_read_refuse(r, a, "only the methods implicit-euler and sliding iterate");
        if (b && !sliding)
            foi_read_refuse(r, b, "only the method sliding has substeps and an epsilon");
    }
    if (implicit) def->tolerance = foi_read_number(r, root, "tolerance", 0);
    if (implicit) def->work = foi_read_count(r, root, "work");
    if (sliding) def->substeps = foi_read_count(r, root, "substeps");
    if (sliding) def->epsilon = foi_read_number(r, root, "epsilon", 0);
}

static void read_equation(foi_reader *r, const foi_json_value *root, fo_field_def *def)
{
    static const char *const fields[] = {"wave", "transport", "heat", NULL};
    static const char *const methods[] = {"leapfrog",       "euler",   "rk4",
                                          "implicit-euler", "sliding", NULL};
    static const char *const linears[] = {"direct", "cg",           "multigrid",
                                          "full",   "gauss-jordan", NULL};
    const foi_json_value *field = foi_json_member(root, "field"),
                         *method = foi_json_member(root, "method");
    if (!field) foi_read_refuse(r, root, "expected \"field\": \"wave\", \"transport\" or \"heat\"");
    bool wave = foi_read_word(r, field, fields) == 0;
    if (!r->status) refuse_others(r, root, wave);
    def->equation = wave ? FO_FIELD_WAVE : FO_FIELD_TRANSPORT;
    def->method = wave ? FO_FIELD_LEAPFROG : FO_FIELD_IMPLICIT_EULER;
    if (method) def->method = (fo_field_method)foi_read_word(r, method, methods);
    def->linear = (fo_field_linear)foi_read_word(r, foi_json_member(root, "linear"), linears);
    if (wave) {
        read_coefficient(r, root, "c", def, &def->c, &def->c_at);
        read_coefficient(r, root, "b1", def, &def->b1, &def->b1_at);
        read_coefficient(r, root, "b2", def, &def->b2, &def->b2_at);
    } else {
        read_coefficient(r, root, "diffusivity", def, &def->diffusivity, &def->diffusivity_at);
    }
    foi_read_list(r, foi_json_member(root, "velocity"), def->velocity, 3);
    foi_read_list(r, foi_json_member(root, "reaction"), def->reaction, 4);
    def->upwind = foi_read_truth(r, root, "upwind");
    read_method(r, root, def);
    def->threads = foi_read_count(r, root, "threads");
}

static void read_rest(foi_reader *r, const foi_json_value *root, fo_field_def *def)
{
    const foi_json_value *start = foi_json_member(root, "start"),
                         *velocity = foi_json_member(root, "start_velocity"),
                         *points = foi_json_member(root, "points"),
                         *probes = foi_json_member(root, "probes"),
                         *object = foi_json_member(root, "object");
    def->name = foi_read_text(r, root, "name");
    def->about = foi_read_text(r, root, "about");
    def->energy = foi_read_truth(r, root, "energy");
    if (start && !r->status) def->start = foi_read_values(r, start, def);
    if (velocity && !r->status) def->start_velocity = foi_read_values(r, velocity, def);
    if (points && !r->status) foi_read_points(r, points, def);
    if (probes && !r->status) foi_read_probes(r, probes, def);
    if (object && !r->status) foi_read_object(r, object, def);
}

/// A document together with where its memory comes from.
typedef struct document {
    foi_field_document open;
    char solver[32]; ///< "": the field's own
    const fo_allocator *allocator;
} document;

static void read_run(foi_reader *r, const foi_json_value *root, document *to)
{
    foi_experiment *d = &to->open.experiment;
    static const char *const run_keys[] = {"stop", "step", "interval", "solver", NULL};
    const foi_json_value *run = foi_json_member(root, "run");
    if (!run || !foi_read_keys(r, run, run_keys)) return;
    d->stop = foi_read_number(r, run, "stop", 0);
    d->step = foi_read_number(r, run, "step", 0);
    d->interval = foi_read_number(r, run, "interval", 0);
    const char *solver = foi_read_text(r, run, "solver");
    if (solver) snprintf(to->solver, sizeof to->solver, "%s", solver);
    if (solver) d->solver = to->solver;
    if (d->stop < 0 || d->step < 0 || d->interval < 0)
        foi_read_refuse(r, run, "times must not be negative");
}

static void read_cluster(foi_reader *r, const foi_json_value *root, uint32_t dimensions,
                         fo_tdma_def *c)
{
    static const char *const cluster_keys[] = {"period",   "slot",     "steps", "parts",   "bridge",
                                               "capacity", "patience", "slots", "overlap", NULL};
    static const char *const bridges[] = {"hold", "extrapolate", NULL};
    const foi_json_value *cluster = foi_json_member(root, "cluster");
    if (!cluster || !foi_read_keys(r, cluster, cluster_keys)) return;
    const foi_json_value *parts = foi_json_member(cluster, "parts");
    double list[3] = {1, 1, 1};
    c->period = foi_read_number(r, cluster, "period", 0);
    c->slot = foi_read_number(r, cluster, "slot", 0);
    c->capacity = foi_read_number(r, cluster, "capacity", 0);
    c->patience = foi_read_number(r, cluster, "patience", 0);
    c->steps = foi_read_count(r, cluster, "steps");
    c->slots = foi_read_count(r, cluster, "slots");
    c->overlap = foi_read_truth(r, cluster, "overlap");
    c->bridge = (fo_tdma_bridge)foi_read_word(r, foi_json_member(cluster, "bridge"), bridges);
    if (c->period < 0 || c->slot < 0 || c->capacity < 0 || c->patience < 0)
        foi_read_refuse(r, cluster, "times and the capacity must not be negative");
    if (!parts) return;
    if (foi_read_list(r, parts, list, 3) != dimensions)
        foi_read_refuse(r, parts, "expected %u whole numbers, one for every axis", dimensions);
    for (int axis = 0; axis < 3 && !r->status; axis++)
        if (list[axis] >= 1 && list[axis] <= 4096 && list[axis] == (uint32_t)list[axis])
            c->parts[axis] = (uint32_t)list[axis];
        else
            foi_read_refuse(r, parts, "parts are whole numbers from 1 on, not %g", list[axis]);
}

enum { MOST_PLOTTED = 16, ALONG = 4 };

/// The names of all outputs, for a plot; where all nodes are probes, of some along the diagonal.
static void name_outputs(foi_reader *r, const fo_field_def *def, foi_field_document *d)
{
    const fo_variables *outputs = &fo_field_system(d->field).about->outputs;
    bool many = def->probe_count > MOST_PLOTTED && def->probe_count == d->field->nodes;
    const char **names = foi_new(r->allocator, outputs->count + 1, sizeof *names);
    if (!names) {
        r->status = fo_fail(r->why, FO_ERROR_MEMORY, "no memory for names");
        return;
    }
    size_t count = 0;
    for (uint32_t k = 1; many && k <= ALONG; k++) {
        const uint32_t *n = d->field->n;
        uint32_t at[3];
        for (int axis = 0; axis < 3; axis++) at[axis] = k * n[axis] / (ALONG + 1);
        names[count++] = outputs->list[fo_field_index(d->field, at[0], at[1], at[2])].name;
    }
    for (size_t i = many ? def->probe_count : 0; i < outputs->count; i++)
        names[count++] = outputs->list[i].name;
    d->experiment.plot = names;
}

/// Without a step: nine tenths of the longest stable one of the document's method, and a whole
/// number of them between rows. Methods without a limit keep what the run has.
static void choose_step(foi_field_document *open, fo_field_method method)
{
    foi_experiment *d = &open->experiment;
    double limit = fo_field_limit(open->field, method);
    if (d->step > 0 || !(limit > 0) || !isfinite(limit)) return;
    d->step = 0.9 * limit;
    if (d->interval > d->step) d->step = d->interval / ceil(d->interval / d->step);
}

foi_field_document *foi_field_document_of(const foi_json *json, const fo_allocator *allocator,
                                          fo_message *why)
{
    return foi_field_document_with(json, NULL, allocator, why);
}

foi_field_document *foi_field_document_with(const foi_json *json, foi_numbers *numbers,
                                            const fo_allocator *allocator, fo_message *why)
{
    foi_reader r = {.json = json, .allocator = allocator, .why = why, .numbers = numbers};
    const foi_json_value *root = foi_json_root(json);
    fo_field_def def = fo_default_field_def();
    def.allocator = allocator;
    document *d = foi_new(allocator, 1, sizeof *d);
    if (!d) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory to read the document");
        return NULL;
    }
    d->allocator = allocator;
    if (foi_read_keys(&r, root, keys) && foi_read_sliders(&r, root)) read_grid(&r, root, &def);
    if (!r.status) read_equation(&r, root, &def);
    if (!r.status) read_rest(&r, root, &def);
    if (!r.status) read_run(&r, root, d);
    if (!r.status) read_cluster(&r, root, def.dimensions, &d->open.cluster);
    if (!r.status) {
        d->open.field = fo_field_create(&def, why);
        if (!d->open.field) {
            r.status = why && why->status ? why->status : FO_ERROR_ARGUMENT;
            fo_message_prefix(why, "%s: $: ", foi_json_name(json));
        }
    }
    if (!r.status) choose_step(&d->open, def.method);
    if (!r.status) name_outputs(&r, &def, &d->open);
    foi_read_free(&r);
    if (!r.status) return &d->open;
    foi_field_document_destroy(&d->open);
    return NULL;
}

foi_field_document *foi_field_read(const char *path, const fo_allocator *allocator, fo_message *why)
{
    foi_json *json = foi_json_read_file(path, allocator, why);
    if (!json) return NULL;
    foi_field_document *d = foi_field_document_of(json, allocator, why);
    foi_json_destroy(json);
    return d;
}

void foi_field_document_destroy(foi_field_document *open)
{
    if (!open) return;
    document *d = (document *)open;
    fo_field_destroy(open->field);
    foi_free(d->allocator, (void *)open->experiment.plot);
    foi_free(d->allocator, d);
}
