// A pilot's seat leaves an aircraft: first along rails, then through the air; feet, slugs, seconds.
#include <math.h>

#include "worlds/worlds.h"

typedef struct seat {
    fo_level x, y, v, theta;
    fo_continuous phase;
    double speed, drag; ///< of the aircraft; density * cD * s
    ejection_result *result;
} seat;

static void on_rails(fo_world *w, void *self)
{
    (void)w;
    seat *s = self;
    s->x.rate = s->v.state * cos(s->theta.state) - s->speed;
    s->y.rate = s->v.state * sin(s->theta.state);
}

static void in_the_air(fo_world *w, void *self)
{
    const double m = 7, g = 32.2;
    seat *s = self;
    on_rails(w, s);
    double v = s->v.state, theta = s->theta.state;
    s->v.rate = -0.5 * s->drag * v * v / m - g * sin(theta);
    s->theta.rate = -g * cos(theta) / v;
}

static void eject(fo_world *w, void *self)
{
    const double exit_speed = 40, angle = 15 / 57.3, rail = 4, tail = -30;
    seat *s = self;
    double vx = s->speed - exit_speed * sin(angle), vy = exit_speed * cos(angle);
    s->v.state = sqrt(vx * vx + vy * vy);
    s->theta.state = atan(vy / vx);
    fo_level_start_at(w, &s->x, 0);
    fo_level_start_at(w, &s->y, 0);
    fo_continuous_start(w, &s->phase, on_rails, s);
    fo_wait_level(w, &s->y, rail, FO_RISING);
    fo_continuous_stop(w, &s->phase);
    fo_continuous_start(w, &s->phase, in_the_air, s);
    fo_level_start(w, &s->v);
    fo_level_start(w, &s->theta);
    fo_wait_level(w, &s->x, tail, FO_FALLING);
    *s->result = (ejection_result){fo_time(w), s->x.state,     s->y.state,
                                   s->v.state, s->theta.state, s->y.state >= 20};
}

// The air's density over the height, linear between the points of a table.
static double density(double height)
{
    static const double table[][2] = {{0, 2377e-6},     {1000, 2308e-6},  {2000, 2241e-6},
                                      {4000, 2117e-6},  {6000, 1987e-6},  {10000, 1755e-6},
                                      {15000, 1497e-6}, {20000, 1267e-6}, {30000, 891e-6},
                                      {40000, 587e-6},  {50000, 364e-6},  {60000, 2238e-7}};
    size_t last = sizeof table / sizeof table[0] - 1, i = 0;
    if (height >= table[last][0]) return table[last][1];
    while (height > table[i + 1][0]) i++;
    double part = (height - table[i][0]) / (table[i + 1][0] - table[i][0]);
    return table[i][1] + part * (table[i + 1][1] - table[i][1]);
}

fo_status pilot_ejection(const fo_world_def *def, double speed, double height,
                         ejection_result *result, fo_message *why)
{
    const double drag_coefficient = 1, area = 10;
    const fo_world_def usual = {.name = "pilot-ejection", .dt_max = 0.1};
    if (!(speed > 20) || !(height >= 0))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "an aircraft flies faster than 20 ft/s and above the sea, not %g at %g ft",
                       speed, height);
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    seat s = {.speed = speed, .drag = density(height) * drag_coefficient * area, .result = result};
    return world_end(w, fo_world_simulate(w, eject, &s), why);
}
