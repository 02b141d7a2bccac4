// Predators and prey: the first program of its source, which finds the period of the system.
#include <stdlib.h>

#include "worlds/worlds.h"

typedef struct pond {
    fo_level predator, prey;
    fo_continuous dynamics;
    predator_prey_result result;
} pond;

static void dynamics(fo_world *w, void *self)
{
    (void)w;
    pond *p = self;
    p->predator.rate = (-0.3 + 3.0e-7 * p->prey.state) * p->predator.state;
    p->prey.rate = (0.3 - 3.0e-4 * p->predator.state) * p->prey.state;
}

static double growth(fo_world *w, void *self)
{
    (void)w;
    return ((pond *)self)->prey.rate;
}

static void begin(fo_world *w, void *self)
{
    pond *p = self;
    fo_level_start_at(w, &p->predator, 1000);
    fo_level_start_at(w, &p->prey, 100000);
    fo_continuous_start(w, &p->dynamics, dynamics, p);
}

static void live(fo_world *w, void *self)
{
    pond *p = self;
    begin(w, p);
    fo_wait_zero(w, growth, p, FO_FALLING);
    p->result.first = fo_time(w);
    p->result.prey = p->prey.state;
    fo_wait_zero(w, growth, p, FO_FALLING);
    p->result.period = fo_time(w) - p->result.first;
}

fo_status predator_prey(const fo_world_def *def, predator_prey_result *result, fo_message *why)
{
    const fo_world_def usual = {.name = "predator-prey", .dt_max = 1, .max_rel_error = 1e-5};
    fo_world *w = fo_world_create(def ? def : &usual, why);
    if (!w) return FO_ERROR_MEMORY;
    pond p = {.predator.name = "predator", .prey.name = "prey"};
    fo_status status = fo_world_simulate(w, live, &p);
    *result = p.result;
    return world_end(w, status, why);
}

// ------------------------------------------------------------------ as `foliot run` shows it

static const char about[] = "predators and prey: waves of the one after the other";

static fo_world *open_world(void **model, fo_message *why)
{
    fo_world *w =
        fo_world_create(&(fo_world_def){.name = "predator-prey", .about = about, .dt_max = 1}, why);
    pond *m = *model = calloc(1, sizeof *m);
    fo_status status = FO_OK;
    if (!w) return NULL;
    if (!m) status = fo_world_fail(w, FO_ERROR_MEMORY, "no memory for the model");
    if (status == FO_OK) status = fo_world_output(w, "predator", NULL, &m->predator.state);
    if (status == FO_OK) status = fo_world_output(w, "prey", NULL, &m->prey.state);
    if (status == FO_OK) status = fo_spawn(w, "predator-prey", begin, m);
    if (status == FO_OK) return w;
    world_end(w, status, why);
    return NULL;
}

static const char *const plot[] = {"prey", NULL};

extern const world_model world_predator_prey;
const world_model world_predator_prey = {"predator-prey", about, 100, 0.1, 1e-8, 0, plot,
                                         open_world};
