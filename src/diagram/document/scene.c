// The 3D scene of a document: shapes whose places, turns, sizes and colours are numbers or signals.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagram/diagram.h"

enum { MAX_SHAPES = 10000 };

static const char *const kind_names[] = {"box",    "sphere", "cylinder", "cone", "plane", "line",
                                         "spring", "arrow",  "trail",    "text", "gltf",  NULL};

const char *fo_scene_kind_name(fo_scene_kind kind)
{
    return kind_names[kind];
}

/// An output by its name.
typedef struct named {
    const char *name;
    uint32_t index;
} named;

typedef struct stage {
    foi_build *build;
    foi_reader *read;
    named *outputs; ///< in the order of their names
    uint32_t output_count;
} stage;

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static fo_status list_outputs(stage *k)
{
    fo_variables outputs = k->build->diagram->description.outputs;
    k->outputs = foi_arena_new(k->build->arena, outputs.count + 1, sizeof *k->outputs);
    if (!k->outputs) return no_memory(k->build);
    for (uint32_t i = 0; i < outputs.count; i++) k->outputs[i] = (named){outputs.list[i].name, i};
    k->output_count = (uint32_t)outputs.count;
    if (k->output_count) qsort(k->outputs, k->output_count, sizeof *k->outputs, compare);
    return FO_OK;
}

// --------------------------------------------------------------------------------------- numbers

static void bind(stage *k, const foi_json_value *v, fo_scene_value *value)
{
    named wanted = {.name = v->text};
    const named *found = k->output_count
                             ? bsearch(&wanted, k->outputs, k->output_count, sizeof wanted, compare)
                             : NULL;
    if (found) {
        *value = (fo_scene_value){.signal = found->name, .output = found->index, .gain = 1};
        return;
    }
    foi_nearest nearest = foi_nearest_to(v->text);
    for (uint32_t i = 0; i < k->output_count && i < 1000; i++)
        foi_nearest_try(&nearest, k->outputs[i].name);
    foi_read_refuse(k->read, v, "there is no signal '%.60s'%s", v->text,
                    foi_nearest_hint(&nearest));
}

// 3, "theta", or {"signal": "theta", "gain": 2, "offset": 1}.
static void take_value(stage *k, const foi_json_value *v, fo_scene_value *value)
{
    static const char *const known[] = {"signal", "gain", "offset", NULL};
    foi_reader *r = k->read;
    if (v->kind == FOI_JSON_NUMBER) {
        *value = (fo_scene_value){.offset = v->number};
        return;
    }
    if (v->kind == FOI_JSON_TEXT) {
        bind(k, v, value);
        return;
    }
    if (v->kind != FOI_JSON_OBJECT)
        foi_read_refuse(r, v,
                        "expected a number, the name of a signal, or an object with \"signal\", "
                        "found %s",
                        foi_json_kind_text(v->kind));
    if (!foi_read_keys(r, v, known)) return;
    const foi_json_value *signal = foi_read_needed(r, v, "signal");
    if (!signal || !foi_read_is(r, signal, FOI_JSON_TEXT)) return;
    bind(k, signal, value);
    value->gain = foi_read_number(r, v, "gain", value->gain);
    value->offset = foi_read_number(r, v, "offset", value->offset);
}

static void take_three(stage *k, const foi_json_value *v, fo_scene_value value[3])
{
    if (v->kind != FOI_JSON_LIST || v->count != 3) {
        foi_read_refuse(k->read, v, "expected a list of three");
        return;
    }
    for (const foi_json_value *e = v->first; e && !k->read->status; e = e->next)
        take_value(k, e, &value[e->index]);
}

static void take_triple(stage *k, const foi_json_value *object, const char *key,
                        fo_scene_value value[3])
{
    const foi_json_value *v = foi_json_member(object, key);
    if (v) take_three(k, v, value);
}

// --------------------------------------------------------------------------------------- colours

static bool named_color(const char *text, double color[3])
{
    static const struct {
        const char *name;
        double color[3];
    } list[] = {
        {"black", {0, 0, 0}},        {"white", {1, 1, 1}},          {"gray", {0.5, 0.5, 0.5}},
        {"red", {0.8, 0.2, 0.15}},   {"green", {0.2, 0.6, 0.25}},   {"blue", {0.15, 0.35, 0.75}},
        {"yellow", {0.9, 0.8, 0.2}}, {"orange", {0.9, 0.55, 0.15}}, {"brown", {0.5, 0.35, 0.2}}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (strcmp(text, list[i].name) != 0) continue;
        memcpy(color, list[i].color, sizeof list[i].color);
        return true;
    }
    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return false;
    unsigned long bits = strtoul(text + 1, NULL, 16);
    for (int i = 0; i < 3; i++) color[i] = (double)(bits >> (16 - 8 * i) & 255) / 255;
    return true;
}

static void take_color(stage *k, const foi_json_value *object, const char *key,
                       fo_scene_value value[3])
{
    const foi_json_value *v = foi_json_member(object, key);
    double color[3];
    if (v && v->kind != FOI_JSON_TEXT) take_three(k, v, value);
    if (!v || v->kind != FOI_JSON_TEXT) return;
    if (!named_color(v->text, color)) {
        foi_read_refuse(k->read, v,
                        "'%.40s' is no colour: expected \"#rrggbb\", black, white, gray, red, "
                        "green, blue, yellow, orange, brown, or a list of three",
                        v->text);
        return;
    }
    for (int i = 0; i < 3; i++) value[i] = (fo_scene_value){.offset = color[i]};
}

// ----------------------------------------------------------------------------------------- shapes

