// Lines of a document: from an output port to input ports, through branches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "diagram/diagram.h"

/// "sum1:2" is the second port of the node sum1; "sum1" its first.
typedef struct line_end {
    foi_node *node;
    uint32_t port; ///< from 0
} line_end;

static fo_status unknown_node(foi_build *b, const foi_json_value *v)
{
    foi_nearest nearest = foi_nearest_to(v->text);
    const foi_diagram *d = b->diagram;
    for (uint32_t i = 0; i < d->node_count && i < 1000; i++)
        foi_nearest_try(&nearest, d->nodes[i].name);
    return foi_json_refuse(b->json, v, b->why, "there is no node '%.60s'%s", v->text,
                           foi_nearest_hint(&nearest));
}

static fo_status read_end(foi_build *b, const foi_json_value *v, bool input, line_end *end)
{
    if (v->kind != FOI_JSON_TEXT)
        return foi_json_refuse(b->json, v, b->why, "expected \"node\" or \"node:port\", found %s",
                               foi_json_kind_text(v->kind));
    const char *colon = strrchr(v->text, ':');
    size_t length = colon ? (size_t)(colon - v->text) : strlen(v->text);
    unsigned long port = 1;
    if (colon) {
        char *after;
        port = strtoul(colon + 1, &after, 10);
        if (colon[1] < '0' || colon[1] > '9' || *after)
            return foi_json_refuse(b->json, v, b->why, "expected a port's number behind ':'");
    }
    end->node = foi_diagram_find(b->diagram, v->text, length);
    if (!end->node) return unknown_node(b, v);
    uint32_t count = input ? end->node->input_count : end->node->output_count;
    if (port < 1 || port > count)
        return foi_json_refuse(b->json, v, b->why, "node '%s' (%s) has %u %s%s, not a port %lu",
                               end->node->name, end->node->type->name, count,
                               input ? "input" : "output", count == 1 ? "" : "s", port);
    end->port = (uint32_t)port - 1;
    return FO_OK;
}

static fo_status connect(foi_build *b, const foi_json_value *v, line_end from)
{
    line_end to;
    fo_status status = read_end(b, v, true, &to);
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
static fo_status follow(foi_build *b, const foi_json_value *v, line_end from)
{
    const foi_json_value *to = foi_json_member(v, "to"), *more = foi_json_member(v, "branches");
    fo_status status = FO_OK;
    if ((!to || (to->kind == FOI_JSON_LIST && !to->count)) && (!more || !more->count))
        return foi_json_refuse(b->json, v, b->why,
                               "a dangling line from '%s': it needs \"to\" or \"branches\"",
                               from.node->name);
    if (to && to->kind == FOI_JSON_LIST)
        for (const foi_json_value *e = to->first; e && status == FO_OK; e = e->next)
            status = connect(b, e, from);
    else if (to)
        status = connect(b, to, from);
    if (!more || status != FO_OK) return status;
    if (more->kind != FOI_JSON_LIST)
        return foi_json_refuse(b->json, more, b->why, "expected a list of branches, found %s",
                               foi_json_kind_text(more->kind));
    static const char *const known[] = {"to", "branches", "color", "points", NULL};
    for (const foi_json_value *e = more->first; e && status == FO_OK; e = e->next) {
        status = foi_document_members(b, e, known);
        if (status == FO_OK) status = follow(b, e, from);
    }
    return status;
}

static fo_status read_line(foi_build *b, const foi_json_value *v)
{
    static const char *const known[] = {"from", "to", "branches", "color", "points", NULL};
    line_end from;
    fo_status status = foi_document_members(b, v, known);
    if (status != FO_OK) return status;
    const foi_json_value *source = foi_json_member(v, "from");
    if (!source) return foi_json_refuse(b->json, v, b->why, "a dangling line: it needs \"from\"");
    status = read_end(b, source, false, &from);
    return status == FO_OK ? follow(b, v, from) : status;
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
                                       j + 1, foi_list_item(n->type->inputs, j, port, sizeof port));
        for (uint32_t j = 0; j < n->output_count; j++)
            if (!n->outputs[j].uses)
                return foi_node_refuse(
                    b, n, "output %u (%s) is not connected; a Terminator can be put there", j + 1,
                    foi_list_item(n->type->outputs, j, port, sizeof port));
    }
    return FO_OK;
}

fo_status foi_document_lines(foi_build *b, const foi_json_value *list)
{
    fo_status status = FO_OK;
    if (list && list->kind != FOI_JSON_LIST)
        return foi_json_refuse(b->json, list, b->why, "expected a list of lines, found %s",
                               foi_json_kind_text(list->kind));
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_line(b, v);
    return status == FO_OK ? check_connected(b) : status;
}
