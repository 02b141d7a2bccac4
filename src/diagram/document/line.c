// Lines of a document: from an output port to input ports, through branches.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagram/diagram.h"

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

/// "sum1:2" is the second port of the node sum1; "sum1" its first.
typedef struct line_end {
    foi_node *node;
    uint32_t port; ///< from 0
} line_end;

static fo_status unknown_node(foi_build *b, const foi_json_value *v, const char *prefix)
{
    foi_nearest nearest = foi_nearest_to(v->text);
    const foi_diagram *d = b->diagram;
    size_t length = strlen(prefix);
    for (uint32_t i = 0; i < d->node_count && i < 1000; i++)
        if (strncmp(d->nodes[i].name, prefix, length) == 0)
            foi_nearest_try(&nearest, d->nodes[i].name + length);
    return foi_json_refuse(b->json, v, b->why, "there is no node '%.60s'%s", v->text,
                           foi_nearest_hint(&nearest));
}

static foi_node *find_in(foi_build *b, const char *prefix, const char *name, size_t length)
{
    if (!*prefix) return foi_diagram_find(b->diagram, name, length);
    char *whole = foi_arena_print(b->arena, "%s%.*s", prefix, (int)length, name);
    return whole ? foi_diagram_find(b->diagram, whole, strlen(whole)) : NULL;
}

// How many ports the node has for lines, and the name of one. Those of a Subsystem are the ports
// inside; seen from inside, an input port only gives, and an output port only takes.
static uint32_t ports_of(const foi_build *b, const foi_node *n, bool input)
{
    const foi_scope *inside = &b->scopes[n->inside];
    if (n->type == &foi_subsystem) return input ? inside->input_count : inside->output_count;
    if (n->type == &foi_input_port && input) return 0;
    if (n->type == &foi_output_port && !input) return 0;
    return input ? n->input_count : n->output_count;
}

static const char *port_name(const foi_build *b, const foi_node *n, bool input, uint32_t i,
                             char *text, size_t size)
{
    const foi_scope *inside = &b->scopes[n->inside];
    if (n->type != &foi_subsystem) return foi_node_port(n, input, i, text, size);
    const foi_node *port = input ? inside->inputs[i] : inside->outputs[i];
    return port->name + strlen(inside->prefix);
}

// A port by its number or its name; from 0. The count when there is none.
static uint32_t find_port(const foi_build *b, const foi_node *n, bool input, const char *text)
{
    uint32_t count = ports_of(b, n, input);
    char *after, name[200];
    unsigned long number = strtoul(text, &after, 10);
    if (text[0] >= '0' && text[0] <= '9' && !*after)
        return number >= 1 && number <= count ? (uint32_t)number - 1 : count;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(port_name(b, n, input, i, name, sizeof name), text) == 0) return i;
    return count;
}

static fo_status read_end(foi_build *b, const foi_json_value *v, bool input, const char *prefix,
                          line_end *end)
{
    if (v->kind != FOI_JSON_TEXT)
        return foi_json_refuse(b->json, v, b->why, "expected \"node\" or \"node:port\", found %s",
                               foi_json_kind_text(v->kind));
    const char *colon = strchr(v->text, ':');
    size_t length = colon ? (size_t)(colon - v->text) : strlen(v->text);
    foi_node *n = find_in(b, prefix, v->text, length);
    if (!n) return b->arena->failed ? no_memory(b) : unknown_node(b, v, prefix);
    uint32_t count = ports_of(b, n, input);
    uint32_t port = find_port(b, n, input, colon ? colon + 1 : "1");
    if (port >= count)
        return foi_json_refuse(b->json, v, b->why, "node '%s' (%s) has %u %s%s, not a port %.60s",
                               n->name, n->type->name, count, input ? "input" : "output",
                               count == 1 ? "" : "s", colon ? colon + 1 : "1");
    const foi_scope *inside = &b->scopes[n->inside];
    *end = (line_end){n, port};
    if (n->type == &foi_subsystem)
        *end = (line_end){input ? inside->inputs[port] : inside->outputs[port], 0};
    return FO_OK;
}

