// Sources. Where one jumps or bends, the part of its course that it is in is kept in memory and
// changes at a moment: a step of the solver sees one smooth part only.
#include <string.h>

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"
#include "math/math.h"

#define SET "Sources"
#define SOURCE(sample_) \
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, sample_, "parameters expand to one size", ANY_DIMENSION)

static const double pi = 3.14159265358979323846;

// The number of the part of the course that element i is in: found anew at moments.
static foi_scalar part(const foi_node *n, const foi_run *r, uint32_t i, foi_scalar found)
{
    if (!foi_events_on(r) || n->held) return found;
    if (r->refresh) foi_own(n, r)[i] = found.number;
    return foi_kept_of(n, r, i);
}

// t >= at, with some ulps to spare: foi_reached.
static foi_scalar reached(const foi_run *r, foi_scalar t, double at)
{
    return foi_by(r, FOI_G_GREATER_EQUAL, t, at - 1e-12 * fabs(at));
}

// How many whole periods have gone by, with some ulps to spare.
static foi_scalar whole(const foi_run *r, foi_scalar periods)
{
    foi_scalar size = foi_do_2(r, FOI_G_MAX, foi_const(r, 1), foi_do_1(r, FOI_G_ABS, periods));
    foi_scalar spare = foi_times(r, foi_const(r, 1e-12), size);
    return foi_do_1(r, FOI_G_FLOOR, foi_plus(r, periods, spare));
}

static double whole_number(const foi_run *r, double periods)
{
    return whole(r, (foi_scalar){.number = periods}).number;
}

static double of(const foi_node *n, uint32_t parameter, uint32_t i)
{
    return foi_real_at(foi_value(n, parameter), i);
}

/// When element i breaks next, after t.
typedef double element_break(const foi_node *n, const foi_run *r, uint32_t i, double t);

static double first_break(const foi_node *n, const foi_run *r, double t, element_break *next)
{
    double first = INFINITY;
    for (uint32_t i = 0; i < foi_size_of(n); i++) first = foi_fmin(first, next(n, r, i, t));
    return first;
}

static fo_status type_with_parts(foi_build *b, foi_node *n)
{
    fo_status status = foi_type_elementwise(b, n);
    if (status == FO_OK) n->own_count = foi_size_of(n);
    return status;
}

// ----------------------------------------------------------------------------- bool and constant

// Section 5.8.1 knows a value, appendix A.8 also vectors and matrices.
static fo_status type_bool(foi_build *b, foi_node *n)
{
    (void)b;
    foi_output_type(n, 0, foi_value(n, 0)->rows, foi_value(n, 0)->cols, FOI_SIGNAL_BOOLEAN);
    return FO_OK;
}

static void output_bool(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    memcpy(y.data, foi_value(n, 0)->data, foi_array_width(&y) * sizeof(double));
}

static const foi_node_type bool_node = {
    .name = "Bool",
    .set = SET,
    .about = "A boolean value, or several, the same at every time.",
    .inputs = "",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){{"Boolean Value", FOI_PARAMETER_CHOICE, "true", "true|false",
                                 "the output; also as in 'true false, false true'",
                                 .several = true},
                                {0}},
    PROPERTIES("boolean", NOT_APPLICABLE, "constant", NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Boolean Value=true false, false true", "", 0, 0, "1 0,0 1"},
    .type = type_bool,
    .output = output_bool,
};

static void output_constant(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    memcpy(y.data, foi_value(n, 0)->data, foi_array_width(&y) * sizeof(double));
}

static const foi_node_type constant = {
    .name = "Constant",
    .set = SET,
    .about = "A value, the same at every time.",
    .inputs = "",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){{"Constant Value", FOI_PARAMETER_COMPLEX, "1", NULL, "the output"},
                                {0}},
    PROPERTIES(REAL_OR_COMPLEX, NOT_APPLICABLE, "constant", NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Constant Value=2 3-1i,4 5", "", 0, 0, "2 3-1i,4 5"},
    .output = output_constant,
};

