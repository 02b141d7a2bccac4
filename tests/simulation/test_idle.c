/// States that stand still change nothing: what has a code of its own for few states (the step, its
/// dense output, the search by samples) gives the bits of the code for any number of them.
#include <string.h>

#include "scene.h"

/// An oscillator, a guard on it without bounds, and what its moments do.
typedef struct swing {
    double stiffness, drag, tilt, bend, level, kick;
} swing;

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    const swing *p = model;
    dx[0] = x[1];
    dx[1] = -p->stiffness * x[0] - p->drag * x[1] + 0.3 * p->bend * t * x[0] * x[0];
    for (uint32_t i = 2; i < s->shape.states; i++) dx[i] = 0;
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)s;
    const swing *p = model;
    g[0] = x[0] + p->tilt * x[1] + p->bend * x[0] * x[1] - p->level;
    g[1] = x[1] * x[1] - p->level * (1 + 0.1 * t);
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const swing *p = model;
    e->unchanged = p->kick == 0 || m->index == 1;
    if (!e->unchanged) s->x[0] += p->kick * m->direction;
    return FO_OK;
}

static uint64_t state_of_chance;

static double chance(void)
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (double)(state_of_chance >> 11) * 0x1p-53;
}

static const fo_system_type type = {.rates = rates, .guards = guards, .jump = jump};
static const fo_variable states[] = {{"x", NULL, 1}, {"v", NULL, 0.2}, {"a"}, {"b"}, {"c"}, {"d"}};
static const fo_guard watched[] = {{"level", FO_EITHER}, {"speed", FO_EITHER}};
static scene_log few, many;

static void run(const swing *p, const char *solver, double step, uint32_t n, scene_log *log)
{
    fo_message why;
    fo_description about = {.name = "swing", .states = {states, n}, .guards = {watched, 2}};
    fo_run_def def = fo_default_run_def();
    // steps as long as they may be: their lengths say nothing of the number of states
    def.solver = solver, def.stop = 6, def.step = def.first_step = def.max_step = step;
    def.rtol = def.atol = 1e-4;
    log->count = 0;
    CHECK_STATUS(scene_run((fo_system){&type, &about, p}, def, log, &why), FO_REACHED, &why);
}

TEST(idle_states_change_no_bit_of_any_moment)
{
    static const char *const solvers[] = {"dp45", "dop853", "bs23", "rk4"};
    size_t moments = 0;
    state_of_chance = 20261118;
    for (int k = 0; k < 200; k++) {
        swing p = {1 + 3 * chance(), 0.1 * chance(), chance() - 0.5,
                   0.2 * chance(),   0.3 * chance(), k % 2 ? 0.05 + 0.1 * chance() : 0};
        const char *solver = solvers[k / 2 % 4];
        double step = 0.01 + 0.02 * chance();
        run(&p, solver, step, 2, &few);
        run(&p, solver, step, 3 + (uint32_t)k % 4, &many);
        moments += few.count;
        CHECK(few.count == many.count);
        for (size_t i = 0; i < few.count && i < many.count; i++)
            if (memcmp(&few.list[i].t, &many.list[i].t, sizeof(double)) != 0)
                test_fail(__FILE__, __LINE__, "case %d, %s: moment %zu at %.17g and at %.17g", k,
                          solver, i, few.list[i].t, many.list[i].t);
    }
    CHECK(moments > 1000);
}

TEST_MAIN(TEST_ENTRY(idle_states_change_no_bit_of_any_moment))
