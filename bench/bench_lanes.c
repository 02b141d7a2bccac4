// Many runs on one core: lanes of 4 and 8 against the scalar compiled program, adaptive dp45;
// beside them a loop written by hand, and SciPy's RK45 in a pool of processes, where it is here.
#include <foliot/analysis.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { RUNS = 100000, REPEATS = 3, PEER_RUNS = 20 };

typedef struct problem {
    const char *name, *peer, *text, *vary, *measure;
    double stop, target; ///< of 8 lanes, as ours / theirs
} problem;

static const problem problems[] = {
    {"Lorenz", "lorenz",
     "model L parameter Real rho = 28; Real x(start = 1, fixed = true); Real y(start = 1, fixed = "
     "true); Real z(start = 1, fixed = true);\nequation der(x) = 10*(y - x); der(y) = x*(rho - z) "
     "- "
     "y; der(z) = x*y - 8/3*z; end L;",
     "rho=20:200:100000", "final(z)", 10, 1 / 3.5},
    {"pendulum", "pendulum",
     "model P parameter Real c = 0.1; Real p(start = 1, fixed = true); Real w(start = 0, fixed = "
     "true);\nequation der(p) = w; der(w) = -9.81*sin(p) - c*w; end P;",
     "c=0.01:0.5:100000", "final(p)", 10, 1 / 3.5},
    {"pendulum, a tap every second", NULL,
     "model P parameter Real c = 0.1; Real p(start = 1, fixed = true); Real w(start = 0, fixed = "
     "true);\nequation der(p) = w; der(w) = -9.81*sin(p) - c*w; when sample(1, 1) then reinit(w, "
     "pre(w) + 0.5); end when; end P;",
     "c=0.01:0.5:100000", "final(p)", 10, 1 / 3.5},
    {"bouncing ball", NULL,
     "model B parameter Real e = 0.8; Real h(start = 1.5, fixed = true); Real v(start = 0, fixed = "
     "true);\nequation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end "
     "when; "
     "end B;",
     "e=0.5:0.9:100000", "final(h)", 2, 1 / 2.0},
    {"bouncing ball without rest", NULL,
     "model B parameter Real e = 0.8; Real h(start = 1.5, fixed = true); Real v(start = 0, fixed = "
     "true);\nequation der(h) = v; der(v) = -9.81; when h <= 0 then reinit(v, -e*pre(v)); end "
     "when; "
     "end B;",
     "e=0.7:0.9:100000", "final(h)", 2, 0},
    {"pendulum that hits a stop", NULL,
     "model P parameter Real c = 0.1; Real p(start = 1, fixed = true); Real w(start = 0, fixed = "
     "true);\nequation der(p) = w; der(w) = -9.81*sin(p) - c*w; when p < -0.6 then reinit(w, "
     "-0.8*pre(w)); end when; end P;",
     "c=0.01:0.5:100000", "final(p)", 10, 0},
};

/// One way to run a problem.
typedef struct way {
    const problem *p;
    unsigned lanes;
    double sum; ///< of the measures: the same in all ways
} way;

static fo_status take(void *self, const fo_parameter_sweep_row *row, fo_message *why)
{
    way *w = self;
    (void)why;
    w->sum += row->measures[0];
    return row->status;
}

// Microseconds per run.
static double sweep(void *self)
{
    way *w = self;
    const char *vary[] = {w->p->vary}, *measures[] = {w->p->measure};
    fo_parameter_sweep_def def = fo_default_parameter_sweep_def();
    def.experiment.model.name = "model.mo", def.experiment.model.text = w->p->text;
    def.experiment.model.kind = "text";
    def.experiment.stop = w->p->stop, def.experiment.solver = "dp45";
    def.vary = vary, def.vary_count = 1, def.measures = measures, def.measure_count = 1;
    def.threads = 1, def.lanes = w->lanes, def.row = take, def.self = w;
    w->sum = 0;
    fo_message why = {0};
    fo_parameter_sweep *s = fo_parameter_sweep_create(&def, &why);
    if (!s) {
        fprintf(stderr, "%s\n", why.text);
        return NAN;
    }
    double before = bench_seconds();
    fo_status status = fo_parameter_sweep_run(s, 0, &why);
    double seconds = bench_seconds() - before;
    fo_parameter_sweep_destroy(s);
    return status == FO_OK ? seconds / RUNS * 1e6 : NAN;
}