static fo_status connect(foi_build *b, const foi_json_value *v, const char *prefix, line_end from)
{
    line_end to;
    fo_status status = read_end(b, v, true, prefix, &to);
    if (status != FO_OK) return status;
    foi_signal **place = &to.node->inputs[to.port], *signal = &from.node->outputs[from.port];
    if (*place)
        return foi_json_refuse(b->json, v, b->why,
                               "input %u of node '%s' is connected already, to '%s'", to.port + 1,
                               to.node->name, (*place)->node->name);
    *place = signal;
    signal->uses++;
    return FO_OK;
}

// A line or branch has "to" (a port or several), "branches", or both. The depth of JSON documents
// is limited, and so is that of branches.
static fo_status follow(foi_build *b, const foi_json_value *v, const char *prefix, line_end from)
{
    const foi_json_value *to = foi_json_member(v, "to"), *more = foi_json_member(v, "branches");
    fo_status status = FO_OK;
    if ((!to || (to->kind == FOI_JSON_LIST && !to->count)) && (!more || !more->count))
        return foi_json_refuse(b->json, v, b->why,
                               "a dangling line from '%s': it needs \"to\" or \"branches\"",
                               from.node->name);
    if (to && to->kind == FOI_JSON_LIST)
        for (const foi_json_value *e = to->first; e && status == FO_OK; e = e->next)
            status = connect(b, e, prefix, from);
    else if (to)
        status = connect(b, to, prefix, from);
    if (!more || status != FO_OK) return status;
    if (more->kind != FOI_JSON_LIST)
        return foi_json_refuse(b->json, more, b->why, "expected a list of branches, found %s",
                               foi_json_kind_text(more->kind));
    static const char *const known[] = {"to", "branches", "color", "points", NULL};
    for (const foi_json_value *e = more->first; e && status == FO_OK; e = e->next) {
        status =
            foi_read_keys(&b->reader, e, known) ? follow(b, e, prefix, from) : b->reader.status;
    }
    return status;
}

static fo_status read_line(foi_build *b, const foi_json_value *v, const char *prefix)
{
    static const char *const known[] = {"from", "to", "branches", "color", "points", NULL};
    line_end from;
    if (!foi_read_keys(&b->reader, v, known)) return b->reader.status;
    const foi_json_value *source = foi_json_member(v, "from");
    if (!source) return foi_json_refuse(b->json, v, b->why, "a dangling line: it needs \"from\"");
    fo_status status = read_end(b, source, false, prefix, &from);
    return status == FO_OK ? follow(b, v, prefix, from) : status;
}

// Floating ports stop a simulation, as the document says.
static fo_status check_connected(foi_build *b)
{
    const foi_diagram *d = b->diagram;
    char port[64];
    for (uint32_t i = 0; i < d->node_count; i++) {
        const foi_node *n = &d->nodes[i];
        for (uint32_t j = 0; j < n->input_count; j++)
            if (!n->inputs[j])
                return foi_node_refuse(b, n,
                                       "input %u (%s) is not connected; a Ground can be put there",
                                       j + 1, foi_node_port(n, true, j, port, sizeof port));
        for (uint32_t j = 0; j < n->output_count; j++)
            if (!n->outputs[j].uses && !n->type->loose)
                return foi_node_refuse(
                    b, n, "output %u (%s) is not connected; a Terminator can be put there", j + 1,
                    foi_node_port(n, false, j, port, sizeof port));
    }
    return FO_OK;
}

static fo_status read_lines(foi_build *b, const foi_scope *scope)
{
    const foi_json_value *list = scope->lines;
    fo_status status = FO_OK;
    if (list && list->kind != FOI_JSON_LIST)
        return foi_json_refuse(b->json, list, b->why, "expected a list of lines, found %s",
                               foi_json_kind_text(list->kind));
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_line(b, v, scope->prefix);
    return status;
}

fo_status foi_document_lines(foi_build *b)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < b->scope_count && status == FO_OK; i++)
        status = read_lines(b, &b->scopes[i]);
    return status == FO_OK ? check_connected(b) : status;
}
