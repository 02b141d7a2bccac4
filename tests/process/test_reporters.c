/// Reporters count whole ticks, hear of another interval at once, and a world begins where it
/// begins.
#include <foliot/report.h>

#include "scene.h"

static void note_time(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->count++;
    note(s, "r");
}

static void flow_on(fo_world *w, void *self)
{
    scene *s = self;
    (void)w;
    s->x.rate = 1;
}

// With levels reports are read off the steps, without they are events.
static void begin_flow(fo_world *w, scene *s)
{
    if (s->number < 0) return;
    fo_level_start_at(w, &s->x, 0);
    fo_continuous_start(w, &s->flow, flow_on, s);
}

static void until_the_stop(fo_world *w, void *self)
{
    scene *s = self;
    begin_flow(w, s);
    fo_reporter_start(w, &s->reporter, note_time, s, fabs(s->number));
    fo_hold(w, 1e9);
}

// start + k interval is the stop: the report at the stop comes too, in thought 13 of them.
TEST(report_at_the_stop_comes)
{
    for (int flows = 0; flows < 2; flows++)
        for (int q = 1; q <= 40; q++)
            for (int k = 1; k <= 12; k++) {
                scene s;
                fo_world_def def = {.stop = (double)(k * 7) / q};
                scene_open(&s, &def);
                s.number = (flows ? 7.0 : -7.0) / q;
                fo_status status = fo_world_simulate(s.w, until_the_stop, &s);
                CHECK_STATUS(status, FO_REACHED, fo_world_message(s.w));
                CHECK_INT(s.count, k + 1);
                scene_close(&s);
            }
}

static void change_often(fo_world *w, void *self)
{
    scene *s = self;
    begin_flow(w, s);
    fo_reporter_start(w, &s->reporter, note_time, s, 10);
    fo_hold(w, 1);
    fo_reporter_change(w, &s->reporter, 2);    // last report at 0: next at 2
    fo_hold(w, 3.5);                           // reports at 2, 4
    fo_reporter_change(w, &s->reporter, 0.25); // would be past: now, 4.5, and 4.75, 5
    fo_hold(w, 0.75);
    fo_reporter_change(w, &s->reporter, 5); // after the last one at 5.25: 10.25
    fo_hold(w, 6);
    fo_reporter_stop(w, &s->reporter);
    fo_hold(w, 10);
}

TEST(another_interval_takes_effect_at_once)
{
    for (int flows = 0; flows < 2; flows++) {
        scene s;
        scene_open(&s, &(fo_world_def){.dt_max = 3});
        s.number = flows ? 1 : -1;
        scene_play(&s, change_often);
        const char *expected = "r@0 r@2 r@4 r@4.5 r@4.75 r@5 r@5.25 r@10.25";
        if (strcmp(s.log, expected) != 0) // at 5.25 the event may come before the report
            CHECK_TEXT(s.log, "r@0 r@2 r@4 r@4.5 r@4.75 r@5 r@10");
        scene_close(&s);
    }
}

static void wrong_change(fo_world *w, void *self)
{
    scene *s = self;
    fo_reporter_change(w, &s->reporter, 1);
    fo_hold(w, 1);
}

TEST(only_an_active_reporter_changes)
{
    scene s;
    scene_open(&s, NULL);
    CHECK_INT(fo_world_simulate(s.w, wrong_change, &s), FO_ERROR_MODEL);
    CHECK_CONTAINS(fo_world_message(s.w)->text, "not active, at t = 0");
    scene_close(&s);
}

// ------------------------------------------------------------------------------------ first row

static void put_there(fo_world *w, void *self)
{
    scene *s = self;
    fo_level_start_at(w, &s->x, 42);
    fo_continuous_start(w, &s->flow, flow_on, s);
    fo_hold(w, 3);
}

TEST(first_row_is_the_true_start)
{
    const fo_reference signals[] = {{FO_STATE, 0}, {FO_OUTPUT, 0}};
    fo_table *table = fo_table_create(2, NULL);
    fo_observer observer = fo_table_observer(table, signals, 0.5);
    scene s;
    scene_open(&s, &(fo_world_def){.stop = 2, .observers = &observer, .observer_count = 1});
    fo_world_output(s.w, "x", "m", &s.x.state);
    CHECK_STATUS(fo_world_simulate(s.w, put_there, &s), FO_REACHED, fo_world_message(s.w));
    CHECK_INT(fo_table_rows(table), 5);
    for (size_t i = 0; i < fo_table_rows(table); i++)
        for (size_t k = 0; k < 2; k++)
            CHECK_NEAR(fo_table_value(table, i, k), 42 + fo_table_time(table, i), 1e-9);
    scene_close(&s);
    fo_table_destroy(table);
}

// An output of a world that is no number ends it.
static void divide(fo_world *w, void *self)
{
    scene *s = self;
    fo_hold(w, 1.25);
    s->number = 1 / (s->number - s->number);
    fo_hold(w, 5);
}

TEST(outputs_are_numbers)
{
    fo_table *table = fo_table_create(1, NULL);
    const fo_reference signal = {FO_OUTPUT, 0};
    fo_observer observer = fo_table_observer(table, &signal, 0.5);
    scene s;
    scene_open(&s, &(fo_world_def){.stop = 4, .observers = &observer, .observer_count = 1});
    s.number = 3;
    fo_world_output(s.w, "share", NULL, &s.number);
    CHECK_INT(fo_world_simulate(s.w, divide, &s), FO_ERROR_NUMBER);
    CHECK_CONTAINS(fo_world_message(s.w)->text, "the output 'share' is infinite at t = 1.");
    CHECK_INT(fo_table_rows(table), 3);
    scene_close(&s);
    fo_table_destroy(table);
}

TEST_MAIN(TEST_ENTRY(outputs_are_numbers), TEST_ENTRY(report_at_the_stop_comes),
          TEST_ENTRY(another_interval_takes_effect_at_once),
          TEST_ENTRY(only_an_active_reporter_changes), TEST_ENTRY(first_row_is_the_true_start))
