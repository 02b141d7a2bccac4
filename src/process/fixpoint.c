/// Algebraic loops.
///
/// Wegstein's method (Comm. ACM 1 (1958) 9): with the slope s of f between the last two points,
///     x := q x + (1 - q) f(x),   q = s / (s - 1),
/// which is the secant method for f(x) - x and converges also where plain iteration does not.
#include "process/internal.h"

fo_status fo_fixpoint(fo_world *w, fo_loop *f, void *self, double tolerance, double *x)
{
    enum { MOST = 100 };
    double x0 = *x, f0 = f(w, x0, self), x1 = f0;
    for (int i = 0; i < MOST && isfinite(x1); i++) {
        if (fabs(x1 - x0) <= tolerance * (1 + fabs(x1))) {
            *x = x1;
            return FO_OK;
        }
        double f1 = f(w, x1, self), s = (f1 - f0) / (x1 - x0), q = s / (s - 1);
        double next = isfinite(q) ? q * x1 + (1 - q) * f1 : f1;
        x0 = x1, f0 = f1, x1 = next;
    }
    return foi_fail(w, FO_ERROR_CONVERGE, "no x = f(x) was found from %g on, at t = %.15g", *x,
                    w->now);
}
