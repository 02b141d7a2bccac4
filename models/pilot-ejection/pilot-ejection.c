// A pilot's seat leaves an aircraft: first along rails, then through the air; feet, slugs, seconds.
#include <math.h>

#include "math/math.h"
#include "worlds/worlds.h"

enum { MOST_SPEEDS = 1000 };

typedef struct seat {
    double slowest, fastest, step, climb; ///< parameters: speeds and heights that are tried
    fo_level x, y, v, theta;
    fo_continuous phase;
    double speed, height, drag; ///< of the aircraft; density * cD * s
    ejection_result result;
    double speeds[MOST_SPEEDS], heights[MOST_SPEEDS]; ///< the lowest that are safe
    size_t count;
} seat;

static void on_rails(fo_world *w, void *self)
{
    (void)w;
    seat *s = self;
    s->x.rate = s->v.state * foi_cos(s->theta.state) - s->speed;
    s->y.rate = s->v.state * foi_sin(s->theta.state);
}

static void in_the_air(fo_world *w, void *self)
{
    const double m = 7, g = 32.2;
    seat *s = self;
    on_rails(w, s);
    double v = s->v.state, theta = s->theta.state;
    s->v.rate = -0.5 * s->drag * v * v / m - g * foi_sin(theta);
    s->theta.rate = -g * foi_cos(theta) / v;
}

static double density(double height);

static void eject(fo_world *w, seat *s)
{
    const double exit_speed = 40, angle = 15 / 57.3, rail = 4, tail = -30;
    const double drag_coefficient = 1, area = 10, begun = fo_time(w);
    s->drag = density(s->height) * drag_coefficient * area;
    double vx = s->speed - exit_speed * foi_sin(angle), vy = exit_speed * foi_cos(angle);
    s->v.state = sqrt(vx * vx + vy * vy);
    s->theta.state = foi_atan(vy / vx);
    fo_level_start_at(w, &s->x, 0);
    fo_level_start_at(w, &s->y, 0);
    fo_continuous_start(w, &s->phase, on_rails, s);
    fo_wait_level(w, &s->y, rail, FO_RISING);
    fo_continuous_stop(w, &s->phase);
    fo_continuous_start(w, &s->phase, in_the_air, s);
    fo_level_start(w, &s->v);
    fo_level_start(w, &s->theta);
    fo_wait_level(w, &s->x, tail, FO_FALLING);
    s->result = (ejection_result){fo_time(w) - begun, s->x.state,     s->y.state,
                                  s->v.state,         s->theta.state, s->y.state >= 20};
    fo_continuous_stop(w, &s->phase);
    fo_level *levels[] = {&s->x, &s->y, &s->v, &s->theta};
    for (int i = 0; i < 4; i++) fo_level_stop(w, levels[i]);
}

static void eject_once(fo_world *w, void *self)
{
    eject(w, self);
}

// The faster, the higher: for each speed from the height that was safe for the last one upwards.
static void climb(fo_world *w, void *self)
{
    seat *s = self;
    s->height = 0;
    for (s->speed = s->slowest; s->speed <= s->fastest && s->count < MOST_SPEEDS;
         s->speed += s->step) {
        for (;; s->height += s->climb) {
            eject(w, s);
            if (s->result.safe || s->height > 60000) break;
        }
        s->speeds[s->count] = s->speed, s->heights[s->count++] = s->height;
    }
    s->speed -= s->step;
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

static fo_status run(const fo_world_def *def, fo_actions *actions, seat *s, fo_message *why)
{
    const fo_world_def usual = {.name = "pilot-ejection", .dt_max = 0.1};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    return world_end(w, fo_world_simulate(w, actions, s), why);
}

fo_status pilot_ejection(const fo_world_def *def, double speed, double height,
                         ejection_result *result, fo_message *why)
{
    if (!(speed > 20) || !(height >= 0))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "an aircraft flies faster than 20 ft/s and above the sea, not %g at %g ft",
                       speed, height);
    seat s = {.speed = speed, .height = height};
    fo_status status = run(def, eject_once, &s, why);
    *result = s.result;
    return status;
}

fo_status pilot_ejection_heights(const fo_world_def *def, double heights[EJECTION_SPEEDS],
                                 fo_message *why)
{
    seat s = {100, 900, 50, 500};
    fo_status status = run(def, climb, &s, why);
    for (int i = 0; i < EJECTION_SPEEDS; i++) heights[i] = s.heights[i];
    return status;
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const fo_world_number parameters[] = {
    FO_WORLD_NUMBER(seat, slowest, "slowest", "ft/s", 100, "speed of the aircraft that is tried",
                    21, 1e4),
    FO_WORLD_TUNABLE(seat, fastest, "fastest", "ft/s", 900, "speed that is tried", 21, 1e4),
    FO_WORLD_TUNABLE(seat, step, "step", "ft/s", 50, "from speed to speed", 1, 1e4),
    FO_WORLD_TUNABLE(seat, climb, "climb", "ft", 500, "from height to height", 1, 1e5)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(seat, x.state, "x", "ft"),   FO_WORLD_NUMBER(seat, y.state, "y", "ft"),
    FO_WORLD_NUMBER(seat, v.state, "v", "ft/s"), FO_WORLD_NUMBER(seat, theta.state, "theta", "rad"),
    FO_WORLD_NUMBER(seat, speed, "vA", "ft/s"),  FO_WORLD_NUMBER(seat, height, "h", "ft")};
static const char *const plot[] = {"h", NULL};
static const char *const results[] = {"vA", "h", NULL};

static void report(const void *record, double now, FILE *out)
{
    const seat *s = record;
    (void)now;
    fprintf(out, "  vA [ft/s]  safe from h [ft] on\n");
    for (size_t i = 0; i < s->count; i++)
        fprintf(out, "  %9.6g  %19.6g\n", s->speeds[i], s->heights[i]);
}

static bool graph(const void *record, fo_world_graph *picture)
{
    const seat *s = record;
    *picture = (fo_world_graph){.title = "vA against h: above the curve an ejection is safe",
                                .x_label = "vA [ft/s]",
                                .y_label = "h [ft]",
                                .x = s->speeds,
                                .y = s->heights,
                                .count = s->count,
                                .style = FO_CURVE_LINES};
    return s->count > 1;
}

extern const fo_world_model world_pilot_ejection;
const fo_world_model world_pilot_ejection = {
    .name = "pilot-ejection",
    .about = "a pilot leaves an aircraft: how fast may it be at which height?",
    .equations = "x' = v cos(theta) - vA\ny' = v sin(theta)\n"
                 "v' = -rho(h) cD s v^2 / (2 m) - g sin(theta), off the rails\n"
                 "theta' = -g cos(theta) / v, off the rails",
    .stop = 1000,
    .interval = 0.05,
    .dt_max = 0.1,
    .max_rel_error = 1e-8,
    .max_abs_error = 1e-8,
    .size = sizeof(seat),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .actions = climb,
    .ends = true,
    .report = report,
    .graph = graph};