static fo_status type_number(foi_build *b, foi_node *n)
{
    (void)b;
    foi_output_type(n, 0, 1, 1, FOI_SIGNAL_REAL);
    return FO_OK;
}

static void output_zero(const foi_node *n, foi_run *r)
{
    foi_out(n, r, 0).data[0] = 0;
}

static const foi_node_type ground = {
    .name = "Ground",
    .set = SET,
    .about = "Zero, for inputs that nothing else is connected to.",
    .inputs = "",
    .outputs = "zero",
    .parameters = NO_PARAMETERS,
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, "constant", NOT_APPLICABLE, "single number"),
    .example = {NULL, "", 0, 0, "0"},
    .type = type_number,
    .output = output_zero,
};

// ---------------------------------------------------------------------------------------- clocks

static void output_time(const foi_node *n, foi_run *r)
{
    foi_put(n, r, 0, foi_time_of(r));
}

static const foi_node_type clock_node = {
    .name = "Clock",
    .set = SET,
    .about = "The simulation time.",
    .inputs = "",
    .outputs = "time",
    .parameters = NO_PARAMETERS,
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, CONTINUOUS, NOT_APPLICABLE, "single number"),
    .example = {NULL, "", 0.6, 0.3, "0.6"},
    .continuous = true,
    .type = type_number,
    .expressed = true,
    .output = output_time,
};

static const foi_node_type digital_clock = {
    .name = "Digital Clock",
    .set = SET,
    .about = "The simulation time at the last sample.",
    .inputs = "",
    .outputs = "time",
    .parameters = (const foi_parameter[]){SAMPLE_TIME, {0}},
    PROPERTIES(REAL_ONLY, NOT_APPLICABLE, DISCRETE, NOT_APPLICABLE, "single number"),
    .example = {"Sample Time=0.4", "", 0.6, 0.2, "0.4"},
    .steps = true,
    .held = true,
    .type = type_number,
    .expressed = true,
    .output = output_time,
};

// ----------------------------------------------------------------------------------------- waves

static void output_sine(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar turned = foi_times(r, foi_parameter_of(n, r, 1, i), foi_time_of(r));
        foi_scalar angle = foi_plus(r, turned, foi_parameter_of(n, r, 2, i));
        foi_put(n, r, i, foi_times(r, foi_parameter_of(n, r, 0, i), foi_do_1(r, FOI_G_SIN, angle)));
    }
}

static const foi_node_type sine_wave = {
    .name = "Sine Wave",
    .set = SET,
    .about = "amplitude * sin(frequency * t + phase).",
    .inputs = "",
    .outputs = "wave",
    .parameters =
        (const foi_parameter[]){
            {"Amplitude", FOI_PARAMETER_REAL, "1", NULL, "of the wave"},
            {"Frequency", FOI_PARAMETER_REAL, "1", NULL, "[rad/s]"},
            {"Phase", FOI_PARAMETER_REAL, "0", NULL, "[rad]"},
            {"Sample Time", FOI_PARAMETER_SAMPLE, "0", NULL, "0: a continuous wave [s]"},
            {0}},
    SOURCE("continuous, or the parameter Sample Time"),
    .example = {"Amplitude=2;Frequency=0.5;Phase=1", "", 2, 0, "1.8185948536513634"},
    .continuous = true,
    .expressed = true,
    .output = output_sine,
};

static void output_chirp(const foi_node *n, foi_run *r)
{
    foi_scalar t = foi_time_of(r);
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        double f0 = of(n, 0, i), rise = (of(n, 2, i) - f0) / of(n, 1, i);
        foi_scalar more = foi_by(r, FOI_G_DIVIDE, foi_times(r, foi_const(r, rise), t), 2);
        foi_scalar f = foi_plus(r, foi_const(r, f0), more);
        foi_scalar angle = foi_times(r, foi_times(r, foi_const(r, 2 * pi), f), t);
        foi_put(n, r, i, foi_do_1(r, FOI_G_SIN, angle));
    }
}

