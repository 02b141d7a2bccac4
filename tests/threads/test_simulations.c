// Nothing changes outside a simulation: with every solver, simulations of one system that run at
// the same time on several threads give the bits of one that runs alone.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "test.h"

enum { THREADS = 4 };

// A pendulum that a wall at angle 0 throws back: a state for each of position and velocity, a guard
// and a jump.
static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -9.81 * sin(x[0]) - 0.1 * x[1];
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)s, (void)t;
    g[0] = x[0];
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)m, (void)e;
    s->x[0] = 0;
    s->x[1] *= -0.9;
    return FO_OK;
}

static const fo_system_type type = {.kind = "C", .rates = rates, .guards = guards, .jump = jump};
static const fo_variable states[] = {{"angle", "rad", 1}, {"speed", "rad/s", 0}};
static const fo_guard walls[] = {{"wall", FO_FALLING}};
static const fo_description about = {
    .name = "pendulum at a wall", .states = {states, 2}, .guards = {walls, 1}, .pairs = 1};

typedef struct task {
    const char *solver;
    bool fits; ///< the solver takes this system
    fo_status status;
    double x[2];
    uint64_t moments;
    fo_message why;
} task;

static void *simulate(void *argument)
{
    task *one = argument;
    fo_run_def def = fo_default_run_def();
    def.stop = 2;
    def.step = 0.01;
    def.solver = one->solver;
    fo_simulation *sim = fo_simulation_create((fo_system){&type, &about, NULL}, &def, &one->why);
    one->fits = sim || one->why.status != FO_ERROR_UNFIT;
    if (!sim) return NULL;
    one->status = fo_simulation_advance(sim, def.stop);
    one->why = *fo_simulation_message(sim);
    memcpy(one->x, fo_simulation_state(sim)->x, sizeof one->x);
    one->moments = fo_simulation_statistics(sim).moments;
    fo_simulation_destroy(sim);
    return NULL;
}

TEST(simulations_at_once_give_the_bits_of_one_alone)
{
    size_t compared = 0;
    for (size_t i = 0; i < fo_solver_count(); i++) {
        const char *solver = fo_solver_get(i)->name;
        task alone = {.solver = solver};
        simulate(&alone);
        if (!alone.fits) continue;
        CHECK_STATUS(alone.status, FO_REACHED, &alone.why);
        CHECK(alone.moments >= 2);

        task tasks[THREADS];
        pthread_t threads[THREADS];
        for (int k = 0; k < THREADS; k++) {
            tasks[k] = (task){.solver = solver};
            REQUIRE(pthread_create(&threads[k], NULL, simulate, &tasks[k]) == 0);
        }
        for (int k = 0; k < THREADS; k++) {
            pthread_join(threads[k], NULL);
            CHECK_STATUS(tasks[k].status, FO_REACHED, &tasks[k].why);
            if (memcmp(tasks[k].x, alone.x, sizeof alone.x) != 0)
                test_fail(__FILE__, __LINE__, "%s on a thread ends at %.17g, alone at %.17g",
                          solver, tasks[k].x[0], alone.x[0]);
        }
        compared++;
    }
    CHECK(compared >= 5);
}

TEST_MAIN(TEST_ENTRY(simulations_at_once_give_the_bits_of_one_alone))
