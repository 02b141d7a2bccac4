#include "analysis/differences.h"

#include <math.h>

#include "math/math.h"

void foi_extrapolate(const double *difference, double *value, double *error)
{
    double row[FOI_LEVELS_OF_STEPS] = {0};
    *error = INFINITY;
    for (int k = 0; k < FOI_LEVELS_OF_STEPS; k++) {
        double before = row[0], factor = 1;
        row[0] = difference[k];
        for (int j = 1; j <= k; j++) {
            double next = row[j];
            factor *= 4;
            row[j] = row[j - 1] + (row[j - 1] - before) / (factor - 1);
            double doubt = foi_fmax(fabs(row[j] - row[j - 1]), fabs(row[j] - before));
            if (doubt < *error) *error = doubt, *value = row[j];
            before = next;
        }
    }
}

// The slopes on the two sides differ, which central differences do not see. With f smooth
//
//     b(h) = (f(p + h) - 2 f(p) + f(p - h)) / h = f'' h + O(h^3),   so that   2 b(h/2) - b(h) =
//     O(h^3)
//
// and at a kink it is the difference of the slopes, the same for all h.
bool foi_has_kink(const double *bend, double steepest)
{
    double jump[FOI_LEVELS_OF_STEPS - 1];
    for (int k = 0; k + 1 < FOI_LEVELS_OF_STEPS; k++) jump[k] = 2 * bend[k + 1] - bend[k];
    const double *last = &jump[FOI_LEVELS_OF_STEPS - 4]; // three of them agree
    for (int k = 0; k < 2; k++)
        if (!(fabs(last[k] - last[2]) <= 0.1 * fabs(last[2]))) return false;
    return fabs(last[2]) > 0.05 * steepest;
}

// --------------------------------------------------------------------------------------
// expressions

static double value_at(const foi_expression *e, const foi_arguments *a, double h)
{
    for (size_t i = 0; i < a->signals + a->reducers; i++)
        a->work[i] = a->values[i] + (a->tangents[i] == 0 ? 0 : h * a->tangents[i]);
    return foi_expression_value(e, a->work, a->work + a->signals);
}

// A name alone is linear; a number alone is itself for whatever arguments.
static double slope_of_one(const foi_expression *e, const foi_arguments *a)
{
    for (size_t i = 0; i < a->signals + a->reducers; i++) a->work[i] = 0;
    double none = foi_expression_value(e, a->work, a->work + a->signals);
    return foi_expression_value(e, a->tangents, a->tangents + a->signals) - none;
}

// A step that changes no argument by more than this part of it.
static double longest_step(const foi_arguments *a)
{
    double h = INFINITY;
    for (size_t i = 0; i < a->signals + a->reducers; i++) {
        double size = fabs(a->values[i]) > 0 ? fabs(a->values[i]) : 1, d = fabs(a->tangents[i]);
        if (d > 0 && isfinite(d) && isfinite(size)) h = foi_fmin(h, 0.02 * size / d);
    }
    return h;
}

double foi_expression_slope(const foi_expression *e, const foi_arguments *a)
{
    double difference[FOI_LEVELS_OF_STEPS], bend[FOI_LEVELS_OF_STEPS], steepest = 0, most = 0;
    if (e->count == 1) return slope_of_one(e, a);
    double h = longest_step(a), here = value_at(e, a, 0), value = NAN, error = NAN;
    if (!isfinite(h)) return value_at(e, a, 1) - here; // 0, or not a number
    for (int k = 0; k < FOI_LEVELS_OF_STEPS; k++, h /= 2) {
        double up = value_at(e, a, h), down = value_at(e, a, -h);
        difference[k] = (up - down) / (2 * h), bend[k] = (up - here - (here - down)) / h;
        steepest = foi_fmax(steepest, foi_fmax(fabs(up - here), fabs(here - down)) / h);
        most = foi_fmax(most, foi_fmax(fabs(up), fabs(down)) / h);
    }
    foi_extrapolate(difference, &value, &error);
    bool known = error <= 1e-7 * steepest || error <= 1e-12 * most;
    return known && !foi_has_kink(bend, steepest) ? value : NAN;
}
