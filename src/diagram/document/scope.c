// The nodes of a document, and those of the diagrams inside its nodes: subsystems are expanded
// here, so that all that follows sees one flat diagram.
//
// First the nodes are counted, each named subsystem once: a short document can stand for very many
// nodes, and a subsystem can contain itself.
#include <string.h>

#include "base/text.h"
#include "diagram/diagram.h"

enum { MAX_NODES = 1000000, MAX_DEPTH = 64 };

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

/// A subsystem with a name.
typedef struct definition {
    const foi_json_value *body;
    uint64_t count; ///< nodes when expanded; 0: not known yet
    bool open;      ///< being counted
} definition;

typedef struct expansion {
    foi_build *build;
    definition *list;
    size_t count;
    uint32_t depth;
} expansion;

// ------------------------------------------------------------------------------------- counting

static bool is_subsystem(const foi_json_value *node)
{
    const foi_json_value *type = foi_json_member(node, "type");
    return type && type->kind == FOI_JSON_TEXT && foi_same_name(type->text, foi_subsystem.name);
}

static definition *find_definition(const expansion *e, const char *name)
{
    for (size_t i = 0; i < e->count; i++)
        if (strcmp(e->list[i].body->key, name) == 0) return &e->list[i];
    return NULL;
}

// The definition that a Subsystem names; *where is where it does so.
static fo_status named_definition(const expansion *e, const foi_json_value *node,
                                  definition **found, const foi_json_value **where)
{
    foi_build *b = e->build;
    const foi_json_value *given = foi_json_member(node, "parameters"), *name = NULL;
    for (const foi_json_value *v = given ? given->first : NULL; v; v = v->next)
        if (v->key && foi_same_name(v->key, "Definition")) name = v;
    if (!name || name->kind != FOI_JSON_TEXT)
        return foi_json_refuse(b->json, name ? name : node, b->why,
                               "a Subsystem needs a \"diagram\", or the parameter Definition: the "
                               "name of one of the document's \"subsystems\"");
    *where = name;
    *found = find_definition(e, name->text);
    if (*found) return FO_OK;
    foi_nearest nearest = foi_nearest_to(name->text);
    for (size_t i = 0; i < e->count && i < 1000; i++)
        foi_nearest_try(&nearest, e->list[i].body->key);
    return foi_json_refuse(b->json, name, b->why, "there is no subsystem '%.60s'%s", name->text,
                           foi_nearest_hint(&nearest));
}

static fo_status count_body(expansion *e, const foi_json_value *body, uint64_t *count);

static fo_status count_definition(expansion *e, definition *d, const foi_json_value *where,
                                  uint64_t *count)
{
    if (d->open)
        return foi_json_refuse(e->build->json, where, e->build->why,
                               "the subsystem '%.60s' contains itself", d->body->key);
    fo_status status = FO_OK;
    d->open = true;
    if (!d->count) status = count_body(e, d->body, &d->count);
    d->open = false;
    *count += d->count;
    return status;
}

static fo_status count_node(expansion *e, const foi_json_value *node, uint64_t *count)
{
    const foi_json_value *inside = foi_json_member(node, "diagram"), *where = node;
    definition *d = NULL;
    *count += 1;
    if (!is_subsystem(node)) return FO_OK;
    if (e->depth >= MAX_DEPTH)
        return foi_json_refuse(e->build->json, node, e->build->why,
                               "subsystems are nested deeper than %d levels", MAX_DEPTH);
    e->depth++;
    fo_status status =
        inside ? count_body(e, inside, count) : named_definition(e, node, &d, &where);
    if (status == FO_OK && d) status = count_definition(e, d, where, count);
    e->depth--;
    if (status == FO_OK && *count > MAX_NODES)
        return foi_json_refuse(e->build->json, where, e->build->why, "more than %d nodes",
                               MAX_NODES);
    return status;
}

// Notes are for who looks at the drawing; only their form is looked at.
static fo_status check_notes(foi_build *b, const foi_json_value *body)
{
    static const char *const known[] = {"text", "position", NULL};
    const foi_json_value *list = foi_json_member(body, "notes");
    if (!list) return FO_OK;
    if (list->kind != FOI_JSON_LIST)
        return foi_json_refuse(b->json, list, b->why, "expected a list of notes, found %s",
                               foi_json_kind_text(list->kind));
    for (const foi_json_value *v = list->first; v; v = v->next) {
        double position[2];
        const foi_json_value *text = foi_json_member(v, "text");
        if (!foi_read_keys(&b->reader, v, known)) return b->reader.status;
        if (!text || text->kind != FOI_JSON_TEXT)
            return foi_json_refuse(b->json, text ? text : v, b->why, "a note needs a text");
        foi_read_vector(&b->reader, v, "position", 2, position);
    }
    return b->reader.status;
}