static const foi_node_type chirp = {
    .name = "Chirp Signal",
    .set = SET,
    .about = "A sine whose frequency grows linearly with time: sin(2 pi (f0 t + (f1 - f0) t^2 / "
             "(2 T))).",
    .inputs = "",
    .outputs = "wave",
    .parameters =
        (const foi_parameter[]){
            {"Initial Frequency", FOI_PARAMETER_REAL, "0.1", NULL, "f0 [Hz]"},
            {"Target Time", FOI_PARAMETER_REAL, "20", NULL, "T, when f1 is reached [s]"},
            {"Target Frequency", FOI_PARAMETER_REAL, "1", NULL, "f1 [Hz]"},
            {0}},
    SOURCE(CONTINUOUS),
    .example = {"Initial Frequency=0;Target Time=1;Target Frequency=1", "", 0.7071067811865476, 0,
                "1"},
    .continuous = true,
    .expressed = true,
    .output = output_chirp,
};

enum { SINE, SQUARE, SAWTOOTH };

// The parts are half periods for the square and periods for the sawtooth.
static double generator_parts(const foi_node *n, uint32_t i)
{
    return of(n, 2, i) * (foi_choice(n, 0) == SQUARE ? 2 : 1);
}

// Of amplitude 1.
static foi_scalar unit_wave(const foi_node *n, const foi_run *r, uint32_t i)
{
    foi_scalar t = foi_time_of(r), parts = foi_times(r, foi_const(r, generator_parts(n, i)), t);
    int form = foi_choice(n, 0);
    if (form == SINE)
        return foi_do_1(r, FOI_G_SIN, foi_times(r, foi_const(r, 2 * pi * of(n, 2, i)), t));
    foi_scalar at = part(n, r, i, whole(r, parts));
    if (form == SAWTOOTH)
        return foi_by(r, FOI_G_SUBTRACT, foi_times(r, foi_const(r, 2), foi_minus(r, parts, at)), 1);
    // from the middle of a half period, so that bounds that are rounded outwards reach no other
    foi_scalar middle = foi_plus(r, foi_do_1(r, FOI_G_ABS, at), foi_const(r, 0.5));
    foi_scalar even = foi_by(r, FOI_G_LESS, foi_by(r, FOI_G_REM, middle, 2), 1);
    return foi_if(r, even, foi_const(r, 1), foi_const(r, -1));
}

static void output_generator(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < foi_size_of(n); i++)
        foi_put(n, r, i, foi_times(r, unit_wave(n, r, i), foi_parameter_of(n, r, 1, i)));
}

static double generator_break(const foi_node *n, const foi_run *r, uint32_t i, double t)
{
    double parts = generator_parts(n, i);
    if (foi_choice(n, 0) == SINE || !(parts > 0)) return INFINITY;
    return (whole_number(r, parts * t) + 1) / parts;
}

static double next_generator(const foi_node *n, const foi_run *r, double t)
{
    return first_break(n, r, t, generator_break);
}

static const foi_node_type signal_generator = {
    .name = "Signal Generator",
    .set = SET,
    .about = "A sine, a square wave (plus, then minus the amplitude) or a sawtooth (from minus to "
             "plus the amplitude).",
    .inputs = "",
    .outputs = "wave",
    .parameters = (const foi_parameter[]){{"Wave Form", FOI_PARAMETER_CHOICE, "sine",
                                           "sine|square|sawtooth", "the form of the wave"},
                                          {"Amplitude", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Frequency", FOI_PARAMETER_REAL, "1", NULL, "[Hz]"},
                                          {0}},
    SOURCE(CONTINUOUS),
    .example = {"Wave Form=square;Amplitude=3;Frequency=0.25", "", 2.2, 0, "-3"},
    .continuous = true,
    .type = type_with_parts,
    .expressed = true,
    .output = output_generator,
    .next = next_generator,
};

// ---------------------------------------------------------------------------------------- pulses

static fo_status prepare_pulse(foi_build *b, foi_node *n)
{
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 1)); i++)
        if (!(of(n, 1, i) > 0)) return foi_node_refuse(b, n, "the period must be positive");
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 2)); i++)
        if (!(of(n, 2, i) >= 0 && of(n, 2, i) <= 100))
            return foi_node_refuse(b, n, "the duty cycle is a percentage from 0 to 100");
    return FO_OK;
}