// One number is that of all axes.
static void take_size(stage *k, const foi_json_value *object, fo_scene_value size[3])
{
    const foi_json_value *v = foi_json_member(object, "size");
    if (!v) return;
    if (v->kind == FOI_JSON_LIST) {
        take_three(k, v, size);
        return;
    }
    take_value(k, v, &size[0]);
    size[1] = size[2] = size[0];
}

// Lines, springs and arrows have two ends; a cylinder may.
static void take_end(stage *k, const foi_json_value *v, fo_scene_shape *shape)
{
    const foi_json_value *end = foi_json_member(v, "end");
    bool needs = shape->kind == FO_SCENE_LINE || shape->kind == FO_SCENE_SPRING ||
                 shape->kind == FO_SCENE_ARROW;
    if (needs && !end) foi_read_refuse(k->read, v, "a %s has an \"end\"", kind_names[shape->kind]);
    if (end && !needs && shape->kind != FO_SCENE_CYLINDER)
        foi_read_refuse(k->read, end,
                        "lines, springs, arrows and cylinders have an \"end\", a %s has none",
                        kind_names[shape->kind]);
    shape->ends = end != NULL;
    if (!k->read->status) take_triple(k, v, "end", shape->end);
}

// What a text says, or where a file is.
static void take_text(stage *k, const foi_json_value *v, fo_scene_shape *shape)
{
    const char *key = shape->kind == FO_SCENE_GLTF ? "file" : "text";
    const char *other = shape->kind == FO_SCENE_GLTF ? "text" : "file";
    bool wants = shape->kind == FO_SCENE_TEXT || shape->kind == FO_SCENE_GLTF;
    const foi_json_value *found = foi_json_member(v, wants ? other : key);
    if (!found && !wants) found = foi_json_member(v, other);
    if (found)
        foi_read_refuse(k->read, found, "a %s has no \"%s\"", kind_names[shape->kind], found->key);
    else if (wants && !foi_json_member(v, key))
        foi_read_refuse(k->read, v, "a %s needs \"%s\"", kind_names[shape->kind], key);
    else if (wants)
        shape->text = foi_document_text(k->build, v, key, "");
}

static void take_shape(stage *k, const foi_json_value *v, fo_scene_shape *shape)
{
    static const char *const known[] = {"name",  "shape", "position", "rotation", "size",
                                        "color", "end",   "text",     "file",     NULL};
    foi_reader *r = k->read;
    for (int i = 0; i < 3; i++) {
        shape->size[i].offset = 1;
        shape->color[i].offset = 0.6;
    }
    if (!foi_read_keys(r, v, known)) return;
    const foi_json_value *kind = foi_json_member(v, "shape");
    if (!kind)
        foi_read_refuse(r, v,
                        "a shape needs \"shape\": box, sphere, cylinder, cone, plane, line, "
                        "spring, arrow, trail, text or gltf");
    shape->kind = (fo_scene_kind)foi_read_word(r, kind, kind_names);
    shape->name = foi_document_text(k->build, v, "name", kind_names[shape->kind]);
    if (!r->status) take_end(k, v, shape);
    if (!r->status) take_text(k, v, shape);
    if (r->status) return;
    if (shape->kind == FO_SCENE_LINE || shape->kind == FO_SCENE_ARROW) shape->size[0].offset = 0.01;
    take_triple(k, v, "position", shape->position);
    take_triple(k, v, "rotation", shape->rotation);
    take_size(k, v, shape->size);
    take_color(k, v, "color", shape->color);
}

static void take_shapes(stage *k, const foi_json_value *object, fo_scene *scene)
{
    foi_build *b = k->build;
    const foi_json_value *list = foi_json_member(object, "shapes");
    if (!list || list->kind != FOI_JSON_LIST)
        foi_read_refuse(k->read, list ? list : object, "a scene needs a list of shapes");
    else if (list->count > MAX_SHAPES)
        foi_read_refuse(k->read, list, "more than %d shapes", MAX_SHAPES);
    if (k->read->status) return;
    fo_scene_shape *shapes = foi_arena_new(b->arena, list->count + 1, sizeof *shapes);
    if (!shapes) k->read->status = no_memory(b);
    for (const foi_json_value *v = list->first; v && !k->read->status; v = v->next)
        take_shape(k, v, &shapes[scene->shape_count++]);
    scene->shapes = shapes;
}

static void take_view(stage *k, const foi_json_value *v, fo_scene *scene)
{
    fo_scene_value background[3] = {{.offset = 1}, {.offset = 1}, {.offset = 1}};
    scene->camera[2] = 5;
    take_color(k, v, "background", background);
    for (int i = 0; i < 3; i++) {
        if (background[i].signal)
            foi_read_refuse(k->read, foi_json_member(v, "background"),
                            "expected a constant colour, not a signal");
        scene->background[i] = background[i].offset;
    }
    foi_read_vector(k->read, v, "camera", 3, scene->camera);
    foi_read_vector(k->read, v, "target", 3, scene->target);
}

fo_status foi_scene_read(foi_build *b)
{
    static const char *const known[] = {"background", "camera", "target", "shapes", NULL};
    const foi_json_value *v = foi_json_member(foi_json_root(b->json), "scene");
    if (!v) return FO_OK;
    stage k = {.build = b, .read = &b->reader};
    fo_scene *scene = foi_arena_new(b->arena, 1, sizeof *scene);
    if (!scene) return no_memory(b);
    fo_status status = foi_read_keys(&b->reader, v, known) ? list_outputs(&k) : b->reader.status;
    if (status != FO_OK) return status;
    take_view(&k, v, scene);
    take_shapes(&k, v, scene);
    b->diagram->scene = scene;
    return b->reader.status;
}
