/// Signals: what comes from outside, as functions of time.
#include <math.h>

#include "field/field.h"
#include "math/math.h"

static foi_signal_value sine(const fo_signal *g, double t)
{
    if (t < g->start) return (foi_signal_value){0};
    double w = g->omega, a = g->amplitude, angle = w * (t - g->start) + g->phase;
    double s = a * foi_sin(angle), c = a * foi_cos(angle);
    return (foi_signal_value){s, w * c, -w * w * s};
}

// a sin^2(q t) = a/2 (1 - cos(2 q t)), q = pi / width: its slope is continuous.
static foi_signal_value pulse(const fo_signal *g, double t)
{
    double since = t - g->start;
    if (since <= 0 || since >= g->width) return (foi_signal_value){0};
    double q = 2 * M_PI / g->width, a = g->amplitude / 2;
    double c = foi_cos(q * since), s = foi_sin(q * since);
    return (foi_signal_value){a * (1 - c), a * q * s, a * q * q * c};
}

static foi_signal_value table(const fo_signal *g, double t)
{
    uint32_t low = 0, high = g->count - 1;
    if (t < g->times[0]) return (foi_signal_value){g->values[0], 0, 0};
    if (t >= g->times[high]) return (foi_signal_value){g->values[high], 0, 0};
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(t < g->times[middle] ? &high : &low) = middle;
    }
    double slope = (g->values[high] - g->values[low]) / (g->times[high] - g->times[low]);
    return (foi_signal_value){g->values[low] + slope * (t - g->times[low]), slope, 0};
}

foi_signal_value foi_signal_at(const fo_field *f, uint32_t signal, double t, const double *u)
{
    const fo_signal *g = &f->signals[signal];
    switch (g->kind) {
    case FO_SIGNAL_ZERO: break;
    case FO_SIGNAL_SINE: return sine(g, t);
    case FO_SIGNAL_PULSE: return pulse(g, t);
    case FO_SIGNAL_TABLE: return table(g, t);
    case FO_SIGNAL_INPUT: return (foi_signal_value){u ? u[f->input_of[signal]] : 0, 0, 0};
    }
    return (foi_signal_value){0};
}

void foi_part_impose(const foi_part *p, double t, const double *u, double *x)
{
    foi_signal_value value = {0};
    for (uint32_t i = 0; i < p->held_count; i++) {
        const foi_act *act = &p->held[i];
        if (i == 0 || act->signal != act[-1].signal) value = foi_signal_at(p->f, act->signal, t, u);
        x[act->node] = value.s;
        if (p->f->order == 2) x[p->nodes + act->node] = value.ds;
    }
}