static foi_scalar pulse_high(const foi_node *n, const foi_run *r, uint32_t i)
{
    double from = of(n, 3, i), duty = of(n, 2, i) / 100;
    foi_scalar t = foi_time_of(r), gone = foi_by(r, FOI_G_SUBTRACT, t, from);
    foi_scalar periods = foi_over(r, gone, foi_parameter_of(n, r, 1, i));
    foi_scalar rest = foi_minus(r, periods, whole(r, periods));
    foi_scalar early = foi_do_1(r, FOI_G_NOT, reached(r, rest, duty));
    return foi_do_2(r, FOI_G_AND, reached(r, t, from), early);
}

static void output_pulse(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < foi_size_of(n); i++)
        foi_put(n, r, i,
                foi_times(r, part(n, r, i, pulse_high(n, r, i)), foi_parameter_of(n, r, 0, i)));
}

static double pulse_break(const foi_node *n, const foi_run *r, uint32_t i, double t)
{
    double period = of(n, 1, i), duty = of(n, 2, i) / 100, from = of(n, 3, i);
    if (!foi_reached(t, from)) return from;
    double k = whole_number(r, (t - from) / period), fall = from + (k + duty) * period;
    return foi_reached(t, fall) ? from + (k + 1) * period : fall;
}

static double next_pulse(const foi_node *n, const foi_run *r, double t)
{
    return first_break(n, r, t, pulse_break);
}

static const foi_node_type pulse_generator = {
    .name = "Pulse Generator",
    .set = SET,
    .about = "A train of pulses: the amplitude for the duty cycle's part of each period, then 0.",
    .inputs = "",
    .outputs = "pulses",
    .parameters =
        (const foi_parameter[]){
            {"Amplitude", FOI_PARAMETER_REAL, "1", NULL, ""},
            {"Period", FOI_PARAMETER_REAL, "1", NULL, "[s]"},
            {"Duty Cycle", FOI_PARAMETER_REAL, "50", NULL, "part of the period that is high [%]"},
            {"Start Time", FOI_PARAMETER_REAL, "0", NULL, "of the first pulse [s]"},
            {0}},
    SOURCE(CONTINUOUS),
    .example = {"Amplitude=2;Period=1;Duty Cycle=30;Start Time=0.5", "", 1.6, 0, "2"},
    .continuous = true,
    .prepare = prepare_pulse,
    .type = type_with_parts,
    .expressed = true,
    .output = output_pulse,
    .next = next_pulse,
};

static fo_status prepare_discrete_pulse(foi_build *b, foi_node *n)
{
    for (uint32_t i = 0; i < foi_array_size(foi_value(n, 1)); i++)
        if (!(of(n, 1, i) >= 1)) return foi_node_refuse(b, n, "the period is at least one sample");
    return FO_OK;
}

static void output_discrete_pulse(const foi_node *n, foi_run *r)
{
    foi_array y = foi_out(n, r, 0);
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double samples = (double)(r->count / n->every) - of(n, 3, i);
        bool high = samples >= 0 && fmod(samples, of(n, 1, i)) < of(n, 2, i);
        y.data[i] = high ? of(n, 0, i) : 0;
    }
}

static const foi_node_type discrete_pulse_generator = {
    .name = "Discrete Pulse Generator",
    .set = SET,
    .about = "A train of pulses whose period, width and delay are counted in samples.",
    .inputs = "",
    .outputs = "pulses",
    .parameters =
        (const foi_parameter[]){
            {"Amplitude", FOI_PARAMETER_REAL, "1", NULL, ""},
            {"Period", FOI_PARAMETER_REAL, "2", NULL, "[samples]"},
            {"Pulse Width", FOI_PARAMETER_REAL, "1", NULL, "[samples]"},
            {"Phase Delay", FOI_PARAMETER_REAL, "0", NULL, "before the first pulse [samples]"},
            SAMPLE_TIME,
            {0}},
    SOURCE(DISCRETE),
    .example = {"Amplitude=4;Period=5;Pulse Width=2;Phase Delay=1;Sample Time=0.2", "", 1.4, 0,
                "4"},
    .steps = true,
    .held = true,
    .prepare = prepare_discrete_pulse,
    .output = output_discrete_pulse,
};

