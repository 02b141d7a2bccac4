// Sources as expressions of time: see nodes_sources.c and nodes_random.c. Where events are on, the
// part of its course that a source is in is a number in the memory.
#include "diagram/lower.h"

static const double pi = 3.14159265358979323846;

static foi_term now(foi_lower *l)
{
    return foi_term_time(l->terms);
}

static foi_term minus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_SUBTRACT, a, b);
}

static foi_term times(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_MULTIPLY, a, b);
}

// The part that was found at the last moment, or what is found now.
static foi_term part(foi_lower *l, const foi_node *n, foi_term found)
{
    return l->diagram->events ? foi_lower_own(l, n, 0) : found;
}

// t >= at, with some ulps to spare: foi_reached.
static foi_term reached(foi_lower *l, foi_term t, double at)
{
    return foi_lower_by(l, FOI_G_GREATER_EQUAL, t, at - 1e-12 * fabs(at));
}

// floor(u) with some ulps to spare.
static foi_term whole(foi_lower *l, foi_term u)
{
    foi_term size = foi_lower_2(l, FOI_G_MAX, foi_lower_number(l, 1), foi_lower_1(l, FOI_G_ABS, u));
    foi_term more = times(l, foi_lower_number(l, 1e-12), size);
    return foi_lower_1(l, FOI_G_FLOOR, foi_lower_2(l, FOI_G_ADD, u, more));
}

static void clock_node(foi_lower *l, const foi_node *n)
{
    foi_lower_put(l, n, 0, now(l));
}

static void sine(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term turned = times(l, foi_lower_value(l, n, "Frequency", i), now(l));
        foi_term angle = foi_lower_2(l, FOI_G_ADD, turned, foi_lower_value(l, n, "Phase", i));
        foi_lower_put(
            l, n, i,
            times(l, foi_lower_value(l, n, "Amplitude", i), foi_lower_1(l, FOI_G_SIN, angle)));
    }
}

static void chirp(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        double f0 = foi_lower_parameter(l, n, "Initial Frequency", i);
        double f1 = foi_lower_parameter(l, n, "Target Frequency", i);
        double rise = (f1 - f0) / foi_lower_parameter(l, n, "Target Time", i);
        foi_term more =
            foi_lower_by(l, FOI_G_DIVIDE, times(l, foi_lower_number(l, rise), now(l)), 2);
        foi_term f = foi_lower_2(l, FOI_G_ADD, foi_lower_number(l, f0), more);
        foi_term angle = times(l, times(l, foi_lower_number(l, 2 * pi), f), now(l));
        foi_lower_put(l, n, i, foi_lower_1(l, FOI_G_SIN, angle));
    }
}

enum { SINE, SQUARE, SAWTOOTH };

static void generator(foi_lower *l, const foi_node *n)
{
    int form = foi_lower_choice(l, n, "Wave Form");
    double frequency = foi_lower_parameter(l, n, "Frequency", 0);
    foi_term parts = times(l, foi_lower_number(l, frequency * (form == SQUARE ? 2 : 1)), now(l));
    foi_term at = part(l, n, whole(l, parts)), unit;
    if (form == SINE) {
        foi_term angle = times(l, foi_lower_number(l, 2 * pi * frequency), now(l));
        unit = foi_lower_1(l, FOI_G_SIN, angle);
    } else if (form == SQUARE) {
        foi_term odd = foi_lower_by(l, FOI_G_REM, foi_lower_1(l, FOI_G_ABS, at), 2);
        unit = foi_lower_if(l, foi_lower_by(l, FOI_G_EQUAL, odd, 0), foi_lower_number(l, 1),
                            foi_lower_number(l, -1));
    } else {
        foi_term gone = times(l, foi_lower_number(l, 2), minus(l, parts, at));
        unit = foi_lower_by(l, FOI_G_SUBTRACT, gone, 1);
    }
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(l, n, i, times(l, unit, foi_lower_value(l, n, "Amplitude", i)));
}

