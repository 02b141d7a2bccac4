// Higher orders, delays, algebraic loops, difference equations and profiles, against closed forms.
#include "scene.h"

static const fo_world_def fine = {.max_rel_error = 1e-11, .max_abs_error = 1e-12};

// ----------------------------------------------------------------------------------- higher order

static void fourth_derivative(fo_world *w, void *self)
{
    fo_level *x = self;
    (void)w;
    x[3].rate = x[0].state; // x'''' = x
}

static void fourth_order(fo_world *w, void *self)
{
    fo_level x[4] = {{.state = 1}, {.state = -1}, {.state = 1}, {.state = -1}}; // exp(-t)
    fo_order order;
    fo_continuous equation = {0};
    (void)self;
    fo_order_start(w, &order, x, 4);
    fo_continuous_start(w, &equation, fourth_derivative, x);
    fo_hold(w, 1);
    for (int i = 0; i < 4; i++) CHECK_NEAR(x[i].state, (i % 2 ? -1 : 1) * exp(-1), 1e-9);
    CHECK_INT(fo_order_stop(w, &order), FO_OK);
    fo_hold(w, 1);
    CHECK_NEAR(x[0].state, exp(-1), 1e-9);
}

TEST(equation_of_fourth_order)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, fourth_order);
    scene_close(&s);
}

// ----------------------------------------------------------------------------------------- delays

static double one(fo_world *w, void *self)
{
    (void)w, (void)self;
    return 1;
}

// The answer to a step is the distribution of Erlang: 1 - exp(-a) sum a^k / k!, a = n t / T.
static void smooth_step(fo_world *w, void *self)
{
    fo_level stages[3] = {{0}};
    fo_smooth d = {.stages = stages, .order = 3, .duration = 2, .input = one};
    (void)self;
    fo_smooth_start(w, &d, 0);
    for (int i = 1; i <= 4; i++) {
        fo_hold(w, 1);
        double a = 3 * fo_time(w) / 2;
        CHECK_NEAR(fo_smooth_value(&d), 1 - exp(-a) * (1 + a + a * a / 2), 1e-9);
    }
    CHECK_INT(fo_smooth_stop(w, &d), FO_OK);
}

TEST(exponential_delay_answers_a_step)
{
    scene s;
    scene_open(&s, &fine);
    scene_play(&s, smooth_step);
    scene_close(&s);
}

static double x_of(fo_world *w, void *self)
{
    (void)w;
    return ((scene *)self)->x.state;
}

typedef struct delayed {
    scene s;
    fo_delay *delay;
} delayed;

static void delayed_decay(fo_world *w, void *self)
{
    delayed *d = self;
    (void)w;
    d->s.x.rate = -fo_delay_value(d->delay);
}

// x' = -x(t - 1), x = 1 before 0: by the method of steps a polynomial on each unit of time,
// sum over k <= t + 1 of (-1)^k (t - k + 1)^k / k!.
static void delay_equation(fo_world *w, void *self)
{
    delayed *d = self;
    d->s.x.state = 1;
    d->delay = fo_delay_create(w, 1, x_of, &d->s, 1);
    fo_level_start(w, &d->s.x);
    fo_continuous_start(w, &d->s.flow, delayed_decay, d);
    for (int n = 1; n <= 12; n++) {
        fo_hold(w, 0.5);
        double t = fo_time(w), x = 0, factorial = 1;
        for (int k = 0; k <= (int)floor(t + 1); k++) {
            if (k) factorial *= k;
            x += (k % 2 ? -1 : 1) * pow(t - k + 1, k) / factorial;
        }
        CHECK_NEAR(d->s.x.state, x, 2e-6);
    }
}

