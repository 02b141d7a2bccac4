// Nonlinear nodes and controllers as expressions: see nodes_nonlinear.c and nodes_control.c.
#include "diagram/lower.h"

static foi_term minus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_SUBTRACT, a, b);
}

static foi_term above(foi_lower *l, foi_term a)
{
    return foi_lower_by(l, FOI_G_GREATER, a, 0);
}

static foi_term below(foi_lower *l, foi_term a)
{
    return foi_lower_by(l, FOI_G_LESS, a, 0);
}

// With guards it is the slope of its input that counts, and each step that goes by.
static void backlash(foi_lower *l, const foi_node *n)
{
    if (n->guard_count) l->unfit = true;
    for (uint32_t i = 0; i < foi_lower_size(n) && !l->unfit; i++) {
        foi_term half = foi_lower_number(l, foi_lower_parameter(l, n, "Dead-Band Width", i) / 2);
        foi_term x = foi_lower_in(l, n, 0, i), last = foi_lower_own(l, n, 2 * i);
        foi_term pushed = foi_lower_2(l, FOI_G_MAX, last, minus(l, x, half));
        foi_lower_put(l, n, i,
                      foi_lower_2(l, FOI_G_MIN, pushed, foi_lower_2(l, FOI_G_ADD, x, half)));
    }
}

static void friction(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term x = foi_lower_in(l, n, 0, i), side = foi_lower_side(l, n, i, x);
        foi_term viscous = foi_lower_value(l, n, "Coefficients of Viscous Friction", i);
        foi_term coulomb = foi_lower_value(l, n, "Coulomb Friction Value", i);
        foi_lower_put(l, n, i,
                      foi_lower_2(l, FOI_G_ADD, foi_lower_2(l, FOI_G_MULTIPLY, viscous, x),
                                  foi_lower_2(l, FOI_G_MULTIPLY, side, coulomb)));
    }
}

static void dead_zone(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term x = foi_lower_in(l, n, 0, i);
        foi_term under = minus(l, x, foi_lower_value(l, n, "Start of Dead Zone", i));
        foi_term over = minus(l, x, foi_lower_value(l, n, "End of Dead Zone", i));
        foi_term low = foi_lower_side(l, n, 2 * i, under);
        foi_term high = foi_lower_side(l, n, 2 * i + 1, over);
        foi_term inside = foi_lower_if(l, below(l, low), under, foi_lower_number(l, 0));
        foi_lower_put(l, n, i, foi_lower_if(l, above(l, high), over, inside));
    }
}

static void saturation(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term x = foi_lower_in(l, n, 0, i);
        foi_term upper = foi_lower_value(l, n, "Upper Limit", i);
        foi_term lower = foi_lower_value(l, n, "Lower Limit", i);
        foi_term high = foi_lower_side(l, n, 2 * i, minus(l, x, upper));
        foi_term low = foi_lower_side(l, n, 2 * i + 1, minus(l, x, lower));
        foi_term inside = foi_lower_if(l, below(l, low), lower, x);
        foi_lower_put(l, n, i, foi_lower_if(l, above(l, high), upper, inside));
    }
}

static foi_term edge(foi_lower *l, foi_term level, double more, foi_term q)
{
    return foi_lower_2(l, FOI_G_MULTIPLY, foi_lower_by(l, FOI_G_ADD, level, more), q);
}

static foi_term rounded(foi_lower *l, foi_term u, foi_term q)
{
    return foi_lower_round(l, foi_lower_2(l, FOI_G_DIVIDE, u, q));
}

static void quantizer(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term q = foi_lower_value(l, n, "Quantization Interval", i);
        foi_term u = foi_lower_in(l, n, 0, i);
        foi_term level = n->guard_count ? foi_lower_own(l, n, i) : rounded(l, u, q);
        foi_term im = foi_lower_number(l, 0);
        if (n->guard_count) {
            foi_lower_side(l, n, 2 * i, minus(l, u, edge(l, level, FOI_QUANTIZER_EDGE, q)));
            foi_lower_side(
                l, n, 2 * i + 1,
                minus(l,
                      foi_lower_2(l, FOI_G_MULTIPLY,
                                  foi_lower_by(l, FOI_G_SUBTRACT, level, FOI_QUANTIZER_EDGE), q),
                      u));
        }
        if (foi_lower_puts_complex(n)) im = rounded(l, foi_lower_imaginary(l, n, 0, i), q);
        foi_lower_put_complex(l, n, i, foi_lower_2(l, FOI_G_MULTIPLY, q, level),
                              foi_lower_2(l, FOI_G_MULTIPLY, q, im));
    }
}

static void relay(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term x = foi_lower_in(l, n, 0, i), on = foi_lower_own(l, n, i);
        foi_term up = foi_lower_value(l, n, "Switch on Point", i);
        foi_term down = foi_lower_value(l, n, "Switch off Point", i);
        if (n->guard_count) {
            foi_lower_side(l, n, i,
                           foi_lower_if(l, above(l, on), minus(l, x, down), minus(l, x, up)));
        } else {
            foi_term off = foi_lower_if(l, foi_lower_2(l, FOI_G_LESS_EQUAL, x, down),
                                        foi_lower_number(l, 0), on);
            on = foi_lower_if(l, foi_lower_2(l, FOI_G_GREATER_EQUAL, x, up), foi_lower_number(l, 1),
                              off);
        }
        foi_lower_put(l, n, i,
                      foi_lower_if(l, above(l, on), foi_lower_value(l, n, "Output when on", i),
                                   foi_lower_value(l, n, "Output when off", i)));
    }
}

