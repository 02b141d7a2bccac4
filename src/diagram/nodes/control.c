// Control: the PID controller.
//
// With the error e, the integral xi, the filtered error xd and the limits, in parallel form:
//
//     v   = P e + xi + D N (e - xd)         y  = v kept between the limits
//     xd' = N (e - xd)                      xi' = I e + K (y - v)
//
// D N (e - xd) is the derivative of e behind a filter with the time constant 1/N. The last term is
// the anti-windup by back-calculation (Astrom and Hagglund, Advanced PID Control, 2006, section
// 3.5): beyond a limit the integral is led back so that v approaches it with the time constant 1/K.
// Reaching and leaving a limit are located.
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

enum { GAIN_P, GAIN_I, GAIN_D, GAIN_N, LIMITED, UPPER, LOWER, WINDUP, GAIN_K, INITIAL };

static fo_status prepare_pid(foi_build *b, foi_node *n)
{
    static const uint32_t positive[] = {GAIN_N, GAIN_K};
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < foi_array_size(foi_value(n, positive[k])); i++)
            if (!(foi_value(n, positive[k])->data[i] > 0))
                return foi_node_refuse(b, n, "parameter '%s' must be positive, it is %g",
                                       n->type->parameters[positive[k]].name,
                                       foi_value(n, positive[k])->data[i]);
    const foi_array *upper = foi_value(n, UPPER), *lower = foi_value(n, LOWER);
    uint32_t count = foi_array_size(upper) > foi_array_size(lower) ? foi_array_size(upper)
                                                                   : foi_array_size(lower);
    if (foi_array_size(upper) != count && foi_array_size(upper) != 1) return FO_OK;
    if (foi_array_size(lower) != count && foi_array_size(lower) != 1) return FO_OK;
    for (uint32_t i = 0; i < count; i++)
        if (!(foi_real_at(lower, i) < foi_real_at(upper, i)))
            return foi_node_refuse(b, n, "the lower limit %g is not below the upper limit %g",
                                   foi_real_at(lower, i), foi_real_at(upper, i));
    return FO_OK;
}

static fo_status type_pid(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    if (status != FO_OK) return status;
    uint32_t size = foi_array_size(&n->outputs[0].shape);
    n->state_count = 2 * size;
    n->guard_count = foi_choice(n, LIMITED) ? foi_guards_wanted(b, n, 2 * size) : 0;
    double *starts = foi_arena_new(b->arena, n->state_count, sizeof *starts);
    if (!starts) return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
    for (uint32_t i = 0; i < size; i++) starts[2 * i] = foi_real_at(foi_value(n, INITIAL), i);
    n->starts = starts;
    return FO_OK;
}

// What it would give without limits.
static foi_scalar wish(const foi_node *n, const foi_run *r, uint32_t i, foi_scalar e)
{
    foi_scalar xi = foi_state_of(n, r, 2 * i), xd = foi_state_of(n, r, 2 * i + 1);
    foi_scalar sum = foi_plus(r, foi_times(r, foi_parameter_of(n, r, GAIN_P, i), e), xi);
    foi_scalar dn =
        foi_times(r, foi_parameter_of(n, r, GAIN_D, i), foi_parameter_of(n, r, GAIN_N, i));
    return foi_plus(r, sum, foi_times(r, dn, foi_minus(r, e, xd)));
}

static void output_pid(const foi_node *n, foi_run *r)
{
    foi_view e = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar v = wish(n, r, i, foi_at(r, &e, i));
        if (foi_choice(n, LIMITED))
            v = foi_limited(n, r, i, v, foi_parameter_of(n, r, UPPER, i),
                            foi_parameter_of(n, r, LOWER, i));
        foi_put(n, r, i, v);
    }
}

static void rates_pid(const foi_node *n, foi_run *r, double *dx)
{
    foi_view in = foi_view_in(n, r, 0), y = foi_view_out(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar e = foi_at(r, &in, i), xd = foi_state_of(n, r, 2 * i + 1);
        foi_scalar grown = foi_times(r, foi_parameter_of(n, r, GAIN_I, i), e);
        foi_scalar beyond = foi_minus(r, foi_at(r, &y, i), wish(n, r, i, e));
        if (foi_choice(n, WINDUP))
            grown = foi_plus(r, grown, foi_times(r, foi_parameter_of(n, r, GAIN_K, i), beyond));
        foi_put_rate(n, r, dx, 2 * i, grown);
        foi_put_rate(n, r, dx, 2 * i + 1,
                     foi_times(r, foi_parameter_of(n, r, GAIN_N, i), foi_minus(r, e, xd)));
    }
}

static const foi_node_type pid = {
    .name = "PID Controller",
    .set = "Control",
    .about = "P e + I (integral of e) + D (derivative of e, filtered: s N / (s + N)), kept between "
             "limits where that is wanted. Beyond a limit, back-calculation keeps the integral "
             "from winding up.",
    .inputs = "error",
    .outputs = "control",
    .parameters =
        (const foi_parameter[]){
            {"Proportional", FOI_PARAMETER_REAL, "1", NULL, "P"},
            {"Integral", FOI_PARAMETER_REAL, "1", NULL, "I [1/s]"},
            {"Derivative", FOI_PARAMETER_REAL, "0", NULL, "D [s]"},
            {"Filter Coefficient", FOI_PARAMETER_REAL, "100", NULL, "N [1/s]"},
            {"Limit Output", FOI_PARAMETER_CHOICE, "no", "no|yes", ""},
            {"Upper Limit", FOI_PARAMETER_REAL, "1", NULL, ""},
            {"Lower Limit", FOI_PARAMETER_REAL, "-1", NULL, ""},
            {"Anti-Windup", FOI_PARAMETER_CHOICE, "back-calculation", "none|back-calculation", ""},
            {"Back-Calculation Gain", FOI_PARAMETER_REAL, "1", NULL, "K [1/s]"},
            {"Initial Integral", FOI_PARAMETER_REAL, "0", NULL, "at the start"},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", CONTINUOUS, SUPPORTED, ANY_DIMENSION),
    .example = {"Proportional=2;Integral=3", "1 -1", 1, 0, "5 -5"},
    .continuous = true,
    .prepare = prepare_pid,
    .type = type_pid,
    .expressed = true,
    .output = output_pid,
    .rates = rates_pid,
};

const foi_node_type *const foi_nodes_control[] = {&pid, NULL};
