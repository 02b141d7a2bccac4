// The loops for one model. Before it is included: NAME, N (how many states) and rates_NAME(t, x,
// dx), which is static and inline.
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define RATES       JOIN(rates, NAME)
#define EACH        UNROLL for (size_t i = 0; i < N; i++)

static void JOIN(rk4, NAME)(uint64_t steps, double h, double *x)
{
    double y[N], a[N], b[N], c[N], d[N], w[N];
    double half = h / 2, sixth = h / 6, third = h / 3;
    memcpy(y, x, sizeof y);
    for (uint64_t j = 0; j < steps; j++) {
        double t = (double)j * h;
        RATES(t, y, a);
        EACH w[i] = y[i] + half * a[i];
        RATES(t + half, w, b);
        EACH w[i] = y[i] + half * b[i];
        RATES(t + half, w, c);
        EACH w[i] = y[i] + h * c[i];
        RATES(t + h, w, d);
        EACH y[i] = ((y[i] + sixth * a[i]) + third * (b[i] + c[i])) + sixth * d[i];
    }
    memcpy(x, y, sizeof y);
}

// As hand_dp45, see there; here the vectors are as long as the model has states.
static uint64_t JOIN(dp45, NAME)(double stop, double h, double tolerance, double *start)
{
    double x[N], x1[N], w[N], k1[N], k2[N], k3[N], k4[N], k5[N], k6[N], k7[N];
    uint64_t steps = 0;
    double t = 0, before = -2 * UNIT, most = INFINITY;
    memcpy(x, start, sizeof x);
    RATES(t, x, k1);
    while (t < stop) {
        if (t + h * 1.0000001 >= stop) h = stop - t;
        double h21 = h * (1.0 / 5), h32 = h * (9.0 / 40), h43 = h * (32.0 / 9),
               h54 = h * (-212.0 / 729), h65 = h * (-5103.0 / 18656), h76 = h * (11.0 / 84);
        EACH w[i] = x[i] + h21 * k1[i];
        RATES(t + 0.2 * h, w, k2);
        EACH w[i] = (x[i] + h * (3.0 / 40 * k1[i])) + h32 * k2[i];
        RATES(t + 0.3 * h, w, k3);
        EACH w[i] = (x[i] + h * (44.0 / 45 * k1[i] - 56.0 / 15 * k2[i])) + h43 * k3[i];
        RATES(t + 0.8 * h, w, k4);
        EACH w[i] = (x[i] + h * (19372.0 / 6561 * k1[i] - 25360.0 / 2187 * k2[i] +
                                 64448.0 / 6561 * k3[i])) +
                    h54 * k4[i];
        RATES(t + 8.0 / 9 * h, w, k5);
        EACH w[i] = (x[i] + h * (9017.0 / 3168 * k1[i] - 355.0 / 33 * k2[i] +
                                 46732.0 / 5247 * k3[i] + 49.0 / 176 * k4[i])) +
                    h65 * k5[i];
        RATES(t + h, w, k6);
        EACH x1[i] = (x[i] + h * (35.0 / 384 * k1[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] -
                                  2187.0 / 6784 * k5[i])) +
                     h76 * k6[i];
        RATES(t + h, x1, k7);
        double e2 = 0;
        EACH
        {
            double a = fabs(x[i]), b = fabs(x1[i]), m = a > b ? a : b;
            double r = h / (tolerance + tolerance * m);
            double e = r * (71.0 / 57600 * k1[i] - 71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] -
                            17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i]) -
                       (r * (1.0 / 40)) * k7[i];
            e2 += e * e;
        }
        e2 /= N;
        double error = rough_log(e2);
        if (e2 > 1) {
            h *= shrink(error);
            most = 1;
            continue;
        }
        t += h;
        double factor = growth(error, before);
        h *= factor < most ? factor : most;
        before = error > -26.6 * UNIT ? error : -26.6 * UNIT;
        most = INFINITY;
        EACH x[i] = x1[i], k1[i] = k7[i];
        steps++;
    }
    memcpy(start, x, sizeof x);
    return steps;
}

#undef EACH
#undef RATES
#undef JOIN
#undef JOIN_
#undef NAME
#undef N
