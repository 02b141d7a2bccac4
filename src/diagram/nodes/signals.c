// Miscellaneous nodes that act on signals in time, or look at them.

#include "diagram/nodes/node_continuous.h"
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"

#define SET "Miscellaneous"

// -------------------------------------------------------------------------------------- counter

static void update_counter(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < n->own_count; i++) foi_own(n, r)[i] += foi_real_at(foi_value(n, 1), i);
}

static const foi_node_type counter = {
    .name = "Counter",
    .set = SET,
    .about = "The initial value at the start, then more by the increment with every step.",
    .inputs = "",
    .outputs = "count",
    .parameters = (const foi_parameter[]){{"Initial Value", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Increment Length", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {0}},
    PROPERTIES(REAL_ONLY, "no", CONTINUOUS, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Initial Value=3;Increment Length=0.5", "", 0.6, 0.2, "4.5"},
    .continuous = true,
    .steps = true,
    .held = true,
    .type = foi_type_delay,
    .start = foi_start_delay,
    .output = foi_output_own,
    .update = update_counter,
};

// -------------------------------------------------------------------------- cumulative function

enum { SUM, AVERAGE, RMS };

static fo_status type_cumulative(foi_build *b, foi_node *n)
{
    n->own_count = foi_array_size(foi_input_type(n, 0));
    return foi_type_elementwise(b, n);
}

static double term(const foi_node *n, double u)
{
    return foi_choice(n, 0) == RMS ? u * u : u;
}

static void output_cumulative(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    double steps = (double)(r->count / n->every) + 1;
    int which = foi_choice(n, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double sum = foi_own(n, r)[i] + term(n, u.data[i]);
        y.data[i] = which == SUM ? sum : which == AVERAGE ? sum / steps : sqrt(sum / steps);
    }
}

static void update_cumulative(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0);
    for (uint32_t i = 0; i < n->own_count; i++) foi_own(n, r)[i] += term(n, u.data[i]);
}

static const foi_node_type cumulative = {
    .name = "Cumulative Function",
    .set = SET,
    .about =
        "The sum, the average or the root of the mean square of its input at all steps so far, "
        "the present one included.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "sum", "sum|average|RMS", ""},
                                {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Function=average", "Counter", 0.6, 0.2, "2.5"},
    .steps = true,
    .held = true,
    .type = type_cumulative,
    .output = output_cumulative,
    .update = update_cumulative,
};

// ------------------------------------------------------------------------------ data type
// conversion

static fo_status type_conversion(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->outputs[0].shape.kind = foi_choice(n, 0) ? FOI_SIGNAL_BOOLEAN : FOI_SIGNAL_REAL;
    return status;
}

static void output_conversion(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar x = foi_at(r, &u, i);
        foi_put(n, r, i, foi_choice(n, 0) ? foi_by(r, FOI_G_NOT_EQUAL, x, 0) : x);
    }
}

static const foi_node_type conversion = {
    .name = "Data Type Conversion",
    .set = SET,
    .about = "Boolean values as 1 and 0, or numbers as boolean values: all but 0 are true.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){{"Convert to", FOI_PARAMETER_CHOICE, "real", "real|boolean", ""},
                                {0}},
    PROPERTIES("real, boolean", "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Convert to=boolean", "3 0 -1", 0, 0, "1 0 1"},
    .accepts = FOI_SIGNAL_REAL | FOI_SIGNAL_BOOLEAN,
    .type = type_conversion,
    .expressed = true,
    .output = output_conversion,
};

// --------------------------------------------------------------------------------- zero crossing

enum { RISING, FALLING, EITHER };

static fo_status type_crossing(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    n->outputs[0].shape.kind = foi_choice(n, 0) ? FOI_SIGNAL_BOOLEAN : FOI_SIGNAL_REAL;
    n->own_count = foi_array_size(&n->outputs[0].shape);
    n->guard_count = foi_guards_wanted(b, n, n->own_count);
    return status;
}

static foi_scalar over(const foi_node *n, const foi_run *r, uint32_t i)
{
    foi_view u = foi_view_in(n, r, 0);
    return foi_minus(r, foi_at(r, &u, i), foi_parameter_of(n, r, 1, i));
}

static void output_crossing(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    int way = foi_choice(n, 2);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double before = foi_own(n, r)[i], now = over(n, r, i).number;
        bool up = before < 0 && now >= 0, down = before > 0 && now <= 0;
        y.data[i] = r->count && ((up && way != FALLING) || (down && way != RISING));
    }
}

static void update_crossing(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < n->own_count; i++) foi_own(n, r)[i] = over(n, r, i).number;
}

static void watch_crossing(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < n->guard_count; i++) foi_side_of(n, r, i, over(n, r, i));
}

// The instant itself is a moment of the run; the output tells of it at the next step.
static bool fire_crossing(const foi_node *n, foi_run *r, uint32_t index, fo_direction direction)
{
    (void)n;
    (void)r;
    (void)index;
    (void)direction;
    return false;
}

