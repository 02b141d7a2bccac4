#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static fo_status some_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)s, (void)t, (void)x;
    dx[0] = 1;
    return FO_OK;
}

static fo_status some_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)s, (void)m, (void)e;
    return FO_OK;
}

static fo_status some_values(const void *model, const fo_state *s, double t, const double *x,
                             double *y)
{
    (void)model, (void)s, (void)t, (void)x;
    y[0] = 0;
    return FO_OK;
}

static fo_next some_next(const void *model, const fo_state *s)
{
    (void)model, (void)s;
    return (fo_next){INFINITY, 0};
}

static fo_status some_conditions(const void *model, const fo_state *s, double t, const double *x,
                                 bool *c)
{
    (void)model, (void)s, (void)t, (void)x;
    c[0] = false;
    return FO_OK;
}

static void more_states(const void *model, fo_shape *shape)
{
    (void)model;
    shape->states = 10;
}

static const fo_system_type full_type = {
    .kind = "C",
    .rates = some_rates,
    .guards = some_values,
    .conditions = some_conditions,
    .observe = some_values,
    .next = some_next,
    .jump = some_jump,
};

static const fo_description ball = {
    .name = "ball",
    .states = FO_VARIABLES({"height", "m", 1.5}, {"velocity", "m/s"}),
    .discretes = FO_VARIABLES({"bounces"}),
    .inputs = FO_VARIABLES({"wind", "m/s", 2, .min = -10, .max = 10}),
    .outputs = FO_VARIABLES({"energy", "J"}),
    .parameters = FO_VARIABLES({"g", "m/s2", 9.81}, {"restitution", "", 0.8}),
    .guards = FO_GUARDS({"floor", FO_FALLING}),
    .conditions = FO_GUARDS({"resting", FO_RISING}),
    .moments = FO_EVENTS({"tick"}),
    .events = FO_EVENTS({"kick"}),
    .pairs = 1,
    .memory = 24,
    .scratch = 8,
};

static const fo_system whole = {&full_type, &ball, NULL};

TEST(shape_comes_from_the_counts)
{
    fo_shape shape = fo_system_shape(whole);
    CHECK_INT(shape.states, 2);
    CHECK_INT(shape.discretes, 1);
    CHECK_INT(shape.guards, 1);
    CHECK_INT(shape.conditions, 1);
    CHECK_INT(shape.inputs, 1);
    CHECK_INT(shape.outputs, 1);
    CHECK_INT(shape.parameters, 2);
    CHECK_INT(shape.pairs, 1);
    CHECK_INT((long long)shape.memory, 24);
    CHECK_INT((long long)shape.scratch, 8);
    fo_system_type type = full_type;
    type.shape = more_states;
    CHECK_INT(fo_system_shape((fo_system){&type, &ball, NULL}).states, 10);
}

TEST(names_are_found_in_every_list)
{
    const struct {
        const char *name;
        fo_quantity quantity;
        uint32_t index;
    } expected[] = {
        {"height", FO_STATE, 0},
        {"velocity", FO_STATE, 1},
        {"bounces", FO_DISCRETE, 0},
        {"wind", FO_INPUT, 0},
        {"energy", FO_OUTPUT, 0},
        {"g", FO_PARAMETER, 0},
        {"restitution", FO_PARAMETER, 1},
        {"time", FO_TIME, 0},
        {"x[1]", FO_STATE, 1},
        {"p[0]", FO_PARAMETER, 0},
    };
    for (size_t i = 0; i < FO_COUNT(expected); i++) {
        fo_reference found = {FO_TIME, 99};
        fo_message why = {0};
        CHECK_STATUS(fo_system_find(whole, expected[i].name, &found, &why), FO_OK, &why);
        CHECK_INT(found.quantity, expected[i].quantity);
        CHECK_INT(found.index, expected[i].index);
    }
}

