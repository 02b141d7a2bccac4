// Continuous nodes: derivative, integrator, memory. Linear systems and delays have their own files.
#include <string.h>

#include "diagram/nodes/node_continuous.h"
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

#define SET "Continuous"

// ----------------------------------------------------------------------------------- derivative

static fo_status type_derivative(foi_build *b, foi_node *n)
{
    n->own_count = foi_array_size(foi_input_type(n, 0));
    return foi_type_elementwise(b, n);
}

static void output_derivative(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    const double *before = foi_own(n, r);
    for (uint32_t i = 0; i < foi_array_size(&y); i++)
        y.data[i] = r->count == 0 ? 0 : (u.data[i] - before[i]) / n->period;
}

void foi_keep_input(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0);
    double *own = foi_own(n, r);
    for (uint32_t i = 0; i < foi_array_size(&n->outputs[0].shape); i++) {
        if (n->outputs[0].shape.kind == FOI_SIGNAL_COMPLEX) {
            double complex z = foi_complex_at(&u, i);
            own[2 * i] = creal(z);
            own[2 * i + 1] = cimag(z);
        } else {
            own[i] = foi_real_at(&u, i);
        }
    }
}

static const foi_node_type derivative = {
    .name = "Derivative",
    .set = SET,
    .about = "The change of its input since the last step, divided by the step; 0 at the start.",
    .inputs = "u",
    .outputs = "du/dt",
    .parameters = NO_PARAMETERS,
    PROPERTIES(REAL_ONLY, "yes", CONTINUOUS, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {NULL, "Clock", 0.6, 0, "1"},
    .continuous = true,
    .steps = true,
    .held = true,
    .recalls = true,
    .type = type_derivative,
    .output = output_derivative,
    .update = foi_keep_input,
};

// ----------------------------------------------------------------------------------- integrator

enum { RESET, SOURCE, INITIAL };
enum { NO_RESET, RISING, FALLING, EITHER };

// The ports are u, then the reset and the initial condition where they are wanted.
static fo_status prepare_integrator(foi_build *b, foi_node *n)
{
    (void)b;
    n->input_count = 1 + (foi_choice(n, RESET) != NO_RESET) + (foi_choice(n, SOURCE) == 1);
    if (foi_choice(n, RESET) == NO_RESET) n->input_names = "u|initial condition";
    return FO_OK;
}

static bool external(const foi_node *n)
{
    return foi_choice(n, SOURCE) == 1;
}

static fo_status type_integrator(foi_build *b, foi_node *n)
{
    const uint32_t initial = INITIAL;
    const foi_array *u = foi_input_type(n, 0);
    if (u && u->kind == FOI_SIGNAL_BOOLEAN)
        return foi_node_refuse(b, n, "input 1 (u) is boolean from '%s', expected real numbers",
                               n->inputs[0]->node->name);
    const foi_array *reset = foi_choice(n, RESET) ? foi_input_type(n, 1) : NULL;
    foi_array shape;
    char found[80];
    fo_status status = foi_common_shape(b, n, 1, &initial, external(n) ? 0 : 1, &shape);
    if (status != FO_OK) return status;
    if (external(n)) {
        const foi_array *start = foi_input_type(n, n->input_count - 1);
        if (start && !foi_expand_signal(&shape, start))
            return foi_node_refuse(b, n, "input %u (initial condition) is %s, expected %u elements",
                                   n->input_count, foi_array_text(start, found, sizeof found),
                                   foi_array_size(&shape));
    }
    if (reset && foi_array_size(reset) != 1)
        return foi_node_refuse(b, n, "input 2 (reset) is %s from '%s', expected a single number",
                               foi_array_text(reset, found, sizeof found),
                               n->inputs[1]->node->name);
    foi_output_type(n, 0, shape.rows, shape.cols, FOI_SIGNAL_REAL);
    n->state_count = foi_array_size(&shape);
    n->guard_count = foi_choice(n, RESET) ? foi_guards_wanted(b, n, 1) : 0;
    n->steps = foi_choice(n, RESET) && !n->guard_count;
    n->own_count = n->steps;
    double *starts = foi_arena_new(b->arena, n->state_count, sizeof *starts);
    if (!starts) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    for (uint32_t i = 0; i < n->state_count && !external(n); i++)
        starts[i] = foi_real_at(foi_value(n, INITIAL), i);
    n->starts = starts;
    return FO_OK;
}

static void output_integrator(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < n->state_count; i++) foi_put(n, r, i, foi_state_of(n, r, i));
}

static foi_scalar reset_signal(const foi_node *n, const foi_run *r)
{
    foi_view reset = foi_view_in(n, r, 1);
    bool truth = n->inputs[1]->shape.kind == FOI_SIGNAL_BOOLEAN;
    return truth ? foi_by(r, FOI_G_SUBTRACT, foi_at(r, &reset, 0), 0.5) : foi_at(r, &reset, 0);
}

