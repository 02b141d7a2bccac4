// Switches, of the set of nonlinear nodes: one of several inputs.
#include <stdio.h>
#include <string.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

#define SET "Nonlinear"

static void copy_input(const foi_node *n, const foi_run *r, uint32_t port)
{
    foi_view u = foi_view_in(n, r, port);
    for (uint32_t i = 0; i < foi_size_of(n); i++) foi_copy(n, r, i, &u, i);
}

// The first `count` inputs have one kind: boolean, or numbers.
static fo_status type_choices(foi_build *b, foi_node *n, uint32_t count)
{
    bool truth = foi_input_type(n, 0)->kind == FOI_SIGNAL_BOOLEAN;
    foi_array shape;
    for (uint32_t i = 1; i < count; i++)
        if (truth != (foi_input_type(n, i)->kind == FOI_SIGNAL_BOOLEAN))
            return foi_node_refuse(b, n, "one of the inputs is boolean, another is not");
    fo_status status = foi_common_shape(b, n, count, NULL, 0, &shape);
    if (truth) shape.kind = FOI_SIGNAL_BOOLEAN;
    foi_output_type(n, 0, shape.rows, shape.cols, shape.kind);
    return status;
}

static fo_status type_choice(foi_build *b, foi_node *n)
{
    return type_choices(b, n, 2);
}

static void output_manual(const foi_node *n, foi_run *r)
{
    copy_input(n, r, (uint32_t)foi_choice(n, 0));
}

const foi_node_type foi_manual_switch = {
    .name = "Manual Switch",
    .set = SET,
    .about = "One of its two inputs, as the parameter says.",
    .inputs = "first|second",
    .outputs = "y",
    .parameters =
        (const foi_parameter[]){
            {"Input Selection", FOI_PARAMETER_CHOICE, "first", "first|second", ""}, {0}},
    PROPERTIES(ANY_TYPE, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Input Selection=second", "3|4+1i", 0, 0, "4+1i"},
    .accepts = FOI_ANY_KIND,
    .type = type_choice,
    .expressed = true,
    .relative = true,
    .output = output_manual,
};

static fo_status prepare_multi_port(foi_build *b, foi_node *n)
{
    double count = foi_number(n, 0);
    if (count != 2) {
        // beyond two the names are numbers, and the control is the last one
        char *names = foi_arena_new(b->arena, FOI_MAX_PORTS * 4 + 16, 1);
        if (!names) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
        for (int i = 1; i <= count && i < FOI_MAX_PORTS; i++)
            sprintf(names + strlen(names), "%d|", i);
        strcat(names, "control");
        n->input_names = names;
    }
    return foi_node_inputs(b, n, count + 1);
}

static fo_status type_multi_port(foi_build *b, foi_node *n)
{
    uint32_t count = n->input_count - 1;
    const foi_array *control = foi_input_type(n, count);
    if (foi_array_size(control) != 1 || control->kind != FOI_SIGNAL_REAL)
        return foi_node_refuse(b, n, "input %u (control) must be a single real number", count + 1);
    return type_choices(b, n, count);
}

// Between two whole numbers the lower one counts.
static void choose_port(const foi_node *n, foi_run *r, double control)
{
    uint32_t count = n->input_count - 1;
    if (!(control >= 1 && control <= count)) {
        if (count == 2)
            foi_run_refuse(r, n, "the control input is %g, expected 1 or 2", control);
        else
            foi_run_refuse(r, n, "the control input is %g, expected 1 to %u", control, count);
        control = 1;
    }
    copy_input(n, r, (uint32_t)control - 1);
}

// The same as an expression, which is not a number where the nodes refuse.
static void output_multi_port(const foi_node *n, foi_run *r)
{
    uint32_t count = n->input_count - 1;
    foi_view u[FOI_MAX_PORTS], last = foi_view_in(n, r, count);
    foi_scalar control = foi_at(r, &last, 0);
    if (!r->lower) {
        choose_port(n, r, control.number);
        return;
    }
    foi_scalar good = foi_do_2(r, FOI_G_AND, foi_by(r, FOI_G_GREATER_EQUAL, control, 1),
                               foi_by(r, FOI_G_LESS_EQUAL, control, count));
    for (uint32_t k = 0; k < count; k++) u[k] = foi_view_in(n, r, k);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair y = foi_pair_at(r, &u[0], i);
        for (uint32_t k = 1; k < count; k++) {
            foi_scalar from = foi_by(r, FOI_G_GREATER_EQUAL, control, k + 1.0);
            y.re = foi_if(r, from, foi_at(r, &u[k], i), y.re);
            y.im = foi_if(r, from, foi_imaginary_at(r, &u[k], i), y.im);
        }
        foi_put_finite(n, r, i, foi_if(r, good, y.re, foi_nothing(r)), y.im);
    }
}