TEST(unknown_names_get_a_hint)
{
    fo_reference found;
    fo_message why = {0};
    CHECK_INT(fo_system_find(whole, "velocty", &found, &why), FO_ERROR_ARGUMENT);
    CHECK_TEXT(why.text, "ball has no quantity 'velocty'; did you mean 'velocity'?");
    CHECK_INT(why.status, FO_ERROR_ARGUMENT);
    CHECK_INT(fo_system_find(whole, "temperature", &found, &why), FO_ERROR_ARGUMENT);
    CHECK_TEXT(why.text, "ball has no quantity 'temperature'");
    CHECK_INT(fo_system_find(whole, "x[2]", &found, &why), FO_ERROR_ARGUMENT);
    CHECK_INT(fo_system_find(whole, "x[-1]", &found, &why), FO_ERROR_ARGUMENT);
    CHECK_INT(fo_system_find(whole, "x[1", &found, NULL), FO_ERROR_ARGUMENT);
    CHECK_INT(fo_system_find(whole, "x[1]x", &found, NULL), FO_ERROR_ARGUMENT);
    CHECK_INT(fo_system_find(whole, "", &found, NULL), FO_ERROR_ARGUMENT);
}

TEST(names_are_written)
{
    char text[32];
    fo_reference velocity = {FO_STATE, 1}, beyond = {FO_STATE, 7}, time = {FO_TIME, 0};
    CHECK_TEXT(fo_system_name(whole, velocity, text, sizeof text), "velocity");
    CHECK_TEXT(fo_system_name(whole, beyond, text, sizeof text), "x[7]");
    CHECK_TEXT(fo_system_name(whole, time, text, sizeof text), "time");
    CHECK_TEXT(fo_system_name(whole, velocity, text, 4), "vel");
    CHECK(fo_system_variable(whole, beyond) == NULL);
    CHECK(fo_system_variable(whole, time) == NULL);
    REQUIRE(fo_system_variable(whole, velocity));
    CHECK_TEXT(fo_system_variable(whole, velocity)->unit, "m/s");
}

TEST(numbered_names_read_back)
{
    fo_system_type type = full_type;
    type.shape = more_states;
    fo_system large = {&type, &ball, NULL};
    for (uint32_t i = 0; i < 10; i++) {
        char text[32];
        fo_reference found = {0};
        fo_system_name(large, (fo_reference){FO_STATE, i}, text, sizeof text);
        CHECK_INT(fo_system_find(large, text, &found, NULL), FO_OK);
        CHECK_INT(found.quantity, FO_STATE);
        CHECK_INT(found.index, i);
    }
}

static void expect_broken(fo_system_type type, fo_description about, const char *text)
{
    fo_message why = {0};
    CHECK_INT(fo_system_check((fo_system){&type, &about, NULL}, &why), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, text);
}

TEST(a_good_system_passes)
{
    fo_message why = {0};
    CHECK_STATUS(fo_system_check(whole, &why), FO_OK, &why);
}

TEST(missing_functions_are_named)
{
    fo_system_type type = full_type;
    type.rates = NULL;
    expect_broken(type, ball, "ball has 2 states but no function 'rates'");
    type = full_type, type.guards = NULL;
    expect_broken(type, ball, "1 guards but no function 'guards'");
    type = full_type, type.conditions = NULL;
    expect_broken(type, ball, "no function 'conditions'");
    type = full_type, type.observe = NULL;
    expect_broken(type, ball, "no function 'observe'");
    type = full_type, type.next = NULL;
    expect_broken(type, ball, "no function 'next'");
    type = full_type, type.jump = NULL;
    expect_broken(type, ball, "no function 'jump'");
    fo_description about = ball;
    about.guards = (fo_guards)FO_GUARDS({"floor", FO_FALLING, .bounded = true});
    expect_broken(full_type, about, "guard 'floor' is said to be bounded");
    CHECK_INT(fo_system_check((fo_system){0}, NULL), FO_ERROR_ARGUMENT);
}

TEST(bad_names_are_named)
{
    fo_description about = ball;
    about.parameters = (fo_variables)FO_VARIABLES({"g"}, {"height"});
    expect_broken(full_type, about, "parameter 'height' has a name that was used before");
    about = ball, about.outputs = (fo_variables)FO_VARIABLES({NULL, "J"});
    expect_broken(full_type, about, "output 0 has no name");
    about = ball, about.conditions = (fo_guards)FO_GUARDS({"floor"});
    expect_broken(full_type, about, "condition 'floor' has a name that was used before");
    about = ball, about.events = (fo_events)FO_EVENTS({"tick"});
    expect_broken(full_type, about, "event 'tick' has a name that was used before");
    about = ball, about.name = "";
    expect_broken(full_type, about, "needs a name");
}

