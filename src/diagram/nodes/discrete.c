// Discrete nodes: integrator, unit delay, zero-order hold. Linear systems have their own file.
#include <string.h>

#include "diagram/node.h"
#include "diagram/nodes/node_continuous.h"
#include "diagram/nodes/node_doc.h"

#define SET "Discrete"

// ---------------------------------------------------------------------------- discrete integrator
//
// forward:     y(n+1) = y(n) + T f(n)
// backward:    y(n+1) = y(n) + T f(n+1)
// trapezoidal: y(n+1) = y(n) + T (f(n) + f(n+1)) / 2
//
// Own memory: [0] the reset signal before, then y(n), then f(n).

enum { METHOD, RESET, SOURCE, INITIAL };
enum { FORWARD, BACKWARD, TRAPEZOIDAL };
enum { NO_RESET, RISING, FALLING, EITHER };

static fo_status prepare_integrator(foi_build *b, foi_node *n)
{
    (void)b;
    n->input_count = 1 + (foi_choice(n, RESET) != NO_RESET) + (foi_choice(n, SOURCE) == 1);
    if (foi_choice(n, RESET) == NO_RESET) n->input_names = "u|initial condition";
    n->through = foi_choice(n, METHOD) == FORWARD ? ~1u : ~0u;
    return FO_OK;
}

static fo_status type_integrator(foi_build *b, foi_node *n)
{
    const uint32_t initial = INITIAL;
    bool external = foi_choice(n, SOURCE) == 1;
    foi_array shape;
    fo_status status = foi_common_shape(b, n, 1, &initial, external ? 0 : 1, &shape);
    if (status != FO_OK) return status;
    const foi_array *start = external ? foi_input_type(n, n->input_count - 1) : NULL;
    if (start && !foi_expand_signal(&shape, start))
        return foi_node_refuse(b, n,
                               "input %u (initial condition) does not match the size of the input",
                               n->input_count);
    foi_output_type(n, 0, shape.rows, shape.cols, FOI_SIGNAL_REAL);
    n->own_count = 1 + 2 * foi_array_size(&shape);
    return FO_OK;
}

static double reset_signal(const foi_node *n, const foi_run *r)
{
    if (foi_choice(n, RESET) == NO_RESET) return 0;
    foi_array reset = foi_in(n, r, 1);
    return reset.kind == FOI_SIGNAL_BOOLEAN ? reset.data[0] - 0.5 : reset.data[0];
}

static bool begins_anew(const foi_node *n, const foi_run *r)
{
    double before = foi_own(n, r)[0], now = reset_signal(n, r);
    int reset = foi_choice(n, RESET);
    if (r->count == 0) return true;
    if (reset == NO_RESET) return false;
    bool up = before < 0 && now >= 0, down = before > 0 && now <= 0;
    return (up && reset != FALLING) || (down && reset != RISING);
}

static void output_integrator(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0), u = foi_in(n, r, 0);
    uint32_t size = foi_array_size(&y);
    const double *state = foi_own(n, r) + 1, *before = state + size;
    bool external = foi_choice(n, SOURCE) == 1, anew = begins_anew(n, r);
    foi_array start = external ? foi_in(n, r, n->input_count - 1) : *foi_value(n, INITIAL);
    int method = foi_choice(n, METHOD);
    for (uint32_t i = 0; i < size; i++) {
        if (anew)
            y.data[i] = foi_real_at(&start, i);
        else if (method == FORWARD)
            y.data[i] = state[i] + n->period * before[i];
        else if (method == BACKWARD)
            y.data[i] = state[i] + n->period * foi_real_at(&u, i);
        else
            y.data[i] = state[i] + n->period * (before[i] + foi_real_at(&u, i)) / 2;
    }
}

static void update_integrator(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0), u = foi_in(n, r, 0);
    uint32_t size = foi_array_size(&y);
    double *own = foi_own(n, r);
    own[0] = reset_signal(n, r);
    for (uint32_t i = 0; i < size; i++) {
        own[1 + i] = y.data[i];
        own[1 + size + i] = foi_real_at(&u, i);
    }
}

static const foi_node_type discrete_integrator = {
    .name = "Discrete Integrator",
    .set = SET,
    .about = "The integral of its input by sums: y(n+1) = y(n) + T f(n) (forward), y(n) + T f(n+1) "
             "(backward) or y(n) + T (f(n) + f(n+1)) / 2 (trapezoidal). The reset is as that of "
             "Integrator.",
    .inputs = "u|reset|initial condition",
    .outputs = "integral",
    .ports = "reset and initial condition where parameters want them",
    .parameters =
        (const foi_parameter[]){
            {"Integrator", FOI_PARAMETER_CHOICE, "forward Euler",
             "forward Euler|backward Euler|trapezoidal", "the method"},
            {"External Reset", FOI_PARAMETER_CHOICE, "none", "none|rising|falling|either",
             "adds the input reset"},
            {"Initial Condition Source", FOI_PARAMETER_CHOICE, "internal", "internal|external",
             "external: adds the input initial condition, the last one"},
            {"Initial Condition", FOI_PARAMETER_REAL, "0", NULL, "at the start"},
            SAMPLE_TIME,
            {0}},
    PROPERTIES("real; reset also boolean", "yes, except of the input with forward Euler", DISCRETE,
               SUPPORTED, ANY_DIMENSION),
    .example = {"Integrator=trapezoidal;Initial Condition=1;Sample Time=0.2", "Clock", 1, 0, "1.5"},
    .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
    .steps = true,
    .held = true,
    .prepare = prepare_integrator,
    .type = type_integrator,
    .output = output_integrator,
    .update = update_integrator,
};

// ------------------------------------------------------------------------------ delay and hold

static const foi_node_type unit_delay = {
    .name = "Unit Delay",
    .set = SET,
    .about = "Its input one sample ago; the initial condition during the first sample.",
    .inputs = "u",
    .outputs = "before",
    .parameters = (const foi_parameter[]){{"Initial Condition", FOI_PARAMETER_COMPLEX, "0", NULL,
                                           "during the first sample"},
                                          SAMPLE_TIME,
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "no", DISCRETE, SUPPORTED, ANY_DIMENSION),
    .example = {"Initial Condition=9;Sample Time=0.4", "Clock", 1, 0.2, "0.4"},
    .accepts = FOI_NUMBERS,
    .no_feedthrough = true,
    .steps = true,
    .held = true,
    .type = foi_type_delay,
    .start = foi_start_delay,
    .output = foi_output_own,
    .update = foi_keep_input,
};

static void output_hold(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    memcpy(y.data, u.data, foi_array_width(&y) * sizeof(double));
}

static const foi_node_type zero_order_hold = {
    .name = "Zero-Order Hold",
    .set = SET,
    .about = "Its input at the last sample.",
    .inputs = "u",
    .outputs = "held",
    .parameters = (const foi_parameter[]){SAMPLE_TIME, {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", DISCRETE, SUPPORTED, ANY_DIMENSION),
    .example = {"Sample Time=0.6", "Clock", 1, 0.2, "0.6"},
    .accepts = FOI_NUMBERS,
    .steps = true,
    .held = true,
    .output = output_hold,
};

const foi_node_type *const foi_nodes_discrete[] = {&discrete_integrator,
                                                   &foi_discrete_state_space,
                                                   &foi_discrete_transfer_function,
                                                   &foi_discrete_zero_pole,
                                                   &foi_discrete_filter,
                                                   &unit_delay,
                                                   &zero_order_hold,
                                                   NULL};
