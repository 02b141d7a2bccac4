// Reading diagrams: the steps one after the other.
#include <string.h>

#include "diagram/diagram.h"
#include "diagram/nodes/own.h"
#include "diagram/run/terms.h"

static fo_status take_types(foi_build *b, const fo_diagram_def *def)
{
    b->own = foi_arena_new(b->arena, def->type_count + 1, sizeof(foi_node_type *));
    if (!b->own) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    for (size_t i = 0; i < def->type_count; i++) {
        const foi_node_type *type = foi_own_type(b->arena, def->types[i], b->why);
        if (!type) return b->arena->failed ? FO_ERROR_MEMORY : FO_ERROR_ARGUMENT;
        for (uint32_t k = 0; k < b->own_count; k++)
            if (foi_same_name(b->own[k]->name, type->name))
                return fo_fail(b->why, FO_ERROR_ARGUMENT, "there are two node types '%.60s'",
                               type->name);
        b->own[b->own_count++] = type;
    }
    return FO_OK;
}

static fo_status make(foi_build *b, const fo_diagram_def *def)
{
    fo_status status = take_types(b, def);
    if (status == FO_OK) status = foi_document_read(b);
    if (status == FO_OK) status = foi_diagram_sort(b);
    if (status == FO_OK) status = foi_diagram_resolve(b);
    if (status == FO_OK) status = foi_diagram_lay_out(b);
    if (status == FO_OK) status = foi_diagram_describe(b);
    if (status == FO_OK) status = foi_scene_read(b);
    if (status == FO_OK) status = foi_diagram_lower(b);
    if (status == FO_OK) foi_diagram_choose(b->diagram, true);
    return status;
}

fo_diagram *foi_diagram_of(const foi_json *json, const fo_diagram_def *def, fo_message *why)
{
    if (!json) return NULL;
    const fo_allocator *a = def->allocator ? def->allocator : fo_heap();
    fo_diagram *made = foi_new(a, 1, sizeof *made);
    if (!made) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
        return NULL;
    }
    foi_diagram *d = &made->diagram;
    d->allocator = a;
    foi_arena_begin(&d->arena, a, 0);
    foi_build b = {.diagram = d,
                   .arena = &d->arena,
                   .json = json,
                   .why = why,
                   .reader = {.json = json, .allocator = a, .why = why},
                   .settings = def->settings,
                   .setting_count = def->setting_count};
    d->overwrite = def->overwrite;
    d->units = def->units, d->unit_count = def->unit_count;
    if (def->files) d->files = foi_arena_text(&d->arena, def->files, strlen(def->files));
    if (def->files && !d->files)
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
    else if (make(&b, def) == FO_OK)
        return made;
    fo_diagram_destroy(made);
    return NULL;
}

fo_diagram_def fo_default_diagram_def(void)
{
    return (fo_diagram_def){.name = "diagram"};
}

fo_diagram *fo_diagram_read(const fo_diagram_def *def, fo_message *why)
{
    foi_json_def json_def = {.name = def->name ? def->name : "diagram",
                             .text = def->text,
                             .length = def->length,
                             .allocator = def->allocator};
    foi_json *json = foi_json_read(&json_def, why);
    fo_diagram *made = foi_diagram_of(json, def, why);
    foi_json_destroy(json);
    return made;
}

fo_diagram *fo_diagram_read_file(const char *path, const fo_allocator *allocator, fo_message *why)
{
    foi_json *json = foi_json_read_file(path, allocator, why);
    fo_diagram *made = foi_diagram_of(json, &(fo_diagram_def){.allocator = allocator}, why);
    foi_json_destroy(json);
    return made;
}

void fo_diagram_destroy(fo_diagram *diagram)
{
    if (!diagram) return;
    const fo_allocator *a = diagram->diagram.allocator;
    for (uint32_t i = 0; i < diagram->diagram.node_count; i++) {
        foi_node *n = &diagram->diagram.nodes[i];
        if (n->type && n->type->end && n->extra) n->type->end(n);
    }
    foi_lowered_destroy(diagram->diagram.lowered);
    foi_arena_end(&diagram->diagram.arena);
    foi_free(a, diagram);
}

fo_system fo_diagram_system(const fo_diagram *diagram)
{
    const foi_diagram *d = &diagram->diagram;
    return (fo_system){d->type, &d->description, d};
}

foi_experiment foi_diagram_experiment(const fo_diagram *diagram)
{
    const foi_diagram *d = &diagram->diagram;
    return (foi_experiment){.start = d->start,
                            .stop = d->stop,
                            .interval = d->step,
                            .step = d->step,
                            .rtol = d->fixed ? 0 : d->rtol,
                            .atol = d->fixed ? 0 : d->atol,
                            .kept = d->fixed,
                            .solver = d->state_count ? d->solver : NULL,
                            .plot = d->plot};
}

const fo_scene *fo_diagram_scene(const fo_diagram *diagram)
{
    return diagram->diagram.scene;
}

// The outputs of the system begin with what the sinks see, in the order of the nodes.
bool fo_diagram_sink(const fo_diagram *diagram, size_t index, fo_diagram_seen *seen)
{
    const foi_diagram *d = &diagram->diagram;
    size_t at = 0;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        for (uint32_t j = 0; !n->output_count && j < n->input_count; j++) {
            const foi_array *shape = &n->inputs[j]->shape;
            *seen = (fo_diagram_seen){.node = n->name,
                                      .type = n->type->name,
                                      .input = j,
                                      .output = (uint32_t)at,
                                      .rows = shape->rows,
                                      .columns = shape->cols,
                                      .is_complex = shape->kind == FOI_SIGNAL_COMPLEX,
                                      .is_boolean = shape->kind == FOI_SIGNAL_BOOLEAN};
            if (!index--) return true;
            at += foi_array_width(shape);
        }
    }
    *seen = (fo_diagram_seen){0};
    return false;
}

const char *fo_diagram_sink_type(const fo_diagram *diagram, const char *output)
{
    fo_variables all = fo_diagram_system(diagram).about->outputs;
    fo_diagram_seen seen;
    for (size_t i = 0; fo_diagram_sink(diagram, i, &seen); i++) {
        size_t width = (size_t)seen.rows * seen.columns * (seen.is_complex ? 2 : 1);
        for (size_t j = 0; j < width && seen.output + j < all.count; j++)
            if (strcmp(all.list[seen.output + j].name, output) == 0) return seen.type;
    }
    return NULL;
}

const foi_node *foi_diagram_recalls(const fo_diagram *diagram)
{
    const foi_diagram *d = &diagram->diagram;
    for (uint32_t i = 0; i < d->node_count; i++)
        if (d->nodes[i].type->recalls) return &d->nodes[i];
    return NULL;
}

bool fo_diagram_is_random(const fo_diagram *diagram)
{
    const foi_diagram *d = &diagram->diagram;
    for (uint32_t i = 0; i < d->node_count; i++)
        if (d->nodes[i].type->random) return true;
    return false;
}