TEST(bad_values_are_named)
{
    fo_description about = ball;
    about.inputs = (fo_variables)FO_VARIABLES({"wind", "m/s", 20, .min = -10, .max = 10});
    expect_broken(full_type, about, "'wind' starts at 20, outside of its bounds -10 to 10");
    about.inputs = (fo_variables)FO_VARIABLES({"wind", "m/s", 0, .min = 10, .max = -10});
    expect_broken(full_type, about, "the bounds of 'wind' are 10 to -10");
    about = ball, about.parameters = (fo_variables)FO_VARIABLES({"g", "", NAN});
    expect_broken(full_type, about, "'g' is not a number");
    about = ball, about.pairs = 2;
    expect_broken(full_type, about, "2 pairs of positions and velocities, but only 2 states");
    about = ball, about.max_step = -1;
    expect_broken(full_type, about, "max_step must not be negative");
}

// Many names: the check must not take the square of their number.
TEST(many_names_are_compared_quickly)
{
    enum { COUNT = 200000 };
    static char names[COUNT][16];
    static fo_variable list[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "s%d", i);
        list[i] = (fo_variable){names[i]};
    }
    fo_description about = {.name = "many", .states = {list, COUNT}};
    fo_message why = {0};
    CHECK_STATUS(fo_system_check((fo_system){&full_type, &about, NULL}, &why), FO_OK, &why);
    list[COUNT - 1].name = "s77";
    expect_broken(full_type, about, "state 's77' has a name");
}

TEST(refusing_writes_the_message)
{
    fo_message why = {0};
    fo_state s = {.message = &why};
    CHECK_INT(fo_refuse(&s, "l must be positive, is %g", -2.0), FO_ERROR_MODEL);
    CHECK_TEXT(why.text, "l must be positive, is -2");
    CHECK_INT(why.status, FO_ERROR_MODEL);
    s.message = NULL;
    CHECK_INT(fo_refuse(&s, "nobody listens"), FO_ERROR_MODEL);
}

static fo_status note_resize(fo_host *host, fo_state *s, const fo_shape *shape)
{
    (void)host;
    s->shape = *shape;
    return FO_OK;
}

TEST(resizing_asks_the_host)
{
    fo_message why = {0};
    fo_host host = {note_resize};
    fo_state s = {.message = &why, .host = &host, .shape = {.inputs = 3, .pairs = 2, .states = 4}};
    CHECK_INT(fo_state_resize(&s, 7, 2, 5, 1), FO_OK);
    CHECK_INT(s.shape.states, 7);
    CHECK_INT(s.shape.discretes, 2);
    CHECK_INT(s.shape.guards, 5);
    CHECK_INT(s.shape.conditions, 1);
    CHECK_INT(s.shape.inputs, 3);
    CHECK_INT(fo_state_resize(&s, 3, 2, 5, 1), FO_ERROR_ARGUMENT);
    CHECK_CONTAINS(why.text, "too few for 2 pairs");
    s.host = NULL;
    CHECK_INT(fo_state_resize(&s, 9, 2, 5, 1), FO_ERROR_UNFIT);
    CHECK_INT(s.shape.states, 7);
}

TEST_MAIN(TEST_ENTRY(shape_comes_from_the_counts), TEST_ENTRY(names_are_found_in_every_list),
          TEST_ENTRY(unknown_names_get_a_hint), TEST_ENTRY(names_are_written),
          TEST_ENTRY(numbered_names_read_back), TEST_ENTRY(a_good_system_passes),
          TEST_ENTRY(missing_functions_are_named), TEST_ENTRY(bad_names_are_named),
          TEST_ENTRY(bad_values_are_named), TEST_ENTRY(many_names_are_compared_quickly),
          TEST_ENTRY(refusing_writes_the_message), TEST_ENTRY(resizing_asks_the_host))
