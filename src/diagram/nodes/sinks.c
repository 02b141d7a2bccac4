// Sinks: what they see is an output of the system, named as the sink is.
#include "diagram/node.h"
#include "diagram/nodes/node_doc.h"

#define SET "Sinks"
#define SINK(about_, parameters_)                                                   \
    .set = SET, .about = about_, .outputs = "", .parameters = parameters_,          \
    PROPERTIES(ANY_TYPE, NOT_APPLICABLE, INHERITED, NOT_APPLICABLE, ANY_DIMENSION), \
    .accepts = FOI_ANY_KIND, .type = type_sink

#define FILE_NAME                                                            \
    ((const foi_parameter[]){{"File Name", FOI_PARAMETER_TEXT, "None", NULL, \
                              "of the file to "                              \
                              "be written"},                                 \
                             {0}})

static fo_status type_sink(foi_build *b, foi_node *n)
{
    (void)b;
    (void)n;
    return FO_OK;
}

// Element by element, or all of the first against one number.
static fo_status type_graph(foi_build *b, foi_node *n)
{
    const foi_array *y = &n->inputs[0]->shape, *x = &n->inputs[1]->shape;
    if (foi_array_size(x) == 1 || (x->rows == y->rows && x->cols == y->cols)) return FO_OK;
    return foi_node_refuse(b, n,
                           "its second input must be a single number or have the dimension of its "
                           "first, %u x %u, not %u x %u",
                           y->rows, y->cols, x->rows, x->cols);
}

static const foi_node_type display = {
    .name = "Display",
    .inputs = "input",
    SINK("Shows its input as numbers.", NO_PARAMETERS),
    .example = {NULL, "2 3-1i", 0, 0, "2 3-1i"},
};

static const foi_node_type terminator = {
    .name = "Terminator",
    .inputs = "input",
    SINK("Ends a line that leads nowhere else.", NO_PARAMETERS),
    .example = {NULL, "7", 0, 0, "7"},
};

static const foi_node_type time_vs_input = {
    .name = "Time vs Input",
    .inputs = "input",
    SINK("Plots its input against time.", NO_PARAMETERS),
    .example = {NULL, "Clock", 0.4, 0, "0.4"},
};

static const foi_node_type to_file = {
    .name = "To File",
    .inputs = "input",
    SINK("Writes its input to a text file, one line per step.", FILE_NAME),
    .example = {NULL, "1 2 3", 0, 0, "1 2 3"},
};

static const foi_node_type xy_graph = {
    .name = "XY Graph",
    .inputs = "y|x",
    .set = SET,
    .about =
        "Plots its first input (upward) against its second (to the right), element by element.",
    .outputs = "",
    .parameters = NO_PARAMETERS,
    PROPERTIES("real, boolean", NOT_APPLICABLE, INHERITED, "a single number at x stands for all",
               ANY_DIMENSION),
    .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
    .type = type_graph,
    .example = {NULL, "3|4", 0, 0, "3"},
};

static const foi_node_type to_data_file = {
    .name = "To Data File",
    .inputs = "input",
    SINK("Writes its input to a file that From Data File and the 3D scene read.", FILE_NAME),
    .example = {NULL, "5", 0, 0, "5"},
};

const foi_node_type *const foi_nodes_sinks[] = {
    &display, &terminator, &time_vs_input, &to_file, &xy_graph, &to_data_file, NULL};
