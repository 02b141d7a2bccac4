/// The search against guards whose roots are known: random polynomials in time with single and
/// double roots, some of them very close together, in steps as long as the solver likes.
#include <stdlib.h>

#include "scene.h"

enum { MOST = 8 };

/// Roots of a guard: product of (x - r). Equal neighbours touch zero without crossing it.
typedef struct roots {
    int count;
    double r[MOST];
    double scale;
} roots;

static fo_status product(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)s, (void)t;
    const roots *p = model;
    g[0] = p->scale;
    for (int i = 0; i < p->count; i++) g[0] *= x[0] - p->r[i];
    return FO_OK;
}

static uint64_t state_of_chance;

static double chance(void)
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_chance >> 11) * 0x1p-53;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Single roots, some of them pairs that are 1e-1 to 1e-8 apart.
static roots scatter(void)
{
    roots p = {.scale = pow(10, 8 * chance() - 4) * (chance() < 0.5 ? -1 : 1)};
    int wanted = 1 + (int)(chance() * 6);
    while (p.count < wanted) {
        double r = 0.01 + 0.98 * chance();
        p.r[p.count++] = r;
        if (chance() < 0.4) p.r[p.count++] = r + pow(10, -1 - 7 * chance());
    }
    qsort(p.r, (size_t)p.count, sizeof p.r[0], ascending);
    return p;
}

static scene_log log_;
static fo_message why;

static const fo_system_type type = {
    .rates = scene_clock_rates, .guards = product, .jump = scene_only_look};
static const fo_description about = {
    .name = "polynomial", .states = FO_VARIABLES({"x"}), .guards = FO_GUARDS({"g", FO_EITHER})};

static bool found_all(const roots *p, const char *solver)
{
    fo_run_def def = fo_default_run_def();
    def.solver = solver, def.step = 0.05, def.stop = 2;
    CHECK_STATUS(scene_run((fo_system){&type, &about, p}, def, &log_, &why), FO_REACHED, &why);
    bool good = log_.count == (size_t)p->count;
    for (size_t i = 0; good && i < log_.count; i++) good = fabs(log_.list[i].t - p->r[i]) < 1e-12;
    return good;
}

TEST(random_polynomials_lose_no_root)
{
    state_of_chance = 20261115;
    const char *solvers[] = {"dp45", "dop853", "rk4"};
    for (int k = 0; k < 1500; k++) {
        roots p = scatter();
        if (found_all(&p, solvers[k % 3])) continue;
        test_fail(__FILE__, __LINE__, "case %d with %s: %zu of %d roots", k, solvers[k % 3],
                  log_.count, p.count);
        for (int i = 0; i < p.count; i++) fprintf(stderr, "      root %.17g\n", p.r[i]);
        for (size_t i = 0; i < log_.count; i++)
            fprintf(stderr, "      found %.17g\n", log_.list[i].t);
    }
}

TEST_MAIN(TEST_ENTRY(random_polynomials_lose_no_root))