static void rates_integrator(const foi_node *n, foi_run *r, double *dx)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < n->state_count; i++) foi_put_rate(n, r, dx, i, foi_at(r, &u, i));
}

static bool put_initial(const foi_node *n, foi_run *r)
{
    bool changed = false;
    foi_array start = external(n) ? foi_in(n, r, n->input_count - 1) : *foi_value(n, INITIAL);
    for (uint32_t i = 0; i < n->state_count; i++) {
        double value = foi_real_at(&start, i), *x = &r->x_new[n->state + i];
        if (*x != value) changed = true;
        *x = value;
    }
    return changed;
}

// All that are reset by the same signal.
static bool fire_integrator(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    bool changed = false;
    if (index == UINT32_MAX) return external(n) && put_initial(n, r);
    for (; n; n = n->next_reset) {
        int reset = foi_choice(n, RESET);
        bool meant = reset == EITHER || (reset == RISING) == (direction == FO_RISING);
        if (meant && put_initial(n, r)) changed = true;
    }
    return changed;
}

static void update_integrator(const foi_node *n, foi_run *r)
{
    double *before = foi_own(n, r), now = reset_signal(n, r).number;
    bool up = *before < 0 && now >= 0, down = *before > 0 && now <= 0;
    int reset = foi_choice(n, RESET);
    bool meant = (up && reset != FALLING) || (down && reset != RISING);
    if (r->count && meant) put_initial(n, r);
    *before = now;
}

static void watch_integrator(const foi_node *n, foi_run *r)
{
    foi_side_of(n, r, 0, reset_signal(n, r));
}

const foi_node_type foi_integrator = {
    .name = "Integrator",
    .set = SET,
    .about = "The integral of its input from the initial condition on. With a reset it goes back "
             "to the initial condition when the signal at the reset port goes through zero: "
             "rising, falling or either way.",
    .inputs = "u|reset|initial condition",
    .outputs = "integral",
    .ports = "reset and initial condition where parameters want them",
    .parameters =
        (const foi_parameter[]){
            {"External Reset", FOI_PARAMETER_CHOICE, "none", "none|rising|falling|either",
             "adds the input reset"},
            {"Initial Condition Source", FOI_PARAMETER_CHOICE, "internal", "internal|external",
             "external: adds the input initial condition, the last one"},
            {"Initial Condition", FOI_PARAMETER_REAL, "0", NULL, "at the start"},
            {0}},
    PROPERTIES("real; reset also boolean", "no", CONTINUOUS, SUPPORTED, ANY_DIMENSION),
    .example = {"Initial Condition=1", "2 3", 1, 0, "3 4"},
    .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
    .no_feedthrough = true,
    .continuous = true,
    .prepare = prepare_integrator,
    .type = type_integrator,
    .expressed = true,
    .output = output_integrator,
    .update = update_integrator,
    .rates = rates_integrator,
    .fire = fire_integrator,
    .together = true,
    .resets = true,
    .watch = watch_integrator,
};

// --------------------------------------------------------------------------------------- memory

fo_status foi_type_delay(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->own_count = foi_array_width(&n->outputs[0].shape);
    return status;
}

void foi_start_delay(const foi_node *n, foi_run *r)
{
    const foi_array *initial = foi_value(n, 0);
    foi_array own = n->outputs[0].shape;
    own.data = foi_own(n, r);
    for (uint32_t i = 0; i < foi_array_size(&own); i++)
        foi_complex_put(&own, i, foi_complex_at(initial, i));
}

void foi_output_own(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    memcpy(y.data, foi_own(n, r), foi_array_width(&y) * sizeof(double));
}

static const foi_node_type memory = {
    .name = "Memory",
    .set = SET,
    .about = "Its input one step ago; the initial value at the start.",
    .inputs = "u",
    .outputs = "before",
    .parameters =
        (const foi_parameter[]){{"Initial Value", FOI_PARAMETER_COMPLEX, "0", NULL, "at the start"},
                                {0}},
    PROPERTIES(REAL_OR_COMPLEX, "no", CONTINUOUS, SUPPORTED, ANY_DIMENSION),
    .example = {"Initial Value=7", "Clock", 0.6, 0.3, "0.3"},
    .accepts = FOI_NUMBERS,
    .no_feedthrough = true,
    .continuous = true,
    .steps = true,
    .held = true,
    .recalls = true,
    .type = foi_type_delay,
    .start = foi_start_delay,
    .output = foi_output_own,
    .update = foi_keep_input,
};

const foi_node_type *const foi_nodes_continuous[] = {
    &derivative,         &foi_integrator,        &memory,
    &foi_state_space,    &foi_transfer_function, &foi_transport_delay,
    &foi_variable_delay, &foi_zero_pole,         NULL};
