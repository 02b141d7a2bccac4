// What is known of waves in closed form: standing waves, pulses that travel, decay, the sides.
#include "rig.h"

enum { MOST = 70000 };
static double start[MOST], velocity[MOST];

static fo_field_def square(int dimensions, uint32_t n)
{
    fo_field_def def = fo_default_field_def();
    def.dimensions = (uint32_t)dimensions;
    for (int axis = 0; axis < 3; axis++) def.size[axis] = axis < dimensions ? n : 1;
    return def;
}

// sin(pi x) sin(pi y) sin(pi z) between fixed sides
static void fill_sines(uint32_t n, int dimensions)
{
    uint32_t size[3] = {n, dimensions > 1 ? n : 1, dimensions > 2 ? n : 1}, at = 0;
    for (uint32_t k = 0; k < size[2]; k++)
        for (uint32_t j = 0; j < size[1]; j++)
            for (uint32_t i = 0; i < size[0]; i++) {
                double value = sin(M_PI * i / (n - 1));
                if (dimensions > 1) value *= sin(M_PI * j / (n - 1));
                if (dimensions > 2) value *= sin(M_PI * k / (n - 1));
                start[at++] = value;
            }
}

// The error at the middle after some time, with the step a fixed part of dx.
static double standing_error(int dimensions, uint32_t n, fo_field_method method, double part)
{
    fo_field_def def = square(dimensions, n);
    fill_sines(n, dimensions);
    def.start = start;
    def.method = method;
    double dx = 1.0 / (n - 1), t = 0.7, omega = M_PI * sqrt(dimensions);
    rig r;
    if (!rig_start(&r, &def, t, part * dx, NULL)) return NAN;
    rig_to(&r, t);
    uint32_t m = (n - 1) / 2;
    double value = rig_value(&r, m, dimensions > 1 ? m : 0, dimensions > 2 ? m : 0);
    rig_end(&r);
    return fabs(value - cos(omega * t));
}

TEST(standing_waves_converge_with_order_two)
{
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        uint32_t n = dimensions == 3 ? 9 : 17;
        double coarse = standing_error(dimensions, n, FO_FIELD_LEAPFROG, 0.3);
        double fine = standing_error(dimensions, 2 * n - 1, FO_FIELD_LEAPFROG, 0.3);
        CHECK_NEAR(log2(coarse / fine), 2, 0.15);
    }
}

// The grid's own frequency is known, which leaves the error in time.
static double time_error(fo_field_method method, double h)
{
    enum { N = 21 };
    fo_field_def def = square(1, N);
    fill_sines(N, 1);
    def.start = start;
    def.method = method;
    def.b1 = 0.2;
    double dx = 1.0 / (N - 1), k = 2 / dx * sin(M_PI * dx / 2), t = 1.3;
    double omega = sqrt(k * k - 0.01);
    rig r;
    if (!rig_start(&r, &def, t, h, NULL)) return NAN;
    CHECK_INT(rig_to(&r, t), FO_REACHED);
    double value = rig_value(&r, 10, 0, 0);
    rig_end(&r);
    return fabs(value - exp(-0.1 * t) * (cos(omega * t) + 0.1 / omega * sin(omega * t)));
}

