// Rounding to whole numbers, of the set of mathematics.
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/whole.h"

static fo_status type_rounding(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    const foi_array *shape = &n->outputs[0].shape;
    if (shape->kind == FOI_SIGNAL_REAL) foi_wholes_wanted(b, n, foi_array_size(shape));
    return status;
}

static void output_rounding(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    int which = foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair x = foi_pair_at(r, &u, i);
        foi_put_at(n, r, 0, i, foi_whole_of(n, r, i, which, x.re),
                   u.is_complex ? foi_rounded_by(r, which, x.im) : x.im);
    }
}

static bool fire_rounding(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    foi_array input = foi_in(n, r, 0);
    return foi_whole_fires(n, r, index, direction, foi_choice(n, 0), foi_real_at(&input, index));
}

static void beyond_rounding(const foi_node *n, foi_run *r, uint32_t index)
{
    foi_array input = foi_in(n, r, 0);
    foi_whole_beyond(n, r, index, foi_choice(n, 0), foi_real_at(&input, index));
}

const foi_node_type foi_rounding_function = {
    .name = "Rounding Function",
    .set = "Math and Logic",
    .about = "Rounds to a whole number: the nearest, not greater, not smaller, or towards zero; of "
             "complex numbers both parts.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){
            {"Function", FOI_PARAMETER_CHOICE, "round", "round|floor|ceil|fix", ""}, {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Function=fix", "2.7 -2.7 1.5-0.5i", 0, 0, "2 -2 1"},
    .accepts = FOI_NUMBERS,
    .type = type_rounding,
    .expressed = true,
    .output = output_rounding,
    .fire = fire_rounding,
    .turns = true,
    .signs = foi_whole_signs,
    .beyond = beyond_rounding,
};
