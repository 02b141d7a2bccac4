// A rocket of three stages that is launched from the surface of the earth; feet, pounds, seconds.
#include <math.h>

#include "math/math.h"
#include "worlds/worlds.h"

/// What a stage is: parameters.
typedef struct stage {
    double mass, flow, flow_velocity, area, duration;
} stage;

typedef struct launch {
    fo_level mass, velocity, altitude;
    fo_continuous motion;
    stage stages[3];
    const stage *burns;
    rocket_row rows[3];
} launch;

static const stage usual_stages[3] = {
    {189162, 930, 8060, 510, 150}, {40342, 81.49, 13805, 460, 359}, {8137, 14.75, 15250, 360, 479}};

static void motion(fo_world *w, void *self)
{
    (void)w;
    launch *r = self;
    double v = r->velocity.state, h = r->altitude.state, m = r->mass.state;
    double thrust = r->burns->flow * r->burns->flow_velocity;
    double drag = r->burns->area * 0.00119 * foi_exp(-h / 24000) * v * v;
    double gravity = m * 32.17 / ((1 + h / 20908800) * (1 + h / 20908800));
    r->mass.rate = -r->burns->flow;
    r->velocity.rate = (thrust - drag - gravity) / m;
    r->altitude.rate = v;
}

static void fly(fo_world *w, void *self)
{
    launch *r = self;
    r->mass.name = "the rocket's mass", r->velocity.name = "the rocket's velocity";
    r->altitude.name = "the rocket's altitude";
    fo_level_start(w, &r->mass);
    fo_level_start(w, &r->velocity);
    fo_level_start(w, &r->altitude);
    r->burns = r->stages;
    fo_continuous_start(w, &r->motion, motion, r);
    for (int i = 0; i < 3; i++) {
        r->burns = &r->stages[i];
        r->mass.state = r->burns->mass;
        fo_hold(w, r->burns->duration);
        r->rows[i] = (rocket_row){fo_time(w), r->mass.state, r->velocity.state, r->altitude.state};
    }
}

fo_status rocket(const fo_world_def *def, rocket_row rows[3], fo_message *why)
{
    const fo_world_def usual = {
        .name = "rocket", .dt_max = 100, .max_abs_error = 1e-5, .max_rel_error = 1e-5};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    launch r = {0};
    for (int i = 0; i < 3; i++) r.stages[i] = usual_stages[i];
    fo_status status = fo_world_simulate(w, fly, &r);
    for (int i = 0; i < 3; i++) rows[i] = r.rows[i];
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

#define STAGE(i, n, m, f, v, a, d)                                                                 \
    FO_WORLD_NUMBER(launch, stages[i].mass, "mass" n, "lb", m, "when stage " n " begins", 1, 1e9), \
        FO_WORLD_TUNABLE(launch, stages[i].flow, "flow" n, "lb/s", f, "of its fuel", 0, 1e9),      \
        FO_WORLD_TUNABLE(launch, stages[i].flow_velocity, "speed" n, "ft/s", v, "of the flow", 0,  \
                         1e9),                                                                     \
        FO_WORLD_TUNABLE(launch, stages[i].area, "area" n, "ft2", a, "that the air meets", 0,      \
                         1e9),                                                                     \
        FO_WORLD_NUMBER(launch, stages[i].duration, "duration" n, "s", d,                          \
                        "until stage " n " is dropped", 0, 1e9)
static const fo_world_number parameters[] = {STAGE(0, "1", 189162, 930, 8060, 510, 150),
                                             STAGE(1, "2", 40342, 81.49, 13805, 460, 359),
                                             STAGE(2, "3", 8137, 14.75, 15250, 360, 479)};
static const fo_world_number outputs[] = {
    FO_WORLD_NUMBER(launch, mass.state, "mass", "lb"),
    FO_WORLD_NUMBER(launch, velocity.state, "velocity", "ft/s"),
    FO_WORLD_NUMBER(launch, altitude.state, "altitude", "ft")};
static const char *const plot[] = {"altitude", NULL};
static const char *const results[] = {"mass", "velocity", "altitude", NULL};

static void report(const void *record, double now, FILE *out)
{
    const launch *r = record;
    (void)now;
    fprintf(out, "  stage  until [s]  mass [lb]  velocity [ft/s]  altitude [ft]\n");
    for (int i = 0; i < 3 && r->rows[i].t > 0; i++)
        fprintf(out, "  %5d  %9.6g  %9.2f  %15.4f  %13.2f\n", i + 1, r->rows[i].t, r->rows[i].mass,
                r->rows[i].velocity, r->rows[i].altitude);
}

extern const fo_world_model world_rocket;
const fo_world_model world_rocket = {
    .name = "rocket",
    .about = "a rocket of three stages leaves the earth",
    .equations = "mass' = -flow\n"
                 "velocity' = (flow speed - drag) / mass - 32.17 / (1 + altitude / 20908800)^2\n"
                 "drag = 0.00119 area exp(-altitude / 24000) velocity^2\n"
                 "altitude' = velocity",
    .stop = 988,
    .interval = 1,
    .max_rel_error = 1e-8,
    .max_abs_error = 1e-8,
    .size = sizeof(launch),
    .parameters = parameters,
    .parameter_count = FO_COUNT(parameters),
    .outputs = outputs,
    .output_count = FO_COUNT(outputs),
    .plot = plot,
    .results = results,
    .actions = fly,
    .report = report};
