// Definitions have defaults that are what zero means.
#include "scene.h"

static void decay(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = -s->x.state;
}

static void act(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 1);
    fo_continuous_start(w, &s->flow, decay, s);
    fo_hold(w, 3);
    s->number = s->x.state;
    fo_level_stop(w, &s->x);
    fo_continuous_stop(w, &s->flow);
}

static double result_of(const fo_world_def *def)
{
    scene s;
    scene_open(&s, def);
    scene_play(&s, act);
    scene_close(&s);
    return s.number;
}

TEST(a_world_with_defaults_is_one_without_a_definition)
{
    fo_world_def def = fo_default_world_def();
    double written = result_of(&def), zero = result_of(NULL);
    CHECK(memcmp(&written, &zero, sizeof zero) == 0);
    CHECK_NEAR(zero, exp(-3), 1e-6);
    def.max_rel_error = 1e-12, def.max_abs_error = 1e-14;
    double finer = result_of(&def);
    CHECK(finer != zero);
    CHECK_NEAR(finer, exp(-3), 1e-11);
}

TEST(a_process_and_a_histogram_with_defaults)
{
    scene s;
    scene_open(&s, NULL);
    fo_process_def def = fo_default_process_def();
    def.actions = act, def.self = &s;
    fo_process *p = fo_process_make(s.w, &def);
    REQUIRE(p);
    CHECK_TEXT(fo_process_name(p), "process");
    CHECK_INT(fo_process_priority(p), 0);
    CHECK_INT(fo_activate(p), FO_OK);
    CHECK_INT(fo_world_run(s.w, 5), FO_REACHED);
    CHECK_NEAR(s.number, exp(-3), 1e-6);
    scene_close(&s);
    fo_histogram_def cells = fo_default_histogram_def();
    fo_histogram *h = fo_histogram_create(&cells, NULL);
    REQUIRE(h);
    CHECK_INT(fo_histogram_cells(h), 10);
    fo_histogram_add(h, 0.25);
    CHECK_INT(fo_histogram_count(h, 3), 1);
    fo_histogram_destroy(h);
}

TEST_MAIN(TEST_ENTRY(a_world_with_defaults_is_one_without_a_definition),
          TEST_ENTRY(a_process_and_a_histogram_with_defaults))
