// What enters a pipe with kinks comes out of it so, whatever method steps over them: random waves
// cut by abs and max, in a flow that waxes and wanes, against their closed forms.
#include "../language/run.h"

static double chance(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// The way flown is v t + u (1 - cos(w t))/w.
typedef struct pipe {
    double v, u, w, pace, phase, rtol;
    int kind;
    bool state; ///< the wave is one, or a function of time
    const char *solver;
} pipe_of;

static pipe_of draw(uint64_t seed)
{
    static const char *const solvers[] = {"dp45", "dop853", "rodas4", "radau5", "bs23", "rkv56"};
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    uint64_t s = seed << 20;
    pipe_of p = {.v = 0.3 + chance(&s), .w = 1 + chance(&s), .pace = 1.5 + 3.5 * chance(&s)};
    p.u = 0.8 * p.v * chance(&s), p.phase = 3 * chance(&s), p.kind = (int)(4 * chance(&s));
    p.rtol = tolerances[(int)(3 * chance(&s))], p.state = chance(&s) < 0.5;
    p.solver = solvers[(int)(6 * chance(&s))];
    return p;
}

static double way(const pipe_of *p, double t)
{
    return p->v * t + p->u * (1 - cos(p->w * t)) / p->w;
}

static double entering(const pipe_of *p, double t)
{
    double s = sin(p->pace * t + p->phase);
    return p->kind == 0   ? fabs(s)
           : p->kind == 1 ? fmax(s, 0.3)
           : p->kind == 2 ? s
                          : fabs(fmax(s, -0.2));
}

static double leaving(const pipe_of *p, double t)
{
    double lo = 0, hi = t;
    for (int k = 0; k < 60; k++) {
        double m = (lo + hi) / 2;
        *(way(p, m) < way(p, t) - 1 ? &lo : &hi) = m;
    }
    return entering(p, lo);
}

static bool open_pipe(world *w, const pipe_of *p, double stop)
{
    static const char *const kinds[] = {"abs(%s)", "max(%s, 0.3)", "%s", "abs(max(%s, -0.2))"};
    char text[1000], wave[100] = "s", cut[200];
    if (!p->state) snprintf(wave, sizeof wave, "sin(%.17g*time + %.17g)", p->pace, p->phase);
    snprintf(cut, sizeof cut, kinds[p->kind], wave);
    snprintf(text, sizeof text,
             "model P\n  Real x(start = 0, fixed = true), a, b, s(start = %.17g, fixed = true);\n"
             "  Real c(start = %.17g, fixed = true);\nequation\n"
             "  der(x) = %.17g + %.17g*sin(%.17g*time); der(s) = %.17g*c; der(c) = -%.17g*s;\n"
             "  (a, b) = spatialDistribution(%s, 0, x, true);\nend P;\n",
             sin(p->phase), cos(p->phase), p->v, p->u, p->w, p->pace, p->pace, cut);
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    run.stop = stop, run.solver = p->solver, run.rtol = p->rtol, run.atol = 0.01 * p->rtol;
    if (!world_open(w, "test.mo", text, NULL)) return false;
    w->sim = fo_simulation_create(fo_text_model_system(w->model), &run, &why);
    CHECK_STATUS(w->sim ? FO_OK : FO_ERROR_MODEL, FO_OK, &why);
    return w->sim;
}

static long refused; // since too much lies in the pipe

static void try_pipe(uint64_t seed)
{
    enum { LOOKS = 600 };
    pipe_of p = draw(seed);
    double stop = 4 / p.v;
    world w;
    if (open_pipe(&w, &p, stop))
        for (int k = 1; k <= LOOKS; k++) {
            double t = stop * (k - 0.37) / LOOKS;
            if (way(&p, t) < 1.001) continue;
            if (fo_simulation_advance(w.sim, t) != FO_REACHED) {
                refused++;
                CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "are full");
                break;
            }
            double is = at(&w, t, "b"), truth = leaving(&p, t);
            if (fabs(is - truth) <= 100 * p.rtol) continue;
            test_fail(__FILE__, __LINE__, "seed %llu, %s %g: at %g it is %.9g, not %.9g",
                      (unsigned long long)seed, p.solver, p.rtol, t, is, truth);
            break;
        }
    end(&w);
}

TEST(kinks_come_out_of_a_pipe)
{
    int count = test_inputs(60, 10000);
    for (int seed = 1; seed <= count; seed++) try_pipe((uint64_t)seed);
    fprintf(stderr, "    %d runs, %ld refused\n", count, refused);
    CHECK(refused <= 2 + count / 20);
}

TEST_MAIN(TEST_ENTRY(kinks_come_out_of_a_pipe))
