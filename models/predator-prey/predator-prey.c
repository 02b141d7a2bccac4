// Predators and prey: the first program of its source, which finds the period of the system.
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

static void live(fo_world *w, void *self)
{
    pond *p = self;
    fo_level_start_at(w, &p->predator, 1000);
    fo_level_start_at(w, &p->prey, 100000);
    fo_continuous_start(w, &p->dynamics, dynamics, p);
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