static void pulse(foi_lower *l, const foi_node *n)
{
    double from = foi_lower_parameter(l, n, "Start Time", 0);
    double duty = foi_lower_parameter(l, n, "Duty Cycle", 0) / 100;
    foi_term gone = foi_lower_by(l, FOI_G_SUBTRACT, now(l), from);
    foi_term periods = foi_lower_2(l, FOI_G_DIVIDE, gone, foi_lower_value(l, n, "Period", 0));
    foi_term rest = minus(l, periods, whole(l, periods));
    foi_term early = foi_lower_1(l, FOI_G_NOT, reached(l, rest, duty));
    foi_term high = part(l, n, foi_lower_2(l, FOI_G_AND, reached(l, now(l), from), early));
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(l, n, i, times(l, high, foi_lower_value(l, n, "Amplitude", i)));
}

static void step(foi_lower *l, const foi_node *n)
{
    foi_term after = part(l, n, reached(l, now(l), foi_lower_parameter(l, n, "Step Time", 0)));
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(l, n, i,
                      foi_lower_if(l, foi_lower_by(l, FOI_G_GREATER, after, 0),
                                   foi_lower_value(l, n, "Final Value", i),
                                   foi_lower_value(l, n, "Initial Value", i)));
}

static void ramp(foi_lower *l, const foi_node *n)
{
    double from = foi_lower_parameter(l, n, "Start Time", 0);
    foi_term rising = times(l, part(l, n, reached(l, now(l), from)),
                            foi_lower_by(l, FOI_G_SUBTRACT, now(l), from));
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(l, n, i,
                      foi_lower_2(l, FOI_G_ADD, foi_lower_value(l, n, "Initial Output", i),
                                  times(l, rising, foi_lower_value(l, n, "Slope", i))));
}

// ---------------------------------------------------------------------------- repeating sequence

enum { MAX_PIECES = 64 };

// The piece is in the memory: k pieces + i, where k counts periods.
static void sequence(foi_lower *l, const foi_node *n)
{
    const foi_array *t = foi_lower_array(l, n, "Time Values");
    const foi_array *y = foi_lower_array(l, n, "Output Values");
    uint32_t pieces = foi_array_size(t) - 1;
    double number[MAX_PIECES], slope[MAX_PIECES];
    if (!l->diagram->events || l->unfit || pieces < 1 || pieces > MAX_PIECES) {
        l->unfit = true;
        return;
    }
    for (uint32_t i = 0; i < pieces; i++) {
        number[i] = i + 1;
        slope[i] = (y->data[i + 1] - y->data[i]) / (t->data[i + 1] - t->data[i]);
    }
    foi_term count = foi_lower_number(l, pieces), piece = foi_lower_own(l, n, 0);
    foi_term k = foi_lower_1(l, FOI_G_FLOOR, foi_lower_2(l, FOI_G_DIVIDE, piece, count));
    foi_term i = minus(l, piece, times(l, k, count));
    foi_term gone = foi_lower_by(l, FOI_G_SUBTRACT, now(l), l->diagram->start);
    foi_term period = foi_lower_number(l, t->data[pieces] - t->data[0]);
    foi_term tau = minus(l, foi_lower_2(l, FOI_G_ADD, foi_lower_number(l, t->data[0]), gone),
                         times(l, k, period));
    foi_term since = minus(l, tau, foi_lower_pick(l, i, number, t->data, pieces));
    foi_lower_put(l, n, 0,
                  foi_lower_2(l, FOI_G_ADD, foi_lower_pick(l, i, number, y->data, pieces),
                              times(l, foi_lower_pick(l, i, number, slope, pieces), since)));
}

const foi_lowering foi_lower_sources[] = {
    {.type = "Clock", .output = clock_node},
    {.type = "Sine Wave", .output = sine},
    {.type = "Chirp Signal", .output = chirp},
    {.type = "Signal Generator", .output = generator},
    {.type = "Pulse Generator", .output = pulse},
    {.type = "Step", .output = step},
    {.type = "Ramp", .output = ramp},
    {.type = "Repeating Sequence", .output = sequence},
    {0},
};
