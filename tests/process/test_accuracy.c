/// Tolerances and limits of the steps that processes change: jDisco's dtMin, dtMax and errors.
#include <foliot/process.h>
#include <math.h>
#include <string.h>

#include "test.h"

typedef struct oven {
    fo_level x, y;
    fo_continuous flow;
    int evaluations;
} oven;

static void flow(fo_world *w, void *self)
{
    (void)w;
    oven *o = self;
    o->x.rate = o->y.state, o->y.rate = -o->x.state;
    o->evaluations++;
}

// jDisco's way: a process sets dtMax and the errors, and later others.
static void life(fo_world *w, void *self)
{
    oven *o = self;
    fo_accuracy a = {1e-4, 1e-4, 1e-5, 1};
    fo_world_accuracy(w, &a);
    fo_level_start_at(w, &o->x, 1);
    fo_level_start_at(w, &o->y, 0);
    fo_continuous_start(w, &o->flow, flow, o);
    fo_hold(w, 10);
    int rough = o->evaluations;
    a = fo_same_accuracy(), a.max_step = 0.01;
    fo_world_accuracy(w, &a);
    fo_hold(w, 10);
    CHECK(o->evaluations - rough > 5000); // six a step
    CHECK(rough < 1000);
    o->evaluations = 0;
    a.max_step = 1, a.rtol = a.atol = 1e-10;
    fo_world_accuracy(w, &a);
    fo_hold(w, 10);
    CHECK(o->evaluations > 1000 && o->evaluations < 5000);
}

TEST(a_process_changes_them)
{
    oven o = {0};
    fo_world *w = fo_world_create(NULL, NULL);
    REQUIRE(w);
    fo_status status = fo_world_simulate(w, life, &o);
    CHECK(!fo_failed(status));
    CHECK_NEAR(o.x.state, cos(30), 1e-2);
    fo_world_destroy(w);
}

static void nonsense(fo_world *w, void *self)
{
    oven *o = self;
    fo_level_start_at(w, &o->x, 1);
    fo_hold(w, 1);
    fo_accuracy a = {1e-4, 1e-4, 2, 1};
    fo_world_accuracy(w, &a);
    fo_hold(w, 1);
}

TEST(nonsense_ends_the_run)
{
    oven o = {0};
    fo_world *w = fo_world_create(NULL, NULL);
    REQUIRE(w);
    CHECK(fo_world_simulate(w, nonsense, &o) == FO_ERROR_ARGUMENT);
    CHECK(strstr(fo_world_message(w)->text, "min step 2 is larger than max step 1"));
    fo_world_destroy(w);
}

TEST_MAIN(TEST_ENTRY(a_process_changes_them), TEST_ENTRY(nonsense_ends_the_run))