// -------------------------------------------------------------------------------------- switches

// Where the condition holds the first input, otherwise the second.
static void put_either(foi_lower *l, const foi_node *n, uint32_t i, foi_term condition)
{
    foi_lower_put_complex(
        l, n, i, foi_lower_if(l, condition, foi_lower_in(l, n, 0, i), foi_lower_in(l, n, 1, i)),
        foi_lower_if(l, condition, foi_lower_imaginary(l, n, 0, i),
                     foi_lower_imaginary(l, n, 1, i)));
}

static void manual_switch(foi_lower *l, const foi_node *n)
{
    uint32_t port = (uint32_t)foi_lower_choice(l, n, "Input Selection");
    if (!foi_lower_expect(l, n, 2)) return;
    for (uint32_t i = 0; i < foi_lower_size(n); i++) foi_lower_copy(l, n, i, port, i);
}

// The control is the last input; between two whole numbers the lower one counts.
static void multi_port_switch(foi_lower *l, const foi_node *n)
{
    uint32_t count = n->input_count - 1;
    foi_term control = foi_lower_in(l, n, count, 0);
    foi_term good = foi_lower_2(l, FOI_G_AND, foi_lower_by(l, FOI_G_GREATER_EQUAL, control, 1),
                                foi_lower_by(l, FOI_G_LESS_EQUAL, control, count));
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term re = foi_lower_in(l, n, 0, i), im = foi_lower_imaginary(l, n, 0, i);
        for (uint32_t k = 1; k < count; k++) {
            foi_term from = foi_lower_by(l, FOI_G_GREATER_EQUAL, control, k + 1.0);
            re = foi_lower_if(l, from, foi_lower_in(l, n, k, i), re);
            im = foi_lower_if(l, from, foi_lower_imaginary(l, n, k, i), im);
        }
        foi_lower_put_complex(l, n, i, foi_lower_if(l, good, re, foi_lower_nothing(l)), im);
    }
    foi_lower_check(l, n);
}

static void switch_node(foi_lower *l, const foi_node *n)
{
    if (!foi_lower_expect(l, n, 3)) return;
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term over = minus(l, foi_lower_in(l, n, 2, i), foi_lower_value(l, n, "Threshold", i));
        put_either(l, n, i, foi_lower_by(l, FOI_G_GREATER_EQUAL, foi_lower_side(l, n, i, over), 0));
    }
}

// ------------------------------------------------------------------------------- PID controller

static foi_term times(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_MULTIPLY, a, b);
}

static foi_term plus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_ADD, a, b);
}

// What it would give without limits: P e + xi + D N (e - xd).
static foi_term pid_wish(foi_lower *l, const foi_node *n, uint32_t i)
{
    double d = foi_lower_parameter(l, n, "Derivative", i);
    double filter = foi_lower_parameter(l, n, "Filter Coefficient", i);
    foi_term u = foi_lower_in(l, n, 0, i), xi = foi_term_state(l->terms, n->state + 2 * i);
    foi_term xd = foi_term_state(l->terms, n->state + 2 * i + 1);
    foi_term sum = plus(l, times(l, foi_lower_value(l, n, "Proportional", i), u), xi);
    return plus(l, sum, times(l, foi_lower_number(l, d * filter), minus(l, u, xd)));
}

static void pid(foi_lower *l, const foi_node *n)
{
    bool limited = foi_lower_choice(l, n, "Limit Output");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term v = pid_wish(l, n, i), y = v;
        if (limited) {
            foi_term upper = foi_lower_value(l, n, "Upper Limit", i);
            foi_term lower = foi_lower_value(l, n, "Lower Limit", i);
            foi_term high = foi_lower_side(l, n, 2 * i, minus(l, v, upper));
            foi_term low = foi_lower_side(l, n, 2 * i + 1, minus(l, v, lower));
            y = foi_lower_if(l, above(l, high), upper, foi_lower_if(l, below(l, low), lower, v));
        }
        foi_lower_put(l, n, i, y);
    }
}

static void pid_rates(foi_lower *l, const foi_node *n)
{
    bool leads_back = foi_lower_choice(l, n, "Anti-Windup");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term u = foi_lower_in(l, n, 0, i), y = l->signals[n->outputs[0].offset + i];
        foi_term k = foi_lower_number(
            l, leads_back ? foi_lower_parameter(l, n, "Back-Calculation Gain", i) : 0);
        foi_term back = times(l, k, minus(l, y, pid_wish(l, n, i)));
        foi_term error = minus(l, u, foi_term_state(l->terms, n->state + 2 * i + 1));
        l->rates[n->state + 2 * i] =
            plus(l, times(l, foi_lower_value(l, n, "Integral", i), u), back);
        l->rates[n->state + 2 * i + 1] =
            times(l, foi_lower_value(l, n, "Filter Coefficient", i), error);
    }
}

const foi_lowering foi_lower_nonlinear[] = {
    {.type = "Backlash", .output = backlash},
    {.type = "Coulomb and Viscous Friction", .output = friction},
    {.type = "Dead Zone", .output = dead_zone},
    {.type = "Saturation", .output = saturation},
    {.type = "Quantizer", .output = quantizer},
    {.type = "Relay", .output = relay},
    {.type = "Manual Switch", .output = manual_switch},
    {.type = "Multi-Port Switch", .output = multi_port_switch},
    {.type = "Switch", .output = switch_node},
    {.type = "PID Controller", .output = pid, .rates = pid_rates},
    {0},
};