static double scipy(const char *folder, const char *name)
{
    char command[1024];
    double us = NAN;
    snprintf(command, sizeof command, "python3 '%s/peer_lanes_scipy.py' %s %d 2>/dev/null", folder,
             name, (int)PEER_RUNS);
    FILE *in = popen(command, "r");
    if (in && fscanf(in, "%lf", &us) != 1) us = NAN;
    if (in) pclose(in);
    return us;
}

// ------------------------------------------------------------------------------- written by hand

typedef void rates(double number, const double *x, double *f);

static void lorenz(double rho, const double *x, double *f)
{
    f[0] = 10 * (x[1] - x[0]), f[1] = x[0] * (rho - x[2]) - x[1];
    f[2] = x[0] * x[1] - 8.0 / 3 * x[2];
}

static void pendulum(double c, const double *x, double *f)
{
    f[0] = x[1], f[1] = -9.81 * sin(x[0]) - c * x[1];
}

// Dormand and Prince, with the step control of a textbook: h by the error to the power -1/5.
static inline void dp45_by_hand(rates *f, int n, double number, double stop, double *x)
{
    static const double a[7][6] = {
        {0},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][3], y[3], t = 0, h = 1e-3;
    f(number, x, k[0]);
    while (t < stop) {
        double error = 0;
        if (t + h > stop) h = stop - t;
        for (int s = 1; s < 7; s++) {
            for (int i = 0; i < n; i++) {
                y[i] = x[i];
                for (int j = 0; j < s; j++) y[i] += h * a[s][j] * k[j][i];
            }
            f(number, y, k[s]);
        }
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < 7; j++) sum += e[j] * k[j][i];
            double size = 1e-9 + 1e-6 * fmax(fabs(x[i]), fabs(y[i]));
            error += (h * sum / size) * (h * sum / size) / n;
        }
        double grow = error > 0 ? 0.9 * pow(error, -0.1) : 5;
        if (error <= 1) {
            t += h;
            for (int i = 0; i < n; i++) x[i] = y[i], k[0][i] = k[6][i];
        }
        h *= fmin(5, fmax(0.2, grow));
    }
}

// Microseconds per run.
static double by_hand(void *self)
{
    way *w = self;
    bool is_lorenz = w->p->peer[0] == 'l';
    double before = bench_seconds();
    w->sum = 0;
    for (int i = 0; i < RUNS; i++) {
        double part = (double)i / (RUNS - 1), x[3] = {1, is_lorenz, 1};
        if (is_lorenz)
            dp45_by_hand(lorenz, 3, 20 + 180 * part, w->p->stop, x);
        else
            dp45_by_hand(pendulum, 2, 0.01 + 0.49 * part, w->p->stop, x);
        w->sum += x[0];
    }
    return isfinite(w->sum) ? (bench_seconds() - before) / RUNS * 1e6 : NAN;
}

static void race(bench_table *table, const problem *p)
{
    way ways[] = {{p, 8, 0}, {p, 4, 0}, {p, 0, 0}, {p, 0, 0}};
    bench_runner runners[] = {{.run = sweep, .self = &ways[0]},
                              {.run = sweep, .self = &ways[1]},
                              {.run = sweep, .self = &ways[2]},
                              {.run = by_hand, .self = &ways[3]}};
    if (!bench_race(runners, p->peer ? 4 : 3, REPEATS)) {
        bench_break(table, "%s broke", p->name);
        return;
    }
    if (ways[0].sum != ways[2].sum || ways[1].sum != ways[2].sum)
        bench_break(table, "%s: the bits differ", p->name);
    char what[96];
    snprintf(what, sizeof what, "%s, 8 lanes", p->name);
    bench_add(table, (bench_line){what, "scalar program", "us/run", runners[0].best,
                                  runners[2].best, p->target, NULL});
    snprintf(what, sizeof what, "%s, 4 lanes", p->name);
    bench_add(table, (bench_line){what, "scalar program", "us/run", runners[1].best,
                                  runners[2].best, 0, NULL});
    if (!p->peer) return;
    snprintf(what, sizeof what, "%s, 8 lanes", p->name);
    bench_add(table, (bench_line){what, "loop by hand", "us/run", runners[0].best, runners[3].best,
                                  0, NULL});
    snprintf(what, sizeof what, "%s, 8 lanes", p->name);
    bench_add(table, (bench_line){what, "SciPy RK45, a pool", "us/run", runners[0].best,
                                  scipy(BENCH_FOLDER, p->peer), 0, NULL});
}

int main(int argc, char **argv)
{
    bench_table table;
    if (!bench_open(&table, "lanes", argc, argv)) return 1;
    bench_title("Many runs on one core: lanes (rtol 1e-6)");
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) race(&table, &problems[i]);
    return bench_close(&table);
}