TEST(ideal_delay_makes_a_delay_equation)
{
    delayed d = {0};
    d.s.w = fo_world_create(
        &(fo_world_def){.max_rel_error = 1e-9, .max_abs_error = 1e-9, .dt_max = 0.02}, NULL);
    CHECK_STATUS(fo_world_simulate(d.s.w, delay_equation, &d), FO_STOPPED, fo_world_message(d.s.w));
    scene_close(&d.s);
}

static void jumps(fo_world *w, void *self)
{
    delayed *d = self;
    d->s.x.rate = 1;
    fo_level_start_at(w, &d->s.x, 0); // x = t, from 1 on t + 10
    d->delay = fo_delay_create(w, 0.5, x_of, &d->s, -7);
    fo_hold(w, 0.25);
    CHECK(fo_delay_value(d->delay) == -7);
    fo_hold(w, 0.75);
    d->s.x.state += 10;
    fo_hold(w, 0.45);
    CHECK_NEAR(fo_delay_value(d->delay), 0.95, 1e-9);
    fo_hold(w, 0.1);
    CHECK_NEAR(fo_delay_value(d->delay), 11.05, 1e-9);
    for (int i = 0; i < 100; i++) fo_hold(w, 0.1); // it forgets what is too old
    CHECK_NEAR(fo_delay_value(d->delay), fo_time(w) - 0.5 + 10, 1e-9);
    CHECK(fo_delay_create(w, 0.01, x_of, &d->s, 0) == NULL); // shorter than a step may be
}

TEST(ideal_delay_keeps_jumps)
{
    delayed d = {0};
    d.s.w = fo_world_create(&(fo_world_def){.dt_max = 0.1}, NULL);
    CHECK_STATUS(fo_world_simulate(d.s.w, jumps, &d), FO_ERROR_ARGUMENT, fo_world_message(d.s.w));
    CHECK_CONTAINS(fo_world_message(d.s.w)->text, "a delay of 0.01");
    scene_close(&d.s);
}

// --------------------------------------------------------------------------------- algebraic loops

static double cosine(fo_world *w, double x, void *self)
{
    (void)w, (void)self;
    return cos(x);
}

static double steep(fo_world *w, double x, void *self)
{
    (void)w, (void)self;
    return 4 - 3 * x; // plain iteration runs away
}

static double none(fo_world *w, double x, void *self)
{
    (void)w, (void)self;
    return x + 1;
}

static void loops(fo_world *w, void *self)
{
    double x = 1;
    (void)self;
    CHECK_INT(fo_fixpoint(w, cosine, NULL, 1e-13, &x), FO_OK);
    CHECK_NEAR(x, 0.7390851332151607, 1e-12);
    x = 100;
    CHECK_INT(fo_fixpoint(w, steep, NULL, 1e-13, &x), FO_OK);
    CHECK_NEAR(x, 1, 1e-10);
    CHECK_INT(fo_fixpoint(w, none, NULL, 1e-13, &x), FO_ERROR_CONVERGE);
}

TEST(algebraic_loops)
{
    scene s;
    scene_open(&s, NULL);
    scene_fails(&s, loops, FO_ERROR_CONVERGE, "no x = f(x)");
    scene_close(&s);
}

// ---------------------------------------------------------------------------- difference equations

static void fibonacci(fo_world *w, void *self)
{
    scene *s = self;
    double next = s->number + s->x.state;
    (void)w;
    s->x.state = s->number;
    s->number = next;
    s->count++;
}

static void differences(fo_world *w, void *self)
{
    scene *s = self;
    s->number = 1;
    fo_process *p = fo_difference_start(w, fibonacci, s, 0.1);
    fo_hold(w, 2.95);
    CHECK_INT(s->count, 30);
    CHECK(s->number == 1346269);
    fo_difference_stop(p);
    fo_hold(w, 1);
    CHECK_INT(s->count, 30);
}

TEST(difference_equations)
{
    scene s;
    scene_open(&s, NULL);
    scene_play(&s, differences);
    scene_close(&s);
}

// --------------------------------------------------------------------------------------- profiles

