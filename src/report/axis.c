#include "report/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double HAIR = 1e-9; // of a step: a tick that misses the end by that much is on it

static const double TINY = 1e-300; // a range this small is drawn as zero

static double round_step(double at_least)
{
    double power = pow(10, floor(log10(at_least))), m = at_least / power;
    return power * (m <= 1 + HAIR ? 1 : m <= 2 + HAIR ? 2 : m <= 5 + HAIR ? 5 : 10);
}

static void set_ticks(foi_axis *axis, double at_least)
{
    axis->step = round_step(at_least);
    axis->first = ceil(axis->lo / axis->step - HAIR);
    axis->last = floor(axis->hi / axis->step + HAIR);
}

foi_axis foi_axis_make(double lo, double hi, int intervals)
{
    double size = fmax(fabs(lo), fabs(hi));
    if (!(hi - lo > 1e-12 * size) || size < TINY) {
        double middle = lo + (hi - lo) / 2, half = size < TINY ? 1 : 0.1 * size;
        lo = middle - half, hi = middle + half;
    }
    foi_axis axis = {.lo = lo, .hi = hi};
    double wanted = (hi - lo) / intervals;
    set_ticks(&axis, wanted);
    while (axis.last - axis.first < 1) set_ticks(&axis, axis.step / 2.5);
    return axis;
}

int foi_axis_ticks(const foi_axis *axis)
{
    return (int)(axis->last - axis->first) + 1;
}

double foi_axis_tick(const foi_axis *axis, int index)
{
    double n = axis->first + index;
    return n == 0 ? 0 : n * axis->step; // never -0
}

// "1.5e+06" becomes "1.5e6".
static void shorten_exponent(char *text)
{
    char *e = strchr(text, 'e');
    if (e) snprintf(e, FOI_LABEL_SIZE - (size_t)(e - text), "e%d", atoi(e + 1));
}

const char *foi_axis_label(const foi_axis *axis, int index, char *text)
{
    double value = foi_axis_tick(axis, index);
    double size = fmax(fabs(axis->first), fabs(axis->last)) * axis->step;
    int decade = (int)floor(log10(axis->step) + HAIR), top = (int)floor(log10(size) + HAIR);
    if (top < 6 && decade > -6) {
        snprintf(text, FOI_LABEL_SIZE, "%.*f", decade < 0 ? -decade : 0, value);
    } else if (value == 0) {
        strcpy(text, "0");
    } else {
        int digits = (int)floor(log10(fabs(value)) + HAIR) - decade;
        snprintf(text, FOI_LABEL_SIZE, "%.*e", digits < 0 ? 0 : digits, value);
        shorten_exponent(text);
    }
    return text;
}

int foi_axis_label_width(const foi_axis *axis)
{
    size_t width = 0;
    for (int i = 0; i < foi_axis_ticks(axis); i++) {
        char text[FOI_LABEL_SIZE];
        size_t length = strlen(foi_axis_label(axis, i, text));
        if (length > width) width = length;
    }
    return (int)width;
}

int foi_axis_place(const foi_axis *axis, double value, int count)
{
    int place = (int)lround((value - axis->lo) / (axis->hi - axis->lo) * (count - 1));
    return place < 0 ? 0 : place >= count ? count - 1 : place;
}
