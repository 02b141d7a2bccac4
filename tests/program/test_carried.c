// What has a derivative and is carried along by a jump: that is said, once, and not where a reinit
// has said what happens.
#include <stdio.h>
#include <string.h>

#include "test.h"
#include "world.h"

typedef struct heard {
    int count;
    char text[300];
} heard;

static void hear(void *self, double t, const char *text)
{
    heard *h = self;
    (void)t;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s", text);
}

static heard run(const char *text)
{
    fo_run_def def = fo_default_run_def();
    heard h = {0};
    fo_observer o = {.self = &h, .note = hear};
    world w;
    def.stop = 4, def.observers = &o, def.observer_count = 1;
    if (world_begin(&w, text, &def)) CHECK(!fo_failed(fo_simulation_advance(w.sim, 4)));
    world_end(&w);
    return h;
}

TEST(a_constraint_that_jumps_is_noted)
{
    heard h =
        run("model M Real x1(start = 0, fixed = true), x2, f; discrete Real d(start = 0, fixed "
            "= true); equation der(x1) = 1 - f; der(x2) = 2 + f; x2 = x1 + d; when sample(1, "
            "1) then d = pre(d) + 5; end when; end M;");
    CHECK_INT(h.count, 1);
    CHECK_CONTAINS(h.text, "'x2' jumps at t = 1, from 1.5 to 6.5");
}

TEST(nothing_else_is)
{
    // no derivative; no jump; a reinit
    CHECK_INT(
        run("model M Real x1(start = 0, fixed = true), x2; discrete Real d(start = 0, fixed = "
            "true); equation der(x1) = 1; x2 = x1 + d; when time > 1 then d = 5; end when; "
            "end M;")
            .count,
        0);
    CHECK_INT(run("model M Real x1(start = 0, fixed = true), x2, f; equation der(x1) = 1 - f; "
                  "der(x2) = 2 + f; x2 = x1 + (if x1 > 1 then x1 - 1 else 0); end M;")
                  .count,
              0);
    CHECK_INT(
        run("model M Real x1(start = 0, fixed = true), x2, f; discrete Real d(start = 0, fixed "
            "= true); equation der(x1) = 1 - f; der(x2) = 2 + f; x2 = x1 + d; when time > 1 "
            "then d = 5; reinit(x1, pre(x1) - 2.5); end when; end M;")
            .count,
        0);
}

TEST_MAIN(TEST_ENTRY(a_constraint_that_jumps_is_noted), TEST_ENTRY(nothing_else_is))