enum { MOST_NODES = 41 };
static const double robin = 0.8603335890193797; // k tan k = 1

typedef struct rod {
    fo_level u[MOST_NODES];
    fo_profile profile;
    size_t n;
    int mode; ///< 0: sin, Dirichlet; 1: cos, Neumann; 2: cos, mixed on the right
    double error;
} rod;

static double conduct(fo_world *w, const fo_profile *p, size_t i, void *self)
{
    (void)w, (void)self;
    return fo_profile_second(p, i);
}

static double exact(const rod *r, double x, double t)
{
    const double pi = acos(-1);
    if (r->mode == 0) return exp(-pi * pi * t) * sin(pi * x);
    double k = r->mode == 1 ? pi : robin;
    return exp(-k * k * t) * cos(k * x);
}

static void heat(fo_world *w, void *self)
{
    rod *r = self;
    const fo_profile_end insulated = {FO_NEUMANN};
    r->profile = (fo_profile){r->u, r->n, 0, 1, {FO_DIRICHLET}, {FO_DIRICHLET}, conduct};
    if (r->mode) r->profile.left = r->profile.right = insulated;
    if (r->mode == 2) r->profile.right = (fo_profile_end){FO_MIXED, .a = 1, .b = 1};
    for (size_t i = 0; i < r->n; i++) r->u[i].state = exact(r, fo_profile_x(&r->profile, i), 0);
    fo_profile_start(w, &r->profile);
    fo_hold(w, 0.1);
    for (size_t i = 0; i < r->n; i++)
        r->error =
            fmax(r->error, fabs(r->u[i].state - exact(r, fo_profile_x(&r->profile, i), 0.1)));
    double middle = fo_profile_first(&r->profile, r->n / 2), h = 1e-6;
    double slope = (exact(r, 0.5 + h, 0.1) - exact(r, 0.5 - h, 0.1)) / (2 * h);
    CHECK_NEAR(middle, slope, 0.02);
    CHECK_INT(fo_profile_stop(w, &r->profile), FO_OK);
}

// The error falls with the square of the distance of the nodes, for all boundary conditions.
TEST(heat_flows_along_a_line)
{
    for (int mode = 0; mode < 3; mode++) {
        double errors[2];
        for (int i = 0; i < 2; i++) {
            rod r = {.n = i ? 41 : 21, .mode = mode};
            fo_world *w = fo_world_create(
                &(fo_world_def){.max_rel_error = 1e-9, .max_abs_error = 1e-9}, NULL);
            CHECK_STATUS(fo_world_simulate(w, heat, &r), FO_STOPPED, fo_world_message(w));
            fo_world_destroy(w);
            errors[i] = r.error;
        }
        CHECK_NEAR(log2(errors[0] / errors[1]), 2, 0.1);
    }
}

static void bad_profile(fo_world *w, void *self)
{
    rod *r = self;
    r->profile = (fo_profile){r->u, 5, 0, 1, .right = {FO_MIXED, .a = 1}, .equation = conduct};
    fo_profile_start(w, &r->profile);
}

TEST(profile_is_checked)
{
    rod r = {0};
    fo_world *w = fo_world_create(NULL, NULL);
    CHECK_STATUS(fo_world_simulate(w, bad_profile, &r), FO_ERROR_ARGUMENT, fo_world_message(w));
    CHECK_CONTAINS(fo_world_message(w)->text, "the right end");
    fo_world_destroy(w);
}

TEST_MAIN(TEST_ENTRY(equation_of_fourth_order), TEST_ENTRY(exponential_delay_answers_a_step),
          TEST_ENTRY(ideal_delay_makes_a_delay_equation), TEST_ENTRY(ideal_delay_keeps_jumps),
          TEST_ENTRY(algebraic_loops), TEST_ENTRY(difference_equations),
          TEST_ENTRY(heat_flows_along_a_line), TEST_ENTRY(profile_is_checked))