const foi_node_type foi_multi_port_switch = {
    .name = "Multi-Port Switch",
    .set = SET,
    .about =
        "The first input where the control is 1, the second where it is 2, and so on; an error "
        "otherwise. The control is the last input.",
    .inputs = "first|second|control",
    .outputs = "y",
    .ports = "as many inputs as Inputs says, and the control",
    .parameters =
        (const foi_parameter[]){
            {"Inputs", FOI_PARAMETER_NUMBER, "2", NULL, "how many there are to choose from"}, {0}},
    PROPERTIES(ANY_TYPE, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {NULL, "3|4 5|2", 0, 0, "4 5"},
    .accepts = FOI_ANY_KIND,
    .prepare = prepare_multi_port,
    .type = type_multi_port,
    .expressed = true,
    .relative = true,
    .output = output_multi_port,
};

static fo_status type_switch(foi_build *b, foi_node *n)
{
    const foi_array *control = foi_input_type(n, 2);
    fo_status status = type_choice(b, n);
    foi_array *shape = &n->outputs[0].shape;
    foi_signal_kind kind = shape->kind;
    if (status != FO_OK) return status;
    if (control->kind != FOI_SIGNAL_REAL)
        return foi_node_refuse(b, n, "input 3 (control) must be real");
    if (!foi_expand_signal(shape, control) || !foi_expand_signal(shape, foi_value(n, 0)))
        return foi_node_refuse(b, n,
                               "input 3 (control) does not match the size of the other inputs");
    shape->kind = kind;
    n->guard_count = foi_guards_wanted(b, n, foi_array_size(shape));
    return FO_OK;
}

static void output_switch(const foi_node *n, foi_run *r)
{
    foi_view p = foi_view_in(n, r, 0), q = foi_view_in(n, r, 1), c = foi_view_in(n, r, 2);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar over = foi_minus(r, foi_at(r, &c, i), foi_parameter_of(n, r, 0, i));
        foi_scalar first = foi_by(r, FOI_G_GREATER_EQUAL, foi_side_of(n, r, i, over), 0);
        foi_put_at(n, r, 0, i, foi_if(r, first, foi_at(r, &p, i), foi_at(r, &q, i)),
                   foi_if(r, first, foi_imaginary_at(r, &p, i), foi_imaginary_at(r, &q, i)));
    }
}

const foi_node_type foi_switch = {
    .name = "Switch",
    .set = SET,
    .about = "The first input where the control is at least the threshold, otherwise the second.",
    .inputs = "first|second|control",
    .outputs = "y",
    .parameters = (const foi_parameter[]){{"Threshold", FOI_PARAMETER_REAL, "0", NULL, ""}, {0}},
    PROPERTIES("inputs: real, complex; control: real", "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Threshold=2", "1|-1|1 2 3", 0, 0, "-1 1 1"},
    .accepts = FOI_ANY_KIND,
    .type = type_switch,
    .expressed = true,
    .relative = true,
    .output = output_switch,
};
