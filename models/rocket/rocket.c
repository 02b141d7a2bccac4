// A rocket of three stages that is launched from the surface of the earth; feet, pounds, seconds.
#include <math.h>
#include <stdlib.h>

#include "worlds/worlds.h"

typedef struct launch {
    fo_level mass, velocity, altitude;
    fo_continuous motion;
    double mass_flow, flow_velocity, area;
    rocket_row *rows; ///< may be NULL
} launch;

static void motion(fo_world *w, void *self)
{
    (void)w;
    launch *r = self;
    double v = r->velocity.state, h = r->altitude.state, m = r->mass.state;
    double thrust = r->mass_flow * r->flow_velocity;
    double drag = r->area * 0.00119 * exp(-h / 24000) * v * v;
    double gravity = m * 32.17 / ((1 + h / 20908800) * (1 + h / 20908800));
    r->mass.rate = -r->mass_flow;
    r->velocity.rate = (thrust - drag - gravity) / m;
    r->altitude.rate = v;
}

static void fly(fo_world *w, void *self)
{
    static const double stages[3][5] = {// mass, flow, flow velocity, area, duration
                                        {189162, 930, 8060, 510, 150},
                                        {40342, 81.49, 13805, 460, 359},
                                        {8137, 14.75, 15250, 360, 479}};
    launch *r = self;
    fo_level_start(w, &r->mass);
    fo_level_start(w, &r->velocity);
    fo_level_start(w, &r->altitude);
    fo_continuous_start(w, &r->motion, motion, r);
    for (int i = 0; i < 3; i++) {
        const double *stage = stages[i];
        r->mass.state = stage[0];
        r->mass_flow = stage[1], r->flow_velocity = stage[2], r->area = stage[3];
        fo_hold(w, stage[4]);
        if (r->rows)
            r->rows[i] =
                (rocket_row){fo_time(w), r->mass.state, r->velocity.state, r->altitude.state};
    }
}

fo_status rocket(const fo_world_def *def, rocket_row rows[3], fo_message *why)
{
    const fo_world_def usual = {
        .name = "rocket", .dt_max = 100, .max_abs_error = 1e-5, .max_rel_error = 1e-5};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    launch r = {.mass.name = "mass", .velocity.name = "velocity", .rows = rows};
    r.altitude.name = "altitude";
    return world_end(w, fo_world_simulate(w, fly, &r), why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const char about[] = "a rocket of three stages leaves the earth";

static fo_world *open_world(void **model, fo_message *why)
{
    fo_world *w =
        fo_world_create(&(fo_world_def){.name = "rocket", .about = about, .dt_max = 0}, why);
    launch *m = *model = calloc(1, sizeof *m);
    fo_status status = FO_OK;
    if (!w) return NULL;
    if (!m) status = fo_world_fail(w, FO_ERROR_MEMORY, "no memory for the model");
    if (status == FO_OK) status = fo_world_output(w, "mass", "lb", &m->mass.state);
    if (status == FO_OK) status = fo_world_output(w, "velocity", "ft/s", &m->velocity.state);
    if (status == FO_OK) status = fo_world_output(w, "altitude", "ft", &m->altitude.state);
    if (status == FO_OK) status = fo_spawn(w, "rocket", fly, m);
    if (status == FO_OK) return w;
    world_end(w, status, why);
    return NULL;
}

static const char *const plot[] = {"altitude", NULL};

extern const world_model world_rocket;
const world_model world_rocket = {"rocket", about, 988, 1, 1e-8, 1e-8, plot, open_world};
