// The published JSON Schema: all models in models/diagrams conform to it, wrong documents do not,
// and what it lists is what the program knows. Scenes, which are part of the documents.
//
// The validator knows what our schema uses: $ref into $defs, type, const, enum, required,
// properties, additionalProperties, items, minItems, maxItems, minLength, maxLength, minimum,
// maximum, exclusiveMinimum, anyOf, oneOf, pattern "^[^:]*$". Anything else in the schema is an
// error of it.
#include <dirent.h>

#include "base/json.h"
#include "diagram/node.h"
#include "run.h"

#define SCHEMA FOLIOT_SOURCE_DIR "/docs/diagram.schema.json"

typedef struct validator {
    const foi_json_value *root;
    char why[400];
} validator;

static bool valid(validator *v, const foi_json_value *schema, const foi_json_value *value);

static bool wrong(validator *v, const foi_json_value *value, const char *words)
{
    char path[200];
    snprintf(v->why, sizeof v->why, "%s: %s", foi_json_path(value, path, sizeof path), words);
    return false;
}

static bool has_type(const char *type, const foi_json_value *value)
{
    switch (value->kind) {
    case FOI_JSON_NULL: return strcmp(type, "null") == 0;
    case FOI_JSON_TRUTH: return strcmp(type, "boolean") == 0;
    case FOI_JSON_TEXT: return strcmp(type, "string") == 0;
    case FOI_JSON_LIST: return strcmp(type, "array") == 0;
    case FOI_JSON_OBJECT: return strcmp(type, "object") == 0;
    default:
        return strcmp(type, "number") == 0 ||
               (strcmp(type, "integer") == 0 && value->number == floor(value->number));
    }
}

static bool same_value(const foi_json_value *a, const foi_json_value *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == FOI_JSON_TEXT) return strcmp(a->text, b->text) == 0;
    return a->kind == FOI_JSON_NUMBER ? a->number == b->number : a->truth == b->truth;
}

static bool follow(validator *v, const char *path, const foi_json_value *value)
{
    const foi_json_value *at = v->root;
    char copy[100], *rest;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key = strtok_r(copy, "#/", &rest); key && at; key = strtok_r(NULL, "#/", &rest))
        at = foi_json_member(at, key);
    return at ? valid(v, at, value) : wrong(v, value, "a $ref that leads nowhere");
}

static bool check_members(validator *v, const foi_json_value *schema, const foi_json_value *value)
{
    const foi_json_value *properties = foi_json_member(schema, "properties");
    const foi_json_value *others = foi_json_member(schema, "additionalProperties");
    const foi_json_value *required = foi_json_member(schema, "required");
    for (const foi_json_value *e = required ? required->first : NULL; e; e = e->next)
        if (!foi_json_member(value, e->text)) return wrong(v, value, e->text);
    for (const foi_json_value *e = value->first; e; e = e->next) {
        const foi_json_value *known = foi_json_member(properties, e->key);
        if (!known) known = others;
        if (!known) continue;
        if (known->kind == FOI_JSON_TRUTH && !known->truth)
            return wrong(v, e, "an additional member");
        if (known->kind == FOI_JSON_OBJECT && !valid(v, known, e)) return false;
    }
    return true;
}

static bool check_items(validator *v, const foi_json_value *schema, const foi_json_value *value)
{
    const foi_json_value *items = foi_json_member(schema, "items");
    const foi_json_value *least = foi_json_member(schema, "minItems");
    const foi_json_value *most = foi_json_member(schema, "maxItems");
    if (least && (double)value->count < least->number) return wrong(v, value, "too few items");
    if (most && (double)value->count > most->number) return wrong(v, value, "too many items");
    for (const foi_json_value *e = value->first; e && items; e = e->next)
        if (!valid(v, items, e)) return false;
    return true;
}

