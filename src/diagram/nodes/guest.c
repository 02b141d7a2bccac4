// Models of other kinds as nodes: texts, structures, fields.
#include <foliot/field.h>
#include <foliot/language.h>
#include <foliot/structure.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "diagram/diagram.h"
#include "diagram/nodes/node_doc.h"
#include "diagram/run/guest.h"
#include "field/document.h"
#include "language/language.h"
#include "structure/read.h"

#define SET "Models"
#define PARAMETERS                                                                             \
    {                                                                                          \
        "Parameters", FOI_PARAMETER_TEXT, "", NULL, "of the model: \"name=value; name=value\"" \
    }
#define PORTS                                                                         \
    PROPERTIES(REAL_ONLY, "where an output depends directly on an input", CONTINUOUS, \
               NOT_SUPPORTED, "single number")

static foi_guest *new_guest(foi_build *b)
{
    foi_guest *g = foi_arena_new(b->arena, 1, sizeof *g);
    if (!g) fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    return g;
}

// What another room said, as this node's words; memory that is lacking stays what it is.
static fo_status refuse_guest(foi_build *b, foi_node *n, const fo_message *why)
{
    if (why->status == FO_ERROR_MEMORY) {
        *b->why = *why;
        return FO_ERROR_MEMORY;
    }
    return foi_node_refuse(b, n, "%s", why->text);
}

// ------------------------------------------------------------------------------------------ texts

static void close_text(void *owner)
{
    fo_text_model_close(owner);
}

// The variables that the text declares as outputs, also where they are states, in its order.
static fo_status show_outputs(foi_build *b, foi_guest *g)
{
    const foi_flat *flat = foi_text_model_flat(g->owner);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < flat->variable_count && status == FO_OK; i++)
        if (flat->variables[i]->causality == FOI_OUTPUT)
            status = foi_guest_show(b, g, flat->variables[i]->name);
    return status;
}

static fo_status prepare_text(foi_build *b, foi_node *n)
{
    enum { TEXT, CLASS, VALUES };
    const char *class = n->settings[CLASS].text;
    fo_message why = {0};
    foi_guest *g = new_guest(b);
    if (!g) return FO_ERROR_MEMORY;
    fo_text_model_def def = {.path = n->name,
                             .text = n->settings[TEXT].text,
                             .model = *class ? class : NULL,
                             .allocator = b->diagram->allocator};
    def.settings =
        foi_guest_settings(b, n, n->settings[VALUES].text, &def.setting_count); // also sizes
    if (!def.settings) return b->why->status;
    g->given = def.settings, g->given_count = def.setting_count;
    g->owner = fo_text_model_open(&def, &why);
    if (!g->owner) return refuse_guest(b, n, &why);
    for (size_t i = 0; i < def.setting_count; i++)
        if (def.settings[i].taken) foi_guest_taken(b, n, def.settings[i].name);
    g->close = close_text;
    g->system = fo_text_model_system(g->owner);
    n->extra = g;
    const fo_variable *fixed;
    uint32_t count;
    if (!foi_text_model_fixed(g->owner, b->arena, &fixed, &count))
        return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    fo_status status = show_outputs(b, g);
    if (status == FO_OK) status = foi_guest_list_more(b, n, fixed, count);
    if (status != FO_OK) return status;
    return foi_guest_prepare(b, n, n->settings[VALUES].text);
}

static const foi_node_type modelica_block = {
    .name = "Modelica Block",
    .set = SET,
    .about = "A Modelica text as a node: a model in the subset of Modelica of `foliot run x.mo`. "
             "Its inputs "
             "and outputs are the ports; its states, events and algebraic equations belong to the "
             "run of the diagram.",
    .inputs = "",
    .outputs = "",
    .ports = "the inputs and outputs that the text declares",
    .parameters =
        (const foi_parameter[]){
            {"Text", FOI_PARAMETER_TEXT,
             "block same input Real u; output Real y; equation y = u; end same;", NULL,
             "the model; a text, or a list with one text for each line"},
            {"Class", FOI_PARAMETER_TEXT, "", NULL, "which one; empty: the last of the text"},
            PARAMETERS,
            {0}},
    PORTS,
    .example =
        {"Text=block b parameter Real k = 1; input Real u; output Real y; Real x(start = 1); "
         "equation der(x) = -k * x; y = x + u; end b; ;Parameters=k=2",
         "3", 1, 0, "3.1353352832366128"},
    .prepare = prepare_text,
    FOI_GUEST,
};

// ------------------------------------------------------------------------------ structures, fields

// A file beside the document, unless the path says where it is.
static const char *beside(foi_build *b, const char *path)
{
    const char *document = foi_json_name(b->json), *slash = strrchr(document, '/');
    if (path[0] == '/' || !slash) return path;
    return foi_arena_print(b->arena, "%.*s/%s", (int)(slash - document), document, path);
}

