// The 3D scene of a document: shapes whose places, turns, sizes and colours are numbers or signals.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagram/diagram.h"

enum { MAX_SHAPES = 10000 };

static const char *const kind_names[] = {"box",   "sphere", "cylinder", "cone",
                                         "plane", "line",   NULL};

const char *fo_scene_kind_name(fo_scene_kind kind)
{
    return kind_names[kind];
}

/// An output by its name.
typedef struct named {
    const char *name;
    uint32_t index;
} named;

typedef struct reader {
    foi_build *build;
    named *outputs; ///< in the order of their names
    uint32_t output_count;
} reader;

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static fo_status list_outputs(reader *k)
{
    fo_variables outputs = k->build->diagram->description.outputs;
    k->outputs = foi_arena_new(k->build->arena, outputs.count + 1, sizeof *k->outputs);
    if (!k->outputs) return no_memory(k->build);
    for (uint32_t i = 0; i < outputs.count; i++) k->outputs[i] = (named){outputs.list[i].name, i};
    k->output_count = (uint32_t)outputs.count;
    if (k->output_count) qsort(k->outputs, k->output_count, sizeof *k->outputs, compare);
    return FO_OK;
}

// ------------------------------------------------------------------------------------------
// numbers

static fo_status refuse_kind(foi_build *b, const foi_json_value *v, const char *expected)
{
    return foi_json_refuse(b->json, v, b->why, "expected %s, found %s", expected,
                           foi_json_kind_text(v->kind));
}

static fo_status bind(reader *k, const foi_json_value *v, fo_scene_value *value)
{
    foi_build *b = k->build;
    named wanted = {.name = v->text};
    const named *found = k->output_count
                             ? bsearch(&wanted, k->outputs, k->output_count, sizeof wanted, compare)
                             : NULL;
    if (!found) {
        foi_nearest nearest = foi_nearest_to(v->text);
        for (uint32_t i = 0; i < k->output_count && i < 1000; i++)
            foi_nearest_try(&nearest, k->outputs[i].name);
        return foi_json_refuse(b->json, v, b->why, "there is no signal '%.60s'%s", v->text,
                               foi_nearest_hint(&nearest));
    }
    *value = (fo_scene_value){.signal = found->name, .output = found->index, .gain = 1};
    return FO_OK;
}

static fo_status take_number(foi_build *b, const foi_json_value *object, const char *key,
                             double *number)
{
    const foi_json_value *v = foi_json_member(object, key);
    if (!v) return FO_OK;
    if (v->kind != FOI_JSON_NUMBER) return refuse_kind(b, v, "a number");
    *number = v->number;
    return FO_OK;
}

// 3, "theta", or {"signal": "theta", "gain": 2, "offset": 1}.
static fo_status take_value(reader *k, const foi_json_value *v, fo_scene_value *value)
{
    static const char *const known[] = {"signal", "gain", "offset", NULL};
    foi_build *b = k->build;
    if (v->kind == FOI_JSON_NUMBER) {
        *value = (fo_scene_value){.offset = v->number};
        return FO_OK;
    }
    if (v->kind == FOI_JSON_TEXT) return bind(k, v, value);
    if (v->kind != FOI_JSON_OBJECT)
        return refuse_kind(b, v, "a number, the name of a signal, or an object with \"signal\"");
    fo_status status = foi_document_members(b, v, known);
    const foi_json_value *signal = foi_json_member(v, "signal");
    if (status != FO_OK) return status;
    if (!signal || signal->kind != FOI_JSON_TEXT)
        return refuse_kind(b, signal ? signal : v, "\"signal\": the name of one");
    status = bind(k, signal, value);
    if (status == FO_OK) status = take_number(b, v, "gain", &value->gain);
    return status == FO_OK ? take_number(b, v, "offset", &value->offset) : status;
}

static fo_status take_three(reader *k, const foi_json_value *v, fo_scene_value value[3])
{
    if (v->kind != FOI_JSON_LIST || v->count != 3)
        return foi_json_refuse(k->build->json, v, k->build->why, "expected a list of three");
    fo_status status = FO_OK;
    int i = 0;
    for (const foi_json_value *e = v->first; e && status == FO_OK; e = e->next, i++)
        status = take_value(k, e, &value[i]);
    return status;
}

static fo_status take_triple(reader *k, const foi_json_value *object, const char *key,
                             fo_scene_value value[3])
{
    const foi_json_value *v = foi_json_member(object, key);
    return v ? take_three(k, v, value) : FO_OK;
}

// Three numbers that are the same at every time.
static fo_status take_constants(reader *k, const foi_json_value *object, const char *key,
                                double number[3])
{
    const foi_json_value *v = foi_json_member(object, key);
    fo_scene_value value[3];
    if (!v) return FO_OK;
    fo_status status = take_three(k, v, value);
    for (int i = 0; i < 3 && status == FO_OK; i++) {
        if (value[i].signal)
            return foi_json_refuse(k->build->json, v, k->build->why, "expected three numbers");
        number[i] = value[i].offset;
    }
    return status;
}

// ------------------------------------------------------------------------------------------
// colours

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

static fo_status take_color(reader *k, const foi_json_value *object, const char *key,
                            fo_scene_value value[3])
{
    const foi_json_value *v = foi_json_member(object, key);
    double color[3];
    if (!v) return FO_OK;
    if (v->kind != FOI_JSON_TEXT) return take_three(k, v, value);
    if (!named_color(v->text, color))
        return foi_json_refuse(
            k->build->json, v, k->build->why,
            "'%.40s' is no colour: expected \"#rrggbb\", black, white, gray, red, "
            "green, blue, yellow, orange, brown, or a list of three",
            v->text);
    for (int i = 0; i < 3; i++) value[i] = (fo_scene_value){.offset = color[i]};
    return FO_OK;
}