// Whatever the value is: one keyword of the schema.
static bool check_keyword(validator *v, const foi_json_value *k, const foi_json_value *value)
{
    const char *key = k->key;
    double number = value->kind == FOI_JSON_NUMBER ? value->number : NAN;
    double length = value->kind == FOI_JSON_TEXT ? (double)value->length : NAN;
    if (strcmp(key, "$ref") == 0) return follow(v, k->text, value);
    if (strcmp(key, "const") == 0) return same_value(k, value) || wrong(v, value, "not the const");
    if (strcmp(key, "minimum") == 0) return !(number < k->number) || wrong(v, value, "too small");
    if (strcmp(key, "maximum") == 0) return !(number > k->number) || wrong(v, value, "too large");
    if (strcmp(key, "exclusiveMinimum") == 0)
        return !(number <= k->number) || wrong(v, value, "too small");
    if (strcmp(key, "minLength") == 0) return !(length < k->number) || wrong(v, value, "too short");
    if (strcmp(key, "maxLength") == 0) return !(length > k->number) || wrong(v, value, "too long");
    if (strcmp(key, "pattern") == 0) {
        CHECK_TEXT(k->text, "^[^:]*$");
        return value->kind != FOI_JSON_TEXT || !strchr(value->text, ':') ||
               wrong(v, value, "not the pattern");
    }
    if (strcmp(key, "type") == 0) {
        bool fits = k->kind == FOI_JSON_TEXT && has_type(k->text, value);
        for (const foi_json_value *e = k->first; e; e = e->next)
            fits = fits || has_type(e->text, value);
        return fits || wrong(v, value, "another type");
    }
    if (strcmp(key, "enum") == 0) {
        for (const foi_json_value *e = k->first; e; e = e->next)
            if (same_value(e, value)) return true;
        return wrong(v, value, "not one of the enum");
    }
    if (strcmp(key, "anyOf") == 0 || strcmp(key, "oneOf") == 0) {
        int fits = 0;
        for (const foi_json_value *e = k->first; e; e = e->next) fits += valid(v, e, value);
        return fits == 1 || (fits > 1 && key[0] == 'a') || wrong(v, value, "none of the choices");
    }
    static const char *const quiet[] = {"$schema",
                                        "$id",
                                        "title",
                                        "description",
                                        "default",
                                        "$defs",
                                        "properties",
                                        "items",
                                        "required",
                                        "minItems",
                                        "maxItems",
                                        "examples",
                                        "additionalProperties"};
    for (size_t i = 0; i < sizeof quiet / sizeof quiet[0]; i++)
        if (strcmp(key, quiet[i]) == 0) return true;
    return wrong(v, k, "a keyword that the validator does not know");
}

static bool valid(validator *v, const foi_json_value *schema, const foi_json_value *value)
{
    for (const foi_json_value *k = schema->first; k; k = k->next)
        if (!check_keyword(v, k, value)) return false;
    if (value->kind == FOI_JSON_OBJECT) return check_members(v, schema, value);
    return value->kind != FOI_JSON_LIST || check_items(v, schema, value);
}

static foi_json *open_schema(validator *v)
{
    fo_message why = {0};
    foi_json *json = foi_json_read_file(SCHEMA, NULL, &why);
    if (!json) test_fail(__FILE__, __LINE__, "%s", why.text);
    *v = (validator){.root = json ? foi_json_root(json) : NULL};
    return json;
}

TEST(models_conform)
{
    validator v;
    foi_json *schema = open_schema(&v);
    DIR *folder = opendir(FOLIOT_SOURCE_DIR "/models/diagrams");
    REQUIRE(schema && folder);
    int count = 0;
    for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
        char path[512];
        fo_message why = {0};
        if (!strstr(e->d_name, ".json")) continue;
        snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/diagrams/%s", e->d_name);
        foi_json *json = foi_json_read_file(path, NULL, &why);
        if (!json || !valid(&v, v.root, foi_json_root(json)))
            test_fail(__FILE__, __LINE__, "%s: %s", e->d_name, v.why);
        fo_diagram *d = fo_diagram_read_file(path, NULL, &why);
        if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
        fo_diagram_destroy(d);
        foi_json_destroy(json);
        count++;
    }
    closedir(folder);
    foi_json_destroy(schema);
    CHECK(count >= 9);
}