TEST(orders_in_time)
{
    static const struct {
        fo_field_method method;
        double h, order;
    } cases[] = {
        {FO_FIELD_LEAPFROG, 0.02, 2},
        {FO_FIELD_RK4, 0.02, 4},
        {FO_FIELD_IMPLICIT_EULER, 0.005, 1},
        {FO_FIELD_SLIDING, 0.005, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double coarse = time_error(cases[i].method, cases[i].h);
        double fine = time_error(cases[i].method, cases[i].h / 2);
        CHECK_NEAR(log2(coarse / fine), cases[i].order, 0.2);
    }
}

// ------------------------------------------------------------------------------------------ decay

// Every mode's energy decays with b1 + b2 k^2; or grows, with b2 of the sign that the document
// prints, which only coarse grids can bear: short waves grow out of rounding errors.
TEST(energy_decays_with_b1_and_b2)
{
    static const struct {
        uint32_t n;
        double b1, b2;
    } cases[] = {{41, 0.4, 0}, {41, 0, 0.02}, {41, 0.3, 0.01}, {11, 0, -0.01}, {11, 0.05, -0.01}};
    for (int i = 0; i < 5; i++) {
        uint32_t n = cases[i].n;
        fo_field_def def = square(1, n);
        fill_sines(n, 1);
        def.start = start;
        def.b1 = cases[i].b1, def.b2 = cases[i].b2;
        def.energy = true;
        def.method = FO_FIELD_RK4;
        double dx = 1.0 / (n - 1), k = 2 / dx * sin(M_PI * dx / 2);
        double gamma = def.b1 + def.b2 * k * k, omega = sqrt(k * k - gamma * gamma / 4);
        double period = 2 * M_PI / omega;
        rig r;
        REQUIRE(rig_start(&r, &def, 3 * period, 0.005, NULL));
        fo_simulation_start(r.sim);
        double first = fo_simulation_value(r.sim, (fo_reference){FO_OUTPUT, 0});
        CHECK_INT(rig_to(&r, 3 * period), FO_REACHED);
        double last = fo_simulation_value(r.sim, (fo_reference){FO_OUTPUT, 0});
        CHECK_NEAR(-log(last / first) / (3 * period), gamma, 1e-5 * fabs(gamma));
        rig_end(&r);
    }
}

// The printed sign with every method: one step's length of time apart they agree to their order,
// and what cannot be computed is refused.
TEST(the_printed_sign_is_taken_by_every_method)
{
    static const fo_field_method methods[] = {FO_FIELD_RK4, FO_FIELD_LEAPFROG, FO_FIELD_EULER,
                                              FO_FIELD_IMPLICIT_EULER};
    double reference = 0;
    for (int i = 0; i < 4; i++) {
        fo_field_def def = square(1, 11);
        fill_sines(11, 1);
        def.start = start;
        def.b1 = 0.4, def.b2 = -0.01;
        def.method = methods[i];
        rig r;
        REQUIRE(rig_start(&r, &def, 0.5, 0.0005, NULL));
        CHECK_INT(rig_to(&r, 0.5), FO_REACHED);
        double value = fo_simulation_value(r.sim, (fo_reference){FO_STATE, 5});
        if (i == 0) reference = value;
        CHECK_NEAR(value, reference, i == 1 ? 1e-4 : 5e-3);
        rig_end(&r);
    }
    fo_field_def def = square(1, 11);
    def.b2 = -0.01, def.method = FO_FIELD_IMPLICIT_EULER, def.linear = FO_FIELD_CG;
    fo_message why;
    CHECK(!fo_field_create(&def, &why) && strstr(why.text, "take direct"));
    def.linear = FO_FIELD_DIRECT, def.b2 = -NAN;
    CHECK(!fo_field_create(&def, &why) && strstr(why.text, "must be finite"));
}

TEST(leapfrog_keeps_the_energy_between_free_and_periodic_sides)
{
    fo_field_def def = square(2, 24);
    def.sides[0].kind = def.sides[1].kind = FO_SIDE_PERIODIC;
    def.sides[2].kind = def.sides[3].kind = FO_SIDE_FREE;
    for (uint32_t i = 0; i < 24 * 24; i++)
        velocity[i] = sin(0.3 * i) + cos(1.7 * (i % 24)), start[i] = sin(2.1 * (i % 7));
    def.start = start, def.start_velocity = velocity;
    def.energy = true;
    rig r;
    REQUIRE(rig_start(&r, &def, 20, 0.0002, NULL));
    fo_simulation_start(r.sim);
    double first = fo_simulation_value(r.sim, (fo_reference){FO_OUTPUT, 0});
    CHECK_INT(rig_to(&r, 0.5), FO_REACHED);
    double last = fo_simulation_value(r.sim, (fo_reference){FO_OUTPUT, 0});
    CHECK_NEAR(last / first, 1, 1e-3);
    rig_end(&r);
}

// ----------------------------------------------------------------------------------------- pulses

static double bell(double x, double middle)
{
    return exp(-400 * (x - middle) * (x - middle));
}

/// A pulse that starts at 0.3 and runs to the right with c = 1 on 401 nodes of 1 m.
static void start_pulse(rig *r, fo_side_kind right, double stop)
{
    enum { N = 401 };
    fo_field_def def = square(1, N);
    for (uint32_t i = 0; i < N; i++) {
        double x = i / 400.0;
        start[i] = bell(x, 0.3);
        velocity[i] = 800 * (x - 0.3) * bell(x, 0.3);
    }
    def.start = start, def.start_velocity = velocity;
    def.sides[FO_SIDE_RIGHT].kind = right;
    if (right == FO_SIDE_PERIODIC) {
        def.size[0] = 400;
        def.sides[FO_SIDE_LEFT].kind = right;
    }
    CHECK(rig_start(r, &def, stop, 0.00125, NULL));
}

TEST(a_pulse_travels_with_c)
{
    rig r;
    start_pulse(&r, FO_SIDE_FIXED, 0.4);
    CHECK_INT(rig_to(&r, 0.4), FO_REACHED);
    for (uint32_t i = 0; i < 401; i++)
        CHECK_NEAR(rig_value(&r, i, 0, 0), bell(i / 400.0, 0.7), 0.01);
    rig_end(&r);
}

TEST(sides_turn_keep_or_swallow_a_pulse)
{
    // after 1 s the reflection of a fixed end is at 0.7 upside down, of a free end upright
    static const struct {
        fo_side_kind kind;
        double height, where;
    } cases[] = {{FO_SIDE_FIXED, -1, 0.7}, {FO_SIDE_FREE, 1, 0.7}, {FO_SIDE_PERIODIC, 1, 0.3}};
    for (size_t i = 0; i < 3; i++) {
        rig r;
        start_pulse(&r, cases[i].kind, 1);
        CHECK_INT(rig_to(&r, 1), FO_REACHED);
        CHECK_NEAR(rig_value(&r, (uint32_t)(400 * cases[i].where + 0.5), 0, 0), cases[i].height,
                   0.02);
        rig_end(&r);
    }
    rig r;
    start_pulse(&r, FO_SIDE_ABSORBING, 1);
    CHECK_INT(rig_to(&r, 1), FO_REACHED);
    for (uint32_t i = 0; i < 401; i++) CHECK_NEAR(rig_value(&r, i, 0, 0), 0, 0.01);
    rig_end(&r);
}

// In a medium with another speed a part r = (c2 - c1) / (c1 + c2) of the pulse comes back
// (equal tension, theta'' = c^2 theta_xx).
TEST(a_pulse_is_reflected_where_the_speed_changes)
{
    enum { N = 801 };
    static double speed[N];
    fo_field_def def = square(1, N);
    for (uint32_t i = 0; i < N; i++) {
        double x = i / 800.0;
        start[i] = bell(x, 0.3);
        velocity[i] = 800 * (x - 0.3) * bell(x, 0.3);
        speed[i] = i < 400 ? 1 : i == 400 ? 0.75 : 0.5;
    }
    def.start = start, def.start_velocity = velocity, def.c_at = speed;
    rig r;
    REQUIRE(rig_start(&r, &def, 0.4, 0.0006, NULL));
    CHECK_INT(rig_to(&r, 0.4), FO_REACHED);
    double least = 0, most = 0;
    for (uint32_t i = 0; i < 400; i++) least = fmin(least, rig_value(&r, i, 0, 0));
    for (uint32_t i = 400; i < N; i++) most = fmax(most, rig_value(&r, i, 0, 0));
    CHECK_NEAR(least, -1. / 3, 0.01);
    CHECK_NEAR(most, 2. / 3, 0.01);
    rig_end(&r);
}

TEST(a_sweep_is_as_accurate_as_the_stepper)
{
    enum { N = 33 };
    fo_field_def def = square(2, N);
    fill_sines(N, 2);
    def.start = start;
    fo_message why = {0};
    fo_field *f = fo_field_create(&def, &why);
    fo_sweep_def sd = {.step = 0.01};
    fo_sweep *s = fo_sweep_create(f, &sd, &why);
    REQUIRE(s);
    fo_sweep_advance(s, 70);
    double middle = fo_sweep_values(s)[fo_field_index(f, 16, 16, 0)];
    CHECK_NEAR(middle, cos(M_PI * sqrt(2) * 0.7), 0.003);
    CHECK_NEAR(fo_sweep_time(s), 0.7, 1e-12);
    fo_sweep_destroy(s);
    sd.step = 0.1;
    CHECK(!fo_sweep_create(f, &sd, &why));
    CHECK_CONTAINS(why.text, "stability limit");
    fo_field_destroy(f);
}

TEST_MAIN(TEST_ENTRY(standing_waves_converge_with_order_two), TEST_ENTRY(orders_in_time),
          TEST_ENTRY(energy_decays_with_b1_and_b2),
          TEST_ENTRY(the_printed_sign_is_taken_by_every_method),
          TEST_ENTRY(leapfrog_keeps_the_energy_between_free_and_periodic_sides),
          TEST_ENTRY(a_pulse_travels_with_c), TEST_ENTRY(sides_turn_keep_or_swallow_a_pulse),
          TEST_ENTRY(a_pulse_is_reflected_where_the_speed_changes),
          TEST_ENTRY(a_sweep_is_as_accurate_as_the_stepper))