static fo_status count_body(expansion *e, const foi_json_value *body, uint64_t *count)
{
    foi_build *b = e->build;
    static const char *const known[] = {"nodes", "lines", "about", "notes", NULL};
    if (body->parent && !foi_read_keys(&b->reader, body, known)) return b->reader.status;
    fo_status status = check_notes(b, body);
    if (status != FO_OK) return status;
    const foi_json_value *list = foi_json_member(body, "nodes");
    if (!list || list->kind != FOI_JSON_LIST || !list->count)
        return foi_json_refuse(b->json, list ? list : body, b->why,
                               "a diagram needs a list of nodes");
    for (const foi_json_value *v = list->first; v && status == FO_OK; v = v->next)
        status = count_node(e, v, count);
    return status;
}

static fo_status list_definitions(expansion *e, const foi_json_value *root)
{
    foi_build *b = e->build;
    const foi_json_value *given = foi_json_member(root, "subsystems");
    if (!given) return FO_OK;
    if (given->kind != FOI_JSON_OBJECT)
        return foi_json_refuse(b->json, given, b->why,
                               "expected an object with a diagram for each name, found %s",
                               foi_json_kind_text(given->kind));
    if (given->count > 10000)
        return foi_json_refuse(b->json, given, b->why, "more than 10000 subsystems");
    e->list = foi_arena_new(b->arena, given->count + 1, sizeof *e->list);
    if (!e->list) return no_memory(b);
    for (const foi_json_value *v = given->first; v; v = v->next) e->list[e->count++].body = v;
    uint64_t all = 0;
    fo_status status = FO_OK;
    for (size_t i = 0; i < e->count && status == FO_OK; i++)
        status = count_definition(e, &e->list[i], e->list[i].body, &all);
    return status;
}

// ------------------------------------------------------------------------------------- expanding

static fo_status add_port(foi_build *b, foi_node *n)
{
    foi_scope *s = &b->scopes[n->scope];
    bool input = n->type == &foi_input_port;
    if (!input && n->type != &foi_output_port) return FO_OK;
    if (!n->scope)
        return foi_node_refuse(b, n, "stands in subsystems only; a whole diagram has no ports");
    foi_node **place = input ? foi_arena_add(b->arena, &s->inputs, &s->input_count, sizeof n)
                             : foi_arena_add(b->arena, &s->outputs, &s->output_count, sizeof n);
    if (!place) return no_memory(b);
    *place = n;
    return FO_OK;
}

static fo_status read_body(expansion *e, const foi_json_value *body, uint32_t scope);

static fo_status read_inside(expansion *e, foi_node *n)
{
    foi_build *b = e->build;
    const foi_json_value *inside = foi_json_member(n->json, "diagram"), *where;
    definition *d;
    if (!inside) {
        fo_status status = named_definition(e, n->json, &d, &where);
        if (status != FO_OK) return status;
        inside = d->body;
    }
    uint32_t scope = b->scope_count;
    foi_scope *s = foi_arena_add(b->arena, &b->scopes, &b->scope_count, sizeof *s);
    if (!s) return no_memory(b);
    s->outer = n->scope;
    s->prefix = foi_arena_print(b->arena, "%s.", n->name);
    s->lines = foi_json_member(inside, "lines");
    if (!s->prefix) return no_memory(b);
    n->inside = scope;
    return read_body(e, inside, scope);
}

static fo_status read_body(expansion *e, const foi_json_value *body, uint32_t scope)
{
    foi_build *b = e->build;
    foi_diagram *d = b->diagram;
    fo_status status = FO_OK;
    const foi_json_value *list = foi_json_member(body, "nodes");
    for (const foi_json_value *v = list->first; v && status == FO_OK; v = v->next) {
        foi_node *n = &d->nodes[d->node_count];
        n->index = d->node_count++;
        n->name = "";
        n->scope = scope;
        status = foi_document_node(b, n, v);
        if (status == FO_OK) status = add_port(b, n);
        if (status == FO_OK && n->type == &foi_subsystem) status = read_inside(e, n);
    }
    return status;
}

fo_status foi_document_nodes(foi_build *b, const foi_json_value *body)
{
    foi_diagram *d = b->diagram;
    expansion e = {.build = b};
    uint64_t count = 0;
    fo_status status = list_definitions(&e, body);
    if (status == FO_OK) status = count_body(&e, body, &count);
    if (status != FO_OK) return status;
    if (count > MAX_NODES)
        return foi_json_refuse(b->json, body, b->why, "more than %d nodes", MAX_NODES);
    foi_scope *whole = foi_arena_add(b->arena, &b->scopes, &b->scope_count, sizeof *whole);
    d->nodes = foi_arena_new(b->arena, count, sizeof *d->nodes);
    for (d->names.size = 16; d->names.size < 2 * count;) d->names.size *= 2;
    d->names.slots = foi_arena_new(b->arena, d->names.size, sizeof *d->names.slots);
    if (!whole || !d->nodes || !d->names.slots) return no_memory(b);
    whole->prefix = "";
    whole->lines = foi_json_member(body, "lines");
    return read_body(&e, body, 0);
}