// -------------------------------------------------------------------------------- step and ramp

static void output_step(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar after = part(n, r, i, reached(r, foi_time_of(r), of(n, 0, i)));
        foi_put(n, r, i,
                foi_if(r, foi_is_above(r, after, 0), foi_parameter_of(n, r, 2, i),
                       foi_parameter_of(n, r, 1, i)));
    }
}

static double step_break(const foi_node *n, const foi_run *r, uint32_t i, double t)
{
    (void)r;
    return foi_reached(t, of(n, 0, i)) ? INFINITY : of(n, 0, i);
}

static double next_step(const foi_node *n, const foi_run *r, double t)
{
    return first_break(n, r, t, step_break);
}

static const foi_node_type step = {
    .name = "Step",
    .set = SET,
    .about = "The initial value until the step time is reached, the final value from then on.",
    .inputs = "",
    .outputs = "step",
    .parameters = (const foi_parameter[]){{"Step Time", FOI_PARAMETER_REAL, "1", NULL, "[s]"},
                                          {"Initial Value", FOI_PARAMETER_REAL, "0", NULL, ""},
                                          {"Final Value", FOI_PARAMETER_REAL, "1", NULL, ""},
                                          {"Sample Time", FOI_PARAMETER_SAMPLE, "0", NULL,
                                           "0: continuous [s]"},
                                          {0}},
    SOURCE("continuous, or the parameter Sample Time"),
    .example = {"Step Time=0.6;Initial Value=2;Final Value=5 6", "", 0.6, 0, "5 6"},
    .continuous = true,
    .type = type_with_parts,
    .expressed = true,
    .output = output_step,
    .next = next_step,
};

static void output_ramp(const foi_node *n, foi_run *r)
{
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_scalar t = foi_time_of(r), begun = part(n, r, i, reached(r, t, of(n, 1, i)));
        foi_scalar gone = foi_times(r, begun, foi_by(r, FOI_G_SUBTRACT, t, of(n, 1, i)));
        foi_put(n, r, i,
                foi_plus(r, foi_parameter_of(n, r, 2, i),
                         foi_times(r, gone, foi_parameter_of(n, r, 0, i))));
    }
}

static double ramp_break(const foi_node *n, const foi_run *r, uint32_t i, double t)
{
    (void)r;
    return foi_reached(t, of(n, 1, i)) ? INFINITY : of(n, 1, i);
}

static double next_ramp(const foi_node *n, const foi_run *r, double t)
{
    return first_break(n, r, t, ramp_break);
}

static const foi_node_type ramp = {
    .name = "Ramp",
    .set = SET,
    .about = "The initial output until the start time, then initial output + slope * (t - start "
             "time).",
    .inputs = "",
    .outputs = "ramp",
    .parameters = (const foi_parameter[]){{"Slope", FOI_PARAMETER_REAL, "1", NULL, "[1/s]"},
                                          {"Start Time", FOI_PARAMETER_REAL, "0", NULL, "[s]"},
                                          {"Initial Output", FOI_PARAMETER_REAL, "0", NULL, ""},
                                          {0}},
    SOURCE(CONTINUOUS),
    .example = {"Slope=2;Start Time=1;Initial Output=3", "", 2.5, 0, "6"},
    .continuous = true,
    .type = type_with_parts,
    .expressed = true,
    .output = output_ramp,
    .next = next_ramp,
};

const foi_node_type *const foi_nodes_sources[] = {&bool_node,
                                                  &chirp,
                                                  &clock_node,
                                                  &constant,
                                                  &digital_clock,
                                                  &discrete_pulse_generator,
                                                  &ground,
                                                  &pulse_generator,
                                                  &ramp,
                                                  &signal_generator,
                                                  &sine_wave,
                                                  &step,
                                                  NULL};