// Refused by both, or taken by both.
TEST(schema_and_program_agree)
{
#define HEAD "{'format': 'foliot diagram', "
#define BODY                                                                          \
    "'nodes': [{'name': 'c', 'type': 'Counter'}, {'name': 'e', 'type': 'Display'}], " \
    "'lines': [{'from': 'c', 'to': 'e'}]"
    static const struct {
        bool fine;
        const char *text;
    } list[] = {
        {true, HEAD BODY "}"},
        {true, HEAD "'notes': [{'text': 'here', 'position': [1, 2]}, {'text': ''}], " BODY "}"},
        {false, HEAD "'notes': {'text': 'here'}, " BODY "}"},
        {false, HEAD "'notes': [{'position': [1, 2]}], " BODY "}"},
        {false, HEAD "'notes': ['here'], " BODY "}"},
        {false, HEAD "'notes': [{'text': 'here', 'position': [1]}], " BODY "}"},
        {false, HEAD "'notes': [{'text': 'here', 'size': 3}], " BODY "}"},
        {false, HEAD "'nodes': [{'name': 'a', 'type': 'Clock', 'flip': 1}]}"},
        {true, HEAD "'version': 1, 'simulation': {'algebraicLoops': 'solve'}, " BODY "}"},
        {true, HEAD "'subsystems': {'s': {'nodes': [{'name': 'c', 'type': 'Clock'}]}}, " BODY "}"},
        {true, HEAD "'scene': {'shapes': [{'shape': 'box', 'size': ['e', 1, {'signal': 'e', "
                    "'gain': 2}]}]}, " BODY "}"},
        {true,
         HEAD "'scene': {'background': 'white', 'camera': [1, 2, 3], 'shapes': []}, " BODY "}"},
        {false, HEAD "'version': 2, " BODY "}"},
        {false, HEAD "'version': 0, " BODY "}"},
        {false, "{'format': 'another', " BODY "}"},
        {false, HEAD "'nodes': []}"},
        {false, HEAD "'simulation': {'step': 0}, " BODY "}"},
        {false, HEAD "'simulation': {'algebraicLoops': 3}, " BODY "}"},
        {false, HEAD "'simulation': {'events': 'no'}, " BODY "}"},
        {false, HEAD "'subsystems': {'s': {}}, " BODY "}"},
        {false, HEAD "'scene': {}, " BODY "}"},
        {true, HEAD "'scene': {'shapes': [{'shape': 'cylinder', 'end': [0, 'e', 0]}, {'shape': "
                    "'spring', 'end': [0, 1, 0]}, {'shape': 'arrow', 'end': [1, 0, 0]}, {'shape': "
                    "'trail', 'position': ['e', 0, 0]}, {'shape': 'text', 'text': 'here'}, "
                    "{'shape': 'gltf', 'file': 'car.glb'}]}, " BODY "}"},
        {false, HEAD "'scene': {'shapes': [{'shape': 'text', 'text': 3}]}, " BODY "}"},
        {false, HEAD "'scene': {'shapes': [{'shape': 'cube'}]}, " BODY "}"},
        {false, HEAD "'scene': {'shapes': [{'shape': 'box', 'position': [1, 2]}]}, " BODY "}"},
        {false, HEAD "'scene': {'shapes': [{'shape': 'box', 'colour': 'red'}]}, " BODY "}"},
        {false, HEAD "'scene': {'camera': ['e', 0, 0], 'shapes': []}, " BODY "}"},
        {false, HEAD "'more': 1, " BODY "}"},
        {false, HEAD "'nodes': [{'name': 'a:b', 'type': 'Clock'}]}"},
        {false, HEAD "'nodes': [{'name': 'a', 'type': 'Klock'}]}"},
        {false, HEAD "'nodes': [{'name': 'a', 'type': 'Clock', 'rotation': 'x'}]}"},
        {false, HEAD "'nodes': [{'name': 'a', 'type': 'Clock', 'position': [1]}]}"},
    };
    validator v;
    foi_json *schema = open_schema(&v);
    REQUIRE(schema);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[1024];
        fo_message why = {0};
        snprintf(text, sizeof text, "%s", list[i].text);
        for (char *c = text; *c; c++)
            if (*c == '\'') *c = '"';
        fo_diagram_def def = {"d.json", text, strlen(text), NULL};
        fo_diagram *d = fo_diagram_read(&def, &why);
        if ((d != NULL) != list[i].fine)
            test_fail(__FILE__, __LINE__, "the program on %s: %s", text, why.text);
        fo_diagram_destroy(d);
        foi_json_def json_def = {.name = "d.json", .text = text, .length = strlen(text)};
        foi_json *json = foi_json_read(&json_def, &why);
        REQUIRE(json);
        if (valid(&v, v.root, foi_json_root(json)) != list[i].fine)
            test_fail(__FILE__, __LINE__, "the schema on %s: %s", text, v.why);
        foi_json_destroy(json);
    }
    foi_json_destroy(schema);
}

// -------------------------------------------------------------------------------------------
// scenes

#define NODES                                                                                \
    "'nodes': [{'name': 'c', 'type': 'Clock'}, {'name': 'm', 'type': 'Gain', 'parameters': " \
    "{'Gain': '1 2'}}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'c', 'to': "    \
    "'m'}, {'from': 'm', 'to': 'e'}], "

