#include "problems.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// --------------------------------------------------------------------------- smooth systems

static fo_status pendulum_rates(const void *model, const fo_state *s, double t, const double *x,
                                double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -(9.8 / 0.5) * sin(x[0]) - (0.1 / 0.4) * x[1];
    return FO_OK;
}

static fo_status lorenz_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (28 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - (8.0 / 3) * x[2];
    return FO_OK;
}

static const fo_system_type pendulum_type = {.kind = "C", .rates = pendulum_rates};
static const fo_system_type lorenz_type = {.kind = "C", .rates = lorenz_rates};
static const fo_description pendulum_about = {
    .name = "pendulum", .states = FO_VARIABLES({"y", "rad", 2.5}, {"v", "rad/s"}), .pairs = 1};
static const fo_description lorenz_about = {
    .name = "lorenz", .states = FO_VARIABLES({"x", NULL, 1}, {"y", NULL, 1}, {"z", NULL, 1})};

const problem problem_pendulum = {
    .name = "pendulum",
    .system = {&pendulum_type, &pendulum_about, NULL},
    .n = 2,
    .start = {2.5, 0},
    .known_at = 20,
    .known = {0.07286378969072538568065, -0.6946487763137428588912},
};

const problem problem_lorenz = {
    .name = "Lorenz",
    .system = {&lorenz_type, &lorenz_about, NULL},
    .n = 3,
    .start = {1, 1, 1},
    .known_at = 10,
    .known = {-4.902687541134645732707, -3.743872921802919623099, 24.69085810279055544489},
};

// ------------------------------------------------------------------------------------- ball

static fo_status ball_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -BALL_GRAVITY;
    return FO_OK;
}

static fo_status ball_guards(const void *model, const fo_state *s, double t, const double *x,
                             double *g)
{
    (void)model, (void)s, (void)t;
    g[0] = x[0];
    return FO_OK;
}

static fo_status ball_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)m;
    e->stop = fabs(s->x[1]) < BALL_SLOW;
    s->x[0] = 0;
    s->x[1] *= -BALL_RESTITUTION;
    return FO_OK;
}

static const fo_system_type ball_type = {
    .kind = "C", .rates = ball_rates, .guards = ball_guards, .jump = ball_jump};
static const fo_description ball_about = {
    .name = "ball",
    .states = FO_VARIABLES({"y", "m", BALL_HEIGHT}, {"v", "m/s"}),
    .guards = FO_GUARDS({"floor", FO_FALLING}),
    .pairs = 1,
};
const fo_system problem_ball = {&ball_type, &ball_about, NULL};

double ball_end(void)
{
    double v = sqrt(2 * BALL_GRAVITY * BALL_HEIGHT), t = v / BALL_GRAVITY;
    while (v >= BALL_SLOW) {
        v *= BALL_RESTITUTION;
        t += 2 * v / BALL_GRAVITY;
    }
    return t;
}

// -------------------------------------------------------------------------------------- dip

static fo_status dip_rates(const void *model, const fo_state *s, double t, const double *x,
                           double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = pi / 10 * x[1];
    dx[1] = -pi / 10 * x[0];
    return FO_OK;
}

static fo_status dip_guards(const void *model, const fo_state *s, double t, const double *x,
                            double *g)
{
    (void)s, (void)t;
    double edge = sin(pi / 10 * (*(const double *)model / 2));
    g[0] = (x[1] - edge) * (x[1] + edge);
    return FO_OK;
}

static fo_status dip_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)s, (void)m;
    e->unchanged = true;
    return FO_OK;
}

fo_system problem_dip(const double *width)
{
    static const fo_system_type type = {
        .kind = "C", .rates = dip_rates, .guards = dip_guards, .jump = dip_jump};
    static const fo_variable states[] = {{"x", NULL, 0}, {"v", NULL, 1}};
    static const fo_guard guards[] = {{"dip", FO_EITHER}};
    static const fo_description about = {
        .name = "dip", .states = {states, 2}, .guards = {guards, 1}};
    return (fo_system){&type, &about, width};
}
