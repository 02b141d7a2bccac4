// What a model is: its numbers, signals, events, scene and how it is usually run.
#include <math.h>
#include <string.h>

#include "desk/desk.h"

static void put_variable(foi_json_writer *w, const fo_variable *v, const char *name)
{
    foi_json_put_text(w, "name", name);
    if (v && v->unit && *v->unit) foi_json_put_text(w, "unit", v->unit);
    if (v && v->display_unit) foi_json_put_text(w, "display_unit", v->display_unit);
    if (v && v->about && *v->about) foi_json_put_text(w, "about", v->about);
    if (v && (v->min != 0 || v->max != 0)) {
        foi_desk_put(w, "min", v->min);
        foi_desk_put(w, "max", v->max);
    }
    if (v) foi_json_put_text(w, "type", fo_value_type_text(v->type));
}

static void put_numbers(foi_json_writer *w, const fo_model *m)
{
    foi_json_open(w, "numbers", '[', true);
    for (size_t i = 0; i < fo_model_number_count(m); i++) {
        const fo_variable *v = fo_model_number(m, i);
        foi_json_open(w, NULL, '{', true);
        put_variable(w, v, v->name ? v->name : "");
        foi_desk_put(w, "value", v->start);
        foi_json_put_text(w, "variability", fo_variability_text(v->variability));
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void put_list(foi_json_writer *w, fo_system system, fo_quantity quantity,
                     const fo_variables *list, const char *kind)
{
    for (size_t i = 0; i < list->count; i++) {
        char name[256];
        fo_reference which = {quantity, (uint32_t)i};
        fo_system_name(system, which, name, sizeof name);
        foi_json_open(w, NULL, '{', true);
        put_variable(w, &list->list[i], name);
        foi_json_put_text(w, "kind", kind);
        foi_json_close(w, '}');
    }
}

static void put_signals(foi_json_writer *w, const fo_model *m)
{
    fo_system system = fo_model_system(m);
    const fo_description *d = system.about;
    foi_json_open(w, "signals", '[', true);
    put_list(w, system, FO_STATE, &d->states, "state");
    put_list(w, system, FO_DISCRETE, &d->discretes, "discrete");
    put_list(w, system, FO_OUTPUT, &d->outputs, "output");
    put_list(w, system, FO_INPUT, &d->inputs, "input");
    foi_json_close(w, ']');
    foi_json_open(w, "events", '[', true);
    for (size_t i = 0; i < d->events.count; i++) {
        const fo_event *e = &d->events.list[i];
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "name", e->name);
        if (e->unit && *e->unit) foi_json_put_text(w, "unit", e->unit);
        if (e->about) foi_json_put_text(w, "about", e->about);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
    foi_json_open(w, "guards", '[', true);
    for (size_t i = 0; i < d->guards.count; i++)
        foi_json_put_text(w, NULL, d->guards.list[i].name ? d->guards.list[i].name : "");
    foi_json_close(w, ']');
}

static void put_vector(foi_json_writer *w, const char *key, const double *v)
{
    foi_json_open(w, key, '[', true);
    for (int i = 0; i < 3; i++) foi_desk_put(w, NULL, v[i]);
    foi_json_close(w, ']');
}

// A number, or {"signal", "gain", "offset"}.
static void put_values(foi_json_writer *w, const char *key, const fo_scene_value *v)
{
    foi_json_open(w, key, '[', true);
    for (int i = 0; i < 3; i++) {
        if (!v[i].signal) {
            foi_desk_put(w, NULL, v[i].offset);
            continue;
        }
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "signal", v[i].signal);
        foi_desk_put(w, "gain", v[i].gain);
        foi_desk_put(w, "offset", v[i].offset);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
}

static void put_scene(foi_json_writer *w, const fo_scene *scene)
{
    if (!scene) return;
    foi_json_open(w, "scene", '{', true);
    put_vector(w, "background", scene->background);
    put_vector(w, "camera", scene->camera);
    put_vector(w, "target", scene->target);
    foi_json_open(w, "shapes", '[', true);
    for (size_t i = 0; i < scene->shape_count; i++) {
        const fo_scene_shape *s = &scene->shapes[i];
        foi_json_open(w, NULL, '{', true);
        if (s->name) foi_json_put_text(w, "name", s->name);
        foi_json_put_text(w, "kind", fo_scene_kind_name(s->kind));
        put_values(w, "position", s->position);
        if (s->ends) put_values(w, "end", s->end);
        if (s->text) foi_json_put_text(w, s->kind == FO_SCENE_GLTF ? "file" : "text", s->text);
        put_values(w, "rotation", s->rotation);
        put_values(w, "size", s->size);
        put_values(w, "color", s->color);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
    foi_json_close(w, '}');
}

static void put_names(foi_json_writer *w, const char *key, const char *const *names)
{
    foi_json_open(w, key, '[', true);
    for (size_t i = 0; names && names[i]; i++) foi_json_put_text(w, NULL, names[i]);
    foi_json_close(w, ']');
}

static void put_run(foi_json_writer *w, const fo_model *m)
{
    fo_run_def run = fo_model_run_def(m);
    foi_json_open(w, "run", '{', true);
    foi_desk_put(w, "start", run.start);
    foi_desk_put(w, "stop", run.stop);
    foi_desk_put(w, "interval", fo_model_interval(m));
    if (run.solver) foi_json_put_text(w, "solver", run.solver);
    foi_desk_put(w, "step", run.step);
    foi_desk_put(w, "rtol", run.rtol);
    foi_desk_put(w, "atol", run.atol);
    foi_json_put_truth(w, "random", fo_model_is_random(m));
    foi_json_close(w, '}');
}

static void put_model(foi_json_writer *w, const fo_model *m)
{
    const fo_description *about = fo_model_system(m).about;
    char how[160];
    foi_json_put_text(w, "kind", fo_model_kind(m));
    foi_json_put_text(w, "name", about->name ? about->name : "");
    if (about->about) foi_json_put_text(w, "about", about->about);
    if (about->equations) foi_json_put_text(w, "equations", about->equations);
    foi_json_put_text(w, "time_unit", fo_model_time_unit(m));
    foi_json_put_text(w, "how", fo_model_how(m, how, sizeof how));
    put_run(w, m);
    put_numbers(w, m);
    put_signals(w, m);
    put_names(w, "plot", fo_model_plot(m));
    put_names(w, "totals", fo_model_totals(m));
    fo_acts acts = fo_model_acts(m);
    if (acts) foi_json_put_text(w, "acts", acts == FO_ACTS_PROCESSES ? "processes" : "entities");
    put_scene(w, fo_model_scene(m));
}

void foi_desk_describe(foi_desk_request *q)
{
    foi_desk_document *d = foi_desk_find_document(q);
    foi_desk_model *m = d ? foi_desk_model_of(q->desk, d) : NULL;
    if (!d) return;
    if (!m) {
        foi_desk_fail(q, FO_ERROR_MEMORY);
        return;
    }
    if (fo_failed(fo_model_status(m->model))) {
        size_t count = fo_model_finding_count(m->model);
        if (m->unfinished || !count)
            foi_desk_refuse_model(q, m);
        else
            foi_desk_refuse(q, foi_desk_status(fo_model_status(m->model)), "%s",
                            fo_model_finding(m->model, 0)->text);
        return;
    }
    foi_desk_model_share(m);
    bool may = foi_desk_anywhere(q->desk, true); // 100,000 signals take a while
    put_model(&q->answer, m->model);
    foi_desk_anywhere(q->desk, may);
    foi_desk_model_leave(q->desk, m);
}

// ------------------------------------------------------------------------------------------ help

static void put_node(foi_json_writer *w, const fo_node_help *h)
{
    fo_node_parameter p;
    foi_json_open(w, NULL, '{', true);
    foi_json_put_text(w, "name", h->name);
    foi_json_put_text(w, "kind", "node");
    foi_json_put_text(w, "set", h->set);
    foi_json_put_text(w, "about", h->about);
    foi_json_put_text(w, "inputs", h->inputs ? h->inputs : "");
    foi_json_put_text(w, "outputs", h->outputs ? h->outputs : "");
    foi_json_open(w, "parameters", '[', true);
    for (size_t i = 0; fo_node_parameter_at(h->name, i, &p); i++) {
        foi_json_open(w, NULL, '{', true);
        foi_json_put_text(w, "name", p.name);
        foi_json_put_text(w, "kind", p.kind);
        if (p.value) foi_json_put_text(w, "value", p.value);
        if (p.choices) foi_json_put_text(w, "choices", p.choices);
        if (p.about) foi_json_put_text(w, "about", p.about);
        foi_json_close(w, '}');
    }
    foi_json_close(w, ']');
    foi_json_close(w, '}');
}

static void put_solver(foi_json_writer *w, const fo_solver_info *s)
{
    foi_json_open(w, NULL, '{', true);
    foi_json_put_text(w, "name", s->name);
    foi_json_put_text(w, "kind", "solver");
    foi_json_put_text(w, "about", s->about);
    foi_json_close(w, '}');
}

// Everything that has this name; without a word everything there is.
void foi_desk_help(foi_desk_request *q)
{
    const char *word = foi_desk_text(q, "word");
    fo_node_help node;
    if (foi_desk_refused(q)) return;
    foi_json_open(&q->answer, "topics", '[', true);
    for (size_t i = 0; fo_node_help_at(i, &node); i++)
        if (!word || strcmp(word, node.name) == 0) put_node(&q->answer, &node);
    for (size_t i = 0; i < fo_solver_count(); i++)
        if (!word || strcmp(word, fo_solver_get(i)->name) == 0)
            put_solver(&q->answer, fo_solver_get(i));
    foi_json_close(&q->answer, ']');
}