TEST(scenes_are_resolved)
{
    fo_message why = {0};
    fo_diagram *d = read_diagram(
        NODES "'scene': {'background': '#ff8000', 'camera': [1, 2, 3], 'shapes': [{'shape': "
              "'sphere', 'name': 'ball', 'position': ['c', {'signal': 'm[2]', 'gain': 3, 'offset': "
              "1}, 4], 'size': 'c', 'color': 'black'}, {'shape': 'line', 'end': [0, 'e[1]', 0]}]}",
        NULL, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(d);
    const fo_scene *s = fo_diagram_scene(d);
    REQUIRE(s && s->shape_count == 2);
    CHECK_NEAR(s->background[0], 1, 0);
    CHECK_NEAR(s->background[1], 128.0 / 255, 1e-15);
    CHECK_NEAR(s->camera[2], 3, 0);
    const fo_scene_shape *ball = &s->shapes[0], *line = &s->shapes[1];
    fo_variables outputs = fo_diagram_system(d).about->outputs;
    CHECK_TEXT(ball->name, "ball");
    CHECK_INT(ball->kind, FO_SCENE_SPHERE);
    CHECK_TEXT(ball->position[1].signal, "m[2]");
    CHECK_TEXT(outputs.list[ball->position[1].output].name, "m[2]");
    CHECK_NEAR(ball->position[1].gain, 3, 0);
    CHECK_NEAR(ball->position[1].offset, 1, 0);
    CHECK(!ball->position[2].signal);
    CHECK_NEAR(ball->position[2].offset, 4, 0);
    CHECK_TEXT(ball->size[2].signal, "c");
    CHECK_NEAR(ball->color[0].offset, 0, 0);
    CHECK_TEXT(line->name, "line");
    CHECK_TEXT(outputs.list[line->end[1].output].name, "e[1]");
    CHECK_TEXT(fo_scene_kind_name(line->kind), "line");
    fo_diagram_destroy(d);
}

TEST(scenes_are_checked)
{
#define SHAPE(words) NODES "'scene': {'shapes': [{" words "}]}"
    refused(NODES "'scene': 3", "$.scene: expected an object");
    refused(NODES "'scene': {'shape': []}",
            "$.scene.shape: nothing here is called 'shape'; did you mean");
    refused(NODES "'scene': {'shapes': 3}", "$.scene.shapes: a scene needs a list of shapes");
    refused(NODES "'scene': {'background': ['c', 0, 0], 'shapes': []}", "$.scene.background: ");
    refused(SHAPE("'shape': 'spere'"), "$.scene.shapes[0].shape: 'spere' is none of box, sphere, "
                                       "cylinder, cone, plane, line, spring, arrow, trail, text, "
                                       "gltf; did you mean 'sphere'?");
    refused(SHAPE("'position': [0, 0, 0]"), "a shape needs \"shape\"");
    refused(SHAPE("'shape': 'box', 'position': [0, 'd', 0]"),
            "$.scene.shapes[0].position[1]: there is no signal 'd'");
    refused(SHAPE("'shape': 'box', 'position': 3"), "$.scene.shapes[0].position: expected a list");
    refused(SHAPE("'shape': 'box', 'size': [1, true, 1]"), "$.scene.shapes[0].size[1]: expected");
    refused(SHAPE("'shape': 'box', 'size': {'gain': 2}"), "the field 'signal' is missing");
    refused(SHAPE("'shape': 'box', 'color': 'purplish'"), "'purplish' is no colour");
    refused(SHAPE("'shape': 'box', 'end': [0, 0, 0]"),
            "lines, springs, arrows and cylinders have an \"end\", a box has none");
    refused(SHAPE("'shape': 'line'"), "a line has an \"end\"");
    refused(SHAPE("'shape': 'spring'"), "a spring has an \"end\"");
    refused(SHAPE("'shape': 'text'"), "a text needs \"text\"");
    refused(SHAPE("'shape': 'gltf', 'text': 'a'"), "a gltf has no \"text\"");
    refused(SHAPE("'shape': 'box', 'file': 'a'"), "a box has no \"file\"");
    refused(SHAPE("'shape': 'box', 'name': 3"), "$.scene.shapes[0].name: expected a text");
}

TEST_MAIN(TEST_ENTRY(models_conform), TEST_ENTRY(schema_and_program_agree),
          TEST_ENTRY(scenes_are_resolved), TEST_ENTRY(scenes_are_checked))
