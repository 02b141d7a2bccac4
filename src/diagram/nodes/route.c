// Where signals go without being changed: diagrams inside nodes with their ports, and tags. Reading
// the document resolves them: a subsystem is expanded, and nodes read a signal where it is made.

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

#define SET "Subsystems"

static fo_status type_pass(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0);
    (void)b;
    foi_output_type(n, 0, u->rows, u->cols, u->kind);
    return FO_OK;
}

static void output_pass(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) foi_copy(n, r, i, &u, i);
}

static fo_status type_nothing(foi_build *b, foi_node *n)
{
    (void)b;
    (void)n;
    return FO_OK;
}

#define TWICE                                                                                      \
    "'subsystems': {'twice': {'nodes': [{'name': 'in', 'type': 'Input Port'}, {'name': 'double', " \
    "'type': 'Gain', 'parameters': {'Gain': 2}}, {'name': 'out', 'type': 'Output Port'}], "        \
    "'lines': [{'from': 'in', 'to': 'double'}, {'from': 'double', 'to': 'out'}]}}"

const foi_node_type foi_subsystem = {
    .name = "Subsystem",
    .set = SET,
    .about = "A diagram inside a node: the member \"diagram\" with nodes and lines, or one of the "
             "document's \"subsystems\" by its name. Its ports are the nodes Input Port and Output "
             "Port inside, in their order; a line may name them by number or name. It is expanded "
             "before the run, so that loops and sample times go through it.",
    .inputs = "",
    .outputs = "",
    .ports = "those of the diagram inside",
    .parameters =
        (const foi_parameter[]){
            {"Definition", FOI_PARAMETER_TEXT, "", NULL,
             "the name of one of the document's \"subsystems\"; not needed with "
             "a \"diagram\" of its own"},
            {0}},
    PROPERTIES(ANY_TYPE, "as the nodes inside", "as the nodes inside", "as the nodes inside",
               ANY_DIMENSION),
    .example = {"Definition=twice", "3 4", 0, 0, "6 8", .members = TWICE},
    .accepts = FOI_ANY_KIND,
    .type = type_nothing,
};

const foi_node_type foi_input_port = {
    .name = "Input Port",
    .set = SET,
    .about = "Inside a Subsystem: gives what comes into the subsystem at this port.",
    .inputs = "u",
    .outputs = "u",
    .parameters = NO_PARAMETERS,
    PROPERTIES(ANY_TYPE, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {NULL, "", 0, 0, NULL},
    .accepts = FOI_ANY_KIND,
    .passes = true,
    .type = type_pass,
    .expressed = true,
    .output = output_pass,
};

const foi_node_type foi_output_port = {
    .name = "Output Port",
    .set = SET,
    .about = "Inside a Subsystem: what it is given leaves the subsystem at this port.",
    .inputs = "y",
    .outputs = "y",
    .parameters = NO_PARAMETERS,
    PROPERTIES(ANY_TYPE, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {NULL, "", 0, 0, NULL},
    .accepts = FOI_ANY_KIND,
    .passes = true,
    .type = type_pass,
    .expressed = true,
    .output = output_pass,
};

static const foi_parameter tag[] = {{"Tag", FOI_PARAMETER_TEXT, "a", NULL, "joins From and Goto"},
                                    {0}};

const foi_node_type foi_from = {
    .name = "From",
    .set = SET,
    .about = "What the Goto of the same tag is given, without a line. The tag is looked for in the "
             "subsystem of the node, then in the diagrams around it.",
    .inputs = "",
    .outputs = "u",
    .parameters = tag,
    PROPERTIES(ANY_TYPE, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Tag=speed", "", 0, 0, "5",
                .nodes = "{'name': 'five', 'type': 'Constant', 'parameters': {'Constant Value': "
                         "5}}, {'name': 'goto', 'type': 'Goto', 'parameters': {'Tag': 'speed'}}",
                .lines = "{'from': 'five', 'to': 'goto'}"},
    .accepts = FOI_ANY_KIND,
    .passes = true,
    .type = type_pass,
    .expressed = true,
    .output = output_pass,
};

const foi_node_type foi_goto = {
    .name = "Goto",
    .set = SET,
    .about = "Ends a line; every From of the same tag goes on from here. One tag stands once in a "
             "diagram or subsystem.",
    .inputs = "u",
    .outputs = "",
    .parameters = tag,
    PROPERTIES(ANY_TYPE, NOT_APPLICABLE, INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Tag=speed", "5", 0, 0, "5"},
    .accepts = FOI_ANY_KIND,
    .type = type_nothing,
};

const foi_node_type *const foi_nodes_route[] = {&foi_from,        &foi_goto,      &foi_input_port,
                                                &foi_output_port, &foi_subsystem, NULL};