// -------------------------------------------------------------------------------------------
// shapes

// One number is that of all axes.
static fo_status take_size(reader *k, const foi_json_value *object, fo_scene_value size[3])
{
    const foi_json_value *v = foi_json_member(object, "size");
    if (!v) return FO_OK;
    if (v->kind == FOI_JSON_LIST) return take_three(k, v, size);
    fo_status status = take_value(k, v, &size[0]);
    size[1] = size[2] = size[0];
    return status;
}

static fo_status take_kind(reader *k, const foi_json_value *object, fo_scene_shape *shape)
{
    const foi_json_value *v = foi_json_member(object, "shape");
    foi_build *b = k->build;
    if (!v || v->kind != FOI_JSON_TEXT)
        return foi_json_refuse(
            b->json, v ? v : object, b->why,
            "a shape needs \"shape\": box, sphere, cylinder, cone, plane or line");
    foi_nearest nearest = foi_nearest_to(v->text);
    for (int i = 0; kind_names[i]; i++) {
        foi_nearest_try(&nearest, kind_names[i]);
        if (strcmp(kind_names[i], v->text) != 0) continue;
        shape->kind = (fo_scene_kind)i;
        return FO_OK;
    }
    return foi_json_refuse(b->json, v, b->why, "unknown shape '%.40s'%s", v->text,
                           foi_nearest_hint(&nearest));
}

static fo_status take_name(reader *k, const foi_json_value *object, fo_scene_shape *shape)
{
    const foi_json_value *v = foi_json_member(object, "name");
    if (v && v->kind != FOI_JSON_TEXT) return refuse_kind(k->build, v, "a text");
    shape->name = v ? foi_arena_text(k->build->arena, v->text, v->length) : kind_names[shape->kind];
    return shape->name ? FO_OK : no_memory(k->build);
}

static fo_status take_shape(reader *k, const foi_json_value *v, fo_scene_shape *shape)
{
    static const char *const known[] = {"name", "shape", "position", "rotation",
                                        "size", "color", "end",      NULL};
    for (int i = 0; i < 3; i++) {
        shape->size[i].offset = 1;
        shape->color[i].offset = 0.6;
    }
    fo_status status = foi_document_members(k->build, v, known);
    if (status == FO_OK) status = take_kind(k, v, shape);
    if (status == FO_OK) status = take_name(k, v, shape);
    const foi_json_value *end = foi_json_member(v, "end");
    if (status == FO_OK && (shape->kind == FO_SCENE_LINE) != (end != NULL))
        return foi_json_refuse(k->build->json, end ? end : v, k->build->why,
                               "a line has an \"end\", and nothing else has one");
    if (shape->kind == FO_SCENE_LINE) shape->size[0].offset = 0.01;
    if (status == FO_OK) status = take_triple(k, v, "position", shape->position);
    if (status == FO_OK) status = take_triple(k, v, "end", shape->end);
    if (status == FO_OK) status = take_triple(k, v, "rotation", shape->rotation);
    if (status == FO_OK) status = take_size(k, v, shape->size);
    return status == FO_OK ? take_color(k, v, "color", shape->color) : status;
}

static fo_status take_shapes(reader *k, const foi_json_value *list, fo_scene *scene)
{
    foi_build *b = k->build;
    if (!list || list->kind != FOI_JSON_LIST)
        return foi_json_refuse(b->json,
                               list ? list : foi_json_member(foi_json_root(b->json), "scene"),
                               b->why, "a scene needs a list of shapes");
    if (list->count > MAX_SHAPES)
        return foi_json_refuse(b->json, list, b->why, "more than %d shapes", MAX_SHAPES);
    fo_scene_shape *shapes = foi_arena_new(b->arena, list->count + 1, sizeof *shapes);
    if (!shapes) return no_memory(b);
    fo_status status = FO_OK;
    for (const foi_json_value *v = list->first; v && status == FO_OK; v = v->next)
        status = take_shape(k, v, &shapes[scene->shape_count++]);
    scene->shapes = shapes;
    return status;
}

static fo_status take_view(reader *k, const foi_json_value *v, fo_scene *scene)
{
    fo_scene_value background[3] = {{.offset = 1}, {.offset = 1}, {.offset = 1}};
    scene->camera[2] = 5;
    fo_status status = take_color(k, v, "background", background);
    for (int i = 0; i < 3 && status == FO_OK; i++) {
        if (background[i].signal)
            return foi_json_refuse(k->build->json, foi_json_member(v, "background"), k->build->why,
                                   "expected a colour that stays");
        scene->background[i] = background[i].offset;
    }
    if (status == FO_OK) status = take_constants(k, v, "camera", scene->camera);
    return status == FO_OK ? take_constants(k, v, "target", scene->target) : status;
}

fo_status foi_scene_read(foi_build *b)
{
    static const char *const known[] = {"background", "camera", "target", "shapes", NULL};
    const foi_json_value *v = foi_json_member(foi_json_root(b->json), "scene");
    if (!v) return FO_OK;
    reader k = {.build = b};
    fo_scene *scene = foi_arena_new(b->arena, 1, sizeof *scene);
    if (!scene) return no_memory(b);
    fo_status status = foi_document_members(b, v, known);
    if (status == FO_OK) status = list_outputs(&k);
    if (status == FO_OK) status = take_view(&k, v, scene);
    if (status == FO_OK) status = take_shapes(&k, foi_json_member(v, "shapes"), scene);
    b->diagram->scene = scene;
    return status;
}