static const foi_node_type zero_crossing = {
    .name = "Zero Crossing",
    .set = SET,
    .about = "1 (or true) at a step at which its input has reached or crossed the offset since the "
             "step before, otherwise 0. The crossing itself is an event of the run, whose time is "
             "located.",
    .inputs = "u",
    .outputs = "crossed",
    .parameters =
        (const foi_parameter[]){
            {"Output Data Type", FOI_PARAMETER_CHOICE, "real", "real|boolean", ""},
            {"Crossing Offset", FOI_PARAMETER_REAL, "0", NULL, ""},
            {"Crossing Direction", FOI_PARAMETER_CHOICE, "either", "rising|falling|either", ""},
            {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Crossing Offset=0.5", "Clock", 0.6, 0.2, "1"},
    .steps = true,
    .held = true,
    .type = type_crossing,
    .expressed = true,
    .output = output_crossing,
    .update = update_crossing,
    .watch = watch_crossing,
    .fire = fire_crossing,
};

// ----------------------------------------------------------------------------- initial condition

// At a tick the number of ticks has not been counted up yet.
static void output_initial(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    bool later = r->tick && r->count > 0;
    foi_scalar first = later ? foi_const(r, 0) : foi_is_below(r, foi_ticks_of(r), 2);
    for (uint32_t i = 0; i < foi_size_of(n); i++)
        foi_put(n, r, i, foi_if(r, first, foi_parameter_of(n, r, 0, i), foi_at(r, &u, i)));
}

static const foi_node_type initial_condition = {
    .name = "Initial Condition",
    .set = SET,
    .about = "The initial value during the first step, after that its input.",
    .inputs = "u",
    .outputs = "y",
    .parameters =
        (const foi_parameter[]){{"Initial Value", FOI_PARAMETER_REAL, "1", NULL, ""}, {0}},
    PROPERTIES(REAL_ONLY, "yes", INHERITED, SUPPORTED, ANY_DIMENSION),
    .example = {"Initial Value=8", "Clock", 0.4, 0.2, "0.4"},
    .steps = true,
    .expressed = true,
    .output = output_initial,
};

// ------------------------------------------------------------------- probe, signal specification

enum { WIDTH, SAMPLE, COMPLEX, DIMENSION };

static fo_status type_probe(foi_build *b, foi_node *n)
{
    (void)b;
    foi_output_type(n, 0, 1, foi_choice(n, 0) == DIMENSION ? 2 : 1, FOI_SIGNAL_REAL);
    return FO_OK;
}

// What is known of a signal does not depend on its values.
static void output_probe(const foi_node *n, foi_run *r)
{
    const foi_signal *u = n->inputs[0];
    double first = u->shape.rows;
    switch (foi_choice(n, 0)) {
    case WIDTH: first = foi_array_size(&u->shape); break;
    case SAMPLE: first = u->node->sample < INFINITY ? u->node->sample : 0; break;
    case COMPLEX: first = u->shape.kind == FOI_SIGNAL_COMPLEX; break;
    default: foi_put(n, r, 1, foi_const(r, u->shape.cols));
    }
    foi_put(n, r, 0, foi_const(r, first));
}

static const foi_node_type probe = {
    .name = "Probe",
    .set = SET,
    .about = "What is known of a signal: how many elements it has, its sample time (0: continuous "
             "or constant), whether it is complex, or its numbers of rows and columns.",
    .inputs = "u",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Probing", FOI_PARAMETER_CHOICE, "width",
                                           "width|sample time|complex|dimension", ""},
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Probing=dimension", "1 2 3,4 5 6", 0, 0, "2 3"},
    .accepts = FOI_ANY_KIND,
    .type = type_probe,
    .expressed = true,
    .output = output_probe,
};

static fo_status type_specification(foi_build *b, foi_node *n)
{
    static const foi_signal_kind kinds[] = {FOI_SIGNAL_BOOLEAN, FOI_SIGNAL_REAL,
                                            FOI_SIGNAL_COMPLEX};
    const foi_array *u = foi_input_type(n, 0), *wanted = foi_value(n, 0);
    int kind = foi_choice(n, 1);
    char found[80];
    foi_array_text(u, found, sizeof found);
    if (kind < 3 && u->kind != kinds[kind])
        return foi_node_refuse(b, n, "the signal from '%s' is %s, expected another data type",
                               n->inputs[0]->node->name, found);
    uint32_t count = foi_array_size(wanted);
    bool any = count == 1 && wanted->data[0] == -1;
    bool fits = count == 2 ? u->rows == wanted->data[0] && u->cols == wanted->data[1]
                           : foi_array_size(u) == wanted->data[0];
    if (!any && !fits)
        return foi_node_refuse(b, n, "the signal from '%s' is %s, expected another dimension",
                               n->inputs[0]->node->name, found);
    foi_output_type(n, 0, u->rows, u->cols, u->kind);
    return FO_OK;
}

static void output_same(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) foi_copy(n, r, i, &u, i);
}

static const foi_node_type specification = {
    .name = "Signal Specification",
    .set = SET,
    .about =
        "Its input, if that has the expected data type and dimension; otherwise the diagram is "
        "refused.",
    .inputs = "u",
    .outputs = "same",
    .parameters = (const foi_parameter[]){{"Dimension", FOI_PARAMETER_REAL, "-1", NULL,
                                           "how many elements, or rows and columns; -1: any"},
                                          {"Data Type", FOI_PARAMETER_CHOICE, "boolean",
                                           "boolean|real|complex|any", ""},
                                          {0}},
    PROPERTIES(ANY_TYPE, "yes", CONTINUOUS, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Dimension=2 2;Data Type=real", "1 2,3 4", 0, 0, "1 2,3 4"},
    .accepts = FOI_ANY_KIND,
    .continuous = true,
    .type = type_specification,
    .expressed = true,
    .output = output_same,
};

const foi_node_type *const foi_nodes_signals[] = {
    &counter,           &cumulative, &conversion,    &zero_crossing,
    &initial_condition, &probe,      &specification, NULL};
