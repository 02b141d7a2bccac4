// What node types say of themselves, for programs that show it.
#include <foliot/diagram.h>

#include "base/text.h"
#include "diagram/nodes/own.h"

static fo_node_help help_of(const foi_node_type *type)
{
    size_t count = 0;
    while (type->parameters[count].name) count++;
    return (fo_node_help){.name = type->name,
                          .set = type->set,
                          .about = type->about,
                          .inputs = type->inputs,
                          .outputs = type->outputs,
                          .ports = type->ports,
                          .types = type->types,
                          .feedthrough = type->feedthrough,
                          .sample = type->sample,
                          .expansion = type->expansion,
                          .dimensions = type->dimensions,
                          .parameter_count = count,
                          .example_parameters = type->example.parameters,
                          .example_inputs = type->example.inputs,
                          .example_output = type->example.output,
                          .example_around =
                              type->example.members ? type->example.members : type->example.nodes,
                          .example_time = type->example.time,
                          .example_port = type->example.port};
}

bool fo_node_help_at(size_t index, fo_node_help *help)
{
    const foi_node_type *type = foi_node_type_at(index);
    if (type) *help = help_of(type);
    return type;
}

fo_status fo_node_help_find(const char *name, fo_node_help *help, fo_message *why)
{
    const foi_node_type *type = foi_node_type_find(name);
    if (type) {
        *help = help_of(type);
        return FO_OK;
    }
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t i = 0; (type = foi_node_type_at(i)); i++) foi_nearest_try(&nearest, type->name);
    return fo_fail(why, FO_ERROR_ARGUMENT, "there is no node '%.60s'%s", name,
                   foi_nearest_hint(&nearest));
}

static fo_node_parameter parameter_of(const foi_parameter *p)
{
    static const char *const kinds[] = {"real", "complex", "number", "time", "choice", "text"};
    return (fo_node_parameter){.name = p->name,
                               .kind = kinds[p->kind],
                               .value = p->value,
                               .choices = p->choices,
                               .about = p->about};
}

bool fo_node_parameter_at(const char *node, size_t index, fo_node_parameter *parameter)
{
    const foi_node_type *type = foi_node_type_find(node);
    size_t count = 0;
    while (type && type->parameters[count].name) count++;
    if (index >= count) return false;
    *parameter = parameter_of(&type->parameters[index]);
    return true;
}

// ------------------------------------------------------------------------------ of one's own

fo_status fo_node_type_help(const fo_node_type *type, fo_node_help *help, fo_message *why)
{
    foi_arena arena;
    fo_message own = {0};
    foi_arena_begin(&arena, fo_heap(), 0);
    const foi_node_type *made = foi_own_type(&arena, type, why ? why : &own);
    if (made) *help = help_of(made); // its texts are those of the description, or constant
    fo_status status = made ? FO_OK : (why ? why : &own)->status;
    foi_arena_end(&arena);
    return status;
}

bool fo_node_type_parameter_at(const fo_node_type *type, size_t index, fo_node_parameter *parameter)
{
    size_t count = 0;
    while (type->parameters && type->parameters[count].name) count++;
    if (index >= count) return false;
    foi_parameter p = foi_own_parameter(&type->parameters[index]);
    *parameter = parameter_of(&p);
    return true;
}
