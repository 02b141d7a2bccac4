#include "analysis/loss.h"

#include <math.h>

#include "math/math.h"

/// rho(z) and its derivatives.
typedef struct rho {
    double value, slope, bend;
} rho;

static rho rho_of(fo_loss kind, double z)
{
    double root = sqrt(1 + z), size = sqrt(z);
    switch (kind) {
    case FO_LOSS_SOFT_L1: return (rho){2 * z / (root + 1), 1 / root, -0.5 / (root * root * root)};
    case FO_LOSS_HUBER:
        if (z <= 1) break;
        return (rho){2 * size - 1, 1 / size, -0.5 / (z * size)};
    case FO_LOSS_CAUCHY: return (rho){foi_log(1 + z), 1 / (1 + z), -1 / ((1 + z) * (1 + z))};
    case FO_LOSS_SQUARES: break;
    }
    return (rho){z, 1, 0};
}

double foi_loss_cost(foi_loss l, const double *r, size_t count)
{
    double sum = 0, C = l.scale;
    for (size_t i = 0; i < count; i++)
        sum += l.kind == FO_LOSS_SQUARES ? r[i] * r[i]
                                         : C * C * rho_of(l.kind, r[i] / C * (r[i] / C)).value;
    return sum;
}

void foi_loss_weights(foi_loss l, double r, double *slope, double *bend)
{
    double z = r / l.scale * (r / l.scale);
    rho p = rho_of(l.kind, z);
    *slope = p.slope, *bend = foi_fmax(p.slope + 2 * z * p.bend, 1e-10);
}

double foi_loss_deviation(foi_loss l, const double *r, size_t count, size_t numbers)
{
    double squares = 0, mean = 0;
    for (size_t i = 0; i < count; i++) {
        double z = l.kind == FO_LOSS_SQUARES ? 0 : r[i] / l.scale * (r[i] / l.scale);
        rho p = rho_of(l.kind, z);
        squares += p.slope * r[i] * (p.slope * r[i]);
        mean += (p.slope + 2 * z * p.bend) / (double)count;
    }
    return mean > 0 ? sqrt(squares / (double)(count - numbers)) / mean : NAN;
}
