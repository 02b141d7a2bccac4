#include "analysis/differences.h"

#include <math.h>

#include "math/math.h"

enum { LEVELS = FOI_LEVELS_OF_STEPS };

// Neville's table of a quantity whose error is a series in powers of h^2 (ratio 4) or of h (2).
static void extrapolate(const double *difference, double ratio, double *value, double *error)
{
    double row[LEVELS] = {0};
    *error = INFINITY;
    for (int k = 0; k < LEVELS; k++) {
        double before = row[0], factor = 1;
        row[0] = difference[k];
        for (int j = 1; j <= k; j++) {
            double next = row[j];
            factor *= ratio;
            row[j] = row[j - 1] + (row[j - 1] - before) / (factor - 1);
            double doubt = foi_fmax(fabs(row[j] - row[j - 1]), fabs(row[j] - before));
            if (doubt < *error) *error = doubt, *value = row[j];
            before = next;
        }
    }
}

void foi_extrapolate(const double *difference, double *value, double *error)
{
    extrapolate(difference, 4, value, error);
}

// With c(h) = f(p + h) - 2 f(p) + f(p - h), 2 c(h/2) - c(h) is -f'' h^2 / 2 with f smooth, and of
// higher order at a kink. Where f(p) alone is off (two events that meet at p and nowhere else), it
// is by how much, twice, for all h.
static bool has_jump(const double *above, const double *below, double noise, double *jump)
{
    double off[2];
    for (int i = 0, k = LEVELS - 3; i < 2; i++, k++)
        off[i] = 2 * (above[k + 1] - below[k + 1]) - (above[k] - below[k]);
    if (!(fabs(off[0] - off[1]) <= 0.15 * fabs(off[1]))) return false;
    *jump = 0.5 * fabs(off[1]);
    return *jump > 4 * noise;
}

// The slopes on the two sides, each from differences on that side alone. They differ where their
// difference is more than their errors, and is seen in the differences themselves: with f smooth
//
//     b(h) = (f(p + h) - 2 f(p) + f(p - h)) / h = f'' h + O(h^3),   2 b(h/2) - b(h) = O(h^3)
//
// and at a kink that is the difference of the slopes, the same for all h.
foi_sides foi_compare_sides(const double *above, const double *below, double h, double noise,
                            double *gap)
{
    double right[LEVELS], left[LEVELS], up = NAN, down = NAN, up_error, down_error;
    *gap = 0;
    if (has_jump(above, below, noise, gap)) return FOI_SIDES_JUMP;
    for (int k = 0; k < LEVELS; k++)
        right[k] = above[k] / ldexp(h, -k), left[k] = below[k] / ldexp(h, -k);
    extrapolate(right, 2, &up, &up_error);
    extrapolate(left, 2, &down, &down_error);
    double apart = fabs(up - down);
    if (!(apart > 5 * (up_error + down_error))) return FOI_SIDES_AGREE;
    double bend[2];
    for (int k = 0; k < 2; k++) bend[k] = right[LEVELS - 2 + k] - left[LEVELS - 2 + k];
    *gap = apart;
    bool seen = fabs(fabs(2 * bend[1] - bend[0]) - apart) <= 0.5 * apart;
    return seen && apart > 4 * noise / ldexp(h, 1 - LEVELS) ? FOI_SIDES_KINK : FOI_SIDES_AGREE;
}
