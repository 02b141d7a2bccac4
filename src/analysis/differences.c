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