// What the diagram depends on beside its own document: a run goes on only with the same.
static fo_status note_document(foi_diagram *d, const char *path, fo_message *why)
{
    unsigned char *bytes = NULL;
    size_t count = 0;
    fo_status status = foi_file_load(path, d->allocator, &bytes, &count, why);
    if (status == FO_OK) d->others = foi_hash_of(bytes, count, d->others + 1);
    foi_free(d->allocator, bytes);
    return status;
}

// Whether the document can be read without following a link that came with it.
static bool reaches(const foi_build *b, const char *path, const char *name, fo_message *why)
{
    size_t before = strlen(path) - strlen(name); // the diagram's folder, and a slash
    const char *folder = name[0] == '/' ? b->diagram->files
                         : before       ? foi_arena_print(b->arena, "%.*s", (int)before, path)
                                        : ".";
    if (!folder) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
        return false;
    }
    FILE *file = foi_file_read(path, folder, why);
    if (file) fclose(file);
    return file != NULL;
}

// The document that a node names: beside the diagram's, or in the folder that it may use.
static foi_json *read_document(foi_build *b, const char *name, fo_message *why)
{
    const char *files = b->diagram->files;
    const fo_allocator *a = b->diagram->allocator;
    char *within = files ? foi_file_within(name, files, a, why) : NULL;
    if (files && !within) return NULL;
    foi_free(a, within);
    const char *path = beside(b, name);
    if (!path) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
        return NULL;
    }
    if (files && !reaches(b, path, name, why)) return NULL;
    foi_json *json = foi_json_read_file(path, a, why);
    if (!json || note_document(b->diagram, path, why) == FO_OK) return json;
    foi_json_destroy(json);
    return NULL;
}

static void close_structure(void *owner)
{
    fo_structure_document_destroy(owner);
}

static fo_status prepare_structure(foi_build *b, foi_node *n)
{
    fo_message why = {0};
    foi_guest *g = new_guest(b);
    if (!g) return FO_ERROR_MEMORY;
    foi_json *json = read_document(b, n->settings[0].text, &why);
    if (!json) return refuse_guest(b, n, &why);
    foi_numbers *numbers = foi_guest_numbers(b, n, json);
    if (numbers) g->owner = foi_structure_document_of(json, numbers, b->diagram->allocator, &why);
    foi_json_destroy(json);
    if (!numbers) return b->why->status;
    if (!g->owner) return refuse_guest(b, n, &why);
    g->close = close_structure;
    g->system = fo_structure_document_system(g->owner);
    n->extra = g;
    fo_status status = foi_guest_list(b, n, numbers);
    if (status != FO_OK) return status;
    return foi_guest_prepare(b, n, n->settings[1].text);
}

#define FILE_OF(what)                                                                         \
    {                                                                                         \
        "File Name", FOI_PARAMETER_TEXT, "None", NULL, what ", beside the diagram's document" \
    }

static const foi_node_type structure = {
    .name = "Structure",
    .set = SET,
    .about = "A structure of masses and springs (*.structure.json) as a node: efforts or flows at "
             "its ports come in, flows or efforts and energies go out, under their names.",
    .inputs = "",
    .outputs = "",
    .ports = "the power ports of the structure",
    .parameters = (const foi_parameter[]){FILE_OF("a structure's document"), PARAMETERS, {0}},
    PORTS,
    .example = {"File Name=beam.structure.json", "", 0, 0, NULL},
    .prepare = prepare_structure,
    FOI_GUEST,
};

static void close_field(void *owner)
{
    foi_field_document_destroy(owner);
}

static fo_status prepare_field(foi_build *b, foi_node *n)
{
    fo_message why = {0};
    foi_guest *g = new_guest(b);
    if (!g) return FO_ERROR_MEMORY;
    foi_field_document *document = NULL;
    foi_json *json = read_document(b, n->settings[0].text, &why);
    if (!json) return refuse_guest(b, n, &why);
    foi_numbers *numbers = foi_guest_numbers(b, n, json);
    if (numbers) document = foi_field_document_with(json, numbers, b->diagram->allocator, &why);
    foi_json_destroy(json);
    if (!numbers) return b->why->status;
    if (!document) return refuse_guest(b, n, &why);
    g->owner = document;
    g->close = close_field;
    g->system = fo_field_system(document->field);
    n->extra = g;
    fo_status status = foi_guest_list(b, n, numbers);
    if (status != FO_OK) return status;
    return foi_guest_prepare(b, n, n->settings[1].text);
}

static const foi_node_type field = {
    .name = "Field",
    .set = SET,
    .about =
        "A field on a grid (*.field.json) as a node: signals that its document calls \"input\" "
        "come in, probes go out, under their names.",
    .inputs = "",
    .outputs = "",
    .ports = "the inputs and probes of the field",
    .parameters = (const foi_parameter[]){FILE_OF("a field's document"), PARAMETERS, {0}},
    PORTS,
    .example = {"File Name=wave.field.json", "", 0, 0, NULL},
    .prepare = prepare_field,
    FOI_GUEST,
};

const foi_node_type *const foi_nodes_guest[] = {&field, &modelica_block, &structure, NULL};
